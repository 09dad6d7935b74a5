"""What checks about the reference are given: figures out of the words, and quantities of the cost model.

Wherever a check takes a number it may take a stated one: `{figure: 2}` is the second figure of the claim's
words, in base units. `{figure: 2, thousand: 1024}` reads a `k` as 1024 (context lengths are counted so), and
`{figure: 2, binary: true}` reads GB as GiB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..errors import ConfigurationError, ReferenceInputError
from ..model import codes
from ..model.evidence import Values
from ..model.verdict import Undecided
from ..reference.cost import Value, evaluate
from ..reference.shapes import hardware
from .context import Context
from .figures import Figure, parse_figures
from .unanswerable import Unanswerable

Exact = int | float | Fraction


def words_of(context: Context, what: str) -> str:
    """The claim's words. Raises ConfigurationError where it has none."""
    if not context.words:
        raise ConfigurationError(f"a check of kind `{what}` reads the claim's `words`; the claim has none")
    return context.words


class Stated:
    """The figures of a claim's words, counted from 1."""

    def __init__(self, words: str | None) -> None:
        self.words = words or ""
        self.figures = parse_figures(self.words)

    def figure(self, number: object) -> Figure:
        """Raises Unanswerable (undecided) where the words state fewer figures."""
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ConfigurationError(f"figures are counted from 1, not {number!r}")
        if number > len(self.figures):
            message = f"the words state {len(self.figures)} figures, and the check is about figure {number}"
            raise Unanswerable(Undecided(f"{message}: “{self.words}”", codes.NOT_CHECKABLE))
        return self.figures[number - 1]

    def value(self, raw: Mapping[str, Any]) -> Exact:
        """The number that `{figure: N}` stands for. Raises ConfigurationError for unknown keys."""
        unknown = sorted(set(raw) - {"figure", "thousand", "binary"})
        if unknown:
            raise ConfigurationError(f"a stated figure has no {', '.join(unknown)}")
        figure = self.figure(raw["figure"])
        value = figure.value
        if figure.printed_unit == "k" and "thousand" in raw:
            value = value / figure.scale * int(raw["thousand"])
        if raw.get("binary") and figure.unit == "B" and "i" not in figure.printed_unit:
            power = "KMGTPE".index(figure.printed_unit[0].upper()) + 1
            value = value / figure.scale * 2 ** (10 * power)
        return value.numerator if value.denominator == 1 else value

    def parameters(self, *raws: Mapping[str, Any] | None) -> dict[str, Any]:
        """Parameters of the cost model or of an experiment, with the stated figures put in; later tables win."""
        merged: dict[str, Any] = {}
        for raw in raws:
            merged.update(raw or {})
        return {name: self._parameter(name, value) for name, value in merged.items()}

    def _parameter(self, name: str, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        if "figure" in value:
            return self.value(value)
        if name != "hardware":
            return value
        # A device of which the words state a peak: {like: h100-sxm, bytes_per_second: {figure: 1}}.
        unknown = sorted(set(value) - {"like", "bytes_per_second"})
        if unknown or "like" not in value:
            raise ConfigurationError("`hardware` is a name, or a table of `like` and `bytes_per_second`")
        try:
            device = hardware(str(value["like"]))
        except ReferenceInputError as error:
            raise ConfigurationError(str(error)) from error
        stated = value.get("bytes_per_second", device.bytes_per_second)
        rate = Fraction(self.value(stated) if isinstance(stated, Mapping) else stated)
        if rate < 1:
            raise Unanswerable(Undecided(f"{exact_text(rate)} bytes per second move nothing", codes.NOT_CHECKABLE))
        return replace(device, bytes_per_second=int(rate))


def quantity(name: object, parameters: Mapping[str, Any], stated: Stated | None = None) -> Value:
    """A quantity of the cost model.

    Raises ConfigurationError for an unknown quantity or parameter; Unanswerable (undecided) where the figures
    that the document states cannot be computed with.
    """
    try:
        return evaluate(str(name), **parameters)
    except ReferenceInputError as error:
        if stated is not None and stated.figures:
            message = f"{name} cannot be computed from the stated figures: {error}"
            raise Unanswerable(Undecided(message, codes.NOT_CHECKABLE)) from error
        raise ConfigurationError(f"quantity {name}: {error}") from error


def exact_text(value: Exact | tuple[Any, ...] | bool) -> str:
    """A value with every digit that it has, up to twelve significant ones for fractions."""
    if isinstance(value, tuple):
        return "(" + ", ".join(exact_text(one) for one in value) + ")"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction) and value.denominator == 1:
        value = value.numerator
    if isinstance(value, int):
        return f"{value:,}"
    number = float(value)
    if number and not 1e-4 <= abs(number) < 1e15:
        return f"{number:.6g}"
    return f"{number:,.12g}"


def with_parameters(name: object, parameters: Mapping[str, Any]) -> str:
    """`total_flops_ratio(model=llama-3-8b, prompt=2048)`."""
    if not parameters:
        return str(name)
    return f"{name}({', '.join(f'{key}={_plain(value)}' for key, value in parameters.items())})"


def _plain(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Fraction):
        return exact_text(value)
    return str(getattr(value, "name", value))


def evidence_of(value: Value, parameters: Mapping[str, Any]) -> Values:
    """Value, formula and parameters, so that they can be checked by hand."""
    unit = "" if value.unit in ("1", "bool", "exponent") else f" {value.unit}"
    said = exact_text(value.value) if value.unit != "share" else f"{exact_text(Fraction(value.value) * 100)}%"
    return Values(
        (
            (with_parameters(value.name, parameters), said + (unit if value.unit != "share" else "")),
            (f"formula of {value.name}", value.formula),
        )
    )


def listed(raw: object) -> Sequence[Any]:
    """A list as it is, anything else as a list of one."""
    return raw if isinstance(raw, list) else [raw]
