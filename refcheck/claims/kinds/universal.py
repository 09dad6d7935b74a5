"""A statement about every class, every function or every value of a part of the tree, answered by counter-examples."""

from __future__ import annotations

from collections.abc import Iterable

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model.evidence import CounterExamples, Note
from ...model.place import Place
from ...model.verdict import Contradicted, Gone, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, Case, Kind, Params
from ..scope import ClassText, ValueText, classes, functions, reads, values
from ..source_facts import parameters, wanted_form, wanted_pattern
from ..structure import code_of, fits, form

SHOWN = 12


def check(params: Params, context: Context) -> Verdict:
    """A statement about nothing at all does not hold: where the scope has no such thing, it is gone."""
    subjects = [key for key in ("classes", "functions", "values") if key in params]
    if len(subjects) != 1:
        raise ConfigurationError("a `universal` check is about `classes`, `functions` or `values`, one of them")
    match subjects[0]:
        case "classes":
            total, against = _classes(params, context)
        case "functions":
            total, against = _functions(params, context)
        case _:
            total, against = _values(params, context)
    given = "values given to" if subjects[0] == "values" else subjects[0]
    what = f"{given} {params[subjects[0]]}"
    where = ", ".join(params["scope"])
    if not total:
        return Gone(f"{where} has no {what}, so that nothing can be said of them")
    fitting = total - len(against)
    examples = CounterExamples(tuple(against[:SHOWN]), len(against))
    share = params.get("share", 1)
    if fitting >= share * total:
        evidence = (Note(f"{fitting} of {total} in {where}"), *((examples,) if against else ()))
        return Holds(f"{fitting} of the {total} {what} in {where} are as stated", evidence=evidence)
    listed = ", ".join(f"{place.symbol or place.path} ({why})" for place, why in against[:3])
    more = f" and {len(against) - 3} more" if len(against) > 3 else ""
    return Contradicted(
        f"{fitting} of the {total} {what} in {where} are as stated, not {listed}{more}",
        (examples,),
        against[0][0],
    )


def _classes(params: Params, context: Context) -> tuple[int, list[tuple[Place, str]]]:
    """Classes that do not name what they must, in their own code or (with `inherited`) in that of their bases."""
    left_out = set(params.get("except", ()))
    wanted_pattern(params["classes"], "classes")
    found = classes(context, params["engine"], params["scope"], params["classes"])
    by_name = {c.name: c for c in found}
    names = [str(name) for name in params.get("names", ())]
    against: list[tuple[Place, str]] = []
    total = 0
    for one in found:
        if one.name in left_out:
            continue
        total += 1
        texts = [c.text for c in (_with_bases(one, by_name, left_out) if params.get("inherited") else [one])]
        missing = [name for name in names if not any(reads(text, name) for text in texts)]
        if missing:
            against.append((one.place, f"never reads {', '.join(missing)}"))
    return total, against


def _with_bases(one: ClassText, by_name: dict[str, ClassText], left_out: Iterable[str]) -> list[ClassText]:
    chain = [one]
    for each in chain:
        chain.extend(
            by_name[base]
            for base in each.bases
            if base in by_name and base not in left_out and by_name[base] not in chain
        )
    return chain


def _functions(params: Params, context: Context) -> tuple[int, list[tuple[Place, str]]]:
    """Functions that take a parameter that they must not take."""
    pattern = wanted_pattern(params["no_parameter"], "no_parameter") if "no_parameter" in params else None
    owner = wanted_pattern(params["in_classes"], "in_classes") if "in_classes" in params else None
    left_out = set(params.get("except", ()))
    against: list[tuple[Place, str]] = []
    total = 0
    for one in functions(context, params["engine"], params["scope"], params["functions"]):
        if owner is not None and (one.owner is None or not owner.fullmatch(one.owner.name)):
            continue
        if one.owner is not None and one.owner.name in left_out:
            continue
        total += 1
        taken = parameters(one.header)
        odd = [str(p) for p in taken if pattern is not None and pattern.fullmatch(p.name)]
        if odd:
            against.append((one.place, f"takes {', '.join(odd)}"))
    return total, against


