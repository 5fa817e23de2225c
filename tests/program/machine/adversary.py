"""Callers who mean ill: instructions of others spoiled, repeated and brought at another time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.errors import ProgramError

from ..harness.actors import WALLETS
from ..harness.ballots import GOVERNANCE
from ..harness.outcome import Outcome, Refused
from ..harness.terms import DAY, HOUR
from ..harness.tokens import token_account
from .base import OUTSIDER, Machine
from .spoils import Spoil, Surroundings, spoils
from .tally import Tally

REMEMBERED = 64
AMBUSHES = 6
"""Instructions in a row that are spoiled while they are on their way."""

TIPPED = events.RentalClosed | events.RequestMatched | events.RequestExpired

waits = st.one_of(st.just(0), st.integers(0, HOUR), st.integers(DAY, 90 * DAY))


class Adversary(Machine):
    def __init__(self, tally: Tally | None = None) -> None:
        super().__init__(tally)
        self.seen: deque[Instruction] = deque(maxlen=REMEMBERED)
        self.ambushes: list[list[Spoil]] = []
        self.fortune = self._fortune()

    def act(self, *acts: Instruction) -> Outcome:
        if self.ambushes:
            plan = self.ambushes.pop()
            self._rehearse(plan, self.surroundings().spoil(acts[0], plan))
        outcome = super().act(*acts)
        self.seen.extend(acts)
        return outcome

    @rule(plans=st.lists(spoils, min_size=1, max_size=AMBUSHES))
    def lie_in_wait(self, plans: list[list[Spoil]]) -> None:
        """What comes next is spoiled before it is sent: the market is just as it has to be for it."""
        self.ambushes = plans

    @precondition(lambda self: self.seen)
    @rule(index=st.integers(0, REMEMBERED - 1), plan=spoils, wait=waits, times=st.integers(1, 2))
    def strike(self, index: int, plan: list[Spoil], wait: int, times: int) -> None:
        """Something that was sent before comes again, spoiled, perhaps much later, perhaps twice at once."""
        self.world.wait(wait)
        spoiled = self.surroundings().spoil(self.seen[-1 - index % len(self.seen)], plan)
        try:
            self.world.act(*[spoiled] * times)
        except (ProgramError, Refused):
            self.tally.count_attack(plan, "refused")
        else:
            self.tally.count_attack(plan, "done")

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        self._judge(outcome)
        assert self._fortune() <= self.fortune, "an outsider has gained tokens"

    def surroundings(self) -> Surroundings:
        cluster = self.world.cluster
        return Surroundings((OUTSIDER, *WALLETS), cluster.known, list(self.seen), cluster.account)

    def _rehearse(self, plan: Sequence[Spoil], spoiled: Instruction) -> None:
        """Sees what a spoiled instruction would do; then it has never been."""
        cluster = self.world.cluster
        try:
            outcome = cluster.rehearse(spoiled)
        except (ProgramError, Refused):
            self.tally.count_attack(plan, "refused")
            return
        self.tally.count_attack(plan, "rehearsed")
        after = outcome.after
        self.world.audit.copy().check(outcome, lambda key: after[key] if key in after else cluster.account(key))
        self._judge(outcome)

    def _judge(self, outcome: Outcome) -> None:
        """What an outsider signs alone takes from nobody but vaults, and gives him nothing but told tips.

        The treasury pays what was voted.
        """
        if not outcome.signers <= {OUTSIDER}:
            return
        voted = {GOVERNANCE for event in outcome.events if isinstance(event, events.ProposalExecuted)}
        payers = voted | self.world.audit.books.vaults.keys()
        for key, account in outcome.before.items():
            held, left = token_account(account), token_account(outcome.after[key])
            if held is None or left is None:
                assert held is left, f"{key} is no longer, or not yet, a token account"
            elif held.owner == OUTSIDER:
                assert left.amount <= held.amount, "an outsider was paid"
            else:
                assert left.amount >= held.amount or held.owner in payers, f"{held.owner} has lost tokens"
        tips = sum(event.tip_lamports for event in outcome.events if isinstance(event, TIPPED))
        if OUTSIDER in outcome.after:
            assert outcome.lamports_gained(OUTSIDER) <= tips

    def _fortune(self) -> Counter[Pubkey]:
        """What the outsider has, of each mint."""
        totals: Counter[Pubkey] = Counter()
        for owner, mint, amount in self.balances.values():
            if owner == OUTSIDER:
                totals[mint] += amount
        return totals
