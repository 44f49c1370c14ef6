"""Which memory objects are observed after a region.

Named by `out` and `temp`, and held against the code that follows. Without them an object
is dead only if it belongs to a local variable of the function that nothing after the
region reads: it is only released, and its handle never went anywhere else.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

from pycparser import c_ast

from kfusion.graph.model import Memory
from kfusion.host.effects import (
    Assign,
    Create,
    Effect,
    HostCall,
    Launch,
    SetArgument,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import identity, is_new_buffer
from kfusion.host.expressions import Frame
from kfusion.host.library import LibraryExecutor
from kfusion.host.merge import RegionAnalysis
from kfusion.host.program import HostFunction, constant
from kfusion.host.symbolic import (
    FALSE,
    App,
    Entry,
    Global,
    Made,
    Num,
    Op,
    Phi,
    Place,
    Pointee,
    Ref,
    State,
    Sym,
    Unknown,
    leaves,
)
from kfusion.parse.unit import Unit, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity, error
from kfusion.source.protections import is_on, protection

LIVE = protection("host-liveness", "an object that is read after the region is taken as dead")
OWN_MEMORY = protection("host-own-memory", "an object is dead though its memory is shared")
COPIED_HANDLE = protection("host-copied-handle", "an object is dead though it began as a copy")
HANDED_BACK = protection("host-handed-back", "an object is dead though a call returned it")
CONTRADICTED = protection("host-out-contradicted", "out or temp against a later read is believed")
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
_CONDITIONS = frozenset("== != < > <= >= ! && ||".split())


def object_of(value: Sym) -> str | None:
    """The application's variable that a memory object belongs to."""
    if not isinstance(value, Entry):
        return None
    place: Place = value.place
    while isinstance(place.root, Pointee) and isinstance(place.root.pointer, Entry):
        place = place.root.pointer.place
    return place.root.name if isinstance(place.root, App | Global) else None


@dataclass(frozen=True)
class Liveness:
    """Names of the memory objects that must be in memory after the region.

    Those of `if_internal` need not be, provided that the region itself, run again in a
    loop, does not read what an earlier iteration left: that is, that the plan keeps them
    out of memory altogether.
    """

    observed: frozenset[str]
    if_internal: frozenset[str] = frozenset()
    notes: tuple[Diagnostic, ...] = ()


def observed_after(analysis: RegionAnalysis) -> Liveness:
    objects: dict[str, str | None] = {}
    for invocation in analysis.invocations:
        for argument in invocation.arguments:
            if isinstance(argument, Memory):
                objects[argument.name] = object_of(analysis.values[argument.name])
    data = analysis.region.mark.data
    for item in data:
        if item.role and item.name not in objects.values():
            raise error(
                "KF127",
                f"{item.role}({item.name}): no call of this region gives '{item.name}' to a kernel",
                item.span,
            )
    outs = {item.name for item in data if item.role == "out"}
    temporaries = {item.name for item in data if item.role == "temp"}
    later = _Later(analysis)
    if outs:
        dead = {n for n, owner in objects.items() if owner not in outs}
    elif temporaries:
        dead = {n for n, owner in objects.items() if owner in temporaries}
    else:
        written = _written(analysis)  # of what is only read, nothing has to be kept
        dead = {
            name
            for name, owner in objects.items()
            if name in written and owner is not None and later.is_dead(name, owner)
        }
        doubtful = dead if later.in_loop else set()
        return Liveness(frozenset(objects) - dead, frozenset(doubtful))
    notes = _contradictions(analysis, dead & _written(analysis), later)
    return Liveness(frozenset(objects) - dead, notes=tuple(notes))


def _written(analysis: RegionAnalysis) -> set[str]:
    return {
        name for run in analysis.runs for name, written in analysis.uses(run).items() if written
    }


