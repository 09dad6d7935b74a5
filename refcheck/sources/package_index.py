"""Releases on the Python package index: which there are, which archive of one is read, and its download.

The client's own default index is asked, or the one that the user's pip configuration names.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from .attempts import Interrupted, Unavailable, redact
from .pip_configuration import PipConfiguration, read_configuration

if TYPE_CHECKING:
    from pypi_simple import DistributionPackage, ProjectPage, PyPISimple

_CONNECT_SECONDS = 10.0
_DIGESTS = ("sha512", "sha384", "sha256")


@dataclass(frozen=True, slots=True)
class Archive:
    """A downloaded archive. `sha256` is computed; `checked` says that a digest of the index was compared."""

    file: Path
    name: str
    is_sdist: bool
    sha256: str
    size: int
    checked: bool


def choose(packages: list[DistributionPackage], version: str) -> DistributionPackage | None:
    """The one archive of a release that is read: the source archive, else a wheel.

    Of several wheels: the one for any platform, else the newest Python tag, x86_64 before other machines, then by
    name. The choice depends on the release alone, not on the machine, so that everyone reads the same files.
    """
    mine = [p for p in packages if p.version is not None and same_version(p.version, version)]
    sdists = [p for p in mine if p.package_type == "sdist" and p.filename.endswith((".tar.gz", ".zip"))]
    if sdists:
        return min(sdists, key=lambda p: (not p.filename.endswith(".tar.gz"), p.filename))
    wheels = [p for p in mine if p.package_type == "wheel"]
    return min(wheels, key=lambda p: _wheel_order(p.filename), default=None)


def _wheel_order(filename: str) -> tuple[bool, int, int, bool, bool, str]:
    *_, python, _abi, platform = filename.removesuffix(".whl").split("-")
    tags = [re.search(r"(\d)(\d*)$", tag) for tag in python.split(".")]
    newest = max(((int(t[1]), int(t[2] or 0)) for t in tags if t), default=(0, 0))
    return (
        platform != "any",
        -newest[0],
        -newest[1],
        "linux" not in platform,
        "x86_64" not in platform,
        filename,
    )


def same_version(one: str, other: str) -> bool:
    """Whether two version strings name one release (1.0 and 1.0.0, 1.0rc1 and 1.0.rc1)."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return one == other


class PackageIndex:
    """Asks the user's index for one project. Use as a context manager."""

    def __init__(self, distribution: str, cancel: threading.Event | None = None) -> None:
        self.distribution = distribution
        self._cancel = cancel
        self._settings = read_configuration()
        self._clients: list[PyPISimple] = []

    def __enter__(self) -> PackageIndex:
        return self

    def __exit__(self, *exc: object) -> None:
        for client in self._clients:
            client.s.close()

    def versions(self) -> list[str]:
        """Every released version that is not yanked and not a pre-release, oldest first. Raises Unavailable."""
        from packaging.version import InvalidVersion, Version

        found: dict[Version, str] = {}
        for _, page in self._pages():
            for package in page.packages:
                if package.version is None or package.is_yanked:
                    continue
                try:
                    version = Version(package.version)
                except InvalidVersion:
                    continue
                if not version.is_prerelease:
                    found.setdefault(version, package.version)
        return [found[version] for version in sorted(found)]

    def download(self, version: str, folder: Path, progress: Callable[[str], None] | None = None) -> Archive:
        """Bring the chosen archive of a release into `folder`, its digest checked. Raises Unavailable."""
        known: set[str] = set()
        for client, page in self._pages():
            package = choose(page.packages, version)
            if package is not None:
                return self._fetch(client, package, folder, progress)
            known.update(p.version for p in page.packages if p.version)
        raise Unavailable(_no_such_release(self.distribution, version, known))

    def _pages(self) -> Iterator[tuple[PyPISimple, ProjectPage]]:
        """The project's page on the index, then on the extra ones; failures count only if no index has a page."""
        from pypi_simple import NoSuchProjectError, UnsupportedRepoVersionError

        if self._settings.no_index:
            raise Unavailable("the pip configuration says no-index")
        reasons: list[str] = []
        shown = False
        for address in (self._settings.index, *self._settings.extra_indexes):
            place = "the package index" if address is None else redact(address)
            try:
                client = _client(address, self._settings)
                self._clients.append(client)
                page = client.get_project_page(self.distribution, timeout=self._timeout())
            except NoSuchProjectError:
                reasons.append(f"{place} has no project {self.distribution!r}")
                continue
            except UnsupportedRepoVersionError as error:
                reasons.append(f"{place}: {error}")
                continue
            except Exception as error:  # noqa: BLE001 - requests and urllib3 have many; each is a reason, not a crash
                reasons.append(f"{place} cannot be read: {_cause(error)}")
                continue
            shown = True
            yield client, page
        if not shown:
            raise Unavailable("; ".join(dict.fromkeys(reasons)))

    def _fetch(
        self, client: PyPISimple, package: DistributionPackage, folder: Path, progress: Callable[[str], None] | None
    ) -> Archive:
        from pypi_simple import DigestMismatchError

        name = re.sub(r"[^A-Za-z0-9._+!-]", "_", package.filename)
        file = folder / name
        checked = any(algorithm in package.digests for algorithm in _DIGESTS)
        try:
            client.download_package(
                package, file, verify=checked, timeout=self._timeout(), progress=_tracker(name, progress, self._cancel)
            )
        except DigestMismatchError as error:
            raise Unavailable(
                f"{name} was refused: its {error.algorithm} digest is {error.actual_digest}, "
                f"the index states {error.expected_digest} (truncated or altered?)"
            ) from error
        except Exception as error:
            raise Unavailable(f"{name} cannot be downloaded: {_cause(error)}") from error
        size = file.stat().st_size
        if package.size is not None and package.size != size:
            stated = f"{size:,} bytes came, the index states {package.size:,}"
            raise Unavailable(f"{name} was refused: {stated} (truncated?)")
        with file.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        return Archive(file, name, package.package_type == "sdist", sha256, size, checked)

    def _timeout(self) -> tuple[float, float]:
        return (min(_CONNECT_SECONDS, self._settings.timeout), self._settings.timeout)


