"""The model of languages: what py3langid says, without its code, and not for longer than it is needed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from askance.text.languages import language_model
from askance.text.languages.language_model import LanguageModel, SharedModel

LIMIT_S = 30.0
TEXTS = (
    "Ready?",
    "FC Bayern",
    "WHEN WAS IT BUILT?",
    "La loi de finances de 2003, et plus.",
    "Dr Turm isch im Johr 1871 vo de Stadt baut worde. " * 20,
    "Маяк построили в 1871 году на скале.",
    "Svetionik je sagrađen 1871. godine.",
    "消費税は何パーセントですか",
    "e\u0301te\u0301",
    "\ud800 alone",
    "1871",
    "",
)


@pytest.fixture(scope="module")
def own() -> LanguageModel:
    return LanguageModel()


@pytest.fixture(scope="module")
def theirs() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@pytest.mark.parametrize("text", TEXTS)
def test_it_says_what_py3langid_says(
    text: str, own: LanguageModel, theirs: LanguageIdentifier
) -> None:
    assert own.likelihoods(text) == pytest.approx(dict(theirs.rank(text)), abs=1e-5)


def test_a_process_that_recognises_a_language_does_not_load_numpy() -> None:
    code = (
        "import sys\n"
        "from askance.text.languages.recognition import recognise\n"
        "assert recognise('Quand est-ce que le phare a été construit ?') == 'fr'\n"
        "assert not {'numpy', 'py3langid'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    made: list[object] = []

    class Small:
        def __init__(self) -> None:
            made.append(self)

    monkeypatch.setattr(language_model, "LanguageModel", Small)
    return made


def test_it_is_forgotten_once_nobody_uses_it_and_loaded_again(
    loads: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = threading.Event()
    model = SharedModel(forgotten.set)
    monkeypatch.setattr(language_model, "IDLE_S", 0.01)
    for n in (1, 2):
        model.get()
        assert len(loads) == n
        assert forgotten.wait(LIMIT_S)
        assert not model.is_loaded
        forgotten.clear()


def test_it_is_loaded_once_while_it_is_used(loads: list[object]) -> None:
    model = SharedModel(lambda: None)
    assert model.get() is model.get()
    assert len(loads) == 1
    model.forget()
    assert not model.is_loaded


def test_a_full_disk_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(OSError, match="missing"):
        LanguageModel()
