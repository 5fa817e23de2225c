"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.errors import UnknownInstruction
from anchor_idl.runtime.instructions import DecodedInstruction, InstructionSpec

from ..program import PROGRAM_ID
from .accept_rental import SPEC as _accept_rental
from .accept_rental import accept_rental
from .accept_usage import SPEC as _accept_usage
from .accept_usage import accept_usage
from .add_payment_mint import SPEC as _add_payment_mint
from .add_payment_mint import add_payment_mint
from .add_reward_mint import SPEC as _add_reward_mint
from .add_reward_mint import add_reward_mint
from .add_vault import SPEC as _add_vault
from .add_vault import add_vault
from .advance_epoch import SPEC as _advance_epoch
from .advance_epoch import advance_epoch
from .approve_host import SPEC as _approve_host
from .approve_host import approve_host
from .cancel_proposal import SPEC as _cancel_proposal
from .cancel_proposal import cancel_proposal
from .cancel_rental import SPEC as _cancel_rental
from .cancel_rental import cancel_rental
from .cancel_request import SPEC as _cancel_request
from .cancel_request import cancel_request
from .cancel_unstarted import SPEC as _cancel_unstarted
from .cancel_unstarted import cancel_unstarted
from .claim import SPEC as _claim
from .claim import claim
from .close_listing import SPEC as _close_listing
from .close_listing import close_listing
from .close_meter import SPEC as _close_meter
from .close_meter import close_meter
from .close_stake import SPEC as _close_stake
from .close_stake import close_stake
from .close_vote import SPEC as _close_vote
from .close_vote import close_vote
from .compound import SPEC as _compound
from .compound import compound
from .create_listing import SPEC as _create_listing
from .create_listing import create_listing
from .create_proposal import SPEC as _create_proposal
from .create_proposal import create_proposal
from .dispute_usage import SPEC as _dispute_usage
from .dispute_usage import dispute_usage
from .end_meter import SPEC as _end_meter
from .end_meter import end_meter
from .execute_proposal import SPEC as _execute_proposal
from .execute_proposal import execute_proposal
from .expire_request import SPEC as _expire_request
from .expire_request import expire_request
from .extend_rental import SPEC as _extend_rental
from .extend_rental import extend_rental
from .finalize_rental import SPEC as _finalize_rental
from .finalize_rental import finalize_rental
from .fund_rewards import SPEC as _fund_rewards
from .fund_rewards import fund_rewards
from .fund_subsidy import SPEC as _fund_subsidy
from .fund_subsidy import fund_subsidy
from .hand_over import SPEC as _hand_over
from .hand_over import hand_over
from .heartbeat import SPEC as _heartbeat
from .heartbeat import heartbeat
from .initialize_catalog import SPEC as _initialize_catalog
from .initialize_catalog import initialize_catalog
from .initialize_market import SPEC as _initialize_market
from .initialize_market import initialize_market
from .initialize_pool import SPEC as _initialize_pool
from .initialize_pool import initialize_pool
from .lock_mfp import SPEC as _lock_mfp
from .lock_mfp import lock_mfp
from .match_request import SPEC as _match_request
from .match_request import match_request
from .open_meter import SPEC as _open_meter
from .open_meter import open_meter
from .open_rental import SPEC as _open_rental
from .open_rental import open_rental
from .open_request import SPEC as _open_request
from .open_request import open_request
from .outbid import SPEC as _outbid
from .outbid import outbid
from .place_bid import SPEC as _place_bid
from .place_bid import place_bid
from .post_price import SPEC as _post_price
from .post_price import post_price
from .preempt import SPEC as _preempt
from .preempt import preempt
from .queue_proposal import SPEC as _queue_proposal
from .queue_proposal import queue_proposal
from .rate_rental import SPEC as _rate_rental
from .rate_rental import rate_rental
from .refresh_points import SPEC as _refresh_points
from .refresh_points import refresh_points
from .register_host import SPEC as _register_host
from .register_host import register_host
from .register_renter import SPEC as _register_renter
from .register_renter import register_renter
from .report_issue import SPEC as _report_issue
from .report_issue import report_issue
from .report_offline import SPEC as _report_offline
from .report_offline import report_offline
from .report_usage import SPEC as _report_usage
from .report_usage import report_usage
from .resolve_dispute import SPEC as _resolve_dispute
from .resolve_dispute import resolve_dispute
from .set_charges import SPEC as _set_charges
from .set_charges import set_charges
from .set_gpu_points import SPEC as _set_gpu_points
from .set_gpu_points import set_gpu_points
from .set_paused import SPEC as _set_paused
from .set_paused import set_paused
from .settle_meter import SPEC as _settle_meter
from .settle_meter import settle_meter
from .settle_rental import SPEC as _settle_rental
from .settle_rental import settle_rental
from .stake import SPEC as _stake
from .stake import stake
from .start_rental import SPEC as _start_rental
from .start_rental import start_rental
from .stop_rental import SPEC as _stop_rental
from .stop_rental import stop_rental
from .sweep_fees import SPEC as _sweep_fees
from .sweep_fees import sweep_fees
from .sweep_stakers import SPEC as _sweep_stakers
from .sweep_stakers import sweep_stakers
from .take_over import SPEC as _take_over
from .take_over import take_over
from .unlock_mfp import SPEC as _unlock_mfp
from .unlock_mfp import unlock_mfp
from .unstake import SPEC as _unstake
from .unstake import unstake
from .update_host import SPEC as _update_host
from .update_host import update_host
from .update_listing import SPEC as _update_listing
from .update_listing import update_listing
from .update_market import SPEC as _update_market
from .update_market import update_market
from .update_market_key import SPEC as _update_market_key
from .update_market_key import update_market_key
from .update_payment_mint import SPEC as _update_payment_mint
from .update_payment_mint import update_payment_mint
from .update_reputation import SPEC as _update_reputation
from .update_reputation import update_reputation
from .vote import SPEC as _vote
from .vote import vote
from .withdraw_challenger import SPEC as _withdraw_challenger
from .withdraw_challenger import withdraw_challenger
from .withdraw_mfp import SPEC as _withdraw_mfp
from .withdraw_mfp import withdraw_mfp
from .withdraw_stake import SPEC as _withdraw_stake
from .withdraw_stake import withdraw_stake

