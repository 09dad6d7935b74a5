"""Paths as people write them: found in running text, and brought to the form that the engine's repository uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..config.engines import Engine

CODE_SUFFIXES = frozenset(
    {
        "py",
        "pyi",
        "pyx",
        "c",
        "cc",
        "cpp",
        "cxx",
        "cu",
        "cuh",
        "h",
        "hh",
        "hpp",
        "hxx",
        "inl",
        "rs",
        "go",
        "java",
        "js",
        "jsx",
        "ts",
        "tsx",
        "mm",
        "metal",
    }
)
_SUFFIXES = sorted(
    CODE_SUFFIXES
    | set(
        {
            "md",
            "mdx",
            "rst",
            "txt",
            "toml",
            "yaml",
            "yml",
            "json",
            "jsonl",
            "sh",
            "bash",
            "cfg",
            "ini",
            "cmake",
            "in",
            "ipynb",
            "jinja",
            "jinja2",
            "proto",
            "html",
            "css",
            "xml",
            "j2",
        }
    ),
    key=len,
    reverse=True,
)
_DOT = re.compile(rf"\.(?:{'|'.join(_SUFFIXES)})(?![A-Za-z0-9_])(?!\.[A-Za-z0-9_])")
_NAMED = re.compile(
    r"(?<![A-Za-z0-9_])(?:Dockerfile(?:\.[A-Za-z0-9_-]{1,40}){0,3}|Makefile|Jenkinsfile)(?![A-Za-z0-9_])"
)
_PATH_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./\\-+@~"
_PREFIX_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-@")
_LONGEST = 400

# Folders of the engines' repositories beside the package itself: after a checkout's name they are the path.
_TOP_LEVEL = frozenset(
    {
        "docs",
        "docs_new",
        "tests",
        "test",
        "csrc",
        "examples",
        "benchmarks",
        "benchmark",
        "python",
        "sgl-kernel",
        "sgl-router",
        "sgl-model-gateway",
        "docker",
        "cmake",
        "tools",
        "scripts",
        "requirements",
        "rust",
        ".github",
        ".buildkite",
        "3rdparty",
        "proto",
        "experimental",
        "assets",
        "evaluation",
        "src",
    }
)
_HEX = re.compile(r"[0-9a-f]{7,40}")
# `path.py@71de97b2:L87`: a commit or version written behind the path; `path.py@282` is a line.
_BEHIND = re.compile(
    r"@(?P<rev>(?![0-9]+(?![0-9a-f]))[0-9a-f]{7,40}|v\d{1,4}(?:\.\d{1,4}){1,3}(?:[.-]?(?:rc|post|dev)\d{1,4})?)"
    r"(?![\w@/-])(?!\.\w)"
)


@dataclass(frozen=True, slots=True)
class PathMention:
    """A path in a text: `start` to `end` with a prefix such as `vllm:`; the path itself begins at `path_start`.

    `behind` is where a revision is written behind it (`path.py@71de97b2`), which is then before `end`.
    """

    start: int
    path_start: int
    end: int
    written: str
    path: str
    engine: str | None
    rev: str | None
    whole: bool
    """The path is given from the repository's root (its engine or a known folder says so)."""
    behind: tuple[int, int] | None = None

    @property
    def path_end(self) -> int:
        """Where the path itself ends."""
        return self.behind[0] - 1 if self.behind else self.end

    @property
    def is_code(self) -> bool:
        return self.path.rsplit(".", 1)[-1] in CODE_SUFFIXES