def _contradictions(analysis: RegionAnalysis, dead: set[str], later: _Later) -> list[Diagnostic]:
    """A certain later read of a temporary is an error, a possible one a note."""
    notes: list[Diagnostic] = []
    for name in sorted(dead):
        found = later.first_read(name) or _read_by_callers(analysis, name, later)
        if found is None or not is_on(CONTRADICTED):
            continue
        unit = found.unit or analysis.region.unit
        owner = object_of(analysis.values[name])
        when = "in the next iteration" if found.next_iteration else "after the region"
        if found.unit is not None:
            when = f"after {analysis.region.function.name} returns"
        message = f"'{owner}' is temporary here, but it is read {when}"
        read = "here its caller may read it" if found.parameter else "it is read here"
        place = (read, unit.node_span(found.node))
        if found.certain:
            raise error(
                "KF303",
                message,
                analysis.region.mark.annotation,
                help=_remedy(analysis, owner),
                related=(place,),
                exit_code=1,
            )
        notes.append(
            Diagnostic(
                "KF403",
                Severity.NOTE,
                f"'{owner}' is temporary here, and may be read {when}",
                analysis.region.mark.annotation,
                related=(place,),
            )
        )
    return notes


def _remedy(analysis: RegionAnalysis, owner: str | None) -> str:
    if any(item.role == "out" for item in analysis.region.mark.data):
        return f"name it: out({owner})"
    return f"take '{owner}' out of temp(...)"


@dataclass(frozen=True)
class _Read:
    node: c_ast.Node  # the application's call
    certain: bool
    next_iteration: bool = False  # of the loop around the region
    unit: Unit | None = None  # of a caller
    parameter: bool = False  # it is not known what callers do with it


@dataclass(frozen=True)
class _Following:
    """A statement that may run after the region."""

    node: c_ast.Node
    certain: bool  # does control surely come there?
    next_iteration: bool = False


