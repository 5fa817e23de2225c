"""Associated Token Account instructions."""

from collections.abc import Sequence

from localnet.records import Json

TYPES = {b"": "create", b"\0": "create", b"\1": "createIdempotent"}
RECOVER_NESTED = b"\2"
CREATE_ACCOUNTS = ("source", "account", "wallet", "mint", "systemProgram", "tokenProgram")
RECOVER_ACCOUNTS = (
    "nestedSource",
    "nestedMint",
    "destination",
    "nestedOwner",
    "ownerMint",
    "wallet",
    "tokenProgram",
)


def parse_associated_token(data: bytes, accounts: Sequence[str]) -> Json:
    """Type and named accounts; None for other instructions."""
    if data == RECOVER_NESTED and len(accounts) >= len(RECOVER_ACCOUNTS):
        return {"type": "recoverNested", "info": dict(zip(RECOVER_ACCOUNTS, accounts, strict=False))}
    if data in TYPES and len(accounts) >= len(CREATE_ACCOUNTS):
        return {"type": TYPES[data], "info": dict(zip(CREATE_ACCOUNTS, accounts, strict=False))}
    return None
