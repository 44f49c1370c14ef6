"""What an analysis takes from build options is pinned, or the kernel cannot be fused."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from kfusion.synthesis.files import with_kernels
from kfusion.synthesis.model import FusedKernel
from kfusion.synthesis.names import file_names
from tests.support.kernel_side import kernel_of, kernels_of, unit_of

KERNEL = """
__kernel void f(__global REAL *c, __global const REAL *a)
{
    const size_t i = get_global_id(0);
    c[i] = LOAD(a, i);
}
"""
PLAIN = "#define LOAD(p, k) p[k]\n"


def test_nothing_is_pinned_without_reason() -> None:
    text = PLAIN + "#define REAL float\n" + KERNEL
    assert kernel_of(text).pins == ()
    assert kernel_of(text).unstable == ()


def test_types_from_build_options_stay_open() -> None:
    kernel = kernel_of(PLAIN + KERNEL, ["REAL=double"])
    assert kernel.pins == ()
    assert kernel.parameters[0].canonical == "REAL"


@pytest.mark.parametrize(
    "block",
    [
        # It decides about a pragma only.
        "#ifdef WIDE\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n",
        # About text that the kernel does not use.
        "#ifdef OTHER\n__kernel void g(__global int *a) { a[0] = 1; }\n#endif\n",
        # About a type or a number: the fused kernel says the name.
        "#ifndef REAL\n#define REAL float\n#endif\n",
        # About a function that the kernel calls... only if it does.
        "#ifdef FAST\nfloat help(float x) { return x; }\n#endif\n",
    ],
)
def test_conditions_that_do_not_matter(block: str) -> None:
    assert kernel_of(PLAIN + block + KERNEL).pins == ()


def test_condition_around_a_helper_is_pinned() -> None:
    text = """\
#if defined(FAST) && LEVEL > 2
float help(float x) { return native_sqrt(x); }
#else
float help(float x) { return sqrt(x); }
#endif
__kernel void f(__global float *c) { c[get_global_id(0)] = help(2.0f); }
"""
    assert kernel_of(text).pins == ("!(defined(FAST) && LEVEL > 2)",)
    assert kernel_of(text, ["FAST", "LEVEL=3"]).pins == ("(defined(FAST) && LEVEL > 2)",)


def test_chain_of_conditions() -> None:
    text = """\
