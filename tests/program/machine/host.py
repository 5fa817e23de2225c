"""Hosts, their machines, heartbeats and reputation, and renters who come."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors, instructions
from anchor_client.generated.pdas import find_host, find_renter_profile
from anchor_client.generated.types.charges import Charges
from anchor_client.generated.types.listing_spec import ListingSpec
from tests.markets.spec import spec_with

from ..harness.actors import AUTHORITY, HOST, KEEPER, RIVAL, STRANGER, TENANT
from ..harness.charges import set_charges
from ..harness.terms import DAY, HOUR
from .base import Machine, which

MOST_MACHINES = 6
NEWCOMERS = (STRANGER, HOST, RIVAL)
OPERATORS = (KEEPER, TENANT, None)
"""Keys that may serve a machine; None for its host's own."""

specs = st.builds(
    spec_with,
    gpu_model=st.sampled_from([1, 1, 2]),
    region=st.sampled_from([3, 3, 4]),
    on_demand_usd=st.one_of(st.integers(2 * 10**6, 10**8), st.integers(2 * 10**6, 2**32 - 1)),
    spot_min_usd=st.sampled_from([1_900_000, 1_900_000, 0]),
    mrl_seconds=st.sampled_from([100 * DAY, 100 * DAY, 2 * HOUR]),
    visible=st.sampled_from([True, True, True, False]),
)


class HostRules(Machine):
    @rule(seal_key=st.binary(min_size=32, max_size=32).filter(any), wallet=st.sampled_from(NEWCOMERS))
    def arrive(self, seal_key: bytes, wallet: Pubkey) -> None:
        """A host and a renter register, if they have not; a host that is there changes its key."""
        if not self.world.exists(find_host(wallet)[0]):
            self.attempt(instructions.register_host(authority=wallet, seal_key=seal_key), errors.Paused)
        else:
            self.act(instructions.update_host(authority=wallet, host=find_host(wallet)[0], seal_key=seal_key))
        if not self.world.exists(find_renter_profile(wallet)[0]):
            self.act(self.world.register_renter(wallet, AUTHORITY))

    @rule(wallet=st.sampled_from(NEWCOMERS), slots=st.integers(0, 2_000))
    def forget(self, wallet: Pubkey, slots: int) -> None:
        """A renter without rentals takes their profile's rent back."""
        waits = {request.renter for request in self.world.audit.books.open_requests.values()}
        if wallet not in waits and self.world.exists(find_renter_profile(wallet)[0]):
            self.world.cluster.halt(0, slots)
            self.attempt(instructions.close_renter(wallet=wallet), errors.RentalsOpen, errors.AccountTooNew)

    @rule(host=which, index=which, spec=specs, change=st.sampled_from(["", "open", "open", "close"]))
    def change_machines(self, host: int, index: int, spec: ListingSpec, change: str) -> None:
        """A machine changes (under a rental it keeps its region), and perhaps another comes or goes."""
        listing = self.offered()[index % len(self.offered())] if self.offered() else None
        if listing:
            act = instructions.update_listing(authority=self.host_of(listing), listing=listing, spec=spec)
            self.attempt(act, errors.ListingOccupied)
        if change == "open" and len(self.offered()) < MOST_MACHINES:
            registered = [wallet for wallet in NEWCOMERS if self.world.exists(find_host(wallet)[0])]
            opening = self.world.create_listing(registered[host % len(registered)], spec=spec)
            self.attempt(opening, errors.Paused, errors.HostNotApproved)
        elif change == "close" and listing:
            listing = self.free()[index % len(self.free())]
            owner = self.host_of(listing)
            act = instructions.close_listing(authority=owner, listing=listing, host=find_host(owner)[0])
            self.attempt(act, errors.ListingOccupied, errors.PayoutUnclaimed, errors.HoldbackPending)

    @precondition(lambda self: self.offered())
    @rule(index=which, operator=st.sampled_from(OPERATORS))
    def rotate(self, index: int, operator: Pubkey | None) -> None:
        """A machine is served by another key, or by its host again; the old one no longer can."""
        listing = self.offered()[index % len(self.offered())]
        old = self.world.listing(listing).operator
        new = operator or self.host_of(listing)
        self.act(self.world.set_operator(new, listing))
        if new != old:
            assert (
                self.attempt(self.world.heartbeat(self.host_of(listing), listing, operator=old), errors.WrongOperator)
                is None
            )

    @rule(brought=st.lists(which, max_size=10), everything=st.booleans())
    def count(self, brought: list[int], everything: bool) -> None:
        """Somebody brings some of the hosts' machines to be counted, or all of them."""
        listings = list(self.world.audit.reputations.listings)
        if not everything:
            listings = list(dict.fromkeys(listings[index] for index in brought if index < len(listings)))
        for host in NEWCOMERS:
            if self.world.exists(find_host(host)[0]):
                own = [listing for listing in listings if self.host_of(listing) == host]
                self.act(self.world.update_reputation(host, *own))

    @precondition(lambda self: self.offered())
    @rule(
        index=which,
        bandwidth_usd=st.integers(0, 2**32 - 1),
        free_gb=st.integers(0, 100),
        storage_usd=st.integers(0, 500),
    )
    def charge(self, index: int, bandwidth_usd: int, free_gb: int, storage_usd: int) -> None:
        listing = self.offered()[index % len(self.offered())]
        charges = Charges(bandwidth_usd, free_gb, storage_usd)
        self.act(set_charges(listing, charges, authority=self.host_of(listing)))
