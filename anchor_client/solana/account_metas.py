"""Account metas for instructions that are built by hand."""

from __future__ import annotations

from solders.instruction import AccountMeta
from solders.pubkey import Pubkey


def readable(address: Pubkey, *, signs: bool = False) -> AccountMeta:
    """An account that is only read."""
    return AccountMeta(address, is_signer=signs, is_writable=False)


def writable(address: Pubkey, *, signs: bool = False) -> AccountMeta:
    """An account that is changed."""
    return AccountMeta(address, is_signer=signs, is_writable=True)
