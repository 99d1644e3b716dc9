"""Presentations, workbooks, RTF, notebooks and FictionBook: what a person sees, bounded, or why it is not read."""

from __future__ import annotations

from typing import Any

import pytest

from askance.adapters.library.files.parsing import pages_read
from askance.domain.web_pages import PageStatus
from askance.extract import page
from askance.extract.office.archives import MOST_UNPACKED_BYTES, Archive
from askance.extract.office.xlsx_pptx import MOST_CELLS, read_xlsx
from askance.extract.page import extract_page
from askance.extract.text.decoding import DecodingKind
from sampled import each_row, sampled
from servers.office import DOCX, ODT, docx, packed
from servers.office_formats import (
    FB2,
    IPYNB,
    ODF,
    ODP,
    ODS,
    PPTX,
    RTF,
    XLSX,
    notebook,
    opendocument,
    pptx,
    xlsx,
)

KINDS = (PPTX, XLSX, ODS, ODP, RTF, FB2, IPYNB)


def read(data: bytes, kind: str) -> str:
    found = extract_page(data, "file:///x", kind)
    assert found.status is PageStatus.OK, found.detail
    return found.markdown


def test_slides_are_read_with_their_titles_and_notes() -> None:
    data = pptx(
        ("Budget", "Three risks", "Speak slowly."), ("Old", "Gone", ""), hidden=frozenset({1})
    )
    assert read(data, PPTX).split("\n\n") == [
        "## Budget", "Three risks", "Speak slowly.", "## Old (hidden)", "Gone",
    ]  # fmt: skip


def test_pictures_of_slides_are_read_by_their_alternative_texts() -> None:
    picture = '<p:pic><p:nvPicPr><p:cNvPr name="Picture 1" descr="A map of the harbour"/></p:nvPicPr></p:pic>'
    assert read(pptx(("Budget", "", ""), more=picture), PPTX).split("\n\n") == [
        "## Budget", "[Picture: A map of the harbour]",
    ]  # fmt: skip


def test_a_chart_of_a_slide_is_read_by_its_alternative_text_and_a_comment_before_its_replies() -> (
    None
):
    members: dict[str, str | bytes] = {
        "ppt/presentation.xml": '<p xmlns:r="r"><sldId r:id="r0"/></p>',
        "ppt/_rels/presentation.xml.rels": '<Rs><R Id="r0" Target="slides/slide1.xml"/></Rs>',
        "ppt/slides/slide1.xml": '<s><graphicFrame><cNvPr descr="Sales by month"/></graphicFrame></s>',
        "ppt/slides/_rels/slide1.xml.rels": '<Rs><R Id="r0" Target="../comments/modernComment_1.xml"/></Rs>',
        "ppt/comments/modernComment_1.xml": "<c><cm><replyLst><reply><txBody><p><r><t>Because.</t></r></p></txBody></reply>"
        "</replyLst><txBody><p><r><t>Wh</t></r><r><t>y?</t></r></p></txBody></cm></c>",
    }
    assert read(packed(members), PPTX) == "[Picture: Sales by month]\n\nWhy?\nBecause."


def test_an_error_of_a_notebook_is_read() -> None:
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no boat", "traceback": ["x"]}
    cell: dict[str, object] = {"cell_type": "code", "source": "f()", "outputs": [error]}
    assert read(notebook(cell), IPYNB).endswith("```\nValueError: no boat\n```")


def test_a_sheet_is_a_table_under_its_name() -> None:
    rows = (
        '<row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>Day</t></is></c></row><row/>'
        '<row><c><v>12.5</v></c><c s="1"><v>45292</v></c><c t="b"><v>1</v></c></row>'
    )
    text = read(xlsx(rows, ("Price",)), XLSX)
    assert text == "## Budget\n\n| Price | Day |\n| 12.5 | 2024-01-01 | TRUE |"
    assert "## Budget (hidden)" in read(xlsx(rows, ("Price",), "hidden"), XLSX)


