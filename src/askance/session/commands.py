"""What can be typed behind a slash: the table, its completion, and reading what was typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from askance.config.choices import AskMode
from askance.domain.conversation import CHAT, SEARCH, SEARCH_THINKING, THINK, from_memory, searches
from askance.presentation.i18n import term, tr
from askance.ranking.tokens import count_words, terms

# The slash of a Chinese or Japanese keyboard is a slash too.
_WORD = re.compile(r"[/\uff0f]([^\s/\uff0f]*)")
# What F1 puts into the field, with a whole command typed or pasted behind it.
_DOUBLED = re.compile(r"^[/\uff0f](?=[/\uff0f]\w+\s+\S)")
# `/think` may stand with either of the others, in either order.
_PARTNERS = ("search", "chat", "think")
_JOINED = re.compile(rf"[/\uff0f]({'|'.join(_PARTNERS)})\s+(?=[/\uff0f])", re.IGNORECASE)
_ASKING = ("/search ", "/chat ")
_CLOSE = 0.6
MOST_SEARCHED_WORDS = 8
"""A quoted text that is longer is never searched: it may be anybody's letter."""
LONGEST_SEARCHED_ABOUT = 1200
"""So much of it, in characters, is read with a question that is searched: it stands in every prompt."""
# A word of a description is looked for only when this much of it was typed.
_DESCRIBED_FROM = 3


class Wants(StrEnum):
    """Whether a command goes with a text."""

    NOTHING = "nothing"
    MAYBE = "maybe"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Command:
    """One row of the table. `on_selection`: a quoted text will do for the text it wants."""

    name: str
    what: str
    wants: Wants
    on_selection: bool = False

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return tr(self.what)


COMMANDS = (
    Command("search", term("Search the web, read, and answer with sources"), Wants.TEXT),
    Command("chat", term("Ask the model alone, from its memory"), Wants.TEXT),
    Command("think", term("Let the model reason before it answers"), Wants.TEXT),
    Command("library", term("Search your library, without a model"), Wants.MAYBE),
    Command("new", term("Start a new conversation"), Wants.NOTHING),
    Command("history", term("Search past conversations"), Wants.MAYBE),
    Command("export", term("Export this conversation to a file"), Wants.MAYBE),
    Command("tldr", term("Summarise the text in a few sentences"), Wants.TEXT, on_selection=True),
    Command("rewrite", term("Rephrase the text"), Wants.TEXT, on_selection=True),
    Command("refine", term("Fix spelling, grammar and style"), Wants.TEXT, on_selection=True),
    Command("translate", term("Translate the text"), Wants.TEXT, on_selection=True),
    Command("explain", term("Explain the text in plain words"), Wants.TEXT, on_selection=True),
    Command("bullets", term("Turn the text into a list of points"), Wants.TEXT, on_selection=True),
    Command("todos", term("List the tasks in the text"), Wants.TEXT, on_selection=True),
    Command("model", term("Choose the model"), Wants.MAYBE),
    Command("settings", term("Models, services, hotkey, privacy"), Wants.NOTHING),
    Command("help", term("All commands"), Wants.NOTHING),
)


@dataclass(frozen=True, slots=True)
class Completion:
    """A command that fits what was typed. `text` takes the place of it."""

    command: Command
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What to do: the name of a command or `SEARCH_THINKING`, and the text with it.

    `fresh` says that an answer is there and another one is wanted: the web is searched. `documents` are
    identities of what alone is to answer.
    """

    command: str
    text: str
    fresh: bool = False
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Why nothing is done, in one sentence. `nearest` is the text that was probably meant."""

    problem: str
    nearest: str = ""


def mode_of(command: str) -> AskMode | None:
    """Return with which mode a command asks; None where it asks nothing."""
    if searches(command):
        return AskMode.WEB
    return AskMode.CHAT if from_memory(command) else None


def completions(text: str) -> tuple[Completion, ...]:
    """Return the commands that go on from what was typed, best first; none behind a white space.

    Names that begin so come first, then names that hold it, then descriptions with such a word.
    Behind one of the commands that go together the ones that go with it are found.
    """
    before, table = "", COMMANDS
    if (begun := _JOINED.match(text)) is not None:
        before, text = begun[0], text[begun.end() :]
        others = _PARTNERS[:-1] if begun[1].casefold() == THINK else (THINK,)
        table = tuple(c for c in COMMANDS if c.name in others)
    found = _WORD.fullmatch(text)
    if found is None:
        return ()
    typed = found[1].casefold()
    fitting = [command for command in table if command.name.startswith(typed)]
    if typed:
        fitting += [c for c in table if typed in c.name]
    if len(typed) >= _DESCRIBED_FROM:
        fitting += [c for c in table if _describes(c, typed)]
    return tuple(Completion(c, before + _typed(c)) for c in dict.fromkeys(fitting))


