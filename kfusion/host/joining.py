"""May the host code of several calls become one function, and their launches one?

Calls of a region come in, executed in a row; the first reason against it goes out. It is
looked for in the functions, in what the application does with and between their calls, and
in the launches, which are then made where the last one is (postponing.py).
"""

from __future__ import annotations

from itertools import pairwise

from pycparser import c_ast

from kfusion.host.copied import copy_reason, form_reason
from kfusion.host.effects import Effect, Launch, SetArgument
from kfusion.host.invocations import Invocations
from kfusion.host.library import LibraryExecutor, Run
from kfusion.host.postponing import CHANGED_VALUE, Postponing
from kfusion.host.reach import Reach
from kfusion.host.regions import Between, RegionCall
from kfusion.host.spelling import spell
from kfusion.host.statements import names_of
from kfusion.host.statuses import return_type, status_reason
from kfusion.host.sticky import Reliances
from kfusion.host.symbolic import Entry, Num, State, Sym
from kfusion.host.syncs import sync_reason
from kfusion.kernel.model import Kernel
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

STICKY = protection("host-sticky-arguments", "an argument that is set elsewhere is relied on")
ONE_LAUNCH = protection("host-one-launch", "a function may launch otherwise than once")
BETWEEN = protection("host-between", "a statement between calls uses what the calls use")
QUEUES = protection("host-queues", "launches on different queues are fused")
LIBRARIES = protection("host-libraries", "functions of different files are fused")
RESULTS = protection("host-results", "a result that is used is lost")
STATUS = protection("host-status", "statuses are handled in different forms")


