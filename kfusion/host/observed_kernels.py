"""Kernels that have got an object as an argument: who reads it, and when.

An argument stays set until it is set anew. So whoever launches the kernel later reads what was
left in the object, unless each launch sets all arguments first; and a kernel that other files
can get is launched by them at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pycparser import c_ast

from kfusion.host import calls
from kfusion.host.alias import Memory
from kfusion.host.closed import closed_as_a_whole
from kfusion.host.effects import SetArgument
from kfusion.host.frames import Frame
from kfusion.host.handles import HandleTable
from kfusion.host.observed_around import Around
from kfusion.host.path_program import PathProgram
from kfusion.host.predict_launches import fixed_kernels
from kfusion.host.program import HostProgram
from kfusion.host.sticky import Reliances
from kfusion.host.symbolic import App, Entry, Num, Sym
from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Unit
from kfusion.source.protections import is_on, protection

ESCAPES = protection("host-kernel-escapes", "other files launch a kernel with its arguments")


class KernelArguments:
    def __init__(self, around: Around, handles: HandleTable, kernels: Mapping[str, Kernel]) -> None:
        self.around, self.handles, self.kernels = around, handles, kernels
        self.fixed = fixed_kernels(around.function)

    def names(self, handle: Sym) -> frozenset[str]:
        """The kernels that a handle may stand for; none: it is not known."""
        if isinstance(handle, Entry) and not handle.place.path:
            root = handle.place.root
            if isinstance(root, App):
                return frozenset({self.fixed[root.name]} if root.name in self.fixed else ())
        outside = Frame(0, None, self.around.unit, dict(self.around.variables))
        return self.handles.kernel_names(handle, {0: outside})

    def are_always_set(self, handle: Sym) -> bool:
        """Does every launch of the kernel, wherever it is, set its arguments before?"""
        names = self.names(handle)
        if not names or not names <= self.kernels.keys() or has_doubles(self.around.program):
            return False
        reliances = self._reliances()
        if any(reliances.has(self.kernels[name]) for name in names):
            return False
        return not is_on(ESCAPES) or kernels_stay(self.around.program)

    def _reliances(self) -> Reliances:
        program, key = self.around.program, ("reliances", frozenset(self.kernels))
        if key not in program.remembered:
            found = Reliances(PathProgram.of(program), self.handles, dict(self.kernels))
            program.remembered[key] = found
        result: Reliances = program.remembered[key]
        return result

    def may_read(self, effect: SetArgument) -> bool:
        """May a launch read what it gets as this argument?"""
        found = self.reads(effect)
        return found is None or found

    def reads(self, effect: SetArgument) -> bool | None:
        """None: it is not known."""
        names = self.names(effect.kernel)
        if not names or not isinstance(effect.index, Num):
            return None
        known = [self.kernels.get(name) for name in sorted(names)]
        found = {_reads(kernel, effect.index.value) for kernel in known}
        return found.pop() if len(found) == 1 else None


def _reads(kernel: Kernel | None, position: int) -> bool | None:
    if kernel is None or position >= len(kernel.parameters):
        return None
    return reads_parameter(kernel, position)


def reads_parameter(kernel: Kernel, position: int) -> bool:
    """May the kernel read the memory that it gets there?"""
    parameter = kernel.parameters[position].name
    modes = [access.mode for access in kernel.accesses if access.parameter == parameter]
    return bool(kernel.features) or any(mode.reads for mode in modes)


def has_doubles(program: HostProgram) -> bool:
    """Do two files have a function of one name, and one of them launches kernels?

    Then not all of them are looked at.
    """
    key = "functions of one name that launch"
    if key not in program.remembered:
        names = Counter(
            function.name
            for function in PathProgram.of(program).all_functions
            if function.in_main_file and program.calls(function) & calls.LAUNCHES
        )
        program.remembered[key] = any(count > 1 for count in names.values())
    found: bool = program.remembered[key]
    return found


def kernels_stay(program: HostProgram) -> bool:
    """Do handles of kernels stay in the given files?"""
    key = "kernels stay"
    if key not in program.remembered:
        program.remembered[key] = closed_as_a_whole(program) or all(
            _stay_in(unit, program) for unit in program.units
        )
    found: bool = program.remembered[key]
    return found


def _stay_in(unit: Unit, program: HostProgram) -> bool:
    """Nothing that holds kernels can be named by other files, is returned, or given to them."""
    types = _Types(program)
    for node in unit.ast.ext:
        if isinstance(node, c_ast.Decl) and not isinstance(node.type, c_ast.FuncDecl):
            if "static" not in node.storage and types.hold(node.type) and unit.in_main_file(node):
                return False
    for function in unit.functions.values():
        given = "static" in function.node.decl.storage or not unit.in_main_file(function.node)
        if not given and types.hold(function.node.decl.type.type):
            return False
        listed = getattr(function.node.decl.type.args, "params", None) or []
        if not given and any(_is_pointer_to_kernel(getattr(p, "type", None)) for p in listed):
            return False
        names = {n.name for n in function.nodes.get(c_ast.Decl, ()) if types.hold(n.type)}
        names |= {n for n, d in program.globals.items() if types.hold(d.type)}
        for call in function.nodes.get(c_ast.FuncCall, ()):
            if _is_known(call, unit, program):
                continue
            if names & _names_in(call.args):
                return False
    return True


class _Types:
    def __init__(self, program: HostProgram) -> None:
        self.memory = Memory(program, {})
        self.types = program.types
        self._known: dict[str, bool] = {}

    def hold(self, type_: c_ast.Node | None) -> bool:
        """May an object of the type hold a kernel, or lead to one?"""
        resolved = type_
        while isinstance(resolved, c_ast.PtrDecl | c_ast.ArrayDecl):
            resolved = resolved.type
        inner = getattr(resolved, "type", None)
        if isinstance(inner, c_ast.IdentifierType) and inner.names == ["cl_kernel"]:
            return True
        behind = self.types.resolved(resolved)
        if behind is not resolved:
            name = " ".join(getattr(inner, "names", ["?"]))
            if name.startswith("cl_"):
                return False
            return self._once(name, behind)
        if isinstance(inner, c_ast.Struct | c_ast.Union):
            return self._once(f"struct {inner.name or id(inner)}", resolved)
        return False

    def _once(self, name: str, type_: c_ast.Node | None) -> bool:
        if name not in self._known:
            self._known[name] = False  # a struct that leads to itself
            inner = getattr(type_, "type", None)
            if isinstance(inner, c_ast.Struct) and not self.types.has_unnamed(type_):
                names = self.types.members(type_)
                found = any(self.hold(self.types.member(type_, member)) for member in names)
            else:
                found = isinstance(inner, c_ast.Struct | c_ast.Union) or self.hold(type_)
            self._known[name] = found
        return self._known[name]


def _is_pointer_to_kernel(type_: c_ast.Node | None) -> bool:
    """A function that other files call may hand out a kernel so."""
    target = type_.type if isinstance(type_, c_ast.PtrDecl | c_ast.ArrayDecl) else None
    inner = getattr(target, "type", None)
    return isinstance(inner, c_ast.IdentifierType) and inner.names == ["cl_kernel"]


def _is_known(call: c_ast.FuncCall, unit: Unit, program: HostProgram) -> bool:
    name = getattr(call.name, "name", "")
    if not isinstance(name, str) or not isinstance(call.name, c_ast.ID):
        return False
    known = name.startswith("cl") or name in calls.LIBC
    return known or PathProgram.of(program).lookup(name, unit) is not None


def _names_in(node: c_ast.Node | None) -> set[str]:
    if node is None:
        return set()
    own = {node.name} if isinstance(node, c_ast.ID) else set()
    return own.union(*(_names_in(child) for child in node))
