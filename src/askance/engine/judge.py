"""What the model decides in JSON, and the code that checks it: a plan, which pages to read, a verdict."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from askance.citations.markdown.foreign_markers import clean_text
from askance.config.choices import Verification
from askance.domain.conversation import PageChoice
from askance.domain.errors import UNUSABLE_MODEL, PromptTooLong
from askance.domain.events import Judged, Judging, PagesChosen, Planned, WarningCode, ignore
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Phase, Plan, Sufficiency, Verdict
from askance.engine.context import RunContext
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.model_replies import (
    Fields,
    choice_in,
    finished_fields,
    first_text,
    is_nothing,
    number_in,
    numbers_in,
    question_in,
    text_in,
    texts_in,
)
from askance.engine.model_session import MalformedReply, ModelSession
from askance.engine.queries import compared, content_words_of, holds, missing_from, named
from askance.engine.run_progress import log_error
from askance.engine.search import SearchCandidate
from askance.text.languages.recognition import language_of, recognise
from askance.text.ranking.index_terms import terms

# Room for a clarifying question; a plan that searches is left as soon as its query is there.
PLAN_TOKENS = 300
LONGEST_QUERY = 300
MOST_QUERIES = 3
PLAN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["proceed", "clarify"]},
        "history_sufficiency": {
            "type": "string",
            "enum": ["insufficient", "partial", "sufficient"],
        },
        "optimized_query": {"type": "string"},
        "clarifying_question": {"type": "string"},
    },
    "required": ["action", "history_sufficiency", "optimized_query", "clarifying_question"],
}


async def plan_in_time(run: RunContext, limit_s: float) -> Plan:
    """Make a plan within its limit; where that is not to be had the question is searched as it stands."""
    calls, progress = run.calls, run.progress
    if calls is None:
        return Plan(fallback=True)
    # A run may come back here from recalling or answering.
    if progress.phase is not Phase.PLANNING:
        progress.move(Phase.PLANNING)
    # A plan that cannot come in time would keep the model busy while its verdict is waited for.
    if not run.time_budget.has_time_for_plan(limit_s):
        problem = Message("there was no time for it.")
    else:
        try:
            async with asyncio.timeout(limit_s):
                return await make_plan(calls)
        except TimeoutError:
            problem = Message("it took longer than {n} s.", n=limit_s)
        except (PromptTooLong, *UNUSABLE_MODEL) as exc:
            problem = exc.problem
    progress.warn(
        WarningCode.PLAN_FAILED, Message("The model gave no plan: {problem}", problem=problem)
    )
    return Plan(fallback=True)


async def make_plan(calls: ModelSession) -> Plan:
    """Ask the model for a plan; without a readable one the question is searched as it stands.

    Raises:
        ServiceError, InputError: the model cannot be used at all.
    """
    progress, started = calls.progress, asyncio.get_running_loop().time()
    try:
        fields = await calls.ask(
            "",
            calls.prompts.render("plan"),
            PLAN_SCHEMA,
            max_tokens=PLAN_TOKENS,
            decided=_is_planned,
            drain=True,
        )
        plan = _read_plan(fields, has_history=calls.has_history)
    except MalformedReply:
        progress.warn(
            WarningCode.PLAN_FAILED,
            Message("The model gave no usable plan, so the question was searched as it is."),
        )
        plan = Plan(fallback=True)
    progress.emit(
        Planned(
            plan.action,
            plan.history_sufficiency,
            plan.queries,
            plan.fallback,
            progress.ms_since(started),
        )
    )
    return plan


def split_queries(value: Any) -> tuple[str, ...]:
    """Return the queries in a field: models put several on lines, between semicolons or into a list."""
    text = "\n".join(texts_in(value))
    parts = (" ".join(part.split()) for part in re.split(r"[\n;]+", text))
    # Models write lists with marks before their items, and quote what they would search.
    found = [part.strip(" -*\"'") for part in parts]
    queries = [q for q in found if len(q) <= LONGEST_QUERY and not is_nothing(q)]
    return tuple(dict.fromkeys(queries))[:MOST_QUERIES]


def _is_planned(fields: Fields) -> bool:
    """A search needs no clarifying question: the rest of the reply is not waited for."""
    wanted = "clarifying_question" if _action(fields) is Action.CLARIFY else "optimized_query"
    return "action" in fields and wanted in fields


def _action(fields: Fields) -> Action | None:
    try:
        return choice_in(fields.get("action"), Action)
    except ValueError:
        return None


def _read_plan(fields: Fields, *, has_history: bool) -> Plan:
    action = _action(fields)
    if action is None:
        raise MalformedReply(Message("The plan does not follow its schema."))
    history = choice_in(
        fields.get("history_sufficiency"), Sufficiency, otherwise=Sufficiency.INSUFFICIENT
    )
    question = question_in(fields.get("clarifying_question"))
    queries = split_queries(fields.get("optimized_query"))
    # Who asks back without a question has nothing to ask: the search begins.
    if action is Action.CLARIFY and not question:
        action = Action.PROCEED
    # A model that claims to know the answer from a conversation that has not begun is wrong.
    return Plan(action, question, history if has_history else Sufficiency.INSUFFICIENT, queries)


# Selective reading: the model scores the addresses of a round, and only promising ones are read.

CHOICE_TOKENS = 200
MOST_CHOSEN_FROM = 10
CHOICE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        name: {"type": "array", "items": {"type": kind}, "maxItems": MOST_CHOSEN_FROM}
        for name, kind in (("relevant", "integer"), ("scores", "number"))
    },
    "required": ["relevant", "scores"],
}


async def choose_pages(
    run: RunContext,
    choice: PageChoice,
    offers: Sequence[SearchCandidate],
    evidence: NumberedEvidence,
    round_number: int,
) -> list[SearchCandidate]:
    """Return the offers worth reading, best first: those that reach the threshold, and no more than wanted.

    A result that the model gives no score is as good as it can be. Where nothing was read yet the first
    are read even if it finds none worth that: nothing can be answered from nothing. All offers come
    back, in their order, where there is no model or no time to ask it, no room in the context, or no reply
    that could be read.
    """
    calls, progress = run.calls, run.progress
    if calls is None:
        return list(offers)
    started = asyncio.get_running_loop().time()
    offers = list(offers)[:MOST_CHOSEN_FROM]
    shown, first = evidence.listing([offer.result for offer in offers])
    task = run.prompts.render("choose", results=shown)
    # The list of results stands behind the evidence, in the task: it may be what does not fit.
    has_room = calls.budget.room(calls.messages(evidence.text, task)) > 0
    is_in_time = run.time_budget.has_time_to_judge(calls.fresh_tokens(evidence.text, task))
    if not (offers and has_room and is_in_time):
        return offers
    try:
        fields = await calls.ask(
            evidence.text,
            task,
            CHOICE_SCHEMA,
            max_tokens=CHOICE_TOKENS,
            decided=lambda fields: all(name in fields for name in CHOICE_SCHEMA["required"]),
        )
    except (MalformedReply, PromptTooLong, *UNUSABLE_MODEL) as exc:
        progress.warn(
            WarningCode.JUDGE_FAILED,
            Message("The model has not chosen the pages: {problem}", problem=exc.problem),
        )
        return offers
    scores = {n - first: score for n, score in _scores_in(fields).items()}
    scored = {i: scores[i] for i in scores if 0 <= i < len(offers)}
    best = sorted((i for i in scored if scored[i] >= choice.least_score), key=lambda i: -scored[i])
    # A model that found no result promising left .19 of the evidence; with the first three .77
    # (decision 36).
    if not best and all(source.snippet_only for source in evidence.sources):
        best = list(range(len(offers)))
    chosen = best[: choice.most]
    progress.emit(
        PagesChosen(
            tuple(offers[i].result.url for i in chosen),
            tuple(scored.get(i, 0.0) for i in chosen),
            len(offers),
            round_number,
            progress.ms_since(started),
        )
    )
    return [offers[i] for i in chosen]


def _scores_in(fields: Fields) -> dict[int, float]:
    """Return numbers with their scores; the first of a number counts."""
    numbers, scores = numbers_in(fields.get("relevant")), numbers_in(fields.get("scores"))
    # A number without a score counts as 1: the model named it among those that it would read.
    scores += [1.0] * len(numbers)
    scored: dict[int, float] = {}
    for number, score in zip(numbers, scores, strict=False):
        scored.setdefault(int(number), min(max(score, 0.0), 1.0))
    return scored


# The verdict on the evidence, which code checks: what the question names must stand in it.

VERDICT_TOKENS = 220
VERDICT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sufficiency": {"type": "string", "enum": ["sufficient", "partial", "insufficient"]},
        "gap_queries": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_QUERIES},
    },
    "required": ["sufficiency", "gap_queries"],
}
SCORED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "completeness": {"type": "number", "minimum": 0, "maximum": 1},
        **VERDICT_SCHEMA["properties"],
    },
    "required": ["completeness", *VERDICT_SCHEMA["required"]],
}
_LACKING = ("partial", "insufficient")
BRIEF: dict[str, Any] = {
    "type": "object",
    "properties": {"sufficiency": VERDICT_SCHEMA["properties"]["sufficiency"]},
    "required": ["sufficiency"],
}
# Evidence that lacks more than this share of the question's content words is about something else.
LEAST_WORDS_SHARED = 0.4
# A snippet is two lines. One that answers says nearly all that the question says, and the answer.
LEAST_WORDS_IN_SNIPPET = 0.85
# What a question that asks by way of another thing is asked of: passages that have these together may tell of both.
LEAST_WORDS_TOGETHER = 0.9
# Of so few content words one passage may lack some and still tell what is asked.
FEW_WORDS = 6
LEAST_WORDS_OF_FEW = 0.5
# At the beginning ("in which year") the word asks; later it tells of another thing ("the city where").
_BY_WAY = re.compile(r"\w\W+\w+\W+(?:who|whose|that|which|where)\b")


class Judge:
    """Gives verdicts on the evidence. A judge that fails costs only its opinion.

    Without `asks_model` code alone decides: what this model says of evidence was measured to be noise.
    """

    def __init__(self, run: RunContext, calls: ModelSession, *, asks_model: bool = True) -> None:
        self.calls = calls
        self._run = run
        self._progress = run.progress
        self._asks_model = asks_model
        # No evidence has all words of what somebody tells: the plan's queries are compared with it.
        self.own_wording = () if run.message.is_long else (run.question,)
        self.wordings: tuple[str, ...] = self.own_wording
        """The question, and what else it was called: a plan's query may be of another language."""

    async def judge(
        self,
        evidence: NumberedEvidence,
        judging: Judging,
        round_number: int,
        *,
        is_believed: bool = False,
        is_doubted: bool = False,
        is_scored: bool = False,
        is_brief: bool = False,
        on_gap: Callable[[str], None] = ignore,
    ) -> Verdict | None:
        """Judge what the writer would see now; None if the judge failed, or has no time to judge.

        A verdict is taken in before the answer is, so what is read for it is read for the writer
        too. One that cannot come in time would keep the writer waiting. A verdict that `is_believed` needs no code.
        Evidence that `is_doubted` was held to be enough, and is checked part by part. With `is_scored` the model says
        in a number, too, how complete the evidence is; with `is_brief` it need not say what is missing. `on_gap` gets the
        first query for what is missing as soon as it is written, before the others.
        """
        started = asyncio.get_running_loop().time()
        # `askance evaluate` found this model's verdicts to be noise: asking for them would only take time.
        if not self._asks_model:
            verdict = await self._by_code(evidence, judging)
            self._emit_verdict(verdict, judging, round_number, started)
            return verdict
        if not self._has_time(evidence, "judge"):
            if judging is Judging.PASSAGES:
                self._progress.warn(
                    WarningCode.TIME_LIMIT,
                    Message("The evidence was not judged: there was no time for it."),
                )
            return None
        prompt = "judge_again" if is_doubted else "judge"
        decided = _is_scored if is_scored else _is_brief if is_brief else _is_judged
        schema = SCORED if is_scored else BRIEF if is_brief else VERDICT_SCHEMA
        verdict = await self._opinion(evidence, prompt, on_gap, schema, decided)
        # What has answered the question once need not have its words: code could only refuse it.
        if verdict and not (is_believed and not verdict.gap_queries):
            verdict = await asyncio.to_thread(
                check_verdict, self.wordings, verdict, evidence.extracts, judging
            )
        if verdict:
            self._emit_verdict(verdict, judging, round_number, started)
        return verdict

    def note_given_up(self, round_number: int) -> None:
        """Report that the writer has not found the answer in evidence that was held to have it."""
        doubt = Message("the writer did not find the answer in it")
        verdict = Verdict(Sufficiency.INSUFFICIENT, doubt=doubt)
        now = asyncio.get_running_loop().time()
        self._emit_verdict(verdict, Judging.PASSAGES, round_number, now)

    def _emit_verdict(
        self, verdict: Verdict, judging: Judging, round_number: int, started: float
    ) -> None:
        self._progress.emit(
            Judged(
                judging,
                verdict.sufficiency,
                verdict.gap_queries,
                verdict.doubt,
                round_number,
                self._progress.ms_since(started),
                by_code=not self._asks_model,
            )
        )

    def _has_time(self, evidence: NumberedEvidence, prompt: str) -> bool:
        fresh = self.calls.fresh_tokens(evidence.text, self._run.prompts.render(prompt))
        return self._run.time_budget.has_time_to_judge(fresh)

    async def _opinion(
        self,
        evidence: NumberedEvidence,
        prompt: str,
        on_gap: Callable[[str], None],
        schema: dict[str, Any],
        decided: Callable[[Fields], bool],
    ) -> Verdict | None:
        def look(text: str) -> None:
            lacking = finished_fields(text).get("sufficiency") in _LACKING
            query = " ".join(first_text(text, "gap_queries").split()) if lacking else ""
            if query and len(query) <= LONGEST_QUERY:
                on_gap(query)

        try:
            fields = await self.calls.ask(
                evidence.text,
                self._run.prompts.render(prompt),
                schema,
                max_tokens=VERDICT_TOKENS,
                decided=decided,
                on_text=look,
            )
            return _read_verdict(fields)
        except (MalformedReply, PromptTooLong, *UNUSABLE_MODEL) as exc:
            self._run.is_doubted |= isinstance(exc, MalformedReply)
            self._progress.warn(
                WarningCode.JUDGE_FAILED,
                Message("A verdict on the evidence is missing: {problem}", problem=exc.problem),
            )
            return None

    async def _by_code(self, evidence: NumberedEvidence, judging: Judging) -> Verdict:
        """What code finds by itself: enough where it has no doubt and the answer is plain."""
        enough = Verdict(Sufficiency.SUFFICIENT)
        verdict = await asyncio.to_thread(
            check_verdict, self.wordings, enough, evidence.extracts, judging
        )
        if verdict.doubt or await self.could_answer(evidence):
            return verdict
        doubt = Message("no source states it plainly")
        return replace(verdict, sufficiency=Sufficiency.PARTIAL, doubt=doubt)

    async def is_assured(self, evidence: NumberedEvidence) -> bool:
        """Say whether one opinion on evidence will do: little is asked, or code finds the answer plain."""
        question = self._run.question
        is_short = len(content_words_of(question, recognise(question))) <= FEW_WORDS
        return (is_short and not self._run.is_doubted) or await self.could_answer(evidence)

    async def is_worth_asking(self, evidence: NumberedEvidence, step_tokens: float) -> bool:
        """Say whether a brief verdict is worth its time before so many tokens more enter.

        A long question that asks by way of another thing ("the birthday of the actress who ...") is seldom answered by
        little: in 7 of 16 cases of two hops where that has nearly all of its words, and in none of 13 where it has not.
        """
        tokens = self.calls.budget.cost(evidence.text)
        if not self._run.time_budget.is_worth_a_verdict(tokens, step_tokens):
            return False
        question, extracts = comparable(self.wordings, evidence.extracts), evidence.extracts
        code = recognise(question)
        wanted = content_words_of(question, code)
        if len(wanted) <= FEW_WORDS or not _BY_WAY.search(question):
            return True
        text = " ".join(e.text for e in extracts)
        return await asyncio.to_thread(share_covered, wanted, text, code) >= LEAST_WORDS_TOGETHER

    async def could_answer(
        self, evidence: NumberedEvidence, since: int = 0, *, for_writer: bool = False
    ) -> bool:
        """Say whether the texts that entered `since` so many others have the answer in plain sight: see `is_plain`.

        `for_writer` says that the writer is asked next, without a verdict: of a long question all words are needed.
        """
        extracts = evidence.extracts[since:] if since else evidence.entered or evidence.extracts
        new = {extract.n for extract in extracts}
        sources = [s for s in evidence.sources if not since or s.n in new]
        # The one word that a long question's evidence lacks is what it asks for: a verdict names it.
        least = 1.0 if for_writer else LEAST_WORDS_IN_SNIPPET
        return await asyncio.to_thread(
            lambda: is_plain(
                comparable(self.wordings, extracts) or self._run.question, extracts, sources, least
            )
        )


