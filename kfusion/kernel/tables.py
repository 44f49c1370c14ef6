"""Arrays of integers that nothing changes: `constant int dx[4] = {-1, 1, 0, 0};`

In: the declaration of an array, with the list of its values. Out: the values; an element `dx[k]`
is one of them, by what `k` is (`evaluate.py`).
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.arithmetic import Typed, convert
from kfusion.kernel.conditions import Conditions
from kfusion.kernel.evaluate import Environment, evaluate
from kfusion.kernel.forms import Form
from kfusion.kernel.settled import is_settled
from kfusion.kernel.types import canonical, is_integer, qualifiers, resolved, vector_of
from kfusion.parse.unit import Unit
from kfusion.source.protections import is_on, protection

UNCHANGED = protection("unchanged", "numbers of an array are those of its declaration")

MOST_VALUES = 64

Values = tuple[Typed, ...]


def values_of(env: Environment, node: c_ast.Decl, space: str, *, changed: bool) -> Values:
    """What the elements are, if the array has been given all; none: that is not known."""
    array, values = resolved(env.unit, node.type), node.init
    if not isinstance(array, c_ast.ArrayDecl) or not isinstance(values, c_ast.InitList):
        return ()
    stays = space == "constant" or "const" in qualifiers(env.unit, array.type) or not changed
    type_, listed = canonical(env.unit, array.type), values.exprs
    count = _count(env, array.dim, len(listed))
    if not (stays or not is_on(UNCHANGED)) or not len(listed) <= count <= MOST_VALUES:
        return ()
    found = [_value(env, each, type_) for each in listed]
    rest = [_zero(type_)] * (count - len(found))
    return (*found, *rest) if all(map(_is_known, found)) else ()


def _count(env: Environment, size: c_ast.Node | None, given: int) -> int:
    if size is None:
        return given
    form = evaluate(env, size).form
    return form.constant if form is not None and form.is_constant else 0


def _value(env: Environment, node: c_ast.Node, type_: str) -> Typed:
    if isinstance(node, c_ast.NamedInitializer):
        return Typed(None, "")
    vector = vector_of(type_)
    if vector is not None:
        value, (base, count) = evaluate(env, node), vector
        if value.form is not None:  # all lanes have it
            return Typed(None, "", (convert(value, base),) * count)
        return value if len(value.parts) == count else Typed(None, "")
    return convert(evaluate(env, node), type_) if is_integer(type_) else Typed(None, "")


def _zero(type_: str) -> Typed:
    base, count = vector_of(type_) or (type_, 0)
    zero = Typed(Form(), base)
    return Typed(None, "", (zero,) * count) if count else zero


def _is_known(value: Typed) -> bool:
    return value.form is not None or (bool(value.parts) and all(map(_is_known, value.parts)))


def tables_of(unit: Unit, conditions: Conditions, constants: dict[str, Typed]) -> dict[str, Values]:
    """Of the arrays that the file declares, those that no other build declares otherwise."""
    env = Environment(unit, {}, conditions.certain, constants=constants)
    found: dict[str, Values] = {}
    for node in unit.ast.ext:
        if not isinstance(node, c_ast.Decl) or not isinstance(node.type, c_ast.ArrayDecl):
            continue
        index = unit.name_index(node)
        spaces = unit.notes_between(unit.declaration_start(index), index)
        constant = any(note.text == "constant" for note in spaces)
        known = node.name not in found and is_settled(conditions, index)
        space = "constant" if constant else "global"
        found[node.name] = values_of(env, node, space, changed=True) if known else ()
    return found
