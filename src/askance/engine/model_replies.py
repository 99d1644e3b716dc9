"""What models reply: JSON as they write it, its fields by their type, and text while it streams or stands in markup."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from enum import StrEnum
from typing import Any, TypeVar, cast

from askance.domain.messages import NOTHING, Message
from askance.domain.patterns import lazy_re
from askance.domain.ports.model import Finished, FinishReason
from askance.text.languages.sentences import sentence_spans

# JSON objects as models write them: in prose, in a wrapping, with comments, with other quotes,
# cut off.
#
# Strict JSON comes out as a strict parser would read it. Nothing is made up: a value that is not
# complete is left out with its key.

Fields = dict[str, Any]

# A reader that calls itself: a model that writes `[[[[` must not reach Python's own limit.
_DEEPEST = 40
# So many braces are tried as the beginning of an object.
_MOST_STARTS = 60
# Possessive (`*+`), since blanks in a row can be parted in a great many ways.
_BETWEEN = lazy_re(r"(?:\s+|//[^\n]*|#[^\n]*|/\*.*?\*/|)*+", re.DOTALL)
_BARE_KEY = lazy_re(r"[\w$-]{1,60}")
_BARE_VALUE = lazy_re(r"[^,\[\]{}\n\"]{1,400}")
_NUMBER = lazy_re(r"[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?")
_CLOSED_BY = {'"': '"', "'": "'", "`": "`", "“": "”“", "„": "“”", "‘": "’‘", "«": "»", "「": "」"}
# What stands behind a string: its quotation mark within a text stands before something else.
_BEHIND = lazy_re(r"\s*+(?:[,:}\]]|//|/\*|#|\Z)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {
    "true": True, "false": False, "null": None, "none": None, "undefined": None, "nil": None,
}  # fmt: skip


def find_fields(text: str, keys: Collection[str]) -> Fields:
    """Return the fields of the last object in a text that has one of these keys; empty without one.

    It may be wrapped in another object, in a list or in a string. Keys are compared without regard to
    case, and come out as they are in `keys`.
    """
    wanted = {_plain(key): key for key in keys}
    found: Fields = {}
    for value in _values(text):
        for candidate in _candidates(value):
            fields = {wanted[k]: v for key, v in candidate.items() if (k := _plain(key)) in wanted}
            found = fields or found
    return found


def _plain(key: str) -> str:
    return key.strip().lower().replace("-", "_").replace(" ", "_")


def _values(text: str, depth: int = 0) -> list[Any]:
    """Return the objects in a text, the outermost of each."""
    if depth < 2 and (inner := _encoded(text)) is not None:
        return _values(inner, depth + 1)
    values: list[Any] = []
    at = text.find("{")
    for _ in range(_MOST_STARTS):
        if at < 0:
            break
        reader = _Reader(text, at)
        fields = reader.first()
        if fields:
            values.append(fields)
        # Behind the object where one was read, so that the whole is linear.
        at = text.find("{", reader.at if fields else at + 1)
    return values


def _encoded(text: str) -> str | None:
    """Return what a text that is nothing but a JSON string holds."""
    if not text.strip().startswith('"'):
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def _candidates(value: Any, depth: int = 0) -> list[Fields]:
    """Return an object and those within it, the inner ones first: a wrapping has other keys."""
    if depth > _DEEPEST:
        return []
    if isinstance(value, dict):
        fields = cast("Fields", value)
        inner = [found for v in fields.values() for found in _candidates(v, depth + 1)]
        return [*inner, fields]
    if isinstance(value, list):
        return [f for v in cast("list[Any]", value) for f in _candidates(v, depth + 1)]
    return []


class _Reader:
    """Reads values from a place in a text on; `at` is where it has come to."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def first(self) -> Fields:
        """Return the fields of the object that begins here, those that are complete."""
        fields: Fields = {}
        with suppress(ValueError):
            self._object(fields, 0)
        return fields

    def _object(self, fields: Fields, depth: int) -> None:
        self.at += 1
        while True:
            if self._is_next("}"):
                return
            key = self._key()
            if not self._is_next(":") and not self._is_next("="):
                raise ValueError(key)
            fields[key] = self._value(depth + 1)
            if not self._is_next(",") and self._peek() != "}":
                raise ValueError(key)

    def _key(self) -> str:
        if self._peek() in _CLOSED_BY:
            return self._string()
        if (match := _BARE_KEY.match(self._text, self.at)) is None:
            raise ValueError("no key")
        self.at = match.end()
        return match[0]

    def _value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("too deep")
        first = self._peek()
        if first == "{":
            fields: Fields = {}
            self._object(fields, depth)
            return fields
        if first == "[":
            return self._list(depth)
        if first in _CLOSED_BY:
            return self._string()
        return self._word()

    def _list(self, depth: int) -> list[Any]:
        self.at += 1
        values: list[Any] = []
        while not self._is_next("]"):
            values.append(self._value(depth + 1))
            if not self._is_next(",") and self._peek() != "]":
                raise ValueError("no list")
        return values

    def _string(self) -> str:
        closing = _CLOSED_BY[self._text[self.at]]
        parts: list[str] = []
        at = self.at + 1
        while at < len(self._text):
            char = self._text[at]
            if char == "\\" and at + 1 < len(self._text):
                part, at = self._escape(at)
                parts.append(part)
                continue
            # Models leave quotation marks inside a text unescaped: only one with a comma or brace
            # behind it ends it.
            if char in closing and _BEHIND.match(self._text, at + 1):
                self.at = at + 1
                return "".join(parts)
            parts.append(char)
            at += 1
        raise ValueError("an open string")

    def _escape(self, at: int) -> tuple[str, int]:
        char = self._text[at + 1]
        if char == "u":
            digits = self._text[at + 2 : at + 6]
            # Only a strict reader puts the halves of a pair together.
            pair = self._text[at : at + 12]
            # Signs beyond U+FFFF come as two halves (RFC 8259, 7).
            for escaped in (pair, pair[:6]):
                try:
                    value: Any = json.loads(f'"{escaped}"')
                except ValueError:
                    continue
                if isinstance(value, str) and len(value) == 1 and len(digits) == 4:
                    return value, at + len(escaped)
            return "", at + 2
        return _ESCAPES.get(char, char), at + 2

    def _word(self) -> Any:
        match = _BARE_VALUE.match(self._text, self.at)
        # At the end of what has arrived a number may go on: 1 of 12.
        if match is None or match.end() == len(self._text):
            raise ValueError("no value, or one that goes on")
        word = re.split(r"//|/\*|\s#", match[0])[0]
        self.at += len(word)
        word = word.strip()
        if not word:
            raise ValueError("no value")
        if word.lower() in _WORDS:
            return _WORDS[word.lower()]
        if _NUMBER.fullmatch(word):
            return float(word) if set(word) & set(".eE") else int(word)
        return word

    def _peek(self) -> str:
        match = _BETWEEN.match(self._text, self.at)
        self.at = match.end() if match else self.at
        return self._text[self.at : self.at + 1] or "\0"

    def _is_next(self, char: str) -> bool:
        if self._peek() != char:
            return False
        self.at += 1
        return True


