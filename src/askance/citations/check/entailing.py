"""What words leave open in a checked answer, decided by a model of entailment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from askance.citations.check.checking import Checked, doubts, settled
from askance.citations.markdown.answer_markers import lift_markers
from askance.domain.evidence import Extract
from askance.domain.ports.model import Entailment

# More likely stated than not, as MiniCheck decides (decision 65).
LEAST_PROBABILITY = 0.5
_MOST_DOUBTS = 12


async def entailed(
    checked: Checked, extracts: Sequence[Extract], model: Entailment
) -> tuple[Checked, int]:
    """Return the answer with the grades of what a passage of its source entails raised, and how many sentences were open.

    Each passage that the writer saw is compared for itself; one that states a sentence is enough. What words have decided
    is not asked about.

    Raises:
        ServiceError, SettingsError: the model cannot be used.
    """
    asked = doubts(checked)[:_MOST_DOUBTS]
    passages = defaultdict[int, list[str]](list)
    for extract in extracts:
        passages[extract.n].append("\n".join(filter(None, (extract.heading, extract.text))))
    compared = [(doubt, text) for doubt in asked for text in passages[doubt.citation.n]]
    known = frozenset(passages)
    pairs = [(text, lift_markers(doubt.citation.sentence, known).text) for doubt, text in compared]
    found = zip(compared, await model.probabilities(pairs), strict=True)
    stated = [doubt for (doubt, _), probability in found if probability >= LEAST_PROBABILITY]
    # In the order of `doubts`: where both sources state it, the marker stays at the cited one.
    return settled(checked, stated), len({doubt.place for doubt in asked})
