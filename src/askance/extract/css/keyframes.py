"""The animations of a page: what each leaves behind, and what holds all the while."""

from __future__ import annotations

from collections import defaultdict

from askance.extract.css.blocks import read_block
from askance.extract.css.properties import Values
from askance.extract.css.statements import StyleStatement, statements_of, tokens_in
from askance.extract.css.tokens import Tokens, significant, split_commas


class Keyframes:
    """The `@keyframes` of a page by their names; a few of them are used, and are read then."""

    def __init__(self) -> None:
        self._rules: defaultdict[str, list[StyleStatement]] = defaultdict(list)
        self._read: dict[str, tuple[Values | None, Values]] = {}

    def add(self, rule: StyleStatement) -> None:
        """Add a rule."""
        names = [token.value for token in significant(tokens_in(rule.prelude))]
        if names:
            self._rules[str(names[0])].append(rule)

    def last(self, name: str) -> Values | None:
        """Return what an animation leaves behind; None if it is not known."""
        return self._frames(name)[0] if name in self._rules else None

    def throughout(self, name: str) -> Values | None:
        """Return what holds all the while in an animation; None if it is not known."""
        return self._frames(name)[1] if name in self._rules else None

    def _frames(self, name: str) -> tuple[Values | None, Values]:
        found = self._read.get(name)
        if found is None:
            last: Values | None = None
            throughout: Values = {}
            for rule in self._rules[name]:
                its_last, throughout = _read(rule)
                last = its_last if its_last is not None else last
            found = self._read[name] = last, throughout
        return found


def _read(rule: StyleStatement) -> tuple[Values | None, Values]:
    first: Values = {}
    last: Values | None = None
    blocks: list[Values] = []
    for frame in statements_of(rule.content or ()):
        if frame.name:
            continue
        prelude = tokens_in(frame.prelude)
        block, _ = read_block(frame.content or ())
        blocks.append(block.normal)
        if _is_frame(prelude, "to", 100):
            last = block.normal
        if _is_frame(prelude, "from", 0):
            first = block.normal
    throughout = {
        name: value
        for name, value in first.items()
        if last is not None and all(name in block and block[name] == value for block in blocks)
    }
    return last, throughout


def _is_frame(prelude: Tokens, word: str, share: float) -> bool:
    for part in split_commas(prelude):
        only = significant(part)
        if len(only) != 1:
            continue
        if only[0].type == "ident" and only[0].lower_value == word:
            return True
        if only[0].type == "percentage" and float(only[0].value) == share:
            return True
    return False
