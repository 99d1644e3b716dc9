"""Services that fail: the window says which and what to do, and works again when they do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askance.config.choices import AskMode
from askance.ui.overlay.conversation.exchange import State
from sampled import sampled
from servers.faults import FAULTS, talks_nonsense
from servers.loopback import Request, Wire
from servers.model_script import plan
from servers.world import ONE_ROUND, PLANNED, some_answer
from ui.whole.conftest import Arrive
from ui.whole.neighbours import Held, Neighbours
from ui.whole.person import Person

pytestmark = pytest.mark.usefixtures("pages_here")

BEGUN = "The lighthouse was built in 1871 by the engineer Clara Whitlow [1]. She also built"
GARBAGE = "\x00\x07%%%% {not json ]]] " * 3
GREETING = "Good morning to you."


def assert_all_is_well(around: Neighbours, person: Person) -> None:
    """Ask with and without the web, once everything works again."""
    for server in around.servers.values():
        server.mend()
    script = around.script
    script.calls.clear()
    script.plan, script.judge, script.answer = [plan(PLANNED)], ONE_ROUND, [some_answer]
    person.ask()
    view = person.until_ended()
    assert view.notes == ()
    assert person.sees("was built in 1871 by the engineer Clara Whitlow")
    script.answer = [GREETING]
    person.ask("/chat Good morning")
    person.until_ended()
    assert person.sees(GREETING)


def is_chat(request: Request) -> bool:
    return request.path == "/api/chat"


def test_a_model_that_is_killed_in_mid_answer_leaves_what_it_wrote(
    around: Neighbours, person: Person
) -> None:
    held = Held()
    around.script.judge = ONE_ROUND
    around.script.answer = [around.script.after(BEGUN, held.__call__)]
    person.ask()
    person.until(held.reached.is_set)
    around.model.die()
    person.until_ended()
    assert person.sees("built in 1871")
    assert person.sees("The answer was cut because the model failed")
    assert "before its end.." not in person.seen
    assert "She also built" not in person.seen
    assert person.offers("Search again")
    person.ask("/chat Good morning")
    person.until_ended(State.FAILED)
    assert person.sees("Ollama is not running")
    around.model.come_back()
    assert_all_is_well(around, person)


def test_a_chat_whose_model_is_killed_says_so_beside_what_was_written(
    around: Neighbours, person: Person
) -> None:
    held = Held()
    around.script.answer = [around.script.after("Half a sen", held.__call__)]
    person.ask("/chat Good morning")
    person.until(held.reached.is_set)
    around.model.die()
    person.until_ended(State.FAILED)
    assert person.sees("Half a sen")
    assert person.sees("The model gave no answer.")
    assert person.offers("Ask again")
    around.model.come_back()
    assert_all_is_well(around, person)


def the_verdicts_are_garbage(around: Neighbours) -> None:
    around.script.judge, around.script.answer = [GARBAGE], [some_answer]


def the_answer_is_garbage(around: Neighbours) -> None:
    around.script.answer = [GARBAGE]


def the_answer_is_missing(around: Neighbours) -> None:
    around.script.answer = [""]


def the_protocol_is_another(around: Neighbours) -> None:
    around.model.break_with(lambda request: talks_nonsense if is_chat(request) else None)


def the_server_fails(around: Neighbours) -> None:
    around.model.break_with(lambda request: FAULTS["fails"] if is_chat(request) else None)


def the_server_hangs_up(around: Neighbours) -> None:
    around.model.break_with(lambda request: FAULTS["hangs_up"] if is_chat(request) else None)


def the_stream_is_cut_before_a_word(around: Neighbours) -> None:
    async def cut(_request: Request, wire: Wire) -> None:
        await wire.start()
        wire.abort()

    around.script.answer = [cut]


GARBLED: list[tuple[Callable[[Neighbours], None], str]] = [
    (the_verdicts_are_garbage, "A verdict on the evidence is missing"),
    (the_answer_is_garbage, "No sentence of the answer could be matched to a source"),
    (the_answer_is_missing, "Quotes only, no model."),
    (the_protocol_is_another, "Ollama sent what cannot be understood"),
    (the_server_fails, "Ollama refused the request with status 500"),
    (the_server_hangs_up, "Quotes only, no model."),
    (the_stream_is_cut_before_a_word, "Ollama broke off its reply before the end."),
]


@pytest.mark.parametrize(
    ("spoil", "told"),
    sampled(GARBLED, every=4, are_tuples=True),
    ids=[spoil.__name__ for spoil, _ in GARBLED],
)
def test_a_model_that_talks_garbage_is_told_and_costs_no_more_than_its_part(
    spoil: Callable[[Neighbours], None], told: str, around: Neighbours, person: Person
) -> None:
    spoil(around)
    person.ask()
    view = person.until_ended()
    assert person.sees(told)
    assert view.sources
    assert person.offers("Search again")
    assert_all_is_well(around, person)


def test_a_search_engine_that_is_not_there_is_told_with_what_starts_it(
    around: Neighbours, person: Person
) -> None:
    around.search.die()
    person.ask()
    person.until_ended(State.FAILED)
    assert person.sees("Web search is not set up")
    assert person.offers("Set up search")
    around.script.answer = [GREETING]
    person.ask("/chat Good morning")
    person.until_ended()
    around.search.come_back()
    assert_all_is_well(around, person)


def test_a_search_engine_that_goes_between_two_rounds_costs_the_second(
    around: Neighbours, person: Person
) -> None:
    around.script.answer = [some_answer]
    held = around.web.hold()
    person.ask()
    person.until(held.reached.is_set)
    around.search.die()
    held.let_go()
    person.until_ended()
    assert person.sees("was built in 1871 by the engineer Clara Whitlow")
    assert person.sees("A search failed: ")
    assert person.offers("Search again")
    around.search.come_back()
    assert_all_is_well(around, person)


def test_a_web_that_is_out_of_reach_leaves_snippets_and_says_so(
    around: Neighbours, person: Person
) -> None:
    around.web.die()
    around.script.judge, around.script.answer = ONE_ROUND, [some_answer]
    person.ask()
    view = person.until_ended()
    assert view.notes
    assert person.sees("snippet only")
    around.web.come_back()
    assert_all_is_well(around, person)


def test_a_server_without_a_model_is_told_with_how_to_get_one(
    around: Neighbours, arrive: Arrive
) -> None:
    ollama = around.script.ollama
    tags, ollama.tags = ollama.tags, []
    person = arrive()
    for question, end in (
        ("/chat Good morning", State.FAILED),
        ("/search Who built it?", State.ANSWERED),
    ):
        person.ask(question)
        person.until_ended(end)
        if end is State.FAILED:
            assert person.sees("No model")
    person.until(lambda: "No model" in person.seen)
    ollama.tags = tags
    assert_all_is_well(around, person)


def test_a_model_that_was_not_fetched_is_told_with_how_to_fetch_it(
    around: Neighbours, arrive: Arrive
) -> None:
    ollama = around.script.ollama
    person = arrive(ASKANCE_LLM__MODEL="qwen3:4b")
    for question, end in (
        ("/chat Good morning", State.FAILED),
        ("/search Who built it?", State.ANSWERED),
    ):
        person.ask(question)
        person.until_ended(end)
        if end is State.FAILED:
            assert person.sees("No model")
    ollama.tags.append({**ollama.tags[0], "name": "qwen3:4b", "model": "qwen3:4b"})
    ollama.shows["qwen3:4b"] = ollama.shows["tiny:latest"]
    assert_all_is_well(around, person)


def test_without_a_model_server_a_search_quotes_passages_and_a_chat_says_why_not(
    around: Neighbours, arrive: Arrive
) -> None:
    around.model.die()
    person = arrive()
    person.ask()
    person.until_ended()
    assert person.sees("No model is available.")
    assert person.sees("Quotes only, no model.")
    person.ask("/chat Good morning")
    person.until_ended(State.FAILED)
    assert person.sees("Ollama is not running")
    around.model.come_back()
    assert_all_is_well(around, person)


def test_the_switch_follows_what_a_question_has_shown(around: Neighbours, person: Person) -> None:
    web = person.overlay.ask_bar.switch.segments[AskMode.WEB]
    person.until(lambda: not web.lacks)
    around.search.die()
    person.ask()
    person.until_ended(State.FAILED)
    person.until(lambda: web.lacks)
    around.search.come_back()
    person.ask()
    person.until_ended()
    person.until(lambda: not web.lacks)
