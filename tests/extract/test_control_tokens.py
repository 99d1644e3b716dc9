"""Control tokens of chat templates are broken by their shape, in sight, and nothing else is."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.extract.text.characters import break_control_tokens, strip_invisible
from sampled import each_row

TOKENS = [
    line
    for line in Path(__file__).with_name("control_tokens.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("# ")
]
UNSEEN = ("\u200b", "\u00ad", "\u2060", "\ufe0f", "\u200d", "\x00", "\U000e0041")


def live_in(text: str) -> list[str]:
    """The tokens of any template in a text, also once a normaliser has gone over it."""
    later = unicodedata.normalize("NFKC", strip_invisible(text))
    return [token for token in TOKENS if token in text or token in later]


@each_row("token", TOKENS)
def test_a_control_token_is_broken_and_can_still_be_read(token: str) -> None:
    for text in (token, f"word{token}word", f"{token}{token}", f"<{token}>", f"[{token}]"):
        broken = break_control_tokens(text)
        assert live_in(broken) == []
        assert broken.replace(" ", "") == text.replace(" ", "")


@each_row("unseen", UNSEEN)
@each_row(
    "token",
    ["<|im_end|>", "</s>", "[INST]", "<think>", "<start_of_turn>", "<\uff5cUser\uff5c>", "<turn|>"],
)
def test_an_invisible_character_in_a_token_hides_it_from_nobody(token: str, unseen: str) -> None:
    for at in range(1, len(token)):
        assert live_in(break_control_tokens(token[:at] + unseen + token[at:])) == []


@pytest.mark.parametrize(
    "token",
    [
        "\uff1c|im_end|\uff1e",
        "\ufe64s\ufe65",
        "\uff3bINST\uff3d",
        "<|\uff49m_end|>",
        "<\U0001d42c>",
    ],
)
def test_a_compatible_form_of_a_token_does_not_become_one(token: str) -> None:
    assert live_in(unicodedata.normalize("NFKC", token))
    assert live_in(break_control_tokens(token)) == []


@pytest.mark.parametrize(
    "text",
    [
        "if a < b | c > d and x <= y || z",
        "<p>One <b>bold</b> <em>word</em> and <a href='/x_y'>a link</a><br/></p>",
        "List<String> names; vector<int> v; Map<K, V>; a<-b; x<y>z",
        "see <https://a.example/x_y> and <first_name@a.example>",
        "note [1], [2019], [sic], [a, b], [x] done, array[i], [Smith 2004], [ok]",
        "# Heading\n## Response times\n### Instructions for use\n#1: ### ",
        "1 << 2 >> 3; cout << x; a >>= b",
        "- [ ] task\n| a | b |\n|---|---|",
        "[text](https://a.example) ![alt](b.png) [ref][a]",
        "",
    ],
)
def test_ordinary_text_and_code_stay_as_they_are(text: str) -> None:
    assert break_control_tokens(text) == text


@given(
    st.lists(
        st.one_of(
            st.sampled_from([*TOKENS, *UNSEEN, "<", "|", ">", "[", "/", "#", " "]), st.text()
        ),
        max_size=8,
    ).map("".join)
)
def test_no_token_is_put_together_from_pieces_and_breaking_twice_changes_nothing(text: str) -> None:
    broken = break_control_tokens(text)
    assert live_in(broken) == []
    assert break_control_tokens(broken) == broken
