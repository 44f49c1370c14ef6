"""A fused library function: host statements in order, one launch, a guard before all."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from pycparser import c_ast

from kfusion.fuse.model import FusedKernel, FusedParameter
from kfusion.graph.model import Group
from kfusion.host.effects import Effect, Launch, SetArgument
from kfusion.host.expressions import Step
from kfusion.host.library import Run
from kfusion.host.equality import identity
from kfusion.host.merge import RegionAnalysis
from kfusion.host.regions import RegionCall, argument_ranges
from kfusion.host.symbolic import Entry, Global, Local, Num, Sym
from kfusion.kernel.model import Parameter
from kfusion.parse.unit import Unit
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.events import join_events
from kfusion.regenerate.guards import Guard, make_guard
from kfusion.regenerate.pieces import (
    CannotWrite,
    Piece,
    column_of,
    step_piece,
)
from kfusion.regenerate.signature import make_signature
from kfusion.regenerate.template import call_template
from kfusion.source.lexer import Kind, tokenize
from kfusion.source.text import Edit


WIDTH = 96


@dataclass(frozen=True)
class FusedFunction:
    """What a region calls instead of a group of functions."""

    name: str
    unit: Unit  # the library file that it is added to
    text: str
    prototype: str
    arguments: tuple[str, ...]  # of the call, as written in the application
    kernel: FusedKernel
    components: frozenset[str]  # names under which the library keeps the handles


@dataclass
class _Part:
    """One call within the function: its execution and what is kept of it."""

    number: int
    call: RegionCall
    run: Run
    names: dict[str, str]  # the function's own names, in the new function
    keep: set[int] = field(default_factory=set)  # steps
    needed: set[str] = field(default_factory=set)  # variables that the launch reads

    @property
    def unit(self) -> Unit:
        return self.run.function.unit


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
        runs = analysis.segment(first, last).runs[: last - first + 1]
        calls = analysis.region.calls[first : last + 1]
        self.signature = make_signature(calls, runs, taken)
        self.parts = [
            _Part(i, call, run, dict(self.signature.names[i]))
            for i, (call, run) in enumerate(zip(calls, runs, strict=True))
        ]
        self.last = self.parts[-1]
        self.renderer = Renderer(self.signature.values)
        self.indent = " " * (column_of(self.last.unit, self._body_start()) or 4)
        self.temporaries: list[str] = []
        self.used = set(taken) | self._local_names() | set(self.signature.types)
        self.used |= {new for names in self.signature.names for new in names.values()}
        self.fused = self._unique("fused")

    def _body_start(self) -> int:
        step = self.last.run.steps[0]
        return self.last.unit.span(step.first, step.last).start

    def _local_names(self) -> set[str]:
        return {n for p in self.parts for n in p.run.frame.variables}

    def _unique(self, name: str) -> str:
        number, result = 2, name
        while result in self.used:
            result, number = f"{name}{number}", number + 1
        self.used.add(result)
        return result

    def build(self) -> FusedFunction:
        guard = make_guard(
            self.analysis, self.group, [p.run for p in self.parts], self.renderer
        )
        self.events = join_events(
            [p.run.launch for p in self.parts], self.renderer, self._unique, self.indent
        )
        for part in self.parts:
            self._select(part)
        settings = [self._setting(i, p) for i, p in enumerate(self.kernel.parameters)]
        pieces = self._pieces(settings)
        text = self._assemble(guard, pieces)
        return FusedFunction(
            self.name,
            self.last.unit,
            text,
            f"{self._head()};",
            self.signature.arguments,
            self.kernel,
            frozenset(filter(None, (_handle_name(p.run.launch.kernel) for p in self.parts))),
        )

    # What is kept

    def _select(self, part: _Part) -> None:
        """Statements with effects of their own stay; the launch and its arguments go."""
        writer: dict[str, int] = {}
        is_last = part is self.last
        for index, step in enumerate(part.run.steps):
            if step.guard:
                continue
            others = [e for e in step.effects if not _of_launch(e, part.run)]
            if others and not is_last:
                self._refuse_lost_status(part, step, writer)
            own = [e for e in step.effects if _of_launch(e, part.run)]
            if others and own and not is_last:
                raise CannotWrite("one statement launches and does something else as well")
            check = _is_check(step)
            if others or (is_last and (own or step.returns)):
                if not (own and not others and not _has_launch(step)):
                    part.keep.add(index)
            elif check and any(writer.get(v, -1) in part.keep for v in step.reads):
                part.keep.add(index)
            elif check and is_last and self._checks_settings(part, index, writer):
                part.keep.add(index)
            for variable in step.writes:
                writer[variable] = index
        if not is_last:
            part.keep = {i for i in part.keep if not part.run.steps[i].returns or _has_own_effects(part.run.steps[i], part.run)}

    def _refuse_lost_status(self, part: _Part, step: Step, writer: dict[str, int]) -> None:
        """What stays may not read what a dropped statement computed."""
        for name in sorted(step.reads):
            index = writer.get(name)
            if index is not None and any(
                _of_launch(e, part.run) for e in part.run.steps[index].effects
            ):
                raise CannotWrite(
                    f"'{name}' in {part.run.function.name} holds the status of a call that moves, "
                    "and is used"
                )

    def _checks_settings(self, part: _Part, index: int, writer: dict[str, int]) -> bool:
        """`if (err) return err;` after all arguments are set, for `err |= ...` forms."""
        step = part.run.steps[index]
        for variable in step.reads:
            source = writer.get(variable, -1)
            if source >= 0 and any(isinstance(e, SetArgument) for e in part.run.steps[source].effects):
                return not self._each_checked(part)
        return False

    def _each_checked(self, part: _Part) -> bool:
        return call_template(part.run, SetArgument).check is not None

    # Kernel arguments

    def _setting(self, index: int, parameter: FusedParameter) -> tuple[str, str]:
        """Size and pointer of a kernel argument, as C text."""
        part, effect = self._source(parameter)
        size = self._size(part, effect)
        if effect.place is None:
            return size, "NULL"
        root = effect.place.root
        if isinstance(root, Local):
            if root.frame == part.run.frame.number and not effect.place.path:
                self._need(part, root.name)
                return size, f"&{part.names.get(root.name, root.name)}"
            return size, self._copied(part, effect, parameter)
        text = self.renderer.place(effect.place)
        if text is None:
            raise CannotWrite(f"'{effect.place}' cannot be named in the fused function")
        return size, f"&{text}"

    def _source(self, parameter: FusedParameter) -> tuple[_Part, SetArgument]:
        """A call that sets the argument; the last one if it does."""
        found = None
        for part, member in zip(self.parts, self.group.members, strict=True):
            invocation = self.analysis.invocations[member]
            for position, argument in enumerate(invocation.arguments):
                if (
                    argument.name == parameter.argument.name
                    and type(argument) is type(parameter.argument)
                    and _has_type(parameter, invocation.kernel.parameters[position])
                ):
                    found = part, part.run.set_arguments[position]
        if found is None:
            raise CannotWrite(f"no call sets '{parameter.argument.name}'")
        return found

    def _size(self, part: _Part, effect: SetArgument) -> str:
        written = _written_arguments(part.unit, effect.node, part.run)
        if written is not None:
            first, last = written[2]
            return part_text(part, first, last)
        text = self.renderer.value(effect.size)
        if text is None:
            raise CannotWrite("the size of an argument is not known")
        return text

    def _copied(self, part: _Part, effect: SetArgument, parameter: FusedParameter) -> str:
        """An argument that went through an array or a helper's parameter."""
        value = identity(effect.value) if effect.value is not None else None
        if isinstance(value, Entry) and str(effect.size).startswith("sizeof(cl_mem"):
            text = self.renderer.place(value.place)
            if text:
                return f"&{text}"
        text = self.renderer.value(value) if value is not None else None
        kind = re.fullmatch(r"sizeof\((\w[\w ]*)\)", self._size(part, effect))
        if text is None or kind is None:
            raise CannotWrite(f"'{effect.value}' cannot be named in the fused function")
        name = self._unique(parameter.name)
        self.temporaries.append(f"const {kind.group(1)} {name} = {text};")
        return f"&{name}"

    def _need(self, part: _Part, variable: str) -> None:
        """Keep the statements that compute a variable."""
        part.needed.add(variable)
        for index, step in enumerate(part.run.steps):
            if variable in step.writes and index not in part.keep and not step.guard:
                if any(_of_launch(e, part.run) for e in step.effects):
                    continue
                part.keep.add(index)
                for name in sorted(step.reads):
                    self._need(part, name)

    # Text

    def _pieces(self, settings: list[tuple[str, str]]) -> list[tuple[_Part, list[Piece]]]:
        result = []
        for part in self.parts:
            result.append((part, self._drop_dead(part, self._part_pieces(part, settings))))
        self._share_declarations(result)
        return result

    def _part_pieces(self, part: _Part, settings: list[tuple[str, str]]) -> list[Piece]:
        pieces: list[Piece] = []
        is_last = part is self.last
        inserted = self._last_setting(part) if is_last else -1
        steps = part.run.steps
        for index, step in enumerate(steps):
            launches = _has_launch(step)
            if index == inserted:
                pieces += self._setting_pieces(part, step, settings)
            local_only = bool(step.writes) and not step.effects and not step.guard
            needed = is_last and local_only and not (self._is_setting_check(part, index))
            if index in part.keep or (needed and not step.returns):
                pieces.append(self._step_piece(part, step, launches and is_last))
                if launches and is_last and self.events.after:
                    if step.returns:
                        raise CannotWrite("the launch is returned before its event is handed out")
                    pieces += [Piece(line) for line in self.events.after]
            elif not is_last and local_only:
                pieces.append(self._step_piece(part, step, False))
        return pieces

    def _last_setting(self, part: _Part) -> int:
        """The step where all arguments are set: what they hold is computed by then."""
        steps = part.run.steps
        found = [
            i for i, s in enumerate(steps) if any(isinstance(e, SetArgument) for e in s.effects)
        ]
        launch = part.run.launch_step
        settings = [i for i in found if i <= launch]
        if not settings:
            return launch
        declared = {n for i in settings[:-1] for n in steps[i].writes}
        for step in steps[settings[0] : settings[-1]]:
            if step.writes and not step.effects and step.reads & declared:
                raise CannotWrite(
                    f"a status is used between the arguments that {part.run.function.name} sets"
                )
        return settings[-1]

    def _is_setting_check(self, part: _Part, index: int) -> bool:
        return False

    def _step_piece(self, part: _Part, step: Step, launches: bool) -> Piece:
        edits: list[Edit] = []
        if launches:
            edits = self._launch_edits(part, step)
        piece = step_piece(part.unit, step, edits, part.names)
        return replace(piece, effects=_has_own_effects(step, part.run))

    def _launch_edits(self, part: _Part, step: Step) -> list[Edit]:
        """The launch with the fused kernel in place of the function's own."""
        launch = part.run.launch
        written = _written_arguments(part.unit, launch.node, part.run)
        if written is not None:
            start, end = part.unit.range(*written[1])
            if part.unit.tokens[written[1][0]].start < 0:
                raise CannotWrite("the kernel of the launch is named by a macro")
            edits = [Edit(start, end, self.fused)]
            if self.events.changed:
                tail = part.unit.range(*written[6])[0], part.unit.range(*written[8])[1]
                edits.append(Edit(*tail, ", ".join(self.events.arguments)))
            return edits
        template = call_template(part.run, Launch)
        return [Edit(template.start, template.end, self._own_launch(launch))]

    def _own_launch(self, launch: Launch) -> str:
        """The call that a helper function made, written out."""
        queue = self.renderer.value(launch.queue)
        sizes = [self._array("offset", launch.offset), self._array("global", launch.size)]
        local = self._array("local", launch.local)
        if queue is None or not isinstance(launch.dimensions, Num):
            raise CannotWrite("the queue of a launch is not known")
        return (
            f"clEnqueueNDRangeKernel({queue}, {self.fused}, {launch.dimensions.value}, "
            f"{sizes[0]}, {sizes[1]}, {local}, {', '.join(self.events.arguments)})"
        )

    def _array(self, name: str, values: tuple[Sym, ...] | None) -> str:
        if values is None:
            return "NULL"
        texts = [self.renderer.value(v) for v in values]
        if any(t is None for t in texts):
            raise CannotWrite(f"the {name} size of a launch is not known on entry")
        name = self._unique(name)
        listed = ", ".join(t for t in texts if t)
        if len(values) == 1:
            self.temporaries.append(f"const size_t {name} = {listed};")
            return f"&{name}"
        self.temporaries.append(f"const size_t {name}[{len(values)}] = {{{listed}}};")
        return name

    def _setting_pieces(
        self, part: _Part, step: Step, settings: list[tuple[str, str]]
    ) -> list[Piece]:
        """clSetKernelArg for every argument, in the form that the function itself uses."""
        template = call_template(part.run, SetArgument)
        calls = [
            f"clSetKernelArg({self.fused}, {i}, {size}, {pointer})"
            for i, (size, pointer) in enumerate(settings)
        ]
        texts = template.fill(calls, part.unit, part.names)
        blank = bool(self.temporaries) or part.number > 0 or True
        return [Piece(text, blank_before=blank and i == 0) for i, text in enumerate(texts)]

    def _drop_dead(self, part: _Part, pieces: list[Piece]) -> list[Piece]:
        """Without declarations and computations that nothing of the part reads."""
        needed = {part.names.get(n, n) for n in part.needed}
        if part is self.last:
            needed |= {t for line in self.temporaries for t in re.findall(r"\w+", line)}
        while True:
            kept = []
            for piece in pieces:
                targets = _computes(piece.text)
                read = needed.union(*(_reads(p.text) for p in pieces if p is not piece))
                if piece.effects or targets is None or targets & (read | _own_reads(piece.text, targets)):
                    kept.append(piece)
            if len(kept) == len(pieces):
                return kept
            pieces = kept

    def _share_declarations(self, parts: list[tuple[_Part, list[Piece]]]) -> None:
        """One declaration for a variable that several functions declare alike."""
        declared: dict[str, str] = {}
        for part, pieces in parts:
            for index, piece in enumerate(list(pieces)):
                names = _declares(piece.text)
                if not names:
                    continue
                clash = [n for n in names if n in declared]
                if not clash:
                    declared.update(dict.fromkeys(names, piece.text))
                elif all(declared[n] == piece.text for n in names) and "=" not in piece.text:
                    pieces[index] = Piece("")
                elif all(declared[n] == piece.text for n in names) and piece.text.startswith("const"):
                    pieces[index] = Piece("")
                else:
                    self._rename_clash(part, pieces, clash)
                    declared.update(dict.fromkeys(_declares(pieces[index].text), pieces[index].text))
            pieces[:] = [p for p in pieces if p.text]

    def _rename_clash(self, part: _Part, pieces: list[Piece], clash: list[str]) -> None:
        for name in clash:
            new = self._unique(name)
            for index, piece in enumerate(pieces):
                text = _replace_name(piece.text, name, new)
                pieces[index] = replace(piece, text=text)

    # The whole

    def _head(self) -> str:
        return f"{self.signature.returns}{self.name}({', '.join(self.signature.declarations)})"

    def _assemble(self, guard: Guard, parts: list[tuple[_Part, list[Piece]]]) -> str:
        indent = self.indent
        lines = [*self._comment(), *_wrapped(self._head()), "{"]
        lines += self._guard_lines(guard)
        lines.append("")
        for part, pieces in parts:
            if not pieces:
                continue
            if part is not self.last:
                lines.append(f"{indent}/* {self._call_text(part)} */")
            else:
                if len(parts) > 1 and lines[-1]:
                    lines.append("")
                lines.append(f"{indent}/* {self._call_text(part)}, and the launch of all */")
                lines += [indent + line for line in (*self.events.before, *self.temporaries)]
            for position, piece in enumerate(pieces):
                new = piece.lines(indent)
                if position == 0 and new and not new[0]:
                    new = new[1:]
                lines += new
        lines.append("}")
        return "\n".join(_single_blanks(lines)) + "\n"

    def _comment(self) -> list[str]:
        names = [p.run.function.name for p in self.parts]
        listed = ", ".join(names[:-1]) + f" and {names[-1]}"
        where = self.analysis.region.name
        return _block_comment(f"{listed} in one kernel, for the region at {where}.")

    def _call_text(self, part: _Part) -> str:
        arguments = [part.names[p.name] for p in part.run.function.parameters]
        return f"{part.run.function.name}({', '.join(arguments)})"

    def _guard_lines(self, guard: Guard) -> list[str]:
        indent = self.indent
        cache = self._unique("cache")
        component = self._component()
        queue = self.renderer.value(self.last.run.launch.queue)
        if queue is None:
            raise CannotWrite("the queue is not known on entry")
        make = f"kfusion_kernel(&{cache}, {component}, {queue}, {self._local_size()})"
        required = list(guard.required)
        if required and re.search(r"->|\*|\[", make):  # pointers that are checked, perhaps
            tested = " || ".join(required)
            make, required = f"({tested}) ? NULL : {make}", []
        lines = [
            f'{indent}static KFUSION_KERNEL({cache}, "{self.kernel.name}");',
            *_wrapped(f"{indent}cl_kernel {self.fused} = {make}", ";"),
            "",
        ]
        conditions = [f"{self.fused} == NULL", *required, *guard.conditions]
        if guard.written:
            memory = [*guard.written, *guard.others]
            listed = ", ".join(memory)
            conditions.append(f"!kfusion_apart({len(guard.written)}, {len(memory)}, {listed})")
        lines += _condition_lines(conditions, indent)
        lines += [indent * 2 + line for line in self._fallback(cache)]
        lines.append(f"{indent}}}")
        return lines

    def _component(self) -> str:
        for part in reversed(self.parts):
            text = self.renderer.value(identity(part.run.launch.kernel))
            if text:
                return text
        raise CannotWrite("no kernel handle is known on entry")

    def _local_size(self) -> str:
        local = self.last.run.launch.local
        if local is None:
            return "0"
        texts = [self._constant_text(v) for v in local]
        if any(t is None for t in texts):
            raise CannotWrite("the local size is not known on entry")
        return " * ".join(t for t in texts if t)

    def _constant_text(self, value: Sym) -> str | None:
        """A macro of the function's text that stands for the constant, if there is one."""
        if isinstance(value, Num):
            function = self.last.run.function.function
            unit = self.last.unit
            span = unit.span(function.body.first, function.body.last)
            for token in tokenize(span.text):
                macro = unit.macros.at_end(token.text) if token.kind is Kind.NAME else None
                if macro and macro.parameters is None and macro.body == str(value.value):
                    return macro.name
        text = self.renderer.value(value)
        return f"({text})" if text and not re.fullmatch(r"[\w.>-]+", text) else text

    def _fallback(self, cache: str) -> list[str]:
        """The original calls, in order, as the region would have made them."""
        calls = [self._call_text(p) for p in self.parts]
        told = f"kfusion_fall_back(&{cache});"
        status = self.last.call.status
        if self.signature.returns.strip() == "void":
            return [told, *(f"{c};" for c in calls), "return;"]
        if status in ("ignored", "assigned"):
            return [told, *(f"{c};" for c in calls[:-1]), f"return {calls[-1]};"]
        checked = self._checking_macro()
        if checked:
            return [told, *(f"{checked}({c});" for c in calls[:-1]), f"return {calls[-1]};"]
        kind = self.signature.returns.strip()
        name = "status" if "status" not in self.used else self._unique("status")
        lines = [told, f"{kind} {name} = {calls[0]};"]
        for call in calls[1:]:
            if status == "or-ed":
                lines.append(f"{name} |= {call};")
            else:
                lines += [f"if ({name} == 0)", f"{self.indent}{name} = {call};"]
        return [*lines, f"return {name};"]

    def _checking_macro(self) -> str | None:
        """The library's own macro that returns a status that is not zero."""
        for part in reversed(self.parts):
            name = checking_macro(part.unit, part.run)
            if name:
                return name
        return None