class _Later:
    """What the function does after the region, as far as it can be followed."""

    def __init__(self, analysis: RegionAnalysis) -> None:
        self.analysis = analysis
        region = analysis.region
        self.unit = region.unit
        self.variables = dict(region.variables)
        self.body = region.function.node.body
        self.path = _path_to(self.body, self._is_region) or []
        self.first = self.unit.index(self.path[-1])  # the region's braces, as tokens
        self.last = self.unit.match(self.first)
        self.overwritten = False  # by what first_read has followed last
        self.result: Sym = FALSE  # of the last call
        # What the names mean that calls of the function may use.
        self._scope = frozenset((name, id(node)) for name, node in self.variables.items())

    def _is_region(self, node: c_ast.Node) -> bool:
        token = self.unit.tokens[self.unit.index(node)] if node.coord else None
        return (
            isinstance(node, c_ast.Compound)
            and token is not None
            and token.start == self.analysis.region.mark.block.start
        )

    @property
    def in_loop(self) -> bool:
        return any(isinstance(n, c_ast.For | c_ast.While | c_ast.DoWhile) for n in self.path)

    # Contradictions: is a temporary read later?

    def first_read(self, name: str) -> _Read | None:
        owner = object_of(self.analysis.values[name])
        if self.in_loop and self._read_first(name):
            call = self._first_call(name, owner or "")
            return _Read(call, certain=True, next_iteration=True)
        self.executor, self.state = self.analysis.after()
        return self.follow(name, owner or "")

    def follow(self, name: str, owner: str) -> _Read | None:
        """The first read in the statements that may run later."""
        self.overwritten = False
        for statement in self._following():
            read, killed = self._scan(statement.node, name, owner, statement.certain)
            if read is not None:
                return replace(read, next_iteration=statement.next_iteration)
            if killed:
                self.overwritten = True
                return None
        return None

    def _scan(
        self, node: c_ast.Node | None, name: str, owner: str, certain: bool
    ) -> tuple[_Read | None, bool]:
        """The first read in a statement, and whether the object is surely overwritten."""
        if isinstance(node, c_ast.Compound):
            for item in node.block_items or []:
                read, killed = self._scan(item, name, owner, certain)
                if read is not None or killed:
                    return read, killed
                certain = certain and not _leaves_anywhere(item)
            return None, False
        if isinstance(node, c_ast.If):
            ways = [self._scan(part, name, owner, False) for part in (node.iftrue, node.iffalse)]
            found = [
                read for read, _ in [self._scan(node.cond, name, owner, certain), *ways] if read
            ]
            return (found[0], False) if found else (None, all(killed for _, killed in ways))
        if isinstance(node, c_ast.DoWhile):
            return self._scan(node.stmt, name, owner, certain)
        if isinstance(node, c_ast.For | c_ast.While):
            return self._scan(node.stmt, name, owner, False)[0], False
        if node is None:
            return None, False
        return self._scan_calls(node, name, owner, certain)

    def _scan_calls(
        self, node: c_ast.Node, name: str, owner: str, certain: bool
    ) -> tuple[_Read | None, bool]:
        calls = _OwnCalls(owner)
        calls.visit(node)
        for call in calls.found:
            effects = self._effects(self.executor, call, self.state)
            if effects is None:
                continue
            reads = [e for e in effects if _reads([e], name, self.analysis)]
            if reads:
                sure = certain and any(e.certain for e in reads)
                return _Read(call.name, sure), False
            if _overwrites(effects, name) and not isinstance(node, c_ast.Switch):
                return None, True
        return None, False

    def _read_first(self, name: str) -> bool:
        """Does the region read what the iteration before it left in the object?"""
        for run, kernel in zip(self.analysis.runs, self.analysis.kernel_of, strict=True):
            assert kernel is not None
            for position, effect in sorted(run.set_arguments.items()):
                if effect.value is None or str(identity(effect.value)) != name:
                    continue
                parameter = kernel.parameters[position].name
                modes = [a.mode for a in kernel.accesses if a.parameter == parameter]
                if any(m.reads for m in modes):
                    return True
            if self.analysis.uses(run).get(name):
                return False
        return False

    def _first_call(self, name: str, owner: str) -> c_ast.Node:
        """The argument through which the first call gets the object."""
        calls = self.analysis.region.calls
        for call, run in zip(calls, self.analysis.runs, strict=True):
            if name in self.analysis.uses(run):
                given = (a for a in call.arguments if owner in re.findall(r"\w+", a.text))
                return next(given, call.arguments[0]).node
        return calls[0].arguments[0].node

    def _following(self) -> list[_Following]:
        """Statements that may run after the region; in a loop also those before it."""
        result: list[_Following] = []
        certain = True
        around: list[c_ast.Node] = []  # of the innermost loop, before the region
        for outer, inner in zip(reversed(self.path[:-1]), reversed(self.path[1:]), strict=True):
            if isinstance(outer, c_ast.For | c_ast.While | c_ast.DoWhile):
                result += [_Following(item, False, next_iteration=True) for item in around]
                around, certain = [], certain and isinstance(outer, c_ast.DoWhile)
            if not isinstance(outer, c_ast.Compound):
                continue
            items = outer.block_items or []
            position = next(i for i, item in enumerate(items) if item is inner)
            around = [*items[:position], *around]
            for item in items[position + 1 :]:
                result.append(_Following(item, certain))
                certain = certain and not _leaves_anywhere(item)
        return result

    def _effects(
        self, executor: LibraryExecutor, call: c_ast.FuncCall, state: State
    ) -> list[Effect] | None:
        name = call.name.name if isinstance(call.name, c_ast.ID) else None
        function = self.analysis.program.lookup(name, self.unit) if name else None
        frame = Frame(0, None, self.unit, dict(self.variables))
        executor.frames, executor.step = [frame], None
        before = len(executor.effects)
        if function is None:
            executor.frames = []
            return None
        nodes = call.args.exprs if call.args is not None else []
        arguments = [executor.value(node, state) for node in nodes]
        self.result = executor.run(function, arguments, state)
        executor.frames = []
        return executor.effects[before:]

    # Inference: is an object dead although nobody said so?

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
        if not local or self._is_parameter(owner) or _has_goto(self.body):
            return False
        own = declared.init is None or self._is_constant(declared.init)
        if is_on(COPIED_HANDLE) and not own:
            return False
        uses = _Uses(owner)
        uses.visit(scope)
        if uses.escapes or (value.place.path and value.place.path[0] in uses.members):
            return False
        # Most objects that live are read by one of the calls that follow: ask these first.
        calls = sorted(uses.calls, key=lambda call: self.unit.index(call.name) < self.first)
        if not all(self._is_harmless(call, name, owner) for call in calls):
            return False
        return not (self.in_loop and self._sizes_change)

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
                    scope = outer if inner is not None else self.body
                    once = _declarations(scope, owner) == 1
                    return scope, item if once and (inner or not self._is_global(owner)) else None
        return self.body, None

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
    def _sizes_change(self) -> bool:
        """May the enclosing loop change a size or scalar that the region's kernels get?

        Then an iteration that falls back could read more than it writes.
        """
        used = {
            leaf.place
            for name, value in self.analysis.values.items()
            for leaf in leaves(value)
            if isinstance(leaf, Entry) and leaf.place.path
        }
        loop = next(n for n in self.path if isinstance(n, c_ast.For | c_ast.While | c_ast.DoWhile))
        effects = self._loop_effects(loop)
        owners = {App(name) for name in map(object_of, self.analysis.values.values()) if name}
        return any(_may_change(effect, used, owners) for effect in effects)

    def _loop_effects(self, loop: c_ast.Node) -> list[Effect]:
        """What one iteration may do."""
        key = ("loop", loop, self._scope)
        known = self.analysis.program.remembered
        if key not in known:
            executor, state = LibraryExecutor(self.analysis.program), State()
            executor.frames = [Frame(0, None, self.unit, dict(self.analysis.region.variables))]
            executor.conditions = [executor.unknown()]
            executor.statement(loop.stmt, state)
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
        effects, result = self._alone(call)
        if effects is None:
            return bool(call.name.name == "memset")
        handle = self.analysis.values[name]
        assert isinstance(handle, Entry)
        own = _made_into(effects, handle.place)
        if any(_keeps(e, owner, handle.place, own) for e in effects) or self._hands_back(
            call, owner, handle.place, result
        ):
            return False
        index = self.unit.index(call.name)  # tokens of macros have no place in the text
        if self._is_in_plan(index):
            return True
        if is_on(OWN_MEMORY) and not all(self._gives_own_memory(e, name) for e in effects):
            return False
        if index < self.first and not self.in_loop:
            return True
        return not any(
            isinstance(e, UnknownCall | Unsupported | Synchronise) for e in effects
        ) and not _reads(effects, name, self.analysis)

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

    def _alone(self, call: c_ast.FuncCall) -> tuple[list[Effect] | None, Sym]:
        """Effects and result of a call about which nothing is known."""
        key = ("alone", call, self._scope)
        known = self.analysis.program.remembered
        if key not in known:
            effects = self._effects(LibraryExecutor(self.analysis.program), call, State())
            known[key] = effects, self.result
        found: tuple[list[Effect] | None, Sym] = known[key]
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
                or (isinstance(part, Entry) and _overlap(part.place, handle))
                or isinstance(part, Made | Unknown)
                for part in _carried(result)
            )
        return any(
            (isinstance(part, Ref | Entry) and part.place.root == App(owner))
            or isinstance(part, Made | Unknown)
            for part in _parts(result)
        )

    def _gives_own_memory(self, effect: Effect, name: str) -> bool:
        """The object gets no memory that can be reached in another way."""
        if isinstance(effect, Create):
            return not effect.host_pointer
        handle = self.analysis.values[name]
        assert isinstance(handle, Entry)
        if not isinstance(effect, Assign) or not _overlap(effect.place, handle.place):
            return True
        return all(part in (Num(0), handle) or is_new_buffer(part) for part in _parts(effect.value))


