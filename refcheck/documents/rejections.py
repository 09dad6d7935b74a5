"""What looks like a location and is the output of a program: log lines, tracebacks, profiles, test ids.

Judged on the line as it stands in the document, around the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_LEVEL = re.compile(r"\b(?:INFO|DEBUG|WARNING|WARN|ERROR|CRITICAL|FATAL|TRACE|NOTICE)\b")
_LEVELS = ("INFO", "DEBUG", "WARN", "ERROR", "CRITICAL", "FATAL", "TRACE", "NOTICE")
_TIME = re.compile(r"\b\d{1,2}:\d{2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{2}-\d{2} \d{2}:")
_GLOG = re.compile(r"^\W{0,4}[IWEFD]\d{4}\s+\d{2}:\d{2}")
_FILE_LINE = re.compile(r"\bFile\s+[\"'“]|\bfile\s+[\"'“][^\"'”]{1,300}[\"'”],\s*line\s+\d")
_PROMPT = re.compile(r"^\s*(?:\$|>>>|#\d+\s|\(gdb\)|\(Pdb\)|In \[\d+\]|==\d+==|\[\d+\]\s|\+\s)")
_GDB = re.compile(r"^\s*#\d+\s+(?:0x[0-9a-f]+\s+in\s|\S+\s*\(|.{0,200}\bat\s+\S+:\d)")
# Frames of JavaScript, Rust and Java end their line; a sentence may be wrapped before "at path.py:5", too.
_FRAME = re.compile(
    r"^\s*at\s+(?:\S.{0,200}\([^()]{1,200}:\d+:\d+\)|\S{1,200}:\d+:\d+|[\w.$<>]{1,200}\([\w$]{1,80}\.\w{1,6}:\d+\))\s*$"
)
_CRASH = re.compile(
    r"\+0x[0-9a-f]+|\bpanicked at\b|\bTraceback\b|"
    r"\bcore dumped\b|\bSegmentation fault\b|\bAssertion\b.{0,200}\bfailed\b"
)
_COMPILER = re.compile(
    r"^(?::\d{1,6})?[:\s]{0,3}(?:fatal\s+)?(?:error|warning|note|remark|info)"
    r"(?:\s?\[[\w-]{1,40}\]|\s[A-Z]{1,4}\d{1,5})?\s?:|"
    r"^\(\d+\)\s*:\s*(?:error|warning)|"
    r"^:\s?\w{0,60}(?:Warning|Error|Exception)(?::|\s*$)|"
    # Codes of linters by their letters: `H100` and `FP16` begin sentences about graphics cards and number formats.
    r"^(?::\d{1,6})?:\s{1,2}\[?(?:[EWFCNDIQT]|UP|S|RUF|SIM|PL[CEWR]|ANN|ARG|PT|PTH|TRY|RET|PERF|TS|BLE|COM|ERA|FBT|DTZ|"
    r"ISC|ICN|PIE|PYI|SLF|TCH|TID|NPY|PD|CA|SC|B(?=0|9))\d{3,5}\b"
)
# `transport.cpp:497 Requested address …`: native libraries write no level.
_NATIVE = re.compile(r"(?:^|/)[\w-]+\.(?:cc|cpp|cxx|cu|cuh|h|hpp|c):\d+$")
_MESSAGE = re.compile(r"\s{1,2}[A-Z][a-z]{2,20}\s[a-z0-9<\[]")
_TIGHT_WORD = re.compile(r"^[:(]+[A-Za-z_<]|^\)\s*:?\s*(?:error|warning)\b|^\(\w")
_PYTEST = re.compile(r"\bpytest\b|/(?:re-?)?run-(?:tests?|ci)\b|\b(?:PASSED|FAILED|SKIPPED|XFAIL|ERROR)\b")
# `/rerun-test path.py:12`: an order to a bot, with the tests that it is to run.
_ORDER = re.compile(
    r"/(?<![^\s`\"'(>]/)(?:[a-z]+-(?:and-)?)?(?:re-?)?(?:run|test|bench(?:mark)?|ci|bot|build)s?(?:-[a-z-]{1,30})?\s"
    r"(?:[a-z-]{1,20}\s)?(?:(?=[\w\[\]-]*+[./:])[\w.:/\[\]-]++\s){0,20}$"
)
_TYPED = re.compile(r"\s*(?:>>>|\.\.\.|\$|%|#|In \[)\s?")
_FOUND_BY_GREP = re.compile(r"[:-](?!\d)")
_NAMED_LINE = re.compile(r"([A-Za-z0-9_./-]{1,300}\.[A-Za-z]{1,5})(?:[\"']?, line |:)(\d{1,7})")
# What every match of `_CRASH` has, for speed.
_CRASH_SIGNS = ("+0x", "panicked at", "Traceback", "core dumped", "Segmentation fault", "Assertion")

_CONSOLE_LINE = re.compile(
    r"^\s*+(?:\(?[\w.-]{0,60}\s?pid=\d+\)?\s*)?(?:\[?\b(?:INFO|DEBUG|WARNING|ERROR|CRITICAL|FATAL)\b|"
    r"Traceback \(most recent|"
    r"File \"|[IWEF]\d{4} \d{2}:|\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}|\[\d{4}-\d{2}-\d{2}|"
    r"#\d+\s+0x|={10,}+$|={5,}+.*={5}$|Name\s+Self CPU|"
    r"\s*ncalls\s+tottime|\$ |>>> |collected \d+ items|\w+(?:Error|Exception): )"
)

CONSOLE_LANGUAGES = frozenset(
    {
        "console",
        "shell-session",
        "shellsession",
        "sh-session",
        "bash-session",
        "terminal",
        "term",
        "output",
        "out",
        "log",
        "logs",
        "logging",
        "stdout",
        "stderr",
        "traceback",
        "pytb",
        "python-traceback",
        "pycon",
        "python-repl",
        "gdb",
        "ansi",
        "text-output",
        "plain-output",
    }
)
SHELL_LANGUAGES = frozenset(
    {
        "sh",
        "bash",
        "shell",
        "zsh",
        "fish",
        "powershell",
        "ps1",
        "pwsh",
        "cmd",
        "bat",
        "batch",
        "dosbatch",
        "commandline",
    }
)


# One of these stands in every text with a line that `_CONSOLE_LINE` knows; looking for them is faster.
_CONSOLE_SIGNS = (
    "INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL", "FATAL", "Traceback", 'File "', "0x", "=====", "Self CPU",
    "ncalls",
    "$ ", ">>> ", "collected ", "Error: ", "Exception: ",
)  # fmt: skip
_DATED = re.compile(r"^\s*+(?:\[?\d{4}-\d{2}-\d{2}|[IWEF]\d{4} )", re.MULTILINE)
_DATE, _GLOG_DATE = re.compile(r"-\d{2}-\d{2}"), re.compile(r"[IWEF]\d{4} ")


def may_be_console(text: str) -> bool:
    """Whether a block holds anything that the output of a program is known by."""
    for sign in _CONSOLE_SIGNS:
        if sign in text:
            return True
    return (_DATE.search(text) or _GLOG_DATE.search(text)) is not None and _DATED.search(text) is not None


def is_console(lines: Iterable[str]) -> bool:
    """Whether the lines of a block that may be the output of a program are that."""
    return any(_CONSOLE_LINE.match(line[:400]) for line in lines)


REACH = 400
"""How many characters of a line, either way, are looked at."""


def line_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the document's line around `start` to `end` begins and ends, at most `REACH` either way."""
    begin = text.rfind("\n", max(0, start - REACH), start) + 1
    if begin == 0:
        begin = max(0, start - REACH)
    stop = text.find("\n", end, end + REACH)
    return begin, min(len(text), end + REACH) if stop == -1 else stop


