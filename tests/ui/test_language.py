"""Which language is spoken, and what it gives beside words: plurals, numbers, dates, Qt's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication

from askance.domain.conversation import Outcome, ParsedCommand, Usage
from askance.domain.errors import ServiceDown
from askance.domain.events import Answered, Failed, Warned, WarningCode
from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import from_record, to_record
from askance.domain.messages import NOTHING, FixKind, Message, Remedy
from askance.engine.answer import report_nothing
from askance.presentation.answers import in_own_words
from askance.presentation.i18n import day_of, duration, plural, quoted, tr, translated
from askance.ui.overlay.conversation.exchange import ExchangeModel
from askance.ui.shell.catalogues import Catalogue, chosen, use_language


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    use_language(qapp, "de")
    yield
    use_language(qapp, "en")


@pytest.mark.parametrize(
    ("wanted", "system", "spoken"),
    [
        ("de", ["en-GB"], "de"),
        ("de_AT", [], "de-AT"),
        ("en", ["de-DE"], "en"),
        ("", ["de-DE", "en"], "de-DE"),
        ("", ["fr-FR", "de-CH", "en"], "de-CH"),
        ("", ["en-GB", "de"], "en-GB"),
        ("", ["fr-FR"], "en"),
        ("", [], "en"),
        ("fr", ["de-DE"], "en"),
        ("none of them", ["de-DE"], "en"),
    ],
)
def test_the_setting_decides_and_then_the_systems_languages(
    wanted: str, system: list[str], spoken: str
):
    assert chosen(wanted, system) == spoken


@pytest.mark.usefixtures("german")
def test_german_has_its_words_numbers_plurals_and_dates():
    assert tr("Settings") == "Einstellungen"
    template = "The prompt has {needed} tokens; the context of {model} holds {available}."
    filled = tr(template, needed=1204, model="wren", available=2.5)
    assert filled == "Die Eingabe hat 1.204 Token; der Kontext von wren fasst 2,5."
    assert plural("{n} page", "{n} pages", 1) == "1 Seite"
    assert plural("{n} page", "{n} pages", 0) == "0 Seiten"
    assert plural("{n} page", "{n} pages", 2**40) == "1.099.511.627.776 Seiten"
    assert duration(1840) == "1,8 s"
    assert day_of("1981-05-12") == "12. Mai 1981"
    assert quoted(["a", "b"]) == "„a“, „b“"
    assert tr("") == ""


@pytest.mark.usefixtures("german")
def test_sentences_from_below_are_german_too():
    error = ServiceDown(
        "Ollama",
        "http://127.0.0.1:11434",
        Message(
            "{service} does not answer at {address}.",
            service="Ollama",
            address="http://127.0.0.1:11434",
        ),
        fix=Message(
            "Start it with `ollama serve` ({address} has it), or set llm.url.",
            address="https://ollama.com/download",
        ),
    )
    assert translated(error) == (
        "Ollama antwortet nicht unter http://127.0.0.1:11434. `ollama serve` startet Ollama "
        "(zu haben unter https://ollama.com/download); ist es woanders, gehört seine Adresse in llm.url."
    )
    limit = Message("The limit of {n} model tokens was reached.", n=30_000)
    assert translated(limit) == ("Die Grenze von 30.000 Modell-Token ist erreicht.")


def test_a_country_writes_numbers_in_its_own_way():
    assert Catalogue(QLocale("de-CH")).number(0.5, 1) == "0.5"
    assert Catalogue(QLocale("de-AT")).date(date(2026, 1, 2)) == "2. Jänner 2026"


def test_a_text_without_translation_is_english():
    catalogue = Catalogue(QLocale("de"))
    assert catalogue.text("{n} dogs bark") == "{n} dogs bark"
    assert catalogue.plural("{n} dog", "{n} dogs", 1) == "{n} dog"
    assert catalogue.plural("{n} dog", "{n} dogs", 2) == "{n} dogs"


def test_a_catalogue_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(OSError, match=r"askance_de\.qm"):
        Catalogue(QLocale("de"), tmp_path)


def test_qts_own_texts_follow_and_english_brings_them_back(qapp: QApplication):
    def undo() -> str:
        return QCoreApplication.translate("QWidgetTextControl", "&Undo")

    use_language(qapp, "de")
    use_language(qapp, "de")
    assert undo() == "&Rückgängig"
    use_language(qapp, "en")
    assert undo() == "&Undo"
    assert tr("Settings") == "Settings"


def answered(
    text: str, outcome: Outcome, sources: tuple[Source, ...] = (), opening: Message = NOTHING
) -> Answered:
    at = text.find("Skarne")
    citation = Citation(1, "Skarne is high.", at, at + 15, Support.SUPPORTED)
    citations = (citation,) if sources else ()
    usage = Usage()
    return Answered(text, sources, citations, outcome, 1, usage, (), 900, opening=opening)


@pytest.mark.usefixtures("german")
def test_the_sentence_before_quoted_passages_is_german_and_their_citations_move_along():
    sources = (Source(1, "https://a.example/", "Skarne", "a.example"),)
    ours = Message.joined(
        Message("No model is available."),
        Message("Best passages:"),
    )
    text = f"{ours}\n\n> Skarne is high. [1]"
    reported, citations = in_own_words(answered(text, Outcome.PASSAGES_ONLY, sources, ours))
    assert reported.startswith("Kein Modell ist verfügbar. Die besten Textstellen:\n\n> Skarne")
    assert reported[citations[0].start : citations[0].end] == "Skarne is high."


@pytest.mark.usefixtures("german")
def test_what_a_model_wrote_stays_as_it_is():
    nothing = report_nothing(["it"])
    assert in_own_words(answered(nothing, Outcome.INSUFFICIENT, opening=nothing)) == (
        "Dazu war im Web nichts zu finden. Gesucht wurde nach “it”.",
        (),
    )
    assert in_own_words(answered("The page is empty.", Outcome.HISTORY))[0] == "The page is empty."


@pytest.mark.usefixtures("german")
def test_what_a_run_says_is_german_when_it_happens_and_when_it_was_kept():
    problem = Message("Nothing answers at {address}.", address="http://a.example")
    warned = Warned(
        WarningCode.SEARCH_FAILED, Message("A search failed: {problem}", problem=problem)
    )
    fix = Remedy("Run `askance doctor`.", command="askance doctor")
    failed = Failed(Message("No language model is set up."), fix)
    retained = [from_record(json.loads(json.dumps(to_record(e, 1.0)))) for e in (warned, failed)]
    for events in ([warned, failed], retained):
        view = ExchangeModel(ParsedCommand("search", "Why?")).take((1.0, event) for event in events)
        assert list(view.notes) == [
            "Eine Suche ist fehlgeschlagen: Unter http://a.example antwortet nichts."
        ]
        assert view.failure is not None
        assert view.failure.problem == "Es gibt keine Antwort."
        assert view.failure.quick_fix is FixKind.DIAGNOSE
