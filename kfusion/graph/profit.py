"""Does it pay? Budgets of ordinary devices; no question of right or wrong is asked here."""

from __future__ import annotations

from collections import Counter

from kfusion.graph.bind import Stage
from kfusion.graph.model import Memory, Scalar
from kfusion.kernel.model import Together
from kfusion.kernel.together import ALONE
from kfusion.kernel.types import size_of
from kfusion.source.diagnostics import Reason

PARAMETER_BYTES = 1024  # what every device takes (CL_DEVICE_MAX_PARAMETER_SIZE)
POINTER_BYTES = 8
CONSTANT_ARGUMENTS = 8
LOCAL_BYTES = 32768  # what every device has (CL_DEVICE_LOCAL_MEM_SIZE)
BUFFERS = 64  # each needs an address, and mostly a value, in registers


def over_budget(stages: list[Stage]) -> Reason | None:
    """Too much for one kernel on some device."""
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
    if size > PARAMETER_BYTES:
        return Reason(
            "KF223",
            f"the fused kernel would have {size} bytes of parameters; devices need take no more "
            f"than {PARAMETER_BYTES}",
            span,
        )
    if len(constant) > CONSTANT_ARGUMENTS:
        return Reason(
            "KF223",
            f"the fused kernel would have {len(constant)} constant arguments; devices need take "
            f"no more than {CONSTANT_ARGUMENTS}",
            span,
        )
    together = [s.invocation.kernel.together for s in stages]
    local = _local_bytes([each for each in together if each is not None])
    if local > LOCAL_BYTES:
        return Reason(
            "KF223",
            f"the fused kernel would have {local} bytes of local memory; devices need have no "
            f"more than {LOCAL_BYTES}",
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
    if len(memory) > BUFFERS:
        return Reason(
            "KF223",
            f"the fused kernel would work on {len(memory)} buffers, which would not fit in "
            "registers",
            span,
        )
    return None


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
