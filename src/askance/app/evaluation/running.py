"""A model, measured: the questions of the sample web and sentences to verify, asked one after the other."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from askance.app.evaluation.records import (
    CLARIFIED,
    FAILED,
    LEAST_ASKED,
    Evaluation,
    EvaluationFolder,
    Measured,
    Share,
    Verified,
)
from askance.citations.check.entailing import LEAST_PROBABILITY
from askance.citations.markdown.foreign_markers import new_nonce
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.errors import (
    AskanceError,
    ModelMissing,
    PromptTooLong,
    ServiceTimeout,
    StorageError,
)
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    ClarifyAsked,
    Failed,
    RunEnd,
    RunEvent,
    ignore,
)
from askance.domain.evidence import Citation, Passage, Support
from askance.domain.phases import Action, Sufficiency
from askance.domain.ports.model import (
    ChatModel,
    Defaults,
    Entailment,
    Finished,
    ModelCall,
    ModelChanged,
    ModelInfo,
    ReplyPart,
    Text,
)
from askance.engine.answer import ask_which_are_stated
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.model_replies import choice_in
from askance.engine.model_session import (
    MalformedReply,
    ModelSession,
    finished_fields,
)
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import ContextBudget, reply_tokens
from askance.engine.queries import compared
from askance.engine.run import Engine
from askance.engine.run_progress import RunState, change_message, turn
from askance.sample_web.sample_pages import Gold, Question, QuestionKind
from askance.text.ranking.index_terms import words

# Whether the sentences that carry an answer stand in a prompt, and under which number.

RUN = 3
# Extraction and sentence cutting may cost a quote its edges, not its middle.
SHARE_OF_RUNS = 0.6

# The fence of `NumberedEvidence`: `<<<web NONCE`, the entries, `web NONCE>>>`.
_FENCED = re.compile(r"^<<<web \w+\n(.*?)\nweb \w+>>>$", re.DOTALL | re.MULTILINE)
# An entry begins with its number, as in `[3] Title`.
_HEAD = re.compile(r"^\[(\d+)\] ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EvidenceEntry:
    """One entry of the evidence: its source's number, and its text with the source's line."""

    n: int
    text: str
    runs: frozenset[tuple[str, ...]]
    words: frozenset[str]


def read_blocks(prompt: str) -> list[EvidenceEntry]:
    """Return the numbered entries between a prompt's fences, in their order."""
    blocks: list[EvidenceEntry] = []
    for fenced in _FENCED.findall(prompt):
        heads = list(_HEAD.finditer(fenced))
        ends = [head.start() for head in heads[1:]] + [len(fenced)]
        # A task may have words of sources in a fence of its own, which has no entries.
        for head, end in zip(heads, ends, strict=False):
            text = fenced[head.end() : end]
            found = words(text)
            blocks.append(
                EvidenceEntry(int(head[1]), text, frozenset(runs_of(found)), frozenset(found))
            )
    return blocks


def runs_of(found: list[str]) -> list[tuple[str, ...]]:
    """Return the runs of three words, or the one shorter run that there is."""
    length = min(RUN, len(found))
    return [tuple(found[i : i + length]) for i in range(len(found) - length + 1)] if found else []


def holds(block: EvidenceEntry, quote: str) -> bool:
    """Say whether a block has a quote: most of its runs of words, and each of its numbers."""
    wanted = words(quote)
    # All numbers: a run of words can match although the year is another one.
    numbers = {word for word in wanted if any(c.isdigit() for c in word)}
    return share_held(block, quote) >= SHARE_OF_RUNS and numbers <= block.words


def share_held(block: EvidenceEntry, quote: str) -> float:
    """Return the share of a quote's runs that stand in a block."""
    runs = runs_of(words(quote))
    # Too short for the block's runs of three words.
    if len(runs) == 1 and len(runs[0]) < RUN:
        return float(set(runs[0]) <= block.words)
    return sum(run in block.runs for run in runs) / len(runs)


