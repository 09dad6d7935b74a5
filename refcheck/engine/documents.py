"""Documents against the trees: their citations and quotes, and the edition's claims that their words carry."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from ..claims.cited import Cited, judge_location, judge_loosely, judge_quote
from ..config.edition import Anchor, ClaimEntry, Edition
from ..errors import SourceError
from ..locate.find import Differs, Found, Outcome, Several, find_text
from ..locate.fingerprint import parse_fingerprint
from ..locate.loosely import plain_lines
from ..locate.pattern import Pattern, is_elision
from ..locate.reader import TreeReader
from ..locate.resemble import Resemblance, resembling
from ..locate.search import searched_paths
from ..model import codes
from ..model.document import Citation, Document, Quote, Span
from ..model.evidence import Difference, Note
from ..model.place import Place
from ..model.report import Finding, FindingKind
from ..model.verdict import Gone, Holds, Imprecise, Level, Moved, Undecided, Verdict
from .altered import altered_quotes
from .anchors import claim_ids
from .claims import check_claims, own_claims, prepare_claims
from .content import (
    ContentQuote,
    ContentSearch,
    Hit,
    by_neighbouring_paths,
    may_be_engine_code,
    only_imports,
    patterns_of,
)
from .findings import finding, identifiers
from .known_anchors import KnownAnchors
from .meant_files import MeantFiles, Resolution
from .mentions import judge_bare_location, judge_named, no_such_name
from .other_shapes import find_in_other_shapes
from .paths import Ambiguous, Unknown
from .prose_index import ProseIndex
from .request import VerifyRequest
from .searches import Searches, SearchNeeded
from .stated import DocumentWords, Stated
from .traces import is_meant_as_quote, lines_that_stand, no_trace
from .trees import Trees

_INVENTED = re.compile(r"(?:my|your|new|foo|bar|example|custom)(?:[_-].*)?\.\w+\Z", re.IGNORECASE)
TELLING_LINES = 6
"""A block without a location and of fewer lines is a quote only where it stands in one place."""
NEARLY = 0.9
"""A block of which parts stand in an engine is a copy with a slip where this share of its lines does, in order."""
TWINS = 4
"""A text at more places is what an interface asks of everyone, an example of one's own included: no quote of any."""


@dataclass(frozen=True)
class Checked:
    """Findings of documents; `absent_words` counts the edition's claims that no document carries."""

    findings: list[Finding]
    absent_words: int
    notes: tuple[str, ...] = ()


def check_documents(request: VerifyRequest) -> Checked:
    """Every citation and quote of every document, in order, then the claims.

    What has to be looked for in whole trees is collected from all documents, so that each tree is searched once.
    """
    views = [request.trees.for_page(document) for document in request.documents]
    for reader in (reader for trees in views for reader in trees.readers.values()):
        reader.keeps = request.edition is not None and request.claims  # claims about many files follow
    searches = Searches(request.trees, request.announce)
    # An edition's anchors and claims are judged anew in each run: some of them depend on more than trees and texts.
    kept = request.kept if request.edition is None else None
    pairs = list(zip(request.documents, views, strict=True))
    known = [kept.findings(document, trees) if kept else None for document, trees in pairs]
    checks = [
        _DocumentCheck(document, request, trees, searches)
        for (document, trees), found in zip(pairs, known, strict=True)
        if found is None
    ]
    _load_cited_files(checks)
    for check in checks:
        check.begin()
    searches.run()
    for check in checks:
        check.settle()
    alike = _resembling_blocks(checks)
    findings: list[Finding] = []
    carried: set[str] = set()
    judged = iter(checks)
    for found in known:
        if found is None:
            check = next(judged)
            found = check.finish(alike)
            carried |= check.carried
            if kept:
                kept.put_findings(check.document, check.trees, check.other_revisions, found)
        findings += found
    edition = request.edition
    absent = len([c for c in edition.claims if c.id not in carried]) if edition else 0
    return Checked(findings, absent, tuple(note for trees in views for note in trees.notes))


Alike: TypeAlias = Mapping[int, Sequence[tuple[TreeReader, Resemblance]]]
"""By the identity of a block: the engines' files that it is nearly from."""


