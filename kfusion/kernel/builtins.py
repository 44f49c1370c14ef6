"""OpenCL C's built-in functions, by what they mean for fusion."""

from __future__ import annotations

import re

from kfusion.kernel.model import Feature

# Work-item functions with an argument that has a normal form.
IDS = {
    "get_global_id": "global_id",
    "get_local_id": "local_id",
    "get_group_id": "group_id",
    "get_local_size": "local_size",
    "get_global_size": "global_size",
    "get_global_offset": "global_offset",
    "get_num_groups": "num_groups",
}
# The others: their values depend on the groups or on the number of dimensions.
GROUP_QUERIES = frozenset(
    "get_enqueued_local_size get_local_linear_id get_sub_group_id "
    "get_sub_group_local_id get_sub_group_size get_num_sub_groups".split()
)
BARRIERS = ("barrier", "work_group_barrier")
FENCES = ("mem_fence", "read_mem_fence", "write_mem_fence")
RANGE_QUERIES = frozenset(("get_work_dim", "get_global_linear_id"))

_FEATURES = [
    (Feature.BARRIER, r"barrier|(work_group|sub_group)_barrier|(read_|write_)?mem_fence"),
    (Feature.BARRIER, r"atomic_work_item_fence"),
    (Feature.ASYNC_COPY, r"async_work_group_\w+|wait_group_events|prefetch"),
    (Feature.WORK_GROUP, r"(intel_)?(work_group|sub_group)_\w+"),
    (Feature.ATOMIC, r"atom(ic)?_\w+"),
    (Feature.VECTOR_ACCESS, r"v(load|store)\w*"),
    (Feature.IMAGE, r"(read|write)_image\w*|get_image_\w+"),
    (Feature.PRINTF, r"printf"),
]
# They order nothing but the changes of one element.
ATOMICS = frozenset(
    f"{kind}_{what}"
    for kind in ("atom", "atomic")
    for what in "add sub xchg inc dec cmpxchg min max and or xor".split()
)
_PURE = frozenset(
    """
    acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos
    cosh cospi erfc erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp
    hypot ilogb ldexp lgamma lgamma_r log log2 log10 log1p logb mad maxmag minmag modf nan
    nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt
    tan tanh tanpi tgamma trunc
    abs abs_diff add_sat hadd rhadd clamp clz ctz mad_hi mad_sat max min mul_hi rotate sub_sat
    upsample popcount mad24 mul24
    degrees mix radians step smoothstep sign
    cross dot distance length normalize fast_distance fast_length fast_normalize
    isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf
    isnan isnormal isordered isunordered signbit any all bitselect select shuffle shuffle2
    vec_step
    """.split()
)
IMAGE_QUERIES = frozenset(
    "get_image_width get_image_height get_image_dim get_image_depth get_image_array_size "
    "get_image_channel_data_type get_image_channel_order".split()
)
# What of the size of an image they tell.
IMAGE_SIZES = {
    "get_image_width": ("width",),
    "get_image_height": ("height",),
    "get_image_dim": ("width", "height"),
}
# The types that images are read and written as.
TEXELS = {"f": "float4", "i": "int4", "ui": "uint4"}
_IMAGE_CALL = re.compile(r"(read|write)_image(f|i|ui)")
# Those that write through a pointer, into private memory if they are pure.
_WRITES_ARGUMENT = frozenset("fract frexp lgamma_r modf remquo sincos".split())
_TYPE = r"(char|uchar|short|ushort|int|uint|long|ulong|float|double|half)(2|3|4|8|16)?"
_FAST = "cos divide exp exp2 exp10 log log2 log10 powr recip rsqrt sin sqrt tan"
_PURE_PATTERN = re.compile(
    rf"convert_{_TYPE}(_sat)?(_rt[ezpn])?|as_{_TYPE}|(native|half)_({_FAST.replace(' ', '|')})"
)
CONSTANTS = re.compile(
    r"true|false|NULL|[A-Z][A-Z0-9_]*"  # names of macros, the library's or given by build options
)


def feature_of(name: str) -> Feature | None:
    """The feature that a call of this built-in function is."""
    for feature, pattern in _FEATURES:
        if re.fullmatch(pattern, name):
            return feature
    return None


def image_call(name: str) -> tuple[str, str] | None:
    """`read` or `write`, and the type of the texel."""
    match = _IMAGE_CALL.fullmatch(name)
    return (match.group(1), TEXELS[match.group(2)]) if match else None


def reads_image(name: str) -> bool:
    called = image_call(name)
    return called is not None and called[0] == "read"


def is_vector_access(name: str) -> bool:
    """vload4, vstore_half: elements behind a pointer."""
    return feature_of(name) is Feature.VECTOR_ACCESS


def reads_lanes(name: str) -> bool:
    """vload4, vload_half"""
    return is_vector_access(name) and name.startswith("vload")


def is_pure(name: str) -> bool:
    """A built-in function without effects beyond its private pointer arguments."""
    return name in _PURE or name in IMAGE_QUERIES or _PURE_PATTERN.fullmatch(name) is not None


def is_value(name: str) -> bool:
    """A pure function that does nothing but return a value."""
    return is_pure(name) and name not in _WRITES_ARGUMENT


def is_work_item(name: str) -> bool:
    return name in IDS or name in GROUP_QUERIES or name in RANGE_QUERIES


def is_known(name: str) -> bool:
    """A name of OpenCL C's own."""
    return is_pure(name) or is_work_item(name) or feature_of(name) is not None
