"""`gpu-market wallet sweep-rent`."""

from __future__ import annotations

from anchor_client.amounts import SOL_DECIMALS, tokens
from anchor_client.generated.pdas import find_host, find_renter_profile, find_stake
from market_cli.acting import acting
from market_cli.session import CliSession

MOST_ACCOUNTS = 16
"""Accounts that fit into one transaction."""


@acting
async def sweep_rent(session: CliSession) -> None:
    """Reclaim the lamports of your profile, stake, host and listings beyond the cluster's current rent."""
    market = session.signing
    wallet = session.signing.address
    host, *others = (find(wallet, market.program_id)[0] for find in (find_host, find_renter_profile, find_stake))
    excess = await market.excess_rent([host, *others, *await market.reads.listings_of(host)])
    swept = list(excess)[:MOST_ACCOUNTS]
    if not swept:
        session.out.show({"lamports": "0", "accounts": []}, "Your accounts hold no excess rent.")
        return
    sent = await market.sweep_rent(dict.fromkeys(swept, wallet))
    lamports = sum(excess[account] for account in swept)
    left = ""
    if len(excess) > len(swept):
        left = f" {len(excess) - len(swept)} more accounts have excess rent: run this again."
    session.out.sent(
        sent,
        f"Reclaimed {tokens(lamports, SOL_DECIMALS)} SOL.{left}",
        lamports=str(lamports),
        accounts=[str(account) for account in swept],
    )
