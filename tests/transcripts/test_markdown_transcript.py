from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from askance.citations.markdown.safe_markdown import safe_markdown
from askance.domain.conversation import Outcome
from askance.domain.evidence import Citation, Source, Support
from askance.presentation.transcripts import as_html, as_json, as_markdown
from sampled import each_row
from transcripts.past import WHOLE, answered, conversation, exchange, only

WHOLE_MARKDOWN = """\
# When was the \\*lamp\\* lit?

2026-03-01 12:34 UTC

## 1. When was the \\*lamp\\* lit?

*search, 2026-03-01 12:34 UTC*

> When was
> the \\*lamp\\* lit?

> \\- a \\<b\\>quote\\</b\\>
>
> \\# of two lines

The lamp was first lit in 1887 [1].

- It is **white** [2]≈.
- It may turn [2]✗.

≈ weak: supported by its source only in part\x20\x20
✗ unsupported: not supported by its source

**Sources**

1. [The lamp's year](https://ferry.skarn.example/times) (ferry.skarn.example, 2024-05-01)
   - “lit in 1887”
2. [Paint](https://gazette.skarn.example/lamp) (gazette.skarn.example, snippet only)
   - “painted white”
3. [A copy](https://mirror.skarn.example/lamp) (mirror.skarn.example, snippet only)

- Note: Two rounds were not enough.

## 2. 1\\. And why?

*chat, 2026-03-01 12:34 UTC*

Which \\[lamp\\](x)?

## 3. And who?

*search, 2026-03-01 12:34 UTC*

- Note: There is no answer: SearXNG was down. Start it.

## 4. And then?

*search, 2026-03-01 12:34 UTC*

- Note: This run was not finished.
"""


def parsed(text: str) -> list[Token]:
    """Every token that a generous viewer finds."""
    parser = MarkdownIt("commonmark").enable(["strikethrough", "table"])
    parser.validateLink = lambda _url: True  # type: ignore[method-assign]
    tokens = parser.parse(text)
    return [t for token in tokens for t in (token, *(token.children or ()))]


def kinds(text: str) -> set[str]:
    return {token.type for token in parsed(text)}


def targets(text: str) -> list[str]:
    return [str(t.attrs["href"]) for t in parsed(text) if t.type == "link_open"]


def test_a_whole_conversation_reads_well() -> None:
    assert as_markdown(WHOLE) == WHOLE_MARKDOWN


@pytest.mark.parametrize(
    ("command", "is_noted"), [("chat", True), ("think", True), ("search", False), ("tldr", False)]
)
def test_what_came_from_memory_says_so(command: str, is_noted: bool) -> None:
    stored = conversation(exchange(1, "Why?", answered("So."), command=command))
    text = "From memory, not checked."
    assert (text in as_markdown(stored)) is is_noted
    assert (text in as_html(stored)) is is_noted


@pytest.mark.parametrize("outcome", [Outcome.GIVEN, Outcome.MEMORY])
def test_what_came_from_a_given_text_says_so_and_what_was_kept_as_memory_too(
    outcome: Outcome,
) -> None:
    end = replace(answered("So."), outcome=outcome)
    stored = conversation(exchange(1, "Why?", end, command="chat", quote="The clause is void."))
    for document in (as_markdown(stored), as_html(stored)):
        assert "From the text you gave, not checked." in document
        assert "From memory" not in document
    (asked,) = json.loads(as_json(stored))["exchanges"]
    assert (asked["events"][-1]["outcome"], asked["quote"]) == (outcome, "The clause is void.")


def test_an_answer_that_breaks_off_in_a_fence_does_not_swallow_what_follows() -> None:
    source = Source(1, "https://a.example/", "A", "a.example")
    for text in ("```py\nx = 1", "~~~~\nx\n~~~", "```", "text\n\n```\na\n```\n\n```\nb"):
        document = as_markdown(only(answered(text, (source,))))
        assert targets(document) == ["https://a.example/"], text
    document = as_markdown(only(answered("```\nx = 1\n```", (source,))))
    assert document.count("```") == 2


