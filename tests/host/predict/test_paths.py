"""What else a prediction says: memory that is made, names, order, limits, the case studies."""

from __future__ import annotations

from pathlib import Path

import pytest

from casestudies.demo import IMAGE, LINALG, POOL, TEXTURE, Study
from kfusion.host.symbolic import Num
from tests.host.predict.test_predict import of_text, read, rows

MAIN = "int main(int argc, char **argv) { start();\n#pragma kfuse(a)\n{ %s }\nreturn argc; }"


def test_memory_that_is_made_and_released_in_the_region(tmp_path: Path) -> None:
    text = (
        """
    static cl_mem make(void) { return clCreateBuffer(context, CL_MEM_READ_WRITE, n, NULL, NULL); }
    """
        + MAIN
        % """
        cl_mem t = make(), kept = make(), held = make();
        square(t, a); square(kept, t); square(held, kept); add(b, held, t);
        clRetainMemObject(held);
        clReleaseMemObject(held);
        clReleaseMemObject(t);
    """
    )
    (path,) = of_text(text, tmp_path).likely
    t, kept, held = (launch.invocation.memory[0].name for launch in path.launches[:3])
    assert path.made == {t, kept, held}
    assert path.released == {t}


def test_memory_over_a_host_pointer_is_not_made_by_the_region(tmp_path: Path) -> None:
    text = (
        MAIN
        % """
        cl_mem t = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, n, argv, NULL);
        square(t, a);
        clReleaseMemObject(t);
    """
    )
    (path,) = of_text(text, tmp_path).likely
    assert not path.made
    assert not path.released


def test_a_release_under_a_condition_is_not_certain(tmp_path: Path) -> None:
    text = (
        MAIN
        % """
        cl_mem t = clCreateBuffer(context, CL_MEM_READ_WRITE, n, NULL, NULL);
        square(t, a);
        if (argc > 2) clReleaseMemObject(t);
    """
    )
    path, other = of_text(text, tmp_path).likely
    assert len(path.made) == 1
    assert not path.released
    assert other.released == path.made


def test_a_launch_has_the_words_of_the_application(tmp_path: Path) -> None:
    text = (
        """
    static void both(void) { square(b, a); add(c, a, b); }
    #define TWICE(x, y) square(x, y); square(y, x)
    """
        + MAIN % "both(); TWICE(c, d); for (int i = 0; i < 2; i++) square(b , /* in */ a);"
    )
    (path,) = of_text(text, tmp_path).likely
    assert [launch.invocation.label for launch in path.launches] == [
        "both(): square",
        "both(): add",
        "TWICE(c, d) (1)",
        "TWICE(c, d) (2)",
        "square(b , /* in */ a) (1)",
        "square(b , /* in */ a) (2)",
    ]
    spans = [launch.invocation.span for launch in path.launches]
    assert all(spans)
    assert str(spans[0].text if spans[0] else "") == "both()"


def test_elements_of_an_array_are_called_by_its_name(tmp_path: Path) -> None:
    text = "static cl_mem u[3];\n" + MAIN % "square(u[1], u[0]); add(u[2], u[1], u[n % 3]);"
    (path,) = of_text(text, tmp_path).likely
    hints = [m.hint for launch in path.launches for m in launch.invocation.memory]
    assert hints == ["u_1", "u_0", "u_2", "u_1", "u_n3"]


def test_equal_values_have_equal_names(tmp_path: Path) -> None:
    text = (
        MAIN
        % """
        size_t half = n / 2;
        square(b, a);
        add(c, a, b);
        clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &half, NULL, 0, NULL, NULL);
        float f = 2;
        clSetKernelArg(scale_kernel, 0, sizeof a, &a);
        clSetKernelArg(scale_kernel, 1, sizeof b, &b);
        clSetKernelArg(scale_kernel, 2, sizeof f, &f);
        clSetKernelArg(scale_kernel, 3, sizeof n, &n);
        clEnqueueNDRangeKernel(queue, scale_kernel, 1, &half, &half, &half, 0, NULL, NULL);
    """
    )
    (path,) = of_text(text, tmp_path).likely
    first, second, third, fourth = (launch.invocation for launch in path.launches)
    assert first.arguments[2].name == second.arguments[3].name == "n"
    assert first.range.key == second.range.key
    assert len({first.range.key, third.range.key, fourth.range.key}) == 3
    assert fourth.range.offset
    assert fourth.range.one_group
    assert path.sizes[0] == path.sizes[1] != path.sizes[2]
    names = {a.name for launch in path.launches for a in launch.invocation.arguments}
    assert names <= path.values.keys()


