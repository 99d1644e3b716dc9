"""The token's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.domain.errors import SettingsError
from askance.reader_service.secret import read_token


def test_space_around_a_token_does_not_count(tmp_path: Path):
    file = tmp_path / "token"
    file.write_bytes(b"\n  s3cret-_~ \r\n")
    assert read_token(file).opens("Bearer s3cret-_~")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"two words", "more than one word"),
        (b"two\nlines", "more than one word"),
        ("café".encode(), "more than one word"),
        (b"\xff\xfe", "is not text"),
        (b"x" * 1001, "more than one word"),
    ],
)
def test_a_file_without_a_token_is_told(tmp_path: Path, content: bytes, problem: str):
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=problem) as caught:
        read_token(file)
    assert str(file) in str(caught.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path):
    for file in (tmp_path / "none", tmp_path):
        with pytest.raises(SettingsError, match="cannot be read"):
            read_token(file)
