"""A region that is executed again: does each execution treat an object as the first one did?

Where a store is left out, the next execution must not read what is missing. The kernels of one
pattern read only what they have written themselves. So it is enough that whatever is launched on
the object is the beginning of that row, with the same numbers each time.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.graph.model import Invocation, Scalar
from kfusion.host.alias import Memory, Written
from kfusion.host.effects import Assign
from kfusion.host.execute import Executor
from kfusion.host.frames import Frame
from kfusion.host.observed_around import Around
from kfusion.host.path_program import PathProgram
from kfusion.host.predict import Prediction, Predictions
from kfusion.host.predict_launches import PredictedLaunch
from kfusion.host.symbolic import (
    App,
    Entry,
    Literal,
    Num,
    Op,
    Phi,
    Place,
    State,
    Sym,
    Unknown,
    leaves,
)
from kfusion.kernel.forms import Comparison, Form

Use = tuple[object, ...]


class Rounds:
    """What differs between the executions of one region."""

    def __init__(
        self, around: Around, predicted: Predictions, memory: Memory, again: c_ast.Node
    ) -> None:
        self.around, self.predicted, self.memory = around, predicted, memory
        executor = Executor(PathProgram.of(around.program))
        executor.frames = [Frame(0, None, around.unit, dict(around.variables))]
        executor.application = executor.frame.variables
        executor.conditions = [executor.unknown()]
        state = State()
        after = executor.statement(again if again is around.body else again.stmt, state) or state
        for name in ("cond", "next"):
            part = getattr(again, name, None)
            if part is not None:
                executor.value(part, after)
        self.written = Written(memory, after)
        self.written.places += [e.place for e in executor.effects if isinstance(e, Assign)]
        if again is around.body:  # what runs again is not told by a loop
            self.written.places += [Place(App(name)) for name in around.declared_again]

    def are_alike(self, value: Sym, path: Prediction) -> bool:
        whole = self._uses(value, path)
        if whole is None:
            return False
        for other in self.predicted.paths:
            uses = self._uses(value, other)
            if uses is None or uses != whole[: len(uses)]:
                return False
        return True

    def _uses(self, value: Sym, path: Prediction) -> list[Use] | None:
        """The launches that get the object, in order; None: their numbers may change."""
        found: list[Use] = []
        for row in path.segments:
            for launch in row:
                if not self._is_used(value, launch.invocation, path):
                    continue
                use = self._use(launch, path)
                if use is None:
                    return None
                found.append(use)
        return found

    def _is_used(self, value: Sym, invocation: Invocation, path: Prediction) -> bool:
        """A launch whose arguments are not known may use anything."""
        return any(path.values.get(m.name) in (value, None) for m in invocation.memory)

    def _use(self, launch: PredictedLaunch, path: Prediction) -> Use | None:
        invocation = launch.invocation
        range_ = invocation.range
        fixed = range_.local is None or all(
            part.strip().isdigit() for part in range_.local.split(",")
        )
        if not fixed or range_.offset or not all(map(self._is_fixed, launch.size)):
            return None
        deciding = _deciding(invocation)
        arguments: list[object] = []
        for parameter, argument in zip(
            invocation.kernel.parameters, invocation.arguments, strict=True
        ):
            if not isinstance(argument, Scalar):
                arguments.append(argument.name)
                continue
            if deciding is not None and parameter.name not in deciding:
                continue
            number = path.values.get(argument.name)
            if number is None or not self._is_fixed(number):
                return None
            arguments.append(number)
        return (invocation.kernel.name, range_.key, range_.local, *arguments)

    def _is_fixed(self, value: Sym) -> bool:
        """Is the value the same each time?"""
        return not _has_choice(value) and all(
            isinstance(leaf, Num | Literal)
            or (isinstance(leaf, Entry) and not self._may_change(leaf))
            for leaf in leaves(value)
        )

    def _may_change(self, leaf: Entry) -> bool:
        return self.written.may_change(leaf.place)


def _has_choice(value: Sym) -> bool:
    if isinstance(value, Op):
        return any(map(_has_choice, value.args))
    return isinstance(value, Phi | Unknown)


def _deciding(invocation: Invocation) -> set[str] | None:
    """Scalars that decide which elements a kernel reads and writes; None: it may be any."""
    kernel = invocation.kernel
    found: set[str] = set()
    for access in kernel.accesses:
        if access.form is None:
            return None
        found |= _scalars(access.form)
        for fact in access.facts:
            found |= _scalars_of(fact)
    if kernel.features or any(access.conditional for access in kernel.accesses):
        return None
    real = ("float", "double", "half")
    scalars = [p for p in kernel.parameters if p.is_scalar]
    return found | {p.name for p in scalars if not p.canonical.startswith(real)}


def _scalars(form: Form) -> set[str]:
    return {value.name for value in form.scalars}


def _scalars_of(fact: Comparison) -> set[str]:
    forms = [part for part in vars(fact).values() if isinstance(part, Form)]
    return {name for form in forms for name in _scalars(form)}
