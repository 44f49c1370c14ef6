"""Short sequences of calls that go wrong if one legality check does not look.

Each stands for a kind of program that random element-wise kernels never become. All run
without a race as they are; `touches` say what the items of each kernel really do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.random.frames import World
from tests.random.model import Bound, Call, Elements, Item, Kernel, Parameter, Shape, Touch

I = "const int i = get_global_id(0);"  # noqa: E741
XY = "const size_t x = get_global_id(0), y = get_global_id(1);"
GROUPS = "get_group_id(0) * get_local_size(0) + get_local_id(0)"


@dataclass(frozen=True)
class Motif:
    calls: tuple[Call, ...]
    scalars: tuple[tuple[str, int | float], ...] = ()
    head: str = ""
    tail: str = ""
    defines: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


# Elements of a one-dimensional range


def own(item: Item, _shape: Shape, _bound: Bound) -> list[int]:
    return [item[0]]


def nothing(_item: Item, _shape: Shape, _bound: Bound) -> list[int]:
    return []


def only(condition: Callable[[int], bool], index: Callable[[int], int]) -> Elements:
    return lambda item, _shape, _bound: [index(item[0])] if condition(item[0]) else []


def of_plane(find: Callable[[int, int], Sequence[int]]) -> Elements:
    return lambda item, _shape, _bound: find(item[0], item[1])


def reads(name: str, elements: Elements = own) -> Touch:
    return Touch(name, elements)


def writes(name: str, elements: Elements = own) -> Touch:
    return Touch(name, elements, reads=False, writes=True)


def updates(name: str, elements: Elements = own) -> Touch:
    return Touch(name, elements, writes=True)


def kernel(
    name: str,
    head: str,
    body: str,
    *touches: Touch,
    before: str = "",
    prints: bool = False,
) -> Kernel:
    """`head` lists the parameters as they are written."""
    parameters = tuple(_parameter(text.strip()) for text in head.split(","))
    text = f"{before}__kernel void {name}({head})\n{{\n    {body}\n}}\n"
    return Kernel(name, text, parameters, touches, prints=prints)


def _parameter(text: str) -> Parameter:
    *words, name = text.replace("*", " ").split()
    kind = "scalar"
    if "global" in words or "constant" in words:
        kind = "buffer"
    elif "local" in words:
        kind = "local"
    elif "image2d_t" in words:
        kind = "image"
    return Parameter(name, words[-1], kind)


CA = "global float *c, global const float *a"


def _square(prefix: str) -> Kernel:
    return kernel(f"{prefix}square", CA, f"{I} c[i] = 0.5f * a[i] * a[i];", writes("c"), reads("a"))


def _pair(
    world: World, first: Kernel, second: Kernel, names: Sequence[str], *more: str
) -> tuple[Call, Call]:
    """`first(t, a, ...)`, then `second(c, t, ...)`."""
    a, t, c = names[:3]
    return (
        Call(first, (t, a, *more)[: len(first.parameters)], world.shape),
        Call(second, (c, t, *more)[: len(second.parameters)], world.shape),
    )


Make = Callable[[World, str, Sequence[str]], Motif]


def printf(world: World, p: str, names: Sequence[str]) -> Motif:
    body = f'{I} c[i] = a[i] + 1.0f; if (i < 3) printf("{{}} %d\\n", i);'
    f = kernel(f"{p}f", CA, body.format("f"), writes("c"), reads("a"), prints=True)
    g = kernel(f"{p}g", CA, body.format("g"), writes("c"), reads("a"), prints=True)
    return Motif(_pair(world, f, g, names))


def histogram(world: World, p: str, names: Sequence[str]) -> Motif:
    head = "global int *c, global const float *a"
    f = kernel(
        f"{p}f",
        head,
        f"{I} atomic_add(&c[i % 4], (int)clamp(a[i], 0.0f, 99.0f));",
        updates("c", lambda item, _shape, _bound: [item[0] % 4]),
        reads("a"),
    )
    g = kernel(
        f"{p}g",
        "global float *c, global const int *a",
        f"{I} c[i] = a[i] * 0.5f;",
        writes("c"),
        reads("a"),
    )
    return Motif(_pair(world, f, g, (names[0], "i0", names[1])))


def builtin_of_the_compiler(world: World, p: str, names: Sequence[str]) -> Motif:
    """A function that OpenCL does not know, and that writes."""
    f = kernel(
        f"{p}f",
        "global float *c, global const float *a, global int *h",
        f"{I} c[i] = a[i]; __sync_fetch_and_add(h, 1 + i);",
        writes("c"),
        reads("a"),
        updates("h", lambda _item, _shape, _bound: [0]),
    )
    g = kernel(
        f"{p}g",
        "global float *c, global const float *a, global const int *h",
        f"{I} c[i] = 0.5f * a[i] + h[0];",
        writes("c"),
        reads("a"),
        reads("h", lambda _item, _shape, _bound: [0]),
    )
    return Motif(_pair(world, f, g, names, "i1"))


def return_in_a_loop(world: World, p: str, names: Sequence[str]) -> Motif:
    body = f"{I} while (1) {{ if (a[i] > 0.75f) return; c[i] = 1.0f; break; }}"
    f = kernel(f"{p}f", CA, body, writes("c"), reads("a"))
    return Motif(_pair(world, f, _square(p), names))


def id_in_a_loop(world: World, p: str, names: Sequence[str]) -> Motif:
    """All iterations of an item add to one element; the next kernel needs the sum."""
    loop = "for (int i = get_global_id(0); i < v; i += get_global_size(0))"
    head = f"{CA}, int v"

    def all_of_them(item: Item, shape: Shape, bound: Bound) -> list[int]:
        return list(range(item[0], bound["v"], shape.size[0]))

    f = kernel(
        f"{p}f",
        head,
        f"{loop} c[get_global_id(0)] += 0.125f * a[i];",
        updates("c"),
        reads("a", all_of_them),
    )
    g = kernel(
        f"{p}g", head, f"{loop} c[i] = a[get_global_id(0)];", writes("c", all_of_them), reads("a")
    )
    return Motif(_pair(world, f, g, names, "v"))


def assigned_parameter(world: World, p: str, names: Sequence[str]) -> Motif:
    f = kernel(
        f"{p}f",
        f"{CA}, int n",
        f"{I} n = n / 2; if (i < n) c[i] = a[i] * n;",
        writes("c"),
        reads("a"),
    )
    g = kernel(f"{p}g", f"{CA}, int n", f"{I} if (i < n) c[i] = a[i] + n;", writes("c"), reads("a"))
    return Motif(_pair(world, f, g, names, "w"))


def macro_redefined(world: World, p: str, names: Sequence[str]) -> Motif:
    body = f"{I} c[i] = {p}FACTOR * a[i];"
    f = kernel(f"{p}f", CA, body, writes("c"), reads("a"), before=f"#define {p}FACTOR 2.0f\n")
    again = f"#undef {p}FACTOR\n#define {p}FACTOR 3.0f\n"
    g = kernel(f"{p}g", CA, body, writes("c"), reads("a"), before=again)
    return Motif(_pair(world, f, g, names))


def contraction(world: World, p: str, names: Sequence[str]) -> Motif:
    """All that stands behind the pragma, which ends the file, is compiled without."""
    body = f"{I} c[i] = a[i] * a[i] - 0.3f * a[i];"
    f = kernel(f"{p}f", CA, body, writes("c"), reads("a"))
    return Motif(_pair(world, f, _square(p), names), tail="#pragma OPENCL FP_CONTRACT OFF\n")


def required_sizes(world: World, p: str, names: Sequence[str]) -> Motif:
    f, g = (
        replace(
            kernel(
                f"{p}{name}",
                CA,
                f"{I} c[i] = a[i] + 1.0f;",
                writes("c"),
                reads("a"),
                before=f"__attribute__((reqd_work_group_size({size}, 1, 1)))\n",
            ),
            required=size,
        )
        for name, size in (("f", 16), ("g", 8))
    )
    first, second = _pair(world, f, g, names)
    return Motif((first, replace(second, shape=replace(world.shape, local=(8,)))))


def two_local_sizes(world: World, p: str, names: Sequence[str]) -> Motif:
    f = kernel(f"{p}f", CA, f"{I} c[i] = a[i] + get_local_id(0);", writes("c"), reads("a"))
    first, second = _pair(world, f, f, names)
    return Motif((first, replace(second, shape=replace(world.shape, local=(8,)))))


def two_types(world: World, p: str, names: Sequence[str]) -> Motif:
    bits = kernel(f"{p}bits", "global int *c", f"{I} c[i] &= 0x7f7fffff;", updates("c"))
    a, t, c = names[:3]
    return Motif(
        (
            Call(_square(p), (t, a), world.shape),
            Call(bits, (t,), world.shape),
            Call(_square(p), (c, t), world.shape),
        )
    )


def shared_tile(world: World, p: str, names: Sequence[str]) -> Motif:
    """A guard around local memory; and one tile that two kernels work on."""
    last = world.shape.local[0] - 1
    f = kernel(
        f"{p}f",
        f"{CA}, local float *tile",
        f"{I} const int l = get_local_id(0); tile[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); "
        f"c[i] = tile[{last} - l];",
        writes("c"),
        reads("a"),
    )
    return Motif(_pair(world, f, f, names, "tile"))


def barrier_behind_a_guard(world: World, p: str, names: Sequence[str]) -> Motif:
    """All items of a group pass the guard, or none: that is a matter of numbers only."""
    last = world.shape.local[0] - 1
    f = kernel(
        f"{p}f",
        f"{CA}, int n",
        f"{I} if (i >= n) return; local float t[{last + 1}]; const int l = get_local_id(0); "
        f"t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); c[i] = t[{last} - l];",
        writes("c"),
        reads("a"),
    )
    return Motif(_pair(world, _square(p), f, names, "full"), scalars=(("full", 32),))


def hand_over(world: World, p: str, names: Sequence[str]) -> Motif:
    """Items of a group write elements of each other, with a barrier in between."""
    f = kernel(
        f"{p}f",
        CA,
        f"{I} c[i] = a[i]; barrier(CLK_GLOBAL_MEM_FENCE); if (get_local_id(0) == 0) "
        "c[i + 1] = 0.5f * a[i]; barrier(CLK_GLOBAL_MEM_FENCE); c[i] += 1.0f;",
        updates("c"),
        reads("a"),
    )
    return Motif(_pair(world, _square(p), f, names))


def copy_to_a_tile(world: World, p: str, names: Sequence[str]) -> Motif:
    """Asynchronous, of as many elements as the kernel computes first."""
    f = kernel(
        f"{p}f",
        f"{CA}, global const float *b",
        f"local float t[3]; {I} int m = 1; m += 2; event_t e = async_work_group_copy(t, b, m, 0); "
        "wait_group_events(1, &e); c[i] = 0.5f * a[i] + t[i % 3];",
        writes("c"),
        reads("a"),
        reads("b", lambda _item, _shape, _bound: [0, 1, 2]),
    )
    a, t, c, b = names[:4]
    return Motif(
        (Call(_square(p), (t, a), world.shape), Call(f, (c, t, b), world.shape)),
    )


def row_without_bound(world: World, p: str, names: Sequence[str]) -> Motif:
    """`y*w + x` is the element of another item where x < w does not hold."""
    f = kernel(
        f"{p}f",
        f"{CA}, uint w, uint h",
        f"{XY} if (x >= w || y >= h) return; c[y * w + x] = a[y * w + x] + x;",
        writes("c", of_plane(lambda x, y: [y * 7 + x] if x < 7 and y < 5 else [])),
        reads("a", of_plane(lambda x, y: [y * 7 + x] if x < 7 and y < 5 else [])),
    )
    g = kernel(
        f"{p}g",
        f"{CA}, uint w, uint h",
        f"{XY} if (y >= h) return; c[y * get_global_size(0) + x] = a[y * w + x];",
        writes("c", of_plane(lambda x, y: [y * 8 + x] if y < 5 else [])),
        reads("a", of_plane(lambda x, y: [y * 7 + x] if y < 5 else [])),
    )
    return Motif(_pair(world, f, g, names, "w", "h"))


def one_row(world: World, p: str, names: Sequence[str]) -> Motif:
    """An index of one dimension in a range of two."""
    f = kernel(
        f"{p}f",
        CA,
        f"{XY} if (y == 5) c[x] = 0.5f * a[x] + 1.0f;",
        writes("c", of_plane(lambda x, y: [x] if y == 5 else [])),
        reads("a", of_plane(lambda x, y: [x] if y == 5 else [])),
    )
    g = kernel(
        f"{p}g",
        CA,
        f"{XY} c[y * get_global_size(0) + x] = a[x];",
        writes("c", of_plane(lambda x, y: [y * 8 + x])),
        reads("a", of_plane(lambda x, _y: [x])),
    )
    return Motif(_pair(world, f, g, names))


def product_that_wraps(world: World, p: str, names: Sequence[str]) -> Motif:
    """2^30 * i without sign is 0 for every fourth item."""
    i = "const uint i = get_global_id(0);"
    f = kernel(
        f"{p}f",
        CA,
        f"{i} if (i == 44) c[i << 30] = a[i];",
        writes("c", only(lambda i: i == 44, lambda _i: 0)),
        reads("a"),
    )
    g = kernel(
        f"{p}g",
        CA,
        f"{i} if (!(i & 3)) c[i] = a[i << 30];",
        writes("c"),
        reads("a", only(lambda i: i % 4 == 0, lambda _i: 0)),
    )
    return Motif(_pair(world, f, g, names))


def store_that_covers_little(world: World, p: str, names: Sequence[str]) -> Motif:
    """2 * 2^31 is 0: row 2 is row 0, and only one item of the two stores."""
    xy = "const uint x = get_global_id(0), y = get_global_id(1);"
    f = kernel(
        f"{p}f",
        f"{CA}, uint u",
        f"{xy} if (x < u) {{ if (y == 4) c[y * u + x] = a[x]; }}",
        writes("c", of_plane(lambda x, y: [x] if y == 4 else [])),
        reads("a", of_plane(lambda x, y: [x] if y == 4 else [])),
    )
    g = kernel(
        f"{p}g",
        f"{CA}, uint u",
        f"{xy} if (x < u) {{ if (!(y & 1)) c[y * 8 + x] = a[y * u + x]; }}",
        writes("c", of_plane(lambda x, y: [y * 8 + x] if y % 2 == 0 else [])),
        reads("a", of_plane(lambda x, y: [x] if y % 2 == 0 else [])),
    )
    return Motif(_pair(world, f, g, names, "far"), scalars=(("far", 1 << 31),))


def groups_not_full(world: World, p: str, names: Sequence[str]) -> Motif:
    g = kernel(
        f"{p}g",
        CA,
        f"{I} c[i] = a[{GROUPS}];",
        writes("c"),
        reads("a", lambda item, shape, _bound: [_by_groups(item[0], shape)]),
    )
    first, second = _pair(world, _square(p), g, names)
    shape = replace(world.shape, local=(20,))
    return Motif((replace(first, shape=shape), replace(second, shape=shape)))


def _by_groups(item: int, shape: Shape) -> int:
    local, size = shape.local[0], shape.size[0]
    group = item // local
    return group * min(local, size - group * local) + item % local


def global_offset(world: World, p: str, names: Sequence[str]) -> Motif:
    g = kernel(
        f"{p}g",
        CA,
        f"{I} c[i] = a[{GROUPS}];",
        writes("c"),
        reads("a", lambda item, shape, _bound: [item[0] - shape.offset]),
    )
    first, second = _pair(world, _square(p), g, names)
    shape = replace(world.shape, offset=16)
    return Motif((replace(first, shape=shape), replace(second, shape=shape)))


def narrow_load(world: World, p: str, names: Sequence[str]) -> Motif:
    """Where `n` is large, `a[i + n]` of 32 bits is the element of another item."""
    g = kernel(
        f"{p}g",
        f"{CA}, uint n",
        "const uint i = get_global_id(0); c[i] = a[i + n];",
        writes("c"),
        reads("a", lambda item, _shape, bound: [item[0] + bound["n"], item[0] + (1 << 32)]),
    )
    f = kernel(
        f"{p}f",
        f"{CA}, uint n",
        "const size_t i = get_global_id(0); c[i + n] = a[i] + 1.0f;",
        writes("c", lambda item, _shape, _bound: [item[0], item[0] + 1 + (1 << 32)]),
        reads("a"),
    )
    a, t, c = names[:3]
    calls = (Call(f, (t, a, "few"), world.shape), Call(g, (c, t, "few"), world.shape))
    return Motif(calls, scalars=(("few", 5),))


def guards_of_two_types(world: World, p: str, names: Sequence[str]) -> Motif:
    """For n = -1, all items pass the one guard and none the other."""
    f = kernel(
        f"{p}f",
        f"{CA}, int n",
        "const size_t i = get_global_id(0); if (i >= n) return; c[i] = a[i] + 1.0f;",
        writes("c"),
        reads("a"),
    )
    g = kernel(
        f"{p}g",
        f"{CA}, int n",
        f"{I} if (i >= n) return; c[i] = 3.0f * a[i];",
        writes("c", nothing),
        reads("a", nothing),
    )
    a, t, c = names[:3]
    calls = (
        Call(f, (t, a, "minus"), world.shape),
        Call(g, (t, c, "minus"), world.shape),
        Call(f, (c, t, "minus"), world.shape),
    )
    return Motif(calls, scalars=(("minus", -1),))


def element_by_two_names(world: World, p: str, names: Sequence[str]) -> Motif:
    """For the item in the middle, c[n - 1 - i] is c[i]."""
    both = only(lambda i: i <= 16, lambda i: i)
    mirrored = only(lambda i: i <= 16, lambda i: 32 - i)
    f = kernel(
        f"{p}f",
        f"{CA}, int m",
        f"{I} if (i <= m / 2) {{ c[i] = 1.5f; c[m - 1 - i] = 2.5f; c[i] = c[i] + 4.0f; }}",
        updates("c", both),
        updates("c", mirrored),
        reads("a", nothing),
    )
    a, t, c = names[:3]
    calls = (
        Call(_square(p), (t, a), world.shape),
        Call(f, (c, a, "m"), world.shape),
    )
    return Motif(calls)


def inner_variables(world: World, p: str, names: Sequence[str]) -> Motif:
    """Both kernels have a `j`: outside of its block, the text names the other one."""
    f = kernel(
        f"{p}f",
        CA,
        f"{I} int j = 47 - i; c[i] = a[j] * a[j];",
        writes("c"),
        reads("a", lambda item, _shape, _bound: [47 - item[0]]),
    )
    g = kernel(
        f"{p}g",
        f"{CA}, global const float *b",
        f"{I} for (int k = 0; k < 4; k++) {{ int j = i; c[j] = c[j] * 0.5f + k; }}",
        updates("c"),
        reads("a", nothing),
        reads("b", nothing),
    )
    a, t = names[:2]
    calls = (Call(f, (t, a), world.shape), Call(g, (t, a, a), world.shape))
    return Motif(calls)


def load_below_a_store(world: World, p: str, names: Sequence[str]) -> Motif:
    f = kernel(f"{p}f", CA, f"{I} c[i] = a[i];", writes("c"), reads("a"))
    g = kernel(
        f"{p}g",
        f"{CA}, global float *z",
        f"{I} {{ if (a[i] > 0.5f) c[i] = 3.0f; z[i] = c[i]; }}",
        updates("c"),
        reads("a"),
        writes("z"),
    )
    a, t, c, z = names[:4]
    return Motif(
        (
            Call(g, (t, a, z), world.shape),
            Call(f, (c, t), world.shape),
            Call(f, (a, t), world.shape),
        )
    )


def other_build(world: World, p: str, names: Sequence[str]) -> Motif:
    """Proved for rows of 2, built for rows of 1."""
    f = kernel(
        f"{p}f",
        CA,
        f"{I} for (int j = 0; j < {p}ROW; j++) c[i * {p}ROW + j] = a[i] + j;",
        writes("c", own),
        reads("a", own),
    )
    g = kernel(
        f"{p}g",
        CA,
        f"{I} c[i] = a[i * 2 + 1];",
        writes("c", own),
        reads("a", lambda item, _shape, _bound: [item[0] * 2 + 1]),
    )
    name = f"{p}ROW"
    return Motif(_pair(world, f, g, names), defines=(f"{name}=2",), options=(f"-D{name}=1",))


def index_of_the_build(world: World, p: str, names: Sequence[str]) -> Motif:
    """A macro with a default, which build options may replace."""
    g = kernel(
        f"{p}g",
        CA,
        f"{I} c[i] = a[i + {p}SHIFT];",
        writes("c"),
        reads("a", lambda item, _shape, _bound: [item[0] + 1]),
    )
    head = f"#ifndef {p}SHIFT\n#define {p}SHIFT 0\n#endif\n"
    option = f"-D{p}SHIFT=1"
    return Motif(_pair(world, _square(p), g, names), head=head, options=(option,))


def own_and_next(item: Item, _shape: Shape, _bound: Bound) -> list[int]:
    return [item[0], item[0] + 1]


def _behind_a_square(world: World, p: str, names: Sequence[str], body: str) -> Motif:
    """The body stores to c[i], and loads from a[i] and a[i + 1]."""
    g = kernel(f"{p}g", CA, f"{I} {body}", writes("c"), reads("a", own_and_next))
    return Motif(_pair(world, _square(p), g, names))


def value_of_a_branch(world: World, p: str, names: Sequence[str]) -> Motif:
    body = "int j; if (i % 2 == 0) j = i; else j = i + 1; c[i] = a[j];"
    return _behind_a_square(world, p, names, body)


def value_that_memory_decides(world: World, p: str, names: Sequence[str]) -> Motif:
    body = "int j = i + 1; if (i >= 0 && a[i] > 0.5f) j = i; c[i] = a[j];"
    return _behind_a_square(world, p, names, body)


def value_under_a_condition(world: World, p: str, names: Sequence[str]) -> Motif:
    """Outside of the condition the text of the index names another element."""
    g = kernel(
        f"{p}g",
        f"{CA}, global float *z",
        f"{I} c[i] = a[i]; if (i < 30) c[min(i, 29)] = a[i] + 3.0f; z[i] = c[i];",
        updates("c"),
        reads("a"),
        writes("z"),
    )
    a, t, c, z = names[:4]
    return Motif((Call(_square(p), (t, a), world.shape), Call(g, (c, t, z), world.shape)))


def value_of_a_loop(world: World, p: str, names: Sequence[str]) -> Motif:
    body = "int j = i; for (int k = 0; k < 2; k++) { c[i] = a[j]; j = j + k + 1; }"
    return _behind_a_square(world, p, names, body)


def value_of_a_switch(world: World, p: str, names: Sequence[str]) -> Motif:
    body = "int j = i; switch (i % 2) { case 1: j = i + 1; c[i] = 0; default: c[i] = a[j]; }"
    return _behind_a_square(world, p, names, body)


def pointer_of_a_condition(world: World, p: str, names: Sequence[str]) -> Motif:
    body = "global const float *q = i % 2 ? a : a + 1; c[i] = q[i];"
    return _behind_a_square(world, p, names, body)


def pointer_of_a_loop(world: World, p: str, names: Sequence[str]) -> Motif:
    body = "global const float *q = a + i; for (int k = 0; k < 2; k++) { c[i] = *q; q++; }"
    return _behind_a_square(world, p, names, body)


def pointer_of_a_function(world: World, p: str, names: Sequence[str]) -> Motif:
    body = f"c[i] = {p}second(a + i, i % 2);"
    motif = _behind_a_square(world, p, names, body)
    helper = f"float {p}second(global const float *q, int k) {{ if (k) q += 1; return *q; }}\n"
    return replace(motif, head=helper)


def two_widths(world: World, p: str, names: Sequence[str]) -> Motif:
    def four(item: Item, _shape: Shape, _bound: Bound) -> list[int]:
        return list(range(4 * item[0], 4 * item[0] + 4)) if item[0] < 12 else []

    f = kernel(
        f"{p}f",
        CA,
        f"{I} if (i < 12) ((global float4 *)c)[i] = 0.5f * vload4(i, a);",
        writes("c", four),
        reads("a", four),
    )
    g = kernel(f"{p}g", CA, f"{I} c[i] = a[i] + 1.0f;", writes("c"), reads("a"))
    return Motif(_pair(world, f, g, names))


ONE_DIMENSION: dict[str, Make] = {
    make.__name__: make
    for make in (
        printf,
        histogram,
        builtin_of_the_compiler,
        return_in_a_loop,
        id_in_a_loop,
        assigned_parameter,
        macro_redefined,
        contraction,
        required_sizes,
        two_local_sizes,
        two_types,
        shared_tile,
        barrier_behind_a_guard,
        hand_over,
        copy_to_a_tile,
        product_that_wraps,
        groups_not_full,
        global_offset,
        narrow_load,
        guards_of_two_types,
        element_by_two_names,
        inner_variables,
        load_below_a_store,
        other_build,
        index_of_the_build,
        value_of_a_branch,
        value_that_memory_decides,
        value_under_a_condition,
        value_of_a_loop,
        value_of_a_switch,
        pointer_of_a_condition,
        pointer_of_a_loop,
        pointer_of_a_function,
        two_widths,
    )
}
TWO_DIMENSIONS: dict[str, Make] = {
    make.__name__: make for make in (row_without_bound, one_row, store_that_covers_little)
}
