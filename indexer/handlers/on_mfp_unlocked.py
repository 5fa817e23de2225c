from __future__ import annotations

from anchor_client.generated.events import MfpUnlocked
from indexer.handlers.locks import follow_host
from indexer.handlers.step import Step


def on_mfp_unlocked(event: MfpUnlocked, step: Step) -> None:
    """Locked tokens begin to leave."""
    host = follow_host(step, event.host, event.host_seq)
    if host is not None:
        host.mfp_locked, host.mfp_unlocking, host.mfp_unlock_at = event.locked, event.unlocking, event.unlock_at
