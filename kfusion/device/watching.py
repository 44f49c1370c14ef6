"""Lets blocks of `fusing` see what a program does through PyOpenCL.

Whatever a program calls, the commands of PyOpenCL end in functions of its module `_cl`, and the
arguments of kernels in methods of `_cl.Kernel`. All of these are looked up when they are called. So
they are replaced there, once, by functions that ask the blocks first, and do what they always did.
While no block is entered, they ask nobody.

A program may have kept such a function under a name of its own (`from pyopencl import
wait_for_events`): names of modules are found, and get the new function, too. If something else
holds one, also as a method of an object (`finish = queue.finish`), the number of references shows
it: `held()` tells its name, and blocks note nothing.
"""

from __future__ import annotations

import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set, ValuesView
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any, ClassVar, Protocol

import pyopencl as cl
from pyopencl import _cl

Function = Callable[..., Any]

# Methods that end, or wait for, what launches that are held back may use.
_METHODS = {
    "CommandQueue": ("finish", "flush", "_finalize"),
    "Event": ("wait",),
    "MemoryObject": ("release",),
    "MemoryMap": ("release",),
    "PooledBuffer": ("release", "bind_to_queue", "unbind_from_queue"),
    "PooledSVM": ("release", "enqueue_release", "bind_to_queue", "unbind_from_queue"),
    "SVMAllocation": ("release", "enqueue_release", "bind_to_queue", "unbind_from_queue"),
}
_BUILDS = "_build", "compile", "link"
_NO_ARGUMENTS = ("set_args", "set_arg_types")  # they call the others

UNKNOWN = object()  # the value of an argument that is not understood

Values = dict[int, Any]  # of arguments, by their numbers


class Watcher(Protocol):
    """A block that is entered."""

    thread: int
    queue: cl.CommandQueue

    def settle(self, why: str) -> None: ...

    def leave(self, why: str) -> None:
        """Settle, and note nothing any more."""

    def set_arguments(self, kernel: cl.Kernel, values: Values | None) -> None:
        """None: they may be anything."""

    def note(self, *launch: Any, **more: Any) -> Any:
        """What stands for the event; None: the launch has to be made."""


watchers: list[Watcher] = []  # the innermost last
lock = threading.RLock()
_originals: dict[str, Function] = {}
_methods: dict[str, Function] = {}  # the original ones; an object may have bound one
_probes: list[Function] = []
_PROBE, _LAUNCH_PROBE = "", "launch"
_local = threading.local()
built_again: list[Callable[[Any], None]] = []  # to be told of programs, before they are built


class NotedEvent:
    """Stands for the event of a launch that is held back. Whatever is asked of it settles."""

    __slots__ = "_event", "_region"
    alive: ClassVar = [0]

    def __init__(self, region: Watcher) -> None:
        self.alive[0] += 1
        self._region = region
        self._event: Any = None

    def __del__(self) -> None:
        self.alive[0] -= 1

    @property
    def is_made(self) -> bool:
        return self._event is not None

    def become(self, event: cl.Event) -> None:
        self._event = event

    def real(self) -> cl.Event:
        if self._event is None:
            with lock:
                self._region.settle("an event is asked for")
        if self._event is None:
            raise RuntimeError("this event's launch has failed")
        event: cl.Event = self._event
        return event

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """For isinstance()."""
        return cl.Event

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real(), name)

    def __eq__(self, other: object) -> bool:
        return self.real() == (other.real() if type(other) is NotedEvent else other)

    def __hash__(self) -> int:
        return hash(self.real())


@contextmanager
def unseen() -> Iterator[None]:
    """What this thread does is nobody's business: a block makes launches."""
    before, _local.unseen = getattr(_local, "unseen", False), True
    try:
        yield
    finally:
        _local.unseen = before


def _is_idle() -> bool:
    return not (watchers or NotedEvent.alive[0]) or getattr(_local, "unseen", False)


def reached(queue: object) -> list[Watcher]:
    """Blocks of this thread, and those of other threads on the same queue."""
    here = threading.get_ident()
    on_queue = isinstance(queue, cl.CommandQueue)
    return [w for w in watchers if w.thread == here or (on_queue and w.queue == queue)]


_COLLECTIONS = (list, tuple, Set, ValuesView, Mapping, deque)


def _real(value: Any) -> Any:
    if type(value) is NotedEvent:
        return value.real()
    if isinstance(value, Iterator) or str(getattr(value, "dtype", "")) == "object":
        value = list(value)  # of an iterator there is one go
    if isinstance(value, _COLLECTIONS) and any(type(each) is NotedEvent for each in value):
        return [_real(each) for each in value]
    return value


def _settling(name: str, function: Function) -> Function:
    def settled(*args: Any, **kwargs: Any) -> Any:
        if not _is_idle():
            with lock:
                for watcher in reached(args[0] if args else kwargs.get("queue")):
                    # What has no handle any more cannot be told from what gets the handle next.
                    told = watcher.leave if name == "release" else watcher.settle
                    told(name.lstrip("_"))
            args = tuple(map(_real, args))
            kwargs = {key: _real(value) for key, value in kwargs.items()}
        return function(*args, **kwargs)

    return _like(function, settled)


def _like(function: Function, made: Function) -> Function:
    update_wrapper(made, function)
    del vars(made)["__wrapped__"]  # nobody gets the original function there
    return made