def has_more(
    question: str, extracts: Sequence[Extract], since: int, queries: Sequence[str]
) -> bool:
    """Say whether texts from `since` on may tell more than those before: one has more of a question's words than any of
    them, or was searched for with other words than those, and so is of a subject of which they tell nothing.
    """
    code = recognise(question)
    wanted = content_words_of(question, code)
    if not all(content_words_of(query, code, code) <= wanted for query in queries):
        return True
    shares = [share_covered(wanted, f"{e.heading} {e.text}", code) for e in extracts]
    before = max(shares[:since], default=0.0)
    # Where all words were there before, no text can have more of them, and may tell more all the same.
    return before == 1.0 or max(shares[since:], default=0.0) > before


def is_enough(verdict: Verdict | None) -> bool:
    """Say whether a verdict lets the answer be written."""
    return verdict is not None and verdict.sufficiency is Sufficiency.SUFFICIENT


def is_plain(
    question: str,
    extracts: Sequence[Extract],
    sources: Sequence[Source],
    least_of_long: float = LEAST_WORDS_IN_SNIPPET,
) -> bool:
    """Say whether evidence has, at a glance, all that a question speaks of.

    Of what is compared, each side has a page of its own. Otherwise one passage has every name of the
    question and its other words: of a short question half of them, since that asks for one thing and
    a passage may put it in other words; of a long one, which may ask by way of another thing, nearly all. Where
    `least_of_long` is 1 a short one that asks so ("the actress who ...") counts as long.
    """
    if sides := compared(question):
        titles = [source.title for source in sources if not source.snippet_only]
        return all(any(holds(title, side) for title in titles) for side in sides)
    code = recognise(question)
    wanted, names = content_words_of(question, code), " ".join(named(question))
    # Half of the words are too few for the writer, who is asked in a verdict's place.
    is_easy = len(wanted) <= FEW_WORDS and (least_of_long < 1.0 or not _BY_WAY.search(question))
    least = LEAST_WORDS_OF_FEW if is_easy else least_of_long
    texts = [f"{e.heading} {e.text}" for e in extracts if e.kind is ExtractKind.PASSAGE]
    return any(
        share_covered(wanted, text, code) >= least and holds(text, names, code) for text in texts
    )


