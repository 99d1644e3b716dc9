"""Write the list of what a release is made of, as CycloneDX: dist/askance-VERSION.cdx.json.

    make sbom

The build of the folder has left it in build/pyinstaller; the same packages, without the libraries of the system,
are what the wheel depends on. It runs in an environment of its own, that of requirements/sbom.lock.
"""

# pyright: reportMissingImports=false
# Its packages are not in the developer's environment.
from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

ROOT = Path(__file__).parents[1]
PARTS = ROOT / "build" / "pyinstaller" / "askance" / "parts.json"
sys.path.insert(0, str(ROOT / "src"))

from askance import __version__  # noqa: E402


def main() -> int:
    """Write the list. Returns 1 where it does not keep to its schema."""
    if not PARTS.is_file():
        sys.exit("The folder has not been built: `make dist` builds it.")
    text = list_of_parts(json.loads(PARTS.read_text("utf-8")))
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.stderr.write(f"{fault}\n")
        return 1
    file = ROOT / "dist" / f"askance-{__version__}.cdx.json"
    file.write_text(text + "\n", "utf-8")
    print(file.relative_to(ROOT))
    return 0


def list_of_parts(parts: list[dict[str, str]]) -> str:
    """Return the list as JSON, the same for the same parts and the same commit."""
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "1580601600"))
    licences = LicenseFactory()
    program = Component(
        name="askance",
        version=__version__,
        type=ComponentType.APPLICATION,
        bom_ref=f"askance@{__version__}",
        licenses=[licences.make_with_id("MIT")],
        purl=PackageURL("pypi", name="askance", version=__version__),
    )
    components = [
        Component(
            name=part["name"],
            version=part["version"],
            type=ComponentType.LIBRARY,
            bom_ref=f"{part['kind']}:{part['name']}@{part['version']}",
            licenses=[licences.make_from_string(part["licence"])] if part.get("licence") else [],
            purl=PackageURL(
                part["kind"],
                namespace=part.get("namespace"),
                name=part["name"],
                version=part["version"],
            ),
        )
        for part in parts
    ]
    bom = Bom(
        components=components,
        serial_number=uuid5(NAMESPACE_URL, f"askance@{__version__}/{epoch}"),
    )
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.metadata.component = program
    bom.register_dependency(program, components)
    return JsonV1Dot6(bom).output_as_string(indent=1)


if __name__ == "__main__":
    sys.exit(main())
