"""The benchmark's page: tables first, then how they came about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Template

from askance.sample_web.sample_pages import QuestionKind
from bench.citing import score_citations
from bench.costs import Speed
from bench.figures import Figures, honesty_of, sum_up
from bench.model import CONTEXT_TOKENS
from bench.runs import Run
from bench.script import Manner
from bench.web import PAGE_MEDIAN_S, SEARCH_S

COLUMNS: dict[str, Callable[[Figures], str]] = {
    "evidence recall": lambda f: "–" if f.recall is None else f"{f.recall:.3f}",
    "pages read of offered": lambda f: f"{f.pages_read:.1f} of {f.pages_offered:.1f}",
    "model calls": lambda f: f"{f.calls:.1f}",
    "prompt tokens sent": lambda f: f"{f.sent:,.0f}",
    "evaluated": lambda f: f"{f.evaluated:,.0f}",
    "written": lambda f: f"{f.written:,.0f}",
    "first token, s": lambda f: f"{f.first_token_s:.1f}",
    "total, s": lambda f: f"{f.total_s:.1f}",
}
KIND_NAMES = {
    QuestionKind.SINGLE: "one page has it",
    QuestionKind.TWO_HOP: "two hops",
    QuestionKind.COMPARISON: "comparison",
    QuestionKind.DISAGREEMENT: "pages disagree",
    QuestionKind.UNANSWERABLE: "no page has it",
    QuestionKind.HOSTILE: "hostile page",
}
MANNER_NAMES = {
    Manner.RIGHT: "right markers",
    Manner.NONE: "no markers",
    Manner.WRONG: "wrong markers",
}
ERRING = {
    Manner.RIGHT: "never errs",
    Manner.NOISY: "errs one time in five",
    Manner.GARBAGE: "talks garbage three times of four",
    Manner.EAGER: "writer never gives up",
    Manner.TIMID: "writer always gives up",
}
_PAGE = Template(
    """\
# The pipeline, measured

`make bench` writes this page. It runs the real engine over the questions of the sample web, $count
of them, with a scripted model and simulated time, so that the figures are the same on every machine.
Each is a mean over the questions; the seconds stand last, because they alone depend on the assumed
speed of the model: $prefill prompt tokens evaluated and $decode tokens written a second, about a
small model on a laptop without a GPU.

![What each part saves](pipeline.png)

## With each part switched off

$variants

- **Evidence recall**: the share of the $gold sentences that carry an answer which stood before the
  writer. One sentence is worth $point: differences of that size are noise.
- **Sent** and **evaluated**: all prompt tokens of a run, and those that the model's cache did not hold.
- **First token**: seconds from the question to the first token of the answer.

The parts: the *shared prefix* lets a call pay only for what its prompt adds to the last one (without
it, every prompt is evaluated whole). The *early stop* leaves a reply as soon as it has said what
decides (without it, every reply is heard to its end). *Reading ahead* searches and reads while the
question is thought about (without it, one thing follows the other). *Portions* let evidence enter step by step, the
rest of the first round only where no search brings more (without them, all of it enters).

Rules of the steps, each left out alone: a *first step* of 400 tokens before that of 900; a *verdict* in one word between
the two where nothing is plain; 400 tokens of the *missing page* before the rest of its round; the *writer* asked before
the judge where code finds the answer plain, since it gives up in five words; a *gap* searched while the verdict
that names it is still being written; what has entered *evaluated ahead* while late pages are waited for; *late pages* waited for before the
second step, and taken before a run gives up; a second round *in vain*, which found no passage with more of the
question, ends the search; *no plan* for an English question that stands alone; 700 tokens a later
round; and, beside the *name* that a gap asks for, that name with the words of the question.

## By kind of question

As shipped:

$kinds

Seconds to the first token:

$first_tokens

## Models that err

The same questions, asked of models of other manners; of those that err by chance $sets times, each time elsewhere:

$erring

- **Answered**: of the questions that have an answer, those that were answered from all of the evidence; **guessed**, those that were
  answered without it; **passages**, those that ended with the best passages in the place of an answer.
- **Declined**: of the questions that have no answer, those that ended without one.

A model that errs one time in five says the opposite of its verdict, or writes what the first source begins with where it
should give up. Once it has contradicted itself or talked garbage in a run, a verdict comes before the writer. Where the
writer has given up before, an answer against the last verdict is taken back unless another one agrees with it. The
beginning of a JSON object is no answer. Nothing helps where the writer is asked first, in evidence that looks plain, and guesses at once.