def _has_type(fused: FusedParameter, parameter: Parameter) -> bool:
    """One value may be given as an `int` to one kernel and as a `ulong` to another."""
    if not parameter.is_scalar:
        return True
    written = fused.text.removesuffix(fused.name).split()
    return [w for w in written if w != "const"] == parameter.type.split()


def _handle_name(handle: Sym) -> str | None:
    """The variable or member that holds a kernel handle."""
    value = identity(handle)
    if not isinstance(value, Entry):
        return None
    for step in reversed(value.place.path):
        if not step.startswith("["):
            return step
    root = value.place.root
    return root.name if isinstance(root, Global) else None


def checking_macro(unit: Unit, run: Run) -> str | None:
    for step in run.steps:
        token = unit.tokens[step.first]
        node = step.nodes[0]
        if token.macro is None or not isinstance(node, c_ast.DoWhile):
            continue
        text = unit.source.text[token.macro[0] : token.macro[1]]
        match = re.match(r"([A-Za-z_]\w*)\s*\(", text)
        macro = unit.macros.at_end(match.group(1)) if match else None
        if macro is None or macro.parameters is None or len(macro.parameters) != 1:
            continue
        if _returns_if_not_zero(node):
            return macro.name
    return None


def _returns_if_not_zero(node: c_ast.DoWhile) -> bool:
    """`do { T s = call; if (s != 0) return s; } while (0)`, and nothing else."""
    items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else None
    if not items or len(items) != 2 or not isinstance(items[0], c_ast.Decl):
        return False
    test = items[1]
    if not isinstance(test, c_ast.If) or test.iffalse is not None:
        return False
    condition = test.cond
    if isinstance(condition, c_ast.BinaryOp) and condition.op == "!=":
        if not (isinstance(condition.right, c_ast.Constant) and condition.right.value == "0"):
            return False
        condition = condition.left
    body = test.iftrue
    if isinstance(body, c_ast.Compound) and body.block_items and len(body.block_items) == 1:
        body = body.block_items[0]
    return (
        isinstance(condition, c_ast.ID)
        and condition.name == items[0].name
        and isinstance(body, c_ast.Return)
        and isinstance(body.expr, c_ast.ID)
        and body.expr.name == items[0].name
    )


