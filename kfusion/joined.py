"""Programs that are taken as one: a fused kernel of kernels that the host builds apart.

The run time puts the sources one behind the other, with the fused kernel behind them, and builds
that. So it must mean what each program means by itself: no name that one of them declares or
defines may stand in another one, but for macros that both define alike, and in the text of all each
has the tokens that it has alone. Which options a program is built with the run time compares; only
kernels are taken whose text no option can change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from pycparser import c_ast

from kfusion.expected import ExpectedRow
from kfusion.host.predict_launches import PredictedLaunch
from kfusion.kernel.branches import branches_of
from kfusion.kernel.model import Kernel
from kfusion.kernel.opened import names_left_open
from kfusion.kernel.read import read_kernels
from kfusion.kernel.surroundings import made_of
from kfusion.kernel.written_out import with_calls_written_out
from kfusion.parse.embedded import EmbeddedUnit, Program, read_programs
from kfusion.parse.files import Inputs
from kfusion.parse.syntax import is_name
from kfusion.parse.unit import Unit
from kfusion.source.lexer import Kind, names_in, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import SourceFile, bytes_of

NAMES = protection("host-joined-names", "programs are joined in which a name has two meanings")
TEXT = protection("host-joined-text", "programs are joined that read otherwise behind others")
PRAGMAS = protection("host-joined-pragmas", "pragmas of one program are in force in the next one")

ALIKE = protection("host-pins-alike", "kernels of one program are proved for different builds")
MOST = 8  # as the run time has it
_INCLUDING = ("include", "include_next", "import")
_NAMED = (c_ast.Struct, c_ast.Union, c_ast.Enum, c_ast.Enumerator)


def alike(row: ExpectedRow) -> ExpectedRow:
    """What the launches of a program are proved under holds for all of them: they may change
    places. A kernel of which options decide, and which no other one tells, may be any."""
    launches = row.prediction.launches
    pins: dict[Unit, dict[str, None]] = {}
    count = Counter(launch.invocation.kernel.program for launch in launches)
    for launch in launches:
        kernel = launch.invocation.kernel
        pins.setdefault(kernel.program, {}).update(dict.fromkeys(kernel.pins))
    if not any(pins.values()) or not is_on(ALIKE):
        return row
    found: list[PredictedLaunch] = []
    for launch in launches:
        kernel = launch.invocation.kernel
        own = tuple(pins[kernel.program])
        sure = kernel.sure and (not own or count[kernel.program] > 1)
        if (own, sure) != (kernel.pins, kernel.sure):
            kernel = replace(kernel, pins=own, sure=sure)
            launch = replace(launch, invocation=replace(launch.invocation, kernel=kernel))
        found.append(launch)
    return replace(row, prediction=replace(row.prediction, segments=(tuple(found),)))


def may_be_another(kernel: Kernel) -> bool:
    """In another build of the same text."""
    return not kernel.sure or bool(kernel.pins or kernel.open_macros or kernel.open_names)


class Joining:
    """Joins the programs of rows of launches; each set of programs once."""

    def __init__(self, inputs: Inputs, kernels: dict[str, Kernel], patience: float) -> None:
        self.inputs, self.kernels, self.patience = inputs, kernels, patience
        self._texts: dict[tuple[Unit, ...], EmbeddedUnit | None] = {}
        self._read: dict[Unit, dict[str, Kernel]] = {}

    def of_row(self, row: ExpectedRow) -> ExpectedRow:
        """The row with the kernels of texts of several programs."""
        launches = row.prediction.launches
        units = list(dict.fromkeys(launch.invocation.kernel.unit for launch in launches))
        found: dict[str, Kernel] = {}
        for some in self._classes(units):
            text = self.text_of(self._in_order(some)) if len(some) > 1 else None
            if text is not None:
                found |= self._kernels(text)
        segment = tuple(_of_text(launch, found) for launch in launches)
        return replace(row, prediction=replace(row.prediction, segments=(segment,)))

    def unit_of(self, programs: Sequence[Unit]) -> Unit | None:
        """Where a kernel of kernels of these stands, which are some of a row's; None: without the
        others they cannot be joined."""
        units = self._in_order(programs)
        if len(units) == 1:
            return units[0]
        text = self.text_of(units)
        return text.unit if text is not None else None

    def text_of(self, programs: tuple[Unit, ...]) -> EmbeddedUnit | None:
        """The text of these, in the order of the inputs, if they can be joined."""
        if programs not in self._texts:
            apart = any(one.apart.get(other) for one, other in combinations(programs, 2))
            self._texts[programs] = None if apart else self._joined(programs)
        return self._texts[programs]

    def with_texts(self, fused_in: Collection[Unit]) -> Inputs:
        """The inputs, and the texts that have fused kernels."""
        texts = [text for text in self._texts.values() if text and text.unit in fused_in]
        return replace(
            self.inputs,
            kernels=(*self.inputs.kernels, *(text.unit for text in texts)),
            embedded=(*self.inputs.embedded, *texts),
        )

    def _in_order(self, units: Collection[Unit]) -> tuple[Unit, ...]:
        return tuple(unit for unit in self.inputs.kernels if unit in units)

    def _classes(self, units: Sequence[Unit]) -> list[list[Unit]]:
        """Programs that are joined; if that can be, those whose launches follow one another."""
        found: list[list[Unit]] = []
        for unit in units:
            for other in units[: units.index(unit)]:
                self._compare(unit, other)
            for some in reversed(found):
                if len(some) < MOST and self.text_of(self._in_order([*some, unit])) is not None:
                    some.append(unit)
                    break
            else:
                found.append([unit])
        return found

    def _compare(self, one: Unit, other: Unit) -> None:
        if other not in one.apart:
            clashes = _clashes(one.before or one, other.before or other)
            reasons = (*self._changeable(one), *self._changeable(other), *clashes)
            one.apart[other] = other.apart[one] = next(iter(reasons), "")

    def _changeable(self, unit: Unit) -> Iterator[str]:
        """May the text mean something else in another build?"""
        name = unit.source.path.name
        pins = any(kernel.pins for kernel in self.kernels.values() if kernel.unit is unit)
        if left_open := names_left_open(unit):
            yield f"nothing in {name} declares '{min(left_open)}': build options may"
        if unit.opaque_types or pins:
            yield f"build options may change {name}"
        if any(_is_include(token.text) for token in tokenize(unit.source.text)):
            yield f"{name} includes a file"
        if "__COUNTER__" in unit.source.text:
            yield f"{name} has '__COUNTER__'"

    def _joined(self, units: tuple[Unit, ...]) -> EmbeddedUnit | None:
        data = joined_data([self._data(unit) for unit in units])
        name = " and ".join(unit.source.path.name for unit in units)
        parts = tuple(unit.source.written for unit in units)
        file = SourceFile(Path(name), "\n".join(part.text for part in parts), parts)
        how = replace(units[0].how, read=set())
        read = read_programs([Program(file, data, name, how, self._options(units))], ()).units
        written = tuple(unit.before or unit for unit in units)
        if read and _is_the_same(read[0].unit, written):
            text = replace(read[0], unit=with_calls_written_out(read[0].unit), parts=units)
            if self._has_pragmas(text):
                return text
        for one in units if len(units) == 2 else ():
            for other in units:
                one.apart[other] = "one behind the other they mean something else"
        return None

    def _kernels(self, text: EmbeddedUnit) -> dict[str, Kernel]:
        """Those of the text; each knows its own program."""
        if text.unit not in self._read:
            self._read[text.unit] = {
                name: replace(kernel, own=self.kernels[name].unit)
                for name, kernel in read_kernels(text.unit, self.patience).items()
            }
        return self._read[text.unit]

    def _has_pragmas(self, text: EmbeddedUnit) -> bool:
        """The same ones for each kernel."""
        kernels = self._kernels(text).items()
        same = all(kernel.pragmas == self.kernels[name].pragmas for name, kernel in kernels)
        return same or not is_on(PRAGMAS)

    def _data(self, unit: Unit) -> bytes:
        found = (each.data for each in self.inputs.embedded if each.unit is unit)
        return next(found, bytes_of(unit.source.written.text))

    def _options(self, units: tuple[Unit, ...]) -> tuple[str, ...] | None:
        """Those that all of them may be built with, as far as is known of each."""
        known = [each.options for each in self.inputs.embedded if each.unit in units]
        lists = [options for options in known if options is not None]
        if not lists:
            return None
        return tuple(one for one in lists[0] if all(one in others for others in lists))


def joined_data(texts: Sequence[bytes]) -> bytes:
    """As the run time does it."""
    return b"\n".join(texts)


def _of_text(launch: PredictedLaunch, kernels: dict[str, Kernel]) -> PredictedLaunch:
    kernel = kernels.get(launch.invocation.kernel.name)
    if kernel is None:
        return launch
    return replace(launch, invocation=replace(launch.invocation, kernel=kernel))


def _clashes(one: Unit, other: Unit) -> Iterator[str]:
    """Where a name has a meaning in one program, and stands in the other one."""
    if one.how.defines != other.how.defines:
        yield "they are built with different options"
    for unit, reader in ((one, other), (other, one)) if is_on(NAMES) else ():
        if both := _declared(unit) & _words(reader) - _of_one_text(unit, reader):
            where = f"{unit.source.path.name} declares '{min(both)}'"
            yield f"{where}, which stands in {reader.source.path.name}, too"
        defined = [each.name for each in branches_of(unit).definitions]
        for word in sorted(_words(reader)):
            if parts := made_of(word, defined):
                where = f"{unit.source.path.name} defines '{min(parts)}'"
                yield f"{where}, which '{word}' may be made of"


def _of_one_text(one: Unit, other: Unit) -> frozenset[str]:
    """Macros that both files define once, in any build, and alike: `#define TILE 16`."""
    ours, theirs = _defined_once(one), _defined_once(other)
    return frozenset(name for name, macro in ours.items() if theirs.get(name) == macro)


def _defined_once(unit: Unit) -> dict[str, object]:
    found: dict[str, object] = {}
    definitions = branches_of(unit).definitions
    times = Counter(definition.name for definition in definitions)
    declared = {node.name for node in unit.nodes[c_ast.Decl]}
    for each in definitions:
        macros = [macro for _, macro in unit.macros.history.get(each.name, ())]
        alone = times[each.name] == len(macros) == 1 and each.block is None
        if alone and macros[0] is not None and each.name not in declared:
            found[each.name] = macros[0].definition
    return found


def _is_the_same(text: Unit, units: tuple[Unit, ...]) -> bool:
    """Has the text the tokens of all, and what was taken out of them at the same places?"""
    words: list[str] = []
    notes: list[tuple[int, str]] = []
    for unit in units:
        notes += [(len(words) + note.index, note.text) for note in unit.notes]
        words += [token.text for token in unit.tokens]
    same = words == [token.text for token in text.tokens]
    return (same and notes == [(n.index, n.text) for n in text.notes]) or not is_on(TEXT)


def _is_include(directive: str) -> bool:
    """`#include`, also with comments and on several lines."""
    return next(iter(names_in(directive[1:])), "") in _INCLUDING


def _declared(unit: Unit) -> frozenset[str]:
    """What the file gives a meaning, for itself and what stands behind it."""
    nodes = [each.decl if isinstance(each, c_ast.FuncDef) else each for each in unit.ast.ext]
    nodes += [node for kind in _NAMED for node in unit.nodes.get(kind, ())]
    written = (node for node in nodes if unit.index(node) >= 0)  # the language has others
    names = (getattr(node, "name", None) for node in written)  # pragmas have none
    return frozenset(name for name in names if name) | unit.macros.in_file


def _words(unit: Unit) -> frozenset[str]:
    """All names that are written in the file, in its directives as well, or come from macros."""
    found = {token.text for token in unit.tokens if is_name(token.text)}
    for token in tokenize(unit.source.text):
        if token.kind is Kind.NAME:
            found.add(token.text)
        elif token.kind is Kind.DIRECTIVE:
            found.update(names_in(token.text[1:]))
    return frozenset(found)