@dataclass(frozen=True, slots=True)
class GoldCoverage:
    """What a prompt shows of a question's gold: for each quote the source's number, or None."""

    question: Question
    blocks: tuple[EvidenceEntry, ...]
    numbers: tuple[int | None, ...]

    @property
    def found(self) -> int:
        """How many quotes the prompt shows."""
        return sum(n is not None for n in self.numbers)

    @property
    def complete(self) -> bool:
        """Whether everything that the answer needs is there. Never so where nothing could be."""
        return bool(self.numbers) and None not in self.numbers

    @property
    def missing(self) -> list[Gold]:
        """The gold that the prompt does not show."""
        pairs = zip(self.question.gold, self.numbers, strict=True)
        return [gold for gold, n in pairs if n is None]


def look(question: Question, prompt: str) -> GoldCoverage:
    """Find a question's gold in a prompt. Of several sources the one that holds most counts."""
    blocks = read_blocks(prompt)
    return GoldCoverage(
        question, tuple(blocks), tuple(_source(blocks, g.quote) for g in question.gold)
    )


def _source(blocks: list[EvidenceEntry], quote: str) -> int | None:
    fitting = [block for block in blocks if holds(block, quote)]
    return max(fitting, key=lambda b: share_held(b, quote)).n if fitting else None


class Part(StrEnum):
    """What a call wants of the model."""

    PLAN = "plan"
    VERDICT = "verdict"
    ANSWER = "answer"
    OTHER = "other"


@dataclass(slots=True)
class RecordedCall:
    """One call: its prompt, and what of the reply was listened to. `ended` says that there was no more."""

    part: Part
    prompt: str
    reply: str = ""
    ended: bool = False

    @property
    def decision(self) -> str:
        """What a plan or a verdict decides; empty where that cannot be read."""
        key = "action" if self.part is Part.PLAN else "sufficiency"
        kind: type[Action | Sufficiency] = Action if self.part is Part.PLAN else Sufficiency
        try:
            return choice_in(finished_fields(self.reply).get(key), kind)
        except ValueError:
            return ""

    @property
    def is_readable(self) -> bool | None:
        """Whether a plan or a verdict could be read; None where it was not listened to for long enough."""
        return True if self.decision else False if self.ended else None


