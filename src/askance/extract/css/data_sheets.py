"""Style sheets that stand in an address: `data:text/css,...`."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import unquote_to_bytes


def sheet_in(address: str) -> str:
    """Return the sheet that a `data:` address holds, or an empty text. Nothing is fetched."""
    scheme, _, rest = address.strip().partition(":")
    kind, comma, data = rest.partition(",")
    if scheme.lower() != "data" or not comma:
        return ""
    name, *parameters = (part.strip().lower() for part in kind.split(";"))
    if name != "text/css":
        return ""
    content = unquote_to_bytes(data.partition("#")[0])
    if "base64" in parameters[-1:]:
        try:
            content = base64.b64decode(b"".join(content.split()) + b"==")
        except binascii.Error:
            return ""
    return content.decode("utf-8", "replace")
