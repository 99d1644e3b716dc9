"""`askance library` over real files."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adapters.library.room import PoolHere
from askance.app.container import Container
from askance.cli.command_tree import app
from askance.domain.errors import ServiceDown
from askance.domain.library import Document, Origin
from askance.domain.web_pages import Page as WebPage
from askance.domain.web_pages import PageStatus
from askance.engine import library_router
from cli.fake_shell import FakeShell, FakeStream, run
from servers.embedding import FakeEmbedding
from servers.loopback import serve
from servers.office import packed
from servers.pdf_files import Page, pdf_file

FERRY = "# Ferry\n\nThe ferry leaves Kelhaven at nine.\n"
MILL = "# Mill\n\nThe mill burned down in 1899.\n"


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", PoolHere)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "notes"
    folder.mkdir()
    (folder / "ferry.md").write_text(FERRY, encoding="utf-8")
    (folder / "mill.md").write_text(MILL, encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


def said(fake_shell: FakeShell, *arguments: str, code: int = 0) -> str:
    fake_shell.out = FakeStream()
    assert run(fake_shell, "library", *arguments) == code, fake_shell.errors
    return fake_shell.printed


def records(fake_shell: FakeShell, *arguments: str, code: int = 0) -> list[dict[str, Any]]:
    printed = said(fake_shell, *arguments, "--json", code=code)
    return [json.loads(line) for line in printed.splitlines()]


def test_a_folder_is_added_searched_and_looked_at(fake_shell: FakeShell, notes: Path) -> None:
    added = {Path(r["path"]).name: r for r in records(fake_shell, "add", str(notes))}
    assert {name: r["state"] for name, r in added.items()} == {
        "ferry.md": "indexed",
        "mill.md": "indexed",
        "picture.png": "excluded",
    }
    assert added["picture.png"]["rule"] == "format"
    (hit,) = records(fake_shell, "search", "when", "does", "the", "ferry", "leave")
    assert list(hit)[:5] == ["url", "title", "snippet", "score", "origin"]
    assert hit["url"] == (notes / "ferry.md").as_uri()
    assert (hit["title"], hit["origin"]) == ("Ferry", "file")
    assert hit["snippet"] == "The ferry leaves Kelhaven at nine."
    assert hit["score"] > 0
    folder, *files = records(fake_shell, "status")
    assert (folder["type"], folder["path"]) == ("folder", str(notes))
    assert (folder["indexed"], folder["excluded"], folder["coverage"]) == (2, 1, 1.0)
    assert {Path(r["path"]).name: r["state"] for r in files} == {
        name: r["state"] for name, r in added.items()
    }


@pytest.mark.usefixtures("in_process")
def test_a_search_shows_all_files_of_one_text_where_there_is_room(
    fake_shell: FakeShell, notes: Path
) -> None:
    (notes / "copy.md").write_text(FERRY, encoding="utf-8")
    records(fake_shell, "add", str(notes))
    found = records(fake_shell, "search", "ferry")
    assert sorted(Path(row["url"]).name for row in found) == ["copy.md", "ferry.md"]
    assert len(records(fake_shell, "search", "ferry", "--limit", "1")) == 1


@pytest.mark.usefixtures("in_process")
def test_status_says_what_is_found_in_part(fake_shell: FakeShell, notes: Path) -> None:
    bad = Page("BT /F 12 Tf 60 700 Td [FOO BAR, N]N)Tj ET")
    good = Page("BT /F 12 Tf 60 700 Td (The ferry is late.) Tj ET")
    (notes / "report.pdf").write_bytes(pdf_file(good, bad))
    assert "in part    " in said(fake_shell, "add", str(notes))
    reported = said(fake_shell, "status")
    assert "1 of those found in part" in reported
    assert "Page 2 could not be read." in reported
    (folder, *files) = records(fake_shell, "status")
    assert folder["partial"] == 1
    assert [Path(file["path"]).name for file in files if file["is_partial"]] == ["report.pdf"]


def test_a_saved_page_is_added_with_whole_sentences(fake_shell: FakeShell, tmp_path: Path) -> None:
    page = tmp_path.resolve() / "fair.html"
    page.write_text(
        "<html><head><title>Fair</title></head><body><main><h1>Fair</h1><p>The fair opens on <time>12 September"
        "</time> and <i class=icon></i> closes at 10<sup>5</sup> visitors.</p></main></body></html>",
        encoding="utf-8",
    )
    said(fake_shell, "add", str(page))
    [found] = records(fake_shell, "search", "fair opens")
    assert "The fair opens on 12 September and closes at 10^5 visitors." in json.dumps(found)


@pytest.mark.usefixtures("in_process")
def test_people_are_told_in_words(fake_shell: FakeShell, notes: Path) -> None:
    (notes / "bad.pdf").write_bytes(b"%PDF-1.4 nonsense")
    first, new, failed = said(fake_shell, "add", str(notes)).splitlines()
    assert first.startswith(f"{notes}: 2 indexed, 1 excluded, 1 failed. ")
    assert first.endswith("Not read: 1 .png.")
    assert new == "  New: 2 documents, 2 passages."
    assert failed.startswith(f"  failed     {notes / 'bad.pdf'}: ")
    title, place, snippet = said(fake_shell, "search", "ferry").splitlines()
    assert title == "Ferry"
    assert place == f"    {notes / 'ferry.md'}  Ferry"
    assert snippet == "    The ferry leaves Kelhaven at nine."
    assert len(said(fake_shell, "list").splitlines()) == 2
    assert f"{notes / 'picture.png'}: " in said(fake_shell, "status", "--all")
    assert "picture.png" not in said(fake_shell, "status")
    assert said(fake_shell, "stats").splitlines()[0].startswith("2 documents, 2 passages, ")


@pytest.mark.usefixtures("in_process")
def test_a_file_of_a_kind_that_is_not_read_is_refused_by_name(
    fake_shell: FakeShell, notes: Path
) -> None:
    (notes / "refs.bib").write_text("@book{x}", encoding="utf-8")
    reported = said(fake_shell, "add", str(notes / "refs.bib"), code=1)
    assert "Files of this kind are not read." in reported


@pytest.mark.usefixtures("in_process")
def test_a_search_without_a_hit_or_without_words_says_so(
    fake_shell: FakeShell, notes: Path
) -> None:
    said(fake_shell, "add", str(notes))
    assert "matches 'zeppelin'." in said(fake_shell, "search", "zeppelin")
    assert "matches 'ferry' with these filters." in said(
        fake_shell, "search", "ferry", "--origin", "web"
    )
    said(fake_shell, "search", " ", code=2)


@pytest.mark.usefixtures("in_process")
def test_filters_and_tags(fake_shell: FakeShell, notes: Path) -> None:
    said(fake_shell, "add", str(notes / "ferry.md"), "--tag", "Boats")
    said(fake_shell, "add", str(notes / "mill.md"))
    assert [r["title"] for r in records(fake_shell, "list", "--tag", "boats")] == ["Ferry"]
    said(fake_shell, "tag", str(notes / "mill.md"), "old", "stone")
    assert records(fake_shell, "search", "mill", "--tag", "stone")
    said(fake_shell, "tag", str(notes / "mill.md"), "stone", "--remove")
    assert records(fake_shell, "search", "mill", "--tag", "stone") == []
    assert len(records(fake_shell, "list", "--kind", "markdown", "--limit", "1")) == 1
    assert records(fake_shell, "list", "--origin", "web") == []


@pytest.mark.usefixtures("in_process")
def test_a_document_is_shown_with_its_earlier_text(fake_shell: FakeShell, notes: Path) -> None:
    said(fake_shell, "add", str(notes))
    (notes / "ferry.md").write_text("# Ferry\n\nThere is no boat.\n", encoding="utf-8")
    said(fake_shell, "add")
    (shown,) = records(fake_shell, "show", str(notes / "ferry.md"))
    assert shown["text"] == "# Ferry\n\nThere is no boat."
    (earlier,) = shown["earlier"]
    old = said(fake_shell, "show", shown["id"][:8], "--version", earlier["content_hash"][:12])
    assert "at nine" in old
    assert run(fake_shell, "library", "show", shown["id"], "--version", "ffff") == 2


@pytest.mark.usefixtures("in_process")
def test_what_is_removed_is_gone_and_stays_gone(fake_shell: FakeShell, notes: Path) -> None:
    said(fake_shell, "add", str(notes))
    assert said(fake_shell, "remove", str(notes / "ferry.md")).startswith("1 document deleted")
    assert records(fake_shell, "search", "ferry") == []
    said(fake_shell, "add", "--again")
    assert records(fake_shell, "search", "ferry") == []
    assert (notes / "ferry.md").exists()
    said(fake_shell, "add", str(notes / "ferry.md"))
    assert len(records(fake_shell, "search", "ferry")) == 1
    said(fake_shell, "remove", str(notes))
    assert records(fake_shell, "list") == []
    assert [r["path"] for r in records(fake_shell, "status") if r["type"] == "folder"] == [
        str(notes / "ferry.md")
    ]
    assert said(fake_shell, "remove", "--all").startswith("0 documents deleted")
    assert records(fake_shell, "status") == []


@pytest.mark.usefixtures("in_process")
def test_copies_that_hold_what_was_removed_are_named(fake_shell: FakeShell, notes: Path) -> None:
    said(fake_shell, "add", str(notes))
    copy = fake_shell.shell.folders.library.with_name("library.damaged-1.sqlite3")
    copy.write_bytes(b"")
    assert str(copy) in said(fake_shell, "remove", str(notes / "ferry.md"))
    said(fake_shell, "remove", "--all")
    assert not copy.exists()


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("blank", ["", " "])
def test_an_empty_path_does_not_mean_the_folder_one_stands_in(
    fake_shell: FakeShell, notes: Path, monkeypatch: pytest.MonkeyPatch, blank: str
) -> None:
    said(fake_shell, "add", str(notes))
    monkeypatch.chdir(notes)
    said(fake_shell, "remove", blank, code=2)
    assert len(records(fake_shell, "list")) == 2
    said(fake_shell, "remove", "--all")
    said(fake_shell, "add", blank, code=2)
    assert records(fake_shell, "list") == []


@pytest.mark.usefixtures("in_process")
def test_a_folder_that_is_not_there_keeps_no_other_from_being_looked_at(
    fake_shell: FakeShell, notes: Path
) -> None:
    away = notes.with_name("away")
    away.mkdir()
    (away / "old.md").write_text(MILL, encoding="utf-8")
    said(fake_shell, "add", str(away), str(notes))
    away.rename(notes.with_name("elsewhere"))
    (notes / "ferry.md").write_text("# Ferry\n\nThere is no boat.\n", encoding="utf-8")
    record = {r["path"]: r["state"] for r in records(fake_shell, "add")}
    assert record[str(away)] == "failed"
    assert record[str(notes / "ferry.md")] == "indexed"
    assert len(records(fake_shell, "search", "no boat")) == 1
    said(fake_shell, "remove", str(notes))
    said(fake_shell, "add", code=1)


@pytest.mark.usefixtures("in_process")
def test_patterns_of_a_folder_are_kept(fake_shell: FakeShell, notes: Path) -> None:
    said(fake_shell, "add", str(notes), "--exclude", "mill*")
    said(fake_shell, "add")
    assert [r["title"] for r in records(fake_shell, "list")] == ["Ferry"]
    said(fake_shell, "add", str(notes), "--include", "mill*", "--exclude", "x")
    assert [r["title"] for r in records(fake_shell, "list")] == ["Mill"]


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("option", ["--include", "--exclude"])
def test_an_empty_pattern_takes_nothing_out_of_the_library(
    fake_shell: FakeShell, notes: Path, option: str
) -> None:
    """As of a variable of a script that is not set: no file has an empty name."""
    said(fake_shell, "add", str(notes))
    said(fake_shell, "add", str(notes), option, "", code=2)
    said(fake_shell, "add")
    assert len(records(fake_shell, "list")) == 2


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("words", [("add", "mill.md"), ("search", "mill"), ("list",)])
def test_an_empty_tag_is_refused(fake_shell: FakeShell, words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["library", *words, "--tag", ""], obj=fake_shell.shell)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "a tag is not empty" in result.stderr


@pytest.mark.usefixtures("in_process")
def test_all_beside_a_name_deletes_neither(fake_shell: FakeShell, notes: Path) -> None:
    said(fake_shell, "add", str(notes))
    assert run(fake_shell, "library", "remove", "--all", str(notes / "mill.md")) == 2
    assert len(records(fake_shell, "list")) == 2


@pytest.mark.usefixtures("in_process")
def test_documents_are_exported_and_imported(
    fake_shell: FakeShell, notes: Path, tmp_path: Path
) -> None:
    said(fake_shell, "add", str(notes), "--tag", "island")
    out = tmp_path / "all.jsonl"
    assert said(fake_shell, "export", str(out)).startswith("2 documents written")
    assert run(fake_shell, "library", "export", str(out)) == 2
    for standard_output in ((), ("-",)):
        assert said(fake_shell, "export", *standard_output) == out.read_text(encoding="utf-8")
    before = records(fake_shell, "list")
    said(fake_shell, "remove", "--all")
    assert said(fake_shell, "import", str(out), "--tag", "again") == "2 added.\n"
    after = records(fake_shell, "list")
    for record in (*before, *after):
        record["tags"] = sorted(set(record["tags"]) - {"again"})
    assert after == before
    (counts,) = records(fake_shell, "import", str(out))
    assert (counts["unchanged"], counts["bad_lines"]) == (2, 0)


def test_an_export_keeps_identities_and_what_was_kept_in_passing(
    fake_shell: FakeShell, tmp_path: Path
) -> None:
    library = Container(fake_shell.shell.settings(), fake_shell.shell.folders).library
    library.add([
        Document("https://a.example/", "Ferry", FERRY, Origin.WEB, id="0123456789abcdef"),
        Document("https://b.example/", "Mill", MILL, Origin.WEB, in_passing=True),
    ])  # fmt: skip
    before = library.documents()
    assert {record.in_passing for record in before} == {True, False}
    out = tmp_path / "all.jsonl"
    said(fake_shell, "export", str(out))
    said(fake_shell, "remove", "--all")
    said(fake_shell, "import", str(out))
    assert set(library.documents()) == set(before)
    library.close()


def test_an_import_restores_pages_and_leaves_those_that_were_read(
    fake_shell: FakeShell, tmp_path: Path
) -> None:
    """Whoever imports a file vouches for it; what is there was read from the web itself."""
    library = Container(fake_shell.shell.settings(), fake_shell.shell.folders).library
    library.add([Document("https://a.example/", "Ferry", FERRY, Origin.WEB)])
    rows = [
        {"url": "https://a.example/", "title": "A", "text": MILL, "origin": "web", "tags": ["x"]},
        {"url": "https://b.example/", "title": "B", "text": MILL, "origin": "web"},
        {"url": "https://c.example/", "title": "C", "text": MILL},
        {"url": "ftp://d.example/", "title": "D", "text": MILL, "origin": "web"},
        {"url": "https://e.example/", "title": "E", "text": MILL, "origin": "file"},
    ]
    file = tmp_path / "pages.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (counts,) = records(fake_shell, "import", str(file))
    assert (counts["added"], counts["unchanged"], counts["changed"]) == (4, 1, 0)
    stored = {record.url: record for record in library.documents()}
    assert {url[8]: record.origin for url, record in stored.items() if url[:5] == "https"} == {
        "a": Origin.WEB,
        "b": Origin.WEB,
        "c": Origin.IMPORT,
        "e": Origin.IMPORT,
    }
    assert stored["ftp://d.example/"].origin is Origin.IMPORT
    assert library.text(stored["https://a.example/"].id) == FERRY
    assert stored["https://a.example/"].tags == ("x",)
    library.close()
    found = [r["origin"] for r in records(fake_shell, "search", "mill", "--limit", "9")]
    assert found
    assert records(fake_shell, "show", "https://c.example/")[0]["origin"] == "import"
    assert "imported" in said(fake_shell, "search", "mill", "--origin", "import")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has none: run it on Linux")
def test_an_import_reads_files_alone(fake_shell: FakeShell, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert run(fake_shell, "library", "import", str(tmp_path / "pipe.jsonl")) == 2
    assert run(fake_shell, "library", "import", "/dev/zero") == 2
    assert run(fake_shell, "library", "import", str(tmp_path)) == 2


def test_an_import_without_documents_is_refused(fake_shell: FakeShell, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text("{}\nnonsense\n", encoding="utf-8")
    assert run(fake_shell, "library", "import", str(file)) == 2
    assert run(fake_shell, "library", "import", str(tmp_path / "missing.jsonl")) == 2


def test_pages_are_added(fake_shell: FakeShell) -> None:
    url = "https://ferry.example/"
    page = WebPage(url, PageStatus.OK, final_url=url, title="Timetable", markdown=FERRY, words=7)
    down = ServiceDown("page reader", "here", "It does not start.")
    fake_shell.app.reader.pages = {url: page, "https://down.example/": down}
    added = records(fake_shell, "add", url, "https://down.example/", "--tag", "boats")
    assert [(r["url"], r["state"]) for r in added] == [
        (url, "indexed"),
        ("https://down.example/", "failed"),
    ]
    (hit,) = records(fake_shell, "search", "ferry")
    assert (hit["url"], hit["origin"], hit["tags"]) == (url, "web", ["boats"])
    assert [r["state"] for r in records(fake_shell, "add", url)] == ["unchanged"]
    assert run(fake_shell, "library", "add", "https://down.example/") == 1


def test_what_is_not_there_is_named(fake_shell: FakeShell, tmp_path: Path) -> None:
    assert run(fake_shell, "library", "add", str(tmp_path / "missing")) == 2
    assert str(tmp_path / "missing") in fake_shell.errors
    for address in ("ftp://a.example/x", (tmp_path / "missing").as_uri()):
        fake_shell.err = FakeStream()
        assert run(fake_shell, "library", "add", address) == 2
        assert "http://" in fake_shell.errors
    for command in ("show", "remove"):
        assert run(fake_shell, "library", command, "missing") == 2
    assert run(fake_shell, "library", "tag", "missing", "x") == 2
    assert run(fake_shell, "library", "remove") == 2


def test_an_empty_library_answers_and_makes_no_file(fake_shell: FakeShell) -> None:
    for command in ("list", "status", "stats", "export"):
        said(fake_shell, command)
    assert "askance library add" in said(fake_shell, "search", "ferry")
    assert records(fake_shell, "search", "ferry") == records(fake_shell, "list") == []
    assert not fake_shell.shell.folders.library.exists()


@pytest.mark.usefixtures("in_process")
def test_a_programming_language_finds_code_in_notes(fake_shell: FakeShell, notes: Path) -> None:
    code = "# Code\n\nThe ferry in code:\n\n```py\nferry(9)\n```\n"
    (notes / "ferry.md").write_text(f"{FERRY}\n{code}", encoding="utf-8")
    (notes / "ferry.py").write_text("def ferry(): ...\n", encoding="utf-8")
    said(fake_shell, "add", str(notes))
    found = {
        hit["heading"] for hit in records(fake_shell, "search", "ferry", "--syntax", "python3")
    }
    assert found == {"Code", "def ferry(): ..."}
    assert len(records(fake_shell, "list", "--syntax", "python")) == 2
    assert records(fake_shell, "search", "ferry", "--syntax", "rust") == []


def test_an_empty_library_says_what_fills_it(fake_shell: FakeShell) -> None:
    assert "askance library add" in said(fake_shell, "list")
    assert "askance library add" in said(fake_shell, "add")
    assert said(fake_shell, "add", "--json") == ""


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--kind", "cod"),
        ("--origin", "disk"),
        ("--language", "english"),
        ("--syntax", "pyhton"),
        ("--since", "yesterday"),
        ("--since", "2026-13"),
        ("--until", "2026-02-31"),
    ],
)
def test_a_filter_that_no_document_can_meet_is_refused(
    fake_shell: FakeShell, option: str, value: str
) -> None:
    for command in (("list",), ("search", "ferry")):
        assert run(fake_shell, "library", *command, option, value) == 2
        assert value in fake_shell.errors
    for good in ("2026", "2026-01", "2026-01-31"):
        assert run(fake_shell, "library", "list", "--since", good) == 0


@pytest.mark.usefixtures("in_process")
def test_a_wrong_index_is_built_anew(fake_shell: FakeShell, notes: Path) -> None:
    said(fake_shell, "add", str(notes))
    library = Container(fake_shell.shell.settings(), fake_shell.shell.folders).library
    library.database.write(lambda c: c.execute("DELETE FROM words"))
    library.close()
    assert said(fake_shell, "add").endswith("2 passages indexed anew.\n")
    assert len(records(fake_shell, "search", "ferry")) == 1


@pytest.mark.usefixtures("in_process")
def test_progress_is_drawn_on_a_terminal(fake_shell: FakeShell, notes: Path) -> None:
    fake_shell.environment["TERM"] = "xterm"
    fake_shell.out = FakeStream(terminal=True)
    assert run(fake_shell, "library", "add", str(notes)) == 0
    assert "3/3" in fake_shell.printed
    fake_shell.out = FakeStream(terminal=True)
    assert run(fake_shell, "library", "search", "ferry") == 0
    assert "\x1b[1mferry\x1b[22m" in fake_shell.printed


@pytest.mark.usefixtures("in_process")
def test_a_file_that_was_renamed_is_told_as_moved(fake_shell: FakeShell, notes: Path) -> None:
    said(fake_shell, "add", str(notes))
    (notes / "ferry.md").rename(notes / "boat.md")
    reports = said(fake_shell, "add", str(notes)).splitlines()
    assert "  Moved: 1 document." in reports
    assert not any(line.startswith("  New:") for line in reports)
    assert "Moved" not in said(fake_shell, "add", str(notes))


@pytest.mark.usefixtures("in_process")
def test_an_excluded_name_is_said_once(fake_shell: FakeShell, notes: Path) -> None:
    (notes / "out").mkdir()
    (notes / "out" / "a.md").write_text(MILL, encoding="utf-8")
    said(fake_shell, "add", str(notes), "--exclude", "out")
    folder = notes / "out"
    reported = said(fake_shell, "status", str(folder), str(folder / "a.md"))
    assert f"{folder}: This name is excluded." in reported
    assert f"{folder / 'a.md'}: {folder}: This name is excluded." in reported


@pytest.mark.usefixtures("in_process")
def test_a_file_that_was_refused_is_told_with_its_reason(
    fake_shell: FakeShell, notes: Path
) -> None:
    (notes / "letter.docx").write_bytes(b"no archive")
    (notes / "~$letter.docx").write_bytes(b"lock")
    added = {Path(r["path"]).name: r["state"] for r in records(fake_shell, "add", str(notes))}
    assert (added["letter.docx"], added["~$letter.docx"]) == ("failed", "excluded")
    assert run(fake_shell, "ask", "--document", str(notes / "letter.docx"), "When?") == 2
    assert "DOCX" in fake_shell.errors


@pytest.mark.usefixtures("in_process")
def test_what_was_read_in_part_stands_in_the_status(fake_shell: FakeShell, notes: Path) -> None:
    word = '<w:document xmlns:w="urn:w"><w:body><w:p><w:r><w:t>Ferry</w:t></w:r></w:p></w:body></w:document>'
    data = packed({"word/document.xml": word, "word/footnotes.xml": "<broken"})
    (notes / "part.docx").write_bytes(data)
    assert "word/footnotes.xml" in said(fake_shell, "add", str(notes))
    assert "word/footnotes.xml" in said(fake_shell, "status")


@pytest.mark.usefixtures("in_process")
def test_a_folder_that_got_another_name_is_said_to_be_gone(
    fake_shell: FakeShell, notes: Path
) -> None:
    assert said(fake_shell, "add", str(notes))
    before = said(fake_shell, "status").splitlines()
    notes.rename(notes.with_name("renamed"))
    assert len(said(fake_shell, "status").splitlines()) == len(before) + 1


@pytest.mark.usefixtures("in_process")
def test_a_file_named_by_a_link_is_the_file(fake_shell: FakeShell, notes: Path) -> None:
    assert said(fake_shell, "add", str(notes))
    link = notes.with_name("link")
    link.symlink_to(notes)
    (found,) = records(fake_shell, "status", str(link / "ferry.md"))
    assert (found["standing"], found["path"]) == ("indexed", str(notes / "ferry.md"))


# `askance library embed`, and what adding and searching do with a model, over a real server.

__all__ = ["in_process"]


class InThread:
    """A server in a loop of its own: each command runs one, too."""

    def __init__(self, fake: FakeEmbedding) -> None:
        self._fake = fake
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self.url = ""
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> InThread:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def _run(self) -> None:
        async def main() -> None:
            async with serve(self._fake) as server:
                self.url = server.url
                self._ready.set()
                await self._ended.wait()

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(main())


@pytest.fixture
def fake() -> FakeEmbedding:
    return FakeEmbedding()


@pytest.fixture
def embedding(
    fake_shell: FakeShell, fake: FakeEmbedding, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeEmbedding]:
    monkeypatch.setattr(library_router, "LEAST_SIMILARITY", 0.05)
    with InThread(fake) as server:
        fake_shell.environment |= {
            "ASKANCE_EMBEDDINGS__API": "ollama",
            "ASKANCE_EMBEDDINGS__URL": server.url,
        }
        yield fake


def lines(tmp_path: Path, *texts: str) -> Path:
    file = tmp_path / "documents.jsonl"
    rows = [{"url": f"https://n.example/{i}", "text": text} for i, text in enumerate(texts)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_without_a_model_it_says_what_to_set(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "library", "embed") == 2
    assert "embeddings.api" in fake_shell.errors


@pytest.mark.usefixtures("in_process")
def test_what_is_added_is_embedded_and_found_by_its_meaning(
    fake_shell: FakeShell, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    for name, text in (("ferry", FERRY), ("mill", MILL)):
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        said(fake_shell, "add", str(tmp_path / f"{name}.md"))
    assert sum(len(batch) for batch in embedding.given if batch != ["dimension"]) == 2
    assert "2 of 2 passages embedded." in said(fake_shell, "embed")
    (stats,) = records(fake_shell, "stats")
    ((model, embedded),) = stats["embedded"].items()
    assert embedded == 2
    assert any(
        model in line and "2 of 2" in line for line in said(fake_shell, "stats").splitlines()
    )
    (hit,) = records(
        fake_shell, "search", "at nine leaves the", "--mode", "semantic", "--limit", "1"
    )
    assert hit["title"] == "Ferry"
    assert 0 < hit["score"] <= 1
    assert said(fake_shell, "search", "ferry", "--mode", "guess", code=2) == ""
    assert "deleted, with 1 passage and 1 vector." in said(
        fake_shell, "remove", str(tmp_path / "mill.md")
    )


def test_progress_is_told_as_json(
    fake_shell: FakeShell, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    fake_shell.environment["ASKANCE_EMBEDDINGS__API"] = "none"
    said(fake_shell, "import", str(lines(tmp_path, *(f"Story number{i}." for i in range(40)))))
    fake_shell.environment["ASKANCE_EMBEDDINGS__API"] = "ollama"
    reports: list[dict[str, Any]] = records(fake_shell, "embed")
    assert [(row["done"], row["of"]) for row in reports] == [(32, 40), (40, 40)]


def test_a_failure_costs_nothing_of_what_was_added(
    fake_shell: FakeShell, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    embedding.models = ()
    added = said(fake_shell, "import", str(lines(tmp_path, "Story number1.")))
    assert "1 added" in added
    assert "no embedding model" in fake_shell.errors
    assert run(fake_shell, "library", "embed") == 2
    assert "1" in said(fake_shell, "search", "what is story number1 about")
    assert "no embedding model" in fake_shell.errors


def test_another_model_embeds_only_when_it_is_told_to(
    fake_shell: FakeShell, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    said(fake_shell, "import", str(lines(tmp_path, "Story number1.")))
    embedding.digest = "d2"
    said(fake_shell, "import", str(lines(tmp_path, "Story number1.", "Story number2.")))
    assert "another one than before" in fake_shell.errors
    assert "2 of 2 passages embedded." in said(fake_shell, "embed")
    assert records(fake_shell, "search", "story number2", "--mode", "semantic")
