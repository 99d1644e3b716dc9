"""The context of a model: what tokens are worth, what of turns and evidence fits, and how evidence is cut."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.config.choices import duration_s
from askance.domain.conversation import Conversation, Turn
from askance.domain.errors import PromptTooLong, ServiceRefused
from askance.domain.evidence import Extract, ExtractKind, Passage, Source
from askance.domain.ports.model import ChatMessage, Role
from askance.domain.web_pages import Page, PageStatus
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.prompts import (
    HISTORY_SHARE,
    LEAST_SHARE,
    MESSAGE_TOKENS,
    USUAL_SHARE,
    ContextBudget,
    PromptedTurn,
    Transcript,
    fitting_share,
    is_too_long,
    shorten,
)
from askance.engine.recall import in_hand_of
from sampled import each_row

ENGLISH = "The lighthouse was built in 1867 and its lamp is automatic. "


def message(text: str) -> ChatMessage:
    return ChatMessage(Role.USER, text)


def test_a_longer_text_costs_more_and_nothing_costs_nothing() -> None:
    governor = ContextBudget(8192, 900)
    assert governor.cost("") == 0
    assert 0 < governor.cost(ENGLISH) < governor.cost(ENGLISH * 2)


@pytest.mark.parametrize(
    "text", ["灯台は一八六七年に建てられました", "маяк построен", "등대는 세워졌다"]
)
def test_a_script_outside_ascii_costs_more_for_each_character(text: str) -> None:
    governor = ContextBudget(8192, 900)
    assert governor.cost(text * 10) > governor.cost("a" * len(text) * 10)


@pytest.mark.parametrize(
    ("text", "chars_per_token"),
    [
        ("маякпостроен", 3.0),
        ("بنىالبرج", 2.5),
        ("मीनारबनीथी", 2.0),
        ("灯台は一八六七年", 1.5),
        ("등대는세워졌다", 1.5),
        ("\U0001f600\U0001f600", 1.6),
    ],
)
def test_each_script_has_its_price(text: str, chars_per_token: float) -> None:
    governor = ContextBudget(8192, 900)
    assert governor.cost(text * 100) == round(len(text) * 100 / chars_per_token)
    mixed = "The lighthouse " * 100 + text * 100
    parts = governor.cost("The lighthouse " * 100) + governor.cost(text * 100)
    assert abs(governor.cost(mixed) - parts) <= 1


def test_a_few_accents_cost_no_more_than_none() -> None:
    governor = ContextBudget(8192, 900)
    assert governor.cost("café crème " * 10) == governor.cost("cafe creme " * 10)


TABLE = "| 1 | Mon to Sat | 07:15 | 08:50 |\n| 2 | daily | 12:40 | 14:15 |\n"
GERMAN = "Die Fähre verlässt Strandmouth um Viertel nach sieben, und wer sie verpasst, wartet. "


@pytest.mark.parametrize(
    ("text", "fewest", "most"), [(ENGLISH, 14, 19), (TABLE, 36, 52), (GERMAN, 18, 31)]
)
def test_an_estimate_is_near_what_five_vocabularies_count(
    text: str, fewest: int, most: int
) -> None:
    assert fewest - 2 <= ContextBudget(8192, 900).cost(text) <= most


@pytest.mark.parametrize("text", ["a", "A", "=", "!?", " ", "\n", "1", "—", "́", "한", "aB"])
def test_no_text_is_so_odd_that_it_costs_next_to_nothing(text: str) -> None:
    assert ContextBudget(8192, 900).cost(text * 1600) >= 100 * len(text)


def test_a_text_longer_than_any_prompt_is_estimated_by_stretches_of_it() -> None:
    governor = ContextBudget(8192, 900)
    assert governor.cost(ENGLISH * 20_000) == pytest.approx(
        20_000 * governor.cost(ENGLISH), rel=0.02
    )


@pytest.mark.parametrize("truth", [0.6, 0.9, 1.3, 2.5])
def test_the_estimate_converges_to_what_the_server_counts(truth: float) -> None:
    governor = ContextBudget(8192, 900)
    messages = [message(ENGLISH * 40), message(ENGLISH * 5)]
    plain = ContextBudget(8192, 900).cost("".join(m.content for m in messages))
    counted = round(plain * truth) + MESSAGE_TOKENS * len(messages)
    errors: list[float] = []
    for _ in range(12):
        errors.append(abs(governor.prompt_cost(messages) - counted))
        governor.learn(messages, counted)
    assert errors == sorted(errors, reverse=True)
    assert governor.prompt_cost(messages) == pytest.approx(counted, rel=0.01)


@pytest.mark.parametrize("counted", [0, -5])
def test_a_server_that_does_not_count_teaches_nothing(counted: int) -> None:
    governor = ContextBudget(8192, 900)
    before = governor.cost(ENGLISH * 50)
    governor.learn([message(ENGLISH * 50)], counted)
    assert governor.cost(ENGLISH * 50) == before


def test_a_short_prompt_teaches_nothing() -> None:
    governor = ContextBudget(8192, 900)
    before = governor.cost(ENGLISH * 50)
    governor.learn([message("Hi")], 4000)
    assert governor.cost(ENGLISH * 50) == before


def test_a_lying_server_is_believed_only_within_bounds() -> None:
    high, low, plain = ContextBudget(8192, 900), ContextBudget(8192, 900), ContextBudget(8192, 900)
    for _ in range(30):
        high.learn([message(ENGLISH * 50)], 10**9)
        low.learn([message(ENGLISH * 50)], 1)
    assert plain.cost(ENGLISH * 50) < high.cost(ENGLISH * 50) <= 3 * plain.cost(ENGLISH * 50) + 1
    assert plain.cost(ENGLISH * 50) > low.cost(ENGLISH * 50) >= 0.5 * plain.cost(ENGLISH * 50) - 1


def test_the_answer_gets_no_more_than_a_quarter_of_a_small_context() -> None:
    assert ContextBudget(1024, 900).answer_tokens == 256
    assert ContextBudget(8192, 900).answer_tokens == 900


_TURNS = st.lists(
    st.tuples(st.text(max_size=50), st.integers(0, 120)).map(lambda t: Turn(t[0], ENGLISH * t[1])),
    max_size=8,
).map(tuple)


@given(_TURNS, st.integers(1024, 16_384))
def test_the_history_loses_whole_turns_and_the_oldest_first(
    turns: tuple[Turn, ...], context: int
) -> None:
    governor = ContextBudget(context, 900)
    stored = governor.fit_history(turns)
    assert stored == turns[len(turns) - len(stored) :]
    assert sum(governor.cost(t.question + t.answer) for t in stored) <= HISTORY_SHARE * context
    if len(stored) < len(turns):
        one_more = turns[len(turns) - len(stored) - 1 :]
        spent = sum(governor.cost(t.question + t.answer) + 2 * MESSAGE_TOKENS for t in one_more)
        assert spent > HISTORY_SHARE * context


@given(st.integers(0, 2000), st.integers(1024, 16_384), st.integers(50, 16_000))
def test_the_room_is_never_negative_and_what_fits_in_it_passes(
    repeats: int, context: int, answer: int
) -> None:
    governor = ContextBudget(context, answer)
    used = [message(ENGLISH * repeats)]
    room = governor.room(used)
    assert room >= 0
    if room:
        filling = "word" * (room - 1)
        assert governor.cost(filling) < room
        governor.check([message(ENGLISH * repeats + filling)])


def test_a_prompt_that_cannot_fit_is_refused_with_both_figures() -> None:
    governor = ContextBudget(2048, 500)
    with pytest.raises(PromptTooLong, match=r"about [\d,]+ tokens") as caught:
        governor.check([message(ENGLISH * 200)])
    assert caught.value.needed > caught.value.available == 2048 - 500
    assert "llm.context_tokens" in caught.value.fix
    assert governor.room([message(ENGLISH * 200)]) == 0


def test_a_prompt_that_fits_is_let_through() -> None:
    ContextBudget(2048, 500).check([message(ENGLISH * 20)])


ONE = PromptedTurn("Question: Who?\n\nthe evidence", "Ada did [1].")
TWO = PromptedTurn("Question: When?\n\nmore evidence", "In 1871 [2].")


def turns_of(*answers: str) -> tuple[Turn, ...]:
    return Conversation(tuple(Turn("?", answer) for answer in answers)).turns


def test_a_turn_is_known_behind_the_same_answers_alone():
    transcript = Transcript()
    transcript.store((), "one", ONE)
    transcript.store(turns_of("one"), "two", TWO)
    assert transcript.of(turns_of("one", "two")) == (ONE, TWO)
    assert transcript.of(turns_of("one", "other", "two")) == (ONE, None, None)
    assert transcript.of(turns_of("two")) == (None,)


def test_a_question_that_is_asked_anew_forgets_what_followed_it():
    transcript = Transcript()
    transcript.store((), "one", ONE)
    transcript.store(turns_of("one"), "two", TWO)
    transcript.store((), "another", TWO)
    assert transcript.of(turns_of("another")) == (TWO,)
    assert transcript.of(turns_of("one", "two")) == (None, None)


def test_what_left_a_prompt_is_forgotten():
    transcript = Transcript()
    transcript.store((), "one", ONE)
    transcript.store(turns_of("one"), "two", TWO)
    transcript.retain([TWO])
    assert transcript.of(turns_of("one", "two")) == (None, TWO)


@pytest.mark.parametrize(
    ("room", "retained"), [(60, (0, 0, 0)), (130, (0, 0, 1)), (240, (0, 1, 1))]
)
def test_evidence_leaves_whole_and_the_oldest_first(room: int, retained: tuple[int, ...]):
    turns = turns_of("one", "two", "three")
    prompted = [PromptedTurn("evidence " * 80, f"{n}") for n in range(3)]
    evidence_tokens = ContextBudget(4096, 500).room(()) - room
    fitted = ContextBudget(4096, 500).fit_turns(turns, prompted, evidence_tokens)
    assert tuple(isinstance(turn, PromptedTurn) for turn in fitted) == retained
    assert [t for t in fitted if isinstance(t, Turn)] == list(turns[: retained.count(0)])


def test_a_turn_that_was_never_prompted_stands_between_those_that_were():
    turns = turns_of("one", "chatted", "three")
    fitted = ContextBudget(8192, 500).fit_turns(turns, [ONE, None, TWO], 1600)
    assert fitted == (ONE, turns[1], TWO)


READ = PromptedTurn(
    "",
    "",
    (Source(1, "https://light.example", "Skarne Light", "light.example", None, False),),
    (
        Extract(
            1,
            ExtractKind.PASSAGE,
            "The tower is 34 metres high, of granite, built by Moss in Skarne as a light.",
        ),
        Extract(1, ExtractKind.SNIPPET, "Opening hours, tickets, guided tours."),
    ),
)
ASKED = (Turn("Who built Skarne Light?", "Moss [1]."),)


@pytest.mark.parametrize(
    ("question", "is_there"),
    [
        ("Is it of granite?", True),
        ("How high is the tower?", True),
        ("How high is the tower of Skarne Light?", True),
        ("How high is the tower of Corbie Light?", False),
        ("Is the tower painted?", False),
        ("Was it 52 metres high?", False),
        ("What do tickets cost?", False),
        ("Is Skarne Light older than Corbie Light?", False),
        ("Why?", False),
    ],
)
def test_what_is_in_hand_is_seen_by_its_names_numbers_and_words(question: str, is_there: bool):
    assert (in_hand_of(question, ASKED, [READ]) is not None) is is_there


def test_a_question_that_names_nothing_speaks_of_what_was_named_last():
    later = (*ASKED, Turn("Who is the keeper of Corbie Rock?", "Nobody."))
    assert in_hand_of("Is it of granite?", ASKED, [READ]) == ()
    assert in_hand_of("Is it of granite?", later, [READ, None]) is None


def test_what_was_read_and_not_shown_enters_for_a_follow_up():
    text = "The lantern was made in Birmingham.\n\nThe tower is painted white and red."
    page = Page("https://light.example", PageStatus.OK, title="Skarne Light", markdown=text)
    with_page = replace(READ, pages=(page,))
    found = in_hand_of("Is the tower painted?", ASKED, [with_page])
    assert found is not None
    assert any("white and red" in passage.text for passage in found)
    assert in_hand_of("What do tickets cost?", ASKED, [with_page]) is None
    assert in_hand_of("Is it of granite?", ASKED, [with_page]) == ()


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("30m", 1800),
        ("1h30m", 5400),
        ("90", 90),
        ("1.5h", 5400),
        ("250ms", 0.25),
        ("0", 0),
        ("0m", 0),
    ],
)
def test_a_duration_is_read_as_ollama_reads_it(written: str, seconds: float):
    assert duration_s(written) == seconds
    assert duration_s("-1") == float("inf")


def evidence() -> str:
    ledger = NumberedEvidence("a1b2")
    for n in range(4):
        text = " ".join(f"Sentence {n}.{i} says a thing." for i in range(20))
        ledger.add_passages(
            [Passage(f"https://{n}.example/", f"Page {n}", f"{i}. {text}", i) for i in range(2)], {}
        )
    return ledger.text


@each_row("share", [n / 40 for n in range(1, 41)])
def test_the_fence_is_closed_wherever_evidence_is_cut(share: float) -> None:
    whole = evidence()
    cut = shorten(whole, share * len(whole))
    assert cut.count("<<<web a1b2") == cut.count("web a1b2>>>")
    assert len(cut) <= share * len(whole) + len("\nweb a1b2>>>")
    assert whole.startswith(cut.removesuffix("web a1b2>>>").rstrip())


def test_half_of_the_evidence_ends_behind_a_whole_passage_or_sentence() -> None:
    whole = evidence()
    stored = shorten(whole, len(whole) / 2).removesuffix("\nweb a1b2>>>")
    assert stored.endswith((".", "..."))


def test_evidence_that_fits_stays_as_it_is() -> None:
    assert shorten(evidence(), float("inf")) == evidence()
    assert shorten("", 10) == ""


@pytest.mark.parametrize(
    ("needed", "available", "share"),
    [
        (0, 0, USUAL_SHARE),
        (5000, 4096, USUAL_SHARE),
        (9000, 4096, 0.2),
        (90_000, 4096, LEAST_SHARE),
    ],
)
def test_the_servers_numbers_say_how_much_fits(needed: int, available: int, share: float) -> None:
    error = PromptTooLong("", needed=needed, available=available)
    assert fitting_share(error, 0.9, 500) == pytest.approx(share, abs=0.06)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_4xx_may_be_for_the_length(status: int) -> None:
    assert is_too_long(ServiceRefused("m", "", "No.", status=status))


@pytest.mark.parametrize("status", [0, 401, 403, 404, 429, 500, 503])
def test_other_statuses_are_not(status: int) -> None:
    assert not is_too_long(ServiceRefused("m", "", "No.", status=status))
