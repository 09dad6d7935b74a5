"""The stable codes of findings: what each means and what to do, apart from a message's wording.

RC0xx nothing wrong; RC1xx quotes and locations; RC2xx links and revisions; RC3xx claims; RC4xx not judged;
RC5xx documents.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """`id` is stable for ever; `title` a few words; `meaning` and `remedy` are shown by `refcheck explain`."""

    id: str
    title: str
    meaning: str
    remedy: str

    def __str__(self) -> str:
        return self.id


CODES: dict[str, Code] = {}


def _code(number: int, title: str, meaning: str, remedy: str) -> Code:
    code = Code(f"RC{number:03d}", title, meaning, remedy)
    if code.id in CODES:
        raise ValueError(f"{code.id} is defined twice")
    CODES[code.id] = code
    return code


HOLDS = _code(0, "holds", "What the page says is so at the revision that was read.", "Nothing to do.")

MOVED = _code(
    101,
    "moved",
    "The cited code is intact, but stands at other lines or in another file than cited.",
    "`refcheck regen DOC --to ENGINE=REV --write` rewrites the numbers.",
)
CHANGED = _code(
    102,
    "changed",
    "The place exists, but its text differs from what the page quotes or the anchor recorded.",
    "Read the difference; correct the quote, or accept the new text with `refcheck regen --accept ID`.",
)
GONE = _code(
    103,
    "gone",
    "Nothing in the revision that was read corresponds to the cited code.",
    "Rewrite the paragraph, or pin it to a revision that still has the code.",
)
RANGE_WIDER = _code(
    104,
    "range wider than the quote",
    "The cited lines contain the quoted text and more lines beside it.",
    "Narrow the range to the quoted lines, or mark the cut with `# ...`.",
)
QUOTE_UNMARKED = _code(
    105,
    "quote with an unmarked cut or addition",
    "The quote matches only when lines that it drops or adds without a mark are set aside.",
    "Mark the cut with `# ...`, or quote the lines as they stand.",
)
RANGE_PARTIAL = _code(
    106,
    "range covers a part of what it is cited for",
    "The cited lines are part of the symbol, but not the lines that the sentence speaks of (say, only the "
    "signature of a function that is cited for a call in its body).",
    "Cite the lines of the statement itself.",
)
RANGE_OFF = _code(
    107,
    "range does not fit the symbol",
    "The cited lines begin or end beside the symbol that they are cited for.",
    "Use the symbol's own lines; the finding names them.",
)
QUOTE_ELIDED = _code(
    108,
    "quote whose elision hides what the text speaks of",
    "The quote matches around its elisions, but an elision hides lines that the surrounding text relies on.",
    "Show the hidden statement, or say that it is cut.",
)
WRONG_AT_BIRTH = _code(
    109,
    "the cited lines do not speak of this",
    "The sentence names code that does not stand in the cited lines, but stands elsewhere.",
    "Check the number against the place that the finding names.",
)
PARAPHRASE = _code(
    110,
    "not verbatim",
    "A block that is shown as the engine's code resembles the cited lines without being them.",
    "Quote the code as it stands, or say that it is a sketch.",
)
COPY_ELSEWHERE = _code(
    111,
    "gone here, a twin stands elsewhere",
    "The cited code left its place; the same text stood elsewhere before and still does, which is not a move.",
    "Decide whether the twin is what the page is about.",
)

UNPINNED = _code(
    201,
    "unpinned link",
    "The link names a branch, so that its lines change under the reader.",
    "`refcheck regen DOC --pin-links --write` replaces it by a permalink.",
)
REVISION_UNKNOWN = _code(
    202,
    "revision cannot be resolved",
    "The commit, tag or branch of the citation cannot be had from any source of the run.",
    "Use a full 40-digit commit, or name a mirror that has it.",
)
LABEL_DIFFERS = _code(
    203,
    "label and link differ",
    "The text of a link names other lines than its address.",
    "Make both say the same; `refcheck regen` rewrites both together.",
)

CONTRADICTED = _code(
    301,
    "contradicted",
    "The statement is false: what was computed or read differs from what is stated.",
    "Correct the statement; the evidence shows the expected and the found.",
)
IMPRECISE_CLAIM = _code(
    302,
    "true only under a generous reading",
    "A strict check of the statement fails and a generous one passes.",
    "State the condition that makes it true.",
)
IMPRECISE_NUMBER = _code(
    303,
    "number off by less than one unit of its last digit",
    "The stated figure is cut rather than rounded, or holds only for some of the parameters it may mean.",
    "Round the exact value that the finding shows, or say which parameters are meant.",
)

AMBIGUOUS = _code(
    401,
    "ambiguous",
    "Two or more places fit equally well; none is guessed.",
    "Name the path, or more of it, next to the quote.",
)
NOT_AT_THIS_REVISION = _code(
    402,
    "not judged on this revision",
    "Line numbers were written for another revision than the one that could be read.",
    "Give a source for the pinned commit: `--source ENGINE=PATH`, or a mirror.",
)
NOT_CARRIED = _code(
    403,
    "not carried by the archive",
    "The release archive does not package this part of the repository.",
    "Read the commit instead of the release.",
)
UNREACHABLE = _code(
    404,
    "could not be read",
    "No source of the run has the file, the revision or the page.",
    "The finding lists what was tried.",
)
UNSUPPORTED = _code(
    405,
    "cannot be evaluated",
    "The engine's own lines use a construct that the evaluator does not interpret, or exceed its bounds.",
    "Check this statement by hand; the construct is named.",
)
NOT_CHECKABLE = _code(
    406,
    "not checkable here",
    "The statement depends on something outside the document, the trees and the reference.",
    "Check it by hand.",
)
NOT_LOCATED = _code(
    407,
    "not found by content",
    "A block without a location stands nowhere in the engines' files; it may be an example.",
    "Add a location if it is a quote.",
)
PLACEHOLDER = _code(408, "placeholder", "The citation's line number was never filled in.", "Fill in the number.")
IMPOSSIBLE_RANGE = _code(
    409,
    "impossible range",
    "The cited range is reversed, begins at zero, or lies past the end of the file.",
    "Correct the numbers.",
)
OPTIONAL = _code(
    410,
    "needs an optional part",
    "The check needs an extra that was not asked for.",
    "Run with `--with-transformers` (extra `transformers`) or `--check-links`.",
)
WORDS_DIFFER = _code(
    411,
    "the document states two figures",
    "The words of the claim stand in the document more than once, with different figures.",
    "Make the figures agree.",
)
UNKNOWN_PATH = _code(
    412,
    "path fits no file",
    "No file of the engine ends with the cited path, so that it cannot be told what is cited.",
    "Write the path from the repository's root.",
)
JUDGEMENT = _code(
    413,
    "a matter of judgement",
    "The statement depends on how its words are read; it is listed and not counted.",
    "Nothing to do, or make the wording exact.",
)

UNREAD_DOCUMENT = _code(
    501, "document not read", "The file cannot be read as a document.", "The finding says why."
)
