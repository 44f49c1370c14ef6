"""`kfusion verify`: what it says of programs that are right, wrong, and that crash."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kfusion.device.extents import Launched, extents
from kfusion.device.verify import _ulps
from tests.support.called import compare_here
from tests.support.case_format import case_named
from tests.support.case_program import given_files, write_files
from tests.support.kernel_side import kernel_of

LINALG = Path(__file__).parents[2] / "casestudies" / "linalg"
PROGRAMS = Path(__file__).parent / "verify"
needs_oclgrind = pytest.mark.skipif(not shutil.which("oclgrind"), reason="no oclgrind here")


def verify(
    application: str, *options: str, unprotected: str = "", command: str = "verify"
) -> subprocess.CompletedProcess[str]:
    kernels = ["kernels.cl", "crash.cl"] if application == "crash.c" else ["kernels.cl"]
    files = [application, "lib.c", *kernels]
    if not unprotected and application != "crash.c" and options and "--oclgrind" not in options:
        return compare_here([command, *files, *options], PROGRAMS)
    return subprocess.run(
        [sys.executable, "-m", "kfusion", command, *files, *options],
        cwd=PROGRAMS,
        env={**os.environ, "KFUSION_TEST_UNPROTECTED": unprotected},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_legal_fusion_is_the_same_at_all_sizes() -> None:
    done = verify("legal.c")
    assert done.stderr == ""
    assert done.stdout == (
        "legal.c:9: size 1: kernels 3 -> 1: 384 elements compared: the same\n"
        "legal.c:9: size 13: kernels 3 -> 1: 384 elements compared: the same\n"
        "legal.c:9: size 64: kernels 3 -> 1: 384 elements compared: the same\n"
        "legal.c:9: size 1000: kernels 3 -> 1: 3264 elements compared: the same\n"
    )
    assert done.returncode == 0


def test_an_illegal_fusion_is_found() -> None:
    """Without the check that keeps neighbours apart, an item reads what another one has not
    yet written, or not any more."""
    assert verify("illegal.c", "--size", "1000").returncode == 0
    done = verify("illegal.c", "--size", "1000", unprotected="own-elements")
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first.startswith(
        "illegal.c:9: size 1000: kernels 2 -> 1: 3265 elements compared: "
        "'c.mem' differs first in element "
    )
    again = "kfusion verify illegal.c lib.c kernels.cl --size 1000"
    assert second == f"  repeat with: {again}"


def test_sizes_and_scalars_are_given() -> None:
    done = verify("legal.c", "--size", "5", "--let", "n=200")
    assert done.stdout == "legal.c:9: size 5: kernels 3 -> 1: 960 elements compared: the same\n"


def test_a_crash_is_a_finding() -> None:
    done = verify("crash.c", "--size", "64")
    assert done.returncode == 1
    assert done.stderr.endswith(
        "crash.c:9, size 64: the kernels as they are written crashed (signal 11) on random data\n"
        "  help: give data, --data NAME=FILE, or let the program run: --run\n"
    )


def test_a_value_that_is_no_number() -> None:
    done = verify("legal.c", "--let", "n=many")
    assert done.returncode == 2
    assert "error[KF100]: --let wants NAME=NUMBER" in done.stderr


@pytest.mark.parametrize(
    ("application", "precision"),
    [("pythagoras", "float"), ("distance", "float"), ("cg_steps", "double"), ("cg", "double")],
)
def test_the_case_study(application: str, precision: str) -> None:
    files = [f"apps/{application}.c", "linalg.c", "linalg.cl"]
    options = ["-I.", "-Iapps", f"-DREAL={precision}", "--size", "1", "--size", "300"]
    options += ["-DLINALG_DOUBLE"] if precision == "double" else []
    done = compare_here(["verify", *files, *options], LINALG)
    lines = done.stdout.splitlines()
    assert len(lines) == (6 if application == "cg" else 2), done.stdout + done.stderr
    assert all(line.endswith(" elements compared: the same") for line in lines)
    assert done.returncode == 0


def test_the_physics_case_study() -> None:
    """Vectors as scalar arguments, which the host makes of what it has computed. Every row of
    launches that the region may make, and of which something is fused, is run."""
    folder = LINALG.parent / "physics"
    files = [str(folder / name) for name in ("apps/game.c", "pool.c", "pool.cl")]
    words = ["verify", *files, f"-I{folder}", "--size", "16", "--size", "17"]
    done = compare_here(words, folder)
    assert done.returncode == 0
    found = [line.split(": ") for line in done.stdout.splitlines()]
    assert {tuple(parts[:3:2]) for parts in found} == {
        ("game.c:88", "kernels 4 -> 1"),
        ("game.c:88 (2)", "kernels 4 -> 2"),
        ("game.c:88 (3)", "kernels 4 -> 2"),
    }
    assert len(found) == 6
    assert {parts[-1] for parts in found} == {"the same"}


def test_bench_compares_and_times(tmp_path: Path) -> None:
    figures = tmp_path / "times.json"
    options = ["--size", "1000", "--repeats", "5", "--json", str(figures)]
    done = verify("legal.c", *options, command="bench")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(figures.read_text())["regions"]
    assert (row["region"], row["size"], row["kernels"]) == ("legal.c:9", 1000, [3, 1])
    assert row["predicted"] > 1
    assert min(row["ms"]) > 0
    assert "legal.c:9 1000 3 -> 1" in " ".join(done.stdout.split())
    assert done.stderr == "medians of 5 say little: take --repeats 10 or more\n"


def test_bench_asks_for_matplotlib_before_it_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = verify("legal.c", "--plot", str(tmp_path / "times.svg"), command="bench")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[KF304]: Matplotlib is not installed" in done.stderr


def test_bench_does_not_time_what_differs() -> None:
    options = ["--size", "1000", "--repeats", "5"]
    done = verify("illegal.c", *options, unprotected="own-elements", command="bench")
    assert done.returncode == 1
    assert "'c.mem' differs first in element" in done.stdout
    assert "speed-up" not in done.stdout


def test_a_launch_that_cannot_be_made_is_said() -> None:
    done = verify("legal.c", "--size", "0")
    assert done.stdout == (
        "legal.c:9: size 0: kernels 3 -> 1: not run: square is launched over nothing\n"
    )


@needs_oclgrind
def test_oclgrind_finds_no_races() -> None:
    done = verify("legal.c", "--oclgrind", "--size", "13")
    assert done.stdout.splitlines() == [
        "legal.c:9: size 13: kernels 3 -> 1: 384 elements compared: the same",
        "Oclgrind: no races, no uninitialised values, no invalid accesses",
    ]
    assert done.returncode == 0


@needs_oclgrind
def test_oclgrind_finds_a_race() -> None:
    done = verify("illegal.c", "--oclgrind", "--size", "100", unprotected="own-elements")
    complaints = [line for line in done.stdout.splitlines() if line.startswith("Oclgrind: ")]
    assert complaints
    assert all("data race" in complaint for complaint in complaints)
    assert done.returncode == 1


def test_data_are_given(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.full(10, 2.0))
    short = verify("legal.c", "--size", "64", "--data", f"a.mem={tmp_path / 'a.npy'}")
    assert short.stdout == (
        "legal.c:9: size 64: kernels 3 -> 1: not run: 'a.mem' needs 128 elements; 10 are given\n"
    )
    np.save(tmp_path / "a.npy", np.full(128, 2.0))
    done = verify("legal.c", "--size", "64", "--data", f"a.mem={tmp_path / 'a.npy'}")
    assert done.stdout.endswith(" elements compared: the same\n")
    gone = verify("legal.c", "--data", "a.mem=gone.npy")
    assert "error[KF100]: --data wants BUFFER=FILE.npy" in gone.stderr


def test_a_device_that_is_not_there() -> None:
    done = verify("legal.c", "--device", "nowhere")
    assert done.returncode == 1
    assert "error[KF304]: no OpenCL device is called 'nowhere'; there are: " in done.stderr
    assert "  help: install an OpenCL driver" in done.stderr


def test_numbers_of_arguments_that_are_exchanged(tmp_path: Path) -> None:
    folder = tmp_path / "verify"
    shutil.copytree(PROGRAMS, folder)
    host = (folder / "lib.c").read_text()
    for call in ("square_kernel, 1, sizeof(cl_mem)", "square_kernel, 2, sizeof(unsigned)"):
        assert call in host
    host = host.replace("square_kernel, 1,", "square_kernel, 9,")
    host = host.replace("square_kernel, 2,", "square_kernel, 1,")
    (folder / "lib.c").write_text(host.replace("square_kernel, 9,", "square_kernel, 2,"))
    done = compare_here(["verify", "legal.c", "lib.c", "kernels.cl", "--size", "13"], folder)
    assert done.returncode == 1
    assert "is memory for one parameter, and a number for another" in done.stdout


def test_kernels_of_an_editor_that_writes_byte_order_marks(tmp_path: Path) -> None:
    folder = tmp_path / "for it"
    shutil.copytree(PROGRAMS, folder)
    kernels = folder / "kernels.cl"
    kernels.write_text(f"\ufeff{kernels.read_text()}")
    words = ["verify", "legal.c", "lib.c", "kernels.cl", "--size", "13", "--no-contract"]
    done = compare_here(words, folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_kernels_that_do_not_build() -> None:
    done = verify("legal.c", "--build-options=-Dfloat=none")
    assert done.returncode == 1
    assert "error[KF305]: 'kernels.cl' does not build on " in done.stderr
    assert (
        "  help: if the host defines 'none' when it builds the kernels, give -D none="
        in done.stderr
    )
    done = verify("legal.c", "--build-options=-D__global=;")
    assert "error[KF305]: 'kernels.cl' does not build on " in done.stderr
    assert "  help: " not in done.stderr


def test_differences_in_units_in_the_last_place() -> None:
    one, more = np.float32(1), np.nextafter(np.float32(1), np.float32(2))
    less = -np.nextafter(np.float32(0), np.float32(1))
    assert _ulps(np.array([one]), np.array([more])) == 1
    assert _ulps(np.array([one, more]), np.array([one, np.nextafter(one, np.float32(0))])) == 2
    assert _ulps(np.array([np.float32(0)]), np.array([less])) == 1
    assert _ulps(np.array([1]), np.array([2])) is None


def test_without_contraction() -> None:
    done = verify("legal.c", "--no-contract", "--size", "13")
    assert done.stdout.endswith(" elements compared: the same\n")


def test_too_much_data() -> None:
    done = verify("legal.c", "--size", "1000000000")
    assert done.stdout == (
        "legal.c:9: size 1000000000: kernels 3 -> 1: not run: the buffers would have 12.0 GB\n"
    )


def test_local_memory_sized_by_the_host(tmp_path: Path) -> None:
    name = "the host gives local memory, and one call is a stencil"
    case = case_named("host/idioms_arguments.toml", name)
    folder = write_files(case, tmp_path / "program")
    done = compare_here(["verify", *given_files(case), "--size", "100"], folder)
    lines = done.stdout.splitlines()
    assert lines, done.stderr
    assert all(line.endswith(" elements compared: the same") for line in lines)


def test_a_group_size_in_a_variable(tmp_path: Path) -> None:
    """It is what the program's likely run has, not as large as all other numbers."""
    folder = tmp_path / "verify"
    shutil.copytree(PROGRAMS, folder)
    host = (
        (folder / "lib.c").read_text().replace("#define GROUP 64\n", "static size_t group = 64;\n")
    )
    (folder / "lib.c").write_text(host.replace("GROUP", "group"))
    done = compare_here(["verify", "legal.c", "lib.c", "kernels.cl", "--size", "1000"], folder)
    found = "legal.c:9: size 1000: kernels 3 -> 1: 3264 elements compared: the same\n"
    assert done.stdout == found, done.stderr


