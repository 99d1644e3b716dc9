"""Characters that a person does not see, and that carry hidden text into a prompt."""

from __future__ import annotations

import re

# Scripts in which a joiner changes the letters: Arabic and its kin, the Indic scripts, Tibetan,
# Myanmar, Khmer, Mongolian.
_JOINING = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefe"
_LONE_JOINER = re.compile(f"(?<![{_JOINING}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINING}])")
INVISIBLE_CHARACTERS = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, selectors
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width, direction marks and overrides
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff"  # lone surrogates: no text, and no encoder takes them
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # tags spell hidden ASCII
)
"""Those that no script needs, as they stand in a class of a regular expression."""
_INVISIBLE = re.compile(f"[{INVISIBLE_CHARACTERS}]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def strip_invisible(text: str) -> str:
    """Return the text without invisible characters, its line ends as `\\n`.

    Joiners stay between letters of a script that needs them.
    """
    return _LONE_JOINER.sub("", _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text)))
