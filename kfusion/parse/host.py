"""Host C: what pycparser does not accept is taken out by position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from pycparser import c_ast

from kfusion.parse.annotations import Annotations, RegionMark
from kfusion.parse.preprocess import Preprocessed, PToken
from kfusion.parse.syntax import is_name
from kfusion.parse.unit import (
    CONDITION,
    Note,
    TypeGuess,
    Unit,
    end_of_word,
    parse_unit,
    refuse_redefinition,
)
from kfusion.source.diagnostics import error, warning
from kfusion.source.text import SourceFile

_DROPPED = frozenset(
    "__extension__ __inline __inline__ __restrict __restrict__ __volatile__ __signed__ "
    "_Thread_local __thread _Noreturn".split()
)
_DROPPED_WITH_BRACKETS = frozenset("__attribute__ __attribute __declspec _Alignas".split())
ASSEMBLER = "__asm__"  # the function that a statement of assembler seems to call
_ASSEMBLER_WORDS = frozenset((ASSEMBLER, "__asm", "asm"))
_ASSEMBLER_QUALIFIERS = frozenset("volatile __volatile__ goto inline __inline__".split())
TYPEOF = "__typeof__"  # stands for all types that are given by an expression
# Types of which it is known that they are.
_KNOWN_TYPES = frozenset(
    f"{TYPEOF} __builtin_va_list _Float16 __bf16 _Float32 _Float64 _Float128 _Float32x _Float64x "
    "__float128 _Decimal32 _Decimal64 _Decimal128".split()
)
_TYPEOF_WORDS = frozenset((TYPEOF, "__typeof", "typeof"))
_REPLACED = {
    "__const": "const",
    "__const__": "const",
    "__signed": "signed",
    "__auto_type": TYPEOF,
}
_TYPE_WORDS = ("typedef", "struct", "union", "enum")


def parse_host(source: SourceFile, annotations: Annotations, done: Preprocessed) -> Unit:
    tokens, notes = _clean(_types_only(done.tokens))
    annotations = replace(annotations, regions=tuple(_active(annotations.regions, tokens)))
    # A header that is stubbed may have declared any type; otherwise names are known.
    guess = TypeGuess(r"[A-Za-z_]\w*" if done.stubs else "")
    unit = parse_unit(
        source,
        annotations,
        tokens,
        notes,
        done,
        "",
        guess,
        opaque=sorted(_KNOWN_TYPES & {token.text for token in tokens}),
        cpp_possible=True,
    )
    refuse_redefinition(unit, unit.functions)
    _check_syncs(unit)
    return unit


def _check_syncs(unit: Unit) -> None:
    """A sync annotation stands before a function and names its parameters."""
    for sync in unit.annotations.syncs:
        following = [n for n in unit.ast.ext if unit.start(n) >= sync.span.end]
        declaration = following[0] if following else unit.ast
        if isinstance(declaration, c_ast.FuncDef):
            declaration = declaration.decl
        if not isinstance(getattr(declaration, "type", None), c_ast.FuncDecl):
            raise error("KF112", "a sync annotation must stand before a function", sync.span)
        arguments = declaration.type.args
        known = [getattr(p, "name", None) for p in (arguments.params if arguments else [])]
        for name in sync.names or ():
            if name not in known:
                listed = ", ".join(f"'{n}'" for n in known if n)
                raise error(
                    "KF127",
                    f"'{name}' is not a parameter of '{declaration.name}'",
                    sync.span,
                    help=f"its parameters are {listed}" if listed else "it has none",
                )


def _active(regions: tuple[RegionMark, ...], tokens: list[PToken]) -> Iterator[RegionMark]:
    """Without regions that an `#if` leaves out."""
    blocks = {t.start: t for t in tokens if t.text == "{"}
    for region in regions:
        block = blocks.get(region.block.start)
        if block is not None and block.macro is not None:
            refused = warning(
                "KF115",
                "a region inside the argument of a macro",
                region.annotation,
                "write the region outside the macro's brackets",
            )
            yield replace(region, refused=refused)
        elif block is not None or region.block == region.annotation:
            yield region


def _types_only(tokens: list[PToken]) -> list[PToken]:
    """Of system headers only the types that the program mentions: parsing needs no more."""
    parts: list[tuple[int, int, bool]] = []  # first token, end, of a system header
    index = 0
    while index < len(tokens):
        start = index
        if tokens[index].system:
            index = _declaration_end(tokens, index) + 1
            first = start + (tokens[start].text == "__extension__")
            if first < index and tokens[first].text in _TYPE_WORDS:
                parts.append((start, index, True))
        else:
            while index < len(tokens) and not tokens[index].system:
                index += 1
            parts.append((start, index, False))
    used: set[str] = set()
    for start, end, system in parts:
        if not system:
            used.update(token.text for token in tokens[start:end])
    kept: list[list[PToken]] = []
    for start, end, system in reversed(parts):  # a type is declared before it is used
        part = tokens[start:end]
        words = tuple(token.text for token in part) if system else ()
        if not system or not used.isdisjoint(_declared(words)):
            used.update(words)  # those of the file itself are among them
            kept.append(part)
    return [token for part in reversed(kept) for token in part]


@lru_cache(maxsize=1 << 12)  # the files of a program include the same headers
def _declared(words: tuple[str, ...]) -> frozenset[str]:
    """Names that a declaration may declare: its declarators, tags, enumerators."""
    names: set[str] = set()
    depth = 0
    is_enum = "enum" in words
    for before, word, after in zip(
        (words[0], *words), words, (*words[1:], words[-1]), strict=False
    ):
        if word in ("(", "[", "{"):
            depth += 1
        elif word in (")", "]", "}"):
            depth -= 1
        elif is_name(word):
            declares = depth == 0 and after in (",", ";", "[", "(")
            if declares or before in ("struct", "union", "enum", "*") or (is_enum and depth):
                names.add(word)
    return frozenset(names)


def _declaration_end(tokens: list[PToken], index: int) -> int:
    if tokens[index].text.startswith("#"):
        return index
    depth = 0
    is_body = False
    for position in range(index, len(tokens)):
        text = tokens[position].text
        if text in ("(", "[", "{"):
            if depth == 0 and text == "{":
                is_body = tokens[position - 1].text == ")"
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
            if depth == 0 and text == "}" and is_body:
                return position
        elif text == ";" and depth == 0:
            return position
    return len(tokens) - 1


_MOST_CASES = 256


def _range_of_cases(tokens: list[PToken], index: int) -> range:
    """The numbers of `case 1 ... 3:`; none, if it is something else."""
    match [token.text for token in tokens[index + 1 : index + 5]]:
        case [first, "...", last, ":"] if first.isdecimal() and last.isdecimal():
            numbers = range(int(first), int(last) + 1)
        case _:
            return range(0)
    return numbers if 0 < len(numbers) <= _MOST_CASES else range(0)


def _clean(tokens: list[PToken]) -> tuple[list[PToken], list[Note]]:
    result: list[PToken] = []
    notes: list[Note] = []
    index = depth = 0
    while index < len(tokens):
        token = tokens[index]
        last, text = index, token.text
        if token.text in _DROPPED_WITH_BRACKETS:
            last = end_of_word(tokens, index)
            text = " ".join(t.text for t in tokens[index : last + 1])
        elif token.text in _ASSEMBLER_WORDS:
            last = _assembler_end(tokens, index)
            if depth > 0 and result[-1].text in (";", "{", "}", ")", ":", "else"):
                # A statement, of which nothing is known: a call of an unknown function.
                result += [token._replace(text=text) for text in (ASSEMBLER, "(", ")")]
        elif token.text == "case" and (numbers := _range_of_cases(tokens, index)):
            for number in numbers[:-1]:  # `case 1 ... 3:`, of GNU C
                result += [token._replace(text=text) for text in ("case", str(number), ":")]
            result += [token, tokens[index + 3]]
            index += 4
            continue
        elif token.text in _TYPEOF_WORDS:
            result.append(token._replace(text=TYPEOF))
            index = end_of_word(tokens, index) + 1
            continue
        elif token.text not in _DROPPED:
            depth += (token.text == "{") - (token.text == "}")
            if token.text == ":" and result and result[-1].text == "?":
                result.append(token._replace(text=CONDITION))  # `a ?: b`, of GNU C
            if token.text in _REPLACED:
                token = token._replace(text=_REPLACED[token.text])
            result.append(token)
            index += 1
            continue
        notes.append(Note(len(result), text, token.start, tokens[last].end))
        index = last + 1
    return result, notes


def _assembler_end(tokens: list[PToken], index: int) -> int:
    while index + 1 < len(tokens) and tokens[index + 1].text in _ASSEMBLER_QUALIFIERS:
        index += 1
    return end_of_word(tokens, index)
