"""Word files as Word, SharePoint and other programs write them."""

from __future__ import annotations

import io
import zipfile

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.page import extract_page
from servers.office import DOCX, docx, packed
from servers.office_formats import xlsx

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_STRICT = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"'
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def text(words: str) -> str:
    return f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>"


def word(
    body: str,
    related: dict[str, tuple[str, str]] | None = None,
    *,
    name: str = "word/document2.xml",
) -> bytes:
    """A Word file; `related` are the kinds and the contents of parts by their names."""
    relations = "".join(
        f"<Relationship Id='r{i}' Type='{_KIND}/{kind}' Target='{part}'/>"
        for i, (part, (kind, _)) in enumerate((related or {}).items())
    )
    return packed({
        "_rels/.rels": f"<Relationships><Relationship Id='a' Type='{_KIND}/officeDocument' Target='/{name}'/></Relationships>",
        name: f"<w:document {_W} {_M}><w:body>{body}</w:body></w:document>",
        f"word/_rels/{name.rpartition('/')[2]}.rels": f"<Relationships>{relations}</Relationships>",
        **{f"word/{part}": content for part, (_, content) in (related or {}).items()},
    })  # fmt: skip


def markdown(data: bytes) -> str:
    found = extract_page(data, "file:///x", DOCX)
    assert found.status is PageStatus.OK, found.detail
    return found.markdown


@pytest.mark.parametrize("name", ["word/document.xml", "word/document2.xml", "Word/Main.xml"])
def test_the_main_part_is_found_by_its_relation(name: str) -> None:
    assert markdown(word(text("The ferry leaves."), name=name)) == "The ferry leaves."


def test_strict_files_are_read() -> None:
    body = f"<w:document {_STRICT}><w:body>{text('The ferry leaves.')}</w:body></w:document>"
    assert markdown(packed({"word/document.xml": body})) == "The ferry leaves."


def test_letters_are_raised_by_their_style_and_notes_stay_notes() -> None:
    styles = (
        f"<w:styles {_W}><w:style w:type='character' w:styleId='Up'><w:rPr><w:vertAlign w:val='superscript'/></w:rPr></w:style>"
        "<w:style w:type='character' w:styleId='Mark'><w:basedOn w:val='Up'/></w:style></w:styles>"
    )
    run = "<w:r><w:rPr><w:rStyle w:val='Mark'/>{}</w:rPr>{}</w:r>"
    note = run.format("", "<w:footnoteReference w:id='2'/>")
    level = run.format("<w:vertAlign w:val='baseline'/>", "<w:t>7</w:t>")
    body = f"<w:p><w:r><w:t>10</w:t></w:r>{run.format('', '<w:t>5</w:t>')}<w:r><w:t> of 2</w:t></w:r>{level}{note}</w:p>"
    notes = f"<w:footnotes {_W}><w:footnote w:id='2'>{text('Why.')}</w:footnote></w:footnotes>"
    data = word(body, {"styles.xml": ("styles", styles), "notes.xml": ("footnotes", notes)})
    assert markdown(data) == "10^5 of 27[^1]\n\n[^1]: Why."


def test_notes_comments_header_and_footer_stand_behind_the_text() -> None:
    body = (
        "<w:p><w:r><w:t>One</w:t><w:footnoteReference w:id='2'/><w:t>two</w:t></w:r>"
        "<w:r><w:endnoteReference w:id='5'/></w:r><w:r><w:commentReference w:id='0'/></w:r></w:p>"
        "<w:p><w:pPr><w:sectPr><w:headerReference w:type='default' w:id='r3'/>"
        "<w:headerReference w:type='first' w:id='r4'/><w:headerReference w:type='even' w:id='r5'/></w:sectPr></w:pPr></w:p>"
        "<w:sectPr><w:headerReference w:type='default' w:id='r3'/><w:titlePg/>"
        "<w:footerReference w:type='first' w:id='r6'/></w:sectPr>"
    )

    def notes(kind: str, number: int, words: str) -> str:
        rule = f"<w:{kind} w:id='0' w:type='separator'>{text('---')}</w:{kind}>"
        return (
            f"<w:{kind}s {_W}>{rule}<w:{kind} w:id='{number}'>{text(words)}</w:{kind}></w:{kind}s>"
        )

    data = word(body, {
        "f.xml": ("footnotes", notes("footnote", 2, "A footnote.")),
        "e.xml": ("endnotes", notes("endnote", 5, "An endnote.")),
        "c.xml": ("comments", f"<w:comments {_W}><w:comment w:id='0' w:author='Ann'>{text('Why?')}</w:comment></w:comments>"),
        "h.xml": ("header", f"<w:hdr {_W}>{text('Letterhead')}</w:hdr>"),
        "h1.xml": ("header", f"<w:hdr {_W}>{text('First page alone')}</w:hdr>"),
        "h2.xml": ("header", f"<w:hdr {_W}>{text('Even pages')}</w:hdr>"),
        "g.xml": ("footer", f"<w:ftr {_W}>{text('Bank account')}</w:ftr>"),
    })  # fmt: skip
    assert markdown(data).split("\n\n") == [
        "One[^1]two[^2]", "[^1]: A footnote.", "[^2]: An endnote.", "> Ann: Why?", "Letterhead", "Bank account",
    ]  # fmt: skip


