"""When two places may be the same memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from kfusion.host.alias import Alias, Memory
from kfusion.host.symbolic import App, Entry, Global, Local, Made, Place, Pointee, Unknown
from tests.host.observed.observing import observed

FILE = """
static vec shown, hidden;
void look(vec *v);
void work(vec *p, vec *q, cl_mem *m, float *f, char *text, void *any)
{
    vec x, y;
    look(&shown); look(&x);
#pragma kfuse(p, q)
    { vec_square(p, q); }
}
"""


def at(name: str, *path: str) -> Place:
    return Place(App(name), path)


def behind(name: str, *path: str) -> Place:
    return Place(Pointee(Entry(Place(App(name)))), path)


NEW = Place(Pointee(Made("host memory", 1)), ("mem",))
CASES = {
    "one member": (at("x", "mem"), at("x", "mem"), Alias.SAME),
    "two members": (at("x", "mem"), at("x", "n"), Alias.NEVER),
    "a part and the whole": (at("x", "mem"), at("x"), Alias.MAYBE),
    "two variables": (at("x", "mem"), at("y", "mem"), Alias.NEVER),
    "two elements": (at("x", "[1]"), at("x", "[2]"), Alias.NEVER),
    "an element of unknown index": (at("x", "[1]"), at("x", "[?i]"), Alias.MAYBE),
    "one unknown index twice": (at("x", "[?i]"), at("x", "[?i]"), Alias.MAYBE),
    "two pointers, one member": (behind("p", "mem"), behind("q", "mem"), Alias.MAYBE),
    "two pointers, two members": (behind("p", "mem"), behind("q", "n"), Alias.NEVER),
    "two pointers, whole objects": (behind("p"), behind("q", "mem"), Alias.MAYBE),
    "a pointer to handles": (behind("p", "mem"), behind("m"), Alias.MAYBE),
    "a pointer to numbers": (behind("p", "mem"), behind("f", "[3]"), Alias.NEVER),
    "a pointer to numbers and a number": (behind("p", "n"), behind("f"), Alias.NEVER),
    "a pointer to characters": (behind("p", "mem"), behind("text"), Alias.MAYBE),
    "a pointer to anything": (behind("p", "mem"), behind("any"), Alias.MAYBE),
    "a variable with an address": (behind("p", "mem"), at("x", "mem"), Alias.MAYBE),
    "a variable without one": (behind("p", "mem"), at("y", "mem"), Alias.NEVER),
    "a global with an address": (
        behind("p", "mem"),
        Place(Global("shown"), ("mem",)),
        Alias.MAYBE,
    ),
    "a global without one": (behind("p", "mem"), Place(Global("hidden"), ("mem",)), Alias.NEVER),
    "a variable of a later call": (behind("p", "mem"), Place(Local(3, "v")), Alias.NEVER),
    "what is new": (behind("p", "mem"), NEW, Alias.NEVER),
    "what is new, and a variable": (at("x", "mem"), NEW, Alias.NEVER),
    "an unknown pointer": (at("x", "mem"), Place(Pointee(Unknown(1)), ("mem",)), Alias.MAYBE),
    "one of several behind a pointer": (behind("p", "mem"), behind("p", "[1]", "mem"), Alias.MAYBE),
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    folder: Path = tmp_path_factory.mktemp("alias")
    return observed(FILE, folder).memory


@pytest.mark.parametrize("name", CASES)
def test_places(name: str, memory: Memory) -> None:
    one, other, expected = CASES[name]
    assert memory.alias(one, other) is expected
    assert memory.alias(other, one) is expected


def test_no_pointer_leads_to_a_private_variable(memory: Memory) -> None:
    private = Memory(memory.program, memory.variables, frozenset(["x"]))
    assert private.alias(behind("p", "mem"), at("x", "mem")) is Alias.NEVER
