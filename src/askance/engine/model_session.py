"""All calls of a run: one layout for their prompts, sent once more with less where a server finds one too long, and
replies cut off once they have said enough.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from askance.domain.conversation import Picture, Turn
from askance.domain.errors import (
    AskanceError,
    PromptTooLong,
    ServiceProtocolError,
    ServiceRefused,
    place_of,
)
from askance.domain.events import WarningCode, ignore
from askance.domain.messages import Message
from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ModelChanged,
    ReplyPart,
    Retracted,
    Role,
    Text,
    Thought,
    Timing,
)
from askance.engine.model_replies import Fields, find_fields, finished_fields
from askance.engine.model_speed import (
    LEAST_PROMPT_TOKENS,
    LEAST_THOUGHT_TOKENS,
    ModelSpeed,
    ReplyWatch,
)
from askance.engine.prompts import (
    MESSAGE_TOKENS,
    SAFETY,
    THINKING_TOKENS,
    ContextBudget,
    PromptedTurn,
    Prompts,
    beginning,
    build_messages,
    fitting_share,
    is_too_long,
    joined,
    prompted,
    shared_chars,
    shorten,
)
from askance.engine.run_progress import (
    WITHOUT_REASONING,
    RunState,
    Warn,
    change_message,
    log_error,
    only_reasoned,
)

# Replies, opened: every call is timed, and a long prompt goes to a slow server in portions.


StreamPart = Text | Thought | Retracted | ModelChanged | Finished
"""What comes of a reply, without what it took."""
# The room for reasoning once it has left none for a reply: small models go on for 4,000 tokens and more.
MOST_THOUGHT_TOKENS = 8_000
# From here on it is worth a sentence: some seconds of each reply on a usual machine.
NOTABLE_THOUGHT_TOKENS = 100
# Whether a server keeps the beginning of a prompt shows only where the rest is much shorter.
_LEAST_RATIO = 2.0
# A prompt that is hardly longer than a portion goes whole: its rest would wait once more.
LEAST_PORTIONS = 1.3
# So many portions are sent while it is not known what a server waits before each: then the rest goes whole.
MOST_PROBES = 3


@dataclass
class ReplyOpener:
    """Opens replies of one model, learns its pace from them, and keeps to it.

    A server notices a hang-up only at the first token. So where taking in a prompt would keep it
    busy for longer than a moment, the prompt is sent in portions, each of which ends with a token
    that nobody reads: the server keeps what it has evaluated, and a stop leaves one portion of work.
    """

    model: ChatModel
    model_speed: ModelSpeed
    budget: ContextBudget
    warn: Warn = ignore

    def __post_init__(self) -> None:
        self.was_cut = False
        """Whether the last reply ended at its limit."""
        self._retries = 0
        """How many replies were asked for again, with room for the model's reasoning."""
        self.budget.thought_tokens = self.model_speed.speed.thought_tokens

    def fresh_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Estimate how much of a prompt the server has to evaluate."""
        known, new, marks = self._known_and_new(messages)
        return new + marks + self.model_speed.again(known)

    def _known_and_new(self, messages: Sequence[ChatMessage]) -> tuple[int, int, int]:
        """Estimate how much of a prompt the server has evaluated before, how much not, and the template's own."""
        whole = joined(messages)
        at = shared_chars(whole, self.model_speed.held)
        # `_joined` puts two NULs before each message: so many of them begin in the rest.
        begun = whole.count("\0", at) // 2
        cost = self.budget.cost
        return cost(whole[:at]), cost(whole[at:]), MESSAGE_TOKENS * max(1, begun)

    async def take_in(self, call: ModelCall) -> None:
        """Have the server evaluate a prompt, and learn from it; nobody reads the reply."""
        async with aclosing(self._timed(call, ReplyWatch())) as parts:
            async for _ in parts:
                pass

    async def parts(self, call: ModelCall) -> AsyncGenerator[StreamPart]:
        """Stream a reply. Raises like `ChatModel.reply`.

        One that its limit ended while the model still reasoned is asked for once more, with room for that.
        """
        async for portion in self._portions(call):
            async with aclosing(self._timed(portion, ReplyWatch())) as parts:
                async for part in parts:
                    if isinstance(part, ModelChanged):
                        yield part
        asked, sent, written = self._with_room(call), 0, 0
        self.was_cut = False
        while True:
            watch = ReplyWatch()
            async with aclosing(self._timed(asked, watch)) as parts:
                async for part in parts:
                    if not isinstance(part, Timing | Finished):
                        yield part
                    # The room was for the reasoning: the answer itself gets no longer by it.
                    has_room = asked.max_tokens > call.max_tokens and call.schema is None
                    if has_room and self.budget.cost(watch.reply) > call.max_tokens:
                        watch.end = Finished(FinishReason.LENGTH)
                        break
            end = watch.end
            sent, written = sent + end.prompt_tokens, written + end.output_tokens
            self.was_cut = end.reason is FinishReason.LENGTH
            is_lost = self.was_cut and not watch.reply.strip()
            roomier = self._with_room(call, most=True)
            if not is_lost or roomier.max_tokens < asked.max_tokens + LEAST_THOUGHT_TOKENS:
                break
            self._retries += 1
            asked = roomier
        if is_lost and not call.think:
            problem = only_reasoned(self.model_speed.model)
            self.warn(WarningCode.ONLY_REASONED, Message.joined(problem, WITHOUT_REASONING))
        yield replace(end, prompt_tokens=sent, output_tokens=written)

    async def counted(
        self, call: ModelCall, progress: RunState
    ) -> AsyncGenerator[Text | Thought | Retracted | Finished]:
        """Stream a reply like `parts`, counted in a run. One that was cut off is counted by estimate."""
        reply_text = ""
        is_counted, retries = False, self._retries
        call = replace(call, ends_at=progress.ends_at)
        try:
            async with aclosing(self.parts(call)) as parts:
                async for part in parts:
                    match part:
                        case Finished(prompt_tokens=sent, output_tokens=written):
                            # LM Studio, vLLM and others send no counters of the prompt: then it is
                            # estimated below.
                            is_counted = sent > 0
                            progress.prompt_tokens += sent
                            progress.output_tokens += written
                        case Text(text=text) | Thought(text=text):
                            reply_text += text
                        case ModelChanged():
                            progress.warn(WarningCode.MODEL_CHANGED, change_message(part))
                            continue
                        case Retracted():
                            pass
                    yield part
        except AskanceError:
            raise
        except Exception as exc:
            # A model says what it expects as one of these. A bug of it, to which a server's bytes
            # may have led, counts as the server's nonsense, which a run knows how to end with.
            _log.error("A model call failed: %s", place_of(exc))
            problem = Message("The model call failed inside this program; the log says where.")
            raise ServiceProtocolError("model", "", problem) from exc
        finally:
            progress.model_calls += 1 + self._retries - retries
            # Who leaves a reply early never sees the counters, which come with its end.
            if not is_counted:
                progress.prompt_tokens += self.budget.prompt_cost(call.messages)
                progress.output_tokens += self.budget.cost(reply_text)

    def _with_room(self, call: ModelCall, *, most: bool = False) -> ModelCall:
        """Return a call with room for what this model reasons before a reply, as far as its context has it."""
        known, wanted = self.model_speed.speed.thought_tokens, 0
        if most or (self.was_cut and call.schema is not None):
            wanted = MOST_THOUGHT_TOKENS
        elif known >= LEAST_THOUGHT_TOKENS and not call.think:
            # Seen before other replies: before this one it may be more.
            wanted = max(THINKING_TOKENS, 2 * known)
        left = (
            self.budget.context_tokens
            - SAFETY * self.budget.prompt_cost(call.messages)
            - call.max_tokens
        )
        most_tokens = call.max_tokens + max(0, min(wanted, int(left)))
        return replace(call, max_tokens=most_tokens, reasons_unasked=known > 0 or most)

    def _learn_thought(self, watch: ReplyWatch) -> None:
        """Learn how much was reasoned unasked; some servers only count that."""
        unsaid = watch.end.output_tokens - self.budget.cost(watch.reply)
        tokens = self.budget.cost(watch.thought)
        if unsaid >= LEAST_THOUGHT_TOKENS and (tokens or not watch.reply.strip()):
            tokens = unsaid
        self.model_speed.saw_thought(tokens)
        self.budget.thought_tokens = self.model_speed.speed.thought_tokens
        if tokens >= NOTABLE_THOUGHT_TOKENS and watch.reply.strip():
            problem = Message(
                "{model} reasons before its replies although it was asked not to, about {n} tokens this time: "
                "each reply takes that much longer.",
                model=self.model_speed.model,
                n=tokens,
            )
            self.warn(WarningCode.REASONED_UNASKED, Message.joined(problem, WITHOUT_REASONING))

    async def _portions(self, call: ModelCall) -> AsyncGenerator[ModelCall]:
        """The beginnings of a call that its server should take in first, each longer than the last."""
        model_speed, sent = self.model_speed, 0
        while model_speed.keeps_prefix and (model_speed.measures_wait or sent < MOST_PROBES):
            fresh = self.fresh_tokens(call.messages)
            if model_speed.is_short(fresh):
                return
            tokens = model_speed.probe_tokens(sent)
            first = beginning(call.messages, model_speed.held, tokens / fresh)
            if first is None or fresh < LEAST_PORTIONS * tokens:
                return
            sent += 1
            yield replace(call, messages=first, max_tokens=0)

    async def _timed(self, call: ModelCall, watch: ReplyWatch) -> AsyncGenerator[ReplyPart]:
        """Stream a reply, and learn from it however it ends."""
        model_speed, clock = self.model_speed, asyncio.get_running_loop().time
        whole, (known, new, marks) = joined(call.messages), self._known_and_new(call.messages)
        all_tokens, fresh = known + new, new + marks
        if model_speed.is_known and not model_speed.held:
            # The server may have the system text from the last start of this program, if there was one.
            new -= self.budget.cost(call.messages[0].content)
        # What a server has of an earlier start of this program can only be guessed.
        watch.is_exact = bool(model_speed.held) or not model_speed.is_known
        begun = clock()
        # Before the request goes out: a run that is stopped meanwhile must know how long the server
        # goes on.
        model_speed.begin(fresh + model_speed.again(known))
        try:
            async with self.model.reply(call) as parts:
                model_speed.held = whole
                async for part in parts:
                    watch.see(part, clock())
                    if watch.first_at and not watch.is_settled:
                        model_speed.settle(new, watch.first_at - begun)
                        watch.is_settled = True
                    yield part
        # What the server holds now nobody knows: it may have begun with the prompt, or restarted.
        except Exception:
            model_speed.held = ""
            raise
        finally:
            model_speed.used_at = clock()
            # What was thought stands in no later prompt; what was said is in the cache like the rest.
            if model_speed.held == whole and not watch.has_thought:
                model_speed.held += f"\0{Role.ASSISTANT}\0{watch.text}"
            if watch.first_at and call.max_tokens and not call.think:
                self._learn_thought(watch)
            self._learn(watch, new, all_tokens, begun, model_speed.used_at)
            model_speed.speed = model_speed.speed.with_again(known, fresh, watch.timing)
            self.budget.learn(call.messages, watch.end.prompt_tokens or watch.timing.prompt_tokens)
            model_speed.token_factor = self.budget.factor

    def _learn(self, watch: ReplyWatch, fresh: int, whole: int, begun: float, now: float) -> None:
        model_speed = self.model_speed
        if not watch.first_at:
            model_speed.saw_nothing(fresh, now - begun)
            return
        waited_s = watch.first_at - begun
        self._learn_of_cache(watch.timing, waited_s, fresh, whole)
        new = fresh if model_speed.keeps_prefix or not watch.timing.prompt_s else whole
        model_speed.saw_prompt(new, waited_s, watch.timing, whole=whole if watch.is_exact else 0)
        tokens = watch.end.output_tokens or self.budget.cost(watch.text)
        written_s = watch.last_at - watch.first_at
        model_speed.saw_reply(tokens, min(watch.timing.output_s or written_s, written_s))

    def _learn_of_cache(self, timing: Timing, waited_s: float, fresh: int, whole: int) -> None:
        """See whether the server still had the beginning, or evaluated the whole prompt anew.

        Some models cannot keep one, and another asker's prompt may have driven it out. Portions
        would then cost the more the longer the prompt is.
        """
        model_speed = self.model_speed
        is_longer = whole > _LEAST_RATIO * (fresh + LEAST_PROMPT_TOKENS)
        if model_speed.is_known and is_longer and fresh > 0:
            seconds = min(timing.prompt_s or max(0.0, waited_s - model_speed.wait_s), waited_s)
            # The geometric mean of both explanations parts them: a ratio counts here, not a
            # difference.
            evaluated = timing.evaluated_tokens or seconds * model_speed.speed.prompt_tps
            model_speed.keeps_prefix = evaluated < math.sqrt(fresh * whole)


