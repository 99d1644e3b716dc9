"""The judge, and the code that does not take its word for everything."""

from __future__ import annotations

from typing import Any

import pytest

from askance.domain.errors import ServiceTimeout
from askance.domain.events import Judged, Judging, RunEvent, Warned, WarningCode
from askance.domain.evidence import Extract, ExtractKind, Passage, Source
from askance.domain.phases import Sufficiency, Verdict
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.judge import Judge, check_verdict, has_more, is_plain
from askance.engine.run_progress import RunState
from engine.contexts import context_of, session_of
from fakes.model import ScriptedModel
from fakes.search import result

QUESTION = "When was the lighthouse at Kelhaven built?"
ANSWER = "The lighthouse at Kelhaven was built in 1867."
YES = Verdict(Sufficiency.SUFFICIENT)


def extracts(*texts: str) -> list[Extract]:
    return [Extract(n, ExtractKind.PASSAGE, text) for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("question", "verdict", "texts", "judging", "doubt"),
    [
        (QUESTION, YES, [ANSWER], Judging.PASSAGES, ""),
        (QUESTION, YES, [ANSWER], Judging.SNIPPETS, ""),
        (QUESTION, YES, [], Judging.PASSAGES, "no evidence"),
        (
            QUESTION,
            YES,
            ["The lighthouse of Stoll was built in 1867."],
            Judging.PASSAGES,
            "Kelhaven",
        ),
        ("Was it built in 1868?", YES, ["It was built in 1867."], Judging.PASSAGES, "1868"),
        (
            QUESTION,
            Verdict(Sufficiency.SUFFICIENT, ("who built it",)),
            [ANSWER],
            Judging.PASSAGES,
            "asks for more",
        ),
        (QUESTION, YES, ["Kelhaven has shops.", "A ferry."], Judging.PASSAGES, "no source speaks"),
        (QUESTION, YES, ["The Kelhaven lighthouse is white."], Judging.SNIPPETS, "no snippet"),
        (QUESTION, YES, ["The Kelhaven lighthouse is white."], Judging.PASSAGES, ""),
        ("who was it?", YES, ["Anybody."], Judging.SNIPPETS, ""),
    ],
)
def test_a_sufficient_that_code_can_refute_becomes_partial(
    question: str, verdict: Verdict, texts: list[str], judging: Judging, doubt: str
) -> None:
    checked = check_verdict((question,), verdict, extracts(*texts), judging)
    assert doubt in checked.doubt
    assert bool(checked.doubt) is bool(doubt)
    assert checked.sufficiency is (Sufficiency.PARTIAL if doubt else Sufficiency.SUFFICIENT)


@pytest.mark.parametrize("sufficiency", [Sufficiency.PARTIAL, Sufficiency.INSUFFICIENT])
def test_a_judge_that_wants_more_is_not_contradicted(sufficiency: Sufficiency) -> None:
    verdict = Verdict(sufficiency, ("kelhaven lighthouse year",))
    assert check_verdict((QUESTION,), verdict, extracts(ANSWER), Judging.PASSAGES) == verdict


@pytest.fixture
def ledger() -> NumberedEvidence:
    ledger = NumberedEvidence("0")
    ledger.add_passages([Passage("https://a.example/", "Kelhaven", ANSWER, 0)], {})
    return ledger


def judge_of(model: ScriptedModel, progress: RunState, question: str = QUESTION) -> Judge:
    calls = session_of(progress, model, question)
    return Judge(context_of(question, progress, calls=calls), calls)


def test_words_decide_nothing_between_two_languages():
    question = "Wann wurde der Leuchtturm von Kelhaven gebaut, und von wem?"
    english = (
        "The light at Kelhaven was lit in 1867, and the council of the island paid for all of it."
    )
    enough = Verdict(Sufficiency.SUFFICIENT)
    alone = check_verdict((question,), enough, extracts(english), Judging.PASSAGES)
    assert alone.sufficiency is Sufficiency.SUFFICIENT
    other = "Where was the engineer of the Kelhaven light born, and in which year did he die?"
    worded = check_verdict((question, other), enough, extracts(english), Judging.PASSAGES)
    assert worded.sufficiency is Sufficiency.PARTIAL, (
        "the wording of the evidence's language counts"
    )


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"sufficiency": "sufficient"}, Verdict(Sufficiency.SUFFICIENT)),
        (
            {
                "sufficiency": "partial",
                "gap_queries": [" a  b ", "a b", "", 7],
            },
            Verdict(Sufficiency.PARTIAL, ("a b",)),
        ),
        (
            {"sufficiency": "insufficient", "gap_queries": ["a", "b", "c", "d"]},
            Verdict(Sufficiency.INSUFFICIENT, ("a", "b", "c")),
        ),
        (
            {"sufficiency": "partial", "gap_queries": ["x" * 301, "y"]},
            Verdict(Sufficiency.PARTIAL, ("y",)),
        ),
        (
            {"sufficiency": "partial", "gap_queries": "one string"},
            Verdict(Sufficiency.PARTIAL, ("one string",)),
        ),
        (
            {"gap_queries": [], "sufficiency": "sufficient"},
            Verdict(Sufficiency.SUFFICIENT),
        ),
    ],
)
async def test_a_verdict_is_read_with_forbearance(
    reply: dict[str, Any],
    expected: Verdict,
    ledger: NumberedEvidence,
    progress: RunState,
) -> None:
    judge = judge_of(ScriptedModel(reply), progress)
    assert await judge.judge(ledger, Judging.PASSAGES, 1) == expected


