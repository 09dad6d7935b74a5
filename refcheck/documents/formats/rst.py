"""reStructuredText, read line by line: what citations need of it, with every character's offset.

docutils gives line numbers at best, none inside a table or for inline markup, and refuses a document over an unknown
directive or role, which every Sphinx project has. Here a paragraph, a section title, a literal block, a directive
with its options, a field, a comment and a table's line are told apart by the rules of the reStructuredText
specification that concern them (indentation, `::`, `..`, underlines), and unknown directives are read as their
content.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ...model.document import Mark, Offsets, Span
from ..pieces import SPACE, Format, Kind, Piece, TextBuilder, code_piece, line_spans

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:\|[^|\n]{1,80}\|[ \t]+)?([A-Za-z][\w:.+-]{0,60})::(?:[ \t]+(.*?))?[ \t]*$")
_TARGET = re.compile(r"\.\.[ \t]+_(?:`([^`]{1,200})`|([^:\n]{1,200})):[ \t]+(\S+)[ \t]*$")
_ANONYMOUS = re.compile(r"__[ \t]+(\S+)[ \t]*$")
_FOOTNOTE = re.compile(r"\.\.[ \t]+\[([^\]\n]{1,80})\][ \t]+")
_OPTION = re.compile(r"[ \t]*:([\w-]{1,60}):(?:[ \t]+(.*?))?[ \t]*$")
_FIELD = re.compile(r":([^:\n]{1,80}):(?:[ \t]+|$)")
_ITEM = re.compile(r"(?:[-*+•]|#\.|\(?[0-9]{1,4}[.)]|\(?[A-Za-z][.)])[ \t]+")
_TABLE_RULE = re.compile(r"(?:\+(?:[-=]{1,500}\+)+|={2,}(?:[ \t]+={2,})+)[ \t]*$")
_COLUMN_RULE = re.compile(r"[ \t]*-+(?:[ \t]+-+)*[ \t]*")
_FIELD_TEXT = re.compile(r"\S+(?: \S+)*")
_LIST_ROW = re.compile(r"[ \t]*\*[ \t]+(-)(?:[ \t]+|$)")
_LIST_CELL = re.compile(r"[ \t]*(-)(?:[ \t]+|$)")
_INLINE = re.compile(
    r"(?P<literal>``(?P<lt>(?:[^`]|`(?!`)){1,2000}?)``)"
    r"|(?P<role>:(?P<rn>[A-Za-z][\w:.+-]{0,60}):`(?P<rt>[^`]{1,1000})`)"
    r"|(?P<link>`(?P<ll>[^`<]{0,1000}+)<(?P<lu>[^`<>]{1,3000})>`__?)"
    r"|(?P<ref>`(?P<ft>[^`]{1,300})`__?)"
    r"|(?P<inter>`(?P<it>[^`]{1,1000})`)"
    r"|(?P<strong>\*{1,2}(?=\S))|(?P<escape>\\(?:[ \t\n]|[^\w\s]))"
)
_DEEPEST = 40
_CODE_DIRECTIVES = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "highlight", "prompt", "code-cell"})
_LANGUAGES = {"parsed-literal": "text", "prompt": "shell", "doctest": "pycon"}


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = line_spans(text)
        self.pieces: list[Piece] = []
        self.levels: list[str] = []
        self.targets: dict[str, str] = {}
        self.language = ""
        self.tables = 0
        self.depth = 0
        self.waiting: list[tuple[int, Kind, list[tuple[int, int]], int, tuple[int, int, int]]] = []

    def line(self, row: int) -> str:
        a, b = self.lines[row]
        return self.text[a:b]

    def blank(self, row: int) -> bool:
        return not self.line(row).strip()

    def indent(self, row: int) -> int:
        line = self.line(row)
        return len(line) - len(line.lstrip(" \t"))

    def body(self, row: int, indent: int, last: int) -> int:
        """The row after the block that is indented more than `indent`, from `row` on."""
        end = row
        for at in range(row, last):
            if self.blank(at):
                continue
            if self.indent(at) <= indent:
                break
            end = at + 1
        return end

    def read(self, first: int, last: int) -> None:
        row = first
        while row < last:
            if self.blank(row):
                row += 1
                continue
            line = self.line(row)
            bare = line.lstrip(" \t")
            indent = len(line) - len(bare)
            if bare.startswith(".."):
                row = self.explicit(row, indent, bare, last)
            elif _TABLE_RULE.match(bare):
                row = self.table(row, last)
            elif self.is_title(row, last):
                row = self.title(row)
            elif _ADORNMENT.match(bare):
                row += 1
            elif bare.startswith("__ ") and _ANONYMOUS.match(bare):
                self.address(row, bare, line.rindex(bare.split()[-1]))
                row += 1
            else:
                row = self.paragraph(row, indent, last)

    def inner(self, first: int, last: int) -> None:
        """The content of a directive."""
        self.depth += 1
        self.read(first, last)
        self.depth -= 1

    def is_title(self, row: int, last: int) -> bool:
        if _ADORNMENT.match(self.line(row)) is None:
            if row + 1 >= last or self.blank(row + 1) or not _ADORNMENT.match(self.line(row + 1)):
                return False
            return len(self.line(row + 1).rstrip()) >= min(len(self.line(row).strip()), 4) and not self.indent(row + 1)
        return (
            row + 2 < last
            and not self.blank(row + 1)
            and _ADORNMENT.match(self.line(row + 2)) is not None
            and self.line(row).rstrip() == self.line(row + 2).rstrip()
        )

    def title(self, row: int) -> int:
        over = bool(_ADORNMENT.match(self.line(row)))
        text_row = row + 1 if over else row
        under = self.line(text_row + 1)[0]
        style = under * 2 if over else under
        if style not in self.levels:
            self.levels.append(style)
        self.wait(Kind.HEADING, [text_row], level=self.levels.index(style) + 1)
        return text_row + 2

    def wait(
        self, kind: Kind, rows: list[int], *, skip: int = 0, level: int = 0, where: tuple[int, int, int] = (-1, -1, -1)
    ) -> None:
        spans = []
        for index, row in enumerate(rows):
            a, b = self.lines[row]
            a += len(self.text[a:b]) - len(self.text[a:b].lstrip(" \t"))
            spans.append((min(a + (skip if index == 0 else 0), b), b))
        self.waiting.append((len(self.pieces), kind, spans, level, where))

    def paragraph(self, row: int, indent: int, last: int) -> int:
        """A paragraph, item or field; a literal block behind `::`."""
        end = row + 1
        line = self.line(row).lstrip(" \t")
        item = _ITEM.match(line)
        skip = item.end() if item else 0
        field = _FIELD.match(line) if not item else None
        opened = 0
        while end < last and not self.blank(end):
            inner = self.line(end).lstrip(" \t")
            above = self.line(end - 1)
            opened += above.count("(") - above.count(")")
            further = _ITEM.match(inner)
            if further and opened > 0 and further.group().rstrip().endswith(")"):
                further = None  # `(lines 63-300,` may be wrapped before `310)`.
            if self.indent(end) < indent or further or (field and self.indent(end) == indent):
                break
            if inner.startswith(".. ") or (self.is_title(end, last) and end > row + 1):
                break
            if not item and not field and self.indent(end) > indent and not self.line(row).rstrip().endswith("::"):
                # A definition: term, then its indented body.
                break
            end += 1
        if field and not self.pieces and not self.waiting:
            a, b = self.lines[row][0], self.lines[end - 1][1]
            self.pieces.append(Piece(Kind.META, self.text[a:b], Offsets.verbatim(a, b - a), Span(a, b)))
            return end
        self.wait(Kind.TEXT, list(range(row, end)), skip=skip)
        closing = self.line(end - 1).rstrip()
        if closing.endswith("::"):
            following = end
            while following < last and self.blank(following):
                following += 1
            # The literal block of an item is indented more than the item's mark.
            if following < last and self.indent(following) > indent:
                stop = self.body(following, indent, last)
                self.literal(following, stop, self.language, Span(self.lines[following][0], self.lines[stop - 1][1]))
                return stop
        return end

    def literal(self, first: int, last: int, info: str, span: Span, attributes: dict[str, str] | None = None) -> Piece:
        piece = code_piece([(self.line(r), self.lines[r][0]) for r in range(first, last)], span, info)
        piece.attributes = attributes or {}
        self.pieces.append(piece)
        return piece

    def explicit(self, row: int, indent: int, bare: str, last: int) -> int:
        """`.. something`: a directive, a target, a footnote, a comment."""
        directive = _DIRECTIVE.match(bare)
        if directive and self.depth >= _DEEPEST:
            return row + 1  # Its content is read as what follows it.
        end = self.body(row + 1, indent, last)
        if directive:
            self.directive(row, indent, end, directive.group(1), (directive.group(2) or "").strip())
            return end
        target = _TARGET.match(bare)
        if target:
            name = " ".join((target.group(1) or target.group(2)).split()).casefold()
            self.targets.setdefault(name, target.group(3))
            self.address(row, bare, self.lines[row][0] + indent + target.start(3) - self.lines[row][0])
            return max(end, row + 1)
        footnote = _FOOTNOTE.match(bare)
        if footnote:
            self.wait(Kind.TEXT, [row, *[r for r in range(row + 1, end) if not self.blank(r)]], skip=footnote.end())
            return max(end, row + 1)
        if bare.startswith(".. _"):
            return row + 1
        self.comment(row, max(end, row + 1))
        return max(end, row + 1)

    def address(self, row: int, bare: str, column: int) -> None:
        a, b = self.lines[row]
        start = a + column
        url = self.text[start:b].rstrip()
        self.pieces.append(Piece(Kind.LINK, url, Offsets.verbatim(start, len(url)), Span(a, b)))

    def comment(self, first: int, last: int) -> None:
        builder = TextBuilder()
        a, b = self.lines[first]
        a = min(a + self.indent(first) + 2, b)
        builder.put_prose(self.text, a, b)
        for row in range(first + 1, last):
            start, stop = self.lines[row]
            builder.space(start, start)
            builder.put_prose(self.text, start, stop)
        piece = builder.prose(Kind.COMMENT, Span(self.lines[first][0], self.lines[last - 1][1]))
        if piece is not None:
            self.pieces.append(piece)

    def directive(self, row: int, indent: int, end: int, name: str, argument: str) -> None:
        options: dict[str, str] = {}
        places: dict[str, int] = {}
        content = row + 1
        while content < end and not self.blank(content):
            option = _OPTION.match(self.line(content))
            if option is None:
                break
            key = option.group(1).lower()
            options[key] = option.group(2) or ""
            places[key] = self.lines[content][0] + option.start(2) if option.group(2) else 0
            content += 1
        while content < end and self.blank(content):
            content += 1
        span = Span(self.lines[row][0], self.lines[max(end, row + 1) - 1][1])
        lower = name.lower()
        if lower == "literalinclude" or (lower == "include" and "literal" in options):
            self.include(row, argument, options, places, span)
        elif lower == "highlight":
            self.language = argument.lower()
        elif lower in _CODE_DIRECTIVES:
            caption = options.get("caption")
            if caption:
                self.caption(Kind.HEADER, caption, places["caption"])
            language = _LANGUAGES.get(lower, argument.split(" ")[0].lower() if argument else self.language)
            if content < end:
                self.literal(content, end, language, span, {"rst": "directive"})
        elif lower in ("math", "raw", "image", "figure", "toctree", "only", "graphviz") and lower != "only":
            if lower == "graphviz" and content < end:
                self.literal(content, end, "dot", span)
            elif lower == "figure" and content < end:
                self.inner(content, end)
        else:
            if lower in ("table", "list-table", "csv-table"):
                self.tables += 1
            if argument and not re.fullmatch(r"[\w.]+", argument):
                kind = Kind.CAPTION if lower in ("table", "list-table", "csv-table") else Kind.TEXT
                self.caption(kind, argument, self.lines[row][0] + self.line(row).rindex(argument))
                if kind is Kind.CAPTION:
                    self.waiting[-1] = (*self.waiting[-1][:4], (self.tables, -1, -1))
            if lower == "list-table":
                self.list_table(content, end)
            elif lower == "csv-table":
                self.csv_table(content, end, options, places)
            elif lower == "table" and content < end and _TABLE_RULE.match(self.line(content).strip()):
                self.inner(self.table(content, end, self.tables), end)
            elif content < end:
                self.inner(content, end)

    def caption(self, kind: Kind, text: str, place: int) -> None:
        self.waiting.append((len(self.pieces), kind, [(place, place + len(text))], 0, (-1, -1, -1)))

    def include(self, row: int, argument: str, options: dict[str, str], places: dict[str, int], span: Span) -> None:
        """`literalinclude` shows lines of a file: its path and `:lines:` are a location."""
        if not argument:
            return
        a = self.lines[row][0] + self.line(row).rindex(argument)
        builder = TextBuilder()
        builder.put(argument, a, a + len(argument))
        lines = options.get("lines", "")
        if re.fullmatch(r"\d{1,7}-?(?:\d{1,7})?(?:\s?,\s?\d{1,7}-?(?:\d{1,7})?)*", lines):
            builder.put(":L", a + len(argument), a + len(argument))
            builder.put(lines, places["lines"], places["lines"] + len(lines))
        elif options.get("pyobject"):
            builder.put("::", a + len(argument), a + len(argument))
            builder.put(options["pyobject"], places["pyobject"], places["pyobject"] + len(options["pyobject"]))
        else:
            return
        text, offsets = builder.build()
        self.pieces.append(
            Piece(Kind.LINK, text, offsets, span, (Mark("code", 0, len(text)),), attributes={"form": "directive"})
        )

    def list_table(self, first: int, last: int) -> None:
        """`* - cell` begins a row, `- cell` below it a cell; what is indented more belongs to the cell."""
        cells: dict[tuple[int, int], list[list[int]]] = {}
        number, column, dash = -1, -1, -1
        skips: dict[int, int] = {}
        fresh = True  # Whether the next line begins a paragraph of its own.
        for row in range(first, last):
            if self.blank(row):
                fresh = True
                continue
            line = self.line(row)
            start = _LIST_ROW.match(line)
            cell = _LIST_CELL.match(line)
            if start and (dash == -1 or start.start(1) == dash):
                number, column, dash, fresh = number + 1, 0, start.start(1), True
                skips[row] = start.end() - self.indent(row)
            elif cell and cell.start(1) == dash:
                column, fresh = column + 1, True
                skips[row] = cell.end() - self.indent(row)
            if number < 0:
                continue
            if fresh:
                cells.setdefault((number, column), []).append([])
            cells[number, column][-1].append(row)
            fresh = False
        for (number, column), paragraphs in cells.items():
            for rows in paragraphs:
                self.wait(Kind.CELL, rows, skip=skips.get(rows[0], 0), where=(self.tables, number, column))

    def csv_table(self, first: int, last: int, options: dict[str, str], places: dict[str, int]) -> None:
        """Rows of cells that commas part, with a row of titles in the option `:header:`."""
        delimiter = {"tab": "\t", "space": " "}.get(options.get("delim", ","), options.get("delim", ",")[:1] or ",")
        rows = [self.lines[row] for row in range(first, last) if not self.blank(row)]
        if options.get("header"):
            rows.insert(0, (places["header"], places["header"] + len(options["header"])))
        for number, (a, b) in enumerate(rows):
            for column, (start, stop) in enumerate(_csv_cells(self.text, a, b, delimiter)):
                if start < stop:
                    where = (self.tables, number, column)
                    self.waiting.append((len(self.pieces), Kind.CELL, [(start, stop)], 0, where))

    def table(self, row: int, last: int, table: int | None = None) -> int:
        """A grid or simple table: cells by the columns of its first rule. `table` is the number of its caption."""
        if table is None:
            self.tables += 1
            table = self.tables
        rule = self.line(row)
        grid = rule.lstrip().startswith("+")
        if grid:
            edges = [i for i, char in enumerate(rule) if char == "+"]
            columns = [(a + 1, b) for a, b in pairwise(edges)]
        else:
            columns = [m.span() for m in re.finditer(r"=+", rule)]
            columns[-1] = (columns[-1][0], 1 << 30)
        cells: dict[tuple[int, int], list[tuple[int, int]]] = {}
        end = row + 1
        rules = 1
        number, begun = 0, False
        while end < last:
            line = self.line(end)
            if grid and not line.lstrip().startswith(("+", "|")):
                break
            if not grid and not line.strip() and (end + 1 >= last or not self.line(end + 1).strip() or rules >= 3):
                break
            if _TABLE_RULE.match(line.strip()):
                rules += 1
                number, begun = number + begun, False
                end += 1
                if not grid and (rules == 3 or end >= last or self.blank(end)):
                    break
                if not grid and rules == 2:
                    # What stood above this rule are the titles: one row, however many lines it has.
                    titles = [(column, span) for (_, column), spans in cells.items() for span in spans]
                    cells, number = {}, 1
                    for column, span in titles:
                        cells.setdefault((0, column), []).append(span)
                continue
            if not grid and _COLUMN_RULE.fullmatch(line):
                end += 1
                continue
            if not grid and begun and line[slice(*columns[0])].strip():
                number += 1  # Text in the first column begins a row; without, the line goes on with the one above.
            for column, (a, b) in enumerate(_edges(line, columns) if grid else _fields(line, columns)):
                cell = line[a:b] if a < len(line) else ""
                if cell.strip(" |"):
                    start = self.lines[end][0] + a + len(cell) - len(cell.lstrip(" |"))
                    stop = self.lines[end][0] + a + len(cell.rstrip(" |"))
                    cells.setdefault((number, column), []).append((start, stop))
                    begun = True
            end += 1
        for (number, column), spans in cells.items():
            self.waiting.append((len(self.pieces), Kind.CELL, spans, 0, (table, number, column)))
        return end

    def finish(self) -> list[Piece]:
        result: list[Piece] = []
        done = 0
        for index, kind, spans, level, (table, row, column) in self.waiting:
            result.extend(self.pieces[done:index])
            done = index
            piece = self.inline(kind, spans)
            if piece is not None:
                piece.level, piece.table, piece.row, piece.column = level, table, row, column
                result.append(piece)
        result.extend(self.pieces[done:])
        return result

    def inline(self, kind: Kind, spans: list[tuple[int, int]]) -> Piece | None:
        """Inline markup removed: literals, roles, links, emphasis, escapes."""
        joined = TextBuilder()
        for index, (a, b) in enumerate(spans):
            if index:
                joined.put("\n", spans[index - 1][1], max(spans[index - 1][1], a))
            joined.put(self.text[a:b], a, b)
        text, offsets = joined.build()
        builder = TextBuilder()

        def put(start: int, end: int) -> None:
            if start < end and text[start] == " " and builder.ends_in_space:
                start += 1
            position = start
            for match in SPACE.finditer(text, start, end):
                a, b = match.span()
                if a > position:
                    place = offsets.span(position, a)
                    builder.put(text[position:a], place.start, place.end)
                place = offsets.span(a, b)
                builder.space(place.start, place.end)
                position = b
            if position < end:
                place = offsets.span(position, end)
                builder.put(text[position:end], place.start, place.end)

        position = 0
        for match in _INLINE.finditer(text):
            if match.start() < position:
                continue
            put(position, match.start())
            position = match.end()
            group = match.lastgroup
            start = len(builder)
            if match.group("literal"):
                put(*match.span("lt"))
                builder.marks.append(Mark("code", start, len(builder)))
            elif match.group("role"):
                body = match.group("rt")
                a, b = match.span("rt")
                link = re.search(r"<([^<>]+)>$", body)
                shown = a + link.start() if link else b
                put(a, shown)
                if match.group("rn").split(":")[-1] in (
                    "code",
                    "class",
                    "func",
                    "meth",
                    "mod",
                    "attr",
                    "data",
                    "obj",
                    "file",
                    "literal",
                    "samp",
                    "command",
                    "program",
                    "envvar",
                ):
                    builder.marks.append(Mark("code", start, len(builder)))
                if link:
                    builder.marks.append(self.link(start, builder, offsets, link.group(1), a + link.start(1)))
            elif match.group("link"):
                put(match.start("ll"), match.start("ll") + len(match.group("ll").rstrip()))
                builder.marks.append(self.link(start, builder, offsets, match.group("lu"), match.start("lu")))
            elif match.group("ref"):
                put(*match.span("ft"))
                name = " ".join(match.group("ft").split()).casefold()
                if name in self.targets:
                    builder.marks.append(Mark("link", start, len(builder), self.targets[name], None))
            elif match.group("inter"):
                put(*match.span("it"))
                builder.marks.append(Mark("code", start, len(builder)))
            elif group == "escape" and not match.group()[1].isspace():
                put(match.start() + 1, match.end())
        put(position, len(text))
        return builder.prose(kind, Span(spans[0][0], max(spans[-1][1], spans[0][0])))

    @staticmethod
    def link(start: int, builder: TextBuilder, offsets: Offsets, target: str, place: int) -> Mark:
        squeezed = TextBuilder()
        for index, char in enumerate(target):
            if not char.isspace():
                span = offsets.span(place + index, place + index + 1)
                squeezed.put(char, span.start, span.end)
        value, where = squeezed.build()
        return Mark("link", start, len(builder), value, where)


def _edges(line: str, columns: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where the cells of a grid's line stand: a number that was rewritten may have moved its bars."""
    bars = [i for i, char in enumerate(line) if char == "|"]
    return [(a + 1, b) for a, b in pairwise(bars)] if len(bars) == len(columns) + 1 else columns


