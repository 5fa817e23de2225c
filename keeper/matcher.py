"""Finds matches for requests, and remembers chosen and refused machines."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Request
from anchor_client.market.reads import MarketReader
from keeper.tasks.matching import Pair, find_matches
from keeper.tasks.request import CONSIDER_SECONDS, EXPIRE_REQUEST, RequestSubject
from keeper.tasks.supply import read_supply
from keeper.tasks.task import DueTask, find_due


class Matcher:
    """Matches requests with machines for one keeper."""

    def __init__(self, reads: MarketReader) -> None:
        self._reads = reads
        self._refused: dict[Pair, int] = {}
        self._chosen: dict[Pubkey, Pubkey] = {}

    async def find_due(
        self, requests: Mapping[Pubkey, Request], now: int, *, busy: Collection[Pubkey]
    ) -> list[DueTask[RequestSubject]]:
        """Finds due request tasks; skips `busy` ones, and the machines chosen for them. Raises network errors."""
        self._refused = {pair: until for pair, until in self._refused.items() if until > now}
        self._chosen = {request: listing for request, listing in self._chosen.items() if request in busy}
        idle = {address: request for address, request in requests.items() if address not in busy}
        due = find_due([EXPIRE_REQUEST], [RequestSubject(address, request) for address, request in idle.items()], now)
        waiting = {address: request for address, request in idle.items() if request.expires_at > now}
        if not waiting:
            return due
        supply = await read_supply(self._reads, waiting.values(), now)
        if supply is None:
            return due
        matches = find_matches(supply, waiting, now, taken=self._chosen.values(), refused=self._refused)
        for match in matches:
            if match.subject.machine is not None:
                self._chosen[match.address] = match.subject.machine.address
        return due + matches

    def refuse(self, subject: RequestSubject, now: int) -> None:
        """Records a failed match: another machine is tried next."""
        if subject.machine is not None:
            self._refused[subject.address, subject.machine.address] = now + CONSIDER_SECONDS

    def next_at(self, requests: Mapping[Pubkey, Request], now: int) -> int | None:
        """Time of the next check of requests; None without any."""
        ends = [request.expires_at for request in requests.values() if request.expires_at > now]
        return min([now + CONSIDER_SECONDS, *ends]) if ends else None
