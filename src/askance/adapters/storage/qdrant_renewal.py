"""Passages on a Qdrant server whose stems an earlier version made, and how they are brought up to date.

Each passage says which version of the index its stems are of (`index_version`); one that says nothing is of the first.
Its stems are made anew of what it keeps itself, so that neither its document nor its vector is written.
"""

from __future__ import annotations

from qdrant_client import models

from askance.adapters.storage.library_tables import INDEX_VERSION
from askance.adapters.storage.qdrant_points import (
    VERSION_FIELD,
    Payload,
    passage_point,
    stems_of_payload,
)
from askance.adapters.storage.qdrant_replies import PASSAGES
from askance.adapters.storage.qdrant_server import (
    INDEXED_OF_PASSAGES,
    PAGE,
    QdrantServer,
    among,
    every,
)

# Those of a later version stay: another machine that has it may share the server.
_OUTDATED = models.Filter(
    must_not=[models.FieldCondition(key=VERSION_FIELD, range=models.Range(gte=INDEX_VERSION))]
)
# What other machines change meanwhile is done again, so many times.
_TRIES = 3


def outdated(server: QdrantServer) -> int:
    """Return how many passages are found by the stems of an earlier version."""
    return server.count(PASSAGES, _OUTDATED)


def renew(server: QdrantServer, most: int) -> bool:
    """Bring passages up to date, some `most` of them; return whether none is outdated any more."""
    if not server.exists(PASSAGES):
        return True
    # A collection of an earlier version has no such index: without it the server looks at every passage.
    server.index(PASSAGES, VERSION_FIELD, INDEXED_OF_PASSAGES[VERSION_FIELD])
    last: list[Payload] = []
    for _ in range(0, most, PAGE):
        found = server.some(PASSAGES, _OUTDATED, min(most, PAGE))
        if not found:
            return True
        if found == last:  # what is written there is not kept
            return False
        _renew_passages(server, found)
        last = found
    return not outdated(server)


def _renew_passages(server: QdrantServer, found: list[Payload]) -> None:
    for _ in range(_TRIES):
        passages = {passage_point(one["document"], one["number"]): one for one in found}
        points = list(passages)
        stems = {point: stems_of_payload(payload) for point, payload in passages.items()}
        server.put_stems(PASSAGES, stems)
        server.set_fields(PASSAGES, {VERSION_FIELD: INDEX_VERSION}, every(among(points)))
        # Another machine may have changed what they say in between.
        found = [
            payload
            for payload in server.read(PASSAGES, points)
            if stems_of_payload(payload)
            != stems[passage_point(payload["document"], payload["number"])]
        ]
        if not found:
            return