def _resembling_blocks(checks: Sequence[_DocumentCheck]) -> Alike:
    """The places that blocks without a location nearly stand at; one pass over each tree for all documents."""
    wanted: dict[int, tuple[TreeReader, tuple[str, ...], list[Quote]]] = {}
    for check in checks:
        for engine, reader in check.trees.readers.items() if check.unfound else ():
            roots = check.trees.engine(engine).source_roots
            wanted.setdefault(id(reader), (reader, roots, []))[2].extend(check.unfound)
    alike: dict[int, list[tuple[TreeReader, Resemblance]]] = {}
    for reader, roots, blocks in wanted.values():
        paths = searched_paths(reader.tree, roots)
        for block, near in zip(blocks, resembling([b.lines for b in blocks], reader, paths), strict=True):
            if near is not None:
                alike.setdefault(id(block), []).append((reader, near))
    return alike


def _load_cited_files(checks: Sequence[_DocumentCheck]) -> None:
    """One batch for every file that the documents cite."""
    wanted: dict[int, tuple[TreeReader, set[str]]] = {}
    for check in checks:
        for reader, path in check.cited_files():
            wanted.setdefault(id(reader), (reader, set()))[1].add(path)
    for reader, paths in wanted.values():
        reader.tree.prefetch(sorted(paths))


