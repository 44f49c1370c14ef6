"""A region with everything that the planner and the generator ask about it: its calls
executed in a row, their launches as invocations, and what may be taken for granted."""

from __future__ import annotations

from functools import cached_property

from kfusion.graph.model import Invocation, Memory, Scalar
from kfusion.host.equality import is_new_buffer, may_be_at_most, range_pairs, strip, unify
from kfusion.host.formats import lossy_format
from kfusion.host.handles import HandleTable
from kfusion.host.hints import owner_of
from kfusion.host.invocations import Invocations
from kfusion.host.joining import Joining
from kfusion.host.library import LibraryExecutor
from kfusion.host.moving import Moving
from kfusion.host.origins import Origins
from kfusion.host.program import HostProgram
from kfusion.host.regions import Region
from kfusion.host.segments import Segments
from kfusion.host.spelling import spell_all
from kfusion.host.sticky import Reliances
from kfusion.host.symbolic import App, Entry, Pointee, Ref, State, Sym
from kfusion.kernel.model import Kernel
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

RANGES = protection("host-ranges", "launches of different ranges are fused")

_UNSIGNED = frozenset("unsigned size_t cl_uint cl_ulong uint32_t uint64_t uint ulong".split())
MOST_REFUSALS = 16  # groups of a region for which text is tried in vain


