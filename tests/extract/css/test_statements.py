"""A sheet is cut into the same rules as by the parser."""

from __future__ import annotations

from typing import Any, cast

import tinycss2
from tinycss2.serializer import serialize

from askance.extract.html.css.sheets import StyleStatement, statements_of
from sampled import each_row


def parsed(sheet: str) -> list[StyleStatement]:
    nodes = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    return [
        StyleStatement(
            node.lower_at_keyword if node.type == "at-rule" else "",
            serialize(cast("Any", node.prelude)),
            serialize(cast("Any", node.content)),
        )
        for node in nodes
        if node.type in {"at-rule", "qualified-rule"} and node.content is not None
    ]


def plain(statement: StyleStatement) -> list[str]:
    # The parser closes what is open at the end.
    return [part.replace("'", '"').strip().rstrip("}") for part in statement]


@each_row(
    "sheet",
    [
        ".a{x:y}.b{x:y}",
        ".a{x:y};.b{x:y}.c{x:y}",
        "@charset 'utf-8';@import 'x.css';.a{x:y}",
        "@media print{.a{x:y}.b{x:y}}.c{x:y}",
        "@media print{.a{x:y}@media screen{.b{x:y}}}",
        "<!-- .a{x:y} --> .b{x:y}",
        ".a{x:y;&.b{x:y}}.c{x:y}",
        "@font-face{src:url(x)}.a{x:y}",
        "@-webkit-keyframes k{from{x:y}to{x:y}}.a{x:y}",
        ".a{x:'}'}.b[c='{']{x:y}",
        ".a{x:y",
        "@media print{.a{x:y",
        ".a{x:url(data:a;b,c)}.b{x:y}",
        "a b;c d;.e{x:y}.f{x:y}",
        ".a{x:url(y))}.b{x:y}",
        ".a){x:y}.b{x:y}",
        ".a{x:]}.b[c]{x:y}",
        '.a{x:"\\"}"}.b{x:url(c/*d)}.e{x:URL(\'}\')}',
        "@media print{.a{x:y}}}.b{x:y}.c{x:y}",
        "(.a{x:y}.b{x:y}).c{x:y}.d{x:y}",
    ],
)
def test_a_sheet_is_cut_as_the_parser_cuts_it(sheet: str) -> None:
    expected = [plain(statement) for statement in parsed(sheet)]
    assert [plain(statement) for statement in statements_of(sheet)] == expected