class _DocumentCheck:
    """One document's way through the trees."""

    def __init__(self, document: Document, request: VerifyRequest, trees: Trees, searches: Searches) -> None:
        self.document = document
        self.request = request
        self.trees = trees
        self.edition: Edition | None = request.edition
        self.carried: set[str] = set()
        self._ids: Mapping[tuple[str, str], str] = claim_ids(self.edition) if self.edition else {}
        self._searches = searches
        self._judged: dict[tuple[str, int], list[Finding]] = {}
        self._waiting: list[tuple[str, int]] = []
        self._shown: list[tuple[Quote, TreeReader, str]] = []
        """Quoted blocks, each with its file."""
        self._altered: list[tuple[Anchor, Quote]] = []
        anchors = self.edition.anchors if self.edition else ()
        self._files = MeantFiles(document, trees, anchors)
        self._resolved = [self._files.of(citation) for citation in document.citations]
        self._anchors = KnownAnchors(anchors, document.citations, self._resolved)

    @property
    def other_revisions(self) -> tuple[tuple[str, str], ...]:
        """(engine, revision) of what the citations name beside the run's pins."""
        named = {
            (engine, rev)
            for citation in self.document.citations
            for engine in ([citation.engine] if citation.engine else self.trees.asked)
            for rev in [self._files.revision(citation, engine)]
            if rev is not None and not self.trees.is_pin(engine, rev)
        }
        return tuple(sorted(named))

    def cited_files(self) -> Iterator[tuple[TreeReader, str]]:
        """The files that the citations mean, each as often as it is cited."""
        for resolved in self._resolved:
            if isinstance(resolved, tuple):
                yield resolved[0], resolved[1].path

    def begin(self) -> None:
        """Judges what the cited files alone decide, file by file, and notes the texts to be looked for in trees."""
        by_file: dict[int, tuple[TreeReader, dict[str, list[int]]]] = {}
        for number, resolved in enumerate(self._resolved):
            if isinstance(resolved, tuple):
                reader, where = resolved
                by_file.setdefault(id(reader), (reader, {}))[1].setdefault(where.path, []).append(number)
            else:
                self._attempt(("citation", number))
        for reader, numbers in by_file.values():
            for path in reader.load(sorted(numbers)):
                for number in numbers[path]:
                    self._attempt(("citation", number))
        self._blocks = ContentSearch(self.document, self.trees, self._searches)
        anchors = self.edition.anchors if self.edition else ()
        blocks = [block for block in self.document.quotes_by_content if may_be_engine_code(block)] if anchors else []
        self._altered = [one for block in blocks for one in altered_quotes(block, anchors)]
        for number in range(len(self._altered)):
            self._attempt(("altered", number))

    def settle(self) -> None:
        """Judges what waited for the searches, and notes the blocks that stand nowhere."""
        while self._waiting:
            # What was looked for may lead to a further text (the same quote read around its elisions).
            again, self._waiting = self._waiting, []
            self._searches.run()
            for item in again:
                self._attempt(item)
        self._quotes, unfound = self._blocks.result()
        self.unfound = [
            block
            for block in (*unfound, *self._blocks.in_part)
            if (block.fenced or block.language) and not any(block.span.contains(p.span) for _, p in self._altered)
        ]

    def finish(self, alike: Alike) -> list[Finding]:
        """All findings, in the order of the document."""
        found: list[Finding] = []
        own = [self._is_own_comment(citation) for citation in self.document.citations]
        for number, is_own in enumerate(own):
            found += [] if is_own else self._judged["citation", number]
        for quote in self._quotes:
            if not any(part.span.contains(quote.quote.span) for _, part in self._altered):
                found += self._content_quote(quote)
        for number in range(len(self._altered)):
            found += self._judged["altered", number]
        for block in self.unfound:
            for reader, near in alike.get(id(block), ()):
                found += self._resembling(block, reader, near)
        if self.edition is not None and self.request.claims:
            found += self._claims(self.edition)
        return sorted((f for f in found if not self._is_ignored(f)), key=lambda f: (f.line or 0, f.column or 0))

    def _is_own_comment(self, citation: Citation) -> bool:
        """Whether a location inside a quoted block stands in a comment of the engine's own."""
        if citation.form != "note" or citation.quote is not None:
            return False
        for quote, reader, path in self._shown:
            if quote.span.contains(citation.span) and reader.tree.has(path):
                row = bisect_right(quote.offsets, citation.span.start) - 1
                return quote.lines[row].strip() in reader.lines(path).texts
        return False

    def _is_ignored(self, one: Finding) -> bool:
        """Whether it stands where a `refcheck: ignore[reason]` comment says to look away."""
        if not self.document.ignored or one.line is None or one.column is None:
            return False
        at = self.document.offset(one.line, one.column)
        return self.document.ignored_because(Span(at, at + 1)) is not None

    def _attempt(self, item: tuple[str, int]) -> None:
        """Judges a citation or an altered quote; one that needs a search waits for it."""
        what, number = item
        try:
            if what == "citation":
                self._judged[item] = self._citation(self.document.citations[number], self._resolved[number])
            else:
                self._judged[item] = self._altered_quote(*self._altered[number])
        except SearchNeeded:
            self._waiting.append(item)

    # ---- citations that name a place

    def _citation(self, citation: Citation, resolved: Resolution) -> list[Finding]:
        """Raises SearchNeeded."""
        found: list[Finding] = []
        if citation.engine is None and citation.repository is not None:
            # An address of another project; it is no engine of this run (settings can make it one).
            return found
        if (differs := _label_differs(citation)) is not None:
            found.append(
                self._finding(
                    citation.span, FindingKind.LINK, differs, None, cited=Place(citation.path or "?", citation.lines)
                )
            )
        if citation.unpinned:
            found.append(self._unpinned(citation, resolved))
        if not isinstance(resolved, tuple):
            return found + self._without_file(citation, resolved)
        reader, where = resolved
        cited_place = Place(where.path, citation.lines, citation.symbol)
        anchor = self._anchors.of(citation, where)
        problem = _problem(citation, reader, where.path)
        if problem is not None:
            one = self._finding(citation.span, FindingKind.LOCATION, problem, reader, cited=cited_place)
            # Numbers that can be no place are a fault as they stand, whatever they were meant to be.
            impossible = problem.code is codes.IMPOSSIBLE_RANGE
            found.append(replace(one, level_override=Level.ERROR) if impossible else one)
            return found
        if citation.quote is not None and citation.quote.verbatim and not _only_marks(citation.quote):
            return found + self._located_quote(citation, citation.quote, reader, cited_place, anchor)
        verdict, anchor_used = self._location_only(citation, reader, cited_place, anchor)
        found.append(
            self._finding(citation.span, FindingKind.LOCATION, verdict, reader, cited=cited_place, anchor=anchor_used)
        )
        return found

    def _sketch(self, quote: Quote, outcome: Outcome, reader: TreeReader, cited: Place) -> Finding:
        """A block that names a file without lines and is hardly like it: a sketch, or code that is long gone."""
        kept = outcome.survivors if isinstance(outcome, Differs) else None
        lines, standing, _ = lines_that_stand(quote, reader, cited.path)
        how = f"{standing} of its {lines} lines of code stand in {cited.path}"
        found = Place(cited.path, kept.lines, reader.symbol_at(cited.path, kept.lines)) if kept else Place(cited.path)
        evidence = (Difference(found, kept.diff, kept.share),) if kept else ()
        verdict = Imprecise(f"not verbatim: {how}", codes.PARAPHRASE, found, evidence)
        return self._finding(quote.span, FindingKind.QUOTE, verdict, reader, cited=cited, quoted=quote.lines)

    def _without_file(self, citation: Citation, resolved: Ambiguous | Unknown | SourceError) -> list[Finding]:
        """A citation whose file cannot be told or is not there: a quote may still say where the text stands."""
        if (
            citation.lines is None
            and citation.rev is None
            and _INVENTED.match((citation.path or "").rpartition("/")[2])
        ):
            # A tutorial's file that the reader is to write.
            return []
        cited = Place(citation.path or "?", citation.lines, citation.symbol)
        verdict = self._files.unresolved(citation, resolved)
        quote = citation.quote
        if isinstance(resolved, Unknown) and quote is not None and quote.verbatim and not _only_marks(quote):
            hits = self._everywhere(quote)
            if len(hits) == 1:
                hit = hits[0]
                there = f"{citation.path} is not there; the text stands at {hit.place}"
                moved = Moved(there, hit.place)
                return [
                    self._finding(quote.span, FindingKind.QUOTE, moved, hit.reader, cited=cited, quoted=quote.lines),
                    self._finding(citation.span, FindingKind.LOCATION, moved, hit.reader, cited=cited),
                ]
            if len(hits) > 1:
                places = tuple(hit.place for hit in hits[:40])
                verdict = Undecided(
                    f"{citation.path} is not there, and the text stands at {len(hits)} places", codes.AMBIGUOUS, places
                )
        return [self._finding(citation.span, FindingKind.LOCATION, verdict, None, cited=cited)]

    def _everywhere(self, quote: Quote) -> list[Hit]:
        """Every place of a quote in every engine. Raises SearchNeeded."""
        patterns = [pattern for pattern in patterns_of(quote.lines) if pattern.solid >= 2]
        readers = list(self.trees.readers.values())
        for reader in readers:
            self._searches.want(reader, patterns)
        for pattern in patterns:
            hits = [Hit(r, path, match) for r in readers for path, match in self._searches.found(r, pattern)]
            if hits:
                return hits
        return []

    def _located_quote(
        self, citation: Citation, quote: Quote, reader: TreeReader, cited: Place, anchor: Anchor | None
    ) -> list[Finding]:
        """A quote with its location: its text against the tree, then its lines."""
        anchor = anchor or self._anchors.like(quote)
        symbol = citation.symbol or (anchor.place.symbol if anchor else None)
        outcome, pattern = self._find(quote, reader, cited, symbol)
        if outcome is None or pattern is None:
            return []
        self._shown.append((quote, reader, cited.path))
        if not isinstance(outcome, Found | Several) and anchor is None:
            loose = find_in_other_shapes(quote, reader, cited, symbol)
            if loose is not None:
                cites = Cited(cited.path, cited.lines, symbol)
                on_quote, on_lines = judge_loosely(loose, cites, reader)
                on_quote, on_lines = _in_its_symbol(on_quote, on_lines, citation, reader)
                both = [(FindingKind.QUOTE, quote.span, on_quote), (FindingKind.LOCATION, citation.span, on_lines)]
                return [
                    self._finding(span, kind, verdict, reader, cited=cited, quoted=quote.lines)
                    for kind, span, verdict in both
                    if verdict is not None
                ]
            plain, taken_off = plain_lines(quote.lines, quote.language)
            if taken_off and any(map(str.strip, plain)):
                # What differs is shown without the numbers or signs that the page puts before its lines.
                outcome, pattern = self._find(replace(quote, lines=plain), reader, cited, symbol)
                if outcome is None or pattern is None:
                    return []
        stray = anchor is None and no_trace(outcome)
        if stray and quote.attached in ("sentence", "title") and not is_meant_as_quote(quote, reader, cited):
            # A paragraph that ends in a location and a colon may introduce an example of one's own.
            verdict, _ = self._location_only(citation, reader, cited, None)
            return [self._finding(citation.span, FindingKind.LOCATION, verdict, reader, cited=cited)]
        if stray and cited.lines is None:
            return [self._sketch(quote, outcome, reader, cited)]
        cites = Cited(
            cited.path,
            cited.lines,
            symbol,
            bool(anchor and anchor.covers_symbol),
            anchor.cited_for_call if anchor else None,
        )
        on_quote = judge_quote(outcome, pattern, cites, reader)
        on_lines = judge_location(outcome, pattern, cites, reader) if cited.lines is not None else None
        if anchor is None:
            on_quote, on_lines = _in_its_symbol(on_quote, on_lines, citation, reader)
        found = [
            self._finding(
                quote.span, FindingKind.QUOTE, on_quote, reader, cited=cited, anchor=anchor, quoted=quote.lines
            )
        ]
        if on_lines is not None:
            found.append(
                self._finding(citation.span, FindingKind.LOCATION, on_lines, reader, cited=cited, anchor=anchor)
            )
        return found

    def _find(
        self, quote: Quote, reader: TreeReader, cited: Place, symbol: str | None
    ) -> tuple[Outcome | None, Pattern | None]:
        """The first of the quote's readings (literal, then around elisions) that stands somewhere; else the last."""
        search = self._searches.of(reader)
        best: tuple[Outcome | None, Pattern | None] = (None, None)
        patterns = list(patterns_of(quote.lines))
        for number, pattern in enumerate(patterns):
            outcome = find_text(
                pattern,
                reader,
                cited.path,
                symbol=symbol,
                lines=cited.lines if reader.tree.source.exact else None,
                search=search if number == len(patterns) - 1 else None,
            )
            best = (outcome, pattern)
            if isinstance(outcome, Found | Several):
                break
        return best

    def _location_only(
        self, citation: Citation, reader: TreeReader, cited: Place, anchor: Anchor | None
    ) -> tuple[Verdict, Anchor | None]:
        """A location without a quote: by the edition's anchor, by its symbol, or by what its sentence names."""
        if anchor is not None and anchor.fingerprint is not None and reader.tree.source.engine == anchor.engine:
            pattern = parse_fingerprint(anchor.fingerprint)
            outcome = find_text(
                pattern,
                reader,
                anchor.place.path,
                symbol=anchor.place.symbol,
                lines=cited.lines if reader.tree.source.exact else None,
                search=self._searches.of(reader),
            )
            cites = Cited(cited.path, cited.lines, anchor.place.symbol, anchor.covers_symbol, anchor.cited_for_call)
            return judge_location(outcome, pattern, cites, reader), anchor
        return judge_bare_location(self.document, citation, reader, cited), None

    def _unpinned(self, citation: Citation, resolved: object) -> Finding:
        """A branch link, with the permalink that would replace it where the run's tree is a commit."""
        link = None
        reader = None
        if isinstance(resolved, tuple):
            reader, where = resolved
            if citation.lines is not None:
                link, _ = identifiers(self.trees, reader, Place(where.path, citation.lines))
        tail = f"; a permalink would be {link}" if link else ""
        branch = f" {citation.branch}" if citation.branch else ""
        verdict = Imprecise(f"the link names the branch{branch}, whose lines change{tail}", codes.UNPINNED)
        cited = Place(citation.path or "?", citation.lines)
        return self._finding(citation.span, FindingKind.LINK, verdict, reader, cited=cited)

    # ---- quotes without a location

    def _content_quote(self, found: ContentQuote) -> list[Finding]:
        """One quote that was found by content: in one place, or where its paragraph says."""
        hits = found.hits
        notes: tuple[Note, ...] = ()
        anchor = self._anchors.like(found.quote)
        if len(hits) > 1:
            hits, why = by_neighbouring_paths(self.document, found)
            notes = (Note(why),) if why else ()
        if anchor is None and (only_imports(found.pattern) or (len(hits) != 1 and not _is_telling(found))):
            # An example imports what it uses, and has lines that stand in many places: no quote of any of them.
            return []
        if len(hits) != 1:
            places = tuple(hit.place for hit in found.hits[:40])
            verdict: Verdict = Undecided(
                f"the text stands at {len(found.hits)} places and nothing near it names one",
                codes.AMBIGUOUS,
                candidates=places,
            )
            return [
                self._finding(
                    found.quote.span,
                    FindingKind.QUOTE,
                    verdict,
                    found.hits[0].reader,
                    anchor=anchor,
                    quoted=found.quote.lines,
                )
            ]
        hit = hits[0]
        outcome = _found_outcome(hit)
        verdict = judge_quote(outcome, found.pattern, Cited(hit.path, None), hit.reader)
        if anchor is None and isinstance(verdict, Imprecise):
            # The page does not say that it shows a place as it is: blank lines are mentioned, and nothing more.
            verdict = Holds(verdict.message, hit.place, verdict.evidence)
        if notes and isinstance(verdict, Holds | Imprecise):
            verdict = replace(verdict, evidence=(*notes, *verdict.evidence))
        return [
            self._finding(
                found.quote.span,
                FindingKind.QUOTE,
                verdict,
                hit.reader,
                anchor=anchor,
                cited=anchor.place if anchor else None,
                quoted=found.quote.lines,
            )
        ]

    def _altered_quote(self, anchor: Anchor, quote: Quote) -> list[Finding]:
        """A part of a block that has most lines of a recorded quote, and not all: judged at that one's place."""
        if anchor.engine not in self.trees.readers:
            return []
        reader = self.trees.at(anchor.engine, None)
        outcome, pattern = self._find(quote, reader, anchor.place, anchor.place.symbol)
        if outcome is None or pattern is None:
            return []
        verdict = judge_quote(outcome, pattern, Cited(anchor.place.path, None, anchor.place.symbol), reader)
        return [
            self._finding(
                quote.span, FindingKind.QUOTE, verdict, reader, anchor=anchor, cited=anchor.place, quoted=quote.lines
            )
        ]

    def _resembling(self, block: Quote, reader: TreeReader, near: Resemblance) -> list[Finding]:
        """A block that is nearly a place of an engine: shown as its code, and not verbatim."""
        kept = near.survivors
        partly = any(block is whole for whole in self._blocks.in_part)
        cited = Place(near.path, None)
        loose = find_in_other_shapes(block, reader, cited, None)
        if loose is not None:
            verdict, _ = judge_loosely(loose, Cited(near.path, None), reader)
            return [self._finding(block.span, FindingKind.QUOTE, verdict, reader, quoted=block.lines)]
        if partly and kept.share < NEARLY:
            return []  # An example that was made from the engine's code says nothing about the rest of it.
        place = Place(near.path, kept.lines, reader.symbol_at(near.path, kept.lines))
        verdict = Imprecise(
            f"stands nowhere as it is; {kept.share:.0%} of its lines are those of {place}",
            codes.PARAPHRASE,
            place,
            (Difference(place, kept.diff, kept.share),),
        )
        return [self._finding(block.span, FindingKind.QUOTE, verdict, reader, quoted=block.lines)]

    # ---- the edition

    def _claims(self, edition: Edition) -> list[Finding]:
        """The claims whose words stand in the document, each judged by the document's own words, at its place."""
        words = DocumentWords(self.document)
        stated: dict[str, Stated] = {}
        for claim in edition.claims:
            if claim.words and (found := words.find(claim.words)) is not None:
                stated[claim.id] = found
        self.carried |= set(stated)
        own = [c for c in own_claims(edition) if c.id in stated]
        chosen = replace(edition, claims=tuple(own))
        prepare_claims(chosen, self.trees)
        findings = check_claims(
            chosen,
            self.trees,
            with_transformers=self.request.with_transformers,
            check_links=self.request.check_links,
            stated={claim.id: stated[claim.id].text for claim in own},
        )
        return [self._placed(f, stated[f.id], claim) for f, claim in zip(findings, own, strict=True)]

    def _placed(self, one: Finding, stated: Stated, claim: ClaimEntry) -> Finding:
        line, column = self.document.position(stated.span.start)
        end_line, end_column = self.document.position(stated.span.end)
        if stated.conflicts:
            other, span = stated.conflicts[0]
            at = self.document.position(span.start)[0]
            verdict = Undecided(
                f"the document states two figures: {stated.text!r} here and {other!r} in line {at}",
                codes.WORDS_DIFFER,
                evidence=(Note(one.verdict.message),),
            )
            one = replace(one, verdict=verdict)
        return replace(
            one,
            document=self.document.name,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
        )

    # ---- findings

    def _finding(
        self,
        span: Span,
        kind: FindingKind,
        verdict: Verdict,
        reader: TreeReader | None,
        *,
        cited: Place | None = None,
        anchor: Anchor | None = None,
        quoted: tuple[str, ...] = (),
    ) -> Finding:
        line, column = self.document.position(span.start)
        end_line, end_column = self.document.position(span.end)
        claim = self._ids.get((anchor.id, kind.value)) if anchor else None
        if reader is not None and reader.tree.source.stands_for_tag and not isinstance(verdict, Undecided):
            verdict = replace(verdict, evidence=(*verdict.evidence, Note(reader.tree.source.why)))
        id_ = claim or (anchor.id if anchor else f"{self.document.name}:{line}:{column}")
        if claim:
            self.carried.add(claim)
        return finding(
            id_,
            kind,
            verdict,
            self.trees,
            reader,
            cited=cited,
            claim_kind=kind.value if claim else None,
            words=self._sentence(span) if kind is not FindingKind.QUOTE else None,
            document=self.document.name,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
            quoted=quoted,
        )

    def _sentence(self, span: Span) -> str | None:
        """The running text around a span, cut to a readable length."""
        prose = self._prose.around(span)
        if prose is None:
            return self.document.text[span.start : span.end][:300]
        return prose.text if len(prose.text) <= 300 else prose.text[:297] + "..."

    @cached_property
    def _prose(self) -> ProseIndex:
        return ProseIndex(self.document.prose)


