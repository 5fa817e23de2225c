"""The market's client.

`client`    Market: everything below behind one object
`renting`, `bidding`, `hosting`, `metering`, `staking`, `locking`, `cranks`, `administration`   typed methods
`proposals`   what stakers vote on, from the proposal to its execution
`plans`     a renter's actions as instructions to be signed elsewhere
`requests`, `requesting`, `request_plans`   orders that wait for a machine
`jobs`      rentals as they stand, as they ended, and as they change
`reads`     accounts of the program
`spot`      who holds a machine, who waits for it and what gets in
`standing`  what stake and locks take off an order's fees
`matching`  which listing and which vault an order goes to
"""

from anchor_client.kinds import JobState, RequestState, kind_name, parse_kind
from anchor_client.market.client import Market
from anchor_client.market.endings import Ending
from anchor_client.market.job import RentalEvent
from anchor_client.market.jobs import Jobs
from anchor_client.market.locking import MfpStatus
from anchor_client.market.matching import Offer
from anchor_client.market.plans import ExtendPlan, OrderRequest, Planner, RentPlan, StopPlan
from anchor_client.market.proposals import Proposals, ProposalStatus
from anchor_client.market.reads import MarketReader
from anchor_client.market.request_plans import MachineWanted, RequestPlan, RequestPlanner
from anchor_client.market.requests import MachineRequest, Requests
from anchor_client.market.spot import Entry, SpotBook, SpotPlace
from anchor_client.market.staking import StakeStatus
from anchor_client.market.supply import GpuSupply
from anchor_client.resources.job import Job, JobStatus
from anchor_client.rules.renter_profile import Quota

__all__ = [
    "Ending",
    "Entry",
    "ExtendPlan",
    "GpuSupply",
    "Job",
    "JobState",
    "JobStatus",
    "Jobs",
    "MachineRequest",
    "MachineWanted",
    "Market",
    "MarketReader",
    "MfpStatus",
    "Offer",
    "OrderRequest",
    "Planner",
    "ProposalStatus",
    "Proposals",
    "Quota",
    "RentPlan",
    "RentalEvent",
    "RequestPlan",
    "RequestPlanner",
    "RequestState",
    "Requests",
    "SpotBook",
    "SpotPlace",
    "StakeStatus",
    "StopPlan",
    "kind_name",
    "parse_kind",
]
