"""report_issue: a renter says what is wrong, while the rental exists."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.rental_issue import RentalIssue

from .harness.actors import HOST, LISTING, STRANGER, TENANT
from .harness.flows import Flow, accepted, opened, running
from .harness.outcome import expect, expect_refusal
from .harness.world import World


@pytest.mark.parametrize("issue", list(RentalIssue))
@pytest.mark.parametrize("bring", [opened, accepted, running])
def test_report_issue__renter__is_told_and_moves_nothing(world: World, bring: Flow, issue: RentalIssue) -> None:
    rental = bring(world)
    before, vault = world.rental(rental), world.vault()
    event = world.act(world.report_issue(rental, issue)).event(events.IssueReported)
    assert event == events.IssueReported(rental=rental, listing=LISTING, issue=issue, at=world.now, seq=before.seq + 1)
    after = world.rental(rental)
    assert after.field_values() == before.field_values() | {"seq": before.seq + 1}
    assert world.vault() == vault


def test_report_issue__on_the_way_to_stopping__both_in_one_transaction(world: World) -> None:
    rental = running(world)
    reported, closed = world.act(world.report_issue(rental, RentalIssue.SLOW), world.stop_rental(rental)).events
    assert isinstance(reported, events.IssueReported) and isinstance(closed, events.RentalClosed)
    assert closed.seq == reported.seq + 1


def test_report_issue__ended__is_refused(world: World) -> None:
    rental = running(world)
    act = world.report_issue(rental)
    world.act(world.stop_rental(rental))
    with expect_refusal():
        world.act(act)


@pytest.mark.parametrize("signer", [TENANT, HOST, STRANGER])
def test_report_issue__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    rental = running(world)
    with expect(errors.WrongRenter):
        world.act(world.report_issue(rental, renter=signer))
