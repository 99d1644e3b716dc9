"""Reasoning inside a reply: the marks with which models set it apart from what they answer.

`FORMS` is the table of them. Some models open and close a block, some close one that their prompt
template has opened, some write to channels. Everything that is not plainly such a mark is text, and
stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from askance.domain.patterns import lazy_re
from askance.domain.ports.model import Retracted, Text, Thought

Piece = Text | Thought | Retracted


class Where(Enum):
    """Where in a reply an opening mark is one."""

    ANYWHERE = auto()
    LINE = auto()
    """At the beginning of a line: in the midst of one its word may be meant."""
    START = auto()
    """Where the reply begins, or its answer behind other reasoning."""


@dataclass(frozen=True, slots=True)
class ReasoningFormat:
    """One way to mark reasoning. `opens` and `closes` are regular expressions.

    `alone` says that the closing mark counts without the opening one: all before it was reasoning.
    Where `must_close`, a block that is never closed was none.
    """

    name: str
    opens: str
    closes: str
    where: Where = Where.ANYWHERE
    alone: bool = True
    must_close: bool = False


def _tag(name: str, where: Where = Where.LINE, *, alone: bool = True) -> ReasoningFormat:
    opens, closes = rf"<{name}(?:\s[^<>\n]{{0,200}})?>", rf"</{name}\s{{0,3}}>"
    return ReasoningFormat(name, opens, closes, where, alone)


# DeepSeek R1, QwQ, Qwen, GLM, Nemotron, Phi and most others; with a prefix Seed and MiniMax.
_TAGS_ANYWHERE = ("think", "[a-z]{1,10}:think(?:ing)?", "(?:longcat_|ant)think(?:ing)?")
# Hunyuan and Seed, which name how long they think; Claude's imitators, Reflection, EXAONE, and prompts that ask
# for it in words.
_TAGS = (
    "think_[a-z0-9_]{1,48}", "thinking", "thoughts?", "reasoning", "reason", "reflection", "scratchpad",
    "(?:inner|internal)_monologue", "(?:thought|thinking|reasoning)_process",
    "(?:reasoning_content|chain_of_thought|cot|monologue)",
)  # fmt: skip
FORMS = (
    *(_tag(name, Where.ANYWHERE) for name in _TAGS_ANYWHERE),
    *map(_tag, _TAGS),
    # An answer may have a part of this name: what closes alone is not taken for reasoning.
    _tag("analysis", alone=False),
    # The same, escaped by a gateway on the way.
    ReasoningFormat("escaped", "&lt;think(?:ing)?&gt;", "&lt;/think(?:ing)?&gt;", Where.LINE),
    # Magistral.
    ReasoningFormat("[THINK]", r"(?-i:\[THINK\])", r"(?-i:\[/THINK\])"),
    # Kimi.
    ReasoningFormat("◁think▷", "◁think▷", "◁/think▷"),
    # OpenThinker, Sky-T1; Cohere's Command A; Solar.
    ReasoningFormat(
        "<|think|>",
        r"<\|(?:begin_of_|start_of_|begin_|start_)?(?:think|thinking|thought|reasoning)(?:_start|_begin)?\|>",
        r"<\|(?:/|end_of_|end_)(?:think|thinking|thought|reasoning)\|>"
        r"|<\|(?:think|thinking|thought|reasoning)_end\|>|<\|end\|>(?:<\|begin\|>assistant)?<\|content\|>",
    ),
    # Apertus.
    ReasoningFormat("<|inner_prefix|>", r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    # Gemma 4, and MedGemma.
    ReasoningFormat("<|channel>", r"<\|channel>\s{0,2}(?:thought|analysis)\b", r"<channel\|>"),
    ReasoningFormat("<unused94>", r"<unused94>(?:thought\b)?", r"<unused95>"),
    # openPangu.
    ReasoningFormat("[unused16]", r"\[unused16\]", r"\[unused17\]"),
    # Open WebUI as a server.
    ReasoningFormat(
        "details",
        r"<details\s[^<>\n]{0,200}\btype=[\"']reasoning[\"'][^<>\n]{0,200}>",
        r"</details>",
        Where.LINE,
        alone=False,
    ),
    # gpt-oss where the server has dropped the tokens of its channels.
    ReasoningFormat(
        "analysis",
        r"(?-i:analysis(?=[^\sa-z\d_\-–.,;:!?()\[\]{}<>*/'’]))",
        r"(?-i:assistantfinal)",
        Where.START,
        must_close=True,
    ),
    # Granite, and Apriel.
    ReasoningFormat(
        "prose",
        r"\*{0,2}Here(?:'s|’s| is) my (?:thought|thinking|reasoning) process:\*{0,2}",
        r"(?:\n[ \t]{0,8}|[.!?]\s{1,2})\*{0,2}Here(?:'s|’s| is) my (?:final )?(?:response|answer):\*{0,2}",
        Where.START,
        alone=False,
        must_close=True,
    ),
    ReasoningFormat(
        "steps",
        r"Here are my reasoning steps:\s?",
        r"\[BEGIN FINAL RESPONSE\]",
        Where.START,
        must_close=True,
    ),
)

# Channels of gpt-oss: what is not for the final one is reasoning, or a call of a tool.
_CHANNEL = (
    r"(?:<\|start\|>[a-z]{1,20}[^<>\n]{0,80})?<\|channel\|> {0,3}(?P<channel>[a-z]{1,20})[^<>\n]{0,120}"
    r"(?:<\|constrain\|>[^<>\n]{0,40})?<\|message\|>|<\|start\|>assistant<\|message\|>"
)
_FINAL = frozenset({"final", ""})
# Tokens that servers should not have sent, by what they are.
_TOKENS = {
    # It ends a turn.
    "end": (
        r"<\|(?:im_end|eot_id|eom_id|end_of_text|endoftext|end|return|call|end_of_turn|END_OF_TURN_TOKEN|eos)\|>",
        r"<\|(?:end_of_sentence|assistant_end|END_RESPONSE|END_TEXT|end_of_solution|eom|EOT|role_end)\|>",
        r"<(?:end_of_turn|eos|turn\||/s|seed:eos|SPECIAL_\d{1,3}|\uff5cend▁of▁sentence\uff5c)>",
        r"\[(?:END FINAL RESPONSE|unused10|\|endofturn\|)\]|\[e~\[",
        r"(?P<closed></(?:answer|response|output|final|final_answer)>)",
    ),
    # It stands around an answer.
    "frame": (
        r"<\|(?:begin_of_box|end_of_box|begin_of_solution|START_RESPONSE|START_TEXT|content|end_header_id)\|>",
        r"\[\|assistant\|\]|<unused\d{1,4}>",
    ),
    # A reply begins with it.
    "start": (
        r"<(?:s|bos|sop|begin_of_text)>|\[gMASK\]|<\uff5c(?:Assistant|begin▁of▁sentence)\uff5c>",
        r"<\|(?:startoftext|begin_of_text|assistant|START_OF_TURN_TOKEN|CHATBOT_TOKEN)\|>",
        r"(?:<\|(?:im_start|start_header_id|turn)\|?>|<start_of_turn>)(?:assistant|model)\b",
    ),
    # It begins another turn: whatever stands behind it was made up.
    "turn": (
        r"<\|(?:im_start|start_header_id|user|system|assistant|observation|begin_of_text)\|>|<start_of_turn>|<\|turn>",
        r"\[INST\]|<\|start\|>(?:user|system|developer)|\[\|(?:user|system)\|\]|\]~b\]",
        r"<\uff5c(?:User|begin▁of▁sentence)\uff5c>",
    ),
    # Of no text, bytes of a text, and ChatGPT's marks of citations.
    "left": (
        r"<\|?(?:unk|pad|fim_(?:prefix|middle|suffix|pad)|endofprompt)\|?>|<\uff5c▁pad▁\uff5c>",
        r"(?:<0x[0-9A-F]{2}>){1,40}",
        r"\ue200[^\ue200\ue201]{0,300}\ue201",
    ),
}
_START = lazy_re("|".join(_TOKENS["start"]), re.IGNORECASE)
_TURN = lazy_re("|".join(_TOKENS["turn"]), re.IGNORECASE)
_END = lazy_re("|".join(_TOKENS["end"]), re.IGNORECASE)
_BYTE = lazy_re(r"<0x([0-9A-F]{2})>", re.IGNORECASE)
_ANSWER = r"<(?P<answer>answer|response|output|final|final_answer)>"

# One pattern for all marks: the text is gone through once, and the mark that comes first is the
# one that counts.
_MARKS = lazy_re(
    "|".join(
        (
            f"(?P<header>{_CHANNEL})",
            *(f"(?P<o{i}>{form.opens})|(?P<c{i}>{form.closes})" for i, form in enumerate(FORMS)),
            *(f"(?P<{kind}>{'|'.join(marks)})" for kind, marks in _TOKENS.items()),
            _ANSWER,
        )
    ),
    re.IGNORECASE,
)
_CLOSES = tuple(lazy_re(form.closes, re.IGNORECASE) for form in FORMS)
_LONE = lazy_re("|".join(form.closes for form in FORMS if form.alone), re.IGNORECASE)
_HEADER = lazy_re(_CHANNEL, re.IGNORECASE)
_OF_CHANNEL = lazy_re(rf"(?P<header>{_CHANNEL})|<\|(?:end|return|call)\|>", re.IGNORECASE)

# The end of a text that may be the beginning of a mark; none is longer.
_LONGEST_MARK = 400
_WORDS = "|".join((*_TAGS_ANYWHERE, *_TAGS, "analysis", "details"))
# The beginning of a mark at the end of a text: `</thi`, `<|chan`, `[/THI`, `◁thi`, `&lt;th`.
_BEGUN = lazy_re(
    r"(?:</?(?:[a-z_]{1,24}:?[a-z_]{0,12}\|?\s{0,3})?"
    r"|</?(?:think_[a-z0-9_]{0,48}\s{0,3}|special_\d{0,3})"
    r"|\[(?:\|[a-z]{0,10}\|?|e~?)?"
    rf"|<(?:{_WORDS})\s[^<>\n]{{0,400}}"
    r"|<\|[/a-z_]{0,24}\|?"
    r"|<\|channel>\s{0,2}[a-z]{0,8}"
    r"|<\|(?:start|channel)\|>[^\n]{0,300}"
    r"|<\|end\|>(?:<(?:\|(?:[a-z]{0,8}(?:\|(?:>[^\n]{0,20})?)?)?)?)?"
    r"|<\uff5c[^<>\n]{0,24}"
    r"|<unused\d{0,4}>?[a-z]{0,7}"
    r"|<0?x?[0-9A-F]{0,2}"
    r"|\ue200[^\ue200\ue201]{0,300}"
    r"|\[/?(?-i:[A-Z ]{0,22}|unused\d{0,2}|u(?:n(?:u(?:s(?:e)?)?)?)?)"
    r"|◁/?[a-z]{0,8}"
    r"|&(?:l(?:t(?:;/?[a-z]{0,8}(?:&(?:g(?:t)?)?)?)?)?)?)\Z",
    re.IGNORECASE,
)
# Words with which a reply, or its answer, may begin or end such a block.
_SENTENCES = (
    "analysis",
    "here is my thought process:", "here's my thought process:", "here’s my thought process:",
    "here is my thinking process:", "here is my reasoning process:",
    "here's my thinking process:", "here's my reasoning process:",
    "here are my reasoning steps:",
)  # fmt: skip
_CLOSING_LINE = lazy_re(
    r"(?:\n[ \t]{0,8}|[.!?]\s{0,2})\*{0,2}(?:h[a-z'’ ]{0,30}:?\*{0,2})?\Z", re.IGNORECASE
)
# Where the tokens of channels were dropped, this word alone parts reasoning and answer: `…is
# Paris.assistantfinalThe capital is…`.
_FINAL_WORD = "assistantfinal"
# What may be undecided for so long is decided.
_LONGEST_HELD = 4_000
# A thought that would have to be given back must not grow without end.
_LONGEST_TENTATIVE = 400_000
_LONGEST_ROLE = 12
_SENTENCE_END = frozenset(".!?…:;。！？\uff1a\uff1b)]}>*_|")
_SHORTEST_ASIDE = 24
_VISIBLE = lazy_re(r"\S")


@dataclass
class _Block:
    """The reasoning one is in. `raw` is what it would be given back as, None if it surely is one."""

    closes: re.Pattern[str]
    form: str = ""
    raw: str | None = None
    is_aside: bool = False
    aside: str = ""
    is_channel: bool = False


class _Position:
    """Where in a Markdown text one is: at its start, at the start of a line, in code."""

    def __init__(self) -> None:
        self.is_start = True
        self.is_line_start = True
        self.last = ""
        self._visible = ""
        self._head = ""
        self._ticks = 0
        self._in_fence = False

    def advance(self, text: str) -> None:
        """Go on behind a text."""
        for i, part in enumerate(text.split("\n")):
            if i:
                if self._head.lstrip().startswith(("```", "~~~")):
                    self._in_fence = not self._in_fence
                self.is_line_start, self._visible, self._head, self._ticks = True, "", "", 0
            if visible := part.strip():
                self.is_start = self.is_line_start = False
                self._visible = visible[-1]
            if len(self._head) < 12:
                self._head = (self._head + part)[:12]
            self._ticks += part.count("`")
        self.last = text[-1:] or self.last

    @property
    def in_code(self) -> bool:
        """Whether it is code of any kind."""
        return self._in_fence or self.in_span

    @property
    def in_span(self) -> bool:
        """Whether it is code within a line, or right behind a backtick."""
        begins_fence = self._head.lstrip().startswith(("```", "~~~"))
        return (self._ticks % 2 == 1 and not begins_fence) or self.last == "`"

    @property
    def in_sentence(self) -> bool:
        """Whether the line has begun a sentence that has not ended."""
        return bool(self._visible) and self._visible not in _SENTENCE_END

    @property
    def is_apart(self) -> bool:
        """Whether a word of a sentence that begins here would be one of its own."""
        quoted = self.last in "\"'“„«‘\u201a([" and self.last != ""
        return quoted or (self.in_sentence and self.last.isspace())


class ThoughtFilter:
    """Sorts the pieces of one reply into text and thought, by the marks of `FORMS`.

    Marks may be split over pieces, and the last block may never be closed. A closing mark without an
    opening one means that all before it was thought: what was passed on as text is retracted. A mark
    in code is text about a mark, and so is one in the midst of a sentence.

    `begins_thinking`: this model is known to close what its template has opened. What comes before
    that is thought, and only if nothing closes it, text. `on_lone_close` is called at the end with whether a
    block was closed so.
    """

    def __init__(
        self,
        *,
        begins_thinking: bool = False,
        on_lone_close: Callable[[bool], None] = lambda _seen: None,
    ) -> None:
        self._held = ""
        self._on_lone_close = on_lone_close
        self._block = _Block(_LONE, raw="") if begins_thinking else None
        self._position = _Position()
        self._mentioned: Counter[str] = Counter()
        self._apart: list[str] = []
        self._half = ""
        self._has_words = False
        self._has_text = self._skip_space = self._is_final = self._is_over = False
        self._has_frame = self._had_text = False
        self.has_thought = False
        """Whether reasoning was set apart before; a server may do that by itself."""

    def feed(self, piece: str) -> list[Piece]:
        """Return what this piece settles; what may be the beginning of a mark is held back."""
        piece = self._half + piece
        # The next piece may have the other half of a surrogate pair.
        self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        self._held += _scalar(piece[: len(piece) - len(self._half)])
        return self._settled(is_end=False)

    def set_apart(self, reasoning: str) -> list[Piece]:
        """Return what a server sends as reasoning, in a field of its own."""
        self.has_thought = self.has_thought or bool(reasoning)
        self._apart.append(reasoning)
        return [Thought(_scalar(reasoning))] if reasoning else []

    def recovered(self) -> list[Text]:
        """Return the text of a reply that has ended, if all of it was sent as reasoning."""
        # A server's parser may have taken the mark that closes it for a part of it.
        text = _scalar("".join(self._apart)).rpartition("</think>")[2].strip()
        return [Text(text)] if text and not self._has_words else []

    def end(self) -> list[Piece]:
        """Return what was held back."""
        self._held += _scalar(self._half)
        found = self._settled(is_end=True)
        if (block := self._block) is not None and block.raw is not None:
            if not block.form:
                self._on_lone_close(False)
            self._block = None
            self._add(found, Text(block.raw))
        return found

    def _settled(self, *, is_end: bool) -> list[Piece]:
        found: list[Piece] = []
        self._had_text = self._has_text
        # What follows an invented turn is invented, too.
        if self._is_over:
            self._held = ""
        while self._held and not self._is_over:
            ends_now = is_end or len(self._held) > _LONGEST_HELD
            block = self._block
            more = (
                self._read(found, ends_now)
                if block is None
                else self._think(block, found, ends_now)
            )
            if not more:
                break
        return found

    def _think(self, block: _Block, found: list[Piece], is_end: bool) -> bool:
        """Take in a block, and return whether there is more to look at."""
        match = block.closes.search(self._held)
        begun = len(self._held) - (0 if is_end else self._begun(block))
        if match is not None and match.start() <= begun:
            self._close(block, match, found)
            return True
        self._reason(block, found, begun)
        if block.raw is not None and len(block.raw) > _LONGEST_TENTATIVE:
            self._block = None
            self._add(found, Text(block.raw))
        return False

    def _reason(self, block: _Block, found: list[Piece], length: int) -> None:
        taken, self._held = self._held[:length], self._held[length:]
        if block.raw is not None:
            block.raw += taken
        if self._skip_space:
            taken = taken.lstrip()
            self._skip_space = not taken
        if block.is_aside:
            # It may turn out to be text, and is passed on when that is settled.
            block.aside += taken
        elif taken:
            self._add(found, Thought(taken))

    def _close(self, block: _Block, match: re.Match[str], found: list[Piece]) -> None:
        inside = self._held[: match.start()]
        if block.is_aside and _is_mention((block.raw or "") + inside):
            self._block = None
            given = (block.raw or "") + self._held[: match.end()]
            self._held = self._held[match.end() :]
            self._add(found, Text(given))
            return
        self._reason(block, found, match.start())
        self._held = self._held[len(match[0]) :]
        self._block = None
        self._add(found, Thought(block.aside))
        if not block.form:
            self._on_lone_close(True)
        if block.is_channel and match["header"]:
            self._enter(match["channel"] or "", found)
        self._passed_thought()

    def _passed_thought(self) -> None:
        self.has_thought = self._skip_space = True
        self._position.is_start = self._position.is_line_start = True

    def _enter(self, channel: str, found: list[Piece]) -> None:
        """Go on in a channel of gpt-oss."""
        if channel.lower() not in _FINAL:
            self._block = _Block(_OF_CHANNEL, "channel", is_channel=True)
            return
        if not self._is_final and channel:
            self._retract(found)
        self._is_final = True
        self._passed_thought()

    def _read(self, found: list[Piece], is_end: bool) -> bool:
        """Take in text up to the next mark, and the mark. Return whether there is more to look at."""
        match = _MARKS.search(self._held)
        begun = len(self._held) - (0 if is_end else self._begun())
        if match is None or begun < match.start():
            self._emit(found, begun)
            return False
        self._emit(found, match.start())
        if self._skip_space and not self._held:
            return False
        mark = match[0]
        match match.lastgroup and {k: v for k, v in match.groupdict().items() if v is not None}:
            case {"header": _}:
                return self._at_header(mark, match["channel"] or "", found)
            case {"end": _}:
                return self._at_end(mark, found, is_end, is_frame=bool(match["closed"]))
            case {"frame": _}:
                return self._drop_or_emit(mark, found, drops=not self._position.in_code)
            case {"answer": _}:
                drops = self.has_thought and self._position.is_start
                self._has_frame = self._has_frame or drops
                return self._drop_or_emit(mark, found, drops=drops)
            case {"start": _} | {"turn": _}:
                return self._at_turn(mark, found, is_end)
            case {"left": _}:
                return self._at_left(mark, found, is_end)
            case groups:
                assert groups
                name = next(name for name in groups if name[0] in "oc" and name[1:].isdigit())
                form = int(name[1:])
        if name[0] == "o":
            return self._at_opening(form, mark, found)
        return self._at_closing(form, mark, found, is_end)

    def _at_header(self, mark: str, channel: str, found: list[Piece]) -> bool:
        if self._position.in_code:
            return self._drop_or_emit(mark, found, drops=False)
        self._held = self._held[len(mark) :]
        self._enter(channel, found)
        return True

    def _at_opening(self, number: int, mark: str, found: list[Piece]) -> bool:
        form, position = FORMS[number], self._position
        stands = {
            Where.ANYWHERE: True,
            Where.LINE: position.is_line_start or position.is_start,
            Where.START: position.is_start,
        }[form.where]
        if position.in_code or not stands:
            # Of what stands between backticks the other mark does, too.
            self._mentioned[form.name] += form.where is not Where.START and not position.in_span
            return self._drop_or_emit(mark, found, drops=False)
        is_aside = position.in_sentence and not position.is_start
        raw = mark if is_aside or form.must_close else None
        self._held = self._held[len(mark) :]
        self._block = _Block(_CLOSES[number], form.name, raw, is_aside)
        return True

    def _at_closing(self, number: int, mark: str, found: list[Piece], is_end: bool) -> bool:
        form, position = FORMS[number], self._position
        if not form.alone or position.in_span or self._mentioned[form.name] > 0:
            self._mentioned[form.name] -= self._mentioned[form.name] > 0
            return self._drop_or_emit(mark, found, drops=False)
        rest = self._held[len(mark) :]
        # What follows says whether it closes anything; until something does, it is held back.
        behind = _VISIBLE.search(rest)
        if behind is None and not is_end:
            return False
        if position.is_apart and _goes_on(rest):
            return self._drop_or_emit(mark, found, drops=False)
        self._held = rest
        if behind is None and self.has_thought:
            return True  # it was closed before: this one closes nothing
        self._retract(found)
        self._passed_thought()
        self._on_lone_close(True)
        return True

    def _at_end(self, mark: str, found: list[Piece], is_end: bool, *, is_frame: bool) -> bool:
        if self._position.in_code or (is_frame and not self._has_frame):
            return self._drop_or_emit(mark, found, drops=False)
        rest = self._held[len(mark) :]
        while (more := _END.match(rest.lstrip())) is not None:
            rest = rest.lstrip()[more.end() :]
        rest = rest.lstrip()
        turn = _TURN.match(rest) or _START.match(rest)
        if _HEADER.match(rest) or turn or not rest:
            if not rest and not is_end:
                return False
            self._is_over = turn is not None
            self._held = rest
            return True
        if not is_end and _BEGUN.match(rest):
            return False
        return self._drop_or_emit(mark, found, drops=False)

    def _at_turn(self, mark: str, found: list[Piece], is_end: bool) -> bool:
        rest, position = self._held[len(mark) :], self._position
        # Behind some of them the name of who speaks follows.
        if not is_end and len(rest.lstrip()) < _LONGEST_ROLE and "\n" not in rest.lstrip():
            return False
        if position.is_start and _START.match(mark):
            self._skip_space = True
            return self._drop_or_emit(mark, found, drops=not position.in_code)
        is_named = position.in_code or position.is_apart or (rest.strip() and _goes_on(rest))
        if is_named or _TURN.match(mark) is None:
            return self._drop_or_emit(mark, found, drops=False)
        self._is_over = True
        return False

    def _at_left(self, mark: str, found: list[Piece], is_end: bool) -> bool:
        rest, position = self._held[len(mark) :], self._position
        if not is_end and (not rest.strip() or (len(rest) < len("<0x0A>") and rest[:2] in "<0")):
            return False
        is_named = position.in_code or (mark[0] == "<" and position.is_apart and _goes_on(rest))
        if not is_named and (numbers := _BYTE.findall(mark)):
            written = bytes(int(number, 16) for number in numbers).decode(errors="replace")
            self._held = written + rest
            return self._drop_or_emit(written, found, drops=not written.strip("\0\x1b"))
        return self._drop_or_emit(mark, found, drops=not is_named)

    def _drop_or_emit(self, mark: str, found: list[Piece], *, drops: bool) -> bool:
        if drops:
            self._held = self._held[len(mark) :]
        else:
            self._emit(found, len(mark))
        return True

    def _retract(self, found: list[Piece]) -> None:
        if self._had_text:
            found.append(Retracted())
        # What this piece brought is not passed on yet.
        found[:] = [Thought(p.text) if isinstance(p, Text) else p for p in found]
        self._has_text = self._had_text = self._has_words = False
        self._position = _Position()
        # Those mentions were in the reasoning, so no mark of the answer pairs with them.
        self._mentioned.clear()

    def _emit(self, found: list[Piece], length: int) -> None:
        taken, self._held = self._held[:length], self._held[length:]
        if self._skip_space:
            taken = taken.lstrip()
            self._skip_space = not taken
        if taken:
            self._add(found, Text(taken))

    def _add(self, found: list[Piece], piece: Text | Thought) -> None:
        if not piece.text:
            return
        if isinstance(piece, Text):
            self._has_text = True
            self._has_words = self._has_words or not piece.text.isspace()
            self._position.advance(piece.text)
        last = found[-1] if found else None
        if isinstance(last, Text) and isinstance(piece, Text):
            found[-1] = Text(last.text + piece.text)
        elif isinstance(last, Thought) and isinstance(piece, Thought):
            found[-1] = Thought(last.text + piece.text)
        else:
            found.append(piece)

    def _begun(self, block: _Block | None = None) -> int:
        """Return how many characters at the end may be the beginning of a mark."""
        held = self._held
        start = max(0, len(held) - _LONGEST_MARK)
        begun = _BEGUN.search(held, start)
        held_length = len(held) - begun.start() if begun else 0
        if block is None and self._position.is_start:
            beginning = held.lstrip().lstrip("*").lower()
            if beginning and any(sentence.startswith(beginning) for sentence in _SENTENCES):
                held_length = len(held)
        if (
            block is not None
            and block.form == "prose"
            and (line := _CLOSING_LINE.search(held, start))
        ):
            held_length = max(held_length, len(held) - line.start())
        if block is None or block.form in {"analysis", ""}:
            for length in range(min(len(_FINAL_WORD) - 1, len(held)), held_length, -1):
                if _FINAL_WORD.startswith(held[-length:]):
                    held_length = length
                    break
        return held_length


def _scalar(text: str) -> str:
    """Return a text with its surrogate pairs joined, and U+FFFD for halves: they are no characters."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# Such as: write it between <think> and </think>.
def _is_mention(block: str) -> bool:
    """Say whether a block in the midst of a sentence only names the two marks."""
    inside = block[block.find(">") + 1 :] if ">" in block else block
    words = inside.strip()
    if words.strip(".…") == "":
        return True
    return len(words) < _SHORTEST_ASIDE and inside[0].isspace() and inside[-1].isspace()


def _goes_on(rest: str) -> bool:
    """Say whether the sentence in which a mark stands goes on behind it."""
    line = rest.split("\n", 1)[0]
    if not line.strip():
        return not rest.strip()
    first = line.strip()[0]
    if line[0].isspace():
        return first.islower()
    return first in ",.;:!?)]\"'”“»’"
