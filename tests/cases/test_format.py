"""What a file of cases says, and how what was found is written into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.case_accept import accepted
from tests.support.case_format import CaseError, Expected, Run, apply_difference, read_cases

TEXT = "one\ntwo {\n    x;\n}\nthree {\n    x;\n}\n"

FILE = """\
base = "small"

[[case]]
name = "first"
launches = [
    "3 -> 2",
    "no: 3 -> 3",
]
messages = '''
old: [not a table]
[[case]]
'''
"lib.h" = '''
@@
 #include <string.h>
+#define FIRST
'''

[[case]]
name = "second"
status = 2
"app.c" = '''
int main(void) { return 0; }
'''
"""


@pytest.mark.parametrize(
    ("difference", "result"),
    [
        ("@@ three\n-    x;\n+    y;\n", TEXT.replace("three {\n    x", "three {\n    y")),
        ("@@\n     x;\n+    y;\n", TEXT.replace("    x;\n", "    x;\n    y;\n", 1)),
        ("@@\n-one\n@@ two\n-    x;\n@@\n-    x;\n", "two {\n}\nthree {\n}\n"),
        ("@@\n }\n three {\n-    x;\n", "one\ntwo {\n    x;\n}\nthree {\n}\n"),
    ],
)
def test_hunks_change_what_follows_their_words(difference: str, result: str) -> None:
    assert apply_difference(TEXT, difference) == result


@pytest.mark.parametrize(
    ("difference", "says"),
    [
        ("@@ four\n-    x;\n", "no line with 'four' behind line 0"),
        ("@@\n-four\n", "not found behind line 0:\nfour"),
        ("@@\n-three {\n@@\n-one\n", "not found behind line 5:\none"),
        ("@@\n*one\n", "begins with ' ', '-', '+' or '@@': *one"),
    ],
)
def test_hunk_that_does_not_fit_is_an_error(difference: str, says: str) -> None:
    with pytest.raises(CaseError) as error:
        apply_difference(TEXT, difference)
    assert says in str(error.value)


def test_what_was_found_replaces_what_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    found = {
        "first": Expected((Run(3, 1),), 0, None, "app.c:1:1: note[KF401]: 'x' stays\n"),
        "second": Expected((Run(2, 1), Run(2, 2, "20 64"))),
    }
    path.write_text(accepted(FILE, found))
    first, second = read_cases(path)
    assert {case.name: case.expected for case in (first, second)} == found
    assert "#include <string.h>\n#define FIRST\n" in first.files["lib.h"]
    assert second.files["app.c"] == "int main(void) { return 0; }\n"
    assert accepted(path.read_text(), found) == path.read_text()


def test_only_the_cases_that_ran_are_changed() -> None:
    text = accepted(FILE, {"second": Expected((), 1)})
    assert text == FILE.replace("status = 2", "status = 1")


@pytest.mark.parametrize("text", ["4", "4 -> ", ": 4 -> 1", "4 -> one"])
def test_launches_are_told_in_one_form(text: str) -> None:
    with pytest.raises(CaseError, match="launches are told as"):
        Run.of(text)
