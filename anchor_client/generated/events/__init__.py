"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.errors import IdlError, UndecodableEvent, UnknownEvent
from anchor_idl.runtime.structs import Event

from .authority_handed_over import AuthorityHandedOver
from .catalog_initialized import CatalogInitialized
from .challenger_withdrawn import ChallengerWithdrawn
from .charges_set import ChargesSet
from .dispute_resolved import DisputeResolved
from .epoch_advanced import EpochAdvanced
from .fees_swept import FeesSwept
from .gpu_points_set import GpuPointsSet
from .host_approved import HostApproved
from .host_counted import HostCounted
from .host_heartbeat import HostHeartbeat
from .host_registered import HostRegistered
from .host_scored import HostScored
from .host_updated import HostUpdated
from .issue_reported import IssueReported
from .listing_closed import ListingClosed
from .listing_created import ListingCreated
from .listing_updated import ListingUpdated
from .market_initialized import MarketInitialized
from .market_key_updated import MarketKeyUpdated
from .market_updated import MarketUpdated
from .meter_closed import MeterClosed
from .meter_ended import MeterEnded
from .meter_opened import MeterOpened
from .meter_settled import MeterSettled
from .mfp_locked import MfpLocked
from .mfp_unlocked import MfpUnlocked
from .mfp_withdrawn import MfpWithdrawn
from .pause_changed import PauseChanged
from .payment_mint_added import PaymentMintAdded
from .payment_mint_updated import PaymentMintUpdated
from .points_refreshed import PointsRefreshed
from .pool_initialized import PoolInitialized
from .price_posted import PricePosted
from .proposal_cancelled import ProposalCancelled
from .proposal_created import ProposalCreated
from .proposal_decided import ProposalDecided
from .proposal_executed import ProposalExecuted
from .rental_accepted import RentalAccepted
from .rental_closed import RentalClosed
from .rental_extended import RentalExtended
from .rental_opened import RentalOpened
from .rental_preempting import RentalPreempting
from .rental_rated import RentalRated
from .rental_settled import RentalSettled
from .rental_started import RentalStarted
from .rental_took_over import RentalTookOver
from .renter_registered import RenterRegistered
from .request_cancelled import RequestCancelled
from .request_expired import RequestExpired
from .request_matched import RequestMatched
from .request_opened import RequestOpened
from .reward_mint_added import RewardMintAdded
from .rewards_claimed import RewardsClaimed
from .rewards_compounded import RewardsCompounded
from .rewards_funded import RewardsFunded
from .stake_closed import StakeClosed
from .stake_withdrawn import StakeWithdrawn
from .staked import Staked
from .stakers_swept import StakersSwept
from .subsidy_funded import SubsidyFunded
from .unstaked import Unstaked
from .usage_accepted import UsageAccepted
from .usage_disputed import UsageDisputed
from .usage_reported import UsageReported
from .vault_added import VaultAdded
from .vote_cast import VoteCast
from .vote_closed import VoteClosed

__all__ = [
    "EVENTS",
    "EVENT_TAG",
    "AuthorityHandedOver",
    "CatalogInitialized",
    "ChallengerWithdrawn",
    "ChargesSet",
    "DisputeResolved",
    "EpochAdvanced",
    "FeesSwept",
    "GpuPointsSet",
    "HostApproved",
    "HostCounted",
    "HostHeartbeat",
    "HostRegistered",
    "HostScored",
    "HostUpdated",
    "IssueReported",
    "ListingClosed",
    "ListingCreated",
    "ListingUpdated",
    "MarketInitialized",
    "MarketKeyUpdated",
    "MarketUpdated",
    "MeterClosed",
    "MeterEnded",
    "MeterOpened",
    "MeterSettled",
    "MfpLocked",
    "MfpUnlocked",
    "MfpWithdrawn",
    "PauseChanged",
    "PaymentMintAdded",
    "PaymentMintUpdated",
    "PointsRefreshed",
    "PoolInitialized",
    "PricePosted",
    "ProposalCancelled",
    "ProposalCreated",
    "ProposalDecided",
    "ProposalExecuted",
    "RentalAccepted",
    "RentalClosed",
    "RentalExtended",
    "RentalOpened",
    "RentalPreempting",
    "RentalRated",
    "RentalSettled",
    "RentalStarted",
    "RentalTookOver",
    "RenterRegistered",
    "RequestCancelled",
    "RequestExpired",
    "RequestMatched",
    "RequestOpened",
    "RewardMintAdded",
    "RewardsClaimed",
    "RewardsCompounded",
    "RewardsFunded",
    "StakeClosed",
    "StakeWithdrawn",
    "Staked",
    "StakersSwept",
    "SubsidyFunded",
    "UndecodableEvent",
    "UnknownEvent",
    "Unstaked",
    "UsageAccepted",
    "UsageDisputed",
    "UsageReported",
    "VaultAdded",
    "VoteCast",
    "VoteClosed",
    "decode_cpi_event",
    "decode_event",
]


EVENT_TAG: Final = bytes.fromhex("e445a52e51cb9a1d")
"""What stands in front of an event in a self-CPI: sha256("anchor:event")[:8], reversed."""

