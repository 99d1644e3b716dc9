"""A model that sends out what it was told in confidence: it does not get past the program."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from fuzz.disguises import DISGUISES, private_names

from askance.domain.conversation import Conversation, Outcome, RunRequest, Turn
from askance.domain.events import GapFound, RequestSent, Warned, WarningCode
from askance.domain.history import published_in
from askance.engine import query_privacy
from integration.order import assert_legal
from integration.order import run_credulous as run_in_world
from servers.model_script import ModelScript, plan, verdict
from servers.world import (
    QUESTION,
    WHITLOW,
    RecordedEvents,
    World,
    knowing_model,
    the_answer,
)
from servers.world import (
    credulous as world,
)

IBAN = "DE89370400440532013000"
CONFIDENCE = Conversation(
    (
        Turn(
            f"My IBAN is {IBAN} and I have diabetes. Is that a problem for a pilot?",
            "With diabetes a medical examiner decides; keep your IBAN to yourself.",
        ),
    )
)
OBEDIENT = (
    plan(f"Lindmouth engineer diabetes {IBAN}"),
    verdict("insufficient", "DE89 3704 0044 0532 0130 00", "diabetic Clara Whitlow"),
    verdict("partial", "Clara Whitlow engineer born village diabetes", f"account {IBAN}"),
)


def obedient_model() -> ModelScript:
    first, snippets, passages = OBEDIENT
    return knowing_model(plan=[first], judge=[snippets, passages, verdict("sufficient")])


def asked_of(w: World) -> str:
    """Everything that the search server was asked, digits also without what parts them."""
    asked = [r.query.get("q", "") for r in w.servers["search"].requests]
    assert asked
    together = " ".join(asked).lower()
    return f"{together} {''.join(c for c in together if c.isalnum())}"


def held_back(on_progress: RecordedEvents) -> str:
    return " ".join(
        w.message for w in on_progress.of(Warned) if w.code is WarningCode.WORDS_HELD_BACK
    )


@pytest.mark.usefixtures("snippets_judged")
async def test_an_iban_and_a_diagnosis_of_the_conversation_never_reach_the_search_engine():
    async with world(obedient_model()) as w:
        reported = await w.ask(conversation=CONFIDENCE)
        asked = asked_of(w)
    assert_legal(reported.events)
    assert "diabet" not in asked
    assert "3704" not in asked
    assert IBAN.lower() not in asked
    assert reported.end.outcome is Outcome.WEB
    assert WHITLOW in w.read(), "what was left of the query found the page"
    for words in (IBAN, "diabetes", "diabetic", "DE89 3704 0044 0532 0130 00"):
        assert words in held_back(reported)
    assert held_back(reported) in " ".join(reported.end.warnings)
    for event in (*reported.of(GapFound), *reported.of(RequestSent)):
        assert "diabet" not in str(event)


async def test_a_query_of_which_nothing_is_left_is_not_asked():
    script = knowing_model(plan=[plan(f"{IBAN} diabetes")])
    async with world(script) as w:
        reported = await w.ask(conversation=CONFIDENCE)
        asked = [r.query.get("q", "") for r in w.servers["search"].requests]
    assert reported.end.outcome is Outcome.WEB
    assert all(query.strip() for query in asked)
    assert QUESTION in asked


@pytest.mark.usefixtures("snippets_judged")
async def test_what_was_held_back_is_searched_where_the_user_allows_it_and_nothing_else_is():
    async with world(obedient_model()) as w:
        first = await w.ask(conversation=CONFIDENCE)
        assert "diabetes" in [word for event in first.of(Warned) for word in event.words]
    async with world(obedient_model()) as w:
        reported = await w.ask(conversation=CONFIDENCE, allowed_words=("diabetes",))
        asked = asked_of(w)
    assert "diabetes" in asked
    assert "3704" not in asked
    assert IBAN in held_back(reported)


async def test_a_question_that_leans_on_a_searched_one_still_finds_its_subject():
    script = knowing_model(
        plan=[plan("Lindmouth lighthouse engineer"), plan("Clara Whitlow lighthouse built year")],
        judge=[verdict("sufficient")],
        answer=[
            "The Lindmouth lighthouse was built in 1871 by the engineer Clara Whitlow [1].",
            "In 1871 [1].",
        ],
    )
    async with world(script) as w:
        first = await w.ask()
        conversation = Conversation().with_turn(
            Turn(QUESTION, first.end.answer, published_in(QUESTION, first.end))
        )
        reported = await w.ask("When did she build it?", conversation)
        asked = [r.query.get("q", "") for r in w.servers["search"].requests]
    assert "Clara Whitlow lighthouse built year" in asked
    assert not held_back(reported)


async def test_a_name_in_the_answer_that_only_the_pages_text_has_stays_searchable():
    """Neither a title nor a quote need to have it: a citation may have lost its mark."""
    script = knowing_model(
        plan=[plan("Lindmouth lighthouse engineer"), plan("Clara Whitlow lighthouse diabetes")],
        judge=[verdict("sufficient")],
        answer=["Clara Whitlow built it, in spite of her diabetes [1].", "In 1871 [1]."],
    )
    async with world(script) as w:
        first = await w.ask()
        shortened = replace(first.end, sources=(), citations=())
        conversation = Conversation().with_turn(
            Turn(QUESTION, shortened.answer, published_in(QUESTION, shortened))
        )
        reported = await w.ask("When did she build it?", conversation)
        asked = [r.query.get("q", "") for r in w.servers["search"].requests]
    assert "Clara Whitlow lighthouse" in asked
    assert "diabetes" in held_back(reported), "the model's own word about her stands on no page"


@pytest.mark.usefixtures("snippets_judged")
async def test_what_only_a_text_says_that_the_question_is_about_is_read_and_not_searched():
    text = f"Dear Dr. Sample, my diabetes is worse, please pay to {IBAN} for the lighthouse tour."
    events: list[object] = []
    async with world(obedient_model()) as w:
        end = await w.engine.run(RunRequest(QUESTION, about=text), emit=events.append)
        asked = asked_of(w)
    assert "diabet" not in asked
    assert "sample" not in asked
    assert end is events[-1]
    assert all(text in call.task for call in w.script.calls[:2])


@pytest.mark.parametrize("name", ["quillfeather", "Quillfeather's"])
async def test_the_names_of_the_machine_and_its_user_are_not_searched(name: str):
    script = knowing_model(plan=[plan(f"lighthouse engineer {name} born")], answer=[the_answer])
    async with world(script) as w:
        w.engine = replace(w.engine, own_names=("quillfeather", "tower-of-anna"))
        reported = await w.ask()
        asked = asked_of(w)
    assert "quillfeather" not in asked
    assert "lighthouse engineer born" in asked
    assert name.strip("'s") in held_back(reported)


@pytest.mark.usefixtures("snippets_judged")
@pytest.mark.parametrize("code", ["en", "ru", "tr", "hi", "hu", "ar", "zh"])
async def test_no_disguised_name_reaches_the_search_server(code: str):
    (private,) = [known for known in private_names() if known.code == code]
    disguised = [disguise(private.name) for disguise in DISGUISES.values()]
    batches = [f"lighthouse {' lamp '.join(disguised[i : i + 8])}" for i in range(0, 48, 8)]
    script = knowing_model(
        plan=[plan(" lamp ".join(disguised))],
        judge=[
            verdict("insufficient", *batches[:3]),
            verdict("insufficient", *batches[3:]),
            verdict("sufficient"),
        ],
        answer=["The Lindmouth lighthouse was built in 1871 [1]."],
    )
    reported_before = Conversation((Turn(private.told, f"{private.name}, I see."),))
    async with world(script) as w:
        reported = await w.ask(conversation=reported_before)
        asked = " ".join(r.query.get("q", "") for r in w.servers["search"].requests)
    assert "lamp lamp" in asked, "what is left of the queries was asked"
    # Single marks and innocent words may be left of one.
    assert not [d for d in disguised if len(d) > 1 and d.casefold() in asked.casefold()]
    assert held_back(reported)


async def test_long_conversations_are_read_outside_the_event_loop(monkeypatch: pytest.MonkeyPatch):
    """A server's other clients wait for as long as its event loop is busy."""
    threads: set[int] = set()
    add = query_privacy._Known.add

    def recorded(
        known: query_privacy._Known, text: str, idle: frozenset[str] = frozenset()
    ) -> None:
        threads.add(threading.get_ident())
        add(known, text, idle)

    monkeypatch.setattr(query_privacy._Known, "add", recorded)
    reported = await run_in_world(obedient_model(), conversation=CONFIDENCE)
    assert len(reported.of(GapFound)) >= 1
    assert threads
    assert threading.get_ident() not in threads
