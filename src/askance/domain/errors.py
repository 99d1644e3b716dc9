"""What can go wrong, sorted by who must act.

    AskanceError
    ├── ServiceError          a service is down, slow or talking nonsense: the user looks after it
    │   ├── ServiceDown       nothing answers at its address
    │   │   └── ServiceAbsent nothing takes a connection there, or it was never set up
    │   ├── ServiceTimeout       it answered too late, or fell silent
    │   ├── ServiceRefused    it answered with a refusal (a status, a switched-off format)
    │   │   └── OutOfMemory   the model does not fit into the memory that is free
    │   └── ServiceProtocolError   it answered something that cannot be understood
    └── InputError            the user must change something: a setting, a question, a file
        ├── SettingsError     a setting is missing, unknown or out of bounds
        ├── ModelMissing      the model is not on the server
        ├── ModelRefused      the model may not be used here (it runs in a cloud)
        ├── PromptTooLong     the prompt does not fit the model's context
        ├── LibraryAccessDenied     a program that may not read the library asked it
        ├── NotAllowed        a program asked for something that the user does not allow it
        ├── TooManyWaiting    a program has asked for more than it may have waiting
        └── StorageError     a file of Askance cannot be read or written
            └── DiskFull      there is no room for what is to be written

Everything else is a bug and keeps its stack trace.
"""

from __future__ import annotations

import traceback
from typing import cast

from askance.domain.addresses import bare_address
from askance.domain.messages import Message


class AskanceError(Exception):
    """Base of all expected failures: what is wrong in one plain sentence, and what to do about it."""

    def __init__(self, problem: str, *, fix: str = "") -> None:
        super().__init__(problem)
        # A message stays itself in there, with its template; a plain text of others becomes one.
        self.problem = Message.verbatim(problem)
        self.fix = Message.verbatim(fix)

    @property
    def message(self) -> Message:
        """The problem and its remedy as a person should read them."""
        return Message.joined(self.problem, self.fix)

    def __str__(self) -> str:
        """Return the message in English."""
        return str(self.message)


class ServiceError(AskanceError):
    """A local or remote service failed. `service` and `address` say which one.

    `retry_s` is after how many seconds the same request may succeed, 0 where the service does not tell, and
    None where it would fail again.
    """

    retry_s: float | None = None

    def __init__(self, service: str, address: str, problem: str, *, fix: str = "") -> None:
        super().__init__(problem, fix=fix)
        self.service = service
        # Here, and not where it is shown: then no front end and no log can forget to take a
        # password out.
        self.address = bare_address(address)


class ServiceDown(ServiceError):
    """Nothing answers at the service's address."""


class ServiceAbsent(ServiceDown):
    """There is no service: nothing takes a connection at its address, or it was never set up.

    What was asked of it had no part in that. One that broke off, or was there a moment ago, is down.
    """


class ServiceTimeout(ServiceError):
    """The service did not answer in time, or fell silent in the middle."""


class ServiceRefused(ServiceError):
    """The service answered with a refusal. `status` is that of HTTP; 0 where there was none."""

    def __init__(
        self, service: str, address: str, problem: str, *, fix: str = "", status: int = 0
    ) -> None:
        super().__init__(service, address, problem, fix=fix)
        self.status = status


class OutOfMemory(ServiceRefused):
    """The model does not fit into the memory that its server has."""


class ServiceSwitchedOff(ServiceRefused):
    """The service is there, and its settings switch off what is asked of it."""


class ServiceProtocolError(ServiceError):
    """The service answered something that is not its protocol."""


class InputError(AskanceError):
    """The user must change something."""


class SettingsError(InputError):
    """A setting is unknown, of the wrong type or out of its bounds."""


class ModelMissing(InputError):
    """The configured model is not installed on the server."""


class ModelRefused(InputError):
    """The configured model does not run on this machine."""


class StorageError(InputError):
    """A file of Askance cannot be read or written: a full disk, a wrong owner, damage."""


class DiskFull(StorageError):
    """There is no room on the disk for what is to be written."""


class LibraryAccessDenied(InputError):
    """A program asked the library, and the user does not let it read there."""


class NotAllowed(InputError):
    """A program asked for something that its user does not allow it."""


class TooManyWaiting(InputError):
    """A program has as many questions waiting as it may have."""


class PromptTooLong(InputError):
    """A prompt does not fit the model's context. `needed` and `available` are tokens, 0 if unknown."""

    def __init__(self, problem: str, *, fix: str = "", needed: int = 0, available: int = 0) -> None:
        super().__init__(problem, fix=fix)
        self.needed = needed
        self.available = available


UNUSABLE_MODEL = (ServiceError, ModelMissing, ModelRefused, SettingsError)
"""What a model raises that is not there to be used: down, removed, never fetched, refused, or set
up wrongly. A question can be searched without it."""


def kind_of(error: AskanceError) -> str:
    """Return the name of the class above under which an error falls: adapters have kinds of their own."""
    return next(c.__name__ for c in type(error).__mro__ if c.__module__ == __name__)


def place_of(error: BaseException) -> str:
    """Return the kind of an error and where it was raised: its text may hold what is private."""
    # A TaskGroup wraps what its tasks raise; the place that counts is that of the first.
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
