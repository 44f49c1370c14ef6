"""One element, by indices that are computed with sign in one kernel and without in another one."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from tests.support.pyopencl_run import Case, assert_same

W, H = 32, 16
KERNELS = {
    "rows": """
kernel void NAME(global float *c, global const float *a, const int w, const int h)
{
    const TYPE x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    c[y * w + x] = 3 * a[y * w + x] + 1;
}
""",
    "behind": """
kernel void NAME(global float *c, global const float *a, const int w, const int h)
{
    const TYPE i = get_global_id(0);
    c[i + w] = h * a[i + w] + 1;
}
""",
}
TYPES = ("int uint int", "uint int uint", "int size_t uint", "size_t uint int", "uint uint int")


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("calls", [2, 3])
@pytest.mark.parametrize("types", TYPES)
def test_bits_are_the_same(kind: str, calls: int, types: str) -> None:
    names = ("first", "second", "third")
    source = "".join(
        KERNELS[kind].replace("NAME", name).replace("TYPE", type_)
        for name, type_ in zip(names, types.split(), strict=True)
    )
    called = ["first(t, a, w, h)", "second(c, t, w, h)", "third(t, a, w, h)"][:calls]
    out = ["c", "t"][: calls - 1]
    fused = fuse(source, called, out)
    random = np.random.default_rng(1)
    data = {name: random.random(2 * W * H).astype(np.float32) for name in "atc"}
    size = (W, H) if kind == "rows" else (W * H,)
    assert_same(fused, source, Case(data, {"w": np.int32(W), "h": np.int32(H)}, size), out)
    if "size_t" not in types and calls == 2:
        assert len(fused.kernels) == 1
        assert "t[" not in fused.fused[0].text
