"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.errors import IdlError, UndecodableEvent, UnknownEvent
from anchor_idl.runtime.lazy import LazyTable, importer

if TYPE_CHECKING:
    from anchor_idl.runtime.structs import Event


EVENT_TAG: Final = bytes.fromhex("e445a52e51cb9a1d")
"""Prefix of an event in a self-CPI: sha256("anchor:event")[:8], reversed."""

EVENTS: Final[Mapping[bytes, type[Event]]] = LazyTable(
    __name__,
    {
        bytes.fromhex("ef06e473b3b9ab59"): ("authority_handed_over", "AuthorityHandedOver"),
        bytes.fromhex("7a4534b5bd679925"): ("catalog_initialized", "CatalogInitialized"),
        bytes.fromhex("022960fd1e4cc8e8"): ("challenger_withdrawn", "ChallengerWithdrawn"),
        bytes.fromhex("cea31f691f9e336e"): ("charges_set", "ChargesSet"),
        bytes.fromhex("7940f9998b80ecbb"): ("dispute_resolved", "DisputeResolved"),
        bytes.fromhex("29dc0e7b7546759d"): ("epoch_advanced", "EpochAdvanced"),
        bytes.fromhex("60da73884aaacaac"): ("fees_swept", "FeesSwept"),
        bytes.fromhex("23cb1e6af3facea2"): ("finish_contested", "FinishContested"),
        bytes.fromhex("d6ed116a16c31ef0"): ("gpu_model_set", "GpuModelSet"),
        bytes.fromhex("fcf29f8a249645f1"): ("holdback_released", "HoldbackReleased"),
        bytes.fromhex("1d25be93c69099e2"): ("holder_compensated", "HolderCompensated"),
        bytes.fromhex("30f5e2c4c72e0441"): ("host_approved", "HostApproved"),
        bytes.fromhex("29a576977e0b6748"): ("host_counted", "HostCounted"),
        bytes.fromhex("ebc391191101a447"): ("host_heartbeat", "HostHeartbeat"),
        bytes.fromhex("df96679ea1f2d5c8"): ("host_registered", "HostRegistered"),
        bytes.fromhex("2dc1b32dbd6ff973"): ("host_scored", "HostScored"),
        bytes.fromhex("ac79cdf4f432e1b1"): ("host_updated", "HostUpdated"),
        bytes.fromhex("be7a741d24225f6c"): ("issue_reported", "IssueReported"),
        bytes.fromhex("56dbfdc4b8c2b04e"): ("listing_closed", "ListingClosed"),
        bytes.fromhex("5ea4a7fff6ba0c60"): ("listing_created", "ListingCreated"),
        bytes.fromhex("7dc417690ce8cee4"): ("listing_marked", "ListingMarked"),
        bytes.fromhex("0fa88222b1651155"): ("listing_refreshed", "ListingRefreshed"),
        bytes.fromhex("bed7c78afff8623e"): ("listing_updated", "ListingUpdated"),
        bytes.fromhex("86a07a573203ff51"): ("market_initialized", "MarketInitialized"),
        bytes.fromhex("da1fce5d92e12495"): ("market_key_updated", "MarketKeyUpdated"),
        bytes.fromhex("aa334a9374a8d9fb"): ("market_updated", "MarketUpdated"),
        bytes.fromhex("a21ba10bea235bb9"): ("meter_closed", "MeterClosed"),
        bytes.fromhex("beefcef5d8b1b7b9"): ("meter_ended", "MeterEnded"),
        bytes.fromhex("9a6e427f0300da44"): ("meter_opened", "MeterOpened"),
        bytes.fromhex("ed37d14251f2f2ed"): ("meter_settled", "MeterSettled"),
        bytes.fromhex("b6110e500f35797c"): ("mfp_locked", "MfpLocked"),
        bytes.fromhex("3c2bfb4d1d772dfb"): ("mfp_unlocked", "MfpUnlocked"),
        bytes.fromhex("8487c2ced3e21185"): ("mfp_withdrawn", "MfpWithdrawn"),
        bytes.fromhex("bbf2a4ddd0f6b4b2"): ("operator_set", "OperatorSet"),
        bytes.fromhex("eebcd54e86d1b2da"): ("pause_changed", "PauseChanged"),
        bytes.fromhex("907a8570794b14c9"): ("payment_mint_added", "PaymentMintAdded"),
        bytes.fromhex("dcdf08e1d384f366"): ("payment_mint_updated", "PaymentMintUpdated"),
        bytes.fromhex("c8276970743f3a95"): ("payout_claimed", "PayoutClaimed"),
        bytes.fromhex("6476ad570cc6fee5"): ("pool_initialized", "PoolInitialized"),
        bytes.fromhex("a60df9c3fa91d5e5"): ("price_posted", "PricePosted"),
        bytes.fromhex("fd3b682e814e090e"): ("proposal_cancelled", "ProposalCancelled"),
        bytes.fromhex("395a2fa46937611b"): ("proposal_closed", "ProposalClosed"),
        bytes.fromhex("ba08a06c510d33ce"): ("proposal_created", "ProposalCreated"),
        bytes.fromhex("a790758f674c65eb"): ("proposal_decided", "ProposalDecided"),
        bytes.fromhex("5cd5bdc965536f53"): ("proposal_executed", "ProposalExecuted"),
        bytes.fromhex("b91d4d1786fb9b1b"): ("proposal_vetoed", "ProposalVetoed"),
        bytes.fromhex("8840f26304f4d082"): ("refund_claimed", "RefundClaimed"),
        bytes.fromhex("cb5605b151a70c19"): ("rent_swept", "RentSwept"),
        bytes.fromhex("48ed0f52b1b8f4c9"): ("rental_accepted", "RentalAccepted"),
        bytes.fromhex("4dfca505a81ded28"): ("rental_closed", "RentalClosed"),
        bytes.fromhex("992054281e23f64f"): ("rental_extended", "RentalExtended"),
        bytes.fromhex("e25595d9f6cec836"): ("rental_opened", "RentalOpened"),
        bytes.fromhex("d0b91fd1c3b1e903"): ("rental_preempting", "RentalPreempting"),
        bytes.fromhex("c7453a1b2f033c75"): ("rental_rated", "RentalRated"),
        bytes.fromhex("aa33b4f7ba7aa83b"): ("rental_settled", "RentalSettled"),
        bytes.fromhex("3d6314e8492128fc"): ("rental_started", "RentalStarted"),
        bytes.fromhex("1d31dda4e8544117"): ("rental_took_over", "RentalTookOver"),
        bytes.fromhex("d069778ff7020559"): ("renter_closed", "RenterClosed"),
        bytes.fromhex("b20b0daee36632a7"): ("renter_registered", "RenterRegistered"),
        bytes.fromhex("5b38c59c579dd643"): ("request_cancelled", "RequestCancelled"),
        bytes.fromhex("be3df7df596bf5fc"): ("request_expired", "RequestExpired"),
        bytes.fromhex("0591f49819ba9949"): ("request_matched", "RequestMatched"),
        bytes.fromhex("69d456616453c352"): ("request_opened", "RequestOpened"),
        bytes.fromhex("70cbd2fdd448bb71"): ("reward_mint_added", "RewardMintAdded"),
        bytes.fromhex("4b625812db705879"): ("rewards_claimed", "RewardsClaimed"),
        bytes.fromhex("91565e5e678fbd5f"): ("rewards_compounded", "RewardsCompounded"),
        bytes.fromhex("54e9f5cbe493a55c"): ("rewards_funded", "RewardsFunded"),
        bytes.fromhex("48a64d868b0cd6a0"): ("stake_closed", "StakeClosed"),
        bytes.fromhex("21789f3a8cffae4f"): ("stake_withdrawn", "StakeWithdrawn"),
        bytes.fromhex("0b922dcde63ad5f0"): ("staked", "Staked"),
        bytes.fromhex("dc84f969b6a85a80"): ("stakers_released", "StakersReleased"),
        bytes.fromhex("2568003f3561fea1"): ("stakers_swept", "StakersSwept"),
        bytes.fromhex("1d21a2168cd4d78c"): ("subsidy_funded", "SubsidyFunded"),
        bytes.fromhex("604ae3c6f980e6f6"): ("unreserved_withdrawn", "UnreservedWithdrawn"),
        bytes.fromhex("1bb39cd72f47c307"): ("unstaked", "Unstaked"),
        bytes.fromhex("641f26d837c6d389"): ("usage_accepted", "UsageAccepted"),
        bytes.fromhex("6d4a987c87e8402e"): ("usage_disputed", "UsageDisputed"),
        bytes.fromhex("7eb8f572f2360e63"): ("usage_reported", "UsageReported"),
        bytes.fromhex("8ead6c82faa8fb96"): ("vault_added", "VaultAdded"),
        bytes.fromhex("2735c368bc11e1d5"): ("vote_cast", "VoteCast"),
        bytes.fromhex("f0a78369a8571dae"): ("vote_closed", "VoteClosed"),
    },
)


