"""kfusion's annotations, found in the text before the compiler sees it, and blanked.

Application: `kfuse(x, out(c)) { ... }` or `#pragma kfuse(x, out(c))` before a block.
Library:     `#pragma sync in`, `#pragma sync in(x) out(y)` before a function.
Kernel:      `kload { ... }`, `kstore(c) { ... }`, `#pragma kload|kcore|kstore`,
             `#pragma immovable`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, KFusionError, Severity, error, warning
from kfusion.source.lexer import (
    CLOSING,
    OPENING,
    Kind,
    Token,
    between_commas,
    closing_round,
    matching,
    plain_directive,
    tokenize,
)
from kfusion.source.text import SourceFile, Span

_DIRECTIVE_WORD = re.compile(r"#\s*(\w+)")
_WORDS = ("kfuse", "sync", "kload", "kcore", "kstore", "immovable")
_PRAGMA = re.compile(rf"#\s*pragma\s+({'|'.join(_WORDS)})\b")
_ANY_PRAGMA = re.compile(r"#\s*pragma\s+(\w+)")
_KFUSE_PRAGMA = re.compile(r"#\s*pragma\s+kfuse\b")
_CLAUSES = ("runs", "harmless", "require")
_BEHIND = "behind it may stand runs(square(x), add(c, x, y)), harmless(log_line) and require(1)"
_REQUIRES = re.compile(r"\brequires?\s*\(|\)\s*require\b")
_SYNC_PRAGMA = re.compile(r"#\s*pragma\s+sync\b(.*)$")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_SECTION_PRAGMA = re.compile(r"#\s*pragma\s+\w+\s*(\([^)]*\))?$")
_SYNC_PART = re.compile(r"\s*(in|out)\b\s*(\([^)]*\))?")
_REGION_IN_MACRO = re.compile(r'\bkfuse(?=\s*\()|_Pragma\s*\(\s*"\s*kfuse\b')


@dataclass(frozen=True)
class NamedData:
    """A variable, or a member of what it holds or points to: `c`, `d.device`, `s->plane[1]`."""

    name: str
    role: str  # "" (listed), "out" or "temp"
    span: Span
    members: tuple[str, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        return (self.name, *self.members)

    @property
    def text(self) -> str:
        return "".join(self.span.text.split())


@dataclass(frozen=True)
class RegionMark:
    """A region as written: the annotation, its block and the names that it lists."""

    annotation: Span  # `kfuse(...)` or the whole pragma line
    block: Span  # from `{` to `}`
    data: tuple[NamedData, ...]
    runs: tuple[Span, ...] = ()  # the launches that `runs(...)` lists: `add(c, a, b)`
    harmless: tuple[str, ...] = ()  # functions of other files that the region may call
    require: int | None = None  # the kernels that it must come down to
    refused: Diagnostic | None = None  # why it stays as it is written

    @property
    def says(self) -> bool:
        """Does it say what is read afterwards?"""
        return any(item.role for item in self.data)


@dataclass(frozen=True)
class Sync:
    """`names` None: all parameters."""

    direction: str  # "in" or "out"
    names: tuple[str, ...] | None
    span: Span


@dataclass(frozen=True)
class Section:
    """A kload, kstore or kcore part of a kernel."""

    kind: str
    names: tuple[str, ...]
    annotation: Span
    start: int  # offsets of the part's text
    end: int
    braces: tuple[int, int] | None  # the thesis form's `{` and `}`


@dataclass(frozen=True)
class Annotations:
    regions: tuple[RegionMark, ...] = ()
    syncs: tuple[Sync, ...] = ()
    sections: tuple[Section, ...] = ()
    immovable: tuple[Span, ...] = ()
    overlooked: tuple[Diagnostic, ...] = ()  # what may be meant for an annotation, and is none

    def blanked(self, text: str) -> str:
        """The text without annotations; every other character keeps its offset."""
        gone = [(s.start, s.end) for r in self.regions for s in (r.annotation,)]
        gone += [(s.span.start, s.span.end) for s in self.syncs]
        gone += [(s.start, s.end) for s in self.immovable]
        for section in self.sections:
            gone.append((section.annotation.start, section.annotation.end))
            if section.braces:
                gone += [(brace, brace + 1) for brace in section.braces]
        pieces, position = [], 0
        for start, end in sorted(set(gone)):  # `in` and `out` may share a line
            pieces.append(text[position:start])
            pieces.append(re.sub(r"[^\n]", " ", text[start:end]))
            position = end
        return "".join([*pieces, text[position:]])


def is_annotation(pragma: str) -> bool:
    return _PRAGMA.match(pragma) is not None


def find_annotations(source: SourceFile, kernels: bool) -> Annotations:
    return _Finder(source, kernels).find()


def meant(word: str) -> str | None:
    """The annotation that a misspelt pragma may be meant for: `kfused`, `Kfuse`, `kstroe`."""
    low = word.lower()
    if "kfus" in low:
        return "kfuse"
    near = min(_WORDS, key=lambda known: _distance(low, known))
    # Short words of others are near: `#pragma sync` is misspelt by one letter at most.
    most = 1 if len(near) < 5 or low[:1] != near[:1] else 2
    return near if len(low) > 2 and _distance(low, near) <= most else None


def _distance(one: str, other: str) -> int:
    """Letters to add, to take, to change, or to swap with their neighbours."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one):
        row = [i + 1]
        for j, b in enumerate(other):
            least = min(rows[i][j] + (a != b), rows[i][j + 1] + 1, row[j] + 1)
            if i and j and (a, one[i - 1]) == (other[j - 1], b):
                least = min(least, rows[i - 1][j - 1] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]


