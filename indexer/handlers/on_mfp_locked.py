from __future__ import annotations

from anchor_client.generated.events import MfpLocked
from indexer.handlers.locks import follow_catalog, follow_host
from indexer.handlers.step import Step


def on_mfp_locked(event: MfpLocked, step: Step) -> None:
    """A host locks market tokens."""
    follow_catalog(step, event.catalog_seq, event.total)
    host = follow_host(step, event.host, event.host_seq)
    if host is not None:
        host.mfp_locked = event.locked
