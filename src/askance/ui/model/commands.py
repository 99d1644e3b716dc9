"""What can be typed behind a slash: the table, its completion, and reading what was typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from askance.telling.words import term, tr

CHAT = "chat"
"""The command of plain text: it talks to the model and never searches."""
# The slash of a Chinese or Japanese keyboard is a slash too.
_SLASHES = ("/", "\uff0f")
_WORD = re.compile(r"[/\uff0f]([^\s/\uff0f]*)")
_CLOSE = 0.6
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
    Command("library", term("Ask only what you have read and kept"), Wants.TEXT),
    Command("new", term("Begin a new conversation"), Wants.NOTHING),
    Command("history", term("Past conversations, and searching them"), Wants.MAYBE),
    Command("export", term("Keep this conversation as a file"), Wants.MAYBE),
    Command("tldr", term("Say the text in a few sentences"), Wants.TEXT, on_selection=True),
    Command("rewrite", term("Say the text in other words"), Wants.TEXT, on_selection=True),
    Command("refine", term("Mend spelling, grammar and style"), Wants.TEXT, on_selection=True),
    Command("translate", term("Translate the text"), Wants.TEXT, on_selection=True),
    Command("explain", term("Explain the text in plain words"), Wants.TEXT, on_selection=True),
    Command("bullets", term("Turn the text into a list of points"), Wants.TEXT, on_selection=True),
    Command("todos", term("List what the text asks to be done"), Wants.TEXT, on_selection=True),
    Command("model", term("Choose the model"), Wants.MAYBE),
    Command("settings", term("Models, services, hotkey, privacy"), Wants.NOTHING),
    Command("help", term("All commands and keys"), Wants.NOTHING),
)


@dataclass(frozen=True, slots=True)
class Completion:
    """A command that fits what was typed. `text` takes the place of it."""

    command: Command
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What to do: the name of a command, or `CHAT`, and the text that goes with it."""

    command: str
    text: str


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Why nothing is done, in one sentence. `nearest` is the text that was probably meant."""

    problem: str
    nearest: str = ""


def without_library(table: Sequence[Command] = COMMANDS) -> tuple[Command, ...]:
    """Return the commands of an installation that keeps no library."""
    return tuple(command for command in table if command.name != "library")


def completions(text: str, table: Sequence[Command] = COMMANDS) -> tuple[Completion, ...]:
    """Return the commands that go on from what was typed, best first; none behind a white space.

    Names that begin so come first, then names that hold it, then descriptions with such a word.
    """
    found = _WORD.fullmatch(text)
    if found is None:
        return ()
    typed = found[1].casefold()
    fitting = [command for command in table if command.name.startswith(typed)]
    if typed:
        fitting += [c for c in table if typed in c.name]
    if len(typed) >= _DESCRIBED_FROM:
        fitting += [c for c in table if _describes(c, typed)]
    return tuple(Completion(command, _typed(command)) for command in dict.fromkeys(fitting))


def parse(
    text: str, table: Sequence[Command] = COMMANDS, *, quote: str = ""
) -> Asked | NotUnderstood:
    """Read what was typed. `quote` is the text that was selected or pasted, if any.

    A path such as `/etc/hosts`, and a slash by itself, are plain text.
    """
    stripped = text.strip()
    word, *rest = stripped.split(maxsplit=1)[:2] or [""]
    found = _WORD.fullmatch(word)
    if found is None or not found[1]:
        return _chatted(stripped, quote)
    name, said = found[1].casefold(), rest[0] if rest else ""
    command = next((c for c in table if c.name == name), None)
    if command is None:
        return _unknown(found[1], said, table)
    if command.wants is Wants.TEXT and not said and not (command.on_selection and quote.strip()):
        return NotUnderstood(_wanting(command))
    if command.wants is Wants.NOTHING and said:
        return NotUnderstood(tr("/{name} stands by itself.", name=command.name), f"/{command.name}")
    return Asked(command.name, said)


def clarified(question: str, reply: str) -> str:
    """Return the question to search once the user has answered what was asked back."""
    return f"{question} {reply.strip()}"


def _chatted(text: str, quote: str) -> Asked | NotUnderstood:
    if not text and not quote.strip():
        return NotUnderstood(tr("There is nothing to ask yet."))
    return Asked(CHAT, text)


def _wanting(command: Command) -> str:
    if command.on_selection:
        return tr("Select or paste a text, or write it behind /{name}.", name=command.name)
    return tr("Write the question behind /{name}.", name=command.name)


def _unknown(name: str, said: str, table: Sequence[Command]) -> NotUnderstood:
    typed = name.casefold()
    begun = [c.name for c in table if c.name.startswith(typed)]
    close = begun or get_close_matches(typed, [c.name for c in table], 1, _CLOSE)
    if not close:
        told = tr("There is no /{name}. /help shows what there is.", name=name)
        return NotUnderstood(told)
    told = tr("There is no /{name}. Did you mean /{nearest}?", name=name, nearest=close[0])
    return NotUnderstood(told, f"/{close[0]} {said}".strip())


def _describes(command: Command, typed: str) -> bool:
    return any(word.startswith(typed) for word in re.findall(r"\w+", command.about.casefold()))


def _typed(command: Command) -> str:
    return f"/{command.name}" + ("" if command.wants is Wants.NOTHING else " ")
