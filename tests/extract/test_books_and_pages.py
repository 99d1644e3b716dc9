"""Books, people's own pages, and OpenDocument texts: all that they show, in order."""

from __future__ import annotations

import json

import pytest

from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.books import epub_fb2
from askance.extract.page import extract_page
from servers.office import EPUB, ODT, epub, odt, packed

PAGE = (
    "<!DOCTYPE html><html lang='en'><head><title>Recipes</title></head><body><nav>Start</nav><h1>Recipes</h1>"
    "<div class='sidebar'>Buy first</div><p>Cook it.</p><aside>A remark</aside><footer>By Ann</footer>"
    "<div class='comments'><p>By aunt</p></div><p hidden>unseen</p><img src='x.png' alt='A pot'></body></html>"
)


def book(*chapters: str, more: dict[str, str] | None = None) -> bytes:
    items = "".join(f'<item id="c{i}" href="c{i}.xhtml"/>' for i in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    return packed({
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>',
        "OEBPS/b.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{spine}</spine></package>',
        **{
            f"OEBPS/c{i}.xhtml": f"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body>{text}</body></html>"
            for i, text in enumerate(chapters)
            if text
        },
        **(more or {}),
    })  # fmt: skip


def test_a_page_of_ones_own_is_read_whole_and_a_page_of_the_web_is_not() -> None:
    own = extract_page(PAGE.encode(), "file:///notes/recipes.html", "text/html")
    assert own.title == "Recipes"
    assert own.markdown.split("\n\n") == [
        "Start", "# Recipes", "Buy first", "Cook it.", "A remark", "By Ann", "By aunt", "[Picture: A pot]",
    ]  # fmt: skip
    assert "By aunt" not in extract_page(PAGE.encode(), "https://a.example/", "text/html").markdown


def test_a_chapter_has_headings_lists_captions_notes_and_definitions() -> None:
    found = extract_page(
        book(
            "<h1>Zebu</h1><a id='x'/><p>It stops<a epub:type='noteref' href='#n'>1</a> at noon"
            "<sup><a role='doc-noteref' href='#m'>[2]</a></sup>.</p><ol><li>Kiang</li></ol><figure><img alt='A bridge'/>"
            "<figcaption>Zorilla</figcaption></figure><dl><dt>Oryx</dt><dd>a boat</dd></dl>"
            "<math><mi>a</mi><mo>=</mo><mn>7</mn></math><aside epub:type='footnote'><p>Bongo</p></aside>"
        ),
        "file:///b.epub",
        EPUB,
    )
    assert found.markdown == (
        "# Zebu\n\nIt stops[^1] at noon[^2].\n\n1. Kiang\n\n[Picture: A bridge]\n\nZorilla\n\n- Oryx\n  - a boat\n\na=7\n\nBongo"
    )


def test_a_chapter_that_is_not_there_is_named_and_an_encrypted_book_says_so() -> None:
    found = extract_page(book("<p>One.</p>", "", "<p>Three.</p>"), "file:///b.epub", EPUB)
    assert found.markdown == "One.\n\nThree."
    assert found.detail.values == {"names": "OEBPS/c1.xhtml"}
    cipher = '<encryption><CipherReference xmlns="http://www.w3.org/2001/04/xmlenc#" URI="{}"/></encryption>'
    for name, is_read in (("OEBPS/font.otf", True), ("OEBPS/c0.xhtml", False)):
        more = {"META-INF/encryption.xml": cipher.format(name)}
        found = extract_page(book("<p>One.</p>", more=more), "file:///b.epub", EPUB)
        assert (found.status is PageStatus.OK) is is_read
        assert is_read or found.reason is PageReason.ENCRYPTED


def test_a_chapter_longer_than_a_page_is_read_to_its_end(monkeypatch) -> None:
    monkeypatch.setattr(epub_fb2, "_PART_CHARACTERS", 2_000)
    long = "".join(f"<p>Paragraph {n} of the first chapter.</p>" for n in range(300))
    data = book(long, "<p>The end.</p>")
    texts, first = [], 0
    while True:
        found = extract_page(data, "file:///b.epub", f"{EPUB}; first={first}")
        texts += found.markdown.split("\n\n")
        if not found.detail:
            break
        first = found.detail.values["next"]
    assert texts == [*(f"Paragraph {n} of the first chapter." for n in range(300)), "The end."]


def test_an_opendocument_has_notes_boxes_numbers_and_nothing_hidden() -> None:
    body = (
        "<text:p>spring<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Unless.</text:p>"
        "</text:note-body></text:note>or<office:annotation><dc:creator>Ann</dc:creator><text:p>Why?</text:p></office:annotation></text:p>"
        "<text:p>Body<draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame>goes on</text:p>"
        "<text:p text:style-name='H'>hidden</text:p><text:section text:display='none'><text:p>hidden</text:p></text:section>"
        "<text:list text:style-name='L'><text:list-item><text:p>one</text:p></text:list-item><text:list-item text:start-value='5'>"
        "<text:p>five</text:p></text:list-item></text:list>"
    )
    spaces = (
        'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
        ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
    )
    styles = (
        "<office:automatic-styles><style:style style:name='H' style:family='paragraph'><style:text-properties text:display='none'/></style:style>"
        "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>"
        "</text:list-style></office:automatic-styles>"
    )
    content = f"<office:document-content {spaces}>{styles}<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    found = extract_page(packed({"content.xml": content}), "file:///a.odt", ODT)
    assert found.markdown.split("\n\n") == [
        "spring[^1]or", "Body goes on", "Boxed", "1. one", "5. five", "[^1]: Unless.", "> Ann: Why?",
    ]  # fmt: skip
    locked = packed({"content.xml": "x", "META-INF/manifest.xml": "<encryption-data/>"})
    assert extract_page(locked, "file:///a.odt", ODT).reason is PageReason.ENCRYPTED


def test_cells_of_an_opendocument_stand_below_the_heads_of_their_columns_and_its_formulas_are_whole() -> (
    None
):
    def row(*cells: str) -> str:
        texts = (
            f"<t:table-cell><x:p>{c}</x:p></t:table-cell>" if c else "<t:covered-table-cell/>"
            for c in cells
        )
        return f"<t:table-row>{''.join(texts)}</t:table-row>"

    table = (
        row("Route", "Price", "", "Days")
        + row("Skarne", "12", "20", "daily")
        + row("all", "", "", "")
    )
    content = (
        '<o:document-content xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        ' xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:t="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
        ' xmlns:d="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:l="http://www.w3.org/1999/xlink">'
        f"<o:body><o:text><t:table>{table}</t:table><x:p>So: <d:frame><d:object l:href='./Object 1'/></d:frame> holds.</x:p>"
        "</o:text></o:body></o:document-content>"
    )
    formula = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow>'
        "<mrow><mn>2</mn><mi>x</mi></mrow></mfrac></math>"
    )
    data = packed({"content.xml": content, "Object 1/content.xml": formula})
    assert extract_page(data, "file:///a.odt", ODT).markdown == (
        "| Route | Price | | Days |\n| Skarne | 12 | 20 | daily |\n| all |\n\nSo: (a+1)/(2x) holds."
    )


