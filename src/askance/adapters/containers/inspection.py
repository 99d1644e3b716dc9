"""What the engine's record of a container says about its service."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from askance.adapters.containers.state import RUNNING, Health, ServiceState
from askance.domain.messages import Message

Record = dict[str, Any]


def state_of(service: str, record: Record) -> ServiceState:
    """Return the state of a service from `GET /containers/ID/json`."""
    state = table(record, "State")
    status = str(state.get("Status") or "unknown")
    began = state.get("StartedAt") if status == RUNNING else state.get("FinishedAt")
    return ServiceState(
        name=service,
        state=status,
        health=_health(state),
        image=str(table(record, "Config").get("Image") or record.get("ImageName") or ""),
        since=_moment(began) or _moment(record.get("Created")),
        addresses=_addresses(record),
        exit_code=int(state.get("ExitCode") or 0),
        restarts=int(record.get("RestartCount") or 0),
        reason=_reason(status, state),
    )


def with_shared_ports(
    states: Mapping[str, ServiceState], records: Mapping[str, Record]
) -> tuple[ServiceState, ...]:
    """Return the states by name. Ports published by a container for another that lives in its
    network are those of that other.
    """
    moved = dict(states)
    owners = {str(records[name].get("Id", "")): name for name in states}
    for name, record in records.items():
        mode = str(table(record, "HostConfig").get("NetworkMode", ""))
        owner = owners.get(mode.removeprefix("container:"))
        if mode.startswith("container:") and owner is not None:
            moved[name] = dataclasses.replace(moved[name], addresses=states[owner].addresses)
            moved[owner] = dataclasses.replace(moved[owner], addresses=())
    return tuple(moved[name] for name in sorted(moved))


def table(record: Record, key: str) -> Record:
    """Return a table inside a record, an empty one where there is none."""
    inner = record.get(key)
    return cast("Record", inner) if isinstance(inner, dict) else {}


def _health(state: Record) -> Health:
    try:
        return Health(str(table(state, "Health").get("Status")))
    except ValueError:  # Podman leaves it empty where there is no check
        return Health.NONE


def _reason(status: str, state: Record) -> str:
    if status == RUNNING:
        return ""
    if state.get("OOMKilled"):
        return Message("it ran out of memory")
    return str(state.get("Error") or "")


def _moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.year > 1 else None  # the year 1 stands for never


def _addresses(record: Record) -> tuple[str, ...]:
    ports = cast(
        "dict[str, list[dict[str, str]] | None]", table(table(record, "NetworkSettings"), "Ports")
    )
    bindings = [binding for listed in ports.values() for binding in listed or ()]
    return tuple(sorted({f"{b['HostIp'] or '0.0.0.0'}:{b['HostPort']}" for b in bindings}))  # noqa: S104