class _Finder:
    """One pass over the tokens of a file."""

    def __init__(self, source: SourceFile, kernels: bool) -> None:
        self.source, self.kernels = source, kernels
        self.tokens = tokenize(source.text)
        self.regions: list[RegionMark] = []
        self.syncs: list[Sync] = []
        self.sections: list[Section] = []
        self.immovable: list[Span] = []
        self.overlooked: list[Diagnostic] = []
        self.open: list[tuple[str, tuple[str, ...], Span]] = []  # pragma sections
        self.depth = 0
        self.branches: list[int] = []  # the depth at each `#if` that is open

    def find(self) -> Annotations:
        for index, token in enumerate(self.tokens):
            if token.kind is Kind.DIRECTIVE:
                self._directive(index)
            elif token.text == "{":
                self.depth += 1
            elif token.text == "}":
                self.depth -= 1
                if self.depth == 0:
                    self._close_sections(token.start)
            elif token.kind is Kind.NAME:
                self._name(index)
        return Annotations(
            tuple(_without_nested(self.regions)),
            tuple(self.syncs),
            tuple(self.sections),
            tuple(self.immovable),
            tuple(self.overlooked),
        )

    def _name(self, index: int) -> None:
        text = self.tokens[index].text
        if text == "kfuse":
            self.regions.append(self._thesis_region(index))
        elif text in ("kload", "kstore") and self.kernels:
            section = self._thesis_section(index)
            if section:
                self.sections.append(section)
        elif text == "_Pragma":
            self._operator(self.tokens[index : index + 3])

    def _directive(self, index: int) -> None:
        token = self.tokens[index]
        text = plain_directive(token).rstrip()
        word = _DIRECTIVE_WORD.match(text)
        name = word.group(1) if word else ""
        if name in ("if", "ifdef", "ifndef"):
            self.branches.append(self.depth)
        elif name in ("else", "elif") and self.branches:
            self.depth = self.branches[-1]
        elif name == "endif" and self.branches:
            self.branches.pop()
        elif name == "define":
            self._macro(token, text)
        elif name == "pragma":
            self._pragma(index, text)

    def _pragma(self, index: int, text: str) -> None:
        token = self.tokens[index]
        span = Span(self.source, token.start, token.start + len(text))
        match = _PRAGMA.match(text)
        kind = match.group(1) if match else ""
        if kind == "kfuse":
            self.regions.append(self._pragma_region(index, text, span))
        elif kind == "sync":
            self.syncs += self._sync(index, text, span)
        elif kind:
            self._section_pragma(kind, text, span)
        elif (word := _ANY_PRAGMA.match(text)) is not None and (near := meant(word.group(1))):
            here = Span(self.source, token.start + word.start(1), token.start + word.end(1))
            example = {"kfuse": "kfuse(x, y)", "sync": "sync in"}.get(near, near)
            text, help = f"the pragma '{here.text}' is not understood", f"write `#pragma {example}`"
            self.overlooked.append(warning("KF114", text, here, help))

    def _operator(self, tokens: Sequence[Token]) -> None:
        """`_Pragma("kfuse(x)")` would be overlooked."""
        found = len(tokens) == 3 and re.match(rf'"\s*({"|".join(_WORDS)})\b', tokens[2].text)
        if found:
            here = Span(self.source, tokens[0].start, tokens[2].end)
            unread = _unreadable(here, "'#pragma', not '_Pragma'")
            if found.group(1) != "kfuse":
                raise unread  # without the annotation something could be fused
            self.overlooked.append(unread.diagnostics[0].as_warning())

    def _macro(self, token: Token, text: str) -> None:
        inside = _REGION_IN_MACRO.search(text)
        if inside and not re.match(r"#\s*define\s+kfuse\b", text):
            here = Span(self.source, token.start + inside.start(), token.start + inside.end())
            help = "write the region where the macro is used"
            told = warning("KF115", "a region inside a macro", here, help)
            if "_Pragma" not in here.text:
                raise KFusionError(replace(told, severity=Severity.ERROR))  # it is no C
            self.overlooked.append(told)

    # Regions

    def _pragma_region(self, index: int, text: str, span: Span) -> RegionMark:
        """`#pragma kfuse(a, out(c)) runs(add(c, a, b)) harmless(log_line) require(1)`"""
        mark = self._marked(index + 1, span)
        try:
            return self._with_list(mark, text)
        except KFusionError as unread:
            if _REQUIRES.search(text):  # a region that stays as it is is not what is required
                raise
            return replace(mark, refused=unread.diagnostics[0])

    def _with_list(self, mark: RegionMark, text: str) -> RegionMark:
        span = mark.annotation
        match = _KFUSE_PRAGMA.match(text)
        assert match is not None
        words = tokenize(" " * (span.start + match.end()) + text[match.end() :])
        data: tuple[NamedData, ...] = ()
        clauses: dict[str, tuple[Span, ...]] = {}
        position = 0
        if words and words[0].text == "(":
            close = _closing(words, 0, span)
            data = _data(self.source, words, 0, close)
            position = close + 1
        while position < len(words):
            name, close = words[position].text, _closing(words, position + 1, span)
            if name not in _CLAUSES or name in clauses:
                word = words[position]
                raise _not_a_clause(Span(self.source, word.start, word.end))
            clauses[name] = _listed(self.source, words, position + 1, close)
            position = close + 1
        return replace(
            mark,
            data=data,
            runs=clauses.get("runs", ()),
            harmless=tuple(s.text for s in clauses.get("harmless", ())),
            require=_required(span, clauses["require"]) if "require" in clauses else None,
        )

    def _thesis_region(self, index: int) -> RegionMark:
        token, tokens = self.tokens[index], self.tokens
        close = closing_round(tokens, index + 1)
        if close is None:
            here = Span(self.source, token.start, token.end)
            raise _unreadable(here, "'kfuse(x, y, out(c)) { ... }'")
        mark = self._marked(close + 1, Span(self.source, token.start, tokens[close].end))
        try:
            return replace(mark, data=_data(self.source, tokens, index + 1, close))
        except KFusionError as unread:
            return replace(mark, refused=unread.diagnostics[0])

    def _marked(self, index: int, span: Span) -> RegionMark:
        """A region, of which the block is known; its brackets must match."""
        tokens, opened = self.tokens, list[Token]()
        if index >= len(tokens) or tokens[index].text != "{":
            text = "a region must be followed by a block: expected '{'"
            missing = error("KF109", text, span, help="put its calls in { }")
            return RegionMark(span, span, (), refused=missing.diagnostics[0])
        for token in tokens[index:]:
            if token.kind is not Kind.PUNCTUATOR:
                continue
            if token.text in OPENING:
                opened.append(token)
            elif token.text in CLOSING:
                opening = opened.pop()
                if OPENING[opening.text] != token.text:
                    raise error(
                        "KF109",
                        f"unbalanced brackets in a region: expected '{OPENING[opening.text]}' "
                        f"before '{token.text}'",
                        Span(self.source, token.start, token.end),
                        related=(("to close this", Span(self.source, opening.start, opening.end)),),
                    )
                if not opened:
                    block = Span(self.source, tokens[index].start, token.end)
                    return RegionMark(span, block, ())
        raise error("KF109", "this region is not closed: expected '}'", span)

    # Synchronisation

    def _sync(self, index: int, text: str, span: Span) -> list[Sync]:
        match = _SYNC_PRAGMA.match(text)
        rest, found = match.group(1) if match else "", []
        while rest.strip():
            part = _SYNC_PART.match(rest)
            names = _names(part.group(2)) if part else None
            if part is None or names == ():
                break
            found.append(Sync(part.group(1), names, span))
            rest = rest[part.end() :]
        if rest.strip() or not found:
            forms = "'#pragma sync in', '#pragma sync out' or '#pragma sync in(x) out(y)'"
            raise _unreadable(span, forms)
        if self.kernels:
            raise error("KF112", "a sync annotation belongs before a library function", span)
        if self.depth > 0 or not self._before_function(index + 1):
            raise error("KF112", "a sync annotation must stand before a function", span)
        return found

    def _before_function(self, index: int) -> bool:
        for token in self.tokens[index:]:
            if token.kind is Kind.PUNCTUATOR and token.text in "(;{}=":
                return token.text == "("
        return False

    # Parts of kernels

    def _section_pragma(self, kind: str, text: str, span: Span) -> None:
        match = _SECTION_PRAGMA.match(text)
        names = _names(match.group(1)) if match else ()
        if match is None or names == () or (kind == "immovable" and names):
            named = "" if kind == "immovable" else f" or '#pragma {kind}(x)'"
            raise _unreadable(span, f"'#pragma {kind}'{named}")
        if not self.kernels or self.depth <= 0:
            raise error("KF112", f"'{kind}' belongs into the body of a kernel", span)
        if kind == "immovable":
            self.immovable.append(span)
            return
        self._close_sections(span.start)
        self.open.append((kind, names or (), span))

    def _close_sections(self, end: int) -> None:
        while self.open:
            kind, names, annotation = self.open.pop()
            self.sections.append(Section(kind, names, annotation, annotation.end, end, None))

    def _thesis_section(self, index: int) -> Section | None:
        token, tokens = self.tokens[index], self.tokens
        brace = index + 1
        names: tuple[str, ...] = ()
        if brace < len(tokens) and tokens[brace].text == "(":
            close = matching(tokens, brace)
            if close is None:
                return None
            names = tuple(t.text for t in tokens[brace + 1 : close] if t.kind is Kind.NAME)
            brace = close + 1
        if brace >= len(tokens) or tokens[brace].text != "{":
            return None  # a name of the user's own
        close = matching(tokens, brace)
        annotation = Span(self.source, token.start, tokens[brace - 1].end)
        if close is None:
            raise error("KF109", f"this {token.text} is not closed: expected '}}'", annotation)
        start, end = tokens[brace].start, tokens[close].start
        return Section(token.text, names, annotation, start + 1, end, (start, end))


