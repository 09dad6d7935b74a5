"""The works that are measured, each with the target that was set for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

RELEASE = "vllm=release:0.28.0"


@dataclass(frozen=True, slots=True)
class Work:
    """`arguments` are refcheck's. `fresh` removes what earlier runs kept before each run; `seconds` and `mebibytes`
    are the target, `of` and `times` compare with another work's time."""

    name: str
    arguments: tuple[str, ...]
    seconds: float | None = None
    mebibytes: float | None = None
    of: str | None = None
    times: float | None = None
    fresh: bool = False
    codes: tuple[int, ...] = (0, 1)

    @property
    def target(self) -> str:
        parts = []
        if self.seconds is not None:
            parts.append(f"{self.seconds:g} s")
        if self.of is not None:
            parts.append(f"{self.times:g}x of `{self.of}`" if self.times != 1 else f"not above `{self.of}`")
        if self.mebibytes is not None:
            parts.append(f"{self.mebibytes:g} MB")
        return ", ".join(parts)


def works(pages: Path, anchors: tuple[str, ...], chapter: Path | None) -> tuple[Work, ...]:
    """`anchors` are the ids of the packaged edition's; `chapter` is its text, where it is at hand."""
    edition = ("verify", "--edition", "decode-loop", "--offline")
    only = tuple(part for one in anchors for part in ("--only", one))

    def verify(page: str) -> tuple[str, ...]:
        return ("verify", str(pages / page), "--pin", RELEASE, "--offline")

    found = [
        Work("--version", ("--version",), 0.1, codes=(0,)),
        Work(f"edition: its {len(anchors)} anchors", (*edition, *only), 0.8),
        Work("edition: anchors and all claims", edition, 3),
        Work("2,000 citations with quotes", verify("2000.md"), 2, 100, fresh=True),
        Work("2,000 again", verify("2000.md"), of="2,000 citations with quotes", times=0.5),
        Work(
            "2,000, other release",
            ("verify", str(pages / "2000.md"), "--pin", "vllm=release:0.27.1", "--offline"),
            fresh=True,
        ),
        Work(
            "20,000 citations",
            verify("20000.md"),
            mebibytes=300,
            of="2,000 citations with quotes",
            times=11,
            fresh=True,
        ),
        Work("20,000 again", verify("20000.md"), of="20,000 citations", times=1),
        Work("500 blocks, found in the tree", verify("blocks-500.md"), 6, fresh=True),
        Work("500 blocks again", verify("blocks-500.md"), of="500 blocks, found in the tree", times=1),
    ]
    if chapter is not None:
        # Its own anchors and claims: judged anew each time.
        found.insert(
            3, Work("chapter: quotes, anchors, all claims", ("verify", str(chapter), *edition[1:]), 3, fresh=True)
        )
        found.insert(
            4,
            Work(
                "chapter again",
                ("verify", str(chapter), *edition[1:]),
                of="chapter: quotes, anchors, all claims",
                times=1,
            ),
        )
    return tuple(found)
