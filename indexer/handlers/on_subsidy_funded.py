from __future__ import annotations

from anchor_client.generated.events import SubsidyFunded
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import SubsidyFunding, Vault


def on_subsidy_funded(event: SubsidyFunded, step: Step) -> None:
    """Tokens come into a vault's subsidy pool."""
    vault = step.rows.change(Vault, str(event.vault))
    if vault is None:
        return step.unknown("vault", event.vault, event.vault_seq)
    vault.seq = step.follow("vault", event.vault, vault.seq, event.vault_seq)
    vault.subsidy_pool = wrapping_add(vault.subsidy_pool, event.amount)
    vault.total_funded = wrapping_add(vault.total_funded, event.amount)
    step.rows.add(
        SubsidyFunding(
            vault=vault.address,
            seq=event.vault_seq,
            funder=str(event.by),
            amount=event.amount,
            at=event.at,
            signature=step.signature,
        )
    )