## Citations

The same runs with writers that set their markers well, not at all, or wrong, after the citation check:

$citations

A marker is right if its source has the sentence. *Sentences cited* are those with a right marker.
*Carried* is what the check itself says of the markers.

## How it is measured

- The web is the sample web: its own search index, its pages through the real extraction. A search
  takes $search ms, a page a lognormal time with a median of $page ms that depends on its URL alone.
- The model has one slot and a context of $context tokens, and starts cold for each question. Of a prompt it
  evaluates what follows the longest common prefix with the last prompt and its reply.
- As a judge it says `sufficient` when every sentence of the known answer stands in the prompt: 60 % of
  its runs of three words, and all its numbers. Its gap queries are made of words of the question and of
  names that the prompt shows. As a writer it repeats those sentences with their numbers, or says that
  it could not find them.
- Time is simulated: the event loop's clock jumps from one timer to the next. The program's own
  computing counts as nothing.

What this does not tell: how well a real model plans, judges and writes. The scripted one errs by dice
and answers in a few sentences; a real answer takes longer to write.
"""
)


def render_report(
    variants: Mapping[str, Sequence[Run]],
    manners: Mapping[Manner, Sequence[Run]],
    speed: Speed,
    sets: int = 1,
) -> str:
    """Return the page as Markdown. The first variant is the program as it ships.

    What errs by chance was asked `sets` times.
    """
    shipped = next(iter(variants.values()))
    gold = sum(len(run.question.gold) for run in shipped)
    kinds = {name: of_kind(shipped, kind) for kind, name in KIND_NAMES.items()}
    return _PAGE.substitute(
        count=len(shipped),
        gold=gold,
        point=f"{1 / gold:.3f}",
        prefill=f"{speed.prefill:g}",
        decode=f"{speed.decode:g}",
        search=f"{1000 * SEARCH_S:.0f}",
        page=f"{1000 * PAGE_MEDIAN_S:.0f}",
        context=f"{CONTEXT_TOKENS:,}",
        variants=_figures_table({name: sum_up(runs) for name, runs in variants.items()}),
        kinds=_figures_table({f"{n} ({len(r)})": sum_up(r) for n, r in kinds.items() if r}),
        first_tokens=_first_token_table(variants),
        citations=_citation_table({m: manners[m] for m in MANNER_NAMES}),
        erring=_erring_table(manners),
        sets=sets,
    )


def of_kind(runs: Sequence[Run], kind: QuestionKind) -> list[Run]:
    """Return the runs of one kind of question."""
    return [run for run in runs if run.question.kind is kind]


def _figures_table(rows: Mapping[str, Figures]) -> str:
    cells = [[name, *(show(f) for show in COLUMNS.values())] for name, f in rows.items()]
    return _table(["", *COLUMNS], cells)


def _first_token_table(variants: Mapping[str, Sequence[Run]]) -> str:
    kinds = [k for k in KIND_NAMES if any(of_kind(runs, k) for runs in variants.values())]
    cells = [
        [name, *(f"{sum_up(of_kind(runs, kind)).first_token_s:.1f}" for kind in kinds)]
        for name, runs in variants.items()
    ]
    return _table(["", *(KIND_NAMES[kind] for kind in kinds)], cells)


def _citation_table(manners: Mapping[Manner, Sequence[Run]]) -> str:
    cells: list[list[str]] = []
    for manner, runs in manners.items():
        score = score_citations(runs)
        shares = (score.precision, score.recall, score.support)
        cells.append([MANNER_NAMES[manner], str(score.markers), *(f"{s:.3f}" for s in shares)])
    return _table(
        ["the writer sets", "markers", "markers right", "sentences cited", "carried"], cells
    )


def _erring_table(manners: Mapping[Manner, Sequence[Run]]) -> str:
    cells: list[list[str]] = []
    for manner, name in ERRING.items():
        runs = manners[manner]
        figures, honest = sum_up(runs), honesty_of(runs)
        shares = (
            figures.recall or 0.0,
            honest.answered,
            honest.guessed,
            honest.quoted,
            honest.declined,
        )
        costs = (figures.evaluated, figures.written)
        cells.append([name, *(f"{s:.3f}" for s in shares), *(f"{c:,.0f}" for c in costs)])
    head = [
        "the model",
        "evidence recall",
        "answered",
        "guessed",
        "passages",
        "declined",
        "evaluated",
        "written",
    ]
    return _table(head, cells)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *(["---:"] * (len(head) - 1))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])
