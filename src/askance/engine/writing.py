"""An answer as the model writes it, cut where it must be, or the best passages in its place."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any, cast

from askance.citations.markdown.foreign_markers import round_foreign_markers
from askance.domain.errors import ServiceError
from askance.domain.events import DraftRetracted, TokenArrived, WarningCode
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.model import Finished, FinishReason, Retracted
from askance.engine.model_replies import (
    FROM_REASONING,
    REPEATED_ITSELF,
    is_looping,
    why_cut,
    without_repeats,
)
from askance.engine.model_session import ModelSession
from askance.engine.run_progress import RunState
from askance.extract.text.markdown_text import FENCES, code_apart
from askance.text.languages.recognition import language_of
from askance.text.languages.scripts import CJK_RUN
from askance.text.languages.sentences import ENDS, reports_nothing_found, sentences
from askance.text.ranking.index_terms import count_words, query_terms, terms, whole_sentences, words
from askance.text.ranking.scoring import Bm25f, ScoredField, shingles

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
_OPENING = re.compile(_OPENINGS, re.IGNORECASE | re.MULTILINE)
_CLOSING = re.compile(_CLOSINGS, re.IGNORECASE | re.MULTILINE)
_CLOSED_AGAIN = re.compile(rf"\s{{0,40}}(?:{_CLOSINGS})", re.IGNORECASE | re.MULTILINE)
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
_BEGUN = re.compile(rf"(?:{_BEGINNING})\Z", re.IGNORECASE | re.MULTILINE)
_FIRST_WORDS = (
    "functools[",
    "to=",
    "commentary to=",
    "analysis to=",
    "assistantcommentary to=",
    "action:",
)
_THOUGHT = "thought:"
_BEHIND_THOUGHT = re.compile(r"^action:|(?<=^final answer:)", re.IGNORECASE | re.MULTILINE)
_LONGEST_HELD = 40_000
"""What is longer is no markup around an answer."""
# A fence around a whole reply: three to eight backticks or tildes, and a word such as `markdown`.
_WRAPPER = re.compile(r"\s{0,20}(?P<mark>`{3,8}|~{3,8})[ \t]{0,3}(?P<info>[a-z]{0,10})[ \t]{0,3}\n")
_MAY_WRAP = re.compile(
    r"\s{0,20}(?:`{1,8}|~{1,8}|(?:`{3,8}|~{3,8})[ \t]{0,3}[a-z]{0,10}[ \t]{0,3})?"
)
_PROSE = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext", "answer", "json"})
# `{"name": …`, `[{"function": …`: how models write a tool call without marks of its own.
_MAY_BE_CALL = re.compile(
    r"\s{0,20}[\[{]\s{0,20}(?:\{\s{0,20})?"
    r"\"(?:name|function|tool|tool_name|tool_calls?|action|recipient_name|type)\"\s{0,9}:"
)
# `[search(query="…")]` of Llama and xLAM, Gemma's block of code: they are calls where nothing stands behind them.
_WRITTEN_CALL = re.compile(
    r"\[[a-z_][\w.]{0,60}\((?:[a-z_]\w{0,40}\s?=[^\n]{0,4000})?\)\]|`{3}tool_[a-z]{1,8}\b[^`]{0,4000}(?:`{3})?",
    re.IGNORECASE,
)
_CANDIDATE = re.compile(
    r"^[ \t]{0,3}(?:`{3}tool_[a-z]{1,8}\b|\[[a-z_][\w.]{0,60}\((?:[a-z_]\w{0,40}\s?=|\)\])"
    rf"|{_MAY_BE_CALL.pattern})",
    re.IGNORECASE | re.MULTILINE,
)
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


QUOTED_PASSAGES = 4
QUOTED_CHARS = 420
_CODE, _TABLE = "code", "table"
_OUR_BORDER = re.compile(r"(?<= )\|(?= )")
_RULE_CELL = re.compile(r":?-{2,}:?")


BEST_PASSAGES = Message("These passages fit the question best:")


def quote_passages(
    extracts: Sequence[Extract], sources: Sequence[Source], *, question: str, opening: str
) -> str:
    """Return the passages that fit the question best as Markdown, those of a page below its title.

    What a page tells in sentences is quoted, its tables stay tables; each names its number.
    """
    titles = {s.n: s.title for s in sources}
    pages: dict[int, list[str]] = {}
    for extract in _best(extracts, question):
        quoted = pages.setdefault(extract.n, [])
        quoted += (block for block in _blocks(extract, question) if block not in quoted)
    parts = [str(opening)]
    for n, blocks in pages.items():
        parts += [f"**{round_foreign_markers(titles[n])}**", *blocks]
    return "\n\n".join(parts)


def _best(extracts: Sequence[Extract], question: str) -> list[Extract]:
    """Return the passages that share most with the question, best first; of equals the first."""
    read = [e for e in extracts if e.kind is ExtractKind.PASSAGE] or list(extracts)
    code = language_of(e.text for e in read)
    texts = [{"text": terms(f"{e.heading}\n{e.text}", code)} for e in read]
    scores = Bm25f(texts, {"text": ScoredField()}).scores(query_terms(question, code))
    # `sorted` is stable, so equals stay in the order in which they entered.
    order = sorted(range(len(read)), key=lambda i: -scores[i])
    return [read[i] for i in order[:QUOTED_PASSAGES]]


def _blocks(extract: Extract, question: str) -> Iterator[str]:
    """Yield the prose, the tables and the code of a passage as blocks of Markdown, up to its length."""
    room, is_named = QUOTED_CHARS, False
    for kind, group in groupby(_lines(extract.text), key=lambda line: line[0]):
        written = [line for _, line in group]
        lines = [round_foreign_markers(line) for line in written]
        if room <= 0 or not any(line.strip() for line in lines):
            continue
        if kind == _CODE:
            block = _code(written, room)
            block += "" if is_named else f"\n\n[{extract.n}]"
        elif kind == _TABLE:
            block = _table(lines, extract.n, question, room)
        else:
            prose = " ".join(line.strip() for line in lines if line.strip())
            block = f"> {whole_sentences(prose[:room]) or prose[:room]} [{extract.n}]"
        is_named = True
        room -= len(block)
        yield block


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a passage with what they are of; blocks of code are parted by their fences."""
    for is_code, part in code_apart(text):
        if is_code and part.startswith(FENCES):
            yield "", ""
            yield from ((_CODE, line) for line in part.split("\n"))
        else:
            yield from ((_TABLE if line[:1] == "|" else "", line) for line in part.splitlines())


