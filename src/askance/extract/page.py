"""Text out of whatever a page turned out to be, with all that it may ever load loaded first."""

from __future__ import annotations

import encodings
import importlib
import pkgutil
import posixpath
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import PurePosixPath
from urllib.parse import quote, urlsplit

from askance.domain.file_formats import (
    MAILBOX,
    Format,
    format_of,
    format_of_type,
    is_known,
    syntax_named,
)
from askance.domain.library import DocumentKind
from askance.domain.messages import Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.books.epub_fb2 import read_epub, read_fb2
from askance.extract.books.plain_formats import (
    extract_markdown,
    extract_plain,
    extract_source,
    read_notebook,
    text_outcome,
)
from askance.extract.extracted import WITHOUT_FILES, Extracted, bounded, failed, part_from
from askance.extract.html.bookmarks import extract_bookmarks
from askance.extract.html.feeds import extract_feed, is_feed
from askance.extract.html.html_page import extract_html
from askance.extract.mail.calendars import read_calendar, read_contacts
from askance.extract.mail.email_message import TooManyParts, read_mail
from askance.extract.mail.outlook import read_outlook
from askance.extract.office.archives import (
    DAMAGE,
    MOST_UNPACKED_BYTES,
    Archive,
    ArchiveTooLarge,
    OtherKind,
)
from askance.extract.office.opendocument import read_odt, read_opendocument_tables
from askance.extract.office.rtf import read_rtf
from askance.extract.office.word import read_docx
from askance.extract.office.xlsx_pptx import read_old_workbook, read_pptx, read_xlsx
from askance.extract.pdf.pdf_file import close_other_than, extract_pdf
from askance.extract.text.characters import strip_invisible
from askance.extract.text.decoding import (
    DecodingKind,
    decode_text,
    first_of,
    format_name,
    is_ole,
    kind_of,
)
from askance.extract.text.markdown_text import fenced, tidy_text

_NOTEBOOK = "application/x-ipynb+json"
# The file of which more will be asked for, by a hash of it.
_last_read: dict[tuple[DecodingKind, bytes], Extracted] = {}


# Imported within functions; those that are not installed would not be imported by them either.
_LATE = (
    "_strptime",
    "brotli",
    "charset_normalizer.cd",
    "olefile",
    "pypdf.xmp",
    "python_calamine",
)
# Runs through both extractors, so that their word lists are loaded.
_WEB_PAGE = b"<html><body><p>A page that is read before any other page comes.</p></body></html>"
_SHOWN = b"(A page read before any other) Tj"
_PDF = (
    b"%PDF-1.4\n"
    b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
    b"/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 44>>stream\nBT /F 1 Tf " + _SHOWN + b" ET\nendstream endobj\n"
    b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
    b"trailer<</Size 6/Root 1 0 R>>\n%%EOF"
)
_MAIL = (
    b"From: Ann <ann@warm.example>\nSubject: =?utf-8?b?QQ==?=\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n"
    b'MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary="b"\n\n'
    b"--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    b"A=20message\n--b\nContent-Type: text/html; charset=latin-1\nContent-Transfer-Encoding: base64\n\n"
    b"QQ==\n--b--\n"
)


def extract_page(data: bytes, url: str, content_type: str) -> Extracted:
    """Return the text of a page as Markdown, or why it has none. What the bytes are decides."""
    close_other_than(data)
    return bounded(_extracted(data, url, content_type))


def preload() -> None:
    """Load all that reading a page may ever load, since a confined process opens no file.

    Libraries load much only where a page asks for it: encodings, ways to decrypt, the widths of letters. So a page of each kind is read, too. A test
    reads pages of all kinds and looks that nothing is left.
    """
    for name in _LATE:
        _load(name)
    # Each encoding is a module, imported when a page first names it.
    for module in pkgutil.iter_modules(encodings.__path__):
        _load(f"encodings.{module.name}")
    _load_domains()
    pages = (
        (_WEB_PAGE, "text/html"),
        (_PDF, "application/pdf"),
        # Of a page without text pypdf is asked whether it shows anything, which loads more.
        (_PDF.replace(_SHOWN, b" " * len(_SHOWN)), "application/pdf"),
        (b"a", "text/plain"),
        (_MAIL, "message/rfc822"),
    )
    for page, kind in pages:
        extract_page(page, "http://warm.example/", kind)


