"""Malicious callers: they tamper with others' instructions, repeat them and send them at another time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.errors import ProgramError

from ..harness.actors import WALLETS
from ..harness.governance import GOVERNANCE
from ..harness.keys import can_sign
from ..harness.outcome import Outcome, Refused
from ..harness.terms import DAY, HOUR
from ..harness.tokens import token_account
from .base import OUTSIDER, Machine
from .tally import Tally
from .tampering import TAG, Surroundings, Tampering, plans, some_plan, spec_of

REMEMBERED = 64
"""Instructions, the last that were sent."""
COMMON = frozenset(
    {
        "heartbeat",
        "post_price",
        "refresh_listing",
        "set_paused",
        "stake",
        "open_rental",
        "accept_rental",
        "start_rental",
    }
)
ONE_IN, ONE_IN_COMMON = 2, 12
"""Number of instructions that are sent for each one that is tampered with on its way."""
TIPPED = events.RentalClosed | events.RequestExpired

waits = st.one_of(st.just(0), st.integers(0, HOUR), st.integers(DAY, 90 * DAY))


class Adversary(Machine):
    def __init__(self, tally: Tally | None = None) -> None:
        super().__init__(tally)
        self.seen: deque[Instruction] = deque(maxlen=REMEMBERED)
        self.dice = Random(0)

    @initialize(seed=st.integers(0, 2**32 - 1))
    def roll_dice(self, seed: int) -> None:
        self.dice = Random(seed)

    def act(self, *acts: Instruction) -> Outcome:
        """Now and then an adversary tampers with an instruction on its way, when the market is ready for it."""
        is_common = spec_of(acts[0]).name in COMMON
        if self.dice.randrange(ONE_IN_COMMON if is_common else ONE_IN) == 0:
            self._rehearse(acts[0], some_plan(self.dice))
        outcome = super().act(*acts)
        self.seen.extend(acts)
        return outcome

    @precondition(lambda self: self.seen)
    @rule(index=st.integers(0, REMEMBERED - 1), plan=plans, wait=waits, times=st.integers(1, 2))
    def strike(self, index: int, plan: list[Tampering], wait: int, times: int) -> None:
        """An instruction that was sent before is sent again, tampered with, perhaps much later or twice at once."""
        self.world.wait(wait)
        tampered = self._tampered(self.seen[-1 - index % len(self.seen)], plan)
        if _hands_to_nobody(tampered):
            return
        try:
            self.world.act(*[tampered] * times)
        except (ProgramError, Refused):
            self.tally.count_attack(plan, "refused")
        else:
            self.tally.count_attack(plan, "done")

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        self._judge(outcome)

    def _tampered(self, instruction: Instruction, plan: Sequence[Tampering]) -> Instruction:
        cluster = self.world.cluster
        known = [key for key in cluster.known if key != cluster.fee_payer]  # who signs every transaction
        surroundings = Surroundings((OUTSIDER, *WALLETS), known, list(self.seen), cluster.account)
        return surroundings.tamper(instruction, plan)

    def _rehearse(self, instruction: Instruction, plan: Sequence[Tampering]) -> None:
        """Simulates a tampered instruction and judges what it would do; nothing changes."""
        cluster, tampered = self.world.cluster, self._tampered(instruction, plan)
        try:
            outcome = cluster.rehearse(tampered)
        except (ProgramError, Refused):
            self.tally.count_attack(plan, "refused")
            return
        self.tally.count_attack(plan, "rehearsed")
        after = outcome.after
        try:
            self.world.audit.copy().check(outcome, lambda key: after[key] if key in after else cluster.account(key))
            self._judge(outcome)
        except AssertionError as error:
            error.add_note(f"on its way, by {plan}: {tampered}")
            raise

    def _judge(self, outcome: Outcome) -> None:
        """An outsider is never paid. What they alone sign takes from vaults only, and earns announced tips at most.

        The treasury pays what was voted.
        """
        alone = outcome.signers <= {OUTSIDER}
        voted = {GOVERNANCE for event in outcome.events if isinstance(event, events.ProposalExecuted)}
        payers = voted | self.world.audit.books.vaults.keys()
        for key, account in outcome.before.items():
            held, left = token_account(account), token_account(outcome.after[key])
            if held is None or left is None:
                assert held is left, f"{key} is no longer, or not yet, a token account"
            elif held.owner == OUTSIDER:
                assert left.amount <= held.amount, "an outsider was paid"
            elif alone:
                assert left.amount >= held.amount or held.owner in payers, f"{held.owner} has lost tokens"
        if alone and OUTSIDER in outcome.after:
            tips = sum(event.tip_lamports for event in outcome.events if isinstance(event, TIPPED))
            assert outcome.lamports_gained(OUTSIDER) <= tips


def _hands_to_nobody(instruction: Instruction) -> bool:
    """True where it gives a listing an operator who cannot sign here: hosts may, and then nobody serves the machine."""
    if spec_of(instruction).name != "set_operator" or len(instruction.data) < TAG + Pubkey.LENGTH:
        return False
    return not can_sign(Pubkey.from_bytes(instruction.data[TAG : TAG + Pubkey.LENGTH]))
