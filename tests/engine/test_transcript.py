"""Turns as they stand in prompts: one conversation's, the newest with their evidence."""

from __future__ import annotations

import pytest

from askance.config.choices import duration_s
from askance.domain.conversation import Conversation, Turn
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.engine.prompts import ContextBudget, PromptedTurn, Transcript
from askance.engine.recall import is_in_hand

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
    assert is_in_hand(question, ASKED, [READ]) is is_there


def test_a_question_that_names_nothing_speaks_of_what_was_named_last():
    later = (*ASKED, Turn("Who is the keeper of Corbie Rock?", "Nobody."))
    assert is_in_hand("Is it of granite?", ASKED, [READ])
    assert not is_in_hand("Is it of granite?", later, [READ, None])


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
