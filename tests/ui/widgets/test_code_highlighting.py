"""The colours of code: nothing is lost, the four kinds are told apart, no text takes long."""

from __future__ import annotations

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.ui.overlay.answer.markdown_blocks import CodeToken, coloured

LANGUAGES = ["python", "c", "sql", "html", "text", "", "Bash", "unheard-of"]


def kinds(code: str, language: str) -> dict[str, CodeToken]:
    return {text: kind for text, kind in coloured(code, language) if kind is not CodeToken.TEXT}


@given(st.text(alphabet="ab1 '\"`\\/*#-<>!\n_.😀", max_size=60), st.sampled_from(LANGUAGES))
def test_the_stretches_together_are_the_code(code: str, language: str) -> None:
    assert "".join(text for text, _ in coloured(code, language)) == code


def test_python_has_its_strings_comments_numbers_and_keywords() -> None:
    code = 'def f(x=1.5e3):  # the "rate"\n    return """a\nb""" + \'it\' + x_1'
    assert kinds(code, "python") == {
        "def": CodeToken.KEYWORD,
        "1.5e3": CodeToken.NUMBER,
        '# the "rate"': CodeToken.COMMENT,
        "return": CodeToken.KEYWORD,
        '"""a\nb"""': CodeToken.STRING,
        "'it'": CodeToken.STRING,
    }


@pytest.mark.parametrize(
    ("code", "language", "comment"),
    [
        ("x = 1 // why", "rust", "// why"),
        ("x /* a\nb */ y", "c", "/* a\nb */"),
        ("echo 1 # why", "bash", "# why"),
        ("SELECT 1 -- why", "sql", "-- why"),
        ("<b> <!-- why --> </b>", "html", "<!-- why -->"),
    ],
)
def test_each_family_has_its_own_comments(code: str, language: str, comment: str) -> None:
    found = [text for text, kind in coloured(code, language) if kind is CodeToken.COMMENT]
    assert found == [comment]


def test_an_address_is_not_the_start_of_a_comment() -> None:
    assert CodeToken.COMMENT not in kinds("x = https://a.example/b", "js").values()


@pytest.mark.parametrize("language", ["bash", "python", "js", "sql", "", "html"])
def test_no_word_of_an_address_has_a_colour(language: str) -> None:
    code = "get https://a.example/import/for/2024?from=1#if ftp://true.example:21/class"
    assert kinds(code, language) == {}


def test_sql_is_known_in_both_cases_and_python_is_not() -> None:
    assert kinds("SELECT x from y", "sql") == {
        "SELECT": CodeToken.KEYWORD,
        "from": CodeToken.KEYWORD,
    }
    assert kinds("RETURN x", "python") == {}


def test_plain_text_stays_plain() -> None:
    assert list(coloured("if 'a' # 1", "text")) == [("if 'a' # 1", CodeToken.TEXT)]


@pytest.mark.parametrize(
    "hostile",
    ["'" * 20_000, "\\'" * 10_000, '"""\\' * 5_000, "/*" * 10_000, "`" * 9_999, "<!--" * 5_000],
)
@pytest.mark.parametrize("language", ["python", "c", "html"])
def test_no_text_takes_long(hostile: str, language: str) -> None:
    took: list[float] = []
    for _ in range(3):  # in the first the interpreter may collect the garbage of all tests before
        began = thread_time()
        list(coloured(hostile, language))
        list(coloured("'" + hostile + "\n" + hostile, language))
        took.append(thread_time() - began)
    assert min(took) < 1.0
