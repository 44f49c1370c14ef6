"""The switchboard of the legality checks.

Every check that keeps an illegal fusion from happening asks `is_on` under a name of its
own. Only the mutation tests switch one off (KFUSION_TEST_UNPROTECTED=name,name), to see
that a named test then fails.
"""

from __future__ import annotations

import os

PROTECTIONS: dict[str, str] = {}


_OFF = set(filter(None, os.environ.get("KFUSION_TEST_UNPROTECTED", "").split(",")))


def switch_off(name: str) -> None:
    """In this process from now on."""
    _OFF.add(name)


def protection(name: str, what: str) -> str:
    """Register a protection; returns its name, to be kept as a module constant."""
    PROTECTIONS[name] = what
    return name


def is_on(name: str) -> bool:
    assert name in PROTECTIONS, name
    return name not in _OFF


def switched_off() -> frozenset[str]:
    return frozenset(_OFF)