def test_an_index_in_code_gets_no_sign() -> None:
    source = Source(1, "https://a.example/", "A", "a.example")
    citation = Citation(1, "", 0, 25, Support.WEAK)
    end = answered("`x[1]` and\n\n```\ny[1]\n``` [1]", (source,), (citation,))
    document = as_markdown(only(end))
    assert "`x[1]` and\n\n```\ny[1]\n```" in document


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://a.example/x(1)", "(https://a.example/x%281%29)"),
        ("https://a.example/a%20b?q=1&r=[2]#f", "(https://a.example/a%20b?q=1&r=[2]#f)"),
        ("HTTPS://a.example/ü", "(HTTPS://a.example/%C3%BC)"),
    ],
)
def test_an_address_cannot_end_its_link_early(url: str, written: str) -> None:
    source = Source(1, url, "A ] title", "a.example")
    document = as_markdown(only(answered("x", (source,))))
    assert f"1. [A \\] title]{written} (a.example, snippet only)" in document


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "file:///etc", "https://a b", "https://a\nb"]
)
def test_an_address_that_is_no_web_page_is_no_link(url: str) -> None:
    source = Source(1, url, "", "a.example")
    document = as_markdown(only(answered("x", (source,))))
    assert "1. a.example (a.example, snippet only)" in document
    assert targets(document) == []


def test_a_damaged_exchange_says_so() -> None:
    damaged = replace(exchange(1, "q"), ended=True, damage="It is lost.")
    assert as_markdown(conversation(damaged)).endswith("- Note: It is lost.\n")


@each_row(
    "text",
    [
        "![i](http://x)",
        "\\![i](http://x)",
        "\\\\![i](http://x)",
        "![a][b]\n\n[b]: http://x/",
        "[a]: javascript:x\n\n[a]",
        "[![x](http://a)](http://b)",
        "<img src=x>",
        "\\\\<img src=x>",
        "<javascript:x>",
        "<!-- x -->",
        "<script>x</script>",
        "[a](&#106;avascript:x)",
        "[a](java&Tab;script:x)",
        "`` a `\n![x](http://u)\n``x",
        "- ```\n  ![x](http://u)",
        "1. ```\n\n![x](http://u)",
        "> ```\n![x](http://u)",
        "    ```\n![x](http://u)\n    ```",
        "`a\n\n![x](http://u)`",
        "\\`![x](http://u)`",
    ],
)
def test_nothing_in_an_answer_makes_a_viewer_load_or_run(text: str) -> None:
    shown = safe_markdown(text, None)
    assert not kinds(shown) & {"image", "html_inline", "html_block"}
    assert all(t.lower().startswith(("http://", "https://")) for t in targets(shown))


_PIECES = st.sampled_from(
    (
        *(
            "![",
            "[",
            "]",
            "](",
            "](x)",
            "]: ",
            "(",
            ")",
            "<",
            ">",
            "<b>",
            "http://a.example",
            "x:y",
        ),
        *(
            "\\",
            "`",
            "``",
            "```",
            "~~~",
            "\n",
            "\n\n",
            "    ",
            "- ",
            "> ",
            "&",
            "#106;",
            "a",
            " ",
            "!",
        ),
    )
)


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=30).map("".join))
def test_no_mix_of_syntax_makes_a_viewer_load_or_run(text: str) -> None:
    shown = safe_markdown(text, None)
    assert not kinds(shown) & {"image", "html_inline", "html_block"}
    assert all(t.lower().startswith(("http://", "https://")) for t in targets(shown))


@pytest.mark.parametrize(
    "text",
    [
        "The lamp [1][2] is **white**, a & b, 1 < 2!",
        "[a](https://ok.example/) <https://ok.example/>",
        "`<b>` and\n\n```html\n<img src=x>\n![x](y)\n```",
    ],
)
def test_what_harms_nobody_stays_as_it_is(text: str) -> None:
    shown = safe_markdown(text, None)
    assert shown == text.replace("```html", "```text")


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=15).map("".join), st.lists(_PIECES, max_size=15).map("".join))
def test_what_a_person_typed_is_text_in_every_place(text: str, quote: str) -> None:
    document = as_markdown(conversation(exchange(1, text, command=text, quote=quote), title=text))
    found = kinds(document)
    assert not found & {"image", "html_inline", "html_block", "link_open", "fence", "code_block"}
    assert "table_open" not in found
    assert all("://" in t.content for t in parsed(document) if t.type == "code_inline")
    assert sum(token.type == "heading_open" for token in parsed(document)) == 2