class _AfterCall(_Later):
    """What a caller of the region's function does after the call."""

    def __init__(self, analysis: RegionAnalysis, caller: HostFunction, call: c_ast.FuncCall):
        super().__init__(analysis)
        self.unit, self.caller = caller.unit, caller
        self.variables = {p.name: p for p in caller.parameters}
        declared = (n for n in descendants(caller.function.node.body) if isinstance(n, c_ast.Decl))
        self.variables |= {n.name: n for n in declared if n.name}
        self.body = caller.function.node.body
        self.path = _path_to(self.body, lambda node: node is call) or []
        self.executor, self.state = LibraryExecutor(analysis.program), State()

    def read_of(self, argument: c_ast.Node, value: Entry) -> tuple[_Read | None, bool]:
        """The first read of what the argument leads to; and does it live on after the caller?"""
        while isinstance(argument, c_ast.Cast):
            argument = argument.expr
        address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
        variable = argument.expr if address else argument
        own = self.variables.get(getattr(variable, "name", None) or "")
        if not isinstance(variable, c_ast.ID) or own is None:
            return None, True
        base = Place(App(variable.name))
        if isinstance(value.place.root, Pointee) and not address:
            base = Place(Pointee(Entry(base)))
        handle = Entry(Place(base.root, (*base.path, *value.place.path)))
        read = self.follow(str(handle), variable.name)
        if read is not None:
            return replace(read, unit=self.unit, next_iteration=False), False
        is_parameter = any(p.name == variable.name for p in self.caller.parameters)
        is_local = address and not is_parameter and not {"static", "extern"} & set(own.storage)
        return None, not (is_local or self.overwritten)