OPEN = "The harbour master of Kelhaven has a lighthouse in his garden."
MORE = {"sufficiency": "partial", "gap_queries": ["Kelhaven 1867"]}


@pytest.fixture
def open_ledger() -> NumberedEvidence:
    """Evidence in which no passage says what the question says."""
    ledger = NumberedEvidence("0")
    pages = ((f"https://{n}.example/", text) for n, text in enumerate(("It was built.", OPEN)))
    ledger.add_passages([Passage(url, "Harbours", text, 0) for url, text in pages], {})
    return ledger


async def test_evidence_that_is_doubted_is_checked_part_by_part_behind_the_same_prefix(
    open_ledger: NumberedEvidence, progress: RunState, events: list[RunEvent]
) -> None:
    model = ScriptedModel({"sufficiency": "sufficient"}, MORE)
    judge = judge_of(model, progress, "Who built the lighthouse at Kelhaven, and for whom?")
    assert await judge.judge(open_ledger, Judging.PASSAGES, 1)
    doubted = await judge.judge(open_ledger, Judging.PASSAGES, 1, is_doubted=True)
    assert doubted == Verdict(Sufficiency.PARTIAL, ("Kelhaven 1867",))
    first, again = (call.messages[-1].content for call in model.calls)
    assert first.partition("Task: ")[0] == again.partition("Task: ")[0]
    assert "held to be enough" in again
    assert len([e for e in events if isinstance(e, Judged)]) == 2


async def test_only_what_has_entered_since_makes_an_answer_plain(progress: RunState) -> None:
    ledger = NumberedEvidence("0")
    ledger.add_passages([Passage("https://a.example/", "Kelhaven", ANSWER, 0)], {})
    judge = judge_of(ScriptedModel(), progress)
    assert await judge.could_answer(ledger)
    ledger.add_passages([Passage("https://b.example/", "Harbours", "It was dredged.", 0)], {})
    assert not await judge.could_answer(ledger, since=1)


async def test_a_verdict_is_told_with_its_doubt(progress: RunState, events: list[RunEvent]) -> None:
    other = NumberedEvidence("0")
    other.add_snippets(
        [result("https://a.example/", "Stoll", "The lighthouse of Stoll was built.")]
    )
    judge = judge_of(ScriptedModel({"sufficiency": "sufficient"}), progress)
    await judge.judge(other, Judging.SNIPPETS, 2)
    (judged,) = [e for e in events if isinstance(e, Judged)]
    assert judged.sufficiency is Sufficiency.PARTIAL
    assert (judged.judging, judged.round) == (Judging.SNIPPETS, 2)
    assert "Kelhaven" in judged.doubt


@pytest.mark.parametrize(
    "replies",
    [
        ["no JSON", "none again"],
        [{"sufficiency": "perhaps", "gap_queries": []}],
        [{"sufficiency": ["sufficient"], "gap_queries": []}],
        [{"sufficiency": None, "gap_queries": []}] * 2,
        [ServiceTimeout("model", "", "The model fell silent.")],
    ],
)
async def test_a_judge_that_fails_costs_only_its_opinion(
    replies: list[Any],
    ledger: NumberedEvidence,
    progress: RunState,
    events: list[RunEvent],
) -> None:
    judge = judge_of(ScriptedModel(*replies), progress)
    assert await judge.judge(ledger, Judging.PASSAGES, 1) is None
    assert [e.code for e in events if isinstance(e, Warned)] == [WarningCode.JUDGE_FAILED]
    assert not [e for e in events if isinstance(e, Judged)]


def pages_of(*titles: str, read: bool = True) -> list[Source]:
    return [
        Source(n, f"https://p{n}.example/", title, f"p{n}.example", None, not read)
        for n, title in enumerate(titles, 1)
    ]


LONG = "Who was mayor of the town where the engineer Clara Whitlow, who built Kelhaven, was born?"


@pytest.mark.parametrize(
    ("question", "texts", "plain"),
    [
        (QUESTION, [ANSWER], True),
        (QUESTION, ["The Kelhaven lighthouse dates from 1867."], True),
        (QUESTION, ["Kelhaven is a town.", "A lighthouse was built."], False),
        (QUESTION, ["The lighthouse of Stoll was built in 1867."], False),
        (QUESTION, [], False),
        (LONG, ["Clara Whitlow, the engineer who built Kelhaven, was born in Orr."], False),
        (LONG, ["The town of Orr, where the engineer Clara Whitlow was born who built Kelhaven,"
                " chose Ann Bell as its mayor."], True),
        ("who was it?", ["Anybody."], True),
    ],
)  # fmt: skip
def test_an_answer_is_plain_where_one_passage_says_what_the_question_says(
    question: str, texts: list[str], plain: bool
) -> None:
    assert is_plain(question, extracts(*texts), pages_of(*texts)) is plain


