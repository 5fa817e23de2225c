from __future__ import annotations

from anchor_client.generated.events import IssueReported
from anchor_client.kinds import issue_name
from indexer.handlers.step import Step
from indexer.models import Listing, Rental, RentalIssue


def on_issue_reported(event: IssueReported, step: Step) -> None:
    """A renter says what is wrong with the machine."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is not None:
        listing.issues += 1
    rental = step.rows.change(Rental, str(event.rental))
    if rental is None:
        return step.unknown("rental", event.rental, event.seq)
    rental.seq = step.follow("rental", event.rental, rental.seq, event.seq)
    issue = RentalIssue(
        rental=rental.address,
        seq=event.seq,
        listing=rental.listing,
        issue=issue_name(event.issue),
        at=event.at,
        signature=step.signature,
    )
    step.rows.add(issue)
