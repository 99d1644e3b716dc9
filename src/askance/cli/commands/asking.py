"""`askance ask` and `askance chat`: one question, or a conversation in the terminal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from askance.app.commands import (
    COMMANDS,
    Command,
    CommandError,
    ParsedCommand,
    Wants,
    clarified,
    is_plain,
    parse,
)
from askance.app.container import App
from askance.app.conversation import ConversationSession, is_asked
from askance.app.library import look_up
from askance.cli.commands.library import show_hits
from askance.cli.exits import (
    Exit,
    failure_sentence,
    interruptible,
    report_end,
    run_async,
    stoppable,
)
from askance.cli.render.output import write_line
from askance.cli.render.views import Footer, Renderer, follow, footer_of, plain_lines
from askance.cli.shell import Shell, settled
from askance.config.choices import AskMode, Consent
from askance.config.settings import Settings
from askance.domain.characters import clean, clean_typed
from askance.domain.conversation import SEARCH, from_memory, searches
from askance.domain.errors import AskanceError
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Emit, Failed, RunEnd, Warned
from askance.domain.history import TimedEvent
from askance.domain.web import WHOLE_WEB, SearchScope
from askance.presentation.i18n import without_backticks

Reopen = Callable[[Settings], Awaitable[App]]

PROMPTS = {AskMode.WEB: "web> ", AskMode.CHAT: "chat> "}
HELP = """\
Plain text searches the web at `web>`, and asks the model alone at `chat>`.
/search QUESTION  searches the web and answers with sources
/chat QUESTION    asks the model alone: from memory, not checked
/search, /chat    without a question: turn to the one or the other; /search also searches what was
                  just answered from memory
/think QUESTION   lets the model reason before it answers; also behind /search or /chat
/tldr, /rewrite, /refine, /translate, /explain, /bullets, /todos TEXT
                  works on the text
