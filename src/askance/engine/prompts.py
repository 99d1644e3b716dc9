"""Prompts: files with exact variables, laid out so that all calls of a run share them up to the task, and the turns
of a conversation as the model's server has them. `context_budget` says what fits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from string import Template

from askance.config.choices import AnswerLength
from askance.domain.conversation import TextTask, Turn
from askance.domain.evidence import Extract, Source
from askance.domain.ports.model import ChatMessage, Role
from askance.extract.text import break_control_tokens
from askance.text.languages.language import ENGLISH, language
from askance.text.languages.recognition import surely

VARIABLES: dict[str, frozenset[str]] = {
    "system": frozenset({"today"}),
    "plan": frozenset(),
    "judge": frozenset(),
    "judge_again": frozenset(),
    "choose": frozenset({"results"}),
    "answer": frozenset({"length", "question"}),
    "answer_small": frozenset({"question"}),
    "verify": frozenset({"sentences"}),
    "retry": frozenset({"keys"}),
    "context_line": frozenset({"around", "passage"}),
    "evidence": frozenset({"today", "question", "blocks"}),
    "chat": frozenset({"today"}),
    "text": frozenset(),
    **{f"text_{task}": frozenset({"wish", "language"}) for task in TextTask},
}
OF_LANGUAGE: dict[str, frozenset[str]] = {
    "plan": frozenset({"searched_in", "said_in"}),
    "judge": frozenset({"searched_in"}),
    "judge_again": frozenset({"searched_in"}),
    "answer": frozenset({"spoken", "put_in"}),
    "answer_small": frozenset({"said_in"}),
    "chat": frozenset({"replied_in"}),
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
        return "" if code == ENGLISH == self.question else code

    def variables(self) -> dict[str, str]:
        """Return what prompts say of languages, by variable."""
        name = language(self.answer).name if self.answer else ""
        is_foreign = self.question not in {"", ENGLISH}
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
    `sources` are those that they belong to.
    """

    prompt: str
    reply: str
    sources: tuple[Source, ...] = ()
    extracts: tuple[Extract, ...] = ()


class Transcript:
    """Remembers the turns of one conversation: a server keeps the prompts of no other."""

    def __init__(self) -> None:
        self._prompted: dict[tuple[str, ...], PromptedTurn] = {}

    def of(self, turns: Sequence[Turn]) -> tuple[PromptedTurn | None, ...]:
        """Return for each turn how it stands in prompts, None where that is not known."""
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
