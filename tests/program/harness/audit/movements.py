"""The tokens and lamports that the events announce have moved, and no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeVar

from solders.account import Account
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.token import ID as TOKEN_PROGRAM
from solders.token.state import Mint

from anchor_client.generated import events
from anchor_client.generated.pdas import find_catalog, find_governance, find_vault
from anchor_client.generated.types.action import ActionTreasuryTransfer
from anchor_client.generated.types.close_reason import CloseReason
from anchor_idl.runtime.structs import Event

from ..keys import is_wallet_address
from ..outcome import Outcome, States
from ..tokens import MINT_SIZE, NATIVE_MINT, token_account
from .books import Books

LAMPORTS = Pubkey.default()
"""Stands for the mint of SOL that is not wrapped."""

K = TypeVar("K")
Place = tuple[Pubkey, Pubkey]
"""An owner and the mint of what it holds; the mint itself stands for its supply."""


def tokens_of(event: Event, books: Books) -> Iterator[tuple[Place, int]]:
    """Base units that `event` says were gained; `books` are those from before it."""
    match event:
        case events.SubsidyFunded():
            yield from _transfer(event.mint, event.by, event.vault, event.amount)
        case events.FeesSwept():
            yield from _transfer(event.mint, event.vault, books.treasury, event.treasury)
            yield from _burn(event.mint, event.vault, event.burned)
        case events.ProposalExecuted(action=ActionTreasuryTransfer(mint=mint, to=recipient, amount=amount)):
            yield from _pay_out(mint, find_governance()[0], recipient, amount)
        case events.RentalOpened():
            yield from _transfer(event.mint, event.renter, find_vault(event.mint, event.shard)[0], event.deposit)
        case events.RentalExtended():
            rental = books.open_rentals[event.rental]
            yield from _transfer(rental.opened.mint, rental.opened.renter, rental.vault, event.deposit_added)
        case events.RentalSettled():
            rental = books.open_rentals[event.rental]
            yield from _pay_out(rental.opened.mint, rental.vault, rental.host, event.paid)
        case events.RentalClosed():
            rental = books.open_rentals[event.rental]
            yield from _pay_out(event.mint, rental.vault, rental.host, event.paid_now - event.host_owed - event.held)
            yield from _pay_out(event.mint, rental.vault, event.renter, event.refunded - event.renter_owed)
            yield from _burn(event.mint, rental.vault, event.burned)
            yield from _compensation(event, books.last_holder(event.listing), books)
        case events.MeterOpened():
            yield from _transfer(event.mint, event.renter, find_vault(event.mint, event.shard)[0], event.cap)
        case events.MeterSettled():
            meter = books.meters[event.meter]
            yield from _pay_out(meter.opened.mint, meter.vault, meter.opened.authority, event.paid)
        case events.MeterClosed():
            meter = books.meters[event.meter]
            yield from _pay_out(event.mint, meter.vault, meter.opened.authority, event.paid_now)
            yield from _pay_out(event.mint, meter.vault, event.renter, event.refunded)
        case events.StakersReleased():
            yield from _transfer(event.mint, event.vault, books.treasury, event.amount)
        case events.StakersSwept():
            yield from _transfer(event.mint, event.vault, event.pool, event.amount)
        case events.RewardsFunded():
            yield from _transfer(event.mint, event.by, event.pool, event.amount)
        case events.RewardsClaimed():
            yield from _pay_out(event.mint, books.staking.pool, event.owner, event.amount)
        case events.Staked():
            yield from _transfer(books.staking.mint, event.owner, books.staking.pool, event.amount)
        case events.StakeWithdrawn():
            yield from _transfer(books.staking.mint, books.staking.pool, event.owner, event.amount)
        case events.MfpLocked():
            yield from _transfer(books.staking.mint, event.authority, find_catalog()[0], event.amount)
        case events.MfpWithdrawn():
            yield from _transfer(books.staking.mint, find_catalog()[0], event.authority, event.amount)
        case _:
            yield from _of_the_rest(event, books)


def _of_the_rest(event: Event, books: Books) -> Iterator[tuple[Place, int]]:
    match event:
        case events.UnreservedWithdrawn():
            yield from _transfer(event.mint, event.vault, event.by, event.subsidy + event.surplus)
        case events.RefundClaimed():
            vault, _ = books.refunds_owed[event.rental]
            yield from _pay_out(event.mint, vault, event.renter, event.amount)
        case events.HoldbackReleased():
            rental, _ = books.holdbacks[event.rental]
            yield from _pay_out(event.mint, rental.vault, rental.host, event.amount - event.kept)
        case events.PayoutClaimed():
            yield from _pay_out(event.mint, event.vault, event.authority, event.amount)
        case events.RentalTookOver() | events.HolderCompensated():
            yield from _compensation(event, event.preempted, books)
        case events.RequestOpened():
            yield from _transfer(event.mint, event.renter, find_vault(event.mint, event.shard)[0], event.order.deposit)
        case events.RequestMatched():
            vault, request = _holder(event.request, books), books.open_requests[event.request]
            yield from _transfer(request.mint, vault, request.renter, event.held - event.refunded)
            yield from _pay_out(request.mint, vault, request.renter, event.refunded)
        case events.RequestCancelled() | events.RequestExpired():
            yield from _pay_out(event.mint, _holder(event.request, books), event.renter, event.refunded)


def _compensation(
    event: events.RentalClosed | events.RentalTookOver | events.HolderCompensated, holder: Pubkey | None, books: Books
) -> Iterator[tuple[Place, int]]:
    if holder is not None and event.compensation:
        paid = event.compensation - event.compensation_kept
        yield from _pay_out(event.mint, books.open_rentals[event.rental].vault, books.renters[holder], paid)


def lamports_of(event: Event, outcome: Outcome, books: Books) -> Iterator[tuple[Pubkey, int]]:
    """Lamports that `event` of a transaction says a wallet gained; `books` are those from before it. Whoever opens an
    account pays only what its address does not hold already."""
    states = outcome.before
    for (owner, mint), amount in tokens_of(event, books):
        if mint == LAMPORTS:
            yield owner, amount
    match event:
        case events.RentalOpened():
            yield event.renter, -outcome.lamports_gained(event.rental)
        case events.RentalClosed():
            rest = _lamports(states[event.rental]) - event.tip_lamports
            yield event.renter, _tip_returned(event, states, books) if _stays(event) else rest
            yield event.closed_by, event.tip_lamports
        case events.RefundClaimed() | events.FinishContested():
            yield event.renter, _lamports(states[event.rental])
        case events.HoldbackReleased():
            rental, _ = books.holdbacks[event.rental]
            yield rental.opened.renter, _lamports(states[event.rental])
        case events.MeterOpened():
            yield event.renter, -outcome.lamports_gained(event.meter)
        case events.MeterClosed(host_owed=0, renter_owed=0):
            yield event.renter, _lamports(states[event.meter])
        case events.RequestOpened():
            yield event.renter, -outcome.lamports_gained(event.request)
        case events.RequestMatched():
            yield books.open_requests[event.request].renter, _lamports(states[event.request])
        case events.RentalStarted():
            yield event.matched_by, event.match_tip
        case events.RequestCancelled():
            yield event.renter, _lamports(states[event.request])
        case events.RequestExpired():
            yield event.renter, _lamports(states[event.request]) - event.tip_lamports
            yield event.expired_by, event.tip_lamports
        case events.StakeClosed():
            yield event.owner, _lamports(states[event.stake])
        case events.ProposalClosed():
            yield event.proposer, _lamports(states[event.proposal])
        case events.RentSwept():
            yield event.owner, event.lamports
        case events.RenterClosed():
            yield event.wallet, _lamports(states[event.profile])
        case _:
            return


def check_tokens(outcome: Outcome, expected: Counter[Place]) -> None:
    """Every owner gained exactly what the events say."""
    actual: Counter[Place] = Counter()
    for sign, states in ((-1, outcome.before), (1, outcome.after)):
        for address, account in states.items():
            held = token_account(account)
            if held is not None:
                actual[held.owner, held.mint] += sign * held.amount
            elif account is not None and account.owner == TOKEN_PROGRAM and len(account.data) == MINT_SIZE:
                actual[address, address] += sign * Mint.from_bytes(account.data).supply
    said = Counter({place: amount for place, amount in expected.items() if place[1] != LAMPORTS})
    assert _moved(actual) == _moved(said), f"{_moved(actual)} instead of {_moved(said)}"


def check_lamports(outcome: Outcome, expected: Counter[Pubkey], fee_payer: Pubkey) -> None:
    """Every wallet, and whatever else an event names, gained exactly what the events say; but for the fee payer, which
    may be a party too.
    """
    actual = Counter(
        {
            address: outcome.lamports_gained(address)
            for address, account in outcome.after.items()
            if address != fee_payer
            and (address in expected or (is_wallet(outcome.before[address]) and is_wallet(account)))
        }
    )
    said = Counter({address: lamports for address, lamports in expected.items() if address != fee_payer})
    assert _moved(actual) == _moved(said), f"{_moved(actual)} instead of {_moved(said)}"


def check_consent(outcome: Outcome, fee_payer: Pubkey) -> None:
    """No wallet has fewer tokens or lamports than before unless it has signed."""
    for address, account in outcome.before.items():
        held, left = token_account(account), token_account(outcome.after[address])
        if held is not None and is_wallet_address(held.owner) and held.amount > (0 if left is None else left.amount):
            assert held.owner in outcome.signers, f"{held.owner} has not agreed to part with tokens"
        elif is_wallet(account) and address != fee_payer and outcome.lamports_gained(address) < 0:
            assert address in outcome.signers, f"{address} has not agreed to part with lamports"


def _stays(event: events.RentalClosed) -> bool:
    """True where the account of an ended rental stays."""
    return bool(event.renter_owed) or event.reason is CloseReason.FINISHED


def _tip_returned(event: events.RentalClosed, states: States, books: Books) -> int:
    """Tip of a finished rental; one of a renter without a wallet stays with the rent."""
    if event.reason is not CloseReason.FINISHED:
        return 0
    exists = _lamports(states[event.renter]) > 0 or (event.mint == NATIVE_MINT and event.refunded > 0)
    return books.open_rentals[event.rental].opened.tip_lamports if exists else 0


def _holder(request: Pubkey, books: Books) -> Pubkey:
    opened = books.open_requests[request]
    return find_vault(opened.mint, opened.shard)[0]


def is_wallet(account: Account | None) -> bool:
    """True for an account that only holds lamports, or for one that is not there yet."""
    return account is None or (account.owner == SYSTEM_PROGRAM and not account.data)


def _lamports(account: Account | None) -> int:
    return 0 if account is None else account.lamports


def _transfer(mint: Pubkey, source: Pubkey, target: Pubkey, amount: int) -> Iterator[tuple[Place, int]]:
    yield (source, mint), -amount
    yield (target, mint), amount


def _pay_out(mint: Pubkey, source: Pubkey, target: Pubkey, amount: int) -> Iterator[tuple[Place, int]]:
    """SOL arrives as lamports."""
    yield (source, mint), -amount
    yield (target, LAMPORTS if mint == NATIVE_MINT else mint), amount


def _burn(mint: Pubkey, source: Pubkey, amount: int) -> Iterator[tuple[Place, int]]:
    yield (source, mint), -amount
    yield (mint, mint), -amount


def _moved(moves: Counter[K]) -> dict[K, int]:
    return {key: amount for key, amount in moves.items() if amount}
