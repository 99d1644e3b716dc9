"""Questions about attached files, over loopback servers: cited by page, with the web or without, and private as ever."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from adapters.library.room import PoolHere
from askance.app.attachments import Attachments
from askance.app.commands import as_stored, parse
from askance.app.container import App, Container
from askance.app.conversation import ConversationSession
from askance.app.own_files import use_own_files
from askance.config.folders import find_folders
from askance.domain.conversation import (
    CHAT,
    FILES,
    SEARCH,
    Outcome,
    ParsedCommand,
    Picture,
    QuoteOrigin,
    TurnInput,
)
from askance.domain.events import Answered, Failed, RunEvent
from askance.domain.ports.model import ModelInfo
from fakes.outbound import ListedLedger
from servers.model_script import ModelScript, number_of, plan, verdict
from servers.ollama import shown
from servers.pdf_files import Page, pdf_file
from servers.world import LIGHTHOUSE, TITLES, World
from servers.world import credulous as world
from waiting import patience

DUES = "What does a berth of nine metres cost in July?"
BERTH = "A berth of nine metres costs 412 crowns in July, says Quillmark."
ASKED = ParsedCommand(FILES, DUES)


def dues() -> bytes:
    """A PDF file of 300 pages, of which one has the answer."""
    fill = "On page {} the council of the port speaks of ropes, lamps and barrels."
    texts = [BERTH if n == 214 else fill.format(n) for n in range(1, 301)]
    return pdf_file(*(Page(f"BT /H 12 Tf 60 700 Td ({text}) Tj ET") for text in texts))


def the_berth(prompt: str) -> str:
    n = number_of(prompt, "Harbour dues 2026.pdf")
    return f"A berth of nine metres costs 412 crowns in July [{n}]."


def reading_model(**replies: Any) -> ModelScript:
    usual: dict[str, Any] = {
        "plan": (plan(DUES),), "judge": (verdict("sufficient"),), "answer": (the_berth,)
    }  # fmt: skip
    return ModelScript(**{**usual, **replies})


@dataclass
class Asking:
    """A conversation with files, and all that left for the search engine, the web and the ledger."""

    world: World
    app: App
    session: ConversationSession
    attachments: Attachments
    ledger: ListedLedger
    folder: Path
    events: list[RunEvent] = field(default_factory=list[RunEvent])

    async def attach(self, name: str, data: bytes | str) -> Path:
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        self.attachments.add(path)
        async with patience():
            await self.attachments.read()
        return path

    async def ask(self, asked: ParsedCommand = ASKED) -> Any:
        self.events.clear()
        async with patience():
            return await self.session.ask(self.app, asked, lambda e: self.events.append(e.event))

    @property
    def queries(self) -> list[str]:
        return [request.query["q"] for request in self.world.servers["search"].requests]

    @property
    def outbound(self) -> str:
        """Everything that was sent to the search engine and the web, and what the ledger says of it."""
        sent = [
            f"{request.target} {request.headers} {request.body!r}"
            for name in ("search", "web")
            for request in self.world.servers[name].requests
        ]
        text = "\n".join([*sent, *(repr(sent) for sent, _ in self.ledger.entries)])
        # A port is drawn for each run, and may have the digits of any number that is looked for.
        return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1", text)


@asynccontextmanager
async def asking(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: ModelScript | None = None,
    **settings: Any,
) -> AsyncIterator[Asking]:
    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", PoolHere)
    folders = find_folders({"ASKANCE_HOME": str(tmp_path / "home")})
    place = tmp_path / "Medical Quarzbein"
    place.mkdir()
    async with world(script or reading_model(), settings=settings) as w:
        ledger = ListedLedger()
        engine = replace(w.engine, ledger=ledger)
        with Container(w.settings, folders) as container:
            app = App(engine, engine.model, engine.search, engine.reader, w.settings, folders, ledger,
                      container.history, container=container)  # fmt: skip
            session = ConversationSession(pytest.fail)
            session.attachments = Attachments(w.settings, folders)
            yield Asking(w, app, session, session.attachments, ledger, place)
            session.attachments.close()


async def test_files_alone_are_cited_by_page_and_nothing_is_sent_to_the_web(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asking(tmp_path, monkeypatch) as room:
        path = await room.attach("Harbour dues 2026.pdf", dues())
        end = await room.ask()
        assert isinstance(end, Answered)
        assert end.outcome is Outcome.LIBRARY
        assert "412 crowns" in end.answer
        (cited,) = {citation.n for citation in end.citations}
        (source,) = [source for source in end.sources if source.n == cited]
        assert (source.url, source.page) == (path.as_uri(), 214)
        assert TurnInput.DOCUMENTS in end.inputs
        assert not room.world.servers["search"].requests
        assert not room.world.servers["web"].requests
        assert not room.ledger.entries
        # The conversation goes on with them, and the library has nothing of them.
        again = await room.ask(ParsedCommand(FILES, "And who says so, what does a berth cost?"))
        assert isinstance(again, Answered)
        assert again.sources
        assert not room.app.container.library.documents()
        assert not room.queries


async def test_with_the_web_no_word_of_a_file_and_no_path_is_in_any_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge, who has read the file, asks for what only that says: it is held back."""
    question = "Is the berth in my file dearer than the lighthouse of Lindmouth was?"
    gaps = verdict("partial", "Quillmark berth 412 crowns", "Harbour dues 2026.pdf")
    script = reading_model(
        plan=(plan("Lindmouth lighthouse cost"),),
        judge=(gaps, verdict("sufficient")),
        answer=(lambda prompt: the_berth(prompt) + f" It was built in 1871 [{built(prompt)}].",),
    )
    async with asking(tmp_path, monkeypatch, script) as room:
        await room.attach("Harbour dues 2026.pdf", dues())
        end = await room.ask(ParsedCommand(SEARCH, question))
        assert isinstance(end, Answered)
        assert end.outcome is Outcome.WEB
        assert {TurnInput.WEB, TurnInput.DOCUMENTS} <= set(end.inputs)
        pages = {source.title: source.page for source in end.sources}
        assert pages["Harbour dues 2026.pdf"] == 214
        assert room.queries
        for word in ("Quillmark", "412", "dues", "2026", "Quarzbein", "Medical", str(tmp_path)):
            assert word.lower() not in room.outbound.lower()
        (planned,) = script.of("plan")
        assert "Quillmark" not in planned.text
        assert "dues" not in planned.text
        # Not even the model is shown where a file lies.
        assert "Quarzbein" not in "".join(call.text for call in script.calls)


