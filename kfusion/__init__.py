"""Source-to-source fusion of OpenCL kernels."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kfusion.api import CheckError, Fused, fuse
    from kfusion.graph.model import LaunchRange
    from kfusion.graph.target import Target

__version__ = "0.1.0"
__all__ = ["CheckError", "Fused", "LaunchRange", "Target", "__version__", "fuse"]


def __getattr__(name: str) -> Any:
    """The Python API, imported when it is first used: the command does not need it."""
    if name in ("CheckError", "Fused", "LaunchRange", "Target", "fuse"):
        from kfusion import api

        return getattr(api, name)
    raise AttributeError(f"module 'kfusion' has no attribute '{name}'")
