"""Prompts that are too long, in the words of the servers that are in use."""

from __future__ import annotations

import json

import pytest

from askance.adapters.llm.server_replies import overflow_of
from sampled import each_row
from servers.overflow_wordings import CONTEXT, OTHERS, OVERFLOWS


@each_row("server", OVERFLOWS)
def test_a_prompt_that_is_too_long_is_told_from_the_words_and_numbers_of_each_server(
    server: str,
) -> None:
    text, needed, available = OVERFLOWS[server]
    for body in (text, json.dumps({"error": text}), json.dumps({"error": {"message": text}})):
        error = overflow_of(body, "wren", CONTEXT)
        assert error is not None
        assert (error.needed, error.available) == (needed, available)


@pytest.mark.parametrize("said", OTHERS)
def test_other_limits_and_refusals_are_none_of_the_prompts_length(said: str) -> None:
    assert overflow_of(json.dumps({"error": {"message": said}}), "wren", CONTEXT) is None


@pytest.mark.parametrize(
    "body", ["prompt " * 1400, "exceed" + " a" * 4_900, "input " + "9" * 9_000]
)
def test_words_without_end_are_read_in_no_time(body: str) -> None:
    overflow_of(body, "wren", CONTEXT)
