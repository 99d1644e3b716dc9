"""What documents of offices hide, each beside what looks like it in the file and is seen."""

from __future__ import annotations

import pytest

from askance.extract.page import extract_page
from sampled import each_row
from servers.office import DOCX, EPUB, ODT, packed
from servers.office_formats import IPYNB, ODS, PPTX, RTF, XLSX, notebook, opendocument, xlsx

SEEN = "The ferry leaves the northern quay at seven."
UNSEEN = "Nobody sees this canary."
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:wp="wp"'
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def read(data: bytes, kind: str) -> str:
    return extract_page(data, "file:///x", kind).markdown


def judged(markdown: str, *, hidden: bool) -> None:
    """Check that a text is left out, or marked as hidden, exactly if it is."""
    assert SEEN in markdown
    assert ("canary" not in markdown or "canary. (hidden)" in markdown) is hidden


def word(body: str, styles: str = "", header: str = "") -> str:
    kinds = (("styles", styles), ("header", header))
    related = "".join(
        f"<R Id='{kind}' Type='{_KIND}/{kind}' Target='{kind}.xml'/>" for kind, _ in kinds
    )
    parts: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {_W}><w:body><w:p><w:r><w:t>{SEEN}</w:t></w:r></w:p>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": f"<Rs>{related}</Rs>",
        "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
        "word/header.xml": f"<w:hdr {_W}>{header}</w:hdr>",
        "_rels/.rels": f"<Rs><R Id='a' Type='{_KIND}/officeDocument' Target='word/document.xml'/></Rs>",
    }
    return read(packed(parts), DOCX)


def run(properties: str = "", words: str = UNSEEN) -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{words}</w:t></w:r>"


def paragraph(properties: str = "", own: str = "", words: str = UNSEEN) -> str:
    return f"<w:p><w:pPr>{own}</w:pPr>{run(properties, words)}</w:p>"


def styled(name: str) -> str:
    return f"<w:pStyle w:val='{name}'/>"


WHITE, SHADE = "<w:color w:val='FFFFFF'/>", "<w:shd w:val='clear' w:fill='1F3864'/>"
STYLES = (
    "<w:style w:styleId='Gone'><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:styleId='Too'><w:basedOn w:val='Gone'/></w:style>"
    "<w:style w:styleId='Back'><w:basedOn w:val='Gone'/><w:rPr><w:vanish w:val='0'/></w:rPr></w:style>"
    "<w:style w:styleId='Dot'><w:rPr><w:sz w:val='2'/></w:rPr></w:style>"
    "<w:style w:styleId='Grown'><w:basedOn w:val='Dot'/><w:rPr><w:sz w:val='20'/></w:rPr></w:style>"
    f"<w:style w:styleId='Pale'><w:rPr>{WHITE}</w:rPr></w:style>"
    f"<w:style w:styleId='Panel'><w:pPr>{SHADE}</w:pPr><w:rPr>{WHITE}</w:rPr></w:style>"
    "<w:style><w:rPr><w:sz w:val='2'/></w:rPr></w:style>"
    "<w:style w:styleId='Grid'><w:tblPr/></w:style>"
    f"<w:style w:styleId='Banded'><w:tblStylePr><w:tcPr>{SHADE}</w:tcPr></w:tblStylePr></w:style>"
)


def table(properties: str = "", cell: str = "", row: str = "", content: str = "") -> str:
    return (
        f"<w:tbl><w:tblPr>{properties}</w:tblPr><w:tr><w:trPr>{row}</w:trPr><w:tc><w:tcPr>{cell}</w:tcPr>"
        f"{content or paragraph(WHITE)}</w:tc></w:tr></w:tbl>"
    )


FLOAT = "<w:p><w:r><w:drawing><wp:anchor behindDoc='1'/></w:drawing></w:r></w:p>"


def drawing(anchor: str = "", name: str = "") -> str:
    box = f"<w:txbxContent>{paragraph()}</w:txbxContent>"
    return f"<w:p><w:r><w:drawing><wp:anchor {anchor}><wp:docPr {name}/>{box}</wp:anchor></w:drawing></w:r></w:p>"


