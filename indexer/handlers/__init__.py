"""One projection step for each event of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anchor_client.generated.events import (
    FeesSwept,
    HostApproved,
    HostHeartbeat,
    HostRegistered,
    HostUpdated,
    ListingClosed,
    ListingCreated,
    ListingUpdated,
    MarketInitialized,
    MarketKeyUpdated,
    MarketUpdated,
    PauseChanged,
    PaymentMintAdded,
    PaymentMintUpdated,
    PricePosted,
    RentalAccepted,
    RentalClosed,
    RentalExtended,
    RentalOpened,
    RentalRated,
    RentalSettled,
    RentalStarted,
    RenterRegistered,
    RequestCancelled,
    RequestExpired,
    RequestMatched,
    RequestOpened,
    SubsidyFunded,
    VaultAdded,
)
from anchor_client.idl_runtime.structs import Event
from indexer.handlers.on_fees_swept import on_fees_swept
from indexer.handlers.on_host_approved import on_host_approved
from indexer.handlers.on_host_heartbeat import on_host_heartbeat
from indexer.handlers.on_host_registered import on_host_registered
from indexer.handlers.on_host_updated import on_host_updated
from indexer.handlers.on_listing_closed import on_listing_closed
from indexer.handlers.on_listing_created import on_listing_created
from indexer.handlers.on_listing_updated import on_listing_updated
from indexer.handlers.on_market_initialized import on_market_initialized
from indexer.handlers.on_market_key_updated import on_market_key_updated
from indexer.handlers.on_market_updated import on_market_updated
from indexer.handlers.on_pause_changed import on_pause_changed
from indexer.handlers.on_payment_mint_added import on_payment_mint_added
from indexer.handlers.on_payment_mint_updated import on_payment_mint_updated
from indexer.handlers.on_price_posted import on_price_posted
from indexer.handlers.on_rental_accepted import on_rental_accepted
from indexer.handlers.on_rental_closed import on_rental_closed
from indexer.handlers.on_rental_extended import on_rental_extended
from indexer.handlers.on_rental_opened import on_rental_opened
from indexer.handlers.on_rental_rated import on_rental_rated
from indexer.handlers.on_rental_settled import on_rental_settled
from indexer.handlers.on_rental_started import on_rental_started
from indexer.handlers.on_renter_registered import on_renter_registered
from indexer.handlers.on_request_cancelled import on_request_cancelled
from indexer.handlers.on_request_expired import on_request_expired
from indexer.handlers.on_request_matched import on_request_matched
from indexer.handlers.on_request_opened import on_request_opened
from indexer.handlers.on_subsidy_funded import on_subsidy_funded
from indexer.handlers.on_vault_added import on_vault_added
from indexer.handlers.step import Step

__all__ = ["HANDLERS", "Handler", "Step"]

Handler = Callable[[Any, Step], None]

HANDLERS: Mapping[type[Event], Handler] = {
    FeesSwept: on_fees_swept,
    HostApproved: on_host_approved,
    HostHeartbeat: on_host_heartbeat,
    HostRegistered: on_host_registered,
    HostUpdated: on_host_updated,
    ListingClosed: on_listing_closed,
    ListingCreated: on_listing_created,
    ListingUpdated: on_listing_updated,
    MarketInitialized: on_market_initialized,
    MarketKeyUpdated: on_market_key_updated,
    MarketUpdated: on_market_updated,
    PauseChanged: on_pause_changed,
    PaymentMintAdded: on_payment_mint_added,
    PaymentMintUpdated: on_payment_mint_updated,
    PricePosted: on_price_posted,
    RentalAccepted: on_rental_accepted,
    RentalClosed: on_rental_closed,
    RentalExtended: on_rental_extended,
    RentalOpened: on_rental_opened,
    RentalRated: on_rental_rated,
    RentalSettled: on_rental_settled,
    RentalStarted: on_rental_started,
    RenterRegistered: on_renter_registered,
    RequestCancelled: on_request_cancelled,
    RequestExpired: on_request_expired,
    RequestMatched: on_request_matched,
    RequestOpened: on_request_opened,
    SubsidyFunded: on_subsidy_funded,
    VaultAdded: on_vault_added,
}
