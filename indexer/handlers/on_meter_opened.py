from __future__ import annotations

from anchor_client.generated.events import MeterOpened
from indexer.handlers.meters import change_vault, enter
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import Meter, Vault


def on_meter_opened(event: MeterOpened, step: Step) -> None:
    """A renter escrows the most that charges may take."""
    meter = Meter(
        address=str(event.meter),
        rental=str(event.rental),
        renter=str(event.renter),
        listing=str(event.listing),
        authority=str(event.authority),
        mint=str(event.mint),
        shard=event.shard,
        cap=event.cap,
        bandwidth_rate=event.bandwidth_rate,
        storage_rate=event.storage_rate,
        storage_gb=event.storage_gb,
        charge_window=event.charge_window,
        opened_at=event.at,
        open_signature=step.signature,
        seq=step.follow("meter", event.meter, 0, event.seq),
        **event.charges.field_values(),
    )
    step.rows.add(meter)
    enter(meter, event, step, "opened", event.cap)

    def escrow(vault: Vault) -> None:
        vault.liabilities = wrapping_add(vault.liabilities, event.cap)
        vault.total_deposited = wrapping_add(vault.total_deposited, event.cap)

    change_vault(meter, event.vault_seq, step, escrow)
