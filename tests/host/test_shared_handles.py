"""Which objects that look local are dead after a region, and which are still reached.

A program of handles/ with some lines of its own: what declares and fills `t`, and what
follows the region, that writes `t` and reads it again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casestudies.demo import only_pocl
from kfusion.device.measure import build, run_counted

HANDLES = Path(__file__).parent / "handles"
FILES = ("app.c", "vec.c", "k.cl")
NEW = "vec t; vec_new(&t, N, 1);"
INNER = "{ vec t; vec_new(&t, N, 1); vec_free(&t); }"
READ = "vec_get(&t, data); show(data);"

# name: what stands in the file, before the region, and after it
READ_LATER = {
    "by a macro": ("#define GET(v) vec_get(&v, data)", NEW, "GET(t); show(data);"),
    "as another object's copy": ("", "vec t = a;", ""),
    "as the handle of another object": ("", "vec t = {a.mem, N};", ""),
    "as a named handle of another object": ("", "vec t = {.n = N, .mem = a.mem};", ""),
    "as a view of another object": ("", "vec t = vec_view(&a);", ""),
    "as one of several": ("", "vec all[1]; all[0] = a; vec t = all[0];", ""),
    "as the other of a pair": (
        "",
        "vec t, u; vec_pair(&t, &u, N);",
        "vec_get(&u, data); show(data);",
    ),
    "as the other of a swapped pair": (
        "",
        "vec t, u; vec_pair(&u, &t, N);",
        "vec_get(&u, data); show(data);",
    ),
    "as a global": (
        "vec t; static int look(float *data) { return vec_get(&t, data); }",
        "vec_new(&t, N, 1);",
        f"look(data); show(data); {INNER}",
    ),
    "as a global that another block hides": (
        "vec t; static int look(float *data) { return vec_get(&t, data); }",
        f"vec_new(&t, N, 1); {INNER}",
        "look(data); show(data);",
    ),
    "by the next call, as a static variable": (
        "",
        "static vec t; if (!again) vec_new(&t, N, 1); else { " + READ + " }",
        INNER,
    ),
    "through a number": (
        "",
        f"{NEW} size_t handle = vec_handle(&t);",
        "vec_get_handle(handle, data); show(data);",
    ),
    "by a pointer named like a function": (
        "",
        f"{NEW} int (*memset)(const vec *, float *) = vec_get;",
        "memset(&t, data); show(data);",
    ),
    "by a pointer named like a library function": (
        "",
        NEW,
        "{ int (*vec_free)(const vec *, float *) = vec_get; vec_free(&t, data); } show(data);",
    ),
}
ONLY_RELEASED = {
    "after a macro": ("#define FREE(v) vec_free(&v)", NEW, "FREE(t);"),
    "made by a macro": ("#define NEW(v) vec_new(&v, N, 1)", "vec t; NEW(t);", "vec_free(&t);"),
    "of zeros": ("", "vec t = {0}; vec_new(&t, N, 1);", "vec_free(&t);"),
    "of a null pointer": ("", "int n = N; vec t = {NULL, n}; vec_new(&t, N, 1);", "vec_free(&t);"),
    "hiding a global": ("vec t;", NEW, "vec_free(&t);"),
    "in a block of its own": ("", INNER + "{" + NEW, "vec_free(&t); }" + INNER),
    "with a size as a number": ("", f"{NEW} size_t bytes = vec_bytes(&t);", "vec_free(&t);"),
}


def fused(lines: tuple[str, str, str], folder: Path) -> tuple[str, str, str]:
    """What the program prints, what it prints when it is fused, and its kernels then."""
    out, text = folder / "out", (HANDLES / "app.c").read_text()
    for mark, line in zip(("FILE", "BEFORE", "AFTER"), lines, strict=True):
        text = text.replace(f"/* {mark} */", line)
    for name in ("vec.c", "vec.h", "k.cl"):
        (folder / name).write_text((HANDLES / name).read_text())
    (folder / "app.c").write_text(text)
    command = [sys.executable, "-m", "kfusion", "-q", *FILES, "-o", str(out)]
    subprocess.run(command, cwd=folder, check=True)
    kernels = (out / "k.cl").read_text()
    assert "square_add" in kernels
    return run(folder, folder), run(out, folder), kernels


def run(sources: Path, headers: Path) -> str:
    program = build(
        [sources / "app.c", sources / "vec.c"],
        sources / "program",
        [sources, headers],
        [f'CLFILE="{sources / "k.cl"}"'],
        ("-O1", "-w"),
    )
    done = run_counted([str(program)], only_pocl())
    assert done.returncode == 0
    return done.stdout


@pytest.mark.parametrize("name", READ_LATER)
def test_an_object_that_is_reached_later_is_stored(name: str, tmp_path: Path) -> None:
    unfused, after, _ = fused(READ_LATER[name], tmp_path)
    assert unfused.strip()
    assert after == unfused


@pytest.mark.parametrize("name", ONLY_RELEASED)
def test_an_object_that_is_only_released_is_not_stored(name: str, tmp_path: Path) -> None:
    unfused, after, kernels = fused(ONLY_RELEASED[name], tmp_path)
    assert after == unfused
    added = kernels[len((HANDLES / "k.cl").read_text()) :]
    assert added.count("global float *") == 1, added


def test_a_later_variable_of_the_same_name_is_another(tmp_path: Path) -> None:
    idiom = HANDLES.parent / "idioms" / "handle_returned_struct"
    for path in idiom.iterdir():
        text = path.read_text()
        if path.name == "app.c":
            text = text.replace("gpu g ", "gpu device ").replace("&g", "&device")
            hidden = "    { int device = 0; (void)device; }\n"
            text = text.replace("    return 0;", f"{hidden}    return 0;")
        (tmp_path / path.name).write_text(text)
    files = ["app.c", "lib.c", "kernels.cl", f"-I{idiom.parent / 'common'}"]
    command = [sys.executable, "-m", "kfusion", "--strict", *files, "-o", "out"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert "square_add_root" in (tmp_path / "out/app.c").read_text()


def test_a_pointer_named_like_a_function_is_not_that_function(tmp_path: Path) -> None:
    text = (HANDLES / "app.c").read_text()
    pointer = f"{NEW} int (*vec_square)(vec *, const vec *) = twice;"
    (tmp_path / "app.c").write_text(text.replace("/* BEFORE */", pointer))
    files = ["app.c", str(HANDLES / "vec.c"), str(HANDLES / "k.cl"), f"-I{HANDLES}"]
    command = [sys.executable, "-m", "kfusion", *files, "-o", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "error[KF121]: unknown function 'vec_square' in a region" in done.stderr
