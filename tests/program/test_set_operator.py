"""set_operator: the owner's wallet says which key serves a machine. Invariants HST-8, RNT-7, RNT-9."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types.listing_spec import ListingSpec
from tests.markets.spec import spec_with

from .harness.actors import HOST, LISTING, LISTINGS, RENTER, RIVAL, RIVAL_LISTING, STRANGER, USDC
from .harness.charges import CHARGES, metered, read, report_usage, set_charges
from .harness.flows import accepted, opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.staking import lock_mfp, unlock_mfp, withdraw_mfp
from .harness.terms import DAY, HOUR
from .harness.tokens import put_tokens, token_address
from .harness.world import World

OPERATOR = STRANGER
CHEAP: ListingSpec = spec_with(on_demand_usd=1, spot_min_usd=0)

Prepare = Callable[[World], Instruction]


def _accept(world: World) -> Instruction:
    return world.accept_rental(opened(world))


def _start(world: World) -> Instruction:
    return world.start_rental(accepted(world))


def _cancel(world: World) -> Instruction:
    return world.cancel_rental(running(world))


def _heartbeat(world: World) -> Instruction:
    world.wait(1)
    return world.heartbeat()


def _report(world: World) -> Instruction:
    return report_usage(world, metered(world), 1)


SERVING: dict[str, Prepare] = {
    "heartbeat": _heartbeat,
    "accept": _accept,
    "start": _start,
    "cancel": _cancel,
    "report": _report,
}
"""Instructions that only the operator signs."""


def signed_by(signer: Pubkey, act: Instruction) -> Instruction:
    """The instruction signed by another, who stands first."""
    metas = list(act.accounts)
    metas[0] = type(metas[0])(signer, is_signer=True, is_writable=metas[0].is_writable)
    return Instruction(act.program_id, bytes(act.data), metas)


def test_set_operator__owner__names_another_key(world: World) -> None:
    before = world.listing()
    assert before.operator == HOST
    event = world.act(world.set_operator(OPERATOR)).event(events.OperatorSet)
    assert event == events.OperatorSet(
        listing=LISTING, host=find_host(HOST)[0], old=HOST, new=OPERATOR, at=world.now, seq=before.seq + 1
    )
    assert (world.listing().operator, world.listing(LISTINGS[1]).operator) == (OPERATOR, HOST)


@pytest.mark.parametrize("signer", [OPERATOR, RIVAL, RENTER])
def test_set_operator__not_the_owner__is_refused(world: World, signer: Pubkey) -> None:
    world.act(world.set_operator(OPERATOR))
    with expect(errors.WrongHost):
        world.act(world.set_operator(RIVAL, authority=signer))


def test_set_operator__nobody__is_refused(world: World) -> None:
    with expect(errors.InvalidOperator):
        world.act(world.set_operator(Pubkey.default()))


@pytest.mark.parametrize("name", SERVING)
def test_set_operator__key_that_is_replaced__serves_no_longer(world: World, name: str) -> None:
    """The owner's wallet is no exception: it operates only while it is named."""
    act = SERVING[name](world)
    world.act(world.set_operator(OPERATOR))
    with expect(errors.WrongOperator):
        world.act(act)
    world.act(world.set_operator(RIVAL))
    with expect(errors.WrongOperator):
        world.act(signed_by(OPERATOR, act))
    world.act(signed_by(RIVAL, act))


def test_set_operator__key_that_is_replaced__settles_without_being_heard(world: World) -> None:
    rental = running(world)
    world.run(100)
    heard = world.now
    world.act(world.set_operator(OPERATOR))
    world.wait(50)
    event = world.act(world.settle_rental(rental, caller=HOST)).event(events.RentalSettled)
    assert (event.heard, event.settled, world.listing().last_heartbeat_at) == (False, 100, heard)
    event = world.act(world.settle_rental(rental, caller=OPERATOR)).event(events.RentalSettled)
    assert (event.heard, event.settled, world.listing().last_heartbeat_at) == (True, 150, world.now)


