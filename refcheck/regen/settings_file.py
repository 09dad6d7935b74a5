"""The pins of a project's settings after rewriting: values alone change, everything else keeps its bytes.

The file is YAML, or TOML in any of the ways in which a table can be written. A value is replaced where doing so
changes nothing else of what the file says; that is read back, not concluded from how the file looks.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from ..config.yaml_lines import load_lined_yaml
from ..errors import ConfigurationError, UsageError
from ..model.document import Document
from .rewrite import RewriteError, Rewritten, refuse_if_protected


def rewrite_settings(path: Path, pins: Mapping[str, str], edition: str | None = None) -> Rewritten:
    """The file with new values for the engines of `pins`, and for `edition`, ready for `rewrite.write_all`.

    Raises RewriteError where a value cannot be replaced alone (a YAML alias, an escape in it), UsageError for a file
    that cannot be read or is write-protected. Nothing is written here.
    """
    try:
        data = path.read_bytes()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    new = text
    for engine, value in pins.items():
        new = _with_value(path, new, ("pins", engine), value)
    if edition is not None:
        new = _with_value(path, new, ("edition",), edition)
    encoded = new.encode("utf-8")
    if encoded != data:
        refuse_if_protected(path, str(path))
    document = Document(str(path), "settings", text, digest=hashlib.sha256(data).hexdigest())
    return Rewritten(document, path, encoded, encoded != data)


def _with_value(path: Path, text: str, keys: Sequence[str], value: str) -> str:
    wanted = deepcopy(_data(path, text))
    name = ".".join(keys)
    table = _table(path, wanted, keys[:-1])
    if keys[-1] not in table:
        raise RewriteError(f"{path}: {name} is not as it was read: run the command again")
    old = str(table[keys[-1]])
    if old == value:
        return text
    table[keys[-1]] = value
    for start in (found.start() for found in re.finditer(re.escape(old), text)):
        before, after = text[:start], text[start + len(old) :]
        for written in (value, f'"{value}"'):
            new = before + written + after
            if _says(path, new, wanted):
                return new
    raise RewriteError(
        f"{path}: {name} ({old}) is written in a way that is not replaced safely: write {value} in quotes there by "
        "hand and run the command again with --pin or --edition for the older one; nothing was written"
    )


def _says(path: Path, text: str, wanted: Any) -> bool:
    try:
        return bool(_data(path, text) == wanted)
    except (ConfigurationError, tomllib.TOMLDecodeError):
        return False


def _data(path: Path, text: str) -> Any:
    return tomllib.loads(text) if path.suffix == ".toml" else load_lined_yaml(text, str(path)).data


def _table(path: Path, data: Any, keys: Sequence[str]) -> dict[str, Any]:
    for key in (*(("tool", "refcheck") if path.suffix == ".toml" else ()), *keys):
        data = data.get(key, {}) if isinstance(data, dict) else {}
    return data if isinstance(data, dict) else {}
