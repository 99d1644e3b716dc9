"""Days as people write them, in numbers and in words, and whether a text says that they are of an update."""

# ruff: noqa: RUF001 - months are spelt in the letters of their languages

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from typing import NamedTuple

EARLIEST_YEAR, LATEST_YEAR = 1990, 2099

# A language's months from January on, each with its other forms; those that are cut off end in a stop there.
_MONTHS = {
    "en": "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug"
    " september|sep|sept october|oct november|nov december|dec",
    "de": "januar|jän|jänner|jan februar|feb|feber märz|mär|mrz april|apr mai juni|jun juli|jul august|aug"
    " september|sep|sept oktober|okt november|nov dezember|dez",
    "fr": "janvier|janv février|févr|fév mars avril|avr mai juin juillet|juil août"
    " septembre|sept octobre|oct novembre|nov décembre|déc",
    "es": "enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago"
    " septiembre|setiembre|sep|sept octubre|oct noviembre|nov diciembre|dic",
    "pt": "janeiro|jan fevereiro|fev março|mar abril|abr maio|mai junho|jun julho|jul agosto|ago"
    " setembro|set outubro|out novembro|nov dezembro|dez",
    "it": "gennaio|gen febbraio|feb marzo|mar aprile|apr maggio|mag giugno|giu luglio|lug agosto|ago"
    " settembre|set|sett ottobre|ott novembre|nov dicembre|dic",
    "nl": "januari|jan februari|feb maart|mrt april|apr mei juni|jun juli|jul augustus|aug"
    " september|sep|sept oktober|okt november|nov december|dec",
    "sv": "januari|jan februari|feb mars|mar april|apr maj juni|jun juli|jul augusti|aug"
    " september|sep|sept oktober|okt november|nov december|dec",
    "da": "januar|jan februar|feb marts|mar april|apr maj juni|jun juli|jul august|aug"
    " september|sep|sept oktober|okt november|nov december|dec",
    "no": "januar|jan februar|feb mars|mar april|apr mai juni|jun juli|jul august|aug"
    " september|sep|sept oktober|okt november|nov desember|des",
    "fi": "tammikuu|tammikuuta helmikuu|helmikuuta maaliskuu|maaliskuuta huhtikuu|huhtikuuta"
    " toukokuu|toukokuuta kesäkuu|kesäkuuta heinäkuu|heinäkuuta elokuu|elokuuta"
    " syyskuu|syyskuuta lokakuu|lokakuuta marraskuu|marraskuuta joulukuu|joulukuuta",
    "pl": "styczeń|stycznia|sty luty|lutego|lut marzec|marca kwiecień|kwietnia|kwi maj|maja"
    " czerwiec|czerwca|cze lipiec|lipca|lip sierpień|sierpnia|sie wrzesień|września|wrz"
    " październik|października|paź listopad|listopada|lis grudzień|grudnia|gru",
    "cs": "leden|ledna únor|února březen|března duben|dubna květen|května červen|června"
    " červenec|července srpen|srpna září říjen|října listopad|listopadu prosinec|prosince",
    "hu": "január|jan február|febr március|márc április|ápr május|máj június|jún július|júl"
    " augusztus|aug szeptember|szept október|okt november|nov december|dec",
    "ro": "ianuarie|ian februarie|feb martie|mar aprilie|apr mai iunie|iun iulie|iul august|aug"
    " septembrie|sept octombrie|oct noiembrie|nov decembrie|dec",
    "tr": "ocak|oca şubat|şub mart|mar nisan|nis mayıs|may haziran|haz temmuz|tem ağustos|ağu"
    " eylül|eyl ekim|eki kasım|kas aralık|ara",
    "ru": "январь|января|янв февраль|февраля|фев март|марта|мар апрель|апреля|апр май|мая"
    " июнь|июня|июн июль|июля|июл август|августа|авг сентябрь|сентября|сен|сент"
    " октябрь|октября|окт ноябрь|ноября|ноя декабрь|декабря|дек",
    "uk": "січень|січня лютий|лютого березень|березня квітень|квітня травень|травня червень|червня"
    " липень|липня серпень|серпня вересень|вересня жовтень|жовтня листопад|листопада"
    " грудень|грудня",
    "el": "ιανουάριος|ιανουαρίου φεβρουάριος|φεβρουαρίου μάρτιος|μαρτίου απρίλιος|απριλίου μάιος|μαΐου"
    " ιούνιος|ιουνίου ιούλιος|ιουλίου αύγουστος|αυγούστου σεπτέμβριος|σεπτεμβρίου"
    " οκτώβριος|οκτωβρίου νοέμβριος|νοεμβρίου δεκέμβριος|δεκεμβρίου",
    "id": "januari|jan februari|feb maret|mar april|apr mei juni|jun juli|jul agustus|agu"
    " september|sep oktober|okt november|nov desember|des",
    "ar": "يناير فبراير مارس أبريل|ابريل مايو يونيو يوليو أغسطس|اغسطس سبتمبر أكتوبر|اكتوبر نوفمبر ديسمبر",
}  # fmt: skip
# Months that are other ones in another language; only a page in that language means these.
_HR = (
    "siječanj|siječnja veljača|veljače ožujak|ožujka travanj|travnja svibanj|svibnja lipanj|lipnja"
    " srpanj|srpnja kolovoz|kolovoza rujan|rujna listopad|listopada studeni|studenoga|studenog"
    " prosinac|prosinca"
)
# The first year of a reign, less one; the years of the Republic of China.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_HAN_DIGITS = {digit: n for n, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "○": 0}
_BUDDHIST = 543


