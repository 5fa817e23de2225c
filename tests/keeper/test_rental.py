"""Each task is due at the very second at which the program lets anyone end the rental, and not before."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.errors import ContestWindowOpen, HostOnline, ProvisioningInTime, RentalNotExpired
from anchor_client.generated.types import Silence
from anchor_client.rules.rental import contest_by
from anchor_client.solana.tokens import associated_token
from keeper.endings import EndingBuilder
from keeper.form import choose_packer
from keeper.loop import run_once
from keeper.packing import Batch
from keeper.snapshot import Snapshot, read_snapshot
from keeper.tasks import WAITING_TASKS, find_rentals_due, finished_subjects, next_rental_due_at, rental_subjects
from keeper.tasks.rental import (
    CANCEL_UNSTARTED,
    FINALIZE_RENTAL,
    MARK_SILENT,
    RELEASE_HOLDBACK,
    REPORT_OFFLINE,
    RentalSubject,
)
from keeper.tasks.task import DueTask, Task, find_due
from keeper.trial import Poisoned, try_batch
from tests.markets.parties import ANSWER_WINDOW, DURATION, OFFLINE_AFTER, PROVISION_TIMEOUT, Party, SettingsOf, World

LONG = 10 * OFFLINE_AFTER


async def refusal(
    world: World, settings: SettingsOf, task: Task[RentalSubject], rental: Pubkey
) -> GpuMarketError | None:
    """The program's refusal, now, to end the rental this way; None if it lets it."""
    keeper = settings()
    snapshot = await read_snapshot(world.reader)
    holding, waiting = rental_subjects(snapshot)
    subjects = (*holding, *waiting, *finished_subjects(snapshot))
    due = DueTask(task, next(subject for subject in subjects if subject.address == rental), 0)
    wallet = keeper.wallet().pubkey
    [ending] = EndingBuilder(wallet, world.reader.program_id).build([due])
    packer = await choose_packer(world.reader, wallet, keeper)
    result = await try_batch(world.reader, packer, Batch((ending,), packer.signature_fee))
    return result.error if isinstance(result, Poisoned) else None


def at(snapshot: Snapshot, now: int) -> list[str]:
    """The tasks that are due at `now`."""
    return [due.task.name for due in find_rentals_due(snapshot, now)]


def due_by(task: Task[RentalSubject], snapshot: Snapshot, now: int) -> list[DueTask[RentalSubject]]:
    """Rentals that one task is due for at `now`."""
    holding, waiting = rental_subjects(snapshot)
    return find_due([task], waiting if task in WAITING_TASKS else holding, now)


async def assert_boundary(
    world: World, settings: SettingsOf, task: Task[RentalSubject], rental: Pubkey, due_at: int, error: type[Exception]
) -> None:
    """The task and the program agree on the second before and the second itself; time stands still in between."""
    snapshot = await read_snapshot(world.reader)
    assert at(snapshot, due_at - 1) == [] and at(snapshot, due_at) == [task.name]
    assert next_rental_due_at(snapshot, due_at - 1) == due_at
    world.stop_clock_at(due_at - 1)
    assert isinstance(await refusal(world, settings, task, rental), error)
    world.stop_clock_at(due_at)
    assert await refusal(world, settings, task, rental) is None


async def test_finalize_rental__last_second_of_paid_time__is_due_after_it(world: World, settings: SettingsOf) -> None:
    [party] = world.running(1)
    [rental] = (await world.rentals()).values()
    due_at = rental.started_at + DURATION
    await assert_boundary(world, settings, FINALIZE_RENTAL, party.rentals[0], due_at, RentalNotExpired)


async def test_cancel_unstarted__last_second_to_start__is_due_after_it(world: World, settings: SettingsOf) -> None:
    party = world.party()
    address = world.open(party)
    due_at = (await world.rentals())[address].created_at + PROVISION_TIMEOUT + 1
    await assert_boundary(world, settings, CANCEL_UNSTARTED, address, due_at, ProvisioningInTime)


