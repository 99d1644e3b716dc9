"""What can be typed behind a slash: the table, its completion, and reading what was typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum

from askance.config.choices import AskMode
from askance.domain.conversation import (
    CHAT,
    SEARCH,
    SEARCH_THINKING,
    THINK,
    ParsedCommand,
    TextTask,
    from_memory,
    searches,
)
from askance.domain.web_pages import SearchScope
from askance.presentation.i18n import term, tr
from askance.text.ranking.index_terms import count_words, terms

# The slash of a Chinese or Japanese keyboard is a slash too.
_WORD = re.compile(r"[/\uff0f]([^\s/\uff0f]*)")
# A command that is typed or pasted behind the slash that F1 puts into the field.
_DOUBLED = re.compile(r"^[/\uff0f]+(?=[/\uff0f][^\s/\uff0f]*(?:\s|$))")
# Folders that stand in `/`: a text that begins with one is about a path.
_ROOT_FOLDERS = re.compile(
    r"(?:applications|bin|boot|dev|etc|home|lib(?:32|64)?|media|mnt|nix|opt|private|proc|root|run|sbin|snap"
    r"|srv|sys|system|tmp|users|usr|var|volumes)[.,;:!?)\"']*",
    re.IGNORECASE,
)
# `/think` may stand with either of the others, in either order.
_PARTNERS = ("search", "chat", "think")
_JOINED = re.compile(rf"[/\uff0f]({'|'.join(_PARTNERS)})\s+(?=[/\uff0f])", re.IGNORECASE)
_ASKING = ("/search ", "/chat ")
_CLOSE = 0.6
# Behind a command that takes no text a word may be a slip; more are a question that only begins like it.
_WORDS_OF_QUESTION = 2
NEW = "new"
MOST_SEARCHED_WORDS = 8
"""A quoted text that is longer is never searched: it may be anybody's letter."""
LONGEST_SEARCHED_ABOUT = 1200
"""So much of it, in characters, is read with a question that is searched: it stands in every prompt."""
# A word of a description is looked for only when this much of it was typed.
_DESCRIBED_FROM = 3


class WindowCommand(StrEnum):
    """What asks nothing, and goes to another part of the window."""

    LIBRARY = "library"
    HISTORY = "history"
    EXPORT = "export"
    MODEL = "model"
    SETTINGS = "settings"
    HELP = "help"


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
    Command(WindowCommand.LIBRARY, term("Search your library, without a model"), Wants.MAYBE),
    Command(NEW, term("Start a new conversation"), Wants.NOTHING),
    Command(WindowCommand.HISTORY, term("Search past conversations"), Wants.MAYBE),
    Command(WindowCommand.EXPORT, term("Export this conversation to a file"), Wants.MAYBE),
    *(Command(task.value, task.about, Wants.TEXT, on_selection=True) for task in TextTask),
    Command(WindowCommand.MODEL, term("Choose the model"), Wants.MAYBE),
    Command(WindowCommand.SETTINGS, term("Models, services, hotkey, privacy"), Wants.NOTHING),
    Command(WindowCommand.HELP, term("All commands"), Wants.NOTHING),
)


@dataclass(frozen=True, slots=True)
class Completion:
    """A command that fits what was typed. `text` takes the place of it."""

    command: Command
    text: str


@dataclass(frozen=True, slots=True)
class CommandError:
    """Why nothing is done, in one sentence. `nearest` is the text that was probably meant.

    `as_question` is the text that asks what was typed as it stands, where that is no command.
    """

    problem: str
    nearest: str = ""
    as_question: str = ""


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
    before, table, text = "", COMMANDS, with_one_slash(text)
    if (begun := _JOINED.match(text)) is not None:
        before, text = begun[0], text[begun.end() :]
        # Only `/think` combines with another one; `/search` and `/chat` exclude each other.
        others = _PARTNERS[:-1] if begun[1].casefold() == THINK else (THINK,)
        table = tuple(c for c in COMMANDS if c.name in others)
    found = _WORD.fullmatch(text)
    if found is None:
        return ()
    typed = found[1].casefold()
    fitting = [command for command in table if command.name.startswith(typed)]
    if typed:
        fitting += [c for c in table if typed in c.name]
    # One or two letters begin a word of nearly every description.
    if len(typed) >= _DESCRIBED_FROM:
        fitting += [c for c in table if _describes(c, typed)]
    return tuple(Completion(c, before + _typed(c)) for c in dict.fromkeys(fitting))


def parse(
    text: str,
    table: Sequence[Command] = COMMANDS,
    *,
    quote: str = "",
    mode: AskMode = AskMode.WEB,
    documents: tuple[str, ...] = (),
) -> ParsedCommand | CommandError:
    """Read what was typed. `quote` is the text that was selected or pasted, if any.

    `mode` says what plain text asks. Where that is about a longer quoted text alone ("What is
    this?"), or about one of which a search could read only the beginning, the model is asked alone.
    `documents` are those of the library that the quote stands for: what is searched is searched in them.
    A path, such as `/etc/hosts` or `/tmp` with words behind it, is plain text, and so are "/24 subnet", one
    letter with words behind it ("/s on reddit?"), and "/new york weather", since `/new` takes no text. `/help` shows the commands, whatever stands behind it.
    """
    parsed = _parsed(text, table, quote, mode, bool(documents))
    if documents and isinstance(parsed, ParsedCommand) and searches(parsed.command):
        return replace(parsed, scope=SearchScope(documents=documents))
    return parsed


