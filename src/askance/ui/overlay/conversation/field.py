"""What stands in the field and beside it: long texts as chips, what was typed before, what is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from askance.domain.characters import clean, one_line
from askance.domain.conversation import (
    CHAT,
    FILES,
    FILES_THINKING,
    ParsedCommand,
    QuoteOrigin,
    from_memory,
    thinks,
)
from askance.presentation.i18n import plural, term, tr
from askance.text.ranking.index_terms import count_words

# What the field shows without scrolling stays in it: eight lines (`ask_field.MOST_LINES`).
LONG_CHARACTERS = 400
LONG_LINES = 8
MOST_CHARACTERS = 20_000
"""What is taken from elsewhere is cut here, about ten pages: no model of a desktop reads more."""
_PREVIEW_CHARACTERS = 120
# To count the words of a megabyte takes 150 ms: of a longer text they are shown in round thousands.
_COUNTED_CHARACTERS = 50_000
_OFFERED_CHARACTERS = 48
# One character is rather a slip of the mouse than a text.
_SHORTEST = 2
MOST = 200
MOST_DRAFTS = 20


_WHAT = {
    QuoteOrigin.PASTED: term("Pasted text"),
    QuoteOrigin.SELECTED: term("Selected text"),
    QuoteOrigin.COPIED: term("Copied text"),
    QuoteOrigin.FILE: term("Pasted text"),
    QuoteOrigin.LIBRARY: term("From the library"),
    QuoteOrigin.QUOTED: term("Quoted text"),
    QuoteOrigin.ATTACHED: term("Files"),
}


# Without slots: `cached_property` keeps its value in the instance's dictionary.
@dataclass(frozen=True)
class Chip:
    """A quoted text, which stands beside the field instead of in it. `is_cut`: of a longer one.

    `name` is that of the file, if it comes from one. `documents` are those of the library that it stands
    for, by their identities.
    """

    origin: QuoteOrigin
    text: str
    is_cut: bool = False
    name: str = ""
    documents: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What stands on the chip."""
        n = self._word_count
        words = plural("{n} word", "{n} words", n)
        if self.is_cut:
            words = plural("the first {n} word", "the first {n} words", n)
        what = one_line(self.name) or tr(_WHAT[self.origin])
        return tr("{what}, {words}", what=what, words=words)

    @property
    def preview(self) -> str:
        """Its beginning, on one line, for the tooltip."""
        return _shortened(self.text, _PREVIEW_CHARACTERS)

    @property
    def offer(self) -> str:
        """What is said where it may be taken as a quote."""
        words = _shortened(self.text, _OFFERED_CHARACTERS)
        if self.origin is QuoteOrigin.SELECTED:
            return tr("Add selected text: “{words}”", words=words)
        return tr("Add copied text: “{words}”", words=words)

    @cached_property
    def _word_count(self) -> int:
        """Counted once: to count the words of a long text takes a while."""
        length, counted = len(self.text), count_words(self.text[:_COUNTED_CHARACTERS])
        if length <= _COUNTED_CHARACTERS:
            return counted
        return 1000 * round(counted * length / _COUNTED_CHARACTERS / 1000)


def chip_of_paste(text: str) -> Chip | None:
    """Return the chip that a pasted text becomes, or None where it goes into the field itself."""
    is_long = len(text) > LONG_CHARACTERS or len(text.strip().splitlines()) > LONG_LINES
    return Chip(QuoteOrigin.PASTED, text.strip()) if is_long and text.strip() else None


def chip_from_elsewhere(text: str, origin: QuoteOrigin, name: str = "") -> Chip | None:
    """Return the chip of a text of another program or a file; None where there is hardly any.

    What another program holds is only offered: it is nobody's before somebody takes it.
    """
    text = text.strip()
    # Cut before it is cleaned: another program may hold megabytes, and cleaning looks at each
    # character.
    shortened = clean(text[:MOST_CHARACTERS])
    is_cut = len(text) > MOST_CHARACTERS
    if is_cut and not text[MOST_CHARACTERS].isspace():
        shortened = shortened.rsplit(maxsplit=1)[0]  # the last word is half a word
    shortened = shortened.strip()
    return Chip(origin, shortened, is_cut, name) if len(shortened) >= _SHORTEST else None


def quote_of(chips: Sequence[Chip]) -> str:
    """Return the texts of all chips as the one text that a question is asked about."""
    return "\n\n".join(chip.text for chip in chips)


