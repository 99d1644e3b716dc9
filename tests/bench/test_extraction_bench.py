"""The score of the extraction benchmark, computed by hand for texts that one can count."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from bench.extraction import PAGE, Article, load_articles, main, measure, shares

TEXT = "one two three four five six"


def article(text: str) -> Article:
    return Article("k", "http://a.example/", b"", text)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (TEXT, (1.0, 1.0)),
        ("ONE two three four five six", (2 / 3, 2 / 3)),
        ("**one** two, three four!", (1.0, 1 / 3)),
        (f"{TEXT} seven", (3 / 4, 1.0)),
        (f"{TEXT} {TEXT}", (3 / 9, 1.0)),
        ("", (0.0, 0.0)),
    ],
)
def test_a_page_is_scored_by_its_runs_of_four_words(
    found: str, expected: tuple[float, float]
) -> None:
    assert shares(TEXT, found) == pytest.approx(expected)


def test_a_text_shorter_than_a_run_is_one_run() -> None:
    assert shares("one two", "one two") == (1.0, 1.0)
    assert shares("one two", "one") == (0.0, 0.0)


def test_the_score_is_that_of_the_mean_precision_and_the_mean_recall() -> None:
    found = {TEXT: TEXT, "a b c d e": "a b c d", "nothing of it": ""}
    score = measure("x", [article(text) for text in found], lambda a: found[a.text])
    assert score.precision == pytest.approx(1.0)  # a page without a text has no precision
    assert score.recall == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert score.f1 == pytest.approx(2 * 0.5 / 1.5)


def test_pages_are_measured_from_their_folder(tmp_path: Path) -> None:
    truth = {}
    (tmp_path / "html").mkdir()
    for i in range(3):
        text = " ".join(f"Sentence {i}{j} says a thing about the harbour wall." for j in range(30))
        page = f"<html><body><article><h1>Wall {i}</h1><p>{text}</p></article></body></html>"
        (tmp_path / "html" / f"{i}.html.gz").write_bytes(gzip.compress(page.encode()))
        truth[str(i)] = {"articleBody": f"Wall {i} {text}", "url": f"http://a.example/{i}"}
    (tmp_path / "ground-truth.json").write_text(json.dumps(truth))
    assert len(load_articles(tmp_path)) == 3
    out = tmp_path / "page.md"
    main([str(tmp_path), "--out", str(out)])
    (ours,) = [line for line in out.read_text().splitlines() if line.startswith("| ours")]
    assert float(ours.split("|")[2]) > 0.95


def test_without_pages_it_says_so_and_leaves_the_page_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = PAGE.read_bytes()
    main([str(tmp_path)])
    assert "nothing is measured" in capsys.readouterr().out
    assert PAGE.read_bytes() == before
