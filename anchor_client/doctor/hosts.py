"""Silent machines, and rentals that are overdue."""

from __future__ import annotations

from collections.abc import AsyncIterator

from solders.pubkey import Pubkey

from anchor_client.doctor.context import Context
from anchor_client.doctor.finding import Finding, failure, ok, warning
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.rules.listing import is_heard, is_idle
from anchor_client.rules.rental import is_running, paid_until

OVERDUE_SECONDS = 600
RESTART = "Start the host's agent again: `gpu-market host run`."


async def check_hosts(context: Context) -> AsyncIterator[Finding]:
    """Checks that visible machines send heartbeats; one that is hidden or never started is only counted."""
    listings = await context.market.reads.program.read_all(Listing)
    offered = {key: one for key, one in listings.items() if one.visible and one.last_heartbeat_at}
    silent = {key: one for key, one in offered.items() if not is_heard(one, context.now, context.account.offline_after)}
    for address, listing in silent.items():
        minutes = (context.now - listing.last_heartbeat_at) // 60
        text = f"the machine {address} sent its last heartbeat {minutes} min ago"
        if is_idle(listing):
            yield warning("hosts", text, RESTART)
        else:
            yield failure("hosts", f"{text}, and is rented", RESTART)
    yield ok("hosts", f"{len(offered) - len(silent)} of {len(listings)} machines send heartbeats")


async def check_rentals(context: Context) -> AsyncIterator[Finding]:
    """Checks that rentals that are over have been ended, which is the keepers' work."""
    rentals: dict[Pubkey, Rental] = await context.market.reads.rentals()
    late = [paid_until(one) for one in rentals.values() if is_running(one) and paid_until(one) < context.now]
    oldest = context.now - min(late, default=context.now)
    if oldest > OVERDUE_SECONDS:
        text = f"{len(late)} rentals are due and not ended, the oldest for {oldest} s"
        yield failure("rentals", text, "Start a keeper: `gpu-market keeper`; check its log and its balance.")
    else:
        yield ok("rentals", f"{len(rentals)} are open, none is overdue by more than {OVERDUE_SECONDS} s")
