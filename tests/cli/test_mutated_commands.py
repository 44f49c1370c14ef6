"""Whatever is typed, the answer is a result or an error of kfusion's own, and no file is half
written."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.support import called

TIMES = int(os.environ.get("KFUSION_TEST_TIMES", "1"))  # as many lines as `make test` tries
SECONDS = 10.0
LINES = [
    "app.c vec.c vec.cl -o out --explain-plan --target cpu --require app.c:8=1",
    "app.c vec.c vec.cl -o out -I. -DREAL=float -MD -MF deep/rule.d -MT stamp --strict -v",
    "app.c vec.c vec.cl -o out --keep-folders . --budget strip=4 --patience 5 --exact -q",
    "--for-recording app.c vec.c vec.cl -o out --real-headers --dry-run",
    "--recorded app.record --tuned tuned.toml app.c vec.c vec.cl -o out",
    "check app.c vec.c vec.cl --against out --target gpu",
    "strip app.c vec.cl -o out",
    "explain KF201 KF203",
    "verify app.c vec.c vec.cl --size 8 --let n=8 --seed 3 --data a=a.npy",
]
# Of no command line may a path begin with a slash: files outside of the folder are not for tests.
WORDS = (
    "-o out app.c vec.c vec.cl vec.h . .. deep nothing.c - -- -I -D -MF -MT -q -v --strict --exact "
    "--target --budget --require --let --run --help --version kfusion x= =x x=1 -1 0 nan strip=0 "
    "app.c:8=0 vec.cl:1=1 \u00fcml\u00e4ut.c \udcff '' \"\" ( KF999 explain 1e400 * a\nb "
).split(" ")


def mutated(words: list[str], dice: random.Random) -> list[str]:
    words = list(words)
    at = dice.randrange(len(words))
    match dice.randrange(6):
        case 0:
            del words[at]
        case 1:
            words.insert(at, dice.choice(WORDS))
        case 2:
            words[at] = dice.choice(WORDS)
        case 3:
            words.insert(at, dice.choice(words))
        case 4:
            other = dice.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        case _:
            word = words[at]
            place = dice.randrange(len(word) + 1)
            words[at] = word[:place] + dice.choice("=:.,x1-\u00e9 \n'\"") + word[place + 1 :]
    return words


@pytest.mark.parametrize("line", LINES)
def test_mutated_command_lines(command: Command, line: str) -> None:
    dice = random.Random(line)
    folder = command.folder / "a" / "b" / "c"  # a few steps up are no harm
    folder.mkdir(parents=True)
    inputs = {path.name: path.read_bytes() for path in command.folder.glob("*.*")}
    for name, data in inputs.items():
        (folder / name).write_bytes(data)
    for _ in range(4 * TIMES):
        words = line.split()
        for _ in range(dice.randint(1, 3)):
            words = mutated(words, dice)
            if not words:
                break
        words = [word for word in words if word != "--here"]
        if "verify" in words[:1]:
            words.insert(1, "--here")  # or it starts a process
        if {"--run", "bench", "tune"} & set(words):
            continue  # they would run for long, or something else
        before = command.contents()
        begun = time.process_time()
        done = called.kfusion(words, folder)
        assert time.process_time() - begun < SECONDS, words
        said = done.stdout + done.stderr
        assert done.returncode in (0, 1, 2, 3), (words, done)
        assert "[KF199]" not in said, (words, said)
        assert "Traceback" not in said, (words, said)
        assert not list(command.folder.rglob(".kfusion-*")), words
        after = command.contents()
        if done.returncode != 0:
            assert said, words
            assert after == before, (words, said)
        for name, data in inputs.items():
            assert (folder / name).read_bytes() == data, words


def test_inputs_that_are_half_gone_leave_outputs_as_they_were(command: Command) -> None:
    assert called.kfusion(("app.c", "vec.c", "vec.cl", "-o", "out"), command.folder).returncode == 0
    dice = random.Random(1)
    for _ in range(8 * TIMES):
        name = dice.choice(["app.c", "vec.c", "vec.cl"])
        text = command.read(name)
        command.write(name, text[: dice.randrange(len(text))])
        before = command.contents()
        done = called.kfusion(("app.c", "vec.c", "vec.cl", "-o", "out", "-MD"), command.folder)
        after = command.contents()
        if done.returncode != 0:
            assert after == before
        else:
            check = ("check", "app.c", "vec.c", "vec.cl", "--against", "out")
            assert called.kfusion(check, command.folder).returncode == 0
        command.write(name, text)
    assert not list(Path(command.folder).rglob(".kfusion-*"))