# Reading the fields of a model's JSON by their type: models put null, lists and objects where a
# text belongs.

Choice = TypeVar("Choice", bound=StrEnum)

# What stands for "nothing" in a field that must hold a text. Python's, JSON's and other languages'
# words for it come from models that were trained on programs and forms.
_NOTHING = frozenset(
    (
        "none", "null", "nil", "undefined", "nan", "n/a", "n.a", "na", "not applicable",
        "not available", "empty", "empty string", "void", "<none>", "<null>", "string", "...",
    )
)  # fmt: skip
# What a model writes in place of a clarifying question, in the languages that it is asked in.
_NO_QUESTION = frozenset(
    (
        "no", "nope", "nothing", "none needed", "none required", "not needed", "not required",
        "not necessary", "no question", "no questions", "no clarification", "unnecessary", "false",
        "keine", "keiner", "keines", "nein", "nichts", "nicht nötig", "nicht erforderlich", "entfällt",
        "aucune", "aucun", "rien", "non", "ninguna", "ninguno", "nada", "nenhuma", "nenhum",
        "nessuna", "nessuno", "geen", "ingen", "inget", "brak", "žádná", "нет", "无", "無", "没有",
        "不需要", "なし", "不要", "없음", "해당 없음",
    )
)  # fmt: skip
_NO_QUESTION_NEEDED = lazy_re(
    r"no (?:further |additional |more )?(?:clarif\w+|clarifying questions?|questions?)"
    r"(?: (?:is|are|was|were))?(?: (?:needed|required|necessary))?"
)
_EDGES = " \t\r\n\"'`“”‘’„.,;:!?-–—_*()[]{}。、"
# Under these names the text stands in an object, the likeliest first.
_TEXT_KEYS = ("query", "text", "question", "q", "search_query", "optimized_query", "value",
              "content", "string", "search")  # fmt: skip
