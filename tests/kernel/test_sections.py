"""kload and kstore that contradict the code are errors, with both places."""

from __future__ import annotations

import pytest

from kfusion.source.diagnostics import KFusionError, render
from tests.support.kernel_side import kernel_of

HEAD = "__kernel void f(__global float *c, __global const float *a)\n{\n"


def failure(body: str) -> str:
    with pytest.raises(KFusionError) as caught:
        kernel_of(f"{HEAD}{body}}}\n")
    assert caught.value.exit_code == 1
    return render(caught.value.diagnostics[0])


def test_store_inside_kload() -> None:
    body = """\
    size_t i = get_global_id(0);
    kload {
        float x = a[i];
        c[i] = x;
    }
"""
    assert (
        failure(body)
        == """\
kernels.cl:6:9: error[KF301]: a store to global memory ('c') inside kload
    6 |         c[i] = x;
      |         ^~~~
kernels.cl:4:5: the kload is here
    4 |     kload {
      |     ^~~~~
  help: kload is for loads; put the store into kstore"""
    )


def test_store_outside_kstore() -> None:
    body = """\
    size_t i = get_global_id(0);
    c[i] = 0;
    #pragma kstore
    c[i] = a[i];
"""
    assert (
        failure(body)
        == """\
kernels.cl:4:5: error[KF301]: a store to global memory ('c') outside kstore
    4 |     c[i] = 0;
      |     ^~~~
kernels.cl:5:5: the kernel has its kstore here
    5 |     #pragma kstore
      |     ^~~~~~~~~~~~~~
  help: move the store into kstore, or remove the annotation"""
    )


def test_update_inside_kload_is_a_store() -> None:
    text = failure("    kload { c[get_global_id(0)] += 1; }\n")
    assert "a store to global memory ('c') inside kload" in text


def test_named_parameter_that_is_not_loaded() -> None:
    body = "    #pragma kload(a)\n    float x = c[get_global_id(0)];\n    #pragma kcore\n"
    assert failure(body).startswith("kernels.cl:3:5: error[KF301]: 'a' is not loaded from in this")


def test_named_parameter_that_is_not_stored_to() -> None:
    body = "    kstore(a) { c[get_global_id(0)] = 1; }\n"
    assert failure(body).startswith("kernels.cl:3:5: error[KF301]: 'a' is not stored to in this")


def test_name_that_is_no_parameter() -> None:
    body = "    kload(z) { float x = a[0]; }\n"
    text = failure(body)
    assert "error[KF301]: 'z' in kload is no parameter of the kernel" in text
    assert "help: the parameters are: c, a" in text


def test_store_by_a_call_outside_kstore() -> None:
    body = "    kstore { c[0] = 1; }\n    vstore4((float4)(0), 1, c);\n"
    assert "a store to global memory ('c') outside kstore" in failure(body)


def test_other_statements_and_loads_elsewhere_are_allowed() -> None:
    body = """\
    size_t i = get_global_id(0);
    kload(a) { float x = a[i]; float y = x * x; }
    y += a[i];
    kstore(c) { if (y > 0) c[i] = y + c[i]; }
"""
    kernel = kernel_of(f"{HEAD}{body}}}\n")
    # The braces are no scopes: y is known below them.
    assert [a.parameter for a in kernel.accesses] == ["a", "a", "c", "c"]


def test_sections_of_another_kernel_do_not_matter() -> None:
    other = "__kernel void g(__global float *z) { kstore { z[0] = 1; } }\n"
    kernel_of(f"{other}{HEAD}    c[0] = 1;\n}}\n")
