"""When two symbolic values are the same, and what would have to be equal for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import add, and_, floordiv, lshift, mod, mul, or_, rshift, sub, xor
from typing import Any

from kfusion.host.symbolic import Entry, Num, Op, Sym, Unknown, known_on_entry, leaves

_WIDE = frozenset(
    f"({name})"
    for name in (
        *("size_t", "unsigned long", "unsigned long int", "unsigned long long", "cl_ulong"),
        *("uint64_t", "uintptr_t", "long"),
    )
)
_NARROW = ("(int)", "(unsigned)", "(unsigned int)", "(cl_int)", "(cl_uint)")


def strip(value: Sym) -> Sym:
    """Without casts to 64 bits: they do not change a size. Narrower ones may."""
    while isinstance(value, Op) and value.name in _WIDE and len(value.args) == 1:
        value = value.args[0]
    return value


def may_be_equal(left: Sym, right: Sym) -> bool:
    """Are the two values likely to be equal? Of what is not known nothing else can be said."""
    if left == right or is_open(left) or is_open(right):
        return True
    if is_image_size(left) or is_image_size(right):
        return known_on_entry(left) and known_on_entry(right)
    left, right = strip(left), strip(right)
    if isinstance(left, Entry) and isinstance(right, Entry):
        return True
    if isinstance(left, Op) and isinstance(right, Op) and left.name == right.name:
        if len(left.args) == len(right.args) and all(map(may_be_equal, left.args, right.args)):
            return True
    return _may_be_one_count(left, right)


_COMPUTED: Mapping[str, Callable[[int, int], int]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": floordiv,
    "%": mod,
    "<<": lshift,
    ">>": rshift,
    "&": and_,
    "|": or_,
    "^": xor,
}
# Of sizes: what is rounded up to whole groups stays as it is.
_EXAMPLES = (1 << 12, 3 << 10, 5 << 9, 7 << 8)


def examples(values: Sequence[Sym]) -> list[int] | None:
    """Numbers for values that are computed from the same unknown ones: `n` and `n >> 1`."""
    unknown = [dict.fromkeys(x for x in leaves(v) if not isinstance(x, Num)) for v in values]
    if not unknown or any(each.keys() != unknown[0].keys() for each in unknown):
        return None
    given = dict(zip(unknown[0], _EXAMPLES, strict=False))
    found = [_example(value, given) for value in values]
    known = [number for number in found if number is not None]
    return known if len(known) == len(found) else None


def _example(value: Sym, given: Mapping[Any, int]) -> int | None:
    if isinstance(value, Num):
        return value.value
    if not isinstance(value, Op):
        return given.get(value)
    parts = [_example(part, given) for part in value.args]
    known = [part for part in parts if part is not None]
    if len(known) == len(parts) == 1 and value.name in (*_WIDE, *_NARROW):
        return known[0]
    compute = _COMPUTED.get(value.name)
    if compute is None or len(known) != 2 or len(parts) != 2:
        return None
    by_nothing = value.name in ("/", "%") and known[1] == 0
    shifts = value.name in ("<<", ">>") and not 0 <= known[1] < 64
    return None if by_nothing or shifts else compute(*known)


def is_open(value: Sym) -> bool:
    return any(isinstance(leaf, Unknown) for leaf in leaves(value))


def image_size_of(image: Sym, which: str) -> Op:
    """The width or height of an image, asked at run time."""
    return Op(f"kfusion_image_{which}", (image,))


def is_image_size(value: Sym) -> bool:
    return isinstance(value, Op) and value.name.startswith("kfusion_image_")


def is_count(value: Sym) -> bool:
    """`bytes / sizeof(float)`: a number of elements."""
    return (
        isinstance(value, Op)
        and value.name == "/"
        and isinstance(value.args[1], Op)
        and value.args[1].name.startswith("sizeof")
    )


def _may_be_one_count(left: Sym, right: Sym) -> bool:
    """A number of elements, computed from bytes in one place and given in the other.

    Values of other forms are not compared: `n / 2` and `n` would hardly ever be equal.
    """
    if not (known_on_entry(left) and known_on_entry(right)):
        return False
    if is_count(left):
        return is_count(right) or _is_product(right)
    return is_count(right) and _is_product(left)


def _is_product(value: Sym) -> bool:
    """`n`, `rows * cols`"""
    value = strip(value)
    if isinstance(value, Op):
        return value.name == "*" and all(map(_is_product, value.args))
    return isinstance(value, Entry)
