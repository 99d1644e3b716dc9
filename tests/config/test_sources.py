from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from askance.app.checks.parts import check_proxies
from askance.config.choices import LlmApi, Verification
from askance.config.editing import set_value
from askance.config.folders import find_folders
from askance.config.settings import Settings, field_names, parse_name
from askance.config.sources import (
    address_of_ollama,
    environment_proxy,
    load,
    load_settings,
    unused_proxy,
)
from askance.domain.errors import SettingsError
from askance.domain.messages import FixKind, Message, Remedy, fix_of
from askance.ui.settings.source import SettingsSource


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def wrong(
    file: Path,
    environment: dict[str, str] | None = None,
    overrides: dict[str, object] | None = None,
) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(file, environment or {}, overrides)
    return str(caught.value)


def test_without_sources_the_defaults_are_in_force(file: Path, tmp_path: Path) -> None:
    assert load_settings(file, {"PATH": "/bin", "ASKANCE_HOME": str(tmp_path)}) == Settings()


def test_the_file_yields_to_the_environment_and_that_to_the_command_line(file: Path) -> None:
    file.write_text(
        "[llm]\ncontext_tokens = 3000\nload_timeout_s = 30\nidle_timeout_s = 1\n", encoding="utf-8"
    )
    environment = {"ASKANCE_LLM__CONTEXT_TOKENS": "4000", "ASKANCE_LLM__LOAD_TIMEOUT_S": "40"}
    loaded = load(file, environment, {"llm.context_tokens": 5000})
    llm = loaded.settings.llm
    assert (llm.context_tokens, llm.load_timeout_s, llm.idle_timeout_s) == (5000, 40, 1)
    assert llm.temperature == Settings().llm.temperature
    assert loaded.origins == {
        "llm.context_tokens": "the command line",
        "llm.load_timeout_s": "ASKANCE_LLM__LOAD_TIMEOUT_S",
        "llm.idle_timeout_s": str(file),
    }


def test_values_are_read_by_their_type(file: Path) -> None:
    settings = load_settings(
        file,
        {
            "ASKANCE_LLM__API": "openai",
            "ASKANCE_LLM__THINK": "yes",
            "ASKANCE_LLM__TEMPERATURE": "0.7",
            "ASKANCE_SERVER__HOSTS": "a.example, b.example,",
            "ASKANCE_SEARCH__URL": "http://127.0.0.1:9/searx/",
        },
    )
    assert settings.llm.api is LlmApi.OPENAI
    assert settings.llm.think is True
    assert settings.llm.temperature == 0.7
    assert settings.server.hosts == ("a.example", "b.example")
    assert settings.search.url == "http://127.0.0.1:9/searx"


@pytest.mark.parametrize("value", ["0", "11", "many", "2.5", ""])
def test_a_value_out_of_bounds_is_told_the_bounds(file: Path, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(file, {"ASKANCE_LIMITS__ROUNDS": value})
    bounds = "a whole number from 1 to 10"
    for text in ("ASKANCE_LIMITS__ROUNDS: limits.rounds = ", repr(value), bounds):
        assert text in caught.value.problem
    assert "askance config show limits.rounds" in caught.value.fix


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("llm.api", "gemini", "one of ollama, openai, embedded"),
        ("llm.think", "perhaps", "true or false"),
        ("llm.load_timeout_s", 0, "a number above 0 and at most 3600"),
        ("llm.load_timeout_s", float("nan"), "a number above 0 and at most 3600"),
        ("llm.context_tokens", 1, "a whole number from 1024 to 1000000"),
        ("llm.temperature", 2.1, "a number from 0 to 2"),
        ("search.engines", 7, "text"),
        ("server.hosts", 8080, "text, separated by commas"),
    ],
)
def test_each_kind_of_value_is_explained_in_plain_words(
    file: Path, name: str, value: object, words: str
) -> None:
    text = wrong(file, overrides={name: value})
    assert text.startswith(f"{name} = ")
    assert text.count(words) == 1


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080",
        "ftp://x",
        "http://",
        "http://:80",
        "http://a:99999",
        "http://[a",
        "http://a:b",
    ],
)
def test_an_address_must_be_one(file: Path, url: str) -> None:
    text = wrong(file, overrides={"search.url": url})
    assert f"search.url = {url!r} " in text


