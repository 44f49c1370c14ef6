"""Which ranges the run time notes, those whose ids all proofs hold for, and makes in tiles."""

from __future__ import annotations

from pathlib import Path

from casestudies.measure import build, run_counted
from kfusion.graph.model import Marching
from kfusion.runtime import HEADER_NAME, runtime_text

PROGRAM = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include "kfusion_fused.h"

int main(void)
{
    const size_t most = ((size_t)1 << 31) - (1 << 15);
    const size_t fits[3] = {1 << 15, 1, 1 << 15}, large[3] = {1, most + 1, 1};
    const size_t many[3] = {1 << 16, 2, 1 << 15}, one[3] = {1, 1, 1};
    const size_t none[3] = {0, 0, 0}, far[3] = {0, most - 1, 0}, beyond[3] = {0, 1, 0};
    const size_t endless[3] = {0, (size_t)-1, 0}, small[3] = {7, 1, 1};

    printf("%d", kfusion_has_small_ids(3, NULL, fits));
    printf("%d", kfusion_has_small_ids(3, none, fits));
    printf("%d", kfusion_has_small_ids(1, NULL, large));
    printf("%d", kfusion_has_small_ids(2, NULL, large));
    printf("%d", kfusion_has_small_ids(3, far, one));
    printf("%d", kfusion_has_small_ids(3, beyond, large));
    printf("%d", kfusion_has_small_ids(3, endless, small));
    printf("%d", kfusion_has_small_ids(3, NULL, many));
    printf("%d", kfusion_has_small_ids(2, NULL, many));
    printf("%d\n", kfusion_has_small_ids(3, one, fits));
    return 0;
}
"""


def test_ids_below_2_to_the_31(tmp_path: Path) -> None:
    (tmp_path / HEADER_NAME).write_text(runtime_text("tested", ""))
    (tmp_path / "ranges.c").write_text(PROGRAM)
    program = build([tmp_path / "ranges.c"], tmp_path / "ranges", [tmp_path])
    assert run_counted([str(program)], {}).stdout == "1110100010\n"


IN_TILES = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include "kfusion_fused.h"

static void tell(cl_uint dimensions, size_t offset, size_t depth, size_t width, size_t height)
{
    static const kfusion_tiles tiles = {2, {5, 4, 1}, {2, 1000, 1}, 0, 0, {0}};
    const kfusion_noted range = {.dimensions = dimensions, .offset = {0, offset, 0},
                                 .global = {width, height, depth}};
    kfusion_state state = {0};
    kfusion_run run = {.state = &state};
    size_t global[3] = {0, 0, 0};
    const int can = kfusion_in_tiles(&range, &tiles, global);

    kfusion_make_tiles(&run, NULL, &range, &tiles);
    if (can)
        printf("%lu x %lu", (unsigned long)global[0], (unsigned long)global[1]);
    printf(can == run.refused ? "?" : can ? ", " : "no, ");
}

static void march_in(const kfusion_tiles *tiles, const kfusion_noted *range)
{
    size_t global[3] = {0, 0, 1};

    if (!kfusion_in_tiles(range, tiles, global))
        printf("none, ");
    else
        printf("%lu x %lu x %lu, ", (unsigned long)global[0], (unsigned long)global[1],
               (unsigned long)global[2]);
}

static void march(size_t width, size_t height)
{
    static const kfusion_tiles tiles = {2, {248, 96, 1}, {64, 1, 1}, 12, 1584, {64, 8}};
    const kfusion_noted range = {.dimensions = 2, .global = {width, height, 1}};

    march_in(&tiles, &range);
}

static void march_through(size_t width, size_t height, size_t depth)
{
    static const kfusion_tiles tiles = {3, {26, 28, 96}, {256, 1, 1}, 12, 1584, {32, 8}};
    const kfusion_noted range = {.dimensions = 3, .global = {width, height, depth}};

    march_in(&tiles, &range);
}

int main(void)
{
    march(1, 1), march(250, 25), march(4096, 4096), march(1 << 15, 1 << 15);
    march(370719, 370719), march(370728, 370728), march(1 << 29, 1), march(1, (1 << 31) - 100);
    march_through(1, 1, 1), march_through(33, 40, 50), march_through(512, 512, 512);
    march_through(6300, 6300, 6300), march_through(6700, 6700, 6700);
    march_through((size_t)1 << 29, 1 << 29, 1 << 29);
    tell(2, 0, 1, 1, 1), tell(2, 0, 1, 5, 4), tell(2, 0, 1, 6, 5), tell(2, 0, 1, 10, 8);
    tell(2, 1, 1, 5, 4), tell(1, 0, 1, 5, 1), tell(3, 0, 1, 5, 4), tell(3, 0, 2, 5, 4);
    tell(2, 0, 1, (size_t)CL_INT_MAX / 2 - 5, 1), tell(2, 0, 1, (size_t)CL_INT_MAX / 2 - 4, 1);
    tell(2, 0, 1, 1, 4294964), tell(2, 0, 1, 1, 4294965);
    return 0;
}
"""


def test_ranges_that_are_done_in_tiles(tmp_path: Path) -> None:
    """Without an offset, in as many dimensions; ends of tiles and ids of the launch are ints."""
    (tmp_path / HEADER_NAME).write_text(runtime_text("tested", ""))
    (tmp_path / "tiles.c").write_text(IN_TILES)
    program = build([tmp_path / "tiles.c"], tmp_path / "tiles", [tmp_path])
    march = Marching((248, 96), (64, 1), columns=4, least=12, groups=1584)
    sizes = [(1, 1), (250, 25), (4096, 4096), (1 << 15, 1 << 15), (370719, 370719)]
    sizes += [(370728, 370728), (1 << 29, 1), (1, (1 << 31) - 100)]
    launched = [f"{march.launched(n)[0]} x 1 x 1" if march.fit(n) else "none" for n in sizes]
    march = Marching((26, 28, 96), (256, 1, 1), columns=4, least=12, groups=1584)
    cubes = [(1, 1, 1), (33, 40, 50), (512,) * 3, (6300,) * 3, (6700,) * 3, (1 << 29,) * 3]
    launched += [" x ".join(map(str, march.launched(n))) if march.fit(n) else "none" for n in cubes]
    assert launched[8:11] == ["1024 x 1 x 1", "8192 x 1 x 1", "780288 x 1 x 1"]
    assert [each == "none" for each in launched[11:]] == [False, True, True]
    assert run_counted([str(program)], {}).stdout == (
        f"{', '.join(launched)}, "
        "2 x 1000, 2 x 1000, 4 x 2000, 4 x 2000, no, no, 2 x 1000, no, "
        "429496728 x 1000, no, 2 x 1073741000, no, "
    )
