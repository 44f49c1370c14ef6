"""The table of --explain-plan, as it is printed."""

from __future__ import annotations

from kfusion.api import fuse
from kfusion.report.plan import plan_table
from tests.support.kernel_side import ELEMENTWISE

BLUR = """
__kernel void blur(__global float *c, __global const float *a)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + a[i + 1];
}
"""

HIDDEN = """
__kernel void hidden(__global float *c)
{
    size_t i = get_global_id(0);
    __global float *p = i < 9 ? c : c + i;
    *p = 1;
}
"""


def test_table() -> None:
    calls = ["square(t, a)", "add(u, t, t)", "blur(c, u)"]
    plan = fuse(ELEMENTWISE + BLUR, calls, ["c"]).plan
    assert (
        plan_table([("calls:1", plan, "", True), ("calls:9", plan, "", True)]).split("\n\ncalls:9")[
            0
        ]
        == """\
calls:1: kernels 3 -> 2, global loads 6 -> 3, global stores 3 -> 2
  kernel     calls         loads   stores  kept in variables
  ---------  ------------  ------  ------  -----------------
  1 (fused)  square(t, a)  4 -> 1  2 -> 1  t
             add(u, t, t)
  2          blur(c, u)    2       1

  cut between add(u, t, t) and blur(c, u):
    [KF236] 'a[i + 1]' in blur() may read elements of 'u' that no item of add() makes: it is not \
known that 'i + 1 < get_global_size(0)' in blur() (kernels.cl:25:19)
    add() writes it here (kernels.cl:14:5)
    help: clamp the index, `min(x + 1, w - 1)`, or put the work under a guard, `if (x + 1 < w)`, \
with a scalar that ends the work of the earlier call, too"""
    )


def test_what_a_group_loads_but_does_not_store_is_not_called_stored() -> None:
    calls = ["square(t, t)", "add(u, t, a)"]
    plan = fuse(ELEMENTWISE, calls, ["u"]).plan
    assert (
        plan_table([("calls:1", plan, "", True)])
        == """\
calls:1: kernels 2 -> 1, global loads 4 -> 2, global stores 2 -> 1
  kernel     calls         loads   stores  kept in variables
  ---------  ------------  ------  ------  ----------------------
  1 (fused)  square(t, t)  4 -> 2  2 -> 1  t (loaded, not stored)
             add(u, t, a)"""
    )


def test_a_kernel_that_hides_its_accesses_has_no_numbers() -> None:
    calls = ["square(t, a)", "add(u, t, t)", "hidden(u)", "square(u, u)"]
    plan = fuse(ELEMENTWISE + HIDDEN, calls, ["u"]).plan
    assert (
        plan_table([("calls:1", plan, "", True)]).split("\n\n  cut")[0]
        == """\
calls:1: kernels 4 -> 3, global loads 6 + ? -> 3 + ?, global stores 3 + ? -> 2 + ?
  kernel     calls         loads   stores  kept in variables
  ---------  ------------  ------  ------  -----------------
  1 (fused)  square(t, a)  4 -> 1  2 -> 1  t
             add(u, t, t)
  2          hidden(u)     ?       ?
  3          square(u, u)  2       1"""
    )
    alone = fuse(ELEMENTWISE + HIDDEN, ["hidden(u)", "hidden(t)"], ["u", "t"]).plan
    assert plan_table([("calls:1", alone, "", True)]).startswith(
        "calls:1: kernels 2 -> 1, global loads ?, global stores ?\n"
    )


def test_what_is_passed_on_and_stored_may_be_said_to_be_read_by_nobody() -> None:
    plan = fuse(ELEMENTWISE, ["square(t, a)", "add(c, t, a)"], ["c", "t"]).plan
    hint = "  if nobody reads t later, out(...) or temp(...) can say so"
    assert plan_table([("calls:1", plan, "", False)]).endswith(hint)
    assert hint not in plan_table([("calls:1", plan, "", True)])


def test_who_loads_what_has_been_stored_is_named() -> None:
    some = (
        "kernel void some(global float *c, global const float *a, int n)\n"
        "{ int i = get_global_id(0); if (i < n) c[i] = a[i]; }\n"
        "kernel void other(global float *c, global const float *a)\n"
        "{ int i = get_global_id(0); c[i] = a[i] + (a[i] > 0 ? a[i] : 1); }\n"
    )
    one = fuse(some, ["some(t, a, n)", "other(c, t)"], ["c"]).plan
    assert plan_table([("calls:1", one, "", True)]).endswith(
        "\n  kernel 1: t goes through memory: other() loads 'a[i]', under another condition than "
        "some() stores it"
    )
    same = fuse(some, ["some(t, a, n)", "some(c, t, n)"], ["c"]).plan
    assert "memory" not in plan_table([("calls:1", same, "", True)])
    under = some.replace("if (i < n)", "for (int k = 0; k < n; k++)")
    looped = fuse(under, ["some(t, a, n)", "other(c, t)"], ["c"]).plan
    assert plan_table([("calls:1", looped, "", True)]).endswith(
        "\n  kernel 1: t goes through memory: other() loads 'a[i]'"
    )
