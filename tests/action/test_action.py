"""The action's steps, run as the runner would, and its description."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from tests.action.sample import BROKEN, FIXED, write_sample

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / "examples" / "docs-ci").glob("*.yml"))


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"action_{name}", ROOT / "action" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_step(script: str, folder: Path, **environment: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """One step: its result, and what it wrote to the file of outputs."""
    output = folder / "github-output"
    output.write_text("")
    finished = subprocess.run(
        [sys.executable, str(ROOT / "action" / script)],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={
            **{key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "REFCHECK_"))},
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
            "GITHUB_OUTPUT": str(output),
            **environment,
        },
    )
    pairs = (line.split("=", 1) for line in output.read_text("utf-8").splitlines())
    return finished, {pair[0]: pair[1] for pair in pairs}


def verify(folder: Path, **inputs: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    return run_step(
        "verify.py",
        folder,
        REFCHECK_OUTPUT=str(folder / "out"),
        REFCHECK_CACHE_DIR=str(folder / "store"),
        REFCHECK_DOCUMENTS="docs",
        GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
        **inputs,
    )


def test_a_broken_citation_fails_and_is_annotated(tmp_path: Path) -> None:
    write_sample(tmp_path, BROKEN)
    finished, outputs = verify(tmp_path, REFCHECK_ANNOTATE="true")
    assert finished.returncode == 0, finished.stderr
    assert outputs["exit-code"] == "1"
    assert "::error file=docs/page.md,line=3,endLine=3," in finished.stdout
    assert "title=RC101 moved" in finished.stdout
    for kind in ("json", "html", "markdown", "sarif"):
        assert Path(outputs[kind]).is_file(), kind
    report = json.loads(Path(outputs["json"]).read_text("utf-8"))
    assert report["totals"]["moved"] == 1
    assert "RC101" in (tmp_path / "summary.md").read_text("utf-8")


def test_a_fixed_citation_passes(tmp_path: Path) -> None:
    write_sample(tmp_path, FIXED)
    finished, outputs = verify(tmp_path, REFCHECK_ANNOTATE="true")
    assert outputs["exit-code"] == "0", finished.stdout + finished.stderr
    assert "::error" not in finished.stdout
    assert "::warning" not in finished.stdout


def test_the_report_in_the_log_is_between_stopped_commands(tmp_path: Path) -> None:
    write_sample(tmp_path, BROKEN)
    finished, _ = verify(tmp_path)
    match = re.search(r"^::stop-commands::([0-9a-f]{32})\n(.*)\n::\1::$", finished.stdout, re.DOTALL | re.MULTILINE)
    assert match is not None
    assert "stands 3 lines later" in match.group(2)


@pytest.mark.parametrize(
    ("inputs", "word"),
    [
        ({"REFCHECK_FAIL_ON": "sometimes"}, "fail-on: want one of"),
        ({"REFCHECK_EXACT": "yes"}, "exact: want true or false"),
    ],
)
def test_a_wrong_input_is_a_usage_error(tmp_path: Path, inputs: dict[str, str], word: str) -> None:
    write_sample(tmp_path, FIXED)
    finished, outputs = verify(tmp_path, **inputs)
    assert outputs["exit-code"] == "2"
    assert outputs["json"] == ""
    assert word in finished.stdout


def test_fail_on_never_passes_and_still_tells(tmp_path: Path) -> None:
    write_sample(tmp_path, BROKEN)
    finished, outputs = verify(tmp_path, REFCHECK_FAIL_ON="never", REFCHECK_ANNOTATE="true")
    assert outputs["exit-code"] == "0"
    assert "::error file=docs/page.md" in finished.stdout


def test_no_value_can_become_an_option() -> None:
    step = load("verify")
    args = step.arguments(
        {
            "REFCHECK_DOCUMENTS": "--offline\n-h\ndocs",
            "REFCHECK_EDITION": "--help",
            "REFCHECK_PINS": "--source=x\nvllm=v1",
        },
        Path("out"),
    )
    assert args[args.index("--") + 1 :] == ["--offline", "-h", "docs"]
    assert "--edition=--help" in args
    assert "--pin=--source=x" in args
    assert all(arg.startswith("--") for arg in args[1 : args.index("--")])


def test_patterns_become_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_sample(tmp_path, FIXED)
    monkeypatch.chdir(tmp_path)
    step = load("verify")
    assert step.documents(["docs/**/*.md", "docs/page.md", "no/*.md"]) == [os.path.join("docs", "page.md"), "no/*.md"]


def test_the_stores_key_depends_on_what_is_read(tmp_path: Path) -> None:
    write_sample(tmp_path, FIXED)
    _, one = run_step("store_key.py", tmp_path, REFCHECK_PINS="vllm=v1")
    _, same = run_step("store_key.py", tmp_path, REFCHECK_PINS="vllm=v1")
    _, other = run_step("store_key.py", tmp_path, REFCHECK_PINS="vllm=v2")
    (tmp_path / "refcheck.yaml").write_text("pins: {}\n")
    _, configured = run_step("store_key.py", tmp_path, REFCHECK_PINS="vllm=v1")
    assert one == same
    assert len({one["key"], other["key"], configured["key"]}) == 3


def test_scripts_get_inputs_through_the_environment_alone() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step["name"]
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            for step in job["steps"]:
                assert "${{" not in step.get("run", ""), path


def test_every_input_is_described_and_used() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    for name, entry in ACTION["inputs"].items():
        assert entry["description"].endswith("."), name
        assert len(re.findall(rf"inputs\.{re.escape(name)}\b", text)) >= 1, name
    for name in re.findall(r"inputs\.([\w-]+)", text):
        assert name in ACTION["inputs"]
    for name in re.findall(r"steps\.verify\.outputs\.([\w-]+)", text):
        assert name in {"exit-code", *load("verify").FORMATS}


def test_every_variable_of_the_step_is_set_by_the_action() -> None:
    (step,) = [s for s in ACTION["runs"]["steps"] if s.get("id") == "verify"]
    source = (ROOT / "action" / "verify.py").read_text("utf-8")
    used = set(re.findall(r"REFCHECK_[A-Z_]+[A-Z]", source))
    used |= {f"REFCHECK_{name}" for name in re.findall(r'\("([A-Z_]+)", "--', source)}
    assert used - set(step["env"]) == set()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_the_example_workflows_use_inputs_that_exist(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 30
        for step in job["steps"]:
            if str(step.get("uses", "")).startswith("OWNER/REPOSITORY@"):
                assert set(step["with"]) <= set(ACTION["inputs"])


class FakeApi(BaseHTTPRequestHandler):
    """Answers as GitHub's API does for comments of one pull request."""

    comments: list[dict[str, Any]]
    requests: list[tuple[str, str, str]]
    refuse: int

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        type(self).requests.append((self.command, self.path, body))
        assert self.headers["Authorization"] == "Bearer secret-token"
        if self.refuse and self.command != "GET":
            self.send_response(self.refuse)
            self.end_headers()
            return
        page = int((re.search(r"[?&]page=(\d+)", self.path) or [0, "1"])[1])
        data = self.comments[(page - 1) * 100 : page * 100] if self.command == "GET" else {"id": 1}
        text = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = answer

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def api() -> Iterator[tuple[type[FakeApi], str]]:
    handler = type("Handler", (FakeApi,), {"comments": [], "requests": [], "refuse": 0})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield handler, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


