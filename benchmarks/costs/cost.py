"""The cost of one instruction, measured."""

from __future__ import annotations

from dataclasses import dataclass

from solders.instruction import Instruction

from anchor_client.generated.events import RentalClosed, RentalOpened
from tests.program.harness.world import World


@dataclass(frozen=True, slots=True)
class Cost:
    """Compute units, and lamports: the fee a wallet pays that signs for itself, the rent of accounts that come to be,
    the tip put aside or paid, and all that accounts which end give back, tip included."""

    instruction: str
    compute_units: int
    fee: int
    rent_locked: int
    tip_escrowed: int
    tip_paid: int
    returned: int


def cost_of(name: str, world: World, instruction: Instruction) -> Cost:
    """Runs the instruction in a transaction of its own. Raises what the program refuses it with."""
    outcome = world.act(instruction)
    escrowed = sum(event.tip_lamports for event in outcome.events if isinstance(event, RentalOpened))
    paid = sum(event.tip_lamports for event in outcome.events if isinstance(event, RentalClosed))
    before = {key: account.lamports for key, account in outcome.before.items() if account is not None}
    after = {key: account.lamports for key, account in outcome.after.items() if account is not None}
    signers = len({meta.pubkey for meta in instruction.accounts if meta.is_signer})
    payer = world.cluster.fee_payer
    lamports_per_signature = (before[payer] - after[payer]) // (1 + signers)
    return Cost(
        instruction=name,
        compute_units=outcome.compute_units,
        fee=lamports_per_signature * max(1, signers),
        rent_locked=sum(after[key] for key in after.keys() - before.keys()) - escrowed,
        tip_escrowed=escrowed,
        tip_paid=paid,
        returned=sum(before[key] for key in before.keys() - after.keys()),
    )
