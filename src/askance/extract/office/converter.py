"""The child process that becomes LibreOffice: `python -m askance.extract.office.converter FOLDER COMMAND…`.

Before that it gives up the network, and to write anywhere but into the folder, as far as the system can hold it to that.
"""

from __future__ import annotations

import os
import sys

from askance.extract.sandbox import confine as cage

MEMORY_MIB, CPU_S, FILE_MIB = 4_096, 50, 256


def main() -> None:
    """Become the program whose command is given."""
    folder, *command = sys.argv[1:]
    cage.only_convert(folder, MEMORY_MIB, CPU_S, FILE_MIB)
    os.execv(command[0], command)  # noqa: S606 - the one that was found as LibreOffice


if __name__ == "__main__":
    main()
