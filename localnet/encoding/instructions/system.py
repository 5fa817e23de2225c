"""System program instructions."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from solders.pubkey import Pubkey

from localnet.records import Json


@dataclass(frozen=True, slots=True)
class Shape:
    """An instruction's type, its accounts in their order, and its fields by name: u64, pubkey or string."""

    kind: str
    accounts: str
    fields: str = ""


SHAPES = (
    Shape("createAccount", "source newAccount", "lamports:u64 space:u64 owner:pubkey"),
    Shape("assign", "account", "owner:pubkey"),
    Shape("transfer", "source destination", "lamports:u64"),
    Shape(
        "createAccountWithSeed",
        "source newAccount",
        "base:pubkey seed:string lamports:u64 space:u64 owner:pubkey",
    ),
    Shape("advanceNonce", "nonceAccount recentBlockhashesSysvar nonceAuthority"),
    Shape(
        "withdrawFromNonce",
        "nonceAccount destination recentBlockhashesSysvar rentSysvar nonceAuthority",
        "lamports:u64",
    ),
    Shape("initializeNonce", "nonceAccount recentBlockhashesSysvar rentSysvar", "nonceAuthority:pubkey"),
    Shape("authorizeNonce", "nonceAccount nonceAuthority", "newAuthorized:pubkey"),
    Shape("allocate", "account", "space:u64"),
    Shape("allocateWithSeed", "account", "base:pubkey seed:string space:u64 owner:pubkey"),
    Shape("assignWithSeed", "account", "base:pubkey seed:string owner:pubkey"),
    Shape("transferWithSeed", "source sourceBase destination", "lamports:u64 sourceSeed:string sourceOwner:pubkey"),
    Shape("upgradeNonce", "nonceAccount"),
)
"""By the tag that their data starts with."""


def parse_system(data: bytes, accounts: Sequence[str]) -> Json:
    """Type and info; None for malformed or unknown instructions."""
    try:
        (tag,) = struct.unpack_from("<I", data)
        shape = SHAPES[tag]
        info: dict[str, Json] = {name: accounts[index] for index, name in enumerate(shape.accounts.split())}
        position = 4
        for field in shape.fields.split():
            name, _, kind = field.partition(":")
            info[name], position = _read(kind, data, position)
    except (struct.error, IndexError):
        return None
    return {"type": shape.kind, "info": info}


def _read(kind: str, data: bytes, position: int) -> tuple[Json, int]:
    """A field and where it ends; a string has its length in 64 bits before it."""
    if kind == "pubkey":
        return str(Pubkey(struct.unpack_from("32s", data, position)[0])), position + 32
    (number,) = struct.unpack_from("<Q", data, position)
    if kind == "u64":
        return number, position + 8
    (raw,) = struct.unpack_from(f"{number}s", data, position + 8)
    return raw.decode(errors="replace"), position + 8 + number
