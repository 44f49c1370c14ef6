"""Work that is begun now and asked for later: other programs run meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import BoundedSemaphore, Thread
from typing import Generic, TypeVar

T = TypeVar("T")
_slots = BoundedSemaphore(max(2, os.cpu_count() or 2))


class Later(Generic[T]):
    """`work` runs in a thread of its own; `result` waits for what it returns or raises."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        with _slots:
            try:
                self._results.append(self._work())
            except BaseException as failure:  # noqa: BLE001 - raised where it is asked for
                self._failure = failure

    def result(self) -> T:
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        return self._results[0]
