"""Each construct by itself: what it gives, and which are named as not supported, with their line."""

from __future__ import annotations

import pytest

from refcheck.claims.evaluator.budget import Budget
from refcheck.claims.evaluator.failures import BudgetExceeded, EvaluationError, RaisedInSource, Unsupported
from refcheck.claims.evaluator.results import TensorShape, allocations, nbytes, to_plain
from refcheck.claims.evaluator.run import (
    Source,
    StatementSelection,
    call_function,
    evaluate_expression,
    launch_kernel,
    run_statements,
)
from refcheck.claims.evaluator.stubs import Builder
from refcheck.claims.evaluator.tensors import DTYPES, allocate

VALUES = {
    "chained comparison": ("1 < 2 < 3 > 2", True),
    "chained comparison stops": ("2 < 1 < nothing", False),
    "membership": ("(2 in [1, 2], 3 not in {1: 2}, 'b' in 'abc')", (True, True, True)),
    "identity": ("(None is None, [] is [], True is not None)", (True, False, True)),
    "arithmetic": (
        "(7 // 2, -7 // 2, -7 % 3, 7 / 2, 2 ** 10, 1 << 4, 6 & 3, 6 | 1, 6 ^ 3, ~5)",
        (3, -4, 2, 3.5, 1024, 16, 2, 7, 5, -6),
    ),
    "ceiling division": ("-(7 // -2)", 4),
    "cdiv": ("cdiv(4096, 16) + cdiv(1, 16)", 257),
    "boolean gives the operand": ("(0 or 5, 3 and 4, None or [])", (5, 4, ())),
    "conditional": ("1 if [] else 2", 2),
    "walrus": ("(y := 3) + y", 6),
    "walrus in a comprehension": ("[last := i for i in range(3)] and last", 2),
    "comprehension with conditions": ("[i * j for i in range(4) if i % 2 for j in range(2)]", (0, 1, 0, 3)),
    "dict comprehension": ("{k: v for k, v in zip('ab', [1, 2])}", {"a": 1, "b": 2}),
    "generator is lazy": ("next(i for i in range(10 ** 15) if i > 3)", 4),
    "any stops early": ("any(i == 2 for i in range(10 ** 15))", True),
    "starred": ("[*(1, 2), 3, *range(2)]", (1, 2, 3, 0, 1)),
    "call with starred": ("max(*[1, 5], *(2,))", 5),
    "lambda with defaults": ("(lambda a, b=2, *c, d=4: (a, b, c, d))(1, 5, 6, d=7)", (1, 5, (6,), 7)),
    "slices": ("([0, 1, 2, 3][1:-1], 'abc'[::-1], (1, 2, 3)[-2:])", ((1, 2), "cba", (2, 3))),
    "f-string": ("f'{1234567:,}|{2.5:.2f}|{\"x\"!r}|{{}}|{[1, None]}'", "1,234,567|2.50|'x'|{}|[1, None]"),
    "raw and joined strings": ("r'\\n' 'a' \"\\x41\\u00e9\\\\\"", "\\naA\u00e9\\"),
    "numbers": ("(0x10, 0b11, 0o17, 1_000, 1e3, .5)", (16, 3, 15, 1000, 1000.0, 0.5)),
    "sorted by key": ("sorted([3, 1, 2], key=lambda v: -v)", (3, 2, 1)),
    "rounding to many digits": ("round(10 ** 300, -10 ** 9)", 0),
    "list type as a call": ("list[int]([1])", (1,)),
    "np.cumsum": ("np.cumsum(np.array([2, 5, 3]), dtype=np.int32)", (2, 7, 10)),
    "np.repeat": ("np.repeat(np.arange(3), np.array([2, 0, 1]))", (0, 0, 2)),
    "element of an array": ("np.array([4, 5])[-1] + 1", 6),
    "fancy index": ("np.array([10, 20, 30])[np.array([2, 0])]", (30, 10)),
    "mask": ("np.arange(5)[np.arange(5) > 2]", (3, 4)),
    "torch.clamp": ("torch.clamp(torch.tensor([3, 1, 0]) - 1, min=0).to(torch.int64)", (2, 0, 0)),
    "torch keeps the element type": ("(torch.tensor([1]) * torch.ones(1)).dtype", "float32"),
    "torch division of integers": ("(torch.tensor([1]) / 2).dtype", "float32"),
    "element size": ("torch.tensor([], dtype=torch.bfloat16).element_size()", 2),
    "math": ("(math.ceil(2.1), math.floor(-0.5), math.prod([2, 3]), math.gcd(12, 18))", (3, -1, 6, 6)),
}

