"""Standings of the wallets that call the API, cached for a minute."""

from __future__ import annotations

import time
from collections import OrderedDict

from sqlalchemy.exc import SQLAlchemyError

from indexer.accounts.standing import WalletStanding, standing_of
from indexer.status import Status
from indexer.store.transactions import Reads

KEPT_SECONDS = 60.0
MOST = 10_000


class Standings:
    """By wallet. While the index cannot be read, none has any."""

    def __init__(self, reads: Reads, chain: Status) -> None:
        self._reads = reads
        self._chain = chain
        self._kept: OrderedDict[str, tuple[float, WalletStanding]] = OrderedDict()

    async def of(self, wallet: str) -> WalletStanding:
        """A wallet's, up to a minute old."""
        until, standing = self._kept.get(wallet, (0.0, WalletStanding()))
        if until > time.monotonic():
            return standing
        try:
            standing = await self._reads(standing_of, wallet, self._chain)
        except SQLAlchemyError:
            return WalletStanding()
        self._kept[wallet] = time.monotonic() + KEPT_SECONDS, standing
        self._kept.move_to_end(wallet)
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return standing
