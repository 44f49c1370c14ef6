"""A parsed file: the original text, its tokens after preprocessing, and pycparser's tree.

The text that pycparser sees has one token per line, after one line of type names, so
that a node's line number names its token, and through it a place in the original.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import field, replace
from functools import cached_property

from pycparser import c_ast

from kfusion.parse.annotations import Annotations, is_annotation
from kfusion.parse.compiler import STDIN, Preprocessor, is_c
from kfusion.parse.ends import Ends
from kfusion.parse.macros import MacroTable
from kfusion.parse.preprocess import Preprocessed, PToken
from kfusion.parse.statements import Statement, Statements, brackets
from kfusion.parse.syntax import FIRST_LINE, is_name, located, parsed, place_of, syntax_error
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, error
from kfusion.source.lexer import between_commas, closing_round
from kfusion.source.text import SourceFile, Span

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while _Bool _Complex _Noreturn _Static_assert".split()
)
UNREAD = "__kfusion_unread__"  # the function that a body seems to call which cannot be read
CONDITION = "__kfusion_condition__"  # what `a ?: b` leaves out
# Most nodes have none below them, and looking for it takes long.
_LEAVES = frozenset((c_ast.ID, c_ast.Constant, c_ast.IdentifierType))

Nodes = defaultdict[type[c_ast.Node], list[c_ast.Node]]


@dataclass(frozen=True)
class Note:
    """Something taken out of the text because pycparser does not know it."""

    index: int  # the token that followed it
    text: str
    start: int  # offset in the main file, -1 if it is not written there
    end: int


@dataclass(frozen=True, eq=False)
class Function:
    """A function definition and where it stands."""

    unit: Unit
    node: c_ast.FuncDef
    name: str
    body: Statement
    first: int  # the token that the definition starts with

    @cached_property
    def nodes(self) -> Nodes:
        """All nodes of the body by their types, in the order of the text."""
        return by_type(self.node.body)

    @property
    def listed(self) -> list[c_ast.Node]:
        """What stands in the brackets behind its name, `void` and `...` as well."""
        arguments = self.node.decl.type.args
        return arguments.params if arguments is not None else []

    @cached_property
    def parameters(self) -> list[c_ast.Decl]:
        """Those that have names; arrays are pointers."""
        old = {d.name: d for d in self.node.param_decls or []}
        listed = (old.get(getattr(p, "name", None), p) for p in self.listed)
        return [_as_pointer(p) for p in listed if isinstance(p, c_ast.Decl) and p.name]

    @cached_property
    def variables(self) -> dict[str, c_ast.Decl]:
        """Parameters and variables: they hide what the file has of their names."""
        found = {p.name: p for p in self.parameters}
        for node in self.nodes[c_ast.Decl]:
            if node.name and not declares_function(node):
                found[node.name] = node
        return found

    @property
    def result_type(self) -> c_ast.Node:
        return self.node.decl.type.type

    @property
    def is_static(self) -> bool:
        return "static" in self.node.decl.storage


@dataclass(eq=False)
class Unit:
    source: SourceFile
    annotations: Annotations
    tokens: list[PToken]
    notes: list[Note]
    macros: MacroTable
    how: Preprocessor  # it was read with
    ast: c_ast.FileAST
    opaque_types: frozenset[str] = frozenset()
    unread: frozenset[int] = frozenset()  # where the bodies begin that pycparser cannot read
    before: Unit | None = None  # of the user's text, where kfusion reads another one
    # Programs that were compared with it: why there is no text of both, or an empty string.
    apart: dict[Unit, str] = field(default_factory=dict)
    _functions: dict[str, Function] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Unit({self.source.name!r})"

    def index(self, node: c_ast.Node) -> int:
        """The token at which pycparser places the node."""
        return int(node.coord.line) - FIRST_LINE

    def start(self, node: c_ast.Node) -> int:
        """The offset of the node's token in the main file; -1 if it is from elsewhere."""
        if node.coord is None:
            return -1
        token = self.tokens[self.index(node)]
        if token.file != STDIN:
            return -1
        return token.macro[0] if token.macro else token.start

    def name_index(self, declaration: c_ast.Node) -> int:
        """The token of the name that a declaration declares."""
        node = declaration
        while not isinstance(node, c_ast.TypeDecl):
            if not hasattr(node, "type"):
                return self.index(declaration)  # of a structure alone
            node = node.type
        return self.index(node)

    @cached_property
    def _closing(self) -> dict[int, int]:
        return brackets(self.tokens)

    @cached_property
    def _opening(self) -> dict[int, int]:
        return {closing: opening for opening, closing in self._closing.items()}

    def match(self, opening: int) -> int:
        """The bracket that closes another one, behind the name of a function, say."""
        if opening not in self._closing:
            text = "a function's name in brackets is not supported"
            place = place_of(self.source, self.tokens, opening)
            raise error("KF118", text, place, help="leave out the brackets")
        return self._closing[opening]

    @cached_property
    def ends(self) -> Ends:
        return Ends(self.tokens, self._closing, self.index)

    def ranges_in(self, opening: int) -> list[tuple[int, int]]:
        """First and last token of what stands between the commas in a bracket."""
        parts = between_commas(self.tokens, opening, self.match(opening))
        return [(part.start, part.stop - 1) for part in parts]

    def span(self, first: int, last: int) -> Span:
        """The original text of the tokens first..last (macro invocations as a whole)."""
        start, end = self.range(first, last)
        return Span(self.source, start, end)

    def range(self, first: int, last: int) -> tuple[int, int]:
        a, b = self.tokens[first], self.tokens[last]
        if a.macro is not None and a.macro == b.macro:
            tokens = self.tokens[first : last + 1]
            # All of them in one argument of an inner call: that argument's own text.
            if all(t.start >= 0 and t.inner == a.inner for t in tokens):
                return min(t.start for t in tokens), max(t.end for t in tokens)
            places = [token.place for token in tokens]
            found = [place for place in places if place is not None]
            if len(found) < len(places):
                return a.macro
            return min(start for start, _ in found), max(end for _, end in found)
        start = a.macro[0] if a.macro else a.start
        end = b.macro[1] if b.macro else b.end
        return start, end

    def node_span(self, node: c_ast.Node) -> Span:
        """The token that a node is placed at, for messages."""
        index = self.index(node)
        token = self.tokens[index]
        if token.file != STDIN:
            return Span(self.source, *(token.macro or (0, 0)))  # the #include
        return self.span(index, index)

    def in_main_file(self, node: c_ast.Node) -> bool:
        return self.tokens[self.index(node)].file == STDIN

    def notes_between(self, first: int, last: int) -> list[Note]:
        """What was taken out in front of the tokens first..last."""
        start = bisect_left(self.notes, first, key=lambda note: note.index)
        end = bisect_right(self.notes, last, key=lambda note: note.index)
        return self.notes[start:end]

    def is_kernel(self, function: Function) -> bool:
        notes = self.notes_between(function.first, self.index(function.node.decl))
        return any(note.text == "kernel" for note in notes)

    @cached_property
    def nodes(self) -> Nodes:
        """All nodes of the tree by their types, in the order of the text."""
        return by_type(self.ast)

    @cached_property
    def variables(self) -> dict[str, c_ast.Decl]:
        """Variables outside of functions; of several declarations the one that defines."""
        found: dict[str, c_ast.Decl] = {}
        for node in self.ast.ext:
            if isinstance(node, c_ast.Decl) and node.name and not declares_function(node):
                first = found.get(node.name)
                if first is None or "extern" in first.storage or node.init is not None:
                    found[node.name] = node
        return found

    def has_variable(self, name: str, function: Function | None) -> bool:
        """Does the name mean a variable, in a function or outside?"""
        return (function is not None and name in function.variables) or name in self.variables

    def enclosing(self, node: c_ast.Node) -> Function | None:
        """The function that a statement stands in."""
        index = self.index(node)
        inside = (f for f in self.functions.values() if f.body.first <= index <= f.body.last)
        return next(inside, None)

    @cached_property
    def functions(self) -> dict[str, Function]:
        """All functions that are defined, those of headers included; the last of each name."""
        return {name: listed[-1] for name, listed in self.definitions.items()}

    @cached_property
    def definitions(self) -> dict[str, list[Function]]:
        """All definitions by their names: OpenCL C has functions that are overloaded."""
        result: dict[str, list[Function]] = {}
        statements = Statements(self.tokens, self._closing)
        for node in self.ast.ext:
            if isinstance(node, c_ast.FuncDef):
                opening = self.index(node.body)
                if opening in self.unread:
                    body = Statement("compound", opening, self.match(opening))
                else:
                    body = statements.at(opening)
                first = self.declaration_start(self.index(node))
                function = Function(self, node, node.decl.name, body, first)
                result.setdefault(function.name, []).append(function)
        return result

    def declaration_end(self, index: int) -> int:
        """The semicolon behind the declaration; the last token, if there is none."""
        while index < len(self.tokens) and self.tokens[index].text != ";":
            index = self._closing.get(index, index) + 1
        return min(index, len(self.tokens) - 1)

    def declaration_start(self, index: int) -> int:
        """The first token of the declaration that has the token in it."""
        while index > 0 and not self.tokens[index - 1].text.startswith(("#", ";", "{")):
            if self.tokens[index - 1].text == "}":
                if self.tokens[index].text != ",":
                    break
                index = self._opening[index - 1]  # the values of the name before
            else:
                index -= 1
        return index


