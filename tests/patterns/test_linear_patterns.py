"""No text makes a pattern of the program slow: steps grow with the text, and not with its square."""

from __future__ import annotations

import ast
from itertools import chain

import pytest

from askance.citations.check.asked_values import _day_pattern, _words_of
from askance.citations.check.facts import _reading, _writing
from askance.text.languages.language import CODES
from askance.text.languages.language_model import _foreign
from askance.ui.overlay.answer.markdown_blocks import _rules
from patterns.attacks import find_attack
from patterns.collected import collect, modules_with_patterns, unread_calls
from patterns.program import compile_program
from patterns.steps import Use
from sampled import each_row, sampled

CAPPED = {
    "askance.sample_web.sample_pages._TITLE": "the program's own sample pages, some thousand characters each",
    "askance.sample_web.sample_pages._ARTICLE": "the program's own sample pages, some thousand characters each",
    "askance.sample_web.sample_pages._HIDDEN": "the program's own sample pages, some thousand characters each",
    "askance.sample_web.sample_pages._TAG": "the program's own sample pages, some thousand characters each",
    "askance.engine.model_replies._KEY": "8,000 characters; laid at one place behind the other, never twice at one",
    "askance.engine.model_replies._VALUE_END": "8,000 characters; laid at one place behind the other, never twice at one",
    "askance.adapters.llm.reasoning._BEGUN": "400 characters: the end of what is held back",
    "askance.extract.html.tree._HEAD": "20,000 characters: the beginning of a document",
    "askance.citations.markdown.marker_context._VALUES_BEHIND": "240 characters behind a bracket, once for each",
    "askance.engine.model_replies._BEHIND": "8,000 characters; laid at one place behind the other, never twice at one",
}
"""Patterns that never see a long foreign text, why, and how long the longest is."""

NUMBERS = (
    'askance.citations.check.facts: re.compile(f"(?<![A-Za-zÀ-ɏ0-9])(?P<digits>{spaced}[0-9]+'
    "(?:[.,\\\\u00a0\\\\u202f’'][0-9]+)*)(?P<mark>(?:st|nd|rd|th)\\\\b|['’]?s\\\\b)?\" + suffix, re.IGNORECASE)",
    "askance.citations.check.facts: re.compile(f'(?<![0-9一二十])(?:{_any_of(full)})')",
    "askance.citations.check.facts: "
    "re.compile(f'(?<![\\\\w{MARKS}])(?:{_any_of(known.scales)})(?![\\\\w{MARKS}])', re.IGNORECASE)",
    "askance.citations.check.facts: re.compile(f'(?<![\\\\w{MARKS}])(?P<word>{_any_of(known.numbers)})"
    "(?:-(?P<unit>{units}))?(?![\\\\w{MARKS}])' + suffix, re.IGNORECASE)",
    "askance.citations.check.facts: "
    "re.compile(f'(?<!\\\\w)(?:{_any_of(full)})(?![\\\\w{MARKS}])', re.IGNORECASE)",
    "askance.citations.check.facts: "
    "re.compile(f'\\\\b(?:{_any_of((form.capitalize() for form in full))})\\\\b')",
)

