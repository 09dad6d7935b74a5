"""Documents made to stall a reader: the time grows with the length, not with its square."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from tests.documents import render

ENGINES = builtin_engines()
N = 6_000


def near_misses(n: int) -> dict[str, tuple[str, str]]:
    """Texts of about `n` repetitions by name: (format, text)."""
    paths = "See vllm/a.py here.\n\nAt L20-L30.\n\n"
    return {
        "brackets": ("markdown", "[" * n),
        "bracket pairs": ("markdown", "[" * n + "]" * n),
        "links without end": ("markdown", "[a](" * n),
        "links with a nested beginning": ("markdown", "[a](b" * n),
        "images": ("markdown", "![" * n),
        "ticks of every length": ("markdown", "".join("`" * (i % 200) + "a" for i in range(n // 50))),
        "emphasis": ("markdown", "*_" * n),
        "comments without end": ("markdown", "<!--" * n),
        "expressions without end": ("markdown", "{/*" * n),
        "formulas": ("markdown", "$\\" * n),
        "quotes in quotes": ("markdown", "> " * n),
        "lists in lists": ("markdown", "- " * n),
        "table": ("markdown", "|a|b|\n|-|-|\n" + "|`vllm/a.py`|20-30|\n" * (n // 8)),
        "tags without end": ("html", "<a " * n),
        "attributes without end": ("html", '<a b="' * n),
        "page comments without end": ("html", "<!--" * n),
        "deep elements": ("html", "<div>" * n),
        "deep inline elements": ("html", "<code>x<div>" * n),
        "end tags of nothing": ("html", "<div>" * n + "</b>" * n),
        "cells without end": ("html", "<table><tr>" + "<td>1-2" * n),
        "entities": ("html", "&am" * n),
        "attributes": ("html", "<a " + "b=c " * n + ">x</a>"),
        "interpreted text": ("rst", "`a <" * n),
        "open literals": ("rst", "``a " * n),
        "spaces in a link": ("rst", "`" + " " * n),
        "directives": ("rst", ".. x::\n\n   " * n),
        "nested lists of a notebook": ("notebook", '{"cells":[{"x":' + "[" * n),
        "escapes of a notebook": ("notebook", '{"a":"' + '\\"' * n),
        "a string without end": ("notebook", '{"cells":[' + '"a' * n),
        "one path": ("plain", "a/" * n + "x.py:1"),
        "suffixes": ("plain", ".py" * n),
        "list of numbers": ("plain", "vllm/x.py:" + "1," * n),
        "lettered numbers": ("plain", "vllm/x.py L100, " + "L100, " * n),
        "numbers before nothing": ("plain", "lines 1 of " * n),
        "schemes": ("plain", "http://" * n),
        "redirectors": ("plain", "https://link.zhihu.com/?target=" * n),
        "percent": ("plain", "https://github.com/" + "%25" * n),
        "engine names": ("plain", "vllm@" * n),
        "chinese": ("plain", "第" * n),
        "one long line of spaces": ("plain", "a" + " " * n * 10 + "b"),
        "indented spaces": ("plain", "    a" + " " * n * 10 + "b"),
        "nothing": ("plain", "\0" * n * 10),
        "many files of one name": (
            "plain",
            "".join(f"vllm/d{i}/a.py\n\n" for i in range(n // 4)) + "a.py:1\n\n" * (n // 4),
        ),
        "many sections": ("plain", paths * (n // 20)),
        "one paragraph": ("plain", "vllm/a.py and " + "vllm/b.py or L100-L200, " * (n // 8)),
    }


# What is repeated on one line, in whatever format.
SPECKS = [
    "[", "<", "|", "`", "` ", "](", "&", "*", "\\", "$", "{/*", "~", '"', ":", ".", "/", "a.py/", ".py:", "x.py:x.", "(", "第1行", '":1 ',
    "L1-", "L10-L20, ", "vllm/a.py:10 ", "`vllm/a.py:10` ", "`:10` ", "lines 1 of ", "INFO 07-23 11:13:04 a.py:5] ", "vllm at ", "a@",
    "https://github.com/vllm-project/vllm/blob/main/a.py#L1 ", "refcheck: ignore[x] ", "/test ", "<td>", "<a href=\"", "[a][b] ", "- ",
]  # fmt: skip
# A chapter, as people write one.
PAGE: dict[str, Any] = {
    "blocks": [
        {"h": "The step"},
        {"p": "A step of the core is {vllm/v1/engine/core.py:566-575}, all of it. " + "It goes on, and on. " * 20},
        {"p": "It is at L600 too, and [here](https://github.com/vllm-project/vllm/blob/v0.24.0/vllm/envs.py#L3-L4)."},
        {"code": "# vllm/envs.py:L1-L9\ndef f(x):\n    return g(x)\n\n\n" + "a = f(1)\n" * 20, "language": "python"},
        {"table": [["File", "Lines"], ["{vllm/envs.py}", "10-20"], ["{vllm/beam.py}", "L30"]]},
    ]
}


def page(form: str, n: int) -> str:
    return render.document({"blocks": PAGE["blocks"] * (n // 200)}, form)


def grows(texts: Callable[[int], tuple[str, str]], size: int = N) -> None:
    """Reads a text, and one of four times its size. `texts` gives (format, text) for a size."""

    def seconds(n: int) -> float:
        form, text = texts(n)
        start = time.process_time()
        read_text("x", text, form, ENGINES)
        return time.process_time() - start

    short, long = seconds(size), seconds(4 * size)
    # Four times the text: about four times the time; a square would give sixteen. Little is not measured.
    assert long < 0.5 or long < 9 * short, f"{short:.2f} s, then {long:.2f} s for four times as much"


@pytest.mark.parametrize("name", near_misses(1))
def test_time_grows_with_length(name: str) -> None:
    grows(lambda n: near_misses(n)[name])


@pytest.mark.parametrize("form", render.FORMATS)
@pytest.mark.parametrize("speck", SPECKS)
def test_time_grows_with_length_whatever_the_format(speck: str, form: str) -> None:
    if form == "notebook":
        grows(lambda n: (form, render.notebook({"text": speck * n})), N // 4)
    else:
        grows(lambda n: (form, speck * n), N // 4)


@pytest.mark.parametrize("form", render.FORMATS)
def test_time_grows_with_the_length_of_a_chapter(form: str) -> None:
    grows(lambda n: (form, page(form, n)))


def test_a_megabyte_on_one_line() -> None:
    line = "word " * 200_000 + "`vllm/envs.py:L10-L20` " + "more " * 10_000
    for form in ("markdown", "html", "rst", "plain"):
        start = time.process_time()
        document = read_text("x", line, form, ENGINES)
        assert [str(c.lines) for c in document.citations] == ["L10-L20"]
        assert time.process_time() - start < 5


def test_deep_and_wide_pages_are_still_read() -> None:
    page = "<div>" * 50_000 + "<p><code>vllm/envs.py:L10</code></p>" + "</div>" * 50_000
    document = read_text("x", page, "html", ENGINES)
    assert [str(c.lines) for c in document.citations] == ["L10"]


def test_paths_that_climb_stay_paths() -> None:
    document = read_text("x", "`../../../etc/shadow.txt:L1` and `/etc/../x.py:L2`", "markdown", ENGINES)
    assert [c.path for c in document.citations] == ["etc/shadow.txt", "etc/x.py"]


def test_entities_do_not_multiply() -> None:
    page = "<!DOCTYPE x [<!ENTITY a 'b'>]><p>" + "&a;" * 1000 + "</p>"
    document = read_text("x", page, "html", ENGINES)
    assert sum(len(prose.text) for prose in document.prose) < 4000


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("rst", "---\n```"),
        ("rst", "`a`\n\n```x\nb\n```\n>>>"),
        ("rst", "=====\n\n====="),
        ("notebook", '{"cells": [{"cell_type": "markdown", "source": "\\u12'),
        ("notebook", '{"worksheets": [' * 3000),
        ("notebook", '{"metadata": {"kernelspec": ' * 3000),
        ("markdown", "|a|\n|-|"),
        ("markdown", "```"),
        ("html", "</"),
        ("html", "<a href"),
        ("plain", "\r\r\n"),
        ("rst", "".join(" " * level + ".. note::\n\n" for level in range(1200))),
        ("rst", "".join("   " * level + ".. figure:: x.png\n\n" for level in range(400))),
        ("markdown", "".join("    " * level + "!!! note\n" for level in range(400))),
        ("markdown", "".join(" " * 2 * level + "- a\n" for level in range(400))),
        ("html", "<table><tr><td>" * 3000),
    ],
)
def test_beginnings_without_an_end(form: str, text: str) -> None:
    """Found by feeding the readers with random changes of the corpus."""
    assert read_text("x", text, form, ENGINES).citations == ()
