"""The answer: whole sentences whatever cuts it, or the passages that stand in for it."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from askance.citations.check.checking import check_citations
from askance.citations.markdown.foreign_markers import seen_text
from askance.citations.markdown.quoting import QUOTED_CHARS, quote_passages
from askance.domain.errors import InputError, PromptTooLong, ServiceDown, ServiceProtocolError
from askance.domain.events import DraftRetracted, RunEvent, TokenArrived, WarningCode
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.domain.ports.model import Finished, FinishReason, Retracted, Text, Thought
from askance.engine.answer import (
    ECHO_WORDS,
    WrittenAnswer,
    echoes,
    is_not_found,
    report_nothing,
    write_answer,
)
from askance.engine.prompts import Prompts
from askance.engine.run_progress import RunState
from askance.text.ranking.passages import split_paragraphs
from engine.contexts import session_of
from fakes.model import Reply, ScriptedModel
from sampled import each_row

SOURCES = [
    Source(1, "https://a.example/", "A", "a.example"),
    Source(2, "https://b.example/", "B", "b.example"),
]


async def written(model: ScriptedModel, progress: RunState) -> WrittenAnswer:
    calls = session_of(progress, model)
    return await write_answer(calls, "Evidence.", "Task.", temperature=0.2)


def streamed(events: list[RunEvent]) -> str:
    return "".join(e.text for e in events if isinstance(e, TokenArrived))


async def test_an_answer_is_streamed_and_returned_whole(
    progress: RunState, events: list[RunEvent]
) -> None:
    text = "It was built in 1867 [1]. Its lamp is automatic [2]"
    assert await written(ScriptedModel(f" {text}\n"), progress) == WrittenAnswer(text)
    assert streamed(events).strip() == text
    assert not progress.warned


async def test_reasoning_is_not_part_of_the_answer(
    progress: RunState, events: list[RunEvent]
) -> None:
    model = ScriptedModel([Thought("Let me think."), "It was."])
    assert await written(model, progress) == WrittenAnswer("It was.")
    assert streamed(events) == "It was."


@pytest.mark.parametrize(
    ("reply", "text", "why"),
    [
        (["One. [1] Two ha", Finished(FinishReason.LENGTH, 9, 9)], "One. [1]", "length limit"),
        (["No full stop", Finished(FinishReason.LENGTH, 9, 9)], "No full stop", "length limit"),
        (["One. Two ha", Finished(FinishReason.OTHER, word="abort")], "One.", "abort"),
        (["Two ha", Finished(FinishReason.OTHER, word="error")], "", "error"),
        (
            ["One. Two ha", ServiceProtocolError("m", "", "The stream broke.")],
            "One.",
            "The stream broke.",
        ),
        (["これは文です。これ", ServiceDown("m", "", "Gone.")], "これは文です。", "Gone."),
        (["One. [1]", ServiceDown("m", "", "Gone.")], "One. [1]", "Gone."),
    ],
)
async def test_an_answer_that_was_cut_keeps_its_whole_sentences_and_says_so(
    reply: Reply, text: str, why: str, progress: RunState
) -> None:
    assert await written(ScriptedModel(reply), progress) == WrittenAnswer(text)
    assert progress.warned == {WarningCode.ANSWER_CUT}
    assert why in progress.warnings[0]


async def test_an_answer_that_came_as_reasoning_says_so(progress: RunState) -> None:
    end = Finished(FinishReason.STOP, is_from_reasoning=True)
    assert await written(ScriptedModel(["It is.", end]), progress) == WrittenAnswer("It is.")
    assert progress.warned == {WarningCode.ANSWER_FROM_REASONING}


async def test_the_beginning_of_a_sentence_is_no_answer(progress: RunState) -> None:
    model = ScriptedModel(["The tower is 47", ServiceDown("m", "", "Gone.")])
    with pytest.raises(ServiceDown):
        await written(model, progress)
    assert not progress.warned


async def test_an_answer_ends_at_the_runs_time_limit() -> None:
    progress = RunState(lambda _: None, wall_clock_s=0.05, answer_reserve_s=0)
    model = ScriptedModel(["One. Two ha", asyncio.Event(), "never said"])
    assert await written(model, progress) == WrittenAnswer("One.")
    assert "time limit" in progress.warnings[0]
    assert model.open_replies == 0


async def test_a_model_that_is_silent_to_the_end_has_written_nothing() -> None:
    progress = RunState(lambda _: None, wall_clock_s=0.05, answer_reserve_s=0)
    assert await written(ScriptedModel([asyncio.Event()]), progress) == WrittenAnswer("")


async def test_a_model_that_repeats_itself_is_stopped(progress: RunState) -> None:
    model = ScriptedModel("It was built in 1867. " + "The lamp, the lamp, " * 200)
    draft = await written(model, progress)
    assert draft == WrittenAnswer("It was built in 1867.", looped=True)
    assert model.left_early == 1
    assert "repeated itself" in progress.warnings[0]


async def test_of_an_answer_that_went_round_in_circles_each_sentence_is_kept_once(
    progress: RunState,
) -> None:
    model = ScriptedModel("It was built in 1867 [1]. " + "It is white [2]. It is tall [2]. " * 60)
    draft = await written(model, progress)
    assert draft == WrittenAnswer(
        "It was built in 1867 [1]. It is white [2]. It is tall [2].", looped=True
    )


async def test_a_sentence_that_is_said_twice_is_no_loop(progress: RunState) -> None:
    text = "It was built in 1867 [1]. It is white [2].\n\nIt was built in 1867 [1]."
    assert await written(ScriptedModel(text), progress) == WrittenAnswer(text)
    assert not progress.warned


INSTRUCTIONS = (
    "Task: answer the question from the sources above alone. End with a number. $question"
)


@pytest.mark.parametrize(
    ("answer", "is_echo"),
    [
        (INSTRUCTIONS, True),
        ("Sure! Answer the question from the SOURCES, above, alone; then stop.", True),
        ("It was built in 1867 [1]. Answer the question from the sources above!", True),
        ("Answer the question from the sources.", False),
        ("The sources above alone answer the question: it was built in 1867 [1].", False),
        ("It was built in 1867 [1].", False),
        ("", False),
    ],
)
def test_an_answer_that_holds_a_run_of_its_instructions_is_an_echo(
    answer: str, is_echo: bool
) -> None:
    assert echoes(answer, INSTRUCTIONS) is is_echo


def test_no_answer_is_an_echo_of_instructions_that_are_shorter_than_a_run() -> None:
    brief = "Answer in one sentence."
    assert len(brief.split()) < ECHO_WORDS
    assert not echoes(f"It was built in 1867. {brief}", brief)


@pytest.mark.parametrize("task", ["answer", "answer_small"])
def test_no_way_to_say_that_nothing_was_found_is_an_echo(task: str, prompts: Prompts) -> None:
    for answer in (
        "I could not find the answer in the sources.",
        "The sources do not hold the answer to the question.",
        "I could not find who built it. They do tell that it is white [1].",
    ):
        assert not echoes(answer, prompts.texts[task])


@pytest.mark.parametrize("reply", ["", " \n ", [Thought("Hm."), Finished(FinishReason.STOP, 5, 5)]])
async def test_an_empty_answer_is_empty(reply: Reply, progress: RunState) -> None:
    assert await written(ScriptedModel(reply), progress) == WrittenAnswer("")


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (ServiceDown("m", "", "Down."), ServiceDown),
        (["  \n", ServiceDown("m", "", "Down.")], ServiceDown),
        (PromptTooLong("Too long."), InputError),
    ],
)
async def test_a_model_that_fails_before_it_wrote_anything_is_not_hidden(
    reply: Reply, error: type[Exception], progress: RunState
) -> None:
    with pytest.raises(error):
        await written(ScriptedModel(reply), progress)
    assert not progress.warned


async def test_a_cancelled_answer_is_not_mistaken_for_one_out_of_time(progress: RunState) -> None:
    model = ScriptedModel(["One. ", waiting := asyncio.Event()])
    begun = asyncio.Event()
    reporter = RunState(lambda _: begun.set(), wall_clock_s=60, answer_reserve_s=0)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(written(model, reporter))
        await begun.wait()
        task.cancel()
    assert task.cancelled()
    assert model.open_replies == 0
    assert not waiting.is_set()


@pytest.mark.parametrize(
    ("answer", "not_found"),
    [
        ("I could not find who painted it. The sources tell of a harbour.", True),
        ("Sorry. The sources do not mention the painter at all.", True),
        ("There is no information about the painter.", True),
        ("It can't be found in the sources given here.", True),
        ("", True),
        ("Sela Marrin painted it in 1931 [1].", False),
        ("Sela Marrin painted it [1]. I could not find the year of it.", False),
        ("It was not built before 1867, says the archive [2].", False),
    ],
)
def test_an_answer_that_finds_nothing_says_so_in_its_first_full_sentence(
    answer: str, not_found: bool
) -> None:
    assert is_not_found(answer) is not_found


NOTHING_FOUND: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "languages" / "nothing.json").read_text(encoding="utf-8")
)


@each_row("code", NOTHING_FOUND)
def test_an_answer_that_finds_nothing_says_so_in_any_language(code: str) -> None:
    """Two that say so, and one that says when something was not."""
    assert [is_not_found(answer) for answer in NOTHING_FOUND[code]] == [True, True, False]


def test_a_search_without_results_tells_what_was_tried() -> None:
    text = report_nothing(["one", "two"])
    assert text.endswith(" Searched for: “one”, “two”.")
    assert is_not_found(text)
    assert report_nothing([]) == "I could not find anything about this on the web."


async def test_reasoning_that_is_closed_too_late_is_taken_back(
    progress: RunState, events: list[RunEvent]
) -> None:
    model = ScriptedModel(
        [Text("Okay, the user asks."), Retracted(), Text("It is "), Text("47 m.")]
    )
    assert await written(model, progress) == WrittenAnswer("It is 47 m.")
    at = events.index(DraftRetracted())
    assert streamed(events[:at]) == "Okay, the user asks."
    assert streamed(events[at:]) == "It is 47 m."


PAGES = tuple(
    Source(n, f"https://{name}.example/", name.upper(), f"{name}.example")
    for n, name in enumerate("abcd", 1)
)
TABLE = """\
| Village | Height |
| Skarne | 12 m |
| Kelhaven | 31 m |"""


def extract(n: int, text: str, kind: ExtractKind = ExtractKind.PASSAGE) -> Extract:
    return Extract(n, kind, text)


def quoted(*extracts: Extract, question: str = "Which village?") -> list[str]:
    """The blocks below the first line."""
    text = quote_passages(extracts, PAGES, question=question, opening="Nobody wrote it.")
    first, *blocks = text.split("\n\n")
    assert first == "Nobody wrote it."
    return blocks


def test_without_a_model_the_passages_speak_with_their_numbers() -> None:
    long = "It was built.\nIn 1867. " + "A long sentence that goes on and on. " * 20
    title, quote = quoted(extract(1, "Only a snippet.", ExtractKind.SNIPPET), extract(2, long))
    assert title == "**B**"
    assert quote.startswith("> It was built. In 1867. A long")
    assert quote.endswith("on and on. [2]")
    assert len(quote) < QUOTED_CHARS + 10


def test_without_a_model_and_without_pages_the_snippets_speak() -> None:
    blocks = quoted(extract(1, "Only a snippet.", ExtractKind.SNIPPET))
    assert blocks == ["**A**", "> Only a snippet. [1]"]


def test_the_passage_that_fits_best_comes_first_and_its_page_is_named_once() -> None:
    blocks = quoted(
        extract(1, "Nobody knows."),
        extract(2, "The baker sleeps."),
        extract(1, "The strongest gust was 52 metres per second."),
        extract(1, "A gust is a wind that has somewhere to be."),
        question="What was the strongest gust?",
    )
    assert blocks == [
        "**A**",
        "> The strongest gust was 52 metres per second. [1]",
        "> A gust is a wind that has somewhere to be. [1]",
        "> Nobody knows. [1]",
        "**B**",
        "> The baker sleeps. [2]",
    ]


def test_only_the_best_passages_are_quoted_and_none_of_them_twice() -> None:
    blocks = quoted(*(extract(1, f"Passage {i}.") for i in range(9)))
    assert blocks == ["**A**", *(f"> Passage {i}. [1]" for i in range(4))]
    assert quoted(extract(1, "Once."), extract(1, "Once.")) == ["**A**", "> Once. [1]"]


def test_a_table_stays_one_and_the_row_that_fits_has_the_number() -> None:
    blocks = quoted(
        extract(3, f"Five villages there are.\n{TABLE}\nThat is all."),
        question="How high is Skarne?",
    )
    assert blocks == [
        "**C**",
        "> Five villages there are. [3]",
        "| Village | Height |\n| --- | --- |\n| Skarne | 12 m [3] |\n| Kelhaven | 31 m |",
        "> That is all. [3]",
    ]


@pytest.mark.parametrize("rule", ["| --- | :---: |", "|---|---|"])
def test_a_table_with_a_rule_below_its_head_has_one_afterwards(rule: str) -> None:
    lines = TABLE.splitlines()
    (_, table) = quoted(extract(1, "\n".join([lines[0], rule, *lines[1:]])))
    assert table.count("---") == 2


def test_borders_within_the_cells_of_a_table_are_text() -> None:
    text = "| Sign | Meaning |\n| a || b | or |\n| |x| | size |\n| | none |\n| ls | wc -l | count |"
    (_, table) = quoted(extract(1, text))
    html = MarkdownIt().enable("table").render(table)
    cells = re.findall("<t[dh]>(.*?)</t[dh]>", html)
    assert [cell.removesuffix(" [1]") for cell in cells] == [
        *("Sign", "Meaning", "a || b", "or", "|x|", "size", "", "none", "ls", "wc -l | count"),
    ]


def test_of_a_long_table_the_rows_that_fit_are_kept_in_their_order() -> None:
    rows = [f"| Day {n} | {'rain ' * 12}|" for n in range(30)]
    rows[20] = "| Gale | all day |"
    text = "\n".join(["| Day | Weather |", *rows])
    (_, table) = quoted(extract(1, text), question="When was the gale?")
    lines = table.splitlines()
    assert lines[:2] == ["| Day | Weather |", "| --- | --- |"]
    assert lines[-1] == "| Gale | all day [1] |"
    assert len(table) < QUOTED_CHARS * 2


def test_a_row_alone_is_no_head() -> None:
    assert (
        quoted(extract(1, "| Skarne | 12 m |"))[1]
        == "|  |  |\n| --- | --- |\n| Skarne | 12 m [1] |"
    )


CODE = "```py\ndef ferry(quay):\n    if quay[1]:\n        leave()\n\n    return 9\n```"


def test_code_is_quoted_as_code_with_its_lines() -> None:
    passage = extract(1, f"The village writes it so:\n{CODE}\nIt leaves at nine.")
    text = quote_passages([passage], PAGES, question="Which village?", opening="Nobody wrote it.")
    assert f"> The village writes it so: [1]\n\n{CODE}\n\n> It leaves at nine. [1]" in text


def test_code_alone_names_its_number_and_is_cut_between_lines() -> None:
    line = "    leave(quay, morning, tide)"
    long = "\n".join(["```py", *[line] * 40, "```"])
    text = quote_passages([extract(2, long)], PAGES, question="Ferry?", opening="Nobody wrote it.")
    _, _, block, number = text.split("\n\n")
    head, *lines, end = block.split("\n")
    assert (head, set(lines), end, number) == ("```py", {line}, "```", "[2]")
    assert len(block) < QUOTED_CHARS + 10
    checked = check_citations(text, [extract(2, long)])
    assert block in checked.text


def test_what_is_read_of_code_keeps_its_indentation() -> None:
    assert seen_text(f"It  is \n\n so:\n\n{CODE}\n\nYes.") == f"It is \n so:\n{CODE}\nYes."
    assert seen_text(seen_text(CODE)) == CODE
    (code,) = split_paragraphs(f"# Ferry\n\n{CODE}\n")
    assert (code.text, code.heading) == (CODE, "Ferry")
