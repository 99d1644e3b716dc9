"""A sheet is cut into the same rules as by the parser."""

from __future__ import annotations

from typing import Any, cast

import pytest
from tinycss2.serializer import serialize

from askance.extract.css.statements import StyleStatement, statements_from, statements_of
from askance.extract.css.tokens import rules_of


def plain(statement: StyleStatement) -> tuple[str, str, str | None]:
    prelude, content = (
        part if isinstance(part, str) or part is None else serialize(cast("Any", part))
        for part in (statement.prelude, statement.content)
    )
    assert prelude is not None
    if statement.rules is not None:
        content = " ".join(
            f"{name}|{its}|{block}" for name, its, block in map(plain, statement.rules)
        )
    elif content is not None and statement.name == "media":
        content = " ".join(
            f"{name}|{its}|{block}" for name, its, block in map(plain, statements_of(content))
        )
    prelude = prelude.replace("'", '"').strip()
    return statement.name, prelude, content and content.replace("'", '"').strip()


@pytest.mark.parametrize(
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
        ".a[(b]{x:y}.c{x:y}",
        '.a{x:"\\"}"}.b{x:url(c/*d)}/*}*/.e{x:URL(\'}\')}',
    ],
)
def test_a_sheet_is_cut_as_the_parser_cuts_it(sheet: str) -> None:
    parsed = [plain(statement) for statement in statements_from(rules_of(sheet))]
    assert [plain(statement) for statement in statements_of(sheet)] == parsed
