"""One projection step for each event of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anchor_client.generated.events import (
    AuthorityHandedOver,
    CatalogInitialized,
    ChallengerWithdrawn,
    ChargesSet,
    DisputeResolved,
    EpochAdvanced,
    FeesSwept,
    GpuPointsSet,
    HostApproved,
    HostCounted,
    HostHeartbeat,
    HostRegistered,
    HostScored,
    HostUpdated,
    IssueReported,
    ListingClosed,
    ListingCreated,
    ListingUpdated,
    MarketInitialized,
    MarketKeyUpdated,
    MarketUpdated,
    MeterClosed,
    MeterEnded,
    MeterOpened,
    MeterSettled,
    MfpLocked,
    MfpUnlocked,
    MfpWithdrawn,
    PauseChanged,
    PaymentMintAdded,
    PaymentMintUpdated,
    PointsRefreshed,
    PoolInitialized,
    PricePosted,
    ProposalCancelled,
    ProposalCreated,
    ProposalDecided,
    ProposalExecuted,
    RentalAccepted,
    RentalClosed,
    RentalExtended,
    RentalOpened,
    RentalPreempting,
    RentalRated,
    RentalSettled,
    RentalStarted,
    RentalTookOver,
    RenterRegistered,
    RequestCancelled,
    RequestExpired,
    RequestMatched,
    RequestOpened,
    RewardMintAdded,
    RewardsClaimed,
    RewardsCompounded,
    RewardsFunded,
    StakeClosed,
    Staked,
    StakersSwept,
    StakeWithdrawn,
    SubsidyFunded,
    Unstaked,
    UsageAccepted,
    UsageDisputed,
    UsageReported,
    VaultAdded,
    VoteCast,
    VoteClosed,
)
from anchor_idl.runtime.structs import Event
from indexer.handlers.on_authority_handed_over import on_authority_handed_over
from indexer.handlers.on_catalog_initialized import on_catalog_initialized
from indexer.handlers.on_challenger_withdrawn import on_challenger_withdrawn
from indexer.handlers.on_charges_set import on_charges_set
from indexer.handlers.on_dispute_resolved import on_dispute_resolved
from indexer.handlers.on_epoch_advanced import on_epoch_advanced
from indexer.handlers.on_fees_swept import on_fees_swept
from indexer.handlers.on_gpu_points_set import on_gpu_points_set
from indexer.handlers.on_host_approved import on_host_approved
from indexer.handlers.on_host_counted import on_host_counted
from indexer.handlers.on_host_heartbeat import on_host_heartbeat
from indexer.handlers.on_host_registered import on_host_registered
from indexer.handlers.on_host_scored import on_host_scored
from indexer.handlers.on_host_updated import on_host_updated
from indexer.handlers.on_issue_reported import on_issue_reported
from indexer.handlers.on_listing_closed import on_listing_closed
from indexer.handlers.on_listing_created import on_listing_created
from indexer.handlers.on_listing_updated import on_listing_updated
from indexer.handlers.on_market_initialized import on_market_initialized
from indexer.handlers.on_market_key_updated import on_market_key_updated
from indexer.handlers.on_market_updated import on_market_updated
from indexer.handlers.on_meter_closed import on_meter_closed
from indexer.handlers.on_meter_ended import on_meter_ended
from indexer.handlers.on_meter_opened import on_meter_opened
from indexer.handlers.on_meter_settled import on_meter_settled
from indexer.handlers.on_mfp_locked import on_mfp_locked
from indexer.handlers.on_mfp_unlocked import on_mfp_unlocked
from indexer.handlers.on_mfp_withdrawn import on_mfp_withdrawn
from indexer.handlers.on_pause_changed import on_pause_changed
from indexer.handlers.on_payment_mint_added import on_payment_mint_added
from indexer.handlers.on_payment_mint_updated import on_payment_mint_updated
from indexer.handlers.on_points_refreshed import on_points_refreshed
from indexer.handlers.on_pool_initialized import on_pool_initialized
from indexer.handlers.on_price_posted import on_price_posted
from indexer.handlers.on_proposal_cancelled import on_proposal_cancelled
from indexer.handlers.on_proposal_created import on_proposal_created
from indexer.handlers.on_proposal_decided import on_proposal_decided
from indexer.handlers.on_proposal_executed import on_proposal_executed
from indexer.handlers.on_rental_accepted import on_rental_accepted
from indexer.handlers.on_rental_closed import on_rental_closed
from indexer.handlers.on_rental_extended import on_rental_extended
from indexer.handlers.on_rental_opened import on_rental_opened
from indexer.handlers.on_rental_preempting import on_rental_preempting
from indexer.handlers.on_rental_rated import on_rental_rated
from indexer.handlers.on_rental_settled import on_rental_settled
from indexer.handlers.on_rental_started import on_rental_started
from indexer.handlers.on_rental_took_over import on_rental_took_over
from indexer.handlers.on_renter_registered import on_renter_registered
from indexer.handlers.on_request_cancelled import on_request_cancelled
from indexer.handlers.on_request_expired import on_request_expired
from indexer.handlers.on_request_matched import on_request_matched
from indexer.handlers.on_request_opened import on_request_opened
from indexer.handlers.on_reward_mint_added import on_reward_mint_added
from indexer.handlers.on_rewards_claimed import on_rewards_claimed
from indexer.handlers.on_rewards_compounded import on_rewards_compounded
from indexer.handlers.on_rewards_funded import on_rewards_funded
from indexer.handlers.on_stake_closed import on_stake_closed
from indexer.handlers.on_stake_withdrawn import on_stake_withdrawn
from indexer.handlers.on_staked import on_staked
from indexer.handlers.on_stakers_swept import on_stakers_swept
from indexer.handlers.on_subsidy_funded import on_subsidy_funded
from indexer.handlers.on_unstaked import on_unstaked
from indexer.handlers.on_usage_accepted import on_usage_accepted
from indexer.handlers.on_usage_disputed import on_usage_disputed
from indexer.handlers.on_usage_reported import on_usage_reported
from indexer.handlers.on_vault_added import on_vault_added
from indexer.handlers.on_vote_cast import on_vote_cast
from indexer.handlers.on_vote_closed import on_vote_closed
from indexer.handlers.step import Step

__all__ = ["HANDLERS", "Handler", "Step"]

Handler = Callable[[Any, Step], None]

HANDLERS: Mapping[type[Event], Handler] = {
    CatalogInitialized: on_catalog_initialized,
    ChallengerWithdrawn: on_challenger_withdrawn,
    ChargesSet: on_charges_set,
    DisputeResolved: on_dispute_resolved,
    MeterClosed: on_meter_closed,
    MeterEnded: on_meter_ended,
    MeterOpened: on_meter_opened,
    MeterSettled: on_meter_settled,
    UsageAccepted: on_usage_accepted,
    UsageDisputed: on_usage_disputed,
    UsageReported: on_usage_reported,
    EpochAdvanced: on_epoch_advanced,
    FeesSwept: on_fees_swept,
    GpuPointsSet: on_gpu_points_set,
    HostApproved: on_host_approved,
    HostCounted: on_host_counted,
    HostHeartbeat: on_host_heartbeat,
    HostRegistered: on_host_registered,
    HostScored: on_host_scored,
    HostUpdated: on_host_updated,
    IssueReported: on_issue_reported,
    ListingClosed: on_listing_closed,
    ListingCreated: on_listing_created,
    ListingUpdated: on_listing_updated,
    MarketInitialized: on_market_initialized,
    MarketKeyUpdated: on_market_key_updated,
    MarketUpdated: on_market_updated,
    MfpLocked: on_mfp_locked,
    MfpUnlocked: on_mfp_unlocked,
    MfpWithdrawn: on_mfp_withdrawn,
    PauseChanged: on_pause_changed,
    PaymentMintAdded: on_payment_mint_added,
    PaymentMintUpdated: on_payment_mint_updated,
    PointsRefreshed: on_points_refreshed,
    PoolInitialized: on_pool_initialized,
    PricePosted: on_price_posted,
    RentalAccepted: on_rental_accepted,
    RentalClosed: on_rental_closed,
    RentalExtended: on_rental_extended,
    RentalOpened: on_rental_opened,
    RentalPreempting: on_rental_preempting,
    RentalRated: on_rental_rated,
    RentalSettled: on_rental_settled,
    RentalStarted: on_rental_started,
    RentalTookOver: on_rental_took_over,
    RenterRegistered: on_renter_registered,
    RewardMintAdded: on_reward_mint_added,
    RewardsClaimed: on_rewards_claimed,
    RewardsCompounded: on_rewards_compounded,
    RewardsFunded: on_rewards_funded,
    StakeClosed: on_stake_closed,
    StakeWithdrawn: on_stake_withdrawn,
    Staked: on_staked,
    StakersSwept: on_stakers_swept,
    RequestCancelled: on_request_cancelled,
    RequestExpired: on_request_expired,
    RequestMatched: on_request_matched,
    RequestOpened: on_request_opened,
    SubsidyFunded: on_subsidy_funded,
    Unstaked: on_unstaked,
    VaultAdded: on_vault_added,
    AuthorityHandedOver: on_authority_handed_over,
    ProposalCancelled: on_proposal_cancelled,
    ProposalCreated: on_proposal_created,
    ProposalDecided: on_proposal_decided,
    ProposalExecuted: on_proposal_executed,
    VoteCast: on_vote_cast,
    VoteClosed: on_vote_closed,
}
