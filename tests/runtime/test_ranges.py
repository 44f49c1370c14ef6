"""Which ranges the run time notes: those whose ids all proofs hold for."""

from __future__ import annotations

from pathlib import Path

from casestudies.measure import build, run_counted
from kfusion.runtime import HEADER_NAME, runtime_text

PROGRAM = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include "kfusion_fused.h"

int main(void)
{
    const size_t most = (size_t)1 << 31;
    const size_t fits[3] = {1 << 16, 1, 1 << 15}, large[3] = {1, most + 1, 1};
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
