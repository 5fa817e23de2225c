"""A market with listings, rentals, orders, requests, webhooks and sign-ins in every state that there is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from solders.pubkey import Pubkey
from sqlalchemy import Column, ColumnElement, Engine, insert, select

from anchor_client.generated.types import RentalKind, Silence
from anchor_client.kinds import KINDS, JobState, RequestState
from indexer.accounts.models import (
    ApiKey,
    NoticePlace,
    RefreshToken,
    SavedSearch,
    SignIn,
    UsedNonce,
    Webhook,
    WebhookChange,
    WebhookDelivery,
)
from indexer.api.routes.webhooks.deliveries import Status
from indexer.models import Listing, MeterEntry, Proposal, Rental, Request, SpotBid
from indexer.models.base import Record
from indexer.models.sealed_orders import SealedOrder
from tests.indexer.busy import busy
from tests.indexer.spot import bid
from tests.markets.recorded import Market
from tests.program.harness import flows
from tests.program.harness.actors import HOST, USDC
from tests.program.harness.spot import LEAST, held
from tests.program.harness.terms import DAY
from tests.program.harness.tokens import put_tokens

LATER, DIGEST = 4_000_000_000, "0" * 64
STATES: list[tuple[Column[str], Iterable[str]]] = [
    (Rental.c.status, JobState),
    (Rental.c.kind, KINDS),
    (Request.c.status, RequestState),
    (Listing.c.silence, [each.name.lower() for each in Silence]),
    (SpotBid.c.outcome, ("waiting", "took_over", "outbid", "withdrawn")),
    (Proposal.c.state, ("voting", "queued", "executed", "defeated", "cancelled", "vetoed")),
    (MeterEntry.c.kind, ("opened", "reported", "disputed", "accepted", "dropped", "paid", "ended", "closed")),
    (WebhookDelivery.c.status, get_args(Status)),
]
"""Columns of states, and every word that they have."""
EITHER: list[ColumnElement[bool]] = [
    Listing.c.visible,
    Listing.c.closed_at > 0,
    Listing.c.current.is_not(None),
    Listing.c.challenger.is_not(None),
    Listing.c.owed > 0,
    Rental.c.ended_at.is_not(None),
    SpotBid.c.decided_at.is_not(None),
    SignIn.c.revoked_at.is_not(None),
    RefreshToken.c.used_at.is_not(None),
    ApiKey.c.expires_at.is_not(None),
    ApiKey.c.last_used_at.is_not(None),
    Webhook.c.old_secret.is_not(None),
    Webhook.c.due_at.is_not(None),
    Webhook.c.failing_since.is_not(None),
    Webhook.c.disabled_at.is_not(None),
]
"""Conditions that hold of some rows and not of others."""


def missing_states(engine: Engine) -> list[str]:
    """States that no row of a database is in."""
    missing = []
    with engine.connect() as connection:
        for column, words in STATES:
            found = set(connection.execute(select(column).distinct()).scalars())
            missing += [f"{column} {word}" for word in words if word not in found]
        for condition in EITHER:
            found = {bool(each) for each in connection.execute(select(condition).distinct()).scalars()}
            missing += [f"{condition}: {each}" for each in (True, False) if each not in found]
    return missing


def open_everything(market: Market) -> None:
    """Whatever does not end by itself, in each state, after one of each that has ended."""
    busy(market)
    fall_silent(market)
    renter = market.renter()
    market.list_machine(visible=False)
    market.act(market.close_listing(market.list_machine()))
    flows.opened(market, renter, listing=market.list_machine())
    flows.accepted(market, renter, listing=market.list_machine())
    flows.running(market, renter, listing=market.list_machine())
    flows.running(market, renter, listing=market.list_machine(), kind=RentalKind.RESERVED, duration=7 * DAY)
    flows.finished(market, renter, listing=market.list_machine(), seconds=600)
    market.act(market.contest_finish(flows.finished(market, renter, listing=market.list_machine(), seconds=600)))
    owe(market, market.renter(), market.list_machine())
    market.ask(renter)
    flows.matched(market, market.ask(renter), market.list_machine())
    spot = market.list_machine()
    held(market, renter, listing=spot)
    bid(market, market.renter(), spot, LEAST)


def fall_silent(market: Market) -> None:
    """One machine is proven silent, and one is marked; nobody hears from either again."""
    proven, marked = market.list_machine(), market.list_machine()
    market.fall_silent(proven)
    market.act(market.mark_silent(proven))
    market.act(market.mark_silent(marked))
    market.listings.remove(proven)
    market.listings.remove(marked)
    market.beat()


def owe(market: Market, renter: Pubkey, listing: Pubkey) -> None:
    """A rental ends while the host's account is frozen, and the host has not claimed yet."""
    rental = flows.running(market, renter, listing=listing, mint=USDC)
    market.pass_time(200)
    before = market.tokens(HOST, USDC)
    put_tokens(market.cluster, USDC, HOST, before, frozen=True)
    market.act(market.stop_rental(rental))
    put_tokens(market.cluster, USDC, HOST, before)


def secrets(market: Market) -> list[Record]:
    """Rows that the chain does not bring back."""
    wallet = str(market.renter())
    hook = {"wallet": wallet, "url": "https://x.example", "types": "job.started", "topics": "jobs", "low_funds": "600s"}
    hook |= {"secret": "whsec_x", "created_at": 1, "index_id": "1", "number": 0, "since": 1}
    notice = {"endpoint": "a", "type": "job.started", "body": "{}", "made_at": 1, "next_at": 2}
    return [
        UsedNonce(nonce="n", expires_at=LATER),
        SignIn(id="a", wallet=wallet, created_at=1, expires_at=LATER),
        SignIn(id="b", wallet=wallet, created_at=1, expires_at=LATER, revoked_at=2),
        RefreshToken(digest=DIGEST, sign_in="a", used_at=3),
        RefreshToken(digest="1" * 64, sign_in="a"),
        ApiKey(id="k", wallet=wallet, name="Käse \"'\\", scopes="read", digest=DIGEST, created_at=1),
        ApiKey(
            id="l", wallet=wallet, name="", scopes="", digest="2" * 64, created_at=1, expires_at=LATER, last_used_at=60
        ),
        Webhook(id="a", **hook),
        Webhook(id="b", **hook, old_secret="whsec_y", old_secret_until=LATER, due_at=5, is_quick=True),
        Webhook(id="c", **hook, failing_since=1, disabled_at=2, disabled_reason="410"),
        SavedSearch(id="s", wallet=wallet, name="Käse", filters='{"region": "eu-de"}', created_at=1),
        NoticePlace(id=1, index_id="1", number=0),
        WebhookChange(number=1, endpoint="a"),
        WebhookDelivery(id="1", number=1, **notice),
        WebhookDelivery(id="2", number=2, **notice, status="delivered", attempts=1, response=204, last_at=3),
        WebhookDelivery(id="3", number=3, **notice, status="failed", attempts=9, error="it is \0".strip("\0")),
        *(
            SealedOrder(
                renter=wallet,
                order_hash=str(number) * 64,
                signed_at=1,
                signature="5" * 88,
                received_at=2,
                kept_until=LATER,
                sealed=bytes(range(256)) * number,
            )
            for number in (1, 2)
        ),
    ]


def keep(engine: Engine, rows: list[Record]) -> None:
    with engine.begin() as connection:
        for row in rows:
            values = {column.name: getattr(row, column.name) for column in type(row).table.columns}
            connection.execute(insert(type(row).table).values(values))