def comparable(wordings: Sequence[str], extracts: Sequence[Extract]) -> str:
    """Return the first wording that can be looked up in evidence: one of its language, or of none that can
    be recognised. Empty if there is none: then words decide nothing."""
    # A question in German has none of its words in English evidence, however well that answers it
    # (decision 28).
    spoken = language_of(extract.text for extract in extracts)
    return next(
        (w for w in wordings if not spoken or (recognise(w) or spoken) == spoken),
        "",
    )


def check_verdict(
    wordings: Sequence[str], verdict: Verdict, extracts: Sequence[Extract], judging: Judging
) -> Verdict:
    """Lower a `sufficient` that contradicts itself or the evidence to `partial`, and say why.

    `wordings` are the question and what else it was called, the first that is comparable counts.
    """
    if verdict.sufficiency is not Sufficiency.SUFFICIENT:
        return verdict
    doubt = _doubt(wordings, verdict, extracts, judging)
    return replace(verdict, sufficiency=Sufficiency.PARTIAL, doubt=doubt) if doubt else verdict


def _doubt(
    wordings: Sequence[str], verdict: Verdict, extracts: Sequence[Extract], judging: Judging
) -> Message:
    if verdict.gap_queries:
        return Message("it asks for more in the same breath")
    if not extracts:
        return Message("there is no evidence")
    question = comparable(wordings, extracts)
    if not question:
        return NOTHING
    # A name that stands nowhere in the evidence was not read about: small models say "sufficient"
    # all the same (decision 6).
    if missing := missing_from(question, " ".join(e.text for e in extracts)):
        return Message("the evidence does not mention {names}", names=", ".join(missing))
    code = recognise(question)
    wanted = content_words_of(question, code)
    shares = (share_covered(wanted, e.text, code) for e in extracts)
    if judging is Judging.SNIPPETS and max(shares) < LEAST_WORDS_IN_SNIPPET:
        return Message("no snippet states it in full")
    # Together: of a question in two steps no source has all words.
    if share_covered(wanted, " ".join(e.text for e in extracts), code) < LEAST_WORDS_SHARED:
        return Message("no source speaks of what the question asks")
    return NOTHING


