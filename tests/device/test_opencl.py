import re
import time
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

from kfusion.device.opencl import KernelBuildError, build_program, pocl_device

DOUBLED = "kernel void doubled(global int *x) { x[get_global_id(0)] *= FACTOR; }\n"
CARELESS = (
    "kernel void careless(global int *x, int spare)\n{\n    int dead = 3;\n    x[0] = 1;\n}\n"
)


def test_device_is_pocls() -> None:
    assert pocl_device().platform.name == "Portable Computing Language"


def test_built_program_runs() -> None:
    built = build_program(DOUBLED, ["-DFACTOR=2"])
    values = np.arange(8, dtype=np.int32)
    memory = cl.Buffer(
        built.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=values
    )
    queue = cl.CommandQueue(built.context)
    built.program.doubled(queue, values.shape, None, memory)
    cl.enqueue_copy(queue, values, memory)
    assert values.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    assert built.warnings == ()


def test_a_folder_of_headers_with_a_space_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "for Gr\u00fc\u00dfe"
    folder.mkdir()
    (folder / "factor.h").write_text("#define FACTOR 2\n")
    build_program(f'#include "factor.h"\n{DOUBLED}', [f"-I{folder}"])


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    build_program(f"\ufeff{DOUBLED}", ["-DFACTOR=2"])


def test_warnings_carry_name_and_line_of_the_text() -> None:
    assert build_program(CARELESS).warnings == ()
    assert build_program(CARELESS, name="careless.cl", all_warnings=True).warnings == (
        "warning: careless.cl:3:9: unused variable 'dead'",
        "warning: careless.cl:1:41: unused parameter 'spare'",
    )


def test_warnings_are_the_same_from_a_cold_and_a_warm_cache() -> None:
    text = f"constant int unique = {time.time_ns() % 2**31};\n{CARELESS}"
    first = build_program(text, all_warnings=True).warnings
    assert build_program(text, all_warnings=True).warnings == first
    assert len(first) == 2
    moved = build_program(f"// a comment\n{text}", all_warnings=True).warnings
    assert [warning.split(":")[2] for warning in moved] == ["5", "3"]


def test_rejected_program_shows_the_compilers_log() -> None:
    with pytest.raises(
        KernelBuildError, match=re.escape("error: bad.cl:1:61: use of undeclared identifier")
    ):
        build_program(DOUBLED, name="bad.cl")
