from __future__ import annotations

from anchor_client.generated.events import RentalAccepted
from anchor_client.kinds import LIVE_MESSAGES, JobState
from indexer.handlers.step import Step
from indexer.models import Rental


def on_rental_accepted(event: RentalAccepted, step: Step) -> None:
    """The host takes the order and hands over the sealed connection."""
    rental = step.rows.change(Rental, str(event.rental))
    if rental is None:
        return step.unknown("rental", event.rental, event.seq)
    rental.seq = step.follow("rental", event.rental, rental.seq, event.seq)
    rental.status = JobState.PROVISIONING.value
    rental.connection = event.connection
    step.enter(event.rental, event.seq, JobState.PROVISIONING, event.at, LIVE_MESSAGES[JobState.PROVISIONING])
