"""Lines of generated code that are too long."""

from __future__ import annotations

import pytest

from kfusion.regenerate.breaking import broken, within_columns

LONG = "(padded->columns + GROUP_WIDTH - 1) / GROUP_WIDTH * GROUP_WIDTH"
LIST = f"    const size_t global[2] = {{{LONG}, {LONG}}};"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("    return 0;", ["    return 0;"]),
        (f"    return {'x' * 100};", [f"    return {'x' * 100};"]),
        (LIST, [f"    const size_t global[2] = {{{LONG},", f"{' ' * 30}{LONG}}};"]),
        (
            f"\tconst size_t global[2] = {{{LONG}, {LONG}}};",
            [f"\tconst size_t global[2] = {{{LONG},", f"\t\t{LONG}}};"],
        ),
        (
            f"    CHECK(clSetKernelArg(fused, 3, sizeof(cl_mem), &{'member.' * 9}mem));",
            [
                "    CHECK(clSetKernelArg(fused, 3, sizeof(cl_mem),",
                f"                         &{'member.' * 9}mem));",
            ],
        ),
        # As few brackets as possible.
        (
            f"    launch({'queue, ' * 12}add(1, 2), size);",
            [f"    launch({'queue, ' * 12}".rstrip(), "           add(1, 2), size);"],
        ),
        (
            f"    return first({'a, ' * 20}0) || second({'b, ' * 10}0);",
            [f"    return first({'a, ' * 20}0)", f"        || second({'b, ' * 10}0);"],
        ),
        (
            f"        || (({'a' * 40} < {'b' * 20}) && ({'c' * 20} < {'d' * 20}))",
            [
                f"        || (({'a' * 40} < {'b' * 20})",
                f"            && ({'c' * 20} < {'d' * 20}))",
            ],
        ),
        # The end of a call that begins further up.
        (
            f"           {'a, ' * 30}NULL);",
            [f"           {'a, ' * 29}a,", "           NULL);"],
        ),
        # Texts are not looked into.
        (
            f'    report("{"one, " * 15}two", {"a" * 30});',
            [f'    report("{"one, " * 15}two",', f"           {'a' * 30});"],
        ),
    ],
)
def test_lines(line: str, expected: list[str]) -> None:
    found = broken(line, "\t" if line.startswith("\t") else "    ")
    assert found == expected
    assert "".join(found).replace(" ", "") == line.replace(" ", "") or "\t" in line


def test_what_stays_as_it_is() -> None:
    """Comments, lines of macros, and what the author has written so."""
    comments = [f"/* {LIST}", LIST, "*/", f"{LIST} /* of both */", f"{LIST} // of both"]
    lines = [*comments, f"{LIST} \\", LIST]
    assert within_columns(lines, "    ", {LIST.strip()}) == lines
    assert len(within_columns(lines, "    ", ())) == len(lines) + 1
