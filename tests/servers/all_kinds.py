"""Pages of every kind that the reader reads, and of every sort that makes a library load something.

`python all_kinds.py` reads them all where everything is preloaded, and writes down what was opened then.
"""

# ruff: noqa: RUF001 - letters of many alphabets are what is read

from __future__ import annotations

import encodings
import io
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pypdf import PdfWriter

from askance.extract.page import extract_page, preload
from askance.sample_web.sample_pages import load_library
from askance.sample_web.sample_server import SampleSite
from servers.office import DOCX, EPUB, MAIL, ODT, docx, epub, mail, odt
from servers.office_formats import (
    FB2,
    IPYNB,
    ODS,
    PPTX,
    RTF,
    XLSX,
    notebook,
    opendocument,
    pptx,
    xlsx,
)
from servers.pdf_files import GivenPassword
from servers.site import article, pdf, sentence

URL = "http://news.example.co.uk/2024/page"
WORDS = "Das Café öffnete 1871. Гавань была углублена. Το λιμάνι 港は一八七一年に浚渫された。"
DATES = (
    "12 mai 2024", "3. März 2021", "12 мая 2024 г.", "2024年5月12日", "12 Mayıs 2024",
    "\u0662\u0660\u0662\u0664/\u0660\u0665/\u0661\u0662", "ngày 12 tháng 5 năm 2024", "12 de mayo de 2024", "quinta-feira, 2 de maio de 2019",
    "the day before yesterday", "Yesterday at 15:02 EST", "2019-03-01T10:00:00+09:00", "Mon 31 Foo 2x",
)  # fmt: skip
# Ways in which a PDF may say what its bytes mean: three of its own, and some of the East Asian ones.
FONT_ENCODINGS = ("WinAnsiEncoding", "MacRomanEncoding", "Identity-H", "UniJIS-UTF16-H",
                  "GBK-EUC-H", "90ms-RKSJ-H", "KSCms-UHC-H", "ETen-B5-H", "Unheard-Of")  # fmt: skip
PARSERS = {"open", "socket.__new__", "socket.connect", "subprocess.Popen", "os.exec", "os.fork"}


@dataclass(frozen=True)
class Sample:
    """A page, and what its server says that it is."""

    data: bytes
    url: str
    content_type: str


def samples() -> Iterator[Sample]:
    """Yield the sample web, and pages in all encodings, with all dates, and of all other kinds."""
    library = load_library()
    site = SampleSite(library)
    for url, document in library.documents.items():
        reply = site.answer(document.host, document.path, {})
        yield Sample(reply.body, url, reply.content_type)
    yield from _encoded()
    for date in DATES:
        head = f'<meta name="date" content="{date}"><link rel="canonical" href="{URL}">'
        text = article(f'<p class="date">{date}</p><footer>Published: {date}</footer>', head=head)
        yield Sample(text.encode(), URL, "text/html; charset=utf-8")
    for made, content_type in ((docx, DOCX), (odt, ODT), (epub, EPUB), (mail, MAIL)):
        yield Sample(made("The ferry leaves.", "Ферри"), URL, content_type)
    yield from _office_formats()
    # Its site's name is not plain: the list of public suffixes is asked.
    yield Sample(article("<p>News.</p>").encode(), "http://[2606:4700::1111]/", "text/html")
    # Little text: the extractor tries all that it has.
    yield Sample(b"<p>Few words.</p><table><tr><td>1<td>2</table>", URL, "text/html")
    yield Sample(b"<html>" + b"<div>" * 3_000 + b"deep down", URL, "text/html")
    yield Sample(b'<?xml version="1.0"?><rss><item>news</item></rss>', URL, "application/xml")
    yield Sample(b"", URL, "text/html")
    yield Sample(b"\x89PNG\r\n\x1a\n" + bytes(64), URL, "image/png")
    yield Sample(f"# A title\n\n{WORDS}".encode(), URL, "text/markdown")
    yield from _pdfs()


def _office_formats() -> Iterator[Sample]:
    yield Sample(pptx(("The ferry", "It leaves.", "Soon.")), URL, PPTX)
    yield Sample(xlsx('<row><c s="1"><v>45292.5</v></c></row>'), URL, XLSX)
    yield Sample(opendocument("<text:p>The ferry</text:p>"), URL, ODS)
    yield Sample(rb"{\rtf1\ansi{\fonttbl{\f0\fcharset128 A;}}\f0 \'83\'41}", URL, RTF)
    yield Sample(notebook({"cell_type": "code", "source": "1"}), URL, IPYNB)
    yield Sample('<?xml version="1.0" encoding="koi8-r"?><F><body><p>Паром</p></body></F>'.encode("koi8-r"),
                 URL, FB2)  # fmt: skip


def _encoded() -> Iterator[Sample]:
    for module in pkgutil.iter_modules(encodings.__path__):
        for declared in (f"; charset={module.name}", ""):
            try:
                data = article(f"<p>{WORDS}</p>").encode(module.name, "ignore")
            except (LookupError, UnicodeError, AttributeError):
                continue
            yield Sample(data, URL, f"text/html{declared}")


def _pdfs() -> Iterator[Sample]:
    plain = pdf(f"{sentence(0)}\n{sentence(1)}", sentence(2))
    yield Sample(plain, URL, "application/pdf")
    yield Sample(plain[: len(plain) // 2], URL, "application/pdf")
    for algorithm in ("RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"):
        for user, owner in (("", "owner"), ("secret", "owner"), ("secret", "")):
            writer, out = PdfWriter(clone_from=io.BytesIO(plain)), io.BytesIO()
            writer.encrypt(user, GivenPassword(owner), algorithm=algorithm)
            writer.write(out)
            yield Sample(out.getvalue(), URL, "application/pdf")
    for name in FONT_ENCODINGS:
        kind = b"/Subtype /Type0 /Encoding /" + name.encode()
        yield Sample(plain.replace(b"/Subtype /Type1", kind), URL, "application/pdf")
    for code in (b"/FlateDecode", b"/LZWDecode", b"/ASCII85Decode", b"/BrotliDecode", b"/JBIG2Decode",
                 b"/CCITTFaxDecode", b"/DCTDecode", b"/JPXDecode", b"/Crypt"):  # fmt: skip
        yield Sample(plain.replace(b"<< /Length", b"<< /Filter " + code + b" /Length"), URL, "")


def loaded_late() -> set[str]:
    """Return the files and more that reading these pages opens once all is preloaded."""
    read, opened, watching = list(samples()), set[str](), False

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event in PARSERS:
            opened.add(f"{event} {arguments[0]}")

    sys.addaudithook(watch)
    watching = True
    for sample in read:
        extract_page(sample.data, sample.url, sample.content_type)
    watching = False
    return opened


if __name__ == "__main__":
    preload()
    for late in sorted(loaded_late()):
        sys.stdout.write(f"{late}\n")
