"""Answers, their sources and what the library finds, in words and links for every front end."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote as percent_encode

from askance.domain.addresses import path_of
from askance.domain.characters import clean, one_line
from askance.domain.conversation import SEARCH, Outcome, Usage, asks_files, rests_on, searches
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Position, Source, Support, independent
from askance.domain.library import FileRecord, FileState, LibraryHit, Origin, Range, Tally
from askance.domain.web_pages import host_of, is_web_address
from askance.presentation.i18n import day_of, duration, plural, term, tr, translated
from askance.text.languages.recognition import plain_language, recognise_beside, surely
from askance.text.languages.scripts import ARABIC, HEBREW
from askance.text.ranking.index_terms import count_words

# Links to a source: each can open its page at a quote.

_WHOLE_WORDS = 8
"""A quote of up to this many words stands in the link as a whole, a longer one by both its ends."""
_EDGE_WORDS = 4
_EDGE_CHARACTERS = 12
"""Length of an end in scripts without spaces."""

# Every repetition has a bound: a quote is foreign text, read in linear time (decision 13).
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,1500}(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
_LINE_MARK = re.compile(
    r"^\s{0,60}(?:#{1,6}\s|[-*+•>]\s|(?:[0-9]{1,4}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)]\s)\s{0,20}"
)
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`+|~~|\\(?=[\\`*_{}\[\]()#+.!|>~-])")
_OUTER = " \t\n\r.,;:!?…\"'“”‘’«»()[]{}。！？、\uff0c\uff1b\uff1a「」『』"


def fragment_url(url: str, quote: str) -> str:
    """Return the address that opens a page at a quote.

    It follows the URL Fragment Text Directives draft of the WICG: the parts are percent-encoded,
    with dash, comma and ampersand encoded too, because they are its syntax.

    `quote` may be Markdown: its marks are not on the page and are left out. A fragment that `url`
    has is replaced. Without a word in the quote the address comes back without a fragment.
    """
    page = url.partition("#")[0]
    runs = _runs(quote)
    if not runs:
        return page
    first, last = runs[0], runs[-1]
    if len(runs) == 1 and count_words(first) <= _WHOLE_WORDS:
        return f"{page}#:~:text={_encoded(first)}"
    start, end = _ends_of(first)[0], _ends_of(last)[1]
    # An end of nothing but punctuation is empty here: a browser has no word to look for.
    if not start or not end:
        return f"{page}#:~:text={_encoded(start or end or first)}"
    return f"{page}#:~:text={_encoded(start)},{_encoded(end)}"


def _runs(quote: str) -> list[str]:
    """Return the stretches of a quote that stand on the page without a break, in order."""
    runs: list[str] = []
    for line in quote.splitlines():
        plain = _EMPHASIS.sub("", _LINK.sub(r"\1", _LINE_MARK.sub("", line)))
        # Each cell by itself: on the page there is other text between them.
        for cell in plain.split("|"):
            run = " ".join(cell.split()).strip(_OUTER)
            if count_words(run):
                runs.append(run)
    return runs


def _ends_of(run: str) -> tuple[str, str]:
    words = run.split(" ")
    # Far more words than spaces: a script without spaces, cut by characters.
    if count_words(run) > 2 * len(words):
        start, end = run[:_EDGE_CHARACTERS], run[-_EDGE_CHARACTERS:]
    else:
        start, end = " ".join(words[:_EDGE_WORDS]), " ".join(words[-_EDGE_WORDS:])
    return start.strip(_OUTER), end.strip(_OUTER)


def _encoded(text: str) -> str:
    # The dash is free in URLs, so no library encodes it; in a fragment it is syntax.
    readable = text.encode("utf-8", "replace")
    return percent_encode(readable, safe="").replace("-", "%2D")


# What the library finds and holds, as rows and in words, for every front end.

STATES = {
    FileState.INDEXED: term("indexed"),
    FileState.UNCHANGED: term("unchanged"),
    FileState.EXCLUDED: term("excluded"),
    FileState.FAILED: term("failed"),
}


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A passage that was found, as it is shown.

    `place` says where it stands: a host and a heading, or a file and its folder, and the page in it. `marks` are the
    `(start, end)` of the words of the query in `snippet`.
    """

    title: str
    place: str
    date: str
    tags: tuple[str, ...]
    snippet: str
    marks: tuple[Range, ...]

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return ", ".join(
            filter(None, (self.title, self.place, self.date, *self.tags, self.snippet))
        )


