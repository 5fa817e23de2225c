"""Heartbeats and reputation updates of a host's listings, as many at once as fit a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Listing
from anchor_client.generated.types import ListingSpec
from anchor_client.solana.account_metas import writable
from anchor_client.solana.transactions.message import MessageVersion

LISTINGS_AT_ONCE: Final = 24
"""Listings that one heartbeat or one update of a reputation names: their addresses fill most of a transaction."""
LISTINGS_IN_V1: Final = 56
"""Listings that one heartbeat names in a version-1 message, which takes 64 addresses."""


def heartbeats(
    operator: Pubkey, host: Pubkey, listings: Sequence[Pubkey], program_id: Pubkey
) -> list[tuple[Instruction, MessageVersion | None]]:
    """The heartbeats that show a host's listings to be up, one transaction each, of version 1 where that saves some."""
    at_once, version = _message_for(len(listings))
    return [
        (
            build.heartbeat(operator=operator, host=host, remaining_accounts=accounts, program_id=program_id),
            version,
        )
        for accounts in _parts(listings, at_once)
    ]


def messages_for(listings: int) -> int:
    """Transactions that one round of heartbeats takes."""
    at_once, _ = _message_for(listings)
    return -(-listings // at_once)


def reputation_updates(host: Pubkey, listings: Sequence[Pubkey], program_id: Pubkey) -> list[Instruction]:
    """The calls that bring all of a host's listings, one transaction each; one without listings when it has none."""
    return [
        build.update_reputation(host=host, remaining_accounts=accounts, program_id=program_id)
        for accounts in _parts(listings) or [[]]
    ]


def spec_of(listing: Listing) -> ListingSpec:
    """A listing's present spec, as an instruction would state it again."""
    values = {name: getattr(listing, name) for name in ListingSpec.LAYOUT.layouts}
    return ListingSpec(**values | {"visible": listing.visible != 0})


def _message_for(listings: int) -> tuple[int, MessageVersion | None]:
    if listings > LISTINGS_AT_ONCE:
        return (LISTINGS_IN_V1, MessageVersion.V1)
    return (LISTINGS_AT_ONCE, None)


def _parts(listings: Sequence[Pubkey], at_once: int = LISTINGS_AT_ONCE) -> list[list[AccountMeta]]:
    accounts = [writable(listing) for listing in listings]
    return [accounts[start : start + at_once] for start in range(0, len(accounts), at_once)]
