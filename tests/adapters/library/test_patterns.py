"""Exclusions that hold, however a path is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.adapters.library.files.walking import Rules

ROOT = Path("/notes/all")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("drafts", "drafts"),
        ("drafts", "a/drafts"),
        ("drafts", "a/drafts/b/c.md"),
        ("drafts/", "drafts/c.md"),
        ("DRAFTS", "drafts/c.md"),
        ("drafts", "Drafts/c.md"),
        ("*.log", "a/x.LOG"),
        (".*", "a/.git/config"),
        ("/drafts", "drafts/c.md"),
        ("a/drafts", "a/drafts/c.md"),
        ("a/**/secret", "a/b/c/secret/x.md"),
        ("a/**/secret", "a/secret/x.md"),
        ("**/secret", "secret"),
        ("a/*/c", "a/b/c/d.md"),
        ("/notes/all/drafts", "drafts/c.md"),
        ("/notes", "c.md"),
        ("Cafe\u0301", "Caf\u00e9/menu.md"),
        ("[dD]rafts", "drafts/x"),
    ],
)
def test_a_pattern_excludes(pattern: str, path: str) -> None:
    assert Rules(ROOT, exclude=(pattern,)).excluding(ROOT / path) == pattern


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("drafts", "drafts-2/c.md"),
        ("drafts", "my drafts/c.md"),
        ("/drafts", "a/drafts/c.md"),
        ("a/drafts", "b/a/drafts/c.md"),
        ("*.log", "logs/x.md"),
        ("/notes/other", "c.md"),
        ("notes", "c.md"),
        ("", "c.md"),
        ("/", "c.md"),
    ],
)
def test_a_pattern_excludes_nothing_else(pattern: str, path: str) -> None:
    assert Rules(ROOT, exclude=(pattern,)).excluding(ROOT / path) == ""


def test_the_home_folder_may_be_written_as_such() -> None:
    rules = Rules(Path.home() / "notes", exclude=("~/notes/private",))
    assert rules.excluding(Path.home() / "notes" / "private" / "a.md") == "~/notes/private"


def test_only_files_that_are_asked_for_are_included() -> None:
    rules = Rules(ROOT, include=("*.md", "src/**/*.py"))
    assert rules.includes(ROOT / "a/b.md")
    assert rules.includes(ROOT / "src/a/b.py")
    assert not rules.includes(ROOT / "b.py")
    assert Rules(ROOT).includes(ROOT / "anything")