def test_a_snippet_makes_nothing_plain() -> None:
    snippet = Extract(1, ExtractKind.SNIPPET, ANSWER)
    assert not is_plain(QUESTION, [snippet], pages_of("Kelhaven"))


@pytest.mark.parametrize(
    ("titles", "read", "plain"),
    [
        (["Kelhaven", "Stoll Point (lighthouse)"], True, True),
        (["Kelhaven", "Lighthouses"], True, False),
        (["Kelhaven", "Stoll Point"], False, False),
    ],
)
def test_what_is_compared_needs_a_page_for_each_side(
    titles: list[str], read: bool, plain: bool
) -> None:
    both = "Which lighthouse is older, Kelhaven or Stoll Point?"
    reported = extracts("The lighthouse of Kelhaven is older than that of Stoll Point.")
    assert is_plain(both, reported, pages_of(*titles, read=read)) is plain


async def test_a_verdict_is_read_by_the_types_of_its_fields(
    open_ledger: NumberedEvidence, progress: RunState
) -> None:
    gaps = [{"query": "a"}, None, 7, ["b"], "None"]
    fields = {"sufficiency": "Partial", "gap_queries": gaps}
    judge = judge_of(ScriptedModel(fields), progress)
    verdict = await judge.judge(open_ledger, Judging.PASSAGES, 1)
    assert verdict == Verdict(Sufficiency.PARTIAL, ("a", "b"))


def test_a_long_question_may_be_found_to_lack_what_it_asks_for():
    question = "What is the height of the player who won the 2015 Rising Star award in Kelhaven?"
    texts = ["In Kelhaven the player Jesse Hogan won the 2015 Rising Star award."]
    assert is_plain(question, extracts(*texts), pages_of(*texts), 0.7)
    assert not is_plain(question, extracts(*texts), pages_of(*texts), 1.0)


def test_what_is_asked_by_way_of_another_thing_is_not_plain_by_half_of_its_words():
    texts = ["Diana Quick was the Duchess in a film of the Tragedy."]
    direct = "Which actress was the Duchess in the Tragedy?"
    by_way = "What is the birthday of the actress who was the Duchess in the Tragedy?"
    assert is_plain(direct, extracts(*texts), pages_of(*texts), 1.0)
    assert is_plain(by_way, extracts(*texts), pages_of(*texts))
    assert not is_plain(by_way, extracts(*texts), pages_of(*texts), 1.0)


@pytest.mark.parametrize(
    ("new", "queries", "is_more"),
    [
        ("The harbour of Kelhaven was dredged.", ["Kelhaven lighthouse"], False),
        ("The lighthouse was painted.", ["Kelhaven lighthouse"], False),
        (ANSWER, ["Kelhaven lighthouse"], True),
        # Searched for another name: of what is said there the question has no word.
        ("Moss was born in Strandmouth.", ["Abel Moss"], True),
    ],
)
def test_a_round_is_in_vain_where_no_text_has_more_of_the_question(
    new: str, queries: list[str], is_more: bool
):
    before = "The lighthouse at Kelhaven has a red lamp."
    assert has_more(QUESTION, extracts(before, new), 1, queries) is is_more


@pytest.mark.parametrize(
    ("reply", "gap"),
    [
        ({"sufficiency": "partial", "gap_queries": ["Sela\n Marrin", "b"]}, "Sela Marrin"),
        ({"sufficiency": "insufficient", "gap_queries": [{"query": "Sela Marrin"}]}, "Sela Marrin"),
        ({"sufficiency": "sufficient", "gap_queries": ["Sela Marrin"]}, ""),
        ({"gap_queries": ["Sela Marrin"], "sufficiency": "partial"}, "Sela Marrin"),
        ({"sufficiency": "partial", "gap_queries": []}, ""),
        ({"sufficiency": "partial", "gap_queries": ["none", "Sela Marrin"]}, ""),
        ({"sufficiency": "partial", "gap_queries": ["I would search for it. " * 20]}, ""),
        ({"sufficiency": "partial", "gap_queries": [3]}, ""),
    ],
)
async def test_the_first_query_of_a_verdict_that_lacks_something_is_known_before_the_rest(
    progress: RunState, ledger: NumberedEvidence, reply: dict[str, Any], gap: str
) -> None:
    found: list[str] = []
    judge = judge_of(ScriptedModel(reply, reply), progress)
    await judge.judge(ledger, Judging.PASSAGES, 1, on_gap=found.append)
    assert {*found} == ({gap} if gap else set())