def share_covered(wanted: set[str], text: str, code: str = "") -> float:
    """Return the share of these stems of a language that a text has, 0 to 1; 1 where nothing is wanted."""
    return len(wanted & set(terms(text, code))) / len(wanted) if wanted else 1.0


def _is_judged(fields: Fields) -> bool:
    """`sufficient` needs no more; anything else needs its gap queries."""
    decision = fields.get("sufficiency")
    if decision is None:
        return False
    # A word of the model's own is no "sufficient": then its queries are waited for.
    known = choice_in(decision, Sufficiency, otherwise=Sufficiency.PARTIAL)
    return known is Sufficiency.SUFFICIENT or "gap_queries" in fields


def _is_brief(fields: Fields) -> bool:
    return "sufficiency" in fields


def _is_scored(fields: Fields) -> bool:
    return "completeness" in fields and _is_judged(fields)


def _read_verdict(fields: Fields) -> Verdict:
    try:
        sufficiency = choice_in(fields.get("sufficiency"), Sufficiency)
    except ValueError as exc:
        raise MalformedReply(Message("The verdict does not follow its schema.")) from exc
    queries = [" ".join(q.split()) for q in texts_in(fields.get("gap_queries"))]
    # A long one is the model's reasoning, and no query.
    queries_left = [q for q in dict.fromkeys(queries) if len(q) <= LONGEST_QUERY]
    score = number_in(fields.get("completeness"))
    return Verdict(
        sufficiency,
        tuple(queries_left[:MOST_QUERIES]),
        completeness=score if score is not None and 0 <= score <= 1 else None,
    )