@pytest.mark.parametrize(
    "body",
    [
        paragraph("<w:vanish/>"),
        paragraph("<w:webHidden/>"),
        paragraph("<w:sz w:val='2'/>"),
        paragraph("<w:w w:val='1'/>"),
        paragraph(WHITE),
        paragraph("<w:color w:val='FDFEFF'/>"),
        paragraph("<w:color w:val='1f3864'/>" + SHADE),
        paragraph(own=styled("Gone")),
        paragraph(own=styled("Too")),
        paragraph(own=styled("Dot")),
        paragraph(own=styled("Pale")),
        paragraph("<w:rStyle w:val='Pale'/>"),
        paragraph("<w:rStyle w:val='Too'/>"),
        paragraph(own="<w:framePr w:x='-20000' w:y='0'/>"),
        table(row="<w:hidden/>", content=paragraph()),
        table("<w:tblStyle w:val='Grid'/>"),
        drawing("hidden='1'"),
        drawing(name="hidden='1' descr='A second canary.'"),
    ],
)
def test_what_a_word_file_hides_is_left_out(body: str) -> None:
    judged(word(body, STYLES), hidden=True)


@each_row(
    "body",
    [
        paragraph(),
        paragraph("<w:vanish w:val='0'/>"),
        paragraph("<w:sz w:val='8'/>"),
        paragraph("<w:w w:val='66'/>"),
        paragraph("<w:color w:val='auto'/>"),
        paragraph("<w:color w:val='CCCCCC'/>"),
        paragraph(WHITE + SHADE),
        paragraph(WHITE + "<w:highlight w:val='black'/>"),
        paragraph(WHITE, own=SHADE),
        paragraph(WHITE, own=styled("Panel")),
        paragraph(own=styled("Panel")),
        paragraph(own=styled("Back")),
        paragraph(own=styled("Grown")),
        paragraph("<w:vanish w:val='0'/>", own=styled("Gone")),
        paragraph("<w:color w:val='000000'/>", own=styled("Pale")),
        paragraph(own="<w:framePr w:x='-300' w:y='0'/>"),
        table(row="<w:hidden w:val='0'/>", content=paragraph()),
        table("<w:tblStyle w:val='Banded'/>"),
        table(cell=SHADE),
        table(cell=SHADE, content=table("<w:tblStyle w:val='Grid'/>")),
        paragraph(WHITE) + FLOAT,
        f"<w:background w:color='000000'/>{paragraph(WHITE)}",
        drawing(),
        f"<w:p><w:r><w:drawing><wp:inline><w:txbxContent>{paragraph(WHITE)}</w:txbxContent></wp:inline></w:drawing></w:r></w:p>",
    ],
)
def test_what_a_word_file_shows_stays(body: str) -> None:
    judged(word(body, STYLES), hidden=False)


def test_white_letters_of_a_word_file_stay_where_a_header_holds_a_picture_for_the_page() -> None:
    judged(word(paragraph(WHITE), header=FLOAT), hidden=False)
    judged(word(paragraph(WHITE), header=paragraph(words="Head")), hidden=True)


def test_numbers_of_pages_are_read_though_they_are_hidden_where_there_are_no_pages() -> None:
    assert "Contents 12" in word(
        f"<w:p>{run(words='Contents ')}{run('<w:webHidden/>', '12')}</w:p>".replace(UNSEEN, "")
    )


def cells(*rows: str, more: str = "") -> str:
    styles = (
        '<s><numFmts><numFmt numFmtId="170" formatCode=";;;"/><numFmt numFmtId="171" formatCode="0;-0;;@"/></numFmts>'
        '<fonts><font/><font><color rgb="FFFFFFFF"/></font></fonts><cellXfs><xf/><xf fontId="1"/>'
        '<xf fontId="1" fillId="2"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></s>'
    )
    seen = f'<row><c t="inlineStr"><is><t>{SEEN}</t></is></c></row>'
    sheet = f"<s>{more}<sheetData>{seen}{''.join(rows)}</sheetData></s>"
    return read(xlsx("", more={"xl/styles.xml": styles, "xl/worksheets/sheet1.xml": sheet}), XLSX)