def _extracted(data: bytes, url: str, content_type: str) -> Extracted:
    kind = kind_of(data, content_type)
    if kind is DecodingKind.PLAIN:
        # A host of files calls all of them plain text: what each is the end of its name says.
        served = _served_file(url)
        syntax = served.syntax if served else _syntax_of_type(content_type)
        if syntax:
            return _fenced(data, content_type, syntax)
        kind = kind_of(data, served.content_type) if served else kind
    match kind:
        case DecodingKind.HTML:
            # Servers send feeds as XML or as HTML, so the bytes decide.
            read = extract_feed if is_feed(data) else extract_html
            return part_from(read(data, url, content_type), first_of(content_type))
        case DecodingKind.PDF:
            return extract_pdf(data, content_type)
        case DecodingKind.MARKDOWN:
            return extract_markdown(data, content_type, url)
        case DecodingKind.PLAIN:
            return extract_plain(data, content_type, url)
        case DecodingKind.SOURCE:
            return extract_source(data, content_type, url)
        case DecodingKind.BOOKMARKS:
            return extract_bookmarks(data, content_type)
        case DecodingKind.BINARY:
            # Office encrypts a whole file into a container of the old format, under this name.
            is_locked = is_ole(data) and _ENCRYPTED_PACKAGE in data
            reason = PageReason.ENCRYPTED if is_locked else PageReason.NOT_TEXT
            return failed(reason, _why_not(data, content_type))
        case kind:
            return extract_office(kind, data, content_type)


_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


def _served_file(url: str) -> Format | None:
    """Return what a page of the web is by the name in its address, if it is code, Markdown or a notebook."""
    parts = urlsplit(url)
    # The content type of a file of one's own was made from its name in the first place.
    if parts.scheme not in {"http", "https"}:
        return None
    found = format_of(PurePosixPath(parts.path))
    is_served = found and (
        found.kind in {DocumentKind.CODE, DocumentKind.MARKDOWN} or found.content_type == _NOTEBOOK
    )
    return found if is_served else None


# As in `text/x-python` and `text/x-java-source`.
def _syntax_of_type(content_type: str) -> str:
    name = (
        content_type.partition(";")[0]
        .strip()
        .lower()
        .removeprefix("text/x-")
        .removesuffix("-source")
    )
    return syntax_named(name) if is_known(name) else ""


def _fenced(data: bytes, content_type: str, syntax: str) -> Extracted:
    code = strip_invisible(decode_text(data, content_type)).replace("\r\n", "\n").strip("\n")
    return text_outcome(fenced(code, syntax) if code.strip() else "")


def _why_not(data: bytes, content_type: str) -> Message:
    """Return why a file is not read: for most, since it is another one than its name or its server says."""
    if not (name := format_name(content_type)):
        return Message("The page is a file that holds no readable text.")
    if is_ole(data) and name in {DecodingKind.PPTX.upper(), DecodingKind.XLSX.upper()}:
        return Message("The file is encrypted, or in a format of before 2007.")
    if is_ole(data) and name == DecodingKind.DOCX.upper():
        return Message("The file is encrypted, or in the format of Word before 2007.")
    return Message("Not a {name} file: its content is something else.", name=name)


def _load_domains() -> None:
    """Have the list of public suffixes read. Where it cannot be read, `tld` would download another."""
    with suppress(ImportError, AttributeError):
        importlib.import_module("tld").get_tld("http://warm.example/", fail_silently=True)


def _load(name: str) -> None:
    # Some encodings are Windows' own.
    with suppress(ImportError):
        importlib.import_module(name)


_ARCHIVE_READERS: dict[DecodingKind, Callable[[Archive], Extracted]] = {
    # A Word file may hold pages and other Word files; the reader of those is given to it, since
    # it knows its own format alone.
    DecodingKind.DOCX: lambda archive: read_docx(archive, _read_chunk),
    DecodingKind.ODT: read_odt,
    DecodingKind.PPTX: read_pptx,
    DecodingKind.XLSX: read_xlsx,
    DecodingKind.ODS: read_opendocument_tables,
    DecodingKind.ODP: read_opendocument_tables,
}
_READERS: dict[DecodingKind, Callable[[bytes], Extracted]] = {
    DecodingKind.RTF: read_rtf,
    DecodingKind.FB2: read_fb2,
    DecodingKind.NOTEBOOK: read_notebook,
    DecodingKind.XLS: read_old_workbook,
    DecodingKind.CALENDAR: read_calendar,
    DecodingKind.CONTACTS: read_contacts,
    DecodingKind.MAIL: lambda data: read_mail(data, _read_attached),
    DecodingKind.MSG: lambda data: read_outlook(data, _read_attached),
}