@pytest.mark.parametrize(
    ("search", "pages", "used"),
    [
        ("", "", ""),
        ("socks5h://127.0.0.1:9050", "", "socks5h://127.0.0.1:9050"),
        ("socks5h://127.0.0.1:9050", "direct", ""),
        ("socks5h://127.0.0.1:9050", "http://10.1.2.3:3128", "http://10.1.2.3:3128"),
        ("", "socks5://127.0.0.1:9050/", "socks5://127.0.0.1:9050"),
        ("", "direct", ""),
    ],
)
def test_pages_go_the_way_of_the_search_unless_they_have_their_own(
    file: Path, search: str, pages: str, used: str
) -> None:
    environment = {"ASKANCE_SEARCH__PROXY": search, "ASKANCE_READER__PROXY": pages}
    settings = load_settings(file, environment)
    assert settings.page_reader.proxy == used
    assert settings.page_reader == settings.reader.model_copy(update={"proxy": used})


def test_an_empty_proxy_is_none(file: Path) -> None:
    assert load_settings(file, {"ASKANCE_READER__PROXY": ""}).reader.proxy == ""
    assert "begin with http" in wrong(file, overrides={"reader.proxy": "127.0.0.1:8080"})


def test_all_wrong_values_are_told_at_once(file: Path) -> None:
    text = wrong(file, {"ASKANCE_TRACE__KEEP": "-1", "ASKANCE_LIMITS__ROUNDS": "99"})
    assert "ASKANCE_LIMITS__ROUNDS: limits.rounds = '99'" in text
    assert "ASKANCE_TRACE__KEEP: trace.keep = '-1'" in text


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("ASKANCE_LIMITS__ROUND", " limits.rounds?"),
        ("ASKANCE_LLM_MODEL", " llm.model?"),
        ("ASKANCE_LLM", " llm.url?"),
        ("ASKANCE_QUITE__OTHER", "config show"),
        ("ASKANCE_", "config show"),
    ],
)
def test_an_unknown_variable_is_named_and_the_nearest_offered(
    file: Path, variable: str, hint: str
) -> None:
    text = wrong(file, {variable: "x"})
    assert text.startswith(f"{variable}: ")
    assert hint in text
    assert " search.url?" in wrong(file, overrides={"serch.url": "http://a"})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[search\nkept = 3", "not valid TOML"),
        (b"[search]\nrounds = 3\nrounds = 4", "not valid TOML"),
        (b"[search]\nlanguage = '\xff'", "not UTF-8: invalid start byte at byte 21"),
    ],
)
def test_a_broken_file_is_named(file: Path, content: bytes, words: str) -> None:
    file.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        load_settings(file, {})
    assert words in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert re.search(f"{re.escape(str(tmp_path))} .*: it is no regular file", wrong(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes: run it on POSIX")
def test_a_pipe_is_not_waited_for(file: Path) -> None:
    os.mkfifo(file)
    assert "it is no regular file" in wrong(file)


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf[limits]\r\nrounds = 3\r\n")
    assert load_settings(file, {}).limits.rounds == 3


def test_every_setting_has_a_name_that_is_known() -> None:
    names = field_names()
    assert len(names) == len(set(names)) > 50
    assert {parse_name(name) for name in names} >= {("llm", "model"), ("trace", "keep")}


def test_one_folder_holds_everything_where_home_is_set(tmp_path: Path) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    assert folders.settings_file == tmp_path / "config" / "settings.toml"
    assert folders.traces == tmp_path / "data" / "traces"
    assert {folders.cache.parent, folders.runtime.parent} == {tmp_path}


def test_a_tilde_in_home_is_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME" if os.name != "nt" else "USERPROFILE", str(tmp_path))
    assert find_folders({"ASKANCE_HOME": "~/askance"}).data == tmp_path / "askance" / "data"


def test_without_home_the_platforms_folders_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    # No warning either: platformdirs gives one where XDG_RUNTIME_DIR is not set.
    folders = find_folders({"ASKANCE_HOME": ""})
    assert folders.config.name == "askance"
    assert folders.settings_file.is_absolute()


@pytest.mark.parametrize("value", ["5m", "1h30m", "1.5h", "-1", "0", "600", "300ms", "-5m", " 1h "])
def test_a_keep_alive_is_what_ollama_takes_for_a_duration(file: Path, value: str) -> None:
    settings = load_settings(file, {"ASKANCE_LLM__KEEP_ALIVE": value})
    assert settings.llm.keep_alive == value.strip()


@pytest.mark.parametrize("written", ["-1", "0", "1.5"])
def test_a_keep_alive_may_be_a_number_in_the_file(file: Path, written: str) -> None:
    file.write_text(f"[llm]\nkeep_alive = {written}\n", encoding="utf-8")
    assert load_settings(file, {}).llm.keep_alive == written


@pytest.mark.parametrize("value", ["abc", "", "m", "5 m", "5min", "1d", "--1", "1e9", "٣m"])
def test_what_is_no_duration_is_refused_before_any_call(file: Path, value: str) -> None:
    text = wrong(file, {"ASKANCE_LLM__KEEP_ALIVE": value})
    assert "llm.keep_alive" in text
    assert "30m" in text


@pytest.mark.parametrize("written", ["true", '"abc"', "[1]", "1e30"])
def test_no_other_value_in_the_file_is_a_duration(file: Path, written: str) -> None:
    file.write_text(f"[llm]\nkeep_alive = {written}\n", encoding="utf-8")
    notes: list[str] = []
    settings = load_settings(file, {}, note=notes.append)
    assert settings.llm.keep_alive == Settings().llm.keep_alive
    assert "llm.keep_alive" in notes[0]


@pytest.mark.parametrize("written", ["sometimes", "", "2", "[]"])
def test_what_is_no_choice_of_verification_names_the_three(file: Path, written: str) -> None:
    reported = wrong(file, {"ASKANCE_ANSWER__VERIFY": written})
    assert "answer.verify" in reported
    assert all(choice in reported for choice in Verification)


def test_whether_nobody_has_set_verification_is_known() -> None:
    assert "verify" not in load_settings(None, {}).answer.model_fields_set
    text = load_settings(None, {"ASKANCE_ANSWER__VERIFY": "auto"})
    assert (text.answer.verify, text.answer.model_fields_set) == (Verification.AUTO, {"verify"})


PROXY = "http://127.0.0.1:21480"


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, ("", "")),
        ({"HTTPS_PROXY": PROXY, "HTTP_PROXY": "http://a.example:1"}, ("HTTPS_PROXY", PROXY)),
        ({"https_proxy": "10.0.0.1:3128"}, ("https_proxy", "http://10.0.0.1:3128")),
        ({"ALL_PROXY": "socks5h://127.0.0.1:9050/"}, ("ALL_PROXY", "socks5h://127.0.0.1:9050")),
        ({"HTTPS_PROXY": "", "http_proxy": PROXY}, ("http_proxy", PROXY)),
        ({"HTTPS_PROXY": "ftp://x", "ALL_PROXY": PROXY}, ("ALL_PROXY", PROXY)),
        ({"NO_PROXY": "*"}, ("", "")),
    ],
)
def test_the_environment_may_name_a_proxy(
    environment: dict[str, str], found: tuple[str, str]
) -> None:
    assert environment_proxy(environment) == found


