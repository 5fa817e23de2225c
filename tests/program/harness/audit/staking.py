"""Stake, rewards and the MFP lock as a reader of events alone would keep them, with exact fractions for rewards."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.catalog import Catalog
from anchor_client.generated.accounts.host import Host
from anchor_client.generated.accounts.stake_account import StakeAccount
from anchor_client.generated.accounts.stake_pool import StakePool
from anchor_client.generated.types.pool_totals import PoolTotals
from anchor_client.generated.types.stake_state import StakeState
from anchor_idl.runtime.structs import Event

STREAMS = 4


@dataclass(slots=True)
class StreamBook:
    """Rewards in one mint; `per_unit` is what the running epoch pays at its end on each base unit."""

    mint: Pubkey
    token_account: Pubkey
    queued: int = 0
    funded: int = 0
    claimed: int = 0
    per_unit: Fraction = Fraction(0)

    @property
    def held(self) -> int:
        return self.funded - self.claimed

    def fund(self, amount: int, queued: int, funded: int) -> None:
        self.queued += amount
        self.funded += amount
        assert (self.queued, self.funded) == (queued, funded)


@dataclass(slots=True)
class StakerBook:
    """One stake account; `earned` is exact, for the epochs that have ended."""

    owner: Pubkey
    since: int
    active: int = 0
    warming: int = 0
    cooling: int = 0
    earned: list[Fraction] = field(default_factory=lambda: [Fraction(0)] * STREAMS)
    claimed: list[int] = field(default_factory=lambda: [0] * STREAMS)


@dataclass(slots=True)
class StakingBooks:
    pool: Pubkey = field(default_factory=Pubkey.default)
    mint: Pubkey = field(default_factory=Pubkey.default)
    token_account: Pubkey = field(default_factory=Pubkey.default)
    epoch: int = 0
    streams: list[StreamBook] = field(default_factory=list)
    stakers: dict[Pubkey, StakerBook] = field(default_factory=dict)
    locks: dict[Pubkey, tuple[int, int]] = field(default_factory=dict)
    """Of each host, base units locked and on their way out."""
    lock_account: Pubkey = field(default_factory=Pubkey.default)
    points: dict[Pubkey, tuple[Pubkey, int]] = field(default_factory=dict)
    """Of each open listing, its host and points."""

    def total(self, name: str) -> int:
        return sum(getattr(staker, name) for staker in self.stakers.values())

    def enter(self, event: Event) -> None:
        """Books an event of staking or of the lock; AssertionError for one that cannot follow from those before."""
        match event:
            case events.PoolInitialized():
                self.pool, self.mint, self.token_account = event.pool, event.mint, event.token_account
            case events.RewardMintAdded():
                assert event.stream == len(self.streams)
                self.streams.append(StreamBook(event.mint, event.token_account))
            case events.EpochAdvanced():
                self._advance(event)
            case events.RewardsFunded() | events.StakersSwept():
                assert self.streams[event.stream].mint == event.mint
                self.streams[event.stream].fund(event.amount, event.queued, event.funded)
            case events.Staked():
                staker = self.stakers.setdefault(event.stake, StakerBook(event.owner, self.epoch))
                staker.warming += event.amount
                self._check(event.stake, event.state, event.pool)
            case events.Unstaked():
                self._unstake(event)
            case events.StakeWithdrawn():
                staker = self.stakers[event.stake]
                assert event.amount == staker.cooling and event.at >= event.state.cool_at
                staker.cooling = 0
                self._check(event.stake, event.state, event.pool)
            case events.StakeClosed():
                self._close(event)
            case events.RewardsClaimed():
                assert self.streams[event.stream].mint == event.mint
                self._claim(event.stake, event.stream, event.amount)
                self._check(event.stake, event.state, None)
            case events.RewardsCompounded():
                assert self.streams[event.stream].mint == self.mint
                self._claim(event.stake, event.stream, event.amount)
                self.stakers[event.stake].warming += event.amount
                self._check(event.stake, event.state, event.pool)
            case _:
                self._enter_lock(event)

    def _enter_lock(self, event: Event) -> None:
        match event:
            case events.CatalogInitialized():
                self.lock_account = event.token_account
            case events.ListingCreated() | events.ListingUpdated():
                self._set_points(event.listing, event.host, event.points, event.host_points)
            case events.ListingRefreshed():
                assert self.points[event.listing] == (event.host, event.old_points)
                assert (event.old_points, event.old_reference_usd) != (event.new_points, event.new_reference_usd)
                self._set_points(event.listing, event.host, event.new_points, event.host_points)
            case events.ListingClosed():
                del self.points[event.listing]
                assert event.host_points == self._points_of(event.host)
            case events.MfpLocked():
                locked, unlocking = self.locks.get(event.host, (0, 0))
                self.locks[event.host] = (locked + event.amount, unlocking)
                assert event.locked == locked + event.amount and event.total == self.locked
            case events.MfpUnlocked():
                locked, unlocking = self.locks[event.host]
                self.locks[event.host] = (locked - event.amount, unlocking + event.amount)
                assert self.locks[event.host] == (event.locked, event.unlocking)
            case events.MfpWithdrawn():
                locked, unlocking = self.locks[event.host]
                assert event.amount == unlocking
                self.locks[event.host] = (locked, 0)
                assert event.total == self.locked
            case _:
                return

    @property
    def locked(self) -> int:
        """Base units that the catalog keeps for all hosts."""
        return sum(locked + unlocking for locked, unlocking in self.locks.values())

    def check_pool(self, pool: StakePool) -> None:
        assert (pool.active, pool.warming, pool.cooling) == self._totals()
        assert (pool.epoch, pool.streams) == (self.epoch, len(self.streams))
        for book, stream in zip(self.streams, pool.rewards, strict=False):
            for name in ("mint", "token_account", "queued", "held", "funded", "claimed"):
                assert getattr(stream, name) == getattr(book, name), name

    def check_stake(self, address: Pubkey, account: StakeAccount) -> None:
        staker = self.stakers[address]
        assert account.owner == staker.owner and account.cooling == staker.cooling
        assert account.active + account.warming == staker.active + staker.warming

    def check_host(self, address: Pubkey, host: Host) -> None:
        assert (host.mfp_locked, host.mfp_unlocking) == self.locks.get(address, (0, 0))
        assert host.points == self._points_of(address)

    def check_catalog(self, catalog: Catalog) -> None:
        assert catalog.locked == self.locked

    def kept(self) -> dict[Pubkey, int]:
        """Least balance of each token account: stake, rewards and locks."""
        held = {stream.token_account: stream.held for stream in self.streams}
        if self.token_account != Pubkey.default():
            held[self.token_account] = held.get(self.token_account, 0) + sum(self._totals())
        if self.lock_account != Pubkey.default():
            held[self.lock_account] = self.locked
        return held

    def _totals(self) -> tuple[int, int, int]:
        return self.total("active"), self.total("warming"), self.total("cooling")

    def _points_of(self, host: Pubkey) -> int:
        return sum(points for owner, points in self.points.values() if owner == host)

    def _set_points(self, listing: Pubkey, host: Pubkey, points: int, host_points: int) -> None:
        self.points[listing] = (host, points)
        assert host_points == self._points_of(host)

    def _advance(self, event: events.EpochAdvanced) -> None:
        assert event.old_epoch == self.epoch < event.epoch
        shared = []
        for boundary in range(min(event.epoch - self.epoch, 3)):
            for staker in self.stakers.values():
                for number, stream in enumerate(self.streams):
                    staker.earned[number] += staker.active * stream.per_unit
                staker.active, staker.warming = staker.active + staker.warming, 0
            active = self.total("active")
            for stream in self.streams:
                now_shared = stream.queued if active else 0
                stream.per_unit = Fraction(now_shared, active) if active else Fraction(0)
                stream.queued -= now_shared
                if boundary == 0:
                    shared.append(now_shared)
                else:
                    assert now_shared == 0
        self.epoch = event.epoch
        assert event.active == self.total("active")
        assert list(event.shared[: len(shared)]) == shared
        assert list(event.queued[: len(shared)]) == [stream.queued for stream in self.streams]

    def _unstake(self, event: events.Unstaked) -> None:
        staker = self.stakers[event.stake]
        amount = event.from_warming + event.from_active
        assert amount > 0 and event.from_warming == min(amount, staker.warming)
        staker.warming -= event.from_warming
        staker.active -= event.from_active
        staker.cooling += amount
        for stream, forfeited in zip(self.streams, event.forfeited, strict=False):
            assert 0 <= event.from_active * stream.per_unit - forfeited < 2
            stream.queued += forfeited
        self._check(event.stake, event.state, event.pool)

    def _close(self, event: events.StakeClosed) -> None:
        """Rewards that it earned and never claimed are dust."""
        staker = self.stakers.pop(event.stake)
        assert staker.owner == event.owner
        assert (staker.active, staker.warming, staker.cooling) == (0, 0, 0)
        for earned, claimed in zip(staker.earned, staker.claimed, strict=True):
            assert 0 <= earned - claimed < self.epoch - staker.since + 1

    def _claim(self, stake: Pubkey, number: int, amount: int) -> None:
        self.stakers[stake].claimed[number] += amount
        stream = self.streams[number]
        stream.claimed += amount
        assert stream.claimed <= stream.funded

    def _check(self, stake: Pubkey, state: StakeState, pool: PoolTotals | None) -> None:
        """The account after an event, settled: its dust is at most one base unit an epoch in every stream."""
        staker = self.stakers[stake]
        assert (state.active, state.warming, state.cooling) == (staker.active, staker.warming, staker.cooling)
        for number in range(len(self.streams)):
            dust = staker.earned[number] - staker.claimed[number] - state.owed[number]
            assert 0 <= dust < self.epoch - staker.since + 1, f"dust of {float(dust)}"
        if pool is not None:
            assert (pool.active, pool.warming, pool.cooling) == self._totals()
