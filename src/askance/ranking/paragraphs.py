"""A page's Markdown as paragraphs that know their heading and place, and where its topic changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from askance.domain.web import LONGEST_PAGE_CHARACTERS, MOST_PAGE_BLOCKS
from askance.ranking.sentences import sentence_spans
from askance.ranking.tokens import STOP_WORDS, count_words, stem, words

# Lines that hold something. What may be white space alone is matched in one way only: a page may
# hold a megabyte of it.
_LINE = r"[^\S\n]*\S.*"
_BLOCK = re.compile(rf"^{_LINE}(?:\n{_LINE})*", re.MULTILINE)
# What has no spaces is no paragraph at all, and cut anywhere.
LONGEST_RUN_CHARACTERS = 1_000
_RUN = re.compile(rf"\S{{1,{LONGEST_RUN_CHARACTERS}}}")
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_LINE_BLOCK = re.compile(r"\s*(?:[-*+|]|\d+[.)])")

# A new subject is introduced the way an encyclopedia, a directory or a listing does it: its name,
# then what it is, or the dates of its life. "Jorge Lozano (born 1963) is a ...".
# What closes a word belongs to the sentence, and every piece can be read in one way only: a page may
# hold a megabyte of commas.
_CLOSING = "\"”'’,"
_NAME_WORD = (
    r"(?![^\s]*[a-zà-ÿ]{3}\.\s)"
    rf"(?:[^\s!?;({_CLOSING}]|[{_CLOSING}]++(?=[^\s!?;({_CLOSING}]))++"
)
_INTRODUCTION = re.compile(
    r"(?P<name>(?:(?:The|A|An)\s++(?=[\"“'‘A-ZÀ-ÖØ-Þ0-9]))?[\"“'‘]*+\s?(?=[A-ZÀ-ÖØ-Þ0-9])"
    rf"{_NAME_WORD}(?:[{_CLOSING}]*+\s++{_NAME_WORD}){{0,13}}?)[{_CLOSING};]*+\s*+"
    r"(?:\([^)]{0,60}(?:\bborn\b|\b\d{4})|"
    r"(?:\([^)]{0,160}+\)?+,?+\s*+)?+(?:(?:,|(?<=,)|(?<=,\s))[^,.]{1,60}+,)?\s*+"
    r"(?:is|was|are|were|refers|has been|may refer|consists|can refer)\b)"
)
_CONTINUATION = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|This|These|Those|That|Such|There|However|Moreover|Also|"
    r"Additionally|Furthermore|Meanwhile|Afterwards?|Later|Then|Thus|Therefore|But|And|Or|"
    r"As|For|Other|Another|Both|Some|Many|Most|All|One|In|On|At|By|With|Under|From|To|Upon|"
    r"During|After|Before|Since|Although|While|When|Following|Despite|Prior|Among|Because|If|"
    r"Located|Founded|Established|Originally|Written|Produced|Released|Published|Born|Set|"
    r"Initially|Today|Currently|Here|What|Who|Where|Another|Each|Several|Two|Three|Four)\b"
    r"|(?:The|A|An)\s+(?:first|second|third|other|same|\d*th\b|[a-zà-ÿ])"
)
_LEAD = re.compile(
    r"(?:(?:The|A|An)\s+)?[\"“'‘]*\s?[A-ZÀ-ÖØ-Þ0-9][^\s(]*"
    r"(?:\s+(?:(?:of|the|de|la|and|for|in|von|van|du|v\.)\s+){0,2}[\"“'‘(]*[A-ZÀ-ÖØ-Þ0-9][^\s(]*)*"
)
KNOWN_NAME = 0.7
# No writer's paragraph is this long: it is a list, a table, or a page that has no paragraphs.
# Uncut, it would fit into no budget.
LONGEST_PARAGRAPH_WORDS = 400
# The longest of 93 real pages has 2,390 characters.
LONGEST_PARAGRAPH_CHARACTERS = 6_000
# An introduction is over by then: fourteen words, a pair of brackets, an apposition.
_INTRODUCTION_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph. `offset` is its place in the Markdown, in characters."""

    text: str
    offset: int
    heading: str
    words: int

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.offset + len(self.text)


