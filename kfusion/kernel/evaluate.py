"""Forms of integer expressions, and the comparisons that a condition consists of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import inf
from time import monotonic

from pycparser import c_ast

from kfusion.kernel.arithmetic import (
    CHOOSING,
    RELATIONS,
    UNKNOWN,
    Known,
    Typed,
    binary,
    chosen_by,
    convert,
    one_of,
    widened,
)
from kfusion.kernel.builtins import IDS, IMAGE_SIZES
from kfusion.kernel.forms import (
    Comparison,
    Form,
    Id,
    Listed,
    Value,
    chosen,
    comparison,
    form_of,
    is_short,
    number,
)
from kfusion.kernel.members import Member
from kfusion.kernel.model import Symbol
from kfusion.kernel.simple import SimpleHelper, simple_helper
from kfusion.kernel.types import (
    INTEGERS,
    canonical,
    common,
    is_integer,
    is_unsigned,
    is_wide,
    known_size,
    members_of,
    promoted,
    qualifiers,
    resolved,
    size_of,
    vector_of,
)
from kfusion.parse.unit import Unit, arguments_of, called_name, descendants, is_step
from kfusion.source.dataclasses import dataclass

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)")
_CONVERT = re.compile(r"convert_(int|uint|long|ulong)")


class TooLongError(Exception):
    """The kernel is not read in the time that it has."""


@dataclass(frozen=True)
class Pointer:
    """A pointer into a buffer parameter; `offset` None: not understood."""

    parameter: str
    offset: Form | None  # in elements of the type, or in units
    type: str = ""  # canonical: what it points to, perhaps after a cast
    declared: str = ""  # what the parameter points to
    unit: int = 0  # of the offset, in bytes; 0: an element of the type

    @property
    def seen_as(self) -> str:
        """The type, if it is not the parameter's."""
        return self.type if self.type != self.declared else ""

    def of_elements(self, count: Form) -> Form:
        """So many elements, as the offset counts."""
        size = known_size(self.type)
        return count * number(size // self.unit) if self.unit and size else count


@dataclass(eq=False)
class Environment:
    """What is known of the variables at the current place."""

    unit: Unit
    uses: dict[int, Symbol]
    certain: Callable[[int, int], bool]  # of tokens: does no other build change them?
    values: dict[Symbol, Typed] = field(default_factory=dict)
    pointers: dict[Symbol, Pointer] = field(default_factory=dict)
    images: dict[Symbol, str] = field(default_factory=dict)  # names of parameters
    ranks: dict[str, int] = field(default_factory=dict)  # how many coordinates each has
    structures: dict[Symbol, Member] = field(default_factory=dict)
    # Of arrays that nothing changes all elements; those of the file by name.
    tables: dict[Symbol | str, tuple[Typed, ...]] = field(default_factory=dict)
    constants: dict[str, Typed] = field(default_factory=dict)  # names of the file for integers
    # Why samplers may not give the texel asked for; those of the file by name.
    samplers: dict[Symbol | str, str] = field(default_factory=dict)
    # Of variables that hold whether conditions hold: what does then, and what does if not.
    truths: dict[Symbol, tuple[Known, Known]] = field(default_factory=dict)
    texels: dict[Symbol, Form] = field(default_factory=dict)  # what a float2 names
    inside: frozenset[str] = frozenset()  # helper functions that are being evaluated
    found: dict[c_ast.Node, Typed] = field(default_factory=dict)  # since something was bound
    returned: dict[tuple[str, tuple[Typed | Member, ...]], Typed] = field(default_factory=dict)
    until: float = inf  # of the monotonic clock

    def bind(self, symbol: Symbol, value: Typed | None) -> None:
        """None: nothing is known of the variable any more."""
        self.found.clear()
        if value is None:
            del self.values[symbol]
        else:
            self.values[symbol] = value

    def reset(self, values: Mapping[Symbol, Typed], pointers: Mapping[Symbol, Pointer]) -> None:
        if values != self.values:
            self.found.clear()
        self.values, self.pointers = dict(values), dict(pointers)

    def within(self, name: str, uses: dict[int, Symbol]) -> Environment:
        """That of a helper function, at its beginning."""
        inside = self.inside | {name}
        found = Environment(self.unit, uses, self.certain, inside=inside, returned=self.returned)
        found.until, found.constants = self.until, self.constants
        found.tables.update((k, v) for k, v in self.tables.items() if isinstance(k, str))
        return found

    def certain_operator(self, node: c_ast.BinaryOp) -> bool:
        return self.certain(self.unit.index(node.left), self.unit.index(node.right))

    def symbol(self, node: c_ast.Node) -> Symbol | None:
        return self.uses.get(self.unit.index(node)) if isinstance(node, c_ast.ID) else None

    def image(self, node: c_ast.Node) -> str | None:
        symbol = self.symbol(node)
        return self.images.get(symbol) if symbol is not None else None


def evaluate(env: Environment, node: c_ast.Node) -> Typed:
    found = env.found.get(node)
    if found is None:
        if env.until < inf and monotonic() > env.until:
            raise TooLongError
        found = env.found[node] = _evaluated(env, node)
    return found


def _evaluated(env: Environment, node: c_ast.Node) -> Typed:
    if node.coord is None:  # a list of initialisers
        return UNKNOWN
    index = env.unit.index(node)
    before = isinstance(node, c_ast.UnaryOp)  # the operator stands before its operand
    if not env.certain(index - before, index):
        return UNKNOWN
    if isinstance(node, c_ast.Constant):
        return _constant(node)
    if isinstance(node, c_ast.ID):
        symbol = env.symbol(node)
        known = env.values.get(symbol) if symbol else env.constants.get(node.name)
        return known or UNKNOWN
    if isinstance(node, c_ast.Cast):
        type_ = canonical(env.unit, node.to_type)
        if isinstance(node.expr, c_ast.ExprList):
            return vector(env, node.expr.exprs, type_)
        return convert(evaluate(env, node.expr), type_)
    if isinstance(node, c_ast.CompoundLiteral):
        return vector(env, node.init.exprs, canonical(env.unit, node.type))
    if isinstance(node, c_ast.StructRef) and node.type == ".":
        whole = evaluate(env, node.name)
        return _part(whole, node.field.name) if whole.parts else _of_structure(env, node)
    if isinstance(node, c_ast.ArrayRef):
        of_table = isinstance(node.name, c_ast.ID)
        return _of_table(env, node) if of_table else _of_structure(env, node)
    if isinstance(node, c_ast.FuncCall):
        return _call(env, node)
    if isinstance(node, c_ast.UnaryOp):
        return _unary(env, node)
    if isinstance(node, c_ast.BinaryOp) and env.certain_operator(node):
        return binary(evaluate(env, node.left), node.op, evaluate(env, node.right))
    if isinstance(node, c_ast.TernaryOp):
        return _conditional(env, node)
    return UNKNOWN


def _conditional(env: Environment, node: c_ast.TernaryOp) -> Typed:
    then, otherwise = evaluate(env, node.iftrue), evaluate(env, node.iffalse)
    type_ = common(then.type, otherwise.type)
    if then.form is None or otherwise.form is None or not type_:
        return Typed(None, type_)
    if not env.certain(env.unit.index(node.cond), env.unit.index(node.iffalse)):
        return Typed(None, type_)
    when = conditions(env, node.cond)
    unless = when if when[1] else conditions(env, node.cond, negated=True)
    return one_of(when, unless, then, otherwise, type_)


def vector(env: Environment, nodes: list[c_ast.Node], type_: str) -> Typed:
    """`(int2)(a, b)`, `(int2){a, b}`, `int2 v = {a, b}`"""
    base, count = vector_of(type_) or ("", 0)
    if not base or len(nodes) != count:
        return UNKNOWN
    return Typed(None, "", tuple(convert(evaluate(env, n), base) for n in nodes))


def vector_parameter(
    name: str, type_: str, path: str = "", whole: str = "", place: int = 0
) -> Typed:
    """A parameter that is a vector of integers, or a member of one that is a structure."""
    vector = vector_of(type_)
    if vector is None:
        return UNKNOWN
    base, count = vector
    size = size_of(base)
    values = (
        Value(
            name,
            base,
            f"{path}.s{part:x}",
            whole or type_,
            place + part * size if place >= 0 else -1,
        )
        for part in range(count)
    )
    return Typed(None, "", tuple(Typed(form_of(value), base) for value in values))


def member_of(env: Environment, node: c_ast.Node) -> Member | None:
    """What `size.width` or `shape.strides[1]` stands for."""
    if isinstance(node, c_ast.ID):
        symbol = env.symbol(node)
        return env.structures.get(symbol) if symbol is not None else None
    if isinstance(node, c_ast.StructRef) and node.type == ".":
        inner = member_of(env, node.name)
        return inner.inner(env.unit, node.field.name) if inner is not None else None
    if isinstance(node, c_ast.ArrayRef):
        inner = member_of(env, node.name)
        place = evaluate(env, node.subscript).form if inner is not None else None
        if inner is not None and place is not None and place.is_constant:
            return inner.element(env.unit, place.constant)
    return None


def _of_structure(env: Environment, node: c_ast.Node) -> Typed:
    member = member_of(env, node)
    if member is None:
        return UNKNOWN
    type_ = canonical(env.unit, member.type)
    if type_ in INTEGERS:
        value = Value(member.parameter, type_, member.path, member.whole, member.bytes)
        return Typed(form_of(value), type_)
    return vector_parameter(member.parameter, type_, member.path, member.whole, member.bytes)


def _of_table(env: Environment, node: c_ast.ArrayRef) -> Typed:
    """`dx[k]`; of values that are no numbers a tree of choices by what `k` is. Beyond its values
    the array has none."""
    name = env.unit.index(node.name)
    symbol = env.symbol(node.name)
    values = env.tables.get(symbol if symbol is not None else node.name.name, ())
    at = evaluate(env, node.subscript)
    if not values or at.form is None or not is_integer(at.type) or not env.certain(name, name):
        return UNKNOWN
    if at.form.is_constant:
        inside = 0 <= at.form.constant < len(values)
        return values[at.form.constant] if inside else UNKNOWN
    text = f"{node.name.name}[{{}}]" if symbol is None and _means_one(env, node.name.name) else ""
    if not values[0].parts:
        return _element(values, at, text)
    lanes = [*zip(*(value.parts for value in values), strict=True)]
    names = "xyzw" if len(lanes) <= 4 else "0123456789abcdef"
    texts = [text and f"{text}.{'s' * (len(lanes) > 4)}{name}" for name in names[: len(lanes)]]
    return Typed(None, "", tuple(map(_element, lanes, [at] * len(lanes), texts)))


def _means_one(env: Environment, name: str) -> bool:
    """Does nothing else in the program have the name, wherever it stands?"""
    declared = sum(node.name == name for node in env.unit.nodes[c_ast.Decl])
    return declared == 1 and name not in env.unit.macros.history


def _element(values: Sequence[Typed], at: Typed, text: str) -> Typed:
    forms = [value.form for value in values if value.form is not None]
    if at.form is None or len(forms) < len(values):
        return Typed(None, values[0].type)
    if not all(form.is_constant for form in forms):
        return _chosen(values, at, 0)
    numbers = tuple(form.constant for form in forms)
    if len(set(numbers)) == 1:
        return values[0]
    text = "" if max(map(abs, numbers)) >= _SMALL else text
    text = text if values[0].type == "int" else text and f"(int){text}"
    return Typed(form_of(Listed(numbers, at.form, values[0].type, text)), values[0].type)


_SMALL = 1 << 12


def _chosen(values: Sequence[Typed], at: Typed, first: int) -> Typed:
    if len(values) == 1 or at.form is None:
        return values[0]
    half = len(values) // 2
    below = comparison("<", at.form, number(first + half), promoted(at.type), negated=False)
    a, b = _chosen(values[:half], at, first), _chosen(values[half:], at, first + half)
    if a.form is None or b.form is None:
        return Typed(None, a.type)
    return Typed(chosen([below], a.form, b.form, a.type), a.type)


def _part(value: Typed, member: str) -> Typed:
    """`v.x`, `v.s0`"""
    place = "xyzw".find(member) if len(member) == 1 else -1
    if re.fullmatch(r"[sS][0-9a-fA-F]", member):
        place = int(member[1], 16)
    return value.parts[place] if 0 <= place < len(value.parts) else UNKNOWN


_LONGEST = 70  # characters of a number of 64 bits, written in any way, with room


def _constant(node: c_ast.Constant) -> Typed:
    match = _INTEGER.fullmatch(node.value)
    if match is None or "char" in node.type or len(node.value) > _LONGEST:
        return UNKNOWN
    text, suffix = match.group(1), match.group(2).lower()
    octal = len(text) > 1 and text[0] == "0" and text[1] not in "xX"
    value = int(text, 8) if octal else int(text, 0)
    wide = "l" in suffix or value >= 1 << 32
    type_ = ("u" if "u" in suffix else "") + ("long" if wide else "int")
    if type_ == "int" and value >= 1 << 31:
        type_ = "long" if not octal and "x" not in text.lower() else "uint"
    return Typed(number(value), type_)


def _call(env: Environment, node: c_ast.FuncCall) -> Typed:
    name, arguments = called_name(node), arguments_of(node)
    if name in env.unit.functions:
        return _helper(env, node)
    if name in IDS and len(arguments) == 1:
        which = evaluate(env, arguments[0]).form
        if which is not None and which.is_constant and 0 <= which.constant <= 2:
            return Typed(form_of(Id(IDS[name], which.constant)), "size_t")
        return Typed(None, "size_t")
    if name in IMAGE_SIZES and len(arguments) == 1:
        return _image_size(env, name, arguments[0])
    converted = _CONVERT.fullmatch(name)
    if converted and len(arguments) == 1:
        return convert(evaluate(env, arguments[0]), converted.group(1))
    if (name, len(arguments)) in (("mul24", 2), ("mad24", 3)):
        # Outside of 24 bits the result is the implementation's choice.
        values = [evaluate(env, argument) for argument in arguments]
        product = binary(values[0], "*", values[1])
        return product if name == "mul24" else binary(product, "+", values[2])
    if CHOOSING.get(name) == len(arguments):
        return chosen_by(name, [evaluate(env, argument) for argument in arguments])
    return UNKNOWN


def _image_size(env: Environment, name: str, node: c_ast.Node) -> Typed:
    image = env.image(node)
    if image is None:
        return UNKNOWN
    sizes = [form_of(Value(image_size(each, image), "int")) for each in IMAGE_SIZES[name]]
    parts = tuple(Typed(size, "int") for size in sizes)
    return parts[0] if len(parts) == 1 else Typed(None, "", parts)


def image_size(which: str, image: str) -> str:
    """What the width or height of an image is called in forms."""
    return f"get_image_{which}({image})"


def image_of(size: str) -> tuple[str, str] | None:
    """The image, and whether its width or height has the name."""
    match = re.fullmatch(r"get_image_(width|height)\((.*)\)", size, re.DOTALL)
    return (match.group(2), match.group(1)) if match else None


def _helper(env: Environment, node: c_ast.FuncCall) -> Typed:
    """What a helper function returns, as if its text stood here."""
    entered = _entered(env, node)
    if entered is None:
        return UNKNOWN
    within, helper = entered
    given = (within.structures.get(s) or within.values[s] for s in helper.parameters)
    key = node.name.name, tuple(given)
    if key not in env.returned:
        env.returned[key] = _result(within, helper)
    return env.returned[key]


def _result(within: Environment, helper: SimpleHelper) -> Typed:
    unknown = Typed(None, helper.type if helper.type in INTEGERS else "")
    # A value that is not understood may come with an effect, even if nobody uses it.
    known = all(value.complete for value in within.values.values())
    known = known and (helper.result is not None or within.certain(*helper.tokens))
    return _returned(within, helper.statements, helper.type) if known else unknown


def _returned(env: Environment, nodes: Sequence[c_ast.Node], type_: str) -> Typed:
    """What is returned by statements, one after the other."""
    for place, node in enumerate(nodes):
        rest = nodes[place + 1 :]
        if isinstance(node, c_ast.Compound):
            return _returned(env, (*(node.block_items or ()), *rest), type_)
        if isinstance(node, c_ast.Return):
            return convert(evaluate(env, node.expr), type_)
        if any(isinstance(each, c_ast.Return) for each in descendants(node)):
            before, both, found = dict(env.values), _both(env, node.cond), list[Typed]()
            for way in (node.iftrue, node.iffalse):
                env.reset(before, env.pointers)
                found.append(_returned(env, (*filter(None, [way]), *rest), type_))
            return one_of(*both, found[0], found[1], type_)
        if not _ran(env, node):
            break
    return Typed(None, type_ if type_ in INTEGERS else "")


def _both(env: Environment, node: c_ast.Node) -> tuple[Known, Known]:
    """What holds under a condition, and what does if not."""
    return conditions(env, node), conditions(env, node, negated=True)


def _ran(env: Environment, node: c_ast.Node | None) -> bool:
    """Bind what a statement without a return gives to variables. False: that is not known."""
    if node is None or isinstance(node, c_ast.EmptyStatement):
        return True
    if isinstance(node, c_ast.Compound):
        return all(_ran(env, each) for each in node.block_items or ())
    if isinstance(node, c_ast.If):
        return _ran_either(env, node)
    if isinstance(node, c_ast.Decl):
        symbol = env.uses[env.unit.name_index(node)]
        if node.init is None:
            return True
        value = convert(evaluate(env, node.init), symbol.canonical)
    else:
        target = node.lvalue if isinstance(node, c_ast.Assignment) else node.expr
        found = env.symbol(target)
        if found is None:
            return False
        symbol, old = found, env.values.get(found, UNKNOWN)
        if isinstance(node, c_ast.Assignment):
            value = assigned_value(env, node, old, evaluate(env, node.rvalue), symbol.canonical)
        else:
            op, one = node.op.removeprefix("p")[0], Typed(number(1), "int")
            value = convert(binary(old, op, one), symbol.canonical)
    env.bind(symbol, value)
    return value.complete


def _ran_either(env: Environment, node: c_ast.If) -> bool:
    before, both, ways = dict(env.values), _both(env, node.cond), []
    if not (both[0][1] or both[1][1]):
        return False  # it may have an effect, too
    for way in (node.iftrue, node.iffalse):
        env.reset(before, env.pointers)
        if not _ran(env, way):
            return False
        ways.append(dict(env.values))
    env.reset(before, env.pointers)
    for symbol in (each for each in ways[0] if each in ways[1]):
        then, otherwise = ways[0][symbol], ways[1][symbol]
        if then != otherwise:
            env.bind(symbol, one_of(*both, then, otherwise, symbol.canonical))
        elif then != before.get(symbol):
            env.bind(symbol, then)
    return all(value.complete for value in env.values.values())


def _entered(env: Environment, node: c_ast.FuncCall) -> tuple[Environment, SimpleHelper] | None:
    """A simple helper function that is called, its parameters bound to their values."""
    name, arguments = called_name(node), arguments_of(node)
    helper = simple_helper(env.unit, name)
    if helper is None or name in env.inside or len(arguments) != len(helper.parameters):
        return None
    within = env.within(name, helper.uses)
    for symbol, argument in zip(helper.parameters, arguments, strict=True):
        structure = member_of(env, argument)
        if structure is not None and members_of(env.unit, structure.type):
            within.structures[symbol] = structure
        else:
            within.bind(symbol, convert(evaluate(env, argument), symbol.canonical))
    return within, helper


def _unary(env: Environment, node: c_ast.UnaryOp) -> Typed:
    if node.op == "sizeof":
        named = isinstance(node.expr, c_ast.Typename)
        size = known_size(canonical(env.unit, node.expr)) if named else None
        return Typed(number(size) if size is not None else None, "size_t")
    if node.op not in ("-", "+", "~"):
        return UNKNOWN
    value = evaluate(env, node.expr)
    if value.type not in INTEGERS:
        return UNKNOWN
    if node.op == "~":  # -1 - x in two's complement
        type_ = promoted(value.type)
        ones = (1 << INTEGERS[type_][0]) - 1 if is_unsigned(type_) else -1
        return binary(Typed(number(ones), type_), "-", value)
    form = value.form
    if form is not None and node.op == "-":
        form = None if is_unsigned(promoted(value.type)) else -form
    return Typed(form, promoted(value.type))


def conditions(env: Environment, node: c_ast.Node, *, negated: bool = False) -> Known:
    """Comparisons that all hold when the condition does, and whether they are all of it."""
    symbol = env.symbol(node)
    if symbol is not None and symbol in env.truths:
        return env.truths[symbol][negated]
    if isinstance(node, c_ast.UnaryOp) and node.op == "!":
        return conditions(env, node.expr, negated=not negated)
    if isinstance(node, c_ast.FuncCall) and env.certain(env.unit.index(node), env.unit.index(node)):
        of_parts = _of_all_parts(env, node, negated=negated)
        if of_parts is not None:
            return of_parts, True
        entered = _entered(env, node)
        result = entered[1].result if entered is not None else None
        if entered is not None and result is not None and is_condition(result):
            within, helper = entered
            known = all(value.complete for value in within.values.values())
            known = all(_ran(within, each) for each in helper.statements[:-1]) and known
            found, complete = conditions(within, result, negated=negated)
            return found, complete and known
    if not isinstance(node, c_ast.BinaryOp) or not env.certain_operator(node):
        value = evaluate(env, node)
        if value.form is None or value.type not in INTEGERS:
            return (), False
        zero = number(0)
        return (comparison("!=", value.form, zero, promoted(value.type), negated=negated),), True
    both = is_condition(node.left) and is_condition(node.right)
    if node.op in (("||", "|") if negated else ("&&", "&")) and (both or len(node.op) == 2):
        left, all_left = conditions(env, node.left, negated=negated)
        right, all_right = conditions(env, node.right, negated=negated)
        return (*left, *right), all_left and all_right
    if node.op in RELATIONS:
        a, b = evaluate(env, node.left), evaluate(env, node.right)
        type_ = common(a.type, b.type)
        if type_:
            left_, right_ = convert(a, type_).form, convert(b, type_).form
            if left_ is not None and right_ is not None:
                return (comparison(node.op, left_, right_, type_, negated=negated),), True
    return (), False


def _of_all_parts(
    env: Environment, node: c_ast.FuncCall, *, negated: bool
) -> tuple[Comparison, ...] | None:
    """`all(at < size)`; not `any(at >= size)`."""
    name, arguments = called_name(node), arguments_of(node)
    relation = arguments[0] if len(arguments) == 1 else None
    if name != ("any" if negated else "all") or name in env.unit.functions:
        return None
    if not isinstance(relation, c_ast.BinaryOp) or relation.op not in RELATIONS:
        return None
    left, right = evaluate(env, relation.left), evaluate(env, relation.right)
    left, right = widened(left, right), widened(right, left)
    found: list[Comparison] = []
    for a, b in zip(left.parts, right.parts, strict=False):
        if a.form is None or b.form is None or a.type != b.type or not is_wide(a.type):
            return None
        found.append(comparison(relation.op, a.form, b.form, promoted(a.type), negated=negated))
    same = len(left.parts) == len(right.parts) > 0 and env.certain_operator(relation)
    return tuple(found) if same else None


def is_condition(node: c_ast.Node) -> bool:
    """0 or 1 in any type: no conversion of a result changes it."""
    if isinstance(node, c_ast.UnaryOp):
        return bool(node.op == "!")
    return isinstance(node, c_ast.BinaryOp) and node.op in (*RELATIONS, "&&", "||")


def resolve_pointer(env: Environment, node: c_ast.Node) -> Pointer | None:
    """The buffer that a pointer expression points into, as far as it is simple."""
    if isinstance(node, c_ast.ID):
        symbol = env.symbol(node)
        return env.pointers.get(symbol) if symbol else None
    if isinstance(node, c_ast.Cast):
        inner = resolve_pointer(env, node.expr)
        return cast_pointer(env.unit, inner, node.to_type.type) if inner is not None else None
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        certain = env.certain_operator(node)
        left = resolve_pointer(env, node.left)
        if left is not None:
            by = offset_of(evaluate(env, node.right)) if certain else None
            return moved(left, by, node.op)
        right = resolve_pointer(env, node.right)
        if right is not None and node.op == "+":
            return moved(right, offset_of(evaluate(env, node.left)) if certain else None, "+")
    if isinstance(node, c_ast.UnaryOp) and node.op == "&" and isinstance(node.expr, c_ast.ArrayRef):
        base = resolve_pointer(env, node.expr.name)
        if base is not None:
            return moved(base, offset_of(evaluate(env, node.expr.subscript)), "+")
    if isinstance(node, c_ast.Assignment):
        return assigned_pointer(env, node)  # `*(p += i)`
    if is_step(node):
        base = resolve_pointer(env, node.expr)
        before = node.op.startswith("p")
        return base if before or base is None else moved(base, number(1), node.op[0])
    return None


def cast_pointer(unit: Unit, pointer: Pointer, node: c_ast.Node) -> Pointer | None:
    """`(global float4 *)a`; None: not a pointer to values."""
    target = resolved(unit, node)
    plain = isinstance(target, c_ast.PtrDecl) and isinstance(
        resolved(unit, target.type), c_ast.TypeDecl
    )
    if not plain or "volatile" in qualifiers(unit, target.type):
        return None
    type_ = canonical(unit, target.type)
    if type_ == pointer.type or pointer.offset is None:
        return replace(pointer, type=type_)
    offset, bytes_ = _in_units(pointer, pointer.offset, known_size(type_))
    return replace(pointer, offset=offset, unit=bytes_, type=type_)


def _in_units(pointer: Pointer, offset: Form, size: int | None) -> tuple[Form | None, int]:
    """The offset in elements of the size, if they divide it; else as it is, in its unit."""
    unit = pointer.unit or known_size(pointer.type)
    if not offset.terms:
        return offset, 0
    if size is None or unit is None:
        return None, 0
    if unit % size == 0:
        return offset * number(unit // size), 0
    whole, rest = offset.divided(size // unit) if size % unit == 0 else (Form(), offset)
    if not rest.terms:
        return whole, 0
    return (offset, unit) if size % unit == 0 else (None, 0)


def offset_of(value: Typed) -> Form | None:
    """An index as it is added to a pointer: in 64 bits."""
    wide = "ulong" if is_unsigned(value.type) else "long"
    return convert(value, wide).form


def moved(pointer: Pointer, by: Form | None, op: str) -> Pointer:
    if pointer.offset is None or by is None:
        return replace(pointer, offset=None)
    by = pointer.of_elements(by)
    offset = pointer.offset + by if op == "+" else pointer.offset - by
    return replace(pointer, offset=offset if is_short(offset) else None)


def assigned_pointer(env: Environment, node: c_ast.Assignment) -> Pointer | None:
    """What a pointer variable points to behind `p = a + i` or `p += i`."""
    if node.op == "=":
        return resolve_pointer(env, node.rvalue)
    symbol = env.symbol(node.lvalue)
    pointer = env.pointers.get(symbol) if symbol is not None else None
    if pointer is None or node.op not in ("+=", "-="):
        return None
    return moved(pointer, offset_of(evaluate(env, node.rvalue)), node.op[0])


def assigned_value(
    env: Environment, node: c_ast.Assignment, old: Typed, given: Typed, type_: str
) -> Typed:
    """What a variable of the type holds behind `i = ...` or `i += ...`."""
    at = env.unit.index(node.lvalue)
    certain = env.certain(at, env.unit.index(node.rvalue))
    if not certain:
        return convert(UNKNOWN, type_)
    return convert(given if node.op == "=" else binary(old, node.op[:-1], given), type_)
