"""SPL Token instructions, those that Token-2022 shares with it."""

import struct
from collections.abc import Sequence

from solders.pubkey import Pubkey

from localnet.encoding.tokens import ui_token_amount
from localnet.records import Json

AUTHORITY_TYPES = ("mintTokens", "freezeAccount", "accountOwner", "closeAccount")
SIGNED: dict[int, tuple[str, tuple[str, ...], str]] = {
    3: ("transfer", ("source", "destination"), "authority"),
    4: ("approve", ("source", "delegate"), "owner"),
    5: ("revoke", ("source",), "owner"),
    7: ("mintTo", ("mint", "account"), "mintAuthority"),
    8: ("burn", ("account", "mint"), "authority"),
    9: ("closeAccount", ("account", "destination"), "owner"),
    10: ("freezeAccount", ("account", "mint"), "freezeAuthority"),
    11: ("thawAccount", ("account", "mint"), "freezeAuthority"),
    12: ("transferChecked", ("source", "mint", "destination"), "authority"),
    13: ("approveChecked", ("source", "mint", "delegate"), "owner"),
    14: ("mintToChecked", ("mint", "account"), "mintAuthority"),
    15: ("burnChecked", ("account", "mint"), "authority"),
}
PLAIN_AMOUNT = (3, 4, 7, 8)
CHECKED_AMOUNT = (12, 13, 14, 15)


def parse_token(data: bytes, accounts: Sequence[str]) -> Json:
    """Type and info; None for malformed instructions and those of Token-2022 alone."""
    try:
        return _signed(data, accounts) if data[0] in SIGNED else _parse(data, accounts)
    except (struct.error, IndexError, ValueError):
        return None


def _signed(data: bytes, accounts: Sequence[str]) -> Json:
    kind, names, authority = SIGNED[data[0]]
    info: dict[str, Json] = {name: accounts[index] for index, name in enumerate(names)}
    if data[0] in PLAIN_AMOUNT:
        info["amount"] = str(_u64(data))
    if data[0] in CHECKED_AMOUNT:
        info["tokenAmount"] = ui_token_amount(_u64(data), data[9])
    return {"type": kind, "info": info | _authority(authority, accounts, len(names))}


def _parse(data: bytes, accounts: Sequence[str]) -> Json:
    match data[0]:
        case 0:
            return {"type": "initializeMint", "info": _mint(data, accounts) | {"rentSysvar": accounts[1]}}
        case 20:
            return {"type": "initializeMint2", "info": _mint(data, accounts)}
        case 1:
            info = {"account": accounts[0], "mint": accounts[1], "owner": accounts[2], "rentSysvar": accounts[3]}
            return {"type": "initializeAccount", "info": info}
        case 16:
            info = {"account": accounts[0], "mint": accounts[1], "owner": _key(data, 1), "rentSysvar": accounts[2]}
            return {"type": "initializeAccount2", "info": info}
        case 18:
            info = {"account": accounts[0], "mint": accounts[1], "owner": _key(data, 1)}
            return {"type": "initializeAccount3", "info": info}
        case 6:
            return _set_authority(data, accounts)
        case 17:
            return {"type": "syncNative", "info": {"account": accounts[0]}}
        case 21:
            return {"type": "getAccountDataSize", "info": {"mint": accounts[0]} | _extension_types(data)}
        case 22:
            return {"type": "initializeImmutableOwner", "info": {"account": accounts[0]}}
        case 23:
            return {"type": "amountToUiAmount", "info": {"mint": accounts[0], "amount": str(_u64(data))}}
        case _:
            return None


def _set_authority(data: bytes, accounts: Sequence[str]) -> Json:
    kind = AUTHORITY_TYPES[data[1]]
    info: dict[str, Json] = {
        "mint" if data[1] < 2 else "account": accounts[0],
        "authorityType": kind,
        "newAuthority": _key(data, 3) if data[2] else None,
    }
    return {"type": "setAuthority", "info": info | _authority("authority", accounts, 1)}


def _mint(data: bytes, accounts: Sequence[str]) -> dict[str, Json]:
    info: dict[str, Json] = {"mint": accounts[0], "decimals": data[1], "mintAuthority": _key(data, 2)}
    return info | {"freezeAuthority": _key(data, 35)} if data[34] else info


def _authority(name: str, accounts: Sequence[str], position: int) -> dict[str, Json]:
    if len(accounts) > position + 1:
        multisig = "multisig" + name[0].upper() + name[1:]
        return {multisig: accounts[position], "signers": list(accounts[position + 1 :])}
    return {name: accounts[position]}


def _extension_types(data: bytes) -> dict[str, Json]:
    names = {7: "immutableOwner"}
    kinds = [int.from_bytes(data[offset : offset + 2], "little") for offset in range(1, len(data) - 1, 2)]
    return {"extensionTypes": [names.get(kind, str(kind)) for kind in kinds]} if kinds else {}


def _u64(data: bytes) -> int:
    return int(struct.unpack_from("<Q", data, 1)[0])


def _key(data: bytes, offset: int) -> str:
    return str(Pubkey(struct.unpack_from("32s", data, offset)[0]))
