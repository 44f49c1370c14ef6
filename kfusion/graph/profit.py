"""Does it pay? What the target has; no question of right or wrong is asked here."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

from kfusion.graph.bind import Stage
from kfusion.graph.model import Memory, Scalar
from kfusion.graph.target import Target
from kfusion.kernel.forms import Form
from kfusion.kernel.model import Together
from kfusion.kernel.together import ALONE
from kfusion.kernel.types import size_of
from kfusion.source.diagnostics import Reason

POINTER_BYTES = 8
REGISTER_BYTES = 4
OWN_REGISTERS = 32  # for ids, addresses and what one statement computes


def over_budget(stages: list[Stage], target: Target) -> Reason | None:
    """Too much for one kernel on the target."""
    memory: set[str] = set()
    scalars: dict[tuple[str, str], int] = {}
    constant: set[str] = set()
    for stage in stages:
        kernel = stage.invocation.kernel
        for parameter, argument in zip(kernel.parameters, stage.invocation.arguments, strict=True):
            if isinstance(argument, Memory):
                memory.add(argument.name)
                if parameter.space == "constant":
                    constant.add(argument.name)
            elif isinstance(argument, Scalar):
                scalars[argument.name, parameter.canonical] = size_of(parameter.canonical)
    size = POINTER_BYTES * len(memory) + sum(scalars.values())
    span = stages[-1].invocation.span
    if len(stages) > target.launches:
        return Reason(
            "KF223",
            f"the fused kernel would do {len(stages)} launches; {target.takes} {target.launches}",
            span,
        )
    if size > target.parameter_bytes:
        return Reason(
            "KF223",
            f"the fused kernel would have {size} bytes of parameters; {target.takes} "
            f"{target.parameter_bytes}",
            span,
        )
    if len(constant) > target.constant_arguments:
        return Reason(
            "KF223",
            f"the fused kernel would have {len(constant)} constant arguments; {target.takes} "
            f"{target.constant_arguments}",
            span,
        )
    together = [s.invocation.kernel.together for s in stages]
    local = _local_bytes([each for each in together if each is not None])
    if local > target.local_bytes:
        return Reason(
            "KF223",
            f"the fused kernel would have {local} bytes of local memory; {target.has} "
            f"{target.local_bytes}",
            span,
        )
    users = [s.kernel_name for s in stages if s.invocation.kernel.together is not None]
    if len(users) > 1 and any(each is not None and each.sized_by_host for each in together):
        return Reason(
            "KF223",
            f"{users[0]}() and {users[1]}() both have local memory, and "
            "how much is known at run time only",
            span,
            help="declare the local arrays in the kernels, with constant sizes",
        )
    registers = OWN_REGISTERS + max(_live(stages))
    if registers > target.registers:
        return Reason(
            "KF223",
            f"the fused kernel would keep its values in about {registers} registers; "
            f"{target.has} {target.registers}",
            span,
        )
    return None


def _live(stages: list[Stage]) -> list[int]:
    """For each stage, how many registers hold what it shares with others, or others share.

    An element that several stages touch lives from the first of them to the last.
    """
    uses: dict[tuple[str, Form], list[int]] = {}
    sizes: dict[tuple[str, Form], int] = {}
    for number, stage in enumerate(stages):
        for access in stage.accesses:
            if access.form is not None and not access.form.in_loop:
                key = access.memory.name, access.form
                uses.setdefault(key, []).append(number)
                sizes[key] = -(-size_of(access.type) // REGISTER_BYTES)
    changes = [0] * (len(stages) + 1)
    for key, users in uses.items():
        changes[users[0]] += sizes[key]
        changes[users[-1] + 1] -= sizes[key]
    return list(accumulate(changes))


def _local_bytes(together: list[Together]) -> int:
    """Arrays of one shape take each other's place from stage to stage (synthesis/storage.py)."""
    if any(each.copies for each in together):
        return sum(each.local_bytes for each in together)
    most: dict[tuple[str, int], int] = {}
    for number, each in enumerate(together):
        for (shape, size), count in Counter(each.shapes.values()).items():
            key = (f"{number} {shape}" if shape.startswith(ALONE) else shape, size)
            most[key] = max(most.get(key, 0), count)
    return sum(size * count for (_, size), count in most.items())