def split_paragraphs(markdown: str) -> list[Paragraph]:
    """Cut Markdown at blank lines, and overlong blocks at their lines or sentences.

    Headings are no paragraphs: they name those below them. Of a text that is longer than a page may
    be, the beginning is cut.
    """
    found: list[Paragraph] = []
    heading = ""
    blocks = _BLOCK.finditer(markdown, 0, LONGEST_PAGE_CHARACTERS)
    for block in islice(blocks, MOST_PAGE_BLOCKS):
        text = block.group().strip()
        if title := _HEADING.fullmatch(text):
            heading = title.group(1).strip()
        elif text:
            offset = block.start() + block.group().index(text)
            found += (
                Paragraph(text[start:end], offset + start, heading, count)
                for start, end, count in _parts(text)
            )
    return found


def _parts(text: str) -> list[tuple[int, int, int]]:
    """Start, end and words of the parts of a block: one, unless it is overlong."""
    total = count_words(text)
    if _fits(total, len(text)):
        return [(0, len(text), total)]
    parts: list[tuple[int, int, int]] = []
    for start, end, count in _units(text):
        if parts and _fits(parts[-1][2] + count, end - parts[-1][0]):
            parts[-1] = (parts[-1][0], end, parts[-1][2] + count)
        else:
            parts.append((start, end, count))
    return parts


def _units(text: str) -> Iterator[tuple[int, int, int]]:
    """Sentences and lines; where one is overlong itself, what stands between its spaces."""
    for start, end in sentence_spans(text):
        count = count_words(text[start:end])
        if _fits(count, end - start):
            yield start, end, count
        else:
            for run in _RUN.finditer(text, start, end):
                yield run.start(), run.end(), count_words(run.group())


def _fits(words: int, characters: int) -> bool:
    return words <= LONGEST_PARAGRAPH_WORDS and characters <= LONGEST_PARAGRAPH_CHARACTERS


def topic_starts(paragraphs: Sequence[Paragraph]) -> list[bool]:
    """Say for each paragraph whether a new topic begins with it.

    The web prints a paragraph every one to three sentences, so a paragraph is no unit of meaning;
    but pages that list many subjects put them side by side. A topic begins under a new heading,
    where a subject is introduced that the running topic does not name, and where a paragraph
    neither continues the one before (a pronoun, a conjunction) nor shares a telling word with the
    topic so far.
    """
    starts: list[bool] = []
    topic: set[str] = set()
    subject: set[str] = set()
    for i, paragraph in enumerate(paragraphs):
        content = _content(paragraph.text)
        begins = (
            i == 0
            or paragraph.heading != paragraphs[i - 1].heading
            or _begins(paragraph, topic, subject)
        )
        if begins:
            topic, subject = set(), _names(_opening(paragraph.text))
        topic |= content
        starts.append(begins)
    return starts


def _begins(paragraph: Paragraph, topic: set[str], subject: set[str]) -> bool:
    text = paragraph.text
    if _LINE_BLOCK.match(text) or _CONTINUATION.match(text):
        return False
    introduced = _INTRODUCTION.match(text, 0, _INTRODUCTION_CHARACTERS)
    if not introduced:
        return False
    name = _names(_lead(introduced.group("name")))
    return bool(name) and not name & subject and len(name & topic) < KNOWN_NAME * len(name)


def _opening(text: str) -> str:
    introduced = _INTRODUCTION.match(text, 0, _INTRODUCTION_CHARACTERS)
    return _lead(introduced.group("name") if introduced else text)


def _lead(text: str) -> str:
    """The capitalised run that a text opens with."""
    found = _LEAD.match(text)
    return found.group() if found else ""


def _names(text: str) -> set[str]:
    """Stems of the capitalised words and numbers of a text."""
    found = re.findall(r"\b(?:[A-ZÀ-ÖØ-Þ][\w'’-]*|\d[\d,.]*)", text)
    return {stem(w) for run in found for w in words(run) if w not in STOP_WORDS and len(w) > 1}


def _content(text: str) -> set[str]:
    return {stem(w) for w in words(text) if w not in STOP_WORDS and len(w) > 2}
