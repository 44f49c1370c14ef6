"""Random kernels over arrays of one to three dimensions that read neighbours, or do not.

Products and sums are statements of their own: a compiler that contracts makes the same of them
wherever they stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random

from tests.stencils.judge import Border, Point, Read

WEIGHTS = "k"  # the buffer of those that are passed
WEIGHT_COUNT = 27
MOST = {1: 13, 2: 2, 3: 1}  # the reach of a window with so many weights
SCALAR = {"float": "float", "float4": "float", "double": "double", "int": "int"}
ZERO = {"float": "0.0f", "float4": "(float4)(0.0f)", "double": "0.0", "int": "0"}
CLIPS = """\
int {0}_clip(int v, int n) {{ return v < 0 ? 0 : v >= n ? n - 1 : v; }}
int {0}_ends(int v, int n) {{ if (v < 0) return 0; if (v >= n) return n - 1; return v; }}
int {0}_set(int v, const int n) {{ if (v < 0) v = 0; else if (v > n - 1) v = n - 1; return v; }}
int {0}_mirror(int v, int n) {{ if (v < 0) v = -v; if (v >= n) v = 2 * n - 2 - v; return v; }}
int {0}_reflect(int v, int n)
{{ if (v < 0) return -1 - v; if (v < n) return v; n = 2 * n; return n - 1 - v; }}
int {0}_wrap(int v, int n)
{{ int r = v; if (v < 0) r += n; else if (v >= n) {{ r -= n; }} return r; }}
#define {0}_CLIP(v, n) min(max(v, 0), (n) - 1)
"""
CALLED = ("mirror", "reflect", "wrap")  # borders that functions make
CLIP_STYLES = ["clamp", "min", "min max", "ternary", "ternary", "clip", "CLIP", "if"]
BORDERS: list[Border] = ["clamp", "last", "mirror", "reflect", "wrap", "constant", "guarded"]
_ONE = re.compile(r"\w*|\w*\([^()]*(\([^()]*\)[^()]*)*\)")  # a name, a call, brackets


@dataclass(frozen=True)
class Written:
    """A kernel's text, and what it does."""

    text: str
    buffers: tuple[str, ...]  # its arguments; and scalars: the extents
    size: tuple[int, ...]
    reads: tuple[Read, ...]
    stores: tuple[str, ...]
    margin: Point  # how far elements of items are from the borders
    colour: int | None  # None: or else every second one

    def holds(self, item: Point) -> bool:
        return self.colour is None or sum(item) % 2 == self.colour


def written(
    random: Random,
    name: str,
    size: Point,
    type_: str,
    inputs: dict[str, bool],
    outputs: list[str],
    *,
    colour: int | None,
    rounded: bool,
) -> Written:
    return _Kernel(random, name, size, type_, inputs, outputs, colour, rounded).written()


def _bracketed(text: str) -> str:
    return text if _ONE.fullmatch(text) else f"({text})"


def _code(by: int) -> str:
    return f"{'m' if by < 0 else 'p'}{abs(by)}"


