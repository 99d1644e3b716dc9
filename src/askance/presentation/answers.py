"""What stands around an answer: its sources, what carries it, where it is from, what it took."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from askance.citations.links import fragment_url
from askance.domain.conversation import SEARCH, Outcome, Usage, rests_on, searches
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.domain.web import is_web_address
from askance.presentation.i18n import day_of, duration, plural, term, tr
from askance.presentation.library import imported_from, is_local_file, name_of, place_of
from askance.presentation.sanitizing import one_line
from askance.text.languages.recognition import surely
from askance.text.languages.scripts import ARABIC, HEBREW

SIGNS = {Support.SUPPORTED: "", Support.WEAK: "≈", Support.UNSUPPORTED: "✗"}
"""What stands behind a marker: a colour is never the only sign of a doubt."""
CARRIED = {
    Support.SUPPORTED: term("supported by its source"),
    Support.WEAK: term("supported by its source only in part"),
    Support.UNSUPPORTED: term("not supported by its source"),
}
UNCHECKED = {
    Outcome.MEMORY: term("From memory, not checked."),
    Outcome.GIVEN: term("From the text you gave, not checked."),
}
"""What is said of answers of which no sentence was checked."""
_FROM_CONVERSATION = term("From this conversation, not checked.")
_ORIGINS = {
    **UNCHECKED,
    Outcome.INSUFFICIENT: term("The sources do not answer the question in full."),
    Outcome.PASSAGES_ONLY: term("Passages only: no model wrote this."),
}

LANGUAGES = {
    "en": term("English"),
    "de": term("German"),
    "fr": term("French"),
    "es": term("Spanish"),
    "it": term("Italian"),
    "pt": term("Portuguese"),
    "nl": term("Dutch"),
    "pl": term("Polish"),
    "cs": term("Czech"),
    "sv": term("Swedish"),
    "da": term("Danish"),
    "nb": term("Norwegian"),
    "fi": term("Finnish"),
    "ro": term("Romanian"),
    "hu": term("Hungarian"),
    "tr": term("Turkish"),
    "ru": term("Russian"),
    "uk": term("Ukrainian"),
    "el": term("Greek"),
    "ar": term("Arabic"),
    "fa": term("Persian"),
    "he": term("Hebrew"),
    "hi": term("Hindi"),
    "zh": term("Chinese"),
    "ja": term("Japanese"),
    "ko": term("Korean"),
    "th": term("Thai"),
}
"""The languages that are distinguished, by their codes."""
_RIGHT_TO_LEFT = re.compile(f"[{ARABIC}{HEBREW}]")


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source. `url` opens it, at the first quote from it if there is one; empty if nothing does.

    `host` is that of a page, or the name and the folder of a file. `address` is its own, to be read. `badge` says what to beware of: "snippet only".
    """

    n: int
    title: str
    host: str
    date: str
    badge: str
    url: str
    cited: bool
    address: str

    @property
    def about(self) -> str:
        """Host and date, as they stand behind the title."""
        return " · ".join(filter(None, (self.host, self.date)))

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return tr("Source {n}: {about}", n=self.n, about=self.label)

    @property
    def label(self) -> str:
        """All that is known of it, for where the title does not stand apart."""
        return ", ".join(filter(None, (self.title, self.host, self.date, self.badge)))


def source_rows(
    sources: Sequence[Source], citations: Sequence[Citation] = ()
) -> tuple[SourceRow, ...]:
    """Return the rows in the order of their numbers."""
    cited = {citation.n for citation in citations}
    quotes = {c.n: c.quote for c in reversed(citations) if c.quote}
    return tuple(
        SourceRow(
            source.n,
            one_line(source.title) or host_of_source(source) or name_of(source.url),
            host_of_source(source)
            or place_of(source.url, one_line(source.title) or name_of(source.url)),
            day_of(source.published),
            badge_of(source),
            opened_by(source, quotes.get(source.n, "")),
            source.n in cited,
            source.url,
        )
        for source in sorted(sources, key=lambda source: source.n)
    )