def parse(
    text: str,
    table: Sequence[Command] = COMMANDS,
    *,
    quote: str = "",
    mode: AskMode = AskMode.WEB,
) -> Asked | NotUnderstood:
    """Read what was typed. `quote` is the text that was selected or pasted, if any.

    `mode` says what plain text asks. Where that is about a longer quoted text alone ("What is
    this?"), or about one of which a search could read only the beginning, the model is asked alone.
    A path such as `/etc/hosts`, and a slash by itself, are plain text.
    """
    stripped = _DOUBLED.sub("", text.strip())
    word, *rest = stripped.split(maxsplit=1)[:2] or [""]
    found = _WORD.fullmatch(word)
    if found is None or not found[1]:
        return _plain(stripped, quote, mode)
    name, said = found[1].casefold(), rest[0] if rest else ""
    command = next((c for c in table if c.name == name), None)
    if command is None:
        return _unknown(found[1], said, table)
    if command.name == THINK:
        return _thought(said, table, quote, mode)
    joins = command.name in {SEARCH, CHAT}
    if joins and (behind := _behind_think(said, table)) is not None:
        return _thought(f"/{command.name} {behind}", table, quote, mode)
    if joins and said.startswith(_ASKING):
        return NotUnderstood(tr("Use either /search or /chat."), said)
    if command.wants is Wants.TEXT and not said and not (command.on_selection and quote.strip()):
        return NotUnderstood(_wanting(command))
    if command.wants is Wants.NOTHING and said:
        return NotUnderstood(tr("/{name} takes no text.", name=command.name), f"/{command.name}")
    return Asked(command.name, said)


def clarified(question: str, reply: str) -> str:
    """Return the question to search once the user has answered what was asked back."""
    return f"{question} {reply.strip()}"


def _plain(text: str, quote: str, mode: AskMode) -> Asked | NotUnderstood:
    if not text and not quote.strip():
        return NotUnderstood(tr("There is nothing to ask yet."))
    is_searched = mode is AskMode.WEB and _can_be_searched(text, quote)
    return Asked(SEARCH if is_searched else CHAT, text)


def _can_be_searched(text: str, quote: str) -> bool:
    """Return whether a question says itself, or with a few quoted words, what to search for."""
    if not text or len(quote) > LONGEST_SEARCHED_ABOUT:
        return False
    return count_words(quote) <= MOST_SEARCHED_WORDS or bool(terms(text))


def _thought(
    said: str, table: Sequence[Command], quote: str, mode: AskMode
) -> Asked | NotUnderstood:
    """Read what stands behind `/think`: a question, with or without a command of its own."""
    match parse(said, table, quote=quote, mode=mode):
        case NotUnderstood() if not said:
            return NotUnderstood(tr("Type the question after /{name}.", name=THINK))
        case NotUnderstood(problem=problem, nearest=nearest):
            return NotUnderstood(problem, f"/{THINK} {nearest}" if nearest else "")
        case Asked(command=command, text=text) if from_memory(command):
            return Asked(THINK, text)
        case Asked(command=command, text=text) if searches(command):
            return Asked(SEARCH_THINKING, text)
        case _:
            return NotUnderstood(
                tr("/think needs a question, alone or with /search or /chat."), said
            )


def _behind_think(said: str, table: Sequence[Command]) -> str | None:
    """Return what stands behind a `/think` that a text begins with; None if it does not."""
    word, *rest = said.split(maxsplit=1) or [""]
    found = _WORD.fullmatch(word)
    known = any(command.name == THINK for command in table)
    if not known or found is None or found[1].casefold() != THINK:
        return None
    return rest[0] if rest else ""


def _wanting(command: Command) -> str:
    if command.on_selection:
        return tr("Select or paste a text, or type it after /{name}.", name=command.name)
    return tr("Type the question after /{name}.", name=command.name)


def _unknown(name: str, said: str, table: Sequence[Command]) -> NotUnderstood:
    typed = name.casefold()
    begun = [c.name for c in table if c.name.startswith(typed)]
    close = begun or get_close_matches(typed, [c.name for c in table], 1, _CLOSE)
    if not close:
        told = tr("There is no /{name}. /help lists all commands.", name=name)
        return NotUnderstood(told)
    told = tr("There is no /{name}. Did you mean /{nearest}?", name=name, nearest=close[0])
    return NotUnderstood(told, f"/{close[0]} {said}".strip())


def _describes(command: Command, typed: str) -> bool:
    return any(word.startswith(typed) for word in re.findall(r"\w+", command.about.casefold()))


def _typed(command: Command) -> str:
    return f"/{command.name}" + ("" if command.wants is Wants.NOTHING else " ")
