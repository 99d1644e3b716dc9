"""The styles in which models cite, plainly: each comes out in one form."""

from __future__ import annotations

import json
from pathlib import Path

from askance.citations.check.checking import check_citations
from askance.domain.evidence import Extract, ExtractKind
from sampled import each_row

STYLES = json.loads(Path(__file__).with_name("citation_styles.json").read_text("utf-8"))
EXTRACTS = [Extract(n, ExtractKind.SNIPPET, "nothing to see") for n in range(1, 4)]


def test_there_are_enough_styles() -> None:
    assert len({written for written, _ in STYLES}) >= 147


@each_row(("written", "set_as"), STYLES)
def test_a_plain_citation_is_read(written: str, set_as: str) -> None:
    checked = check_citations(written, EXTRACTS)
    assert checked.text == set_as
    again = check_citations(set_as, EXTRACTS)
    assert (again.text, again.citations) == (set_as, checked.citations)