def _numbers(text: str) -> dict[str, int]:
    return {
        name: number
        for number, month in enumerate(text.split(), start=1)
        for name in month.split("|")
    }


_BY_LANGUAGE = {language: _numbers(text) for language, text in _MONTHS.items()} | {
    "hr": _numbers(_HR)
}
_ANY = {
    name: number
    for language, months in reversed(_BY_LANGUAGE.items())
    if language != "hr"
    for name, number in months.items()
}
_NAME = r"[^\W\d_]{3,13}"
_YEAR = r"(?P<{0}>(?:19|20|25)\d\d)"
_ORDINAL = r"(?:\.|er|st|nd|rd|th|º|ª)?"
_DAY = re.compile(
    r"(?<![\d./-])(?:"
    r"(?P<y1>(?:19|20)\d\d)(?P<s1>[-/.])\s?(?P<m1>\d{1,2})(?P=s1)\s?(?P<d1>\d{1,2})(?![\d/-])"
    r"|(?P<y8>(?:19|20)\d\d)(?P<m8>0\d|1[0-2])(?P<d8>[0-2]\d|3[01])(?=T\d|$)"
    r"|(?P<d2>\d{1,2})\.\s?(?P<m2>\d{1,2})\.\s?(?P<y2>(?:19|20)\d\d)(?!\.?\d)"
    r"|(?P<d3>\d{1,2})(?P<s3>[-/])(?P<m3>\d{1,2})(?P=s3)(?P<y3>(?:19|20)\d\d)(?!\d)"
    r"|(?P<era>令和|平成|昭和|民國|民国)?\s?(?P<y4>\d{1,4}|元)\s?[年년]\s?(?P<m4>\d{1,2})\s?[月월]\s?(?P<d4>\d{1,2})\s?[日일号號]"
    r"|(?P<y5>[〇零○一二三四五六七八九]{4})年(?P<m5>[一二三四五六七八九十]{1,2})月(?P<d5>[一二三四五六七八九十]{1,3})[日号號]"
    r")",
)
_WORDS = re.compile(
    rf"(?<![\w])(?:"
    rf"(?P<d6>\d{{1,2}}){_ORDINAL}\s?(?:de |of |d')?[\s-]?(?P<n6>{_NAME})\.?,?[\s-](?:de |del )?{_YEAR.format('y6')}"
    rf"|(?P<n7>{_NAME})\.?\s(?P<d7>\d{{1,2}})(?:st|nd|rd|th)?,?\s{_YEAR.format('y7')}"
    rf"|{_YEAR.format('y9')}\.?\s(?P<n9>{_NAME})\.?\s(?P<d9>\d{{1,2}})\.?"
    rf")(?!\w)"
)


# What every day has in it.
_MAY_BE_DAY = re.compile(r"(?:19|20|25)\d\d|[年년]")


class DateKind(StrEnum):
    """What of a page a day is the day of, as the words before it say."""

    PUBLISHED = "published"
    UPDATED = "updated"
    UNSAID = "unsaid"
    OTHER = "other"


class Day(NamedTuple):
    """A day in a text, with where it stands there."""

    iso: str
    start: int
    end: int
    kind: DateKind


