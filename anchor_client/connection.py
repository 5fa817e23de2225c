"""A renter's access to their machine, sealed to them by its host."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct, field, structs

from anchor_client.errors import InvalidOrder
from anchor_client.generated.constants import MAX_CONNECTION_BYTES, MAX_KEEP_DAYS
from anchor_client.sealing import SealKey, seal, unseal
from anchor_client.service.setting_kinds import HOST_NAME

MAX_ABUSE_CONTACT: Final = 50
"""Characters."""
Port = Annotated[int, Meta(ge=1, le=65_535)]
Ports = Annotated[dict[int, int], Meta(max_length=8)]


class Connection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The renter's access to the machine: the password is made for this rental and dies with it."""

    host: Annotated[str, Meta(pattern=rf"^{HOST_NAME}\Z", max_length=253)]
    port: Port
    user: Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9._-]*\Z", max_length=32)] = "root"
    password: Annotated[str, Meta(min_length=1, max_length=200)]
    host_key: Annotated[str, Meta(pattern=r"^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}\Z", max_length=120)] | None = None
    """The machine's SSH key in known_hosts format; None if the renter must trust the first key they see."""
    ports: Ports = field(default_factory=dict)
    """Public port of each forwarded TCP port of the container, on the same host."""
    https: Ports = field(default_factory=dict)
    """The same for its HTTP ports, which are reached by HTTPS."""
    certificate: Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{43}\Z")] | None = None
    """SHA-256 of the certificate there and at the terminal, in base64 without padding; None if browsers trust it."""
    terminal: Port | None = None
    """Port of a terminal for browsers, by WebSocket and TLS; None if there is none."""
    abuse_contact: Annotated[str, Meta(min_length=1, max_length=MAX_ABUSE_CONTACT)] | None = None
    """Contact for reports of abuse from or to the machine, as the host writes it."""
    keep_days: Annotated[int, Meta(ge=0, le=MAX_KEEP_DAYS)] | None = None
    """For how many days after the rental the host keeps the workspace; None if the order does not ask for it."""

    @property
    def urls(self) -> dict[int, str]:
        """The address of each HTTP port of the container."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return {inside: f"https://{host}:{public}/" for inside, public in self.https.items()}

    @property
    def fingerprint(self) -> str | None:
        """The certificate's SHA-256 as browsers show it, if it has to be compared."""
        if self.certificate is None:
            return None
        return b64decode(f"{self.certificate}=").hex(":").upper()

    def sealed(self, renter_key: bytes) -> bytes:
        """The connection as accept_rental takes it. InvalidOrder when it is too long for that."""
        text = msgspec.json.encode(self)
        _read(text)
        message = seal(text, renter_key)
        if len(message) > MAX_CONNECTION_BYTES:
            raise InvalidOrder(f"The sealed connection has {len(message)} bytes; it may have {MAX_CONNECTION_BYTES}")
        return message

    @classmethod
    def opened(cls, sealed: bytes, keys: SealKey | Sequence[SealKey]) -> Connection:
        """The connection that a host sealed to one of the renter's keys. OrderNotSealed, InvalidOrder."""
        return _read(unseal(sealed, keys))

    def to_json(self) -> dict[str, object]:
        """Every field, as `--json` prints it."""
        return structs.asdict(self)


def _read(text: bytes) -> Connection:
    try:
        return msgspec.json.decode(text, type=Connection)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidOrder("The host's connection cannot be read") from error
