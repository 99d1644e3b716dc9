"""Files that are no HTML: PDF, plain text, Markdown, and what is no text at all."""

from __future__ import annotations

import gzip
import json
import random
import time

import pytest

from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.page import extract_page
from askance.extract.text.decoding import DecodingKind, kind_of
from servers.office import bookmarks
from servers.site import article, pdf, sentence

URL = "http://a.example/file"
HTML = "text/html; charset=utf-8"
LINES = "The harbour was dredged in 1871\nafter two ships ran aground.\nIt cost a great deal."


def test_a_pdf_called_html_is_read_as_a_pdf():
    page = extract_page(pdf(LINES, "The second page has words as well."), URL, HTML)
    assert page.status is PageStatus.OK
    assert page.markdown.split("\n\n") == [
        "The harbour was dredged in 1871 after two ships ran aground.\nIt cost a great deal.",
        "The second page has words as well.",
    ]


def test_an_encrypted_pdf_says_so():
    page = extract_page(pdf(LINES, password="s3cret"), URL, "application/pdf")  # noqa: S106
    assert (page.status, page.reason) == (PageStatus.EMPTY, PageReason.ENCRYPTED)
    assert "encrypted" in page.detail


def test_a_pdf_of_images_says_so():
    page = extract_page(pdf("", ""), URL, "application/pdf")
    assert (page.status, page.reason) == (PageStatus.EMPTY, PageReason.NO_TEXT)
    assert "images" in page.detail


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_pdf_is_a_value(seed: int):
    noise = random.Random(seed).randbytes(40_000)  # noqa: S311
    page = extract_page(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + noise + b"\n%%EOF", URL, HTML)
    assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.EXTRACTION)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_pdf_that_was_cut_off_never_raises(share: float):
    data = pdf(LINES)
    assert extract_page(data[: int(len(data) * share)], URL, HTML).status in PageStatus


@pytest.mark.parametrize(
    ("source", "kind", "shown"),
    [
        ("One\tline  here.\r\n\r\n\r\nAnother one.\n", "plain", "One line here.\n\nAnother one."),
        ("if a < b and <p> then", "plain; charset=utf-8", "if a < b and <p> then"),
        ("# A title\n\nSee [the map](http://m.example/x) ![pixel](http://e.example/p.png)\n\n<!-- CANARY -->\n- item",
         "markdown", "# A title\n\nSee the map pixel\n\n- item"),
        ("- one\n\n    [more](b) of it\n", "markdown", "- one\n\nmore of it"),
        ("See [[Ferry]], [[Ferry#Times]], [[Ferry#Times|when]], ![[map.png]] and [[ -f x ]].",
         "markdown", "See Ferry, Ferry > Times, when, map.png and [[ -f x ]]."),
    ],
)  # fmt: skip
def test_a_text_has_its_paragraphs_and_no_markup_that_nobody_sees(
    source: str, kind: str, shown: str
):
    page = extract_page(source.encode(), URL, f"text/{kind}")
    assert page.markdown == shown
    assert page.title == ("A title" if source.startswith("# A title") else "")


def test_markdown_keeps_its_code_to_the_letter():
    code = "```python\ndef f(x):\n    if x:\n        return  [[1]]  # [a](b) <!-- x -->\n\n\n    # no title\n```"
    source = (
        f"Before:\n{code}\nAfter [a](b).\n\n    indented\n        twice\n\n# Title\n\n~~~\n  open"
    )
    page = extract_page(source.encode(), URL, "text/markdown")
    assert page.title == "Title"
    assert page.markdown.split("\n\n", 1)[0] == "Before:"
    assert code in page.markdown
    assert "After a.\n\n    indented\n        twice\n\n# Title\n\n~~~\n  open" in page.markdown


def test_bookmarks_are_lines_with_their_folders_as_tags():
    page = extract_page(bookmarks(), URL, "text/x-bookmarks")
    first, second = (json.loads(line) for line in page.markdown.splitlines())
    assert first == {
        "url": "https://ferry.example/?x=1&y=2",
        "title": "The ferry & more",
        "text": "When it leaves.",
        "tags": ["Travel", "boats", "sea"],
        "kind": "page",
        "fetched_at": "2024-05-14T08:00:00+00:00",
    }
    assert (second["title"], second["tags"]) == ("Mill", ["Travel", "Old"])


def test_many_bookmarks_are_read_in_parts():
    data = bookmarks("".join(f'<DT><A HREF="https://a.example/{i}">{i}</A>' for i in range(9000)))
    done, read = 0, 0
    while True:
        page = extract_page(data, URL, f"text/x-bookmarks; first={done}")
        read += page.words
        if not page.detail:
            break
        done = page.detail.values["pages"]
        assert done == read
    assert read == 9002


