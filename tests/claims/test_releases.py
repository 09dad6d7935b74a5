"""The chapter's claims about source on releases around the pins, where the lines have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from refcheck.claims.check import check_claim
from refcheck.claims.context import Context
from refcheck.config.editions import find_edition
from refcheck.engine.claims import own_claims
from refcheck.locate.reader import TreeReader
from refcheck.model import codes
from refcheck.model.verdict import Undecided, Verdict, verdict_name

CHANGED = {
    # The property that the chapter quotes came with 0.28.0.
    ("0.27.1", "0.5.17"): {"C095": "gone", "C097": "gone"},
    # Backends no longer declare a shape; K and V of a layer are views of one allocation.
    ("0.33.0", "0.5.23"): {"C127": "contradicted", "C129": "gone", "C130": "gone", "C133": "contradicted"},
}
Opener = Callable[..., dict[str, TreeReader]]


def verdicts(readers: Mapping[str, TreeReader]) -> dict[str, Verdict]:
    edition = find_edition("decode-loop")
    about_source = [claim for claim in own_claims(edition) if claim.origin.rpartition(":")[0].endswith("source.yaml")]
    assert len(about_source) > 70
    return {
        claim.id: check_claim(claim, Context(readers, words=" … ".join(claim.words) or None, anchors=edition.by_id))
        for claim in about_source
    }


@pytest.fixture(scope="session")
def at_nearest(open_releases: Opener) -> dict[str, Verdict]:
    return verdicts(open_releases(vllm="0.28.0", sglang="0.5.18"))


@pytest.mark.index
@pytest.mark.parametrize(("vllm", "sglang"), list(CHANGED))
def test_verdicts_follow_the_code(
    vllm: str, sglang: str, open_releases: Opener, at_nearest: dict[str, Verdict]
) -> None:
    found = verdicts(open_releases(vllm=vllm, sglang=sglang))
    expected = {id_: verdict_name(verdict) for id_, verdict in at_nearest.items()} | CHANGED[vllm, sglang]
    assert {id_: verdict_name(verdict) for id_, verdict in found.items()} == expected


@pytest.mark.index
def test_nothing_is_undecided_but_what_cannot_be_decided(at_nearest: dict[str, Verdict]) -> None:
    undecided = {id_: v for id_, v in at_nearest.items() if isinstance(v, Undecided)}
    assert {v.code for v in undecided.values()} <= {codes.NOT_CHECKABLE, codes.OPTIONAL, codes.JUDGEMENT}
    assert len(undecided) == 10


@pytest.mark.index
def test_every_verdict_has_evidence(at_nearest: dict[str, Verdict]) -> None:
    bare = [id_ for id_, v in at_nearest.items() if not isinstance(v, Undecided) and not getattr(v, "evidence", ())]
    assert bare == []
