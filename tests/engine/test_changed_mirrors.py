"""A page and its mirror that says something else: the model sees both, whichever is first."""

from __future__ import annotations

import pytest

from askance.citations.check.disagreement import compare_answers
from askance.domain.conversation import RunRequest
from askance.domain.events import RunEvent, Warned, WarningCode
from askance.domain.evidence import Extract, ExtractKind
from engine.contexts import engine_of
from fakes.model import ScriptedModel
from fakes.reader import ScriptedReader, page
from fakes.search import ScriptedSearch, result
from sampled import each_row, sampled
from servers.model_script import plan, verdict

# A question, a sentence that answers it, what of it is changed, and into what.
PAIRS = [
    (question, sentence, true, changed)
    for question, sentence, variants in [
        (
            "Who built the lighthouse of Lindmouth?",
            "The lighthouse of Lindmouth was built in 1871 by the engineer Clara Whitlow after the wreck of a brig.",
            [
                ("Clara Whitlow", "Oda Brennik"),
                ("Clara Whitlow", "Clara Marsh"),
                ("1871", "1817"),
                ("1871", "1971"),
                ("was built", "was not built"),
            ],
        ),
        (
            "How high is the tower of Saint Orre?",
            "The tower of Saint Orre is 47 metres high and has three bells, the oldest of them cast in May of 1602.",
            [("47", "74"), ("three", "four"), ("May", "June"), ("1602", "1620"), ("47", "470")],
        ),
        (
            "Who leads the ferry company of Velmar?",
            "The ferry company of Velmar is led by Ida Thorn since 2019, and it never sold the island line.",
            [
                ("Ida Thorn", "Jon Thorn"),
                ("Ida Thorn", "Ida Kern"),
                ("2019", "2009"),
                ("never sold", "sold"),
                ("Ida Thorn", "Mira Sand"),
            ],
        ),
        (
            "How many members has the council of Skarne?",
            "The council of Skarne has 21 members, who are elected every five years by 3,400 people.",
            [("21", "12"), ("21", "27"), ("five", "six"), ("3,400", "4,300"), ("3,400", "3,401")],
        ),
        (
            "Where was the painter Runa Holt born?",
            "The painter Runa Holt was born in the village of Ostervik on 3 March 1888 and did not marry.",
            [
                ("Ostervik", "Westervik"),
                ("3 March", "13 March"),
                ("March", "August"),
                ("1888", "1898"),
                ("did not marry", "did marry"),
            ],
        ),
        (
            "When did the mill of Kelhaven close?",
            "The mill of Kelhaven closed in October 1934, when its owner Lars Munk moved the 62 workers to Stoll.",
            [
                ("October", "November"),
                ("1934", "1943"),
                ("Lars Munk", "Nils Munk"),
                ("62", "26"),
                ("Stoll", "Marn"),
            ],
        ),
        (
            "What does the pass over the Grauhorn cost?",
            "The pass over the Grauhorn costs 12.50 francs a day and is not open to lorries from December on.",
            [
                ("12.50", "15.20"),
                ("12.50", "1.25"),
                ("is not open", "is open"),
                ("December", "January"),
                ("12.50", "13.50"),
            ],
        ),
        (
            "Wer entwarf die Brücke von Altfurt?",
            "Die Brücke von Altfurt wurde 1903 von der Ingenieurin Berta Lohn entworfen und nicht aus Stahl gebaut.",
            [
                ("Berta Lohn", "Hanna Kolb"),
                ("1903", "1930"),
                ("nicht aus Stahl", "aus Stahl"),
                ("Berta Lohn", "Berta Kolb"),
                ("1903", "1803"),
            ],
        ),
        (
            "Qui a fondé le musée de Valbrune ?",
            "Le musée de Valbrune a été fondé en juin 1926 par Agathe Morel, qui possédait deux cents tableaux.",
            [
                ("Agathe Morel", "Jeanne Colin"),
                ("juin", "août"),
                ("1926", "1962"),
                ("deux", "trois"),
                ("Agathe", "Lucie"),
            ],
        ),
        (
            "Сколько метров в высоту башня Орлова?",
            "Башня Орлова имеет высоту 58 метров, её построил в 1911 году Пётр Зимин, и она никогда не горела.",
            [
                ("58", "85"),
                ("1911", "1991"),
                ("Пётр Зимин", "Иван Лугов"),
                ("Зимин", "Летов"),
                ("никогда не горела", "горела"),
            ],
        ),
    ]
    for true, changed in variants
]
REST = " ".join(
    f"Much else is known of it, and of the people who lived there, in part {n} of the report."
    for n in "abcdef"
)
TITLE = "The report"
ADDRESSES = "https://a.example/report", "https://b.example/report"


def test_there_are_fifty_pairs_that_differ() -> None:
    assert len(PAIRS) == len(set(PAIRS)) == 50
    assert all(sentence.replace(true, changed) != sentence for _, sentence, true, changed in PAIRS)


@pytest.mark.parametrize("is_true_first", [True, False], ids=["true first", "changed first"])
@pytest.mark.parametrize(
    ("question", "sentence", "true", "changed"), sampled(PAIRS, every=5, are_tuples=True)
)
async def test_both_versions_reach_the_model_under_their_own_numbers(
    question: str, sentence: str, true: str, changed: str, is_true_first: bool
) -> None:
    versions = [sentence, sentence.replace(true, changed)]
    pages = {
        url: page(url, f"# {TITLE}\n\n{REST}\n\n{version} {REST[:90]}\n\n{REST[::-1]}", TITLE)
        for url, version in zip(ADDRESSES, versions, strict=True)
    }
    order = ADDRESSES if is_true_first else ADDRESSES[::-1]
    found = [result(url, TITLE, versions[ADDRESSES.index(url)]) for url in order]
    model = ScriptedModel.by_role(
        plan=[plan(question)], judge=[verdict("sufficient")] * 4, answer=["Nobody can say."]
    )
    engine = engine_of(model, ScriptedSearch({question: found}), ScriptedReader(pages))
    events: list[RunEvent] = []
    await engine.run(RunRequest(question), emit=events.append)
    prompt = "\n".join(message.content for message in model.calls[-1].messages)
    numbers = {
        version: prompt.rfind("[1]", 0, prompt.index(version))
        > prompt.rfind("[2]", 0, prompt.index(version))
        for version in versions
    }
    assert set(numbers.values()) == {True, False}
    assert not any(e.code is WarningCode.ANSWER_CUT for e in events if isinstance(e, Warned))


@each_row(("question", "sentence", "true", "changed"), PAIRS)
def test_the_disagreement_is_found(question: str, sentence: str, true: str, changed: str) -> None:
    versions = sentence, sentence.replace(true, changed)
    extracts = [Extract(n, ExtractKind.PASSAGE, text) for n, text in enumerate(versions, 1)]
    (disagreement,) = compare_answers(question, extracts).found
    assert [position.sources for position in disagreement.positions] == [(1,), (2,)]
    for position, text in zip(disagreement.positions, versions, strict=True):
        assert position.value in text
