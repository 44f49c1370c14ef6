"""What a message says that is not known, and what would make it known."""

from __future__ import annotations

import pytest

from kfusion.api import fuse
from tests.support.kernel_side import OWN_ELEMENTS

XY = "const int x = get_global_id(0), y = get_global_id(1);"
ITEM = "const int i = get_global_id(0);"
PLANES = f"{ITEM} if (i < n) {{ t[i] = a[i]; t[i + n] = 2; }}"
ROWS = f"{XY} if (x < w && y < h) t[y*w + x] = a[x];"
CALLS = ["f(t, a, w, h, n)", "g(o, t, w, h, n)"]
STAY_APART = "in one kernel items wait only for those of their own group: such calls stay apart"


def program(first: str, second: str) -> str:
    return "".join(
        f"kernel void {name}(global float *{to}, global float *{of}, int w, int h, int n)\n"
        f"{{ {body} }}\n"
        for name, to, of, body in [("f", "t", "a", first), ("g", "o", "t", second)]
    )


@pytest.mark.parametrize(
    ("first", "second", "message", "help_"),
    [
        (
            PLANES,
            f"{ITEM} o[i] = t[i];",
            (
                "'t[i]' in g() may read elements of 't' that neighbouring items of f() write as "
                "'t[i + n]': it is not known that 'i < n' in g()"
            ),
            "put the work of g() under 'if (i < n)'",
        ),
        (
            PLANES,
            "int j = get_global_id(0); if (j <= n) o[j] = t[j + n];",
            (
                "'t[j + n]' in g() may read elements of 't' that neighbouring items of f() write "
                "as 't[i]': it is not known that 'j < n' in g()"
            ),
            "put the work of g() under 'if (j < n)'",
        ),
        (
            ROWS,
            f"{XY} if (y < h) o[y*w + x] = t[y*w + x];",
            (
                "'t[y*w + x]' in g() may read elements of 't' that other items of f() write as "
                "'t[y*w + x]': it is not known that 'x < w' in g()"
            ),
            "put the work of g() under 'if (x < w)'",
        ),
        (
            f"{ITEM} t[i] = a[i];",
            f"{ITEM} o[i] = t[i + n];",
            (
                "'t[i + n]' in g() may read elements of 't' that neighbouring items of f() write "
                "as 't[i]': it is not known that 'i < n' in g() and f()"
            ),
            "put the work of g() and f() under 'if (i < n)'",
        ),
        # What is so whatever is known
        (
            ROWS,
            f"{XY} if (x < w) o[y*w + x] = t[y*w + x + 1];",
            (
                "'t[y*w + x + 1]' in g() reads elements of 't' that neighbouring items of f() "
                "write as 't[y*w + x]'"
            ),
            STAY_APART,
        ),
        (
            f"{ITEM} t[i] = a[i];",
            f"{ITEM} o[i] = t[n - 1 - i];",
            "'t[n - 1 - i]' in g() reads elements of 't' that other items of f() write as 't[i]'",
            STAY_APART,
        ),
        # ... comes first
        (
            PLANES,
            f"{ITEM} o[i] = t[i] + t[i + 1];",
            (
                "'t[i + 1]' in g() reads elements of 't' that neighbouring items of f() write "
                "as 't[i]'"
            ),
            STAY_APART,
        ),
    ],
)
def test_hazard(first: str, second: str, message: str, help_: str) -> None:
    found, *_ = fuse(program(first, second), CALLS, target=OWN_ELEMENTS).diagnostics
    assert (found.code, found.message, found.help) == ("KF201", message, help_)


def test_other_sizes() -> None:
    source = program(ROWS, f"{XY} if (x < w && y < h) o[y*w + x] = t[y*w + x];")
    found, *_ = fuse(source, ["f(t, a, w, h, n)", "g(o, t, v, h, n)"]).diagnostics
    assert found.message == (
        "'t[y*w + x]' in g() may read elements of 't' that other items of f() write as "
        "'t[y*w + x]': it is not known that 'w' of f() is 'w' of g()"
    )
    assert found.help == (
        "give both launches one value; at run time, only whole numbers are compared"
    )


def test_help_helps() -> None:
    """With what is asked for the two are fused."""
    for first, second in [
        (PLANES, f"{ITEM} if (i < n) o[i] = t[i];"),
        (ROWS, f"{XY} if (x < w) if (y < h) o[y*w + x] = t[y*w + x];"),
    ]:
        assert fuse(program(first, second), CALLS).plan.fuses


def test_what_cannot_hold_for_both_is_not_asked_for() -> None:
    """`x + 1 < w` and `w < x + 2` of the calls' items would keep them apart."""
    around = "a[y*w + x - 1] + a[y*w + x + 1] + a[(y + 2)*w + x] + a[(y - 1)*w + x]"
    source = program(
        f"{XY} if (x < 2 || x >= w - 2 || y < 2 || y >= h - 2) return; t[y*w + x] = {around};",
        f"{XY} if (x >= w || y >= h) return; t[y*w + x] *= 2;",
    )
    calls = ["f(t, a, w, h, n)", "g(o, a, w, h, n)"]
    fused = fuse(source, calls, ["t", "a"])
    cut = next(d for d in fused.diagnostics if d.code == "KF201")
    assert "it is not known" not in cut.message
    assert cut.help == STAY_APART
