"""Reports made by hand: every verdict, every kind of evidence, and text that attacks its reader.

The engine in them is made up.
"""

from __future__ import annotations

from dataclasses import replace

from refcheck.model import codes
from refcheck.model.evidence import (
    Comparison,
    CounterExamples,
    Difference,
    DiffLine,
    Note,
    SourceLines,
    Values,
)
from refcheck.model.place import LineRange, Place
from refcheck.model.report import Finding, FindingKind, NotJudged, Report
from refcheck.model.tree import SourceKind, SourceRead
from refcheck.model.verdict import Changed, Contradicted, Gone, Holds, Imprecise, Level, Moved, Undecided

COMMIT = "0123456789abcdef0123456789abcdef01234567"
OTHER = "89abcdef0123456789abcdef0123456789abcdef"
BLOB = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"

SOURCES = (
    SourceRead(
        engine="alpha",
        pin=COMMIT,
        read=COMMIT,
        kind=SourceKind.COMMIT,
        exact=True,
        why="fetched from the repository",
        origin="https://example.org/alpha/alpha.git",
        received_bytes=123456,
    ),
    SourceRead(
        engine="beta",
        pin=OTHER,
        read="release:0.5.18",
        kind=SourceKind.RELEASE,
        exact=False,
        why="the commit could not be fetched; this is the edition's nearest release",
        origin="https://example.org/beta/beta.git",
        archive="beta-0.5.18.tar.gz",
        digest="sha256:" + "ab" * 32,
        notes=("line numbers are not judged on a release that is not the pin",),
    ),
)

PUSH = (
    "def push(self, item: Item) -> None:",
    "    if len(self.items) >= self.limit:",
    '        raise Full("queue is full")',
    "    self.items.append(item)",
)


def place(path: str, first: int, last: int, symbol: str | None = None) -> Place:
    return Place(path, LineRange(first, last), symbol)


