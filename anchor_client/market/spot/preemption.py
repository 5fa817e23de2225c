"""Accounts with which an order that waited takes a machine, and compensates its last holder."""

from __future__ import annotations

from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.pdas import find_vault
from anchor_client.payment_tokens import payout_account, payout_bump
from anchor_client.rules.subsidy import host_to_end
from anchor_client.solana.tokens import associated_token


def has_departed(listing: Listing) -> bool:
    """True where the host has ended the rental that an order waits to follow: the order compensates its renter."""
    return listing.departed != Pubkey.default()


def taking_over(listing: Listing, challenger: Rental, program_id: Pubkey) -> dict[str, Any]:
    """Arguments of `take_over`: the order that waits, and the accounts of a compensation if it owes one."""
    given = {"rental": listing.challenger}
    if not has_departed(listing):
        return given
    return given | _compensating(challenger, listing.departed_renter, program_id)


def preemption(listing: Listing, holder: Rental, challenger: Rental, program_id: Pubkey) -> dict[str, Any]:
    """Arguments of `preempt` other than the accounts of every ending: the order that waits, and out of which vault it
    compensates the displaced holder, into which account of theirs.

    Vault and account are None when both rentals have their escrow in one vault.
    """
    given = {
        "challenger": listing.challenger,
        "payout_bump": payout_bump(holder.renter, holder.mint),
        "host": host_to_end(holder, listing),
    }
    if (holder.mint, holder.shard) == (challenger.mint, challenger.shard):
        return given
    return given | _compensating(challenger, holder.renter, program_id)


def _compensating(challenger: Rental, wallet: Pubkey, program_id: Pubkey) -> dict[str, Pubkey]:
    """Accounts of a compensation of `wallet` out of the vault of the order that waited."""
    vault = find_vault(challenger.mint, challenger.shard, program_id)[0]
    return {
        "challenger_vault": vault,
        "challenger_vault_token": associated_token(vault, challenger.mint),
        "compensation_payout": payout_account(wallet, challenger.mint),
    }
