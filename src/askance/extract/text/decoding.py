"""What a page's bytes are, and from bytes to text, where neither the header nor the page can be trusted."""

# ruff: noqa: RUF001 - letters of many alphabets are what it is about

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from enum import StrEnum

from charset_normalizer import from_bytes


class DecodingKind(StrEnum):
    """How bytes are to be read."""

    HTML = "html"
    PDF = "pdf"
    MARKDOWN = "markdown"
    PLAIN = "plain"
    SOURCE = "source"
    DOCX = "docx"
    ODT = "odt"
    EPUB = "epub"
    PPTX = "pptx"
    XLSX = "xlsx"
    ODS = "ods"
    ODP = "odp"
    RTF = "rtf"
    FB2 = "fb2"
    NOTEBOOK = "ipynb"
    MAIL = "mail"
    DOC = "doc"
    PPT = "ppt"
    XLS = "xls"
    MSG = "msg"
    CALENDAR = "ics"
    CONTACTS = "vcf"
    BOOKMARKS = "bookmarks"
    BINARY = "binary"


_SNIFFED_BYTES = 1024
# `; first=400`, with which the library asks for the next part of a long file.
_FIRST = re.compile(r";\s?first=(\d{1,9})")
_BEFORE = re.compile(r";\s?before=(\d{1,9})")
# PDF readers accept the mark anywhere in the first kilobyte, and some servers put junk before it.
_PDF = b"%PDF-"
PDF_OBJECT = re.compile(rb"(?<!\d)(\d{1,8})[\s\0]{1,4}(\d{1,5})[\s\0]{1,4}obj(?![A-Za-z])")
"""The beginning of an object of a PDF file: `12 0 obj`."""
_OLE = b"\xd0\xcf\x11\xe0"
# The beginnings of pictures, archives, sound, films, programs, fonts, databases, PostScript, RTF.
_BINARY = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b",
    b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"ID3",
    b"OggS", b"fLaC", b"\x00\x00\x01\x00", b"\x1a\x45\xdf\xa3", b"wOFF", b"wOF2", b"\x00asm",
    _OLE, b"SQLite format 3", b"%!PS", b"{\\rtf", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HTML = re.compile(rb"<(?:!doctype html|html|head|body|title|meta|script|div|p|h1|article|table)\b",
                   re.IGNORECASE)  # fmt: skip
_TEXT_TYPES = {
    "text/plain": DecodingKind.PLAIN,
    "text/csv": DecodingKind.PLAIN,
    "text/markdown": DecodingKind.MARKDOWN,
    "text/x-markdown": DecodingKind.MARKDOWN,
    "text/x-source": DecodingKind.SOURCE,
    "text/x-bookmarks": DecodingKind.BOOKMARKS,
}
_ARCHIVES = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": DecodingKind.DOCX,
    "application/vnd.oasis.opendocument.text": DecodingKind.ODT,
    "application/epub+zip": DecodingKind.EPUB,
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": DecodingKind.PPTX,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": DecodingKind.XLSX,
    "application/vnd.oasis.opendocument.spreadsheet": DecodingKind.ODS,
    "application/vnd.oasis.opendocument.presentation": DecodingKind.ODP,
}
# What files of some kinds begin with, behind white space.
_BEGINNINGS = {
    "application/rtf": (DecodingKind.RTF, b"{\\rtf"),
    "application/x-fictionbook+xml": (DecodingKind.FB2, b"<"),
    "application/x-ipynb+json": (DecodingKind.NOTEBOOK, b"{"),
    "text/calendar": (DecodingKind.CALENDAR, b"BEGIN:VCALENDAR"),
    "text/vcard": (DecodingKind.CONTACTS, b"BEGIN:VCARD"),
}
# What files in a container of OLE are, and those of the same name that are archives.
_OLE_TYPES = {
    "application/msword": (DecodingKind.DOC, DecodingKind.DOCX),
    "application/vnd.ms-powerpoint": (DecodingKind.PPT, DecodingKind.PPTX),
    "application/vnd.ms-excel": (DecodingKind.XLS, DecodingKind.XLSX),
    "application/vnd.ms-outlook": (DecodingKind.MSG, DecodingKind.BINARY),
}
_ARCHIVE = b"PK\x03\x04"
_PDF_TYPE = "application/pdf"
_MAILS = frozenset({"message/rfc822", "multipart/related"})
# In UTF-16, markup and Western text have an empty byte in every character; other scripts have none of those.
WIDE_SHARE = 0.3
# Control bytes that no encoding of text uses; a few come from damage, many from a binary. Backspaces print bold letters.
_CONTROL = bytes({*range(0x20)} - {0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})
CONTROL_SHARE = 0.01
# So many strayed into a text, however short it is.
STRAY_CONTROLS = 2
# Signatures that are words: a text may begin with them.
_WORDS = (b"GIF8", b"RIFF", b"BZh", b"Rar!", b"MZ", b"ID3", b"OggS", b"fLaC", b"wOFF", b"wOF2",
          b"SQLite format 3")  # fmt: skip

