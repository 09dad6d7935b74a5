"""Which edition is meant: by name, by file, or by a commit that its pins contain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..errors import UsageError
from .edition import Edition, load_edition


def editions_folder() -> Path:
    """The folder of the packaged editions: beside the modules in a wheel, at the top of a source checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "anchors"
    return inside if inside.is_dir() else package.parent / "anchors"


@cache
def packaged_editions() -> tuple[Edition, ...]:
    """Every edition that the package ships, by name."""
    folder = editions_folder()
    return tuple(load_edition(path, packaged=True) for path in sorted(folder.glob("*.yaml")))


def find_edition(name_or_path: str) -> Edition:
    """The edition of that name, or in that file. Raises UsageError listing the names that exist."""
    path = Path(name_or_path)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return load_edition(path)
    packaged = editions_folder() / f"{name_or_path}.yaml"
    if "/" not in name_or_path and "\\" not in name_or_path and packaged.is_file():
        return load_edition(packaged, packaged=True)
    raise UsageError(f"no edition {name_or_path!r}; {describe_editions(packaged_editions())}")


def edition_by_commit(prefix: str, among: Sequence[Edition]) -> Edition:
    """The edition one of whose pins begins with `prefix`.

    Raises UsageError for a prefix that is none, fits no pin, or fits pins of several editions.
    """
    wanted = prefix.lower()
    if len(wanted) < 4 or any(char not in "0123456789abcdef" for char in wanted) or len(wanted) > 40:
        raise UsageError(f"--sha {prefix!r}: give 4 to 40 hexadecimal digits of a pinned commit")
    fitting = [e for e in among if any(pin.commit.startswith(wanted) for pin in e.pins)]
    if not fitting:
        raise UsageError(
            f"--sha {prefix}: no edition pins such a commit, and hosts cannot resolve abbreviated commits; "
            f"{describe_editions(among)}\nFor another commit give it in full: --pin ENGINE=COMMIT"
        )
    if len(fitting) > 1:
        raise UsageError(f"--sha {prefix} fits pins of several editions; {describe_editions(fitting)}")
    return fitting[0]


def describe_editions(editions: Sequence[Edition]) -> str:
    """The editions and their pins, for a message."""
    if not editions:
        return "there are no editions"
    rows = [
        f"  {edition.name} ({edition.date}): " + ", ".join(f"{pin.engine} {pin.commit}" for pin in edition.pins)
        for edition in editions
    ]
    return "the editions and their pins are:\n" + "\n".join(rows)