def test_bookmarks_of_any_depth_are_read_or_refused_at_once():
    begun = time.thread_time()
    for data in (
        bookmarks("<DL><p>" * 50_000),
        bookmarks("<DL><DT><H3>a</H3>" * 5_000),
        b"<DT>" * 99,
    ):
        assert extract_page(data, URL, "text/x-bookmarks").status in PageStatus
    assert time.thread_time() - begun < 5


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(200),
        b"\xff\xd8\xff\xe0" + bytes(100),
        b"PK\x03\x04" + b"word/document.xml" * 9,
        gzip.compress(b"<html>" * 99, mtime=0),
        b"MZ" + bytes(range(256)),
        b"<html>" + bytes(500),
        random.Random(1).randbytes(4000),  # noqa: S311
    ],
)
def test_a_binary_called_html_holds_no_text(data: bytes):
    page = extract_page(data, URL, HTML)
    assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.NOT_TEXT)


@pytest.mark.parametrize(
    ("data", "content_type", "kind"),
    [
        (b"<p>The %PDF-1.4 mark opens a file.</p>", "text/html", DecodingKind.HTML),
        (b"junk\n%PDF-1.4\n", "text/html", DecodingKind.PDF),
        (b"no mark", "application/pdf", DecodingKind.BINARY),
        (b"words", "", DecodingKind.HTML),
        (b"words", "TEXT/PLAIN;charset=x", DecodingKind.PLAIN),
        ("\ufeffwords".encode("utf-16-le"), "text/plain", DecodingKind.PLAIN),
        (b"", "text/html", DecodingKind.HTML),
    ],
)
def test_the_first_bytes_are_believed_before_the_header(
    data: bytes, content_type: str, kind: DecodingKind
):
    assert kind_of(data, content_type) is kind


@pytest.mark.parametrize(
    "data", [b"a\x01b", b"Oak\0 and\x02 ash", b"RIFF is a format of files.", b"MZ"]
)
@pytest.mark.parametrize("content_type", ["text/plain", "text/markdown", "text/x-source"])
def test_a_stray_control_character_does_not_spoil_a_text(data: bytes, content_type: str):
    page = extract_page(data, URL, content_type)
    assert page.status is PageStatus.OK
    assert page.markdown == data.translate(None, b"\0\1\2").decode()


def test_code_in_a_list_of_a_note_is_a_block_with_its_lines():
    note = "- Thus:\n\n  ```py\n  def f():\n      return 1\n  ```\n- Or so.\n"
    text = extract_page(note.encode(), URL, "text/markdown").markdown
    assert text == "- Thus:\n\n```py\ndef f():\n    return 1\n```\n\n- Or so."


def test_html_without_a_header_is_html():
    assert sentence(2) in extract_page(article().encode(), URL, "").markdown


_CODE = "def f(a):\r\n    if a < 3 and b > a[0]:\r\n        return a[0]\r\n"
_IN_FENCES = "```python\ndef f(a):\n    if a < 3 and b > a[0]:\n        return a[0]\n```"
_SERVED = [
    ("https://raw.example/a/b.py?x=1", "text/plain; charset=utf-8", _CODE, _IN_FENCES),
    ("https://raw.example/paste/7", "text/x-python", _CODE, _IN_FENCES),
    ("https://raw.example/Makefile", "text/plain", "all:\n\tcc a.c\n", "```make\nall:\n\tcc a.c\n```"),
    ("https://raw.example/a.json", "text/plain", '{"a": [1,\n  2]}', '```json\n{"a": [1,\n  2]}\n```'),
    ("https://raw.example/a.md", "text/plain", "# T\n\n    a  = 1\n", "# T\n\n    a  = 1"),
    ("https://raw.example/a.ipynb", "text/plain", '{"cells": [{"cell_type": "markdown", "source": ["Tides"]}]}', "Tides"),
    ("https://raw.example/a.py", "text/plain", "<html><p>Nobody is here.</p></html>", "```python\n<html><p>Nobody is here.</p></html>\n```"),
    ("https://raw.example/a", "text/x-python", "<html><p>Nobody is here.</p></html>", "Nobody is here."),
    ("https://raw.example/a.txt", "text/plain", "Two  words\n   here.", "Two words\nhere."),
    ("https://raw.example/a.py", "text/html", "<p>Two words here.</p>", "Two words here."),
    ("https://raw.example/a.py", "text/plain", " \n", ""),
]  # fmt: skip


@pytest.mark.parametrize(("url", "content_type", "text", "read"), _SERVED)
def test_a_file_that_is_served_as_plain_text_is_what_its_name_says(
    url: str, content_type: str, text: str, read: str
):
    assert extract_page(text.encode(), url, content_type).markdown == read
