"""What is nested too deeply for Python is said to be so, and is no internal error."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from kfusion.source.diagnostics import error

P = ParamSpec("P")
R = TypeVar("R")


def refuses_depth(function: Callable[P, R]) -> Callable[P, R]:
    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise error("KF104", "an expression or a block is nested too deeply") from None

    return called
