from __future__ import annotations

from anchor_client.generated.events import RentalRated
from indexer.handlers.step import Step
from indexer.models import Listing, Rating, Rental


def on_rental_rated(event: RentalRated, step: Step) -> None:
    """The renter rates the rental."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        step.unknown("listing", event.listing, event.listing_seq)
    else:
        listing.seq = step.follow("listing", event.listing, listing.seq, event.listing_seq)
        listing.rating_sum += event.weight * event.rating
        listing.rating_weight += event.weight
    rental = step.rows.change(Rental, str(event.rental))
    if rental is None:
        return step.unknown("rental", event.rental, event.seq)
    rental.seq = step.follow("rental", event.rental, rental.seq, event.seq)
    rental.rating = event.rating
    step.rows.add(
        Rating(
            rental=rental.address,
            listing=rental.listing,
            host=rental.host,
            rating=event.rating,
            weight=event.weight,
            at=event.at,
            signature=step.signature,
        )
    )