_DEEPEST_FIELD = 4
_LONGEST_SPELLED = 1_000


def texts_in(value: Any) -> tuple[str, ...]:
    """Return the texts in a field: its own, those of a list, the one that an object plainly holds.

    Null, numbers, truth values and objects without such a text hold none, nor does a word that stands
    for nothing ("None", "N/A").
    """
    return tuple(text for text in _texts(value, 0) if not is_nothing(text))


def text_in(value: Any) -> str:
    """Return the first text in a field, see `texts_in`; empty if there is none."""
    return next(iter(texts_in(value)), "")


def question_in(value: Any) -> str:
    """Return the clarifying question in a field; empty where it only says that there is none."""
    text = text_in(value)
    question = _bare(text)
    is_none = question in _NO_QUESTION or _NO_QUESTION_NEEDED.fullmatch(question)
    return "" if is_none else text


def is_nothing(text: str) -> bool:
    """Say whether a text has no letter and no digit, or is only a word for nothing."""
    return not any(c.isalnum() for c in text) or _bare(text) in _NOTHING


def number_in(value: object) -> float | None:
    """Return a number, also one that the model put in quotes; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    # `float` reads "nan" and "inf", and no order holds with them.
    return number if math.isfinite(number) else None


def numbers_in(value: object) -> list[float]:
    """Return the numbers of a list, see `number_in`."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [number for each in listed if (number := number_in(each)) is not None]


def choice_in(value: Any, kind: type[Choice], otherwise: Choice | None = None) -> Choice:
    """Return the member that a field names, in letters of either case.

    Raises:
        ValueError: it names none, and there is nothing to take `otherwise`.
    """
    word = value.strip(_EDGES).lower() if isinstance(value, str) else ""
    if otherwise is not None and word not in set(kind):
        return otherwise
    return kind(word)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        spelled = _spelled_out(value.strip())
        if spelled is not None:
            yield from _texts(spelled, depth + 1)
        elif value.strip():
            yield value.strip()
    elif depth < _DEEPEST_FIELD:
        for item in _held_in(value):
            yield from _texts(item, depth + 1)


def _held_in(value: Any) -> list[Any]:
    """Return the items of a list, and of an object what stands for its text."""
    if isinstance(value, list):
        return cast("list[Any]", value)
    if not isinstance(value, dict):
        return []
    fields = cast("dict[str, Any]", value)
    named = [fields[key] for key in _TEXT_KEYS if fields.get(key)]
    # An object with one field alone, whatever it is called, has that one as its text.
    return named[:1] or (list(fields.values()) if len(fields) == 1 else [])


def _spelled_out(text: str) -> Any:
    """Return the list or object that a text is the JSON or Python of; None if it is neither."""
    # A text of its own that is long is no list in disguise; `literal_eval` would take its time for
    # it.
    if not (text[:1] in "[{" and text[-1:] in "]}" and len(text) <= _LONGEST_SPELLED):
        return None
    # `literal_eval` reads constants alone, and runs nothing.
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return cast("Any", value) if isinstance(value, list | dict) else None
    return None


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(_EDGES).lower()


# Reading replies while they stream: JSON before it is complete, and text that repeats itself
# without end.

# A loop repeats a unit of at most this many characters at least three times over, and for as long
# as a person would look at it.
LONGEST_LOOP = 400
LOOP_TIMES = 3
LOOP_CHARS = 240
LOOP_PROBE = 40
_KEY = lazy_re(r'\s*+,?\s*+"((?:[^"\\]|\\.|)*+)"\s*+:\s*+')
_VALUE_END = lazy_re(r"\s*+[,}]")
# Small models break lines inside strings, which strict JSON does not allow.
_DECODER = json.JSONDecoder(strict=False)


def finished_fields(text: str) -> dict[str, Any]:
    """Return the top-level fields of the first object in `text` whose values are complete.

    Text before the object (a code fence, a word of politeness) is passed over. What is not JSON
    gives an empty dict.
    """
    start = text.find("{")
    fields: dict[str, Any] = {}
    position = start + 1
    while start >= 0 and (key := _KEY.match(text, position)):
        try:
            value, end = _DECODER.raw_decode(text, key.end())
        except (ValueError, RecursionError):
            break
        # A number may go on in the next piece; everything else ends with its own last character.
        if isinstance(value, (int, float)) and not _VALUE_END.match(text, end):
            break
        fields[key.group(1)] = value
        position = end
    return fields


