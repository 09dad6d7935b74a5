"""Objects for engine code from plain data: what each directive builds, and what is refused."""

from __future__ import annotations

import pytest
import yaml

from refcheck.claims.evaluator.failures import EvaluationError, RaisedInSource, Unsupported
from refcheck.claims.evaluator.results import TensorShape, to_plain
from refcheck.claims.evaluator.run import (
    call_function,
    call_method,
    call_value,
    evaluate_expression,
    read_attribute,
    run_statements,
)
from refcheck.claims.evaluator.stubs import Builder
from refcheck.claims.evaluator.values import EnumClass, Stub, Symbol

TREE = {
    "spec.py::Base": '''
@dataclass(frozen=True)
class Base:
    """A page."""

    block: int
    tags: list[str] = field(default_factory=list)

    @property
    def page_bytes(self) -> int:
        return self.block * self.state_bytes

    def twice(self):
        return 2 * self.page_bytes

    @staticmethod
    def fixed(n):
        return n + 1

    @validator("block")
    def strange(self):
        return 0
''',
    "spec.py::Wide": """
@dataclass(frozen=True, kw_only=True)
class Wide(Base):
    heads: int
    size: int
    size_v: int = None
    dtype: torch.dtype = torch.bfloat16

    def __post_init__(self):
        if self.size_v is None:
            object.__setattr__(self, "size_v", self.size)

    @property
    def state_bytes(self) -> int:
        return self.heads * (self.size + self.size_v) * width(self.dtype)
""",
    "spec.py::Narrow": """
@dataclass(frozen=True, kw_only=True)
class Narrow(Wide):
    size_v: int = 0

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "checked", True)

    def twice(self):
        return super().twice() + 1
""",
    "util.py::width": "def width(dtype):\n    return torch.tensor([], dtype=dtype).element_size()\n",
    "mode.py::Mode": '''
class Mode(IntEnum):
    """Modes."""

    EXTEND = auto()
    DECODE = auto()

    def is_decode(self):
        return self == Mode.DECODE

    @property
    def is_prefill(self):
        return not self.is_decode()
''',
    "kind.py::Kind": 'class Kind(str, Enum):\n    DECODER = "decoder"\n    ENCODER = "encoder"\n',
    "new.py::moved": "def moved(x):\n    return x * 10\n",
    "const.py::LIMIT": "LIMIT: int = 1 << 4\n",
    "const.py::NAMES": "NAMES = frozenset({'A', 'B'})\n",
}


def builder(text: str = "") -> Builder:
    made = Builder(TREE.__getitem__)
    made.add_names(yaml.safe_load(text) or {})
    return made


