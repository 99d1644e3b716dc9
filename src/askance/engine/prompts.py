"""Prompts: files with exact variables, laid out so that all calls of a run share them up to the task.

With them the turns of a conversation as the model's server has them, and the model's context: what its tokens are
worth, what of a prompt fits into it, and how evidence is cut to fit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from string import Template

from askance.config.choices import AnswerLength
from askance.config.settings import Settings
from askance.domain.conversation import TextTask, Turn
from askance.domain.errors import AskanceError, PromptTooLong, ServiceRefused
from askance.domain.evidence import Extract, Source
from askance.domain.messages import Message
from askance.domain.ports.model import ChatMessage, ModelInfo, Role
from askance.domain.web_pages import Page
from askance.extract.text.characters import break_control_tokens
from askance.text.languages.language import AS_ENGLISH, ENGLISH, language
from askance.text.languages.recognition import surely
from askance.text.ranking.index_terms import estimated_tokens

VARIABLES: dict[str, frozenset[str]] = {
    "system": frozenset({"today"}),
    "plan": frozenset(),
    "judge": frozenset(),
    "judge_again": frozenset(),
    "choose": frozenset({"results"}),
    "answer": frozenset({"length", "question"}),
    "answer_small": frozenset({"question"}),
    "positions": frozenset({"values"}),
    "verify": frozenset({"sentences"}),
    "retry": frozenset({"keys"}),
    "context_line": frozenset({"around", "passage"}),
    "evidence": frozenset({"today", "question", "blocks"}),
    "chat": frozenset({"today"}),
    "text": frozenset(),
    "own_command": frozenset({"prompt", "mark"}),
    "suggest": frozenset({"gaps", "uncited"}),
    **{f"text_{task}": frozenset({"wish", "language"}) for task in TextTask},
}
OF_LANGUAGE: dict[str, frozenset[str]] = {
    "plan": frozenset({"searched_in", "said_in"}),
    "judge": frozenset({"searched_in"}),
    "judge_again": frozenset({"searched_in"}),
    "answer": frozenset({"spoken", "put_in"}),
    "answer_small": frozenset({"said_in"}),
    "chat": frozenset({"replied_in"}),
    "suggest": frozenset({"said_in"}),
}
"""Variables that the languages of a run fill: see `Tongues`."""
AUTO = "auto"
LENGTHS = {
    AnswerLength.SHORT: "Write at most three sentences.",
    AnswerLength.NORMAL: "Then two to four substantial paragraphs where the sources carry them.",
    AnswerLength.LONG: "Then cover every side of it that the sources carry, in detail.",
}


class PromptError(ValueError):
    """A prompt file lacks a variable, or has one that nothing fills: a bug in the files."""


@dataclass(frozen=True, slots=True)
class Tongues:
    """The languages of a run, by their codes: of the question, and of the answer where one is set.

    Empty is what is not recognised. For a question in English, and for one that is not recognised, prompts
    name no language: they are what they were measured as.
    """

    question: str = ""
    wanted: str = ""

    @property
    def answer(self) -> str:
        """The language of the answer; empty where it is that of a question that needs no naming."""
        code = self.wanted or self.question
        # English questions get prompts without a word on languages, the ones that were measured.
        return "" if code == ENGLISH == self.question else code

    def variables(self) -> dict[str, str]:
        """Return what prompts say of languages, by variable."""
        name = language(self.answer).name if self.answer else ""
        is_foreign = self.question not in AS_ENGLISH
        return {
            "spoken": f"in {name} (quotes as their source has them)"
            if name
            else "in its own language",
            "said_in": f", in {name}" if name else "",
            "put_in": f" in {name}" if name else "",
            "replied_in": f" Reply in {name} unless you are asked for another language."
            if name
            else "",
            "searched_in": ", in the language of most pages about it (else English)"
            if is_foreign
            else "",
        }


def tongues_of(question: str, turns: Sequence[Turn], wanted: str) -> Tongues:
    """Return the languages of a run. `wanted` is the setting `answer.language`.

    A question that is not recognised, such as "2020?", is of the language of the conversation.
    """
    earlier = [text for turn in reversed(turns) for text in (turn.question, turn.answer)]
    # Its answers as well: a conversation may consist of questions of two words.
    language_code = next((code for text in (question, *earlier) if (code := surely(text))), "")
    return Tongues(language_code, "" if wanted == AUTO else wanted)


@dataclass(frozen=True, slots=True)
class Prompts:
    """All prompt texts, checked, in the words for the languages of a run."""

    texts: Mapping[str, str]
    tongues: Tongues = field(default_factory=Tongues)

    def speaking(self, tongues: Tongues) -> Prompts:
        """Return the same for a run in other languages."""
        return replace(self, tongues=tongues)

    def render(self, name: str, **values: str) -> str:
        """Fill a prompt.

        Raises:
            PromptError: a value is missing, or one too many is given.
        """
        if values.keys() != VARIABLES[name]:
            # A value that no prompt uses is a mistake too: somebody has changed one of the two.
            raise PromptError(f"prompt {name!r} takes {sorted(VARIABLES[name])}")
        return Template(self.texts[name]).substitute(values, **self._variables(name))

    def instructions(self, name: str) -> str:
        """Return a prompt before its other variables are filled."""
        return Template(self.texts[name]).safe_substitute(self._variables(name))

    def _variables(self, name: str) -> dict[str, str]:
        wanted = OF_LANGUAGE.get(name, ())
        return {key: text for key, text in self.tongues.variables().items() if key in wanted}


def load_prompts() -> Prompts:
    """Load the prompts that ship with the program.

    Raises:
        PromptError: a file is missing, or its variables are not those that are filled.
    """
    # In the repository the files stand beside `src`, so that they can be read and edited without
    # the code.
    shipped = files("askance") / "_prompts"
    folder = shipped if shipped.is_dir() else Path(__file__).parents[3] / "prompts"
    texts: dict[str, str] = {}
    for name, variables in VARIABLES.items():
        try:
            text = (folder / f"{name}.md").read_text(encoding="utf-8").strip()
        except OSError as exc:
            raise PromptError(f"prompt {name!r} is missing: {exc}") from exc
        template = Template(text)
        needed = variables | OF_LANGUAGE.get(name, frozenset())
        if not template.is_valid() or frozenset(template.get_identifiers()) != needed:
            raise PromptError(f"prompt {name!r} must have exactly {sorted(needed)}")
        texts[name] = text
    return Prompts(texts)


@dataclass(frozen=True, slots=True)
class PromptedTurn:
    """A turn as it stands in prompts: `prompt` is the question, the evidence and the writer's task.

    `reply` is what the model wrote, before it was checked. `extracts` entered in this turn, and
    `sources` are those that they belong to. `pages` were read for it: most of what they say never entered.
    """

    prompt: str
    reply: str
    sources: tuple[Source, ...] = ()
    extracts: tuple[Extract, ...] = ()
    pages: tuple[Page, ...] = ()


class Transcript:
    """Remembers the turns of one conversation: a server keeps the prompts of no other."""

    def __init__(self) -> None:
        self._prompted: dict[tuple[str, ...], PromptedTurn] = {}

    def of(self, turns: Sequence[Turn]) -> tuple[PromptedTurn | None, ...]:
        """Return for each turn how it stands in prompts, None where that is not known."""
        # By the answers: they are what this engine wrote, while a question may be asked twice.
        answers = _answers(turns)
        return tuple(self._prompted.get(answers[: i + 1]) for i in range(len(answers)))

    def store(self, turns: Sequence[Turn], answer: str, prompted: PromptedTurn) -> None:
        """Remember the turn that followed these with an answer, and forget other conversations."""
        answers = _answers(turns)
        # A server's cache holds one beginning: turns of another conversation are gone from it.
        self._prompted = {k: turn for k, turn in self._prompted.items() if k == answers[: len(k)]}
        self._prompted[(*answers, answer)] = prompted

    def retain(self, turns: Collection[PromptedTurn]) -> None:
        """Forget all but these: what has left a prompt once is not in the server's cache any more."""
        self._prompted = {key: turn for key, turn in self._prompted.items() if turn in turns}


