"""Evidence without a model: a question is searched, pages are read, and the best of them fills one prompt.

It is for models that cannot take in more than a page or two, and for programs that have one of their own.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from askance.citations.markdown.foreign_markers import clean_text, new_nonce
from askance.citations.markdown.safe_markdown import safe_markdown
from askance.domain.conversation import USUAL_SIZE
from askance.domain.errors import AskanceError, InputError, place_of
from askance.domain.events import Emit, WarningCode
from askance.domain.evidence import Evidence, EvidenceBlock, EvidenceRequest
from askance.domain.messages import Message
from askance.domain.phases import Sufficiency
from askance.domain.ports.model import Embedder, Vector
from askance.domain.web_pages import Page, PageStatus, host_of
from askance.engine.context import EngineParts
from askance.engine.judge import LEAST_WORDS_OF_FEW, share_covered
from askance.engine.library_router import MEANING_WEIGHT, enter_model
from askance.engine.page_reads import PageReads
from askance.engine.prompts import SAFETY, ContextBudget, Prompts
from askance.engine.queries import content_words_of, initial_queries
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState, log_error
from askance.engine.search import SearchCandidate, SearchRun
from askance.extract.text.characters import break_control_tokens
from askance.text.caches import forget_texts
from askance.text.languages.recognition import language_of
from askance.text.languages.sentences import sentence_spans
from askance.text.message_parts import MessageParts, read_message
from askance.text.ranking.index_terms import words
from askance.text.ranking.scoring import CopyIndex, FoundPage, stretched
from askance.text.ranking.sentence_windows import RankedWindow, rank_windows

# All of a round's pages at once: nothing is judged in between that would tell which are worth it.
PAGES = 8
ENOUGH_PAGES = 5
# A question is answered within this time, by what has come.
WITHIN_S = 30.0
# Above this share of five-word runs a window is a copy of those before.
COPY = 0.85
# A block that is cut to what is left says too little below this.
SMALLEST_BLOCK_TOKENS = 90
# Below this the share of words, and so much of the fit beside it, evidence is called partial: one in ten that
# answers is, and nearly half of what came without its page; docs/bench/agents.md.
LIKELY, FIT_WEIGHT = 0.85, 0.3
# A page with less than this share of a snippet's words is not what the search showed: the snippet stays beside it.
LEAST_SHOWN = 0.5
PREVIEW_CHARACTERS = 160
LONGEST_URL = 300
# So many windows, the best by words, are compared by meaning too, within this time.
EMBEDDED, EMBEDDING_S = 24, 5.0
_CACHED_VECTORS = 2_000
_BLANK = re.compile(r"\s+")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EvidenceSearch:
    """Fetches evidence for questions. `embedder` ranks by meaning beside words where there is one."""

    parts: EngineParts
    embedder: Embedder | None = None
    _vectors: OrderedDict[tuple[str, str], Vector] = field(
        default_factory=OrderedDict[tuple[str, str], Vector]
    )

    async def fetch(
        self, question: str, wish: EvidenceRequest, *, emit: Emit, within_s: float = WITHIN_S
    ) -> Evidence:
        """Return a prompt with the best evidence that the web has, in no more tokens than are wished for.

        Raises:
            ServiceError: every search failed, or none was answered in time.
            InputError: not even the question fits into so many tokens.
        """
        progress = RunState(
            emit,
            wall_clock_s=within_s,
            answer_reserve_s=0,
            ledger=self.parts.ledger,
            occasion=question.strip(),
        )
        # Of a message only its question is searched (decision 16), as in a run.
        parts = read_message(question)
        question = parts.question
        try:
            pages = await self._pages(parts, wish, progress, within_s)
            # Long pages take a second to be cut.
            by_words = await asyncio.to_thread(
                rank_windows, question, pages, ContextBudget(0, 0).cost
            )
            fit = max((window.score for window in by_words), default=0.0)
            ranked = await self._ranked(question, by_words, progress)
            builder = self._filled(question, ranked, wish, progress)
            return builder.evidence(fit, progress.warnings)
        finally:
            forget_texts()

    async def _pages(
        self, parts: MessageParts, wish: EvidenceRequest, progress: RunState, within_s: float
    ) -> list[FoundPage]:
        """Return the pages that came in time, of others what the search showed of them, as it ranks them."""
        question = parts.question
        private = PrivateWords(question, self.parts.own_names, [])
        searching = SearchRun(
            self.parts.search, USUAL_SIZE, progress, private, wish.narrowing, question
        )
        best: list[SearchCandidate] = []
        pages: list[FoundPage] = []
        async with asyncio.TaskGroup() as group:
            reading = PageReads(
                self.parts.reader, group, self.parts.settings.reader, progress, wish.narrowing
            )
            try:
                async with asyncio.timeout(within_s):
                    await searching.ask(initial_queries(parts), 1)
                    best = searching.ranked([question], 1)
                    first = best[:PAGES]
                    reading.request(first, 1, spare=best[PAGES:], enough=ENOUGH_PAGES)
                    await reading.until_enough(ENOUGH_PAGES)
            except TimeoutError:
                pass
            finally:
                searching.stop()
                # In any case, also when the time is up: what has come by then is the evidence.
                pages = reading.take_pages()
                reading.stop()
        # Behind the group, which would wrap the error.
        searching.refuse_if_unheard()
        reading.warn_if_poor()
        # As the search ranks them.
        read = {found.page.url: found for found in pages}
        ranked: list[FoundPage] = []
        for offer in best:
            found = read.pop(offer.result.url, None)
            if found is not None:
                ranked.append(found)
            if found is None or not _has_shown(found.page, offer):
                ranked.append(shown_page(offer))
        return [found for found in [*ranked, *read.values()] if found.page.markdown]

    async def _ranked(
        self, question: str, ranked: Sequence[RankedWindow], progress: RunState
    ) -> Sequence[RankedWindow]:
        if self.embedder is None or not ranked:
            return ranked
        try:
            async with asyncio.timeout(EMBEDDING_S):
                return await self._by_meaning(self.embedder, question, ranked)
        except TimeoutError:
            why = Message("the embedding model did not answer in time")
        except AskanceError as exc:
            log_error(exc)
            why = exc.problem.clause()
        except Exception as exc:  # noqa: BLE001 - a model must not cost what words find
            _log.error("ranking by meaning failed: %s", place_of(exc))
            why = Message("the embedding model failed")
        progress.warn(
            WarningCode.LIBRARY_UNUSABLE, Message("Only keywords were compared: {why}.", why=why)
        )
        return ranked

    async def _by_meaning(
        self, embedder: Embedder, question: str, ranked: Sequence[RankedWindow]
    ) -> list[RankedWindow]:
        """Return the windows as words and meaning rank them together; see `local_library.merged`."""
        identity = (await embedder.identity()).key
        enter_model(self.parts.ledger, embedder.host, identity, "evidence")
        first, rest = ranked[:EMBEDDED], ranked[EMBEDDED:]
        asked = await embedder.embed_query(question)
        keys = [(identity, window.text) for window in first]
        unknown = [w for w, key in zip(first, keys, strict=True) if key not in self._vectors]
        if unknown:
            texts = [(window.found.page.title, window.text) for window in unknown]
            made = await embedder.embed_passages(texts)
            for window, vector in zip(unknown, made, strict=True):
                self._vectors[identity, window.text] = vector
        # Vectors have length 1, so the product is their cosine (`ports.model.Vector`).
        alike = [
            float(sum(a * b for a, b in zip(asked, self._vectors[key], strict=True)))
            for key in keys
        ]
        # The oldest go first: a server that runs for weeks keeps no more than these.
        while len(self._vectors) > _CACHED_VECTORS:
            self._vectors.popitem(last=False)
        words = stretched([window.score for window in first])
        meaning = stretched(alike)
        together = [
            replace(window, score=word + MEANING_WEIGHT * meant)
            for window, word, meant in zip(first, words, meaning, strict=True)
        ]
        together.sort(key=lambda r: (-r.score, r.found.page.url, r.window.start))
        # What was not embedded has no score that could be compared with these, and comes behind
        # them.
        return [*together, *(replace(window, score=0.0) for window in rest)]

    def _filled(
        self,
        question: str,
        ranked: Sequence[RankedWindow],
        wish: EvidenceRequest,
        progress: RunState,
    ) -> PromptBuilder:
        builder = PromptBuilder(
            question,
            wish,
            self.parts.prompts,
            self.parts.today().isoformat(),
            # Never below 1: whose model will read the prompt is not known here.
            ContextBudget(0, 0, SAFETY * max(1.0, self.parts.model_speed.token_factor)).cost,
        )
        builder.fill(ranked)
        if progress.pages_offered == 0:
            progress.warn(WarningCode.NO_RESULTS, Message("The searches brought no results."))
        elif not builder.blocks:
            message = Message("What the searches brought says nothing about the question.")
            progress.warn(WarningCode.NO_RESULTS, message)
        return builder


@dataclass
class PromptBuilder:
    """A prompt that is filled block by block, within its tokens."""

    question: str
    wish: EvidenceRequest
    prompts: Prompts
    today: str
    cost: Callable[[str], int]
    blocks: list[EvidenceBlock] = field(default_factory=list[EvidenceBlock], init=False)

    def __post_init__(self) -> None:
        # With a digit first, for the prompt may be shown as Markdown: `<web a1…` would be a tag.
        self._nonce = new_nonce()[::-1]
        self._seen = CopyIndex(COPY)
        self._of_url: Counter[str] = Counter()
        self._of_host: Counter[str] = Counter()
        # By address and whether the page itself was read: beside it may stand what the search showed of it.
        self._taken: dict[tuple[str, bool], list[tuple[int, int]]] = {}

    def fill(self, ranked: Sequence[RankedWindow]) -> None:
        """Take windows, the best first, until the blocks or the tokens are used up.

        Raises:
            InputError: not even the question fits.
        """
        if self._left() < SMALLEST_BLOCK_TOKENS:
            raise InputError(
                Message(
                    "The question leaves no room for evidence in {n} tokens.",
                    n=self.wish.max_tokens,
                ),
                fix=Message("Ask for more tokens, or with fewer words."),
            )
        for window in ranked:
            if len(self.blocks) >= self.wish.max_blocks or self._left() < SMALLEST_BLOCK_TOKENS:
                break
            self._add_block(window)

    def evidence(self, fit: float, warnings: Sequence[Message]) -> Evidence:
        """Return what it has come to. `fit` is the score by words of the window that fits best."""
        prompt = self._rendered(self.blocks)
        texts = [f"{block.title}\n{block.text}" for block in self.blocks]
        code = language_of(texts)
        wanted = content_words_of(self.question, code)
        covered = max((share_covered(wanted, text, code) for text in texts), default=0.0)
        return Evidence(
            self.question,
            prompt,
            self.cost(prompt),
            tuple(self.blocks),
            _sufficiency(covered, fit / max(1, len(wanted))) if texts else Sufficiency.INSUFFICIENT,
            tuple(warnings),
        )

    def _add_block(self, window: RankedWindow) -> None:
        page, wish = window.found.page, self.wish
        url, host = page.final_url or page.url, host_of(page.url)
        # A single host that was asked for may fill the whole prompt.
        per_host = wish.max_blocks if len(wish.narrowing.domains) == 1 else wish.per_host
        if self._of_url[url] >= wish.per_url or self._of_host[host] >= per_host:
            return
        text = self._fresh_text(window)
        if not text or self._seen.is_copy(text):
            return
        block = self._fitting(window, url, text)
        if block is None:
            return
        self._seen.add(text)
        self._of_url[url] += 1
        self._of_host[host] += 1
        text_key = page.url, window.found.is_read
        self._taken.setdefault(text_key, []).append((window.window.start, window.window.end))
        self.blocks.append(block)

    def _fresh_text(self, window: RankedWindow) -> str:
        """Return a window without what it has in common with a neighbour that stands in the prompt.

        Empty where that leaves too little.
        """
        start, end = window.window.start, window.window.end
        text_key = window.found.page.url, window.found.is_read
        for taken_start, taken_end in self._taken.get(text_key, ()):
            if taken_start <= start < taken_end:
                start = taken_end
            if taken_start < end <= taken_end:
                end = taken_start
        text = clean_text(window.found.page.markdown[start:end]) if start < end else ""
        is_rest = (start, end) != (window.window.start, window.window.end)
        return "" if is_rest and self.cost(text) < SMALLEST_BLOCK_TOKENS else text

    def _fitting(self, window: RankedWindow, url: str, text: str) -> EvidenceBlock | None:
        """Return the block, cut behind a sentence to what fits; None where too little would."""
        page = window.found.page
        block = EvidenceBlock(
            len(self.blocks) + 1,
            _line(page.title) or host_of(page.url),
            url[:LONGEST_URL],
            (page.published or "")[:10],
            _preview(window.found.snippets, text),
            text,
            0,
        )
        # From the last sentence backwards, with the whole prompt measured each time: estimates do
        # not add up.
        ends = [end for _, end in sentence_spans(text)]
        while self.cost(self._rendered([*self.blocks, block])) > self.wish.max_tokens:
            if not ends:
                return None
            block = replace(block, text=text[: ends.pop()].rstrip())
        tokens = self.cost(block.text)
        is_cut = len(block.text) < len(text)
        if not block.text or (is_cut and tokens < SMALLEST_BLOCK_TOKENS):
            return None
        return replace(block, tokens=tokens)

    def _left(self) -> int:
        return self.wish.max_tokens - self.cost(self._rendered(self.blocks))

    def _rendered(self, blocks: Sequence[EvidenceBlock]) -> str:
        shown = "\n\n".join(_block_text(block) for block in blocks) or "(no blocks)"
        # As `prompts.prompted` does for our own calls: this prompt goes to another program's model.
        return break_control_tokens(
            self.prompts.render(
                "evidence",
                today=self.today,
                question=self.question,
                blocks=f"<<<web {self._nonce}\n{shown}\nweb {self._nonce}>>>",
            )
        )


def _block_text(block: EvidenceBlock) -> str:
    about = ", ".join(part for part in (block.url, block.date) if part)
    preview = f"Preview: {block.preview}\n" if block.preview else ""
    # A front end may show the prompt, and draw what is in it.
    return safe_markdown(f"[{block.n}] {block.title}\n{about}\n{preview}{block.text}", [block.url])


def _sufficiency(covered: float, fit: float) -> Sufficiency:
    """Say what words tell of evidence: the share that one block has, and how well the best fits for each."""
    if covered < LEAST_WORDS_OF_FEW:
        return Sufficiency.INSUFFICIENT
    is_likely = covered + FIT_WEIGHT * fit >= LIKELY
    return Sufficiency.SUFFICIENT if is_likely else Sufficiency.PARTIAL


def _preview(snippets: Sequence[str], text: str) -> str:
    """Return what the search showed of a page, unless the block has it anyway."""
    shown = _line(snippets[0])[:PREVIEW_CHARACTERS] if snippets else ""
    # Half of it in the block is enough to leave it out: engines cut their snippets anywhere.
    known = CopyIndex(COPY)
    known.add(text)
    return "" if known.share(shown) >= 0.5 else shown


def _line(text: str) -> str:
    return _BLANK.sub(" ", clean_text(text)).strip()


def _has_shown(page: Page, offer: SearchCandidate) -> bool:
    """Whether a page that was read has at least some of what the search showed of it; a wall has nothing."""
    shown = set(words(max(offer.snippets, key=len, default=offer.result.snippet)))
    # A wall for consent or a login is a page with words, and with none of what was searched.
    return len(shown & set(words(page.markdown))) >= LEAST_SHOWN * len(shown)


def shown_page(offer: SearchCandidate) -> FoundPage:
    """Return what a search showed of a page that was not read, as if it were the page."""
    result = offer.result
    page = Page(
        result.url,
        PageStatus.OK,
        title=result.title,
        markdown=max(offer.snippets, key=len, default=result.snippet),
        published=result.published,
    )
    return FoundPage(page, tuple(offer.queries), is_read=False)
