"""A fused library function: host statements in order, one launch, a guard before all."""

from __future__ import annotations

import re
from dataclasses import replace

from kfusion.graph.model import Group
from kfusion.host.effects import Launch, SetArgument
from kfusion.host.frames import Step
from kfusion.host.library import Run
from kfusion.host.merge import RegionAnalysis
from kfusion.host.regions import RegionCall
from kfusion.host.symbolic import Num, Sym
from kfusion.parse.unit import Unit
from kfusion.regenerate.argmacros import argument_macro
from kfusion.regenerate.breaking import within_columns
from kfusion.regenerate.builds import build_conditions
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.cwords import declared
from kfusion.regenerate.events import join_events
from kfusion.regenerate.fallback import (
    component_text,
    constant_array,
    guard_conditions,
    handle_name,
    local_items,
    original_calls,
    program_conditions,
)
from kfusion.regenerate.guards import Guard, make_guard, outside_memory
from kfusion.regenerate.labels import (
    keep_behind_label,
    refuse_jumps,
    steps_behind_label,
    with_used_labels,
)
from kfusion.regenerate.launchers import (
    helper_with_kernel,
    launch_in_helper,
    written_assignment,
)
from kfusion.regenerate.layout import Style, block_comment, single_blanks, style_of
from kfusion.regenerate.parts import (
    Part,
    drop_overwritten,
    launches,
    of_launch,
    only_computes,
    own_types,
    refuse_lost_flush,
    select,
    status_condition,
    written_arguments,
)
from kfusion.regenerate.pieces import CannotWriteError, Piece, lead_of, step_piece
from kfusion.regenerate.safety import OWN_LAUNCH, check_body
from kfusion.regenerate.scopes import (
    hidden_in,
    refuse_confusion,
    refuse_own_types,
    refuse_undeclared,
    same_variable,
    shared,
)
from kfusion.regenerate.settings import Settings
from kfusion.regenerate.signature import make_signature
from kfusion.regenerate.template import call_template, own_suffix
from kfusion.regenerate.unused import Draft, without_unused
from kfusion.source.dataclasses import dataclass
from kfusion.source.text import Edit
from kfusion.synthesis.model import FusedKernel

ENQUEUE = "clEnqueueNDRangeKernel"


@dataclass(frozen=True)
class FusedFunction:
    """What a region calls instead of a group of functions."""

    name: str
    unit: Unit  # the library file that it is added to
    code: str
    components: tuple[str, ...]  # the functions that it stands for
    regions: tuple[str, ...]  # that call it, as file and line
    prototype: str
    arguments: tuple[str, ...]  # of the call, as written in the application
    kernel: FusedKernel
    handles: frozenset[str]  # names under which the library keeps the components' kernels

    @property
    def text(self) -> str:
        """With the comment above it."""
        what, where = _listed(self.components), _listed(self.regions)
        regions = "region" if len(self.regions) == 1 else "regions"
        comment = block_comment(f"{what} in one kernel, for the {regions} at {where}.")
        return "\n".join([*comment, self.code])


