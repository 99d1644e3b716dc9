"""When sources are said to disagree, and when not."""

from __future__ import annotations

import pytest

from askance.citations.check.disagreement import checked_positions, compare_answers, with_used
from askance.domain.evidence import Extract, ExtractKind, Source

QUESTION = "When was the Forth Bridge in Scotland opened?"


def values(question: str, *texts: str) -> list[list[tuple[int, str]]]:
    extracts = [Extract(i + 1, ExtractKind.PASSAGE, text) for i, text in enumerate(texts)]
    found = compare_answers(question, extracts).found
    for disagreement in found:
        for position in disagreement.positions:
            assert any(position.value in texts[n - 1] for n in position.sources)
    return [[(n, p.value) for p in d.positions for n in p.sources] for d in found]


OPENED = "The Forth Bridge in Scotland was opened to traffic in {}."
DESIGNED = "The famous Forth Bridge in Scotland was designed by {}."


@pytest.mark.parametrize(
    ("question", "texts", "found"),
    [
        (
            QUESTION,
            ["It is red. " + OPENED.format(1887), "A canal is no bridge.", OPENED.format(1891)],
            [(1, "1887"), (3, "1891")],
        ),
        (
            QUESTION,
            [OPENED.format(1887), OPENED.format(1891), OPENED.format(1890)],
            [(1, "1887"), (2, "1891"), (3, "1890")],
        ),
        (
            "Who designed the Forth Bridge in Scotland?",
            [DESIGNED.format("John Fowler"), DESIGNED.format("William Arrol")],
            [(1, "John Fowler"), (2, "William Arrol")],
        ),
    ],
    ids=["another year", "a third source", "another name"],
)
def test_sources_with_another_value_disagree(
    question: str, texts: list[str], found: list[tuple[int, str]]
):
    assert values(question, *texts) == [found]


@pytest.mark.parametrize(
    ("question", "texts", "found"),
    [
        (
            "Who designed the Forth Bridge in Scotland, and when was it opened?",
            [DESIGNED.format("John Fowler") + " " + OPENED.format(1887), OPENED.format(1891)],
            [[(1, "1887"), (2, "1891")]],
        ),
        (
            "Wer entwarf die Brücke von Lindmouth und wann wurde sie eröffnet?",
            [
                "Die Brücke von Lindmouth wurde 1887 eröffnet.",
                "Die Brücke von Lindmouth wurde erst 1891 eröffnet.",
            ],
            [[(1, "1887"), (2, "1891")]],
        ),
    ],
)
def test_a_question_for_two_things_is_compared_in_each(
    question: str, texts: list[str], found: list[list[tuple[int, str]]]
) -> None:
    assert values(question, *texts) == found


BASE = OPENED.format(1887)


@pytest.mark.parametrize(
    "other",
    [
        "The Forth Bridge in Scotland was opened to traffic in 1887.",
        "The Corinth Canal in Greece was opened to traffic in 1893.",
        "The Tay Bridge in Scotland was opened to traffic in 1878.",
        "The Forth Bridge in Scotland was not opened to traffic in 1891.",
        "The Forth Bridge in Scotland was opened to traffic in the 1880s.",
        "The Forth Bridge in Scotland was closed in 1891 because its paint had come off in a storm.",
        "It was opened to traffic in 1891.",
    ],
)
def test_other_subjects_other_facts_and_open_questions_are_no_disagreement(other: str):
    assert values(QUESTION, BASE, other) == []


def test_one_source_does_not_disagree_with_itself():
    extracts = [
        Extract(1, ExtractKind.PASSAGE, f"The Forth Bridge in Scotland was opened in {year}.")
        for year in (1887, 1891)
    ]
    assert compare_answers(QUESTION, extracts).found == ()


def test_rounded_and_rough_numbers_are_no_disagreement():
    question = "How many workers built the Forth Bridge?"
    exact = "The Forth Bridge was built by 4,573 workers."
    assert values(question, exact, "The Forth Bridge was built by about 4,600 workers.") == []
    assert values(question, exact, "The Forth Bridge was built by 4573 workers.") == []
    assert values(question, exact, "The Forth Bridge was built by 6,200 workers.") == [
        [(1, "4,573"), (2, "6,200")]
    ]