def row(attributes: str = "", cell: str = "") -> str:
    return f'<row {attributes}><c t="inlineStr" {cell}><is><t>{UNSEEN}</t></is></c></row>'


def column(attributes: str) -> str:
    return f"<cols><col {attributes}/></cols>"


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        (row(cell='s="1"'), ""),
        (row(cell='s="3"'), ""),
        (row(cell='r="E2"'), column('min="5" max="5" hidden="1"')),
        (row(cell='r="E2"'), column('min="4" max="16384" width="0"')),
    ],
)
def test_what_cells_hide_is_marked(row: str, columns: str) -> None:
    judged(cells(row, more=columns), hidden=True)


@pytest.mark.parametrize("attributes", ['hidden="1"', 'ht="0" customHeight="1"'])
def test_a_hidden_row_is_marked(attributes: str) -> None:
    assert f"| {UNSEEN} | (hidden)" in cells(row(attributes))


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        (row(), ""),
        (row('ht="15"'), ""),
        (row(cell='s="2"'), ""),
        (row(cell='s="4"'), ""),
        (row(cell='r="E2"'), column('min="6" max="9" hidden="1"')),
        (row(cell='r="E2"'), column('min="" max="x" hidden="1"')),
        (row(cell='r="E2"'), column('min="5" max="5" width="9"')),
    ],
)
def test_what_cells_show_is_not_marked(row: str, columns: str) -> None:
    found = cells(row, more=columns)
    judged(found, hidden=False)
    assert "(hidden)" not in found


def test_a_hidden_column_of_one_sheet_is_none_of_the_next() -> None:
    relations = "".join(f'<R Id="r{n}" Target="worksheets/sheet{n}.xml"/>' for n in (0, 1))
    first = column('min="1" max="1" hidden="1"')
    hidden = f"<s>{first}<sheetData>{row()}</sheetData></s>"
    shown = f"<s><sheetData>{row().replace(UNSEEN, SEEN)}</sheetData></s>"
    sheets = "".join(f'<sheet name="{n}" r:id="r{n}"/>' for n in (0, 1))
    data = packed({
        "xl/workbook.xml": f'<w xmlns:r="r"><sheets>{sheets}</sheets></w>',
        "xl/_rels/workbook.xml.rels": f"<Rs>{relations}</Rs>",
        "xl/worksheets/sheet0.xml": hidden,
        "xl/worksheets/sheet1.xml": shown,
    })  # fmt: skip
    assert f"{SEEN} |" in read(data, XLSX)


def slide(shape: str, *, more: str = "", master: str = "", size: str = "") -> str:
    """The text of a slide with a shape, of a presentation of 9,000 by 6,000."""
    spaces = 'xmlns:p="p" xmlns:a="a" xmlns:r="r"'
    seen = f"<p:sp><p:txBody><a:p><a:r><a:t>{SEEN}</a:t></a:r></a:p></p:txBody></p:sp>"
    related = f"<Rs><R Id='a' Type='{_KIND}/{{}}' Target='{{}}.xml'/></Rs>"
    sizes = size or '<p:sldSz cx="9000" cy="6000"/>'
    return read(
        packed({
            "ppt/presentation.xml": f'<p:p {spaces}><p:sldIdLst><p:sldId r:id="a"/></p:sldIdLst>{sizes}</p:p>',
            "ppt/_rels/presentation.xml.rels": related.format("slide", "slide"),
            "ppt/slide.xml": f"<p:sld {spaces}><p:cSld><p:spTree>{seen}{shape}{more}</p:spTree></p:cSld></p:sld>",
            "ppt/_rels/slide.xml.rels": related.format("slideLayout", "layout"),
            "ppt/layout.xml": f"<p:l {spaces}/>",
            "ppt/_rels/layout.xml.rels": related.format("slideMaster", "master"),
            "ppt/master.xml": f"<p:m {spaces}>{master}</p:m>",
        }),
        PPTX,
    )  # fmt: skip