def test_a_damaged_part_costs_only_itself_and_is_named() -> None:
    found = extract_page(
        word(text("The ferry leaves."), {"f.xml": ("footnotes", "<broken")}), "file:///x", DOCX
    )
    assert found.markdown == "The ferry leaves."
    assert found.detail.values == {"names": "word/f.xml"}


def test_styles_say_what_is_a_heading_a_list_and_hidden() -> None:
    styles = (
        f"<w:styles {_W}><w:style w:styleId='berschrift1'><w:name w:val='heading 1'/></w:style>"
        "<w:style w:styleId='Own'><w:basedOn w:val='berschrift1'/></w:style>"
        "<w:style w:styleId='L'><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>"
        "<w:style w:styleId='H'><w:rPr><w:vanish/></w:rPr></w:style></w:styles>"
    )
    numbers = (
        f"<w:numbering {_W}><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start w:val='3'/><w:numFmt w:val='decimal'/>"
        "<w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl>"
        "</w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num></w:numbering>"
    )

    def styled(name: str, words: str, more: str = "") -> str:
        return f"<w:p><w:pPr><w:pStyle w:val='{name}'/>{more}</w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"

    deeper = "<w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr>"
    none = "<w:numPr><w:numId w:val='0'/></w:numPr>"
    body = "".join((
        styled("berschrift1", "Top"), styled("Own", "Next"), styled("L", "third"), styled("L", "fourth"),
        styled("", "deeper", deeper), styled("L", "unlisted", none), styled("H", "hidden"),
        "<w:p><w:r><w:rPr><w:rStyle w:val='H'/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:t>seen</w:t></w:r></w:p>",
    ))  # fmt: skip
    data = word(body, {"s.xml": ("styles", styles), "n.xml": ("numbering", numbers)})
    assert markdown(data).split("\n\n") == [
        "# Top", "# Next", "3. third", "4. fourth", "4.a) deeper", "unlisted", "seen",
    ]  # fmt: skip


def test_formulas_hyphens_initials_and_pictures_are_letters() -> None:
    body = (
        "<w:p><w:r><w:t>X</w:t><w:noBreakHyphen/><w:t>4711 co</w:t><w:softHyphen/><w:t>operate</w:t></w:r></w:p>"
        "<w:p><m:oMath><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
        "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>d</m:t></m:r></m:den></m:f><m:r><m:t>x</m:t></m:r></m:oMath></w:p>"
        "<w:p><w:pPr><w:framePr w:dropCap='drop'/></w:pPr><w:r><w:t>O</w:t></w:r></w:p>"
        + text("nce")
        + "<w:p><w:r><w:drawing><w:inline><w:docPr descr='A red boat'/></w:inline></w:drawing></w:r></w:p>"
    )
    assert markdown(word(body)).split("\n\n") == [
        "X-4711 cooperate", "E=mc^2(a+b)/d x", "Once", "[Picture: A red boat]",
    ]  # fmt: skip


def test_a_file_within_a_file_is_read_or_named() -> None:
    body = (
        text("Before.") + "".join(f"<w:altChunk w:id='r{i}'/>" for i in range(3)) + text("After.")
    )
    data = word(body, {
        "a.htm": ("aFChunk", "<html><body><p>A page.</p></body></html>"),
        "b.docx": ("aFChunk", docx("A letter.").decode("latin-1")),
        "c.wps": ("aFChunk", "text"),
    })  # fmt: skip
    found = extract_page(data, "file:///x", DOCX)
    assert found.markdown.split("\n\n")[:2] == ["Before.", "A page."]
    assert found.markdown.endswith("After.")
    assert "word/c.wps" in str(found.detail.values["names"])


