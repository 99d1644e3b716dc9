"""What somebody without a model sees of the sample web: the passage that answers, at the top."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import pytest

from askance.adapters.web_choice import SAMPLE_WEB
from askance.app.checks.parts import check_sample_web, settled
from askance.app.container import open_app
from askance.cli.commands.demo import DEMO_QUESTION
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import Answered, Failed, ignore
from askance.domain.messages import Remedy
from askance.sample_web.sample_server import SampleWeb, load_questions, serve_sample_web
from servers.faults import FAULTS, address_of_nobody
from servers.loopback import Handler, serve


@pytest.mark.timeout(180)
async def test_the_first_passage_answers_and_no_page_is_named_twice(tmp_path: Path) -> None:
    (question,) = [q for q in load_questions() if q.id == DEMO_QUESTION]
    settings = Settings.model_validate({"llm": {"url": address_of_nobody()}})
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    with serve_sample_web() as web:
        async with open_app(settings, folders, sample_web=web, eager=False) as app:
            end = await app.engine.run(RunRequest(question.question), emit=lambda _: None)
    assert isinstance(end, Answered)
    assert end.outcome is Outcome.PASSAGES_ONLY
    _, title, first, *rest = end.answer.split("\n\n")
    assert title == "**Weather records of Hesperay**"
    assert any(answer in first for answer in question.answers)
    blocks = [title, first, *rest]
    assert len({b for b in blocks if b[:2] == "**"}) == sum(b[:2] == "**" for b in blocks)
    # Tables are tables, and each thing that is quoted names its page.
    assert all("|" not in b or b.splitlines()[1].startswith("| ---") for b in blocks)
    assert all(f"[{c.n}]" in end.answer for c in end.citations)
    assert len(end.citations) >= sum(b[:2] == "> " for b in blocks)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_sample_web_that_fails_is_not_mended_like_a_searxng(
    tmp_path: Path, fault: Handler
) -> None:
    """This program serves it: neither `askance up` nor a setting helps, whatever failed."""
    settings = Settings.model_validate({"llm": {"url": address_of_nobody()}})
    impatient = settings.search.model_copy(update={"timeout_s": 0.5})
    settings = settings.model_copy(update={"search": impatient})
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    async with serve(fault) as engine:
        web = SampleWeb(engine.url, MappingProxyType({}), load_questions())
        async with open_app(settings, folders, sample_web=web, eager=False) as app:
            found = await settled("sample web", check_sample_web(app, "gust", ignore), 20.0)
            end = await app.engine.run(RunRequest("What is a gust?"), emit=ignore)
    assert isinstance(end, Failed)
    assert end.service == SAMPLE_WEB
    for fix in (found.fix, end.fix):
        assert fix
        assert not isinstance(fix, Remedy)
        assert "search." not in fix
