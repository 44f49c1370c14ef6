"""One library function, executed statement by statement: what it launches and with what,
what its other statements do, and under which conditions it gets there."""

from __future__ import annotations

from dataclasses import field

from pycparser import c_ast

from kfusion.host.calls import LAUNCHES
from kfusion.host.effects import Effect, Launch, SetArgument, Unsupported
from kfusion.host.execute import Executor
from kfusion.host.frames import Frame, Outcome, Step
from kfusion.host.operators import inverted
from kfusion.host.program import HostFunction
from kfusion.host.symbolic import FALSE, TRUE, Num, State, Sym, join, known_on_entry
from kfusion.parse.statements import Statement
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

JUMPS = protection("host-jumps", "a goto or break before the launch is taken as never taken")
OWN_ARGUMENTS = protection(
    "host-own-arguments", "arguments of other kernels are taken as the launch's"
)


@dataclass
class Run:
    """The execution of one call of a library function."""

    function: HostFunction
    frame: Frame
    arguments: list[Sym]
    steps: list[Step] = field(default_factory=list)
    requirements: list[tuple[Sym, Span]] = field(default_factory=list)  # true on entry
    launches: list[tuple[int, Launch]] = field(default_factory=list)  # step, launch
    set_arguments: dict[int, SetArgument] = field(default_factory=dict)
    result: Sym | None = None
    problems: list[Reason] = field(default_factory=list)
    state_at_launch: State | None = None
    late_return: Reason | None = None  # it may return after its launch, under a condition
    enumerators: dict[str, int] = field(default_factory=dict)

    @property
    def launch(self) -> Launch:
        return self.launches[0][1]

    @property
    def launch_step(self) -> int:
        return self.launches[0][0]


