"""Search hints: what pages that nearly tell the answer call their parts, as one more query of a round."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askance.domain.web import LONGEST_PAGE_CHARACTERS, Page
from askance.engine.names import content_words_of
from askance.extract.text import strip_invisible
from askance.text.languages.names import capitalised
from askance.text.languages.recognition import recognise
from askance.text.languages.scripts import fold
from askance.text.ranking.passages import split_paragraphs
from askance.text.ranking.tokens import term_spans, terms

# A page says something of what is missing where it has this share of the question's words.
LEAST_SHARE = 0.5
# A hint is a name or a phrase, not a sentence.
MOST_WORDS = 6
MOST_CHARACTERS = 60
# So much of a page tells its language.
_RECOGNISED_CHARACTERS = 2_000
# Titles end in the name of their site.
_SITE = re.compile(r"\s[|·–—-]\s")
# Words alone: a page must not bring operators such as `site:` or quotes into a query.
_WORD = re.compile(r"\w[\w'’+#.-]*")
_FENCE = re.compile(r"^(?:```|~~~)[ \t]*([^\s`]*)[^\n]*$", re.MULTILINE)
_CODE_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9+#-]{0,19}")
_NO_CODE = frozenset({"text", "txt", "plain", "plaintext", "none", "console", "output", "markdown"})


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands on a page under one heading. `lines` are what it may be called, the closest first."""

    lines: tuple[str, ...]
    words: frozenset[str]
    code: str


def hint_query(question: str, pages: Sequence[Page], asked: Sequence[str]) -> str:
    """Return one query made of pages' own words; empty where they bring none that is new.

    Of the pages that have half of the question's words or more, the part with most of them says what the
    subject is called, in its heading or the page's title: that is searched with the words of the question
    that this part lacks. A question whose pages show code is searched in their programming language.
    A heading that two pages have, such as "References", names nothing. The pages must be public ones.
    """
    notable = [page for page in pages if _share_of(question, page) >= LEAST_SHARE]
    common = _common_lines(notable)
    written_in = _code_language(notable)
    best, query = (0.0, True), ""
    for part in (part for page in notable for part in _parts(page)):
        wanted = content_words_of(question, part.code)
        missing = _words_of(question, wanted - part.words, part.code)
        known = {t for text in (question, *asked) for t in terms(text, part.code)}
        lines = (line for line in part.lines if fold(line) not in common)
        line = next((line for line in lines if not known.issuperset(terms(line, part.code))), "")
        hint = [text for text in (line, written_in) if not known.issuperset(terms(text, part.code))]
        worth = len(wanted & part.words) / max(1, len(wanted)), bool(_names(line, part.code))
        if missing and hint and worth > best:
            best, query = worth, " ".join([*missing, *hint])
    return query


def _share_of(question: str, page: Page) -> float:
    code = _language_of(page)
    wanted = content_words_of(question, code)
    text = f"{page.title} {page.markdown[:LONGEST_PAGE_CHARACTERS]}"
    return len(wanted & set(terms(text, code))) / max(1, len(wanted))


def _parts(page: Page) -> Iterator[_Part]:
    code, title = _language_of(page), _line(_SITE.split(page.title)[0])
    texts: dict[str, list[str]] = {}
    for paragraph in split_paragraphs(page.markdown):
        texts.setdefault(paragraph.heading, []).append(paragraph.text)
    for heading, stems in texts.items():
        lines = tuple(dict.fromkeys(line for line in (_line(heading), title) if line))
        yield _Part(lines, frozenset(terms(" ".join([heading, *stems]), code)), code)


def _line(text: str) -> str:
    """Return the first words of a heading or a title, without any sign between them."""
    found = [word.rstrip(".-'’") for word in _WORD.findall(strip_invisible(text))]
    return " ".join(found[:MOST_WORDS])[:MOST_CHARACTERS].strip()


def _common_lines(pages: Sequence[Page]) -> set[str]:
    seen = Counter(
        line
        for page in pages
        for line in {fold(_line(p.heading)) for p in split_paragraphs(page.markdown)}
    )
    return {line for line, count in seen.items() if count > 1}


def _code_language(pages: Sequence[Page]) -> str:
    """Return the language of most blocks of code, where most of these pages have one; else nothing."""
    fences = [
        [name for name in _FENCE.findall(page.markdown) if _CODE_LANGUAGE.fullmatch(name)]
        for page in pages
    ]
    shown = [
        Counter(name.lower() for name in names if name.lower() not in _NO_CODE) for names in fences
    ]
    if not pages or sum(map(bool, shown)) * 2 <= len(pages):
        return ""
    return sum(shown, Counter[str]()).most_common(1)[0][0]


def _words_of(question: str, stems: set[str], code: str) -> list[str]:
    """Return the words of a question that have these stems, in its order, as they are written."""
    spans: list[tuple[int, int]] = []
    for found, start, end in term_spans(question, code):
        if found not in stems:
            continue
        if spans and start < spans[-1][1]:  # pairs of characters overlap
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return list(dict.fromkeys(question[start:end] for start, end in spans))


def _names(line: str, code: str) -> list[str]:
    # Behind the first word: most languages begin every heading with a capital.
    return capitalised(line.partition(" ")[2], code or "en")


def _language_of(page: Page) -> str:
    return recognise(page.markdown[:_RECOGNISED_CHARACTERS])
