"""`askance config`."""

from __future__ import annotations

import pytest

from askance.cli.settings_view import written
from askance.config.sources import field_names
from cli.desk import Desk, run


def test_the_path_is_that_of_the_home(desk: Desk) -> None:
    assert run(desk, "config", "path") == 0
    assert desk.printed == f"{desk.home}/config/settings.toml\n"


def test_a_value_that_was_set_is_in_force_and_shown_with_its_origin(desk: Desk) -> None:
    assert run(desk, "config", "set", "search.kept", "7") == 0
    assert run(desk, "config", "show") == 0
    file = f"{desk.home}/config/settings.toml"
    assert f"search.kept = 7  ({file})\n" in desk.printed
    assert "search.asked = 20\n" in desk.printed
    assert len(desk.printed.splitlines()) == 1 + len(field_names())


def test_one_setting_is_shown_with_all_that_is_known_of_it(desk: Desk) -> None:
    assert run(desk, "config", "show", "search.timeout_s") == 0
    assert desk.printed == (
        "search.timeout_s = 20.0\n"
        "  Seconds to wait for one query.\n"
        "  Allowed: a number above 0 and at most 120. Default: 20.0.\n"
        "  From: default.\n"
    )


def test_an_environment_variable_that_hides_the_file_is_told(desk: Desk) -> None:
    desk.environment["ASKANCE_SEARCH__KEPT"] = "3"
    assert run(desk, "config", "set", "search.kept", "7") == 0
    assert desk.printed.endswith("ASKANCE_SEARCH__KEPT is set, and wins over the file.\n")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("set", "search.kept", "99"), "search.kept"),
        (("set", "search.kepd", "9"), "Did you mean search.kept?"),
        (("show", "nothing.at_all"), "There is no setting"),
    ],
)
def test_a_wrong_name_or_value_is_wrong_usage(
    desk: Desk, arguments: tuple[str, ...], named: str
) -> None:
    assert run(desk, "config", *arguments) == 2
    assert named in desk.told
    assert not (desk.home / "config").exists()


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), ("", '""'), ((1, 2), "1,2"), ((), '""'), (1.5, "1.5")]
)
def test_values_are_written_as_they_are_set(value: object, text: str) -> None:
    assert written(value) == text
