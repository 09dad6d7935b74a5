"""Step of the action: posts the Markdown report on the pull request, or updates the one that it posted before.

Standard library only. Reads GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_PATH, GITHUB_TOKEN,
REFCHECK_COMMENT_FILE and REFCHECK_COMMENT_NAME. A token that may not write (a pull request from a fork has one)
is a notice, not a failure: the findings are in the log, the annotations and the reports all the same.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARKER = "<!-- refcheck-report"
TIMEOUT_S = 30
MOST_PAGES = 30


class Api:
    """The few calls of GitHub's REST API that comments need."""

    def __init__(self, root: str, repository: str, token: str) -> None:
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
            raise ValueError(f"not a repository: {repository!r}")
        self.root = f"{root.rstrip('/')}/repos/{repository}"
        self.token = token

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The decoded answer. Raises urllib.error.URLError."""
        request = urllib.request.Request(
            f"{self.root}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "User-Agent": "refcheck",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.loads(answer.read() or b"null")


def marked(text: str, name: str) -> str:
    """The report with a first line that names the job, so that two jobs do not overwrite each other's comment."""
    first = f"{MARKER}{' ' + re.sub(r'[^A-Za-z0-9_. -]', '', name).replace('--', '-') if name else ''} -->"
    rest = text.split("\n", 1)[1] if text.startswith(MARKER) else text
    return f"{first}\n{rest}"


def pull_request(event: object) -> int | None:
    """The number of the pull request that the event is about."""
    found = event.get("pull_request") if isinstance(event, dict) else None
    number = found.get("number") if isinstance(found, dict) else None
    return number if isinstance(number, int) else None


def earlier(api: Api, number: int, marker: str) -> int | None:
    """The id of this job's own comment. Anyone can write the marker: only an automation's comment counts."""
    for page in range(1, MOST_PAGES + 1):
        comments = api.call("GET", f"/issues/{number}/comments?per_page=100&page={page}")
        for comment in comments:
            if comment["user"]["type"] == "Bot" and (comment["body"] or "").split("\n", 1)[0].strip() == marker:
                return int(comment["id"])
        if len(comments) < 100:
            return None
    return None


def post(environment: Mapping[str, str]) -> str:
    """What was done, for the log."""
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    number = pull_request(event)
    if number is None:
        return "no comment: this run is not for a pull request"
    text = marked(
        Path(environment["REFCHECK_COMMENT_FILE"]).read_text("utf-8"), environment.get("REFCHECK_COMMENT_NAME", "")
    )
    api = Api(
        environment.get("GITHUB_API_URL") or "https://api.github.com",
        environment["GITHUB_REPOSITORY"],
        environment["GITHUB_TOKEN"],
    )
    known = earlier(api, number, text.split("\n", 1)[0])
    if known is None:
        api.call("POST", f"/issues/{number}/comments", {"body": text})
        return f"commented on #{number}"
    api.call("PATCH", f"/issues/comments/{known}", {"body": text})
    return f"updated the comment on #{number}"


def main() -> int:
    """1 where the API fails for another reason than a token that may not write."""
    try:
        print(post(os.environ))
    except urllib.error.HTTPError as error:
        if error.code in (401, 403, 404):
            print(f"::notice title=refcheck::no comment: the token may not write comments here ({error.code})")
            return 0
        print(f"::error title=refcheck::the comment could not be posted: {error.code}")
        return 1
    except urllib.error.URLError as error:
        reason = str(error.reason).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        print(f"::error title=refcheck::the comment could not be posted: {reason}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
