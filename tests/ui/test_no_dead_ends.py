"""On every machine the first page has a next step, and each step that it offers leads on."""

from __future__ import annotations

from itertools import count, product
from pathlib import Path

import pytest

from askance.adapters.llm import ollama as ollama_adapter
from askance.app.checks.first_steps import main_step
from askance.domain.messages import FixAction, FixKind
from sampled import sampled
from ui.beginnings import Docker, Machine, Ollama, Searxng, machine

pytestmark = pytest.mark.timeout(300)
ALL = tuple(product(Searxng, Ollama))


@pytest.fixture(autouse=True)
def quick_knocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_adapter, "_KNOCK_S", 0.02)


async def ways_of(there: Machine) -> list[FixAction]:
    """All that the page offers about what is not well."""
    return [way for found in await there.look() if not found.is_well for way in found.actions]


@pytest.mark.parametrize("online", [True, False])
@pytest.mark.parametrize("docker", sampled(Docker, every=6))
async def test_every_step_that_is_offered_leads_nearer_to_an_answer(
    docker: Docker, online: bool, tmp_path: Path
) -> None:
    homes = (tmp_path / str(n) for n in count())
    for searxng, ollama in ALL:
        async with machine(next(homes), docker, searxng, ollama, online=online) as there:
            offered = await ways_of(there)
        for way in offered:
            async with machine(next(homes), docker, searxng, ollama, online=online) as there:
                before = await there.missing()
                await there.take(way)
                assert await there.missing() < before, (searxng, ollama, way)


@pytest.mark.parametrize("online", [True, False])
@pytest.mark.parametrize("docker", sampled(Docker, every=6))
async def test_the_main_button_goes_on_until_a_question_can_be_asked(
    docker: Docker, online: bool, tmp_path: Path
) -> None:
    for n, (searxng, ollama) in enumerate(ALL):
        async with machine(tmp_path / str(n), docker, searxng, ollama, online=online) as there:
            taken: list[FixKind] = []
            while (step := main_step(*await there.look())) not in {FixKind.ASK, FixKind.TRY_SAMPLE}:
                (way,) = [way for way in await ways_of(there) if way.step is step]
                await there.take(way)
                assert step not in taken, "it leads in a circle"
                taken.append(step)
            # Without a network there is the sample web, which a test of its own asks.
            assert step is (FixKind.ASK if online else FixKind.TRY_SAMPLE), (searxng, ollama, taken)
            assert await there.missing() == (0 if online else there_is_left(there)), taken


def there_is_left(there: Machine) -> int:
    """What only a network can bring: a model, if there is none yet, and the search."""
    return 1 + {Ollama.NONE: 3, Ollama.EMPTY: 1, Ollama.READY: 0}[there.ollama]


@pytest.mark.parametrize("docker", Docker)
@pytest.mark.parametrize("searxng", [Searxng.NONE, Searxng.DOWN, Searxng.NO_JSON])
async def test_built_in_search_is_offered_with_its_consent_wherever_there_is_none(
    docker: Docker, searxng: Searxng, tmp_path: Path
) -> None:
    async with machine(tmp_path, docker, searxng, Ollama.READY, online=True) as there:
        _, search = await there.look()
    assert FixKind.ALLOW_SEARCH in [way.step for way in search.actions]
    assert " brave" in search.more
