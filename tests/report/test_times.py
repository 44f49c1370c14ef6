"""What `kfusion bench` says of times, where they say less than they seem to."""

from __future__ import annotations

from kfusion.report.times import Row, doubts, table


def row(*share: float, doubt: float = 0.01) -> Row:
    before, after = share
    return Row("app.c:9", 1000, (3, 1), (2.0, 1.0), (30.0, 60.0), (before, after), 2.0, 1.5, doubt)


def shares(text: str) -> list[str]:
    head, _, *lines = text.splitlines()
    at, end = head.index("of a copy"), head.index("speed-up")
    return [line[at:end].strip() for line in lines]


def test_data_in_caches_is_no_share_of_a_copy() -> None:
    text = table([row(0.5, 1.04), row(0.9, 7.11), row(2.0, 8.0)])
    assert shares(text)[:3] == ["50% -> 104%", "90% -> in caches", "in caches"]
    assert text.splitlines()[-1] == (
        "in caches: data stays in caches, not in memory; a larger --size may not fit"
    )
    assert "caches" not in table([row(0.5, 1.04)])


def test_too_few_repeats_are_told() -> None:
    assert doubts([row(0.5, 1.0)], 10) == []
    assert doubts([row(0.5, 1.0), row(0.5, 1.0)], 9) == [
        "medians of 9 say little: take --repeats 10 or more"
    ]
    assert doubts([row(0.5, 1.0), row(0.5, 1.0, doubt=0.12)], 100) == [
        (
            "app.c:9, size 1000: times vary, and medians are known to 12%; take --repeats 600, "
            "or a machine that does nothing else"
        )
    ]
