"""Plots as one self-contained SVG: no script, no font, no link, nothing but what is drawn.

Series differ in colour (the Okabe-Ito palette, told apart by colour-blind readers), in dash and in marker,
and are named in words; the picture has a title and a description for readers who do not see it (SVG 2,
section 5.8).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from refcheck.model.table import Plot, Series

WIDTH, HEIGHT = 760, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 24, 64, 104
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#000000")
_DASHES = ("", "8 4", "2 4", "12 4 2 4", "6 2 2 2", "4 8")
_MARKERS = ("circle", "square", "triangle", "diamond")
_POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

Scale = Callable[[float], float]


def svg(plots: Sequence[Plot]) -> str:
    """The plots below each other. Raises ValueError where a logarithmic axis meets a value that is not
    positive."""
    tops = [sum(map(_height, plots[:number])) for number in range(len(plots) + 1)]
    height = tops[-1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"',
        'role="img" aria-labelledby="plot-title plot-desc" font-family="system-ui, sans-serif" font-size="13">',
        f'<title id="plot-title">{escape("; ".join(plot.title for plot in plots))}</title>',
        f'<desc id="plot-desc">{escape(" ".join(plot.description for plot in plots))}</desc>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, plot in enumerate(plots):
        parts.append(f'<g transform="translate(0 {tops[number]})">')
        parts += _panel(plot)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _panel(plot: Plot) -> list[str]:
    xs = [x for series in plot.series for x, _ in series.points]
    ys = [y for series in plot.series for _, y in series.points]
    if not xs:
        raise ValueError(f"{plot.title}: there is nothing to draw")
    x_scale, x_ticks = _axis(min(xs), max(xs), plot.x_log, _LEFT, WIDTH - _RIGHT)
    y_scale, y_ticks = _axis(min(ys), max(ys), plot.y_log, HEIGHT - _BOTTOM, _TOP)
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    parts = [f'<text x="{_LEFT}" y="28" font-size="16" font-weight="bold" fill="#111">{escape(plot.title)}</text>']
    for value, label in x_ticks:
        x = x_scale(value)
        parts.append(f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#333">{escape(label)}</text>')
    for value, label in y_ticks:
        y = y_scale(value)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#333">{escape(label)}</text>')
    parts.append(f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#333"/>')
    middle_x, middle_y = (_LEFT + right) / 2, (_TOP + bottom) / 2
    parts.append(
        f'<text x="{middle_x:.0f}" y="{bottom + 40}" text-anchor="middle" fill="#111">{escape(plot.x_label)}</text>'
    )
    parts.append(
        f'<text x="20" y="{middle_y:.0f}" text-anchor="middle" fill="#111" '
        f'transform="rotate(-90 20 {middle_y:.0f})">{escape(plot.y_label)}</text>'
    )
    for index, series in enumerate(plot.series):
        parts += _series(series, index, x_scale, y_scale)
        parts += _key(series, index, _key_columns(plot))
    return parts


def _series(series: Series, index: int, x_scale: Scale, y_scale: Scale) -> list[str]:
    color = _COLORS[index % len(_COLORS)]
    places = [(x_scale(x), y_scale(y)) for x, y in series.points]
    if series.line:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        dash = _DASHES[index % len(_DASHES)]
        style = f' stroke-dasharray="{dash}"' if dash else ""
        return [f'<path d="{path}" fill="none" stroke="{color}" stroke-width="2.5"{style}/>']
    return [_marker(x, y, index, color) for x, y in places]


def _key_columns(plot: Plot) -> int:
    """How many entries of the legend fit side by side: names of up to 24 letters leave room for three."""
    widest = max(len(series.name) for series in plot.series)
    return min(len(plot.series), 3 if widest <= 24 else 2 if widest <= 40 else 1)


def _height(plot: Plot) -> int:
    """A panel's height; two rows of legend are part of HEIGHT."""
    rows = math.ceil(len(plot.series) / _key_columns(plot)) if plot.series else 0
    return HEIGHT + 20 * max(0, rows - 2)


def _key(series: Series, index: int, columns: int) -> list[str]:
    """One entry of the legend under the axis."""
    step = (WIDTH - _LEFT - _RIGHT) / columns
    x, y = _LEFT + step * (index % columns), HEIGHT - 42 + 20 * (index // columns)
    color = _COLORS[index % len(_COLORS)]
    if series.line:
        dash = _DASHES[index % len(_DASHES)]
        style = f' stroke-dasharray="{dash}"' if dash else ""
        sign = f'<path d="M{x:.0f} {y - 4}h28" stroke="{color}" stroke-width="2.5"{style}/>'
    else:
        sign = _marker(x + 14, y - 4, index, color)
    return [sign, f'<text x="{x + 36:.0f}" y="{y}" fill="#111">{escape(series.name)}</text>']


def _marker(x: float, y: float, index: int, color: str) -> str:
    match _MARKERS[index % len(_MARKERS)]:
        case "circle":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{color}"/>'
        case "square":
            return f'<rect x="{x - 5.5:.1f}" y="{y - 5.5:.1f}" width="11" height="11" fill="{color}"/>'
        case "triangle":
            return f'<path d="M{x:.1f} {y - 7:.1f}l7 12h-14z" fill="{color}"/>'
        case _:
            return f'<path d="M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7z" fill="{color}"/>'


def _axis(low: float, high: float, log: bool, start: float, end: float) -> tuple[Scale, list[tuple[float, str]]]:
    """The map from values to places, and the ticks; a logarithmic axis runs over whole decades."""
    if log:
        if low <= 0:
            raise ValueError(f"a logarithmic axis cannot show {low}")
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        last = max(last, first + 1)
        stride = math.ceil((last - first) / 9)

        def log_place(value: float) -> float:
            return start + (end - start) * (math.log10(value) - first) / (last - first)

        return log_place, [(10.0**power, _decade(power)) for power in range(first, last + 1, stride)]
    step = _nice((high - low) / 5 or 1.0)
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    top = top if top > bottom else bottom + step

    def place(value: float) -> float:
        return start + (end - start) * (value - bottom) / (top - bottom)

    ticks = round((top - bottom) / step)
    return place, [(bottom + step * i, f"{bottom + step * i:,g}") for i in range(ticks + 1)]


def _decade(power: int) -> str:
    return {0: "1", 1: "10", 2: "100"}.get(power, "10" + str(power).translate(_POWERS))


def _nice(step: float) -> float:
    magnitude = float(10.0 ** math.floor(math.log10(step)))
    return next(factor * magnitude for factor in (1, 2, 5, 10) if step <= factor * magnitude)
