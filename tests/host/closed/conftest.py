from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from kfusion.host.program import HostProgram
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.files import parse_sources
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir
from tests.host.closed.programs import Programs


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    def made(files: Mapping[str, str]) -> HostProgram:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        paths = [tmp_path / name for name in files if name.endswith(".c")]
        how = Preprocessor(system_dirs=(fake_libc_dir(),), include_dirs=(tmp_path,))
        return HostProgram(parse_sources(read_sources(paths, how)).hosts)

    return made
