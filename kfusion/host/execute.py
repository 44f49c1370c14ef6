"""Execute host functions symbolically, given that every OpenCL call succeeds."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host import calls
from kfusion.host.conversions import arithmetic
from kfusion.host.effects import (
    Create,
    HostCall,
    Launch,
    Release,
    SetArgument,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import strip
from kfusion.host.expressions import Expressions
from kfusion.host.frames import Frame, Once, Outcome
from kfusion.host.loops import PureLoop, has_jump, is_never, shape_of
from kfusion.host.operators import inverted, is_computed
from kfusion.host.program import HostFunction
from kfusion.host.scalars import is_one_value, is_void
from kfusion.host.symbolic import (
    FALSE,
    TRUE,
    Entry,
    Global,
    Literal,
    Local,
    Made,
    Num,
    Op,
    Phi,
    Place,
    Pointee,
    Ref,
    Root,
    State,
    Sym,
    Unknown,
    join,
    known_on_entry,
    leaves,
)

MOST_ITERATIONS = 1024
MOST_FRAMES = 8


class Executor(Expressions):
    """Statements and calls. `run` enters a function; unknown conditions take both ways."""

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
            self.leave_by(Outcome(state, value, self.path_condition(), node))
            if self.step is not None and len(self.frames) == 1:
                self.step.returns = True
            return None
        if isinstance(node, c_ast.Label):
            return self.statement(node.stmt, state)
        if isinstance(node, c_ast.Switch):
            return self._switch(node, state)
        if isinstance(node, c_ast.Break | c_ast.Continue):
            return self._break(node, state)
        if isinstance(node, c_ast.Goto):
            if not self.ruled_out(node, state):
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

    def ruled_out(self, node: c_ast.Node, state: State) -> bool:
        """Is a jump under a condition never taken, because a run-time guard sees to it?"""
        return False

    def _break(self, node: c_ast.Node, state: State) -> State | None:
        loop = self.frame.loops[-1] if self.frame.loops else None
        if loop is None:  # in loops that are not followed exactly it changes nothing
            return state
        if not self.ruled_out(node, state):
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
        if self.step is not None and len(self.frames) == 1:
            own = any(node is n for n in self.step.nodes)
            (self.step.writes if own else self.step.inner).add(node.name)
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

    # Loops

    def _loop(self, node: c_ast.Node, state: State) -> State | None:
        with self.scope() as leave:
            after = self._iterations(node, state)
            if after is not None:
                leave(after)
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
        trial, count = state, 0
        if has_jump(node.stmt) or not self._counts(node, state):
            return self._any_loop(node, state)
        while count < MOST_ITERATIONS:
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
            count += 1
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
        probe = Executor(self.program, self.fresh)
        probe.frames, probe.application = self.frames, self.application
        return probe.truth(probe.value(node.cond, state.copy()), state) is not None

    def _any_loop(self, node: c_ast.Node, state: State) -> State | None:
        """A loop of unknown length. One over locals alone is a function of its inputs."""
        pure = PureLoop(self, node)
        if pure.is_pure:
            inputs = tuple(state.read(self.variable(n)) for n in sorted(pure.reads))
            if not any(isinstance(i, Unknown | Phi) for i in inputs) or pure.writes <= pure.reads:
                used = sorted(pure.reads | pure.writes)
                for name in sorted(pure.writes):
                    if self.step is not None and len(self.frames) == 1:
                        self.step.reads |= pure.reads
                        self.step.writes |= pure.writes
                    kinds = [self.declared_kind(self.frame.variables.get(n)) for n in used]
                    types = ",".join(kind.name if kind else "?" for kind in kinds)
                    key = f"loop:{shape_of(node)}:{types}:{name}"
                    state.write(self.variable(name), Op(key, inputs))
                return state
        probe = Executor(self.program, self.fresh)
        probe.frames, probe.application = self.frames, self.application
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
        for loss in after.losses:
            if loss not in state.losses:
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
                return self._unknown_call(name, node, arguments, state)
            return self.run(function, self.passed(function, expressions, arguments), state)
        if name.startswith("cl") and name[2:3].isupper():
            return self._opencl(name, node, arguments, state)
        if name in calls.PURE:
            return Op(name, tuple(arguments))
        if name in calls.READS:
            return self.unknown()
        if name in calls.HOST:
            reached = self._reached(arguments, state)
            for position, argument in enumerate(arguments):
                self._may_write(argument, state)
                if position in calls.WRITES.get(name, ()):
                    self.store(argument, state)
            self.emit(HostCall(node, self.certain, name, tuple(arguments), reached))
            if name in calls.ALLOCATES:  # running out of host memory is not followed
                return Made("host memory", self.fresh.next())
            return self.unknown()
        return self._unknown_call(name or "a function pointer", node, arguments, state)

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

    def _unknown_call(
        self, name: str, node: c_ast.FuncCall, arguments: list[Sym], state: State
    ) -> Sym:
        """It may change variables that it sees, and all that its arguments lead to."""
        self.emit(UnknownCall(node, self.certain, name, tuple(arguments)))
        roots: set[Root] = set()
        for leaf in (leaf for argument in arguments for leaf in leaves(argument)):
            if isinstance(leaf, Ref):
                self.overwrite(leaf.place, state)
                roots |= set() if leaf.place.path else {leaf.place.root}
            elif isinstance(leaf, Entry | Made):
                roots.add(Pointee(leaf))
        self.lose(state, frozenset(roots))
        if any(self._is_function(leaf) for argument in arguments for leaf in leaves(argument)):
            self.lose(state, everything=True, exposed=self.program.variable_names)
        return self.unknown()

    def _is_function(self, value: Sym) -> bool:
        root = value.place.root if isinstance(value, Ref) else None
        return isinstance(root, Global) and root.name in self.program.functions

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

    def _may_write(self, pointer: Sym, state: State) -> None:
        if isinstance(pointer, Ref):
            place = pointer.place
            if place.path and place.path[-1] == "[0]":
                place = Place(place.root, place.path[:-1])
            state.write(place, self.unknown())
            if isinstance(place.root, Local) and self.step is not None:
                if place.root.frame == self.frames[0].number:
                    self.step.writes.add(place.root.name)

    def _opencl(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> Sym:
        certain = self.certain
        if name == "clSetKernelArg" and len(args) == 4:
            self._argument_set(node, args, state)
            return FALSE
        if name == "clEnqueueNDRangeKernel" and len(args) == 9:
            self._launch(node, args, state)
            return FALSE
        if name == "clEnqueueTask" and len(args) == 5:
            self.emit(Unsupported(node, certain, "clEnqueueTask"))
            queue, kernel, waits, wait_list, event = args
            one: tuple[Sym, ...] = (Num(1),)
            self.emit(
                Launch(
                    node,
                    certain,
                    queue,
                    kernel,
                    Num(1),
                    None,
                    one,
                    one,
                    waits,
                    wait_list,
                    event,
                    None,
                    None,
                )
            )
            return FALSE
        if name == "clCreateKernel" and len(args) == 3:
            self._succeed(args[-1], state)
            text = args[1].text if isinstance(args[1], Literal) else ""
            made = Made("kernel", 0 if text else self.fresh.next(), text.strip('"'))
            self.emit(Create(node, certain, name, made))
            return made
        if name in calls.CREATES:
            if name not in ("clCreateSubBuffer", "clCloneKernel") or args:
                self._succeed(args[-1] if args else FALSE, state)
            shares = name == "clCreateSubBuffer" or self._shares_memory(name, args, state)
            kind = ("shared " if shares else "") + calls.CREATES[name]
            made = Made(kind, self.fresh.next())
            self.emit(Create(node, certain, name, made, shares))
            return made
        if name in calls.TRANSFERS:
            self._transfer(name, node, args, state)
            return FALSE if "Map" not in name or "Unmap" in name else self.unknown()
        if name in calls.RELEASES:
            self.emit(Release(node, certain, name, args[0] if args else FALSE))
        elif name in calls.REGISTERS:
            return self._unknown_call(name, node, args, state)
        elif name in calls.SYNCHRONISES:
            self.emit(Synchronise(node, certain, name))
        elif name in calls.NEUTRAL:
            if name == "clFlush" and self.step is not None:
                self.step.flushes = True
            for argument in args:
                self._may_write(argument, state)
        else:
            self.emit(UnknownCall(node, certain, name, tuple(args)))
        return FALSE

    def _argument_set(self, node: c_ast.FuncCall, args: list[Sym], state: State) -> None:
        kernel, index, size, pointer = args
        place = None if pointer == Num(0) else self.target(pointer)
        if place is None:
            self.emit(SetArgument(node, self.certain, kernel, index, size, None, None))
            return
        value, parts = state.read(place), None
        type_ = self._object_type(place, node.args.exprs[3])
        if is_computed(pointer):
            value = self.unknown()
        elif state.has_parts(place) or not is_one_value(size, type_, self.program.types):
            value, parts = self.unknown(), state.contents(place)
        kind = self._variable_type(place)
        self.emit(SetArgument(node, self.certain, kernel, index, size, place, value, kind, parts))

    def _object_type(self, place: Place, pointer: c_ast.Node) -> c_ast.Node | None:
        """The type of what an argument is read from, as far as it is seen."""
        while isinstance(pointer, c_ast.Cast):
            pointer = pointer.expr
        if isinstance(pointer, c_ast.UnaryOp) and pointer.op == "&":
            return self.type_of(pointer.expr)
        target = self.program.types.target(self.type_of(pointer))
        if target is not None and not is_void(target):
            return target
        return self._declared_type(place)

    def _shares_memory(self, name: str, args: list[Sym], state: State) -> bool:
        """May what is created share memory with something else?"""
        if name != "clCreateImage" or len(args) < 5:
            return _host_pointer(name, args)
        description = self.target(args[3])
        members = [state.read(description / m) for m in ("buffer", "mem_object")]
        return Num(0) not in members

    def _variable_type(self, place: Place) -> str:
        """The type of a variable, or of a part of one, as declared, qualifiers left out."""
        type_ = self._declared_type(place)
        if not isinstance(type_, c_ast.TypeDecl):
            return ""
        inner = type_.type
        return " ".join(inner.names) if isinstance(inner, c_ast.IdentifierType) else ""

    def _declared_type(self, place: Place) -> c_ast.Node | None:
        if not isinstance(place.root, Local):
            return None
        number = place.root.frame
        frame = next((f for f in self.frames if f.number == number), None)
        declared = frame.variables.get(place.root.name) if frame else None
        type_ = declared.type if declared is not None else None
        for step in place.path:
            types = self.program.types
            is_element = step.startswith("[")
            type_ = types.target(type_) if is_element else types.member(type_, step)
        return type_

    def _succeed(self, pointer: Sym, state: State) -> None:
        """The last parameter of clCreate... receives CL_SUCCESS."""
        if isinstance(pointer, Ref):
            state.write(pointer.place, FALSE)
            if isinstance(pointer.place.root, Local) and self.step is not None:
                if pointer.place.root.frame == self.frames[0].number:
                    self.step.writes.add(pointer.place.root.name)

    def _transfer(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> None:
        reads, writes = calls.TRANSFERS[name]
        self.emit(
            Transfer(
                node,
                self.certain,
                name,
                tuple(args[i] for i in reads if i < len(args)),
                tuple(args[i] for i in writes if i < len(args)),
                "Unmap" not in name and len(args) > 3 and Num(0) not in args[-3:-2],
            )
        )
        if name.startswith("clEnqueueRead"):
            if len(args) > 4:
                self.store(args[-4], state)
            for argument in args[-3:]:
                self._may_write(argument, state)

    def _launch(self, node: c_ast.FuncCall, args: list[Sym], state: State) -> None:
        dimensions = args[2].value if isinstance(args[2], Num) else 0
        made = Made("event", self.fresh.next()) if args[8] != Num(0) else None
        self.emit(
            Launch(
                node,
                self.certain,
                args[0],
                args[1],
                args[2],
                self._sizes(args[3], dimensions, state),
                self._sizes(args[4], dimensions, state) or (),
                self._sizes(args[5], dimensions, state),
                args[6],
                args[7],
                args[8],
                self._events(args[6], args[7], state),
                made,
            )
        )
        if made is not None:
            state.write(self.target(args[8]), made)

    def _events(self, count: Sym, pointer: Sym, state: State) -> tuple[Sym, ...] | None:
        """The events of a wait list, if their number is known."""
        if not isinstance(count, Num) or pointer == Num(0):
            return () if count == Num(0) else None
        return self._sizes(pointer, count.value, state)

    def _sizes(self, pointer: Sym, count: int, state: State) -> tuple[Sym, ...] | None:
        if pointer == Num(0):
            return None
        place = self.target(pointer)
        if place.path and place.path[-1].startswith("["):
            base = Place(place.root, place.path[:-1])
            return tuple(strip(self.read(base / f"[{i}]", state)) for i in range(count))
        if count == 1:
            return (strip(self.read(place, state)),)
        return tuple(strip(self.read(place / f"[{i}]", state)) for i in range(count))


def _host_pointer(name: str, args: list[Sym]) -> bool:
    """May the buffer share memory with host data? Only if the flags say so, or are unknown."""
    if name != "clCreateBuffer" or len(args) < 4:
        return name == "clCreateBufferWithProperties"
    use_host_pointer = 1 << 3
    return not isinstance(args[1], Num) or bool(args[1].value & use_host_pointer)