def _code(lines: Sequence[str], room: int) -> str:
    """Return a block of code, of a long one its first lines. No number of a source is read in it."""
    head, *rest = lines
    fence = head[: len(head) - len(head.lstrip(head[0]))]
    if rest and rest[-1].startswith(fence) and not rest[-1].strip(fence[0]):
        rest.pop()
    lengths = accumulate(len(line) + 1 for line in rest)
    lines_left = [
        line for line, length in zip(rest, lengths, strict=True) if length <= room
    ] or rest[:1]
    return "\n".join([head, *lines_left, fence])


def _table(lines: Sequence[str], n: int, question: str, room: int) -> str:
    """Return a table with its head. Of one that is too long, the rows that fit the question best.

    The number stands in the row that fits best.
    """
    head, *rows = [_cells(line) for line in lines]
    # The rule below a head is written anew; one in the midst of a page's table is none of its rows.
    rows = [row for row in rows if not all(_RULE_CELL.fullmatch(cell) for cell in row)]
    if not rows:
        head, rows = [""] * len(head), [head]
    code = language_of([" ".join(lines), question])
    asked = set(terms(question, code))
    shared = [len(asked.intersection(terms(" ".join(row), code))) for row in rows]
    by_fit = sorted(range(len(rows)), key=lambda i: -shared[i])
    retained, length = set[int](), 0
    for i in by_fit:
        length += sum(map(len, rows[i]))
        if retained and length > room:
            break
        retained.add(i)
    best = rows[by_fit[0]]
    best[-1] = f"{best[-1]} [{n}]".strip()
    shown = [head, ["---"] * len(head), *(rows[i] for i in sorted(retained))]
    return "\n".join(f"| {' | '.join(_fitted(row, len(head)))} |" for row in shown)


def _cells(line: str) -> list[str]:
    """Return the cells of a row. Ours have a blank on both sides; `a || b` in a cell has none."""
    inside = line.strip().removeprefix("|").removesuffix("|")
    cells = _OUR_BORDER.split(inside)
    return [cell.strip() for cell in (cells if len(cells) > 1 else inside.split("|"))]


def _fitted(row: Sequence[str], width: int) -> list[str]:
    """Return a row as Markdown writes it. What would be beyond its table is left out by Markdown: it goes into the last cell."""
    cells = [*row[: width - 1], " | ".join(row[width - 1 :])]
    return [cell.replace("|", r"\|") for cell in cells]


