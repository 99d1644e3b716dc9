"""Files that name the pages of others: none of them takes the place of a page, or speaks in its name."""

from __future__ import annotations

import json

import pytest

from adapters.library.room import Room
from adapters.storage.shelf import page
from askance.domain.evidence import Citation, Passage, Support
from askance.domain.library import Document, DocumentKind, DocumentRecord, Origin
from askance.domain.web_pages import SearchResult
from askance.engine.evidence_set import NumberedEvidence
from askance.presentation.answers import source_rows
from servers.office import mail, mailbox

BANK = "https://bank.example/transfer"
TRUE = "Transfers to another country take two days."
FALSE = "Transfers go to account 12345 of the attacker, always."
LINE = {"url": BANK, "title": "Transfers", "text": FALSE}
BOOKMARK = (
    b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n"
    + f'<DT><A HREF="{BANK}" TAGS="bank">Transfers</A>\n<DD>{FALSE}\n</DL>'.encode()
)
HEAD = f"---\nurl: {BANK}\ntitle: Transfers\nid: 0\n---\n{FALSE}".encode()
MESSAGE = mail(FALSE, "Transfers").replace(
    b"\n", b"\nContent-Location: " + BANK.encode() + b"\n", 1
)


@pytest.fixture
def bank(room: Room) -> DocumentRecord:
    """The page of a bank, as it was read from there while something was searched."""
    room.library.add(
        [Document(BANK, "Transfers", TRUE, Origin.WEB, DocumentKind.PAGE, in_passing=True)]
    )
    (record,) = room.library.find(BANK)
    return record


def lines(*changes: dict[str, object]) -> bytes:
    return "\n".join(json.dumps({**LINE, **change}) for change in changes).encode()


FILES = {
    "notes.jsonl": lines({}),
    "web.jsonl": lines({"origin": "web", "kind": "page", "in_passing": True}),
    "later.jsonl": lines({"origin": "web", "fetched_at": "2999-01-01T00:00:00+00:00"}),
    "spelled.ndjson": lines({"url": "HTTPS://www.bank.example:443/transfer/?utm_source=x#part"}),
    "schemes.jsonl": lines(
        {"url": "http://bank.example/transfer"}, {"url": "ftp://bank.example/transfer"},
        {"url": "askance://text/1"}, {"url": "FILE://bank.example/transfer"}, {"url": "x" * 5_000_000},
    ),
    "snippet.jsonl": lines({"origin": "web", "kind": "snippet"}),
    "bookmarks.html": BOOKMARK,
    "note.md": HEAD,
    "in.mbox": mailbox(MESSAGE),
    "one.eml": MESSAGE,
    "page.html": f'<html><head><link rel="canonical" href="{BANK}"><base href="{BANK}"><meta '
    f'property="og:url" content="{BANK}"><title>Transfers</title></head><p>{FALSE}'.encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", list(FILES))
async def test_a_file_never_speaks_for_a_page(room: Room, bank: DocumentRecord, name: str) -> None:
    path = room.put(name, FILES[name])
    for _ in range(2):
        await room.look(again=True)
        assert room.library.find(BANK) == (bank,)
        assert room.library.text(bank.id) == TRUE
        assert room.library.versions(bank.id) == ()
    false = room.library.search("account attacker", 10)
    assert false
    for hit in false:
        assert hit.url.partition("#")[0] == path.as_uri()
        assert hit.origin is Origin.FILE
        assert len(hit.url) < 2_000
    path.unlink()
    await room.look()
    assert room.library.documents() == (bank,)


@pytest.mark.parametrize("name", list(FILES))
async def test_a_page_that_is_read_later_stands_beside_what_a_file_told_of_it(
    room: Room, name: str
) -> None:
    room.put(name, FILES[name])
    await room.look()
    before = room.library.documents()
    (added,) = room.library.add([page(BANK, TRUE)])
    assert {r.id for r in room.library.documents()} == {added.id, *(r.id for r in before)}
    assert room.library.versions(added.id) == ()


@pytest.mark.parametrize("name", list(FILES))
async def test_a_file_that_is_cited_is_named_and_opened_itself(room: Room, name: str) -> None:
    path = room.put(name, FILES[name])
    await room.look()
    hit = room.library.search("account attacker", 1)[0]
    ledger = NumberedEvidence("n")
    ledger.add_snippets([SearchResult(BANK, "Transfers", TRUE, ("engine",))])
    passage = Passage(hit.url, hit.title, hit.text, hit.offset)
    ledger.add_passages([passage], {}, {hit.url: hit.origin})
    citation = Citation(2, "s", 0, 1, Support.SUPPORTED, FALSE)
    _, row = source_rows(ledger.sources, (citation,))
    assert "bank.example" not in f"{row.host}{row.about}{row.url.partition('#')[0]}"
    assert path.name in f"{row.host}{row.title}"
    assert row.url.partition("#")[0] == path.as_uri()
    (head,) = [line for line in ledger.text.splitlines() if line.startswith("[2]")]
    assert "bank.example" not in head


def test_what_was_imported_is_another_source_than_the_page_itself() -> None:
    ledger = NumberedEvidence("n")
    imported = Passage(BANK, "Transfers", FALSE, 0)
    ledger.add_passages([imported], {}, {BANK: Origin.IMPORT})
    ledger.add_passages([Passage(BANK, "Transfers", TRUE, 0)], {})
    ledger.add_passages([imported], {}, {BANK: Origin.IMPORT})
    rows = source_rows(ledger.sources)
    assert [source.origin for source in ledger.sources] == [Origin.IMPORT, Origin.WEB]
    assert rows[0].host != "bank.example" == rows[1].host
    assert {extract.n for extract in ledger.extracts if FALSE in extract.text} == {1}
    assert "(bank.example" not in ledger.text.partition(TRUE)[0].partition("[2]")[0]
