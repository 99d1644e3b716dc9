"""`askance chat`: a conversation in the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from askance.adapters.storage.history_recording import Recorder
from askance.cli.consent import settled
from askance.cli.endings import Exit, failure_sentence
from askance.cli.interrupts import interruptible, stoppable
from askance.cli.keeping import traced
from askance.cli.parts import App, Emit, Engine
from askance.cli.render.following import Run, follow
from askance.cli.render.footer import Footer, footer_of, plain_lines
from askance.cli.render.output import say
from askance.cli.shell import Shell
from askance.config.settings import AskMode, Consent, Settings
from askance.domain.asking import CHAT, SEARCH, SEARCH_THINKING, THINK
from askance.domain.conversation import Conversation
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed, RunEnd
from askance.domain.history import TimedEvent, published_in, quoted_in
from askance.domain.text_task import TextTask
from askance.presentation.cleaning import clean

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
/sources          shows the sources of the last answer again
/new              begins a new conversation
/help             shows this
/quit             leaves, as Ctrl-D does; Ctrl-C stops a run"""

_SEARCH, _CHAT, _THINK = "/search", "/chat", "/think"
_MODES = {_SEARCH: AskMode.WEB, _CHAT: AskMode.CHAT}
_UNCHECKED = "/search searches the web for it."
_TEXT_COMMANDS = {f"/{task}": task for task in TextTask}


def chat(shell: Shell, overrides: Mapping[str, Any], *, verbose: bool = False) -> Exit:
    """Talk until the user leaves."""
    settings = shell.settings(overrides)

    async def talk() -> None:
        async with AsyncExitStack() as parts:
            app = await parts.enter_async_context(shell.open_app(settings, shell.folders))

            async def reopen(settings: Settings) -> App:
                await parts.aclose()
                return await parts.enter_async_context(shell.open_app(settings, shell.folders))

            await Talk(shell, app, reopen, verbose=verbose).hold()

    asyncio.run(talk())
    return Exit.DONE


