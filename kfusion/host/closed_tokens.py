"""Is a region of a C++ file closed? Decided by its tokens: C++ is not parsed.

Tokens show neither conversions nor destructors nor overloaded operators. So every name in
the region has to be explained: it is a variable of a type of C, or a container of the
standard library over such types, a member of one, a constant, or a function of the given
C files, of OpenCL, or of the known ones. A name that is not explained opens the region.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from kfusion.host import known
from kfusion.host.callgraph import CallGraph, call_graph
from kfusion.host.closed import Closedness, Reach
from kfusion.host.closed_classes import number_members
from kfusion.host.closed_headers import (
    ambiguous,
    can_leave_by,
    is_plain_output,
    operators_of,
    plain_operator,
)
from kfusion.host.closed_macros import expanded
from kfusion.host.closed_types import NUMBER, OBJECT, OTHER, enumerators_of, fields_of, types_of
from kfusion.host.known import Kind, kind_of
from kfusion.host.program import HostProgram
from kfusion.parse.compiler import STDIN
from kfusion.parse.cpp import CppUnit
from kfusion.parse.macros import Macro
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import CLOSING, OPENING, Token, between_commas, matching, tokenize
from kfusion.source.lexer import Kind as TokenKind
from kfusion.source.protections import is_on, protection
from kfusion.source.text import SourceFile, Span

NAMES = protection("closed-cpp-names", "a name in a C++ region is not explained")
OPERATORS = protection("closed-cpp-operators", "an operator on objects may be the program's own")
CALLS = protection("closed-cpp-calls", "a C++ region calls what is not looked at")
HEADERS = protection("closed-cpp-headers", "headers give names of a C++ region another meaning")
ENTRIES = protection("closed-cpp-entries", "a C++ region is entered past its beginning")

_HELP = (
    "a region of C++ may call OpenCL's C functions, and functions of C files that are given: put "
    "what else it calls into such a file, or in front of the region, or behind it"
)
_MACRO_HELP = (
    "a macro in a region of C++ is looked into if it is defined once, in front of the region, and "
    "pastes nothing with ##: else write out what it stands for"
)
_CLASS_HELP = (
    "copy what the region needs of it into variables in front of the region, "
    "`cl_kernel kernel = object.kernel;`, and use these"
)
_CLASS = "class"  # in a scope: what is around it cannot be trusted
_CLASS_OF = "class {}"  # in a scope: how the type of a variable is written
_ARITHMETIC = frozenset(
    "void bool char short int long signed unsigned float double size_t ptrdiff_t ssize_t "
    "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t intptr_t uintptr_t "
    "wchar_t char8_t char16_t char32_t".split()
)
_QUALIFIERS = frozenset(
    "const volatile static extern register constexpr inline struct enum thread_local".split()
)
_OPENCL_NUMBERS = re.compile(
    r"cl_(?:char|uchar|short|ushort|int|uint|long|ulong|half|float|double|bool|bitfield|mem|event"
    r"|kernel|program|context|command_queue|device_id|platform_id|sampler|(?:\w+_)?(?:flags|info"
    r"|status|type|properties|order|mode))"
)
_CONTAINERS = frozenset("vector array string pair complex valarray initializer_list".split())
_STD_FUNCTIONS = frozenset(
    "min max abs swap fill fill_n copy copy_n iota accumulate move to_string exception bad_alloc "
    "runtime_error logic_error invalid_argument domain_error length_error out_of_range "
    "range_error overflow_error underflow_error".split()
)
_LEAVING = ("exit", "_Exit", "quick_exit")
_STREAMS = frozenset("cout cerr clog endl flush hex dec".split())
_MEMBERS = frozenset(
    "size data begin end cbegin cend empty resize reserve clear push_back pop_back assign at "
    "front back fill insert erase c_str length substr append find first second real imag".split()
)
_CONSTANT = re.compile(r"CL_[A-Z0-9_]+|EXIT_(?:SUCCESS|FAILURE)|[A-Z]+_(?:MIN|MAX)|SEEK_\w+|M_\w+")
_KEYWORDS = frozenset(
    "if else for while do switch case default break continue return sizeof alignof goto true "
    "false nullptr static_cast reinterpret_cast const_cast nullptr_t and or not throw".split()
)
_USER_LITERAL = re.compile(r".*_[A-Za-z]\w*$")
_STARTS = frozenset("; { } ( , :".split())
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


@dataclass(frozen=True)
class _Declared:
    """A type as it is written, and the token behind it."""

    sort: str
    behind: int


class _Reader:
    """One pass over a file, up to the region's end: declarations, then the region's names."""

    def __init__(
        self, source: SourceFile, block: Span, graph: CallGraph, harmless: frozenset[str]
    ) -> None:
        self.source, self.block, self.graph, self.harmless = source, block, graph, harmless
        self.tokens = tokenize(source.text)
        self.reach = Reach(graph, harmless)
        self.scopes: list[dict[str, str]] = [{}]
        self.pending: dict[str, str] = {}  # declared in brackets: for the block behind them
        self.depth = 0  # of round brackets
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
        self.classes: dict[str, frozenset[str]] = {}  # their members that hold numbers
        self.leaves: set[str] = set()
        self.leaving = frozenset[str]()  # functions that may stand in there
        self.streams = False  # may the region write to std::cerr?
        self.macros = {match.group(1) for match in found if match is not None}

    def look_behind(self, unit: CppUnit) -> None:
        """At the headers that the file includes."""
        if is_on(HEADERS):
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
        index = 0
        while index < len(self.tokens) and self.tokens[index].start < self.block.end:
            index = self._step(index)
        self.reach.run()
        self.reach.signal_handlers()
        self.reach.check_macros(settled)
        return replace(self.reach.result(), leaves=frozenset(self.leaves))

    # The pass

    def _step(self, index: int) -> int:
        """Look at a token; the one to look at next."""
        token = self.tokens[index]
        inside = self.block.start <= token.start
        if inside and token.text in self.macros - self.numbers:
            self._open(index, "'{}' is a macro", _MACRO_HELP)
            return index + 1
        declared = self._declaration(index)
        if declared is not None:
            if inside and declared.sort == OTHER and is_on(NAMES):
                last = self.tokens[declared.behind - 2]
                span = Span(self.source, token.start, last.end)
                message = f"'{span.text}' may be a class: what it calls is not seen"
                self.reach.open(message, span, ())
            return declared.behind
        if token.text in ("(", ")"):
            self.depth += 1 if token.text == "(" else -1
        elif token.text == "auto":
            self._note_parts(index + 1)
        elif token.text == "{":
            scope = dict(self.pending) if self.depth == 0 else {}
            self.scopes.append({**scope, **self._hidden(index)})
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
            return self._object(index) or self._name(index)
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
        elif token.text == ":" and ":" not in (before, self._text(index + 1)):
            self._label(index)
        return index + 1

    def _label(self, index: int) -> None:
        """`name:`, which something outside may jump to."""
        name, start = self.tokens[index - 1], self.tokens[index - 2].text
        if name.kind is TokenKind.NAME and start in (";", "{", "}") and name.text != "default":
            if is_on(ENTRIES):
                self._open(index - 1, "'{}' is a label: it may be reached from outside")

    def _hidden(self, index: int) -> dict[str, str]:
        """Members of a class hide the variables of the file: those that are numbers, and a mark."""
        first = index
        while first > 0 and self.tokens[first - 1].text not in (";", "{", "}"):
            first -= 1
        texts = [token.text for token in self.tokens[first:index]]
        if "(" in texts:  # `A::f(...) {`
            opening = texts.index("(")
            if opening < 3 or texts[opening - 3 : opening - 1] != [":", ":"]:
                return {}
            return self._members_of(texts[opening - 4] if opening > 3 else "")
        for at, text in enumerate(texts[:-1]):
            if text in ("class", "struct", "union"):
                return self._members_of(texts[at + 1])
        return {_CLASS: OTHER} if texts[-1:] in (["class"], ["struct"], ["union"]) else {}

    def _members_of(self, name: str) -> dict[str, str]:
        return {_CLASS: OTHER, **dict.fromkeys(self.classes.get(name, ()), NUMBER)}

    def _follows_switch(self, index: int) -> bool:
        """Is this brace that of `switch (...) {`?"""
        depth = 0
        for position in range(index - 1, -1, -1):
            text = self.tokens[position].text
            depth += (text == ")") - (text == "(")
            if depth == 0:
                return text == "(" and self._text(position - 1) == "switch"
        return False

    # Declarations

    def _declaration(self, index: int) -> _Declared | None:
        """A declaration that begins here; its names are noted, what follows is still read."""
        before = self._text(index - 1)
        if (
            before not in _STARTS
            and index > 0
            and self.tokens[index - 1].kind is not (TokenKind.DIRECTIVE)
        ):
            return None
        type_ = self._type(index)
        if type_ is None:
            return None
        sort, name = self._pointed(type_)
        if not self._is_declarator(name):
            return None
        written = [token.text for token in self.tokens[index : type_.behind]]
        class_ = " ".join(word for word in written if word not in _QUALIFIERS)
        self._note(self.tokens[name].text, sort, class_)
        if self.depth == 0:
            for other in self._further(name):
                further = type_.sort if type_.sort == OTHER else sort
                self._note(self.tokens[other].text, further, class_)
        return _Declared(type_.sort, name + 1)

    def _note_parts(self, index: int) -> None:
        """The names of `auto &[one, other] = pair;`."""
        while self._text(index) in ("&", "&&"):
            index += 1
        end = matching(self.tokens, index) if self._text(index) == "[" else None
        for token in self.tokens[index:end] if end is not None else ():
            self._note(token.text, OTHER)

    def _note(self, name: str, sort: str, class_: str = "") -> None:
        scope = self.pending if self.depth > 0 else self.scopes[-1]
        scope.update({name: sort, _CLASS_OF.format(name): class_})

    def _pointed(self, type_: _Declared) -> tuple[str, int]:
        """What a declarator's stars make of a type, and its name."""
        sort, index = type_.sort, type_.behind
        while self._text(index) in ("*", "&", "&&", "const"):
            if self._text(index) == "*" and sort == OBJECT:
                sort = NUMBER
            index += 1
        return sort, index

    def _is_declarator(self, index: int) -> bool:
        if index >= len(self.tokens) or self.tokens[index].kind is not TokenKind.NAME:
            return False
        if self.tokens[index].text in _KEYWORDS | {"operator"}:
            return False
        return self._text(index + 1) in (";", "=", ",", ")", "[", "{", "(", ":")

    def _further(self, index: int) -> Iterator[int]:
        """The other names of `float a = 1, *b, c[2];`."""
        depth = 0
        for position in range(index + 1, len(self.tokens)):
            text = self.tokens[position].text
            depth += (text in OPENING) - (text in CLOSING)
            if depth < 0 or (depth == 0 and text == ";") or text == "{":
                return
            if depth == 0 and text == ",":
                name = position + 1
                while self._text(name) in ("*", "&", "const"):
                    name += 1
                if self._is_declarator(name):
                    yield name

    def _type(self, index: int) -> _Declared | None:
        """A type that is written here."""
        sort = ""
        while self._text(index) in _QUALIFIERS:
            index += 1
        while self._text(index) in _ARITHMETIC | {"const"}:
            sort, index = NUMBER, index + 1
        if sort:
            return _Declared(sort, index)
        if index >= len(self.tokens) or self.tokens[index].kind is not TokenKind.NAME:
            return None
        name = self._text(index)
        if name in _KEYWORDS or self._sort_of(name) is not None:
            return None
        if name == "std" and self._text(index + 1) == ":" and self._text(index + 2) == ":":
            return self._standard(index + 3)
        if _OPENCL_NUMBERS.fullmatch(name):
            return _Declared(NUMBER, index + 1)
        if name in self.types and self._text(index + 1) not in (":", "<"):
            return _Declared(self.types[name], index + 1)
        return self._unknown_type(index)

    def _standard(self, index: int) -> _Declared | None:
        name = self._text(index)
        if name in _ARITHMETIC:
            return _Declared(NUMBER, index + 1)
        if name == "string":
            return _Declared(OBJECT, index + 1)
        if name in _CONTAINERS and self._text(index + 1) == "<":
            inner = self._type(index + 2)
            while inner is not None:
                sort, behind = self._pointed(inner)
                if sort != NUMBER:  # an element could have operators of the program's own
                    break
                if self._text(behind) == ">":
                    return _Declared(OBJECT, behind + 1)
                if self._text(behind) != "," or name not in ("array", "pair"):
                    break
                is_size = name == "array" and self._text(behind + 2) == ">"
                if is_size:
                    return _Declared(OBJECT, behind + 3)
                inner = self._type(behind + 1)
        return self._unknown_type(index)

    def _unknown_type(self, index: int) -> _Declared | None:
        """`A::B<C> name`: the type of a declaration, of which nothing is known."""
        while index + 1 < len(self.tokens) and self.tokens[index].kind is TokenKind.NAME:
            index += 1
            if self._text(index) == "<":
                depth = 0
                while index < len(self.tokens) and self._text(index) not in (";", "{", ")"):
                    text = self._text(index)
                    depth += text.count("<") - text.count(">") * (text != "->")
                    index += 1
                    if depth <= 0:
                        break
            if self._text(index) == ":" and self._text(index + 1) == ":":
                index += 2
                continue
            break
        return _Declared(OTHER, index)

    # Names in the region

    def _name(self, index: int) -> int:
        name, before, behind = (self._text(i) for i in (index, index - 1, index + 1))
        if before in (".", "->"):
            if name not in _MEMBERS and (name not in self.fields or behind == "("):
                self._open(index, "'{}' is not a known member")
        elif name == "std" and behind == ":":
            return self._std(index)
        elif name in ("case", "default") and not any(self.switches) and is_on(ENTRIES):
            self._open(index, "'{}' belongs to a switch that begins outside of the region")
        elif name in _KEYWORDS and plain_operator(name) not in self.operators:
            return index + 2 if name == "goto" else index + 1
        elif name in self.numbers and self._sort_of(name) is None:
            pass
        elif plain_operator(name) in self.operators:
            self._open(index, "'{}' may be an operator of the program")
        elif self._is_ambiguous(name):
            self._open(index, "'{}' may be something else in C++ than in C")
        elif behind == "(" and self._sort_of(name) is None:
            self._call(index)
        elif name in _ARITHMETIC | _QUALIFIERS or _OPENCL_NUMBERS.fullmatch(name):
            pass
        elif self._sort_of(name) is not None:
            self._variable(index)
        elif name in self.graph.program.shared:
            for function in self.graph.program.shared[name]:
                self.reach.visit(
                    function, ((f"the region names '{name}' here", self._span(index)),)
                )
        elif not self._is_constant(name):
            self._open(index, "'{}' is not known: it may call a function")
        return index + 1

    def _object(self, index: int) -> int | None:
        """Behind `kernel.handle`, if this is an object of the program's, and a number in it."""
        name, between, member = (self._text(i) for i in (index, index + 1, index + 2))
        if between not in (".", "->") or self._text(index - 1) in (".", "->", ":"):
            return None
        if self._text(index + 3) in ("(", "<", ":"):
            return None
        if name == "this":
            around = next((scope for scope in reversed(self.scopes) if _CLASS in scope), {})
            return index + 3 if between == "->" and around.get(member) == NUMBER else None
        class_ = self._sort_of(_CLASS_OF.format(name)) if self._sort_of(name) == OTHER else None
        return index + 3 if member in self.classes.get(class_ or "", ()) else None

    def _is_ambiguous(self, name: str) -> bool:
        known_name = name in self.types or self._sort_of(name) is not None
        return name in self.ambiguous and not known_name

    def _is_constant(self, name: str) -> bool:
        known_name = name in self.enumerators or name in known.OBJECTS or name in self.types
        spelled = _CONSTANT.fullmatch(name) is not None and name not in self.in_headers
        return known_name or spelled

    def _std(self, index: int) -> int:
        """`std::name`: a function over numbers, a known function, or a container."""
        name, behind = self._text(index + 3), self._text(index + 4)
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
        sort = self._sort_of(self._text(index))
        behind = self._text(index + 1)
        if sort == OTHER:
            self._open(index, "'{}' may be a class: what it calls is not seen", _CLASS_HELP)
        elif behind == "(":
            self._open(index, "what '{}' calls cannot be told")
        elif sort == OBJECT and is_on(OPERATORS):
            before = self._text(index - 1)
            plain = before in _BEFORE_OBJECT and behind in _AFTER_OBJECT | {":"}
            if not plain and behind not in (".", "["):
                self._open(index, "an operator on '{}' may be one of the program")

    def _sort_of(self, name: str) -> str | None:
        if name in self.pending:
            return self.pending[name]
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
            if _CLASS in scope:
                return None
        return None

    # Calls

    def _call(self, index: int) -> None:
        name, span = self._text(index), self._span(index)
        if not is_on(CALLS) or self._is_cast(name):
            return
        if name in self.graph.changed:
            self.reach.open(f"'{name}' {self.graph.changed[name]}", span, ())
        listed = self.graph.program.shared.get(name, ())
        for function in listed:
            self.reach.visit(function, ((f"the region calls '{name}' here", span),))
        if listed or name in self.harmless:
            return
        kind = self.graph.program.kind_of(name)
        if kind is Kind.UNKNOWN:
            help = f"give kfusion the C file that defines it, or add harmless({name})"
            self.reach.open(f"'{name}' is not defined in the files given", span, (), help)
        elif kind is Kind.OPENS:
            self.reach.open(f"'{name}' {known.why_opens(name)}", span, ())
        elif kind is Kind.SETTLES and name in self.leaving:
            self.leaves.add(name)
        elif kind is Kind.SETTLES:
            help = "call it outside of the region, or from a C file"
            self.reach.open(f"'{name}' leaves the region, or waits", span, (), help)
        notified = [known.NOTIFIES[name]] if name in known.NOTIFIES else []
        positions = (*known.CALLS.get(name, ()), *notified)
        arguments = self._arguments(index)
        for position in positions:
            if position < len(arguments):
                self._handed_on(name, arguments[position])

    def _is_cast(self, name: str) -> bool:
        is_number = name in _ARITHMETIC or _OPENCL_NUMBERS.fullmatch(name) is not None
        return is_number or self.types.get(name) == NUMBER

    def _handed_on(self, name: str, part: range) -> None:
        """A function that is called by a known one."""
        text = self._text(part[0]) if len(part) == 1 else ""
        if text in ("NULL", "nullptr", "0"):
            return
        listed = self.graph.program.shared.get(text, ())
        if not listed or name in known.NOTIFIES:
            message = f"'{name}' is given a function that is not looked at"
            self.reach.open(message, self._span(part[0]), ())
        for function in listed:
            way = ((f"'{name}' calls '{text}' here", self._span(part[0])),)
            self.reach.visit(function, way)

    def _arguments(self, index: int) -> list[range]:
        end = matching(self.tokens, index + 1)
        parts = between_commas(self.tokens, index + 1, end) if end is not None else []
        return [part for part in parts if len(part)]

    # Tokens

    def _text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def _span(self, index: int) -> Span:
        token: Token = self.tokens[index]
        return Span(self.source, token.start, token.end)

    def _open(self, index: int, message: str, help: str = _HELP) -> None:
        if is_on(NAMES):
            text = message.format(self._text(index).split("\n")[0])
            self.reach.open(text, self._span(index), (), help)
