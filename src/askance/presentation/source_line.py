"""The sources of a run on one line: known from the first result on, then read or failed, and cited in the end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from askance.domain import events
from askance.domain.web_pages import host_of, is_web_address
from askance.presentation.answers import SourceRow
from askance.presentation.i18n import tr
from askance.text.ranking.urls import page_key

# A query may bring fifty results. Of those that nobody has asked for yet, so many are shown.
_MOST_WAITING = 8


class SourceState(StrEnum):
    """How far a source is."""

    WAITING = "waiting"
    READ = "read"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LineSource:
    """A source on the line. `row` is None until it is one of the sources that the model sees.

    `name` is its host, or its title where it is a file.
    """

    name: str
    title: str
    state: SourceState
    url: str
    row: SourceRow | None = None

    @property
    def n(self) -> int:
        """The number by which the answer cites it; 0 where it does not."""
        return self.row.n if self.row and self.row.cited else 0

    @property
    def address(self) -> str:
        """The address under which it was read."""
        return self.row.address if self.row else self.url

    @property
    def opens(self) -> str:
        """The address that a click opens, at the first words that are cited; empty if nothing may be opened."""
        if self.row:
            return self.row.url
        return self.url if is_web_address(self.url) else ""

    @property
    def sign(self) -> str:
        """What stands on its tile: its number, or the first letter of its name."""
        if self.n:
            return str(self.n)
        bare = self.name.removeprefix("www.")
        return "\N{MULTIPLICATION SIGN}" if self.state is SourceState.FAILED else bare[:1].upper()

    @property
    def spoken(self) -> str:
        """What a screen reader says of it."""
        if self.row and self.n:
            return self.row.spoken
        named = self.row.label if self.row else ""
        about = named or ", ".join(dict.fromkeys(filter(None, (self.title, self.name))))
        match self.state:
            case SourceState.WAITING:
                return tr("{page}, waiting", page=about)
            case SourceState.FAILED:
                return tr("{page}, could not be read", page=about)
            case SourceState.READ:
                return tr("{page}, read", page=about)


class SourceLine:
    """Follows the sources of a run, by its events and by the rows of those that the model sees."""

    def __init__(self) -> None:
        self._ranked: list[str] = []
        self._asked: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._states: dict[str, SourceState] = {}
        self._is_settled = False

    def apply(self, event: events.RunEvent) -> None:
        """Take in one event."""
        match event:
            # The first results are shown before they are ranked: who waits sees at once that there are some.
            case events.ResultsFound(urls=urls):
                self._ranked += [url for url in urls if url not in self._ranked]
            case events.ResultsRanked(urls=urls, titles=titles):
                self._titles |= dict(zip(urls, titles, strict=False))
                self._ranked = [*urls, *(url for url in self._ranked if url not in urls)]
            case events.PageRequested(url=url):
                self._asked.setdefault(page_key(url), url)
            case events.PageRead(url=url, words=words, title=title):
                self._asked.setdefault(page_key(url), url)
                self._states[page_key(url)] = SourceState.READ if words else SourceState.FAILED
                if title:
                    self._titles[url] = title
            case events.SourcesReady():
                # Nothing more is waited for.
                self._is_settled = True
            case _:
                pass

    def sources(self, rows: Sequence[SourceRow]) -> tuple[LineSource, ...]:
        """Return them as ranked, what was asked for first; behind them the rows that no page stands for."""
        by_page = {page_key(row.address): row for row in rows}
        listed: dict[str, LineSource] = {}
        for key, url in self._asked.items():
            state = self._states.get(key, SourceState.WAITING)
            if self._is_settled and state is SourceState.WAITING and key not in by_page:
                continue
            listed[key] = self._source(url, state, by_page.get(key))
        # A result of which the search's own text became a source was not read, and is none that failed.
        for row in rows:
            if (key := page_key(row.address)) not in listed:
                listed[key] = self._source(row.address, SourceState.READ, row)
        if not self._is_settled:
            waiting = [url for url in self._ranked if page_key(url) not in listed]
            for url in waiting[:_MOST_WAITING]:
                listed[page_key(url)] = self._source(url, SourceState.WAITING, None)
        return tuple(listed.values())

    def _source(self, url: str, state: SourceState, row: SourceRow | None) -> LineSource:
        if row is None:
            host = host_of(url)
            return LineSource(host or url, self._titles.get(url, ""), state, url)
        # What was not read is in the evidence all the same: its tile is that of a source.
        state = SourceState.READ if state is SourceState.WAITING else state
        return LineSource(row.place, row.title, state, url, row)


def cited_first(sources: Collection[LineSource]) -> tuple[LineSource, ...]:
    """Return the sources of a finished answer: by the numbers of those that it cites, the others behind."""
    return tuple(sorted(sources, key=lambda source: source.n or len(sources) + 1))
