"""Rows of the files of a folder: what is missing, or found in part only, comes first and says so."""

from __future__ import annotations

from askance.domain.library import FileRecord, FileState, Folder
from askance.domain.messages import NOTHING, Message
from askance.ui.settings.library_page import fitting, folder_row

ROOT = "/notes"


def record(name: str, state: FileState, why: str = "") -> FileRecord:
    return FileRecord(f"{ROOT}/{name}", ROOT, state, Message.verbatim(why) if why else NOTHING)


def test_what_failed_or_is_found_in_part_comes_first_and_says_so() -> None:
    row = folder_row(
        Folder(ROOT),
        (
            record("whole.pdf", FileState.INDEXED),
            record("scan.pdf", FileState.UNCHANGED, "Page 2 could not be read."),
            record("gone.pdf", FileState.FAILED, "The PDF file is damaged."),
        ),
    )
    assert [(file.name, file.shown_state, file.reason) for file in row.files] == [
        ("gone.pdf", "failed", "The PDF file is damaged."),
        ("scan.pdf", "in part", "Page 2 could not be read."),
        ("whole.pdf", "indexed", ""),
    ]
    assert row.summary == "2 files found · 1 of them in part · 1 failed"
    assert [file.name for file in fitting(row.files, "in part")] == ["scan.pdf"]
