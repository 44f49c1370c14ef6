"""Deep nesting: generated expressions have hundreds of operators, and each is a few calls here.

What is nested too deeply all the same is said to be so, and is no internal error.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from kfusion.source.diagnostics import error

P = ParamSpec("P")
R = TypeVar("R")

_CALLS = 15_000  # within each other
_STACK = 512 << 20  # bytes of address space; few of them are touched


def refuses_depth(function: Callable[P, R]) -> Callable[P, R]:
    """The function runs on a thread with a large stack."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        results: list[R] = []
        failures: list[BaseException] = []

        def run() -> None:
            try:
                results.append(function(*args, **kwargs))
            except RecursionError:
                failures.append(error("KF104", "an expression or a block is nested too deeply"))
            except BaseException as failure:  # noqa: BLE001 - it is raised where it is waited for
                failures.append(failure)

        with _large_stack():
            thread = threading.Thread(target=run, daemon=True)
            thread.start()
        thread.join()
        for failure in failures:
            raise failure
        return results[0]

    return called


@contextmanager
def _large_stack() -> Iterator[None]:
    """For threads that are started now."""
    sys.setrecursionlimit(max(_CALLS, sys.getrecursionlimit()))
    before = threading.stack_size(_STACK)
    try:
        yield
    finally:
        threading.stack_size(before)
