"""Changes by the authority and by a host, in the recorded market."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types import MarketKey, PauseArea
from tests.markets.recorded import Market
from tests.program.harness.actors import AUTHORITY, GPUM, HOST, STRANGER, USDC
from tests.program.harness.changes import respecify, set_paused, set_terms, withdraw_unreserved


def administer(market: Market, listing: Pubkey) -> None:
    """Everything an authority and a host may change; the listing, idle, is closed."""
    market.act(*(market.sweep_fees(mint) for mint in (GPUM, USDC)))
    market.act(withdraw_unreserved(1))
    market.cluster.give(find_host(HOST)[0], 1)
    market.act(ix.sweep_rent(account=find_host(HOST)[0], owner=HOST))
    market.act(
        set_terms(GPUM, burn_bps=500),
        ix.update_market_key(key=MarketKey.GUARDIAN, new=HOST, authority=AUTHORITY),
        set_paused(PauseArea.ORDERS),
        set_paused(PauseArea.ORDERS, paused=False),
        set_paused(PauseArea.HOSTS, caller=HOST),
        set_paused(PauseArea.HOSTS, paused=False),
    )
    market.act(
        ix.update_host(seal_key=bytes([8] * 32), authority=HOST, host=find_host(HOST)[0]),
        respecify(on_demand_usd=3_000_000),
    )
    market.act(market.set_operator(STRANGER, listing))
    market.act(market.close_listing(listing))
