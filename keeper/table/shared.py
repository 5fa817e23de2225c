"""The accounts that endings share."""

from __future__ import annotations

from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Vault
from anchor_client.generated.pdas import find_event_authority, find_market
from anchor_client.generated.program import SYSTEM_PROGRAM, TOKEN_PROGRAM
from anchor_client.solana.rpc import Reader
from keeper.endings import unpaid_parties

MAX_ADDRESSES: Final = 256
"""Maximum addresses of a table."""


async def shared_addresses(reader: Reader, wallet: Pubkey) -> list[Pubkey]:
    """Addresses that most endings name, without repeats: the market's own, then mints and vaults, the busiest first."""
    vaults = sorted((await reader.read_all(Vault)).items(), key=lambda known: (-known[1].open_rentals, bytes(known[0])))
    program = reader.program_id
    addresses = [
        find_market(program)[0],
        find_event_authority(program)[0],
        TOKEN_PROGRAM,
        SYSTEM_PROGRAM,
        *unpaid_parties(wallet),
        *(vault.mint for _, vault in vaults),
        *(address for key, vault in vaults for address in (key, vault.token_account)),
    ]
    return list(dict.fromkeys(addresses))[:MAX_ADDRESSES]
