"""What a class derives from and what it defines itself."""

from __future__ import annotations

from ...config.fields import Field
from ...model.evidence import Comparison, Evidence, SourceLines
from ...model.place import LineRange, Place
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context, LocatedSymbol
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params, Unanswerable


def check(params: Params, context: Context) -> Verdict:
    """Base classes are followed through the tree as far as they are found; `defines` are the class's own members."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    name = located.symbol.name
    wrong: list[Evidence] = []
    said: list[str] = []
    if "subclass_of" in params:
        chain = _ancestors(located, context)
        said.append(f"derives from {', '.join(chain) or 'nothing'}")
        if params["subclass_of"] not in chain:
            wrong.append(Comparison(f"bases of {name}", params["subclass_of"], ", ".join(chain) or "none"))
    outline = context.reader(params["engine"]).outline(located.path)
    for member in params.get("defines", ()):
        if outline.symbols_named(f"{name}.{member}"):
            said.append(f"defines {member}")
        else:
            said.append(f"does not define {member}")
            wrong.append(Comparison(f"{name} defines", str(member), "no such member"))
    for member in params.get("leaves_abstract", ()):
        symbols = outline.symbols_named(f"{name}.{member}")
        abstract = any(d.rpartition(".")[2] == "abstractmethod" for s in symbols for d in s.decorators)
        said.append(f"{'leaves' if abstract else 'does not leave'} {member} abstract")
        if not abstract:
            wrong.append(Comparison(f"{name}.{member}", "abstract", "concrete" if symbols else "no such member"))
    first = located.symbol.definition
    shown = SourceLines(
        Place(located.path, LineRange(first, located.symbol.signature_last), name),
        located.source.lines[first - 1 : located.symbol.signature_last],
    )
    message = f"{name} {', '.join(said)}"
    if wrong:
        return Contradicted(message, (*wrong, shown), located.place)
    return Holds(message, located.place, (shown,))


def _ancestors(located: LocatedSymbol, context: Context) -> list[str]:
    """Names of all base classes, nearest first; one that cannot be found ends its branch."""
    names: list[str] = []
    queue = [located]
    while queue and len(names) < 50:
        one = queue.pop(0)
        for base in one.symbol.bases:
            if "=" in base:
                continue
            short = base.partition("[")[0].rpartition(".")[2]
            if short in names:
                continue
            names.append(short)
            try:
                queue.extend(context.symbols(one.engine, one.path, short)[:1])
            except Unanswerable:
                continue
    return names


_FILES = {
    "toy/base.py": (
        "class Thing:\n    @abstractmethod\n    def size(self): ...\n\n    def name(self):\n        return 1\n"
    ),
    "toy/box.py": (
        "class Box(Thing, metaclass=M):\n    def size(self):\n        return 2\n\n\nclass Crate(Box[int]):\n    pass\n"
    ),
}
_AT = {"engine": "toy", "path": "toy/box.py"}

KIND = Kind(
    name="hierarchy",
    summary="What a class derives from, what it defines itself and what it leaves abstract.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("subclass_of", "str", "a direct or indirect base class"),
        Field("defines", "list", "members that the class itself defines"),
        Field("leaves_abstract", "list", "methods that it declares abstract"),
    ),
    check=check,
    cases=(
        Case("an indirect base", {**_AT, "symbol": "Crate", "subclass_of": "Thing"}, "holds", _FILES),
        Case("its own method", {**_AT, "symbol": "Box", "defines": ["size"]}, "holds", _FILES),
        Case(
            "abstract",
            {"engine": "toy", "path": "toy/base.py", "symbol": "Thing", "leaves_abstract": ["size"]},
            "holds",
            _FILES,
        ),
        Case("not a base", {**_AT, "symbol": "Box", "subclass_of": "Crate"}, "contradicted", _FILES),
        Case("inherited only", {**_AT, "symbol": "Crate", "defines": ["size"]}, "contradicted", _FILES),
        Case(
            "concrete",
            {"engine": "toy", "path": "toy/base.py", "symbol": "Thing", "leaves_abstract": ["name"]},
            "contradicted",
            _FILES,
        ),
    ),
)
