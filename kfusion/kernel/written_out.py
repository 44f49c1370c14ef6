"""Calls of functions that read memory, written out as statements: `out[i] = lap(t, x, y, w);`

In: a file of kernels. Out: the file as its author could have written it, with the body of `lap` in
front of the statement, so that its elements are elements of the kernel. Nothing but the fused
kernels is made of that text; what is launched as it was written has its own.

Only a function whose text means the same in the kernel is written out: it is defined once, under no
`#if`, declares variables and computes, and returns at its end, or by `if (...) return 0;` before.
Only a call that comes first in its statement, whatever the values are. The value is computed by a
statement of its own: an expression is contracted (a * b + c) within a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from pycparser import c_ast

from kfusion.kernel.branches import branches_of
from kfusion.kernel.effects import is_value_call
from kfusion.kernel.model import Symbol
from kfusion.kernel.only_read import reads_argument
from kfusion.kernel.scopes import Scopes, find_scopes
from kfusion.kernel.surroundings import pragmas_of
from kfusion.kernel.types import canonical
from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import STDIN
from kfusion.parse.literals import integer
from kfusion.parse.opencl import IMAGES, parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Function, Unit, arguments_of, called_name, descendants, is_step
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Edit, SourceFile, Spliced, apply_edits, free_name

ALWAYS = protection("written-out-always", "a call is written out that depends on a value")
FIRST = protection("written-out-first", "a call is written out in front of what changes its values")
MEANING = protection("written-out-meaning", "macros and #if may make another text of a function")
HIDDEN = protection("written-out-hidden", "the kernel has other variables by names of the file")

_ROUNDS = 4  # functions that call such functions
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = re.compile(r"[\w$.]+")
_DIRECTIVE = re.compile(r"^[ \t]*#", re.MULTILINE)
_LARGEST = (1 << 31) - 1
_NOT_OF_TYPES = frozenset(("static", "inline", "extern", "const"))
_NOT_FIRST = (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Label, c_ast.Return)
_REFUSED = (c_ast.Goto, c_ast.Label, c_ast.Switch, c_ast.Pragma, c_ast.Break, c_ast.Continue)


def with_calls_written_out(unit: Unit) -> Unit:
    """The unit itself, if it has no such call."""
    before = unit
    for _ in range(_ROUNDS):
        edits = [edit for function in _kernels(unit) for edit in _Writer(unit, function).edits()]
        if not edits:
            break
        made = Spliced(unit.source, tuple(edits))
        file = SourceFile(unit.source.path, made.text, made=made)
        annotations = find_annotations(file, kernels=True)
        how = replace(unit.how)
        try:
            made_of = preprocess_opencl(file, annotations, how)
            unit = parse_opencl(file, annotations, made_of)
        except KFusionError:  # the text is odd, and stays what it was
            return unit
        unit.before = before
    return unit


def _kernels(unit: Unit) -> Iterator[Function]:
    """But for those with annotations, which mean statements as they stand."""
    marks = [section.annotation for section in unit.annotations.sections]
    marks += unit.annotations.immovable
    for function in unit.functions.values():
        if not unit.is_kernel(function) or not unit.in_main_file(function.node.decl):
            continue
        start, end = unit.range(function.body.first, function.body.last)
        if not any(start < mark.start < end for mark in marks):
            yield function


@dataclass(frozen=True)
class _Call:
    """A call that is evaluated before anything in its statement has an effect."""

    node: c_ast.FuncCall
    statement: Statement
    root: c_ast.Node
    is_alone: bool  # the statement stands between others, not behind `if (...)`


class _Writer:
    """The calls of a kernel."""

    def __init__(self, unit: Unit, kernel: Function) -> None:
        self.unit, self.kernel = unit, kernel

    @cached_property
    def scopes(self) -> Scopes:
        return find_scopes(self.unit, self.kernel)

    @cached_property
    def words(self) -> set[str]:
        """That stand in the kernel, or are taken for what is written out."""
        tokens = self.unit.tokens[self.kernel.first : self.kernel.body.last + 1]
        start, end = self.unit.range(self.kernel.first, self.kernel.body.last)
        found = {token.text for token in tokens}
        return found.union(_WORD.findall(self.unit.source.text[start:end]))

    @cached_property
    def everywhere(self) -> set[str]:
        """Words of the file, of its headers and of macros."""
        found = {*_WORD.findall(self.unit.source.text), *self.unit.macros.history}
        found.update(token.text for token in self.unit.tokens)
        bodies = (m.body for each in self.unit.macros.history.values() for _, m in each if m)
        return found.union(*(_WORD.findall(body) for body in bodies))

    def edits(self) -> list[Edit]:
        nodes = self.kernel.nodes[c_ast.FuncCall]
        if not any(called_name(node) in self.unit.definitions for node in nodes):
            return []
        found: dict[int, list[tuple[_Call, list[str], str]]] = {}  # by where statements begin
        inside: list[c_ast.FuncCall] = []  # what is in another call's arguments waits a round
        for path in _paths(self.kernel.node.body, c_ast.FuncCall):
            call = path[-1]
            name = called_name(call)
            if len(self.unit.definitions.get(name, ())) != 1 or any(n in inside for n in path):
                continue
            helper = self.unit.functions[name]
            if not self._reads_memory_of_kernel(call, helper):
                continue
            placed = self._placed(path)
            if placed is not None and (text := _Text(self, helper, placed).write()) is not None:
                inside.append(call)
                found.setdefault(placed.statement.first, []).append((placed, *text))
        return [edit for calls in found.values() for edit in self._edits_of(calls)]

    def _reads_memory_of_kernel(self, call: c_ast.FuncCall, helper: Function) -> bool:
        """Through a parameter of the kernel, and it is more than the element that it reads."""
        given, listed = arguments_of(call), helper.listed
        if len(given) != len(listed) or _is_element(self.unit, helper):
            return False
        parameters = {p.name: p for p in self.kernel.parameters}
        reads = False
        for place, (argument, parameter) in enumerate(zip(given, listed, strict=True)):
            if not isinstance(parameter, c_ast.Decl) or not parameter.name:
                return False
            if isinstance(parameter.type, c_ast.PtrDecl | c_ast.ArrayDecl):
                if not reads_argument(self.unit, helper.name, place):
                    return False
                symbol = self.symbol(argument)
                reads |= symbol is not None and symbol.parameter and not self._is_local(symbol)
            elif canonical(self.unit, parameter.type) in IMAGES:
                reads |= isinstance(argument, c_ast.ID) and argument.name in parameters
        return reads

    def _is_local(self, symbol: Symbol) -> bool:
        notes = self.unit.notes_between(self.kernel.first, symbol.token)
        near = [note for note in notes if self._is_of(note.index, symbol.token)]
        return any(note.text == "local" for note in near)

    def _is_of(self, index: int, token: int) -> bool:
        """Does a parameter's text hold both tokens?"""
        between = self.unit.tokens[index:token]
        return all(each.text not in (",", "(") for each in between)

    def symbol(self, node: c_ast.Node) -> Symbol | None:
        named = isinstance(node, c_ast.ID)
        return self.scopes.uses.get(self.unit.index(node)) if named else None

    def _placed(self, path: Sequence[c_ast.Node]) -> _Call | None:
        """None: another value may decide whether it is called, or something comes before it."""
        unit, call = self.unit, path[-1]
        first, last = unit.ends.of(call)
        macros = [unit.tokens[index].macro for index in (first, last)]
        if macros != [None, None] or unit.tokens[first].file != STDIN:
            return None
        if not all(_is_whole(unit, *unit.ends.of(each)) for each in arguments_of(call)):
            return None
        at = max(n for n in range(1, len(path)) if _is_statement(path[n - 1], path[n]))
        root, inside = path[at], path[at:]
        if isinstance(root, c_ast.If):
            if inside[1] is not root.cond:
                return None
            inside = inside[1:]
        elif isinstance(root, _NOT_FIRST):
            return None
        if not all(_is_evaluated(*pair) for pair in pairwise(inside)) and is_on(ALWAYS):
            return None
        if not self._changes_nothing_first(root) and is_on(FIRST):
            return None
        around = _around(self.kernel.body, first)
        if len(around) < 2 or around[-1].first > unit.index(root):
            return None
        statement, outer = around[-1], around[-2]
        start, end = unit.range(statement.first, statement.last)
        if not _is_whole(unit, statement.first, statement.last):
            return None
        if _DIRECTIVE.search(unit.source.text[start:end]):
            return None
        is_alone = outer.kind == "compound"
        declared = [n for n in self.kernel.nodes[c_ast.Decl] if self._is_in(n, statement)]
        if isinstance(root, c_ast.Decl) and (not is_alone or len(declared) != 1):
            return None
        place = next(i for i, each in enumerate(outer.children) if each is statement)
        if place and outer.children[place - 1].kind == "pragma":
            return None
        return _Call(call, statement, root, is_alone)

    def _is_in(self, node: c_ast.Node, statement: Statement) -> bool:
        return statement.first <= self.unit.name_index(node) <= statement.last

    def _changes_nothing_first(self, root: c_ast.Node) -> bool:
        """Before the statement's own assignment, or its own call."""
        parts: list[c_ast.Node] = [root]
        if isinstance(root, c_ast.If):
            parts = [root.cond]
        elif isinstance(root, c_ast.Assignment):
            parts = [root.lvalue, root.rvalue]
        elif isinstance(root, c_ast.FuncCall) and called_name(root) not in self.unit.definitions:
            parts = arguments_of(root)
        return all(_is_pure(self.unit, part) for part in parts)

    def _edits_of(self, calls: Sequence[tuple[_Call, list[str], str]]) -> Iterator[Edit]:
        """Of the calls of one statement."""
        unit, (first, *_) = self.unit, calls[0]
        start, end = unit.range(first.statement.first, first.statement.last)
        source = unit.source.text
        lines = [line for _, listed, _ in calls for line in listed]
        indent, before, closing = _indent(source, start), start, ""
        text = "".join(f"{line}\n" for line in lines).replace("\n", f"\n{indent}")
        if not first.is_alone:
            text, closing = f"{{ {text}", " }"
            token = unit.tokens[first.statement.first - 1]
            if token.macro is None and not source[token.end : start].strip():
                before, outer = token.end, _indent(source, token.start)
                text, closing = f" {{\n{indent}{text[2:]}", f"\n{outer}}}"
        yield Edit(before, start, text)
        for call, _, value in calls:
            yield Edit(*unit.range(*unit.ends.of(call.node)), value)
        yield Edit(end, end, closing)


