"""What `up` lays out: files, secrets, choices, and the user's own engine list."""

from __future__ import annotations

import re
import shutil
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from askance.adapters.containers import compose_project as packaged
from askance.adapters.containers.compose_project import (
    Installation,
    as_dotenv,
    lay_out,
    read_dotenv,
    update_own_copy,
)
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.errors import InputError, SettingsError, StorageError


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path)})


def settings(**sections: dict[str, Any]) -> Settings:
    return Settings.model_validate(sections)


def laid_out(folders: Folders, **sections: dict[str, Any]) -> Installation:
    return lay_out(settings(**sections), folders, {})


def variables(folders: Folders) -> dict[str, str]:
    return read_dotenv(folders.services / ".env")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_everything_that_compose_needs_is_there(folders: Folders) -> None:
    installed = laid_out(folders)
    assert installed.services == ("searxng", "search-gateway", "reader-net", "reader")
    wanted = set(re.findall(r"\$\{(\w+)", (folders.services / "docker-compose.yml").read_text()))
    optional = {"ASKANCE_SEARXNG_IMAGE", "ASKANCE_PYTHON_IMAGE"}
    server = {name for name in wanted if name.startswith("ASKANCE_SERVER_")}
    assert wanted - optional - server == variables(folders).keys()
    assert variables(folders)["ASKANCE_SEARXNG_PORT"] == "25017"
    assert variables(folders)["ASKANCE_READER_PORT"] == "25018"


def test_everything_that_the_image_takes_is_there(folders: Folders) -> None:
    laid_out(folders)
    text = (folders.services / "deploy/reader/Dockerfile").read_text().replace("\\\n", " ")
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for source in line.split()[:-1]
    ]
    assert "src/askance/extract" in copied
    shipped = Path(packaged.__file__).parents[4]
    there = {source for source in copied if (shipped / source).exists()}
    assert {source for source in there if not (folders.services / source).exists()} == set()


def test_only_the_owner_gets_in_and_inside_all_may_read(folders: Folders) -> None:
    installed = laid_out(folders)
    assert mode(folders.services) == 0o700
    assert mode(folders.services / ".env") == 0o600
    assert mode(folders.reader_token) == mode(installed.search_token) == 0o644
    assert mode(installed.mounted_list) == 0o644
    for top in ("deploy", "src"):
        for path in (folders.services / top).rglob("*"):
            assert mode(path) == (0o755 if path.is_dir() else 0o644), path


def test_all_sources_are_there_but_for_those_of_the_window(folders: Folders) -> None:
    laid_out(folders)
    place = folders.services / "src" / "askance"
    shipped = Path(packaged.__file__).parents[2]
    assert {path.name for path in shipped.iterdir()} - {path.name for path in place.iterdir()} <= {
        *packaged.NOT_IN_IMAGES
    }
    assert not (place / "ui").exists()
    assert (folders.services / "prompts" / "answer.md").is_file()


def test_what_the_server_is_told_stays(folders: Folders) -> None:
    """Who writes it into the file, or gives it once, need not do so again."""
    asked = {"ASKANCE_SERVER_LLM_URL": "http://10.1.2.3:11434", "ASKANCE_SERVER_PORT": "31019"}
    lay_out(settings(), folders, asked)
    lay_out(settings(), folders, {"ASKANCE_SERVER_PORT": "31020"})
    reported = variables(folders)
    assert reported["ASKANCE_SERVER_LLM_URL"] == "http://10.1.2.3:11434"
    assert reported["ASKANCE_SERVER_PORT"] == "31020"
    assert "ASKANCE_SERVER_HOSTS" not in reported


def test_nothing_of_an_older_version_stays(folders: Folders) -> None:
    laid_out(folders)
    old = folders.services / "src" / "askance" / "domain" / "old.py"
    old.touch()
    laid_out(folders)
    assert not old.exists()


def test_secrets_are_made_once_and_are_no_ones_default(folders: Folders, tmp_path: Path) -> None:
    laid_out(folders)
    first = (variables(folders)["ASKANCE_SEARXNG_SECRET"], folders.reader_token.read_text())
    laid_out(folders)
    assert first == (variables(folders)["ASKANCE_SEARXNG_SECRET"], folders.reader_token.read_text())
    other = find_folders({"ASKANCE_HOME": str(tmp_path / "other")})
    laid_out(other)
    assert first[0] != variables(other)["ASKANCE_SEARXNG_SECRET"]
    assert first[1] != other.reader_token.read_text()
    assert min(map(len, first)) >= 40