def built(prompt: str) -> int:
    return number_of(prompt, TITLES[LIGHTHOUSE])


async def test_a_later_search_without_the_files_says_no_word_of_what_they_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nosy = plan("Quillmark berth 412 crowns July")
    script = reading_model(plan=(nosy,), answer=(the_berth, "I do not know."))
    async with asking(tmp_path, monkeypatch, script) as room:
        await room.attach("Harbour dues 2026.pdf", dues())
        await room.ask()
        room.attachments.close()
        await room.ask(ParsedCommand(SEARCH, "Who decides that?"))
        assert room.queries
        for word in ("Quillmark", "412", "dues", "2026", "Quarzbein"):
            assert word.lower() not in room.outbound.lower()


async def test_files_that_are_gone_are_said_and_the_question_is_not_sent_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asking(tmp_path, monkeypatch) as room:
        end = await room.ask()
        assert isinstance(end, Failed)
        assert "attached" in str(end.problem)
        assert room.events == [end]
        assert not room.world.servers["search"].requests


async def test_a_paste_of_fifty_kilobytes_is_asked_by_passage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"Line {n} is about ropes and barrels of the port." for n in range(1_100)]
    lines[700] = BERTH
    script = reading_model(answer=("A berth of nine metres costs 412 crowns in July [1].",))
    async with asking(tmp_path, monkeypatch, script) as room:
        room.attachments.add_bytes("\n\n".join(lines).encode(), "Pasted text.txt")
        await room.attachments.read()
        end = await room.ask()
        assert isinstance(end, Answered)
        assert [c.support for c in end.citations] == ["supported"]
        assert "Quillmark" in script.of("answer")[0].fenced


