"""Links in an answer: none leads anywhere but to a source, in plain sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from askance.citations.check.checking import check_citations
from askance.citations.markdown.safe_markdown import own_links_only
from askance.domain.evidence import Extract, ExtractKind
from askance.ui.overlay.answer.markup import render
from call_counts import count_calls
from sampled import each_row, examples, sampled

OWN = "https://source.example/page?a=1"
EVIL = "https://evil.example/?q=secret"
EXTRACTS = [Extract(n, ExtractKind.SNIPPET, "nothing to see") for n in (1, 2)]
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MASKED = [
    f"[the timetable]({EVIL})",
    f"[the timetable]( {EVIL} )",
    f"[the timetable](\n{EVIL}\n)",
    f"[the timetable](<{EVIL}>)",
    f'[the timetable]({EVIL} "title")',
    f"[the timetable]({EVIL} 'title')",
    f"[the timetable]({EVIL} (title))",
    f'[the timetable]({EVIL}\n"two\nlines")',
    "[the timetable](https://evil.example/(a(b)c)?q=secret)",
    "[the timetable](https://evil.example/(a(b(c(d)))e)?q=secret)",
    r"[the timetable](https://evil.example/(a(b\)c))?q=secret)",
    r"[the timetable](https://evil.example/\(a?q=secret)",
    f"[the [nested] timetable]({EVIL})",
    f"[the `]` timetable]({EVIL})",
    f"[the\ntimetable]({EVIL})",
    rf"[the \[timetable\]]({EVIL})",
    f"**[the timetable]({EVIL})**",
    f"[**the** _timetable_]({EVIL})",
    f"[https://source.example]({EVIL})",
    f"[{OWN}]({EVIL})",
    f"![the timetable]({EVIL})",
    f"[![the timetable]({EVIL})]({EVIL})",
    f"[the timetable][t]\n\n[t]: {EVIL}",
    f"[the timetable][]\n\n[the timetable]: {EVIL}",
    f"[the timetable]\n\n[the\ntimetable]: <{EVIL}> 'title'",
    f"[The Timetable][ T ]\n\n> [t]:\n> {EVIL}",
    f"- [t]: {EVIL}\n\n[the timetable][t]",
    f"<a href='{EVIL}'>the timetable</a>",
    f'<A HREF="{EVIL}" >the timetable</A>',
    f"<img src={EVIL}>",
    f"<iframe src={EVIL}></iframe>",
    f"| a |\n|---|\n| [the timetable]({EVIL}) |",
    f"# [the timetable]({EVIL})",
    f"\\`[the timetable]({EVIL})\\`",
    f"a ` b\nc `[the timetable]({EVIL})` d",
    f"    a\n\n- ```\n[the timetable]({EVIL})",
    "[the timetable](javascript:alert(1))",
    "[the timetable](//evil.example)",
    "[the timetable](cite:1)",
    "[the timetable](file:///etc/passwd)",
    "[the timetable]()",
    f"[the timetable]({EVIL})[2]",
    f"[the timetable][9]({EVIL})",
    f"[the timetable]【1】({EVIL})",
]
PLAIN = [
    EVIL,
    f"<{EVIL}>",
    "<mailto:a@evil.example>",
    "<a@evil.example>",
    "www.evil.example/x",
    "HTTPS://EVIL.example",
]


def checked(text: str) -> str:
    return check_citations(text, EXTRACTS, urls=[OWN]).text


def targets_of(text: str) -> Iterator[str]:
    """Where a parser of Markdown finds that a text leads, or what it loads."""
    for block in PARSER.parse(text):
        for token in (block, *(block.children or ())):
            if token.type == "link_open":
                yield str(token.attrs["href"])
            elif token.type == "image":
                yield str(token.attrs["src"])
            elif token.type.startswith("html") and token.content.lower().startswith(("<a", "<i")):
                yield token.content


def drawn_targets_of(text: str) -> Iterator[str]:
    """Where the window's answer leads, markers aside."""
    for piece in render(text, {1, 2}, (), {OWN}).pieces:
        yield from (run.url for p in piece.paragraphs for run in p.runs if run.url)


