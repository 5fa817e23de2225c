"""The tables, one a file. `Projection`s are made of raw events alone; the others are what they are made from."""

from indexer.models.base import Projection, Table
from indexer.models.cursor import Cursor
from indexer.models.dead_letter import DeadLetter
from indexer.models.fee_sweep import FeeSweep
from indexer.models.host import Host
from indexer.models.listing import Listing
from indexer.models.market import Market
from indexer.models.market_change import MarketChange
from indexer.models.market_parameter import MarketParameterValue
from indexer.models.payment_mint import PaymentMint
from indexer.models.price import Price
from indexer.models.rating import Rating
from indexer.models.raw_event import RawEvent
from indexer.models.reconciliation import Reconciliation
from indexer.models.rental import Rental
from indexer.models.rental_state import RentalState
from indexer.models.renter import Renter
from indexer.models.request import Request
from indexer.models.seq_gap import SeqGap
from indexer.models.settlement import Settlement
from indexer.models.subsidy_funding import SubsidyFunding
from indexer.models.vault import Vault

__all__ = [
    "Cursor",
    "DeadLetter",
    "FeeSweep",
    "Host",
    "Listing",
    "Market",
    "MarketChange",
    "MarketParameterValue",
    "PaymentMint",
    "Price",
    "Projection",
    "Rating",
    "RawEvent",
    "Reconciliation",
    "Rental",
    "RentalState",
    "Renter",
    "Request",
    "SeqGap",
    "Settlement",
    "SubsidyFunding",
    "Table",
    "Vault",
]