def _is_telling(found: ContentQuote) -> bool:
    """Whether a block that stands at several places is a quote of one of them, and not a habit that many share."""
    return found.whole and found.pattern.solid >= TELLING_LINES and len(found.hits) <= TWINS


def _in_its_symbol(
    on_quote: Verdict, on_lines: Verdict | None, citation: Citation, reader: TreeReader
) -> tuple[Verdict, Verdict | None]:
    """The verdicts, where the page names a definition with the place and the text that holds is another's."""
    last = on_quote if on_lines is None else on_lines
    if citation.symbol is None or not isinstance(last, Holds) or last.found is None or last.found.lines is None:
        return on_quote, on_lines
    named = judge_named(citation.symbol, reader, last.found) or no_such_name(citation.symbol, reader, last.found)
    if not isinstance(named, Imprecise):
        return on_quote, on_lines
    wrong = replace(named, message=f"{last.message}, but {named.message}")
    return (wrong, None) if on_lines is None else (on_quote, wrong)


def _label_differs(citation: Citation) -> Imprecise | None:
    """A link whose text names another file or other lines than its address."""
    if citation.problem is not None and "names another file" in citation.problem:
        return Imprecise(citation.problem, codes.LABEL_DIFFERS)
    if citation.label_lines is not None:
        return Imprecise(
            f"the link's text names {citation.label_lines}, its address {citation.lines}", codes.LABEL_DIFFERS
        )
    return None


