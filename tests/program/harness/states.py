"""Contents of program accounts; the same bytes are decoded once."""

from __future__ import annotations

from functools import lru_cache

from anchor_client.generated.accounts import decode_account
from anchor_idl.runtime.structs import Account


@lru_cache(maxsize=4_096)
def state_of(data: bytes) -> Account:
    """The account whose discriminator the data starts with; errors as decode_account."""
    return decode_account(data)
