"""Work in a second process while this one goes on: a copy of this process, on systems that can fork.

Only where it pays and is safe: two processors, and no other thread in this process (a copied lock would stay locked).
The copy answers with verdicts as text; whatever goes wrong with it, the work is done here instead.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ..model.plain import dump, load

Answer = Callable[[], tuple[Any, ...]]


def can_fork() -> bool:
    """Whether a second process is possible and has a processor of its own."""
    if sys.platform != "linux":
        return False
    try:
        return len(os.sched_getaffinity(0)) > 1 and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def beside(work: Callable[[], Iterable[object]]) -> Answer:
    """Begins the work in a copy of this process; the result is called for its values (of refcheck.model.plain).

    The result must be called, once. It raises what the work raises.
    """
    try:
        reading, writing = os.pipe()
        child = os.fork()
    except OSError:
        return lambda: tuple(work())
    if child == 0:
        _answer(work, reading, writing)
    os.close(writing)

    def answer() -> tuple[Any, ...]:
        try:
            with os.fdopen(reading, "rb") as stream:
                text = stream.read().decode("utf-8", "surrogatepass")
        except BaseException:
            os.kill(child, 9)
            raise
        finally:
            _, status = os.waitpid(child, 0)
        if status == 0:
            return load(text.split("\n")[:-1])
        return tuple(work())  # the same error, if it is one, is raised here

    return answer


def _answer(work: Callable[[], Iterable[object]], reading: int, writing: int) -> None:
    """The copy's whole life. Nothing of the first process is closed, flushed or cleaned up by it."""
    code = 1
    try:
        os.close(reading)
        data = "".join(dump(work())).encode("utf-8", "surrogatepass")
        with os.fdopen(writing, "wb") as stream:
            stream.write(data)
        code = 0
    except BaseException:  # noqa: BLE001 - the first process does the work again and sees it
        code = 1
    finally:
        os._exit(code)