def table_of(cells: str, **given: Any) -> str:
    text = read(xlsx(f"<row>{cells}</row>", **given), XLSX)
    return text.partition("\n\n")[2]


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ('<c r="A1"><v>1</v></c><c r="D1"><v>4</v></c>', "| 1 | | | 4 |"),
        ('<c r="XFD1"><v>9</v></c>', f"{'| ' * 50}| 9 |"),
        (
            "<c><v>0.30000000000000004</v></c><c><v>12345678901234567</v></c>",
            "| 0.3 | 12345678901234567 |",
        ),
        (
            '<c t="e"><v>#DIV/0!</v></c><c t="str"><f>A1</f><v></v></c><c><v>7</v></c>',
            "| #DIV/0! | | 7 |",
        ),
        (
            '<c s="1"><v>1</v></c><c s="1"><v>61</v></c><c s="1"><v>0.5</v></c>',
            "| 1900-01-01 | 1900-03-01 | 12:00 |",
        ),
        (
            '<c s="2"><v>0.125</v></c><c s="3"><v>45292</v></c><c s="4"><v>5</v></c>',
            "| 12.5% | 45292 | 5 days |",
        ),
        # A time sheet: hours beyond a day, a time of midnight.
        (
            '<c s="5"><v>1.6875</v></c><c s="5"><v>-0.25</v></c><c s="6"><v>0</v></c><c s="6"><v>0.75</v></c>',
            "| 40:30 | -6:00 | 00:00 | 18:00 |",
        ),
        (
            '<c s="7"><v>1067</v></c><c s="8"><v>42</v></c><c s="9"><v>301234567</v></c><c s="7"><v>0.5</v></c>',
            "| 01067 | ID-0042 | 0301 234-567 | 0.5 |",
        ),
        (
            '<c s="10"><v>-1234.5</v></c><c s="11"><v>1500000</v></c><c s="12"><v>45292</v></c>',
            "| -1234.5 € | 1500000 | 2024-01-01 |",
        ),
        (
            '<c t="inlineStr"><is><t>one_x000D_ two</t></is></c><c t="str"><v>a_x0009_b</v></c>'
            '<c t="inlineStr"><is><t>_x005F_x000D_</t></is></c>',
            "| one two | a b | _x000D_ |",
        ),
    ],
)
def test_cells_are_read_as_they_are_shown(cells: str, text: str) -> None:
    formats = ("0.0%", "#,##0.00\\ _D_M", '0 "days"', "[h]:mm", "h:mm", "00000", '"ID-"0000',
               "0000 000-000", "#,##0.00\\ [$€-407];[Red]-#,##0.00", '0.0,,"M"', 'yyyy"年"m"月"')  # fmt: skip
    assert table_of(cells, formats=formats) == text


def test_dates_of_a_workbook_of_the_macintosh_are_read_by_its_own_first_day() -> None:
    rows = '<row><c s="1"><v>43830</v></c></row>'
    book = (
        '<w xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="A" r:id="r0"/></sheets></w>'
    )
    assert "| 2024-01-01 |" in read(xlsx(rows, more={"xl/workbook.xml": book}), XLSX)


def test_formulas_without_values_are_shown_and_counted() -> None:
    row = "<row><c><f>SUM(A1:A2)</f></c><c><f>B1*2</f><v>8</v></c><c><f>C1</f></c></row>"
    found = extract_page(xlsx(row), "file:///x", XLSX)
    assert found.markdown.endswith("| =SUM(A1:A2) | 8 | =C1 |")
    assert str(found.detail) == "The values of 2 formulas are not in the file."


def test_text_boxes_and_charts_on_a_sheet_are_read() -> None:
    related = '<Rs><R Id="r0" Type="t/{}" Target="{}"/></Rs>'
    more = {
        "xl/worksheets/_rels/sheet1.xml.rels": related.format(
            "drawing", "../drawings/drawing1.xml"
        ),
        "xl/drawings/drawing1.xml": "<d><p><r><t>A note </t></r><r><t>in a box</t></r></p></d>",
        "xl/drawings/_rels/drawing1.xml.rels": related.format("chart", "../charts/chart1.xml"),
        "xl/charts/chart1.xml": "<c><p><r><t>Sales</t></r></p><strCache><v>North</v><v>South</v></strCache></c>",
    }
    assert (
        table_of("<c><v>1</v></c>", more=more) == "| 1 |\n\nA note in a box\n\nSales\nNorth | South"
    )


def test_dates_of_eastern_programs_need_no_format_in_the_file() -> None:
    styles = '<s><cellXfs><xf numFmtId="0"/><xf numFmtId="57"/></cellXfs></s>'
    assert table_of('<c s="1"><v>45292</v></c>', more={"xl/styles.xml": styles}) == "| 2024-01-01 |"


def test_a_thread_of_comments_is_read_once_and_without_the_notice_for_old_programs() -> None:
    rels = (
        '<Rs><R Id="r0" Type="t/threadedComment" Target="../threadedComments/threadedComment1.xml"/>'
        '<R Id="r1" Type="t/comments" Target="../comments1.xml"/></Rs>'
    )
    more = {
        "xl/worksheets/_rels/sheet1.xml.rels": rels,
        "xl/threadedComments/threadedComment1.xml": "<T><threadedComment><text>Why?</text></threadedComment>"
        "<threadedComment><text>Because.</text></threadedComment></T>",
        "xl/comments1.xml": "<c><authors><author>tc={1}</author><author>Ann</author></authors>"
        '<comment authorId="0"><text><t>[Threaded comment] Your version. Why?</t></text></comment>'
        '<comment authorId="1"><text><t>A note.</t></text></comment></c>',
    }
    text = table_of("<c><v>1</v></c>", more=more)
    assert text == "| 1 |\n\nWhy?\nBecause.\n\nA note."


