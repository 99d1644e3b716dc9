"""Media queries, judged for a laptop's screen of 1280 by 800."""

from __future__ import annotations

from askance.extract.html.css.sheets import holds_on_screen
from sampled import each_row


@each_row(
    "query",
    [
        "", "all", "screen", "only screen", "SCREEN", "print, screen", "not print",
        "(min-width: 600px)", "(min-width: 40em)", "screen and (max-width: 1280px)",
        "(width >= 600px)", "(400px < width <= 1280px)", "(40rem<=width)", "(min-height: 500px)",
        "(orientation: landscape)", "(hover: hover) and (pointer: fine)",
        "(prefers-color-scheme: light)", "not (max-width: 600px)",
        "(max-width: 600px) or (min-width: 900px)", "(scripting: enabled)",
    ],
)  # fmt: skip
def test_a_query_that_holds_on_a_screen_holds(query: str) -> None:
    assert holds_on_screen(query)


@each_row(
    "query",
    [
        "print", "speech", "not screen", "not all", "(max-width: 600px)", "(min-width: 1281px)",
        "screen and (max-width: 37em)", "(width < 600px)", "(600px > width)", "(monochrome)",
        "(prefers-color-scheme: dark)", "(prefers-reduced-motion)", "(hover: none)", "(400px < width < 900px)",
        "(orientation: portrait)", "(min-resolution: 2dppx)", "(nonsense: 1)", "(nonsense)",
        "(min-width: wide)", "(max-aspect-ratio: 1/0)", "(scripting: none)", "()", "and", "{}",
        "not (min-width: 1px)", "(display-mode: standalone)",
    ],
)  # fmt: skip
def test_a_query_for_something_else_does_not_hold(query: str) -> None:
    assert not holds_on_screen(query)


def test_parentheses_without_end_are_no_query() -> None:
    assert not holds_on_screen("(" * 5000)