__kernel void f(__global float *c)
{
#if MODE == 1
    c[get_global_id(0)] = 1;
#elif MODE == 2
    c[get_global_id(0)] = 2;
#else
    c[get_global_id(0)] = 3;
#endif
}
"""
    assert kernel_of(text, ["MODE=2"]).pins == ("!(MODE == 1)", "(MODE == 2)")
    assert kernel_of(text).pins == ("!(MODE == 1)", "!(MODE == 2)")


def test_number_from_build_options_is_pinned() -> None:
    text = "__kernel void f(__global float *c) { c[get_global_id(0) * STEP] = 1; }\n"
    kernel = kernel_of(text, ["STEP=4"])
    assert kernel.pins == ("STEP == 4",)
    assert str(kernel.accesses[0].form) == "4*get_global_id(0)"
    assert kernel_of(text).accesses[0].form is None


def test_number_with_a_default_stands_for_it_where_the_options_give_no_other() -> None:
    default = "#ifndef STEP\n#define STEP 8\n#endif\n"
    text = "__kernel void f(__global float *c) { c[get_global_id(0) * STEP] = 1; }\n"
    for often in (1, 2):  # in headers that were put into one file
        assert kernel_of(default * often + text).pins == ("!defined(KFUSION_GIVEN_STEP)",)
        assert kernel_of(default * often + text, ["STEP=4"]).pins == ("STEP == 4",)
    for more in ("#else\n#define STEP 2\n#endif", "#endif\n#undef STEP\n#define STEP 4"):
        assert kernel_of(default.replace("#endif", more) + text, ["STEP=4"]).unstable


@pytest.mark.parametrize(
    ("name", "text", "pins"),
    [
        ("M_PI", "3.14159265358979323846", ()),
        ("M_PI_F", "((float)3.14159f)", ()),
        ("M_PI", "(4.0f * atan(1.0f))", ()),
        ("FLT_MAX", "3.4e38f", ()),
        ("INT_MAX", "0x7fffffff", ("INT_MAX == 0x7fffffff",)),
        # The compiler's has another type.
        ("UINT_MAX", "4294967295", ("!defined(KFUSION_GIVEN_UINT_MAX)",)),
        ("INT_MAX", "2147483647u", ("!defined(KFUSION_GIVEN_INT_MAX)",)),
        ("CHAR_BIT", "010", ("!defined(KFUSION_GIVEN_CHAR_BIT)",)),
        # Not the same kind of number, or not known to compilers.
        ("M_PI", "3", ("!defined(KFUSION_GIVEN_M_PI)",)),
        ("M_PI", "(int)3.5f", ("!defined(KFUSION_GIVEN_M_PI)",)),
        ("M_TWO_PI", "6.28f", ("!defined(KFUSION_GIVEN_M_TWO_PI)",)),
    ],
)
def test_constant_that_compilers_define_may_have_a_default(
    name: str, text: str, pins: tuple[str, ...]
) -> None:
    """They always do: a pin that asks for the default would never be met."""
    default = f"#ifndef {name}\n#define {name} {text}\n#endif\n"
    body = f"{{ c[get_global_id(0)] = {name}; }}\n"
    kernel = kernel_of(f"{default}__kernel void f(__global float *c) {body}")
    assert (kernel.pins, kernel.unstable) == (pins, ())


def test_what_the_default_of_a_constant_says_is_not_relied_on() -> None:
    default = "#ifndef M_PI\n#define M_PI 4.0f\n#endif\n"
    body = "{ c[get_global_id(0) + (M_PI > 3.5f)] = 1; }\n"
    kernel = kernel_of(f"{default}__kernel void f(__global float *c) {body}")
    assert kernel.accesses[0].form is None


def test_number_of_the_file_itself_needs_no_pin() -> None:
    text = (
        "#define STEP 8\n__kernel void f(__global float *c) { c[get_global_id(0) * STEP] = 1; }\n"
    )
    assert kernel_of(text).pins == ()


def test_constant_from_build_options_is_as_good_as_a_number() -> None:
    text = "__kernel void f(__global float *c) { c[get_global_id(0)] = LEAST; }\n"
    assert kernel_of(text, ["LEAST=-FLT_MAX"]).unstable == ()
    assert kernel_of(text, ["LEAST=__LINE__"]).unstable


def test_expression_from_build_options_cannot_be_relied_on() -> None:
    text = "__kernel void f(__global float *c) { c[INDEX] = 1; }\n"
    kernel = kernel_of(text, ["INDEX=get_global_id(0)"])
    assert [message for message, _ in kernel.unstable] == [
        "the macro 'INDEX' in f() depends on build options"
    ]


@pytest.mark.parametrize(
    ("macros", "index"),
    [
        ("", "c[i + OFF]"),
        ("#define AT(p, k) p[k]\n", "AT(c, i + OFF)"),
        ("#define AT(p, k) p[k]\n", "AT(c, OFF + i)"),
        ("#define CAT(a, b) a##b\n", "c[i + CAT(OF, F)]"),
    ],
)
def test_sum_from_build_options_is_no_number_to_rely_on(macros: str, index: str) -> None:
    text = (
        f"{macros}__kernel void f(__global float *c) {{ int i = get_global_id(0); {index} = 1; }}"
    )
    kernel = kernel_of(text, ["OFF=(1+1)"])
    assert kernel.unstable or kernel.accesses[0].form is None
    assert str(kernel_of(text, ["OFF=2"]).accesses[0].form) == "get_global_id(0) + 2"


@pytest.mark.parametrize("index", ["c[OWN(i)]", "AT(c, OWN(i))"])
def test_macro_with_parameters_from_build_options_may_change_its_argument(index: str) -> None:
    text = (
        "#define AT(p, k) p[k]\n"
        f"__kernel void f(__global float *c) {{ int i = get_global_id(0); {index} = 1; }}"
    )
    assert kernel_of(text, ["OWN(k)=k"]).accesses[0].form is None


def test_where_the_options_leave_a_macro_empty_others_may_fill_it() -> None:
    text = "__kernel void f(__global float *c) { int i = get_global_id(0); c[i MORE] = 1; }"
    assert [message for message, _ in kernel_of(text, ["MORE="]).unstable] == [
        "the macro 'MORE' in f() depends on build options"
    ]


def test_a_type_that_matters_is_pinned() -> None:
    text = """\