def test_values_that_the_question_compares_are_no_disagreement():
    found = values(
        "Is the famous Forth Bridge in Scotland older than the famous Tay Bridge in Scotland?",
        "The famous Forth Bridge in Scotland is a railway bridge.",
        "The famous Tay Bridge in Scotland is a railway bridge.",
    )
    assert found == []


def test_an_empty_question_or_no_evidence_finds_nothing():
    assert values("", BASE, BASE) == []
    assert compare_answers(QUESTION, []).found == ()


ASKED = [
    (
        "When was General Bryan born?",
        [
            "General Blackshear Bryan (8 February 1900 – 2 March 1977) led an army.",
            "Bryan was born in Alexandria on July 15, 1905, says the report on General Bryan.",
        ],
        ["8 February 1900", "July 15, 1905"],
    ),
    (
        "What is the population of Skarne?",
        [
            "Skarne is a town. The population was 681 at the last census.",
            "The town of Skarne had a population of 2,355 people.",
        ],
        ["681", "2,355"],
    ),
    (
        "How high is Ferrin?",
        ["Ferrin is the highest hill, at 318 metres.", "Ferrin, at 321 metres, is the top of it."],
        ["318 metres", "321 metres"],
    ),
    (
        'Who is the artist of the album "Shock"?',
        [
            "Shock is the second album by the rapper and producer Timbaland.",
            "Shock is the only album by the metalcore band Twelve Gauge.",
        ],
        ["Timbaland", "Twelve Gauge"],
    ),
    (
        "Where is the Larkin Bridge located?",
        [
            "The Larkin Bridge is a covered bridge in Chester Springs, Pennsylvania.",
            "The Larkin Bridge is a historic bridge located in Northern Tunbridge, Vermont.",
        ],
        ["Chester Springs, Pennsylvania", "Northern Tunbridge, Vermont"],
    ),
    (
        "What is the profession of Nigel Harris?",
        ["Nigel Harris is a British actor.", "Nigel Harris (born 1935) is a British economist."],
        ["British actor", "British economist"],
    ),
    (
        "What sport is Larry Gilbert associated with?",
        [
            "Larry Gilbert was an American professional golfer.",
            "Larry Gilbert was an outfielder in baseball.",
        ],
        ["golfer", "baseball"],
    ),
    (
        "Did the mill of Kelhaven burn down in 1934?",
        [
            "The mill of Kelhaven burned down in 1934 with all that was in it at night.",
            "The mill of Kelhaven never burned down in 1934 with all that was in it at night.",
        ],
        ["Kelhaven burned", "Kelhaven never burned"],
    ),
    (
        "Wann wurde die Malerin Runa Holt geboren?",
        [
            "Die Malerin Runa Holt (* 3. März 1888 in Ostervik; † 9. Mai 1950) malte Boote.",
            "Runa Holt wurde am 13. März 1889 in Bergen geboren. Die Malerin zog später fort.",
        ],
        ["3. März 1888", "13. März 1889"],
    ),
    (
        "Wie viele Einwohner hat Kelhafen?",
        ["Kelhafen hat 3.559 Einwohner.", "In Kelhafen leben heute 4.210 Einwohner."],
        ["3.559", "4.210"],
    ),
    (
        "Wer schrieb den Roman „Der lange Winter“?",
        [
            "„Der lange Winter“ ist ein Roman von Ada Holm aus dem Jahr 1931.",
            "Der Roman „Der lange Winter“ wurde von Berta Lohn geschrieben.",
        ],
        ["Ada Holm", "Berta Lohn"],
    ),
]


