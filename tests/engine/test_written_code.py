"""Code and messages that a sentence repeats, members that it gives to a class, and links that end their paragraph."""

from __future__ import annotations

import pytest

from tests.engine.pages import check_page

FILE = "toy/pool.py"
LINK = "https://git.example/toy/toy/blob/0123456789abcdef0123456789abcdef01234567/toy/pool.py#"
SOURCE = '''\
class Config:
    share: float = Field(default=0.75, gt=0, le=1)
    """How much of the memory is used."""
    limit: int = field(
        default=64,
        repr=False,
    )
    depth: int = 4


class Stack(list[int], Base):
    def take(self, wait: bool = False) -> int:
        if not self:
            raise LookupError("nothing on the stack")
        return self[-1]

    def drop(self) -> None:
        return self.clear_all(self.items[0])


class Ring(Base):
    def take(self, wait: bool = False) -> int:
        if not self.items:
            raise LookupError("nothing in the ring")
        return self.items[self.head]
'''

WRONG = {
    "code of another line": "The line `return self[-1]` stands at `toy/pool.py:18`.",
    "code of another line whose names are here": "It returns `self.items[self.head]` (`toy/pool.py:23`).",
    "a message of another function": 'It fails with "nothing in the ring" (`toy/pool.py:14`).',
    "a message in printed quotation marks": "It fails with “nothing on the stack” (`toy/pool.py:24`).",
    "what another definition returns": "`Stack.take` (`toy/pool.py:12-15`) returns `self.items[self.head]`.",
    "what another definition returns, in Chinese": "`take`（`toy/pool.py:22`）返回 `self.clear_all(self.items[0])`。",
    "what another definition raises": '`Stack.take` (`toy/pool.py:12`) raises `LookupError("nothing in the ring")`.',
    "a parameter that is not there": "`def take(self, count: int) -> int` is at `toy/pool.py:12`.",
    "a base that is not there": "`class Stack(Mixin, Base)` begins at `toy/pool.py:11`.",
    "another default, as it is written": "`share: float = Field(default=0.5, gt=0, le=1)` (`toy/pool.py:2`).",
    "another bound": "`share: float = Field(default=0.75, gt=0, le=2)` (`toy/pool.py:2`).",
    "another default of a field": "The field `share = 0.5` is at `toy/pool.py:2`.",
    "another default of a field of many lines": "The field `limit = 32` is at `toy/pool.py:4-7`.",
    "another default in words": "`share` defaults to 0.5 (`toy/pool.py:2`).",
    "another default in words, the other way": "The default of `depth` is 5 (`toy/pool.py:8`).",
    "another default in Chinese": "`share` 的默认值为 `0.5`（`toy/pool.py:2`）。",
    "the member of another class": "The method `take` of `Ring` is at `toy/pool.py:12-15`.",
    "the member of another class, called": "The method `take()` of the class `Ring` is at `toy/pool.py:12-15`.",
    "the member of another class, owned": "`Ring`'s `take` is at `toy/pool.py:12-15`.",
    "the member of another class in Chinese": "`Ring` 的 `take` 在 `toy/pool.py:12-15`。",
    "a link that is the paragraph": f"[`Ring.take`]({LINK}L12-L15)",
    "a link that ends the paragraph": f"See [`drop`]({LINK}L12-L15)",
    "a link that is an item": f"- [`drop`]({LINK}L12-L15)\n- [`take`]({LINK}L17-L18)",
}
RIGHT = {
    "code of that line": "The line `return self[-1]` stands at `toy/pool.py:15`.",
    "code of the definition that begins there": "It ends in `return self[-1]` (`toy/pool.py:12`).",
    "the other kind of quotation mark": "`raise LookupError('nothing on the stack')` is at `toy/pool.py:14`.",
    "a message": 'It fails with "nothing in the ring" (`toy/pool.py:24`).',
    "a message that no file has": 'It fails with "no luck at all here" (`toy/pool.py:24`).',
    "a short header": "`def take(self)` is at `toy/pool.py:12`.",
    "a header with dots": "`def take(...)` is at `toy/pool.py:12`.",
    "a header without its types": "`class Stack(Base)` begins at `toy/pool.py:11`.",
    "a short field": "`share = Field(default=0.75)` (`toy/pool.py:2`).",
    "the default": "The field `share = 0.75` is at `toy/pool.py:2`; `limit = 64` at `toy/pool.py:4-7`.",
    "the default in other figures": "`share` defaults to 0.750 (`toy/pool.py:2`).",
    "a setting for readers": "Set `share=0.5` where memory is short (`toy/pool.py:2`).",
    "a default of something else": "The default of the server is 5 where `depth` is read (`toy/pool.py:8`).",
    "the member": "The method `take` of `Ring` is at `toy/pool.py:22-25`.",
    "a member of what is implemented": "`Stack` implements `take` of `Ring` (`toy/pool.py:12-15`).",
    "a member of a class of elsewhere": "`Stack` has `take` of `Base` (`toy/pool.py:12-15`).",
    "a link that ends the paragraph": f"See [`Stack.take`]({LINK}L12-L15)",
    "what it returns": "`Stack.drop` (`toy/pool.py:17`) returns `self.clear_all(self.items[0])`.",
    "what it returns, cited by another line of it": "`take` checks (`toy/pool.py:23`) and returns `self.items[self.head]`.",
    "a type that it returns": "`Stack.drop` (`toy/pool.py:17-18`) returns `list[int]`.",
    "in contrast": "Unlike `return self[-1]`, this one clears (`toy/pool.py:18`).",
}


@pytest.mark.parametrize("sentence", WRONG.values(), ids=WRONG.keys())
def test_what_is_written_otherwise_does_not_hold(sentence: str) -> None:
    report = check_page(sentence + "\n", {FILE: SOURCE})
    assert report.findings
    for finding in report.findings:
        assert finding.verdict.code.id in ("RC102", "RC109"), finding.verdict.message


@pytest.mark.parametrize("sentence", RIGHT.values(), ids=RIGHT.keys())
def test_what_is_written_as_it_is_holds(sentence: str) -> None:
    report = check_page(sentence + "\n", {FILE: SOURCE})
    assert report.findings
    for finding in report.findings:
        assert finding.verdict.code.id in ("RC000", "RC001"), finding.verdict.message


@pytest.mark.parametrize("lead", ["# `Stack`", "`Stack`", "# Stack"])
def test_a_second_range_in_a_header_leans_on_what_stands_before_the_block(lead: str) -> None:
    code = "\n".join(SOURCE.splitlines()[11:18])
    page = f"{lead}\n\n```python\n# toy/pool.py:12-15 and toy/pool.py:17-18\n{code}\n```\n"
    report = check_page(page, {FILE: SOURCE})
    assert all(finding.verdict.code.id in ("RC000", "RC001", "RC106") for finding in report.findings)
    assert len(report.findings) == 3