SHORTEST_OPENING_WORDS = 4
# So many words tell it: a fifth of a second on a laptop.
OPENING_WORDS = 5
# So many words in a row do not agree with the instructions by chance.
ECHO_WORDS = 7


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer as the model wrote it. `looped` says that it lost itself in repetition, `gave_up` that it was
    left after an opening which says that nothing was found."""

    text: str
    looped: bool = False
    gave_up: bool = False


async def write_answer(
    calls: ModelSession,
    progress: RunState,
    evidence: str,
    task: str,
    *,
    temperature: float,
    begin: Callable[[], None] | None = None,
) -> WrittenAnswer:
    """Stream the answer as `TokenArrived` and return it, up to the end of the run's time.

    With `begin` its first words are held back until they tell whether anything was found: if so `begin` is
    called and they are shown, otherwise the request is closed at once and nothing was shown.

    An answer that was cut (by time, by length, by a loop, by a broken stream) says so in a warning;
    what was written by then is stored, up to its last whole sentence.

    Raises:
        ServiceError, InputError: the model failed before it wrote a whole sentence.
    """
    text, cut = "", NOTHING
    looped = False
    opening = _AnswerOpening(progress, begin)
    markup = ReplyMarkup()
    try:
        async with (
            asyncio.timeout_at(progress.ends_at),
            aclosing(calls.write(evidence, task, temperature=temperature)) as parts,
        ):
            async for part in parts:
                if isinstance(part, Finished | Retracted):
                    markup = markup if isinstance(part, Finished) else ReplyMarkup()
                    text, cut = opening.turn(part, text)
                    continue
                piece = markup.add(part.text)
                text += piece
                if opening.reports_nothing(text, piece):
                    return WrittenAnswer(text, gave_up=True)
                # Up to its length limit it would go on, and a person waits for that.
                if looped := is_looping(text):
                    cut = REPEATED_ITSELF
                    break
    except TimeoutError:
        cut = Message("at the run's time limit (limits.run_timeout_s)")
    except ServiceError as exc:
        # Nothing that could be shown: then the error is the answer.
        if not _has_whole_sentence(text + markup.held):
            raise
        cut = Message("because the model failed: {problem}", problem=exc.problem.clause())
    rest = markup.close()
    text += rest
    if opening.reports_nothing(text, rest, is_whole=True):
        return WrittenAnswer(text, gave_up=True)
    if cut:
        progress.warn(WarningCode.ANSWER_CUT, Message("The answer was cut {cut}.", cut=cut))
        text = whole_sentences(text)
    return WrittenAnswer(without_repeats(text) if looped else text.strip(), looped)


def _has_whole_sentence(text: str) -> bool:
    """Say whether a broken-off text has more than the beginning of a sentence."""
    written = text.rstrip()
    return written[-1:] in tuple(ENDS) or len(whole_sentences(written)) < len(written)


class _AnswerOpening:
    """Tells the pieces of an answer, those of its opening once they show that something was found."""

    def __init__(self, progress: RunState, begin: Callable[[], None] | None) -> None:
        self._progress = progress
        self._begin = begin

    def turn(self, part: Finished | Retracted, text: str) -> tuple[str, Message]:
        """Return what is left of the text, and what cut it."""
        if isinstance(part, Finished):
            if part.is_from_reasoning:
                self._progress.warn(WarningCode.ANSWER_FROM_REASONING, FROM_REASONING)
            # Where only reasoning came, there is no answer that could be cut; the beginning of a sentence is none.
            is_broken = part.reason is FinishReason.OTHER and not _has_whole_sentence(text)
            return "" if is_broken else text, why_cut(part) if text.strip() else NOTHING
        if self._begin is None:
            self._progress.emit(DraftRetracted())
        return "", NOTHING

    def reports_nothing(self, text: str, piece: str, *, is_whole: bool = False) -> bool:
        """Take in a piece, the last of `text`, and say whether the opening says that nothing was found."""
        if self._begin is None:
            if piece:
                self._progress.emit(TokenArrived(piece))
            return False
        if not text.strip() or (count_words(text) < OPENING_WORDS and not is_whole):
            return False
        if is_not_found(text):
            return True
        self._begin()
        self._begin = None
        self._progress.emit(TokenArrived(text))
        return False


def echoes(text: str, instructions: str) -> bool:
    """Say whether an answer repeats its instructions, as models do that are too small for them."""
    return bool(shingles(text, ECHO_WORDS) & shingles(instructions, ECHO_WORDS))


def is_not_found(answer: str) -> bool:
    """Say whether an answer's first full sentence states that nothing was found."""
    # The first full one: "Hm." or a heading before it says neither.
    opening = next((s for s in sentences(answer) if _is_full(s)), answer)
    return not answer.strip() or reports_nothing_found(opening, words(opening))


def _is_full(sentence: str) -> bool:
    has_spaces = not CJK_RUN.search(sentence)
    count = len(sentence.split()) if has_spaces else count_words(sentence)
    return count >= SHORTEST_OPENING_WORDS


def report_nothing(queries: Sequence[str], *, in_library: bool = False) -> Message:
    """Return the answer of a run that found nothing: what was tried."""
    if in_library and not queries:
        return Message("I could not find anything about this in your library.")
    tried = ", ".join(f"“{query}”" for query in queries)
    searched = Message("Searched for: {queries}.", queries=tried) if tried else NOTHING
    return Message.joined(Message("I could not find anything about this on the web."), searched)