def test_set_operator__machines_of_two_keys__are_not_heard_in_one_heartbeat(world: World) -> None:
    world.act(world.set_operator(OPERATOR))
    world.wait(1)
    with expect(errors.WrongOperator):
        world.act(world.heartbeat(HOST, LISTING, LISTINGS[1]))


def test_set_operator__one_key_for_two_hosts__counts_for_the_host_of_each(world: World) -> None:
    world.act(world.set_operator(OPERATOR), world.set_operator(OPERATOR, RIVAL_LISTING))
    world.wait(60)
    with expect(errors.WrongHost):
        world.act(world.heartbeat(HOST, LISTING, RIVAL_LISTING))
    world.act(world.heartbeat(HOST, LISTING), world.heartbeat(RIVAL, RIVAL_LISTING))
    assert (world.host().up_seconds, world.host(RIVAL).up_seconds) == (60, 60)


def test_set_operator__listing_that_is_closed__its_owner_reports_the_last_usage(world: World) -> None:
    meter = metered(world)
    world.act(world.set_operator(OPERATOR), world.stop_rental(read(world, meter).rental))
    world.act(instructions.close_listing(authority=HOST, listing=LISTING, host=find_host(HOST)[0]))
    with expect(errors.WrongOperator):
        world.act(report_usage(world, meter, 1, operator=OPERATOR))
    world.act(report_usage(world, meter, 1))


STOLEN: dict[str, Callable[[], Instruction]] = {
    "the price": lambda: instructions.update_listing(
        authority=OPERATOR, listing=LISTING, host=find_host(HOST)[0], spec=CHEAP
    ),
    "the charges": lambda: set_charges(charges=CHARGES, authority=OPERATOR),
    "the listing": lambda: instructions.close_listing(authority=OPERATOR, listing=LISTING, host=find_host(HOST)[0]),
    "the operator": lambda: instructions.set_operator(authority=OPERATOR, listing=LISTING, operator=RIVAL),
    "the seal key": lambda: instructions.update_host(
        authority=OPERATOR, host=find_host(HOST)[0], seal_key=bytes(OPERATOR)
    ),
}
"""Changes that a thief of the operator's key would make."""


@pytest.mark.parametrize("what", STOLEN)
def test_set_operator__stolen_key__changes_nothing_that_is_offered(world: World, what: str) -> None:
    world.act(world.set_operator(OPERATOR))
    with expect(errors.WrongHost):
        world.act(STOLEN[what]())


def test_set_operator__stolen_key__is_paid_nothing(world: World) -> None:
    """Settlement, ending and claim pay the owner alone, whatever account the thief names."""
    world.act(world.set_operator(OPERATOR))
    own = token_address(OPERATOR, USDC)
    rental = running(world, mint=USDC)
    world.run(HOUR // 2)
    with expect(errors.WrongTokenOwner):
        world.act(world.settle_rental(rental, caller=OPERATOR, host_payout=own))
    with expect(errors.WrongTokenOwner):
        world.act(world.cancel_rental(rental, host_payout=own))
    held = world.tokens(HOST, USDC)
    put_tokens(world.cluster, USDC, HOST, held, frozen=True)
    world.act(world.cancel_rental(rental))
    owed = world.listing().owed
    assert owed > 0
    put_tokens(world.cluster, USDC, HOST, held)
    with expect(errors.WrongTokenOwner):
        world.act(world.claim_payout(caller=OPERATOR, host_payout=own))
    world.act(world.claim_payout(caller=OPERATOR))
    assert (world.tokens(HOST, USDC), world.tokens(OPERATOR, USDC)) == (held + owed, WALLET_TOKENS)


def test_set_operator__stolen_key__cannot_withdraw_the_lock(world: World) -> None:
    world.act(world.set_operator(OPERATOR), lock_mfp(), unlock_mfp())
    world.wait(7 * DAY)
    host = find_host(HOST)[0]
    with expect(errors.WrongHost):
        world.act(unlock_mfp(OPERATOR, host=host))
    with expect(errors.WrongHost):
        world.act(withdraw_mfp(OPERATOR, host=host))
