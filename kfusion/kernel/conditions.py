"""Conditional compilation: what another build may change, and the conditions that tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property

from kfusion.kernel.branches import Block, Branch, Branches, Definition, branches_of
from kfusion.kernel.builtins import is_pure
from kfusion.kernel.opened import is_constant_of_opencl, is_number_of_opencl
from kfusion.kernel.surroundings import macros_of
from kfusion.kernel.types import is_type_word
from kfusion.parse.macros import Macro
from kfusion.parse.sources import PREDEFINED
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, names_in, tokenize
from kfusion.source.protections import is_on, protection

DOUBTFUL_MACROS = protection("doubtful-macros", "indices do not depend on build options")

GIVEN = "KFUSION_GIVEN_"  # and a macro's name: defined if the build options define the macro
_NAME = re.compile(r"[A-Za-z_]\w*")
# Others are numbers that differ from compiler to compiler.
PREDEFINED_NUMBERS = frozenset(
    name for entry in PREDEFINED if (name := entry.split("=")[0]).startswith(("CL", "cl_"))
)
_INTEGER = re.compile(r"\(*\s*([+-]?(?:0[xX][0-9a-fA-F]+|[0-9]+))[uUlL]*\s*\)*")


@dataclass(frozen=True)
class _Settled:
    """Who says what the conditions of a block make of a name.

    "certain": the file itself, there and at the end of the file; "here": so, but at the end it may
    be another thing; "given": the build options, there and at the end; "at the top": they say
    whether it is defined, but that may change before the end; "": none of these.
    """

    kind: str
    pins: tuple[str, ...] = ()  # under which that is so


class Conditions:
    """Of a file. `pins_types`: types of macros are what they are in this build; fused kernels name
    them otherwise, and so fit other builds as well."""

    def __init__(self, unit: Unit, *, pins_types: bool = False) -> None:
        self.unit, self.pins_types = unit, pins_types
        # What is asked again and again.
        self.pin = cache(self._pin)
        self.pins_of_macro = cache(self._pins_of_macro)
        self.is_doubtful = cache(self._is_doubtful)
        self.names = cache(self._names)

    @cached_property
    def branches(self) -> Branches:
        return branches_of(self.unit)

    def around(self, file: str, line: int, offset: int) -> list[Block]:
        """The blocks around a place, but for include guards: an offset in the kernel file, or the
        line of a header."""
        header = self.branches.headers.get(file)
        if header is not None:
            offset = header.line_starts[line - 1]
        where = header or self.unit.source
        inner = (b for b in self.branches.blocks if b.file is where and b.start <= offset < b.end)
        return [b for block in inner for b in block.around if not b.is_guard]

    def taken(self, block: Block) -> int | None:
        """The number of the branch that was compiled; the number of all: none was.

        None: that cannot be said."""
        compiled, branches = self.branches.compiled, block.branches
        if compiled is None:
            return None
        return next((n for n, b in enumerate(branches) if b.number in compiled), len(branches))

    def is_left_out(self, block: Block) -> bool:
        """It stands in a branch that was not compiled."""
        compiled = self.branches.compiled
        if block.within is None or compiled is None:
            return False
        return block.within[1].number not in compiled

    def _pin(self, block: Block) -> list[str] | None:
        """The conditions under which the same branch is taken; None if they cannot be written."""
        if self.is_left_out(block):
            return []  # the block around it is pinned
        taken, tested = self.taken(block), self._all_tested(block)
        words = self._words_of(tested)
        settled = {name: self._settled(name, block, words) for name in sorted(tested)}
        kinds = {each.kind for each in settled.values()}
        if taken is None or "" in kinds:
            return None
        pins = [pin for each in settled.values() for pin in each.pins]
        if kinds <= {"here", "certain"}:
            return pins
        if "here" in kinds:
            return None
        at_top = [name for name, each in settled.items() if each.kind == "at the top"]
        conditions = [_at_top(branch.condition, at_top) for branch in block.branches]
        pins += [_tidy(f"!({condition})") for condition in conditions[:taken]]
        if taken < len(conditions) and conditions[taken] != "1":
            pins.append(_tidy(f"({conditions[taken]})"))
        return pins

    def _settled(self, name: str, block: Block, words: frozenset[str]) -> _Settled:
        found = self._definitions.get(name, [])
        number, is_asked_for = block.branches[0].number, self._is_asked_for(name, block, words)
        before = [each for each in found if each.behind <= number]
        is_kept = not any(each.undefines for each in found)
        if is_asked_for and is_kept and any(map(self._defines, before)):
            return _Settled("certain")
        is_open = block in self._around_unseen
        if len(found) == len(before) == 1 and is_kept and self._defines(found[0]) and not is_open:
            return _Settled("given" if found[0].conditions else "certain")
        # Conditions on the definitions in front of the block: so each of them is met, or none.
        around = [self.pin(b) for each in before for b in each.conditions]
        pins = tuple(pin for each in around for pin in each or ())
        if None in around or (pins and is_open):
            return _Settled("")
        if any(map(self._is_compiled, before)):
            same = is_kept and len({each.text for each in found}) == 1
            return _Settled("certain" if same or found == before else "here", pins)
        if is_asked_for and (found or is_open):
            return _Settled("at the top", pins)
        if found != before or is_open:
            return _Settled("")
        return _Settled("given", pins)

    def _is_compiled(self, definition: Definition) -> bool:
        return definition.branch is None or definition.branch in (self.branches.compiled or ())

    @cached_property
    def _around_unseen(self) -> frozenset[Block]:
        """What such a directive brings might change the names that these blocks test."""
        found = (within[0].around for _, within in self.branches.unseen if within is not None)
        return frozenset(block for blocks in found for block in blocks)

    def leaves_out(self, place: tuple[Block, Branch] | None) -> list[str] | None:
        """The conditions under which the branch is not compiled, as in this build; None: it is,
        or they cannot be written."""
        compiled = self.branches.compiled
        if place is None or compiled is None or place[1].number in compiled:
            return None
        pins = [self.pin(block) for block in place[0].around]
        return None if None in pins else [pin for found in pins for pin in found or ()]

    def _words_of(self, macros: frozenset[str]) -> frozenset[str]:
        """In the texts of the macros; `##` for one that makes others."""
        texts = [text for macro in macros for text in self.texts(macro)]
        return frozenset(word for text in texts for word in re.findall(r"\w+|##", text))

    def _is_asked_for(self, name: str, block: Block, words: frozenset[str]) -> bool:
        """All that the block tests is whether the macro is defined; `words`: of those it tests."""
        texts = [_at_top(branch.condition, [name]) for branch in block.branches]
        asked = any("##" in text or re.search(rf"\b{name}\b", text) for text in texts)
        return not asked and words.isdisjoint((name, "##"))

    @cached_property
    def _definitions(self) -> dict[str, list[Definition]]:
        found: dict[str, list[Definition]] = {}
        for each in self.branches.definitions:
            found.setdefault(each.name, []).append(each)
        return found

    def _defines(self, definition: Definition) -> bool:
        """Behind it the macro is defined in any build."""
        around = definition.conditions
        return not around or (
            len(around) == len(around[0].branches) == 1
            and self._is_default(definition.name, around[0])
        )

    def _all_tested(self, block: Block) -> frozenset[str]:
        """Names in the conditions, and in the texts of those of which more is asked than whether
        they are defined."""
        tested = _tested(block)
        asked = (_at_top(branch.condition, sorted(tested)) for branch in block.branches)
        words = (word for text in asked for word in names_in(text))
        names, more = frozenset[str](), tested.intersection(words)
        while more - names:
            names = self.with_pasted(names | more)
            more = frozenset(w for n in names for text in self.texts(n) for w in names_in(text))
        return (names | tested) - {"defined"}

    # Macros

    def is_outside(self, name: str) -> bool:
        """Given by build options, or at least not by this file."""
        given = self._is_foreign(name) and not _is_of_compilers(name)
        return given or self.is_of_language(name)

    def is_of_language(self, name: str) -> bool:
        """A number of OpenCL's, such as M_PI, that the file defines if the compiler does not."""
        return (
            self.is_conditional(name)
            and self.is_as_given(name)
            and all(is_number_of_opencl(name, text) for text in self.texts(name))
        )

    def is_as_given(self, name: str) -> bool:
        """The file has no more than defaults for it."""
        return all(
            not each.undefines and each.conditions and self._defines(each)
            for each in self._definitions.get(name, [])
        )

    def is_of_compiler(self, name: str) -> bool:
        """Another compiler may define it as something else."""
        return self._is_foreign(name) and _is_of_compilers(name)

    def _is_foreign(self, name: str) -> bool:
        """Known before the file begins."""
        history = self.unit.macros.history.get(name)
        first = history[0][1] if history else None
        return first is not None and first.line == 0

    def is_conditional(self, name: str) -> bool:
        """Defined by this file, but under a condition."""
        return name in self._conditional

    @cached_property
    def _conditional(self) -> frozenset[str]:
        return frozenset(each.name for each in self.branches.definitions if each.conditions)

    def _is_doubtful(self, name: str) -> bool:
        """Another build may give it another meaning, and no `#if` can tell."""
        if self.is_outside(name):
            return self.integer(name) is None
        return self.is_conditional(name) and self.pins_of_macro(name) is None

    def _pins_of_macro(self, name: str) -> list[str] | None:
        """Where the file defines it under conditions: those under which it has the same text.

        None: they cannot be written, or it stands for a type that is not pinned.
        """
        if self.is_outside(name) or not self.is_conditional(name):
            return None
        if self.is_type(name) and not self.pins_types:
            return None
        found: list[str] = []
        for each in self._definitions.get(name, []):
            for block in each.conditions:
                pin = self.pin(block)
                if pin is None:
                    return None
                found += pin
        return found

    @staticmethod
    def _is_default(name: str, block: Block) -> bool:
        """`#ifndef X`, around a definition of X"""
        asks = rf"!\s*defined\s*\(?\s*{name}\s*\)?"
        return re.fullmatch(asks, block.branches[0].condition) is not None

    def certain(self, first: int, last: int) -> bool:
        """Nothing from one token to another is of a macro that build options may change."""
        return not is_on(DOUBTFUL_MACROS) or self._uncertain[first] == self._uncertain[last + 1]

    @property
    def uncertain(self) -> int:
        """How many tokens are of macros that build options may change."""
        return self._uncertain[-1]

    @cached_property
    def _uncertain(self) -> list[int]:
        """How many tokens in front of each are of such macros."""
        known: dict[tuple[int, int], tuple[bool, bool, set[str]]] = {}
        counts = [0]
        for token in self.unit.tokens:
            doubts = False
            if token.macro is not None:
                if token.macro not in known:
                    known[token.macro] = self._doubts_in(token.macro)
                whole, called, words = known[token.macro]
                doubts = whole or (token.start < 0 and (called or token.text in words))
            counts.append(counts[-1] + doubts)
        return counts

    def _doubts_in(self, place: tuple[int, int]) -> tuple[bool, bool, set[str]]:
        """Is a macro with parameters doubtful? Is the one that is called there? And the words of
        others in its arguments, and of those whose names `##` makes."""
        names = [t.text for t in tokenize(" " + self.unit.source.text[slice(*place)])]
        called = macros_of(self.unit, names[:1])
        others = [n for n in self.with_pasted(macros_of(self.unit, names)) if self.is_doubtful(n)]
        texts = [text for n in macros_of(self.unit, others) for text in self.texts(n)]
        words = {token.text for text in texts for token in tokenize(" " + text)}
        whole = any(text.startswith("(") for text in texts)
        return whole, not called.isdisjoint(others), words

    def is_harmless(self, name: str) -> bool:
        """All its definitions are numbers, types or calls of pure functions."""
        return all(map(self._only_values, self.texts(name)))

    def is_type(self, name: str) -> bool:
        texts = [tokenize(text) for text in self.texts(name)]
        return all(text and all(is_type_word(t.text) for t in text) for text in texts)

    def with_pasted(self, macros: frozenset[str]) -> frozenset[str]:
        """With macros whose names `##` in their texts may make, and all that those use."""
        while True:
            patterns = {p for macro in macros for text in self.texts(macro) for p in _made(text)}
            if not patterns:
                return macros
            made = re.compile("|".join(sorted(patterns)))
            more = {name for name in self._changing - macros if made.fullmatch(name)}
            if not more:
                return macros
            macros = macros_of(self.unit, sorted(more)).union(macros, more)

    @cached_property
    def _changing(self) -> frozenset[str]:
        """Macros that the file or the build options define."""
        outside = {name for name in self.unit.macros.history if self.is_outside(name)}
        inside = {each.name for each in self.branches.definitions}
        return frozenset(inside | outside - PREDEFINED_NUMBERS)

    def texts(self, name: str) -> list[str]:
        """Of its definitions: parameters in brackets, or a blank, and the text."""
        found = self._definitions.get(name, [])
        texts = [each.text[len(name) :] for each in found if not each.undefines]
        current = self.unit.macros.at_end(name)
        if current is not None:
            listed = ",".join(current.parameters or ())
            texts.append(f"({listed}) {current.body}" if listed else f" {current.body}")
        return texts

    def _only_values(self, text: str) -> bool:
        parameters: set[str] = set()
        if text.startswith("("):
            listed, _, text = text[1:].partition(")")
            parameters = {p.strip() for p in listed.split(",")}
        tokens = tokenize(" " + text)
        for token in tokens:
            if token.kind is Kind.NAME:
                known = token.text in parameters or is_value_word(token.text)
                if not known and token.text not in self.unit.macros.history:
                    return False
            elif token.kind is Kind.PUNCTUATOR and token.text not in _ARITHMETIC:
                return False
        return bool(tokens)  # where nothing stands, other builds may put anything

    def integer(self, name: str) -> str | None:
        """The value at the end of the file, if that is an integer."""
        macro: Macro | None = self.unit.macros.at_end(name)
        match = _INTEGER.fullmatch(macro.body) if macro and macro.parameters is None else None
        return match.group(1) if match else None

    def _names(self, block: Block) -> frozenset[str]:
        """Names that stand in the block outside of all brackets."""
        found: set[str] = set()
        depth = 0
        for token in tokenize(block.file.text[block.start : block.end]):
            if token.kind is Kind.PUNCTUATOR:
                depth += (token.text in "([{") - (token.text in ")]}")
            elif token.kind is Kind.NAME and depth == 0:
                found.add(token.text)
        return frozenset(found)


