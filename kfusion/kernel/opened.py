"""Names of values that nothing in a kernel file declares: build options must give them.

Such a name may be anything, even a read of a buffer (-DVALUE=a[i+1]), and no `#if` can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from pycparser import c_ast

from kfusion.parse.unit import Function, Unit
from kfusion.source.lexer import tokenize
from kfusion.source.text import Span

_MATHEMATICAL = "E LOG2E LOG10E LN2 LN10 PI PI_2 PI_4 1_PI 2_PI 2_SQRTPI SQRT2 SQRT1_2"
_INTEGERS = r"U?(?:CHAR|SHRT|INT|LONG)_(?:BIT|MIN|MAX)|SCHAR_M\w+"
_FLOATS = (
    r"(?:FLT|DBL|HALF)_(?:MAX|MIN|EPSILON)|MAXFLOAT|HUGE_VALF?|INFINITY|NAN"
    rf"|M_(?:{_MATHEMATICAL.replace(' ', '|')})(?:_F|_H)?"
)
_INTS = r"CHAR_BIT|[SU]?CHAR_MAX|U?SHRT_MAX|INT_MAX"
_INTEGER = re.compile(rf"(?:{_INTS}) *\(?(0[xX][0-9a-fA-F]+|[1-9][0-9]*)\)?")
_FLOAT = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?[fF]?")
_OF_FLOATS = frozenset("( ) + - * / float double acos atan sqrt".split())  # what makes one of them
_LIBRARY = re.compile(  # constants that every OpenCL compiler defines
    rf"__\w+__|CLK_\w+|(?:FLT|DBL|HALF)_\w+|{_INTEGERS}|{_FLOATS}|NULL"
    r"|true|false|memory_(?:order|scope)_\w+"
)


def is_constant_of_opencl(name: str) -> bool:
    """A number, or what a sampler consists of."""
    return _LIBRARY.fullmatch(name) is not None and not name.startswith(("__", "memory_"))


def is_number_of_opencl(name: str, text: str) -> bool:
    """A number that the language has a macro for, and the text of a macro that is one like it."""
    if re.fullmatch(_FLOATS, name) is None:  # others have types that differ from a plain number's
        found = _INTEGER.fullmatch(f"{name} {text.strip()}")
        return found is not None and int(found[1], 0) < 1 << 31
    words = {token.text for token in tokenize(text)} - _OF_FLOATS
    return any(map(_FLOAT.fullmatch, words)) and all(
        word.isdecimal() or _FLOAT.fullmatch(word) for word in words
    )


_DECLARING = (c_ast.Decl, c_ast.Enumerator, c_ast.Typedef)


@lru_cache(maxsize=16)  # each kernel of a file asks
def names_left_open(unit: Unit) -> frozenset[str]:
    """Values that nothing in the program declares: build options must."""
    declared = {node.name for kind in _DECLARING for node in unit.nodes.get(kind, ())}
    no_values = {node.field for node in unit.nodes.get(c_ast.StructRef, ())}
    no_values |= {node.name for node in unit.nodes.get(c_ast.FuncCall, ())}
    return frozenset(
        node.name
        for node in unit.nodes.get(c_ast.ID, ())
        if node.name not in declared and node not in no_values
        if _LIBRARY.fullmatch(node.name) is None
    )


def open_names(unit: Unit, functions: Iterable[Function]) -> tuple[tuple[str, Span], ...]:
    """Those that some functions use, each where it is used first."""
    left_open = names_left_open(unit)
    found: dict[str, Span] = {}
    for function in functions if left_open else ():
        for node in function.nodes.get(c_ast.ID, ()):
            if node.name in left_open:
                found.setdefault(node.name, unit.node_span(node))
    return tuple(found.items())
