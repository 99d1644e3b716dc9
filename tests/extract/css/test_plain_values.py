"""What is read without the parser is what the parser reads."""

from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from askance.extract.css.blocks import plain_declaration
from askance.extract.css.tokens import Token, Tokens, declarations_of

SPACES = st.sampled_from(["", " ", "\n ", "\t"])
PIECES = st.sampled_from([
    "red", "-webkit-box", "--x", "_a", "0", "12", "-1.5", "+.5", "1.", "1e3", "1e3px", "12px", "1em", "2.50e", "50%", "10PX",
    "#fff", "#0a0", "#-x", "#", ",", "/", "/*x*/", "/ *", "!", "!important", "! IMPORTANT", "! important x", "rgb(0,0,0)", "url(x)",
    "\"a\"", "u+26", "U+0-7", "<!--", "-->", "\\41", "é", "10px-5px", "1px2px", "@x", "~=", "99999999999999999999", ":", ";", "}", "\0",
])  # fmt: skip
NAMES = st.sampled_from(["color", "COLOR", "-moz-x", "--x", " display", "margin-left ", "1x", "", "a b", "\\41 b", "é"])  # fmt: skip
DECLARATIONS = st.builds(
    lambda name, pieces: f"{name}:{''.join(space + piece for space, piece in pieces)}",
    NAMES,
    st.lists(st.tuples(SPACES, PIECES), max_size=5),
)


def parts(tokens: Tokens) -> list[tuple[object, ...]]:
    names = ("value", "int_value", "unit", "lower_unit", "lower_value", "representation")
    return [(t.type, *(getattr(t, n, None) for n in names)) for t in tokens]


def read(node: Token) -> tuple[object, ...]:
    value = parts([token for token in node.value if token.type != "whitespace"])  # type: ignore[attr-defined]
    return node.type, node.name, node.lower_name, node.important, value


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DECLARATIONS)
@example("width:12px")
@example("color: #FFF !important ")
def test_a_plain_declaration_is_read_as_the_parser_reads_it(text: str) -> None:
    plain = plain_declaration(text)
    if plain is not None:
        assert [read(plain)] == [read(node) for node in declarations_of(text)]


def test_most_declarations_are_plain() -> None:
    texts = [
        "width:12px",
        " margin : 0 auto",
        "color:#fff!important",
        "font: 12px/1.5 Arial, serif",
    ]
    assert all(map(plain_declaration, texts))
