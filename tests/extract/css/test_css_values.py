"""Lengths, colours and properties, as browsers read them."""

from __future__ import annotations

import pytest

from askance.extract.html.css.computed import parse_property
from askance.extract.html.css.values import (
    BLACK,
    CURRENT,
    Colour,
    Length,
    parse_ink,
    parse_length,
    values_of,
)


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("12px", 12), ("-9999px", -9999), ("1in", 96), ("3pt", 4), ("2em", 20), ("2rem", 32),
        ("50%", 100), ("10vw", 128), ("10vh", 80), ("0", 0), ("7", 7),
        ("1e30px", 1e7), ("1e999px", 1e7), ("5MM", 18.9),
    ],
)  # fmt: skip
def test_a_length_comes_to_its_pixels(text: str, pixels: float) -> None:
    length = parse_length(values_of(text)[0])
    assert length is not None
    assert length.pixels(font=10, root=16, whole=200) == pytest.approx(pixels)


@pytest.mark.parametrize(
    "text",
    ["red", "1foo", "calc(1px + 2px)", "var(--x)", '"1px"', "calc(" * 50 + "1px" + ")" * 50],
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
    ink = parse_ink(values_of(text)[0])
    assert ink is not None
    assert ink.is_clear() is clear


@pytest.mark.parametrize(
    ("text", "ink"),
    [
        ("currentColor", CURRENT),
        ("color-mix(in srgb, red, blue)", None),
        ("color()", None),
        ("rgb(1)", None),
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
     ("left", "1px 2px"), ("font-size", "big"), ("margin", "1px 2px 3px 4px 5px"),
     ("overflow", "none"), ("position", "10px"), ("width", ""), ("color", "12px"), ("border", "1px solid")],
)  # fmt: skip
def test_what_a_browser_would_refuse_is_refused(name: str, value: str) -> None:
    assert parse_property(name, values_of(value)) is None


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("font-size", "clamp(1rem, 2vw, 3rem)", {"font-size": Length(px=16)}),
        ("font", "calc(1rem / 20) serif", {"font-size": Length(px=16)}),
        ("color", "var(--ink)", {"color": BLACK}),
        ("-webkit-text-fill-color", "color-mix(in srgb, red, blue)", {"color": BLACK}),
        ("visibility", "var(--seen)", {"visibility": "visible"}),
        ("opacity", "calc(1 - 1)", {"opacity": "auto"}),
        ("height", "100dvh", {"height": "auto"}),
        ("margin", "0 var(--x)", {"margin-top": "auto", "margin-left": "auto"}),
        ("transform", "translate(calc(1px - 9999px))", {"transform": "auto"}),
    ],
)  # fmt: skip
def test_what_is_computed_hides_nothing_and_replaces_what_was_declared(
    name: str, value: str, found: dict[str, object]
) -> None:
    assert parse_property(name, values_of(value)) == found