def _data(
    source: SourceFile, tokens: Sequence[Token], opening: int, close: int
) -> tuple[NamedData, ...]:
    """kfuse's list: `c`, `&c`, `s->field`, with `out(...)` and `temp(...)` around some."""
    result: list[NamedData] = []
    role, index = "", opening + 1
    expect_name = close > index
    while index < close:
        token = tokens[index]
        here = Span(source, token.start, token.end)
        if token.text in ("out", "temp") and index + 1 < close and tokens[index + 1].text == "(":
            if role:
                raise error("KF112", f"'{token.text}' inside '{role}' has no meaning", here)
            if not expect_name:
                raise _expected(here, "','")
            role, index = token.text, index + 2
            continue
        if token.kind is Kind.NAME and expect_name:
            last, members = _members(tokens, index)
            here = Span(source, token.start, tokens[last].end)
            result.append(NamedData(token.text, role, here, members))
            index, expect_name = last, False
        elif token.text == "," and not expect_name:
            expect_name = True
        elif token.text == ")" and role and not expect_name:
            role = ""
        elif token.text == ")" and not expect_name:
            raise error("KF112", "this annotation cannot be read: one ')' too many", here)
        elif not (token.text == "&" and expect_name):
            wanted = _expected(here, "a name" if expect_name else "',' or ')'")
            raise _with_role(wanted, tokens[index - 1].text) if token.text == "(" else wanted
        index += 1
    if expect_name or role:
        here = Span(source, tokens[close].start, tokens[close].end)
        raise _expected(here, "a name" if expect_name else "another ')'")
    _refuse_two_roles(result)
    return tuple(result)


