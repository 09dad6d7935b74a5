"""What can go wrong around a run: the disk, the cache, the clock, the surroundings. A clear message, no document lost,
no store broken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.conftest import CORE, SOURCE, Toy, toy

__all__ = ["toy"]

PAGE = "# Rows\n\nThe rows are stored in `toy/core.py:16-24`, as “ü” and 行 say.\n"
FILLER = "Nothing is said of any code here, and that at some length, over and over.\n\n" * 400
LINES_ADDED = 200

_SMALL_FILES = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
from refcheck_engines import main
sys.exit(main())
"""


def moved(toy: Toy) -> str:
    return toy.upstream.commit({CORE: b"\n" * LINES_ADDED + SOURCE.encode()}, "blank lines")


def said(done: subprocess.CompletedProcess[str]) -> str:
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


def on_a_full_disk(toy: Toy, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command where no file may grow beyond 4 kB: writes fail in their middle, as on a disk that is full."""
    return subprocess.run(
        [sys.executable, "-c", _SMALL_FILES, *arguments],
        cwd=toy.folder, env=toy.environment, capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip


# ---- the disk is full


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs limits on the size of files")
def test_a_page_is_whole_where_the_disk_is_full(toy: Toy) -> None:
    page = toy.write("page.md", PAGE + FILLER)
    before = page.read_bytes()
    new = moved(toy)
    toy.run("fetch", "--pin", f"toy={toy.commit}", "--pin", f"toy={new}")
    arguments = ("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={new}", "--write")
    done = on_a_full_disk(toy, *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "page.md: cannot be written: File too large" in said(done)
    assert page.read_bytes() == before
    assert sorted(os.listdir(toy.folder)) == ["page.md", "refcheck.yaml"]
    toy.run(*arguments, code=0)
    assert page.read_text(encoding="utf-8") == (PAGE + FILLER).replace("16-24", "216-224")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs limits on the size of files")
def test_checking_needs_no_room_but_for_what_it_fetches(toy: Toy) -> None:
    toy.write("page.md", PAGE + FILLER)
    arguments = ("verify", "page.md", "--pin", f"toy={toy.commit}")
    toy.run(*arguments, code=0)
    expected = toy.run(*arguments, code=0)
    for kept in Path(toy.environment["REFCHECK_CACHE_DIR"]).glob("kept*"):
        shutil.rmtree(kept)
    done = on_a_full_disk(toy, *arguments)
    assert (done.returncode, done.stdout) == (0, expected.stdout), said(done)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a file that is always full")
@pytest.mark.parametrize("kind", ["json", "html"])
def test_a_report_that_does_not_fit_is_said(toy: Toy, kind: str) -> None:
    toy.write("page.md", PAGE)
    done = toy.run("verify", "page.md", "--pin", f"toy={toy.commit}", "--report", f"{kind}=/dev/full", code=2)
    assert "/dev/full: cannot be written: No space left on device" in said(done)
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("kind", ["json", "html"])
def test_a_report_goes_through_a_link_and_into_a_pipe(toy: Toy, kind: str) -> None:
    """What is no file is written to, and never replaced: run by the superuser, that would take the device away."""
    toy.write("page.md", PAGE)
    arguments = ("verify", "page.md", "--pin", f"toy={toy.commit}", "--report")
    toy.run(*arguments[:-1], code=0)
    toy.run(*arguments, f"{kind}=report", code=0)
    expected = (toy.folder / "report").read_bytes()
    (toy.folder / "link").symlink_to("target")
    toy.run(*arguments, f"{kind}=link", code=0)
    assert (toy.folder / "link").is_symlink()
    assert (toy.folder / "target").read_bytes() == expected
    os.mkfifo(toy.folder / "pipe")
    with subprocess.Popen(["cat", "pipe"], cwd=toy.folder, stdout=subprocess.PIPE) as reader:
        toy.run(*arguments, f"{kind}=pipe", code=0)
        assert reader.communicate(timeout=30)[0] == expected
    assert (toy.folder / "pipe").is_fifo()
    done = toy.run(*arguments, f"{kind}=.", code=2)
    assert "cannot be written" in said(done)


# ---- the cache cannot be written


def test_a_folder_is_checked_without_a_cache(toy: Toy) -> None:
    """Nothing has to be kept: documents and files are read each time."""
    page = toy.write("page.md", PAGE)
    (toy.folder.parent / "file").write_text("in the way")
    toy.environment["REFCHECK_CACHE_DIR"] = str(toy.folder.parent / "file" / "cache")
    toy.run("verify", "page.md", "--source", f"toy={toy.upstream.work}", code=0)
    before = toy.commit
    new = moved(toy)
    done = toy.run(
        "regen", "page.md", "--pin", f"toy={before}", "--to", f"toy={new}", "--source", f"toy={toy.upstream.work}",
        "--write", code=0,
    )  # fmt: skip
    said(done)
    assert page.read_text(encoding="utf-8") == PAGE.replace("16-24", "216-224")


def test_without_a_cache_a_remote_is_named_with_the_remedy(toy: Toy) -> None:
    toy.write("page.md", PAGE)
    (toy.folder.parent / "file").write_text("in the way")
    toy.environment["REFCHECK_CACHE_DIR"] = str(toy.folder.parent / "file" / "cache")
    done = toy.run("verify", "page.md", "--pin", f"toy={toy.commit}", code=3)
    assert "cannot be written" in said(done)
    assert "REFCHECK_CACHE_DIR" in done.stderr


# ---- the clock


@pytest.mark.parametrize("years", [-30, 30])
def test_files_of_another_time_are_as_good(toy: Toy, years: int) -> None:
    """A clock that is set back makes everything in the cache a thing of the future, locks included."""
    page = toy.write("page.md", PAGE + FILLER)
    new = moved(toy)
    rewrite = ("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={new}", "--write")
    verify = ("verify", "page.md", "--pin", f"toy={toy.commit}")
    toy.run(*verify, code=0)
    expected = toy.run(*verify, code=0)
    at = time.time() + years * 365 * 86400
    for folder, _, files in os.walk(toy.folder.parent):
        for name in files:
            os.utime(os.path.join(folder, name), (at, at))
    assert toy.run(*verify, "--offline", code=0).stdout == expected.stdout
    toy.run(*rewrite, code=0)
    written = page.read_bytes()
    assert written.decode() == (PAGE + FILLER).replace("16-24", "216-224")
    os.utime(page, (at, at))
    assert "written for these revisions before" in toy.run(*rewrite).stdout
    assert page.read_bytes() == written


# ---- many at once


RUNS = 200
AT_ONCE = 16
_MANY = """
import os, pkgutil, sys
from importlib import import_module
import refcheck
from refcheck_engines import main
# Each run is a process of its own, in the state of one that has just started: what is shared is the store alone.
runs, out = int(sys.argv[1]), sys.argv[2]
for module in pkgutil.walk_packages(refcheck.__path__, "refcheck."):
    if not module.name.endswith(("__main__", "with_transformers")):
        import_module(module.name)  # once, and not two hundred times
left, codes = set(), []
for number in range(runs):
    while len(left) >= int(sys.argv[3]):
        pid, status = os.wait()
        left.discard(pid); codes.append(os.waitstatus_to_exitcode(status))
    pid = os.fork()
    if pid == 0:
        handle = os.open(os.path.join(out, str(number)), os.O_WRONLY | os.O_CREAT)
        os.dup2(handle, 1); os.dup2(handle, 2)
        sys.argv = ["refcheck", *sys.argv[4:]]
        code = 70
        try:
            code = main()
        except SystemExit as error:
            code = error.code
        finally:
            sys.stdout.flush(); sys.stderr.flush()
            os._exit(code if isinstance(code, int) else 0)
    left.add(pid)
while left:
    pid, status = os.wait()
    left.discard(pid); codes.append(os.waitstatus_to_exitcode(status))
print(sorted(set(codes)), len(codes))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="starts hundreds of processes by fork")
def test_two_hundred_runs_on_one_empty_store(toy: Toy, tmp_path: Path) -> None:
    toy.write("page.md", PAGE + FILLER)
    out = tmp_path / "out"
    out.mkdir()
    arguments = ["verify", "page.md", "--pin", f"toy={toy.commit}", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", _MANY, str(RUNS), str(out), str(AT_ONCE), *arguments],
        cwd=toy.folder, env=toy.environment, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    texts = [path.read_text(encoding="utf-8") for path in out.iterdir()]
    assert (done.stdout.strip(), done.stderr) == (f"[0] {RUNS}", ""), [t for t in texts if "holds" not in t][:3]
    assert len(texts) == RUNS
    assert all("holds 1" in text for text in texts), [text for text in texts if "holds 1" not in text][:3]
    cache = Path(toy.environment["REFCHECK_CACHE_DIR"])
    assert len(list(cache.glob("store-*/toy-*.git/objects/pack/*.pack"))) == 2  # the commit and the contents, once each
    assert not list(cache.glob("store-*/toy-*.git/tmp/*"))
    assert not [path for path in cache.rglob(".*") if path.is_file()]
    assert "holds 1" in toy.run(*arguments, "--offline", code=0).stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes")
def test_runs_that_are_killed_leave_the_store_to_the_others(toy: Toy) -> None:
    toy.write("page.md", PAGE)
    arguments = [sys.executable, "-m", "refcheck", "verify", "page.md", "--pin", f"toy={toy.commit}"]

    def killed(after: float) -> None:
        with subprocess.Popen(
            arguments, cwd=toy.folder, env=toy.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(after)
            process.kill()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(killed, [0.15 + 0.05 * number for number in range(12)]))
    toy.run(*arguments[3:], code=0)
    cache = Path(toy.environment["REFCHECK_CACHE_DIR"])
    assert not list(cache.glob("store-*/toy-*.git/tmp/*"))


# ---- the surroundings


def bare(toy: Toy, **more: str) -> None:
    """Nothing of the surroundings but what the toy engine needs to be found."""
    kept = ("PATH", "PYTHONPATH", "REFCHECK_CACHE_DIR", "PIP_CONFIG_FILE", "SYSTEMROOT")
    toy.environment = {
        name: value for name, value in toy.environment.items() if name in kept or name.startswith("GIT_CONFIG")
    } | more


def test_without_a_home(toy: Toy) -> None:
    page = toy.write("page.md", PAGE)
    new = moved(toy)
    bare(toy, PYTHONUTF8="1")
    assert "holds 1" in toy.run("verify", "page.md", "--pin", f"toy={toy.commit}", code=0).stdout
    toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={new}", "--write", code=0)
    assert page.read_text(encoding="utf-8") == PAGE.replace("16-24", "216-224")


FORMS = ("terminal", "json", "markdown", "line", "html", "github", "sarif", "junit")


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "nowhere.UTF-8", "PYTHONIOENCODING": "cp1252"},
        {"PYTHONUTF8": "0"},
    ],
    ids=["C", "ascii", "cp1252", "none"],
)
def test_without_a_locale(toy: Toy, locale: dict[str, str]) -> None:
    """Pages, and the names of pages, have any characters, whatever the terminal can show."""
    page = toy.write("größe 行.md", PAGE.replace("16-24", "16-2400"))
    toy.write("page.md", PAGE)
    bare(toy, **locale)
    pinned = ("verify", ".", "--pin", f"toy={toy.commit}", "--fail-on", "never")
    reports = [f"--report={form}=report.{form}" for form in FORMS]
    for arguments in (*((*pinned, "--format", form) for form in ("terminal", "line", "json")), (*pinned, *reports)):
        done = subprocess.run(
            [sys.executable, "-m", "refcheck", *arguments],
            cwd=toy.folder, env=toy.environment, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr, done.stderr
        assert done.returncode == 0, done.stderr
    for form in FORMS:
        # Addresses are written in percent signs, and JSON in ASCII.
        shown = {"sarif": quote(page.name), "json": json.dumps(page.name)[1:-1]}.get(form, page.name)
        assert shown in (toy.folder / f"report.{form}").read_text(encoding="utf-8"), form


def test_a_page_of_windows(toy: Toy) -> None:
    """Line ends stay, and a path may be written with the separators of the author's machine."""
    text = "# Rows\r\n\r\nThe rows are stored in `toy\\core.py:16-24`, and `toy\\core.py` (lines 16-24).\r\n"
    page = toy.folder / "page.md"
    page.write_bytes(text.encode())
    new = moved(toy)
    assert "holds 2" in toy.run("verify", "page.md", "--pin", f"toy={toy.commit}", code=0).stdout
    toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={new}", "--write", code=0)
    assert page.read_bytes() == text.replace("16-24", "216-224").encode()