class Talk:
    """One conversation: its history, the last answer, and a question that waits for its answer.

    `reopen` opens the parts anew, with other settings.
    """

    def __init__(self, shell: Shell, app: App, reopen: Reopen, *, verbose: bool) -> None:
        self._shell, self._app, self._verbose = shell, app, verbose
        self._reopen, self._settings = reopen, app.settings
        self._recorder = self._new_recorder()
        self._conversation = Conversation()
        self._last: Footer | None = None
        self._unclear = self._unsearched = ""
        self._mode = app.settings.ask.mode
        self._commands: dict[str, Callable[[], None]] = {
            "/new": self._begin_anew,
            "/sources": self._show_sources,
            "/help": lambda: self._shell.stdout.line(HELP),
        }

    async def hold(self) -> None:
        """Read lines and answer them until the user leaves."""
        while (line := self._next_line()) not in (None, "/quit"):
            await self._take(line or "")

    def _next_line(self) -> str | None:
        # Waiting here stops the event loop; between two runs nothing is under way in it.
        try:
            with interruptible():
                return clean(self._shell.read_line(PROMPTS[self._mode])).strip()
        except (EOFError, KeyboardInterrupt):
            self._shell.stdout.line()
            return None

    async def _take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if command := self._commands.get(line):
            command()
        elif line in _MODES:
            await self._turn_to(_MODES[line])
        elif word in {_SEARCH, _CHAT, _THINK}:
            await self._ask(line)
        elif task := _TEXT_COMMANDS.get(word):
            await self._rework(task, rest.strip())
        elif word.startswith("/"):
            self._shell.stdout.line(f"There is no {word}; /help shows what there is.")
        elif line and self._unclear:
            await self._search(f"{self._unclear} {line}")
        elif line:
            await self._ask_in(self._mode, line, thinks=False)

    async def _turn_to(self, mode: AskMode) -> None:
        """Let plain text be asked so, and search what was answered from memory alone."""
        self._mode = mode
        if mode is AskMode.WEB and self._unsearched:
            await self._search(self._unsearched)

    async def _ask(self, line: str) -> None:
        """Do what stands behind /search or /chat, /think, or two of them."""
        said, words = set[str](), line
        while (split := words.partition(" "))[0] in {_SEARCH, _CHAT, _THINK}:
            said.add(split[0])
            words = split[2].strip()
        if not words:
            self._shell.stdout.line(f"Write the question behind {line.split()[-1]}.")
        elif {_SEARCH, _CHAT} <= said:
            self._shell.stdout.line("Either /search or /chat: a question is asked once.")
        else:
            named = (mode for command, mode in _MODES.items() if command in said)
            await self._ask_in(next(named, self._mode), words, thinks=_THINK in said)

    async def _ask_in(self, mode: AskMode, question: str, *, thinks: bool) -> None:
        if mode is AskMode.WEB:
            await self._search(question, thinks=thinks)
        else:
            await self._say(question, thinks=thinks)

    async def _search(self, question: str, *, thinks: bool = False) -> None:
        if not await self._has_asked():
            self._shell.stdout.line("Stopped.")
            return

        command = SEARCH_THINKING if thinks else SEARCH

        async def run(emit: Emit) -> RunEnd:
            async with self._recorder.recorded(command, question, _untimed(emit)) as recording:
                with traced(self._shell, self._app.settings.trace, question, recording) as keeping:
                    engine = self._engine(thinks=thinks)
                    return await engine.run(question, self._conversation, emit=keeping)

        await self._settle(question, run, command)

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
                self._recorder = self._new_recorder(self._recorder.conversation)
        return True

    async def _say(self, message: str, *, thinks: bool = False) -> None:
        command = THINK if thinks else CHAT

        async def run(emit: Emit) -> RunEnd:
            async with self._recorder.recorded(command, message, _untimed(emit)) as recording:
                engine = self._engine(thinks=thinks)
                return await engine.chat(message, self._conversation, emit=recording)

        if isinstance(await self._settle(message, run, command), Answered):
            self._unsearched = message
            self._shell.stdout.line(_UNCHECKED)

    def _engine(self, *, thinks: bool) -> Engine:
        return self._app.engine.thinking() if thinks else self._app.engine

    async def _rework(self, task: TextTask, text: str) -> None:
        async def run(emit: Emit) -> RunEnd:
            async with self._recorder.recorded(task, text, _untimed(emit)) as recording:
                return await self._app.engine.rework(task, text, "", emit=recording)

        await self._settle(f"/{task} {text}", run, task)

    async def _settle(self, question: str, run: Run, command: str) -> RunEnd | None:
        """Run, and keep what was finished: a stopped or failed run leaves the history as it was."""
        front = self._shell.front(verbose=self._verbose, command=command)
        self._unclear = self._unsearched = ""
        ended = await stoppable(follow(front, run))
        match ended:
            case Answered(answer=answer) as end:
                self._conversation = self._conversation.with_turn(
                    question, answer, published_in(question, end), quoted_in(end)
                )
                self._last = footer_of(end, command)
            case ClarifyAsked():
                self._unclear = question
            case Failed() as end:
                say(self._shell.stderr, failure_sentence(end))
            case Cancelled() | None:
                self._shell.stdout.line("Stopped.")
        return ended

    def _new_recorder(self, conversation: int | None = None) -> Recorder:
        return Recorder(
            self._app.history,
            lambda trouble: say(self._shell.stderr, f"askance: {trouble}"),
            conversation=conversation,
        )

    def _begin_anew(self) -> None:
        self._recorder.begin_anew()
        self._conversation, self._last = Conversation(), None
        self._unclear = self._unsearched = ""
        self._shell.stdout.line("A new conversation.")

    def _show_sources(self) -> None:
        lines = plain_lines(self._last) if self._last else ["There is no answer yet."]
        for line in lines:
            self._shell.stdout.line(clean(line))


def _untimed(emit: Emit) -> Callable[[TimedEvent], None]:
    return lambda timed: emit(timed.event)
