"""What can be typed behind a slash: the table, its completion, and reading what was typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from askance.app.own_files import OwnFile, OwnFiles, own_files
from askance.config.choices import AskMode
from askance.domain.conversation import (
    CHAT,
    CHECK,
    SEARCH,
    SEARCH_THINKING,
    THINK,
    CommandMode,
    OwnCommand,
    ParsedCommand,
    QuoteOrigin,
    TextTask,
    TurnInput,
    asks_files,
    from_memory,
    searches,
    thinks,
)
from askance.domain.events import SearchStarted
from askance.domain.messages import Message
from askance.domain.web_pages import SearchScope
from askance.presentation.i18n import term, tr, translated
from askance.text.ranking.index_terms import count_words, terms

if TYPE_CHECKING:
    from askance.domain.history import Exchange

# The slash of a Chinese or Japanese keyboard is a slash too.
_WORD = re.compile(r"[/\uff0f]([^\s/\uff0f]*)")
_SLASHES = ("/", "\uff0f")
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
# A name behind an at sign may be anybody's: only one that is nearly a lens is a slip.
_CLOSE_LENS = 0.7
_LENS_WORD = re.compile(r"[@\uff20]([^\s@\uff20]*)")
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
    """One row of the table. `on_selection`: a quoted text will do for the text it wants.

    `own` is the file that the command, or a lens, is made of.
    """

    name: str
    what: str
    wants: Wants
    on_selection: bool = False
    own: OwnFile | None = None

    @property
    def about(self) -> str:
        """What it does, in one line; of a broken file, what is wrong with it."""
        if self.own is None:
            return tr(self.what)
        holds = self.own.holds
        return translated(holds) if isinstance(holds, Message) else self.own.about

    @property
    def label(self) -> str:
        """Its name as it is typed."""
        return f"{self.own.sign if self.own else '/'}{self.name}"


COMMANDS = (
    Command("search", term("Search the web, read, and answer with sources"), Wants.TEXT),
    Command("chat", term("Ask the model alone, from its memory"), Wants.TEXT),
    Command("think", term("Let the model reason before it answers"), Wants.TEXT),
    Command(WindowCommand.LIBRARY, term("Search your library, without a model"), Wants.MAYBE),
    Command(NEW, term("Start a new conversation"), Wants.NOTHING),
    Command(WindowCommand.HISTORY, term("Search past conversations"), Wants.MAYBE),
    Command(WindowCommand.EXPORT, term("Export this conversation to a file"), Wants.MAYBE),
    *(Command(task.value, task.about, Wants.TEXT, on_selection=True) for task in TextTask),
    Command(CHECK, term("Check a text claim by claim"), Wants.TEXT, on_selection=True),
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
    # Files stand in the place of the chat, where there are some.
    return AskMode.CHAT if from_memory(command) or asks_files(command) else None


def as_typed(asked: ParsedCommand) -> str:
    """Return what would be typed to ask this, in its own mode. Own commands and lenses are a part of the text."""
    if mode_of(asked.command) is None:
        return f"/{asked.command} {asked.text}".strip()
    return f"/{THINK} {asked.text}" if thinks(asked.command) and not asked.own else asked.text


def completions(text: str) -> tuple[Completion, ...]:
    """Return the commands that go on from what was typed, best first; none behind a white space.

    Names that begin so come first, then names that hold it, then descriptions with such a word.
    Behind one of the commands that go together the ones that go with it are found.
    """
    if (lens := _LENS_WORD.fullmatch(text)) is not None:
        begun = lens[1].casefold()
        return tuple(Completion(c, f"{c.label} ") for c in lens_rows() if c.name.startswith(begun))
    before, text = "", with_one_slash(text)
    table = with_own(COMMANDS) if text.startswith(_SLASHES) else COMMANDS
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
    own: OwnFiles | None = None,
) -> ParsedCommand | CommandError:
    """Read what was typed. `quote` is the text that was selected or pasted, if any.

    `own` has the commands and lenses of the user's own; without it those of this process count.

    `mode` says what plain text asks. Where that is about a longer quoted text alone ("What is
    this?"), or about one of which a search could read only the beginning, the model is asked alone.
    `documents` are those of the library that the quote stands for: what is searched is searched in them.
    A path, such as `/etc/hosts` or `/tmp` with words behind it, is plain text, and so are "/24 subnet", one
    letter with words behind it ("/s on reddit?"), and "/new york weather", since `/new` takes no text. `/help` shows the commands, whatever stands behind it.
    """
    own, typed = own or own_files(), text.strip()
    name, rest = _lens_at_start(typed)
    # Files are looked for only behind a sign: most of what is typed has none.
    lens = own.lenses().get(name) if name else None
    if name and own.was_lens(name):
        return _gone(name, rest)
    if name and lens is None and (near := get_close_matches(name, own.lenses(), 1, _CLOSE_LENS)):
        problem = tr("There is no @{name}. Did you mean @{nearest}?", name=name, nearest=near[0])
        return CommandError(problem, f"@{near[0]} {rest}".strip(), f"/{SEARCH} {typed}")
    # Who names sites asks the web, whatever plain text asks.
    read, mode = (typed, mode) if lens is None else (rest, AskMode.WEB)
    table = with_own(table, own) if read.startswith(_SLASHES) else table
    parsed = _parsed(read, table, quote, mode, bool(documents))
    if not isinstance(parsed, ParsedCommand):
        return (
            replace(parsed, nearest=f"@{name} {parsed.nearest}")
            if lens and parsed.nearest
            else parsed
        )
    if lens is None and searches(parsed.command):
        name, rest = _lens_at_start(parsed.question)
        if name and own.was_lens(name):
            return _gone(name, rest)
        lens = own.lenses().get(name) if name and rest else None
        parsed = replace(parsed, text=_begun(parsed, rest)) if lens else parsed
    if lens is not None:
        return _through(lens, parsed, has_documents=bool(documents))
    if documents and searches(parsed.command):
        return replace(parsed, scope=SearchScope(documents=documents))
    return parsed


def asked_by_own(text: str, own: OwnFiles, quote: str = "") -> ParsedCommand | CommandError | None:
    """Return what a text asks that begins with a command or a lens of the user's own; None for any other."""
    (name, _), (lens, _) = _parted(text), _lens_at_start(text)
    is_own = name and name.casefold() in own.commands()
    return parse(text, quote=quote, own=own) if is_own or (lens and lens in own.lenses()) else None


def _is_file_name(line: str) -> bool:
    return PurePath(line).suffix[1:].isalnum()


def as_stored(
    command: str,
    text: str,
    quote: str,
    queries: Iterable[str] = (),
    inputs: Iterable[TurnInput] = (),
) -> ParsedCommand:
    """Return what was asked by a stored exchange, into whose answer went `inputs`.

    The own command and the lens in its text are looked up when it is asked again; they are words where its
    `queries` have them. What was quoted may be names of files, which are not searched.
    """
    known = tuple(inputs)
    # Of a run that was stopped nobody knows what went into it.
    are_files = TurnInput.DOCUMENTS in known or asks_files(command)
    if not known and searches(command):
        are_files = all(map(_is_file_name, quote.splitlines()))
    origin = QuoteOrigin.ATTACHED if quote and are_files else QuoteOrigin.QUOTED
    own, rest = _parted(text)
    lens, _ = _lens_at_start(rest if own else text)
    if lens:
        own_files().note_lens(lens)
    is_own = own and not _is_question(own, rest, COMMANDS)
    named = (f"/{own.casefold()}" if is_own else "", f"@{lens}" if lens else "")
    sent = " ".join(queries).casefold()
    own_names = tuple(name for name in named if name and name not in sent)
    return ParsedCommand(command, text, quote, origin, own_names=own_names)


def with_own(table: Sequence[Command], own: OwnFiles | None = None) -> tuple[Command, ...]:
    """Return a table with the commands of the user's own behind it; one with the name of another says so."""
    taken = {command.name for command in (*COMMANDS, *table)}
    files = (own or own_files()).commands().values()
    return (*table, *(_row(_renamed(file) if file.name in taken else file) for file in files))


def _renamed(file: OwnFile) -> OwnFile:
    problem = Message(
        "/{name} is a command of the program: give the file another name.", name=file.name
    )
    return replace(file, name=f"{file.name}.md", holds=problem)


def lens_rows() -> tuple[Command, ...]:
    """Return the lenses of this process as rows of a table."""
    lenses = own_files().lenses().items()
    return tuple(Command(name, "", Wants.TEXT, own=file) for name, file in lenses)


def asked_in(stored: Exchange) -> ParsedCommand:
    """Return what a stored exchange has asked."""
    events = [timed.event for timed in stored.events]
    queries = [q for event in events if isinstance(event, SearchStarted) for q in event.queries]
    inputs = stored.answer.inputs if stored.answer is not None else ()
    return as_stored(stored.command, stored.text, stored.quote, queries, inputs)


def _gone(lens: str, question: str) -> CommandError:
    problem = tr("There is no lens @{name} any more.", name=lens)
    return CommandError(problem, as_question=f"/{SEARCH} {question}" if question else "")


def _row(file: OwnFile) -> Command:
    wants, on_selection = Wants.MAYBE, False
    if isinstance(own := file.holds, OwnCommand):
        on_selection = own.uses("selection")
        wants = Wants.TEXT if on_selection or own.uses("argument") else Wants.MAYBE
    return Command(file.name, "", wants, on_selection, file)


def _lens_at_start(text: str) -> tuple[str, str]:
    """Return the name behind an at sign that a text begins with, or nothing, and what stands behind it."""
    word, *rest = text.split(maxsplit=1) or [""]
    found = _LENS_WORD.fullmatch(word)
    return found[1].casefold() if found else "", rest[0] if rest else ""


def _through(
    file: OwnFile, parsed: ParsedCommand, *, has_documents: bool
) -> ParsedCommand | CommandError:
    """Return what was asked, of the sites of a lens alone."""
    if isinstance(file.holds, Message):
        return CommandError(translated(file.holds))
    is_of_files = parsed.own is not None and parsed.own.mode is CommandMode.FILES
    if has_documents or is_of_files or not searches(parsed.command):
        return CommandError(tr("@{name} goes with a question to the web.", name=file.name))
    assert isinstance(file.holds, SearchScope)
    text = _begun(parsed, f"@{file.name} {parsed.question}".strip())
    return replace(parsed, text=text, lens=file.name, scope=file.holds)


def _begun(parsed: ParsedCommand, question: str) -> str:
    """Return a question behind the own command that it is asked with."""
    return f"/{parsed.own.name} {question}".strip() if parsed.own else question


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
    if command.own is not None:
        return _of_own(command.own, argument)
    return ParsedCommand(command.name, argument)


def _of_own(file: OwnFile, argument: str) -> ParsedCommand | CommandError:
    if isinstance(file.holds, Message):
        return CommandError(translated(file.holds))
    assert isinstance(file.holds, OwnCommand)
    # With its name in the text: so it stands in the conversation, and is asked the same way again later.
    name = CHAT if file.holds.mode is CommandMode.CHAT else SEARCH
    return ParsedCommand(name, f"/{file.name} {argument}".strip(), own=file.holds)


def is_plain(text: str, table: Sequence[Command] = COMMANDS) -> bool:
    """Return whether what was typed begins with nothing that could be a command or a lens."""
    lens, _ = _lens_at_start(text.strip())
    name, argument = _parted(with_one_slash(text.strip()))
    if lens and lens in own_files().lenses():
        return False
    table = with_own(table) if name else table
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
        return CommandError(tr("Type a question first."))
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
        case ParsedCommand(command=command) as parsed if from_memory(command):
            return replace(parsed, command=THINK)
        case ParsedCommand(command=command) as parsed if searches(command):
            return replace(parsed, command=SEARCH_THINKING)
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
