from __future__ import annotations

from anchor_client.generated.events import HostUpdated
from indexer.handlers.step import Step
from indexer.models import Host


def on_host_updated(event: HostUpdated, step: Step) -> None:
    """A host replaces its seal key."""
    host = step.rows.change(Host, str(event.host))
    if host is None:
        return step.unknown("host", event.host, event.seq)
    host.seq = step.follow("host", event.host, host.seq, event.seq)
    host.seal_key = event.new_seal_key.hex()