def full_report() -> Report:
    """One finding at least of every verdict, and one piece at least of every kind of evidence."""
    queue = "alpha/sched/queue.py"
    link = f"https://example.org/alpha/alpha/blob/{COMMIT}/{queue}"
    findings = (
        Finding(
            "queue-push",
            FindingKind.QUOTE,
            Holds(
                "the four quoted lines stand where they are cited",
                found=place(queue, 20, 23, "Queue.push"),
                evidence=(SourceLines(place(queue, 20, 23, "Queue.push"), PUSH),),
            ),
            engine="alpha",
            source=0,
            document="docs/chapter.html",
            line=12,
            column=5,
            end_line=16,
            end_column=1,
            cited=place(queue, 20, 23),
            words="The queue refuses an item when it is full:",
            quoted=PUSH,
            permalink=f"{link}#L20-L23",
            swhid=f"swh:1:cnt:{BLOB};origin=https://example.org/alpha/alpha.git;anchor=swh:1:rev:{COMMIT};"
            f"path=/{queue};lines=20-23",
        ),
        Finding(
            "queue-drain",
            FindingKind.QUOTE,
            Moved(
                "the text is intact 12 lines further down",
                found=place(queue, 52, 53, "Queue.drain"),
                evidence=(SourceLines(place(queue, 52, 53, "Queue.drain"), ("while self.items:", "    self.pop()")),),
            ),
            engine="alpha",
            source=0,
            document="docs/chapter.html",
            line=30,
            column=1,
            end_line=30,
            end_column=28,
            cited=place(queue, 40, 41),
            words="It is drained in queue.py:L40-L41 before the worker stops.",
            quoted=("while self.items:", "    self.pop()"),
            permalink=f"{link}#L52-L53",
        ),
        Finding(
            "limit-line",
            FindingKind.QUOTE,
            Changed(
                "1 of 3 quoted lines differs",
                found=place(queue, 70, 72, "Queue.room"),
                evidence=(
                    Difference(
                        place(queue, 70, 72, "Queue.room"),
                        (
                            DiffLine(" ", "def room(self) -> int:", 70),
                            DiffLine("-", "    limit = self.budget - self.used"),
                            DiffLine("+", "    limit = max(0, self.budget - self.used)", 71),
                            DiffLine(" ", "    return limit", 72),
                        ),
                        similarity=0.83,
                    ),
                ),
            ),
            engine="alpha",
            source=0,
            document="docs/chapter.html",
            line=44,
            column=1,
            end_line=48,
            end_column=1,
            cited=place(queue, 70, 72),
            words="What is left is the budget less what is used:",
            quoted=("def room(self) -> int:", "    limit = self.budget - self.used", "    return limit"),
            permalink=f"{link}#L70-L72",
        ),
        Finding(
            "worker-wake",
            FindingKind.LOCATION,
            Gone(
                "no function of this name and none of its lines",
                evidence=(Note("Worker.wake was last seen in release 0.4.0", LineRange(90, 99)),),
                twins=(place("beta/cpu/worker.py", 90, 99, "CpuWorker.wake"),),
                code=codes.COPY_ELSEWHERE,
            ),
            engine="beta",
            source=1,
            document="docs/chapter.html",
            line=60,
            column=9,
            cited=place("beta/worker.py", 90, 99, "Worker.wake"),
            words="The worker is woken by Worker.wake (beta/worker.py:L90-L99).",
        ),
        Finding(
            "C010",
            FindingKind.CLAIM,
            Contradicted(
                "the default is 128, not 64",
                evidence=(
                    Comparison("default of Config.max_items", "64", "128"),
                    SourceLines(place("alpha/config.py", 14, 14, "Config.max_items"), ("    max_items: int = 128",)),
                ),
                found=place("alpha/config.py", 14, 14, "Config.max_items"),
            ),
            engine="alpha",
            source=0,
            claim_kind="default",
            document="docs/chapter.html",
            line=72,
            column=14,
            words="the queue holds 64 items by default",
        ),
        Finding(
            "C011",
            FindingKind.CLAIM,
            Contradicted(
                "two callers do not hold the lock",
                evidence=(
                    CounterExamples(
                        (
                            (place("alpha/api.py", 5, 5, "enqueue"), "queue.push(item)"),
                            (place("alpha/cli.py", 8, 8), "queue.push(line)"),
                        ),
                        total=7,
                    ),
                ),
            ),
            engine="alpha",
            source=0,
            claim_kind="call",
            document="docs/chapter.html",
            line=75,
            column=1,
            words="every caller of push holds the lock",
            baseline=True,
        ),
        Finding(
            "C012",
            FindingKind.CLAIM,
            Imprecise(
                "7.38 GB rounds to 7.4, not 7.3",
                codes.IMPRECISE_NUMBER,
                evidence=(
                    Comparison("cache at 2,560 tokens", "7.3 GB", "7.38 GB"),
                    Values((("layers", "32"), ("kv heads", "8"), ("exact", "7,381,975,040 B"))),
                ),
            ),
            claim_kind="number",
            document="docs/second.md",
            line=3,
            column=40,
            words="the cache takes 7.3 GB",
        ),
        Finding(
            "head-link",
            FindingKind.LINK,
            Imprecise("the link names the branch main", codes.UNPINNED, found=place(queue, 20, 20, "Queue.push")),
            engine="alpha",
            source=0,
            document="docs/second.md",
            line=9,
            column=3,
            cited=place(queue, 20, 20),
            words="see the source",
        ),
        Finding(
            "return-self",
            FindingKind.QUOTE,
            Undecided(
                "the line stands at two places",
                codes.AMBIGUOUS,
                candidates=(place("beta/a.py", 3, 3, "A.get"), place("beta/b.py", 33, 33, "B.get")),
            ),
            engine="beta",
            source=1,
            document="docs/second.md",
            line=20,
            column=1,
            words="It returns itself:",
            quoted=("return self",),
        ),
        Finding(
            "C061",
            FindingKind.CLAIM,
            Undecided("needs the optional extra `transformers`", codes.OPTIONAL),
            claim_kind="behaviour",
            words="a library with five million users does the same",
        ),
        Finding(
            "C062",
            FindingKind.CLAIM,
            Undecided("needs the optional extra `transformers`", codes.OPTIONAL),
            claim_kind="behaviour",
            words="and so does its cache",
            counted=False,
        ),
        Finding(
            "C001",
            FindingKind.CLAIM,
            Holds(
                "the mini decode loop agrees over 60 steps",
                evidence=(Values((("largest difference", "3.8e-15"), ("steps", "60"))),),
            ),
            claim_kind="behaviour",
            words="without a cache each step recomputes every earlier key and value",
        ),
    )
    return Report(
        edition="decode-loop",
        sources=SOURCES,
        findings=findings,
        exit_code=1,
        not_judged=(
            NotJudged("C061", "needs the optional extra `transformers`"),
            NotJudged("C062", "needs the optional extra `transformers`"),
        ),
        documents=("docs/chapter.html", "docs/second.md"),
        absent_words=2,
        notes=("1 citation stands under a `refcheck: ignore` comment",),
        history=history(),
    )


def strict_report() -> Report:
    """As with `--strict`: what is undecided counts as an error."""
    report = full_report()
    findings = tuple(replace(f, level_override=Level.ERROR) if f.level is Level.WARNING else f for f in report.findings)
    return replace(report, findings=findings)


def empty_report() -> Report:
    return Report(edition=None, sources=(), findings=(), exit_code=2)