async def prefill(model: ChatModel, system: str, model_speed: ModelSpeed) -> None:
    """Have a server load its model and evaluate the text with which all prompts begin.

    Raises like `ChatModel.reply`.
    """
    messages = (prompted(Role.SYSTEM, system), prompted(Role.USER, "."))
    call = ModelCall(messages, max_tokens=0, repeated=0)
    model_speed.held = ""
    async with model.reply(call) as parts:
        async for part in parts:
            if isinstance(part, Text | Thought | Finished):
                model_speed.held = joined(call.messages)
                return  # a server that does not count goes on, for nobody


# A plan or a verdict has some hundred tokens; a server that goes on for longer is not listened to.
LONGEST_REPLY_CHARACTERS = 8_000
# Evidence of fewer characters is not what makes a prompt too long.
LEAST_SHORTENED = 200
# So long the rest of a reply is waited for.
END_OF_REPLY_S = 2.0
_OBJECT_BEGINS = ("{", "```")
_log = logging.getLogger(__name__)


class MalformedReply(AskanceError):
    """The model's reply did not hold what was asked for, twice."""


@dataclass(slots=True)
class _Attempt:
    """One call that may be sent a second time, shorter: why, and what was known before."""

    error: PromptTooLong | ServiceRefused | None = None
    most_evidence: float = math.inf
    has_evidence: bool = False
    tokens: int = 0
    is_settled: bool = False


