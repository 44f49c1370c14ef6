"""Values that change between a load and a store, on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernel_side import fused_and_same

INDEX = "int i = get_global_id(0);"
HEAD = "kernel void {}(global float *{}, global float *{}, int n)\n"
SQUARE = HEAD.format("f", "y", "x") + f"{{ {INDEX} y[i] = x[i] * x[i]; }}\n"
AFTER = HEAD.format("h", "w", "z") + f"{{ {INDEX} if (i < n) w[i] = z[i] + n; }}\n"


@pytest.mark.parametrize(
    ("body", "launches"),
    [
        # The index of a store that stays is another one further down
        ("z[i] = y[i]; i += 32; z[i] = 1;", 1),
        ("int2 p = (int2)(i, 0); z[p.x] = y[p.x]; p.x += 32; z[p.x] = y[i];", 2),
        ("int j = i; for (int k = 0; k < 2; k++) { z[j] = y[j] + k; j = i; }", 3),
        ("int j = i; z[j] = y[j]; j = 0; if (z[i] > 1) z[i] = y[i + j];", 1),
        # What a guard asks, changes behind it
        ("if (i >= n) return; n = 0; z[i] = y[i] + n;", 1),
        ("int m = n; if (i < m) { m = 3; z[i] = y[i] + m; }", 1),
        # In a call
        ("n += 1; z[i] = y[i] * n; n = 2; z[i] += n;", 1),
    ],
)
def test_value_that_changes_further_down(body: str, launches: int) -> None:
    source = SQUARE + HEAD.format("g", "z", "y") + f"{{ {INDEX} {body} }}\n" + AFTER
    calls = ["f(y, x, n)", "g(z, y, n)", "h(w, z, n)"]
    fused_and_same(source, calls, launches=launches, scalars={"n": np.int32(30)}, size=(32,))
