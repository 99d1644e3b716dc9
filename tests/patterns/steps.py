"""How many steps a backtracking matcher takes: the order of `re`'s own, counted one by one.

`re` gives no count, and seconds are those of whoever else uses the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from re import _constants as sre  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any

from patterns.program import Op, Program

_State = tuple[int, int, tuple[int, ...]]
# What is tried if the way taken fails: the last of these first.
_Returns = list[_State]
_Handler = Callable[[int, int, tuple[int, ...], _Returns], _State | None]
# An enum is asked for its members by a call.
_CHAR, _DONE, _MATCH = Op.CHAR, Op.DONE, Op.MATCH


class Use(Enum):
    """How a pattern is laid against a text."""

    SEARCH = auto()  # at every place of it, one match after the other
    MATCH = auto()  # at its beginning
    FULL = auto()  # at its beginning and up to its end


class TooManyStepsError(Exception):
    """The matcher was stopped at its limit."""


class Matcher:
    """Runs a program and counts what it does."""

    def __init__(self, program: Program) -> None:
        self._code = program.code
        self._fresh = (-1,) * program.registers
        handlers: dict[Op, _Handler] = {
            Op.SPLIT: self._split,
            Op.JUMP: self._jump,
            Op.SAVE: self._save,
            Op.AT: self._anchor,
            Op.LOOK: self._group,
            Op.ATOMIC: self._group,
            Op.SAME: self._same,
            Op.ENTER: self._enter,
            Op.LOOP: self._loop,
            Op.AGAIN: self._again,
        }
        # Chosen once: that takes longer than most of them.
        self._handlers = [handlers.get(code.op, self._fail) for code in self._code]
        self._text = ""
        self._limit = 0
        self._is_full = False
        self.steps = 0

    def count(self, text: str, use: Use, limit: int = 10_000_000) -> int:
        """Return the steps for a text, all its matches taken together.

        Raises:
            TooManyStepsError: they are more than `limit`.
        """
        self.spans(text, use, limit)
        return self.steps

    def spans(self, text: str, use: Use, limit: int = 10_000_000) -> list[tuple[int, int]]:
        """Return where the pattern matches. Raises as `count` does."""
        self._text, self._limit, self.steps = text, limit, 0
        self._is_full = use is Use.FULL
        if use is not Use.SEARCH:
            end = self._match(0)
            return [] if end is None else [(0, end)]
        found: list[tuple[int, int]] = []
        start = 0
        while start <= len(text):
            end = self._match(start)
            if end is None:
                start += 1
                continue
            found.append((start, end))
            start = end if end > start else start + 1
        return found

    def _match(self, start: int) -> int | None:
        end = self._run(0, start, self._fresh)
        return None if end is None else end[0]

    def _run(
        self, pc: int, at: int, registers: tuple[int, ...]
    ) -> tuple[int, tuple[int, ...]] | None:
        """Go on from an instruction until the match, or what a group holds, is complete."""
        stack = [(pc, at, registers)]
        text, length = self._text, len(self._text)
        while stack:
            pc, at, registers = stack.pop()
            while self.steps < self._limit:
                self.steps += 1
                code = self._code[pc]
                op = code.op
                # Two steps of three are this one: it is taken without a call.
                if op is _CHAR:
                    accepts = code.accepts
                    if at == length or accepts is None or not accepts.known[text[at]]:
                        break
                    pc, at = pc + 1, at + 1
                elif op is _DONE or (op is _MATCH and not (self._is_full and at < length)):
                    return at, registers
                else:
                    following = self._handlers[pc](pc, at, registers, stack)
                    if following is None:
                        break
                    pc, at, registers = following
            else:
                raise TooManyStepsError
        return None

    def _fail(self, *_: object) -> None:
        """Go no further: the text goes on, and the match may not end here."""

    def _split(self, pc: int, at: int, registers: tuple[int, ...], stack: _Returns) -> _State:
        stack.append((self._code[pc].b, at, registers))
        return self._code[pc].a, at, registers

    def _jump(self, pc: int, at: int, registers: tuple[int, ...], _: _Returns) -> _State:
        return self._code[pc].a, at, registers

    def _save(self, pc: int, at: int, registers: tuple[int, ...], _: _Returns) -> _State:
        return pc + 1, at, _with(registers, self._code[pc].a, at)

    def _anchor(self, pc: int, at: int, registers: tuple[int, ...], _: _Returns) -> _State | None:
        return (pc + 1, at, registers) if self._is_at(self._code[pc].anchor, at) else None

    def _enter(self, pc: int, at: int, registers: tuple[int, ...], _: _Returns) -> _State:
        place = self._code[pc].a
        return pc + 1, at, (*registers[:place], 0, -1, *registers[place + 2 :])

    def _again(self, pc: int, at: int, registers: tuple[int, ...], _: _Returns) -> _State:
        code = self._code[pc]
        loop, rounds = self._code[code.a], registers[code.b]
        if registers[code.b + 1] == at and rounds >= loop.least:
            return loop.a, at, registers  # an empty round is the last
        return code.a, at, _with(registers, code.b, rounds + 1)

    def _loop(self, pc: int, at: int, registers: tuple[int, ...], stack: _Returns) -> _State:
        code = self._code[pc]
        rounds, outside = registers[code.b], (code.a, at, registers)
        if rounds >= code.most:
            return outside
        inside = (pc + 1, at, _with(registers, code.b + 1, at))
        if rounds < code.least:
            return inside
        first, second = (outside, inside) if code.is_lazy else (inside, outside)
        stack.append(second)
        return first

    def _group(self, pc: int, at: int, registers: tuple[int, ...], _: _Returns) -> _State | None:
        code = self._code[pc]
        begin = at - code.b
        found = self._run(pc + 1, begin, registers) if begin >= 0 else None
        if code.op is Op.ATOMIC:
            return None if found is None else (code.a, *found)
        if (found is None) is not code.is_negative:
            return None
        return code.a, at, registers if found is None else found[1]

    def _same(self, pc: int, at: int, registers: tuple[int, ...], _: _Returns) -> _State | None:
        first, last = registers[self._code[pc].a : self._code[pc].a + 2]
        wanted = self._text[first:last] if 0 <= first <= last else None
        if wanted is None or self._text[at : at + len(wanted)].lower() != wanted.lower():
            return None
        self.steps += len(wanted)
        return pc + 1, at + len(wanted), registers

    def _is_at(self, anchor: Any, at: int) -> bool:
        text = self._text
        match anchor:
            case sre.AT_BEGINNING | sre.AT_BEGINNING_STRING:
                return at == 0
            case sre.AT_BEGINNING_LINE:
                return at == 0 or text[at - 1] == "\n"
            case sre.AT_END:
                return at == len(text) or (at == len(text) - 1 and text[at] == "\n")
            case sre.AT_END_LINE:
                return at == len(text) or text[at] == "\n"
            case sre.AT_END_STRING:
                return at == len(text)
            case _:
                before = at > 0 and _is_word(text[at - 1])
                behind = at < len(text) and _is_word(text[at])
                return (before is not behind) is (anchor is sre.AT_BOUNDARY)


def _with(registers: tuple[int, ...], place: int, value: int) -> tuple[int, ...]:
    return (*registers[:place], value, *registers[place + 1 :])


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
