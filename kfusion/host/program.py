"""All host files together: functions, global tables, enumerators and types by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property, wraps
from typing import Any, TypeVar

from pycparser import c_ast

from kfusion.host.arithmetic import compute
from kfusion.host.known import Kind, kind_of
from kfusion.host.types import DeclaredTypes
from kfusion.parse.cpp import CppUnit
from kfusion.parse.literals import integer
from kfusion.parse.unit import Function, Unit, declares_function, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

DECLARED_HERE = protection("closed-declared-here", "a function is the library's by its name alone")
T = TypeVar("T")
EXTERN = "extern"  # a variable that all files share


@dataclass(eq=False)
class HostProgram:
    units: tuple[Unit, ...]
    others: tuple[CppUnit, ...] = ()  # files of C++: what they do is not followed
    _names: dict[c_ast.Node, frozenset[str]] = field(default_factory=dict)
    _remembered: dict[object, Any] = field(default_factory=dict)  # by one region, for others

    def remember(self, key: object, find: Callable[[], T]) -> T:
        if key not in self._remembered:
            self._remembered[key] = find()
        found: T = self._remembered[key]
        return found

    @cached_property
    def all_functions(self) -> tuple[Function, ...]:
        return tuple(f for unit in self.units for f in unit.functions.values())

    @cached_property
    def shared(self) -> dict[str, list[Function]]:
        """The functions that any file can call, by name."""
        result: dict[str, list[Function]] = {}
        for function in self.all_functions:
            if not function.is_static:
                result.setdefault(function.name, []).append(function)
        return result

    def lookup(self, name: str, unit: Unit) -> Function | None:
        """Of the same file, `static` or not; else the first that other files can call.

        Where the files do not tell which definition a name means (each of several programs given
        together may have its own `init`), any one is taken: what is predicted is checked.
        """
        return unit.functions.get(name) or next(iter(self.shared.get(name, ())), None)

    def is_guess(self, function: Function, unit: Unit) -> bool:
        """Do other files define a function of this name, too, for this file to call?"""
        if function.unit is unit or function.is_static:
            return False
        return len([f for f in self.shared[function.name] if f.unit.in_main_file(f.node.body)]) > 1

    def kind_of(self, name: str) -> Kind:
        """Of a function that no given file defines. One that a file of the program's declares, and
        no header of the system, need not be the library's: `void gamma(cl_mem);`."""
        kind = kind_of(name)
        by_name = kind in (Kind.HARMLESS, Kind.SETTLES) and self.declares(name)
        return Kind.UNKNOWN if by_name else kind

    def declares(self, name: str) -> bool:
        """Does a file of the program's declare a function of that name?"""
        return is_on(DECLARED_HERE) and name in self._declared_functions

    @cached_property
    def _declared_functions(self) -> frozenset[str]:
        """Functions of the headers of the system are not in the trees."""
        own = (
            node.name
            for unit in self.units
            for node in unit.nodes[c_ast.Decl]
            if declares_function(node)
        )
        return frozenset(own).union(*(unit.declared_functions for unit in self.others))

    @cached_property
    def enumerators(self) -> dict[str, int]:
        """Those that mean one number in all files."""
        found: dict[str, set[int]] = {}
        for unit in self.units:
            for name, value in self.enumerators_in(unit).items():
                found.setdefault(name, set()).add(value)
        return {name: min(values) for name, values in found.items() if len(values) == 1}

    def enumerators_in(self, unit: Unit) -> dict[str, int]:
        """What the names of enumerators mean in a file, the headers it includes among it."""
        return self.remember(("enumerators", unit), lambda: _enumerators_of(unit))

    @cached_property
    def globals(self) -> dict[str, c_ast.Decl]:
        """File-scope variables; one with an initialiser is preferred."""
        result: dict[str, c_ast.Decl] = {}
        for name, node in (each for unit in self.units for each in unit.variables.items()):
            if name not in result or node.init is not None:
                result[name] = node
        return result

    @cached_property
    def types(self) -> DeclaredTypes:
        """Structs and typedefs of all files."""
        return DeclaredTypes(self.units)

    def global_of(self, name: str, unit: Unit) -> c_ast.Decl | None:
        """A file-scope variable as seen from a file: its own static ones come first."""
        own = unit.variables.get(name)
        return own if own is not None and "static" in own.storage else self.globals.get(name)

    def home_of(self, name: str, unit: Unit) -> str:
        """The file of a static variable whose name means something else elsewhere."""
        own = unit.variables.get(name)
        if own is None or "static" not in own.storage:
            return EXTERN if name in self._local_names else ""
        others = (u for u in self.units if u is not unit)
        shared = any(name in u.variables for u in others)
        return unit.source.name if shared or name in self._local_names else ""

    @cached_property
    def _local_names(self) -> frozenset[str]:
        """Variables of functions that hold regions: a global may have the same name."""
        units = (unit for unit in self.units if unit.annotations.regions)
        return frozenset(v for u in units for f in u.functions.values() for v in f.variables)

    def names_called(self, node: c_ast.Node) -> frozenset[str]:
        """Names of the functions that a statement or expression calls itself; an empty one for a
        call that has no name."""
        if node not in self._names:
            self._names[node] = frozenset(
                call.name.name if isinstance(call.name, c_ast.ID) else ""
                for call in descendants(node)
                if isinstance(call, c_ast.FuncCall)
            )
        return self._names[node]

    @cached_property
    def pointers(self) -> frozenset[str]:
        """Names that are called and may be pointers to functions."""
        nodes = (node for unit in self.units for node in unit.nodes[c_ast.Decl])
        variables = (n.name for n in nodes if not declares_function(n))
        return frozenset(variables) - {f.name for f in self.all_functions} | {""}

    @cached_property
    def settling(self) -> frozenset[str]:
        """Functions of other files around which nothing is held back."""
        named = (self.names_called(f.node.body) for f in self.all_functions)
        outside = frozenset[str]().union(*named) - {f.name for f in self.all_functions} - {""}
        unknown = (Kind.SETTLES, Kind.UNKNOWN)
        return frozenset(name for name in outside if self.kind_of(name) in unknown)