class _Text:
    """What stands for a call: statements, and the name of the value."""

    def __init__(self, writer: _Writer, helper: Function, call: _Call) -> None:
        self.writer, self.unit, self.helper, self.call = writer, writer.unit, helper, call
        self.own = find_scopes(self.unit, helper)
        self.own_names = {symbol.name for symbol in self.own.uses.values()}
        self.names: dict[Symbol, str] = {}
        self.taken: set[str] = set()

    def write(self) -> tuple[list[str], str] | None:
        if not self._can_stand_here():
            return None
        lines: list[str] = []
        pairs = zip(self.helper.listed, arguments_of(self.call.node), strict=True)
        for parameter, argument in pairs:
            line = self._given(parameter, argument)
            if line is None:
                return None
            lines += [line] if line else []
        for symbol in dict.fromkeys(self.own.uses.values()):
            if symbol not in self.names:
                self.names[symbol] = self._named(symbol)
        type_ = self._result_type()
        if type_ is None or not all(map(self._can_be_renamed, self.names)):
            return None
        value = self._free(f"{self.helper.name}_{self._of()}" if self._of() else "value")
        *before, last = self.helper.body.children
        if len(self.helper.nodes[c_ast.Return]) == 1:
            lines += [self._text(each.first, each.last) for each in before]
            lines.append(f"const {type_} {value} = {self._returned(last)};")
        else:
            lines.append(f"{type_} {value};")
            lines += self._branches(self.helper.body.children, value)
        self.writer.words.update(self.taken)
        return lines, value

    def _branches(self, statements: Sequence[Statement], value: str) -> list[str]:
        """`if (...) value = ...; else { the rest }`"""
        first, rest = statements[0], statements[1:]
        if self._is_return(first):
            return [f"{value} = {self._returned(first)};"]
        if (early := self._early(first)) is None:
            return [self._text(first.first, first.last), *self._branches(rest, value)]
        assert first.header is not None
        condition = self._text(first.header[0] + 1, first.header[1] - 1)
        behind = first.children[1:] or rest
        lines = [f"if ({condition})", f"    {value} = {self._returned(early)};"]
        inner = self._branches(behind, value)
        if self._early(behind[0]) is not None:
            return [*lines, f"else {inner[0]}", *inner[1:]]
        if len(behind) == 1:
            return [*lines, "else", f"    {inner[0]}"]
        return [*lines, "else {", *(f"    {line}" for line in inner), "}"]

    def _ends_well(self, statements: Sequence[Statement]) -> bool:
        """With a `return`, and before it only those of `if (...) return ...;`."""
        if not statements:
            return False
        first, rest = statements[0], statements[1:]
        if self._is_return(first):
            return not rest
        if self._early(first) is not None:
            return self._ends_well(rest if len(first.children) == 1 else first.children[1:]) and (
                len(first.children) == 1 or not rest
            )
        return not self._has_return(first) and self._ends_well(rest)

    def _early(self, statement: Statement) -> Statement | None:
        """The `return` of `if (...) return ...;`"""
        if statement.kind != "if":
            return None
        then = statement.children[0]
        inner = then.children[0] if then.kind == "compound" and len(then.children) == 1 else then
        return inner if self._is_return(inner) else None

    def _is_return(self, statement: Statement) -> bool:
        return self.unit.tokens[statement.first].text == "return"

    def _has_return(self, statement: Statement) -> bool:
        tokens = self.unit.tokens[statement.first : statement.last]
        return any(token.text == "return" for token in tokens)

    def _returned(self, statement: Statement) -> str:
        return self._text(statement.first + 1, statement.last - 1)

    def _can_stand_here(self) -> bool:
        unit, helper, kernel = self.unit, self.helper, self.writer.kernel
        empty = any(each.expr is None for each in helper.nodes[c_ast.Return])
        if empty or self.own.odd or not unit.in_main_file(helper.node.decl):
            return False
        if not self._ends_well(helper.body.children):
            return False
        if isinstance(helper.result_type, c_ast.PtrDecl) or not _computes(unit, helper, self.own):
            return False
        notes = unit.notes_between(helper.body.first, helper.body.last)
        if any(note.text in ("local", "constant") for note in notes):
            return False
        if not all(_is_whole(unit, *piece) for piece in _pieces(unit, helper.body)):
            return False
        start, end = unit.range(helper.first, helper.body.last)
        text = unit.source.text[start:end]
        if _DIRECTIVE.search(text) or pragmas_of(unit, helper) != pragmas_of(unit, kernel):
            return False
        if not self._means_the_same(start, end) and is_on(MEANING):
            return False
        return not (self._is_hidden() and is_on(HIDDEN))

    def _means_the_same(self, start: int, end: int) -> bool:
        """No `#if` decides on the text, and its macros are the same anywhere."""
        unit, helper = self.unit, self.helper
        blocks = (b for b in branches_of(unit).blocks if b.file is unit.source and not b.is_guard)
        if any(block.start < end and start < block.end for block in blocks):
            return False
        history = unit.macros.history
        tokens = unit.tokens[helper.first : helper.body.last + 1]
        if any(token.text in history for token in tokens):  # which is no macro yet
            return False
        words = set(_WORD.findall(unit.source.text[start:end]))
        waiting = list(words)
        while waiting:
            for _, macro in history.get(waiting.pop(), ()):
                inner = set(_WORD.findall(macro.body)) - words if macro is not None else set[str]()
                words |= inner
                waiting += inner
        return all(len(history.get(word, ())) <= 1 for word in words)

    def _is_hidden(self) -> bool:
        """Does the kernel declare something by a name that the function has from the file?"""
        declared = {symbol.name for symbol in self.writer.scopes.uses.values()}
        own = {symbol.name for symbol in self.own.uses.values()}
        members = [node.field for node in self.helper.nodes[c_ast.StructRef]]
        free = (n for n in self.helper.nodes[c_ast.ID] if n not in members)
        named = {node.name for node in free if self._symbol(node) is None}
        types = self.helper.nodes[c_ast.IdentifierType]
        named |= {name for node in types for name in node.names}
        return bool(named & declared) or bool(own & named)

    def _symbol(self, node: c_ast.ID) -> Symbol | None:
        return self.own.uses.get(self.unit.index(node))

    # Parameters

    def _given(self, parameter: c_ast.Decl, argument: c_ast.Node) -> str | None:
        """The statement that declares one, "" if the argument itself stands for it."""
        unit = self.unit
        symbol = self.own.uses[unit.name_index(parameter)]
        given = self.writer.symbol(argument)
        text = unit.span(*unit.ends.of(argument)).text
        pointer = isinstance(parameter.type, c_ast.PtrDecl | c_ast.ArrayDecl)
        as_it_is = given is not None or isinstance(argument, c_ast.ID)
        if pointer or symbol.canonical in IMAGES or symbol.canonical == "sampler_t":
            kind = symbol.canonical.replace("[]", "*")
            same = given is None or given.canonical.replace("[]", "*") == kind
            if pointer and (given is None or symbol in self.own.address_taken):
                return None
            self.names[symbol] = text
            same = same and given not in self.writer.scopes.arrays  # sizeof tells them apart
            return "" if as_it_is and same and self.own.assigned_once(symbol) else None
        same = given is not None and given.canonical == symbol.canonical
        if isinstance(argument, c_ast.Constant):
            number = integer(argument.value) if argument.type == "int" else None
            same = number is not None and number <= _LARGEST and symbol.canonical == "int"
        if same and self.own.assigned_once(symbol) and _PLAIN.fullmatch(text):
            self.names[symbol] = text
            if self._can_be_renamed(symbol):
                return ""
        self.names[symbol] = self._named(symbol)
        const = "const " if self.own.assigned_once(symbol) else ""
        type_ = self._type_of(parameter)
        return f"{const}{type_} {self.names[symbol]} = {text};" if type_ is not None else None

    def _type_of(self, parameter: c_ast.Decl) -> str | None:
        unit, last = self.unit, self.unit.name_index(parameter)
        first = last
        while unit.tokens[first - 1].text not in (",", "("):
            first -= 1
        return self._type(first, last)

    def _result_type(self) -> str | None:
        name = self.unit.name_index(self.helper.node.decl)
        return self._type(self.helper.first, name)

    def _type(self, first: int, last: int) -> str | None:
        """None: it comes through a macro that gives more than that, or a part of it."""
        tokens = self.unit.tokens
        kept = [n for n in range(first, last) if tokens[n].text not in _NOT_OF_TYPES]
        macros = {tokens[n].macro for n in kept}
        through = [n for n in range(first, last) if tokens[n].macro in macros]
        if macros == {None}:
            return " ".join(tokens[n].text for n in kept)
        whole = len(macros) == 1 and through == kept and _is_whole(self.unit, kept[0], kept[-1])
        return self.unit.span(kept[0], kept[-1]).text if whole else None

    # Names

    def _of(self) -> str:
        """The first memory that it reads."""
        for parameter in self.helper.listed:
            symbol = self.own.uses[self.unit.name_index(parameter)]
            if symbol.canonical[-1:] in "*]" or symbol.canonical in IMAGES:
                return self.names[symbol]
        return ""

    def _named(self, symbol: Symbol) -> str:
        taken = symbol.name in self.writer.words | self.taken
        return self._free(f"{self.helper.name}_{symbol.name}" if taken else symbol.name)

    def _free(self, wanted: str) -> str:
        taken = self.writer.words | self.taken
        if wanted in taken or wanted not in self.own_names:
            wanted = free_name(wanted, taken | self.writer.everywhere)
        self.taken.add(wanted)
        return wanted

    def _can_be_renamed(self, symbol: Symbol) -> bool:
        """Is each use of it written in the file, and not in a macro?"""
        places = [token for token, each in self.own.uses.items() if each is symbol]
        written = all(self.unit.tokens[token].start >= 0 for token in places)
        return written or self.names[symbol] == symbol.name

    def _text(self, first: int, last: int) -> str:
        """Tokens of the function as they are written, with the names that they have here."""
        unit = self.unit
        start, end = unit.range(first, last)
        notes = unit.notes_between(first, first)
        start = min([start, *(n.start for n in notes if n.start >= 0)])
        edits: dict[int, Edit] = {}
        for index in range(first, last + 1):
            token, symbol = unit.tokens[index], self.own.uses.get(index)
            if symbol is not None and token.start >= 0 and self.names[symbol] != token.text:
                edits[token.start] = Edit(token.start, token.end, self.names[symbol])
        text = apply_edits(unit.source.text[start:end], [*edits.values()], start)
        own = _indent(unit.source.text, start)
        lines = text.split("\n")
        return "\n".join([lines[0], *(line.removeprefix(own) for line in lines[1:])])


