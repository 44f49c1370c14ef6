"""When two symbolic values are the same, and what would have to be equal for it."""

from __future__ import annotations

from kfusion.host.symbolic import Entry, Op, Sym, Unknown, known_on_entry, leaves

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
