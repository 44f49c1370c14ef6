"""Names that a file gives to integers: `enum { REACH = 2 };`, `constant int BINS = 16;`.

In: the declarations of a file. Out: the integers, of the names that have the same in all builds.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.arithmetic import Typed, binary, convert
from kfusion.kernel.conditions import Conditions
from kfusion.kernel.evaluate import Environment, evaluate
from kfusion.kernel.forms import number
from kfusion.kernel.settled import is_settled
from kfusion.kernel.types import canonical, is_integer
from kfusion.parse.unit import Unit

_INT = range(-(1 << 31), 1 << 31)


def constants_of(unit: Unit, conditions: Conditions) -> dict[str, Typed]:
    env = Environment(unit, {}, conditions.certain)
    for node in unit.ast.ext:
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.TypeDecl):
            _declare(env, conditions, node)
        listed = _enumeration(node)
        if listed is not None and is_settled(conditions, unit.index(listed)):
            _enumerate(env, listed)
    return env.constants


def _declare(env: Environment, conditions: Conditions, node: c_ast.Decl) -> None:
    """`constant int BINS = 16;`: nothing can change it."""
    unit, type_ = env.unit, canonical(env.unit, node.type)
    if not node.name or node.init is None or not is_integer(type_):
        return
    index = unit.name_index(node)
    notes = unit.notes_between(unit.declaration_start(index), index)
    if any(note.text == "constant" for note in notes) and is_settled(conditions, index):
        _give(env, node.name, convert(evaluate(env, node.init), type_))


def _enumeration(node: c_ast.Node) -> c_ast.Enum | None:
    """`enum { A };`, `enum Kind { A } kind;`, `typedef enum { A } Kind;`"""
    while not isinstance(node, c_ast.Enum) and isinstance(getattr(node, "type", None), c_ast.Node):
        node = node.type
    return node if isinstance(node, c_ast.Enum) and node.values is not None else None


def _enumerate(env: Environment, node: c_ast.Enum) -> None:
    before = Typed(number(-1), "int")
    for each in node.values.enumerators:
        next_one = binary(before, "+", Typed(number(1), "int"))
        before = next_one if each.value is None else evaluate(env, each.value)
        if before.form is not None and before.form.is_constant and before.form.constant in _INT:
            before = Typed(before.form, "int")  # whatever the type of the expression is
        _give(env, each.name, before)


def _give(env: Environment, name: str, value: Typed) -> None:
    known = value.form is not None and value.form.is_constant and value.form.constant in _INT
    if known and name not in env.unit.macros.history:
        env.constants[name] = value
        env.found.clear()
