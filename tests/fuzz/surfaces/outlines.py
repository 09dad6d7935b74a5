"""Outlines: whatever a file of an engine holds, definitions lie inside it, and lines tell what is around them."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from refcheck.locate.outline import Outline, SymbolKind, outline
from refcheck.locate.scope_by_text import UNSURE, PythonScopes
from refcheck.model.source_text import SourceText

from . import Surface, must, opened, seed

_CPP = """#pragma once
#define LIMIT 4
namespace toy::core {
template <typename T, int N = 4>
class Pool final : public Base<T>, private Other {
 public:
  explicit Pool(int size) : size_(size) {}
  ~Pool() = default;
  bool operator==(const Pool& other) const { return size_ == other.size_; }
  T* take(int count);
  enum Kind : int { SMALL = 1, LARGE };
 private:
  int size_ = 0;
};
template <typename T, int N>
T* Pool<T, N>::take(int count) {
#ifdef CUDA
  return nullptr;
#endif
}
using Rows = std::vector<int>;
typedef int (*Call)(int);
constexpr int WIDTH = 8, HEIGHT = 9;
}  // namespace
"""
_CUDA = """template <int BLOCK>
__global__ void __launch_bounds__(256) scale(float* __restrict__ x, int n) {
  __shared__ float part[BLOCK];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}
void run(float* x, int n) { scale<256><<<n / 256, 256>>>(x, n); }
"""
_RUST = """#[derive(Debug)]
pub struct Pool<'a, T: Clone> { pub size: usize, rows: &'a [T] }
impl<'a, T: Clone> Pool<'a, T> {
    /// Takes.
    pub async fn take(&self, n: usize) -> Option<T> { let f = |x| x + 1; None }
}
mod inner { pub const LIMIT: u32 = 4; pub trait Keep { fn keep(&self); } }
macro_rules! both { ($a:expr) => { $a + $a }; }
enum Kind { Small, Large(u8), Other { x: i32 } }
"""
_PYTHON = '''import os


@decorated(
    1,
)
class Pool(Base):
    """Keeps.

def not_one(): in a string
    """

    size: int = 3

    async def take(self, n): return [
        n,
    ]

    @property
    def width(self):
        if self.size:
            def inner(x):
                return x
        # a comment
        return "\\
"


LIMIT = {"a": 1}
if LIMIT:
    def late(): ...
'''
_MARKDOWN = "# One\n\n## Two\n```\n# no\n```\ntext\n# Three #\n"
_RST = "One\n===\n\nTwo\n---\ntext\n\nThree\n=====\n"
_YAML = "one:\n  two: 3\n  - four: x\n'five':\n  six: [1]\n"
_TOML = "one = 1\n[two.three]\nfour = 'x' # no\n[[five]]\n\"six\" = 2\n"
_JSON = '{\n  "one": 1,\n  "two": {\n    "th\\"ree": [],\n  }\n}\n'
_SEEDS = {
    ".py": _PYTHON,
    ".h": _CPP,
    ".cu": _CUDA,
    ".rs": _RUST,
    ".md": _MARKDOWN,
    ".rst": _RST,
    ".yaml": _YAML,
    ".toml": _TOML,
    ".json": _JSON,
}
SUFFIXES = tuple(_SEEDS)


def seeds() -> Iterator[bytes]:
    for choice, text in enumerate(_SEEDS.values()):
        yield seed(text, choice)


def check(data: bytes) -> None:
    choice, payload = opened(data)
    path = f"a{SUFFIXES[choice % len(SUFFIXES)]}"
    source = SourceText.from_bytes(path, "0" * 40, payload)
    made = outline(source)
    must(made == outline(SourceText.from_bytes(path, "0" * 40, payload)), "read twice, it has another outline")
    _check_symbols(made, len(source.lines))
    _check_scopes(made, len(source.lines))
    if path == "a.py" and _is_python(source.text):
        _check_text_scopes(made, source)


def _is_python(text: str) -> bool:
    """Whether Python itself reads the text: the grammar of the outline takes more than that for complete."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _check_symbols(made: Outline, total: int) -> None:
    first = 0
    for symbol in made.symbols:
        lines = symbol.lines
        must(0 < lines.first <= lines.last <= max(total, 1), f"{symbol.name!r} at {lines} of {total} lines")
        must(lines.first <= symbol.definition <= lines.last, f"{symbol.name!r} is defined outside of itself")
        must(lines.first <= symbol.signature_last <= lines.last, f"{symbol.name!r} has its signature outside of itself")
        must(bool(symbol.name.strip()), "a definition without a name")
        must(lines.first >= first, "definitions out of order")
        first = lines.first
        plain = "::" not in symbol.name and "()" not in symbol.name and symbol.name == symbol.name.strip().strip(".")
        if plain and symbol.kind is not SymbolKind.HEADING:
            must(symbol in made.symbols_named(symbol.name), f"{symbol.name!r} is not found by its name")


def _check_scopes(made: Outline, total: int) -> None:
    for line in range(1, min(total, 120) + 1):
        around = made.enclosing(line, line)
        chain = made.chain(line)
        must((chain[-1] if chain else None) == around, "the innermost of the chain is another scope")
        must(
            all(symbol.lines.first <= line <= symbol.lines.last for symbol in chain), "a scope that holds no such line"
        )
        made.at(line, min(line + 3, total))


def _check_text_scopes(made: Outline, source: SourceText) -> None:
    """Where the text alone tells what is around a line, the outline says the same."""
    scopes = PythonScopes(source)
    for line in range(1, min(len(source.lines), 60) + 1):
        said = scopes.around(line, line)
        if said is UNSURE or not source.lines[line - 1].strip():
            continue
        around = made.enclosing(line, line)
        must((around.name if around else None) == said, f"line {line}: {said!r} by its text, {around} by the outline")


SURFACE = Surface("outlines", seeds, check)