def _answers(turns: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turn.answer for turn in turns)


def prompted(role: Role, content: str) -> ChatMessage:
    """Return a message for the model, in which nothing is left that would end it or begin another.

    All messages are made here: whatever enters a prompt, from wherever, goes through it.
    """
    # Servers look for `<|im_end|>` and its like in the whole prompt, whoever wrote it (decision
    # 16).
    return ChatMessage(role, break_control_tokens(content))


def build_messages(
    system: str,
    turns: Sequence[Turn | PromptedTurn],
    question: str,
    evidence: str,
    task: str,
) -> tuple[ChatMessage, ...]:
    """Lay out one call. Calls of a run differ in `task` only, and `evidence` only grows at its end:
    a server that keeps the last prompt evaluates nothing twice.
    """
    messages = [prompted(Role.SYSTEM, system)]
    for turn in turns:
        asked, answer = (
            (turn.prompt, turn.reply)
            if isinstance(turn, PromptedTurn)
            else (turn.question, turn.answer)
        )
        messages += [prompted(Role.USER, asked), prompted(Role.ASSISTANT, answer)]
    body = "\n\n".join(part for part in (f"Question: {question}", evidence, task) if part)
    return (*messages, prompted(Role.USER, body))


# A chat template adds a few tokens to each message.
MESSAGE_TOKENS = 5
# What a picture of the largest size that is shown takes: models cut one into 256 to 1,600 tokens.
PICTURE_TOKENS = 1_600
# No server that is of any use has less.
SMALLEST_CONTEXT = 256
# With less there is no room for a question, its evidence and an answer: passages are quoted instead.
ANSWERING_CONTEXT = 1024
# Estimates err; a prompt must fit all the same.
SAFETY = 1.1
# Code and tables have so many more tokens than the estimate, which has not learned yet.
DENSE = 1.35
# The conversation may take this share of the context at the most: the evidence needs the rest.
HISTORY_SHARE = 0.25
# How far the estimate goes down towards one prompt that the server counted.
LEARNING_RATE = 0.5
# In a prompt of fewer tokens the template counts for too much to learn from.
SMALLEST_SAMPLE = 200
# The factor stays within these, whatever a server says that it counted.
BOUNDS = (0.5, 3.0)
# What a model reasons counts as a part of its reply: without room of its own it eats the answer.
THINKING_TOKENS = 2000
# The evidence that is tried again where a server found a prompt too long, as a share of what was sent.
USUAL_SHARE = 0.5
LEAST_SHARE = 0.1
# Estimates of tokens err by so much.
_CUT_SAFETY = 1.15
# Statuses by which a server refuses what has nothing to do with a prompt's length.
_OTHER_REFUSALS = frozenset({401, 402, 403, 404, 405, 407, 408, 429})
# A fence of the evidence: see `evidence_set.NumberedEvidence`.
_FENCE = re.compile(r"<<<(web \w+)\n")
# Where a page or a passage ends, and failing that a line, a sentence, a word.
_ENDS = (re.compile(r"\n(?=\[\d+\] |\.\.\.\n)"), re.compile(r"\n"), re.compile(r"(?<=[.!?。]) "),
         re.compile(r" "))  # fmt: skip


