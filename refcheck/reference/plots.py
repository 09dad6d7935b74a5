"""The cost model's two pictures: where a step stands under the roofline, and how its FLOPs grow with the
context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from refcheck.model.table import Plot, Series
from refcheck.reference.cost import Setting, value_in
from refcheck.reference.shapes import hardware
from refcheck.reference.units import grouped


def flop_plot(settings: Sequence[Setting]) -> Plot:
    """FLOPs of one step against the context, with and without a cache, up to the largest context asked
    about."""
    last = max(one.s for one in settings)
    contexts = sorted({round(last ** (i / 40)) for i in range(41)} | {last})
    series = []
    for one in settings:
        for name, text in (("step_flops_uncached", "no cache"), ("step_flops_cached", "with cache")):
            points = tuple((float(s), _float(name, replace(one, context=s))) for s in contexts)
            series.append(Series(_label(one, settings) + text, points))
    first = settings[0]
    without, with_cache = (value_in(f"step_flops_{kind}", first).rounded for kind in ("uncached", "cached"))
    description = (
        f"FLOPs of one decode step against the context, both axes logarithmic, up to {grouped(last)} tokens: without "
        f"a cache they grow with the context, with one they hardly do; at {grouped(first.s)} tokens {first.model.name} "
        f"does {without} without and {with_cache} with."
    )
    title, x_label, y_label = "FLOPs of one decode step", "context s, tokens", "FLOP per step"
    return Plot(title, description, x_label, y_label, tuple(series), x_log=True, y_log=True)


def roofline(settings: Sequence[Setting]) -> Plot:
    """Attainable FLOP/s against arithmetic intensity on the hardware of the first setting, with each step's
    place."""
    device = hardware(settings[0].hardware)
    ridge = device.flops_per_second / device.bytes_per_second

    def roof(intensity: float) -> float:
        return min(device.bytes_per_second * intensity, float(device.flops_per_second))

    marks = []
    for one in settings:
        for name, text in (("intensity_cached", "with cache"), ("intensity_uncached", "no cache")):
            x = _float(name, one)
            marks.append(Series(f"{_label(one, settings)}{text}: {grouped(x)} FLOP/B", ((x, roof(x)),), line=False))
    lowest = min(0.1, *(mark.points[0][0] for mark in marks))
    highest = max(10_000.0, *(mark.points[0][0] for mark in marks))
    roof_line = Series("roof", tuple((x, roof(x)) for x in (lowest, ridge, highest)))
    first = settings[0]
    cached, uncached = (value_in(f"intensity_{kind}", first).rounded for kind in ("cached", "uncached"))
    description = (
        f"Attainable FLOP/s against arithmetic intensity on {device.name}, both axes logarithmic, bending at "
        f"{ridge:,.0f} FLOP/byte. {first.model.name} at context {grouped(first.s)}, batch {first.batch}: a cached step "
        f"has {cached}, an uncached one {uncached}."
    )
    title, x_label, y_label = f"Roofline of {device.name}", "arithmetic intensity, FLOP per byte", "attainable FLOP/s"
    return Plot(title, description, x_label, y_label, (roof_line, *marks), x_log=True, y_log=True)


def _label(one: Setting, settings: Sequence[Setting]) -> str:
    if len({other.accounting for other in settings}) > 1:
        return f"{one.accounting}, "
    return f"{one.model.name}, " if len(settings) > 1 else ""


def _float(name: str, one: Setting) -> float:
    return float(Fraction(value_in(name, one).value))