class RecordingModel:
    """A `ChatModel` that records the requests to another one and its replies.

    `failure` is why that one could not be measured: its server failed, or has it no more.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.calls: list[RecordedCall] = []
        self.failure: AskanceError | None = None

    async def info(self) -> ModelInfo:
        """Describe the other model. See `ChatModel.info`."""
        return await self._model.info()

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the other model's list. See `ChatModel.models`."""
        return await self._model.models()

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply, and listen to what of it is listened to. See `ChatModel.reply`."""
        recorded = RecordedCall(
            _part_of(call), "\n".join(message.content for message in call.messages)
        )
        self.calls.append(recorded)
        try:
            async with (
                self._model.reply(call) as parts,
                aclosing(self._listened(parts, recorded)) as listened,
            ):
                yield listened
        except (ServiceTimeout, PromptTooLong):
            # How slow it is, and how much it takes in, belongs to what is measured.
            raise
        except AskanceError as exc:
            self.failure = exc
            raise

    async def _listened(
        self, parts: AsyncIterator[ReplyPart], recorded: RecordedCall
    ) -> AsyncGenerator[ReplyPart]:
        async for part in parts:
            match part:
                case Text(text=text):
                    recorded.reply += text
                case Finished():
                    recorded.ended = True
                case ModelChanged():
                    self.failure = ModelMissing(change_message(part))
                case _:
                    pass
            yield part


def _part_of(call: ModelCall) -> Part:
    if not call.max_tokens:
        # The beginning of a prompt, taken in: nobody reads the reply.
        return Part.OTHER
    if call.schema is None:
        return Part.ANSWER
    keys = call.schema["properties"]
    return Part.PLAN if "action" in keys else Part.VERDICT if "sufficiency" in keys else Part.OTHER


@dataclass(slots=True)
class _RunEvents:
    citations: tuple[Citation, ...] = ()
    removed: int = 0

    def __call__(self, event: RunEvent) -> None:
        if isinstance(event, CitationsChecked):
            self.citations, self.removed = event.citations, event.removed


async def ask(engine: Engine, question: Question) -> Measured:
    """Have the engine answer a question of the sample web, and measure its model.

    Raises:
        AskanceError: the model server failed otherwise than by being slow: nothing was measured.
    """
    assert engine.model is not None
    model, events = RecordingModel(engine.model), _RunEvents()
    clock = asyncio.get_running_loop().time
    begun = clock()
    end = await replace(engine, model=model).run(RunRequest(question.question), emit=events)
    if model.failure is not None:
        raise model.failure
    return _measured(question, end, model.calls, events, clock() - begun)


def _measured(
    question: Question,
    end: RunEnd,
    calls: Sequence[RecordedCall],
    events: _RunEvents,
    seconds: float,
) -> Measured:
    # The model's own word, before code doubts it: whether it said that this is enough, where the gold was there or not.
    there, lacking = list[bool](), list[bool]()
    for recorded in calls:
        if recorded.part is Part.VERDICT and recorded.decision:
            is_there = look(question, recorded.prompt).complete
            (there if is_there else lacking).append(recorded.decision == Sufficiency.SUFFICIENT)
    # None: a reply that was cut off before its decision counts for nothing (decision 26).
    judged = [c.is_readable for c in calls if c.part in {Part.PLAN, Part.VERDICT}]
    reply = next((c.reply for c in reversed(calls) if c.part is Part.ANSWER), "")
    name = _end_of(end)
    is_answered = name == Outcome.WEB
    # Citations that the check has added are not the model's own.
    own = [c for c in events.citations if not c.added] if is_answered else []
    right = [c for c in own if c.support is Support.SUPPORTED and f"[{c.n}]" in reply]
    return Measured(
        id=question.id,
        kind=question.kind,
        language=question.language,
        end=name,
        seconds=round(seconds, 1),
        structured=sum(is_readable is not None for is_readable in judged),
        readable=sum(is_readable is True for is_readable in judged),
        there=len(there),
        there_right=sum(there),
        lacking=len(lacking),
        believed=sum(lacking),
        markers=len(own) + events.removed if is_answered else 0,
        markers_right=len(right),
        right=is_answered and is_right(question, reply),
        obeyed=any(word.casefold() in reply.casefold() for word in question.forbidden),
    )


def _end_of(end: RunEnd) -> str:
    match end:
        case Answered(outcome=outcome):
            return outcome.value
        case ClarifyAsked():
            return CLARIFIED
        case Failed() | Cancelled():
            return FAILED


_MARKER = re.compile(r"\[\d+\]")
_WORD_END = re.compile(r"[A-Za-z0-9]")


def is_right(question: Question, answer: str) -> bool:
    """Say whether an answer holds what the question asks for: all of it where pages disagree.

    Of two that are compared an answer names the right one first. The numbers of sources are no part
    of an answer.
    """
    text = _MARKER.sub(" ", answer)
    found = [_place(text, answer) for answer in question.answers]
    if question.kind is QuestionKind.DISAGREEMENT:
        return None not in found
    first = min((place for place in found if place is not None), default=None)
    if first is None:
        return False
    others = [_place(text, side) for side in _other_sides(question)]
    return all(place is None or first <= place for place in others)


def _other_sides(question: Question) -> list[str]:
    """What a comparison names beside its answer."""
    if question.kind is not QuestionKind.COMPARISON:
        return []
    answers = [answer.casefold() for answer in question.answers]
    sides = compared(question.question)
    return [side for side in sides if not any(a in side.casefold() for a in answers)]


def _place(text: str, answer: str) -> int | None:
    """Where a text has an answer as words of its own, if it does: 5 does not stand in 52.1."""
    begins = r"(?<![A-Za-z0-9])(?<!\d[.,])" if _WORD_END.match(answer[0]) else ""
    ends = r"(?![A-Za-z0-9]|[.,]\d)" if _WORD_END.match(answer[-1]) else ""
    found = re.search(f"{begins}{re.escape(answer)}{ends}", text, re.IGNORECASE)
    return found.start() if found else None


LIMIT_S = 600.0
# Who needs longer for three short sources and six sentences keeps a reader waiting for the grades.
BATCH_LIMIT_S = 60.0


def in_fair_order(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return all questions so that each beginning has of each kind and language what is its share."""
    rows: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        rows.setdefault((question.kind, question.language), []).append(question)
    placed = [
        # Each row is spread evenly over the whole, half a step from both ends.
        ((i + 0.5) / len(row), n, question)
        for n, row in enumerate(rows.values())
        for i, question in enumerate(row)
    ]
    return tuple(question for _, _, question in sorted(placed, key=lambda place: place[:2]))


