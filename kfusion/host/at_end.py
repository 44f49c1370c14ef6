"""Variables that `out` and `temp` name, and that can be read when the region ends.

Which object a name stands for in the end nobody need prove: the run time looks. The region's line
hands it the variables, `KFUSION_REGION_OUT(sum, c, d.device)`, and a store is left out only if what
they hold allows it. That needs variables of type cl_mem, structures with members of that type and
no pointers to more of them, or variables of the function that point to such structures; each
known when the region begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

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
from kfusion.parse.annotations import RegionMark
from kfusion.parse.unit import Function, Unit, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity
from kfusion.source.lexer import tokenize

_FREES = frozenset("free realloc reallocarray reallocf munmap mremap brk sbrk".split())
_MOST = 16  # of the run time's macro


@dataclass(frozen=True, eq=False)
class Reader:
    """A function, added to the file that knows a structure, which tells where a handle of it is."""

    unit: Unit
    tag: str
    member: str

    @property
    def name(self) -> str:
        return f"{self.tag}_{self.member.replace('.', '_')}"


@dataclass(frozen=True, eq=False)
class Handle:
    """How a handle is read in the region's line: `c`, `c.device`, `KFUSION_OF(c, device)`."""

    text: str
    members: tuple[str, ...] = ()
    reader: Reader | None = None


@dataclass(frozen=True)
class EndNames:
    """`out` or `temp` names, and behind the latter those that are in the list besides."""

    outs: tuple[str, ...]
    temporaries: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    handles: Mapping[str, tuple[Handle, ...]] = field(default_factory=dict)

    def is_temporary(self, name: str | None) -> bool:
        return name not in self.outs if self.outs else name in self.temporaries

    @property
    def line(self) -> tuple[str, str]:
        """The macro of the region's line, and what stands behind the region's name in it."""
        if self.outs:
            return "KFUSION_REGION_OUT", ", ".join(self._expressions(self.outs))
        temporaries = self._expressions(self.temporaries)
        listed = ", ".join([*temporaries, *self._expressions(self.others)])
        return "KFUSION_REGION_TEMP", f"{len(temporaries)}, {listed}"

    @property
    def readers(self) -> tuple[Reader, ...]:
        listed = (*self.outs, *self.temporaries, *self.others)
        handles = (handle for name in listed for handle in self.handles.get(name, ()))
        return tuple(handle.reader for handle in handles if handle.reader is not None)

    def names_handle(self, variable: str | None, members: tuple[str, ...]) -> bool:
        """Is a member of a variable, or of what it points to, a handle, or has one in it?"""
        handles = self.handles.get(variable or "", ())
        return any(handle.members[: len(members)] == members for handle in handles)

    @property
    def fits(self) -> bool:
        """Are there no more of them than the run time's macro takes?"""
        return len(self._expressions((*self.outs, *self.temporaries, *self.others))) <= _MOST

    def _expressions(self, names: Iterable[str]) -> list[str]:
        return [handle.text for name in names for handle in self.handles.get(name, [Handle(name)])]


def end_names(
    region: Region | CppRegion, program: HostProgram, closed: Closedness
) -> EndNames | None:
    """None: `out` and `temp` are not there, or name something else than such variables."""
    outs, temporaries, others = _roles(region.mark)
    handles: Mapping[str, tuple[Handle, ...]]
    if isinstance(region, CppRegion):
        found = handles_in_tokens(region, (*outs, *temporaries, *others))
        handles = {name: (Handle(name),) for name in found}
    else:
        handles = _handles(region, program, closed)
    others = tuple(name for name in others if name in handles)
    names = EndNames(outs, handles=handles)
    if not outs:
        names = EndNames((), temporaries, others, handles)
        if not temporaries or _is_copied(region, (*temporaries, *others), set(temporaries)):
            return None
    return names if handles.keys() >= {*outs, *names.temporaries} and names.fits else None


def not_looked_at(region: Region | CppRegion) -> Diagnostic | None:
    """A note on `out` and `temp`, if the run time cannot look at what they name."""
    outs, temporaries, _ = _roles(region.mark)
    named = f"out({', '.join(outs)})" if outs else f"temp({', '.join(temporaries)})"
    if not outs and not temporaries:
        return None
    help = "it can in variables of type cl_mem"
    if isinstance(region, Region):
        help += (
            ", in structures with members of that type, and behind pointers of the function to "
            "such structures (in temp: if nothing that the region reaches may free memory): at "
            "most 16 handles"
        )
    return Diagnostic(
        "KF404",
        Severity.NOTE,
        f"what {named} names cannot be looked at when the region ends: all results are stored",
        region.mark.annotation,
        help=help,
    )


def _roles(mark: RegionMark) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    def named(role: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.name for item in mark.data if item.role == role))

    outs, temporaries = named("out"), named("temp")
    return outs, temporaries, tuple(n for n in named("") if n not in (*outs, *temporaries))


