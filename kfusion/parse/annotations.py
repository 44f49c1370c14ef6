"""kfusion's annotations, found in the text before the compiler sees it, and blanked.

Application: `kfuse(x, out(c)) { ... }` or `#pragma kfuse(x, out(c))` before a block.
Library:     `#pragma sync in`, `#pragma sync in(x) out(y)` before a function.
Kernel:      `kload { ... }`, `kstore(c) { ... }`, `#pragma kload|kcore|kstore`,
             `#pragma immovable`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kfusion.source.diagnostics import error
from kfusion.source.lexer import Kind, Token, matching, tokenize
from kfusion.source.text import SourceFile, Span

_KFUSE_PRAGMA = re.compile(r"#\s*pragma\s+kfuse\b\s*(\(.*\))?\s*$", re.DOTALL)
_SYNC_PRAGMA = re.compile(r"#\s*pragma\s+sync\b(.*)$", re.DOTALL)
_SECTION_PRAGMA = re.compile(r"#\s*pragma\s+(kload|kcore|kstore|immovable)\b\s*(\([^)]*\))?\s*$")
_SYNC_PART = re.compile(r"\s*(in|out)\b\s*(?:\(([^)]*)\))?")


@dataclass(frozen=True)
class NamedData:
    name: str
    role: str  # "" (listed), "out" or "temp"
    span: Span


@dataclass(frozen=True)
class RegionMark:
    """A region as written: the annotation, its block and the names that it lists."""

    annotation: Span  # `kfuse(...)` or the whole pragma line
    block: Span  # from `{` to `}`
    data: tuple[NamedData, ...]
    thesis_form: bool


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
        for start, end in sorted(gone):
            pieces.append(text[position:start])
            pieces.append(re.sub(r"[^\n]", " ", text[start:end]))
            position = end
        return "".join([*pieces, text[position:]])


def find_annotations(source: SourceFile, kernels: bool) -> Annotations:
    tokens = tokenize(source.text)
    regions: list[RegionMark] = []
    syncs: list[Sync] = []
    sections: list[Section] = []
    immovable: list[Span] = []
    open_sections: list[tuple[str, tuple[str, ...], Token]] = []
    depth = 0
    for index, token in enumerate(tokens):
        if token.kind is Kind.DIRECTIVE:
            _refuse_region_in_macro(source, token)
            mark = _pragma_region(source, tokens, index)
            if mark:
                regions.append(mark)
            syncs += _syncs(source, token)
            part = _SECTION_PRAGMA.match(token.text.rstrip())
            if part and part.group(1) == "immovable":
                immovable.append(Span(source, token.start, token.end))
            elif part:
                _close_sections(source, open_sections, sections, token.start)
                open_sections.append((part.group(1), _names(part.group(2)), token))
        elif token.text == "{":
            depth += 1
        elif token.text == "}":
            depth -= 1
            if depth == 0:
                _close_sections(source, open_sections, sections, token.start)
        elif token.kind is Kind.NAME and token.text == "kfuse":
            regions.append(_thesis_region(source, tokens, index))
        elif kernels and token.kind is Kind.NAME and token.text in ("kload", "kstore"):
            section = _thesis_section(source, tokens, index)
            if section:
                sections.append(section)
    _check_nesting(regions)
    return Annotations(tuple(regions), tuple(syncs), tuple(sections), tuple(immovable))


def _refuse_region_in_macro(source: SourceFile, token: Token) -> None:
    if re.match(r"#\s*define\b", token.text):
        inside = re.search(r"\bkfuse\s*\(", token.text)
        if inside and not re.match(r"#\s*define\s+kfuse\b", token.text):
            start = token.start + inside.start()
            raise error(
                "KF115",
                "a region inside a macro",
                Span(source, start, start + len("kfuse")),
                help="write the region where the macro is used",
            )


def _pragma_region(source: SourceFile, tokens: list[Token], index: int) -> RegionMark | None:
    token = tokens[index]
    if not re.match(r"#\s*pragma\s+kfuse\b", token.text):
        return None
    span = Span(source, token.start, token.start + len(token.text.rstrip()))
    match = _KFUSE_PRAGMA.match(token.text.rstrip())
    if match is None:
        raise error(
            "KF112",
            "this annotation cannot be read: expected '#pragma kfuse(x, y, out(c))'",
            span,
        )
    data: tuple[NamedData, ...] = ()
    if match.group(1):
        inner = tokenize(" " * (token.start + match.start(1)) + match.group(1))
        data = _data(source, inner, 0, len(inner) - 1)
    return RegionMark(span, _block(source, tokens, index + 1, span), data, thesis_form=False)


def _thesis_region(source: SourceFile, tokens: list[Token], index: int) -> RegionMark:
    token = tokens[index]
    close = matching(tokens, index + 1) if index + 1 < len(tokens) else None
    if tokens[index + 1 : index + 2] and tokens[index + 1].text == "(" and close is not None:
        span = Span(source, token.start, tokens[close].end)
        data = _data(source, tokens, index + 1, close)
        return RegionMark(span, _block(source, tokens, close + 1, span), data, thesis_form=True)
    raise error(
        "KF112",
        "this annotation cannot be read: expected 'kfuse(x, y, out(c)) { ... }'",
        Span(source, token.start, token.end),
    )


def _block(source: SourceFile, tokens: list[Token], index: int, span: Span) -> Span:
    if index >= len(tokens) or tokens[index].text != "{":
        raise error("KF109", "a region must be followed by a block: expected '{'", span)
    close = matching(tokens, index)
    if close is None or tokens[close].text != "}":
        raise error("KF109", "this region is not closed: expected '}'", span)
    for inner in tokens[index:close]:
        if inner.kind is Kind.DIRECTIVE and not inner.text.startswith("#pragma"):
            raise error(
                "KF115",
                "preprocessor lines inside a region are not supported",
                Span(source, inner.start, inner.start + len(inner.text.rstrip())),
                help="put the line before the region, or write two regions",
            )
    return Span(source, tokens[index].start, tokens[close].end)


def _data(source: SourceFile, tokens: list[Token], opening: int, close: int) -> tuple[NamedData, ...]:
    """kfuse's list: names with an optional `&`, `out(...)` and `temp(...)` around some."""
    result: list[NamedData] = []
    role, index = "", opening + 1
    expect_name = True
    while index < close:
        token = tokens[index]
        here = Span(source, token.start, token.end)
        if token.text in ("out", "temp") and index + 1 < close and tokens[index + 1].text == "(":
            if role:
                raise error("KF112", f"'{token.text}' inside '{role}' has no meaning", here)
            role, index, expect_name = token.text, index + 2, True
            continue
        if token.kind is Kind.NAME and expect_name:
            result.append(NamedData(token.text, role, here))
            expect_name = False
        elif token.text == "," and not expect_name:
            expect_name = True
        elif token.text == ")" and role and not expect_name:
            role = ""
        elif not (token.text == "&" and expect_name):
            raise error(
                "KF112",
                f"this annotation cannot be read before '{token.text}': expected names, "
                "out(...) or temp(...)",
                here,
            )
        index += 1
    return tuple(result)


