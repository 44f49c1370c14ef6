"""Examples of a few lines, put in place of what stands in a small program."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "cli" / "program"
HEAD = re.compile(
    r"^(?:#pragma sync .*\n)?[a-z][\w *]*?\b(\w+)\([^{};]*\)\n\{\n.*?^\}\n",
    re.MULTILINE | re.DOTALL,
)
_APPLICATION = '#include "vec.h"\n\nint combine(cl_mem c, cl_mem a, cl_mem b, cl_mem t, size_t n)\n'


def _merged(text: str, base: str) -> str:
    """An example's functions in place of those of the same names, others added in front."""
    functions = {found.group(1) for found in HEAD.finditer(text)}
    if not functions:
        return text
    rest = HEAD.sub(lambda m: "" if m.group(1) in functions else m.group(), base)
    last = [*re.finditer(r"^(#include|static) .*;?\n", rest, re.MULTILINE)]
    at = last[-1].end() if last else 0
    return f"{rest[:at]}\n{text}\n{rest[at:]}"


def _application(text: str) -> str:
    """Statements are those of combine(); `#include` begins a file."""
    if HEAD.search(text):
        return f'#include "vec.h"\n\n{text}'
    return f"{_APPLICATION}{{\n{text}\n    return 0;\n}}\n"


def _header(library: str) -> str:
    """vec.h with the functions as the example declares them."""
    found = {m.group(1): m.group().split("\n{")[0] for m in HEAD.finditer(library)}
    text = (PROGRAM / "vec.h").read_text()
    for name, head in found.items():
        head = re.sub(r"^#pragma.*\n", "", head)
        if not head.startswith("static"):
            text = re.sub(rf"^.*\b{name}\(.*\n", "", text, flags=re.MULTILINE)
            text = text.replace("\n#endif", f"{head};\n\n#endif")
    return text


def write_program(folder: Path, example: Mapping[str, str]) -> None:
    shutil.copytree(PROGRAM, folder)
    for name, text in example.items():
        if name == "app.c":
            (folder / name).write_text(_application(text))
        elif name == "vec.c":
            (folder / name).write_text(_merged(text, (folder / name).read_text()))
            (folder / "vec.h").write_text(_header(text))
        elif name == "vec.cl":
            alone = "other.cl" in example  # then both files are shown as they are
            base = (folder / name).read_text()
            (folder / name).write_text(text if alone else _merged(text, base))
        elif name.endswith((".c", ".cl")):
            (folder / name).write_text(text)
