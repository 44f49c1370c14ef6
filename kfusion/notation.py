"""Launches in the notation of the Python API: "add(c, x, y)".

Buffers and scalars are given by name, scalars also as numbers. By agreement different names are
different memory and different values, and equal names are the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kfusion.graph.model import (
    Argument,
    Invocation,
    LocalMemory,
    Memory,
    Oracle,
    Reaches,
    Scalar,
)
from kfusion.kernel.evaluate import image_of
from kfusion.kernel.model import Kernel, Parameter
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason, error
from kfusion.source.lexer import Kind, between_commas, closing_round, tokenize
from kfusion.source.text import Span

_NAME = re.compile(r"[A-Za-z_]\w*")
_ANY_TYPE = 1 << 31  # smaller numbers are what they are in each type of 32 or 64 bits
_INTEGER = re.compile(r"(-?(?:0|[1-9][0-9]*|0[xX][0-9a-fA-F]+))[uUlL]*")


@dataclass(frozen=True)
class Call:
    kernel: Kernel
    arguments: tuple[Argument, ...]
    span: Span


def read_call(span: Span, kernels: Mapping[str, Kernel]) -> Call:
    listing = span.file
    tokens = tokenize(span.text)
    closing = closing_round(tokens, 1)
    if not tokens or tokens[0].kind is not Kind.NAME or closing is None:
        raise _unreadable(span)
    if [t.text for t in tokens[closing + 1 :]] not in ([], [";"]):
        raise _unreadable(span)
    name = tokens[0].text
    kernel = kernels.get(name)
    if kernel is None:
        known = ", ".join(sorted(kernels)) or "none"
        raise error(
            "KF123",
            f"no kernel is called '{name}'",
            Span(listing, span.start, span.start + len(name)),
            help=f"the kernels are: {known}",
        )
    parts = between_commas(tokens, 1, closing) if closing > 2 else []
    written = [span.text[tokens[p[0]].start : tokens[p[-1]].end] if p else "" for p in parts]
    if len(written) != len(kernel.parameters):
        raise error(
            "KF125",
            f"{name}() has {_counted(len(kernel.parameters), 'parameter')}, and "
            f"{_counted(len(written), 'argument')} {'is' if len(written) == 1 else 'are'} given",
            span,
            related=((f"{name}() is defined here", kernel.span),),
        )
    pairs = zip(kernel.parameters, written, strict=True)
    return Call(kernel, tuple(_argument(p, text, span) for p, text in pairs), span)


def _unreadable(span: Span) -> Exception:
    return error(
        "KF129",
        "this call cannot be read: expected 'kernel(argument, ...)'",
        span,
        help="buffers and scalars are given by name, scalars also as numbers",
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _argument(parameter: Parameter, text: str, span: Span) -> Argument:
    if parameter.is_scalar or parameter.canonical == "sampler_t":
        if not text:
            raise _unreadable(span)
        return Scalar(text, text)
    if parameter.pointer and parameter.space == "local":
        return LocalMemory(text, text)
    if not _NAME.fullmatch(text):
        raise error(
            "KF129",
            f"'{text}' cannot be the argument for '{parameter.name}' of type "
            f"'{parameter.text}': expected a name",
            span,
        )
    return Memory(text, text)


def check_names(calls: list[Call]) -> None:
    """One name is one thing, wherever it stands."""
    kinds: dict[str, tuple[str, Span]] = {}
    names = {Memory: "a buffer", Scalar: "a scalar", LocalMemory: "local memory"}
    for call in calls:
        for argument in call.arguments:
            kind = names[type(argument)]
            first, span = kinds.setdefault(argument.name, (kind, call.span))
            if first != kind and _NAME.fullmatch(argument.name):
                raise error(
                    "KF129",
                    f"'{argument.name}' is {kind} here, and {first} elsewhere",
                    call.span,
                    help="give one of them another name",
                    related=((f"it is {first} here", span),),
                )


def literal(text: str) -> int | None:
    """The value of an integer as C writes it, as far as it is plain."""
    found = _INTEGER.fullmatch(text)
    return int(found.group(1), 0) if found else None


class Agreement(Oracle):
    """What the Python API takes for granted: who launches knows of one range."""

    def __init__(self, known: Mapping[str, float] | None = None) -> None:
        """`known`: what scalars are, by their names."""
        self.known = known or {}

    def _value(self, scalar: Scalar) -> int | None:
        known: Any = self.known.get(scalar.name)
        return known if isinstance(known, int) else literal(scalar.name)

    def equal(self, left: Scalar, right: Scalar) -> bool:
        if left.name == right.name:
            return True
        one, other = self.known.get(left.name), self.known.get(right.name)
        sizes = (image_of(left.name), image_of(right.name))
        # check() compares sizes of images.
        return None not in sizes or (one is not None and one == other)

    def same_range(self, left: Invocation, right: Invocation) -> Reason | None:
        if left.range.key == right.range.key:
            return None
        return Reason(
            "KF202",
            f"'{left.label}' and '{right.label}' have different ranges: "
            f"{left.range.key} and {right.range.key}",
            right.span,
            help="give both one range in `ranges`",
        )

    def within(
        self, invocation: Invocation, dimension: int, scalar: Scalar, *, implied: bool
    ) -> bool:
        return implied and self._value(scalar) is None and image_of(scalar.name) is None

    def reaches(self, invocation: Invocation, reaches: Reaches, scalar: Scalar | None) -> bool:
        return scalar is None or image_of(scalar.name) is None  # check() compares

    def at_most(self, left: Scalar, right: Scalar, times: int) -> bool:
        a, b = self._value(left), self._value(right)
        if a is not None and b is not None:
            return 0 <= a * times <= b < _ANY_TYPE
        return image_of(left.name) is None and image_of(right.name) is None  # check() compares

    def at_least(self, scalar: Scalar, least: int) -> bool:
        value = self._value(scalar)
        if value is not None:
            return least <= value < _ANY_TYPE
        return least <= 0 and image_of(scalar.name) is None  # check() compares

    def up_to(self, scalar: Scalar, most: int) -> bool:
        value = self._value(scalar)
        if value is not None:
            return 0 <= value <= most
        return image_of(scalar.name) is None  # check() compares
