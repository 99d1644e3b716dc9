"""Code in colours: its comments, strings, numbers and keywords, told by rules that most languages share.

The rules read foreign text in the window's own thread: each of their patterns takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache


class CodeToken(StrEnum):
    """What a stretch of code is."""

    TEXT = "text"
    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    KEYWORD = "keyword"


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_HASH = _words(
    """
    bash conf console docker dockerfile elixir fish ini julia make makefile nim perl
    powershell ps1 py python python3 r rb ruby sh shell toml yaml yml zsh
    """
)
_DASHES = _words("ada elm haskell hs lua sql postgresql mysql sqlite vhdl")
_MARKED_UP = _words("html svg vue xhtml xml")
_PLAIN = _words("console log output plain text txt")
_KEYWORDS = _words(
    """
    abstract and as assert async await begin bool boolean break byte case catch chan char
    class const continue crate def default defer del delete do done double elif else elsif end
    enum esac except export extends false False fi final finally float fn for foreach from fun
    func function go goto global if impl implements import in include instanceof int interface
    is lambda let local long loop match mod module mut namespace new nil None nonlocal not
    null nullptr of or override package pass private protected pub public raise readonly ref
    require return self short signed static string struct super switch template then this
    throw throws trait true True try type typedef typeof undefined union unless unsafe
    unsigned until use using val var virtual void volatile when where while with yield
    """
)
_SQL = _words(
    """
    add all alter and as asc between by case create cross delete desc distinct drop else end
    exists from full group having in index inner insert into is join key left like limit not
    null on or order outer primary references right select set table then union unique update
    values view when where with
    """
)
_STRINGS = (
    r'"""(?:[^"\\]|\\(?:.|\Z)|"(?!""))*+(?:"""|\Z)',
    r"'''(?:[^'\\]|\\(?:.|\Z)|'(?!''))*+(?:'''|\Z)",
    r'"(?:[^"\\\n]|\\(?:.|\Z))*+(?:"|$)',
    # Bounded, because these need their end: without one the search goes on behind the first mark.
    # It may not go on behind an escaped one, or each of those would be a beginning.
    r"(?<!\\)'(?:[^'\\\n]|\\.){0,200}+'",
    r"(?<!\\)`(?:[^`\\]|\\.){0,1000}+`",
)
_NUMBER = r"\b(?:0[xX][0-9a-fA-F_]++|[0-9][0-9_]*+(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)"
_WORD = r"[^\W\d]\w*+"
# Words in an address are none of the language. The scheme is bounded: each letter may begin one.
_ADDRESS = r"\b[A-Za-z][A-Za-z0-9+.-]{1,14}+://[^\s\"'`<>]++"


def is_plain(language: str) -> bool:
    """Return whether a name of a language says that a text is no code."""
    return language.casefold() in _PLAIN


def coloured(code: str, language: str) -> Iterator[tuple[str, CodeToken]]:
    """Yield a piece of code in stretches, in order; together they are the code."""
    name = language.casefold()
    if is_plain(name):
        yield code, CodeToken.TEXT
        return
    keywords = _SQL if name in _DASHES and "sql" in name else _KEYWORDS
    folds = keywords is _SQL
    done = 0
    for found in _rules(name).finditer(code):
        kind = CodeToken(found.lastgroup or CodeToken.TEXT)
        if kind is CodeToken.KEYWORD:
            word = found.group()
            if (word.casefold() if folds else word) not in keywords:
                continue
        if found.start() > done:
            yield code[done : found.start()], CodeToken.TEXT
        yield found.group(), kind
        done = found.end()
    if done < len(code):
        yield code[done:], CodeToken.TEXT


@lru_cache(maxsize=32)
def _rules(language: str) -> re.Pattern[str]:
    if language in _HASH:
        comments = r"(?<![\w$&\\])\#[^\n]*+"
    elif language in _DASHES:
        comments = r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
    elif language in _MARKED_UP:
        comments = r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)"
    else:
        comments = r"(?<!:)//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
    return re.compile(
        f"(?P<text>{_ADDRESS})|(?P<comment>{comments})|(?P<string>{'|'.join(_STRINGS)})|(?P<number>{_NUMBER})"
        f"|(?P<keyword>{_WORD})",
        re.DOTALL | re.MULTILINE,
    )