def found_row(hit: LibraryHit) -> FoundRow:
    """Return the row of a passage."""
    text, marks = _cleaned(hit.snippet, hit.marks)
    title, heading = one_line(hit.title) or name_of(hit.url), one_line(hit.heading)
    place = place_of(hit.url, title, hit.origin)
    page = tr("page {number}", number=str(hit.page)) if hit.page else ""
    return FoundRow(
        title,
        " · ".join(filter(None, (place, heading if heading != title else "", page))),
        day_of(hit.published or hit.fetched_at),
        tuple(one_line(tag) for tag in hit.tags),
        text,
        marks,
    )


def page_at(hit: LibraryHit) -> str:
    """Return the address that opens a web page at what was found; empty for anything else."""
    # An imported document may have any text as its address.
    if not hit.url.startswith(("http://", "https://")) or " " in hit.url:
        return ""
    start = hit.marks[0][0] if hit.marks else 0
    return fragment_url(hit.url, " ".join(hit.snippet[start:].split()[:_WORDS_OF_LINK]).strip("…"))


# So many words behind the first that was found stand in the link: fewer may stand elsewhere, too.
_WORDS_OF_LINK = 8


def is_local_file(url: str) -> bool:
    """Whether an address is that of a file on this machine."""
    return bool(path_of(url))


def place_of(url: str, title: str = "", origin: Origin = Origin.WEB) -> str:
    """Return where a document is: the host of a page, the name and the folder of a file.

    A file that is called by its name already has its folder alone. What was not read from a page itself says so.
    """
    if not (path := path_of(url)):
        host = host_of(url)
        return imported_from(host) if host and origin is not Origin.WEB else host or one_line(url)
    file = Path(path)
    folder = folder_text(str(file.parent))
    return folder if title == one_line(file.name) else one_line(f"{file.name} · {folder}")


def imported_from(host: str) -> str:
    """Return what stands in the place of a host where its text was imported, and not read from there."""
    return tr("imported: {host}", host=host)


def name_of(url: str) -> str:
    """Return what a document without a title is called: its file's name, or its address."""
    path = path_of(url)
    return one_line(Path(path).name if path else url)


def folder_text(path: str) -> str:
    """Return a folder as people write it: what is at home begins with `~`."""
    home = str(Path.home())
    # With its separator, or the home of `anna` would begin that of `annabel`.
    if path == home or path.startswith(home.rstrip(os.sep) + os.sep):
        path = "~" + path[len(home) :]
    return one_line(path)


def tally_text(counts: Tally) -> str:
    """Say what became of the files of a folder: how many are in which state."""
    found = counts.indexed + counts.unchanged
    parts = [plural("{n} file found", "{n} files found", found)]
    if counts.partial:
        parts.append(tr("{n} of them in part", n=counts.partial))
    if counts.excluded:
        parts.append(tr("{n} excluded", n=counts.excluded))
    if counts.failed:
        parts.append(tr("{n} failed", n=counts.failed))
    return " · ".join(parts)


def coverage_text(counts: Tally) -> str:
    """Say how many are found of the files that no rule excludes; nothing where there are none."""
    found = counts.indexed + counts.unchanged
    if not (n := found + counts.failed):
        return ""
    return plural("{k} of {n} file indexed", "{k} of {n} files indexed", n, k=found)