_UPDATED = re.compile(
    r"updat|modif|revis|correct|last\s(?:edit|chang|review)|edited|aktualisiert|geändert|stand\b|bearbeitet"
    r"|mis à jour|mise à jour|màj\b|actualiza|atualiza|alterad|aggiorna|bijgewerkt|gewijzigd|uppdatera|opdater|oppdater"
    r"|päivitetty|muokattu|zaktualizowan|aktualizacj|aktualizov|frissít|обновл|изменен|оновл|ενημερώ|güncelle"
    r"|更新|最終|修正|改訂|最后|编辑|編輯|수정|업데이트|diperbarui|تحديث",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(
    r"publi[csk]|(?:story|article)\s(?:is\s)?from|posted|written|first\sappear|released|created|issued|filed|veröffentlicht|erschienen|erstellt"
    r"|publié|paru|posté|publicad|pubblicat|gepubliceerd|geplaatst|publicer|julkaistu|opublikowan|dodano|vydáno"
    r"|zveřejn|megjelen|publicat|yayın|опубликов|дата публикации|опубліков|δημοσι"
    r"|公開|掲載|投稿|発表|公布|发布|發布|发表|發表|刊登|作成|등록|입력|게시|diterbitkan|نشر",
    re.IGNORECASE,
)
# Of what a page tells, and not of the page.
_OTHER = re.compile(
    r"\b(?:born|died|founded|established|since|until|from|expires?|ends?|starts?|deadline|event|release date|copyright|accessed"
    r"|retrieved|joined|registered|geboren|gestorben|gegründet|seit|abgerufen|né|née|fondée?|nacid[oa]|fundad[oa])\b|©|生年|設立|開催|締切",
    re.IGNORECASE,
)
# Of what a page translates or quotes.
_ORIGINAL = re.compile(r"原文|\boriginal(?:fassung)?\b", re.IGNORECASE)
_LABEL_CHARACTERS = 40


def iso_of(text: str, language: str = "") -> str:
    """Return the day that a value of an attribute or a tag names, as an ISO date; empty if it names none."""
    return next((day.iso for day in days_in(text[:200], language)), "")


def days_in(text: str, language: str = "") -> Iterator[Day]:
    """Yield the days in a text with a year, in their order.

    `language` is the tag that the page declares (`en-US`); it settles the order of `3/2/2019`, and which
    months are meant. A day that may be two days is none.
    """
    # Japanese pages write digits at full width, which NFKC makes ASCII.
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if not _MAY_BE_DAY.search(text):
        return
    found = [*_DAY.finditer(text), *_WORDS.finditer(text)]
    end = 0
    for match in sorted(found, key=lambda match: match.start()):
        # Figures and words may find days that overlap: the one that begins first counts.
        if match.start() < end:
            continue
        iso = _iso(match, language.lower())
        if iso:
            yield Day(iso, match.start(), match.end(), _kind(text, end, match.start()))
            end = match.end()


def _kind(text: str, begin: int, place: int) -> DateKind:
    label = text[max(begin, place - _LABEL_CHARACTERS) : place]
    if _ORIGINAL.search(label):
        return DateKind.OTHER
    # The nearest word before a day says what it is of: "Published in March, updated 3 May 2024".
    last = max(
        (
            (match.end(), kind)
            for kind, pattern in (
                (DateKind.UPDATED, _UPDATED),
                (DateKind.PUBLISHED, _PUBLISHED),
                (DateKind.OTHER, _OTHER),
            )
            for match in pattern.finditer(label)
        ),
        default=(0, DateKind.UNSAID),
    )
    return last[1]


def kind_of_label(text: str) -> DateKind:
    """Return what a text says of a day that follows it."""
    return _kind(text, 0, len(text))


def _iso(match: re.Match[str], language: str) -> str:
    parts = {name[0]: value for name, value in match.groupdict().items() if value and name != "era"}
    if "n" in parts:
        month = _month(parts["n"], language)
        year, day = int(parts["y"]), int(parts["d"])
        # Thai pages count from the Buddha's death: 2567 is 2024.
        return _valid(year - _BUDDHIST if year > LATEST_YEAR + 1 else year, month, day)
    if match.groupdict().get("d3"):
        return _slashed(int(parts["y"]), int(parts["d"]), int(parts["m"]), language)
    if match.groupdict().get("y5"):
        year = int("".join(str(_HAN_DIGITS[digit]) for digit in parts["y"]))
        return _valid(year, _han(parts["m"]), _han(parts["d"]))
    year = 1 if parts["y"] == "元" else int(parts["y"])
    if match["era"]:
        year += _ERAS[match["era"]]
    return _valid(year, int(parts["m"]), int(parts["d"]))


def _month(name: str, language: str) -> int:
    own = _BY_LANGUAGE.get(language[:2].replace("nb", "no").replace("nn", "no"), {})
    folded = name.casefold()
    return own.get(folded) or _ANY.get(folded, 0)


def _slashed(year: int, first: int, second: int, language: str) -> str:
    """Return a day that is written in two ways, if it is told which one is meant."""
    if first > 12:
        return _valid(year, second, first)
    if second > 12 or first == second:
        return _valid(year, first, second)
    # 3/2/2019 is in March in the United States, in February elsewhere; else it is no day.
    if language in {"en-us", "en_us"}:
        return _valid(year, first, second)
    if language and language != "en":
        return _valid(year, second, first)
    return ""


def _han(text: str) -> int:
    # 二十三 is two tens and three; a ten alone stands for one of them.
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _HAN_DIGITS.get(ones, 0)
    return 10 * _HAN_DIGITS.get(tens, 0 if tens else 1) + _HAN_DIGITS.get(ones, 0)


def _valid(year: int, month: int, day: int) -> str:
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        return ""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""