class Joining:
    """The reasons against joining the calls first..last of a region."""

    def __init__(self, launched: Invocations, reliances: Reliances) -> None:
        self.region, self.program = launched.region, launched.program
        self.segments, self.runs = launched.segments, launched.runs
        self.kernel_of, self.reliances = launched.kernel_of, reliances
        self.reach = Reach(self.region, self.program)
        self.postponing = Postponing(self.program, launched.uses)

    def reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        if first == last:
            return None
        return (
            self._functions_reason(first, last, runs)
            or sync_reason(self.region.calls, self.runs, first, last)
            or self._application_reason(first, last, runs)
            or self.postponing.reason(runs)
        )

    def _span(self, run: Run, node: c_ast.Node) -> Span:
        """Where something stands that a call does, itself or by a function of another file."""
        return self.program.node_span(node, run.function.unit)

    def _functions_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """What the functions must be like, each of them and all together."""
        for index, run in enumerate(runs, first):
            reason = self._function_reason(index, run, is_last=index == last)
            if reason is not None:
                return reason
        units = {run.function.unit.source.name for run in runs}
        if len(units) > 1 and is_on(LIBRARIES):
            return Reason(
                "KF226",
                f"the functions are in different files: {', '.join(sorted(units))}",
                self.region.calls[last].call,
                help="the queue and the kernels of a file may be private to it",
            )
        queues = {run.launch.queue for run in runs}
        if not _may_be_one_queue(queues) and is_on(QUEUES):
            texts = sorted(set(map(spell, queues)))
            may = "" if len(texts) > 1 else "may "
            return Reason(
                "KF215",
                f"the launches {may}go to different queues: {' and '.join(texts)}",
                self.region.calls[last].call,
                help="let all calls of a region use one queue",
            )
        return None

    def _function_reason(self, index: int, run: Run, *, is_last: bool) -> Reason | None:
        """What a function must be like, whatever it is joined with."""
        call = self.region.calls[index]
        spans = sorted((a.span.start, a.span.end) for a in call.arguments)
        overlap = any(a[1] > b[0] for a, b in pairwise(spans))
        if overlap and is_on(BETWEEN):
            return Reason(
                "KF219",
                "one macro gives several arguments of this call",
                call.call,
                help="write the arguments one by one",
            )
        if not run.function.in_main_file and is_on(LIBRARIES):
            return Reason(
                "KF226",
                f"{run.function.name} is defined in a header",
                call.call,
                help="define it in one of the files given to kfusion",
            )
        if run.function.is_old_style and is_on(LIBRARIES):
            return Reason(
                "KF219",
                f"the parameters of {run.function.name} are declared behind its head",
                call.call,
                help="declare them in the brackets: `int f(int x)`",
            )
        strange = next((e for e in _shown_by(run) if not run.function.unit.holds(e.node)), None)
        if strange is not None and is_on(LIBRARIES):
            return Reason(
                "KF226",
                f"{run.function.name} uses a function of another file for its launch",
                call.call,
                help="let one file set the arguments and launch",
                related=(("it is launched here", self._span(run, strange.node)),),
            )
        if run.problems and is_on(ONE_LAUNCH):
            return run.problems[0]
        if len(run.launches) != 1:
            return Reason("KF210", f"{run.function.name} does not launch once", call.call)
        if run.late_return is not None and not is_last and is_on(ONE_LAUNCH):
            return run.late_return
        kernel = self.kernel_of[index]
        assert kernel is not None
        missing = [p.name for i, p in enumerate(kernel.parameters) if i not in run.set_arguments]
        if missing and is_on(STICKY):
            return self._not_set(run, kernel, missing[0])
        relying = self.reliances.of(kernel)
        if relying is not None:
            return Reason(
                "KF211",
                f"{relying.launches} without setting its argument "
                f"'{relying.parameter}': it relies on what {run.function.name} has set",
                relying.span,
                help="set every argument of a kernel in the function that launches it",
            )
        return copy_reason(run.function) or form_reason(run.function, self.program)

    def _not_set(self, run: Run, kernel: Kernel, parameter: str) -> Reason:
        body = run.function.function.body
        shared = any(
            token.text == "clSetKernelArgSVMPointer"
            for token in run.function.unit.tokens[body.first : body.last]
        )
        where = f"{run.function.name} by clSetKernelArg()" if shared else run.function.name
        return Reason(
            "KF211",
            f"argument '{parameter}' of kernel {kernel.name} is not set in {where}",
            self._span(run, run.launch.node),
            help="give the kernel buffers: shared virtual memory is not followed"
            if shared
            else "set every argument of a kernel in the function that launches it",
        )

    def _application_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """Statements between, forms of status, and arguments that change on the way."""
        calls = self.region.calls[first : last + 1]
        reason = status_reason(calls)
        if reason is not None and is_on(STATUS):
            return reason
        lost = self._lost_result(calls, runs)
        if lost is not None and is_on(RESULTS):
            return lost
        kinds = {" ".join(return_type(call)) for call in calls}
        if len(kinds) > 1:
            return Reason(
                "KF229",
                f"the functions return different types: {', '.join(sorted(kinds))}",
                calls[-1].call,
            )
        for item in self.segments.between(last - 1, last):  # others: in the shorter groups
            reason = self._between_reason(item, calls[:-1], runs[:-1])
            if reason and is_on(BETWEEN):
                return reason
        return self._arguments_reason(first, last, runs)

    def _lost_result(self, calls: tuple[RegionCall, ...], runs: list[Run]) -> Reason | None:
        """Of the results of a group only the last comes out: the others must be 0."""
        looked_at = {"checked", "chained", "or-ed"}
        if calls[-1].status == "chained":
            looked_at.add("assigned")
        for call, run in zip(calls[:-1], runs[:-1], strict=True):
            if call.status in looked_at and run.result != Num(0):
                return Reason(
                    "KF213",
                    f"{run.function.name} may return something else than 0 when all is well, and "
                    "its result is used",
                    call.statement,
                )
        return None

    def _between_reason(
        self, item: Between, earlier: tuple[RegionCall, ...], runs: list[Run]
    ) -> Reason | None:
        if item.several:
            return Reason(
                "KF230",
                "several calls stand in one statement",
                item.statement,
                help="write one call in each statement",
            )
        if not item.harmless:
            return self._harmful_reason(item, earlier)
        used = frozenset(name for call in earlier for name in call.names)
        given = frozenset(name for call in earlier for name in call.assigns)
        for name in sorted(item.names | item.assigns):
            if name in given or self._is_reached(name, item, runs):
                what = "gets its status from" if name in given else "may be reached by"
                return Reason(
                    "KF214",
                    f"this statement uses '{name}', which {what} an earlier call",
                    item.statement,
                    help="move it before or after the region",
                    related=(("the call", earlier[0].statement),),
                )
            if name in used and (name in item.assigns or not self._is_plain(name, earlier)):
                return Reason(
                    "KF214",
                    f"this statement uses '{name}', and so does an earlier call",
                    item.statement,
                    related=(("the call", earlier[0].statement),),
                )
        return None

    def _harmful_reason(self, item: Between, earlier: tuple[RegionCall, ...]) -> Reason:
        """A statement that does more than compute, and the calls by which it may do so."""
        names = {name for node in item.nodes for name in self.program.names_called(node)}
        listed = " and ".join(f"'{name}'" for name in sorted(names))
        given = sorted(item.names & {name for call in earlier for name in call.assigns})
        help = "move it before or after the region"
        if given:
            help += f", or, to check a status, leave the region by `if ({given[0]}) ...`"
        return Reason(
            "KF214",
            "this statement stands between the calls and may depend on them"
            + (f": it calls {listed}" if names else ""),
            item.statement,
            help=help,
        )

    def _is_reached(self, name: str, item: Between, runs: list[Run]) -> bool:
        """May calls before read what the statement assigns, or change what it reads?"""
        program = self.program
        if name in item.declares or self.reach.is_private(name):
            return False
        if name not in self.region.variables and name in program.enumerators:
            return False
        reads = self.segments.reads(self.reach, [c_ast.ID(name)], State())
        return name in item.assigns or self.reach.may_change(reads, runs)

    def _is_plain(self, name: str, calls: tuple[RegionCall, ...]) -> bool:
        """A variable that the calls get by value only."""
        declared = self.region.variables.get(name)
        if declared is None or not isinstance(declared.type, c_ast.TypeDecl):
            return False
        return not any(
            f"& {name}" in " ".join(a.text.replace("&", "& ").split())
            for c in calls
            for a in c.arguments
        )

    def _arguments_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """The fused call evaluates all arguments where the last call stands."""
        executor = LibraryExecutor(self.program)
        state = State()
        for index in range(first, last):
            for item in self.segments.between(index, index + 1):
                self.segments.run_between(executor, item, state)
        for index in range(first, last + 1):
            call = self.region.calls[index]
            if index == last and is_on(CHANGED_VALUE):  # others: in the shorter groups
                reason = self._reached_reason(call, self.region.calls[first:last], runs, state)
                if reason:
                    return reason
            values = self.segments.arguments(executor, call, state)
            for argument, now, then in zip(
                call.arguments, values, runs[index - first].arguments, strict=True
            ):
                if now != then and is_on(CHANGED_VALUE):
                    return Reason(
                        "KF225",
                        f"the value of '{argument.text}' depends on the calls before it",
                        argument.span,
                    )
        return None

    def _reached_reason(
        self, call: RegionCall, earlier: tuple[RegionCall, ...], runs: list[Run], state: State
    ) -> Reason | None:
        """An argument of the last call that the earlier ones may change unseen."""
        given = frozenset(name for other in earlier for name in other.assigns)
        for argument in call.arguments:
            reads = self.segments.reads(self.reach, [argument.node], state)
            if given & names_of([argument.node]) or self.reach.may_change(reads, runs[:-1]):
                return Reason(
                    "KF225",
                    f"an earlier call may change the value of '{argument.text}'",
                    argument.span,
                    help="if no call changes it, copy it into a variable before the region",
                )
        return None


def _shown_by(run: Run) -> list[Effect]:
    """What the text of a fused function repeats: settings of arguments, the launch."""
    effects = [effect for step in run.steps for effect in step.effects]
    return [e for e in effects if isinstance(e, Launch | SetArgument)]


def _may_be_one_queue(queues: set[Sym]) -> bool:
    """One, or the same member of several objects: these are compared at run time."""
    members = {
        queue.place.path if isinstance(queue, Entry) and queue.place.path else queue
        for queue in queues
    }
    return len(members) == 1
