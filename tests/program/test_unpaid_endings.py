"""An ending never fails because of a payee: what they cannot take is owed, and paid later to them alone.

Invariants RNT-19, RNT-20.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from solders.account import Account
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.instructions import close_listing
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types.rental_state import RentalState

from .harness.actors import GPUM, HOST, KEEPER, LISTING, LISTINGS, RENTER, STRANGER, TENANT, USDC, WSOL
from .harness.charges import metered, open_meter, read
from .harness.endings import PAYING, REFUNDING, Ending, each
from .harness.flows import opened, running
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.spot import GRACE, challenged, held, outbid, preempt, register_stranger, take_over, withdraw_challenger
from .harness.terms import HOUR
from .harness.tokens import put_tokens, token_address
from .harness.world import World

PAYEES = pytest.mark.parametrize(
    ("payee", "payout", "ending"),
    [
        *(pytest.param(HOST, "host_payout", ending, id=f"host-{ending}") for ending in PAYING),
        *(pytest.param(RENTER, "renter_payout", ending, id=f"renter-{ending}") for ending in REFUNDING),
    ],
)
"""Each side of a rental in each ending that pays it."""
TIP = 20_000


def close(world: World, owner: Pubkey, mint: Pubkey) -> None:
    """The owner closes their token account; what it held is spent."""
    world.cluster.set_account(token_address(owner, mint), Account(0, b"", SYSTEM_PROGRAM))


def freeze(world: World, owner: Pubkey, mint: Pubkey) -> None:
    """The mint's issuer freezes the owner's account."""
    put_tokens(world.cluster, mint, owner, world.tokens(owner, mint), frozen=True)


def thaw(world: World, owner: Pubkey, mint: Pubkey = USDC) -> None:
    put_tokens(world.cluster, mint, owner, world.tokens(owner, mint))


Harm = Callable[[World, Pubkey, Pubkey], None]
HARMS = pytest.mark.parametrize("harm", [close, freeze])


def owed_to_host(world: World) -> int:
    """A listing that owes its host."""
    rental = running(world, mint=USDC)
    world.run(HOUR)
    freeze(world, HOST, USDC)
    world.act(world.finalize_rental(rental))
    return world.listing().owed


def owed_to_renter(world: World) -> Pubkey:
    """An ended rental that owes its renter."""
    rental = running(world, mint=USDC)
    world.run(HOUR // 2)
    freeze(world, RENTER, USDC)
    world.act(world.stop_rental(rental))
    return rental


@each(PAYING)
@HARMS
def test_end_rental__host_that_cannot_be_paid__ends_and_owes_by_the_listing(
    world: World, ending: Ending, harm: Harm
) -> None:
    rental = ending.prepare(world, mint=USDC)
    harm(world, HOST, USDC)
    event = world.act(ending.act(world, rental)).event(events.RentalClosed)
    assert event.host_owed == event.paid_now > 0 and event.renter_owed == 0
    assert not world.exists(rental)
    listing, vault = world.listing(), find_vault(USDC, 0)[0]
    assert (listing.owed, listing.owed_vault) == (event.host_owed, vault)
    assert world.vault(USDC).liabilities == event.host_owed
    assert world.tokens(RENTER, USDC) == WALLET_TOKENS - event.deposit + event.refunded


@each(REFUNDING)
@HARMS
def test_end_rental__renter_that_cannot_be_refunded__ends_and_stays_as_the_record(
    world: World, ending: Ending, harm: Harm
) -> None:
    rental = ending.prepare(world, mint=USDC)
    harm(world, RENTER, USDC)
    outcome = world.act(ending.act(world, rental))
    event = outcome.event(events.RentalClosed)
    assert event.renter_owed == event.refunded > 0 and event.host_owed == 0
    record = world.rental(rental)
    assert (record.state, record.deposit) == (RentalState.ENDED, event.renter_owed)
    account = world.cluster.account(rental)
    assert account is not None
    assert account.lamports == world.cluster.rent(Rental.SIZE) + TIP - event.tip_lamports
    assert world.vault(USDC).liabilities == event.renter_owed
    assert world.listing().current == Pubkey.default()
    if ending.name != "report_offline":
        world.act(world.open_rental(TENANT))


@each(PAYING)
def test_end_rental__frozen_vault__owes_both(world: World, ending: Ending) -> None:
    rental = ending.prepare(world, mint=USDC)
    vault = find_vault(USDC, 0)[0]
    freeze(world, vault, USDC)
    event = world.act(ending.act(world, rental)).event(events.RentalClosed)
    assert (event.host_owed, event.renter_owed) == (event.paid_now, event.refunded)
    assert world.vault(USDC).liabilities == event.paid_now + event.refunded
    with expect(errors.PayeeNotPayable):
        world.act(world.claim_payout())
    thaw(world, vault)
    world.act(world.claim_payout())
    if event.renter_owed:
        world.act(world.claim_refund(rental))
    assert world.vault(USDC).liabilities == 0


@each(PAYING)
def test_end_rental__sol_to_parties_without_wrapped_sol__arrives_as_lamports(world: World, ending: Ending) -> None:
    rental = ending.prepare(world, mint=WSOL)
    for owner in (HOST, RENTER):
        close(world, owner, WSOL)
    outcome = world.act(ending.act(world, rental))
    event = outcome.event(events.RentalClosed)
    assert outcome.lamports_gained(HOST) == event.paid_now > 0
    assert event.host_owed == event.renter_owed == 0 and not world.exists(rental)


@each(REFUNDING)
def test_end_rental__sol_to_an_empty_wallet__comes_with_the_rent(world: World, ending: Ending) -> None:
    rental = ending.prepare(world, mint=WSOL)
    world.cluster.set_account(RENTER, Account(0, b"", SYSTEM_PROGRAM))
    outcome = world.act(ending.act(world, rental))
    event = outcome.event(events.RentalClosed)
    assert event.renter_owed == 0 and not world.exists(rental)
    assert outcome.lamports_gained(RENTER) >= event.refunded + world.cluster.rent(Rental.SIZE)


def test_end_rental__sol_below_the_rent_of_an_empty_wallet__is_owed(world: World) -> None:
    rental = running(world, mint=WSOL)
    world.run(1)
    world.cluster.set_account(HOST, Account(0, b"", SYSTEM_PROGRAM))
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert 0 < event.host_owed == event.paid_now < world.cluster.rent(0)
    lacking = world.cluster.rent(0) - event.host_owed
    for lamports in (0, lacking - 1):
        world.cluster.set_account(HOST, Account(lamports, b"", SYSTEM_PROGRAM))
        with expect(errors.PayeeNotPayable):
            world.act(world.claim_payout())
    world.cluster.set_account(HOST, Account(lacking, b"", SYSTEM_PROGRAM))
    assert world.act(world.claim_payout()).lamports_gained(HOST) == event.host_owed


@PAYEES
def test_end_rental__sol_to_another_wallet__is_refused(
    world: World, payee: Pubkey, payout: str, ending: Ending
) -> None:
    rental = ending.prepare(world, mint=WSOL)
    for other in (STRANGER, KEEPER, token_address(payee, WSOL)):
        with expect(errors.WrongPayee):
            world.act(ending.act(world, rental, **{payout: other}))


@PAYEES
def test_end_rental__payees_other_account__only_they_may_name(
    world: World, payee: Pubkey, payout: str, ending: Ending
) -> None:
    rental = ending.prepare(world)
    other = put_tokens(world.cluster, GPUM, payee, 0, at=address("second account"))
    act = ending.act(world, rental, **{payout: other})
    if ending.caller == payee:
        world.act(act)
    else:
        with expect(errors.NotAssociated):
            world.act(act)


@each(PAYING)
def test_end_rental__payable_host__cannot_be_made_a_creditor(world: World, ending: Ending) -> None:
    """Otherwise whoever ends a rental could keep its listing from orders until the host claims."""
    rental = ending.prepare(world, mint=USDC)
    frozen = put_tokens(world.cluster, USDC, HOST, 0, at=address("frozen"), frozen=True)
    for error, account in (
        (errors.TokenAccountFrozen, frozen),
        (errors.InvalidTokenAccount, address("nothing")),
        (errors.WrongTokenOwner, token_address(STRANGER, USDC)),
        (errors.WrongMint, token_address(HOST, GPUM)),
    ):
        with expect(error):
            world.act(ending.act(world, rental, host_payout=account))


def test_claim_payout__anyone__pays_the_host_alone(world: World) -> None:
    owed, before = owed_to_host(world), world.tokens(HOST, USDC)
    with expect(errors.PayeeNotPayable):
        world.act(world.claim_payout())
    thaw(world, HOST)
    second = put_tokens(world.cluster, USDC, HOST, 0, at=address("second"))
    for payout, error in (
        (token_address(STRANGER, USDC), errors.WrongTokenOwner),
        (token_address(HOST, GPUM), errors.WrongMint),
        (second, errors.NotAssociated),
    ):
        with expect(error):
            world.act(world.claim_payout(caller=STRANGER, host_payout=payout))
    outcome = world.act(world.claim_payout(caller=STRANGER))
    seqs = (world.listing().seq, world.vault(USDC).seq)
    assert outcome.event(events.PayoutClaimed) == events.PayoutClaimed(
        LISTING, HOST, find_vault(USDC, 0)[0], USDC, owed, world.now, *seqs
    )
    assert world.tokens(HOST, USDC) == before + owed


def test_claim_payout__claimed__is_refused(world: World) -> None:
    owed_to_host(world)
    thaw(world, HOST)
    claim = world.claim_payout()
    world.act(claim)
    with expect(errors.WrongVault):
        world.act(claim)


def test_claim_payout__another_vault__is_refused(world: World) -> None:
    owed_to_host(world)
    thaw(world, HOST)
    vault = find_vault(GPUM, 0)[0]
    with expect(errors.WrongVault):
        world.act(world.claim_payout(vault=vault, vault_token=token_address(vault, GPUM)))


def test_claim_payout__the_host__may_name_another_account(world: World) -> None:
    owed = owed_to_host(world)
    other = put_tokens(world.cluster, USDC, HOST, 0, at=address("host's second account"))
    world.act(world.claim_payout(caller=HOST, host_payout=other))
    assert (world.listing().owed, world.vault(USDC).total_paid) == (0, owed)


def test_listing__that_owes_its_host__takes_no_order_and_stays(world: World) -> None:
    owed_to_host(world)
    closing = close_listing(authority=HOST, listing=LISTING, listing_data=world.listing())
    for act in (world.open_rental(TENANT), world.open_rental(TENANT, mint=WSOL), closing):
        with expect(errors.PayoutUnclaimed):
            world.act(act)
    thaw(world, HOST)
    world.act(world.claim_payout(), world.open_rental(TENANT))


def test_claim_refund__anyone__pays_the_renter_alone_and_returns_the_rent(world: World) -> None:
    rental = owed_to_renter(world)
    owed, before = world.rental(rental).deposit, world.tokens(RENTER, USDC)
    with expect(errors.PayeeNotPayable):
        world.act(world.claim_refund(rental))
    thaw(world, RENTER)
    second = put_tokens(world.cluster, USDC, RENTER, 0, at=address("second"))
    for payout, error in (
        (token_address(STRANGER, USDC), errors.WrongTokenOwner),
        (token_address(RENTER, GPUM), errors.WrongMint),
        (second, errors.NotAssociated),
    ):
        with expect(error):
            world.act(world.claim_refund(rental, caller=STRANGER, renter_payout=payout))
    with expect(errors.WrongRenter):
        world.act(world.claim_refund(rental, renter=STRANGER))
    seq = world.rental(rental).seq
    outcome = world.act(world.claim_refund(rental, caller=STRANGER))
    assert outcome.event(events.RefundClaimed) == events.RefundClaimed(
        rental, RENTER, USDC, owed, world.now, seq + 1, world.vault(USDC).seq
    )
    assert world.tokens(RENTER, USDC) == before + owed
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE)
    assert not world.exists(rental)


def test_claim_refund__live_rental__is_refused(world: World) -> None:
    for rental in (opened(world), running(world, TENANT, listing=LISTINGS[1])):
        with expect(errors.WrongRentalState):
            world.act(world.claim_refund(rental))


def test_ended_rental__every_act_of_a_live_one__is_refused(world: World) -> None:
    rental = owed_to_renter(world)
    world.act(world.heartbeat())
    for act in (
        world.start_rental(rental),
        world.settle_rental(rental),
        world.extend_rental(rental),
        world.rate_rental(rental),
        world.report_issue(rental),
        world.finalize_rental(rental),
        world.report_offline(rental),
        open_meter(world, rental),
    ):
        with expect(errors.WrongRentalState):
            world.act(act)
    for act in (world.accept_rental(rental), world.stop_rental(rental), world.cancel_rental(rental)):
        with expect(errors.RentalWaiting):
            world.act(act)
    world.wait(901)
    with expect(errors.RentalWaiting):
        world.act(world.cancel_unstarted(rental))


def test_stop_rental__renter_who_cannot_be_paid__ends_the_meter_all_the_same(world: World) -> None:
    meter = metered(world, mint=USDC)
    rental = world.listing().current
    world.run(HOUR // 2)
    freeze(world, RENTER, USDC)
    world.act(world.stop_rental(rental))
    assert world.rental(rental).state == RentalState.ENDED
    assert read(world, meter).ended_at == world.now


def test_outbid__beaten_renter_without_an_account__cannot_hold_the_place(world: World) -> None:
    held(world)
    register_stranger(world)
    beaten = challenged(world, mint=USDC)
    close(world, TENANT, USDC)
    world.act(outbid(world, STRANGER))
    assert world.rental(beaten).state == RentalState.ENDED
    assert world.listing().challenger != beaten
    put_tokens(world.cluster, USDC, TENANT, 0)
    world.act(world.claim_refund(beaten))


def test_outbid__beaten_in_sol__gets_lamports(world: World) -> None:
    held(world)
    register_stranger(world)
    beaten = challenged(world, mint=WSOL)
    close(world, TENANT, WSOL)
    deposit = world.rental(beaten).deposit
    outcome = world.act(outbid(world, STRANGER))
    assert outcome.lamports_gained(TENANT) == deposit + world.cluster.rent(Rental.SIZE) + TIP


def test_withdraw_challenger__renter_without_an_account__leaves_all_the_same(world: World) -> None:
    held(world)
    rental = challenged(world, mint=USDC)
    close(world, TENANT, USDC)
    world.wait(1)
    world.act(withdraw_challenger(world, rental))
    assert world.rental(rental).state == RentalState.ENDED and not any(bytes(world.listing().challenger))


def test_preempt__host_that_cannot_be_paid__hands_over_once_claimed(world: World) -> None:
    holder = held(world, mint=USDC)
    challenger = challenged(world, mint=WSOL)
    world.run(GRACE)
    freeze(world, HOST, USDC)
    outcome = world.act(preempt(world))
    assert [type(event) for event in outcome.events] == [events.RentalClosed, events.HolderCompensated]
    assert not world.exists(holder)
    listing = world.listing()
    assert (listing.current, listing.challenger) == (Pubkey.default(), challenger) and listing.owed > 0
    with expect(errors.PayoutUnclaimed):
        world.act(take_over(world))
    thaw(world, HOST)
    world.act(world.claim_payout(), take_over(world))
    assert world.listing().current == challenger
