"""The judge of patterns, judged: what it counts is what `re` does, and it knows bad ones from good."""

from __future__ import annotations

import re

import pytest

from patterns.attacks import LINEAR, find_attack
from patterns.program import compile_program
from patterns.steps import Matcher, TooManyStepsError, Use
from sampled import each_row, sampled

SEARCHED_BADLY = (
    r"\s*x",
    r"\s+$",
    r"[^\"]*\"",
    r"<(script|style)\b.*?</\1>",
    r"(?=.*x)a",
    r"(\d+)-\1",
    r"a.*b.*c",
    r"(?i)<A[^>]*>",
    r"(?:\s*\[\d\])+",
    r"(?m)^\s*x",
)
MATCHED_BADLY = (
    r"(a+)+b",
    r"a*a*b",
    r".*,.*x",
    r"(?:a|a)*b",
    r"(a*)*b",
    r"(?:a|ab|b)*c",
    r"(\w+\s?)*!",
    r"(?:\d+,?)+;",
    r"(?s).*?.*?x",
    r"(?x) a+  a+ b",
    r"(?:[,;]*\s*)*x",
)
SEARCHED_WELL = (
    r"\w+",
    r"(?<!\s)\s+$",
    r"(?:(?<!\s)\s++)?+x",
    r"a{0,20}b",
    r"\[[^\[\]]*\]",
    r"<[^<>]*>",
    r"\bnot\b|n't\b",
    r"(?m)^#{1,6}\s(.*)",
)
MATCHED_WELL = (
    r"\s*x",
    r"a*+b",
    r"(?>a+)b",
    r"(?:x|y)+z",
    r"[^,]*,[^,]*,",
    r"(a|b)*?c",
    r"(?:a++|b)*+c",
)


@pytest.mark.parametrize("pattern", sampled(SEARCHED_BADLY, every=3))
def test_a_pattern_that_is_slow_to_search_for_is_found_out(pattern: str) -> None:
    finding = find_attack(compile_program(pattern), Use.SEARCH)
    assert finding is not None
    assert finding.growth > LINEAR


@pytest.mark.parametrize("pattern", sampled(MATCHED_BADLY, every=3))
def test_a_pattern_that_is_slow_to_match_is_found_out(pattern: str) -> None:
    assert find_attack(compile_program(pattern), Use.MATCH) is not None


@pytest.mark.parametrize("pattern", SEARCHED_WELL)
def test_a_pattern_that_is_quick_to_search_for_is_let_pass(pattern: str) -> None:
    assert find_attack(compile_program(pattern), Use.SEARCH) is None


@pytest.mark.parametrize("pattern", MATCHED_WELL)
def test_a_pattern_that_is_quick_to_match_is_let_pass(pattern: str) -> None:
    assert find_attack(compile_program(pattern), Use.MATCH) is None


def test_a_pattern_that_never_ends_is_stopped() -> None:
    matcher = Matcher(compile_program(r"(a+)+b"))
    with pytest.raises(TooManyStepsError):
        matcher.count("a" * 40, Use.MATCH, 10_000)


@each_row(
    "pattern",
    [
        *SEARCHED_BADLY,
        *MATCHED_BADLY,
        *SEARCHED_WELL,
        *MATCHED_WELL,
        r"(?<=[.!?])\s+(?=[A-Z])|\n+",
        r"(?i)ÄB|ß|[k-m]+",
        r"(?:(a)|b)*?(?:\1|c)",
        r"(?<!\w)_{1,3}|_{1,3}(?!\w)",
        r"x{2,3}+x|(?>xx|x)y",
        r"^a|b$|\Ac|d\Z|\Bb\B",
        r"(?m)^$|^.+$",
    ],
)
def test_the_matches_are_those_of_re(pattern: str) -> None:
    texts = (
        "",
        "aaab aab, x",
        'He said "no". Then\n\n  x [1] [2] a,b;c xxy xxxx',
        "<script>a</script> <style> 12-12 <a b> äB ß kLm",
        "a b\nb\n c\nabc_d __e__ not n't # h\n## t x\tx",
        "ab" * 6 + "c" + " " * 9 + "x!",
    )
    for text in texts:
        found = [match.span() for match in re.finditer(pattern, text)]
        # `re` looks at the end of a match a second time for an empty one.
        found = [
            span
            for i, span in enumerate(found)
            if span[0] < span[1] or not i or span[0] > found[i - 1][1]
        ]
        counted = Matcher(compile_program(pattern)).spans(text, Use.SEARCH)
        assert counted == found, text
