from __future__ import annotations

from anchor_client.generated.events import MfpWithdrawn
from indexer.handlers.locks import follow_catalog, follow_host
from indexer.handlers.step import Step


def on_mfp_withdrawn(event: MfpWithdrawn, step: Step) -> None:
    """Unlocked tokens go back to their host."""
    follow_catalog(step, event.catalog_seq, event.total)
    host = follow_host(step, event.host, event.host_seq)
    if host is not None:
        host.mfp_unlocking = 0