async def test_mark_silent__last_second_of_patience__is_due_after_it(world: World, settings: SettingsOf) -> None:
    [party] = world.running(1, duration=LONG)
    snapshot = await read_snapshot(world.reader)
    due_at = snapshot.listings[party.listing].last_heartbeat_at + OFFLINE_AFTER + 1
    await assert_boundary(world, settings, MARK_SILENT, party.rentals[0], due_at, HostOnline)


async def test_report_offline__last_second_to_answer__is_due_after_it(world: World, settings: SettingsOf) -> None:
    [party] = world.running(1, duration=LONG)
    world.warp(OFFLINE_AFTER + 2)
    world.acts.act(world.acts.mark_silent(party.listing))
    due_at = (await read_snapshot(world.reader)).listings[party.listing].marked_at + ANSWER_WINDOW
    await assert_boundary(world, settings, REPORT_OFFLINE, party.rentals[0], due_at, HostOnline)


async def test_release_holdback__last_second_to_contest__is_due_after_it(world: World, settings: SettingsOf) -> None:
    address = finished(world, world.party())
    due_at = contest_by((await world.rentals())[address])
    await assert_boundary(world, settings, RELEASE_HOLDBACK, address, due_at, ContestWindowOpen)


@pytest.mark.parametrize(("loss", "released"), [(5_000, ["release_holdback"]), (4_999, [])])
async def test_release_holdback__no_tip__is_paid_out_within_what_the_operator_may_lose(
    world: World, settings: SettingsOf, loss: int, released: list[str]
) -> None:
    address = finished(world, world.party())
    world.warp(contest_by((await world.rentals())[address]) - world.now())
    summary = await run_once(settings(unpaid_loss_lamports=loss))
    assert [(ended.task, ended.tip_lamports) for ended in summary.ended] == [(task, 0) for task in released]


async def test_release_holdback__host_that_cannot_be_paid__is_ended_after_a_second_window(
    world: World, settings: SettingsOf
) -> None:
    party = world.party()
    address = finished(world, party)
    rental = (await world.rentals())[address]
    world.freeze(associated_token(party.host.pubkey(), rental.mint))
    world.warp(contest_by(rental) - world.now())
    assert (await run_once(settings())).ended == []
    world.warp(rental.finish_window)
    assert [ended.task for ended in (await run_once(settings())).ended] == ["release_holdback"]
    assert not world.acts.exists(address)


@pytest.mark.parametrize(("spare", "matters"), [(0, True), (-1, False)])
async def test_silence__that_counts_around_the_end__matters_up_to_the_end_only(
    world: World, spare: int, matters: bool
) -> None:
    [party] = world.running(1, duration=LONG)
    snapshot = await read_snapshot(world.reader)
    listing = snapshot.listings[party.listing]
    [rental] = snapshot.rentals.values()
    end = rental.started_at + rental.duration
    silent = {"last_heartbeat_at": end - OFFLINE_AFTER - 1 - spare, "marked_at": end - 5, "answer_window": 10}

    def later(silence: Silence) -> Snapshot:
        fields = listing.field_values() | silent | {"silence": silence}
        return Snapshot(end, snapshot.rentals, {party.listing: type(listing)(**fields)})

    for silence, over in ((Silence.MARKED, end + 15), (Silence.PROVEN, None)):
        view = later(silence)
        assert at(view, end + 5) == (["report_offline"] if matters else ["finalize_rental"])
        finalized = due_by(FINALIZE_RENTAL, view, end)
        assert bool(finalized) == (not matters)
        if matters and over is not None:
            assert at(view, over) == ["finalize_rental"]
    assert at(later(Silence.HEARD), end) == ["finalize_rental"]


async def test_find_due__several_rentals__longest_overdue_first(world: World) -> None:
    world.running(1, duration=DURATION + 60)
    world.running(1, duration=DURATION)
    snapshot = await read_snapshot(world.reader)
    due = due_by(FINALIZE_RENTAL, snapshot, snapshot.now + DURATION + 120)
    assert [entry.subject.rental.duration for entry in due] == [DURATION, DURATION + 60]


def finished(world: World, party: Party) -> Pubkey:
    """A rental whose command has ended."""
    address = world.open(party, may_finish=True)
    world.start(party)
    world.warp(10)
    world.acts.act(world.acts.finish_rental(address))
    return address
