"""The cached search for program addresses: a bump search costs up to 255 hashes, and few addresses come up often."""

from __future__ import annotations

from functools import lru_cache

from solders.pubkey import Pubkey


@lru_cache(maxsize=16_384)
def find_address(program_id: Pubkey, *seeds: bytes) -> tuple[Pubkey, int]:
    """The program address of `seeds` and its bump."""
    return Pubkey.find_program_address(list(seeds), program_id)
