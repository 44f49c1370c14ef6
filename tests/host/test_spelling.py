"""Symbolic values as C, in messages."""

from __future__ import annotations

import pytest

from kfusion.host.spelling import spell
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Local,
    Made,
    Num,
    Op,
    Place,
    Pointee,
    Ref,
    Sym,
    Unknown,
)

T = Entry(Place(App("t")))
BYTES = Entry(Place(Pointee(T), ("bytes",)))
N = Entry(Place(Local(1, "n")))
FLOAT = Op("sizeof(float)", ())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Num(-3), "-3"),
        (BYTES, "t->bytes"),
        (Entry(Place(App("s"), ("level", "[2]", "mem"))), "s.level[2].mem"),
        (Entry(Place(Pointee(T))), "*t"),
        (Entry(Place(Pointee(Entry(Place(Pointee(T)))), ("n",))), "(*t)->n"),
        (Entry(Place(Pointee(T), ("[1]",))), "t[1]"),
        (Entry(Place(Global("kernels"), ("[?op]",))), "kernels[op]"),
        (Entry(Place(Global("queue", "lib.c"))), "queue"),
        (Ref(Place(Pointee(T), ("mem",))), "&t->mem"),
        (Ref(Place(Pointee(T))), "t"),
        (Op("/", (BYTES, FLOAT)), "t->bytes / sizeof(float)"),
        (Op("*", (Op("+", (N, Num(1))), N)), "(n + 1) * n"),
        (Op("-", (N, Op("-", (N, Num(1))))), "n - (n - 1)"),
        (Op("(size_t)", (Op("+", (N, Num(1))),)), "(size_t)(n + 1)"),
        (Op("-", (Op("-", (N,)),)), "-(-n)"),
        (Op("-", (Num(-3),)), "-(-3)"),
        (Op("-", (N, Op("-", (N,)))), "n - -n"),
        (Op("+", (Op("+", (N,)),)), "+(+n)"),
        # With the brackets that compilers ask for.
        (Op("&", (Op("+", (N, Num(15))), Num(7))), "(n + 15) & 7"),
        (Op("&", (N, Op("(size_t)", (Num(-16),)))), "n & ~(size_t)15"),
        (Op("<<", (Op("+", (N, Num(1))), Num(2))), "(n + 1) << 2"),
        (Op("|", (Op("|", (N, Num(1))), Num(2))), "n | 1 | 2"),
        (Op("||", (Op("&&", (N, Num(1))), N)), "(n && 1) || n"),
        (Op("==", (Op("<", (N, Num(1))), Num(0))), "(n < 1) == 0"),
        (Op("sizeof", (N,)), "sizeof(n)"),
        (Op("?:", (Op("<", (N, Num(1))), N, Num(1))), "n < 1 ? n : 1"),
        (Op("loop:while (g % 64) g++;:g", (N,)), "'g' of a loop"),
        (Made("buffer", 3), "a new buffer"),
        (Unknown(7), "a value that is not known"),
    ],
)
def test_values_read_as_c(value: Sym, text: str) -> None:
    assert spell(value) == text
