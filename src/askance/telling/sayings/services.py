"""What goes wrong with the containers, their engine and its tools."""

from __future__ import annotations

from askance.telling.words import term

SAYINGS = (
    term("Neither Docker nor Podman was found on this machine."),
    term("{name} was not found on this machine."),
    term(
        "Install Docker (https://docs.docker.com/get-docker/) or Podman with "
        "podman-compose, and run `askance up` again. Without them pages are read in "
        "this program."
    ),
    term("{name}'s compose {version} is too old: 2.20 is needed."),
    term("{name} is there, but it has no compose."),
    term("Install podman-compose 1.1 or newer, or Docker's compose."),
    term("Install it with `{command}`."),
    term("Install a newer Docker Desktop."),
    term("No package of this system is new enough; {address} says how to get it."),
    term("{address} says how to get it."),
    term("Or use Podman, which is here: `askance config set services.cli podman`."),
    term("This user may not use {name} at {address}."),
    term("This user may not use {name}."),
    term("{name} does not answer at {address}."),
    term("{name} does not answer."),
    term("The engine at {address} is on another machine, and its ports would be there."),
    term("Unset DOCKER_HOST, or run `docker context use default`."),
    term("Port {port} of this machine is taken."),
    term("Port {port} of this machine is taken by {name}."),
    term("Windows, which keeps ranges of ports for itself"),
    term("the container {name}"),
    term("{name} (process {status})"),
    term("Stop what uses it; then run `askance up` again."),
    term(
        "Stop what uses it, or take another port: `askance config set {setting} "
        "{address}`; then run `askance up` again."
    ),
    term("The image {image} is not on this machine, and could not be fetched: {problem}"),
    term(
        "What the reader's image is built from is not on this machine, and could not "
        "be fetched: {problem}"
    ),
    term(
        "Connect this machine to the internet once and run `askance up` again. "
        "Behind a proxy, tell it to the engine, too."
    ),
    term("The image {image} does not exist, or may not be fetched: {problem}"),
    term("An image does not exist, or may not be fetched: {problem}"),
    term(
        "Update Askance; or name another one in ASKANCE_SEARXNG_IMAGE or "
        "ASKANCE_PYTHON_IMAGE, and run `askance up` again."
    ),
    term("The registry gives out no more images for now: {problem}"),
    term("Wait an hour, or log in with `docker login`, and run `askance up` again."),
    term("The reader's image could not be built: {problem}"),
    term("Its last lines: “{lines}”."),
    term("Run `askance up` again; if it stays, report these lines."),
    term("The container of {name} {how}."),
    term("says that it is not well"),
    term("ended with status {status}"),
    term("ends with status {status} each time that it is started"),
    term("ends each time that it is started"),
    term("it ran out of memory"),
    term("`askance logs {name}` shows more."),
    term("`askance logs` may tell more."),
    term("{names} is not well after {n} s."),
    term("{names} are not well after {n} s."),
    term(
        "`askance status` tells when that changes, `askance logs` what goes on; "
        "raise services.start_limit_s on a slow machine."
    ),
    term("The disk on which {name} keeps its images is full."),
    term("Make room, for example with `{name} image prune`, and run `askance up` again."),
    term("{name} failed: {problem}"),
    term("it gave no reason"),
    term("Start its machine: `podman machine start`."),
    term("Start its socket: `systemctl --user enable --now podman.socket`."),
    term("Start Docker Desktop, and wait until it says that it runs."),
    term("Start it: `sudo systemctl start docker`, or Docker Desktop where that is installed."),
    term("Use the socket of your own user: `systemctl --user enable --now podman.socket`."),
    term(
        "Add yourself to the group docker, `sudo usermod -aG docker $USER`, then log "
        "out and in again; or use rootless Docker or Podman."
    ),
    term("Update {name}: its command and its engine are of versions too far apart."),
    term("{file} cannot be written: {problem}."),
    term("Make it yours, or make room."),
    term(
        "{setting} = {address} is an address of this machine alone, which a container cannot reach."
    ),
    term(
        "Let the proxy listen on an address of your network and name that one, then "
        "run `askance up` again."
    ),
    term(
        "Let the proxy listen on an address of your network and name that one, or "
        "set reader.mode to inprocess, then run `askance up` again."
    ),
    term(
        "The engine list that comes with Askance has changed; yours, {file}, stays "
        "as it is. The new one is {shipped}."
    ),
    term("The engine list {file} cannot be read: {problem}."),
    term("The engine list {file} is not valid YAML."),
    term("The engine list {file} is not valid YAML, line {status}."),
    term("The engine list {file} has no settings in it."),
    term("Mend it, or delete it: `askance up` then makes a new one."),
    term("Mend or delete it."),
    term("{file} cannot be read: {problem}."),
    term("{name} would be {said}: it must not have a line break or a backslash in it."),
    term("services.cli = {said} is not allowed: it must be docker, podman or empty."),
    term("`askance config set services.cli docker` sets it."),
    term("did not answer within {n} s"),
    term("does not answer ({said})"),
    term("answered with status {status}"),
)
