"""Accounts on the wire: base58, base64, base64+zstd and jsonParsed."""

import base64
from dataclasses import dataclass

from solders.account import Account
from zstandard import compress

from anchor_idl import base58
from localnet.encoding.parsed_accounts import parse_account
from localnet.encoding.tokens import Accounts
from localnet.records import Json
from localnet.rpc.errors import INVALID_REQUEST, RpcError

MAX_BASE58_BYTES = 128
RENT_EXEMPT_EPOCH = 2**64 - 1
"""Epoch of an account that never pays rent, as all of mainnet's."""
ENCODINGS = ("binary", "base58", "base64", "jsonParsed", "base64+zstd")


class Base58TooLong(RpcError):
    """Account data too long for base58."""

    def __init__(self) -> None:
        message = "Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding."
        super().__init__(INVALID_REQUEST, message)


@dataclass(frozen=True, slots=True)
class AccountEncoding:
    """Account encoding that a client asks for and, except for jsonParsed, the slice of the data."""

    name: str = "binary"
    offset: int = 0
    length: int | None = None

    def slice(self, data: bytes) -> bytes:
        """The requested part of the data."""
        end = None if self.length is None else self.offset + self.length
        return data[self.offset : end]


def account_json(account: Account, encoding: AccountEncoding, read: Accounts) -> dict[str, Json]:
    """An account as getAccountInfo's value. `read` finds the mints of token accounts.

    Raises Base58TooLong.
    """
    return {
        "data": _data(account, encoding, read),
        "executable": account.executable,
        "lamports": account.lamports,
        "owner": str(account.owner),
        "rentEpoch": account.rent_epoch or RENT_EXEMPT_EPOCH,
        "space": len(account.data),
    }


def _data(account: Account, encoding: AccountEncoding, read: Accounts) -> Json:
    if encoding.name == "jsonParsed":
        parsed = parse_account(account, read)
        if parsed is not None:
            return parsed
    data = encoding.slice(account.data)
    match encoding.name:
        case "binary":
            return _base58(data)
        case "base58":
            return [_base58(data), "base58"]
        case "base64+zstd":
            return [base64.b64encode(compress(data)).decode(), "base64+zstd"]
        case _:
            return [base64.b64encode(data).decode(), "base64"]


def _base58(data: bytes) -> str:
    if len(data) > MAX_BASE58_BYTES:
        raise Base58TooLong
    return base58.encode(data)
