"""Variables that `out` and `temp` name, and that can be read when the region ends.

Which object a name stands for in the end nobody need prove: the run time looks. The region's line
hands it the variables, `KFUSION_REGION_OUT(sum, c, d.device)`, and a store is left out only if what
they hold allows it. That needs variables of type cl_mem, structures with members of that type and
no pointers to more of them, or variables of the function that point to such structures; each
known when the region begins. Of an item with members, `temp(s->scratch)`, only those are asked
for; the most specific item decides: `kfuse(s, temp(s->scratch))`.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from pycparser import c_ast

from kfusion.host import known
from kfusion.host.at_end_cpp import Given, given_in_tokens, handles_in_tokens
from kfusion.host.closed import Closedness
from kfusion.host.holding import is_handle, may_hold_handles
from kfusion.host.names import path_to, statements_before, visible_in
from kfusion.host.outside import has_redirected
from kfusion.host.program import HostProgram
from kfusion.host.reach import NEVER_RETURN
from kfusion.host.region import CppRegion, Region
from kfusion.host.types import DeclaredTypes
from kfusion.parse.annotations import NamedData
from kfusion.parse.literals import integer
from kfusion.parse.unit import Function, Unit, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity
from kfusion.source.lexer import tokenize
from kfusion.source.text import free_name, text_of

Path = tuple[str, ...]  # a variable, and members
Members = tuple[str, ...]

_FREES = frozenset("free realloc reallocarray reallocf munmap mremap brk sbrk".split())
_MOST = 16  # of the run time's macro


@dataclass(frozen=True, eq=False)
class Reader:
    """A function, added to the file that knows a structure, which tells where a handle of it is."""

    unit: Unit
    tag: str
    member: str
    name: str


@dataclass(frozen=True, eq=False)
class Handle:
    """How a handle is read in the region's line: `c`, `c.device`, `KFUSION_OF(c, device)`."""

    text: str
    members: Members = ()
    reader: Reader | None = None


@dataclass(frozen=True)
class Named:
    """An item of the list, and the handles for which no other item is more specific."""

    item: NamedData
    handles: tuple[Handle, ...]


@dataclass(frozen=True)
class EndNames:
    """What the run time looks at: the items of the list, and other members of what they name."""

    items: tuple[Named, ...]
    beside: tuple[tuple[str, Handle], ...] = ()  # of variables of which other members are temporary
    strict: bool = False  # the launches must have got these, too

    def names(self, role: str) -> tuple[str, ...]:
        """The variables, or the last members, of the items with a role."""
        return tuple(named.item.path[-1] for named in self.items if named.item.role == role)

    def is_temporary(self, path: Path | None) -> bool:
        """`path`: a variable and members; None: nobody's."""
        return is_temporary(path, [named.item for named in self.items])

    def calls_temporary(self, path: Path | None) -> bool:
        """By `temp`, and not because no `out` has it."""
        items = [named.item for named in self.items]
        found = _most_specific(path, items) if path is not None else None
        return found is not None and found.role == "temp"

    @property
    def line(self) -> tuple[str, str]:
        """The macro of the region's line, and what stands behind the region's name in it."""
        outs, temporaries, others = map(self._expressions, ("out", "temp", ""))
        if outs:
            return "KFUSION_REGION_OUT", ", ".join(outs)
        form = "{}" if self.strict else "KFUSION_BESIDE({})"
        beside = [form.format(handle.text) for _, handle in self.beside]
        listed = ", ".join([*temporaries, *others, *beside])
        return "KFUSION_REGION_TEMP", f"{len(temporaries)}, {listed}"

    @property
    def known(self) -> set[Path]:
        """What the region's launches must have got: of anything else nothing is known."""
        role = "out" if self.names("out") else ""
        named = (each for each in self.items if each.item.role == role)
        found = {(each.item.name, *handle.members) for each in named for handle in each.handles}
        if self.strict and not role:
            found |= {(name, *handle.members) for name, handle in self.beside}
        return found

    @property
    def readers(self) -> tuple[Reader, ...]:
        return tuple(handle.reader for handle in self._handles() if handle.reader is not None)

    def names_handle(self, variable: str, members: Members) -> bool:
        """Is a member of a variable, or of what it points to, a handle, or has one in it?"""
        named = (each for each in self.items if each.item.name == variable)
        handles = (handle for each in named for handle in each.handles)
        return any(handle.members[: len(members)] == members for handle in handles)

    @property
    def fits(self) -> bool:
        """Are there no more of them than the run time's macro takes?"""
        return len(list(self._handles())) <= _MOST

    def _handles(self) -> Iterator[Handle]:
        """Those in the line."""
        outs = any(named.item.role == "out" for named in self.items)
        roles = ("out",) if outs else ("temp", "")
        yield from (h for named in self.items if named.item.role in roles for h in named.handles)
        yield from () if outs else (handle for _, handle in self.beside)

    def _expressions(self, role: str) -> list[str]:
        return [h.text for named in self.items if named.item.role == role for h in named.handles]


