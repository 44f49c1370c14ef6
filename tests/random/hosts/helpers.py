"""Functions of the application's that random host programs call."""

from __future__ import annotations

from tests.random.hosts import model as m
from tests.random.hosts import phrases
from tests.random.hosts.draft import Draft


def stepping(draft: Draft, name: str, share: float = 0.25) -> m.Function:
    """With a region in it, as its own or as its caller's; `share`: how likely it names an `out`."""
    size = draft.size
    parameters = ("x", "y", "z")
    inner = Draft(draft.program, draft.random, size, dict.fromkeys(parameters, ("int", size)))
    inner.vectors |= {"v": ("int", 1), "w": ("int", 1)}
    inner.functions = draft.functions
    inner.style = draft.style
    inner.depth = 3
    inner.in_region = True
    body: list[m.Statement] = []
    for _ in range(draft.random.choice([2, 3])):
        choices = ("i_add", "i_affine", "i_next", "i_copy", "i_pair", "i_select", "i_before")
        body += phrases.call(inner, draft.random.choice(choices))
    if draft.random.random() < 0.3:
        body.insert(1, m.If("v1", ">", 1, (m.Return(),)))
    if draft.random.random() < 0.2:
        body.insert(1, m.Show("x", 0, size))
    written = [name for name in inner.recent if name in parameters]
    out = tuple(written[-1:]) if draft.chance(share) else ()
    listed = tuple(name for name in parameters if name not in out)
    section: list[m.Statement] = [m.Region(listed, out, (), tuple(body))]
    if draft.random.random() < 0.2:
        section = list(body)  # the region is the caller's
    if draft.random.random() < 0.2:
        section.append(m.Swap("x", "y"))
    errors = draft.random.choice(list(m.Errors))
    numbers = ("v1", "v2")
    return m.Function(name, parameters, numbers, tuple(section), errors, m.Place.APPLICATION)
