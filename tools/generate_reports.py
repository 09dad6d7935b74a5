"""Makes `reports/`: the packaged edition at its nearest releases, without engine code.

`python -m tools.generate_reports` writes the files; `--check` compares them with what would be written. The releases
come from the package index into a store of the run's own (or `--store`), so that nothing else that a machine has at
hand can change what is read.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "reports"
EDITION = "decode-loop"
FORMATS = {
    "html": f"{EDITION}.html",
    "json": f"{EDITION}.json",
    "markdown": f"{EDITION}.md",
    "terminal": f"{EDITION}.txt",
}
"""Report format -> file name."""
WIDTH = 80


def reports(store: Path) -> dict[str, str]:
    """File name -> text. Raises refcheck.errors.RefcheckError where the releases cannot be had."""
    os.environ["REFCHECK_CACHE_DIR"] = str(store)
    from refcheck.cli.reports import with_extras
    from refcheck.cli.setup import SourceOptions, make_trees
    from refcheck.config.editions import find_edition
    from refcheck.engine.request import VerifyRequest
    from refcheck.engine.verify import verify
    from refcheck.render.options import RenderOptions
    from refcheck.render.render import render

    edition = find_edition(EDITION)
    releases = tuple(f"{pin.engine}=release:{pin.nearest_release}" for pin in edition.pins)
    first = make_trees(SourceOptions(pins=releases), None)
    try:
        first.open_pins()
    finally:
        first.close()
    # Offline, the commit itself cannot be had: the nearest release is what is read, on every machine.
    trees = make_trees(SourceOptions(edition=EDITION, offline=True), edition)
    try:
        trees.open_pins()
        report = verify(VerifyRequest(trees=trees, edition=edition))
    finally:
        trees.close()
    options = with_extras(
        RenderOptions(without_code=True, reproducible=True), report, (), edition, formats=frozenset(FORMATS)
    )
    from dataclasses import replace

    shown = {"terminal": replace(options, width=WIDTH)}
    return {name: render(report, form, shown.get(form, options)) for form, name in FORMATS.items()}


def main() -> int:
    """Exit code 0; 1 where `--check` finds a file that differs."""
    parser = argparse.ArgumentParser(description="Write reports/, or compare it.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file differs")
    parser.add_argument("--store", type=Path, help="a folder that keeps the releases for the next time")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the reports stand")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        made = reports(given.store or Path(fresh))
    differing = []
    for name, text in made.items():
        path = given.folder / name
        data = text.encode("utf-8")
        if path.is_file() and path.read_bytes() == data:
            continue
        differing.append(name)
        if not given.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"wrote {path}")
    if given.check and differing:
        print(f"{', '.join(differing)} differ; run: python -m tools.generate_reports", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
