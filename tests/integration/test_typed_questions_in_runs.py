"""What leaves for questions as people type and paste them, in English and in other languages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askance.domain.conversation import Conversation, RunRequest, SearchSize, Turn, TurnInput
from askance.domain.events import (
    Answered,
    Failed,
    GapFound,
    PageRequested,
    RunEnd,
    SearchStarted,
    Warned,
    WarningCode,
)
from askance.domain.history import published_in
from integration.order import assert_legal
from sampled import sampled
from servers.model_script import ModelScript, plan, verdict
from servers.openai_endpoint import open_endpoint
from servers.searxng import Hit
from servers.world import (
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    ONE_ROUND,
    QUESTION,
    WHITLOW,
    RecordedEvents,
    found,
    knowing_model,
)
from servers.world import (
    credulous as world,
)

STORIES: list[tuple[str, str, list[str]]] = json.loads(
    Path(__file__).parents[1].joinpath("engine", "typed_stories.json").read_text(encoding="utf-8")
)
PASTE = (
    "Elvira Quostobdia takes Zorvanil since the operation in Grimewitz, and pays nothing for it.\n"
    * 4
)


async def sent_for(
    request: RunRequest, planned: str = "", judged: dict[str, object] | None = None
) -> tuple[list[str], RecordedEvents, RunEnd]:
    """What a run sends, where the model plans a query or says nothing of use."""
    script = ModelScript(
        [plan(planned) if planned else "no idea"], [judged or verdict("sufficient")], ["So [1]."]
    )
    async with world(script) as w:
        reported = RecordedEvents()
        end = await w.engine.run(request, emit=reported.events.append)
        return [r.query.get("q", "") for r in w.servers["search"].requests], reported, end


def codes(reported: RecordedEvents) -> set[WarningCode]:
    return {event.code for event in reported.of(Warned)}


def words_in(sent: Sequence[str], wanted: Sequence[str]) -> list[str]:
    return [word for word in wanted if word.casefold() in " ".join(sent).casefold()]


@pytest.mark.parametrize(("code", "story", "needed"), sampled(STORIES, every=7, are_tuples=True))
async def test_a_story_is_searched_by_its_words_with_a_plan_and_without_one(
    code: str, story: str, needed: list[str]
) -> None:
    for pasted in (None, ()):
        sent, reported, _ = await sent_for(RunRequest(story, pasted=pasted))
        assert words_in(sent, needed) == needed, code
        assert WarningCode.PART_SEARCHED not in codes(reported)
    planned = " ".join([*needed, "forum"])
    sent, _, _ = await sent_for(RunRequest(story), planned)
    assert planned in sent


async def test_what_was_typed_by_keys_is_searched_whatever_it_looks_like() -> None:
    story = (
        "Sister has an Aprilla Mana 850 with 40000 km, bought on 12 May 2021 in Tirgost. Since Monday it "
        "stalls when the lever is pulled. The belt is new, the battery too, and the dealer in Tirgost has "
        "closed down for good. Nobody else around here has ever seen a gearbox like this one, and the manual "
        "is silent. Where is it repaired?"
    )
    sent, reported, _ = await sent_for(
        RunRequest(story, pasted=()), "Aprilla Mana 850 stalls Tirgost"
    )
    assert "Aprilla Mana 850 stalls Tirgost" in sent
    assert WarningCode.PART_SEARCHED not in codes(reported)
    sent, reported, _ = await sent_for(RunRequest(story), "Aprilla Mana 850 stalls Tirgost")
    assert not words_in(sent, ["Tirgost"])
    assert WarningCode.PART_SEARCHED in codes(reported)


async def test_what_was_pasted_into_a_question_stays_and_what_was_typed_is_searched() -> None:
    message = f"Does my insurance in Norway pay for a medicine like this?\n{PASTE}"
    leak = "Quostobdia Zorvanil Norway insurance medicine"
    sent, _, _ = await sent_for(RunRequest(message, pasted=(PASTE.strip(),)), leak)
    assert words_in(sent, ["Quostobdia", "Zorvanil", "Grimewitz"]) == []
    assert "Norway insurance medicine" in sent


async def test_a_question_that_says_nothing_without_its_paste_is_not_searched() -> None:
    message = f"{PASTE}\nWhat should I answer?"
    sent, _, end = await sent_for(RunRequest(message))
    assert sent == []
    assert isinstance(end, Failed)
    sent, _, _ = await sent_for(RunRequest(message), "medicine costs insurance answer")
    assert sent[0] == "medicine costs insurance answer"


ERRORS = [
    (
        'Traceback (most recent call last):\n  File "/HOME/quostobdia/x.py", line 3, in <module>\n'
        "    import grimewitz_billing\n  File \"/HOME/quostobdia/grimewitz_billing/b.py\", line 9\n"
        "ImportError: cannot import name 'soft' from 'pandas'\n\nhow do I fix this?",
        "ImportError pandas",
        ["ImportError", "cannot import name"],
    ),
    (
        "error[E0502]: cannot borrow `zorvanil` as mutable because it is also borrowed as immutable\n"
        " --> /HOME/quostobdia/dev/grimewitz/src/main.rs:9:5\n  |\n9 |     zorvanil.push(4);\n  | ^^^^ mutable borrow",
        "E0502 cannot borrow rust",
        ["E0502", "cannot borrow"],
    ),
    (
        "npm ERR! code EACCES\nnpm ERR! syscall mkdir\nnpm ERR! path /HOME/quostobdia/.npm/_x\n"
        "npm ERR! Error: EACCES: permission denied, mkdir '/HOME/quostobdia/.npm'\n\nwhat now?",
        "npm EACCES permission denied",
        ["npm EACCES", "permission denied"],
    ),
    (
        "ORA-12154: TNS:could not resolve the connect identifier specified\n"
        "sqlplus quostobdia/Gr1mewitz88@zorvanil.grimewitz.example:1521\nHost 10.4.7.12\nUser quostobdia",
        "ORA-12154 sqlplus",
        ["ORA-12154"],
    ),
    (
        "nginx error log\n502 Bad Gateway\nupstream 10.4.7.12:8080 zorvanil.grimewitz.example\n"
        "client quostobdia@grimewitz.example\n\nWhy?",
        "nginx 502 Bad Gateway",
        ["502 Bad Gateway"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("message", "planned", "needed"), ERRORS)
async def test_of_an_error_message_its_class_its_code_and_its_tool_are_searched(
    message: str, planned: str, needed: list[str]
) -> None:
    message = message.replace("/HOME/", "/home/")
    private = ["quostobdia", "grimewitz", "zorvanil", "10.4.7.12", "/home/", "Gr1mewitz88"]
    leak = " ".join([planned, *(word for word in private if word in message)])
    sent, _, _ = await sent_for(RunRequest(message), leak)
    assert words_in(sent[:1], needed) == needed
    assert planned in sent
    assert words_in(sent, private) == []
    assert not {"fix", "how do I fix this?", "what now?", "Why?"} & {*sent}


@pytest.mark.parametrize(
    ("question", "unwanted"),
    [
        ("snacks that do NOT contain peanuts", {"snacks contain peanuts", "NOT"}),
        ("mustang history -car -\"Ford Focus\"", {"Ford Focus", "mustang history Ford Focus"}),
        ("bread recipes without yeast", {"bread recipes yeast", "yeast"}),
        ("Urlaub in Dänemark außer Kopenhagen", {"Urlaub Dänemark Kopenhagen", "Kopenhagen"}),
        ("languages like Rust but not Golang", {"Rust Golang", "Golang"}),
    ],
)  # fmt: skip
async def test_what_a_question_excludes_is_not_asked_for(question: str, unwanted: set[str]) -> None:
    planned = "mustang history Ford Focus" if "Ford" in question else ""
    sent, _, _ = await sent_for(RunRequest(question), planned, verdict("partial"))
    assert question in sent
    assert not unwanted & {*sent}


async def test_operators_narrow_a_search_or_are_told() -> None:
    question = "How is a semaphore released? site:docs.python.org filetype:pdf"
    sent, reported, _ = await sent_for(RunRequest(question))
    assert sent[0] == "How is a semaphore released? site:docs.python.org filetype:pdf"
    assert all(query.endswith("site:docs.python.org filetype:pdf") for query in sent)
    assert WarningCode.OPERATOR_UNKNOWN not in codes(reported)
    sent, reported, _ = await sent_for(
        RunRequest("semaphore release intitle:python -site:x.example")
    )
    (told,) = [e for e in reported.of(Warned) if e.code is WarningCode.OPERATOR_UNKNOWN]
    assert told.message.values["operators"] == "intitle:python, -site:x.example"


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("Hi ChatGPT, what is the deepest lake in Norway?", "what is the deepest lake in Norway?"),
        ("OK, how deep is Lake Mjøsa", "how deep is Lake Mjøsa"),
        ("Hey Askance what is the deepest lake", "what is the deepest lake"),
    ],
)
async def test_who_is_addressed_is_not_searched(question: str, searched: str) -> None:
    sent, _, _ = await sent_for(RunRequest(question), "", verdict("partial"))
    assert sent[0] == searched
    assert words_in(sent, ["ChatGPT", "Askance", "OK"]) == []


PATHS = (
    "file:///HOME/elvira/biopsy-result%20may.md",
    "/HOME/elvira/My papers/biopsy result.pdf",
    "C:\\USERS\\Elvira\\biopsy.docx",
    "~/papers/biopsy.odt",
    '"/media/elvira/USB STICK/biopsy.md"',
)


@pytest.mark.parametrize("path", PATHS)
async def test_a_path_of_this_computer_leaves_in_no_query(path: str) -> None:
    path = path.replace("/HOME/", "/home/")
    message = f"What does a raised ferritin level in {path} mean?"
    sent, reported, _ = await sent_for(RunRequest(message), f"ferritin biopsy {path}")
    assert sent
    assert words_in(sent, ["biopsy", "elvira", "papers", "file:", "STICK"]) == []
    assert WarningCode.WORDS_HELD_BACK in codes(reported)


async def test_a_path_that_is_the_same_everywhere_is_searched() -> None:
    sent, _, _ = await sent_for(RunRequest("what is /etc/fstab for, and ~/.bashrc"))
    assert sent[0] == "what is /etc/fstab for, and ~/.bashrc"


SECRETS = ("quostobdia", "zorvanil", "88-4471", "grimewitz")
TEXT = "Patient Elvira Quostobdia, policy 88-4471, takes Zorvanil since the operation in Grimewitz."
LEAK = "Quostobdia Zorvanil 88-4471 Grimewitz Lindmouth lighthouse"
MESSAGES = {
    "mail": f"From: Mara <mara@grimewitz.example>\nSubject: you\n\nDear Ole,\n{TEXT}\nMara\n\n{QUESTION}",
    "template": f"<context>\n<source id='1'>{TEXT}</source>\n</context>\n\n{QUESTION}",
    "labels": f"Context: {TEXT}\n\nQuestion: {QUESTION}\nAnswer:",
    "before": f"{QUESTION}\n\n> {TEXT}\n> {TEXT}\n> {TEXT}",
    "preamble": f"{TEXT} {'It rained and nobody came by. ' * 12}{QUESTION}",
}


def leaking() -> ModelScript:
    return ModelScript(
        [plan(LEAK)], [verdict("partial", LEAK), verdict("sufficient")], ["Built in 1871 [1]."]
    )


def assert_nothing_leaves(asked: list[str]) -> None:
    assert QUESTION in asked
    assert not [word for word in SECRETS if word in " ".join(asked).lower()]


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
async def test_of_a_pasted_text_nothing_is_searched_and_the_model_reads_it(message: str):
    async with world(leaking()) as w:
        reported = RecordedEvents()
        end = await w.engine.run(RunRequest(message), emit=reported.events.append)
        asked = [r.query.get("q", "") for r in w.servers["search"].requests]
        assert TEXT in w.script.calls[0].text
    assert_nothing_leaves(asked)
    assert isinstance(end, Answered)
    assert end.asked == QUESTION
    assert TurnInput.TEXT in end.inputs
    assert WarningCode.PART_SEARCHED in {e.code for e in reported.of(Warned)}
    assert TEXT not in " ".join(published_in(message, replace(end, public_words=())))


async def test_without_a_model_too_the_question_alone_is_searched():
    async with world(knowing_model()) as w:
        w.engine = replace(w.engine, model=None)
        await w.engine.run(RunRequest(MESSAGES["mail"]), emit=lambda _: None)
        asked = [r.query.get("q", "") for r in w.servers["search"].requests]
    assert_nothing_leaves(asked)


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
async def test_over_the_api_the_answer_says_what_was_asked(tmp_path: Path, message: str):
    script = ModelScript([plan(LEAK)], ONE_ROUND, ["Built in 1871 [1]."])
    async with open_endpoint(tmp_path, script) as endpoint:
        asked = [{"role": "user", "content": message}]
        text = await endpoint.client.chat.completions.create(model="askance", messages=asked)  # type: ignore[arg-type]
        searched = [r.query.get("q", "") for r in endpoint.world.servers["search"].requests]
    assert_nothing_leaves(searched)
    assert "Taken as the question" in (text.choices[0].message.content or "")


GERMAN = "Wo wurde die Ingenieurin geboren, die den Leuchtturm von Lindmouth gebaut hat?"
OPENED = (GERMAN, "Ingenieurin geboren Leuchtturm Lindmouth gebaut")
ENGLISH = "Where was the engineer of the Lindmouth lighthouse born?"
ANSWER = "Clara Whitlow wurde 1839 in Orr geboren [1]."


def script_of(*queries: str, judge: tuple[Any, ...] = (verdict("sufficient"),)) -> ModelScript:
    return ModelScript([plan("\n".join(queries))], list(judge), [ANSWER])


def by_language(query: str) -> list[Hit]:
    """Nothing that helps is found by German words."""
    return found(WHITLOW, LIGHTHOUSE) if "engineer" in query else found(HARBOUR, GAZETTE)


async def asked(
    script: ModelScript,
    question: str = GERMAN,
    *,
    settings: dict[str, Any] | None = None,
    **wanted: Any,
) -> RecordedEvents:
    async with world(script, hits=by_language, settings=settings) as w:
        reported = await w.ask(question, **wanted)
        await w.until_idle()
    assert_legal(reported.events)
    return reported


def searched(on_progress: RecordedEvents) -> list[str]:
    return [query for event in on_progress.of(SearchStarted) for query in event.queries]


async def test_both_languages_go_out_in_the_first_round_and_no_more_than_it_may_send() -> None:
    reported = await asked(script_of(ENGLISH, "Lindmouth", "Leuchtturm Lindmouth"))
    assert searched(reported) == [*OPENED, ENGLISH]
    reported = await asked(script_of("Leuchtturm Lindmouth", ENGLISH))
    assert searched(reported) == [*OPENED, ENGLISH], "the other language comes first"
    reported = await asked(script_of(ENGLISH, "Lindmouth", "Whitlow"), size=SearchSize(queries=4))
    assert searched(reported) == [*OPENED, ENGLISH, "Lindmouth"]


async def test_pages_of_the_first_search_leave_room_for_those_of_the_plan() -> None:
    limits = {"PAGES_A_ROUND": 2}
    reported = await asked(script_of(ENGLISH), settings=limits)
    read = [event.url for event in reported.of(PageRequested)]
    assert len(read) == 2
    assert read[0] in (HARBOUR, GAZETTE)
    assert read[1] in (WHITLOW, LIGHTHOUSE)


async def test_where_the_plan_stays_in_the_language_all_pages_of_the_first_search_are_read() -> (
    None
):
    reported = await asked(script_of(GERMAN), settings={"PAGES_A_ROUND": 2})
    assert {event.url for event in reported.of(PageRequested)} == {HARBOUR, GAZETTE}


async def test_a_question_in_english_is_searched_as_before() -> None:
    reported = await asked(
        script_of("Leuchtturm und Ingenieurin von Lindmouth"),
        ENGLISH,
        settings={"PAGES_A_ROUND": 2},
    )
    assert len({event.url for event in reported.of(PageRequested)}) == 2
    assert searched(reported)[:2] == [ENGLISH, "engineer Lindmouth lighthouse born"]


async def test_what_a_judge_misses_without_a_query_is_looked_for_in_the_language_of_the_plan() -> (
    None
):
    reported = await asked(
        script_of(
            "Where was Clara Whitlow born, the engineer of Lindmouth?", judge=(verdict("partial"),)
        )
    )
    first, *_ = reported.of(GapFound)
    assert first.queries[:2] == ("Clara Whitlow", "Lindmouth")


async def test_prompts_name_the_language_and_a_question_in_english_names_none() -> None:
    script = script_of(ENGLISH)
    await asked(script)
    assert "alone, in German (quotes as" in script.of("answer")[0].task
    assert "in the language of most pages about it" in script.of("plan")[0].task
    assert "in the language of most pages about it" in script.of("judge")[0].task
    script = script_of(ENGLISH)
    await asked(script, ENGLISH)
    assert "alone, in its own language." in script.of("answer")[0].task
    assert "language of most pages" not in "".join(call.text for call in script.calls)
    script = script_of(ENGLISH)
    await asked(script, ENGLISH, settings={"answer.language": "fr"})
    assert "alone, in French (quotes as" in script.of("answer")[0].task


async def test_a_follow_up_is_answered_in_the_language_of_the_conversation() -> None:
    script = script_of(ENGLISH)
    async with world(script, hits=by_language) as w:
        await w.ask("1839?", Conversation((Turn(GERMAN, ANSWER),)))
    assert "alone, in German (quotes as" in script.of("answer")[0].task