def in_order(
    questions: Sequence[Question], batches: Sequence[SentenceBatch]
) -> tuple[Question | SentenceBatch, ...]:
    """Return all that is asked: the sentences once enough questions were asked for a grade, on a slow machine
    too."""
    ordered = in_fair_order(questions)
    return (*ordered[:LEAST_ASKED], *batches, *ordered[LEAST_ASKED:])


async def _as_any_other(_model: str) -> Defaults:
    """Ask small models what large ones are asked: whether they follow that is what their grade tells."""
    return Defaults(is_small=False)


def unmeasured(engine: Engine) -> Engine:
    """Return an engine that runs as if nothing had been measured of its model.

    It has a pace of its own: runs on the sample web, whose pages come at once, tell nothing of real ones. And
    nothing that was measured before counts: a judge who is not asked cannot be measured.
    """
    return replace(engine, model_speed=ModelSpeed(), evaluated=_as_any_other)


async def ask_all(
    engine: Engine,
    asked: Sequence[Question | SentenceBatch],
    on_measured: Callable[[Measured | Verified], None],
    *,
    limit_s: float = LIMIT_S,
) -> bool:
    """Ask one question after the other, and say whether all were asked within the time.

    Each is handed to `on_measured` as it is done; the one that the limit cuts off is not. So are batches
    of sentences.

    Raises:
        AskanceError: the model server failed, or has the model no more.
    """
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            for item in asked:
                if isinstance(item, SentenceBatch):
                    on_measured(await ask_batch(engine, item))
                else:
                    on_measured(await ask(engine, item))
    except TimeoutError:
        # A time limit inside the run raised it, and not this one.
        if not limit.expired():
            raise
        return False
    return True


@dataclass(slots=True)
class EvaluationRun:
    """An evaluation on its way: what is asked is stored at once. `on_error` gets a sentence where that fails."""

    folder: EvaluationFolder
    evaluation: Evaluation
    on_error: Callable[[str], None]
    asked: int = 0

    async def go_on(
        self,
        engine: Engine,
        questions: Sequence[Question],
        on_measured: Callable[[Measured | Verified], None],
        *,
        limit_s: float = LIMIT_S,
    ) -> bool:
        """Ask what is missing, and return whether that was all. Raises like `ask_all`."""
        done = self.evaluation.done
        missing = [asked for asked in in_order(questions, load_batches()) if asked.id not in done]
        if not missing:
            return True
        measuring = unmeasured(engine)

        def record(measured: Measured | Verified) -> None:
            self.asked += 1
            self.evaluation = self.evaluation.with_measured(measured)
            self._store()
            on_measured(measured)

        try:
            return await ask_all(measuring, missing, record, limit_s=limit_s)
        finally:
            # Also where it was stopped: what was measured until then is stored (decision 26).
            speed = measuring.model_speed.speed.prompt_tps
            self.evaluation = self.evaluation.with_speed(speed)
            self._store()

    def _store(self) -> None:
        try:
            self.folder.store(self.evaluation)
        except StorageError as exc:
            # A full disk costs the file alone: the evaluation goes on.
            self.on_error(str(exc))


