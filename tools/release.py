"""The steps of a release that .github/workflows/release.yml goes through; each runs by hand, too.

    python -m tools.release readme         the README begins with the released package
    python -m tools.release check [TAG]    version, changelog, README and tag agree
    python -m tools.release notes          print what the changelog says of this version
    python -m tools.release draft          tag this commit, and make a draft of the release
    python -m tools.release seal FOLDER    nothing is missing in FOLDER; write SHA256SUMS there
    python -m tools.release verify FOLDER  compare what is there with SHA256SUMS
    python -m tools.release upload FOLDER  put all of it into the draft
    python -m tools.release publish        show the draft to everybody
    python -m tools.release index FOLDER   put wheel and sdist into the package index, by `uv`

`draft`, `upload` and `publish` call `gh`, which finds the repository and the token in the environment. Each
can be repeated after a failure, but nothing that is published is changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUMS = "SHA256SUMS"
FILES = (
    "askance-{version}-py3-none-any.whl",
    "askance-{version}.tar.gz",
    "Askance-{version}-x86_64.AppImage",
    "Askance-{version}-aarch64.AppImage",
    "askance_{version}_amd64.deb",
    "askance_{version}_arm64.deb",
    "askance-{version}-windows-x86_64-setup.exe",
    "askance-{version}-windows-x86_64.zip",
    "askance-{version}-macos-arm64.dmg",
    "askance-{version}-macos-x86_64.dmg",
    "askance-{version}.cdx.json",
)
"""What belongs to a release: one that lacks a file is not published."""
_VERSION = re.compile(r'^__version__ = "([^"\n]{1,50})"$', re.MULTILINE)
# How many values a step takes, where it takes any.
_VALUES = {"check": (0, 1), **dict.fromkeys(("seal", "verify", "upload", "index"), (1, 1))}
_USUAL = re.compile(r"\d{1,5}\.\d{1,5}\.\d{1,5}(?:(?:a|b|rc)\d{1,5})?")
_HEADING = re.compile(r"^## \[([^\]\n]{1,50})\](?: - (\S{1,20}))?$", re.MULTILINE)
_UNRELEASED = "Unreleased"
# The two ways to install in the README, and the sentence that holds until the first release.
_WAYS = re.compile(
    r"(<!-- from a clone -->\n.*?)(<!-- from a release -->\n)From the first release on, [^\n]*\n\n(.*?)"
    r"(?=<!-- either way -->\n)",
    re.DOTALL,
)
_PROJECT = re.compile(r'^PROJECT = "([^"\n]{1,100})"$', re.MULTILINE)


class NotReady(Exception):
    """What keeps this commit, or these files, from being released."""


@dataclass(frozen=True, slots=True)
class Release:
    """A version, and what the changelog says of it."""

    version: str
    notes: str

    @property
    def tag(self) -> str:
        """The tag of its commit."""
        return f"v{self.version}"

    @property
    def is_preview(self) -> bool:
        """Whether it is not for everybody yet (1.2rc1)."""
        return not self.version.replace(".", "").isdigit()


def main(arguments: Sequence[str]) -> int:
    """Do what the command line asks for. Returns the exit status."""
    steps: dict[str, Callable[..., None]] = {
        "readme": readme, "check": check, "notes": notes, "draft": draft, "seal": seal, "verify": verify,
        "upload": upload, "publish": publish, "index": index,
    }  # fmt: skip
    step, values = steps.get("".join(arguments[:1])), arguments[1:]
    least, most = _VALUES.get("".join(arguments[:1]), (0, 0))
    if step is None or not least <= len(values) <= most:
        sys.stderr.write(__doc__ or "")
        return 2
    try:
        step(read_release(), *values)
    except NotReady as exc:
        sys.stderr.write(f"{exc}\n")
        return 1
    except subprocess.CalledProcessError as exc:
        sys.stderr.write(f"{exc.cmd[0]} ended with {exc.returncode}: {exc.stderr or ''}\n")
        return 1
    return 0


def read_release(root: Path = ROOT) -> Release:
    """Read what is to be released.

    Raises:
        NotReady: version and changelog do not agree.
    """
    found = _VERSION.search((root / "src/askance/__init__.py").read_text(encoding="utf-8"))
    if found is None:
        raise NotReady("src/askance/__init__.py has no __version__.")
    version = found[1]
    if not _USUAL.fullmatch(version):
        raise NotReady(f"{version} is no version: 1.2.0 and 1.2.0rc1 are.")
    return Release(version, _notes(version, (root / "CHANGELOG.md").read_text(encoding="utf-8")))


def updates_from(root: Path = ROOT) -> str:
    """Return the repository that the program asks for new versions.

    Raises:
        NotReady: the source does not say it.
    """
    found = _PROJECT.search((root / "src/askance/domain/updates.py").read_text(encoding="utf-8"))
    if found is None:
        raise NotReady("src/askance/domain/updates.py has no PROJECT.")
    return found[1]


def _notes(version: str, changelog: str) -> str:
    """Return the section of a version, which has to be the first that is not empty."""
    headings = list(_HEADING.finditer(changelog))
    ends = [heading.start() for heading in headings[1:]] + [len(changelog)]
    for heading, end in zip(headings, ends, strict=False):
        text = changelog[heading.end() : end].strip()
        if heading[1] == _UNRELEASED and not text:
            continue
        if heading[1] != version:
            raise NotReady(
                f"The changelog begins with [{heading[1]}], and the version is {version}: move what is "
                f"unreleased below '## [{version}] - YEAR-MONTH-DAY'."
            )
        if not text:
            raise NotReady(f"The changelog says nothing of {version}.")
        try:
            date.fromisoformat(heading[2] or "")
        except ValueError:
            raise NotReady(f"The heading of {version} in the changelog has no day.") from None
        return f"{text}\n"
    raise NotReady(f"The changelog has no section of {version}.")


def notes(release: Release) -> None:
    """Print what the changelog says of the version."""
    sys.stdout.write(release.notes)


def turned_readme(text: str) -> str:
    """Return a README whose first way to install is the released package, and the clone its second one."""
    return _WAYS.sub(r"\2\3\1", text)


def readme(_: Release, root: Path = ROOT) -> None:
    """Let the README begin with the released package, which is there from now on."""
    file = root / "README.md"
    file.write_text(turned_readme(file.read_text(encoding="utf-8")), encoding="utf-8")


def check(release: Release, tag: str = "") -> None:
    """Compare a tag with the version, and print what will be released.

    Raises:
        NotReady: the tag is another one, the program would look for updates in another repository, or the
            README says that nothing is released.
    """
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    if turned_readme(text) != text:
        raise NotReady(
            "README.md says that there is no release yet: run `python -m tools.release readme`, and commit it."
        )
    if tag and tag != release.tag:
        raise NotReady(f"The tag is {tag}, and the version is {release.version}.")
    here, asked = os.environ.get("GITHUB_REPOSITORY", ""), updates_from()
    if here and here != asked:
        raise NotReady(
            f"This is {here}, and src/askance/domain/updates.py asks {asked} for updates."
        )
    sys.stdout.write(f"Askance {release.version}, as {release.tag}\n")


def draft(release: Release) -> None:
    """Tag this commit, and make a draft of the release.

    Raises:
        NotReady: another commit has the tag, or the release is published.
    """
    commit = _output("git", "rev-parse", "HEAD")
    tagged = _tagged(release.tag)
    if tagged not in {"", commit}:
        raise NotReady(f"{release.tag} is the tag of {tagged}, and this is {commit}.")
    state = _state(release.tag)
    if state == "published":
        raise NotReady(f"{release.tag} is published: choose another version.")
    if not tagged:
        reference = ("-f", f"ref=refs/tags/{release.tag}", "-f", f"sha={commit}")
        _output("gh", "api", "repos/{owner}/{repo}/git/refs", *reference)
    if state:
        return
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes.md"
        notes.write_text(release.notes, encoding="utf-8")
        kind = ["--prerelease"] if release.is_preview else []
        named = ("--title", f"Askance {release.version}", "--notes-file", str(notes))
        _output("gh", "release", "create", release.tag, "--draft", "--verify-tag", *named, *kind)


def seal(release: Release, place: str) -> None:
    """Write the sums of all files that belong to a release.

    Raises:
        NotReady: one is missing, or does not belong to it.
    """
    folder = Path(place)
    for file in folder.glob("*~*"):  # a preview's .deb: the hoster would rename it
        file.rename(folder / file.name.replace("~", ""))
    there = {file.name for file in folder.iterdir()} - {SUMS}
    wanted = {name.format(version=release.version) for name in FILES}
    faults = [f"{name} is missing." for name in sorted(wanted - there)]
    faults += [f"{name} does not belong to it." for name in sorted(there - wanted)]
    if faults:
        raise NotReady("\n".join(faults))
    lines = [f"{_sum(folder / name)}  {name}\n" for name in sorted(there)]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")


def verify(_: Release, place: str) -> None:
    """Compare the files of a folder with its sums.

    Raises:
        NotReady: a file is missing, has changed, or has no sum.
    """
    folder = Path(place)
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    sums = {name: value for value, _, name in (line.partition("  ") for line in lines)}
    there = {file.name for file in folder.iterdir()} - {SUMS}
    faults = [f"{name} is missing." for name in sorted(sums.keys() - there)]
    faults += [f"{name} has no sum." for name in sorted(there - sums.keys())]
    faults += [
        f"{name} has changed."
        for name in sorted(there & sums.keys())
        if _sum(folder / name) != sums[name]
    ]
    if faults:
        raise NotReady("\n".join(faults))


def upload(release: Release, place: str) -> None:
    """Put all files of a folder into the draft.

    Raises:
        NotReady: there is no draft, or a file is not the one that was summed.
    """
    verify(release, place)
    _require_draft(release)
    files = [str(file) for file in sorted(Path(place).iterdir())]
    _output("gh", "release", "upload", release.tag, "--clobber", *files)


def publish(release: Release) -> None:
    """Show the draft to everybody.

    Raises:
        NotReady: there is no draft, or a file is missing in it.
    """
    _require_draft(release)
    listed = _output("gh", "release", "view", release.tag, "--json", "assets")
    there = {asset["name"] for asset in json.loads(listed)["assets"]}
    wanted = {name.format(version=release.version) for name in FILES} | {SUMS}
    if missing := sorted(wanted - there):
        raise NotReady(f"The draft lacks {', '.join(missing)}.")
    _output("gh", "release", "edit", release.tag, "--draft=false")


def index(release: Release, place: str) -> None:
    """Put wheel and sdist into the package index, as the workflow that is trusted there.

    Raises:
        NotReady: a file is not the one that was summed.
    """
    verify(release, place)
    packages = [str(Path(place, name.format(version=release.version))) for name in FILES[:2]]
    # What is there already, with the same bytes, is passed over: a second try goes on.
    _output(sys.executable, "-m", "uv", "publish", "--trusted-publishing", "always", *packages)


def _require_draft(release: Release) -> None:
    if (state := _state(release.tag)) != "draft":
        raise NotReady(
            f"There is no draft of {release.tag}" + (": it is published." if state else ".")
        )


def _state(tag: str) -> str:
    """Return "draft" or "published"; empty where there is no release of that tag."""
    listed = _output("gh", "release", "list", "--limit", "100", "--json", "tagName,isDraft")
    drafts = {row["tagName"]: row["isDraft"] for row in json.loads(listed)}
    return {True: "draft", False: "published", None: ""}[drafts.get(tag)]


def _tagged(tag: str) -> str:
    """Return the commit that has a tag at the origin; empty where there is no such tag."""
    listed = _output(
        "git", "ls-remote", "--tags", "origin", f"refs/tags/{tag}", f"refs/tags/{tag}^{{}}"
    )
    # An annotated tag has a second line, for its commit.
    return listed.splitlines()[-1].split()[0] if listed else ""


def _sum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _output(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - written above
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
