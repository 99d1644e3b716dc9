"""In which code page a text of letters is: the one that gives letters of one language, as words have them.

A code page gives letters for nearly any bytes. What tells is which: in the wrong one signs stand within words, capitals
behind small letters, and letters that no language has beside each other.
"""

# ruff: noqa: RUF001 - letters of many alphabets are what it is about

from __future__ import annotations

import re
from dataclasses import dataclass

_SIGNS = "“”„‟‘’‚«»‹›–—…•·°§€£©®™¡¿ºª½¼¾²³±×№\xa0\xad"
_RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_GREEK = "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"
# In the order of preference where several fit as well; code pages with the letters of their languages.
_LANGUAGES = (
    ("cp1252", ("äöüß", "àâæçéèêëîïôùûüœÿ", "áéíóúñü", "àèéìíîòóùú", "áàâãçéêíóôõúü", "åäöøæé",
                "áéíóúýðþæö", "éëïöüèêáóú", "àçèéíïòóúü")),
    ("cp1250", ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "čćđšž", "ăâîşţ",
                "äöüß")),
    ("iso8859-2", ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "čćđšž", "ăâîşţ")),
    ("cp1254", ("çğıöşüâîûİ",)),
    ("cp1257", ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž")),
    ("cp1251", (_RUSSIAN, "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "абвгдђежзијклљмнњопрстћуфхцчџш",
                "абвгдежзійклмнопрстуўфхцчшыьэюяё")),
    ("koi8-r", (_RUSSIAN,)),
    ("koi8-u", ("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",)),
    ("cp866", (_RUSSIAN,)),
    ("iso8859-5", (_RUSSIAN,)),
    ("mac-cyrillic", (_RUSSIAN,)),
    ("cp1253", (_GREEK,)),
    ("iso8859-7", (_GREEK,)),
    ("cp1255", ("אבגדהוזחטיךכלםמןנסעףפץצקרשת",)),
    ("mac-roman", ("àâæçéèêëîïôùûüœÿ", "äöüß", "áéíóúñü", "àèéìíîòóùú", "áàâãçéêíóôõúü", "åäöøæé")),
    ("cp850", ("äöüß", "àâæçéèêëîïôùûüœÿ", "áéíóúñü")),
    ("cp852", ("áčďéěíňóřšťúůýž", "ąćęłńóśźż", "áéíóöőúüű")),
)  # fmt: skip
# Letters that are frequent in all languages of an alphabet of its own: they stand in half of its words.
_CYRILLIC, _GREEKS, _HEBREW = map(frozenset, ("оеаинтсрвл", "αοιετσνηςάίό", "יוהלארתמבשם"))
_FREQUENT = {
    **dict.fromkeys(
        ("cp1251", "koi8-r", "koi8-u", "cp866", "iso8859-5", "mac-cyrillic"), _CYRILLIC
    ),
    **dict.fromkeys(("cp1253", "iso8859-7"), _GREEKS),
    "cp1255": _HEBREW,
}
_FREQUENT_SHARE = 0.45
_FITS_SHARE = 0.95
_SURE_SHARE = 0.999
# Enough to count letters in.
_SAMPLE_BYTES = 4096
_WORD_BYTES = re.compile(rb"[A-Za-z\x80-\xff]{1,60}")
_HIGH = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class _Fit:
    share: float
    code_page: str


def code_page_of(data: bytes) -> str:
    """Return the code page that gives letters of one language; empty where none does."""
    words = _words_with_letters(data)
    best = _Fit(0.0, "")
    for code_page, languages in _LANGUAGES:
        share = _share(words, code_page, languages)
        # A later one must fit better, and not by a single sign of a long text.
        if share > best.share and best.share < _SURE_SHARE:
            best = _Fit(share, code_page)
    return best.code_page if best.share >= _FITS_SHARE else ""


def _words_with_letters(data: bytes) -> list[bytes]:
    first = _HIGH.search(data)
    start = max(first.start() - 60, 0) if first else 0
    found = _WORD_BYTES.findall(data, start)
    words: list[bytes] = []
    size = 0
    for word in found:
        if _HIGH.search(word):
            words.append(word)
            size += len(word)
            if size > _SAMPLE_BYTES:
                break
    return words


def _share(words: list[bytes], code_page: str, languages: tuple[str, ...]) -> float:
    """Return which share of the letters beyond ASCII is right in the language that fits best."""
    try:
        texts = [word.decode(code_page) for word in words]
    except UnicodeDecodeError:
        return 0.0
    letters = [letter for text in texts for letter in text if not letter.isascii()]
    if not letters:
        return 0.0
    wrong = sum(_misplaced(text) for text in texts)
    signs = sum(letter in _SIGNS for letter in letters)
    fit = 1.0
    if of_script := _FREQUENT.get(code_page):
        frequent = sum(letter.lower() in of_script for letter in letters) / len(letters)
        if frequent < _FREQUENT_SHARE or any(map(_has_ascii_letter, texts)):
            return 0.0  # no word is in two scripts
        # Where letters of two scripts fit, those that are frequent tell.
        fit = _FITS_SHARE + (1 - _FITS_SHARE) * frequent
    best = max(
        sum(letter in language or letter.lower() in language for letter in letters)
        for language in map(frozenset, languages)
    )
    # Text of signs alone is a text of none of the languages more than of another.
    return fit * (best + signs - wrong) / len(letters)


def _has_ascii_letter(word: str) -> bool:
    return any(letter.isascii() and letter.isalpha() for letter in word)


def _misplaced(word: str) -> int:
    """Return how many letters of a word stand where none of their kind does."""
    wrong = 0
    for n, letter in enumerate(word):
        before = word[n - 1] if n else ""
        after = word[n + 1 : n + 2]
        if letter.isascii():
            wrong += before.islower() and not before.isascii() and letter.isupper()
        elif letter in _SIGNS:
            # Quotation marks and dashes may stand between words, an apostrophe within one.
            wrong += letter not in "’‘–—\xad" and before.isalpha() and after.isalpha()
        else:
            wrong += letter.isupper() and before.islower()
    return wrong