class PathReader:
    """Finds paths, with the engines' names and folders prepared once."""

    def __init__(self, engines: Mapping[str, Engine]) -> None:
        self.engines = engines
        self.by_name: dict[str, str] = {}
        self.roots: list[tuple[tuple[str, ...], str]] = []
        self.wheels: list[tuple[tuple[str, ...], tuple[str, ...], str]] = []
        for engine in engines.values():
            for name in (engine.name, *engine.names):
                if "/" not in name:
                    self.by_name.setdefault(name.lower(), engine.name)
            for root in engine.source_roots:
                self.roots.append((tuple(root.strip("/").split("/")), engine.name))
            for wheel, repository in engine.wheel_prefixes:
                self.wheels.append(
                    (tuple(wheel.strip("/").split("/")), tuple(repository.strip("/").split("/")), engine.name)
                )
        # `python/sglang` before `sglang`: the longer root says more.
        self.roots.sort(key=lambda item: -len(item[0]))
        names = "|".join(sorted(map(re.escape, self.by_name), key=len, reverse=True)) or r"(?!)"
        self.word = re.compile(rf"(?<![A-Za-z0-9_/])(?:{names})(?![A-Za-z0-9_/])", re.IGNORECASE)
        self.versioned = re.compile(rf"({names})[-_@]v?(\d+(?:\.\d+)+(?:[.-]?(?:rc|post|dev|a|b)\d+)*)", re.IGNORECASE)

    def find(self, text: str, start: int = 0, end: int | None = None) -> Iterator[PathMention]:
        """The paths in `text`, in order, without overlaps."""
        stop = len(text) if end is None else end
        floor = start
        hits = sorted(
            [(m.start(), m.end()) for m in _DOT.finditer(text, start, stop)]
            + ([m.span() for m in _NAMED.finditer(text, start, stop)] if "file" in text else [])
        )
        for at, close in hits:
            lowest = max(floor, at - _LONGEST)
            begin = lowest + len(text[lowest:at].rstrip(_PATH_CHARS))
            if at - begin >= _LONGEST:
                continue
            while begin < close and text[begin] in "-+@":
                begin += 1
            name = re.split(r"[/\\]", text[begin:close])[-1]
            if name.startswith(".") and name.count(".") == 1 and not name.startswith(".clang"):
                continue  # `.py` alone names a kind of file.
            mention = self._mention(text, floor, begin, close)
            if mention is not None:
                floor = mention.end
                yield mention

    def _mention(self, text: str, floor: int, begin: int, end: int) -> PathMention | None:
        start = begin
        engine: str | None = None
        rev: str | None = None
        if begin > floor and text[begin - 1] in ":：":
            prefix_start = begin - 1
            while prefix_start > floor and begin - prefix_start < 120 and text[prefix_start - 1] in _PREFIX_CHARS:
                prefix_start -= 1
            word = text[prefix_start : begin - 1]
            name, _, ref = word.partition("@")
            if name.lower() in self.by_name:
                engine, rev, start = self.by_name[name.lower()], ref or None, prefix_start
            elif len(word) == 1 and word.isalpha() and text[begin] in "\\/":
                start = begin = prefix_start
        written = text[begin:end]
        path, path_engine, path_rev, whole = self.normalise(written)
        if not path:
            return None
        behind = _BEHIND.match(text, end)
        if behind is not None and rev is None and path_rev is None:
            return PathMention(
                start, begin, behind.end(), written, path, engine or path_engine, behind["rev"], whole,
                behind.span("rev"),
            )  # fmt: skip
        return PathMention(start, begin, end, written, path, engine or path_engine, rev or path_rev, whole)

    def normalise(self, written: str) -> tuple[str, str | None, str | None, bool]:
        """(path, engine, revision, whole): separators unified, checkout and installation prefixes removed."""
        slashed = written.replace("\\", "/")
        if len(slashed) > 1 and slashed[1] == ":" and slashed[0].isalpha():
            slashed = "/" + slashed[2:]
        absolute = slashed.startswith(("/", "~"))
        segments = [s for s in slashed.split("/") if s not in ("", ".", "..", "~")]
        if "..." in segments:
            # What stands before an ellipsis says where a disk begins, not where the file is.
            segments = segments[len(segments) - segments[::-1].index("...") :]
        rev: str | None = None
        engine: str | None = None
        if not segments:
            return "", None, None, False
        for index, segment in enumerate(segments[:-1]):
            match = self.versioned.fullmatch(segment)
            if match:
                engine, rev = self.by_name[match.group(1).lower()], f"release:{match.group(2)}"
                segments = segments[index + 1 :]
                absolute = False
                break
        installed = False
        for marker in ("site-packages", "dist-packages"):
            if marker in segments[:-1]:
                segments = segments[segments.index(marker) + 1 :]
                absolute, installed = False, True
                break
        for root, name in self.roots:
            at = _find_root(segments, root, last=absolute)
            if at is not None and (engine is None or engine == name):
                return "/".join(segments[at:]), name, rev, True
        for wheel, repository, name in self.wheels:
            at = _find_root(segments, wheel, last=absolute)
            if at is None or (engine is not None and engine != name):
                continue
            rest = segments[at + len(wheel) :]
            if rest[0] in _TOP_LEVEL and wheel != repository:
                return "/".join(rest), name, rev, True  # `sglang/docs/x.md`: the checkout, not the package.
            return "/".join((*repository, *rest)), name, rev, True
        if engine is not None:
            return "/".join(segments), engine, rev, True
        if installed:
            return "", None, None, False  # Another package's file.
        for index, segment in enumerate(segments[:-1]):
            if segment.lower() in self.by_name and segments[index + 1] in _TOP_LEVEL:
                return "/".join(segments[index + 1 :]), self.by_name[segment.lower()], rev, True
        if segments[0] in ("a", "b") and len(segments) > 2:
            segments = segments[1:]
        return "/".join(segments), None, rev, segments[0] in _TOP_LEVEL and len(segments) > 1


def has_file_name(text: str) -> bool:
    """Whether a text holds the name of a file that `PathReader.find` may find."""
    return _DOT.search(text) is not None or ("file" in text and _NAMED.search(text) is not None)


def _find_root(segments: list[str], root: tuple[str, ...], *, last: bool) -> int | None:
    """Where the package's folder begins. `vllm/vllm/` is checkout and package; a path from the file system's root
    may hold the name before (`/home/vllm/…`), so that there the last place counts."""
    size = len(root)
    places = [i for i in range(len(segments) - size) if tuple(segments[i : i + size]) == root]
    if not places:
        return None
    if size == 1:
        for i in places:
            if i + 1 in places:
                return i + 1
        # `vllm/tests/x.py` is the checkout's folder of tests, not the package's.
        places = [i for i in places if segments[i + 1] not in ("tests", "docs", "csrc", "examples", "benchmarks")] or []
        if not places:
            return None
    return places[-1] if last else places[0]


def is_revision(word: str) -> bool:
    """Whether a word has the shape of a commit, full or abbreviated."""
    return _HEX.fullmatch(word) is not None and not word.isdigit()
