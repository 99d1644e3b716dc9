"""Evidence that is cut to a length, with its fence closed."""

from __future__ import annotations

import pytest

from askance.domain.errors import PromptTooLong, ServiceRefused
from askance.domain.evidence import Passage
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.prompts import (
    LEAST_SHARE,
    USUAL_SHARE,
    fitting_share,
    is_too_long,
    shorten,
)
from sampled import each_row


def evidence() -> str:
    ledger = NumberedEvidence("a1b2")
    for n in range(4):
        text = " ".join(f"Sentence {n}.{i} says a thing." for i in range(20))
        ledger.add_passages(
            [Passage(f"https://{n}.example/", f"Page {n}", f"{i}. {text}", i) for i in range(2)], {}
        )
    return ledger.text


@each_row("share", [n / 40 for n in range(1, 41)])
def test_the_fence_is_closed_wherever_evidence_is_cut(share: float) -> None:
    whole = evidence()
    cut = shorten(whole, share * len(whole))
    assert cut.count("<<<web a1b2") == cut.count("web a1b2>>>")
    assert len(cut) <= share * len(whole) + len("\nweb a1b2>>>")
    assert whole.startswith(cut.removesuffix("web a1b2>>>").rstrip())


def test_half_of_the_evidence_ends_behind_a_whole_passage_or_sentence() -> None:
    whole = evidence()
    stored = shorten(whole, len(whole) / 2).removesuffix("\nweb a1b2>>>")
    assert stored.endswith((".", "..."))


def test_evidence_that_fits_stays_as_it_is() -> None:
    assert shorten(evidence(), float("inf")) == evidence()
    assert shorten("", 10) == ""


@pytest.mark.parametrize(
    ("needed", "available", "share"),
    [
        (0, 0, USUAL_SHARE),
        (5000, 4096, USUAL_SHARE),
        (9000, 4096, 0.2),
        (90_000, 4096, LEAST_SHARE),
    ],
)
def test_the_servers_numbers_say_how_much_fits(needed: int, available: int, share: float) -> None:
    error = PromptTooLong("", needed=needed, available=available)
    assert fitting_share(error, 0.9, 500) == pytest.approx(share, abs=0.06)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_4xx_may_be_for_the_length(status: int) -> None:
    assert is_too_long(ServiceRefused("m", "", "No.", status=status))


@pytest.mark.parametrize("status", [0, 401, 403, 404, 429, 500, 503])
def test_other_statuses_are_not(status: int) -> None:
    assert not is_too_long(ServiceRefused("m", "", "No.", status=status))
