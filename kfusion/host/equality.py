"""When two symbolic values are the same, and what would have to be equal for it."""

from __future__ import annotations

from collections.abc import Mapping

from kfusion.graph.model import Scalar
from kfusion.host.symbolic import Entry, Made, Num, Op, Phi, Sym, Unknown, known_on_entry, leaves


def identity(value: Sym) -> Sym:
    """Which object a handle names: one that is made when missing counts as the one there."""
    if isinstance(value, Phi):
        parts = {identity(part) for part in value.alternatives}
        others = {part for part in parts if not is_new_buffer(part)}
        if len(others) == 1:
            return others.pop()
    return value


def is_new_buffer(value: Sym | None) -> bool:
    """An image, too."""
    return isinstance(value, Made) and value.kind in ("buffer", "image")


def may_be_at_most(values: Mapping[str, Sym], left: Scalar, right: Scalar) -> bool:
    """Is the one number known to be no more than the other, or can they be compared on entry?"""
    a, b = values.get(left.name), values.get(right.name)
    if a is None or b is None:
        return False
    if isinstance(a, Num) and isinstance(b, Num):
        return 0 <= a.value <= b.value < 1 << 31  # in any type
    return known_on_entry(a) and known_on_entry(b)


_WIDE = frozenset(
    f"({name})"
    for name in (
        *("size_t", "unsigned long", "unsigned long int", "unsigned long long", "cl_ulong"),
        *("uint64_t", "uintptr_t", "long"),
    )
)


def strip(value: Sym) -> Sym:
    """Without casts to 64 bits: they do not change a size. Narrower ones may."""
    while isinstance(value, Op) and value.name in _WIDE and len(value.args) == 1:
        value = value.args[0]
    if isinstance(value, Phi):
        return Phi(tuple(map(strip, value.alternatives)), value.number)
    return value


def may_be_equal(left: Sym, right: Sym) -> bool:
    """Are the two values likely to be equal? Of what is not known nothing else can be said."""
    if left == right or is_open(left) or is_open(right):
        return True
    if is_image_size(left) or is_image_size(right):
        return known_on_entry(left) and known_on_entry(right)
    if isinstance(left, Entry) and isinstance(right, Entry):
        return True
    return (
        _one_wide(left, right) or _have_equal_parts(left, right) or _may_be_one_count(left, right)
    )


def is_open(value: Sym) -> bool:
    return any(isinstance(leaf, Unknown | Phi) for leaf in (value, *leaves(value)))


def _one_wide(left: Sym, right: Sym) -> bool:
    """Two variables of which one at least is compared as 64 bits: it is given for a size_t."""
    inner = (strip(left), strip(right))
    if inner == (left, right) or not all(isinstance(value, Entry) for value in inner):
        return False
    return not (isinstance(left, Op) and isinstance(right, Op) and left.name != right.name)


def _have_equal_parts(left: Sym, right: Sym) -> bool:
    if not (isinstance(left, Op) and isinstance(right, Op)):
        return False
    if left.name != right.name or len(left.args) != len(right.args):
        return False
    return all(
        may_be_equal(a, b)
        and not (_one_wide(a, b) and not (isinstance(a, Op) and isinstance(b, Op)))
        for a, b in zip(left.args, right.args, strict=True)
    )


def image_size_of(image: Sym, which: str) -> Op:
    """The width or height of an image, asked at run time."""
    return Op(f"kfusion_image_{which}", (image,))


def is_image_size(value: Sym) -> bool:
    return isinstance(value, Op) and value.name.startswith("kfusion_image_")


def is_count(value: Sym) -> bool:
    """`bytes / sizeof(float)`: a number of elements."""
    value = strip(value)
    return (
        isinstance(value, Op)
        and value.name == "/"
        and len(value.args) == 2
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
