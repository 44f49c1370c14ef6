"""The head of a fused function: its kernel, the guard, and the original calls."""

from __future__ import annotations

import re

from pycparser import c_ast

from kfusion.host.equality import identity
from kfusion.host.library import Run
from kfusion.host.origins import Origins
from kfusion.host.program import constant
from kfusion.host.symbolic import Entry, Global, Num, Sym
from kfusion.parse.unit import Function, Unit
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.guards import Guard
from kfusion.regenerate.parts import Part, obtains_handle
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.source.lexer import Kind, tokenize


def guard_conditions(guard: Guard, has_kernel: list[str]) -> list[str]:
    conditions = [*has_kernel, *guard.conditions]
    if guard.written:
        memory = [*guard.written, *guard.others]
        listed = ", ".join(memory)
        conditions.append(f"!kfusion_apart({len(guard.written)}, {len(memory)}, {listed})")
    return conditions


def component_text(parts: list[Part], renderer: Renderer) -> str:
    """A kernel handle that is known on entry: it leads to the program."""
    for part in reversed(parts):
        text = _named_handle(part, renderer)
        if text:
            return text
    for part in reversed(parts):
        text = _getter_call(part)
        if text:
            return text
    raise CannotWriteError("no kernel handle is known on entry", parts[-1].launch_span)


def program_conditions(
    names: set[str], origins: Origins, parts: list[Part], renderer: Renderer
) -> list[str]:
    """The components must be of one program, from which the fused kernel is made."""
    handles = dict.fromkeys(identity(part.run.launch.kernel) for part in parts)
    if origins.one_program(names, handles):
        return []
    texts = [_named_handle(part, renderer) or _getter_call(part) for part in parts]
    known_texts = list(dict.fromkeys(text for text in texts if text))
    if not all(texts):
        raise CannotWriteError(
            "it is not known on entry whether the kernels are of one program", parts[-1].launch_span
        )
    last = known_texts[-1]
    return [f"!kfusion_same_program({last}, {text})" for text in known_texts[:-1]]


def _named_handle(part: Part, renderer: Renderer) -> str | None:
    value = identity(part.run.launch.kernel)
    return _enumerated(value, part, renderer) or renderer.value(value)


def _getter_call(part: Part) -> str | None:
    """`add_kernel()` in `cl_kernel kernel = add_kernel();`: it needs nothing of the function."""
    for step in part.steps:
        node = step.nodes[0]
        if isinstance(node, c_ast.Decl) and obtains_handle(step):
            call = node.init
            if isinstance(call, c_ast.FuncCall) and _constant_arguments(call):
                index = part.unit.index(call.name)
                return part.unit.span(index, part.unit.match(index + 1)).text
    return None


def _constant_arguments(call: c_ast.FuncCall) -> bool:
    nodes = call.args.exprs if call.args is not None else []
    return all(isinstance(node, c_ast.Constant) for node in nodes)


def _enumerated(value: Sym, part: Part, renderer: Renderer) -> str | None:
    """`kernels[ADD]`, if the function itself names the element so (or gives ADD to a helper)."""
    if not isinstance(value, Entry) or part.unit is not renderer.unit:
        return None
    *names, step = [getattr(value.place.root, "name", ""), *value.place.path]
    text = renderer.value(value)
    if text is None or not names or not names[-1] or not text.endswith(step):
        return None
    body = part.run.function.function.body
    tokens = part.unit.tokens[body.first : body.last + 1]
    enumerators = part.run.enumerators
    written = {
        index.text
        for array, opening, index, closing in zip(
            tokens, tokens[1:], tokens[2:], tokens[3:], strict=False
        )
        if array.text == names[-1] and (opening.text, closing.text) == ("[", "]")
        if step == f"[{enumerators.get(index.text)}]" and index.start >= 0
    }
    named = {t.text for t in tokens if f"[{enumerators.get(t.text)}]" == step and t.start >= 0}
    found = sorted(written) or (sorted(named) if len(named) == 1 else [])
    return f"{text.removesuffix(step)}[{found[0]}]" if found else None


def local_items(part: Part, renderer: Renderer) -> str:
    """How many items the launch's groups have; 0 if that is left to OpenCL."""
    local = part.run.launch.local
    if local is None:
        return "0"
    array = constant_array(local, part, renderer)
    if array is not None:
        return " * ".join(f"{array}[{i}]" for i in range(len(local)))
    texts = [_constant(v, part, renderer) for v in local]
    if any(t is None for t in texts):
        raise CannotWriteError("the local size is not known on entry", part.launch_span)
    return " * ".join(t for t in texts if t)