def is_temporary(path: Path | None, items: Sequence[NamedData]) -> bool:
    """What the most specific item says of a variable's member."""
    found = _most_specific(path, items) if path is not None else None
    if any(item.role == "out" for item in items):
        return found is None or found.role != "out"
    return found is not None and found.role == "temp"


def _most_specific(path: Path, items: Iterable[NamedData]) -> NamedData | None:
    """Of items with the same name that with a role, which is the same in all of them."""
    around = [item for item in items if path[: len(item.path)] == item.path]
    return max(around, key=lambda item: (len(item.path), item.role != ""), default=None)


def end_names(
    region: Region | CppRegion, program: HostProgram, closed: Closedness
) -> EndNames | None:
    """None: `out` and `temp` are not there, or name something else than such variables."""
    items = _items(region)
    names: EndNames | None
    if isinstance(region, CppRegion):
        found = handles_in_tokens(region, [item.name for item in items if not item.members])
        plain = (item for item in items if not item.members and item.name in found)
        names = EndNames(tuple(Named(item, (Handle(item.name),)) for item in plain))
    else:
        names = _looked_at(region, items, program, closed)
    roles = {item.role for item in items}
    named = [each.item for each in names.items]
    if not roles - {""} or not names.fits or any(i.role and i not in named for i in items):
        return None
    if "out" not in roles:
        temporaries = {item.name for item in items if item.role}
        if _is_copied(region, [item.name for item in named], temporaries):
            return None
    return names


def not_looked_at(region: Region | CppRegion) -> Diagnostic | None:
    """A note on `out` and `temp`, if the run time cannot look at what they name."""
    items = _items(region)
    role = next((r for r in ("out", "temp") if any(item.role == r for item in items)), None)
    if role is None:
        return None
    named = f"{role}({', '.join(item.text for item in items if item.role == role)})"
    help = "it can in variables of type cl_mem"
    if isinstance(region, Region):
        help += (
            ", in structures with members of that type, and behind pointers of the function to "
            "such structures (in temp: if nothing that the region reaches may free memory, and all "
            "handles of the structure are such members): at most 16 handles"
        )
    return Diagnostic(
        "KF404",
        Severity.NOTE,
        f"what {named} names cannot be looked at when the region ends: all results are stored",
        region.mark.annotation,
        help=help,
    )


def _items(region: Region | CppRegion) -> list[NamedData]:
    """Each once: with its role, if it has one."""
    ordered = sorted(region.mark.data, key=lambda item: item.role == "")
    return list({item.path: item for item in reversed(ordered)}.values())[::-1]


# C: the declarations


@dataclass(frozen=True)
class _Seen:
    """A variable that holds handles, or points to what does; and how one of them is read."""

    type: c_ast.Node
    types: DeclaredTypes
    macros: Container[str]
    read: Callable[[Members], Handle]

    def handles(self, members: Members) -> tuple[list[Handle], bool]:
        """Those in a member; and are these all?"""
        type_: c_ast.Node | None = self.type
        for member in members:
            type_ = _member(type_, member, self.types)
        found, complete = _handles_in(type_, self.types) if type_ is not None else ([], False)
        paths = [(*members, *inner) for inner in found]
        if any(word in self.macros for path in paths for word in path if word[0] != "["):
            return [], False
        return list(map(self.read, paths)), complete and bool(paths)


def _looked_at(
    region: Region, items: Sequence[NamedData], program: HostProgram, closed: Closedness
) -> EndNames:
    """The items whose handles can all be read, and how."""
    seen = _seen(region, items, program, closed)
    named: list[Named] = []
    split = [item.name for item in items if item.role == "temp" and item.members]
    for item in items:
        is_beside = not item.role and not item.members and item.name in split
        if item.name not in seen or is_beside:
            continue
        found, complete = seen[item.name].handles(item.members)
        own = [h for h in found if _most_specific((item.name, *h.members), items) == item]
        if complete:
            named.append(Named(item, tuple(own)))
    listed = {handle.text for each in named for handle in each.handles}
    beside: list[tuple[str, Handle]] = []
    for name in dict.fromkeys(split):
        # Another member, which cannot be looked at, may lead to the same object.
        found, complete = seen[name].handles(()) if name in seen else ([], False)
        beside += [(name, handle) for handle in found if handle.text not in listed]
        if not complete:
            named = [each for each in named if each.item.name != name]
    return EndNames(tuple(named), tuple(beside), strict=_may_overlap(program))


