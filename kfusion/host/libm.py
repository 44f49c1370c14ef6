"""The functions of C99's math.h, and the names that compilers have for them themselves.

What they do to errno and to the flags of the floating-point unit is no observation.
"""

from __future__ import annotations

from collections.abc import Iterable

_BUILTIN = "__builtin_"


def _of_each_type(names: str) -> frozenset[str]:
    """`exp`, `expf` and `expl`."""
    return _with_builtins(name + end for name in names.split() for end in ("", "f", "l"))


def _with_builtins(names: Iterable[str]) -> frozenset[str]:
    return frozenset(each for name in names for each in (name, _BUILTIN + name))


# of a text in memory
NANS = _of_each_type("nan")
# they set `signgam`, too
GAMMAS = _of_each_type("lgamma")
# through a pointer: which argument
WRITES = {
    **dict.fromkeys(_of_each_type("frexp modf"), (1,)),
    **dict.fromkeys(_of_each_type("remquo"), (2,)),
}
# Python's `math` has them, too.
ELEMENTARY = "sqrt cbrt exp exp2 log log2 log10 ceil floor trunc fabs fmod pow hypot".split()
_REAL = [
    *ELEMENTARY,
    *"acos asin atan cos sin tan acosh asinh atanh cosh sinh tanh expm1 log1p logb".split(),
    *"erf erfc tgamma nearbyint rint round atan2 remainder copysign nextafter".split(),
    *"nexttoward fdim fmax fmin fma ldexp scalbn scalbln".split(),
]
REAL = _of_each_type(" ".join(_REAL))  # functions whose result is a real number
PURE = (
    REAL
    | _of_each_type("lrint llrint lround llround ilogb")
    | _with_builtins(
        "fpclassify isfinite isinf isinf_sign isnan isnormal signbit isgreater isgreaterequal "
        "isless islessequal islessgreater isunordered".split()
    )
    | {name for name in _of_each_type("huge_val inf") if name.startswith(_BUILTIN)}
)


def plain(name: str) -> str:
    """Without what says the type: `ceil` of `ceilf` and `__builtin_ceill`."""
    name = name.removeprefix(_BUILTIN)
    return name[:-1] if f"{_BUILTIN}{name[:-1]}" in PURE and name[-1] in "fl" else name
