"""The program replaces its own code when stakers vote for it. Invariants GOV-5 and GOV-7."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import pytest
from solders.account import Account
from solders.compute_budget import set_compute_unit_limit
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.action import ActionSetParameter, ActionUpgradeProgram
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.proposal_state import ProposalState
from anchor_client.market.governance.execution import remaining_accounts
from anchor_client.solana.loader import program_data

from .harness.actors import RENTER, STRANGER
from .harness.cluster import LOADER_V3, PROGRAM_BINARY, PROGRAM_DATA
from .harness.governance import GOVERNANCE, close_proposal, due, enacted, execute, hand_over, propose, with_stake
from .harness.keys import address
from .harness.market import set_upgrade_authority
from .harness.outcome import Outcome, expect, expect_refusal
from .harness.programs import make_program
from .harness.world import World

BUFFER = address("buffer")
CODE_OFFSET = 45
UNITS = 1_400_000
"""All that a transaction may use; hashing takes one for every two bytes of code."""
TIP_BOUND = 100_000_000
"""The largest tip that the committed build takes; the second build takes one lamport less."""


def second_build() -> bytes:
    """The committed build with another bound, which its code holds as an immediate value."""
    first = PROGRAM_BINARY.read_bytes()
    old, new = (struct.pack("<I", bound) for bound in (TIP_BOUND, TIP_BOUND - 1))
    assert old in first
    return first.replace(old, new)


def put_buffer(world: World, code: bytes, authority: Pubkey = GOVERNANCE) -> None:
    """Writes a buffer as the loader's own tools would leave it."""
    data = struct.pack("<IB32s", 1, 1, bytes(authority)) + code
    world.cluster.set_account(BUFFER, Account(world.cluster.rent(len(data)), data, LOADER_V3))


def upgrade_to(code: bytes) -> ActionUpgradeProgram:
    return ActionUpgradeProgram(BUFFER, hashlib.sha256(code).digest())


def deployed(world: World) -> bytes:
    account = world.cluster.account(PROGRAM_DATA)
    assert account is not None
    return bytes(account.data)


@pytest.fixture
def governed(world: World) -> World:
    """A market handed over to its stakers, and the program with it."""
    with_stake(world).act(hand_over())
    set_upgrade_authority(world.cluster, GOVERNANCE)
    return world


def set_authority(data: Pubkey, old: Pubkey, new: Pubkey) -> Instruction:
    """The loader's SetAuthority, which the new authority does not sign."""
    metas = [
        AccountMeta(data, is_signer=False, is_writable=True),
        AccountMeta(old, is_signer=True, is_writable=False),
        AccountMeta(new, is_signer=False, is_writable=False),
    ]
    return Instruction(LOADER_V3, struct.pack("<I", 4), metas)


def upgrade(world: World, proposal: Pubkey, **given: Any) -> Outcome:
    """Executes with compute units for hashing the code."""
    return world.act(set_compute_unit_limit(UNITS), execute(world, proposal, **given))


def test_upgrade_program__voted_for__runs_the_new_code(governed: World) -> None:
    code = second_build()
    put_buffer(governed, code)
    enacted(governed, ActionSetParameter(MarketParameter.TIP_LAMPORTS, TIP_BOUND))
    proposal = due(governed, upgrade_to(code))
    governed.cluster.skip_slots(1)
    buffer = governed.cluster.account(BUFFER)
    assert buffer is not None
    outcome = upgrade(governed, proposal)
    assert [type(event) for event in outcome.events] == [events.ProposalExecuted]
    assert deployed(governed)[CODE_OFFSET:][: len(code)] == code
    assert outcome.lamports_gained(proposal) == buffer.lamports
    governed.cluster.skip_slots(1)
    governed.cluster.reload(PROGRAM_ID)
    with expect(errors.ParameterOutOfBounds):
        governed.act(propose(governed, ActionSetParameter(MarketParameter.TIP_LAMPORTS, TIP_BOUND)))
    enacted(governed, ActionSetParameter(MarketParameter.TIP_LAMPORTS, TIP_BOUND - 1))
    assert governed.market().tip_lamports == TIP_BOUND - 1


def test_upgrade_program__closed_afterwards__gives_the_proposer_the_buffers_lamports(governed: World) -> None:
    code = second_build()
    put_buffer(governed, code)
    buffer = governed.cluster.account(BUFFER)
    assert buffer is not None
    proposal = due(governed, upgrade_to(code))
    governed.cluster.skip_slots(1)
    upgrade(governed, proposal)
    governed.cluster.skip_slots(1)
    governed.cluster.reload(PROGRAM_ID)
    rent = governed.cluster.rent(Proposal.SIZE)
    assert governed.act(close_proposal(governed, proposal)).lamports_gained(RENTER) == buffer.lamports + rent


