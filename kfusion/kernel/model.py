"""What kfusion knows of a kernel: parameters, accesses, guards and features.

A kernel's body is read as: declarations and guards first (the *prelude*), then the
statements that do the work. An *access* is one place in the text where a work-item
reads or writes an element of a buffer.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import field
from enum import Enum

from kfusion.kernel.forms import Comparison, Form
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.text import Span


@dataclass(frozen=True)
class Parameter:
    name: str
    index: int
    space: str  # global, constant, local; private for values, images and samplers
    type: str  # as written, without address space, qualifiers and pointer: "REAL"
    canonical: str  # two types are the same only if these are equal
    pointer: bool
    const: bool  # what it points to is const (or the value is)
    restrict: bool
    volatile: bool
    image: str | None  # read_only, write_only or read_write; None: not an image
    text: str  # as written
    span: Span
    hidden: bool = False  # its type is a name that stands for a pointer
    nested: bool = False  # it points to arrays or pointers

    @property
    def is_buffer(self) -> bool:
        return self.pointer and self.space in ("global", "constant")

    @property
    def is_followed_image(self) -> bool:
        """Either read or written."""
        return self.image is not None and self.image != "read_write"

    @property
    def is_scalar(self) -> bool:
        return not self.pointer and self.image is None and self.canonical != "sampler_t"


class Mode(Enum):
    READ = "read"
    WRITE = "write"
    UPDATE = "update"  # reads and writes: `a[i] += x`

    @property
    def reads(self) -> bool:
        return self is not Mode.WRITE

    @property
    def writes(self) -> bool:
        return self is not Mode.READ


OF_KERNEL = "one of the kernel's own"


@dataclass(frozen=True)
class Texel:
    """An access to an image, which is a call: read_imagef(image, sampler, (int2)(x, y))."""

    type: str  # of what is read or written: float4
    index: tuple[int, int]  # the tokens of the coordinates
    value: int | None = None  # the token before what is written: a comma
    sampler: str = ""  # its name, if the file declares it, or OF_KERNEL; "": there is none
    trouble: str = ""  # why it need not be the texel at the coordinates that is read


@dataclass(frozen=True)
class Access:
    """One access to an element of a buffer or image, in the order in which they happen."""

    parameter: str
    mode: Mode
    form: Form | None  # None: the index is not understood
    index_type: str  # the C type that the index is computed in
    facts: tuple[Comparison, ...]  # what holds here: guards, conditions, loop bounds
    conditional: bool  # under a condition of its own, or in a loop
    looped: bool
    every_item: bool  # does it, in all rounds of loops that have some
    statement: int  # which of the body's statements it is in; -1: the prelude
    first: int  # tokens of the expression
    last: int
    span: Span
    whole: bool = True  # the whole element, not a component of it
    plain: bool = True  # a store: its own statement; a load: written `p[...]` or `*(p + ...)`
    assignment: Statement | None = None  # the statement that stores
    member: str = ""  # of a structure: that alone is read or written, `p[i].force.x = ...;`
    part: bool = False  # if not the whole is stored: by a statement of its own, `p[i].y = ...;`
    texel: Texel | None = None  # None: no image
    seen_as: str = ""  # the type of the element, if it is not the parameter's: after a cast
    unit: int = 0  # of the index, in bytes, if it is not the element
    anywhere: bool = False  # a pointer is passed on, copied or cast: `helper(a + i)`
    atomic: bool = False  # items may meet there: `atomic_inc(&count[i])`
    # All that decides whether an item behind the guards comes to it; None: not known.
    when: tuple[Comparison, ...] | None = None

    @property
    def text(self) -> str:
        stores = self.texel is not None and self.texel.value is not None
        return " ".join(self.span.text.split()) + (", ...)" if stores else "")

    @property
    def index(self) -> tuple[int, int]:
        """Tokens with the index among them, and none of what is stored."""
        return self.texel.index if self.texel is not None else (self.first, self.last)

    @property
    def element(self) -> tuple[int, int]:
        """The tokens that name the element: of a store, all but the value."""
        stored = self.texel.value if self.texel is not None else None
        return (self.first, self.last if stored is None else stored)

    def value(self, statement: Statement) -> tuple[int, int]:
        """The tokens of what the statement stores."""
        if self.texel is not None and self.texel.value is not None:
            return (self.texel.value + 1, self.last - 1)
        return (self.last + 2, statement.last - 1)

    @property
    def tokens(self) -> frozenset[int]:
        """What gives way to a variable: `a[i]`; of `write_imagef(...)` all but the value."""
        first, last = self.element
        return frozenset((*range(first, last + 1), self.last))


class Feature(Enum):
    """What keeps a kernel from being treated as element-wise."""

    LOCAL_MEMORY = "local memory"
    BARRIER = "a barrier"
    ASYNC_COPY = "an asynchronous copy"
    WORK_GROUP = "a work-group or sub-group function"
    ATOMIC = "an atomic operation"
    VOLATILE = "volatile memory"
    ESCAPE = "a pointer that is passed on or stored"
    NO_SPACE = "a pointer that is neither global nor constant"
    HIDDEN_POINTER = "a parameter whose type is a name for a pointer"
    NESTED = "a parameter that points to arrays or pointers"
    POINTER_ARITHMETIC = "a pointer parameter that it changes, and a macro names"
    VECTOR_ACCESS = "a vload or vstore that is not followed"
    IMAGE = "an image or a sampler"
    PRINTF = "printf"
    ATTRIBUTE = "an attribute that is not known"
    ASSIGNED_PARAMETER = "a parameter that it assigns, and a macro names"
    CONTROL_FLOW = "control flow that cannot be moved"
    UNKNOWN_CALL = "a function that is not known"
    UNKNOWN_NAME = "a name that is not declared"
    TOO_LONG = "more text than can be read in time"


@dataclass(frozen=True)
class FeatureUse:
    feature: Feature
    what: str  # the name as written
    span: Span


@dataclass(frozen=True)
class Symbol:
    """A parameter or local variable of a kernel."""

    name: str
    token: int  # where it is declared
    parameter: bool
    canonical: str = ""  # its type; "" if it is none that is tracked

    @property
    def is_pointer_variable(self) -> bool:
        return not self.parameter and self.canonical.endswith("*")


@dataclass(frozen=True)
class Declaration:
    """A variable of the prelude: a pure function of ids, scalars and constants."""

    name: str
    type: str  # canonical
    form: Form | None
    constant: bool  # never assigned after its initialisation
    token: int
    parts: tuple[Form, ...] = ()  # of a vector

    @property
    def forms(self) -> tuple[Form, ...]:
        """What the variable holds, if that is known."""
        return (self.form,) if self.form is not None else self.parts


@dataclass(frozen=True)
class Counter:
    """The variable of a loop over the range that does not declare it, or counts in its body."""

    start: tuple[tuple[int, int], ...]  # tokens that declare it, with its first value
    condition: tuple[int, int]
    step: tuple[int, int]
    last: Statement | None = None  # of the loop's body: the step


@dataclass(frozen=True)
class PreludeItem:
    """One statement of the prelude: declarations, or one guard.

    A loop over what is left for the range, `for (i = get_global_id(0); i < n; i +=
    get_global_size(0))`, is a guard too: of items that an item stands for one by one. It
    declares their id.

    Copies into local memory that all items of a group begin, and wait for, before the
    first guard are the *opening*: they may come before the work of earlier stages.
    """

    statement: Statement
    declarations: tuple[Declaration, ...] = ()
    guard: tuple[Comparison, ...] | None = None
    early_return: bool = False  # `if (i >= n) return;` rather than `if (i < n) {...}`
    opening: bool = False
    counter: Counter | None = None  # None: all of it stands in the loop's brackets

    @property
    def parts(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Tokens of what stands, or would stand, in the brackets of a guard or loop."""
        if self.counter is not None:
            return self.counter.start, (self.counter.condition,), (self.counter.step,)
        first, last = self.statement.header or (0, -1)
        return (((first + 1, last - 1),),)


