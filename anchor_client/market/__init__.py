"""The market's client: one folder an area, what is planned apart from what is sent.

`client`    Market: everything below behind one object
`host`, `rental`, `spot`, `request`, `charges`, `mfp`, `staking`, `governance`   the areas
`market`    the market itself: parameters, payment mints, vaults, prices
`jobs`      rentals as they stand, as they ended, and as they change
`reads`     accounts of the program
`session`   the connection, the wallet, and sending
`purse`     the token accounts that pay and are paid
"""

from typing import TYPE_CHECKING

from anchor_client.kinds import JobState, RequestState, kind_name
from anchor_client.market.client import Market
from anchor_client.market.reads import MarketReader
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.market.spot.book import Entry, SpotBook, SpotPlace
from anchor_client.resources.gpu import Gpu
from anchor_client.resources.job import Job, JobStatus
from anchor_client.resources.proposal import Proposal
from anchor_client.resources.request import MachineRequest
from anchor_idl.runtime.lazy import importer

if TYPE_CHECKING:
    from anchor_client.market.mfp.actions import MfpStatus
    from anchor_client.market.request.plan import MachineWanted

__all__ = [
    "Entry",
    "Gpu",
    "Job",
    "JobState",
    "JobStatus",
    "MachineRequest",
    "MachineWanted",
    "Market",
    "MarketReader",
    "MfpStatus",
    "Proposal",
    "RentalWanted",
    "RequestState",
    "SpotBook",
    "SpotPlace",
    "kind_name",
]

__getattr__ = importer(
    __name__,
    [
        ("mfp.actions", "MfpStatus"),
        ("request.plan", "MachineWanted"),
    ],
)
