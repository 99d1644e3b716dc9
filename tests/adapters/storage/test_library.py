"""The library: what is added is stored once, in versions, found, moved, tagged, and deleted without a trace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from adapters.storage.shelf import FERRY, MILL, NOW, Clock, bytes_of, library, page, urls
from askance.adapters.library import library_search
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.library import (
    EVERY,
    AddOutcome,
    Document,
    DocumentKind,
    Filters,
    Folder,
    Origin,
)


@pytest.fixture
def kept(tmp_path: Path, clock: Clock) -> Iterator[SqliteLibrary]:
    made = library(tmp_path, versions_days=30, clock=clock)
    yield made
    made.close()


def test_a_document_is_kept_and_found(kept: SqliteLibrary) -> None:
    (added,) = kept.add([page("https://ferry.example/times", FERRY, "Timetable", "Travel")])
    assert (added.outcome, added.passages) == (AddOutcome.ADDED, 1)
    (hit,) = kept.search("when does the ferry leave", 10)
    assert (hit.url, hit.passage, hit.text) == (
        "https://ferry.example/times",
        f"{added.id}:0",
        FERRY,
    )
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["ferry", "leaves"]
    assert hit.tags == ("travel",)
    assert hit.score > 0
    (record,) = kept.documents(EVERY, 10)
    assert (record.words, record.passages, record.versions) == (11, 1, 0)
    assert (record.id, record.language, record.origin) == (added.id, "en", Origin.WEB)
    assert kept.text(record.id) == FERRY
    assert kept.check() == ()


def test_a_hit_names_its_page(kept: SqliteLibrary) -> None:
    filler = "Nothing of note stands on this page. " * 30
    pages = [f"{filler} Mark{n} is here." for n in range(1, 6)]
    text = "\n\n\f".join(pages)
    kept.add([Document("file:///book.pdf", "Book", text, Origin.FILE, DocumentKind.PDF)])
    kept.add([page("https://a.example/", "Mark9 is on no page.")])
    found = {word: kept.search(word, 10)[0].page for word in ("mark1", "mark4", "mark5", "mark9")}
    assert found == {"mark1": 1, "mark4": 4, "mark5": 5, "mark9": 0}


def test_the_page_of_a_hit_is_that_of_most_of_the_words_it_was_found_by(
    kept: SqliteLibrary,
) -> None:
    pages = ["A. Of a boiler.", "The boiler was cleaned in spring.", "The boiler is sold."]
    text = "\n\n\f".join(pages)
    kept.add([Document("file:///book.pdf", "Book", text, Origin.FILE, DocumentKind.PDF)])
    (hit,) = kept.search("Was the boiler cleaned in spring?", 10)
    assert len(hit.marks) > 3
    assert hit.page == 2


def test_a_word_is_excluded_unless_nothing_is_found_then(kept: SqliteLibrary) -> None:
    kept.add([page("https://a.example/", FERRY), page("https://b.example/", f"{FERRY} {MILL}")])
    assert urls(kept, "ferry -mill") == ["https://a.example/"]
    assert {*urls(kept, "ferry -leaves")} == {"https://a.example/", "https://b.example/"}
    assert urls(kept, "-ferry") == []


def test_the_hyphen_of_a_compound_does_not_exclude_its_word(kept: SqliteLibrary) -> None:
    text = "MTV on suomalainen yhtiö. MTV-yhtiön omistaa kunta, ja sen talo on Helsingissä."
    kept.add([page("https://a.example/", text), page("https://b.example/", MILL)])
    for question in ("Kuka omistaa MTV -yhtiön?", "Missä on „MTV“-yhtiön talo", "MTV -yhtiön talo"):
        assert urls(kept, question) == ["https://a.example/"]


def test_nothing_is_there_at_first_and_looking_makes_nothing(
    kept: SqliteLibrary, tmp_path: Path
) -> None:
    assert kept.search("ferry", 10) == kept.documents(EVERY, 10) == kept.find("abcdef") == ()
    assert kept.text("x") is None
    assert kept.check() == kept.versions("x") == kept.tag("x", ["a"], []) == ()
    assert kept.stats().documents == kept.prune() == kept.rebuild(lambda _: None) == 0
    assert kept.remove(["x"]).documents == kept.clear().documents == 0
    assert list(kept.every()) == list(tmp_path.iterdir()) == []


def test_an_identity_is_that_of_the_address_in_every_store(
    kept: SqliteLibrary, tmp_path: Path
) -> None:
    url = "https://www.a.example/x/?utm_source=y"
    (here,) = kept.add([page(url, FERRY)])
    (there,) = library(tmp_path / "other").add([page("http://a.example/x", MILL)])
    assert here.id == there.id
    (again,) = kept.add([page("http://a.example/x#top", FERRY, url)])
    assert (again.id, again.outcome) == (here.id, AddOutcome.UNCHANGED)


def test_an_identity_from_another_store_is_kept(kept: SqliteLibrary) -> None:
    given = Document("file:///b.md", "b", FERRY, Origin.FILE, id="00ff00ff00ff00ff")
    (added,) = kept.add([given])
    assert added.id == "00ff00ff00ff00ff"
    (other,) = kept.add([Document("file:///c.md", "c", MILL, Origin.FILE, id=added.id)])
    assert other.id != added.id


def test_copies_of_a_document_are_those_with_its_text(kept: SqliteLibrary) -> None:
    first, second, other = kept.add(
        [
            page("https://a.example/", FERRY),
            page("https://b.example/", FERRY),
            page("https://c.example/", MILL),
        ]
    )
    assert [record.id for record in kept.copies(first.id)] == [second.id]
    assert [record.id for record in kept.copies(second.id)] == [first.id]
    assert kept.copies(other.id) == kept.copies("0" * 16) == ()


def test_the_same_text_under_two_addresses_is_shown_once(kept: SqliteLibrary) -> None:
    first, _ = kept.add([
        page("https://a.example/", FERRY, "Boats"), page("https://b.example/", FERRY, "Ships"),
    ])  # fmt: skip
    assert kept.stats().documents == 2
    assert len(urls(kept, "ferry")) == 1
    kept.remove([first.id])
    assert urls(kept, "ferry") == urls(kept, "ships") == ["https://b.example/"]
    assert kept.check() == ()


def test_a_changed_page_has_a_new_version_and_the_old_one_can_be_cited(kept: SqliteLibrary) -> None:
    long = "\n\n".join(f"# Part {i}\n\nThe ferry of part {i} is late." for i in range(5))
    kept.add([page("https://a.example/", long)])
    (changed,) = kept.add([page("https://a.example/", MILL)])
    assert changed.outcome is AddOutcome.CHANGED
    assert urls(kept, "ferry late") == []
    assert urls(kept, "mill") == ["https://a.example/"]
    (old,) = kept.versions(changed.id)
    assert kept.text(changed.id, old.content_hash[:12]) == long
    assert kept.text(changed.id, "ffff") is None
    assert kept.text(changed.id) == MILL
    assert [record.versions for record in kept.documents(EVERY, 10)] == [1]
    assert kept.stats().versions == 1
    assert kept.check() == ()


@pytest.mark.parametrize("origin", [Origin.IMPORT, Origin.FILE])
def test_what_was_read_from_the_web_stays_whatever_else_is_told_of_its_address(
    kept: SqliteLibrary, origin: Origin
) -> None:
    (added,) = kept.add([page("https://a.example/", FERRY, "Timetable", "old")])
    other = Document("http://www.a.example/#x", "Mill", MILL, origin, tags=("new",), id="0" * 16)
    (again,) = kept.add([other])
    assert (again.id, again.outcome) == (added.id, AddOutcome.UNCHANGED)
    (record,) = kept.documents(EVERY, 10)
    assert (record.url, record.title, record.origin) == (
        "https://a.example/",
        "Timetable",
        Origin.WEB,
    )
    assert record.tags == ("new", "old")
    assert kept.text(added.id) == FERRY
    assert urls(kept, "mill") == []
    assert kept.versions(added.id) == kept.check() == ()
    # The page itself takes the place of what others told of it.
    kept.add([Document("https://b.example/", "B", MILL, origin)])
    kept.add([page("https://b.example/", FERRY, "B")])
    assert {record.origin for record in kept.documents(EVERY, 10)} == {Origin.WEB}


def test_a_text_that_comes_back_is_no_earlier_one(kept: SqliteLibrary) -> None:
    for text in (FERRY, MILL, FERRY):
        (added,) = kept.add([page("https://a.example/", text)])
    (old,) = kept.versions(added.id)
    assert kept.text(added.id, old.content_hash) == MILL
    assert urls(kept, "ferry") == ["https://a.example/"]


def test_versions_go_when_their_time_is_over(
    kept: SqliteLibrary, clock: Clock, tmp_path: Path
) -> None:
    kept.add([page("https://a.example/", FERRY)])
    (changed,) = kept.add([page("https://a.example/", MILL)])
    clock.now += timedelta(days=29)
    assert kept.prune() == 0
    clock.now += timedelta(days=2)
    assert kept.prune() == 1
    assert kept.versions(changed.id) == kept.check() == ()
    assert kept.text(changed.id) == MILL
    kept.close()
    assert b"hesperay" not in bytes_of(tmp_path).lower()


def test_a_file_that_was_moved_stays_the_same_document(kept: SqliteLibrary) -> None:
    (first,) = kept.add([Document("file:///a/x.md", "x", FERRY, Origin.FILE, tags=("old",))])
    moved = Document("file:///b/y.md", "y", FERRY, Origin.FILE, moved_from="file:///a/x.md")
    (second,) = kept.add([moved])
    assert (second.outcome, second.id) == (AddOutcome.MOVED, first.id)
    (record,) = kept.documents(EVERY, 10)
    assert (record.url, record.title, record.tags) == ("file:///b/y.md", "y", ("old",))
    assert urls(kept, "ferry") == ["file:///b/y.md"]
    (another,) = kept.add([Document("file:///a/x.md", "x", MILL, Origin.FILE)])
    assert another.id != first.id
    assert kept.check() == ()


def test_tags_are_added_removed_and_searched(kept: SqliteLibrary) -> None:
    (added,) = kept.add([page("https://a.example/", FERRY)])
    assert kept.tag(added.id, [" Boat  Trips ", "x"], []) == ("boat trips", "x")
    assert urls(kept, "trips") == ["https://a.example/"]
    assert len(kept.search("ferry", 10, Filters(tags=("X",)))) == 1
    kept.add([page("https://a.example/", FERRY, "", "y")])
    assert kept.tag(added.id, [], ["BOAT trips"]) == ("x", "y")
    assert urls(kept, "trips") == []
    assert kept.tag("unknown", ["x"], []) == ()
    assert kept.check() == ()
    (hit,) = kept.search("ferry", 10)
    assert hit.tags == ("x", "y")


def test_a_search_may_be_kept_to_some_documents(kept: SqliteLibrary) -> None:
    one, two, _ = kept.add([page(f"https://{name}.example/", FERRY, name) for name in "abc"])
    among = Filters(documents=(one.id, two.id))
    wanted = {"https://a.example/", "https://b.example/"}
    assert {record.url for record in kept.documents(among, 10)} == wanted
    assert {hit.document for hit in kept.search("ferry", 10, among)} <= {one.id, two.id}
    assert kept.search("ferry", 10, Filters(documents=("0" * 16,))) == ()


def test_what_is_deleted_is_deleted_everywhere(kept: SqliteLibrary, tmp_path: Path) -> None:
    (stays,) = kept.add([page("https://b.example/", MILL, "Mill")])
    (added,) = kept.add([page("https://a.example/secretaddress", "Zanzibarquux sleeps.", "Qwertz")])
    kept.add([page("https://a.example/secretaddress", "Zanzibarquux wakes.", "Qwertz", "hidden")])
    (tmp_path / "library.damaged-0.sqlite3").write_bytes(b"old")
    removed = kept.remove([added.id])
    assert (removed.documents, removed.passages, removed.versions) == (1, 1, 1)
    assert removed.copies == (tmp_path / "library.damaged-0.sqlite3",)
    assert urls(kept, "zanzibarquux") == urls(kept, "qwertz") == []
    assert kept.find(added.id) == ()
    kept.close()
    left = bytes_of(tmp_path).lower()
    for word in (b"zanzibarquux", b"qwertz", b"secretaddress", b"hidden"):
        assert word not in left
    assert [record.id for record in kept.documents()] == [stays.id]
    assert kept.check() == ()


def test_clearing_deletes_the_copies_too(kept: SqliteLibrary, tmp_path: Path) -> None:
    kept.add([page("https://a.example/", FERRY), page("https://b.example/", MILL)])
    (tmp_path / "library.damaged-1.sqlite3").write_bytes(b"old")
    removed = kept.clear()
    assert (removed.documents, removed.copies) == (2, ())
    kept.close()
    assert [path.name for path in tmp_path.iterdir()] == ["library.sqlite3"]
    assert b"ferri" not in bytes_of(tmp_path)


def test_all_documents_of_one_call_are_kept_or_none(kept: SqliteLibrary) -> None:
    bad = Document("https://b.example/", "b", MILL, None)  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        kept.add([page("https://a.example/", FERRY), bad])
    assert kept.documents() == ()
    assert kept.check() == ()


def test_a_document_is_meant_by_its_address_or_the_beginning_of_its_identity(
    kept: SqliteLibrary,
) -> None:
    (added,) = kept.add([page("https://a.example/x", FERRY)])
    for reference in ("https://a.example/x", "http://www.a.example/x/", added.id, added.id[:5]):
        assert [record.id for record in kept.find(reference)] == [added.id], reference
    for reference in (added.id[:3], "https://other.example/", "", "*", "????"):
        assert kept.find(reference) == (), reference


def test_documents_come_the_last_read_first(kept: SqliteLibrary) -> None:
    kept.add([
        Document(f"file:///{n}.md", f"{n}", f"{FERRY} {n}", Origin.FILE,
                 fetched_at=f"2026-01-{day:02}T10:00:00.000+00:00")
        for n, day in enumerate((3, 9, 1, 7))
    ])  # fmt: skip
    assert [record.title for record in kept.documents(EVERY, 3)] == ["1", "3", "0"]
    assert [record.title for record in kept.documents(EVERY, 2, 2)] == ["0", "2"]


def test_every_document_comes_with_its_text(kept: SqliteLibrary) -> None:
    kept.add([page("https://b.example/", MILL), page("https://a.example/", FERRY)])
    assert [(record.url, text) for record, text in kept.every()] == [
        ("https://a.example/", FERRY),
        ("https://b.example/", MILL),
    ]


def test_the_index_is_built_anew_from_the_texts(kept: SqliteLibrary) -> None:
    kept.add([page("https://a.example/", FERRY, "Boats"), page("https://b.example/", MILL)])
    kept.database.write(lambda c: c.execute("DELETE FROM words WHERE rowid = 1"))
    assert len(kept.check()) == 2
    done: list[int] = []
    assert kept.rebuild(done.append) == sum(done) == 2
    assert kept.check() == ()
    assert urls(kept, "boats") == ["https://a.example/"]


def test_a_damaged_index_is_put_together_anew(kept: SqliteLibrary) -> None:
    kept.add([page(f"https://a.example/{i}", f"{FERRY} {i}") for i in range(200)])
    kept.database.write(
        lambda c: c.execute("UPDATE words_data SET block = x'ff00ff' WHERE id > 10")
    )
    assert len(kept.search("ferry", 10)) == 10
    assert kept.check() == ()


def test_half_characters_and_blank_texts_are_kept(kept: SqliteLibrary) -> None:
    kept.add([page("https://a.example/\ud800", "ferry \udc00 boat", "a\ud800", "t\ud800")])
    kept.add([page("https://b.example/", "", "Harbour webcam")])
    assert len(urls(kept, "ferry")) == 1
    assert urls(kept, "webcam") == ["https://b.example/"]
    assert kept.check() == ()


def test_counts_are_told_by_origin_kind_and_tag(kept: SqliteLibrary) -> None:
    kept.add([
        page("https://a.example/", FERRY, "", "x", "y"),
        Document("file:///a.py", "a.py", "def ferry(): ...", Origin.FILE, DocumentKind.CODE, "python"),
    ])  # fmt: skip
    stats = kept.stats()
    assert stats.origins == {"file": 1, "web": 1}
    assert stats.kinds == {"code": 1, "page": 1}
    assert stats.tags == {"x": 1, "y": 1}
    assert (stats.languages, stats.passages, stats.words) == ({"en": 2}, 2, 13)
    assert stats.bytes > 0


def test_the_passage_that_fits_best_comes_first(kept: SqliteLibrary) -> None:
    kept.add([
        page("https://a.example/", f"{FERRY} It passes the mill."),
        page("https://b.example/", MILL),
        page("https://c.example/", "Sheep graze above the village."),
    ])  # fmt: skip
    assert urls(kept, "who rebuilt the mill") == ["https://b.example/", "https://a.example/"]


def test_a_title_says_more_than_a_text(kept: SqliteLibrary) -> None:
    kept.add([
        page("https://a.example/", "It is near the lighthouse, on the hill.", "The school"),
        page("https://b.example/", "It is near the school, on the hill.", "The lighthouse"),
    ])  # fmt: skip
    assert urls(kept, "lighthouse")[0] == "https://b.example/"


def test_of_a_long_document_so_many_passages_as_are_wanted(kept: SqliteLibrary) -> None:
    text = "\n\n".join(f"# Part {i}\n\nThe ferry of part {i} is late." for i in range(5))
    kept.add([page("https://a.example/", text), page("https://b.example/", FERRY)])
    assert sorted(urls(kept, "ferry")) == ["https://a.example/", "https://b.example/"]
    hits = kept.search("ferry", 10, EVERY, passages_each=3)
    assert [hit.url for hit in hits].count("https://a.example/") == 3
    for hit in hits:
        assert (kept.text(hit.document) or "")[hit.offset :].startswith(hit.text)


def test_words_are_stemmed_in_the_language_of_the_document(kept: SqliteLibrary) -> None:
    german = "Die Häuser am Hafen sind alt, und ihre Dächer werden im Sommer erneuert."
    kept.add([page("https://de.example/", german), page("https://en.example/", FERRY)])
    assert urls(kept, "altes Haus mit neuem Dach") == ["https://de.example/"]
    assert urls(kept, "ferries leaving") == ["https://en.example/"]


def test_either_spelling_of_english_finds_the_other(kept: SqliteLibrary) -> None:
    kept.add([
        page("https://uk.example/", "The colour of the harbour is the grey of its plough and tyres."),
        page("https://us.example/", "The color of the harbor is the gray of its plow and tires."),
    ])  # fmt: skip
    for query in ("harbor", "harbour", "grey plow", "colours of tires"):
        assert sorted(urls(kept, query)) == ["https://uk.example/", "https://us.example/"]


def test_quotes_and_minus_signs_hold(kept: SqliteLibrary) -> None:
    kept.add([
        page("https://a.example/", "Storm loaf is a bread with rye."),
        page("https://b.example/", "A loaf that the storm took."),
    ])  # fmt: skip
    assert urls(kept, '"storm loaf"') == ["https://a.example/"]
    assert urls(kept, "loaf -rye") == ["https://b.example/"]
    assert urls(kept, '"rye storm"') == []


def test_filters_hold(kept: SqliteLibrary) -> None:
    kept.add([
        page("https://a.example/", f"{FERRY} One.", "", "x", "y", published="2024-05-14"),
        page("https://b.example/", f"{FERRY} Two.", "", "x", published="2025-05-14"),
        Document("file:///c.py", "c", "def ferry():\n    pass", Origin.FILE, DocumentKind.CODE, "python"),
        page("https://d.example/", "Die Fähre und die ferry fahren nicht, wenn der Sturm kommt."),
    ])  # fmt: skip

    def found(**filters: object) -> set[str]:
        wanted = Filters(**filters)  # type: ignore[arg-type]
        hits, records = kept.search("ferry", 10, wanted), kept.documents(wanted, 10)
        assert {hit.url for hit in hits} == {record.url for record in records}
        return {hit.url.split("//")[1][:2].strip("/.") for hit in hits}

    assert found(tags=("x",)) == {"a", "b"}
    assert found(tags=("X", "y")) == {"a"}
    assert found(origin="file") == {"c"}
    assert found(kind="code", syntax="python") == {"c"}
    assert found(language="de") == {"d"}
    assert found(since="2025") == {"b", "c", "d"}
    assert found(until="2024") == {"a"}
    assert found(since="2024-06-01", until="2025-12-31") == {"b"}


CODE_NOTE = (
    f"# Timetable\n\n{FERRY}\n\n```py\ndef ferry():\n    return 9\n```\n\n"
    f"# Prices\n\nThe ferry is free.\n\n# Start\n\nThe ferry starts so:\n\n```console\n$ ferry\n```\n"
)


def test_a_language_finds_its_source_files_and_the_passages_with_code_in_it(
    kept: SqliteLibrary,
) -> None:
    kept.add([
        page("https://a.example/", CODE_NOTE),
        page("https://b.example/", "The ferry is written in python."),
        Document("file:///c.py", "c", "def ferry():\n    return 9", Origin.FILE, DocumentKind.CODE, "python"),
        Document("file:///d.sh", "d", "ferry --now", Origin.FILE, DocumentKind.CODE, "shell"),
    ])  # fmt: skip

    def found(syntax: str) -> set[tuple[str, str]]:
        wanted = Filters(syntax=syntax)
        hits, records = kept.search("ferry", 10, wanted, passages_each=9), kept.documents(wanted)
        assert {hit.url for hit in hits} == {record.url for record in records}
        return {(hit.url, hit.heading) for hit in hits}

    python = {("https://a.example/", "Timetable"), ("file:///c.py", "def ferry():")}
    assert found("python") == found("py") == python
    assert found("bash") == {("https://a.example/", "Start"), ("file:///d.sh", "ferry --now")}
    assert found("rust") == set()


def test_code_that_is_cut_is_in_its_language_everywhere(kept: SqliteLibrary) -> None:
    source = "\n\n".join(
        f"def ferry{i}():\n    " + "leave(quay, morning, tide)\n    " * 30 for i in range(6)
    )
    kept.add([page("https://a.example/", f"Thus:\n\n```python\n{source}\n```\n")])
    hits = kept.search("leave", 20, Filters(syntax="python"), passages_each=20)
    assert len(hits) == kept.stats().passages > 3


def test_code_is_found_by_parts_of_names(kept: SqliteLibrary) -> None:
    source = "def parseTimetable(ferryName):\n    return ferryName"
    kept.add([Document("file:///c.py", "c.py", source, Origin.FILE, DocumentKind.CODE, "python")])
    (hit,) = kept.search("timetable", 10)
    assert (hit.heading, hit.syntax) == ("def parseTimetable(ferryName):", "python")


def test_folders_are_kept_beside_the_documents(kept: SqliteLibrary) -> None:
    kept.book.store_folder(Folder("/notes", ("*.md",)))
    kept.add([page("https://a.example/", FERRY)])
    assert kept.book.folders() == (Folder("/notes", ("*.md",)),)
    kept.clear()
    assert kept.book.folders() == ()


AGED, NEW = NOW - timedelta(days=373), NOW - timedelta(days=364)
DUE = NOW - timedelta(days=366)


def passing(
    name: str, read: datetime = AGED, *, in_passing: bool = True, **fields: object
) -> Document:
    text = f"The ferry to {name} leaves at nine in the morning."
    stamp = read.isoformat(timespec="seconds")
    return Document(
        f"https://{name}.example/", name, text, "web",  # type: ignore[arg-type]
        fetched_at=stamp, in_passing=in_passing, **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def names(stored: SqliteLibrary) -> set[str]:
    return {record.title for record in stored.documents(EVERY)}


def test_what_was_read_too_long_ago_goes_and_nothing_else(kept: SqliteLibrary) -> None:
    kept.add([
        passing("old"), passing("new", NEW), passing("own", in_passing=False), passing("tagged", tags=("keep",)),
    ])  # fmt: skip
    kept.prune()
    kept.prune(0)
    assert names(kept) == {"old", "new", "own", "tagged"}
    kept.prune(365)
    assert names(kept) == {"new", "own", "tagged"}
    assert kept.search("ferry old", 10, EVERY)[0].title != "old"
    assert kept.check() == ()


def test_what_is_added_later_stays_whatever_a_search_reads_of_it(kept: SqliteLibrary) -> None:
    kept.add([passing("first"), passing("second")])
    (added,) = kept.add([passing("first", in_passing=False)])
    assert added.outcome is AddOutcome.UNCHANGED
    kept.add([passing("first"), passing("second")])
    kept.prune(365)
    assert names(kept) == {"first"}


def test_what_is_due_goes_many_at_once_since_each_time_costs_as_much(kept: SqliteLibrary) -> None:
    kept.add([passing(f"p{n}", DUE) for n in range(99)])
    kept.prune(365)
    assert len(names(kept)) == 99
    kept.add([passing("last", DUE)])
    kept.prune(365)
    assert names(kept) == set()


def test_what_was_tagged_once_is_somebodys_own(kept: SqliteLibrary) -> None:
    (added,) = kept.add([passing("tagged")])
    kept.tag(added.id, ["mine"], [])
    kept.tag(added.id, [], ["mine"])
    kept.prune(365)
    assert names(kept) == {"tagged"}


def test_what_is_read_again_is_counted_from_then(kept: SqliteLibrary) -> None:
    kept.add([passing("read")])
    kept.add([passing("read", NEW)])
    kept.prune(365)
    assert names(kept) == {"read"}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("東京の人口は約千四百万人です。首都として知られています。", "東京の人口"),
        ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "เมืองหลวง"),
        ("서울은 대한민국의 수도이며 인구가 가장 많은 도시이다.", "서울의 인구"),
        ("Москва является столицей России и крупнейшим городом страны.", "столица России"),
    ],
)
def test_scripts_of_all_kinds_are_found(tmp_path: Path, text: str, query: str) -> None:
    stored = library(tmp_path)
    stored.add([page("https://other.example/", FERRY), page("https://x.example/", text)])
    assert urls(stored, query) == ["https://x.example/"]


@pytest.mark.parametrize(
    "words",
    ['"', '""', "AND", "OR NOT", "ferry*", "ferry)", "(ferry", "title:ferry", "^ferry", "{", "'",
     "-", "-ferry", "NEAR(ferry mill)", "ferry\x00mill", "the of and", "\ud800", "x" * 5000],
)  # fmt: skip
def test_nothing_that_is_typed_is_syntax_of_the_index(tmp_path: Path, words: str) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    assert set(urls(stored, words)) <= {"https://a.example/"}


def test_common_words_ask_only_where_there_is_no_rare_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_search, "FEWEST_RARE", 3)
    stored = library(tmp_path)
    stored.add([page(f"https://a.example/{i}", f"The ferry number {i}.") for i in range(20)])
    stored.add([page("https://b.example/", "The boat has a number.")])
    assert urls(stored, "ferry number boat") == ["https://b.example/"]
    assert len(urls(stored, "number ferry")) == 10
    assert len(stored.search("ferry number", 50)) == 20


def test_where_common_words_never_stand_all_together_two_of_the_rarest_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_search, "FEWEST_RARE", 2)
    stored = library(tmp_path)
    for i in range(3):
        stored.add([
            page(f"https://a.example/{i}", f"The ferry waits each morning, {i}."),
            page(f"https://b.example/{i}", f"The mill grinds in winter, {i}."),
            page(f"https://c.example/{i}", f"Sheep graze in the village, {i}."),
        ])  # fmt: skip
    stored.add([page("https://d.example/", "No ferry, no boat.")])
    found = {hit.url for hit in stored.search("ferry mill winter morning", 20)}
    assert found == {f"https://{host}.example/{i}" for host in "ab" for i in range(3)}
    # Where no two of them do, any is enough.
    assert len(stored.search("sheep winter morning", 20)) == 9
