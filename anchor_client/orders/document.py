"""The order document: what a host is to run. Only its SHA-256 is on the chain."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Self, TypeVar

import msgspec
from msgspec import Meta, Struct

from anchor_client.errors import InvalidOrder
from anchor_client.orders.image import DEFAULT_IMAGE
from anchor_client.orders.public_key import read_public_key
from anchor_client.sealing import KEY_BYTES, SEAL_OVERHEAD, SealKey, seal, unseal

WORKSPACE_PATH: Final = "/workspace"
"""Path of the workspace in an order's container."""
MAX_PORTS: Final = 5
MAX_ENV_NAME: Final = 128
MAX_ENV_VALUE: Final = 1_536
MAX_ENV_CHARACTERS: Final = 12_000
MAX_COMMAND_CHARACTERS: Final = 12_000
MAX_IMAGE_CHARACTERS: Final = 512
MAX_IMAGE_NAME: Final = 255 - len("docker.io/library/")
"""Of an image's name without tag and digest: Docker counts what it completes."""
MAX_SSH_KEY_CHARACTERS: Final = 4_096
MAX_JUPYTER_TOKEN_CHARACTERS: Final = 256
MAX_WORKSPACE_NAME: Final = 64
MAX_CHECKPOINT_CHARACTERS: Final = 2_000
_ESCAPED_BYTES: Final = 6
"""Most that a character takes as JSON: a control character is written as \\u0001."""
_UTF8_BYTES: Final = 4
_FRAME_BYTES: Final = 512
"""The rest of a document: the names of its fields, its ports, its keys and the workspace's name."""
MAX_SEALED_BYTES: Final = (
    (MAX_COMMAND_CHARACTERS + MAX_CHECKPOINT_CHARACTERS + MAX_SSH_KEY_CHARACTERS + MAX_JUPYTER_TOKEN_CHARACTERS)
    * _ESCAPED_BYTES
    + MAX_ENV_CHARACTERS * _UTF8_BYTES
    + MAX_IMAGE_CHARACTERS
    + _FRAME_BYTES
    + SEAL_OVERHEAD
)
"""Every document fits once it is sealed. The environment's limit counts its JSON; an image is ASCII."""
_SERVER_PART: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_NAME_PART: Final = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_IMAGE: Final = re.compile(
    rf"(?P<name>(?:(?:localhost|{_SERVER_PART}(?:\.{_SERVER_PART})+|{_SERVER_PART}(?=:))(?::[0-9]+)?/)?"
    rf"{_NAME_PART}(?:/{_NAME_PART})*)"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
"""Docker's own grammar: an engine fails at any other name, and that would be the host's fault."""
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<name>.*?)`(?: - at `(?P<where>.*)`)?", re.DOTALL)
_PORT: Final = re.compile(r"(?P<port>[0-9]{1,5})/(?P<protocol>tcp|http)")
_ENV_NAME: Final = re.compile(r"[^=\0]+")
_WORKSPACE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_HEX_KEY: Final = re.compile(rf"[0-9a-f]{{{2 * KEY_BYTES}}}")

Part = TypeVar("Part", bound=Struct)


class PortForward(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A port of the container that is reachable from outside: raw TCP, or HTTP, which a host may put behind a proxy."""

    port: Annotated[int, Meta(ge=1, le=65_535)]
    protocol: Literal["tcp", "http"] = "tcp"

    @classmethod
    def parse(cls, text: str) -> Self:
        """A forward from text such as `22/tcp` or `8888/http`. InvalidOrder."""
        match = _PORT.fullmatch(text if "/" in text else f"{text}/tcp")
        if match is None:
            raise InvalidOrder(f"{text!r} is not a port", "Write ports as 22/tcp or 8888/http.")
        return _validated(cls, {"port": int(match["port"]), "protocol": match["protocol"]})


class Workload(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The work to run, without the key of one rental: the part that a template keeps. InvalidOrder past a limit."""

    image: str = DEFAULT_IMAGE
    command: str | None = None
    """Shell text that the container starts with; None runs what the image does."""
    ports: tuple[PortForward, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict)
    ssh_key: str | None = None
    jupyter_token: str | None = None
    checkpoint: str | None = None
    """Shell text that is run in the container before another order takes the machine, or the rental has ended."""
    keep_workspace: str | None = None
    """Name under which the host keeps /workspace for later rentals of the same wallet; None has it wiped."""

    def __post_init__(self) -> None:
        image = (_IMAGE, "it is not the reference of a Docker image")
        _require("image", self.image, MAX_IMAGE_CHARACTERS, form=image)
        _require_short(self.image)
        _require("command", self.command, MAX_COMMAND_CHARACTERS, least=0)
        _require_distinct(self.ports)
        _require_small(self.env)
        _require("ssh_key", self.ssh_key, MAX_SSH_KEY_CHARACTERS)
        if self.ssh_key is not None:
            msgspec.structs.force_setattr(self, "ssh_key", _public_key(self.ssh_key))
        _require("jupyter_token", self.jupyter_token, MAX_JUPYTER_TOKEN_CHARACTERS)
        _require("checkpoint", self.checkpoint, MAX_CHECKPOINT_CHARACTERS)
        name = (_WORKSPACE_NAME, "it is not a name of letters, digits, _ and -")
        _require("keep_workspace", self.keep_workspace, MAX_WORKSPACE_NAME, form=name)

    @classmethod
    def of(cls, **parts: Any) -> Self:
        """The parts, checked. InvalidOrder names the first that breaks its limit."""
        return _validated(cls, parts)

    def parts(self) -> dict[str, Any]:
        """The parts as plain values, which `of` takes."""
        parts: dict[str, Any] = msgspec.to_builtins(self)
        return parts

    def changed(self, **parts: Any) -> Self:
        """The same with other parts. InvalidOrder."""
        return self.of(**self.parts() | parts)

    def for_renter(self, renter_key: bytes, workspace_key: SealKey | None = None) -> OrderDocument:
        """The document of one rental; the connection comes back sealed to `renter_key`. InvalidOrder.

        `workspace_key` opens the workspace that `keep_workspace` names.
        """
        opening = None if workspace_key is None else bytes(workspace_key.private).hex()
        return OrderDocument.of(**self.parts(), renter_key=renter_key.hex(), workspace_key=opening)


class OrderDocument(Workload, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The order of one rental. Two equal orders have equal bytes, so its hash names it."""

    version: Literal[1] = 1
    renter_key: str
    """X25519 public key made for this rental, in hex."""
    workspace_key: str | None = None
    """X25519 secret key, in hex, that opens the workspace that is kept; it is sealed to the public one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, key in (("renter_key", self.renter_key), ("workspace_key", self.workspace_key)):
            _require(name, key, 2 * KEY_BYTES, form=(_HEX_KEY, f"it is not {KEY_BYTES} bytes in hex"))
        if (self.keep_workspace is None) != (self.workspace_key is None):
            raise _invalid("text", "a workspace that is kept needs a name and a key")

    def __repr__(self) -> str:
        return f"OrderDocument({self.order_hash.hex()})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("order_hash", self.order_hash.hex())]

    def canonical(self) -> bytes:
        """The one encoding: JSON in UTF-8 with every field, sorted keys and no white space."""
        return _compact(self.parts()).encode()

    @property
    def order_hash(self) -> bytes:
        """SHA-256 of the canonical encoding: what the rental carries."""
        return sha256(self.canonical()).digest()

    @property
    def renter_public_key(self) -> bytes:
        """The 32 bytes that the connection is sealed to."""
        return bytes.fromhex(self.renter_key)

    @property
    def workspace_seal_key(self) -> SealKey | None:
        """Secret key that opens the workspace that is kept."""
        if self.workspace_key is None:
            return None
        return SealKey.from_bytes(bytes.fromhex(self.workspace_key))

    @property
    def workspace_public_key(self) -> bytes | None:
        """Public key that the workspace that is kept is sealed to."""
        key = self.workspace_seal_key
        return None if key is None else key.public

    def sealed(self, host_key: bytes) -> bytes:
        """The document for the host's eyes only: Host.seal_key opens it."""
        return seal(self.canonical(), host_key)

    @classmethod
    def opened(cls, sealed: bytes, key: SealKey, order_hash: bytes) -> Self:
        """The document that a renter sealed, if it is the one the rental names. OrderNotSealed, InvalidOrder."""
        return cls.parse(unseal(sealed, key), order_hash)

    @classmethod
    def parse(cls, encoded: bytes, order_hash: bytes | None = None) -> Self:
        """A document from its canonical encoding. InvalidOrder for another encoding or another hash."""
        document = _read(cls, encoded)
        if document.canonical() != encoded:
            raise InvalidOrder("The order is not in its canonical encoding")
        if order_hash is not None and document.order_hash != order_hash:
            raise InvalidOrder("The order is not the one that the rental names")
        return document


def read_workload(text: bytes) -> Workload:
    """A workload in JSON. InvalidOrder."""
    return _read(Workload, text)


def _read(kind: type[Part], text: bytes) -> Part:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _refusal(error) from error


def _validated(kind: type[Part], values: dict[str, Any]) -> Part:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise _refusal(error) from error


def _refusal(error: Exception) -> InvalidOrder:
    """The same error, with the place first: msgspec puts it last, as `$.ports[0].port`, and none of unknown fields."""
    unknown = _UNKNOWN.fullmatch(str(error))
    if unknown is not None:
        where = ".".join(filter(None, (_place(unknown["where"] or ""), unknown["name"])))
        return _invalid(where, "there is no such field")
    why, _, where = str(error).partition(" - at `")
    return _invalid(_place(where.rstrip("`")) or "text", f"{why[:1].lower()}{why[1:]}")


