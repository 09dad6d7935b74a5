"""Citations as they stand at their own revision: what verifying said of each, before anything is followed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..model import codes
from ..model.document import Citation, Document
from ..model.place import LineRange, Place
from ..model.report import Finding, FindingKind, Report
from ..model.verdict import Holds, Imprecise, Undecided, Verdict

_WRONG_AT_BIRTH = frozenset({codes.WRONG_AT_BIRTH, codes.RANGE_OFF, codes.PARAPHRASE})


@dataclass(frozen=True, slots=True)
class Standing:
    """One citation. `place` is the file and lines that it means, `source` the index of the tree that was read.

    `problem` is what is wrong with it at its own revision: it is reported, and not followed. `id` is the finding's.
    `proved` says that something beside the numbers (a quote, a name) was compared with the place, and fits.
    """

    id: str
    document: Document
    citation: Citation
    engine: str | None
    source: int | None
    place: Place | None
    problem: Verdict | None = None
    proved: bool = False


def standings(documents: Sequence[Document], report: Report) -> tuple[Standing, ...]:
    """Every citation of the documents with its finding, in order.

    A citation that verifying has nothing to say about (an address of another project, say) is left out.
    """
    by_place: dict[tuple[str, int, int], list[Finding]] = {}
    for finding in report.findings:
        if finding.kind is FindingKind.LOCATION and finding.document and finding.line and finding.column:
            by_place.setdefault((finding.document, finding.line, finding.column), []).append(finding)
    found: list[Standing] = []
    for document in documents:
        for citation in document.citations:
            at = (document.name, *document.position(citation.span.start))
            one = _of(citation, by_place.get(at, ()))
            if one is not None:
                place = _place(one)
                problem = None if place is not None else one.verdict
                proved = isinstance(one.verdict, Holds) and one.verdict.code is codes.HOLDS
                at_place = place or one.cited
                found.append(Standing(one.id, document, citation, one.engine, one.source, at_place, problem, proved))
    return tuple(found)


def _of(citation: Citation, findings: Iterable[Finding]) -> Finding | None:
    for finding in findings:
        if finding.cited is not None and finding.cited.lines == citation.lines:
            return finding
    return None


def _place(finding: Finding) -> Place | None:
    """The lines to follow: the cited ones where they are right at their own revision, else None.

    Where another revision had to be read (a release that is not the pin), the place where the cited text was found
    there is as good a start; the numbers alone are not.
    """
    match finding.verdict:
        case Holds():
            return finding.cited
        case Imprecise(code=code):
            return None if code in _WRONG_AT_BIRTH else finding.cited
        case Undecided(code=codes.NOT_AT_THIS_REVISION, found=Place(lines=LineRange()) as found):
            return found
        case _:
            return None
