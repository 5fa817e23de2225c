"""What the handlers of a meter's events share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_vault
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import Meter, MeterEntry, Vault


class MeterEvent(Protocol):
    """An event of a meter."""

    @property
    def meter(self) -> Pubkey: ...
    @property
    def at(self) -> int: ...
    @property
    def seq(self) -> int: ...


def follow_meter(event: MeterEvent, step: Step) -> Meter | None:
    """The meter that an event changes; None, and a gap, when its opening was missed."""
    meter = step.rows.change(Meter, str(event.meter))
    if meter is None:
        step.unknown("meter", event.meter, event.seq)
        return None
    meter.seq = step.follow("meter", event.meter, meter.seq, event.seq)
    return meter


def enter(meter: Meter, event: MeterEvent, step: Step, kind: str, amount: int = 0) -> None:
    """Adds to a meter's history."""
    step.rows.add(
        MeterEntry(
            meter=meter.address,
            seq=event.seq,
            kind=kind,
            amount=amount,
            bandwidth_mb=meter.bandwidth_mb,
            storage_gb_hours=meter.storage_gb_hours,
            at=event.at,
            signature=step.signature,
        )
    )


def change_vault(meter: Meter, vault_seq: int, step: Step, change: Callable[[Vault], None]) -> None:
    """Changes the ledger that holds a meter's escrow."""
    address = str(find_vault(Pubkey.from_string(meter.mint), meter.shard)[0])
    vault = step.rows.change(Vault, address)
    if vault is None:
        return step.unknown("vault", address, vault_seq)
    vault.seq = step.follow("vault", address, vault.seq, vault_seq)
    change(vault)


def pay(vault: Vault, paid: int, refunded: int = 0) -> None:
    """Escrow goes to the host and back to the renter."""
    vault.liabilities = wrapping_add(vault.liabilities, -(paid + refunded))
    vault.total_paid = wrapping_add(vault.total_paid, paid)
    vault.total_refunded = wrapping_add(vault.total_refunded, refunded)