def first_text(text: str, key: str) -> str:
    """Return the first text of the list that the top-level field `key` has, once it is complete; empty before."""
    between, _, listed = text.partition(f'"{key}"')[2].partition("[")
    try:
        return text_in(_DECODER.raw_decode(listed.lstrip())[0]) if between.strip() == ":" else ""
    except ValueError:
        return ""


def is_looping(text: str) -> bool:
    """Say whether a text has begun to repeat itself without end, as small models do."""
    probe = text[-LOOP_PROBE:]
    # Looked for in the last 440 characters alone: this is asked with each piece that arrives.
    before = text.rfind(probe, max(0, len(text) - LONGEST_LOOP - LOOP_PROBE), len(text) - 1)
    if len(probe) < LOOP_PROBE or before < 0:
        return False
    period = len(text) - LOOP_PROBE - before
    wanted = max(LOOP_CHARS, LOOP_TIMES * period)
    tail = text[-wanted:]
    return len(tail) == wanted and tail[period:] == tail[:-period]


# How replies end.

FROM_REASONING = Message("The model server sent this answer as reasoning of the model.")
REPEATED_ITSELF = Message("because the model repeated itself")
AT_ITS_LENGTH = Message("at its length limit (answer.max_tokens)")


def why_cut(end: Finished) -> Message:
    """Return why a reply ended before its end; nothing of one that did not."""
    if end.reason is FinishReason.OTHER:
        return Message("because the model server ended it early ({word})", word=end.word[:40])
    return AT_ITS_LENGTH if end.reason is FinishReason.LENGTH else NOTHING


def without_repeats(text: str) -> str:
    """Keep each sentence where it stands first."""
    unique = dict.fromkeys(text[start:end] for start, end in sentence_spans(text))
    return " ".join(unique)


# What a model writes around an answer: a fence around the whole of it, and calls of tools.

