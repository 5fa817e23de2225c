"""Arguments of `preempt` in addition to the accounts of every ending."""

from __future__ import annotations

from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.pdas import find_vault
from anchor_client.payment_tokens import payout_account, payout_bump
from anchor_client.solana.tokens import associated_token


def preemption(listing: Listing, holder: Rental, challenger: Rental, program_id: Pubkey) -> dict[str, Any]:
    """The order that waits, and out of which vault it compensates the displaced holder, into which account of theirs.

    Vault and account are None when both rentals have their escrow in one vault.
    """
    given = {"challenger": listing.challenger, "payout_bump": payout_bump(holder.renter, holder.mint)}
    if (holder.mint, holder.shard) == (challenger.mint, challenger.shard):
        return given
    vault = find_vault(challenger.mint, challenger.shard, program_id)[0]
    return given | {
        "challenger_vault": vault,
        "challenger_vault_token": associated_token(vault, challenger.mint),
        "compensation_payout": payout_account(holder.renter, challenger.mint),
    }
