"""Files as word processors, publishers of books and programs for e-mail write them."""

from __future__ import annotations

import io
import re
import zipfile
from email.message import EmailMessage
from xml.sax.saxutils import escape

from servers.site import article

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
MAIL = "message/rfc822"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
_O = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def packed(members: dict[str, str | bytes]) -> bytes:
    """An archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def docx(text: str, title: str = "Title", body: str = "") -> bytes:
    """A Word file of a heading, a paragraph, and what else is in its body."""
    head = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Top</w:t></w:r></w:p>'
    core = (
        '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/'
        f'core-properties" {_DC} xmlns:t="http://purl.org/dc/terms/"><dc:title>{escape(title)}'
        "</dc:title><t:modified>2024-05-14T10:00:00Z</t:modified></c:coreProperties>"
    )
    return packed({
        "word/document.xml": f"<w:document {_W}><w:body>{head}<w:p><w:r><w:t>{escape(text)}</w:t>"
        f"</w:r></w:p>{body}</w:body></w:document>",
        "docProps/core.xml": core,
    })  # fmt: skip


def odt(text: str, title: str = "Title", body: str = "") -> bytes:
    """An OpenDocument text."""
    return packed({
        "content.xml": f"<office:document-content {_O}><office:body><office:text>"
        f'<text:h text:outline-level="1">Top</text:h><text:p>{escape(text)}</text:p>{body}'
        "</office:text></office:body></office:document-content>",
        "meta.xml": f"<office:document-meta {_O} {_DC}><office:meta><dc:title>{escape(title)}"
        "</dc:title><dc:date>2024-05-14T10:00:00</dc:date></office:meta></office:document-meta>",
    })  # fmt: skip


def epub(text: str, title: str = "Title", chapters: int = 2) -> bytes:
    """A book whose chapters are articles that begin with the text."""
    names = [f"chapter {i}.xhtml" for i in range(chapters)]
    manifest = "".join(
        f'<item id="c{i}" href="{name.replace(" ", "%20")}"/>' for i, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="c{i}"/>' for i in range(chapters))
    return packed({
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="book/content.opf"/></rootfiles></container>',
        "book/content.opf": f'<package xmlns="http://www.idpf.org/2007/opf" {_DC}><metadata>'
        f"<dc:title>{escape(title)}</dc:title><dc:date>2020-01-02</dc:date></metadata>"
        f"<manifest>{manifest}</manifest><spine>{spine}</spine></package>",
        **{
            f"book/{name}": article(f"<p>{escape(text)} Chapter {i}.</p>")
            for i, name in enumerate(names)
        },
    })  # fmt: skip


def mail(text: str, title: str = "Title", html: str = "") -> bytes:
    """An e-mail, with its text as HTML beside it if that is given."""
    message = EmailMessage()
    message["From"] = "Ann <ann@kelhaven.example>"
    message["To"] = "bob@hesperay.example"
    message["Subject"] = title
    message["Date"] = "Tue, 14 May 2024 10:00:00 +0200"
    if text:
        message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    return message.as_bytes()


def mailbox(*messages: bytes) -> bytes:
    """Messages one after the other, as programs for e-mail keep them."""
    return b"".join(
        b"From ann@kelhaven.example Tue May 14 10:00:00 2024\n"
        + re.sub(rb"(?m)^(>*From )", rb">\1", message)
        + b"\n\n"
        for message in messages
    )


def bookmarks(more: str = "") -> bytes:
    """Two bookmarks in folders, as Firefox writes them to a file, and `more` behind them."""
    return f"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1" PERSONAL_TOOLBAR_FOLDER="true">Travel</H3>
    <DL><p>
        <DT><A HREF="https://ferry.example/?x=1&amp;y=2" ADD_DATE="1715673600" TAGS="boats,sea"
        ICON="data:image/png;base64,AAAA">The ferry &amp; more</A>
        <DD>When it leaves.
        <DT><H3>Old</H3>
        <DL><p>
            <DT><A HREF="https://mill.example/">Mill</A>
        </DL><p>
        <DT><A HREF="javascript:alert(1)">Run me</A>
    </DL><p>
    {more}
</DL>
""".encode()
