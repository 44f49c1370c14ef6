"""The calls of a group as parts of one function: which of their statements are kept."""

from __future__ import annotations

import re
from dataclasses import field

from pycparser import c_ast

from kfusion.host.effects import Assign, Create, Effect, Launch, SetArgument
from kfusion.host.frames import Step
from kfusion.host.library import Run
from kfusion.host.regions import RegionCall, argument_ranges
from kfusion.host.symbolic import Global, Local, Made, Place, leaves
from kfusion.parse.unit import Unit
from kfusion.regenerate.cwords import declared, names_of
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.regenerate.signature import C_KEYWORDS
from kfusion.regenerate.template import call_template, is_check
from kfusion.source.dataclasses import dataclass
from kfusion.source.text import Span


@dataclass
class Part:
    """One call within the function: its execution and what is kept of it."""

    number: int
    is_last: bool
    call: RegionCall
    run: Run
    names: dict[str, str]  # the function's own names, in the new function
    keep: set[int] = field(default_factory=set)  # steps with effects of their own
    needed: set[str] = field(default_factory=set)  # variables that kernel arguments read
    # what helpers assign besides launching, where their calls go
    assigned: dict[int, list[Assign]] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        return self.run.function.unit

    @property
    def steps(self) -> list[Step]:
        return self.run.steps

    @property
    def setting_step(self) -> int:
        """Where the fused kernel's arguments are set: where the last own one was."""
        steps = [i for i, s in enumerate(self.steps) if sets_arguments(s)]
        return min(steps[-1] if steps else self.run.launch_step, self.run.launch_step)

    def span(self, step: Step) -> Span:
        return self.unit.span(step.first, step.last)

    @property
    def launch_span(self) -> Span:
        return self.unit.node_span(self.run.launch.node)

    @property
    def text_of_call(self) -> str:
        arguments = [self.names[p.name] for p in self.run.function.parameters]
        return f"{self.run.function.name}({', '.join(arguments)})"


def sets_arguments(step: Step) -> bool:
    return any(isinstance(e, SetArgument) for e in step.effects)


def launches(step: Step) -> bool:
    return any(isinstance(e, Launch) for e in step.effects)


def of_launch(effect: Effect, run: Run) -> bool:
    return isinstance(effect, SetArgument) or (
        isinstance(effect, Launch) and bool(run.launches) and effect is run.launch
    )


def only_computes(step: Step) -> bool:
    """The step changes the function's own variables and nothing else."""
    if not step.writes or step.guard or step.returns or step.flushes:
        return False
    return not step.effects or obtains_handle(step)


def obtains_handle(step: Step) -> bool:
    """`cl_kernel k = add_kernel();`: at most a kernel is created, and kept for later calls."""
    return bool(step.effects) and all(
        (isinstance(e, Create) and e.call == "clCreateKernel")
        or (
            isinstance(e, Assign)
            and isinstance(e.place.root, Global)
            and all(isinstance(v, Made) and v.kind == "kernel" for v in leaves(e.value))
        )
        for e in step.effects
    )


def own_types(part: Part, step: Step) -> set[str]:
    """Names of the types that the statement defines, and of their enumerators."""
    node = step.nodes[0] if step.nodes else None
    if isinstance(node, c_ast.Typedef):
        text = part.unit.span(step.first, step.last).text
        return {node.name} | (names_of(text) - C_KEYWORDS if "{" in text else set())
    if isinstance(node, c_ast.Decl) and node.name is None:
        return names_of(part.unit.span(step.first, step.last).text) - C_KEYWORDS
    return set()


def written_arguments(part: Part, node: c_ast.Node) -> list[tuple[int, int]] | None:
    """Token ranges of a call's arguments, if the call stands in the function itself."""
    unit = part.unit
    index = unit.index(node)
    body = part.run.function.function.body
    if not body.first <= index <= body.last or unit.tokens[index].start < 0:
        return None
    if unit.tokens[index + 1].text != "(":
        raise CannotWriteError("the name of the function is in brackets", part.launch_span)
    ranges = argument_ranges(unit, index + 1, unit.match(index + 1))
    if any(unit.tokens[a].start < 0 and unit.tokens[a].macro is None for a, _ in ranges):
        return None
    return ranges


# Statements with effects


