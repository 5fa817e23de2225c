from __future__ import annotations

from anchor_client.generated.events import RentalStarted
from anchor_client.kinds import LIVE_MESSAGES, JobState
from indexer.handlers.step import Step
from indexer.models import Rental


def on_rental_started(event: RentalStarted, step: Step) -> None:
    """The meter starts."""
    rental = step.rows.change(Rental, str(event.rental))
    if rental is None:
        return step.unknown("rental", event.rental, event.seq)
    rental.seq = step.follow("rental", event.rental, rental.seq, event.seq)
    rental.status = JobState.RUNNING.value
    rental.started_at = event.at
    rental.paid_until = event.paid_until
    step.enter(event.rental, event.seq, JobState.RUNNING, event.at, LIVE_MESSAGES[JobState.RUNNING])