# In a page, or in the declaration that a file of XML begins with.
_DECLARED = re.compile(
    rb"""(?:charset|<\?xml\s[^>]{0,100}encoding)\s{0,20}=\s{0,20}["']?\s{0,20}([A-Za-z0-9_:.\-]+)""",
    re.IGNORECASE,
)
_IN_HEADER = re.compile(
    r"""charset\s{0,20}=\s{0,20}["']?\s{0,20}([A-Za-z0-9_:.\-]+)""", re.IGNORECASE
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Browsers read these labels as the larger set that pages really use (WHATWG Encoding, 4.2).
_READ_AS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
    "big5": "cp950",
    "euc_jp": "euc_jis_2004",
}
# Labels of code pages that Python has under their numbers alone.
_ALIAS = re.compile(r"^(?:windows|dos|ms|ibm)-?(\d{3,5})$")
# Other labels that browsers and mail programs know (WHATWG Encoding, 4.2) and Python does not.
_OTHER_LABELS = {
    "windows-31j": "cp932", "gb-2312": "gbk", "gb_2312-80": "gbk", "csgb2312": "gbk", "x-x-big5": "big5",
    "iso-ir-149": "cp949", "ks_c_5601-1989": "cp949", "korean": "cp949", "sun_eu_greek": "iso8859-7",
}  # fmt: skip
# Codecs of names and of source code; that of domain names takes time quadratic in the length of a text.
_NO_CHARSETS = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"})
# How far into a page browsers look for a declaration is 1,024 bytes; pages with long comments at
# their head are common enough to look further.
DECLARATION_BYTES = 4096
# UTF-8 with one broken byte among so many good sequences is UTF-8 that was cut or pasted into.
BROKEN_SHARE = 0.02
# In Western text an accented letter stands alone between plain ones; in other scripts such bytes
# stand in runs.
WESTERN_RUN_SHARE = 0.5
# Fewer bytes may mean anything in the scripts whose letters take several.
FEW_LETTERS = 12
_HIGH = re.compile(rb"[\x80-\xff]")
# Escapes that change to Japanese letters.
_ISO_2022_JP = re.compile(rb"\x1b(?:\$(?:[B@]|\([DOPQ])|\(I)")
_JAPANESE_ESCAPE = re.compile(rb"\x1b(\$[B@]|\([BIJ])")
_JAPANESE_LETTER = re.compile(rb"[!-~]{2}")
_C1 = re.compile(rb"[\x80-\x9f]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]{2,}")
# Enough for the detector to count letters in, little enough for it to take some milliseconds.
SAMPLE_BYTES = 8192