UNSUPPORTED = {
    "try": ("x = 1\ntry:\n    y = 1\nexcept E:\n    pass\n", "try", 2),
    "import": ("x = 1\nimport os\n", "import of os", 2),
    "class": ("x = 1\nclass A: pass\n", "class", 2),
    "global": ("x = 1\n\nglobal x\n", "global", 3),
    "nonlocal": ("x = 1\nnonlocal x\n", "nonlocal", 2),
    "yield": ("x = 1\nyield x\n", "yield", 2),
    "await": ("x = 1\ny = await x\n", "await", 2),
    "match": ("x = 1\nmatch x:\n    case 1: pass\n", "match", 2),
    "matrix product": ("x = np.ones(2)\ny = x @ x\n", "operator @", 2),
    "complex": ("x = (-1) ** 0.5\n", "complex numbers", 1),
    "imaginary": ("x = 1j\n", "complex number", 1),
    "name without a value": ("x = 1\ny = (\n    x\n    + missing\n)\n", "name missing", 4),
    "percent format": ("x = '%s' % 1\n", "formatting with %", 1),
    "method that is not listed": ("x = 'a'.encode()\n", "attribute encode of str", 1),
    "keyword that is not known": ("x = np.cumsum([1], where=True)\n", "argument where of cumsum", 1),
    "values of a shape": ("t = torch.empty(3)\nx = t[0] > 1 if t[0] > 0 else 2\n", "values of a tensor", 2),
    "bare raise": ("raise\n", "raise without", 1),
}

RAISES = {
    "assert": ("x = 1\nassert x == 2, f'not {x}'\n", "AssertionError", "not 1", 2),
    "raise": ("raise ValueError('bad')\n", "ValueError", "bad", 1),
    "raise of a dotted class": ("raise errors.Wrong\n", "Wrong", "", 1),
    "raise with a message that cannot be shown": ("raise ValueError(missing)\n", "ValueError", "", 1),
    "division": ("x = 1 // 0\n", "ZeroDivisionError", "", 1),
    "key": ("x = {}['a']\n", "KeyError", "a", 1),
    "index": ("x = [1][3]\n", "IndexError", "range", 1),
    "unpacking": ("a, b = [1]\n", "ValueError", "not enough", 1),
    "argument": ("f = lambda a: a\nx = f()\n", "TypeError", "missing argument 'a'", 2),
    "unbound": ("def f():\n    y = x\n    x = 1\nx = 0\nf()\n", "UnboundLocalError", "'x'", 2),
    "split sizes": ("t = torch.empty(6)\nx = t.split([1, 2], dim=-1)\n", "RuntimeError", "add up", 2),
    "shapes that do not fit": ("x = np.arange(2) + np.arange(3)\n", "ValueError", "broadcast", 1),
    "size of a view": ("x = torch.empty(6).view(4, 2)\n", "ValueError", "reshape", 1),
}


@pytest.mark.parametrize(("expression", "expected"), VALUES.values(), ids=VALUES)
def test_value(expression: str, expected: object) -> None:
    assert to_plain(evaluate_expression(expression, {})) == expected


