"""Where a C++ file includes the header of the run time: behind its own includes.

Nothing else of the file is redirected: a region of C++ calls OpenCL itself, or functions of C
files. The bindings of OpenCL for C++ are inline functions that other files of the program may
share, so a file that includes them is left as it is.
"""

from __future__ import annotations

import re

from kfusion.host.outside import directives
from kfusion.parse.compiler import STDIN
from kfusion.parse.cpp import CppUnit, without_raw_strings
from kfusion.source.text import Edit

_OPENCL = re.compile(r"cl[A-Z]\w*")


def calls_opencl(unit: CppUnit) -> bool:
    """Does the file name functions of OpenCL, so that they can be redirected?"""
    own = (token for token in unit.tokens if token.file == STDIN)
    return unit.bindings is None and any(_OPENCL.fullmatch(token.text) for token in own)


def include_cpp_edit(unit: CppUnit, header: str) -> Edit:
    """Behind the last include that stands in front of all blocks, under no condition."""
    text = without_raw_strings(unit.source.text)
    place, inside = 0, False
    for name, token, depth in directives(text, before_code=True):
        inside = (inside and depth >= 0) or name == "include"
        if depth == 0 and inside and name in ("include", "endif"):
            place = text.find("\n", token.end - 1) + 1 or len(text)
            inside = False
    lead = "\n" if place and text[place - 1] != "\n" else ""
    return Edit(place, place, f'{lead}#include "{header}"\n')