def _launching(name: str, function: Function) -> Function:
    settled = _settling(name, function)

    def launch(*args: Any, **kwargs: Any) -> Any:
        if _is_idle():
            return function(*args, **kwargs)
        with lock:
            here = threading.get_ident()
            mine = None
            for watcher in watchers:
                mine = watcher if watcher.thread == here else mine
            if len(watchers) > 1 or mine is None:
                for other in reached(args[0] if args else kwargs.get("queue")):
                    if other is not mine:
                        other.settle("a launch of another block or thread")
            event = mine.note(*args, **kwargs) if mine is not None else None
        return settled(*args, **kwargs) if event is None else event

    return _like(function, launch)


def _building(name: str, function: Function) -> Function:
    def build(program: Any, *args: Any, **kwargs: Any) -> Any:
        with lock:
            for tell in built_again:
                tell(program)
        return function(program, *args, **kwargs)

    return _settling(name, _like(function, build))


def _setting(name: str, function: Function) -> Function:
    read = _READERS.get(name)

    def set_arguments(kernel: cl.Kernel, *args: Any, **kwargs: Any) -> Any:
        result = function(kernel, *args, **kwargs)
        if not _is_idle():
            try:
                values = read(*args) if read is not None and not kwargs else None
            except (TypeError, ValueError, struct.error):
                values = None
            with lock:
                here = threading.get_ident()
                for watcher in watchers:
                    watcher.set_arguments(kernel, values if watcher.thread == here else None)
        return result

    return _like(function, set_arguments)


_OBJECTS = cl.MemoryObjectHolder, cl.LocalMemory, cl.Sampler
_OTHERS = type(None), cl.SVMPointer, cl.CommandQueue


def _value(argument: Any) -> Any:
    """What an argument is from now on: numbers and structures are copied, as OpenCL does."""
    if isinstance(argument, _OBJECTS):
        return argument
    if isinstance(argument, _OTHERS):
        return UNKNOWN
    return bytes(memoryview(argument))


def _pairs(listed: Any) -> Values:
    pairs = zip(listed[::2], listed[1::2], strict=True)
    return {i: value if type(value) is cl.Buffer else _value(value) for i, value in pairs}


def _triples(listed: Any) -> Values:
    found = range(0, len(listed), 3)
    return {listed[i]: struct.pack(listed[i + 1], listed[i + 2]) for i in found}


_READERS: dict[str, Callable[..., Values]] = {
    "set_arg": lambda index, argument: {index: _value(argument)},
    "_set_arg_buf": lambda index, argument: {index: _value(argument)},
    "_set_arg_multi": _pairs,
    "_set_arg_buf_multi": _pairs,
    "_set_arg_buf_pack_multi": _triples,
}


def _handle(get: Function) -> property:
    """Who asks for a queue's handle may do anything with it."""

    def int_ptr(queue: cl.CommandQueue) -> Any:
        if not _is_idle():
            with lock:
                for watcher in reached(queue):
                    watcher.leave("the handle of a queue is asked for")
        return get(queue)

    return property(int_ptr, doc=cl.CommandQueue.int_ptr.__doc__)


def launch(queue: Any, kernel: Any, arguments: Sequence[Any], at: Sequence[Any]) -> cl.Event:
    """As PyOpenCL does it, and no block sees it. `at`: the size, the local size, the offset."""
    numbered = [each for pair in enumerate(arguments) for each in pair]
    _methods["Kernel._set_arg_multi"](kernel, tuple(numbered))
    event: cl.Event = _originals["enqueue_nd_range_kernel"](queue, kernel, *at)
    return event


def watch() -> None:
    """Replace the functions, the first time."""
    with lock:
        if _originals:
            return
        functions = {n: f for n, f in vars(_cl).items() if not isinstance(f, type)}
        called = {n: f for n, f in functions.items() if "enqueue" in n or n == "wait_for_events"}
        _originals.update(called)
        del functions, called
        for kind, names in _METHODS.items():
            for name in names:
                _replace_method(getattr(_cl, kind, None), name, _settling)
        for name in _BUILDS:
            _replace_method(vars(_cl)["_Program"], name, _building)
        for name in list(vars(cl.Kernel)):
            if name.startswith(("set_arg", "_set_arg")) and name not in _NO_ARGUMENTS:
                _replace_method(cl.Kernel, name, _setting)
        get = cl.CommandQueue.int_ptr.fget  # type: ignore[attr-defined]
        cl.CommandQueue.int_ptr = _handle(get)  # type: ignore[assignment]
        _replace_functions()


def _replace_method(kind: Any, name: str, made: Callable[[str, Function], Function]) -> None:
    function = vars(kind).get(name) if kind is not None else None
    if callable(function):
        setattr(kind, name, made(name, function))
        _methods[f"{kind.__name__}.{name}"] = function


def _replace_functions() -> None:
    """Under all names that modules have for them."""
    new: dict[int, Function] = {}
    for name, function in _originals.items():
        made = _launching if name == "enqueue_nd_range_kernel" else _settling
        new[id(function)] = made(name, function)
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in new:
                setattr(module, name, new[id(value)])
    # Nobody else can have these two: so many references a function has that nobody has kept.
    for name, made in (_PROBE, _settling), (_LAUNCH_PROBE, _launching):
        _originals[name] = probe = lambda: None
        _probes.append(made(name, probe))


def held() -> str:
    """A function that something else than a module has kept from before; "": there is none."""
    if not _probes:
        return ""
    kept = {**_methods, **_originals}
    counts = {name: sys.getrefcount(function) for name, function in kept.items()}
    for name, count in counts.items():
        probe = _LAUNCH_PROBE if name == "enqueue_nd_range_kernel" else _PROBE
        if count > counts[probe] and name != _LAUNCH_PROBE:
            return name
    _probes.clear()  # and nobody can get one any more
    return ""