def test_attack__proposer_who_makes_a_program_of_their_wallet__cannot_stop_the_upgrade(governed: World) -> None:
    """No program may pay a program: the buffer's lamports went to the wallet, and with them the vote was lost."""
    code = second_build()
    put_buffer(governed, code)
    proposal = due(governed, upgrade_to(code))
    make_program(governed, RENTER)
    governed.cluster.skip_slots(1)
    upgrade(governed, proposal)
    assert deployed(governed)[CODE_OFFSET:][: len(code)] == code


def test_upgrade_program__executed_by_the_proposer__works(governed: World) -> None:
    code = second_build()
    put_buffer(governed, code)
    proposal = due(governed, upgrade_to(code))
    governed.cluster.skip_slots(1)
    upgrade(governed, proposal, caller=RENTER)
    assert deployed(governed)[CODE_OFFSET:][: len(code)] == code


def test_upgrade_program__buffer_written_after_the_vote__is_refused(governed: World) -> None:
    code = second_build()
    put_buffer(governed, code)
    proposal = due(governed, upgrade_to(code))
    put_buffer(governed, code[:-1] + bytes([code[-1] ^ 1]))
    governed.cluster.skip_slots(1)
    before = deployed(governed)
    with expect(errors.BufferChanged):
        upgrade(governed, proposal)
    assert deployed(governed) == before


def test_upgrade_program__buffer_of_another_authority__is_refused_by_the_loader(governed: World) -> None:
    code = second_build()
    put_buffer(governed, code, STRANGER)
    proposal = due(governed, upgrade_to(code))
    governed.cluster.skip_slots(1)
    with expect_refusal():
        upgrade(governed, proposal)


def test_upgrade_program__on_a_program_of_the_executors__leaves_the_vote_as_it_was(governed: World) -> None:
    """The executor hands the governance a program of their own: the loader asks for nothing but their signature."""
    code = second_build()
    put_buffer(governed, code)
    proposal = due(governed, upgrade_to(code))
    other, other_data = address("program of a stranger"), program_data(address("program of a stranger"))
    governed.cluster.add_program(other)
    set_upgrade_authority(governed.cluster, STRANGER, of=other)
    governed.act(set_authority(other_data, STRANGER, GOVERNANCE))
    governed.cluster.skip_slots(1)
    metas = remaining_accounts(governed.read(Proposal, proposal))
    for place, key in enumerate((other_data, other)):
        metas[place] = AccountMeta(key, is_signer=False, is_writable=True)
    with expect(errors.WrongAction):
        upgrade(governed, proposal, caller=STRANGER, metas=metas)
    assert governed.read(Proposal, proposal).state == ProposalState.QUEUED
    upgrade(governed, proposal)
    assert deployed(governed)[CODE_OFFSET:][: len(code)] == code


@pytest.mark.parametrize("place", [0, 1])
def test_upgrade_program__half_of_another_program__is_refused(governed: World, place: int) -> None:
    code = second_build()
    put_buffer(governed, code)
    proposal = due(governed, upgrade_to(code))
    other = address("program of a stranger")
    governed.cluster.add_program(other)
    set_upgrade_authority(governed.cluster, GOVERNANCE, of=other)
    governed.cluster.skip_slots(1)
    metas = remaining_accounts(governed.read(Proposal, proposal))
    metas[place] = AccountMeta((program_data(other), other)[place], is_signer=False, is_writable=True)
    with expect(errors.WrongAction):
        upgrade(governed, proposal, metas=metas)


@pytest.mark.parametrize("place", range(6))
def test_upgrade_program__another_account__is_refused(governed: World, place: int) -> None:
    code = second_build()
    put_buffer(governed, code)
    other = address("other account")
    data = governed.cluster.account(BUFFER)
    assert data is not None
    governed.cluster.set_account(other, data)
    proposal = due(governed, upgrade_to(code))
    governed.cluster.skip_slots(1)
    metas = remaining_accounts(governed.read(Proposal, proposal))
    metas[place] = type(metas[place])(other, is_signer=False, is_writable=metas[place].is_writable)
    with expect_refusal():
        upgrade(governed, proposal, metas=metas)