def test_pages_and_rtf_that_programs_put_into_a_word_file_are_read() -> None:
    page = (
        'MIME-Version: 1.0\nContent-Type: multipart/related; type="text/html"; boundary="b"\n\n--b\n'
        "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
        "<html><body><p class=3D'a'>A caf=C3=A9.</p></body></html>\n--b--\n"
    )
    data = word("<w:altChunk w:id='r0'/><w:altChunk w:id='r1'/>", {
        "a.mht": ("aFChunk", page), "b.rtf": ("aFChunk", r"{\rtf1 A letter.}"),
    })  # fmt: skip
    assert markdown(data) == "A café.\n\nA letter."


def test_files_that_are_shown_as_pictures_are_read_once_or_named() -> None:
    shown = "<w:p><w:r><w:object><o:OLEObject xmlns:o='o' r:id='r{}' xmlns:r='r'/></w:object></w:r></w:p>"
    book = xlsx("<row><c t='inlineStr'><is><t>Cost</t></is></c><c><v>12</v></c></row>")
    data = word("".join(shown.format(n) for n in (0, 0, *range(1, 9))), {
        "a.xlsx": ("package", book.decode("latin-1")),
        **{f"o{n}.bin": ("oleObject", "formula") for n in range(1, 9)},
    })  # fmt: skip
    found = extract_page(packed_again(data, "word/a.xlsx", book), "file:///x", DOCX)
    assert found.markdown.split("\n\n") == ["## Budget", "| Cost | 12 |"]
    names = ", ".join(f"word/o{n}.bin" for n in range(1, 6))
    assert found.detail.values == {"names": f"{names}, …"}


