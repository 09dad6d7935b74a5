"""The commands of the reference: what they print, their JSON, their errors, and how long a whole process
takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from refcheck.cli.cost import command as cost
from refcheck.cli.decode import command as decode
from refcheck.cli.log import command as log
from refcheck.errors import RefcheckError, ReferenceInputError, UsageError
from refcheck.model.table import Column, Plot, Series, Table
from refcheck.render.plot import svg
from refcheck.render.table import table_text


def invoke(command: Any, *arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(command, list(arguments), **options)


def as_json(command: Any, *arguments: str) -> dict[str, Any]:
    result = invoke(command, *arguments, "--format", "json")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    document: dict[str, Any] = json.loads(result.stdout)
    name = document["schema"].replace("/", "-")
    schema = json.loads(files("refcheck.reference").joinpath("schemas", f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    return document


# --- cost --------------------------------------------------------------------------------------------------

STABLE = [
    "projection_flops_cached",
    "projection_flops_uncached",
    "attention_flops_cached",
    "attention_flops_uncached",
    "step_flops_cached",
    "step_flops_uncached",
    "step_flops_ratio",
    "total_flops_cached",
    "total_flops_uncached",
    "total_flops_ratio",
    "attention_share_cached",
    "attention_share_uncached",
    "weight_bytes",
    "kv_bytes_per_token",
    "kv_bytes_per_token_per_layer",
    "kv_bytes",
    "total_weight_bytes",
    "total_kv_bytes",
    "intensity_cached",
    "intensity_uncached",
    "time_floor_s",
    "time_floor_per_token_s",
    "weight_traffic_share",
]


def test_cost_json_has_the_stable_names_of_the_interface() -> None:
    document = as_json(cost, "--model", "llama-3-8b", "--prompt", "2048", "--steps", "512")
    assert document["schema"] == "refcheck-cost/1"
    assert document["model"] == "llama-3-8b"
    assert set(STABLE) <= set(document["quantities"])
    ratio = document["quantities"]["total_flops_ratio"]
    assert ratio["value"] == pytest.approx(2224.21, abs=0.005)
    assert ratio["unit"] == "x"
    assert ratio["formula"] == "(2·P·Σs + 2·L·h·d_h·Σs²) / (2·P·n + 4·L·h·d_h·Σs)"
    assert document["quantities"]["total_flops_uncached"]["exact"] == "19664983065821184"


def test_cost_follows_its_options() -> None:
    at = as_json(cost, "--context", "2304", "--kv-dtype", "fp8")["quantities"]
    assert at["step_flops_ratio"]["value"] == pytest.approx(2223.41, abs=0.01)
    assert at["intensity_cached"]["value"] == pytest.approx(1.0652, abs=1e-4)
    exact = as_json(cost, "--exact-accounting")["quantities"]
    assert exact["step_flops_cached"]["value"] == 16_351_494_144
    assert as_json(cost, "--kv-heads", "1")["quantities"]["gqa_ratio"]["value"] == 32
    assert as_json(cost, "-q", "gqa_ratio")["quantities"].keys() == {"gqa_ratio"}


def test_cost_computes_expressions() -> None:
    text = "64*8192*kv_bytes_per_token"
    fits = f"weight_bytes_resident + {text} <= 80*2**30"
    document = as_json(cost, "-e", text, "-e", fits, "-q", "gqa_ratio")
    assert {name: entry["value"] for name, entry in document["quantities"].items()} == {
        "gqa_ratio": 4, text: 64 * 2**30, fits: True,
    }  # fmt: skip
    wrong = invoke(cost, "-e", "import os")
    assert isinstance(wrong.exception, ReferenceInputError)
    two = invoke(cost, "-e", "P/2", "--model", "llama-3-8b", "--model", "llama-2-7b").stdout
    assert "4,015,000,000" in two


def test_cost_puts_models_side_by_side() -> None:
    document = as_json(cost, "--model", "llama-3-8b", "--model", "gemma-2b", "--model", "deepseek-v3")
    assert document["model"] == "llama-3-8b"
    assert [entry["model"] for entry in document["models"]] == ["llama-3-8b", "gemma-2b", "deepseek-v3"]
    text = invoke(cost, "--model", "llama-3-8b", "--model", "llama-3-70b").stdout
    line = next(line for line in text.splitlines() if line.startswith("total_flops_ratio"))
    assert line.split() == ["total_flops_ratio", "2,224.21x", "2,257.42x"]


def test_cost_explains_the_two_accountings() -> None:
    text = " ".join(invoke(cost, "--both-accountings").stdout.split())
    for part in ("7,504,658,432", "8,030,261,248", "525,336,576", "2,224.21x", "2,069.81x", "2,219.05x", "7.00%"):
        assert part in text
    asked = invoke(cost, "--both-accountings", "-q", "gqa_ratio", "-q", "total_flops_ratio").stdout
    assert ["gqa_ratio", "4.00x", "4.00x"] in [line.split() for line in asked.splitlines()]
    assert "2,219.05x" in " ".join(asked.split())


def test_cost_shows_the_chapters_table_readably_at_80_columns() -> None:
    result = invoke(cost, env={"COLUMNS": "80"})
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in result.stdout
    total = next(line for line in lines if line.startswith("FLOPs, all steps"))
    assert total.split()[-5:] == ["19.66", "PFLOP", "8.841", "TFLOP", "2,224.21x"]
    assert any(line.startswith("kv_written_bytes") for line in lines)


def test_cost_lists_models_and_hardware_with_sources() -> None:
    text = invoke(cost, "--list").stdout
    for part in ("llama-3-8b", "GQA", "MQA", "MLA", "MHA", "h100-sxm", "3.35 TB/s", "datasheet"):
        assert part in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--steps", "0"], "steps (--steps) is 0"),
        (["--model", "nope"], "no model is called 'nope'"),
        (["--hardware", "nope"], "no hardware is called 'nope'"),
        (["-q", "nope"], "-q nope"),
        (["--plot", "x.png"], "name the file with .svg"),
        (["--plot", "no/such/folder/x.svg"], "cannot be written"),
        (["--both-accountings", "--model", "gemma-2b", "--model", "llama-2-7b"], "one model"),
        (["--prompt", "9" * 40], "it must be from 0 to"),
        (["-q", "kv_concurrency"], "needs the parameter blocks"),
    ],
)
def test_cost_names_what_cannot_be_used(arguments: list[str], message: str) -> None:
    result = invoke(cost, *arguments)
    assert isinstance(result.exception, RefcheckError)
    assert result.exception.exit_code == 2
    assert message in str(result.exception)


# --- decode ------------------------------------------------------------------------------------------------


def test_decode_reports_each_step_and_checks() -> None:
    document = as_json(decode, "--prompt", "12", "--chunk", "5", "--steps", "3", "--block-size", "4")
    assert document["schema"] == "refcheck-decode/1"
    assert [(s["phase"], s["num_new_tokens"], s["query_len"], s["seq_len"]) for s in document["steps"]] == [
        ("prefill", 5, 5, 5), ("prefill", 5, 5, 10), ("prefill", 2, 2, 12),
        ("decode", 1, 1, 13), ("decode", 1, 1, 14), ("decode", 1, 1, 15),
    ]  # fmt: skip
    assert document["steps"][-1]["positions"] == [14]
    assert document["steps"][-1]["cached_tokens"] == 15
    assert document["steps"][-1]["kv_bytes"] == 15 * 2 * 2 * 2 * 8 * 8
    assert all(check["holds"] for check in document["checks"])
    assert len(document["steps"][0]["slots"]) == 5


@pytest.mark.parametrize("fault", ["+1", "-1", "frozen", "k-only", "q-only", "one-step"])
def test_decode_shows_what_a_fault_breaks_and_from_where(fault: str) -> None:
    document = as_json(decode, "--fault", f"positions={fault}", "--fault-at", "3")
    errors = [step["error"] for step in document["steps"]]
    assert document["first_wrong_step"] == 3
    assert max(errors[:3]) < 1e-12
    assert min(errors[3:]) > 1e-4
    text = invoke(decode, "--fault", f"positions={fault}", "--fault-at", "3").stdout
    assert "Logits are wrong from decode step 3 on" in text
    assert "Nothing was raised" in text


def test_decode_shows_that_a_uniform_shift_and_one_layer_without_a_mask_are_harmless() -> None:
    assert "nothing is wrong: RoPE is relative" in invoke(decode, "--fault", "positions=uniform").stdout
    assert as_json(decode, "--no-causal", "--layers", "1")["first_wrong_step"] is None
    assert as_json(decode, "--no-causal", "--layers", "2")["first_wrong_step"] == 1


@pytest.mark.parametrize("shape", ["gqa", "mqa", "mha"])
def test_decode_table_is_readable_at_80_columns(shape: str) -> None:
    result = invoke(decode, "--shape", shape, env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    for name in ("new", "query", "seq_len", "pos", "cached", "KV bytes", "FLOPs", "error"):
        assert name in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kv-heads", "3"], "divides 8"),
        (["--head-dim", "5"], "even"),
        (["--steps", "0"], "steps is 0"),
        (["--cache-tokens", "4"], "larger --cache-tokens"),
        (["--dtype", "bf16"], "float32 or float64"),
        (["--fault", "positions=up"], "known are positions=+1"),
        (["--fault", "weights=+1"], "known are positions=+1"),
        (["--shape", "gqa", "--heads", "0"], "heads is 0"),
    ],
)
def test_decode_names_what_cannot_be_run(arguments: list[str], message: str) -> None:
    result = invoke(decode, *arguments)
    assert isinstance(result.exception, ReferenceInputError | UsageError)
    assert message in str(result.exception)


# --- log ---------------------------------------------------------------------------------------------------

LOG = """INFO [gpu_worker.py:1] Available KV cache memory: 52.74 GiB
INFO [kv.py:2] GPU KV cache size: 432,000 tokens, Maximum concurrency for 4,096 tokens per request: 105.47x
"""


def test_log_from_a_file_and_from_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text(LOG, encoding="utf-8")
    document = as_json(log, str(path), "--model", "llama-3-8b")
    assert document["schema"] == "refcheck-log/1"
    assert [finding["kind"] for finding in document["findings"]] == ["verified", "by construction", "note"]
    piped = invoke(log, "-", "--model", "llama-3-8b", input=LOG)
    assert "verified" in piped.stdout
    assert invoke(log, "-", "--model", "llama-3-8b", input=LOG, standalone_mode=False).return_value == 0
    assert invoke(log, "-", "--model", "llama-3-70b", input=LOG, standalone_mode=False).return_value == 1


def test_log_errors() -> None:
    assert invoke(log, "no-such.log", "--model", "llama-3-8b").exit_code == 2
    assert invoke(log, "-", input=LOG).exit_code == 2  # no --model
    assert isinstance(invoke(log, "-", "--model", "llama-3-8b", input="\x00\xff").exception, ReferenceInputError)
    assert isinstance(invoke(log, "-", "--model", "llama-3-8b", "--tp", "3", input=LOG).exception, UsageError)


# --- tables and plots --------------------------------------------------------------------------------------


def test_a_table_is_plain_or_coloured_and_speaks_ascii_where_it_must() -> None:
    table = Table("Title", (Column("name"), Column("n", numeric=True)), (("a·s²", "12"), ("Σs ≤ 3", "3")), ("note",))
    plain = table_text(table)
    assert plain.splitlines() == ["Title", "name     n", "──────────", "a·s²    12", "Σs ≤ 3   3", "note"]
    assert "\x1b[1m" in table_text(table, color=True)
    assert table_text(table, encoding="ascii").isascii()
    with pytest.raises(ValueError, match="row 1 has 1 cells for 2 columns"):
        Table("", table.columns, (("a",),))


def test_cells_are_text_and_no_markup() -> None:
    table = Table("[red]x[/red]", (Column("[b]"),), (("[link=http://x]y[/link] :smile:",),))
    assert "[link=http://x]y[/link] :smile:" in table_text(table)


def test_digits_are_never_folded() -> None:
    table = Table("", (Column("a"), Column("b", numeric=True)), (("x" * 30, "1" * 60),))
    assert "1" * 60 in table_text(table, width=40)


def test_the_plot_is_self_contained_accessible_svg(tmp_path: Path) -> None:
    path = tmp_path / "cost.svg"
    assert invoke(cost, "--model", "llama-3-8b", "--model", "deepseek-v3", "--plot", str(path)).exit_code == 0
    text = path.read_text(encoding="utf-8")
    root = ET.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    ids = {element.get("id"): element for element in root.iter() if element.get("id")}
    for label in (root.get("aria-labelledby") or "").split():
        assert (ids[label].text or "").strip()
    assert "42.83 TFLOP" in (ids["plot-desc"].text or "")
    assert not list(root.iter(f"{space}script"))
    assert "href" not in text
    assert "url(" not in text
    words = {element.text for element in root.iter(f"{space}text")}
    assert {"context s, tokens", "FLOP per step", "llama-3-8b, no cache", "deepseek-v3, with cache"} <= words


def test_plots_of_one_point_and_of_linear_axes_and_of_nothing() -> None:
    one = Plot("t < & >", "d", "x", "y", (Series("s", ((0.0, 5.0),)),))
    ET.fromstring(svg([one]))
    with pytest.raises(ValueError, match="nothing to draw"):
        svg([Plot("t", "d", "x", "y", ())])
    with pytest.raises(ValueError, match="logarithmic axis cannot show 0"):
        svg([Plot("t", "d", "x", "y", (Series("s", ((0.0, 5.0),)),), x_log=True)])


# --- whole processes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "limit"), [("cost", 0.5), ("decode", 2.0)])
def test_a_whole_process_is_quick(command: str, limit: float) -> None:
    """In processor time, which on an idle machine is what passes on the clock; other work does not count."""
    resource = pytest.importorskip("resource", reason="this platform does not tell a child's processor time")
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "refcheck", command], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < limit


def test_cost_needs_no_numpy() -> None:
    code = "import sys, refcheck.cli.cost, refcheck.reference.plots; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_color_and_a_narrow_encoding_in_a_whole_process() -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    done = subprocess.run([sys.executable, "-m", "refcheck", "cost"], check=True, capture_output=True, env=env)
    assert done.stdout.isascii()
    assert b"\x1b" not in done.stdout
    assert b"2*L*h*d_h*s^2" in done.stdout


@pytest.mark.parametrize("command", ["cost", "decode", "log", "measure"])
def test_help_has_examples(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "refcheck", command, "--help"], check=True, capture_output=True, text=True
    )
    assert f"refcheck {command}" in done.stdout.split("Examples:")[1]
