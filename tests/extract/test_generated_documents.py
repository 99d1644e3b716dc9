"""Of any document each sentence that a person sees is kept once, apart from its neighbours."""

from __future__ import annotations

import random
import re
import time
from collections import Counter

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.page import extract_page
from extract.generated_documents import Book, OpenDocument, Word
from servers.office import DOCX, EPUB, ODT, docx, odt

KINDS = {DOCX: Word, ODT: OpenDocument, EPUB: Book}
SEEDS = 40


@pytest.mark.parametrize("kind", KINDS)
def test_every_sentence_is_kept_once_and_apart(kind: str) -> None:
    for seed in range(SEEDS):
        made = KINDS[kind](random.Random(seed))  # noqa: S311 - no secret
        found = extract_page(made.file(), "file:///x", kind)
        assert found.status is PageStatus.OK
        assert not found.detail, seed
        counts = Counter(re.findall(r"\w+", found.markdown))
        assert {word: counts[word] for word in made.shown} == dict.fromkeys(made.shown, 1), seed
        assert not [word for word in made.hidden if word in found.markdown], seed


def nested(levels: int) -> dict[str, bytes]:
    word = "<w:p><w:r><w:t>walrus</w:t></w:r></w:p>"
    cell = "<text:p>walrus</text:p>"
    box = "<w:p><w:r><w:t>walrus</w:t></w:r></w:p>"
    for _ in range(levels):
        word = f"<w:tbl><w:tr><w:tc>{word}</w:tc><w:tc>{'<w:p/>' * 2}</w:tc></w:tr></w:tbl>"
        cell = f"<table:table><table:table-row><table:table-cell>{cell}</table:table-cell></table:table-row></table:table>"
        box = f"<w:p><w:r><w:pict><w:txbxContent>{box}</w:txbxContent></w:pict></w:r></w:p>"
    return {
        f"{DOCX};tables": docx("a", body=word),
        ODT: odt("a", body=cell),
        f"{DOCX};boxes": docx("a", body=box),
    }


@pytest.mark.parametrize("levels", [16, 90, 2_000])
def test_what_is_nested_deep_is_kept_once(levels: int) -> None:
    """Sixteen levels, a file of one KiB, took a minute."""
    for kind, data in nested(levels).items():
        begun = time.process_time()
        found = extract_page(data, "file:///x", kind.partition(";")[0])
        assert found.markdown.count("walrus") == 1, kind
        assert time.process_time() - begun < 5
