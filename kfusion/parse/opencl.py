"""OpenCL C: address spaces, `kernel` and attributes are noted by position and removed,
built-in types become typedefs, and the rest is C that pycparser accepts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from kfusion.parse.annotations import Annotations
from kfusion.parse.preprocess import Preprocessed, PToken
from kfusion.parse.syntax import is_name, place_of
from kfusion.parse.unit import Note, TypeGuess, Unit, end_of_word, parse_unit, refuse_redefinition
from kfusion.source.diagnostics import error
from kfusion.source.lexer import COMMENT
from kfusion.source.text import SourceFile, Span

SCALARS = {
    "bool": "_Bool",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "half": "float",
    "size_t": "unsigned long",
    "ptrdiff_t": "long",
    "intptr_t": "long",
    "uintptr_t": "unsigned long",
}
IMAGES = frozenset(
    "image1d_t image1d_array_t image1d_buffer_t image2d_t image2d_array_t image2d_depth_t "
    "image2d_array_depth_t image3d_t".split()
)
_OTHER_TYPES = frozenset(
    "sampler_t event_t queue_t clk_event_t reserve_id_t ndrange_t cl_mem_fence_flags memory_order "
    "memory_scope atomic_int atomic_uint atomic_long atomic_ulong atomic_float atomic_double "
    "atomic_flag atomic_intptr_t atomic_uintptr_t atomic_size_t atomic_ptrdiff_t".split()
)
_VECTOR = re.compile(r"(char|uchar|short|ushort|int|uint|long|ulong|float|double|half)(2|3|4|8|16)")
# What is noted of a word that is taken out: with and without underscores.
ADDRESS_SPACES = {
    prefix + word: word
    for word in ("global", "local", "constant", "private", "generic")
    for prefix in ("", "__")
}
ACCESS = {
    prefix + word: word
    for word in ("read_only", "write_only", "read_write")
    for prefix in ("", "__")
}
_NOTED = {**ADDRESS_SPACES, **ACCESS, "kernel": "kernel", "__kernel": "kernel"}
_REPLACED = {
    "__const": "const",
    "__inline": "inline",
    "__inline__": "inline",
    "__restrict": "restrict",
    "__restrict__": "restrict",
    "vec_step": "sizeof",  # both take a type
}


def _blanked(comment: re.Match[str]) -> str:
    return " " * len(comment[0])


_OTHER_BRANCH = re.compile(r"(?m)^[ \t]*#[ \t]*elifn?def\b")
_BLANKS = re.compile(r"\\[ \t]+\r?\n")
_JOINING = re.compile(r"\?\?/(?=[ \t]*\r?\n)")  # a trigraph
_HALF = re.compile(r"(?!0[xX])[\d.].*[hH]")  # 1.0h


TYPE_NAME = re.compile(r"[A-Z][A-Z0-9_]*|[a-z]\w*_t")  # of one that nothing declares


def parse_opencl(source: SourceFile, annotations: Annotations, done: Preprocessed) -> Unit:
    tokens, notes = _clean(done.tokens)
    _refuse_unknown_constructs(source, tokens)
    # A type may be given by build options alone (-DREAL=double): such names are capitals.
    guess = TypeGuess(TYPE_NAME.pattern)
    unit = parse_unit(
        source, annotations, tokens, notes, done, _typedefs(tokens), guess, plain=_plain
    )
    # Other functions may be overloaded.
    refuse_redefinition(unit, {name for name, f in unit.functions.items() if unit.is_kernel(f)})
    return unit


def _typedefs(tokens: list[PToken]) -> str:
    lines: list[str] = []
    for name in sorted({token.text for token in tokens}):
        if name in SCALARS:
            lines.append(f"typedef {SCALARS[name]} {name};")
        elif name in IMAGES or name in _OTHER_TYPES or _VECTOR.fullmatch(name):
            lines.append(f"typedef int {name};")
    return "".join(lines)


def _clean(tokens: list[PToken]) -> tuple[list[PToken], list[Note]]:
    result: list[PToken] = []
    notes: list[Note] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        last = index
        if token.text in ("__attribute__", "__attribute"):
            last = end_of_word(tokens, index)
            text = " ".join(t.text for t in tokens[index : last + 1])
            notes.append(Note(len(result), text, token.start, tokens[last].end))
        elif token.text in _NOTED:
            space = token.text in ADDRESS_SPACES
            place = _written(tokens, index) if space else (token.start, token.end)
            notes.append(Note(len(result), _NOTED[token.text], *place))
        else:
            if token.text in _REPLACED:
                token = token._replace(text=_REPLACED[token.text])
            result.append(token)
        index = last + 1
    return result, notes


def one_spelling(words: Iterable[str]) -> tuple[str, ...]:
    """Words that have two spellings, such as `__global`, as `global`."""
    return tuple({**ADDRESS_SPACES, **ACCESS, **_REPLACED}.get(word, word) for word in words)


def _written(tokens: list[PToken], index: int) -> tuple[int, int]:
    """Where a token stands, or the macro that stands for it alone."""
    token = tokens[index]
    around = (t.macro for t in (*tokens[index - 1 : index], *tokens[index + 1 : index + 2]))
    alone = token.start < 0 and token.macro is not None and token.macro not in around
    return token.macro if alone and token.macro is not None else (token.start, token.end)


def _plain(text: str) -> str:
    """pycparser has no halves."""
    return f"{text[:-1]}f" if _HALF.fullmatch(text) else text


def _refuse_unknown_constructs(source: SourceFile, tokens: list[PToken]) -> None:
    if (joins := _JOINING.search(source.text)) is not None:
        what = "'??/' at the end of a line joins it with the next one for some compilers only"
        raise error("KF118", what, Span(source, *joins.span()), help="write '? ?/'")
    if (other := _OTHER_BRANCH.search(source.text)) is not None:
        place = Span(source, *other.span())
        raise error("KF118", "'#elifdef' is no OpenCL C", place, help="write '#elif defined(...)'")
    if (joins := _BLANKS.search(COMMENT.sub(_blanked, source.text))) is not None:
        what = "a line that ends with a backslash and blanks goes on for some compilers only"
        raise error("KF118", what, Span(source, *joins.span()), help="take the blanks out")
    for index, (token, following) in enumerate(pairwise(tokens)):
        before = tokens[index - 1].text if index else ";"
        what = ""
        if token.text in ("pipe", "__pipe") and before in ("(", ",") and is_name(following.text):
            what = "pipes are not supported"
        elif token.text == "_Generic" or (token.text == "(" and following.text == "{"):
            what = "'_Generic' and statements in brackets, '({ ... })', are not supported"
        elif token.text == "^" and following.text in ("{", "(") and before in "({};,=":
            what = "blocks and kernels that enqueue kernels are not supported"
        if what:
            place = place_of(source, tokens, index)
            raise error("KF118", what, place, help="move it to a file that kfusion does not get")