def reason_of(record: FileRecord) -> str:
    """Say why a file is not found, or what of it is left out; nothing where there is nothing to say."""
    return one_line(translated(record.detail)) if record.detail else ""


def _cleaned(text: str, marks: tuple[Range, ...]) -> tuple[str, tuple[Range, ...]]:
    """Return a text on one line without what hides in it, and its ranges moved along."""

    def upto(end: int) -> int:
        return len(clean(text[:end]))

    moved = tuple((upto(start), upto(end)) for start, end in marks)
    return clean(text).replace("\n", " ").replace("\t", " "), moved


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
    Outcome.PASSAGES_ONLY: term("Quotes only, no model."),
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
    place: str = ""
    """Where it is in few words: a host, or a file and its page."""
    origins: str = ""
    """Of what it is a copy, or how many independent sources there are for what it is cited for."""

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
        known = (self.title, self.host, self.date, self.badge, self.origins)
        return ", ".join(filter(None, known))


def source_rows(
    sources: Sequence[Source], citations: Sequence[Citation] = ()
) -> tuple[SourceRow, ...]:
    """Return the rows in the order of their numbers."""
    cited = {citation.n for citation in citations}
    # From the last one on, so that the first quote of a source is the one that stays.
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
            host_of_source(source) or _file_and_page(source),
            origins_of_source(source, citations, sources),
        )
        for source in sorted(sources, key=lambda source: source.n)
    )


def origins_of_source(
    source: Source, citations: Sequence[Citation], sources: Sequence[Source]
) -> str:
    """Say of what a source is a copy, or how many independent ones there are for what it is cited for; empty of one alone."""
    if source.copy_of:
        return tr("copy of source {n}", n=source.copy_of)
    cited = [c for c in citations if c.n == source.n]
    best = max(cited, key=lambda c: len(c.beside), default=None)
    return origins_of_claim(best, sources) if best else ""


def origins_of_claim(citation: Citation, sources: Sequence[Source]) -> str:
    """Say how many independent sources carry what a citation stands for, or of one how many copies there are."""
    cited = [source for source in sources if source.n in {citation.n, *citation.beside}]
    if (n := independent(cited)) > 1:
        return plural("{n} independent source", "{n} independent sources", n)
    origins = {source.copy_of or source.n for source in cited}
    alike = [source for source in sources if (source.copy_of or source.n) in origins]
    copies = len(alike) - len(origins) + sum(source.copies for source in alike)
    return plural("1 origin, {n} copy", "1 origin, {n} copies", copies) if copies else ""


def as_of_text(end: Answered) -> str:
    """Say of which day the newest source is that an answer cites; empty where that does not matter."""
    return tr("As of {date}, the newest source", date=day_of(end.as_of)) if end.as_of else ""


def _file_and_page(source: Source) -> str:
    name = name_of(source.url) if is_local_file(source.url) else one_line(source.title)
    return f"{name}, {tr('page {n}', n=source.page)}" if source.page else name


def host_of_source(source: Source) -> str:
    """Return the host that a source was read from; what was imported says so. Empty for a file."""
    return imported_from(source.host) if source.host and source.is_private else source.host


def badge_of(source: Source) -> str:
    """Say what is special about where a source's text comes from; empty for a page that was read."""
    if source.snippet_only:
        return tr("snippet only")
    place = tr("your own") if source.is_private else tr("from the library") if source.kept else ""
    return f"{place}, {tr('page {n}', n=source.page)}" if source.page else place


DISAGREEMENT = term("Sources disagree about {what}")
DISAGREEMENT_HEADS = (term("Value"), term("Who says so"), term("Date"), term("Independent sources"))
USED = term("used")


def named_sources(position: Position, sources: Sequence[Source]) -> tuple[str, str]:
    """Return the sources of a position: their numbers as an answer cites them, and their names."""
    names = {s.n: host_of_source(s) or name_of(s.url) for s in sources}
    named = ", ".join(dict.fromkeys(names[n] for n in position.sources if n in names))
    return "".join(f"[{n}]" for n in position.sources), named