def _read_by_callers(analysis: RegionAnalysis, name: str, later: _Later) -> _Read | None:
    """Who reads a temporary that the region's function has got from its caller?"""
    region, value = analysis.region, analysis.values[name]
    owner = object_of(value)
    if later.overwritten or owner is None or not isinstance(value, Entry):
        return None
    parameters = region.function.node.decl.type.args
    listed = parameters.params if parameters is not None else []
    position = next((i for i, p in enumerate(listed) if getattr(p, "name", "") == owner), None)
    if position is None:
        return None
    possible: _Read | None = None
    lives_on = False
    for caller, call in _calls_of(analysis, region.function.name):
        arguments = call.args.exprs if call.args is not None else []
        if position < len(arguments):
            read, lives = _AfterCall(analysis, caller, call).read_of(arguments[position], value)
            if read is not None and read.certain:
                return read
            possible, lives_on = possible or read, lives_on or lives
    if possible is None and lives_on:
        possible = _Read(listed[position], certain=False, unit=region.unit, parameter=True)
    return possible


def _calls_of(analysis: RegionAnalysis, name: str) -> list[tuple[HostFunction, c_ast.FuncCall]]:
    return [
        (caller, node)
        for caller in analysis.program.functions.values()
        if name in analysis.program.names_called(caller.function.node.body)
        for node in descendants(caller.function.node.body)
        if isinstance(node, c_ast.FuncCall)
        and isinstance(node.name, c_ast.ID)
        and node.name.name == name
    ]


def _may_change(effect: Effect, places: set[Place], owners: set[App]) -> bool:
    """May the effect change one of the places, which belong to the owners?"""
    if isinstance(effect, Assign):
        return any(place.within(effect.place) for place in places)
    if isinstance(effect, UnknownCall):
        parts = [part for argument in effect.arguments for part in _parts(argument)]
        return any(isinstance(p, Ref) and p.place.root in owners for p in parts)
    return isinstance(effect, Unsupported)


_KEEP_NOTHING = frozenset(
    "memset free printf fprintf puts fputs snprintf sprintf malloc calloc fflush perror".split()
)


def _overlap(one: Place, other: Place) -> bool:
    return one.within(other) or other.within(one)


def _made_into(effects: list[Effect], handle: Place) -> set[Sym]:
    """What the effects make and put into a place."""
    return {
        part
        for effect in effects
        if isinstance(effect, Assign) and _overlap(effect.place, handle)
        for part in _parts(effect.value)
        if isinstance(part, Made)
    }


def _keeps(effect: Effect, owner: str, handle: Place, own: set[Sym]) -> bool:
    """Does the effect put the object's address or a handle of its own somewhere else?

    `own`: buffers that the same call makes for the object.
    """
    if isinstance(effect, UnknownCall | Unsupported):
        return True
    if isinstance(effect, HostCall):
        return effect.name not in _KEEP_NOTHING and any(
            isinstance(part, Ref) and part.place.root == App(owner)
            for argument in effect.arguments
            for part in _parts(argument)
        )
    if not isinstance(effect, Assign) or _overlap(effect.place, handle):
        return False
    if effect.place.root == App(owner):  # a second handle in the object itself
        return any(
            part in own or (isinstance(part, Entry) and _overlap(part.place, handle))
            for part in _carried(effect.value)
        )
    of_an_object = isinstance(effect.place.root, App)  # another object makes its own buffer
    return any(
        (isinstance(part, Ref) and part.place.root == App(owner))
        or (isinstance(part, Made) and part.kind.endswith("buffer") and not of_an_object)
        or part in own
        or (isinstance(part, Entry) and part.place.root == App(owner))
        for part in _parts(effect.value)
    )


def _parts(value: Sym) -> list[Sym]:
    if isinstance(value, Phi):
        return [p for part in value.alternatives for p in _parts(part)]
    if isinstance(value, Op):
        return [p for part in value.args for p in _parts(part)]
    return [value]


