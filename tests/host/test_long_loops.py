"""Loops with constant bounds are followed step by step: only as far as somebody may ask."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bench.generate import write_program
from kfusion.driver import fuse_files
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir, include_dir

PROGRAM = Path(__file__).parents[1] / "cli" / "program"
SECONDS = 5.0  # of CPU: each took a minute and more when all iterations were followed
LOOPS = {
    "sum": "double s = 0; FOR(a) FOR(b) s += a * b; table[0] = s;",
    "cell": "FOR(a) FOR(b) table[0] += a * b;",
    "table": "FOR(a) FOR(b) table[a] += a * b;",
    "unknown": "FOR(a) FOR(b) table[a % 7] = (float)vec_bytes(b);",
    "member": "FOR(a) for (int b = 0; b < 4; b++) points[a].s[b] = (float)a;",
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_loop_is_not_followed_for_long(tmp_path: Path, loop: str) -> None:
    for name in ("app.c", "vec.c", "vec.h", "vec.cl"):
        (tmp_path / name).write_text((PROGRAM / name).read_text())
    library = tmp_path / "vec.c"
    text = library.read_text()
    start = text.index("{", text.index("vec_init(")) + 1
    globals_ = (
        "#define FOR(i) for (int i = 0; i < 1000; i++)\n"
        "static float table[1000];\nstatic struct { float s[4]; } points[1000];\n"
    )
    at = text.index("\n\n", text.index("#include")) + 1
    library.write_text(f"{text[:at]}{globals_}{text[at:start]}\n    {loop}\n{text[start:]}")
    paths = [tmp_path / name for name in ("app.c", "vec.c", "vec.cl")]
    how = Preprocessor("cc", (include_dir(),), (fake_libc_dir(),))
    begun = time.process_time()
    result = fuse_files(read_sources(paths, how))
    assert time.process_time() - begun < SECONDS
    assert len(result.expected[0].plan.groups) == 1


def test_long_table_is_followed(tmp_path: Path) -> None:
    """100 kernels, made in a loop over their names."""
    paths = write_program(tmp_path, 100)
    how = Preprocessor("cc", (include_dir(),), (fake_libc_dir(),))
    result = fuse_files(read_sources(paths, how))
    assert len(result.regions) == 20
    assert all(region.fuses for region in result.regions)
