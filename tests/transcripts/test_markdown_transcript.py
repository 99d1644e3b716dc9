from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.text import Text

from askance.citations.markdown.safe_markdown import safe_markdown
from askance.cli.live import _source_text
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import from_record
from askance.presentation.answers import source_rows
from askance.presentation.transcripts import answer_html, as_html, as_json, as_markdown
from askance.presentation.transcripts import source_rows as handed_on
from sampled import each_row
from transcripts.past import AT, WHOLE, answered, conversation, exchange, only
from transcripts.test_html_transcript import harmless

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


def test_all_that_is_kept_of_a_conversation_is_written() -> None:
    # What could be a link to some reader is escaped; all else is as it was.
    whole = json.loads(as_json(WHOLE).replace(r"[lamp\\](x)", "[lamp](x)"))
    assert (whole["format"], whole["version"]) == ("askance-conversation", 1)
    assert (whole["id"], whole["created_at"], whole["updated_at"]) == (7, AT, AT)
    assert whole["title"] == "When was the *lamp* lit?"
    assert [e["text"] for e in whole["exchanges"]] == [e.text for e in WHOLE.exchanges]
    for written, own in zip(whole["exchanges"], WHOLE.exchanges, strict=True):
        assert [(r["at_s"], from_record(r)) for r in written["events"]] == [
            (timed.at_s, timed.event) for timed in own.events
        ]
        quote = own.quote.replace("<b>", "&lt;b>").replace("</b>", "&lt;/b>")
        assert (written["quote"], written["command"]) == (quote, own.command)
        assert (written["ended"], written["damage"]) == (own.ended, own.damage)


def test_any_text_can_be_written_in_any_encoding() -> None:
    text = as_json(only(answered("東京 \ud800 \x1b[2J")))
    assert text.isascii()
    assert json.loads(text)["exchanges"][0]["events"][0]["answer"] == "東京 \ud800 \x1b[2J"


# Quotes in another language than the answer: named, and written from their own side.

TEXT = "Der Leuchtturm wurde im Jahr 1871 gebaut [1]."
ARABIC = "بنيت المنارة في عام 1871 على صخرة عند مصب النهر."
ENGLISH = "The lighthouse was built in 1871 on a rock at the mouth of the river."
GERMAN = "Der Turm wurde 1871 auf einem Felsen an der Mündung des Flusses errichtet."
SOURCE = Source(1, "https://a.example/", "Lindmouth", "a.example", "", False)


def quoted(*quotes: str, text: str = TEXT):
    citations = (Citation(1, text, 0, len(text), Support.SUPPORTED, q) for q in quotes)
    return only(answered(text, (SOURCE,), tuple(citations)))


@pytest.mark.parametrize(
    ("quote", "attributes", "named"),
    [
        (ARABIC, {"lang": "ar", "dir": "rtl"}, "Arabic"),
        (ENGLISH, {"lang": "en", "dir": "ltr"}, "English"),
        (GERMAN, {"lang": "de", "dir": "ltr"}, ""),
        ("1871", {"dir": "auto"}, ""),
    ],
)
def test_a_quote_in_another_language_says_which(
    quote: str, attributes: dict[str, str], named: str
) -> None:
    page = harmless(as_html(quoted(quote)))
    assert page.all("q") == [attributes]
    assert page.texts["q"] == quote
    assert page.texts["span.host"] == f"a.example{named}"
    text = f" ({named})" if named else ""
    assert f"   - “{quote}”{text}\n" in as_markdown(quoted(quote))


def test_each_quote_is_told_once_in_the_order_of_the_answer() -> None:
    page = harmless(as_html(quoted(ENGLISH, ARABIC, ENGLISH)))
    assert page.texts["q"] == ENGLISH + ARABIC
    assert page.texts["span.host"] == "a.exampleEnglishArabic"


def test_an_answer_from_right_to_left_begins_on_the_right() -> None:
    page = harmless(as_html(quoted(ENGLISH, text=ARABIC)))
    (answer,) = page.all("div", "answer")
    assert (answer["lang"], answer["dir"]) == ("ar", "rtl")
    assert [q["dir"] for q in page.all("q")] == ["ltr"]
    asked = conversation(
        exchange(1, "متى بنيت المنارة في ليندموث؟", answered(ARABIC), quote=ARABIC)
    )
    page = harmless(as_html(asked))
    assert [h["dir"] for h in page.all("h2")] == ["rtl"]
    assert [p["dir"] for p in page.all("p", "quoted")] == ["rtl"]


# Sources that are files: named in what is handed on, and linked nowhere.

FILE = Source(1, "file:///srv/private/mill.md", "The mill", "", "2024-05-03", False)
UNNAMED = Source(2, "file:///srv/private/wheel.md", "", "", "", False)
END = Answered("It ran [1].", (FILE, UNNAMED), (), Outcome.LIBRARY, 0, Usage(), (), 5)


def test_what_is_handed_on_names_the_file_and_not_its_folder() -> None:
    first, second = handed_on(END)
    assert (first.title, first.about) == ("The mill", "mill.md, 2024-05-03")
    assert (second.title, second.about) == ("wheel.md", "wheel.md")
    assert "private" not in answer_html(END, "")


def test_a_terminal_shows_a_file_and_makes_no_link_of_it() -> None:
    row, _ = source_rows(END.sources)
    line: Text = _source_text(row, links=True)
    assert "mill.md · /srv/private" in line.plain
    assert not any("link" in str(span.style) for span in line.spans)
