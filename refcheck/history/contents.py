"""Versions of files by their blob ids: each is read, searched and hashed once, whatever the revisions that have it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ..locate.fingerprint import hash_of, lines_in
from ..locate.search import MAX_FILE_BYTES
from ..model.source_text import SourceText

KEPT_BYTES = 96 * 1024 * 1024
"""Contents are kept up to this size: the Python files of an engine fit, so that several searches read them once."""

KEPT_TEXT = 16 * 1024 * 1024
"""Decoded texts are kept up to so many characters: those that a general statement reads at each revision."""

Read = Callable[[str], bytes]
ReadMany = Callable[[Sequence[str]], Iterator[bytes]]


class Contents:
    """What is known of each blob. `read` is always of the moment that has the blob at the path."""

    def __init__(self, wanted: Collection[str] = ()) -> None:
        self._wanted = frozenset(wanted)
        self._bytes: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._texts: OrderedDict[tuple[str, str], SourceText] = OrderedDict()
        self._text_size = 0
        self._words: dict[bytes, dict[str, bool]] = {}
        self._hashes: dict[str, frozenset[str]] = {}
        self._wanted_lines: dict[bytes, str] = {}
        self._latest: dict[str, str] = {}

    def bytes_of(self, path: str, blob: str, read: Read) -> bytes:
        data = self._bytes.get(blob)
        if data is not None:
            self._bytes.move_to_end(blob)
            return data
        data = read(path)
        self._keep(blob, data)
        return data

    def _keep(self, blob: str, data: bytes) -> None:
        self._bytes[blob] = data
        self._size += len(data)
        while self._size > KEPT_BYTES and len(self._bytes) > 1:
            _, dropped = self._bytes.popitem(last=False)
            self._size -= len(dropped)

    def load(self, files: Iterable[tuple[str, str]], read_many: ReadMany) -> None:
        """Reads the contents of (path, blob) that are not kept, together."""
        absent = [(path, blob) for path, blob in files if blob not in self._bytes]
        if len(absent) > 1:
            for (_, blob), data in zip(absent, read_many([path for path, _ in absent]), strict=True):
                self._keep(blob, data)

    def answered(self, blob: str, words: Iterable[bytes], hashes: Collection[str]) -> bool:
        """Whether `hashes_in`, or `has_word` of each word, is known without the content."""
        return (not hashes or blob in self._hashes) and all(blob in self._words.get(word, ()) for word in words)

    def text(self, path: str, blob: str, read: Read) -> SourceText:
        found = self._texts.get((path, blob))
        if found is None:
            found = SourceText.from_bytes(path, blob, self.bytes_of(path, blob, read))
            self._texts[path, blob] = found
            self._text_size += len(found.text)
            while self._text_size > KEPT_TEXT and len(self._texts) > 1:
                _, dropped = self._texts.popitem(last=False)
                self._text_size -= len(dropped.text)
        else:
            self._texts.move_to_end((path, blob))
        return found

    def has_word(self, word: bytes, path: str, blob: str, read: Read) -> bool:
        """Whether the bytes contain the word."""
        known = self._words.setdefault(word, {})
        found = known.get(blob)
        if found is None:
            found = known[blob] = word in self.bytes_of(path, blob, read)
        return found

    def hashes_in(self, path: str, blob: str, read: Read) -> frozenset[str]:
        """Which of the wanted hashes are hashes of this version's lines; none in a huge generated file.

        Of a file that was looked at before, only the lines that are new to it are hashed.
        """
        found = self._hashes.get(blob)
        if found is None:
            data = self.bytes_of(path, blob, read)
            if len(data) > MAX_FILE_BYTES:
                found = frozenset()
            else:
                lines = lines_in(data)
                earlier = self._bytes.get(self._latest.get(path, ""))
                fresh = lines - lines_in(earlier) if earlier is not None else lines
                for line in fresh:
                    hashed = hash_of(line)
                    if hashed in self._wanted:
                        self._wanted_lines[line] = hashed
                found = frozenset(self._wanted_lines[line] for line in lines & self._wanted_lines.keys())
            self._hashes[blob] = found
        self._latest[path] = blob
        return found
