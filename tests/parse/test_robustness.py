"""Whatever a file holds, the answer is an error of kfusion's own or a result, and soon."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kfusion.driver import fuse_files
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir, include_dir
from kfusion.source.diagnostics import KFusionError

CASES = Path(__file__).parent.parent.parent / "casestudies"
LINALG = CASES / "linalg"
SECONDS = 10.0  # for one input: far more than any needs
TIMES = int(os.environ.get("KFUSION_TEST_TIMES", "1"))  # as many inputs as `make test` tries
INPUTS = {
    "vec": ["app.c", "vec.c", "vec.cl"],
    "thesis": ["pythagoras.c", "linalg.c", "linalg.cl"],
    "stencil": ["steps.c", "stencil.c", "stencil.cl"],
}
PROGRAM = Path(__file__).parent.parent / "cli" / "program"
WORDS = (
    "{ } ( ) [ ] ; , * & = == + - ++ ? : . -> # ## \" ' \\ /* */ // @ @1@ 0 1u 1e 0x "
    "\u00e9 \ufeff \0 \r "
    "if else for while do switch case default return goto break struct enum union typedef sizeof "
    "const static void int float float4 size_t kernel __kernel global local __constant restrict "
    "__attribute__ __asm__ __typeof__ _Pragma get_global_id clSetKernelArg NULL kfuse kload kstore "
    "kload{ kstore{ kfuse(a){ barrier(1);"
).split(" ")
LINES = [
    "#if 0",
    "#else",
    "#endif",
    "#define x",
    "#define f(a) a##a",
    "#define return",
    "#undef NULL",
    "#include <gone.h>",
    '#include "gone.h"',
    "#line 3",
    "#pragma kfuse(a, out(b))",
    "#pragma kload",
    "#pragma kstore(c)",
    "#pragma sync in(a) out",
    "#pragma immovable",
    "#pragma",
    "#",
    "int x = {",
    "label:",
    "case 3:",
    "return",
    "x: ;",
    "for (;;) ;",
]

ANNOTATIONS = [
    "runs(square(a, b, n), add(c, a, b))",
    "runs(scale(t, a, 2.0f))",
    "harmless(log_line)",
    "require(1)",
    "temp(c)",
]


def truncated(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text))]


def without_a_part(text: str, dice: random.Random) -> str:
    start = dice.randrange(len(text))
    return text[:start] + text[start + dice.randrange(1, 60) :]


def with_a_word(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text))
    return text[:at] + f" {dice.choice(WORDS)} " + text[at:]


def with_a_line(text: str, dice: random.Random) -> str:
    lines = text.split("\n")
    lines.insert(dice.randrange(len(lines)), dice.choice(LINES))
    return "\n".join(lines)


def with_a_token_replaced(text: str, dice: random.Random) -> str:
    token = dice.choice(list(re.finditer(r"\w+|[^\w\s]", text)))
    return text[: token.start()] + dice.choice(WORDS) + text[token.end() :]


def with_a_token_gone(text: str, dice: random.Random) -> str:
    token = dice.choice(list(re.finditer(r"\w+|[^\w\s]", text)))
    return text[: token.start()] + text[token.end() :]


def with_lines_swapped(text: str, dice: random.Random) -> str:
    lines = text.split("\n")
    a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def with_a_character_changed(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text))
    return text[:at] + chr(dice.choice([*range(1, 127), 0xE9, 0x2028])) + text[at + 1 :]


def with_an_annotation_changed(text: str, dice: random.Random) -> str:
    """A file without any gets one, somewhere."""
    lines = text.split("\n")
    marked = [n for n, line in enumerate(lines) if line.startswith("#pragma k")]
    if marked:
        at = dice.choice(marked)
    else:
        at = dice.randrange(len(lines))
        lines.insert(at, "#pragma kfuse(a, b, out(c))")
    more = dice.choice(["", *ANNOTATIONS])
    lines[at] = dice.choice(MUTATIONS[1:6])(f"{lines[at]} {more}".rstrip(), dice)
    return "\n".join(lines)


MUTATIONS: list[Callable[[str, random.Random], str]] = [
    truncated,
    without_a_part,
    with_a_word,
    with_a_line,
    with_a_token_replaced,
    with_a_token_gone,
    with_lines_swapped,
    with_a_character_changed,
    with_an_annotation_changed,
]


def copy_inputs(folder: Path) -> dict[str, list[Path]]:
    for name, source in {
        **{n: PROGRAM / n for n in (*INPUTS["vec"], "vec.h")},
        **{n: LINALG / "thesis" / n for n in ("pythagoras.c", "linalg.cl")},
        **{n: LINALG / n for n in ("linalg.c", "linalg.h")},
        "app.h": LINALG / "apps" / "app.h",
        **{n: CASES / "stencil" / n for n in ("stencil.c", "stencil.h", "stencil.cl")},
        "steps.c": CASES / "stencil" / "apps" / "steps.c",
    }.items():
        (folder / name).write_bytes(source.read_bytes())
    return {key: [folder / name for name in names] for key, names in INPUTS.items()}


def survives(paths: list[Path], what: str) -> None:
    how = Preprocessor("cc", (include_dir(),), (fake_libc_dir(),))
    begun = time.process_time()  # a busy machine is no fault
    try:
        said = str(len(fuse_files(read_sources(paths, how)).files))
    except KFusionError as refusal:
        said = str(refusal)
    except Exception as failure:
        raise AssertionError(what) from failure
    assert said, what
    assert time.process_time() - begun < SECONDS, what


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.__name__)
@pytest.mark.parametrize(("program", "rounds"), [("vec", 9), ("thesis", 3), ("stencil", 1)])
def test_mutated_programs(
    tmp_path: Path, program: str, rounds: int, mutation: Callable[[str, random.Random], str]
) -> None:
    paths = copy_inputs(tmp_path)[program]
    dice = random.Random(f"{program} {mutation.__name__}")
    for number in range(rounds * TIMES):
        path = paths[number % len(paths)]
        original = path.read_bytes()
        path.write_text(mutation(original.decode(), dice), newline="")
        survives(paths, f"{mutation.__name__} {number} of {path.name}:\n{path.read_text()}")
        path.write_bytes(original)


@pytest.mark.parametrize(
    "text",
    [
        "int x = " + "(" * 3000 + "1" + ")" * 3000 + ";",
        "void f(void) " + "{" * 2000 + "}" * 2000,
        "int x = " + "-" * 3000 + "1;",
        "int x = " + "1 + " * 3000 + "1;",
        "void f(void) { " + "if (x) " * 2000 + "; }",
        "#define A0 x\n" + "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(12)) + "A12;",
        "struct " * 500,
        "((((((((((",
        "#" * 1000,
    ],
)
def test_deep_and_odd_files(tmp_path: Path, text: str) -> None:
    paths = copy_inputs(tmp_path)["vec"]
    for path in paths:
        original = path.read_text()
        path.write_text(original + text + "\n")
        survives(paths, f"{path.name}: {text[:60]}")
        path.write_text(original)
