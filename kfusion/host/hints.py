"""Readable names for memory objects, which generated code is to use for them.

The value of a handle comes in, with all arguments of the region's launches; an identifier goes
out that the application's author knows the object by.
"""

from __future__ import annotations

from collections.abc import Iterable

from kfusion.host.effects import SetArgument
from kfusion.host.spelling import spell
from kfusion.host.symbolic import App, Entry, Global, Pointee, Root, Sym


def hint_for(value: Sym, otherwise: str, settings: Iterable[SetArgument]) -> str:
    """The name of the object's owner in the application; `otherwise` if there is none.

    Buffers of one owner are told apart by their members: `u`, `level2`; `s_u` if
    another owner has a `u`, too.
    """
    owner = owner_of(value)
    if not isinstance(value, Entry) or not isinstance(owner, App | Global):
        return otherwise
    handles = {h for h in _handles(settings) if h.place.path}
    if len([h for h in handles if owner_of(h) == owner]) < 2 or not value.place.path:
        return owner.name
    member = _member(value)
    alike = [h for h in handles if h != value and _member(h) == member]
    if not alike:
        return member
    outer = _outer_member(value)  # `w->b.gpu` is w's `b`
    if outer and all(owner_of(h) == owner and _outer_member(h) != outer for h in alike):
        return outer
    return f"{owner.name}_{member}"


def _handles(settings: Iterable[SetArgument]) -> set[Entry]:
    """Memory objects that the launches of the region get, and that were there before."""
    values = [e.value for e in settings if spell(e.size) == "sizeof(cl_mem)"]
    return {value for value in values if isinstance(value, Entry)}


def owner_of(value: Sym) -> Root | None:
    """The variable that leads to the object."""
    if not isinstance(value, Entry):
        return None
    root = value.place.root
    if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
        return root.pointer.place.root
    return root


def _outer_member(handle: Entry) -> str:
    """`b` for `w->b.gpu`: the member that the last one is a member of, if it has a name."""
    path = handle.place.path
    named = len(path) > 1 and not any(step.startswith("[") for step in path[-2:])
    return "".join(c for c in path[-2] if c.isalnum() or c == "_") if named else ""


def _member(handle: Entry) -> str:
    """`level2` for `s->level[2]`: the last member's name, and the indices behind it."""
    words: list[str] = []
    for step in reversed(handle.place.path):
        words.insert(0, "".join(c for c in step if c.isalnum() or c == "_"))
        if not step.startswith("["):
            break
    return "_".join(words[:1]) + "_".join(words[1:])
