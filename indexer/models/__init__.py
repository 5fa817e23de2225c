"""The tables by area. `Projection`s are made of raw events alone; the others are what they are made from."""

from indexer.models.base import RECORDS, Entity, Entry, Projection, Record
from indexer.models.carbon import GpuUse, WalletGpuUse
from indexer.models.charges import Meter, MeterEntry
from indexer.models.figures import MachineFigures
from indexer.models.governance import Proposal, Vote
from indexer.models.host import Host, HostScore, Listing, ListingPrice
from indexer.models.ingestion import (
    Change,
    Cursor,
    DeadLetter,
    GapAttempt,
    Intake,
    Progress,
    ProjectionVersion,
    RawEvent,
    Reconciliation,
    SeqGap,
    SupplyCheck,
    TopicPosition,
    VaultCheck,
    WithdrawnEvent,
)
from indexer.models.market import (
    FeeSweep,
    Market,
    MarketChange,
    MarketParameterValue,
    PaymentMint,
    Price,
    SubsidyFunding,
    Vault,
)
from indexer.models.mfp import Catalog, GpuModel
from indexer.models.rental import Rating, Rental, RentalEntry, RentalIssue, RentalState, Renter, Settlement
from indexer.models.request import Request
from indexer.models.sealed_orders import SealedOrder, UnclaimedOrder
from indexer.models.series import EarningPoint, MarketLevel, MarketPoint, MoneyPoint, RatePoint
from indexer.models.spot import Compensation, SpotBid, SpotOrder
from indexer.models.staking import EpochReward, RewardClaim, RewardStream, Stake, StakePool, StakeReward

__all__ = [
    "RECORDS",
    "Catalog",
    "Change",
    "Compensation",
    "Cursor",
    "DeadLetter",
    "EarningPoint",
    "Entity",
    "Entry",
    "EpochReward",
    "FeeSweep",
    "GapAttempt",
    "GpuModel",
    "GpuUse",
    "Host",
    "HostScore",
    "Intake",
    "Listing",
    "ListingPrice",
    "MachineFigures",
    "Market",
    "MarketChange",
    "MarketLevel",
    "MarketParameterValue",
    "MarketPoint",
    "Meter",
    "MeterEntry",
    "MoneyPoint",
    "PaymentMint",
    "Price",
    "Progress",
    "Projection",
    "ProjectionVersion",
    "Proposal",
    "RatePoint",
    "Rating",
    "RawEvent",
    "Reconciliation",
    "Record",
    "Rental",
    "RentalEntry",
    "RentalIssue",
    "RentalState",
    "Renter",
    "Request",
    "RewardClaim",
    "RewardStream",
    "SealedOrder",
    "SeqGap",
    "Settlement",
    "SpotBid",
    "SpotOrder",
    "Stake",
    "StakePool",
    "StakeReward",
    "SubsidyFunding",
    "SupplyCheck",
    "TopicPosition",
    "UnclaimedOrder",
    "Vault",
    "VaultCheck",
    "Vote",
    "WalletGpuUse",
    "WithdrawnEvent",
]
