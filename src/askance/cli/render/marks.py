"""The markers of an answer: which page each leads to, and how well its source carries the sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from askance.domain.evidence import Citation, Source
from askance.presentation.answers import SIGNS, citation_at, link_of

_MARKER = re.compile(r"( ?)\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Mark:
    """One marker in the text. `url` is empty where nothing may be opened; `sign` says a doubt."""

    n: int
    url: str
    sign: str

    def __str__(self) -> str:
        """Return the marker as plain text, its sign behind it."""
        return f"[{self.n}]{self.sign}"


def replace_marks(
    text: str,
    sources: Sequence[Source],
    citations: Sequence[Citation],
    write: Callable[[Mark], str],
    *,
    checked: bool = True,
) -> str:
    """Write each marker anew.

    One that names no source is taken out of a draft, with the space before it. In a checked answer
    such a thing is no marker, but an index in a piece of code, say, and stays.
    """
    by_number = {source.n: source for source in sources}

    def replaced(match: re.Match[str]) -> str:
        source = by_number.get(int(match.group(2)))
        if source is None:
            return match.group() if checked else ""
        citation = citation_at(citations, source.n, match.start(2) - 1)
        return match.group(1) + write(
            Mark(
                source.n,
                link_of(source, citation.quote if citation else ""),
                SIGNS[citation.support] if citation else "",
            )
        )

    return _MARKER.sub(replaced, text)