#ifdef WIDE
#define REAL double
#else
#define REAL float
#endif
#define BYTES(k) ((k) * sizeof(REAL))
__kernel void f(__global char *c, __global REAL *d) { c[BYTES(get_global_id(0))] = 1; }
__kernel void g(__global REAL *d) { d[get_global_id(0)] = (REAL)1; }
"""
    f, g = kernels_of(text).values()
    assert (str(f.accesses[0].form), f.pins) == ("4*get_global_id(0)", ("!defined(WIDE)",))
    assert (str(g.accesses[0].form), g.pins) == ("get_global_id(0)", ())
    wide = kernels_of(text, ["WIDE"])["f"]
    assert (str(wide.accesses[0].form), wide.pins) == ("8*get_global_id(0)", ("defined(WIDE)",))
    default = "#ifndef REAL\n#define REAL float\n#endif\n" + "".join(
        text.partition("#define BYTES")[1:]
    )
    assert kernels_of(default)["f"].pins == ("!defined(KFUSION_GIVEN_REAL)",)
    assert kernels_of(default, ["REAL=float"])["f"].accesses[0].form is None


def test_expression_with_a_default_is_that_or_given_by_the_options() -> None:
    text = """\
#ifndef INDEX
#define INDEX (get_global_id(0) + 1)
#endif
__kernel void f(__global float *c) { c[INDEX] = 1; }
"""
    kernel = kernel_of(text)
    assert str(kernel.accesses[0].form) == "get_global_id(0) + 1"
    assert kernel.pins == ("!defined(KFUSION_GIVEN_INDEX)",)
    text = text.replace("#ifndef INDEX", "#if INDEX + 1 == 1 || OTHER")
    assert kernel_of(text).accesses[0].form is None
    assert [message for message, _ in kernel_of(text).unstable] == [
        "the macro 'INDEX' in f() depends on build options"
    ]


def test_access_hidden_in_a_conditional_macro() -> None:
    text = "#define REAL float\n#ifdef SHIFT\n#define LOAD(p, k) p[k + 1]\n#else\n" + PLAIN
    assert kernel_of(text + "#endif\n" + KERNEL).pins == ("!defined(SHIFT)",)
    text = "#define REAL float\n#ifndef LOAD\n" + PLAIN + "#endif\n" + KERNEL
    assert kernel_of(text).pins == ("!defined(KFUSION_GIVEN_LOAD)",)


def test_a_function_that_a_condition_chooses_is_pinned() -> None:
    text = """\
#ifdef FAST
#define ROOT(x) native_sqrt(x)
#else
#define ROOT(x) sqrt(x)
#endif
__kernel void f(__global float *c) { size_t i = get_global_id(0); c[i] = ROOT(c[i]); }
"""
    kernel = kernel_of(text)
    assert kernel.unstable == ()
    assert kernel.pins == ("!defined(FAST)",)
    assert [str(a.form) for a in kernel.accesses] == ["get_global_id(0)"] * 2


def test_include_guard_is_no_condition() -> None:
    text = "#ifndef F_CL\n#define F_CL\n__kernel void f(__global int *c) { c[0] = 1; }\n#endif\n"
    kernel = kernel_of(text)
    assert kernel.pins == ()
    assert kernel.unstable == ()


def test_condition_whose_macro_changes_later_cannot_be_repeated() -> None:
    text = """\
