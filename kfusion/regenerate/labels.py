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

import re
from dataclasses import replace
from itertools import pairwise

from pycparser import c_ast

from kfusion.host.frames import Step
from kfusion.regenerate.hidden import jumps
from kfusion.regenerate.parts import Part, launches, sets_arguments
from kfusion.regenerate.pieces import CannotWriteError, Piece
from kfusion.regenerate.template import is_check
from kfusion.source.lexer import tokenize


def refuse_jumps(part: Part) -> None:
    """The label of an earlier call would stand behind the launch, with other variables."""
    for index in sorted(part.keep):
        targets = _jumps(part, part.steps[index])
        if targets:
            raise CannotWriteError(
                f"{part.run.function.name} jumps to '{targets[0]}' before another call",
                part.span(part.steps[index]),
            )


def keep_behind_label(part: Part) -> None:
    """Control falls into a label that is jumped to: all statements below it stay."""
    targets = _targets(part)
    labels = [n.name for s in part.steps for n in s.nodes[:1] if isinstance(n, c_ast.Label)]
    if not targets & set(labels):
        return
    nodes = [step.nodes[0] if step.nodes else None for step in part.steps]
    first = next(i for i, n in enumerate(nodes) if isinstance(n, c_ast.Label) and n.name in targets)
    for index, step in enumerate(part.steps[first:], first):
        if index not in part.keep and (sets_arguments(step) or launches(step)):
            raise CannotWriteError(
                f"{part.run.function.name} sets arguments behind a label", part.span(step)
            )
        part.keep.add(index)


def with_used_labels(parts: list[Part], pieces: list[list[Piece]]) -> list[list[Piece]]:
    """A label stays where something jumps to it; the statement behind it stays anyway."""
    result: list[list[Piece]] = []
    defined: list[str] = []
    for part, own in zip(parts, pieces, strict=True):
        targets = set().union(*(jumps(p.text, part.unit.macros) for p in own))
        result.append([_without_unused_labels(p, targets) for p in own])
        labels = [label for p in result[-1] for label in _labels_of(p.text)]
        defined += labels
        if not targets <= set(labels) or len(set(defined)) < len(defined):
            raise CannotWriteError(f"the labels in {part.run.function.name} cannot be kept")
    return result


def _without_unused_labels(piece: Piece, targets: set[str]) -> Piece:
    while match := re.match(r"([A-Za-z_]\w*):\s*", piece.text):
        if match.group(1) in targets or match.group(1) == "default":
            break
        piece = replace(piece, text=piece.text[match.end() :])
    return piece if piece.text != ";" else replace(piece, text="")


def _labels_of(text: str) -> list[str]:
    words = [";", *(t.text for t in tokenize(text))]
    return [
        b
        for a, b, c in zip(words, words[1:], words[2:], strict=False)
        if c == ":" and a in (";", "{", "}", ":", ")") and b != "default" and b.isidentifier()
    ]


def _targets(part: Part) -> set[str]:
    """Labels that what stays of the function may jump to."""
    return {
        target
        for index, step in enumerate(part.steps)
        if index in part.keep or sets_arguments(step) or is_check(step)
        for target in _jumps(part, step)
    }


def steps_behind_label(part: Part) -> list[Step]:
    """The statements at the function's end that are reached by jumps only."""
    end = max(step.last for step in part.steps)
    targets = _targets(part)
    missing = targets - _labels(part, part.steps[0].first, end)
    if not missing:
        return []
    body = part.run.function.function.body
    tail = [child for child in body.children if child.first > end]
    if not missing <= _labels(part, end + 1, body.last) or not tail or tail[0].kind != "label":
        raise CannotWriteError(
            f"{part.run.function.name} jumps into a block", part.span(part.steps[-1])
        )
    if not part.steps[-1].returns:
        raise CannotWriteError(
            f"{part.run.function.name} does not return before its labels", part.span(part.steps[-1])
        )
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
