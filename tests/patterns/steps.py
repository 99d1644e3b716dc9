"""How many steps a backtracking matcher takes: the order of `re`'s own, counted one by one.

`re` gives no count, and seconds are those of whoever else uses the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from re import _constants as sre  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any

from patterns.program import CharSet, Op, Program

_State = tuple[int, int, tuple[int, ...]]
# What is tried next: the same at each place from the second number down to the last.
_Return = tuple[int, int, tuple[int, ...], int]
_Handler = Callable[[int, int, tuple[int, ...], list[_Return]], _State | None]
# An enum is asked for its members by a call.
_CHAR, _SPLIT, _DONE, _MATCH = Op.CHAR, Op.SPLIT, Op.DONE, Op.MATCH


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
        self._choices = {
            pc: _Choices(program, pc) for pc, code in enumerate(self._code) if code.op is _SPLIT
        }
        self._handlers = [self._handler(pc) for pc in range(len(self._code))]
        self._runs: dict[CharSet, list[int]] = {}
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
        self._runs.clear()
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
        stack: list[_Return] = [(pc, at, registers, at)]
        text, length = self._text, len(self._text)
        while stack:
            pc, at, registers, least = stack.pop()
            if at > least:
                stack.append((pc, at - 1, registers, least))
            while self.steps < self._limit:
                self.steps += 1
                code = self._code[pc]
                op = code.op
                # Two steps of three are one of these: they are taken without a call.
                if op is _CHAR:
                    accepts = code.accepts
                    if at == length or accepts is None or not accepts.known[text[at]]:
                        break
                    pc, at = pc + 1, at + 1
                elif op is _SPLIT:
                    skipped, pc, other = self._choices[pc][text[at] if at < length else ""]
                    self.steps += skipped
                    if other:
                        stack.append((other, at, registers, at))
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

    def _handler(self, pc: int) -> _Handler:
        """Return what carries out an instruction. It is chosen once: that takes longer than most."""
        ops = [code.op for code in self._code[pc : pc + 4]]
        match ops:
            case [Op.ENTER, Op.LOOP, Op.CHAR, Op.AGAIN] if not self._code[pc + 1].is_lazy:
                return self._repeat
            case [Op.LOOK, Op.CHAR, Op.DONE, *_]:
                return self._look_at
        handlers: dict[Op, _Handler] = {
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
        return handlers.get(ops[0], self._fail)

    def _fail(self, *_: object) -> None:
        """Go no further: the text goes on, and the match may not end here."""

    def _jump(self, pc: int, at: int, registers: tuple[int, ...], _: list[_Return]) -> _State:
        return self._code[pc].a, at, registers

    def _save(self, pc: int, at: int, registers: tuple[int, ...], _: list[_Return]) -> _State:
        return pc + 1, at, _with(registers, self._code[pc].a, at)

    def _anchor(
        self, pc: int, at: int, registers: tuple[int, ...], _: list[_Return]
    ) -> _State | None:
        return (pc + 1, at, registers) if self._is_at(self._code[pc].anchor, at) else None

    def _enter(self, pc: int, at: int, registers: tuple[int, ...], _: list[_Return]) -> _State:
        place = self._code[pc].a
        return pc + 1, at, (*registers[:place], 0, -1, *registers[place + 2 :])

    def _again(self, pc: int, at: int, registers: tuple[int, ...], _: list[_Return]) -> _State:
        code = self._code[pc]
        loop, rounds = self._code[code.a], registers[code.b]
        if registers[code.b + 1] == at and rounds >= loop.least:
            return loop.a, at, registers  # an empty round is the last
        return code.a, at, _with(registers, code.b, rounds + 1)

    def _loop(self, pc: int, at: int, registers: tuple[int, ...], stack: list[_Return]) -> _State:
        code = self._code[pc]
        rounds, outside = registers[code.b], (code.a, at, registers)
        if rounds >= code.most:
            return outside
        inside = (pc + 1, at, _with(registers, code.b + 1, at))
        if rounds < code.least:
            return inside
        first, second = (outside, inside) if code.is_lazy else (inside, outside)
        stack.append((*second, at))
        return first

    def _repeat(
        self, pc: int, at: int, registers: tuple[int, ...], stack: list[_Return]
    ) -> _State | None:
        """Take one character as often as it comes, and count what its rounds would have been."""
        loop, accepts = self._code[pc + 1], self._code[pc + 2].accepts
        assert accepts is not None
        rounds = min(self._run_of(accepts, at), loop.most)
        # Each round begins, takes its character and ends; one more begins, and takes none.
        self.steps += 3 * rounds + 1 + (rounds < loop.most)
        if self.steps > self._limit:
            raise TooManyStepsError
        if rounds < loop.least:
            return None
        if rounds > loop.least:
            stack.append((loop.a, at + rounds - 1, registers, at + loop.least))
        return loop.a, at + rounds, registers

    def _run_of(self, accepts: CharSet, at: int) -> int:
        """Return how many characters from here on are of a set."""
        if accepts not in self._runs:
            run, runs = 0, [0]
            for char in reversed(self._text):
                run = run + 1 if accepts.known[char] else 0
                runs.append(run)
            self._runs[accepts] = runs[::-1]
        return self._runs[accepts][at]

    def _look_at(
        self, pc: int, at: int, registers: tuple[int, ...], _: list[_Return]
    ) -> _State | None:
        """Look at one character: the step of it, and another one where it is of the set."""
        code, accepts, begin = self._code[pc], self._code[pc + 1].accepts, at - self._code[pc].b
        assert accepts is not None
        found = 0 <= begin < len(self._text) and accepts.known[self._text[begin]]
        self.steps += (begin >= 0) + found
        return (code.a, at, registers) if found is not code.is_negative else None

    def _group(
        self, pc: int, at: int, registers: tuple[int, ...], _: list[_Return]
    ) -> _State | None:
        code = self._code[pc]
        begin = at - code.b
        found = self._run(pc + 1, begin, registers) if begin >= 0 else None
        if code.op is Op.ATOMIC:
            return None if found is None else (code.a, *found)
        if (found is None) is not code.is_negative:
            return None
        return code.a, at, registers if found is None else found[1]

    def _same(
        self, pc: int, at: int, registers: tuple[int, ...], _: list[_Return]
    ) -> _State | None:
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


class _Choices(dict[str, tuple[int, int, int]]):
    """What a character leaves of alternatives: how many steps are for those that begin with none of
    it, the place of the next one, and of those behind it, or 0. At the end of a text it is empty."""

    def __init__(self, program: Program, pc: int) -> None:
        self._code, self._pc = program.code, pc

    def __missing__(self, char: str) -> tuple[int, int, int]:
        pc, skipped = self._pc, 0
        while (split := self._code[pc]).op is _SPLIT:
            accepts = self._code[split.a].accepts
            if accepts is None or (char and accepts.known[char]):
                self[char] = skipped, split.a, split.b
                break
            skipped, pc = skipped + 2, split.b
        else:
            self[char] = skipped - 1, pc, 0
        return self[char]
