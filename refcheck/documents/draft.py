"""A citation while it is being put together: what was read, before a path is inherited and a quote attached."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..model.document import Citation, Quote, Span
from ..model.place import LineRange


@dataclass(slots=True)
class Draft:
    """See `refcheck.model.document.Citation` for the fields; `piece`, `start` and `end` place it in its piece."""

    span: Span
    piece: int
    start: int
    end: int
    path: str | None
    form: str
    whole: bool = False
    first: int | None = None
    last: int | None = None
    placeholder: bool = False
    unreadable: bool = False
    label_problem: str | None = None
    engine: str | None = None
    rev: str | None = None
    inherited_rev: str | None = None
    symbol: str | None = None
    quote: Quote | None = None
    approximate: bool = False
    open_ended: bool = False
    first_digits: Span | None = None
    last_digits: Span | None = None
    rev_span: Span | None = None
    path_span: Span | None = None
    twins: list[Span] = field(default_factory=list)
    url: str | None = None
    inherited_from: str | None = None
    written_path: str | None = None
    candidates: tuple[str, ...] = ()
    repository: str | None = None
    branch: str | None = None
    label_lines: LineRange | None = None
    label_digits: tuple[Span, ...] = ()
    further_lines: tuple[LineRange, ...] = ()
    beside: str | None = None
    columns: tuple[Span, ...] = ()
    near: bool = False
    test_id: bool = False

    @property
    def lines(self) -> LineRange | None:
        first, last = self.first, self.last if self.last is not None else self.first
        if first is None or last is None or first < 1 or last < first:
            return None
        return LineRange(first, last)

    @property
    def problem(self) -> str | None:
        if self.placeholder:
            return "placeholder"
        if self.unreadable:
            return "unreadable range"
        if self.first is None:
            return None
        last = self.first if self.last is None else self.last
        if self.first == 0 or last == 0:
            return "zero"
        if last < self.first:
            return f"reversed {self.first}-{last}"
        return self.label_problem

    def finished(self, prose: int | None, text: str) -> Citation:
        """The citation, in the document `text`. Digits and revisions that markup breaks have no place to rewrite."""
        problem = self.problem
        spans = (self.first_digits, self.last_digits)
        if any(span is not None and not text[span.start : span.end].isdecimal() for span in spans):
            self.first_digits = self.last_digits = None
        self.twins = [span for span in self.twins if text[span.start : span.end].isdecimal()]
        if not all(text[span.start : span.end].isdecimal() for span in self.label_digits):
            self.label_digits = ()
        if self.rev_span is not None and _is_broken(text, self.rev_span, self.rev or self.branch or ""):
            self.rev_span = None
        if problem is None and self.path is None and self.candidates:
            problem = "ambiguous path"
        return Citation(
            span=self.span,
            path=self.path,
            lines=self.lines,
            engine=self.engine,
            rev=self.rev,
            inherited_rev=self.inherited_rev,
            symbol=self.symbol,
            quote=self.quote,
            form=self.form,
            unpinned=self.branch is not None and self.first is not None,
            approximate=self.approximate,
            open_ended=self.open_ended,
            problem=problem,
            first_digits=self.first_digits,
            last_digits=self.last_digits,
            rev_span=self.rev_span,
            path_span=self.path_span,
            twins=tuple(self.twins),
            url=self.url,
            prose=prose,
            inherited_from=self.inherited_from,
            written_path=self.written_path,
            candidates=self.candidates,
            repository=self.repository,
            branch=self.branch,
            label_lines=self.label_lines,
            label_digits=self.label_digits,
            further_lines=self.further_lines,
            beside=self.beside,
            columns=self.columns,
        )


def _is_broken(text: str, span: Span, revision: str) -> bool:
    """Whether markup stands inside of a revision as it is written."""
    written = text[span.start : span.end]
    return any(mark in written and mark not in revision for mark in "*_`~<>\n")