@dataclass(frozen=True)
class Effect:
    """All that a statement does: give values to variables, or store one element."""

    variables: tuple[Symbol, ...] = ()
    targets: tuple[int, ...] = ()  # the tokens that name them
    store: int | None = None  # number of the access


@dataclass(frozen=True)
class Body:
    prelude: tuple[PreludeItem, ...]
    statements: tuple[Statement, ...]
    effects: tuple[Effect | None, ...] = ()  # of the statements; None: something else
    leaves: tuple[int, ...] = ()  # the tokens in the statements by which an item ends its work
    acting: frozenset[int] = frozenset()  # tokens of the `if`s whose conditions change something

    @property
    def guards(self) -> tuple[Comparison, ...]:
        return tuple(c for item in self.prelude for c in item.guard or ())

    @property
    def stride(self) -> Declaration | None:
        """The id that its loop over the range declares."""
        items = (item for item in self.prelude if item.guard is not None)
        return next((item.declarations[0] for item in items if item.declarations), None)

    def statement_at(self, token: int) -> int:
        """Which of the statements it is in; -1: none."""
        places = enumerate(self.statements)
        return next((i for i, s in places if s.first <= token <= s.last), -1)

    def always_does(self, some: Set[Statement]) -> bool:
        """Each way through the statements comes to one of these before it ends."""
        return self._has_done(self.statements, some, done=False) is True

    def _has_done(
        self, statements: Sequence[Statement], some: Set[Statement], *, done: bool
    ) -> bool | None:
        """Behind the statements. None: there is a way on which the work ends without."""
        now: bool | None = done
        for statement in statements:
            sides = [self._has_done((s,), some, done=bool(now)) for s in statement.children]
            if statement in some:
                now = True
            elif statement.kind == "compound":
                now = self._has_done(statement.children, some, done=bool(now))
            elif statement.kind == "if":
                sides += [now] if len(sides) == 1 else []
                now = None if None in sides else all(sides)
            elif any(statement.first <= leaf <= statement.last for leaf in self.leaves):
                return True if now and statement.kind == "plain" else None
            if now is None:
                return None
        return now

    def is_tail(self, statement: Statement) -> bool:
        """`if (c) return;`: all that follows is under a condition."""
        return (
            statement.kind == "if"
            and len(statement.children) == 1
            and statement.first not in self.acting
            and self._only_leaves(statement.children[0])
        )

    def _only_leaves(self, statement: Statement) -> bool:
        if statement.kind == "compound":
            return len(statement.children) == 1 and self._only_leaves(statement.children[0])
        return statement.kind == "plain" and statement.first in self.leaves