def _listed(words: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def build_function(
    analysis: RegionAnalysis, group: Group, kernel: FusedKernel, name: str, taken: set[str]
) -> FusedFunction:
    return _Builder(analysis, group, kernel, name, taken).build()


class _Builder:
    def __init__(
        self,
        analysis: RegionAnalysis,
        group: Group,
        kernel: FusedKernel,
        name: str,
        taken: set[str],
    ) -> None:
        self.analysis, self.group, self.kernel, self.name = analysis, group, kernel, name
        first, last = group.members[0], group.members[-1]
        runs = analysis.segments.runs(first, last)
        calls = analysis.region.calls[first : last + 1]
        others = self._compared(calls[-1])
        self.signature = make_signature(calls, runs, taken, analysis.program, others)
        self.parts = [
            Part(i, i == last - first, call, run, dict(self.signature.names[i]))
            for i, (call, run) in enumerate(zip(calls, runs, strict=True))
        ]
        self.last = self.parts[-1]
        self.unit = self.last.unit
        self.renderer = Renderer(self.signature.values, self.unit)
        self.style = self._style()
        own = {n for p in self.parts for n in p.run.frame.variables}
        self.used = set(taken) | own | set(self.signature.types)
        self.used |= {new for names in self.signature.names for new in names.values()}
        self.fused = self._unique("fused")

    def _compared(self, last: RegionCall) -> list[tuple[RegionCall, Run, int]]:
        """Arguments of other calls that lead to memory which must be apart from the group's."""
        found: list[tuple[RegionCall, Run, int]] = []
        for name in outside_memory(self.analysis, self.group):
            place = self.analysis.argument_for(name)
            if place is None:
                raise CannotWriteError(f"'{name}' is not known on entry", last.call)
            call = self.analysis.region.calls[place[0]]
            if call.function.unit is not last.function.unit:
                raise CannotWriteError("a call of another file uses the same memory", call.call)
            found.append((call, self.analysis.runs[place[0]], place[1]))
        return found

    def _style(self) -> Style:
        function = self.last.run.function.function
        start, _ = self.unit.range(function.first, function.first)  # it may begin with a macro
        body = self.unit.span(function.body.first, function.body.last)
        text = self.unit.source.text
        step = self.last.steps[0]
        lead = lead_of(self.unit, self.unit.span(step.first, step.last).start)
        return style_of(text, text[start : body.start] + "{", lead)

    def _kernel_names(self) -> set[str]:
        kernels = (self.analysis.kernel_of[member] for member in self.group.members)
        return {kernel.name for kernel in kernels if kernel is not None}

    def _unique(self, name: str) -> str:
        number, result = 2, name
        while result in self.used:
            result, number = f"{name}{number}", number + 1
        self.used.add(result)
        return result

    def build(self) -> FusedFunction:
        refuse_own_types(self.parts)
        runs = [p.run for p in self.parts]
        guard = make_guard(self.analysis, self.group, runs, self.renderer)
        self.events = join_events(
            [run.launch for run in runs], self.renderer, self._unique, self.style.indent
        )
        for part in self.parts:
            select(part)
        keep_behind_label(self.last)
        refuse_lost_flush(self.parts)
        drop_overwritten(self.parts)
        self.taken = set(self.used)
        pieces = self._compose()
        while self._rename_clashes(pieces):
            pieces = self._compose()
        refuse_confusion(self.parts, pieces)
        refuse_undeclared(self.parts, pieces)
        pieces = with_used_labels(self.parts, pieces)
        head = f"{self.signature.returns}{self.name}({', '.join(self.signature.declarations)})"
        statements = self._body_lines(pieces)
        units = list(dict.fromkeys(part.unit for part in self.parts))
        own = {p.names.get(n, n) for p in self.parts for n in p.run.frame.variables}
        check_body("\n".join(statements), self.fused, units, self.analysis.program, own)
        body = [*self._guard_lines(guard), "", *statements]
        written = {line.strip() for u in units for line in u.source.text.splitlines()}
        lines = self.style.function(self.style.wrapped(head), single_blanks(body))
        lines = within_columns([_at_margin(line) for line in lines], self.style.indent, written)
        return FusedFunction(
            self.name,
            self.unit,
            "\n".join(lines) + "\n",
            tuple(run.function.name for run in runs),
            (self.analysis.region.name,),
            "\n".join(self.style.wrapped(head, ";")),
            self.signature.arguments,
            self.kernel,
            frozenset(filter(None, (handle_name(run.launch.kernel) for run in runs))),
        )

    # Statements

    def _compose(self) -> list[list[Piece]]:
        """The statements of all parts, under the names that the parts have now."""
        self.used = set(self.taken)
        self.settings = Settings(self.analysis, self.group, self.parts, self.renderer, self._unique)
        settings = [self.settings.of(p) for p in self.kernel.parameters]
        self.launch_edits = self._launch_edits(self.last)
        return [self._pieces(part, settings) for part in self.parts]

    def _pieces(self, part: Part, settings: list[tuple[str, str]]) -> list[Piece]:
        drafts: list[Draft] = []
        for index, step in enumerate(part.steps):
            if part.is_last and index == part.setting_step:
                drafts += [Draft(p, True, set()) for p in self._setting_pieces(part, settings)]
            if index in part.keep:
                ends = part.is_last and launches(step)
                drafts.append(self._draft(part, step, ends))
                if ends and self.events.after:
                    drafts += self._hand_out_events(drafts.pop())
            elif part.assigned.get(index):
                for effect in part.assigned[index]:
                    text = written_assignment(effect, part, self.parts, self.renderer)
                    drafts.append(Draft(Piece(text), True, set()))
            elif own_types(part, step):
                piece = step_piece(part.unit, step, [], part.names)
                drafts.append(Draft(piece, False, own_types(part, step)))
            elif only_computes(step):
                drafts.append(self._draft(part, step, False))
        if part.is_last:
            behind = steps_behind_label(part)
            pieces = [step_piece(part.unit, step, [], part.names) for step in behind]
            drafts += [Draft(p, True, set()) for p in pieces]
        else:
            refuse_jumps(part)
        needed = {part.names.get(n, n) for n in part.needed}
        return without_unused(drafts, needed, part.unit)

    def _hand_out_events(self, launch: Draft) -> list[Draft]:
        """The launch, and the statements that give its event to whoever wants it."""
        texts = list(self.events.after)
        piece = launch.piece
        if piece.text.startswith("return "):
            status = self._unique("status")
            kind = self.signature.returns.strip()
            piece = replace(piece, text=f"{kind} {status} = {piece.text[len('return ') :]}")
            failed = f"if ({status} != CL_SUCCESS)\n{self.style.indent}return {status};"
            texts = [failed, *texts, f"return {status};"]
        elif self.last.steps[self.last.run.launch_step].returns:
            raise CannotWriteError(
                "the launch is returned before its event is handed out", self.last.launch_span
            )
        return [Draft(p, True, set()) for p in (piece, *map(Piece, texts))]

    def _draft(self, part: Part, step: Step, ends: bool) -> Draft:
        edits = self.launch_edits if ends else []
        piece = step_piece(part.unit, step, edits, part.names)
        condition = status_condition(part, step) if ends else None
        if condition is not None:
            head = step_piece(part.unit, Step([], *condition), [], part.names).text
            body = piece.text.replace("\n", f"\n{self.style.indent}")
            piece = replace(piece, text=f"{head}\n{self.style.indent}{body}")
        writes = {part.names.get(n, n) for n in step.writes}
        return Draft(piece, not only_computes(step), writes)

    def _setting_pieces(self, part: Part, settings: list[tuple[str, str]]) -> list[Piece]:
        """clSetKernelArg for every argument, in the form that the function itself uses."""
        macro = argument_macro(self.parts)
        if macro is not None:
            part.needed |= macro.names
            return self._arguments(macro.fill(self.fused, settings, part.names))
        template = call_template(part.run, SetArgument)
        calls = [
            f"clSetKernelArg({self.fused}, {i}, {size}, {pointer})"
            for i, (size, pointer) in enumerate(settings)
        ]
        names = dict(part.names)
        if template.status:
            names[template.status] = self._unique(template.status)
        suffixes: list[str] = []
        if '"' in template.suffix and part.run is self.parts[-1].run:
            sources = [self.settings.source(p) for p in self.kernel.parameters]
            suffixes = [own_suffix(each.run, effect, template) for each, effect in sources]
        return self._arguments(template.fill(calls, names, self.style.indent, suffixes))

    def _arguments(self, texts: list[str]) -> list[Piece]:
        declarations = [*self.events.before, *self.settings.temporaries]
        return [
            *(Piece(text) for text in declarations),
            *(Piece(text, blank_before=i == 0) for i, text in enumerate(texts)),
        ]

    def _launch_edits(self, part: Part) -> list[Edit]:
        """The launch with the fused kernel in place of the function's own."""
        launch = part.run.launch
        written = written_arguments(part, launch.node)
        if written is None:
            return [self._helpers_launch(part, launch)]
        start, end = part.unit.range(*written[1])
        if part.unit.tokens[written[1][0]].start < 0:
            raise CannotWriteError("the kernel of the launch is named by a macro", part.launch_span)
        edits = [Edit(start, end, self.fused)]
        if self.kernel.elements > 1:
            edits.append(self._by_several(part, launch))
        if self.events.changed:
            tail = part.unit.range(*written[6])[0], part.unit.range(*written[8])[1]
            edits.append(Edit(*tail, ", ".join(self.events.arguments)))
        return edits

    def _by_several(self, part: Part, launch: Launch) -> Edit:
        """The function of the generated header in place of OpenCL's."""
        name = part.unit.index(launch.node)
        if part.unit.tokens[name].text != ENQUEUE or part.unit.tokens[name + 1].start < 0:
            raise CannotWriteError("the launch is made by another function", part.launch_span)
        return Edit(*part.unit.range(name, name + 1), self._call_of_launch())

    def _call_of_launch(self) -> str:
        """How it begins."""
        if self.kernel.elements == 1:
            return f"{ENQUEUE}("
        return f"{OWN_LAUNCH}({self.kernel.elements}, {len(self.kernel.parameters)}, "

    def _helpers_launch(self, part: Part, launch: Launch) -> Edit:
        """A launch that a helper makes: written out, or its call with the fused kernel."""
        program, step = self.analysis.program, part.steps[part.run.launch_step]
        own = None
        if not self.events.changed and self.kernel.elements == 1:
            own = helper_with_kernel(self.parts, program, self.fused)
        if not all(of_launch(effect, part.run) for effect in step.effects):
            if own is None:
                raise CannotWriteError(
                    "one statement launches and does something else as well", part.span(step)
                )
            return own
        known = list(self.settings.temporaries), set(self.used)
        try:
            template = call_template(part.run, Launch)
            return launch_in_helper(part, program, template, self._own_launch(launch))
        except CannotWriteError:
            if own is None:
                raise
            self.settings.temporaries, self.used = known
            return own

    def _own_launch(self, launch: Launch) -> str:
        """The call that a helper function made, written out."""
        queue = self.renderer.value(launch.queue)
        if queue is None or not isinstance(launch.dimensions, Num):
            raise CannotWriteError("the queue of a launch is not known", self.last.launch_span)
        sizes = [
            self._array("offset", launch.offset),
            self._array("global", launch.size),
            self._array("local", launch.local),
        ]
        return (
            f"{self._call_of_launch()}{queue}, {self.fused}, {launch.dimensions.value}, "
            f"{', '.join(sizes)}, {', '.join(self.events.arguments)})"
        )

    def _array(self, name: str, values: tuple[Sym, ...] | None) -> str:
        if values is None:
            return "NULL"
        constant = constant_array(values, self.last, self.renderer)
        if constant and not any(constant in p.run.frame.variables for p in self.parts):
            return constant
        texts = [self.renderer.value(v) for v in values]
        if any(t is None for t in texts):
            raise CannotWriteError(
                f"the {name} size of a launch is not known on entry", self.last.launch_span
            )
        name = self._unique(name)
        listed = ", ".join(t for t in texts if t)
        if len(values) == 1:
            self.settings.temporaries.append(f"const size_t {name} = {listed};")
            return f"&{name}"
        self.settings.temporaries.append(f"const size_t {name}[{len(values)}] = {{{listed}}};")
        return name

    def _rename_clashes(self, parts: list[list[Piece]]) -> bool:
        """One declaration for what several functions declare alike; new names otherwise."""
        known: dict[str, str] = {}
        renamed = False
        for part, pieces in zip(self.parts, parts, strict=True):
            hidden = hidden_in(part, pieces)
            for index, piece in enumerate(pieces):
                names = declared(piece.text)
                clash = [name for name in names if name in known]
                alike = clash == names and all(known[n] == piece.text for n in names)
                if clash and alike and same_variable(piece, part, self.parts[: part.number]):
                    pieces[index] = Piece("")
                    continue
                one = None
                if clash == names and hidden & set(clash):
                    one = shared(piece, known[clash[0]], self.parts[: part.number])
                if one is not None:
                    pieces[index] = one
                    continue
                for name in clash:
                    variables = part.run.frame.variables
                    own = next((n for n in variables if n and part.names.get(n, n) == name), None)
                    if own is None:
                        raise CannotWriteError(f"'{name}' is a type in one of them only")
                    part.names[own] = self._unique(name)
                    self.taken.add(part.names[own])
                    renamed = True
                known.update(dict.fromkeys(names, piece.text))
            pieces[:] = [piece for piece in pieces if piece.text]
        return renamed

    # The whole

    def _guard_lines(self, guard: Guard) -> list[str]:
        cache = self._unique("cache")
        component = component_text(self.parts, self.renderer)
        queue = self.renderer.value(self.last.run.launch.queue)
        if queue is None:
            raise CannotWriteError("the queue is not known on entry", self.last.launch_span)
        local = local_items(self.last, self.renderer)
        if self.kernel.elements > 1 and local == "0":
            local = "KFUSION_GROUP"
        make = f"kfusion_kernel(&{cache}, {component}, {queue}, {local})"
        has_kernel = [f"{self.fused} == NULL", *guard.required]
        declaration = f"cl_kernel {self.fused} = {make}"
        if guard.required and re.search(r"->|\*|\[", make):  # pointers that are checked, perhaps
            has_kernel = [*guard.required, f"({self.fused} = {make}) == NULL"]
            declaration = f"cl_kernel {self.fused}"
        conditions = [
            *guard_conditions(guard, has_kernel),
            *program_conditions(
                self._kernel_names(), self.analysis.origins, self.parts, self.renderer
            ),
        ]
        builds = build_conditions(self.parts, self.analysis.program)
        if builds and declaration == f"cl_kernel {self.fused}":
            raise CannotWriteError("an #if in one of them cannot be checked before its pointers")
        *first, condition = self.style.condition(conditions)
        returns = self.signature.returns.strip()
        fallback = [
            f"kfusion_fall_back(&{cache});",
            *original_calls(self.parts, returns, self.style.indent, self.used),
        ]
        return [
            f'static KFUSION_KERNEL({cache}, "{self.kernel.name}");',
            *self.style.wrapped(declaration, ";", 4),
            "",
            *self._other_builds(builds),
            *first,
            *self.style.block(condition, fallback),
        ]

    def _other_builds(self, builds: list[str]) -> list[str]:
        if not builds:
            return []
        condition = " && ".join(builds)
        other = condition[1:] if re.fullmatch(r"!defined\(\w+\)", condition) else f"!({condition})"
        reset = f"{self.fused} = NULL; /* in this build the functions are others */"
        return [f"#if {other}", reset, "#endif"]

    def _body_lines(self, parts: list[list[Piece]]) -> list[str]:
        lines: list[str] = []
        for part, pieces in zip(self.parts, parts, strict=True):
            if not pieces:
                continue
            if part.is_last:
                lines += ["", f"/* {part.text_of_call}, and the launch of all */"]
            else:
                lines.append(f"/* {part.text_of_call} */")
            for position, piece in enumerate(pieces):
                new = piece.lines("")
                lines += new[1:] if position == 0 and not new[0] else new
        return lines


def _at_margin(line: str) -> str:
    """Lines of the preprocessor begin in the first column."""
    return line.lstrip() if line.lstrip().startswith(("#if", "#endif")) else line
