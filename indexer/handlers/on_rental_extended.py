from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.events import RentalExtended
from anchor_client.generated.pdas import find_vault
from anchor_client.kinds import JobState
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import Rental, Vault


def on_rental_extended(event: RentalExtended, step: Step) -> None:
    """The renter buys more time at the rental's own rates."""
    rental = step.rows.change(Rental, str(event.rental))
    if rental is None:
        return step.unknown("rental", event.rental, event.seq)
    rental.seq = step.follow("rental", event.rental, rental.seq, event.seq)
    rental.duration = event.new_duration
    rental.paid_until = event.paid_until
    rental.deposit += event.deposit_added
    rental.subsidy += event.subsidy_added
    message = f"Extended by {event.new_duration - event.old_duration} s to {event.new_duration} s"
    step.enter(event.rental, event.seq, JobState(rental.status), event.at, message)
    address = str(find_vault(Pubkey.from_string(rental.mint), rental.shard)[0])
    vault = step.rows.change(Vault, address)
    if vault is None:
        return step.unknown("vault", address, event.vault_seq)
    vault.seq = step.follow("vault", address, vault.seq, event.vault_seq)
    vault.liabilities = wrapping_add(vault.liabilities, event.deposit_added + event.subsidy_added)
    vault.subsidy_pool = wrapping_add(vault.subsidy_pool, -event.subsidy_added)
    vault.total_deposited = wrapping_add(vault.total_deposited, event.deposit_added)
