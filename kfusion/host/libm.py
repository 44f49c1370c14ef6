"""The functions of C99's math.h, and the names that compilers have for them themselves.

What they do to errno and to the flags of the floating-point unit is no observation.
"""

from __future__ import annotations

_BUILTIN = "__builtin_"


def _of_each_type(names: str) -> dict[str, str]:
    """`exp`, `expf` and `expl`, and what they compute with."""
    ends = {"": "double", "f": "float", "l": "long double"}
    return _with_builtins({name + end: ends[end] for name in names.split() for end in ends})


def _with_builtins(types: dict[str, str]) -> dict[str, str]:
    return {**types, **{_BUILTIN + name: type_ for name, type_ in types.items()}}


_CONSTANTS = {name: t for name, t in _of_each_type("huge_val inf").items() if _BUILTIN in name}
_REAL = _of_each_type(
    "acos asin atan cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 log log10 log1p "
    "log2 logb cbrt fabs sqrt erf erfc tgamma ceil floor nearbyint rint round trunc atan2 pow "
    "hypot fmod remainder copysign nextafter nexttoward fdim fmax fmin fma ldexp scalbn scalbln"
)
_LONG = dict.fromkeys(_of_each_type("lrint llrint lround llround"), "long")
_INT = dict.fromkeys(
    [
        *_of_each_type("ilogb"),
        *_with_builtins(
            dict.fromkeys(
                "fpclassify isfinite isinf isinf_sign isnan isnormal signbit isgreater "
                "isgreaterequal isless islessequal islessgreater isunordered".split(),
                "int",
            )
        ),
    ],
    "int",
)
# of a text in memory
NANS = _of_each_type("nan")
# they set `signgam`, too
GAMMAS = _of_each_type("lgamma")
# through a pointer: which argument
WRITES = {
    **dict.fromkeys(_of_each_type("frexp modf"), (1,)),
    **dict.fromkeys(_of_each_type("remquo"), (2,)),
}
PURE = frozenset(_REAL | _CONSTANTS | _LONG | _INT)
