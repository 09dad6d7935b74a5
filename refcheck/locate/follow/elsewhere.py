"""Where lost texts stand in the other files of both trees: one pass over the files, none of them kept.

A text is looked for by its most telling line. Only files of the same kind are read; a file that is the same in both
trees is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, compress

from refcheck.locate.follow.contents import each
from refcheck.locate.follow.lines import Lines, dedent
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.scopes import Key, Scopes, common, scopes_of
from refcheck.model.place import LineRange, Place
from refcheck.model.source_text import SourceText
from refcheck.model.tree import Tree

_KINDS = (
    frozenset({".py", ".pyi"}),
    frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".cu", ".cuh", ".hip", ".inl"}),
    frozenset({".md", ".mdx", ".rst", ".txt"}),
    frozenset({".yaml", ".yml", ".json", ".toml"}),
)
_COMMON = 12
_HALF = 0.5
_MOST = 0.6
"""Shares of the longest lines of a definition by which a file has it."""


def kind_of(path: str) -> frozenset[str]:
    """The suffixes among which code may move."""
    suffix = "." + path.rpartition("/")[2].rpartition(".")[2].lower()
    for kind in _KINDS:
        if suffix in kind:
            return kind
    return frozenset({suffix})


@dataclass(frozen=True, slots=True)
class Sighting:
    """A lost text, intact, in some file: 1-based lines."""

    path: str
    first: int
    last: int

    @property
    def place(self) -> Place:
        return Place(self.path, LineRange(self.first, self.last))

    def keys(self, tree: Tree) -> tuple[Key, Key, Key]:
        """The definitions that enclose all of it, its first line, and its last line."""
        return enclosing(scopes_of(tree.read(self.path)), self.first - 1, self.last - 1)


def enclosing(scopes: Scopes, first: int, last: int) -> tuple[Key, Key, Key]:
    """The definitions around both rows, around the first, and around the last."""
    return (
        scopes.key(common(scopes, first, last)),
        scopes.key(scopes.chain(first)),
        scopes.key(scopes.chain(last)),
    )


@dataclass(slots=True)
class Wanted:
    """A text that its own file lost, without leading white space, and what is known of it there."""

    path: str
    keys: tuple[Key, Key, Key]
    lines: list[str]
    dedented: list[str]
    signature: str
    needle: str
    """The line that is looked for; empty where only the signature is."""
    second: str
    """Another line of the text that has to stand in the same file."""
    old: list[Sighting] = field(default_factory=list)
    new: list[Sighting] = field(default_factory=list)
    body: tuple[str, ...] = ()
    """Lines of a definition that is gone: another file with half of them has it now."""
    together: bool = False
    """Neither the signature nor the body says anything without the other."""
    signature_in: set[str] = field(default_factory=set)
    """Newer files that carry the definition's signature line, or half of its body, and did not before."""

    @property
    def key(self) -> Key:
        return self.keys[0]

    @property
    def common(self) -> bool:
        """Found so often that no sighting says anything; the search stops looking for it."""
        return len(self.old) >= _COMMON or len(self.new) >= _COMMON

    @classmethod
    def of(cls, pair_old: Lines, path: str, keys: tuple[Key, Key, Key], start: int, end: int, signature: str) -> Wanted:
        lines = [pair_old.text(i).lstrip() for i in range(start, end)]
        return cls(
            path,
            keys,
            lines,
            dedent([pair_old.text(i) for i in range(start, end)]),
            signature,
            max(lines, key=len),
            max((line for line in lines if line != max(lines, key=len)), key=len, default=lines[0]),
        )


@dataclass(slots=True)
class Lookup:
    """What one pass looks for: texts, and sample lines of files that are gone (line -> those files)."""

    wanted: list[Wanted]
    samples: Mapping[str, tuple[str, ...]]
    sample_hits: dict[str, dict[str, set[bytes]]] = field(default_factory=dict)
    """Gone file -> added file -> those of its telling sample lines that stand there."""
    telling_samples: dict[str, int] = field(default_factory=dict)
    """Gone file -> how many of its sample lines no other older file had."""


