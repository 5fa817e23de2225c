from __future__ import annotations

from anchor_client.generated.events import RentalOpened
from anchor_client.generated.pdas import find_vault
from anchor_client.kinds import LIVE_MESSAGES, WAITING_MESSAGE, JobState, kind_name
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import Listing, Rental, Renter, Vault


def on_rental_opened(event: RentalOpened, step: Step) -> None:
    """A renter escrows the cost of a machine and takes it, or waits for its holder to leave."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        step.unknown("listing", event.listing, event.listing_seq)
    else:
        listing.seq = step.follow("listing", event.listing, listing.seq, event.listing_seq)
        if event.is_challenger:
            listing.challenger = str(event.rental)
        else:
            listing.current = str(event.rental)
            listing.opened += 1
    _escrow(event, step)
    renter = step.rows.change(Renter, str(event.renter))
    if renter is not None:
        renter.next_nonce = max(renter.next_nonce, event.nonce + 1)  # a match takes up the request's older one
        renter.active_rentals += 1
    step.rows.add(
        Rental(
            address=str(event.rental),
            renter=str(event.renter),
            listing=str(event.listing),
            host=str(event.host),
            mint=str(event.mint),
            shard=event.shard,
            nonce=event.nonce,
            kind=kind_name(event.kind),
            status=JobState.QUEUED.value,
            gpu_model=listing.gpu_model if listing else 0,
            gpu_count=listing.gpu_count if listing else 0,
            region=listing.region if listing else 0,
            duration=event.duration,
            deposit=event.deposit,
            subsidy=event.subsidy,
            rate=event.rate,
            subsidy_rate=event.subsidy_rate,
            burn_rate=event.burn_rate,
            fee_rate=event.fee_rate,
            rate_usd=event.rate_usd,
            holdback_bps=event.holdback_bps,
            provision_timeout=event.provision_timeout,
            offline_after=event.offline_after,
            tip_lamports=event.tip_lamports,
            order_hash=event.order_hash.hex(),
            opened_at=event.at,
            open_signature=step.signature,
            seq=step.follow("rental", event.rental, 0, event.seq),
        )
    )
    message = WAITING_MESSAGE if event.is_challenger else LIVE_MESSAGES[JobState.QUEUED]
    step.enter(event.rental, event.seq, JobState.QUEUED, event.at, message)


def _escrow(event: RentalOpened, step: Step) -> None:
    address = find_vault(event.mint, event.shard)[0]
    vault = step.rows.change(Vault, str(address))
    if vault is None:
        return step.unknown("vault", address, event.vault_seq)
    vault.seq = step.follow("vault", address, vault.seq, event.vault_seq)
    vault.open_rentals = wrapping_add(vault.open_rentals, 1)
    vault.liabilities = wrapping_add(vault.liabilities, event.deposit + event.subsidy)
    vault.subsidy_pool = wrapping_add(vault.subsidy_pool, -event.subsidy)
    vault.total_deposited = wrapping_add(vault.total_deposited, event.deposit)
