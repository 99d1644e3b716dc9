"""What holds of vectors of passages in every store: in files, and on a Qdrant server."""

from __future__ import annotations

from adapters.storage.shelf import FERRY, MILL, MODEL, OTHER, direction, embed_all, found, page
from askance.adapters.library.library_vectors import SqliteVectors
from askance.adapters.library.qdrant_vectors import LibraryBesideQdrant
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.library import EVERY, Document, DocumentKind, Filters, Origin
from askance.domain.ports.model import VectorStore

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
SHEEP = "Sheep graze above the village all summer."


def beside(stored: SqliteLibrary) -> SqliteVectors:
    return stored.vectors if isinstance(stored, LibraryBesideQdrant) else SqliteVectors(stored)


def filled(stored: SqliteLibrary) -> VectorStore:
    stored.add([page(A, FERRY, "Ferry", "boats"), page(B, MILL, "Mill"), page(C, SHEEP, "Sheep")])
    return beside(stored)


def test_what_is_similar_is_found_the_most_similar_first(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    assert vectors.counted(MODEL) == (0, 3)
    assert embed_all(vectors) == 3
    assert vectors.counted(MODEL) == (3, 3)
    assert found(vectors, "the ferry leaves in the morning")[0] == A
    (hit,) = vectors.nearest(MODEL, direction("sheep graze"), 1, EVERY, words="sheep graze")
    assert hit.url == C
    assert 0.3 < hit.score <= 1.0
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["Sheep", "graze"]


def test_nothing_less_similar_than_asked_is_found(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    embed_all(vectors)
    assert found(vectors, "sheep graze above the village all summer", least=0.7) == [C]
    assert found(vectors, "zinc prices", least=0.7) == []


def test_each_filter_holds_for_what_is_similar(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    kept.add([Document("file:///x.py", "Ferry", "def ferry(): return 'morning'", Origin.FILE,
                       DocumentKind.CODE, "python", published="2001-02-03", language="en")])  # fmt: skip
    embed_all(vectors)
    words = "ferry morning"
    assert found(vectors, words, filters=Filters(tags=("boats",))) == [A]
    code = ["file:///x.py"]
    for filters in (
        Filters(origin="file"), Filters(kind="code"), Filters(syntax="python"), Filters(until="2001"),
    ):  # fmt: skip
        assert found(vectors, words, filters=filters) == code
    assert set(code) < set(found(vectors, words, filters=Filters(language="en")))
    assert found(vectors, words, filters=Filters(language="de")) == []
    (chosen,) = kept.find(A)
    assert found(vectors, words, filters=Filters(documents=(chosen.id,))) == [A]


def test_a_language_finds_passages_with_code_in_it_by_meaning(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    note = f"# Morning\n\n{FERRY}\n\n```py\nferry(9)\n```\n\n# Evening\n\nThe ferry leaves in the evening."
    kept.add([page("https://d.example/", note)])
    embed_all(vectors)
    hits = vectors.nearest(
        MODEL, direction(FERRY), 9, Filters(syntax="python"), words="ferry", passages_each=9
    )
    assert [(hit.url, hit.heading) for hit in hits] == [("https://d.example/", "Morning")]


def test_of_one_text_so_many_passages_are_found_as_asked(kept: SqliteLibrary) -> None:
    long = "\n\n".join(
        f"Ferry {i}. " + f"The ferry leaves pier {i} at nine. " * 60 for i in range(5)
    )
    kept.add([page(A, long, "Ferries"), page(B, MILL)])
    vectors = beside(kept)
    embed_all(vectors)
    assert found(vectors, "the ferry leaves", passages_each=1).count(A) == 1
    assert found(vectors, "the ferry leaves", passages_each=3).count(A) == 3


def test_an_earlier_text_is_not_found_and_the_new_one_waits(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    embed_all(vectors)
    kept.add([page(A, "Buses replace boats this winter.", "Ferry")])
    assert A not in found(vectors, FERRY)
    assert [p.text for p in vectors.unembedded(MODEL, 9)] == ["Buses replace boats this winter."]
    assert embed_all(vectors) == 1
    assert found(vectors, "buses this winter")[0] == A


def test_a_new_title_is_embedded_anew_and_a_new_tag_is_not(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    embed_all(vectors)
    kept.tag(kept.find(A)[0].id, ["summer"], [])
    assert vectors.unembedded(MODEL, 9) == ()
    kept.add([page(A, FERRY, "Timetable of boats")])
    assert [p.title for p in vectors.unembedded(MODEL, 9)] == ["Timetable of boats"]


def test_vectors_of_two_models_are_never_mixed(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    embed_all(vectors)
    assert found(vectors, "sheep", OTHER) == []
    assert vectors.counted(OTHER) == (0, 3)
    (sheep,) = [p for p in vectors.unembedded(OTHER, 9) if p.text == SHEEP]
    vectors.store(OTHER, [(sheep, direction("sheep"))])
    assert found(vectors, "sheep", OTHER) == [C]
    assert len(vectors.identities()) == 2
    assert kept.stats().embedded == {MODEL.model: 3}  # both have one name
    assert vectors.forget_others(OTHER) == 3
    assert kept.stats().embedded == {OTHER.model: 1}
    assert vectors.identities() == (OTHER.key,)
    assert kept.check() == ()


def test_a_passage_that_went_meanwhile_gets_no_vector(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    waiting = vectors.unembedded(MODEL, 9)
    kept.remove([kept.find(C)[0].id])
    kept.add([page("https://d.example/", "Another text takes the number of the old one.")])
    assert vectors.store(MODEL, [(p, direction(p.text)) for p in waiting]) == 2
    assert vectors.store(MODEL, [(p, direction(p.text)) for p in waiting]) == 0
    assert vectors.counted(MODEL) == (2, 3)


def test_a_library_that_is_not_there_has_no_vectors(kept: SqliteLibrary) -> None:
    vectors = beside(kept)
    assert vectors.counted(MODEL) == (0, 0)
    assert found(vectors, "ferry", filters=EVERY) == []
    assert vectors.unembedded(MODEL, 9) == vectors.identities() == ()


def test_what_is_removed_takes_its_vectors_along(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    embed_all(vectors)
    removed = kept.remove([kept.find(A)[0].id])
    assert (removed.documents, removed.vectors) == (1, 1)
    assert A not in found(vectors, "the ferry leaves in the morning")
    assert found(vectors, "sheep graze")[0] == C
    assert vectors.counted(MODEL) == (2, 2)
    assert kept.clear().vectors == 2
    assert vectors.identities() == ()
    assert kept.check() == ()


def test_what_waits_comes_once_in_an_order_that_can_be_gone_on_with(kept: SqliteLibrary) -> None:
    kept.add([page(f"https://m.example/{i}", f"ferry morning {i}") for i in range(11)])
    vectors = beside(kept)
    first = vectors.unembedded(MODEL, 4)
    rest = vectors.unembedded(MODEL, 20, first[-1].row)
    assert [len(first), len(rest)] == [4, 7]
    texts = {passage.text for passage in (*first, *rest)}
    assert texts == {f"ferry morning {i}" for i in range(11)}
    assert all(passage.around == passage.text for passage in first)
    assert vectors.store(MODEL, [(p, direction(p.text)) for p in (*first, *rest[1:])]) == 10
    assert vectors.unembedded(MODEL, 1) == rest[:1]
    assert vectors.unembedded(MODEL, 1, rest[0].row) == ()


def test_a_new_tag_and_a_new_address_hold_for_what_is_embedded(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    embed_all(vectors)
    kept.tag(kept.find(C)[0].id, ["wool"], [])
    assert found(vectors, "ferry", filters=Filters(tags=("wool",))) == [C]
    moved = Document("https://moved.example/", "Sheep", SHEEP, Origin.WEB, moved_from=C)
    kept.add([moved])
    assert found(vectors, "sheep graze")[0] == "https://moved.example/"
    assert vectors.counted(MODEL) == (3, 3)


def test_a_vector_of_other_dimensions_finds_nothing(kept: SqliteLibrary) -> None:
    vectors = filled(kept)
    embed_all(vectors)
    assert vectors.nearest(MODEL, direction("ferry", 8), 5, EVERY, words="ferry") == ()