def search(lookup: Lookup, old: Tree, new: Tree) -> None:
    """Fill in the sightings of every wanted text and the hits of the sample lines."""
    suffixes = frozenset().union(
        *(kind_of(want.path) for want in lookup.wanted),
        *(kind_of(path) for files in lookup.samples.values() for path in files),
    )
    if not suffixes:
        return
    old_paths, new_paths = old.paths(), new.paths()
    of_tests = any(is_test(want.path) for want in lookup.wanted) or any(map(is_test, chain(*lookup.samples.values())))
    in_new = _of_kind(new_paths, suffixes, of_tests)
    in_old = [path for path in _of_kind(old_paths, suffixes, of_tests) if new_paths.get(path) != old_paths[path]]
    new.prefetch(in_new)
    old.prefetch(in_old)
    run = _Search(lookup)
    for path, data in zip(in_new, each(new, in_new), strict=True):
        run.newer(path, data, added=path not in old_paths, unchanged=old_paths.get(path) == new_paths[path])
    for path, data in zip(in_old, each(old, in_old), strict=True):
        run.older(path, data)
    run.conclude()


class _Search:
    """One pass over the files of both trees. Lines are compared without any white space first: that is fast."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._needles: dict[bytes, list[tuple[bytes, Wanted]]] = {}
        self._signatures: dict[bytes, list[int]] = {}
        self._bodies: dict[bytes, list[int]] = {}
        probes: set[bytes] = set()
        for index, want in enumerate(lookup.wanted):
            if want.needle:
                second = _bare(want.second)
                self._needles.setdefault(_bare(want.needle), []).append((second, want))
                probes.add(second)
            if want.signature:
                self._signatures.setdefault(_bare(want.signature), []).append(index)
            for line in want.body:
                self._bodies.setdefault(_bare(line), []).append(index)
        self._samples = {_bare(line): files for line, files in lookup.samples.items()}
        self._probes = frozenset(probes.union(self._needles, self._signatures, self._bodies, self._samples))
        self._hits: dict[str, set[bytes]] = {}
        self._ordinary: set[bytes] = set()
        """Sample lines that an older file other than theirs had as well."""
        self._named_now: dict[str, dict[int, set[bytes]]] = {}
        self._named_before: dict[str, dict[int, set[bytes]]] = {}

    def newer(self, path: str, data: bytes, *, added: bool, unchanged: bool) -> None:
        """A file of the newer tree; what stands in an unchanged one stood there before, and counts on both sides."""
        present = self._probes.intersection(_bare_lines(data))
        if not present:
            return
        if self._samples and (unchanged or added):
            sampled = set(present & self._samples.keys())
            if unchanged:
                self._ordinary |= sampled
            else:
                self._hits[path] = sampled
        for want, sighting in self._seen(path, data, present):
            want.new.append(sighting)
            if unchanged:
                want.old.append(sighting)
        if not unchanged:
            self._named_now[path] = self._named(present)

    def older(self, path: str, data: bytes) -> None:
        """A file of the older tree that the newer one does not have in that form."""
        present = self._probes.intersection(_bare_lines(data))
        if not present:
            return
        self._ordinary |= {line for line in present & self._samples.keys() if path not in self._samples[line]}
        for want, sighting in self._seen(path, data, present):
            want.old.append(sighting)
        self._named_before[path] = self._named(present)

    def _named(self, present: frozenset[bytes]) -> dict[int, set[bytes]]:
        """Which lines of whose definitions a file has: index of the text -> signature and lines of the body."""
        found: dict[int, set[bytes]] = {}
        for lines in (self._signatures, self._bodies):
            for line in present & lines.keys():
                for index in lines[line]:
                    found.setdefault(index, set()).add(line)
        return found

    def _seen(self, path: str, data: bytes, present: frozenset[bytes]) -> list[tuple[Wanted, Sighting]]:
        texts = [
            want
            for line in present & self._needles.keys()
            for second, want in self._needles[line]
            if second in present and not want.common
        ]
        return _sightings(SourceText.from_bytes(path, "", data), texts) if texts else []

    def conclude(self) -> None:
        """A line that other older files had as well does not say which file was renamed."""
        lookup = self._lookup
        for line, files in self._samples.items():
            if line not in self._ordinary:
                for gone in files:
                    lookup.telling_samples[gone] = lookup.telling_samples.get(gone, 0) + 1
        for path, lines in self._hits.items():
            for line in lines - self._ordinary:
                for gone in self._samples[line]:
                    lookup.sample_hits.setdefault(gone, {}).setdefault(path, set()).add(line)
        wanted = [(_bare(want.signature), frozenset(map(_bare, want.body)), want.together) for want in lookup.wanted]
        for path, named in self._named_now.items():
            before = self._named_before.get(path, {})
            for index, lines in named.items():
                signature, body, together = wanted[index]
                fresh = lines - before.get(index, set())
                has_name = bool(signature) and signature in fresh
                share = len(fresh & body) / max(1, len(body))
                if (has_name and share >= _MOST) if together else (has_name or share >= _HALF):
                    lookup.wanted[index].signature_in.add(path)


def _of_kind(paths: Iterable[str], suffixes: frozenset[str], of_tests: bool) -> list[str]:
    """Tests, often half of a tree, are read only for citations of tests: code of the engine does not move there."""
    ends = tuple(suffixes)
    return sorted(path for path in paths if path.endswith(ends) and (of_tests or not is_test(path)))


def is_test(path: str) -> bool:
    """Whether a file belongs to the tests, by its folder."""
    return "/test/" in path or "/tests/" in path or path.startswith(("test/", "tests/"))


def _bare(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape").translate(None, b" \t\r")


def _bare_lines(data: bytes) -> list[bytes]:
    """Lines without white space; one pass over the bytes, for most files have nothing that is looked for."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.translate(None, b" \t").split(b"\n")