BUILT_LATER = {
    "askance.adapters.llm.openai: re.compile(pattern, re.IGNORECASE)": "held by the module",
    "askance.adapters.llm.reasoning: lazy_re(form.closes, re.IGNORECASE)": "held by the module",
    "askance.adapters.llm.server_replies: lazy_re(pattern, re.IGNORECASE)": "held by the module",
    "askance.adapters.search.searxng: "
    "lazy_re(f'</{name}\\\\s{{0,20}}>', re.IGNORECASE)": "held by the module",
    "askance.adapters.storage.history: re.compile(re.escape(folded(piece)))": "has no repeat",
    "askance.adapters.storage.history: re.compile(re.escape(part))": "has no repeat",
    "askance.text.finding: re.finditer(re.escape(part), compared)": "has no repeat",
    "askance.adapters.storage.history: "
    "re.compile(f'(?:(?<![^\\\\W_])|(?<=[{CJK}])){re.escape(folded(piece))}')": "has no repeat",
    "askance.domain.patterns: re.compile(self.pattern, self._flags)": "held by the modules",
    "askance.citations.check.facts: re.compile(denies, re.IGNORECASE)": "tested below",
    "askance.citations.check.facts: re.compile(only_looks, re.IGNORECASE)": "tested below",
    **dict.fromkeys(NUMBERS, "tested below"),
    "askance.app.evaluation.running: re.search(f'{begins}{re.escape(answer)}{ends}', text, re.IGNORECASE)": "has no repeat",
    "askance.citations.check.asked_values: re.compile(pattern, flags)": "tested below",
    "askance.engine.queries: "
    r"""re.sub(f'(?i)\\b(?:{excluding})\\b[^,.;:?!]{{1,200}}', ' . ', text)""": "one bounded repeat",
    "askance.engine.queries: "
    r"""re.sub(f'(?i)-{{0,3}}[\\"“”]?(?<!\\w){re.escape(phrase)}(?!\\w)[\\"“”]?', ' ', query)""": "one bounded repeat",
    "askance.extract.html.selection_features: re.compile(pattern)": "held by the module",
    "askance.text.languages.language_model: re.compile('|'.join(patterns))": "tested below",
    "askance.text.languages.recognition: re.compile(f'[{characters}]')": "has no repeat",
    "askance.server.openai_request: re.compile(pattern, re.IGNORECASE)": "held by the module",
    "askance.ui.overlay.answer.markdown_blocks: re.compile("
    "f\"(?P<text>{_ADDRESS})|(?P<comment>{comments})|(?P<string>{'|'.join(_STRINGS)})|(?P<number>{_NUMBER})"
    '|(?P<keyword>{_WORD})", re.DOTALL | re.MULTILINE)': "tested below",
}
"""Patterns that are made while the program runs, and why they need no test here."""


@pytest.mark.parametrize("module", sampled(modules_with_patterns(), every=12))
def test_no_text_makes_a_pattern_of_a_module_slow(module: str) -> None:
    for collected in collect():
        if collected.module == module and collected.place not in CAPPED:
            program = compile_program(collected.pattern, collected.flags)
            finding = find_attack(program, collected.use)
            assert finding is None, (collected.place, collected.pattern, finding)


def test_no_module_with_patterns_is_left_out() -> None:
    assert {collected.module for collected in collect()} <= set(modules_with_patterns())


@pytest.mark.parametrize("language", ["python", "sql", "html", "c"])
def test_no_code_makes_its_colours_slow(language: str) -> None:
    rules = _rules(language)
    assert find_attack(compile_program(rules.pattern, rules.flags), Use.SEARCH) is None


@pytest.mark.parametrize("code", sampled(CODES, every=9))
def test_no_text_makes_the_patterns_of_a_language_slow(code: str) -> None:
    writing, reading = _writing(code), _reading(code)
    found = [writing.digits, writing.words, writing.scale, reading.negation, reading.affirmed]
    found += [month for _, month in writing.months]
    for pattern in filter(None, found):
        program = compile_program(pattern.pattern, pattern.flags)
        assert find_attack(program, Use.SEARCH) is None, pattern.pattern


@pytest.mark.parametrize("code", sampled(CODES, every=9))
def test_no_text_makes_the_patterns_of_dates_slow(code: str) -> None:
    pattern, _ = _day_pattern(code)
    assert find_attack(compile_program(pattern.pattern, pattern.flags), Use.SEARCH) is None


@pytest.mark.parametrize("code", ["en", "de"])
def test_no_text_makes_the_patterns_of_what_is_asked_slow(code: str) -> None:
    asked = _words_of(code)
    assert asked is not None
    found = [
        *asked.kinds.values(),
        *chain(*asked.lists),
        *(asks for asks, _ in asked.measures),
        asked.copula,
        asked.by,
    ]
    for pattern in (*found, asked.place, asked.relative):
        program = compile_program(pattern.pattern, pattern.flags)
        assert find_attack(program, Use.SEARCH) is None, pattern.pattern


def test_every_pattern_that_is_made_while_the_program_runs_is_known() -> None:
    # Which quotation marks `ast.unparse` takes is a matter of Python's version.
    known = {
        f"{module}: {ast.unparse(ast.parse(call))}"
        for module, _, call in (place.partition(": ") for place in BUILT_LATER)
    }
    assert set(unread_calls()) == known


def test_the_walk_finds_the_patterns_of_the_program() -> None:
    places = {pattern.place for pattern in collect()}
    assert len(places) > 150
    assert "askance.text.ranking.passages._BLOCK" in places
    assert set(CAPPED) <= places


@each_row("code", [code for code, known in _foreign().items() if known.spelling])
def test_no_word_makes_the_spellings_of_neighbours_slow(code: str) -> None:
    spelling = _foreign()[code].spelling
    assert spelling is not None
    assert find_attack(compile_program(spelling.pattern, spelling.flags), Use.SEARCH) is None