@pytest.mark.parametrize(("source", "construct", "line"), UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_what_is_not_supported_is_named_with_its_line(source: str, construct: str, line: int) -> None:
    with pytest.raises(Unsupported, match=construct) as caught:
        run_statements(Source(source, "engine/part.py", 101), {})
    assert caught.value.where == f"engine/part.py:{100 + line}"


@pytest.mark.parametrize(("source", "exception", "detail", "line"), RAISES.values(), ids=RAISES)
def test_what_the_source_raises_is_a_result(source: str, exception: str, detail: str, line: int) -> None:
    with pytest.raises(RaisedInSource) as caught:
        run_statements(source, {})
    assert caught.value.exception == exception
    assert detail in caught.value.detail
    assert caught.value.where == f"line {line}"


def test_statements() -> None:
    source = """
total = 0
a = b = [1]
a += [2]
first, *rest = range(4)
(p, q), r = (1, 2), 3
count: int = 5
unset: int
for i in range(10):
    if i == 2:
        continue
    elif i == 5:
        break
    total += i
else:
    total = -1
while count > 0:
    count -= 2
else:
    done = True
def outer(n):
    def inner():
        return n + 1
    return inner()
nested = outer(4)
d = {'a': [0, 1]}
d['a'][1] = 7
with nullcontext():
    entered = True
del p
pass
"""
    names = run_statements(source, {}).bindings
    assert names["total"] == 0 + 1 + 3 + 4
    assert names["a"] is names["b"]
    assert to_plain(names["b"]) == (1, 2)
    assert (names["first"], names["rest"], names["q"], names["r"]) == (0, [1, 2, 3], 2, 3)
    assert (names["count"], names["done"], names["nested"], names["entered"]) == (-1, True, 5, True)
    assert names["d"] == {"a": [0, 7]}
    assert "p" not in names
    assert "unset" not in names


def test_closures_see_later_changes_and_defaults_do_not() -> None:
    source = "n = 1\nfs = [lambda: i for i in range(2)]\ngs = [lambda i=i: i for i in range(2)]\nx = [f() for f in fs + gs]\n"
    assert run_statements(source, {}).bindings["x"] == [1, 1, 0, 1]


def test_arrays_are_views_where_numpy_gives_views() -> None:
    source = """
a = np.zeros(6, dtype=np.int64)
b = a[1:3]
b[:] = 5
a[3:] += np.array([1, 2, 3])
c = a[[0, 1]]
c[0] = 9
np.subtract(np.arange(2), 1, out=a[:2])
t = torch.from_numpy(a)
t[5:].fill_(0)
"""
    assert to_plain(run_statements(source, {}).bindings["a"]) == (-1, 0, 5, 1, 2, 0)


def test_shapes_without_values() -> None:
    qkv = allocate([7, 6144], DTYPES["bfloat16"], "torch")
    source = """
q, k, v = qkv.split([4096, 1024, 1024], dim=-1)
heads = q.view(-1, 32, 128)
turned = heads.permute(1, 0, 2)
one = turned[0]
both = torch.cat([k, v], dim=1)
total = (k + v).numel()
flat = heads.flatten(1)
last = heads[:, -1:, ::2]
"""
    names = run_statements(source, {"qkv": qkv}).bindings
    assert to_plain(names["turned"]) == TensorShape((32, 7, 128), "bfloat16")
    assert to_plain(names["one"]) == TensorShape((7, 128), "bfloat16")
    assert to_plain(names["both"]) == TensorShape((7, 2048), "bfloat16")
    assert names["total"] == 7 * 1024
    assert to_plain(names["flat"]) == TensorShape((7, 4096), "bfloat16")
    assert to_plain(names["last"]) == TensorShape((7, 1, 64), "bfloat16")
    assert len(allocations([names["q"], names["k"], names["one"]])) == 1


def test_allocations_tell_separate_memory_from_views() -> None:
    apart = "ks = [torch.zeros((100, 8), dtype=torch.bfloat16) for _ in range(3)]\n"
    fused = (
        "both = [torch.zeros((2, 100, 8), dtype=torch.bfloat16) for _ in range(3)]\nks = [t[0, :90] for t in both]\n"
    )
    names = run_statements(apart, {}).bindings
    assert (len(allocations(names["ks"])), nbytes(names["ks"])) == (3, 3 * 100 * 8 * 2)
    names = run_statements(fused, {}).bindings
    assert (len(allocations(names["ks"])), nbytes(names["ks"])) == (3, 3 * 90 * 8 * 2)
    assert [allocation.nbytes for allocation in allocations(names["ks"])] == [2 * 100 * 8 * 2] * 3


FUNCTION = '''
    def run(self, first, second=None, *, scale=2):
        """Text."""
        total = first
        if second is not None:
            total = total + second
            total = total * scale
        self.total = total
        for step in range(3):
            total = self.advance(total)
        return total
'''


def thing() -> object:
    return Builder().build({"stub": "Thing", "attributes": {"advance": {"record": "advance", "echo": [0]}}})


def test_a_method_is_called_with_its_defaults() -> None:
    stub = thing()
    assert call_function(FUNCTION, [stub, 3]) == 3
    assert call_function(FUNCTION, [stub, 3, 4], {"scale": 10}) == 70
    with pytest.raises(RaisedInSource, match="unexpected keyword"):
        call_function(FUNCTION, [stub, 3], {"other": 1})


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (StatementSelection(first_assigns="total", occurrence=2, count=2), {"total": 18}),
        (StatementSelection(first_assigns="total", occurrence=2), {"total": 9}),
        (StatementSelection(first_assigns="total", occurrence=3, outer=1), {"total": 18}),
        (StatementSelection(first_assigns="total", last_assigns="self.total"), {"total": 14}),
        (StatementSelection(first_calls="advance"), {"total": 5}),
        (StatementSelection(first_assigns="self.total"), {"total": 5}),
        (StatementSelection(count=3), {"total": 14}),
        (StatementSelection(lines=(205, 207)), {"total": 18}),
        (StatementSelection(lines=(206, 206)), {"total": 9}),
        (StatementSelection(lines=(206, 207)), {"total": 18}),
    ],
    ids=lambda value: str(value)[:70],
)
def test_selection(selection: StatementSelection, names: dict[str, int]) -> None:
    env = {"self": thing(), "first": 3, "second": 4, "scale": 2, "total": 5}
    outcome = run_statements(Source(FUNCTION, "engine/run.py", 201), env, select=selection)
    assert {name: outcome.bindings[name] for name in names} == names


