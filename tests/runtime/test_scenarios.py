"""What a program prints is what it prints as written, and this many launches are made for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from casestudies.measure import run_counted
from tests.runtime.builds import WARNINGS, compile_host, header
from tests.runtime.standin.library import run_program


@dataclass(frozen=True)
class Scenario:
    name: str
    launches: dict[str, int]  # each scenario runs twice
    closed: dict[str, int] | None = None  # the same if not given


AS_WRITTEN = {"square": 2, "add": 2}
FUSED = {"square_add": 2}

SCENARIOS = (
    Scenario("plain_pair", FUSED),
    Scenario("outside", AS_WRITTEN),
    Scenario("seldom", {"square": 126, "add": 126, "square_add": 74}),
    Scenario("other_argument", AS_WRITTEN),
    Scenario("condition_fails", AS_WRITTEN),
    Scenario("overlap", AS_WRITTEN),
    Scenario("read_between", AS_WRITTEN),
    Scenario("finish_between", FUSED),
    Scenario("write_apart", FUSED),
    Scenario("write_source", AS_WRITTEN),
    Scenario("arguments_change", {"square_add": 2, "square": 2}),
    Scenario("arguments_change_and_settle", {"square": 4}),
    Scenario("sticky", AS_WRITTEN, FUSED),
    Scenario("sticky_in_part", {"square": 4, "add": 2}),
    Scenario("several_regions", {"square_add": 6}),
    Scenario("made_again", {"square_add": 6, "square": 6}),
    Scenario("loop_inside", {"square_add": 6}),
    Scenario("returning", {"square_add": 2, "square": 2}),
    Scenario("jumping", {"square": 2}),
    Scenario("nested", {"square": 2, "square_add": 4}),
    Scenario("events", AS_WRITTEN),
    Scenario("two_queues", AS_WRITTEN),
    Scenario("host_pointer", AS_WRITTEN),
    Scenario("wrong_size", {}),
    Scenario("scratch", {"square_add_less": 2, "copy": 2}),
    Scenario("scratch_loop", {"square_add_less": 10}),
    Scenario("scratch_outside", FUSED),
    Scenario("scratch_made_before", FUSED),
    Scenario("scratch_retained", FUSED),
    Scenario("scratch_is_read_by_noted", {"square_add": 2, "square": 2}),
    Scenario("scratch_is_read_first", {"square_add": 2, "copy": 2}),
    Scenario("scratch_has_part", FUSED),
    Scenario("named", {"square_add_less": 2}),
    Scenario("named_is_read", FUSED),
    Scenario("named_loop", {"square_add": 4, "square_add_less": 2}),
    Scenario("fresh_loop", {"square_add_less": 6}),
    Scenario("fresh_long_loop", {"square_add": 138, "square_add_less": 62}),
    Scenario("fresh_condition_fails", {"square_add": 2, "square": 2, "add": 2}),
    Scenario("fresh_begun", {"square_add": 2, "square": 2}),
    Scenario("loop_7", {"advance_3": 4, "advance": 2}),
    Scenario("loop_6", {"advance_3": 2, "advance": 6}),
    Scenario("loop_2", {"advance": 4}),
    Scenario("five_6", {"advance_5": 2, "advance": 2}),
    Scenario("five_7", {"advance_3": 4, "advance": 2}),  # not 5 + 1 + 1
    Scenario("five_9", {"advance_5": 2, "advance_3": 2, "advance": 2}),
    Scenario("five_10", {"advance_3": 6, "advance": 2}),  # not 5 + 3 + 1 + 1
    Scenario("five_40", {"advance_5": 12, "advance_3": 6, "advance": 2}),
    Scenario("loop_40", {"advance_3": 26, "advance": 2}),
    Scenario("loop_then_pair", {"advance_3": 2, "advance": 4, "square_add": 2}),
    Scenario("loop_without_exchange", {"advance": 10}),
    Scenario("references", AS_WRITTEN),
    Scenario("release_while_noted", {"square_add": 2, "square": 2}),
    Scenario("build_again", {"square_add": 6}),
    Scenario("build_again_inside", {"square_add": 4}),
    Scenario("tiled", {"paint_tint": 2}),
    Scenario("tiled_groups", {"paint_tint": 2}),
    Scenario("tiled_offset", {"paint": 2, "tint": 2}),
    Scenario("tiled_line", {"paint": 2, "tint": 2}),
    Scenario("tiled_sheet", {"paint_tint": 2}),  # one item in the third dimension
    Scenario("tiled_space", {"paint": 2, "tint": 2}),
)


def counts(names: tuple[str, ...]) -> dict[str, int]:
    return {name: names.count(name) for name in names}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_host(tmp_path_factory.mktemp("plain"), "-std=c99")


@pytest.fixture(scope="module")
def fused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fused")
    return compile_host(folder, "-std=c99", *WARNINGS, text=header())


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("closed")
    return compile_host(folder, "-std=c99", *WARNINGS, text=header(closed=True))


@pytest.fixture(scope="module")
def plus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plus")
    return compile_host(folder, "-std=c++11", "-O2", *WARNINGS, text=header())


def names(scenario: Scenario) -> str:
    return scenario.name


@pytest.mark.parametrize("scenario", SCENARIOS, ids=names)
def test_calls_and_objects(
    scenario: Scenario, plain: Path, fused: Path, plus: Path, closed: Path
) -> None:
    """With the stand-in for OpenCL, which knows what is used after its release, or left."""
    as_written = run_program(plain, [scenario.name])
    for program, launches in (
        (fused, scenario.launches),
        (plus, scenario.launches),
        (closed, scenario.launches if scenario.closed is None else scenario.closed),
    ):
        run = run_program(program, [scenario.name])
        assert (run.status, run.output) == (0, as_written.output)
        assert counts(run.launches) == launches
        assert run.leaks == as_written.leaks


def test_results_on_a_device(plain: Path, fused: Path, closed: Path) -> None:
    """All scenarios, one behind the other.

    Which wrong launches are refused is the device's, and how long it refers to the objects of
    commands that have ended.
    """
    scenarios = [each for each in SCENARIOS if each.name not in ("wrong_size", "references")]
    every = [scenario.name for scenario in scenarios]
    as_written = run_counted([str(plain), *every])
    total: dict[str, int] = {}
    for scenario in scenarios:
        for name, count in scenario.launches.items():
            total[name] = total.get(name, 0) + count
    run = run_counted([str(fused), *every])
    assert run.stdout == as_written.stdout
    assert run.launches == total
    assert run_counted([str(closed), *every]).stdout == as_written.stdout


def test_nothing_changes_when_the_run_time_is_off(plain: Path, fused: Path) -> None:
    for scenario in SCENARIOS[:4]:
        run = run_program(fused, [scenario.name], {"KFUSION": "off"})
        assert run.log == run_program(plain, [scenario.name]).log


def test_a_closed_program_sets_each_argument_once(plain: Path, fused: Path, closed: Path) -> None:
    """Three regions, then all objects anew: 7 arguments of the program, 5 of a fused kernel."""

    def arguments_set(program: Path) -> int:
        log = run_program(program, ["several_regions"]).log
        return sum("clSetKernelArg" in line for line in log)

    assert arguments_set(plain) == 6 * 7
    assert arguments_set(fused) == 6 * (7 + 5)
    assert arguments_set(closed) == 2 * (7 + 5)


def test_an_argument_is_set_again_behind_a_release(tmp_path: Path) -> None:
    """Another object may have the address: the stand-in stops a launch with the one before."""
    program = compile_host(
        tmp_path, "-DKFUSION_WITHOUT_RELEASED_ARGUMENTS", text=header(closed=True)
    )
    done = run_program(program, ["made_again"])
    assert done.status != 0
    assert "was set to an object that is gone" in done.errors


@pytest.mark.parametrize("scenario", ["tiled", "tiled_groups"])
def test_a_launch_in_tiles_has_groups_of_its_own(scenario: str, fused: Path) -> None:
    """9 x 7 items in groups of 2 x 1, each of which does 5 x 4."""
    log = run_program(fused, [scenario]).log
    assert sum("(paint_tint) 4x2 local 2x1 -> 0" in line for line in log) == 2


@pytest.mark.parametrize(
    ("limit", "few", "enough"),
    [
        ("STANDIN_MAX_GROUP", "1", "2"),
        ("STANDIN_MAX_ITEMS", "1", "2"),
        ("STANDIN_LOCAL_OF_paint_tint", "32769", "32768"),
    ],
)
def test_a_device_may_be_too_small_for_groups_of_tiles(
    limit: str, few: str, enough: str, plain: Path, fused: Path
) -> None:
    """Which is seen before anything is made."""
    run = run_program(fused, ["tiled"], {"KFUSION": "trace", limit: few})
    assert counts(run.launches) == {"paint": 2, "tint": 2}
    assert "as written 2 (2 times: paint_tint cannot run like this)" in run.errors
    assert run.output == run_program(plain, ["tiled"]).output
    assert counts(run_program(fused, ["tiled"], {limit: enough}).launches) == {"paint_tint": 2}


@pytest.mark.parametrize("scenario", ["tiled_offset", "tiled_line", "tiled_space"])
def test_a_range_that_is_not_in_tiles_is_seen_before_anything_is_made(
    scenario: str, fused: Path
) -> None:
    told = run_program(fused, [scenario], {"KFUSION": "trace"}).errors
    assert "as written 2 (2 times: paint_tint cannot run like this)" in told