def host_of_source(source: Source) -> str:
    """Return the host that a source was read from; what was imported says so. Empty for a file."""
    return imported_from(source.host) if source.host and source.is_private else source.host


def badge_of(source: Source) -> str:
    """Say what is special about where a source's text comes from; empty for a page that was read."""
    if source.snippet_only:
        return tr("snippet only")
    if source.is_private:
        return tr("your own")
    return tr("from the library") if source.kept else ""


def listed(rows: tuple[SourceRow, ...]) -> tuple[SourceRow, ...]:
    """Return the rows that an answer cites; all, if it cites none."""
    return tuple(row for row in rows if row.cited) or rows


def support_word(support: Support) -> str:
    """Say how well a source carries what cites it."""
    return tr(CARRIED[support])


def foreign_language(quote: str, answer: str) -> str:
    """Return the code of a quote's language; empty where it is the answer's, or either is not recognised."""
    code, answer_code = surely(quote), surely(answer)
    return code if answer_code and code != answer_code else ""


def is_right_to_left(text: str) -> bool:
    """Say whether a text is written from right to left: most of its letters are."""
    letters = sum(map(str.isalpha, text))
    return 2 * len(_RIGHT_TO_LEFT.findall(text)) > letters


def legend(used: Collection[Support]) -> tuple[str, ...]:
    """Explain the signs that stand in a text."""
    return tuple(f"{sign} {support_word(s)}" for s, sign in SIGNS.items() if sign and s in used)


def origin_note(end: Answered, command: str = SEARCH, quote: str = "") -> str:
    """Say what to beware of about where an answer comes from; empty where it is from sources.

    `quote` is the text that was asked about, if any.
    """
    if end.outcome is Outcome.HISTORY and searches(command) and not end.sources:
        return tr(_FROM_CONVERSATION)  # by a version that took the model's word for it
    if end.outcome is Outcome.INSUFFICIENT and end.opening and not end.sources:
        return ""  # the answer itself says that nothing was found
    return tr(_ORIGINS.get(rests_on(end.outcome, command, quote), ""))


def found_text(end: Answered, command: str = SEARCH) -> str:
    """Say what was searched for an answer; empty where nothing was to be."""
    if not searches(command):
        return ""
    return headline(end.rounds, end.usage.pages_read, end.outcome)


def cost_text(usage: Usage, elapsed_ms: int) -> str:
    """Return `5 pages read of 20 found · 3 model calls · 14 s`, without what there was none of."""
    parts: list[str] = []
    if usage.pages_offered:
        read = plural("{n} page read", "{n} pages read", usage.pages_read)
        parts.append(tr("{read} of {n} found", read=read, n=usage.pages_offered))
    if usage.model_calls:
        parts.append(plural("{n} model call", "{n} model calls", usage.model_calls))
    return " · ".join([*parts, duration(elapsed_ms)])


def headline(rounds: int, pages: int, outcome: Outcome | None = None) -> str:
    """Return what the folded trace says of a run: `Searched twice, read 5 pages`."""
    if outcome is Outcome.LIBRARY:
        return tr("Answered from the library")
    if not rounds:
        return tr("Answered from this conversation") if outcome is Outcome.HISTORY else ""
    match rounds:
        case 1:
            searched = tr("Searched once")
        case 2:
            searched = tr("Searched twice")
        case _:
            searched = tr("Searched {n} times", n=rounds)
    read = plural("read {n} page", "read {n} pages", pages) if pages else tr("read no page")
    return tr("{searched}, {read}", searched=searched, read=read)


def link_of(source: Source, quote: str) -> str:
    """Return the address that opens the page at the quote; empty unless it is a web address."""
    if not is_web_address(source.url):
        return ""
    return fragment_url(source.url, quote) if quote else source.url


def opened_by(source: Source, quote: str) -> str:
    """Return what opens a source where files can be opened, too: only those of the library may be."""
    return link_of(source, quote) or (source.url if is_local_file(source.url) else "")
