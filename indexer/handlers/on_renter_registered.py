from __future__ import annotations

from anchor_client.generated.events import RenterRegistered
from indexer.handlers.step import Step
from indexer.models import Renter


def on_renter_registered(event: RenterRegistered, step: Step) -> None:
    """A wallet may rent."""
    step.rows.add(Renter(wallet=str(event.wallet), profile=str(event.profile), registered_at=event.at))
