"""Libraries that set kernel arguments by a macro of their own.

    #define SETARG(k, i, v) \\
        do { err = clSetKernelArg(k, i, sizeof(v), &(v)); if (err) goto fail; } while (0)

A fused function uses it, too: `SETARG(fused, 0, a->mem);`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kfusion.host.effects import SetArgument
from kfusion.host.frames import Step
from kfusion.parse.macros import Macro, arguments
from kfusion.parse.unit import Unit
from kfusion.regenerate.parts import Part, sets_arguments
from kfusion.regenerate.pieces import CannotWriteError, rename_text
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, Token, tokenize

_SET = "clSetKernelArg"
_ASSIGNS = re.compile(r"(?:[-+*/%&|^]|<<|>>)?=")


@dataclass(frozen=True)
class ArgumentMacro:
    """What the arguments of the macro are: a role, or a text that is always the same."""

    name: str
    roles: tuple[str, ...]  # kernel, index, size, pointer or value; or ""
    texts: tuple[str, ...]
    names: frozenset[str]  # that the macro brings along

    def fill(
        self, kernel: str, settings: list[tuple[str, str]], names: dict[str, str]
    ) -> list[str]:
        """Statements that set the arguments, given their sizes and the pointers to them."""
        if any(names.get(name, name) != name for name in self.names):
            raise CannotWriteError(f"the macro {self.name} uses a variable that is renamed")
        same = [rename_text(text, names) for text in self.texts]
        result: list[str] = []
        for index, (size, pointer) in enumerate(settings):
            if pointer == "NULL" and "value" in self.roles:
                raise CannotWriteError(f"{self.name} cannot set local memory")
            value = pointer[1:] if pointer.startswith("&") else f"*{pointer}"
            given = {
                "kernel": kernel,
                "index": str(index),
                "size": size,
                "pointer": pointer,
                "value": value,
            }
            listed = [given.get(role, text) for role, text in zip(self.roles, same, strict=True)]
            result.append(f"{self.name}({', '.join(listed)});")
        return result


def argument_macro(parts: list[Part]) -> ArgumentMacro | None:
    """The macro that the last function uses; all functions must use it alike."""
    names = {_macro_at(p.unit, e) for p in parts for e in p.run.set_arguments.values()}
    last = parts[-1]
    if not last.run.set_arguments or names <= {None}:
        return None
    effect = min(last.run.set_arguments.items())[1]
    where = last.unit.node_span(effect.node)
    if len(names) > 1:
        raise CannotWriteError("the functions set their arguments by different macros", where)
    index = last.unit.index(effect.node)
    place = last.unit.tokens[index].macro
    assert place is not None
    text = last.unit.source.text[place[0] : place[1]]
    tokens = tokenize(text)
    macro = last.unit.macros.at_end(tokens[0].text)
    if macro is None or macro.parameters is None:
        raise CannotWriteError("an OpenCL call comes from a macro", where)
    ranges = arguments(tokens, 1) or []
    given = tuple(text[tokens[a].start : tokens[b - 1].end] for a, b in ranges)
    roles = _roles(macro)
    alone = all(_stands_alone(last, step) for step in last.steps if sets_arguments(step))
    counter = _counter(macro, given)
    if counter is not None and not _counts_from_zero(last, counter):
        roles = None
    if roles is None or len(given) != len(roles) or not alone:
        raise CannotWriteError(f"the macro {macro.name} sets arguments in a form of its own", where)
    body = {t.text for t in tokenize(" " + macro.body) if t.kind is Kind.NAME}
    return ArgumentMacro(macro.name, roles, given, frozenset(body - set(macro.parameters)))


def _counts_from_zero(part: Part, counter: str) -> bool:
    """The arguments are set in order, and nothing else looks at the number of the next one."""
    effects = [(i, part.unit.index(e.node)) for i, e in sorted(part.run.set_arguments.items())]
    in_order = [i for i, _ in sorted(effects, key=lambda pair: pair[1])]
    others = (s for s in part.steps if not sets_arguments(s))
    return in_order == list(range(len(effects))) and not any(counter in s.reads for s in others)


def _counter(macro: Macro, given: Sequence[str]) -> str | None:
    """The variable of `clSetKernelArg(kernel, i++, ...)`, which may be an argument."""
    call = _call_in(macro)
    if call is None or call[1][-1:] != ["++"] or macro.parameters is None:
        return None
    name = " ".join(_bare_words(call[1][:-1]))
    values = dict(zip(macro.parameters, given, strict=False))
    return " ".join(_bare_words([t.text for t in tokenize(values.get(name, name))]))


def _stands_alone(part: Part, step: Step) -> bool:
    """`SETARG(...);` is the whole statement: nothing is made of its value."""
    place = part.unit.tokens[step.first].macro
    span = part.unit.span(step.first, step.last)
    text = part.unit.source.text
    return place is not None and text[place[0] : place[1]] == span.text.rstrip("; \n")


def _macro_at(unit: Unit, effect: SetArgument) -> str | None:
    """The name of the macro whose body holds the call."""
    index = unit.index(effect.node)
    if not 0 <= index < len(unit.tokens) or unit.tokens[index].start >= 0:
        return None
    place = unit.tokens[index].macro
    match = re.match(r"[A-Za-z_]\w*", unit.source.text[place[0] : place[1]]) if place else None
    return match.group() if match else ""


def _roles(macro: Macro) -> tuple[str, ...] | None:
    """What each parameter is in `clSetKernelArg(kernel, index, sizeof(value), &value)`."""
    call = _call_in(macro)
    if call is None or macro.parameters is None:
        return None
    kernel, index, size, pointer = call
    found = {" ".join(kernel): "kernel", " ".join(index): "index"}
    if index[-1:] == ["++"]:  # it counts by itself, in a variable or a parameter
        found = {" ".join(kernel): "kernel"}
    if pointer[:1] == ["&"]:
        value = _bare_words(pointer[1:])
        found[" ".join(value)] = "value"
        if size[:1] != ["sizeof"] or _bare_words(size[1:]) != value:
            return None
    else:
        found[" ".join(pointer)] = "pointer"
        found[" ".join(size)] = "size"
    if not set(found) <= set(macro.parameters):
        return None
    if any(role in ("index", "size") and _is_changed(macro, n) for n, role in found.items()):
        return None
    return tuple(found.get(name, "") for name in macro.parameters)


def _is_changed(macro: Macro, name: str) -> bool:
    """`i++;` behind the call: a number cannot stand for the parameter."""
    words = [t.text for t in tokenize(" " + macro.body)]
    for position, word in enumerate(words):
        before = next((w for w in reversed(words[:position]) if w != "("), "")
        after = next((w for w in words[position + 1 :] if w != ")"), "")
        changes = before in ("++", "--", "&") or after in ("++", "--") or _ASSIGNS.fullmatch(after)
        if word == name and changes:
            return True
    return False


def _call_in(macro: Macro) -> list[list[str]] | None:
    """The words of the four arguments of the one `clSetKernelArg` in its body."""
    tokens = tokenize(" " + macro.body)
    calls = [i for i, t in enumerate(tokens) if t.text == _SET]
    ranges = (arguments(tokens, calls[0] + 1) or []) if len(calls) == 1 else []
    return [_bare(tokens[a:b]) for a, b in ranges] if len(ranges) == 4 else None


def _bare(tokens: Sequence[Token]) -> list[str]:
    return _bare_words([t.text for t in tokens])


def _bare_words(words: list[str]) -> list[str]:
    """Without the brackets that a careful macro puts around its parameters."""
    while len(words) > 2 and (words[0], words[-1]) == ("(", ")"):
        words = words[1:-1]
    return words