/library WORDS    searches your library, without a model
/allow            searches the last question again, with the words that were held back of it
/sources          shows the sources of the last answer again
/new              begins a new conversation
/help             shows this
/quit             leaves, as Ctrl-D does; Ctrl-C stops a run"""
_UNCHECKED = "/search searches the web for it."
_HELD_BACK = "/allow searches it again with the words that were held back."
_MODES = {"/search": AskMode.WEB, "/chat": AskMode.CHAT}
# What the window has of its own; a terminal has the last of these instead.
_TABLE = (
    *(command for command in COMMANDS if is_asked(command.name) or command.name in {"new", "help"}),
    Command("library", "Search your library, without a model", Wants.TEXT),
    Command("allow", "Search again with the words that were held back", Wants.NOTHING),
    Command("sources", "Show the sources of the last answer again", Wants.NOTHING),
    Command("quit", "Leave", Wants.NOTHING),
)


def ask(
    shell: Shell,
    question: str,
    overrides: Mapping[str, Any],
    *,
    narrowing: SearchScope = WHOLE_WEB,
    as_json: bool = False,
    verbose: bool = False,
) -> Exit:
    """Answer a question, from a part of the web if it is narrowed to one, and return the exit code."""
    settings = shell.settings(overrides)
    if not as_json:
        settings = settled(shell, settings)
    renderer = shell.front(as_json=as_json, verbose=verbose)
    answered = answer(shell, renderer, settings, question, narrowing=narrowing)
    return report_end(run_async(answered), shell.stderr)


def chat(shell: Shell, overrides: Mapping[str, Any], *, verbose: bool = False) -> Exit:
    """Hold a conversation until the user leaves."""
    settings = shell.settings(overrides)

    async def hold() -> None:
        async with AsyncExitStack() as parts:

            async def opened(settings: Settings) -> App:
                app = shell.open_app(settings, shell.folders, upkeep=True)
                return await parts.enter_async_context(app)

            async def reopen(settings: Settings) -> App:
                await parts.aclose()
                return await opened(settings)

            await Chat(shell, await opened(settings), reopen, verbose=verbose).hold()

    run_async(hold())
    return Exit.DONE


async def answer(
    shell: Shell,
    renderer: Renderer,
    settings: Settings,
    question: str,
    *,
    narrowing: SearchScope = WHOLE_WEB,
    sample_web: Any | None = None,
) -> RunEnd:
    """Open the parts, ask the question outside of all conversations, and show it."""
    troubles: list[str] = []
    conversation = ConversationSession(troubles.append, is_stored=False)
    asked = ParsedCommand(SEARCH, question, scope=narrowing)

    async def run(emit: Emit) -> RunEnd:
        async with shell.open_app(settings, shell.folders, sample_web=sample_web) as app:
            end = await conversation.ask(app, asked, lambda timed: emit(timed.event))
        # Behind the run, when nothing is drawn over any more.
        for trouble in troubles:
            write_line(shell.stderr, f"askance: {trouble}")
        return end

    return await follow(renderer, run)


class Chat:
    """One conversation: what was said, the last answer, and a question that waits for its answer.

    `reopen` opens the parts anew, with other settings.
    """

    def __init__(self, shell: Shell, app: App, reopen: Reopen, *, verbose: bool) -> None:
        self._shell, self._app, self._verbose = shell, app, verbose
        self._reopen, self._settings = reopen, app.settings
        self._mode = app.settings.ask.mode
        self._begin_anew()

    async def hold(self) -> None:
        """Read lines and answer them until the user leaves."""
        while (line := self._next_line()) not in (None, "/quit"):
            if line:
                await self._take(line)

    def _next_line(self) -> str | None:
        # Waiting here stops the event loop; between two runs nothing is under way in it.
        try:
            with interruptible():
                return clean_typed(self._shell.read_line(PROMPTS[self._mode])).strip()
        except (EOFError, KeyboardInterrupt):
            self._shell.stdout.line()
            return None

    async def _take(self, line: str) -> None:
        if line in _MODES:
            await self._turn_to(_MODES[line])
            return
        if self._unclear and is_plain(line, _TABLE):
            await self._ask(
                ParsedCommand(self._unclear.command, clarified(self._unclear.text, line))
            )
            return
        asked = parse(line, _TABLE, mode=self._mode)
        if isinstance(asked, CommandError):
            self._shell.stdout.line(without_backticks(asked.problem))
            if asked.as_question:
                self._shell.stdout.line(f"To ask it as it stands: {asked.as_question}")
        elif is_asked(asked.command):
            await self._ask(asked)
        elif asked.command == "new":
            self._begin_anew()
            self._app.engine.forget_conversation()
            self._shell.stdout.line("A new conversation.")
        elif asked.command == "allow":
            await self._allow()
        elif asked.command == "sources":
            self._show_sources()
        elif asked.command == "library":
            await self._look_up(asked.text)
        else:
            self._shell.stdout.line(HELP)

    async def _look_up(self, words: str) -> None:
        """Show what the library holds on some words; the conversation stays as it was."""
        try:
            looked = await look_up(self._app.container, words)
        except AskanceError as exc:
            write_line(self._shell.stderr, f"askance: {exc.message}")
            return
        for note in looked.found.notes:
            write_line(self._shell.stderr, f"askance: {note}")
        show_hits(self._shell, words, looked.found.hits, is_empty=looked.is_empty)

    async def _turn_to(self, mode: AskMode) -> None:
        """Let plain text be asked so, and search what was answered from memory alone."""
        self._mode = mode
        if mode is AskMode.WEB and self._unsearched:
            await self._ask(ParsedCommand(SEARCH, self._unsearched))

    async def _allow(self) -> None:
        """Search the last question again with the words that its queries were sent without."""
        if (asked := self._withheld) is None:
            self._shell.stdout.line("No words of the last question were held back.")
            return
        await self._ask(asked)

    async def _ask(self, asked: ParsedCommand) -> None:
        """Run, and say how it ended. A stopped or failed run leaves the conversation as it was."""
        if searches(asked.command) and not await self._has_asked():
            self._shell.stdout.line("Stopped.")
            return

        held_back: list[str] = []

        def show(timed: TimedEvent, emit: Emit) -> None:
            if isinstance(timed.event, Warned):
                held_back.extend(timed.event.words)
            emit(timed.event)

        async def run(emit: Emit) -> RunEnd:
            return await self._conversation_session.ask(
                self._app, asked, lambda timed: show(timed, emit)
            )

        renderer = self._shell.front(verbose=self._verbose, command=asked.command)
        self._unclear, self._unsearched, self._withheld = None, "", None
        end = await stoppable(follow(renderer, run))
        self._take_end(asked, end)
        if held_back:
            allowed = (*asked.allowed, *held_back)
            self._withheld = replace(asked, fresh=True, allowed=allowed)
            self._shell.stdout.line(_HELD_BACK)

    def _take_end(self, asked: ParsedCommand, end: RunEnd | None) -> None:
        match end:
            case Answered():
                self._last = footer_of(end, asked.command)
                if from_memory(asked.command):
                    self._unsearched = asked.text
                    self._shell.stdout.line(_UNCHECKED)
            case ClarifyAsked():
                self._unclear = asked
            case Failed():
                write_line(self._shell.stderr, failure_sentence(end))
            case Cancelled() | None:
                self._shell.stdout.line("Stopped.")

    async def _has_asked(self) -> bool:
        """Ask how to search, if a person must be asked; False if Ctrl-C was the answer."""
        try:
            settings = settled(self._shell, self._settings)
        except KeyboardInterrupt:
            self._shell.stdout.line()
            return False
        if settings.search.in_process is not self._settings.search.in_process:
            self._settings = settings
            if settings.search.in_process is Consent.GIVEN:
                self._app = await self._reopen(settings)
        return True

    def _begin_anew(self) -> None:
        self._conversation_session = ConversationSession(
            lambda trouble: write_line(self._shell.stderr, f"askance: {trouble}")
        )
        self._last: Footer | None = None
        self._unclear: ParsedCommand | None = None
        self._unsearched = ""
        self._withheld: ParsedCommand | None = None

    def _show_sources(self) -> None:
        lines = plain_lines(self._last) if self._last else ["There is no answer yet."]
        for line in lines:
            self._shell.stdout.line(clean(line))