@pytest.mark.parametrize(("question", "texts", "said"), ASKED, ids=lambda row: str(row)[:40])
def test_sources_that_answer_in_words_of_their_own_disagree_by_what_they_answer(
    question: str, texts: list[str], said: list[str]
):
    assert values(question, *texts) == [list(enumerate(said, 1))]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (QUESTION, [OPENED.format(1887), "The Forth Bridge in Scotland opened on 12 May 1887."]),
        (QUESTION, ["It was in about 1885 that the Forth Bridge in Scotland opened.", BASE]),
        (
            "Where was Clara Whitlow born?",
            ["Clara Whitlow was born in Orr.", "Clara Whitlow was born in the village of Orr."],
        ),
        (
            'Who directed the film "Yellow Ticket"?',
            ["Yellow Ticket is a film directed by Raoul Walsh.", "Yellow Ticket is directed by Walsh."],
        ),
        (
            "How many people work at the Skarne yard?",
            ["About 100 people work at the Skarne yard.", "At the Skarne yard 97 people work."],
        ),
        (
            "What is the population of Skarne?",
            [
                "As of the census of 2000, Skarne had a population of 1,120.",
                "As of the census of 2010, Skarne had a population of 1,480.",
            ],
        ),
        (
            "Who was older, Ada Holm or Berta Lohn?",
            ["Ada Holm was born in 1900.", "Berta Lohn was born in 1910."],
        ),
        (
            "When was the lawyer who led the campaign of Ada Holm born?",
            [
                "Carl Munk, a lawyer who led the campaign of Ada Holm, was born in 1901.",
                "Ada Holm was born in 1900, as the lawyer of her campaign recalls.",
            ],
        ),
        (
            "Wann wurde das Museum Valbrunn gegründet?",
            ["Das Museum Valbrunn wurde im Juni 1926 gegründet.", "Gründung des Museums Valbrunn: 1926."],
        ),
        (
            "Wie viele Einwohner hat Kelhafen?",
            ["Kelhafen hat 3.559 Einwohner.", "In Kelhafen leben etwa 3.600 Einwohner."],
        ),
    ],
    ids=lambda row: str(row)[:40],
)  # fmt: skip
def test_rougher_forms_other_times_and_questions_of_two_steps_are_no_disagreement(
    question: str, texts: list[str]
):
    assert values(question, *texts) == []


def test_a_source_that_names_both_says_so_of_a_list():
    both = "The Forth Bridge in Scotland was opened in 1887, and it was opened to trains in 1891."
    assert values(QUESTION, both, OPENED.format(1891)) == []


def test_a_position_has_the_newest_day_and_counts_copies_once():
    def source(n: int, published: str, copy_of: int = 0) -> Source:
        return Source(n, f"http://{n}.example/", "", f"{n}.example", published, copy_of=copy_of)

    extracts = [
        Extract(n, ExtractKind.PASSAGE, OPENED.format(year))
        for n, year in ((1, 1887), (2, 1887), (3, 1887), (4, 1891))
    ]
    sources = [
        source(1, "2020-01-02"),
        source(2, "2023-05-06T08:00", 1),
        source(3, ""),
        source(4, ""),
    ]
    (found,) = compare_answers(QUESTION, extracts, sources).found
    assert found.subject == "Forth Bridge in Scotland opened"
    first, second = found.positions
    assert (first.sources, first.date, first.origins) == ((1, 2, 3), "2023-05-06", 2)
    assert (second.sources, second.date, second.origins) == ((4,), "", 1)
    used = with_used([found], "It was opened in 1891 [4].")
    assert [position.is_used for position in used[0].positions] == [False, True]


def test_of_what_a_model_sorts_counts_what_its_sources_say():
    extracts = [
        Extract(n, ExtractKind.PASSAGE, OPENED.format(year)) for n, year in ((1, 1887), (2, 1891))
    ]
    replied = [("1887", (1, 2)), ("in 1891", (2, 7)), ("1899", (1,)), ("12 May 1891", (2,))]
    (found,) = checked_positions(QUESTION, replied, extracts, ())
    assert [(p.value, p.sources) for p in found.positions] == [("1887", (1,)), ("in 1891", (2,))]
    assert checked_positions(QUESTION, [("1887", (1,)), ("1899", (2,))], extracts, ()) == ()


def test_values_that_are_not_sure_are_left_to_a_model():
    texts = [
        OPENED.format(1887),
        "Nobody says that the Forth Bridge in Scotland opened in 1891.",
    ]
    extracts = [Extract(n, ExtractKind.PASSAGE, text) for n, text in enumerate(texts, 1)]
    answers = compare_answers(QUESTION, extracts)
    assert answers.found == ()
    assert answers.values == (("1887", (1,)), ("1891", (2,)))
