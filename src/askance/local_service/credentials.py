"""The token that a local service shares with this program, and how both prove that they know it.

The token itself never leaves either side: whoever else listens on the port, or asks there, does not
learn it. Each side computes HMAC-SHA256 (RFC 2104) under it. Each kind of message begins with a line
of its own, so that no proof can stand for another one:

    request     `askance request 1`, method, target, nonce, SHA-256 of the body
    reply head  `askance reply head 1`, nonce, status
    reply body  `askance reply body 1`, nonce, status, and then the body, byte by byte

a line each, with a line feed after every one; no field can hold a line feed. A request carries
`Authorization: Askance-HMAC-SHA256 NONCE BODY_SHA256 PROOF`, all in hexadecimal. The nonce is fresh,
and the service takes each one once, so that a request that somebody recorded serves nothing twice;
neither side needs a clock. The reply carries the proof of its head in `Authentication-Info`
(RFC 7615), before anything of the body is believed, and the proof of its body as the last 64 bytes
of that body: so a reply may be a stream, and somebody between the two cannot put another body
behind a true head.

What is not hidden: whoever listens on the port reads what is asked. And a service forgets its nonces
when it ends, and the oldest beyond `REMEMBERED`: until then a recorded request that it never saw can
be brought to it once.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from askance.domain.errors import SettingsError

SCHEME = "Askance-HMAC-SHA256"
# A proof can be tried against guesses at leisure: 22 letters of base64 hold 128 bits.
SHORTEST, LONGEST = 22, 1000
# Hexadecimal digits of a proof, and bytes of the one that follows a body.
PROOF_LENGTH = 64
NONCE_BYTES = 16
# Some 10 MB of them at the most.
REMEMBERED = 100_000
_SHAPE = re.compile(rf"[!-~]{{{SHORTEST},{LONGEST}}}")
# Lower case only: a proof has one spelling, so a nonce cannot be replayed in another one.
_HEADER = re.compile(rf"{SCHEME} ([0-9a-f]{{32}}) ([0-9a-f]{{64}}) ([0-9a-f]{{64}})")
_REQUEST, _HEAD, _BODY = "askance request 1", "askance reply head 1", "askance reply body 1"


class Token:
    """A shared secret that is never sent and never printed.

    Raises:
        ValueError: it is no single word of ASCII, or too short to withstand guessing.
    """

    def __init__(self, value: str) -> None:
        if not _SHAPE.fullmatch(value):
            raise ValueError(f"not one word of {SHORTEST} to {LONGEST} ASCII signs")
        self._key = value.encode("ascii")

    def request_proof(self, method: str, target: str, nonce: str, body_digest: str) -> str:
        """Return the proof of a request. `target` is the path with its query, as it is sent."""
        return self._over(_REQUEST, method, target, nonce, body_digest).hexdigest()

    def head_proof(self, nonce: str, status: int) -> str:
        """Return the proof of a reply's head."""
        return self._over(_HEAD, nonce, f"{status}").hexdigest()

    def body_proof(self, nonce: str, status: int) -> hmac.HMAC:
        """Return the beginning of the proof of a reply's body, for the body to be added to."""
        return self._over(_BODY, nonce, f"{status}")

    def _over(self, *lines: str) -> hmac.HMAC:
        message = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        return hmac.new(self._key, message, hashlib.sha256)


@dataclass(frozen=True, slots=True)
class RequestProof:
    """What the header `Authorization` says: a nonce, the body's SHA-256, the proof of both."""

    nonce: str
    body_digest: str
    proof: str

    @classmethod
    def fresh(cls, token: Token, method: str, target: str, body: bytes) -> RequestProof:
        """Return the proof for a request that is about to be sent."""
        nonce, digest = secrets.token_hex(NONCE_BYTES), hashlib.sha256(body).hexdigest()
        return cls(nonce, digest, token.request_proof(method, target, nonce, digest))

    @classmethod
    def parse(cls, header: str) -> RequestProof | None:
        """Return what a header says, None for another scheme or shape."""
        found = _HEADER.fullmatch(header)
        return cls(*found.groups()) if found else None

    def header(self) -> str:
        """Return the value of the header."""
        return f"{SCHEME} {self.nonce} {self.body_digest} {self.proof}"

    def holds(self, token: Token, method: str, target: str) -> bool:
        """Return whether somebody who knows the token made it for this request. In constant time."""
        wanted = token.request_proof(method, target, self.nonce, self.body_digest)
        return same(self.proof, wanted)


class Nonces:
    """The nonces that were taken, the oldest forgotten beyond `limit`.

    Only those of proven requests come in here, so that nobody else can fill it.
    """

    def __init__(self, limit: int = REMEMBERED) -> None:
        self._limit = limit
        self._taken: OrderedDict[str, None] = OrderedDict()

    def take(self, nonce: str) -> bool:
        """Take a nonce; False if it was taken before."""
        if nonce in self._taken:
            return False
        self._taken[nonce] = None
        if len(self._taken) > self._limit:
            self._taken.popitem(last=False)
        return True


def same(given: str, wanted: str) -> bool:
    """Compare two proofs in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), wanted.encode())


def read_token(file: Path) -> Token:
    """Read the token from its file; space around it does not count.

    Raises:
        SettingsError: it cannot be read, is empty, or is no token.
    """
    try:
        text = file.read_text("utf-8").strip()
        if text:
            return Token(text)
        cause, problem = None, "is empty"
    except UnicodeDecodeError as exc:
        cause, problem = exc, "is not text"
    except OSError as exc:
        cause, problem = exc, f"cannot be read: {exc.strerror or exc}"
    except ValueError as exc:
        cause, problem = exc, f"holds no token: {exc}"
    fix = "`askance up` makes one."
    raise SettingsError(f"The token file {file} {problem}.", fix=fix) from cause


def digest_of(token: str) -> str:
    """Return what is stored of a token: it holds 256 bits of chance, which no table of digests lists."""
    # A client may send a lone surrogate, which is to be refused as any wrong token is.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
