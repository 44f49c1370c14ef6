"""The formats of images that a program creates, as far as its text shows them.

Whether an image keeps the values that are written to it is asked at run time. Where no
image of the program can, nothing would ever be fused: then it is better to say why.
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from kfusion.host.program import HostProgram, constant, once
from kfusion.parse.unit import Unit
from kfusion.source.text import Span

# Of the channels of float4, int4 and uint4: CL_FLOAT, CL_SIGNED_INT32, CL_UNSIGNED_INT32.
CHANNELS = {"float4": 0x10DE, "int4": 0x10D9, "uint4": 0x10DC}
_TYPE = "image_channel_data_type"


_Given = tuple[int | None, Span]  # what channels an image has, and what says so


def lossy_format(program: HostProgram, type_: str) -> Span | None:
    """Where the program chooses a format that rounds, if it never chooses another one."""
    found = _given(program)
    if not found or any(value in (None, CHANNELS[type_]) for value, _ in found):
        return None
    return found[0][1]


@once
def _given(program: HostProgram) -> tuple[_Given, ...]:
    return tuple(given for unit in program.units for given in _in_unit(program, unit))


def _in_unit(program: HostProgram, unit: Unit) -> Iterator[_Given]:
    for declared in (*unit.nodes[c_ast.Decl], *unit.nodes[c_ast.CompoundLiteral]):
        type_ = declared.type.type if isinstance(declared, c_ast.CompoundLiteral) else declared.type
        if isinstance(type_, c_ast.ArrayDecl) and _is_format(type_.type):
            yield (None, unit.node_span(declared))  # a choice of several
        elif _is_format(type_) and unit.in_main_file(declared) and declared.init is not None:
            yield _initial(program, unit, declared.init)
    for node in unit.nodes[c_ast.Assignment]:
        if isinstance(node.lvalue, c_ast.StructRef) and node.lvalue.field.name == _TYPE:
            yield (constant(node.rvalue, program.enumerators), unit.node_span(node))


def _is_format(type_: c_ast.Node) -> bool:
    return getattr(getattr(type_, "type", None), "names", None) == ["cl_image_format"]


def _initial(program: HostProgram, unit: Unit, init: c_ast.Node) -> _Given:
    """`{CL_RGBA, CL_FLOAT}`"""
    values = init.exprs if isinstance(init, c_ast.InitList) else []
    plain = len(values) == 2 and not any(isinstance(v, c_ast.NamedInitializer) for v in values)
    if not plain:
        return (None, unit.node_span(init))
    return (constant(values[1], program.enumerators), unit.node_span(values[1]))
