"""Account files in the form of `solana account --output json`."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

from solders.account import Account
from solders.pubkey import Pubkey


def load_accounts(directory: Path) -> Iterator[tuple[Pubkey, Account]]:
    """The accounts in a directory's *.json files, by name. Raises ValueError naming a file that is none."""
    for path in sorted(directory.glob("*.json")):
        try:
            yield _load(json.loads(path.read_text()))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is not an account file: {error!r}") from error


def _load(document: dict[str, object]) -> tuple[Pubkey, Account]:
    fields = document["account"]
    if not isinstance(fields, dict):
        raise TypeError("`account` is not an object")
    text, encoding = fields["data"]
    if encoding != "base64":
        raise ValueError(f"data is in {encoding}, not base64")
    account = Account(
        fields["lamports"],
        base64.b64decode(text, validate=True),
        Pubkey.from_string(fields["owner"]),
        fields.get("executable", False),
        fields.get("rentEpoch", 0),
    )
    return Pubkey.from_string(str(document["pubkey"])), account
