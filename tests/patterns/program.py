"""A regular expression as instructions, out of the tree that `re` itself parses it into."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache
from re import _constants as sre  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any

ENDLESS = int(sre.MAXREPEAT)
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdecimal,
    sre.CATEGORY_NOT_DIGIT: lambda c: not c.isdecimal(),
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    sre.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    sre.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


class Op(Enum):
    """What an instruction does. `a` and `b` of an instruction are its places or numbers."""

    CHAR = auto()  # one character of a set
    SPLIT = auto()  # go on at `a`, and if that fails at `b`
    JUMP = auto()  # go on at `a`
    ENTER = auto()  # register `a` counts the rounds of a loop, the next where the last began
    LOOP = auto()  # begin another round, or leave to `a`
    AGAIN = auto()  # end a round of the loop at `a`
    SAVE = auto()  # note the place in register `a`
    AT = auto()  # an anchor
    LOOK = auto()  # look ahead, or `b` characters back; goes on at `a`
    ATOMIC = auto()  # what it holds is matched once; goes on at `a`
    SAME = auto()  # what the group of register `a` matched
    DONE = auto()  # the end of what a look or an atomic group holds
    MATCH = auto()


@dataclass(slots=True)
class Instruction:
    """One step of a program."""

    op: Op
    a: int = 0
    b: int = 0
    accepts: CharSet | None = None
    least: int = 0
    most: int = 0
    is_lazy: bool = False
    is_negative: bool = False
    anchor: Any = None


class _Judged(dict[str, bool]):
    """Whether a character is accepted, judged at the first question."""

    def __init__(self, judge: Callable[[str], bool]) -> None:
        self._judge = judge

    def __missing__(self, char: str) -> bool:
        held = self[char] = self._judge(char)
        return held


class CharSet:
    """What one place of a pattern accepts, with the alternatives of letter case where it ignores it."""

    def __init__(self, items: tuple[tuple[Any, Any], ...], flags: int) -> None:
        self.items = items
        self._is_negated = bool(items) and items[0][0] is sre.NEGATE
        self._ignores_case = bool(flags & re.IGNORECASE)
        self._takes_breaks = bool(flags & re.DOTALL)
        self.known = _Judged(self._judge)

    def __contains__(self, char: str) -> bool:
        return self.known[char]

    def characters(self) -> set[str]:
        """Return characters at which its answer may change."""
        found: set[str] = set()
        for op, value in self.items:
            if op in (sre.LITERAL, sre.NOT_LITERAL):
                found.add(chr(value))
            elif op is sre.RANGE:
                found |= {chr(value[0]), chr(value[1])}
        return found

    def _judge(self, char: str) -> bool:
        cases = {char, char.lower(), char.upper()} if self._ignores_case else {char}
        cases = {case for case in cases if len(case) == 1}
        held = any(self._holds(op, value, case) for op, value in self.items for case in cases)
        return held is not self._is_negated

    def _holds(self, op: Any, value: Any, char: str) -> bool:
        if op is sre.LITERAL:
            return ord(char) == value
        if op is sre.NOT_LITERAL:
            return ord(char) != value
        if op is sre.RANGE:
            return value[0] <= ord(char) <= value[1]
        if op is sre.CATEGORY:
            return _CATEGORIES[value](char)
        if op is sre.ANY:
            return self._takes_breaks or char != "\n"
        assert op is sre.NEGATE
        return False


@cache
def _char_set(items: tuple[tuple[Any, Any], ...], flags: int) -> CharSet:
    """Return a set of characters, which knows what it was asked in any pattern."""
    return CharSet(items, flags)


@dataclass(slots=True)
class Program:
    """The instructions of a pattern, and how many registers they need."""

    flags: int
    code: list[Instruction] = field(default_factory=list[Instruction])
    registers: int = 0

    def add(self, op: Op, **fields: Any) -> Instruction:
        """Append an instruction and return it: places behind it are filled in later."""
        self.code.append(Instruction(op, **fields))
        return self.code[-1]


def compile_program(pattern: str, flags: int = 0) -> Program:
    """Return the program of a pattern."""
    tree = parser.parse(pattern, flags)
    program = Program(tree.state.flags)
    program.registers = 2 * tree.state.groups
    _Compiler(program).sequence(tree, tree.state.flags)
    program.add(Op.MATCH)
    return program


class _Compiler:
    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def _here(self) -> int:
        return len(self._program.code)

    def sequence(self, tree: Any, flags: int) -> None:
        for op, value in tree:
            name = str(op).lower()
            if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.RANGE, sre.CATEGORY):
                self._program.add(Op.CHAR, accepts=_char_set(((op, value),), flags))
            elif op is sre.IN:
                self._program.add(Op.CHAR, accepts=_char_set(tuple(value), flags))
            else:
                getattr(self, f"_{name}")(value, flags)

    def _at(self, value: Any, flags: int) -> None:
        multiline = {
            sre.AT_BEGINNING: sre.AT_BEGINNING_LINE,
            sre.AT_END: sre.AT_END_LINE,
        }
        anchor = multiline.get(value, value) if flags & re.MULTILINE else value
        self._program.add(Op.AT, anchor=anchor)

    def _branch(self, value: Any, flags: int) -> None:
        *firsts, last = value[1]
        ends: list[Instruction] = []
        for choice in firsts:
            split = self._program.add(Op.SPLIT, a=self._here + 1)
            self.sequence(choice, flags)
            ends.append(self._program.add(Op.JUMP))
            split.b = self._here
        self.sequence(last, flags)
        for end in ends:
            end.a = self._here

    def _subpattern(self, value: Any, flags: int) -> None:
        group, added, removed, tree = value
        if group is not None:
            self._program.add(Op.SAVE, a=2 * (group - 1))
        self.sequence(tree, (flags | added) & ~removed)
        if group is not None:
            self._program.add(Op.SAVE, a=2 * (group - 1) + 1)

    def _max_repeat(self, value: Any, flags: int, *, is_lazy: bool = False) -> None:
        least, most, tree = value
        register = self._program.registers
        self._program.registers += 2
        self._program.add(Op.ENTER, a=register)
        loop, place = self._program.add(Op.LOOP, b=register, is_lazy=is_lazy), self._here - 1
        loop.least, loop.most = int(least), int(most)
        self.sequence(tree, flags)
        self._program.add(Op.AGAIN, a=place, b=register)
        loop.a = self._here

    def _min_repeat(self, value: Any, flags: int) -> None:
        self._max_repeat(value, flags, is_lazy=True)

    def _possessive_repeat(self, value: Any, flags: int) -> None:
        self._atomic_group([(sre.MAX_REPEAT, value)], flags)

    def _atomic_group(self, value: Any, flags: int) -> None:
        atomic = self._program.add(Op.ATOMIC)
        self.sequence(value, flags)
        self._program.add(Op.DONE)
        atomic.a = self._here

    def _assert(self, value: Any, flags: int, *, is_negative: bool = False) -> None:
        direction, tree = value
        width = tree.getwidth()[0] if direction < 0 else 0
        look = self._program.add(Op.LOOK, b=width, is_negative=is_negative)
        self.sequence(tree, flags)
        self._program.add(Op.DONE)
        look.a = self._here

    def _assert_not(self, value: Any, flags: int) -> None:
        self._assert(value, flags, is_negative=True)

    def _groupref(self, value: Any, _flags: int) -> None:
        self._program.add(Op.SAME, a=2 * (value - 1))
