"""What leaves for questions as people type them: long ones, with operators, with what is not wanted, with paths in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from askance.domain.conversation import RunRequest
from askance.domain.events import Failed, RunEnd, Warned, WarningCode
from sampled import sampled
from servers.model_script import ModelScript, plan, verdict
from servers.world import RecordedEvents, world

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
