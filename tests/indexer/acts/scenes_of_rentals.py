"""Scenes of rentals, bids, requests and charges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.generated.constants import NONCES_PER_SLOT
from anchor_client.generated.types import MarketParameter
from tests.indexer.acts.scenes import NOT_YOURS, Asked, Scene, at_the_table, moving
from tests.markets.recorded import Market
from tests.program.harness import charges, spot
from tests.program.harness.actors import HOST, LISTING, RENTER, STRANGER, TENANT, USDC
from tests.program.harness.changes import set_parameter
from tests.program.harness.flows import accepted, finished, opened, running
from tests.program.harness.terms import DAY, HOUR
from tests.program.harness.tokens import put_tokens

Flow = Callable[..., Pubkey]
ORDER: Final = {"duration": HOUR, "order_hash": "ab" * 32}
BID: Final = {"duration": spot.LONG, "order_hash": "ab" * 32}
NOT_RENTERS: Final = (409, "wrong_renter")
NOT_OPERATORS: Final = (409, "wrong_operator")
GONE: Final = (404, "unknown_job")
WANTED: Final = {"gpu": "nvidia-h100-pcie-80gb", "count": 2, "max_usd": 8_000_000, **ORDER}
CHARGES: Final = {"bandwidth_usd": 5, "bandwidth_free_gb": 50, "storage_usd": 7}


def job(act: str, flow: Flow, wallet: Pubkey, *, after: int = 0, **body: Any) -> Callable[[Market], Asked]:
    """A job that a flow leads to, after some time."""

    def prepare(market: Market) -> Asked:
        at_the_table(market)
        rental = flow(market)
        if after:
            market.pass_time(after)
        return Asked(f"/api/jobs/{rental}/{act}", wallet, body)

    return prepare


def unpaid(payee: Pubkey, path: Callable[[Pubkey], str]) -> Callable[[Market], Asked]:
    """A rental that ended while its payee's account was frozen, which it is no longer."""

    def prepare(market: Market) -> Asked:
        at_the_table(market)
        rental = running(market, mint=USDC)
        market.pass_time(600)
        held = market.tokens(payee, USDC)
        put_tokens(market.recorder, USDC, payee, held, frozen=True)
        market.act(market.stop_rental(rental))
        put_tokens(market.recorder, USDC, payee, held)
        return Asked(path(rental), payee)

    return prepare


def order(market: Market) -> Asked:
    return Asked("/api/jobs", market.wallet(), {"pay": "SOL", **ORDER})


def newcomer(market: Market) -> Asked:
    return Asked("/api/profile/register", market.wallet())


def regular(market: Market) -> Asked:
    renter = market.wallet()
    market.act(market.register_renter(renter, first_nonce=(market.cluster.slot + 1) * NONCES_PER_SLOT))
    for _ in range(2):
        market.node.warp(0)
    return Asked("/api/profile/close", renter)


def released(market: Market) -> Asked:
    at_the_table(market)
    rental = finished(market)
    market.wait(2 * DAY)
    return Asked(f"/api/jobs/{rental}/release", STRANGER)


def bid(market: Market) -> Asked:
    at_the_table(market)
    spot.held(market)
    return Asked(f"/api/marketplace/listings/{LISTING}/spot/bid", TENANT, BID)


def raised(market: Market) -> Asked:
    """The order that waits bids again, higher."""
    at_the_table(market)
    spot.held(market)
    spot.challenged(market)
    return Asked(f"/api/marketplace/listings/{LISTING}/spot/bid", TENANT, {"bid_usd": 3_000_000, **BID})


def withdrawn(market: Market) -> Asked:
    at_the_table(market)
    spot.held(market)
    challenger = spot.challenged(market)
    market.pass_time(1)
    return Asked(f"/api/jobs/{challenger}/spot/withdraw", TENANT)


def request(market: Market) -> Asked:
    return Asked("/api/requests", market.renter(), WANTED)


def cancelled(market: Market) -> Asked:
    at_the_table(market)
    return Asked(f"/api/requests/{market.ask(RENTER)}/cancel", RENTER)


def matched(market: Market) -> Asked:
    at_the_table(market)
    return Asked(f"/api/requests/{market.ask(RENTER)}/match", HOST, {"listing": str(LISTING)})


