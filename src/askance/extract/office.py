"""Text out of what word processors write, of books, and of e-mail."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Callable
from xml.etree import ElementTree

from askance.domain.messages import Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.archives import MOST_UNPACKED_BYTES, Archive, ArchiveTooLarge, OtherKind
from askance.extract.books import read_epub, read_fb2
from askance.extract.decoding import DecodingKind, decode_text, first_of
from askance.extract.extracted import Extracted, failed, part_from
from askance.extract.html import extract_html
from askance.extract.mail import TooManyParts, read_mail
from askance.extract.markdown import tidy_text
from askance.extract.notebooks import read_notebook
from askance.extract.opendocument import read_odt
from askance.extract.opendocument_tables import read_opendocument_tables
from askance.extract.rtf import read_rtf
from askance.extract.sheets import read_xlsx
from askance.extract.slides import read_pptx
from askance.extract.word import read_docx

_READERS: dict[DecodingKind, Callable[[bytes], Extracted]] = {
    DecodingKind.PPTX: lambda data: read_pptx(Archive(data, DecodingKind.PPTX)),
    DecodingKind.XLSX: lambda data: read_xlsx(Archive(data, DecodingKind.XLSX)),
    DecodingKind.ODS: lambda data: read_opendocument_tables(Archive(data, DecodingKind.ODS)),
    DecodingKind.ODP: lambda data: read_opendocument_tables(Archive(data, DecodingKind.ODP)),
    DecodingKind.RTF: read_rtf,
    DecodingKind.FB2: read_fb2,
    DecodingKind.NOTEBOOK: read_notebook,
}


def extract_office(kind: DecodingKind, data: bytes, content_type: str = "") -> Extracted:
    """Return the text of a Word file, an OpenDocument text, a book or an e-mail, or why it has none.

    Hidden and deleted text is none. What does not fit into a page is left: `detail` says then how much is read
    (`pages`, or `next` where to go on), and a parameter `first` of the content type how much to pass over.
    """
    try:
        match kind:
            case DecodingKind.DOCX:
                return part_from(
                    read_docx(Archive(data, kind), _read_chunk), first_of(content_type)
                )
            case DecodingKind.ODT:
                return part_from(read_odt(Archive(data, kind)), first_of(content_type))
            case DecodingKind.EPUB:
                return read_epub(Archive(data, kind), first_of(content_type) or 0)
            case DecodingKind.MAIL:
                return read_mail(data)
            case _:
                return part_from(_READERS[kind](data), first_of(content_type))
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
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, ValueError, KeyError, LookupError,
            RuntimeError, NotImplementedError, OverflowError, OSError, EOFError, TypeError,
            AttributeError) as exc:  # fmt: skip
        return failed(
            PageReason.EXTRACTION, Message("The file is damaged: {problem}.", problem=exc)
        )


def _read_chunk(name: str, data: bytes) -> str | None:
    """Return the text of a file that stands within another; None for one of a kind that is not read."""
    match posixpath.splitext(name)[1].lower():
        case ".htm" | ".html" | ".xhtml":
            found = extract_html(data, "file:///chunk.html", "text/html")
        case ".txt":
            return tidy_text(decode_text(data, ""))
        case ".docx" | ".docm":  # in which a further one is not read
            found = read_docx(Archive(data, DecodingKind.DOCX))
        case _:
            return None
    return found.markdown if found.status is PageStatus.OK else None
