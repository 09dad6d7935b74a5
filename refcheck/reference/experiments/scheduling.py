"""A simulation of the counting that a scheduler does to decide how many tokens a request runs next."""

from __future__ import annotations

from refcheck.errors import ReferenceInputError
from refcheck.reference.experiments.measurement import Result, Scalar


def scheduler_counts(asynchronous: bool = False, prompt: int = 2048, steps: int = 512, spec: int = 0) -> Result:
    """The whole expression for num_new_tokens is 1 in decode; without placeholders it is 1 only if
    scheduling waits.

    Synchronous: a step's token is appended before the next is scheduled. Asynchronous: the next step is
    scheduled while the token is still a placeholder that the request counts apart from its tokens. `spec`
    draft tokens are scheduled with each decode step and all rejected.
    """
    if asynchronous and spec:
        raise ReferenceInputError("drafts under asynchronous scheduling are not simulated; leave out one of the two")
    tokens, placeholders, computed, outputs = prompt, 0, 0, 0
    without, whole, last_positions, seq_lens = [], [], [], []
    for step in range(steps + 1):
        if asynchronous and step > 1:  # the step before last came back
            tokens, placeholders = tokens + 1, placeholders - 1
        drafts = spec if step else 0
        difference = tokens + drafts - computed
        new = difference + placeholders
        without.append(difference)
        whole.append(new)
        last_positions.append(computed + new - 1)
        seq_lens.append(computed + new)
        computed += new - drafts  # rejected drafts are taken back
        outputs += 1
        if asynchronous:
            placeholders += 1
        else:
            tokens += 1
    consistent = all(p == s - 1 for p, s in zip(last_positions, seq_lens, strict=True))
    values: dict[str, Scalar] = {
        "without_placeholders": tuple(sorted(set(without[1:]))), "whole_expression": tuple(sorted(set(whole[1:]))),
        "prefill": whole[0], "outputs": outputs, "last_position": last_positions[-1], "last_seq_len": seq_lens[-1],
    }  # fmt: skip
    mode = "asynchronous" if asynchronous else "synchronous"
    summary = f"{mode}: tokens - computed is {set(without[1:])} in decode, with placeholders {set(whole[1:])}"
    return set(whole[1:]) == {1 + spec} and consistent, values, summary
