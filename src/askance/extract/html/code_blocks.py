"""Blocks of code in a page: which they are, their lines as they are seen, and the language they declare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from askance.domain.file_formats import is_known, syntax_named
from askance.extract.html.tree import Node, outermost, tables_around, text_of
from askance.extract.text.characters import strip_invisible
from askance.extract.text.markdown_text import fenced

# Elements that begin and end a line within preformatted text.
_LINES = frozenset(
    {"div", "p", "li", "tr", "table", "ol", "ul", "tbody", "thead", "pre", "dd", "dt"}
)
# Those that are a line, even where they are empty.
_ROWS = frozenset({"li", "tr"})
# Preformatted text with such parts is a page that somebody laid out, or forgot to end.
_NO_CODE = (
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "form",
    "blockquote",
    "dl",
    "article",
    "section",
)
_MOST_CELLS = 3
_WRAPPERS = frozenset({"div", "figure", "span", "center"})
_MOST_AROUND = 2  # elements around a block, of which one may name its language

_IS_CODE = re.compile(
    r"code|highlight|hljs|shiki|prism|syntax|listing|literal|prettyprint|source|console|terminal"
    r"|brush|rouge|chroma|lntable|blob|cm-|geshi",
    re.IGNORECASE,
)
# What numbers the lines, believed of what holds numbers alone.
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:line|row)[-_]?(?:no|nr|num|number|index|digit)s?(?:$|[\s_-])|lineno|linenum|gutter|linenodiv"
    r"|blob-num|line-numbers-|hljs-ln|(?:^|\s)(?:ln|lnt|lnum)(?:$|\s)",
    re.IGNORECASE,
)
_LINE_ATTRIBUTES = (
    "data-line",
    "data-line-number",
    "data-linenumber",
    "data-line-no",
    "data-lineno",
    "data-n",
)
_NOT_SELECTED = re.compile(r"user-select\s{0,4}:\s{0,4}none", re.IGNORECASE)
_UNREAD = frozenset({"button", "clipboard-copy", "a-button"})
_DECLARED = re.compile(
    r"(?:language|lang|mw-highlight-lang|highlight-source|brush|(?P<weak>highlight-text|highlight|source"
    r"|src|code|snippet))[-:](?P<name>[\w+#.-]+)",
    re.IGNORECASE,
)
_BRUSH = re.compile(r"brush:\s{0,4}([\w+#-]+)", re.IGNORECASE)
_ATTRIBUTES = ("data-lang", "data-language", "data-enlighter-language", "data-code-language")
# Of two letters, they are codes of human languages as well.
_SHORT = frozenset({"js", "py", "rb", "sh", "go"})
_NUMBERS = re.compile(r"[\s\d.:]*")


def code_in(tree: Node) -> dict[Node, str]:
    """Return the blocks of code of a page: the outermost element of each, and its code between fences."""
    found: dict[Node, str] = {}
    blocks = list(outermost(tree, "pre"))
    within = {table for block in blocks for table in block.iter("table")}
    tables = [table for table in tree.iter("table") if table not in within]
    # A table with tables in it lays out a page; only the innermost may number lines.
    around = tables_around(tables)
    taken: set[Node] = set()
    for table in tables:
        if table not in around and _is_numbered(table):
            _add(table, found)
            taken.update(table.iter("pre"))
    for block in blocks:
        if block not in taken and not any(True for _ in block.iter(*_NO_CODE)):
            _add(block, found)
    return found


def _add(block: Node, found: dict[Node, str]) -> None:
    code = lines_of(block)
    if code.strip():
        near = [*block.iter("code", "pre"), block, *islice(_around(block), _MOST_AROUND)]
        found[block] = fenced(code, declared_syntax(near))


def _around(node: Node) -> Iterator[Node]:
    outer = node.getparent()
    while outer is not None and outer.tag in _WRAPPERS:
        yield outer
        outer = outer.getparent()


def lines_of(block: Node) -> str:
    """Return code as it is seen: its lines and indentation, without the numbers of lines beside it."""
    out = _Lines()
    out.add(block, is_outer=True)
    lines = (line.rstrip() for line in strip_invisible("".join(out.parts)).split("\n"))
    return "\n".join(lines).strip("\n")


@dataclass(slots=True)
class _Lines:
    parts: list[str] = field(default_factory=list[str])

    def add(self, node: Node, *, is_outer: bool = False) -> None:
        """Add what is seen of an element."""
        if not isinstance(node.tag, str) or node.tag in _UNREAD:
            return
        if not is_outer and _is_gutter(node):
            return
        if node.tag == "br":
            self.parts.append("\n")
            return
        is_line = node.tag in _LINES and not is_outer
        if is_line:
            self.end_line()
        before = len(self.parts)
        in_table = node.tag in {"table", "tbody", "thead", "tr", "ol", "ul"}
        self.text("" if in_table else node.text)
        last: Node | None = None
        for child in node:
            if child.tag == "code" and last is not None and last.tag == "code" and not last.tail:
                self.end_line()  # a page that makes a line of each
            self.add(child)
            tail = child.tail or ""
            # Between lines that are elements, white space is the source's own.
            self.text("" if (in_table or child.tag in _LINES) and not tail.strip() else tail)
            last = child
        if is_line and not (node.tag in _ROWS and len(self.parts) == before):
            self.end_line()
        elif is_line:
            self.parts.append("\n")

    def text(self, text: str | None) -> None:
        if text:
            # Pages indent by spaces that do not break, which no compiler takes for white space.
            self.parts.append(text.replace("\xa0", " "))

    def end_line(self) -> None:
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")


def declared_syntax(elements: list[Node]) -> str:
    """Return the programming language that the elements of a block say it is in, as they call it."""
    for element in elements:
        for name in _names_in(element):
            if syntax_named(name):
                return name.lower()
    return ""


def _names_in(element: Node) -> Iterator[str]:
    yield from (element.get(name, "") for name in _ATTRIBUTES)
    classes = element.get("class", "")
    yield from _BRUSH.findall(classes)
    names = classes.split()
    for match in filter(None, map(_DECLARED.match, names)):
        name = match["name"].strip(".-")
        first = name.split("-")[0]
        if is_known(name):
            yield name
        elif is_known(first):
            yield first  # "json-comments", "html-basic"
        # `language-foo` names a language although none is known by it; `source-name` and `code-box`
        # are words of who designed the page.
        elif match["weak"] is None and len(name) > len("xx"):
            yield name
    if element.tag in {"pre", "code"}:
        yield from filter(is_known, names)
        lang = element.get("lang", "")
        if is_known(lang) and (len(lang) > len("xx") or lang in _SHORT):
            yield lang


def _is_gutter(node: Node) -> bool:
    """Whether an element numbers the lines of code: by its name, or since nobody can select it."""
    attributes = node.attrib
    is_called = attributes and (
        _GUTTER.search(attributes.get("class", ""))
        or _NOT_SELECTED.search(attributes.get("style", ""))
        or text_of(node).strip() in filter(None, map(attributes.get, _LINE_ATTRIBUTES))
    )
    return bool(is_called) and _has_numbers(node)


def _has_numbers(node: Node) -> bool:
    return all(_NUMBERS.fullmatch(text) for text in node.itertext())


def _is_numbered(table: Node) -> bool:
    """Whether a table is code beside the numbers of its lines."""
    is_code = bool(_IS_CODE.search(table.get("class", "")))
    is_numbered = False
    for row in table.iter("tr"):
        cells = list(islice(row, _MOST_CELLS + 1))
        numbers = [cell for cell in cells if _is_gutter(cell)]
        if len(cells) > _MOST_CELLS or len(cells) > len(numbers) + 1:
            return False
        is_numbered = is_numbered or bool(numbers)
        is_code = is_code or any(_IS_CODE.search(cell.get("class", "")) for cell in cells)
    return is_numbered and (is_code or any(True for _ in table.iter("pre")))
