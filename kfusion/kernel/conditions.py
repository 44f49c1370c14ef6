"""Conditional compilation: what another build may change, and the conditions that tell."""

from __future__ import annotations

import re
from functools import cached_property

from kfusion.kernel.branches import Block, Branches, Definition, branches_of
from kfusion.kernel.builtins import is_pure
from kfusion.kernel.surroundings import macros_of
from kfusion.kernel.types import is_type_word
from kfusion.parse.macros import Macro
from kfusion.parse.unit import Unit
from kfusion.source.lexer import Kind, tokenize
from kfusion.source.protections import is_on, protection

DOUBTFUL_MACROS = protection("doubtful-macros", "indices do not depend on build options")

GIVEN = "KFUSION_GIVEN_"  # and a macro's name: defined if the build options define the macro
_NAME = re.compile(r"[A-Za-z_]\w*")
_INTEGER = re.compile(r"\(*\s*([+-]?(?:0[xX][0-9a-fA-F]+|[0-9]+))[uUlL]*\s*\)*")


class Conditions:
    """One for each file."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._doubts: dict[str, bool] = {}
        self._pinned: dict[str, list[str] | None] = {}
        self._names: dict[Block, frozenset[str]] = {}

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
        if self.branches.compiled is None:
            return None
        compiled = (b.number in self.branches.compiled for b in block.branches)
        return next(
            (n for n, is_compiled in enumerate(compiled) if is_compiled), len(block.branches)
        )

    def is_left_out(self, block: Block) -> bool:
        """It stands in a branch that was not compiled."""
        compiled = self.branches.compiled
        if block.within is None or compiled is None:
            return False
        return block.within[1].number not in compiled

    def pin(self, block: Block) -> list[str] | None:
        """The conditions under which the same branch is taken; None if they cannot be written."""
        if self.is_left_out(block):
            return []  # the block around it is pinned
        taken = self.taken(block)
        settled = {name: self._settled(name, block) for name in self._all_tested(block)}
        if taken is None or "" in settled.values():
            return None
        if set(settled.values()) <= {"certain"}:
            return []
        at_top = [name for name, how in settled.items() if how == "at the top"]
        conditions = [_at_top(branch.condition, at_top) for branch in block.branches]
        before = [f"!({condition})" for condition in conditions[:taken]]
        if taken < len(conditions) and conditions[taken] != "1":
            return [*map(_tidy, before), _tidy(f"({conditions[taken]})")]
        return [_tidy(condition) for condition in before]

    def _settled(self, name: str, block: Block) -> str:
        """ "certain": the file itself defines it in front of the block; "given": the build
        options alone say what it is, there and at the end of the file; "at the top": they say
        whether it is defined, and the file defines it later; "": none of these."""
        found = [each for each in self.branches.definitions if each.name == name]
        if not found:
            return "given"
        if self._is_asked_for(name, block):
            number = block.branches[0].number
            if found[0].behind > number:
                return "at the top"
            if any(self._defines(d) for d in found if d.behind <= number) and not any(
                each.undefines for each in found
            ):
                return "certain"
        (first, *others) = found
        if others or first.undefines or first.behind > block.branches[0].number:
            return ""
        around = [b for b in (first.block.around if first.block else []) if not b.is_guard]
        if not around:
            return "" if self.is_outside(name) else "certain"
        return "given" if len(around) == 1 and self._is_default(name, around[0]) else ""

    def _is_asked_for(self, name: str, block: Block) -> bool:
        """All that the block tests is whether the macro is defined."""
        texts = [text for each in self._all_tested(block) for text in self.texts(each)]
        texts += [_at_top(branch.condition, [name]) for branch in block.branches]
        return not any(re.search(rf"\b{name}\b", text) for text in texts)

    def _defines(self, definition: Definition) -> bool:
        """Behind it the macro is defined in any build."""
        around = [
            b for b in (definition.block.around if definition.block else []) if not b.is_guard
        ]
        return not around or (
            len(around) == len(around[0].branches) == 1
            and self._is_default(definition.name, around[0])
        )

    def _all_tested(self, block: Block) -> set[str]:
        """Names in the conditions, and in the texts of the macros among them."""
        names = _tested(block)
        waiting = sorted(names)
        while waiting:
            for text in self.texts(waiting.pop()):
                more = {t.text for t in tokenize(" " + text) if t.kind is Kind.NAME} - names
                names |= more
                waiting += sorted(more)
        return names - {"defined"}

    # Macros

    def is_outside(self, name: str) -> bool:
        """Given by build options, or at least not by this file."""
        history = self.unit.macros.history.get(name)
        first = history[0][1] if history else None
        foreign = first is not None and first.line == 0
        return foreign and not name.startswith("_") and name not in _COMPILERS

    def is_as_given(self, name: str) -> bool:
        """The file has no more than a default for it."""
        found = [each for each in self.branches.definitions if each.name == name]
        around = [b for each in found if each.block for b in each.block.around if not b.is_guard]
        return not found or (len(found) == len(around) == 1 and self._is_default(name, around[0]))

    def is_of_compiler(self, name: str) -> bool:
        """Another compiler may define it as something else."""
        history = self.unit.macros.history.get(name)
        first = history[0][1] if history else None
        foreign = first is not None and first.line == 0
        return foreign and (name.startswith("_") or name in _COMPILERS)

    def is_conditional(self, name: str) -> bool:
        """Defined by this file, but under a condition."""
        return name in self._conditional

    @cached_property
    def _conditional(self) -> frozenset[str]:
        return frozenset(
            each.name
            for each in self.branches.definitions
            if each.block is not None
            if any(not block.is_guard for block in each.block.around)
        )

    def is_doubtful(self, name: str) -> bool:
        """Another build may give it another meaning, and no `#if` can tell."""
        if name not in self._doubts:
            pinned = self.pins_of_macro(name) is not None
            told = self.is_outside(name) and self.integer(name) is not None
            uncertain = self.is_outside(name) or self.is_conditional(name)
            self._doubts[name] = uncertain and not pinned and not told
        return self._doubts[name]

    def pins_of_macro(self, name: str) -> list[str] | None:
        """Where the file defines it under conditions: those under which it has the same text.

        None: they cannot be written, or it stands for a type, which fused kernels name.
        """
        if name not in self._pinned:
            self._pinned[name] = self._pins_of_macro(name)
        return self._pinned[name]

    def _pins_of_macro(self, name: str) -> list[str] | None:
        if self.is_outside(name) or not self.is_conditional(name) or self.is_type(name):
            return None
        found: list[str] = []
        for each in (d for d in self.branches.definitions if d.name == name):
            for block in each.block.around if each.block is not None else []:
                pin = [] if block.is_guard else self.pin(block)
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

    @cached_property
    def _uncertain(self) -> list[int]:
        """How many tokens in front of each are of such macros."""
        known: dict[str, bool] = {}
        counts = [0]
        for token in self.unit.tokens:
            doubts = False
            if token.start < 0 and token.macro is not None:
                found = _NAME.match(self.unit.source.text, token.macro[0])
                name = found.group() if found else ""
                if name not in known:
                    known[name] = any(map(self.is_doubtful, macros_of(self.unit, [name])))
                doubts = known[name]
            counts.append(counts[-1] + doubts)
        return counts

    def is_harmless(self, name: str) -> bool:
        """All its definitions are numbers, types or calls of pure functions."""
        return all(map(self._only_values, self.texts(name)))

    def is_type(self, name: str) -> bool:
        texts = [tokenize(text) for text in self.texts(name)]
        return all(text and all(is_type_word(t.text) for t in text) for text in texts)

    def texts(self, name: str) -> list[str]:
        """Of its definitions: parameters in brackets, or a blank, and the text."""
        bodies = [each.text for each in self.branches.definitions if not each.undefines]
        texts = [b[len(name) :] for b in bodies if re.match(rf"{name}\b", b)]
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
        for token in tokenize(" " + text):
            if token.kind is Kind.NAME:
                known = token.text in parameters or is_value_word(token.text)
                if not known and token.text not in self.unit.macros.history:
                    return False
            elif token.kind is Kind.PUNCTUATOR and token.text not in _ARITHMETIC:
                return False
        return True

    def integer(self, name: str) -> str | None:
        """The value at the end of the file, if that is an integer."""
        macro: Macro | None = self.unit.macros.at_end(name)
        match = _INTEGER.fullmatch(macro.body) if macro and macro.parameters is None else None
        return match.group(1) if match else None

    def names(self, block: Block) -> frozenset[str]:
        """Names that stand in the block outside of all brackets."""
        if block not in self._names:
            found: set[str] = set()
            depth = 0
            for token in tokenize(block.file.text[block.start : block.end]):
                if token.kind is Kind.PUNCTUATOR:
                    depth += (token.text in "([{") - (token.text in ")]}")
                elif token.kind is Kind.NAME and depth == 0:
                    found.add(token.text)
            self._names[block] = frozenset(found)
        return self._names[block]


_ARITHMETIC = frozenset("+ - * / % ( ) , < > <= >= == != ? : && || ! ~ & | ^ << >>".split())


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


def _tested(block: Block) -> set[str]:
    return {
        token.text
        for branch in block.branches
        for token in tokenize(" " + branch.condition)
        if token.kind is Kind.NAME and token.text != "defined"
    }


def is_value_word(name: str) -> bool:
    """A type, or a function without effects."""
    return is_pure(name) or is_type_word(name)


# Names without underscores that C compilers define and OpenCL's need not.
_COMPILERS = frozenset(("linux", "unix", "i386"))
