"""The closed set of values that interpreted code can hold.

Plain Python values: None, bool, int, float, str, list, tuple, dict, set, frozenset, range, slice, `...`.
Everything else is a class of this module or `tensors.Tensor`. None of them lets interpreted code reach an attribute
of the Python object itself: `attributes.read` answers from the tables kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from refcheck.claims.evaluator.source import Source, Unit

#: A value of the closed set above. It cannot be spelled as a union without every caller narrowing it again.
Value: TypeAlias = object

#: What a built-in or trusted function is called with: the run (an `Interpreter`, which holds values and so cannot be
#: named here), positional and keyword arguments.
NativeFunction: TypeAlias = Callable[[Any, Sequence[Value], Mapping[str, Value]], Value]


@dataclass(frozen=True, slots=True, eq=False)
class Native:
    """A function of the evaluator itself (or one that a claim declares trusted), callable from interpreted code."""

    name: str
    function: NativeFunction


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """A class as a value: for `isinstance`, and callable where `construct` is given.

    `accepts` are the Python types that count as instances (built-in types only); an object whose `class_names`
    contain `name` counts too.
    """

    name: str
    accepts: tuple[type, ...] = ()
    construct: NativeFunction | None = None
    members: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """Something unknown that may be passed around and entered by `with`, but neither computed with nor looked into."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Namespace:
    """A module or class of which only the listed names exist."""

    name: str
    members: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Dtype:
    """An element type: its size in bytes and its kind ('i', 'u', 'f', 'b', 'c'); `name` as torch spells it."""

    name: str
    itemsize: int
    kind: str


@dataclass(slots=True, eq=False)
class EnumClass:
    """An enumeration: its members by name and, where it was read from source, its properties and methods.

    `mixin` is "int" or "str" where members compare equal to their plain value (IntEnum, `class E(str, Enum)`).
    With `open` set, every name is a member: for enumerations of which nothing but identity matters.
    """

    name: str
    members: dict[str, Value] = field(default_factory=dict)
    mixin: str | None = None
    open: bool = False
    classes: tuple[SourceClass, ...] = ()


@dataclass(frozen=True, slots=True)
class Symbol:
    """A member of an enumeration. Two symbols are equal if class and name are; `owner` does not count."""

    class_name: str
    name: str
    value: Value = field(compare=False, default=None)
    owner: EnumClass | None = field(compare=False, default=None, repr=False)

    @property
    def qualified(self) -> str:
        """`AttentionType.DECODER`"""
        return f"{self.class_name}.{self.name}"

    def plain(self) -> Value:
        """The int or str that this member equals, or itself if it equals no plain value."""
        if self.owner is not None and self.owner.mixin is not None:
            return self.value
        return self


@dataclass(frozen=True, slots=True, eq=False)
class SourceClass:
    """A class read from source: its fields' default expressions and its functions, by name.

    `globals` are the names that its bodies refer to.
    """

    name: str
    unit: Unit
    defaults: Mapping[str, object]
    functions: Mapping[str, Function]
    globals: Mapping[str, Value]
    is_dataclass: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """An interpreted function or lambda: its syntax node and the scope that it was defined in."""

    name: str
    node: object
    unit: Unit
    scope: Scope
    #: "function", "property", "static" or "class": how a class hands it out.
    kind: str = "function"
    #: Parameter defaults, where the definition was executed; else they are evaluated when a call needs them.
    defaults: Mapping[str, Value] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BoundMethod:
    """A function with its first argument, and the class of the chain that it was found in (for `super()`)."""

    function: Function | Native
    instance: Value
    class_index: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    """`super()`: the rest of an instance's class chain."""

    instance: Stub
    start: int


@dataclass(slots=True, eq=False)
class Stub:
    """An object that engine code reads and writes: nothing exists but what is listed.

    Looked up in this order: `attributes` (also what interpreted code assigned), `properties` (evaluated when read),
    `methods`, then `classes` (most derived first): functions and field defaults read from source.
    `class_names` answer `isinstance`. `call` makes the object itself callable.
    """

    name: str
    attributes: dict[str, Value] = field(default_factory=dict)
    properties: dict[str, Function | Native] = field(default_factory=dict)
    methods: dict[str, Function | Native] = field(default_factory=dict)
    classes: tuple[SourceClass, ...] = ()
    class_names: frozenset[str] = frozenset()
    call: Value | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call: the arguments as they were at that moment (arrays are copied)."""

    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value]


@dataclass(slots=True, eq=False)
class Recorder:
    """A callable that keeps its calls and answers with `returns`, or with what `answer` computes from the arguments."""

    name: str
    returns: Value = None
    answer: NativeFunction | None = None
    calls: list[Call] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Lazy:
    """A generator, `zip`, `enumerate` and their kin: items are computed, and charged, one at a time."""

    name: str
    items: Iterator[Value]


class Scope:
    """Names of one function body, nested function or comprehension; `outer` is the enclosing one.

    `assigned` are the names that the body binds somewhere: reading one of them before it is bound is an error, as in
    Python, and not a look into the enclosing scope.
    """

    __slots__ = ("assigned", "is_comprehension", "method", "names", "outer", "unit")

    def __init__(
        self,
        names: dict[str, Value],
        outer: Scope | None,
        unit: Unit | None,
        *,
        assigned: frozenset[str] = frozenset(),
        is_comprehension: bool = False,
        method: tuple[Stub, int] | None = None,
    ) -> None:
        self.names = names
        self.outer = outer
        self.unit = unit
        self.assigned = assigned
        self.is_comprehension = is_comprehension
        self.method = method


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A Triton kernel: `kernel[grid](...)` runs it once per instance of the grid, one after the other."""

    source: Source
    globals: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class KernelLaunch:
    """`kernel[grid]`, waiting for its arguments."""

    kernel: Kernel
    grid: Value
