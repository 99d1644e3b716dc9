"""Books as many programs write them: with other names, broken XML, notes in files of their own."""

from __future__ import annotations

import unicodedata

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.page import extract_page
from servers.office import EPUB, packed
from servers.office_formats import FB2

PACKAGE = (
    '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
    '<dc:title>Otters</dc:title></metadata><manifest><item id="a" href="a.xhtml"/></manifest>'
    '<spine><itemref idref="a"/></spine></package>'
)
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="O/b.opf"/></rootfiles></container>'
)
PAGE = (
    "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body>{}</body></html>".format
)


def book(
    page: str | bytes = PAGE("<p>The otters swim.</p>"),
    *,
    package: str = PACKAGE,
    container: str = CONTAINER,
    name: str = "a.xhtml",
    **more: str,
) -> bytes:
    parts = {"META-INF/container.xml": container, "O/b.opf": package, f"O/{name}": page}
    return packed(parts | {f"O/{other}.xhtml": text for other, text in more.items()})


def read(data: bytes, kind: str = EPUB) -> str:
    found = extract_page(data, "file:///x", kind)
    assert found.status is PageStatus.OK, found.detail
    assert not found.detail
    return found.markdown


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('xmlns="http://www.idpf.org/2007/opf"', ""),
        ("http://www.idpf.org/2007/opf", "http://openebook.org/namespaces/oeb-package/1.0/"),
        ("<dc:title>Otters</dc:title>", "<title>Otters</title>"),
        ("</dc:title>", '</dc:title><dc:creator opf:role="aut">A</dc:creator>'),
        ("</dc:title>", "</dc:title><dc:description>A & B&nbsp;C < D</dc:description>"),
        ("<package", "\n<?xml version='1.0'?><package"),
        ('href="a.xhtml"', 'href="a.xhtml?x=1#top"'),
        ('<spine><itemref idref="a"/></spine>', ""),
        ('href="a.xhtml"', 'href="a.xhtml" media-type="application/xhtml+xml"'),
    ],
)
def test_a_package_is_read_as_programs_for_books_read_it(old: str, new: str) -> None:
    package = PACKAGE.replace(old, new)
    assert package != PACKAGE
    if "<spine" not in package:
        package = package.replace('"a.xhtml"', '"a.xhtml" media-type="application/xhtml+xml"')
    found = extract_page(book(package=package), "file:///x", EPUB)
    about = "author: A\n\n" if "creator" in package else ""
    assert (found.title, found.markdown) == ("Otters", f"{about}The otters swim.")


@pytest.mark.parametrize(
    "container",
    [
        CONTAINER.replace(' xmlns="urn:oasis:names:tc:opendocument:xmlns:container"', ""),
        f"\n<?xml version='1.0'?>{CONTAINER}",
        CONTAINER.replace("O/b.opf", "%4F/b.opf"),
        CONTAINER.replace("<rootfiles>", '<rootfiles><rootfile full-path="x.pdf"/>'),
    ],
)
def test_a_package_is_found_where_it_lies(container: str) -> None:
    assert read(book(container=container)) == "The otters swim."


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("a%20b.xhtml", "a%20b.xhtml"),
        ("a&b.xhtml", "a%26b.xhtml"),
        (unicodedata.normalize("NFD", "Café.xhtml"), "Caf%C3%A9.xhtml"),
        (unicodedata.normalize("NFC", "Café.xhtml"), unicodedata.normalize("NFD", "Café.xhtml")),
    ],
)
def test_a_chapter_is_found_by_its_address(name: str, address: str) -> None:
    package = PACKAGE.replace("a.xhtml", address)
    assert read(book(package=package, name=name)) == "The otters swim."


def test_a_name_in_utf_8_needs_no_flag_that_says_so() -> None:
    name = "第1章.xhtml"
    stand_in = "Z" * len(name.encode())
    data = book(package=PACKAGE.replace("a.xhtml", name), name=stand_in)
    assert read(data.replace(stand_in.encode(), name.encode())) == "The otters swim."


def test_a_chapter_that_no_list_has_is_named() -> None:
    package = PACKAGE.replace("</spine>", '<itemref idref="gone"/></spine>')
    found = extract_page(book(package=package), "file:///x", EPUB)
    assert found.markdown == "The otters swim."
    assert found.detail.values == {"names": "gone"}


