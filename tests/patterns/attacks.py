"""The worst texts of a pattern, made out of the pattern itself.

A backtracking matcher is slow where one text can be read in several ways: a stretch that one loop
may leave to another, a loop inside a loop, or a match that could have begun earlier. The pattern is
read as an automaton, a search as one that may wait at its beginning. Two of its places can part a
text at will if there is a word that leads from the first back to it, from the first to the second,
and from the second back to it; the word, repeated, is the worst text for these two. (Weideman, van
der Merwe, Berglund, Watson, "Analyzing matching time behavior of backtracking regular expression
matchers by using ambiguity of NFA", CIAA 2016.) Atomic groups and looks are read as if they were
none: that finds too much, and the steps then say what is so.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from patterns.program import Op, Program
from patterns.steps import Matcher, TooManyStepsError, Use

LINEAR = 2.3
"""The steps for twice the text may be so many times those for the text."""
SIZES = ((24, 2.03), (96, 2.1), (256, LINEAR))
"""How many characters are pumped, against twice as many, and the growth that is looked into further.

The last decides: a repeat that is bounded by far less than its size counts as linear.
"""
_MOST_STEPS = 400_000
_MOST_STEPS_IN_ALL = 1_000_000
_MOST_WORDS = 60
_MOST_TRIPLES = 300
_MOST_TRIPLES_IN_ALL = 15_000
_WAITING = -1
_COMMON = "aZ5_ \n\t.,;:-'\"()[]<>/\\`*#|é中\u0301\u00a0\x00\U0001f600"


@dataclass(frozen=True, slots=True)
class Attack:
    """`before`, then `pump` as often as wanted, then `after`."""

    before: str
    pump: str
    after: str

    def text(self, times: int) -> str:
        """Return the text with the pump repeated."""
        return self.before + self.pump * times + self.after


@dataclass(frozen=True, slots=True)
class Finding:
    """An attack that a pattern does not bear: its steps for a text, and for one twice as long."""

    attack: Attack
    steps: int
    twice: int

    @property
    def growth(self) -> float:
        """How many times the steps for twice the text are those for the text."""
        return self.twice / self.steps


def find_attack(program: Program, use: Use) -> Finding | None:
    """Return an attack whose steps grow faster than its text, or None if none was found."""
    matcher = Matcher(program)
    taken = 0
    for attack in _Automaton(program, use).attacks():
        finding, steps = _measure(matcher, attack, use)
        taken += steps
        if finding is not None or taken > _MOST_STEPS_IN_ALL:
            return finding
    return None


def _measure(matcher: Matcher, attack: Attack, use: Use) -> tuple[Finding | None, int]:
    """Return what an attack shows, and the steps that it took to see."""
    finding, taken = None, 0
    for characters, bound in SIZES:
        times = -(-characters // len(attack.pump))
        try:
            steps = matcher.count(attack.text(times), use, _MOST_STEPS)
            twice = matcher.count(attack.text(2 * times), use, _MOST_STEPS)
        except TooManyStepsError:
            return finding or Finding(attack, 1, _MOST_STEPS), taken + _MOST_STEPS
        finding = Finding(attack, steps, twice)
        taken += steps + twice
        if finding.growth <= bound:
            return None, taken
    return finding, taken


class _Automaton:
    """The places of a program that take a character, and which may follow which."""

    def __init__(self, program: Program, use: Use) -> None:
        self._code = program.code
        self._use = use
        self._starts = self._next(0)
        self._places = [i for i, code in enumerate(self._code) if code.op is Op.CHAR]
        self._following = {place: self._next(place + 1) for place in self._places}
        self._letters = self._alphabet()
        self._triples = 0

    def attacks(self) -> Iterator[Attack]:
        """Yield attacks, those that are found in the shortest way first."""
        seen: set[Attack] = set()
        for before, pump in self._words():
            for after in self._endings(pump):
                attack = Attack(before, pump, after)
                if attack not in seen:
                    seen.add(attack)
                    yield attack

    def _words(self) -> Iterator[tuple[str, str]]:
        """Yield what leads to a loop, and a word that it can be led around by."""
        found: dict[tuple[str, str], None] = {}
        firsts = [_WAITING, *self._loops] if self._use is Use.SEARCH else self._loops
        for first, second in product(firsts, self._loops):
            for word in self._parting(first, second):
                for before in (self._way_to(first), self._way_to(second)):
                    found.setdefault((before, word))
            if len(found) > _MOST_WORDS or self._triples > _MOST_TRIPLES_IN_ALL:
                break
        yield from found
        # Only as far as somebody asks: a great pattern has a thousand loops.
        for place in self._loops:
            found_here = (self._way_to(place), self._around(place))
            if found_here not in found:
                found[found_here] = None
                yield found_here

    def _endings(self, pump: str) -> Iterable[str]:
        """What may keep a match from being complete."""
        strange = [c for c in "\x00\n" if c not in pump]
        fitting = [c for c in self._letters if c not in pump]
        return dict.fromkeys(["", *strange, *fitting[:2], *fitting[-2:]])

    def _next(self, pc: int) -> tuple[int, ...]:
        """Return the places that may take the next character, in order."""
        found: set[int] = set()
        seen: set[int] = set()
        todo = [pc]
        while todo:
            pc = todo.pop()
            if pc in seen:
                continue
            seen.add(pc)
            if self._code[pc].op is Op.CHAR:
                found.add(pc)
            else:
                todo += self._onward(pc)
        return tuple(sorted(found))

    def _onward(self, pc: int) -> list[int]:
        """Return where an instruction that takes no character leads."""
        code = self._code[pc]
        match code.op:
            case Op.SPLIT:
                return [code.a, code.b]
            case Op.JUMP | Op.AGAIN:
                return [code.a]
            case Op.LOOP:
                return [pc + 1, code.a] if code.most else [code.a]
            case Op.LOOK:
                return [code.a] if code.b else [code.a, pc + 1]
            case Op.DONE:
                return [pc + 1] if self._is_atomic_end(pc) else []
            case Op.MATCH:
                return []
            case _:
                return [pc + 1]

    def _is_atomic_end(self, pc: int) -> bool:
        return any(code.op is Op.ATOMIC and code.a == pc + 1 for code in self._code)

    def _alphabet(self) -> list[str]:
        """Return one character for each set of characters that the pattern does not tell apart."""
        sets = dict.fromkeys(code.accepts for code in self._code if code.accepts is not None)
        named = sorted({c for accepts in sets for c in accepts.characters()})
        classes: dict[tuple[object, ...], str] = {}
        for char in [*_COMMON, *named, *(chr(min(ord(c) + 1, 0x10FFFF)) for c in named)]:
            if unicodedata.category(char) != "Cs":
                known = (*(accepts.known[char] for accepts in sets), char.isalnum(), char == "\n")
                classes.setdefault(known, char)
        return list(classes.values())

    @cached_property
    def _loops(self) -> list[int]:
        return [place for place in self._places if self._leads(place, place)]

    def _leads(self, first: int, second: int) -> bool:
        return bool(self._reached[first] & (1 << second))

    @cached_property
    def _reached(self) -> dict[int, int]:
        """Return the places that each leads to, as bits of a number (Warshall's algorithm)."""
        reached = {
            place: sum(1 << following for following in self._following[place])
            for place in self._places
        }
        for pivot in self._places:
            bit = 1 << pivot
            for place in self._places:
                if reached[place] & bit:
                    reached[place] |= reached[pivot]
        return reached

    def _steps(self, place: int, letter: str) -> tuple[int, ...]:
        return self._moves[place].get(letter, ())

    @cached_property
    def _moves(self) -> dict[int, dict[str, tuple[int, ...]]]:
        """Return where each letter leads from each place; waiting, it may also begin a match."""
        moves = {place: self._moves_of(place) for place in self._places}
        waiting: dict[str, tuple[int, ...]] = {}
        for letter in self._letters:
            begun = {q for start in self._starts for q in moves[start].get(letter, ())}
            waiting[letter] = (_WAITING, *sorted(begun))
        return {**moves, _WAITING: waiting}

    def _moves_of(self, place: int) -> dict[str, tuple[int, ...]]:
        accepts = self._code[place].accepts
        assert accepts is not None
        following = self._following[place]
        return {letter: following for letter in self._letters if letter in accepts}

    def _way_to(self, place: int) -> str:
        """Return the shortest text behind which a place may take the next character."""
        return "" if place == _WAITING else self._ways.get(place, "")

    @cached_property
    def _ways(self) -> dict[int, str]:
        return self._walked(dict.fromkeys(self._starts, ""))

    def _around(self, place: int) -> str:
        """Return the shortest text that leads from a place back to it."""
        begun: dict[int, str] = {}
        for letter in self._letters:
            for following in self._steps(place, letter):
                begun.setdefault(following, letter)
        return self._walked(begun)[place]

    def _walked(self, ways: dict[int, str]) -> dict[int, str]:
        """Return the shortest way to each place, given those to the first ones."""
        todo = deque(ways)
        while todo:
            here = todo.popleft()
            for letter in self._letters:
                for following in self._steps(here, letter):
                    if following not in ways:
                        ways[following] = ways[here] + letter
                        todo.append(following)
        return ways

    def _parting(self, first: int, second: int) -> list[str]:
        """Return words that lead from `first` to both, and from `second` to itself.

        They are equally long and differ in their last letter, in what an anchor could see of it.
        """
        if first != _WAITING and not self._leads(first, second):
            return []
        start, goal = (first, first, second), (first, second, second)
        ways = {start: ("", False)}
        todo = deque([start])
        while todo and len(ways) < _MOST_TRIPLES:
            here = todo.popleft()
            self._triples += 1
            way, parted = ways[here]
            words: dict[tuple[bool, bool], str] = {}
            for letter, triple in self._onward_from(here, (first, second, second)):
                now = parted or triple[0] != triple[1]
                if triple == goal and (first != second or now):
                    words.setdefault((letter.isalnum(), letter == "\n"), way + letter)
                elif triple not in ways:
                    ways[triple] = (way + letter, now)
                    todo.append(triple)
            if words:
                return list(words.values())
        return []

    def _onward_from(
        self, here: tuple[int, int, int], goals: tuple[int, int, int]
    ) -> Iterator[tuple[str, tuple[int, int, int]]]:
        """Yield each letter that all three places take, and where it may lead them, in order."""
        one, other, third = (self._moves[place] for place in here)
        for letter in third:
            if letter in one and letter in other:
                a, b, c = one[letter], other[letter], third[letter]
                first, second, last = goals
                for triple in product(
                    self._leading(a, first), self._leading(b, second), self._leading(c, last)
                ):
                    yield letter, triple

    def _leading(self, places: tuple[int, ...], goal: int) -> list[int]:
        """Return those from which there is a way to the goal."""
        if goal == _WAITING:
            return [_WAITING]
        return [p for p in places if p in (_WAITING, goal) or self._leads(p, goal)]