def _sightings(source: SourceText, texts: list[Wanted]) -> list[tuple[Wanted, Sighting]]:
    every = list(map(str.lstrip, source.lines))
    rows = list(compress(range(len(every)), every))
    bare = list(filter(None, every))
    found: list[tuple[Wanted, Sighting]] = []
    for want in texts:
        offset = want.lines.index(want.needle)
        size = len(want.lines)
        at = -1
        while True:
            try:
                at = bare.index(want.needle, at + 1)
            except ValueError:
                break
            begin = at - offset
            if begin < 0 or bare[begin : begin + size] != want.lines:
                continue
            if dedent([source.lines[row] for row in rows[begin : begin + size]]) == want.dedented:
                found.append((want, Sighting(source.path, rows[begin] + 1, rows[begin + size - 1] + 1)))
    return found


def sample_lines(source: SourceText, most: int = 60) -> list[str]:
    """Long lines that stand once in a file, spread over it: enough to recognise it under another name."""
    counts: dict[str, int] = {}
    for line in source.lines:
        text = line.lstrip()
        if len(text) >= 24:
            counts[text] = counts.get(text, 0) + 1
    unique = [text for text, count in counts.items() if count == 1]
    step = max(1, len(unique) // most)
    return unique[::step][:most]


def resemblance(old: SourceText, new: SourceText) -> tuple[float, float]:
    """Shares of the older and of the newer file's telling lines that the other one has."""
    pair = Pair(old, new)
    mine = {k for i, k in enumerate(pair.old.keys) if pair.telling(pair.old, i)}
    theirs = {k for i, k in enumerate(pair.new.keys) if pair.telling(pair.new, i)}
    shared = len(mine & theirs)
    return shared / max(1, len(mine)), shared / max(1, len(theirs))
