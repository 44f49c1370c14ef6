"""Which text a group gets: one kernel, and the functions that it calls.

Macros stay where they mean the same at the end of the file as where their kernel stands; else they
are written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from kfusion.graph.again import functions_of
from kfusion.graph.bind import Stage
from kfusion.graph.model import Group, Invocation
from kfusion.graph.plan import equalities_of, values_of
from kfusion.kernel.surroundings import macros_of
from kfusion.parse.expand import expanded_at_end, words_of
from kfusion.parse.opencl import one_spelling
from kfusion.source.diagnostics import Reason
from kfusion.source.lexer import tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span
from kfusion.synthesis.again import (
    Function,
)
from kfusion.synthesis.functions import FunctionWriter
from kfusion.synthesis.model import FusedKernel, NotWrittenError
from kfusion.synthesis.names import Names, file_names
from kfusion.synthesis.walk import written_in_rows
from kfusion.synthesis.writer import Writer, parameters_of_memory

SAME_TOKENS = protection("same-tokens", "macros give the same tokens in a fused kernel")
_LONGEST_NAME = 60


def kernel_name(members: Sequence[Invocation], taken: Iterable[str]) -> str:
    """A readable name for the fused kernel that is not among `taken`."""
    names = list(dict.fromkeys(member.kernel.name for member in members))
    joined = "_".join(names)
    if len(joined) > _LONGEST_NAME:
        joined = f"{names[0]}_to_{names[-1]}"
    reserved = Names([*taken, *file_names(members[0].kernel.unit)])
    return reserved.new(joined, f"{joined}_fused")


def synthesise(
    group: Group,
    invocations: Sequence[Invocation],
    name: str,
    *,
    exact: bool = False,
    taken: Iterable[str] = (),
) -> FusedKernel:
    """One kernel for the group; `invocations` are those of the whole region.

    `exact`: no compiler can contract operations of two stages to one (a*b, then + c).
    `taken`: names that other fused kernels of the file have given to functions.
    """
    stages, values = values_of(group, invocations)
    equalities = equalities_of(group, stages)
    of_functions = functions_of(stages, equalities, group.again, values)

    taken = frozenset(taken)

    def written(*, out: bool) -> tuple[Writer, FusedKernel]:
        if group.tiles is not None:
            return written_in_rows(
                stages,
                values,
                equalities,
                name,
                group,
                exact,
                of_functions,
                written_out=out,
                taken=taken,
            )
        functions: dict[tuple[int, str], Function] = {}
        for (producer, memory), found in sorted(of_functions.items(), key=lambda item: item[0]):
            one = FunctionWriter(
                stages,
                found,
                equalities,
                name,
                group,
                exact,
                functions,
                (producer, memory),
                written_out=out,
                taken=taken,
            )
            outside = any(
                each.outside
                for each in group.again
                if (each.producer, each.memory) == (producer, memory)
            )
            functions[producer, memory] = one.function(outside=outside)
        given = (p for function in functions.values() for p in function.parameters)
        shown = {each.parameter.argument.name for each in given}
        alike = {n: b for n, b in parameters_of_memory(stages).items() if n in shown}
        writer = Writer(
            stages,
            values,
            equalities,
            name,
            group,
            exact,
            functions,
            alike,
            written_out=out,
            taken=taken,
        )
        return writer, writer.kernel()

    writer, kernel = written(out=False)
    if not writer.calls_macros or not is_on(SAME_TOKENS):
        return kernel
    plain, without_macros = written(out=True)
    here, there = expanded_at_end(writer.unit, [writer.all_bodies, plain.all_bodies])
    if here is not None and one_spelling(here) == one_spelling(words_of(plain.all_bodies)):
        return kernel
    _require_lasting(stages)
    if here is not None and there is not None and one_spelling(here) == one_spelling(there):
        return kernel
    _require_settled(stages)
    return without_macros


def _require_settled(stages: Sequence[Stage]) -> None:
    """No build makes another thing of what is written out; a type by itself is not."""
    for stage in stages:
        kernel = stage.invocation.kernel
        unit, body = kernel.unit, kernel.function.body
        for token, following in pairwise(unit.tokens[body.first : body.last]):
            if token.macro is None or token.macro != following.macro:
                continue
            names = [word.text for word in tokenize(" " + unit.source.text[slice(*token.macro)])]
            used = macros_of(unit, names)
            pastes = any(m and "##" in m.body for n in used for _, m in unit.macros.history[n])
            for macro in sorted(kernel.open_macros & (kernel.open_macros if pastes else used)):
                message = (
                    f"the macro '{macro}' in {kernel.name}() depends on build options, so what it "
                    "stands for cannot be written out"
                )
                reason = Reason("KF216", message, Span(unit.source, *token.macro))
                raise NotWrittenError(kernel.name, reason)


def _require_lasting(stages: Sequence[Stage]) -> None:
    """What macros stand for must be no macros again: it is written out."""
    for stage in stages:
        kernel = stage.invocation.kernel
        unit, body = kernel.unit, kernel.function.body
        for index in range(body.first, body.last):
            token = unit.tokens[index]
            if token.macro is not None and unit.macros.at_end(token.text) is not None:
                message = (
                    f"the macro '{token.text}' in {kernel.name}() gives its own name, so what it "
                    "stands for cannot be written out"
                )
                reason = Reason("KF216", message, Span(unit.source, *token.macro))
                raise NotWrittenError(kernel.name, reason)
