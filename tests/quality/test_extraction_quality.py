"""The text that is taken out of real pages must not get worse."""

from __future__ import annotations

import pytest
from bench.extraction import FOLDER, load_articles, measure, ours

FLOOR = 0.965


@pytest.mark.skipif(not FOLDER.exists(), reason="the reference pages are not at hand")
def test_the_text_of_articles_is_found() -> None:
    assert measure("ours", load_articles(FOLDER), ours).f1 >= FLOOR