def _place(path: str) -> str:
    return path.rpartition("$")[2].replace("[...]", "").replace("[", ".").replace("]", "").removeprefix(".")


def _require(
    name: str, text: str | None, most: int, *, least: int = 1, form: tuple[re.Pattern[str], str] | None = None
) -> None:
    """Refuses a text of another length or form, and one that UTF-8 or a shell cannot have. InvalidOrder."""
    if text is None:
        return
    if not least <= len(text) <= most:
        raise _invalid(name, f"it has {len(text)} characters; it may have {least} to {most}")
    if "\0" in text:
        raise _invalid(name, "it contains a NUL character")
    if form is not None and form[0].fullmatch(text) is None:
        raise _invalid(name, form[1])
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _invalid(name, "it is not text in UTF-8") from error


def _public_key(text: str) -> str:
    try:
        return read_public_key(text)
    except ValueError as error:
        raise _invalid("ssh_key", str(error)) from error


def _require_distinct(ports: tuple[PortForward, ...]) -> None:
    if len(ports) > MAX_PORTS:
        raise _invalid("ports", f"there are {len(ports)}; there may be {MAX_PORTS}")
    if len({forward.port for forward in ports}) != len(ports):
        raise _invalid("ports", "a port is named twice")


def _require_short(image: str) -> None:
    named = _IMAGE.fullmatch(image)
    if named is not None and len(named["name"]) > MAX_IMAGE_NAME:
        raise _invalid("image", f"its name has {len(named['name'])} characters; it may have {MAX_IMAGE_NAME}")


def _require_small(env: dict[str, str]) -> None:
    for name, value in env.items():
        _require("env", name, MAX_ENV_NAME, form=(_ENV_NAME, "a name contains = or a NUL character"))
        _require(f"env.{name}", value, MAX_ENV_VALUE, least=0)
    size = len(_compact(env))
    if size > MAX_ENV_CHARACTERS:
        raise _invalid("env", f"it has {size} characters as JSON; it may have {MAX_ENV_CHARACTERS}")


def _invalid(name: str, why: str) -> InvalidOrder:
    return InvalidOrder(f"The order's {name} is not valid: {why}")


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
