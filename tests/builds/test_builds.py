"""kfusion as a step of real builds: what is built, and when it is built again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from kfusion.paths import cmake_dir

ROOT = Path(__file__).resolve().parent.parent.parent
BUILDS: dict[str, tuple[dict[str, str], list[str], list[str], str]] = {
    "make": (
        {
            "Makefile": """\
KFUSION_SOURCES := app.c vec.c vec.cl
include $(shell kfusion --make-dir)/kfusion.mk

CPPFLAGS += -I. -DCL_TARGET_OPENCL_VERSION=120 -MMD
app: main.o $(KFUSION_C:.c=.o)
	$(CC) -o $@ $^ -lOpenCL
-include *.d fused/*.d
"""
        },
        [],
        ["make", "app"],
        "fused",
    ),
    "meson": (
        {
            "meson.build": """\
project('app', 'c')
fused = custom_target('fused',
  input: ['app.c', 'vec.c', 'vec.cl'],
  output: ['app.c', 'vec.c', 'vec.cl', 'kfusion_fused.h', 'kfusion_calls.h'],
  command: [find_program('kfusion'), '@INPUT@', '-o', '@OUTDIR@',
            '-MF', '@DEPFILE@', '-MT', '@OUTPUT0@'],
  depfile: 'fused.d')
executable('app', 'main.c', fused,
  dependencies: meson.get_compiler('c').find_library('OpenCL'))
"""
        },
        ["meson", "setup", "build"],
        ["meson", "compile", "-C", "build"],
        "build",
    ),
}
_CMAKE = """\
cmake_minimum_required(VERSION 3.21)
project(app C)
find_package(KFusion REQUIRED)
add_executable(app main.c)
kfusion_add(TARGET app REGIONS app.c LIBRARY vec.c KERNELS vec.cl TARGET_DEVICE cpu)
target_compile_definitions(app PRIVATE CL_TARGET_OPENCL_VERSION=120)
target_link_libraries(app PRIVATE OpenCL)
"""
for generator in ("Ninja", "Unix Makefiles"):
    BUILDS[f"cmake, {generator}"] = (
        {"CMakeLists.txt": _CMAKE},
        ["cmake", "-G", generator, f"-DKFusion_DIR={cmake_dir()}", "-B", "build"],
        ["cmake", "--build", "build"],
        "build/app.kfusion",
    )


@dataclass(frozen=True)
class Build:
    """A program in a folder, and a `kfusion` in PATH that counts its runs."""

    folder: Path
    command: list[str]
    out: Path
    environment: dict[str, str]

    def run(self, command: list[str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command or self.command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def build(self) -> None:
        done = self.run()
        assert done.returncode == 0, done.stdout + done.stderr

    @property
    def runs(self) -> int:
        return len((self.folder / "runs").read_text().split())

    def times(self, *patterns: str) -> dict[Path, int]:
        found = (path for pattern in patterns for path in self.folder.rglob(pattern))
        return {path: path.stat().st_mtime_ns for path in found}

    def change(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))


@pytest.fixture(params=sorted(BUILDS))
def build(tmp_path: Path, request: pytest.FixtureRequest) -> Build:
    files, set_up, command, out = BUILDS[request.param]
    folder = tmp_path / "a program"
    if request.param == "make":  # which cannot have spaces in names
        folder = tmp_path / "program"
    shutil.copytree(ROOT / "tests/cli/program", folder)
    (folder / "factor.clh").write_text("#define FACTOR 1.0f\n")
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    for name, text in files.items():
        (folder / name).write_text(text)
    script = tmp_path / "bin/kfusion"
    script.parent.mkdir()
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *.c*) echo run >>"{folder}/runs";; esac\n'
        f'PYTHONPATH="{ROOT}" exec "{sys.executable}" -m kfusion "$@"\n'
    )
    script.chmod(0o755)
    path = f"{script.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    build = Build(folder, command, folder / out, {**os.environ, "PATH": path})
    build.change("vec.cl", "kernel void scale", '#include "factor.clh"\nkernel void scale')
    build.change("vec.cl", "= factor *", "= FACTOR * factor *")
    if set_up:
        done = build.run(set_up)
        assert done.returncode == 0, done.stdout + done.stderr
    return build


def test_a_build_does_what_has_changed_and_no_more(build: Build) -> None:
    build.build()
    assert "scale_add(" in (build.out / "vec.cl").read_text()
    first = build.times("app", "*.o", "vec.c*", "kfusion_*.h")
    assert build.runs == 1

    build.build()
    assert build.runs == 1
    assert build.times("app", "*.o", "vec.c*", "kfusion_*.h") == first

    for number, header in enumerate(("vec.h", "factor.clh"), 2):
        os.utime(build.folder / header)
        build.build()
        build.build()
        assert build.runs == number
    build.change("vec.h", "#define VEC_H", "#define VEC_H\n#define COMBINED 1")
    build.change("app.c", "return 0", "return 1 - COMBINED")
    build.build()
    assert "COMBINED" in (build.out / "app.c").read_text()
    assert build.times("app") != {path: first[path] for path in build.times("app")}


@pytest.mark.parametrize(
    ("broken", "is_read"), [("return 0 +;", False), ("return not_declared;", True)]
)
def test_a_build_stops_at_what_is_wrong_and_goes_on_when_it_is_mended(
    build: Build, broken: str, is_read: bool
) -> None:
    build.build()
    before = {path.name: path.read_bytes() for path in build.out.glob("*.[ch]*")}
    build.change("app.c", "return 0;", broken)
    for _ in range(2):
        assert build.run().returncode != 0
    after = {path.name: path.read_bytes() for path in build.out.glob("*.[ch]*")}
    assert ([n for n in before if before[n] != after[n]] == ["app.c"]) is is_read
    assert before.keys() == after.keys()
    build.change("app.c", broken, "return 0;")
    build.build()
