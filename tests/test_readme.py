"""What README.md shows is run, as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def python_example() -> str:
    found = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert found is not None
    return found.group(1)


def test_python_example_fuses_and_runs(tmp_path: Path) -> None:
    script = tmp_path / "example.py"
    script.write_text(python_example())
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 5.0\n"


def test_python_example_has_under_twenty_lines() -> None:
    assert len([line for line in python_example().splitlines() if line.strip()]) < 20
