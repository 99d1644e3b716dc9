"""The check of a text in a conversation: what it leaves behind for the questions that follow it up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from askance.app.container import App
from askance.app.conversation import ConversationSession
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.conversation import CHECK, ParsedCommand, Turn
from askance.domain.errors import InputError
from askance.domain.events import Answered, CitationsChecked, RunEvent, SearchStarted
from askance.domain.evidence import Support
from askance.domain.history import TimedEvent, turn_of
from askance.engine.context import EngineParts
from askance.engine.prompts import load_prompts
from askance.engine.query_privacy import PrivateWords
from bench import web

TEXT = (
    "Abel Moss was born in Strandmouth in 1819. My neighbour Zelda Quint has diabetes.\n\n"
    "The tower of Skarne Light is 43 metres high."
)


@dataclass
class Conversed:
    """A conversation over the sample web, with all that its runs have said."""

    app: App
    session: ConversationSession
    shown: list[TimedEvent] = field(default_factory=list[TimedEvent])

    async def check(self, asked: ParsedCommand) -> Answered:
        end = await self.session.ask(self.app, asked, self.shown.append)
        assert isinstance(end, Answered)
        return end

    @property
    def queries(self) -> list[str]:
        events: list[RunEvent] = [timed.event for timed in self.shown]
        return [q for event in events if isinstance(event, SearchStarted) for q in event.queries]


@pytest.fixture
def conversed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Conversed:
    monkeypatch.setattr(web, "SEARCH_S", 0)
    monkeypatch.setattr(web, "latency_s", lambda _url: 0)
    settings = Settings()
    parts = EngineParts(
        None,
        web.SampleSearch(),
        web.SampleReader(),
        load_prompts(),
        settings,
        lambda: date(2026, 3, 2),
    )
    app: Any = SimpleNamespace(
        engine=parts,
        settings=settings,
        folders=find_folders({"ASKANCE_HOME": str(tmp_path)}),
        history=None,
        suggesting=set[Any](),
        prepare=lambda: None,
    )
    return Conversed(cast("App", app), ConversationSession(print))


async def test_what_nobody_has_confirmed_is_not_searched(conversed: Conversed) -> None:
    end = await conversed.check(ParsedCommand(CHECK, quote=TEXT))
    assert conversed.queries == []
    assert end.answer.endswith(TEXT)
    assert end.citations == ()


async def test_a_claim_that_was_taken_out_is_not_searched(conversed: Conversed) -> None:
    proposal = await conversed.session.propose_check(ParsedCommand(CHECK, quote=TEXT))
    first, private, last = proposal.claims
    assert private.query == ""
    await conversed.check(
        ParsedCommand(CHECK, quote=TEXT, claims=(replace(first, query=""), private, last))
    )
    assert conversed.queries == ["The tower of Skarne Light is 43 metres high"]


async def test_of_a_text_that_was_checked_only_what_was_searched_or_found_may_be_searched_later(
    conversed: Conversed,
) -> None:
    asked = ParsedCommand(CHECK, quote=TEXT)
    proposal = await conversed.session.propose_check(asked)
    assert proposal.leaving == (
        "Abel Moss was born in Strandmouth in 1819", "The tower of Skarne Light is 43 metres high",
    )  # fmt: skip
    end = await conversed.check(replace(asked, claims=proposal.claims))
    assert conversed.queries == [*proposal.leaving]
    (turn,) = conversed.session.turns.turns
    for known in (turn, turn_of("", end, TEXT)):
        assert not known.is_public
        assert not [text for text in known.published if "Zelda" in text or "diabetes" in text]
        private = later(known)
        assert (
            private.screen("Abel Moss Strandmouth sailmaker").query
            == "Abel Moss Strandmouth sailmaker"
        )
        assert private.screen("Abel Moss Zelda Quint diabetes").query == "Abel Moss"


def later(turn: Turn) -> PrivateWords:
    """What is private of a question behind such a turn, as a run finds it out."""
    said = f"{turn.question}\n{turn.answer}"
    return PrivateWords("Who was that?", [said], [*turn.published])


async def test_verdicts_are_shown_before_all_are_there(
    conversed: Conversed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.app.text_checks.SHOW_S", 0)
    proposal = await conversed.session.propose_check(ParsedCommand(CHECK, quote=TEXT))
    end = await conversed.check(ParsedCommand(CHECK, quote=TEXT, claims=proposal.claims))
    shown = [timed.event for timed in conversed.shown if isinstance(timed.event, CitationsChecked)]
    assert shown
    assert len(shown[0].citations) < len(end.citations)
    assert [c.support for c in end.citations] == [Support.SUPPORTED, Support.UNSUPPORTED]
    assert [c.contradicts for c in end.citations] == [False, True]
    assert all(end.answer[c.start : c.end] == c.sentence for c in end.citations)


async def test_what_is_typed_is_checked_with_what_is_quoted(conversed: Conversed) -> None:
    asked = ParsedCommand(CHECK, "Sela Marrin was born at Wick of Ord.", TEXT)
    proposal = await conversed.session.propose_check(asked)
    assert proposal.text == f"{asked.text}\n\n{TEXT}"
    assert proposal.searched == 3


async def test_where_there_is_no_text_that_is_said(conversed: Conversed) -> None:
    with pytest.raises(InputError, match=r"There is no text\."):
        await conversed.session.propose_check(ParsedCommand(CHECK))
