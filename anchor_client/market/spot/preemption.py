"""The accounts that `preempt` names besides those of every ending."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.pdas import find_vault
from anchor_client.tokens import associated_token, payout_account


def preemption(listing: Listing, holder: Rental, challenger: Rental, program_id: Pubkey) -> dict[str, Pubkey | None]:
    """The order that waits, and out of which vault it compensates the displaced holder, into which account of theirs.

    Vault and account are None when both rentals have their escrow in one vault.
    """
    accounts: dict[str, Pubkey | None] = {"challenger": listing.challenger}
    if (holder.mint, holder.shard) == (challenger.mint, challenger.shard):
        return accounts
    vault = find_vault(challenger.mint, challenger.shard, program_id)[0]
    return accounts | {
        "challenger_vault": vault,
        "challenger_vault_token": associated_token(vault, challenger.mint),
        "compensation_payout": payout_account(holder.renter, challenger.mint),
    }
