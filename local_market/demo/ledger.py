"""Checks that token balances changed exactly as a transaction's events say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from solana.rpc.commitment import Confirmed
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction_status import UiTransactionStatusMeta, UiTransactionTokenBalance

from anchor_client.events import events_of
from anchor_client.generated.accounts import Listing
from anchor_client.generated.events import (
    RentalClosed,
    RentalExtended,
    RentalOpened,
    RentalSettled,
    RentalTookOver,
    RequestMatched,
)
from anchor_client.market import MarketReader
from anchor_client.solana.node import NodeClient
from anchor_idl.runtime.structs import Event


class Ledger:
    """Reads balances of one mint before and after transactions. Raises the network's errors."""

    def __init__(self, reads: MarketReader, mint: Pubkey, renter: Pubkey) -> None:
        self._reads = reads
        self._mint = mint
        self._renter = renter

    async def differences(self, signature: Signature) -> list[str]:
        """Balances (the renter's, a host's, the supply) that did not change as the transaction's events say."""
        client = self._reads.program.client
        events, moved = await _read(client, signature, self._mint)
        expected: Counter[Pubkey] = Counter()
        burned = 0
        opened = (event for event in events if isinstance(event, RentalOpened))
        of_mint = {event.rental: event.renter for event in opened if event.mint == self._mint}
        closed = {event.rental: event.renter for event in events if isinstance(event, RentalClosed)}
        for event in events:
            match event:
                case RequestMatched(rental=rental, held=held) if rental in of_mint:
                    expected[of_mint[rental]] += held  # returned first; the rental it opens takes its deposit again
                case RentalOpened(renter=renter, deposit=deposit, mint=mint) if mint == self._mint:
                    expected[renter] -= deposit
                case RentalExtended(deposit_added=deposit):
                    expected[self._renter] -= deposit
                case RentalSettled(listing=listing, paid=paid):
                    expected[await self._host_of(listing)] += paid
                case RentalTookOver(preempted=holder, mint=mint) if mint == self._mint and holder in closed:
                    expected[closed[holder]] += event.compensation - event.compensation_kept
                case RentalClosed(mint=mint) if mint == self._mint:
                    expected[event.renter] += event.refunded
                    expected[await self._host_of(event.listing)] += event.paid_now
                    burned += event.burned
        found = [
            f"balance of {owner} moved by {moved[owner]}, not {amount}"
            for owner, amount in expected.items()
            if moved[owner] != amount
        ]
        if sum(moved.values()) != -burned:
            found.append(f"the supply moved by {sum(moved.values())}, not {-burned}")
        return [f"{signature}: {text}" for text in found]

    async def _host_of(self, listing: Pubkey) -> Pubkey:
        data: Listing = await self._reads.listing(listing)
        return data.authority


async def _read(client: NodeClient, signature: Signature, mint: Pubkey) -> tuple[tuple[Event, ...], Counter[Pubkey]]:
    """A transaction's events, and each owner's change of tokens."""
    confirmed = await client.get_transaction(signature, Confirmed)
    if confirmed is None:
        return (), Counter()
    return events_of(confirmed.transaction), _moved(confirmed.transaction.meta, mint)


def _moved(meta: UiTransactionStatusMeta | None, mint: Pubkey) -> Counter[Pubkey]:
    moved: Counter[Pubkey] = Counter()
    if meta is not None:
        _add(moved, meta.post_token_balances or (), mint, 1)
        _add(moved, meta.pre_token_balances or (), mint, -1)
    return moved


def _add(moved: Counter[Pubkey], balances: Iterable[UiTransactionTokenBalance], mint: Pubkey, sign: int) -> None:
    for balance in balances:
        if balance.mint == mint and balance.owner is not None:
            moved[balance.owner] += sign * int(balance.ui_token_amount.amount)