def test_what_stands_for_a_slicer_in_old_programs_is_no_text() -> None:
    drawing = (
        "<d xmlns:m='m'><m:AlternateContent><m:Choice><graphicFrame/></m:Choice><m:Fallback><p><r><t>This shape "
        "represents a slicer.</t></r></p></m:Fallback></m:AlternateContent><pic><cNvPr descr='A map'/></pic>"
        "<p><r><t>one</t></r><br/><r><t>two</t></r></p></d>"
    )
    more = {
        "xl/worksheets/_rels/sheet1.xml.rels": '<Rs><R Id="r0" Type="t/drawing" Target="../drawings/d.xml"/></Rs>',
        "xl/drawings/d.xml": drawing,
    }
    assert table_of("<c><v>1</v></c>", more=more) == "| 1 |\n\nA map\n\none two"


def test_a_title_that_is_drawn_last_heads_its_slide() -> None:
    title = '<p:sp><p:ph type="title"/><a:p><a:r><a:t>Head</a:t></a:r></a:p></p:sp>'
    data = pptx(("", "Text", "Note"), more=title)
    assert read(data, PPTX).split("\n\n") == ["## Head", "Text", "Note"]


def test_parts_of_a_workbook_are_found_by_their_relations() -> None:
    main = '<Rs><R Id="r0" Type="t/officeDocument" Target="xl/workbook2.xml"/></Rs>'
    parts = (
        '<Rs><R Id="r0" Type="t/worksheet" Target="worksheets/sheet1.xml"/>'
        '<R Id="r1" Type="t/sharedStrings" Target="strings2.xml"/></Rs>'
    )
    more = {
        "_rels/.rels": main,
        "xl/workbook2.xml": '<w xmlns:r="r"><sheets><sheet name="Own" r:id="r0"/></sheets></w>',
        "xl/_rels/workbook2.xml.rels": parts,
        "xl/strings2.xml": "<sst><si><t>Named</t></si></sst>",
    }
    row = '<row><c t="s"><v> 0 </v></c></row>'
    assert read(xlsx(row, more=more), XLSX) == "## Own\n\n| Named |"
    more["xl/_rels/workbook2.xml.rels"] = "<Rs/>"  # the usual names hold where nothing is said
    assert read(xlsx(row, ("Usual",), more=more), XLSX) == "## Own\n\n| Usual |"


def test_damaged_parts_of_a_workbook_or_a_presentation_cost_only_themselves() -> None:
    row = "<row><c><v>7</v></c></row>"
    found = extract_page(xlsx(row, more={"docProps/core.xml": "no <XML"}), "file:///x", XLSX)
    assert found.markdown == "## Budget\n\n| 7 |"
    assert str(found.detail) == "Parts of the file could not be read: docProps/core.xml."
    lost = extract_page(xlsx(row, more={"xl/worksheets/sheet1.xml": "<s><row>"}), "file:///x", XLSX)
    assert lost.markdown == "## Budget"
    cut = f"<s>{row}<row><c>"
    some = extract_page(xlsx(row, more={"xl/worksheets/sheet1.xml": cut}), "file:///x", XLSX)
    assert some.markdown == "## Budget\n\n| 7 |"
    assert "sheet1.xml" in str(some.detail)
    assert "xl/worksheets/sheet1.xml" in str(lost.detail)


def test_what_a_slide_shows_in_two_ways_is_read_once() -> None:
    shape = "<p:sp><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sp>"
    both = f"<m:AlternateContent xmlns:m='m'><m:Choice>{shape.format('New')}</m:Choice><m:Fallback>{shape.format('Old')}</m:Fallback></m:AlternateContent>"
    data = pptx(("Budget", "Risks", ""), more=both)
    assert read(data, PPTX).split("\n\n") == ["## Budget", "Risks", "New"]


