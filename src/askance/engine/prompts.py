"""Prompts are files with exact variables; every call of a run shares its prompt up to the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from askance.config.settings import AnswerLength
from askance.domain.conversation import TextTask, Turn
from askance.engine.transcript import PromptedTurn
from askance.extract.text import break_control_tokens
from askance.ports.model import ChatMessage, Role

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
    "chat": frozenset({"today"}),
    "text": frozenset(),
    **{f"text_{task}": frozenset({"wish"}) for task in TextTask},
}
LENGTHS = {
    AnswerLength.SHORT: "Write at most three sentences.",
    AnswerLength.NORMAL: "Then two to four substantial paragraphs where the sources carry them.",
    AnswerLength.LONG: "Then cover every side of it that the sources carry, in detail.",
}


class PromptError(ValueError):
    """A prompt file lacks a variable, or has one that nothing fills: a bug in the files."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """All prompt texts, checked."""

    texts: Mapping[str, str]

    def render(self, name: str, **values: str) -> str:
        """Fill a prompt.

        Raises:
            PromptError: a value is missing, or one too many is given.
        """
        if values.keys() != VARIABLES[name]:
            raise PromptError(f"prompt {name!r} takes {sorted(VARIABLES[name])}")
        return Template(self.texts[name]).substitute(values)


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
        if not template.is_valid() or frozenset(template.get_identifiers()) != variables:
            raise PromptError(f"prompt {name!r} must have exactly {sorted(variables)}")
        texts[name] = text
    return Prompts(texts)


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
        asked, said = (
            (turn.prompt, turn.reply)
            if isinstance(turn, PromptedTurn)
            else (turn.question, turn.answer)
        )
        messages += [prompted(Role.USER, asked), prompted(Role.ASSISTANT, said)]
    body = "\n\n".join(part for part in (f"Question: {question}", evidence, task) if part)
    return (*messages, prompted(Role.USER, body))
