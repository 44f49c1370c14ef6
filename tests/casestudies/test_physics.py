"""The physics case study, a pool game, fused and unfused on PoCL and on Oclgrind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyopencl as cl
import pytest

from casestudies.demo import POOL
from casestudies.measure import RunResult, build, run_counted
from kfusion.device.oclgrind import oclgrind_races
from kfusion.device.opencl import build_program, pocl_device
from tests.casestudies.test_golden import GOLDEN, code_lines, definition, differences

PHYSICS = POOL.folder
APPS = POOL.apps
REFERENCE = PHYSICS / "reference"
SOURCES = POOL.sources("game")
FUSED = "pool_move_collide_balls_collide_pockets_collide_walls"
OPERATIONS = ("pool_move", "pool_collide_balls", "pool_collide_pockets", "pool_collide_walls")
WARNINGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unknown-pragmas")

STEP = 1e-4
RADIUS = np.float32(0.0286)
SHOTS = ("1,6", "0,8", "-0.4,12", "33,10")  # degrees, metres per second

Array = npt.NDArray[np.float64]


def program_of(
    application: str, sources: list[Path], folder: Path, libraries: tuple[str, ...]
) -> Path:
    """One of the two applications; `sources` are the game's, the library's, the kernels'."""
    game, library, _ = sources
    return build(
        [APPS / application, game, library],
        folder / Path(application).stem,
        [library.parent, PHYSICS, APPS, REFERENCE],
        flags=(*WARNINGS, "-Wl,--no-as-needed", *libraries),
    )


def by_hand(folder: Path) -> list[Path]:
    """The sources with the fusion of `reference/`, made as the README says."""
    folder.mkdir()
    shutil.copytree(APPS, folder / "apps")
    patch = (REFERENCE / "apps.patch").read_text()
    subprocess.run(["patch", "-s", "-d", folder, "-p1"], input=patch, text=True, check=True)
    for path in SOURCES[1:]:
        added = REFERENCE / f"fused_by_hand{path.suffix}"
        (folder / path.name).write_text(path.read_text() + added.read_text())
    return [folder / "apps" / "game.c", folder / "pool.c", folder / "pool.cl"]


@dataclass(frozen=True)
class Pool:
    """The game without a window, built in three ways."""

    sources: dict[str, list[Path]]
    programs: dict[str, Path]

    def environment(self, kind: str) -> dict[str, str]:
        return {**POOL.environment(self.sources[kind][2])}

    def run(self, kind: str, *arguments: object) -> RunResult:
        command = [str(self.programs[kind]), *map(str, arguments)]
        result = run_counted(command, self.environment(kind))
        assert result.returncode == 0, result.stderr
        return result

    def dump(self, kind: str, file: Path, *arguments: object) -> tuple[RunResult, bytes]:
        result = self.run(kind, *arguments, "-d", file)
        return result, file.read_bytes()


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    folder = tmp_path_factory.mktemp("pool")
    sources = {
        "unfused": SOURCES,
        "fused": POOL.fuse(SOURCES, folder / "out"),
        "by hand": by_hand(folder / "by_hand"),
    }
    programs = {
        kind: program_of("shot.c", paths, folder / "programs" / kind, ("-lgif",))
        for kind, paths in sources.items()
    }
    return Pool(sources, programs)


# ---- Launches and bits ----


@pytest.mark.parametrize("balls", [1, 16, 17, 256])
def test_a_step_is_one_launch_instead_of_four(pool: Pool, balls: int, tmp_path: Path) -> None:
    shot = ("--balls", balls, "--shot", "0,10", "--frames", 6, "--steps", 10)
    unfused, expected = pool.dump("unfused", tmp_path / "unfused", *shot)
    fused, found = pool.dump("fused", tmp_path / "fused", *shot)
    assert unfused.launches == {"pool_impulse": 1, **dict.fromkeys(OPERATIONS, 50)}
    assert fused.launches == {"pool_impulse": 1, FUSED: 50}
    assert fused.stderr == ""
    assert found == expected


