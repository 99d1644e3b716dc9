"""The steps of a release: they refuse what does not agree, and publish nothing that is not whole."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tools import release
from tools.release import (
    FILES,
    NotReady,
    Release,
    check,
    read_release,
    seal,
    updates_from,
    verify,
)

RELEASE = Release("1.2.0", "### Added\n\n- A thing.\n")
# What `git` and `gh` are asked is written down, and answered from a file.
# The first lines are of two languages: no `#!` takes a path with a blank.
FAKE = """\
#!/bin/sh
'''exec' "{python}" "$0" "$@"
'''
import json, pathlib, sys
place = pathlib.Path({place!r})
state = json.loads(place.read_text())
words = [pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]
state["calls"].append(words)
line = " ".join(words)
if line.startswith("git rev-parse"):
    print(state["head"])
elif line.startswith("git ls-remote") and state["tagged"]:
    print(state["tagged"] + "\\trefs/tags/v1.2.0")
elif line.startswith("gh api"):
    state["tagged"] = words[-1].partition("sha=")[2]
elif line.startswith("gh release list"):
    draft = state["release"]
    print(json.dumps([] if draft is None else [{{"tagName": "v1.2.0", "isDraft": draft}}]))
elif line.startswith("gh release create"):
    state["release"] = True
    state["notes"] = pathlib.Path(words[words.index("--notes-file") + 1]).read_text()
elif line.startswith("gh release upload"):
    state["assets"] = [pathlib.Path(word).name for word in words[5:]]
elif line.startswith("gh release view"):
    print(json.dumps({{"assets": [{{"name": name}} for name in state["assets"]]}}))
elif line.startswith("gh release edit"):
    state["release"] = False