_OVERLAPPING = re.compile(
    r"\b(clCreateSubBuffer|clCreateImage\w*|clCreateFrom\w+|clCreate\w+WithProperties"
    r"|CL_MEM_USE_HOST_PTR)\b"
)


def _may_overlap(program: HostProgram) -> bool:
    """May an object of the program be part of another one?"""

    def find() -> bool:
        read = {pathlib.Path(name) for unit in program.units for name in unit.how.read}
        own = [p for p in read if p.is_file() and p.parent.name not in ("CL", "OpenCL")]
        system = [
            pathlib.Path("/usr"),
            *(d for unit in program.units for d in unit.how.system_dirs),
        ]
        own = [path for path in own if not any(map(path.is_relative_to, system))]
        texts = [each.source.text for each in program.units]
        texts += [each.source.text for each in program.others]
        texts += [text_of(path.read_bytes()) for path in own]
        return any(_OVERLAPPING.search(text) for text in texts)

    return program.remember("objects that overlap", find)


def _seen(
    region: Region, items: Sequence[NamedData], program: HostProgram, closed: Closedness
) -> dict[str, _Seen]:
    """The variables that the region sees when it begins."""
    function = region.function
    visible: dict[str, c_ast.Decl | None] = {}
    for node in region.unit.ast.ext:
        if isinstance(node, c_ast.Decl) and node.name:
            visible[node.name] = node
    types = DeclaredTypes([region.unit])  # other files may know more of them
    own = visible_in(region.block, function)
    visible |= own
    macros = region.unit.macros.history
    named = {item.name for item in items}
    temporaries = {item.name for item in items if item.role == "temp"}
    found: dict[str, _Seen] = {}
    for name, node in visible.items():
        if node is None or name not in named:
            continue
        if region.unit.index(node) >= region.unit.index(region.block):
            continue
        if _is_hidden(node, function):
            continue
        is_parameter = any(node is each for each in function.listed)
        holding = _holding(node, types, macros, is_parameter=is_parameter)
        if holding is None and name in own and _has_address(node, types):
            holding = _behind(node, types, macros) or _behind_elsewhere(node, types, program)
            if name in temporaries and not _is_alive(node, region, program, closed):
                continue
        if holding is not None and name not in macros:
            found[name] = holding
    return found


def _holding(
    node: c_ast.Decl, types: DeclaredTypes, macros: Container[str], *, is_parameter: bool
) -> _Seen | None:
    """A variable that holds handles itself."""
    name = node.name
    type_ = _handle_type(node, types)
    if type_ is None and {"volatile", "_Atomic"}.isdisjoint(node.quals):
        known = types.members(node.type) or (_length(node.type, types) and not is_parameter)
        type_ = node.type if known else None
    if type_ is None or "register" in node.storage:
        return None

    def read(members: Members) -> Handle:
        return Handle(_joined((name, *members)), members)

    return _Seen(type_, types, macros, read)


def _behind(node: c_ast.Decl, types: DeclaredTypes, macros: Container[str]) -> _Seen | None:
    """A pointer to a structure that the file knows."""
    target = _target(node, types)
    if target is None or not types.members(target):
        return None

    def read(members: Members) -> Handle:
        return Handle(f"KFUSION_OF({node.name}, {_joined(members)})", members)

    return _Seen(target, types, macros, read)


def _behind_elsewhere(node: c_ast.Decl, types: DeclaredTypes, program: HostProgram) -> _Seen | None:
    """The same, of a structure that only files know which call OpenCL, and all in the same way."""
    target = _target(node, types)
    struct = getattr(target, "type", None)
    if target is None or not isinstance(struct, c_ast.Struct) or types.members(target):
        return None
    tag = struct.name
    if not tag or tag in program.types.ambiguous:
        return None
    known = ((unit, DeclaredTypes([unit])) for unit in program.units if has_redirected(unit))
    unit, inside = next(((u, t) for u, t in known if t.members(target)), (None, types))
    if unit is None or tag in unit.macros.history:
        return None

    names = program.remember("names of readers", lambda: _reader_names(program))

    def read(members: Members) -> Handle:
        member = _joined(members)
        reader = Reader(unit, tag, member, names[tag, member])
        return Handle(f"KFUSION_READ({reader.name}, {node.name})", members, reader)

    return _Seen(target, inside, unit.macros.history, read)


