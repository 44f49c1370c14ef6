"""A strategy of whole pipelines: element-wise calls, and what must not be fused with them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from tests.random.frames import SMALLER, World, worlds
from tests.random.hazards import ONE_DIMENSION, TWO_DIMENSIONS, Motif
from tests.random.image_hazards import IMAGES
from tests.random.kernels import (
    HEAD,
    copies,
    element_wise,
    reductions,
    stencils,
    tiles,
    users,
    weighed,
)
from tests.random.model import Call, Feature, Kernel, Parameter, Pipeline, Shape

FLOATS = ["f0", "f1", "f2", "f3"]
BUFFERS = {**dict.fromkeys(FLOATS, "float"), "i0": "int", "i1": "int", "u0": "uchar"}


@dataclass
class _Draft:
    """A pipeline that is being drawn."""

    world: World
    smaller: Shape
    kernels: list[Kernel] = field(default_factory=list)  # the element-wise ones
    calls: list[Call] = field(default_factory=list)
    motifs: list[tuple[str, Motif]] = field(default_factory=list)
    extra: set[Feature] = field(default_factory=set)
    count: int = 0

    def name(self, prefix: str = "k") -> str:
        self.count += 1
        return f"{prefix}{self.count}"


def _scalar(draw: st.DrawFn, draft: _Draft, parameter: Parameter) -> str:
    if parameter.type == "float":
        return draw(st.sampled_from(["half", "third"]))
    if parameter.name == "v":
        return draw(st.sampled_from(["v", "v", "v", "u"]))
    # The last dimension's limit is part of no index.
    last = parameter.name == ["w", "h", "d"][draft.world.dimensions - 1]
    return "m" if last and draw(st.integers(0, 3)) == 0 else parameter.name


def _arguments(draw: st.DrawFn, draft: _Draft, kernel: Kernel) -> tuple[str, ...]:
    recent = [name for call in draft.calls[-2:] for name in sorted(call.written)]
    found: list[str] = []
    for parameter in kernel.parameters:
        if parameter.kind == "scalar":
            found.append(_scalar(draw, draft, parameter))
            continue
        names = [b for b, type_ in BUFFERS.items() if type_ == parameter.type]
        fresh = [b for b in recent if b in names]
        if fresh and parameter.name.startswith("a") and draw(st.booleans()):
            names = fresh
        found.append(draw(st.sampled_from(names)))
    return tuple(found)


def _cross(draw: st.DrawFn, draft: _Draft, kernel: Kernel, *memory: str) -> Call:
    """Buffers as given: one that other items write is never one that an item reads."""
    named = iter(memory)
    arguments = [
        next(named)
        if p.kind == "buffer"
        else "tile"
        if p.kind == "local"
        else _scalar(draw, draft, p)
        for p in kernel.parameters
    ]
    return Call(kernel, tuple(arguments), draft.world.shape)


def _element_wise(draw: st.DrawFn, draft: _Draft, shape: Shape | None = None) -> None:
    earlier = [c for c in draft.calls if c.kernel in draft.kernels]
    if earlier and draw(st.integers(0, 4)) == 0:
        again = draw(st.sampled_from(earlier))
        draft.calls.append(replace(again, arguments=_swapped(draw, again)))
        return
    kernel = draw(st.sampled_from(draft.kernels))
    arguments = _arguments(draw, draft, kernel)
    draft.calls.append(Call(kernel, arguments, shape or draft.world.shape))


def _swapped(draw: st.DrawFn, call: Call) -> tuple[str, ...]:
    parameters, arguments = call.kernel.parameters, list(call.arguments)
    pairs = [
        (i, j)
        for i, p in enumerate(parameters)
        for j, q in enumerate(parameters[:i])
        if p.kind == q.kind == "buffer" and p.type == q.type and arguments[i] != arguments[j]
    ]
    if pairs:
        i, j = draw(st.sampled_from(pairs))
        arguments[i], arguments[j] = arguments[j], arguments[i]
    return tuple(arguments)


def _stencil(draw: st.DrawFn, draft: _Draft) -> None:
    a, t, c = draw(st.permutations(FLOATS))[:3]
    kernel = draw(stencils(draft.world, draft.name()))
    if draw(st.booleans()):
        copy = draw(copies(draft.world, draft.name()))
        draft.calls.append(_cross(draw, draft, copy, a, c))
    draft.calls.append(_cross(draw, draft, kernel, t, a))


def _copy_back(draw: st.DrawFn, draft: _Draft) -> None:
    a, t = draw(st.permutations(FLOATS))[:2]
    stencil = draw(stencils(draft.world, draft.name()))
    copy = draw(copies(draft.world, draft.name()))
    for _ in range(draw(st.integers(1, 2))):
        draft.calls.append(_cross(draw, draft, stencil, t, a))
        draft.calls.append(_cross(draw, draft, copy, a, t))
    draft.extra.add(Feature.COPY_BACK)


def _reduction(draw: st.DrawFn, draft: _Draft) -> None:
    a, s, c, b = draw(st.permutations(FLOATS))
    reduction = draw(reductions(draft.world, draft.name()))
    user = draw(users(draft.world, draft.name()))
    if draw(st.booleans()):
        copy = draw(copies(draft.world, draft.name()))
        draft.calls.append(_cross(draw, draft, copy, a, b))
    draft.calls.append(_cross(draw, draft, reduction, s, a))
    draft.calls.append(_cross(draw, draft, user, c, a, s))
    draft.extra.add(Feature.REDUCTION)


def _mixed(draw: st.DrawFn, draft: _Draft) -> None:
    for _ in range(draw(st.integers(1, 2))):
        _element_wise(draw, draft, draft.smaller)


def _tile(draw: st.DrawFn, draft: _Draft) -> None:
    a, t, c, w = draw(st.permutations(FLOATS))[:4]
    maker = draw(st.sampled_from([tiles, weighed, weighed, weighed]))
    kernel = draw(maker(draft.world, draft.name()))
    draft.calls.append(_cross(draw, draft, kernel, t, a, w))
    if draw(st.booleans()):
        draft.calls.append(_cross(draw, draft, kernel, c, t, w))


def _hazard(draw: st.DrawFn, draft: _Draft) -> None:
    known = {1: {**ONE_DIMENSION, **IMAGES}, 2: TWO_DIMENSIONS}.get(draft.world.dimensions)
    if known is None:
        return _stencil(draw, draft)
    name = draw(st.sampled_from(sorted(known)))
    names = draw(st.permutations(FLOATS))
    motif = known[name](draft.world, draft.name("h") + "_", names)
    draft.calls.extend(motif.calls)
    draft.motifs.append((name, motif))
    return None


_SEGMENTS = [_stencil, _copy_back, _reduction, _mixed, _tile, *[_hazard] * 5]


@st.composite
def pipelines(draw: st.DrawFn) -> Pipeline:
    dimensions = draw(st.sampled_from([1, 1, 1, 1, 2, 2, 3]))
    world = draw(worlds(dimensions))
    told = draw(st.booleans())
    world = replace(world, shape=replace(world.shape, told=told))
    draft = _Draft(world, replace(SMALLER[dimensions], told=told))
    pure = draw(st.integers(0, 2)) > 0
    for _ in range(draw(st.integers(1, 3))):
        draft.kernels.append(draw(element_wise(world, draft.name(), pure=pure)))
    if draw(st.integers(0, 9)) < 4:
        for _ in range(draw(st.integers(2, 5))):
            _element_wise(draw, draft)
    else:
        for _ in range(draw(st.integers(1, 3))):
            for _ in range(draw(st.integers(0, 1))):
                _element_wise(draw, draft)
            draw(st.sampled_from(_SEGMENTS))(draw, draft)
        for _ in range(draw(st.integers(0, 2))):
            _element_wise(draw, draft)
    return _finished(draw, draft)


def _finished(draw: st.DrawFn, draft: _Draft) -> Pipeline:
    used = sorted({name for call in draft.calls for name in call.memory})
    out = draw(st.none() | st.lists(st.sampled_from(used), unique=True))
    motifs = [motif for _, motif in draft.motifs]
    return Pipeline(
        head=HEAD + "".join(m.head for m in motifs),
        calls=tuple(draft.calls),
        out=None if out is None else tuple(sorted(out)),
        scalars=draft.world.scalars | dict(pair for m in motifs for pair in m.scalars),
        tail="".join(m.tail for m in motifs),
        defines=tuple(d for m in motifs for d in m.defines),
        options=tuple(o for m in motifs for o in m.options),
        hazards=tuple(dict.fromkeys(name for name, _ in draft.motifs)),
        seed=draw(st.integers(0, 11)),
        extra=frozenset(draft.extra),
    )