def test_a_large_sheet_is_read_to_its_bound_and_says_so() -> None:
    row = f"<row>{'<c><v>7</v></c>' * 4}</row>"
    data = xlsx(row * (MOST_CELLS // 4 + 50_000))
    found = extract_page(data, "file:///x", XLSX)
    assert str(found.detail).startswith("Only the first")


@pytest.mark.exhaustive
def test_cells_without_a_value_do_not_count() -> None:
    row = "<row><c/><c/><c/><c/></row>"
    found = extract_page(
        xlsx(row * (MOST_CELLS // 2) + "<row><c><v>7</v></c></row>"), "file:///x", XLSX
    )
    assert found.markdown.endswith("| 7 |")
    assert not found.detail


@pytest.mark.exhaustive
def test_a_sheet_that_is_larger_than_what_is_unpacked_is_read_to_the_bound_of_cells() -> None:
    cell = "<c t='inlineStr'><is><t>Boat</t></is></c>"
    row = f"<row>{cell * 5}</row>"
    data = xlsx(row * (MOST_UNPACKED_BYTES // len(row) + 1), more={"docProps/core.xml": "<c/>"})
    read_of = read_xlsx(Archive(data, DecodingKind.XLSX))
    assert read_of.markdown.count("| Boat | Boat | Boat | Boat | Boat |") == MOST_CELLS // 5
    assert str(read_of.detail) == f"Only the first {MOST_CELLS:,} cells are read."


def test_a_long_string_that_many_cells_name_is_no_way_to_fill_the_memory() -> None:
    cells = "<c t='s'><v>0</v></c>" * 100
    found = extract_page(xlsx(f"<row>{cells}</row>", ("x" * 1_000_000,)), "file:///x", XLSX)
    assert str(found.detail) == "It unpacks to more than 64 MiB."


@pytest.mark.exhaustive
def test_a_long_workbook_is_read_once_for_all_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    read_of: list[Archive] = []
    monkeypatch.setitem(
        page._ARCHIVE_READERS,
        DecodingKind.XLSX,
        lambda archive: read_of.append(archive) or read_xlsx(archive),
    )
    data = xlsx("".join(f"<row><c><v>{n}</v></c></row>" for n in range(90_000)))
    first, texts = -1, list[str]()
    while (found := extract_page(data, "file:///x", f"{XLSX}; first={max(first, 0)}")).markdown:
        texts.append(found.markdown)
        first = pages_read(found.detail) or 0
        if not first:
            break
    assert len(read_of) == 1
    assert not page._last_read
    assert "\n".join(texts) == read_xlsx(Archive(data, DecodingKind.XLSX)).markdown


def test_a_presentation_of_five_hundred_slides_is_read_whole() -> None:
    text = read(pptx(*((f"Slide {n}", f"Text {n}", f"Note {n}") for n in range(500))), PPTX)
    assert text.count("## Slide") == text.count("Note") == 500


def test_tables_and_slides_of_opendocument_are_read() -> None:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    twice = cell.format(' table:number-columns-repeated="2"', "9")
    row = f"<table:table-row>{cell.format('', 'Boat')}{twice}</table:table-row>"
    sheet = f'<table:table table:name="Ferries">{row}</table:table>'
    assert read(opendocument(sheet), ODS) == "## Ferries\n\n| Boat | 9 | 9 |"
    hidden = (
        '<office:automatic-styles><style:style style:name="h"><style:table-properties table:display="false"/>'
        f'</style:style></office:automatic-styles><table:table table:style-name="h" table:name="Old">{row}</table:table>'
    )
    assert read(opendocument(hidden), ODS).startswith("## Old (hidden)")
    valued = (
        '<table:table-cell/><table:table-cell office:value-type="float" office:value="7"/>'
        "<table:table-cell><text:p>one<text:line-break/>two<text:s/>three</text:p></table:table-cell>"
    )
    sheet = f'<table:table table:name="B"><table:table-row>{valued}</table:table-row></table:table>'
    assert read(opendocument(sheet), ODS) == "## B\n\n| | 7 | one two three |"
    slide = (
        '<draw:page draw:name="First"><draw:frame><text:p>A ferry</text:p></draw:frame></draw:page>'
    )
    assert read(opendocument(slide), ODP) == "## First\n\nA ferry"


def test_what_stands_beside_the_cells_of_an_opendocument_sheet_is_no_cell() -> None:
    box = "<draw:frame><draw:text-box><text:p>A box</text:p></draw:text-box></draw:frame>"
    cell = (
        "<table:table-cell><office:annotation><text:p>A comment</text:p></office:annotation><text:p>Boat</text:p>"
        f"{box}</table:table-cell>"
    )
    shapes = f"<table:shapes>{box.replace('A box', 'Another box')}</table:shapes>"
    sheet = f'<table:table table:name="B">{shapes}<table:table-row>{cell}</table:table-row></table:table>'
    assert read(opendocument(sheet), ODS).split("\n\n") == [
        "## B", "| Boat |", "Another box", "> A comment", "A box",
    ]  # fmt: skip


def test_charts_and_pictures_of_an_opendocument_slide_are_read_and_its_title_once() -> None:
    frame = (
        '<draw:frame><svg:desc xmlns:svg="s">A map</svg:desc><draw:object href="./Object%201"/></draw:frame>'
        "<draw:frame><text:p>Budget</text:p><text:p><text:page-number>&lt;number&gt;</text:page-number></text:p></draw:frame>"
    )
    chart = (
        f"<office:document-content {ODF}><text:p>Sales</text:p><table:table><table:table-row><table:table-cell>"
        "<text:p>East</text:p></table:table-cell></table:table-row></table:table></office:document-content>"
    )
    slide = f'<office:document-content {ODF}><draw:page draw:name="Budget">{frame}</draw:page></office:document-content>'
    data = packed({"content.xml": slide, "Object 1/content.xml": chart})
    assert read(data, ODP).split("\n\n") == ["## Budget", "[Picture: A map]", "Sales", "| East |"]


@each_row(
    ("source", "text"),
    [
        (rb"{\rtf1\ansi A {\b bold} word.\par Next.}", "A bold word.\n\nNext."),
        (rb"{\rtf1\ansi\ansicpg1252 Gr\'f6\'dfe}", "Größe"),
        (rb"{\rtf1\ansi{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}\f1 \'cc\'e8\'f0}", "Мир"),
        (rb"{\rtf1\ansi\uc1 caf\u233?s \u8364?}", "cafés €"),
        (rb"{\rtf1 seen{\v hidden} more{\*\unheard left out}{\pict 00ff}}", "seen more"),
        (rb"{\rtf1 a{\footnote The note.} b}", "a b\n\nThe note."),
        (
            rb"{\rtf1 supercali{\*\atnid T}{\*\atnauthor Allison}\chatn{\*\annotation{\*\atndate 1}A remark.}fragilistic}",
            "supercalifragilistic\n\nAllison\n\nA remark.",
        ),
        (
            rb"{\rtf1 be{\shp{\*\shpinst\shpleft1{\sp{\sn shapeType}{\sv 202}}{\shptxt A box.\par}}{\shprslt again}}hind}",
            "behind\n\nA box.",
        ),
        (
            rb"{\rtf1 one{\footnote First{\b  bold}.} two{\footnote Second.}",
            "one two\n\nFirst bold.\n\nSecond.",
        ),
        (rb"{\rtf1 X\_4711\~b \{c\}}", "X-4711 b {c}"),
        (rb"{\rtf1 {\bin3 }}}left}", "left"),
        (rb"{\rtf1\uc1 a {\u-10240?}\u-8398? b}", "a \U00010332 b"),
        (rb"{\rtf1 a \u-10240? b}", "a \ufffd b"),
        (rb"{\rtf1 a\v hidden\v0 b\deleted gone\plain c}", "abc"),
        (rb"{\rtf1 a{\v b{\v0 c}d} e}", "ac e"),
        (rb"{\rtf1 a\v\par gone{\v0 b\cell}{\v0 c\row}}", "a\n\nb | c"),
        (
            rb"{\rtf1\deff0{\fonttbl{\f0\fcharset238 A;}{\f1\fcharset204 B;}}\'b3 \f1\'cc\plain\'b3}",
            "ł Мł",
        ),
        (
            rb"{\rtf1{\header Top}Body{\footer Foot}\sect{\header Top} more}",
            "Body\n\nmore\n\nTop\n\nFoot",
        ),
        (rb"{\rtf1 so{\xe song}ng{\tc Songs}s}", "songs"),
        (rb"{\rtf1{\pntext\f1 1.\tab}{\*\pn{\pntxta .}}One\par}", "1. One"),
        (rb"{\rtf1{\object\objlink{\*\objdata 00}{\result Linked}}}", "Linked"),
        (rb"{\rtf1 a\u8220\ldblquote Hello\u8221\rdblquote  b\u160\~c}", "a\u201cHello\u201d b c"),
        (
            rb"{\rtf1 {\field{\*\fldinst HYPERLINK x}{\*\fldrslt Link}} \u128512?!}",
            "Link \U0001f600!",
        ),
        (b"{\\rtf1\\pard\\intbl A\\\nB\\cell C\\cell\\row}", "A B | C |"),
        (rb"{\rtf1\pard\intbl A\par B\cell C\cell\row\pard D\par E}", "A B | C |\nD\n\nE"),
        (
            rb"{\rtf1\ansi{\fonttbl{\f0\fcharset78 A;}{\f1\cpg1251 B;}{\f2\fcharset255 C;}}\f0\'93\'fa\f1\'cc\f2\'82}",
            "日Мé",
        ),
        (
            rb"{\rtf1 So {\mmath{\*\moMath{\mr E=m}{\msSup{\msSupPr{\mctrlPr\i x}}{\me{\mr c}}{\msup{\mr 2}}}}} and "
            rb"{\mmath{\*\moMath{\mf{\mnum{\mr 1}}{\mden{\mr 2}}}}}",
            "So E=mc^2 and (1)/(2)",
        ),
    ],
)
def test_rtf_is_read_as_it_is_shown(source: bytes, text: str) -> None:
    assert read(source, RTF) == text


def test_a_notebook_is_its_texts_and_its_code_to_the_letter() -> None:
    data = notebook(
        {"cell_type": "markdown", "source": ["# Mole\n", "A text."]},
        {
            "cell_type": "code",
            "source": "if x:\n    print(1)",
            "outputs": [{"text": ["1\n"]}, {"data": {"text/plain": "2", "image/png": "AAAA"}}],
        },
    )
    assert read(data, IPYNB) == (
        "# Mole\nA text.\n\n```python\nif x:\n    print(1)\n```\n\n```\n1\n```\n\n```\n2\n```"
    )


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ({"text/markdown": ["**Quoll**"], "text/plain": "<IPython.core.display.Markdown object>"}, "**Quoll**"),
        ({"text/html": "<p>Quoll <b>one</b></p>", "text/plain": "<IPython.core.display.HTML object>"}, "Quoll one"),
        ({"text/html": "<p>Quoll</p>"}, "Quoll"),
        ({"text/html": "<table><tr><td>1</td></tr></table>", "text/plain": "   a\n0  1"}, "```\n   a\n0  1\n```"),
        ({"text/plain": "\x1b[31mred\x1b[0m"}, "```\nred\n```"),
        ({"text/plain": "long " * 5_000}, f"```\n{('long ' * 5_000).rstrip()}\n```"),
    ],
)  # fmt: skip
def test_an_output_of_a_notebook_is_what_it_shows(output: dict[str, str], shown: str) -> None:
    data = notebook({"cell_type": "code", "source": "", "outputs": [{"data": output}]})
    assert read(data, IPYNB) == shown


def test_a_picture_within_the_text_of_a_notebook_is_its_name() -> None:
    cell: dict[str, object] = {
        "cell_type": "markdown",
        "source": "A ![map](data:image/png;base64,AAAA) here",
    }
    assert read(notebook(cell), IPYNB) == "A map here"


def test_pictures_of_fictionbook_are_told_by_their_alternative_texts() -> None:
    body = "<p>The map: <image alt='of the harbour'/>.</p><image title='A ferry'/><image/>"
    data = f"<FictionBook><body><section>{body}</section></body></FictionBook>".encode()
    assert read(data, FB2) == "The map: [Picture: of the harbour].\n\n[Picture: A ferry]"


@pytest.mark.parametrize("mark", ["3", "[3]", "<sup>3</sup>"])
def test_a_note_of_fictionbook_is_no_part_of_a_word_or_number(mark: str) -> None:
    line = "<p>The year 55{0} and the mole{0}.</p>".format(f'<a href="#n3" type="note">{mark}</a>')
    data = f"<FictionBook><body><section>{line}</section></body></FictionBook>".encode()
    assert read(data, FB2) == "The year 55 [3] and the mole [3]."


def test_fictionbook_has_titles_verses_and_notes() -> None:
    source = (
        "<FictionBook><description><title-info><book-title>Паром</book-title></title-info></description>"
        "<body><section><title><p>Глава</p></title><p>Текст <strong>главы</strong>.</p>"
        "<poem><stanza><v>Стих</v></stanza></poem></section></body>"
        "<body name='notes'><section><p>Сноска</p></section></body></FictionBook>"
    )
    data = f'<?xml version="1.0" encoding="windows-1251"?>{source}'.encode("cp1251")
    found = extract_page(data, "file:///x", FB2)
    assert found.title == "Паром"
    assert found.markdown.split("\n\n") == ["## Глава", "Текст главы.", "Стих", "Сноска"]


ODF_STYLES = (
    "<office:automatic-styles>"
    '<style:style style:name="T1" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="T2" style:family="text"><style:text-properties style:text-position="-33% 58%"/></style:style>'
    '<style:style style:name="T3" style:family="text" style:parent-style-name="T1"/>'
    "</office:automatic-styles>"
)


def scripted(raised: tuple[str, str], lowered: tuple[str, str], other: str = "{}") -> str:
    """A line with two raised numbers and a lowered one, each between its own two pieces of source."""
    pieces = (("about 10", ""), ("5", "up"), (" cells, 3 m", ""), ("2", "up"), (" of H", ""))
    ends = {"up": raised, "down": lowered, "": tuple(other.split("{}"))}
    every = (*pieces, ("2", "down"), ("O", ""))
    return "".join(f"{ends[kind][0]}{text}{ends[kind][1]}" for text, kind in every)


def word_run(script: str) -> tuple[str, str]:
    return f'<w:r><w:rPr>{script}</w:rPr><w:t xml:space="preserve">', "</w:t></w:r>"


def span(style: str) -> tuple[str, str]:
    return f'<text:span text:style-name="{style}">', "</text:span>"


def slide_run(baseline: str) -> tuple[str, str]:
    return f'<a:r><a:rPr baseline="{baseline}"/><a:t>', "</a:t></a:r>"


def cell_run(position: str) -> tuple[str, str]:
    return f'<r><rPr><vertAlign val="{position}"/></rPr><t>', "</t></r>"


FALSE = '<w:strike w:val="0"/>'
UP, DOWN = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
ODF_LINE = f"<text:p>{scripted(span('T3'), span('T2'))}</text:p>"
SHARED_LINE = scripted(cell_run("superscript"), cell_run("subscript"), "<r><t>{}</t></r>")
SCRIPTED_FILES = {
    DOCX: docx("", body=f"<w:p>{scripted(word_run(UP), word_run(DOWN), '{}'.join(word_run('')))}</w:p>"),
    ODT: packed({"content.xml": f"<office:document-content {ODF}>{ODF_STYLES}<office:body><office:text>{ODF_LINE}</office:text></office:body></office:document-content>"}),
    PPTX: pptx(("", "", ""), more=f"<p:sp><a:p>{scripted(slide_run('30000'), slide_run('-25000'), '{}'.join(slide_run('0')))}</a:p></p:sp>"),
    XLSX: xlsx('<row><c t="s"><v>0</v></c></row>', more={"xl/sharedStrings.xml": f"<sst><si>{SHARED_LINE}</si></sst>"}),
    ODS: opendocument(f'{ODF_STYLES}<office:body><table:table table:name="S"><table:table-row><table:table-cell>{ODF_LINE}</table:table-cell></table:table-row></table:table></office:body>'),
    ODP: opendocument(f'{ODF_STYLES}<office:body><draw:page draw:name="S">{ODF_LINE}</draw:page></office:body>'),
    RTF: (r"{\rtf1 " + scripted((r"{\super ", "}"), (r"\sub ", r"\nosupersub ")) + "}").encode(),
    FB2: f"<FictionBook><body><p>{scripted(('<sup>', '</sup>'), ('<sub>', '</sub>'))}</p></body></FictionBook>".encode(),
}  # fmt: skip


SYMBOL = '<w:r><w:rPr><w:rFonts w:ascii="{0}" w:hAnsi="{0}"/></w:rPr><w:t>{1}</w:t></w:r>'
SLIDE_SYMBOL = '<p:sp><a:p><a:r><a:rPr><a:sym typeface="Symbol"/></a:rPr><a:t>\uf079 \uf0a3 2</a:t></a:r></a:p></p:sp>'


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (docx("", body=f"<w:p>{SYMBOL.format('Symbol', chr(0xF079) + ' ' + chr(0xF0A3) + ' 2')}</w:p>"), DOCX, "ψ ≤ 2"),
        (docx("", body='<w:p><w:r><w:sym w:font="Symbol" w:char="F06D"/><w:t>m</w:t></w:r></w:p>'), DOCX, "μm"),
        (docx("", body='<w:p><w:r><w:t>done </w:t><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>'), DOCX, "done ✔"),
        (docx("", body='<w:p><w:r><w:sym w:font="Wingdings 2" w:char="F052"/><w:t> yes </w:t><w:sym w:font="Wingdings 2" w:char="F0A3"/></w:r></w:p>'), DOCX, "☑ yes ☐"),
        (docx("", body=f"<w:p>{SYMBOL.format('Other', chr(0xF079) + 'b')}</w:p>"), DOCX, "\uf079b"),
        (docx("", body=f"<w:p>{SYMBOL.format('Symbol', chr(0xF01F) + 'a b' + chr(0xF01F))}</w:p>"), DOCX, "a b"),
        (pptx(("", "", ""), more=SLIDE_SYMBOL), PPTX, "ψ ≤ 2"),
        (rb"{\rtf1{\fonttbl{\f0 Arial;}{\f1\fcharset2 Symbol;}}\f0 an {\f1 y} of {\f1\u-3975?} and \f1\'a3\f0 2}", RTF, "an ψ of ψ and ≤2"),
        (rb"{\rtf1{\fonttbl{\f0 Arial;}{\f1\fcharset2 Other;}}an {\f1 y}}", RTF, "an y"),
    ],
)  # fmt: skip
def test_letters_of_a_font_of_signs_are_the_signs_that_it_shows(
    data: bytes, kind: str, text: str
) -> None:
    assert text in read(data, kind)


STRUCK_SPAN = f"<text:p>was {span('T4')[0]}120 {span('T5')[0]}eu{span('T5')[1]}ro{span('T4')[1]} now 90</text:p>"
STRUCK_STYLES = (
    '<office:automatic-styles><style:style style:name="T4" style:family="text">'
    '<style:text-properties style:text-line-through-style="solid"/></style:style>'
    '<style:style style:name="T5" style:family="text"><style:text-properties/></style:style></office:automatic-styles>'
)
STRUCK_FILES = {
    DOCX: docx("", body=f"<w:p>{'was '.join(word_run(''))}{'120 '.join(word_run('<w:strike/>'))}{'euro'.join(word_run('<w:dstrike/>'))}{' now 90'.join(word_run(FALSE))}</w:p>"),
    ODT: packed({"content.xml": f"<office:document-content {ODF}>{STRUCK_STYLES}<office:body><office:text>{STRUCK_SPAN}</office:text></office:body></office:document-content>"}),
    ODP: opendocument(f'{STRUCK_STYLES}<office:body><draw:page draw:name="S">{STRUCK_SPAN}</draw:page></office:body>'),
    PPTX: pptx(("", "", ""), more='<p:sp><a:p><a:r><a:t>was </a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>120 euro</a:t></a:r><a:r><a:rPr strike="noStrike"/><a:t> now 90</a:t></a:r></a:p></p:sp>'),
    XLSX: xlsx('<row><c t="s"><v>0</v></c></row>', more={"xl/sharedStrings.xml": "<sst><si><r><t>was </t></r><r><rPr><strike/></rPr><t>120 euro</t></r><r><t> now 90</t></r></si></sst>"}),
    RTF: rb"{\rtf1 was {\strike 120 {\b eu}ro} \strike0 now 90}",
    FB2: b"<FictionBook><body><p>was <strikethrough>120 <b>eu</b>ro</strikethrough> now 90</p></body></FictionBook>",
}  # fmt: skip


@pytest.mark.parametrize("kind", STRUCK_FILES)
def test_what_is_struck_through_is_not_read_as_if_it_held(kind: str) -> None:
    assert "was ~~120 euro~~ now 90" in read(STRUCK_FILES[kind], kind)


def test_what_is_raised_may_be_struck_through_too() -> None:
    assert read(rb"{\rtf1 10{\super\strike 5} or 10{\strike {\super 6}}}", RTF) == (
        "10~~^5~~ or 10~~^6~~"
    )


def test_what_is_lowered_may_be_followed_by_what_is_raised() -> None:
    runs = "".join(
        text.join(word_run(script))
        for text, script in (("SO", ""), ("4", DOWN), ("2-", UP), (" and x", ""), ("i", DOWN))
    )
    assert read(docx("", body=f"<w:p>{runs}</w:p>"), DOCX).endswith("SO4^2- and xi")


def test_controls_in_rtf_are_no_marks() -> None:
    assert read(rb"{\rtf1 auto\'1fmatic fur\u31?ther \'1c5\'1e {\strike out}}", RTF) == (
        "automatic further 5 ~~out~~"
    )


def test_a_struck_part_within_a_struck_text_does_not_end_it() -> None:
    base, above = (text.join(word_run("<w:strike/>")) for text in ("k", "ka"))
    ruby = f"<w:ruby><w:rt>{above}</w:rt><w:rubyBase>{base}</w:rubyBase></w:ruby>"
    body = f"<w:p><w:r><w:rPr><w:strike/></w:rPr>{ruby}</w:r></w:p>"
    assert read(docx("", body=body), DOCX).endswith("~~k (ka)~~")


@pytest.mark.parametrize("number", ["", "zz", "1F", "D800", "FFFFFFFFFF"])
def test_a_sign_with_a_wrong_number_does_not_cost_the_file(number: str) -> None:
    sign = f'<w:r><w:t>seen</w:t><w:sym w:font="Other" w:char="{number}"/></w:r>'
    assert read(docx("", body=f"<w:p>{sign}</w:p>"), DOCX).endswith("seen")


@pytest.mark.parametrize("kind", SCRIPTED_FILES)
def test_raised_and_lowered_numbers_are_no_part_of_what_they_stand_at(kind: str) -> None:
    assert "about 10^5 cells, 3 m^2 of H2O" in read(SCRIPTED_FILES[kind], kind)


@each_row("kind", KINDS)
@each_row(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(64),
        b"\xd0\xcf\x11\xe0" + bytes(600),
        b"PK\x03\x04 damaged",
        packed({"other.txt": "x"}),
        packed({"ppt/x.xml": "<a>", "xl/x.xml": "<a>", "content.xml": "<a>" * 50}),
        b"<a>" * 5_000,
        b"[" * 100_000,
        b'{"cells": ' + b"[" * 100_000,
        b"{\\rtf1 " + b"{" * 100_000,
        b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    ],
)
def test_what_is_damaged_or_made_to_harm_is_one_sentence(data: bytes, kind: str) -> None:
    found = extract_page(data, "file:///x", kind)
    assert found.status is not PageStatus.OK
    assert str(found.detail).endswith(".")


@pytest.mark.parametrize(
    ("name", "kind"),
    sampled(
        [("ppt/presentation.xml", PPTX), ("xl/workbook.xml", XLSX), ("content.xml", ODS)],
        every=3,
        are_tuples=True,
    ),
)
def test_a_bomb_is_not_unpacked(name: str, kind: str) -> None:
    found = extract_page(packed({name: b" " * 80_000_000}), "file:///x", kind)
    assert "unpacks to more than" in found.detail
