"""Addresses of source lines: code hosts, redirectors, and what goes wrong when they are pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from ..config.engines import Engine
from ..model.document import Offsets
from .pieces import TextBuilder, through

URL = re.compile(
    r"(?:https?|vscode-webview|vscode|file)(?:://|%3A(?://|%2F%2F))[^\s<>\"`，。；、（）【】「」《》]{1,4000}",
    re.IGNORECASE,
)
_LINES = re.compile(
    r"#L(?P<a>\d{1,7})(?:C(?P<ca>\d{1,6}))?(?:(?P<dash>-{1,2}|–|:)L?(?P<b>\d{1,7})(?:C(?P<cb>\d{1,6}))?)?(?![A-Za-z0-9_])(?!-{1,2}L?\d)"
)
_QUERY_LINES = re.compile(r"[?&]L(?P<a>\d{1,7})(?:-L?(?P<b>\d{1,7}))?(?![A-Za-z0-9_])")
_PLACEHOLDER = re.compile(r"#L(?:\?+|X{2,4}|N{2,4})")
_UNREADABLE = re.compile(r"#L\d{1,7}(?:-{1,2}L?\d{1,7}){1,6}[A-Za-z0-9_]{0,40}")
_FORGE = re.compile(
    r"(?:https?://)?(?:www\.)?(?P<host>github\.com|gitlab\.com|gitee\.com|huggingface\.co|hf\.co|raw\.githubusercontent\.com|"
    r"codeberg\.org|[\w.-]{1,80})/(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100}?)(?:\.git)?/"
    r"(?:-/)?(?P<view>blob|blame|tree|raw|edit|src/commit|src/branch|src/tag)/(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_RAW = re.compile(
    r"https?://raw\.githubusercontent\.com/(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100})/(?P<rest>.*)", re.DOTALL
)
_SOURCEGRAPH = re.compile(
    r"https?://(?:www\.)?sourcegraph\.com/(?:r/)?(?:[\w.-]{1,60}\.[\w.-]{1,20}/)?(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100}?)"
    r"(?:@(?P<ref>[^/]{1,200}))?/-/(?:blob|tree)/(?P<path>[^?#]{1,1000})",
)
_REDIRECT = re.compile(
    r"[?&](?:target|q|url|u|to|link|dest|redirect(?:_url|_uri)?)=(?P<value>[^&]{1,4000})", re.IGNORECASE
)
_REDIRECTORS = (
    "link.zhihu.com",
    "google.",
    "link.juejin.cn",
    "link.csdn.net",
    "t.umblr.com",
    "l.facebook.com",
    "urldefense",
    "jianshu.com",
    "out.reddit.com",
    "slack-redir.net",
    "youtube.com/redirect",
    "linkedin.com",
    "gitcode",
    "bing.com",
    "duckduckgo.com",
)
_ESCAPE = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHORT = re.compile(r"[0-9a-f]{7,39}")
_TAG = re.compile(r"v?\d+\.\d+[\w.+-]*|[\w-]{1,40}[-/]v?\d+\.\d+[\w.+-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UrlLocation:
    """What an address names. Positions index the address as given; `rev` is the ref as written.

    `digits` are the (start, end) of the first and last number, `None` where there is one number only.
    """

    repository: str | None
    engine: str | None
    path: str
    rev: str | None
    branch: str | None
    first: int | None
    last: int | None
    first_digits: tuple[int, int] | None
    last_digits: tuple[int, int] | None
    columns: tuple[tuple[int, int], ...]
    path_span: tuple[int, int]
    rev_span: tuple[int, int] | None
    end: int
    """Where the address ends, a pasted full stop or bracket left out."""
    placeholder: bool = False
    unreadable: bool = False
    """The fragment's numbers are no range (`#L160-L165-L170`)."""

    @property
    def unpinned(self) -> bool:
        return self.branch is not None


