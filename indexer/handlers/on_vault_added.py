from __future__ import annotations

from anchor_client.generated.events import VaultAdded
from indexer.handlers.step import Step
from indexer.models import Vault


def on_vault_added(event: VaultAdded, step: Step) -> None:
    """A mint gets another vault."""
    step.rows.add(
        Vault(
            address=str(event.vault),
            mint=str(event.mint),
            shard=event.shard,
            token_account=str(event.token_account),
            seq=step.follow("vault", event.vault, 0, event.seq),
        )
    )