def test_hidden_letters_of_opendocument_are_those_of_their_own_part_and_not_of_shown_spans() -> (
    None
):
    style = (
        "<style:style style:name='{}' style:family='{}'{}><style:text-properties{}/></style:style>"
    )
    none, true = " text:display='none'", " text:display='true'"
    parent = " style:parent-style-name='Heading'"
    spaces = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
        ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
    )
    group = "<office:{0}>{1}</office:{0}>".format
    span = "<text:span text:style-name='{}'>{}</text:span>".format
    own = group(
        "automatic-styles",
        style.format("P1", "paragraph", parent, "") + style.format("T1", "text", "", true),
    )
    body = f"<text:p text:style-name='P1'>hidden {span('T1', 'Shown')} hidden {span('T2', 'hidden')}</text:p>"
    body += f"<text:p text:style-name='P2'>Plain {span('T2', 'text')}</text:p>"
    header = f"<style:header><text:p text:style-name='P2'>hidden</text:p><text:p>Top {span('T1', 'hidden')}</text:p></style:header>"
    styles = (
        group("styles", style.format("Heading", "paragraph", "", none))
        + group(
            "automatic-styles",
            style.format("P2", "paragraph", "", none) + style.format("T1", "text", "", none),
        )
        + group(
            "master-styles",
            f"<style:master-page style:name='Standard'>{header}</style:master-page>",
        )
    )
    data = packed({
        "content.xml": f"<office:document-content {spaces}>{own}<office:body><office:text>{body}</office:text></office:body></office:document-content>",
        "styles.xml": f"<office:document-styles {spaces}>{styles}</office:document-styles>",
    })  # fmt: skip
    assert extract_page(data, "file:///a.odt", ODT).markdown.split("\n\n") == [
        "Shown",
        "Plain text",
        "Top",
    ]