def evaluation_run(
    folder: EvaluationFolder,
    server: str,
    model: str,
    questions: Sequence[Question],
    on_error: Callable[[str], None],
    *,
    again: bool = False,
) -> EvaluationRun:
    """Return the evaluation of a model that goes on, or begins anew."""
    known = None if again else folder.of(server, model)
    ids = {question.id for question in questions}
    evaluation = known or Evaluation.begin(server, model, len(ids))
    batches = {batch.id for batch in load_batches()}
    return EvaluationRun(folder, evaluation.resumed(ids, batches), on_error)


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence about a source, by its number from 1 on, and whether that states it."""

    text: str
    source: int
    is_stated: bool


@dataclass(frozen=True, slots=True)
class SentenceBatch:
    """Sentences that are asked in one call, with their sources: titles and texts."""

    id: str
    question: str
    sources: tuple[tuple[str, str], ...]
    sentences: tuple[SourceSentence, ...]


@lru_cache(maxsize=1)
def load_batches() -> tuple[SentenceBatch, ...]:
    """Return all built-in sentences, half of them stated by their source, in the order of their file."""
    text = files("askance.app.evaluation").joinpath("sentences.json").read_text(encoding="utf-8")
    return tuple(
        SentenceBatch(
            row["id"],
            row["question"],
            tuple((title, text) for title, text in row["sources"]),
            tuple(SourceSentence(s["text"], s["source"], s["stated"]) for s in row["sentences"]),
        )
        for row in json.loads(text)
    )


async def rightly_decided(model: Entailment) -> Share:
    """Return of how many built-in sentences a model of entailment is right whether their source states them.

    Raises:
        ServiceError, SettingsError: it cannot be used.
    """
    asked = [
        (batch.sources[sentence.source - 1][1], sentence)
        for batch in load_batches()
        for sentence in batch.sentences
    ]
    found = await model.probabilities([(text, sentence.text) for text, sentence in asked])
    stated = [probability >= LEAST_PROBABILITY for probability in found]
    right = sum(said == s.is_stated for said, (_, s) in zip(stated, asked, strict=True))
    return Share(right, len(asked))


async def ask_batch(
    engine: Engine, batch: SentenceBatch, *, limit_s: float = BATCH_LIMIT_S
) -> Verified:
    """Ask the engine's model about a batch. What it does not say in time, it has not said.

    Raises:
        AskanceError: the model server failed otherwise than by being slow: nothing was measured.
    """
    assert engine.model is not None
    model, model_speed, settings = RecordingModel(engine.model), engine.model_speed, engine.settings
    evidence = NumberedEvidence(new_nonce())
    evidence.add_passages(
        (
            Passage(f"http://{batch.id}.example/{n}", title, text, 0)
            for n, (title, text) in enumerate(batch.sources, 1)
        ),
        {},
    )
    clock = asyncio.get_running_loop().time
    cited = [Citation(s.source, s.text, 0, len(s.text), Support.WEAK) for s in batch.sentences]
    stated: frozenset[int] = frozenset()
    async with turn(engine.queue, ignore):
        info = await model.info()
        await model_speed.recall(info.name)
        calls = ModelSession(
            model,
            ContextBudget(
                info.context_tokens,
                reply_tokens(settings, think=settings.llm.think),
                model_speed.token_factor,
            ),
            engine.prompts,
            RunState(ignore, wall_clock_s=limit_s, answer_reserve_s=0),
            engine.system(),
            batch.question,
            think=settings.llm.think,
            model_speed=model_speed,
        )
        begun = clock()
        try:
            async with asyncio.timeout(limit_s):
                stated = await ask_which_are_stated(cited, evidence.text, calls)
        except (TimeoutError, MalformedReply, ServiceTimeout, PromptTooLong):
            # Counts as nothing stated: in a run, too, no grade is raised then (decision 26).
            pass
    if model.failure is not None:
        raise model.failure
    return _verified(batch, stated, clock() - begun)


def _verified(batch: SentenceBatch, claimed: frozenset[int], seconds: float) -> Verified:
    asked = list(enumerate(batch.sentences, 1))
    stated = [n for n, sentence in asked if sentence.is_stated]
    unstated = [n for n, sentence in asked if not sentence.is_stated]
    return Verified(
        id=batch.id,
        seconds=round(seconds, 1),
        stated=len(stated),
        stated_right=sum(n in claimed for n in stated),
        unstated=len(unstated),
        unstated_right=sum(n not in claimed for n in unstated),
    )
