"""How much of the words of PDF files and mails is read, beside pdftotext and Python's own reader of e-mail?

    python -m bench.file_corpora_pdf_mail FOLDER... [--pdftotext PROGRAM] [--mutool PROGRAM] [--fewest WORDS] [--page]

Each folder holds files to test readers with (`test/pdfs` of pdf.js, `resources` of pypdf, Tika's test documents,
`test_email/data` of CPython); nothing is downloaded. The table is that of `bench.file_corpora`.
"""

from __future__ import annotations

import argparse
import email
import email.message
import email.policy
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

from askance.adapters.library.files.parsing import pages_read
from askance.extract.page import extract_page
from bench.file_corpora import Measured, Peer, neighbours, table, unread_by, words_of

PAGE = Path(__file__).parents[1] / "docs" / "bench" / "files-pdf-mail.md"
_ABOUT = """# PDF files and mails, measured

`python -m bench.file_corpora_pdf_mail FOLDER... --page` writes this page, from folders that it is given. Words are compared
without case and with their multiplicity, without signs that nobody sees, and letter by letter in scripts without spaces; a file
that is refused counts as none of its words.

pdftotext is no truth. Of fonts that do not say which letters they show it writes what their codes would mean, which is no
text and is refused here; text at an angle it cuts in pieces. `bench/unread_by_pdftotext.txt` names such files of these corpora,
as they were found one by one among those of which the smallest share is read: {letters} with wrong letters, {cut} with words cut or
glued. The first table counts all files, the second all but the former, the third all but both. It is a list by hand: of a file with
wrong letters that both read alike nothing is known. So words are counted, too, that pdftotext and MuPDF's mutool both have,
two programs that share no code: these surely stand in the file, as far as it says which letters it shows.
"""
UNREAD = Path(__file__).with_name("unread_by_pdftotext.txt")
_MOST_PAGES = 80
_TIMEOUT_S = 60
_FEWEST_FOR_ORDER, _SAME_WORDS = 300, 0.9
# The kind of a row that counts the words of a PDF file that two peers have.
_OF_BOTH = "PDF, words of both"
_TAG = re.compile(r"<[^<>]{0,2000}>")


def pdf_words(program: str, path: Path) -> str:
    """Return what pdftotext reads of the first pages of a file."""
    return _printed([program, "-q", "-l", str(_MOST_PAGES), str(path), "-"])


def mupdf_words(program: str, path: Path) -> str:
    """Return what MuPDF's mutool reads of the first pages of a file."""
    return _printed([program, "draw", "-q", "-F", "text", str(path), f"1-{_MOST_PAGES}"])


def _printed(command: Sequence[str]) -> str:
    try:
        ran = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)  # noqa: S603 - a program that was named
    except (subprocess.SubprocessError, OSError):
        return ""
    return ran.stdout.decode("utf-8", "replace")


def mail_words(path: Path) -> str:
    """Return all texts of a message as Python's own reader has them, of alternatives the plain one."""
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    try:
        return "\n".join(_texts(message))
    except (LookupError, ValueError, TypeError, AttributeError):
        return ""


def _texts(part: email.message.Message) -> Iterator[str]:
    inner = part.get_payload()
    if isinstance(inner, list):
        parts = [one for one in inner if isinstance(one, email.message.Message)]
        if (
            part.get_content_type() == "message/rfc822"
            and part.get("Content-Transfer-Encoding") == "base64"
        ):
            parts = [email.message_from_bytes(b64decode(str(one.get_payload()))) for one in parts]
        if part.get_content_type() == "multipart/alternative":
            plain = [one for one in parts if one.get_content_type() == "text/plain"]
            texts = [one for one in plain if str(one.get_payload()).strip()]
            parts = texts or parts
        for one in parts:
            yield from _texts(one)
    elif part.get_content_maintype() == "text":
        data = part.get_payload(decode=True)
        charset = part.get_content_charset() or "utf-8"
        text = data.decode(charset, "replace") if isinstance(data, bytes) else ""
        yield _TAG.sub(" ", text) if part.get_content_subtype() == "html" else text


def read(path: Path, content_type: str) -> tuple[str, str]:
    """Return the text of a file with its title, and why it has none."""
    data, done, texts, why = path.read_bytes(), 0, list[str](), ""
    while True:
        found = extract_page(data, path.as_uri(), f"{content_type}; first={done}")
        texts += [found.markdown, "" if texts else found.title]
        why = "" if found.markdown else str(found.detail)
        following = pages_read(found.detail)
        if not following or following <= done:
            return "\n".join(texts), "" if any(texts) else why
        done = following


