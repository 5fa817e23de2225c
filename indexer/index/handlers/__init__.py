"""Effects of the program's events on the tables: a function an event, a file an area."""

from indexer.index.handlers import charges, governance, host, market, mfp, rental, request, spot, staking
from indexer.index.handlers.step import HANDLERS, Step

__all__ = [
    "HANDLERS",
    "Step",
    "charges",
    "governance",
    "host",
    "market",
    "mfp",
    "rental",
    "request",
    "spot",
    "staking",
]