@dataclass(frozen=True)
class Pragmas:
    """The OpenCL pragmas in force at a place."""

    contract: str  # the last FP_CONTRACT, as written
    extensions: frozenset[str]  # enabled by name
    others: tuple[str, ...] = ()  # all that are not known to leave the code alone


@dataclass(frozen=True)
class Together:
    """Local arrays and barriers: the items of a group work together."""

    span: Span  # the first place that shows it
    local_bytes: int  # of the arrays that it declares
    sized_by_host: bool  # it has parameters in local memory
    waits: bool  # for one another: other items' stores may be seen after it
    # Of each array, by the token that declares it; and its bytes.
    shapes: dict[int, tuple[str, int]] = field(default_factory=dict)
    copies: bool = False  # asynchronously, perhaps before the stages in front


@dataclass(frozen=True, eq=False)
class Kernel:
    name: str
    unit: Unit
    function: Function
    parameters: tuple[Parameter, ...]
    accesses: tuple[Access, ...]
    features: tuple[FeatureUse, ...]
    body: Body
    required_size: tuple[str, ...] | None  # reqd_work_group_size
    pragmas: Pragmas  # in force where the kernel stands
    # By token, for every use of a parameter or local variable.
    symbols: dict[int, Symbol] = field(default_factory=dict)
    fixed: frozenset[Symbol] = frozenset()  # assigned once, and their address is not taken
    changed: frozenset[str] = frozenset()  # parameters that it assigns
    settled: dict[Symbol, int] = field(default_factory=dict)  # the token of their last value
    addressed: frozenset[Symbol] = frozenset()  # their address is taken
    macros: frozenset[str] = frozenset()  # used in its text, and in the definitions of those
    unstable: tuple[tuple[str, Span], ...] = ()  # why its text may mean something else elsewhere
    pins: tuple[str, ...] = ()  # preprocessor conditions that the analysis relied on
    sure: bool = True  # no other build of its program has another kernel, unless pins tell
    open_macros: frozenset[str] = frozenset()  # other builds may define them otherwise
    open_names: tuple[tuple[str, Span], ...] = ()  # values that only build options can give
    numbers: tuple[str, ...] = ()  # macros that are plain numbers, if options define them
    together: Together | None = None
    local_ids: Span | None = None  # where local or group ids are more than parts of a global id
    dimensions: int = 1  # the highest dimension asked for, plus one
    own: Unit | None = None  # its program, if `unit` is a text of several

    def __repr__(self) -> str:
        return f"Kernel({self.name!r})"

    @property
    def program(self) -> Unit:
        """The text that the host builds."""
        return self.own or self.unit

    @property
    def span(self) -> Span:
        """The name, where it is defined."""
        return self.unit.node_span(self.function.node.decl)

    def group_size(self, dimension: int) -> int | None:
        """How many items groups have in the dimension, if the kernel says so."""
        size = self.required_size[dimension] if self.required_size is not None else ""
        return int(size) if size.isdigit() else None

    def parameter(self, name: str) -> Parameter:
        return next(p for p in self.parameters if p.name == name)