def shape(x: int = 10, name: str = "", letters: str = "", fill: str = "") -> str:
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr {name}/></p:nvSpPr><p:spPr><a:xfrm><a:off x='{x}' y='10'/><a:ext cx='900' cy='90'/>"
        f"</a:xfrm>{fill}</p:spPr><p:txBody><a:p><a:r>{letters}<a:t>{UNSEEN}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def inked(colour: str = "", size: str = "1800", alpha: str = "") -> str:
    alpha = f'<a:alpha val="{alpha}"/>' if alpha else ""
    fill = f'<a:solidFill><a:srgbClr val="{colour or "000000"}">{alpha}</a:srgbClr></a:solidFill>'
    return f'<a:rPr sz="{size}">{fill}</a:rPr>'


SOLID = '<a:solidFill><a:srgbClr val="1F3864"/></a:solidFill>'


@pytest.mark.parametrize(
    "shape",
    [
        shape(-90_000),
        shape(9_500),
        shape(name="hidden='1'"),
        f"<p:grpSp><p:nvGrpSpPr><p:cNvPr hidden='1'/></p:nvGrpSpPr>{shape()}</p:grpSp>",
        shape(letters=inked("FFFFFF")),
        shape(letters=inked(alpha="0")),
        shape(letters=inked(size="100")),
    ],
)
def test_what_a_slide_hides_is_left_out(shape: str) -> None:
    judged(slide(shape), hidden=True)


@pytest.mark.parametrize(
    ("shape", "more", "master"),
    [
        (shape(), "", ""),
        (shape(-850), "", ""),
        (shape(name="hidden='0'"), "", ""),
        (f"<p:grpSp><p:nvGrpSpPr/>{shape(-90_000)}</p:grpSp>", "", ""),
        (shape(letters=inked("FFFFFF"), fill=SOLID), "", ""),
        (shape(letters=inked("FFFFFF")), "<p:pic/>", ""),
        (shape(letters=inked("FFFFFF")), shape(fill=SOLID), ""),
        (shape(letters=inked("FFFFFF")), "", f"<p:bg><p:bgPr>{SOLID}</p:bgPr></p:bg>"),
        (shape(letters=inked("DDDDDD")), "", ""),
        (shape(letters=inked(alpha="60000")), "", ""),
        (shape(letters=inked(size="800")), "", ""),
    ],
)
def test_what_a_slide_shows_stays(shape: str, more: str, master: str) -> None:
    judged(slide(shape, more=more, master=master), hidden=False)


def test_a_shape_of_a_presentation_without_a_size_is_off_its_left_side_alone() -> None:
    judged(slide(shape(90_000), size="<p:x/>"), hidden=False)
    judged(slide(shape(-90_000), size="<p:x/>"), hidden=True)


def odt(body: str, styles: str) -> str:
    names = ("office", "text", "table", "style", "drawing")
    spaces = " ".join(
        f'xmlns:{"draw" if n == "drawing" else n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"'
        for n in names
    )
    spaces += ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles><office:body>"
        f"<office:text><text:p>{SEEN}</text:p>{body}</office:text></office:body></office:document-content>"
    )
    return read(packed({"content.xml": content}), ODT)


def style(properties: str, more: str = "", family: str = "text") -> str:
    return f"<style:style style:name='T' style:family='{family}'>{more}<style:text-properties {properties}/></style:style>"


SPAN = f"<text:p><text:span text:style-name='T'>{UNSEEN}</text:span></text:p>"
FRAME = "<text:p><draw:frame/></text:p>"


