"""What README.md and the pages under docs/ show is run, as it stands there."""

from __future__ import annotations

import contextlib
import io
import re
from collections import Counter
from pathlib import Path

import pytest

from kfusion.cli import main
from kfusion.graph.target import BUDGETS, TARGETS
from tests.support.pages import ROOT, blocks, pages, run_page

# Why a block is not run. A reason that is not listed here is no reason.
REASONS = {
    "needs an NVIDIA GPU",
    "takes minutes",
    "installs packages",
    "measures, which takes its time",
    "a form, not a program",
}
RUN = {page for page in pages() if any(not block.not_run for block in blocks(page))}


@pytest.mark.parametrize("page", sorted(RUN), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    run_page(page, tmp_path)


def test_blocks_that_are_not_run_have_a_known_reason() -> None:
    reasons = Counter(block.not_run for page in pages() for block in blocks(page))
    print(*(f"{count} blocks: {why}" for why, count in reasons.items() if why), sep="\n")
    assert reasons.keys() - {""} <= REASONS


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_code_hides_behind_indentation(page: Path) -> None:
    fenced = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    outer, hidden = "", []
    for line in filter(str.strip, fenced.splitlines()):
        if not line.startswith("    "):
            outer = line
        elif not re.match(r" *([-*]|\d\.) | {2,3}\S", outer):
            hidden.append(line)
    assert not hidden


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('```c title="a.c"\nint a;\n```\n```sh\ncat a.c\n```\n```text title="output"\nint b;\n```',
         "page.md:7: the output is\nint a;"),
        ('```sh\necho "int a;" > a.c\n```\n```c title="a.c"\nint b;\n```',
         "page.md:4: the file has\nint a;"),
        ("```sh\nfalse\n```", "page.md:1: exit status 1"),
        ("```python\nraise ValueError\n```", "page.md:1: exit status 1"),
        ("<!-- sh: false -->\n", "page.md:1: exit status 1"),
        ("```c\nint a;\n```", "page.md:1: what is this block?"),
        (("```c\n// f(x); f(x): 2 kernels\nkernel void f(global int *x)\n"
         "{ x[get_global_id(0)] = 1; }\n```"), "page.md:1: 1 kernels"),
        ("```c\n// app.c: kernels 2 -> 1\n    vec_scale(t, a, 2.0f, n);\n```",
         "page.md:1: the plan is"),
    ],
)  # fmt: skip
def test_page_that_is_wrong_is_found(text: str, problem: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    (tmp_path / "empty").mkdir()
    with pytest.raises(AssertionError, match=re.escape(problem)):
        run_page(page, tmp_path / "empty")


def test_numbers_of_the_targets_are_those_of_the_program() -> None:
    names = ("any", "cpu", "gpu", "nvidia")
    text = (ROOT / "docs/targets.md").read_text()
    rows = re.findall(r"^\| `(\w[\w-]*)` \|((?: [\w ]+ \|){4})", text, re.MULTILINE)
    shown = {name: [cell.strip() for cell in cells.split("|")[:4]] for name, cells in rows}
    assert {*shown} == {*BUDGETS}
    for name, cells in shown.items():
        numbers = [getattr(TARGETS[target], name.replace("-", "_")) for target in names]
        assert cells == [str(n) if n < 1 << 20 else "no limit" for n in numbers]


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ([], ["README.md", "docs/build-systems.md", "docs/targets.md"]),
        (["check"], ["README.md", "docs/build-systems.md", "docs/targets.md", "docs/checking.md"]),
        (["verify"], ["README.md", "docs/checking.md"]),
        (["bench"], ["README.md", "docs/checking.md"]),
        (["tune"], ["README.md", "docs/checking.md", "docs/targets.md"]),
    ],
)
def test_each_option_is_told(command: list[str], where: list[str]) -> None:
    told = "".join((ROOT / name).read_text() for name in where)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main([*command, "--help"])
    options = re.findall(r"^  (--?[\w-]+)", out.getvalue(), re.MULTILINE)
    assert options
    for option in options:
        assert re.search(rf"`{option}\b", told), option


def test_first_day_and_first_example_are_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) < 200
    (example,) = [b for b in blocks(ROOT / "docs/python.md") if b.title == "example.py"]
    assert len([line for line in example.text.splitlines() if line.strip()]) < 20
