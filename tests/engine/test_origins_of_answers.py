"""What an answer says of its sources: which are copies of others, of which day it is, and what is newer."""

from __future__ import annotations

import pytest

from askance.domain.conversation import RunRequest
from askance.domain.events import Answered, RunEvent, Warned, WarningCode, ignore
from askance.domain.evidence import Extract, ExtractKind, Source, independent
from askance.domain.web_pages import Page
from askance.engine.evidence_set import EvidenceSet
from askance.engine.prompts import PromptedTurn
from askance.engine.run_progress import RunState
from askance.text.ranking.scoring import FoundPage
from engine.contexts import context_of, engine_of
from fakes.model import ScriptedModel
from fakes.reader import ScriptedReader, page
from fakes.search import ScriptedSearch, result
from servers.model_script import plan, verdict

REPORT = (
    "The ferry Good Intent made her last crossing on 14 March 2021 with 140 people and a brass band on board. "
    "The yard on the mainland paid 90,000 crowns for the ferry, and the council had hoped to keep her for a museum. "
    "Nobody has counted the miles that she made in the forty years before that day."
)
OWN = (
    "When the Good Intent crossed for the last time, on 14 March 2021, we counted 140 people at the quay. "
    "The band of the lifeboat men played until the lamps of the pier were out of sight, and then went to the inn."
)
QUESTION = "When was the last crossing of the Good Intent?"
ANSWER = "The last crossing of the Good Intent was on 14 March 2021 [1][2][3]."
GAZETTE, WIRE, DIARY = (
    "https://gazette.example/last-crossing",
    "https://wire.example/news/4711",
    "https://diary.example/march",
)


async def answered(
    pages: dict[str, Page], question: str, answer: str, events: list[RunEvent] | None = None
) -> Answered:
    """Ask about pages, all of which a search finds, in this order."""
    found = [
        result(url, p.title, p.markdown[:90], published=p.published) for url, p in pages.items()
    ]
    model = ScriptedModel.by_role(
        plan=[plan(question)], judge=[verdict("sufficient")] * 4, answer=[answer] * 4
    )
    engine = engine_of(model, ScriptedSearch({question: found}), ScriptedReader(pages))
    end = await engine.run(RunRequest(question), emit=(events if events is not None else []).append)
    assert isinstance(end, Answered)
    return end


def numbered(end: Answered) -> dict[str, Source]:
    return {source.url: source for source in end.sources}


async def test_copies_that_are_left_out_are_counted_by_their_hosts() -> None:
    mirrors = [f"https://mirror{n}.example/news/1" for n in (1, 2)]
    again = "https://mirror2.example/print/1"
    pages = {
        GAZETTE: page(GAZETTE, f"# The last crossing\n\n{REPORT}", "The last crossing"),
        **{
            url: page(url, f"# Farewell to a ferry\n\n{REPORT}", "Farewell to a ferry")
            for url in (*mirrors, again)
        },
        DIARY: page(DIARY, f"# March\n\n{OWN}", "March"),
    }
    end = await answered(
        pages, QUESTION, "The last crossing of the Good Intent was on 14 March 2021 [1]."
    )
    sources = numbered(end)
    # Of texts that are alike the first address is taken.
    (stays,) = (url for url in (GAZETTE, *mirrors, again) if url in sources)
    assert (sources[stays].copies, sources[stays].copy_of) == (2, 0)
    assert (sources[DIARY].copies, sources[DIARY].copy_of) == (0, 0)


async def test_a_copy_that_stays_for_what_else_it_says_is_no_independent_source() -> None:
    own = "The last crossing of the Good Intent began ten minutes late, for the mayor could not find his hat in time."
    more = "Tickets for the museum in the old Customs House are sold at the quay from ten on, as the wire was told."
    pages = {
        GAZETTE: page(GAZETTE, f"# The last crossing\n\n{REPORT}\n\n{own}", "The last crossing"),
        WIRE: page(
            WIRE,
            f"# Good Intent sold\n\n{more}\n\n{REPORT}",
            "The last crossing of the Good Intent",
        ),
        DIARY: page(DIARY, f"# The last crossing of the Good Intent\n\n{OWN}", "The last crossing"),
    }
    end = await answered(pages, QUESTION, ANSWER)
    sources = numbered(end)
    assert set(sources) == set(pages)
    first, second = sorted((sources[GAZETTE], sources[WIRE]), key=lambda s: s.n)
    assert (first.copy_of, second.copy_of) == (0, first.n)
    assert sources[DIARY].copy_of == 0
    assert independent(end.sources) == 2


async def test_a_sentence_that_is_quoted_word_for_word_has_one_origin() -> None:
    said = REPORT.partition(". ")[0] + "."
    around = (
        "Every spring we walk the coast from the mill to the light, and this year the harbour was empty. "
        "The woman at the bakery had kept the paper for us, and read aloud what stood in it. ",
        " We drank to her, ate the last of the storm loaf, and took the path over the hill back to the mill.",
    )
    pages = {
        GAZETTE: page(GAZETTE, f"# The last crossing\n\n{REPORT}", "The last crossing"),
        DIARY: page(DIARY, f"# A walk\n\n{said.join(around)}", "A walk"),
    }
    end = await answered(
        pages, QUESTION, "The last crossing of the Good Intent was on 14 March 2021 [1][2]."
    )
    assert len(end.sources) == 2
    assert independent(end.sources) == 1