def extract_office(kind: DecodingKind, data: bytes, content_type: str) -> Extracted:
    """Return the text of a Word file, an OpenDocument text, a book or an e-mail, or why it has none.

    Hidden and deleted text is none. What does not fit into a page is left: `detail` says then how much is read
    (`pages`, or `next` where to go on), and a parameter `first` of the content type how much to pass over.
    """
    try:
        match kind:
            # A book counts its parts by chapters, not by characters as the others do.
            case DecodingKind.EPUB:
                return read_epub(Archive(data, kind), first_of(content_type) or 0)
            case DecodingKind.DOC | DecodingKind.PPT:
                return failed(PageReason.NOT_TEXT, Message("LibreOffice would read this file."))
            case DecodingKind.MAIL | DecodingKind.MSG if WITHOUT_FILES in content_type:
                read = read_mail if kind is DecodingKind.MAIL else read_outlook
                # Without the files in it, which may take more than a process has.
                return part_from(read(data), first_of(content_type))
            case kind:
                return _part_of(kind, data, first_of(content_type))
    except ArchiveTooLarge:
        n = MOST_UNPACKED_BYTES // 2**20
        return failed(PageReason.TOO_LARGE, Message("It unpacks to more than {n} MiB.", n=n))
    except TooManyParts as exc:
        return failed(
            PageReason.TOO_LARGE, Message("The message has more than {n} parts.", n=exc.args[0])
        )
    except OtherKind as exc:
        return failed(
            PageReason.NOT_TEXT,
            Message("Not a {name} file: its content is something else.", name=exc),
        )
    except RecursionError:
        return failed(
            PageReason.EXTRACTION,
            Message("The file is damaged: {problem}.", problem="it is nested too deep"),
        )
    except ImportError as exc:
        return failed(
            PageReason.NOT_TEXT, Message("{name} is not installed, which reads it.", name=exc.name)
        )
    # Damaged files break a reader at any place, `None` where an element should be among them;
    # one file must not cost the others of its folder.
    except (*DAMAGE, LookupError, OverflowError, TypeError, AttributeError) as exc:
        return failed(
            PageReason.EXTRACTION, Message("The file is damaged: {problem}.", problem=exc)
        )


def _part_of(kind: DecodingKind, data: bytes, first: int | None) -> Extracted:
    """Return what of a file follows so many characters. A long one is asked for part by part, and is read once."""
    key = kind, blake2b(data).digest()
    found = _last_read.get(key)
    _last_read.clear()
    if found is None:
        archive = Archive(data, kind) if kind in _ARCHIVE_READERS else None
        is_binary = archive is not None and archive.has("xl/workbook.bin")
        kind = DecodingKind.XLS if is_binary else kind
        found = (
            _ARCHIVE_READERS[kind](archive) if archive and not is_binary else _READERS[kind](data)
        )
    part = part_from(found, first)
    if part.detail != found.detail:  # more will be asked for
        _last_read[key] = found
    return part


def _read_attached(name: str, content_type: str, data: bytes) -> Extracted | None:
    """Return the text of a file that hangs on a mail; None for one of a kind that is not read."""
    form = format_of(PurePosixPath(name)) or format_of_type(content_type)
    if form is None or form.content_type == MAILBOX:
        return None
    url = f"file:///{quote(posixpath.basename(name))}"
    try:
        return _extracted(data, url, form.content_type + WITHOUT_FILES)
    except (MemoryError, SystemError):
        raise
    except Exception:  # noqa: BLE001 - parsers break in ways that cannot be listed, and a mail is more than its files
        return None


def _read_chunk(name: str, data: bytes) -> str | None:
    """Return the text of a file that stands within another; None for one of a kind that is not read."""
    match posixpath.splitext(name)[1].lower():
        case ".htm" | ".html" | ".xhtml":
            found = extract_html(data, "file:///chunk.html", "text/html")
        case ".txt":
            return tidy_text(decode_text(data, ""))
        case ".mht" | ".mhtml":
            found = read_mail(data)
        case ".rtf":
            found = read_rtf(data)
        case ".docx" | ".docm":  # in which a further one is not read
            found = read_docx(Archive(data, DecodingKind.DOCX))
        case ".xlsx" | ".xlsm":
            found = read_xlsx(Archive(data, DecodingKind.XLSX))
        case ".pptx":
            found = read_pptx(Archive(data, DecodingKind.PPTX))
        case _:
            return None
    return found.markdown if found.status is PageStatus.OK else None
