"""Hostile source: refused or bounded, each in under a second, and no attribute of a real Python object is reached."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time

import pytest

from refcheck.claims.evaluator.budget import Budget
from refcheck.claims.evaluator.failures import (
    BudgetExceeded,
    EvaluationError,
    EvaluatorFailure,
    RaisedInSource,
    Unsupported,
)
from refcheck.claims.evaluator.run import call_function, launch_kernel, read_attribute, run_statements
from refcheck.claims.evaluator.stubs import Builder
from refcheck.claims.evaluator.values import Value

#: What runs of hostile source may end with: anything but a value, another exception, or the end of the process.
REFUSED = (Unsupported, BudgetExceeded, RaisedInSource, EvaluationError)

ESCAPES = {
    "class of a tuple": "().__class__.__mro__",
    "class of text": "''.__class__",
    "class of a number": "(1).__class__.__bases__",
    "subclasses": "object.__subclasses__()",
    "dunder by getattr": "getattr((), '__class__')",
    "dunder by getattr with default": "getattr((), '__class__', None)",
    "dunder by a built name": "getattr([], '__cla' + 'ss__')",
    "dunder by hasattr": "hasattr([], '__class__')",
    "globals of a built-in": "len.__globals__",
    "self of a built-in": "len.__self__",
    "globals of a lambda": "(lambda: 0).__globals__",
    "code of a lambda": "(lambda: 0).__code__",
    "function of a native": "len.function",
    "node of a lambda": "(lambda: 0).node",
    "scope of a lambda": "(lambda: 0).scope",
    "frame of a generator": "(i for i in [1]).gi_frame",
    "items of a generator": "(i for i in [1]).items",
    "code of a method": "[].append.__func__",
    "instance of a bound method": "[].append.instance",
    "module dict": "np.__dict__",
    "members of a namespace": "np.members",
    "module of a module": "np.core",
    "submodule": "np.lib.stride_tricks",
    "ctypes of an array": "np.zeros(2).ctypes",
    "data of an array": "np.zeros(2).data",
    "base of an array": "np.zeros(4)[:2].base",
    "interface of an array": "np.zeros(2).__array_interface__",
    "allocation of an array": "np.zeros(2).allocation",
    "pickle of an array": "np.zeros(2).tofile('x')",
    "dump of an array": "np.zeros(2).dump('x')",
    "load of an array": "np.load('x')",
    "file to array": "np.fromfile('x')",
    "memmap": "np.memmap('x')",
    "object array by name": "np.zeros(2, dtype='O')",
    "object array by type": "np.zeros(2, dtype=object)",
    "object array of things": "np.array([len, len])",
    "torch load": "torch.load('x')",
    "torch ops": "torch.ops.load_library('x')",
    "data_ptr": "torch.zeros(2).data_ptr()",
    "import function": "__import__('os')",
    "eval": "eval('1')",
    "exec": "exec('1')",
    "compile": "compile('1', '', 'eval')",
    "open": "open('/etc/passwd')",
    "type": "type(1)",
    "type with three arguments": "type('X', (), {})",
    "vars": "vars()",
    "dir": "dir()",
    "globals": "globals()",
    "locals": "locals()",
    "input": "input()",
    "breakpoint": "breakpoint()",
    "print": "print(1)",
    "builtins": "__builtins__",
    "memoryview": "memoryview(b'1')",
    "bytes": "b'1'",
    "format method": "'{0.__class__}'.format(1)",
    "format_map": "'{x.__class__}'.format_map({'x': 1})",
    "percent format": "'%s' % (1,)",
    "percent width": "'%999999999d' % 1",
    "f-string attribute": "f'{().__class__}'",
    "f-string huge width": "f'{1:999999999}'",
    "f-string huge precision": "f'{1.0:.999999999f}'",
    "f-string computed width": "f'{1:{10 ** 9}}'",
    "string translate": "'a'.translate({97: 'b' * 10})",
    "string encode": "'a'.encode()",
    "private of a stub": "stub.__class__",
    "attributes dict of a stub": "stub.attributes",
    "methods dict of a stub": "stub.methods",
    "call value of a stub": "stub.call",
    "calls of a recorder": "stub.record.calls",
    "secret of an opaque": "opaque.name",
    "members of an enumeration": "Mode.members",
    "owner of a member": "Mode.A.owner",
    "class of a member": "Mode.A.__class__",
    "name of a dtype": "torch.int32.kind",
    "object setattr on a list": "object.__setattr__([], 'x', 1)",
    "setattr on a module": "setattr(np, 'zeros', 1)",
    "setattr of a dunder": "setattr(stub, '__class__', 1)",
    "await": "await stub",
    "star import of names": "[*np]",
}

STATEMENT_ESCAPES = {
    "import": "import os\n",
    "import from": "from os import system\n",
    "import as": "import os as np2\n",
    "star import": "from os import *\n",
    "class": "class X: pass\n",
    "try and walk": "try:\n    1 / 0\nexcept Exception as e:\n    x = e.__traceback__.tb_frame\n",
    "global": "global x\nx = 1\n",
    "async function": "async def f(): pass\n",
    "yield": "def f():\n    yield 1\nx = f()\n",
    "with a stub": "with stub:\n    pass\n",
    "with a list": "with []:\n    pass\n",
    "decorator": "@stub\ndef f(): pass\nx = f()\n",
    "dunder attribute": "stub.__class__ = 1\n",
    "attribute of a module": "np.zeros = 1\n",
    "attribute of a list": "x = []\nx.y = 1\n",
    "attribute of a function": "def f(): pass\nf.x = 1\n",
    "match": "match 1:\n    case 1: x = 1\n",
    "shadowed built-in reaches nothing": "len = np\nx = len.__loader__\n",
    "shadowed getattr": "g = getattr\nx = g(stub, '__dict__')\n",
    "mapped getattr": "x = list(map(getattr, [stub], ['__dict__']))\n",
    "exception chain": "raise stub from stub\n",
}

BOMBS = {
    "power tower": "x = 10 ** 10 ** 10\n",
    "power": "x = 10 ** 10000\n",
    "shift": "x = 1 << 10 ** 9\n",
    "negative shift": "x = 1 << -1\n",
    "squaring": "x = 3\nwhile True:\n    x = x * x\n",
    "float overflow": "x = 2.0 ** 10 ** 6\n",
    "huge literal": "x = " + "9" * 5000 + "\n",
    "digits of text": "x = int('9' * 4000)\n",
    "million-element list": "x = list(range(10 ** 6))\n",
    "million-element loop": "for i in range(10 ** 6):\n    pass\n",
    "endless range": "x = sum(range(10 ** 18))\n",
    "length of a huge range": "x = len(range(10 ** 30))\n",
    "float in a huge range": "x = 1.5 in range(10 ** 18)\n",
    "reversed range": "x = list(reversed(range(10 ** 18)))\n",
    "max of a huge range": "x = max(range(10 ** 18))\n",
    "sorted of a huge range": "x = sorted(range(10 ** 18))\n",
    "unpacking of a huge range": "a, b = range(10 ** 18)\n",
    "starred unpacking": "a, *b = range(10 ** 18)\n",
    "starred call": "x = max(*range(10 ** 18))\n",
    "nested comprehension": "x = [i for a in range(999) for b in range(999) for i in range(999)]\n",
    "product of generators": "x = sum(1 for a in range(10 ** 9) for b in range(10 ** 9))\n",
    "while true": "while True:\n    pass\n",
    "while with else": "i = 0\nwhile i >= 0:\n    i += 1\n",
    "growing list": "x = [1]\nfor i in x:\n    x.append(i)\n",
    "doubling list": "x = [1]\nwhile True:\n    x += x\n",
    "doubling text": "x = 'ab'\nwhile True:\n    x = x + x\n",
    "list times": "x = [0] * 10 ** 9\n",
    "list times itself": "x = [0] * 1000\ny = [x * 1000 for i in range(1000)]\n",
    "text times": "x = 'a' * 10 ** 9\n",
    "tuple times": "x = (0,) * 10 ** 9\n",
    "replace": "x = 'a' * 9999\ny = x.replace('a', x)\n",
    "join": "x = ('a' * 9999).join(['b'] * 9999)\n",
    "f-string of text": "x = 'a' * 9999\ny = f'{x}{x}{x}{x}'\n",
    "recursion": "def f(n):\n    return f(n + 1)\nx = f(0)\n",
    "mutual recursion": "def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nx = f(0)\n",
    "lambda recursion": "f = lambda n: f(n)\nx = f(0)\n",
    "recursion through sorted": "f = lambda n: sorted([n], key=f)\nx = f(0)\n",
    "recursion through map": "f = lambda n: list(map(f, [n]))\nx = f(0)\n",
    "fibonacci": "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nx = f(90)\n",
    "nested tuples compared": "a = b = ()\nfor i in range(50):\n    a = (a, a)\n    b = (b, b)\nx = a == b\n",
    "nested tuples hashed": "a = ()\nfor i in range(50):\n    a = (a, a)\nx = {a: 1}\n",
    "nested tuples ordered": "a = b = ()\nfor i in range(50):\n    a = (a, a)\n    b = (b, b)\nx = a < b\n",
    "nested tuples sorted": "a = b = ()\nfor i in range(50):\n    a = (a, a)\n    b = (b, b)\nx = sorted([a, b])\n",
    "nested tuples shown": "a = ()\nfor i in range(50):\n    a = (a, a)\nx = f'{a}'\n",
    "nested tuples searched": "a = b = ()\nfor i in range(50):\n    a = (a, a)\n    b = (b, b)\nx = a in [b]\n",
    "nested tuples as array": "a = 1\nfor i in range(50):\n    a = (a, a)\nx = np.array(a)\n",
    "list within itself compared": "a = []\na.append(a)\nb = []\nb.append(b)\nx = a == b\n",
    "list within itself shown": "a = []\na.append(a)\nx = f'{a}'\n",
    "deep list compared": "a = []\nb = []\nfor i in range(3000):\n    a = [a]\n    b = [b]\nx = a == b\n",
    "chain of generators": "x = (i for i in [1])\nfor j in range(3000):\n    x = (i for i in x)\ny = list(x)\n",
    "chain of maps": "x = [1]\nfor j in range(3000):\n    x = map(str, x)\ny = list(x)\n",
    "colliding keys": "x = {i * (2 ** 61 - 1): 0 for i in range(10000)}\n",
    "colliding float keys": "x = {float(i * (2 ** 61 - 1)): 0 for i in range(10000)}\n",
    "forgotten chain of generators": "x = (i for i in [1])\nwhile True:\n    x = (i for i in x)\n",
    "forgotten chain of maps": "x = [1]\nwhile True:\n    x = map(str, x)\n",
    "forgotten chain of closures": "f = lambda: 0\nwhile True:\n    f = lambda f=f: f\n",
    "forgotten chain of bound methods": "x = []\nwhile True:\n    x = {0: x}.get\n",
    "forgotten chain of tuples": "x = ()\nwhile True:\n    x = (x,)\n",
    "chain of views": "x = np.zeros(9)\nwhile True:\n    x = x[:]\n",
    "chain of slices": "x = None\nwhile True:\n    x = [0][:0]\n",
    "array of zeros": "x = np.zeros(10 ** 9)\n",
    "array of absurd shape": "x = np.zeros((10 ** 6, 10 ** 6, 10 ** 6))\n",
    "tensor of absurd shape": "x = torch.zeros(10 ** 30)\n",
    "tensor of many dimensions": "x = torch.zeros([1] * 9999)\n",
    "negative shape": "x = torch.zeros(-1)\n",
    "arange": "x = np.arange(10 ** 12)\n",
    "arange with a tiny step": "x = np.arange(0, 10 ** 12, 1)\n",
    "repeat": "x = np.repeat(np.arange(10), 10 ** 12)\n",
    "repeat of counts": "x = np.repeat(np.arange(2), np.array([10 ** 12, 10 ** 12]))\n",
    "broadcast": "a = np.zeros((9999, 1)) + np.zeros((1, 9999))\n",
    "fancy index": "a = np.zeros((500, 500))\nx = a[np.zeros(9999, dtype=np.int64)]\n",
    "fancy index of lists": "a = np.zeros((500, 500))\nx = a[[0] * 9999]\n",
    "many arrays": "x = []\nwhile True:\n    x.append(np.zeros(99999))\n",
    "array doubling": "x = np.zeros(2)\nwhile True:\n    x = np.concatenate([x, x])\n",
    "array power": "x = np.arange(9) ** (10 ** 12)\n",
    "tolist": "x = np.zeros(200000).tolist()\n",
    "list of an array": "x = list(np.zeros(200000))\n",
    "pad with format": "x = [f'{i:>99}' for i in range(10 ** 6)]\n",
    "filter of endless": "x = list(filter(lambda i: False, range(10 ** 18)))\n",
    "any of endless": "x = any(i < 0 for i in range(10 ** 18))\n",
    "next of endless": "x = next(i for i in range(10 ** 18) if i < 0)\n",
    "zip of endless": "x = list(zip(range(10 ** 18), range(10 ** 18)))\n",
    "enumerate of endless": "x = list(enumerate(range(10 ** 18)))\n",
    "slices": "x = [0] * 9999\ny = [x[:] for i in range(9999)]\n",
    "set of many": "x = {i for i in range(10 ** 6)}\n",
    "gcd of big numbers": "x = [math.gcd(3 ** 1200, 7 ** 700) for i in range(10 ** 6)]\n",
    "product": "x = math.prod(range(1, 9999))\n",
    "isqrt": "x = math.isqrt(10 ** 700)\n",
    "factorial": "x = math.factorial(10 ** 6)\n",
}

SHAPES_OF_SOURCE = {
    "nested parentheses": "x = " + "(" * 5000 + "1" + ")" * 5000,
    "nested lists": "x = " + "[" * 5000 + "]" * 5000,
    "nested calls": "x = " + "len(" * 5000 + ")" * 5000,
    "nested subscripts": "x = " + "a[" * 5000 + "0" + "]" * 5000,
    "unbalanced": "x = " + "(" * 5000,
    "brackets in an f-string": "x = f'" + "{" + "(" * 5000 + ")" * 5000 + "}'",
    "brackets hidden in nested quotes": 'x = f"{"  "' + "(" * 5000 + '"  "}"',
    "sum of many terms": "x = " + "1 + " * 20000 + "1",
    "powers": "x = " + "1 ** " * 20000 + "1",
    "negations": "x = " + "-" * 20000 + "1",
    "nots": "x = " + "not " * 20000 + "1",
    "lambdas": "x = " + "lambda: " * 20000 + "1",
    "conditionals": "x = " + "1 if 1 else " * 20000 + "1",
    "ands": "x = " + "1 and " * 20000 + "1",
    "comparisons": "x = " + "1 < " * 20000 + "1",
    "attributes": "x = a" + ".b" * 20000,
    "calls in a row": "x = a" + "()" * 20000,
    "strings in a row": "x = " + "'a' " * 20000,
    "elifs": "if 1:\n    x = 1\n" + "elif 1:\n    x = 1\n" * 5000,
    "nested blocks": "".join(" " * i + "if 1:\n" for i in range(3000)) + " " * 3000 + "x = 1\n",
    "targets": "x = " * 20000 + "1",
    "comprehension clauses": "x = [1 " + "for a in [1] " * 5000 + "]",
    "many statements": "x = 1\n" * 40000,
    "many statements in a line": "x = 1;" * 40000,
    "many arguments": "x = max(" + "1, " * 40000 + ")",
    "very long": "x = '" + "a" * 2_000_000 + "'",
    "very long comment": "#" + "a" * 2_000_000 + "\nx = 1",
    "long sum that parses": "x = " + "1 + " * 250 + "1",
    "deep brackets that parse": "x = " + "[" * 30 + "]" * 30,
    "null characters": "x = 1\x00",
    "lone surrogate": "x = '\ud800'",
    "not Python": "x = = 1",
    "unfinished string": "x = '''abc",
    "empty": "",
}


def stubs() -> dict[str, Value]:
    builder = Builder()
    return {
        "stub": builder.build({"stub": "Thing", "attributes": {"a": 1, "record": {"record": "r"}}}),
        "opaque": builder.build({"opaque": "thing"}),
        "Mode": builder.build({"enum_class": "Mode", "members": ["A", "B"]}),
    }


def refused(source: str) -> EvaluatorFailure:
    started = time.process_time()
    with pytest.raises(REFUSED) as caught:
        run_statements(source, stubs())
    assert time.process_time() - started < 1.0
    return caught.value


@pytest.mark.parametrize("expression", ESCAPES.values(), ids=ESCAPES)
def test_nothing_of_a_python_object_is_reached(expression: str) -> None:
    assert not isinstance(refused(f"x = {expression}\n"), BudgetExceeded) or "10 ** 9" in expression


@pytest.mark.parametrize("source", STATEMENT_ESCAPES.values(), ids=STATEMENT_ESCAPES)
def test_no_statement_opens_a_way_out(source: str) -> None:
    refused(source)


@pytest.mark.parametrize("source", BOMBS.values(), ids=BOMBS)
def test_size_and_time_are_bounded(source: str) -> None:
    refused(source)


@pytest.mark.parametrize("source", SHAPES_OF_SOURCE.values(), ids=SHAPES_OF_SOURCE)
def test_source_of_any_shape_ends_in_a_value_or_a_failure(source: str) -> None:
    started = time.process_time()
    with contextlib.suppress(*REFUSED):
        run_statements(source, {})
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("name", ["nested parentheses", "nested lists", "brackets hidden in nested quotes", "lambdas"])
def test_source_that_would_end_the_process_does_not(name: str) -> None:
    """The native parser overflows its stack on these; the scan before it must keep them away from it."""
    program = (
        "from refcheck.claims.evaluator.run import run_statements\n"
        "from refcheck.claims.evaluator.failures import BudgetExceeded\n"
        "try:\n    run_statements(open(0).read(), {})\nexcept BudgetExceeded:\n    print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=SHAPES_OF_SOURCE[name],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "refused")


def test_a_property_that_loops_is_bounded() -> None:
    builder = Builder(lambda reference: "@property\ndef size(self):\n    return self.size + 1\n")
    stub = builder.build({"stub": "Spec", "properties": {"size": "spec.py::Spec.size"}})
    with pytest.raises(BudgetExceeded, match="nesting"):
        read_attribute(stub, "size")


def test_properties_that_refer_to_each_other_are_bounded() -> None:
    texts = {
        "a::S.x": "@property\ndef x(self):\n    return self.y\n",
        "a::S.y": "@property\ndef y(self):\n    return self.x\n",
    }
    builder = Builder(texts.__getitem__)
    stub = builder.build({"stub": "S", "properties": {"x": "a::S.x", "y": "a::S.y"}})
    with pytest.raises(BudgetExceeded):
        read_attribute(stub, "x")


def test_a_name_that_shadows_a_builtin_is_just_a_name() -> None:
    outcome = run_statements("len = [1, 2]\nmin = len\nx = min[0]\n", {})
    assert outcome.bindings["x"] == 1


def test_time_is_bounded_even_where_steps_are_not() -> None:
    budget = Budget(steps=10**12, seconds=0.1)
    started = time.process_time()
    with pytest.raises(BudgetExceeded, match="seconds"):
        run_statements("while True:\n    pass\n", {}, budget=budget)
    assert time.process_time() - started < 1.0


def test_a_failure_hands_no_exception_object_to_the_source() -> None:
    """There is no `try`, so an error never becomes a value that could be walked."""
    with pytest.raises(Unsupported, match="try"):
        run_statements("try:\n    x = 1\nexcept ValueError:\n    x = 2\n", {})


def test_kernels_are_bounded_and_stay_inside_their_arrays() -> None:
    builder = Builder()
    array = builder.build({"zeros": [4], "dtype": "int32"})
    source = "@triton.jit\ndef k(p, n, BLOCK: tl.constexpr):\n    tl.store(p + n, 1)\n"
    with pytest.raises(RaisedInSource, match="outside of its array"):
        launch_kernel(source, (1,), [array, 4], {"BLOCK": 4})
    with pytest.raises(RaisedInSource, match="outside of its array"):
        launch_kernel(source, (1,), [array, -1], {"BLOCK": 4})
    with pytest.raises(BudgetExceeded, match="grid"):
        launch_kernel(source, (10**6,), [array, 0], {"BLOCK": 4})
    endless = "def k(p):\n    while True:\n        tl.store(p, 1)\n"
    with pytest.raises(BudgetExceeded):
        launch_kernel(endless, (1,), [array])


def test_a_decorator_of_unknown_effect_is_refused() -> None:
    with pytest.raises(Unsupported, match="decorator surprise"):
        call_function("@surprise\ndef f():\n    return 1\n")
    assert call_function("@surprise\ndef f():\n    return 1\n", ignore_decorators=frozenset({"surprise"})) == 1