def _only_marks(quote: Quote) -> bool:
    """A block of nothing but elision marks shows no code."""
    return all(is_elision(line) for line in quote.lines if line.strip())


def _found_outcome(hit: Hit) -> Outcome:
    return Found(hit.path, hit.match, hit.place.symbol)


def _problem(citation: Citation, reader: TreeReader, path: str) -> Verdict | None:
    """Numbers that cannot be a place: never filled in, reversed, zero, or past the end of the file."""
    if citation.problem is not None and _label_differs(citation) is None:
        said = f"the location is not usable as written: {citation.problem}"
        if not citation.problem.startswith(("reversed", "zero")):
            code = codes.PLACEHOLDER if "placeholder" in citation.problem else codes.AMBIGUOUS
            return Undecided(said, code)
        total = len(reader.text(path).lines)
        return Undecided(f"{said}; {path} has {total} line{'s' * (total != 1)}", codes.IMPOSSIBLE_RANGE)
    if citation.lines is None or citation.quote is not None:
        return None
    total = len(reader.text(path).lines)
    if reader.tree.source.exact and citation.lines.last > total:
        what = "is" if citation.lines.first > total else "runs"
        held = f"{total} line{'s' * (total != 1)}"
        return Gone(f"{path} has {held}, {citation.lines} {what} past its end", code=codes.IMPOSSIBLE_RANGE)
    return None