async def test_what_a_remote_model_may_not_read_of_the_library_it_is_not_shown_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asking(tmp_path, monkeypatch) as room:
        await room.attach("Harbour dues 2026.pdf", dues())
        model = room.app.engine.model
        assert model is not None
        here = await model.info()

        async def info() -> ModelInfo:
            return replace(here, host="other.example")

        monkeypatch.setattr(model, "info", info)
        await room.ask()
        assert "Quillmark" not in "".join(call.text for call in room.world.script.calls)


PICTURE = Picture(b"\x89PNG of a berth", "image/png", "Screenshot")


def seeing(*capabilities: str, **replies: Any) -> ModelScript:
    script = reading_model(**replies)
    script.ollama.shows["tiny:latest"] = shown(8192, "completion", *capabilities)
    return script


async def test_a_picture_is_shown_to_a_model_that_sees_and_with_the_web_only_to_the_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = seeing("vision", answer=("A berth, and a boat in it.",))
    async with asking(tmp_path, monkeypatch, script) as room:
        room.attachments.add_picture(PICTURE)
        end = await room.ask()
        assert isinstance(end, Answered)
        assert (end.outcome, end.inputs) == (Outcome.GIVEN, (TurnInput.TYPED, TurnInput.TEXT))
        assert not room.queries
        await room.ask(ParsedCommand(SEARCH, "Lindmouth lighthouse"))
        shown_to = [
            (call.role, "images" in call.messages[-1])
            for call in script.calls
            if call.role in {"plan", "judge", "answer"}
        ]
        assert ("answer", True) in shown_to
        assert {has for role, has in shown_to if role != "answer"} == {False}


async def test_a_model_that_does_not_see_says_so_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asking(tmp_path, monkeypatch, seeing()) as room:
        room.attachments.add_picture(PICTURE)
        end = await room.ask()
        assert isinstance(end, Failed)
        assert str(end.problem) == "tiny:latest cannot see pictures."
        assert not room.world.script.calls
        # As a public report of a chat program has it, chatboxai/chatbox#2580: that ends with the picture.
        room.attachments.remove(room.attachments.attachments[0].number)
        assert isinstance(await room.ask(ParsedCommand(CHAT, DUES)), Answered)
        assert not any("images" in message for message in room.world.script.calls[-1].messages)


async def test_names_of_files_are_in_the_history_and_nothing_of_what_is_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asking(tmp_path, monkeypatch) as room:
        await room.attach("Harbour dues 2026.pdf", dues())
        await room.ask()
        assert room.session.number is not None
        assert room.app.history is not None
        record = room.app.history.conversation(room.session.number)
        assert record is not None
        (exchange,) = record.exchanges
        assert (exchange.command, exchange.quote) == (FILES, "Harbour dues 2026.pdf")
        assert "ropes" not in json.dumps(exchange.quote)


