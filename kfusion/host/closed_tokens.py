"""Is a region of a C++ file closed? Decided by its tokens: C++ is not parsed.

Tokens show neither conversions nor destructors nor overloaded operators. So every name in
the region has to be explained: it is a variable of a type of C, or a container of the
standard library over such types, a member of one, a constant, or a function of the given
files, of OpenCL, or of the known ones. A name that is not explained opens the region.
Functions that are written in C++ are read in the same way (host/closed_functions.py).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from kfusion.host import known
from kfusion.host.callgraph import CallGraph, call_graph
from kfusion.host.closed import Closedness, Reach, Way
from kfusion.host.closed_classes import named_objects, number_members, smart_pointers
from kfusion.host.closed_functions import CppFunction, functions_named
from kfusion.host.closed_headers import (
    ambiguous,
    can_leave_by,
    is_plain_output,
    operators_of,
    plain_operator,
)
from kfusion.host.closed_scopes import (
    ARITHMETIC,
    CLASS,
    CLASS_OF,
    KEYWORDS,
    OPENCL_NUMBERS,
    QUALIFIERS,
    Scopes,
    without_attributes,
)
from kfusion.host.closed_types import NUMBER, OBJECT, OTHER, enumerators_of, fields_of, types_of
from kfusion.host.known import Kind, kind_of
from kfusion.host.program import HostProgram
from kfusion.parse.compiler import STDIN
from kfusion.parse.cpp import CppUnit
from kfusion.parse.macro_calls import expanded
from kfusion.parse.macros import Macro
from kfusion.source.lexer import Kind as TokenKind
from kfusion.source.lexer import Token, between_commas, matching, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import SourceFile, Span

NAMES = protection("closed-cpp-names", "a name in a C++ region is not explained")
OPERATORS = protection("closed-cpp-operators", "an operator on objects may be the program's own")
CALLS = protection("closed-cpp-calls", "a C++ region calls what is not looked at")
HEADERS = protection("closed-cpp-headers", "headers give names of a C++ region another meaning")
ENTRIES = protection("closed-cpp-entries", "a C++ region is entered past its beginning")

_HELP = (
    "a region of C++ may call OpenCL's C functions, and functions of the given files that are no "
    "methods or templates: put what else it calls in front of the region, or behind it"
)
_MACRO_HELP = (
    "a macro in a region of C++ is looked into if it is defined once, in front of the region: else "
    "write out what it stands for"
)
_CLASS_HELP = (
    "copy what the region needs of it into variables in front of the region, "
    "`cl_kernel kernel = object.kernel;`, and use these"
)
_STD_FUNCTIONS = frozenset(
    "min max abs swap fill fill_n copy copy_n iota accumulate move to_string exception bad_alloc "
    "runtime_error logic_error invalid_argument domain_error length_error out_of_range "
    "range_error overflow_error underflow_error".split()
)
REGION = "the region"
_LEAVING = ("exit", "_Exit", "quick_exit")
_STREAMS = frozenset("cout cerr clog endl flush hex dec".split())
_MEMBERS = frozenset(
    "size data begin end cbegin cend empty resize reserve clear push_back pop_back assign at "
    "front back fill insert erase c_str length substr append find first second real imag".split()
)
_CONSTANT = re.compile(r"CL_[A-Z0-9_]+|EXIT_(?:SUCCESS|FAILURE)|[A-Z]+_(?:MIN|MAX)|SEEK_\w+|M_\w+")
_USER_LITERAL = re.compile(r".*_[A-Za-z]\w*$")
_BEFORE_OBJECT = frozenset("( , = return ; { } & [ <".split())
_AFTER_OBJECT = frozenset(") , ; . = [ ] } -> >".split())


def closedness_of_tokens(
    source: SourceFile,
    block: Span,
    program: HostProgram,
    harmless: frozenset[str] = frozenset(),
    settled: frozenset[str] = frozenset(),
    unit: CppUnit | None = None,
) -> Closedness:
    """Of the region whose braces are the block's ends, in a C++ file; see `closedness`.

    `unit`: with the headers."""
    reader = _Reader(source, block, call_graph(program), harmless)
    if unit is not None:
        reader.look_behind(unit)
    return reader.judged(settled)


class _Reader(Scopes):
    """One pass over a file, up to the region's end: declarations, then the region's names."""

    def __init__(
        self, source: SourceFile, block: Span, graph: CallGraph, harmless: frozenset[str]
    ) -> None:
        super().__init__(without_attributes(tokenize(source.text)))
        self.source, self.block, self.graph, self.harmless = source, block, graph, harmless
        self.reach = Reach(graph, harmless)
        self.switches: list[bool] = []  # for each open brace of the region
        self.types = dict(types_of(graph))
        self.fields = fields_of(graph)
        self.enumerators = enumerators_of(graph)
        directives = (t.text for t in self.tokens if t.kind is TokenKind.DIRECTIVE)
        found = (re.match(r"#\s*define\s+(\w+)", text) for text in directives)
        self.numbers = frozenset[str]()  # macros that stand for numbers
        self.ambiguous = frozenset[str]()  # names that headers may have given another meaning
        self.operators = frozenset[str]()
        self.in_headers: set[str] = set()  # all words of the program's headers
        self.unit: CppUnit | None = None
        self.who = REGION  # what is read
        self.way: Way = ()  # how it is reached
        self.read: set[tuple[CppUnit, int]] = set()  # functions of C++
        self.own_names = frozenset[str]()  # that may be objects
        self.pointers = frozenset[str]()  # types with a `get()` that gives a plain pointer
        self.leaves: set[str] = set()
        self.leaving = frozenset[str]()  # functions that may stand in there
        self.streams = False  # may the region write to std::cerr?
        self.macros = {match.group(1) for match in found if match is not None}

    def look_behind(self, unit: CppUnit) -> None:
        """At the headers that the file includes."""
        if is_on(HEADERS):
            self.unit = unit
            self.numbers = unit.numbers
            self.macros |= unit.macros
            included = {token.file for token in unit.tokens} - {STDIN}
            files = {str(Path(file).resolve()) for file in included}
            self.types = dict(types_of(self.graph, files))
            self.ambiguous = ambiguous(unit)
            self.operators = operators_of(unit, self.types.keys())
            self.in_headers = {token.text for token in unit.tokens if token.file != STDIN}
            self.streams = is_plain_output(unit)
            texts = [token.text for token in unit.tokens]
            self.classes = number_members(texts, self._is_cast)
            self.pointers = smart_pointers(texts)
            self.own_names = named_objects(texts)
            self.leaving = frozenset(name for name in _LEAVING if can_leave_by(name, unit))
            self._expand(unit)

    def _expand(self, unit: CppUnit) -> None:
        """The macros of the region."""
        own = unit.macros - unit.numbers - unit.defined_twice - known.OPENCL
        inside = [t for t in self.tokens if self.block.start <= t.start < self.block.end]
        before = [t for t in self.tokens if t.start < self.block.start]

        def macro_at(token: Token) -> Macro | None:
            if token.text not in own:
                return None
            return unit.table.at(token.text, self.source.location(token.start).line)

        self.tokens = (*before, *expanded(inside, macro_at))

    def judged(self, settled: frozenset[str]) -> Closedness:
        for construct in self.graph.named_anywhere:
            self.reach.open(construct.message, construct.span, ())
        self._pass()
        self.reach.run()
        self.reach.signal_handlers()
        self.reach.check_macros(settled)
        return replace(self.reach.result(), leaves=frozenset(self.leaves))

    # The pass

    def _pass(self) -> None:
        index = 0
        while index < len(self.tokens) and self.tokens[index].start < self.block.end:
            index = self._step(index)

    def _step(self, index: int) -> int:
        """Look at a token; the one to look at next."""
        token = self.tokens[index]
        inside = self.block.start <= token.start
        if inside and token.text in self.macros - self.numbers:
            self._open(index, "'{}' is a macro", _MACRO_HELP)
            return index + 1
        declared = self.declaration(index)
        if declared is not None:
            if inside and declared.sort == OTHER and is_on(NAMES):
                last = self.tokens[declared.behind - 2]
                span = Span(self.source, token.start, last.end)
                message = f"'{span.text}' may be a class: what it calls is not seen"
                self.reach.open(message, span, self.way)
            return declared.behind
        if token.text in ("(", ")"):
            self.depth += 1 if token.text == "(" else -1
        elif token.text == "auto":
            self.note_parts(index + 1)
        elif token.text == "{":
            scope = dict(self.pending) if self.depth == 0 else {}
            self.scopes.append({**scope, **self.hidden(index)})
            self.pending = {}
            if inside:
                self.switches.append(self._follows_switch(index))
        elif token.text == "}":
            if len(self.scopes) > 1:
                self.scopes.pop()
            if inside and self.switches:
                self.switches.pop()
        elif token.text == ";" and self.depth == 0:
            self.pending = {}
        if inside:
            return self._inside(index)
        return index + 1

    def _inside(self, index: int) -> int:
        token = self.tokens[index]
        before = self.tokens[index - 1].text
        if token.kind is TokenKind.NAME:
            special = self._label(index) or self._object(index) or self._function(index)
            return special or self._name(index)
        if token.kind is TokenKind.DIRECTIVE:
            self._open(index, "'{}' may change what stands behind it")
        elif token.kind is not TokenKind.PUNCTUATOR and _USER_LITERAL.match(token.text):
            if token.kind is TokenKind.NUMBER:
                self._open(index, "'{}' may call a function of the program")
        elif token.text == "[" and not (
            before in (")", "]") or before[-1:].isalnum() or before == "_"
        ):
            self._open(index, "'{}' begins a function without a name")
        elif plain_operator(token.text) in self.operators:
            self._open(index, "'{}' may be an operator of the program")
        return index + 1

    def _label(self, index: int) -> int | None:
        """Behind `name:`, which something outside of a region may jump to, and `goto name`."""
        before, name, behind, next_ = (self.text(index + i) for i in (-1, 0, 1, 2))
        if name == "goto":
            if behind == "*":
                self._open(index, "'{}' may lead anywhere")
            return index + 2
        if before not in (";", "{", "}") or behind != ":" or next_ == ":" or name in KEYWORDS:
            return None
        if is_on(ENTRIES) and self.who == REGION:
            self._open(index, "'{}' is a label: it may be reached from outside")
        return index + 2

    def _follows_switch(self, index: int) -> bool:
        """Is this brace that of `switch (...) {`?"""
        depth = 0
        for position in range(index - 1, -1, -1):
            text = self.tokens[position].text
            depth += (text == ")") - (text == "(")
            if depth == 0:
                return text == "(" and self.text(position - 1) == "switch"
        return False

    # Names in the region

    def _name(self, index: int) -> int:
        name, before, behind = (self.text(i) for i in (index, index - 1, index + 1))
        if before in (".", "->"):
            if name not in _MEMBERS and (name not in self.fields or behind == "("):
                self._open(index, "'{}' is not a known member")
        elif name == "std" and behind == ":":
            return self._std(index)
        elif name in ("case", "default") and not any(self.switches) and is_on(ENTRIES):
            self._open(index, "'{}' belongs to a switch that begins outside of the region")
        elif name in KEYWORDS and plain_operator(name) not in self.operators:
            return index + 1
        elif name in self.numbers and self.sort_of(name) is None:
            pass
        elif plain_operator(name) in self.operators:
            self._open(index, "'{}' may be an operator of the program")
        elif self._is_ambiguous(name):
            self._open(index, "'{}' may be something else in C++ than in C")
        elif behind == "(" and self.sort_of(name) is None:
            self._call(index)
        elif name in ARITHMETIC | QUALIFIERS or OPENCL_NUMBERS.fullmatch(name):
            pass
        elif self.sort_of(name) is not None:
            self._variable(index)
        elif name in self.graph.program.shared:
            for function in self.graph.program.shared[name]:
                self.reach.visit(function, self._here(index, "names"))
        elif not self._is_constant(name):
            self._open(index, "'{}' is not known: it may call a function")
        return index + 1

    def _object(self, index: int) -> int | None:
        """Behind `kernel.handle`, if this is an object of the program's, and a number in it."""
        name, between, member = (self.text(i) for i in (index, index + 1, index + 2))
        if between not in (".", "->") or self.text(index - 1) in (".", "->", ":"):
            return None
        class_ = self.sort_of(CLASS_OF.format(name)) if self.sort_of(name) == OTHER else None
        if member == "get" and [self.text(index + 3), self.text(index + 4)] == ["(", ")"]:
            words = (class_ or "").removeprefix("std : : ").split(maxsplit=1)
            return index + 5 if between == "." and self.pointers.intersection(words[:1]) else None
        if self.text(index + 3) in ("(", "<", ":"):
            return None
        if name == "this":
            around = next((scope for scope in reversed(self.scopes) if CLASS in scope), {})
            return index + 3 if between == "->" and around.get(member) == NUMBER else None
        return index + 3 if member in self.classes.get(class_ or "", ()) else None

    def _is_ambiguous(self, name: str) -> bool:
        known_name = name in self.types or self.sort_of(name) is not None
        is_of_c = name in ARITHMETIC | QUALIFIERS or OPENCL_NUMBERS.fullmatch(name) is not None
        return name in self.ambiguous and not known_name and not is_of_c

    def _is_constant(self, name: str) -> bool:
        known_name = name in self.enumerators or name in known.OBJECTS or name in self.types
        spelled = _CONSTANT.fullmatch(name) is not None and name not in self.in_headers
        return known_name or spelled

    def _std(self, index: int) -> int:
        """`std::name`: a function over numbers, a known function, or a container."""
        name, behind = self.text(index + 3), self.text(index + 4)
        if name in _STREAMS and self.streams:
            return index + 4
        if name in self.leaving and behind == "(":
            self.leaves.add(name)
            return index + 4
        if behind == "(" and (name in _STD_FUNCTIONS or kind_of(name) is Kind.HARMLESS):
            if name not in known.CALLS:
                return index + 4
        type_ = self._standard(index + 3)
        if type_ is not None and type_.sort != OTHER:
            return type_.behind
        self._open(index + 3, "'std::{}' is not known: it may call a function")
        return index + 4

    def _variable(self, index: int) -> None:
        sort = self.sort_of(self.text(index))
        behind = self.text(index + 1)
        if sort == OTHER:
            self._open(index, "'{}' may be a class: what it calls is not seen", _CLASS_HELP)
        elif behind == "(":
            self._open(index, "what '{}' calls cannot be told")
        elif sort == OBJECT and is_on(OPERATORS):
            before = self.text(index - 1)
            plain = before in _BEFORE_OBJECT and behind in _AFTER_OBJECT | {":"}
            if not plain and behind not in (".", "["):
                self._open(index, "an operator on '{}' may be one of the program")

    # Calls

    def _function(self, index: int) -> int | None:
        """Behind the name of a function that is written in C++, which is read, too."""
        name, before = self.text(index), self.text(index - 1)
        scoped = before == ":" and self.text(index - 2) == ":"
        if self.unit is None or self.text(index + 1) != "(" or before in (".", "->") or scoped:
            return None
        if any(name in scope or CLASS in scope for scope in (*self.scopes[1:], self.pending)):
            return None  # a variable or a method may have this name
        found = functions_named(name, self.unit, self.graph.program.others)
        for function in found:
            self._look_into(function, index)
        return index + 1 if found else None

    def _look_into(self, function: CppFunction, index: int) -> None:
        unit, extent = function.unit, function.extent
        if (unit, extent.start) in self.read:
            return
        self.read.add((unit, extent.start))
        inner = _Reader(unit.plain, extent, self.graph, self.harmless)
        inner.who, inner.way = f"'{function.name}'", self._here(index)
        inner.reach, inner.read = self.reach, self.read
        inner.look_behind(unit)
        inner.leaving = inner.leaving if unit is self.unit else frozenset()
        inner.leaves = self.leaves
        inner._pass()

    def _here(self, index: int, does: str = "calls") -> Way:
        there = (f"{self.who} {does} '{self.text(index)}' here", self._span(index))
        return (*self.way, there)

    def _call(self, index: int) -> None:
        name, span = self.text(index), self._span(index)
        if not is_on(CALLS) or self._is_cast(name):
            return
        if name in self.graph.changed:
            self.reach.open(f"'{name}' {self.graph.changed[name]}", span, self.way)
        listed = self.graph.program.shared.get(name, ())
        for function in listed:
            self.reach.visit(function, self._here(index))
        if listed or name in self.harmless:
            return
        kind = self.graph.program.kind_of(name)
        if kind is Kind.UNKNOWN and name in self.own_names:
            message = f"'{name}' may be an object: what it calls is not seen"
            self.reach.open(message, span, self.way, _HELP)
        elif kind is Kind.UNKNOWN:
            help = f"give kfusion the C file that defines it, or add harmless({name})"
            self.reach.open(f"'{name}' is not defined in the files given", span, self.way, help)
        elif kind is Kind.OPENS:
            self.reach.open(f"'{name}' {known.why_opens(name)}", span, self.way)
        elif kind is Kind.SETTLES and name in self.leaving:
            self.leaves.add(name)
        elif kind is Kind.SETTLES:
            help = "call it outside of the region, or from a C file"
            self.reach.open(f"'{name}' leaves the region, or waits", span, self.way, help)
        notified = [known.NOTIFIES[name]] if name in known.NOTIFIES else []
        positions = (*known.CALLS.get(name, ()), *notified)
        arguments = self._arguments(index)
        for position in positions:
            if position < len(arguments):
                self._handed_on(name, arguments[position])

    def _is_cast(self, name: str) -> bool:
        is_number = name in ARITHMETIC or OPENCL_NUMBERS.fullmatch(name) is not None
        return is_number or self.types.get(name) == NUMBER

    def _handed_on(self, name: str, part: range) -> None:
        """A function that is called by a known one."""
        text = self.text(part[0]) if len(part) == 1 else ""
        if text in ("NULL", "nullptr", "0"):
            return
        listed = self.graph.program.shared.get(text, ())
        if not listed or name in known.NOTIFIES:
            message = f"'{name}' is given a function that is not looked at"
            self.reach.open(message, self._span(part[0]), self.way)
        for function in listed:
            there = (f"'{name}' calls '{text}' here", self._span(part[0]))
            self.reach.visit(function, (*self.way, there))

    def _arguments(self, index: int) -> list[range]:
        end = matching(self.tokens, index + 1)
        parts = between_commas(self.tokens, index + 1, end) if end is not None else []
        return [part for part in parts if len(part)]

    # Tokens

    def _span(self, index: int) -> Span:
        token: Token = self.tokens[index]
        return Span(self.source, token.start, token.end)

    def _open(self, index: int, message: str, help: str = _HELP) -> None:
        if is_on(NAMES):
            text = message.format(self.text(index).split("\n")[0])
            self.reach.open(text, self._span(index), self.way, help)
