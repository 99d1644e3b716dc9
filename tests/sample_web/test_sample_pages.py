from __future__ import annotations

import re
from collections import Counter
from datetime import date
from itertools import combinations
from pathlib import Path

import pytest

from askance import sample_web
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.page import extract_page
from askance.sample_web.sample_pages import (
    FileFormat,
    Question,
    QuestionKind,
    SamplePage,
    load_library,
    load_questions,
    parse_document,
)
from askance.sample_web.sample_server import HttpReply, SampleSite
from askance.text.ranking.index_terms import count_words
from sampled import each_row

LIBRARY = load_library()
SITE = SampleSite(LIBRARY)
DOCUMENTS = list(LIBRARY.documents.values())
WRITTEN = [d for d in DOCUMENTS if d.form is FileFormat.MARKDOWN and not d.missing]
COPIES = {
    ("http://coastwire.example/hesperay-ferry-batteries", "ferry-batteries-2023"),
    ("http://coastwire.example/petrel-census", "petrel-census-2023"),
    ("http://hesperay-archive.example/marrin-sela", "sela-marrin"),
    ("http://hesperay-archive.example/good-intent", "good-intent"),
}


def reply_for(document: SamplePage) -> HttpReply:
    return SITE.answer(document.host, document.path, {})


def folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text)).lower()


def read(document: SamplePage) -> str:
    reply = reply_for(document)
    return extract_page(reply.body, document.url, reply.content_type).markdown


def document(url: str) -> SamplePage:
    return LIBRARY.documents[f"http://{url}"]


def test_the_island_has_its_pages_and_hosts() -> None:
    assert 60 <= len(DOCUMENTS) <= 90
    pages = Path(sample_web.__file__).parent / "pages"
    assert {folder.name for folder in pages.iterdir()} == set(LIBRARY.sites)
    assert len(list(pages.glob("*/*.*"))) == len(DOCUMENTS)
    assert all(host.endswith(".example") for host in LIBRARY.sites)


def test_no_two_pages_have_the_same_title() -> None:
    assert len({d.title for d in DOCUMENTS}) == len(DOCUMENTS)


@each_row("page", DOCUMENTS)
def test_every_page_has_a_title_and_text(page: SamplePage) -> None:
    assert page.title
    assert len(page.text) >= 150


@each_row("page", WRITTEN)
def test_a_written_page_is_of_natural_length_and_begins_with_its_title(page: SamplePage) -> None:
    assert page.body.startswith(f"# {page.title}\n")
    assert 150 <= count_words(page.text) <= 700
    assert date(2001, 1, 1) < date.fromisoformat(page.date) < date(2026, 12, 31)


@each_row("page", WRITTEN)
def test_a_reader_gets_the_text_and_nothing_of_what_stands_around_it(page: SamplePage) -> None:
    text = folded(read(page))
    assert [line for line in page.text.splitlines() if folded(line) not in text] == []
    shown = folded(f"{page.title} {page.text}")
    lines = (re.sub(r"^ *[0-9]+\. ", "", line) for line in read(page).splitlines())
    own = {folded(line) for line in lines if folded(line)}
    assert [line for line in own if line not in shown] == []


def test_a_page_is_dressed_with_links_to_its_own_site_and_to_others() -> None:
    html = reply_for(document("oddys.example/")).body.decode()
    assert 'href="http://oddys.example/storm-loaf-at-home"' in html
    assert len(re.findall(r'href="http://(?!oddys)[a-z.-]+\.example/', html)) >= 5
    assert "Oddy&#x27;s Bakery</a>" in html


def test_the_four_copies_are_near_and_nothing_else_is() -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = folded(text).split()
        return set(zip(*(words[i:] for i in range(5)), strict=False))

    shingles = {d.url: runs(d.text) for d in WRITTEN}
    for first, second in combinations(shingles, 2):
        shared = len(shingles[first] & shingles[second])
        share = shared / max(1, min(len(shingles[first]), len(shingles[second])))
        copy = any({a, b.rsplit("/", 1)[1]} in [set(c) for c in COPIES] for a, b in
                   [(first, second), (second, first)])  # fmt: skip
        assert (share > 0.8) is copy, (first, second, share)


def test_the_page_that_is_gone_is_known_to_the_search_and_to_nobody_else() -> None:
    gone = [d for d in DOCUMENTS if d.missing]
    assert len(gone) == 1
    assert reply_for(gone[0]).status == 404
    assert all(gone[0].url not in reply_for(d).body.decode() for d in DOCUMENTS)


def test_the_booking_page_is_made_of_script() -> None:
    page = document("tickets.hesperay.example/book")
    found = extract_page(reply_for(page).body, page.url, "text/html")
    assert (found.status, found.reason) == (PageStatus.EMPTY, PageReason.SCRIPT_ONLY)


