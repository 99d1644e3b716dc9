"""How many queries lose a word because an unrelated talk with the model stands in the conversation.

    python -m bench.question_privacy FOLDER [CODE...]

`FOLDER` has the files of XQuAD (`xquad.en.json`, …). A question about one article is a message to the model,
and the first sentence of its paragraph, or all of the paragraph, the answer from memory; a question about
another article is what a plan would search.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askance.engine.query_privacy import PrivateWords
from askance.text.languages.sentences import sentences

SAMPLES = 400
_SEED = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of an article, and questions about it."""

    text: str
    questions: Sequence[str]


def articles_of(file: Path) -> list[list[Paragraph]]:
    """Return the paragraphs of each article of a file of XQuAD."""
    data: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["data"]
    return [
        [Paragraph(p["context"], [q["question"] for q in p["qas"]]) for p in article["paragraphs"]]
        for article in data
    ]


def losses(articles: Sequence[Sequence[Paragraph]], *, whole: bool) -> Iterator[tuple[str, ...]]:
    """Yield for each sample what was held back of a query beside an unrelated talk."""
    chance = random.Random(_SEED)  # noqa: S311 - samples
    for _ in range(SAMPLES):
        reported, asked = chance.sample(range(len(articles)), 2)
        paragraph = chance.choice(articles[reported])
        answer = paragraph.text if whole else sentences(paragraph.text)[0]
        turn = f"{chance.choice(paragraph.questions)}\n{answer}"
        question, query = (
            chance.choice(chance.choice(articles[asked]).questions) for _ in range(2)
        )
        yield PrivateWords(question, [turn], []).screen(query).held_back


def share(articles: Sequence[Sequence[Paragraph]], *, whole: bool) -> float:
    """Return the share of queries that lose a word, in percent."""
    return 100 * sum(map(bool, losses(articles, whole=whole))) / SAMPLES


def main(arguments: Sequence[str]) -> None:
    """Print a row of the table for each language."""
    folder, *codes = arguments
    files = sorted(Path(folder).glob("xquad.*.json"))
    sys.stdout.write("| language | a sentence | a paragraph |\n|---|---|---|" + "\n")
    for file in files:
        code = file.suffixes[0].lstrip(".")
        if not codes or code in codes:
            articles = articles_of(file)
            shares = (share(articles, whole=whole) for whole in (False, True))
            sys.stdout.write(
                f"| {code} | {' | '.join(f'{found:.1f}' for found in shares)} |" + "\n"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
