"""`askance library watch` and `askance library status PATH`."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from cli.commands.test_library_command import in_process, notes, records, said
from cli.desk import Desk, Paper, run
from servers.office import mail, mailbox

__all__ = ["in_process", "notes"]  # fixtures


class Interrupting(Paper):
    """Presses Ctrl-C once a text has come."""

    def __init__(self, awaited: str) -> None:
        super().__init__()
        self.awaited = awaited

    def write(self, text: str, /) -> int:
        written = super().write(text)
        if self.awaited in text:
            signal.raise_signal(signal.SIGINT)
        return written


@pytest.mark.usefixtures("in_process")
def test_a_watch_says_what_it_follows_and_ends_with_ctrl_c(desk: Desk, notes: Path) -> None:
    said(desk, "add", str(notes))
    (notes / "boat.md").write_text("A boat.", encoding="utf-8")
    (notes / "mill.md").unlink()
    desk.out = Interrupting("caught_up")
    assert run(desk, "library", "watch", "--json") == 130
    first, *changes, last = (json.loads(line) for line in desk.printed.splitlines())
    assert first == {"type": "watching", "folders": [str(notes)]}
    assert {(Path(c["path"]).name, c["became"]) for c in changes} == {
        ("boat.md", "new"),
        ("mill.md", "deleted"),
    }
    assert last == {"type": "caught_up"}
    desk.out = Interrupting("Up to date")
    (notes / "boat.md").write_text("Two boats.", encoding="utf-8")
    assert run(desk, "library", "watch") == 130
    _, change, _ = desk.printed.splitlines()
    assert change == f"changed   {notes / 'boat.md'}"


def test_without_a_folder_there_is_nothing_to_watch(desk: Desk) -> None:
    assert run(desk, "library", "watch") == 2


def standing(desk: Desk, path: Path | str) -> tuple[str, str]:
    (answer,) = records(desk, "status", str(path))
    return answer["standing"], answer["rule"]


@pytest.mark.usefixtures("in_process")
def test_the_status_of_a_path_answers_why(desk: Desk, notes: Path, tmp_path: Path) -> None:
    (notes / "drafts").mkdir()
    (notes / "drafts" / "a.md").write_text("Of snow.", encoding="utf-8")
    (notes / "bad.pdf").write_bytes(b"%PDF-1.4 nonsense")
    said(desk, "add", str(notes), "--exclude", "drafts")
    other = tmp_path / "other.md"
    other.write_text("Of rain.", encoding="utf-8")
    (notes / "new.md").write_text("Of wind.", encoding="utf-8")
    (notes / ".hidden").mkdir()
    (notes / ".hidden" / "b.md").write_text("Of fog.", encoding="utf-8")
    assert standing(desk, notes / "ferry.md") == ("indexed", "")
    assert standing(desk, notes / "drafts" / "a.md") == ("excluded", "drafts")
    assert standing(desk, notes / ".hidden" / "b.md") == ("excluded", ".*")
    assert standing(desk, notes / "picture.png") == ("excluded", "format")
    assert standing(desk, notes / "bad.pdf") == ("failed", "")
    assert standing(desk, notes / "new.md") == ("new", "")
    assert standing(desk, notes / "missing.md") == ("missing", "")
    assert standing(desk, notes) == ("folder", "")
    assert standing(desk, other) == ("outside", "")
    assert standing(desk, tmp_path / "nowhere.md") == ("missing", "")
    assert standing(desk, notes / "drafts" / ".." / "ferry.md") == ("indexed", "")
    first, folder, documents = said(desk, "status", str(notes / "ferry.md")).splitlines()
    assert first == f"indexed    {notes / 'ferry.md'}"
    assert str(notes) in folder
    assert documents.endswith(" 1")


@pytest.mark.usefixtures("in_process")
def test_the_status_of_a_path_knows_what_has_changed_since(desk: Desk, notes: Path) -> None:
    said(desk, "add", str(notes))
    path = notes / "ferry.md"
    (before,) = records(desk, "status", str(path))
    assert before["detail"] == ""
    path.write_text("Quite another text.", encoding="utf-8")
    (after,) = records(desk, "status", str(path))
    assert after["standing"] == "indexed"
    assert after["detail"]
    said(desk, "remove", str(path))
    assert standing(desk, path) == ("excluded", "removed")
    said(desk, "add", str(notes), "--exclude", "mill*")
    assert standing(desk, notes / "mill.md") == ("excluded", "mill*")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("whole", [True, False])
def test_a_mailbox_is_removed_with_its_messages(desk: Desk, notes: Path, whole: bool) -> None:
    path = notes / "in.mbox"
    path.write_bytes(mailbox(mail("Of snow.", "Snow"), mail("Of rain.", "Rain")))
    said(desk, "add", str(notes))
    assert len(records(desk, "list", "--kind", "mail")) == 2
    (before,) = records(desk, "status", str(path))
    assert len(before["documents"]) == 2
    said(desk, "remove", str(notes if whole else path))
    assert records(desk, "list", "--kind", "mail") == []
    if not whole:
        said(desk, "reindex", "--all")
        assert standing(desk, path) == ("excluded", "removed")
        assert len(records(desk, "list")) == 2
