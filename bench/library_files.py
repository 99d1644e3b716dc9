"""Files brought into the library and searched from the terminal, beside recoll: the same bytes, both programs in turn.

Sentences of the sample web make 10,000 small files (plain text, Markdown, HTML) and a PDF file of 2,000 pages.
Each step is a program of its own, started as a user starts it; its time is that of the program and all its children.
Recoll (`recollindex`, `recollq`) is left out where it is not installed.

    python -m bench.library_files [--runs 3] [--before PYTHON] [--out FILE]

`--before` is the interpreter of another build, which is measured in turn with this one.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

from tests.servers.pdf_files import Page, pdf_file

from askance.sample_web.sample_server import load_library
from bench.library import FILES, MEANING, PAGE

SMALL_FILES, PDF_PAGES, LINES_A_PAGE, LINE = 10_000, 2_000, 40, 80
FOLDERS = 100
WORDS = "lighthouse keeper winter"
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_MIB = 1_048_576


@dataclass(frozen=True, slots=True)
class Took:
    """How long a program took: by the wall, and of the processor with its children."""

    wall_s: float
    processor_s: float


@dataclass(frozen=True, slots=True)
class Program:
    """One of the programs compared: its commands, and the environment that gives it a data folder."""

    name: str
    index: Callable[[Path], list[str]]
    search: Callable[[str], list[str]]
    environment: Callable[[Path, Path], dict[str, str]]
    """Of a data folder and the folder of files."""


def write_files(folder: Path, count: int = SMALL_FILES) -> None:
    """Write small files of 60 to 300 words each, a third of them Markdown, a third HTML."""
    chance, sentences = random.Random(1), _sentences()  # noqa: S311 - no secret
    for n in range(count):
        lines = chance.choices(sentences, k=chance.randint(4, 20))
        title = f"Note {n} on {chance.choice(lines).split()[-1].strip('.!?')}"
        match n % 3:
            case 0:
                ending, text = "txt", "\n\n".join((title, *lines))
            case 1:
                ending, text = "md", "\n\n".join((f"# {title}", *lines))
            case _:
                paragraphs = "".join(f"<p>{line}</p>\n" for line in lines)
                head = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
                ending, text = "html", f"{head}<article>{paragraphs}</article></body></html>"
        inner = folder / f"{n % FOLDERS:02}"
        inner.mkdir(parents=True, exist_ok=True)
        (inner / f"{n}.{ending}").write_text(text, encoding="utf-8")


def write_pdf(folder: Path, pages: int = PDF_PAGES) -> None:
    """Write one PDF file of so many pages, each of 40 lines in a plain font."""
    chance = random.Random(2)  # noqa: S311 - no secret
    sentences = [s for s in _sentences() if s.isascii() and not re.search(r"[()\\\\]", s)]
    folder.mkdir()

    def page() -> Page:
        lines = wrap(" ".join(chance.choices(sentences, k=LINES_A_PAGE)), LINE)[:LINES_A_PAGE]
        shown = "".join(f"({line}) Tj T* " for line in lines)
        return Page(f"BT /F 10 Tf 14 TL 60 780 Td {shown}ET")

    (folder / "report.pdf").write_bytes(pdf_file(*(page() for _ in range(pages))))


def askance(name: str, python: str) -> Program:
    """A build of this program, by its interpreter."""
    command = [python, "-m", "askance", "library"]
    return Program(
        name,
        lambda folder: [*command, "add", str(folder)],
        lambda words: [*command, "search", words],
        lambda data, _: {**_environment(), "ASKANCE_HOME": str(data)},
    )


def recoll() -> Program | None:
    """Recoll, if it is installed."""
    if not (shutil.which("recollindex") and shutil.which("recollq")):
        return None

    def environment(data: Path, folder: Path) -> dict[str, str]:
        data.mkdir(exist_ok=True)
        (data / "recoll.conf").write_text(f"topdirs = {folder}\n", encoding="utf-8")
        return {**_environment(), "RECOLL_CONFDIR": str(data), "HOME": str(data)}

    return Program(
        "recoll",
        lambda _: ["recollindex"],
        lambda words: ["recollq", "-n", "8", "-a", words],
        environment,
    )


def took(command: Sequence[str], environment: dict[str, str]) -> Took:
    """Run a program to its end.

    Raises:
        SystemExit: it failed.
    """
    before, began = os.times(), time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - as asked
    after, wall_s = os.times(), time.monotonic() - began
    if done.returncode:
        raise SystemExit(f"{command}: {done.stderr}")
    spent = sum(after[2:4]) - sum(before[2:4])
    return Took(wall_s, spent)


STEPS: tuple[str, ...] = (
    f"{SMALL_FILES:,} small files",
    "nothing changed",
    "a search from the terminal",
    f"a PDF of {PDF_PAGES:,} pages",
)


def measure(
    program: Program, small: Path, pdf: Path, work: Path
) -> tuple[dict[str, Took], dict[str, int]]:
    """Return how long each step takes in fresh data folders, and the bytes that they then have."""
    found: dict[str, Took] = {}
    sizes: dict[str, int] = {}
    for folder, steps in ((small, STEPS[:3]), (pdf, STEPS[3:])):
        with TemporaryDirectory(dir=work) as data:
            environment = program.environment(Path(data), folder)
            found[steps[0]] = took(program.index(folder), environment)
            sizes[steps[0]] = sum(f.stat().st_size for f in Path(data).rglob("*") if f.is_file())
            if steps[1:]:
                found[steps[1]] = took(program.index(folder), environment)
                found[steps[2]] = took(program.search(WORDS), environment)
    return found, sizes


def least(runs: Sequence[dict[str, Took]]) -> dict[str, Took]:
    """Return the least of the runs for each step, by the wall and of the processor."""
    return {
        step: Took(min(r[step].wall_s for r in runs), min(r[step].processor_s for r in runs))
        for step in runs[0]
    }


def render(found: dict[str, dict[str, Took]], sizes: dict[str, dict[str, int]], runs: int) -> str:
    """Return the part of the page; `found` and `sizes` are by program, this build first."""
    this, *others = found
    ratios = [f"{this} : {other}" for other in others]
    header = [*(f"{name}, s" for name in found), *ratios]
    rows = ["".join(f"| {cell} " for cell in ("step", *header)) + "|"]
    rows.append("|---|" + "---:|" * len(header))
    for step in STEPS:
        every = [found[name][step] for name in found]
        cells = [f"{one.wall_s:.2f} ({one.processor_s:.2f})" for one in every]
        cells += [
            f"{every[0].wall_s / o.wall_s:.2f} ({_ratio(every[0].processor_s, o.processor_s)})"
            for o in every[1:]
        ]
        rows.append("".join(f"| {cell} " for cell in (step, *cells)) + "|")
    stored = [sum(sizes[name].values()) / _MIB for name in found]
    cells = [f"{size:.0f} MiB" for size in stored] + [f"{stored[0] / s:.2f}" for s in stored[1:]]
    rows.append("".join(f"| {cell} " for cell in ("on disk, both", *cells)) + "|")
    table = "\n".join(rows)
    missing = "" if "recoll" in found else "\nRecoll is left out: it is not installed here.\n"
    return f"""{FILES}