def reply_tokens(settings: Settings, *, think: bool, most: int = 0) -> int:
    """Return how long a written reply may get: the answer, and the reasoning before it if any.

    `most` is what is wanted at the most; 0 is what the settings allow.
    """
    answer = min(settings.answer.max_tokens, most or settings.answer.max_tokens)
    return answer + (THINKING_TOKENS if think else 0)


def context_for(info: ModelInfo, answer_tokens: int, messages: Sequence[ChatMessage]) -> int:
    """Return the context that a prompt needs, in tokens: the usual one, or one that is doubled until
    the prompt fits, up to what the model can be asked for."""
    context = info.context_tokens
    while context < info.largest_context:
        budget = ContextBudget(context, answer_tokens)
        # Doubled, since each other size loads the model anew: of a few sizes one is often loaded
        # already.
        if DENSE * budget.prompt_cost(messages) <= context - budget.answer_tokens:
            break
        context = min(2 * context, info.largest_context)
    return context


def too_small(info: ModelInfo) -> Message:
    """Return the sentence about a model whose context is too small for answers."""
    return Message(
        "The context of {model} holds {n} tokens: too few to answer from sources.",
        model=info.name,
        n=info.context_tokens,
    )


class ContextBudget:
    """Knows the model's context and what its tokens are worth.

    `factor` is the number of its tokens to one of the estimate, as far as is known.
    """

    def __init__(self, context_tokens: int, answer_tokens: int, factor: float = 1.0) -> None:
        self.context_tokens = context_tokens
        # A small context must not be eaten up by the room kept for the answer.
        self.answer_tokens = min(answer_tokens, context_tokens // 4)
        self.factor = factor
        self.thought_tokens = 0
        """Room for what the model reasons before a reply although it was asked not to."""

    def limit(self, context_tokens: int) -> None:
        """Go on with a smaller context: the server was seen to have no more."""
        self.context_tokens = min(self.context_tokens, max(SMALLEST_CONTEXT, context_tokens))
        self.answer_tokens = min(self.answer_tokens, self.context_tokens // 4)

    def cost(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return round(estimated_tokens(text) * self.factor)

    def prompt_cost(self, messages: Sequence[ChatMessage]) -> int:
        """Estimate the tokens of a prompt."""
        pictures = sum(len(m.pictures) for m in messages)
        text = self.cost("".join(m.content for m in messages))
        return text + MESSAGE_TOKENS * len(messages) + PICTURE_TOKENS * pictures

    def learn(self, messages: Sequence[ChatMessage], counted: int) -> None:
        """Correct the estimate by what the server counted for a prompt (0: it did not count)."""
        raw = sum(estimated_tokens(m.content) for m in messages)
        # What a server counts for pictures would be taken for dense text.
        if counted <= 0 or raw < SMALLEST_SAMPLE or any(m.pictures for m in messages):
            return
        seen = (counted - MESSAGE_TOKENS * len(messages)) / raw
        # Too low an estimate overflows the context, too high a one leaves a little of it empty.
        rate = 1.0 if seen > self.factor else LEARNING_RATE
        factor = self.factor + rate * (seen - self.factor)
        self.factor = min(max(factor, BOUNDS[0]), BOUNDS[1])

    def fit_history(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Drop the oldest turns until the rest fits its share; turns are never cut."""
        return tuple(
            t for t in self.fit_turns(turns, [None] * len(turns), 0) if isinstance(t, Turn)
        )

    def fit_turns(
        self,
        turns: Sequence[Turn],
        prompted: Sequence[PromptedTurn | None],
        evidence_tokens: int,
    ) -> tuple[Turn | PromptedTurn, ...]:
        """Return the turns as they may stand in a prompt, the newest with their evidence where it is known.

        Evidence leaves whole, the oldest first, so that `evidence_tokens` of new evidence and the answer
        fit behind the rest. A turn without evidence has its share of the context; the oldest are dropped.
        """
        room = self.room(()) - evidence_tokens
        share = HISTORY_SHARE * self.context_tokens
        retained: list[Turn | PromptedTurn] = []
        keeps_evidence = True
        for turn, seen in zip(reversed(turns), reversed(prompted), strict=True):
            # The oldest evidence leaves first: once one does not fit, no older turn stands with its
            # own.
            if keeps_evidence and seen is not None:
                cost = self.cost(seen.prompt + seen.reply) + 2 * MESSAGE_TOKENS
                if keeps_evidence := cost <= room:
                    room -= cost
                    retained.append(seen)
                    continue
            cost = self.cost(turn.question + turn.answer) + 2 * MESSAGE_TOKENS
            share -= cost
            if share < 0:
                break
            room -= cost
            retained.append(turn)
        return tuple(reversed(retained))

    def room(self, messages: Sequence[ChatMessage]) -> int:
        """Tokens that may still be added to a prompt so that the answer fits behind it; never < 0."""
        used = SAFETY * self.prompt_cost(messages)
        used += min(5 * self.thought_tokens // 4, self.context_tokens // 2)
        # The margin is on both sides of the answer: on what is there, and on what is still to come.
        return max(0, int((self.context_tokens - self.answer_tokens - used) / SAFETY))

    def check(self, messages: Sequence[ChatMessage]) -> None:
        """Refuse a prompt that cannot fit.

        Raises:
            PromptTooLong: with the estimated and the available tokens.
        """
        needed = self.prompt_cost(messages)
        available = self.context_tokens - self.answer_tokens
        if needed > available:
            raise PromptTooLong(
                Message(
                    "The question is too long: about {needed} tokens, and the model's context leaves "
                    "room for {available}.",
                    needed=needed,
                    available=available,
                ),
                fix=Message("Shorten it, or raise llm.context_tokens if the model allows more."),
                needed=needed,
                available=available,
            )


def is_too_long(error: AskanceError) -> bool:
    """Say whether a server may have refused a prompt for its length, in whatever words."""
    if isinstance(error, PromptTooLong):
        return True
    if not isinstance(error, ServiceRefused):
        return False
    # Servers refuse a long prompt by several statuses and in words of their own; keys and limits
    # have statuses that mean nothing else.
    return 400 <= error.status < 500 and error.status not in _OTHER_REFUSALS


def fitting_share(error: AskanceError, evidence_share: float, reply_tokens: int) -> float:
    """Return how much of the evidence to try: half, or less where the server's numbers ask for it.

    `evidence_share` is that of the evidence in the prompt; `reply_tokens` must fit behind it.
    """
    if not isinstance(error, PromptTooLong) or not error.needed > error.available > 0:
        return USUAL_SHARE
    # The answer must fit behind it as well: a quarter of the context at the most.
    excess = error.needed - error.available + min(reply_tokens, error.available // 4)
    share = 1 - _CUT_SAFETY * excess / max(1.0, evidence_share * error.needed)
    return min(USUAL_SHARE, max(LEAST_SHARE, share))


def shorten(evidence: str, most: float) -> str:
    """Return the beginning of the evidence's text, at most so many characters and its fence closed.

    It ends behind a whole passage, or a sentence, where one ends in its second half. Empty where nothing
    but a fence would be left.
    """
    if len(evidence) <= most:
        return evidence
    shortened = evidence[: int(most)]
    # A whole passage is better than a longer piece of one; below half of the room too much would
    # go.
    ends = (max((m.start() for m in end.finditer(shortened)), default=0) for end in _ENDS)
    shortened = shortened[
        : next((end for end in ends if end > len(shortened) / 2), len(shortened))
    ].rstrip()
    fence = _FENCE.match(evidence)
    if fence is None:
        return shortened
    opening, closing = fence[0].rstrip(), f"{fence[1]}>>>"
    shortened = shortened.removesuffix(opening).rstrip()
    # A closing line that was cut in two is no text.
    last = shortened.rpartition("\n")[2]
    if closing.startswith(last) and last:
        shortened = shortened.removesuffix(last).rstrip()
    # An open fence would make the task behind it a part of the page's text.
    if shortened.count(opening) > shortened.count(closing):
        shortened += f"\n{closing}"
    return shortened if len(shortened) > len(opening) + len(closing) + 1 else ""


def joined(messages: Sequence[ChatMessage]) -> str:
    """Return a prompt as one text: two NULs stand before each message."""
    return "".join(f"\0{m.role}\0{m.content}" for m in messages)


def shared_chars(one: str, other: str) -> int:
    """Count the characters with which both begin."""
    surely, at_most = 0, min(len(one), len(other))
    # In halves, so that whole stretches are compared, and not characters.
    while surely < at_most:
        middle = (surely + at_most + 1) // 2
        if one[surely:middle] == other[surely:middle]:
            surely = middle
        else:
            at_most = middle - 1
    return surely


def beginning(
    messages: tuple[ChatMessage, ...], held: str, share: float
) -> tuple[ChatMessage, ...] | None:
    """Return the messages up to `share` of what the server does not hold, None if that is all.

    It is cut between two words, and ends with a message of the user's: templates want one there.
    """
    whole = joined(messages)
    known = shared_chars(whole, held)
    # At least one character more than before: else a portion would be sent for ever.
    wanted = known + max(1, int(share * (len(whole) - known)))
    start = 0
    for i, message in enumerate(messages):
        start += len(f"\0{message.role}\0")
        end = start + len(message.content)
        if end > wanted:
            most = max(1, wanted - start)
            cut = message.content.rfind(" ", 0, most)
            if cut <= 0 or start + cut <= known:  # a script without spaces, one very long word
                cut = most
            last = replace(message, content=message.content[:cut])
            ending = () if message.role is Role.USER else (prompted(Role.USER, "."),)
            return (*messages[:i], last, *ending)
        start = end
    return None
