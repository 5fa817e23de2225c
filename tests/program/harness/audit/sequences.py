"""Every change of an entity is announced by an event that carries the entity's next number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.accounts.vote_record import VoteRecord
from anchor_client.generated.pdas import find_catalog, find_listing, find_market, find_pool, find_stake, find_vault
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl.runtime.structs import Event

from ..outcome import Outcome
from ..states import state_of

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
            if isinstance(event, events.StakeClosed):
                del self.last[event.stake]
        for address, account in outcome.after.items():
            if account is None or account.owner != PROGRAM_ID or account.executable:
                continue
            before = outcome.before[address]
            if before is not None and before.data == account.data:
                continue
            state: Any = state_of(account.data)
            if isinstance(state, RenterProfile | VoteRecord):
                continue
            assert address in announced, f"{address} changed without an event"
            assert state.seq == self.last[address]

    def _numbers(self, event: Event) -> Numbers:
        """`seq` is the number of the entity that the event is about, `vault_seq` that of its vault, and so on."""
        own = _own(event)
        for name in event.LAYOUT.layouts:
            is_unchanged = name in ("vault_seq", "host_seq") and getattr(event, name) == 0
            if name == "seq" or (name.endswith("_seq") and not is_unchanged):
                yield self._entity(name.removesuffix("seq").removesuffix("_"), own, event), getattr(event, name)
        if isinstance(event, events.HostHeartbeat | events.HostCounted):
            for listing in event.listings:
                yield find_listing(event.host, listing.id)[0], listing.seq

    def _entity(self, name: str, own: Pubkey, event: Any) -> Pubkey:
        match name:
            case "":
                return own
            case "vault":
                if hasattr(event, "shard"):
                    self._vaults[own] = find_vault(event.mint, event.shard)[0]
                return event.vault if hasattr(event, "vault") else self._vaults[own]
            case "stake":
                return find_stake(event.voter if isinstance(event, events.VoteCast) else event.proposer)[0]
            case _:
                return _ONLY[name] if name in _ONLY else getattr(event, name)


_ONLY = {"pool": find_pool()[0], "market": find_market()[0], "catalog": find_catalog()[0]}
"""Entities of which there is one."""


def _own(event: Any) -> Pubkey:
    """The entity that an event is about stands first; a change of who holds a listing is about the rental."""
    if isinstance(event, events.RentalPreempting | events.RentalTookOver):
        return event.rental
    own: Pubkey = getattr(event, next(iter(event.LAYOUT.layouts)))
    return own
