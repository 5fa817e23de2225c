"""System program instructions."""

import struct
from collections.abc import Sequence

from solders.pubkey import Pubkey

from localnet.records import Json


class Fields:
    """Reads an instruction's data from left to right. Raises struct.error when it is too short."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def u32(self) -> int:
        """A little-endian 32-bit number."""
        return int(self._take("<I"))

    def u64(self) -> int:
        """A little-endian 64-bit number."""
        return int(self._take("<Q"))

    def pubkey(self) -> str:
        """An address in base58."""
        return str(Pubkey(self._take("32s")))

    def string(self) -> str:
        """A string with its length in 64 bits before it."""
        raw: bytes = self._take(f"{self.u64()}s")
        return raw.decode(errors="replace")

    def _take(self, layout: str) -> Json:
        size = struct.calcsize(layout)
        (value,) = struct.unpack_from(layout, self._data)
        self._data = self._data[size:]
        return value


def parse_system(data: bytes, accounts: Sequence[str]) -> Json:
    """Type and info; None for malformed or unknown instructions."""
    fields = Fields(data)
    try:
        return _parse(fields.u32(), fields, accounts)
    except (struct.error, IndexError):
        return None


def _parse(tag: int, fields: Fields, accounts: Sequence[str]) -> Json:
    match tag:
        case 0:
            size = {"lamports": fields.u64(), "space": fields.u64(), "owner": fields.pubkey()}
            return _typed("createAccount", source=accounts[0], newAccount=accounts[1], **size)
        case 1:
            return _typed("assign", account=accounts[0], owner=fields.pubkey())
        case 2:
            return _typed("transfer", source=accounts[0], destination=accounts[1], lamports=fields.u64())
        case 3:
            seed = {"base": fields.pubkey(), "seed": fields.string(), "lamports": fields.u64()}
            size = {"space": fields.u64(), "owner": fields.pubkey()}
            return _typed("createAccountWithSeed", source=accounts[0], newAccount=accounts[1], **seed, **size)
        case 4:
            nonce = {"nonceAccount": accounts[0], "recentBlockhashesSysvar": accounts[1]}
            return _typed("advanceNonce", **nonce, nonceAuthority=accounts[2])
        case 5:
            sysvars = {"recentBlockhashesSysvar": accounts[2], "rentSysvar": accounts[3]}
            ends = {"nonceAccount": accounts[0], "destination": accounts[1], "nonceAuthority": accounts[4]}
            return _typed("withdrawFromNonce", **ends, **sysvars, lamports=fields.u64())
        case 6:
            sysvars = {"recentBlockhashesSysvar": accounts[1], "rentSysvar": accounts[2]}
            return _typed("initializeNonce", nonceAccount=accounts[0], **sysvars, nonceAuthority=fields.pubkey())
        case 7:
            authorities = {"nonceAuthority": accounts[1], "newAuthorized": fields.pubkey()}
            return _typed("authorizeNonce", nonceAccount=accounts[0], **authorities)
        case 8:
            return _typed("allocate", account=accounts[0], space=fields.u64())
        case 9:
            seed = {"base": fields.pubkey(), "seed": fields.string(), "space": fields.u64()}
            return _typed("allocateWithSeed", account=accounts[0], **seed, owner=fields.pubkey())
        case 10:
            seed = {"base": fields.pubkey(), "seed": fields.string(), "owner": fields.pubkey()}
            return _typed("assignWithSeed", account=accounts[0], **seed)
        case 11:
            source = {"source": accounts[0], "sourceBase": accounts[1], "destination": accounts[2]}
            amount = {"lamports": fields.u64(), "sourceSeed": fields.string(), "sourceOwner": fields.pubkey()}
            return _typed("transferWithSeed", **source, **amount)
        case 12:
            return _typed("upgradeNonce", nonceAccount=accounts[0])
        case _:
            return None


def _typed(kind: str, **info: Json) -> dict[str, Json]:
    return {"type": kind, "info": info}
