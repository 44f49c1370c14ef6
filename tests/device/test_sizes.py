"""The sizes that hosts write: what `kfusion verify` makes of them is what C does."""

from __future__ import annotations

import subprocess
from contextlib import chdir
from pathlib import Path

import pytest

from kfusion.device.evaluate import CannotRunError, Numbers
from kfusion.device.verify import launches_of
from kfusion.driver import fuse_files
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir, include_dir
from kfusion.results import Result

PROGRAMS = Path(__file__).parent / "verify"
SIZES = (1, 13, 64, 100, 1000, (1 << 24) + 1)
MATH, LIBC = "#include <math.h>", "#include <stdlib.h>"
# What stands in front of the function, and in it: `n` is an unsigned parameter.
WRITTEN = [
    (MATH, "size_t size = ceil((float)n / 32) * 32;"),
    (MATH, "size_t size = (size_t)ceil(n / 32.0) * 32;"),
    (MATH, "size_t size = 32 * (size_t)ceilf((float)n / 32.0f);"),
    (MATH, "size_t groups = ceil(n / 32.0); size_t size = groups / 2 * 64 + 32;"),
    (MATH, "size_t size = ((size_t)ceil(n / 32) + 1) * 32;"),
    (MATH, "size_t size = (size_t)floor((n + 31) / 32.0L) * 32;"),
    (MATH, "size_t size = lround(n / 32.0 + 0.5) * 32;"),
    (MATH, "size_t size = (size_t)rint(n / 2.0) + 1;"),
    (MATH, "size_t size = (size_t)trunc(n * 0x1p-5 + 0.97) * 32 + 1;"),
    (MATH, "float f = n / 32.0f; size_t size = (size_t)ceil(f) * 32;"),
    (MATH, "double d = n; d = ceil(d / 32); size_t size = d * 32;"),
    (MATH, "size_t size = (size_t)fmin(fmax(n, 32.), 1e6);"),
    (MATH, "size_t size = (size_t)pow(2, ceil(log2(n)));"),
    (
        f"{MATH}\ntypedef double real;\nstatic size_t up(real n) {{ return ceil(n / 32) * 32; }}",
        "size_t size = up(n) + (size_t)ceil((real)n / 64);",
    ),
    (LIBC, "size_t size = abs((int)n) + 1;"),
    ("", "size_t size = +n + !n + -(-n);"),
    ("", "size_t size = (n + 31) / 32 * 32;"),
    ("", "size_t size = ((n + 31) >> 5) << 5;"),
    ("#define UP(x, m) (((x) + ((m) - 1)) & ~((size_t)(m) - 1))", "size_t size = UP(n, 32);"),
    ("#define MAX(a, b) ((a) > (b) ? (a) : (b))", "size_t size = MAX(n, 64u);"),
    (
        "#define max(a, b) ({ __typeof__(a) a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })",
        "size_t size = max(n, 64u);",
    ),
    (
        "static size_t least(size_t a, size_t b) { return a < b ? a : b; }",
        "size_t size = least(n, 64);",
    ),
    (
        "static size_t least(size_t a, size_t b) { if (a < b) return a; return b; }",
        "size_t size = least(n, n / 2 + 8);",
    ),
    (
        "static size_t most(size_t a, size_t b) { if (a < b) { return b; } else { return a; } }",
        "size_t size = most(n, n / 2 + 8);",
    ),
    (
        "static size_t roundup(size_t n, size_t m) { return (n + m - 1) / m * m; }",
        "size_t size = roundup(n, 32);",
    ),
    (
        "static size_t up(size_t n, int m) { int r = n % m; if (!r) return n; return n + m - r; }",
        "size_t size = up(n, 32);",
    ),
    (
        "static int groups(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }",
        "size_t size = groups(n, 32) * 32;",
    ),
    ("", "size_t size = n; if (size % 32 != 0) size = (size / 32 + 1) * 32;"),
    ("", "size_t size = n; if (size % 32) { size += 32 - size % 32; }"),
]