# What sources answer differently, sorted by the model behind the prompt that its server has in its cache.

ValueOfSources = tuple[str, tuple[int, ...]]
"""An answer and the numbers of the sources that give it."""
POSITION_TOKENS = 120
MOST_POSITIONS = 6
LONGEST_POSITION = 24
# The task stays below 150 tokens; who reads the sources needs but an example of what differs.
MOST_LISTED = 4
_POSITION = {
    "value": {"type": "string"},
    "sources": {"type": "array", "items": {"type": "integer"}},
}
_POSITIONS = {"type": "object", "properties": _POSITION, "required": [*_POSITION]}
POSITION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"positions": {"type": "array", "maxItems": MOST_POSITIONS, "items": _POSITIONS}},
    "required": ["positions"],
}


async def sort_positions(
    run: RunContext,
    calls: ModelSession,
    values: Sequence[ValueOfSources],
    evidence: NumberedEvidence,
) -> list[ValueOfSources] | None:
    """Have the model say which values answer the question, and which sources give each, as it says it.

    None without time, or without a reply that can be read, and of a model whose word is worth little.
    """
    is_weak = calls.is_small or run.is_doubted or run.settings.answer.verify is Verification.NEVER
    task = calls.prompts.render(
        "positions", values=evidence.fenced(listed_values(values[:MOST_LISTED]))
    )
    if is_weak or not run.time_budget.has_time_to_judge(calls.fresh_tokens(evidence.text, task)):
        return None
    try:
        async with asyncio.timeout_at(run.progress.ends_at):
            fields = await calls.ask(
                evidence.text,
                task,
                POSITION_SCHEMA,
                max_tokens=POSITION_TOKENS,
                decided=lambda f: isinstance(f.get("positions"), list),
            )
    except TimeoutError:
        return None
    except (MalformedReply, PromptTooLong, *UNUSABLE_MODEL) as exc:
        log_error(exc)
        return None
    replied = [cast("Fields", each) for each in fields["positions"] if isinstance(each, dict)]
    # A number with a fraction is that of no source.
    return [
        (text_in(each.get("value")), tuple(map(int, numbers_in(each.get("sources")))))
        for each in replied[:MOST_POSITIONS]
    ]


def listed_values(values: Sequence[ValueOfSources]) -> str:
    """Return values on one line, cleaned, each with the numbers of its sources: `1871 [1], 1874 [2][3]`."""
    return ", ".join(
        f"{' '.join(clean_text(value).split())[:LONGEST_POSITION].rstrip()} {''.join(f'[{n}]' for n in numbers)}"
        for value, numbers in values[:MOST_POSITIONS]
    )
