"""Which package index the user's pip would ask: the environment, then pip's configuration files.

Precedence as in pip's documentation (Topic guides, Configuration): environment variables win over the file named by
PIP_CONFIG_FILE, that over the virtual environment's, that over the user's, that over the machine's; the section
[download] wins over [global] within them.
"""

from __future__ import annotations

import configparser
import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PipConfiguration:
    """`index` is None where the user names none: the index client's own default then."""

    index: str | None = None
    extra_indexes: tuple[str, ...] = ()
    no_index: bool = False
    certificates: str | None = None
    client_certificate: str | None = None
    proxy: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    timeout: float = 15.0


def read_configuration() -> PipConfiguration:
    """What pip is told on this machine. Files that cannot be read or parsed are passed over, as far as they are."""
    values: dict[str, str] = {}
    for file in configuration_files():
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue
        for section in ("global", "download"):
            if parser.has_section(section):
                values.update((name.replace("_", "-"), value) for name, value in parser.items(section))
    for name, value in os.environ.items():
        if name.upper().startswith("PIP_") and name.upper() != "PIP_CONFIG_FILE" and value:
            values[name[4:].lower().replace("_", "-")] = value
    try:
        timeout = float(values.get("timeout") or values.get("default-timeout") or 15)
    except ValueError:
        timeout = 15.0
    return PipConfiguration(
        index=values.get("index-url", "").strip() or None,
        extra_indexes=tuple(values.get("extra-index-url", "").split()),
        no_index=values.get("no-index", "").strip().lower() in ("1", "true", "yes", "on"),
        certificates=values.get("cert") or None,
        client_certificate=values.get("client-cert") or None,
        proxy=values.get("proxy") or None,
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
        timeout=timeout,
    )


def configuration_files() -> list[Path]:
    """pip's files, the least important first."""
    named = os.environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return []
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    home = Path(os.path.expanduser("~"))
    files: list[Path] = []
    if sys.platform == "win32":
        files += [Path(os.environ.get("PROGRAMDATA", "C:\\ProgramData")) / "pip" / name, home / "pip" / name]
        files.append(Path(os.environ.get("APPDATA", str(home))) / "pip" / name)
    else:
        if sys.platform == "darwin":
            files.append(Path("/Library/Application Support/pip") / name)
        else:
            folders = os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
            files += [Path(folder) / "pip" / name for folder in reversed(folders.split(os.pathsep)) if folder]
            files.append(Path("/etc") / name)
        files.append(home / ".pip" / name)
        if sys.platform == "darwin":
            files.append(home / "Library/Application Support/pip" / name)
        files.append(Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / name)
    files.append(Path(sys.prefix) / name)
    if named:
        files.append(Path(named))
    return files
