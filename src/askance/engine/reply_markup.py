"""What a model writes around an answer: a fence around the whole of it, and calls of tools.

No tools are offered, but some models call one all the same, and their servers leave the call in the
text. It is no part of an answer. What may still become such markup is held back while it streams.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

_CALLS = (
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<|tool_calls|>", "<|/tool_calls|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|tool_call>", "<tool_call|>"),
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    ("<|tool_call_begin|>", "<|tool_call_end|>"),
    ("<\uff5ctool▁calls▁begin\uff5c>", "<\uff5ctool▁calls▁end\uff5c>"),
    ("<|tool▁calls▁begin|>", "<|tool▁calls▁end|>"),
    ("<|python_tag|>", "<|eom_id|>"),
    ("<|action_start|>", "<|action_end|>"),
    ("<function_call>", "</function_call>"),
    ("<function_calls>", "</function_calls>"),
    ("<function=", "</function>"),
    ("<invoke name=", "</invoke>"),
    ("<tools>", "</tools>"),
    ("[TOOL_CALLS]", ""),
    ("functools[", ""),
    ("<minimax:tool_call>", "</minimax:tool_call>"),
)
"""How a call begins, and how it ends; one without an end goes on to the end of the reply."""

_LONGEST_OPENING = max(len(opening) for opening, _ in _CALLS)
_LONGEST_HELD = 40_000
"""What is longer is no markup around an answer."""
_WRAPPER = re.compile(r"\s{0,20}(?P<mark>`{3,8}|~{3,8})[ \t]{0,3}(?P<info>[a-z]{0,10})[ \t]{0,3}\n")
_MAY_WRAP = re.compile(
    r"\s{0,20}(?:`{1,8}|~{1,8}|(?:`{3,8}|~{3,8})[ \t]{0,3}[a-z]{0,10}[ \t]{0,3})?"
)
_PROSE = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext", "answer", "json"})
_MAY_BE_CALL = re.compile(
    r"\s{0,20}[\[{]\s{0,20}(?:\{\s{0,20})?"
    r"\"(?:name|function|tool|tool_name|tool_calls?|action|recipient_name|type)\"\s{0,9}:"
)
_JSON_BEGINS = re.compile(r"\s{0,20}[\[{][\s{]{0,40}(?:\"[a-z_]{0,16}(?:\"\s{0,9})?)?")
_NAMES = frozenset({"name", "function", "tool", "tool_name", "action", "recipient_name"})
_ARGUMENTS = frozenset(
    {"arguments", "parameters", "args", "input", "action_input", "tool_input", "function"}
)
_FENCE_LINE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})", re.MULTILINE)
_ENDS = frozenset(".!?。！？")
_LEAST_WORDS = 4


class ReplyMarkup:
    """Takes an answer as it streams in and gives back what of it is the answer."""

    def __init__(self) -> None:
        self._given = ""
        self._held = ""
        self._closing: str | None = None
        """How the call ends that is being left out; empty where it does not end."""

    def add(self, piece: str) -> str:
        """Take in what was written next, and return what can be shown now."""
        self._held += piece
        return self._give(is_whole=False)

    def close(self) -> str:
        """Return what was held back, once no more comes."""
        return self._give(is_whole=True)

    @property
    def held(self) -> str:
        """What was written and is not shown yet."""
        return self._held

    def _give(self, *, is_whole: bool) -> str:
        if not self._given.strip() and self._is_undecided(is_whole=is_whole):
            return ""
        if is_whole and not self._given.strip():
            self._held = without_wrapper(self._held)
            if is_call(self._held):
                self._held = ""
        shown = ""
        while self._held:
            part, goes_on = self._next(is_whole=is_whole)
            shown += part
            self._given += part
            if not goes_on:
                break
        return shown

    def _is_undecided(self, *, is_whole: bool) -> bool:
        """Say whether all that came may be a wrapper, or a call in JSON."""
        text = self._held
        if is_whole or len(text) > _LONGEST_HELD:
            return False
        if _MAY_WRAP.fullmatch(text) or _JSON_BEGINS.fullmatch(text):
            return True
        if _MAY_BE_CALL.match(text):
            return True
        opening = _WRAPPER.match(text)
        if opening is None or opening["info"] not in _PROSE:
            return False
        if opening["info"] in ("markdown", "md"):
            return True
        # Once text follows a closed block, that was a block of its own.
        _, closing, behind = text[opening.end() - 1 :].partition(f"\n{opening['mark']}\n")
        return not closing or not behind.strip()

    def _next(self, *, is_whole: bool) -> tuple[str, bool]:
        """Return the next part of what is held that is shown, and whether there may be more."""
        if self._closing is not None:
            end = self._held.find(self._closing) if self._closing else -1
            if end < 0:
                store = 0 if is_whole or not self._closing else len(self._closing) - 1
                self._held = self._held[-store:] if store else ""
                return "", False
            self._held = self._held[end + len(self._closing) :]
            self._closing = None
            return "", True
        found = self._opening()
        if found is not None:
            at, opening, closing = found
            shown = self._held[:at]
            self._held = self._held[at + len(opening) :]
            self._closing = closing
            return shown.rstrip() if is_whole else shown, True
        cut = len(self._held) if is_whole else self._begun()
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown, False

    def _opening(self) -> tuple[int, str, str] | None:
        places = [
            (at, opening, closing)
            for opening, closing in _CALLS
            if (at := self._place(opening)) is not None
        ]
        return min(places, default=None)

    def _place(self, opening: str) -> int | None:
        """Return where a call begins, if it stands where one can: not in code nor in a sentence."""
        at = self._held.find(opening)
        while at >= 0:
            before = (self._given + self._held[:at])[-_LONGEST_HELD:]
            last = before.rstrip(" \t")[-1:]
            in_fence = len(_FENCE_LINE.findall(before)) % 2
            if last in "\n.!?…。！？])>*" and not in_fence and before[-1:] != "`":
                return at
            at = self._held.find(opening, at + 1)
        return None

    def _begun(self) -> int:
        """Return where the beginning of a call may stand at the end, or the length of what is held."""
        tail = max(0, len(self._held) - _LONGEST_OPENING)
        for at in range(tail, len(self._held)):
            rest = self._held[at:]
            if rest[0] in "<[f" and any(opening.startswith(rest) for opening, _ in _CALLS):
                return at
        return len(self._held)


def without_wrapper(text: str) -> str:
    """Return a whole reply without the fence around all of it, if it is prose that stands in one."""
    opening = _WRAPPER.match(text)
    if opening is None or opening["info"] not in _PROSE:
        return text
    body = text[opening.end() :].rstrip()
    last = body[body.rfind("\n") + 1 :]
    if last.strip() != opening["mark"] or len(_FENCE_LINE.findall(body)) % 2 == 0:
        return text
    inner = body[: len(body) - len(last)].rstrip("\n")
    if opening["info"] == "json":
        return inner if is_call(inner) else text
    has_fence = bool(_FENCE_LINE.search(inner))
    if opening["info"] in ("markdown", "md"):
        return inner
    return inner if not has_fence and (_is_prose(inner) or is_call(inner)) else text


def _is_prose(text: str) -> bool:
    """Say whether a line of a text is a sentence."""
    return any(
        _ENDS & set(line) and (len(line.split()) >= _LEAST_WORDS or not line.isascii())
        for line in text.splitlines()
    )


def is_call(text: str) -> bool:
    """Say whether a reply is nothing but the call of a tool, as JSON."""
    if not _MAY_BE_CALL.match(text):
        return False
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    calls: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    return all(_is_one_call(call) for call in calls)


def _is_one_call(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    record = cast("dict[str, Any]", value)
    if "tool_calls" in record or "tool_call" in record:
        return len(record) <= 3
    return bool(_NAMES & record.keys()) and bool(_ARGUMENTS & record.keys())
