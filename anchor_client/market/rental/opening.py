"""Opening a rental when others want the same machine: the next one that fits, the next nonce, the next price."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from solders.pubkey import Pubkey

from anchor_client.errors import AccountAddressTaken, UnknownHost
from anchor_client.generated import errors as refusals
from anchor_client.generated.accounts import Host
from anchor_client.market.again import OVERTAKEN, PASSING, again
from anchor_client.market.history import events_of_rental
from anchor_client.market.job import Life
from anchor_client.market.rental.delivery import hand_over_again
from anchor_client.market.rental.plan import RentalPlanner, RentPlan
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.market.session import Session
from anchor_client.orders.ssh_key import public_line
from anchor_client.resources.job import Job
from anchor_client.sealing import SealKey
from anchor_client.solana.transactions import Sent

if TYPE_CHECKING:
    from anchor_client.orders import OrderDocument, SealedOrder, Workload

Before = Callable[[RentPlan], Awaitable[object]]
ATTEMPTS: Final = 3
"""Number of times that an order is tried when others are faster."""

_LISTING_GONE: Final = (refusals.ListingOccupied, refusals.ListingOffline, refusals.ListingHidden)
_SPOT_MOVED: Final = (refusals.WrongHolder, refusals.WrongChallenger, refusals.ChallengerWaiting)
_NONCE_USED: Final = (refusals.NonceMismatch, AccountAddressTaken)


def new_document(session: Session, workload: Workload) -> OrderDocument:
    """The order document of one rental, with a fresh key that is kept before anything is sent. InvalidOrder.

    An order that names no SSH key gets one that follows from it, so that its renter logs in without a password.
    """
    key = SealKey.generate()
    if workload.ssh_key is None:
        workload = workload.changed(ssh_key=public_line(key))
    kept = workload.keep_workspace
    opening = None if kept is None else SealKey.of_workspace(session.wallet, kept)
    document = workload.for_renter(key.public, opening)
    session.renter_keys.keep(document.order_hash, key)
    return document


async def open_rental(
    session: Session,
    planner: RentalPlanner,
    wanted: RentalWanted,
    document: OrderDocument | None,
    before: Before | None = None,
) -> Job:
    """Plans, delivers the order and sends, up to ATTEMPTS times when others are faster. `before` hears the first
    plan."""
    taken: list[Pubkey] = []
    attempt = 0
    while True:
        attempt += 1
        plan = await again(planner.open)(session.address, wanted, taken)
        if before is not None and attempt == 1:
            await before(plan)
        order = None
        if document is not None:
            order = await deliver(session, document, plan.offer.listing.host)
        try:
            sent = await session.send(plan.instructions)
        except _LISTING_GONE:
            if wanted.listing is not None or attempt == ATTEMPTS:
                raise
            taken.append(plan.offer.address)
        except (*_NONCE_USED, *_SPOT_MOVED, *OVERTAKEN, *PASSING):
            if attempt == ATTEMPTS:
                raise
        else:
            if order is not None:
                session.open_orders[plan.rental] = order.of_rental(plan.rental)
                await hand_over_again(session, plan.rental)
            return await _opened(session, plan, sent)


async def deliver(
    session: Session, document: OrderDocument, host: Pubkey, rental: Pubkey | None = None
) -> SealedOrder | None:
    """Seals an order to a host, by its account, and hands it over, if the session delivers orders; gives it then.
    UnknownHost."""
    if session.deliver_order is None:
        return None
    account = await session.reads.program.require(Host, host, UnknownHost(f"There is no host at {host}"))
    return await session.hand_over(document.order_hash, document.sealed(account.seal_key), rental)


async def _opened(session: Session, plan: RentPlan, sent: Sent) -> Job:
    life = Life.told(events_of_rental(plan.rental, sent))
    return life.job_as_told(plan.offer.listing, await session.reads.denomination(plan.mint))