_ARITHMETIC = frozenset("+ - * / % ( ) , < > <= >= == != ? : && || ! ~ & | ^ << >>".split())


def _made(text: str) -> Iterator[str]:
    """Patterns of the names that `##` in a macro's text may make: each has one side in it."""
    if "##" not in text:
        return
    head, _, body = text[1:].partition(")") if text.startswith("(") else ("", "", text)
    parameters = {"__VA_ARGS__", *(p.strip(" .") for p in head.split(","))}
    words = [token.text for token in tokenize(" " + body)]
    for at, word in enumerate(words[:-1]):
        if word == "##":
            left, right = words[at - 1], words[at + 1]
            if left not in parameters:
                yield (".*" if words[at - 2 : at - 1] == ["##"] else "") + re.escape(left) + ".*"
            elif right not in parameters:
                yield ".*" + re.escape(right) + ".*"
            else:
                yield ".*"


def _at_top(condition: str, names: list[str]) -> str:
    """It asks whether some macros are defined where the file begins."""
    for name in names:
        asked = rf"\bdefined\s*(?:\(\s*{name}\s*\)|{name}\b)"
        condition = re.sub(asked, f"defined({GIVEN}{name})", condition)
    return condition


def _tidy(condition: str) -> str:
    """`!(!defined(X))` as `defined(X)`, `(defined(X))` without brackets."""
    match = re.fullmatch(r"(!?)\((!?)(defined\(\w+\))\)", condition)
    if match is None:
        return condition
    return ("!" if match.group(1) != match.group(2) else "") + match.group(3)


def _tested(block: Block) -> frozenset[str]:
    words = (word for branch in block.branches for word in names_in(branch.condition))
    return frozenset(words) - {"defined"}


def is_value_word(name: str) -> bool:
    """A type, a constant of OpenCL, or a function without effects."""
    return is_pure(name) or is_type_word(name) or is_constant_of_opencl(name)


def _is_of_compilers(name: str) -> bool:
    return name.startswith("_") or name in _COMPILERS


# Names without underscores that C compilers define and OpenCL's need not.
_COMPILERS = frozenset(("linux", "unix", "i386"))