def select(part: Part) -> None:
    """Keep statements with effects of their own; the launch and its arguments go."""
    writer: dict[str, int] = {}
    for index, step in enumerate(part.steps):
        if step.guard:
            # What it rules out before the first effect is known; a call that fails is not.
            if not step.effects and not step.writes and _reads_kept(part, step, writer):
                part.keep.add(index)
            continue
        own = _has_own_effects(part, index)
        if part.is_last and launches(step):
            _refuse_arguments_in_launch(part, step)
        if own and not part.is_last:
            _refuse_lost_status(part, step, writer)
        ends = part.is_last and (launches(step) or step.returns or step.flushes)
        if own or ends or (is_check(step) and _checks_kept(part, step, writer)):
            part.keep.add(index)
        for variable in step.writes:
            writer[variable] = index
    if part.is_last:
        refuse_status_between(part)
        _refuse_lost_condition(part)
        _refuse_lost_end(part)
    returning = [part.steps[i] for i in sorted(part.keep) if part.steps[i].returns]
    if not part.is_last and returning:
        raise CannotWriteError(
            f"{part.run.function.name} returns the result of something else",
            part.span(returning[0]),
        )


def _refuse_arguments_in_launch(part: Part, step: Step) -> None:
    """`clSetKernelArg(...) || clEnqueueNDRangeKernel(...)`"""
    for effect in step.effects:
        if not isinstance(effect, SetArgument):
            continue
        if step.first <= part.unit.index(effect.node) <= step.last:
            raise CannotWriteError(
                f"{part.run.function.name} sets an argument and launches in one statement",
                part.span(step),
            )


def _refuse_lost_status(part: Part, step: Step, writer: dict[str, int]) -> None:
    """What stays may not read what a dropped statement computed."""
    for name in sorted(step.reads):
        index = writer.get(name)
        if index is not None and any(of_launch(e, part.run) for e in part.steps[index].effects):
            raise CannotWriteError(
                f"'{name}' in {part.run.function.name} holds the status of a call that moves, "
                "and is used",
                part.span(step),
            )


def refuse_status_between(part: Part) -> None:
    """Between the arguments that the last call sets, nothing may use their status."""
    settings = [i for i, s in enumerate(part.steps) if sets_arguments(s) and i <= part.setting_step]
    if not settings:
        return
    statuses = {n for i in settings[:-1] for n in part.steps[i].writes}
    for step in part.steps[settings[0] : settings[-1]]:
        if step.writes and not step.effects and step.reads & statuses:
            raise CannotWriteError(
                f"a status is used between the arguments that {part.run.function.name} sets",
                part.span(step),
            )


def refuse_lost_flush(parts: list[Part]) -> None:
    """A launch that moves is flushed where it ends up, if it was."""
    *_, last = parts
    end = last.run.launch_step
    if any(step.flushes for step in last.steps[end + 1 :]):
        return
    for part in parts:
        for step in part.steps[part.run.launch_step :]:
            written = launches(step) and written_arguments(part, part.run.launch.node) is not None
            if step.flushes and not (part.is_last and written):
                raise CannotWriteError(
                    f"{part.run.function.name} flushes the queue, and the launch would not be "
                    "followed by that",
                    part.span(step),
                )


def status_condition(part: Part, step: Step) -> tuple[int, int] | None:
    """Tokens of the `if (err == CL_SUCCESS)` that a step stands under."""
    statuses = {
        name
        for other in part.steps
        if any(of_launch(e, part.run) for e in other.effects)
        for name in other.writes
    }
    found = [(first, last) for first, last, reads, _ in step.under if reads & statuses]
    return found[0] if found else None


def _refuse_lost_condition(part: Part) -> None:
    """A launch that depends on a status has that condition again, or is not moved."""
    at = part.run.launch_step
    launch = part.steps[at]
    condition = status_condition(part, launch)
    if condition is None:
        return
    name = part.run.function.name
    problem = CannotWriteError(
        f"{name} launches under a condition that reads a status", part.span(launch)
    )
    if launch.returns or sum(bool(status_condition(part, s)) for s in [launch]) != 1:
        raise problem
    text = part.unit.span(launch.first, launch.last).text
    ways = [way for first, last, _, way in launch.under if (first, last) == condition]
    if declared(text) or not all(ways) or len(launch.under) != 1:
        raise problem
    prefix = call_template(part.run, SetArgument).prefix
    match = re.fullmatch(r"(?:[\w\s*]*\s)?(\w+)\s*\|?=\s*", prefix)
    known = {match.group(1)} if match else set()
    for first, last, reads, _ in launch.under:
        if (first, last) == condition and not reads & _statuses(part) <= known:
            raise problem
    for step in part.steps[at + 1 :]:
        if step.under == launch.under and not _asks_launch(step, launch):
            raise problem


def _refuse_lost_end(part: Part) -> None:
    """`if (launch == CL_SUCCESS) return 0; return -1;`: only what success leads to is known."""
    end = part.steps[-1]
    if isinstance(end.nodes[0], c_ast.If) and end.returns and end.nodes[0].iffalse is None:
        raise CannotWriteError(
            f"what {part.run.function.name} does when its launch fails is not seen", part.span(end)
        )


