"""`askance library add --history`: said plainly, asked, and then added."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.storage.test_browser_history import chromium
from askance.domain.web_pages import Page, PageStatus
from cli.commands.test_library_command import records, said
from cli.fake_shell import FakeShell, run


@pytest.fixture
def history(tmp_path: Path) -> Path:
    chromium(tmp_path / "History")
    return tmp_path / "History"


def test_nothing_is_added_without_a_yes(fake_shell: FakeShell, history: Path) -> None:
    fake_shell.lines = ["no"]
    reported = said(fake_shell, "add", "--history", str(history))
    assert str(history) in reported
    assert records(fake_shell, "list") == []
    fake_shell.lines = []
    said(fake_shell, "add", "--history", str(history))
    assert records(fake_shell, "list") == []
    fake_shell.lines = ["perhaps", "yes"]
    assert "2 added" in said(fake_shell, "add", "--history", str(history), "--tag", "old")
    found = {r["url"]: r for r in records(fake_shell, "list", "--tag", "history")}
    assert set(found) == {"https://mill.example/", "https://ferry.example/times?day=2"}
    assert found["https://mill.example/"]["tags"] == ["history", "old"]
    assert len(records(fake_shell, "search", "ferry")) == 1


def test_a_page_that_was_read_stays_as_it_is(fake_shell: FakeShell, history: Path) -> None:
    url = "https://mill.example/"
    text = "The mill burned down in 1899."
    fake_shell.app.reader.pages = {
        url: Page(url, PageStatus.OK, final_url=url, markdown=text, words=6)
    }
    said(fake_shell, "add", url)
    (counts,) = records(fake_shell, "add", "--history", str(history), "--yes")
    assert (counts["added"], counts["held_already"]) == (1, 1)
    (shown,) = records(fake_shell, "show", url)
    assert shown["text"] == text
    (counts,) = records(fake_shell, "add", "--history", str(history), "--yes")
    assert (counts["added"], counts["unchanged"]) == (0, 1)


def test_what_cannot_be_added_is_said(fake_shell: FakeShell, history: Path, tmp_path: Path) -> None:
    assert run(fake_shell, "library", "add", str(tmp_path), "--history", str(history)) == 2
    assert run(fake_shell, "library", "add", "--yes", "--history", str(tmp_path / "none")) == 2
    assert run(fake_shell, "library", "add", "--history", str(tmp_path / "none")) == 2
    assert fake_shell.prompts == []
