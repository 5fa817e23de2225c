from __future__ import annotations

from anchor_client.generated.events import FeesSwept
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import FeeSweep, Vault


def on_fees_swept(event: FeesSwept, step: Step) -> None:
    """A vault's fees are divided between burn, treasury and stakers."""
    vault = step.rows.change(Vault, str(event.vault))
    if vault is None:
        return step.unknown("vault", event.vault, event.vault_seq)
    vault.seq = step.follow("vault", event.vault, vault.seq, event.vault_seq)
    vault.fees_due = wrapping_add(vault.fees_due, -(event.burned + event.treasury + event.stakers))
    vault.stakers_due = wrapping_add(vault.stakers_due, event.stakers)
    vault.total_burned = wrapping_add(vault.total_burned, event.burned)
    vault.total_swept = wrapping_add(vault.total_swept, event.treasury)
    step.rows.add(
        FeeSweep(
            vault=vault.address,
            seq=event.vault_seq,
            burned=event.burned,
            treasury=event.treasury,
            stakers=event.stakers,
            swept_by=str(event.by),
            at=event.at,
            signature=step.signature,
        )
    )
