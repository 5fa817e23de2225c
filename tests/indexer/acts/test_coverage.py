"""Every action of the client has a POST, or a reason why not."""

from __future__ import annotations

import inspect
from importlib import import_module

from anchor_client.market.area import Area
from indexer.api.main import create_app
from indexer.settings import IndexerSettings

AREAS = ("market", "host", "rental", "spot", "request", "charges", "mfp", "staking", "governance")
READS = {
    "charges": {"get", "list"},
    "governance": {"get", "list", "title", "votes", "record", "execution", "address_of", "next_address"},
    "host": {"get"},
    "market": {"excess_rent"},
    "mfp": {"get"},
    "rental": {"access", "connection", "note"},
    "request": {"get", "list", "watch", "told", "await_match", "deliver"},
    "spot": {"book"},
    "staking": {"get"},
}
DEPLOYMENT = "the market's authority signs it once, with `gpu-market`, before the stakers' vote is the authority"
AUTHORITY = "the market's authority signs it; once handed over it is a proposal's action"
CRANK = "keepers send it for a tip, in batches of their own"
EXCEPTIONS = {
    "market_initialize": DEPLOYMENT,
    "market_add_vault": DEPLOYMENT,
    "staking_initialize": DEPLOYMENT,
    "mfp_initialize": DEPLOYMENT,
    "governance_hand_over": DEPLOYMENT,
    "market_update": AUTHORITY,
    "market_update_key": AUTHORITY,
    "market_set_paused": AUTHORITY,
    "market_add_payment_mint": AUTHORITY,
    "market_update_payment_mint": AUTHORITY,
    "market_withdraw_unreserved": AUTHORITY,
    "host_approve": AUTHORITY,
    "mfp_set_models": AUTHORITY,
    "staking_add_reward_mint": AUTHORITY,
    "market_post_price": "an oracle posts it every few seconds, from a key of its own",
    "host_heartbeat": "the host agent sends it every minute, many listings at once",
    "host_update_reputation": CRANK,
    "host_mark_silent": CRANK,
    "market_sweep_rent": CRANK,
    "market_sweep_fees": CRANK,
    "staking_sweep": CRANK,
    "staking_advance_epoch": CRANK,
    "rental_finalize": CRANK,
    "rental_report_offline": CRANK,
    "rental_cancel_unstarted": CRANK,
    "rental_import_key": "it stores a key on the user's disk and sends nothing",
    "request_expire": CRANK,
    "spot_preempt": CRANK,
    "spot_take_over": CRANK,
    "charges_resolve": CRANK,
    "charges_settle": CRANK,
    "host_close_listings": "many of `host_close_listing` in several transactions",
    "host_create_listings": "many of `host_create_listing` in several transactions",
    "staking_claim_all": "one `staking_claim` for each token",
}


def actions() -> set[str]:
    """Actions of the client's areas, as `area_action`."""
    found = set()
    for area in AREAS:
        kind = getattr(import_module(f"anchor_client.market.{area}.actions"), f"{area.capitalize()}Actions")
        for name, member in inspect.getmembers(kind):
            is_act = inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member)
            if is_act and not name.startswith("_") and not hasattr(Area, name) and name not in READS[area]:
                found.add(f"{area}_{name}")
    return found


def posts() -> set[str]:
    """Operation ids of the acts that the API prepares."""
    paths = create_app(IndexerSettings(database_url="sqlite://")).openapi()["paths"]
    return {about["operationId"] for methods in paths.values() for name, about in methods.items() if name == "post"}


def test_actions__of_the_client__have_a_post_or_a_reason() -> None:
    assert actions() - posts() == EXCEPTIONS.keys()


def test_posts__that_prepare__are_actions_of_the_client() -> None:
    assert {name for name in posts() if name.split("_")[0] in AREAS} <= actions()


def test_bodies__of_acts__refuse_unknown_fields() -> None:
    described = create_app(IndexerSettings(database_url="sqlite://")).openapi()
    schemas = described["components"]["schemas"]
    for methods in described["paths"].values():
        about = methods.get("post", {})
        if about.get("operationId", "").split("_")[0] in AREAS:
            body = about["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            assert schemas[body]["additionalProperties"] is False, body
            assert "wallet" in schemas[body]["required"], body
