"""The German catalogue: nothing missing, nothing left over, values and commands all there."""

from __future__ import annotations

import re
import string
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtGui import QRawFont
from PySide6.QtWidgets import QApplication
from tools.catalogue import LANGUAGES, Key, Text, compiled, main, texts, translations, write

from askance.ui.shell.catalogues import CONTEXT, TRANSLATED

# Commands, addresses and names of settings: what is typed as it stands.
_TYPED = re.compile(
    r"`\w[^`]*[ /.:][^`]*`|https?://(?:[\w-]+(?:\.[\w-]+)+(?:/[\w-]+)*)?|ASKANCE_\w+|(?<![\w}])/[a-z]{3,}\b"
    r"|\b(?:llm|search|reader|limits|evidence|services|window)\.[a-z_]+"
)
CATALOGUES = [LANGUAGES / f"askance_{name}.ts" for name in TRANSLATED]


@cache
def wanted() -> list[Text]:
    """Return the texts of the program: reading all of its modules takes seconds."""
    return list(texts())


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def forms(file: Path) -> list[tuple[Text, str]]:
    """Every form of every translation, with its text."""
    known = translations(file)
    return [(text, form) for text in wanted() for form in known.get(text.key, ())]


@pytest.fixture(params=CATALOGUES, ids=lambda file: file.stem)
def catalogue(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_no_text_is_missing_and_none_is_left_over(catalogue: Path):
    known = translations(catalogue)
    assert [text.source for text in wanted() if text.key not in known] == []
    assert known.keys() - {text.key for text in wanted()} == set()
    assert len(known) > 600


def test_a_plural_has_a_form_for_one_and_a_form_for_many(catalogue: Path):
    known = translations(catalogue)
    plurals = [text for text in wanted() if text.singular]
    assert len(plurals) > 20
    for text in plurals:
        assert len(known[text.key]) == 2, text.source
        assert all("{n}" in form for form in known[text.key] if "{n}" in text.source)
    assert all(len(known[text.key]) == 1 for text in wanted() if not text.singular)


def test_every_value_has_its_place_and_there_are_no_others(catalogue: Path):
    wrong = [
        (text.source, form)
        for text, form in forms(catalogue)
        if places(form) - places(text.source)
        or (not text.singular and places(form) != places(text.source))
    ]
    assert wrong == []


def test_what_is_typed_stays_as_it_is(catalogue: Path):
    wrong = [
        (text.source, form)
        for text, form in forms(catalogue)
        if set(_TYPED.findall(text.source)) != set(_TYPED.findall(form))
    ]
    assert wrong == []


def test_sentences_end_as_theirs_do(catalogue: Path):
    ends = (".", "?", ":", "…")

    def end(text: str) -> str:
        return text[-1] if text.endswith(ends) else ""

    assert [(t.source, form) for t, form in forms(catalogue) if end(t.source) != end(form)] == []


def test_german_is_plain():
    for _, form in forms(LANGUAGES / "askance_de.ts"):
        assert "!" not in form, form
        assert not re.search(r"\b(?:Sie|Ihr\w*|Ihnen|[Bb]itte)\b", form), form
        assert form.count("„") == form.count("“"), form
        assert "”" not in form, form
        assert form == form.strip(), form
        assert "  " not in form.replace("\n  ", "\n"), form


def test_what_the_window_reads_is_made_of_this_catalogue(catalogue: Path, tmp_path: Path):
    anew = tmp_path / "anew.qm"
    compiled(catalogue, anew)
    stored, made = QTranslator(), QTranslator()
    assert stored.load(str(catalogue.with_suffix(".qm")))
    assert made.load(str(anew))
    for text in wanted():
        for n in (1, 2) if text.singular else (-1,):
            value = made.translate(CONTEXT, text.source, text.singular or None, n)
            assert value, text.source
            assert value == stored.translate(CONTEXT, text.source, text.singular or None, n)


def test_a_new_text_is_unfinished_and_known_ones_keep_their_translation(tmp_path: Path):
    file = tmp_path / "askance_xx.ts"
    one, two = Text("One", files=["ui/a.py"]), Text("{n} twos", "{n} two", ["ui/b.py"])
    known: dict[Key, tuple[str, ...]] = {one.key: ("Eins & <zwei>",)}
    write(file, "xx", [one, two], known)
    assert translations(file) == known
    known |= {two.key: ("{n} Zwei", "{n} Zweien")}
    write(file, "xx", [two, one], known)
    assert translations(file) == known
    write(file, "xx", [two], known)
    assert translations(file) == {two.key: ("{n} Zwei", "{n} Zweien")}
    assert translations(tmp_path / "none.ts") == {}


def test_the_tool_finds_nothing_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tools.catalogue.texts", wanted)
    assert main(["--check"]) == 0
    assert "0 translations missing" in capsys.readouterr().out


def test_what_goes_on_in_another_dialogue_is_marked_alike(catalogue: Path):
    """In German a space parts the ellipsis from a whole word before it."""
    if catalogue.stem != "askance_de":
        return
    glued = [form for _, form in forms(catalogue) if re.search(r"\w…$", form)]
    assert glued == []


def test_no_other_typeface_is_needed_for_what_the_program_says(qapp: QApplication):
    # A character that ours lacks comes from another one, whose lines have another height.
    lines = [form for text in wanted() for form in (text.source, text.singular)]
    for catalogue in CATALOGUES:
        lines += [form for forms in translations(catalogue).values() for form in forms]
    face = QRawFont(str(files("askance.ui.design").joinpath("fonts", "Inter-Regular.otf")), 15)
    missing = {c for c in "".join(lines) if c != "\n" and not face.supportsCharacter(ord(c))}
    assert not missing, {f"U+{ord(c):04X}" for c in missing}