def _of_launch(effect: Effect, run: Run) -> bool:
    return isinstance(effect, SetArgument) or (
        isinstance(effect, Launch) and bool(run.launches) and effect is run.launch
    )


def _has_launch(step: Step) -> bool:
    return any(isinstance(e, Launch) for e in step.effects)


def _has_own_effects(step: Step, run: Run) -> bool:
    return any(not _of_launch(e, run) for e in step.effects)


def _is_check(step: Step) -> bool:
    return (
        isinstance(step.nodes[0], c_ast.If)
        and not step.effects
        and not step.writes
        and not step.guard
    )


def _written_arguments(
    unit: Unit, node: c_ast.Node, run: Run
) -> list[tuple[int, int]] | None:
    """Token ranges of a call's arguments, if the call stands in the function itself."""
    index = unit.index(node)
    body = run.function.function.body
    if not body.first <= index <= body.last:
        return None
    ranges = argument_ranges(unit, index + 1, unit.match(index + 1))
    if any(unit.tokens[first].start < 0 and unit.tokens[first].macro is None for first, _ in ranges):
        return None
    return ranges


def part_text(part: _Part, first: int, last: int) -> str:
    step = Step([], first, last)
    return step_piece(part.unit, step, [], part.names).text


def _computes(text: str) -> set[str] | None:
    """Variables that a statement declares or assigns, if it does nothing else."""
    names = _declares(text)
    if names:
        return None if _does_something(text) else names
    match = re.fullmatch(
        r"(\w+)(?:\[[^\]]*\])?\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)[^=].*;", text, re.DOTALL
    )
    if match and not _does_something(text):
        return {match.group(1)}
    return None


