"""Library functions around the kernels, in many forms.

A function's name tells its form, so that programs of one file share functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from tests.random.hosts import model as m
from tests.random.hosts.kernels import GROUP, KERNELS, Kernel


@dataclass(frozen=True)
class Role:
    """What a function does with one of its vectors."""

    kind: str
    written: bool
    read: bool


@dataclass(frozen=True)
class Entry:
    function: m.Function
    roles: tuple[Role, ...]
    kernels: tuple[str, ...]

    @property
    def element_wise(self) -> bool:
        return all(KERNELS[name].element_wise for name in self.kernels)


# Forms of a function that launches one kernel, and how likely each is.
FORMS: Final = {
    "plain": 10,
    "backwards": 2,
    "counting": 3,
    "finish": 2,
    "flush": 2,
    "barrier": 1,
    "marker": 1,
    "own": 3,  # makes the kernel and releases it
    "empty": 2,  # returns where there is nothing to do
    "late": 2,  # sets an argument behind the launch
    "event": 1,
    "sized": 1,  # asks for the size of a buffer between
}

# Functions of two kernels of one input: y = second(first(x)).
CHAINS: Final = {
    "in_place": 3,  # the second works in place
    "scratch": 5,
    "scratch_released_late": 2,
    "scratch_part": 3,
    "scratch_twice": 2,  # the scratch memory is read by two kernels
}

ONE_INPUT: Final = ("i_affine", "i_copy", "i_before", "i_flip")
ONE_FLOAT_INPUT: Final = ("f_scale", "f_root", "f_around")


def _role(kernel: Kernel, name: str) -> Role:
    parameter = next(p for p in kernel.buffers if p.name == name)
    read = not parameter.written or kernel.name in ("i_next", "i_select")
    return Role(parameter.kind, parameter.written, read)


def arguments(kernel: Kernel, memory: dict[str, str]) -> list[m.Argument]:
    """A launch's arguments; scalars are variables that are called as the parameters are."""
    found = []
    for parameter in kernel.parameters:
        if parameter.is_buffer:
            found.append(m.Argument(memory=memory[parameter.name]))
        elif parameter.kind == "local":
            found.append(m.Argument(local=GROUP))
        else:
            number, quarters = parameter.name, parameter.kind == "quarters"
            found.append(m.Argument(number=number, quarters=quarters))
    return found


def settings(
    variable: str, kernel: Kernel, memory: dict[str, str], without: tuple[int, ...] = ()
) -> list[m.Statement]:
    return [
        m.SetArgument(variable, index, argument)
        for index, argument in enumerate(arguments(kernel, memory))
        if index not in without
    ]


def launch(kernel: Kernel, variable: str, local: int, items: m.Int = "n") -> m.Launch:
    # Without a guard in the kernel, a range must not be rounded up.
    guarded = any(p.name == "n" for p in kernel.parameters)
    local = GROUP if kernel.groups else local if guarded and not kernel.one_item else 0
    return m.Launch(variable, 1 if kernel.one_item else items, local)


@cache
def single(name: str, form: str, errors: m.Errors, place: m.Place, bare: bool, local: int) -> Entry:
    kernel = KERNELS[name]
    memory = {p.name: p.name for p in kernel.buffers}
    variable = "own" if form == "own" else f"k_{name}"
    sets = settings(variable, kernel, memory)
    start = launch(kernel, variable, local)
    body: list[m.Statement] = [*sets, start]
    queued = {"finish": m.Finish(), "flush": m.Flush(), "barrier": m.Barrier()}
    if form in queued:
        body.append(queued[form])
    elif form == "marker":
        body.append(m.Marker())
    elif form == "backwards":
        body[:-1] = sets[::-1]
    elif form == "own":
        body = [m.CreateKernel("own", name), *body, m.ReleaseKernel("own")]
    elif form == "empty":
        body.insert(0, m.If("n", "==", 0, (m.Return(),)))
    elif form == "late":
        body.append(m.SetArgument(variable, 0, m.Argument(memory=kernel.buffers[-1].name)))
    elif form == "event":
        body[-1] = m.Launch(start.variable, start.items, start.local, event="done")
        body.append(m.WaitFor("done"))
    elif form == "sized":
        body.insert(len(sets) // 2, m.ShowSize(kernel.buffers[0].name))
    parts = [
        name,
        form,
        errors.name.lower(),
        place.value,
        "bare" * bare,
        f"by{local}" * bool(local),
    ]
    function = m.Function(
        "_".join(part for part in parts if part),
        tuple(memory),
        (*kernel.scalars, *(["n"] if bare else [])),
        tuple(body),
        errors,
        place,
        bare,
        sized="" if bare else kernel.sized,
        counting=form == "counting",
        local_kernels=("own",) if form == "own" else (),
        events=("done",) if form == "event" else (),
    )
    return Entry(function, tuple(_role(kernel, n) for n in memory), (name,))


@cache
def chain(
    first: str, second: str, form: str, errors: m.Errors, place: m.Place, local: int
) -> Entry:
    one, two = KERNELS[first], KERNELS[second]
    between = "y" if form == "in_place" else "t"
    body: list[m.Statement] = []
    kind = one.buffers[0].kind
    if form == "scratch_part":
        body += [
            m.Create("whole", kind, "n", m.Storage.EMPTY),
            m.CreatePart("t", "whole", 0, "n"),
        ]
    elif form != "in_place":
        body.append(m.Create("t", kind, "n", m.Storage.EMPTY))
    k_first, k_second = f"k_{first}", f"k_{second}"
    body += settings(k_first, one, {"y": between, "x": "x"})
    body.append(launch(one, k_first, local))
    target = {"y": "y", "x": between}
    body += [*settings(k_second, two, target), launch(two, k_second, local)]
    if form == "scratch_twice":
        add = KERNELS["i_add" if kind == "int" else "f_blend"]
        variable = f"k_{add.name}"
        memory = {"z": "y", "x": "y", "y": "t"}
        body += [*settings(variable, add, memory), launch(add, variable, local)]
    if form == "scratch_released_late":
        body.append(m.Flush())
    if form != "in_place":
        body.append(m.Release("t"))
    if form == "scratch_part":
        body.append(m.Release("whole"))
    numbers = tuple(sorted({*one.scalars, *two.scalars}))
    parts = [first, second.split("_")[1], form, errors.name.lower(), place.value]
    function = m.Function(
        "_".join([*parts, *(["groups"] if local else [])]),
        ("y", "x"),
        numbers,
        tuple(body),
        errors,
        place,
        sized="y",
        local_vectors={"in_place": (), "scratch_part": ("whole", "t")}.get(form, ("t",)),
    )
    roles = (Role(kind, True, False), Role(kind, False, True))
    return Entry(function, roles, (first, second))


def weighted(random: Random, weights: dict[str, int]) -> str:
    return random.choices(list(weights), list(weights.values()))[0]
