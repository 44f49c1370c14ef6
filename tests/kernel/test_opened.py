"""Names that only build options can define may stand for anything, even for a read of memory."""

from __future__ import annotations

import kfusion

SOURCE = """
kernel void scale(global float *t, global const float *a)
{
    const int i = get_global_id(0);
    t[i] = a[i] * 2;
}

kernel void fill(global float *d, global const float *t)
{
    const int i = get_global_id(0);
    d[i] = VALUE;
}
"""
CALLS = ["scale(t, a)", "fill(d, t)"]


def test_a_name_that_the_build_may_define_as_a_read_is_not_fused() -> None:
    fused = kfusion.fuse(SOURCE, CALLS)
    assert [launch.name for launch in fused.kernels] == ["scale", "fill"]
    assert [(d.code, d.message) for d in fused.diagnostics if d.code != "KF401"] == [
        ("KF216", "nothing in the file defines 'VALUE', so build options may make it anything")
    ]


def test_a_name_that_is_given_is_fused() -> None:
    fused = kfusion.fuse(SOURCE, CALLS, defines={"VALUE": "3.0f"})
    assert [launch.name for launch in fused.kernels] == ["scale_fill"]
