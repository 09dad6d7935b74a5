"""The only place that starts git.

A plain `subprocess` is used on purpose. Reading a warm store needs one `git cat-file --batch` and nothing else,
while importing GitPython alone takes 0.1 s; and GitPython's runner adds to the caller's environment but cannot
take variables away, so that a stray GIT_OBJECT_DIRECTORY (set by git itself for hooks) would redirect our store.
`history` uses GitPython for walking commits.

What counts and what does not: the user's system and global configuration and GIT_CONFIG_*, GIT_SSH*, GIT_ASKPASS
and the proxies count. Configuration inside a fetched or local repository does not: every command runs in a bare
repository of our own (GIT_DIR), and the objects of a local clone are lent to it as alternates.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .attempts import Interrupted, Silent, Unavailable, redact

PROTOCOLS = ("https", "ssh", "git", "file")

# The variables of `git rev-parse --local-env-vars`, without the ones that carry configuration, and those that name
# programs which our commands must not start.
_SCRUBBED = frozenset(
    (
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG",
        "GIT_OBJECT_DIRECTORY",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_GRAFT_FILE",
        "GIT_INDEX_FILE",
        "GIT_INDEX_VERSION",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_REPLACE_REF_BASE",
        "GIT_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_QUARANTINE_PATH",
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_EXTERNAL_DIFF",
        "GIT_DIFF_OPTS",
        "GIT_EDITOR",
        "GIT_SEQUENCE_EDITOR",
        "GIT_PAGER",
        "GIT_DEFAULT_HASH",
        "GIT_DEFAULT_REF_FORMAT",
        "GIT_REF_PARANOIA",
        "GIT_LITERAL_PATHSPECS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_ATTR_SOURCE",
        "GIT_FLUSH",
        "GIT_TEMPLATE_DIR",
        "GIT_PROTOCOL",
    )
)

# Given on the command line, these win over every configuration file.
_FIXED = tuple(
    part
    for setting in (
        f"core.hooksPath={os.devnull}",
        "core.fsmonitor=false",
        "core.logAllRefUpdates=false",
        "core.multiPackIndex=true",
        "gc.auto=0",
        "maintenance.auto=false",
        "fetch.recurseSubmodules=false",
        "submodule.recurse=false",
        "fetch.unpackLimit=1",
        "transfer.unpackLimit=1",
        "transfer.bundleURI=false",
        "protocol.version=2",
        "log.showSignature=false",
        "log.mailmap=false",
        "diff.renames=false",
        "core.quotePath=false",
    )
    for part in ("-c", setting)
)

_URL_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_REMOTE_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")


class GitFailure(Unavailable):
    """git ended with an error; the message is the telling part of what it wrote."""

    def __init__(self, args: Sequence[str], code: int, stderr: str) -> None:
        self.stderr = redact(stderr)
        command = next((arg for arg in args if arg != "-c" and "=" not in arg), "")
        how = f"was ended by signal {-code}" if code < 0 else f"failed (exit code {code})"
        super().__init__(_telling(self.stderr) or f"git {command} {how}")


def check_address(address: str) -> None:
    """Raises Unavailable for an address that could be an option, or that is of a protocol that is not allowed.

    Git itself is held to the same protocols (GIT_ALLOW_PROTOCOL), after it has applied `insteadOf`.
    """
    if not address or address.startswith("-"):
        raise Unavailable(f"refused: {redact(address)!r} is not a repository's address")
    if _REMOTE_HELPER.match(address):
        raise Unavailable(f"refused: {redact(address)!r} names a transport helper (allowed: {', '.join(PROTOCOLS)})")
    scheme = _URL_SCHEME.match(address)
    if scheme and scheme.group(1).lower() not in PROTOCOLS:
        raise Unavailable(f"refused: protocol {scheme.group(1)} (allowed: {', '.join(PROTOCOLS)})")


def environment(git_dir: Path, alternates: Sequence[Path] = (), shallow: Path | None = None) -> dict[str, str]:
    """The environment of every git command: the user's, without what would redirect it.

    `shallow` names a file with the commits whose parents are not at hand (gitrepository-layout(5)).
    """
    env = {name: value for name, value in os.environ.items() if name not in _SCRUBBED}
    for name in [n for n in env if n.startswith("GIT_TRACE") and not os.path.isabs(env[n])]:
        del env[name]  # a trace on standard error would be taken for git's messages
    allowed = [p for p in PROTOCOLS if p in env.get("GIT_ALLOW_PROTOCOL", ":".join(PROTOCOLS)).split(":")]
    env.update(
        GIT_DIR=str(git_dir),
        GIT_ALLOW_PROTOCOL=":".join(allowed) or "none",
        GIT_NO_REPLACE_OBJECTS="1",
        GIT_NO_LAZY_FETCH="1",
        GIT_OPTIONAL_LOCKS="0",
        GIT_PAGER="cat",
        LC_ALL="C",
        LANGUAGE="C",
    )
    env.setdefault("GIT_TERMINAL_PROMPT", "0")
    if shallow is not None:
        env["GIT_SHALLOW_FILE"] = str(shallow)
    if alternates:
        # Names with the separator in them must be quoted, C style (git's environment variable documentation).
        env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = os.pathsep.join(_quoted(str(a)) for a in alternates)
    return env


def start(
    args: Sequence[str],
    git_dir: Path,
    alternates: Sequence[Path] = (),
    shallow: Path | None = None,
    **popen: object,
) -> subprocess.Popen[bytes]:
    """Start git with binary pipes. Raises Unavailable if there is no git."""
    try:
        return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
            ["git", *_FIXED, *args], env=environment(git_dir, alternates, shallow), **popen
        )
    except FileNotFoundError:
        raise Unavailable("git is not installed, or not on PATH") from None


def call(
    args: Sequence[str],
    git_dir: Path,
    *,
    input: bytes = b"",  # noqa: A002
    alternates: Sequence[Path] = (),
    shallow: Path | None = None,
    timeout: float = 600,
) -> bytes:
    """Run a local command to its end; what it printed. Raises GitFailure."""
    process = start(args, git_dir, alternates, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(input, timeout)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"git {args[0]} took longer than {timeout:.0f} s") from None
    finally:
        stop(process)
    if process.returncode:
        raise GitFailure(args, process.returncode, err.decode("utf-8", "replace"))
    return bytes(out)


def transfer(
    args: Sequence[str],
    git_dir: Path,
    *,
    input: bytes = b"",  # noqa: A002
    silence: float = 60,
    progress: Callable[[str], None] | None = None,
    cancel: threading.Event | None = None,
) -> tuple[bytes, str]:
    """Run a command that talks to a server: (standard output, what it wrote to standard error).

    It is ended after `silence` seconds without a word from it, since git has no limit on the time to connect,
    and when `cancel` is set. Raises GitFailure, Silent, Interrupted.
    """
    import tempfile

    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write(input)
        given.seek(0)
        process = start(args, git_dir, stdin=given, stdout=out, stderr=subprocess.PIPE)
        heard = _Listener(process, progress)
        try:
            while not heard.finished.wait(0.2):
                if cancel is not None and cancel.is_set():
                    raise Interrupted
                if time.monotonic() - heard.last > silence:
                    raise Silent(f"no answer within {silence:.0f} s")
            process.wait(silence)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"git {args[0]} did not end") from None
        finally:
            stop(process)
        text = heard.text()
        if process.returncode:
            raise GitFailure(args, process.returncode, text)
        out.seek(0)
        return out.read(), text


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that may still run. git ends its own helpers when it is told to end."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue


class _Listener:
    """Reads the standard error of a process: progress lines are passed on, the others are kept (64 KB of them)."""

    def __init__(self, process: subprocess.Popen[bytes], progress: Callable[[str], None] | None) -> None:
        self.last = time.monotonic()
        self.finished = threading.Event()
        self._process = process
        self._progress = progress
        self._kept: list[str] = []
        self._size = 0
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def text(self) -> str:
        self._thread.join(1)
        return "\n".join(self._kept)

    def _listen(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        rest = b""
        try:
            while chunk := os.read(stream.fileno(), 65536):
                self.last = time.monotonic()
                *lines, rest = re.split(rb"[\r\n]", rest + chunk)
                for line in lines:
                    self._line(line)
            self._line(rest)
        except (OSError, ValueError):
            return  # closed by `stop`
        finally:
            self.finished.set()

    def _line(self, raw: bytes) -> None:
        line = raw.decode("utf-8", "replace").strip()
        if re.search(r":\s+\d+% \(", line) or line.startswith("remote: Enumerating"):
            if self._progress is not None:
                self._progress(redact(line.removeprefix("remote: ")))
        elif line and self._size < 65536:
            self._kept.append(line)
            self._size += len(line)


def _telling(stderr: str) -> str:
    """The first lines of git's output that say why; what follows from them, hints and advice are left out."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    chosen = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "ssh:", "ERROR:"))] or lines
    cleaned = [re.sub(r"^(remote: )?(fatal|error): ", "", line).strip() for line in chosen]
    return "; ".join(list(dict.fromkeys(line for line in cleaned if line))[:2])[:400]


def _quoted(path: str) -> str:
    if os.pathsep not in path and not path.startswith('"'):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def settings() -> tuple[str, ...]:
    """What every command is given with `-c`: `NAME=VALUE`."""
    return tuple(part for part in _FIXED if part != "-c")


def scrub_process() -> None:
    """Take what would redirect git out of this process's own environment, for a library that starts git itself."""
    for name in _SCRUBBED & set(os.environ):
        del os.environ[name]
