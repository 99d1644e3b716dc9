"""A page that was read while the judge still thought."""

from __future__ import annotations

import asyncio
import json
from datetime import date

from askance.config.settings import Settings
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import Answered, GapFound, PageRead, PassagesSelected, RunEvent
from askance.engine.prompts import Prompts
from askance.engine.run import Engine
from fakes.model import ScriptedModel
from fakes.reader import ScriptedReader, page
from fakes.search import ScriptedSearch, result
from servers.model_script import plan, verdict

QUESTION = "In which harbour town was the founder of the Velmar Ferry Company born?"
FILLER = (
    "The timetable of the lines changed in spring, when boats left twice a day and carried mail. "
    * 6
)
FIRST = ("https://velmar.example/", "https://lines.example/")
LATE = "https://oda.example/"
SECOND = (LATE, *(f"https://{name}.example/" for name in ("street", "name", "hall")))
TEXTS = {
    FIRST[0]: f"The Velmar Ferry Company was founded in 1911 by Oda Brennik. {FILLER}",
    FIRST[1]: f"Ferry lines of the north carried many people. {FILLER}",
    LATE: f"Oda Brennik was born in the harbour town of Skarholt in 1874. {FILLER}",
    SECOND[1]: f"Brennik Street is a street with shops. {FILLER}",
    SECOND[2]: f"Oda is a given name. {FILLER}",
    SECOND[3]: f"Brennik Hall is a hall for concerts. {FILLER}",
}


async def test_it_is_taken_in_before_the_run_gives_up(prompts: Prompts) -> None:
    release, arrived = asyncio.Event(), asyncio.Event()
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, PassagesSelected) and any(isinstance(e, GapFound) for e in events):
            release.set()
        if isinstance(event, PageRead) and event.url == LATE:
            arrived.set()

    wants_more = verdict("partial", "Oda Brennik")
    model = ScriptedModel.by_role(
        plan=[plan(QUESTION)],
        # The last is a second opinion.
        judge=[
            wants_more,
            [arrived, json.dumps(wants_more)],
            verdict("sufficient"),
            verdict("sufficient"),
        ],
        answer=["Oda Brennik was born in Skarholt [1]."],
    )
    search = ScriptedSearch({
        QUESTION: [result(url, TEXTS[url][:40], TEXTS[url][:60]) for url in FIRST],
        "Oda Brennik": [result(url, TEXTS[url][:40], TEXTS[url][:60]) for url in SECOND],
    })  # fmt: skip
    reader = ScriptedReader(
        {url: page(url, text, text[:40]) for url, text in TEXTS.items()}, holds={LATE: release}
    )
    engine = Engine(model, search, reader, prompts, Settings(), lambda: date(2026, 11, 29))
    end = await engine.run(RunRequest(QUESTION), emit=emit)
    assert isinstance(end, Answered)
    assert end.outcome is Outcome.WEB
    assert "Skarholt" in "".join(message.content for message in model.calls[-1].messages)