def measure(folder: Path, program: str | None, mutool: str | None, fewest: int) -> list[Measured]:
    """Measure all PDF files and mails of a folder of which their peer reads so many words."""
    measured: list[Measured] = []
    for path in sorted(folder.resolve().rglob("*")):
        suffix = path.suffix.lower()
        if suffix == ".pdf" and program:
            kind, content_type, peer = "PDF", "application/pdf", pdf_words(program, path)
        elif suffix == ".eml" or (suffix == ".txt" and path.name.startswith("msg_")):
            kind, content_type, peer = "EML", "message/rfc822", mail_words(path)
        else:
            continue
        expected = words_of(peer)
        if expected.total() < fewest:
            continue
        text, why = read(path, content_type)
        found = (words_of(text) & expected).total()
        beside = neighbours(text, peer) if expected.total() >= _FEWEST_FOR_ORDER else 0.0
        measured.append(Measured(folder.name, kind, path, expected.total(), found, why, beside))
        both = expected & words_of(mupdf_words(mutool, path)) if kind == "PDF" and mutool else None
        if both:
            found = (words_of(text) & both).total()
            measured.append(Measured(folder.name, _OF_BOTH, path, both.total(), found, why))
    return measured


def _refused(measured: Sequence[Measured], unread: Mapping[str, str]) -> str:
    """Say how much of the mean is lacking in files of which the peer has other letters."""
    files = [one for one in measured if one.kind == "PDF"]
    lacking = [1 - one.share for one in files if unread.get(one.path.name) == "letters"]
    if not lacking:
        return ""
    return (
        f"The {len(lacking)} PDF files of which pdftotext has other letters lack {sum(lacking) / len(files):.3f} of the mean over all "
        f"{len(files)}: who does not write such letters has {1 - sum(lacking) / len(files):.3f} at most."
    )


def _order(measured: Sequence[Measured]) -> str:
    """Say how far the order of words is that of the peer, in longer PDF files of which the words are the same."""
    long = [
        one.neighbours
        for one in measured
        if one.kind == "PDF" and one.words >= _FEWEST_FOR_ORDER and one.share >= _SAME_WORDS
    ]
    if not long:
        return ""
    return (
        f"Of the pairs of words that stand side by side for pdftotext, {mean(long):.3f} do so here, in the mean of {len(long)} PDF "
        f"files of {_FEWEST_FOR_ORDER} words or more of which {_SAME_WORDS} of the words are read. Columns of papers are read one "
        "after the other by both; tables and forms are not always in the same order."
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the folders that are given and print the table; with `--page` write it into docs/bench."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--pdftotext", default=shutil.which("pdftotext"), help="the program")
    parser.add_argument("--mutool", default=shutil.which("mutool"), help="the program of MuPDF")
    parser.add_argument("--fewest", type=int, default=1, help="words that a peer finds in a file")
    parser.add_argument("--page", action="store_true", help="write docs/bench/files-pdf-mail.md")
    chosen = parser.parse_args(arguments)
    tables: list[str] = []
    measured = [
        one
        for folder in chosen.folders
        for one in measure(folder, chosen.pdftotext, chosen.mutool, chosen.fewest)
    ]
    readers: dict[str, tuple[str, Peer]] = {
        ".pdf": ("pdftotext", lambda path: pdf_words(chosen.pdftotext, path)),
        ".eml": ("email", mail_words),
    }
    unread = unread_by(UNREAD)
    if chosen.mutool:
        readers[f".{_OF_BOTH.lower()}"] = ("pdftotext and mutool", lambda _: None)
    for text, without in (
        ("All files", ()),
        ("Without files of which pdftotext has other letters", ("letters",)),
        ("Without those, and without files of which it cuts or glues words", ("letters", "cut")),
    ):
        some = [one for one in measured if unread.get(one.path.name) not in without]
        tables.append(f"{text}:\n\n{table(some, readers)}")
    for fewest in (20, 200):
        some = [one for one in measured if one.words >= fewest]
        tables.append(
            f"All files in which the peer finds {fewest} words or more:\n\n{table(some, readers)}"
        )
    tables += [_refused(measured, unread), _order(measured)]
    written = "\n\n".join(filter(None, tables))
    sys.stdout.write(f"{written}\n")
    if chosen.page:
        reasons = Counter(unread.values())
        PAGE.write_text(f"{_ABOUT.format(**reasons)}\n{written}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
