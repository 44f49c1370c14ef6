"""`kfusion verify` and `bench` of kernels over images."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kfusion.device.extents import Launched
from kfusion.device.images import Shape, image_shapes
from tests.support.called import compare_here
from tests.support.case_format import case_named
from tests.support.case_program import given_files, write_files
from tests.support.kernel_side import kernel_of

OWN_TEXEL = "each item reads the texel that it has written: values stay in variables"
SIZES = "kernels ask their images for the sizes: the two are compared"


def kfusion(name: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    case = case_named("traps/09_texels.toml", name)
    program = write_files(case, folder / "program")
    return compare_here([arguments[0], *given_files(case), *arguments[1:]], program)


@pytest.mark.parametrize(
    ("name", "kernels", "images"),
    [
        (OWN_TEXEL, "3 -> 1", 2),
        (
            "an image that is read afterwards is written once, and not read in the kernel",
            "2 -> 1",
            3,
        ),
        ("neighbours of images that no call of the group writes may be read", "5 -> 1", 3),
        (
            "the host gives the sampler: what another call has written is not read through it",
            "3 -> 2",
            3,
        ),
        (SIZES, "2 -> 1", 3),
        (
            (
                "coordinates are gid / size, as in the thesis: for some sizes that is the texel "
                "at the left"
            ),
            "2 -> 2",
            3,
        ),
    ],
)
def test_images_are_compared_number_by_number(
    name: str, kernels: str, images: int, tmp_path: Path
) -> None:
    done = kfusion(name, tmp_path, "verify", "--size", "13")
    assert done.returncode == 0, done.stderr
    numbers = images * 13 * 13 * 4
    if name == SIZES:  # nothing but the range says how large they are
        numbers = images * 16 * 16 * 4
    expected = f"size 13: kernels {kernels}: {numbers} elements compared: the same\n"
    assert done.stdout.endswith(expected)


def test_images_are_timed(tmp_path: Path) -> None:
    done = kfusion(OWN_TEXEL, tmp_path, "bench", "--size", "64", "--repeats", "100")
    assert done.returncode == 0, done.stderr
    row = done.stdout.splitlines()[-1]
    assert "64    3 -> 1" in row
    assert row.endswith("3.50")  # seven pictures are moved before, and two after


@pytest.mark.parametrize(
    ("guard", "index", "shape"),
    [
        ("at.x < w && at.y <= 4", "at", (7, 5)),
        ("at.x < w", "at", (7, 16)),
        ("at.x < get_image_width(c)", "at", (32, 16)),
        ("at.x < w && at.y < 3", "at + (int2)(2, 1)", (9, 4)),
        ("at.x < w && at.y < 3", "(int2)(at.x & 3, at.y)", (7, 3)),
    ],
)
def test_image_that_is_written_ends_where_the_guard_does(
    guard: str, index: str, shape: tuple[int, int]
) -> None:
    """And those that are only read are as large."""
    kernel = kernel_of(
        f"""
kernel void f(write_only image2d_t c, read_only image2d_t a, int w)
{{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    if ({guard})
        write_imagei(c, {index}, read_imagei(a, at + 1));
}}
"""
    )
    found = image_shapes(kernel, Launched((32, 16), (8, 8), {"w": 7}))
    assert found == {"a": Shape(*shape, "int4"), "c": Shape(*shape, "int4")}
