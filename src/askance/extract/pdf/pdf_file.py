"""Text out of PDF files, page by page, and which of their pages have none that can be read."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from itertools import pairwise

from pypdf import PasswordType, PdfReader, PdfWriter

from askance.domain.library import PAGE_BREAK
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.extracted import TITLE_CHARACTERS, Extracted, about_file, empty, failed
from askance.extract.pdf.letter_names import with_named_letters
from askance.extract.pdf.letters import without_utf8_codes
from askance.extract.pdf.pdfium import DamagedPdf, Encrypted, PageState, PdfFile, PdfPage, repaired
from askance.extract.pdf.reading_order import RIGHT_TO_LEFT
from askance.extract.text.characters import count_words
from askance.extract.text.decoding import before_of, first_of
from askance.extract.text.markdown_text import tidy_text
from askance.text.languages.scripts import HAN, KANA

MOST_PAGES = 400
"""So many pages are read at a time, and fewer where they have `PART_CHARACTERS`."""
PART_CHARACTERS = 300_000
# So many pages are named by their numbers, and of so many it is asked whether anything is on them.
_MOST_NAMED = 8
_MOST_EMPTY_ASKED = 20
# Of so many pages the fonts are looked at; as a rule all others have the same.
_MOST_FONT_PAGES = 40

# Larger files with a password are left as they are: such a file is written anew as a whole.
_MOST_DECRYPTED_BYTES = 20_000_000

_BROKEN_WORD = re.compile(
    r"(?<=[^\W\d_])(?:(?P<soft>\u00ad {0,3}\n {0,3})|(?P<hard>[-\u2010] {0,3}\n {0,3}|\ufffe\n?))"
    r"(?=(?P<next>[^\W\d_]{1,20}))"
)
_HYPHENS = re.compile("[\u00ad\u2010-] {0,3}\n|\ufffe")
# Nothing hyphenates beside a digit: there a soft hyphen is one that is drawn.
_DRAWN_HYPHEN = re.compile(r"(?<=\d)\u00ad|\u00ad(?=\d)")
# "Vor- und Nachteile": the hyphen stands for the rest of the word.
_CONJUNCTIONS = frozenset(
    {"und", "oder", "bzw", "bis", "and", "or", "to", "et", "ou", "en", "of", "og", "och", "eller"}
)
# A line that does not end a sentence goes on in the next one. The line feed comes first: it is looked for quickest.
_WRAPPED = re.compile(r"\n(?<=[\w,;–—)]\n)(?=[\w(“\"'])")
# Where words have no spaces between them a line ends within one. It surely goes on only if it is as wide as the widest,
# but for two letters: some signs may not begin a line, others may not end one.
_CJK_WRAPPED = re.compile(rf"[{HAN}{KANA}\u3001\uff0c](?=\n[{HAN}{KANA}])")
_SHORTER, _LEAST_WIDTH = 4, 24
_LAST_NARROW = "\u2e7f"
# Ligatures and quotes of TeX's fonts as bitmaps, which say nothing of their letters: the code is what comes out. In the
# older one of their two encodings ligatures have lower codes.
_TEX = {
    "\x10": "“",
    "\x11": "”",
    "\x1b": "ff",
    "\x1c": "fi",
    "\x1d": "fl",
    "\x1e": "ffi",
    "\x1f": "ffl",
}
_OLD_TEX = {"\x0b": "ff", "\x0c": "fi", "\x0e": "ffi", "\x0f": "ffl"}
_CODE_OF_TEX = re.compile(r"(?<=[^\W\d_])[\x10\x11\x1b-\x1f]|[\x10\x1b-\x1f](?=[^\W\d_])")
_CODE_OF_OLD_TEX = re.compile(r"(?<=[^\W\d_])[\x0b\x0c\x0e\x0f](?=[^\W\d_])")
_CODES = re.compile(f"[{''.join({*_TEX, *_OLD_TEX})}]")
# A vowel or tone mark of Thai or Lao that is drawn a little higher than its letter is a line of its own to PDFium.
_THAI_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
_MARKS_ALONE = re.compile(
    rf"(?<=[\u0e01-\u0e4e\u0e81-\u0ece])\n([{_THAI_MARKS}]{{1,4}})\n(?=[\u0e01-\u0e2e\u0e81-\u0eae])"
)
_BRACKETS = ("()", "[]", "{}", "«»")
_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})")
# What shows a text or a picture, in the program of a page.
_SHOWS = re.compile(rb"T[jJ]|Do\b")

# Damage is an outcome here, and reported as one.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def extract_pdf(data: bytes, content_type: str) -> Extracted:
    """Return the text of a PDF file, its pages parted by blank lines, as many of them as fit into a part.

    A parameter `first` of the content type says how many pages to pass over, `before` where to end at the latest; `PAGE_BREAK`
    then stands between them. Where pages follow, `detail` says how many are read by then (`pages`). It names the pages
    of which nothing could be read. An encrypted, damaged or scanned file is an outcome, not an error.
    """
    asked = first_of(content_type)
    first = asked or 0
    try:
        with ExitStack() as stack:
            file, used = _opened_for(data)
            stack.enter_context(file)
            given, data, every = data, file.data, len(file)
            stop = min(every, before_of(content_type) or every)
            pages = _with_letters(data, _read(file.page, first, stop), first)
            title = tidy_text(file.field("Title")).replace("\n", " ")[:TITLE_CHARACTERS]
            date = _DATE.match(file.field("CreationDate"))
            about = about_file((file.field("Author"),), (file.field("Keywords"),))
            # PDFium remembers more with each page: a file is opened anew where it was not before.
            if asked is not None and stop - first > len(pages) <= MOST_PAGES - used - len(pages):
                _open.append((given, file, used + len(pages)))
                stack.pop_all()
    except Encrypted:
        return empty(PageReason.ENCRYPTED, Message("The PDF file is encrypted."))
    except DamagedPdf:
        return failed(PageReason.EXTRACTION, Message("The PDF file is damaged."))
    if not every:
        return empty(PageReason.NO_TEXT, Message("The PDF file has no pages."), title=title)
    states = _states(data, pages, first)
    texts = [_page_text(page.text) for page in pages]
    text = _joined(texts, "" if asked is None else PAGE_BREAK)
    read = first + len(pages)
    left = NOTHING
    if every > read:
        left = Message(
            "Only the first {pages} of the {available} pages are read.", pages=read, available=every
        )
    words = count_words(text)
    if asked == 0 and words and about:  # a file of one's own: it is searched by these, too
        text = f"{about}\n\n{text}"
    if not words:
        why = _no_text(states) if not left else _missing(states, first, every)
        is_scanned = PageState.IMAGE in states and set(states) <= {PageState.IMAGE, PageState.EMPTY}
        reason = PageReason.ONLY_IMAGES if is_scanned else PageReason.NO_TEXT
        return empty(reason, Message.joined(why, left), title=title)
    return Extracted(
        PageStatus.OK,
        detail=Message.joined(_missing(states, first, every), left),
        title=title,
        markdown=text,
        words=words,
        published="-".join(date.groups()) if date else None,
    )


def _read(page: Callable[[int], PdfPage], first: int, stop: int) -> list[PdfPage]:
    pages: list[PdfPage] = []
    characters = 0
    for number in range(first, min(stop, first + MOST_PAGES)):
        pages.append(page(number))
        characters += len(pages[-1].text)
        if characters > PART_CHARACTERS:
            break
    return pages


# The file of which the next pages will be asked for, and how many of it have been read since it was opened.
_open: list[tuple[bytes, PdfFile, int]] = []


def close_other_than(data: bytes) -> None:
    """Close the file that is open for its next pages, unless it is this one."""
    if _open and _open[0][0] is not data:
        _open.pop()[1].close()


def _opened_for(data: bytes) -> tuple[PdfFile, int]:
    """Return a file, which may be open already, and how many of its pages have been read since. It raises as `_opened` does."""
    close_other_than(data)
    if not _open:
        return _opened(data), 0
    _, file, used = _open.pop()
    file.begin_part()
    return file, used


def _opened(data: bytes) -> PdfFile:
    """Open a file, repaired or decrypted if it cannot be opened as it is.

    Raises:
        Encrypted: it needs a password.
        Damaged: it cannot be repaired.
    """
    try:
        return PdfFile(data)
    except DamagedPdf:
        if (made := repaired(data)) is None:
            raise
    except Encrypted:
        if (made := _without_user_password(data)) is None:
            raise
    return PdfFile(made)


def _without_user_password(data: bytes) -> bytes | None:
    """Return a file that an empty owner password opens, decrypted; None where that does not open it.

    Viewers open a file with a user password without asking for it then; PDFium tries the empty one as that of the user only.
    """
    if len(data) > _MOST_DECRYPTED_BYTES:
        return None
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            return None
        made = io.BytesIO()
        PdfWriter(clone_from=reader).write(made)
    except Exception:  # noqa: BLE001 - a damaged file can break it at any point
        return None
    return made.getvalue()


def _with_letters(data: bytes, pages: list[PdfPage], first: int) -> list[PdfPage]:
    """Return pages with the letters that their fonts name, but PDFium does not."""
    lacking = [n for n, page in enumerate(pages) if page.lacks_letters]
    if not lacking or not (
        named := with_named_letters(data, [first + n for n in lacking[:_MOST_FONT_PAGES]])
    ):
        return pages
    # PDFium has read the fonts of the open file already.
    with suppress(DamagedPdf, Encrypted), PdfFile(named) as file:
        # A damaged file may have lost pages by its update; then it is read without.
        if len(file) >= first + len(pages):
            return [
                file.page(first + n) if page.lacks_letters else page for n, page in enumerate(pages)
            ]
    return pages


def _joined(texts: Iterable[str], mark: str) -> str:
    """Return pages as one text; a mark stands before each but the first, one without text too."""
    text, marks = "", ""
    for page in texts:
        if page:
            text += f"\n\n{marks}{page}" if text else f"{marks}{page}"
            marks = ""
        marks += mark
    return text + marks[: -len(mark) or None] if mark else text


def _states(data: bytes, pages: Sequence[PdfPage], first: int) -> list[PageState]:
    """Return what the pages are; one on which nothing was found is broken if its program shows anything."""
    states = [page.state for page in pages]
    empty_pages = [n for n, state in enumerate(states) if state is PageState.EMPTY]
    if not empty_pages:
        return states
    try:
        programs = PdfReader(io.BytesIO(data), strict=False)
        if programs.is_encrypted:
            programs.decrypt("")
    except Exception:  # noqa: BLE001 - a damaged file can break it at any point
        return states
    for n in empty_pages[:_MOST_EMPTY_ASKED]:
        if _shows(programs, first + n):
            states[n] = PageState.BROKEN
    return states


def _shows(programs: PdfReader, number: int) -> bool:
    """Whether the program of a page shows anything; of one that cannot be read that is taken for sure."""
    try:
        contents = programs.pages[number].get_contents()
        return contents is not None and _SHOWS.search(contents.get_data()) is not None
    except Exception:  # noqa: BLE001 - as above
        return True


def _missing(states: Sequence[PageState], first: int, every: int) -> Message:
    """Return which pages have no text that could be read; nothing where there are none."""

    def numbers(state: PageState) -> list[int]:
        return [first + n + 1 for n, found in enumerate(states) if found is state]

    remarks: list[Message] = []
    images, blank = numbers(PageState.IMAGE), numbers(PageState.EMPTY)
    if 2 * (n := len(images) + len(blank)) >= len(states) and blank:
        remarks.append(
            Message("{n} of {available} pages are images or blank.", n=n, available=every)
        )
    elif images:
        remarks.append(
            Message("{n} of {available} pages are images.", n=len(images), available=every)
        )
    if broken := numbers(PageState.BROKEN):
        remarks.append(
            Message("Page {number} could not be read.", number=str(broken[0]))
            if len(broken) == 1
            else Message("Pages {numbers} could not be read.", numbers=_listed(broken))
        )
    if nonsense := numbers(PageState.NONSENSE):
        remarks.append(
            Message(
                "The text of these pages cannot be read, since their fonts do not say which letters "
                "they show: {numbers}.",
                numbers=_listed(nonsense),
            )
        )
    if doubtful := numbers(PageState.DOUBTFUL):
        remarks.append(
            Message(
                "The text of these pages may be wrong, since their fonts do not say which letters "
                "they show: {numbers}.",
                numbers=_listed(doubtful),
            )
        )
    return Message.joined(*remarks)


def _listed(pages: Sequence[int]) -> str:
    named = ", ".join(map(str, pages[:_MOST_NAMED]))
    return named if len(pages) <= _MOST_NAMED else f"{named} …"


def _no_text(states: Sequence[PageState]) -> Message:
    """Return why no page of a file has a text."""
    found = set(states) - {PageState.EMPTY}
    if set(states) == {PageState.IMAGE}:
        return Message("The PDF file holds images and no text.")
    if found == {PageState.NONSENSE}:
        return Message("The fonts of the PDF file do not say which letters they show.")
    if found <= {PageState.IMAGE}:
        return Message("The PDF file has no text: its pages are images or blank.")
    return Message.joined(Message("The PDF file has no text that could be read."),
                          _missing(states, 0, len(states)))  # fmt: skip


def _page_text(raw: str) -> str:
    # Most pages have none of these signs, which is known sooner than each pattern looks.
    if not raw.isascii():
        raw = _DRAWN_HYPHEN.sub("-", without_utf8_codes(raw))
    raw = _with_ligatures(raw) if _CODES.search(raw) else raw
    raw = raw.replace("\r\n", "\n")
    raw = raw if raw.isascii() else _MARKS_ALONE.sub(r"\1", raw)
    raw = _BROKEN_WORD.sub(_mended, raw) if _HYPHENS.search(raw) else raw
    lines = raw.replace("\ufffe", "-")
    lines = _with_turned_brackets(lines.replace(PAGE_BREAK, "\n"))
    blocks = tidy_text(lines).split("\n\n")
    return _WRAPPED.sub(" ", "\n\n".join(map(_joined_lines, blocks)))


def _with_turned_brackets(text: str) -> str:
    """Return a page whose lines from right to left have brackets that open: as they are drawn, these close.

    All of its lines decide, since a bracket may open in one line and close in another, for each kind of bracket alone: programs
    name some of them as they look and others as they are read.
    """
    if not RIGHT_TO_LEFT.search(text):
        return text
    lines = text.split("\n")
    for pair in _BRACKETS:
        found = [
            [sign for sign in line if sign in pair] if RIGHT_TO_LEFT.search(line) else []
            for line in lines
        ]
        ends = [(signs[0] == pair[0], signs[-1] == pair[0]) for signs in found if signs]
        if ends.count((False, True)) > ends.count((True, False)):
            turned = str.maketrans(pair, pair[::-1])
            lines = [
                line.translate(turned) if signs else line
                for line, signs in zip(lines, found, strict=True)
            ]
    return "\n".join(lines)


def _with_ligatures(text: str) -> str:
    """Return a text with the ligatures of TeX's fonts: "fi" is among them, and no other is more frequent."""
    # Only beside a letter: elsewhere the same codes are controls.
    for pattern, letters in ((_CODE_OF_OLD_TEX, _OLD_TEX), (_CODE_OF_TEX, _TEX)):
        found = Counter(letters[code] for code in pattern.findall(text))
        if found["fi"] and found["fi"] >= max(found["fl"], found["ffi"], found["ffl"], found["ff"]):
            return pattern.sub(lambda code, letters=letters: letters[code[0]], text)
    return text


def _joined_lines(block: str) -> str:
    """Return a block with full lines of a script without spaces put together with what follows them."""
    if not _CJK_WRAPPED.search(block):
        return block
    lines = block.split("\n")
    full = max(max(map(_width, lines)) - _SHORTER, _LEAST_WIDTH)
    text = lines[0]
    for line, following in pairwise(lines):
        goes_on = _CJK_WRAPPED.match(f"{line[-1:]}\n{following[:1]}") and _width(line) >= full
        text += following if goes_on else f"\n{following}"
    return text


def _width(line: str) -> int:
    """Return how wide a line is, where letters of other scripts are half as wide."""
    return len(line) + sum(1 for sign in line if sign > _LAST_NARROW)


def _mended(broken: re.Match[str]) -> str:
    """Return what stands in the place of a hyphen at the end of a line."""
    before, following = broken.string[broken.start() - 1], broken["next"]
    if broken["soft"]:
        return ""
    if following in _CONJUNCTIONS:
        return "- "
    # "light-" and "house" is a broken word; "North-" and "East" keeps its hyphen.
    if before.islower() and following[0].islower():
        return ""
    return "-"
