"""The tools, resources and the prompt that other programs get over MCP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from askance.app.client_runs import ClientRun, Watch
from askance.app.client_service import ClientService, require
from askance.app.own_files import OwnFiles
from askance.app.text_checks import claims_of, leaving
from askance.domain.conversation import SEARCH, PageChoice, RunRequest
from askance.domain.errors import InputError, ServiceError
from askance.domain.events import (
    Cancelled,
    ClarifyAsked,
    Emit,
    Failed,
    RunEnd,
    RunEvent,
    Warned,
    WarningCode,
    ignore,
)
from askance.domain.evidence import EvidenceRequest
from askance.domain.library import SearchMode
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.storage import Capability, Client, ClientRegistry
from askance.domain.web_pages import MOST_DOMAINS, PageStatus
from askance.presentation.progress import RunProgress
from askance.server.mcp_protocol import AskanceServer, source_uri, with_progress
from askance.server.result_forms import (
    AddedOut,
    AgenticOut,
    CheckOut,
    EvidenceOut,
    LibraryOut,
    PageOut,
    SearchOut,
)
from askance.server.tool_results import (
    MOST_TEXT_TOKENS,
    agentic_result,
    check_result,
    evidence_result,
    fenced_line,
    library_result,
    page_result,
    plain,
    result,
    search_result,
)

LONGEST_QUESTION = 4_000
LONGEST_ADDED = 400_000
LONGEST_CHECKED = 20_000
LEAST_TOKENS = 500
# Many clients give up after 60 s, some even if they get progress.
DEADLINE_S, LONGEST_DEADLINE_S = 45.0, 300.0
# Far above the 1.3 to 2 s of docs/bench/agents.md, and below the time after which clients give up.
EVIDENCE_WITHIN_S = 30.0
_READS_WEB = ToolAnnotations(read_only_hint=True, open_world_hint=True)

Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_QUESTION,
        description="The whole question in plain words, in the user's language, understandable without the"
        " conversation. No search operators.",
    ),
]
DeadlineS = Annotated[
    float,
    Field(
        ge=1,
        le=LONGEST_DEADLINE_S,
        description="Seconds after which it returns, finished or not. Many clients give up after 60 s.",
    ),
]
MaxTokens = Annotated[
    int,
    Field(ge=LEAST_TOKENS, le=MOST_TEXT_TOKENS, description="Length of the result's text at most."),
]
Domains = Annotated[
    list[str] | None,
    Field(
        max_length=MOST_DOMAINS,
        description="Only pages of these domains and what is below them, such as `python.org`.",
    ),
]
LensName = Annotated[
    str,
    Field(
        max_length=40,
        description="Name of a list of websites that the user has made, such as `papers`; only if the user names it.",
    ),
]
Since = Annotated[
    Literal["day", "week", "month", "year"] | None,
    Field(description="Only pages of the last day, week, month or year."),
]


def build_mcp(
    service: ClientService, book: ClientRegistry, who: Callable[[], Client]
) -> AskanceServer:
    """Return the server. `who` tells whose call is being served; `book` what it is allowed."""
    mcp = AskanceServer(service, book, who)
    _add_search(mcp, service)
    _add_evidence(mcp, service)
    _add_reading(mcp, service)
    _add_checking(mcp, service)
    _add_library(mcp, service)
    return mcp


async def _searched(
    ctx: Context[Any, Any],
    service: ClientService,
    client: Client,
    request: RunRequest,
    deadline_s: float,
) -> ClientRun:
    """Begin a run and wait for it as `_waited` does; what is not done by then goes on."""

    async def ask(emit: Emit, watch: Watch) -> RunEnd:
        return await service.answer(client, request, emit=emit, on_start=watch)

    run = service.runs.begin(client, request.question, ask)
    await _waited(ctx, service, run, deadline_s)
    return run


async def _waited(
    ctx: Context[Any, Any], client_service: ClientService, run: ClientRun, deadline_s: float
) -> None:
    """Wait for a run, no longer than its caller does, and tell how far it is meanwhile.

    Raises:
        AskanceError: it failed.
    """
    await with_progress(ctx, run.progress, run.changed, client_service.runs.wait(run, deadline_s))
    # Errors pass as they are: the server makes a tool error of each, with what fixes it.
    if run.error is not None:
        raise run.error
    match run.end:
        case Failed(problem, fix, service, address) if service:
            raise ServiceError(service, address, problem, fix=fix)
        case Failed(problem, fix):
            raise InputError(problem, fix=fix)
        case Cancelled():
            raise InputError(
                Message("The search was ended, because nobody waited for it."),
                fix=Message("Search again."),
            )
        case _:
            pass


def _add_search(mcp: AskanceServer, service: ClientService) -> None:
    @mcp.tool(title="Search the web", annotations=_READS_WEB)
    async def search_web(
        ctx: Context[Any, Any],
        question: Question,
        deadline_s: DeadlineS = DEADLINE_S,
        max_tokens: MaxTokens = 2_500,
        domains: Domains = None,
        recency: Since = None,
        lens: LensName = "",
    ) -> Annotated[CallToolResult, SearchOut]:
        """Answer a question from the web: plans, searches, reads pages, looks again for what is missing, and writes
        an answer whose every citation is checked against its source, with the quote and a link to it.

        Use it for facts, news, comparisons, anything you are not sure of. One call does the whole research. If it is
        not done by the deadline you get the evidence so far and a run_id for continue_search.
        """
        scope = OwnFiles(service.app.folders.config).scope(domains, recency, lens)
        request = RunRequest(question, scope=scope)
        run = await _searched(ctx, service, mcp.asking, request, deadline_s)
        return search_result(run, source_uri, max_tokens)

    @mcp.tool(title="Continue a search", annotations=_READS_WEB)
    async def continue_search(
        ctx: Context[Any, Any],
        run_id: Annotated[str, Field(max_length=64, description="As search_web returned it.")],
        deadline_s: DeadlineS = DEADLINE_S,
        max_tokens: MaxTokens = 2_500,
    ) -> Annotated[CallToolResult, SearchOut]:
        """Wait on for a search that was not done by its deadline, or show more of one that was cut.

        Call it soon: a search that nobody waits for ends after a minute.
        """
        client = mcp.asking
        run = service.runs.find(client, run_id)
        if run is None:
            raise InputError(
                Message("There is no such search, or not any more."), fix=Message("Search again.")
            )
        # The right may have been revoked since the run began, and its evidence holds words of the library.
        if run.has_read_library:
            require(client, Capability.LIBRARY_READ)
        await _waited(ctx, service, run, deadline_s)
        return search_result(run, source_uri, max_tokens)


def _add_evidence(mcp: AskanceServer, service: ClientService) -> None:
    @mcp.tool(title="Fetch evidence", annotations=_READS_WEB)
    async def fetch_evidence(
        ctx: Context[Any, Any],
        question: Question,
        max_tokens: Annotated[
            int, Field(ge=LEAST_TOKENS, le=3_000, description="Tokens of the prompt at most.")
        ] = 2_000,
        max_blocks: Annotated[int, Field(ge=1, le=12, description="Sources at most.")] = 6,
        domains: Domains = None,
        recency: Since = None,
        lens: LensName = "",
    ) -> Annotated[CallToolResult, EvidenceOut]:
        """Search the web once and return the best passages as one short prompt to answer from: the question, the date,
        the rules, numbered blocks. No model is asked, so it takes seconds; it looks only once. Answer it yourself."""
        scope = OwnFiles(service.app.folders.config).scope(domains, recency, lens)
        wish = EvidenceRequest(max_tokens, max_blocks, narrowing=scope)
        progress, changed = RunProgress(SEARCH), asyncio.Event()

        def on_event(event: RunEvent) -> None:
            progress.apply(event)
            changed.set()

        # No model plans it, or judges what was read.
        on_event(Warned(WarningCode.MODEL_UNAVAILABLE, NOTHING))
        fetching = service.evidence(
            mcp.asking, question, wish, emit=on_event, within_s=EVIDENCE_WITHIN_S
        )
        return evidence_result(await with_progress(ctx, progress, changed, fetching))

    @mcp.prompt(title="Answer from the web, with sources")
    async def grounded_answer(
        question: Annotated[str, Field(description="The whole question in plain words.")],
    ) -> str:
        """Evidence for a question, with the rules for answering from it alone."""
        wish = EvidenceRequest()
        found = await service.evidence(
            mcp.asking, question, wish, emit=ignore, within_s=EVIDENCE_WITHIN_S
        )
        return found.prompt


def _add_reading(mcp: AskanceServer, service: ClientService) -> None:
    @mcp.tool(title="Read a page", annotations=_READS_WEB)
    async def read_page(
        url: Annotated[
            str, Field(max_length=2_000, description="Address of the page, http or https.")
        ],
        max_tokens: MaxTokens = MOST_TEXT_TOKENS,
        start: Annotated[
            int, Field(ge=0, description="Character to begin at: next_start of the call before.")
        ] = 0,
    ) -> Annotated[CallToolResult, PageOut]:
        """Read one web page or PDF whose address you know, as Markdown without menus and banners.

        Long pages come in stretches: call again with start=next_start. To find pages, use search_web.
        """
        page = await service.read_page(mcp.asking, url)
        if page.status is not PageStatus.OK:
            problem = page.detail or Message.verbatim(page.reason)
            raise InputError(
                Message(
                    "{url} cannot be read: {problem}.", url=plain(url), problem=problem.clause()
                ),
                fix=Message("Try another page: search_web finds them."),
            )
        return page_result(page, start, max_tokens)


def _add_checking(mcp: AskanceServer, service: ClientService) -> None:
    @mcp.tool(title="Check a text against the web", annotations=_READS_WEB)
    async def check_text(
        ctx: Context[Any, Any],
        text: Annotated[
            str,
            Field(min_length=1, max_length=LONGEST_CHECKED, description="The draft or answer."),
        ],
        confirmed: Annotated[
            bool,
            Field(
                description="Whether the user has seen what will be searched. Without it you get the list, and nothing"
                " leaves this machine."
            ),
        ] = False,
        max_tokens: MaxTokens = MOST_TEXT_TOKENS,
    ) -> Annotated[CallToolResult, CheckOut]:
        """Compare each claim of a text with the web: supported, contradicted, not found or not checkable, with quote,
        link and date; pages that the text cites are opened, too. No model is asked. Use it on a draft, or on an answer
        of your own. Call it once to get what would be searched, and again with confirmed=true."""
        claims = claims_of(text)
        searched = [*leaving(claims)]
        if not confirmed and searched:
            return check_result(searched, None, max_tokens)
        progress, changed = RunProgress(SEARCH), asyncio.Event()

        def on_event(event: RunEvent) -> None:
            progress.apply(event)
            changed.set()

        on_event(Warned(WarningCode.MODEL_UNAVAILABLE, NOTHING))
        checking = service.check_text(mcp.asking, text, claims, emit=on_event)
        found = await with_progress(ctx, progress, changed, checking)
        return check_result(searched, found, max_tokens)


def _add_library(mcp: AskanceServer, service: ClientService) -> None:
    @mcp.tool(
        title="Search the user's library",
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )
    async def search_library(
        query: Annotated[
            str,
            Field(min_length=1, max_length=LONGEST_QUESTION, description="Words or a question."),
        ],
        limit: Annotated[int, Field(ge=1, le=20, description="Passages at most.")] = 6,
        mode: Annotated[
            Literal["auto", "keywords", "semantic", "hybrid"],
            Field(description="How to search; `auto` lets the query decide."),
        ] = "auto",
        max_tokens: MaxTokens = 2_500,
    ) -> Annotated[CallToolResult, LibraryOut]:
        """Search what the user has read and keeps on this machine: pages, notes, documents, mail. Private: quote from
        it to the user only, and put no word of it into a web search."""
        found = await service.search_library(mcp.asking, query, limit, SearchMode(mode))
        return library_result(found, max_tokens)

    @mcp.tool(
        title="Add to the user's library",
        annotations=ToolAnnotations(
            read_only_hint=False,
            destructive_hint=False,
            # The same page or text is one document, however often it is added.
            idempotent_hint=True,
            open_world_hint=True,
        ),
    )
    async def add_to_library(
        url: Annotated[
            str, Field(max_length=2_000, description="Address of a page; or else give text.")
        ] = "",
        text: Annotated[
            str, Field(max_length=LONGEST_ADDED, description="Text to keep, Markdown.")
        ] = "",
        title: Annotated[str, Field(max_length=300, description="Its title.")] = "",
    ) -> Annotated[CallToolResult, AddedOut]:
        """Keep a page or a text in the user's library, to be found later. Only when the user asks for it. A page
        takes the right to read pages."""
        client = mcp.asking
        added, name = await service.add_to_library(client, url=url, text=text, title=title)
        out = AddedOut(
            document=added.id,
            outcome=added.outcome.value,
            title=fenced_line(name),
            passages=added.passages,
        )
        return result(out, f"{out.outcome}: {out.title} ({out.passages} passages).")

    @mcp.tool(
        title="Search library and web until it is complete",
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, open_world_hint=True
        ),
    )
    async def agentic_search(
        ctx: Context[Any, Any],
        query: Question,
        completeness_threshold: Annotated[
            float, Field(ge=0, le=1, description="How far the question must be answered, 0 to 1.")
        ] = 0.8,
        max_iterations: Annotated[int, Field(ge=1, le=10, description="Rounds at most.")] = 3,
        max_urls_per_iteration: Annotated[
            int, Field(ge=1, le=10, description="Pages read in a round at most.")
        ] = 3,
        url_score_threshold: Annotated[
            float, Field(ge=0, le=1, description="How promising a page must be, 0 to 1.")
        ] = 0.7,
        use_search_hints: Annotated[
            bool, Field(description="Make queries of the titles and headings that were read, too.")
        ] = False,
        deadline_s: DeadlineS = DEADLINE_S,
        max_tokens: MaxTokens = MOST_TEXT_TOKENS,
    ) -> Annotated[CallToolResult, AgenticOut]:
        """Search the user's library first, then the web for what it lacks, until the question is answered as far as
        you say. Slower than search_web; it shows what each round brought."""

        request = RunRequest(
            query,
            asks_library=True,
            completeness=completeness_threshold,
            rounds=max_iterations,
            page_choice=PageChoice(url_score_threshold, max_urls_per_iteration),
            hints=use_search_hints,
        )
        run = await _searched(ctx, service, mcp.asking, request, deadline_s)
        # Unlike that of `search_web`, its result has no field for a question back.
        if isinstance(run.end, ClarifyAsked):
            raise InputError(
                Message("The question is not clear: {question}", question=plain(run.end.question)),
                fix=Message("Ask the user, then search again."),
            )
        return agentic_result(run, completeness_threshold, max_tokens)