EVENTS: Final[Mapping[bytes, type[Event]]] = MappingProxyType(
    {
        AuthorityHandedOver.DISCRIMINATOR: AuthorityHandedOver,
        CatalogInitialized.DISCRIMINATOR: CatalogInitialized,
        ChallengerWithdrawn.DISCRIMINATOR: ChallengerWithdrawn,
        ChargesSet.DISCRIMINATOR: ChargesSet,
        DisputeResolved.DISCRIMINATOR: DisputeResolved,
        EpochAdvanced.DISCRIMINATOR: EpochAdvanced,
        FeesSwept.DISCRIMINATOR: FeesSwept,
        GpuPointsSet.DISCRIMINATOR: GpuPointsSet,
        HostApproved.DISCRIMINATOR: HostApproved,
        HostCounted.DISCRIMINATOR: HostCounted,
        HostHeartbeat.DISCRIMINATOR: HostHeartbeat,
        HostRegistered.DISCRIMINATOR: HostRegistered,
        HostScored.DISCRIMINATOR: HostScored,
        HostUpdated.DISCRIMINATOR: HostUpdated,
        IssueReported.DISCRIMINATOR: IssueReported,
        ListingClosed.DISCRIMINATOR: ListingClosed,
        ListingCreated.DISCRIMINATOR: ListingCreated,
        ListingUpdated.DISCRIMINATOR: ListingUpdated,
        MarketInitialized.DISCRIMINATOR: MarketInitialized,
        MarketKeyUpdated.DISCRIMINATOR: MarketKeyUpdated,
        MarketUpdated.DISCRIMINATOR: MarketUpdated,
        MeterClosed.DISCRIMINATOR: MeterClosed,
        MeterEnded.DISCRIMINATOR: MeterEnded,
        MeterOpened.DISCRIMINATOR: MeterOpened,
        MeterSettled.DISCRIMINATOR: MeterSettled,
        MfpLocked.DISCRIMINATOR: MfpLocked,
        MfpUnlocked.DISCRIMINATOR: MfpUnlocked,
        MfpWithdrawn.DISCRIMINATOR: MfpWithdrawn,
        PauseChanged.DISCRIMINATOR: PauseChanged,
        PaymentMintAdded.DISCRIMINATOR: PaymentMintAdded,
        PaymentMintUpdated.DISCRIMINATOR: PaymentMintUpdated,
        PointsRefreshed.DISCRIMINATOR: PointsRefreshed,
        PoolInitialized.DISCRIMINATOR: PoolInitialized,
        PricePosted.DISCRIMINATOR: PricePosted,
        ProposalCancelled.DISCRIMINATOR: ProposalCancelled,
        ProposalCreated.DISCRIMINATOR: ProposalCreated,
        ProposalDecided.DISCRIMINATOR: ProposalDecided,
        ProposalExecuted.DISCRIMINATOR: ProposalExecuted,
        RentalAccepted.DISCRIMINATOR: RentalAccepted,
        RentalClosed.DISCRIMINATOR: RentalClosed,
        RentalExtended.DISCRIMINATOR: RentalExtended,
        RentalOpened.DISCRIMINATOR: RentalOpened,
        RentalPreempting.DISCRIMINATOR: RentalPreempting,
        RentalRated.DISCRIMINATOR: RentalRated,
        RentalSettled.DISCRIMINATOR: RentalSettled,
        RentalStarted.DISCRIMINATOR: RentalStarted,
        RentalTookOver.DISCRIMINATOR: RentalTookOver,
        RenterRegistered.DISCRIMINATOR: RenterRegistered,
        RequestCancelled.DISCRIMINATOR: RequestCancelled,
        RequestExpired.DISCRIMINATOR: RequestExpired,
        RequestMatched.DISCRIMINATOR: RequestMatched,
        RequestOpened.DISCRIMINATOR: RequestOpened,
        RewardMintAdded.DISCRIMINATOR: RewardMintAdded,
        RewardsClaimed.DISCRIMINATOR: RewardsClaimed,
        RewardsCompounded.DISCRIMINATOR: RewardsCompounded,
        RewardsFunded.DISCRIMINATOR: RewardsFunded,
        StakeClosed.DISCRIMINATOR: StakeClosed,
        StakeWithdrawn.DISCRIMINATOR: StakeWithdrawn,
        Staked.DISCRIMINATOR: Staked,
        StakersSwept.DISCRIMINATOR: StakersSwept,
        SubsidyFunded.DISCRIMINATOR: SubsidyFunded,
        Unstaked.DISCRIMINATOR: Unstaked,
        UsageAccepted.DISCRIMINATOR: UsageAccepted,
        UsageDisputed.DISCRIMINATOR: UsageDisputed,
        UsageReported.DISCRIMINATOR: UsageReported,
        VaultAdded.DISCRIMINATOR: VaultAdded,
        VoteCast.DISCRIMINATOR: VoteCast,
        VoteClosed.DISCRIMINATOR: VoteClosed,
    }
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
