"""Sentences from below in another language: all are known, none is made up, values come along."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from string import Formatter

import pytest

from askance.config.bounds import allowed
from askance.config.sources import field_names
from askance.domain.errors import ServiceDown
from askance.telling.retelling import NUMBERS, SAYINGS, retold
from askance.telling.sayings import foreign
from askance.telling.words import English, speak

SOURCES = Path(__file__).parents[2] / "src" / "askance"
# Where sentences for people are written, and who reads those that stay English.
BELOW = ("engine", "adapters", "extract", "config")
LEFT = {
    "adapters/storage/trace_lines.py": "`askance trace` reads traces",
    "adapters/storage/traces.py": "`askance trace` reads traces",
    "adapters/containers/engine_list.py": "a path that `askance up` prints",
    "engine/prompts.py": "the model reads them",
    "engine/run_log.py": "`askance logs app` shows the log",
    "engine/chat.py": "the model reads what the user adds",
}
LEFT_TEXTS = {
    "7 These passages fit the question best:": "two sentences, known one by one",
    "7 is not the proxy.": "a warning of the code to itself",
    "There is no service 7.": "a name typed behind `askance logs`",
    "There are 7.": "the same",
    "There is no container of 7.": "a name typed behind `askance logs`",
    "`askance up` starts it.": "the same",
}


class Marked:
    """A language that says where it was asked, and writes numbers with a comma."""

    def text(self, source: str) -> str:
        return f"«{source}»"

    def plural(self, one: str, many: str, number: int) -> str:
        return one if number == 1 else many

    def number(self, value: float, decimals: int) -> str:
        return f"{value:.{decimals}f}".replace(".", ",")

    def date(self, day: date) -> str:
        return str(day)


@pytest.fixture
def marked() -> Iterator[None]:
    speak(Marked())
    yield
    speak(English())


def test_in_english_everything_stays_as_it_was_said():
    assert retold("A search failed: Nothing answers at http://a.example.") == (
        "A search failed: Nothing answers at http://a.example."
    )


@pytest.mark.usefixtures("marked")
def test_a_sentence_is_said_anew_with_its_values():
    assert retold("No model could be found, says nobody.") == (
        "No model could be found, says nobody."
    )
    assert retold("After 1,200 rounds (limits.rounds) the evidence may still be incomplete.") == (
        "«After 1200 rounds (limits.rounds) the evidence may still be incomplete.»"
    )
    assert retold("Ollama at http://a.example was silent for 2.25 s.") == (
        "«Ollama at http://a.example was silent for 2,25 s.»"
    )


@pytest.mark.usefixtures("marked")
def test_a_sentence_within_a_sentence_is_said_anew_too():
    assert retold("A search failed: Nothing answers at http://a.example.") == (
        "«A search failed: «Nothing answers at http://a.example.»»"
    )
    assert retold("The page is empty; pages are read in this program meanwhile.") == (
        "««The page is empty.»; pages are read in this program meanwhile.»"
    )


@pytest.mark.usefixtures("marked")
def test_an_error_is_its_problem_and_its_remedy():
    error = ServiceDown(
        "Ollama", "http://a.example", "Nothing answers at http://a.example.", fix="Look again soon."
    )
    assert retold(error) == "«Nothing answers at http://a.example.» «Look again soon.»"


@pytest.mark.usefixtures("marked")
def test_what_is_known_of_several_sentences_is_said_anew():
    said = "The dog ate it. Look into the server's log."
    assert retold(said) == "The dog ate it. «Look into the server's log.»"
    assert retold(f"Make room on it. {said}") == (
        "«Make room on it.» The dog ate it. «Look into the server's log.»"
    )


@pytest.mark.usefixtures("marked")
def test_words_of_others_stay_as_they_are():
    for said in ("", "7", "All in all, a fine day. Nothing failed.", "x" * 5000):
        assert retold(said) == said


@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize("saying", SAYINGS)
def test_every_saying_is_recognised_as_itself(saying: str):
    def value(name: str) -> str:
        if name in NUMBERS or name in {"port", "status"}:
            return "7"
        return "http://a.example" if name == "address" else f"<{name}>"

    names = {name: value(name) for _, name, _, _ in Formatter().parse(saying) if name}
    # Places lose their names when they are filled: what counts is that the words are these.
    said = saying.format_map(names) if names else saying
    assert retold(said).replace("«", "").replace("»", "") == said
    assert retold(said).startswith("«")


@pytest.mark.usefixtures("marked")
def test_what_a_setting_may_be_is_known():
    may = {allowed(*name.split(".")) for name in field_names()}
    assert [m for m in may if not retold(f"must be {m}").startswith("«")] == []


def flat(node: ast.AST, hole: str) -> str:
    """Return a text of the code with something in the place of each value."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(flat(p, hole) if isinstance(p, ast.Constant) else hole for p in parts)
        case _:
            return ""


def written(*folders: str) -> Iterator[tuple[str, ast.AST]]:
    """Every text in the code that is no docstring, and the file where it stands."""
    for folder in folders:
        for path in sorted((SOURCES / folder).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            within = {
                id(part)
                for node in ast.walk(tree)
                if isinstance(node, ast.JoinedStr | ast.Expr)
                for part in ast.iter_child_nodes(node)
                if isinstance(part, ast.Constant)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in within:
                    yield path.relative_to(SOURCES).as_posix(), node


def test_no_saying_is_one_that_nobody_says():
    texts = [flat(node, "\0").strip() for _, node in written(*BELOW, "domain", "ui")]
    texts = [text for text in texts if len(text.replace("\0", "")) >= 4]
    patterns = [
        re.compile(".*".join(map(re.escape, text.split("\0"))), re.DOTALL)
        for text in texts
        if len(text.replace("\0", "")) >= 12
    ]

    def is_said(saying: str) -> bool:
        if saying.startswith("must be "):
            return True  # composed: see the test of what settings may be
        literals = (part for part, _, _, _ in Formatter().parse(saying))
        words = [w for part in literals if len(w := part.strip(" .,;:()'“”=")) >= 4]
        return any(pattern.fullmatch(saying) for pattern in patterns) or (
            bool(words) and all(any(word in text for text in texts) for word in words)
        )

    unsaid = [s for s in SAYINGS if s not in foreign.SAYINGS and not is_said(s)]
    assert unsaid == []


@pytest.mark.usefixtures("marked")
def test_every_sentence_from_below_is_known_or_left_for_a_reason():
    unknown: list[str] = []
    for file, node in written(*BELOW):
        said = flat(node, "7").strip()
        if file in LEFT or said in LEFT_TEXTS or not re.fullmatch(r"[A-Z7`].* .*[.:]", said):
            continue
        # Values that may be missing leave a text that no single saying fits.
        pattern = re.compile(".+".join(map(re.escape, flat(node, "\0").split("\0"))), re.DOTALL)
        if "«" not in retold(said) and not any(map(pattern.match, SAYINGS)):
            unknown.append(f"{file}: {said}")
    assert unknown == []
