"""Build Askance.app and its disk image for macOS, into dist.

    python packaging/macos/dmg.py

It needs macOS with Xcode's command line tools, and builds for the processor it runs on. Without more it is
signed "ad hoc": whoever downloads it has to allow it under Privacy & Security. With these variables it is
signed, and notarised by Apple:

    MACOS_CERTIFICATE            a "Developer ID Application" certificate with its key (.p12, as Base64)
    MACOS_CERTIFICATE_PASSWORD   its password
    APPLE_NOTARY_KEY             a key of App Store Connect (.p8, as Base64)
    APPLE_NOTARY_KEY_ID          its ID
    APPLE_NOTARY_ISSUER          the ID of its issuer
"""

from __future__ import annotations

import base64
import os
import platform
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "src")]

import bundling  # noqa: E402 - beside the recipe

from askance import __version__  # noqa: E402

SIGNING = ("MACOS_CERTIFICATE", "MACOS_CERTIFICATE_PASSWORD")
NOTARISING = ("APPLE_NOTARY_KEY", "APPLE_NOTARY_KEY_ID", "APPLE_NOTARY_ISSUER")
IDENTITY = "ASKANCE_CODESIGN_IDENTITY"
"""The recipe signs with what this names."""


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Build it. Returns the exit status."""
    if sys.platform != "darwin":
        sys.stderr.write("The disk image for macOS is built under macOS.\n")
        return 1
    if fault := incomplete(environment):
        sys.stderr.write(f"{fault}\n")
        return 1
    with tempfile.TemporaryDirectory() as private:
        if environment.get(SIGNING[0]):
            os.environ[IDENTITY] = _unlock_identity(Path(private), environment)
        bundling.build()
        image = image_of(ROOT / "dist")
        for command in commands(ROOT / "dist" / "Askance.app", image, Path(private), environment):
            subprocess.run(command, check=True)  # noqa: S603 - written below
    sys.stdout.write(f"{image}\n")
    return 0


def image_of(folder: Path, version: str = __version__, processor: str = platform.machine()) -> Path:
    """Return the path of the image."""
    return folder / f"askance-{version}-macos-{processor}.dmg"


def incomplete(environment: Mapping[str, str]) -> str:
    """Say what is missing where it is only in part there that signing or notarising takes."""
    for names in (SIGNING, NOTARISING):
        missing = [name for name in names if not environment.get(name)]
        if missing and len(missing) < len(names):
            return f"{', '.join(missing)} must be set, too."
    if environment.get(NOTARISING[0]) and not environment.get(SIGNING[0]):
        return "Apple notarises nothing that is not signed: set MACOS_CERTIFICATE."
    return ""


def commands(
    app: Path, image: Path, private: Path, environment: Mapping[str, str]
) -> list[Sequence[str]]:
    """Return the commands that make the image of a built app, in their order."""
    staged = private / "image"
    made: list[Sequence[str]] = [
        ("codesign", "--verify", "--deep", "--strict", str(app)),
        ("mkdir", "-p", str(staged)),
        # Links inside of frameworks stay links: without them a signature does not hold.
        ("ditto", str(app), str(staged / app.name)),
        ("ln", "-s", "/Applications", str(staged / "Applications")),
        *_image(staged, image),
    ]
    if environment.get(SIGNING[0]):
        made.append(("codesign", "--timestamp", "--sign", environment[IDENTITY], str(image)))
    if environment.get(NOTARISING[0]):
        key = private / "notary.p8"
        key.write_bytes(base64.b64decode(environment[NOTARISING[0]]))
        who = ("--key", str(key), "--key-id", environment[NOTARISING[1]])
        who += ("--issuer", environment[NOTARISING[2]])
        made.append(
            ("xcrun", "notarytool", "submit", str(image), *who, "--wait", "--timeout", "30m")
        )
        made.append(("xcrun", "stapler", "staple", str(image)))
        made.append(
            (
                "spctl",
                "--assess",
                "--type",
                "open",
                "--context",
                "context:primary-signature",
                str(image),
            )
        )
    return made


def _image(staged: Path, image: Path) -> list[Sequence[str]]:
    named = ("-volname", "Askance", "-srcfolder", str(staged))
    return [("hdiutil", "create", *named, "-fs", "HFS+", "-format", "UDZO", "-ov", str(image))]


def _unlock_identity(private: Path, environment: Mapping[str, str]) -> str:
    """Put the certificate into a keychain of this build, and return the identity's name."""
    certificate, keychain = private / "certificate.p12", str(private / "build.keychain-db")
    certificate.write_bytes(base64.b64decode(environment[SIGNING[0]]))
    password = secrets.token_hex(16)
    tool = shutil.which("security") or "security"
    listed = _output(tool, "list-keychains", "-d", "user")
    others = re.findall(r'"([^"\n]{1,1000})"', listed)
    for command in (
        ("create-keychain", "-p", password, keychain),
        ("set-keychain-settings", "-lut", "21600", keychain),
        ("unlock-keychain", "-p", password, keychain),
        (
            "import",
            str(certificate),
            "-k",
            keychain,
            "-P",
            environment[SIGNING[1]],
            "-T",
            "/usr/bin/codesign",
        ),
        (
            "set-key-partition-list",
            "-S",
            "apple-tool:,apple:,codesign:",
            "-s",
            "-k",
            password,
            keychain,
        ),
        ("list-keychains", "-d", "user", "-s", keychain, *others),
    ):
        _output(tool, *command)
    return identity_in(_output(tool, "find-identity", "-v", "-p", "codesigning", keychain))


def identity_in(listed: str) -> str:
    """Return the identity that `security find-identity` lists, by its hash."""
    found = re.search(r"^\s{0,9}\d{1,3}\) ([0-9A-F]{40}) ", listed, re.MULTILINE)
    if found is None:
        sys.exit("MACOS_CERTIFICATE holds no identity that signs programs.")
    return found[1]


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - written above


if __name__ == "__main__":
    sys.exit(main())
