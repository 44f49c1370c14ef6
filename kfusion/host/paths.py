"""One path through host code, executed symbolically: at each condition one way is taken.

`Executor` joins what both ways of an unknown condition leave. Here that is done only where
nothing depends on it: where neither way can launch a kernel, set an argument, or leave the
statement. Elsewhere a script says which way is taken (`path_ways.py`), so that what is
launched on the path is one row of launches. Loops are followed round by round.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from pycparser import c_ast

from kfusion.host.calls import LAUNCHES
from kfusion.host.conversions import common, convert
from kfusion.host.execute import MOST_FRAMES
from kfusion.host.frames import Frame, Outcome
from kfusion.host.loops import is_never
from kfusion.host.operators import inverted
from kfusion.host.path_guess import Guessing
from kfusion.host.path_program import (
    NEVER_RETURN,
    PathProgram,
    Reach,
    gives_up,
    is_early_end,
    leaves,
)
from kfusion.host.path_ways import MOST_GUIDED, PathEndError, Ways
from kfusion.host.program import HostFunction, constant
from kfusion.host.symbolic import FALSE, Fresh, Num, Op, State, Sym
from kfusion.source.dataclasses import dataclass

MOST_CALLS = 24  # one inside another
# What a path must not pass over: whoever can get there is executed one way at a time.

MATTERS = LAUNCHES | {"clSetKernelArg"}
_JUMPS = {c_ast.Goto: "goto", c_ast.Break: "break", c_ast.Continue: "continue"}


class Guide(Protocol):
    """What is known, or guessed, of how things were when the region began."""

    def truth(self, condition: Sym) -> bool | None: ...

    def function(self, pointer: Sym) -> HostFunction | None: ...


@dataclass
class Rounds:
    """How often a loop has gone round."""

    loop: c_ast.Node
    launched_before: int
    done: int = 0

    @property
    def is_endless(self) -> bool:
        """Is a jump the only way out?"""
        condition = self.loop.cond
        return condition is None or constant(condition, {}) not in (None, 0)


class PathExecutor(Guessing):
    """Statements along one path. Where it leaves a statement, `jump` says how."""

    def __init__(
        self,
        program: PathProgram,
        reach: Reach,
        ways: Ways,
        guide: Guide | None = None,
        fresh: Fresh | None = None,
    ) -> None:
        super().__init__(program, fresh)
        self.paths, self.reach, self.ways, self.guide = program, reach, ways, guide
        self.joining = 0  # functions around whose ways are joined
        self.jump = ""  # return, break, continue, or goto
        self.label = ""  # of a goto
        self.left_state: State | None = None  # where the path has left the last statement
        self.outcome: Outcome | None = None  # of a return
        self.rounds: list[Rounds] = []  # of the loops around, the innermost last
        self.launched = 0  # launches on the path so far
        self.application_call: c_ast.FuncCall | None = None  # of the first frame
        self.application_statement: c_ast.Node | None = None

    @property
    def together(self) -> bool:
        """Are ways joined here?"""
        return bool(self.conditions) or self.joining > 0

    def probe(self) -> PathExecutor:
        probe = PathExecutor(self.paths, self.reach, self.ways, self.guide, self.fresh)
        probe.frames, probe.application = self.frames, self.application
        probe.aliases, probe.hidden = self.aliases, self.hidden
        probe.joining = 1
        return probe

    # Decisions

    def truth(self, value: Sym, state: State) -> bool | None:
        """What is assumed of the opposite, or of the parts, says it, too."""
        known = super().truth(value, state)
        if known is not None or not isinstance(value, Op):
            return known
        if value.name in ("&&", "||"):
            parts = [self.truth(part, state) for part in value.args]
            deciding = value.name == "||"
            if deciding in parts:
                return deciding
            return None if None in parts else not deciding
        opposite = super().truth(inverted(value), state)
        return None if opposite is None else not opposite

    def decide(
        self,
        condition: Sym,
        state: State,
        default: bool,
        *,
        free: bool = True,
        fails: bool = False,
    ) -> bool:
        """Take one way, and remember on the path that it was taken."""
        truth = self.ways.take(default, free=free, fails=fails)
        state.assume(condition, truth)
        return truth

    def guess(self, condition: Sym) -> bool | None:
        return self.guide.truth(condition) if self.guide is not None else None

    def matters(self, node: c_ast.Node | None) -> bool:
        return self.reach.has(node, self.frame.unit)

    def gives_up(self, node: c_ast.Node | None) -> bool:
        return gives_up(node, self.paths, self.frame.unit)

    def _preferred(
        self, condition: Sym, first: c_ast.Node | None, second: c_ast.Node | None
    ) -> bool:
        """Of two ways the one that goes on; then what is guessed; then the one that launches."""
        given_up = self.gives_up(first), self.gives_up(second)
        if given_up[0] != given_up[1]:
            leaving = first if given_up[0] else second
            return given_up[0] == self._ends_a_loop(leaving)
        guessed = self.guess(condition)
        if guessed is not None:
            return guessed
        return self.matters(first) or not self.matters(second)

    def _one_fails(self, first: c_ast.Node | None, second: c_ast.Node | None) -> bool:
        given_up = self.gives_up(first), self.gives_up(second)
        leaving = first if given_up[0] else second
        if given_up[0] == given_up[1] or self.matters(leaving):  # what launches does not fail
            return False
        return not is_early_end(leaving, self.frame.function)

    def _ends_a_loop(self, node: c_ast.Node | None) -> bool:
        """Is it the way out of a loop without end, of which one round is done?"""
        while isinstance(node, c_ast.Compound) and node.block_items:
            node = node.block_items[-1]
        if not isinstance(node, c_ast.Break | c_ast.Return) or not self.rounds:
            return False
        rounds = self.rounds[-1]
        has_launched = self.launched > rounds.launched_before
        return rounds.is_endless and (rounds.done > 0 or has_launched)

    # Statements

    def statement(self, node: c_ast.Node | None, state: State) -> State | None:
        self.ways.tick()
        if len(self.frames) == 1 and node is not None:
            self.application_statement = node
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            if node.name.name in NEVER_RETURN:
                self.value(node, state)
                return None  # where ways are joined; else the path has ended
        return super().statement(node, state)

    def _block(self, node: c_ast.Compound, state: State) -> State | None:
        if self.together:
            return super()._block(node, state)
        items = node.block_items or []
        position, current = 0, state
        with self.scope():
            while position < len(items):
                after = self.statement(items[position], current)
                position += 1
                if after is None:
                    target = self._target(items)
                    if target is None:
                        return None
                    position, after = target, self.resume()
                current = after
        return current

    def _target(self, items: list[c_ast.Node]) -> int | None:
        """Where in a block the label stands that a goto leads to."""
        if self.jump != "goto":
            return None
        for position, item in enumerate(items):
            while isinstance(item, c_ast.Label):
                if item.name == self.label:
                    return position
                item = item.stmt
        return None

    def resume(self) -> State:
        """Go on where the last jump leads."""
        assert self.left_state is not None
        self.jump = ""
        return self.left_state

    def jump_by(self, how: str, state: State) -> None:
        self.jump, self.left_state = how, state

    def _control(self, node: c_ast.Node, state: State) -> State | None:
        if not self.together:
            if isinstance(node, c_ast.Goto):
                self.label = node.name
            how = _JUMPS.get(type(node))
            if how is not None:
                self.jump_by(how, state)
                return None
        return super()._control(node, state)

    def leave_by(self, outcome: Outcome) -> None:
        if self.together:
            super().leave_by(outcome)
        else:
            self.outcome = outcome
            self.jump_by("return", outcome.state)

    def _if(self, node: c_ast.If, state: State) -> State | None:
        if self.together:
            return super()._if(node, state)
        condition = self.condition(node.cond, state)
        truth = self.truth(condition, state)
        if truth is None:
            if not any(map(self._is_way, (node.iftrue, node.iffalse))):
                return self.both_ways(node, condition, state)
            truth = self.decide(
                condition,
                state,
                self._preferred(condition, node.iftrue, node.iffalse),
                free=self._may_go_on(node),
                fails=self._one_fails(node.iftrue, node.iffalse),
            )
        return self.statement(node.iftrue if truth else node.iffalse, state)

    def both_ways(self, node: c_ast.If, condition: Sym, state: State) -> State | None:
        self._pay_for_join(state)
        return super().both_ways(node, condition, state)

    def _any_loop(self, node: c_ast.Node, state: State) -> State | None:
        self._pay_for_join(state)
        return super()._any_loop(node, state)

    def _pay_for_join(self, state: State) -> None:
        """What is known of each place is compared."""
        self.ways.tick((len(state.memory) + len(state.losses)) // 8)

    def _may_go_on(self, node: c_ast.If) -> bool:
        """A loop without end is left after two rounds."""
        if not self.rounds or self.rounds[-1].done < 1:
            return True
        return not any(map(self._ends_a_loop, (node.iftrue, node.iffalse)))

    def _is_way(self, node: c_ast.Node | None) -> bool:
        """Does it make a difference for the path whether the branch is taken?"""
        return self.matters(node) or leaves(node)

    # Switches

    def _switch(self, node: c_ast.Switch, state: State) -> State | None:
        if self.together or not self._is_way_in_switch(node):
            return super()._switch(node, state)
        value = self.value(node.cond, state)
        items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
        start = self._case(items or [], value, state)
        if start is None:
            return state
        current = state
        with self.scope():
            for item in (items or [])[start:]:
                inner = item.stmts or [] if isinstance(item, c_ast.Case | c_ast.Default) else [item]
                for statement in inner:
                    after = self.statement(statement, current)
                    if after is None:
                        return self.resume() if self.jump == "break" else None
                    current = after
        return current

    def _is_way_in_switch(self, node: c_ast.Switch) -> bool:
        return self.matters(node) or leaves(node)

    def _case(self, items: list[c_ast.Node], value: Sym, state: State) -> int | None:
        """The position of the case that is taken; None: the switch does nothing."""
        otherwise = None
        for position, item in enumerate(items):
            if isinstance(item, c_ast.Default):
                otherwise = position
            if not isinstance(item, c_ast.Case):
                continue
            condition = self.binary("==", value, self.value(item.expr, state), state)
            truth = self.truth(condition, state)
            if truth is None:
                guessed = self.guess(condition)
                likely = guessed if guessed is not None else self.matters(item)
                truth = self.decide(condition, state, likely)
            if truth:
                return position
        return otherwise

    # Loops

    def _loop(self, node: c_ast.Node, state: State) -> State | None:
        if self.together or not (self.matters(node) or leaves(node)):
            return super()._loop(node, state)
        self.rounds.append(Rounds(node, self.launched))
        with self.scope():
            after = self._round_by_round(node, state)
        self.rounds.pop()
        return after

    def _round_by_round(self, node: c_ast.Node, state: State) -> State | None:
        current: State = state
        if isinstance(node, c_ast.For) and node.init is not None:
            current = self.statement(node.init, current) or current
        open_rounds = 0  # those of which it is not known whether they are done
        is_first = isinstance(node, c_ast.DoWhile)
        while True:
            if not is_first:
                goes_on, is_open = self._goes_on(node, current, open_rounds)
                open_rounds += is_open
                if not goes_on:
                    return current
            is_first = False
            after = self.statement(node.stmt, current)
            if after is None:
                if self.jump not in ("break", "continue"):
                    return None
                has_ended = self.jump == "break"
                after = self.resume()
                if has_ended:
                    return after
            current = after
            if isinstance(node, c_ast.For) and node.next is not None:
                self.value(node.next, current)
            self.rounds[-1].done += 1

    def _goes_on(self, node: c_ast.Node, state: State, open_rounds: int) -> tuple[bool, bool]:
        """Is there another round, and is that a decision?"""
        self.ways.tick()
        if node.cond is None:
            return True, False
        if isinstance(node, c_ast.DoWhile) and is_never(node.cond):
            return False, False
        condition = self.condition(node.cond, state)
        truth = self.truth(condition, state)
        if truth is not None:
            return truth, False
        done = open_rounds + isinstance(node, c_ast.DoWhile)
        guessed = self.guess(condition) if done < MOST_GUIDED else None
        default = guessed if guessed is not None else done == 0
        return self.decide(condition, state, default, free=done < 2), True

    # Expressions in which a way is taken

    def _size_of(self, type_: str) -> Sym:
        """A name that may mean several types has one size in one function."""
        size = super()._size_of(type_)
        if isinstance(size, Op):
            return size
        return Op(f"sizeof({type_}) in {self.frame.unit.source.path.name} {self.frame.name}", ())

    def _short_circuit(self, node: c_ast.BinaryOp, left: Sym, state: State) -> Sym:
        truth = self.truth(left, state)
        if self.together or truth is not None or not self._is_way_in(node.right):
            return super()._short_circuit(node, left, state)
        goes_on = node.op == "&&"
        by_default = goes_on != self.gives_up(node.right)
        fails = self.gives_up(node.right)
        if self.decide(left, state, by_default, fails=fails) != goes_on:
            return FALSE if goes_on else Num(1)
        return self.as_bool(self.condition(node.right, state), state)

    def _is_way_in(self, node: c_ast.Node) -> bool:
        return self.matters(node) or self.gives_up(node)

    def _value_TernaryOp(self, node: c_ast.TernaryOp, state: State) -> Sym:
        if self.together or not any(map(self._is_way_in, (node.iftrue, node.iffalse))):
            return super()._value_TernaryOp(node, state)
        condition = self.condition(node.cond, state)
        truth = self.truth(condition, state)
        if truth is None:
            truth = self.decide(
                condition,
                state,
                self._preferred(condition, node.iftrue, node.iffalse),
                fails=self._one_fails(node.iftrue, node.iffalse),
            )
        taken = node.iftrue if truth else node.iffalse
        kinds = self.kind(node.iftrue), self.kind(node.iffalse)
        return convert(self.value(taken, state), kinds[0 if truth else 1], common(*kinds))

    # Calls

    def function_at(self, pointer: Sym) -> HostFunction | None:
        found = super().function_at(pointer)
        if found is None and self.guide is not None:
            found = self.guide.function(pointer)
            if found is not None:
                self.ways.doubt("a pointer to a function is taken to be what it was before")
        return found

    def _value_FuncCall(self, node: c_ast.FuncCall, state: State) -> Sym:
        self.ways.tick()
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        function = self.called(node, state)
        if function is None:
            with self._at(node):
                value = super()._value_FuncCall(node, state)
            if name in NEVER_RETURN and not self.together:
                raise PathEndError(ended=True)
            return value
        expressions = node.args.exprs if node.args is not None else []
        arguments = [self.value(expression, state) for expression in expressions]
        if self._is_too_deep(function):
            return self.unknown_call(function.name, node, arguments, state)
        if self.paths.is_guess(function, self.frame.unit):
            self.ways.doubt(f"several files define '{function.name}'")
        with self._at(node):
            return self.run(function, self.passed(function, expressions, arguments), state)

    def _is_too_deep(self, function: HostFunction) -> bool:
        """A function may call itself where one way is taken at a time."""
        if self.together:
            return len(self.frames) >= MOST_FRAMES or any(
                f.function is function for f in self.frames
            )
        return len(self.frames) >= MOST_CALLS

    @contextmanager
    def _at(self, node: c_ast.FuncCall) -> Iterator[None]:
        """Remember the application's own call that launches may come from."""
        if len(self.frames) != 1:
            yield
            return
        before, self.application_call = self.application_call, node
        yield
        self.application_call = before

    def run(self, function: HostFunction, arguments: list[Sym], state: State) -> Sym:
        if self.together or self.is_joined(function):
            self.joining += 1
            value = super().run(function, arguments, state)
            self.joining -= 1
            return value
        frame = Frame(self.fresh.next(), function, function.unit)
        rounds, self.rounds = self.rounds, []
        self.enter(frame, function, arguments, state)
        after = self.statement(function.function.node.body, state)
        result: Sym = FALSE
        if after is None:
            if self.jump != "return" or self.outcome is None:
                raise PathEndError(f"a {self.jump} that is not followed")
            result, after = self.outcome.value, self.resume()
        self.frames.pop()
        self.rounds = rounds
        if after is not state:
            state.become(after)
        return state.resolve(result)

    def is_joined(self, function: HostFunction) -> bool:
        """Is it all the same which way the function goes? A goto is followed on a path only."""
        return not self.reach.in_function(function) and not function.function.nodes.get(c_ast.Goto)
