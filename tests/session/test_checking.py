"""The check of a text in a conversation: what it leaves behind for the questions that follow it up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from askance.app.container import App
from askance.app.conversation import ConversationSession
from askance.app.text_checks import answer_of
from askance.citations.markdown.grammar import markers
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.checked_text import (
    CheckedClaim,
    CheckedText,
    ClaimEvidence,
    ClaimVerdict,
    TextClaim,
)
from askance.domain.conversation import CHECK, ParsedCommand, Turn
from askance.domain.errors import InputError
from askance.domain.events import Answered, CitationsChecked, RunEvent, SearchStarted
from askance.domain.evidence import Support
from askance.domain.history import TimedEvent, turn_of
from askance.engine.context import EngineParts
from askance.engine.prompts import load_prompts
from askance.engine.query_privacy import PrivateWords
from askance.engine.text_check import read_claims
from askance.ui.overlay.answer.markup import render
from bench import web
from engine.test_text_check import TEXT as FORTY_CLAIMS

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
        web.SampleSearch(is_quick=True),
        web.SampleReader(is_quick=True),
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


def found_about(claim: TextClaim, place: int) -> CheckedClaim:
    """What may be found about a claim: a verdict of each kind in turn."""
    verdict = [*ClaimVerdict][place % 4]
    if not claim.query or verdict is ClaimVerdict.NOT_CHECKABLE:
        return CheckedClaim(claim, ClaimVerdict.NOT_CHECKABLE)
    denies = verdict is ClaimVerdict.CONTRADICTED
    urls = (f"https://s{place % 7 + n}.example/" for n in range(place % 3))
    pages = [ClaimEvidence(url, "A page", claim.text, contradicts=denies) for url in urls]
    return CheckedClaim(claim, verdict, tuple(pages), len(pages))


def answer_to(text: str) -> tuple[Answered, list[int]]:
    """A text with something found about each claim, and the numbers of ours that are read in it."""
    claims = read_claims(text)
    checked = CheckedText(text, tuple(found_about(c, i) for i, c in enumerate(claims)))
    end = answer_of(checked)
    known = {source.n for source in end.sources}
    render(end.answer, known, end.citations)
    return end, [marker.n for marker in markers(end.answer, known)]


REPLY = """# Abel Moss

**Abel Moss** was born in Strandmouth in 1819 [1]. He built the *breakwater* at Kelhaven, which is 286 metres long [2, 3].

- He died in Kelhaven on 19 January 1883.
- The lens was made by Maison Derrien of Paris [4](http://light.hesperay.example/lens).

> "There are 148 steps," says the keeper of 1907. The tower is 34 metres high (see [the history](http://a.example/h)).
"""


@pytest.mark.parametrize("text", [TEXT, FORTY_CLAIMS, REPLY])
def test_each_page_that_was_found_has_its_number_in_the_text(text: str) -> None:
    end, read = answer_to(text)
    assert read == [citation.n for citation in end.citations if citation.n]
    assert len(set(read)) > 1


WORDS = ("Moss was born in 1819", " [1]", "[2, 3]", "(1)", "`x[0]`", "http://a.example/b", ". ", "\n", "\n\n", "- ",
    "# ", "| a | b |\n|---|---|\n", "**", "\N{RIGHT-TO-LEFT MARK}", "山は高い。", "[x](http://a.example/)", "```\n")  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40))
@example([" [1]", ". ", " [1]", "Moss was born in 1819"])
@limits(max_examples=200, deadline=None)
def test_whatever_a_text_holds_its_citations_stand_at_its_sentences_and_its_own_numbers_are_none(
    parts: list[str],
) -> None:
    text = "".join(parts)
    if not text.strip():
        return
    end, read = answer_to(text)
    assert all(end.answer[c.start : c.end] == c.sentence for c in end.citations)
    ours = iter(citation.n for citation in end.citations if citation.n)
    assert all(n in ours for n in read)  # as a part of ours, in their order
