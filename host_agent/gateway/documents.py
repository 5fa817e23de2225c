"""Documents that the agent and a tenancy's gateway exchange. The two may be of different versions: documents only grow,
by fields with a default.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct


class RenterAdmission(Struct, frozen=True):
    """Credentials that let the renter in. They may change while a gateway runs."""

    password: str
    public_key: str | None = None
    closed: str | None = None
    """The reason for refusing processes in the container; None while they are allowed."""

    def __repr__(self) -> str:
        return f"RenterAdmission(closed={self.closed!r})"


class TenantPlace(Struct, frozen=True):
    """A rental's container, and the machine's ports for it. A gateway serves one place."""

    rental: str
    container: str
    bind: str
    ssh_port: int
    terminal_port: int
    https: dict[int, int] = {}
    """Ports of the container, each with the machine's."""


class Opening(Struct, frozen=True):
    """Everything that a gateway needs to serve a tenancy."""

    place: TenantPlace
    admission: RenterAdmission
    ssh_key: str
    """File of the machine's SSH key."""
    certificate: list[str]
    """Files of the certificate and its key; they are reread when they change."""
    engine: str | None = None
    """URL of the engine; None for the default of Docker's command line."""
    deadline: str | None = None
    """File with the end of the paid time, which the agent moves; None for a tenancy without one."""
    strangers: int = 128
    """Maximum connections of one kind that have not logged in."""
    notice: str | None = None
    """File with a notice for whoever logs in, which the agent writes and removes; None for a tenancy without one."""


class AskStanding(Struct, frozen=True, tag=True):
    """Asks for the `Standing`."""


class Tell(Struct, frozen=True, tag=True):
    """Changes who is let in."""

    admission: RenterAdmission


class End(Struct, frozen=True, tag=True):
    """Ends every connection; answered once the ports are free."""


class HandOver(Struct, frozen=True, tag=True):
    """Asks for the listening sockets. Answered by an `Opening` with their descriptors; on the same connection `Taken`
    follows once the newer process serves them.
    """


class Taken(Struct, frozen=True, tag=True):
    """Tells a gateway to listen no longer, and to end with its last connection."""


Request = AskStanding | Tell | End | HandOver


class Standing(Struct, frozen=True):
    """The answer to most requests."""

    place: TenantPlace
    pid: int
    connections: int
    """Connections that are open, logged in or not."""


MOST_BYTES = 2**17
"""Maximum bytes of a document, whose longest part is the renter's public key."""


class StartFailure(Struct, frozen=True):
    """The reason why a gateway does not start."""

    message: str
    remedy: str


def encode(document: Struct) -> bytes:
    """A document as one packet."""
    return msgspec.json.encode(document)
