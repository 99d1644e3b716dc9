"""Loading all that reading a page may ever load: a confined process opens no file.

Libraries load much only where a page asks for it: encodings, the months of two hundred languages,
ways to decrypt, the widths of letters. A test reads pages of all kinds and looks that nothing is left.
"""

from __future__ import annotations

import encodings
import importlib
import pkgutil
from contextlib import suppress

from askance.extract.page import extract_page

# Imported within functions; those that are not installed would not be imported by them either.
_LATE = (
    "_strptime",
    "brotli",
    "charset_normalizer.cd",
    "dateparser.data.date_translation_data",
    "fontTools.cffLib",
    "fontTools.ttLib",
    "pypdf._codecs.core_font_metrics",
    "pypdf._text_extraction",
    "pypdf.xmp",
)
# Runs through both extractors, so that their word lists are loaded, and has a date in words, so that
# the parser of dates is.
_WEB_PAGE = (
    b'<html><body><p class="date">12 May 2024</p>'
    b"<p>A page that is read before any other page comes.</p></body></html>"
)
_PDF = (
    b"%PDF-1.4\n"
    b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
    b"/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 44>>stream\nBT /F 1 Tf (A page read before any other) Tj ET\nendstream endobj\n"
    b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
    b"trailer<</Size 6/Root 1 0 R>>\n%%EOF"
)


def preload() -> None:
    """Load what the parsers load late, and read a page of each kind."""
    for name in _LATE:
        _load(name)
    _load_all_in("dateparser.data.date_translation_data")
    for module in pkgutil.iter_modules(encodings.__path__):
        _load(f"encodings.{module.name}")
    _start_date_parser()
    _load_domains()
    for page, kind in ((_WEB_PAGE, "text/html"), (_PDF, "application/pdf"), (b"a", "text/plain")):
        extract_page(page, "http://warm.example/", kind)


def _load_all_in(package: str) -> None:
    with suppress(ImportError):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            _load(f"{package}.{module.name}")


def _start_date_parser() -> None:
    """Have the parser of dates in words load its settings and the system's time zone."""
    with suppress(ImportError, AttributeError):
        parser = importlib.import_module("htmldate.extractors").get_external_parser()
        parser.get_date_data("12 May 2024")


def _load_domains() -> None:
    """Have the list of public suffixes read. Where it cannot be read, `tld` would download another."""
    with suppress(ImportError, AttributeError):
        importlib.import_module("tld").get_tld("http://warm.example/", fail_silently=True)


def _load(name: str) -> None:
    # Some encodings are Windows' own.
    with suppress(ImportError):
        importlib.import_module(name)
