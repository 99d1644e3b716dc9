"""Messages: English text that remembers what it was made from, here and after having been kept."""

from __future__ import annotations

import copy
import errno
import json
import pickle

import pytest

from askance.domain.errors import InputError, ServiceDown
from askance.domain.messages import NOTHING, Message, Remedy, decimals, message_of

NESTED = Message(
    "A search failed: {problem}", problem=Message("Nothing answers at {address}.", address="a")
)
FIX = Remedy(
    "Raise {setting}, or run `{command}`.", setting="llm.context_tokens", command="askance up"
)


def stored(message: Message) -> Message:
    """The message after it was written to a file and read again."""
    return Message.from_record(str(message), json.loads(json.dumps(message.to_record())))


def test_a_message_is_its_english_text():
    assert Message("{n} of {total} in {s} s", n=1200, total=3, s=2.25) == "1,200 of 3 in 2.25 s"
    assert NESTED == "A search failed: Nothing answers at a."
    assert type(str(NESTED)) is str
    assert not NOTHING


def test_a_place_without_a_value_is_a_mistake():
    with pytest.raises(KeyError):
        Message("After {n} rounds.")


def test_values_are_never_taken_for_templates():
    message = Message("It said {said}.", said="{n} {0} {said.__class__}")
    assert message == "It said {n} {0} {said.__class__}."
    assert stored(message) == message
    assert Message.verbatim("{n}") == "{n}"
    assert Message.term("{n}") == "{n}"


def test_what_is_no_text_stands_as_what_it_says():
    wrong = ValueError(Message("must be {names}", names="a"))
    message = Message("{name}: {problem}", name=7, problem=wrong)
    assert message == "7: must be a"
    assert isinstance(message.values["problem"], Message)


@pytest.mark.parametrize("message", [NESTED, FIX, Message.verbatim("{x}"), Message("{n} s", n=0.5)])
def test_a_message_that_was_kept_is_the_same(message: Message):
    for again in (stored(message), pickle.loads(pickle.dumps(message)), copy.deepcopy(message)):  # noqa: S301
        assert (again, again.template, again.values) == (message, message.template, message.values)
        assert type(again) is type(message)


def test_a_remedy_keeps_what_it_does():
    again = stored(FIX)
    assert isinstance(again, Remedy)
    assert (again.command, again.setting) == ("askance up", "llm.context_tokens")


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        "x",
        {},
        {"template": 3, "values": {}},
        {"template": "{n}", "values": []},
        {"template": "{n} {m}", "values": {"n": 1}},
    ],
)
def test_of_a_damaged_record_the_text_is_left(record: object):
    message = Message.from_record("3 {n}", record)
    assert message == "3 {n}"
    assert message.values == {"said": "3 {n}"}


def test_messages_are_joined_to_one_that_does_what_they_do():
    joined = Message.joined(NESTED, NOTHING, FIX)
    assert joined == f"{NESTED} {FIX}"
    assert isinstance(joined, Remedy)
    assert joined.setting == "llm.context_tokens"
    assert Message.joined(NOTHING, NESTED) is NESTED
    assert Message.joined("a", "b", by=", ") == "a, b"
    many = [str(n) for n in range(100)]
    assert Message.joined(*many) == " ".join(many)


def test_a_clause_has_no_full_stop():
    clause = Message("The page is empty.").clause()
    assert (clause, clause.template) == ("The page is empty", "The page is empty")


def test_errors_say_their_message():
    error = ServiceDown("s", "a", Message("Down."), fix=FIX)
    assert message_of(error) == str(error) == f"Down. {FIX}"
    assert message_of(InputError("Plain {n}.")) == "Plain {n}."
    assert message_of(OSError(errno.ENOSPC, "No space left on device", "/x")) == (
        "No space left on device"
    )
    assert message_of(ValueError("so it is")) == "so it is"


@pytest.mark.parametrize(("number", "digits"), [(1200, 0), (2.25, 2), (3.0, 0), (0.125, 3)])
def test_numbers_have_the_decimals_that_they_need(number: float, digits: int):
    assert decimals(number) == digits


def test_every_text_in_a_message_can_be_changed():
    louder = Remedy("Try {what}.", command="x", what=Message("{n} times", n=3)).mapped(str.upper)
    assert louder == "TRY 3 TIMES."
    assert louder.values["what"] == "3 TIMES"
    assert isinstance(louder, Remedy)
    assert louder.command == "x"
