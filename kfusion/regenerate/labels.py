"""`goto fail;`: a function that jumps out keeps what stands behind the label.

    if (err != CL_SUCCESS)
        goto fail;
    return CL_SUCCESS;
fail:
    report(err);
    return err;

Every call succeeds in the execution that a fused function is made from, so that nothing
behind the last `return` is reached; the text needs it all the same.
"""

from __future__ import annotations

from itertools import pairwise

from pycparser import c_ast

from kfusion.host.expressions import Step
from kfusion.regenerate.parts import Part, sets_arguments
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.regenerate.template import is_check


def refuse_jumps(part: Part) -> None:
    """The label of an earlier call would stand behind the launch, with other variables."""
    for index in sorted(part.keep):
        targets = _jumps(part, part.steps[index])
        if targets:
            raise CannotWriteError(
                f"{part.run.function.name} jumps to '{targets[0]}' before another call"
            )


def steps_behind_label(part: Part) -> list[Step]:
    """The statements at the function's end that are reached by jumps only."""
    steps = [
        step
        for index, step in enumerate(part.steps)
        if index in part.keep or sets_arguments(step) or is_check(step)
    ]
    end = max(step.last for step in part.steps)
    targets = {target for step in steps for target in _jumps(part, step)}
    missing = targets - _labels(part, part.steps[0].first, end)
    if not missing:
        return []
    body = part.run.function.function.body
    tail = [child for child in body.children if child.first > end]
    if not missing <= _labels(part, end + 1, body.last) or not tail or tail[0].kind != "label":
        raise CannotWriteError(f"{part.run.function.name} jumps into a block")
    if not part.steps[-1].returns:
        raise CannotWriteError(f"{part.run.function.name} does not return before its labels")
    return [_step(part, child.first, child.last, child.kind) for child in tail]


def _step(part: Part, first: int, last: int, kind: str) -> Step:
    label = part.unit.tokens[first].text
    return Step([c_ast.Label(label, None)] if kind == "label" else [], first, last)


def _jumps(part: Part, step: Step) -> list[str]:
    """Labels that the statement jumps to, by macros too."""
    tokens = part.unit.tokens[step.first : step.last + 1]
    return [b.text for a, b in pairwise(tokens) if a.text == "goto"]


def _labels(part: Part, first: int, last: int) -> set[str]:
    tokens = part.unit.tokens[first : last + 2]
    found = zip(part.unit.tokens[first - 1 :], tokens, tokens[1:], strict=False)
    return {b.text for a, b, c in found if c.text == ":" and a.text in (";", "{", "}", ":")}