def packed_again(data: bytes, name: str, content: bytes) -> bytes:
    """An archive in which a member is these bytes."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    return packed({**members, name: content})


def test_a_long_file_is_read_in_parts() -> None:
    data = word("".join(text(f"Paragraph {n}.") for n in range(7_000)))
    first = extract_page(data, "file:///x", f"{DOCX}; first=0")
    done = first.detail.values["pages"]
    rest = extract_page(data, "file:///x", f"{DOCX}; first={done}")
    assert not rest.detail
    both = f"{first.markdown}\n\n{rest.markdown}".split("\n\n")
    assert both == [f"Paragraph {n}." for n in range(7_000)]


def test_cells_stand_below_the_heads_of_their_columns() -> None:
    def cell(words: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text(words) if words else '<w:p/>'}</w:tc>"

    wide, more = "<w:gridSpan w:val='2'/>", "<w:vMerge/>"
    rows = (
        cell("Route") + cell("Price", wide) + cell("Days"),
        cell("Skarne", "<w:vMerge w:val='restart'/>") + cell("12") + cell("20") + cell("daily"),
        cell("", more) + cell("14") + cell("25") + cell("weekly"),
        cell("all", "<w:gridSpan w:val='4'/>"),
    )
    table = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"
    assert markdown(word(table)).splitlines() == [
        "| Route | Price | | Days |", "| Skarne | 12 | 20 | daily |", "| | 14 | 25 | weekly |", "| all |",
    ]  # fmt: skip


def test_wrong_numbers_in_the_description_of_lists_do_not_cost_the_file() -> None:
    level = "<w:lvl w:ilvl='{0}'><w:start w:val='{0}'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>"
    numbering = (
        f"<w:numbering {_W}><w:abstractNum w:abstractNumId='1'>{level.format('x')}</w:abstractNum><w:num w:numId='2'>"
        "<w:abstractNumId w:val='1'/><w:lvlOverride w:ilvl=''><w:startOverride w:val='-'/></w:lvlOverride></w:num></w:numbering>"
    )
    item = "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='2'/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>"
    assert markdown(word(item, {"numbering.xml": ("numbering", numbering)})) == "1. one"


def field(code: str, shown: str) -> str:
    mark = "<w:r><w:fldChar w:fldCharType='{}'/></w:r>"
    return "".join((
        mark.format("begin"), code, mark.format("separate"), shown, mark.format("end"),
    ))  # fmt: skip


def run(words: str) -> str:
    return f"<w:r><w:t xml:space='preserve'>{words}</w:t></w:r>"


def code(words: str) -> str:
    return f"<w:r><w:instrText xml:space='preserve'>{words}</w:instrText></w:r>"


def test_the_result_of_a_field_in_the_code_of_another_is_no_text() -> None:
    inner = field(code(" MERGEFIELD sex "), run("female"))
    outer = field(code(" IF ") + inner + code(' = "female" "Mrs" "Mr" '), run("Mrs"))
    assert markdown(word(f"<w:p>{run('Dear ')}{outer}{run(' Jones')}</w:p>")) == "Dear Mrs Jones"


def test_a_field_without_its_marks_hides_nothing() -> None:
    mark = "<w:r><w:fldChar w:fldCharType='{}'/></w:r>"
    body = run("One ") + mark.format("separate") + run("two ") + mark.format("end")
    body += mark.format("begin") + code(" X ") + run("three")
    assert markdown(word(f"<w:p>{body}</w:p>")) == "One two three"


def test_tick_boxes_and_choices_of_a_form_are_letters() -> None:
    box = "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox>{}</w:checkBox></w:ffData></w:fldChar></w:r>"
    choices = "".join(f"<w:listEntry w:val='{colour}'/>" for colour in ("red", "green"))
    chosen = f"<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:ddList><w:result w:val='1'/>{choices}</w:ddList></w:ffData></w:fldChar></w:r>"
    boxes = (
        box.format("<w:default w:val='0'/><w:checked/>"),
        box.format("<w:default w:val='1'/><w:checked w:val='0'/>"),
        box.format("<w:default w:val='1'/>"),
    )
    assert markdown(word(f"<w:p>{''.join(boxes)}{run(' in ')}{chosen}</w:p>")) == "☒☐☒ in green"


def level(number: int, kind: str, shown: str, more: str = "") -> str:
    return f"<w:lvl w:ilvl='{number}'><w:start w:val='1'/><w:numFmt w:val='{kind}'/>{more}<w:lvlText w:val='{shown}'/></w:lvl>"


def numbered(lists: str, styles: str, *paragraphs: str) -> list[str]:
    """The paragraphs of a file with these lists and styles; each is a style or a level, a stroke, and its words."""
    body = ""
    for paragraph in paragraphs:
        where, words = paragraph.split("|")
        place = f"<w:numPr><w:ilvl w:val='{where}'/><w:numId w:val='1'/></w:numPr>"
        properties = place if where.isdecimal() else f"<w:pStyle w:val='{where}'/>"
        body += f"<w:p><w:pPr>{properties}</w:pPr>{run(words)}</w:p>"
    data = word(body, {
        "s.xml": ("styles", f"<w:styles {_W}>{styles}</w:styles>"),
        "n.xml": ("numbering", f"<w:numbering {_W}>{lists}<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num></w:numbering>"),
    })  # fmt: skip
    return markdown(data).split("\n\n")


def test_numbers_of_clauses_come_from_styles_and_what_these_are_based_on() -> None:
    levels = level(0, "upperRoman", "Part %1.", "<w:pStyle w:val='P'/>") + level(
        1, "decimal", "%1.%2", "<w:isLgl/><w:lvlRestart w:val='0'/><w:pStyle w:val='Clause'/>"
    )
    lists = f"<w:abstractNum w:abstractNumId='0'>{levels}</w:abstractNum>"
    styles = (
        "<w:style w:styleId='P'><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>"
        "<w:style w:styleId='Clause'><w:basedOn w:val='P'/></w:style>"
        "<w:style w:styleId='Deep'><w:basedOn w:val='P'/><w:pPr><w:numPr><w:ilvl w:val='1'/></w:numPr></w:pPr></w:style>"
    )
    assert numbered(lists, styles, "P|One", "Clause|a", "Deep|b", "P|Two", "Clause|c") == [
        "Part I. One", "1.1 a", "1.2 b", "Part II. Two", "2.3 c",
    ]  # fmt: skip


def test_a_list_may_name_a_style_that_another_describes() -> None:
    lists = (
        "<w:abstractNum w:abstractNumId='0'><w:numStyleLink w:val='Law'/></w:abstractNum>"
        f"<w:abstractNum w:abstractNumId='7'><w:styleLink w:val='Law'/>{level(0, 'decimal', '§ %1')}</w:abstractNum>"
    )
    assert numbered(lists, "", "0|One", "0|Two") == ["§ 1 One", "§ 2 Two"]


def test_a_numbered_paragraph_without_letters_counts() -> None:
    lists = f"<w:abstractNum w:abstractNumId='0'>{level(0, 'decimal', '%1.')}{level(1, 'bullet', 'o')}{level(2, 'bullet', ' ')}</w:abstractNum>"
    assert numbered(lists, "", "0|One", "2|More", "0|", "1|", "0|Three") == [
        "1. One", "More", "2.", "3. Three",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("chineseCounting", "第一条 第十条 第十一条 第二十条 第二十一条"),
        ("russianUpper", "第А条 第К条 第Л条 第Ф条 第Х条"),
        ("decimalEnclosedCircle", "第①条 第⑩条 第⑪条 第⑳条 第㉑条"),
        ("ideographTraditional", "第甲条 第癸条 第11条 第20条 第21条"),
    ],
)
def test_numbers_are_written_in_the_script_of_their_list(kind: str, shown: str) -> None:
    lists = f"<w:abstractNum w:abstractNumId='0'>{level(0, kind, '第%1条')}</w:abstractNum>"
    items = numbered(lists, "", *("0|x" for _ in range(21)))
    assert " ".join(items[n - 1].removesuffix(" x") for n in (1, 10, 11, 20, 21)) == shown


def mathematics(name: str, inner: str, **properties: str) -> str:
    said = "".join(f"<m:{key} m:val='{value}'/>" for key, value in properties.items())
    return f"<m:{name}><m:{name}Pr>{said}</m:{name}Pr>{inner}</m:{name}>"


def part(name: str, words: str) -> str:
    return f"<m:{name}><m:r><m:t>{words}</m:t></m:r></m:{name}>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (mathematics("nary", part("sub", "i=1") + part("sup", "n") + part("e", "x"), chr="∑"), "∑_(i=1)^n x"),
        (mathematics("nary", part("sub", "0") + part("sup", "1") + part("e", "x")), "∫_0^1 x"),
        (mathematics("rad", part("deg", "") + part("e", "x")), "√(x)"),
        (mathematics("rad", part("deg", "3") + part("e", "x")), "∛(x)"),
        (mathematics("rad", part("deg", "n") + part("e", "x")), "(x)^(1/n)"),
        (mathematics("d", part("e", "x"), begChr="|", endChr="|"), "|x|"),
        (mathematics("d", part("e", "x") + part("e", "x ≥ 0"), begChr="{", endChr=""), "{x|x ≥ 0"),
        (mathematics("d", part("e", "a") + part("e", "b"), sepChr=","), "(a,b)"),
        (mathematics("d", f"<m:e>{mathematics('f', part('num', 'n') + part('den', 'k'), type='noBar')}</m:e>"), "(n k)"),
        (mathematics("acc", part("e", "v"), chr="\u20d7") + mathematics("acc", part("e", "x")), "v\u20d7x\u0302"),
        (mathematics("bar", part("e", "y"), pos="top"), "y\u0305"),
        (mathematics("func", part("fName", "sin") + part("e", "x")), "sin x"),
        ("<m:r><m:t>a</m:t></m:r><m:r><m:t> </m:t></m:r><m:r><m:t>b</m:t><w:br/><m:t>c</m:t></m:r>", "a b\nc"),
    ],
)  # fmt: skip
def test_signs_that_a_formula_has_in_its_properties_are_read(formula: str, text: str) -> None:
    assert markdown(word(f"<w:p><m:oMath>{formula}</m:oMath></w:p>")) == text


def test_a_formula_of_its_own_is_not_glued_to_the_words_before_it() -> None:
    formula = f"<m:oMathPara><m:oMath>{part('e', 'x=1')}</m:oMath></m:oMathPara>"
    assert markdown(word(f"<w:p>{run('where')}{formula}</w:p>")) == "where x=1"


def test_what_is_drawn_for_older_programs_is_read_where_the_new_drawing_shows_nothing() -> None:
    box = f"<w:pict><w:txbxContent>{text('A box.')}</w:txbxContent></w:pict>"
    both = (
        "<mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'>"
        f"<mc:Choice><w:drawing><w:inline/></w:drawing></mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    )
    assert markdown(word(f"<w:p><w:r>{both}</w:r></w:p>")) == "A box."


def test_letters_are_struck_through_by_their_style() -> None:
    styles = (
        f"<w:styles {_W}><w:style w:styleId='Gone'><w:rPr><w:strike/></w:rPr></w:style>"
        "<w:style w:styleId='Old'><w:basedOn w:val='Gone'/></w:style></w:styles>"
    )
    unstruck = "<w:strike w:val='0'/>"
    styled = "<w:r><w:rPr><w:rStyle w:val='Old'/>{}</w:rPr><w:t>{}</w:t></w:r>"
    body = f"<w:p>{styled.format('', '120')}{styled.format(unstruck, ' 90')}</w:p>"
    assert markdown(word(body, {"s.xml": ("styles", styles)})) == "~~120~~ 90"


def test_entities_are_refused_in_utf_16_too() -> None:
    body = f"<?xml version='1.0' encoding='UTF-16'?><!DOCTYPE d [<!ENTITY a 'b'>]><w:document {_W}><w:body>{text('&a;')}</w:body></w:document>"
    found = extract_page(packed({"word/document.xml": body.encode("utf-16")}), "file:///x", DOCX)
    assert str(found.detail) == "The file is damaged: it defines entities."


def test_a_level_that_is_passed_over_is_counted_and_one_without_a_start_begins_at_0() -> None:
    levels = (
        level(0, "decimal", "%1") + level(1, "lowerLetter", "%1.%2") + level(2, "decimal", "%3")
    )
    lists = f"<w:abstractNum w:abstractNumId='0'>{levels}</w:abstractNum>"
    assert numbered(lists, "", "0|x", "2|x", "1|x") == ["1 x", "1 x", "1.b x"]
    assert numbered(lists.replace("<w:start w:val='1'/>", ""), "", "0|x", "0|x") == ["0 x", "1 x"]


def test_numbers_of_a_legal_level_keep_their_zeros() -> None:
    levels = level(0, "upperRoman", "Article %1.") + level(
        1, "decimalZero", "Section %1.%2", "<w:isLgl/>"
    )
    lists = f"<w:abstractNum w:abstractNumId='0'>{levels}</w:abstractNum>"
    assert numbered(lists, "", "0|x", "1|x") == ["Article I. x", "Section 1.01 x"]


def test_a_row_that_begins_at_a_later_column_stands_below_its_heads() -> None:
    cell = "<w:tc>{}</w:tc>"
    heads = "".join(cell.format(text(word)) for word in ("Route", "Boat", "Days"))
    later = "<w:trPr><w:gridBefore w:val='1'/></w:trPr>" + cell.format(text("small")) * 2
    table = f"<w:tbl><w:tr>{heads}</w:tr><w:tr>{later}</w:tr></w:tbl>"
    assert markdown(word(table)) == "| Route | Boat | Days |\n| | small | small |"


def test_all_bodies_of_a_file_and_an_initial_at_its_end_are_read() -> None:
    initial = "<w:p><w:pPr><w:framePr w:dropCap='drop'/></w:pPr><w:r><w:t>O</w:t></w:r></w:p>"
    body = f"{text('One.')}</w:body><w:body>{text('Two.')}{initial}"
    assert markdown(word(body)).split("\n\n") == ["One.", "Two.", "O"]


@pytest.mark.parametrize(
    ("kind", "chart"),
    [
        ("chart", "<multiLvlStrCache><lvl><pt><v>Q1</v></pt></lvl><lvl>\n<pt><v>2024</v></pt></lvl></multiLvlStrCache>"),
        ("chartEx", "<data><strDim><lvl><pt>Q1</pt><pt>2024</pt></lvl></strDim></data>"),
    ],
)  # fmt: skip
def test_categories_of_charts_in_levels_and_of_later_years_are_read(kind: str, chart: str) -> None:
    drawing = "<w:p><w:r><w:drawing><w:inline><c:chart xmlns:c='c' w:id='r0'/></w:inline></w:drawing></w:r></w:p>"
    data = word(drawing, {"charts/c.xml": (kind, f"<c>{chart}</c>")})
    assert markdown(data) == "Q1 | 2024"
