"""Text as people read it: how long it is, characters that nobody sees, control tokens of chat templates,
and numbers of list items."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from askance.domain.patterns import lazy_re

# A Chinese or Japanese word has about two characters.
CHARACTERS_PER_WORD = 2
LONG_WORD = 12
_WORD = lazy_re(r"[^\W_]++(?:['’\-][^\W_]++|)*+")
HAN_AND_KANA = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of scripts without spaces between words, as they stand in a class of a regular expression."""
_UNSPACED = lazy_re(f"[{HAN_AND_KANA}]")

# Scripts in which a joiner changes the letters: Arabic and its kin, the Indic scripts, Tibetan,
# Myanmar, Khmer, Mongolian.
_JOINING = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefe"
# Pictures that a joiner makes one of: a family, a profession. What chooses their colour has gone before.
_PICTURES = "\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_LONE_JOINER = lazy_re(
    f"(?!(?<=[{_PICTURES}])\u200d[{_PICTURES}])"
    f"(?:(?<![{_JOINING}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINING}]))"
)
INVISIBLE_CHARACTERS = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, selectors
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width, direction marks and overrides
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff"  # lone surrogates: no text, and no encoder takes them
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # tags spell hidden ASCII
)
"""Those that no script needs, as they stand in a class of a regular expression."""
_INVISIBLE = lazy_re(f"[{INVISIBLE_CHARACTERS}]")
_LINE_ENDS = lazy_re("\r\n?|[\x0b\x0c\x85\u2028\u2029]")

# What compatibility forms and invisible characters become in a normaliser that comes later must not
# turn into a token there: `\uff1c` is `<` to some of them, and a zero width space is nothing.
_UNSEEN = f"(?:[{INVISIBLE_CHARACTERS}\u200c\u200d])*+"
_LESS, _MORE, _BAR = "<\uff1c\ufe64", ">\uff1e\ufe65", "|\uff5c"
_OPEN, _SHUT = r"\[\uff3b", r"\]\uff3d"
_SUSPECT = lazy_re(
    rf"[{_LESS}{_OPEN}]{_UNSEEN}(?=[{_BAR}])"  # <|im_end|>, [|user|], with wide bars too
    rf"|[{_OPEN}{_SHUT}](?=[!be]{{0,2}}~|<[{_SHUT}])"  # ]~b], [e~[
    rf"|[{_LESS}](?={_UNSEEN}/?(?P<tag>[^{_LESS}{_MORE}\s/]++)[{_MORE}])"  # <s>, </think>, <turn|>
    rf"|[{_OPEN}](?={_UNSEEN}/?(?P<word>[^{_OPEN}{_SHUT}\s/]++)[{_SHUT}])"  # [INST], [/INST]
    r"|>(?=>[A-Z]{3,20}<<)"  # >>QUESTION<<
    r"|#(?=# {0,2}(?:system|instructions?|input|response|user|assistant|human) {0,2}:)",
    re.IGNORECASE,
)
_NAME = lazy_re(r"[\w\u2581:|\uff5c-]+")
_NUMBERED = lazy_re(r"(?:unused|reserved|special|control|extra_id|0x)_?-?[0-9a-f]{1,6}")
# Angle brackets hold much that is no token: elements of HTML, types in a program, addresses.
_TAG_NAMES = """
s bos eos pad unk mask sep cls sop eop eod eot eom eoh eoa sys inst system user assistant human bot model
developer tool tools toolcall think thinking thought reasoning reflection answer image img video audio box
ref quad patch prefix middle suffix reponame filename commit role ai 用户
"""
_TAGS = frozenset(_TAG_NAMES.split())
# Square brackets in capitals do too, but a space costs those nothing: all of them are broken.
_CAPITALS = lazy_re(r"[A-Z][A-Z0-9_]{2,}")
_WORDS = frozenset({"gmask", "smask", "multimodal", "@bos@"})


def count_words(text: str) -> int:
    """Return the number of words; in scripts without spaces, half the number of characters."""
    if text.isascii():
        return len(_WORD.findall(text))
    spaced, characters = _UNSPACED.subn(" ", text)
    return len(_WORD.findall(spaced)) + (characters + 1) // CHARACTERS_PER_WORD


def has_words(text: str, least: int) -> bool:
    """Whether a text has at least so many words; of a long one only the beginning is counted."""
    begin = text[: LONG_WORD * least]
    return count_words(begin) >= least or (len(begin) < len(text) and count_words(text) >= least)


def word_counts(text: str) -> Counter[str]:
    """Return how often each word stands in a text, whatever its case."""
    return Counter(_WORD.findall(text.casefold()))


def is_plain(text: str) -> bool:
    """Whether a text is of visible ASCII, spaces and line feeds."""
    return text.isascii() and text.replace("\n", "").isprintable()


