"""Can anything in a C++ file reach OpenCL past the run time?

What tokens do not show (a conversion, a destructor, an overload that is taken for another one) can
still only be code of the file, of its headers, or of functions that these declare. The file's own
code stands behind the run time's include, so its calls of OpenCL are seen. Left are headers that
name functions of OpenCL, functions of files that are not given, and what may be any function:
virtual ones, pointers, other threads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from kfusion.host.cpp_heads import Declared, Head, heads
from kfusion.host.known import OPENCL, Kind, kind_of
from kfusion.host.outside import POISONED, hides_a_name_of_headers, include_place_in_cpp, poisons
from kfusion.host.program import HostProgram
from kfusion.parse.compiler import STDIN
from kfusion.parse.cpp import CppUnit
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

FILES = protection("closed-cpp-files", "what a C++ region may reach unseen calls OpenCL itself")

_OPENCL = re.compile(r"cl[A-Z]\w*")
_SEPARATED = re.compile(r"\b[0-9][0-9a-fA-FxX]*'[0-9a-fA-F]")
_UNDEFINED = re.compile(r"#undef (cl[A-Z]\w*)")
_MAY_BE_ANY = {
    **dict.fromkeys(("virtual", "override"), "functions of files that are not given may stand for"),
    **dict.fromkeys(("function", "bind", "dlsym"), "it may be any function"),
    **dict.fromkeys(("longjmp", "siglongjmp", "_longjmp"), "it may leave a region unseen"),
    **dict.fromkeys(
        "thread jthread async future condition_variable condition_variable_any pthread_create "
        "thrd_create".split(),
        "what another thread waits for is not seen",
    ),
}


def calls_opencl(unit: CppUnit) -> bool:
    """Does the file name functions of OpenCL, so that they can be redirected?"""
    own = (token for token in unit.tokens if token.file == STDIN)
    return unit.bindings is None and any(_OPENCL.fullmatch(token.text) for token in own)


def unseen_calls(
    unit: CppUnit, program: HostProgram, harmless: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Why what is not seen may call OpenCL, each with what would help."""
    if not is_on(FILES):
        return
    if _SEPARATED.search(unit.plain.text):
        yield "numbers in this file have separators, 1'000: its tokens are not told", "write 1000"
    units = dict.fromkeys((unit, *program.others))
    in_c = {function.name for function in program.all_functions}
    known = _Known([head for other in units for head in heads(other)], in_c, harmless)
    for one in units:
        yield from _past_the_run_time(one)
        yield from _anything(one)
        for declared in dict.fromkeys(known.missing(one)):
            other = "" if declared.is_hidden else f", or add harmless({declared.name})"
            yield (
                f"'{declared.shown}' is declared in this file, and defined in none that is given",
                f"give kfusion the file that defines it{other}",
            )


def _past_the_run_time(unit: CppUnit) -> Iterator[tuple[str, str]]:
    """Functions of OpenCL by names that the run time's macros do not reach."""
    header = _naming_header(unit)
    if header is not None:
        yield (
            f"'{header}' calls OpenCL in front of the run time's include",
            "let functions of the file call OpenCL, and the header declare them",
        )
    yield from other_uses(unit)


def other_uses(unit: CppUnit) -> Iterator[tuple[str, str]]:
    """Names of OpenCL's functions that must not be those of the run time's, and what keeps its
    header from being compiled."""
    if poisons(unit.source, unit.headers):
        yield POISONED, "leave the pragma out"
    for head in heads(unit):
        hidden = hides_a_name_of_headers(head.declares)
        if hidden is not None and not (head.inside or head.class_):
            yield (
                f"'{hidden}' is declared in this file, and in headers of the run time",
                "give it another name",
            )
    for token in unit.tokens:
        undefined = _UNDEFINED.fullmatch(token.text)
        if undefined is not None:
            yield f"'{undefined[1]}' is undefined as a macro", "leave the #undef out"
    texts = [token.text for token in unit.tokens]
    line = unit.plain.location(include_place_in_cpp(unit.plain.text)).line
    for index, text in enumerate(texts):
        token = unit.tokens[index]
        if text not in OPENCL or token.file != STDIN:
            continue
        if token.line < line and texts[index - 3 : index] != _OF_TYPE:
            yield f"'{text}' stands in front of the run time's include", "include headers first"
        why = _other_use(texts, index)
        if why is not None:
            yield f"'{text}' is {why}", "call the function in a function of the program"


def _other_use(texts: Sequence[str], index: int) -> str | None:
    """Of a function of OpenCL, where the function of the run time is another thing."""
    before, behind = (texts[index + step : index + step + 1] for step in (-1, 1))
    if before in (["."], ["->"]):
        return "the name of a member, too"
    if behind == [">"] or before == ["<"]:
        return "given to a template"
    if ({"==", "!="} & {*before, *behind}) and behind != ["("]:
        return "compared with another function"
    declared = before and before[0].isidentifier() and behind == ["("]
    if declared and before[0] not in _NO_TYPES:
        return "declared in this file"
    return None


_OF_TYPE = ["decltype", "(", "&"]
_NO_TYPES = frozenset("return else do case and or not co_return co_yield throw".split())


def _naming_header(unit: CppUnit) -> str | None:
    """A header that names functions of OpenCL, but for their types; its own only declare them."""
    texts = [token.text for token in unit.tokens]
    for index, token in enumerate(unit.tokens):
        of_type = texts[index - 3 : index] == _OF_TYPE
        named = _OPENCL.fullmatch(token.text) and token.text in OPENCL
        if token.file != STDIN and named and not of_type and "/CL/" not in token.file:
            return token.file.rpartition("/")[2]
    return unit.calling_header


def _anything(unit: CppUnit) -> Iterator[tuple[str, str]]:
    """What may be any function."""
    texts = [token.text for token in unit.tokens]
    for name, why in _MAY_BE_ANY.items():
        if name in texts:
            yield f"'{name}' stands in this file or a header of it: {why}", _ELSEWHERE
    for index in range(len(texts) - 4):
        first, star, name, closing, opening = texts[index : index + 5]
        pointer = (first, star, closing, opening) == ("(", "*", ")", "(") and name.isidentifier()
        if pointer and texts[index - 1 : index] != ["("]:
            yield f"'{name}' may be a pointer to any function", _ELSEWHERE
            return


_ELSEWHERE = "move the region into a file without it"


@dataclass(frozen=True, eq=False)
class _Known:
    """Which functions are defined in the files given."""

    heads: Sequence[Head]
    in_c: Collection[str]
    harmless: Collection[str]

    @cached_property
    def _defined(self) -> frozenset[Declared]:
        defined = {f for head in self.heads if head.is_body for f in _first(head)}
        classes = {head.class_ for head in self.heads}
        free = {Declared("", f.name, f.parameters) for f in defined if f.class_ not in classes}
        return frozenset(defined | free)

    def _is_known(self, function: Declared) -> bool:
        if function in self._defined or function.name in self.harmless:
            return True
        named = function.name in self.in_c or kind_of(function.name) is not Kind.UNKNOWN
        return named and not function.class_

    def missing(self, unit: CppUnit) -> Iterator[Declared]:
        """Functions that are declared, that some code may name, and that no given file defines."""
        texts = [token.text for token in unit.tokens]
        prototypes = [
            f for head in heads(unit) if not head.is_body and not head.gives for f in head.functions
        ]
        for function in prototypes:
            declared = sum(f.name == function.name for f in prototypes)
            named = function.is_hidden or texts.count(function.name) > declared
            if named and not self._is_known(function):
                yield function


def _first(head: Head) -> list[Declared]:
    return list(head.functions)[:1]
