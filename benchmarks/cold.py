"""A cold store: what is fetched from a partial-clone server, against what is needed at the least.

The server is a bare repository on this machine, addressed as file://, which git asks over its own protocol. Its one
commit has the files of a release. What is needed: the commit and its trees, and the contents of the cited files, as
git packs each of the two.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .process import run

FILES = 60
CITATIONS = 200


def make_server(folder: Path) -> None:
    """Runs in a process of its own: writes the repository, a page that cites it, and a note of what is needed."""
    from .pages import chosen_files, citations, open_release, page

    tree = open_release("0.28.0", None)
    server = folder / "server.git"
    _git(folder, "init", "-q", "--bare", str(server))
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        _git(server, "config", name, "true")
    stream = [b"commit refs/heads/main\ncommitter b <b@example.org> 1700000000 +0000\ndata 1\n.\n"]
    paths = sorted(tree.paths())
    for path in paths:
        data = tree.read_bytes(path)
        stream.append(f"M 100644 inline {path}\n".encode() + b"data %d\n%s\n" % (len(data), data))
    _git(server, "fast-import", "--quiet", given=b"".join(stream))
    _git(server, "repack", "-adq")
    commit = _git(server, "rev-parse", "main").decode().strip()
    files = chosen_files(tree, "vllm/", FILES)
    cited = list(citations(tree, files, CITATIONS, moved=0, changed=0))
    (folder / "cold.md").write_text(page(cited), "utf-8")
    listed = _git(server, "rev-list", "--objects", "--filter=blob:none", "--no-object-names", commit)
    blobs = [tree.paths()[path] for path in files]
    trees, contents = (_packed(server, ids) for ids in (listed.decode().split(), blobs))
    (folder / "cold.json").write_text(json.dumps({"commit": commit, "trees": trees, "contents": contents}), "utf-8")


def _packed(server: Path, ids: Sequence[str]) -> int:
    return len(
        _git(server, "pack-objects", "--stdout", "-q", "--delta-base-offset", given="\n".join(ids).encode() + b"\n")
    )


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], input=given, stdout=subprocess.PIPE, check=True
    ).stdout


def cold_store(folder: Path, environment: Mapping[str, str]) -> str:
    """A paragraph for the report."""
    if not (folder / "cold.json").exists():
        subprocess.run([sys.executable, "-m", "benchmarks.cold", str(folder)], env=dict(environment), check=True)
    needed = json.loads((folder / "cold.json").read_text("utf-8"))
    cache = folder / f"cold-{os.getpid()}-{time.monotonic_ns()}"
    redirected = {
        "REFCHECK_CACHE_DIR": str(cache),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{(folder / 'server.git').as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/vllm-project/vllm.git",
    }
    command = ["verify", str(folder / "cold.md"), "--pin", f"vllm={needed['commit']}", "--format", "json"]
    used = run([sys.executable, "-m", "refcheck", *command], folder, {**environment, **redirected})
    if used.code != 0:
        sys.exit(f"cold store: exit {used.code}\n{used.errors}")
    received = json.loads(used.output)["sources"][0]["received_bytes"]
    least = needed["contents"] * 1.3 + needed["trees"]
    return (
        f"Cold store, {CITATIONS} citations in {FILES} files, from a partial-clone server on this machine: "
        f"{received:,} bytes fetched; needed are {needed['contents']:,} of contents and {needed['trees']:,} of trees "
        f"(target: under {least:,.0f}, {'reached' if received < least else 'not reached'}); {used.wall:.2f} s."
    )


if __name__ == "__main__":
    make_server(Path(sys.argv[1]))
