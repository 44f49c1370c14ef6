"""What is read from kernels over images: coordinates, samplers, sizes."""

from __future__ import annotations

import pytest

from kfusion.kernel.model import Access, Feature, Mode
from tests.support.kernel_side import kernel_of

SAMPLERS = """
constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_LINEAR;
const sampler_t scaled = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t plain = CLK_FILTER_NEAREST;
const sampler_t by_number = 16;
#define ALSO_NEAREST (CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST)
const sampler_t through_a_macro = ALSO_NEAREST;
#ifdef SMOOTH
const sampler_t chosen = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_LINEAR;
#else
const sampler_t chosen = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
#endif
#ifndef FILTER
#define FILTER CLK_FILTER_NEAREST
#endif
const sampler_t given = CLK_NORMALIZED_COORDS_FALSE | FILTER;
"""
HEAD = "kernel void f(write_only image2d_t c, read_only image2d_t a, sampler_t s, int w)\n"


OWN = "get_global_id(1)*get_image_row(0) + get_global_id(0)"


def accesses(body: str) -> tuple[Access, ...]:
    kernel = kernel_of(f"{SAMPLERS}{HEAD}{{\n{body}\n}}\n")
    assert kernel.features == ()
    return kernel.accesses


def loaded(coordinates: str, sampler: str = "nearest, ") -> Access:
    at = """
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 middle = convert_float2(at) + 0.5f;
    float2 moved = convert_float2(at);
    moved.x += 1.0f;"""
    return accesses(f"{at} float4 v = read_imagef(a, {sampler}{coordinates});")[0]


@pytest.mark.parametrize(
    ("coordinates", "form"),
    [
        ("(int2)(get_global_id(0), get_global_id(1))", OWN),
        ("at", OWN),
        (
            "at + (int2)(-1, 2)",
            "get_global_id(1)*get_image_row(0) + get_global_id(0) + 2*get_image_row(0) - 1",
        ),
        ("(int2)(at.y, 0)", "get_global_id(1)"),
        ("(int2)(w, at.x)", "get_global_id(0)*get_image_row(0) + w"),
        (
            "(int2)(get_image_width(a) - 1 - at.x, at.y)",
            "get_global_id(1)*get_image_row(0) - get_global_id(0) + get_image_width(a) - 1",
        ),
        (
            "get_image_dim(a) - at",
            (
                "-get_global_id(1)*get_image_row(0) + "
                "get_image_row(0)*get_image_height(a) - get_global_id(0) + get_image_width(a)"
            ),
        ),
        ("(int2)(at.x ^ 7, at.y)", "None"),
        ("clamp(at, 0, w)", "None"),
        ("(float2)(at.x, at.y)", OWN),
        ("(float2)(at.x + 0.5f, 0.5 + (float)at.y)", OWN),
        ("(float2)(get_global_id(0), get_global_id(1)) + 0.5f", OWN),
        ("(float2)(0.5f) + convert_float2(at)", OWN),
        ("convert_float2(at) + (float2)(.5f, 0.50f)", OWN),
        ("(float2)(convert_float(at.x) + 0.5f, 0.5f)", "get_global_id(0)"),
        ("middle", OWN),
        ("convert_float2(at) + 0.25f", "None"),
        ("convert_float2(at) + 0.5f + 0.5f", "None"),
        ("(float2)(0.5f + 0.5f, at.y)", "None"),
        ("(float2)(at.x + 1.5f, at.y)", "None"),
        ("(float2)(at.x, at.y) * 1.0f", "None"),
        ("(float2)((uint)at.x - 1, at.y)", "None"),
        ("(float2)(at.x - 1UL, at.y)", "None"),
        ("convert_float2((uint2)((uint)at.x - 1u, at.y))", "None"),
        ("moved", "None"),
    ],
)
def test_coordinates_have_a_form(coordinates: str, form: str) -> None:
    found = loaded(coordinates)
    assert (found.mode, found.parameter, str(found.form)) == (Mode.READ, "a", form)
    assert found.texel is not None
    assert (found.texel.type, found.texel.trouble) == ("float4", "")


@pytest.mark.parametrize(
    ("sampler", "trouble"),
    [
        ("", ""),
        ("nearest, ", ""),
        ("through_a_macro, ", ""),
        ("smooth, ", "the sampler mixes neighbours"),
        ("scaled, ", "the sampler has normalised coordinates"),
        ("plain, ", "nothing is known of the sampler"),
        ("by_number, ", "nothing is known of the sampler"),
        ("s, ", "the host gives the sampler"),
        # Other builds may give them another meaning.
        ("chosen, ", "nothing is known of the sampler"),
        ("given, ", "nothing is known of the sampler"),
    ],
)
def test_only_some_samplers_give_the_texel_at_the_coordinates(sampler: str, trouble: str) -> None:
    found = loaded("at", sampler)
    assert found.texel is not None
    assert found.texel.trouble == trouble
    assert (found.form is None) == bool(trouble)


@pytest.mark.parametrize("space", ["const", "constant"])
def test_sampler_of_the_kernel_itself(space: str) -> None:
    flags = "CLK_NORMALIZED_COORDS_{} | CLK_FILTER_NEAREST"
    read = "float4 v = read_imagef(a, mine, (int2)(get_global_id(0), 0));"
    (good,) = accesses(f"{space} sampler_t mine = {flags.format('FALSE')}; {read}")
    (bad,) = accesses(f"{space} sampler_t mine = {flags.format('TRUE')}; {read}")
    assert good.texel is not None
    assert bad.texel is not None
    assert (good.texel.trouble, bad.texel.trouble) == (
        "",
        "the sampler has normalised coordinates",
    )


@pytest.mark.parametrize(("suffix", "type_"), [("f", "float4"), ("i", "int4"), ("ui", "uint4")])
def test_types_of_texels(suffix: str, type_: str) -> None:
    at = "(int2)(get_global_id(0), 0)"
    body = f"write_image{suffix}(c, {at}, read_image{suffix}(a, nearest, {at}));"
    load, store = accesses(body)
    assert (load.mode, store.mode, store.parameter) == (Mode.READ, Mode.WRITE, "c")
    assert [a.texel and a.texel.type for a in (load, store)] == [type_, type_]
    assert store.text == f"write_image{suffix}(c, {at}, ...)"


def test_values_are_read_before_the_texel_is_written() -> None:
    body = (
        "write_imagef(c, (int2)(0, 0), read_imagef(a, (int2)(1, 0)) + read_imagef(a, (int2)(2)));"
    )
    assert [str(a.form) for a in accesses(body)] == ["1", "None", "0"]


@pytest.mark.parametrize(
    ("head", "body", "what"),
    [
        ("write_only image2d_t a", "helper(a);", "helper()"),
        ("read_write image2d_t a", "", "a"),
        ("write_only image2d_t a", "write_imageh(a, (int2)(0), (half4)(0));", "write_imageh()"),
    ],
)
def test_what_is_not_followed(head: str, body: str, what: str) -> None:
    helper = "void helper(write_only image2d_t i) { write_imagef(i, (int2)(0, 0), 1.0f); }\n"
    found = kernel_of(f"{helper}kernel void f({head})\n{{ {body} }}\n").features
    assert (Feature.IMAGE, what) in [(use.feature, use.what) for use in found]
