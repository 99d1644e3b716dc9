"""Component values of CSS: parsed with tinycss2, cut at commas, variables put in their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import tinycss2
from tinycss2.ast import Node as Token

Tokens = Sequence[Token]
Variables = Mapping[str, Tokens]

# A variable may hold others, twice each: bounded in depth and in what comes out.
DEEPEST_VARIABLE = 8
LONGEST_VALUE = 200
# Python refuses to convert a number of thousands of digits; no screen has that many pixels.
_ENDLESS_NUMBER = re.compile(r"(?<![0-9])[0-9]{300,}+")


def rules_of(sheet: str | Iterable[Token]) -> list[Token]:
    """Parse a style sheet, or the block of an at-rule, into its rules."""
    text = _shortened(sheet) if isinstance(sheet, str) else sheet
    return tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)


def declarations_of(block: str | Iterable[Token]) -> list[Token]:
    """Parse a block, or the text of a `style` attribute, into declarations and nested rules."""
    text = _shortened(block) if isinstance(block, str) else block
    return tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True)


def values_of(text: str) -> list[Token]:
    """Parse the value of a property, or a media query that stands in an attribute."""
    return tinycss2.parse_component_value_list(_shortened(text), skip_comments=True)


def significant(tokens: Iterable[Token]) -> list[Token]:
    """Return the tokens without white space and comments."""
    return [token for token in tokens if token.type not in {"whitespace", "comment"}]


def keyword(tokens: Tokens) -> str | None:
    """Return the one keyword that a value consists of, or None if it is anything else."""
    only = significant(tokens)
    return only[0].lower_value if len(only) == 1 and only[0].type == "ident" else None


def split_commas(tokens: Iterable[Token]) -> list[list[Token]]:
    """Cut a list of tokens at its commas."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def holds_variable(tokens: Iterable[Token]) -> bool:
    """Whether `var()` stands anywhere in a value."""
    waiting = list(tokens)
    while waiting:
        token = waiting.pop()
        if token.type == "function":
            if token.lower_name == "var":
                return True
            waiting += token.arguments
        elif token.type == "() block":
            waiting += token.content or ()
    return False


def substituted(tokens: Tokens, variables: Variables) -> list[Token] | None:
    """Put the values of variables into a value; None if one is missing or they grow too long."""
    return _substituted(tokens, variables, DEEPEST_VARIABLE)


def _substituted(tokens: Tokens, variables: Variables, depth: int) -> list[Token] | None:
    out: list[Token] = []
    for token in tokens:
        if token.type != "function":
            out.append(token)
        elif token.lower_name == "var":
            value = _variable(token, variables, depth)
            if value is None:
                return None
            out += value
        else:
            arguments = _substituted(token.arguments, variables, depth - 1) if depth else None
            if arguments is None:
                return None
            out.append(_with_arguments(token, arguments))
        if len(out) > LONGEST_VALUE:
            return None
    return out


def _variable(token: Token, variables: Variables, depth: int) -> list[Token] | None:
    name, *fallback = split_commas(token.arguments)
    names = significant(name)
    if not depth or len(names) != 1 or names[0].type != "ident":
        return None
    if names[0].value in variables:
        return _substituted(variables[names[0].value], variables, depth - 1)
    if not fallback:
        return None
    # Commas after the first one belong to the fallback; colours and lengths have none there.
    return _substituted(fallback[0], variables, depth - 1)


def _with_arguments(token: Token, arguments: list[Token]) -> Token:
    copied = object.__new__(type(token))
    copied.name, copied.lower_name, copied.arguments = token.name, token.lower_name, arguments
    return copied


def _shortened(text: str) -> str:
    return _ENDLESS_NUMBER.sub("9" * 9, text)