def _statuses(part: Part) -> set[str]:
    return {n for s in part.steps if sets_arguments(s) for n in s.writes}


def _asks_launch(step: Step, launch: Step) -> bool:
    """`if (err == CL_SUCCESS) ...` after `err = launch`, or nothing but computation."""
    if isinstance(step.nodes[0], c_ast.If) and step.reads & launch.writes:
        return True
    return only_computes(step)


def _has_own_effects(part: Part, index: int) -> bool:
    """Does the step do more than launch or set arguments?"""
    step = part.steps[index]
    others = [e for e in step.effects if not of_launch(e, part.run)]
    if not others or only_computes(step):
        return False
    if _assigns_in_helper(part, step):
        if not part.is_last:
            part.assigned[index] = [e for e in others if isinstance(e, Assign)]
        return part.is_last
    for effect in step.effects:
        if not of_launch(effect, part.run):
            continue
        in_place = isinstance(effect, Launch) and written_arguments(part, effect.node) is not None
        if not (part.is_last and in_place):
            raise CannotWriteError(
                "one statement launches and does something else as well", part.span(step)
            )
    return True


def _assigns_in_helper(part: Part, step: Step) -> bool:
    """`return run(kernel, result);`, where run() launches and sets `result->newer`."""
    return (
        launches(step)
        and written_arguments(part, part.run.launch.node) is None
        and not sets_arguments(step)
        and all(
            of_launch(e, part.run) or (isinstance(e, Assign) and e.certain) for e in step.effects
        )
    )


def _checks_kept(part: Part, step: Step, writer: dict[str, int]) -> bool:
    """Is it the check of a statement that is kept, or of all arguments together?"""
    if _reads_kept(part, step, writer):
        return True
    sources = [writer[v] for v in step.reads if v in writer]
    if not part.is_last or not any(sets_arguments(part.steps[s]) for s in sources):
        return False
    if _sets_by_macro(part):
        return step is next(s for s in reversed(part.steps) if s.reads == step.reads)
    return call_template(part.run, SetArgument).check is None


def _reads_kept(part: Part, step: Step, writer: dict[str, int]) -> bool:
    """Does it read what a statement that is kept has written?"""
    return any(writer.get(variable) in part.keep for variable in step.reads)


def _sets_by_macro(part: Part) -> bool:
    effects = part.run.set_arguments.values()
    return any(part.unit.tokens[part.unit.index(e.node)].start < 0 for e in effects)


def drop_overwritten(parts: list[Part]) -> None:
    """Without assignments whose place gets a new value before anything reads it."""
    steps = [(part, index) for part in parts for index in range(len(part.steps))]
    for position, (part, index) in enumerate(steps):
        target = _only_assignment(part.steps[index]) if index in part.keep else None
        if target is not None and _is_overwritten(target, steps[position + 1 :]):
            part.keep.discard(index)
        if index in part.assigned:
            following = steps[position + 1 :]
            part.assigned[index] = [
                e for e in part.assigned[index] if not _is_overwritten(e.place, following)
            ]


def _is_overwritten(target: Place, steps: list[tuple[Part, int]]) -> bool:
    """Does the place get a new value in the steps, which may stay, before one reads it?"""
    for part, index in steps:
        step = part.steps[index]
        if any(effect.place == target for effect in part.assigned.get(index, ())):
            return True
        if index not in part.keep and not only_computes(step):
            continue
        if any(_may_read(place, target) for place in step.place_reads):
            return False
        if index not in part.keep:
            continue
        if not all(isinstance(e, Assign) or of_launch(e, part.run) for e in step.effects):
            return False
        if _only_assignment(step) == target:
            return True
        if launches(step) and _assigns_in_helper(part, step):
            if any(isinstance(e, Assign) and e.place == target for e in step.effects):
                return True
    return False


def _only_assignment(step: Step) -> Place | None:
    """The place that a plain assignment gives a value."""
    if len(step.nodes) != 1 or len(step.effects) != 1 or step.writes or step.returns:
        return None
    node, effect = step.nodes[0], step.effects[0]
    if not isinstance(node, c_ast.Assignment) or node.op != "=":
        return None
    return effect.place if isinstance(effect, Assign) and effect.certain else None


def _may_read(place: Place, target: Place) -> bool:
    """May reading one place see what was assigned to the other?"""
    if isinstance(place.root, Local):
        return False
    if place.root == target.root:
        return place.within(target) or target.within(place)
    return place.path[-1:] == target.path[-1:]
