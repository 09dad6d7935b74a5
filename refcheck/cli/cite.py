"""`refcheck cite`: the permalink and the SWHID of lines."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from ..errors import UsageError
from .setup import SourceOptions, choose_edition, format_option, make_trees, source_options, write_output

_LOCATION = re.compile(r"(?P<path>[^:#\s]+)(?:[:#]L?(?P<first>\d{1,7})(?:-L?(?P<last>\d{1,7}))?)?\Z")


@click.command(
    "cite",
    help="""Print the permalink and the Software Heritage identifier (SWHID) of lines at a pin.

\b
Examples:
  refcheck cite vllm/v1/engine/core.py:583-610 --pin vllm=release:0.28.0
  refcheck cite vllm/v1/request.py vllm/v1/engine/core.py:L20 --sha a556f3f
  refcheck cite vllm/v1/engine/core.py:583-610 --sha a556f3f --format json""",
)
@click.argument("locations", nargs=-1, required=True, metavar="PATH:LINES...")
@source_options
@format_option
def command(locations: tuple[str, ...], format_name: str, **options: Any) -> int:
    """Exit code 2 for a path or lines that the pin does not have."""
    from ..engine.findings import identifiers
    from ..model.place import LineRange, Place

    chosen = SourceOptions(**options)
    wanted = [_parse(location) for location in locations]
    trees = make_trees(chosen, choose_edition(chosen))
    if not trees.asked:
        raise UsageError("cite needs a revision: --pin ENGINE=REV, --sha PREFIX or --edition NAME")
    rows: list[dict[str, Any]] = []
    try:
        trees.open_pins()
        for path, first, last in wanted:
            owners = [engine for engine, reader in trees.readers.items() if reader.tree.has(path)]
            if len(owners) != 1:
                known = ", ".join(f"{e} {r.tree.source.read[:20]}" for e, r in trees.readers.items())
                raise UsageError(f"{path}: {'several engines have' if owners else 'no engine has'} this path ({known})")
            reader = trees.readers[owners[0]]
            total = len(reader.text(path).lines)
            if first is not None and (first < 1 or last is None or last < first or last > total):
                raise UsageError(f"{path}: lines {first}-{last} are not lines of it; it has {total}")
            lines = LineRange(first, last) if first is not None and last is not None else LineRange(1, max(total, 1))
            link, swhid = identifiers(trees, reader, Place(path, lines))
            symbol = reader.symbol_at(path, lines)
            rows.append(
                {
                    "engine": owners[0],
                    "path": path,
                    "first": lines.first,
                    "last": lines.last,
                    "symbol": symbol,
                    "read": reader.tree.source.read,
                    "permalink": link,
                    "swhid": swhid,
                }
            )
    finally:
        trees.close()
    if format_name == "json":
        write_output(json.dumps({"schema": "refcheck-cite/1", "citations": rows}, indent=1, ensure_ascii=False))
        return 0
    for row in rows:
        symbol = f" in {row['symbol']}" if row["symbol"] else ""
        link = row["permalink"] or f"no permalink: {row['read']} is not a commit"
        write_output(
            f"{row['engine']} {row['path']}:L{row['first']}-L{row['last']}{symbol}\n  {link}\n  {row['swhid']}"
        )
    return 0


def _parse(location: str) -> tuple[str, int | None, int | None]:
    match = _LOCATION.match(location)
    if match is None:
        raise UsageError(f"{location!r}: want PATH:LINES, for instance vllm/v1/engine/core.py:583-610")
    first = int(match["first"]) if match["first"] else None
    return match["path"], first, int(match["last"]) if match["last"] else first
