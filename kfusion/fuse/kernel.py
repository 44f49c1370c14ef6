"""The text of a fused kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kfusion.fuse.model import FusedKernel
from kfusion.graph.model import Group, Invocation


def kernel_name(members: Sequence[Invocation], taken: Iterable[str]) -> str:
    """A readable name for the fused kernel that is not among `taken`."""
    raise NotImplementedError(members, taken)


def synthesise(group: Group, invocations: Sequence[Invocation], name: str) -> FusedKernel:
    """One kernel for the group; `invocations` are those of the whole region."""
    raise NotImplementedError(group, invocations, name)
