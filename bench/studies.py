"""What is measured: the applications of the case studies, and the sizes of their data."""

from __future__ import annotations

from dataclasses import dataclass

from casestudies.demo import (
    CHAINS,
    CHAINS_3D,
    CONVOLUTION,
    DOUBLE,
    FLOAT,
    IMAGE,
    LADDER,
    LINALG,
    POOL,
    STENCIL,
    STEPS,
    TEXTURE,
    Precision,
    Study,
)

SCALES = ("quick", "cpu", "gpu")
PROBED = {
    "image": 100,
    "texture": 100,
    "vector": 10_000,
    "matrix": 300,
    "convolution": 100,
    "stencil": 100,
    "plane": 100,
    "volume": 40,
}  # sizes at which bits are compared first


@dataclass(frozen=True)
class Sizes:
    """For each scale the values of ``-n``."""

    quick: tuple[int, ...]
    cpu: tuple[int, ...]
    gpu: tuple[int, ...]

    def at(self, scale: str) -> tuple[int, ...]:
        return {"quick": self.quick, "cpu": self.cpu, "gpu": self.gpu}[scale]


@dataclass(frozen=True)
class Application:
    """A program with one region, whose kernels are timed."""

    study: Study
    kind: str  # what it is shown with: applications of one kind share a figure
    name: str
    sizes: Sizes
    precision: Precision = FLOAT
    flops: int = 0  # of one element of the result; 0: it is not in the roofline figure
    peers: int = 0  # today's fusers do it too, at this one of the sizes: -1, the last
    thesis: tuple[float, float] | None = None  # speed-ups in the thesis: on its GPU, on its CPU
    by_hand: bool = True  # there is a fusion in ``reference/``
    note: str = ""  # what tells it from others of its name

    @property
    def label(self) -> str:
        notes = (self.note, self.precision.name if self.precision is not FLOAT else "")
        told = "".join(f" ({note})" for note in notes if note)
        return self.name.rsplit("/", 1)[-1] + told

    def peers_at(self, scale: str) -> int:
        sizes = self.sizes.at(scale)
        return sizes[max(self.peers, -len(sizes))]


@dataclass(frozen=True)
class Program:
    """A whole program, whose wall time is taken."""

    study: Study
    name: str
    title: str
    arguments: dict[str, tuple[str, ...]]  # by scale
    steps: dict[str, int]  # what a repetition consists of, by scale; 0: one whole computation
    dumped: tuple[str, ...] = ()  # arguments for the run whose results are compared
    repeats: int = 5


PICTURES = Sizes((128,), (512, 1024, 2048), (512, 1024, 2048, 4096))
TEXTURES = Sizes((128,), (1024,), (1024, 4096))
VECTORS = Sizes(
    (1 << 14,),
    (1 << 12, 1 << 16, 1 << 20, 1 << 22, 1 << 24),
    (1 << 12, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28),
)
DOUBLES = Sizes((1 << 14,), (1 << 20, 1 << 23), (1 << 20, 1 << 26))
MATRICES = Sizes((128,), (1024, 2048, 4096), (1024, 4096, 8192))
ONE_PICTURE = Sizes((128,), (1024,), (4096,))
ONE_VECTOR = Sizes((1 << 14,), (1 << 22,), (1 << 26,))
# Below powers of two, as in the thesis on stencils of Futhark.
PLANES = Sizes((127,), (1023, 2047, 8191), (4095, 8191, 16383))
PIXELS = Sizes((127,), (1023, 2047), (4095, 8191))
VOLUMES = Sizes((31,), (127, 255), (255, 511))
DOUBLE_MATRICES = Sizes((128,), (1024, 2048), (1024, 4096))