def is_output(before: str, written: str, after: str, *, test_id: bool = False) -> bool:
    """Whether what is `written` between `before` and `after` on its line is part of a program's output."""
    line = before + written + after
    if _GLOG.match(line) or _GDB.match(line) or _FRAME.match(line):
        return True
    if "ile" in line and _FILE_LINE.search(line):
        return True
    if any(sign in line for sign in _CRASH_SIGNS) and _CRASH.search(line):
        return True
    # A message stands at the beginning of its line, or of a quotation.
    begins = not before.strip(" \t`>|-") or before.endswith(('"', "“", "'", "「"))
    if begins and _NATIVE.search(written) and _MESSAGE.match(after):
        return True
    if _COMPILER.match(after) or _TIGHT_WORD.match(after):
        return True
    if "/" in before and _ORDER.search(before[-300:]):
        return True
    near = before[-200:]
    level = _LEVEL.search(near) if any(word in near for word in _LEVELS) else None
    time = _TIME.search(near)
    if level and (
        time
        or before.rstrip().endswith("[")
        or after.startswith("]")
        or before[: level.start()].strip(" `*_[(>|-") == ""
    ):
        return not (level.start() and not time and not after.startswith("]"))
    if re.match(r"\s*\S{0,8}\s?[A-Z]{4}", after) and _LEVEL.search(after[:24]):
        return True
    if after.startswith("]"):
        opening = before.rfind("[")
        if opening == -1:
            return True
        if time and opening < len(before):
            return True
    if time and _CONSOLE_LINE.match(line):
        return True
    if test_id:
        return _PYTEST.search(line) is not None
    return False


_SPEAKS_OF_OUTPUT = re.compile(
    r"(?<![`\w])(?:logs?|logged|logging|log\slines?|trac(?:e|es|ed|ebacks?)|stack\s?traces?|errors?|warns?|warnings?|"
    r"outputs?|messages?|prints?|printed|stderr|stdout|console|crash(?:es|ed)?)(?![`\w])|"
    r"日志|输出|报错|堆栈|警告|打印",
    re.IGNORECASE,
)


def speaks_of_output(text: str) -> bool:
    """Whether a part of a sentence speaks of what a program wrote."""
    return _SPEAKS_OF_OUTPUT.search(text) is not None


def echoes(lines: Sequence[str]) -> set[tuple[str, int]]:
    """(path, line) pairs that a program names as its own place in what it wrote: a log's, a traceback's, a warning's.

    What somebody typed or looked up names places of the code instead: commands, comments, the finds of `grep -n`.
    """
    found: set[tuple[str, int]] = set()
    for line in lines:
        shown = line[:2000]
        if _TYPED.match(shown):
            continue
        for match in _NAMED_LINE.finditer(shown):
            before, after = shown[: match.start()], shown[match.end() :]
            if not before.strip() and _FOUND_BY_GREP.match(after) and not _COMPILER.match(after):
                continue
            found.add((match.group(1), int(match.group(2))))
    return found