@pytest.mark.parametrize(
    ("body", "styles"),
    [
        (SPAN, style("text:display='none'")),
        (SPAN, style("fo:color='#ffffff'")),
        (SPAN, style("fo:font-size='1pt'")),
        (SPAN, style("fo:font-size='0.5pt'")),
        (
            f"<text:p text:style-name='T'>{UNSEEN}</text:p>",
            style("fo:color='#fefefe'", family="paragraph"),
        ),
        (f"<text:p><text:hidden-paragraph text:is-hidden='true'/>{UNSEEN}</text:p>", ""),
        (
            f"<text:p text:style-name='P'>{SPAN[8:-9]}</text:p>",
            style("fo:color='#123456'")
            + style("text:display='none'", family="paragraph").replace("'T'", "'P'"),
        ),
        (f"<text:section text:display='none'><text:p>{UNSEEN}</text:p></text:section>", ""),
    ],
)
def test_what_an_opendocument_text_hides_is_left_out(body: str, styles: str) -> None:
    judged(odt(body, styles), hidden=True)


@pytest.mark.parametrize(
    ("body", "styles"),
    [
        (SPAN, style("fo:color='#cccccc'")),
        (SPAN, style("fo:font-size='8pt'")),
        (SPAN, style("fo:font-size='1cm'")),
        (SPAN, style("fo:color='#ffffff' fo:background-color='#000080'")),
        (SPAN + FRAME, style("fo:color='#ffffff'")),
        (
            f"<text:p text:style-name='P'>{SPAN[8:-9]}</text:p>",
            style("fo:color='#123456' fo:font-size='9pt'")
            + style("fo:color='#ffffff' fo:font-size='1pt'", family="paragraph").replace(
                "'T'", "'P'"
            ),
        ),
        (
            SPAN,
            style("fo:color='#ffffff'")
            + "<style:style style:name='C' style:family='table-cell'><style:table-cell-properties fo:background-color='#123456'/></style:style>",
        ),
        (f"<text:p><text:hidden-paragraph text:is-hidden='false'/>{UNSEEN}</text:p>", ""),
        (f"<text:p><text:hidden-text text:is-hidden='true'/>{UNSEEN}</text:p>", ""),
    ],
)
def test_what_an_opendocument_text_shows_stays(body: str, styles: str) -> None:
    judged(odt(body, styles), hidden=False)


def test_hidden_rows_and_columns_of_an_opendocument_sheet_are_marked() -> None:
    def cell(words: str) -> str:
        return f"<table:table-cell><text:p>{words}</text:p></table:table-cell>"

    table = (
        "<table:table table:name='A'><table:table-column table:number-columns-repeated='2'/>"
        "<table:table-column table:visibility='collapse'/><table:table-column/>"
        f"<table:table-row>{cell('a')}{cell('b')}{cell('c')}{cell('d')}</table:table-row>"
        f"<table:table-row table:visibility='filter'>{cell('e')}</table:table-row></table:table>"
    )
    assert read(opendocument(table), ODS) == "## A\n\n| a | b | c (hidden) | d |\n| e | (hidden)"


HEAD = (
    r"{\rtf1\ansi{\colortbl;\red255\green255\blue255;\red0\green0\blue0;\red254\green255\blue250;}"
)


@pytest.mark.parametrize(
    "hidden",
    [
        r"{\v @}",
        r"{\webhidden @}",
        r"{\fs2 @}",
        r"{\fs1 @}",
        r"{\cf1 @}",
        r"{\cf3 @}",
        r"{\cf2\fs1 @}",
    ],
)
def test_what_rtf_hides_is_left_out(hidden: str) -> None:
    source = f"{HEAD}{SEEN}\\par {hidden.replace('@', UNSEEN)}\\par Behind.}}"
    found = read(source.encode(), RTF)
    judged(found, hidden=True)
    assert "Behind." in found


