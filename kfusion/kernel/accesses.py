"""The accesses and features of expressions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from pycparser import c_ast

from kfusion.kernel.arithmetic import UNKNOWN, Known, Typed, binary, convert
from kfusion.kernel.builtins import (
    ATOMICS,
    CONSTANTS,
    GROUP_QUERIES,
    IMAGE_QUERIES,
    feature_of,
    is_pure,
    is_work_item,
)
from kfusion.kernel.evaluate import (
    Environment,
    Pointer,
    assigned_pointer,
    assigned_value,
    conditions,
    evaluate,
    moved,
    offset_of,
    resolve_pointer,
)
from kfusion.kernel.flow import Flow, changed_part
from kfusion.kernel.forms import (
    OF_GROUPS,
    Comparison,
    Form,
    LoopVariable,
    comparison,
    form_of,
    in_global_ids,
    number,
)
from kfusion.kernel.helpers import Helpers
from kfusion.kernel.images import ImageCall, read_image_call
from kfusion.kernel.inlined import follow_call
from kfusion.kernel.model import Access, Body, Feature, FeatureUse, Mode, Symbol, Texel
from kfusion.kernel.only_read import only_reads, reads_argument
from kfusion.kernel.opening import COPIES
from kfusion.kernel.scopes import Scopes
from kfusion.kernel.together import Findings, is_followed, is_local_fence
from kfusion.kernel.types import is_member_array
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Function, arguments_of, called_name, is_step
from kfusion.source.lexer import CLOSING, OPENING
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

CAST = protection("cast", "a variable has the type of the parameter's elements")
PASSED = protection("passed", "a pointer that is not followed may reach any element")

_VECTOR_ACCESS = re.compile(r"v(load|store)(a)?(_half)?(2|3|4|8|16)?(?:_rt[ezpn])?")
_STEPS = ("++", "--")
_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")


class ExpressionWalker(ABC):
    """Notes what expressions do, in the order in which they are evaluated."""

    def __init__(
        self,
        env: Environment,
        scopes: Scopes,
        function: Function,
        body: Body,
        helpers: Helpers,
    ) -> None:
        self.env, self.unit, self.scopes = env, env.unit, scopes
        self.function, self.body, self.helpers = function, body, helpers
        self.accesses: list[Access] = []
        self.features: list[FeatureUse] = []
        self.only_reads: Callable[[str], bool] = cache(
            lambda name: only_reads(self.unit, function, name)
        )
        self.local_ids: Span | None = None
        self.together = Findings(env, function)
        self.followed_calls = [0]  # so many, of all that walk here
        self.flow = Flow(env, scopes, self._lost, self.passed)
        self._facts: list[Comparison] = []
        self._conditional = 0
        self._when: tuple[Comparison, ...] | None = ()  # all conditions around, if it is known
        self._looped = 0
        self._unsure = 0  # conditions around, and loops that need not have all rounds
        self._left = False  # the item may have ended its work
        self._doubted = 0  # switches around that jump into blocks

    def begin_under(self, outer: ExpressionWalker) -> None:
        """What holds where another walker is, holds here."""
        self._facts = list(outer._facts)
        self._conditional, self._looped = outer._conditional, outer._looped
        self._when = outer._when
        self._unsure = outer._unsure
        self._left, self._doubted = outer._left, outer._doubted

    @abstractmethod
    def walk(self) -> None:
        """Through the whole body."""

    @contextmanager
    def _scope(
        self,
        facts: Sequence[Comparison] = (),
        *,
        conditional: bool = False,
        looped: bool = False,
        sure: bool = False,
        complete: bool = False,
    ) -> Iterator[None]:
        """`sure`: it is come to, with all numbers that are known of the loop; `complete`: the
        facts are all that decides."""
        length, when = len(self._facts), self._when
        if conditional or looped:
            known = complete and not looped and when is not None
            self._when = (*when, *facts) if known and when is not None else None
        self.learn(facts)
        self._conditional += conditional
        self._looped += looped
        self._unsure += (conditional or looped) and not sure
        yield
        self._unsure -= (conditional or looped) and not sure
        self._looped -= looped
        self._conditional -= conditional
        self._when = when
        del self._facts[length:]

    def learn(self, facts: Sequence[Comparison]) -> None:
        """What holds from here on, until the scope ends."""
        if not self._doubted:
            self._facts += facts

    def _feature(self, feature: Feature, what: str, node: c_ast.Node) -> None:
        self.features.append(FeatureUse(feature, what, self.unit.node_span(node)))

    # Expressions

    def expression(
        self, node: c_ast.Node, *, statement: bool = False, used: bool | None = None
    ) -> None:
        """`statement`: the expression is a statement of its own; `used`: its value is."""
        used = not statement if used is None else used
        form = evaluate(self.env, node).form
        if form is not None:
            self._check_form(form, self._at(node))
            return
        if isinstance(node, c_ast.Assignment):
            self._assignment(node, statement=statement, used=used)
        elif isinstance(node, c_ast.UnaryOp):
            self._unary(node, statement=statement, used=used)
        elif isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            self._read(node)
        elif isinstance(node, c_ast.BinaryOp):
            self._binary(node)
        elif isinstance(node, c_ast.TernaryOp):
            self._ternary(node)
        elif isinstance(node, c_ast.FuncCall):
            self._call(node, statement=statement)
        elif isinstance(node, c_ast.ID):
            self._name(node)
        elif isinstance(node, (c_ast.Cast, c_ast.NamedInitializer)):
            self.expression(node.expr)
        elif isinstance(node, c_ast.CompoundLiteral):
            self.expression(node.init)
        elif isinstance(node, c_ast.ExprList):
            for number, child in enumerate(node.exprs, 1):
                self.expression(child, used=used and number == len(node.exprs))
        else:
            for _, child in node.children():
                self.expression(child)

    def _read(self, node: c_ast.Node) -> None:
        before = len(self.accesses)
        self._target(node, Mode.READ, statement=False)
        if is_member_array(self.unit, node):  # it becomes a pointer
            self._passed_since(before, node)

    def _passed_since(self, before: int, node: c_ast.Node) -> None:
        """What has been accessed since may be reached in other ways too."""
        for name in dict.fromkeys(access.parameter for access in self.accesses[before:]):
            self.passed(name, node)

    def passed(self, parameter: str, node: c_ast.Node, *, read: bool = False) -> None:
        """A pointer into a buffer is passed on, copied or cast: any element may be accessed."""
        if not is_on(PASSED):
            return
        mode = Mode.READ if read or self.only_reads(parameter) else Mode.UPDATE
        self._access(
            Pointer(parameter, None), mode, None, self._at(node), whole=False, anywhere=True
        )

    def _at(self, node: c_ast.Node) -> tuple[int, int]:
        """The token at which the node is placed."""
        return self.unit.index(node), self.unit.index(node)

    def _check_form(self, form: Form, tokens: tuple[int, int]) -> None:
        if self.local_ids is None and in_global_ids(form).mentions(*OF_GROUPS):
            self.local_ids = self.unit.span(*tokens)

    def _lost(self, form: Form, node: c_ast.Node) -> None:
        self._check_form(form, self._at(node))

    def _assignment(self, node: c_ast.Assignment, *, statement: bool, used: bool) -> None:
        symbol = self.env.symbol(node.lvalue)
        if symbol is not None:
            self._variable(symbol, node)
            self._used(symbol, node, used)
            return
        self.expression(node.rvalue)
        mode = Mode.WRITE if node.op == "=" else Mode.UPDATE
        self._target(node.lvalue, mode, statement=statement)

    def _used(self, symbol: Symbol, node: c_ast.Node, used: bool) -> None:
        """Of a pointer that has changed, the value is used in a way that is not followed."""
        if used and symbol in self.env.pointers:
            self.passed(self.env.pointers[symbol].parameter, node)

    def _variable(self, symbol: Symbol, node: c_ast.Assignment) -> None:
        """`i = ...`, `i += ...`: of a variable or parameter."""
        pointer, old = assigned_pointer(self.env, node), self.env.values.get(symbol, UNKNOWN)
        value = evaluate(self.env, node.rvalue)
        if pointer is not None and node.op == "=":
            self.offsets(node.rvalue)
        elif not value.complete:
            self.expression(node.rvalue)
        if pointer is not None:
            self.env.pointers[symbol] = pointer
        else:
            self.env.pointers.pop(symbol, None)
        self.flow.assign(symbol, assigned_value(self.env, node, old, value, symbol.canonical))

    def _step(self, symbol: Symbol, node: c_ast.UnaryOp) -> None:
        """`i++`"""
        op, one = node.op.removeprefix("p")[0], Typed(number(1), "int")
        pointer = self.env.pointers.get(symbol)
        if pointer is not None:
            self.env.pointers[symbol] = moved(pointer, number(1), op)
        value = binary(self.env.values.get(symbol, UNKNOWN), op, one)
        self.flow.assign(symbol, convert(value, symbol.canonical))

    def _target(self, node: c_ast.Node, mode: Mode, *, statement: bool) -> None:
        if mode.writes and isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            self.flow.forget(changed_part(self.env, node), node)
        if isinstance(node, c_ast.ArrayRef):
            self._element(node, mode, statement=statement)
        elif isinstance(node, c_ast.StructRef):
            self._component(node, mode)
        elif isinstance(node, c_ast.UnaryOp) and node.op == "*":
            self._dereference(node, mode, statement=statement)
        elif isinstance(node, c_ast.ID):
            if self.env.symbol(node) is None:
                self._name(node)
        else:
            self._feature(Feature.ESCAPE, "an assignment", node)
            self.expression(node)

    def _unary(self, node: c_ast.UnaryOp, *, statement: bool, used: bool) -> None:
        if node.op == "sizeof":
            return
        symbol = self.env.symbol(node.expr)
        if is_step(node) and symbol is not None:
            self._step(symbol, node)
            self._used(symbol, node, used)
        elif is_step(node):
            self._target(node.expr, Mode.UPDATE, statement=statement)
        elif node.op == "*":
            self._dereference(node, Mode.READ)
        elif node.op == "&":
            self._address(node)
        else:
            self.expression(node.expr)

    def _address(self, node: c_ast.UnaryOp) -> None:
        pointer = resolve_pointer(self.env, node)
        if pointer is not None:
            self.offsets(node)
            self.passed(pointer.parameter, node)
        else:
            place = node.expr
            while isinstance(place, c_ast.ArrayRef):
                self.expression(place.subscript)
                place = place.name
            before = len(self.accesses)
            self.expression(place)  # of a pointer variable: it is passed on
            self._passed_since(before, node)

    def _binary(self, node: c_ast.BinaryOp) -> None:
        self.expression(node.left)
        if node.op in ("&&", "||"):
            facts, _ = conditions(self.env, node.left, negated=node.op == "||")
            known = facts, False
            self.flow.either(node, lambda: self._under(known, node.right), lambda: True)
        else:
            self.expression(node.right)

    def _ternary(self, node: c_ast.TernaryOp) -> None:
        self.choice(node, self._under)

    def choice(
        self,
        node: c_ast.If | c_ast.TernaryOp,
        way: Callable[[Known, c_ast.Node], bool],
    ) -> tuple[Known, Known]:
        """What holds in the one branch, and in the other, and whether that is all."""
        self.expression(node.cond)
        first = self.unit.index(node if isinstance(node, c_ast.If) else node.cond)
        certain = self.env.certain(first, self.unit.index(node.iffalse or node.iftrue))
        certain = certain and not self._doubted  # else a branch may be jumped into
        when = conditions(self.env, node.cond)
        unless = conditions(self.env, node.cond, negated=True)
        when, unless = (when[0], when[1] and certain), (unless[0], unless[1] and certain)
        ways = lambda: way(when, node.iftrue), lambda: way(unless, node.iffalse)
        self.flow.either(node, *ways, when=when, unless=unless)
        return when, unless

    def _under(self, known: Known, node: c_ast.Node) -> bool:
        with self._scope(known[0], conditional=True, complete=known[1]):
            self.expression(node)
        return True

    def _name(self, node: c_ast.ID) -> None:
        symbol = self.env.symbol(node)
        if symbol is not None:
            if symbol in self.env.pointers:
                self.passed(self.env.pointers[symbol].parameter, node)
            elif symbol in self.env.images:
                self._feature(Feature.IMAGE, node.name, node)
            return
        trouble = self.helpers.global_name(node.name)
        if trouble is not None:
            self._feature(trouble, node.name, node)
        elif not CONSTANTS.fullmatch(node.name) and node.name not in self.helpers.names:
            self._feature(Feature.UNKNOWN_NAME, node.name, node)

    def _call(self, node: c_ast.FuncCall, *, statement: bool = False) -> None:
        name = called_name(node) or "a computed function"
        feature: Feature | None = None
        image = read_image_call(self.env, node)
        if image is not None:
            self._texel(image, node, statement=statement)
            return
        if name in IMAGE_QUERIES and node.args and self.env.image(node.args.exprs[0]) is not None:
            return
        if name in self.unit.functions:
            for use in self.helpers.features(name):
                self._feature(use, f"{name}()", node)
            if self.helpers.waits(name):
                self.together.call(name, node)
            if self.helpers.asks_for_groups(name):
                self.local_ids = self.local_ids or self.unit.node_span(node)
        elif name in GROUP_QUERIES:
            self.local_ids = self.local_ids or self.unit.node_span(node)
        elif self._is_vector_access(name, node) or self._is_atomic(name, node):
            return
        elif is_followed(name):
            self.together.call(name, node)
            if name in COPIES and node.args is not None:
                self._copied(node.args.exprs)
                return
        elif is_local_fence(self.unit, node):
            return  # it orders what no other stage reaches
        elif not (is_pure(name) or is_work_item(name)):
            feature = feature_of(name) or Feature.UNKNOWN_CALL
            self._feature(feature, f"{name}()", node)
        if name not in self.unit.functions or not follow_call(self, node, name):
            self._arguments(node, name, hidden=feature is not None)

    def _arguments(self, node: c_ast.FuncCall, name: str, *, hidden: bool) -> None:
        """`hidden`: that the call is not known is the reason, not the pointers that it gets."""
        for place, argument in enumerate(arguments_of(node)):
            pointer = resolve_pointer(self.env, argument)
            if name in self.unit.functions and self.env.image(argument) is not None:
                self._given_image(argument, name)
            elif pointer is not None and reads_argument(self.unit, name, place):
                self.offsets(argument)
                self.passed(pointer.parameter, argument, read=True)
            elif not hidden or pointer is None:
                self.expression(argument)

    def _is_atomic(self, name: str, node: c_ast.FuncCall) -> bool:
        """`atomic_add(&count[i], 1)`: an element changes, in whatever order items come to it."""
        if name not in ATOMICS or node.args is None:
            return False
        place, *values = node.args.exprs
        for value in values:
            self.expression(value)
        pointer = resolve_pointer(self.env, place)
        if pointer is None:
            self.expression(place)
            return True
        self.offsets(place)
        self._access(pointer, Mode.UPDATE, pointer.offset, self._at(place), atomic=True)
        return True

    def _is_vector_access(self, name: str, node: c_ast.FuncCall) -> bool:
        """`vload4(i, a)`, `vstore4(x, i, a)`: elements that lie one behind the other."""
        match = _VECTOR_ACCESS.fullmatch(name)
        arguments = arguments_of(node)
        mode = Mode.READ if match and match.group(1) == "load" else Mode.WRITE
        if match is None or len(arguments) != (2 if mode is Mode.READ else 3):
            return False
        *values, index, place = arguments
        pointer = resolve_pointer(self.env, place)
        for each in (*values, index):
            self.expression(each)
        if pointer is None:
            self.expression(place)
            return True
        self.offsets(place)
        lanes = int(match.group(4) or 1)
        step = 4 if match.group(2) and lanes == 3 else lanes  # vloada_half3
        form = offset_of(evaluate(self.env, index))
        facts: list[Comparison] = []
        if form is not None and lanes > 1:
            lane = form_of(LoopVariable("<lane>", self.unit.index(node), "int"))
            form = form * number(step) + lane
            facts = [comparison("<", lane, number(lanes), "int", negated=False)]
            facts += [comparison("<=", Form(), lane, "int", negated=False)]
        place_of, at = moved(pointer, form, "+"), self.unit.ends.of(node)
        with self._scope(facts, conditional=lanes > 1, looped=lanes > 1):
            self._access(place_of, mode, place_of.offset, at)
        return True

    def _texel(self, call: ImageCall, node: c_ast.FuncCall, *, statement: bool) -> None:
        for argument in call.evaluated:
            self.expression(argument)
        self._access(
            Pointer(call.image, None),
            call.mode,
            call.form,
            self.unit.ends.of(node),
            direct=True,
            statement=statement,
            type_="int",
            texel=call.texel,
        )

    def _given_image(self, argument: c_ast.Node, function: str) -> None:
        """A function of the file may read any texel; one that writes is a feature."""
        at = self._at(argument)
        texel = Texel("float4", at, trouble=f"{function}() is given the whole image")
        self._access(
            Pointer(self.env.image(argument) or "", None), Mode.READ, None, at, texel=texel
        )

    def _copied(self, arguments: Sequence[c_ast.Node]) -> None:
        """An asynchronous copy writes through its first argument and reads the second."""
        for argument, mode in zip(arguments, (Mode.WRITE, Mode.READ), strict=False):
            pointer = resolve_pointer(self.env, argument)
            if pointer is None:
                self.expression(argument)
            else:
                self.offsets(argument)
                self._access(pointer, mode, None, self._at(argument), whole=False)
        for argument in arguments[2:]:
            self.expression(argument)

    def offsets(self, node: c_ast.Node) -> None:
        """What else is evaluated in an expression that gives a pointer into a buffer."""
        if isinstance(node, c_ast.BinaryOp):
            for side in (node.left, node.right):
                if resolve_pointer(self.env, side) is None:
                    self.expression(side)
                else:
                    self.offsets(side)
        elif isinstance(node, c_ast.ArrayRef):
            self.offsets(node.name)
            self.expression(node.subscript)
        elif isinstance(node, c_ast.Cast | c_ast.UnaryOp):
            self.offsets(node.expr)
            symbol = self.env.symbol(node.expr)
            if is_step(node) and symbol is not None:
                self._step(symbol, node)
        elif isinstance(node, c_ast.Assignment):
            self.expression(node, used=False)
        elif not isinstance(node, c_ast.ID):
            self._feature(Feature.ESCAPE, "a pointer that is computed", node)

    # Accesses

    def _element(self, node: c_ast.ArrayRef, mode: Mode, *, statement: bool = False) -> None:
        pointer = resolve_pointer(self.env, node.name)
        if pointer is None:
            self.expression(node.subscript)
            if isinstance(node.name, (c_ast.ArrayRef, c_ast.StructRef)):
                self._part(node.name, mode)  # `bodies[i].position[0] = ...`
            elif mode.writes and not isinstance(node.name, c_ast.ID):
                self._target(node.name, mode, statement=False)
            else:
                self.expression(node.name)
            return
        self.offsets(node.name)
        index = evaluate(self.env, node.subscript)
        moves = pointer.offset is not None and bool(pointer.offset.terms)  # by sums of 64 bits
        form, type_ = None, "size_t" if moves else index.type
        if index.form is None:
            self.expression(node.subscript)
        elif pointer.offset is not None:
            moved = offset_of(index) if moves else index.form
            form = pointer.offset + pointer.of_elements(moved) if moved is not None else None
        ends = self.unit.ends.of(node)
        named = isinstance(node.name, c_ast.ID) and ends[0] == self.unit.index(node)
        self._access(
            pointer,
            mode,
            form,
            ends if named else self._at(node),
            direct=named and self._direct(node.name),
            statement=statement,
            type_=type_,
            shown=ends,
        )

    def _dereference(self, node: c_ast.UnaryOp, mode: Mode, *, statement: bool = False) -> None:
        pointer = resolve_pointer(self.env, node.expr)
        if pointer is None:
            self.expression(node.expr)
            return
        self.offsets(node.expr)
        ends = self.unit.ends.of(node)
        bracketed = self.unit.ends.operand(node.expr) != self.unit.ends.of(node.expr)
        direct = (bracketed or isinstance(node.expr, c_ast.ID)) and self._direct(node.expr)
        self._access(
            pointer,
            mode,
            pointer.offset,
            ends if direct else self._at(node),
            direct=direct,
            statement=statement,
            shown=ends,
        )

    def _direct(self, node: c_ast.Node) -> bool:
        """Written with the parameter itself, or with a pointer variable, and not changing it."""
        if isinstance(node, c_ast.ID):
            symbol = self.env.symbol(node)
            changed = symbol is not None and not self.scopes.assigned_once(symbol)
            return not (changed and symbol in self.env.pointers and symbol.parameter)
        if isinstance(node, c_ast.Assignment) or is_step(node):
            return False
        return all(self._direct(child) for _, child in node.children())

    def _component(self, node: c_ast.StructRef, mode: Mode) -> None:
        pointer = resolve_pointer(self.env, node.name) if node.type == "->" else None
        if pointer is not None:
            self.offsets(node.name)
            self._access(pointer, mode, pointer.offset, self._at(node), whole=False)
            self.accesses[-1] = replace(self.accesses[-1], member=node.field.name)
        elif node.type == "->":
            self.expression(node.name)
        else:
            self._part(node.name, mode, node.field.name)

    def _part(self, node: c_ast.Node, mode: Mode, member: str = "") -> None:
        """Something of which only a part is read or written: perhaps a member."""
        before = len(self.accesses)
        if mode is Mode.READ and not isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            self.expression(node)
        else:
            self._target(node, mode, statement=False)
        if len(self.accesses) > before:
            last = self.accesses[-1]
            is_element = isinstance(node, c_ast.ArrayRef) or getattr(node, "op", "") == "*"
            member = last.member or (member if last.whole and is_element else "")
            self.accesses[-1] = replace(last, whole=False, member=member)

    def _access(
        self,
        pointer: Pointer,
        mode: Mode,
        form: Form | None,
        tokens: tuple[int, int],
        *,
        direct: bool = False,
        statement: bool = False,
        whole: bool = True,
        anywhere: bool = False,
        atomic: bool = False,
        type_: str = "size_t",
        texel: Texel | None = None,
        shown: tuple[int, int] | None = None,
    ) -> None:
        """`tokens`: those that it is replaced with; `shown`: that it is written with."""
        if not self.env.certain(*(texel.index if texel is not None else tokens)):
            form = None
        if form is not None:
            self._check_form(form, tokens)
        stored_by = self._storing(*tokens) if statement else None
        if texel is not None and texel.value is not None:
            shown = tokens[0], texel.value - 1
        uncast = not (pointer.seen_as or pointer.unit) or not is_on(CAST)
        self.accesses.append(
            Access(
                parameter=pointer.parameter,
                mode=mode,
                form=form,
                index_type=type_,
                facts=tuple(self._facts),
                conditional=self._conditional > 0 or self._looped > 0 or self._left,
                looped=self._looped > 0,
                every_item=not (self._unsure or self._left),
                statement=self.body.statement_at(tokens[0]),
                first=tokens[0],
                last=tokens[1],
                span=self.unit.span(*(shown or tokens)),
                plain=direct and uncast and (stored_by is not None or not mode.writes),
                assignment=stored_by,
                part=direct and uncast and not statement and self._is_part(*tokens, mode),
                texel=texel,
                seen_as=pointer.seen_as,
                unit=pointer.unit,
                whole=whole,
                anywhere=anywhere,
                atomic=atomic,
                when=None if self._left else self._when,
            )
        )

    def _is_part(self, first: int, last: int, mode: Mode) -> bool:
        """Is a component of it the target of an assignment that is a statement of the body?"""
        tokens, number = self.unit.tokens, self.body.statement_at(first)
        if not mode.writes or number < 0 or tokens[last + 1].text != ".":
            return False
        statement, depth = self.body.statements[number], 0
        for token in tokens[statement.first : statement.last]:
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text == "," and depth == 0:  # it goes on behind the store
                return False
        return statement.kind == "plain" and statement.first == first

    def _storing(self, first: int, last: int) -> Statement | None:
        """The statement that consists of this store: `a[i] = ...;` and the like."""
        statement = self.function.body.find(first)
        tokens = self.unit.tokens
        if statement.kind != "plain":
            return None
        if statement.first == first and last + 1 == statement.last:
            return statement  # a call that stores
        if statement.first == first:
            follows = tokens[last + 1].text
            return statement if follows in _STEPS or follows in _ASSIGNMENTS else None
        prefix = tokens[statement.first].text in _STEPS and statement.first + 1 == first
        return statement if prefix and last + 1 == statement.last else None
