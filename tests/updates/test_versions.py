"""Versions: which texts are some, and which is newer."""

from __future__ import annotations

from askance.domain.updates import Release, UpdateState, is_prerelease, version_key
from sampled import each_row


def test_versions_are_ordered_as_they_are_published() -> None:
    published = [
        "0.1",
        "0.1.1",
        "0.2.0a1",
        "0.2.0a2",
        "0.2.0b1",
        "0.2.0rc1",
        "v0.2.0",
        "0.10",
        "1.0",
    ]
    keys = [version_key(text) for text in published]
    assert None not in keys
    assert keys == sorted(keys)  # type: ignore[type-var]
    assert version_key("0.2") == version_key("v0.2.0")


@each_row(
    "text",
    [
        *("", "1", "v", "1.", "1.2.3.4", "1.2-3", "1.2.3+local", "1!2.0", "1.2.post1", "1.2.dev3"),
        *(
            " 1.2",
            "1.2\n",
            "1.2 ",
            "V1.2",
            "1.2rc",
            "1.2.3 <b>",
            "\u0661.\u0662",
            "999999.1",
            "1.2rc99999",
        ),
        *("../../1.2", "1.2\x1b[31m", "latest"),
    ],
)
def test_what_is_no_version_is_never_taken_for_one(text: str) -> None:
    assert version_key(text) is None
    assert UpdateState(releases=(Release(text),)).newer("0.1") == ()


def test_only_who_has_a_prerelease_is_told_of_others() -> None:
    versions = ("0.2.0rc1", "0.1.0", "0.1.2", "0.1.1")
    state = UpdateState(releases=tuple(map(Release, versions)))
    assert [r.version for r in state.newer("0.1.0")] == ["0.1.2", "0.1.1"]
    assert [r.version for r in state.newer("0.2.0b3")] == ["0.2.0rc1"]
    assert state.newer("0.1.2") == ()
    assert state.newer("no version") == ()
    assert is_prerelease("0.2.0rc1")
    assert not is_prerelease("0.2.0")