def disagreement_lines(end: Answered) -> tuple[str, ...]:
    """Return what sources disagree in as lines of plain text, in columns."""
    lines: list[str] = []
    for each in end.disagreements:
        lines.append(tr(DISAGREEMENT, what=one_line(each.subject)))
        table = [tuple(map(tr, DISAGREEMENT_HEADS))]
        for p in each.positions:
            who = " ".join(named_sources(p, end.sources)) + (f" · {tr(USED)}" if p.is_used else "")
            table.append((one_line(p.value), who, day_of(p.date), str(p.origins)))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for cells in table:
            columns = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            lines.append(f"  {'  '.join(columns)}".rstrip())
    return tuple(lines)


def listed(rows: tuple[SourceRow, ...]) -> tuple[SourceRow, ...]:
    """Return the rows that an answer cites; all, if it cites none."""
    return tuple(row for row in rows if row.cited) or rows


def support_word(support: Support) -> str:
    """Say how well a source carries what cites it."""
    return tr(CARRIED[support])


def foreign_language(quote: str, answer: str) -> str:
    """Return the code of a quote's language; empty where it is the answer's, or either is not recognised."""
    # Mostly one is plain, and nothing in the other speaks against it: then no model need be loaded.
    plain = plain_language(answer) or plain_language(quote)
    if plain and all(recognise_beside(text, plain) == plain for text in (quote, answer)):
        return ""
    code, answer_code = surely(quote), surely(answer)
    return code if answer_code and code != answer_code else ""


def is_right_to_left(text: str) -> bool:
    """Say whether a text is written from right to left: most of its letters are."""
    letters = sum(map(str.isalpha, text))
    return 2 * len(_RIGHT_TO_LEFT.findall(text)) > letters


def legend(used: Collection[Support]) -> tuple[str, ...]:
    """Explain the signs that stand in a text."""
    return tuple(f"{sign} {support_word(s)}" for s, sign in SIGNS.items() if sign and s in used)


def in_own_words(end: Answered) -> tuple[str, tuple[Citation, ...]]:
    """Return the text of an answer and its citations, whose places move along.

    A model's words stay as they are.
    """
    opening = translated(end.opening)
    moved = len(opening) - len(end.opening)
    return f"{opening}{end.answer[len(end.opening) :]}", tuple(
        replace(citation, start=citation.start + moved, end=citation.end + moved)
        for citation in end.citations
    )


def origin_note(end: Answered, command: str = SEARCH, quote: str = "") -> str:
    """Say what to beware of about where an answer comes from; empty where it is from sources.

    `quote` is the text that was asked about, if any.
    """
    if end.outcome is Outcome.HISTORY and searches(command) and not end.sources:
        # Nothing was searched, and no source is cited.
        return tr(_FROM_CONVERSATION)
    if end.outcome is Outcome.LIBRARY and asks_files(command):
        return ""  # its sources are the files that it was asked about
    if end.outcome is Outcome.INSUFFICIENT and end.opening and not end.sources:
        # The answer itself says that nothing was found.
        return ""
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
    few = {1: tr("Searched once"), 2: tr("Searched twice")}
    searched = few.get(rounds) or tr("Searched {n} times", n=rounds)
    read = (
        plural("read {n} page", "read {n} pages", pages) if pages else tr("no page could be read")
    )
    return tr("{searched}, {read}", searched=searched, read=read)


def link_of(source: Source, quote: str) -> str:
    """Return the address that opens the page at the quote; empty unless it is a web address."""
    if not is_web_address(source.url):
        return ""
    return fragment_url(source.url, quote) if quote else source.url


def opened_by(source: Source, quote: str) -> str:
    """Return what opens a source where files can be opened, too: only those of the library may be."""
    return link_of(source, quote) or (source.url if is_local_file(source.url) else "")
