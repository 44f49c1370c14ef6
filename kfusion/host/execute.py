"""Execute host functions symbolically, given that every OpenCL call succeeds."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host import calls, variadic
from kfusion.host.commands import Commands
from kfusion.host.conversions import arithmetic
from kfusion.host.descriptions import clear, is_cleared
from kfusion.host.effects import HostCall, Unsupported
from kfusion.host.frames import Frame, Once, Outcome
from kfusion.host.known import CALLS, Kind, kind_of
from kfusion.host.loops import PureLoop, has_inner_case, has_jump, is_never, shape_of
from kfusion.host.operators import inverted
from kfusion.host.program import HostFunction
from kfusion.host.symbolic import (
    FALSE,
    TRUE,
    Entry,
    Global,
    Local,
    Made,
    Op,
    Phi,
    Place,
    Ref,
    Root,
    State,
    Sym,
    Unknown,
    join,
    known_on_entry,
    leaves,
)

MOST_ITERATIONS = 1024  # those of loops inside are counted too
MOST_CHANGES = 4096  # of a loop: tables of kernels are shorter
MOST_FRAMES = 8


class Executor(Commands):
    """Statements and calls. `run` enters a function; unknown conditions take both ways."""

    harmless: frozenset[str] = frozenset()  # functions of other files, so named by the user

    def run(self, function: HostFunction, arguments: list[Sym], state: State) -> Sym:
        """Inline a call: all ways out of the function are joined."""
        frame = Frame(self.fresh.next(), function, function.unit)
        self.enter(frame, function, arguments, state)
        after = self.statement(function.function.node.body, state)
        self.frames.pop()
        outcomes = list(frame.returns)
        if after is not None:
            outcomes.append(Outcome(after, FALSE, TRUE))
        return self.leave(outcomes, state)

    def leave(self, outcomes: list[Outcome], state: State) -> Sym:
        """Join all ways out of a function; the state becomes what is known after it."""
        if not outcomes:  # it never returns: exit(), or a loop without end
            return self.unknown()
        *earlier, last = outcomes
        merged, value = last.state, last.state.resolve(last.value)
        for outcome in reversed(earlier):
            merged = join(outcome.state, merged)
            first = outcome.state.resolve(outcome.value)
            if first == value:
                continue
            if known_on_entry(outcome.condition):
                value = Op("?:", (outcome.condition, first, value))
            else:
                value = Phi((first, value))
        state.become(merged)
        return value

    def enter(
        self, frame: Frame, function: HostFunction, arguments: list[Sym], state: State
    ) -> None:
        self.frames.append(frame)
        frame.depth = len(self.conditions)
        frame.scopes.append({parameter.name: False for parameter in function.parameters})
        for parameter, value in zip(function.parameters, arguments, strict=False):
            frame.variables[parameter.name] = parameter
            state.write(Place(Local(frame.number, parameter.name)), value)
        variadic.pass_more(frame.number, arguments[len(function.parameters) :], state)

    # Statements: the state after, or None when control does not come out below

    def statement(self, node: c_ast.Node | None, state: State) -> State | None:
        if node is None or isinstance(node, c_ast.EmptyStatement | c_ast.Pragma):
            return state
        if isinstance(node, c_ast.Compound):
            return self._block(node, state)
        if isinstance(node, c_ast.Decl | c_ast.DeclList):
            for declaration in node.decls if isinstance(node, c_ast.DeclList) else [node]:
                self.declare(declaration, state)
            return state
        return self._control(node, state)

    def _block(self, node: c_ast.Compound, state: State) -> State | None:
        current: State | None = state
        with self.scope() as leave:
            for item in node.block_items or []:
                current = self.statement(item, current) if current is not None else None
            if current is not None:
                leave(current)
        return current

    def _control(self, node: c_ast.Node, state: State) -> State | None:
        if isinstance(node, c_ast.If):
            return self._if(node, state)
        if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile):
            return self._loop(node, state)
        if isinstance(node, c_ast.Return):
            value = self._returned(node.expr, state) if node.expr is not None else FALSE
            self.leave_by(Outcome(state, value, self.path_condition()))
            return None
        if isinstance(node, c_ast.Label):
            return self.statement(node.stmt, state)
        if isinstance(node, c_ast.Switch):
            return self._switch(node, state)
        if isinstance(node, c_ast.Break | c_ast.Continue):
            return self._break(state)
        if isinstance(node, c_ast.Case | c_ast.Default):
            return self._inner_case(node, state)
        if isinstance(node, c_ast.Goto):
            self.emit(Unsupported(node, self.certain, "a goto"))
            self.frame.left = self.frame.left or self.path_condition() != TRUE
            return None
        if isinstance(node, c_ast.Typedef | c_ast.StaticAssert):
            return state
        self.value(node, state)
        return state

    def leave_by(self, outcome: Outcome) -> None:
        """A return: if it stands under a condition, what follows is no longer certain."""
        self.frame.returns.append(outcome)
        self.frame.left = self.frame.left or outcome.condition != TRUE

    def _break(self, state: State) -> State | None:
        loop = self.frame.loops[-1] if self.frame.loops else None
        if loop is None:  # in loops that are not followed exactly it changes nothing
            return state
        loop.breaks.append(state)
        loop.left = loop.left or self.path_condition() != TRUE
        return None

    def _returned(self, node: c_ast.Node, state: State) -> Sym:
        function = self.frame.function
        value = self.value(node, state)
        if function is None:
            return value
        return self.converted(value, node, arithmetic(function.result_type, self.program.types))

    def declare(self, node: c_ast.Decl, state: State) -> None:
        self._check_hidden(node)
        self.frame.variables[node.name] = node
        if "extern" in node.storage and not isinstance(node.type, c_ast.FuncDecl):
            what = f"'extern' in a function, of '{node.name}',"
            self.emit(Unsupported(node, self.certain, what))
        if "static" in node.storage:
            self.frame.statics.add(node.name)
        place = self.variable(node.name)
        if "static" in node.storage:
            return  # it keeps what it had; constants are known by their initialisers
        if node.init is None:
            state.write(place, Unknown(self.fresh.next()))
        elif isinstance(node.init, c_ast.InitList):
            self.initialise(place, node.init, state, node.type)
        else:
            value = self.value(node.init, state)
            state.write(place, self.converted(value, node.init, self.declared_kind(node)))

    def _check_hidden(self, node: c_ast.Decl) -> None:
        frame = self.frame
        hides = self.hides(node.name)
        if hides and frame.function is not None:
            what = f"a second variable of the name '{node.name}'"
            self.emit(Unsupported(node, self.certain, what))
        if frame.scopes:
            frame.scopes[-1][node.name] = hides

    def path_condition(self) -> Sym:
        """The condition under which control is here, since the function was entered."""
        open_ = self.conditions[self.frame.depth :]
        if not open_:
            return TRUE
        return open_[0] if len(open_) == 1 else Op("&&", tuple(open_))

    def _if(self, node: c_ast.If, state: State) -> State | None:
        condition = self.condition(node.cond, state)
        truth = self.truth(condition, state)
        if truth is not None:
            return self.statement(node.iftrue if truth else node.iffalse, state)
        return self.both_ways(node, condition, state)

    def both_ways(self, node: c_ast.If, condition: Sym, state: State) -> State | None:
        """Either branch may be taken: what is known after it is what both ways agree on."""
        first, second = state, state.copy()
        first.assume(condition, True)
        second.assume(condition, False)
        with self.under(condition):
            a = self.statement(node.iftrue, first)
        with self.under(inverted(condition)):
            b = self.statement(node.iffalse, second)
        if a is None or b is None:
            return a if b is None else b
        return join(a, b)

    def _switch(self, node: c_ast.Switch, state: State) -> State | None:
        self.value(node.cond, state)
        self.frame.loops.append(None)
        with self.under():
            after = self._cases(node, state)
        self.frame.loops.pop()
        return after

    def _cases(self, node: c_ast.Switch, state: State) -> State | None:
        items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
        switch = Once()
        self.frame.loops.append(switch)
        current: State | None = None  # it falls from one case into the next
        if has_inner_case(items or []):  # control may come in anywhere
            self.lose_all(state)
            current = state.copy()
        for item in items or []:
            inner = [item]
            if isinstance(item, c_ast.Case | c_ast.Default):
                inner = item.stmts or []
                current = state.copy() if current is None else join(state.copy(), current)
            for statement in inner:
                if current is not None:
                    current = self.statement(statement, current)
        merged = state.copy()
        self.frame.loops.pop()
        for way_out in [*switch.breaks, current]:
            if way_out is not None:
                merged = join(merged, way_out)
        return merged

    def _inner_case(self, node: c_ast.Case, state: State) -> State | None:
        """A case inside a loop or block of its switch: control comes from elsewhere, too."""
        self.emit(Unsupported(node, self.certain, "a case in another statement"))
        self.lose_all(state)
        after: State | None = state
        for statement in node.stmts or []:
            after = self.statement(statement, after) if after is not None else None
        return after

    # Loops

    def _loop(self, node: c_ast.Node, state: State) -> State | None:
        self.nesting += 1
        with self.scope() as leave:
            after = self._iterations(node, state)
            if after is not None:
                leave(after)
        self.nesting -= 1
        if self.nesting == 0:
            self.followed = 0
        return after

    def _iterations(self, node: c_ast.Node, state: State) -> State | None:
        if isinstance(node, c_ast.DoWhile) and is_never(node.cond):
            return self._once(node, state)
        if isinstance(node, c_ast.For) and node.init is not None:
            after = self.statement(node.init, state)
            assert after is not None
            state = after
        if isinstance(node, c_ast.DoWhile):
            return self._any_loop(node, state)
        trial, known = state, len(state.memory) + len(state.losses)
        if has_jump(node.stmt) or not self._counts(node, state):
            return self._any_loop(node, state)
        while self.followed < MOST_ITERATIONS:
            if len(trial.memory) + len(trial.losses) > known + MOST_CHANGES:
                break
            truth = True if node.cond is None else self.truth(self.value(node.cond, trial), trial)
            if truth is False:
                return trial
            if truth is None:
                break
            after = self.statement(node.stmt, trial)
            if after is None:
                return None
            trial = after
            if isinstance(node, c_ast.For) and node.next is not None:
                self.value(node.next, trial)
            self.followed += 1
        return self._any_loop(node, trial)

    def _once(self, node: c_ast.DoWhile, state: State) -> State | None:
        """`do { } while (0)`: followed exactly, with the breaks out of it."""
        loop = Once()
        self.frame.loops.append(loop)
        after = self.statement(node.stmt, state)
        self.frame.loops.pop()
        for state_ in loop.breaks:
            after = state_ if after is None else join(state_, after)
        return after

    def _counts(self, node: c_ast.Node, state: State) -> bool:
        """Is the condition known at first, so that the loop may be followed exactly?"""
        if node.cond is None:
            return False
        probe = self.probe()
        return probe.truth(probe.value(node.cond, state.copy()), state) is not None

    def probe(self) -> Executor:
        """An executor that stands at the same point, whose effects do not count."""
        probe = Executor(self.program, self.fresh)
        probe.frames, probe.application = self.frames, self.application
        return probe

    def _any_loop(self, node: c_ast.Node, state: State) -> State | None:
        """A loop of unknown length. One over locals alone is a function of its inputs."""
        pure = PureLoop(self, node)
        if pure.is_pure:
            inputs = tuple(state.read(self.variable(n)) for n in sorted(pure.reads))
            if not any(isinstance(i, Unknown | Phi) for i in inputs) or pure.writes <= pure.reads:
                used = sorted(pure.reads | pure.writes)
                for name in sorted(pure.writes):
                    kinds = [self.declared_kind(self.frame.variables.get(n)) for n in used]
                    types = ",".join(kind.name if kind else "?" for kind in kinds)
                    key = f"loop:{shape_of(node)}:{types}:{name}"
                    state.write(self.variable(name), Op(key, inputs))
                return state
        probe = self.probe()
        probe.conditions = self.conditions
        self._forget(probe.iteration(node, state.copy()), state)
        self._forget(self.iteration(node, state.copy()), state)
        return state

    def iteration(self, node: c_ast.Node, state: State) -> State:
        """One of a loop, under a condition that is not known."""
        self.frame.loops.append(None)
        with self.under():
            after = self.statement(node.stmt, state) or state
            self.frame.loops.pop()
            for part in (node.cond, getattr(node, "next", None)):
                if part is not None:
                    self.value(part, after)
        return after

    def _forget(self, after: State, state: State) -> None:
        """Whatever an iteration changes is unknown from here on."""
        known = set(state.losses)
        for loss in after.losses:
            if loss not in known:
                state.lose(loss)
        for place, value in after.memory.items():
            before = state.memory.get(place)
            if value is not before and (before or Entry(place)) != value:
                state.write(place, self.unknown())

    # Calls

    def _value_FuncCall(self, node: c_ast.FuncCall, state: State) -> Sym:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        expressions = node.args.exprs if node.args is not None else []
        arguments = [self.value(e, state) for e in expressions]
        function = self.program.lookup(name, self.frame.unit) if name else None
        if function is not None and name not in self.frame.variables:
            if len(self.frames) >= MOST_FRAMES or any(f.function == function for f in self.frames):
                return self.unknown_call(name, node, arguments, state)
            return self.run(function, self.passed(function, expressions, arguments), state)
        if name.startswith("cl") and name[2:3].isupper():
            return self.opencl(name, node, arguments, state)
        if name in calls.PURE:
            return Op(name, tuple(arguments))
        if name in variadic.NAMES:
            lists = [self.target(argument) for argument in arguments[:2]]
            found = variadic.use_list(name, self.frame.number, lists, state)
            return found if found is not None else self.unknown_call(name, node, arguments, state)
        if name in calls.READS:
            return self.unknown()
        listed = name in calls.HOST
        if listed or self._is_harmless(name):
            reached = self._reached(arguments, state)
            for position, argument in enumerate(arguments):
                self.may_write(argument, state)
                if not listed or position in calls.WRITES.get(name, ()):
                    self.store(argument, state)
            self.emit(HostCall(node, self.certain, name, tuple(arguments), reached))
            if is_cleared(name, arguments):
                cleared = self.target(arguments[0])
                clear(cleared, self.declared_type(cleared), state, self.program.types)
            if name in calls.SETS:
                home = self.program.home_of(calls.SETS[name], self.frame.unit)
                place = Place(Global(calls.SETS[name], home))
                self.assign(place, self.unknown(), state, node)
            if name in calls.ALLOCATES:  # running out of host memory is not followed
                return Made("host memory", self.fresh.next())
            return self.unknown()
        return self.unknown_call(name or "a function pointer", node, arguments, state)

    def _is_harmless(self, name: str) -> bool:
        """A function of the C library, or of which the user says so, that changes nothing but what
        its arguments lead to."""
        if name in self.harmless:
            return True
        if name in self.frame.variables or name in self.program.globals or name in CALLS:
            return False
        return bool(name) and kind_of(name) is Kind.HARMLESS

    def _reached(self, arguments: list[Sym], state: State) -> tuple[Sym, ...]:
        """What the variables hold that pointers lead to, at once or one through another."""
        waiting = [leaf for argument in arguments for leaf in leaves(argument)]
        roots: set[Root] = set()
        found: list[Sym] = []
        while waiting:
            leaf = waiting.pop()
            if not isinstance(leaf, Ref) or not isinstance(leaf.place.root, Local):
                continue
            if leaf.place.root not in roots:
                roots.add(leaf.place.root)
                held = [v for p, v in state.memory.items() if p.root == leaf.place.root]
                found += held
                waiting += [inner for value in held for inner in leaves(value)]
        return tuple(found)

    def passed(
        self, function: HostFunction, nodes: list[c_ast.Node], values: list[Sym]
    ) -> list[Sym]:
        """Arguments as the parameters of a function hold them."""
        kinds = [self.declared_kind(parameter) for parameter in function.parameters]
        kinds += [None] * (len(nodes) - len(kinds))
        return [
            self.converted(value, node, kind)
            for value, node, kind in zip(values, nodes, kinds, strict=False)
        ]