def test_lines_of_what_was_selected() -> None:
    env = {"self": thing(), "first": 3, "second": 4, "scale": 2}
    source = Source(FUNCTION, "engine/run.py", 201)
    selected = StatementSelection(first_assigns="total", last_assigns="self.total")
    assert run_statements(source, env, select=selected).lines == (204, 208)
    assert run_statements(source, env, select=StatementSelection(lines=(203, 207))).lines == (203, 207)
    assert run_statements(source, env).left == "return"


@pytest.mark.parametrize(
    "selection",
    [
        StatementSelection(first_assigns="nothing"),
        StatementSelection(first_assigns="total", occurrence=9),
        StatementSelection(first_assigns="total", last_assigns="nothing"),
        StatementSelection(first_assigns="self.total", count=9),
        StatementSelection(lines=(900, 901)),
        StatementSelection(first_assigns="total", outer=3),
    ],
    ids=lambda value: str(value)[:70],
)
def test_a_selection_that_finds_nothing_says_so(selection: StatementSelection) -> None:
    with pytest.raises(EvaluationError):
        run_statements(FUNCTION, {"self": thing()}, select=selection)


def test_half_a_block_is_never_cut_out_of_it() -> None:
    """Lines that end inside of an `if` select the statements that stand wholly within them, not a shorter `if`."""
    source = "if flag:\n    x = 1\n    y = 2\nelse:\n    x = 3\n"
    outcome = run_statements(source, {"flag": False}, select=StatementSelection(lines=(1, 2)))
    assert outcome.bindings["x"] == 1
    assert "y" not in outcome.bindings


KERNEL = """
@triton.jit
def double(out_ptr, in_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    last = tl.num_programs(0) - 1
    if row == last:
        tl.store(out_ptr + n, -1)
        return
    for i in tl.range(0, n, BLOCK):
        block = i + tl.arange(0, BLOCK)
        mask = block < n
        value = tl.load(in_ptr + block, mask=mask, other=0)
        tl.store(out_ptr + block, tl.where(value > 1, value * 2, value), mask=mask)
"""


def test_a_kernel_runs_over_its_grid() -> None:
    builder = Builder({"k.py::double": KERNEL}.__getitem__)
    out = builder.build({"full": [6], "value": 9, "dtype": "int32"})
    launch_kernel(KERNEL, (2,), [out, builder.build({"array": [1, 2, 3]}), 3], {"BLOCK": 2, "num_warps": 4})
    assert to_plain(out) == (2 - 1, 4, 6, -1, 9, 9)
    builder.add_names({"double": {"kernel": "k.py::double"}})
    again = builder.build({"full": [4], "value": 9, "dtype": "int32"})
    wrapper = "def run(o, i):\n    double[(i.shape[0] - 1,)](o, i, i.shape[0], BLOCK=4)\n"
    call_function(wrapper, [again, builder.build({"array": [5, 1, 7]})], globals=builder.names)
    assert to_plain(again) == (10, 1, 14, -1)


def test_the_budget_is_the_callers() -> None:
    with pytest.raises(BudgetExceeded, match="more than 10 steps"):
        run_statements("for i in range(20):\n    pass\n", {}, budget=Budget(steps=10))
    assert run_statements("x = 1 + 1\n", {}, budget=Budget(steps=10)).steps <= 10