def _pieces(unit: Unit, body: Statement) -> Iterator[tuple[int, int]]:
    """What may be written in another place: statements, conditions and what is returned."""
    for statement in body.children:
        yield statement.first, statement.last
        if statement.kind == "if" and statement.header is not None:
            yield statement.header[0] + 1, statement.header[1] - 1
            yield from _pieces(unit, statement)
        elif statement.kind == "compound":
            yield from _pieces(unit, statement)
        elif unit.tokens[statement.first].text == "return":
            yield statement.first + 1, statement.last - 1


def _is_whole(unit: Unit, first: int, last: int) -> bool:
    """Does no call of a macro hold the end of it, and something beside it?"""
    tokens = unit.tokens
    pairs = ((tokens[first - 1], tokens[first]), (tokens[last], tokens[last + 1]))
    return all(a.macro is None or a.macro != b.macro for a, b in pairs)


def _is_element(unit: Unit, helper: Function) -> bool:
    """`return t[...];` and no other access: such a call is read as that element."""
    *others, last = helper.node.body.block_items or [None]
    element = last.expr if isinstance(last, c_ast.Return) else None
    if not all(isinstance(each, c_ast.Decl) for each in others):
        return False
    if not isinstance(element, c_ast.ArrayRef) or not isinstance(element.name, c_ast.ID):
        return False
    memory = {p.name: p for p in helper.listed if isinstance(p.type, c_ast.PtrDecl)}
    named = [node for node in helper.nodes[c_ast.ID] if node.name in memory]
    if named != [element.name]:
        return False
    pointee = canonical(unit, memory[element.name.name].type.type)
    return pointee == canonical(unit, helper.result_type)


