"""`dataclass`, as in the standard library, but quick to define.

The one of the standard library compiles up to six methods for each class, whenever the
program starts: with the hundred and more of kfusion that was a quarter of a short run.
Here nothing is compiled before it is called, and all but `__init__` is shared. A frozen
value also remembers its hash: the values of host expressions are deep, and keys of many
dictionaries.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 (it is exported)
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True):
        def define(cls):
            return _define(cls, frozen, eq)

        return define if cls is None else define(cls)


_HASH = "hash of the values"  # in an object's dictionary, where no field can be called so


def _define(cls: type, frozen: bool, eq: bool) -> type:
    defaults: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for name in inspect.get_annotations(base):
            defaults[name] = base.__dict__.get(name, dataclasses.MISSING)
    names = list(defaults)
    methods: dict[str, Any] = {
        "__init__": _init(cls, defaults),
        "__repr__": _repr,
        "__match_args__": tuple(names),
        "__dataclass_fields__": _Fields(),
    }
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse, "__getstate__": _state}
    if eq:
        values = attrgetter(*names) if names else lambda _: ()
        methods |= {"__eq__": _eq(values), "__hash__": _hash(values) if frozen else None}
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    return cls


class _Fields:
    """For `replace` and `fields`: the standard library finds them when it is asked."""

    def __get__(self, _: object, cls: type) -> Any:
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # else its signature would be computed for it
        delattr(cls, "__dataclass_fields__")
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
        return cls.__dict__["__dataclass_fields__"]


def _init(cls: type, defaults: dict[str, Any]) -> Callable[..., None]:
    """Compiles the real one when the first object is made."""

    def init(self: object, *args: Any, **kwargs: Any) -> None:
        compiled = _compiled_init(cls, defaults)
        setattr(cls, "__init__", compiled)  # noqa: B010 (mypy: no assignment to a method)
        compiled(self, *args, **kwargs)

    return init


def _compiled_init(cls: type, defaults: dict[str, Any]) -> Callable[..., None]:
    """Names of its own have two underscores: they are not the names of fields."""
    scope: dict[str, Any] = {"missing__": dataclasses.MISSING}
    parameters, body = ["self"], ["    values__ = self.__dict__"]
    for number, (name, default) in enumerate(defaults.items()):
        if isinstance(default, dataclasses.Field):
            scope[f"new__{number}"] = default.default_factory
            parameters.append(f"{name}=missing__")
            body.append(f"    if {name} is missing__: {name} = new__{number}()")
        elif default is not dataclasses.MISSING:
            scope[f"default__{number}"] = default
            parameters.append(f"{name}=default__{number}")
        else:
            parameters.append(name)
        body.append(f"    values__['{name}'] = {name}")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *body]), scope)
    compiled: Callable[..., None] = scope["__init__"]
    compiled.__qualname__ = f"{cls.__qualname__}.__init__"
    return compiled


def _eq(values: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    def eq(self: Any, other: Any) -> bool:
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented  # type: ignore[no-any-return]
        same: bool = values(self) == values(other)
        return same

    return eq


def _hash(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def hash_(self: Any) -> int:
        known = self.__dict__
        if _HASH not in known:
            known[_HASH] = hash(values(self))
        number: int = known[_HASH]
        return number

    return hash_


def _state(self: Any) -> dict[str, Any]:
    """For copies and pickles: hashes of texts differ from process to process."""
    return {name: value for name, value in self.__dict__.items() if " " not in name}


def _repr(self: Any) -> str:
    values = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self))
    return f"{type(self).__qualname__}({values})"


def _refuse(_: object, name: str, *_value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")
