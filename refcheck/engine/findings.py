"""Findings: a verdict with the tree it was computed on, and with identifiers of the place that outlive the run."""

from __future__ import annotations

from ..locate.reader import TreeReader
from ..model.place import Place
from ..model.report import Finding, FindingKind
from ..model.swhid import content_swhid
from ..model.verdict import Verdict, place_of
from .trees import Trees


def finding(
    id_: str,
    kind: FindingKind,
    verdict: Verdict,
    trees: Trees,
    reader: TreeReader | None,
    *,
    cited: Place | None = None,
    claim_kind: str | None = None,
    words: str | None = None,
    document: str | None = None,
    line: int | None = None,
    column: int | None = None,
    end_line: int | None = None,
    end_column: int | None = None,
    quoted: tuple[str, ...] = (),
    counted: bool = True,
) -> Finding:
    """One finding; permalink and SWHID are those of the place that the verdict found."""
    permalink = swhid = None
    found = place_of(verdict)
    if reader is not None and found is not None and found.lines is not None and reader.tree.has(found.path):
        permalink, swhid = identifiers(trees, reader, found)
    return Finding(
        id=id_,
        kind=kind,
        verdict=verdict,
        engine=reader.tree.source.engine if reader is not None else None,
        source=trees.index(reader) if reader is not None else None,
        claim_kind=claim_kind,
        document=document,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        cited=cited,
        words=words,
        quoted=quoted,
        permalink=permalink,
        swhid=swhid,
        counted=counted,
    )


def identifiers(trees: Trees, reader: TreeReader, place: Place) -> tuple[str | None, str | None]:
    """Permalink (only where a commit was read) and SWHID of lines."""
    assert place.lines is not None
    engine = trees.engine(reader.tree.source.engine)
    commit = reader.tree.source.commit
    link = engine.permalink(commit, place.path, place.lines.first, place.lines.last) if commit else None
    blob = reader.tree.paths()[place.path]
    swhid = content_swhid(blob, path=place.path, lines=place.lines, origin=engine.web, commit=commit)
    return link, swhid
