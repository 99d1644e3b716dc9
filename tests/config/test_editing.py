from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from askance.config.editing import describe, reset_value, set_value
from askance.config.settings import Settings, allowed, field_names, help_text, parse_name
from askance.config.sources import load_settings
from askance.domain.errors import SettingsError
from sampled import each_row

WRITTEN = """\
# My settings
[trace]
# fewer is enough for me
keep = 3  # was 200

[limits]
rounds = 2
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "settings.toml"
    file.write_text(WRITTEN, encoding="utf-8")
    return file


def test_comments_and_order_stay(file: Path) -> None:
    assert set_value("trace.keep", "7", file) == 7
    assert file.read_text(encoding="utf-8") == WRITTEN.replace("keep = 3", "keep = 7")


def test_a_new_setting_joins_its_section(file: Path) -> None:
    set_value("limits.run_timeout_s", "90", file)
    text = file.read_text(encoding="utf-8")
    assert text.index("[limits]") < text.index("run_timeout_s = 90")
    assert load_settings(file, {}).limits.run_timeout_s == 90


@pytest.mark.parametrize(
    ("name", "text", "line", "value"),
    [
        ("llm.api", "openai", 'api = "openai"', "openai"),
        ("llm.think", "on", "think = true", True),
        ("llm.temperature", "1", "temperature = 1.0", 1.0),
        ("llm.model", 'a"b', None, 'a"b'),
        (
            "server.hosts",
            "a.example, b.lan",
            'hosts = ["a.example", "b.lan"]',
            ("a.example", "b.lan"),
        ),
        ("server.hosts", "", "hosts = []", ()),
        ("reader.url", "http://127.0.0.1:9/", 'url = "http://127.0.0.1:9"', "http://127.0.0.1:9"),
        ("search.language", "日本語\\", None, "日本語\\"),
    ],
)
def test_a_value_is_written_in_its_own_type(
    file: Path, name: str, text: str, line: str | None, value: Any
) -> None:
    assert set_value(name, text, file) == value
    assert describe(name, file, {}).value == value
    if line is not None:
        assert line in file.read_text(encoding="utf-8").splitlines()


def test_a_missing_file_is_made_with_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config" / "settings.toml"
    set_value("trace.keep", "5", file)
    assert file.read_text(encoding="utf-8") == "[trace]\nkeep = 5\n"
    assert [entry.name for entry in file.parent.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    "content",
    [
        "trace.keep = 3\n",
        "trace = { keep = 3 }\n",
        '["trace"]\n"keep" = 3\n',
        "[trace]\r\nkeep = 3\r\n",
    ],
)
def test_other_ways_of_writing_a_table_stay_as_they_are(tmp_path: Path, content: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(content.encode())
    set_value("trace.keep", "7", file)
    assert file.read_bytes().decode() == content.replace("3", "7")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("trace.keep", "-1", "it must be a whole number from 0 to 100000"),
        ("trace.keep", "many", "it must be a whole number from 0 to 100000"),
        ("llm.load_timeout_s", "0", "it must be a number above 0 and at most 3600"),
        ("llm.api", "gemini", "it must be one of ollama, openai, embedded"),
        ("search.url", "localhost", "it must begin with http:// or https://"),
        ("trace.kep", "3", "Did you mean trace.keep?"),
        ("trce.keep", "5", "Did you mean trace.keep?"),
    ],
)
def test_a_wrong_value_is_explained_and_changes_nothing(
    file: Path, name: str, text: str, words: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        set_value(name, text, file)
    assert words in str(caught.value)
    assert file.read_text(encoding="utf-8") == WRITTEN


@pytest.mark.parametrize(
    "odd", ["rounds = 99", "rouns = 2", "rounds = 2\n[voice]\nenabled = true", "[limits.x]\ny = 1"]
)
def test_lines_that_are_not_understood_stay_where_another_is_changed(file: Path, odd: str) -> None:
    broken = WRITTEN.replace("rounds = 2", odd)
    file.write_text(broken, encoding="utf-8")
    assert set_value("trace.keep", "7", file) == 7
    changed = broken.replace("keep = 3", "keep = 7")
    assert file.read_text(encoding="utf-8") == changed


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ("trace = 3\n", "cannot be edited"),
        ("[[trace]]\nkeep = 3\n", "cannot be edited"),
        ("[trace\n", "TOML"),
    ],
)
def test_what_cannot_be_edited_is_left_alone(file: Path, odd: str, why: str) -> None:
    file.write_text(odd, encoding="utf-8")
    with pytest.raises(SettingsError, match=why):
        set_value("trace.keep", "7", file)
    assert file.read_text(encoding="utf-8") == odd


def test_setting_it_mends_a_wrong_value(file: Path) -> None:
    file.write_text(WRITTEN.replace("rounds = 2", "rounds = 99"), encoding="utf-8")
    set_value("limits.rounds", "2", file)
    assert file.read_text(encoding="utf-8") == WRITTEN


def test_a_folder_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file", encoding="utf-8")
    with pytest.raises(SettingsError, match="cannot be"):
        set_value("trace.keep", "7", tmp_path / "config" / "settings.toml")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full: run it on Linux")
def test_a_full_disk_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, mode: str) -> Any:
        os.close(handle)
        return Path("/dev/full").open(mode)

    monkeypatch.setattr("askance.config.private_files.os.fdopen", full)
    with pytest.raises(SettingsError, match=os.strerror(errno.ENOSPC)):
        set_value("trace.keep", "7", file)
    assert file.read_text(encoding="utf-8") == WRITTEN
    assert [entry.name for entry in file.parent.iterdir()] == ["settings.toml"]


@pytest.mark.skipif(
    os.name == "nt", reason="Windows has other permissions and links: run it on Linux or macOS"
)
def test_a_link_stays_a_link_and_permissions_stay(tmp_path: Path, file: Path) -> None:
    file.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    set_value("trace.keep", "7", link)
    assert link.is_symlink()
    assert "keep = 7" in file.read_text(encoding="utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_setting_is_described_with_all_a_person_needs(file: Path) -> None:
    setting = describe("trace.keep", file, {})
    assert (setting.value, setting.default, setting.origin) == (3, 200, str(file))
    assert setting.allowed == "a whole number from 0 to 100000"
    assert setting.help.startswith("Traces kept")


def test_the_origin_tells_what_is_in_force(file: Path) -> None:
    assert describe("llm.load_timeout_s", file, {}).origin == "default"
    over = describe("trace.keep", file, {"ASKANCE_TRACE__KEEP": "9"})
    assert (over.value, over.origin) == (9, "ASKANCE_TRACE__KEEP")
    assert describe("llm.api", file, {}).value == "ollama"


@each_row("name", field_names())
def test_every_setting_has_help_bounds_and_a_default_within_them(name: str) -> None:
    section, field = parse_name(name)
    assert help_text(section, field).endswith(".")
    assert allowed(section, field)
    assert "None" not in allowed(section, field)
    default = getattr(getattr(Settings(), section), field)
    assert load_settings(Path("none"), {}, {name: default}) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("llm.api_key", "sesame"),
        ("embeddings.api_key", "sesame"),
        ("library.qdrant_key", "hush"),
        ("llm.url", "http://bob:s3cret@h.example:1"),
    ],
)
def test_a_file_with_a_secret_is_for_its_owner_alone(file: Path, name: str, value: str) -> None:
    file.chmod(0o644)
    set_value("search.safesearch", "1", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    set_value(name, value, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_key_is_never_shown(file: Path) -> None:
    set_value("llm.api_key", "sesame", file)
    settings = load_settings(file, {})
    assert settings.llm.api_key.get_secret_value() == "sesame"
    shown = f"{settings!r} {settings.model_dump_json()} {describe('llm.api_key', file, {}).value}"
    assert "sesame" not in shown
    for key in ("two words", "zwölf", 12345):
        with pytest.raises(SettingsError) as caught:
            load_settings(None, {}, {"llm.api_key": key})
        assert str(key) not in f"{caught.value.problem} {caught.value.fix}"
    assert (
        load_settings(
            None, {"ASKANCE_LLM__API_KEY": "Bearer sesame "}
        ).llm.api_key.get_secret_value()
        == "sesame"
    )


def test_a_password_in_a_refused_address_is_not_said_again() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(None, {}, {"llm.url": "http://bob:s3cret@h.example:99999"})
    assert "h.example" in caught.value.problem
    assert "s3cret" not in caught.value.problem


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("HTTP://127.0.0.1:1234", "http://127.0.0.1:1234"),
        (" http://127.0.0.1:1234/ ", "http://127.0.0.1:1234"),
        ('"http://127.0.0.1:1234"', "http://127.0.0.1:1234"),
        ("localhost:1234", "http://localhost:1234"),
        ("[::1]:1234/v1", "http://[::1]:1234"),
        ("gpu.lan:1234", "http://gpu.lan:1234"),
        ("http://h.example/llm/v1/chat/completions", "http://h.example/llm"),
        ("https://h.example/v1/models", "https://h.example"),
        ("http://h.example/api/chat", "http://h.example/api"),
        ("http://h.example/models", "http://h.example"),
        ("http://h.example/v1/mine", "http://h.example/v1/mine"),
    ],
)
def test_an_address_of_a_model_server_is_understood(written: str, meant: str) -> None:
    assert load_settings(None, {}, {"llm.url": written}).llm.url == meant


@pytest.mark.parametrize(
    "written", ["", "models", "ftp://h.example", "http:/h", "http://", "http://h:0", "two words"]
)
def test_what_is_no_address_is_refused_in_one_sentence(written: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(None, {}, {"llm.url": written})
    assert caught.value.problem.count(".") <= 3


def test_what_measurements_are_kept_under_has_no_password() -> None:
    settings = load_settings(None, {}, {"llm.url": "http://bob:s3cret@h.example:1"})
    assert settings.llm.server == "http://h.example:1"


def test_a_setting_that_is_reset_leaves_the_file_and_the_rest_stays(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("# mine\n[limits]\nrounds = 2  # few\nrun_timeout_s = 60\n", encoding="utf-8")
    for name in ("limits.run_timeout_s", "window.theme"):
        reset_value(name, file)
        assert file.read_text("utf-8") == "# mine\n[limits]\nrounds = 2  # few\n"
    assert describe("limits.run_timeout_s", file, {}).value == 0
