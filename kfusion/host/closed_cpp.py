"""What is said of regions in C++ files: what they reach, and what is known of them."""

from __future__ import annotations

from dataclasses import replace

from kfusion.host.closed import CODE, Closedness
from kfusion.host.closed_files import unseen_calls
from kfusion.host.closed_tokens import closedness_of_tokens
from kfusion.host.program import HostProgram
from kfusion.host.region import CppRegion, require_used
from kfusion.source.diagnostics import Reason
from kfusion.source.lexer import Kind, tokenize
from kfusion.source.text import Span


def closedness_of_cpp(
    region: CppRegion, program: HostProgram, harmless: frozenset[str], settled: frozenset[str]
) -> Closedness:
    bindings = region.unit.bindings
    if bindings is None:
        block, unit = region.mark.block, region.unit
        found = closedness_of_tokens(region.plain, block, program, harmless, settled, unit)
        hidden = tuple(
            Reason(CODE, message, region.mark.annotation, help)
            for message, help in unseen_calls(unit, program, harmless)
        )
        return replace(found, opened=(*found.opened, *hidden))
    span = _of_bindings(region)
    reason = Reason(
        CODE,
        f"'{span.text}' is one of OpenCL's bindings for C++: files that are not given may share "
        "their functions"
        if span is not None
        else "this file includes OpenCL's bindings for C++: files that are not given may share "
        "their functions",
        span if span is not None else region.mark.annotation,
        "move the region into a file that does not include them, and call OpenCL's functions "
        "for C there",
        (("they are included here", bindings),),
    )
    return Closedness((reason,), frozenset())


def _of_bindings(region: CppRegion) -> Span | None:
    """`cl::Kernel` in the region."""
    tokens, block = tokenize(region.plain.text), region.mark.block
    for index, token in enumerate(tokens[:-3]):
        parts = [part.text for part in tokens[index : index + 3]]
        if block.start <= token.start < block.end and parts == ["cl", ":", ":"]:
            return Span(region.plain, token.start, tokens[index + 3].end)
    return None


def check_names(region: CppRegion) -> None:
    tokens = tokenize(region.mark.block.text)
    require_used(region, {token.text for token in tokens if token.kind is Kind.NAME})


def nothing_told(region: CppRegion) -> Reason:
    return Reason(
        "KF242",
        "nothing says what this region of C++ launches",
        region.mark.annotation,
        "list it behind the annotation, runs(square(t, a), add(c, t, b)), or let the program "
        "record it: kfusion --for-recording, then --recorded",
    )
