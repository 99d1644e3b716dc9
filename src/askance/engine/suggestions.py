"""Questions that may be asked next, from gaps that stayed and from evidence that nobody cited.

One small call on the prompt that the model's server has in its cache, after the answer; by code where that would take too
long. A person takes a suggestion with one key and reads it hardly: no word may stand in it that a query of the run could
not have.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass

from askance.domain.conversation import Outcome
from askance.domain.errors import AskanceError, place_of
from askance.domain.events import Answered, ignore
from askance.domain.phases import Sufficiency
from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    ModelCall,
    ModelInfo,
    ModelQueue,
    Retracted,
    Text,
)
from askance.domain.ports.web import OutboundLedger
from askance.engine.context import RunContext
from askance.engine.model_session import ModelSession, ReplyOpener
from askance.engine.research import Research
from askance.engine.run_progress import log_error, log_model, recorded, turn
from askance.text.languages.recognition import recognise_beside, surely
from askance.text.ranking.index_terms import words

MOST_SUGGESTED = 3
LONGEST_SUGGESTION = 90
MOST_FRESH_TOKENS = 120
"""A suggestion is not worth more of a prompt than this, as the server has to evaluate it."""
WRITTEN_TOKENS = 100
SLOW_S = 3.0
"""Later nobody looks for it any more: a model that is slower than this is not asked."""
_MOST_GAPS = 2
_LONGEST_GAP = 60
_MOST_REPLY = 800
# What models put before a line of a list, and around its text.
_MARKER = re.compile(r"^(?:[-*•–>]|\(?\d{1,2}[.):])\s{0,4}|^Q\d?[:.]\s{0,4}")
_AROUND = " \t\"'`“”„«»,[]*_"
_ASKS = re.compile("[?\uff1f\u061f\u037e]$")
# Marks of Markdown, of addresses and of control tokens, and what is not seen: a question for people has none.
_UNFIT = re.compile(
    r"[*_`#<>|\[\]{}\\]|://|www\.|[^\S ]|[\x00-\x1f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff]"
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AnsweredRun:
    """What is left of a run that was answered: what its prompts shared, what stayed open, and what may not leave.

    `evidence` is empty where no model has answered from it.
    """

    run: RunContext
    evidence: str
    gaps: tuple[str, ...]
    uncited: tuple[int, ...]
    model_host: str = ""

    @classmethod
    def of(cls, run: RunContext, research: Research, end: Answered) -> AnsweredRun:
        """Return what is left, without pages and passages."""
        research.publish_evidence()
        verdict, cited = research.verdict, {citation.n for citation in end.citations}
        is_open = verdict is not None and verdict.sufficiency is not Sufficiency.SUFFICIENT
        sources = research.evidence.entered_sources
        return cls(
            run,
            "" if end.outcome is Outcome.PASSAGES_ONLY else research.evidence.text,
            verdict.gap_queries if verdict and is_open else (),
            tuple(s.n for s in sources if s.n not in cited and not s.is_private),
            end.model_host,
        )


async def suggest(
    answered: AnsweredRun,
    model: ChatModel | None,
    queue: ModelQueue,
    ledger: OutboundLedger | None = None,
) -> tuple[str, ...]:
    """Return at most three questions, the best first; none where nothing stayed open that may leave.

    `model` is the one that has answered; `queue` lets questions go first. Cancelling stops the model.
    """
    # Private words of long conversations take seconds to be read.
    await asyncio.to_thread(answered.run.private.prepare)
    reply = await _reply(answered, model, queue, ledger) if model else ""
    by_code = [f"{gap[:1].upper()}{gap[1:].rstrip(' .?')}?" for gap in answered.gaps]
    return accepted(answered, questions_in(reply)) or accepted(answered, by_code)


def questions_in(reply: str) -> list[str]:
    """Return the lines of a reply, read leniently: lists, numbers, quotes and JSON around them are not theirs."""
    lines = re.split(r"\n|(?<=[?\uff1f\u061f])[\"']?,\s{0,4}(?=[\"“'])", reply[:_MOST_REPLY])
    bare = (_MARKER.sub("", line.strip(_AROUND)).strip(_AROUND) for line in lines)
    return [line for line in bare if line]


def accepted(answered: AnsweredRun, questions: Iterable[str]) -> tuple[str, ...]:
    """Return those questions that can be shown: new, short, plain, in the language of the run, without private words."""
    run = answered.run
    language, found = surely(run.question), list[str]()
    asked = {tuple(words(text)) for text in (run.question, *(t.question for t in run.turns))}
    for question in questions:
        is_long = len(question) > LONGEST_SUGGESTION
        if is_long or not _ASKS.search(question) or _UNFIT.search(question):
            continue
        key = tuple(words(question))
        is_foreign = language and recognise_beside(question, language) != language
        if not key or key in asked or is_foreign:
            continue
        # Taken, it is a question, of which every word may be searched: so all of it must be free to leave.
        screened = run.private.screen(question)
        if not (screened.held_back or screened.paths):
            asked.add(key)
            found.append(question)
    return tuple(found[:MOST_SUGGESTED])


async def _reply(
    answered: AnsweredRun, model: ChatModel, queue: ModelQueue, ledger: OutboundLedger | None
) -> str:
    """Return what the model suggests; nothing where it would take too long, fails, or others wait for it."""
    run, calls = answered.run, answered.run.calls
    if calls is None or not answered.evidence or not calls.written.reply.strip():
        return ""
    opener = calls.quiet_opener(model)
    messages = _cached(answered, calls, opener)
    if messages is None or not queue.is_free():
        return ""
    call = ModelCall(messages, WRITTEN_TOKENS, run.settings.llm.temperature)
    try:
        info = ModelInfo(run.model_speed.model, 0, "", host=answered.model_host)
        log_model(info, recorded(ledger, run.question, ignore))
        async with asyncio.timeout(2 * SLOW_S), turn(queue, ignore):
            return await _written(opener, call)
    except TimeoutError:
        pass
    except AskanceError as exc:
        log_error(exc)
    # The answer is there: whatever a server's bytes lead to costs the suggestions alone.
    except Exception as exc:  # noqa: BLE001
        _log.error("Suggestions failed: %s", place_of(exc))
    return ""


def _cached(
    answered: AnsweredRun, calls: ModelSession, opener: ReplyOpener
) -> tuple[ChatMessage, ...] | None:
    """Return a prompt of which the server has all but the task; None if the rest is too long for its pace."""
    gaps = "; ".join(gap[:_LONGEST_GAP] for gap in answered.gaps[:_MOST_GAPS])
    uncited = ", ".join(map(str, answered.uncited[:MOST_SUGGESTED]))
    task = calls.prompts.render("suggest", gaps=gaps or "-", uncited=uncited or "-")
    # Behind the answer; beside it where another call came last, such as one that checks it.
    for messages in (calls.behind_answer(task), calls.messages(answered.evidence, task)):
        fresh = opener.fresh_tokens(messages)
        is_soon = answered.run.model_speed.call_s(fresh, WRITTEN_TOKENS) <= SLOW_S
        if fresh <= MOST_FRESH_TOKENS and is_soon and calls.budget.room(messages) > 0:
            return messages
    return None


async def _written(opener: ReplyOpener, call: ModelCall) -> str:
    text = ""
    async with aclosing(opener.parts(call)) as parts:
        async for part in parts:
            if isinstance(part, Text):
                text += part.text
            elif isinstance(part, Retracted):
                text = ""
            # A server that ignores the limit goes on, for nobody.
            if len(text) > _MOST_REPLY:
                break
    return text
