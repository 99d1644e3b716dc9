"""Which input method the environment asks for: what Chinese, Japanese and other scripts are typed with."""

from __future__ import annotations

from collections.abc import Mapping

QT_VARIABLES = ("QT_IM_MODULES", "QT_IM_MODULE")
"""What Qt reads, the first before the second; several names stand there with semicolons between them."""
X11_VARIABLE = "XMODIFIERS"
_VARIABLES = (*QT_VARIABLES, "GTK_IM_MODULE", X11_VARIABLE)
_KNOWN = ("fcitx", "ibus", "uim", "scim", "nimf", "hime", "gcin", "kime")


def asked_input_method(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the variable that names an input method, and the input method; two empty texts if none does."""
    for variable in _VARIABLES:
        method = environment.get(variable, "").lower()
        if name := next((known for known in _KNOWN if known in method), ""):
            return variable, name
    return "", ""
