"""A proposal's action, and the accounts that executing it takes."""

from __future__ import annotations

from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.sysvar import CLOCK, RENT

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.pdas import (
    find_governance,
    find_gpu_model,
    find_market,
    find_payment_mint,
    find_pool,
    find_vault,
)
from anchor_client.generated.program import PROGRAM_ID, TOKEN_PROGRAM
from anchor_client.generated.types.action import (
    Action,
    ActionAddPaymentMint,
    ActionAddRewardMint,
    ActionApproveHost,
    ActionSetGpuModel,
    ActionSetKey,
    ActionSetParameter,
    ActionSetPaused,
    ActionTreasuryTransfer,
    ActionUpdatePaymentMint,
    ActionUpgradeProgram,
    ActionWithdrawUnreserved,
)
from anchor_client.payment_tokens import payout_account
from anchor_client.solana.account_metas import readable, writable
from anchor_client.solana.loader import LOADER_V3, program_data
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, create_associated_token
from anchor_idl.runtime import layouts

_LAYOUT: Final = layouts.tagged_union(Action)


def action_of(proposal: Proposal) -> Action:
    """The action that a proposal's bytes hold; ConstructError if this client does not know it."""
    action: Action = _LAYOUT.parse(bytes(proposal.action))
    return action


def remaining_accounts(proposal: Proposal, program_id: Pubkey = PROGRAM_ID) -> list[AccountMeta]:
    """The accounts that execute_proposal takes behind its own: those of the action, in its instruction's order."""
    market = find_market(program_id)[0]
    match action_of(proposal):
        case ActionSetParameter() | ActionSetKey() | ActionSetPaused():
            return [writable(market)]
        case ActionApproveHost(host=host):
            return [readable(market), writable(host)]
        case ActionAddPaymentMint(mint=mint):
            payment_mint = find_payment_mint(mint, program_id)[0]
            return [readable(market), readable(mint), writable(payment_mint), readable(SYSTEM_PROGRAM)]
        case ActionUpdatePaymentMint(payment_mint=payment_mint):
            return [readable(market), writable(payment_mint)]
        case ActionTreasuryTransfer(mint=mint, to=recipient):
            treasury = find_governance(program_id)[0]
            return [
                writable(associated_token(treasury, mint)),
                writable(payout_account(recipient, mint)),
                readable(TOKEN_PROGRAM),
            ]
        case ActionAddRewardMint(mint=mint):
            pool = find_pool(program_id)[0]
            return [readable(market), writable(pool), readable(mint), readable(associated_token(pool, mint))]
        case ActionSetGpuModel(number=number):
            return [readable(market), writable(find_gpu_model(number, program_id)[0]), readable(SYSTEM_PROGRAM)]
        case ActionWithdrawUnreserved(mint=mint, shard=shard):
            vault = find_vault(mint, shard, program_id)[0]
            accounts = (vault, associated_token(vault, mint), associated_token(find_governance(program_id)[0], mint))
            return [readable(market), *map(writable, accounts), readable(TOKEN_PROGRAM)]
        case ActionUpgradeProgram(buffer=buffer):
            code = [writable(key) for key in (program_data(program_id), program_id, buffer)]
            return [*code, readable(RENT), readable(CLOCK), readable(LOADER_V3)]
        case action:
            raise TypeError(f"{type(action).__name__} has no accounts")


def execution(proposal: Proposal, caller: Pubkey, program_id: Pubkey = PROGRAM_ID) -> list[Instruction]:
    """The instructions with which `caller` executes a proposal; token accounts are made if need be."""
    act = build.execute_proposal(
        caller=caller,
        proposal_data=proposal,
        program_id=program_id,
        remaining_accounts=remaining_accounts(proposal, program_id),
    )
    match action_of(proposal):
        case ActionTreasuryTransfer(mint=mint, to=recipient):
            if mint == NATIVE_MINT:
                makes = []
            else:
                makes = [create_associated_token(caller, recipient, mint)]
            return [*makes, act]
        case ActionAddRewardMint(mint=mint):
            return [create_associated_token(caller, find_pool(program_id)[0], mint), act]
        case ActionWithdrawUnreserved(mint=mint):
            return [create_associated_token(caller, find_governance(program_id)[0], mint), act]
    return [act]
