"""Versions: which texts are some, and which is newer."""

from __future__ import annotations

from askance.domain.updates import Release, is_prerelease, newer_releases, version_key
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
    assert newer_releases([Release(text)], "0.1") == ()


def test_only_who_has_a_prerelease_is_told_of_others() -> None:
    listed = [Release("0.2.0rc1"), Release("0.1.0"), Release("0.1.2"), Release("0.1.1")]
    assert [r.version for r in newer_releases(listed, "0.1.0")] == ["0.1.2", "0.1.1"]
    assert [r.version for r in newer_releases(listed, "0.2.0b3")] == ["0.2.0rc1"]
    assert newer_releases(listed, "0.1.2") == ()
    assert newer_releases(listed, "no version") == ()
    assert is_prerelease("0.2.0rc1")
    assert not is_prerelease("0.2.0")
