"""The statements of one stage, with elements replaced by variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from kfusion.graph.rounding import Rounded
from kfusion.graph.values import Role, Value
from kfusion.kernel.model import Access, Symbol
from kfusion.parse.statements import Statement
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.copies import Copies
from kfusion.synthesis.layout import realigned
from kfusion.synthesis.negate import negated
from kfusion.synthesis.render import Change, Renderer, reindented
from kfusion.synthesis.signature import Style
from kfusion.synthesis.usage import StageUse

_STEPS = ("++", "--")


@dataclass(eq=False)
class Lines:
    """Text under construction; `depth` counts open braces."""

    unit: str  # of indentation
    depth: int = 1
    lines: list[str] = field(default_factory=list)

    @property
    def indent(self) -> str:
        return self.unit * self.depth

    def add(self, text: str) -> None:
        self.lines += [
            (self.indent + text if n == 0 else text) for n, text in enumerate(text.split("\n"))
        ]

    def blank(self) -> None:
        if self.lines and self.lines[-1] and not self.lines[-1].endswith("{"):
            self.lines.append("")


class StatementWriter:
    """Writes the statements of a stage's body."""

    def __init__(
        self,
        use: StageUse,
        renderer: Renderer,
        symbols: Mapping[Symbol, str],
        variables: Mapping[Value, str],
        copies: Copies,
        style: Style,
        rounded: Rounded,
        carried: frozenset[Value],
        elsewhere: frozenset[int],
        ids: Mapping[int, str] = MappingProxyType({}),
        loops: frozenset[int] = frozenset(),
        end: str = "",
        calls: Mapping[int, str] = MappingProxyType({}),
        elements: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        self.calls = calls  # in place of reads that are computed again, by number of the access
        self.elements = elements  # in place of loads, by their first token
        self.end = end  # the label behind the stage; "": nothing follows, an item may return
        self.loops = loops  # to be unrolled
        self.carried = carried  # values whose variables are declared in front of the guard
        self.ids = ids  # in place of get_global_id(d), by d
        self.elsewhere = elsewhere  # what these tokens declare is declared by another stage
        self.use, self.renderer, self.rounded = use, renderer, rounded
        self.symbols, self.variables = symbols, variables
        self.copies, self.style = copies, style
        self.kernel = use.kernel

    def renames(self, first: int, last: int) -> dict[int, Change]:
        found: dict[int, Change] = {}
        tokens = self.kernel.unit.tokens
        for token in range(first, last + 1):
            if tokens[token].text == "get_global_id":
                text = self.ids.get(int(tokens[token + 2].text)) if self.ids else None
                if text and tokens[token - 1].text == "=" and tokens[token + 4].text == ";":
                    text = text.removeprefix("(").removesuffix(")").removeprefix("(size_t)")
                if text:
                    found[token] = Change(token + 3, text)  # with `(0)`
            symbol = self.kernel.symbols.get(token)
            if symbol is not None and self.symbols.get(symbol, symbol.name) != symbol.name:
                found[token] = Change(token, self.symbols[symbol])
            if self.end and token in self.kernel.body.leaves:
                found[token] = Change(token, f"goto {self.end}")
            if token in self.loops and self.renderer.begins_line(token):
                indent = self.renderer.indent_of(token)
                found[token] = Change(token, f"#pragma unroll\n{indent}for")
        return found

    def text(self, first: int, last: int, *, whole: bool = False) -> str:
        """The tokens with variables and parameters renamed."""
        return self.renderer.render(first, last, self.renames(first, last), whole=whole)

    def write(self, out: Lines) -> None:
        body = self.kernel.body
        tails = 0
        leaves = False
        pragmas: list[str] = []  # they belong to the statement that follows
        for index in self.use.live:
            statement = body.statements[index]
            if statement.kind == "plain" and self._declares_elsewhere(statement):
                continue
            comments, trailing = self.renderer.comments_before(statement.first)
            if trailing:
                self._append_comment(out, comments.pop(0), index)
            if comments and index != self.use.live[0]:
                self._gap(out, statement.first)
            for comment in comments:
                out.add(reindented(comment, self.renderer.indent_of(statement.first), out.indent))
            if statement.kind == "pragma":
                pragmas.append(self.text(statement.first, statement.last))
            elif body.is_tail(statement):
                tails += self._open_tail(out, index, statement)
            else:
                self._statement(out, index, statement, pragmas)
                leaves = leaves or any(statement.first <= t <= statement.last for t in body.leaves)
                pragmas = []
        self._last_comment(out)
        for _ in range(tails):
            out.depth -= 1
            out.add("}")
        if leaves and self.end:
            out.add(f"{self.end}:;")

    def _declares_elsewhere(self, statement: Statement) -> bool:
        return any(statement.first <= t <= statement.last for t in self.elsewhere)

    def _gap(self, out: Lines, first: int) -> None:
        """A blank line above a comment, where the author has one."""
        if self.renderer.blank_before(first):
            out.blank()

    def _append_comment(self, out: Lines, comment: str, index: int) -> None:
        """A comment behind the statement before: kept if that statement was."""
        if index - 1 in self.use.live and out.lines:
            out.lines[-1] += f" {comment}"

    def _last_comment(self, out: Lines) -> None:
        statements = self.kernel.body.statements
        if not statements or len(statements) - 1 not in self.use.live:
            return
        comments, trailing = self.renderer.comments_before(statements[-1].last + 1)
        if trailing and out.lines:
            out.lines[-1] += f" {comments[0]}"

    def _open_tail(self, out: Lines, index: int, statement: Statement) -> bool:
        """`if (c) return;` as a condition around the rest, if there is a rest."""
        changes, before, after = self._changes(index, statement)
        for line in before:
            out.add(line)
        if index == self.use.live[-1]:
            return False
        assert statement.header is not None
        assert not after
        first, last = statement.header
        text = negated(self.renderer, first + 1, last - 1, changes, exact=False)
        out.add(f"if ({text}){self.style.opening(out.indent)}")
        out.depth += 1
        return True

    def _statement(self, out: Lines, index: int, statement: Statement, pragmas: list[str]) -> None:
        changes, before, after = self._changes(index, statement)
        for line in [*before, *pragmas]:
            out.add(line)
        if not self._is_only_copy(index):
            text = self.renderer.render(statement.first, statement.last, changes, whole=True)
            text = self._realigned(text, statement)
            out.add(reindented(text, self.renderer.indent_of(statement.first), out.indent))
        for line in after:
            out.add(line)

    def _realigned(self, text: str, statement: Statement) -> str:
        indent = self.renderer.indent_of(statement.first)
        before = self.renderer.as_written(statement.first, statement.last)
        return realigned(indent + text, indent + before).removeprefix(indent)

    def _is_only_copy(self, index: int) -> bool:
        """The variable that the statement fills is the value's own."""
        copies = self.copies
        return index in copies.reloads or index in copies.stores or index in copies.transfers

    def _changes(
        self, index: int, statement: Statement
    ) -> tuple[dict[int, Change], list[str], list[str]]:
        """What to replace in the statement, and what to write before and after it."""
        changes = self.renames(statement.first, statement.last)
        before: list[str] = []
        after: list[str] = []
        for number, call in self.calls.items():
            access = self.kernel.accesses[number]
            if access.statement == index:
                for token in access.tokens:
                    changes.pop(token, None)
                changes[access.first] = Change(access.last, call)
        for access, place in self.use.accesses(index):
            element = self.elements.get(access.first) or self.text(*access.element)
            as_it_is = place.value is None or index in self.copies.loads
            if as_it_is and access.first in self.elements:
                for token in access.tokens:
                    changes.pop(token, None)
                changes[access.first] = Change(access.last, element)
            if place.value is None:
                continue
            if index in self.copies.loads:
                continue  # the declaration itself loads the value
            name = self.variables[place.value]
            if place.role is Role.LOAD:
                before.append(f"{self._declared(access, place.value)}{name} = {element};")
            new = name
            if place.role is Role.DEFINE:
                new = f"{self._declared(access, place.value)}{name}"
            if place.flushed or (place.stored and access.assignment == statement):
                after.append(_store(access, element, name))
            elif place.stored:
                self._store_inline(changes, access, element, name)
                continue
            for token in access.tokens:
                changes.pop(token, None)
            if access.texel is not None and access.texel.value is not None:
                # Where a macro is written out, nothing stands between the tokens.
                space = " " if self.kernel.unit.tokens[access.texel.value].macro else ""
                changes[access.first] = Change(access.texel.value, f"{new} ={space}")
                changes[access.last] = Change(access.last, "")
            else:
                changes[access.first] = Change(access.last, new)
        return changes, before, after

    def _declared(self, access: Access, value: Value) -> str:
        """The type, if the variable is declared here."""
        if value in self.carried:
            return ""
        type_ = self.use.type_of(access)
        free = self.rounded.values | self.rounded.folded
        constant = value.constant and value not in free
        return f"const {type_} " if constant else f"{type_} "

    def _store_inline(
        self, changes: dict[int, Change], access: Access, element: str, name: str
    ) -> None:
        """`a[i] += x` becomes `a[i] = a_i += x`; `a[i]++` becomes `a[i] = ++a_i`.

        `write_imagef(a, at, x)` becomes `write_imagef(a, at, a_at = x)`.
        """
        if access.texel is not None and access.texel.value is not None:
            changes[access.texel.value] = Change(access.texel.value, f", {name} =")
            return
        first, last = access.first, access.last
        tokens = self.kernel.unit.tokens
        step = ""
        if tokens[last + 1].text in _STEPS:
            last += 1
            step = tokens[last].text
        elif tokens[first - 1].text in _STEPS:
            first -= 1
            step = tokens[first].text
        for token in range(first, last + 1):
            changes.pop(token, None)
        changes[first] = Change(last, f"{element} = {step}{name}")


def _store(access: Access, element: str, name: str) -> str:
    """The variable's value to where it belongs."""
    return f"{element} {name});" if access.texel is not None else f"{element} = {name};"