def strip_invisible(text: str) -> str:
    """Return the text without invisible characters, its line ends as `\\n`.

    Joiners stay between letters of a script that needs them.
    """
    # Fillers and variation selectors are printable for Python: only ASCII surely has none.
    if is_plain(text):
        return text
    if text.isprintable():
        return _LONE_JOINER.sub("", _INVISIBLE.sub("", text))
    return _LONE_JOINER.sub("", _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text)))


def break_control_tokens(text: str) -> str:
    """Return a text in which no control token of a chat template is left.

    A server that reads a prompt looks for these strings in all of it, wherever they came from. They
    are told by their shape, so that those of a template that nobody thought of are found too, and
    broken by a space behind their first character: `< |im_end|>`, `[ INST]`. A person still reads
    them.

    A text without them comes back as it is; one that was broken is not broken again.
    """
    return _SUSPECT.sub(_broken, text)


def _broken(match: re.Match[str]) -> str:
    tag, word = match["tag"], match["word"]
    if (tag is not None and not _is_tag(tag)) or (word is not None and not _is_word(word)):
        return match.group()
    return f"{match.group()} "


def _is_tag(name: str) -> bool:
    bare = _plain(name)
    if _NAME.fullmatch(bare) is None:
        return False
    lowered = bare.lower()
    return (
        not {"_", "\u2581", "|"}.isdisjoint(lowered)
        or lowered in _TAGS
        or lowered.startswith("seed:")
        or _NUMBERED.fullmatch(lowered) is not None
    )


def _is_word(name: str) -> bool:
    bare = _plain(name)
    lowered = bare.lower()
    return (
        _CAPITALS.fullmatch(bare) is not None
        or lowered in _WORDS
        or _NUMBERED.fullmatch(lowered) is not None
    )


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", strip_invisible(name))


BULLET = "-"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
# Alphabets of lists by their names in Word.
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_AIUEO = (
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
)
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_CIRCLES = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟㊱㊲㊳㊴㊵㊶㊷㊸㊹㊺㊻㊼㊽㊾㊿"
_ALPHABETS = {
    "russianLower": _RUSSIAN, "russianUpper": _RUSSIAN.upper(), "aiueo": _AIUEO, "aiueoFullWidth": _AIUEO, "iroha": _IROHA,
    "irohaFullWidth": _IROHA, "decimalEnclosedCircle": _CIRCLES, "decimalEnclosedCircleChinese": _CIRCLES,
    "thaiLetters": "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ", "hebrew1": "אבגדהוזחטי", "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي", "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ",
    "ganada": "가나다라마바사아자차카타파하", "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ", "ideographDigital": "一二三四五六七八九",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸", "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
}  # fmt: skip
# Of the larger Chinese numbers there are several ways to write them.
_CHINESE = frozenset({
    "chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting", "taiwaneseCountingThousand",
})  # fmt: skip
_CHINESE_DIGITS = "一二三四五六七八九"
_CHINESE_HUNDRED = 100
# From here on Roman numerals would need a sign for 5,000.
_MOST_ROMAN = 4_000
_LETTERS = 26
_MOST_TIMES = 10


def written_number(kind: str, count: int) -> str:
    """Return a number as a list of a kind writes it, by the names of Word or HTML; empty for a list without numbers."""
    match kind:
        case "lowerLetter" | "a":
            return _lettered(count)
        case "upperLetter" | "A":
            return _lettered(count).upper()
        case "lowerRoman" | "i":
            return _roman(count)
        case "upperRoman" | "I":
            return _roman(count).upper()
        case "decimalZero":
            return f"{count:02}"
        case "bullet" | "none" | "":
            return ""
        case kind if 0 < count <= len(_ALPHABETS.get(kind, "")):
            return _ALPHABETS[kind][count - 1]
        case kind if kind in _CHINESE and 0 < count < _CHINESE_HUNDRED:
            tens, ones = divmod(count, 10)
            ten = f"{_CHINESE_DIGITS[tens - 1] if tens > 1 else ''}十" if tens else ""
            return ten + (_CHINESE_DIGITS[ones - 1] if ones else "")
        case _:
            return str(count)


def _lettered(count: int) -> str:
    """Return a, b, … z, aa, bb, as Word counts."""
    times, letter = divmod(max(count, 1) - 1, _LETTERS)
    # A file may let a list begin at a million, which would be thousands of letters.
    return chr(ord("a") + letter) * min(times + 1, _MOST_TIMES)


def _roman(count: int) -> str:
    if not 0 < count < _MOST_ROMAN:
        return str(count)
    parts: list[str] = []
    for value, letters in _ROMAN:
        times, count = divmod(count, value)
        parts.append(letters * times)
    return "".join(parts)