def test_notes_in_a_file_of_their_own_are_read_where_a_chapter_leads_to_them() -> None:
    page = '<item id="{0}" href="{0}.xhtml" media-type="application/xhtml+xml"{1}/>'
    items = page.format("n", "") + page.format("old", "") + page.format("nav", ' properties="nav"')
    data = book(
        PAGE('<p>They swim.<a epub:type="noteref" href="n.xhtml#n1">1</a><a href="nav.xhtml"/></p>'),
        package=PACKAGE.replace("</manifest>", f"{items}</manifest>"),
        n=PAGE("<p id='n1'>So it is said.</p>"),
        old=PAGE("<p>A draft.</p>"),
        nav=PAGE("<p>Contents</p>"),
    )  # fmt: skip
    assert read(data) == "They swim.[^1]\n\nSo it is said."


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("windows-1251", "Да"),
        ("gbk", "你好"),
        ("Shift_JIS", "日本"),
        ("iso-8859-2", "łąka"),
        ("utf-16", "Да"),
    ],
)
def test_a_chapter_is_in_the_encoding_that_it_declares(encoding: str, text: str) -> None:
    page = f'<?xml version="1.0" encoding="{encoding}"?>{PAGE(f"<p>{text}</p>")}'
    assert read(book(page.encode(encoding))) == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p><![CDATA[A & <b>]]></p>", "A & <b>"),
        ("<script>// <![CDATA[\n</script><p>A</p>", "A"),
        ("<p>won<span epub:type='pagebreak'>7</span>der</p>", "wonder"),
        ("<p>won<span class='pagenum'><a id='p7'>[Pg 7]</a></span>der</p>", "wonder"),
        ("<p><img alt='T' src='t.png'/>HE otters</p>", "THE otters"),
        ("<p>A<img alt='T' src='t.png'/> b</p>", "A T b"),
        ("<aside epub:type='footnote' hidden='hidden'><p>Note</p></aside>", "Note"),
        ("<aside role='doc-footnote' style='display:none'><p>Note</p></aside>", "Note"),
        ("<svg><title>x</title><text>Two <tspan>otters</tspan></text></svg>", "Two otters"),
        ("<svg><foreignObject><div>Two otters</div></foreignObject></svg>", "Two otters"),
    ],
)
def test_a_chapter_shows_what_a_reader_shows(body: str, text: str) -> None:
    assert read(book(PAGE(body))) == text


def test_a_chapter_may_have_a_prefix_for_its_names_and_be_a_drawing() -> None:
    page = "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:body><h:p>A</h:p><h:p>B</h:p></h:body></h:html>"
    assert read(book(page)) == "A\n\nB"
    drawing = "<svg xmlns='http://www.w3.org/2000/svg'><text>Two otters</text></svg>"
    data = book(drawing, package=PACKAGE.replace("a.xhtml", "a.svg"), name="a.svg")
    assert read(data) == "Two otters"


def fictionbook(body: str, head: str = "") -> str:
    return f"{head}<FictionBook><description/><body><section>{body}</section></body></FictionBook>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>Выдры&nbsp;&aring; &mdash; да</p>", "Выдры å — да"),
        ("<p>A & B &unknown; < C</p>", "A & B &unknown; < C"),
        ("<p>A <a xlink:href='#n'>link</a></p>", "A link"),
        ("<p>A <emphasis>b</p></emphasis><p>c</p>", "A b\n\nc"),
        ("<p>A\x02b</p>", "Ab"),
        ("Bare<p>A</p>words", "Bare\n\nA\n\nwords"),
        ("<p>A<br/>b</p>", "A b"),
        ("<p>Word<a href='#n'>1</a></p>", "Word [1]"),
        ("<p><![CDATA[A & B]]></p>", "A & B"),
        ("<p>A</p></section><binary id='x'>QUJD\nREVG</binary><section>", "A"),
    ],
)
def test_a_broken_fictionbook_is_read(body: str, text: str) -> None:
    assert read(fictionbook(body).encode(), FB2) == text


@pytest.mark.parametrize(
    ("declared", "real"),
    [
        ("windows-1251", "utf-8"), ("utf-16", "utf-16"), ("koi8-r", "koi8-r"), ("", "cp1251"), ("gbk", "gbk"),
    ],
)  # fmt: skip
def test_a_fictionbook_is_in_the_encoding_that_it_is_in(declared: str, real: str) -> None:
    head = f'\n<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    text = "Выдры плавают далеко"
    assert read(fictionbook(f"<p>{text}</p>", head).encode(real), FB2) == text


def test_entities_of_ones_own_are_not_expanded() -> None:
    head = (
        '<!DOCTYPE FictionBook [<!ENTITY a "aaaaaaaa"><!ENTITY b SYSTEM "file:///etc/hostname">]>'
    )
    assert read(fictionbook("<p>&a;&b; x</p>", head).encode(), FB2) == "&a;&b; x"


def test_a_fictionbook_whose_end_is_missing_says_so_and_has_its_author() -> None:
    author = "<author><first-name>Lev</first-name><last-name>Tolstoi</last-name></author>"
    whole = fictionbook("<p>One.</p><p>Two.</p>").replace(
        "<description/>", f"<description><title-info>{author}</title-info></description>"
    )
    assert read(whole.encode(), FB2) == "Lev Tolstoi\n\nOne.\n\nTwo."
    found = extract_page(whole[: whole.index("wo.")].encode(), "file:///x", FB2)
    assert found.markdown.startswith("Lev Tolstoi\n\nOne.")
    assert found.detail.values == {"problem": "its end is missing"}
