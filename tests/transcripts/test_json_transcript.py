from __future__ import annotations

import json

from askance.domain.history import from_record
from askance.presentation.transcripts import as_json
from transcripts.past import AT, WHOLE, answered, only


def test_all_that_is_kept_of_a_conversation_is_written() -> None:
    # What could be a link to some reader is escaped; all else is as it was.
    whole = json.loads(as_json(WHOLE).replace(r"[lamp\\](x)", "[lamp](x)"))
    assert (whole["format"], whole["version"]) == ("askance-conversation", 1)
    assert (whole["id"], whole["created_at"], whole["updated_at"]) == (7, AT, AT)
    assert whole["title"] == "When was the *lamp* lit?"
    assert [e["text"] for e in whole["exchanges"]] == [e.text for e in WHOLE.exchanges]
    for written, exchange in zip(whole["exchanges"], WHOLE.exchanges, strict=True):
        assert [(r["at_s"], from_record(r)) for r in written["events"]] == [
            (timed.at_s, timed.event) for timed in exchange.events
        ]
        quote = exchange.quote.replace("<b>", "&lt;b>").replace("</b>", "&lt;/b>")
        assert (written["quote"], written["command"]) == (quote, exchange.command)
        assert (written["ended"], written["damage"]) == (exchange.ended, exchange.damage)


def test_any_text_can_be_written_in_any_encoding() -> None:
    text = as_json(only(answered("東京 \ud800 \x1b[2J")))
    assert text.isascii()
    assert json.loads(text)["exchanges"][0]["events"][0]["answer"] == "東京 \ud800 \x1b[2J"