# The thesis's speed-ups: tables 5.3 and 5.5.
APPLICATIONS = (
    Application(IMAGE, "image", "ldd", PICTURES, peers=-1, thesis=(3.41, 4.08)),
    Application(IMAGE, "image", "mdd", PICTURES, peers=-1, thesis=(1.75, 1.41)),
    Application(IMAGE, "image", "hdd", PICTURES, peers=-1, thesis=(1.42, 1.27)),
    Application(IMAGE, "image", "hddlf", PICTURES, peers=-1, thesis=(1.11, 1.12)),
    Application(IMAGE, "image", "variants/mdd_in_place", ONE_PICTURE, by_hand=False),
    Application(IMAGE, "image", "variants/filters", ONE_PICTURE, by_hand=False),
    *(
        Application(TEXTURE, "texture", name, TEXTURES, thesis=thesis, note="image2d_t")
        for name, thesis in (
            ("ldd", (3.41, 4.08)),
            ("mdd", (1.75, 1.41)),
            ("hdd", (1.42, 1.27)),
            ("hddlf", (1.11, 1.12)),
        )
    ),
    Application(LINALG, "vector", "pythagoras", VECTORS, FLOAT, 6, -2, (1.5, 2.0)),
    Application(LINALG, "vector", "distance", VECTORS, FLOAT, 12, -2, (1.5, 2.6)),
    Application(LINALG, "vector", "variants/pythagoras_intermediate", ONE_VECTOR, by_hand=False),
    Application(LINALG, "vector", "pythagoras", DOUBLES, DOUBLE),
    Application(LINALG, "vector", "distance", DOUBLES, DOUBLE),
    Application(LINALG, "matrix", "cg_steps", MATRICES, thesis=(1.0, 1.0)),
    Application(LINALG, "matrix", "cg_steps", DOUBLE_MATRICES, DOUBLE),
    Application(CONVOLUTION, "convolution", "separable", PLANES, peers=-1, by_hand=False),
    Application(CONVOLUTION, "convolution", "harris", PLANES, peers=-1, by_hand=False),
    Application(CONVOLUTION, "convolution", "unsharp", PIXELS, peers=-1, by_hand=False),
    *(
        Application(CONVOLUTION, "convolution", "ladder", PIXELS, each, by_hand=False)
        for each in LADDER.values()
    ),
    *(
        Application(STENCIL, "stencil", "jacobi", PLANES, each, peers=-1, by_hand=False)
        for each in CHAINS.values()
    ),
    *(
        Application(STENCIL, "volume", "jacobi", VOLUMES, each, peers=-1, by_hand=False)
        for each in CHAINS_3D.values()
    ),
    *(
        Application(STENCIL, "stencil", name, PLANES, by_hand=False)
        for name in ("sobel", "canny", "hotspot")
    ),
    *(
        Application(STENCIL, "plane", "steps", PIXELS, each, by_hand=False)
        for each in STEPS.values()
        if "3d" not in each.name
    ),
    *(
        Application(STENCIL, "volume", "steps", VOLUMES, each, by_hand=False)
        for each in STEPS.values()
        if "3d" in each.name
    ),
)

PROGRAMS = (
    Program(
        POOL,
        "game",
        "pool, sixteen balls",
        {"quick": ("-n", "200"), "cpu": ("-n", "5000"), "gpu": ("-n", "5000")},
        {"quick": 200, "cpu": 5000, "gpu": 5000},
        dumped=("--shot", "1,20", "--frames", "3", "--steps", "400", "-d"),
    ),
    Program(
        POOL,
        "game",
        "pool, 300 balls",
        {
            scale: ("--balls", "300", "-n", steps)
            for scale, steps in (("quick", "20"), ("cpu", "500"), ("gpu", "2000"))
        },
        {"quick": 20, "cpu": 500, "gpu": 2000},
        dumped=("--balls", "300", "--shot", "1,20", "--frames", "2", "--steps", "50", "-d"),
    ),
    *(
        Program(
            LINALG,
            "cg",
            f"conjugate gradients{title}",
            {"quick": ("-n", quick), "cpu": ("-n", cpu), "gpu": ("-n", gpu)},
            {"quick": 0, "cpu": 0, "gpu": 0},
            dumped=("-o",),
            repeats=3,
        )
        for title, quick, cpu, gpu in (
            ("", "32", "256", "1024"),
            (", large", "48", "512", "2048"),
        )
    ),
)
