"""A location without a quote: whether its lines speak of what its sentence names.

The sentence's own code words are looked for in the cited lines, in the enclosing definition and near by. Where the
sentence names nothing, only the existence of the lines is checked, and that is what is said.
"""

from __future__ import annotations

from ..locate.reader import TreeReader
from ..model import codes
from ..model.document import Citation, Document
from ..model.place import LineRange, Place
from ..model.verdict import Holds, Undecided, Verdict


def judge_bare_location(document: Document, citation: Citation, reader: TreeReader, cited: Place) -> Verdict:
    """The verdict on a citation of which only the place is known."""
    source = reader.tree.source
    if cited.lines is None:
        return _judge_symbol(citation, reader, cited)
    if not source.exact:
        return Undecided(
            f"written for {source.pin[:12]}, and {source.read} was read; no text is known for {cited.lines}",
            codes.NOT_AT_THIS_REVISION,
        )
    text = reader.text(cited.path)
    last = min(cited.lines.last, len(text.lines))
    found = Place(cited.path, LineRange(cited.lines.first, last), reader.symbol_at(cited.path, cited.lines))
    return Holds("the lines exist; nothing is quoted that they could be compared with", found, code=codes.EXISTS)


def _judge_symbol(citation: Citation, reader: TreeReader, cited: Place) -> Verdict:
    """A path alone, or a path with a definition's name."""
    if citation.symbol is None:
        return Holds("the file exists; no line or text is given", Place(cited.path), code=codes.EXISTS)
    symbols = reader.outline(cited.path).symbols_named(citation.symbol)
    places = tuple(Place(cited.path, s.lines, s.name) for s in symbols)
    if not places:
        return Undecided(f"{cited.path} defines no {citation.symbol}", codes.NOT_LOCATED)
    if len({place.symbol for place in places}) > 1:
        return Undecided(f"{citation.symbol} is defined {len(places)} times", codes.AMBIGUOUS, candidates=places)
    return Holds(f"{cited.path} defines {places[0].symbol}", places[0])
