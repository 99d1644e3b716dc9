"""Short texts in code pages: letters of one language, as its words have them."""

# ruff: noqa: RUF001 - letters of many alphabets are what is read

from __future__ import annotations

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.page import extract_page
from askance.extract.text.decoding import decode_text
from sampled import each_row

SHORT = {
    "cp1252": (
        "Name;Ort\nGrößmann;Köln",
        "Société;créée",
        "Ærø;Øst;blå",
        "B×H×T in cm",
        "the colonial\xa0history",
        "You’re sure they’re here",
        "Põe as informações",
        "in £bn, Nº and cm³",
        "Þórður fór út í búð",
    ),
    "cp1250": (
        "Příliš žluťoučký kůň",
        "źródło wieści",
        "árvíztűrő tükörfúrógép",
        "Név;Város\nGyőző;Győr",
    ),
    "iso8859-2": ("źródło żółć łódź", "šťastný ježek", "Łukasz,30,Łódź", "Željko,30,Šibenik"),
    "iso8859-15": ("Preis: 20 € für Kaffee",),
    "cp1254": ("İstanbul şubesinin yıllık bütçe görüşmesi", "İsim,Yaş,Şehir"),
    "cp1257": (
        "Šiaulių skyriaus žiemos",
        "Rīgas šķēres",
        "Sanāksme notiks rīt trijos galvenajā birojā. Lūdzu, Rīgā",
    ),
    "cp1251": ("Привет, мир", "Отчёт за зиму", "Ім'я,Вік,Місто"),
    "koi8-r": ("Привет, мир", "Отчёт за зиму"),
    "cp866": ("Привет, мир",),
    "cp1253": ("Καλημέρα κόσμε",),
    "cp1255": ("שלום עולם זה טקסט קצר",),
    "mac-roman": ("Les élèves préfèrent l’été à Besançon", "Größe über"),
    "cp932": ("名前,年齢,住所", "佐藤太郎,30,東京"),
    "euc_jp": ("三木英子,25,大阪",),
    "gb18030": ("张伟,30,北京", "明天下午三点开会"),
    "cp950": ("陳大文,30,台北", "姓名,年齡"),
    "cp949": ("김철수,30,서울", "이름,나이"),
    "cp874": ("สมชาย,30,กรุงเทพ", "พรุ่งนี้มีประชุม"),
    "cp1256": ("أحمد,30,القاهرة", "جلسه فردا ساعت سه"),
    "iso2022_jp": ("来週の会議は札幌です。",),
}


@each_row(("code_page", "text"), [(page, text) for page, texts in SHORT.items() for text in texts])
def test_a_short_text_is_read_in_its_code_page(code_page: str, text: str) -> None:
    assert decode_text(text.encode(code_page), "") == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_needs_no_mark(codec: str) -> None:
    data = "Name;City\r\nquoll;Hobart\r\n".encode(codec)
    assert extract_page(data, "", "text/plain").markdown == "Name;City\nquoll;Hobart"


def test_a_log_with_zeros_is_read() -> None:
    data = b"a line about the buzzard\n" + bytes(2_000) + b"the next line\n"
    found = extract_page(data, "", "text/plain")
    assert found.status is PageStatus.OK
    assert found.markdown.split("\n") == ["a line about the buzzard", "the next line"]


def test_a_program_that_is_called_a_text_is_none() -> None:
    data = b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8
    assert extract_page(data, "", "text/plain").status is PageStatus.FAILED