_KNOWN_PURE = re.compile(r"\b(sizeof|defined)\b")


def _does_something(text: str) -> bool:
    return bool(re.search(r"\bcl[A-Z]\w*\s*\(|\+\+|--", text))


_DECLARATION = re.compile(
    r"(?:(?:static|const|volatile|unsigned|signed|struct|enum|union|register)\s+)*"
    r"[A-Za-z_]\w*(?:\s+(?:const|int|long|char|short|double))*[\s*]+(?:const\s+)?[A-Za-z_]"
)
_STATEMENT_WORDS = ("return", "goto", "else", "case", "if", "for", "while", "do", "switch", "break")


def _declares(text: str) -> set[str]:
    """Names that a declaration statement declares (empty: it is no declaration)."""
    tokens = tokenize(text)
    if not tokens or tokens[0].text in _STATEMENT_WORDS or not _DECLARATION.match(text):
        return set()
    names: set[str] = set()
    depth, candidate = 0, ""
    seen_names = 0
    in_value = False
    for token in tokens:
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        elif depth == 0 and token.text in ("=", ",", ";"):
            if candidate and not in_value and (seen_names > 1 or names):
                names.add(candidate)
            in_value = token.text == "="
            candidate = "" if token.text != "=" else candidate
        elif depth == 0 and token.kind is Kind.NAME and not in_value:
            candidate = token.text
            seen_names += 1
    return names


