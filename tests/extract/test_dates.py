"""Days in the languages of the web, and what a page says they are of."""

# ruff: noqa: RUF001 - months are spelt in the letters of their languages

from __future__ import annotations

import pytest

from askance.extract.html.dates import DateKind, days_in, iso_of
from sampled import each_row


@each_row(
    ("text", "language", "iso"),
    [
        ("2019-03-02T10:00:00+09:00", "", "2019-03-02"),
        ("20190302T100000Z", "", "2019-03-02"),
        ("2019/3/2", "ja", "2019-03-02"),
        ("May 3, 2026", "en", "2026-05-03"),
        ("Sept. 3rd, 2016", "en", "2016-09-03"),
        ("3 May 2026", "", "2026-05-03"),
        ("12. März 2019", "de", "2019-03-12"),
        ("02.03.2019", "de", "2019-03-02"),
        ("1er avril 2020", "fr", "2020-04-01"),
        ("3 de mayo de 2021", "es", "2021-05-03"),
        ("3 de maio de 2021", "pt", "2021-05-03"),
        ("16 сентября 2019 г.", "ru", "2019-09-16"),
        ("10 listopada 2020", "pl", "2020-11-10"),
        ("10 listopada 2020", "hr", "2020-10-10"),
        ("2021. május 3.", "hu", "2021-05-03"),
        ("5 Şubat 2022", "tr", "2022-02-05"),
        ("2019年3月2日", "ja", "2019-03-02"),
        ("２０１９年３月２日", "ja", "2019-03-02"),
        ("2019 年 03 月 02 日", "zh", "2019-03-02"),
        ("二〇一九年三月二十一日", "zh", "2019-03-21"),
        ("令和元年5月1日", "ja", "2019-05-01"),
        ("平成31年4月1日", "ja", "2019-04-01"),
        ("民國108年3月2日", "zh-TW", "2019-03-02"),
        ("2019년 3월 2일", "ko", "2019-03-02"),
        ("2019. 3. 2.", "ko", "2019-03-02"),
        ("3/2/2019", "en-US", "2019-03-02"),
        ("3/2/2019", "en-GB", "2019-02-03"),
        ("3/2/2019", "fr", "2019-02-03"),
        ("13/2/2019", "", "2019-02-13"),
        ("3/2/2019", "en", ""),
        ("3/2/2019", "", ""),
        ("31 February 2019", "en", ""),
        ("1.2.2019.4", "", ""),
        ("0123-45-2019-03-02-99", "", ""),
        ("March 2019", "en", ""),
        ("2 Bees 2019", "en", ""),
    ],
)
def test_a_day_is_read_as_its_language_writes_it(text: str, language: str, iso: str):
    assert iso_of(text, language) == iso


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (
            "Published 2 March 2019 · Last updated 3 May 2026",
            [DateKind.PUBLISHED, DateKind.UPDATED],
        ),
        ("Aktualisiert am 3. Mai 2026", [DateKind.UPDATED]),
        ("Mis à jour le 3 mai 2026, publié le 2 mars 2019", [DateKind.UPDATED, DateKind.PUBLISHED]),
        ("公開日：2019年3月2日　更新日：2026年5月3日", [DateKind.PUBLISHED, DateKind.UPDATED]),
        ("最終更新 2026年5月3日", [DateKind.UPDATED]),
        ("发布时间：2019年3月2日", [DateKind.PUBLISHED]),
        ("This page was last edited on 3 May 2026", [DateKind.UPDATED]),
        ("Founded 28 February 1998", [DateKind.OTHER]),
        ("born 28 February 1998", [DateKind.OTHER]),
        ("3 May 2026", [DateKind.UNSAID]),
    ],
)
def test_what_stands_before_a_day_says_what_it_is_of(text: str, kinds: list[DateKind]):
    assert [day.kind for day in days_in(text)] == kinds
