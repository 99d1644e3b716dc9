"""OpenDocument texts as LibreOffice and other programs write them."""

from __future__ import annotations

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.page import extract_page
from servers.office import ODT, packed

_NAMESPACES = {
    "office": "office", "text": "text", "table": "table", "style": "style", "draw": "drawing",
}  # fmt: skip
_SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in _NAMESPACES.items()
)
_XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def blocks(body: str, styles: str = "", common: str = "", **more: str) -> list[str]:
    """The text of a file; `styles` are its own, `common` those that have names for people, `more` are formulas."""
    content = (
        f"<office:document-content {_SPACES} {_XLINK}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    named = f"<office:document-styles {_SPACES}><office:styles>{common}</office:styles></office:document-styles>"
    formulas = {f"{name}/content.xml": formula for name, formula in more.items()}
    found = extract_page(
        packed({"content.xml": content, "styles.xml": named, **formulas}), "file:///x", ODT
    )
    assert found.status is PageStatus.OK, found.detail
    return found.markdown.split("\n\n")


def level(number: int, kind: str, more: str = "", name: str = "list-level-style-number") -> str:
    return f'<text:{name} text:level="{number}" style:num-format="{kind}" style:num-suffix="." {more}/>'


def numbered(*items: str, style: str = "L", more: str = "") -> str:
    inner = "".join(f"<text:list-item>{item}</text:list-item>" for item in items)
    named = f'text:style-name="{style}"' if style else ""
    return f"<text:list {named} {more}>{inner}</text:list>"


def list_style(*levels: str) -> str:
    return f'<text:list-style style:name="L">{"".join(levels)}</text:list-style>'


def heading(words: str, depth: int = 1, more: str = "") -> str:
    return f'<text:h text:outline-level="{depth}" {more}>{words}</text:h>'


def test_numbers_of_chapters_are_counted() -> None:
    name = "outline-level-style"
    outline = (
        f'<text:outline-style style:name="Outline">{level(1, "I", name=name)}'
        f"{level(2, '1', 'text:display-levels=' + repr('2'), name)}</text:outline-style>"
        '<style:style style:name="Out" style:family="paragraph" style:list-style-name=""/>'
        '<style:style style:name="Too" style:family="paragraph" style:parent-style-name="Out"/>'
    )
    body = (
        heading("Preface", more='text:style-name="Too"'),
        heading("Index", more='text:is-list-header="true"'),
        heading("Why"),
        heading("First", 2),
        heading("Second", 2),
        heading("How", more='text:restart-numbering="true" text:start-value="4"'),
        heading("Third", 2),
        heading("None", 3),
    )
    assert blocks("".join(body), common=outline) == [
        "# Preface", "# Index", "# I. Why", "## I.1. First", "## I.2. Second", "# IV. How", "## IV.1. Third", "### None",
    ]  # fmt: skip


def test_headings_without_an_outline_have_no_numbers() -> None:
    assert blocks(heading("One") + heading("Two")) == ["# One", "# Two"]


def test_a_heading_in_a_list_has_the_number_of_its_item() -> None:
    inner = numbered(heading("Why", 2), style="")
    lists = numbered(heading("One")) + numbered(inner, more='text:continue-numbering="true"')
    shown = blocks(lists, list_style(level(1, "1"), level(2, "1", 'text:display-levels="2"')))
    assert shown == ["# 1. One", "## 1.1. Why"]


def test_a_number_that_a_program_has_written_is_not_read_twice() -> None:
    item = "<text:p><text:number>1.</text:number>One</text:p>"
    assert blocks(numbered(item), list_style(level(1, "1"))) == ["1. One"]


def test_an_item_without_letters_counts() -> None:
    items = numbered("<text:p>One</text:p>", "<text:p/>", "<text:p>Three</text:p>")
    assert blocks(items, list_style(level(1, "1"))) == ["1. One", "2.", "3. Three"]


@pytest.mark.parametrize(
    ("kind", "sign"),
    [("一, 二, 三, ...", "一."), ("ก, ข, ค, ...", "ก."), ("①, ②, ③, ...", "①.")],
)
def test_numbers_are_written_in_the_script_of_their_list(kind: str, sign: str) -> None:
    assert blocks(numbered("<text:p>x</text:p>"), list_style(level(1, kind))) == [f"{sign} x"]


def test_a_list_without_a_style_has_that_of_its_paragraphs() -> None:
    style = '<style:style style:name="P" style:family="paragraph" style:list-style-name="L"/>'
    items = numbered('<text:p text:style-name="P">One</text:p>', style="")
    assert blocks(items, style + list_style(level(1, "A"))) == ["A. One"]


@pytest.mark.parametrize("place", ['text:anchor-type="as-char"', 'text:anchor-type="char"'])
def test_a_formula_stands_in_its_line(place: str) -> None:
    frame = f'<draw:frame {place}><draw:object xlink:href="./f"/><draw:image/></draw:frame>'
    power = "<msup><mi>c</mi><mn>2</mn></msup>"
    formula = f'<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>m</mi>{power}</math>'
    assert blocks(f"<text:p>That {frame} holds.</text:p>", f=formula) == ["That m c^2 holds."]


def test_ends_of_lines_in_the_file_are_spaces() -> None:
    assert blocks("<text:p>\n  One\n  <text:span>two</text:span>\n  three\n</text:p>") == [
        "One two three"
    ]


def test_a_paragraph_that_is_struck_through_says_so() -> None:
    style = (
        '<style:style style:name="P" style:family="paragraph">'
        '<style:text-properties style:text-line-through-style="solid"/></style:style>'
    )
    line = '<text:p text:style-name="P">The <text:span>old</text:span> price</text:p>'
    assert blocks(line, style) == ["~~The old price~~"]


def test_places_that_other_cells_cover_are_empty_cells() -> None:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    rows = (
        cell.format("", "Route") + cell.format("", "Boat") + cell.format("", "Days"),
        cell.format(' table:number-rows-spanned="2"', "Skarne") + cell.format("", "big")
        + cell.format("", "daily"),
        "<table:covered-table-cell/>" + cell.format("", "small") + cell.format("", "weekly"),
        '<table:table-cell table:number-columns-repeated="2"/>' + cell.format("", "never"),
    )  # fmt: skip
    table = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    assert blocks(f"<table:table>{table}</table:table>")[0].splitlines() == [
        "| Route | Boat | Days |", "| Skarne | big | daily |", "| | small | weekly |", "| | | never |",
    ]  # fmt: skip


def test_an_object_in_a_format_of_its_own_is_named() -> None:
    frame = '<draw:frame><draw:object-ole xlink:href="./Object 1"/></draw:frame>'
    content = f"<office:document-content {_SPACES} {_XLINK}><office:body><office:text><text:p>Seen{frame}</text:p></office:text></office:body></office:document-content>"
    found = extract_page(packed({"content.xml": content}), "file:///x", ODT)
    assert found.markdown == "Seen"
    assert found.detail.values == {"names": "Object 1"}


def test_a_number_has_the_form_that_libreoffice_writes() -> None:
    form = 'loext:num-list-format="Section %1%-%2%" xmlns:loext="l" text:display-levels="2"'
    inner = numbered("<text:p>x</text:p>", style="")
    lists = numbered(f"<text:p>One</text:p>{inner}")
    styles = list_style(level(1, "I"), level(2, "1", form))
    assert blocks(lists, styles) == ["I. One", "Section I-1 x"]


def test_tick_boxes_and_choices_of_a_form_are_letters() -> None:
    def mark(kind: str, *given: tuple[str, str]) -> str:
        values = "".join(f'<f:param f:name="{name}" f:value="{value}"/>' for name, value in given)
        return f'<f:fieldmark xmlns:f="f" f:type="a.b.FORM{kind}">{values}</f:fieldmark>'

    entries = [("Dropdown_ListEntry", colour) for colour in ("red", "green")]
    marks = (
        mark("CHECKBOX", ("Checkbox_Checked", "true")),
        mark("CHECKBOX"),
        mark("DROPDOWN", *entries, ("Dropdown_Selected", "1")),
        mark("DROPDOWN", *entries, ("Dropdown_Selected", "9")),
        mark("OTHER", ("a", "b")),
    )
    assert blocks(f"<text:p>In{'-'.join(marks)}</text:p>") == ["In☒-☐-green--"]


def test_the_values_of_a_chart_are_a_table_and_one_within_itself_is_read_once() -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = "".join(
        f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>"
        for row in (("", "North", "South"), ("May", "12", "7"))
    )
    frame = '<draw:frame><draw:object xlink:href="./c"/></draw:frame>'
    title = f"<c:title><text:p>Sales{frame}{frame}</text:p></c:title>"
    table = f"<table:table>{rows}</table:table>"
    chart = f"<office:body {_SPACES} {_XLINK} xmlns:c='c'><c:chart>{title}{table}</c:chart></office:body>"
    assert blocks(f"<text:p>Seen{frame}</text:p>", c=chart) == [
        "Seen", "Sales", "| | North | South |\n| May | 12 | 7 |",
    ]  # fmt: skip
