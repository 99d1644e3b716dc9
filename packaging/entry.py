"""What the packaged program runs: the `askance` command, or one of its own child processes."""

import runpy
import sys

from askance.system.program import CHILD

# What `askance.system.program.child_command` is asked for.
CHILDREN = (
    "askance.extract.worker",
    "askance.extract.office.converter",
    "askance.extract.scanned_page",
    "askance.adapters.library.files.file_process",
    "askance.adapters.llm.embedded_server",
    "askance.adapters.search.metasearch_worker",
    "askance.system.processor_trial",
    "askance.server",
)


def main() -> None:
    """Run what the command line asks for."""
    if sys.argv[1:2] == [CHILD]:
        module = "".join(sys.argv[2:3])
        if module not in CHILDREN:
            sys.exit(f"askance: {module} is no process of this package.")
        sys.argv[1:3] = []
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return
    from askance.__main__ import main as askance  # noqa: PLC0415 - children must not pay for it

    askance()


if __name__ == "__main__":
    main()
