"""The token's file, and the proofs that are made with it."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.domain.errors import SettingsError
from askance.local_service.credentials import Nonces, RequestProof, Token, read_token

WORD = "s3cret-_~-of-22-letters"


def test_space_around_a_token_does_not_count(tmp_path: Path):
    file = tmp_path / "token"
    file.write_bytes(f"\n  {WORD} \r\n".encode())
    proof = RequestProof.fresh(Token(WORD), "GET", "/", b"")
    assert proof.holds(read_token(file), "GET", "/")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"two words, long enough for one", "holds no token"),
        (b"two-lines-long-enough\nfor-one", "holds no token"),
        ("café-and-more-than-that-of-it".encode(), "holds no token"),
        (b"\xff\xfe", "is not text"),
        (b"x" * 1001, "holds no token"),
        (b"x" * 21, "22 to 1000"),
    ],
)
def test_a_file_without_a_token_is_told(tmp_path: Path, content: bytes, problem: str):
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=problem) as caught:
        read_token(file)
    assert str(file) in str(caught.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path):
    for file in (tmp_path / "none", tmp_path):
        with pytest.raises(SettingsError, match="cannot be read"):
            read_token(file)


def test_the_proofs_are_those_that_are_written_down():
    """So that another implementation can be made from the words alone."""
    token, nonce, digest = Token(WORD), "0f" * 16, hashlib.sha256(b"body").hexdigest()

    def over(message: str) -> str:
        return hmac.new(WORD.encode(), message.encode(), hashlib.sha256).hexdigest()

    asked = token.request_proof("POST", "/read?a=b", nonce, digest)
    assert asked == over(f"askance request 1\nPOST\n/read?a=b\n{nonce}\n{digest}\n")
    assert token.head_proof(nonce, 200) == over(f"askance reply head 1\n{nonce}\n200\n")
    body = token.body_proof(nonce, 200)
    body.update(b"Some ")
    body.update(b"words")
    assert body.hexdigest() == over(f"askance reply body 1\n{nonce}\n200\nSome words")


def test_a_request_is_proven_for_its_method_target_nonce_and_body():
    token = Token(WORD)
    proof = RequestProof.fresh(token, "GET", "/search?q=a", b"")
    assert RequestProof.parse(proof.header()) == proof
    assert proof.holds(token, "GET", "/search?q=a")
    other = RequestProof.fresh(token, "GET", "/search?q=a", b"")
    assert other.nonce != proof.nonce
    for wrong in (
        not proof.holds(token, "POST", "/search?q=a"),
        not proof.holds(token, "GET", "/search?q=b"),
        not proof.holds(Token(f"{WORD}x"), "GET", "/search?q=a"),
        not RequestProof(other.nonce, proof.body_digest, proof.proof).holds(
            token, "GET", "/search?q=a"
        ),
        not RequestProof(proof.nonce, "0" * 64, proof.proof).holds(token, "GET", "/search?q=a"),
    ):
        assert wrong


@given(st.text())
def test_no_header_is_taken_that_was_not_made(header: str):
    assert RequestProof.parse(header) is None


def test_nonces_are_taken_once_and_the_oldest_are_forgotten():
    nonces = Nonces(limit=3)
    assert [nonces.take(n) for n in ("a", "b", "a", "c", "d")] == [True, True, False, True, True]
    assert not nonces.take("b")
    assert nonces.take("a")
