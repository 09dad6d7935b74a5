"""A small repository of pages about a made-up engine, with one broken citation."""

from __future__ import annotations

from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ENGINE = """class Queue:
    def __init__(self):
        self.items = []

    def push(self, item):
        if len(self.items) >= self.limit:
            raise Full("queue is full")
        self.items.append(item)
"""
PAGE = """# The queue

It refuses an item when it is full (`alpha/sched/queue.py:L{lines}`):

```python
def push(self, item):
    if len(self.items) >= self.limit:
        raise Full("queue is full")
    self.items.append(item)
```
"""
CONFIGURATION = f"""engines:
  alpha:
    origin: https://example.org/alpha/alpha.git
pins:
  alpha: {COMMIT}
sources:
  alpha: src
"""
BROKEN, FIXED = PAGE.format(lines="2-L5"), PAGE.format(lines="5-L8")


def write_sample(folder: Path, page: str) -> None:
    """`docs/page.md`, the engine's folder and `refcheck.yaml`."""
    for name, text in (("src/alpha/sched/queue.py", ENGINE), ("docs/page.md", page), ("refcheck.yaml", CONFIGURATION)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