@pytest.mark.parametrize(
    "shown",
    [
        r"{\v0 @}",
        r"{\fs8 @}",
        r"{\cf2 @}",
        r"{\cf0 @}",
        r"{\cf1\cf2 @}",
        r"{\fs2\fs20 @}",
        r"{\fs2\plain @}",
        r"{\cf1\chcbpat2 @}",
        r"{\cbpat2\cf1 @}",
        r"{\cf1\highlight2 @}",
        r"{\cf9 @}",
    ],
)
def test_what_rtf_shows_stays(shown: str) -> None:
    source = f"{HEAD}{SEEN}\\par {shown.replace('@', UNSEEN)}}}"
    judged(read(source.encode(), RTF), hidden=False)


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        (f"{SEEN}\n\n<!-- {UNSEEN} -->\n", True),
        (f"{SEEN} <!-- {UNSEEN} --> So.\n", True),
        (f"{SEEN}\n\n[//]: # ({UNSEEN})\n", True),
        (f"[x]: # ({UNSEEN})\n{SEEN}\n", True),
        (f"[x]: <> 'One\n{UNSEEN}'\n{SEEN}\n", True),
        (f"<p style='display:none'>{UNSEEN}</p>\n\n{SEEN}\n", True),
        (f"<div hidden>\n\nA <div>b</div>\n\n{UNSEEN}\n\n</div>\n\n{SEEN}\n", True),
        (f"<p title='>' style=\"font-size: 0\">{UNSEEN}\n\n{SEEN}\n", True),
        (f"{SEEN} <span style='opacity:0'>{UNSEEN}</span> So.\n", True),
        (f"{SEEN}\n\n```\n<!-- {UNSEEN} -->\n```\n", False),
        (f"{SEEN}\n\n```\n<p hidden>{UNSEEN}</p>\n```\n", False),
        (f"{SEEN} `<p hidden>` {UNSEEN} `</p>`\n", False),
        (f"{SEEN}\n\n<b style='color:red'>{UNSEEN}</b> <img hidden> {UNSEEN}\n", False),
        (f"{SEEN}\n\n[^1]: # ({UNSEEN})\n", False),
        (f"{SEEN}\n\n[x]: # (One\n\n{UNSEEN})\n", False),
        (f"{SEEN}\n\n[1]: {UNSEEN}\n", False),
    ],
)
def test_comments_of_markdown_and_of_notebooks_are_left_out(source: str, *, hidden: bool) -> None:
    judged(read(source.encode(), "text/markdown"), hidden=hidden)
    cell: dict[str, object] = {"cell_type": "markdown", "source": source}
    judged(read(notebook(cell), IPYNB), hidden=hidden)


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        (f"{SEEN} %% {UNSEEN} %% So.", True),
        (f"{SEEN}%%{UNSEEN}%%", True),
        (f"%%\n{UNSEEN}\n\n```\n{UNSEEN}\n```\n%%\n{SEEN}", True),
        (f"%% {UNSEEN}\n\n{UNSEEN} %%\n{SEEN}", True),
        (f"{SEEN} 100 %% sure {UNSEEN} and 50 %% not.", False),
        (f"{SEEN} {{%% if x %%}} {UNSEEN} {{%% end %%}}", False),
        (f"{SEEN}\n\n```\n%% {UNSEEN} %%\n```\n", False),
        (f"{SEEN}\n\n    %% {UNSEEN} %%\n", False),
        (f"{SEEN} `%% {UNSEEN} %%`", False),
        (f"%% One\n{UNSEEN}\n%% Two\n{SEEN}", False),
        (f"{SEEN} %d%% of {UNSEEN} %s%%", False),
    ],
)
def test_comments_of_obsidian_are_left_out_of_ones_own_notes(source: str, *, hidden: bool) -> None:
    judged(read(source.encode(), "text/markdown"), hidden=hidden)
    page = extract_page(source.encode(), "https://a.example/x.md", "text/markdown").markdown
    assert "canary" in page  # no other program takes them for comments


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        (f"\\iffalse {UNSEEN} \\ifnum1=1 a\\else b\\fi {UNSEEN} \\fi {SEEN}", True),
        (f"\\if0 {UNSEEN} \\else {SEEN} \\fi", True),
        (f"\\begin{{comment}}\n{UNSEEN}\n\\end{{comment}}\n{SEEN}", True),
        (f"\\textcolor{{white}}{{a {{b}} {UNSEEN}}} {SEEN}", True),
        (f"\\phantom{{\\textcolor{{red}}{{{UNSEEN}}}}} {SEEN}", True),
        (f"\\colorbox{{black}}{{\\textcolor{{white}}{{{UNSEEN}}}}} {SEEN}", False),
        (f"\\usepackage{{tikz}}\\begin{{document}}\\color{{white}} {UNSEEN} {SEEN}", False),
        (f"{SEEN} \\verb|\\iffalse| {UNSEEN} \\verb|\\fi|", False),
        (f"{SEEN} \\iffalse {UNSEEN}", False),
        (f"{SEEN} $a \\iff b$ {UNSEEN} \\fi", False),
        (f"{SEEN} \\textcolor{{white}}{{never {UNSEEN}", False),
    ],
)
def test_what_latex_does_not_print_is_left_out(source: str, *, hidden: bool) -> None:
    judged(extract_page(source.encode(), "file:///a.tex", "text/plain").markdown, hidden=hidden)


