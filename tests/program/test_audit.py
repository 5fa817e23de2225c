"""The audit notices what it is there to notice: a transaction told differently does not pass it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.account import Account

from anchor_client.generated import events
from anchor_client.generated.pdas import find_vault

from .harness.actors import GPUM, HOST, RENTER, STRANGER
from .harness.audit import Audit
from .harness.flows import running
from .harness.outcome import Outcome
from .harness.terms import HOUR
from .harness.tokens import put_tokens, token_address
from .harness.world import World


@pytest.fixture
def told(world: World) -> tuple[Audit, Outcome]:
    """The audit before a stop after a settlement, and that stop."""
    rental = running(world)
    world.run(HOUR // 3)
    world.act(world.settle_rental(rental))
    world.run(HOUR // 3)
    before = world.audit.copy()
    return before, world.act(world.stop_rental(rental))


def test_audit__as_it_happened__passes(world: World, told: tuple[Audit, Outcome]) -> None:
    audit, outcome = told
    audit.check(outcome, world.cluster.account)


@pytest.mark.parametrize(
    "field",
    [
        "used",
        "charged",
        "deposit",
        "subsidy",
        "paid",
        "paid_now",
        "fees",
        "burned",
        "refunded",
        "subsidy_returned",
        "tip_lamports",
        "seq",
        "listing_seq",
        "vault_seq",
    ],
)
@pytest.mark.parametrize("step", [-1, 1])
def test_audit__any_figure_one_off__is_noticed(
    world: World, told: tuple[Audit, Outcome], field: str, step: int
) -> None:
    audit, outcome = told
    event: Any = outcome.event(events.RentalClosed)
    changed = replace(event, **{field: getattr(event, field) + step})
    with pytest.raises(AssertionError):
        audit.check(replace(outcome, events=(changed,)), world.cluster.account)


@pytest.mark.parametrize(("field", "key"), [("renter", HOST), ("closed_by", STRANGER)])
def test_audit__somebody_else__is_noticed(world: World, told: tuple[Audit, Outcome], field: str, key: object) -> None:
    audit, outcome = told
    event: Any = outcome.event(events.RentalClosed)
    with pytest.raises(AssertionError):
        audit.check(replace(outcome, events=(replace(event, **{field: key}),)), world.cluster.account)


def test_audit__signed_by_somebody_else__is_noticed(world: World, told: tuple[Audit, Outcome]) -> None:
    audit, outcome = told
    with pytest.raises(AssertionError, match="has not signed"):
        audit.check(replace(outcome, instructions=(world.heartbeat(),)), world.cluster.account)


def test_audit__no_event__is_noticed(world: World, told: tuple[Audit, Outcome]) -> None:
    audit, outcome = told
    with pytest.raises(AssertionError, match="changed without an event"):
        audit.check(replace(outcome, events=()), world.cluster.account)


def test_audit__event_twice__is_noticed(world: World, told: tuple[Audit, Outcome]) -> None:
    audit, outcome = told
    with pytest.raises((AssertionError, KeyError)):
        audit.check(replace(outcome, events=outcome.events * 2), world.cluster.account)


@pytest.mark.parametrize("owner", [find_vault(GPUM, 0)[0], RENTER, HOST])
@pytest.mark.parametrize("step", [-1, 1])
def test_audit__one_token_astray__is_noticed(world: World, told: tuple[Audit, Outcome], owner: Any, step: int) -> None:
    audit, outcome = told
    account = put_tokens(world.cluster, GPUM, owner, world.tokens(owner) + step)
    assert account == token_address(owner, GPUM)
    after = {**outcome.after, account: world.cluster.account(account)}
    with pytest.raises(AssertionError):
        audit.check(replace(outcome, after=after), world.cluster.account)


@pytest.mark.parametrize("account", [STRANGER, token_address(STRANGER, GPUM)])
def test_audit__loss_of_somebody_who_has_not_signed__is_noticed(
    world: World, told: tuple[Audit, Outcome], account: Any
) -> None:
    audit, outcome = told
    richer = world.cluster.account(account)
    assert richer is not None
    if account == STRANGER:
        world.cluster.set_account(STRANGER, Account(richer.lamports - 1, b"", richer.owner))
    else:
        put_tokens(world.cluster, GPUM, STRANGER, world.tokens(STRANGER) - 1)
    before, after = {**outcome.before, account: richer}, {**outcome.after, account: world.cluster.account(account)}
    with pytest.raises(AssertionError, match="has not agreed"):
        audit.check(replace(outcome, before=before, after=after), world.cluster.account)
