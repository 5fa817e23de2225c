"""Decisions that the authority signs, and the market's cranks."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors, instructions
from anchor_client.generated.constants import BPS
from anchor_client.generated.pdas import find_payment_mint, find_vault
from anchor_client.generated.types.action import (
    Action,
    ActionAddPaymentMint,
    ActionApproveHost,
    ActionWithdrawUnreserved,
)
from anchor_client.generated.types.pause_area import PauseArea

from ..harness.actors import AUTHORITY, MINTS, STRANGER, WSOL
from ..harness.changes import post_price, set_paused
from ..harness.terms import MINUTE
from .actions import UNDECIDED, actions, signed
from .base import UNPOSTED, VAULTS, Machine


class MarketRules(Machine):
    def is_possible(self, action: Action) -> bool:
        """True where the subject of an action exists or, if the action adds it, does not exist yet."""
        match action:
            case ActionAddPaymentMint(mint=mint):
                return not self.world.exists(find_payment_mint(mint)[0])
            case ActionApproveHost(host=host):
                return self.world.exists(host)
            case ActionWithdrawUnreserved(mint=mint, shard=shard):
                return self.world.exists(find_vault(mint, shard)[0])
            case _:
                return True

    @precondition(lambda self: self.world.market().authority == AUTHORITY)
    @rule(decided=st.lists(actions, min_size=1, max_size=6, unique_by=type))
    def decide(self, decided: list[Action]) -> None:
        for action in decided:
            if self.is_possible(action):
                self.attempt(signed(action), *UNDECIDED)
        self.add_vaults()

    def add_vaults(self) -> None:
        """Anyone adds those that there may be."""
        for mint, number in VAULTS:
            there = self.world.exists(find_payment_mint(mint)[0]) and not self.world.exists(find_vault(mint, number)[0])
            if there and number < self.world.payment_mint(mint).shards:
                self.act(instructions.add_vault(caller=STRANGER, mint=mint, shard=number))

    @rule(area=st.sampled_from(PauseArea))
    def pause(self, area: PauseArea) -> None:
        """The guardian pauses an area, if they may, and the authority lets it run again if it is still there."""
        market = self.world.market()
        self.attempt(set_paused(area, caller=self.world.audit.rights.guardian), errors.PauseTooSoon)
        if market.authority == AUTHORITY:
            self.act(set_paused(area, paused=False))

    @rule(bps=st.integers(9_300, 10_700), seconds=st.integers(0, 2 * MINUTE))
    def post(self, bps: int, seconds: int) -> None:
        """The oracle moves a price, perhaps too far or too soon."""
        self.world.wait(seconds)
        price = self.world.payment_mint(WSOL).price * bps // BPS
        self.attempt(post_price(price, WSOL), *UNPOSTED, errors.PostTooSoon, errors.PriceStepTooLarge)

    @rule(lamports=st.sampled_from([0, 10**6]), mint=st.sampled_from(MINTS))
    def tidy(self, lamports: int, mint: Pubkey) -> None:
        """Somebody sends lamports to an account, and anyone gives them to whose account it is."""
        account = find_payment_mint(mint)[0]
        self.world.cluster.give(account, lamports)
        sweep = instructions.sweep_rent(account=account, owner=self.world.market().treasury)
        self.attempt(sweep, errors.NothingToSweep)

    @rule(amount=st.integers(1, 10**12), shard=st.sampled_from([0, 1]))
    def give(self, amount: int, shard: int) -> None:
        """Somebody funds a subsidy pool."""
        self.attempt(self.world.fund_subsidy(STRANGER, amount, shard), errors.InsufficientFunds)