def comment(folder: Path, url: str, event: object, name: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "report.md").write_text("<!-- refcheck-report -->\n### refcheck: 0 errors\n", encoding="utf-8")
    (folder / "event.json").write_text(json.dumps(event))
    finished, _ = run_step(
        "comment.py",
        folder,
        GITHUB_API_URL=url,
        GITHUB_REPOSITORY="owner/docs",
        GITHUB_EVENT_PATH=str(folder / "event.json"),
        GITHUB_TOKEN="secret-token",
        REFCHECK_COMMENT_FILE=str(folder / "report.md"),
        REFCHECK_COMMENT_NAME=name,
        no_proxy="127.0.0.1",
    )
    return finished


PULL = {"pull_request": {"number": 7}}


def bot(number: int, body: str) -> dict[str, Any]:
    return {"id": number, "body": body, "user": {"type": "Bot"}}


def test_the_first_run_comments(tmp_path: Path, api: tuple[type[FakeApi], str]) -> None:
    handler, url = api
    finished = comment(tmp_path, url, PULL)
    assert finished.stdout == "commented on #7\n", finished.stderr
    method, path, body = handler.requests[-1]
    assert (method, path) == ("POST", "/repos/owner/docs/issues/7/comments")
    assert json.loads(body)["body"].startswith("<!-- refcheck-report -->\n### refcheck")


def test_a_later_run_updates_its_own_comment(tmp_path: Path, api: tuple[type[FakeApi], str]) -> None:
    handler, url = api
    stranger = {"id": 1, "body": "<!-- refcheck-report -->\nmine", "user": {"type": "User"}}
    others = [bot(n, "hello") for n in range(2, 150)]
    handler.comments = [
        stranger,
        *others,
        bot(500, "<!-- refcheck-report other -->\n"),
        bot(501, "<!-- refcheck-report -->\n"),
    ]
    assert comment(tmp_path, url, PULL).stdout == "updated the comment on #7\n"
    assert handler.requests[-1][:2] == ("PATCH", "/repos/owner/docs/issues/comments/501")
    assert comment(tmp_path, url, PULL, name="other").stdout == "updated the comment on #7\n"
    assert handler.requests[-1][:2] == ("PATCH", "/repos/owner/docs/issues/comments/500")


@pytest.mark.parametrize("event", [{}, {"pull_request": None}, [], {"push": 1}])
def test_without_a_pull_request_there_is_no_comment(
    tmp_path: Path, api: tuple[type[FakeApi], str], event: object
) -> None:
    handler, url = api
    finished = comment(tmp_path, url, event)
    assert finished.returncode == 0
    assert handler.requests == []


def test_a_token_of_a_fork_is_a_notice(tmp_path: Path, api: tuple[type[FakeApi], str]) -> None:
    handler, url = api
    handler.refuse = 403
    finished = comment(tmp_path, url, PULL)
    assert finished.returncode == 0
    assert finished.stdout.startswith("::notice title=refcheck::no comment")
    assert "secret-token" not in finished.stdout + finished.stderr


def test_another_failure_of_the_host_fails(tmp_path: Path, api: tuple[type[FakeApi], str]) -> None:
    handler, url = api
    handler.refuse = 500
    assert comment(tmp_path, url, PULL).returncode == 1
