"""`askance config`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from askance.cli.commands.storage import written
from askance.config.schema import field_names
from cli.fake_shell import FakeShell, run


def test_the_path_is_that_of_the_home(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "path") == 0
    assert fake_shell.printed == f"{fake_shell.home}/config/settings.toml\n"


def test_a_value_that_was_set_is_in_force_and_shown_with_its_origin(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "set", "limits.rounds", "7") == 0
    assert run(fake_shell, "config", "show") == 0
    file = f"{fake_shell.home}/config/settings.toml"
    assert f"limits.rounds = 7  ({file})\n" in fake_shell.printed
    assert "llm.load_timeout_s = 600.0\n" in fake_shell.printed
    assert len(fake_shell.printed.splitlines()) == 1 + len(field_names())


@pytest.mark.parametrize("value", ["-1", "0", "45m"])
def test_a_value_that_begins_with_a_dash_is_a_value(fake_shell: FakeShell, value: str) -> None:
    assert run(fake_shell, "config", "set", "llm.keep_alive", value) == 0
    assert run(fake_shell, "config", "show", "llm.keep_alive") == 0
    assert f"llm.keep_alive = {value}\n" in fake_shell.printed


def test_a_misspelt_option_is_no_value(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "set", "--quick", "llm.keep_alive", "5m") == 2


def test_one_setting_is_shown_with_all_that_is_known_of_it(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "show", "llm.idle_timeout_s") == 0
    assert fake_shell.printed == (
        "llm.idle_timeout_s = 60.0\n"
        "  Seconds of silence after which a reply that has begun is given up.\n"
        "  Allowed: a number above 0 and at most 3600. Default: 60.0.\n"
        "  From: default.\n"
    )


def test_an_environment_variable_that_hides_the_file_is_told(fake_shell: FakeShell) -> None:
    fake_shell.environment["ASKANCE_LIMITS__ROUNDS"] = "3"
    assert run(fake_shell, "config", "set", "limits.rounds", "7") == 0
    assert "ASKANCE_LIMITS__ROUNDS" in fake_shell.printed


def test_a_section_is_shown_with_its_settings_a_line_each(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "show", "reader") == 0
    shown = [line.partition(" = ")[0] for line in fake_shell.printed.splitlines()]
    assert shown == [name for name in field_names() if name.startswith("reader.")]


def test_what_the_compose_file_tells_to_look_at_can_be_looked_at(fake_shell: FakeShell) -> None:
    text = (Path(__file__).parents[3] / "docker-compose.yml").read_text("utf-8")
    named = re.findall(r"`askance (config show [\w.]+)`", text)
    assert named
    for command in named:
        assert run(fake_shell, *command.split()) == 0, fake_shell.errors


def test_ollamas_own_variable_is_shown_as_where_the_address_comes_from(
    fake_shell: FakeShell,
) -> None:
    fake_shell.environment["OLLAMA_HOST"] = "127.0.0.1:11500"
    assert run(fake_shell, "config", "show", "llm") == 0
    assert "llm.url = http://127.0.0.1:11500  (OLLAMA_HOST)\n" in fake_shell.printed
    assert run(fake_shell, "config", "set", "llm.url", "http://127.0.0.1:1") == 0
    assert "OLLAMA_HOST is set" not in fake_shell.printed


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("set", "limits.rounds", "99"), "limits.rounds"),
        (("set", "limits.round", "9"), "Did you mean limits.rounds?"),
        (("show", "nothing.at_all"), "There is no setting"),
    ],
)
def test_a_wrong_name_or_value_is_wrong_usage(
    fake_shell: FakeShell, arguments: tuple[str, ...], named: str
) -> None:
    assert run(fake_shell, "config", *arguments) == 2
    assert named in fake_shell.errors
    assert not (fake_shell.home / "config").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "limits.rounds",
            "99",
            "limits.rounds = '99' is not allowed: it must be a whole number from 1 to 10.",
        ),
        ("limits.round", "9", "There is no setting 'limits.round'."),
    ],
)
def test_a_refusal_begins_with_the_setting_and_says_what_is_allowed(
    fake_shell: FakeShell, name: str, text: str, said: str
) -> None:
    assert run(fake_shell, "config", "set", name, text) == 2
    assert fake_shell.errors.startswith(f"askance: {said}")


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), ("", '""'), ((1, 2), "1,2"), ((), '""'), (1.5, "1.5")]
)
def test_values_are_written_as_they_are_set(value: object, text: str) -> None:
    assert written(value) == text
