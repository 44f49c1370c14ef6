"""Kernel arguments of a fused kernel: what is set, as C text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from pycparser import c_ast

from kfusion.graph.model import Equal, Group
from kfusion.host.effects import SetArgument
from kfusion.host.equality import identity
from kfusion.host.frames import Step
from kfusion.host.merge import RegionAnalysis
from kfusion.host.spelling import spell, spell_place
from kfusion.host.symbolic import App, Entry, Local, State, Sym, leaves
from kfusion.kernel.model import Parameter
from kfusion.parse.unit import descendants
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.parts import Part, written_arguments
from kfusion.regenerate.pieces import CannotWriteError, step_piece
from kfusion.regenerate.template import is_only_another_name
from kfusion.source.dataclasses import dataclass
from kfusion.source.text import Span
from kfusion.synthesis.model import FusedParameter


@dataclass
class Settings:
    """Finds for each parameter the size and the pointer that clSetKernelArg gets."""

    analysis: RegionAnalysis
    group: Group
    parts: list[Part]
    renderer: Renderer
    unique: Callable[[str], str]
    temporaries: list[str] = field(default_factory=list)  # declarations in front

    @property
    def at_launch(self) -> State:
        state = self.parts[-1].run.state_at_launch
        assert state is not None
        return state

    def of(self, parameter: FusedParameter) -> tuple[str, str]:
        part, effect = self.source(parameter)
        size = self._size(part, effect)
        place = effect.place
        if place is None:
            return size, "NULL"
        if isinstance(place.root, Local):
            name: str | None = place.root.name
            if place.root.frame != part.run.frame.number or place.path:
                name = _handed_on(part, effect)
                if name is None:
                    return self._copied(part, effect, parameter)
                size = f"sizeof {part.names.get(name, name)}"
            assert name is not None
            self._refuse_changes(part, effect, name)
            part.needed.add(name)
            return size, f"&{part.names.get(name, name)}"
        self._require_unchanged(part, effect)
        address = self.renderer.address(place)
        if address is None:
            raise CannotWriteError(
                f"'{spell_place(place)}' cannot be named in the fused function",
                part.unit.node_span(effect.node),
            )
        return size, address

    def source(self, parameter: FusedParameter) -> tuple[Part, SetArgument]:
        """The last call that sets the argument, or one that the guard finds equal."""
        found = None
        same = self._equal_names(parameter.argument.name)
        for part, member in zip(self.parts, self.group.members, strict=True):
            invocation = self.analysis.invocations[member]
            for position, argument in enumerate(invocation.arguments):
                if (
                    argument.name in same
                    and type(argument) is type(parameter.argument)
                    and _has_type(parameter, invocation.kernel.parameters[position])
                ):
                    found = part, part.run.set_arguments[position]
        if found is None:
            raise CannotWriteError(f"no call sets '{parameter.argument}'")
        return found

    def _equal_names(self, name: str) -> set[str]:
        """Scalars that the guard checks to be equal to this one."""
        names = {name}
        pairs = [(a.left, a.right) for a in self.group.assumptions if isinstance(a, Equal)]
        while True:
            more = {n for pair in pairs if names & set(pair) for n in pair} - names
            if not more:
                return names
            names |= more

    def _size(self, part: Part, effect: SetArgument) -> str:
        written = written_arguments(part, effect.node)
        if written is not None:
            first, last = written[2]
            return step_piece(part.unit, Step([], first, last), [], part.names).text
        text = self.renderer.value(effect.size)
        if text is None:
            raise CannotWriteError(
                "the size of an argument is not known", part.unit.node_span(effect.node)
            )
        return text

    def _refuse_changes(self, part: Part, effect: SetArgument, name: str) -> None:
        """A variable must hold until the fused launch what it held when it was set."""
        steps = part.steps
        at = next(i for i, step in enumerate(steps) if effect in step.effects)
        end = part.setting_step if part.is_last else len(steps)
        if any(name in step.writes for step in steps[at + 1 : end]):
            raise CannotWriteError(
                f"'{name}' changes after it was set as an argument",
                part.unit.node_span(effect.node),
            )

    def _require_unchanged(self, part: Part, effect: SetArgument) -> None:
        assert effect.place is not None
        if not effect.is_unchanged(self.at_launch):
            name = spell_place(effect.place)
            raise CannotWriteError(
                f"'{name}' changes after it was set as an argument",
                part.unit.node_span(effect.node),
            )

    def _copied(
        self, part: Part, effect: SetArgument, parameter: FusedParameter
    ) -> tuple[str, str]:
        """An argument that went through an array or a helper's parameter."""
        value = effect.value
        assert value is not None
        known = identity(value)
        where = part.unit.node_span(effect.node)
        if effect.parts is not None:
            raise CannotWriteError("an argument is an array or a struct of a helper", where)
        self._require_known_at_launch(known, value, where)
        if isinstance(known, Entry) and effect.type in ("cl_mem", ""):
            address = self.renderer.address(known.place)
            if address and (effect.type or spell(effect.size) == "sizeof(cl_mem)"):
                return "sizeof(cl_mem)", address
        text = self.renderer.value(known)
        if text is None or not effect.type:
            raise CannotWriteError(f"'{spell(value)}' cannot be named in the fused function", where)
        name = self.unique(parameter.name)
        self.temporaries.append(f"const {effect.type} {name} = {text};")
        return f"sizeof {name}", f"&{name}"

    def _require_known_at_launch(self, known: Sym, value: Sym, where: Span) -> None:
        """What is read again at the launch must be what it was."""
        for leaf in leaves(known):
            if not isinstance(leaf, Entry) or isinstance(leaf.place.root, App):
                continue
            now = self.at_launch.resolve(self.at_launch.read(leaf.place))
            if now not in (leaf, value):
                raise CannotWriteError(
                    f"'{spell(leaf)}' changes after it was set as an argument", where
                )


def _handed_on(part: Part, effect: SetArgument) -> str | None:
    """The function's variable that a helper has got by value, and gives clSetKernelArg."""
    place = effect.place
    step = next((s for s in part.steps if effect in s.effects), None)
    if step is None or place is None or place.path or not isinstance(place.root, Local):
        return None
    if not is_only_another_name(part.unit, effect):
        return None  # it may change what it has got
    set_here = [e for e in step.effects if isinstance(e, SetArgument)]
    calls = [c for n in step.nodes for c in descendants(n) if isinstance(c, c_ast.FuncCall)]
    for call in calls if len(set_here) == 1 else []:
        helper = part.unit.functions.get(getattr(call.name, "name", None) or "")
        if helper is None or call.args is None:
            continue
        listed = helper.node.decl.type.args
        names = [getattr(p, "name", None) for p in (listed.params if listed is not None else [])]
        inside = helper.body.first <= part.unit.index(effect.node) <= helper.body.last
        if not inside or place.root.name not in names:
            continue
        given = call.args.exprs[names.index(place.root.name)]
        own = part.run.frame.variables.get(getattr(given, "name", None) or "")
        if isinstance(given, c_ast.ID) and own is not None and _type_of(own) == effect.type:
            name: str = given.name
            return name
    return None


def _type_of(declared: c_ast.Decl) -> str:
    names = getattr(getattr(declared.type, "type", None), "names", None)
    return " ".join(names) if isinstance(declared.type, c_ast.TypeDecl) and names else ""


def _has_type(fused: FusedParameter, parameter: Parameter) -> bool:
    """One value may be given as an `int` to one kernel and as a `ulong` to another."""
    if not parameter.is_scalar:
        return True
    written = fused.text.removesuffix(fused.name).split()
    return [w for w in written if w != "const"] == parameter.type.split()