# They are looked for with the strokes and blanks of DeepSeek's tokens in ASCII.
_PLAIN = str.maketrans("\uff5c▁", "|_")
_TOOL = r"(?:[a-z]{1,12}[:_])?(?:tool|function)_?(?:calls?|use|request|response|outputs?|results?)"
_CALLS = (
    # Hermes, Qwen, GLM, Granite, Jamba, Nemotron, MiniMax, Seed, LongCat.
    (r"<TOOL(?:\s[^<>\n]{0,200})?>", r"</TOOL>"),
    (r"<arg_key>|<tools>", r"</tools>"),
    # Qwen3-Coder, and those that write as Claude does.
    (r"<function=", r"</function>"),
    (r"<(?:[a-z]{1,12}:)?invoke name=", r"</(?:[a-z]{1,12}:)?invoke>"),
    # DeepSeek V3.2; the ones before, Kimi, LFM2, Phi-4, Hunyuan, Gemma 4, Solar.
    (r"<\|dsml\|", r"</\|dsml\|(?:invoke|(?:tool|function)_calls)>"),
    (r"<\|TOOL(?:_section)?(?:[_:](?:begin|start))?\|?>", r"<\|/TOOL\|>|<TOOL\|>|<\|TOOL(?:_section)?[_:]end\|>"),
    # Llama, InternLM, Command R, Apertus, FunctionGemma.
    (r"<\|python_(?:tag|start)\|>", r"<\|(?:eom_id|python_end)\|>"),
    (r"<\|(?:action_start|start_action|tools_prefix)\|>", r"<\|(?:action_end|end_action|tools_suffix)\|>"),
    (r"<start_function_call>", r"<end_function_call>"),
    # Mistral, LM Studio; Phi-4 mini.
    (r"\[tool_(?:calls?|request)\]|^functools\[", r"\[(?:/|end_)tool_(?:calls?|request)\]"),
    # gpt-oss whose tokens were dropped; ReAct, and Command R before that.
    (r"^(?:assistant|analysis)?(?:commentary)? ?to=(?:functions|browser|python|container)\b", r"assistantfinal"),
    (r"^action:[ \t]{0,3}(?:\n?`{3}json\b|[\w. -]{1,60}\n{1,2}action input:)", r"^final answer:[ \t]{0,3}"),
)  # fmt: skip
"""How calls begin and end; what does not end goes on to the end of the reply."""
_OPENINGS, _CLOSINGS = (
    "|".join(marks).replace("TOOL", _TOOL) for marks in zip(*_CALLS, strict=True)
)
_OPENING = lazy_re(_OPENINGS, re.IGNORECASE | re.MULTILINE)
_CLOSING = lazy_re(_CLOSINGS, re.IGNORECASE | re.MULTILINE)
_CLOSED_AGAIN = lazy_re(rf"\s{{0,40}}(?:{_CLOSINGS})", re.IGNORECASE | re.MULTILINE)
_LONGEST_CLOSING = 60
_BEGINNINGS = (
    r"<[|/a-z_:=. ]{0,60}",
    r"<TOOL\s[^<>\n]{0,200}",
    r"<(?:[a-z]{1,12}:)?invoke [a-z=]{0,6}",
    r"\[[a-z_/]{0,16}",
    r"^action:[^\n]{0,70}(?:\n{1,2}[a-z `]{0,13})?",
    r"^[a-z]{0,20} ?to=[a-z]{0,9}",
    # What may turn out to be a call: a name in brackets, JSON, a block of code.
    r"^[ \t]{0,3}`{1,3}[a-z_]{0,9}",
    r"^[ \t]{0,3}\[[a-z_][\w.]{0,60}\(?[\w ]{0,40}",
    r"^[ \t]{0,3}[\[{]\s{0,20}(?:\{\s{0,20})?(?:\"[a-z_]{0,16}(?:\"\s{0,9})?)?",
)
_BEGINNING = "|".join(_BEGINNINGS).replace("TOOL", _TOOL)
_BEGUN = lazy_re(rf"(?:{_BEGINNING})\Z", re.IGNORECASE | re.MULTILINE)
_FIRST_WORDS = (
    "functools[",
    "to=",
    "commentary to=",
    "analysis to=",
    "assistantcommentary to=",
    "action:",
)
_THOUGHT = "thought:"
_BEHIND_THOUGHT = lazy_re(r"^action:|(?<=^final answer:)", re.IGNORECASE | re.MULTILINE)
_LONGEST_HELD = 40_000
"""What is longer is no markup around an answer."""
# A fence around a whole reply: three to eight backticks or tildes, and a word such as `markdown`.
_WRAPPER = lazy_re(r"\s{0,20}(?P<mark>`{3,8}|~{3,8})[ \t]{0,3}(?P<info>[a-z]{0,10})[ \t]{0,3}\n")
_MAY_WRAP = lazy_re(r"\s{0,20}(?:`{1,8}|~{1,8}|(?:`{3,8}|~{3,8})[ \t]{0,3}[a-z]{0,10}[ \t]{0,3})?")
_PROSE = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext", "answer", "json"})
# `{"name": …`, `[{"function": …`: how models write a tool call without marks of its own.
_MAY_BE_CALL = lazy_re(
    r"\s{0,20}[\[{]\s{0,20}(?:\{\s{0,20})?"
    r"\"(?:name|function|tool|tool_name|tool_calls?|action|recipient_name|type)\"\s{0,9}:"
)
# `[search(query="…")]` of Llama and xLAM, Gemma's block of code: they are calls where nothing stands behind them.
_WRITTEN_CALL = lazy_re(
    r"\[[a-z_][\w.]{0,60}\((?:[a-z_]\w{0,40}\s?=[^\n]{0,4000})?\)\]|`{3}tool_[a-z]{1,8}\b[^`]{0,4000}(?:`{3})?",
    re.IGNORECASE,
)
_CANDIDATE = lazy_re(
    r"^[ \t]{0,3}(?:`{3}tool_[a-z]{1,8}\b|\[[a-z_][\w.]{0,60}\((?:[a-z_]\w{0,40}\s?=|\)\])"
    rf"|{_MAY_BE_CALL.pattern})",
    re.IGNORECASE | re.MULTILINE,
)
_NAMES = frozenset({"name", "function", "tool", "tool_name", "action", "recipient_name"})
_ARGUMENTS = frozenset(
    {"arguments", "parameters", "args", "input", "action_input", "tool_input", "function"}
)
_FENCE_LINE = lazy_re(r"^ {0,3}(?:`{3,}|~{3,})", re.MULTILINE)
_ENDS = frozenset(".!?。！？")
_LEAST_WORDS = 4


