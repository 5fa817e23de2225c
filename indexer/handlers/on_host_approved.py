from __future__ import annotations

from anchor_client.generated.events import HostApproved
from indexer.handlers.step import Step
from indexer.models import Host


def on_host_approved(event: HostApproved, step: Step) -> None:
    """A host is approved, or no longer."""
    host = step.rows.change(Host, str(event.host))
    if host is None:
        return step.unknown("host", event.host, event.seq)
    host.seq = step.follow("host", event.host, host.seq, event.seq)
    host.approved = event.new
