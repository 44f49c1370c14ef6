"""Answers that are found again are those that would be found."""

from __future__ import annotations

import pytest

from kfusion.graph.bounds import Assumable, Assumed, Crowd, Nothing
from kfusion.graph.recalled import Recalled
from kfusion.source import protections

ALONE = Crowd(0, 1)


class Knows:
    def __init__(self, *known: Assumed) -> None:
        self.known = known

    def may(self, assumed: Assumed, *, implied: bool) -> bool:
        return assumed in self.known


def test_an_answer_holds_for_who_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    recalled, looked = Recalled[str](), list[str]()

    def ask(question: str, assumable: Assumable) -> str:
        def find(may: Assumable) -> str:
            looked.append(question)
            return "apart" if may.may(ALONE, implied=False) else "together"

        return recalled.answer(question, assumable, find)

    assert ask("a", Knows(ALONE)) == ask("a", Knows(ALONE, Crowd(1, 1))) == "apart"
    assert looked == ["a"]
    assert ask("a", Nothing()) == ask("a", Knows()) == "together"
    assert looked == ["a", "a"]
    assert ask("b", Nothing()) == "together"
    assert looked == ["a", "a", "b"]
    monkeypatch.setattr(protections, "_OFF", {"pitch"})
    assert ask("b", Nothing()) == "together"
    assert looked == ["a", "a", "b", "b"]
