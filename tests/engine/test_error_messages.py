"""What of an error message may be searched: its own words, and nothing of the machine that it was copied from."""

from __future__ import annotations

import pytest

from askance.text.message_parts import error_words


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("KeyError: 'quostobdia'", "KeyError"),
        ("java.lang.IllegalStateException: com.grimewitz.Quost is closed", "IllegalStateException"),
        ("src/a.ts(3,7): error TS2339: Property 'grimewitz' does not exist on type 'Quost'.",
         "TS2339 error Property does not exist on type"),
        ("Installation failed with error 0x80070643", "0x80070643 failed with error"),
        ("Process finished with exit code 137", "exit code 137"),
        ("GET http://quost.example/ 503 Service Unavailable", "503 Service Unavailable"),
        ("listen EADDRINUSE: address already in use :::3000", "EADDRINUSE address already in use"),
        ("ERROR: No matching distribution\nValueError: torch==2.1.0", "ValueError ERROR No matching distribution torch 2.1.0"),
    ],
)  # fmt: skip
def test_a_class_a_code_and_common_words_are_searched(text: str, query: str) -> None:
    assert error_words(text).query == query


@pytest.mark.parametrize(
    "text",
    [
        "My door has the code 4711, and the policy is E4471.",
        "Dear Error, the invoice INV-20311 of C4021 is overdue.",
        "ELVIRA_QUOSTOBDIA_KEY=1",
        "",
    ],
)
def test_what_is_no_error_has_no_words_of_one(text: str) -> None:
    assert error_words(text).query == ""


def test_a_package_that_is_called_like_a_folder_here_is_not_searched() -> None:
    home = "/home/"
    missing = "No module named 'grimewitz_sync'"
    own = f'File "{home}x/grimewitz_sync/a.py"\nModuleNotFoundError: {missing}'
    assert "grimewitz" not in f"{error_words(own)}"
    installed = own.replace(f"{home}x/", "/usr/lib/python3/site-packages/")
    assert "grimewitz_sync" in error_words(installed).query
