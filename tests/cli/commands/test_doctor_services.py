"""`askance doctor` and the services: containers, the reader's, and what it offers to do."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from askance import __version__
from askance.adapters.containers.problems import DaemonDown, NoCli, NoComposePlugin
from askance.config.folders import find_folders
from askance.domain.ports.containers import READER, SEARXNG, RoundTrip, ServiceState, Survey
from cli.commands.examination import (
    DOCKER,
    DOWN,
    WELL,
    FakeServices,
    at_a_terminal,
    lines,
    look,
    made_healthy,
    running,
)
from cli.fake_shell import FakeSearch, FakeShell
from servers.faults import address_of_nobody
from servers.loopback import Request, Wire, serve

UP, CONSENT = "Run `askance up` now? [y/N] ", "Ask them directly from now on? [y/N] "


@pytest.fixture
def healthy(fake_shell: FakeShell) -> FakeShell:
    """A machine on which everything that is needed is there."""
    return made_healthy(fake_shell)


@pytest.fixture
def person(fake_shell: FakeShell) -> FakeShell:
    """The same, with somebody at a terminal."""
    return at_a_terminal(made_healthy(fake_shell))


def test_containers_that_nothing_could_start_are_no_offer(person: FakeShell) -> None:
    lacking = NoComposePlugin("docker", fix="Install it with `sudo apt install docker-compose`.")
    person.app.search = FakeSearch(DOWN)
    look(person, FakeServices(Survey(DOCKER, (), lacking=lacking)), search__in_process="refused")
    assert lines(person)["containers"].startswith("– Docker 28.5.1; ")
    assert str(lacking.problem) in lines(person)["containers"]
    assert str(lacking.fix) in person.printed
    assert UP not in person.prompts


def test_containers_that_are_well_are_listed_with_their_round_trips(healthy: FakeShell) -> None:
    look(healthy, FakeServices(WELL))
    assert lines(healthy)["containers"] == (
        "✓ Docker 28.5.1: searxng healthy (3 ms), reader healthy."
    )


@pytest.mark.parametrize(
    ("state", "trip", "said"),
    [
        (ServiceState(SEARXNG, "exited", exit_code=1), None, "searxng exited"),
        (ServiceState(SEARXNG), None, "searxng missing"),
        (
            running(SEARXNG),
            RoundTrip(SEARXNG, "http://x", problem="does not answer"),
            "searxng does not answer",
        ),
    ],
)
def test_a_container_that_is_ill_is_named_with_its_remedy(
    healthy: FakeShell, state: ServiceState, trip: RoundTrip | None, said: str
) -> None:
    survey = Survey(DOCKER, (state, running(READER)), (trip,) if trip else ())
    assert look(healthy, FakeServices(survey)) == 0
    assert lines(healthy)["containers"] == f"– Docker 28.5.1: {said}, reader healthy."
    assert "`askance logs searxng`" in healthy.printed


@pytest.mark.parametrize("problem", [NoCli(), DaemonDown("Docker", "unix:///run/docker.sock")])
def test_no_containers_are_no_obstacle_where_search_works(
    healthy: FakeShell, problem: Exception
) -> None:
    assert look(healthy, FakeServices(problem)) == 0
    assert lines(healthy)["containers"].startswith("– ")


class TestOffers:
    def test_a_search_engine_that_is_down_can_be_started_at_once(self, person: FakeShell) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = ["y"]
        services = FakeServices()
        assert look(person, services) == 1
        assert (person.prompts, services.ups) == ([UP], 1)
        assert person.printed.count("✗ search") == 2
        assert "✓ containers     Docker 28.5.1: searxng healthy" in person.printed

    def test_who_declines_is_asked_about_the_other_way(self, person: FakeShell) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = ["n", "y"]
        services = FakeServices()
        look(person, services)
        assert (person.prompts, services.ups) == ([UP, CONSENT], 0)
        given = dict.fromkeys(s.search.in_process for s, web in person.app.opened if web is None)
        assert list(given) == ["unasked", "given"]

    def test_who_declines_both_is_left_alone(self, person: FakeShell) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = ["", ""]
        assert look(person) == 1
        assert look(person) == 1
        assert person.prompts == [UP, CONSENT, UP]
        assert person.printed.count("✗ search") == 2

    def test_containers_are_not_offered_where_nothing_runs_them(self, person: FakeShell) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = ["n"]
        look(person, FakeServices(NoCli()))
        assert person.prompts == [CONSENT]

    def test_a_search_engine_elsewhere_is_not_ours_to_start(self, person: FakeShell) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = ["n"]
        look(person, search__url="http://attic.invalid:8080")
        assert person.prompts == [CONSENT]

    def test_containers_that_cannot_be_started_are_told_and_not_looked_at_again(
        self, person: FakeShell
    ) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = ["y"]
        services = FakeServices(up_is=DaemonDown("Docker", "unix:///run/docker.sock"))
        assert look(person, services) == 1
        assert services.ups == 1
        assert str(DaemonDown("Docker", "unix:///run/docker.sock").problem) in person.errors
        assert person.printed.count("✗ search") == 1

    def test_nothing_is_offered_where_nothing_is_wrong(self, person: FakeShell) -> None:
        assert look(person) == 0
        assert person.prompts == []

    def test_nobody_at_the_terminal_is_offered_nothing(self, healthy: FakeShell) -> None:
        healthy.app.search = FakeSearch(DOWN)
        assert look(healthy) == 1
        assert healthy.prompts == []

    def test_who_closes_the_input_declines(self, person: FakeShell) -> None:
        person.app.search = FakeSearch(DOWN)
        person.lines = [EOFError()]
        services = FakeServices()
        assert look(person, services) == 1
        assert (person.prompts, services.ups) == ([UP], 0)


class TestRealServices:
    async def test_versions_and_round_trips_are_shown(self, healthy: FakeShell) -> None:
        values: dict[str, Any] = {
            "/healthz": "OK",
            "/search": "",
            "/config": {"version": "2026.8.22\x1b[2J"},
            "/version": {"askance": __version__},
            "/api/ps": {"models": [{"name": "wren:8b", "context_length": 4096}]},
        }

        async def answer(request: Request, wire: Wire) -> None:
            body = values[request.path]
            await (wire.send(body) if isinstance(body, str) else wire.send_json(body))

        async with serve(answer) as server:
            await asyncio.to_thread(
                look,
                healthy,
                search__url=server.url,
                llm__url=server.url,
                reader__url=server.url,
                reader__mode="container",
            )
            values["/version"] = {"askance": "0.0.9"}
            values["/api/ps"] = {"models": []}
            first = lines(healthy)
            await asyncio.to_thread(
                look, healthy, llm__url=server.url, reader__url=server.url, reader__mode="container"
            )
        again = lines(healthy)
        assert first["search"].startswith(f"✓ SearXNG 2026.8.22[2J at {server.url} (")
        assert first["reader service"].startswith(f"✓ {__version__} at {server.url} (")
        assert re.findall(r"\d,\d+", first["model"]) == ["8,192", "4,096"]
        assert re.findall(r"\d,\d+", again["model"]) == ["8,192"]
        assert again["reader service"].startswith(f"– 0.0.9 at {server.url}")
        assert again["reader service"].endswith(f" {__version__}.")

    def test_a_reader_service_that_is_gone_is_replaced_by_this_program(
        self, healthy: FakeShell
    ) -> None:
        url = address_of_nobody()
        assert look(healthy, reader__url=url, reader__mode="container") == 0
        assert lines(healthy)["reader service"].startswith("– ")
        assert f" {url}; " in lines(healthy)["reader service"]
        assert "`askance logs reader`" in healthy.printed

    def test_a_reader_that_was_set_up_is_looked_for(self, healthy: FakeShell) -> None:
        token = find_folders({"ASKANCE_HOME": str(healthy.home)}).reader_token
        token.parent.mkdir(parents=True)
        token.write_text("a-token-of-the-tests-only")
        look(healthy, reader__url=address_of_nobody())
        assert re.match(r"– .* http://127\.0\.0\.1:", lines(healthy)["reader service"])
        look(healthy, reader__mode="inprocess")
        assert lines(healthy)["reader service"] == "✓ Not used: reader.mode is inprocess."

    def test_a_reader_that_no_page_may_leave_is_needed(self, healthy: FakeShell) -> None:
        url = address_of_nobody()
        assert look(healthy, reader__url=url, reader__mode="container_only") == 1
        assert lines(healthy)["reader service"].startswith("✗ ")
        assert url not in lines(healthy)["reader service"]
        token = find_folders({"ASKANCE_HOME": str(healthy.home)}).reader_token
        token.parent.mkdir(parents=True)
        token.write_text("a-token-of-the-tests-only")
        assert look(healthy, reader__url=url, reader__mode="container_only") == 1
        assert lines(healthy)["reader service"].startswith("✗ ")
        assert f" {url}; " in lines(healthy)["reader service"]
        assert "`askance up`" in healthy.printed