def constant_array(values: tuple[Sym, ...], part: Part, renderer: Renderer) -> str | None:
    """`group`, if the file has `static const size_t group[2] = {16, 4};` and it is meant."""
    unit, enumerators = part.unit, part.run.enumerators
    if unit is not renderer.unit:
        return None
    words = _words(unit, part.run.function.function)
    for name in set(words) & set(unit.functions):
        words += _words(unit, unit.functions[name])
    for node in unit.ast.ext:
        if not isinstance(node, c_ast.Decl) or node.name not in words:
            continue
        if node.name in part.run.frame.variables or not isinstance(node.init, c_ast.InitList):
            continue
        kind = node.type.type if isinstance(node.type, c_ast.ArrayDecl) else None
        if not isinstance(kind, c_ast.TypeDecl) or "const" not in kind.quals:
            continue
        if isinstance(kind.type, c_ast.IdentifierType) and kind.type.names == ["size_t"]:
            given = [constant(e, enumerators) for e in node.init.exprs]
            elements = [(node.name, (f"[{i}]",)) for i in range(len(given))]
            if given == [v.value if isinstance(v, Num) else v for v in values]:
                return str(node.name)
            if elements == [_global_element(v) for v in values]:
                return str(node.name)
    return None


def _global_element(value: Sym) -> tuple[str, tuple[str, ...]] | None:
    if not isinstance(value, Entry) or not isinstance(value.place.root, Global):
        return None
    return value.place.root.name, value.place.path


def _words(unit: Unit, function: Function) -> list[str]:
    return [t.text for t in unit.tokens[function.body.first : function.body.last + 1]]


def _constant(value: Sym, part: Part, renderer: Renderer) -> str | None:
    """A macro of the function's text that stands for the constant, if there is one."""
    if isinstance(value, Num):
        body = part.run.function.function.body
        for token in tokenize(part.unit.span(body.first, body.last).text):
            macro = part.unit.macros.at_end(token.text) if token.kind is Kind.NAME else None
            if macro and macro.parameters is None and macro.body == str(value.value):
                return macro.name
    text = renderer.value(value)
    return f"({text})" if text and not re.fullmatch(r"[\w.>\[\]-]+", text) else text


def original_calls(parts: list[Part], returns: str, indent: str, used: set[str]) -> list[str]:
    """The calls in order, as the region would have made them."""
    calls = [part.text_of_call for part in parts]
    status = parts[-1].call.status
    if returns == "void":
        return [*(f"{c};" for c in calls), "return;"]
    if status in ("ignored", "assigned"):
        return [*(f"{c};" for c in calls[:-1]), f"return {calls[-1]};"]
    macro = next(filter(None, (checking_macro(p.unit, p.run) for p in reversed(parts))), None)
    if macro and status != "or-ed":
        return [*(f"{macro}({c});" for c in calls[:-1]), f"return {calls[-1]};"]
    name = next(n for n in ("status", "first_status", "kfusion_status") if n not in used)
    lines = [f"{returns}{'' if returns.endswith('*') else ' '}{name} = {calls[0]};"]
    for call in calls[1:]:
        if status == "or-ed":
            lines.append(f"{name} |= {call};")
        else:
            lines += [f"if ({name} == 0)", f"{indent}{name} = {call};"]
    return [*lines, f"return {name};"]


def handle_name(handle: Sym) -> str | None:
    """The variable or member that holds a kernel handle."""
    value = identity(handle)
    if not isinstance(value, Entry):
        return None
    for step in reversed(value.place.path):
        if not step.startswith("["):
            return step
    root = value.place.root
    return root.name if isinstance(root, Global) else None


def checking_macro(unit: Unit, run: Run) -> str | None:
    """The library's own macro that returns a status that is not zero."""
    for step in run.steps:
        token = unit.tokens[step.first]
        node = step.nodes[0]
        if token.macro is None or not isinstance(node, c_ast.DoWhile):
            continue
        text = unit.source.text[token.macro[0] : token.macro[1]]
        match = re.match(r"([A-Za-z_]\w*)\s*\(", text)
        macro = unit.macros.at_end(match.group(1)) if match else None
        if macro is None or macro.parameters is None or len(macro.parameters) != 1:
            continue
        if _returns_if_not_zero(node):
            return macro.name
    return None


def _returns_if_not_zero(node: c_ast.DoWhile) -> bool:
    """`do { T s = call; if (s != 0) return s; } while (0)`, and nothing else."""
    items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else None
    if not items or len(items) != 2 or not isinstance(items[0], c_ast.Decl):
        return False
    test = items[1]
    if not isinstance(test, c_ast.If) or test.iffalse is not None:
        return False
    condition = test.cond
    if isinstance(condition, c_ast.BinaryOp) and condition.op == "!=":
        if not (isinstance(condition.right, c_ast.Constant) and condition.right.value == "0"):
            return False
        condition = condition.left
    body = test.iftrue
    if isinstance(body, c_ast.Compound) and body.block_items and len(body.block_items) == 1:
        body = body.block_items[0]
    return (
        isinstance(condition, c_ast.ID)
        and condition.name == items[0].name
        and isinstance(body, c_ast.Return)
        and isinstance(body.expr, c_ast.ID)
        and body.expr.name == items[0].name
    )