def unescaped(url: str) -> tuple[str, Offsets]:
    """Percent-escapes decoded once, with the map to the address as written."""
    builder = TextBuilder()
    position = 0
    for match in _ESCAPE.finditer(url):
        if match.start() > position:
            builder.put(url[position : match.start()], position, match.start())
        value = unquote(match.group(), errors="replace")
        if len(value) * 3 == len(match.group()):
            for index, char in enumerate(value):
                builder.put(char, match.start() + 3 * index, match.start() + 3 * index + 3)
        else:
            builder.put(value, match.start(), match.end())
        position = match.end()
    if position < len(url):
        builder.put(url[position:], position, len(url))
    return builder.build()


class UrlReader:
    """Reads addresses, with the engines' repositories prepared once."""

    def __init__(self, engines: Mapping[str, Engine]) -> None:
        self.repositories: dict[str, str] = {}
        for engine in engines.values():
            match = re.search(r"[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$", engine.origin)
            if match:
                self.repositories.setdefault(match.group(1).lower(), engine.name)
            for name in engine.names:
                if "/" in name:
                    self.repositories.setdefault(name.lower(), engine.name)

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """The addresses in a text. A Markdown bracket or a quote after an address is not part of it."""
        if "://" not in text and "%3A" not in text:
            return
        for match in URL.finditer(text):
            start, end = match.span()
            for closer in ("](", ")]", "**", "'", "\\)", "|", "$"):
                cut = text.find(closer, start, end)
                if cut != -1:
                    end = cut
            yield start, end

    def read(self, url: str) -> UrlLocation | None:
        """What the address names, or None where it is not an address of a source file."""
        return self._read(url, Offsets.verbatim(0, len(url)), 3)

    def _read(self, url: str, offsets: Offsets, depth: int) -> UrlLocation | None:
        if depth and any(host in url[:200] for host in _REDIRECTORS):
            match = _REDIRECT.search(url)
            if match:
                value = match.group("value")
                begin = match.start("value")
                skip = re.match(r"(?:\\?\(|%28)?(?=https?)", value)
                begin += skip.end() if skip else 0
                # A fragment that was not escaped belongs to the inner address all the same.
                inner = url[begin:] if "#" in url[begin:] else url[begin : match.end("value")]
                plain, inner_offsets = unescaped(inner)
                shifted = Offsets(
                    inner_offsets.starts,
                    [p + begin for p in inner_offsets.places],
                    [e + begin for e in inner_offsets.ends],
                    inner_offsets.length,
                )
                return self._read(plain, through(shifted, offsets), depth - 1)
        if "%" in url and depth:
            plain, inner_offsets = unescaped(url)
            if plain != url:
                return self._read(plain, through(inner_offsets, offsets), 0)
        return self._located(url, offsets)

    def _located(self, url: str, offsets: Offsets) -> UrlLocation | None:
        lines = _LINES.search(url) or _QUERY_LINES.search(url)
        placeholder = _PLACEHOLDER.search(url) if lines is None else None
        unreadable = _UNREADABLE.search(url) if lines is None else None
        placeholder = placeholder or unreadable
        cut = url.find("#")
        body_end = len(url) if cut == -1 else cut
        query = url.find("?", 0, body_end)
        if query != -1:
            body_end = query
        body = url[:body_end]
        owner = name = ref = None
        ref_at = path_at = -1
        graph = _SOURCEGRAPH.match(body)
        if graph:
            owner, name, ref = graph.group("owner", "name", "ref")
            ref_at, path_at = graph.start("ref"), graph.start("path")
        else:
            raw = _RAW.match(body)
            forge = raw or _FORGE.match(body)
            if forge:
                owner, name = forge.group("owner"), forge.group("name")
                ref, ref_at, path_at = _split_ref(forge.group("rest"), forge.start("rest"))
            elif lines is not None and not body.lower().startswith("http"):
                return self._local(url, body, lines, offsets)
            else:
                return None
        if path_at < 0 or path_at >= len(body):
            return None
        path_end = len(body.rstrip("/.,;:!)]}*_'\"，。；：、）】」"))
        path = body[path_at:path_end]
        if not path:
            return None
        repository = f"{owner}/{name}"
        pinned = ref is None or _COMMIT.fullmatch(ref) or _SHORT.fullmatch(ref) or _TAG.fullmatch(ref)
        span = offsets.span(path_at, path_end)
        rev = None
        if ref is not None:
            # `refs/heads/main` is replaced as a whole: `refs/heads/` before a commit is no address.
            place = offsets.span(ref_at, ref_at + len(ref) if graph else path_at - 1)
            rev = (place.start, place.end)
        return self._make(
            url,
            offsets,
            lines,
            placeholder is not None,
            (placeholder.end() if placeholder else path_end),
            repository=repository,
            engine=self.repositories.get(repository.lower()),
            path=path,
            path_span=(span.start, span.end),
            rev=ref if pinned else None,
            branch=None if pinned else ref,
            rev_span=rev,
            unreadable=unreadable is not None,
        )

    def _local(self, url: str, body: str, lines: re.Match[str], offsets: Offsets) -> UrlLocation | None:
        """A relative address, or one of an editor's own scheme, with lines."""
        begin = 0
        scheme = re.match(r"[a-z-]+://[^/]*/", body)
        if scheme:
            begin = scheme.end()
        path = body[begin:]
        if not re.search(r"[A-Za-z0-9_]\.[A-Za-z0-9]{1,6}$|Dockerfile[\w.-]*$", path):
            return None
        span = offsets.span(begin, len(body))
        return self._make(
            url,
            offsets,
            lines,
            False,
            len(body),
            repository=None,
            engine=None,
            path=path,
            path_span=(span.start, span.end),
            rev=None,
            branch=None,
            rev_span=None,
        )

    @staticmethod
    def _make(
        url: str,
        offsets: Offsets,
        lines: re.Match[str] | None,
        placeholder: bool,
        end: int,
        *,
        repository: str | None,
        engine: str | None,
        path: str,
        path_span: tuple[int, int],
        rev: str | None,
        branch: str | None,
        rev_span: tuple[int, int] | None,
        unreadable: bool = False,
    ) -> UrlLocation:
        first = last = None
        first_digits = last_digits = None
        columns: list[tuple[int, int]] = []
        if lines is not None:
            end = lines.end()
            a = offsets.span(*lines.span("a"))
            first = last = int(lines.group("a"))
            first_digits = (a.start, a.end)
            if lines.group("b") is not None:
                b = offsets.span(*lines.span("b"))
                last, last_digits = int(lines.group("b")), (b.start, b.end)
            groups = lines.groupdict()
            for key in ("ca", "cb"):
                if groups.get(key):
                    column = offsets.span(*lines.span(key))
                    columns.append((column.start, column.end))
        stop = offsets.end(end - 1) if end else 0
        return UrlLocation(
            repository,
            engine,
            path,
            rev,
            branch,
            first,
            last,
            first_digits,
            last_digits,
            tuple(columns),
            path_span,
            rev_span,
            stop,
            placeholder,
            unreadable,
        )


def _split_ref(rest: str, at: int) -> tuple[str | None, int, int]:
    """(ref, where it begins with a prefix of git's, where the path begins). A branch's own slashes cannot be told
    from folders, but for the prefixes of git itself and for release branches."""
    begin = 0
    for prefix in ("refs/heads/", "refs/tags/"):
        if rest.startswith(prefix):
            begin = len(prefix)
    cut = rest.find("/", begin)
    if cut == -1:
        return None, -1, -1
    ref = rest[begin:cut]
    if ref in ("release", "releases", "feature", "dev", "fix"):
        further = rest.find("/", cut + 1)
        if further != -1 and (ref.startswith("release") and re.match(r"v?\d", rest[cut + 1 : further])):
            return rest[begin:further], at, at + further + 1
    return ref, at, at + cut + 1
