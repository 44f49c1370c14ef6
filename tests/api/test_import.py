"""`kfusion.fuse` is a function, however the package's modules come to be imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

KERNEL = "kernel void twice(global float *x) { int i = get_global_id(0); x[i] *= 2; }"


@pytest.mark.parametrize(
    "setup",
    ["import kfusion; fuse = kfusion.fuse", "from kfusion import fuse", "import kfusion.driver"],
)
def test_fuse_can_be_called_again_and_again(setup: str) -> None:
    script = (
        f"{setup}\nimport kfusion\n"
        f"calls = ['twice(x)', 'twice(x)']\n"
        f"print([len(kfusion.fuse({KERNEL!r}, calls).kernels) for _ in range(3)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout == "[1, 1, 1]\n", done.stderr


def test_the_version_is_told_without_a_parser() -> None:
    script = (
        "import sys\nfrom kfusion.cli import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    print('pycparser' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("kfusion, version ")
    assert done.stdout.endswith("\nFalse\n")
