"""Objects for engine code to read, built from plain data (as YAML gives it).

Numbers, text, booleans and None stand for themselves, lists for lists. A mapping is a directive, named by one key:

| directive | value |
|---|---|
| `{tuple: [...]}`, `{set: [...]}`, `{dict: {...}}` | the container, its items built in turn |
| `{shape: [2, 8], dtype: bfloat16}` | a torch tensor of which only shape and type are known |
| `{array: [1, 2], dtype: int32, library: numpy}` | an array with values; `library: torch` is the default |
| `{zeros: [16], dtype: int64}`, `{arange: 16}`, `{full: [16], value: 7}` | the same, filled |
| `{mirrored: <one of the three above>}` | an object with `.np`, `.cpu`, `.gpu` on one memory, and `copy_to_gpu()` |
| `{dtype: bfloat16}` | an element type (alone; beside other keys it belongs to them) |
| `{enum: AttentionType.DECODER}` | a member; with `from: path::AttentionType` read from source |
| `{enum_class: AttentionType, from: ..., members: [...]}` | the enumeration; without `from` or `members`, any name |
| `{stub: Name, ...}` | an object: `attributes`, `properties`, `methods`, `class`, `isinstance`, `call`, `post_init` |
| `{opaque: name}` | unknown: passed around and entered by `with`, nothing else |
| `{function: path::name}` | a function of the tree, interpreted when called |
| `{property: path::Class.name}` | within a stub's attributes: evaluated when read |
| `{method: path::Class.name}` | within a stub's attributes: bound to the stub |
| `{expression: path::NAME}` or `{expression: "1 << 3"}` | evaluated now: a module's constant, or a small expression |
| `{kernel: path::name}` | a Triton kernel, launched by `kernel[grid](...)` |
| `{record: name, returns: ...}` | a callable that keeps its calls (`Builder.recorders[name]`) |
| `{echo: [1, 2]}` | a callable that returns its positional arguments of these numbers (one alone, or a tuple) |
| `{constructor: Name, class: [...], fields: {...}}` | a class: called, it makes a stub of its keyword arguments |
| `{namespace: {...}}` | a module or object of which only these names exist, not written to |
| `{module: np}` | `np`, `torch`, `math`, `tl` or `triton` under another name |
| `{ref: name}` | a value of the surrounding names (globals built before) |

`class` lists `path::Class` from the most derived on: fields' defaults, properties and methods are read from there.

Where a reference `path::name` is expected, a list of them means the first that the tree has (for code that has moved
between versions). A function is looked up when it is called, so that one which a version lacks and never calls does no
harm. A name, attribute or method whose directive says `optional: true` is left out where the tree lacks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from refcheck.claims.evaluator import run
from refcheck.claims.evaluator.attributes import find, is_missing
from refcheck.claims.evaluator.budget import Budget, Meter
from refcheck.claims.evaluator.calls import call_function
from refcheck.claims.evaluator.definitions import class_from, enumeration_from, function_from
from refcheck.claims.evaluator.failures import EvaluationError, RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.namespaces import modules
from refcheck.claims.evaluator.source import Source
from refcheck.claims.evaluator.tensors import DTYPES, Tensor, allocate, filled, from_values
from refcheck.claims.evaluator.values import (
    Dtype,
    EnumClass,
    Function,
    Kernel,
    Namespace,
    Native,
    Opaque,
    Recorder,
    SourceClass,
    Stub,
    Symbol,
    Type,
    Value,
)

#: Text of a symbol of the tree: `path::Name` or `path::Class.name`. Raises LookupError where the tree lacks it.
Resolve = Callable[[str], "str | Source"]


def no_resolve(reference: str) -> str:
    """For data that refers to no tree."""
    raise EvaluationError(f"{reference} refers to a tree, and none was given")


class Builder:
    """Builds values from data; one builder per evaluation, for stubs are changed by the code that reads them.

    `names` are the globals that functions, properties and kernels of the tree see: a dict that `add_names` fills and
    that definitions share, so that they may refer to each other.
    """

    def __init__(self, resolve: Resolve = no_resolve) -> None:
        self.resolve = resolve
        self.names: dict[str, Value] = {}
        self.recorders: dict[str, Recorder] = {}
        self._meter = Meter(Budget(steps=1_000_000, seconds=5.0))
        self._built: dict[int, tuple[object, Value]] = {}
        self._directives: dict[str, Callable[[Mapping[str, object]], Value]] = {
            "tuple": lambda data: tuple(self._items(data["tuple"])),
            "set": lambda data: set(self._items(data["set"])),
            "dict": self._dict,
            "mirrored": self._mirrored,
            "shape": lambda data: allocate(self._items(data["shape"]), self._dtype(data, "bfloat16"), "torch"),
            "array": self._array,
            "zeros": lambda data: self._filled(data, data["zeros"], 0),
            "full": lambda data: self._filled(data, data["full"], data.get("value", 0)),
            "arange": self._arange,
            "enum_class": self._enumeration,
            "enum": self._member,
            "stub": self._stub,
            "opaque": lambda data: Opaque(_text(data["opaque"])),
            "function": lambda data: self.function(data["function"]),
            "expression": self._expression,
            "kernel": lambda data: Kernel(self._source(data["kernel"]), self.names),
            "record": self._recorder,
            "echo": self._echo,
            "constructor": self._constructor,
            "namespace": lambda data: Namespace("namespace", self._mapping(data["namespace"])),
            "module": self._module,
            "ref": self._reference,
            "dtype": lambda data: self._dtype(data, ""),
        }

    def add_names(self, data: Mapping[str, object]) -> None:
        """Adds globals, in order: a later one may `ref` an earlier one, and functions see all of them."""
        for name, item in data.items():
            if not self._is_left_out(item):
                self.names[name] = self.build(item)

    def _is_left_out(self, item: object) -> bool:
        """Whether an optional directive refers to something that the tree lacks."""
        if not isinstance(item, Mapping) or not item.get("optional", False):
            return False
        reference = next((item[key] for key in _REFERENCES if key in item), None)
        try:
            self._source(reference)
        except LookupError:
            return True
        return False

    def build(self, data: object) -> Value:
        """The value of one piece of data. The same object (a YAML alias) gives the same value again."""
        if data is None or isinstance(data, bool | int | float | str):
            return data
        known = self._built.get(id(data))
        if known is not None and known[0] is data:
            return known[1]
        if isinstance(data, list | tuple):
            value: Value = [self.build(item) for item in data]
        elif isinstance(data, Mapping):
            value = self._directive(data)
        else:
            value = data  # a value that the caller made itself
        self._built[id(data)] = (data, value)
        return value

    def function(self, reference: object) -> Native:
        """A function of the tree that sees `names`; looked up and parsed when it is first called."""
        name = str(reference)
        found: list[Function] = []

        def call(interpreter: Interpreter, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
            if not found:
                try:
                    with interpreter.meter.not_counted():
                        found.append(function_from(self._source(reference), self.names))
                except LookupError:
                    raise Unsupported(f"{name}, which the tree lacks") from None
            method = (arguments[0], -1) if arguments and isinstance(arguments[0], Stub) else None
            return call_function(interpreter, found[0], arguments, keywords, method)

        return Native(name, call)

    def source_class(self, reference: object) -> SourceClass:
        """A class of the tree that sees `names`."""
        return class_from(self._source(reference), self.names)

    def _directive(self, data: Mapping[str, object]) -> Value:
        for key, handler in self._directives.items():
            if key in data:
                return handler(data)
        raise EvaluationError(f"unknown kind of value: {{{', '.join(str(key) for key in data)}}}")

    def _source(self, reference: object) -> Source:
        references = reference if isinstance(reference, list | tuple) else [reference]
        for position, candidate in enumerate(references):
            try:
                found = self.resolve(_text(candidate))
            except LookupError:
                if position + 1 == len(references):
                    raise
                continue
            return found if isinstance(found, Source) else Source(found)
        raise EvaluationError("an empty list of references")

    def _items(self, data: object) -> list[Value]:
        if not isinstance(data, list | tuple):
            raise EvaluationError(f"a list is needed, not {data!r}")
        return [self.build(item) for item in data]

    def _mapping(self, data: object) -> dict[str, Value]:
        if not isinstance(data, Mapping):
            raise EvaluationError(f"a mapping is needed, not {data!r}")
        return {str(key): self.build(item) for key, item in data.items()}

    def _dict(self, data: Mapping[str, object]) -> Value:
        inner = data["dict"]
        if not isinstance(inner, Mapping):
            raise EvaluationError("dict needs a mapping")
        return {key: self.build(item) for key, item in inner.items()}

    # --- tensors ---

    def _dtype(self, data: Mapping[str, object], default: str) -> Dtype:
        name = _text(data.get("dtype", default))
        if name not in DTYPES:
            raise EvaluationError(f"unknown element type {name!r}")
        return DTYPES[name]

    def _library(self, data: Mapping[str, object]) -> str:
        library = data.get("library", "torch")
        if library not in {"torch", "numpy"}:
            raise EvaluationError(f"library is torch or numpy, not {library!r}")
        return str(library)

    def _array(self, data: Mapping[str, object]) -> Tensor:
        return from_values(self._meter, data["array"], self._dtype(data, "int64"), self._library(data))

    def _filled(self, data: Mapping[str, object], shape: object, value: object) -> Tensor:
        if not isinstance(value, bool | int | float):
            raise EvaluationError("an array is filled with a number")
        extents = shape if isinstance(shape, list | tuple) else [shape]
        return filled(self._meter, self._items(extents), value, self._dtype(data, "int64"), self._library(data))

    def _arange(self, data: Mapping[str, object]) -> Tensor:
        count = data["arange"]
        if not isinstance(count, int):
            raise EvaluationError("arange needs a number")
        return from_values(self._meter, range(count), self._dtype(data, "int64"), self._library(data))

    def _mirrored(self, data: Mapping[str, object]) -> Stub:
        tensor = self.build(data["mirrored"])
        if not isinstance(tensor, Tensor):
            raise EvaluationError("mirrored needs an array")
        on_device = Tensor(tensor.shape, tensor.dtype, "torch", tensor.data, tensor.allocation)
        on_host = Tensor(tensor.shape, tensor.dtype, "numpy", tensor.data, tensor.allocation)

        def copy(interpreter: Interpreter, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
            return on_device

        return Stub(
            "mirrored buffer",
            attributes={"np": on_host, "cpu": on_device, "gpu": on_device},
            methods={"copy_to_gpu": Native("copy_to_gpu", copy)},
        )

    # --- enumerations ---

    def _enumeration(self, data: Mapping[str, object]) -> EnumClass:
        name = _text(data["enum_class"])
        members = data.get("members")
        if "from" in data:
            enumeration = enumeration_from(self._source(data["from"]), self.names)
            # Its own functions refer to it by its name.
            self.names.setdefault(name, enumeration)
            return enumeration
        enumeration = EnumClass(name, open=members is None)
        for member in self._items(members) if members is not None else []:
            enumeration.members[_text(member)] = Symbol(name, _text(member), None, enumeration)
        return enumeration

    def _member(self, data: Mapping[str, object]) -> Value:
        class_name, _, member = _text(data["enum"]).rpartition(".")
        if not class_name or not member:
            raise EvaluationError(f"an enumeration's member is written Class.MEMBER, not {data['enum']!r}")
        known = self.names.get(class_name)
        if "from" in data:
            known = enumeration_from(self._source(data["from"]), self.names)
        if isinstance(known, EnumClass) and not known.open:
            if member not in known.members:
                raise EvaluationError(f"{class_name} has no member {member}")
            return known.members[member]
        return Symbol(class_name, member)

    # --- objects ---

    def _stub(self, data: Mapping[str, object]) -> Stub:
        _check_keys(data, {"stub", "attributes", "properties", "methods", "class", "isinstance", "call", "post_init"})
        name = _text(data["stub"])
        classes = tuple(self.source_class(item) for item in _references(data.get("class", [])))
        stub = Stub(
            name,
            classes=classes,
            class_names=frozenset(
                [
                    name,
                    *(cls.name for cls in classes),
                    *(_text(item) for item in self._items(data.get("isinstance", []))),
                ]
            ),
        )
        self._built[id(data)] = (data, stub)  # attributes may refer back to the stub
        for key, item in _pairs(data.get("attributes", {})):
            if self._is_left_out(item):
                continue
            if isinstance(item, Mapping) and "property" in item:
                stub.properties[key] = self.function(item["property"])
            elif isinstance(item, Mapping) and "method" in item:
                stub.methods[key] = self.function(item["method"])
            else:
                stub.attributes[key] = self.build(item)
        for key, item in _pairs(data.get("properties", {})):
            stub.properties[key] = self.function(item)
        for key, item in _pairs(data.get("methods", {})):
            if self._is_left_out(item):
                continue
            if isinstance(item, str | list):
                stub.methods[key] = self.function(item)
            elif isinstance(item, Mapping) and "method" in item:
                stub.methods[key] = self.function(item["method"])
            else:
                stub.attributes[key] = self.build(item)
        if "call" in data:
            stub.call = self.build(data["call"])
        if data.get("post_init", False):
            run.call_method(stub, "__post_init__")
        return stub

    def _recorder(self, data: Mapping[str, object]) -> Recorder:
        name = _text(data["record"])
        recorder = self.recorders.get(name)
        if recorder is None:
            recorder = Recorder(name, self.build(data.get("returns")))
            if "echo" in data:
                recorder.answer = _echo(self._items(data["echo"]))
            self.recorders[name] = recorder
        return recorder

    def _echo(self, data: Mapping[str, object]) -> Native:
        return Native("echo", _echo(self._items(data["echo"])))

    def _constructor(self, data: Mapping[str, object]) -> Type:
        """A class that is only recorded, or one whose fields, properties and `__post_init__` come from the tree."""
        _check_keys(data, {"constructor", "class", "fields", "isinstance"})
        name = _text(data["constructor"])
        classes = tuple(self.source_class(item) for item in _references(data.get("class", [])))
        fields = self._mapping(data.get("fields", {}))
        names = frozenset(
            [name, *(cls.name for cls in classes), *(_text(item) for item in self._items(data.get("isinstance", [])))]
        )

        def construct(interpreter: Interpreter, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
            if arguments:
                raise Unsupported(f"positional arguments of {name}")
            stub = Stub(name, attributes={**fields, **keywords}, classes=classes, class_names=names)
            if any(cls.is_dataclass for cls in classes):
                initialise = find(interpreter, stub, "__post_init__")
                if not is_missing(initialise):
                    interpreter.call(initialise, [], {})
            return stub

        return Type(name, (), construct)

    def _expression(self, data: Mapping[str, object]) -> Value:
        given = data["expression"]
        first = given[0] if isinstance(given, list | tuple) and given else given
        if "::" not in _text(first):
            return run.evaluate_expression(_text(given), {}, globals=self.names)
        name = _text(first).partition("::")[2].rpartition(".")[2]
        outcome = run.run_statements(self._source(given), {}, globals=self.names)
        if name not in outcome.bindings:
            raise EvaluationError(f"the source of {first} does not assign {name}")
        return outcome.bindings[name]

    def _module(self, data: Mapping[str, object]) -> Value:
        name = _text(data["module"])
        if name not in modules():
            raise EvaluationError(f"unknown module {name!r}")
        return modules()[name]

    def _reference(self, data: Mapping[str, object]) -> Value:
        name = _text(data["ref"])
        if name not in self.names:
            raise EvaluationError(f"ref to {name!r}, which is not built yet")
        return self.names[name]


#: The keys of a directive that may hold a reference to the tree.
_REFERENCES = ("function", "property", "method", "kernel", "from", "expression")


def _references(data: object) -> list[object]:
    if not isinstance(data, list | tuple):
        raise EvaluationError(f"a list of references is needed, not {data!r}")
    return list(data)


def _echo(positions: Sequence[Value]) -> Callable[..., Value]:
    numbers = [position for position in positions if isinstance(position, int)]

    def answer(interpreter: Interpreter, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        if any(not 0 <= number < len(arguments) for number in numbers):
            raise RaisedInSource("TypeError", f"called with {len(arguments)} arguments only")
        picked = tuple(arguments[number] for number in numbers)
        return picked[0] if len(picked) == 1 else picked

    return answer


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise EvaluationError(f"text is needed, not {value!r}")
    return value


def _pairs(data: object) -> list[tuple[str, object]]:
    if not isinstance(data, Mapping):
        raise EvaluationError(f"a mapping is needed, not {data!r}")
    return [(str(key), item) for key, item in data.items()]


def _check_keys(data: Mapping[str, object], known: set[str]) -> None:
    unknown = sorted(str(key) for key in data if key not in known)
    if unknown:
        raise EvaluationError(f"unknown key {unknown[0]} beside {next(iter(data))}")
