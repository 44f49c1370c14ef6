"""What devices have: a fused kernel that needs more of it would be slower than several."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any

from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error, nearest


@dataclass(frozen=True)
class Target:
    """Unless it says otherwise: what every device of OpenCL's full profile has."""

    name: str = "any"
    levels: int = 7  # that a kernel computes again: with more, tiles are mostly halo
    parameter_bytes: int = 1024  # CL_DEVICE_MAX_PARAMETER_SIZE
    constant_arguments: int = 8  # CL_DEVICE_MAX_CONSTANT_ARGS
    local_bytes: int = 32768  # CL_DEVICE_LOCAL_MEM_SIZE
    read_images: int = 128  # CL_DEVICE_MAX_READ_IMAGE_ARGS
    write_images: int = 8  # CL_DEVICE_MAX_WRITE_IMAGE_ARGS
    samplers: int = 16  # CL_DEVICE_MAX_SAMPLERS
    registers: int = 255  # of 32 bits for each work-item; no query of OpenCL tells them
    elements: int = 1  # that a work-item computes one after another, where it may
    whole_groups: int = 0  # 1: whether an item is in bounds is asked of its whole group first
    local_copies: int = 1  # 0: a few values are read where they are, not copied to local memory
    unrolled: int = 0  # rounds of loops, if their number is known, that become statements
    # As many loads of what neighbouring items load, too, cost as much as one from memory; 0:
    # nothing is computed again for neighbours.
    near: int = 4
    # Columns of a strip through which one item walks alone, where items read what neighbours make,
    # and rows; 0: every item is one of its own.
    strip: int = 0
    rows: int = 64
    # Bytes of a row that an item of a group does that marches down a strip, if groups do: then
    # they are of `marchers` items, or twice as many, and the device should have `marches` of them.
    # In three dimensions they are of four times as many, half of `marchers` side by side, and an
    # item does rows one below the other, half as many bytes of a column, or as many where else
    # much of what it does would be for neighbours.
    march: int = 0
    marchers: int = 64
    marches: int = 1584  # twelve for each unit of a large device
    launches: int = 1 << 20  # that become one kernel, at most
    pauses: int = 0  # operations behind a loop, if items are to wait in between; 0: never

    @property
    def has(self) -> str:
        """Before a number, in messages."""
        return "devices need have no more than" if self._is_any else "the target has"

    @property
    def takes(self) -> str:
        any_ = self._is_any
        return "devices need take no more than" if any_ else "the target takes no more than"

    @property
    def _is_any(self) -> bool:
        return replace(self, near=ANY.near) == ANY  # which is no question of what devices have


ANY = Target()
_TARGETS = (
    ANY,
    # What is asked of a whole group is asked outside of the loop over its items, which then
    # is computed on vectors.
    # Its local memory is like any other, and what would be copied stays in caches.
    # Left alone, a short loop stands in the way of all that is done with the one over items.
    # To wait gains a sixth with 116 operations behind the loops of a convolution; with 40 it
    # loses a tenth.
    Target("cpu", whole_groups=1, local_copies=0, unrolled=32, near=1, pauses=64, strip=256),
    # All that is taken for granted of GPUs is that their groups have registers to march with.
    Target("gpu", march=16),
    # What NVIDIA's OpenCL tells of its devices since compute capability 7.0.
    # With four floats for each item, kernels that only move data reach its full bandwidth.
    # The first level of its cache is as near as local memory, and needs no waiting.
    Target(
        "nvidia",
        parameter_bytes=4352,
        constant_arguments=9,
        local_bytes=49152,
        read_images=256,
        write_images=32,
        samplers=32,
        elements=4,
        local_copies=0,
        near=8,
        march=16,
    ),
)
TARGETS = {target.name: target for target in _TARGETS}
BUDGETS = tuple(f.name.replace("_", "-") for f in fields(Target) if f.name != "name")


AUTO = "auto"
CLASSES = {"cpu": 2, "gpu": 4}  # of devices that kernels are made for with `auto`: their types


Numbers = Mapping[str, int]  # of a target, by the names of its fields
Tuned = Mapping[str, Numbers]  # by regions


@dataclass(frozen=True)
class Targets:
    """What kernels are made for: one target, or each class of devices."""

    each: tuple[Target, ...] = (ANY,)
    tuned: Mapping[str, Tuned] = field(default_factory=dict)  # by names of targets
    # In place of them, where neighbours would have values computed again: what pays is another
    # thing for each class.
    near: tuple[Target, ...] = ()

    def of(self, region: str) -> tuple[Target, ...]:
        own = [(each, self.tuned.get(each.name, {}).get(region, {})) for each in self.each]
        return tuple(replace(each, **numbers) for each, numbers in own)  # type: ignore[arg-type]


def targets_of(
    name: str, budgets: Sequence[str], tuned: Mapping[str, Tuned] | None = None
) -> Targets:
    """`budgets` are texts like `local-bytes=65536`, and count more than what is tuned. Of several
    targets those have it in which it is more than 0: no CPU marches."""
    given = _numbers(budgets)
    tuned = {
        target: {
            region: {k: n for k, n in numbers.items() if k not in given}
            for region, numbers in regions.items()
        }
        for target, regions in (tuned or {}).items()
    }
    if name != AUTO:
        return Targets((replace(TARGETS[name], **given),), tuned)  # type: ignore[arg-type]
    each = [TARGETS[name] for name in CLASSES]
    found = ({k: n for k, n in given.items() if getattr(target, k)} for target in each)
    pairs = zip(each, found, strict=True)
    return Targets(tuple(replace(t, **has) for t, has in pairs), tuned)  # type: ignore[arg-type]


def target_of(device: Any, targets: Targets | None = None) -> Target:
    """The one of `auto` for a device of pyopencl's."""
    targets = targets or targets_of(AUTO, ())
    classes = targets.near or targets.each
    found = next((target for target in classes if device.type & CLASSES[target.name]), ANY)
    return replace(found, local_bytes=min(found.local_bytes, device.local_mem_size))


def _numbers(budgets: Sequence[str]) -> dict[str, int]:
    given: dict[str, int] = {}
    for budget in budgets:
        key, _, number = budget.partition("=")
        if key not in BUDGETS or not re.fullmatch(r"[0-9]{1,9}", number):
            near = nearest(key, BUDGETS) if key not in BUDGETS else None
            help = f"did you mean {near}?" if near else "the names are " + ", ".join(BUDGETS)
            raise error("KF100", "--budget wants NAME=NUMBER", help=help, argument=budget)
        given[key.replace("-", "_")] = int(number)
    return given
