"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.errors import UnknownInstruction
from anchor_idl.runtime.lazy import LazyTable, importer

from ..program import PROGRAM_ID

if TYPE_CHECKING:
    from anchor_idl.runtime.instructions import DecodedInstruction, InstructionSpec

INSTRUCTIONS: Final[Mapping[bytes, InstructionSpec]] = LazyTable(
    __name__,
    {
        bytes.fromhex("c0ddf1d48da12492"): ("_accept_rental", "SPEC"),
        bytes.fromhex("32f46efe6260f553"): ("_accept_usage", "SPEC"),
        bytes.fromhex("7a9509ba15c93cf1"): ("_add_payment_mint", "SPEC"),
        bytes.fromhex("49d4f733d03eacbc"): ("_add_reward_mint", "SPEC"),
        bytes.fromhex("84c55fab592ca582"): ("_add_vault", "SPEC"),
        bytes.fromhex("5d8aeadaf1e68426"): ("_advance_epoch", "SPEC"),
        bytes.fromhex("af3a017c256337a9"): ("_approve_host", "SPEC"),
        bytes.fromhex("6a4a809213412717"): ("_cancel_proposal", "SPEC"),
        bytes.fromhex("61cc3f0854221c2b"): ("_cancel_rental", "SPEC"),
        bytes.fromhex("41c4b1f753972182"): ("_cancel_request", "SPEC"),
        bytes.fromhex("fb0e7c9b2c8509c8"): ("_cancel_unstarted", "SPEC"),
        bytes.fromhex("3ec6d6c1d59f6cd2"): ("_claim", "SPEC"),
        bytes.fromhex("7ff0843ee3c69285"): ("_claim_payout", "SPEC"),
        bytes.fromhex("0f101ea1ffe4613c"): ("_claim_refund", "SPEC"),
        bytes.fromhex("210fc0514eaf9f61"): ("_close_listing", "SPEC"),
        bytes.fromhex("6640c5d0bf5099a0"): ("_close_meter", "SPEC"),
        bytes.fromhex("d5b28b1332bf52f5"): ("_close_proposal", "SPEC"),
        bytes.fromhex("906da6d73df78b0f"): ("_close_renter", "SPEC"),
        bytes.fromhex("5ce54c4c191abdef"): ("_close_stake", "SPEC"),
        bytes.fromhex("899857f9aaef853b"): ("_close_vote", "SPEC"),
        bytes.fromhex("a5d0fb4ef2a08d2f"): ("_compound", "SPEC"),
        bytes.fromhex("b4956de9db725fcc"): ("_contest_finish", "SPEC"),
        bytes.fromhex("12a82d18bf1f7536"): ("_create_listing", "SPEC"),
        bytes.fromhex("847444aed8a0c616"): ("_create_proposal", "SPEC"),
        bytes.fromhex("808f391c2e4c8284"): ("_dispute_usage", "SPEC"),
        bytes.fromhex("ba3c74856c806f1c"): ("_execute_proposal", "SPEC"),
        bytes.fromhex("dbbd6961e32f7c17"): ("_expire_request", "SPEC"),
        bytes.fromhex("f7e8618cb80eb8e0"): ("_extend_rental", "SPEC"),
        bytes.fromhex("3c258c089620ea45"): ("_finalize_rental", "SPEC"),
        bytes.fromhex("5927dff7d4736219"): ("_finish_rental", "SPEC"),
        bytes.fromhex("7240a370afa71379"): ("_fund_rewards", "SPEC"),
        bytes.fromhex("748b0e14c1a2c645"): ("_fund_subsidy", "SPEC"),
        bytes.fromhex("3ba0cd5851e063ed"): ("_hand_over", "SPEC"),
        bytes.fromhex("ca683806f0aa3f86"): ("_heartbeat", "SPEC"),
        bytes.fromhex("1ec34f37c50b666f"): ("_initialize_catalog", "SPEC"),
        bytes.fromhex("2323bdc19b30aacb"): ("_initialize_market", "SPEC"),
        bytes.fromhex("5fb40aac54aee828"): ("_initialize_pool", "SPEC"),
        bytes.fromhex("9666dbd8be82f88e"): ("_lock_mfp", "SPEC"),
        b";Be#fJdC": ("_mark_silent", "SPEC"),
        bytes.fromhex("7e3e41ec9b289507"): ("_match_request", "SPEC"),
        b"7G7~&&<z": ("_open_meter", "SPEC"),
        bytes.fromhex("b4dcec681929fe8e"): ("_open_rental", "SPEC"),
        bytes.fromhex("52d1c120e550e4c5"): ("_open_request", "SPEC"),
        bytes.fromhex("295ded53d3ba097a"): ("_outbid", "SPEC"),
        bytes.fromhex("ee4d945bc8975c92"): ("_place_bid", "SPEC"),
        bytes.fromhex("82f58a8d72320d30"): ("_post_price", "SPEC"),
        bytes.fromhex("a3bf536c57184bed"): ("_preempt", "SPEC"),
        bytes.fromhex("a8db8bd3cd987d6e"): ("_queue_proposal", "SPEC"),
        bytes.fromhex("283fd13c7e873163"): ("_rate_rental", "SPEC"),
        bytes.fromhex("54d5c8bc8ef00c1e"): ("_refresh_listing", "SPEC"),
        bytes.fromhex("fe933d3afd6f5ec8"): ("_register_host", "SPEC"),
        bytes.fromhex("7f2ad354685873bc"): ("_register_renter", "SPEC"),
        bytes.fromhex("caac6ac513dea1d7"): ("_release_holdback", "SPEC"),
        bytes.fromhex("3ae9ad0c679853e7"): ("_report_issue", "SPEC"),
        bytes.fromhex("86dd8518ea4b4cdb"): ("_report_offline", "SPEC"),
        bytes.fromhex("4152de6107438452"): ("_report_usage", "SPEC"),
        bytes.fromhex("e706ca0660670ce6"): ("_resolve_dispute", "SPEC"),
        bytes.fromhex("c1e5bdce6dc0a195"): ("_set_charges", "SPEC"),
        bytes.fromhex("3eaead1debe58948"): ("_set_gpu_model", "SPEC"),
        bytes.fromhex("ee9965a9f3832401"): ("_set_operator", "SPEC"),
        bytes.fromhex("5b3c7dc0b0e1a6da"): ("_set_paused", "SPEC"),
        bytes.fromhex("5a9229b8495c4488"): ("_settle_meter", "SPEC"),
        bytes.fromhex("95f1eedb44886e39"): ("_settle_rental", "SPEC"),
        bytes.fromhex("ceb0ca12c8d1b36c"): ("_stake", "SPEC"),
        bytes.fromhex("124de93c9a640e98"): ("_start_rental", "SPEC"),
        bytes.fromhex("f1b530c613bcf98e"): ("_stop_rental", "SPEC"),
        bytes.fromhex("afe1624776422294"): ("_sweep_fees", "SPEC"),
        bytes.fromhex("11ea3af1fb9487b9"): ("_sweep_rent", "SPEC"),
        bytes.fromhex("96e11eb9840abd6a"): ("_sweep_stakers", "SPEC"),
        bytes.fromhex("df96b266f1833b7d"): ("_take_over", "SPEC"),
        bytes.fromhex("c27dfc387c87a9de"): ("_unlock_mfp", "SPEC"),
        bytes.fromhex("5a5f6b2acd7c32e1"): ("_unstake", "SPEC"),
        bytes.fromhex("e92394efefbc62b4"): ("_update_host", "SPEC"),
        bytes.fromhex("c0aed2447428f2fd"): ("_update_listing", "SPEC"),
        bytes.fromhex("992702c5b332c7d9"): ("_update_market", "SPEC"),
        bytes.fromhex("46b7a5fdffcbee88"): ("_update_market_key", "SPEC"),
        bytes.fromhex("67c8645ae26ee920"): ("_update_payment_mint", "SPEC"),
        bytes.fromhex("c2dc2bc936d131b2"): ("_update_reputation", "SPEC"),
        bytes.fromhex("b1c5d060a94417a2"): ("_veto_proposal", "SPEC"),
        bytes.fromhex("e36e9b17887eac19"): ("_vote", "SPEC"),
        bytes.fromhex("d5759ed5b5552cbf"): ("_withdraw_challenger", "SPEC"),
        bytes.fromhex("2d0bfa34487d6c3a"): ("_withdraw_mfp", "SPEC"),
        bytes.fromhex("9908168a69b05742"): ("_withdraw_stake", "SPEC"),
        bytes.fromhex("202c7ff5ef034893"): ("_withdraw_unreserved", "SPEC"),
    },
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


if TYPE_CHECKING:
    from ._accept_rental import accept_rental as accept_rental
    from ._accept_usage import accept_usage as accept_usage
    from ._add_payment_mint import add_payment_mint as add_payment_mint
    from ._add_reward_mint import add_reward_mint as add_reward_mint
    from ._add_vault import add_vault as add_vault
    from ._advance_epoch import advance_epoch as advance_epoch
    from ._approve_host import approve_host as approve_host
    from ._cancel_proposal import cancel_proposal as cancel_proposal
    from ._cancel_rental import cancel_rental as cancel_rental
    from ._cancel_request import cancel_request as cancel_request
    from ._cancel_unstarted import cancel_unstarted as cancel_unstarted
    from ._claim import claim as claim
    from ._claim_payout import claim_payout as claim_payout
    from ._claim_refund import claim_refund as claim_refund
    from ._close_listing import close_listing as close_listing
    from ._close_meter import close_meter as close_meter
    from ._close_proposal import close_proposal as close_proposal
    from ._close_renter import close_renter as close_renter
    from ._close_stake import close_stake as close_stake
    from ._close_vote import close_vote as close_vote
    from ._compound import compound as compound
    from ._contest_finish import contest_finish as contest_finish
    from ._create_listing import create_listing as create_listing
    from ._create_proposal import create_proposal as create_proposal
    from ._dispute_usage import dispute_usage as dispute_usage
    from ._execute_proposal import execute_proposal as execute_proposal
    from ._expire_request import expire_request as expire_request
    from ._extend_rental import extend_rental as extend_rental
    from ._finalize_rental import finalize_rental as finalize_rental
    from ._finish_rental import finish_rental as finish_rental
    from ._fund_rewards import fund_rewards as fund_rewards
    from ._fund_subsidy import fund_subsidy as fund_subsidy
    from ._hand_over import hand_over as hand_over
    from ._heartbeat import heartbeat as heartbeat
    from ._initialize_catalog import initialize_catalog as initialize_catalog
    from ._initialize_market import initialize_market as initialize_market
    from ._initialize_pool import initialize_pool as initialize_pool
    from ._lock_mfp import lock_mfp as lock_mfp
    from ._mark_silent import mark_silent as mark_silent
    from ._match_request import match_request as match_request
    from ._open_meter import open_meter as open_meter
    from ._open_rental import open_rental as open_rental
    from ._open_request import open_request as open_request
    from ._outbid import outbid as outbid
    from ._place_bid import place_bid as place_bid
    from ._post_price import post_price as post_price
    from ._preempt import preempt as preempt
    from ._queue_proposal import queue_proposal as queue_proposal
    from ._rate_rental import rate_rental as rate_rental
    from ._refresh_listing import refresh_listing as refresh_listing
    from ._register_host import register_host as register_host
    from ._register_renter import register_renter as register_renter
    from ._release_holdback import release_holdback as release_holdback
    from ._report_issue import report_issue as report_issue
    from ._report_offline import report_offline as report_offline
    from ._report_usage import report_usage as report_usage
    from ._resolve_dispute import resolve_dispute as resolve_dispute
    from ._set_charges import set_charges as set_charges
    from ._set_gpu_model import set_gpu_model as set_gpu_model
    from ._set_operator import set_operator as set_operator
    from ._set_paused import set_paused as set_paused
    from ._settle_meter import settle_meter as settle_meter
    from ._settle_rental import settle_rental as settle_rental
    from ._stake import stake as stake
    from ._start_rental import start_rental as start_rental
    from ._stop_rental import stop_rental as stop_rental
    from ._sweep_fees import sweep_fees as sweep_fees
    from ._sweep_rent import sweep_rent as sweep_rent
    from ._sweep_stakers import sweep_stakers as sweep_stakers
    from ._take_over import take_over as take_over
    from ._unlock_mfp import unlock_mfp as unlock_mfp
    from ._unstake import unstake as unstake
    from ._update_host import update_host as update_host
    from ._update_listing import update_listing as update_listing
    from ._update_market import update_market as update_market
    from ._update_market_key import update_market_key as update_market_key
    from ._update_payment_mint import update_payment_mint as update_payment_mint
    from ._update_reputation import update_reputation as update_reputation
    from ._veto_proposal import veto_proposal as veto_proposal
    from ._vote import vote as vote
    from ._withdraw_challenger import withdraw_challenger as withdraw_challenger
    from ._withdraw_mfp import withdraw_mfp as withdraw_mfp
    from ._withdraw_stake import withdraw_stake as withdraw_stake
    from ._withdraw_unreserved import withdraw_unreserved as withdraw_unreserved
else:
    __getattr__ = importer(
        __name__,
        [
            ("_accept_rental", "accept_rental"),
            ("_accept_usage", "accept_usage"),
            ("_add_payment_mint", "add_payment_mint"),
            ("_add_reward_mint", "add_reward_mint"),
            ("_add_vault", "add_vault"),
            ("_advance_epoch", "advance_epoch"),
            ("_approve_host", "approve_host"),
            ("_cancel_proposal", "cancel_proposal"),
            ("_cancel_rental", "cancel_rental"),
            ("_cancel_request", "cancel_request"),
            ("_cancel_unstarted", "cancel_unstarted"),
            ("_claim", "claim"),
            ("_claim_payout", "claim_payout"),
            ("_claim_refund", "claim_refund"),
            ("_close_listing", "close_listing"),
            ("_close_meter", "close_meter"),
            ("_close_proposal", "close_proposal"),
            ("_close_renter", "close_renter"),
            ("_close_stake", "close_stake"),
            ("_close_vote", "close_vote"),
            ("_compound", "compound"),
            ("_contest_finish", "contest_finish"),
            ("_create_listing", "create_listing"),
            ("_create_proposal", "create_proposal"),
            ("_dispute_usage", "dispute_usage"),
            ("_execute_proposal", "execute_proposal"),
            ("_expire_request", "expire_request"),
            ("_extend_rental", "extend_rental"),
            ("_finalize_rental", "finalize_rental"),
            ("_finish_rental", "finish_rental"),
            ("_fund_rewards", "fund_rewards"),
            ("_fund_subsidy", "fund_subsidy"),
            ("_hand_over", "hand_over"),
            ("_heartbeat", "heartbeat"),
            ("_initialize_catalog", "initialize_catalog"),
            ("_initialize_market", "initialize_market"),
            ("_initialize_pool", "initialize_pool"),
            ("_lock_mfp", "lock_mfp"),
            ("_mark_silent", "mark_silent"),
            ("_match_request", "match_request"),
            ("_open_meter", "open_meter"),
            ("_open_rental", "open_rental"),
            ("_open_request", "open_request"),
            ("_outbid", "outbid"),
            ("_place_bid", "place_bid"),
            ("_post_price", "post_price"),
            ("_preempt", "preempt"),
            ("_queue_proposal", "queue_proposal"),
            ("_rate_rental", "rate_rental"),
            ("_refresh_listing", "refresh_listing"),
            ("_register_host", "register_host"),
            ("_register_renter", "register_renter"),
            ("_release_holdback", "release_holdback"),
            ("_report_issue", "report_issue"),
            ("_report_offline", "report_offline"),
            ("_report_usage", "report_usage"),
            ("_resolve_dispute", "resolve_dispute"),
            ("_set_charges", "set_charges"),
            ("_set_gpu_model", "set_gpu_model"),
            ("_set_operator", "set_operator"),
            ("_set_paused", "set_paused"),
            ("_settle_meter", "settle_meter"),
            ("_settle_rental", "settle_rental"),
            ("_stake", "stake"),
            ("_start_rental", "start_rental"),
            ("_stop_rental", "stop_rental"),
            ("_sweep_fees", "sweep_fees"),
            ("_sweep_rent", "sweep_rent"),
            ("_sweep_stakers", "sweep_stakers"),
            ("_take_over", "take_over"),
            ("_unlock_mfp", "unlock_mfp"),
            ("_unstake", "unstake"),
            ("_update_host", "update_host"),
            ("_update_listing", "update_listing"),
            ("_update_market", "update_market"),
            ("_update_market_key", "update_market_key"),
            ("_update_payment_mint", "update_payment_mint"),
            ("_update_reputation", "update_reputation"),
            ("_veto_proposal", "veto_proposal"),
            ("_vote", "vote"),
            ("_withdraw_challenger", "withdraw_challenger"),
            ("_withdraw_mfp", "withdraw_mfp"),
            ("_withdraw_stake", "withdraw_stake"),
            ("_withdraw_unreserved", "withdraw_unreserved"),
        ],
    )
