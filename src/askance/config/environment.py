"""What the environment of a program asks for beside settings: an input method, a proxy."""

from __future__ import annotations

import os
from collections.abc import Mapping

from askance.config.choices import proxy_address
from askance.config.settings import Settings
from askance.domain.messages import FixKind

QT_VARIABLES = ("QT_IM_MODULES", "QT_IM_MODULE")
"""What Qt reads, the first before the second; several names stand there with semicolons between them."""
X11_VARIABLE = "XMODIFIERS"
_INPUT_VARIABLES = (*QT_VARIABLES, "GTK_IM_MODULE", X11_VARIABLE)
_KNOWN = ("fcitx", "ibus", "uim", "scim", "nimf", "hime", "gcin", "kime")


def asked_input_method(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the variable that names an input method, and the input method; two empty texts if none does."""
    for variable in _INPUT_VARIABLES:
        method = environment.get(variable, "").lower()
        if name := next((known for known in _KNOWN if known in method), ""):
            return variable, name
    return "", ""


# A proxy that the environment names, as companies set it: it is not used unless its user says so.

_PROXY_VARIABLES = (
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "HTTP_PROXY",
    "http_proxy",
)
SET_PROXY = FixKind.USE_PROXY.value
"""The command that takes one over; its address follows."""


def environment_proxy(environment: Mapping[str, str] | None = None) -> tuple[str, str]:
    """Return the variable that names a proxy, and its address as a setting; two empty texts if none does.

    Where nothing is given, the variables of this process count.
    """
    variables = os.environ if environment is None else environment
    for variable in _PROXY_VARIABLES:
        value = variables.get(variable, "").strip()
        if not value:
            continue
        try:
            return variable, proxy_address(value if "://" in value else f"http://{value}")
        except ValueError:
            continue
    return "", ""


def unused_proxy(
    settings: Settings, environment: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Return the proxy of the environment where the settings name none, and do not say `direct`."""
    if settings.search.proxy or settings.reader.proxy:
        return "", ""
    return environment_proxy(environment)
