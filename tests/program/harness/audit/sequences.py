"""Every change of an entity is announced by an event that carries the entity's next number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts import decode_account
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.pdas import find_listing, find_vault
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.idl_runtime.structs import Event

from ..outcome import Outcome

Numbers = Iterator[tuple[Pubkey, int]]


class Sequences:
    """The last number of every entity, as events gave them."""

    def __init__(self) -> None:
        self.last: dict[Pubkey, int] = {}
        self._vaults: dict[Pubkey, Pubkey] = {}

    def check(self, outcome: Outcome) -> None:
        """The events' numbers follow the last ones, and every changed account was announced."""
        announced = set()
        for event in outcome.events:
            for entity, number in self._numbers(event):
                assert number == self.last.get(entity, 0) + 1, f"{entity} jumps to {number} in {event}"
                self.last[entity] = number
                announced.add(entity)
        for address, account in outcome.after.items():
            if account is None or account.owner != PROGRAM_ID or account.executable:
                continue
            before = outcome.before[address]
            if before is not None and before.data == account.data:
                continue
            state: Any = decode_account(account.data)
            if isinstance(state, RenterProfile):
                continue
            assert address in announced, f"{address} changed without an event"
            assert state.seq == self.last[address]

    def _numbers(self, event: Event) -> Numbers:
        fields: Any = event
        match event:
            case events.HostHeartbeat():
                yield event.host, event.seq
                for beat in event.listings:
                    yield find_listing(event.host, beat.id)[0], beat.seq
            case events.RentalOpened():
                self._vaults[event.rental] = find_vault(event.mint, event.shard)[0]
                yield event.rental, event.seq
                yield event.listing, event.listing_seq
                yield self._vaults[event.rental], event.vault_seq
            case events.RentalClosed():
                yield event.rental, event.seq
                yield event.listing, event.listing_seq
                yield self._vaults[event.rental], event.vault_seq
            case events.RentalSettled() | events.RentalExtended():
                yield event.rental, event.seq
                yield self._vaults[event.rental], event.vault_seq
            case events.RentalRated():
                yield event.rental, event.seq
                yield event.listing, event.listing_seq
            case events.ListingCreated() | events.ListingClosed():
                yield event.listing, event.seq
                yield event.host, event.host_seq
            case events.RequestOpened():
                self._vaults[event.request] = find_vault(event.mint, event.shard)[0]
                yield event.request, event.seq
                yield self._vaults[event.request], event.vault_seq
            case events.RequestMatched() | events.RequestCancelled() | events.RequestExpired():
                yield event.request, event.seq
                yield self._vaults[event.request], event.vault_seq
            case events.SubsidyFunded() | events.FeesSwept():
                yield event.vault, event.vault_seq
            case events.RenterRegistered():
                return
            case _:
                yield _ENTITY[type(event)](fields), fields.seq


_ENTITY: dict[type[Event], Callable[[Any], Pubkey]] = {
    events.MarketInitialized: lambda event: event.market,
    events.MarketUpdated: lambda event: event.market,
    events.MarketKeyUpdated: lambda event: event.market,
    events.PauseChanged: lambda event: event.market,
    events.PaymentMintAdded: lambda event: event.payment_mint,
    events.PaymentMintUpdated: lambda event: event.payment_mint,
    events.PricePosted: lambda event: event.payment_mint,
    events.VaultAdded: lambda event: event.vault,
    events.HostRegistered: lambda event: event.host,
    events.HostUpdated: lambda event: event.host,
    events.HostApproved: lambda event: event.host,
    events.ListingUpdated: lambda event: event.listing,
    events.RentalAccepted: lambda event: event.rental,
    events.RentalStarted: lambda event: event.rental,
}
