"""Pages of documents whose blocks of code are files and commands: docs/add-a-page.md tells how."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import kfusion
from kfusion.cli import main
from tests.support.examples import write_program

ROOT = Path(__file__).resolve().parent.parent.parent
_FENCE = re.compile(
    r"^( *)```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL
)
_COMMENT = re.compile(r"<!-- (files|sh|not run): (.*?) -->\n", re.DOTALL)
_FUSES = re.compile(r"// (.*): (\d+) kernels?\n")  # // square(x); add(c, x, y): 1 kernel
_PROGRAM = re.compile(r"// (app\.c|vec\.cl?): (.*)\n")  # // app.c: kernels 2 -> 1
# Commands that need no shell: they are run in this process, which has all imported.
_ONLY_KFUSION = re.compile(r"(kfusion (?!verify)([^\n$|;&<>*]|\\\n)*\n?)+")
OUTPUT = "output"


@dataclass(frozen=True)
class Block:
    language: str
    title: str
    text: str
    line: int
    not_run: str = ""


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> Iterator[Block]:
    """What the page has to run, in order; comments count as blocks of their kind."""
    text = page.read_text()
    last = ""  # a comment right in front of a fence
    found = [*_FENCE.finditer(text), *_COMMENT.finditer(text)]
    for match in sorted(found, key=re.Match.start):
        line = text.count("\n", 0, match.start()) + 1
        if match.re is _COMMENT:
            kind, said = match.groups()
            last = said if kind == "not run" else ""
            if kind != "not run":
                yield Block(kind, "", said, line)
        else:
            indent, language, title, body = match.groups(default="")
            body = re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)
            yield Block(language, title, body, line, last)
            last = ""


def run_page(page: Path, folder: Path) -> None:
    """Runs the page in an empty folder; an AssertionError says which block is not as it says."""
    _Run(page, folder).page()


class _Run:
    def __init__(self, page: Path, folder: Path) -> None:
        self._page = page
        self._folder = folder
        self._output = ""
        (folder / "casestudies").symlink_to(ROOT / "casestudies")

    def page(self) -> None:
        for block in blocks(self._page):
            where = f"{self._page.name}:{block.line}"
            if not block.not_run:
                problem = self._problem(block)
                assert not problem, f"{where}: {problem}"

    def _problem(self, block: Block) -> str:
        """What is wrong with a block; nothing if it is what the page says."""
        if block.language == "files":
            return self._lend(ROOT / block.text)
        if block.language == "sh" and _ONLY_KFUSION.fullmatch(block.text):
            return self._kfusion(block.text)
        if block.language == "sh":
            return self._command(["sh", "-euc", block.text])
        if block.title == OUTPUT:
            agrees = _pattern(block.text).fullmatch(_lines(self._output))
            return "" if agrees else f"the output is\n{self._output}"
        if block.title:
            return self._file(block)
        if block.language == "python":
            return self._command([sys.executable, "-c", block.text])
        if _PROGRAM.match(block.text):
            return self._program(block)
        if _FUSES.match(block.text):
            return _fuses(block.text)
        return "what is this block? Give it a title, or say <!-- not run: why --> in front of it"

    def _lend(self, page: Path) -> str:
        for block in blocks(page):
            if block.title not in ("", OUTPUT) and "/" not in block.title:
                if not (self._folder / block.title).exists():
                    (self._folder / block.title).write_text(block.text)
        return ""

    def _file(self, block: Block) -> str:
        """A new file is written; of one that is there, the block shows some lines."""
        path = self._folder / block.title
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
            return ""
        text = path.read_text()
        return "" if _pattern(block.text).search(_lines(text)) else f"the file has\n{text[:2000]}"

    def _command(self, command: list[str]) -> str:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            command,
            cwd=self._folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self._output = done.stdout
        return f"exit status {done.returncode}\n{done.stdout}" if done.returncode else ""

    def _kfusion(self, commands: str, folder: Path | None = None) -> str:
        out = io.TextIOWrapper(io.BytesIO(), write_through=True)
        status: object = 0
        for line in commands.replace("\\\n", " ").splitlines():
            try:
                with (
                    contextlib.chdir(folder or self._folder),
                    contextlib.redirect_stdout(out),
                    contextlib.redirect_stderr(out),
                ):
                    main(shlex.split(line)[1:])
            except SystemExit as done:
                status = status or done.code
        out.seek(0)
        self._output = out.read()
        return f"exit status {status}\n{self._output}" if status else ""

    def _program(self, block: Block) -> str:
        """Functions or statements in place of those of the program in tests/cli/program."""
        (said,) = [match for match in (_PROGRAM.match(block.text),) if match]
        name, expected = said.groups()
        folder = self._folder / f"line{block.line}"
        write_program(folder, {name: block.text[said.end() :]})
        self._kfusion("kfusion app.c vec.c vec.cl -o out --explain-plan", folder)
        plan = self._output
        return "" if expected in plan else f"the plan is\n{plan}"


def _fuses(text: str) -> str:
    said = _FUSES.match(text)
    assert said is not None
    target = kfusion.TARGETS["nvidia"]  # what neighbours make is computed again there
    fused = kfusion.fuse(text, said.group(1).split("; "), target=target)
    if len(fused.kernels) == int(said.group(2)):
        return ""
    return "\n".join([f"{len(fused.kernels)} kernels", *(d.message for d in fused.diagnostics)])


def _lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


def _pattern(text: str) -> re.Pattern[str]:
    """`...` stands for anything."""
    parts = [re.escape(part) for part in _lines(text).split("...")]
    return re.compile(".*?".join(parts), re.DOTALL)