def built(text: str) -> object:
    return builder().build(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        ("[1, a, null, 2.5]", (1, "a", None, 2.5)),
        ("{tuple: [1, {tuple: []}]}", (1, ())),
        ("{dict: {a: [1]}}", {"a": (1,)}),
        ("{set: [1, 1]}", frozenset({1})),
        ("{shape: [2, 8], dtype: bfloat16}", TensorShape((2, 8), "bfloat16")),
        ("{array: [[1, 2], [3, 4]], dtype: int32}", ((1, 2), (3, 4))),
        ("{zeros: 3, library: numpy}", (0, 0, 0)),
        ("{full: [2], value: 7}", (7, 7)),
        ("{arange: 3}", (0, 1, 2)),
        ("{dtype: float32}", "float32"),
        ("{enum: Kind.DECODER}", "Kind.DECODER"),
        ("{expression: 'const.py::LIMIT'}", 16),
        ("{expression: 'const.py::NAMES'}", frozenset({"A", "B"})),
        ("{expression: '1 << 3'}", 8),
    ],
)
def test_data(text: str, expected: object) -> None:
    assert to_plain(built(text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{strange: 1}", "unknown kind of value"),
        ("{shape: [1], dtype: float7}", "unknown element type"),
        ("{array: [1], library: jax}", "torch or numpy"),
        ("{enum: DECODER}", r"Class\.MEMBER"),
        ("{stub: A, attribute: {}}", "unknown key attribute"),
        ("{ref: nothing}", "not built yet"),
        ("{module: os}", "unknown module"),
        ("{enum: Mode.NONE, from: 'mode.py::Mode'}", "no member NONE"),
    ],
)
def test_data_that_means_nothing(text: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        built(text)


def test_what_a_stub_lacks_is_named() -> None:
    stub = built("{stub: Scheduler, attributes: {a: 1}}")
    with pytest.raises(Unsupported, match="attribute threshold of Scheduler"):
        run_statements("x = self.threshold\n", {"self": stub})
    outcome = run_statements(
        "x = getattr(self, 'b', 5)\ny = hasattr(self, 'a'), hasattr(self, 'b')\nself.c = 2\n", {"self": stub}
    )
    assert (outcome.bindings["x"], outcome.bindings["y"]) == (5, (True, False))
    assert isinstance(stub, Stub)
    assert stub.attributes["c"] == 2


def test_properties_and_methods_come_from_the_tree() -> None:
    made = builder("{width: {function: 'util.py::width'}}")
    stub = made.build(
        yaml.safe_load("""
        stub: Spec
        attributes:
          block: 16
          heads: 8
          size: 128
          size_v: 128
          dtype: {dtype: bfloat16}
          double: {function: 'new.py::moved'}
        """)
        | {"class": ["spec.py::Wide", "spec.py::Base"]}
    )
    assert read_attribute(stub, "page_bytes") == 16 * 8 * 256 * 2
    assert call_method(stub, "twice") == 2 * 65536
    assert call_method(stub, "fixed", [1]) == 2
    assert call_method(stub, "double", [3]) == 30
    with pytest.raises(Unsupported, match="attribute strange"):
        read_attribute(stub, "strange")


def test_a_constructor_runs_post_init_along_the_chain() -> None:
    made = builder("{width: {function: 'util.py::width'}}")
    made.add_names(
        yaml.safe_load("""
        Wide: {constructor: Wide, class: ['spec.py::Wide', 'spec.py::Base']}
        Narrow: {constructor: Narrow, class: ['spec.py::Narrow', 'spec.py::Wide', 'spec.py::Base']}
        """)
    )
    source = """
wide = Wide(block=1, heads=8, size=128)
narrow = Narrow(block=1, heads=1, size=576)
pages = wide.page_bytes, narrow.page_bytes, narrow.twice(), narrow.checked
kinds = isinstance(narrow, Wide), isinstance(wide, Narrow), isinstance(wide, int)
wide.tags.append(1)
tags = wide.tags
"""
    names = run_statements(source, {}, globals=made.names).bindings
    assert names["pages"] == (4096, 1152, 2305, True)
    assert names["kinds"] == (True, False, False)
    assert names["tags"] == [1]


def test_a_constructor_without_a_class_only_records() -> None:
    made = builder("{Spec: {constructor: Spec, fields: {padded: false}}}")
    stub = call_function("def f():\n    return Spec(size=3)\n", globals=made.names)
    assert isinstance(stub, Stub)
    assert (stub.name, stub.attributes) == ("Spec", {"padded": False, "size": 3})


def test_enumerations_from_source() -> None:
    made = builder("{Mode: {enum_class: Mode, from: 'mode.py::Mode'}, Kind: {enum_class: Kind, from: 'kind.py::Kind'}}")
    source = """
a = Mode.DECODE.is_decode(), Mode.EXTEND.is_prefill, Mode.EXTEND < Mode.DECODE, Mode.DECODE == 2
b = Kind.DECODER == 'decoder', Kind.DECODER in (Kind.ENCODER, Kind.DECODER), Kind.DECODER is Kind.DECODER
c = [m.name for m in Mode], Mode.DECODE.value, {Kind.ENCODER: 1}[Kind.ENCODER], isinstance(Mode.DECODE, Mode)
"""
    names = run_statements(source, {}, globals=made.names).bindings
    assert names["a"] == (True, True, True, True)
    assert names["b"] == (True, True, True)
    assert names["c"] == (["EXTEND", "DECODE"], 2, 1, True)
    with pytest.raises(Unsupported, match="attribute NOTHING of Mode"):
        evaluate_expression("Mode.NOTHING", made.names)


def test_an_open_enumeration_is_all_identity() -> None:
    made = builder("{Level: {enum_class: Level}, Few: {enum_class: Few, members: [A]}}")
    assert evaluate_expression("Level.X is Level.X and Level.X != Level.Y", made.names) is True
    assert made.build({"enum": "Level.X"}) == Symbol("Level", "X")
    assert isinstance(made.names["Few"], EnumClass)
    with pytest.raises(Unsupported, match="attribute B of Few"):
        evaluate_expression("Few.B", made.names)


def test_recorders_keep_arguments_as_they_were() -> None:
    made = builder()
    stub = made.build(
        yaml.safe_load("""
        stub: Runner
        attributes:
          positions: {zeros: [4]}
          put: {record: put, returns: {shape: [1, 2]}}
          rotate: {record: rotate, echo: [1, 2]}
        """)
    )
    source = """
self.positions[:2] = torch.tensor([8, 9])
out = self.put(self.positions[:2], n=3)
self.positions.fill_(0)
q, k = self.rotate(0, 'q', 'k')
"""
    names = run_statements(source, {"self": stub}).bindings
    (call,) = made.recorders["put"].calls
    assert to_plain(list(call.arguments)) == ((8, 9),)
    assert call.keywords == {"n": 3}
    assert to_plain(names["out"]) == TensorShape((1, 2), "bfloat16")
    assert (names["q"], names["k"]) == ("q", "k")
    with pytest.raises(RaisedInSource, match="1 arguments only"):
        run_statements("self.rotate(1)\n", {"self": stub})


def test_a_mirrored_buffer_is_one_memory() -> None:
    stub = built("{mirrored: {zeros: [4], dtype: int32}}")
    source = "b.np[:2] = 5\nx = b.copy_to_gpu(2)\nb.gpu[3] = 7\ny = b.np.sum()\nz = b.gpu[:2].dtype\n"
    names = run_statements(source, {"b": stub}).bindings
    assert (to_plain(names["x"]), names["y"], to_plain(names["z"])) == ((5, 5, 0, 7), 17, "int32")


def test_one_description_serves_several_versions() -> None:
    made = builder("""
    moved: {function: ['old.py::moved', 'new.py::moved']}
    never: {function: 'old.py::never'}
    absent: {expression: 'old.py::LIMIT', optional: true}
    Mode: {enum_class: Mode, from: ['old.py::Mode', 'mode.py::Mode']}
    """)
    assert evaluate_expression("moved(2)", made.names) == 20
    assert "absent" not in made.names
    assert evaluate_expression("Mode.DECODE.value", made.names) == 2
    with pytest.raises(Unsupported, match=r"old\.py::never, which the tree lacks"):
        evaluate_expression("never()", made.names)
    with pytest.raises(LookupError):
        made.build({"expression": "old.py::LIMIT"})


def test_functions_of_the_tree_see_names_added_later() -> None:
    texts = {"a::f": "def f(n):\n    return g(n) + 1\n", "a::g": "def g(n):\n    return n * 2\n"}
    made = Builder(texts.__getitem__)
    made.add_names({"f": {"function": "a::f"}})
    made.add_names({"g": {"function": "a::g"}})
    assert call_value(made.names["f"], [3]) == 7


def test_yaml_aliases_give_one_object() -> None:
    made = builder()
    data = yaml.safe_load("""
    - &shared {stub: Config, attributes: {n: 1}}
    - {stub: Holder, attributes: {config: *shared}}
    """)
    config, holder = (made.build(item) for item in data)
    run_statements("h.config.n = 5\n", {"h": holder})
    assert read_attribute(config, "n") == 5


def test_opaque_values_are_passed_and_entered_but_not_used() -> None:
    env = {"o": built("{opaque: adapter}")}
    outcome = run_statements("x = [o, o is None]\nwith o as y:\n    z = 1\n", env)
    assert outcome.bindings["z"] == 1
    for expression in (
        "o + 1",
        "o == 1",
        "bool(o)",
        "o.x",
        "o()",
        "o[0]",
        "len(o)",
        "isinstance(o, int)",
        "f'{o}'",
        "not o",
    ):
        with pytest.raises(Unsupported, match=r"adapter"):
            evaluate_expression(expression, env)


def test_imports_inside_functions_need_the_names() -> None:
    source = "def f():\n    from a.b import thing as t\n    import c.d\n    return t + c.d\n"
    assert call_function(source, globals={"t": 1, "c": builder().build({"namespace": {"d": 2}})}) == 3
    with pytest.raises(Unsupported, match="import of t"):
        call_function(source, globals={"c": 1})
