"""May these invocations be one kernel? Legality only: whether it pays is asked elsewhere.

Each check returns a Reason that names the two places, or nothing. What a fusion takes
for granted is collected as assumptions, for the host to prove or to check at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cache, lru_cache
from itertools import combinations, islice, product

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import Assumed, Ceiling, Crowd, Floor, Limit, Need, Order, Proof
from kfusion.graph.missing import missing, unequal
from kfusion.graph.model import (
    Assumption,
    AtLeast,
    AtMost,
    Below,
    Crowded,
    Disjoint,
    Invocation,
    LaunchRange,
    Memory,
    Number,
    Oracle,
    Reaches,
    SameRange,
    Scalar,
    Sized,
    Spans,
    UpTo,
    Within,
)
from kfusion.graph.narrow import without_conversions, without_cut_sums
from kfusion.graph.ownership import Dependence, depend
from kfusion.graph.points import Point, Source, source_of
from kfusion.graph.ranges import covering
from kfusion.graph.strides import counts_once
from kfusion.graph.unify import Equalities
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_SIZE,
    ITEM_IDS,
    Atom,
    Form,
    Id,
    LoopVariable,
    Value,
    form_of,
    number,
    of_items,
)
from kfusion.kernel.images import SAMPLERS
from kfusion.kernel.model import Feature, FeatureUse, Kernel, Mode, Parameter
from kfusion.kernel.surroundings import pragmas_at
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection

SYNCHRONISATION = protection(
    "synchronisation", "no barriers, local memory or group functions that are not followed"
)
MEMBERS = protection("members", "two accesses to one member may be those of different items")
POINTERS = protection("pointers", "no atomics, volatile memory or pointers that escape")
IMAGES = protection("images", "no images or samplers")
PRINTF = protection("printf", "no printf")
CONTROL_FLOW = protection("control-flow", "no control flow that cannot be moved")
UNREAD = protection("unread", "no kernels that take too long to read")
UNKNOWN_CALLS = protection("unknown-calls", "no functions that are not known")
ONE_PROGRAM = protection("one-program", "all kernels are in one file")
REQUIRED_SIZES = protection("required-sizes", "the same required work-group size")
PRAGMAS = protection("pragmas", "the same FP_CONTRACT and extensions, also at the file's end")
OPEN_NAMES = protection("open-names", "names that build options give are plain numbers")
MACROS = protection("macros", "macros mean the same where the fused kernel stands")
SAME_RANGES = protection("same-ranges", "the launches have the same range")
LOCAL_SIZES = protection("local-sizes", "the same local size where it matters")
ONE_TYPE = protection("one-type", "a buffer has one element type")
OWN_ELEMENTS = protection("own-elements", "no work-item needs an element that another writes")

_FEATURES: dict[Feature, tuple[str, str]] = {
    Feature.LOCAL_MEMORY: (SYNCHRONISATION, "KF204"),
    Feature.BARRIER: (SYNCHRONISATION, "KF204"),
    Feature.ASYNC_COPY: (SYNCHRONISATION, "KF204"),
    Feature.WORK_GROUP: (SYNCHRONISATION, "KF204"),
    Feature.ATOMIC: (POINTERS, "KF205"),
    Feature.VOLATILE: (POINTERS, "KF205"),
    Feature.ESCAPE: (POINTERS, "KF205"),
    Feature.NO_SPACE: (POINTERS, "KF205"),
    Feature.HIDDEN_POINTER: (POINTERS, "KF205"),
    Feature.NESTED: (POINTERS, "KF205"),
    Feature.POINTER_ARITHMETIC: (POINTERS, "KF205"),
    Feature.VECTOR_ACCESS: (POINTERS, "KF205"),
    Feature.IMAGE: (IMAGES, "KF206"),
    Feature.PRINTF: (PRINTF, "KF222"),
    Feature.ATTRIBUTE: (REQUIRED_SIZES, "KF221"),
    Feature.ASSIGNED_PARAMETER: (CONTROL_FLOW, "KF219"),
    Feature.CONTROL_FLOW: (CONTROL_FLOW, "KF219"),
    Feature.UNKNOWN_CALL: (UNKNOWN_CALLS, "KF217"),
    Feature.UNKNOWN_NAME: (UNKNOWN_CALLS, "KF244"),
    Feature.TOO_LONG: (UNREAD, "KF117"),
}
_HELP = {
    Feature.NO_SPACE: "write `global` or `constant` in front of its type",
}


@dataclass(frozen=True)
class Across:
    """Items meet in a memory object. They may if the one access does not read it, or if the
    kernel stores none of it.

    `point` is the item of the earlier stage that made what the later one reads, if it does and
    that is known: then it can be computed again.
    """

    memory: str
    first: tuple[int, int]  # which access of which invocation
    second: tuple[int, int]
    reads: tuple[int, int] | None  # that of the two which only reads
    told: Callable[[], Reason]  # that they meet
    point: Point = ()
    outside: bool = False  # or no item has made it, and it is what it was before
    below: tuple[int, ...] = ()  # dimensions in which its id may be less than 0


@dataclass(eq=False)
class Legal:
    """Two stages may share a kernel if these hold."""

    assumptions: list[Assumption] = field(default_factory=list)
    handed: set[str] = field(default_factory=set)  # memory that needs a barrier in between
    across: list[Across] = field(default_factory=list)  # what the kernel must settle as a whole

    def assume(self, assumption: Assumption) -> None:
        if assumption not in self.assumptions:
            self.assumptions.append(assumption)


def _unfusible(stage: Stage) -> Iterator[Reason]:
    """Why the kernel cannot be fused with anything."""
    kernel = stage.invocation.kernel
    told: set[object] = set()
    for use in kernel.features:
        name, code = _FEATURES[use.feature]
        what = SYNCHRONISATION if name == SYNCHRONISATION else use.feature  # a barrier, its array
        if is_on(name) and what not in told:
            told.add(what)
            yield _feature_reason(kernel, use, code)
    if is_on(PRAGMAS):
        reason = _pragmas_at_end(kernel)
        if reason is not None:
            yield reason
    if is_on(MACROS):
        for message, span in kernel.unstable:
            yield Reason("KF216", message, span)


def _feature_reason(kernel: Kernel, use: FeatureUse, code: str) -> Reason:
    return Reason(
        code,
        f"{kernel.name}() has {use.feature.value}: '{use.what}'",
        use.span,
        _HELP.get(use.feature),
    )


def _pragmas_at_end(kernel: Kernel) -> Reason | None:
    there = pragmas_at(kernel.unit, len(kernel.unit.tokens))
    if kernel.pragmas.contract != there.contract:
        return Reason(
            "KF216",
            f"FP_CONTRACT is {kernel.pragmas.contract or 'not set'} in {kernel.name}(), and "
            f"{there.contract or 'not set'} at the end of the file, where a fused kernel would "
            "stand",
            kernel.span,
        )
    later = there.others[len(kernel.pragmas.others) :]
    if later:
        return Reason(
            "KF216",
            f"'{later[0]}' stands behind {kernel.name}(), and in front of the end of the file, "
            "where a fused kernel would stand",
            kernel.span,
        )
    lost = sorted(kernel.pragmas.extensions - there.extensions)
    if lost:
        return Reason(
            "KF216",
            f"the extension {lost[0]} is enabled for {kernel.name}(), but not at the end of "
            "the file, where a fused kernel would stand",
            kernel.span,
        )
    return None


def legal_pair(p: Stage, q: Stage, oracle: Oracle, *, again: bool = False) -> Legal | None:
    """May `q`, which comes later, be in one kernel with `p`? None: there are obstacles.

    `again`: items may compute again what others make.
    """
    legal = Legal()
    if next(_unlike(p, q, oracle, legal), None) is not None:
        return None
    for meeting in _meetings(p, q, oracle, legal, again=again):
        across = meeting.across(legal) if again else None
        if across is None:
            return None
        legal.across.append(across)
    return legal


def obstacles(p: Stage, q: Stage, oracle: Oracle, *, again: bool) -> tuple[Reason, ...]:
    """All that keeps the two apart. `again`: even if items compute again what others make."""
    legal = Legal()
    found = list(_unlike(p, q, oracle, legal))
    if not any(reason.code in _SAYS_ALL for reason in found):
        found += _told(_meetings(p, q, oracle, legal, again=again), again)
    return tuple(found)


# Ids of two ranges, elements of two types, and what items do together cannot be compared.
_SAYS_ALL = ("KF202", "KF204", "KF207")


def _unlike(p: Stage, q: Stage, oracle: Oracle, legal: Legal) -> Iterator[Reason]:
    """What keeps them apart whatever they access."""
    for stage in (p, q):
        yield from _unfusible(stage)
    kernels = p.invocation.kernel, q.invocation.kernel
    steps: tuple[Callable[[], Reason | None], ...] = (
        lambda: _one_program(*kernels),
        lambda: _numbers(p, oracle, legal),
        lambda: _numbers(q, oracle, legal),
        lambda: _ranges(p, q, oracle, legal),
        lambda: _types(p, q),
    )
    yield from (reason for step in steps if (reason := step()) is not None)


def _numbers(stage: Stage, oracle: Oracle, legal: Legal) -> Reason | None:
    """A name that build options give may stand for a read of memory."""
    for name, span in stage.invocation.kernel.open_names if is_on(OPEN_NAMES) else ():
        if not oracle.numbers():
            return Reason(
                "KF216",
                f"nothing in the file defines '{name}', so build options may make it anything",
                span,
                help=f"give its value: defines={{'{name}': ...}}",
            )
        legal.assume(Number(stage.invocation.index, name))
    numbers = stage.invocation.kernel.numbers if is_on(OPEN_NAMES) and oracle.numbers() else ()
    for name in numbers:
        legal.assume(Number(stage.invocation.index, name, optional=True))
    return None


def _one_program(p: Kernel, q: Kernel) -> Reason | None:
    if p.unit is not q.unit and is_on(ONE_PROGRAM):
        why = p.program.apart.get(q.program)
        return Reason(
            "KF208",
            f"{p.name}() and {q.name}() are in different programs" + (f": {why}" if why else ""),
            q.span,
            help="put both kernels into one text, or give what each text declares names of its own",
            related=((f"{p.name}() is here", p.span),),
        )
    required = {k.name: k.required_size for k in (p, q) if k.required_size is not None}
    if len(set(required.values())) > 1 and is_on(REQUIRED_SIZES):
        sizes = [f"{name}() requires {', '.join(size)}" for name, size in required.items()]
        return Reason(
            "KF221",
            f"the required work-group sizes differ: {sizes[0]}, {sizes[1]}",
            q.span,
            help="require one size of both kernels",
            related=((f"{p.name}() is here", p.span),),
        )
    if p.pragmas.contract != q.pragmas.contract and is_on(PRAGMAS):
        return Reason(
            "KF216",
            f"FP_CONTRACT differs between {p.name}() and {q.name}()",
            q.span,
            help="set `#pragma OPENCL FP_CONTRACT` once, above both",
        )
    return None


def _ranges(p: Stage, q: Stage, oracle: Oracle, legal: Legal) -> Reason | None:
    for placement in (stage.placement for stage in (p, q) if stage.placement is not None):
        legal.assume(placement)
    a, b = p.launch, q.launch
    if a.index == b.index:
        return None
    if a.range.dimensions != b.range.dimensions and is_on(SAME_RANGES):
        plural = "s" if a.range.dimensions > 1 else ""
        return Reason(
            "KF202",
            f"{p.kernel_name}() is launched in {a.range.dimensions} dimension{plural}, "
            f"{q.kernel_name}() in {b.range.dimensions}",
            b.span,
            help="launch both in the same number of dimensions; 'w*h' items are taken as the rows "
            "of 'w' and 'h' where guards are 'id < scalar', and only global ids are asked for",
        )
    reason = oracle.same_range(a, b)
    covered = covering(p.frame or p, q.frame or q, oracle) if reason is not None else None
    if covered is not None:
        legal.assume(covered)
        return None
    if reason is not None and is_on(SAME_RANGES):
        return reason
    legal.assume(SameRange(a.index, b.index))
    same = a.range.local == b.range.local or _same_groups(a.range, b.range)
    for stage in (p, q):
        kernel = stage.invocation.kernel
        matters = kernel.local_ids
        if matters is not None and same and a.range.local is not None:
            matters = None
        elif matters is None and kernel.together is not None and not same:
            matters = kernel.together.span
        if matters is not None and is_on(LOCAL_SIZES):
            return Reason(
                "KF202",
                f"the local sizes may differ, and {stage.kernel_name}() depends on its own",
                matters,
                help="give both launches one local size, or use get_global_id() alone",
            )
    return None


def _types(p: Stage, q: Stage) -> Reason | None:
    seen: dict[str, tuple[str, str]] = {}
    for stage in (p, q):
        for parameter, memory in stage.buffers:
            type_, where = seen.setdefault(memory.name, (parameter.canonical, stage.kernel_name))
            if type_ != parameter.canonical and is_on(ONE_TYPE):
                if "image2d_t" in (type_, parameter.canonical):
                    return _image_and_buffer(memory, where, stage.kernel_name, parameter)
                return Reason(
                    "KF207",
                    f"'{memory}' has elements of type {type_} in {where}(), and of type "
                    f"{parameter.canonical} in {stage.kernel_name}()",
                    parameter.span,
                    help=_macro_help(stage.invocation.kernel, type_, parameter.canonical)
                    or "declare both parameters with one element type",
                )
    return _address_spaces(p, q)


def _image_and_buffer(memory: Memory, first: str, second: str, parameter: Parameter) -> Reason:
    kinds = ("a buffer", "an image") if parameter.image is not None else ("an image", "a buffer")
    return Reason(
        "KF207",
        f"'{memory}' is {kinds[0]} in {first}(), and {kinds[1]} in {second}()",
        parameter.span,
        help="give the calls different objects",
    )


def _macro_help(kernel: Kernel, *types: str) -> str | None:
    for type_ in types:
        if type_ in kernel.unit.macros.history:
            return (
                f"'{type_}' is a macro, and no '#if' can tell what type it is: use it in both "
                "kernels, not inside of other macros, or in neither"
            )
    return None


def _address_spaces(p: Stage, q: Stage) -> Reason | None:
    """Constant memory becomes global memory: pointer variables into it would not fit."""
    spaces: dict[str, set[str]] = {}
    for stage in (p, q):
        for parameter, memory in stage.buffers:
            spaces.setdefault(memory.name, set()).add(parameter.space)
    for stage in (p, q):
        for access in stage.accesses:
            mixed = len(spaces[access.memory.name]) > 1
            constant = stage.parameter(access.access.parameter).space == "constant"
            symbols = stage.invocation.kernel.symbols.values()
            held = not access.access.plain or any(s.is_pointer_variable for s in symbols)
            if mixed and constant and held and is_on(ONE_TYPE):
                return Reason(
                    "KF207",
                    f"'{access.memory}' is constant memory in {stage.kernel_name}(), which "
                    "has a pointer variable into it, and global memory in the other kernel",
                    access.access.span,
                )
    return None


def _assume_apart(p: Stage, q: Stage, legal: Legal) -> None:
    written = p.written | q.written
    for left, right in combinations({**p.memory, **q.memory}, 2):
        if left in written or right in written:
            legal.assume(Disjoint(*sorted((left, right))))


def _meetings(
    p: Stage, q: Stage, oracle: Oracle, legal: Legal, *, again: bool
) -> Iterator[_Meeting]:
    """Where items may meet; what is assumed is complete if there is no such place."""
    _assume_apart(p, q, legal)
    small = not (p.range.offset or q.range.offset)
    equalities = Equalities({**p.scalars, **q.scalars}, oracle, small)
    equalities.same_guards(p.guards, q.guards)
    equalities.same_ends(p.guards, q.guards)
    equalities.same_types(p.guards, q.guards)
    for a, b in product(p.accesses, q.accesses):
        if a.memory.name != b.memory.name:
            continue
        if not (a.access.mode.writes or b.access.mode.writes):
            continue
        conditional = a.access.conditional != b.access.conditional
        if conditional and a.when is not None and b.when is not None:
            equalities.same_guards(a.when, b.when)
        meeting = _meeting(a, b, oracle, legal, equalities, again=again)
        if meeting is not None and is_on(OWN_ELEMENTS):
            yield meeting
    for assumed in equalities.assumed:
        legal.assume(assumed)
    for stage in (p, q):
        for d in sorted(stage.sized):
            legal.assume(Sized(stage.invocation.index, d, stage.range.group_size(d) or 0))


def _told(meetings: Iterator[_Meeting], again: bool) -> list[Reason]:
    """One for each memory object: what is certain, or else what is not known."""
    certain: dict[str, Reason] = {}
    doubts: dict[str, Reason] = {}
    for meeting in islice(meetings, _LOOKED_AT):
        name = meeting.a.memory.name
        if name in certain or (again and meeting.across(Legal()) is not None):
            continue
        reason = meeting.reason(again=again)
        (certain if reason.help is None else doubts).setdefault(name, reason)
    return [*certain.values(), *(doubts[name] for name in doubts if name not in certain)]


_LOOKED_AT = 256  # pairs of accesses


@dataclass(frozen=True)
class _Meeting:
    """Two accesses at which items may meet."""

    a: BoundAccess
    b: BoundAccess
    found: Dependence = Dependence.OTHER
    compared: tuple[BoundAccess, BoundAccess] | None = None  # the two, with equal scalars
    world: _Assumable | None = None
    source: Source | Reason | None = None  # of what the later access reads
    assumed: tuple[Assumption, ...] = ()  # for comparing the two at all

    @property
    def _made(self) -> bool:
        return self.a.access.mode.writes and self.b.access.mode is Mode.READ

    def across(self, legal: Legal) -> Across | None:
        """If a kernel can do with it: what it must see to."""
        if self.compared is None or self.world is None or self.a.stage.frame or self.b.stage.frame:
            return None
        source = self.source
        if isinstance(source, Reason) or (source is None and self._made):
            return None
        found = self.world.of_source(source) if source is not None else []
        for assumption in (*self.assumed, *found):
            legal.assume(assumption)
        one, other = ((x.stage.invocation.index, x.number) for x in (self.a, self.b))
        reads = [key for x, key in ((self.a, one), (self.b, other)) if x.access.mode is Mode.READ]
        first = reads[0] if reads else None
        if source is None:
            return Across(self.a.memory.name, one, other, first, cache(self.reason))
        made = source.point, source.outside, source.below
        return Across(self.a.memory.name, one, other, first, cache(self.reason), *made)

    def reason(self, *, again: bool = False) -> Reason:
        for access, other in ((self.b, self.a), (self.a, self.b)):
            if access.access.texel is not None and access.access.texel.trouble and is_on(SAMPLERS):
                return _sampled(access, other, access.access.texel.trouble)
        if self.compared is None:
            return _not_understood(self.a, self.b)
        needs, differing = missing(*self.compared), unequal(*self.compared)
        of_items = self.compared[0].form is not None and self.compared[0].form.mentions(*ITEM_IDS)
        if again and of_items and not (needs or differing) and isinstance(self.source, Reason):
            return self.source
        return _meeting_reason(self.a, self.b, self.found, needs, [] if needs else differing)


def _meeting(
    a: BoundAccess,
    b: BoundAccess,
    oracle: Oracle,
    legal: Legal,
    equalities: Equalities,
    *,
    again: bool,
) -> _Meeting | None:
    """None: items do not meet at the two accesses. `again`: reads may be computed again."""
    if _are_other_members(a, b):
        return None
    if is_on(SAMPLERS) and any(x.access.texel and x.access.texel.trouble for x in (a, b)):
        return _Meeting(a, b)
    world = _Assumable((a.stage, b.stage), oracle, equalities, a.memory.name)
    steps = counts_once(a, world), counts_once(b, world)
    if a.form is None or b.form is None or steps[0] is None or steps[1] is None:
        if _stays_in_group(a, b, Dependence.OTHER):
            legal.handed.add(a.memory.name)
            return None
        return _Meeting(a, b)
    equalities.same_form(of_items(a.form), of_items(b.form))
    equalities.same_form(a.form, b.form)
    made = again and a.access.mode.writes and b.access.mode is Mode.READ
    if made:
        equalities.same_pitches(a.form, b.form)
    left, right = (
        replace(
            x,
            form=equalities.form(x.form) if x.form is not None else None,
            facts=tuple(equalities.comparison(c) for c in x.facts),
        )
        for x in (a, b)
    )
    left, right, few = without_conversions(left, right, world)
    if left.form != right.form:
        (left, one), (right, other) = (without_cut_sums(x, world) for x in (left, right))
        few |= one | other
    left, right, spanned = _in_sizes(left, right, world)
    needed = [*spanned, *world.all_assumptions(steps[0] | steps[1] | few)]
    source: Source | Reason | None = None
    near = _stays_in_group(a, b, Dependence.SAME_GROUP)  # then it may be enough to wait
    if made and not near and left.form != right.form:
        source = source_of(left, right, world)
    found, proof = depend(left, right, a.stage.range.dimensions, world)
    if isinstance(source, Source) and not (found is Dependence.NONE and proof <= source.proof):
        # Whichever items these are.
        return _Meeting(a, b, Dependence.OTHER, (left, right), world, source, tuple(needed))
    fine = found in (Dependence.NONE, Dependence.SAME_ITEM)
    if fine or _stays_in_group(a, b, found):
        for assumption in (*needed, *world.all_assumptions(proof)):
            legal.assume(assumption)
        if not fine:
            legal.handed.add(a.memory.name)
        return None
    if made and source is None:
        source = source_of(left, right, world)
    return _Meeting(a, b, found, (left, right), world, source, tuple(needed))


def _are_other_members(a: BoundAccess, b: BoundAccess) -> bool:
    """`p[i].force` and `p[j].place`: whatever the indices are."""
    members = {a.access.member, b.access.member}
    apart = len(members) == 2 or not is_on(MEMBERS)
    return "" not in members and apart and a.type == b.type


def _in_sizes(
    a: BoundAccess, b: BoundAccess, world: _Assumable
) -> tuple[BoundAccess, BoundAccess, list[Assumption]]:
    """`y*get_global_size(0) + x` and `y*w + x`, where w is likely to be that size."""
    spanned: list[Assumption] = []
    for dimension in range(3):
        size = Id(GLOBAL_SIZE, dimension)
        p, q = a.form or Form(), b.form or Form()
        if (size in p.atoms) == (size in q.atoms):
            continue
        mine, other = (p, q) if size in p.atoms else (q, p)
        for scalar in sorted(other.scalars - mine.scalars, key=str):
            new: dict[Atom, Form] = {scalar: form_of(size)}
            if other.replace(new) == mine and (found := world.spans(dimension, scalar)):
                spanned += found
                a, b = a.replaced(new), b.replaced(new)
                break
    return a, b, spanned


@dataclass(frozen=True)
class _Assumable:
    """What the oracle says of the scalars of two stages."""

    stages: tuple[Stage, Stage]
    oracle: Oracle
    equalities: Equalities
    memory: str

    def may(self, assumed: Assumed, *, implied: bool) -> bool:
        if isinstance(assumed, Limit):
            return self._may_end(assumed, implied=implied or self._is_implied(assumed))
        if isinstance(assumed, Crowd):
            return all(
                self.oracle.crowded(i, assumed.dimension, assumed.most, implied=implied)
                for i in self._not_required(assumed)
            )
        if isinstance(assumed, Floor):
            scalar = self._scalar(assumed.scalar)
            return scalar is not None and self.oracle.at_least(scalar, assumed.least)
        if isinstance(assumed, Ceiling):
            values = [assumed.scalar, *([assumed.by] if assumed.by is not None else [])]
            if len({value.type for value in values}) > 1:
                return False
            scalars = [self._scalar(value) for value in values]
            return all(s is not None and self.oracle.up_to(s, assumed.most) for s in scalars)
        if isinstance(assumed, Need):
            return False
        low, high = self._scalar(assumed.low), self._scalar(assumed.high)
        if low is None or high is None or assumed.low.type != assumed.high.type:
            return False
        return self.oracle.at_most(low, high, assumed.times)

    def _may_end(self, assumed: Limit, *, implied: bool) -> bool:
        d, most = assumed.dimension, assumed.most
        invocations = [stage.launch for stage in self.stages]
        if isinstance(most, int):
            return all(self.oracle.below(i, d, most, implied=implied) for i in invocations)
        scalar = self._scalar(most)
        return scalar is not None and all(
            self.oracle.within(i, d, scalar, implied=implied) for i in invocations
        )

    def _is_implied(self, assumed: Limit) -> bool:
        return any(_has_planes(stage, self.memory, assumed) for stage in self.stages)

    def _not_required(self, assumed: Crowd) -> list[Invocation]:
        """Those whose kernels do not say by themselves how large their groups are."""
        return [
            stage.launch
            for stage in self.stages
            if (size := stage.launch.kernel.group_size(assumed.dimension)) is None
            or size > assumed.most
        ]

    def spans(self, dimension: int, value: Value) -> list[Assumption]:
        """The global size is the scalar: what says so, if it may be assumed."""
        scalar = self._scalar(value)
        invocations = [stage.launch for stage in self.stages]
        if scalar is None or not all(self.oracle.spans(i, dimension, scalar) for i in invocations):
            return []
        return [Spans(i.index, dimension, scalar.name) for i in invocations]

    def reaches(self, reaches: Reaches) -> bool:
        scalar = self.equalities.scalar(reaches.scalar) if reaches.scalar else None
        return (scalar is not None or not reaches.scalar) and all(
            self.oracle.reaches(stage.launch, reaches, scalar)
            for stage in self.stages
            if stage.launch.index == reaches.invocation
        )

    def of_source(self, source: Source) -> list[Assumption]:
        return [*self.all_assumptions(source.proof), *source.reaches]

    def all_assumptions(self, proof: Proof) -> list[Assumption]:
        return [x for assumed in sorted(proof, key=str) for x in self.assumptions(assumed)]

    def _scalar(self, value: Value) -> Scalar | None:
        """Numbers of a type that hosts can compare as kernels do."""
        return self.equalities.scalar(value.key) if value.compared else None

    def assumptions(self, assumed: Assumed) -> list[Assumption]:
        if isinstance(assumed, Limit):
            where = (stage.launch.index for stage in self.stages)
            d, most = assumed.dimension, assumed.most
            if isinstance(most, int):
                return [Below(index, d, most) for index in where]
            return [Within(index, d, most.key) for index in where]
        if isinstance(assumed, Crowd):
            d, most = assumed.dimension, assumed.most
            return [Crowded(i.index, d, most) for i in self._not_required(assumed)]
        if isinstance(assumed, Floor):
            return [AtLeast(assumed.scalar.key, assumed.least, assumed.scalar.type)]
        if isinstance(assumed, Ceiling):
            by = assumed.by.key if assumed.by is not None else ""
            return [UpTo(assumed.scalar.key, assumed.most, assumed.scalar.type, by)]
        assert isinstance(assumed, Order)
        return [AtMost(assumed.low.key, assumed.high.key, assumed.high.type, assumed.times)]


@lru_cache(maxsize=4096)
def _has_planes(stage: Stage, memory: str, assumed: Limit) -> bool:
    """The kernel has a race beyond the limit: what it does at `i` and at `i + n` would meet."""
    id_ = Id(GLOBAL_ID, assumed.dimension)
    return any(
        (a.access.mode.writes or b.access.mode.writes)
        and _is_plane(a, b, assumed.most)
        and id_ not in ((a.form or Form()) - form_of(id_)).atoms
        and not any(id_ in f.left.atoms | f.right.atoms for f in (*a.facts, *b.facts))
        for a, b in product((x for x in stage.accesses if x.memory.name == memory), repeat=2)
    )


def _is_plane(a: BoundAccess, b: BoundAccess, most: Value | int) -> bool:
    """From an element to one of the next plane; also in the next round of a loop."""
    if a.form is None or b.form is None:
        return False
    if a is b:
        step = form_of(most) if isinstance(most, Value) else number(most)
        rounds = (atom for atom in a.form.atoms if isinstance(atom, LoopVariable))
        return any(k not in (a.form - form_of(k) * step).atoms for k in rounds)
    if a.access.conditional or b.access.conditional:
        return False
    distance = a.form - b.form
    if isinstance(most, int):
        return distance.is_constant and 1 < distance.constant <= most
    return distance == form_of(most)


def _stays_in_group(a: BoundAccess, b: BoundAccess, found: Dependence) -> bool:
    """Only items of one work-group meet: a barrier between the stages keeps their order."""
    if a.access.texel is not None or b.access.texel is not None:
        return False  # what a kernel writes to an image it cannot read
    p, q = a.stage.range, b.stage.range
    if not _same_groups(p, q):
        return False
    if p.one_group and q.one_group:
        return True
    # In groups of different sizes, group*size + item says nothing of the group.
    return found is Dependence.SAME_GROUP and p.uniform and q.uniform


def _same_groups(p: LaunchRange, q: LaunchRange) -> bool:
    """Two launches of one range have the same work-groups."""
    if p.local is None or q.local is None:
        return False
    return p.local == q.local or (p.one_group and q.one_group)


def other_groups(stages: Sequence[Stage]) -> Reason | None:
    """Where items of a group wait for one another, all launches must have these groups."""
    first, *others = stages
    for stage in others:
        a, b = first.launch, stage.launch
        if not _same_groups(a.range, b.range) and is_on(LOCAL_SIZES):
            return Reason(
                "KF202",
                f"items of a work-group would have to wait for each other, and the local sizes of "
                f"{first.kernel_name}() and {stage.kernel_name}() may differ",
                b.span,
                help="give all launches one local size",
                related=((f"{first.kernel_name}() is called here", a.span),) if a.span else (),
            )
    return None


def _sampled(a: BoundAccess, other: BoundAccess, trouble: str) -> Reason:
    """The texel that is read may be another one than that at the coordinates."""
    return Reason(
        "KF233",
        f"{a} may read any texel of '{a.memory}', which {other.stage.kernel_name}() writes: "
        f"{trouble}",
        a.access.span,
        related=((f"{other.stage.kernel_name}() writes it here", other.access.span),),
    )


def _not_understood(a: BoundAccess, b: BoundAccess) -> Reason:
    unknown, other = (a, b) if a.form is None else (b, a)
    verb = "writes" if other.access.mode.writes else "reads"
    kernel = unknown.stage.invocation.kernel
    related = ((f"{other.stage.kernel_name}() {verb} it here", other.access.span),)
    if unknown.access.atomic:
        return Reason(
            "KF205",
            f"{kernel.name}() changes '{other.memory}' by atomic operations, in any order of its "
            f"items, and {other.stage.kernel_name}() {verb} it too",
            unknown.access.span,
            related=related,
        )
    if unknown.access.anywhere:
        touched = "written" if unknown.access.mode.writes else "read"
        return Reason(
            "KF205",
            f"{kernel.name}() passes on, copies or casts a pointer into '{other.memory}', so any "
            f"element may be {touched}, and {other.stage.kernel_name}() {verb} it too",
            unknown.access.span,
            related=related,
        )
    first, last = unknown.access.index
    used = {token.text for token in kernel.unit.tokens[first : last + 1]}
    nothing = next((name for name, _ in kernel.open_names if name in used), None)
    value = f"nothing gives '{nothing}' a value: -D {nothing}=VALUE does"
    hints = [_FOLLOWED, _without_sign(unknown)] if nothing is None else [value]
    return Reason(
        "KF203",
        f"the index of {unknown} is not understood, and {other.stage.kernel_name}() {verb} "
        f"'{other.memory}' too",
        unknown.access.span,
        help="; ".join(filter(None, hints)),
        related=related,
    )


def _without_sign(access: BoundAccess) -> str | None:
    """A variable of the index that may be what makes it another number than it seems."""
    symbols, (first, last) = access.stage.invocation.kernel.symbols, access.access.index
    named = {symbols[t] for t in range(first, last + 1) if t in symbols}
    narrow = sorted(s.name for s in named if s.canonical in _NARROW and not s.parameter)
    if not narrow:
        return None
    return f"'{narrow[0]}' has no sign and may start again at 0: size_t or int would do"


_FOLLOWED = (
    "an index is followed if it is a sum, product, quotient or remainder of ids, scalar "
    "parameters, constants and counting loops, or of their bits, and of variables that have one "
    "value there, or one of several by ?:, if, min, max or clamp of integers, or functions of "
    "integers without loops; not through memory, or by a condition that asks for what is in memory"
)
_NARROW = ("uint", "ushort", "uchar")
_EQUAL = "give both launches one value; at run time, only whole numbers are compared"


def _meeting_reason(
    a: BoundAccess,
    b: BoundAccess,
    found: Dependence,
    needs: Sequence[tuple[str, BoundAccess]],
    differing: Sequence[str],
) -> Reason:
    first, second = ("writes" if x.access.mode.writes else "reads" for x in (a, b))
    related = ((f"{a.stage.kernel_name}() {first} it here", a.access.span),)
    if any(
        x.access.mode.writes and x.form is not None and not x.form.mentions(*ITEM_IDS)
        for x in (a, b)
    ):
        return Reason(
            "KF218",
            f"{b} {second} an element of '{b.memory}' that {a} {first}: one item writes "
            "it, the others need it",
            b.access.span,
            related=related,
        )
    where = {
        Dependence.NEIGHBOUR: "neighbouring items",
        Dependence.SAME_GROUP: "other items of the group",
        Dependence.OTHER: "other items",
    }[found]
    may = "may " + second.removesuffix("s") if needs or differing else second
    kernels: dict[str, dict[str, None]] = {}
    for text, access in needs:
        kernels.setdefault(text, {})[f"{access.stage.kernel_name}()"] = None
    known = ", and ".join(f"'{text}' in {' and '.join(names)}" for text, names in kernels.items())
    known = known or ", and ".join(differing)
    guards = ", and ".join(
        f"put the work of {' and '.join(names)} under 'if ({text})'"
        for text, names in kernels.items()
    )
    return Reason(
        "KF201",
        f"{b} {may} elements of '{b.memory}' that {where} of {a.stage.kernel_name}() "
        f"{'write' if a.access.mode.writes else 'read'} as '{a.access.text}'"
        + (f": it is not known that {known}" if known else ""),
        b.access.span,
        help=guards
        or (_EQUAL if differing else None)
        or (_without_sign(a if a.narrow else b) if a.differs(b) else None),
        related=related,
    )
