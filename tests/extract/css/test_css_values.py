"""Lengths, colours and variables, as browsers compute them."""

from __future__ import annotations

import pytest

from askance.extract.css.colours import CURRENT, UNKNOWN, Colour, is_clear, parse_ink
from askance.extract.css.properties import parse_property
from askance.extract.css.tokens import (
    LONGEST_VALUE,
    parse_length,
    significant,
    substituted,
    values_of,
)


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("12px", 12), ("-9999px", -9999), ("1in", 96), ("3pt", 4), ("2em", 20), ("2rem", 32),
        ("50%", 100), ("10vw", 128), ("10dvh", 80), ("0", 0), ("7", 7), ("calc(1px + 2px)", 3),
        ("calc(-1 * 9999px)", -9999), ("calc(50% - 50vw)", -540), ("calc((1px + 1px) * 3 / 2)", 3),
        ("min(-9999px, 0px)", -9999), ("max(1px, 2px)", 2), ("clamp(1px, 5px, 3px)", 3),
        ("-webkit-calc(1em)", 10), ("1e30px", 1e7), ("1e999px", 1e7), ("5MM", 18.9),
    ],
)  # fmt: skip
def test_a_length_comes_to_its_pixels(text: str, pixels: float) -> None:
    length = parse_length(values_of(text)[0])
    assert length is not None
    assert length.pixels(font=10, root=16, whole=200) == pytest.approx(pixels)


@pytest.mark.parametrize(
    "text",
    ["red", "1foo", "calc()", "calc(1px 2px)", "calc(1px +)", "calc(2px / 0)", "sin(1)", '"1px"',
     "calc(" * 50 + "1px" + ")" * 50],
)  # fmt: skip
def test_what_is_no_length_is_none(text: str) -> None:
    assert parse_length(values_of(text)[0]) is None


@pytest.mark.parametrize(
    "text",
    ["#fff", "#FFFFFF", "#ffff", "#ffffffff", "white", "WHITE", "rgb(255,255,255)",
     "rgba(255 255 255 / 100%)", "hsl(0 0% 100%)", "hwb(0 100% 0%)", "#fefefe"],
)  # fmt: skip
def test_white_is_white_however_it_is_spelt(text: str) -> None:
    ink, white = (parse_ink(values_of(each)[0]) for each in (text, "rgb(255 255 255)"))
    assert isinstance(ink, Colour)
    assert isinstance(white, Colour)
    assert ink.is_like(white)


@pytest.mark.parametrize("text", ["#ccc", "#ffffff80", "red", "lab(100% 0 0)", "transparent"])
def test_another_colour_or_one_of_another_space_is_not_like_white(text: str) -> None:
    ink, white = (parse_ink(values_of(each)[0]) for each in (text, "white"))
    assert isinstance(ink, Colour)
    assert isinstance(white, Colour)
    assert not ink.is_like(white)


@pytest.mark.parametrize(
    ("text", "clear"),
    [("transparent", True), ("#0000", True), ("rgb(0 0 0 / 2%)", True), ("#0006", False), ("#fff", False)],
)  # fmt: skip
def test_an_ink_is_clear_by_its_alpha(text: str, *, clear: bool) -> None:
    assert is_clear(parse_ink(values_of(text)[0])) is clear


@pytest.mark.parametrize(
    ("text", "ink"),
    [
        ("currentColor", CURRENT),
        ("color-mix(in srgb, red, blue)", UNKNOWN),
        ("Canvas", UNKNOWN),
        ("color()", UNKNOWN),
        ("rgb(1)", UNKNOWN),
        ("nonesuch", None),
        ("#ggg", None),
        ("12px", None),
    ],
)
def test_other_colours_are_told_apart(text: str, ink: object) -> None:
    assert parse_ink(values_of(text)[0]) == ink


@pytest.mark.parametrize(
    ("name", "value"),
    [("display", "nonesuch"), ("opacity", "much"), ("visibility", "gone"), ("color", "#ggg"),
     ("left", "1px 2px"), ("font-size", "big"), ("transform", "scale(a)"), ("margin", "1px 2px 3px 4px 5px"),
     ("overflow", "none"), ("position", "10px"), ("width", ""), ("border", "1px solid")],
)  # fmt: skip
def test_what_a_browser_would_refuse_is_refused(name: str, value: str) -> None:
    assert parse_property(name, values_of(value)) is None


def test_variables_that_grow_without_end_have_no_value() -> None:
    variables = {f"--a{n + 1}": values_of(f"var(--a{n}) var(--a{n})") for n in range(100)}
    variables["--a0"] = values_of("x")
    assert substituted(values_of("var(--a99)"), variables) is None
    few = substituted(values_of("var(--a3)"), variables)
    assert few is not None
    assert len(significant(few)) == 8 < LONGEST_VALUE


def test_a_variable_that_is_missing_has_its_fallback() -> None:
    found = substituted(values_of("rgb(var(--x, 1), var(--y), 3)"), {"--y": values_of("2")})
    assert found is not None
    assert [t.value for t in significant(found[0].arguments) if t.type == "number"] == [1, 2, 3]
    assert substituted(values_of("var(--x)"), {}) is None
