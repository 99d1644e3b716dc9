"""Charsets, declared rightly, wrongly and not at all."""

# ruff: noqa: RUF001 - letters that look like others are what is tested

from __future__ import annotations

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.html.html_page import extract_html
from askance.extract.page import extract_page
from askance.extract.text.decoding import decode_text
from servers.site import article

WESTERN = "Das Café in Lindmünde öffnete 1871, sagt die Wirtin — „sehr früh“."
RUSSIAN = "Гавань была углублена в 1871 году после того, как два корабля сели на мель. " * 4
JAPANESE = "港は一八七一年に浚渫された。二隻の穀物船が河口で座礁したからである。" * 6
GREEK = "Το λιμάνι εκβαθύνθηκε το 1871 αφού δύο πλοία προσάραξαν στην είσοδό του. " * 4


@pytest.mark.parametrize(
    ("text", "codec", "content_type"),
    [
        (WESTERN, "utf-8", "text/html"),
        (WESTERN, "utf-8", "text/html; charset=iso-8859-1"),
        (WESTERN, "utf-8-sig", "text/html"),
        (WESTERN, "utf-16", "text/html"),
        (WESTERN, "cp1252", "text/html; charset=utf-8"),
        (WESTERN, "cp1252", "text/html; charset=iso-8859-1"),
        (WESTERN, "cp1252", "text/html; charset=nonsense"),
        (WESTERN, "cp1252", ""),
        (RUSSIAN, "cp1251", "text/html; charset=windows-1251"),
        (RUSSIAN, "koi8-r", 'text/html; charset="KOI8-R"'),
        (RUSSIAN, "cp1251", "text/html; charset=utf-8"),
        (JAPANESE, "shift_jis", "text/html; charset=Shift_JIS"),
        (JAPANESE, "euc_jp", "text/html; charset=euc-jp"),
        (JAPANESE, "shift_jis", "text/html; charset=utf-8"),
        (GREEK, "iso8859-7", "text/html; charset=iso-8859-7"),
    ],
)
def test_bytes_become_the_text_that_was_meant(text: str, codec: str, content_type: str):
    assert decode_text(text.encode(codec), content_type) == text


def test_the_pages_own_declaration_helps_where_the_header_says_nothing():
    data = b'<meta charset="windows-1251"><p>' + RUSSIAN.encode("cp1251")
    assert decode_text(data, "text/html").endswith(RUSSIAN)


def test_one_broken_byte_does_not_turn_utf8_into_something_else():
    data = (RUSSIAN * 4).encode() + b"\xff" + RUSSIAN.encode()
    decoded = decode_text(data, "text/html")
    assert decoded.startswith(RUSSIAN)
    assert decoded.count("\ufffd") == 1


def test_a_page_that_lies_about_its_charset_is_read_rightly():
    data = article(f"<p>{WESTERN}</p>").encode("cp1252")
    page = extract_html(data, "http://a.example/", "text/html; charset=utf-8")
    assert page.status is PageStatus.OK
    assert WESTERN in page.markdown


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [WESTERN, RUSSIAN, JAPANESE])
def test_a_page_of_wide_letters_needs_no_mark_of_them(codec: str, text: str):
    page = extract_page(article(f"<p>{text}</p>").encode(codec), "http://a.example/", "text/html")
    assert page.status is PageStatus.OK
    assert text.strip() in page.markdown


@pytest.mark.parametrize(
    "data", [b"\0" * 500, bytes(range(256)) * 4, b"\0\1\0\2" * 200, b"\x7fELF\0a\0b" * 90]
)
def test_bytes_of_no_letters_are_no_wide_text(data: bytes):
    assert extract_page(data, "http://a.example/", "").status is not PageStatus.OK


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b$B-!-j6b\x1b(B", "\u2460㈱金"),
        (b"\x1b$B|b6b\x1b(B Abc", "髙金 Abc"),
        (b"\x1b(I\x43\x3d\x44\x1b(B", "ﾃｽﾄ"),
        ("<meta charset=euc-jp>\u2460日本".encode("euc_jis_2004"), "\u2460日本"),
        ("<meta charset=windows-31j>\u2460日本".encode("cp932"), "\u2460日本"),
        ("<meta charset=gb_2312-80>你好".encode("gbk"), "你好"),
        ("<meta charset=big5>碁銹裏".encode("cp950"), "碁銹裏"),
        ("<?xml version='1.0' encoding='koi8-r'?><p>да".encode("koi8-r"), "да"),
    ],
)
def test_letters_beyond_a_standard_are_read_as_browsers_read_them(data: bytes, text: str) -> None:
    assert decode_text(data, "").endswith(text)
