"""The tables, one a file. `Projection`s are made of raw events alone; the others are what they are made from."""

from indexer.models.base import Projection, Table
from indexer.models.catalog import Catalog
from indexer.models.cursor import Cursor
from indexer.models.dead_letter import DeadLetter
from indexer.models.epoch_reward import EpochReward
from indexer.models.fee_sweep import FeeSweep
from indexer.models.gpu_points import GpuPoints
from indexer.models.host import Host
from indexer.models.host_score import HostScore
from indexer.models.listing import Listing
from indexer.models.market import Market
from indexer.models.market_change import MarketChange
from indexer.models.market_parameter import MarketParameterValue
from indexer.models.meter import Meter
from indexer.models.meter_entry import MeterEntry
from indexer.models.payment_mint import PaymentMint
from indexer.models.price import Price
from indexer.models.proposal import Proposal
from indexer.models.rating import Rating
from indexer.models.raw_event import RawEvent
from indexer.models.reconciliation import Reconciliation
from indexer.models.rental import Rental
from indexer.models.rental_issue import RentalIssue
from indexer.models.rental_state import RentalState
from indexer.models.renter import Renter
from indexer.models.request import Request
from indexer.models.reward_claim import RewardClaim
from indexer.models.reward_stream import RewardStream
from indexer.models.sealed_order import SealedOrder
from indexer.models.seq_gap import SeqGap
from indexer.models.settlement import Settlement
from indexer.models.spot_bid import SpotBid
from indexer.models.stake import Stake
from indexer.models.stake_pool import StakePool
from indexer.models.stake_reward import StakeReward
from indexer.models.subsidy_funding import SubsidyFunding
from indexer.models.vault import Vault
from indexer.models.vote import Vote

__all__ = [
    "Catalog",
    "Cursor",
    "DeadLetter",
    "EpochReward",
    "FeeSweep",
    "GpuPoints",
    "Host",
    "HostScore",
    "Listing",
    "Market",
    "MarketChange",
    "MarketParameterValue",
    "Meter",
    "MeterEntry",
    "PaymentMint",
    "Price",
    "Projection",
    "Proposal",
    "Rating",
    "RawEvent",
    "Reconciliation",
    "Rental",
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
    "Stake",
    "StakePool",
    "StakeReward",
    "SubsidyFunding",
    "Table",
    "Vault",
    "Vote",
]
