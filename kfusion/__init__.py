"""Source-to-source fusion of OpenCL kernels."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kfusion.api import CheckError, Fused, Launch, fuse
    from kfusion.graph.model import LaunchRange
    from kfusion.graph.target import Target
    from kfusion.source.diagnostics import KFusionError

__version__ = "0.1.0"
_API = ("CheckError", "Fused", "Launch", "LaunchRange", "Target", "fuse")
__all__ = [
    "CheckError",
    "Fused",
    "KFusionError",
    "Launch",
    "LaunchRange",
    "Target",
    "__version__",
    "fuse",
]


def __getattr__(name: str) -> Any:
    """The Python API, imported when it is first used: the command does not need it."""
    if name == "KFusionError":
        from kfusion.source.diagnostics import KFusionError

        return KFusionError
    if name in _API:
        from kfusion import api

        return getattr(api, name)
    raise AttributeError(f"module 'kfusion' has no attribute '{name}'")
