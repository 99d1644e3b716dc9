#!/bin/bash
# Build dist/askance where its glibc is as old as that of Qt's own wheel asks for, in a container of Ubuntu 22.04:
#
#   docker run --rm --volume "$PWD:/src" --workdir /src ubuntu:22.04 packaging/old_system.sh
#
# What is built there runs from glibc 2.34 on: it is measured at the end, and a newer one fails the build. PYTHON
# names an interpreter that is there; otherwise uv brings one, which it checks by its hash. GLIBC is another limit, as on
# Arm, where the wheel asks for 2.39.
set -euo pipefail

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
apt-get update -qq
apt-get install -y -qq --no-install-recommends binutils ca-certificates git libdbus-1-3 libegl1 libfontconfig1 libgl1 \
    libglib2.0-0 libwayland-client0 libwayland-cursor0 libx11-xcb1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 \
    libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xkb1 libxkbcommon-x11-0 libxkbcommon0 \
    python3-pip >/dev/null
git config --global --add safe.directory "$PWD"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1580601600)}
export SOURCE_DATE_EPOCH

if [ -z "${PYTHON:-}" ]; then
    # The installer is one of the locked packages, too.
    awk '/^[a-z]/ { uv = /^uv==/ } uv' requirements.lock >/tmp/uv.lock
    python3 -m pip install --quiet --no-deps --require-hashes --only-binary :all: --requirement /tmp/uv.lock
    uv python install --quiet 3.13
    PYTHON=$(uv python find 3.13)
fi
"$PYTHON" -m venv /opt/build
/opt/build/bin/python tools/environment.py install requirements/desktop.lock
/opt/build/bin/python packaging/folder.py --glibc "${GLIBC:-2.34}"
