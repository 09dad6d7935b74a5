"""Small engines, a partial-clone server and a package index of the tests' own; no test sees the user's settings."""

from __future__ import annotations

import hashlib
import http.server
import io
import os
import shutil
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.sources.wanted import Options, Wanted

ORIGIN = "https://git.example/toy/toy.git"
MODULE = "python/toy/run.py"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """An empty home, an empty cache, no git or pip settings."""
    for name in [n for n in os.environ if n.startswith(("GIT_", "PIP_", "XDG_"))]:
        if request.node.get_closest_marker("index") is None or not name.startswith("PIP_"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    if request.node.get_closest_marker("index") is None:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("REFCHECK_CACHE_DIR", str(tmp_path / "cache"))


def git(folder: Path, *args: str, given: bytes = b"") -> str:
    settings = ["-c", "user.name=Toy", "-c", "user.email=toy@toy.example", "-c", "protocol.file.allow=always"]
    done = subprocess.run(["git", *settings, *args], cwd=folder, input=given, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


class Upstream:
    """A toy engine with its history in `work`, and a bare `server` that others fetch from."""

    def __init__(self, folder: Path) -> None:
        self.work = folder / "work"
        self.server = folder / "server.git"
        if not self.work.exists():
            self.work.mkdir()
            git(self.work, "init", "-q", "-b", "main")

    def commit(self, files: Mapping[str, bytes | None], subject: str = "a change") -> str:
        """Write files (None removes one), commit, publish; the commit's id."""
        for path, data in files.items():
            file = self.work / path
            if data is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        git(self.work, "add", "-A")
        git(self.work, "commit", "-q", "--allow-empty", "-m", subject)
        self.publish()
        return git(self.work, "rev-parse", "HEAD")

    def publish(self, *, filters: bool = True) -> None:
        if not self.server.exists():
            git(self.work, "init", "-q", "--bare", "-b", "main", str(self.server))
            git(self.server, "config", "uploadpack.allowAnySHA1InWant", "true")
        git(self.server, "config", "uploadpack.allowFilter", str(filters).lower())
        git(self.work, "push", "-q", "--force", "--tags", str(self.server), "HEAD:refs/heads/main")


def module_text(number: int) -> bytes:
    """A file whose bytes do not compress to nothing."""
    noise = "".join(hashlib.sha256(f"{number} {i}".encode()).hexdigest() for i in range(40))
    return f"value_{number} = '{noise}'\n".encode()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy engine as every test finds it; made once, copied for each."""
    folder = tmp_path_factory.mktemp("template")
    made = Upstream(folder)
    made.commit(
        {
            MODULE: b"def step(batch):\n    return batch\n",
            "python/toy/crlf.py": b"first = 1\r\nsecond = 2\r\n",
            "python/toy/empty.py": b"",
            "python/toy/latin.py": b"name = '\xe9'\n",
            "docs/guide.md": b"# Guide\n",
            **{f"python/toy/part_{i}.py": module_text(i) for i in range(60)},
        },
        "begin",
    )
    (made.work / "python/toy/link.py").symlink_to("run.py")
    (made.work / "outside").symlink_to("/etc/passwd")
    made.commit({}, "add links")
    return folder


@pytest.fixture
def upstream(template: Path, tmp_path: Path) -> Upstream:
    shutil.copytree(template, tmp_path / "upstream", symlinks=True)
    return Upstream(tmp_path / "upstream")


@pytest.fixture
def head(upstream: Upstream) -> str:
    return git(upstream.work, "rev-parse", "HEAD")


@pytest.fixture
def engine() -> Engine:
    return Engine(
        name="toy",
        origin=ORIGIN,
        distribution="toy-engine",
        wheel_prefixes=(("toy/", "python/toy/"),),
        source_roots=("python/toy/",),
    )


Redirect = Callable[[str], None]


@pytest.fixture
def redirect(monkeypatch: pytest.MonkeyPatch) -> Redirect:
    """Let the user's git configuration put an address in place of the engine's origin."""

    def set_address(address: str) -> None:
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{address}.insteadOf")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", ORIGIN)

    return set_address


@pytest.fixture
def served(upstream: Upstream, redirect: Redirect) -> Upstream:
    """The upstream, reachable as the engine's origin."""
    redirect(f"file://{upstream.server}")
    return upstream


@pytest.fixture
def unreachable(redirect: Redirect, tmp_path: Path) -> None:
    """The origin does not answer: there is nothing where the configuration points."""
    redirect(f"file://{tmp_path / 'nowhere.git'}")


@pytest.fixture
def heard() -> list[str]:
    return []


@pytest.fixture
def options(heard: list[str]) -> Options:
    return Options(announce=heard.append, silence=20)


@pytest.fixture
def store_dir(tmp_path: Path) -> Callable[[], Path]:
    """The toy engine's store, once there is one."""

    def find() -> Path:
        (found,) = (tmp_path / "cache").glob("*/toy-*.git")
        return found

    return find


def wanted(engine: Engine, rev: str, **more: object) -> Wanted:
    return Wanted(engine, rev, **more)  # type: ignore[arg-type]


# ---- archives and an index


def sdist(files: Mapping[str, bytes], top: str = "toy_engine-1.0") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for path, data in files.items():
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def wheel(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return out.getvalue()


class Index:
    """A package index on this machine. `digests` and `cut` spoil what it states and sends."""

    def __init__(self) -> None:
        self.archives: dict[str, bytes] = {}
        self.digests: dict[str, str] = {}
        self.cut: dict[str, int] = {}
        self.requests: list[str] = []
        self.authorizations: list[str | None] = []
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.requests.append(self.path)
                index.authorizations.append(self.headers.get("Authorization"))
                index.answer(self)

            def log_message(self, *args: object) -> None:
                return

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/simple/"

    def page(self) -> bytes:
        links = []
        for name, data in self.archives.items():
            digest = self.digests.get(name, hashlib.sha256(data).hexdigest())
            fragment = f"#sha256={digest}" if digest else ""
            links.append(f'<a href="../../files/{name}{fragment}">{name}</a>')
        return ("<!DOCTYPE html><html><body>" + "\n".join(links) + "</body></html>").encode()

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        name = request.path.rpartition("/")[2]
        if request.path.startswith("/simple/toy-engine"):
            kind, data, length = "text/html", self.page(), None
        elif name in self.archives:
            kind, data = "application/octet-stream", self.archives[name]
            length = len(data)
            data = data[: self.cut.get(name, len(data))]
        else:
            request.send_error(404)
            return
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(length or len(data)))
        request.end_headers()
        request.wfile.write(data)

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    made = Index()
    monkeypatch.setenv("PIP_INDEX_URL", made.address)
    yield made
    made.close()