# C: the declarations


def _handles(
    region: Region, program: HostProgram, closed: Closedness
) -> dict[str, tuple[Handle, ...]]:
    """The variables that the region sees when it begins, and how their handles are read."""
    function = region.function
    visible: dict[str, c_ast.Decl | None] = {}
    for node in region.unit.ast.ext:
        if isinstance(node, c_ast.Decl) and node.name:
            visible[node.name] = node
    types = DeclaredTypes([region.unit])  # other files may know more of them
    own = visible_in(region.block, function)
    visible |= own
    macros = region.unit.macros.history
    named = {item.name for item in region.mark.data}
    temporaries = {item.name for item in region.mark.data if item.role == "temp"}
    found: dict[str, tuple[Handle, ...]] = {}
    for name, node in visible.items():
        if node is None or name not in named:
            continue
        if region.unit.index(node) >= region.unit.index(region.block):
            continue
        if _is_hidden(node, function):
            continue
        handles = _handles_of(node, types)
        if not handles and name in own:
            handles = _behind(node, types) or _behind_elsewhere(node, types, program)
            if not handles or not _has_address(node, types):
                continue
            if name in temporaries and not _is_alive(node, region, program, closed):
                continue
        words = {word for handle in handles for word in (name, *handle.members)}
        if handles and not words & macros.keys():
            found[name] = tuple(handles)
    return found


def _handles_of(node: c_ast.Decl, types: DeclaredTypes) -> list[Handle]:
    """Of a variable that holds them itself."""
    if _is_handle(node, types):
        return [Handle(node.name)]
    if {"volatile", "_Atomic"} & set(node.quals) or "register" in node.storage:
        return []
    found = _handles_in(node.type, types) or []
    return [Handle(".".join((node.name, *members)), members) for members in found]


def _behind(node: c_ast.Decl, types: DeclaredTypes) -> list[Handle]:
    """Of a pointer to a structure that the file knows."""
    target = _target(node, types)
    if target is None or not types.members(target):
        return []
    return [
        Handle(f"KFUSION_OF({node.name}, {'.'.join(members)})", members)
        for members in _handles_in(target, types) or []
    ]


def _behind_elsewhere(node: c_ast.Decl, types: DeclaredTypes, program: HostProgram) -> list[Handle]:
    """The same, of a structure that only files know which call OpenCL, and all in the same way."""
    target = _target(node, types)
    struct = getattr(target, "type", None)
    if not isinstance(struct, c_ast.Struct) or not struct.name or types.members(target):
        return []
    if struct.name in program.types.ambiguous:
        return []
    for unit in program.units:
        inside = DeclaredTypes([unit])
        if not inside.members(target) or not has_redirected(unit):
            continue
        found = _handles_in(target, inside) or []
        words = {word for members in found for word in (struct.name, *members)}
        if words & unit.macros.history.keys():
            return []
        readers = [Reader(unit, struct.name, ".".join(members)) for members in found]
        return [
            Handle(f"KFUSION_READ({reader.name}, {node.name})", members, reader)
            for reader, members in zip(readers, found, strict=True)
        ]
    return []


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
    if _may_free(region, program, closed) or function.nodes[c_ast.Goto]:
        return False
    if node.init is not None or any(node is p for p in function.parameters):
        return True
    path = path_to(region.block, function.node.body)
    before = (part for each in statements_before(path or []) for part in _certain_parts(each))
    return any(_is_set(part, node) for part in before)


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


def _handles_in(type_: c_ast.Node | None, types: DeclaredTypes) -> list[tuple[str, ...]] | None:
    """The members that lead to handles; None: there may be others."""
    if not may_hold_handles(type_, types):
        return []
    if is_handle(type_):
        return [()]
    resolved = types.resolved(type_)
    inner = getattr(resolved, "type", None)
    plain = isinstance(resolved, c_ast.TypeDecl) and isinstance(inner, c_ast.Struct)
    if not plain or types.is_opaque(type_) or types.has_unnamed(resolved):
        return None
    found: list[tuple[str, ...]] = []
    for name in types.members(resolved):
        below = _handles_in(types.member(resolved, name), types)
        if below is None:
            return None
        found += [(name, *members) for members in below]
    return found


def _is_handle(node: c_ast.Decl, types: DeclaredTypes) -> bool:
    """Exactly cl_mem, in a variable that has an address and is read as any other one."""
    type_: c_ast.Node | None = node.type
    while isinstance(type_, c_ast.TypeDecl) and not set(type_.quals or ()) - {"const"}:
        if is_handle(type_):
            return "register" not in node.storage
        names = getattr(type_.type, "names", [])
        type_ = types.typedef(names[0]) if len(names) == 1 else None
    return False


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
