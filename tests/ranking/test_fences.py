"""Blocks of code between fences are found, with the one name of their language."""

from __future__ import annotations

import pytest

from askance.domain.file_formats import _NAMES, _SYNTAXES, is_known, known_syntaxes, syntax_named
from askance.text.ranking.passages import fenced_blocks, syntaxes_within


def blocks(text: str) -> list[tuple[str, str]]:
    return [(text[b.start : b.end], b.syntax) for b in fenced_blocks(text)]


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("py", "python"), ("Python3", "python"), ("js", "javascript"), ("sh", "shell"),
        ("bash", "shell"), ("console", "shell"), ("cpp", "c++"), ("C++", "c++"), ("cs", "c#"),
        ("golang", "go"), ("brainfuck", "brainfuck"), ("text", ""), ("none", ""), ("", ""), ("!", ""),
    ],
)  # fmt: skip
def test_a_language_has_one_name(called: str, name: str) -> None:
    assert syntax_named(called) == name


def test_source_files_have_the_names_of_the_vocabulary() -> None:
    named = {*_SYNTAXES, *_NAMES.values()}
    assert {"python", "c++", "shell", "make"} < named <= known_syntaxes()
    assert all(is_known(name) and syntax_named(name) == name for name in named)


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("python", "python"), (" py title=a.py", "python"), ("{.python .numberLines}", "python"),
        ("rust,ignore", "rust"), ("js{1,3}", "javascript"), ("", ""), ("text", ""),
    ],
)  # fmt: skip
def test_the_language_stands_behind_the_fence(info: str, name: str) -> None:
    assert blocks(f"Thus:\n\n```{info}\nx\n```\n") == [(f"```{info}\nx\n```", name)]


def test_fences_end_with_their_like_and_may_stand_in_lists() -> None:
    text = "- Thus:\n  ```py\n  x\n  ```\n\n````md\n```js\ny\n```\n````\n\n~~~sh\n```\n~~~\n\n```go\nnever closed"
    assert [name for _, name in blocks(text)] == ["python", "markdown", "shell"]


def test_a_passage_has_the_languages_of_all_that_lies_in_it() -> None:
    text = "```py\n0123456789\n```\n\n```js\ny\n```\n"
    found = list(fenced_blocks(text))
    assert syntaxes_within(found, [(0, 10), (10, 25), (25, len(text)), (len(text), 99)]) == [
        ("python",),
        ("javascript", "python"),
        ("javascript",),
        (),
    ]
