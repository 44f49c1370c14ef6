"""Which outputs are written, where to, and what is told of them to a build."""

from __future__ import annotations

import os

from tests.cli.conftest import Command

PROGRAM = ("app.c", "vec.c", "vec.cl")


def test_what_would_not_change_is_not_touched(command: Command) -> None:
    command.run(*PROGRAM, "-o", "out")
    for path in (command.folder / "out").iterdir():
        os.utime(path, ns=(1, 1))
    command.change("vec.c", "/* c = a + b */", "/* c = b + a */")
    assert command.run(*PROGRAM, "-o", "out").returncode == 0
    new = {p.name for p in (command.folder / "out").iterdir() if p.stat().st_mtime_ns > 1}
    assert new == {"vec.c"}


def test_a_depfile_names_what_was_read(command: Command) -> None:
    command.write("a folder/own $#.clh", "#define TWO 2\n")
    command.change("vec.cl", "kernel void scale", '#include "own $#.clh"\nkernel void scale')
    done = command.run(*PROGRAM, "-I", "a folder", "-o", "out", "-MF", "made.d")
    assert done.returncode == 0, done.stderr
    rule, *others = command.read("made.d").replace("\\\n", "").splitlines()
    targets, read = rule.split(": ", 1)
    names = ["app.c", "vec.c", "vec.cl", "kfusion_fused.h", "kfusion_calls.h"]
    assert sorted(targets.split()) == sorted(f"out/{name}" for name in names)
    assert "a\\ folder/own\\ $$\\#.clh" in read
    assert all(f"  {name}" in read for name in (*PROGRAM, "vec.h"))
    assert "fake_libc" not in read
    assert "a\\ folder/own\\ $$\\#.clh:" in others


def test_with_a_depfile_both_headers_are_there(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync in\ncl_int vec_add(")
    command.run(*PROGRAM, "-o", "out", "-MD", "-MT", "all of it")
    assert command.read("out/kfusion.d").startswith("all\\ of\\ it: ")
    assert command.read("out/kfusion_fused.h") == command.read("out/kfusion_calls.h")


def test_folders_are_kept_on_request(command: Command) -> None:
    command.write("old/vec.c", "int unused;\n")
    command.write("src/app.c", command.read("app.c").replace('"vec.h"', '"../vec.h"'))
    files = ("src/app.c", "vec.c", "old/vec.c", "vec.cl")
    assert command.run(*files, "-o", "out", "--keep-folders", ".").returncode == 0
    assert command.read("out/old/vec.c") == "int unused;\n"
    assert '#include "../kfusion_fused.h"' in command.read("out/src/app.c")
    (command.folder / "out").rename(command.folder / "kept")
    outside = command.refused(*files, "-o", "else", "--keep-folders", "src")
    assert "error[KF103]: --keep-folders: vec.c is not in src" in outside


def test_the_same_input_gives_the_same_bytes_anywhere(command: Command) -> None:
    for name in (*PROGRAM, "vec.h"):
        command.write(f"another/folder/{name}", command.read(name))
    command.run(*PROGRAM, "-o", "out", PYTHONHASHSEED="1")
    there = [str(command.folder / "another/folder" / name) for name in PROGRAM]
    command.run(*there, "-o", "other", PYTHONHASHSEED="2")
    found = {p.name: p.read_bytes() for p in (command.folder / "out").iterdir()}
    assert len(found) == 5
    assert found == {p.name: p.read_bytes() for p in (command.folder / "other").iterdir()}
