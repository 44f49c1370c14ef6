"""Source-to-source fusion of OpenCL kernels."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kfusion.api import Fused, Launch, fuse
    from kfusion.checks import CheckError
    from kfusion.device.fusing import Region, fusing
    from kfusion.graph.model import LaunchRange
    from kfusion.graph.target import TARGETS, Target
    from kfusion.source.diagnostics import KFusionError

__version__ = "0.1.0"
_PLACES = {
    "CheckError": "checks",
    "Fused": "api",
    "KFusionError": "source.diagnostics",
    "Launch": "api",
    "LaunchRange": "graph.model",
    "TARGETS": "graph.target",
    "Region": "device.fusing",
    "Target": "graph.target",
    "fuse": "api",
    "fusing": "device.fusing",
}
__all__ = [
    "TARGETS",
    "CheckError",
    "Fused",
    "KFusionError",
    "Launch",
    "LaunchRange",
    "Region",
    "Target",
    "__version__",
    "fuse",
    "fusing",
]

if not TYPE_CHECKING:  # type checkers shall know no other names

    def __getattr__(name: str) -> Any:
        """The Python API, imported when it is first used: the command does not need it."""
        if name in _PLACES:
            found = getattr(import_module(f"kfusion.{_PLACES[name]}"), name)
            return globals().setdefault(name, found)
        raise AttributeError(f"module 'kfusion' has no attribute '{name}'")