def kind_of(data: bytes, content_type: str) -> DecodingKind:
    """Return what the bytes are: their signature is believed before the header is."""
    start = data[:_SNIFFED_BYTES]
    media_type = content_type.partition(";")[0].strip().lower()
    if _TEXT_TYPES.get(media_type) is DecodingKind.SOURCE and not _is_binary(start):
        return DecodingKind.SOURCE  # code may well speak of a mark
    if known := _kind_of_file(media_type, start):
        return known
    if media_type in _OLE_TYPES:  # a text under such a name, which Office opens as what it is
        media_type = "text/html" if _HTML.search(start) else "text/plain"
    if media_type in _MAILS:
        return DecodingKind.MAIL
    if _is_pdf(data, media_type):
        return DecodingKind.PDF
    if media_type in _TEXT_TYPES and b"\0" in start and _is_holed(data):
        start = data.translate(None, b"\0")[:_SNIFFED_BYTES]
    if _is_binary(start) or media_type == _PDF_TYPE:
        return DecodingKind.BINARY
    if media_type.startswith("text/x-") and not _HTML.search(start):
        return _TEXT_TYPES.get(media_type, DecodingKind.PLAIN)  # the code of some language
    return _TEXT_TYPES.get(media_type, DecodingKind.HTML)


def _kind_of_file(media_type: str, start: bytes) -> DecodingKind | None:
    """Return what a file is whose type says what it begins with; None for one that may hold anything."""
    plain, is_archive = _plain_start(start), start.startswith(_ARCHIVE)
    if media_type in _ARCHIVES:
        return _ARCHIVES[media_type] if is_archive else DecodingKind.BINARY
    if known := _BEGINNINGS.get(media_type):
        return known[0] if plain.upper().startswith(known[1].upper()) else DecodingKind.BINARY
    if kinds := _OLE_TYPES.get(media_type):
        if is_archive or is_ole(start):
            return kinds[is_archive]
        return DecodingKind.RTF if plain.startswith(b"{\\rtf") else None
    return None


def _plain_start(start: bytes) -> bytes:
    """Return what a text begins with, without marks and white space."""
    if start.startswith(_WIDE_MARKS):
        start = start[2:].translate(None, b"\0")
    return start.removeprefix(codecs.BOM_UTF8).lstrip()


def _is_pdf(data: bytes, media_type: str) -> bool:
    start = data[:_SNIFFED_BYTES]
    if media_type == _PDF_TYPE and PDF_OBJECT.search(start):
        return True  # its first line is gone
    if start.lstrip().startswith(_PDF):
        return True
    # A page or a note about PDF files may quote the mark.
    if _PDF not in start or _HTML.search(start[: start.index(_PDF)]):
        return False
    return media_type not in _TEXT_TYPES or bool(PDF_OBJECT.search(data, 0, DECLARATION_BYTES))


def first_of(content_type: str) -> int | None:
    """Return how many pages, chapters, characters … are to be passed over; None for a file as a whole."""
    asked = _FIRST.search(content_type)
    return int(asked[1]) if asked else None


def before_of(content_type: str) -> int | None:
    """Return before which page a part of a file ends at the latest; None where its length alone decides."""
    asked = _BEFORE.search(content_type)
    return int(asked[1]) if asked else None


def format_name(content_type: str) -> str:
    """Return what people call a file of a content type that says what its bytes begin with; empty for others."""
    media_type = content_type.partition(";")[0].strip().lower()
    known = {
        **_ARCHIVES,
        _PDF_TYPE: DecodingKind.PDF,
        **{name: kind for name, (kind, _) in (*_BEGINNINGS.items(), *_OLE_TYPES.items())},
    }
    return str(known.get(media_type, "")).upper()


def is_ole(data: bytes) -> bool:
    """Whether a file is a container of OLE: what Word wrote before 2007, and what it encrypts."""
    return data.startswith(_OLE)