def book(chapter: str) -> str:
    package = "<package><manifest><item id='c' href='text/c.xhtml'/></manifest><spine><itemref idref='c'/></spine></package>"
    container = "<container><rootfiles><rootfile full-path='o.opf'/></rootfiles></container>"
    members: dict[str, str | bytes] = {
        "mimetype": EPUB,
        "META-INF/container.xml": container,
        "o.opf": package,
        "text/c.xhtml": chapter,
        "s.css": f"\1{SHEET}",
    }
    return read(packed(members), EPUB)


SHEET = ".gone, aside { display: none }"
LINKED = (
    "<html xmlns='http://www.w3.org/1999/xhtml'><head><link rel='stylesheet' href='{}'/></head>"
    f"<body><p>{SEEN}</p><p class='{{}}'>{UNSEEN}</p></body></html>"
)


@pytest.mark.parametrize(
    ("address", "name", "hidden"),
    [("../s.css", "gone", True), ("../s.css", "here", False), ("t.css", "gone", False)],
)
def test_what_the_style_sheet_of_a_book_hides_is_left_out(
    address: str, name: str, *, hidden: bool
) -> None:
    judged(book(LINKED.format(address, name)), hidden=hidden)


def test_notes_that_the_style_sheet_of_a_book_hides_are_read_as_they_are_opened() -> None:
    page = LINKED.format("../s.css", "").replace("<p class=''>", "<aside epub:type='footnote'>")
    page = page.replace(f"{UNSEEN}</p>", f"{UNSEEN}</aside>")
    judged(book(page), hidden=False)


@pytest.mark.parametrize(
    ("address", "name", "hidden"),
    [
        ("cid:css-1@mhtml.blink", "gone", True),
        ("s.css", "gone", True),
        ("cid:css-1@mhtml.blink", "here", False),
        ("http://[", "gone", False),
        ("t.css", "gone", False),
    ],
)
def test_what_a_style_sheet_in_a_saved_page_hides_is_left_out(
    address: str, name: str, *, hidden: bool
) -> None:
    message = (
        "Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\n"
        f"Content-Location: https://a.example/b/\n\n{LINKED.format(address, name)}\n--B\nContent-Type: text/css\n"
        f"Content-ID: <css-1@mhtml.blink>\nContent-Location: https://a.example/b/s.css\n\n{SHEET}\n--B--\n"
    )
    judged(read(message.encode(), "message/rfc822"), hidden=hidden)


def test_alternative_texts_say_what_they_are_and_drawn_letters_are_text() -> None:
    drawing = "<w:drawing><wp:inline><wp:docPr descr='A\n\nboat'/></wp:inline></w:drawing>"
    letters = "<w:pict><v:shape xmlns:v='v'><v:textpath string='Drawn'/></v:shape></w:pict>"
    shown = word(f"<w:p><w:r>{drawing}{letters}</w:r></w:p>").split("\n\n")
    assert shown == [SEEN, "[Picture: A boat]", "Drawn"]
    page = b"<p>One <img alt='a ferry'> <img alt='\xf0\x9f\x98\x80'> <img alt='T'>wo</p>"
    assert read(page, "text/html; charset=utf-8") == "One [Picture: a ferry] \U0001f600 Two"


def test_a_cell_without_comments_stays_to_the_letter() -> None:
    source = f"{SEEN}  \n-   two\n\n\n    code"
    assert read(notebook({"cell_type": "markdown", "source": source}), IPYNB) == source
