"""jsonParsed instructions: parsed where the program is known, with its accounts spelt out otherwise."""

from collections.abc import Callable, Sequence

from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.token import ID as TOKEN_PROGRAM

from anchor_idl import base58
from localnet.encoding.instruction_shapes import Shape, parse_shaped
from localnet.encoding.tokens import TOKEN_2022_PROGRAM
from localnet.memos import MEMO_PROGRAMS
from localnet.records import Json

ASSOCIATED_TOKEN_PROGRAM = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
SYSTEM_TAG_SIZE = 4
TOKEN_TAG_SIZE = 1
MINT_FIELDS = "decimals:u8 mintAuthority:pubkey freezeAuthority:given"

SYSTEM = {
    0: Shape("createAccount", "source newAccount", "lamports:u64 space:u64 owner:pubkey"),
    1: Shape("assign", "account", "owner:pubkey"),
    2: Shape("transfer", "source destination", "lamports:u64"),
    3: Shape(
        "createAccountWithSeed",
        "source newAccount",
        "base:pubkey seed:string lamports:u64 space:u64 owner:pubkey",
    ),
    4: Shape("advanceNonce", "nonceAccount recentBlockhashesSysvar nonceAuthority"),
    5: Shape(
        "withdrawFromNonce",
        "nonceAccount destination recentBlockhashesSysvar rentSysvar nonceAuthority",
        "lamports:u64",
    ),
    6: Shape("initializeNonce", "nonceAccount recentBlockhashesSysvar rentSysvar", "nonceAuthority:pubkey"),
    7: Shape("authorizeNonce", "nonceAccount nonceAuthority", "newAuthorized:pubkey"),
    8: Shape("allocate", "account", "space:u64"),
    9: Shape("allocateWithSeed", "account", "base:pubkey seed:string space:u64 owner:pubkey"),
    10: Shape("assignWithSeed", "account", "base:pubkey seed:string owner:pubkey"),
    11: Shape("transferWithSeed", "source sourceBase destination", "lamports:u64 sourceSeed:string sourceOwner:pubkey"),
    12: Shape("upgradeNonce", "nonceAccount"),
}
"""By the tag that their data starts with."""

TOKEN = {
    0: Shape("initializeMint", "mint rentSysvar", MINT_FIELDS),
    1: Shape("initializeAccount", "account mint owner rentSysvar"),
    3: Shape("transfer", "source destination", "amount:amount", "authority"),
    4: Shape("approve", "source delegate", "amount:amount", "owner"),
    5: Shape("revoke", "source", authority="owner"),
    6: Shape("setAuthority", "account", "authorityType:authorityType newAuthority:option", "authority"),
    7: Shape("mintTo", "mint account", "amount:amount", "mintAuthority"),
    8: Shape("burn", "account mint", "amount:amount", "authority"),
    9: Shape("closeAccount", "account destination", authority="owner"),
    10: Shape("freezeAccount", "account mint", authority="freezeAuthority"),
    11: Shape("thawAccount", "account mint", authority="freezeAuthority"),
    12: Shape("transferChecked", "source mint destination", "tokenAmount:checkedAmount", "authority"),
    13: Shape("approveChecked", "source mint delegate", "tokenAmount:checkedAmount", "owner"),
    14: Shape("mintToChecked", "mint account", "tokenAmount:checkedAmount", "mintAuthority"),
    15: Shape("burnChecked", "account mint", "tokenAmount:checkedAmount", "authority"),
    16: Shape("initializeAccount2", "account mint rentSysvar", "owner:pubkey"),
    17: Shape("syncNative", "account"),
    18: Shape("initializeAccount3", "account mint", "owner:pubkey"),
    20: Shape("initializeMint2", "mint", MINT_FIELDS),
    21: Shape("getAccountDataSize", "mint", "extensionTypes:extensionTypes"),
    22: Shape("initializeImmutableOwner", "account"),
    23: Shape("amountToUiAmount", "mint", "amount:amount"),
}
"""Instructions that Token-2022 shares with SPL Token."""

ASSOCIATED_TOKEN = {
    b"": Shape("create", "source account wallet mint systemProgram tokenProgram"),
    b"\0": Shape("create", "source account wallet mint systemProgram tokenProgram"),
    b"\1": Shape("createIdempotent", "source account wallet mint systemProgram tokenProgram"),
    b"\2": Shape("recoverNested", "nestedSource nestedMint destination nestedOwner ownerMint wallet tokenProgram"),
}
"""By their whole data."""


def parse_instruction(compiled: dict[str, Json], keys: Sequence[Pubkey]) -> dict[str, Json]:
    """The parsed or partially decoded form of an instruction in its json encoding."""
    program = keys[compiled["programIdIndex"]]
    height = compiled["stackHeight"]
    accounts = [str(keys[index]) for index in compiled["accounts"]]
    if program in PARSERS:
        name, parse = PARSERS[program]
        parsed = parse(base58.decode(compiled["data"]), accounts)
        if parsed is not None:
            return {"program": name, "programId": str(program), "parsed": parsed, "stackHeight": height}
    return {"programId": str(program), "accounts": accounts, "data": compiled["data"], "stackHeight": height}


def _system(data: bytes, accounts: Sequence[str]) -> Json:
    return parse_shaped(SYSTEM, SYSTEM_TAG_SIZE, data, accounts)


def _token(data: bytes, accounts: Sequence[str]) -> Json:
    parsed = parse_shaped(TOKEN, TOKEN_TAG_SIZE, data, accounts)
    if parsed is not None and parsed["info"].get("authorityType") in ("mintTokens", "freezeAccount"):
        parsed["info"]["mint"] = parsed["info"].pop("account")
    return parsed


def _associated_token(data: bytes, accounts: Sequence[str]) -> Json:
    if data not in ASSOCIATED_TOKEN:
        return None
    return parse_shaped({0: ASSOCIATED_TOKEN[data]}, 0, data, accounts)


def _memo(data: bytes, accounts: Sequence[str]) -> Json:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


PARSERS: dict[Pubkey, tuple[str, Callable[[bytes, Sequence[str]], Json]]] = {
    SYSTEM_PROGRAM: ("system", _system),
    TOKEN_PROGRAM: ("spl-token", _token),
    TOKEN_2022_PROGRAM: ("spl-token-2022", _token),
    ASSOCIATED_TOKEN_PROGRAM: ("spl-associated-token-account", _associated_token),
    **dict.fromkeys(MEMO_PROGRAMS, ("spl-memo", _memo)),
}
"""Each gives type and info from data and account addresses; None for what it does not know."""