def _members(tokens: Sequence[Token], index: int) -> tuple[int, tuple[str, ...]]:
    """`->field.mem` or `[1]` behind a name, and where that ends."""
    members: list[str] = []
    while True:
        step, inner = tokens[index + 1].text, tokens[index + 2 : index + 4]
        if step in (".", "->") and inner[0].kind is Kind.NAME:
            members.append(inner[0].text)
            index += 2
        elif step == "[" and _NUMBER.fullmatch(inner[0].text) and inner[-1].text == "]":
            members.append(f"[{int(inner[0].text)}]")
            index += 3
        else:
            return index, tuple(members)


def _unreadable_region(span: Span) -> KFusionError:
    return _unreadable(span, "'#pragma kfuse(x, y, out(c))'", _BEHIND)


def _not_a_clause(word: Span) -> KFusionError:
    near = min(_CLAUSES, key=lambda known: _distance(word.text.lower(), known))
    help = _BEHIND if _distance(word.text.lower(), near) > 2 else f"write {near}(...), once"
    if word.text in ("out", "temp"):
        help = f"'{word.text}' belongs into the list: #pragma kfuse({word.text}(c))"
    text = f"this annotation cannot be read: '{word.text}' is not expected here"
    return error("KF112", text, word, help=help)


def _required(span: Span, listed: Sequence[Span]) -> int:
    number = listed[0].text if len(listed) == 1 else ""
    if not re.fullmatch("[1-9][0-9]*", number):
        raise _unreadable(listed[0] if listed else span, "a number of kernels, 'require(1)'")
    return int(number)


