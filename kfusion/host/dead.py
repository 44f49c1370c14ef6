"""Is a memory object dead after a region although nobody said so?

An object comes in, by its name and that of the variable that it belongs to; yes goes out only
if the whole function shows it: the variable is the function's own, its handle never goes
anywhere else, and nothing that may run later reads what is on the device.
"""

from __future__ import annotations

from functools import cached_property

from pycparser import c_ast

from kfusion.host.effects import (
    Assign,
    Create,
    Effect,
    Launch,
    SetArgument,
    Synchronise,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import is_new_buffer
from kfusion.host.keeping import (
    carried_by,
    has_choice,
    keeps_handle,
    made_into,
    may_change,
    overlapping,
    parts_of,
    places_in,
    reads_object,
)
from kfusion.host.library import LibraryExecutor, Run
from kfusion.host.loops import is_loop
from kfusion.host.merge import RegionAnalysis
from kfusion.host.program import constant
from kfusion.host.surroundings import Surroundings
from kfusion.host.symbolic import App, Entry, Made, Num, Place, Ref, State, Sym, Unknown, leaves
from kfusion.host.uses import Uses, declarations_of, has_goto
from kfusion.kernel.model import Kernel
from kfusion.parse.unit import descendants
from kfusion.source.protections import is_on, protection

LIVE = protection("host-liveness", "an object that is read after the region is taken as dead")
OWN_MEMORY = protection("host-own-memory", "an object is dead though its memory is shared")
COPIED_HANDLE = protection("host-copied-handle", "an object is dead though it began as a copy")
LEFT_BEHIND = protection("host-left-behind", "an object is dead though it stays set as an argument")
HANDED_BACK = protection("host-handed-back", "an object is dead though a call returned it")
_NARROW = frozenset(
    "void char short int signed unsigned float double _Bool bool cl_int cl_uint cl_bool cl_float "
    "cl_double int32_t uint32_t".split()
)
# a handle fits into them
_WIDE = frozenset(
    "long size_t ssize_t ptrdiff_t cl_long cl_ulong int64_t uint64_t intptr_t uintptr_t "
    "intmax_t uintmax_t".split()
)
_NUMBERS = _NARROW | _WIDE


class DeadObjects:
    """Objects that nothing reads after one region."""

    def __init__(self, analysis: RegionAnalysis, around: Surroundings) -> None:
        self.analysis, self.around = analysis, around
        self.unit, self.path = around.unit, around.path
        self.first = self.unit.index(around.here)  # the region's braces, as tokens
        self.last = self.unit.match(self.first)
        # What the names mean that calls of the function may use.
        self._scope = frozenset((name, id(node)) for name, node in around.variables.items())

    def is_dead(self, name: str, owner: str) -> bool:
        value = self.analysis.values[name]
        if not is_on(LIVE):
            return True
        scope, declared = self._declaration(owner)
        if declared is None or not isinstance(value, Entry):
            return False
        if not isinstance(value.place.root, App):
            return False
        local = isinstance(declared.type, c_ast.TypeDecl) and not (
            {"static", "extern"} & set(declared.storage)
        )
        if not local or self._is_parameter(owner) or has_goto(self.around.body):
            return False
        own = declared.init is None or self._is_constant(declared.init)
        if is_on(COPIED_HANDLE) and not own:
            return False
        uses = Uses(owner)
        uses.visit(scope)
        if uses.escapes or (value.place.path and value.place.path[0] in uses.members):
            return False
        # Most objects that live are read by one of the calls that follow: ask these first.
        calls = sorted(uses.calls, key=self._distance)
        if not all(self._is_harmless(call, name, owner) for call in calls):
            return False
        return not (self.around.in_loop and self._guards_change)

    def _distance(self, call: c_ast.FuncCall) -> int:
        """0 for what follows, in the innermost loop first; then what comes before."""
        index = self.unit.index(call.name)
        loops = [n for n in self.path if is_loop(n)]
        inner = loops[-1].stmt if loops else self.path[-1]
        opening = self.unit.index(inner)
        if loops and isinstance(inner, c_ast.Compound):
            if opening <= index <= self.unit.match(opening):
                return 0 if index > self.last else 1
        return 2 if index > self.last else 3

    def _declaration(self, owner: str) -> tuple[c_ast.Node, c_ast.Decl | None]:
        """The block that declares the variable, if the name means nothing else in there."""
        for outer, inner in reversed(list(zip(self.path, [*self.path[1:], None], strict=True))):
            if not isinstance(outer, c_ast.Compound):
                continue
            for item in outer.block_items or []:
                if item is inner:
                    break
                if isinstance(item, c_ast.Decl) and item.name == owner:
                    # inside the region's own braces the calls above it get another variable
                    scope = outer if inner is not None else self.around.body
                    once = declarations_of(scope, owner) == 1
                    return scope, item if once and (inner or not self._is_global(owner)) else None
        return self.around.body, None

    def _is_global(self, name: str) -> bool:
        return self.analysis.program.global_of(name, self.unit) is not None

    def _is_constant(self, node: c_ast.Node) -> bool:
        """Does an initialiser consist of numbers, so that it holds no handle?"""
        if isinstance(node, c_ast.Constant):
            return True
        if isinstance(node, c_ast.ID):
            if node.name in self.analysis.program.enumerators:
                return True
            declared = self.analysis.region.variables.get(node.name)
            inner = getattr(getattr(declared, "type", None), "type", None)
            names = getattr(inner, "names", None)
            return names is not None and set(names) <= _NUMBERS
        if isinstance(node, c_ast.Cast):
            return constant(node, self.analysis.program.enumerators) is not None
        if isinstance(node, c_ast.UnaryOp) and node.op == "sizeof":
            return True
        if isinstance(node, c_ast.UnaryOp) and node.op in ("&", "*"):
            return False
        if isinstance(node, c_ast.NamedInitializer):
            return self._is_constant(node.expr)
        kinds = c_ast.InitList | c_ast.UnaryOp | c_ast.BinaryOp | c_ast.TernaryOp
        parts = [child for _, child in node.children()]
        return isinstance(node, kinds) and all(map(self._is_constant, parts))

    @cached_property
    def _guards_change(self) -> bool:
        """May the enclosing loop change what the run-time guards of the region depend on?

        Then an iteration that falls back could read more than it writes.
        """
        pairs = zip(self.analysis.runs, self.analysis.kernel_of, strict=True)
        decisive = [value for run, kernel in pairs for value in self._decisive(run, kernel)]
        parts = [part for value in decisive for part in leaves(value)]
        if any(isinstance(part, Unknown) for part in parts) or any(map(has_choice, decisive)):
            return True
        used = {place for part in parts for place in places_in(part)}
        loop = next(n for n in self.path if is_loop(n))
        declared = {node.name for node in descendants(loop.stmt) if isinstance(node, c_ast.Decl)}
        if any(isinstance(p.root, App) and p.root.name in declared for p in used):
            return True
        return any(may_change(effect, used) for effect in self._loop_effects(loop))

    def _decisive(self, run: Run, kernel: Kernel | None) -> list[Sym]:
        """What the guards of a call compare: handles, sizes, conditions, whole numbers."""
        launch = run.launch
        ranges = [*launch.size, *(launch.local or ()), *(launch.offset or ())]
        assert kernel is not None
        given = [
            effect.value
            for position, effect in run.set_arguments.items()
            if effect.value is not None
            and not kernel.parameters[position].canonical.startswith(("float", "double", "half"))
        ]
        queues = {other.launch.queue for other in self.analysis.runs}
        return [
            *(queues if len(queues) > 1 else ()),
            *ranges,
            *given,
            *(condition for condition, _ in run.requirements),
        ]

    def _loop_effects(self, loop: c_ast.Node) -> list[Effect]:
        """What one iteration may do."""
        key = ("loop", loop, self._scope)
        known = self.analysis.program.remembered
        if key not in known:
            executor, state = LibraryExecutor(self.analysis.program), State()
            executor.frames = [self.around.frame()]
            executor.conditions = [executor.unknown()]
            after = executor.statement(loop.stmt, state) or state
            for part in (loop.cond, getattr(loop, "next", None)):
                if part is not None:
                    executor.value(part, after)
            known[key] = executor.effects
        found: list[Effect] = known[key]
        return found

    def _is_parameter(self, owner: str) -> bool:
        arguments = self.analysis.region.function.node.decl.type.args
        return arguments is not None and any(
            getattr(p, "name", None) == owner for p in arguments.params
        )

    def _is_harmless(self, call: c_ast.FuncCall, name: str, owner: str) -> bool:
        """The call keeps no handle; after the region it reads nothing from the device."""
        if not isinstance(call.name, c_ast.ID) or self._is_variable(call.name.name):
            return False
        done = self._alone(call)
        if done is None:
            return bool(call.name.name == "memset")
        effects, result = done
        handle = self.analysis.values[name]
        assert isinstance(handle, Entry)
        own = made_into(effects, handle.place)
        if any(keeps_handle(e, owner, handle.place, own) for e in effects) or self._hands_back(
            call, owner, handle.place, result
        ):
            return False
        index = self.unit.index(call.name)  # tokens of macros have no place in the text
        if self._is_in_plan(index):
            return True
        if is_on(OWN_MEMORY) and not all(self._gives_own_memory(e, name) for e in effects):
            return False
        if is_on(LEFT_BEHIND) and any(self._stays_set(e, effects, handle) for e in effects):
            return False
        if index < self.first and not self.around.in_loop:
            return True
        return not any(
            isinstance(e, UnknownCall | Unsupported | Synchronise) for e in effects
        ) and not reads_object(effects, name, self.analysis)

    def _stays_set(self, effect: Effect, effects: list[Effect], handle: Entry) -> bool:
        """Is the object left behind as a kernel's argument, for a later launch?"""
        if not isinstance(effect, SetArgument) or effect.value is None:
            return False
        parts = parts_of(effect.value)
        if not any(isinstance(p, Entry) and overlapping(p.place, handle.place) for p in parts):
            return False
        if not any(isinstance(e, Launch) and e.kernel == effect.kernel for e in effects):
            return True
        kernels = self.analysis.kernels
        names = self.analysis.handles.kernel_names(effect.kernel, {})
        return not names or any(
            name not in kernels or self.analysis.reliances.of(kernels[name]) is not None
            for name in names
        )

    def _is_in_plan(self, index: int) -> bool:
        """One of the region's own calls: what it reads is known."""
        start = self.unit.tokens[index].start
        return self.first <= index <= self.last and any(
            call.call.start <= start < call.call.end for call in self.analysis.region.calls
        )

    def _is_variable(self, name: str) -> bool:
        """A pointer to a function, which may have the name of a function."""
        return name in self.analysis.region.variables or any(
            isinstance(node, c_ast.Decl)
            and node.name == name
            and not isinstance(node.type, c_ast.FuncDecl)
            for node in self.unit.ast.ext
        )

    def _alone(self, call: c_ast.FuncCall) -> tuple[list[Effect], Sym] | None:
        """Effects and result of a call about which nothing is known."""
        key = ("alone", call, self._scope)
        known = self.analysis.program.remembered
        if key not in known:
            executor = LibraryExecutor(self.analysis.program)
            known[key] = self.around.run(executor, call, State())
        found: tuple[list[Effect], Sym] | None = known[key]
        return found

    def _hands_back(self, call: c_ast.FuncCall, owner: str, handle: Place, result: Sym) -> bool:
        """Does the call return the object's address, or a handle of its own?"""
        function = self.analysis.program.lookup(call.name.name, self.unit)
        if function is None or not is_on(HANDED_BACK):
            return False
        kind = function.function.node.decl.type.type
        names = getattr(getattr(kind, "type", None), "names", None)
        if isinstance(kind, c_ast.TypeDecl) and names and set(names) <= _NUMBERS:
            return not set(names) <= _NARROW and any(
                (isinstance(part, Ref) and part.place.root == App(owner))
                or (isinstance(part, Entry) and overlapping(part.place, handle))
                or isinstance(part, Made | Unknown)
                for part in carried_by(result)
            )
        return any(
            (isinstance(part, Ref | Entry) and part.place.root == App(owner))
            or isinstance(part, Made | Unknown)
            for part in parts_of(result)
        )

    def _gives_own_memory(self, effect: Effect, name: str) -> bool:
        """The object gets no memory that can be reached in another way."""
        if isinstance(effect, Create):
            return not effect.host_pointer
        handle = self.analysis.values[name]
        assert isinstance(handle, Entry)
        if not isinstance(effect, Assign) or not overlapping(effect.place, handle.place):
            return True
        return all(
            part in (Num(0), handle) or is_new_buffer(part) for part in parts_of(effect.value)
        )
