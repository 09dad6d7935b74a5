"""`refcheck cite`: the permalink and the SWHID of lines."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .setup import SourceOptions, choose_edition, format_option, make_trees, source_options, write_output

if TYPE_CHECKING:
    from ..engine.trees import Trees
    from ..locate.reader import TreeReader

_LOCATION = re.compile(
    r"(?P<path>[^:#\s]+)(?:[:#]L?(?P<first>\d{1,7})(?:-L?(?P<last>\d{1,7}))?|(?:::|#)(?P<symbol>[A-Za-z_][\w.:]*))?\Z"
)


@click.command(
    "cite",
    help="""Print the permalink and the Software Heritage identifier (SWHID) of lines at a pin.

The end of a path is enough where one file fits. A definition stands for its lines.

\b
Examples:
  refcheck cite vllm/v1/engine/core.py:583-610 --pin vllm=release:0.28.0
  refcheck cite request.py::Request.num_tokens --pin vllm=release:0.28.0
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
        for path, first, last, symbol in wanted:
            owner, path = _file_of(path, symbol, trees)
            reader = trees.readers[owner]
            total = len(reader.text(path).lines)
            if symbol is not None:
                first, last = _lines_of(symbol, reader, path)
            if first is not None and (first < 1 or last is None or last < first or last > total):
                raise UsageError(f"{path}: lines {first}-{last} are not lines of it; it has {total}")
            lines = LineRange(first, last) if first is not None and last is not None else LineRange(1, max(total, 1))
            link, swhid = identifiers(trees, reader, Place(path, lines))
            inside = reader.symbol_at(path, lines)
            rows.append(
                {
                    "engine": owner,
                    "path": path,
                    "first": lines.first,
                    "last": lines.last,
                    "symbol": inside,
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


def _file_of(path: str, symbol: str | None, trees: Trees) -> tuple[str, str]:
    """The engine and the file that a path or its end means. Raises UsageError where that is not one.

    Of several, the one that defines the symbol is meant, or the only one in an engine's source folders; the answer
    shows which it is.
    """
    from ..engine.paths import Ambiguous, PathIndex, Resolved, defining, resolve_path

    indexes = {engine: PathIndex(reader) for engine, reader in trees.readers.items()}
    found = resolve_path(path, None, indexes, {})
    if isinstance(found, Ambiguous) and symbol is not None:
        found = defining(symbol, found, trees.readers)
    if isinstance(found, Ambiguous):
        inside = [(e, one) for e, one in found.candidates if one.startswith(trees.engine(e).source_roots)]
        found = Resolved(*inside[0]) if len(inside) == 1 else found
    known = ", ".join(f"{e} {r.tree.source.read[:20]}" for e, r in trees.readers.items())
    match found:
        case Resolved(engine, whole):
            return engine, whole
        case Ambiguous(candidates):
            shown = ", ".join(f"{engine} {one}" for engine, one in candidates[:8])
            more = f" and {len(candidates) - 8} more" if len(candidates) > 8 else ""
            raise UsageError(f"{path}: {len(candidates)} files fit ({shown}{more}); write more of the path")
        case _:
            near = {one for index in indexes.values() if (one := index.near(path)) is not None}
            hint = f"; did you mean {near.pop()}?" if len(near) == 1 else ""
            raise UsageError(f"{path}: no engine has this path ({known}){hint}")


def _lines_of(symbol: str, reader: TreeReader, path: str) -> tuple[int, int]:
    """The lines of a definition. Raises UsageError where it is not one."""
    found = reader.outline(path).symbols_named(symbol)
    if len(found) == 1:
        return found[0].lines.first, found[0].lines.last
    if found:
        shown = ", ".join(f"{one.name} {one.lines}" for one in found[:8])
        raise UsageError(f"{path}: {symbol} is defined {len(found)} times ({shown}); give the lines")
    raise UsageError(f"{path}: it defines no {symbol}")


def _parse(location: str) -> tuple[str, int | None, int | None, str | None]:
    """Path, first line, last line, definition."""
    match = _LOCATION.match(location)
    if match is None:
        raise UsageError(f"{location!r}: want PATH:LINES, for instance vllm/v1/engine/core.py:583-610")
    first = int(match["first"]) if match["first"] else None
    return match["path"], first, int(match["last"]) if match["last"] else first, match["symbol"]
