"""Downloads and offers of models in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askance.app.model_tiers import model_tiers
from askance.domain.downloads import DownloadPhase, FoundServer, ModelDownload
from askance.domain.messages import Message
from askance.presentation.model_words import (
    button_of,
    download_text,
    download_title,
    left_text,
    server_about,
    tier_about,
)

RUNNING = ModelDownload(
    "x", "Qwen3 4B", DownloadPhase.RUNNING, 1_100_000_000, 2_500_000_000, 9_400_000.0
)
WHY = Message("hub.example answered 503.")
SMALL, MEDIUM, LARGE = model_tiers()


@pytest.mark.parametrize(
    ("phase", "title", "says", "button"),
    [
        ("running", "Model", "1.1 of 2.5 GB · 9.4 MB/s · 2 min 29 s left", "Pause"),
        ("queued", "Model", "Waits for the other download.", "Pause"),
        ("connecting", "Model", "Connecting", "Pause"),
        ("checking", "Model", "Verifying", "Pause"),
        ("paused", "Paused", "1.1 of 2.5 GB, kept through a restart.", "Resume"),
        ("offline", "Offline", "No connection. It goes on by itself when there is one.", "Try now"),
        ("busy", "Model", "hub.example answered 503. It goes on by itself.", "Try now"),
        ("disk_full", "Disk full", "1.4 GB are needed and 1.3 GB are free. Small needs 1.1 GB.", "Try again"),
        ("damaged", "Damaged", "hub.example answered 503.", "Download again"),
        ("failed", "Failed", "hub.example answered 503.", "Try again"),
    ],
)  # fmt: skip
def test_each_state_is_one_sentence_and_one_button(
    phase: str, title: str, says: str, button: str
) -> None:
    shown = replace(RUNNING, phase=DownloadPhase(phase), problem=WHY, free_bytes=1_300_000_000)
    assert download_title(shown) == title
    assert download_text(shown, SMALL) == says
    assert button_of(shown.phase) == button


@pytest.mark.parametrize(
    ("pace", "says"),
    [(0, ""), (9.4e6, "2 min 29 s left"), (2e8, "7 s left"), (1.4e12, "1 s left"), (1e6, "23 min left"), (1e3, "")],
)  # fmt: skip
def test_the_time_that_is_left_is_said_as_far_as_it_can_be_known(pace: float, says: str) -> None:
    assert left_text(replace(RUNNING, bytes_per_s=pace)) == says


def test_tiers_say_what_they_are_good_for_and_how_long_an_answer_takes() -> None:
    said = [tier_about(tier, 52.0, has_card=False) for tier in (SMALL, MEDIUM, LARGE)]
    assert said == [
        "Short answers, quick on any laptop.",
        "Good for research. An answer in about 50 s here.",
        "Best answers, about 50 s here: no graphics card.",
    ]
    assert tier_about(LARGE, 9.0, has_card=True) == "Best answers. An answer in about 10 s here."
    assert tier_about(MEDIUM, 0.0, has_card=False) == "Good for research."
    assert tier_about(LARGE, 900.0, has_card=False) == "Better answers, and slow on this processor."


def test_a_server_says_where_it_is_and_how_fast_it_was() -> None:
    server = FoundServer("Jan", "openai", "http://127.0.0.1:1337", "wren", 3.0, words_per_s=17.6)
    assert server_about(server) == "127.0.0.1:1337 · about 18 words a second"
    assert server_about(replace(server, words_per_s=0.0)) == "127.0.0.1:1337"
