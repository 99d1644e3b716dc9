"""The search engine answers or fails, in every way and at every moment of a run."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest

from askance.domain.conversation import Outcome
from askance.domain.events import Answered, Failed, GapFound, ResultsFound
from integration.order import assert_legal
from integration.order import run_credulous as run_in_world
from remedies import remedy_of
from sampled import each_row
from servers.faults import FAULTS, address_of_nobody
from servers.loopback import Handler, Request, Wire
from servers.model_script import verdict
from servers.searxng import Hit, hit, reply
from servers.world import (
    GAP,
    HARBOUR,
    LIGHTHOUSE,
    ONE_ROUND,
    PLANNED,
    QUESTION,
    TITLES,
    WHITLOW,
    always,
    knowing_model,
    some_answer,
    the_hits,
    where,
)
from servers.world import (
    credulous as world,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

IMPATIENT = {"search.timeout_s": 15.0}
EACH_FAULT = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())


@EACH_FAULT
async def test_a_search_engine_that_fails_ends_the_run_and_is_named(fault: Handler):
    async with world(breaks={"search": always(fault)}, settings=IMPATIENT) as w:
        reported = await w.ask()
        await w.until_idle()
    assert_legal(reported.events)
    assert isinstance(reported.end, Failed)
    assert reported.end.service == "SearXNG"
    assert reported.end.address == w.servers["search"].url
    assert reported.end.fix
    assert not w.script.of("answer")


async def test_a_search_engine_that_is_not_there_ends_the_run_with_its_address():
    address = address_of_nobody()
    reported = await run_in_world(settings={"search.url": address})
    assert isinstance(reported.end, Failed)
    assert address in reported.end.problem
    assert "`askance up`" in reported.end.fix
    assert remedy_of(reported.end.fix).setting == "search.in_process"


async def test_json_switched_off_is_told_with_the_lines_that_switch_it_on():
    async with world() as w:
        w.searxng.formats = ("html",)
        reported = await w.ask()
    assert isinstance(reported.end, Failed)
    assert "switched off" in reported.end.problem
    assert "formats: [html, json]" in reported.end.fix


@EACH_FAULT
async def test_a_failed_gap_search_leaves_the_answer_of_the_first_round(fault: Handler):
    script = knowing_model(answer=[some_answer])
    reported = await run_in_world(
        script, breaks={"search": where("Clara", fault)}, settings=IMPATIENT
    )
    assert reported.end.outcome is Outcome.WEB
    assert "search_failed" in reported.warned
    assert [r.query for r in reported.of(ResultsFound) if r.error] == [GAP]
    assert "1871" in reported.end.answer


@EACH_FAULT
async def test_a_dead_query_costs_only_itself(fault: Handler):
    reported = await run_in_world(breaks={"search": where("birthplace", fault)}, settings=IMPATIENT)
    assert [r.query for r in reported.of(ResultsFound) if r.error] == [PLANNED]
    assert reported.warned == {"search_failed"}
    assert "Orr" in reported.end.answer


async def test_a_dead_first_query_is_made_up_for_by_the_planned_one():
    def only_planned(request: object) -> Handler | None:
        return None if "birthplace" in str(request) or "Clara" in str(request) else FAULTS["fails"]

    reported = await run_in_world(breaks={"search": only_planned})
    assert reported.end.outcome is Outcome.WEB
    assert "Orr" in reported.end.answer
    assert {QUESTION, PLANNED} <= {r.query for r in reported.of(ResultsFound)}


@pytest.mark.parametrize(
    ("reasons", "code", "said", "fix"),
    [
        # As SearXNG 2026 says them without a network, the second time with a rest for the engine.
        (
            ["HTTP connection error", "Suspended: HTTP connection error"],
            "engines_unreachable",
            "could not be reached",
            "this computer's connection",
        ),
        (["proxy error", "network error"], "engines_unreachable", "could not be", "search.proxy"),
        (["CAPTCHA", "Suspended: too many requests"], "engines_silent", "did not answer", "later"),
        (["HTTP connection error", "access denied"], "engines_silent", "did not answer", "later"),
        (["timeout", "timeout"], "engines_silent", "did not answer", "later"),
    ],
)
async def test_engines_that_were_not_heard_are_not_called_an_empty_web(
    reasons: list[str], code: str, said: str, fix: str
):
    silent = [[name, reason] for name, reason in zip(("alpha", "beta"), reasons, strict=True)]

    async def unheard(request: Request, wire: Wire) -> None:
        await wire.send_json(reply(request.query["q"], [], silent))

    reported = await run_in_world(breaks={"search": always(unheard)})
    assert reported.warned == {code}
    assert isinstance(reported.end, Failed)
    assert reported.end.service  # an exit code of 1, as of any service that failed
    assert said in reported.end.problem
    assert f"alpha ({reasons[0]}), beta ({reasons[1]})" in reported.end.problem
    assert fix in reported.end.fix
    first = reported.of(ResultsFound)[0]
    assert [engine.reason for engine in first.silent_engines] == reasons
    assert all(engine.unreachable for engine in first.silent_engines) is (
        code == "engines_unreachable"
    )


async def test_an_empty_web_is_an_answer():
    reported = await run_in_world(hits=lambda query: [])
    assert reported.warned == {"no_results"}
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert f"“{QUESTION}”" in reported.end.answer
    assert not reported.end.sources


async def test_a_gap_search_that_brings_nothing_new_ends_the_rounds():
    def stale(query: str) -> list[Hit]:
        return the_hits("the same again")

    judge = [verdict("partial", "the harbour again", GAP)]
    script = knowing_model(judge=judge, answer=[some_answer])
    reported = await run_in_world(script, hits=stale)
    assert "no_progress" in reported.warned
    assert reported.end.rounds == 2
    assert reported.end.outcome is Outcome.WEB


async def test_a_judge_that_only_repeats_old_queries_ends_the_rounds():
    judge = [verdict("partial", QUESTION, PLANNED.upper())]
    script = knowing_model(judge=judge, answer=[some_answer])
    reported = await run_in_world(script)
    assert reported.warned == {"no_progress"}
    assert [gap.queries[0] for gap in reported.of(GapFound)] == ["Lindmouth"], "its name alone"
    assert reported.end.rounds == 2


BUILDER = "Who built the Lindmouth lighthouse?"
SNIPPET = "The Lindmouth lighthouse was built in 1871 by the engineer Clara Whitlow."
TITLE = TITLES[LIGHTHOUSE]


def one(url: str = LIGHTHOUSE, **more: Any) -> dict[str, Any]:
    return {**hit(url, TITLE, SNIPPET), **more}


def of(*hits: Any, **more: Any) -> dict[str, Any]:
    return {**reply("q", list(hits)), **more}


def base64(url: str) -> str:
    return urlsafe_b64encode(url.encode()).decode().rstrip("=")


@dataclass(frozen=True)
class Way:
    """How an engine answers; what the end says, and which pages are read. Without `says` it is answered."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    says: str = ""
    fix: str = ""
    read: tuple[str, ...] | None = (LIGHTHOUSE,)
    warns: str = ""


