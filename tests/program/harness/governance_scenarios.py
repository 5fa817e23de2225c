"""The scenarios of governance's instructions."""

from __future__ import annotations

from solders.instruction import Instruction

from anchor_client.generated import instructions
from anchor_client.generated.types.action import ActionTreasuryTransfer

from .actors import GPUM, RENTER, TENANT
from .charges_scenarios import Prepare
from .governance import (
    close_proposal,
    due,
    execute,
    hand_over,
    propose,
    proposed,
    queued,
    veto_proposal,
    voted,
    with_stake,
)
from .world import World


def _hand_over(world: World) -> Instruction:
    with_stake(world)
    return hand_over()


def _execute_proposal(world: World) -> Instruction:
    with_stake(world).act(hand_over())
    return execute(world, due(world))


def _close_vote(world: World) -> Instruction:
    proposal = voted(with_stake(world))
    return instructions.close_vote(proposal=proposal, voter=TENANT)


def _veto_proposal(world: World) -> Instruction:
    return veto_proposal(queued(with_stake(world), ActionTreasuryTransfer(GPUM, TENANT, 1)))


def _close_proposal(world: World) -> Instruction:
    proposal = proposed(with_stake(world))
    world.act(instructions.cancel_proposal(proposer=RENTER, proposal=proposal))
    return close_proposal(world, proposal)


GOVERNANCE_SCENARIOS: dict[str, Prepare] = {
    "hand_over": _hand_over,
    "create_proposal": lambda world: propose(with_stake(world)),
    "vote": lambda world: instructions.vote(voter=TENANT, proposal=proposed(with_stake(world)), support=True),
    "cancel_proposal": lambda world: instructions.cancel_proposal(
        proposer=RENTER, proposal=proposed(with_stake(world))
    ),
    "queue_proposal": lambda world: instructions.queue_proposal(proposal=voted(with_stake(world))),
    "execute_proposal": _execute_proposal,
    "veto_proposal": _veto_proposal,
    "close_proposal": _close_proposal,
    "close_vote": _close_vote,
}
