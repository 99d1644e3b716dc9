"""The bench of titles, names and days, on fixtures that one can count."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.metadata import MISSING, RIGHT, WRONG, load_fixtures, main, measure, outcome_of

TEST = """
describe('AExample', () => {
  url = 'http://a.example/roofs';
  const html = fs.readFileSync('./fixtures/a.example.html');
  it('returns the title', async () => {
    assert.equal(title, 'Bees on \\'flat\\' roofs');
  });
  it('returns the author', async () => {
    assert.equal(
      author,
      "Ann Keeper"
    );
  });
  it('returns the date_published', async () => {
    assert.equal(date_published, `2019-03-01T23:00:00.000Z`);
  });
});
"""
PAGE = """<!doctype html><title>Bees on 'flat' roofs</title><main><h1>Bees on 'flat' roofs</h1>
<p>Published 2 March 2019</p><p>Keepers of bees on flat roofs in towns learn within a season that wind matters more than height, and they
move their boxes behind a wall, where the colony knows the trees and has less to be afraid of.</p></main>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    test = tmp_path / "src" / "extractors" / "custom" / "a.example" / "index.test.js"
    test.parent.mkdir(parents=True)
    test.write_text(TEST, encoding="utf-8")
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "a.example.html").write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_what_a_project_s_tests_expect_is_read(folder: Path) -> None:
    (fixture,) = load_fixtures(folder)
    assert (fixture.name, fixture.url) == ("a.example", "http://a.example/roofs")
    assert fixture.expected == {
        "title": "Bees on 'flat' roofs",
        "author": "Ann Keeper",
        "date": "2019-03-01T23:00:00.000Z",
    }


def test_each_field_is_right_missing_or_wrong(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noted: list[str] = []
    counts = measure(load_fixtures(folder), noted.append)
    assert {field: dict(count) for field, count in counts.items()} == {
        "title": {RIGHT: 1}, "author": {MISSING: 1}, "date": {RIGHT: 1},
    }  # fmt: skip
    assert len(noted) == 1
    main([str(folder)])
    assert "| author | 1 | 0 | 1 | 0 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("field", "expected", "found", "outcome"),
    [
        ("title", "Bees, and roofs!", "bees and Roofs", RIGHT),
        ("title", "Bees", "Bees - The Keepers", WRONG),
        ("author", "Ann and Ben", "Ann; Ben", RIGHT),
        ("date", "2019-03-02T10:00:00.000Z", "2019-03-03", RIGHT),
        ("date", "2019-03-02T10:00:00.000Z", "2019-03-04", WRONG),
        ("date", "2016-12-1", "2016-12-16", RIGHT),
        ("date", "2016-12-1", "", MISSING),
    ],
)  # fmt: skip
def test_titles_are_compared_by_words_and_dates_by_days(
    field: str, expected: str, found: str, outcome: str
) -> None:
    assert outcome_of(field, expected, found) == outcome
