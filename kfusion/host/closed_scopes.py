"""What the names of a C++ file hold, by its tokens: declarations, in their scopes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kfusion.host.closed_types import NUMBER, OBJECT, OTHER
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import CLOSING, OPENING, Token, matching
from kfusion.source.lexer import Kind as TokenKind

CLASS = "class"  # in a scope: what is around it cannot be trusted
CLASS_OF = "class {}"  # in a scope: how the type of a variable is written
ARITHMETIC = frozenset(
    "void bool char short int long signed unsigned float double size_t ptrdiff_t ssize_t "
    "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t intptr_t uintptr_t "
    "wchar_t char8_t char16_t char32_t".split()
)
QUALIFIERS = frozenset(
    "const volatile static extern register constexpr inline struct enum thread_local".split()
)
OPENCL_NUMBERS = re.compile(
    r"cl_(?:char|uchar|short|ushort|int|uint|long|ulong|half|float|double|bool|bitfield|mem|event"
    r"|kernel|program|context|command_queue|device_id|platform_id|sampler|(?:\w+_)?(?:flags|info"
    r"|status|type|properties|order|mode))"
)
_CONTAINERS = frozenset("vector array string pair complex valarray initializer_list".split())
KEYWORDS = frozenset(
    "if else for while do switch case default break continue return sizeof alignof goto true "
    "false nullptr static_cast reinterpret_cast const_cast nullptr_t and or not throw "
    "noexcept".split()
)
_STARTS = frozenset("; { } ( , :".split())


@dataclass(frozen=True)
class _Declared:
    """A type as it is written, and the token behind it."""

    sort: str
    behind: int


_ATTRIBUTES = frozenset(("__attribute__", "__declspec", "alignas"))


def without_attributes(tokens: Sequence[Token]) -> list[Token]:
    """`[[maybe_unused]] Matrix m;` declares as `Matrix m;` does."""
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        text, behind = tokens[index].text, tokens[index + 1 : index + 2]
        opens = behind[0].text if behind else ""
        closing = None
        if text == opens == "[":
            closing = matching(tokens, index)
        elif text in _ATTRIBUTES and opens == "(":
            closing = matching(tokens, index + 1)
        if closing is None:
            kept.append(tokens[index])
        index = index + 1 if closing is None else closing + 1
    return kept


class Scopes:
    """The variables in sight, while the tokens of a file are read from its beginning."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.types: dict[str, str] = {}  # of C, and what their values are
        self.classes: dict[str, frozenset[str]] = {}  # their members that hold numbers
        self.scopes: list[dict[str, str]] = [{}]
        self.pending: dict[str, str] = {}  # declared in brackets: for the block behind them
        self.depth = 0  # of round brackets

    def hidden(self, index: int) -> dict[str, str]:
        """Members of a class hide the variables of the file: those that are numbers, and a mark."""
        first = index
        while first > 0 and self.tokens[first - 1].text not in (";", "{", "}"):
            first -= 1
        texts = [token.text for token in self.tokens[first:index]]
        if "(" in texts:  # `A::f(...) {`
            opening = texts.index("(")
            if opening < 3 or texts[opening - 3 : opening - 1] != [":", ":"]:
                return {}
            return self._members_of(texts[opening - 4] if opening > 3 else "")
        for at, text in enumerate(texts[:-1]):
            if text in ("class", "struct", "union"):
                return self._members_of(texts[at + 1])
        return {CLASS: OTHER} if texts[-1:] in (["class"], ["struct"], ["union"]) else {}

    def _members_of(self, name: str) -> dict[str, str]:
        return {CLASS: OTHER, **dict.fromkeys(self.classes.get(name, ()), NUMBER)}

    def declaration(self, index: int) -> _Declared | None:
        """A declaration that begins here; its names are noted, what follows is still read."""
        before = self.text(index - 1)
        if (
            before not in _STARTS
            and index > 0
            and self.tokens[index - 1].kind is not (TokenKind.DIRECTIVE)
        ):
            return None
        type_ = self._type(index)
        if type_ is None:
            return None
        sort, name = self._pointed(type_)
        if not self._is_declarator(name):
            return None
        written = [token.text for token in self.tokens[index : type_.behind]]
        class_ = " ".join(word for word in written if word not in QUALIFIERS)
        self._note(self.tokens[name].text, sort, class_)
        if self.depth == 0:
            for other in self._further(name):
                further = type_.sort if type_.sort == OTHER else sort
                self._note(self.tokens[other].text, further, class_)
        return _Declared(type_.sort, name + 1)

    def note_parts(self, index: int) -> None:
        """The names of `auto &[one, other] = pair;`."""
        while self.text(index) in ("&", "&&"):
            index += 1
        end = matching(self.tokens, index) if self.text(index) == "[" else None
        for token in self.tokens[index:end] if end is not None else ():
            self._note(token.text, OTHER)

    def _note(self, name: str, sort: str, class_: str = "") -> None:
        scope = self.pending if self.depth > 0 else self.scopes[-1]
        scope.update({name: sort, CLASS_OF.format(name): class_})

    def _pointed(self, type_: _Declared) -> tuple[str, int]:
        """What a declarator's stars make of a type, and its name."""
        sort, index = type_.sort, type_.behind
        while self.text(index) in ("*", "&", "&&", "const"):
            if self.text(index) == "*" and sort == OBJECT:
                sort = NUMBER
            index += 1
        return sort, index

    def _is_declarator(self, index: int) -> bool:
        if index >= len(self.tokens) or self.tokens[index].kind is not TokenKind.NAME:
            return False
        if self.tokens[index].text in KEYWORDS | {"operator"}:
            return False
        return self.text(index + 1) in (";", "=", ",", ")", "[", "{", "(", ":")

    def _further(self, index: int) -> Iterator[int]:
        """The other names of `float a = 1, *b, c[2];`."""
        depth = 0
        for position in range(index + 1, len(self.tokens)):
            text = self.tokens[position].text
            depth += (text in OPENING) - (text in CLOSING)
            if depth < 0 or (depth == 0 and text == ";") or text == "{":
                return
            if depth == 0 and text == ",":
                name = position + 1
                while self.text(name) in ("*", "&", "const"):
                    name += 1
                if self._is_declarator(name):
                    yield name

    def _type(self, index: int) -> _Declared | None:
        """A type that is written here."""
        sort = ""
        while self.text(index) in QUALIFIERS:
            index += 1
        while self.text(index) in ARITHMETIC | {"const"}:
            sort, index = NUMBER, index + 1
        if sort:
            return _Declared(sort, index)
        if index >= len(self.tokens) or self.tokens[index].kind is not TokenKind.NAME:
            return None
        name = self.text(index)
        if name in KEYWORDS or self.sort_of(name) is not None:
            return None
        if name == "std" and self.text(index + 1) == ":" and self.text(index + 2) == ":":
            return self._standard(index + 3)
        if OPENCL_NUMBERS.fullmatch(name):
            return _Declared(NUMBER, index + 1)
        if name in self.types and self.text(index + 1) not in (":", "<"):
            return _Declared(self.types[name], index + 1)
        return self._unknown_type(index)

    def _standard(self, index: int) -> _Declared | None:
        name = self.text(index)
        if name in ARITHMETIC:
            return _Declared(NUMBER, index + 1)
        if name == "string":
            return _Declared(OBJECT, index + 1)
        if name in _CONTAINERS and self.text(index + 1) == "<":
            inner = self._type(index + 2)
            while inner is not None:
                sort, behind = self._pointed(inner)
                if sort != NUMBER:  # an element could have operators of the program's own
                    break
                if self.text(behind) == ">":
                    return _Declared(OBJECT, behind + 1)
                if self.text(behind) != "," or name not in ("array", "pair"):
                    break
                is_size = name == "array" and self.text(behind + 2) == ">"
                if is_size:
                    return _Declared(OBJECT, behind + 3)
                inner = self._type(behind + 1)
        return self._unknown_type(index)

    def _unknown_type(self, index: int) -> _Declared | None:
        """`A::B<C> name`: the type of a declaration, of which nothing is known."""
        while index + 1 < len(self.tokens) and self.tokens[index].kind is TokenKind.NAME:
            index += 1
            if self.text(index) == "<":
                depth = 0
                while index < len(self.tokens) and self.text(index) not in (";", "{", ")"):
                    text = self.text(index)
                    depth += text.count("<") - text.count(">") * (text != "->")
                    index += 1
                    if depth <= 0:
                        break
            if self.text(index) == ":" and self.text(index + 1) == ":":
                index += 2
                continue
            break
        return _Declared(OTHER, index)

    def sort_of(self, name: str) -> str | None:
        if name in self.pending:
            return self.pending[name]
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
            if CLASS in scope:
                return None
        return None

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""
