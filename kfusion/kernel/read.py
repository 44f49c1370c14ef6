"""Kernels from a parsed `.cl` file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

from pycparser import c_ast

from kfusion.kernel.arithmetic import Typed
from kfusion.kernel.body import nodes_of, split_body
from kfusion.kernel.conditions import Conditions
from kfusion.kernel.constants import constants_of
from kfusion.kernel.effects import effect_of, is_acting
from kfusion.kernel.evaluate import Environment, Pointer, TooLongError, vector_parameter
from kfusion.kernel.forms import Form, Value, form_of
from kfusion.kernel.helpers import Helpers
from kfusion.kernel.images import COORDINATES, samplers_of
from kfusion.kernel.members import Member, keeps_members
from kfusion.kernel.model import (
    Access,
    Body,
    Declaration,
    Feature,
    FeatureUse,
    Kernel,
    Mode,
    Parameter,
)
from kfusion.kernel.opened import open_names
from kfusion.kernel.parameters import read_parameters
from kfusion.kernel.pins import find_pins, written_out
from kfusion.kernel.scopes import Scopes, find_scopes
from kfusion.kernel.sections import check_sections
from kfusion.kernel.settled import types_are_settled
from kfusion.kernel.strides import mixes_ids
from kfusion.kernel.surroundings import (
    called_twice,
    macros_of,
    placed_pragmas,
    pragmas_of,
    redefined,
    required_size,
    unknown_attribute,
    words,
)
from kfusion.kernel.tables import Values, tables_of
from kfusion.kernel.types import canonical, is_integer, members_of, resolved
from kfusion.kernel.walk import Walker
from kfusion.parse.compiler import STDIN
from kfusion.parse.unit import Function, Unit, argument_of, called_name
from kfusion.source.protections import is_on, protection

_OF_DIMENSIONS = (
    *("get_global_", "get_local_", "get_group_", "get_num_"),
    *("get_enqueued_", "get_work_dim", "get_sub_group"),  # of no certain dimension
)

MIXED_IDS = protection("mixed-ids", "an item's own elements have more than one iteration")


class Declared(NamedTuple):
    """What names of the file stand for."""

    samplers: dict[str, str]
    constants: dict[str, Typed]
    tables: dict[str, Values]


PATIENCE = 10.0  # seconds for one kernel: most take a few milliseconds


def read_kernels(unit: Unit, patience: float = PATIENCE) -> dict[str, Kernel]:
    """All kernels that the file defines, by name."""
    helpers = Helpers(unit)
    conditions = Conditions(unit), Conditions(unit, pins_types=True)
    constants = constants_of(unit, conditions[0])
    tables = tables_of(unit, conditions[0], constants)
    declared = Declared(samplers_of(unit, conditions[0]), constants, tables)
    return {
        name: _read_in_time(unit, function, helpers, conditions, declared, patience)
        for name, function in unit.functions.items()
        if unit.is_kernel(function) and unit.in_main_file(function.node.decl)
    }


def _read_in_time(
    unit: Unit,
    function: Function,
    helpers: Helpers,
    conditions: tuple[Conditions, Conditions],
    declared: Declared,
    patience: float,
) -> Kernel:
    """With types left open if they do not matter, else with types that are pinned."""
    given = unit, function, helpers
    try:
        kernel = _read(*given, conditions[0], declared, monotonic() + patience)
        if not _has_unknown(kernel) or conditions[0].uncertain == conditions[1].uncertain:
            return kernel
        pinned = _read(*given, conditions[1], declared, monotonic() + patience)
        return kernel if _has_unknown(pinned) else pinned
    except TooLongError:
        return _unread(unit, function)


def _of_member(unit: Unit, function: Function, access: Access) -> Access:
    """The members of one structure lie apart, but for those of a union without a name."""
    if not access.member:
        return access
    types = [p.type.type for p in function.parameters if p.name == access.parameter]
    named = [m.name for type_ in types for m in members_of(unit, type_)]
    apart = access.member in named and not (access.seen_as or access.unit)
    return access if apart else replace(access, member="")


def _has_unknown(kernel: Kernel) -> bool:
    return any(access.form is None and not access.atomic for access in kernel.accesses)


def _unread(unit: Unit, function: Function) -> Kernel:
    """A kernel that may do anything with what it is given."""
    parameters = read_parameters(unit, function)
    index, span = unit.index(function.node.decl), unit.node_span(function.node.decl)
    tokens = f"{function.body.last - function.body.first} tokens"
    anywhere = Access(
        "", Mode.UPDATE, None, "size_t", (), True, True, False, -1, index, index, span
    )
    names = [p.name for p in parameters if p.is_buffer or p.image is not None]
    return Kernel(
        name=function.name,
        unit=unit,
        function=function,
        parameters=parameters,
        accesses=tuple(replace(anywhere, parameter=name, anywhere=True) for name in names),
        features=(FeatureUse(Feature.TOO_LONG, tokens, span), *_parameter_features(parameters, ())),
        body=Body((), ()),
        required_size=required_size(unit, function),
        pragmas=pragmas_of(unit, function),
        dimensions=_dimensions(function),
    )


def _read(
    unit: Unit,
    function: Function,
    helpers: Helpers,
    conditions: Conditions,
    declared: Declared,
    until: float,
    *,
    strides: bool = True,
) -> Kernel:
    parameters = read_parameters(unit, function)
    scopes = find_scopes(unit, function)
    env = Environment(unit, scopes.uses, conditions.certain, until=until)
    env.samplers.update(declared.samplers)
    env.constants = declared.constants
    env.tables.update(declared.tables)
    _bind_parameters(env, scopes, parameters)
    _bind_structures(env, scopes, function, conditions)
    body = split_body(env, scopes, function, strides=strides)
    _bind_parameters(env, scopes, parameters)  # to what they are at the beginning
    walker = Walker(env, scopes, function, body, helpers)
    walker.walk()
    if body.stride is not None and not _is_its_own_item(walker, body.stride):
        return _read(unit, function, helpers, conditions, declared, until, strides=False)
    accesses = tuple(_of_member(unit, function, each) for each in walker.accesses)
    nodes = nodes_of(env, function, body.statements)
    placed = [*zip(body.statements, nodes, strict=True)]
    changed = _changed_parameters(scopes, parameters)
    together, apart = walker.together.result(body, parameters)
    features = (
        *_parameter_features(parameters, walker.accesses),
        *apart,
        *_changed_in_macros(unit, scopes, changed),
        *walker.features,
        *_foreign_text(unit, function),
        *_attributes(unit, function),
    )
    check_sections(unit, function, parameters, accesses, features)
    helped = sorted(helpers.reached(function.name) - {function.name})
    reached = [helper for name in helped for helper in unit.definitions[name]]
    pins = find_pins(conditions, [function, *reached])
    names = [token.text for token in words(unit, function)]
    return Kernel(
        name=function.name,
        unit=unit,
        function=function,
        parameters=parameters,
        accesses=accesses,
        features=features,
        body=replace(
            body,
            effects=tuple(effect_of(env, s, here, accesses) for s, here in placed),
            leaves=tuple(walker.leaves),
            acting=frozenset(s.first for s, here in placed if is_acting(env, here)),
        ),
        symbols=scopes.uses,
        fixed=frozenset(s for s in scopes.writes if scopes.assigned_once(s)),
        changed=frozenset(p.name for p in changed),
        settled=scopes.settled,
        addressed=frozenset(scopes.address_taken),
        required_size=required_size(unit, function),
        pragmas=pragmas_of(unit, function),
        macros=macros_of(unit, names),
        unstable=(
            *redefined(unit, function),
            *placed_pragmas(unit, function),
            *called_twice(unit, function),
            *pins.trouble,
            *written_out(conditions, function, scopes.uses),
        ),
        pins=pins.conditions,
        sure=not pins.trouble,
        open_macros=pins.left_open,
        open_names=open_names(unit, [function, *reached]),
        numbers=pins.numbers,
        together=together,
        local_ids=walker.local_ids,
        dimensions=max(_dimensions(f) for f in (function, *reached)),
    )


def _is_its_own_item(walker: Walker, stride: Declaration) -> bool:
    """May each iteration of the loop be looked at as an item?"""
    joined = walker.together.arrays or walker.together.calls or walker.local_ids is not None
    return not joined and not (is_on(MIXED_IDS) and mixes_ids(walker.accesses, stride))


def _bind_structures(
    env: Environment, scopes: Scopes, function: Function, conditions: Conditions
) -> None:
    """Parameters that are structures, and stay as they are."""
    kept = keeps_members(env.unit, scopes, function)
    declared = scopes.parameters
    for node in function.listed:
        if node.name in kept and members_of(env.unit, node.type):
            whole = canonical(env.unit, resolved(env.unit, node.type))
            settled = types_are_settled(conditions, function.first, function.body.first)
            place = 0 if settled else -1
            env.structures[declared[node.name]] = Member(node.name, "", node.type, whole, place)


def _bind_parameters(env: Environment, scopes: Scopes, parameters: tuple[Parameter, ...]) -> None:
    declared = scopes.parameters
    for parameter in parameters:
        symbol = declared[parameter.name]
        if parameter.is_buffer:
            offset = None if symbol in scopes.address_taken else Form()
            type_ = parameter.canonical
            env.pointers[symbol] = Pointer(parameter.name, offset, type_, type_)
        elif parameter.image is not None:
            env.images[symbol] = parameter.name
            env.ranks[parameter.name] = COORDINATES.get(parameter.canonical, 0)
        elif parameter.is_scalar and is_integer(parameter.canonical):
            known = symbol not in scopes.address_taken
            value = form_of(Value(parameter.name, parameter.canonical)) if known else None
            env.bind(symbol, Typed(value, parameter.canonical))
        elif parameter.is_scalar and symbol not in scopes.address_taken:
            env.bind(symbol, vector_parameter(parameter.name, parameter.canonical))


def _parameter_features(
    parameters: tuple[Parameter, ...], accesses: Sequence[Access]
) -> list[FeatureUse]:
    found: list[FeatureUse] = []
    others = {access.parameter for access in accesses if not access.atomic}
    for parameter in parameters:
        if parameter.image is not None and not parameter.is_followed_image:
            found.append(FeatureUse(Feature.IMAGE, parameter.name, parameter.span))
        elif parameter.hidden:
            found.append(FeatureUse(Feature.HIDDEN_POINTER, parameter.name, parameter.span))
        elif parameter.nested:
            found.append(FeatureUse(Feature.NESTED, parameter.name, parameter.span))
        elif parameter.pointer and not parameter.is_buffer and parameter.space != "local":
            found.append(FeatureUse(Feature.NO_SPACE, parameter.name, parameter.span))
        if parameter.volatile and parameter.is_buffer and parameter.name in others:
            found.append(FeatureUse(Feature.VOLATILE, parameter.name, parameter.span))
    return found


def _changed_parameters(scopes: Scopes, parameters: tuple[Parameter, ...]) -> list[Parameter]:
    """Those that the kernel assigns: the other stages need the original ones."""
    declared = scopes.parameters
    return [p for p in parameters if not scopes.assigned_once(declared[p.name])]


def _changed_in_macros(unit: Unit, scopes: Scopes, changed: list[Parameter]) -> list[FeatureUse]:
    """What a macro calls by its name cannot get another one, for a variable of the stage."""
    inside = {s.name for t, s in scopes.uses.items() if s.parameter and unit.tokens[t].macro}
    return [
        FeatureUse(
            Feature.POINTER_ARITHMETIC if p.pointer else Feature.ASSIGNED_PARAMETER, p.name, p.span
        )
        for p in changed
        if p.name in inside or p.image is not None or p.canonical == "sampler_t"
    ]


def _attributes(unit: Unit, function: Function) -> list[FeatureUse]:
    name, span = unknown_attribute(unit, function), unit.node_span(function.node.decl)
    return [FeatureUse(Feature.ATTRIBUTE, name, span)] if name is not None else []


def _foreign_text(unit: Unit, function: Function) -> list[FeatureUse]:
    """Text that cannot be copied: included, or of unknown place."""
    for token in unit.tokens[function.body.first : function.body.last]:
        if token.file != STDIN or (token.start < 0 and token.macro is None):
            span = unit.source.line_span(token.line if token.file == STDIN else 1)
            return [FeatureUse(Feature.CONTROL_FLOW, "text from another place", span)]
    return []


def _dimensions(function: Function) -> int:
    """The highest dimension that a work-item function is asked for, plus one."""
    highest = 0
    for call in function.nodes.get(c_ast.FuncCall, ()):
        if called_name(call).startswith(_OF_DIMENSIONS):
            which = argument_of(call, 0)
            value = which.value if isinstance(which, c_ast.Constant) else ""
            highest = max(highest, int(value) if value.isdigit() else 2)
    return highest + 1
