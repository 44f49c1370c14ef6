"""Arguments behind `...`: what `va_start`, `va_arg` and `va_copy` do to a list of them.

The project's own `stdarg.h` makes a list a structure with one member, and a read of an argument
`*(type *)fake_va_arg(list, sizeof(type))`: each call gives a pointer to the next argument. They
are kept as elements of a variable that C has no name for.
"""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.host.symbolic import Local, Place, Ref, State, Sym

NAMES = frozenset("fake_va_start fake_va_arg fake_va_copy fake_va_end".split())


def pass_more(frame: int, values: Sequence[Sym], state: State) -> None:
    """The arguments of a call that its function has no names for."""
    for number, value in enumerate(values):
        state.write(_argument(frame, number), value)


def use_list(name: str, frame: int, lists: Sequence[Place], state: State) -> Sym | None:
    """One of the functions: what it gives. None: where the list is cannot be told."""
    following = lists[0] / "next"
    if name == "fake_va_start":
        state.write(following, Ref(_argument(frame, 0)))
    elif name == "fake_va_copy" and len(lists) > 1:
        state.write(following, state.read(lists[1] / "next"))
    elif name == "fake_va_arg":
        argument = state.read(following)
        behind = _behind(argument)
        if behind is None:
            return None
        state.write(following, Ref(behind))
        return argument
    return Ref(following)


def _argument(frame: int, number: int) -> Place:
    return Place(Local(frame, "..."), (f"[{number}]",))


def _behind(argument: Sym) -> Place | None:
    """The place of the next argument."""
    place = argument.place if isinstance(argument, Ref) else None
    if place is None or not isinstance(place.root, Local) or place.root.name != "...":
        return None
    return _argument(place.root.frame, int(place.path[0][1:-1]) + 1)