def planned(folder: Path, before: str, statements: str) -> Result:
    library = (PROGRAMS / "lib.c").read_text()
    own = "const size_t local = GROUP, global = (n + GROUP - 1) / GROUP * GROUP;"
    assert own in library
    library = library.replace('#include "lib.h"', f'#include "lib.h"\n{before}')
    library = library.replace(own, statements).replace("&global, &local", "&size, NULL")
    (folder / "lib.c").write_text(library)
    for name in ("legal.c", "lib.h", "kernels.cl"):
        (folder / name).write_text((PROGRAMS / name).read_text())
    how = Preprocessor("cc", (include_dir(),), (fake_libc_dir(),), (), False)
    with chdir(folder):
        return fuse_files(read_sources([Path("legal.c"), Path("lib.c"), Path("kernels.cl")], how))


def launched(result: Result, size: int) -> int:
    (pattern,) = result.to_run
    return launches_of(pattern, Numbers(size, {}))[0].size[0]


@pytest.fixture(scope="module")
def by_c(tmp_path_factory: pytest.TempPathFactory) -> list[list[int]]:
    """What a C compiler makes of the same statements: each in a file of its own."""
    folder = tmp_path_factory.mktemp("sizes")
    names = []
    for number, (before, statements) in enumerate(WRITTEN):
        names.append(f"f{number}")
        text = f"#include <stddef.h>\n{before}\nsize_t f{number}(unsigned n)"
        (folder / f"f{number}.c").write_text(f"{text} {{ {statements} return size; }}\n")
    calls = "".join(
        f'    printf("{" %zu" * len(SIZES)}\\n", {", ".join(f"{f}({n})" for n in SIZES)});\n'
        for f in names
    )
    declared = "".join(f"size_t {name}(unsigned n);\n" for name in names)
    head = f"#include <stdio.h>\n{declared}"
    (folder / "main.c").write_text(f"{head}int main(void)\n{{\n{calls}    return 0;\n}}\n")
    files = ["main.c", *(f"{name}.c" for name in names)]
    subprocess.run(["cc", "-w", *files, "-o", "sizes", "-lm"], cwd=folder, check=True)
    done = subprocess.run(["./sizes"], cwd=folder, check=True, capture_output=True, text=True)
    return [list(map(int, line.split())) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("number", range(len(WRITTEN)))
def test_a_size_is_what_c_computes(number: int, by_c: list[list[int]], tmp_path: Path) -> None:
    result = planned(tmp_path, *WRITTEN[number])
    assert [launched(result, size) for size in SIZES] == by_c[number]


def test_a_size_that_a_loop_computes(tmp_path: Path) -> None:
    """It is not followed, but can be given."""
    result = planned(tmp_path, "", "size_t size = 1; while (size < n) size *= 2;")
    (pattern,) = result.to_run
    with pytest.raises(CannotRunError) as failure:
        launches_of(pattern, Numbers(13, {}))
    assert str(failure.value) == "'size' is computed in a loop: give --let size=NUMBER"
    assert launches_of(pattern, Numbers(13, {"size": 16}))[0].size == (16,)


def test_a_size_that_is_not_followed(tmp_path: Path) -> None:
    result = planned(tmp_path, LIBC, "size_t size = div(n + 31, 32).quot * 32;")
    with pytest.raises(CannotRunError) as failure:
        launched(result, 13)
    assert str(failure.value) == "it is launched with a number that kfusion does not follow"


def test_a_size_that_is_not_defined(tmp_path: Path) -> None:
    result = planned(tmp_path, "", "size_t size = n / (n - 13);")
    assert launched(result, 14) == 14
    with pytest.raises(CannotRunError) as failure:
        launched(result, 13)
    assert str(failure.value).startswith("'b.n / (b.n - 13)' is not ")
