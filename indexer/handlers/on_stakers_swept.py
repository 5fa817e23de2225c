from __future__ import annotations

from anchor_client.generated.events import StakersSwept
from indexer.handlers.stakes import follow_pool
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import RewardStream, Vault


def on_stakers_swept(event: StakersSwept, step: Step) -> None:
    """The stakers' share of a vault's fees comes to their rewards."""
    follow_pool(step, event.pool_seq)
    stream = step.rows.change(RewardStream, event.stream)
    if stream is not None:
        stream.queued, stream.funded = event.queued, event.funded
    vault = step.rows.change(Vault, str(event.vault))
    if vault is None:
        return step.unknown("vault", event.vault, event.vault_seq)
    vault.seq = step.follow("vault", event.vault, vault.seq, event.vault_seq)
    vault.stakers_due = wrapping_add(vault.stakers_due, -event.amount)
    vault.total_stakers = wrapping_add(vault.total_stakers, event.amount)
