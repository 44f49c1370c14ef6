"""Events of a fused launch: it waits for all that came from outside, and stands for all."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from kfusion.host.effects import Launch
from kfusion.host.symbolic import Entry, Num, Ref, Sym
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class JoinedEvents:
    changed: bool  # the last launch's own text does not do
    arguments: tuple[str, str, str]  # count, list, event
    before: tuple[str, ...]  # declarations
    after: tuple[str, ...]  # statements behind the launch


def join_events(
    launches: list[Launch], renderer: Renderer, unique: Callable[[str], str], indent: str
) -> JoinedEvents:
    own = {launch.made for launch in launches} - {None}
    earlier, last = launches[:-1], launches[-1]
    if not any(launch.events or launch.made for launch in earlier) and not own & set(
        last.events or ()
    ):
        return JoinedEvents(False, ("0", "NULL", "NULL"), (), ())
    before: list[str] = []
    waits = _outside(launches, own, renderer)
    count, listed = "0", "NULL"
    if waits:
        listed = unique("waits")
        count = str(len(waits))
        before.append(f"const cl_event {listed}[] = {{{', '.join(waits)}}};")
    if not own:
        return JoinedEvents(True, (count, listed, "NULL"), tuple(before), ())
    done = unique("done")
    before.append(f"cl_event {done};")
    makers = [launch for launch in launches if launch.made is not None]
    wanted = all(isinstance(launch.event, Ref) for launch in makers)
    after: list[str] = []
    for number, launch in enumerate(makers):
        target, pointer = _target(launch, renderer)
        hand_out = [f"{target} = {done};"]
        if number > 0 or not wanted:  # the first owner takes over what the launch has made
            hand_out.append(f"clRetainEvent({done});")
        if isinstance(launch.event, Ref):
            after += hand_out
        else:  # the caller may not want it
            body = "".join(f"{indent}{line}\n" for line in hand_out)
            after.append(f"if ({pointer} != NULL) {{\n{body}}}")
    if not wanted:
        after.append(f"clReleaseEvent({done});")
    return JoinedEvents(True, (count, listed, f"&{done}"), tuple(before), tuple(after))


def _target(launch: Launch, renderer: Renderer) -> tuple[str, str]:
    """Where a launch's event goes, as a place and as a pointer."""
    pointer = renderer.value(launch.event)
    given = getattr(launch.node, "args", None)
    if pointer is None or (given is not None and isinstance(given.exprs[-1], c_ast.Cast)):
        raise CannotWriteError("where an event goes cannot be named in the fused function")
    place = renderer.place(launch.event.place) if isinstance(launch.event, Ref) else None
    return place or f"*{pointer}", pointer


def _outside(launches: list[Launch], own: set[Sym | None], renderer: Renderer) -> list[str]:
    """Events of all wait lists, the group's own left out, each once."""
    texts: list[str] = []
    for launch in launches:
        if launch.events is None:
            raise CannotWriteError("a wait list of unknown length cannot be joined")
        for event in launch.events:
            if event in own or event == Num(0):
                continue
            text = renderer.place(event.place) if isinstance(event, Entry) else None
            if text is None:
                raise CannotWriteError("an event of a wait list cannot be named")
            if text not in texts:
                texts.append(text)
    return texts
