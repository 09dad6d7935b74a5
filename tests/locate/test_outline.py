"""The outline names every definition once, with the lines that it really takes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import refcheck
from refcheck.locate.outline import Outline, SymbolKind, outline
from refcheck.model.source_text import SourceText


def read(path: str, text: str) -> Outline:
    return outline(SourceText.from_bytes(path, "", text.encode()))


PYTHON = '''\
import enum
LIMIT: int = 4


class Color(enum.Enum):
    RED = 1


@dataclass
class Config(
    Base,
    Generic[T],
):
    size: int = 3
    """How many."""

    @property
    def area(self) -> int:
        return self.size

    @area.setter
    def area(self, value: int) -> None:
        self.size = value

    @overload
    def get(self, key: int) -> int: ...
    @overload
    def get(self, key: str) -> str: ...
    def get(self, key):
        return key

    if TYPE_CHECKING:
        def hint(self): ...

    def __init__(self):
        self.pool = []
        local = 1

    def grow(self):
        self.pool = None
        self.late = 2

        def inner():
            return 1

        return inner
        # a closing remark

# not part of the class
def free(
    a,
    b,
):
    return a
'''


@pytest.fixture(scope="module")
def python() -> Outline:
    return read("pkg/m.py", PYTHON)


@pytest.mark.parametrize(
    ("name", "kind", "first", "definition", "signature_last", "last"),
    [
        ("LIMIT", SymbolKind.CONSTANT, 2, 2, 2, 2),
        ("Color.RED", SymbolKind.ENUM_MEMBER, 6, 6, 6, 6),
        ("Config", SymbolKind.CLASS, 9, 10, 13, 47),
        ("Config.size", SymbolKind.FIELD, 14, 14, 14, 14),
        ("Config.hint", SymbolKind.METHOD, 33, 33, 33, 33),
        ("Config.grow", SymbolKind.METHOD, 39, 39, 39, 47),
        ("Config.grow.inner", SymbolKind.FUNCTION, 43, 43, 43, 44),
        ("grow.inner", SymbolKind.FUNCTION, 43, 43, 43, 44),
        ("free", SymbolKind.FUNCTION, 50, 50, 53, 54),
        ("Config.late", SymbolKind.ATTRIBUTE, 41, 41, 41, 41),
    ],
)
def test_lines_of_a_definition(
    python: Outline, name: str, kind: SymbolKind, first: int, definition: int, signature_last: int, last: int
) -> None:
    (symbol,) = python.symbols_named(name)
    assert (symbol.kind, symbol.lines.first, symbol.definition, symbol.signature_last, symbol.lines.last) == (
        kind,
        first,
        definition,
        signature_last,
        last,
    )


def test_every_definition_of_a_name_is_returned(python: Outline) -> None:
    assert [s.kind for s in python.symbols_named("Config.area")] == [SymbolKind.PROPERTY, SymbolKind.SETTER]
    assert [s.kind for s in python.symbols_named("get")] == [
        SymbolKind.OVERLOAD,
        SymbolKind.OVERLOAD,
        SymbolKind.METHOD,
    ]
    assert python.symbols_named("Config.get()") == python.symbols_named("Config::get")
    assert python.symbols_named("rea") == ()
    assert python.symbols_named("") == ()


def test_an_attribute_is_where_the_constructor_sets_it(python: Outline) -> None:
    assert [s.definition for s in python.symbols_named("Config.pool")] == [36]


def test_locals_are_no_symbols(python: Outline) -> None:
    assert python.symbols_named("local") == ()


def test_bases_and_decorators_are_source_text(python: Outline) -> None:
    (config,) = python.symbols_named("Config")
    assert config.bases == ("Base", "Generic[T]")
    assert config.decorators == ("dataclass",)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (44, 44, "Config.grow.inner"),
        (44, 46, "Config.grow"),
        (46, 46, "Config.grow"),
        (47, 47, "Config.grow"),
        (40, 41, "Config.grow"),
        (17, 17, "Config.area"),
        (16, 16, "Config"),
        (9, 9, "Config"),
        (17, 21, "Config"),
        (49, 49, None),
        (51, 52, "free"),
        (47, 51, None),
        (2, 2, None),
    ],
)
def test_enclosing(python: Outline, first: int, last: int, expected: str | None) -> None:
    symbol = python.enclosing(first, last)
    assert (symbol.name if symbol else None) == expected


def test_at_prefers_the_field(python: Outline) -> None:
    field = python.at(14, 14)
    assert field is not None
    assert field.name == "Config.size"
    assert [s.name for s in python.chain(44)] == ["Config", "Config.grow", "Config.grow.inner"]


def test_what_does_not_parse_still_gives_the_rest() -> None:
    found = read(
        "m.py", "def good():\n    return 1\n\ndef bad(x):\n    y = = 3\n\nclass After:\n    def ok(self): pass\n"
    )
    assert not found.complete
    assert found.symbols_named("good")
    assert found.symbols_named("After.ok")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_shift_the_numbers(ending: str) -> None:
    found = outline(SourceText.from_bytes("m.py", "", ending.join(["x = 1", "", "def f():", "    pass", ""]).encode()))
    assert [(s.name, s.lines.first, s.lines.last) for s in found.symbols] == [("x", 1, 1), ("f", 3, 4)]


def test_bytes_that_are_not_utf8() -> None:
    found = outline(SourceText.from_bytes("m.py", "", b"# caf\xe9\ndef f():\n    return '\xff'\n"))
    assert [(s.name, s.lines.first, s.lines.last) for s in found.symbols] == [("f", 2, 3)]


def test_a_very_long_and_a_very_deep_file() -> None:
    flat = "".join(f"def f{i}():\n    return {i}\n" for i in range(50_000))
    found = read("m.py", flat)
    assert len(found.symbols) == 50_000
    assert found.enclosing(99_999, 100_000) == found.symbols[-1]
    read("m.py", "x = " + "(" * 20_000 + ")" * 20_000 + "\ndef f(): pass\n")


def test_agrees_with_the_compiler_on_this_package() -> None:
    root = Path(refcheck.__file__).parent
    compared = 0
    for path in sorted(root.rglob("*.py")):
        text = path.read_text()
        expected: set[tuple[str, int, int, int]] = set()
        todo: list[tuple[ast.AST, str]] = [(ast.parse(text), "")]
        while todo:
            node, prefix = todo.pop()
            for child in ast.iter_child_nodes(node):
                inner = prefix
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                    expected.add((prefix + child.name, first, child.lineno, child.end_lineno or 0))
                    inner = f"{prefix}{child.name}."
                todo.append((child, inner))
        found = {
            (s.name, s.lines.first, s.definition, s.lines.last)
            for s in read(str(path), text).symbols
            if s.kind.is_scope
        }
        assert {e[:3] for e in expected} == {f[:3] for f in found}, path
        compared += len(expected)
    assert compared > 20


CPP = """\
namespace vllm {

template <typename T, int N>
__global__ void copy_kernel(
    T* out,
    const T* in) {
  out[0] = in[0];
}

class Store : public Base, private Other {
 public:
  int size_ = 0;
  void put(int key) {
    size_ = key;
  }
};

void Store::erase(int key) {
  size_ = 0;
}

enum class Kind { A, B };
}  // namespace vllm
#define LIMIT 4
"""


def test_cuda() -> None:
    found = read("csrc/k.cu", CPP)
    assert [
        (s.name, s.kind.value, s.lines.first, s.definition, s.signature_last, s.lines.last) for s in found.symbols
    ] == [
        ("vllm", "namespace", 1, 1, 1, 23),
        ("vllm.copy_kernel", "function", 3, 4, 6, 8),
        ("vllm.Store", "class", 10, 10, 10, 16),
        ("vllm.Store.size_", "field", 12, 12, 12, 12),
        ("vllm.Store.put", "method", 13, 13, 13, 15),
        ("vllm.Store.erase", "method", 18, 18, 18, 20),
        ("vllm.Kind", "class", 22, 22, 22, 22),
        ("vllm.Kind.A", "enum member", 22, 22, 22, 22),
        ("vllm.Kind.B", "enum member", 22, 22, 22, 22),
        ("LIMIT", "macro", 24, 24, 24, 24),
    ]
    assert found.symbols_named("Store::put") == found.symbols_named("put")
    (store,) = found.symbols_named("Store")
    assert store.bases == ("Base", "Other")


def test_rust() -> None:
    text = (
        "#[derive(Clone)]\n#[x]\nstruct Pool<T> {\n    size: usize,\n}\n\n"
        "impl<T> Drop for Pool<T> {\n    fn drop(&mut self) {\n    }\n}\n"
    )
    found = read("src/a.rs", text)
    assert [(s.name, s.kind.value, s.lines.first, s.definition, s.lines.last) for s in found.symbols] == [
        ("Pool", "class", 1, 3, 5),
        ("Pool.size", "field", 4, 4, 4),
        ("Pool", "class", 7, 7, 10),
        ("Pool.drop", "method", 8, 8, 9),
    ]


def test_headings_and_keys() -> None:
    found = read("a.md", "# One\ntext\n```\n# no heading\n```\n## Two\nmore\n# Three\n")
    assert [(s.name, s.lines.first, s.lines.last) for s in found.symbols] == [
        ("One", 1, 7),
        ("One / Two", 6, 7),
        ("Three", 8, 8),
    ]
    assert read("a.toml", "[tool.x]\nsize = 1\n").symbols_named("tool.x.size")
    assert read("a.yaml", "a:\n  b: 1\nc: 2\n").symbols_named("a.b")
    assert read("a.json", '{\n  "a": {\n    "b": 1\n  }\n}\n').symbols_named("a.b")
    assert read("a.unknown", "x = 1\n").symbols == ()
