"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Account


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Market(Account):
    """The market's one configuration account, at seeds `"market"`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("dbbed53700e3c69a")
    SIZE: ClassVar[int] = 456
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "paused": 10,
            "market_decimals": 11,
            "testing": 12,
            "reserved_flags": 13,
            "authority": 16,
            "guardian": 48,
            "market_mint": 80,
            "treasury": 112,
            "seq": 144,
            "order_min_usd": 152,
            "tip_lamports": 160,
            "min_duration": 164,
            "max_duration": 168,
            "provision_timeout": 172,
            "offline_after": 174,
            "on_demand_fee_bps": 176,
            "reserved_fee_bps": 178,
            "spot_fee_bps": 180,
            "reserved_discount_bps": 182,
            "holdback_bps": 184,
            "fee_burn_bps": 186,
            "fee_stakers_bps": 188,
            "spot_grace": 190,
            "next_proposal": 192,
            "priority_stake": 200,
            "quota_stake_step": 208,
            "quota_spend_step": 216,
            "reputation_prior_usd": 224,
            "mfp_per_point": 232,
            "proposal_stake": 240,
            "epoch_seconds": 248,
            "mfp_unlock_delay": 252,
            "voting_period": 256,
            "timelock": 260,
            "charge_window": 264,
            "min_rated_seconds": 268,
            "reputation_interval": 272,
            "spot_increment_bps": 276,
            "priority_window": 278,
            "quota_base": 280,
            "quota_region_base": 282,
            "quorum_bps": 284,
            "threshold_bps": 286,
            "holdback_window": 288,
            "min_charge_seconds": 292,
            "provision_promise": 294,
            "answer_window": 296,
            "answer_slots": 298,
            "critical_timelock": 300,
            "guardian_paused_until": 304,
            "votes_end_at": 328,
            "critical_quorum_bps": 336,
            "critical_threshold_bps": 338,
            "reserved": 340,
            "reserved_late": 404,
            "reserved_middle": 428,
            "extend_tolerance_bps": 440,
            "post_step_bps": 442,
            "min_post_interval": 444,
            "subsidy_max_hours": 446,
            "finish_window": 448,
            "subsidy_daily_bps": 452,
            "reserved_tail": 454,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        paused=layouts.U8,
        market_decimals=layouts.U8,
        testing=layouts.U8,
        reserved_flags=layouts.byte_array(3),
        authority=layouts.PUBKEY,
        guardian=layouts.PUBKEY,
        market_mint=layouts.PUBKEY,
        treasury=layouts.PUBKEY,
        seq=layouts.U64,
        order_min_usd=layouts.U64,
        tip_lamports=layouts.U32,
        min_duration=layouts.U32,
        max_duration=layouts.U32,
        provision_timeout=layouts.U16,
        offline_after=layouts.U16,
        on_demand_fee_bps=layouts.U16,
        reserved_fee_bps=layouts.U16,
        spot_fee_bps=layouts.U16,
        reserved_discount_bps=layouts.U16,
        holdback_bps=layouts.U16,
        fee_burn_bps=layouts.U16,
        fee_stakers_bps=layouts.U16,
        spot_grace=layouts.U16,
        next_proposal=layouts.U64,
        priority_stake=layouts.U64,
        quota_stake_step=layouts.U64,
        quota_spend_step=layouts.U64,
        reputation_prior_usd=layouts.U64,
        mfp_per_point=layouts.U64,
        proposal_stake=layouts.U64,
        epoch_seconds=layouts.U32,
        mfp_unlock_delay=layouts.U32,
        voting_period=layouts.U32,
        timelock=layouts.U32,
        charge_window=layouts.U32,
        min_rated_seconds=layouts.U32,
        reputation_interval=layouts.U32,
        spot_increment_bps=layouts.U16,
        priority_window=layouts.U16,
        quota_base=layouts.U16,
        quota_region_base=layouts.U16,
        quorum_bps=layouts.U16,
        threshold_bps=layouts.U16,
        holdback_window=layouts.U32,
        min_charge_seconds=layouts.U16,
        provision_promise=layouts.U16,
        answer_window=layouts.U16,
        answer_slots=layouts.U16,
        critical_timelock=layouts.U32,
        guardian_paused_until=layouts.array(3, layouts.I64),
        votes_end_at=layouts.I64,
        critical_quorum_bps=layouts.U16,
        critical_threshold_bps=layouts.U16,
        reserved=layouts.byte_array(64),
        reserved_late=layouts.byte_array(24),
        reserved_middle=layouts.byte_array(12),
        extend_tolerance_bps=layouts.U16,
        post_step_bps=layouts.U16,
        min_post_interval=layouts.U16,
        subsidy_max_hours=layouts.U16,
        finish_window=layouts.U32,
        subsidy_daily_bps=layouts.U16,
        reserved_tail=layouts.byte_array(2),
    )

    version: int
    bump: int
    paused: int
    """One bit an area that the authority has paused, see [`PauseArea`]."""
    market_decimals: int
    testing: int
    """True if it opened as a market for tests, whose parameters have wider bounds; for ever."""
    reserved_flags: bytes
    authority: Pubkey
    """May change parameters, mints and hosts."""
    guardian: Pubkey
    """May pause for a while and veto critical proposals, and nothing else."""
    market_mint: Pubkey
    treasury: Pubkey
    """Wallet whose token accounts take the treasury's share of fees."""
    seq: int
    order_min_usd: int
    tip_lamports: int
    min_duration: int
    max_duration: int
    provision_timeout: int
    offline_after: int
    on_demand_fee_bps: int
    reserved_fee_bps: int
    spot_fee_bps: int
    reserved_discount_bps: int
    holdback_bps: int
    fee_burn_bps: int
    """Share of fees in the market token that is burned."""
    fee_stakers_bps: int
    """Share of fees that waits for the stakers' reward stream."""
    spot_grace: int
    """Seconds that a spot holder keeps the machine after a challenger came."""
    next_proposal: int
    """Number of the next proposal."""
    priority_stake: int
    """Active stake, in base units, that opens a priority window."""
    quota_stake_step: int
    """Active stake, in base units, for one more rental at a time; zero gives none."""
    quota_spend_step: int
    """Lifetime spend without subsidies, in micro-USD, for one more rental at a time; zero gives none."""
    reputation_prior_usd: int
    """Micro-USD that renters have paid themselves at which each part of a host's score is half its own share and half
    the prior.
    """
    mfp_per_point: int
    """Market tokens, in base units, that a host locks per GPU point to pay no extra fee."""
    proposal_stake: int
    """Active stake, in base units, that may make a proposal; less where it is more than a share of all stake."""
    epoch_seconds: int
    mfp_unlock_delay: int
    voting_period: int
    timelock: int
    charge_window: int
    """Seconds in which a renter may dispute reported usage."""
    min_rated_seconds: int
    """Seconds that a rental must have run to be rated."""
    reputation_interval: int
    """Seconds between two scores of one host."""
    spot_increment_bps: int
    """Least distance of a bid above the one it beats."""
    priority_window: int
    """Seconds after a machine falls idle in which only stakers take it."""
    quota_base: int
    """Rentals at a time of a wallet without stake and history."""
    quota_region_base: int
    """The same within one region."""
    quorum_bps: int
    """Share of the active stake that must vote."""
    threshold_bps: int
    """Share of the votes that must be in favour."""
    holdback_window: int
    """Seconds of use, up to the latest, whose holdback is at risk."""
    min_charge_seconds: int
    """Least seconds that a renter pays for once their rental has started."""
    provision_promise: int
    """Seconds after an order in which a host that has not started is still paid for preparing."""
    answer_window: int
    """Seconds and slots that a marked host has to be heard from."""
    answer_slots: int
    critical_timelock: int
    """The timelock, quorum and threshold of critical proposals, where they are above the ordinary ones."""
    guardian_paused_until: tuple[int, ...]
    """Until when the guardian has paused each area; zero before the first time."""
    votes_end_at: int
    """Latest end of all votes that were ever opened: until then some stake may be held in place."""
    critical_quorum_bps: int
    critical_threshold_bps: int
    reserved: bytes
    reserved_late: bytes
    reserved_middle: bytes
    extend_tolerance_bps: int
    """Most that a rental's rates may differ from today's for it to be extended."""
    post_step_bps: int
    """Most that one post may move a price."""
    min_post_interval: int
    """Seconds after a post in which the next may not move the price."""
    subsidy_max_hours: int
    """Hours of a rental whose whole price is subsidised: what is longer has the same sum spread over it."""
    finish_window: int
    """Seconds in which a renter may contest that their command has ended."""
    subsidy_daily_bps: int
    """Share of each vault's subsidy pool that may leave it in a day."""
    reserved_tail: bytes