async def test_a_stored_question_about_files_is_searched_without_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was asked of them alone, beside the web, or stopped before an answer was there."""
    name, question = "Harbour dues 2026.pdf", "Who built the lighthouse of Lindmouth?"
    script = reading_model(
        plan=(plan("Lindmouth lighthouse engineer"),) * 3, answer=("X [1].",) * 3
    )
    async with asking(tmp_path, monkeypatch, script) as room:
        for command, inputs in (
            (FILES, (TurnInput.DOCUMENTS,)),
            (SEARCH, (TurnInput.TYPED, TurnInput.DOCUMENTS)),
            (SEARCH, ()),
        ):
            stored = as_stored(command, question, name, (question,), inputs)
            assert stored.origin is QuoteOrigin.ATTACHED
            await room.ask(stored.with_web() if command == FILES else stored)
        assert len(room.queries) >= 3
        assert "2026" not in room.outbound
        assert "dues" not in room.outbound
    quoted = as_stored(SEARCH, "What is this?", "node.js", (), (TurnInput.TYPED,))
    assert quoted.origin is QuoteOrigin.QUOTED


DOSE = "Dear Mara,\nmy Zorvanil dose was raised\nby the doctor in Grimewitz\nwho saw me on Monday.\nOle"
WHO = "Who built the lighthouse of Lindmouth?"
OWN = "---\nmode: web\n---\nWho built the Lindmouth lighthouse? {NAME}"


async def by_selection(room: Asking) -> ParsedCommand:
    asked = parse("/own", quote=DOSE)
    assert isinstance(asked, ParsedCommand)
    return replace(asked, quote=DOSE)


async def by_clipboard(room: Asking) -> ParsedCommand:
    asked = parse("/own")
    assert isinstance(asked, ParsedCommand)
    return replace(asked, clipboard=DOSE)


async def by_edited_question(room: Asking) -> ParsedCommand:
    await room.ask(ParsedCommand(CHAT, f"{DOSE} {WHO}"))
    return ParsedCommand(SEARCH, WHO)


async def by_name_of_a_file(room: Asking) -> ParsedCommand:
    await room.attach("Zorvanil Grimewitz.md", "Nothing of note.")
    return ParsedCommand(SEARCH, WHO)


async def by_words_of_a_file(room: Asking) -> ParsedCommand:
    await room.attach("notes.md", DOSE)
    return ParsedCommand(SEARCH, WHO)


async def by_next_question(room: Asking) -> ParsedCommand:
    await room.attach("notes.md", DOSE)
    await room.ask(ParsedCommand(SEARCH, WHO))
    assert await room.session.suggest(room.app) == ()
    room.attachments.close()
    return ParsedCommand(SEARCH, "And when?")


@pytest.mark.parametrize(
    "way",
    [by_selection, by_clipboard, by_edited_question, by_name_of_a_file, by_words_of_a_file, by_next_question],
)  # fmt: skip
async def test_a_model_that_wants_private_words_searched_does_not_get_them_by_any_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Callable[[Asking], Any]
) -> None:
    leak = "Lindmouth Zorvanil Grimewitz"
    script = reading_model(
        plan=(plan(leak),) * 4,
        judge=(verdict("partial", leak), verdict("sufficient")) * 4,
        answer=("Clara Whitlow [1].",) * 8,
    )
    async with asking(tmp_path, monkeypatch, script) as room:
        commands = room.app.folders.config / "commands"
        commands.mkdir(parents=True)
        name = "{clipboard}" if way is by_clipboard else "{selection}"
        (commands / "own.md").write_text(OWN.replace("{NAME}", name))
        use_own_files(room.app.folders.config)
        try:
            end = await room.ask(await way(room))
        finally:
            use_own_files(Path("no-such-folder"))
        assert isinstance(end, Answered)
        assert room.queries
        for word in ("zorvanil", "grimewitz"):
            assert word not in room.outbound.lower()


async def test_the_title_of_a_conversation_reaches_neither_a_model_nor_the_web(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = reading_model(plan=(plan("Lindmouth lighthouse engineer"),), answer=("X [1].",) * 2)
    async with asking(tmp_path, monkeypatch, script) as room:
        await room.ask(ParsedCommand(CHAT, "Hello."))
        assert room.app.history is not None
        assert room.session.number is not None
        assert room.app.history.rename(room.session.number, DOSE)
        assert isinstance(await room.ask(ParsedCommand(SEARCH, WHO)), Answered)
        assert room.queries
        assert "Zorvanil" not in room.outbound + "".join(call.text for call in script.calls)
