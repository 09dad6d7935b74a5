"""Places that look certain and are not: seams of blocks that were put in or taken out, and copies."""

from __future__ import annotations

import pytest

from refcheck.locate.follow import Ambiguous, Moved, Outcome, Request, Same, copies, follow, symbols
from refcheck.locate.follow.pair import Pair
from refcheck.model.source_text import SourceText

from .memory_tree import MemoryTree

CASES = """\
import pytest

CASES = [
    (
        "a short prompt",
        [
            Call(
                name="get_weather",
                city="Oslo",
                unit="celsius",
            )
        ],
        "answer one",
    ),
    (
        "a prompt with thoughts",
        [
            Call(
                name="get_weather",
                city="Oslo",
                unit="celsius",
            )
        ],
        "answer two",
    ),
    (
        "a prompt with a list",
        [
            Call(
                name="get_weather",
                city="Oslo",
                unit="celsius",
            )
        ],
        "answer three",
    ),
]


def check_all(parser):
    for prompt, calls, answer in CASES:
        parser.reset_state()
        assert parser.extract(prompt) == (calls, answer)
"""


def rows(text: str) -> list[str]:
    return text.splitlines()


def text_of(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def number(text: str, part: str, nth: int = 0) -> int:
    return [n for n, line in enumerate(rows(text), 1) if part in line][nth]


def ask(old: str, new: str, first: int, last: int) -> Outcome:
    (followed,) = follow([Request("m.py", first, last)], MemoryTree({"m.py": old}), MemoryTree({"m.py": new}))
    return followed.outcome


def found(outcome: Outcome) -> tuple[int, int] | None:
    if isinstance(outcome, Same | Moved) and outcome.place.lines is not None:
        return outcome.place.lines.first, outcome.place.lines.last
    return None


def pair_of(old: str, new: str) -> Pair:
    return Pair(SourceText("m.py", "", old), SourceText("m.py", "", new))


def moved_block(text: str, first: int, last: int, before: int) -> str:
    """Lines `first` to `last` go before line `before` (1-based, all of the older text)."""
    lines = rows(text)
    block = lines[first - 1 : last]
    if before > last:
        return text_of([*lines[: first - 1], *lines[last : before - 1], *block, *lines[before - 1 :]])
    return text_of([*lines[: before - 1], *block, *lines[before - 1 : first - 1], *lines[last:]])


def test_a_block_that_moved_away_took_the_end_of_the_range_with_it() -> None:
    # What closes up behind the block begins with the very lines that the block began with.
    first = number(CASES, 'city="Oslo"')
    second = number(CASES, 'city="Oslo"', 1)
    new = moved_block(CASES, first, second - 1, number(CASES, "parser.reset_state()"))
    start = number(CASES, '"a short prompt"')
    assert found(ask(CASES, new, start, first + 1)) is None
    assert found(ask(CASES, new, start, start)) == (start, start)


def test_a_block_that_moved_away_took_the_beginning_of_the_range_with_it() -> None:
    end = number(CASES, "            )", 1)
    first = number(CASES, "            )") + 1
    new = moved_block(CASES, first, end, number(CASES, "parser.reset_state()"))
    assert found(ask(CASES, new, end - 1, end + 2)) is None


BODIES = """\
def first_request(server):
    request = build(
        id="req-1",
        fps=24,
        kind="video",
    )
    batch = Batch(rate=None)
    gray = load("gray")
    frames = server.render(gray, request)
    assert frames.total == 4
    assert frames.kind == "gray"


def second_request(server):
    request = build(
        id="req-1",
        fps=24,
        kind="video",
    )
    batch = Batch(rate=None)
    output = load("tensor")
    server.refuse(output, batch)
    assert server.refused == 1
"""


@pytest.mark.parametrize("kept", ["first_request", "second_request"])
def test_a_function_that_closes_up_over_the_rest_of_another(kept: str) -> None:
    # One body is left under one header; whose first lines these are, the text does not say.
    lines = rows(BODIES)
    head = number(BODIES, "def second_request")
    body = lines[head:]
    new = text_of([f"def {kept}(server):", *body])
    assert found(ask("import engine\n\n\n" + BODIES, "import engine\n\n\n" + new, 1, 4 + 6)) is None


def test_a_range_that_ends_in_a_function_that_left() -> None:
    old = "def load(path):\n    data = read(path)\n    if not data:\n        raise\n\n\n"
    old += "def send(path):\n    post(path, timeout=3)\n    if not posted(path):\n        raise\n\n\n"
    old += "def info(path):\n    found = ask(path)\n    checked = check(found, path)\n    logged = log(checked)\n"
    old += "    for one in logged:\n        keep(one)\n        count(one)\n    close(logged)\n    return found.rank\n"
    new = old[: old.index("def send")] + old[old.index("def info") :]
    start = number(old, "raise", 1)
    assert found(ask(old, new, start, start + 5)) is None
    assert found(ask(old, new, start + 3, start + 5)) == (7, 9)


LAUNCH = '''\
import kernels


def launch(plan, lengths):
    """Fill the plan.

    Verify entries: one for each position in the window,
    with its previous slot, or none at the start.
    Write entries: one for each request,
    whose tokens the kernel reads from the batch.
    """
    size = plan.capacity()
    if size < lengths.total():
        raise TooSmall(size)
    kernels.offsets(plan, lengths, size)
    kernels.entries(plan, lengths, size)
    return plan
'''


def test_a_copied_block_that_begins_with_a_word_of_the_range() -> None:
    # `self,` says nothing alone; with what follows it there, it is the first line of the original's parameters.
    old = "class Layer:\n    def attend(\n        self,\n        positions,\n        states,\n        batch,\n    ):\n"
    old += "        return self.mix(positions, states)\n\n    def forward(\n        self,\n        positions,\n"
    old += "        states,\n        residual,\n        batch,\n    ):\n        return self.attend(positions, states)\n"
    lines = rows(old)
    new = text_of([*lines[:10], *lines[2:8], *lines[10:]])
    assert found(ask(old, new, 8, 11)) is None
    assert found(ask(old, new, 1, 2)) == (1, 2)


def test_a_function_whose_copy_stands_beside_it_in_the_file_that_it_moved_to() -> None:
    lines = rows(LAUNCH)
    other = "import os\n\n\ndef stop(plan):\n    plan.close()\n    os.sync()\n    return plan.closed\n"
    edited = [line.replace("size", "room") for line in lines[3:]]
    copy = [line.replace("def launch", "def launch_new") for line in lines[3:]]
    old = MemoryTree({"m.py": LAUNCH + "\n\n" + other})
    first = number(LAUNCH, "size = plan")
    for moved, certain in ((edited, False), ([], True)):
        new = MemoryTree({"m.py": "import kernels\n\n\n" + other, "part.py": text_of([*copy, "", "", *moved])})
        (followed,) = follow([Request("m.py", first, first + 2)], old, new)
        assert isinstance(followed.outcome, Moved) is certain


def test_a_function_that_closed_up_in_the_file_that_it_moved_to() -> None:
    timed = "def timed(method, value):\n    for _ in range(3):\n        method(value)\n    synchronize()\n"
    timed += "    begin = clock.now()\n    for _ in range(100):\n        method(value)\n    synchronize()\n"
    timed += "    end = clock.now()\n    return end - begin\n"
    other = "import clock\n\n\ndef stop(plan):\n    plan.close()\n    return plan.closed\n\n\n"
    lines = rows(timed)
    old = MemoryTree({"m.py": other + timed})
    first = number(other + timed, "        method(value)", 1)
    for there, certain in (([*lines[:3], *lines[7:]], False), (lines, True)):
        new = MemoryTree({"m.py": other, "part.py": "import clock\n\n\n" + text_of(there)})
        (followed,) = follow([Request("m.py", first, first + 3)], old, new)
        assert isinstance(followed.outcome, Moved) is certain


def test_a_definition_of_which_little_is_left_where_another_file_has_the_rest() -> None:
    lines = rows(LAUNCH)
    body = lines[3:]
    other = "def stop(plan):\n    plan.close()\n    return plan.closed\n"
    grown = [*body[:-1], *(f"    kernels.step_{at}(plan, lengths)" for at in range(20)), body[-1]]
    old = MemoryTree({"m.py": text_of([*lines[:3], *grown]) + "\n\n" + other})
    for there, certain in ((grown, False), (rows(other), True)):
        new = {"m.py": text_of([*lines[:3], *body[:6], "    return None"]) + "\n\n" + other, "part.py": text_of(there)}
        (followed,) = follow([Request("m.py", 6, 7)], old, MemoryTree(new))
        assert isinstance(followed.outcome, Same | Moved) is certain


def test_a_moved_block_whose_first_line_stayed_behind() -> None:
    old = """\
def chunks(lines, limit):
    total = 0
    for line in lines:
        if not line.strip():
            continue

        record = parse(line)
        tokens = encode(record)
        if not tokens:
            continue

        cost = price_of(tokens)
        after = total + cost
        if after > limit:
            raise TooMany(after)
        total = after
        yield tokens
"""
    first, last = number(old, "cost = price_of"), number(old, "yield tokens")
    new = moved_block(old, first, last, number(old, "record = parse"))
    assert found(ask(old, new, first - 2, first + 2)) is None


def test_a_copy_whose_header_is_hidden_in_a_string() -> None:
    # Three quotes that a block brought along turn all that follows inside out: the copy seems to be of the original.
    lines = rows(LAUNCH)
    copy = [line.replace("def launch", "def launch_new") for line in lines[3:]]
    first = number(LAUNCH, "Write entries") + 1
    for between, hidden in ((['    """', "    plan.close()"], True), (["    plan.close()"], False)):
        new = text_of([*lines, *between, "", "", *copy])
        pair = pair_of(LAUNCH, new)
        start, end = pair.old.span(first, first)
        place, _ = pair.new.span(len(lines) + len(between) + 2 + first - 3, len(new))
        assert pair.new.text(place) == pair.old.text(start)
        assert symbols.hides_header(pair, start, end, place) is hidden
        assert not symbols.hides_header(pair, start, end, start)


PROMPTS = """\
def main(model):
    prompts = read_prompts()
    llm = Engine(model)

    # The first generation.
    outputs = llm.generate(
        prompts,
        limit=1,
    )

    collected = []
    show("-" * 30)
    for output in outputs:
        collected.append(output.prompt + output.text)
        show(output.text)

    with open("out.txt", "w") as file:
        file.write(str(collected))
"""


def test_a_copy_on_the_wrong_side_of_what_stood_beside_the_original() -> None:
    # A copy went above the call that stood above the original.
    lines = rows(PROMPTS)
    call, block = number(PROMPTS, "# The first"), number(PROMPTS, "collected = []")
    new = text_of([*lines[: call - 1], *lines[block - 1 : block + 4], "", *lines[call - 1 :]])
    pair = pair_of(PROMPTS, new)
    start, end = pair.old.span(block, block)
    copy, original = (pair.new.span(number(new, "collected = []", nth), len(new))[0] for nth in (0, 1))
    assert copies.displaced(pair, start, end, copy)
    assert not copies.displaced(pair, start, end, original)


def test_a_copy_on_the_wrong_side_of_what_stood_below_the_original() -> None:
    lines = rows(PROMPTS)
    block, file = number(PROMPTS, "collected = []"), number(PROMPTS, "with open")
    new = text_of([*lines, *lines[block - 1 : file - 2]])
    pair = pair_of(PROMPTS, new)
    start, end = pair.old.span(file - 2, file - 2)
    copy, original = (pair.new.span(number(new, "        show(output.text)", nth), len(new))[0] for nth in (1, 0))
    assert copies.displaced(pair, start, end, copy)
    assert not copies.displaced(pair, start, end, original)


def test_a_copied_map_of_which_the_original_was_edited() -> None:
    old = 'SPACES = {\n    "cta": CTA_SPACE,\n    "cluster": CLUSTER_SPACE,\n}\n\nORDERS = {\n    "weak": WEAK_ORDER,\n}\n'
    old += "\n\n" + PROMPTS
    edited = old.replace("SPACES = {", "SPACES_V2 = {").replace("SPACE,\n}", "SPACE,\n}  # the end")
    body = edited[edited.index("ORDERS") :]
    new = body + "\n\n" + edited[: edited.index("ORDERS")] + "\n\n" + old[: old.index('    "weak"')]
    assert found(ask(old, new, 4, 4)) is None


def test_a_copy_with_more_around_it_than_one_line() -> None:
    # The lines directly beside the copy were edited, those beyond them were not: more than one line was copied.
    old = "def find(log, tags, reason):\n    for match in LINES.finditer(log):\n        field = match.group(2)\n"
    old += "        if reason not in field:\n            continue\n        if any(fits(tag) for tag in tags):\n"
    old += "            return True\n    return tags.missing\n\n\ndef refuse(log):\n    raise Unexpected(log)\n"
    block = rows(old)[2:8]
    for kept in (True, False):
        rest = block[3:] if kept else ["        unlike = 1"]
        copy = ["    for other in log:", "        field_v2 = match.group(2)", block[1], "            pass", *rest]
        new = old.replace("            continue", "            skip()") + text_of(copy)
        pair = pair_of(old, new)
        start, end = pair.old.span(4, 4)
        place, _ = pair.new.span(number(new, "if reason", 1), len(new))
        assert copies.parted(pair, start, end, start, place) is not kept


ARGUMENTS = """\
def project(x):
    return linear(
        x,
        hidden_size,
        num_heads,
        quant_config=quant_config,
        prefix=prefix,
    )


def load_weights(model, items):
    names = dict(model.named_parameters())
    for name, value in items:
        if name not in names:
            raise Missing(name)
        names[name].copy_(value)
    return sorted(names)


def attend(query, key):
    scores = multiply(
        query,
        key,
        num_heads,
        scale=scale,
    )
    weights = softmax(scores)
    return weights
"""

SIMILAR = """\
def attend_sparse(query, key):
    scores = multiply_sparse(
        query,
        key,
        num_heads,
        quant_config=quant_config,
        scale=scale,
    )
    weights = softmax(scores)
    return weights


"""


def test_argument_lists_that_are_repeated_by_a_new_function_hide_nothing() -> None:
    new = ARGUMENTS.replace("def attend(", SIMILAR + "def attend(").replace("import", "from")
    for part, size in (("hidden_size", 3), ("names = dict", 4), ("    )", 1)):
        first = number(ARGUMENTS, part)
        assert found(ask(ARGUMENTS, new, first, first + size - 1)) == (first, first + size - 1), part


def test_a_bracket_that_stands_again_in_a_long_unchanged_part() -> None:
    new = "imported(\n    engine,\n    )\n\n\n" + ARGUMENTS
    first = number(ARGUMENTS, "    )")
    assert found(ask(ARGUMENTS, new, first, first)) == (first + 5, first + 5)


METHODS = """\
class Engine:
    def start(self, port):
        self.socket = listen(port)
        self.socket.set_timeout(30)
        self.started = clock.now()
        return self.socket


class Client:
    def ask(self, question):
        return self.channel.send(question)
"""


def test_another_class_gets_a_method_of_the_same_name() -> None:
    new = METHODS + "\n    def start(self, port):\n        self.channel = Channel(port)\n        self.channel.greet()\n"
    assert found(ask(METHODS, new, 3, 4)) == (3, 4)


def test_another_class_gets_a_copy_of_the_method() -> None:
    copy = METHODS[METHODS.index("    def start") : METHODS.index("\n\nclass Client")]
    edited = METHODS.replace("set_timeout(30)", "set_timeout(60)")
    assert not isinstance(ask(METHODS, edited + "\n" + copy, 4, 4), Same | Moved)
    assert isinstance(ask(METHODS, METHODS + "\n" + copy, 1, 6), Same | Moved | Ambiguous)


def test_what_keeps_its_name_in_a_renamed_class() -> None:
    new = METHODS.replace("class Engine", "class Server").replace("self.started = clock.now()", "self.ready = True")
    outcome = ask(METHODS, new, 3, 4)
    assert found(outcome) == (3, 4)
    assert isinstance(outcome, Moved)
    assert outcome.place.symbol == "Server.start"