__all__ = [
    "INSTRUCTIONS",
    "DecodedInstruction",
    "UnknownInstruction",
    "accept_rental",
    "accept_usage",
    "add_payment_mint",
    "add_reward_mint",
    "add_vault",
    "advance_epoch",
    "approve_host",
    "cancel_proposal",
    "cancel_rental",
    "cancel_request",
    "cancel_unstarted",
    "claim",
    "close_listing",
    "close_meter",
    "close_stake",
    "close_vote",
    "compound",
    "create_listing",
    "create_proposal",
    "decode_instruction",
    "dispute_usage",
    "end_meter",
    "execute_proposal",
    "expire_request",
    "extend_rental",
    "finalize_rental",
    "fund_rewards",
    "fund_subsidy",
    "hand_over",
    "heartbeat",
    "initialize_catalog",
    "initialize_market",
    "initialize_pool",
    "lock_mfp",
    "match_request",
    "open_meter",
    "open_rental",
    "open_request",
    "outbid",
    "place_bid",
    "post_price",
    "preempt",
    "queue_proposal",
    "rate_rental",
    "refresh_points",
    "register_host",
    "register_renter",
    "report_issue",
    "report_offline",
    "report_usage",
    "resolve_dispute",
    "set_charges",
    "set_gpu_points",
    "set_paused",
    "settle_meter",
    "settle_rental",
    "stake",
    "start_rental",
    "stop_rental",
    "sweep_fees",
    "sweep_stakers",
    "take_over",
    "unlock_mfp",
    "unstake",
    "update_host",
    "update_listing",
    "update_market",
    "update_market_key",
    "update_payment_mint",
    "update_reputation",
    "vote",
    "withdraw_challenger",
    "withdraw_mfp",
    "withdraw_stake",
]


INSTRUCTIONS: Final[Mapping[bytes, InstructionSpec]] = MappingProxyType(
    {
        spec.discriminator: spec
        for spec in (
            _accept_rental,
            _accept_usage,
            _add_payment_mint,
            _add_reward_mint,
            _add_vault,
            _advance_epoch,
            _approve_host,
            _cancel_proposal,
            _cancel_rental,
            _cancel_request,
            _cancel_unstarted,
            _claim,
            _close_listing,
            _close_meter,
            _close_stake,
            _close_vote,
            _compound,
            _create_listing,
            _create_proposal,
            _dispute_usage,
            _end_meter,
            _execute_proposal,
            _expire_request,
            _extend_rental,
            _finalize_rental,
            _fund_rewards,
            _fund_subsidy,
            _hand_over,
            _heartbeat,
            _initialize_catalog,
            _initialize_market,
            _initialize_pool,
            _lock_mfp,
            _match_request,
            _open_meter,
            _open_rental,
            _open_request,
            _outbid,
            _place_bid,
            _post_price,
            _preempt,
            _queue_proposal,
            _rate_rental,
            _refresh_points,
            _register_host,
            _register_renter,
            _report_issue,
            _report_offline,
            _report_usage,
            _resolve_dispute,
            _set_charges,
            _set_gpu_points,
            _set_paused,
            _settle_meter,
            _settle_rental,
            _stake,
            _start_rental,
            _stop_rental,
            _sweep_fees,
            _sweep_stakers,
            _take_over,
            _unlock_mfp,
            _unstake,
            _update_host,
            _update_listing,
            _update_market,
            _update_market_key,
            _update_payment_mint,
            _update_reputation,
            _vote,
            _withdraw_challenger,
            _withdraw_mfp,
            _withdraw_stake,
        )
    }
)


def decode_instruction(instruction: Instruction, program_id: Pubkey = PROGRAM_ID) -> DecodedInstruction:
    """Takes an instruction apart.

    Raises UnknownInstruction if it is another program's or has no known discriminator, MissingAccount if it has too
    few accounts, LayoutTooShort or InvalidValue if its arguments cannot be read.
    """
    if instruction.program_id != program_id:
        raise UnknownInstruction(f"the instruction is one of {instruction.program_id}, not of {program_id}")
    data = bytes(instruction.data)
    spec = entry_for(INSTRUCTIONS, data)
    if spec is None:
        raise UnknownInstruction(f"no instruction starts with {data[:8].hex() or 'nothing'}")
    return spec.of(instruction)
