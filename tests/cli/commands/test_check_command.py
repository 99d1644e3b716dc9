"""`askance check` over the sample web."""

from __future__ import annotations

import json
from datetime import date

import pytest
from bench.web import SampleReader, SampleSearch

from askance.config.settings import Settings
from askance.engine.context import EngineParts
from askance.engine.prompts import load_prompts
from cli.commands.examination import at_a_terminal
from cli.fake_shell import FakeShell, FakeStream, run

TEXT = (
    "Abel Moss was born in Strandmouth in 1819. He died on 19 January 1893.\n\n"
    "I like lighthouses. The lens weighs 2.9 tonnes (http://nowhere.example/lens).\n"
)


@pytest.fixture
def draft(fake_shell: FakeShell) -> FakeShell:
    fake_shell.app.engine = EngineParts(
        None,
        SampleSearch(is_quick=True),
        SampleReader(is_quick=True),
        load_prompts(),
        Settings(),
        lambda: date(2026, 3, 2),
    )
    (fake_shell.home / "draft.md").write_text(TEXT, encoding="utf-8")
    return fake_shell


def test_the_text_is_shown_with_its_marks_and_what_was_found(draft: FakeShell) -> None:
    assert run(draft, "check", "--yes", str(draft.home / "draft.md")) == 0
    sums, _, marked, *_ = draft.printed.splitlines()
    assert sums == "2 supported, 1 contradicted, 0 not found, 1 not checkable."
    assert marked.startswith("Abel Moss was born in Strandmouth in 1819. [✓1]")
    assert marked.endswith("He died on 19 January 1893. [✗]")
    assert "Moss died in Kelhaven on 19 January 1883" in draft.printed
    assert "cites http://nowhere.example/lens: it cannot be read" in draft.printed
    # Each as soon as it was settled.
    assert [line[0] for line in draft.errors.splitlines()] == ["✓", "✗", "–", "✓"]


def test_other_programs_get_one_object(draft: FakeShell) -> None:
    assert run(draft, "check", "--yes", "--json", str(draft.home / "draft.md")) == 0
    found = json.loads(draft.printed)
    assert found["counts"] == {
        "supported": 2,
        "contradicted": 1,
        "not_found": 0,
        "not_checkable": 1,
    }
    died = found["claims"][1]
    assert died["verdict"] == "contradicted"
    assert died["evidence"][0]["contradicts"]
    assert TEXT[died["start"] : died["end"]] == died["text"] == "He died on 19 January 1893."
    assert found["claims"][3]["cited"][0]["state"] == "unreadable"


def test_nothing_is_searched_before_its_user_has_seen_it(draft: FakeShell) -> None:
    at_a_terminal(draft).lines = ["n"]
    assert run(draft, "check", str(draft.home / "draft.md")) == 0
    assert draft.app.opened == []
    assert "  Abel Moss was born in Strandmouth in 1819" in draft.printed
    assert "  Abel Moss He died on 19 January 1893" in draft.printed
    assert "  http://nowhere.example/lens" in draft.printed
    assert "I like lighthouses" not in draft.printed
    draft.lines = ["y"]
    assert run(draft, "check", str(draft.home / "draft.md")) == 0
    assert "2 supported" in draft.printed


def test_where_nobody_can_be_asked_it_takes_an_option(draft: FakeShell) -> None:
    draft.stdin = FakeStream(TEXT)
    assert run(draft, "check") == 2
    assert "Add --yes" in draft.errors
    assert draft.app.opened == []


def test_a_text_that_is_not_there_is_a_sentence(draft: FakeShell) -> None:
    assert run(draft, "check", "--yes", str(draft.home / "none.md")) == 2
    assert "cannot be read: No such file or directory." in draft.errors
    (draft.home / "bytes.md").write_bytes(b"\xff\xfe\xfa")
    assert run(draft, "check", "--yes", str(draft.home / "bytes.md")) == 2
    assert "is not UTF-8 text." in draft.errors