HTML = {"Content-Type": "text/html"}
WAYS = {
    "as SearXNG": Way(of(one())),
    "without a snippet": Way(of(one(content=None))),
    "without a title": Way(of({"url": LIGHTHOUSE})),
    "with markup in the snippet": Way(of(one(title="<b>The</b> &amp; lighthouse of Lindmouth"))),
    "with odd types": Way(of(one(score="3.0", positions=None, engines=None, engine=None))),
    "with a long title": Way(of(one(title=TITLE + " A" * 9_000, content="B " * 9_000))),
    "with a byte order mark": Way("\ufeff" + json.dumps(of(one()))),
    "with keys of tomorrow": Way(of(one(thing={"a": [1]}), future=True)),
    "one page nine times": Way(
        of(
            one(),
            *(
                one(url)
                for url in (
                    f"{LIGHTHOUSE}/",
                    f"{LIGHTHOUSE}?utm_source=x&gclid=1",
                    f"{LIGHTHOUSE}?gad_source=1",
                    f"{LIGHTHOUSE}#top",
                    f"{LIGHTHOUSE}?outputType=amp",
                    f"{LIGHTHOUSE}/amp",
                    LIGHTHOUSE.replace("//", "//www."),
                    LIGHTHOUSE.replace("//", "//m."),
                )
            ),
        )
    ),
    "the page for phones before the page": Way(of(one(f"{LIGHTHOUSE}/amp"), one())),
    "an address that Bing passes on": Way(
        of(one(f"https://www.bing.com/ck/a?!&&p=a&u=a1{base64(LIGHTHOUSE)}&ntb=1"))
    ),
    "an address that DuckDuckGo passes on": Way(
        of(one(f"https://duckduckgo.com/l/?uddg={quote(LIGHTHOUSE, safe='')}&rut=1"))
    ),
    "an address that Google passes on": Way(of(one(f"https://www.google.com/url?q={LIGHTHOUSE}&sa=U"))),
    "an address that Yahoo passes on": Way(
        of(one(f"https://r.search.yahoo.com/_ylt=A/RU={quote(LIGHTHOUSE, safe='')}/RK=2/RS=x-"))
    ),
    "addresses of inside": Way(
        of(one("http://192.168.1.1/admin"), one("http://localhost:1/x"), one("http://nas.local/"), one())
    ),
    "addresses that are none": Way(of(one("javascript:alert(1)"), one("/history"), one(""), one())),
    "a day of its own": Way(of(one(publishedDate="2009-03-01T00:00:00"))),
    "days that are none": Way(of(one(publishedDate="0001-01-01T00:00:00"))),
    "an answer with its page": Way(of(answers=[{"answer": SNIPPET, "url": LIGHTHOUSE, "engine": "x"}])),
    "a box with addresses and no id": Way(
        of(infoboxes=[{"infobox": TITLE, "content": SNIPPET, "urls": [{"title": "x", "url": LIGHTHOUSE}]}])
    ),
    "another page beside": Way(of(one(), one(HARBOUR), one(WHITLOW)), read=None),
    "nothing": Way(of(), read=(), warns="no results"),
    "an answer without a page": Way(
        of(answers=[{"answer": "Clara Whitlow", "url": None}]), read=(), warns="“Clara Whitlow”"
    ),
    "old answers": Way(of(answers=["Clara Whitlow"]), read=(), warns="“Clara Whitlow”"),
    "other words": Way(
        of(suggestions=["lindmouth light"], corrections=["lighthouse"]), read=(), warns="“lighthouse”, “lindmouth light”"
    ),
    "silent engines": Way(of(unresponsive_engines=[["alpha", "CAPTCHA"]]), says="alpha (CAPTCHA)"),
    "a web page": Way("<!doctype html><form>search</form>", headers=HTML, says="is a web page", fix="JSON may be off"),
    "a guard's page": Way(
        "<!doctype html><title>Making sure you're not a bot!</title>", headers=HTML, says="is a web page", fix="checks its visitors"
    ),
    "JSON switched off": Way("Forbidden", 403, HTML, says="switched off", fix="formats: [html, json]"),
    "its limiter": Way("Too Many Requests", 429, {"Retry-After": "5"}, says="limiter", fix="limiter: false"),
    "a password": Way(
        "Unauthorized", 401, {"WWW-Authenticate": 'Basic realm="x"'}, says="user name and a password", fix="NAME:PASSWORD@"
    ),
    "another address": Way(
        "", 301, {"Location": "https://search.example:8443/sx/search?q=secret"}, says="https://search.example:8443/sx ", fix="https://search.example:8443/sx."
    ),
    "an address with a password": Way("", 302, {"Location": "https://u:pw@new.example/search"}, says="https://new.example "),
    "a failure": Way("Internal Server Error", 500, HTML, says="failed (HTTP 500)"),
    "nothing at all": Way("", says="not SearXNG's JSON"),
    "a list": Way([one()], says="not SearXNG's JSON"),
    "a cut reply": Way('{"query": "q", "results": [{"url": "http://harb', says="not SearXNG's JSON"),
}  # fmt: skip


@each_row("way", WAYS.values())
async def test_a_person_sees_an_answer_or_what_is_to_be_done(way: Way):
    async def engine(_request: Request, wire: Wire) -> None:
        body = way.body if isinstance(way.body, str) else json.dumps(way.body)
        await wire.send(body, way.status, {"Content-Type": "application/json", **way.headers})

    script = knowing_model(
        judge=ONE_ROUND, answer=[some_answer if way.read else "Nothing was found."]
    )
    async with world(script, breaks={"search": always(engine)}) as w:
        reported = await w.ask(BUILDER)
        read = tuple(dict.fromkeys(w.read()))
    end = reported.end
    if way.says:
        assert isinstance(end, Failed), end
        assert way.says in f"{end.problem} "
        assert way.fix in end.fix
        assert "secret" not in end.problem + end.fix
        assert "pw" not in end.problem + end.fix
        return
    assert isinstance(end, Answered), end
    assert way.read is None or read == way.read
    assert way.warns in " ".join(end.warnings)
    if way.read:
        assert "1871" in end.answer
        assert end.sources[0].url == LIGHTHOUSE
        days = {"a day of its own": "2009-03-01"}
        assert end.sources[0].published == days.get(next(n for n, w in WAYS.items() if w is way))