#define MODE 1
__kernel void f(__global int *c)
{
#if MODE && OTHER
    c[0] = 1;
#endif
}
#undef MODE
"""
    messages = [message for message, _ in kernel_of(text, ["OTHER=1"]).unstable]
    assert messages[-1] == "this condition decides about f(), and a fused kernel cannot repeat it"


@pytest.mark.parametrize(
    ("condition", "pin"),
    [
        ("LEVEL / -2 == -1", "(LEVEL / -2 == -1)"),  # towards zero, as C divides
        ("-1 > 0u && LEVEL", "(-1 > 0u && LEVEL)"),  # without sign
        ("SUM(LEVEL, 1) == 4", "(SUM(LEVEL, 1) == 4)"),  # a macro with parameters
        ("LEVEL << 99999999999", "!(LEVEL << 99999999999)"),
        ("LEVEL ? 'a' : 0", "(LEVEL ? 'a' : 0)"),
    ],
)
def test_the_preprocessor_says_what_a_condition_is(condition: str, pin: str) -> None:
    text = f"""\
#define SUM(x, y) (x + y)
__kernel void f(__global float *c)
{{
#if {condition}
    c[get_global_id(0)] = 1;
#else
    c[get_global_id(0)] = 2;
#endif
}}
"""
    assert kernel_of(text, ["LEVEL=3"]).pins == (pin,)


def test_conditions_in_a_branch_that_is_left_out_are_not_pinned() -> None:
    text = """\