def _client(address: str | None, settings: PipConfiguration) -> PyPISimple:
    from pypi_simple import PyPISimple

    client = PyPISimple() if address is None else PyPISimple(_without_credentials(address))
    session = client.s
    if address is not None:
        parts = urlsplit(address)
        if parts.scheme == "file":
            session.mount("file://", _file_adapter())
        if parts.username or parts.password:
            session.auth = _auth_for(parts.hostname, unquote(parts.username or ""), unquote(parts.password or ""))
        if parts.hostname in settings.trusted_hosts or parts.netloc.rpartition("@")[2] in settings.trusted_hosts:
            session.verify = False
    if settings.certificates and session.verify is True:
        session.verify = settings.certificates
    if settings.client_certificate:
        session.cert = settings.client_certificate
    if settings.proxy:
        session.proxies = {"http": settings.proxy, "https": settings.proxy}
    return client


def _without_credentials(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _auth_for(host: str | None, user: str, password: str) -> Any:
    """Credentials for one host only: an index may list files of another."""
    from requests.auth import HTTPBasicAuth

    class HostAuth(HTTPBasicAuth):
        def __call__(self, request: Any) -> Any:
            return super().__call__(request) if urlsplit(request.url).hostname == host else request

    return HostAuth(user, password)


def _file_adapter() -> Any:
    """Lets the client read an index that lies in a folder (file://), as pip does."""
    import io

    from requests import Response
    from requests.adapters import BaseAdapter

    class FileAdapter(BaseAdapter):
        def send(self, request: Any, *_: Any, **__: Any) -> Any:
            path = Path(unquote(urlsplit(request.url).path))
            response = Response()
            response.url, response.request = request.url, request
            if path.is_dir():
                path /= "index.html"
            try:
                response.raw = path.open("rb")
                response.status_code = 200
                response.headers["Content-Length"] = str(path.stat().st_size)
                if path.suffix in (".html", ""):
                    response.headers["Content-Type"] = "text/html"
            except OSError:
                response.raw, response.status_code, response.reason = io.BytesIO(), 404, "no such file"
            return response

        def close(self) -> None:
            return

    return FileAdapter()


def _tracker(name: str, progress: Callable[[str], None] | None, cancel: threading.Event | None) -> Any:
    class Tracker:
        def __init__(self, total: int | None) -> None:
            self._total = total
            self._done = 0
            self._shown = -1

        def update(self, increment: int) -> None:
            if cancel is not None and cancel.is_set():
                raise Interrupted
            self._done += increment
            percent = self._done * 100 // self._total if self._total else self._done >> 20
            if progress is not None and percent != self._shown:
                self._shown = percent
                progress(f"{name}: {percent}{'%' if self._total else ' MiB'}")

    @contextmanager
    def tracked(total: int | None) -> Iterator[Tracker]:
        yield Tracker(total)

    return tracked


def _no_such_release(distribution: str, version: str, known: set[str]) -> str:
    import difflib

    near = difflib.get_close_matches(version, known, n=3)
    hint = f" (near: {', '.join(near)})" if near else ""
    return f"the index has no release {version} of {distribution} with a source archive or wheel{hint}"


_PLAIN = (
    ("Name or service not known|Failed to resolve|nodename nor servname|Temporary failure in name", "unknown host"),
    ("Connection refused", "connection refused"),
    ("timed out|Timeout", "timed out"),
    ("IncompleteRead|Connection broken|ended prematurely", "the transfer ended early (truncated)"),
    ("CERTIFICATE_VERIFY_FAILED", "its certificate cannot be verified"),
    ("No space left", "no space left on the device"),
)


def _cause(error: BaseException) -> str:
    """The innermost message of a chain of network errors, without addresses' credentials."""
    text = str(error)
    for pattern, plain in _PLAIN:
        if re.search(pattern, text):
            return plain
    return redact(text)[:300] or type(error).__name__