`python -m bench.library_files` writes this part: {SMALL_FILES:,} files of plain text, Markdown and HTML, then one PDF file, by the
command line into fresh data folders, programs in turn. The least of {runs} runs, by the wall and in brackets
of the processor with all children. Two cores, other work may have run beside it: ratios say more than seconds.

{table}
{missing}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write the part of the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.library_files", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--before", default="", help="the interpreter of another build")
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    programs = [askance("askance", sys.executable)]
    if options.before:
        programs.append(askance("before", options.before))
    if (other := recoll()) is not None:
        programs.append(other)
    runs: dict[str, list[dict[str, Took]]] = {program.name: [] for program in programs}
    sizes: dict[str, dict[str, int]] = {}
    with TemporaryDirectory() as made:
        small, pdf = Path(made, "small"), Path(made, "pdf")
        write_files(small)
        write_pdf(pdf)
        for _ in range(options.runs):
            for program in programs:
                found, sizes[program.name] = measure(program, small, pdf, Path(made))
                runs[program.name].append(found)
                seconds = ", ".join(
                    f"{step} {one.wall_s:.2f} ({one.processor_s:.2f})"
                    for step, one in found.items()
                )
                sys.stderr.write(f"{program.name}: {seconds}\n")
    part = render({name: least(found) for name, found in runs.items()}, sizes, options.runs)
    sys.stdout.write(part)
    before = options.out.read_text(encoding="utf-8") if options.out.exists() else ""
    head, mark, meaning = before.partition(MEANING)
    page = f"{head.partition(FILES)[0].strip()}\n\n{part}\n{mark}{meaning}".strip()
    options.out.write_text(f"{page}\n", encoding="utf-8")
    return 0


def _ratio(first: float, second: float) -> str:
    return f"{first / second:.2f}" if second else "-"


def _sentences() -> list[str]:
    pages = (d for d in load_library().documents.values() if d.language == "en")
    texts = (" ".join(d.text.split()) for d in pages)
    return [s for text in texts for s in _SENTENCE.split(text) if 4 <= len(s.split()) <= 40]


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}


if __name__ == "__main__":
    sys.exit(main())
