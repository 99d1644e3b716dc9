"""A text of forty claims, compared with the sample web: true, false, half true, not to be checked, wrongly cited."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from bench.web import SampleReader, SampleSearch

from askance.config.settings import Settings
from askance.domain.checked_text import CheckedClaim, CheckedText, CitedState, ClaimVerdict
from askance.domain.errors import InputError
from askance.domain.events import RequestSent, RunEvent, SearchStarted
from askance.engine.context import EngineParts
from askance.engine.prompts import load_prompts
from askance.engine.text_check import LONGEST_TEXT, TextCheck, read_claims
from sampled import each_row

SUPPORTED, CONTRADICTED = ClaimVerdict.SUPPORTED, ClaimVerdict.CONTRADICTED
NOT_FOUND, NOT_CHECKABLE = ClaimVerdict.NOT_FOUND, ClaimVerdict.NOT_CHECKABLE
LIGHT = "http://light.hesperay.example"
MUSEUM = "http://museum.hesperay.example"

# Paragraphs of a draft: each sentence with what is right to say of it.
DRAFT: list[list[tuple[str, ClaimVerdict]]] = [
    [
        ("Abel Moss was born in Strandmouth in 1819.", SUPPORTED),
        ("He built the breakwater at Kelhaven, which is 286 metres long.", SUPPORTED),
        ("Abel Moss died in Kelhaven on 19 January 1893.", CONTRADICTED),
        ("I think he must have been a lonely man.", NOT_CHECKABLE),
        ("He left £200 for teaching drawing to girls and boys.", SUPPORTED),
    ],
    [
        ("There are 148 steps to the lantern gallery, and no lift.", SUPPORTED),
        ("The tower of Skarne Light is 43 metres high.", CONTRADICTED),
        ("Its light shows two white flashes every 15 seconds.", SUPPORTED),
        ("The lens was made by Maison Derrien of Paris.", SUPPORTED),
        ("The lens weighs 3.9 tonnes.", CONTRADICTED),
        ("You should see it at dusk.", NOT_CHECKABLE),
    ],
    [
        ("The last principal keeper of Skarne Light was Hector Pym.", SUPPORTED),
        ("Skarne Light was made automatic in 1988.", SUPPORTED),
        ("Hector Pym later opened a bakery in Portugal.", NOT_FOUND),
        ("Is that not a good story?", NOT_CHECKABLE),
    ],
    [
        ("The tide mill at Nethermill was built in 1788 by Josiah Crake.", SUPPORTED),
        ("The work on the tide mill had cost £412,000.", SUPPORTED),
        ("Its wheel is 7.4 metres across.", CONTRADICTED),
        ("The mill was built by Josiah Crake and destroyed by fire in 1921.", NOT_FOUND),
        ("The mill turned again on 21 June 2009.", SUPPORTED),
    ],
    [
        (
            "The Ord Bird Observatory was founded in 1949 by the brothers Ewan and Alec Strode.",
            SUPPORTED,
        ),
        ("They bought the old signal station at Ord for £190.", CONTRADICTED),
        ("Noor Halvorsen has been warden of the observatory since 2016.", SUPPORTED),
        ("A storm petrel weighs about 27 grams.", SUPPORTED),
        ("Storm petrels mostly eat the seeds of thistles.", NOT_FOUND),
        ("Please bring a jumper.", NOT_CHECKABLE),
    ],
    [
        ("The power cable to the mainland broke on 14 November 1977.", SUPPORTED),
        ("It took nineteen days to find the ends, lift them and join them.", CONTRADICTED),
        ("A trawler's anchor had caught the cable in 60 metres of water.", SUPPORTED),
        ("What a winter!", NOT_CHECKABLE),
    ],
    [
        ("The Good Intent carried 18 cars and 140 passengers.", SUPPORTED),
        ("She was 41 metres long.", SUPPORTED),
        ("The museum bought the Good Intent for a pound in 2007.", CONTRADICTED),
        ("The Good Intent was painted bright orange by schoolchildren.", NOT_FOUND),
    ],
    [
        ("Sela Marrin was born at Wick of Ord on 3 June 1874.", SUPPORTED),
        ("In 1919 Sela Marrin moved to Strandmouth to keep the post office there.", CONTRADICTED),
        ("She saved seventeen of the 22 men on board.", SUPPORTED),
        ("Sela Marrin died on 21 October 1951, at the age of 77.", SUPPORTED),
        ("We all could learn from her.", NOT_CHECKABLE),
        ("Hesperay Museum is in the old Customs House in Kelhaven.", SUPPORTED),
    ],
]
RIGHT = {sentence: verdict for paragraph in DRAFT for sentence, verdict in paragraph}
TEXT = "\n\n".join(" ".join(sentence for sentence, _ in paragraph) for paragraph in DRAFT)


def parts() -> EngineParts:
    return EngineParts(
        None,
        SampleSearch(is_quick=True),
        SampleReader(is_quick=True),
        load_prompts(),
        Settings(),
        lambda: date(2026, 3, 2),
    )


async def checked(text: str, events: list[RunEvent] | None = None) -> CheckedText:
    emit = events.append if events is not None else lambda _event: None
    return await TextCheck(parts()).check(text, read_claims(text), emit=emit)


def test_the_draft_has_forty_claims() -> None:
    assert len(RIGHT) == 40
    assert [claim.text for claim in read_claims(TEXT)] == list(RIGHT)
    assert all(TEXT[claim.start : claim.end] == claim.text for claim in read_claims(TEXT))


async def test_each_of_forty_claims_gets_the_right_verdict() -> None:
    found = await checked(TEXT)
    wrong = {
        claim.claim.text: (claim.verdict.value, [e.quote for e in claim.evidence])
        for claim in found.claims
        if claim.verdict is not RIGHT[claim.claim.text]
    }
    assert wrong == {}


async def test_what_a_text_cites_itself_is_opened_and_compared_too() -> None:
    text = (
        f"Abel Moss was born in Strandmouth in 1819 ({LIGHT}/abel-moss). The tower has 148 steps to the lantern gallery "
        f"[1]. Sela Marrin was born at Wick of Ord [2]. The lens weighs [2.9 tonnes](http://nowhere.example/lens). "
        "The lens was made by Maison Derrien of Paris [4].\n\n"
        f"## Sources\n\n[1] Climbing {LIGHT}/climbing\n[2] {LIGHT}/history\n"
    )
    found = await checked(text)
    states = [[page.state for page in claim.cited] for claim in found.claims]
    assert states == [
        [CitedState.STATES_IT],
        [CitedState.STATES_IT],
        [CitedState.DOES_NOT_STATE_IT],
        [CitedState.UNREADABLE],
        [],
    ]
    assert found.claims[0].cited[0].quote.startswith("Abel Corrigan Moss was born in Strandmouth")
    assert found.claims[3].cited[0].problem


async def test_nothing_leaves_but_the_words_of_the_claims_that_were_confirmed() -> None:
    text = "Abel Moss died in 1883. My neighbour Zelda Quint owes me 400 pounds. The lens weighs 2.9 tonnes."
    claims = read_claims(text)
    assert [bool(claim.query) for claim in claims] == [True, False, True]
    events: list[RunEvent] = []
    # The user has taken one out.
    confirmed = [claims[0], claims[1], replace(claims[2], query="")]
    found = await TextCheck(parts()).check(text, confirmed, emit=events.append)
    queries = [query for e in events if isinstance(e, SearchStarted) for query in e.queries]
    sent = queries + [event.content for event in events if isinstance(event, RequestSent)]
    assert queries == ["Abel Moss died in 1883"]
    assert not any("Zelda" in text or "tonnes" in text for text in sent)
    assert [claim.verdict for claim in found.claims[1:]] == [NOT_CHECKABLE, NOT_CHECKABLE]


async def test_each_claim_is_reported_as_soon_as_it_is_settled() -> None:
    settled: list[CheckedClaim] = []
    text = "\n\n".join(paragraph[0][0] for paragraph in DRAFT[:3])
    found = await TextCheck(parts()).check(text, read_claims(text), settled=settled.append)
    assert tuple(settled) == found.claims
    assert found.counts()["supported"] == 3


async def test_a_copy_of_a_report_is_no_second_origin() -> None:
    found = await checked("Sela Marrin died on 21 October 1951, at the age of 77.")
    assert found.claims[0].origins <= len({e.quote for e in found.claims[0].evidence})


@pytest.mark.parametrize("text", ["", " \n", "x" * (LONGEST_TEXT + 1)])
def test_a_text_that_cannot_be_checked_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_claims(text)


def test_code_headings_and_lists_of_sources_are_no_claims() -> None:
    text = "# Kelhaven in 1855\n\n```\nThe lens weighs 2 tonnes.\n```\n\n1. https://a.example/x\n\n[2]: http://b.example/y\n"
    assert read_claims(text) == ()


@each_row(
    "text, cited",
    [
        # An address with parentheses, in a link and bare; a point behind it is the sentence's.
        (
            "There are [five kingdoms](https://en.wikipedia.org/wiki/Kingdom_(biology)#Five_kingdoms) of life.",
            ["https://en.wikipedia.org/wiki/Kingdom_(biology)#Five_kingdoms"],
        ),
        (
            "Go is older than chess (https://en.wikipedia.org/wiki/Go_(game)).",
            ["https://en.wikipedia.org/wiki/Go_(game)"],
        ),
        ("Oddy's bakes 40 loaves: https://a.example/x.", ["https://a.example/x"]),
        # Behind the full stop, two at once, as footnotes, and one that is in no list.
        (
            "The lens weighs 2.9 tonnes. [1, 3]\n\n[1]: https://a.example/1\n[3]: <https://a.example/3>",
            ["https://a.example/1", "https://a.example/3"],
        ),
        ("The lens weighs 2.9 tonnes.[^2]\n\n[^2]: https://a.example/2", ["https://a.example/2"]),
        ("The lens weighs 2.9 tonnes [7].", []),
    ],
)
def test_the_pages_that_a_sentence_cites_are_found(text: str, cited: list[str]) -> None:
    assert [list(claim.cited) for claim in read_claims(text)] == [cited]
    assert not any(mark in read_claims(text)[0].query for mark in ("http", "[", "]"))


def test_a_name_with_a_point_ends_no_sentence() -> None:
    text = "Dr. Noor Halvorsen of the U.S. has been warden since 2016. Yahoo! was founded in 1994."
    assert [claim.text for claim in read_claims(text)] == [
        "Dr. Noor Halvorsen of the U.S. has been warden since 2016.",
        "Yahoo! was founded in 1994.",
    ]
