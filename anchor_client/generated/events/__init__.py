"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from anchor_client.idl_runtime.discriminators import entry_for
from anchor_client.idl_runtime.errors import IdlError, UndecodableEvent, UnknownEvent
from anchor_client.idl_runtime.structs import Event

from .fees_swept import FeesSwept
from .host_approved import HostApproved
from .host_heartbeat import HostHeartbeat
from .host_registered import HostRegistered
from .host_updated import HostUpdated
from .listing_closed import ListingClosed
from .listing_created import ListingCreated
from .listing_updated import ListingUpdated
from .market_initialized import MarketInitialized
from .market_key_updated import MarketKeyUpdated
from .market_updated import MarketUpdated
from .pause_changed import PauseChanged
from .payment_mint_added import PaymentMintAdded
from .payment_mint_updated import PaymentMintUpdated
from .price_posted import PricePosted
from .rental_accepted import RentalAccepted
from .rental_closed import RentalClosed
from .rental_extended import RentalExtended
from .rental_opened import RentalOpened
from .rental_rated import RentalRated
from .rental_settled import RentalSettled
from .rental_started import RentalStarted
from .renter_registered import RenterRegistered
from .request_cancelled import RequestCancelled
from .request_expired import RequestExpired
from .request_matched import RequestMatched
from .request_opened import RequestOpened
from .subsidy_funded import SubsidyFunded
from .vault_added import VaultAdded

__all__ = [
    "EVENTS",
    "EVENT_TAG",
    "FeesSwept",
    "HostApproved",
    "HostHeartbeat",
    "HostRegistered",
    "HostUpdated",
    "ListingClosed",
    "ListingCreated",
    "ListingUpdated",
    "MarketInitialized",
    "MarketKeyUpdated",
    "MarketUpdated",
    "PauseChanged",
    "PaymentMintAdded",
    "PaymentMintUpdated",
    "PricePosted",
    "RentalAccepted",
    "RentalClosed",
    "RentalExtended",
    "RentalOpened",
    "RentalRated",
    "RentalSettled",
    "RentalStarted",
    "RenterRegistered",
    "RequestCancelled",
    "RequestExpired",
    "RequestMatched",
    "RequestOpened",
    "SubsidyFunded",
    "UndecodableEvent",
    "UnknownEvent",
    "VaultAdded",
    "decode_cpi_event",
    "decode_event",
]


EVENT_TAG: Final = bytes.fromhex("e445a52e51cb9a1d")
"""What stands in front of an event in a self-CPI: sha256("anchor:event")[:8], reversed."""

EVENTS: Final[Mapping[bytes, type[Event]]] = MappingProxyType(
    {
        FeesSwept.DISCRIMINATOR: FeesSwept,
        HostApproved.DISCRIMINATOR: HostApproved,
        HostHeartbeat.DISCRIMINATOR: HostHeartbeat,
        HostRegistered.DISCRIMINATOR: HostRegistered,
        HostUpdated.DISCRIMINATOR: HostUpdated,
        ListingClosed.DISCRIMINATOR: ListingClosed,
        ListingCreated.DISCRIMINATOR: ListingCreated,
        ListingUpdated.DISCRIMINATOR: ListingUpdated,
        MarketInitialized.DISCRIMINATOR: MarketInitialized,
        MarketKeyUpdated.DISCRIMINATOR: MarketKeyUpdated,
        MarketUpdated.DISCRIMINATOR: MarketUpdated,
        PauseChanged.DISCRIMINATOR: PauseChanged,
        PaymentMintAdded.DISCRIMINATOR: PaymentMintAdded,
        PaymentMintUpdated.DISCRIMINATOR: PaymentMintUpdated,
        PricePosted.DISCRIMINATOR: PricePosted,
        RentalAccepted.DISCRIMINATOR: RentalAccepted,
        RentalClosed.DISCRIMINATOR: RentalClosed,
        RentalExtended.DISCRIMINATOR: RentalExtended,
        RentalOpened.DISCRIMINATOR: RentalOpened,
        RentalRated.DISCRIMINATOR: RentalRated,
        RentalSettled.DISCRIMINATOR: RentalSettled,
        RentalStarted.DISCRIMINATOR: RentalStarted,
        RenterRegistered.DISCRIMINATOR: RenterRegistered,
        RequestCancelled.DISCRIMINATOR: RequestCancelled,
        RequestExpired.DISCRIMINATOR: RequestExpired,
        RequestMatched.DISCRIMINATOR: RequestMatched,
        RequestOpened.DISCRIMINATOR: RequestOpened,
        SubsidyFunded.DISCRIMINATOR: SubsidyFunded,
        VaultAdded.DISCRIMINATOR: VaultAdded,
    }
)


def decode_event(data: bytes) -> Event:
    """The event whose discriminator the data starts with; UnknownEvent or UndecodableEvent."""
    kind = entry_for(EVENTS, data)
    if kind is None:
        raise UnknownEvent(f"no event starts with {bytes(data[:8]).hex() or 'nothing'}")
    try:
        return kind.decode(data)
    except IdlError as error:
        raise UndecodableEvent(str(error)) from error


def decode_cpi_event(data: bytes) -> Event:
    """The event in the data of a self-CPI; UnknownEvent if it does not start with EVENT_TAG, else as decode_event."""
    if data[: len(EVENT_TAG)] != EVENT_TAG:
        raise UnknownEvent("the data is no event's self-CPI")
    return decode_event(data[len(EVENT_TAG) :])