@each_row("link", MASKED)
def test_no_address_hides_behind_a_text(link: str):
    text = checked(f"Trains go daily [1]. See {link} for more.\n\n{link}\n")
    assert list(targets_of(text)) == []
    assert set(drawn_targets_of(text)) <= {OWN}
    assert checked(text) == text
    if "the timetable" in link:
        assert "timetable" in text


@each_row("link", [*MASKED, *PLAIN])
def test_the_window_leads_nowhere_even_before_the_check(link: str):
    assert set(drawn_targets_of(f"See {link} now.\n\n{link}")) <= {OWN}


@pytest.mark.parametrize("address", PLAIN)
def test_an_address_that_is_no_source_stays_in_sight_and_leads_nowhere(address: str):
    text = checked(f"See {address}.")
    assert text == f"See `{address.strip('<>')}`."
    assert list(drawn_targets_of(text)) == []


@pytest.mark.parametrize("address", [OWN, f"<{OWN}>", f"({OWN})", f"{OWN}."])
def test_the_address_of_a_source_stays_a_link(address: str):
    text = f"See {address} now."
    assert checked(text) == text
    assert list(drawn_targets_of(text)) == [OWN]


@pytest.mark.parametrize(
    "text",
    [
        f"Use `[a]({EVIL})` or ``<{EVIL}>`` here.",
        f"```md\n[a]({EVIL})\n[t]: {EVIL}\n```",
        "f(x) and [sic] and a[i] < b[j]",
        "See [the annex] (page 3) and [x] done.",
        "Is 3 < 4? <b>Yes</b>, C<int>.",
    ],
)
def test_code_and_ordinary_brackets_stay(text: str):
    assert checked(text) == text


def test_markers_survive_beside_links():
    text = checked(f"It was so [1]({EVIL}) and [[2]]({EVIL}) and [a]({EVIL}) [1].")
    assert text == "It was so [1] and [2] and a [1]."


pieces = st.sampled_from(
    [*MASKED, *PLAIN, OWN, "[", "]", "(", ")", "](", "]:", "[t]", "!", "<", ">", "`", "``", "```", "\\", "\n", "\n\n",
     "    ", "- ", "> ", "|", "*", "[1]", "[2]", "[9]", "word", " ", ".", '"', "'", "://", "https://evil.example", "<a ", "&#91;"]
)  # fmt: skip


@examples(400)
@example(f"`[a](`[b]({EVIL})`)")
@given(st.lists(pieces, max_size=9).map("".join))
def test_no_answer_leads_anywhere_but_to_its_sources(answer: str):
    text = checked(answer)
    assert {url.removesuffix("/") for url in targets_of(text)} <= {OWN}
    assert {url.removesuffix("/") for url in drawn_targets_of(text)} <= {OWN}


OPENED: dict[str, Callable[[int], str]] = {
    "never closed": lambda n: "[a](" * n,
    "never closed, with letters": lambda n: "[a](_(_" * n,
    "escaped": lambda n: "[a](\\(" * n,
    "as deep as is allowed": lambda n: ("[a](" * 31 + "(b)" * 600) * (n // 250),
    "with a title that does not end": lambda n: '[a](b "' * n,
    "in angle brackets that do not end": lambda n: "[a](<b" * n,
    "brackets in brackets": lambda n: "[" * n + "](b)" * n,
    "numbers in brackets": lambda n: "[" * n + "1](b)" + "](b)" * n,
    "labels in brackets": lambda n: "[" * n + "]" * n + "\n\n[b]: c",
}


@pytest.mark.parametrize("shape", sampled(OPENED, every=4))
def test_the_links_of_a_long_answer_take_steps_that_grow_with_its_length(
    shape: str,
):
    text = OPENED[shape]

    def steps_for(count: int) -> int:
        answer = text(count)
        return count_calls(lambda: own_links_only(answer, {OWN}))

    # A square of the length would be sixteen times for four times the text; at most 4.2 times was
    # counted. Links within each other are taken apart in up to eight rounds, and the shorter text is
    # long enough to need most of them.
    assert steps_for(1_000) < 4.5 * steps_for(250)