def _reader_names(program: HostProgram) -> dict[tuple[str, str], str]:
    """`vector_device`, one for each handle in a structure that has a tag."""
    handles: set[tuple[str, str]] = set()
    for unit in program.units:
        types = DeclaredTypes([unit])
        for tag in types.tags:
            struct = c_ast.TypeDecl(None, [], None, c_ast.Struct(tag, None))
            found, _ = _handles_in(struct, types)
            handles.update((tag, _joined(members)) for members in found)
    names: dict[tuple[str, str], str] = {}
    for tag, member in sorted(handles):
        wanted = re.sub(r"\W+", "_", f"{tag}_{member}").removesuffix("_" * member.endswith("]"))
        names[tag, member] = free_name(wanted, {*names.values()})
    return names


def _target(node: c_ast.Decl, types: DeclaredTypes) -> c_ast.Node | None:
    """What a pointer leads to, if that does not change unseen."""
    pointer = types.resolved(node.type)
    target = types.resolved(pointer.type) if isinstance(pointer, c_ast.PtrDecl) else None
    unseen = {"volatile", "_Atomic"} & {*node.quals, *(getattr(target, "quals", None) or ())}
    return target if not unseen else None


def _is_hidden(node: c_ast.Decl, function: Function) -> bool:
    """Does the function declare another variable of the name, wherever?"""
    declared = [n for n in function.nodes[c_ast.Decl] if n.name == node.name]
    return any(each is not node for each in declared)


def _is_alive(node: c_ast.Decl, region: Region, program: HostProgram, closed: Closedness) -> bool:
    """Is the pointer surely set before the region, and what it leads to there until the end?

    Else it may lead to what is somebody else's now.
    """
    function = region.function
    path = path_to(region.block, function.node.body) or []
    if _may_free(region, program, closed):
        return False
    if any(node is p for p in function.parameters):
        return True
    if _may_be_jumped_to(path, function):
        return False
    before = (part for each in statements_before(path) for part in _certain_parts(each))
    return node.init is not None or any(_is_set(part, node) for part in before)


def _may_be_jumped_to(path: list[c_ast.Node], function: Function) -> bool:
    """May `goto` lead to a node, whose path in a function is given, past what is before it?"""
    if not function.nodes[c_ast.Goto]:
        return False
    items = function.node.body.block_items or []
    behind = items[1 + next((i for i, item in enumerate(items) if item in path), len(items)) :]
    harmless = {id(inner) for item in behind for inner in descendants(item)}
    return any(id(label) not in harmless for label in function.nodes[c_ast.Label])


def _certain_parts(statement: c_ast.Node) -> Iterator[c_ast.Node]:
    """Expressions and conditions that are evaluated whenever the statement is."""
    if isinstance(statement, c_ast.If | c_ast.Switch | c_ast.While):
        yield statement.cond
    elif isinstance(statement, c_ast.DoWhile):
        yield from _certain_parts(statement.stmt)
    elif isinstance(statement, c_ast.Compound):
        for item in statement.block_items or []:
            yield from _certain_parts(item)
    elif isinstance(statement, c_ast.Decl):
        yield from [statement.init] if statement.init is not None else []
    elif not isinstance(statement, c_ast.For | c_ast.Label | c_ast.Case | c_ast.Default):
        yield statement


def _is_set(part: c_ast.Node, node: c_ast.Decl) -> bool:
    """Does an expression assign to a variable, or hand its address to a function?"""
    for inner in descendants(part):
        if isinstance(inner, c_ast.Assignment) and _is_name(inner.lvalue, node):
            return True
        if isinstance(inner, c_ast.UnaryOp) and inner.op == "&" and _is_name(inner.expr, node):
            return True
    return False


def _has_address(node: c_ast.Decl, types: DeclaredTypes) -> bool:
    """A variable of the function that can be read when the region ends."""
    pointer = types.resolved(node.type)
    quals = {*node.quals, *(getattr(pointer, "quals", None) or ())}
    return not quals & {"volatile", "_Atomic"} and "register" not in node.storage


def _is_name(value: c_ast.Node, node: c_ast.Decl) -> bool:
    return isinstance(value, c_ast.ID) and value.name == node.name


