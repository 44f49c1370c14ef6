"""The text of a kernel of which one item does the work of several.

What an item did becomes a function of its global id. The kernel calls it once for each
item that it stands for: those lie a work-group apart, so that neighbouring items still
touch neighbouring elements. If all of them exist there is no condition in between, and
the compiler lets their loads begin together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from textwrap import wrap

from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.model import FusedParameter
from kfusion.synthesis.names import Names
from kfusion.synthesis.signature import Style, signature
from kfusion.synthesis.statements import Lines

ITEM = "_item"  # after the kernel's name: the function's
ID_OF_ITEM = "kfusion_item"  # in the text, until the function has a name for it
_INDEX = re.compile(rf"\s*const size_t (\w+) = {ID_OF_ITEM};")
_WIDTH = 90


@dataclass(frozen=True)
class ItemFunction:
    name: str
    index: str  # its first parameter
    lines: tuple[str, ...]

    @staticmethod
    def of(kernel: str, lines: Sequence[str], names: Names) -> ItemFunction:
        """From the lines of a kernel."""
        kept = list(lines)
        index = ""
        for number, line in enumerate(kept):
            found = _INDEX.fullmatch(line)
            if found is not None:
                index = found.group(1)
                blank = kept[number + 1 : number + 2] == [""]
                del kept[number : number + 1 + blank]
                break
        index = index or names.new("item")
        own = tuple(re.sub(rf"\b{ID_OF_ITEM}\b", index, line) for line in kept)
        return ItemFunction(kernel + ITEM, index, own)

    def head(self, style: Style, parameters: Sequence[FusedParameter]) -> str:
        texts = [f"const size_t {self.index}", *(p.text for p in parameters)]
        return signature(style, self.name, texts, kernel=False)

    def call(self, index: str, parameters: Sequence[FusedParameter], indent: str) -> str:
        text = f"{self.name}({', '.join([index, *(p.name for p in parameters)])});"
        return "\n".join(wrap(text, _WIDTH, subsequent_indent=indent * 5))


def write_calls(
    out: Lines,
    call: Callable[[str], str],
    bound: Callable[[str], str],
    elements: int,
    items: str,
    style: Style,
    names: Names,
) -> None:
    """`items`: how many there are; `bound`: what else must hold for an item to be done."""
    group, first, last, item = (names.new(n) for n in ("group", "first", "last", "item"))
    out.add(f"const size_t {group} = get_local_size(0);")
    out.add(f"const size_t {first} = {elements} * {group} * get_group_id(0) + get_local_id(0);")
    out.add(f"const size_t {last} = {first} + {elements - 1} * {group};")
    out.blank()
    out.add(f"if ({last} < {items}{bound(last)}){style.opening(out.indent)}")
    out.depth += 1
    out.add("#pragma unroll")
    out.add(f"for (uint {item} = 0; {item} < {elements}; {item}++)")
    out.depth += 1
    out.add(call(f"{first} + {item} * {group}"))
    out.depth -= 2
    opening = style.opening(out.indent)
    out.add(f"}}\n{out.indent}else{opening}" if style.blocks_own_line else f"}} else{opening}")
    out.depth += 1
    done = f"{item} < {items}{bound(item)}"
    out.add(f"for (size_t {item} = {first}; {done}; {item} += {group})")
    out.depth += 1
    out.add(call(item))
    out.depth -= 2
    out.add("}")
