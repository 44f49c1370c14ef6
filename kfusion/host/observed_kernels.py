"""Kernels that have got an object as an argument: do they read it?"""

from __future__ import annotations

from collections.abc import Mapping

from kfusion.host.effects import SetArgument
from kfusion.host.frames import Frame
from kfusion.host.handles import HandleTable
from kfusion.host.observed_around import Around
from kfusion.host.predict_launches import fixed_kernels
from kfusion.host.symbolic import App, Entry, Num, Sym
from kfusion.kernel.model import Kernel


class KernelArguments:
    def __init__(self, around: Around, handles: HandleTable, kernels: Mapping[str, Kernel]) -> None:
        self.around, self.handles, self.kernels = around, handles, kernels
        self.fixed = fixed_kernels(around.function)

    def names(self, handle: Sym) -> frozenset[str]:
        """The kernels that a handle may stand for; none: it is not known."""
        if isinstance(handle, Entry) and not handle.place.path:
            root = handle.place.root
            if isinstance(root, App):
                return frozenset({self.fixed[root.name]} if root.name in self.fixed else ())
        outside = Frame(0, None, self.around.unit, dict(self.around.variables))
        return self.handles.kernel_names(handle, {0: outside})

    def may_read(self, effect: SetArgument) -> bool:
        """May a launch read what it gets as this argument?"""
        found = self.reads(effect)
        return found is None or found

    def reads(self, effect: SetArgument) -> bool | None:
        """None: it is not known."""
        names = self.names(effect.kernel)
        if not names or not isinstance(effect.index, Num):
            return None
        known = [self.kernels.get(name) for name in sorted(names)]
        found = {_reads(kernel, effect.index.value) for kernel in known}
        return found.pop() if len(found) == 1 else None


def _reads(kernel: Kernel | None, position: int) -> bool | None:
    if kernel is None or position >= len(kernel.parameters):
        return None
    return reads_parameter(kernel, position)


def reads_parameter(kernel: Kernel, position: int) -> bool:
    """May the kernel read the memory that it gets there?"""
    parameter = kernel.parameters[position].name
    modes = [access.mode for access in kernel.accesses if access.parameter == parameter]
    return bool(kernel.features) or any(mode.reads for mode in modes)