def _fields(line: str, columns: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where the cells of a simple table's line stand: a number that was rewritten may reach into the next column."""
    if all(not line[b:a].strip() for (_, b), (a, _) in pairwise(columns)):
        return columns
    fields = [match.span() for match in _FIELD_TEXT.finditer(line)]
    return fields if len(fields) == len(columns) else columns


def _csv_cells(text: str, start: int, end: int, delimiter: str) -> list[tuple[int, int]]:
    """Where the cells of a line of comma-separated values stand, without the quotation marks around them."""
    cells: list[tuple[int, int]] = []
    position = start
    while position <= end:
        while position < end and text[position] in " \t" and text[position] != delimiter:
            position += 1
        if text[position : position + 1] == '"' and position < end:
            close = text.find('"', position + 1, end)
            while close != -1 and text[close + 1 : close + 2] == '"' and close + 1 < end:
                close = text.find('"', close + 2, end)
            close = end if close == -1 else close
            cells.append((position + 1, close))
            following = text.find(delimiter, close, end)
        else:
            following = text.find(delimiter, position, end)
            stop = end if following == -1 else following
            cells.append((position, position + len(text[position:stop].rstrip())))
        if following == -1:
            break
        position = following + 1
    return cells


def parse(text: str) -> list[Piece]:
    """The pieces of a reStructuredText."""
    reader = _Reader(text)
    reader.read(0, len(reader.lines))
    return reader.finish()


FORMAT = Format("rst", (".rst", ".rest"), parse)
