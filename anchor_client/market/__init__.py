"""The market's client: a folder for each area, plans separate from sending.

`client`    Market: everything below behind one object
`host`, `rental`, `spot`, `request`, `charges`, `mfp`, `staking`, `governance`   the areas
`market`    the market itself: parameters, payment mints, vaults, prices
`jobs`      rentals as they stand, as they ended, and as they change
`reads`     accounts of the program
`program`   the program, as `anchor_client.solana` asks for it
`session`   the connection, the wallet, and sending
`purse`     the token accounts that pay and are paid
"""

from typing import TYPE_CHECKING

from anchor_idl.runtime.lazy import importer

if TYPE_CHECKING:
    from anchor_client.api.feed import Feed as Feed
    from anchor_client.kinds import JobState as JobState
    from anchor_client.kinds import RequestState as RequestState
    from anchor_client.kinds import kind_name as kind_name
    from anchor_client.market.client import Market as Market
    from anchor_client.market.followed import follow_state as follow_state
    from anchor_client.market.host.offers import Offer as Offer
    from anchor_client.market.host.offers import match as match
    from anchor_client.market.host.offers import offers_of as offers_of
    from anchor_client.market.program import MarketProgram as MarketProgram
    from anchor_client.market.reads import MarketReader as MarketReader
    from anchor_client.market.rental.wanted import RentalWanted as RentalWanted
    from anchor_client.market.request.plan import MachineWanted as MachineWanted
    from anchor_client.market.spot.book import SpotBook as SpotBook
    from anchor_client.market.spot.book import SpotEntry as SpotEntry
    from anchor_client.market.spot.book import SpotPlace as SpotPlace
    from anchor_client.market.wakeups import AccountWakeups as AccountWakeups
    from anchor_client.resources.gpu import Gpu as Gpu
    from anchor_client.resources.gpu import gpus_of as gpus_of
    from anchor_client.resources.job import Job as Job
    from anchor_client.resources.job import JobStatus as JobStatus
    from anchor_client.resources.proposal import Proposal as Proposal
    from anchor_client.resources.request import MachineRequest as MachineRequest
else:
    _PLACES = {
        "client": ["Market"],
        "followed": ["follow_state"],
        "host.offers": ["Offer", "match", "offers_of"],
        "program": ["MarketProgram"],
        "reads": ["MarketReader"],
        "rental.wanted": ["RentalWanted"],
        "request.plan": ["MachineWanted"],
        "spot.book": ["SpotBook", "SpotEntry", "SpotPlace"],
        "wakeups": ["AccountWakeups"],
        ".api.feed": ["Feed"],
        ".kinds": ["JobState", "RequestState", "kind_name"],
        ".resources.gpu": ["Gpu", "gpus_of"],
        ".resources.job": ["Job", "JobStatus"],
        ".resources.proposal": ["Proposal"],
        ".resources.request": ["MachineRequest"],
    }
    __getattr__ = importer(__name__, ((module, name) for module, names in _PLACES.items() for name in names))
