"""The program that the measuring room is measured with."""

from pathlib import Path

import pytest

from casestudies.measure import build

SCALE = Path(__file__).parent / "scale"


@pytest.fixture(scope="session")
def scale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The host of ``scale/``, built. It takes the kernels to launch as arguments."""
    output = tmp_path_factory.mktemp("scale") / "scale"
    return build([SCALE / "host.c"], output, flags=("-O1", "-Wall", "-Wextra", "-Werror"))


@pytest.fixture
def kernels() -> dict[str, str]:
    """The environment that tells the host where its kernels are."""
    return {"KERNELS": str(SCALE / "scale.cl")}