def test_the_gateways_token_belongs_to_the_port_and_to_nobody_else(folders: Folders) -> None:
    first = laid_out(folders, search={"url": "http://127.0.0.1:31017"})
    assert variables(folders)["ASKANCE_SEARCH_TOKEN_FILE"] == first.search_token.as_posix()
    assert folders.search_token("http://localhost:31017") == first.search_token
    for elsewhere in ("https://127.0.0.1:31017", "http://searx.example:31017", "http://10.0.0.7"):
        assert folders.search_token(elsewhere) is None
    # A SearXNG of the user's own, on another port of this machine, is asked without a token.
    mounted = replace(folders, mounted_search_token=Path("/run/own.token"))
    assert mounted.search_token("http://searxng:25017") == Path("/run/own.token")
    own = folders.search_token("http://127.0.0.1:8888")
    assert own is not None
    assert not own.exists()
    assert first.search_token.read_text() != folders.reader_token.read_text()
    second = laid_out(folders, search={"url": "http://127.0.0.1:31018"})
    second.complete()
    assert folders.search_tokens() == [second.search_token]


def test_containers_are_made_anew_for_a_renewed_token(folders: Folders) -> None:
    names = ("ASKANCE_SEARCH_TOKEN_ID", "ASKANCE_READER_TOKEN_ID")
    installed = laid_out(folders)
    before = [variables(folders)[name] for name in names]
    laid_out(folders)
    assert [variables(folders)[name] for name in names] == before
    for token in (installed.search_token, folders.reader_token):
        token.unlink()
    laid_out(folders)
    assert not {variables(folders)[name] for name in names} & set(before)
    assert not [
        name for name in names if variables(folders)[name] in folders.reader_token.read_text()
    ]


def test_an_empty_token_that_a_crash_left_is_replaced(folders: Folders) -> None:
    laid_out(folders)
    folders.reader_token.write_text("")
    laid_out(folders)
    assert len(folders.reader_token.read_text()) >= 40


def test_the_engine_list_is_copied_once_and_never_written_again(folders: Folders) -> None:
    installed = laid_out(folders)
    own = folders.searxng_settings
    assert own.read_bytes() == (folders.services / packaged.SEARXNG_SETTINGS).read_bytes()
    own.write_text(own.read_text() + "# mine\n")
    again = laid_out(folders)
    assert own.read_text().endswith("# mine\n")
    assert again.mounted_list.read_text() == own.read_text()
    # Only another path makes compose take the change over.
    assert again.mounted_list != installed.mounted_list
    assert again.notes == ()


def test_former_lists_go_once_nothing_uses_them(folders: Folders) -> None:
    first = laid_out(folders)
    folders.searxng_settings.write_text("search: {formats: [json]}\n")
    second = laid_out(folders)
    assert first.mounted_list.exists()
    second.complete()
    assert not first.mounted_list.exists()
    assert second.mounted_list.exists()


def test_a_new_list_that_ships_is_told_of_once(tmp_path: Path) -> None:
    shipped, own = tmp_path / "shipped.yml", tmp_path / "own" / "settings.yml"
    shipped.write_text("a: 1\n")
    assert update_own_copy(shipped, own, tmp_path) == ""
    shipped.write_text("a: 2\n")
    note = update_own_copy(shipped, own, tmp_path)
    assert str(own) in note
    assert str(shipped) in note
    assert update_own_copy(shipped, own, tmp_path) == ""
    assert own.read_text() == "a: 1\n"


def test_a_proxy_is_put_into_the_containers_copy_alone(folders: Folders) -> None:
    laid_out(folders)
    before = folders.searxng_settings.read_text()
    installed = laid_out(folders, search={"proxy": "socks5h://192.168.1.5:9050"})
    given = yaml.safe_load(installed.mounted_list.read_text())
    assert given["outgoing"]["proxies"] == {"all://": ["socks5h://192.168.1.5:9050"]}
    own = yaml.safe_load(before)
    assert {k: v for k, v in given.items() if k != "outgoing"} == {
        k: v for k, v in own.items() if k != "outgoing"
    }
    assert own["outgoing"].items() <= given["outgoing"].items()
    assert folders.searxng_settings.read_text() == before


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.9.9.9", "x.localhost"])
@pytest.mark.parametrize("section", ["search", "reader"])
def test_a_proxy_on_this_machine_alone_is_refused(
    folders: Folders, section: str, host: str
) -> None:
    with pytest.raises(SettingsError, match=rf"{section}\.proxy = http://.*cannot reach") as caught:
        laid_out(folders, **{section: {"proxy": f"http://{host}:3128"}})
    assert ("reader.mode" in caught.value.fix) is (section == "reader")
    assert not folders.services.exists()


