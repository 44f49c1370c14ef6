"""What a code means, with an example and what to do: `kfusion explain KF203`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from kfusion.source.codes import CODES, KINDS
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error

_FILE = Path(__file__).with_name("explanations.toml")
_CODE = re.compile(r"(?:KF)?(\d{3})", re.IGNORECASE)


@dataclass(frozen=True)
class Explanation:
    code: str
    meaning: str
    example: dict[str, str]  # file names, "calls", "python", "command", "output": what it holds
    remedy: str


def explanations() -> dict[str, Explanation]:
    entries = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {code: Explanation(code, **entry) for code, entry in entries.items()}


def read_code(word: str) -> str:
    """The code that is meant: `KF203`, `kf203` and `203` are one."""
    written = _CODE.fullmatch(word)
    code = f"KF{written.group(1)}" if written else ""
    if code not in CODES:
        raise error("KF100", f"no code is called '{word}'", help=_near(code), argument=word)
    return code


def _near(code: str) -> str:
    """The codes before and after, if it is written like one and its kind exists."""
    listed = "`kfusion explain` lists all codes"
    if code[:3] not in KINDS:
        return listed
    before = [known for known in CODES if known < code]
    after = [known for known in CODES if known > code]
    near = [known for known in (*before[-1:], *after[:1]) if known[:3] == code[:3]]
    return f"{' and '.join(near)} {'is' if len(near) == 1 else 'are'} near it; {listed}"


def explain(code: str) -> str:
    found = explanations()[code]
    parts = [f"{code}: {CODES[code]}", found.meaning.strip(), "Example"]
    parts += [f"  {title}\n{_indented(text)}" for title, text in found.example.items()]
    return "\n\n".join([*parts, "What to do", found.remedy.strip()])


def _indented(text: str) -> str:
    lines = text.strip("\n").split("\n")
    return "\n".join(f"    {line}".rstrip() for line in lines)


def list_codes() -> str:
    """All codes by kind, a line each."""
    parts: list[str] = []
    for kind, title in KINDS.items():
        lines = [f"  {code}  {text}" for code, text in CODES.items() if code.startswith(kind)]
        parts.append("\n".join([title, *lines]))
    return "\n\n".join(parts)