async def test_sources_that_agree_in_their_own_words_are_independent() -> None:
    pages = {
        GAZETTE: page(GAZETTE, f"# The last crossing\n\n{REPORT}", "The last crossing"),
        DIARY: page(DIARY, f"# The Good Intent\n\n{OWN}", "The Good Intent"),
    }
    end = await answered(
        pages, QUESTION, "The last crossing of the Good Intent was on 14 March 2021 [1][2]."
    )
    assert [source.copy_of for source in end.sources] == [0, 0]
    assert independent(end.sources) == 2
    assert [citation.beside for citation in end.citations] == [(2,), (1,)]


def test_pages_of_one_host_are_one_source_and_files_are_each_their_own() -> None:
    pages = [Source(n, f"https://a.example/{n}", "A", "a.example") for n in (1, 2)]
    files = [Source(n, f"file:///{n}.pdf", "F", "") for n in (3, 4)]
    assert independent(pages) == 1
    assert independent([*pages, *files]) == 3
    assert independent([]) == 0


async def test_what_was_found_of_copies_for_an_earlier_answer_is_still_known() -> None:
    earlier = (
        Source(1, GAZETTE, "The last crossing", "gazette.example", None, False, copies=4),
        Source(2, WIRE, "Good Intent sold", "wire.example", None, False, copy_of=1),
        Source(3, DIARY, "March", "diary.example", None, False),
    )
    texts = ("The ferry was sold.", "A yard bought her.", "We counted 140 people at the quay.")
    extracts = tuple(Extract(n, ExtractKind.PASSAGE, text) for n, text in enumerate(texts, 1))
    evidence = EvidenceSet(context_of(QUESTION, RunState(ignore)))
    evidence.restore([PromptedTurn("", "", earlier, extracts)])
    assert evidence.with_origins() == earlier
    # A page that is read now is compared with what is known of them.
    found = page("https://again.example/1", f"# March\n\n{OWN}\n\n{texts[2]}", "March")
    await evidence.select([FoundPage(found, (QUESTION,))], 1)
    assert [(s.copies, s.copy_of) for s in evidence.sources[:3]] == [(4, 0), (0, 1), (0, 0)]


FARE = "What does the ferry to Ord cost?"


def fares(*fares: tuple[str, str, str | None]) -> dict[str, Page]:
    """Return pages that each name a fare, with their days."""
    return {
        url: page(
            url,
            f"# Fares\n\nThe ferry to Ord costs {fare} crowns for a grown-up. {more}",
            f"Fares {place}",
            published=day,
        )
        for place, ((url, fare, day), more) in enumerate(
            zip(
                fares,
                (
                    "Dogs travel free of charge, bicycles do in winter, and the purser has change.",
                    "Whoever brings a car pays the same again, and waits in the lane beside the sheds.",
                    "Children below the height of the rail go with their parents, and pay nothing.",
                ),
                strict=False,
            ),
            1,
        )
    }


async def test_where_days_matter_the_newest_source_that_is_cited_says_of_which_day_it_is() -> None:
    pages = fares(
        (GAZETTE, "14", "2023-04-04"), (DIARY, "14", "2024-09-30T08:00:00"), (WIRE, "14", None)
    )
    end = await answered(pages, FARE, "The ferry to Ord costs 14 crowns for a grown-up [1][2][3].")
    assert end.as_of == "2024-09-30"


async def test_where_days_do_not_matter_there_is_none() -> None:
    pages = {GAZETTE: page(GAZETTE, f"# Gazette\n\n{REPORT}", "Gazette", published="2023-04-04")}
    end = await answered(
        pages, QUESTION, "The last crossing of the Good Intent was on 14 March 2021 [1]."
    )
    assert end.as_of == ""


@pytest.mark.parametrize("day", ["2099-01-01", "1970-01-01", "soon", "2023", None])
async def test_a_day_that_is_not_sure_is_not_told(day: str | None) -> None:
    pages = fares((GAZETTE, "14", day))
    end = await answered(pages, FARE, "The ferry to Ord costs 14 crowns for a grown-up [1].")
    assert end.as_of == ""
    # A year alone is sure, and no day.
    assert end.sources[0].published in (None, day if day in ("2023", "soon") else None)


async def test_an_answer_that_the_newest_page_contradicts_says_so() -> None:
    events: list[RunEvent] = []
    pages = fares((GAZETTE, "14", "2021-04-04"), (DIARY, "17", "2025-02-03"))
    end = await answered(
        pages, FARE, "The ferry to Ord costs 14 crowns for a grown-up [1].", events
    )
    (told,) = (e for e in events if isinstance(e, Warned) and e.code is WarningCode.NEWER_DISAGREES)
    n = numbered(end)[DIARY].n
    assert end.as_of == "2021-04-04"
    assert told.message == f"The newest source says otherwise: [{n}] of 2025-02-03."
    assert told.message in end.warnings


@pytest.mark.parametrize(
    "newer",
    [("14", "2025-02-03"), ("17", "2019-02-03"), ("17", None), ("17", "2099-01-01")],
    ids=["the same", "older", "undated", "day to come"],
)
async def test_what_agrees_or_is_not_surely_newer_contradicts_nothing(
    newer: tuple[str, str | None],
) -> None:
    events: list[RunEvent] = []
    pages = fares((GAZETTE, "14", "2021-04-04"), (DIARY, *newer))
    await answered(pages, FARE, "The ferry to Ord costs 14 crowns for a grown-up [1].", events)
    assert not any(e.code is WarningCode.NEWER_DISAGREES for e in events if isinstance(e, Warned))
