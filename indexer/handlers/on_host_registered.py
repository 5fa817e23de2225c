from __future__ import annotations

from anchor_client.generated.events import HostRegistered
from indexer.handlers.step import Step
from indexer.models import Host


def on_host_registered(event: HostRegistered, step: Step) -> None:
    """A host registers, not yet approved."""
    step.rows.add(
        Host(
            address=str(event.host),
            authority=str(event.authority),
            seal_key=event.seal_key.hex(),
            registered_at=event.at,
            seq=step.follow("host", event.host, 0, event.seq),
        )
    )
