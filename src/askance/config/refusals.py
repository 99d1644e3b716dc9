"""Why a value of a setting is refused, in words that name where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from askance.config.schema import is_secret, objection
from askance.domain.addresses import bare_address
from askance.domain.errors import SettingsError
from askance.domain.messages import Message

TYPED = "the command line"
"""The origin of what was typed just now: an error need not say where that stands."""


def explained(exc: ValidationError, origins: Mapping[str, str]) -> SettingsError:
    """Return an error that names each refused value, and by `origins` where it stands."""
    values: dict[str, Any] = {}
    reasons: dict[str, Message] = {}
    for error in exc.errors(include_url=False):
        section, field = map(str, error["loc"][:2])
        name = f"{section}.{field}"
        values.setdefault(name, _shown(section, field, error["input"]))
        reasons.setdefault(name, objection(error, section, field))
    return SettingsError(
        Message.joined(
            *(
                _refusal(origins[name], name, repr(values[name]), reason)
                for name, reason in reasons.items()
            )
        ),
        fix=Message("`askance config show {name}` tells what it is for.", name=next(iter(reasons))),
    )


def _shown(section: str, field: str, value: Any) -> Any:
    """Return a value as it may be shown."""
    if is_secret(section, field):
        return "***"
    return bare_address(value) if isinstance(value, str) and "@" in value else value


def _refusal(origin: str, name: str, value: str, reason: Message) -> Message:
    if origin == TYPED:
        return Message(
            "{name} = {said} is not allowed: it {reason}.", name=name, said=value, reason=reason
        )
    return Message(
        "{file}: {name} = {said} is not allowed: it {reason}.",
        file=origin,
        name=name,
        said=value,
        reason=reason,
    )