def decode_event(data: bytes) -> Event:
    """The event whose discriminator the data starts with; UnknownEvent or UndecodableEvent."""
    kind = entry_for(EVENTS, data)
    if kind is None:
        raise UnknownEvent(f"no event starts with {bytes(data[:8]).hex() or 'nothing'}")
    try:
        return kind.decode(data)
    except IdlError as error:
        raise UndecodableEvent(str(error)) from error


def decode_cpi_event(data: bytes) -> Event:
    """The event in the data of a self-CPI; UnknownEvent if it does not start with EVENT_TAG, else as decode_event."""
    if data[: len(EVENT_TAG)] != EVENT_TAG:
        raise UnknownEvent("the data is no event's self-CPI")
    return decode_event(data[len(EVENT_TAG) :])


if TYPE_CHECKING:
    from .authority_handed_over import AuthorityHandedOver as AuthorityHandedOver
    from .catalog_initialized import CatalogInitialized as CatalogInitialized
    from .challenger_withdrawn import ChallengerWithdrawn as ChallengerWithdrawn
    from .charges_set import ChargesSet as ChargesSet
    from .dispute_resolved import DisputeResolved as DisputeResolved
    from .epoch_advanced import EpochAdvanced as EpochAdvanced
    from .fees_swept import FeesSwept as FeesSwept
    from .finish_contested import FinishContested as FinishContested
    from .gpu_model_set import GpuModelSet as GpuModelSet
    from .holdback_released import HoldbackReleased as HoldbackReleased
    from .holder_compensated import HolderCompensated as HolderCompensated
    from .host_approved import HostApproved as HostApproved
    from .host_counted import HostCounted as HostCounted
    from .host_heartbeat import HostHeartbeat as HostHeartbeat
    from .host_registered import HostRegistered as HostRegistered
    from .host_scored import HostScored as HostScored
    from .host_updated import HostUpdated as HostUpdated
    from .issue_reported import IssueReported as IssueReported
    from .listing_closed import ListingClosed as ListingClosed
    from .listing_created import ListingCreated as ListingCreated
    from .listing_marked import ListingMarked as ListingMarked
    from .listing_refreshed import ListingRefreshed as ListingRefreshed
    from .listing_updated import ListingUpdated as ListingUpdated
    from .market_initialized import MarketInitialized as MarketInitialized
    from .market_key_updated import MarketKeyUpdated as MarketKeyUpdated
    from .market_updated import MarketUpdated as MarketUpdated
    from .meter_closed import MeterClosed as MeterClosed
    from .meter_ended import MeterEnded as MeterEnded
    from .meter_opened import MeterOpened as MeterOpened
    from .meter_settled import MeterSettled as MeterSettled
    from .mfp_locked import MfpLocked as MfpLocked
    from .mfp_unlocked import MfpUnlocked as MfpUnlocked
    from .mfp_withdrawn import MfpWithdrawn as MfpWithdrawn
    from .operator_set import OperatorSet as OperatorSet
    from .pause_changed import PauseChanged as PauseChanged
    from .payment_mint_added import PaymentMintAdded as PaymentMintAdded
    from .payment_mint_updated import PaymentMintUpdated as PaymentMintUpdated
    from .payout_claimed import PayoutClaimed as PayoutClaimed
    from .pool_initialized import PoolInitialized as PoolInitialized
    from .price_posted import PricePosted as PricePosted
    from .proposal_cancelled import ProposalCancelled as ProposalCancelled
    from .proposal_closed import ProposalClosed as ProposalClosed
    from .proposal_created import ProposalCreated as ProposalCreated
    from .proposal_decided import ProposalDecided as ProposalDecided
    from .proposal_executed import ProposalExecuted as ProposalExecuted
    from .proposal_vetoed import ProposalVetoed as ProposalVetoed
    from .refund_claimed import RefundClaimed as RefundClaimed
    from .rent_swept import RentSwept as RentSwept
    from .rental_accepted import RentalAccepted as RentalAccepted
    from .rental_closed import RentalClosed as RentalClosed
    from .rental_extended import RentalExtended as RentalExtended
    from .rental_opened import RentalOpened as RentalOpened
    from .rental_preempting import RentalPreempting as RentalPreempting
    from .rental_rated import RentalRated as RentalRated
    from .rental_settled import RentalSettled as RentalSettled
    from .rental_started import RentalStarted as RentalStarted
    from .rental_took_over import RentalTookOver as RentalTookOver
    from .renter_closed import RenterClosed as RenterClosed
    from .renter_registered import RenterRegistered as RenterRegistered
    from .request_cancelled import RequestCancelled as RequestCancelled
    from .request_expired import RequestExpired as RequestExpired
    from .request_matched import RequestMatched as RequestMatched
    from .request_opened import RequestOpened as RequestOpened
    from .reward_mint_added import RewardMintAdded as RewardMintAdded
    from .rewards_claimed import RewardsClaimed as RewardsClaimed
    from .rewards_compounded import RewardsCompounded as RewardsCompounded
    from .rewards_funded import RewardsFunded as RewardsFunded
    from .stake_closed import StakeClosed as StakeClosed
    from .stake_withdrawn import StakeWithdrawn as StakeWithdrawn
    from .staked import Staked as Staked
    from .stakers_released import StakersReleased as StakersReleased
    from .stakers_swept import StakersSwept as StakersSwept
    from .subsidy_funded import SubsidyFunded as SubsidyFunded
    from .unreserved_withdrawn import UnreservedWithdrawn as UnreservedWithdrawn
    from .unstaked import Unstaked as Unstaked
    from .usage_accepted import UsageAccepted as UsageAccepted
    from .usage_disputed import UsageDisputed as UsageDisputed
    from .usage_reported import UsageReported as UsageReported
    from .vault_added import VaultAdded as VaultAdded
    from .vote_cast import VoteCast as VoteCast
    from .vote_closed import VoteClosed as VoteClosed
else:
    __getattr__ = importer(__name__, EVENTS.places.values())