def history() -> dict[str, object]:
    revisions = ["0.4.0", "0.5.0", "0.5.18"]

    def cells(*verdicts: str) -> list[dict[str, object]]:
        return [
            {"rev": rev, "verdict": verdict, "path": "alpha/sched/queue.py", "first": 20 + i, "last": 23 + i}
            for i, (rev, verdict) in enumerate(zip(revisions, verdicts, strict=True))
        ]

    return {
        "schema": "refcheck-history/1",
        "engine": "alpha",
        "revisions": revisions,
        "rows": [
            {"id": "queue-push", "cells": cells("holds", "holds", "holds"), "broke_at": None},
            {"id": "limit-line", "cells": cells("holds", "moved", "changed"), "broke_at": "0.5.18"},
            {"id": "worker-wake", "cells": cells("holds", "undecided", "gone"), "broke_at": "0.5.18"},
        ],
    }


HOSTILE: dict[str, str] = {
    "ansi": "\x1b[2J\x1b]0;owned\x07red",
    "workflow command": "::error file=x::owned",
    "workflow command, indented": "  ::set-output name=x::owned",
    "old workflow command": "##[error]owned ##vso[task.complete]",
    "closing script": "</script><script>window.owned=1</script>",
    "closing style and comment": "</style>--><img src=x onerror=window.owned=1><!--",
    "handler": '"><svg onload=window.owned=1 x="',
    "template": "{{ 7*7 }}{% raw %}",
    "markdown table": "a | b ` c `` d ``` e",
    "markdown link": "[x](javascript:owned) ![i](http://evil/x.png) <https://evil>",
    "markdown fence": "```\n</details>\n# owned",
    "mention": "@everyone fixes #1 and GH-2, see owner/repo#3",
    "formula": '=HYPERLINK("http://evil","x")',
    "rich markup": "[bold red]owned[/] [link=http://evil]x[/link]",
    "right to left override": "user\u202e\u2066// admin\u2069\u2066",
    "zero width": "ad\u200bmin\ufeff",
    "null": "a\x00b",
    "line ends": "a\r\nb\rc\x0bd\x85e\u2028f",
    "xml": "]]><x/>&amp;",
    "not utf-8": "caf\udce9",
    "noncharacter": "\ufffe\uffff",
    "dollars": "$x$ and $$y$$",
    "percent": "100%0A::error::owned",
    "wide": "漢字と🙂",
}


def hostile_report(text: str) -> Report:
    """The text wherever a report carries foreign text."""
    name = text.replace("\n", "\\n") or "x"
    where = Place(name, LineRange(1, 2), text)
    evidence = (
        SourceLines(where, (text, text), text),
        Values(((text, text),)),
        Comparison(text, text, text),
        CounterExamples(((where, text),), 3),
        Difference(where, (DiffLine(" ", text, 1), DiffLine("-", text), DiffLine("+", text + "x", 2)), 0.5),
        Note(text, LineRange(3, 4)),
    )
    common = {
        "engine": text,
        "source": 0,
        "claim_kind": text,
        "document": text,
        "line": 1,
        "column": 2,
        "cited": where,
        "words": text,
        "quoted": (text, text),
        "permalink": f"https://example.org/{text}",
    }
    verdicts = (
        Holds(text, where, evidence),
        Imprecise(text, codes.RANGE_WIDER, where, evidence),
        Moved(text, where, evidence),
        Changed(text, where, evidence),
        Gone(text, evidence, (where,)),
        Contradicted(text, evidence, where),
        Undecided(text, codes.AMBIGUOUS, (where, where), evidence, where),
        Undecided(text, codes.NOT_CHECKABLE),
    )
    source = replace(SOURCES[0], engine=text, why=text, origin=f"https://example.org/{text}", notes=(text,))
    return Report(
        edition=text,
        sources=(source,),
        findings=tuple(
            Finding(f"{text}{i}", FindingKind.QUOTE, verdict, **common)  # type: ignore[arg-type]
            for i, verdict in enumerate(verdicts)
        ),
        exit_code=1,
        not_judged=(NotJudged(text, text),),
        documents=(text,),
        notes=(text,),
        history={
            "schema": "refcheck-history/1",
            "engine": text,
            "revisions": [text],
            "rows": [
                {
                    "id": text,
                    "cells": [{"rev": text, "verdict": "holds", "path": text, "first": 1, "last": 2}],
                    "broke_at": text,
                }
            ],
        },
    )


def many_findings(count: int) -> Report:
    """`count` findings over 20 documents: four of five hold."""
    base = full_report().findings
    findings = tuple(
        replace(
            base[0 if i % 5 else (i // 5) % len(base)],
            id=f"finding-{i:05d}",
            document=f"docs/page-{i % 20:02d}.md",
            line=1 + i // 20,
            column=1,
            end_line=None,
            end_column=None,
        )
        for i in range(count)
    )
    return replace(full_report(), findings=findings, documents=tuple(f"docs/page-{i:02d}.md" for i in range(20)))