def test_more_balls_than_a_group_holds_keep_their_launches(pool: Pool, tmp_path: Path) -> None:
    # Balls of other groups must have moved: only a new launch waits for those.
    shot = ("--balls", 300, "--shot", "0,20", "--frames", 3, "--steps", 500)
    unfused, expected = pool.dump("unfused", tmp_path / "unfused", *shot)
    fused, found = pool.dump("fused", tmp_path / "fused", *shot)
    assert fused.launches == unfused.launches
    assert unfused.launches == {"pool_impulse": 1, **dict.fromkeys(OPERATIONS, 1000)}
    assert fused.stderr == ""
    assert found == expected


@pytest.mark.parametrize("shot", SHOTS)
def test_trajectories_are_the_same_to_the_bit(pool: Pool, shot: str, tmp_path: Path) -> None:
    arguments = (f"--shot={shot}", "--frames", 31, "--steps", 200, "--preview")
    _, expected = pool.dump("unfused", tmp_path / "unfused", *arguments)
    for kind in ("fused", "by hand"):
        result, found = pool.dump(kind, tmp_path / "dump", *arguments)
        assert found == expected, kind
        assert result.total == 2 + 2000 + 30 * 200


@pytest.mark.parametrize("kind", ["unfused", "fused", "by hand"])
def test_no_data_races_until_the_balls_have_met(pool: Pool, kind: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    shot = ("--balls", "6", "--shot", "1,20", "--frames", "2", "--steps", "600", "-d", str(dump))
    assert oclgrind_races([pool.programs[kind], *shot], pool.environment(kind)) == []
    last = states(dump, 6)[-1]
    assert np.count_nonzero(last.speed) > 2


def test_without_the_barrier_the_balls_would_race(pool: Pool, tmp_path: Path) -> None:
    text = pool.sources["fused"][2].read_text()
    barrier = "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    assert text.count(barrier) == 1
    kernels = tmp_path / "pool.cl"
    kernels.write_text(text.replace(barrier, ""))
    found = oclgrind_races(
        [pool.programs["fused"], "--frames", "2", "--steps", "2"],
        {**pool.environment("fused"), "POOL_CL": str(kernels)},
        uninitialized=False,
    )
    assert found
    assert all("data race" in complaint for complaint in found)


# ---- Physics ----


@dataclass(frozen=True)
class State:
    """All balls at one moment, out of the dump of a game."""

    position: Array
    velocity: Array
    in_play: npt.NDArray[np.bool_]

    @property
    def speed(self) -> Array:
        return np.asarray(np.hypot(*self.velocity.T), np.float64)

    @property
    def energy(self) -> float:
        return float((self.velocity**2).sum() / 2)

    @property
    def overlap(self) -> float:
        """Of the two balls in play that overlap most; less than 0 if none do."""
        position = self.position[self.in_play]
        gap = position[:, None] - position[None]
        distance = np.hypot(gap[..., 0], gap[..., 1])
        np.fill_diagonal(distance, np.inf)
        return float(2 * RADIUS - distance.min())

    @property
    def beyond(self) -> float:
        """How far the ball in play that is farthest out has run into a cushion."""
        half = np.array([1.12, 0.56]) * max(1, len(self.position) / 16) ** 0.5
        return float((np.abs(self.position[self.in_play]) - half + RADIUS).max())


def states(dump: Path, balls: int = 16) -> list[State]:
    layout = np.dtype(
        [("position", "f4", (balls, 2)), ("velocity", "f4", (balls, 2)), ("in_play", "i4", balls)]
    )
    return [
        State(one["position"].astype(float), one["velocity"].astype(float), one["in_play"] != 0)
        for one in np.fromfile(dump, layout)
    ]


@pytest.mark.parametrize(
    ("shot", "balls", "steps"), [*((shot, 16, 5000) for shot in SHOTS), ("33,10", 120, 8000)]
)
def test_every_step_obeys_the_laws(
    pool: Pool, shot: str, balls: int, steps: int, tmp_path: Path
) -> None:
    arguments = (f"--shot={shot}", "--balls", balls, "--frames", steps + 1, "--steps", 1)
    pool.dump("fused", tmp_path / "dump", *arguments)
    rack, *game = states(tmp_path / "dump", balls)
    assert len(game) == steps
    assert rack.energy == 0
    power = float(shot.split(",")[1])
    assert 0.9 * power**2 / 2 < game[0].energy <= power**2 / 2 * (1 + 1e-6)
    fastest = 0.0
    for before, after in zip([rack, *game[:-1]], game, strict=True):
        if before is not rack:
            assert after.energy <= before.energy * (1 + 1e-6)
        fastest = max(fastest, after.speed.max())
        assert after.overlap <= fastest * STEP
        assert after.beyond <= fastest * STEP
        assert not (after.in_play & ~before.in_play).any()
        assert not after.speed[~after.in_play].any()
    assert np.count_nonzero(game[-1].speed) > 2


def test_balls_drop_into_pockets_and_come_to_rest(pool: Pool, tmp_path: Path) -> None:
    pool.dump("fused", tmp_path / "dump", "--shot", "0.7,15", "--frames", 21, "--steps", 10000)
    last = states(tmp_path / "dump")[-1]
    assert 0 < last.in_play.sum() < 16
    assert not last.speed.any()


def test_the_preview_shows_what_the_shot_will_do(pool: Pool, tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    pool.dump("fused", dump, "--shot", "1,8", "--frames", 41, "--steps", 50, "--preview")
    paths = np.fromfile(dump, "f4", 41 * 16 * 2).reshape(41, 16, 2)
    dump.write_bytes(dump.read_bytes()[paths.nbytes :])
    shot = states(dump)
    assert (paths == np.stack([state.position for state in shot])).all()
    assert np.count_nonzero(shot[-1].speed) > 2


class Device:
    """The kernel of impacts, on its own."""

    def __init__(self) -> None:
        built = build_program((PHYSICS / "pool.cl").read_text(), device=pocl_device())
        self.context = built.context
        self.queue = cl.CommandQueue(built.context)
        self.kernel = cl.Kernel(built.program, "pool_collide_balls")

    def impacts(self, position: Array, velocity: Array, restitution: float) -> Array:
        """The velocities after one step."""
        n = len(position)
        given = [position.astype(np.float32), velocity.astype(np.float32), np.ones(n, np.int32)]
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        after = [cl.Buffer(self.context, flags, hostbuf=array) for array in given]
        before = [cl.Buffer(self.context, flags, hostbuf=array) for array in given]
        scalars = [np.float32(value) for value in (2 * RADIUS, restitution, STEP)]
        self.kernel(self.queue, (n,), (n,), *after, *before, np.uint32(n), *scalars)
        result = np.empty_like(given[1])
        cl.enqueue_copy(self.queue, result, after[1])
        return result.astype(float)


@pytest.mark.parametrize("restitution", [0.0, 0.95, 1.0])
def test_clusters_keep_momentum_and_gain_no_energy(restitution: float) -> None:
    device, random = Device(), np.random.default_rng(1)
    met = 0
    for _ in range(200):
        position = random.normal(0, 2 * RADIUS, (12, 2))  # far more crowded than a game
        velocity = random.normal(0, 3, (12, 2)).astype(np.float32).astype(float)
        after = device.impacts(position, velocity, restitution)
        met += int(np.count_nonzero((after != velocity).any(axis=1)))
        size = np.abs(velocity).sum()
        assert np.abs(after.sum(axis=0) - velocity.sum(axis=0)).max() <= 1e-6 * size
        assert (after**2).sum() <= (velocity**2).sum() * (1 + 1e-6)
    assert met > 1000


def test_two_balls_part_with_what_restitution_leaves() -> None:
    position = np.array([[0, 0], [2 * float(RADIUS), 0]])
    after = Device().impacts(position, np.array([[3.0, 1.0], [-1.0, 0.0]]), 0.5)
    assert after == pytest.approx(np.array([[0.0, 1.0], [2.0, 0.0]]), abs=1e-5)
    leaving = np.array([[-3.0, 1.0], [1.0, 0.0]])
    assert (Device().impacts(position, leaving, 0.5) == leaving).all()


# ---- Pictures ----


def gif_frames(data: bytes) -> list[bytes]:
    """The images of a GIF with one global map of 16 colours, as indices of colours."""
    assert data[:6] == b"GIF89a"
    assert data[10] & 0x87 == 0x83
    frames, at = [], 13 + 3 * 16
    while data[at] != ord(";"):
        is_image = data[at] == ord(",")
        assert is_image or data[at] == ord("!")
        width, height = (int.from_bytes(data[at + i : at + i + 2], "little") for i in (5, 7))
        code_size = data[at + 10]
        at += 11 if is_image else 2
        blocks = []
        while size := data[at]:
            blocks.append(data[at + 1 : at + 1 + size])
            at += 1 + size
        at += 1
        if is_image:
            frames.append(unpacked(b"".join(blocks), code_size))
            assert len(frames[-1]) == width * height
    assert at == len(data) - 1
    return frames


def unpacked(data: bytes, code_size: int) -> bytes:
    """What a GIF has packed by the method of Lempel, Ziv and Welch."""
    clear, end = 1 << code_size, (1 << code_size) + 1
    table: list[bytes] = []
    out: list[bytes] = []
    last, width, bits, count = b"", code_size + 1, 0, 0
    for byte in data:
        bits |= byte << count
        count += 8
        while count >= width:
            code = bits & ((1 << width) - 1)
            bits >>= width
            count -= width
            if code == end:
                return b"".join(out)
            if code == clear:
                table, last, width = (
                    [bytes([i]) for i in range(clear)] + [b"", b""],
                    b"",
                    code_size + 1,
                )
                continue
            if last:
                table.append(last + (table[code] if code < len(table) else last)[:1])
            last = table[code]
            out.append(last)
            if len(table) == 1 << width and width < 12:
                width += 1
    raise AssertionError("the picture has no end")


def test_a_shot_is_a_gif_of_as_many_pictures(pool: Pool, tmp_path: Path) -> None:
    seen = {}
    for kind in ("unfused", "fused"):
        file = tmp_path / f"{kind}.gif"
        pool.run(kind, "--shot", "1,6", "--frames", 8, "--preview", "-o", file)
        seen[kind] = file.read_bytes()
    assert seen["fused"] == seen["unfused"]
    frames = gif_frames(seen["fused"])
    assert len(frames) == 8
    assert len(set(frames)) == 8
    lines = [frame.count(3) for frame in frames]  # the colour of the preview's paths
    assert lines[0] > 100
    assert not any(lines[1:])
    assert all(set(frame) >= set(range(3)) | set(range(4, 13)) for frame in frames)


def test_time_is_printed_when_it_is_asked_for(pool: Pool) -> None:
    result = pool.run("fused", "-n", 20, "-r", 3)
    assert re.fullmatch(r"time_ms: \d+\.\d+\n", result.stdout)
    assert result.launches == {"pool_impulse": 3, FUSED: 3 * 21}


@pytest.mark.parametrize("kind", ["unfused", "fused"])
def test_the_window_opens_previews_and_shoots(pool: Pool, kind: str, tmp_path: Path) -> None:
    config = shutil.which("sdl2-config")
    if config is None:
        pytest.skip("no SDL2 headers here (Debian, Ubuntu: apt-get install libsdl2-dev)")
    flags = subprocess.check_output([config, "--cflags", "--libs"], text=True).split()
    window = program_of("window.c", pool.sources[kind], tmp_path, tuple(flags))
    result = run_counted(
        [window, "--frames", "8"], {**pool.environment(kind), "SDL_VIDEODRIVER": "dummy"}
    )
    assert result.returncode == 0, result.stderr
    steps = {"unfused": OPERATIONS, "fused": (FUSED,)}[kind]
    frames = 3 * 167  # the fifth frame shoots
    assert result.launches == {"pool_impulse": 2, **dict.fromkeys(steps, 2000 + frames)}


# ---- Generated text ----


def test_generated_text_is_as_reviewed(tmp_path: Path) -> None:
    POOL.fuse(SOURCES, tmp_path)
    found = differences(SOURCES, tmp_path)
    golden = GOLDEN / "pool.diff"
    if os.environ.get("KFUSION_UPDATE_GOLDEN"):
        golden.write_text(found)
    assert found == golden.read_text()


def test_generated_kernel_is_hardly_longer_than_by_hand(pool: Pool) -> None:
    text = definition(pool.sources["fused"][2].read_text(), FUSED)
    expected = definition((REFERENCE / "fused_by_hand.cl").read_text(), "fused_step")
    assert code_lines(text) <= 1.3 * code_lines(expected)


def test_fused_kernel_compiles_without_a_warning(pool: Pool) -> None:
    built = build_program(pool.sources["fused"][2].read_text(), all_warnings=True)
    assert built.warnings == ()
