"""Which value of a variable reaches the place that is being read.

In: the environment of the walk, and where ways part and meet. Out: the same environment, with
what is known behind them: a value that all ways agree in; of loops only what they leave alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from pycparser import c_ast

from kfusion.kernel.arithmetic import NOT_KNOWN, UNKNOWN, Known, Typed, binary, convert, one_of
from kfusion.kernel.evaluate import Environment, Pointer, evaluate, moved, offset_of
from kfusion.kernel.forms import Form, Id, LoopVariable, form_of, number
from kfusion.kernel.model import Symbol
from kfusion.kernel.scopes import Scopes
from kfusion.kernel.types import INTEGERS, common, is_integer, is_unsigned, is_wide, promoted
from kfusion.parse.unit import descendants, is_step
from kfusion.source.protections import is_on, protection

_T = TypeVar("_T")
JOINS = protection("joins", "behind branches a variable has the value that all agree in")
STEPS = protection("steps", "what a variable cannot hold is no step of it")
LOOPS = protection("loops", "a variable that a loop changes has no value in it but a step's")

ROUNDS = "<rounds>"  # how often a loop has gone round
MOST_STEP = 1 << 31  # `k += 0xFFFFFFFFu` goes back by one
LEAVING = (c_ast.Return, c_ast.Break, c_ast.Continue, c_ast.Goto)


class Flow:
    def __init__(
        self,
        env: Environment,
        scopes: Scopes,
        lost: Callable[[Form, c_ast.Node], None],
        passed: Callable[[str, c_ast.Node], None],
    ) -> None:
        """`lost` hears of forms that a variable may have and its uses do not show; `passed` of
        buffers into which a pointer points that is no longer followed."""
        self.env, self.scopes = env, scopes
        self._lost, self._passed = lost, passed

    def follows(self, symbol: Symbol) -> bool:
        """Only what names the variable changes it."""
        return symbol not in self.scopes.address_taken

    def assign(self, symbol: Symbol, value: Typed) -> None:
        known = value if self.follows(symbol) else Typed(None, symbol.canonical)
        self.env.bind(symbol, known)

    def either(
        self,
        node: c_ast.Node,
        *ways: Callable[[], bool],
        when: Known = NOT_KNOWN,
        unless: Known = NOT_KNOWN,
    ) -> None:
        """One of them is gone; each says whether what stands behind is reached by it.

        `when`: under which condition the first one is, and `unless` the second.
        """
        env = self.env
        values, pointers = env.values, env.pointers
        ends: list[tuple[Mapping[Symbol, Typed], Mapping[Symbol, Pointer]]] = []
        for way in ways:
            env.reset(values, pointers)
            if way():
                ends.append((env.values, env.pointers))
        if not ends:
            env.reset(values, pointers)
            return
        env.reset(*ends[0])
        if not is_on(JOINS):
            return
        for symbol in _differing([each for each, _ in ends]):
            found = [each[symbol] for each, _ in ends if symbol in each]
            if symbol not in values:
                continue  # declared in a block that has ended
            one = UNKNOWN
            if len(found) == len(ways) == 2 and self.follows(symbol):
                one = one_of(when, unless, found[0], found[1], symbol.canonical)
            if one.form is None:
                self._forget_value(symbol, found, node)
            else:
                env.bind(symbol, one)
        for symbol in _differing([each for _, each in ends]):
            there = [each[symbol] for _, each in ends if symbol in each]
            if symbol in values or symbol in pointers:
                self._forget_pointer(symbol, there, node, everywhere=len(there) == len(ends))

    def forget(
        self, symbols: Iterable[Symbol], node: c_ast.Node, moved: Collection[Symbol] = ()
    ) -> None:
        """They may have any value: those that a loop changes; pointers `moved` stay in a buffer."""
        for symbol in sorted(symbols, key=lambda s: s.token):
            if symbol in self.env.values:
                self._forget_value(symbol, [self.env.values[symbol]], node)
            if symbol in self.env.pointers:
                known, stays = self.env.pointers[symbol], symbol in moved
                self._forget_pointer(symbol, [known], node, everywhere=stays)

    def end_loop(self, loop: c_ast.Node, changed: set[Symbol]) -> None:
        self.forget(changed, loop, _steps(self.env, loop))

    def begin_loop(self, loop: c_ast.Node) -> set[Symbol]:
        """What it changes is unknown in it, but for what each round adds the same to."""
        parts = (getattr(loop, "cond", None), loop.stmt, getattr(loop, "next", None))
        changed = changed_in(self.env, *parts)
        values = {s: self.env.values[s] for s in changed if s in self.env.values}
        pointers = {s: self.env.pointers[s] for s in changed if s in self.env.pointers}
        steps = {s: node for s, node in _steps(self.env, loop).items() if self.follows(s)}
        if is_on(LOOPS):
            self.forget(changed - set(steps), loop)
        for symbol in steps:
            self.env.bind(symbol, Typed(None, symbol.canonical))
        rounds = self.rounds(loop)
        for symbol, node in steps.items():
            step = _step(self.env, node)
            pointer, value = pointers.get(symbol), values.get(symbol, UNKNOWN)
            if pointer is not None and step is not None:
                self.env.pointers[symbol] = moved(pointer, rounds * step, "+")
            elif pointer is not None:
                self._forget_pointer(symbol, [pointer], loop, everywhere=True)
            elif step is None or value.form is None or not _counts(symbol.canonical, step):
                self._forget_value(symbol, [value], loop)
            else:
                again = symbol.canonical == "uint" and not self._is_finite(loop)
                form = value.form + (self.rounds(loop, "uint") if again else rounds) * step
                if symbol.canonical == "int" and step.everything:  # it may end below its start
                    form = value.form + self.rounds(loop, "int") * step
                self.env.bind(symbol, Typed(form, symbol.canonical))
        return changed

    def rounds(self, loop: c_ast.Node, type_: str = "ulong") -> Form:
        """`uint`: what is left of their number in 32 bits."""
        return form_of(LoopVariable(ROUNDS, self.env.unit.index(loop), type_))

    def _is_finite(self, loop: c_ast.Node) -> bool:
        """It counts in 32 bits with a sign, which never start again."""
        steps = _steps(self.env, loop).items()
        return any(
            symbol.canonical == "int"
            and (step := _step(self.env, node)) is not None
            and step.is_constant
            and step.constant != 0
            for symbol, node in steps
        )

    def counts_rounds(self, loop: c_ast.For, counter: Symbol) -> bool:
        """Something else than its counter is what it is by the number of rounds."""
        return any(symbol != counter for symbol in _steps(self.env, loop))

    def _forget_value(self, symbol: Symbol, known: list[Typed], node: c_ast.Node) -> None:
        for value in known:
            for part in (value, *value.parts):
                if part.form is not None:
                    self._lost(part.form, node)
        self.env.bind(symbol, Typed(None, symbol.canonical))

    def _forget_pointer(
        self, symbol: Symbol, known: list[Pointer], node: c_ast.Node, *, everywhere: bool
    ) -> None:
        kinds = {(p.parameter, p.type, p.declared) for p in known}
        if everywhere and len(kinds) == 1:
            self.env.pointers[symbol] = replace(known[0], offset=None)
            return
        for parameter in dict.fromkeys(pointer.parameter for pointer in known):
            self._passed(parameter, node)
        self.env.pointers.pop(symbol, None)


def _differing(states: list[Mapping[Symbol, _T]]) -> list[Symbol]:
    first, *others = states
    if not others:
        return []
    found = {
        symbol: None
        for symbol in chain(*states)
        for other in others
        if first.get(symbol) is not other.get(symbol) and first.get(symbol) != other.get(symbol)
    }
    return list(found)


def goes_on(node: c_ast.Node | None) -> bool:
    """May what stands behind the statement be reached through it?"""
    while isinstance(node, c_ast.Compound):
        node = node.block_items[-1] if node.block_items else None
    return not isinstance(node, LEAVING)


def _steps(env: Environment, loop: c_ast.Node) -> dict[Symbol, c_ast.Node]:
    """Variables that each round of a loop changes once, by adding something: the statement."""
    next_ = getattr(loop, "next", None)
    body = loop.stmt.block_items or [] if isinstance(loop.stmt, c_ast.Compound) else [loop.stmt]
    last = next_.exprs if isinstance(next_, c_ast.ExprList) else [next_] if next_ else []
    places = [*last, *([] if has_continue(loop.stmt) else body)]
    found: dict[Symbol, c_ast.Node] = {}
    for node in chain(*map(_always_evaluated, places)):
        target = getattr(node, "lvalue", getattr(node, "expr", None))
        symbol = env.symbol(target) if target is not None else None
        if symbol is not None and _adds(node):
            found[symbol] = node
    counts = _changes(env, getattr(loop, "cond", None), loop.stmt, next_)
    return {symbol: node for symbol, node in found.items() if counts[symbol] == 1}


def _always_evaluated(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """An expression that is a statement, and what of it no condition leaves out."""
    if isinstance(node, _EXPRESSIONS) and getattr(node, "op", "") != "sizeof":
        yield node
        parts = [] if isinstance(node, c_ast.TernaryOp) else [each for _, each in node.children()]
        if isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||"):
            parts = [node.left]
        yield from chain(*map(_always_evaluated, parts))
    elif isinstance(node, c_ast.Decl) and node.init is not None:
        yield from _always_evaluated(node.init)


_EXPRESSIONS = (
    *(c_ast.Assignment, c_ast.UnaryOp, c_ast.BinaryOp, c_ast.TernaryOp, c_ast.Cast),
    *(c_ast.FuncCall, c_ast.ExprList, c_ast.ArrayRef, c_ast.StructRef),
)


def _adds(node: c_ast.Node) -> bool:
    return is_step(node) or (isinstance(node, c_ast.Assignment) and node.op in ("+=", "-="))


def _step(env: Environment, node: c_ast.Node) -> Form | None:
    """How much it adds, if that is the same in each round."""
    if isinstance(node, c_ast.UnaryOp):
        return number(1 if "+" in node.op else -1)
    at = env.unit.index(node.lvalue)
    if not env.certain(at, env.unit.index(node.rvalue)):
        return None
    form = offset_of(evaluate(env, node.rvalue))
    if form is None or form.in_loop or form.choices or not is_kept(env, node, form):
        return None
    if max(abs(form.constant), *(abs(factor) for _, factor in form.terms), 0) >= MOST_STEP:
        return None
    return form if node.op == "+=" else -form


def is_kept(env: Environment, node: c_ast.Assignment, step: Form) -> bool:
    """`i += k` adds k as it is: a `long` that an `int` cannot hold changes on the way."""
    symbol = env.symbol(node.lvalue)
    if symbol is None or not is_on(STEPS) or not is_integer(symbol.canonical):
        return True  # a pointer
    if step.atoms and all(isinstance(atom, Id) for atom in step.atoms):
        return True  # a number of items
    own, given = promoted(symbol.canonical), evaluate(env, node.rvalue).type
    if common(own, given) != own:
        return False  # `k += 5u` of an `int`: behind the last number the first one comes
    before = form_of(LoopVariable("<before>", env.unit.index(node), symbol.canonical))
    typed = Typed(before, symbol.canonical)
    behind = convert(binary(typed, node.op[0], evaluate(env, node.rvalue)), symbol.canonical)
    return behind.form == (before + step if node.op == "+=" else before - step)


def _counts(type_: str, step: Form) -> bool:
    """Adding it leads around from the largest number to the smallest where forms do, too."""
    wide = is_unsigned(type_) and INTEGERS[type_][0] == 64
    return is_wide(type_) and not (wide and any(factor < 0 for _, factor in step.terms))


def has_inner_cases(switch: c_ast.Switch) -> bool:
    """Labels in blocks and loops of the switch."""

    def found(node: c_ast.Node, *, directly: bool) -> bool:
        if isinstance(node, (c_ast.Case, c_ast.Default)):
            return not directly or any(found(each, directly=False) for each in node.stmts or [])
        inside = [] if isinstance(node, c_ast.Switch) else [each for _, each in node.children()]
        return any(found(each, directly=False) for each in inside)

    body = switch.stmt
    items = body.block_items or [] if isinstance(body, c_ast.Compound) else [body]
    return any(found(item, directly=True) for item in items)


def has_continue(node: c_ast.Node) -> bool:
    return any(isinstance(each, c_ast.Continue) for each in descendants(node))


def changed_in(env: Environment, *nodes: c_ast.Node | None) -> set[Symbol]:
    """Variables that are assigned within, or a part of them."""
    return set(_changes(env, *nodes))


def _changes(env: Environment, *nodes: c_ast.Node | None) -> Counter[Symbol]:
    """How often the text changes each."""
    counts: Counter[Symbol] = Counter()
    for node in chain(*(descendants(node) for node in nodes if node is not None)):
        if isinstance(node, c_ast.Assignment):
            counts.update(changed_part(env, node.lvalue))
        elif is_step(node):
            counts.update(changed_part(env, node.expr))
    return counts


def changed_part(env: Environment, node: c_ast.Node) -> tuple[Symbol, ...]:
    """The variable that an assignment to the place changes: `i`, `v` of `v.x`."""
    part = isinstance(node, (c_ast.StructRef, c_ast.ArrayRef))
    while isinstance(node, (c_ast.StructRef, c_ast.ArrayRef)):
        node = node.name
    symbol = env.symbol(node)
    behind = part and symbol is not None and symbol.canonical.endswith("*")  # a pointer
    return (symbol,) if symbol is not None and not behind else ()
