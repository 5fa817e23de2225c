"""The order document: what a host is to run. Only its SHA-256 is on the chain."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

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
_IMAGE: Final = re.compile(
    r"(?:[a-zA-Z0-9.-]+(?::[0-9]+)?/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
_PORT: Final = re.compile(r"(?P<port>[0-9]{1,5})/(?P<protocol>tcp|http)")


def _require_image(image: str) -> str:
    if _IMAGE.fullmatch(image) is None:
        raise ValueError("it is not the reference of a Docker image")
    return image


def _require_no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a NUL character")
    return text


Model = TypeVar("Model", bound=BaseModel)
Text = Annotated[str, AfterValidator(_require_no_nul)]
EnvName = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ENV_NAME, pattern=r"^[^=\x00]+$")]
WorkspaceName = Annotated[str, StringConstraints(max_length=MAX_WORKSPACE_NAME, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
HexKey = Annotated[str, StringConstraints(pattern=rf"^[0-9a-f]{{{2 * KEY_BYTES}}}$")]
EnvValue = Annotated[str, StringConstraints(max_length=MAX_ENV_VALUE), AfterValidator(_require_no_nul)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=False)


class PortForward(_Part):
    """A port of the container that is reachable from outside: raw TCP, or HTTP, which a host may put behind a proxy."""

    port: int = Field(ge=1, le=65_535)
    protocol: Literal["tcp", "http"] = "tcp"

    @classmethod
    def parse(cls, text: str) -> Self:
        """A forward from text such as `22/tcp` or `8888/http`. InvalidOrder."""
        match = _PORT.fullmatch(text if "/" in text else f"{text}/tcp")
        if match is None:
            raise InvalidOrder(f"{text!r} is not a port", "Write ports as 22/tcp or 8888/http.")
        return _validated(cls, {"port": int(match["port"]), "protocol": match["protocol"]})


class Workload(_Part):
    """The work to run, without the key of one rental: the part that a template keeps."""

    image: Annotated[str, StringConstraints(max_length=MAX_IMAGE_CHARACTERS), AfterValidator(_require_image)] = (
        DEFAULT_IMAGE
    )
    command: Annotated[Text, StringConstraints(max_length=MAX_COMMAND_CHARACTERS)] | None = None
    """Shell text that the container starts with; None runs what the image does."""
    ports: Annotated[tuple[PortForward, ...], Field(max_length=MAX_PORTS)] = ()
    env: dict[EnvName, EnvValue] = Field(default_factory=dict)
    ssh_key: (
        Annotated[str, StringConstraints(max_length=MAX_SSH_KEY_CHARACTERS), AfterValidator(read_public_key)] | None
    ) = None
    jupyter_token: Annotated[Text, StringConstraints(min_length=1, max_length=MAX_JUPYTER_TOKEN_CHARACTERS)] | None = (
        None
    )
    checkpoint: Annotated[Text, StringConstraints(min_length=1, max_length=MAX_CHECKPOINT_CHARACTERS)] | None = None
    """Shell text that is run in the container before another order takes the machine, or the rental has ended."""
    keep_workspace: WorkspaceName | None = None
    """Name under which the host keeps /workspace for later rentals of the same wallet; None has it wiped."""

    @field_validator("env")
    @classmethod
    def _require_small_env(cls, env: dict[str, str]) -> dict[str, str]:
        size = len(_compact(env))
        if size > MAX_ENV_CHARACTERS:
            raise ValueError(f"it has {size} characters as JSON; it may have {MAX_ENV_CHARACTERS}")
        return env

    @field_validator("ports")
    @classmethod
    def _require_distinct_ports(cls, ports: tuple[PortForward, ...]) -> tuple[PortForward, ...]:
        numbers = [forward.port for forward in ports]
        if len(set(numbers)) != len(numbers):
            raise ValueError("a port is named twice")
        return ports

    @classmethod
    def of(cls, **parts: Any) -> Self:
        """The parts, checked. InvalidOrder names the first that breaks its limit."""
        return _validated(cls, parts)

    def for_renter(self, renter_key: bytes, workspace_key: SealKey | None = None) -> OrderDocument:
        """The document of one rental; the connection comes back sealed to `renter_key`. InvalidOrder.

        `workspace_key` opens the workspace that `keep_workspace` names.
        """
        opening = None if workspace_key is None else bytes(workspace_key.private).hex()
        return OrderDocument.of(**self.model_dump(), renter_key=renter_key.hex(), workspace_key=opening)


class OrderDocument(Workload):
    """The order of one rental. Two equal orders have equal bytes, so its hash names it."""

    version: Literal[1] = 1
    renter_key: HexKey
    """X25519 public key made for this rental, in hex."""
    workspace_key: HexKey | None = Field(default=None, repr=False)
    """X25519 secret key, in hex, that opens the workspace that is kept; it is sealed to the public one."""

    @model_validator(mode="after")
    def _require_workspace_key(self) -> Self:
        if (self.keep_workspace is None) != (self.workspace_key is None):
            raise ValueError("a workspace that is kept needs a name and a key")
        return self

    def canonical(self) -> bytes:
        """The one encoding: JSON in UTF-8 with every field, sorted keys and no white space."""
        return _compact(self.model_dump()).encode()

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
        return None if self.workspace_key is None else SealKey.from_bytes(bytes.fromhex(self.workspace_key))

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
        try:
            document = cls.model_validate_json(encoded)
        except ValidationError as error:
            raise InvalidOrder(_reason(error)) from error
        if document.canonical() != encoded:
            raise InvalidOrder("The order is not in its canonical encoding")
        if order_hash is not None and document.order_hash != order_hash:
            raise InvalidOrder("The order is not the one that the rental names")
        return document


def _validated(kind: type[Model], values: dict[str, Any]) -> Model:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise InvalidOrder(_reason(error)) from error


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part != "[key]")
    return f"The order's {where or 'text'} is not valid: {first['msg'].removeprefix('Value error, ')}"


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