def test_who_reads_in_this_program_gets_no_reader_and_may_keep_the_proxy(folders: Folders) -> None:
    installed = laid_out(folders, reader={"mode": "inprocess", "proxy": "http://127.0.0.1:3128"})
    assert installed.services == ("searxng", "search-gateway")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("search:\n  formats: [json\nserver: {}\n", "is not valid YAML, line 3"),
        ("- json\n", "has no settings in it"),
        ("", "has no settings in it"),
        ("\x00", "is not valid YAML"),
    ],
)
def test_an_engine_list_that_searxng_could_not_read_is_refused(
    folders: Folders, text: str, problem: str
) -> None:
    laid_out(folders)
    folders.searxng_settings.write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        laid_out(folders)
    assert str(folders.searxng_settings) in caught.value.problem


def test_ports_and_choices_follow_the_settings(folders: Folders) -> None:
    reader = {
        "url": "http://127.0.0.1:26018",
        "proxy": "http://proxy.example:3128",
    }
    laid_out(folders, search={"url": "http://localhost:26017"}, reader=reader)
    written = variables(folders)
    assert written["ASKANCE_SEARXNG_PORT"] == "26017"
    assert written["ASKANCE_READER_PORT"] == "26018"
    assert written["ASKANCE_READER_PROXY"] == "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("own", "written"), [("", "socks5h://tor.example:9050"), ("direct", ""),
                         ("http://proxy.example:3128", "http://proxy.example:3128")],
)  # fmt: skip
def test_the_readers_container_goes_the_way_of_the_search_unless_told_otherwise(
    folders: Folders, own: str, written: str
) -> None:
    tor = {"proxy": "socks5h://tor.example:9050"}
    laid_out(folders, search=tor, reader={"proxy": own})
    assert variables(folders)["ASKANCE_READER_PROXY"] == written


def test_a_searxng_elsewhere_says_nothing_about_the_port_here(folders: Folders) -> None:
    laid_out(folders, search={"url": "https://searx.example"})
    assert variables(folders)["ASKANCE_SEARXNG_PORT"] == "25017"


def test_an_image_that_the_user_names_stays_until_another_is_named(folders: Folders) -> None:
    laid_out(folders)
    env = folders.services / ".env"
    env.write_text(env.read_text() + "ASKANCE_SEARXNG_IMAGE=mirror.example/searxng:1\n")
    laid_out(folders)
    assert variables(folders)["ASKANCE_SEARXNG_IMAGE"] == "mirror.example/searxng:1"
    lay_out(settings(), folders, {"ASKANCE_SEARXNG_IMAGE": "mirror.example/searxng:2"})
    assert variables(folders)["ASKANCE_SEARXNG_IMAGE"] == "mirror.example/searxng:2"


def test_the_readers_image_is_built_when_something_in_it_changed(folders: Folders) -> None:
    first = laid_out(folders)
    assert first.build
    assert laid_out(folders).build, "the first one never ran"
    first.complete()
    assert not laid_out(folders).build
    changed = lay_out(settings(), folders, {"ASKANCE_PYTHON_IMAGE": "mirror.example/python:3.13"})
    assert changed.build


def test_a_start_without_the_reader_builds_nothing_for_later(folders: Folders) -> None:
    laid_out(folders, reader={"mode": "inprocess"}).complete()
    assert laid_out(folders).build


def test_a_folder_that_cannot_be_made_is_a_sentence(folders: Folders) -> None:
    folders.data.parent.mkdir(parents=True, exist_ok=True)
    folders.data.write_text("a file is in the way")
    with pytest.raises(StorageError, match=re.escape(str(folders.data))):
        laid_out(folders)


def test_any_value_survives_the_env_file(tmp_path: Path) -> None:
    values = {
        "A": "plain",
        "B": "with space and # no comment",
        "C": "it's $HOME and ${PATH}",
        "D": 'say "hi"',
        "E": "",
    }
    file = tmp_path / ".env"
    file.write_text(as_dotenv(values))
    assert read_dotenv(file) == values


@pytest.mark.parametrize("value", ["one\ntwo", "one\rtwo", "C:\\files"])
def test_a_value_that_tools_would_read_differently_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="A would be"):
        as_dotenv({"A": value})


def test_an_env_file_that_is_no_text_is_told_of(folders: Folders) -> None:
    laid_out(folders)
    (folders.services / ".env").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"\.env "):
        laid_out(folders)


def test_what_the_wheel_carries_is_taken_before_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = packaged.packaged_project()
    assert (repository / "docker-compose.yml").exists()
    shipped = tmp_path / "_deploy"
    shutil.copytree(repository / "deploy", shipped / "deploy")
    monkeypatch.setattr(packaged, "files", lambda _package: tmp_path)
    assert packaged.packaged_project() == shipped
