"""Can anything in a C++ file reach OpenCL past the run time?

What tokens do not show (a conversion, a destructor, an overload that is taken for another one) can
still only be code of the file, of its headers, or of functions that these declare. The file's own
code stands behind the run time's include, so its calls of OpenCL are seen. Left are headers that
call OpenCL themselves, and functions of files that are not given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from kfusion.host.closed_headers import closing_of
from kfusion.host.known import Kind, kind_of
from kfusion.host.program import HostProgram
from kfusion.parse.compiler import STDIN
from kfusion.parse.cpp import CppUnit
from kfusion.parse.syntax import is_name
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

FILES = protection("closed-cpp-files", "what a C++ region may reach unseen calls OpenCL itself")

_OPENCL = re.compile(r"cl[A-Z]\w*")
_SEPARATED = re.compile(r"\b[0-9][0-9a-fA-FxX]*'[0-9a-fA-F]")
_NO_CALL = frozenset("if while for switch catch sizeof alignof decltype noexcept return".split())


def unseen_calls(
    unit: CppUnit, program: HostProgram, harmless: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Why what is not seen may call OpenCL, each with what would help."""
    if not is_on(FILES):
        return
    if _SEPARATED.search(unit.plain.text):
        yield "numbers in this file have separators, 1'000: its tokens are not told", "write 1000"
    defined = {name for other in (unit, *program.others) for name in _defined(other)}
    defined |= {function.name for function in program.all_functions}
    for one in dict.fromkeys((unit, *program.others)):
        header = _calling_header(one)
        if header is not None:
            yield (
                f"'{header}' calls OpenCL in front of the run time's include",
                "let functions of the file call OpenCL, and the header declare them",
            )
        for name in dict.fromkeys(_missing(one, defined, harmless)):
            yield (
                f"'{name}' is declared in this file, and defined in none that is given",
                f"give kfusion the file that defines it, or add harmless({name})",
            )


def _calling_header(unit: CppUnit) -> str | None:
    """A header with calls of OpenCL's functions; its own headers only declare them."""
    for token, behind in pairwise(unit.tokens):
        if token.file != STDIN and behind.text == "(" and _OPENCL.fullmatch(token.text):
            return token.file.rpartition("/")[2]
    return unit.calling_header


@dataclass(frozen=True)
class _Head:
    """What stands in front of `;` or `{` in a namespace or a class."""

    texts: tuple[str, ...]
    class_: str  # that it stands in
    is_body: bool

    @property
    def function(self) -> str | None:
        """Its name, `~A` of a destructor."""
        texts = self.texts
        if "(" not in texts or {"typedef", "using", "template"} & set(texts):
            return None
        if "operator" in texts:
            return "operator"
        opening = texts.index("(")
        name = texts[opening - 1] if opening else ""
        if not is_name(name) or name in _NO_CALL or "=" in texts[:opening]:
            return None
        return f"~{name}" if texts[opening - 2 : opening - 1] == ("~",) else name

    @property
    def is_prototype(self) -> bool:
        """`type name(type, type);`, and no variable: `type name(3);`"""
        opening = self.texts.index("(")
        closing = closing_of(list(self.texts), opening)
        listed, behind = self.texts[opening + 1 : closing], self.texts[closing + 1 :]
        values = any(text[0].isdigit() or text[0] in "\"'" for text in listed) and "=" not in listed
        return not self.is_body and not values and "=" not in behind

    @property
    def is_hidden(self) -> bool:
        """May it be called without its name being written?"""
        name = self.function
        return name in ("operator", self.class_, f"~{self.class_}")


def _heads(unit: CppUnit) -> Iterator[_Head]:
    texts = [token.text for token in unit.tokens]
    scopes: list[str] = []  # names of classes; "" for a namespace
    first = index = 0
    while index < len(texts):
        text = texts[index]
        if text.startswith("#") or (text == ":" and texts[index - 1] in _ACCESS):
            first = index + 1
        elif text in ("{", "}", ";"):
            head = tuple(texts[first:index])
            around = scopes[-1] if scopes else ""
            if head and text != "}":
                yield _Head(head, around, text == "{")
            if text == "}" and scopes:
                scopes.pop()
            elif text == "{":
                class_ = _class_of(head)
                if class_ is None:
                    index = closing_of(texts, index)
                else:
                    scopes.append(class_)
            first = index + 1
        index += 1


_ACCESS = frozenset("public protected private".split())


def _class_of(head: Sequence[str]) -> str | None:
    """The class whose body begins, "" of a namespace; None: it is something else."""
    if "namespace" in head or (len(head) == 2 and head[0] == "extern"):
        return ""
    if "(" in head or "=" in head or "enum" in head:
        return None
    for at, text in enumerate(head[:-1]):
        if text in ("class", "struct", "union"):
            return next((word for word in head[at + 1 :] if is_name(word)), "")
    return None


def _defined(unit: CppUnit) -> Iterator[str]:
    for head in _heads(unit):
        name = head.function if head.is_body else None
        if name is not None:
            yield f"operator {head.class_ or _scope_of(head)}" if name == "operator" else name


def _scope_of(head: _Head) -> str:
    """`A` of `A::operator+(...) {`."""
    at = head.texts.index("operator")
    return head.texts[at - 2] if head.texts[at - 1 : at] == ("::",) else ""


def _missing(unit: CppUnit, defined: Collection[str], harmless: Collection[str]) -> Iterator[str]:
    """Functions that are declared, that some code may call, and that no given file defines."""
    heads = list(_heads(unit))
    prototypes = [head for head in heads if head.function is not None and head.is_prototype]
    count: dict[str, int] = {}
    for head in prototypes:
        count[str(head.function)] = count.get(str(head.function), 0) + 1
    texts = [token.text for token in unit.tokens]
    named: dict[str, int] = {}
    for text, behind in pairwise(texts):
        if behind == "(" and text in count:
            named[text] = named.get(text, 0) + 1
    for head in prototypes:
        name = str(head.function)
        shown = f"operator {head.class_}".rstrip() if name == "operator" else name
        wanted = f"operator {head.class_}" if name == "operator" else name
        called = head.is_hidden or named.get(name, 0) > count[name]
        known = wanted in defined or name in harmless or kind_of(name) is not Kind.UNKNOWN
        if called and not known:
            yield shown
