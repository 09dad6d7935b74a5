"""Coverage-guided fuzzing of what strangers hand to the tool, in turns, each with its fair share of the time.

    python -m tests.fuzz.run --seconds 3600 --into FOLDER [SURFACE…]

FOLDER keeps the grown corpus, the findings (one input of each kind, with its traceback) and `totals.json`, so that a
later run goes on where this one ended. Exit code 1 where something was found.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from .judged import file_name, judge
from .surfaces import HEADER, NAMES, opened, surface

_TURN = 60
"""Seconds of one turn: short enough that a surface whose process ends early costs the others nothing."""
_SLACK = 2.0
"""Instrumented code is slower; what is slow is judged again without instruments."""
_LARGEST = 2048


def main() -> int:
    """Runs the turns, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("surfaces", nargs="*", metavar="SURFACE", help=", ".join(NAMES))
    parser.add_argument("--seconds", type=int, default=60 * len(NAMES), help="of all surfaces together")
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--turn", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.surfaces or list(NAMES)
    if unknown := [name for name in names if name not in NAMES]:
        parser.error(f"no such surface: {', '.join(unknown)} (known: {', '.join(NAMES)})")
    if options.turn:
        return _turn(names[0], options.into, options.turn)
    return _turns(names, options.into, options.seconds)


def _turns(names: list[str], into: Path, seconds: int) -> int:
    for name in names:
        _plant(name, into)
    rounds = max(1, round(seconds / (_TURN * len(names))))
    turn = max(1, seconds // (rounds * len(names)))
    for number in range(rounds):
        for name in names:
            command = [sys.executable, "-m", "tests.fuzz.run", name, "--into", str(into), "--turn", str(turn)]
            started = time.monotonic()
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            log = done.stdout.decode("utf-8", "replace")
            totals = _count(name, into, log, time.monotonic() - started)
            print(f"{number + 1}/{rounds} {name}: {totals}", flush=True)
            if done.returncode:
                _keep_crash(name, into, log, done.returncode)
    found = sorted(path for path in (into / "findings").glob("*/*") if path.suffix != ".txt")
    print(f"{len(found)} findings in {into / 'findings'}")
    return 1 if found else 0


def _plant(name: str, into: Path) -> None:
    corpus = into / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    for data in surface(name).seeds():
        (corpus / file_name("seed", data)).write_bytes(data)


def _count(name: str, into: Path, log: str, took: float) -> dict[str, float]:
    """Adds one turn to the totals of a surface: what libFuzzer says at its end."""
    path = into / "totals.json"
    totals = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    mine = totals.setdefault(name, {"runs": 0, "seconds": 0, "executions": 0, "edges": 0, "features": 0, "corpus": 0})
    pulses = re.findall(r"^#(\d+)\s.*?\bcov: (\d+) ft: (\d+) corp: (\d+)", log, re.MULTILINE)
    executed = re.search(r"number_of_executed_units: (\d+)", log)
    mine["runs"] += 1
    mine["seconds"] = round(mine["seconds"] + took)
    mine["executions"] += int(executed[1] if executed else pulses[-1][0] if pulses else 0)
    if pulses:
        mine["edges"], mine["features"], mine["corpus"] = (int(figure) for figure in pulses[-1][1:])
    path.write_text(json.dumps(totals, indent=1), encoding="utf-8")
    return dict(mine)


def _keep_crash(name: str, into: Path, log: str, code: int) -> None:
    """What ended the process itself (a native fault, a hang, too much memory) is a finding too; libFuzzer wrote it."""
    folder = into / "findings" / name
    folder.mkdir(parents=True, exist_ok=True)
    written = re.search(r"Test unit written to (\S+)", log)
    kind = f"ended-{code}"
    data = Path(written[1]).read_bytes() if written else b""
    (folder / file_name(kind, data)).write_bytes(data)
    (folder / f"{file_name(kind, data)}.txt").write_text(log[-6000:], encoding="utf-8")


def _turn(name: str, into: Path, seconds: int) -> int:
    """One surface for some seconds, in a process whose modules are instrumented."""
    import atheris

    with atheris.instrument_imports(include=["refcheck"]):
        target = surface(name)
        for data in target.seeds():
            judge(target, data, len(data), _SLACK)
    folder = into / "findings" / name
    folder.mkdir(parents=True, exist_ok=True)
    met = {path.stem.rpartition("-")[0] for path in folder.iterdir()}

    def one(data: bytes) -> None:
        _, payload = opened(data)
        found = judge(target, data, len(payload) + HEADER, _SLACK)
        if found is None:
            return
        named = file_name(found.kind, data)
        if named.rpartition("-")[0] not in met:
            met.add(named.rpartition("-")[0])
            (folder / named).write_bytes(data)
            (folder / f"{named}.txt").write_text(found.text, encoding="utf-8")

    corpus = into / "corpus" / name
    artifacts = into / "artifacts" / name
    artifacts.mkdir(parents=True, exist_ok=True)
    atheris.Setup(
        [
            name,
            str(corpus),
            f"-max_total_time={seconds}",
            f"-max_len={_LARGEST}",
            "-timeout=60",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            "-use_value_profile=0",
            f"-artifact_prefix={artifacts}/",
        ],
        one,
    )
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
