"""`kill -9` while documents are added, changed, embedded and deleted: is what was acknowledged there, and
only that?

A process that has everything loaded forks for each round. Its child works on the library and says what is
done; it is killed at a random moment, between two of its lines or in the middle of a transaction.

    python -m bench.library_kills [--kills N] [--seed N]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from askance.adapters.library.library_vectors import SqliteVectors
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.library import Document, Origin
from askance.domain.ports.model import Identity, unit
from askance.text.languages.recognition import recognise

# From a child's first word on, in seconds: dozens of transactions.
LATEST_KILL_S = 0.25
_VERSIONS_DAYS = 90
_MODEL = Identity("made here", "", 64)
_SAME = 0.999
_WORDS = [
    "ferry",
    "mill",
    "harbour",
    "loaf",
    "storm",
    "petrel",
    "lantern",
    "quarry",
    "ledger",
    "copper",
    "winter",
    "census",
]
_CHILD = "from bench.library_kills import serve; serve()"


@dataclass(slots=True)
class Killed:
    """What came of it. `problems` says what was lost, what came back, and where index and tables differ."""

    kills: int = 0
    added: int = 0
    changed: int = 0
    deleted: int = 0
    embedded: int = 0
    problems: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Promised:
    """What the library must hold: the text of each address; where a change was under way, either.

    `embedded` are the texts that have a vector, `gone` those that were deleted.
    """

    texts: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    doubtful: set[str] = field(default_factory=set[str])
    embedded: set[str] = field(default_factory=set[str])
    gone: set[str] = field(default_factory=set[str])


def kill_often(folder: Path, kills: int, seed: int = 1) -> Killed:
    """Work on a library and kill that work so many times; look after each time."""
    file = folder / "library.sqlite3"
    outcome, promised = Killed(), _Promised()
    chance = random.Random(seed)  # noqa: S311 - no secret
    process = subprocess.Popen(  # noqa: S603 - this very Python
        [sys.executable, "-c", _CHILD, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    with process:
        try:
            for round_ in range(kills):
                _one_round(process, round_ + 1000 * seed, chance, promised, outcome)
                outcome.problems += _looked(file, promised)
        finally:
            process.kill()
    return outcome


def _one_round(
    process: subprocess.Popen[str],
    round_: int,
    chance: random.Random,
    promised: _Promised,
    outcome: Killed,
) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{round_}\n")
    process.stdin.flush()
    pid = int(process.stdout.readline())
    process.stdout.readline()  # its first word
    until = time.monotonic() + chance.random() * LATEST_KILL_S
    while time.monotonic() < until:
        pass
    os.kill(pid, signal.SIGKILL)
    outcome.kills += 1
    while (line := process.stdout.readline().rstrip("\n")) != "ended":
        # What a killed process was about to write may lack its end.
        done, _, rest = line.partition(" ")
        url, _, text = rest.partition(" ")
        if done in {"adding", "deleting"}:
            promised.doubtful.add(url)
            promised.texts.setdefault(url, set()).add(text)
        elif done == "added":
            outcome.changed += url in promised.texts and len(promised.texts[url]) > 1
            outcome.added += 1
            promised.texts[url] = {text}
            promised.doubtful.discard(url)
        elif done == "deleted":
            outcome.deleted += 1
            promised.gone |= promised.texts.pop(url)
            promised.doubtful.discard(url)
        elif done == "embedded":
            outcome.embedded += 1
            promised.embedded.add(text)


def _looked(file: Path, promised: _Promised) -> list[str]:
    """Return what is wrong with the library; and take it from there."""
    problems: list[str] = []
    library = SqliteLibrary(file, _VERSIONS_DAYS, problems.append)
    problems += library.check()
    held = {record.url: text for record, text in library.every()}
    for url in held.keys() - promised.texts.keys():
        problems.append(f"{url} was deleted and is there")
    for url, texts in promised.texts.items():
        if url not in held and url not in promised.doubtful:
            problems.append(f"{url} was acknowledged and is gone")
        elif url in held and held[url] not in texts:
            problems.append(f"{url} holds a text that was not the last")
    for url, text in held.items():
        word = text.split()[-1]
        if url not in {hit.url for hit in library.search(word, 100)}:
            problems.append(f"{url} is not found")
    problems += _looked_at_vectors(file, SqliteVectors(library), held, promised)
    library.close()
    promised.texts = {url: {text} for url, text in held.items()}
    promised.doubtful.clear()
    return problems


def _looked_at_vectors(
    file: Path, vectors: SqliteVectors, held: dict[str, str], promised: _Promised
) -> list[str]:
    """Return what is wrong with the vectors: lost, of another text, or of one that was deleted."""
    problems = []
    urls = {text: url for url, text in held.items()}
    for text in promised.embedded & urls.keys():
        hits = vectors.nearest(_MODEL, _vector(text), 1, words="", least=_SAME)
        if [hit.text for hit in hits] != [text]:
            problems.append(f"the vector of {urls[text]} was acknowledged and is gone")
    content = file.read_bytes()
    for text in promised.gone - urls.keys():
        if vectors.nearest(_MODEL, _vector(text), 1, words="", least=_SAME):
            problems.append("a deleted passage is found by its vector")
        if np.asarray(_vector(text), dtype=np.float32).tobytes() in content:
            problems.append("the vector of a deleted passage is in the file")
    promised.embedded &= urls.keys()
    return problems


def _vector(text: str) -> list[float]:
    drawn = random.Random(hashlib.sha256(text.encode()).digest())  # noqa: S311 - no secret
    return unit([drawn.gauss(0.0, 1.0) for _ in range(_MODEL.dimension)]) or []


def serve() -> None:
    """Fork for each line of standard input, and say when the child has ended."""
    file = Path(sys.argv[1])
    recognise("Vad kostar en biljett?")  # its model is loaded once, and not in each child
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            try:
                _work(file, int(line))
            finally:
                os._exit(1)
        os.waitpid(pid, 0)
        _say("\nended")  # behind a line that may have been broken off


def _work(file: Path, seed: int) -> None:
    """Add, change and delete, for ever; say beforehand what may be, and afterwards what is."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    library = SqliteLibrary(file, _VERSIONS_DAYS, _say)
    vectors = SqliteVectors(library)
    _say(str(os.getpid()))
    _say("begun")
    while True:
        if chance.random() < 0.3:
            waiting = vectors.unembedded(_MODEL, chance.randrange(1, 20))
            vectors.store(_MODEL, [(passage, _vector(passage.text)) for passage in waiting])
            for passage in waiting:
                _say(f"embedded - {passage.text}")
            continue
        number = chance.randrange(60)
        url = f"https://kept.example/{number}"
        if chance.random() < 0.3 and (found := library.find(url)):
            _say(f"deleting {url} {library.text(found[0].id)}")
            library.remove([found[0].id])
            _say(f"deleted {url}")
        else:
            words = [chance.choice(_WORDS) for _ in range(chance.randrange(5, 60))]
            text = f"{' '.join(words)} n{seed}x{chance.randrange(10**9)}"
            _say(f"adding {url} {text}")
            library.add([Document(url, f"Page {number}", text, Origin.WEB)])
            _say(f"added {url} {text}")


def _say(line: str) -> None:
    # One write: what is said is said whole.
    os.write(1, f"{line}\n".encode())


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill as often as is asked for, and say what came of it."""
    parser = argparse.ArgumentParser(description="Kill a library at random moments.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        outcome = kill_often(Path(folder), options.kills, options.seed)
    sys.stdout.write(
        f"{outcome.kills} kills: {outcome.added} documents acknowledged, {outcome.changed} of them "
        f"changes, {outcome.embedded} passages embedded, {outcome.deleted} documents deleted; {len(outcome.problems)} problems\n"
    )
    for problem in outcome.problems:
        sys.stdout.write(f"- {problem}\n")
    return 1 if outcome.problems else 0


if __name__ == "__main__":
    sys.exit(main())