def _closing(tokens: Sequence[Token], opening: int, span: Span) -> int:
    close = closing_round(tokens, opening)
    if close is None:
        raise _unreadable_region(span)
    return close


def _listed(
    source: SourceFile, tokens: Sequence[Token], opening: int, close: int
) -> tuple[Span, ...]:
    parts = between_commas(tokens, opening, close)
    return tuple(Span(source, tokens[p[0]].start, tokens[p[-1]].end) for p in parts if p)


def _unreadable(span: Span, expected: str, help: str | None = None) -> KFusionError:
    return error("KF112", f"this annotation cannot be read: expected {expected}", span, help=help)


def _expected(span: Span, expected: str) -> KFusionError:
    return _unreadable(span, f"{expected} before '{span.text}'")


def _with_role(wanted: KFusionError, word: str) -> KFusionError:
    """`ouput(c)`, `require(1)`"""
    (told,) = wanted.diagnostics
    help = f"did you mean {'temp' if word[:1] in 'tT' else 'out'}(...)?"
    help = (
        f"{word}(...) stands behind the list: `kfuse(...) {word}(...)`"
        if word in _CLAUSES
        else help
    )
    return KFusionError(replace(told, help=help))


def _refuse_two_roles(data: list[NamedData]) -> None:
    seen: dict[tuple[str, ...], NamedData] = {}
    for item in data:
        first = seen.setdefault(item.path, item) if item.role else item
        if first.role != item.role:
            raise error(
                "KF112",
                f"'{item.text}' cannot be both {first.role} and {item.role}",
                item.span,
                related=((f"{first.role} here", first.span),),
            )


def _names(listed: str | None) -> tuple[str, ...] | None:
    """The names in `(x, y)`; None where there is no list, () where it cannot be read."""
    if listed is None:
        return None
    names = [name.strip() for name in listed[1:-1].split(",")]
    return tuple(names) if all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in names) else ()


def _without_nested(regions: list[RegionMark]) -> Iterator[RegionMark]:
    for inner in regions:
        around = [r for r in regions if r.block.start < inner.block.start < r.block.end]
        if around and inner.refused is None:
            related = (("the outer region", around[0].annotation),)
            nested = error("KF110", "regions cannot be nested", inner.annotation, related=related)
            inner = replace(inner, refused=nested.diagnostics[0])
        yield inner
