"""The C functions of a pattern, where they differ from those of the case studies."""

from __future__ import annotations

from dataclasses import replace

from kfusion.api import fuse
from kfusion.graph.model import LaunchRange, Marching, Tiles
from kfusion.regenerate.making import making_text
from kfusion.regenerate.pattern import Form, Pattern

SOURCE = """
kernel void twice(global float *c, global const float *a, const int w)
{
    const int x = get_global_id(0), y = get_global_id(1);
    c[y * w + x] = 2.0f * a[y * w + x];
}
"""
MADE = """\
static int kfusion_make_plane(kfusion_run *run)
{
    const kfusion_noted *twice = kfusion_step(run, 0);
    const kfusion_noted *twice_2 = kfusion_step(run, 1);
    cl_kernel fused;
    static const kfusion_tiles tiles = {2, {256, 64, 1}, {32, 8, 1}, 0, 0, {0}};

    if (!kfusion_plane_fits(run))
        return 0;
    fused = kfusion_tiles_kernel(run, twice_2, "twice_fused", 5, &tiles);
    if (fused == NULL)
        return KFUSION_NO(run, "twice_fused is not there, or cannot run like this");

    /* twice(t, a, w), twice(c, t, w) */
    kfusion_pass(run, fused, 0, twice, 1);
    kfusion_pass(run, fused, 1, twice_2, 0);
    kfusion_pass(run, fused, 2, twice, 2);
    kfusion_make_tiles(run, fused, twice_2, &tiles);
    kfusion_did(run, 2, (size_t)0, (size_t)1);
    return kfusion_made(run);
}"""


def test_a_launch_in_tiles() -> None:
    """The kernel has two parameters more, and any local size of the calls will do."""
    ranges = [LaunchRange(2, "plane", local) for local in (None, "local")]
    fused = fuse(SOURCE, ["twice(t, a, w)", "twice(c, t, w)"], ["c"], ranges=ranges)
    (group,), (kernel,) = fused.plan.groups, fused.fused
    kernel = replace(kernel, tiles=Tiles((256, 64), (32, 8)))
    for tiles, told in (
        (
            Marching((248, 96), (64, 1), 4, 12, 1584),
            "2, {248, 96, 1}, {64, 1, 1}, 12, 1584, {64, 8}",
        ),
        (
            Marching((30, 28, 96), (256, 1, 1), 4, 4, 9),
            "3, {30, 28, 96}, {256, 1, 1}, 4, 9, {32, 8}",
        ),
    ):
        form = Form(fused.plan, {group: replace(kernel, tiles=tiles)})
        text = making_text(Pattern("plane", fused.plan.invocations, form))
        assert f"tiles = {{{told}}};" in text
    form = Form(fused.plan, {group: kernel})
    text = making_text(Pattern("plane", fused.plan.invocations, form))
    assert text[text.index("static int kfusion_make_plane") :] == MADE