@pytest.mark.parametrize(
    "values",
    [{"search": {"proxy": PROXY}}, {"reader": {"proxy": PROXY}}, {"reader": {"proxy": "direct"}}],
)
def test_whoever_has_chosen_a_way_is_not_told_of_another(values: dict[str, object]) -> None:
    settings = Settings.model_validate(values)
    assert unused_proxy(settings, {"HTTPS_PROXY": PROXY}) == ("", "")


async def test_it_is_said_that_it_is_not_used_and_what_uses_it() -> None:
    finding = await check_proxies(Settings(), {"HTTPS_PROXY": PROXY})
    assert not finding.ok
    assert "not used" in finding.message
    assert f"askance config set search.proxy {PROXY}" in finding.fix
    secret = await check_proxies(Settings(), {"HTTPS_PROXY": "http://me:hush@proxy.example:1"})
    assert "hush" not in secret.message + secret.fix
    assert (await check_proxies(Settings(), {})).ok


def test_a_click_takes_it_over() -> None:
    fix = Remedy("Do it.", command="askance config set search.proxy", setting="search.proxy")
    assert fix_of(fix) is FixKind.USE_PROXY
    assert fix_of(Message("Do it.")) is None


DEFAULT = "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    ("variable", "address"),
    [
        ("", ""),
        ("  ", ""),
        ("attic", "http://attic:11434"),
        ("attic:8080", "http://attic:8080"),
        ("192.0.2.7:11500", "http://192.0.2.7:11500"),
        (":11500", "http://127.0.0.1:11500"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - an address to be read
        ("0.0.0.0:11500", "http://127.0.0.1:11500"),
        ("[::]:11500", "http://[::1]:11500"),
        ("[::1]", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("http://attic", "http://attic:80"),
        ("https://attic.example/ollama/", "https://attic.example:443/ollama"),
        ("https://attic.example:8443", "https://attic.example:8443"),
        ('"attic:8080"', "http://attic:8080"),
        ("ftp://attic", ""),
        ("attic:port", ""),
        ("attic:99999", ""),
    ],
)
def test_it_is_read_as_ollama_reads_it(variable: str, address: str) -> None:
    assert address_of_ollama({"OLLAMA_HOST": variable}) == address


def test_it_stands_for_the_default_and_is_named_as_the_origin() -> None:
    loaded = load(None, {"OLLAMA_HOST": "127.0.0.1:11500"})
    settings, origins = loaded.settings, loaded.origins
    assert settings.llm.url == "http://127.0.0.1:11500"
    assert origins == {"llm.url": "OLLAMA_HOST"}
    assert load_settings(None, {}).llm.url == DEFAULT


def test_every_setting_of_askance_wins_over_it(tmp_path: Path) -> None:
    ollama = {"OLLAMA_HOST": "127.0.0.1:11500"}
    file = tmp_path / "settings.toml"
    file.write_text('[llm]\nurl = "http://127.0.0.1:1"\n', "utf-8")
    assert load_settings(file, ollama).llm.url == "http://127.0.0.1:1"
    variable = {**ollama, "ASKANCE_LLM__URL": "http://127.0.0.1:2"}
    assert load_settings(file, variable).llm.url == "http://127.0.0.1:2"
    overrides = {"llm.url": "http://127.0.0.1:3"}
    assert load_settings(file, ollama, overrides).llm.url == "http://127.0.0.1:3"


SECRET = "hush-hush-hush"  # noqa: S105 - it opens nothing
ENVIRONMENT = {
    "ASKANCE_LIBRARY__QDRANT_KEY": SECRET,
    "ASKANCE_LLM__API_KEY": SECRET,
    "ASKANCE_LLM__MODEL": "of-the-environment",
    "ASKANCE_READER__PROXY": f"http://user:{SECRET}@127.0.0.1:8080",
    "ASKANCE_SERVER__HOSTS": "a.example, b.example",
    "OLLAMA_HOST": "10.0.0.7:1234",
}
BEFORE = "# mine\n[answer]\n\n[limits]\nrounds = 3\n"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("limits.rounds", "4", 4), ("library.qdrant_url", "http://127.0.0.1:6333", "http://127.0.0.1:6333"),
     ("ask.mode", "chat", "chat")],
)  # fmt: skip
@pytest.mark.parametrize("is_window", [True, False], ids=["the window", "the command"])
def test_saving_a_setting_writes_nothing_of_the_environment(
    tmp_path: Path, name: str, text: str, value: object, is_window: bool
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(BEFORE, "utf-8")
    if is_window:
        source = SettingsSource(file, ENVIRONMENT)
        assert source.load().library.qdrant_key.get_secret_value() == SECRET
        source.write(name, text)
    else:
        set_value(name, text, file)
    written = tomllib.loads(file.read_text("utf-8"))
    section, _, field = name.partition(".")
    wanted: dict[str, dict[str, object]] = {"answer": {}, "limits": {"rounds": 3}}
    wanted.setdefault(section, {})[field] = value
    assert written == wanted
    assert SECRET not in "".join(path.read_text("utf-8") for path in tmp_path.iterdir())
