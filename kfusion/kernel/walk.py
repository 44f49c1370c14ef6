"""A walk through a kernel's body in execution order, noting accesses and features."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from kfusion.kernel.accesses import ExpressionWalker
from kfusion.kernel.arithmetic import UNKNOWN, Known, Typed, convert
from kfusion.kernel.body import address_space, declare, is_sampler
from kfusion.kernel.evaluate import Environment, conditions, evaluate, resolve_pointer
from kfusion.kernel.flow import (
    LEAVING,
    MOST_STEP,
    changed_in,
    goes_on,
    has_continue,
    has_inner_cases,
    is_kept,
)
from kfusion.kernel.forms import ITEM_IDS, Comparison, Form, LoopVariable, form_of, number
from kfusion.kernel.helpers import Helpers
from kfusion.kernel.model import Body, Feature, Symbol
from kfusion.kernel.scopes import Scopes
from kfusion.kernel.types import is_unsigned, is_wide, promoted
from kfusion.parse.unit import Function, descendants
from kfusion.source.protections import is_on, protection

LEFT = protection("left", "what stands behind an early return is under a condition")
CASES = protection("cases", "a label in a block is come to without what the block stands under")


class Walker(ExpressionWalker):
    """`env` knows the parameters; the walk binds local variables as it meets them."""

    def __init__(
        self,
        env: Environment,
        scopes: Scopes,
        function: Function,
        body: Body,
        helpers: Helpers,
    ) -> None:
        super().__init__(env, scopes, function, body, helpers)
        self._switched: set[Symbol] = set()  # what the switch around changes
        self._guards = {i.statement.first: i for i in body.prelude if i.guard is not None}
        self.leaves: list[int] = []  # tokens by which an item ends its work early
        self._loops = 0  # around, in the work

    def walk(self) -> None:
        self._statement(self.function.node.body)
        for node in self.scopes.odd:
            self._feature(Feature.CONTROL_FLOW, type(node).__name__.lower(), node)

    # Statements

    def _statement(self, node: c_ast.Node | None) -> None:
        method = getattr(self, f"on_{type(node).__name__.lower()}", None)
        if method is not None:
            method(node)
        elif node is not None:
            self.expression(node, statement=True)

    def on_compound(self, node: c_ast.Compound) -> None:
        with self._scope():
            for item in node.block_items or []:
                self._statement(item)

    def on_decl(self, node: c_ast.Decl) -> None:
        pointer_type = isinstance(node.type, c_ast.PtrDecl)
        # Of pointers, and of arrays of them, that is where they point to.
        space = "private" if has_pointers(node) else address_space(self.env, node)
        constant = space == "constant" and not is_sampler(self.env, node)
        if constant or (space == "local" and not self.together.array(node)):
            self._feature(Feature.LOCAL_MEMORY, node.name, node)
        if node in self.scopes.odd:
            return
        if node.init is not None:
            pointer = resolve_pointer(self.env, node.init) if pointer_type else None
            symbol = self.env.uses[self.unit.name_index(node)]
            # The ids in a variable that is followed are looked at where it is used.
            followed = evaluate(self.env, node.init).complete and self.flow.follows(symbol)
            if pointer is not None:  # it is bound to what it is before the initialiser steps
                declare(self.env, self.scopes, node)
                self.offsets(node.init)
                return
            if not followed:
                self.expression(node.init)
        declare(self.env, self.scopes, node)

    def on_decllist(self, node: c_ast.DeclList) -> None:
        for declaration in node.decls:
            self.on_decl(declaration)

    def on_emptystatement(self, node: c_ast.Node) -> None:
        pass

    on_pragma = on_break = on_emptystatement

    def on_return(self, node: c_ast.Return) -> None:
        if node.expr is not None:  # of a function that the kernel calls
            self.expression(node.expr)
        self._leave(node)

    def _leave(self, node: c_ast.Node) -> None:
        index = self.unit.index(node)
        if self.body.statement_at(index) >= 0:
            self.leaves.append(index)
            self._left = is_on(LEFT)

    def on_continue(self, node: c_ast.Continue) -> None:
        if self._loops == 0:  # of the loop over the range
            self._leave(node)

    def on_if(self, node: c_ast.If) -> None:
        index = self.unit.index(node)
        if index in self._guards:
            self._guard(index)
            if not self._guards[index].early_return:
                self._statement(node.iftrue)
            return
        when, unless = self.choice(node, self._branch)
        # What holds behind it, until the block ends.
        if not goes_on(node.iftrue):
            self.learn(unless[0])
        if not goes_on(node.iffalse):
            self.learn(when[0])

    def _branch(self, known: Known, node: c_ast.Node | None) -> bool:
        with self._scope(known[0], conditional=True, complete=known[1]):
            self._statement(node)
        return goes_on(node)

    def _guard(self, index: int) -> None:
        comparisons = self._guards[index].guard or ()
        for comparison in comparisons:
            self._check_form(comparison.left, (index, index))
            self._check_form(comparison.right, (index, index))
        self._facts += comparisons

    def on_while(self, node: c_ast.While) -> None:
        if self.unit.index(node) in self._guards:
            self._over_range(node, node.stmt.block_items[:-1])
            return
        changed = self.flow.begin_loop(node)
        facts, _ = conditions(self.env, node.cond)
        with self._scope(looped=True):
            self.expression(node.cond)
        with self._scope(facts, conditional=True, looped=True):
            self._round(node)
        self.flow.end_loop(node, changed)

    def _round(self, node: c_ast.Node) -> None:
        self._loops += 1
        with self._scope():
            self._statement(node.stmt)
        self._loops -= 1

    def on_dowhile(self, node: c_ast.DoWhile) -> None:
        changed = self.flow.begin_loop(node)
        with self._scope(looped=True):
            self._round(node)
            self._continued(node)
            self.expression(node.cond)
        self.flow.end_loop(node, changed)

    def on_switch(self, node: c_ast.Switch) -> None:
        self.expression(node.cond)
        outer, self._switched = self._switched, changed_in(self.env, node.stmt)
        into_blocks = has_inner_cases(node) and is_on(CASES)
        self._doubted += into_blocks  # what holds in them is jumped over
        with self._scope(conditional=True):
            self._statement(node.stmt)
        self._doubted -= into_blocks
        self.flow.forget(self._switched, node)
        self._switched = outer

    def _continued(self, node: c_ast.Node) -> None:
        """Behind the body of a loop, which `continue` may have left early."""
        if has_continue(node.stmt):
            self.flow.forget(changed_in(self.env, node.stmt), node)

    def on_case(self, node: c_ast.Case | c_ast.Default) -> None:
        self.flow.forget(self._switched, node)  # it is jumped to, and may be come to
        with self._scope():
            for statement in node.stmts or []:
                self._statement(statement)

    on_default = on_case

    def on_label(self, node: c_ast.Label) -> None:
        self._statement(node.stmt)

    def on_for(self, node: c_ast.For) -> None:
        if self.unit.index(node) in self._guards:
            self._over_range(node, [node.stmt])
            return
        counter, low = self._loop_start(node.init)
        self._statement(node.init)
        changed = self.flow.begin_loop(node)
        facts: list[Comparison] = []
        is_all = False
        if counter is not None:
            facts = self._bind_loop(node, counter, low)
        if node.cond is not None:
            with self._scope(facts, looped=True):
                self.expression(node.cond)
            found, is_all = conditions(self.env, node.cond)
            facts += found
        sure = is_all and counter is not None and self._has_rounds(node, counter, facts)
        with self._scope(facts, conditional=True, looped=True, sure=sure):
            self._round(node)
            self._continued(node)
            if node.next is not None:
                self.expression(node.next, statement=True)
        self.flow.end_loop(node, changed)
        if counter is not None:
            self.env.bind(counter, Typed(None, counter.canonical))

    def _over_range(self, node: c_ast.For | c_ast.While, body: Sequence[c_ast.Node]) -> None:
        stride = self.body.stride
        assert stride is not None
        symbol = self.env.uses[stride.token]
        self.flow.forget(changed_in(self.env, node.stmt), node)
        self.env.bind(symbol, Typed(stride.form, symbol.canonical))
        self._guard(self.unit.index(node))
        with self._scope():
            for each in body:
                self._statement(each)

    def _has_rounds(self, node: c_ast.For, counter: Symbol, facts: Sequence[Comparison]) -> bool:
        """One for each number from one that is known to another."""
        variable = self.env.values[counter].form
        sides = [(f.left, f.right, f.op) for f in facts if f.op in ("<", "<=")]
        starts = [a.constant + (op == "<") for a, b, op in sides if b == variable and a.is_constant]
        ends = [b.constant - (op == "<") for a, b, op in sides if a == variable and b.is_constant]
        leaves = any(isinstance(each, LEAVING) for each in descendants(node.stmt))
        single = abs(_step(node.next, counter, self.env)) == 1 and len(sides) == 2
        return single and bool(starts and ends) and starts[0] <= ends[0] and not leaves

    def _loop_start(self, init: c_ast.Node | None) -> tuple[Symbol | None, Typed]:
        symbol, value = None, None
        if isinstance(init, c_ast.DeclList) and len(init.decls) == 1:
            symbol, value = self.env.uses.get(self.unit.index(init.decls[0])), init.decls[0].init
        elif isinstance(init, c_ast.Assignment) and init.op == "=":
            symbol, value = self.env.symbol(init.lvalue), init.rvalue
        if symbol is None or symbol.parameter or value is None:
            return None, UNKNOWN
        return symbol, convert(evaluate(self.env, value), symbol.canonical)

    def _bind_loop(self, node: c_ast.For, symbol: Symbol, low: Typed) -> list[Comparison]:
        """The loop variable's form, and the bound that its start gives it."""
        type_ = symbol.canonical
        step = _step(node.next, symbol, self.env)
        changed = changed_in(self.env, node.stmt, node.cond) | self.scopes.address_taken
        if step == 0 or symbol in changed or not is_wide(type_):  # narrow ones wrap around
            return []
        of_item = low.form is not None and low.form.mentions(*ITEM_IDS) and step > 0
        start = low.form if low.form is not None and of_item and type_ != "uint" else Form()
        name = "<count>" if start.terms else symbol.name
        count = form_of(LoopVariable(name, self.unit.index(node), type_))
        variable = start + count  # from where the item begins, if items differ in that
        self.env.bind(symbol, Typed(variable, type_))
        if low.form is None or not self._keeps_order(node.cond, variable, step, type_):
            return []
        ends = (low.form, variable) if step > 0 else (variable, low.form)
        facts = [Comparison("<=", ends[0] - start, ends[1] - start, type_)]
        if start.terms and node.cond is not None:
            facts += [
                Comparison("<", count, c.right - start, "long")
                for c in conditions(self.env, node.cond)[0]
                if (c.op, c.left) == ("<", variable) and not is_unsigned(c.type)
            ]
        if self.flow.counts_rounds(node, symbol):
            reached = low.form + self.flow.rounds(node) * number(step)
            facts.append(Comparison("==", reached, variable, "long"))
        return facts

    def _keeps_order(
        self, condition: c_ast.Node | None, variable: Form, step: int, type_: str
    ) -> bool:
        """The steps lead away from the start: they do not wrap around."""
        if not is_unsigned(type_):
            return True
        if condition is None or abs(step) != 1:
            return False
        found, _ = conditions(self.env, condition)
        if step > 0:
            return any(
                c.op == "<" and c.left == variable and c.type == promoted(type_) for c in found
            )
        return any(
            c.op == "<" and c.right == variable and c.left.is_constant and c.left.constant >= 0
            for c in found
        )


def has_pointers(node: c_ast.Decl) -> bool:
    type_ = node.type
    while isinstance(type_, c_ast.ArrayDecl):
        type_ = type_.type
    return isinstance(type_, c_ast.PtrDecl)


def _step(node: c_ast.Node | None, symbol: Symbol, env: Environment) -> int:
    """By which constant the loop's last part changes its variable; 0: by none."""
    if isinstance(node, c_ast.UnaryOp) and env.symbol(node.expr) == symbol:
        return {"++": 1, "--": -1}.get(node.op.removeprefix("p"), 0)
    if not isinstance(node, c_ast.Assignment) or env.symbol(node.lvalue) != symbol:
        return 0
    step = evaluate(env, node.rvalue).form
    if step is None or node.op not in ("+=", "-=") or not step.is_constant:
        return 0
    if abs(step.constant) >= MOST_STEP or not is_kept(env, node, step):
        return 0
    return step.constant if node.op == "+=" else -step.constant