class LibraryExecutor(Executor):
    """Runs library functions in a row, on one state."""

    def run_call(self, function: HostFunction, arguments: list[Sym], state: State) -> Run:
        frame = Frame(self.fresh.next(), function, function.unit)
        run = Run(
            function, frame, arguments, enumerators=self.program.enumerators_in(function.unit)
        )
        self.frames = []
        self.enter(frame, function, arguments, state)
        self.run_ = run
        self.launches_later = False
        self.seen_returns = 0
        body = function.function.node.body
        after = self._items(body.block_items or [], function.function.body, state)
        if after is not None:
            frame.returns.append(Outcome(after, FALSE, TRUE))
        self.step = None
        run.result = self.leave(list(frame.returns), state)
        self.frames = []
        self._check(run)
        return run

    def _items(self, items: list[c_ast.Node], statement: Statement, state: State) -> State | None:
        """The statements of a block, each as a step of its own."""
        unit = self.frame.unit
        groups: list[tuple[Statement, list[c_ast.Node]]] = []
        for item in items:
            index = unit.index(_first_placed(item))
            part = _direct_child(statement, index)
            if groups and groups[-1][0] is part:
                groups[-1][1].append(item)
            else:
                groups.append((part, [item]))
        current: State | None = state
        after = self.launches_later
        with self.scope() as leave:
            for number, (part, nodes) in enumerate(groups):
                if current is None:
                    break
                self.launches_later = after or any(
                    self._launches(node) for _, later in groups[number + 1 :] for node in later
                )
                current = self._step(part, nodes, current)
            if current is not None:
                leave(current)
        self.launches_later = after
        return current

    def _step(self, part: Statement, nodes: list[c_ast.Node], state: State) -> State | None:
        node = nodes[0]
        if isinstance(node, c_ast.Compound) and part.kind == "compound" and self._launches(node):
            return self._items(node.block_items or [], part, state)
        if isinstance(node, c_ast.If) and part.kind == "if":
            return self._if_step(part, node, state)
        step = Step(nodes, part.first, part.last)
        self._begin(step)
        current: State | None = state
        for inner in nodes:
            if current is not None:
                current = self.statement(inner, current)
        self._end(step, state)
        return current

    def _begin(self, step: Step) -> None:
        self.run_.steps.append(step)
        self.step = step

    def _end(self, step: Step, state: State) -> None:
        """Collect what matters for launching."""
        run, index = self.run_, len(self.run_.steps) - 1
        step.reads -= step.inner
        step.writes -= step.inner
        for effect in step.effects:
            if isinstance(effect, SetArgument):
                self._set_argument(effect)
            elif isinstance(effect, Launch):
                run.launches.append((index, effect))
                run.state_at_launch = state.copy()
        self._rule_out_returns(step)
        self.step = None

    def leave_by(self, outcome: Outcome) -> None:
        """The function's own ways out are ruled out on entry, or held against it."""
        if self._in_function:
            outcome.launched = self._launched
            self.frame.returns.append(outcome)
        else:
            super().leave_by(outcome)

    def ruled_out(self, node: c_ast.Node, state: State) -> bool:
        """A jump before the launch, under a condition, is treated like an early return."""
        condition = self.path_condition()
        if not self._in_function or self._launched or condition == TRUE:
            return False
        if is_on(JUMPS):
            self.frame.returns.append(Outcome(state, self.unknown(), condition, node))
        return True

    @property
    def _in_function(self) -> bool:
        """Is control in the function under study, and not in one that it calls?"""
        return self.step is not None and len(self.frames) == 1

    @property
    def _launched(self) -> bool:
        effects = self.step.effects if self.step is not None else []
        return bool(self.run_.launches) or any(isinstance(e, Launch) for e in effects)

    def _rule_out_returns(self, step: Step) -> None:
        """A way out before the launch, under a condition, must be ruled out on entry."""
        run, returns = self.run_, self.frame.returns
        place = run.function.unit.span(step.first, step.last)
        kept: list[Outcome] = []
        for outcome in returns[self.seen_returns :]:
            if outcome.condition == TRUE:
                kept.append(outcome)
            elif outcome.launched:
                kept.append(outcome)
                run.late_return = Reason(
                    "KF210", f"{run.function.name} may return early after its launch", place
                )
            elif known_on_entry(outcome.condition):
                run.requirements.append((inverted(outcome.condition), place))
            else:
                run.problems.append(
                    Reason(
                        "KF210",
                        f"{run.function.name} may return here without launching, and the "
                        "condition is not known on entry",
                        place,
                    )
                )
        returns[self.seen_returns :] = kept
        self.seen_returns = len(returns)
        step.returns = bool(kept)

    def _set_argument(self, effect: SetArgument) -> None:
        run = self.run_
        if run.launches:
            self._problem("KF211", "an argument is set after the launch, for a later one", effect)
        elif not isinstance(effect.index, Num):
            self._problem("KF211", "the index of a kernel argument is not known", effect)
        elif not effect.certain:
            self._problem("KF210", "a kernel argument is set under a condition", effect)
        else:
            run.set_arguments[effect.index.value] = effect

    def _problem(self, code: str, message: str, effect: Effect) -> None:
        unit = self.run_.function.unit
        self.run_.problems.append(Reason(code, message, self.program.node_span(effect.node, unit)))

    def _launches(self, node: c_ast.Node | None) -> bool:
        """Does the text of the statement launch a kernel, itself or through calls?"""
        if node is None:
            return False
        for name in sorted(self.program.names_called(node)):
            if name in LAUNCHES:
                return True
            inner = self.program.lookup(name, self.frame.unit)
            if inner and self.program.calls(inner) & LAUNCHES:
                return True
        return False

    def _if_step(self, part: Statement, node: c_ast.If, state: State) -> State | None:
        step = Step([node], part.first, part.last)
        self._begin(step)
        condition = self.condition(node.cond, state)
        truth = self.truth(condition, state)
        in_condition = bool(step.effects)
        branches = [node.iftrue, node.iffalse]
        with_launch = [b for b in branches if self._launches(b)]
        if with_launch and not in_condition:
            return self._launch_under(part, node, condition, truth, state)
        if truth is not None:
            after = self.statement(node.iftrue if truth else node.iffalse, state)
            self._end(step, state)
            return after
        return self._maybe_return(step, node, condition, state)

    def _launch_under(
        self, part: Statement, node: c_ast.If, condition: Sym, truth: bool | None, state: State
    ) -> State | None:
        """A launch under a condition: the condition must hold, and the branch is entered."""
        step = self.run_.steps.pop()
        self.step = None
        first, known = len(self.run_.steps), truth is not None
        after = self._launching_branch(part, node, condition, truth, state)
        if known:
            closing = self.frame.unit.match(part.first + 1)
            mark = (part.first, closing, frozenset(step.reads), bool(truth))
            for inner in self.run_.steps[first:]:
                inner.under = (mark, *inner.under)
        return after

    def _launching_branch(
        self, part: Statement, node: c_ast.If, condition: Sym, truth: bool | None, state: State
    ) -> State | None:
        if truth is None:
            both = self._launches(node.iftrue) and self._launches(node.iffalse)
            truth = self._launches(node.iftrue)
            if node.iffalse is None and self.launches_later and always_returns(node.iftrue):
                truth = False  # a special case: the main way comes later
            if both:
                self._condition_problem(node, "both branches of a condition launch kernels")
            self._require(condition, truth, node, state)
        branch = node.iftrue if truth else node.iffalse
        if branch is None:
            return state
        child = part.children[0 if truth else 1]
        items = [branch]
        if isinstance(branch, c_ast.Compound) and child.kind == "compound":
            return self._items(branch.block_items or [], child, state)
        return self._step(child, items, state)

    def _maybe_return(
        self, step: Step, node: c_ast.If, condition: Sym, state: State
    ) -> State | None:
        """A condition that is not known: if one way returns, a guard rules it out."""
        first, second = state, state.copy()
        first.assume(condition, True)
        second.assume(condition, False)
        effects = len(step.effects)
        with self.under(condition):
            a = self.statement(node.iftrue, first)
        after_true = len(step.effects)
        with self.under(inverted(condition)):
            b = self.statement(node.iffalse, second)
        if (a is None) != (b is None) and not self.run_.launches:
            if a is None:  # what happens on the way out does not happen here
                del step.effects[effects:after_true]
            else:
                del step.effects[after_true:]
            step.guard = not step.effects
        self._end(step, state)
        if a is None or b is None:
            return a if b is None else b
        return join(a, b)

    def _require(self, condition: Sym, truth: bool, node: c_ast.Node, state: State) -> None:
        required = condition if truth else inverted(condition)
        span = self.frame.unit.node_span(node)
        if known_on_entry(condition):
            self.run_.requirements.append((required, span))
        else:
            self.run_.problems.append(
                Reason(
                    "KF210", "the launch depends on a condition that is not known on entry", span
                )
            )

    def _condition_problem(self, node: c_ast.Node, message: str) -> None:
        self.run_.problems.append(Reason("KF210", message, self.frame.unit.node_span(node)))

    def _check(self, run: Run) -> None:
        unit = run.function.unit
        where = unit.node_span(run.function.function.node)
        if len(run.launches) > 1:
            second = self.program.node_span(run.launches[1][1].node, unit)
            run.problems.append(
                Reason("KF210", f"{run.function.name} launches more than one kernel", second)
            )
        elif not run.launches:
            run.problems.append(
                Reason("KF210", f"{run.function.name} may return without launching", where)
            )
        elif not run.launch.certain:
            run.problems.append(
                Reason(
                    "KF210",
                    f"{run.function.name} launches under a condition or in a loop",
                    self.program.node_span(run.launch.node, unit),
                )
            )
        for step in run.steps:
            for effect in step.effects:
                if isinstance(effect, Unsupported):
                    self._problem_of(run, effect)
        if run.launches:
            self._check_kernels(run)

    def _check_kernels(self, run: Run) -> None:
        """All arguments are those of the kernel that is launched."""
        effects = [e for step in run.steps for e in step.effects if isinstance(e, SetArgument)]
        others = [e for e in effects if e.kernel != run.launch.kernel]
        if not others or not is_on(OWN_ARGUMENTS):
            return
        run.problems.append(
            Reason(
                "KF211",
                f"{run.function.name} sets an argument of another kernel than it launches",
                self.program.node_span(others[0].node, run.function.unit),
                help="set it in the function that launches that kernel",
            )
        )
        own = [e for e in effects if e not in others]
        run.set_arguments = {e.index.value: e for e in own if isinstance(e.index, Num)}

    def _problem_of(self, run: Run, effect: Unsupported) -> None:
        run.problems.append(
            Reason(
                "KF219",
                f"{effect.what} in {run.function.name} is not understood",
                self.program.node_span(effect.node, run.function.unit),
            )
        )


def always_returns(node: c_ast.Node | None) -> bool:
    if isinstance(node, c_ast.Compound):
        return bool(node.block_items) and always_returns(node.block_items[-1])
    return isinstance(node, c_ast.Return)


def _first_placed(node: c_ast.Node) -> c_ast.Node:
    while node.coord is None:
        children = node.children()
        if not children:
            break
        node = children[0][1]
    return node


def _direct_child(statement: Statement, index: int) -> Statement:
    for child in statement.children:
        if child.first <= index <= child.last:
            return child
    return statement