def metered(act: str, wallet: Pubkey, flow: Flow = charges.metered, **body: Any) -> Callable[[Market], Asked]:
    """A job with a meter."""

    def prepare(market: Market) -> Asked:
        at_the_table(market)
        meter = charges.metered(market)
        if flow is not charges.metered:
            flow(market, meter)
        rental = charges.read(market, meter).rental
        return Asked(f"/api/jobs/{rental}/charges/{act}", wallet, body)

    return prepare


def capped(market: Market) -> Asked:
    at_the_table(market)
    market.act(charges.set_charges())
    rental = running(market)
    return Asked(f"/api/jobs/{rental}/charges/open", RENTER, {"cap": "5000000", "storage_gb": 10})


def over(market: Market, meter: Pubkey) -> None:
    """The rental has ended, and so has the host's time to report."""
    market.act(set_parameter(MarketParameter.CHARGE_WINDOW, 60))
    charges.ended(market, meter)
    market.wait(2 * DAY)


RENTALS: Final = {
    "rental_open": Scene(order, again=(409, "nothing_available"), purposes=moving("escrow", "account deposit")),
    "rental_extend": Scene(job("extend", running, RENTER, after=60, seconds=HOUR), None, NOT_YOURS, moving("escrow")),
    "rental_stop": Scene(
        job("stop", running, RENTER, after=600),
        GONE,
        NOT_RENTERS,
        moving("refund", "earnings", "burn", "account deposit returned"),
    ),
    "rental_report_issue": Scene(job("issues", running, RENTER, after=60, issue="unreachable"), None, NOT_RENTERS),
    "rental_rate": Scene(job("rate", running, RENTER, after=4_000, rating=4), (409, "already_rated"), NOT_RENTERS),
    "rental_contest_finish": Scene(job("contest", finished, RENTER), GONE, NOT_YOURS),
    "rental_claim_refund": Scene(
        unpaid(RENTER, lambda rental: f"/api/jobs/{rental}/refund"),
        GONE,
        purposes=moving("refund", "account deposit returned"),
    ),
    "rental_accept": Scene(
        job("accept", opened, HOST, connection="ab" * 64), (409, "wrong_rental_state"), NOT_OPERATORS
    ),
    "rental_start": Scene(job("start", accepted, HOST), (409, "wrong_rental_state"), NOT_OPERATORS),
    "rental_cancel": Scene(
        job("cancel", opened, HOST, reason="order-refused"),
        GONE,
        NOT_OPERATORS,
        moving("refund", "account deposit returned"),
    ),
    "rental_finish": Scene(
        job("finish", lambda market: running(market, may_finish=True), HOST, after=600, exit_code=3),
        GONE,
        NOT_OPERATORS,
        moving("refund", "earnings"),
    ),
    "rental_settle": Scene(job("settle", running, HOST, after=600), None, purposes=moving("earnings")),
    "rental_release_holdback": Scene(released, GONE, purposes=moving("earnings")),
    "rental_register": Scene(newcomer, (409, "account_address_taken")),
    "rental_unregister": Scene(regular, (409, "account_missing")),
    "spot_bid": Scene(bid, None, purposes=moving("escrow", "account deposit")),
    "spot_withdraw": Scene(withdrawn, GONE, (409, "challenger_in_time"), moving("refund", "compensation")),
    "request_open": Scene(request, None, purposes=moving("escrow", "account deposit")),
    "request_cancel": Scene(
        cancelled, (404, "unknown_request"), NOT_YOURS, moving("refund", "account deposit returned")
    ),
    "request_match": Scene(matched, (404, "unknown_request"), purposes=moving("refund")),
    "charges_set": Scene(
        lambda market: Asked(f"/api/marketplace/listings/{LISTING}/charges", HOST, {"charges": CHARGES}),
        None,
        (409, "wrong_host"),
    ),
    "charges_open": Scene(
        capped, (409, "account_address_taken"), NOT_RENTERS, moving("escrow for charges", "account deposit")
    ),
    "charges_report": Scene(metered("report", HOST, bandwidth_mb=60_000), (409, "usage_not_growing"), NOT_OPERATORS),
    "charges_dispute": Scene(metered("dispute", RENTER, charges.reported), (409, "nothing_to_dispute"), NOT_RENTERS),
    "charges_accept": Scene(metered("accept", RENTER, charges.reported), (409, "nothing_to_accept"), NOT_RENTERS),
    "charges_close": Scene(
        metered("close", RENTER, over), (404, "unknown_meter"), purposes=moving("refund", "account deposit returned")
    ),
}
RAISED: Final = Scene(raised, None, purposes=moving("refund", "escrow"))
"""Not an act of its own: the bid of a wallet whose order waits."""
