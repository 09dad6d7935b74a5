"""Numbers that are wrong at the page's own revision, where the quoted text says which ones are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..model import verdict
from ..model.place import LineRange, Place
from .beside import spans_of_numbers
from .numbers import Target, number_edits
from .plan import Plan, PlanItem, item_of
from .standing import Standing


def where_it_stands(one: Standing) -> Place | None:
    """Where the text that a citation quotes stands in the cited file, if that is one place and not the cited one."""
    found = one.problem.found if isinstance(one.problem, verdict.Moved) else None
    if found is None or found.lines is None or one.citation.quote is None or one.citation.lines is None:
        return None
    if one.place is None or found.path != one.place.path:
        return None  # A path is for an author to write.
    if one.citation.last_digits is None and len(one.citation.lines) == 1:
        # One number before a block says where it begins.
        return replace(found, lines=LineRange(found.lines.first, found.lines.first))
    return found


def repaired(cited: Sequence[Standing]) -> tuple[Standing, ...]:
    """The citations as they stand after a repair: those that it puts right are followed from there."""
    return tuple(
        replace(one, place=right, problem=None) if (right := where_it_stands(one)) is not None else one for one in cited
    )


def repair_plan(cited: Sequence[Standing]) -> Plan:
    """The plan that changes numbers alone, to where the quoted text stands at the page's own revision."""
    numbers = {id(one.document): spans_of_numbers(one.document) for one in cited}
    items: list[PlanItem] = []
    for one in cited:
        right = where_it_stands(one)
        if right is not None:
            assert one.problem is not None
            edits = number_edits(one.document, one.citation, Target(right.lines, None), numbers[id(one.document)])
            items.append(item_of(one, one.problem, right, edits=edits.edits, left=edits.refused))
        elif one.problem is not None:
            items.append(item_of(one, one.problem, None, at_birth=True))
        else:
            items.append(item_of(one, verdict.Holds("right at its own revision", found=one.place), one.place))
    return Plan(tuple(items))