def test_nothing_run_is_no_success() -> None:
    done = verify("legal.c", "--size", "0", "--oclgrind")
    assert done.returncode == 1
    assert done.stderr == (
        "nothing was run, and nothing compared; "
        "--run './app' lets the fused program itself compare\n"
    )
    assert "Oclgrind" not in done.stdout


def shapes(*words: str) -> subprocess.CompletedProcess[str]:
    if "--oclgrind" not in words:
        return compare_here(["verify", *words, "lib.c", "kernels.cl"], PROGRAMS.parent / "shapes")
    return subprocess.run(
        [sys.executable, "-m", "kfusion", "verify", *words, "lib.c", "kernels.cl"],
        cwd=PROGRAMS.parent / "shapes",
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_region_that_was_not_run_is_no_success() -> None:
    done = shapes("framed.c", "scaled.c", "--size", "31")
    first, second = done.stdout.splitlines()
    assert first == "framed.c:5: size 31: kernels 2 -> 1: 3075 elements compared: the same"
    assert second.startswith("scaled.c:5: size 31: kernels 2 -> 1: not run: the value of how ")
    assert done.stderr == "not compared: scaled.c:5\n"
    assert done.returncode == 3


def test_a_size_that_was_asked_for_and_not_run_is_no_success() -> None:
    done = verify("legal.c", "--size", "13", "--size", "0")
    assert done.stderr == "not compared: legal.c:9 at size 0\n"
    assert done.returncode == 3


def test_own_sizes_need_not_all_be_run() -> None:
    """With a pitch of 64 the rows of 1000 elements are too long."""
    done = shapes("padded.c", "--let", "pitch=64")
    assert [line.endswith(": the same") for line in done.stdout.splitlines()] == [
        *(True, True, True),
        False,
    ]
    assert (done.stderr, done.returncode) == ("", 0)


def test_a_difference_counts_more_than_what_was_not_run() -> None:
    done = verify("illegal.c", "--size", "1000", "--size", "0", unprotected="own-elements")
    assert done.returncode == 1


@needs_oclgrind
def test_oclgrind_looks_at_what_could_be_run() -> None:
    done = shapes("framed.c", "scaled.c", "--size", "7", "--oclgrind")
    assert done.stdout.splitlines()[-1].startswith("Oclgrind: no races")
    assert done.returncode == 3


@pytest.mark.parametrize("command", ["verify", "bench"])
def test_a_name_that_nothing_has(command: str) -> None:
    repeats = ["--repeats", "1"] if command == "bench" else []
    done = verify("legal.c", "--size", "13", "--let", "bogus=3", *repeats, command=command)
    assert done.returncode == 1
    assert "--let bogus: nothing that was run has this name\n" in done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("points_move", "not run: elements of 't->mem' are no numbers: 'point'"),
        ("scaled", "not run: the value of how of scaled(), a structure, is not known"),
        ("longer", "1128 elements compared: the same"),
        ("tiled", "not run: tiled_tiled() is left out of what was built"),
        ("framed", "3075 elements compared: the same"),
    ],
)
def test_data_of_other_shapes(name: str, said: str) -> None:
    """Nothing is read or written that is not there, and nothing is said of what is not run."""
    options = ["--build-options=-DWIDTH=2"] if name == "tiled" else []
    options += ["--let", "n=312"] if name == "longer" else []
    done = shapes(f"{name}.c", "--size", "31", *options)
    kernels = "kernels 2 -> 1: "
    assert done.stdout.splitlines() == [f"{name}.c:5: size 31: {kernels}{said}"], done.stderr
    assert done.returncode == (1 if said.startswith("not run") else 0)