def decode_text(data: bytes, content_type: str) -> str:
    """Return the text of a page: by its byte order mark, as UTF-8, as declared, or as guessed."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    if name := _wide_codec(data):
        return data.decode(name, "replace")
    # Before UTF-8, as which it would pass: all of its bytes are ASCII.
    if _ISO_2022_JP.search(data, 0, DECLARATION_BYTES):
        return iso_2022_jp(data)
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8")
    # Before what is declared: a text of another encoding is hardly ever UTF-8 by chance.
    if _mostly_utf8(data):
        return data.decode("utf-8", "replace")
    for name in _declared(data, content_type):
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    return data.decode(_guess(data), "replace")


def iso_2022_jp(data: bytes) -> str:
    """Return a text in ISO-2022-JP, as which Windows and telephones write more letters than the standard has: "①", "髙"."""
    with suppress(UnicodeDecodeError):
        return data.decode("iso2022_jp_ext")
    # Shift JIS has those letters in the same places of its rows.
    plain, *parts = _JAPANESE_ESCAPE.split(data)
    for escape, part in zip(parts[::2], parts[1::2], strict=True):
        if escape.startswith(b"$"):
            plain += _JAPANESE_LETTER.sub(_in_shift_jis, part)
        else:
            plain += bytes(byte | 0x80 for byte in part) if escape == b"(I" else part
    return plain.decode("cp932", "replace")


def _in_shift_jis(letter: re.Match[bytes]) -> bytes:
    row, cell = letter[0]
    upper = (row - 0x21 >> 1) + (0x81 if row < 0x5F else 0xC1)
    # Two rows share an upper byte; 0x7F is no lower one.
    lower = cell + (0x7E if row % 2 == 0 else 0x1F if cell < 0x60 else 0x20)
    return bytes((upper, lower))


def divisible(data: bytes) -> tuple[bytes, str]:
    """Return a text of which each part can be read by itself, and its code page, where its bytes tell that.

    UTF-16 becomes UTF-8: only its beginning says what it is.
    """
    mark = next((name for mark, name in _MARKS[1:] if data.startswith(mark)), "")
    if name := mark or _wide_codec(data):
        return data.decode(name, "replace").removeprefix("\ufeff").encode(), ""
    if b"\0" in data and _is_holed(data):
        data = data.translate(None, b"\0")
    with suppress(UnicodeDecodeError):
        data.decode("utf-8")
        return data, ""
    eastern, share = _eastern_code_page(data)
    return data, eastern if share > _SURE_EASTERN_SHARE else code_page_of(data)


def _wide_codec(data: bytes) -> str:
    """Return the codec of a page in UTF-16 that has no mark of it; empty for another text."""
    start = data[:_SNIFFED_BYTES]
    start = start[: len(start) // 2 * 2]
    if b"\0" not in start or start.startswith((*_WIDE_MARKS, *_BINARY)):
        return ""
    for name, upper, lower in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        # Of all letters up to U+00FF the upper byte is a zero, and never the lower one.
        zeros, others = start[upper::2].count(0), start[lower::2].count(0)
        if not others and zeros >= WIDE_SHARE * len(start) / 2:
            text = start.decode(name, "ignore")
            # Numbers in a binary have zeros in every second place, too, but make no text.
            if text.lstrip()[:1] == "<" or "".join(text.split()).isprintable():
                return name
    return ""


def _is_holed(data: bytes) -> bool:
    """Whether a text has zeros in it, as a log has that was being written when the power failed."""
    try:
        text = data.translate(None, b"\0").decode("utf-8")
    except UnicodeDecodeError:
        return False
    return bool(text) and not _wide_codec(data)


def _is_binary(start: bytes) -> bool:
    if start.startswith(_WIDE_MARKS) or _wide_codec(start):
        return False
    controls = len(start) - len(start.translate(None, _CONTROL))
    begin = start.lstrip()
    # A text may begin with "BZh" or "MZ"; what really is such a file has control bytes near it.
    if begin.startswith(_BINARY) and (controls or not begin.startswith(_WORDS)):
        return True
    return controls > max(STRAY_CONTROLS, CONTROL_SHARE * len(start))


def _mostly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    good = len(text) - len(text.encode("ascii", "ignore")) - broken
    return broken <= BROKEN_SHARE * good


def _declared(data: bytes, content_type: str) -> list[str]:
    """Return the codecs named by the header, then by the page. UTF-8 was ruled out before."""
    labels = _IN_HEADER.findall(content_type)
    labels += [label.decode("ascii") for label in _DECLARED.findall(data[:DECLARATION_BYTES])]
    names: list[str] = []
    for label in labels:
        name = text_codec(label)
        # What could be read byte by byte is not in UTF-16; browsers take it for UTF-8 (HTML
        # standard, 13.2.3.2), which has been ruled out.
        if name and name not in {"utf-8", "utf-16", "utf-16-le", "utf-16-be"}:
            names.append(name)
    return names


def text_codec(label: str) -> str:
    """Return the codec that a text is declared to be in, as browsers read the label; empty for one of no text."""
    # Python knows `windows-1251`, but `x-windows-1252` and `dos-866` as `cp1252` and `cp866` alone.
    known = _OTHER_LABELS.get(label.lower(), label)
    for name in (known, _ALIAS.sub(r"cp\1", known.lower().removeprefix("x-"))):
        try:
            # Codecs that make no text of bytes, such as `zlib`, are not decoded with.
            b"a".decode(name or "?", "ignore")
            codec = codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
        return "" if codec in _NO_CHARSETS else _READ_AS.get(codec, codec)
    return ""


def _guess(data: bytes) -> str:
    eastern, share = _eastern_code_page(data)
    if share > _SURE_EASTERN_SHARE:
        return eastern
    if found := code_page_of(data) or eastern:
        # Western letters with a sign for the euro, in place of one for any currency that nobody writes.
        is_latin_9 = found == "cp1252" and b"\xa4" in data and not _C1.search(data)
        return "iso8859-15" if is_latin_9 else found
    high = len(_HIGH.findall(data))
    in_runs = sum(map(len, _HIGH_RUN.findall(data)))
    # The detector takes two letters beside each other, as in "größte", for Arabic. So it is asked
    # only where letters stand in runs.
    if in_runs < WESTERN_RUN_SHARE * high or high < FEW_LETTERS:
        return "cp1252"
    # What stands before is ASCII, which is the same in all code pages.
    first = next(_HIGH.finditer(data)).start()
    best = from_bytes(data[first : first + SAMPLE_BYTES]).best()
    # UTF-16 was ruled out by its zeros.
    return best.encoding if best and not best.encoding.startswith("utf_") else "cp1252"


# Texts of Chinese, Japanese and Korean: their code pages give characters for nearly any bytes, and only the right one frequent ones.

_EASTERN = ("cp932", "gb18030", "cp950", "cp949", "euc_jp")
# Frequent in texts, lists and addresses: Kana, Chinese characters in their old, new and Japanese forms, Hangul.
_FREQUENT_EASTERN = frozenset(
    "ぁあいうえおかがきぎくぐけげこごさざしじすずせぜそぞただちっつづてでとどなにぬねのはばひびふぶへべほぼまみむめもゃやゅゆょよらりるれろわをん"
    "ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロワンヴー"
    "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于着著下自之年过過发發后後作里裡用道行所然家种種事"
    "成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心她本前开開但因只从從想实實日军軍者意无無力它与與长長把机機十民"
    "第公此已工使情明性知全三又关關点點正业業外将將两兩高间間由问問很最重并物手应應战戰向头頭文体體政美相见見被利什二等产產或新己制身果加西斯月话話合回"
    "特代内內信表化老给給世位次度门門任常先海通教儿兒原东東声聲提立及比员員解水名真论論处處走义義各入几幾口认認条條平系气氣题題活尔爾更别別打女变變四神"
    "总總何电電数數安少报報才结結反受目太量再感建务務做接必场場件计計管期市直德资資命山金指克许許统統区區保至队隊形社便空决決治展马馬科司五基眼书書非则則"
    "听聽白却卻界达達光放强強即像难難且权權思王象完设設式色路记記南品住告类類求据程北边邊死张張该該交规規万萬取拉格望觉覺术術领領共确確传傳师師观觀清今切院"
    "让讓识識候带帶导導争爭运運笔筆陈陳李刘劉杨楊黄黃赵趙周吴吳徐孙孫朱林郭何罗羅郑鄭梁谢謝宋唐姓龄齡歲岁城京州广廣江河湖省县縣村镇鎮街号號室楼樓元价價格单單称稱备備注註编編号联聯"
    "系邮郵箱址男女付款额額合计計销銷售购購货貨订訂户戶银銀行帐賬账请請您谢謝收件寄送料议議前准备佐藤田村山川中井木野崎本橋高伊渡辺斎松清池石森岡阪府県町駅円税込請求書御様株式社員氏髙淳古屋"
    "歳番電話在庫注文発売価営業報告確認願致会議室午後前週末曜火土英子美郎香港台灣湾深圳武汉漢苏蘇伟偉丽麗芳娜敏静靜强磊军洋勇艳艷杰娟涛濤明超秀兰蘭霞高雄新竹區鄉里弄巷"
    "이다의는에을가하고지를도기한은로서자사어리시그나해대인정아스일수부들있보제과게라전으상조장성주여구것원안드공만와학경우관진국계회동소유치문신러면세생적마연교모발체선미거위비당양용"
    "분물무간방같재실단행였없화전되개요요구영작금의업내결차통민속법식오품호설호직입명배말천내날김박최강윤임권황송류홍심노곽남허길름령도울산북남충청광역별합매출받확번등록처원월년감하세"
)
_EASTERN_RUN = re.compile("([A-Za-z]?)([\u3041-\u30fe\u3400-\u9fff\uac00-\ud7a3]+)(?=([A-Za-z]?))")
# What such a text has beside them: spaces, punctuation and letters of its own width. All else is a sign of another one.
_NOT_EASTERN = re.compile("[\x80-\u2fff\ud7a4-\ufeff\uff61-\uffff]")
_EASTERN_SHARE, _SURE_EASTERN_SHARE = 0.4, 0.7
_FEWEST_CHARACTERS, _LONG_RUN = 2, 3


def _eastern_code_page(data: bytes) -> tuple[str, float]:
    """Return the code page of Chinese, Japanese or Korean that gives frequent characters, and their share; empty if none does."""
    first = _HIGH.search(data)
    sample = data[first.start() : first.start() + SAMPLE_BYTES] if first else b""
    best, found = _EASTERN_SHARE, ""
    for name in _EASTERN:
        try:
            text = codecs.getincrementaldecoder(name)().decode(sample)
        except UnicodeDecodeError:
            continue
        runs = _EASTERN_RUN.findall(text)
        characters = sum(len(run) for _, run, _ in runs)
        # In a Western text they would be letters with an accent and what stands behind these, within words.
        frequent = sum(
            letter in _FREQUENT_EASTERN
            for before, run, behind in runs
            if len(run) >= _LONG_RUN or not (before or behind)
            for letter in run
        )
        share = frequent / (characters + len(_NOT_EASTERN.findall(text)) or 1)
        if share > best and characters >= _FEWEST_CHARACTERS:
            best, found = share, name
    return found, best


# In which code page a text of letters is: the one that gives letters of one language, as words have them.
#
# A code page gives letters for nearly any bytes. What tells is which: in the wrong one signs stand within words, capitals
# behind small letters, and letters that no language has beside each other.

_SIGNS = "“”„‟‘’‚«»‹›–—…•·°§€£©®™¡¿ºª½¼¾²³±×№¤\xa0\xad"
_RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_GREEK = "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"
_ARABIC = (
    "ءآأؤإئابةتثجحخدذرزسشصضطظعغـفقكلمنهوىيپچژگکی\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"
)
_FRENCH, _TURKISH = "àâæçéèêëîïôùûüœÿ", "çğıöşüâîûİ"
# A text in these languages that has many letters beyond ASCII has one of these: Latvian ones might be letters of both.
_NEEDED, _MANY_LETTERS = {_FRENCH: "éèà", _TURKISH: "ışğ"}, 6
# In the order of preference where several fit as well; code pages with the letters of their languages.
_LANGUAGES = (
    ("cp1252", ("äöüß", _FRENCH, "áéíóúñü", "àèéìíîòóùú", "áàâãçéêíóôúü", "åäöøæé",
                "äõöüôšž", "áéíóúýðþæö", "éëïöüèêáóú", "àçèéíïòóúü")),
    ("cp1250", ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "čćđšž", "ăâîşţ",
                "äöüß")),
    ("iso8859-2", ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "čćđšž", "ăâîşţ")),
    ("cp1254", (_TURKISH,)),
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
    ("cp874", ("".join(map(chr, range(0x0E01, 0x0E5C))),)),
    ("cp1256", (_ARABIC,)),
    ("iso8859-6", (_ARABIC,)),
    ("mac-roman", (_FRENCH, "äöüß", "áéíóúñü", "àèéìíîòóùú", "áàâãçéêíóôõúü", "åäöøæé")),
    ("cp850", ("äöüß", _FRENCH, "áéíóúñü", "áàâãçéêíóôúü", "åäöøæé")),
    ("cp852", ("áčďéěíňóřšťúůýž", "ąćęłńóśźż", "áéíóöőúüű")),
)  # fmt: skip
# Letters that are frequent in all languages of an alphabet of its own: they stand in half of its words.
_CYRILLIC, _GREEKS, _HEBREW = map(frozenset, ("оеаинтсрвлі", "αοιετσνηςάίό", "יוהלארתמבשם"))
_THAI, _ARABIC_FREQUENT = map(frozenset, ("านรอกเง่มยลวดทส้ัตีิปคบชะ", "اليمونرتبةعدسهفأکی"))
_FREQUENT = {
    **dict.fromkeys(
        ("cp1251", "koi8-r", "koi8-u", "cp866", "iso8859-5", "mac-cyrillic"), _CYRILLIC
    ),
    **dict.fromkeys(("cp1253", "iso8859-7"), _GREEKS),
    "cp1255": _HEBREW,
    "cp874": _THAI,
    **dict.fromkeys(("cp1256", "iso8859-6"), _ARABIC_FREQUENT),
}
_FREQUENT_SHARE = 0.45
_FITS_SHARE = 0.95
_ABBREVIATED = 2
_SURE_SHARE = 0.999
# Enough to count letters in.
_SAMPLE_BYTES = 4096
_WORD_BYTES = re.compile(rb"[A-Za-z\x80-\xff]{1,60}")


def code_page_of(data: bytes) -> str:
    """Return the code page that gives letters of one language; empty where none does."""
    words = _words_with_letters(data)
    best, found = 0.0, ""
    for code_page, languages in _LANGUAGES:
        share = _share(words, code_page, languages)
        # A later one must fit better, and not by a single sign of a long text.
        if share > best and best < _SURE_SHARE:
            best, found = share, code_page
    return found if best >= _FITS_SHARE else ""


def _words_with_letters(data: bytes) -> list[bytes]:
    first = _HIGH.search(data)
    # The word of the first letter may begin so many bytes before it: `_WORD_BYTES`.
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
        # A byte that a code page does not have is in none of its texts.
        # In Portuguese an õ stands before an e alone, so that it tells nothing there.
        texts = [word.decode(code_page).replace("õe", "ôe") for word in words]
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
    held = {letter.lower() for letter in letters}
    best = max(
        (
            sum(letter in language or letter.lower() in language for letter in letters)
            for language in languages
            if len(letters) < _MANY_LETTERS or not held.isdisjoint(_NEEDED.get(language, held))
        ),
        default=0,
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
            # Quotation marks, dashes and spaces may stand between words, an apostrophe within one.
            is_within = letter not in "’‘–—×·\xa0\xad" and before.isalpha() and after.isalpha()
            wrong += is_within or _is_letter(letter, word[:n], word[n + 1 :])
        elif letter in "þÞ":
            wrong += not after or after.lower() not in "aeiouyáéíóúýæörjv"
        elif letter in "ðÐ":
            wrong += not before
        else:
            wrong += (letter.isupper() and before.islower()) or (letter == "õ" and not after)
    return wrong


def _is_letter(sign: str, before: str, after: str) -> bool:
    """Whether a sign at the edge of a word is none there: "£ukasz", "£ód¼", "Oraº", "mia³"; beside "£bn", "Nº" and "cm³"."""
    if sign in "£¥©®¼½¾" and not before:
        return len(after) > _ABBREVIATED and after.islower()
    shortest = {"¼": 1, "½": 1, "¾": 1, "ª": 2, "º": 2, "¹": 3, "²": 3, "³": 3}.get(sign, 0)
    return bool(shortest) and not after and len(before) >= shortest and before.isalpha()
