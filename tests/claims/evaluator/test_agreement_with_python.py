"""On the supported subset the evaluator gives what Python gives: the same values, the same exceptions.

Programs are generated; Python's own `eval` and `exec` are used here, in the test, and nowhere else.
"""

from __future__ import annotations

import importlib.util
import math
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from refcheck.claims.evaluator.failures import BudgetExceeded, RaisedInSource, Unsupported
from refcheck.claims.evaluator.results import to_plain
from refcheck.claims.evaluator.run import evaluate_expression, run_statements

# Test folders are no packages here, so the module beside this one is loaded by its path.
_spec = importlib.util.spec_from_file_location("program_writer", Path(__file__).with_name("program_writer.py"))
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
Writer = _module.Writer

NAMES = {"a": 7, "b": -3, "c": 2.5, "s": "text", "xs": [3, 1, 2], "t": (4, 5), "d": {"k": 1, 2: "v"}, "n": None}
FUNCTIONS = (len, min, max, sum, abs, any, all, sorted, list, tuple, set, dict, range, int, float, bool, str, repr)
BUILTINS = {function.__name__: function for function in FUNCTIONS} | {
    "next": next,
    "iter": iter,
    "zip": zip,
    "enumerate": enumerate,
    "reversed": reversed,
    "round": round,
    "divmod": divmod,
    "isinstance": isinstance,
    "map": map,
    "filter": filter,
    "frozenset": frozenset,
    "ValueError": ValueError,
    "AssertionError": AssertionError,
}


def snapshot() -> dict[str, object]:
    return {name: value.copy() if isinstance(value, list | dict) else value for name, value in NAMES.items()}


def normal(value: object, depth: int = 0) -> object:
    """A form in which equal means: same type, same value, NaN equal to itself, views of dicts like lists."""
    if depth > 30:
        return "and so on"  # a list within itself
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else repr(value))
    if isinstance(value, list | tuple):
        return (type(value).__name__, [normal(item, depth + 1) for item in value])
    if isinstance(value, type({}.items()) | type({}.keys()) | type({}.values())):
        return ("list", [normal(item, depth + 1) for item in value])
    if isinstance(value, set | frozenset):
        return (type(value).__name__, sorted(repr(normal(item, depth + 1)) for item in value))
    if isinstance(value, dict):
        return ("dict", [(normal(key, depth + 1), normal(item, depth + 1)) for key, item in value.items()])
    return (type(value).__name__, repr(value))


def python_value(source: str) -> tuple[str, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # One namespace for everything: eval gives comprehensions and lambdas no closure over locals.
            return "value", normal(eval(source, {"__builtins__": BUILTINS, **snapshot()}))
        except Exception as error:  # noqa: BLE001
            return "raises", type(error).__name__


def interpreted_value(source: str) -> tuple[str, object]:
    try:
        return "value", normal(evaluate_expression(source, snapshot()))
    except RaisedInSource as failure:
        return "raises", failure.exception


def check_refusal(failure: Exception, source: str) -> None:
    """Only what is meant to be refused may be."""
    event("refused")
    assert is_refused_on_purpose(failure), (source, failure)


#: An unbound name's error depends on whether Python has inlined the comprehension that it stands in.
NAME_ERRORS = {"UnboundLocalError": "NameError"}


def is_refused_on_purpose(failure: Exception) -> bool:
    """What the evaluator refuses although Python has an answer; its failure must be the one that says so."""
    return isinstance(failure, BudgetExceeded) or any(
        part in str(failure)
        for part in (
            "complex numbers",
            "formatting with %",
            "as text",
            "iteration over",
            "sorting by",
            "update with",
            "bytes",
            "attribute index of str",
            "attribute count of str",
        )
    )


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.integers(0, 2**48))
def test_expressions(seed: int) -> None:
    source = Writer(seed).any(4)
    expected = python_value(source)
    if expected == ("raises", "SyntaxError"):
        return  # a walrus where Python wants none: the parser here does not mind
    try:
        found = interpreted_value(source)
    except (BudgetExceeded, Unsupported) as failure:
        check_refusal(failure, source)
        return
    event(expected[0])
    assert found == expected, source


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.integers(0, 2**48))
def test_programs(seed: int) -> None:
    source = Writer(seed).program(4, 2) + "pass\n"
    namespace: dict[str, object] = {"__builtins__": BUILTINS, **snapshot()}
    expected: str | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(source, namespace)
        except SyntaxError:
            return
        except Exception as error:  # noqa: BLE001
            expected = NAME_ERRORS.get(type(error).__name__, type(error).__name__)
    bindings: Mapping[str, object] = {}
    found: str | None = None
    try:
        bindings = run_statements(source, snapshot()).bindings
    except RaisedInSource as failure:
        found = NAME_ERRORS.get(failure.exception, failure.exception)
    except (BudgetExceeded, Unsupported) as failure:
        if "no value was given" in str(failure) and expected == "NameError":
            return
        check_refusal(failure, source)
        return
    event(expected or "value")
    assert found == expected, source
    for name, value in bindings.items():
        if not callable(namespace[name]):
            assert normal(value) == normal(namespace[name]), (source, name)


arrays = st.lists(st.integers(-9, 9), min_size=4, max_size=4)
array_expressions = st.recursive(
    st.sampled_from(["u", "v", "2", "-1", "u[0]", "w[1]"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "//", "%", "<", "==", ">="]), inner),
        st.builds("(-{})".format, inner),
        st.builds("np.{}({}, {})".format, st.sampled_from(["maximum", "minimum", "add", "subtract"]), inner, inner),
        st.builds("np.where({} > 0, {}, {})".format, inner, inner, inner),
        st.builds("np.cumsum({})".format, inner),
        st.builds(
            "({} * np.ones(4, dtype=np.int64))[{}]".format,
            inner,
            st.sampled_from(["1:3", "::-1", "-1", "[0, 2]", "u > 0"]),
        ),
        st.builds("np.repeat({}, np.arange(4))".format, st.sampled_from(["u", "v"])),
        st.builds("({} * np.ones(4, dtype=np.int64)).sum()".format, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(array_expressions, arrays, arrays)
def test_arrays(source: str, one: list[int], other: list[int]) -> None:
    given_names = {"u": np.array(one), "v": np.array(other), "w": np.array(one, dtype=np.int32)}
    with np.errstate(all="raise"):
        try:
            expected = eval(source, {"np": np}, given_names)
            expected = expected.tolist() if isinstance(expected, np.ndarray | np.generic) else expected
            outcome: object = expected
        except FloatingPointError:
            return  # an element is a plain number here: division by zero raises, where numpy only warns
        except Exception as error:  # noqa: BLE001
            if "numpy boolean negative" in str(error):
                return  # and a comparison of elements is a plain truth value, which Python negates
            outcome = next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins")
    setup = f"u = np.array({one})\nv = np.array({other})\nw = np.array({one}, dtype=np.int32)\nresult = {source}\n"
    try:
        found = to_plain(run_statements(setup, {}).bindings["result"])
    except RaisedInSource as failure:
        found = failure.exception
    as_tuple = tuple(outcome) if isinstance(outcome, list) else outcome
    assert found == as_tuple, source
