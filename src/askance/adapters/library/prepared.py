"""What the library stores beside a text: its language, its passages, and the stems by which these are found.

It takes most of the processor time of adding a document and needs no database: another process can do it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

from askance.domain.characters import storable
from askance.domain.library import Prepared, PreparedPassage
from askance.text.languages.recognition import language_of_document
from askance.text.ranking.index_terms import count_words, index_terms
from askance.text.ranking.passages import cut_document, fenced_blocks, spelled_out, syntaxes_within

_FAST = 3


def passage_of(text: str, heading: str, start: int, stop: int) -> str:
    """Return a passage of a text as it is indexed and embedded: under its heading."""
    return f"{heading}\n{text[start:stop]}" if heading else text[start:stop]


def stems_of(passage: str, language: str, *, is_code: bool) -> str:
    """Return what a passage is found by, as one column of the index."""
    return " ".join(index_terms(spelled_out(passage) if is_code else passage, language))


def prepare(given: str, declared: str, *, is_code: bool) -> Prepared:
    """Return what is stored beside a text; `declared` is the language that it says it is in, if any."""
    text = storable(given)
    language = language_of_document(declared, text)
    chunks = cut_document(text, is_code=is_code)
    spans = [(chunk.start, chunk.end) for chunk in chunks]
    syntaxes = [""] * len(chunks) if is_code else _syntaxes(text, spans)
    passages = tuple(
        PreparedPassage(
            chunk.start,
            chunk.end,
            chunk.heading,
            names,
            stems_of(
                passage_of(text, chunk.heading, chunk.start, chunk.end), language, is_code=is_code
            ),
        )
        for chunk, names in zip(chunks, syntaxes, strict=True)
    )
    packed = zlib.compress(text.encode(), _FAST)
    return Prepared(language, count_words(text), packed, passages)


def prepare_all(texts: Iterable[tuple[str, str, bool]]) -> list[Prepared]:
    """Return what `prepare` does of each text, its declared language, and whether it is code."""
    return [prepare(text, declared, is_code=is_code) for text, declared, is_code in texts]


def _syntaxes(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the programming languages of the code in each passage of a Markdown text, as they are stored.

    Each stands between spaces, so that one is found by its name and the spaces around it.
    """
    found = syntaxes_within(list(fenced_blocks(text)), spans)
    return [f" {' '.join(names)} " if names else "" for names in found]
