"""Questions and sentences that people wrote, read from folders with checkouts of public projects."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Tatoeba's codes of three letters. Norwegian is one language here, in both of its forms.
_CODES = {
    "afr": "af", "ara": "ar", "ast": "ast", "aze": "az", "bel": "be", "ben": "bn", "bos": "bs", "bre": "br",
    "bul": "bg", "cat": "ca", "ces": "cs", "cmn": "zh", "cym": "cy", "dan": "da", "deu": "de", "ell": "el",
    "eng": "en", "epo": "eo", "est": "et", "eus": "eu", "fao": "fo", "fin": "fi", "fra": "fr", "fry": "fy",
    "gla": "gd", "gle": "ga", "glg": "gl", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "hye": "hy",
    "ind": "id", "isl": "is", "ita": "it", "jpn": "ja", "kat": "ka", "kaz": "kk", "khm": "km", "kor": "ko",
    "lat": "la", "lit": "lt", "lvs": "lv", "mal": "ml", "mar": "mr", "mkd": "mk", "mon": "mn", "nld": "nl",
    "nno": "nb", "nob": "nb", "oci": "oc", "pes": "fa", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru",
    "slk": "sk", "slv": "sl", "spa": "es", "sqi": "sq", "srp": "sr", "swe": "sv", "swh": "sw", "tam": "ta",
    "tat": "tt", "tel": "te", "tgl": "tl", "tha": "th", "tur": "tr", "uig": "ug", "ukr": "uk", "urd": "ur",
    "uzb": "uz", "vie": "vi", "yid": "yi", "zsm": "ms",
}  # fmt: skip
_SAME = {"nn": "nb"}
_IS_QUESTION = re.compile(r"[?\uff1f\u061f\u055e]\W{0,3}\Z")


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and the language that its project says it is in."""

    code: str
    text: str
    is_question: bool


@dataclass(frozen=True, slots=True)
class Passages:
    """The paragraphs of XQuAD in one language, and each question with the place of its paragraph."""

    paragraphs: list[str]
    questions: list[tuple[str, int]]


def tatoeba(folder: Path) -> Iterator[Text]:
    """Yield the lines of LASER's `data/tatoeba/v1`, once each; of English those that have German or French."""
    for path in sorted((folder / "data/tatoeba/v1").iterdir()):
        code = _CODES.get(path.suffix[1:])
        if code is None or (code == "en" and path.stem[8:11] not in {"deu", "fra"}):
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            is_question = bool(_IS_QUESTION.search(line)) or (
                code == "el" and line.rstrip().endswith((";", "\u037e"))
            )
            yield Text(code, line.strip(), is_question)


def lingua(folder: Path) -> Iterator[Text]:
    """Yield the sentences that lingua-py is tested with."""
    for path in sorted((folder / "language-testdata/sentences").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield Text(_SAME.get(path.stem, path.stem), line.strip(), is_question=False)


def miracl(folder: Path) -> Iterator[Text]:
    """Yield the questions of MIRACL, those for development, from anserini-tools."""
    for path in sorted((folder / "topics").glob("topics.miracl-v1.0-*-dev.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield Text(path.name.split("-")[2], line.partition("\t")[2].strip(), is_question=True)


def qald(folder: Path) -> Iterator[Text]:
    """Yield the questions of QALD-9-plus."""
    for question in _loaded(folder / "data/qald_9_plus_test_dbpedia.json")["questions"]:
        for version in question["question"]:
            yield Text(version["language"], version["string"].strip(), is_question=True)


def natural_questions(path: Path) -> list[str]:
    """Return the questions of NQ-open, which are English and were typed into a search engine."""
    return [json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines()]


def fast_questions(path: Path) -> list[str]:
    """Return the questions of FreshQA whose answers change within a year."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            row["question"] for row in csv.DictReader(file) if row["fact_type"] == "fast-changing"
        ]


def xquad(folder: Path, code: str) -> Passages:
    """Return XQuAD in one language."""
    paragraphs: list[str] = []
    questions: list[tuple[str, int]] = []
    for article in _loaded(folder / f"xquad.{code}.json")["data"]:
        for paragraph in article["paragraphs"]:
            questions += [(asked["question"], len(paragraphs)) for asked in paragraph["qas"]]
            paragraphs.append(paragraph["context"])
    return Passages(paragraphs, questions)


def _loaded(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