class ModelSession:
    """All calls of one run: the same model, system text, history and question in each.

    `is_small` says that the model follows few instructions at a time. `prompted` has, for each of the `turns`, what
    the model was shown of it with its evidence, or None; it is empty where nothing is known of that.
    """

    def __init__(
        self,
        model: ChatModel,
        budget: ContextBudget,
        prompts: Prompts,
        progress: RunState,
        system: str,
        question: str,
        turns: tuple[Turn, ...] = (),
        prompted: tuple[PromptedTurn | None, ...] = (),
        *,
        think: bool = False,
        is_small: bool = False,
        model_speed: ModelSpeed | None = None,
        evidence_tokens: int = 0,
        pictures: tuple[Picture, ...] = (),
    ) -> None:
        self._pictures = pictures
        self._asking = ReplyOpener(model, model_speed or ModelSpeed(), budget, progress.warn)
        self.is_small = is_small
        self.budget = budget
        self.prompts = prompts
        self.progress = progress
        self._system = system
        self._question = question
        self._think = think
        self._most_evidence = math.inf
        """Characters of evidence that the server's context was seen to have room for."""
        self._turns = self._fitted(turns, prompted, evidence_tokens)
        self._warming: asyncio.Task[None] | None = None
        self.written = PromptedTurn("", "")
        """The writer's last prompt, and what it wrote."""
        if left_out := len(turns) - len(self._turns):
            progress.warn(
                WarningCode.HISTORY_DROPPED,
                Message(
                    "The oldest {n} turns of the conversation did not fit into the model's context.",
                    n=left_out,
                ),
            )
        # The writer's task ends with the question once more.
        budget.check(self.messages("", question))

    def _fitted(
        self,
        turns: tuple[Turn, ...],
        prompted: tuple[PromptedTurn | None, ...],
        evidence_tokens: int,
    ) -> tuple[Turn | PromptedTurn, ...]:
        """The turns as they stand in the prompts: with their evidence where the server still has it."""
        budget, question = self.budget, self._question
        if not any(prompted):
            return budget.fit_history(turns)
        room = evidence_tokens + budget.cost(question)
        fitted = budget.fit_turns(turns, prompted, room)
        retained = [turn for turn in fitted if isinstance(turn, PromptedTurn)]
        if left := sum(seen is not None for seen in prompted) - len(retained):
            self.progress.warn(
                WarningCode.EVIDENCE_DROPPED,
                Message(
                    "What was read for the oldest {n} answers no longer fits into the model's context.",
                    n=left,
                ),
            )
        messages = build_messages(self._system, fitted, question, "", "")
        if self._asking.fresh_tokens(messages) > room:
            # To have it evaluated again costs more than to search for what is asked now.
            return budget.fit_history(turns)
        return fitted

    @property
    def prompted(self) -> tuple[PromptedTurn, ...]:
        """The earlier turns that stand in the prompts with their evidence."""
        return tuple(turn for turn in self._turns if isinstance(turn, PromptedTurn))

    @property
    def has_history(self) -> bool:
        """Whether earlier turns stand in the prompts."""
        return bool(self._turns)

    def messages(self, evidence: str, task: str) -> tuple[ChatMessage, ...]:
        """Lay out a prompt of this run."""
        shown = shorten(evidence, self._most_evidence)
        return build_messages(self._system, self._turns, self._question, shown, task)

    def behind_answer(self, task: str) -> tuple[ChatMessage, ...]:
        """Lay out a prompt that goes on from what was written last, as the server has it in its cache."""
        *before, _ = self.messages("", task)
        written = self.written
        return (
            *before,
            prompted(Role.USER, written.prompt),
            prompted(Role.ASSISTANT, written.reply),
            prompted(Role.USER, task),
        )

    def quiet_opener(self, model: ChatModel) -> ReplyOpener:
        """Return what opens replies behind the end of the run, where nobody is warned any more.

        `model` is that of the run, opened anew where its connections have ended with it.
        """
        return replace(self._asking, model=model, warn=ignore)

    def fresh_tokens(self, evidence: str, task: str) -> int:
        """Estimate how much of a prompt the server has still to take in."""
        return self._asking.fresh_tokens(self.messages(evidence, task))

    def warm(self, group: asyncio.TaskGroup, schema: dict[str, Any], evidence: str = "") -> None:
        """Have the model loaded and the beginning of all prompts evaluated meanwhile; the next call waits for that.

        Of evidence no more than a stop may leave a slow server busy with: there nothing is evaluated ahead.
        """
        speed = self._asking.model_speed
        if evidence and not (
            speed.keeps_prefix and speed.is_short(self.fresh_tokens(evidence, ""))
        ):
            return
        self._warming = group.create_task(self._warm(schema, evidence, self._warming))

    def stop(self) -> None:
        """Give up what nobody waits for."""
        if self._warming is not None:
            self._warming.cancel()

    async def _warm(
        self, schema: dict[str, Any], evidence: str, before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        messages = self.messages(evidence, "")
        repeated = len(messages[-1].content)
        call = ModelCall(messages, max_tokens=0, schema=schema, repeated=repeated)
        try:
            await self._asking.take_in(call)
        # The next call meets the same, and says so.
        except AskanceError as exc:
            log_error(exc)

    async def ask(
        self,
        evidence: str,
        task: str,
        schema: dict[str, Any],
        *,
        max_tokens: int,
        decided: Callable[[Fields], bool],
        drain: bool = False,
        on_text: Callable[[str], None] = ignore,
    ) -> Fields:
        """Ask for a JSON object and stop listening as soon as `decided` says so; `on_text` gets it as it grows.

        With `drain` the rest is waited for a moment where the model's pace is not known by then:
        a server's counters come with the end of a reply.
        A reply that never gets there is asked for once more, more strictly.

        Raises:
            MalformedReply: the second reply was no better.
            ServiceError, InputError: the model cannot be used.
        """
        # Twice at the most: a model that cannot keep to a schema does not learn it by the third
        # time.
        keys = ", ".join(schema["properties"])
        stricter = f"{task}\n\n{self.prompts.render('retry', keys=keys)}"
        for asked in (task, stricter):
            call = ModelCall((), max_tokens, schema=schema)
            fields = await self._fields(
                evidence, asked, call, decided, drain=drain, on_text=on_text
            )
            if fields is not None:
                return fields
        raise MalformedReply(Message("The model gave no reply that could be read."))

    async def write(
        self, evidence: str, task: str, *, temperature: float
    ) -> AsyncGenerator[Text | Retracted | Finished]:
        """Stream prose. Leaving the iterator early (through `aclosing`) stops the model.

        Raises:
            ServiceError, InputError: the model cannot be used.
        """
        call = ModelCall((), self.budget.answer_tokens, temperature, think=self._think)
        text = ""
        try:
            # Shown with this task alone: of what a plan or a verdict sees, queries are made.
            shown = self._parts(evidence, task, call, self._pictures)
            async with aclosing(shown) as parts:
                async for part in parts:
                    if isinstance(part, Text):
                        text += part.text
                    elif isinstance(part, Retracted):
                        text = ""
                    if isinstance(part, Text | Retracted | Finished):
                        yield part
        finally:
            # Of an answer that was cut as well: the server's cache ends where the model was stopped.
            self.written = PromptedTurn(self.messages(evidence, task)[-1].content, text)

    async def _fields(
        self,
        evidence: str,
        task: str,
        call: ModelCall,
        decided: Callable[[Fields], bool],
        *,
        drain: bool,
        on_text: Callable[[str], None],
    ) -> Fields | None:
        text = ""
        async with aclosing(self._parts(evidence, task, call)) as parts:
            async for part in parts:
                if isinstance(part, Retracted):
                    text = ""
                if isinstance(part, Text):
                    text += part.text
                    on_text(text)
                    # Behind other words it may be one that the model only thinks of.
                    begins = text.lstrip().startswith(_OBJECT_BEGINS)
                    fields = finished_fields(text) if begins else {}
                    if decided(fields):
                        if drain and not self._asking.model_speed.is_known:
                            await _drain(parts)
                        return fields
                    # A server that ignores `max_tokens` would keep the run until its time is up.
                    if len(text) > LONGEST_REPLY_CHARACTERS:
                        return None
        if self._asking.was_cut and not text.strip():
            raise MalformedReply(only_reasoned(self._asking.model_speed.model))
        fields = find_fields(text, (call.schema or {})["properties"])
        return fields if decided(fields) else None

    async def _parts(
        self, evidence: str, task: str, call: ModelCall, pictures: tuple[Picture, ...] = ()
    ) -> AsyncGenerator[Text | Thought | Retracted | Finished]:
        """Stream a reply to a call without messages; sent once more with less where its prompt is refused."""
        text, attempt = "", _Attempt()
        if self._warming is not None:
            await asyncio.wait([self._warming])
        while True:
            *before, last = self.messages(evidence, task)
            repeated = len(last.content.removesuffix(task))
            messages = (*before, replace(last, pictures=pictures))
            call = replace(call, messages=messages, repeated=repeated)
            try:
                async with aclosing(self._asking.counted(call, self.progress)) as parts:
                    async for part in parts:
                        self._settle(attempt)
                        if isinstance(part, Text):
                            text += part.text
                        elif isinstance(part, Retracted):
                            text = ""
                        yield part
            except (PromptTooLong, ServiceRefused) as exc:
                if text or not self._lessen(evidence, call.messages, exc, attempt):
                    raise
            else:
                return

    def _lessen(
        self,
        evidence: str,
        messages: tuple[ChatMessage, ...],
        error: PromptTooLong | ServiceRefused,
        attempt: _Attempt,
    ) -> bool:
        """Have the next prompts hold less, where a server refused one that may be too long; once a call.

        Half of the evidence goes, and where there is none the older half of the conversation.
        """
        if attempt.error is not None:
            if isinstance(error, ServiceRefused):  # it was not for the length
                self._most_evidence = attempt.most_evidence
            return False
        # What was sent, and not all that there is: the share is of that.
        shown = shorten(evidence, self._most_evidence)
        if not is_too_long(error):
            return False
        if len(shown) >= LEAST_SHORTENED:
            whole = sum(len(message.content) for message in messages)
            share = fitting_share(error, len(shown) / whole, self.budget.answer_tokens)
            most = share * len(shown)
            if not shorten(evidence, most):
                return False
        elif isinstance(error, PromptTooLong) and self._turns and not shown:
            self._turns = self._turns[(len(self._turns) + 1) // 2 :]
            most = self._most_evidence
        else:
            return False
        attempt.error, attempt.most_evidence = error, self._most_evidence
        attempt.has_evidence = bool(shown)
        attempt.tokens = self.budget.prompt_cost(messages)
        self._most_evidence = most
        return True

    def _settle(self, attempt: _Attempt) -> None:
        """Say what was left out, once a server has taken the shorter prompt, and keep to its limit."""
        error = attempt.error
        if error is None or attempt.is_settled:
            return
        attempt.is_settled = True
        available = error.available if isinstance(error, PromptTooLong) else 0
        known = 0 < available < self.budget.context_tokens
        # A server that names no number has refused so many tokens: its context is no larger.
        context = available if known else attempt.tokens
        self.budget.limit(context)
        self._asking.model_speed.limit_context(self.budget.context_tokens)
        if attempt.has_evidence:
            self.progress.warn(
                WarningCode.EVIDENCE_DROPPED,
                Message(
                    "The evidence was too long for the model, which was shown a part of it: {problem}",
                    problem=error.problem,
                ),
            )
        else:
            self.progress.warn(
                WarningCode.HISTORY_DROPPED,
                Message(
                    "The conversation was too long for the model, which was shown its end: {problem}",
                    problem=error.problem,
                ),
            )


async def _drain(parts: AsyncGenerator[Text | Thought | Retracted | Finished]) -> None:
    """Listen to the end of a reply that has said enough, if it comes soon."""
    try:
        async with asyncio.timeout(END_OF_REPLY_S):
            async for _ in parts:
                pass
    # The reply has said enough: whatever becomes of its rest, the run goes on.
    except (TimeoutError, AskanceError):
        pass
