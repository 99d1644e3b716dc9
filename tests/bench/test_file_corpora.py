"""The bench of people's files: shares of a peer's words, refused files counted in."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import file_corpora
from servers.office import docx


def test_a_file_counts_by_the_words_that_its_peer_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.docx").write_bytes(docx("The ferry leaves at nine."))
    (tmp_path / "bad.docx").write_bytes(b"PK\x03\x04 damaged")
    (tmp_path / "unread.docx").write_bytes(b"PK\x03\x04 damaged for both")
    (tmp_path / "other.bin").write_bytes(b"x")
    values = {"good.docx": "Top The FERRY leaves ferry", "bad.docx": "two words"}
    monkeypatch.setattr(file_corpora, "pandoc", lambda _: lambda path: values.get(path.name))
    file_corpora.main([str(tmp_path), "--pandoc", "pandoc", "--least", "0.5"])
    reported = capsys.readouterr()
    assert f"| DOCX | {tmp_path.name} | pandoc | 2 | 1 | 0.400 | 0.571 |" in reported.out
    assert "bad.docx" in reported.err


def test_the_text_of_all_parts_is_read(tmp_path: Path) -> None:
    body = "".join(f"<w:p><w:r><w:t>Word{n}.</w:t></w:r></w:p>" for n in range(6_000))
    path = tmp_path / "long.docx"
    path.write_bytes(docx("The ferry.", body=body))
    text, why = file_corpora.read(path)
    assert "Word5999" in text
    assert not why
