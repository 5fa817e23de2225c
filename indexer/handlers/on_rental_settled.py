from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.events import RentalSettled
from anchor_client.generated.pdas import find_vault
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import Rental, Settlement, Vault


def on_rental_settled(event: RentalSettled, step: Step) -> None:
    """The host is paid for the seconds used so far."""
    rental = step.rows.change(Rental, str(event.rental))
    if rental is None:
        return step.unknown("rental", event.rental, event.seq)
    rental.seq = step.follow("rental", event.rental, rental.seq, event.seq)
    rental.paid = event.paid_total
    rental.settled = event.settled
    step.rows.add(
        Settlement(
            rental=rental.address,
            seq=event.seq,
            host=rental.host,
            mint=rental.mint,
            paid=event.paid,
            seconds=event.settled,
            at=event.at,
            signature=step.signature,
        )
    )
    address = str(find_vault(Pubkey.from_string(rental.mint), rental.shard)[0])
    vault = step.rows.change(Vault, address)
    if vault is None:
        return step.unknown("vault", address, event.vault_seq)
    vault.seq = step.follow("vault", address, vault.seq, event.vault_seq)
    vault.liabilities = wrapping_add(vault.liabilities, -event.paid)
    vault.total_paid = wrapping_add(vault.total_paid, event.paid)
