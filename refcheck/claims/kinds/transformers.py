"""A behaviour of the installed transformers, shown on a tiny Llama with random weights; judged only when asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...config.fields import Field
from ...errors import ConfigurationError, ReferenceInputError
from ...model import codes
from ...model.evidence import Comparison, Evidence, Values
from ...model.verdict import Contradicted, Holds, Undecided, Verdict
from ..context import Context
from ..formula_text import DEFAULT_SYMBOLS, FormulaError, evaluate, shapes_in
from ..kind import Case, Kind, Params, Unanswerable
from ..operands import Stated, exact_text, words_of

_SHAPES: tuple[Mapping[str, int], ...] = (
    {"batch": 1, "heads": 6, "kv_heads": 3, "head_dim": 8, "tokens": 20},
    {"batch": 2, "heads": 6, "kv_heads": 2, "head_dim": 4, "tokens": 7},
)
_AXES = {
    "batch": "batch", "B": "batch", "h": "heads", "h_kv": "kv_heads", "d_h": "head_dim", "seq": "tokens", "s": "tokens",
}  # fmt: skip


def check(params: Params, context: Context) -> Verdict:
    """Undecided unless transformers was asked for and is installed; then what `shows` names is run.

    `key_shape` compares the shape that the words state; `exact_count` and `equal_tokens` generate as many tokens
    as the figure `count` says.
    """
    if not context.with_transformers:
        return Undecided("needs the optional extra `transformers` and --with-transformers", codes.OPTIONAL)
    from ...reference.with_transformers import SHOWN

    name = params["shows"]
    stated = Stated(context.words)
    try:
        if name == "key_shape":
            return _key_shape(words_of(context, "transformers"))
        arguments = stated.parameters(params.get("with"))
        if "argument_before" in params:
            arguments["argument"] = _argument(words_of(context, "transformers"), params["argument_before"])
        if params.get("dtype_in_words"):
            arguments["dtype"] = _dtype(words_of(context, "transformers"))
        outcome = SHOWN[name](**arguments)
    except ReferenceInputError as error:
        return Undecided(str(error), codes.OPTIONAL)
    except TypeError as error:
        raise ConfigurationError(f"transformers check {name}: {error}") from error
    values = Values((*((key, _shown(v)) for key, v in outcome.values.items()), ("with", outcome.versions)))
    message = f"{name}: " + ", ".join(f"{key} {_shown(v)}" for key, v in outcome.values.items())
    if outcome.holds:
        return Holds(message, evidence=(values,))
    return Contradicted(message, (values,))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else exact_text(value)


def _argument(words: str, before: str) -> str:
    """The name in `NAME=VALUE` of the words, for the stated value."""
    match = re.search(rf"(\w+)\s*=\s*{re.escape(before)}", words)
    if match is None:
        raise Unanswerable(Undecided(f"no argument of {before} stands in “{words}”", codes.NOT_CHECKABLE))
    return match[1]


def _dtype(words: str) -> str:
    """The data type in `torch.float32`."""
    match = re.search(r"\btorch\.(b?float\d+)\b", words)
    if match is None:
        raise Unanswerable(Undecided(f"no torch data type stands in “{words}”", codes.NOT_CHECKABLE))
    return match[1]


def _key_shape(words: str) -> Verdict:
    """The stated shape, axis by axis, at two shapes whose numbers differ."""
    from ...reference.with_transformers import key_shape

    try:
        shape = next(iter(shapes_in(words, DEFAULT_SYMBOLS | {"batch", "seq"})), None)
        if shape is None:
            return Undecided(f"no shape is stated in “{words}”", codes.NOT_CHECKABLE)
        shown: list[Evidence] = []
        for setting in _SHAPES:
            bindings = {symbol: setting[key] for symbol, key in _AXES.items()}
            expected = tuple(int(evaluate(axis, bindings)) for axis in shape.axes)
            outcome = key_shape(**setting)
            found = outcome.values["shape"]
            where = ", ".join(f"{key}={value}" for key, value in setting.items())
            shown.append(Comparison(f"layer-0 key ({where})", exact_text(expected), _shown(found)))
            if found != expected:
                message = f"{shape.text} is {exact_text(expected)}, and the layer-0 key is {_shown(found)}"
                return Contradicted(message, tuple(shown))
    except FormulaError as error:
        return Undecided(f"the shape cannot be read in “{words}”: {error}", codes.NOT_CHECKABLE)
    return Holds(f"the layer-0 key is {shape.text}", evidence=(*shown, Values((("with", outcome.versions),))))


KIND = Kind(
    name="transformers",
    summary="A behaviour of the installed transformers; judged only with --with-transformers.",
    fields=(
        Field(
            "shows",
            "str",
            "what is run",
            required=True,
            choices=("use_cache_flag", "equal_tokens", "exact_count", "loading_dtype", "key_shape", "cache_object"),
        ),
        Field("with", "map", "parameters (count, dtype, seeds); `{figure: N}` takes one out of the words"),
        Field("argument_before", "str", "take the argument's name from before this value in the words"),
        Field("dtype_in_words", "bool", "take the data type from `torch.NAME` in the words"),
    ),
    check=check,
    cases=(Case("not asked for", {"shows": "use_cache_flag"}, "undecided"),),
)