def origin_of(chips: Sequence[Chip]) -> QuoteOrigin:
    """Return where the texts of all chips come from, if they come from the same place."""
    origins = {chip.origin for chip in chips}
    return origins.pop() if len(origins) == 1 else QuoteOrigin.QUOTED


def are_mixed(chips: Sequence[Chip]) -> bool:
    """Return whether some chips stand for documents of the library and others for themselves."""
    return len({bool(chip.documents) for chip in chips}) > 1


def documents_of(chips: Sequence[Chip]) -> tuple[str, ...]:
    """Return the documents of the library that all chips stand for; none where one stands for itself."""
    # A question about a text beside passages is about their words, and not about the documents.
    if not all(chip.documents for chip in chips):
        return ()
    return tuple(dict.fromkeys(document for chip in chips for document in chip.documents))


# A path of two parts at the least, a folder of the user's own, or an address of a file: "and/or" is none. It may
# stand in quotes or brackets.
_REST = r"[^\s\"'`<>]+"
PATH = re.compile(
    rf"(?<![^\s\"'`<(\[=:])(?:(?i:file)://{_REST}|~?/[^/\s]+/{_REST}|~/{_REST}|[A-Za-z]:[\\/]{_REST}"
    rf"|(?<!:)(?://|\\\\)[\w.-]+[\\/]{_REST})"
)


def about_files(asked: ParsedCommand, text: str) -> ParsedCommand:
    """Return what is asked of the model alone as asked of the files, unless a command says otherwise."""
    if not from_memory(asked.command) or text.lstrip().casefold().startswith(f"/{CHAT}"):
        return asked
    return replace(asked, command=FILES_THINKING if thinks(asked.command) else FILES)


class QuestionRecall:
    """The questions of the past behind the field, newest nearest. The draft waits below them."""

    def __init__(self, asked: Iterable[str] = ()) -> None:
        self._asked: list[str] = []
        self._draft = ""
        self._at = 0
        for text in asked:
            self.add(text)

    def add(self, text: str) -> None:
        """Note what was just asked; the way up begins at it again."""
        text = text.strip()
        if text and (not self._asked or self._asked[-1] != text):
            self._asked = [*self._asked, text][-MOST:]
        self._draft, self._at = "", len(self._asked)

    def up(self, shown: str) -> str | None:
        """Return the text to show instead of what is in the field, or None at the oldest.

        A field that was changed since it was recalled becomes the draft.
        """
        if self._at == len(self._asked) or shown != self._asked[self._at]:
            self._draft, self._at = shown, len(self._asked)
        above = self._at - 1
        # A step to what stands in the field already would not be seen.
        while above >= 0 and self._asked[above] == shown.strip():
            above -= 1
        if above < 0:
            return None
        self._at = above
        return self._asked[above]

    def down(self, shown: str) -> str | None:
        """Return the text to show instead: a newer question, the draft at last, then None."""
        if self._at == len(self._asked) or shown != self._asked[self._at]:
            return None
        self._at += 1
        return self._draft if self._at == len(self._asked) else self._asked[self._at]


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the field and was not sent: its text, its cursor, and the texts quoted."""

    text: str = ""
    cursor: int = 0
    quotes: tuple[Chip, ...] = ()


class Drafts(dict[int | None, Draft]):
    """The drafts of the conversations, the one that was changed last at the end; None is the conversation that has not
    begun.
    """

    def store(self, conversation: int | None, draft: Draft) -> None:
        """Keep a draft; an empty one is forgotten, and the oldest of too many."""
        # Taken out first, so that it comes to the end: the oldest of too many is the first.
        self.pop(conversation, None)
        if draft.text.strip() or draft.quotes:
            self[conversation] = draft
        while len(self) > MOST_DRAFTS:
            del self[next(iter(self))]

    def move(self, old: int | None, new: int | None) -> None:
        """Note that a conversation has another number now: it had none before it was stored."""
        if old != new and (draft := self.pop(old, None)) is not None:
            self[new] = draft

    def of(self, conversation: int | None) -> Draft:
        """Return the draft of a conversation, empty if there is none."""
        return self.get(conversation, Draft())


def _shortened(text: str, characters: int) -> str:
    # Of a megabyte only the beginning is looked at, which is more than is shown: line ends and runs of
    # blanks become one blank.
    beginning = text[: 8 * characters]
    line = one_line(beginning)
    if len(line) <= characters and beginning == text:
        return line
    return line[:characters].rstrip() + "…"
