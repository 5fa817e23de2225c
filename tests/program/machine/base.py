"""The market that the machine acts on, how it is acted upon, and what must hold after every rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.token.state import TokenAccount

from anchor_client.generated import errors
from anchor_client.generated.pdas import find_renter_profile, find_vault
from anchor_client.generated.types.rental_state import RentalState
from anchor_idl.runtime.structs import Event

from ..harness import charges
from ..harness.actors import (
    GPUM,
    HOST,
    KEEPER,
    LISTINGS,
    MINTS,
    RENTER,
    RIVAL,
    RIVAL_LISTING,
    STRANGER,
    TENANT,
    USDC,
    WALLETS,
    WSOL,
)
from ..harness.audit import Audit
from ..harness.changes import post_price
from ..harness.cluster import START, Cluster
from ..harness.governance import GOVERNANCE
from ..harness.keys import address
from ..harness.market import WALLET_TOKENS, seeded_world
from ..harness.outcome import Outcome, States
from ..harness.specimens import STATE, forge
from ..harness.spot import register_stranger
from ..harness.staking import POOL
from ..harness.terms import DAY, HOUR, WALLET_LAMPORTS
from ..harness.tokens import put_mint, put_tokens, token_account
from ..harness.world import World
from .tally import Tally

OUTSIDER = address("outsider")
"""Has tokens and lamports, and nothing in the market: no profile, no machine, no stake."""
NOVELTY = address("novelty")
"""A mint that the market may add."""
VAULTS = ((GPUM, 0), (GPUM, 1), (USDC, 0), (WSOL, 0), (USDC, 1), (NOVELTY, 0))
"""Those of the seeded market, and behind them those that may be added."""
OFFERED = (*LISTINGS[:3], RIVAL_LISTING)
HOSTS = (HOST, RIVAL, STRANGER)
PEOPLE = (RENTER, TENANT, STRANGER, HOST)
"""Renters; the host too, once somebody has registered them."""
KEEPERS = (KEEPER, RENTER, HOST, OUTSIDER)

Refusals = tuple[type[errors.ProgramError], ...]
UNAVAILABLE: Refusals = (
    errors.Paused,
    errors.ListingOccupied,
    errors.ListingOffline,
    errors.ListingHidden,
    errors.HostNotApproved,
    errors.SelfRental,
    errors.OrderBelowMinimum,
    errors.DurationTooShort,
    errors.DurationTooLong,
    errors.PriceStale,
    errors.PriceMissing,
    errors.MintDisabled,
    errors.InsufficientFunds,
    errors.QuotaExceeded,
    errors.RegionQuotaExceeded,
    errors.PriorityWindow,
    errors.PayoutUnclaimed,
)
"""Why an order may be refused that is right in itself."""

UNPOSTED: Refusals = (errors.Paused, errors.OracleNotPosted, errors.WrongOracle)
"""Why a price may be refused that moves little: whoever has the authority may have changed where prices come from."""

which = st.integers(0, 11)
people = st.integers(0, len(PEOPLE) - 1)
vaults = which
keepers = st.sampled_from(KEEPERS)


@cache
def seeded_market() -> tuple[dict[Pubkey, Account], Audit]:
    """The seeded market with a third renter, an outsider, charges, a mint to add, and accounts like others."""
    world = seeded_world()
    cluster = world.cluster
    cluster.set_account(OUTSIDER, Account(WALLET_LAMPORTS, b"", Pubkey.default()))
    put_mint(cluster, NOVELTY, supply=WALLET_TOKENS * (len(WALLETS) + 2))
    for owner in WALLETS:
        put_tokens(cluster, NOVELTY, owner, WALLET_TOKENS)
    for mint in (*MINTS, NOVELTY):
        for owner in (OUTSIDER, GOVERNANCE):
            put_tokens(cluster, mint, owner, WALLET_TOKENS)
        for owner in (RENTER, HOST):
            put_tokens(cluster, mint, owner, 0, at=address(f"second {mint} of {owner}"))
    for owner, mint in ((find_vault(NOVELTY, 0)[0], NOVELTY), (find_vault(USDC, 1)[0], USDC), (POOL, NOVELTY)):
        put_tokens(cluster, mint, owner, 0)
    for name in ("market", "vault USDC 0", "host", "second listing", "renter's profile"):
        forge(world, STATE[name])
    register_stranger(world)
    world.act(*(charges.set_charges(listing) for listing in OFFERED[1:]))
    return cluster.accounts(), world.audit


class Machine(RuleBasedStateMachine):
    """The market in the hands of everyone at once. A test runs it with a tally of its own."""

    def __init__(self, tally: Tally | None = None) -> None:
        super().__init__()
        self.tally = Tally() if tally is None else tally
        accounts, audit = seeded_market()
        self.world = World(Cluster(accounts, START), audit.copy())
        self.balances = {key: (held.owner, held.mint, held.amount) for key, held in _tokens(accounts).items()}
        self.supplies = self._held()
        self.world.cluster.observers.append(self.observe)
        self.tally.actions -= 1  # the invariants are looked at once before the first rule

    def release(self) -> None:
        """Lets go of the cluster: machines are parts of cycles, and those that wait to be collected keep too much."""
        self.world.cluster.observers.clear()
        del self.world

    def act(self, *acts: Instruction) -> Outcome:
        """Sends the acts in one transaction."""
        return self.world.act(*acts)

    def attempt(self, act: Instruction, *refusals: type[Exception]) -> Outcome | None:
        """Acts; only the named refusals are allowed."""
        try:
            return self.act(act)
        except refusals as error:
            self.tally.count_refusal(act, error)
            return None

    def observe(self, outcome: Outcome) -> None:
        """Takes note of a transaction that the audit has passed."""
        self.tally.count(outcome)
        for key in outcome.before.keys() & self.balances.keys():
            self.balances.pop(key)
        for key, held in _tokens(outcome.after).items():
            self.balances[key] = (held.owner, held.mint, held.amount)
        for event in outcome.events:
            self.hear(event)

    def hear(self, event: Event) -> None:
        """Takes note of what an area wants to remember."""

    @property
    def now(self) -> int:
        return self.world.now

    def wait_until(self, at: int) -> None:
        self.world.wait(max(0, at - self.now))

    def renter(self, index: int) -> Pubkey:
        """One of those who are registered."""
        registered = [wallet for wallet in PEOPLE if self.world.exists(find_renter_profile(wallet)[0])]
        return registered[index % len(registered)]

    def vault(self, index: int) -> tuple[Pubkey, int]:
        """Mint and shard of one of the vaults that are there; the price of a posted mint is fresh half the time."""
        there = [vault for vault in VAULTS if find_vault(*vault)[0] in self.world.audit.books.vaults]
        mint, shard = there[index % len(there)]
        if mint == WSOL and index % 2:
            self.attempt(post_price(self.world.payment_mint(WSOL).price), *UNPOSTED)
        return mint, shard

    def offered(self) -> list[Pubkey]:
        """Open listings that renters look at, in a stable order."""
        return [listing for listing in self.world.audit.reputations.listings if listing not in LISTINGS[3:]]

    def free(self) -> list[Pubkey]:
        """Those that nobody holds, or all if there are none."""
        taken = self.world.audit.books.occupants
        return [listing for listing in self.offered() if listing not in taken] or self.offered()

    def host_of(self, listing: Pubkey) -> Pubkey:
        """The wallet that the listing obeys."""
        return self.world.audit.books.listing_hosts[listing]

    def rentals(self, *states: RentalState) -> list[Pubkey]:
        """Open rentals in one of the states that hold their machine, in a stable order."""
        books = self.world.audit.books
        waiting = set(books.challengers.values())
        rentals = [rental for rental in books.open_rentals if rental not in waiting]
        return [rental for rental in rentals if self.world.rental(rental).state in states]

    def challenged(self) -> list[Pubkey]:
        """Listings that somebody waits for, in a stable order."""
        return list(self.world.audit.books.challengers)

    def pick(self, index: int, *states: RentalState) -> Pubkey:
        found = self.rentals(*states)
        return found[index % len(found)]

    def beat(self) -> None:
        """All hosts are heard from."""
        machines: dict[tuple[Pubkey, Pubkey], list[Pubkey]] = {}
        for listing in self.offered():
            machines.setdefault((self.host_of(listing), self.world.listing(listing).operator), []).append(listing)
        if machines:
            self.act(*(self.world.heartbeat(host, *listings) for (host, _), listings in machines.items()))

    def work(self, rental: Pubkey, seconds: int, settled: bool) -> None:
        """Time passes under heartbeats, and the host may be paid for it."""
        self.world.wait(seconds)
        self.beat()
        if settled and self.world.rental(rental).state == RentalState.RUNNING:
            self.act(self.world.settle_rental(rental))

    @rule(
        seconds=st.one_of(
            st.integers(1, 400),
            st.integers(400, 2 * HOUR),
            st.integers(DAY, 40 * DAY),
            st.integers(40 * DAY, 200 * DAY),
        ),
        slots=st.sampled_from([0] * 15 + [10_000]),
    )
    def silence(self, seconds: int, slots: int) -> None:
        """Time passes and no host is heard from; slots mean nothing."""
        self.world.wait(seconds)
        if slots:
            self.world.cluster.skip_slots(slots)

    @invariant()
    def actions_are_counted(self) -> None:
        self.tally.actions += 1

    @invariant()
    def tokens_are_conserved(self) -> None:
        """Tokens in wallets and vaults change by what was burned, and by nothing else."""
        burned: Counter[Pubkey] = Counter()
        for vault in self.world.audit.books.vaults.values():
            burned[vault.mint] += vault.total_burned
        unwrapped = sum(self.world.audit.lamports_paid.values())
        assert self._held() == {
            mint: supply - burned[mint] - (unwrapped if mint == WSOL else 0) for mint, supply in self.supplies.items()
        }

    def _held(self) -> dict[Pubkey, int]:
        """Tokens of each mint in all token accounts there are."""
        totals: Counter[Pubkey] = Counter()
        for _, mint, amount in self.balances.values():
            totals[mint] += amount
        return dict(totals)


def having(*states: RentalState) -> Callable[[Machine], bool]:
    """A precondition: some rental is in one of the states."""
    return lambda machine: bool(machine.rentals(*states))


def _tokens(states: States | Mapping[Pubkey, Account]) -> dict[Pubkey, TokenAccount]:
    found = ((key, token_account(account)) for key, account in states.items())
    return {key: held for key, held in found if held is not None}