def _parsed(
    text: str, table: Sequence[Command], quote: str, mode: AskMode, has_documents: bool
) -> ParsedCommand | CommandError:
    typed = text.strip()
    line = with_one_slash(typed)
    name, argument = _parted(line)
    if not name or _is_question(name, argument, table):
        return _plain(typed, quote, mode, has_documents)
    command = next((c for c in table if c.name == name.casefold()), None)
    if command is None:
        return _unknown(
            name, argument, table, f"/{SEARCH if mode is AskMode.WEB else CHAT} {typed}"
        )
    if command.name == THINK:
        return _thought(argument, table, quote, mode, has_documents)
    joins = command.name in {SEARCH, CHAT}
    if joins and (behind := _behind_think(argument, table)) is not None:
        return _thought(f"/{command.name} {behind}", table, quote, mode, has_documents)
    if joins and argument.startswith(_ASKING):
        return CommandError(tr("Use either /search or /chat."), argument)
    if (
        command.wants is Wants.TEXT
        and not argument
        and not (command.on_selection and quote.strip())
    ):
        return CommandError(_wanting(command))
    if command.name == WindowCommand.HELP:
        # Any text behind it is ignored.
        return ParsedCommand(command.name)
    if command.wants is Wants.NOTHING and argument:
        return CommandError(tr("/{name} takes no text.", name=command.name), f"/{command.name}")
    return ParsedCommand(command.name, argument)


def is_plain(text: str, table: Sequence[Command] = COMMANDS) -> bool:
    """Return whether what was typed begins with nothing that could be a command."""
    name, argument = _parted(with_one_slash(text.strip()))
    return not name or _is_question(name, argument, table)


def with_one_slash(text: str) -> str:
    """Return what was typed with one slash before a command that stands behind several."""
    return _DOUBLED.sub("", text)


def _parted(line: str) -> tuple[str, str]:
    """Return the name of the command that a line begins with, or nothing, and what stands behind it."""
    word, *rest = line.split(maxsplit=1) or [""]
    found = _WORD.fullmatch(word)
    return found[1] if found else "", rest[0] if rest else ""


def _is_question(name: str, text: str, table: Sequence[Command]) -> bool:
    command = next((c for c in table if c.name == name.casefold()), None)
    if command is not None:
        takes_none = command.wants is Wants.NOTHING and command.name != WindowCommand.HELP
        return takes_none and len(text.split()) >= _WORDS_OF_QUESTION
    # No command is a number or a letter.
    is_short = name[0].isdecimal() or len(name) == 1
    return bool(text) and (is_short or _ROOT_FOLDERS.fullmatch(name) is not None)


def _plain(
    text: str, quote: str, mode: AskMode, has_documents: bool
) -> ParsedCommand | CommandError:
    # F1 puts a slash into the field: a slash alone is no question.
    is_slash = bool(text) and not text.strip("/\uff0f")
    if is_slash or not (text or (quote.strip() and not has_documents)):
        return CommandError(tr("There is nothing to ask yet."))
    is_searched = mode is AskMode.WEB and _can_be_searched(text, quote)
    return ParsedCommand(SEARCH if is_searched or has_documents else CHAT, text)


def _can_be_searched(text: str, quote: str) -> bool:
    """Return whether a question says itself, or with a few quoted words, what to search for."""
    if not text or len(quote) > LONGEST_SEARCHED_ABOUT:
        return False
    # A question of stop words alone ("What is this?") says nothing that could be searched.
    return count_words(quote) <= MOST_SEARCHED_WORDS or bool(terms(text))


def _thought(
    argument: str, table: Sequence[Command], quote: str, mode: AskMode, has_documents: bool
) -> ParsedCommand | CommandError:
    """Read what stands behind `/think`: a question, with or without a command of its own."""
    match _parsed(argument, table, quote, mode, has_documents):
        case CommandError() if not argument:
            return CommandError(tr("Type the question after /{name}.", name=THINK))
        case CommandError() as not_understood:
            return replace(
                not_understood,
                nearest=_after_think(not_understood.nearest),
                as_question=_after_think(not_understood.as_question),
            )
        case ParsedCommand(command=command, text=text) if from_memory(command):
            return ParsedCommand(THINK, text)
        case ParsedCommand(command=command, text=text) if searches(command):
            return ParsedCommand(SEARCH_THINKING, text)
        case _:
            return CommandError(
                tr("/think needs a question, alone or with /search or /chat."), argument
            )


def _after_think(text: str) -> str:
    return f"/{THINK} {text}" if text else ""


def _behind_think(text: str, table: Sequence[Command]) -> str | None:
    """Return what stands behind a `/think` that a text begins with; None if it does not."""
    name, behind = _parted(text)
    known = any(command.name == THINK for command in table)
    return behind if known and name.casefold() == THINK else None


def _wanting(command: Command) -> str:
    if command.on_selection:
        return tr("Select or paste a text, or type it after /{name}.", name=command.name)
    return tr("Type the question after /{name}.", name=command.name)


def _unknown(name: str, text: str, table: Sequence[Command], as_question: str) -> CommandError:
    typed = name.casefold()
    # A prefix first: an unfinished name is more likely than a misspelled one.
    begun = [c.name for c in table if c.name.startswith(typed)]
    close = begun or get_close_matches(typed, [c.name for c in table], 1, _CLOSE)
    if not close:
        problem = tr("There is no /{name}. /help lists all commands.", name=name)
        return CommandError(problem, as_question=as_question)
    problem = tr("There is no /{name}. Did you mean /{nearest}?", name=name, nearest=close[0])
    return CommandError(problem, f"/{close[0]} {text}".strip(), as_question)


def _describes(command: Command, typed: str) -> bool:
    return any(word.startswith(typed) for word in re.findall(r"\w+", command.about.casefold()))


def _typed(command: Command) -> str:
    return f"/{command.name}" + ("" if command.wants is Wants.NOTHING else " ")