def once(find: Callable[[HostProgram], T]) -> Callable[[HostProgram], T]:
    """What is found of a program is remembered with it."""

    @wraps(find)
    def found(program: HostProgram) -> T:
        return program.remember(find, lambda: find(program))

    return found


def _enumerators_of(unit: Unit) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in unit.nodes[c_ast.EnumeratorList]:
        following: int | None = 0
        for enumerator in node.enumerators:
            if enumerator.value is not None:
                following = constant(enumerator.value, found)
            if following is None:
                break
            found[enumerator.name] = following
            following += 1
    return found


def constant(node: c_ast.Node, enumerators: dict[str, int]) -> int | None:
    """The value of a constant integer expression of literals and enumerators.

    Likely, as all values are here: what types make of large or negative numbers is not looked at.
    """
    if isinstance(node, c_ast.Constant) and "int" in node.type and node.value[-1] != "'":
        digits = node.value.rstrip("uUlL")
        return int(digits, 8 if digits[0] == "0" and digits.isdigit() else 0)
    if isinstance(node, c_ast.Constant) and node.type == "char":
        value = integer(node.value)  # char has a sign nearly everywhere
        return value - 256 if value is not None and value > 127 else value
    if isinstance(node, c_ast.ID):
        return enumerators.get(node.name)
    if isinstance(node, c_ast.Cast):
        return constant(node.expr, enumerators)
    if isinstance(node, c_ast.UnaryOp) and node.op in ("-", "+", "~"):
        inner = constant(node.expr, enumerators)
        return None if inner is None else {"-": -inner, "+": inner, "~": ~inner}[node.op]
    if isinstance(node, c_ast.BinaryOp):
        left, right = constant(node.left, enumerators), constant(node.right, enumerators)
        return None if left is None or right is None else compute(node.op, left, right)
    return None