place.write_text(json.dumps(state))
"""


class Origin:
    """The repository as `git` and `gh` see it."""

    def __init__(self, place: Path) -> None:
        self._place = place
        empty: dict[str, Any] = {"head": "a" * 40, "tagged": "", "release": None, "assets": []}
        self.set(calls=[], notes="", **empty)

    def set(self, **values: Any) -> None:
        known = json.loads(self._place.read_text()) if self._place.exists() else {}
        self._place.write_text(json.dumps({**known, **values}))

    def __getattr__(self, name: str) -> Any:
        return json.loads(self._place.read_text())[name]


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Origin:
    programs = tmp_path / "bin"
    programs.mkdir()
    place = tmp_path / "origin.json"
    for name in ("git", "gh"):
        program = programs / name
        program.write_text(FAKE.format(python=sys.executable, place=str(place)), "utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    return Origin(place)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in FILES:
        (folder / name.format(version="1.2.0")).write_text(name, "utf-8")
    return folder


def project(root: Path, version: str, changelog: str) -> Path:
    (root / "src/askance").mkdir(parents=True)
    (root / "src/askance/__init__.py").write_text(f'__version__ = "{version}"\n', "utf-8")
    (root / "CHANGELOG.md").write_text(f"# Changelog\n\n{changelog}", "utf-8")
    return root


def test_the_notes_are_the_section_of_the_version(tmp_path: Path) -> None:
    changelog = (
        "## [Unreleased]\n\n## [1.2.0] - 2026-11-27\n\n### Added\n\n- A thing.\n\n"
        "## [1.1.0] - 2026-01-02\n\n- Older.\n"
    )
    assert read_release(project(tmp_path, "1.2.0", changelog)) == RELEASE


@pytest.mark.parametrize(
    ("version", "changelog"),
    [
        ("1.2.0", "## [Unreleased]\n\n- A thing.\n\n## [1.2.0] - 2026-11-27\n\n- Another.\n"),
        ("1.2.0", "## [1.1.0] - 2026-01-02\n\n- Older.\n\n## [1.2.0] - 2026-11-27\n\n- A thing.\n"),
        ("1.2.0", "## [1.2.0]\n\n- A thing.\n"),
        ("1.2.0", "## [1.2.0] - soon\n\n- A thing.\n"),
        ("1.2.0", "## [1.2.0] - 2026-11-27\n\n## [1.1.0] - 2026-01-02\n\n- Older.\n"),
        ("1.2.0", ""),
        ("1.2.0-rc1", "## [1.2.0-rc1] - 2026-11-27\n\n- A thing.\n"),
        ("next", "## [next] - 2026-11-27\n\n- A thing.\n"),
    ],
)
def test_a_changelog_that_is_not_ready_is_refused(
    tmp_path: Path, version: str, changelog: str
) -> None:
    with pytest.raises(NotReady):
        read_release(project(tmp_path, version, changelog))


def test_a_readme_that_knows_of_no_release_is_refused_and_turned_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = (release.ROOT / "README.md").read_text("utf-8")
    file = tmp_path / "README.md"
    file.write_text(now, "utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    if "From the first release on" in now:
        with pytest.raises(NotReady, match="README"):
            release.check(RELEASE)
    release.readme(RELEASE, tmp_path)
    release.check(RELEASE)
    turned = file.read_text("utf-8")
    assert "From the first release on" not in turned
    assert turned.index("uv tool install 'askance[mcp]'") < turned.index("uv tool install '.[mcp]'")
    # No word is lost but those of the sentence.
    sentence = {*["From", "the", "first", "release", "on,", "which", "is", "not", "there", "yet:"]}
    assert {*now.split()} - sentence <= {*turned.split()}
    release.readme(RELEASE, tmp_path)
    assert file.read_text("utf-8") == turned


def test_a_tag_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "README.md").write_text("# Askance\n", "utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    release.check(RELEASE)
    release.check(RELEASE, "v1.2.0")
    with pytest.raises(NotReady):
        release.check(RELEASE, "v1.2.1")


def test_sums_are_those_that_sha256sum_compares(files: Path) -> None:
    seal(RELEASE, str(files))
    subprocess.run(
        ["/usr/bin/env", "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"],
        cwd=files,
        check=True,
    )
    verify(RELEASE, str(files))


def test_the_name_of_a_preview_is_the_same_wherever_it_is_offered(tmp_path: Path) -> None:
    for name in FILES:
        version = "1.2.0~rc1" if name.endswith(".deb") else "1.2.0rc1"
        (tmp_path / name.format(version=version)).touch()
    seal(Release("1.2.0rc1", "- A thing."), str(tmp_path))
    assert "  askance_1.2.0rc1_amd64.deb\n" in (tmp_path / "SHA256SUMS").read_text("utf-8")


@pytest.mark.parametrize(
    "arguments", [[], ["mend"], ["seal"], ["publish", "now"], ["check", "a", "b"]]
)
def test_what_is_no_step_is_not_begun(arguments: list[str], origin: Origin) -> None:
    assert release.main(arguments) == 2
    assert origin.calls == []


@pytest.mark.parametrize("fault", ["missing", "foreign"])
def test_a_release_that_is_not_whole_gets_no_sums(files: Path, fault: str) -> None:
    if fault == "missing":
        (files / "askance_1.2.0_amd64.deb").unlink()
    else:
        (files / "askance_1.1.0_amd64.deb").write_text("old", "utf-8")
    with pytest.raises(NotReady):
        seal(RELEASE, str(files))
    assert not (files / "SHA256SUMS").exists()


@pytest.mark.parametrize("fault", ["changed", "missing", "foreign"])
def test_what_was_not_summed_is_not_uploaded(files: Path, fault: str, origin: Origin) -> None:
    origin.set(release=True)
    seal(RELEASE, str(files))
    package = files / "askance_1.2.0_amd64.deb"
    match fault:
        case "changed":
            package.write_text("another", "utf-8")
        case "missing":
            package.unlink()
        case _:
            (files / "more").write_text("more", "utf-8")
    with pytest.raises(NotReady):
        release.upload(RELEASE, str(files))
    assert origin.calls == []


def test_a_release_goes_from_a_tag_over_a_draft_to_everybody(files: Path, origin: Origin) -> None:
    release.draft(RELEASE)
    assert (origin.tagged, origin.release) == ("a" * 40, True)
    assert origin.notes == RELEASE.notes
    seal(RELEASE, str(files))
    release.upload(RELEASE, str(files))
    assert set(origin.assets) == {file.name for file in files.iterdir()}
    release.publish(RELEASE)
    assert origin.release is False


def test_a_draft_that_is_there_is_taken_again(origin: Origin) -> None:
    release.draft(RELEASE)
    release.draft(RELEASE)
    made = [call for call in origin.calls if call[:3] == ["gh", "release", "create"]]
    assert len(made) == 1


@pytest.mark.parametrize(
    "state",
    [{"tagged": "b" * 40}, {"tagged": "a" * 40, "release": False}],
    ids=["moved", "published"],
)
def test_nothing_that_is_published_is_changed(origin: Origin, state: dict[str, Any]) -> None:
    origin.set(**state)
    with pytest.raises(NotReady):
        release.draft(RELEASE)
    assert {call[1] for call in origin.calls if call[0] == "gh"} <= {"release"}
    assert origin.release is state.get("release")


@pytest.mark.parametrize("state", [None, False])
def test_only_a_draft_is_filled_and_published(
    files: Path, origin: Origin, state: bool | None
) -> None:
    seal(RELEASE, str(files))
    origin.set(release=state)
    with pytest.raises(NotReady):
        release.upload(RELEASE, str(files))
    with pytest.raises(NotReady):
        release.publish(RELEASE)
    assert origin.assets == []


def test_a_draft_that_lacks_a_file_is_not_published(origin: Origin) -> None:
    origin.set(release=True, assets=["SHA256SUMS"])
    with pytest.raises(NotReady):
        release.publish(RELEASE)
    assert origin.release is True


@pytest.mark.parametrize(("version", "is_preview"), [("1.2.0", False), ("1.3.0rc1", True)])
def test_a_preview_is_marked_as_one(origin: Origin, version: str, is_preview: bool) -> None:
    release.draft(Release(version, "- A thing.\n"))
    (created,) = [call for call in origin.calls if call[:3] == ["gh", "release", "create"]]
    assert ("--prerelease" in created) is is_preview


def test_a_release_is_made_where_the_program_looks_for_updates(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", updates_from())
    monkeypatch.setattr(release, "turned_readme", str)
    check(RELEASE)
    assert capsys.readouterr().out == "Askance 1.2.0, as v1.2.0\n"
    monkeypatch.setenv("GITHUB_REPOSITORY", "somebody/fork")
    with pytest.raises(NotReady, match="somebody/fork"):
        check(RELEASE)
