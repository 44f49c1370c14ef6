"""Codes and the advice that goes with them."""

from __future__ import annotations

from kfusion.source.codes import ADVICE, CODES

# Their reasons bring a help of their own, always.
HELPED = {"KF202", "KF203", "KF208", "KF211", "KF212", "KF221", "KF227", "KF243"}


def test_every_cut_says_what_would_change_it() -> None:
    cuts = {code for code in CODES if code.startswith("KF2")}
    assert cuts == ADVICE.keys() | HELPED
    assert not ADVICE.keys() & HELPED
