"""The edition's claims, from its recorded words or from the document's own."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..claims.check import check_claim, paths_of, validate_claims
from ..claims.context import Context
from ..config.edition import ClaimEntry, Edition, engines_of
from ..locate.reader import TreeReader
from ..locate.search import searched_paths
from ..model import codes
from ..model.report import Finding, FindingKind
from ..model.verdict import Holds, Undecided, Verdict, place_of
from .beside import beside, can_fork
from .findings import finding
from .trees import Trees

ANCHORED = ("quote", "location")
_FIGURE = re.compile(r"\d{1,30}(?:\.\d{1,30})?")
WORTH_A_PROCESS = 12
"""Fewer claims on either side are judged sooner than a second process begins."""


def own_claims(edition: Edition) -> tuple[ClaimEntry, ...]:
    """The claims that are not an anchor's own quote or location."""
    return tuple(c for c in edition.claims if c.anchor is None or c.check["kind"] not in ANCHORED)


def prepare_claims(edition: Edition, trees: Trees) -> None:
    """Validates the claims and loads what they will read, in one batch per engine."""
    claims = own_claims(edition)
    validate_claims(claims)
    paths, scopes = paths_of(claims)
    for engine in sorted(set(paths) | set(scopes)):
        if engine not in trees.readers:
            continue
        tree = trees.at(engine, None).tree
        wanted = set(paths.get(engine, ()))
        if scopes.get(engine):
            wanted.update(searched_paths(tree, sorted(scopes[engine])))
        wanted.update(anchor.place.path for anchor in edition.anchors if anchor.engine == engine)
        tree.prefetch(sorted(wanted))


def _reader_of(claim: ClaimEntry, verdict: Verdict, trees: Trees) -> TreeReader | None:
    """The tree of the engine that the claim is about: of several, the one that has the place that was found."""
    named = [trees.readers[name] for name in dict.fromkeys(engines_of(claim.check)) if name in trees.readers]
    place = place_of(verdict)
    if len(named) > 1:
        named = [reader for reader in named if place is not None and reader.tree.has(place.path)]
    return named[0] if len(named) == 1 else None


def check_claims(
    edition: Edition,
    trees: Trees,
    *,
    with_transformers: bool = False,
    check_links: bool = False,
    stated: Mapping[str, str] | None = None,
) -> list[Finding]:
    """A finding for each claim that is not an anchor's own. `stated` has words that a document states instead."""
    found: list[Finding] = []
    context = Context(
        readers=trees.readers,
        with_transformers=with_transformers,
        check_links=check_links,
        missing={},
        anchors=edition.by_id,
    )
    claims = own_claims(edition)
    words_of = {claim.id: (stated or {}).get(claim.id) or " … ".join(claim.words) or None for claim in claims}
    verdicts = _verdicts(claims, words_of, context)
    for claim, judged_by_words in zip(claims, verdicts, strict=True):
        words = words_of[claim.id]
        verdict = _with_its_figures(claim, words, judged_by_words, context)
        reader = _reader_of(claim, verdict, trees)
        judged = not (isinstance(verdict, Undecided) and verdict.code is codes.JUDGEMENT)
        found.append(
            finding(
                claim.id,
                FindingKind.CLAIM,
                verdict,
                trees,
                reader,
                claim_kind=str(claim.check["kind"]),
                words=words,
                counted=judged,
            )
        )
    return found


def _with_its_figures(claim: ClaimEntry, words: str | None, verdict: Verdict, context: Context) -> Verdict:
    """The verdict, unless it holds for words with another figure that the check has no use for.

    That is found by asking once more for the recorded words: a check that looks at the figure says something else.
    """
    recorded = " … ".join(claim.words)
    if not isinstance(verdict, Holds) or words is None or words == recorded:
        return verdict
    ours, theirs = (_FIGURE.findall(unicodedata.normalize("NFKC", text)) for text in (recorded, words))
    other = [(a, b) for a, b in zip(ours, theirs, strict=False) if float(a) != float(b)]
    if not other or len(ours) != len(theirs) or check_claim(claim, context.with_words(recorded)) != verdict:
        return verdict
    figure, stated = other[0]
    return Undecided(
        f"the page says {stated} where the claim has {figure}, and its check does not look at that figure",
        codes.NOT_CHECKABLE,
    )


def _verdicts(claims: Sequence[ClaimEntry], words: Mapping[str, str | None], context: Context) -> list[Verdict]:
    """The verdict on each claim; those on the engine with most claims here, the others in a second process."""

    def judge(some: Iterable[ClaimEntry]) -> list[Verdict]:
        return [check_claim(claim, context.with_words(words[claim.id])) for claim in some]

    named = {claim.id: frozenset((*engines_of(claim.check), *engines_of(claim.generous))) for claim in claims}
    counts = Counter(engine for engines in named.values() for engine in engines)
    most = max(sorted(counts), key=lambda engine: counts[engine], default=None)
    here = [claim for claim in claims if most in named[claim.id]]
    apart = [claim for claim in claims if most not in named[claim.id]]
    # Models and connections are not to be had twice.
    alone = context.with_transformers or context.check_links
    if alone or min(len(here), len(apart)) < WORTH_A_PROCESS or not can_fork():
        return judge(claims)

    def judge_apart() -> list[Verdict]:
        for reader in context.readers.values():
            forget = getattr(reader.tree, "forget", None)
            if forget is not None:
                forget()  # git talks to the first process
        return judge(apart)

    answer = beside(judge_apart)
    try:
        own = judge(here)
    finally:
        others = answer()
    found = dict(zip([claim.id for claim in (*here, *apart)], (*own, *others), strict=True))
    return [found[claim.id] for claim in claims]
