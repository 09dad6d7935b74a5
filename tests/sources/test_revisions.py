"""What a user may write for a revision."""

from __future__ import annotations

import pytest

from refcheck.config.engines import Engine
from refcheck.errors import SourceError
from refcheck.sources.open import open_tree
from refcheck.sources.revisions import resolve
from refcheck.sources.wanted import Options, UnknownRevision

from .conftest import MODULE, Redirect, Upstream, git, wanted


def test_names_of_the_remote(served: Upstream, head: str, engine: Engine, options: Options) -> None:
    git(served.work, "tag", "-a", "-m", "annotated", "v1.0")
    git(served.work, "tag", "light")
    served.commit({MODULE: b"later = 1\n"})
    later = git(served.work, "rev-parse", "HEAD")
    assert resolve(engine, "v1.0", options).rev == head
    assert resolve(engine, "light", options).rev == head
    found = resolve(engine, "main", options)
    assert (found.rev, found.why) == (later, "branch main")
    with open_tree(wanted(engine, "v1.0"), options) as tree:
        assert (tree.source.pin, tree.source.read) == (head, head)
        assert "tag v1.0" in tree.source.why


def test_a_name_is_remembered_for_offline(
    served: Upstream, head: str, engine: Engine, options: Options, heard: list[str]
) -> None:
    git(served.work, "tag", "v1.0")
    served.publish()
    with open_tree(wanted(engine, "v1.0"), options) as tree:
        tree.prefetch([MODULE])
    offline = Options(offline=True, announce=heard.append)
    with open_tree(wanted(engine, "v1.0"), offline) as tree:
        assert tree.source.read == head
    assert any("last resolved" in message for message in heard)
    with pytest.raises(SourceError, match="offline"):
        open_tree(wanted(engine, "v2.0"), offline)


def test_full_commits_and_releases_need_no_question(engine: Engine, options: Options) -> None:
    assert resolve(engine, "A" * 40, options).rev == "a" * 40
    assert resolve(engine, "release:0.28.0.post1", options).rev == "release:0.28.0.post1"


def test_abbreviations(served: Upstream, head: str, engine: Engine, options: Options, redirect: Redirect) -> None:
    pins = ["abcd" + "0" * 36, "abcd" + "1" * 36]
    assert resolve(engine, "abcd0", options, pins=pins).rev == pins[0]
    with pytest.raises(UnknownRevision, match="ambiguous"):
        resolve(engine, "abcd", options, pins=pins)
    assert resolve(engine, head[:8], options).rev == head  # in the mirror, which lies on this machine
    open_tree(wanted(engine, head), options).close()
    redirect("https://unknown-host.invalid/toy.git")
    assert resolve(engine, head[:8], options).rev == head  # in the store


def test_an_unknown_abbreviation_says_that_hosts_cannot_help(
    served: Upstream, engine: Engine, options: Options
) -> None:
    with pytest.raises(UnknownRevision, match="Hosts cannot resolve") as raised:
        resolve(engine, "0000000", options, pins=["f" * 40])
    assert raised.value.exit_code == 2
    assert "ffffffffffff" in str(raised.value)


@pytest.mark.usefixtures("unreachable")
def test_a_tag_that_cannot_be_asked_suggests_the_release(engine: Engine, options: Options) -> None:
    with pytest.raises(SourceError, match=r"release:0\.28\.0") as raised:
        resolve(engine, "v0.28.0", options)
    assert raised.value.exit_code == 3
    assert "nowhere.git" in raised.value.attempts[0]


@pytest.mark.parametrize(
    "rev", ["", " ", "-x", "--upload-pack=touch x", "a..b", "main^", "main~1", "a b", "a:b", "@{u}", "x\n", "release:", "release:-x", "@"]
)  # fmt: skip
def test_what_is_no_revision(served: Upstream, engine: Engine, options: Options, rev: str) -> None:
    with pytest.raises(UnknownRevision):
        resolve(engine, rev, options)


def test_an_unknown_name(served: Upstream, engine: Engine, options: Options) -> None:
    with pytest.raises(UnknownRevision, match="no tag or branch"):
        resolve(engine, "nothing-like-it", options)