def test_every_name_of_a_launch_has_a_value_even_if_nothing_sets_it(tmp_path: Path) -> None:
    text = MAIN % "go(square_kernel, n); go(square_kernel, n);"
    (path,) = of_text(text, tmp_path).likely
    first, second = (launch.invocation for launch in path.launches)
    assert first.arguments == second.arguments
    assert {argument.name for argument in first.arguments} <= path.values.keys()
    assert not path.exact


def test_paths_with_other_launches_come_first(tmp_path: Path) -> None:
    text = (
        MAIN
        % """
        if (argc > 1) return 1;
        if (argc > 2) return 2;
        square(b, a);
        if (argc > 3) add(c, a, b);
        if (argc > 4) return 4;
    """
    )
    found = of_text(text, tmp_path)
    assert found.certain
    assert [rows(path) for path in found.likely] == ["square(b a) add(c a b)", "square(b a)"]


def test_many_conditions_are_not_all_enumerated(tmp_path: Path) -> None:
    ways = "".join(f"if (argc & {1 << i}) square(b, a); " for i in range(8))
    found = of_text(MAIN % (ways + "add(c, a, b);"), tmp_path)
    assert not found.certain
    assert len(found.likely[0].launches) == 9
    assert all(path.exact for path in found.likely)


def test_endless_work_ends(tmp_path: Path) -> None:
    text = MAIN % "for (int i = 0; i < 100000; i++) for (int k = 0; k < 1000; k++) add(c, a, b);"
    found = of_text(text, tmp_path)
    assert not found.certain
    assert len(found.likely[0].launches) == 64
    assert not found.likely[0].exact
    text = MAIN % "while (1) { if (argc == 7) square(b, a); }"
    found = of_text(text, tmp_path)
    assert not found.certain


def test_what_is_known_of_a_condition_is_not_asked_again(tmp_path: Path) -> None:
    text = (
        MAIN
        % """
        if (argc > 1) square(b, a);
        if (argc > 1) add(c, a, b);
        if (argc <= 1) square(d, a);
    """
    )
    found = of_text(text, tmp_path)
    assert found.certain
    assert {rows(path) for path in found.likely} == {"square(b a) add(c a b)", "square(d a)"}


CASES = (
    (LINALG, "pythagoras", ["vector_mult vector_mult vector_add vector_sqrt"]),
    (
        LINALG,
        "distance",
        ["vector_add vector_add vector_mult vector_mult vector_add vector_sqrt"],
    ),
    (
        LINALG,
        "cg",
        [
            "sparse_vector_mult vector_add vector_mult vector_add",
            "vector_add vector_mult",
            "vector_add vector_add",
        ],
    ),
    (LINALG, "cg_steps", ["matrix_vector_mult vector_add vector_add vector_mult"]),
    (IMAGE, "ldd", ["resize to_hsv colorize to_rgb invert"]),
    (IMAGE, "mdd", ["convolve_3 to_hsv to_hsv binary to_rgb"]),
    (IMAGE, "hdd", ["convolve_3 convolve_3 greyscale greyscale binary"]),
    (IMAGE, "hddlf", ["convolve_3 convolve_3 binary"]),
    (TEXTURE, "ldd", ["resize to_hsv colorize to_rgb invert"]),
    (TEXTURE, "mdd", ["convolve_3 to_hsv to_hsv binary to_rgb"]),
    (TEXTURE, "hdd", ["convolve_3 convolve_3 greyscale greyscale binary"]),
    (TEXTURE, "hddlf", ["convolve_3 convolve_3 binary"]),
    (POOL, "game", ["pool_move pool_collide_balls pool_collide_pockets pool_collide_walls"]),
)


@pytest.mark.parametrize(
    ("study", "application", "kernels"), CASES, ids=[f"{c[0].library}-{c[1]}" for c in CASES]
)
def test_case_studies(study: Study, application: str, kernels: list[str]) -> None:
    found = read(study.sources(application), study.include_dirs)
    paths = [region.likely[0] for region in found]
    assert [" ".join(i.invocation.kernel.name for i in p.launches) for p in paths] == kernels
    assert all(path.exact for path in paths)
    assert all(len(path.segments) == 1 for path in paths)
    assert all(launch.size != (Num(0),) for path in paths for launch in path.launches)


def test_what_need_not_be_right_is_guessed(tmp_path: Path) -> None:
    """A write that leads nobody knows where: the launches are as if it changed nothing."""
    text = """
        typedef struct { cl_mem mem; } vec;
        vec **where(void);
        void run(vec *x, vec *y, vec *z)
        {
        #pragma kfuse(x, y, z)
            {
                square(y->mem, x->mem);
                *where() = 0;
                add(z->mem, x->mem, y->mem);
            }
        }"""
    found = of_text(text, tmp_path)
    (guessed,) = found.likely
    assert rows(guessed) == "square(y->mem x->mem) add(z->mem x->mem y->mem)"
    assert not guessed.exact