def _syncs(source: SourceFile, token: Token) -> list[Sync]:
    text = token.text.rstrip()
    match = _SYNC_PRAGMA.match(text)
    if match is None:
        return []
    span = Span(source, token.start, token.start + len(text))
    rest, found = match.group(1), []
    while rest.strip():
        part = _SYNC_PART.match(rest)
        if part is None:
            break
        names = None
        if part.group(2) is not None:
            names = tuple(n.strip() for n in part.group(2).split(",") if n.strip())
        found.append(Sync(part.group(1), names, span))
        rest = rest[part.end() :]
    if rest.strip() or not found:
        raise error(
            "KF112",
            "this annotation cannot be read: expected '#pragma sync in', '#pragma sync out' "
            "or '#pragma sync in(x) out(y)'",
            span,
        )
    return found


def _names(listed: str | None) -> tuple[str, ...]:
    return tuple(n.strip() for n in (listed or "()")[1:-1].split(",") if n.strip())


def _close_sections(
    source: SourceFile,
    opened: list[tuple[str, tuple[str, ...], Token]],
    sections: list[Section],
    end: int,
) -> None:
    while opened:
        kind, names, token = opened.pop()
        annotation = Span(source, token.start, token.end)
        sections.append(Section(kind, names, annotation, token.end, end, None))


def _thesis_section(source: SourceFile, tokens: list[Token], index: int) -> Section | None:
    token = tokens[index]
    brace, names = index + 1, ()
    if brace < len(tokens) and tokens[brace].text == "(":
        close = matching(tokens, brace)
        if close is None:
            return None
        names = tuple(t.text for t in tokens[brace + 1 : close] if t.kind is Kind.NAME)
        brace = close + 1
    if brace >= len(tokens) or tokens[brace].text != "{":
        return None  # a name of the user's own
    close = matching(tokens, brace)
    annotation = Span(source, token.start, tokens[brace - 1].end)
    if close is None:
        raise error("KF109", f"this {token.text} is not closed: expected '}}'", annotation)
    start, end = tokens[brace].start, tokens[close].start
    return Section(token.text, names, annotation, start + 1, end, (start, end))


def _check_nesting(regions: list[RegionMark]) -> None:
    for outer in regions:
        for inner in regions:
            if outer is not inner and outer.block.start < inner.block.start < outer.block.end:
                raise error(
                    "KF110",
                    "regions cannot be nested",
                    inner.annotation,
                    related=(("the outer region", outer.annotation),),
                )