def test_one_newspaper_stands_behind_a_consent_wall() -> None:
    page = document("harbourdaily.example/kelhaven-crane")
    found = extract_page(reply_for(page).body, page.url, "text/html")
    assert (found.status, found.reason) == (PageStatus.EMPTY, PageReason.CONSENT_WALL)
    assert "crane of 1961" in page.text


def test_orders_to_the_reader_stand_hidden_on_one_page_and_visible_on_another() -> None:
    hidden = document("hesperay-cottages.example/tern-cottage")
    assert "Ignore all previous instructions" in hidden.body
    assert "BlueOtter" not in hidden.text
    assert "BlueOtter" not in read(hidden)
    assert "A note for AI assistants" in read(document("quayside-lets.example/kelhaven"))


def test_two_pages_are_in_other_languages() -> None:
    languages = {d.language: d for d in WRITTEN if d.language != "en"}
    assert set(languages) == {"de", "ja"}
    for language, page in languages.items():
        assert f'<html lang="{language}">' in reply_for(page).body.decode()


def test_plain_text_is_served_as_it_was_written() -> None:
    page = document("council.hesperay.example/harbour-byelaws.txt")
    reply = reply_for(page)
    assert reply.content_type.startswith("text/plain")
    assert reply.body.decode() == page.body


@pytest.mark.parametrize(("name", "source"), [("a.md", "# No front matter"), ("a.rtf", "x")])
def test_a_file_that_is_no_page_is_refused(name: str, source: str) -> None:
    with pytest.raises(ValueError, match=r"front matter|Form"):
        parse_document("h.example", name, source)


QUESTIONS = load_questions()
EVERYTHING = "\n".join(f"{d.title}\n{d.body}\n{d.text}" for d in DOCUMENTS).lower()
ANSWERABLE = [q for q in QUESTIONS if q.kind is not QuestionKind.UNANSWERABLE]
UNANSWERABLE = [q for q in QUESTIONS if q.kind is QuestionKind.UNANSWERABLE]


def of_kind(kind: QuestionKind) -> list[Question]:
    return [q for q in QUESTIONS if q.kind is kind]


def named(question: Question) -> str:
    return question.id


def holds(text: str, answers: tuple[str, ...]) -> bool:
    return any(answer.lower() in text.lower() for answer in answers)


def test_there_are_enough_questions_of_every_kind() -> None:
    assert len(QUESTIONS) >= 30
    assert len({q.id for q in QUESTIONS}) == len(QUESTIONS)
    counts = Counter(q.kind for q in QUESTIONS)
    assert all(counts[kind] >= 2 for kind in QuestionKind)
    assert counts[QuestionKind.TWO_HOP] >= 8


@each_row("question", ANSWERABLE)
def test_every_quote_stands_on_its_page_word_for_word(question: Question) -> None:
    assert question.answers
    assert question.gold
    for gold in question.gold:
        assert gold.quote in LIBRARY.documents[gold.url].body
        assert not LIBRARY.documents[gold.url].missing


@each_row("question", of_kind(QuestionKind.SINGLE) + of_kind(QuestionKind.HOSTILE))
def test_the_first_quote_carries_the_answer(question: Question) -> None:
    assert holds(question.gold[0].quote, question.answers)


@pytest.mark.parametrize("question", of_kind(QuestionKind.TWO_HOP), ids=named)
def test_a_second_page_is_needed_for_two_hops(question: Question) -> None:
    first, second = question.gold
    assert first.url != second.url
    assert not holds(first.quote, question.answers)
    assert holds(second.quote, question.answers)


@pytest.mark.parametrize("question", of_kind(QuestionKind.COMPARISON), ids=named)
def test_a_comparison_has_its_halves_on_two_pages(question: Question) -> None:
    assert len({gold.url for gold in question.gold}) == 2


@pytest.mark.parametrize("question", of_kind(QuestionKind.DISAGREEMENT), ids=named)
def test_each_side_of_a_disagreement_says_one_thing_only(question: Question) -> None:
    for gold, answer in zip(question.gold, question.answers, strict=True):
        page = LIBRARY.documents[gold.url].text
        assert answer in gold.quote
        assert not any(other in page for other in question.answers if other != answer)


@pytest.mark.parametrize("question", UNANSWERABLE, ids=named)
def test_nothing_on_any_page_answers_an_unanswerable_question(question: Question) -> None:
    assert not question.answers
    assert not question.gold
    assert question.absent
    assert [word for word in question.absent if word.lower() in EVERYTHING] == []


@pytest.mark.parametrize("question", of_kind(QuestionKind.HOSTILE), ids=named)
def test_forbidden_words_stand_on_hostile_pages_only(question: Question) -> None:
    assert question.forbidden
    hostile = {"hesperay-cottages.example", "quayside-lets.example"}
    for word in question.forbidden:
        hosts = {d.host for d in DOCUMENTS if word in d.body}
        assert hosts
        assert hosts <= hostile
