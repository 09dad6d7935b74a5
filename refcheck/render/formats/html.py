"""One HTML page that needs no network: filters, search, deep links, the code side by side, history and plots."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING

from refcheck import __version__
from refcheck.model.report import Report
from refcheck.model.verdict import Level
from refcheck.render.html_text import plain, shown, with_code
from refcheck.render.html_view import groups_of, heat_of, sources_of
from refcheck.render.looks import LOOKS, counted
from refcheck.render.not_judged import reason_groups
from refcheck.render.options import RenderOptions, ReportFormat

if TYPE_CHECKING:
    from jinja2 import Environment


def render(report: Report, options: RenderOptions) -> str:
    """The page. Its policy (CSP) allows the page's own script and style by their hashes and nothing else."""
    from markupsafe import Markup

    environment = _environment()
    style, script = _asset("report.css"), _asset("report.js")
    groups, engines = groups_of(report, options.fingerprints)
    judged = [f for f in report.findings if not f.baseline]
    return environment.get_template("report.html.j2").render(
        report=report,
        version=__version__,
        groups=groups,
        engines=engines,
        sources=sources_of(report),
        heat=heat_of(report, options.fingerprints),
        plots=[(plot, _svg_address(plot.svg)) for plot in options.plots],
        reasons=reason_groups(report),
        totals=list(report.totals().items()),
        errors=sum(f.level is Level.ERROR for f in judged),
        warnings=sum(f.level is Level.WARNING for f in judged),
        recorded=len(report.findings) - len(judged),
        looks=LOOKS,
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("refcheck.render", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters["shown"] = shown
    environment.filters["with_code"] = with_code
    environment.filters["plain"] = plain
    environment.filters["counted"] = counted
    return environment


@cache
def _asset(name: str) -> str:
    from importlib.resources import files

    return (files("refcheck.render") / "templates" / name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _svg_address(svg: str) -> str:
    """As an image: scripts in it do not run, and its ids meet none of the page."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode("ascii")


FORMAT = ReportFormat("html", (".html", ".htm"), render, needs_fingerprints=True)
