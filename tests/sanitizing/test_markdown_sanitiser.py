"""The sanitiser by itself, and the stream of OpenAI's API: nothing hostile gets through, nothing innocent changes."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from askance.citations.markdown.safe_markdown import own_links_only, safe_markdown, safe_reply
from askance.domain.evidence import Source
from askance.server.openai_text import LinkedStream, cut_to
from call_counts import count_calls
from sampled import each_row, examples, some_rows
from sanitizing.judge import active_in_markdown, visible_in_markdown
from sanitizing.payloads import EVIL, HOSTILE, INNOCENT

OWN = "https://own.example/page"
SOURCES = (Source(1, OWN, "A page", "own.example"),)
AROUND = (
    "{}",
    "Built in 1871 [1]. {} They say.",
    "- a\n- {}\n",
    "> {}",
    "a `b` {} `c`",
    "**{}** [1]",
)


def streamed(text: str, cuts: list[int]) -> str:
    stream = LinkedStream(SOURCES)
    places = [0, *cuts, len(text)]
    reports = [stream.add(text[a:b]) for a, b in pairwise(places)]
    reports.append(stream.close())
    assert "".join(reports) == stream.text
    return stream.text


@each_row("payload, around", product(some_rows(HOSTILE, every=6), AROUND))
def test_no_payload_is_active_once_sanitised(payload: str, around: str) -> None:
    safe = safe_markdown(around.format(payload), {OWN})
    assert active_in_markdown(safe, {OWN}) == []
    assert safe_markdown(safe, {OWN}) == safe
    if "words" in payload:
        assert "words" in safe


@each_row("payload", some_rows(HOSTILE, every=6))
def test_no_payload_gets_out_of_a_stream_wherever_it_is_cut(payload: str) -> None:
    for around in AROUND[:3]:
        text = around.format(payload)
        assert active_in_markdown(streamed(text, list(range(1, len(text)))), {OWN}) == []
    for cut in range(len(payload) + 1):
        assert active_in_markdown(streamed(payload, [cut]), {OWN}) == [], cut


@each_row("payload", some_rows(HOSTILE, every=6))
def test_what_is_shown_so_far_is_inert_too(payload: str) -> None:
    """A stream can end anywhere: the client hangs up, or has had its tokens."""
    stream = LinkedStream(SOURCES)
    for character in f"Built `so` [1].\n{payload}\n\nend":
        stream.add(character)
        assert active_in_markdown(stream.text, {OWN}) == []


@each_row("payload, most", product(some_rows(HOSTILE, every=6), [3, 6, 9, 14]))
def test_a_text_that_is_cut_in_the_middle_of_code_is_inert(payload: str, most: int) -> None:
    text = safe_markdown(f"`a {payload} b` and `c ![x]({EVIL}) d` end", {OWN})
    assert active_in_markdown(cut_to(text, most)[0], {OWN}) == []


@each_row("text", INNOCENT)
def test_an_innocent_text_keeps_what_a_person_reads(text: str) -> None:
    # What is no tag to a reader is none here: the expected text is that of a viewer without HTML.
    expected = visible_in_markdown(_with_tags_as_text(text))
    assert visible_in_markdown(safe_markdown(text, {OWN})) == expected
    if not re.search(r"\[\d+\]", text):  # a number in brackets is a marker to the check
        assert visible_in_markdown(streamed(text, [])) == expected


def test_there_are_enough_of_both() -> None:
    assert len(set(HOSTILE)) >= 30
    assert len(set(INNOCENT)) >= 60


PIECES = st.sampled_from(
    (
        *HOSTILE, "`", "``", "```", "~~~", "\n", "\n\n", "- ", "1. ", "> ", "    ", "  ", "\t", "| ", "[", "]", "](", "!", "\\",
        "<", ">", "word ", "[1]", "x[0](y)", f"({EVIL})", "```html\n", "|---|\n", "<img a=b src=c>", "&lt;", "^", "*", "_", "-",
    )
)  # fmt: skip


@examples(200)
@given(st.lists(PIECES, max_size=10).map("".join))
def test_no_mixture_is_active(text: str) -> None:
    assert active_in_markdown(safe_markdown(text, {OWN}), {OWN}) == []


@examples(200)
@given(st.lists(PIECES, max_size=10).map("".join), st.integers(1, 9))
def test_no_mixture_gets_out_of_a_stream(text: str, step: int) -> None:
    shown = streamed(text, list(range(step, len(text), step)))
    assert active_in_markdown(shown, {OWN}) == []


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
@pytest.mark.parametrize("head", [r"{}\| a | b |", "{}a | b", "{}| b |", "> {}a | b"])
def test_a_fence_that_is_the_head_of_a_table_to_some_viewers_is_neither(
    fence: str, head: str
) -> None:
    """GitHub begins code there, markdown-it a table: what is code to one would be text to the other."""
    start = head.format(fence)
    quote = "> " if start.startswith(">") else ""
    for text in (
        f"{start}\n{quote}|---|---|\n{quote}| `c | ![x]({EVIL})` | d |",
        f"{start}\n{quote}|---|---|\n{quote}| c | d |\n\n{fence}\n![x]({EVIL})\n{fence}\n",
        f"word\n{start}\n{quote}|---|---|\n{quote}| c | d |\n{fence}\n![x]({EVIL})\n{fence}\n",
    ):
        for shown in (safe_markdown(text, {OWN}), *(streamed(text, [at]) for at in (1, 4, 9))):
            assert active_in_markdown(shown, {OWN}) == []
            assert "<img" not in MarkdownIt("commonmark").render(shown)


@each_row("payload", some_rows(HOSTILE, every=6))
def test_a_reply_in_json_is_inert_in_each_of_its_texts(payload: str) -> None:
    reply = json.dumps({"title": payload, "tags": [payload], payload: {"deep": payload}})
    for written in (reply, f"```json\n{reply}\n```", f"Sure: {reply}"):
        data = json.loads(safe_reply(written))
        texts = [data.pop("title"), *data.pop("tags"), *data, *(v["deep"] for v in data.values())]
        assert len(texts) == 4
        for text in texts:
            assert active_in_markdown(text) == []


@pytest.mark.exhaustive
def test_the_time_grows_with_the_length() -> None:
    def steps(text: str, of: str) -> int:
        if of == "whole":
            return count_calls(lambda: safe_markdown(text, {OWN}))
        return count_calls(lambda: streamed(text, list(range(16, len(text), 16))))

    chance = random.Random(7)  # noqa: S311 - no secret
    mixed = [chance.choice(HOSTILE) for _ in range(4_000)]
    for of in ("whole", "stream"):
        for small, large in (
            ("".join(mixed[:100]), "".join(mixed[:400])),
            ("- ```\n  a\n" * 200, "- ```\n  a\n" * 800),
            ("`a " * 500, "`a " * 2_000),
            ("<a " * 500, "<a " * 2_000),
        ):
            assert steps(large, of) < 8 * steps(small, of), (of, small[:20])


def test_links_of_an_answer_from_memory_say_where_they_would_lead() -> None:
    text = "Read [the docs](https://docs.example/a) and ![a picture](https://docs.example/b)."
    message = "Read the docs (`https://docs.example/a`) and a picture (`https://docs.example/b`)."
    assert safe_markdown(text, addresses=True) == message
    assert own_links_only(text, ()) == "Read the docs and a picture."


def _with_tags_as_text(text: str) -> str:
    plain = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    if "`" not in text:  # to a viewer these are links to pages named `y` and `k`
        text = text.replace("](y)", "\\](y)").replace("](k)", "\\](k)")
    return f"<div>{plain.render(text)}</div>"