def test_files_of_another_kind_stay_what_they_are() -> None:
    sheet = packed({"_rels/.rels": "<r/>", "xl/workbook.xml": "<workbook/>"})
    found = extract_page(
        sheet,
        "file:///a.docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    )
    assert found.status is not PageStatus.OK
    assert extract_page(odt("x"), "file:///a.epub", EPUB).reason is PageReason.NOT_TEXT
    assert extract_page(epub("The ferry."), "file:///a.epub", EPUB).status is PageStatus.OK


def test_a_page_of_ones_own_shows_what_is_written_in_its_form_and_held_in_its_frames() -> None:
    page = (
        "<p>Order</p><input value='Two otters'><input type=hidden value=secret>"
        "<p><input type=checkbox value=on checked>Paid <input type=checkbox>Sent</p>"
        "<textarea>By noon\nplease</textarea><select><option>Quay</option><option selected>Mole</option></select>"
        "<iframe srcdoc='&lt;title&gt;T&lt;/title&gt;&lt;style&gt;p,span{display:none}&lt;/style&gt;&lt;p&gt;In a frame&lt;/p&gt;'></iframe>"
    )
    found = extract_page(page.encode(), "file:///a.html", "text/html")
    assert found.markdown.split("\n\n") == [
        "Order", "Two otters", "[x] Paid Sent", "By noon please", "Mole", "In a frame",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("a word<a href='#n1' class='footnote-ref'>1</a> at noon", "a word[^1] at noon"),
        (
            "a word<sup><a href='#n1'>1</a></sup><sup><a href='#n2'>[2]</a></sup>.",
            "a word[^1][^2].",
        ),
        ("the year 1984<span class='up'><a href='n.xhtml#n1'>*</a></span>", "the year 1984[^*]"),
        ("<a href='#r1'>1</a>The note", "1 The note"),
        ("a word [<a href='#n1'>1</a>] at noon", "a word [1] at noon"),
        ("<sup><a href='#r1'>1</a></sup>The note", "[1] The note"),
        ("pages <a href='#p'>12</a>, <a href='#q'>13</a>", "pages 12, 13"),
        ("<a href='#a'>1</a><a href='#b'>2</a>", "12"),
        ("about 10<span style='vertical-align: super'>5</span> cells", "about 10^5 cells"),
        ("<style>.c5{font-size:8pt;vertical-align:super}</style>10<span class=c5>5</span>", "10^5"),
    ],
)
def test_signs_of_notes_and_powers_are_told_in_a_page_of_ones_own(line: str, text: str) -> None:
    found = extract_page(f"<p>{line}</p>".encode(), "file:///a.html", "text/html")
    assert found.markdown == text


def test_the_description_of_a_folder_is_not_that_of_a_bookmark() -> None:
    data = (
        "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF='https://a.example/'>A</A><DT><H3>Boats</H3><DD>About boats"
        "<DL><DT><A HREF='https://b.example/'>B</A><DD>Line one<br>line two</DL></DL>"
    )
    found = extract_page(data.encode(), "file:///b.html", "text/x-bookmarks; first=0")
    marks = [json.loads(line) for line in found.markdown.splitlines()]
    assert [(mark["title"], mark["text"], mark["tags"]) for mark in marks] == [
        ("A", "A", []),
        ("B", "Line one line two", ["Boats"]),
    ]
