"""What left the machine, told quietly: one line, and below it who got something."""

from __future__ import annotations

from askance.domain.events import RequestSent, Sending
from askance.telling.cleaning import one_line
from askance.telling.words import plural, tr, translated
from askance.ui.model.cells import Cell, Tone


class Outbound:
    """Adds up the requests of a run."""

    def __init__(self) -> None:
        self._requests: list[RequestSent] = []

    def add(self, request: RequestSent) -> None:
        """Take in one request.

        SearXNG tells whom it asked only afterwards: then it is the same query again, under names.
        """
        if request.sending is Sending.QUERY:
            self._requests = [r for r in self._requests if _told(r) != _told(request)]
        self._requests.append(request)

    @property
    def lines(self) -> tuple[tuple[Cell, ...], ...]:
        """The summary first, then a line for each receiver; nothing where nothing was sent."""
        if not self._requests:
            return ()
        receivers = dict.fromkeys((r.sending, r.to, r.through) for r in self._requests)
        return (
            self._summary(),
            *(
                (
                    Cell(one_line(to), Tone.QUIET),
                    Cell(
                        tr("through {carrier}", carrier=one_line(translated(through))), Tone.QUIET
                    ),
                )
                for _, to, through in receivers
            ),
        )

    def _summary(self) -> tuple[Cell, ...]:
        queries = self._of(Sending.QUERY)
        pages = self._of(Sending.PAGE)
        models = dict.fromkeys(r.to for r in self._of(Sending.MODEL))
        cells: list[Cell] = []
        if queries:
            n = len(queries)
            cells.append(Cell(plural("{n} query", "{n} queries", n), Tone.QUIET))
        if pages:
            hosts = len({r.to for r in pages})
            asked = plural("{n} page asked for", "{n} pages asked for", len(pages))
            of = plural("at {n} host", "at {n} hosts", hosts)
            cells.append(Cell(f"{asked} {of}", Tone.QUIET))
        cells += [
            Cell(
                tr("the question and what was found, to the model at {host}", host=one_line(host)),
                Tone.AMBER,
            )
            for host in models
        ]
        return tuple(cells)

    def _of(self, sending: Sending) -> list[RequestSent]:
        return [request for request in self._requests if request.sending is sending]


def _told(request: RequestSent) -> tuple[Sending, str, str]:
    return request.sending, request.through, request.content
