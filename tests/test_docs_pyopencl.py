"""What docs/pyopencl.md shows is run, as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "pyopencl.md"


def test_the_snippets_run_one_after_the_other(tmp_path: Path) -> None:
    """What they print stands behind their `print`."""
    text = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))
    script = tmp_path / "page.py"
    script.write_text(text)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == re.findall(r"(?m)^print\(.*\)  # (.*)$", text)
