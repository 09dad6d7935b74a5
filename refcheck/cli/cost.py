"""`refcheck cost`: the cost model's quantities for published shapes or a config.json, and plots of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from refcheck.cli.tables import show, show_json, write_plot
from refcheck.errors import UsageError
from refcheck.model.table import Column, Table
from refcheck.reference.cost import (
    DTYPE_BYTES,
    QUANTITIES,
    SECTIONS,
    Setting,
    Value,
    evaluate_all,
    expression_in,
    setting,
    value_in,
)
from refcheck.reference.plots import flop_plot, roofline
from refcheck.reference.shapes import hardware, hardware_names, model_names, published_model
from refcheck.reference.units import grouped

SCHEMA = "refcheck-cost/1"

_EPILOG = """\b
Examples:
  refcheck cost --model llama-3-8b --prompt 2048 --steps 512
  refcheck cost --model llama-3-8b --model llama-3-70b --model deepseek-v3
  refcheck cost --model path/to/config.json --kv-dtype fp8 --batch 32
  refcheck cost -q step_flops_ratio -q intensity_uncached --context 2304
  refcheck cost -e "weight_bytes + 64*8192*kv_bytes_per_token <= 80*2**30"
  refcheck cost --both-accountings --plot cost.svg
"""

#: The rows of the comparison: what it is, without a cache, with one, and their ratio.
_COMPARED = (
    ("new K/V vectors, one step", "new_kv_vectors_uncached", "new_kv_vectors_cached", "new_kv_vectors_ratio"),
    ("projection FLOPs, one step", "projection_flops_uncached", "projection_flops_cached", "projection_flops_ratio"),
    ("attention FLOPs, one step", "attention_flops_uncached", "attention_flops_cached", "attention_flops_ratio"),
    ("FLOPs, one step", "step_flops_uncached", "step_flops_cached", "step_flops_ratio"),
    ("FLOPs, all steps", "total_flops_uncached", "total_flops_cached", "total_flops_ratio"),
    ("attention share, all steps", "attention_share_uncached", "attention_share_cached", None),
    ("arithmetic intensity, one step", "intensity_uncached", "intensity_cached", None),
)


@click.command("cost", short_help="The cost model.", epilog=_EPILOG)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME|CONFIG",
    help="A shape by name, or a config.json; repeat to compare.",
)
@click.option("--prompt", type=int, default=2048, show_default=True, help="Prompt tokens, p.")
@click.option("--steps", type=int, default=512, show_default=True, help="Decode forwards after prefill, n.")
@click.option("--context", type=int, help="Context s of the one step shown.  [default: the last, p + n]")
@click.option("--at-step", type=int, default=1, show_default=True, help="Decode step t of the cache sizes.")
@click.option("--batch", type=int, default=1, show_default=True, help="Sequences per step, B.")
@click.option("--sequences", type=int, default=1, show_default=True, help="Resident sequences, N, for memory.")
@click.option(
    "--weight-dtype",
    type=click.Choice(list(DTYPE_BYTES)),
    metavar="DTYPE",
    default="bf16",
    show_default=True,
    help=f"Type of the weights: {', '.join(DTYPE_BYTES)}.",
)
@click.option(
    "--kv-dtype",
    type=click.Choice(list(DTYPE_BYTES)),
    metavar="DTYPE",
    default="bf16",
    show_default=True,
    help="Type of the KV cache, as --weight-dtype.",
)
@click.option("--heads", type=int, help="Query heads instead of the model's.")
@click.option("--kv-heads", type=int, help="KV heads instead of the model's (1: MQA; as many as query heads: MHA).")
@click.option(
    "--hardware", "device", default="h100-sxm", show_default=True, metavar="NAME", help="Published peaks to divide by."
)
@click.option("--memory-bytes", type=int, help="Device memory instead of the published.")
@click.option("--utilisation", type=float, default=1.0, show_default=True, help="Part of the memory that may be used.")
@click.option("--block-size", type=int, default=16, show_default=True, help="Tokens per KV block.")
@click.option("--tp", type=int, default=1, show_default=True, help="Tensor parallel ranks, for the sizes per rank.")
@click.option("--blocks", type=int, help="Blocks of a KV pool, for its tokens and concurrency.")
@click.option("--max-model-len", type=int, default=4096, show_default=True, help="Greatest request length.")
@click.option("--exact-accounting", is_flag=True, help="Counted parameters and the exact causal triangle, not 2P.")
@click.option("--both-accountings", is_flag=True, help="The coarse and the exact accounting side by side.")
@click.option(
    "--head-rows",
    type=click.Choice(["last", "all"]),
    default="last",
    show_default=True,
    help="Rows that an uncached step projects into logits (exact accounting).",
)
@click.option("-q", "--quantity", "chosen", multiple=True, metavar="NAME", help="Only this quantity; repeat for more.")
@click.option(
    "-e", "--expression", "expressions", multiple=True, metavar="TEXT",
    help="Only this arithmetic over quantities and symbols, or a comparison; repeat for more.",
)  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="List the models and the hardware, with their sources.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["terminal", "json"]),
    default="terminal",
    show_default=True,
    help="How to write it.",
)
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", help="Write a roofline and a FLOP plot as SVG."
)
def command(
    models: tuple[str, ...], device: str, weight_dtype: str, kv_dtype: str, exact_accounting: bool,
    both_accountings: bool, chosen: tuple[str, ...], expressions: tuple[str, ...], listing: bool, format_name: str,
    plot: Path | None, **parameters: Any,
) -> None:  # fmt: skip
    """Compute what a decode step and a whole decode phase cost with and without a KV cache.

    Every quantity comes with its formula, its exact and its rounded value. The coarse accounting takes 2P
    FLOPs per token with the published P; the exact one counts the matrices that are multiplied by.
    """
    if listing:
        show(_listing())
        return
    if both_accountings and len(models) > 1:
        raise UsageError("--both-accountings shows one model; give --model once")
    for name in chosen:
        if name not in QUANTITIES:
            raise UsageError(f"-q {name}: there is no such quantity; `refcheck cost --format json` names all")
    accountings = ["coarse", "exact"] if both_accountings else ["exact" if exact_accounting else "coarse"]
    settings = [
        setting(
            model, hardware=device, accounting=accounting,
            weight_bytes=DTYPE_BYTES[weight_dtype], kv_bytes=DTYPE_BYTES[kv_dtype], **parameters,
        )
        for model in models or ("llama-3-8b",)
        for accounting in accountings
    ]  # fmt: skip
    hardware(device)  # an unknown name is an error whatever is asked for
    results = [_asked(one, chosen, expressions) if chosen or expressions else evaluate_all(one) for one in settings]
    if plot is not None:
        write_plot(plot, [roofline(settings), flop_plot(settings)])
    if format_name == "json":
        show_json(_document(settings, results))
    else:
        show(list(_tables(settings, results, bool(chosen or expressions))))


def _asked(one: Setting, chosen: tuple[str, ...], expressions: tuple[str, ...]) -> dict[str, Value]:
    """The quantities asked for by name, then the expressions under their own texts."""
    return {name: value_in(name, one) for name in chosen} | {text: expression_in(text, one) for text in expressions}


def _document(settings: list[Setting], results: list[dict[str, Value]]) -> dict[str, Any]:
    entries = [
        {
            "model": one.model.name,
            "accounting": one.accounting,
            "context": one.s,
            "hardware": hardware(one.hardware).name,
            "notes": list(one.model.notes),
            "quantities": {name: _json_value(value) for name, value in result.items()},
        }
        for one, result in zip(settings, results, strict=True)
    ]
    first = {"schema": SCHEMA, **entries[0]}
    return first if len(entries) == 1 else {**first, "models": entries}


def _json_value(value: Value) -> dict[str, Any]:
    exact = value.value
    number: Any = float(exact) if isinstance(exact, Fraction) else exact
    return {
        "value": bool(number) if value.unit == "bool" else number,
        "unit": value.unit,
        "formula": value.formula,
        "exact": str(exact),
        "rounded": value.rounded,
        "summary": value.summary,
    }


def _tables(settings: list[Setting], results: list[dict[str, Value]], chosen: bool) -> Iterator[Table]:
    if len(settings) > 1:
        yield _side_by_side(settings, results, chosen)
        return
    one, values = settings[0], results[0]
    if not chosen:
        yield _comparison(one, values)
    sections: Mapping[str, list[str]] = (
        {"": list(values)}
        if chosen
        else {title: [q.name for q in quantities] for title, quantities in SECTIONS.items()}
    )
    columns = (Column("quantity"), Column("value", numeric=True), Column("formula", wrap=True))
    for title, names in sections.items():
        rows = tuple((name, _both(values[name]), values[name].formula) for name in names if name in values)
        if rows:
            yield Table(title, columns, rows)
    yield Table("", (Column("notes", wrap=True),), tuple((note,) for note in _notes(one)))


def _comparison(one: Setting, values: dict[str, Value]) -> Table:
    rows = tuple(
        (
            label,
            in_one_unit(values[without]),
            in_one_unit(values[with_cache]),
            "" if ratio is None else values[ratio].rounded,
        )
        for label, without, with_cache, ratio in _COMPARED
    )
    columns = (Column("quantity"), *(Column(name, numeric=True) for name in ("no cache", "with cache", "ratio")))
    title = f"{one.model.name}, prompt {one.prompt:,}, {one.steps:,} decode steps; one step at context {one.s:,}"
    return Table(title, columns, rows)


def _side_by_side(settings: list[Setting], results: list[dict[str, Value]], chosen: bool) -> Table:
    both = len({one.accounting for one in settings}) > 1
    names = [name for name in QUANTITIES if any(name in result for result in results)]
    names += [name for name in results[0] if name not in QUANTITIES]
    shown = [[repr(result[name].value) if name in result else "-" for result in results] for name in names]
    same = set() if chosen else {name for name, row in zip(names, shown, strict=True) if len(set(row)) == 1}
    rows = tuple(
        (name, *(in_one_unit(result[name]) if name in result else "-" for result in results))
        for name in names
        if name not in same
    )
    heads = tuple(Column(one.accounting if both else one.model.name, numeric=True) for one in settings)
    notes = tuple(dict.fromkeys(note for one in settings[: 1 if both else None] for note in _notes(one)))
    if both:
        notes += _difference(settings[0])
    title = f"prompt {settings[0].prompt:,}, {settings[0].steps:,} decode steps, context {settings[0].s:,}"
    if both:
        title = f"{settings[0].model.name}, {title}: what the accounting changes"
    if same:
        notes += (f"the same in every column: {', '.join(name for name in names if name in same)}",)
    return Table(title, (Column("quantity"), *heads), rows, ("", *notes))


def _difference(one: Setting) -> tuple[str, ...]:
    """Why the two accountings differ, with the numbers of this model in the coarse one."""
    m = one.model
    coarse = value_in("total_flops_ratio", one).rounded
    exact = value_in("total_flops_ratio", replace(one, accounting="exact", head_rows="last")).rounded
    every_row = value_in("total_flops_ratio", replace(one, accounting="exact", head_rows="all")).rounded
    high = value_in("coarse_excess_share", one).rounded
    gathered = "tied to the head" if m.tied else f"{m.head_params:,} of them the input embedding, which is gathered"
    published = value_in("params_published", one).rounded
    return (
        f"coarse: 2P per token with the published P, {published}; the triangle as s²/2.",
        (
            f"exact: {m.matrix_params:,} matrix parameters are multiplied by. {m.resident_params:,} are resident "
            f"({gathered}), so that 2P is {high} high for a cached step."
        ),
        (
            "An uncached step needs the head for its last row only: the ratio over all steps is "
            f"{coarse} coarse, {exact} exact, and {every_row} exact with the head over every row."
        ),
    )


def _notes(one: Setting) -> list[str]:
    device, m = hardware(one.hardware), one.model
    notes = [f"{m.name}: {m.source}", *(f"{m.name}: {note}" for note in m.notes)]
    notes.append(f"{device.name}: {device.source}")
    if one.accounting == "coarse":
        known = "published" if m.published or one.parameters else "counted, for want of a published P"
        notes.append(f"coarse accounting: 2P FLOPs per token, P {known}; intensity_uncached counts weight bytes alone")
    else:
        notes.append(f"exact accounting: counted parameters; head over the {one.head_rows} row(s) of an uncached step")
    return notes


def _both(value: Value) -> str:
    """The exact value and, on a line of its own where it says something else, the rounded one."""
    exact, short = value.value, value.rounded
    if isinstance(exact, Fraction):
        text = f"{exact.numerator:,}/{exact.denominator:,}" if exact.denominator < 1000 else f"{float(exact):,.12g}"
    else:
        text = grouped(exact)
    if value.unit in ("1", "bool", "x") and isinstance(exact, int):
        return short
    unit = "" if value.unit in ("1", "share", "x", "bool") else f" {value.unit}"
    return short if short == text + unit else f"{text}{unit}\n{short}"


def in_one_unit(value: Value) -> str:
    """The rounded value in one unit, for narrow columns."""
    if value.unit == "1":
        return value.rounded
    return value.rounded.split(" = ")[0]


def _listing() -> list[Table]:
    shapes = []
    for name in model_names():
        m = published_model(name)
        kind = "MLA" if m.mla else "MHA" if m.kv_heads == m.heads else "MQA" if m.kv_heads == 1 else "GQA"
        shapes.append((name, kind, f"{m.resident_params:,}", m.source))
    devices = [
        (key, f"{device.bytes_per_second / 1e12:g} TB/s", f"{device.flops_per_second / 1e12:g} TFLOP/s", device.source)
        for key in hardware_names()
        for device in [hardware(key)]
    ]
    source = Column("source", wrap=True)
    return [
        Table("Models", (Column("name"), Column("heads"), Column("parameters", numeric=True), source), tuple(shapes)),
        Table(
            "Hardware",
            (Column("name"), Column("memory", numeric=True), Column("bf16", numeric=True), source),
            tuple(devices),
        ),
    ]
