"""The C functions of a pattern: what the plan took for granted, and the launches made.

static int kfusion_pythagoras_fits(kfusion_run *run)
{
    const kfusion_noted *square = kfusion_step(run, 0);
    ...
    if (!kfusion_alike(square, add))
        return KFUSION_NO(run, "square and add are of two programs, or have two ranges");
    ...
    return 1;
}

static int kfusion_make_pythagoras(kfusion_run *run)
{
    ...
    if (!kfusion_pythagoras_fits(run))
        return 0;
    fused = kfusion_kernel(run, add, "square_add", 5);
    ...
    kfusion_pass(run, fused, 0, square, 1);
    kfusion_make(run, fused, add);
    kfusion_did(run, 2, (size_t)0, (size_t)1);
    return kfusion_made(run);
}
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from textwrap import wrap
from typing import NamedTuple

from kfusion.graph.model import (
    Argument,
    Assumption,
    AtLeast,
    AtMost,
    Below,
    Bound,
    Covers,
    Crowded,
    Disjoint,
    Equal,
    Group,
    InRows,
    Keeps,
    Marching,
    Memory,
    Number,
    Placement,
    Reaches,
    SameRange,
    Scalar,
    Shifted,
    Sized,
    Spans,
    UpTo,
    Within,
)
from kfusion.kernel.evaluate import image_of
from kfusion.kernel.forms import Value, part_called
from kfusion.kernel.model import Kernel, Parameter
from kfusion.kernel.types import INTEGERS
from kfusion.parse.unit import Function, Unit
from kfusion.regenerate.names import Words, literal_percent, quoted
from kfusion.regenerate.pattern import Form, Pattern
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import one_line
from kfusion.source.protections import is_on, protection
from kfusion.synthesis.model import FusedKernel, FusedParameter
from kfusion.synthesis.names import plus

GUARD_EQUAL = protection("guard-equal", "sizes and scalars are not compared at run time")
GUARD_REACH = protection("guard-reach", "items whose values are computed again were launched")
GUARD_RANGES = protection("guard-ranges", "ranges are not compared at run time")
GUARD_DISJOINT = protection("guard-disjoint", "buffers are not compared at run time")
GUARD_GROUPS = protection("guard-groups", "group sizes that no launch was expected to give")
GUARD_FORMATS = protection("guard-formats", "formats of images are not looked at")
GUARD_TYPES = protection("guard-types", "a number is compared in a type that its kernel lacks")
GUARD_PITCH = protection("guard-pitch", "rows are not compared with their pitch at run time")

_WIDTH = 96
_SIGNED = frozenset(("cl_int", "cl_short", "cl_char", "cl_long"))
_KEEPS = {"float4": "floats", "int4": "ints", "uint4": "uints"}


def making_text(pattern: Pattern) -> str:
    """The functions of all forms; what several of them ask is asked in one place."""
    forms = [(making_name(pattern, form), _Making(pattern, form)) for form in pattern.forms]
    for _, making in forms:
        making.collect()
    shared = [c for c in forms[0][1].conditions if all(c in m.conditions for _, m in forms)]
    fits = f"kfusion_{pattern.name}_fits"
    blocks = [forms[0][1].checking_text(fits, shared)]
    for name, making in forms:
        making.conditions = [c for c in making.conditions if c not in shared]
        text = making.making_text(name, fits)
        if making.form is pattern.less:
            dropped = ", ".join(making.memory(drop.memory) for drop in pattern.drops)
            text = "\n".join([*_comment(f"{dropped}: not stored."), text])
        blocks.append(text)
    return "\n\n".join(blocks)


def making_name(pattern: Pattern, form: Form) -> str:
    less = form is pattern.less and pattern.whole is not None
    rounds = f"_{form.rounds}_times" if pattern.loop is not None else ""
    return f"kfusion_make_{'less_of_' if less else ''}{pattern.name}{rounds}"


@dataclass(frozen=True)
class _Condition:
    """`if (text) return KFUSION_NO(why)`: written with what must not be."""

    text: str
    why: str
    values: tuple[str, ...]
    uses: tuple[tuple[str, object], ...]  # the variables: kind and key


class _Place(NamedTuple):
    """Where a number or a memory object is found: a launch, and which of its arguments."""

    launch: int
    position: int
    part: Value | None = None


class _Making:
    """Collects what one form asks and does, and the variables that it needs for that."""

    def __init__(self, pattern: Pattern, form: Form) -> None:
        self.pattern, self.form = pattern, form
        self.words = Words()
        self.conditions: list[_Condition] = []
        self._launches: dict[int, str] = {}
        self._memory: dict[str, str] = {}
        self._values: dict[_Place, str] = {}
        self._kernels: dict[Group, str] = {}
        self._widest: dict[Group, str] = {}
        self._tiles: dict[Group, str] = {}
        self._uses: dict[tuple[str, object], None] = {}
        for invocation in pattern.invocations:  # named in one way in all functions
            self._launches[invocation.index] = self.words.new(invocation.kernel.name)
        for memory in (m for i in pattern.invocations for m in i.memory):
            if memory.name not in self._memory:
                self._memory[memory.name] = self.words.new(memory.hint)

    def collect(self) -> None:
        for group in self.form.plan.groups:
            if group.fused:
                self._range_conditions(group)
                self._assumed_all(group)
        for group in self.form.plan.groups:
            if not group.fused:  # it may come before others, if their memory is apart
                self._assumed_all(group)
        if self.form is self.pattern.less:  # most of it is asked by the groups already
            self._apart_from_all([drop.memory for drop in self.pattern.drops])

    def checking_text(self, name: str, conditions: list[_Condition]) -> str:
        lines = [line for condition in conditions for line in _refusing(condition)]
        uses = dict.fromkeys(use for condition in conditions for use in condition.uses)
        return _function(name, self._declarations(uses), lines or ["(void)run;"], "return 1;")

    def making_text(self, name: str, fits: str) -> str:
        lines = [f"if (!{fits}(run))", "    return 0;"]
        lines += [line for condition in self.conditions for line in _refusing(condition)]
        self._uses = dict.fromkeys(use for c in self.conditions for use in c.uses)
        for group in self.form.plan.groups:
            if group.fused:
                lines += self._kernel(group)
        making = [line for group in self.form.plan.groups for line in self._make(group)]
        declared = self._declarations(self._uses)
        kernels = [f"cl_kernel {variable};" for variable in self._kernels.values()]
        kernels += [f"const kfusion_noted *{variable};" for variable in self._widest.values()]
        kernels += [_tiles(self.form.kernels[group], name) for group, name in self._tiles.items()]
        return _function(
            name, [*declared, *kernels], [*lines, *making], "return kfusion_made(run);"
        )

    # Names

    def launch(self, index: int) -> str:
        """The variable of a launch."""
        self._uses["launch", index] = None
        return self._launches[index]

    def named(self, name: str, type_: str = "", kind: type[Argument] = Scalar) -> _Place:
        """The first launch that gets memory or a scalar of this name, in the type if one does, and
        its position there."""
        part = part_called(name)
        if part is not None:
            index, position, _ = self.named(part.name, part.whole)
            return _Place(index, position, part)
        found = self._places(name, kind)
        return next(
            (place for place in found if self._parameter(place).canonical == type_), found[0]
        )

    def _places(self, name: str, kind: type[Argument] = Scalar) -> list[_Place]:
        return [
            _Place(invocation.index, position)
            for invocation in self.pattern.invocations
            for position, argument in enumerate(invocation.arguments)
            if argument.name == name and isinstance(argument, kind)
        ]

    def _parameter(self, place: _Place) -> Parameter:
        return self.pattern.invocations[place.launch].kernel.parameters[place.position]

    def _type(self, place: _Place) -> str:
        return place.part.type if place.part is not None else self._parameter(place).canonical

    def _word(self, place: _Place) -> str:
        """What a variable for the number may be called."""
        path = place.part.part if place.part is not None else ""
        return re.sub(r"\W+", "_", self._parameter(place).name + path).strip("_")

    def _types(self, *names: str) -> list[str]:
        """Those that kernels get all of the numbers in: one variable may be an `int` for one
        kernel and a `uint` for another one."""
        first, *others = (
            [part.type]
            if (part := part_called(name))
            else [self._parameter(place).canonical for place in self._places(name)]
            for name in names
        )
        common = [type_ for type_ in first if all(type_ in each for each in others)]
        return list(dict.fromkeys(common)) or [first[0]]

    def memory(self, name: str) -> str:
        """The variable of a memory object."""
        self._uses["memory", name] = None
        return self._memory[name]

    def value(self, name: str, type_: str = "") -> tuple[str, str]:
        """A whole number as a kernel gets it (in the type, if there is one), or the size of an
        image, and its type in C."""
        sized = image_of(name)
        if sized is not None:
            return f"kfusion_{sized[1]}({self.memory(sized[0])})", "size_t"
        place = self.named(name, type_ if is_on(GUARD_TYPES) else "")
        if place not in self._values:
            self._values[place] = self.words.new(self._word(place))
        self._uses["value", place] = None
        text, given = self._values[place], self._type(place)
        if type_ in ("", given) or not is_on(GUARD_TYPES):
            return text, f"cl_{given}"
        return f"(cl_{type_}){text}", f"cl_{type_}"  # an equal one, of another kernel

    def _declarations(self, uses: Iterable[tuple[str, object]]) -> list[str]:
        """Of all variables that are used; memory and values come from launches."""
        memory = [key for kind, key in uses if kind == "memory"]
        values = [key for kind, key in uses if kind == "value"]
        launches = {key for kind, key in uses if kind == "launch"}
        lines: list[str] = []
        for key in memory:
            assert isinstance(key, str)
            index, position, _ = self.named(key, kind=Memory)
            launches.add(index)
            launch = self._launches[index]
            lines.append(f"const cl_mem {self._memory[key]} = kfusion_mem({launch}, {position});")
        for key in values:
            assert isinstance(key, _Place)
            launches.add(key.launch)
            launch = self._launches[key.launch]
            type_ = f"cl_{self._type(key)}"
            read = f"KFUSION_VALUE({type_}, {launch}, {key.position})"
            if key.part is not None:
                read = f"KFUSION_PART({type_}, {launch}, {key.position}, {key.part.bytes})"
            lines.append(f"const {type_} {self._values[key]} = {read};")
        first = [
            f"const kfusion_noted *{variable} = kfusion_step(run, {index});"
            for index, variable in self._launches.items()
            if index in launches
        ]
        return [*first, *lines]

    # Conditions

    def require(self, unless: str, why: str, *values: str) -> None:
        """Ask that something does not hold. The variables that were named since the last condition
        are those of this one."""
        condition = _Condition(unless, why, values, tuple(self._uses))
        self._uses = {}
        if condition not in self.conditions:
            self.conditions.append(condition)

    def _assumed_all(self, group: Group) -> None:
        self._equal([a for a in group.assumptions if isinstance(a, Equal)])
        self._apart([(a.left, a.right) for a in group.assumptions if isinstance(a, Disjoint)])
        for assumption in group.assumptions:
            self._assumed(assumption)

    def _range_conditions(self, group: Group) -> None:
        """What the plan knows of the range of each member, it knows from a prediction."""
        for members in self._of_programs(group).values():
            self._one(members, "kfusion_one_program", "are of several programs")
        if not is_on(GUARD_RANGES):
            return
        placed = [a for a in group.assumptions if isinstance(a, Placement)]
        told = "{} has %u dimensions"
        for index in (self._leaders(group)[0], *(each.invocation for each in placed)):
            number = self.pattern.invocations[index].range.dimensions
            dimensions = f"(unsigned){self.launch(index)}->dimensions"
            self._refuse(index, f"!kfusion_in_dimensions({{}}, {number})", told, dimensions)
        for index in self._that_ask_for_dimensions(group):
            number = self.pattern.invocations[index].range.dimensions
            dimensions = f"(unsigned){self.launch(index)}->dimensions"
            self._refuse(index, f"{{}}->dimensions != {number}", told, dimensions)
        for each in placed:
            if isinstance(each, InRows):
                self._rows(each)
            else:
                self._shifted(each)
        same = [a.right for a in group.assumptions if isinstance(a, SameRange)]
        for leader in self._leaders(group):
            alike = (a for a in group.assumptions if isinstance(a, SameRange))
            members = [a.right for a in alike if a.left == leader]
            self._one([leader, *members], "kfusion_one_range", "have several ranges")
        self._covers([a for a in group.assumptions if isinstance(a, Covers)], group)
        for index in group.members:
            range_ = self.pattern.invocations[index].range
            if not range_.offset and index not in same:
                self._refuse(index, "!kfusion_no_offset({})", "{} has a global offset")
            if range_.uniform and _names(self.pattern.invocations[index].kernel, _GROUPS):
                text = "!kfusion_uniform_groups(run, {})"
                self._refuse(index, text, "the last group of {} may be smaller")
            if range_.one_group:
                self._refuse(index, "!kfusion_one_group({})", "{} has several groups")
            for d in range_.single:
                text = f"!{{0}}->has_local || {{0}}->local[{d}] != 1"
                self._refuse(index, text, f"the groups of {{}} have several items in dimension {d}")
        self._same_groups(group)

    def _that_ask_for_dimensions(self, group: Group) -> tuple[int, ...]:
        """All launches that a kernel is made of which knows in how many dimensions it runs."""
        kernels = (self.pattern.invocations[index].kernel for index in group.members)
        return tuple(group.members) if any(_names(k, _DIMENSIONS) for k in kernels) else ()

    def _rows(self, rows: InRows) -> None:
        """As many items as in all rows, and all that do something are there."""
        launch, frame = self.launch(rows.invocation), self.launch(rows.frame)
        bounds = [*rows.extents, *([rows.end] if rows.end is not None else [])]
        beyond = dict.fromkeys(map(self._goes_beyond, bounds))
        sides = list(map(self._end, rows.extents))
        dimensions = self.pattern.invocations[rows.frame].range.dimensions
        sides = sides or [f"{frame}->global[{d}]" for d in range(dimensions)]
        end, count = rows.end, f"{launch}->global[0]"
        if end is not None:
            count = self._end(end)
        told = f"the items of {launch} are not the rows of {frame}"
        self.require(" || ".join([*beyond, f"{count} != {' * '.join(sides)}"]), told)

    def _shifted(self, shifted: Shifted) -> None:
        """Those items do something that were taken for granted, and the frame has them."""
        for d, (by, extent) in enumerate(zip(shifted.by, shifted.extents, strict=True)):
            launch, frame = self.launch(shifted.invocation), self.launch(shifted.frame)
            value, _ = self.value(extent.scalar, extent.type)
            last, end = (f"(cl_long){value}{plus(each + extent.more)}" for each in (0, by))
            other = "!=" if extent.whole else ">"
            text = (
                f"{last} < 0 || (size_t)({last}) {other} {launch}->global[{d}]"
                f" || {end} < 0 || (size_t)({end}) > {frame}->global[{d}]"
            )
            self.require(text, f"the items of {launch} are not among those of {frame}")

    def _of_programs(self, group: Group) -> dict[Unit, list[int]]:
        """The launches by their programs, which come as in the text of all of them."""
        found: dict[Unit, list[int]] = {}
        of = self.pattern.invocations
        for index in sorted(group.members, key=lambda i: of[i].kernel.function.first):
            found.setdefault(of[index].kernel.program, []).append(index)
        return {program: sorted(members) for program, members in found.items()}

    @staticmethod
    def _leaders(group: Group) -> list[int]:
        """A launch of each range; the ranges of the others are compared with one of these."""
        others = {a.right for a in group.assumptions if isinstance(a, SameRange)}
        others |= {a.invocation for a in group.assumptions if isinstance(a, Placement)}
        return [index for index in group.members if index not in others]

    def _covers(self, assumptions: list[Covers], group: Group) -> None:
        """Ranges may differ, if each has all the items that do something."""
        leaders, bounds = self._leaders(group), [b for a in assumptions for b in a.bounds]
        if not assumptions:
            return

        launches = [self.launch(leader) for leader in leaders]
        beyond = " || ".join(dict.fromkeys(map(self._goes_beyond, bounds)))
        same = f"!kfusion_one_range({len(leaders)}, {', '.join(launches)})"
        told = f"{_listed(launches)} have several ranges, and one ends too early"
        self.require(f"{same} && ({beyond})", told)

    def _goes_beyond(self, bound: Bound) -> str:
        values = [self.value(*factor) for factor in bound.factors]
        asked = [value for value, type_ in values if type_ in _SIGNED or bound.least]
        less = "".join(f"{value} < {bound.least} || " for value in asked)
        launch, d = self.launch(bound.invocation), bound.dimension
        return f"{less}{self._end(bound)} > {launch}->global[{d}]"

    def _end(self, bound: Bound) -> str:
        type_ = "cl_ulong" if bound.times else "size_t"
        return " * ".join(f"({type_}){self.value(*factor)[0]}" for factor in bound.factors)

    def _refuse(self, index: int, text: str, why: str, *values: str) -> None:
        launch = self.launch(index)
        self.require(text.format(launch), why.format(launch), *values)

    def _one(self, members: Iterable[int], function: str, what: str) -> None:
        """The launches must have one of something."""
        members = list(dict.fromkeys(members))
        if len(members) > 1:
            launches = [self.launch(member) for member in members]
            text = f"!{function}({len(members)}, {', '.join(launches)})"
            self.require(text, f"{_listed(launches)} {what}")

    def _same_groups(self, group: Group) -> None:
        alike: dict[str, list[int]] = {}
        placed = {a.invocation for a in group.assumptions if isinstance(a, Placement)}
        members = [index for index in group.members if index not in placed]
        launches = [self.pattern.invocations[index] for index in members]
        if any(m.kernel.together is not None for m in launches) and is_on(GUARD_GROUPS):
            alike[""] = members  # items that wait for each other, in all stages
        for index in members if not alike else ():
            local = self.pattern.invocations[index].range.local
            if local is not None:
                alike.setdefault(local, []).append(index)
        for members in alike.values():
            self._one(members, "kfusion_one_group_size", "have groups of several sizes")

    def _assumed(self, assumption: Assumption) -> None:
        if isinstance(assumption, Within):
            self._within(assumption)
        elif isinstance(assumption, Below) and is_on(GUARD_RANGES):
            d, most = assumption.dimension, assumption.most
            text = f"{{0}}->offset[{d}] + {{0}}->global[{d}] > {most}"
            why = f"the ids of {{}} go beyond {_counted(most)} in dimension {d}"
            self._refuse(assumption.invocation, text, why)
        elif isinstance(assumption, Reaches):
            self._reaches(assumption)
        elif isinstance(assumption, Spans):
            self._spans(assumption)
        elif isinstance(assumption, Crowded) and is_on(GUARD_RANGES):
            d, most = assumption.dimension, assumption.most
            text = f"!{{0}}->has_local || {{0}}->local[{d}] > {most}"
            why = f"the groups of {{}} may have more than {_counted(most)} in dimension {d}"
            self._refuse(assumption.invocation, text, why)
        elif isinstance(assumption, Sized) and is_on(GUARD_GROUPS):
            d, size = assumption.dimension, assumption.size
            text = f"!{{0}}->has_local || {{0}}->local[{d}] != {size}"
            why = f"the groups of {{}} do not have {_counted(size)} in dimension {d}"
            self._refuse(assumption.invocation, text, why)
        elif isinstance(assumption, AtMost):
            self._at_most(assumption)
        elif isinstance(assumption, AtLeast):
            self._bound(assumption.scalar, assumption.type, "<", assumption.least, "less")
        elif isinstance(assumption, UpTo):
            self._bound(
                assumption.scalar, assumption.type, ">", assumption.most, "more", assumption.by
            )
        elif isinstance(assumption, Number):
            macro = quoted(assumption.macro)
            optional = int(assumption.optional)
            text = f"!kfusion_is_number(run, {{}}, {macro}, {optional})"
            why = f"the program of {{}} is not built with a number as {assumption.macro}"
            self._refuse(assumption.invocation, text, why)
        elif isinstance(assumption, Keeps) and is_on(GUARD_FORMATS):
            image, type_ = self.memory(assumption.memory), assumption.type
            told = f"the image {image} does not keep each {type_}"
            self.require(f"!kfusion_keeps_{_KEEPS[type_]}({image})", told)

    def _equal(self, assumptions: list[Equal]) -> None:
        """All that must equal one value in one condition."""
        others: dict[tuple[str, str], list[str]] = {}
        for assumption in assumptions if is_on(GUARD_EQUAL) else ():
            sides = (assumption.left, assumption.right)
            if any(map(image_of, sides)):
                others.setdefault((assumption.left, ""), []).append(assumption.right)
                continue
            if all(map(self._is_whole, sides)):
                for type_ in self._types(*sides):
                    others.setdefault((assumption.left, type_), []).append(assumption.right)
                continue
            (i, p, _), (j, q, _) = (self.named(side) for side in sides)
            told = f"{' and '.join(map(self._told, sides))} are not the same"
            self.require(f"!kfusion_same({self.launch(i)}, {p}, {self.launch(j)}, {q})", told)
        for (first, type_), equal in others.items():
            self._all_equal(first, equal, type_)

    def _all_equal(self, first: str, others: list[str], given: str) -> None:
        name, type_ = self.value(first, given)
        values = [self.value(other, given)[0] for other in others]
        form, cast = ("%lld", "long long") if type_ in _SIGNED else ("%llu", "unsigned long long")
        launches = _listed(self._owner(each) for each in (first, *others))
        told = f"{self._short(first)} of {launches}: {', '.join([form] * (1 + len(others)))}"
        text = " || ".join(f"{name} != {value}" for value in values)
        self.require(text, told, *(f"({cast}){value}" for value in (name, *values)))

    def _told(self, name: str) -> str:
        """A scalar as a message calls it: `n of square`."""
        sized = image_of(name)
        if sized is not None:
            return f"the {sized[1]} of {self._memory[sized[0]]}"
        return literal_percent(f"{self._short(name)} of {self._owner(name)}")

    def _short(self, name: str) -> str:
        sized = image_of(name)
        if sized is not None:
            return sized[1]
        place = self.named(name)
        return self._parameter(place).name + (place.part.part if place.part else "")

    def _owner(self, name: str) -> str:
        sized = image_of(name)
        return self._memory[sized[0]] if sized else self._launches[self.named(name)[0]]

    def _is_whole(self, name: str) -> bool:
        canonical = self._type(self.named(name))
        return canonical in INTEGERS and not canonical.endswith("_t") and canonical != "bool"

    def _within(self, assumption: Within) -> None:
        for given in self._types_of_size(assumption.scalar):
            launch, d = self.launch(assumption.invocation), assumption.dimension
            value, type_ = self.value(assumption.scalar, given)
            negative = f"{value} < 0 || " if type_ in _SIGNED else ""
            text = f"{negative}{launch}->offset[{d}] + {launch}->global[{d}] > (size_t){value}"
            self.require(text, f"the ids of {launch} go beyond {self._told(assumption.scalar)}")

    def _reaches(self, reaches: Reaches) -> None:
        """What is computed again is what an item of the launch has computed."""
        if not is_on(GUARD_REACH):
            return
        launch, d, end, large = self.launch(reaches.invocation), reaches.dimension, "", ""
        if reaches.scalar:
            value, type_ = self.value(reaches.scalar, reaches.type)
            end, large = f"(cl_long){value}", f"{value} > CL_INT_MAX || "
            large = large if type_ in ("cl_ulong", "cl_long") else ""
        end = f"{end}{plus(reaches.more)}" if end else str(reaches.more)
        text = f"{large}{end} > (cl_long){launch}->global[{d}]"
        self.require(text, f"{launch} has too few items in dimension {d}")

    def _types_of_size(self, scalar: str) -> list[str]:
        if not is_on(GUARD_EQUAL):
            return []
        return [""] if image_of(scalar) is not None else self._types(scalar)

    def _spans(self, assumption: Spans) -> None:
        for given in self._types_of_size(assumption.scalar):
            launch, d = self.launch(assumption.invocation), assumption.dimension
            value, _ = self.value(assumption.scalar, given)
            told = f"the global size of {launch} is not {self._told(assumption.scalar)}"
            self.require(f"{launch}->global[{d}] != (size_t){value}", told)

    def _at_most(self, assumption: AtMost) -> None:
        if not is_on(GUARD_PITCH):
            return
        (left, type_), (right, _) = (
            self.value(name, assumption.type) for name in (assumption.left, assumption.right)
        )
        told = " is more than ".join(map(self._told, (assumption.left, assumption.right)))
        text = f"{left} > {right}"
        if assumption.times != 1:
            text, told = f"{text} / {assumption.times}", f"{assumption.times} times {told}"
            if type_ in _SIGNED:  # a negative one, so many times, has no end below
                text += f" || {right} < 0"
        self.require(text, told)

    def _bound(self, scalar: str, type_: str, sign: str, end: int, word: str, by: str = "") -> None:
        names = [scalar, by] if by else [scalar]
        if is_on(GUARD_PITCH):
            told = f"{' * '.join(map(self._told, names))} is {word} than {end}"
            self.require(f"{self._times(scalar, by, type_)} {sign} {end}", told)

    def _times(self, scalar: str, by: str, given: str) -> str:
        value, type_ = self.value(scalar, given)
        wide = "cl_long" if type_ in _SIGNED - {"cl_long"} else "cl_ulong"  # which has an end
        return f"({wide}){value} * {self.value(by, given)[0]}" if by else value

    def _apart(self, pairs: list[tuple[str, str]]) -> None:
        """One call where each of some objects must be apart from all the others."""
        if not pairs or not is_on(GUARD_DISJOINT):
            return
        wanted = {frozenset(pair) for pair in pairs}
        names = list(dict.fromkeys(name for pair in pairs for name in pair))
        full = [n for n in names if all(frozenset((n, m)) in wanted for m in names if m != n)]
        others = [n for n in names if n not in full]
        covered = {frozenset((n, m)) for n in full for m in names if m != n}
        if full:
            self._all_apart(full, others)
        for pair in sorted(map(sorted, wanted - covered)):
            self._all_apart(pair[:1], pair[1:])

    def _all_apart(self, names: list[str], others: list[str]) -> None:
        listed = ", ".join(self.memory(n) for n in (*names, *others))
        counts = f"{len(names)}, {len(names) + len(others)}"
        self.require(f"!kfusion_all_apart({counts}, {listed})", f"two of {listed} share memory")

    def _apart_from_all(self, names: list[str]) -> None:
        """What is not stored is no other object, not in part either."""
        known = sorted({m.name for i in self.pattern.invocations for m in i.memory})
        done: set[frozenset[str]] = set()
        for group in self.form.plan.groups:
            pairs = (a for a in group.assumptions if isinstance(a, Disjoint))
            done |= {frozenset((a.left, a.right)) for a in pairs}
        wanted = {
            frozenset((name, other)) for name in names for other in known if other != name
        } - done
        self._apart([(min(pair), max(pair)) for pair in sorted(map(sorted, wanted))])

    # Making

    def _kernel(self, group: Group) -> list[str]:
        kernel = self.form.kernels[group]
        variable = self._kernels[group] = self.words.new("fused")
        count = len(kernel.parameters) + (kernel.elements > 1)
        function, tiles = "kfusion_kernel", ""
        if kernel.tiles is not None:
            count += len(kernel.tiles.items)
            self._tiles[group] = self.words.new("tiles")
            function, tiles = "kfusion_tiles_kernel", f", &{self._tiles[group]}"
        launch = self._ranged(group)
        condition = _Condition(
            f"{variable} == NULL", f"{kernel.name} is not there, or cannot run like this", (), ()
        )
        leaders = self._leaders(group)
        widest: list[str] = []
        if len(leaders) > 1:
            launch = self._widest[group] = self.words.new("widest")
            launches = ", ".join(map(self.launch, leaders))
            none = _Condition(f"{launch} == NULL", "no range covers the others", (), ())
            widest = [
                f"{launch} = kfusion_widest({len(leaders)}, {launches});",
                *_refusing(none),
            ]
        programs = self._of_programs(group).values()
        if len(programs) > 1:
            firsts = ", ".join(self.launch(members[0]) for members in programs)
            widest.append(f"kfusion_join(run, {len(programs)}, {firsts});")
        return [
            *widest,
            f"{variable} = {function}(run, {launch}, {quoted(kernel.name)}, {count}{tiles});",
            *_refusing(condition),
        ]

    def _ranged(self, group: Group) -> str:
        """The launch whose range and groups the fused one has."""
        if group in self._widest:
            return self._widest[group]
        placed = {a.invocation for a in group.assumptions if isinstance(a, Placement)}
        members = [index for index in group.members if index not in placed]
        given = [i for i in members if self.pattern.invocations[i].range.local is not None]
        return self.launch((given or members)[-1])

    def _make(self, group: Group) -> list[str]:
        if not group.fused:
            return ["", f"kfusion_as_written(run, {group.members[0]});"]
        kernel, variable = self.form.kernels[group], self._kernels[group]
        labels = ", ".join(one_line(self.pattern.invocations[i].label) for i in group.members)
        lines = ["", *_comment(labels)]
        for number, parameter in enumerate(kernel.parameters):
            index, position, _ = self._source(parameter)
            launch = self.launch(index)
            lines.append(f"kfusion_pass(run, {variable}, {number}, {launch}, {position});")
        make, items = "kfusion_make", ""
        if kernel.elements > 1:
            make, items = "kfusion_make_fewer", f", {kernel.elements}"
        if group in self._tiles:
            make, items = "kfusion_make_tiles", f", &{self._tiles[group]}"
        lines.append(f"{make}(run, {variable}, {self._ranged(group)}{items});")
        steps = ", ".join(f"(size_t){index}" for index in group.members)
        return [*lines, f"kfusion_did(run, {len(group.members)}, {steps});"]

    def _source(self, parameter: FusedParameter) -> _Place:
        found = self._places(parameter.argument.name, type(parameter.argument))
        words = parameter.text.removesuffix(parameter.name).split()
        type_ = " ".join(w for w in words if w != "const")
        return next((each for each in found if self._parameter(each).type == type_), found[0])


def _tiles(kernel: FusedKernel, name: str) -> str:
    assert kernel.tiles is not None
    items, local = (
        ", ".join(map(str, (*sizes, 1, 1)[:3]))
        for sizes in (kernel.tiles.items, kernel.tiles.local)
    )
    parts = [f"{len(kernel.tiles.items)}", f"{{{items}}}", f"{{{local}}}"]
    if isinstance(kernel.tiles, Marching):
        frame = ", ".join(map(str, kernel.tiles.frame[:2]))
        parts += [f"{kernel.tiles.least}", f"{kernel.tiles.groups}", f"{{{frame}}}"]
    else:
        parts += ["0", "0", "{0}"]
    return f"static const kfusion_tiles {name} = {{{', '.join(parts)}}};"


_GROUPS = re.compile(
    r"get_(group_id|local_\w+|num_groups|enqueued_local_size)|\w*barrier|async_\w+"
)
_DIMENSIONS = re.compile("get_work_dim")


def _names(kernel: Kernel, words: re.Pattern[str]) -> bool:
    """Do they stand in the kernel, or in a function of its file that it might call?"""
    return _names_in(kernel.unit, kernel.function, words) or _helpers_name(kernel.unit, words)


@lru_cache(maxsize=8)
def _helpers_name(unit: Unit, words: re.Pattern[str]) -> bool:
    helpers = (f for f in unit.functions.values() if not unit.is_kernel(f))
    return any(_names_in(unit, helper, words) for helper in helpers)


def _names_in(unit: Unit, function: Function, words: re.Pattern[str]) -> bool:
    indices = range(function.body.first, function.body.last)
    return any(words.fullmatch(unit.tokens[index].text) for index in indices)


def _comment(text: str) -> list[str]:
    text = text.replace("*/", "* /").replace("/*", "/ *")
    if len(text) + 10 <= _WIDTH:
        return [f"/* {text} */"]
    lines = wrap(
        text,
        _WIDTH - 4,
        initial_indent=" * ",
        subsequent_indent=" * ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return ["/*", *lines, " */"]


def _refusing(condition: _Condition) -> list[str]:
    arguments = [quoted(condition.why), *condition.values]
    lines = _wrapped_condition(condition.text)
    call = "    return KFUSION_NO(run, "
    pad = " " * len("    return KFUSION_NO(")
    for number, argument in enumerate(arguments):
        part = argument + (", " if number < len(arguments) - 1 else ");")
        if len(call) + len(part) > _WIDTH and call.strip() and number:
            lines.append(call.rstrip())
            call = pad
        call += part
    return [*lines, call]


def _wrapped_condition(text: str) -> list[str]:
    if len(text) + 9 <= _WIDTH:
        return [f"if ({text})"]
    if " && (" in text:
        first, rest = text.split(" && (", 1)
        inner, *others = rest.split(" || ")
        lines = [f"if ({first}", f"    && ({inner}", *(f"        || {other}" for other in others)]
        return [*lines[:-1], lines[-1] + ")"]
    if " || " in text:
        first, *others = text.split(" || ")
        lines = [f"if ({first}", *(f"    || {other}" for other in others)]
        return [*lines[:-1], lines[-1] + ")"]
    pad = " " * (4 + text.index("(") + 1)
    return wrap(f"if ({text})", _WIDTH - 4, subsequent_indent=pad, break_long_words=False)


def _counted(items: int) -> str:
    return "one item" if items == 1 else f"{items} items"


def _listed(words: Iterable[str]) -> str:
    """`f and g`; of more the first and the last."""
    first, *others = words
    if len(others) < 2:
        return " and ".join([first, *others])
    return f"{first} to {others[-1]}"


def _function(name: str, declared: list[str], lines: list[str], end: str) -> str:
    body = [*declared, *([""] if declared else []), *lines, end]
    text = [f"    {line}" if line else "" for line in body]
    return "\n".join([f"static int {name}(kfusion_run *run)", "{", *text, "}"])
