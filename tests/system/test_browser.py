"""Whether a page can be opened: known only of the script that most Linux desktops have, and never denied elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.system.desktops import has_browser

ENTRY = """[Desktop Entry]
Type=Application
Name=Web
Exec=web %u
MimeType=text/html;x-scheme-handler/http;x-scheme-handler/https;
"""


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """A desktop with the script of xdg-utils, and nothing that it could start."""
    for name in ("bin", "home", "data"):
        (tmp_path / name).mkdir()
    put_program(tmp_path / "bin" / "xdg-open", "#!/bin/sh\n#@xdg-utils-common@\nexit 3\n")
    return {
        "PATH": str(tmp_path / "bin"),
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_DIRS": f"relative:{tmp_path / 'nowhere'}:{tmp_path / 'data'}",
    }


def put_program(file: Path, text: str = "#!/bin/sh\n") -> None:
    file.write_text(text, "utf-8")
    file.chmod(0o755)


def put_entry(folder: Path, text: str = ENTRY) -> None:
    folder.mkdir(parents=True)
    (folder / "web.desktop").write_text(text, "utf-8")


def test_a_desktop_without_any_has_none(bare: dict[str, str], tmp_path: Path) -> None:
    put_entry(tmp_path / "data" / "applications", ENTRY.replace("x-scheme-handler/http", "x-x"))
    assert not has_browser(bare, "linux")


@pytest.mark.parametrize(
    "folder", ["data/applications", "data/applications/vendor", "home/.local/share/applications"]
)
def test_an_entry_that_takes_pages_is_one(
    bare: dict[str, str], tmp_path: Path, folder: str
) -> None:
    put_entry(tmp_path / folder)
    assert has_browser(bare, "linux")


def test_an_entry_of_the_users_own_folder_counts(bare: dict[str, str], tmp_path: Path) -> None:
    put_entry(tmp_path / "mine" / "applications")
    assert has_browser(bare | {"XDG_DATA_HOME": str(tmp_path / "mine")}, "linux")


def test_an_entry_that_cannot_be_read_is_passed_over(bare: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "data" / "applications" / "broken.desktop").mkdir(parents=True)
    (tmp_path / "data" / "applications" / "gone.desktop").symlink_to(tmp_path / "gone")
    assert not has_browser(bare, "linux")


@pytest.mark.parametrize("name", ["firefox", "x-www-browser", "chromium"])
def test_a_browser_that_the_script_knows_by_name_is_one(
    bare: dict[str, str], tmp_path: Path, name: str
) -> None:
    put_program(tmp_path / "bin" / name)
    assert has_browser(bare, "linux")


def test_the_browser_that_the_environment_names_is_one_if_it_is_there(
    bare: dict[str, str], tmp_path: Path
) -> None:
    chosen = bare | {"BROWSER": "gone:mine --tab '%s'"}
    assert not has_browser(chosen, "linux")
    put_program(tmp_path / "bin" / "mine")
    assert has_browser(chosen, "linux")
    assert not has_browser(bare | {"BROWSER": "mine '"}, "linux")


def test_no_other_opener_is_doubted(bare: dict[str, str], tmp_path: Path) -> None:
    for platform in ("win32", "darwin"):
        assert has_browser(bare, platform)
    assert has_browser(bare | {"FLATPAK_ID": "org.example"}, "linux")
    put_program(tmp_path / "bin" / "xdg-open", '#!/bin/sh\nexec other-opener "$@"\n')
    assert has_browser(bare, "linux")
    (tmp_path / "bin" / "xdg-open").unlink()
    assert has_browser(bare, "linux")
