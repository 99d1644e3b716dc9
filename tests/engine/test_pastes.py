"""Random pastes of many kinds, with a question: nothing of them leaves, ahead of a plan or by one, and whoever knows what was typed."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from askance.engine.queries import initial_queries
from askance.engine.query_privacy import PrivateWords
from askance.text.message_parts import read_message
from sampled import sampled

BATCHES, SIZE = 60, 100
_ONSETS = ("br", "d", "gr", "h", "k", "l", "m", "n", "qu", "s", "t", "v", "w", "z", "fl", "sk")
_VOWELS = ("a", "e", "i", "o", "u", "ie", "au", "oa")
_CODAS = ("lm", "nd", "rth", "x", "sk", "ltz", "mb", "rn", "zt", "vik", "wick", "dorf")
# Those that tell by themselves what to search for, and those that do not.
_QUESTIONS = (
    "How long does a transfer between two banks take?",
    "Which documents are needed for a parental leave?",
    "Darf ich damit Auto fahren?",
    "What should I answer?",
    "Woran kann das liegen?",
    "¿Qué plazo hay para pagar una multa?",
    "how do I fix this?",
    "summarise this",
)


class Made:
    """Invented facts of one paste. `secrets` are those that were written into it, in small letters."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311
        self.secrets: list[str] = []

    def word(self) -> str:
        parts = [self.draw.choice(_ONSETS) + self.draw.choice(_VOWELS) for _ in range(2)]
        return "".join(parts).capitalize() + self.draw.choice(_CODAS)

    def secret(self, text: str) -> str:
        self.secrets.append(text.lower())
        return text

    def name(self) -> str:
        return self.secret(self.word())

    def person(self) -> str:
        return f"{self.draw.choice(('Elvira', 'Mara', 'Ole', 'Karl', 'Ines'))} {self.name()}"

    def digits(self, count: int) -> str:
        return self.secret("".join(self.draw.choice("123456789") for _ in range(count)))

    def mail(self) -> str:
        return f"{self.name().lower()}@{self.name().lower()}.example"

    def day(self) -> str:
        month = self.draw.choice(("March", "May", "October"))
        return f"{self.draw.randint(10, 28)} {month} {self.draw.randint(1950, 2024)}"

    def sentences(self, count: int) -> str:
        made = (
            lambda: f"{self.person()} moved to {self.name()} in the spring.",
            lambda: f"The contract with {self.name()} ends on {self.day()}.",
            lambda: f"The rent of the flat in {self.name()} is paid by {self.person()}.",
            lambda: f"Please send the papers to {self.mail()} or call {self.digits(11)}.",
            lambda: f"Policy {self.draw.randint(10, 99)}-{self.digits(5)} covers the damage.",
            lambda: f"Then {self.person()} takes 40 mg of {self.name()} each morning.",
            lambda: f"When the tenant {self.name()} is late, {self.name()} may write.",
            lambda: "It rained, and nobody came by for the whole of that week.",
        )
        return " ".join(self.draw.choice(made)() for _ in range(count))


def letter(made: Made) -> str:
    return f"Dear {made.name()},\n{made.sentences(5)}\nBest regards\n{made.person()}"


def mail(made: Made) -> str:
    head = f"From: {made.person()} <{made.mail()}>\nSubject: {made.name()}\n\n"
    return f"{head}Hello {made.name()},\nI am ill and my sister {made.name()} cannot come.\n{made.sentences(3)}"


def quoted(made: Made) -> str:
    return "\n".join(f"> {made.sentences(1)}" for _ in range(5))


def chat(made: Made) -> str:
    speakers = [made.name(), made.name()] * 3
    return "\n".join(f"{speaker}: {made.sentences(1)}" for speaker in speakers)


def log(made: Made) -> str:
    host = made.name().lower()
    return "\n".join(
        f"2026-0{n}-11 12:0{n}:01 host={host} user={made.name().lower()} key={made.digits(9)}"
        for n in range(1, 6)
    )


def report(made: Made) -> str:
    return f"Patient {made.person()}, born {made.day()}. {made.sentences(6)}"


def contract(made: Made) -> str:
    return "\n\n".join(f"§ {n} {made.sentences(2)}" for n in range(1, 4))


def wrapped(made: Made) -> str:
    told = f"I have known {made.person()} for years, and we met in {made.name()} again, where my "
    return f"{told}brother lives.\n{made.sentences(1)} I wrote of it to {made.name()}, who says that\nmy part is {made.digits(9)}."


def record(made: Made) -> str:
    fields = f'"name": "{made.person()}", "account": "{made.digits(12)}", "town": "{made.name()}"'
    return "{" + fields + "}\n" + "\n".join(f"{made.name()};{made.digits(9)}" for _ in range(4))


def error(made: Made) -> str:
    user, host = made.name().lower(), made.name().lower()
    return (
        f'Traceback (most recent call last):\n  File "/home/{user}/{made.name().lower()}/app.py", line 3\n'
        f"    connect('{host}.example', user='{user}', password='{made.digits(9)}')\n"
        f'psycopg2.OperationalError: connection to server at "{host}.example" (10.2.{made.draw.randint(2, 9)}.7) '
        f'failed: FATAL: password authentication failed for user "{user}"'
    )


def diary(made: Made) -> str:
    return f"I met {made.person()} in {made.name()} on {made.day()}. {made.sentences(8)} My head hurts."


KINDS: tuple[Callable[[Made], str], ...] = (
    letter, mail, quoted, chat, log, report, contract, wrapped, record, error, diary,
)  # fmt: skip


def leaks(message: str, made: Made, pasted: tuple[str, ...] | None) -> list[str]:
    parts = read_message(message, pasted)
    private = PrivateWords(parts.question, [parts.private], [parts.error.public])
    planned = [private.screen(f"{secret} transfer").query for secret in made.secrets]
    sent = " ".join([*initial_queries(parts), *planned]).lower()
    return [secret for secret in made.secrets if secret in sent]


@pytest.mark.parametrize("batch", sampled(range(BATCHES), every=60))
def test_of_a_random_paste_nothing_leaves(batch: int) -> None:
    for seed in range(batch * SIZE, (batch + 1) * SIZE):
        made = Made(seed)
        kind = KINDS[seed % len(KINDS)]
        paste, question = kind(made), made.draw.choice(_QUESTIONS)
        behind = f"{paste}\n\n{question}"
        assert leaks(behind, made, None) == [], (kind.__name__, behind)
        assert leaks(f"{question}\n\n{paste}", made, None) == [], (kind.__name__, paste)
        assert leaks(behind, made, (paste,)) == [], (kind.__name__, behind)


def test_a_question_that_says_nothing_without_its_paste_is_not_searched() -> None:
    made = Made(1)
    for question in ("What should I answer?", "Woran kann das liegen?", "how do I fix this?"):
        assert initial_queries(f"{letter(made)}\n\n{question}") == []