@pytest.mark.parametrize(
    ("pitch", "said"),
    [
        (31, "3075 elements compared: the same"),
        (40, "3885 elements compared: the same"),
        (30, "not run: rows are longer than their pitch"),
    ],
)
def test_rows_and_their_pitch(pitch: int, said: str) -> None:
    """Where rows overlap, the generated function makes the original calls."""
    done = shapes("padded.c", "--size", "31", "--let", f"pitch={pitch}")
    kernels = "kernels 2 -> 1: "
    assert done.stdout.splitlines() == [f"padded.c:5: size 31: {kernels}{said}"], done.stderr


def test_what_the_host_says(tmp_path: Path) -> None:
    """Options of clBuildProgram are taken from it; if it has all sizes, none is chosen."""
    for name in ("legal.c", "lib.h"):
        shutil.copy(PROGRAMS / name, tmp_path)
    library, kernels = ((PROGRAMS / name).read_text() for name in ("lib.c", "kernels.cl"))
    built = 'clBuildProgram(program, 0, NULL, "-D FACTOR=0.5f", NULL, NULL);'
    library = library.replace("square_kernel =", f"{built}\n    square_kernel =", 1)
    library = library.replace("&y->n", "&n").replace("y->n", "n")
    library = library.replace("{\n    clSet", "{\n    const unsigned n = 100;\n    clSet")
    (tmp_path / "lib.c").write_text(library)
    assert "x[i] * x[i]" in kernels
    (tmp_path / "kernels.cl").write_text(kernels.replace("x[i] * x[i]", "FACTOR * x[i]"))
    words = ["verify", "legal.c", "lib.c", "kernels.cl"]
    done = compare_here([*words, "--size", "13"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "--size has no effect on legal.c:9: all its sizes are known\n"
    done = compare_here(words, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = compare_here(["bench", *words[1:], "--repeats", "10"], tmp_path)
    assert "--size has no effect on legal.c:9: all its sizes are known\n" in done.stderr


FLOAT = 'clBuildProgram(program, 0, NULL, "-DREAL=float", NULL, NULL);'
DOUBLE = FLOAT.replace("float", "double")
COMPOSED = """char options[64];
    snprintf(options, 64, "-DREAL=%s", getenv("REAL"));
    clBuildProgram(program, 0, NULL, options, NULL, NULL);"""
SAME = ": the same"
DEFAULT = "#ifndef REAL\n#define REAL float\n#endif\n"


@pytest.mark.parametrize(
    ("built", "head", "options", "said"),
    [
        (FLOAT, "", [], SAME),
        (DOUBLE, DEFAULT, [], SAME),
        ("", "", ["--build-options=-DREAL=double"], SAME),
        ("", DEFAULT, ["--build-options=-DREAL=double"], SAME),
        (COMPOSED, "", ["-DREAL=double"], SAME),
        (COMPOSED, "", [], "if the host defines 'REAL' when it builds the kernels, give -D REAL="),
        (
            f'if (getenv("DOUBLE")) {DOUBLE} else {FLOAT}',
            "",
            [],
            "the host builds it with '-DREAL=double' or '-DREAL=float': give one, -D REAL=VALUE",
        ),
    ],
)
def test_a_type_that_is_given_when_kernels_are_built(
    tmp_path: Path, built: str, head: str, options: list[str], said: str
) -> None:
    for name in ("legal.c", "lib.h"):
        shutil.copy(PROGRAMS / name, tmp_path)
    library, kernels = ((PROGRAMS / name).read_text() for name in ("lib.c", "kernels.cl"))
    library = library.replace("square_kernel =", f"{built}\n    square_kernel =", 1)
    (tmp_path / "lib.c").write_text("#include <stdio.h>\n#include <stdlib.h>\n" + library)
    (tmp_path / "kernels.cl").write_text(head + kernels.replace("float ", "REAL "))
    words = ["verify", "legal.c", "lib.c", "kernels.cl", "--size", "13", *options]
    done = compare_here(words, tmp_path)
    assert said in done.stdout + done.stderr
    assert (done.returncode == 0) == (said == SAME)


@pytest.mark.parametrize("command", ["verify", "bench"])
def test_real_headers(command: str, tmp_path: Path) -> None:
    """With them a header that there is not is an error; without, it is taken to be empty."""
    for name in ("legal.c", "lib.c", "lib.h", "kernels.cl"):
        shutil.copy(PROGRAMS / name, tmp_path)
    words = [command, "legal.c", "lib.c", "kernels.cl", "--size", "13"]
    words += ["--repeats", "1"] if command == "bench" else []

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return compare_here([*words, *more], tmp_path)

    assert run("--real-headers").returncode == 0
    application = tmp_path / "legal.c"
    application.write_text("#include <gone.h>\n" + application.read_text())
    assert run().returncode == 0
    done = run("--real-headers")
    assert done.returncode == 2
    assert done.stderr.startswith("legal.c:1:11: error[KF105]: header 'gone.h' is not found\n")


def test_requests_that_cannot_be_met() -> None:
    done = verify("legal.c", "--repeats", "0", command="bench")
    assert done.returncode == 2
    assert "error[KF100]: " in done.stderr
    done = verify("legal.c", "--json", "/nowhere/times.json", command="bench")
    assert done.returncode == 2
    assert "error[KF100]: there is no folder for /nowhere/times.json" in done.stderr
    done = verify("legal.c", "--size", "13", "--let", "n=5000000000")
    assert "not run: n of square() cannot be 5000000000: it is of type uint" in done.stdout
    assert done.returncode == 1


def test_data_for_a_buffer_that_there_is_not(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(200))
    done = verify("legal.c", "--size", "13", "--data", f"b={tmp_path / 'a.npy'}")
    assert done.returncode == 1
    assert done.stderr == "--data b: nothing that was run has this name\n"


def test_launches_that_overwrite_what_earlier_ones_do_not_store(tmp_path: Path) -> None:
    """What is compared are the kernels that the program makes, of the loop as well."""
    name = "what the first kernel changes is not stored, for the last one overwrites it"
    case = case_named("host/stencils.toml", name)
    folder = write_files(case, tmp_path / "program")
    done = compare_here(["verify", *given_files(case), "--size", "50"], folder)
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [
            "app.c:10: size 50: kernels 3 -> 2: 344 elements compared: the same",
            "app.c:10 (2): size 50: kernels 4 -> 2: 230 elements compared: the same",
        ],
    )


def test_elements_at_places_that_memory_tells() -> None:
    """The numbers that the kernel gets say how many there may be."""
    kernel = kernel_of(
        "kernel void f(global float *o, global const float *t, global const int *at, int w, int h)"
        "{ const int i = get_global_id(0); o[i] = t[clamp(at[i], 0, w * h - 1)]; }"
    )
    wanted = extents(kernel, Launched((8,), None, {"w": 13, "h": 11}))
    assert wanted["t"] >= 13 * 11
    assert wanted["o"] < 13 * 11