def _carried(value: Sym) -> list[Sym]:
    """The parts that can be had back from a number: not what it only was compared with."""
    if isinstance(value, Op):
        if value.name in _CONDITIONS:
            return []
        args = value.args[1:] if value.name == "?:" else value.args
        return [p for part in args for p in _carried(part)]
    if isinstance(value, Phi):
        return [p for part in value.alternatives for p in _carried(part)]
    return [value]


def _reads(effects: list[Effect], name: str, analysis: RegionAnalysis) -> bool:
    """Do the effects read the memory object on the device?"""
    for effect in effects:
        if isinstance(effect, Transfer) and name in {str(identity(v)) for v in effect.reads}:
            return True
        if isinstance(effect, SetArgument) and effect.value is not None:
            if str(identity(effect.value)) == name and _parameter_reads(effect, analysis):
                return True
    return False


def _parameter_reads(effect: SetArgument, analysis: RegionAnalysis) -> bool:
    names = analysis.handles.kernel_names(effect.kernel, {})
    for kernel_name in sorted(names):
        kernel = analysis.kernels.get(kernel_name)
        index = getattr(effect.index, "value", None)
        if kernel is None or index is None or index >= len(kernel.parameters):
            return True
        parameter = kernel.parameters[index].name
        modes = [a.mode for a in kernel.accesses if a.parameter == parameter]
        if kernel.features or any(m.reads for m in modes):
            return True
    return not names


def _overwrites(effects: list[Effect], name: str) -> bool:
    """A launch or transfer that writes the object: what comes later reads something else."""
    for effect in effects:
        if isinstance(effect, Transfer) and name in {str(identity(v)) for v in effect.writes}:
            return True
    launches = any(isinstance(e, Launch) for e in effects)
    return launches and any(
        isinstance(e, SetArgument) and e.value is not None and str(identity(e.value)) == name
        for e in effects
    )


class _OwnCalls(c_ast.NodeVisitor):
    """Calls that mention a variable, in order."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.found: list[c_ast.FuncCall] = []

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        self.generic_visit(node)
        names = _Mentions()
        if node.args is not None:
            names.visit(node.args)
        if isinstance(node.name, c_ast.ID) and self.owner in names.found:
            self.found.append(node)


class _Mentions(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_ID(self, node: c_ast.ID) -> None:
        self.found.add(node.name)


class _Uses(c_ast.NodeVisitor):
    """Every use of a variable: `&v` as an argument, `v.member`, or anything else."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls: list[c_ast.FuncCall] = []
        self.members: set[str] = set()
        self.escapes = False

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        for argument in node.args.exprs if node.args is not None else []:
            if (
                isinstance(argument, c_ast.UnaryOp)
                and argument.op == "&"
                and isinstance(argument.expr, c_ast.ID)
                and argument.expr.name == self.name
            ):
                self.calls.append(node)
            else:
                self.visit(argument)
        self.visit(node.name)

    def visit_StructRef(self, node: c_ast.StructRef) -> None:
        if isinstance(node.name, c_ast.ID) and node.name.name == self.name:
            self.members.add(node.field.name)
        else:
            self.visit(node.name)

    def visit_ID(self, node: c_ast.ID) -> None:
        if node.name == self.name:
            self.escapes = True


def _declarations(scope: c_ast.Node, name: str) -> int:
    return sum(isinstance(n, c_ast.Decl) and n.name == name for n in descendants(scope))


class _Gotos(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = False

    def visit_Label(self, node: c_ast.Label) -> None:
        self.found = True


def _has_goto(body: c_ast.Node) -> bool:
    """A label may lead back to before the region."""
    visitor = _Gotos()
    visitor.visit(body)
    return visitor.found


class _Leaving(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = False

    def _leave(self, node: c_ast.Node) -> None:
        self.found = True

    visit_Return = visit_Goto = visit_Break = visit_Continue = _leave


def _leaves_anywhere(node: c_ast.Node) -> bool:
    visitor = _Leaving()
    visitor.visit(node)
    return visitor.found


def _path_to(node: c_ast.Node, wanted: object) -> list[c_ast.Node] | None:
    """Nodes from the body down to the one that is looked for."""
    assert callable(wanted)
    if wanted(node):
        return [node]
    for _, child in node.children():
        found = _path_to(child, wanted)
        if found is not None:
            return [node, *found]
    return None
