"""What calls of OpenCL do: launches, transfers, objects that are made and released.

Every call succeeds. What it does to memory on the host goes into the state; everything else is
recorded.
"""

from __future__ import annotations

import re
from abc import abstractmethod

from kfusion.host import calls
from kfusion.host.equality import strip
from kfusion.host.expressions import Expressions
from kfusion.host.record import Launch, SetArgument
from kfusion.host.symbolic import FALSE, Literal, Made, Num, Op, Place, Ref, Sym

_USE_HOST_POINTER = 1 << 3
_WITH_FLAGS = ("clCreateBuffer", "clCreateImage", "clCreateImage2D", "clCreateImage3D")


class Commands(Expressions):
    """Effects of the OpenCL API on an execution."""

    def opencl(self, name: str, args: list[Sym]) -> Sym:
        if name in ("clSetKernelArgSVMPointer", "clSetKernelExecInfo") and args:
            self.shared.add(args[0])
        if name == "clSetKernelArg" and len(args) == 4:
            self.set_argument(self._argument(args))
        elif name == "clEnqueueNDRangeKernel" and len(args) == 9:
            self._launch(args)
        elif name == "clEnqueueTask" and len(args) == 5:
            one = Num(1)
            self.launch(Launch(args[0], args[1], one, None, (one,), (one,), name))
        elif name == "clCreateKernel" and len(args) == 3:
            self._succeed(args[-1])
            text = args[1].text if isinstance(args[1], Literal) else ""
            return Made("kernel", 0 if text else next(self.fresh), text.strip('"'))
        elif name in calls.CREATES:
            return self._made(name, args)
        elif name in calls.TRANSFERS:
            self._transfer(name, args)
            return FALSE if "Map" not in name or "Unmap" in name else self.unknown()
        elif name in calls.RELEASES:
            self.release(name, args[0] if args else FALSE)
        elif name in calls.RETAINS:
            self.retain(name, args[0] if args else FALSE)
        elif name in calls.SYNCHRONISES:
            self.synchronise(name)
        elif name in calls.NEUTRAL:
            for argument in args:
                self.overwrite(argument)
        else:
            self.call_unknown(name, args)
            return self.unknown() if name in calls.REGISTERS else FALSE
        return FALSE

    def _made(self, name: str, args: list[Sym]) -> Sym:
        if name not in ("clCreateSubBuffer", "clCloneKernel") or args:
            self._succeed(args[-1] if args else FALSE)
        shares = name == "clCreateSubBuffer" or self._shares_memory(name, args)
        made = Made(("shared " if shares else "") + calls.CREATES[name], next(self.fresh))
        self.create(made)
        return made

    def _argument(self, args: list[Sym]) -> SetArgument:
        kernel, index, size, pointer = args
        if pointer == FALSE:
            return SetArgument(kernel, index, size, None, None)
        place = self.target(pointer)
        if {path[0] for path in self.state.parts(place)} == {"union"}:  # whichever member is set
            place /= "union"
        value = whole = self.read(place)
        if place.path and not _is_of_one(size):
            around = self.read(Place(place.root, place.path[:-1]))
            whole = Op("bytes of", (around, Literal(place.path[-1])))
        return SetArgument(kernel, index, size, value, whole)

    def _shares_memory(self, name: str, args: list[Sym]) -> bool:
        """May what is created share memory with something else?"""
        if name not in _WITH_FLAGS or len(args) < 4:
            return name.endswith("WithProperties")
        if not isinstance(args[1], Num) or args[1].value & _USE_HOST_POINTER:
            return True
        if name != "clCreateImage":
            return False
        description = self.target(args[3])
        return FALSE not in [self.state.read(description / m) for m in ("buffer", "mem_object")]

    def _succeed(self, pointer: Sym) -> None:
        """The last parameter of clCreate... receives CL_SUCCESS."""
        if isinstance(pointer, Ref):
            self.state.write(pointer.place, FALSE)

    def _transfer(self, name: str, args: list[Sym]) -> None:
        reads, writes = calls.TRANSFERS[name]
        self.transfer(
            name,
            [args[i] for i in reads if i < len(args)],
            [args[i] for i in writes if i < len(args)],
            waits="Unmap" not in name and len(args) > 3 and FALSE not in args[-3:-2],
        )
        if name.startswith("clEnqueueRead"):
            for argument in args[-4:]:
                self.overwrite(argument)

    def _launch(self, args: list[Sym]) -> None:
        count = args[2].value if isinstance(args[2], Num) else 3  # as many as there may be
        offset, size, local = (self._sizes(pointer, count) for pointer in args[3:6])
        waited, event = (self._perhaps_none(each) for each in (args[6], args[8]))
        at_once = "" if waited == event == FALSE else "a launch with events"
        self.launch(Launch(args[0], args[1], args[2], offset, size or (), local, at_once))
        if event != FALSE:
            self.state.write(self.target(event), Made("event", next(self.fresh)))

    @abstractmethod
    def decide(
        self, condition: Sym, default: bool, *, cost: int = 1, fails: bool = False
    ) -> bool: ...

    @abstractmethod
    def guess(self, condition: Sym) -> bool | None: ...

    def _perhaps_none(self, value: Sym) -> Sym:
        """`profiling ? &event : NULL`: none, if nothing speaks for it."""
        if not isinstance(value, Op) or value.name != "?:" or FALSE not in value.args[1:]:
            return value
        condition, first, second = value.args
        truth, guessed = self.truth(condition), self.guess(condition)
        if truth is None:
            default = first == FALSE if guessed is None else guessed
            truth = self.decide(condition, default)
        return first if truth else second

    def _sizes(self, pointer: Sym, count: int) -> tuple[Sym, ...] | None:
        if pointer == FALSE:
            return None
        place = self.target(pointer)
        if count == 1:
            return (strip(self.read(place)),)
        if place.path[-1:] == ("[0]",):
            place = Place(place.root, place.path[:-1])
        return tuple(strip(self.read(place / f"[{i}]")) for i in range(count))


def _is_of_one(size: Sym) -> bool:
    """`sizeof(float)`, and not `sizeof(float4)` or `sizeof(float [4])`"""
    return isinstance(size, Op) and not size.args and re.search(r"[0-9\]]\)$", size.name) is None
