"""A fused kernel as a value: its text, and what each parameter stands for."""

from __future__ import annotations

from kfusion.graph.model import Argument, Tiles
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason


@dataclass(frozen=True)
class FusedParameter:
    name: str
    text: str  # as it stands in the kernel: "__global const REAL *a"
    argument: Argument


@dataclass(frozen=True)
class FusedKernel:
    """`text` goes to the end of the file that holds the components."""

    name: str
    text: str  # from its comment to the closing brace, `#if`/`#endif` included
    parameters: tuple[FusedParameter, ...]
    pins: tuple[str, ...]  # preprocessor conditions that the text stands under
    elements: int = 1  # If more: one item does the work of several, and one more parameter,
    # the last, is how many items there would be otherwise.
    functions: tuple[str, ...] = ()  # that the text declares in front of the kernel
    tiles: Tiles | None = None  # If set: one more parameter, `const int`, for each dimension,
    # the last: the global size of the launches that it stands for.


class NotWrittenError(Exception):
    """The tokens of a kernel cannot be repeated in a fused one."""

    def __init__(self, kernel: str, reason: Reason) -> None:
        super().__init__(reason.message)
        self.kernel, self.reason = kernel, reason
