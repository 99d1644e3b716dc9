from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from askance.config.choices import ReaderMode
from askance.config.editing import describe, set_value
from askance.config.schema import MERGED, REMOVED, RENAMED, field_names
from askance.config.settings import Settings
from askance.config.sources import load, load_settings
from askance.domain.errors import SettingsError

# What a file of the previous version could say: every name that has changed or left, none as it
# takes no text.
PREVIOUS = """\
[llm]
num_ctx = 4096
longest_ctx = 16384
at_once = 2
connect_timeout_s = 3.0
max_context_tokens = 16384

[search]
at_once = 3
asked = 30
kept = 5
categories = "science"
concurrency = 3
results_per_query = 30
hints = true

[reader]
at_once = 7
batch_timeout_s = 20.0
retry_after_s = 1.0
max_redirects = 3
concurrency = 7
max_bytes = 1000000
worker_memory_mb = 512
workers = 4
selective = true
url_score_threshold = 0.5
max_urls_per_round = 5
container_only = true

[ranking]
title_weight = 3.0
k1 = 1.5
b = 0.5
rrf_k = 50

[evidence]
passage_words = 150
passages = 9
first_tokens = 1500
later_tokens = 900
per_page = 2
per_host = 3
near_copy = 0.7
always_judge_snippets = true
later_round_tokens = 900

[limits]
wall_clock_s = 120.0
plan_s = 20.0
model_tokens = 20000
max_model_tokens = 20000
pages_per_round = 5
later_pages_per_round = 3
enough_pages = 2
read_ahead = false
answer_reserve_s = 20.0
plan_timeout_s = 20.0

[library]
unanswered_minutes = 30
file_timeout_s = 30.0

[services]
cli = "podman"
start_limit_s = 60.0
startup_timeout_s = 60.0

[window]
motion = false

[embeddings]
batch_size = 8
min_similarity = 0.4
query_timeout_s = 3.0
timeout_s = 60.0
preset = "fast"
gguf = ""
folder = "/models/e5"
api = "onnx"
reranker = "server"
reranker_url = "http://127.0.0.1:9000"
reranker_folder = ""

[cache]
enabled = false
size_mb = 10

[trace]
enabled = false
keep = 5

[history]
enabled = false
keep_days = 30

[server]
max_body_kb = 64
max_requests = 9
max_waiting = 2
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def value_of(settings: Settings, name: str) -> Any:
    section, _, field = name.partition(".")
    return getattr(getattr(settings, section), field)


def variable_of(name: str) -> str:
    return f"ASKANCE_{name.upper().replace('.', '__')}"


def test_old_names_are_no_names_of_today_and_lead_to_such() -> None:
    known = set(field_names())
    assert not known & (RENAMED.keys() | MERGED.keys() | REMOVED)
    assert {*RENAMED.values(), *MERGED.values()} <= known
    assert len(set(RENAMED.values())) == len(RENAMED)


def test_a_file_of_the_previous_version_works_as_it_stands(file: Path) -> None:
    file.write_text(PREVIOUS, encoding="utf-8")
    notes: list[str] = []
    settings = load_settings(file, {}, note=notes.append)
    values = {
        f"{s}.{f}": v for s, fields in tomllib.loads(PREVIOUS).items() for f, v in fields.items()
    }
    assert values.keys() - field_names() == RENAMED.keys() | MERGED.keys() | REMOVED
    for old, new in RENAMED.items():
        assert value_of(settings, new) == values[old] != value_of(Settings(), new)
        assert f"{old} is called {new} now." in notes
    for name in REMOVED:
        assert f"{name} is no setting any more; it is passed over." in notes
    for name in MERGED:
        assert f"{name} is part of {MERGED[name]} now." in notes
    assert len(notes) == len(values.keys() - field_names())
    assert settings.reader.mode is ReaderMode.CONTAINER_ONLY
    assert (settings.embeddings.path, settings.embeddings.reranker) == (
        "/models/e5",
        "http://127.0.0.1:9000",
    )
    assert (settings.cache.size_mb, settings.trace.keep, settings.history.days) == (0, 0, 0)
    assert file.read_text(encoding="utf-8") == PREVIOUS


def test_old_names_count_in_every_source(file: Path) -> None:
    file.write_text("[search]\nkept = 3\n", encoding="utf-8")
    assert load_settings(file, {}).search.max_results == 3
    environment = {"ASKANCE_SEARCH__KEPT": "4"}
    loaded = load(file, environment)
    settings, origins = loaded.settings, loaded.origins
    assert (settings.search.max_results, origins["search.max_results"]) == (
        4,
        "ASKANCE_SEARCH__KEPT",
    )
    assert load_settings(file, environment, {"search.kept": "5"}).search.max_results == 5


@pytest.mark.parametrize(
    "order", [("kept = 3", "max_results = 4"), ("max_results = 4", "kept = 3")]
)
def test_where_a_source_has_both_names_the_new_one_wins(file: Path, order: tuple[str, str]) -> None:
    file.write_text("[search]\n" + "\n".join(order), encoding="utf-8")
    notes: list[str] = []
    assert load_settings(file, {}, note=notes.append).search.max_results == 4
    assert notes == ["search.kept is called search.max_results now."]
    both = {"ASKANCE_SEARCH__KEPT": "6", "ASKANCE_SEARCH__MAX_RESULTS": "7"}
    assert load_settings(file, both).search.max_results == 7
    typed = {"search.kept": "8", "search.max_results": "9"}
    assert load_settings(file, both, typed).search.max_results == 9


def test_an_old_name_in_a_stronger_source_wins_over_a_new_one_in_a_weaker(file: Path) -> None:
    file.write_text("[search]\nmax_results = 3\n", encoding="utf-8")
    assert load_settings(file, {"ASKANCE_SEARCH__KEPT": "4"}).search.max_results == 4


def test_what_is_no_setting_any_more_is_passed_over_whatever_it_is(file: Path) -> None:
    file.write_text("[ranking]\nk1 = 'x'\n", encoding="utf-8")
    environment = {variable_of(name): "x" for name in REMOVED}
    assert load_settings(file, environment, dict.fromkeys(REMOVED, "x")) == Settings()


def test_a_wrong_value_under_an_old_name_is_explained_under_the_new_one(file: Path) -> None:
    file.write_text("[search]\nkept = 99\n", encoding="utf-8")
    notes: list[str] = []
    assert load_settings(file, {}, note=notes.append).search.max_results == 10
    assert "settings.toml: search.max_results = 99 is not allowed" in notes[-1]


@pytest.mark.parametrize("name", ["search.kept", "search.max_results"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# mine\n[search] # here\n# kept = few\nkept = 3  # was kept = 3\nqueries = 1\n",
            "# mine\n[search] # here\n# kept = few\nmax_results = 7  # was kept = 3\nqueries = 1\n",
        ),
        ("search.kept = 3\nsearch.queries = 1\n", "search.max_results = 7\nsearch.queries = 1\n"),
        ("search = { kept = 3, queries = 1 }\n", "search = { max_results = 7, queries = 1 }\n"),
        ('["search"]\r\n"kept" = 3\r\n', '["search"]\r\n"max_results" = 7\r\n'),
        ("[search]\nkept = 3\nmax_results = 4\n", "[search]\nmax_results = 7\n"),
        ('[search]\n"kep\\u0074" = 3\nqueries = 1\n', "[search]\nqueries = 1\nmax_results = 7\n"),
    ],
)
def test_the_new_name_takes_the_place_of_the_old_one(
    file: Path, name: str, before: str, after: str
) -> None:
    file.write_bytes(before.encode())
    assert set_value(name, "7", file) == 7
    assert file.read_bytes().decode() == after


def test_other_old_names_in_the_file_stay(file: Path) -> None:
    file.write_text(PREVIOUS, encoding="utf-8")
    set_value("services.runtime", "docker", file)
    assert file.read_text(encoding="utf-8") == PREVIOUS.replace(
        'cli = "podman"', 'runtime = "docker"'
    )


def test_what_is_no_setting_any_more_is_not_written(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"ranking\.k1 "):
        set_value("ranking.k1", "1", file)
    assert not file.exists()


def test_a_setting_is_described_under_its_new_name(file: Path) -> None:
    file.write_text("[search]\nkept = 3\n", encoding="utf-8")
    notes: list[str] = []
    setting = describe("search.kept", file, {}, notes.append)
    assert (setting.name, setting.value, setting.origin) == ("search.max_results", 3, str(file))
    assert notes == ["search.kept is called search.max_results now."]


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("[reader]\ncontainer_only = true\nmode = 'inprocess'", "reader.mode", "container_only"),
        ("[reader]\ncontainer_only = false\nmode = 'inprocess'", "reader.mode", "inprocess"),
        ("[reader]\ncontainer_only = false", "reader.mode", "auto"),
        ("[reader]\ncontainer_only = 'maybe'\nmode = 'auto'", "reader.mode", "container_only"),
        ("[trace]\nenabled = true\nkeep = 5", "trace.keep", 5),
        ("[history]\nenabled = true\nkeep_days = 30", "history.days", 30),
        ("[history]\nenabled = false\nkeep_days = 30", "history.days", 0),
        ("[history]\nenabled = false\ndays = 30", "history.days", 0),
        ("[history]\nkeep_days = 0", "history.days", 36_500),
        ("[history]\nkeep_days = 0\ndays = 7", "history.days", 7),
        ("[trace]\nenabled = 'maybe'\nkeep = 5", "trace.keep", 0),
        ("[cache]\nenabled = 'no'", "cache.size_mb", 0),
        ("[embeddings]\napi = 'embedded'\ngguf = 'a'\nfolder = 'b'", "embeddings.path", "a"),
        ("[embeddings]\napi = 'static'\ngguf = 'a'\nfolder = 'b'", "embeddings.path", "b"),
        ("[embeddings]\ngguf = 'a'\npath = 'c'", "embeddings.path", "c"),
        ("[embeddings]\nreranker = 'server'", "embeddings.reranker", "http://127.0.0.1:8080"),
        (
            "[embeddings]\nreranker = 'server'\nreranker_url = 'box:9'",
            "embeddings.reranker",
            "http://box:9",
        ),
        (
            "[embeddings]\nreranker = 'onnx'\nreranker_folder = '/x'",
            "embeddings.reranker",
            "/x",
        ),
        ("[embeddings]\nreranker = 'none'\nreranker_folder = '/x'", "embeddings.reranker", ""),
        ("[embeddings]\nreranker_url = 'http://box:9'", "embeddings.reranker", ""),
        (
            "[embeddings]\nreranker = 'http://box:9/v1/rerank'",
            "embeddings.reranker",
            "http://box:9",
        ),
    ],
)
def test_what_is_part_of_another_setting_now_does_what_it_did(
    file: Path, text: str, name: str, value: object
) -> None:
    file.write_text(text, encoding="utf-8")
    assert value_of(load_settings(file, {}), name) == value


def test_what_guards_something_holds_across_the_sources(file: Path) -> None:
    file.write_text("[reader]\ncontainer_only = true\n[trace]\nenabled = false\n", encoding="utf-8")
    environment = {"ASKANCE_READER__MODE": "inprocess", "ASKANCE_TRACE__KEEP": "9"}
    loaded = load(file, environment)
    settings, origins = loaded.settings, loaded.origins
    assert (settings.reader.mode, settings.trace.keep) == (ReaderMode.CONTAINER_ONLY, 0)
    assert origins["reader.mode"] == str(file)
    environment["ASKANCE_READER__CONTAINER_ONLY"] = "false"
    assert load_settings(file, environment).reader.mode is ReaderMode.INPROCESS
    with pytest.raises(SettingsError, match=r"ASKANCE_TRACE__ENABLED: trace\.keep"):
        load_settings(None, {"ASKANCE_TRACE__ENABLED": "maybe"})


def test_where_a_setting_is_written_what_is_part_of_it_leaves_the_file(file: Path) -> None:
    file.write_text(
        "[reader]\ncontainer_only = true # mine\nurl = 'http://box'\n", encoding="utf-8"
    )
    assert set_value("reader.mode", "auto", file) == "auto"
    assert file.read_text(encoding="utf-8") == "[reader]\nurl = 'http://box'\nmode = \"auto\"\n"
    with pytest.raises(SettingsError, match=r"part of reader\.mode"):
        set_value("reader.container_only", "true", file)