class _Kernel:
    """A kernel while it is written."""

    def __init__(
        self,
        random: Random,
        name: str,
        size: Point,
        type_: str,
        inputs: dict[str, bool],
        outputs: list[str],
        colour: int | None,
        rounded: bool,
    ) -> None:
        self.random, self.name, self.size, self.type, self.colour = (
            random,
            name,
            size,
            type_,
            colour,
        )
        self.inputs, self.outputs = inputs, outputs
        self.dimensions = range(len(size))
        self.wide = random.random() < 0.35
        self.reach = random.choice([1, 1, 1, 2] if len(size) > 1 else [1, 1, 2, 3])
        self.clip = random.choice(CLIP_STYLES)
        self.style = random.choice(["inline", "named", "named", "rows", "flat", "loop"])
        if colour is not None:  # and no corners
            self.reach, self.style = 1, "inline"
        all_: list[Border] = [random.choice(["clamp", "guarded", *BORDERS])] * len(size)
        mixed = [random.choice(BORDERS) for _ in size]
        borders = all_ if random.random() < 0.7 else mixed
        self.borders = tuple(map(self._possible, borders, size))
        if any(inputs.values()):
            self.margin = tuple(self.reach * (b == "guarded") for b in self.borders)
        else:
            self.margin = (int(random.random() < 0.1),) * len(size)
        self._place(rounded)
        # Items at the edge read nothing but what they copy: a little less than is said here.
        inner: Border = "constant" if self.edge else "guarded"
        self.told = tuple(inner if border == "guarded" else border for border in self.borders)
        self.parameters = {name: f"o{k}" for k, name in enumerate(outputs)}
        for each in inputs:
            self.parameters.setdefault(each, f"i{len(self.parameters)}")
        self.reads: list[Read] = []
        self.declared: dict[str, str] = {}  # variables, each with its declaration
        self.values = 0  # of which `s` is made
        self.head = self.weights = ""
        self.own = self.element(self.vars)
        if self.style == "flat" or random.random() < 0.5:
            self.declared["i"] = f"const {'size_t' if self.wide else 'int'} i = {self.own};"
            self.own = "i"

    def _possible(self, border: Border, extent: int) -> Border:
        """Clamped, if the array is so small that the border would lead outside."""
        least = {"mirror": self.reach + 1, "reflect": self.reach, "wrap": self.reach}
        return border if self.colour is None and extent >= least.get(border, 0) else "clamp"

    def _place(self, rounded: bool) -> None:
        """Which items there are: ids are those of elements, or begin at the margin."""
        fits = all(n > 2 * m for n, m in zip(self.size, self.margin, strict=True))
        moved = any(self.margin) and fits and self.random.random() < 0.3
        inline = moved and self.random.random() < 0.5
        self.vars = [
            f"({'xyz'[d]} + {m})" if inline and m else "xyz"[d] for d, m in enumerate(self.margin)
        ]
        begins = [f" + {m}" if moved and m and not inline else "" for m in self.margin]
        type_ = "size_t" if self.wide else "int"
        self.ids = [
            f"const {type_} {'xyz'[d]} = get_global_id({d}){begin};"
            for d, begin in enumerate(begins)
        ]
        self.outside: list[str] = []  # conditions
        self.edge: list[str] = []  # of items that copy
        copying = len(self.outputs) == 1 and self.style != "rows" and self.random.random() < 0.3
        for d, margin in enumerate(self.margin):
            var, extent = self.vars[d], "whd"[d]
            if margin and not moved:
                behind = [f"{var} + {margin} >= {extent}", f"{var} >= {extent} - {margin}"]
                behind = [f"{var} < {margin}", self.random.choice(behind[: 1 if self.wide else 2])]
                (self.edge if copying else self.outside).extend(behind)
            if rounded and (copying or not margin):
                self.outside.append(f"{var} >= {extent}")
        if moved:
            self.launch = tuple(n - 2 * m for n, m in zip(self.size, self.margin, strict=True))
        elif rounded:
            more = {1: [16], 2: [8, 4], 3: [4, 2, 2]}[len(self.size)]
            self.launch = tuple(-(-n // m) * m for n, m in zip(self.size, more, strict=True))
        else:
            self.launch = self.size
        if self.colour is not None:
            self.outside.append(f"(({' + '.join(self.vars)}) & 1) != {self.colour}")

    # Coordinates and elements

    def coordinate(self, d: int, by: int) -> str:
        var, extent, border, k = self.vars[d], "whd"[d], self.borders[d], abs(by)
        if not by:
            return var
        at = f"{var} {'-' if by < 0 else '+'} {k}"
        signed = f"(int){at}" if self.wide else at
        below, behind = f"{var} < {k}", f"{var} + {k} >= {extent}"
        if border in CALLED and Random(f"{self.name} {self.size} {by}").random() < 0.3:
            return f"{self._prefix}_{border}({signed}, {extent})"
        match border:
            case "clamp":
                return self._clamped(d, signed, by)
            case "last":
                to = "size_t" if self.wide else "uint"
                return f"(int)min(({to})({at}), ({to})({extent} - 1))"
            case "mirror" if by < 0:
                return self.random.choice([f"({below} ? {k} - {var} : {at})", f"abs({signed})"])
            case "mirror":
                return f"({behind} ? 2 * {extent} - 2 - ({at}) : {at})"
            case "reflect" if by < 0:
                return f"({below} ? {k - 1} - {var} : {at})"
            case "reflect":
                return f"({behind} ? 2 * {extent} - 1 - ({at}) : {at})"
            case "wrap" if k == 1 and self.clip == "ternary":
                return f"({below} ? {extent} - 1 : {at})" if by < 0 else f"({behind} ? 0 : {at})"
            case "wrap":
                return f"({var} + {extent} - {k}) % {extent}" if by < 0 else f"({at}) % {extent}"
        return at

    def _clamped(self, d: int, at: str, by: int) -> str:
        var, extent, k = self.vars[d], "whd"[d], abs(by)
        plain = at.removeprefix("(int)")
        match self.clip:
            case "clamp" | "if":
                return f"clamp({at}, 0, {extent} - 1)"
            case "min":
                return f"max({at}, 0)" if by < 0 else f"min({at}, {extent} - 1)"
            case "min max":
                return f"min(max({at}, 0), {extent} - 1)"
            case "ternary" if by < 0:
                return f"({var} {'> 0' if k == 1 else f'>= {k}'} ? {plain} : 0)"
            case "ternary":
                return f"({var} + {k} < {extent} ? {plain} : {extent} - 1)"
        named = Random(f"{self.name} {by}").choice(["clip", "ends", "set"])
        return f"{self._prefix}_{named if self.clip == 'clip' else self.clip}({at}, {extent})"

    @property
    def _prefix(self) -> str:
        """Of names that the program has for its functions and macros."""
        return self.name.rpartition("_")[0]

    def element(self, coordinates: Sequence[str]) -> str:
        """The index of row by row."""
        found = coordinates[-1]
        for d in reversed(self.dimensions[:-1]):
            found = f"{_bracketed(found)} * {'whd'[d]} + {coordinates[d]}"
        return found

    def _named(self, d: int, by: int) -> str:
        """A coordinate, which has a variable of its own or has not."""
        if self.style == "inline" or not by:
            return self.coordinate(d, by)
        name = f"{'xyz'[d]}{_code(by)}"
        if name not in self.declared:
            text = f"const int {name} = {self.coordinate(d, by)};"
            if self.borders[d] == "clamp" and self.clip == "if":
                sign = "-" if by < 0 else "+"
                text = f"int {name} = {self.vars[d]} {sign} {abs(by)}; "
                text += f"if ({name} < 0) {name} = 0;" if by < 0 else ""
                text += f"if ({name} >= {'whd'[d]}) {name} = {'whd'[d]} - 1;" if by > 0 else ""
            self.declared[name] = text
        return name

    def _flat(self, offset: Point) -> str:
        found = self.own
        for d, by in enumerate(offset):
            factors = [str(abs(by))] * (abs(by) > 1 or not d) + ["whd"[n] for n in range(d)]
            found += f" {'-' if by < 0 else '+'} {' * '.join(factors)}" if by else ""
        return found

    def _row(self, parameter: str, offset: Point) -> str:
        """A pointer to the beginning of a row."""
        name = f"{parameter}_{''.join(map(_code, offset[1:]))}"
        if name not in self.declared:
            rest = [self._named(d, offset[d]) for d in self.dimensions[1:]]
            begin = self.element(["0", *rest]).removesuffix(" + 0")
            self.declared[name] = f"__global const {self.type} *{name} = {parameter} + {begin};"
        return name

    def load(self, buffer: str, offset: Point) -> str:
        """The value of an element, or a constant where there is none."""
        self.reads.append(Read(buffer, offset, self.told))
        parameter = self.parameters[buffer]
        moved = [d for d in self.dimensions if offset[d]]
        constant = [d for d in moved if self.borders[d] == "constant"]
        if not moved:
            return f"{parameter}[{self.own}]"
        if self.style == "flat" and all(self.borders[d] in ("guarded", "constant") for d in moved):
            text = f"{parameter}[{self._flat(offset)}]"
        elif self.style == "rows" and any(offset[1:]) and not set(constant) - {0}:
            text = f"{self._row(parameter, offset)}[{self._named(0, offset[0])}]"
        else:
            index = self.element([self._named(d, offset[d]) for d in self.dimensions])
            text = f"{parameter}[{index}]"
        there = [
            f"{self.vars[d]} >= {-offset[d]}"
            if offset[d] < 0
            else f"{self.vars[d]} + {offset[d]} < {'whd'[d]}"
            for d in constant
        ]
        return f"({' && '.join(there)} ? {text} : {ZERO[self.type]})" if there else text

    # Statements

    def number(self) -> str:
        if self.type == "int":
            return self.random.choice("235")
        found = self.random.choice(["0.25", "0.5", "1.5", "0.1", "-0.75"])
        return found + "f" * (self.type != "double")

    def offsets(self) -> list[Point]:
        """A neighbourhood: its box, the ends of its axes, or a few points of it."""
        around = range(-self.reach, self.reach + 1)
        box = list(product(around, repeat=len(self.size)))
        cross = [p for p in box if sum(map(bool, p)) <= 1]
        if self.colour is not None:
            return [p for p in cross if any(p)]
        few = self.random.sample(box, min(len(box), self.random.randint(1, 4)))
        forward = [p for p in cross if min(p) >= 0]
        row = [p for p in cross if not any(p[:-1])]
        return self.random.choice(
            [cross, row, box if len(box) <= WEIGHT_COUNT else cross, few, forward]
        )

    def add(self, value: str, how: str) -> list[str]:
        """Statements that make `s` of one more value."""
        self.values += 1
        n, made = self.values, []
        if how == "weighted":
            made = [f"const {self.type} m{n} = {self.number()} * {value};"]
            value = f"m{n}"
        if n == 1:
            return [*made, f"{self.type} s = {value};"]
        if how == "most":
            return [f"s = {'max' if self.type == 'int' else 'fmax'}(s, {value});"]
        return [*made, f"s = {f'{value} - s' if how == 'difference' else f's + {value}'};"]

    def window(self, buffer: str) -> list[str]:
        """Loops over a box, or over offsets in arrays, with weights or without."""
        if self.random.random() < 0.4:
            return self.listed(buffer)
        reach = min(self.reach, MOST[len(self.size)])
        box = [(-reach, self.random.choice([reach, 0])) for _ in self.size]
        self.reads += [
            Read(buffer, offset, self.told)
            for offset in product(*(range(low, high + 1) for low, high in box))
        ]
        counts = [high - low + 1 for low, high in box]
        lines = [f"{self.type} s = {ZERO[self.type]};"] if not self.values else []
        self.values += 1
        for d in reversed(self.dimensions):
            low, high = box[d]
            name = f"d{'xyz'[d]}"
            lines.append(f"for (int {name} = {low}; {name} <= {high}; {name}++) {{")
            lines += self._looped(d, name)
        at = ""
        for d in reversed(self.dimensions):
            step = f"(d{'xyz'[d]} + {-box[d][0]})"
            at = f"({at}) * {counts[d]} + {step}" if at else step
        return [*lines, *self._summed(buffer, at, prod(counts)), *"}" * len(self.size)]

    def listed(self, buffer: str) -> list[str]:
        """A loop over the elements of arrays, which the file or the kernel declares."""
        points = self.offsets()[:WEIGHT_COUNT]
        self.reads += [Read(buffer, offset, self.told) for offset in points]
        lines = [f"{self.type} s = {ZERO[self.type]};"] if not self.values else []
        self.values += 1
        arrays = [f"{self.name}_{'xyz'[d]}{self.values}" for d in self.dimensions]
        for d, array in enumerate(arrays):
            numbers = ", ".join(str(point[d]) for point in points)
            declared = f"int {array}[{len(points)}] = {{{numbers}}};"
            if self.random.random() < 0.5:
                self.head += f"__constant {declared}\n"
            else:
                lines.append(self.random.choice(["", "const "]) + declared)
        lines.append(f"for (int n = 0; n < {len(points)}; n++) {{")
        for d, array in enumerate(arrays):
            lines += self._looped(d, f"{array}[n]")
        return [*lines, *self._summed(buffer, "n", len(points)), "}"]

    def _summed(self, buffer: str, at: str, count: int) -> list[str]:
        """One more element, with a weight at `at` of so many, or without."""
        index = self.element([2 * each for each in "xyz"[: len(self.size)]])
        value = f"{self.parameters[buffer]}[{index}]"
        there = [
            f"{v}{v} >= 0 && {v}{v} < {e}"
            for v, e, border in zip("xyz", "whd", self.borders, strict=False)
            if border == "constant"
        ]
        if there:
            value = f"{' && '.join(there)} ? {value} : {ZERO[self.type]}"
        return [f"const {self.type} v = {value};", *self._weighted(at, count)]

    def _looped(self, d: int, step: str) -> list[str]:
        """The coordinate so many steps away."""
        var, extent, border, name = self.vars[d], "whd"[d], self.borders[d], 2 * "xyz"[d]
        at = f"{'(int)' if self.wide else ''}{var} + {step}"
        match border:
            case "clamp":
                texts = [f"clamp({at}, 0, {extent} - 1)", f"min(max({at}, 0), {extent} - 1)"]
                return [f"const int {name} = {self.random.choice(texts)};"]
            case "last":
                return [f"const int {name} = min((uint)({at}), (uint)({extent} - 1));"]
            case "wrap":
                return [f"const int {name} = ({at} + {extent}) % {extent};"]
            case "mirror" | "reflect":
                less, more = ("", 2) if border == "mirror" else ("-1 ", 1)
                return [
                    f"int {name} = {at};",
                    f"{name} = {name} < 0 ? {less}-{' ' * bool(less)}{name} : {name};",
                    f"{name} = {name} >= {extent} ? 2 * {extent} - {more} - {name} : {name};",
                ]
        return [f"const int {name} = {at};"]

    def _weighted(self, at: str, count: int) -> list[str]:
        kind = self.random.choice(["none", "table", "__constant", "__global const"])
        if kind == "none":
            return ["s = s + v;"]
        if kind == "table":
            table, scalar = f"{self.name}_weights{self.head.count('=')}", SCALAR[self.type]
            numbers = ", ".join(self.number() for _ in range(count))
            self.head += f"__constant {scalar} {table}[{count}] = {{{numbers}}};\n"
        else:
            self.weights, table = kind, WEIGHTS
        return [f"const {self.type} m = {table}[{at}] * v;", "s = s + m;"]

    def sums(self) -> list[str]:
        """`s`, of all that is read."""
        how = self.random.choice(["sum", "sum", "weighted", "weighted", "most", "difference"])
        lines: list[str] = []
        for buffer, near in self.inputs.items():
            if near and self.style == "loop":
                lines += self.window(buffer)
                continue
            loads = [self.load(buffer, p) for p in (self.offsets() if near else [self.none])]
            if len(loads) > 1 and how == "sum" and self.random.random() < 0.5:
                loads = [f"({' + '.join(loads)})"]
            lines += [line for load in loads for line in self.add(load, how)]
        if self.random.random() < 0.4:
            lines.append(f"s = s * {self.number()};")
        if self.random.random() < 0.2:
            lines.append(f"s = s + ({SCALAR[self.type]})({' + '.join(self.vars)});")
        around = [name for name, near in self.inputs.items() if near]
        if around and self.colour is None and self.type != "float4" and self.random.random() < 0.04:
            lines += self._chosen(around[0])
        return lines

    @property
    def none(self) -> Point:
        return (0,) * len(self.size)

    def _chosen(self, buffer: str) -> list[str]:
        """What is read depends on what has been read."""
        at = f"min({'(int)' if self.wide else ''}{self.vars[0]} + j, w - 1)"
        ends: list[Border] = ["clamp"] * len(self.size)
        self.reads += [Read(buffer, (by, *self.none[1:]), tuple(ends)) for by in (0, 1)]
        index = self.element([at, *self.vars[1:]])
        return ["const int j = s > 2;", f"s = s + {self.parameters[buffer]}[{index}];"]

    def stored(self) -> str:
        """The item's element; sometimes by an index that means it under the guards only."""
        random = Random(f"{self.name} {self.type} {self.size} {self.own}")
        if self.edge or random.random() >= 0.3:
            return self.own
        coordinates = list(self.vars)
        d = random.choice(self.dimensions)
        var, first, last = coordinates[d], self.margin[d], f"{'whd'[d]} - {1 + self.margin[d]}"
        forms = [f"({var} <= {last} ? {var} : {last})"]
        forms += [] if self.wide else [f"min({var}, {last})", f"max({var}, {first})"]
        coordinates[d] = random.choice(forms)
        return self.element(coordinates)

    def stores(self) -> list[str]:
        kept = "s & 1023" if self.type == "int" else "s"
        stored = self.stored()
        first, *more = (f"{self.parameters[name]}[{stored}]" for name in self.outputs)
        lines = [f"{first} = {kept};"]
        if self.type != "float4" and self.random.random() < 0.05:
            lines = [f"if (s > 1) {first} = {kept};"]
            self.reads.append(Read(self.outputs[0], self.none, self.told))
        for element in more:
            if self.random.random() < 0.5:  # an array that is updated in place
                self.reads.append(Read(self.outputs[1], self.none, self.told, since=1))
                lines += [f"s = s + {element};", f"{element} = {kept};"]
            else:
                lines += [f"s = s * {self.number()};", f"{element} = {kept};"]
        return lines

    def _copying(self, work: list[str]) -> list[str]:
        """Items at the edge pass a value on."""
        buffer = self.random.choice(list(self.inputs))
        self.reads.append(Read(buffer, self.none, self.told))
        to, of = self.parameters[self.outputs[0]], self.parameters[buffer]
        copy = f"{to}[{self.own}] = {of}[{self.own}];"
        if self.random.random() < 0.5:
            return [f"if ({' || '.join(self.edge)}) {{", copy, "} else {", *work, "}"]
        return [f"if ({' && '.join(map(_opposite, self.edge))}) {{", *work, f"}} else {copy}"]

    def written(self) -> Written:
        work = [*self.sums(), *self.stores()]
        variables = list(self.declared.values())
        if self.edge:
            work = self._copying(work)
        if self.outside and self.random.random() < 0.5:
            leave = [f"if ({' || '.join(self.outside)}) return;"]
            body = [*leave, *variables, *work]
            if self.random.random() < 0.5:
                body = [*variables, *leave, *work]
        elif self.outside:
            inside = " && ".join(map(_opposite, self.outside))
            body = [f"if ({inside}) {{", *variables, *work, "}"]
        else:
            body = [*variables, *work]
        parameters = [
            f"__global {'' if name in self.outputs else 'const '}{self.type} *{parameter}"
            for name, parameter in self.parameters.items()
        ]
        buffers = tuple(self.parameters)
        if self.weights:
            parameters.append(f"{self.weights} {SCALAR[self.type]} *{WEIGHTS}")
            buffers = (*buffers, WEIGHTS)
        parameters += [f"int {extent}" for extent in "whd"[: len(self.size)]]
        text = "\n".join(f"    {line}" for line in [*self.ids, *body])
        return Written(
            f"{self.head}__kernel void {self.name}({', '.join(parameters)})\n{{\n{text}\n}}\n",
            buffers,
            self.launch,
            tuple(self.reads),
            tuple(self.outputs),
            self.none if self.edge else self.margin,
            self.colour,
        )


def _opposite(condition: str) -> str:
    left, sign, right = re.split(r" (<|>=|!=) ", condition)
    return f"{left} {({'<': '>=', '>=': '<', '!=': '=='})[sign]} {right}"
