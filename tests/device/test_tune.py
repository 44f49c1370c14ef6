"""`kfusion tune`: what it measures, keeps, refuses and writes, and what builds make of that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from kfusion import driver
from kfusion.device import tune as tuning
from kfusion.device.tune import MOST, search
from kfusion.graph.target import TARGETS, Targets
from kfusion.results import Result
from kfusion.tuned import AS_WRITTEN, Measured, Point, read_measured
from tests.support.called import kfusion

KERNELS = """\
kernel void mean(global float *b, global const float *a, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        b[y*w + x] = (a[y*w + max(x - 1, 0)] + a[min(y + 1, h - 1)*w + x]) / 2;
}

kernel void less(global float *b, global const float *a, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        b[y*w + x] = a[y*w + x] - a[y*w + min(x + 1, w - 1)] / 4;
}
"""
HOST = """\
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static cl_command_queue queue;
static cl_kernel mean, less;

void start(cl_program program)
{
    mean = clCreateKernel(program, "mean", NULL);
    less = clCreateKernel(program, "less", NULL);
}

static void launch(cl_kernel kernel, cl_mem b, cl_mem a, cl_int w, cl_int h)
{
    const size_t global[2] = {(size_t)w, (size_t)h};

    clSetKernelArg(kernel, 0, sizeof b, &b);
    clSetKernelArg(kernel, 1, sizeof a, &a);
    clSetKernelArg(kernel, 2, sizeof w, &w);
    clSetKernelArg(kernel, 3, sizeof h, &h);
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL);
}

