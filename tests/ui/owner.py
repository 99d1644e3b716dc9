"""A process that has the window: it writes down what it is asked. `hung` has it, and is silent."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QCoreApplication, QObject, QTimer

from askance.ui.shell.activation import Instance


class Owner(QObject):
    """Writes a line for each thing that happens."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        instance.asked.connect(self.take)

    def take(self, asked: str, token: str) -> None:
        tell(f"{asked} {token}")


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    application = QCoreApplication(sys.argv)
    instance = Instance(os.environ)
    if not instance.claim():
        tell("another")
        return 0
    owner = Owner(instance)
    tell("mine")
    if sys.argv[1:] == ["hung"]:
        QTimer.singleShot(0, application, sys.stdin.read)
    code = application.exec()
    del owner
    return code


if __name__ == "__main__":
    sys.exit(main())
