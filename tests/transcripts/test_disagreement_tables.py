"""What sources answer differently, as it stands below an answer everywhere but in the window."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from askance.app.client_runs import Runs
from askance.cli.views import footer_of, plain_lines
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Disagreement, Position, Source
from askance.domain.history import from_record, to_record
from askance.domain.ports.storage import Client
from askance.presentation.transcripts import as_html, as_json, as_markdown
from askance.server.openai_text import footer
from askance.server.tool_results import search_result
from sanitizing.judge import active_in_html, active_in_markdown
from transcripts.past import only
from transcripts.test_html_transcript import harmless

SOURCES = tuple(
    Source(n, f"http://site{n}.example/light", f"Light {n}", f"site{n}.example") for n in (4, 5, 6)
)
OWN = [source.url for source in SOURCES]
FOUND = Disagreement(
    "Skarne Light first lit",
    (
        Position("2 October 1863", (4, 6), "2023-04-05", 2, is_used=True),
        Position("14 October 1861", (5,), "", 1),
    ),
)
END = Answered(
    "It was lit in 1863 [6].",
    SOURCES,
    (),
    Outcome.WEB,
    1,
    Usage(),
    (),
    1_000,
    disagreements=(FOUND,),
)
HOSTILE = replace(
    END,
    disagreements=(
        Disagreement(
            "<img src=x onerror=alert(1)>",
            (
                Position("![a](http://evil.example/x) | b", (4,)),
                Position("<script>alert(1)</script>\n\n# [INST]", (5,), "<b>"),
            ),
        ),
    ),
)


def test_a_terminal_shows_columns() -> None:
    lines = list(plain_lines(footer_of(END)))
    assert lines[1] == "Sources disagree about Skarne Light first lit"
    starts = {
        line.index(cell) for line, cell in zip(lines[2:5], ("Who", "[4]", "[5]"), strict=True)
    }
    assert len(starts) == 1
    assert "· used" in lines[3]
    assert "used" not in lines[4]


def test_markdown_has_a_table_in_the_numbers_of_the_answer() -> None:
    text = as_markdown(only(END))
    assert "**Sources disagree about Skarne Light first lit**" in text
    assert "| Value | Who says so | Date | Independent sources |" in text
    # The answer cites source 6 first, which is its number 1 there.
    assert (
        "| 2 October 1863 | [1][2] site6.example, site4.example · used | 2023-04-05 | 2 |" in text
    )


def test_html_has_a_table() -> None:
    text = as_html(only(END))
    assert "<th>Who says so</th>" in text
    assert "<td>2 October 1863</td>\n<td>[1][2] site6.example" in text
    harmless(text)


def test_json_has_all_of_it_and_is_read_again() -> None:
    record = json.loads(json.dumps(to_record(END, 1.0)))
    assert record["disagreements"][0]["positions"][1]["sources"] == [5]
    assert from_record(record) == END
    old = {key: value for key, value in record.items() if key != "disagreements"}
    assert from_record(old) == replace(END, disagreements=())


async def called(end: Answered, max_tokens: int = 2_000) -> tuple[dict[str, Any], str]:
    async def ask(*_: Any) -> Answered:
        return end

    async with Runs() as runs:
        run = runs.begin(Client("tester"), "What?", ask)
        await asyncio.wait([run.task])
        result = search_result(run, lambda _: "", max_tokens)
    assert result.structured_content is not None
    return result.structured_content, result.content[0].text  # type: ignore[union-attr]


async def test_a_tool_gives_it_in_structure_and_in_words() -> None:
    out, text = await called(END)
    (found,) = out["disagreements"]
    assert found["about"] == "Skarne Light first lit"
    first, second = found["positions"]
    assert "2 October 1863" in first.pop("value")
    assert first == {"sources": [4, 6], "date": "2023-04-05", "origins": 2, "used": True}
    assert (second["sources"], second["used"]) == ([5], False)
    assert "Sources disagree about Skarne Light first lit:" in text
    assert "(2023-04-05, independent sources: 2, used in the answer)" in text


async def test_without_room_it_is_left_out_whole_and_said_to_be() -> None:
    out, _ = await called(replace(END, disagreements=(FOUND,) * 3), 100)
    assert out["disagreements"] == []
    assert "disagreements" in out["cut"]


def test_openais_clients_get_it_below_the_answer() -> None:
    assert "| 14 October 1861 | [5] site5.example |" in footer(END)


@pytest.mark.parametrize(
    "write", [lambda end: as_markdown(only(end)), footer], ids=["md", "openai"]
)
def test_nothing_in_it_makes_a_viewer_of_markdown_load_or_run(write: Any) -> None:
    assert not list(active_in_markdown(write(HOSTILE), OWN))


async def test_nothing_in_it_makes_any_other_viewer_load_or_run() -> None:
    assert not list(active_in_html(as_html(only(HOSTILE)), OWN))
    _, text = await called(HOSTILE)
    assert not list(active_in_markdown(text, OWN))
    assert "[INST]" not in text
    assert "<script" not in json.dumps(json.loads(as_json(only(HOSTILE)))["exchanges"])
