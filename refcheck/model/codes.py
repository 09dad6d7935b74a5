"""The stable codes of findings: what each means and what to do, apart from a message's wording.

RC0xx nothing wrong; RC1xx quotes and locations; RC2xx links and revisions; RC3xx claims; RC4xx not judged;
RC5xx documents.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """`id` is stable for ever; `title` a few words; the rest is shown by `refcheck explain`.

    `example` is what a page says and what is so, in a line or two, about a made-up file.
    """

    id: str
    title: str
    meaning: str
    remedy: str
    example: str = ""

    def __str__(self) -> str:
        return self.id


CODES: dict[str, Code] = {}


def _code(number: int, title: str, meaning: str, remedy: str, example: str = "") -> Code:
    code = Code(f"RC{number:03d}", title, meaning, remedy, example)
    if code.id in CODES:
        raise ValueError(f"{code.id} is defined twice")
    CODES[code.id] = code
    return code


HOLDS = _code(0, "holds", "What the page says is so at the revision that was read.", "Nothing to do.")

EXISTS = _code(
    1,
    "exists, nothing to compare",
    "The cited lines exist at the revision that was read; the page quotes nothing and names nothing that could be "
    "compared with them.",
    "Quote a line or name the definition, so that a change can be noticed.",
    'The page: "see `sched/queue.py:L40-L48`".\nThe tree: the file has those lines; what they should be is not said.',
)

MOVED = _code(
    101,
    "moved",
    "The cited code is intact, but stands at other lines or in another file than cited.",
    "`refcheck regen DOC --repair --write` rewrites the numbers to where the quoted text stands, at the revision that "
    "the page is of (with `--pin` or `--edition` where it names none). To go to another revision as well, add "
    "`--to ENGINE=REV`: what the page says of its revision changes with its numbers.",
    "The page: `sched/queue.py:L40-L48`, with the eight lines quoted.\n"
    "The tree: the same eight lines stand at L52-L60.",
)
CHANGED = _code(
    102,
    "changed",
    "The place exists, but its text differs from what the page quotes or the anchor recorded.",
    "Read the difference; correct the quote, or take the new text for an anchor or a number: "
    "`refcheck regen DOC --to ENGINE=REV --accept ID --reason WHY --write`.",
    "The page quotes `limit = budget - used`.\nThe tree, at that place: `limit = max(0, budget - used)`.",
)
GONE = _code(
    103,
    "gone",
    "Nothing in the revision that was read corresponds to the cited code.",
    "Rewrite the paragraph, or pin it to a revision that still has the code.",
    "The page: `Queue.drain` in `sched/queue.py:L70-L81`.\nThe tree: no such function, and none of its lines anywhere.",
)
RANGE_WIDER = _code(
    104,
    "range wider than the quote",
    "The cited lines contain the quoted text and more lines beside it.",
    "Narrow the range to the quoted lines, or mark the cut with `# ...`.",
    "The page: `sched/queue.py:L40-L50`, and quotes ten lines.\n"
    "The tree: the ten lines are L40-L49; L50 is a blank line.",
)
QUOTE_UNMARKED = _code(
    105,
    "quote with an unmarked cut or addition",
    "The quote matches only when lines that it drops or adds without a mark are set aside.",
    "Mark the cut with `# ...`, or quote the lines as they stand.",
    "The page quotes a function without its comments.\nThe tree: the same lines with three comment lines between them.",
)
RANGE_PARTIAL = _code(
    106,
    "range covers a part of what it is cited for",
    "The cited lines are part of the symbol, but not the lines that the sentence speaks of (say, only the "
    "signature of a function that is cited for a call in its body).",
    "Cite the lines of the statement itself.",
    'The page: "`Queue.push` wakes the worker (L20)".\nThe tree: L20 is `def push`; the worker is woken at L27.',
)
RANGE_OFF = _code(
    107,
    "range does not fit the symbol",
    "The cited lines begin or end beside the symbol that they are cited for.",
    "Use the symbol's own lines; the finding names them.",
    "The page: `Queue.push` at L19-L27.\nThe tree: `Queue.push` is L20-L28; L19 is the end of another function.",
)
QUOTE_ELIDED = _code(
    108,
    "quote whose elision hides what the text speaks of",
    "The quote matches around its elisions, but an elision hides lines that the surrounding text relies on.",
    "Show the hidden statement, or say that it is cut.",
    'The page: "the length is checked first", above a quote that elides the check with `# ...`.',
)
WRONG_AT_BIRTH = _code(
    109,
    "the cited lines do not speak of this",
    "The sentence names code that does not stand in the cited lines, but stands elsewhere.",
    "Check the number against the place that the finding names.",
    'The page: "`Queue.push`, L90".\n'
    "The tree, at the page's own pin: L90 belongs to `Worker.run`; `Queue.push` is L20-L28.",
)
PARAPHRASE = _code(
    110,
    "not verbatim",
    "A block that is shown as the engine's code resembles the cited lines without being them.",
    "Quote the code as it stands, or say that it is a sketch.",
    "The page shows `for item in items: send(item)` as the engine's code.\n"
    "The tree: a while loop over a deque that sends.",
)
COPY_ELSEWHERE = _code(
    111,
    "gone here, a twin stands elsewhere",
    "The cited code left its place; the same text stood elsewhere before and still does, which is not a move.",
    "Decide whether the twin is what the page is about.",
    "The page: `gpu/queue.py:L40-L48`.\n"
    "The tree: gone from there; `cpu/queue.py` has the same lines, and had them at the old pin too.",
)

UNPINNED = _code(
    201,
    "unpinned link",
    "The link names a branch, so that its lines change under the reader.",
    "`refcheck regen DOC --pin-links --write` replaces it by a permalink: to the revision that the page is of, or "
    "`--pin`, else to the branch's commit of today.",
    "The page links `https://github.com/ORG/REPO/blob/main/sched/queue.py#L40`.",
)
REVISION_UNKNOWN = _code(
    202,
    "revision cannot be resolved",
    "The commit, tag, branch or version that the citation or its page names cannot be had from any source of the run, "
    "or neither the page nor the run names one.",
    "Use a full 40-digit commit, or name a mirror that has it. For a page that names none, say it at its top or give "
    "`--pin ENGINE=REV`.",
    "The page: `sched/queue.py@1a2b3c4:L40`, and no source of the run knows 1a2b3c4.",
)
LABEL_DIFFERS = _code(
    203,
    "label and link differ",
    "The text of a link names other lines than its address.",
    "Make both say the same; `refcheck regen` rewrites both together.",
    "The page: `[queue.py:L40](https://github.com/ORG/REPO/blob/COMMIT/sched/queue.py#L44)`.",
)

CONTRADICTED = _code(
    301,
    "contradicted",
    "The statement is false: what was computed or read differs from what is stated.",
    "Correct the statement; the evidence shows the expected and the found.",
    'The page: "the queue holds 64 items by default".\nThe tree: `capacity: int = 128`.',
)
IMPRECISE_CLAIM = _code(
    302,
    "true only under a generous reading",
    "A strict check of the statement fails and a generous one passes.",
    "State the condition that makes it true.",
    'The page: "the default is true".\nThe tree: true only when no device is given.',
)
IMPRECISE_NUMBER = _code(
    303,
    "number off by less than one unit of its last digit",
    "The stated figure is cut rather than rounded, or holds only for some of the parameters it may mean.",
    "Round the exact value that the finding shows, or say which parameters are meant.",
    "The page: 7.3 GB.\nThe formula: 7.38 GB, which rounds to 7.4.",
)

AMBIGUOUS = _code(
    401,
    "ambiguous",
    "Two or more places fit equally well; none is guessed.",
    "Name the path, or more of it, next to the quote.",
    "The page quotes `return self.queue` without a path.\nThe tree: it stands in three files.",
)
NOT_AT_THIS_REVISION = _code(
    402,
    "not judged on this revision",
    "Line numbers were written for another revision than the one that could be read.",
    "Give a source for the pinned commit: `--source ENGINE=PATH`, or a mirror.",
    "The page cites L40 at its pin; only the nearest release could be read.",
)
NOT_CARRIED = _code(
    403,
    "not carried by the archive",
    "The release archive does not package this part of the repository.",
    "Read the commit instead of the release.",
    "The page: `docs/design.md:L10`; the release's archive has no docs folder.",
)
UNREACHABLE = _code(
    404,
    "could not be read",
    "No source of the run has the file, the revision or the page.",
    "The finding lists what was tried.",
    "The page: a commit of a fork that no source of the run has.",
)
UNSUPPORTED = _code(
    405,
    "cannot be evaluated",
    "The engine's own lines use a construct that the evaluator does not interpret, or exceed its bounds.",
    "Check this statement by hand; the construct is named.",
    'The page: "this evaluates to 16", about a line that calls a compiled kernel.',
)
NOT_CHECKABLE = _code(
    406,
    "not checkable here",
    "The statement depends on something outside the document, the trees and the reference.",
    "Check it by hand.",
    'The page: "this is about 20% faster on our machines".',
)
NOT_LOCATED = _code(
    407,
    "not found by content",
    "A block without a location stands nowhere in the engines' files; it may be an example.",
    "Add a location if it is a quote.",
    "A block of Python without a header, which no engine file contains.",
)
PLACEHOLDER = _code(
    408,
    "placeholder",
    "The citation's line number was never filled in.",
    "Fill in the number.",
    "The page: `sched/queue.py:LXXX`.",
)
IMPOSSIBLE_RANGE = _code(
    409,
    "impossible range",
    "The cited range is reversed, begins at zero, or lies past the end of the file at the revision that it was written "
    "for: it is wrong as it stands, and an error.",
    "Correct the numbers; the finding says how many lines the file has.",
    "The page: `sched/queue.py:L986-L917`.",
)
OPTIONAL = _code(
    410,
    "needs an optional part",
    "The check needs an extra that was not asked for.",
    "Run with `--with-transformers` (extra `transformers`) or `--check-links`.",
    'The page: "the model has 8,030,261,248 parameters", checked against a library that is not installed.',
)
WORDS_DIFFER = _code(
    411,
    "the document states two figures",
    "The words of the claim stand in the document more than once, with different figures.",
    "Make the figures agree.",
    'The page says "7.4 GB of cache" in one section and "7.3 GB of cache" in another.',
)
UNKNOWN_PATH = _code(
    412,
    "path fits no file",
    "No file of the engine ends with the cited path, so that it cannot be told what is cited.",
    "Write the path from the repository's root.",
    "The page: `queues.py:L40`; the engine has `queue.py` only.",
)
JUDGEMENT = _code(
    413,
    "a matter of judgement",
    "The statement depends on how its words are read; it is listed and not counted.",
    "Nothing to do, or make the wording exact.",
    'The page: "the code is simple here".',
)

UNREAD_DOCUMENT = _code(
    501,
    "document not read",
    "The file, or a part of it, cannot be read as a document. What is damaged or cannot be opened is an error, what is "
    "empty or no document a warning.",
    "The finding says why.",
    "`chapter.html` is empty, or a picture, or in an encoding that it does not declare.",
)