def _values(params: Params, context: Context) -> tuple[int, list[tuple[Place, str]]]:
    """Values that are neither allowed, nor equal to the keyword they must equal, nor given where they may be."""
    name = params["values"]
    allowed = [wanted_form(str(text), "allowed") for text in params.get("allowed", ())]
    only_in = wanted_pattern(params["only_in"], "only_in") if "only_in" in params else None
    against: list[tuple[Place, str]] = []
    total = 0
    for one in values(context, params["engine"], params["scope"], name):
        total += 1
        if _is_copy(one, name) or any(fits(a, form(one.value)) for a in allowed):
            continue
        if "equal_to" in params:
            beside = dict(one.keywords).get(params["equal_to"])
            if beside is not None and form(beside) == form(one.value):
                continue
        place = one.place
        if only_in is not None and only_in.search(f"{place.path}::{place.symbol or ''}"):
            continue
        against.append((place, f"{name} = {code_of(one.value)}"))
    return total, against


def _is_copy(one: ValueText, name: str) -> bool:
    """`name=other.name` and `self.name = name` hand a value on and set none."""
    code = code_of(one.value)
    return code == name or code.endswith(f".{name}")


_FILES = {
    "toy/a.py": (
        "class PushJob(Job):\n    def run(self, item):\n        # not rows\n        return item.rows + item.cols\n\n\n"
        "class PullJob(PushJob):\n    def run(self, item, query=None):\n"
        "        return make(width=item.w, depth=item.w)\n"
    ),
    "toy/b.py": (
        "class ScanJob(Job):\n    def run(self, item):\n        return item.cols\n\n\n"
        "class DeepJob(Job):\n    depth: int = 3\n\n    def go(self):\n        return self.rows, self.cols\n"
    ),
}
_OVER = {"engine": "toy", "scope": ["toy/"]}

KIND = Kind(
    name="universal",
    summary="Every class, function or value of a part of the tree is as stated; answered with the counter-examples.",
    fields=(
        ENGINE,
        Field("scope", "list", "path prefixes that the statement ranges over", required=True),
        Field("classes", "str", "regular expression of class names"),
        Field("functions", "str", "the name of functions or methods"),
        Field("values", "str", "a name that assignments, keywords and defaults give values to"),
        Field("except", "list", "classes that are not meant"),
        Field("names", "list", "words that each class's code must contain"),
        Field("inherited", "bool", "a word in the code of a base class of the scope counts too"),
        Field("in_classes", "str", "regular expression of the classes whose methods are meant"),
        Field("no_parameter", "str", "regular expression of parameters that no function may take"),
        Field("allowed", "list", "values that are no counter-example"),
        Field("equal_to", "str", "a keyword beside it that the value may equal"),
        Field("only_in", "str", "regular expression of `path::Class` where other values may stand"),
        Field("share", "number", "the part that is enough, 0 to 1 (default: all)"),
    ),
    check=check,
    paths=lambda params: (),
    scopes=lambda params: [(params["engine"], prefix) for prefix in params["scope"]],
    cases=(
        Case(
            "half of the classes",
            {**_OVER, "classes": ".*Job", "names": ["rows", "cols"], "share": 0.5},
            "holds",
            _FILES,
        ),
        Case(
            "inherited words count",
            {**_OVER, "scope": ["toy/a"], "classes": ".*Job", "names": ["rows"], "inherited": True},
            "holds",
            _FILES,
        ),
        Case("a class lacks one", {**_OVER, "classes": ".*Job", "names": ["cols", "rows"]}, "contradicted", _FILES),
        Case(
            "a comment does not count",
            {**_OVER, "scope": ["toy/b"], "classes": ".*Job", "names": ["rows"], "except": ["DeepJob"]},
            "contradicted",
            _FILES,
        ),
        Case(
            "no such parameter",
            {**_OVER, "functions": "run", "in_classes": "(Push|Scan)Job", "no_parameter": "query"},
            "holds",
            _FILES,
        ),
        Case("a function takes it", {**_OVER, "functions": "run", "no_parameter": "q.*"}, "contradicted", _FILES),
        Case(
            "a value equal to its neighbour, one where it may stand",
            {**_OVER, "values": "depth", "equal_to": "width", "only_in": "::Deep"},
            "holds",
            _FILES,
        ),
        Case("a value that is not", {**_OVER, "values": "depth", "equal_to": "width"}, "contradicted", _FILES),
        Case("about nothing", {**_OVER, "classes": "Lost.*", "names": ["rows"]}, "gone", _FILES),
    ),
)
