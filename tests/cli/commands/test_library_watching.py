"""`askance library watch` and `askance library status PATH`."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from cli.commands.test_library_command import in_process, notes, records, said
from cli.fake_shell import FakeShell, FakeStream, run
from servers.office import mail, mailbox

__all__ = ["in_process", "notes"]  # fixtures


class Interrupting(FakeStream):
    """Presses Ctrl-C once a text has come."""

    def __init__(self, awaited: str) -> None:
        super().__init__()
        self.awaited = awaited

    def write(self, text: str, /) -> int:
        written = super().write(text)
        if self.awaited in text:
            # To the process, not to the thread that writes: Python handles it in the main one.
            os.kill(os.getpid(), signal.SIGINT)
        return written


@pytest.mark.usefixtures("in_process")
def test_a_watch_says_what_it_follows_and_ends_with_ctrl_c(
    fake_shell: FakeShell, notes: Path
) -> None:
    said(fake_shell, "add", str(notes))
    (notes / "boat.md").write_text("A boat.", encoding="utf-8")
    (notes / "mill.md").unlink()
    fake_shell.out = Interrupting("caught_up")
    assert run(fake_shell, "library", "watch", "--json") == 130
    first, *changes, last = (json.loads(line) for line in fake_shell.printed.splitlines())
    assert first == {"type": "watching", "folders": [str(notes)]}
    assert {(Path(c["path"]).name, c["became"]) for c in changes} == {
        ("boat.md", "new"),
        ("mill.md", "deleted"),
    }
    assert last == {"type": "caught_up"}
    fake_shell.out = Interrupting("Up to date")
    (notes / "boat.md").write_text("Two boats.", encoding="utf-8")
    assert run(fake_shell, "library", "watch") == 130
    _, change, _ = fake_shell.printed.splitlines()
    assert change == f"changed   {notes / 'boat.md'}"


def test_without_a_folder_there_is_nothing_to_watch(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "library", "watch") == 2


def standing(fake_shell: FakeShell, path: Path | str) -> tuple[str, str]:
    (answer,) = records(fake_shell, "status", str(path))
    return answer["standing"], answer["rule"]


@pytest.mark.usefixtures("in_process")
def test_the_status_of_a_path_answers_why(
    fake_shell: FakeShell, notes: Path, tmp_path: Path
) -> None:
    (notes / "drafts").mkdir()
    (notes / "drafts" / "a.md").write_text("Of snow.", encoding="utf-8")
    (notes / "bad.pdf").write_bytes(b"%PDF-1.4 nonsense")
    said(fake_shell, "add", str(notes), "--exclude", "drafts")
    other = tmp_path / "other.md"
    other.write_text("Of rain.", encoding="utf-8")
    (notes / "new.md").write_text("Of wind.", encoding="utf-8")
    (notes / ".hidden").mkdir()
    (notes / ".hidden" / "b.md").write_text("Of fog.", encoding="utf-8")
    assert standing(fake_shell, notes / "ferry.md") == ("indexed", "")
    assert standing(fake_shell, notes / "drafts" / "a.md") == ("excluded", "drafts")
    assert standing(fake_shell, notes / ".hidden" / "b.md") == ("excluded", ".*")
    assert standing(fake_shell, notes / "picture.png") == ("excluded", "format")
    assert standing(fake_shell, notes / "bad.pdf") == ("failed", "")
    assert standing(fake_shell, notes / "new.md") == ("new", "")
    assert standing(fake_shell, notes / "missing.md") == ("missing", "")
    assert standing(fake_shell, notes) == ("folder", "")
    assert standing(fake_shell, other) == ("outside", "")
    assert standing(fake_shell, tmp_path / "nowhere.md") == ("missing", "")
    assert standing(fake_shell, notes / "drafts" / ".." / "ferry.md") == ("indexed", "")
    first, folder, documents = said(fake_shell, "status", str(notes / "ferry.md")).splitlines()
    assert first == f"indexed    {notes / 'ferry.md'}"
    assert str(notes) in folder
    assert documents.endswith(" 1")


@pytest.mark.usefixtures("in_process")
def test_the_status_of_a_path_knows_what_has_changed_since(
    fake_shell: FakeShell, notes: Path
) -> None:
    said(fake_shell, "add", str(notes))
    path = notes / "ferry.md"
    (before,) = records(fake_shell, "status", str(path))
    assert before["detail"] == ""
    path.write_text("Quite another text.", encoding="utf-8")
    (after,) = records(fake_shell, "status", str(path))
    assert after["standing"] == "indexed"
    assert after["detail"]
    said(fake_shell, "remove", str(path))
    assert standing(fake_shell, path) == ("excluded", "removed")
    said(fake_shell, "add", str(notes), "--exclude", "mill*")
    assert standing(fake_shell, notes / "mill.md") == ("excluded", "mill*")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("whole", [True, False])
def test_a_mailbox_is_removed_with_its_messages(
    fake_shell: FakeShell, notes: Path, whole: bool
) -> None:
    path = notes / "in.mbox"
    path.write_bytes(mailbox(mail("Of snow.", "Snow"), mail("Of rain.", "Rain")))
    said(fake_shell, "add", str(notes))
    assert len(records(fake_shell, "list", "--kind", "mail")) == 2
    (before,) = records(fake_shell, "status", str(path))
    assert len(before["documents"]) == 2
    said(fake_shell, "remove", str(notes if whole else path))
    assert records(fake_shell, "list", "--kind", "mail") == []
    if not whole:
        said(fake_shell, "add", "--again")
        assert standing(fake_shell, path) == ("excluded", "removed")
        assert len(records(fake_shell, "list")) == 2