def _computes(unit: Unit, helper: Function, scopes: Scopes) -> bool:
    """Nothing else, and keeps what it computes in variables of its own."""
    for node in descendants(helper.node.body):
        if isinstance(node, _REFUSED) or (isinstance(node, c_ast.UnaryOp) and node.op == "&"):
            return False
        if isinstance(node, c_ast.FuncCall) and not is_value_call(unit, node):
            return False
        if isinstance(node, c_ast.Decl) and (node.storage or not node.name):
            return False
        target = node.lvalue if isinstance(node, c_ast.Assignment) else None
        target = node.expr if is_step(node) else target
        while isinstance(target, c_ast.ArrayRef | c_ast.StructRef):
            target = target.name
        if target is None:
            continue
        symbol = scopes.uses.get(unit.index(target)) if isinstance(target, c_ast.ID) else None
        if symbol is None or symbol in scopes.pointers or symbol.canonical[-1:] == "*":
            return False
    return True


def _is_pure(unit: Unit, node: c_ast.Node) -> bool:
    """It may read memory, but changes nothing."""
    return not any(
        isinstance(each, c_ast.Assignment)
        or is_step(each)
        or (isinstance(each, c_ast.FuncCall) and not is_value_call(unit, each))
        for each in descendants(node)
    )


def _is_statement(outer: c_ast.Node, inner: c_ast.Node) -> bool:
    if isinstance(outer, c_ast.Compound | c_ast.Case | c_ast.Default | c_ast.Label):
        return True
    if isinstance(outer, c_ast.If):
        return inner is not outer.cond
    loops = (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch)
    return isinstance(outer, loops) and inner is outer.stmt


def _is_evaluated(outer: c_ast.Node, inner: c_ast.Node) -> bool:
    """Whenever the outer expression is."""
    if isinstance(outer, c_ast.BinaryOp) and outer.op in ("&&", "||"):
        return inner is outer.left
    if isinstance(outer, c_ast.TernaryOp):
        return inner is outer.cond
    is_sizeof = isinstance(outer, c_ast.UnaryOp) and outer.op in ("sizeof", "&")
    return not is_sizeof


def _paths(node: c_ast.Node, kind: type[c_ast.Node]) -> Iterator[list[c_ast.Node]]:
    """From a node to each of a kind below it, outer ones first."""
    waiting = [[node]]
    while waiting:
        path = waiting.pop()
        if isinstance(path[-1], kind):
            yield path
        waiting += [[*path, child] for child in [*path[-1]][::-1]]


def _around(statement: Statement, index: int) -> list[Statement]:
    """The statements that hold a token, the outermost first."""
    found = [statement]
    inner: Statement | None = statement
    while inner is not None:
        inner = next((c for c in inner.children if c.first <= index <= c.last), None)
        found += [inner] if inner is not None else []
    return found


def _indent(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line[: len(line) - len(line.lstrip())]
