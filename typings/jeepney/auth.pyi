from collections.abc import Iterator

BEGIN: bytes

class Authenticator:
    def __iter__(self) -> Iterator[bytes]: ...
    def feed(self, data: bytes) -> None: ...