class RegionAnalysis:
    """Everything the planner and the generator ask about one region."""

    def __init__(
        self,
        region: Region,
        program: HostProgram,
        handles: HandleTable,
        kernels: dict[str, Kernel],
        reliances: Reliances,
        origins: Origins,
    ) -> None:
        self.region, self.program = region, program
        self.in_order = True  # the planner is not to move calls past each other
        self.handles, self.kernels = handles, kernels
        self.reliances, self.origins = reliances, origins
        self._reasons: dict[int, list[Reason | None]] = {}  # by first call, for each last one
        self._refused: dict[tuple[int, int], Reason] = {}
        self.undivided: set[tuple[int, ...]] = set()  # groups whose launch is not to be changed
        self._arguments_for: dict[str, tuple[int, int] | None] = {}
        self.segments = Segments(region, program)
        self.launched = Invocations(self.segments, handles, kernels)
        self.runs, self.kernel_of = self.launched.runs, self.launched.kernel_of
        self.invocations, self.values = self.launched.all, self.launched.values
        self.uses = self.launched.uses
        self.joining = Joining(self.launched, reliances)

    # Joining

    def compares(self, memory: Memory, other: Memory) -> bool:
        """The guard of a fused function knows what the function is given."""
        values = (self.values.get(memory.name), self.values.get(other.name))
        if any(v is not None and is_new_buffer(v) for v in values):
            return True
        place = self.argument_for(other.name)
        if place is None:
            return False
        # The types of another library may not be known where the function stands.
        unit = self.region.calls[place[0]].function.unit
        pairs = zip(self.region.calls, self.runs, strict=True)
        return all(c.function.unit is unit for c, run in pairs if memory.name in self.uses(run))

    def argument_for(self, name: str) -> tuple[int, int] | None:
        if name not in self._arguments_for:
            self._arguments_for[name] = self._argument_for(name)
        return self._arguments_for[name]

    def _argument_for(self, name: str) -> tuple[int, int] | None:
        """A call and the number of its argument that leads to the memory, now as at the start."""
        value = self.values.get(name)
        if not isinstance(value, Entry):
            return None
        for index, (call, run) in enumerate(zip(self.region.calls, self.runs, strict=True)):
            if name not in self.uses(run):
                continue
            entry = self.segments.arguments(LibraryExecutor(self.program), call, State())
            for position, (now, then) in enumerate(zip(run.arguments, entry, strict=True)):
                if now == then and leads_to(now, value):
                    return index, position
        return None

    def ordered(self, left: Invocation, right: Invocation) -> bool:
        return self.in_order or not self.moving.may_swap(left.index, right.index)

    @cached_property
    def moving(self) -> Moving:
        return Moving(self.launched, self.reliances)

    def joinable(self, members: tuple[int, ...]) -> Reason | None:
        first, last = members[0], members[-1]
        if last - first >= len(members):
            return None  # asked again when the calls stand in their new order
        return self._reason(first, last) or self._refusal(first, last)

    def divides(self, members: tuple[int, ...]) -> bool:
        return members not in self.undivided

    def _reason(self, first: int, last: int) -> Reason | None:
        """A reason against a segment holds for all longer ones."""
        reasons = self._reasons.setdefault(first, [])
        while len(reasons) <= last - first:
            if reasons and reasons[-1] is not None:
                return reasons[-1]
            end = first + len(reasons)
            reasons.append(self.joining.reason(first, end, self.segments.runs(first, end)))
        return reasons[last - first]

    def _refusal(self, first: int, last: int) -> Reason | None:
        if len(self._refused) > MOST_REFUSALS:  # longer groups are no longer tried
            inside = (r for (f, n), r in self._refused.items() if first <= f and n <= last)
            return next(inside, None)
        return self._refused.get((first, last))

    def refuse(self, first: int, last: int, why: str, place: Span | None) -> None:
        """No text can be made for the calls first..last: the next plan goes without."""
        names = list(dict.fromkeys(run.function.name for run in self.runs[first : last + 1]))
        self._refused[first, last] = Reason(
            "KF219",
            f"{' and '.join(names)} cannot be one function: {why}",
            self.region.calls[first].statement,
            help="write the functions of a region in one plain form: set the arguments, launch, "
            "return the status",
            related=(("this is in the way", place),) if place else (),
        )

    def is_unsigned(self, value: Sym) -> bool:
        return bool(_UNSIGNED & set(self.declared_type(value)))

    def declared_type(self, value: Sym) -> tuple[str, ...]:
        """The type's words, of a variable of the application or a member of one."""
        if not isinstance(value, Entry):
            return ()
        owner, types = owner_of(value), self.program.types
        if not isinstance(owner, App):
            return ()
        declared = self.region.variables.get(owner.name)
        type_ = declared.type if declared is not None else None
        if owner != value.place.root:
            type_ = types.target(type_)
        for step in value.place.path:
            is_element = step.startswith("[")
            type_ = types.target(type_) if is_element else types.member(type_, step)
        return tuple(getattr(getattr(type_, "type", None), "names", None) or ())

    # The oracle

    def equal(self, left: Scalar, right: Scalar) -> bool:
        if left.name == right.name:
            return not left.name.startswith("<")
        a, b = self.values.get(left.name), self.values.get(right.name)
        return a is not None and b is not None and unify(a, b) is not None

    def same_range(self, left: Invocation, right: Invocation) -> Reason | None:
        if not is_on(RANGES):
            return None
        pairs = range_pairs(self.runs[left.index].launch, self.runs[right.index].launch)
        if pairs is not None:
            return None
        return Reason(
            "KF202",
            f"{left.kernel.name} has the range {self._range(left)}, "
            f"{right.kernel.name} the range {self._range(right)}",
            right.span,
            help="launch both over sizes of one form (`a->n` and `b->n`, say): then they are "
            "compared at run time",
            related=((f"{left.kernel.name} is called here", left.span),) if left.span else (),
        )

    def _range(self, invocation: Invocation) -> str:
        """The global size (and offset, if there is one) as C."""
        launch = self.runs[invocation.index].launch
        size = f"({spell_all(launch.size)})"
        if not invocation.range.offset or launch.offset is None:
            return size
        return f"{size} from ({spell_all(launch.offset)})"

    def within(self, invocation: Invocation, dimension: int, scalar: Scalar) -> bool:
        size = self.runs[invocation.index].launch.size
        value = self.values.get(scalar.name)
        if dimension >= len(size) or value is None:
            return False
        return unify(strip(size[dimension]), strip(value)) is not None

    def at_most(self, left: Scalar, right: Scalar) -> bool:
        return may_be_at_most(self.values, left, right)

    def keeps(self, image: Memory, type_: str) -> Reason | None:
        place = lossy_format(self.program, type_)
        if place is None:
            return None
        return Reason(
            "KF234",
            f"'{image}' would be kept in variables of type {type_}, and the images of this "
            "program round what is written to them",
            place,
        )

    def disjoint(self, left: Memory, right: Memory) -> bool:
        values = (self.values.get(left.name), self.values.get(right.name))
        return all(isinstance(v, Entry) or is_new_buffer(v) for v in values)


def leads_to(argument: Sym, value: Entry) -> bool:
    """Is the place a member of what the argument points to, or the argument itself?"""
    root = value.place.root
    if argument == value:
        return True
    if isinstance(root, Pointee):
        return root.pointer == argument
    return isinstance(argument, Ref) and argument.place.root == root and not argument.place.path