void twice(cl_mem a, cl_mem t, cl_mem c, cl_int w, cl_int h)
{
#pragma kfuse(out(c))
    {
        launch(mean, t, a, w, h);
        launch(less, c, t, w, h);
    }
}
"""
FILES = ("app.c", "kernels.cl")
WORDS = ("tune", *FILES, "--size", "32", "--repeats", "1", "-o", "t.toml")
STRIPS = {"strip": 64}


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(driver.__file__).parents[1])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in zip(FILES, (HOST, KERNELS), strict=True):
        (tmp_path / name).write_text(text)
    return tmp_path


def tune(folder: Path, *options: str) -> CompletedProcess[str]:
    return kfusion([*WORDS, *options, "--here"], folder)


def written(folder: Path) -> Mapping[str, Any]:
    return tomllib.loads((folder / "t.toml").read_text())


def test_a_search_keeps_what_is_fastest_and_asks_for_nothing_twice_in_a_row() -> None:
    fast = {"strip": 128, "rows": 32}
    asked = search(TARGETS["cpu"])
    numbers, seen = next(asked), []
    try:
        while True:
            seen.append(numbers)
            same = sum(numbers.get(name) == number for name, number in fast.items())
            numbers = asked.send(1 + same - numbers.get("march", 0) / 100)
    except StopIteration:
        pass
    assert seen[0] == {}
    assert fast in seen
    assert seen[-1].items() >= fast.items()
    assert len(seen) <= MOST
    assert not any(numbers.get("march") for numbers in seen[4:])


def test_all_points_are_compared_and_timed(folder: Path) -> None:
    done = tune(folder)
    assert done.returncode == 0, done.stderr
    found = written(folder)
    assert found["target"] == "cpu"
    points = found["times"]["twice"]
    assert points[0].keys() == {"ms"}
    assert all("ms" in point for point in points)
    asked = [{k: n for k, n in point.items() if k != "ms"} for point in points]
    for wanted in ({"near": 0, "strip": 0}, {"strip": 0, "march": 16}):
        assert wanted in asked
    assert len(asked) == len({str(each) for each in asked})
    first = done.stdout.splitlines()[0]
    assert first.endswith(f": {len(points)} points, 0 of them measured before")
    assert done.stdout.splitlines()[1].startswith("twice: ")


def test_what_was_measured_is_not_measured_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tune(folder, "--time-limit", "0").returncode == 1  # nothing is measured
    words = [sys.executable, "-m", "kfusion", *WORDS, "--time-limit", "600"]
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    file = folder / "t.toml"
    until = time.monotonic() + 200
    while time.monotonic() < until and not (file.exists() and file.read_text().count("ms =") > 2):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
    _, said = process.communicate(timeout=200)
    assert process.returncode == 130
    assert said == "interrupted; t.toml has what was measured, and the next run goes on\n"
    before = written(folder)["times"]["twice"]
    assert len(before) > 2
    assert all("ms" in point for point in before)
    text = file.read_text()
    done = tune(folder, "--time-limit", "0")
    assert (done.returncode, done.stderr) == (0, "the time is over: the next run goes on\n")
    assert file.read_text() == text
    more = len(before) + 1
    with monkeypatch.context() as changed:  # a point takes a second
        changed.setattr(time, "time", lambda: len(written(folder)["times"]["twice"]))
        done = tune(folder, "--time-limit", "0.5")
    assert written(folder)["times"]["twice"][:-1] == before
    assert f": {more} points, {len(before)} of them measured before\n" in done.stdout


def test_numbers_that_make_something_wrong_are_told_and_not_chosen(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = driver.fuse_files

    def faulty(*given: Any, targets: Targets, **options: Any) -> Result:
        result = original(*given, targets=targets, **options)
        if targets.of("twice")[0].strip:
            result.programs["kernels.cl"] = (KERNELS, broken(result.programs["kernels.cl"][1]))
        return result

    def broken(text: str) -> str:
        return KERNELS + text.removeprefix(KERNELS).replace("/ 4", "/ 4.001f")

    monkeypatch.setattr(driver, "fuse_files", faulty)
    monkeypatch.setattr(tuning, "_NUMBERS", {"strip": (64,)})
    done = tune(folder)
    assert done.returncode == 1
    told = [line for line in done.stderr.splitlines() if line.startswith("NOT USED: ")]
    assert "twice with the target's numbers: 'c' differs first in element 0" in told[0]
    wrong = [point for point in written(folder)["times"]["twice"] if "wrong" in point]
    assert len(wrong) == len(told)
    assert all(point.get("strip") != 0 for point in wrong)
    assert written(folder)["regions"]["twice"].get("strip", 0) == 0
    assert written(folder)["regions"]["twice"] != {}


def test_what_is_fastest_by_more_than_chance() -> None:
    def best(*points: Point) -> Point:
        return Measured("", "cpu", "", {"r": list(points)}).best("r")

    usual, faster = Point({}, (4, 2)), Point(STRIPS, (4, 1))
    assert best(usual, faster) is faster
    assert best(usual, replace(faster, ms=(4, 1.99))) is usual
    assert best(usual, Point(STRIPS, wrong="'c' differs")) is usual
    assert best(Point({}, wrong="'c' differs"), faster) is faster
    assert best(Point({}, (4, 5))).numbers == AS_WRITTEN
    assert best(Point({}, wrong="'c' differs")).numbers == AS_WRITTEN
    assert best(Point({}, wrong="not run: no data")).numbers == {}


def test_a_later_build_uses_the_numbers(folder: Path) -> None:
    measured = Measured(
        "some device", "cpu", "abc", {"twice": [Point({}, (4, 2)), Point(STRIPS, (4, 1))]}
    )
    (folder / "t.toml").write_text(measured.text())
    assert read_measured(folder / "t.toml").points == measured.points
    texts: dict[str, str] = {}
    for name, options in {
        "tuned": ("--tuned", "t.toml"),
        "by hand": ("--target", "cpu", "--budget", "strip=64"),
        "usual": ("--target", "cpu"),
        "auto": ("--target", "auto", "--tuned", "t.toml"),
        "given": ("--tuned", "t.toml", "--budget", "strip=256"),
    }.items():
        assert kfusion([*FILES, "-o", name, *options], folder).returncode == 0
        texts[name] = (folder / name / "kernels.cl").read_text()
    assert texts["tuned"] == texts["by hand"] != texts["usual"] == texts["given"]
    assert texts["auto"].startswith(texts["tuned"])
    assert "_on_gpu(" in texts["auto"]
    verified = kfusion(["verify", *FILES, "--tuned", "t.toml", "--size", "70", "--here"], folder)
    assert verified.returncode == 0


def test_as_written(folder: Path) -> None:
    (folder / "t.toml").write_text(Measured("d", "cpu", "", {"twice": [Point({}, (4, 5))]}).text())
    assert kfusion([*FILES, "-o", "out", "--tuned", "t.toml"], folder).returncode == 0
    assert (folder / "out" / "kernels.cl").read_text() == KERNELS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot read t.toml: No such file"),
        ("regions =", "t.toml is no file of kfusion tune: "),
        ("device = 1", "t.toml is no file of kfusion tune: 'times'"),
        (Measured("d", "cpu", "", {}).text() + "r = [{speed = 1}]", "speed = 1 is no budget"),
        (Measured("d", "ship", "", {}).text(), "no target is called 'ship'"),
    ],
)
def test_files_of_another_kind(folder: Path, text: str | None, said: str) -> None:
    if text is not None:
        (folder / "t.toml").write_text(text)
    done = kfusion([*FILES, "-o", "out", "--tuned", "t.toml"], folder)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_a_file_of_other_things_is_kept(folder: Path) -> None:
    text = Measured("another device", "cpu", "abc", {"twice": [Point({}, (4, 2))]}).text()
    (folder / "t.toml").write_text(text)
    done = tune(folder)
    assert done.returncode == 2
    assert (
        "t.toml was measured with other files, other options, or on another device" in done.stderr
    )
    assert (folder / "t.toml").read_text() == text
    done = kfusion([*FILES, "-o", "out", "--target", "nvidia", "--tuned", "t.toml"], folder)
    assert "a file is for the target 'cpu', which --target does not ask for" in done.stderr


def test_kernels_that_crash_are_a_point_that_is_not_used(tmp_path: Path) -> None:
    words = ("crash.c", "lib.c", "kernels.cl", "crash.cl", "--size", "64", "-o")
    done = subprocess.run(
        [sys.executable, "-m", "kfusion", "tune", *words, str(tmp_path / "t.toml")],
        cwd=Path(__file__).parent / "verify",
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    # A compiler that has not seen the kernels before counts its warnings.
    first, second, *_ = [w for w in done.stderr.splitlines() if not w.endswith("generated.")]
    assert first == "the kernels crashed (signal 11); other numbers are tried"
    assert second.startswith("NOT USED: crash with the target's numbers: the run did not come to")
    (point,) = written(tmp_path)["times"]["crash"]
    assert point["wrong"] == tuning.BEGUN
    assert written(tmp_path)["regions"]["crash"] == AS_WRITTEN
