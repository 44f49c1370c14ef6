"""Programs that are taken as one: a fused kernel of kernels that the host builds apart.

The run time puts the sources one behind the other, with the fused kernel behind them, and builds
that. So it must mean what each program means by itself: no name that one of them declares or
defines may stand in another one, and in the text of all each has the tokens that it has alone.
Which options a program is built with the run time compares; only kernels are taken whose text no
option can change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from pycparser import c_ast

from kfusion.expected import ExpectedRow
from kfusion.host.predict_launches import PredictedLaunch
from kfusion.kernel.model import Kernel
from kfusion.kernel.opened import names_left_open
from kfusion.kernel.read import read_kernels
from kfusion.parse.embedded import EmbeddedUnit, Program, read_programs
from kfusion.parse.files import Inputs
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, names_in, tokenize
from kfusion.source.text import SourceFile, bytes_of

MOST = 8  # as the run time has it
_BETWEEN = b"\n"
_NAMED = (c_ast.Struct, c_ast.Union, c_ast.Enum, c_ast.Enumerator)


@dataclass(frozen=True)
class Together:
    """The text of several programs, and its kernels; or why they are not joined."""

    text: EmbeddedUnit | None
    kernels: dict[str, Kernel]
    reason: str = ""


class Joining:
    """Joins the programs of rows of launches; each set of programs once."""

    def __init__(self, inputs: Inputs, kernels: dict[str, Kernel], patience: float) -> None:
        self.inputs, self.kernels, self.patience = inputs, kernels, patience
        self._found: dict[tuple[Unit, ...], Together] = {}
        self._apart: dict[tuple[str, str], Kernel] = {}

    def of_row(self, row: ExpectedRow) -> ExpectedRow:
        """The row with the kernels of a text of all of its programs that can be joined."""
        launches = row.prediction.launches
        units = self._in_order({launch.invocation.kernel.unit for launch in launches})
        if len(units) < 2:
            return row
        found = self._together(units)
        segment = tuple(self._of_text(launch, found) for launch in launches)
        return replace(row, prediction=replace(row.prediction, segments=(segment,)))

    def unit_of(self, programs: Sequence[Unit]) -> Unit:
        """The text of these, which are some of a row's."""
        units = self._in_order(set(programs))
        text = self.text_of(units) if len(units) > 1 else None
        return text.unit if text is not None else units[0]

    def text_of(self, programs: tuple[Unit, ...]) -> EmbeddedUnit | None:
        return self._together(programs).text

    def with_texts(self, fused_in: Sequence[Unit]) -> Inputs:
        """The inputs, and the texts that have fused kernels."""
        texts = [each.text for each in self._found.values() if each.text is not None]
        texts = [text for text in texts if text.unit in fused_in]
        return replace(
            self.inputs,
            kernels=(*self.inputs.kernels, *(text.unit for text in texts)),
            embedded=(*self.inputs.embedded, *texts),
        )

    def _in_order(self, units: set[Unit]) -> tuple[Unit, ...]:
        return tuple(unit for unit in self.inputs.kernels if unit in units)

    def _of_text(self, launch: PredictedLaunch, found: Together) -> PredictedLaunch:
        kernel = launch.invocation.kernel
        own = found.kernels.get(kernel.name)
        if own is None:
            key = kernel.name, found.reason
            own = self._apart.setdefault(key, replace(kernel, apart=found.reason))
        return replace(launch, invocation=replace(launch.invocation, kernel=own))

    def _together(self, units: tuple[Unit, ...]) -> Together:
        if units not in self._found:
            self._found[units] = self._joined(units)
        return self._found[units]

    def _joined(self, units: tuple[Unit, ...]) -> Together:
        reason = next(self._reasons(units), "")
        if reason:
            return Together(None, {}, reason)
        data = joined_data([self._data(unit) for unit in units])
        name = " and ".join(unit.source.path.name for unit in units)
        file = SourceFile(Path(name), data.decode(errors="replace"))
        how = replace(units[0].how, read=set())
        read = read_programs([Program(file, data, name, how, self._options(units))], ())
        kernels: dict[str, Kernel] = {}
        if not read.units or not _is_the_same(read.units[0].unit, units):
            return Together(None, {}, "one behind the other they mean something else")
        for name, kernel in read_kernels(read.units[0].unit, self.patience).items():
            own = self.kernels[name]
            if kernel.pragmas != own.pragmas or kernel.pins:
                return Together(None, {}, f"{name}() would stand under other pragmas there")
            kernels[name] = replace(kernel, own=own.unit)
        return Together(replace(read.units[0], parts=units), kernels)

    def _reasons(self, units: tuple[Unit, ...]) -> Iterator[str]:
        """Why they are not joined, which the text of all does not show."""
        if len(units) > MOST:
            yield f"they are more than {MOST}"
        for unit in units:
            name = unit.source.path.name
            kernels = [kernel for kernel in self.kernels.values() if kernel.unit is unit]
            if unit.how.defines != units[0].how.defines:
                yield "they are built with several options"
            elif unit.opaque_types or names_left_open(unit) or any(k.pins for k in kernels):
                yield f"build options may change {name}"
            elif any(_is_include(token.text) for token in tokenize(unit.source.text)):
                yield f"{name} includes a file"
        for one, other in combinations(units, 2):
            both = (_declared(one) & _words(other)) | (_declared(other) & _words(one))
            if both:
                first = f"'{min(both)}' stands in {one.source.path.name}"
                yield f"{first} and in {other.source.path.name}"

    def _data(self, unit: Unit) -> bytes:
        found = (each.data for each in self.inputs.embedded if each.unit is unit)
        return next(found, bytes_of(unit.source.text))

    def _options(self, units: tuple[Unit, ...]) -> tuple[str, ...] | None:
        """Those that all of them may be built with, as far as is known of each."""
        known = [each.options for each in self.inputs.embedded if each.unit in units]
        lists = [options for options in known if options is not None]
        if not lists:
            return None
        return tuple(one for one in lists[0] if all(one in others for others in lists))


def joined_data(texts: Sequence[bytes]) -> bytes:
    """As the run time does it."""
    return _BETWEEN.join(texts)


def _is_the_same(text: Unit, units: tuple[Unit, ...]) -> bool:
    """Has the text the tokens of all, and what was taken out of them at the same places?"""
    words: list[str] = []
    notes: list[tuple[int, str]] = []
    for unit in units:
        notes += [(len(words) + note.index, note.text) for note in unit.notes]
        words += [token.text for token in unit.tokens]
    same = words == [token.text for token in text.tokens]
    return same and notes == [(note.index, note.text) for note in text.notes]


def _is_include(directive: str) -> bool:
    return directive.lstrip("# \t").startswith("include")


def _declared(unit: Unit) -> frozenset[str]:
    """What the file gives a meaning, for itself and what stands behind it."""
    nodes = [each.decl if isinstance(each, c_ast.FuncDef) else each for each in unit.ast.ext]
    nodes += [node for kind in _NAMED for node in unit.nodes.get(kind, ())]
    written = (node for node in nodes if unit.index(node) >= 0)  # the language has others
    return frozenset(node.name for node in written if node.name) | unit.macros.in_file


def _words(unit: Unit) -> frozenset[str]:
    """All names that are written in the file, in its directives as well."""
    found: set[str] = set()
    for token in tokenize(unit.source.text):
        if token.kind is Kind.NAME:
            found.add(token.text)
        elif token.kind is Kind.DIRECTIVE:
            found.update(names_in(token.text.lstrip("# \t")))
    return frozenset(found)
