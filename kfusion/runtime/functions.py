"""The redirected functions of OpenCL. Their definitions in the run time are the only list of them:

KFUSION_PASSES(clRetainKernel, (cl_kernel kernel), (kernel))
KFUSION_CREATES(cl_event, clCreateUserEvent, (cl_context context, cl_int *status_ret),
                (context, status_ret))
KFUSION_HERE cl_int CL_API_CALL kfusion_clFinish(cl_command_queue queue)
{
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(
    r"^(?:#ifdef (?P<condition>\w+)$|(?P<end>#endif)|KFUSION_(?P<macro>[A-Z_]+)\("
    r"|KFUSION_HERE (?P<returns>[\w ]+\*?) ?CL_API_CALL\s+kfusion_(?P<name>cl[A-Z]\w*)\()",
    re.MULTILINE,
)
_BRACKET = re.compile("[(),]")
_OPENCL = re.compile(r"cl[A-Z]\w*")
_MAKERS = ("CREATES", "CREATES_THEN")
_RETURNS = {"MAPS": "void *"}


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    returns: str
    parameters: str  # "(cl_kernel kernel)"
    arguments: str  # "(kernel)"
    condition: str  # a macro that is defined where the function is there; or ""


def functions_in(text: str) -> Iterator[Function]:
    """The functions that a fragment of the run time defines."""
    condition = ""
    for match in _LINE.finditer(text):
        if match["condition"] or match["end"]:
            condition = match["condition"] or ""
        elif match["name"]:
            parameters = f"({', '.join(_items(text, match.end()))})"
            returns = match["returns"].strip()
            yield Function(match["name"], returns, parameters, _names(parameters), condition)
        else:
            items = _items(text, match.end())
            returns = items.pop(0) if match["macro"] in _MAKERS else ""
            if not _OPENCL.fullmatch(items[0]):
                continue
            name, parameters, *rest = items
            if match["macro"] == "RELEASES":
                parameters, rest = f"({parameters} object)", ["(object)"]
            returns = returns or _RETURNS.get(match["macro"], "cl_int")
            yield Function(name, returns, parameters, rest[0], condition)


def _items(text: str, start: int) -> list[str]:
    """What stands between the commas of a bracket that opens in front of the place."""
    items, depth, begin = [], 1, start
    for match in _BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if depth == 0 or (depth == 1 and match.group() == ","):
            items.append(" ".join(text[begin : match.start()].split()))
            begin = match.end()
        if depth == 0:
            break
    return items


def _names(parameters: str) -> str:
    """The names of parameters that are no functions."""
    names = [] if parameters == "(void)" else re.findall(r"(\w+)(?=[,)])", parameters)
    return f"({', '.join(names)})"