class ReplyMarkup:
    """Takes an answer as it streams in and gives back what of it is the answer."""

    def __init__(self) -> None:
        self._given = ""
        self.held = ""
        """What was written and is not shown yet."""
        self._is_in_call = self._is_behind_call = False

    def add(self, piece: str) -> str:
        """Take in what was written next, and return what can be shown now."""
        self.held += piece
        return self._give(is_whole=False)

    def close(self) -> str:
        """Return what was held back, once no more comes."""
        return self._give(is_whole=True)

    def _give(self, *, is_whole: bool) -> str:
        if not self._given.strip() and self._is_undecided(is_whole=is_whole):
            return ""
        if is_whole and not self._given.strip():
            self.held = without_wrapper(self.held)
            is_thought = self.held.lstrip().lower().startswith(_THOUGHT)
            # As the prompts of ReAct ask for: a thought, and an action or an answer behind it.
            if is_thought and (acts := _BEHIND_THOUGHT.search(self.held)):
                self.held = self.held[acts.start() :]
            if is_call(self.held):
                self.held = ""
        shown = ""
        while self.held:
            part, goes_on = self._next(is_whole=is_whole)
            shown += part
            self._given += part
            if not goes_on:
                break
        return shown

    def _is_undecided(self, *, is_whole: bool) -> bool:
        """Say whether all that came may be a wrapper, or a call in JSON."""
        text = self.held
        # Beyond this something is shown: a reader must not wait for a fence that never closes.
        if is_whole or len(text) > _LONGEST_HELD:
            return False
        if _MAY_WRAP.fullmatch(text):
            return True
        words = text.strip().lower()
        if words[: len(_THOUGHT)] == _THOUGHT[: len(words)]:
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
        plain = self.held.translate(_PLAIN)
        if self._is_in_call:
            end = _CLOSING.search(plain)
            # As many characters as the beginning of the closing mark may have: it comes in pieces.
            rest = "" if is_whole else self.held[-_LONGEST_CLOSING:]
            self.held = rest if end is None else self.held[end.end() :]
            self._is_in_call, self._is_behind_call = end is None, end is not None
            return "", end is not None
        if self._is_behind_call:
            end = _CLOSED_AGAIN.match(plain)
            if end is None and not is_whole and not self.held[: self._begun(plain)].strip():
                return "", False
            self._is_behind_call = end is not None
            self.held = self.held[end.end() if end else 0 :]
            return "", True
        opening, candidate = self._place(_OPENING, plain), self._place(_CANDIDATE, self.held)
        if candidate is not None and (opening is None or candidate.start() < opening.start()):
            rest = self.held[candidate.start() :]
            if is_call(rest) if is_whole else len(rest) <= _LONGEST_HELD:
                shown = self.held[: candidate.start()]
                self.held = "" if is_whole else rest
                return shown, False
        if opening is not None:
            shown = self.held[: opening.start()]
            self.held, self._is_in_call = self.held[opening.end() :], True
            return shown.rstrip() if is_whole else shown, True
        cut = len(self.held) if is_whole else self._begun(plain)
        shown, self.held = self.held[:cut], self.held[cut:]
        return shown, False

    def _place(self, pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
        """Return where a call begins, if it stands where one can: not in code nor in a sentence."""
        for found in pattern.finditer(text):
            at = found.start()
            # Bounded: this is looked at with every piece.
            before = (self._given + self.held[:at])[-_LONGEST_HELD:]
            last = before.rstrip(" \t")[-1:]
            begins_line = last in ("", "\n")
            in_fence = len(_FENCE_LINE.findall(before)) % 2
            can_follow = begins_line or (text[at] in "<[" and pattern is _OPENING)
            if can_follow and last in "\n.!?…。！？])>*" and not in_fence and before[-1:] != "`":
                return found
        return None

    def _begun(self, plain: str) -> int:
        """Return where the beginning of a call may stand at the end, or the length of what is held."""
        begun = _BEGUN.search(plain)
        line = plain[plain.rfind("\n") + 1 :]
        if begun is None and line and any(w.startswith(line.lower()) for w in _FIRST_WORDS):
            return len(plain) - len(line)
        return begun.start() if begun else len(plain)


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
    """Say whether a text is nothing but the call of a tool, as JSON or as code."""
    if _WRITTEN_CALL.fullmatch(text.strip()):
        return True
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