__kernel void f(__global float *c)
{
#ifdef OTHER
#if DEEPER
    c[get_global_id(0)] = 1;
#endif
#else
    c[get_global_id(0)] = 2;
#endif
}
"""
    assert kernel_of(text, ["DEEPER=1"]).pins == ("!defined(OTHER)",)


AT = "#define AT(k) (k)\n#else\n#define AT(k) ((k) + 1)\n#endif\n"
AT_1 = "#define AT(k) (k)\n#endif\n"
READ = "__kernel void f(__global float *c) { size_t i = get_global_id(0); c[i] = c[AT(i)]; }\n"


@pytest.mark.parametrize(
    ("text", "pins"),
    [
        # What is tested depends on what the options give.
        ("#define MODE (OPT + 1)\n#if MODE == 1\n" + AT, ("(MODE == 1)",)),
        ("#define HAS defined(SHIFT)\n#if !HAS\n" + AT, ("(!HAS)",)),
        # Other builds define what this one takes for a function.
        (
            "size_t AT(size_t k) { return k; }\n#ifdef SHIFT\n#define AT(k) ((k) + 1)\n#endif\n",
            ("!defined(SHIFT)",),
        ),
        # Names that `##` makes.
        (
            "#define CAT(a, b) a##b\n#ifndef ATX\n#define ATX 0\n#endif\n#define AT(k) CAT(AT,X)\n",
            ("!defined(KFUSION_GIVEN_ATX)",),
        ),
        # A line that goes on.
        ("#if\\\ndef SHIFT\n#define AT(k) ((k) + 1)\n#else\n#define AT(k) (k)\n#endif\n",
         ("!defined(SHIFT)",)),
    ],
)  # fmt: skip
def test_what_decides_from_afar_is_pinned(text: str, pins: tuple[str, ...]) -> None:
    kernel = kernel_of(text + READ)
    assert (kernel.unstable, kernel.pins) == ((), pins)


@pytest.mark.parametrize(
    "text",
    [
        "#if !SHIFT\n" + AT + "#undef SHIFT\n",  # asked at the end it would always hold
        "#if !SHIFT\n" + AT + "#ifdef OTHER\n#undef SHIFT\n#endif\n",
        "#define HAS defined(SHIFT)\n#if !HAS\n" + AT + "#undef SHIFT\n",
        "#if OTHER > 1\n#define SHIFT\n#endif\n#define OTHER 1\n#ifndef SHIFT\n" + AT,
        '#define HEADER "at.h"\n#if OTHER\n#include HEADER\n#endif\n#define AT(k) (k)\n',
        "#define AT(k) ((k) + __OPENCL_VERSION__ / 200)\n",  # compilers differ
        '#define AT(k) (k)\n#ifndef SHIFT\n#pragma pop_macro("AT")\n#endif\n',
    ],
)
def test_what_cannot_be_asked_at_the_end_is_not_fused(text: str) -> None:
    assert kernel_of(text + READ).unstable


@pytest.mark.parametrize("value", [0, 1])
def test_a_header_with_one_default_is_no_include_guard(value: int, tmp_path: Path) -> None:
    (tmp_path / "off.h").write_text(f"#ifndef OFF\n#define OFF {value}\n#endif\n")
    text = f'#include "{tmp_path}/off.h"\n#define AT(k) ((k) + OFF)\n'
    assert kernel_of(text + READ).pins == ("!defined(KFUSION_GIVEN_OFF)",)


@pytest.mark.parametrize("value", ["", " 1"])
def test_an_include_guard_of_a_header_is_not_pinned(value: str, tmp_path: Path) -> None:
    text = (
        f'#ifndef AT_H /* "at" */\n#define AT_H{value}\n#define AT(k) (k) // "http://at"\n#endif\n'
    )
    (tmp_path / "at.h").write_text(text)
    kernel = kernel_of(f'#include "{tmp_path}/at.h"\n{READ}')
    assert (kernel.unstable, kernel.pins) == ((), ())


# Headers that were put into one file, one behind the other.
TWO_HEADERS = """\
#ifndef AT_H
#define AT_H
#define AT(k) (k)
#endif
#ifndef MORE_H
#define MORE_H
#ifndef AT_H
#undef AT
#define AT(k) ((k) + 1)
#endif
#endif
"""
OFTEN = "#ifndef AT_H\n#define AT_H\n#define AT(k) (k)\n#endif\n"
PASTED = "#define MADE(s, k) AT_##s(k)\n#define AT(k) MADE(x, k)\n"
TEXTS: dict[str, tuple[str, ...] | None] = {
    TWO_HEADERS: ("!defined(KFUSION_GIVEN_AT_H)", "!defined(KFUSION_GIVEN_MORE_H)"),
    OFTEN * 2: ("!defined(KFUSION_GIVEN_AT_H)",),
    # What a name stands for does not matter where only its definition is asked for.
    OFTEN + "#ifndef AT\n#define AT(k) ((k) + 1)\n#endif\n": ("!defined(KFUSION_GIVEN_AT_H)",),
    # Only macros that can be meant count.
    "#define AT_x(k) k\n#ifndef PI\n#define PI 3\n#endif\n" + PASTED: (),
    "#define AT_x(k) k + AT_Z\n#ifndef AT_Z\n#define AT_Z 0\n#endif\n" + PASTED: (
        "!defined(KFUSION_GIVEN_AT_Z)",
    ),
    "#define AT_x(k) k + ZERO\n#ifndef ZERO\n#define ZERO 0\n#endif\n" + PASTED: (
        "!defined(KFUSION_GIVEN_ZERO)",
    ),
    "#ifndef SHIFT\n" + AT + "#undef SHIFT\n": ("!defined(KFUSION_GIVEN_SHIFT)",),
    "#ifndef SHIFT\n" + AT + "#ifdef MORE\n#undef SHIFT\n#endif\n": (
        "!defined(KFUSION_GIVEN_SHIFT)",
    ),
    # What is defined under conditions that are pinned.
    "#ifndef SHIFT\n#else\n#define SHIFT 1\n#endif\n#ifndef SHIFT\n" + AT: (
        "!defined(KFUSION_GIVEN_SHIFT)",
    ),
    "#ifdef MORE\n#ifndef SHIFT\n#define SHIFT\n#endif\n#endif\n#ifndef SHIFT\n" + AT: (
        "!defined(MORE)",
        "!defined(KFUSION_GIVEN_SHIFT)",
    ),
    "#define SHIFT\n#ifdef MORE\n#undef SHIFT\n#endif\n#ifdef SHIFT\n" + AT: ("!defined(MORE)",),
    "#ifdef MORE\n#define SHIFT 1\n#else\n#define SHIFT 0\n#endif\n#if SHIFT == 0\n" + AT: (
        "!defined(MORE)",
    ),
    "#ifdef MORE\n#define SHIFT 1\n#endif\n#if !SHIFT\n" + AT: ("!defined(MORE)", "(!SHIFT)"),
    "#ifdef MORE\n#define SHIFT 1\n#endif\n#if !SHIFT\n" + AT + "#undef SHIFT\n": None,
    "#ifdef MORE\n#else\n#define SHIFT 0\n#endif\n#if !SHIFT || PI\n" + AT: (
        "!defined(MORE)",
        "(!SHIFT || PI)",
    ),
    "#ifdef MORE\n#else\n#define SHIFT 0\n#endif\n#if !SHIFT || PI\n" + AT + "#undef SHIFT\n": None,
    # Values: before they change, and of a macro whose name is made.
    "#define SHIFT 0\n#if !SHIFT\n" + AT + "#undef SHIFT\n#define SHIFT 2\n": (),
    "#define SHIFT 0\n#if !SHIFT && MORE\n#else\n" + AT_1 + "#undef SHIFT\n": None,
    "#define SHIFT 0\n#if !SHIFT && MORE\n#else\n" + AT_1 + "#define SHIFT 1\n": None,
    "#define SHIFT 0\n#if !SHIFT || MORE\n" + AT + "#define SHIFT 0\n": ("(!SHIFT || MORE)",),
    "#define MODE CATS(SHI, FT)\n#define CATS(a, b) a##b\n#if !MODE\n"
    + AT
    + "#define SHIFT 1\n": None,
    # What is not brought, whatever it might change.
    '#define AT(k) (k)\n#ifdef MORE\n#pragma pop_macro("AT")\n#endif\n': (
        "!defined(KFUSION_GIVEN_MORE)",
    ),
    '#define AT(k) (k)\n#ifdef SHIFT\n#define H "FOLDER/at.h"\n#include H\n#endif\n': (
        "!defined(KFUSION_GIVEN_SHIFT)",
    ),
    "#define AT(k) (k)\n#ifndef SHIFT\n#define SHIFT 0\n#endif\n"
    '#if SHIFT\n#define H "FOLDER/at.h"\n#include H\n#endif\n': None,
    "#define AT(k) (k)\n#ifdef SHIFT\n#define MORE\n#endif\n"
    '#ifdef MORE\n#define H "FOLDER/at.h"\n#include H\n#endif\n': None,
    "#if !defined SHIFT || MORE\n#define SHIFT 2\n" + AT: (
        "(!defined(KFUSION_GIVEN_SHIFT) || MORE)",
    ),
}


@pytest.mark.parametrize("text", TEXTS)
def test_where_pins_hold_the_kernel_is_the_same(text: str, tmp_path: Path) -> None:
    (tmp_path / "at.h").write_text("#undef AT\n#define AT(k) ((k) + 1)\n#undef SHIFT\n")
    kernel = kernel_of(text.replace("FOLDER", str(tmp_path)) + READ)
    assert (None if kernel.unstable else kernel.pins) == TEXTS[text]
    pins = " && ".join(kernel.pins) or "1"
    fused = FusedKernel("g", f"#if {pins}\nkernel void g() {{}}\n#endif\n", (), kernel.pins)
    written = with_kernels(kernel.unit, [fused])
    names = [n for n in ("AT_H", "MORE_H", "SHIFT", "MORE", "ZERO", "AT_Z", "PI") if n in text]
    here = [token.text for token in kernel.unit.tokens]
    for values in product(("", "0", "1"), repeat=len(names)):
        given = [f"{name}={value}" for name, value in zip(names, values, strict=True) if value]
        unit = unit_of(written, given)
        there = [token.text for token in unit.tokens]
        assert there[: len(here)] == here or "g" not in unit.functions or kernel.unstable, given


PLAIN_KERNEL = """\
kernel void f(global float *c, global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i];
}
"""


@pytest.mark.parametrize(
    "line",
    [
        "#pragma OPENCL FP_CONTRACT OFF",
        "#pragma pack(1)",
        # Words of the language, which are in the text of any kernel.
        "#define float int",
        # What fused kernels are written with, whether the kernel has it or not.
        "#define barrier(flags)",
        "#define get_local_id(d) 0",
        "#define min(a, b) ((a) - (b))",
        "#define local",
        # What constants of the language are made of.
        "#define INT_MAX 5",
        "#define as_float(x) 1.0f",
    ],
)
def test_a_line_behind_a_kernel_that_changes_any_kernel_is_pinned(line: str) -> None:
    for condition, pin in (
        ("#ifdef SHIFT", "!defined(SHIFT)"),
        ("#ifdef __clang__", "!defined(__clang__)"),
        ("#if __OPENCL_VERSION__ >= 200", "!(__OPENCL_VERSION__ >= 200)"),
    ):
        kernel = kernel_of(f"{PLAIN_KERNEL}{condition}\n{line}\n#endif\n")
        assert (kernel.unstable, kernel.pins) == ((), (pin,))


@pytest.mark.parametrize(
    "line",
    [
        "#define barrier(flags)",
        "#define barrier 1",
        "#define get_local_id(d) 0",
        "#define get_num_groups 3",
        "#define CLK_LOCAL_MEM_FENCE 0",
        "#define local",
        "#define local static",
    ],
)
def test_words_of_fused_kernels_that_are_macros_are_not_fused(line: str) -> None:
    kernel = kernel_of(f"{line}\n{PLAIN_KERNEL}")
    assert len(kernel.unstable) == 1
    assert "is a macro in this file, and a fused kernel may need the word" in kernel.unstable[0][0]


@pytest.mark.parametrize("line", ["#define local __local", "#define kernel __kernel"])
def test_a_word_that_is_a_macro_for_its_other_spelling_changes_nothing(line: str) -> None:
    kernel = kernel_of(f"{line}\n{PLAIN_KERNEL}")
    assert (kernel.unstable, kernel.pins) == ((), ())


@pytest.mark.parametrize(
    ("constant", "part"),
    [("NAN", "INT_MAX"), ("CHAR_MAX", "SCHAR_MAX"), ("INFINITY", "__builtin_inff")],
)
def test_a_constant_whose_parts_are_macros_behind_its_kernel(constant: str, part: str) -> None:
    text = PLAIN_KERNEL.replace("a[i]", constant)
    other = PLAIN_KERNEL.replace("a[i]", "FLT_EPSILON")
    behind = f"#undef {part}\n#define {part} 5\n"
    ((message, _),) = kernel_of(text + behind).unstable
    assert message.startswith(f"the macro '{part}' in f() means something else at the end of the")
    assert kernel_of(behind + text).unstable == ()
    assert kernel_of(other + behind).unstable == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("enum { K = __COUNTER__ };", "'__COUNTER__' has another value"),
        ("#ifdef __clang__\n#define K __COUNTER__\n#endif", "'__COUNTER__' has another value"),
        ("#pragma GCC poison fmin", "names are poisoned in this file"),
        ("#ifdef __clang__\n#pragma clang poison fmin\n#endif", "names are poisoned in this file"),
    ],
)
def test_what_no_condition_tells_of_a_file(line: str, message: str) -> None:
    kernel = kernel_of(f"{PLAIN_KERNEL}{line}\n{PLAIN_KERNEL.replace('f(', 'g(')}")
    assert any(text.startswith(message) for text, _ in kernel.unstable)


def test_a_pragma_by_two_macros_under_a_condition_is_pinned() -> None:
    macros = "#define DO(x) _Pragma(#x)\n#define OFF DO(OPENCL FP_CONTRACT OFF)\n"
    kernel = kernel_of(f"{macros}{PLAIN_KERNEL}#ifdef __clang__\nOFF\n#endif\n")
    assert (kernel.unstable, kernel.pins) == ((), ("!defined(__clang__)",))


def test_names_in_text_that_another_build_takes_are_not_used() -> None:
    names = "#ifdef __clang__\n#define t_i 3\nfloat a_i(float x) { return x; }\n#endif\n"
    kernel = kernel_of(f"{PLAIN_KERNEL}{names}")
    assert {"t_i", "a_i"} <= file_names(kernel.unit)


def test_a_header_under_a_condition_is_read_again_where_it_is_included_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "step.h").write_text("#pragma once\n#define STEP 4\n")
    include = f'#include "{tmp_path}/step.h"\n'
    text = (
        f"#ifdef SHIFT\n{include}#endif\n#ifdef __clang__\n{include}#else\n#define STEP 5\n#endif\n"
    )
    kernel = kernel_of(text + PLAIN_KERNEL.replace("a[i]", "a[i + STEP - 5]"))
    assert "!defined(__clang__)" in kernel.pins
