"""Finds machines for requests, and builds what ends them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Request
from anchor_client.generated.instructions import expire_request, match_request
from anchor_client.generated.pdas import find_vault
from anchor_client.rpc import Reader
from anchor_client.tokens import TOKEN_ACCOUNT_BYTES, create_associated_token
from keeper.endings import Ending, Endings, SkipReason
from keeper.supply import read_supply
from keeper.tasks.expire_requests import find_expired
from keeper.tasks.match_requests import Pair, find_matches
from keeper.tasks.request_due import RequestDue
from keeper.token_accounts import Payee, find_token_accounts

CONSIDER_SECONDS: Final = 10
"""Every open request is looked at again within this time."""


class RequestDesk:
    """The requests of one keeper. `loss` is the most that an ending with a created token account may lose.

    `price_feeds` are accounts with Pyth's price updates by mint, besides those that Pyth sponsors.
    """

    def __init__(
        self, reader: Reader, signer: Pubkey, *, loss: int, price_feeds: Mapping[Pubkey, Pubkey] | None = None
    ) -> None:
        self._reader = reader
        self._signer = signer
        self._loss = loss
        self._price_feeds = price_feeds
        self._refused: dict[Pair, int] = {}
        self._chosen: dict[Pubkey, Pubkey] = {}

    async def find_due(
        self, requests: Mapping[Pubkey, Request], now: int, *, busy: Collection[Pubkey]
    ) -> list[RequestDue]:
        """What can be done about requests now; `busy` ones are left alone, and so are the machines chosen for them.

        Raises the network's errors.
        """
        self._refused = {pair: until for pair, until in self._refused.items() if until > now}
        self._chosen = {request: listing for request, listing in self._chosen.items() if request in busy}
        idle = {address: request for address, request in requests.items() if address not in busy}
        due = find_expired(idle, now)
        waiting = {address: request for address, request in idle.items() if request.expires_at > now}
        if not waiting:
            return due
        supply = await read_supply(self._reader, waiting.values(), now, price_feeds=self._price_feeds)
        if supply is None:
            return due
        return due + find_matches(supply, waiting, now, taken=self._chosen.values(), refused=self._refused)

    async def build(self, due: Iterable[RequestDue]) -> Endings:
        """Endings of what is due. Raises the network's errors."""
        entries = list(due)
        if not entries:
            return Endings([], {})
        accounts = await find_token_accounts(self._reader, map(_renter, entries))
        missing = None in accounts.values()
        rent = await self._reader.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES) if missing else 0
        ready: list[Ending] = []
        skipped: dict[Pubkey, SkipReason] = {}
        for entry in entries:
            account = accounts[_renter(entry)]
            cost = rent if account is None else 0
            value = entry.tip - cost + (self._loss if account is None else 0)
            if value < 0:
                skipped[entry.address] = SkipReason.RENTER_TOKEN_MISSING
            else:
                ready.append(self._ending(entry, account, value, cost))
                if entry.machine is not None:
                    self._chosen[entry.address] = entry.machine.address
        return Endings(ready, skipped)

    def refuse(self, due: RequestDue, now: int) -> None:
        """Notes that a match has failed: another machine is tried next."""
        if due.machine is not None:
            self._refused[due.address, due.machine.address] = now + CONSIDER_SECONDS

    def next_at(self, requests: Mapping[Pubkey, Request], now: int) -> int | None:
        """When to look at the requests again; None without any."""
        ends = [request.expires_at for request in requests.values() if request.expires_at > now]
        return min([now + CONSIDER_SECONDS, *ends]) if ends else None

    def _ending(self, due: RequestDue, account: Pubkey | None, value: int, rent: int) -> Ending:
        payee, request = _renter(due), due.request
        vault = find_vault(request.mint, request.shard, self._reader.program_id)[0]
        creates = [create_associated_token(self._signer, payee.owner, payee.mint)] if account is None else []
        return Ending(due, (*creates, self._instruction(due, account or payee.associated)), vault, value, rent)

    def _instruction(self, due: RequestDue, renter_token: Pubkey) -> Instruction:
        machine = due.machine
        if machine is None:
            return expire_request(
                caller=self._signer,
                request=due.address,
                request_data=due.request,
                renter_token=renter_token,
                program_id=self._reader.program_id,
            )
        return match_request(
            caller=self._signer,
            request=due.address,
            request_data=due.request,
            listing=machine.address,
            listing_data=machine.listing,
            renter_token=renter_token,
            renter_stake=machine.renter_stake,
            host_stake=machine.host_stake,
            price_feed=machine.price_feed,
            program_id=self._reader.program_id,
        )


def _renter(due: RequestDue) -> Payee:
    return Payee(due.request.renter, due.request.mint)