def _may_free(region: Region, program: HostProgram, closed: Closedness) -> bool:
    """May an object that was there before the region be gone when it ends?"""
    if region.mark.harmless or closed.settles - NEVER_RETURN:
        return True  # who knows what other files do
    bodies = [region.block, *(function.node.body for function in closed.functions)]
    if any(known.plain(name) in _FREES for body in bodies for name in program.names_called(body)):
        return True
    for unit in program.units:
        called = {id(call.name) for call in unit.nodes[c_ast.FuncCall]}
        named = (n for n in unit.nodes[c_ast.ID] if known.plain(n.name) in _FREES)
        if any(id(node) not in called for node in named):
            return True  # by a pointer
    return False


def _handles_in(type_: c_ast.Node | None, types: DeclaredTypes) -> tuple[list[Members], bool]:
    """The members that lead to handles; and can there be no others?"""
    if not may_hold_handles(type_, types):
        return [], True
    if is_handle(type_):
        return [()], True
    length = _length(type_, types)
    if not _is_plain(type_, types) and length is None:
        return [], False
    found: list[Members] = []
    complete = length is not None or not types.has_unnamed(type_)
    entries = [f"[{number}]" for number in range(length)] if length else types.members(type_)
    for name in entries:
        below, all_below = _handles_in(_member(type_, name, types), types)
        found += [(name, *members) for members in below]
        complete &= all_below
    return found, complete


def _member(type_: c_ast.Node | None, name: str, types: DeclaredTypes) -> c_ast.Node | None:
    """The type of a member of a structure, or of an entry of an array."""
    if name[0] == "[":
        length = _length(type_, types)
        return types.target(type_) if length is not None and int(name[1:-1]) < length else None
    inside = _is_plain(type_, types) and name in types.members(type_)
    return types.member(type_, name) if inside else None


def _length(type_: c_ast.Node | None, types: DeclaredTypes) -> int | None:
    """Of an array, if it is a number, and if all entries can be looked at."""
    array = types.resolved(type_)
    length = array.dim if isinstance(array, c_ast.ArrayDecl) else None
    number = integer(length.value) if isinstance(length, c_ast.Constant) else None
    return number if number is not None and 0 < number <= _MOST else None


def _joined(steps: Sequence[str]) -> str:
    """`d.plane[1]`"""
    return "".join(s if s[0] == "[" else f".{s}" for s in steps).removeprefix(".")


def _is_plain(type_: c_ast.Node | None, types: DeclaredTypes) -> bool:
    """A structure itself, whose members are known."""
    resolved = types.resolved(type_)
    inner = getattr(resolved, "type", None)
    plain = isinstance(resolved, c_ast.TypeDecl) and isinstance(inner, c_ast.Struct)
    return plain and not types.is_opaque(type_)


def _handle_type(node: c_ast.Decl, types: DeclaredTypes) -> c_ast.Node | None:
    """Exactly cl_mem, in a variable that is read as any other one."""
    type_: c_ast.Node | None = node.type
    while isinstance(type_, c_ast.TypeDecl) and not set(type_.quals or ()) - {"const"}:
        if is_handle(type_):
            return type_
        names = getattr(type_.type, "names", [])
        type_ = types.typedef(names[0]) if len(names) == 1 else None
    return None


def _is_copied(region: Region | CppRegion, known: Sequence[str], temporaries: set[str]) -> bool:
    """May the region itself give what a temporary holds to a variable that is not looked at?

    `known` are all that are looked at; those of the region are gone when it ends.
    """
    if isinstance(region, Region):
        given, own = _given(region.block)
    else:
        given, own = given_in_tokens(tokenize(region.mark.block.text))
    holding, before = set(temporaries), 0
    while len(holding) > before:
        before = len(holding)
        holding |= {target for target, names in given if names & holding}
    return not holding <= {*known, *own}


def _given(block: c_ast.Node) -> tuple[Given, set[str]]:
    """What is assigned to what, and the variables that the block declares."""
    given: Given = []
    own: set[str] = set()
    for node in descendants(block):
        if isinstance(node, c_ast.Assignment):
            plain = isinstance(node.lvalue, c_ast.ID)
            given.append((node.lvalue.name if plain else "", _names(node.rvalue)))
        elif isinstance(node, c_ast.Decl) and node.name:
            own |= {node.name} - ({node.name} if "static" in node.storage else set())
            if node.init is not None:
                given.append((node.name, _names(node.init)))
    return given, own


def _names(value: c_ast.Node) -> set[str]:
    """Outside of the arguments of calls: what those do with it cannot be seen here."""
    if isinstance(value, c_ast.FuncCall):
        return set()
    if isinstance(value, c_ast.ID):
        return {value.name}
    return set[str]().union(*(_names(child) for _, child in value.children()))
