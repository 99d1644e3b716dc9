"""Text out of what word processors write, of books, and of e-mail."""

from __future__ import annotations

import zipfile
import zlib
from xml.etree import ElementTree

from askance.domain.messages import Message
from askance.domain.web import PageReason
from askance.extract.archives import MOST_UNPACKED_BYTES, Archive, OtherKind, TooLarge
from askance.extract.books import read_epub
from askance.extract.decoding import Kind, first_of
from askance.extract.extracted import Extracted, failed
from askance.extract.mail import TooManyParts, read_mail
from askance.extract.opendocument import read_odt
from askance.extract.word import read_docx


def extract_office(kind: Kind, data: bytes, content_type: str = "") -> Extracted:
    """Return the text of a Word file, an OpenDocument text, a book or an e-mail, or why it has none.

    Hidden and deleted text is none; attachments are not read. Of a book as many chapters are read as
    fit into a page: where some are left, `detail` says how many are read by then (`pages`), and a
    parameter `first` of the content type how many to pass over.
    """
    try:
        match kind:
            case Kind.DOCX:
                return read_docx(Archive(data, kind))
            case Kind.ODT:
                return read_odt(Archive(data, kind))
            case Kind.EPUB:
                return read_epub(Archive(data, kind), first_of(content_type) or 0)
            case _:
                return read_mail(data)
    except TooLarge:
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
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, ValueError, KeyError, LookupError,
            RuntimeError, NotImplementedError, OverflowError, OSError, EOFError, TypeError,
            AttributeError) as exc:  # fmt: skip
        return failed(
            PageReason.EXTRACTION, Message("The file is damaged: {problem}.", problem=exc)
        )
