"""The page about claim kinds, made from what each kind declares: `python -m refcheck.claims.describe > PAGE`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .. import registry
from ..config.edition import CLAIM_FIELDS
from ..config.fields import Field
from .check import kind_named
from .kind import PACKAGE, Case, Kind

_INTRO = """\
# Claims of an edition

This page is generated from the claim kinds themselves (`python -m refcheck.claims.describe`).

A claim is an entry under `claims` of an edition's file, or of a file that it includes:

{fields}

`check` is the statement as it is written. Where it fails and `generous` passes, the claim is imprecise, and `because`
says what the generous reading leaves out. No expected verdict is written anywhere.

What a document states stands in its words, and is taken from there: `{{figure: 2}}` is the second figure of the words,
`{{words: "= (.+)"}}` is the text that the pattern's first group matches in them (with `as`, a template of groups).

## The kinds
"""


def page() -> str:
    """The whole page as Markdown."""
    kinds = [kind_named(name) for name in registry.names(PACKAGE)]
    parts = [_INTRO.format(fields=_table(CLAIM_FIELDS))]
    parts.append("".join(f"- [`{kind.name}`](#{kind.name}): {kind.summary}\n" for kind in kinds))
    parts.extend(_section(kind) for kind in kinds)
    return "\n".join(parts)


def _section(kind: Kind) -> str:
    shown: dict[str, Case] = {}
    for case in kind.cases:
        shown.setdefault(case.verdict, case)
    examples = "".join(_example(kind, case) for case in shown.values())
    return f"### {kind.name}\n\n{kind.summary}\n\n{_table(kind.fields)}\n{examples}"


def _table(fields: Iterable[Field]) -> str:
    rows = ["| key | type | meaning |", "|---|---|---|"]
    for field in fields:
        doc = field.doc + (f" (one of {', '.join(f'`{c}`' for c in field.choices)})" if field.choices else "")
        needed = " **needed**" if field.required else ""
        type_ = field.type.replace("|", " or ")
        rows.append(f"| `{field.name}` | {type_}{needed} | {doc.replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"


def _example(kind: Kind, case: Case) -> str:
    import yaml

    table: dict[str, Any] = {"kind": kind.name, **_plain(case.params)}
    words = f"words: {case.words}\n" if case.words else ""
    check = yaml.safe_dump({"check": table}, sort_keys=False, allow_unicode=True, width=100)
    files = "".join(f"\n```python\n# {path}\n{text.rstrip()}\n```\n" for path, text in case.files.items())
    return (
        f"\n**{case.verdict}**: {case.title}\n\n```yaml\n{words}{check}```\n{files if case.verdict == 'holds' else ''}"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


if __name__ == "__main__":
    print(page(), end="")