def declares_function(node: c_ast.Decl) -> bool:
    return isinstance(node.type, c_ast.FuncDecl)


def called_name(call: c_ast.FuncCall) -> str:
    """Nothing, if what is called is no name."""
    return str(call.name.name) if isinstance(call.name, c_ast.ID) else ""


def is_step(node: c_ast.Node) -> bool:
    """`i++`, `--i`"""
    return isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")


def arguments_of(call: c_ast.FuncCall) -> list[c_ast.Node]:
    return call.args.exprs if call.args is not None else []


def argument_of(call: c_ast.FuncCall, position: int) -> c_ast.Node | None:
    given = arguments_of(call)
    return given[position] if position < len(given) else None


def _as_pointer(parameter: c_ast.Decl) -> c_ast.Decl:
    """`int v[4]` as a parameter is `int *v`."""
    array = parameter.type
    if not isinstance(array, c_ast.ArrayDecl):
        return parameter
    found = copy(parameter)
    found.type = c_ast.PtrDecl(array.dim_quals or [], array.type, array.coord)
    return found


def by_type(node: c_ast.Node) -> Nodes:
    result: Nodes = defaultdict(list)
    for each in descendants(node):
        result[type(each)].append(each)
    return result


def descendants(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if type(node) not in _LEAVES:
            waiting += [*node][::-1]


def parse_unit(
    source: SourceFile,
    annotations: Annotations,
    tokens: list[PToken],
    notes: list[Note],
    done: Preprocessed,
    typedefs: str,
    guess_types: TypeGuess,
    *,
    opaque: Sequence[str] = (),
    cpp_possible: bool = False,
    plain: Callable[[str], str] = str,
) -> Unit:
    """Parse clean tokens. `guess_types` says which unknown names may be taken as types.

    A function's body that pycparser cannot read (GNU C) becomes a call of a function that is not
    known, with the addresses of all that the body names. `opaque` are names of which it is known
    that they are types, and no more; `plain` says how pycparser knows a token.
    """
    told = {(d.span.file, d.span.start) for d in annotations.overlooked if d.span}
    unseen = [
        each
        for each in _unseen_regions(source, tokens)
        if each.span and (each.span.file, each.span.start) not in told
    ]
    annotations = replace(annotations, overlooked=(*annotations.overlooked, *unseen))
    opaque = list(opaque)
    unread: dict[int, int] = {}
    while True:
        prelude = (typedefs + "".join(f"typedef int {name};" for name in opaque)).replace("\n", " ")
        lines = [prelude, *(plain(t.text) for t in tokens)]
        for opening, end in unread.items():
            known = _declared_types(tokens, outside=True) | set(opaque) | _KEYWORDS
            inside = {t.text for t in tokens[opening + 1 : end] if is_name(t.text)} - known
            used = ", ".join(f"&{name}" for name in sorted(inside))
            lines[opening + 2 : end + 1] = [f"{UNREAD}({used});", *[""] * (end - opening - 2)]
        result = parsed(lines)
        if isinstance(result, c_ast.FileAST):
            break
        result = located(lines, result)
        names = _unknown_types(tokens, result.at, guess_types, opaque)
        body = _body_around(tokens, result.at) if cpp_possible and not names else None
        if (
            body is not None
            and body[0] not in unread
            and tokens[body[0]].start >= 0
            and (unread or is_c([_for_compiler(t) for t in tokens], done.how))  # no mistake
        ):
            unread[body[0]] = body[1]
            unknown = syntax_error(source, annotations, tokens, result, False, done.stubs)
            annotations = _refused_within(annotations, tokens, body, unknown.diagnostics[0])
        elif not names:
            raise syntax_error(source, annotations, tokens, result, cpp_possible, done.stubs)
        opaque += names
    for node in descendants(result):
        if isinstance(node, c_ast.TernaryOp) and getattr(node.iftrue, "name", "") == CONDITION:
            node.iftrue = node.cond
    types, bodies = frozenset(opaque), frozenset(unread)
    return Unit(source, annotations, tokens, notes, done.macros, done.how, result, types, bodies)


def end_of_word(tokens: Sequence[PToken], index: int) -> int:
    """The last token of `word(...)`, of which the brackets may be missing or open."""
    return closing_round(tokens, index + 1) or index


def _for_compiler(token: PToken) -> str:
    """What stands for text that was taken out, as something that a C compiler accepts."""
    return {"__asm__": "kfusion_asm", "__typeof__": "int"}.get(token.text, token.text)


def _body_around(tokens: list[PToken], at: int) -> tuple[int, int] | None:
    """The brackets of the function's body that a token stands in."""
    around = [pair for pair in brackets(tokens).items() if pair[0] < at <= pair[1]]
    if not around:
        return None
    outermost = opening, _ = min(around)
    is_body = tokens[opening].text == "{" and tokens[opening - 1].text == ")"
    return outermost if is_body else None


def _refused_within(
    annotations: Annotations, tokens: list[PToken], body: tuple[int, int], why: Diagnostic
) -> Annotations:
    first, last = tokens[body[0]].start, tokens[body[1]].end
    regions = [
        replace(region, refused=why)
        if region.refused is None and first < region.block.start < last
        else region
        for region in annotations.regions
    ]
    return replace(annotations, regions=tuple(regions))


def _unseen_regions(source: SourceFile, tokens: list[PToken]) -> Iterator[Diagnostic]:
    """Annotations of the file itself are blanked: what is left came from a header or a macro."""
    for index, token in enumerate(tokens):
        if token.text.startswith("#pragma") and is_annotation(token.text):
            help = "write it in the file itself"
            if "sync" in token.text:
                help = "write it in the C file, before the function's definition"
            text = f"'{token.text}' has no effect in a header or macro"
            unseen = error("KF112", text, place_of(source, tokens, index), help=help)
            if re.match(r"#\s*pragma\s+kfuse\b", token.text) is None:
                raise unseen  # without it something could be fused
            yield unseen.diagnostics[0].as_warning()


@dataclass(frozen=True)
class TypeGuess:
    """Names that stand where only a type can: accepted if they match one of the patterns."""

    pattern: str  # a regular expression for the whole name; "" accepts nothing

    def accepts(self, name: str) -> bool:
        return bool(self.pattern) and re.fullmatch(self.pattern, name) is not None


def _unknown_types(tokens: list[PToken], at: int, guess: TypeGuess, opaque: list[str]) -> list[str]:
    """Names that stand where only a type can, and that nothing declares."""
    if not guess.pattern:
        return []
    known = _declared_types(tokens) | set(opaque) | _KEYWORDS
    found: list[str] = []
    for index in range(len(tokens) - 2):
        name = tokens[index].text
        if name in known or name in found or not is_name(name) or not guess.accepts(name):
            continue
        before = tokens[index - 1].text if index else ";"
        after, then = tokens[index + 1].text, tokens[index + 2].text
        declares = is_name(after) and after not in _KEYWORDS - {"const", "volatile", "restrict"}
        starts = before in (";", "{", "}", "const", "static", "extern")
        points = after == "*" and (
            (starts and (is_name(then) or then == "*")) or (before == "(" and then in (")", "*"))
        )
        if declares or points:
            found.append(name)
    if found:
        return found
    near = [tokens[index].text for index in (at - 1, at) if index >= 0]
    if at > 2 and (tokens[at - 3].text, tokens[at - 1].text) == ("(", ")"):  # a cast
        near.append(tokens[at - 2].text)
    return [n for n in near if is_name(n) and n not in known and guess.accepts(n)][:1]


def _declared_types(tokens: list[PToken], *, outside: bool = False) -> set[str]:
    """Names that typedefs of these tokens declare; `outside`: of functions."""
    names: set[str] = set()
    around = 0
    for index, token in enumerate(tokens):
        around += (token.text == "{") - (token.text == "}")
        if token.text != "typedef" or (outside and around):
            continue
        depth, last = 0, ""
        for inner in tokens[index + 1 :]:
            if inner.text == "{":
                depth += 1
            elif inner.text == "}":
                depth -= 1
            elif inner.text == ";" and depth == 0:
                break
            elif depth == 0 and is_name(inner.text) and (not last or last[-1] != "("):
                last = inner.text
        names.add(last)
    return names


def refuse_redefinition(unit: Unit, names: Collection[str]) -> None:
    def place(node: c_ast.FuncDef) -> Span:
        return place_of(unit.source, unit.tokens, unit.index(node.decl))

    seen: dict[str, c_ast.FuncDef] = {}
    for node in unit.ast.ext:
        if isinstance(node, c_ast.FuncDef) and node.decl.name in names:
            first = seen.setdefault(node.decl.name, node)
            if first is not node:
                raise error(
                    "KF128",
                    f"'{node.decl.name}' is defined twice",
                    place(node),
                    related=(("the first definition", place(first)),),
                )
