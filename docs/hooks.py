"""Pages of the site that are made from other files, and links that pages need not write.

`index.md`, `contributing.md` and `changelog.md` are README.md, CONTRIBUTING.md and CHANGELOG.md;
`codes/` has a page for each code of a message, from what `kfusion explain` prints.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from properdocs.structure.files import File, Files

from kfusion.report.explain import Explanation, explanations
from kfusion.source.codes import CODES, KINDS

ROOT = Path(__file__).resolve().parent.parent
FROM_ROOT = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
_LANGUAGES = {".c": "c", ".cpp": "cpp", ".cl": "c", "command": "sh", "python": "python"}
_LINK = re.compile(r"\]\(([\w./-]+\.md)(#[\w-]+)?\)")
_COMMENT = re.compile(r"^ *<!-- .*? -->\n", re.MULTILINE | re.DOTALL)  # to the tests
_IN_CODE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<![\[`/\w])`?(KF\d{3})`?(?![\w`.])")


def on_files(files: Files, config: Any) -> Files:
    made = {place: _from_root(name) for name, place in FROM_ROOT.items()}
    made["codes/index.md"] = _codes()
    entries = explanations()
    made |= {f"codes/{code}.md": _explained(entries[code]) for code in CODES}
    for place, text in made.items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A code in a text leads to its page."""
    here = page.file.src_uri
    if here.startswith("codes/KF") or here == "codes/index.md":
        return markdown
    above = "../" * here.count("/")

    def linked(match: re.Match[str]) -> str:
        code = match.group(1)
        return f"[`{code}`]({above}codes/{code}.md)" if code in CODES else match.group()

    parts = _IN_CODE.split(_COMMENT.sub("", markdown))
    return "".join(part if i % 2 else _CODE.sub(linked, part) for i, part in enumerate(parts))


def _from_root(name: str) -> str:
    """A file above docs/: its links are seen from there."""

    def moved(match: re.Match[str]) -> str:
        target, anchor = match.group(1), match.group(2) or ""
        place = FROM_ROOT.get(target) or posixpath.relpath(target, "docs")
        return f"]({place}{anchor})"

    return _LINK.sub(moved, (ROOT / name).read_text(encoding="utf-8"))


def _codes() -> str:
    lines = ["# Messages", "", "Each message has a code. `kfusion explain KF203` prints its page."]
    for kind, title in KINDS.items():
        lines += ["", f"## {title}", "", "| code | |", "|---|---|"]
        listed = [code for code in CODES if code.startswith(kind)]
        lines += [f"| [`{code}`]({code}.md) | {CODES[code]} |" for code in listed]
    return "\n".join(lines) + "\n"


def _explained(entry: Explanation) -> str:
    def linked(text: str) -> str:
        return re.sub(
            r"`?\b(KF\d{3})\b`?",
            lambda m: f"[`{m.group(1)}`]({m.group(1)}.md)" if m.group(1) in CODES else m.group(),
            text.strip(),
        )

    parts = [f"# {entry.code}: {CODES[entry.code]}", linked(entry.meaning), "## Example"]
    for name, text in entry.example.items():
        language = _LANGUAGES.get(Path(name).suffix or name, "text")
        parts.append(f'```{language} title="{name}"\n{text.strip(chr(10))}\n```')
    return "\n\n".join([*parts, "## What to do", linked(entry.remedy), "[All codes](index.md)\n"])
