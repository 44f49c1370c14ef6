"""One path through host code, executed symbolically: at each condition one way is taken.

Where a condition is not known, a script says which way is taken (`ways.py`), so that what is
launched on the path is one row of launches. Loops are followed round by round; those that launch
nothing only as far as their conditions are known, and not for long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pycparser import c_ast

from kfusion.host import calls, variadic
from kfusion.host.arithmetic import arithmetic
from kfusion.host.commands import Commands
from kfusion.host.expressions import has_effects
from kfusion.host.joining import joined_assignment, joined_return
from kfusion.host.known import CALLS, Kind, kind_of
from kfusion.host.names import function_at
from kfusion.host.places import Frame
from kfusion.host.program import HostProgram, constant
from kfusion.host.reach import (
    NEVER_RETURN,
    Reach,
    gives_up,
    is_early_end,
    is_never,
    last_of,
    leaves,
    undoes,
)
from kfusion.host.record import Calling
from kfusion.host.symbolic import CLEARED, FALSE, LOOP, TRUE, Literal, Made, Op, Place, Sym
from kfusion.host.ways import MOST_GUIDED, PathEndError, Ways
from kfusion.parse.unit import Function, arguments_of, declares_function, descendants
from kfusion.source.dataclasses import dataclass

if TYPE_CHECKING:
    from kfusion.host.runs import Before

MOST_CALLS = 24  # one inside another
MOST_ASIDE = 128  # rounds of a loop that launches nothing, those of loops inside included
MOST_ASIDE_ALL = 2_000  # rounds of all such loops
# What a path must not pass over: whoever can get there is executed one way at a time.
MATTERS = calls.LAUNCHES | {"clSetKernelArg"}
# What looks at objects, or ends their lives: where it is under a condition, it is less likely.
USES = frozenset(calls.TRANSFERS) | calls.SYNCHRONISES | {"clReleaseMemObject"}
_NOTHING = c_ast.EmptyStatement | c_ast.Pragma | c_ast.Typedef | c_ast.StaticAssert


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


class Executor(Commands):
    """Statements and calls. Where the path leaves a statement, `jump` says how."""

    harmless: frozenset[str] = frozenset()  # functions of other files, so named by the user

    def __init__(
        self,
        program: HostProgram,
        reach: Reach,
        ways: Ways,
        guide: Before | None = None,
    ) -> None:
        """`guide`: how things are likely to have been when the region began."""
        super().__init__(program, ways)
        self.reach, self.guide = reach, guide
        self.uses = Reach.of(program, USES | program.settling)
        self.jump = ""  # return, break, continue, or goto
        self.label = ""  # of a goto
        self.result: Sym = FALSE  # of a return
        self.rounds: list[Rounds] = []  # of the loops around, the innermost last
        self.aside = 0  # functions around, and loops, which launch nothing
        self.followed = self.followed_all = 0  # rounds of such a loop, and of all of them

    # Decisions

    def decide(self, condition: Sym, default: bool, *, cost: int = 1, fails: bool = False) -> bool:
        """Take one way, and remember on the path that it was taken."""
        truth = default if self.aside else self.ways.take(default, cost=cost, fails=fails)
        self.state.assume(condition, truth)
        return truth

    def guess(self, condition: Sym) -> bool | None:
        return self.guide.truth(condition) if self.guide is not None else None

    def likely(self, kernel: Sym) -> Sym:
        found = self.guide.value(kernel) if self.guide is not None else None
        return found if isinstance(found, Made) else kernel

    def matters(self, node: c_ast.Node | None) -> bool:
        return self.reach.has(node)

    def gives_up(self, node: c_ast.Node | None) -> bool:
        return gives_up(node, self.program, self.frame.unit)

    def one_of(self, node: c_ast.Node, condition: Sym) -> bool:
        """Which way an `if` or `?:` takes."""
        truth = self.truth(condition)
        if truth is not None:
            return truth
        self.turns += 1
        first, second = ways = (node.iftrue, node.iffalse)
        default = self.preferred(condition, first, second)
        cost = 1
        if not any(self.matters(way) or leaves(way) for way in ways):
            uses = [self.uses.has(way) for way in ways]
            if any(uses) and self.guess(condition) is None:
                default = not uses[0]
            elif not any(map(_changes, ways)):  # all the same
                self.state.assume(condition, default)
                return default
            cost = 3
        if self.rounds and self.rounds[-1].done > 0:  # without end: it is left after two rounds
            cost *= not any(map(self._ends_a_loop, (first, second)))
        fails = self.gives_up(first) != default and self._one_fails(first, second)
        return self.decide(condition, default, cost=cost, fails=fails)

    def preferred(
        self, condition: Sym, first: c_ast.Node | None, second: c_ast.Node | None
    ) -> bool:
        """Of two ways the one that is guessed; then the one that goes on; then the one that
        launches."""
        guessed = self.guess(condition)
        if guessed is not None:
            return guessed
        given_up = self.gives_up(first), self.gives_up(second)
        if given_up[0] != given_up[1]:
            leaving = first if given_up[0] else second
            return given_up[0] == self._ends_a_loop(leaving)
        undone = undoes(first), undoes(second)
        if undone[0] != undone[1]:
            return undone[1]
        return self.matters(first) or not self.matters(second)

    def _one_fails(self, first: c_ast.Node | None, second: c_ast.Node | None) -> bool:
        given_up = self.gives_up(first), self.gives_up(second)
        leaving = first if given_up[0] else second
        if given_up[0] == given_up[1] or self.matters(leaving):  # what launches does not fail
            return False
        return not is_early_end(leaving, self.frame.function) and not self._succeeds(leaving)

    def _succeeds(self, node: c_ast.Node | None) -> bool:
        """`return status;`, of a status that is 0, like the function's end?"""
        function = self.frame.function
        end = last_of(function.node.body) if function is not None else None
        ends = [each.expr for each in (last_of(node), end) if isinstance(each, c_ast.Return)]
        names = [each.name for each in ends if isinstance(each, c_ast.ID)]
        return len(names) == 2 and names[0] == names[1] and self.value(ends[0]) == FALSE

    def _ends_a_loop(self, node: c_ast.Node | None) -> bool:
        """Is it the way out of a loop without end, of which one round is done?"""
        while isinstance(node, c_ast.Compound) and node.block_items:
            node = node.block_items[-1]
        if not isinstance(node, c_ast.Break | c_ast.Return) or not self.rounds:
            return False
        rounds = self.rounds[-1]
        has_launched = self.launched > rounds.launched_before
        return rounds.is_endless and (rounds.done > 0 or has_launched)

    # Statements: does control come out below?

    def statement(self, node: c_ast.Node | None) -> bool:
        self.ways.tick()
        if node is None or isinstance(node, _NOTHING):
            return True
        method = getattr(self, "_run_" + type(node).__name__, None)
        if method is not None:
            return bool(method(node))
        self.value(node)
        return True

    def _run_Compound(self, node: c_ast.Compound) -> bool:
        items = node.block_items or []
        position = 0
        with self.scope():
            while position < len(items):
                goes_on = self._joined(items, position)
                position += 1
                if not goes_on:
                    target = self._target(items)
                    if target is None:
                        return False
                    position = target
        return True

    def _joined(self, items: list[c_ast.Node], position: int) -> bool:
        """A statement of a block; one that ends the function with the one behind it."""
        node = items[position]
        if isinstance(node, c_ast.If):
            following = items[position + 1] if position + 1 < len(items) else None
            node = joined_return(node, following) or node
        return self.statement(node)

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

    def _run_DeclList(self, node: c_ast.DeclList) -> bool:
        return all(map(self._run_Decl, node.decls))

    def _run_Decl(self, node: c_ast.Decl) -> bool:
        if not node.name or "extern" in node.storage or declares_function(node):
            return True
        self.name_variable(node)
        if "static" not in node.storage:
            self.begin_variable(node, self.variable(node.name))
        return True

    def begin_variable(self, node: c_ast.Decl, place: Place) -> None:
        """What a variable holds at first."""
        if isinstance(node.init, c_ast.InitList):
            self.initialise(place, node.init, node.type)
            return
        value = self.unknown() if node.init is None else self.value(node.init)
        self.state.write(place, self.arithmetic(node.type, value, node.init))

    def _run_If(self, node: c_ast.If) -> bool:
        joined = joined_assignment(node)
        if joined is not None and self._is_number(joined.lvalue):
            return self.statement(joined)
        truth = self.one_of(node, self.value(node.cond))
        return self.statement(node.iftrue if truth else node.iffalse)

    def _is_number(self, node: c_ast.Node) -> bool:
        return arithmetic(self.type_of(node), self.program.types) is not None

    def _run_Label(self, node: c_ast.Label) -> bool:
        return self.statement(node.stmt)

    def _run_Return(self, node: c_ast.Return) -> bool:
        value = self.value(node.expr) if node.expr is not None else FALSE
        function = self.frame.function
        self.result = (
            value if function is None else self.arithmetic(function.result_type, value, node.expr)
        )
        self.jump = "return"
        return False

    def _run_Goto(self, node: c_ast.Goto) -> bool:
        self.jump, self.label = "goto", node.name
        return False

    def _run_Break(self, node: c_ast.Break | c_ast.Continue) -> bool:
        self.jump = "break" if isinstance(node, c_ast.Break) else "continue"
        return False

    _run_Continue = _run_Break

    def _run_Switch(self, node: c_ast.Switch) -> bool:
        value = self.value(node.cond)
        items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
        start = self._case(items or [], value)
        with self.scope():
            for item in (items or [])[start:] if start is not None else ():
                if not self.statement(item):
                    return self.jump == "break"
        return True

    def _case(self, items: list[c_ast.Node], value: Sym) -> int | None:
        """The position of the case that is taken; None: the switch does nothing."""
        otherwise = None
        for position, item in enumerate(items):
            if isinstance(item, c_ast.Default):
                otherwise = position
            if not isinstance(item, c_ast.Case):
                continue
            condition = self.binary("==", value, self.value(item.expr))
            truth = self.truth(condition)
            if truth is None:
                self.turns += 1
                guessed = self.guess(condition)
                truth = self.decide(
                    condition, guessed if guessed is not None else self.matters(item)
                )
            if truth:
                return position
        return otherwise

    def _run_Case(self, node: c_ast.Case) -> bool:
        return all(map(self.statement, node.stmts or ()))

    _run_Default = _run_Case

    # Loops

    def _run_For(self, node: c_ast.Node) -> bool:
        rounds = Rounds(node, self.launched)
        is_aside = not (self.matters(node) or leaves(node))
        self.rounds.append(rounds)
        self.aside += is_aside
        with self.scope():
            goes_on = self._round_by_round(node, rounds, is_aside)
        self.aside -= is_aside
        self.rounds.pop()
        if not self.aside:
            self.followed = 0
        return goes_on

    _run_While = _run_DoWhile = _run_For

    def _round_by_round(self, node: c_ast.Node, rounds: Rounds, is_aside: bool) -> bool:
        if isinstance(node, c_ast.For) and node.init is not None:
            self.statement(node.init)
        is_first = isinstance(node, c_ast.DoWhile)
        open_rounds = int(is_first)  # those of which it is not known whether they are done
        while True:
            if not is_first:
                condition = self._condition(node)
                truth = self.truth(condition)
                self.turns += truth is None
                if is_aside and (truth is None or self._is_long):
                    self._sum_up(node)
                    return True
                if truth is None:
                    truth = self._may_go_on(condition, open_rounds)
                    open_rounds += 1
                if not truth:
                    return True
            is_first = False
            self.followed += is_aside
            self.followed_all += is_aside
            if not self.statement(node.stmt) and self.jump != "continue":
                return self.jump == "break"
            if isinstance(node, c_ast.For) and node.next is not None:
                self.value(node.next)
            rounds.done += 1

    @property
    def _is_long(self) -> bool:
        return self.followed > MOST_ASIDE or self.followed_all > MOST_ASIDE_ALL

    def _condition(self, node: c_ast.Node) -> Sym:
        self.ways.tick()
        if isinstance(node, c_ast.DoWhile) and is_never(node.cond):
            return FALSE
        return TRUE if node.cond is None else self.value(node.cond)

    def _may_go_on(self, condition: Sym, done: int) -> bool:
        guessed = self.guess(condition) if done < MOST_GUIDED else None
        default = guessed if guessed is not None else done == 0
        return self.decide(condition, default, cost=int(done < 2))

    def _sum_up(self, node: c_ast.Node) -> None:
        """What a loop changes is a function of what its variables held before it."""
        self.turns += 1
        own = self.frame.variables
        names = {inner.name for inner in descendants(node) if isinstance(inner, c_ast.ID)}
        inputs = tuple(self.state.read(self.variable(name)) for name in sorted(names & own.keys()))
        for inner in descendants(node):
            changed = _changed(inner)
            if isinstance(changed, c_ast.ID) and changed.name in own:
                value: Sym = Op(f"{LOOP}{changed.name}", inputs)
                self.state.write(self.variable(changed.name), value)
            elif changed is not None and not has_effects(changed):
                self._forget(self.place(changed))

    def _forget(self, place: Place | None) -> None:
        if place is not None:
            steps = enumerate(place.path)
            end = next((i for i, step in steps if step.startswith("[?")), len(place.path))
            self.state.write(Place(place.root, place.path[:end]), self.unknown())

    # Expressions in which a way is taken

    def _short_circuit(self, node: c_ast.BinaryOp) -> Sym:
        left = self.value(node.left)
        goes_on, truth = node.op == "&&", self.truth(left)
        self.turns += truth is None
        if truth is None and not has_effects(node.right):
            right = self.value(node.right)
            known = self.truth(right)
            if known is None:
                return Op(node.op, (left, right))
            return self.as_bool(left) if known == goes_on else TRUE if known else FALSE
        if truth is None:
            fails = self.gives_up(node.right)
            cost = int(fails or self.matters(node.right))
            truth = self.decide(left, goes_on != fails, cost=cost, fails=fails)
        if truth != goes_on:
            return TRUE if truth else FALSE
        return self.as_bool(self.value(node.right))

    def _value_Compound(self, node: c_ast.Compound) -> Sym:
        """`({ int a = x; a + 1; })`, which is what its last statement is."""
        *before, last = node.block_items or [None]
        with self.scope():
            return self.value(last) if all(map(self.statement, before)) else self.unknown()

    def _value_TernaryOp(self, node: c_ast.TernaryOp) -> Sym:
        condition = self.value(node.cond)
        is_first = node.iftrue is node.cond  # `a ?: b`
        parts = (node.iftrue, node.iffalse)[is_first:]
        if self.truth(condition) is None and not any(map(has_effects, parts)):
            first = condition if is_first else self.value(node.iftrue)
            second = self.value(node.iffalse)
            return first if first == second else Op("?:", (condition, first, second))
        if self.one_of(node, condition):
            return condition if is_first else self.value(node.iftrue)
        return self.value(node.iffalse)

    # Calls

    def _value_FuncCall(self, node: c_ast.FuncCall) -> Sym:
        self.ways.tick()
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        function = self.called(node)
        arguments = [self.value(e) for e in arguments_of(node)]
        frame, before = self.frame, self.frame.call
        frame.call = node
        if function is not None and len(self.frames) < MOST_CALLS:
            if self.program.is_guess(function, frame.unit):
                self.ways.doubt(f"several files define '{function.name}'")
            passed = zip(function.parameters, arguments_of(node), arguments, strict=False)
            reals = [self.arithmetic(p.type, value, source) for p, source, value in passed]
            arguments = [*reals, *arguments[len(reals) :]]
            value = self.run(function, arguments)
        elif function is None and name.startswith("cl") and name[2:3].isupper():
            value = self.opencl(name, arguments)
        else:
            value = self._outside(name, node, arguments)
        frame.call = before
        return value

    def called(self, node: c_ast.FuncCall) -> Function | None:
        """The function that a call runs, if it is given."""
        callee = node.name
        if isinstance(callee, c_ast.ID) and callee.name not in self.frame.variables:
            found = self.function_named(callee.name)
            known = self.program.global_of(callee.name, self.frame.unit)
            if found is not None or known is None:
                return found
        pointer = self.value(callee)
        found = function_at(self.program, pointer)
        if found is None and self.guide is not None:
            found = self.guide.function(pointer)
        launches = found is not None and self.reach.in_function(found)
        if not launches and self.guide is not None and isinstance(callee, c_ast.StructRef):
            return self._likely_member(str(callee.field.name), self.guide) or found
        return found

    def _likely_member(self, name: str, guide: Before) -> Function | None:
        """Of the functions that tables have under a name the one that launches."""
        held = dict.fromkeys(
            function_at(self.program, value)
            for place, value in guide.state.items()
            if place.path[-1:] == (name,)
        )
        launching = [each for each in held if each is not None and self.reach.in_function(each)]
        if len(launching) != 1:
            return None
        self.ways.doubt("a pointer to one of several functions is called")
        return launching[0]

    def run(self, function: Function, arguments: list[Sym]) -> Sym:
        """Enter a function: what it returns."""
        rounds, self.rounds = self.rounds, []
        names = [parameter.name for parameter in function.parameters]
        self.calling.append(Calling(function, dict(zip(names, arguments, strict=False))))
        is_aside = not self.reach.in_function(function)
        self.aside += is_aside
        self.enter(function, arguments)
        result: Sym = FALSE
        if not self.statement(function.node.body):
            if self.jump != "return":
                raise PathEndError(f"a {self.jump} that is not followed")
            result = self.result
        self.frames.pop()
        self.calling.pop()
        self.aside -= is_aside
        self.rounds = rounds
        return self.state.resolve(result)

    def enter(self, function: Function, arguments: list[Sym]) -> None:
        frame = Frame(next(self.fresh), function, function.unit)
        self.frames.append(frame)
        for parameter, value in zip(function.parameters, arguments, strict=False):
            self.name_variable(parameter)
            place = self.variable(parameter.name)
            self.state.write(place, self.arithmetic(parameter.type, value))
        more = arguments[len(function.parameters) :]
        variadic.pass_more(frame.number, more, self.state)

    def _outside(self, name: str, node: c_ast.FuncCall, arguments: list[Sym]) -> Sym:
        """A function that no given file defines."""
        if name in NEVER_RETURN:
            self.call_unknown(name, arguments)
            raise PathEndError(ended=True)
        if name in calls.PURE:
            return Op(name, tuple(arguments))
        if name == "strcmp":
            same = are_one_text(arguments)
            return Op(name, tuple(arguments)) if same is None else FALSE if same else TRUE
        if name in variadic.NAMES:
            lists = [self.target(argument) for argument in arguments[:2]]
            found = variadic.use_list(name, self.frame.number, lists, self.state)
            return found or self.unknown()
        of_library = self._is_of_library(name)
        if not of_library and name not in self.harmless:
            self.turns += 1
            self.call_unknown(name or "a function pointer", arguments)
        written = calls.WRITES.get(name, ()) if of_library else range(len(arguments))
        self.turns += bool(written)
        for position, argument in enumerate(arguments):
            if position in written:
                self.overwrite(argument)
        if name == "memset":
            self.clear_memory(node, arguments)
        if name in calls.ALLOCATES:  # running out of host memory is not followed
            return Made(CLEARED if name == "calloc" else "host memory", next(self.fresh))
        return self.unknown()

    def _is_of_library(self, name: str) -> bool:
        """A function of the C library that changes nothing but what its arguments lead to."""
        if name in self.frame.variables or name in self.program.globals or name in CALLS:
            return False
        return bool(name) and kind_of(name) is Kind.HARMLESS


def _changed(node: c_ast.Node) -> c_ast.Node | None:
    """What an expression assigns to."""
    if isinstance(node, c_ast.Assignment):
        return node.lvalue
    is_step = isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    return node.expr if is_step else None


def _changes(node: c_ast.Node | None) -> bool:
    return node is not None and any(_changed(inner) is not None for inner in descendants(node))


def are_one_text(arguments: Sequence[Sym]) -> bool | None:
    """`strcmp("add", "add")`"""
    texts = [argument.text for argument in arguments if isinstance(argument, Literal)]
    return texts[0] == texts[1] if len(texts) == 2 else None