def _reads(text: str) -> set[str]:
    """Names that a statement reads: all but the ones that it only sets."""
    tokens = tokenize(text)
    names = {t.text for t in tokens if t.kind is Kind.NAME}
    declared = _declares(text)
    for name in declared:
        if sum(t.text == name for t in tokens) == 1:
            names.discard(name)
    match = re.fullmatch(r"(\w+)(?:\[\w+\])?\s*=(?!=).*;", text, re.DOTALL)
    if match and sum(t.text == match.group(1) for t in tokens) == 1:
        names.discard(match.group(1))
    return names


def _own_reads(text: str, targets: set[str]) -> set[str]:
    """Of several declared names, those that the declaration itself uses."""
    return targets & _reads(text) if len(targets) > 1 else set()


def _replace_name(text: str, name: str, new: str) -> str:
    tokens = tokenize(text)
    result, position = [], 0
    for index, token in enumerate(tokens):
        member = index > 0 and tokens[index - 1].text in (".", "->")
        if token.kind is Kind.NAME and token.text == name and not member:
            result += [text[position : token.start], new]
            position = token.end
    return "".join([*result, text[position:]])


def _condition_lines(conditions: list[str], indent: str) -> list[str]:
    """`if (a || b ...) {`, several conditions to a line."""
    lines, current = [], f"{indent}if ({conditions[0]}"
    for condition in conditions[1:]:
        if len(current) + len(condition) + 4 > WIDTH:
            lines.append(current)
            current = f"{indent}{indent}|| {condition}"
        else:
            current += f" || {condition}"
    return [*lines, *_wrapped(current, ") {")]


def _wrapped(text: str, end: str = "") -> list[str]:
    """Break a call or declaration after commas, aligned behind its last opening bracket."""
    if len(text) + len(end) <= WIDTH:
        return [text + end]
    opening = text.rindex("(") + 1
    pad, lines, current = " " * opening, [], text[:opening]
    parts = text[opening:].split(", ")
    for number, part in enumerate(parts):
        piece = part + (", " if number < len(parts) - 1 else end)
        if len(current) + len(piece.rstrip()) > WIDTH:
            lines.append(current.rstrip())
            current = pad
        current += piece
    return [*lines, current]


def _block_comment(text: str) -> list[str]:
    if len(text) <= 88:
        return [f"/* {text} */"]
    words, lines, current = text.split(" "), ["/*"], " *"
    for word in words:
        if len(current) + len(word) + 1 > 90:
            lines.append(current)
            current = " *"
        current += f" {word}"
    return [*lines, current, " */"]


def _single_blanks(lines: list[str]) -> list[str]:
    result: list[str] = []
    for line in lines:
        if not line.strip() and (not result or not result[-1].strip() or result[-1] == "{"):
            continue
        result.append(line)
    return result

