"""Folders that are read, and read again: nothing drifts, and exclusions hold."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from adapters.library.room import Room
from askance.adapters.library.files.walking import FORMAT, LINK, REMOVED, Rules, taken_out
from askance.domain.errors import InputError
from askance.domain.library import FileState, tally

FERRY = "# Ferry\n\nThe ferry leaves Kelhaven at nine."
MILL = "# Mill\n\nThe mill burned down in 1899."


async def test_a_file_is_indexed_and_then_unchanged(room: Room) -> None:
    room.put("ferry.md", FERRY)
    room.put("a/mill.txt", MILL)
    looked = await room.look()
    assert looked.documents == 2
    assert room.states() == {"a/mill.txt": "indexed", "ferry.md": "indexed"}
    (hit,) = room.library.search("when does the ferry leave", 1)
    assert hit.title == "Ferry"
    assert hit.document == room.told["ferry.md"].document
    looked = await room.look()
    assert looked.documents == 0
    assert set(room.states().values()) == {"unchanged"}


async def test_a_file_that_was_only_touched_is_unchanged(room: Room) -> None:
    path = room.put("ferry.md", FERRY)
    await room.look()
    os.utime(path, ns=(1, 1))
    await room.look()
    assert room.states() == {"ferry.md": "unchanged"}
    assert room.told["ferry.md"].changed_ns == 1


async def test_a_changed_file_is_a_new_version(room: Room) -> None:
    room.put("ferry.md", FERRY)
    await room.look()
    room.put("ferry.md", MILL)
    looked = await room.look()
    assert looked.documents == 1
    assert room.urls("mill") == {"ferry.md"}
    assert room.urls("Kelhaven") == set()
    assert len(room.library.versions(room.told["ferry.md"].document)) == 1


async def test_a_file_that_is_gone_is_deleted(room: Room) -> None:
    path = room.put("ferry.md", FERRY)
    room.put("mill.md", MILL)
    await room.look()
    path.unlink()
    looked = await room.look()
    assert looked.gone == (str(path),)
    assert room.urls() == {"mill.md"}


async def test_a_moved_file_keeps_its_identity_and_its_tags(room: Room) -> None:
    path = room.put("ferry.md", FERRY)
    await room.look()
    document = room.told["ferry.md"].document
    room.library.tag(document, ["boats"], [])
    (room.root / "deep" / "er").mkdir(parents=True)
    path.rename(room.root / "deep" / "er" / "boat.md")
    looked = await room.look()
    assert looked.gone == ()
    assert room.told["deep/er/boat.md"].document == document
    (record,) = room.library.documents()
    assert record.tags == ("boats",)
    assert room.urls() == {"deep/er/boat.md"}


async def test_a_file_that_moves_into_another_folder_is_not_deleted_with_the_first(
    room: Room,
) -> None:
    path = room.put("one/ferry.md", FERRY)
    room.put("two/mill.md", MILL)
    await room.look(below="one")
    await room.look(below="two")
    path.rename(room.root / "two" / "ferry.md")
    await room.look(below="two")
    await room.look(below="one")
    assert room.urls() == {"two/ferry.md", "two/mill.md"}


async def test_a_note_says_its_title_and_tags_itself(room: Room) -> None:
    room.put("ferry.md", f"---\ntitle: Boats\ntags: [travel, sea]\n---\n\n{FERRY}")
    await room.look()
    (record,) = room.library.documents()
    assert (record.title, record.tags) == ("Boats", ("sea", "travel"))
    assert room.library.text(record.id) == FERRY


async def test_a_copy_is_a_document_of_its_own(room: Room) -> None:
    room.put("a.md", FERRY)
    await room.look()
    room.put("b.md", FERRY)
    await room.look()
    assert room.urls() == {"a.md", "b.md"}
    assert room.library.stats().passages == 1


async def test_every_file_that_is_not_read_has_its_rule(room: Room) -> None:
    room.put("drafts/a.md", FERRY)
    room.put(".git/config.md", FERRY)
    room.put("picture.png", b"\x89PNG")
    room.put("empty.md", b"")
    room.put("b.txt", FERRY)
    room.put("a.md", FERRY)
    await room.look(include=("*.md",), exclude=("drafts",))
    assert room.rules() == {
        "drafts": "drafts",
        ".git": ".*",
        "picture.png": FORMAT,
        "empty.md": "empty",
        "b.txt": "include",
    }
    assert all(room.told[name].detail for name in room.rules())
    assert room.urls() == {"a.md"}


async def test_what_is_excluded_later_leaves_the_library(room: Room) -> None:
    room.put("private/diary.md", FERRY)
    room.put("mill.md", MILL)
    await room.look()
    assert room.urls() == {"private/diary.md", "mill.md"}
    await room.look(exclude=("private",))
    assert room.urls() == {"mill.md"}
    assert room.urls("ferry") == set()
    await room.look(exclude=("private", "mill.md"))
    assert room.urls() == set()


async def test_an_exclusion_holds_for_what_is_renamed_into_it(room: Room) -> None:
    room.put("open/diary.md", FERRY)
    await room.look(exclude=("private",))
    assert room.urls() == {"open/diary.md"}
    (room.root / "open").rename(room.root / "Private")
    await room.look(exclude=("private",))
    assert room.urls() == set()


async def test_an_excluded_folder_stays_excluded_under_another_name(room: Room) -> None:
    room.put("private/diary.md", FERRY)
    await room.look(exclude=("private",))
    (room.root / "private").rename(room.root / "holiday")
    for _ in range(2):
        await room.look(exclude=("private",))
        assert room.rules() == {"holiday": "private"}
        assert room.urls() == set()
    (room.root / "holiday").rename(room.root / "again")
    room.put("again/new.md", MILL)
    await room.look(exclude=("private",))
    assert room.urls() == set()


async def test_without_the_rule_the_folder_is_read(room: Room) -> None:
    room.put("private/diary.md", FERRY)
    await room.look(exclude=("private",))
    (room.root / "private").rename(room.root / "holiday")
    await room.look(exclude=("private",))
    await room.look()
    assert room.urls() == {"holiday/diary.md"}


async def test_a_new_folder_is_not_taken_for_an_excluded_one(room: Room) -> None:
    room.put("private/diary.md", FERRY)
    await room.look(exclude=("private",))
    reported = room.told["private"]
    shutil.rmtree(room.root / "private")
    new = room.put("fresh/ferry.md", FERRY).parent
    # As where a file system gives the number away again.
    number = f"{new.stat().st_dev}:{new.stat().st_ino}"
    room.library.book.note([type(reported)(reported.path, reported.folder, reported.state, reported.detail, reported.rule,
                                       changed_ns=reported.changed_ns - 10**12, identity=number)])  # fmt: skip
    await room.look(exclude=("private",))
    assert room.urls() == {"fresh/ferry.md"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right: run it on Linux")
async def test_links_lead_nowhere(room: Room, tmp_path: Path) -> None:
    room.put("private/diary.md", FERRY)
    room.put("a/mill.md", MILL)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("The secret harbour.", encoding="utf-8")
    (room.root / "loop").symlink_to(room.root)
    (room.root / "a" / "up").symlink_to("..")
    (room.root / "to-private").symlink_to("private")
    (room.root / "out").symlink_to(outside)
    (room.root / "secret.md").symlink_to(outside / "secret.md")
    (room.root / "dangling.md").symlink_to("nowhere")
    await room.look(exclude=("private",))
    links = {name for name, rule in room.rules().items() if rule == LINK}
    assert links == {"loop", "a/up", "to-private", "out", "secret.md", "dangling.md"}
    assert room.urls() == {"a/mill.md"}


async def test_a_folder_within_has_rules_of_its_own(room: Room) -> None:
    room.put("mill.md", MILL)
    room.put("inner/ferry.md", FERRY)
    room.put("inner/secret.md", "The secret harbour.")
    await room.look()
    await room.look(below="inner", exclude=("secret*",))
    assert room.urls() == {"mill.md", "inner/ferry.md"}
    await room.look()
    assert room.urls() == {"mill.md", "inner/ferry.md"}
    assert set(room.told) == {"mill.md"}


async def test_rules_that_hold_everywhere_hold_in_folders_within(room: Room) -> None:
    room.put("private/inner/ferry.md", FERRY)
    strict = room.excluding(str(room.root / "private"))
    await strict.look(below="private/inner")
    assert room.urls() == set()


async def test_a_single_file_is_read_in_spite_of_its_name(room: Room) -> None:
    room.put(".hidden.md", FERRY)
    await room.look()
    assert room.urls() == set()
    await room.look(below=".hidden.md")
    assert room.urls() == {".hidden.md"}
    await room.look()
    assert room.urls() == {".hidden.md"}


async def test_what_was_removed_stays_so_under_another_name(room: Room) -> None:
    path = room.put("ferry.md", FERRY)
    room.put("mill.md", MILL)
    await room.look()
    record = room.told["ferry.md"]
    room.library.remove([record.document])
    room.library.book.note([taken_out(record)])
    moved = path.with_name("boat.md")
    path.rename(moved)
    for _ in range(2):
        await room.look()
        assert room.urls() == {"mill.md"}
        assert room.rules() == {"boat.md": "removed"}
    moved.write_text(f"{FERRY} Other words.", encoding="utf-8")
    await room.look(again=True)
    assert room.urls() == {"mill.md"}
    moved.unlink()
    room.put("news.md", f"{FERRY} News.")  # which may have the number of the one that is gone
    await room.look()
    assert room.urls() == {"mill.md", "news.md"}


async def test_what_was_removed_comes_back_only_by_its_path(room: Room) -> None:
    room.put("ferry.md", FERRY)
    await room.look()
    record = room.told["ferry.md"]
    room.library.remove([record.document])
    room.library.book.note([taken_out(record)])
    await room.look(again=True)
    assert room.rules() == {"ferry.md": REMOVED}
    assert room.urls() == set()
    await room.look(below="ferry.md")
    assert room.urls() == {"ferry.md"}


async def test_a_folder_that_is_away_takes_nothing_with_it(room: Room) -> None:
    room.put("ferry.md", FERRY)
    await room.look()
    room.root.rename(room.root.with_name("away"))
    with pytest.raises(InputError):
        await room.look()
    assert len(room.library.documents()) == 1


async def test_coverage_is_a_number(room: Room) -> None:
    for name in ("a.md", "b.md", "c.md"):
        room.put(name, f"{FERRY} {name}")
    room.put("d.pdf", b"%PDF-1.4 nonsense")
    room.put("e.png", b"x")
    await room.look()
    counts = tally(room.told.values())
    assert (counts.indexed, counts.excluded, counts.failed) == (3, 1, 1)
    assert counts.coverage == 0.75
    assert room.in_state(FileState.FAILED) == {"d.pdf"}


async def test_a_file_of_blanks_is_empty_and_leaves_the_library(room: Room) -> None:
    blanks = {
        "a.md": b" \n\t\n",
        "b.txt": b"\xef\xbb\xbf\n",
        "c.txt": "\ufeff \n\n".encode("utf-16-le"),
        "d.py": b"\n",
        "e.html": b"  \n",
        "f.jsonl": b"\n\n",
        "g.md": "\u00a0\n".encode(),
    }
    for name in blanks:
        room.put(name, f"The ferry of {name} leaves at nine." if name == "a.md" else blanks[name])
    await room.look()
    assert room.rules() == dict.fromkeys(set(blanks) - {"a.md"}, "empty")
    assert room.urls() == {"a.md"}
    room.put("a.md", blanks["a.md"])
    await room.look()
    assert room.rules() == dict.fromkeys(blanks, "empty")
    assert room.urls() == set()
    room.put("a.md", "The ferry is back.")
    await room.look()
    assert room.urls("ferry") == {"a.md"}


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
