"""Meters of traffic and storage: pays hosts, drops disputed usage and returns caps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from solders.instruction import Instruction

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Meter
from anchor_client.payment_tokens import payout_bump
from anchor_client.rules.meter import dispute_by, report_by, resolve_by
from anchor_client.solana.rpc import Reader
from keeper.tasks.task import DueTask, Parties, Payee, Subject, Task, TaskAccounts, find_due


@dataclass(frozen=True, slots=True)
class MeterSubject(Subject):
    """An open meter."""

    meter: Meter = field(repr=False)

    @property
    def host(self) -> Payee:
        """The host, who is paid for usage."""
        return Payee(self.meter.authority, self.meter.mint)

    @property
    def renter(self) -> Payee:
        """The renter, who gets the rest of the cap."""
        return Payee(self.meter.renter, self.meter.mint)


def _resolved_at(subject: MeterSubject) -> int | None:
    return resolve_by(subject.meter) + 1 if subject.meter.disputed > 0 else None


def _resolve(subject: MeterSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [build.resolve_dispute(meter=subject.address, program_id=accounts.program_id)]


def _closed_at(subject: MeterSubject) -> int | None:
    meter = subject.meter
    last_report = report_by(subject.meter)
    if last_report is None or meter.disputed > 0:
        return None
    return (max(last_report, dispute_by(meter)) if meter.pending > 0 else last_report) + 1


def _close(subject: MeterSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [
        build.close_meter(
            caller=accounts.caller,
            meter=subject.address,
            meter_data=subject.meter,
            host_payout=accounts.host_payout,
            renter_payout=accounts.renter_payout,
            program_id=accounts.program_id,
        )
    ]


def _settled_at(subject: MeterSubject) -> int | None:
    meter = subject.meter
    if meter.accepted > meter.paid:
        return meter.opened_at
    return dispute_by(meter) + 1 if meter.pending > 0 else None


def _settle(subject: MeterSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [
        build.settle_meter(
            meter=subject.address,
            meter_data=subject.meter,
            host_payout=accounts.host_payout,
            payout_bump=payout_bump(subject.meter.authority, subject.meter.mint),
            program_id=accounts.program_id,
        )
    ]


RESOLVE_DISPUTE: Final[Task[MeterSubject]] = Task("resolve_dispute", _resolved_at, _resolve)
CLOSE_METER: Final[Task[MeterSubject]] = Task(
    "close_meter", _closed_at, _close, lambda subject: Parties(subject.host, subject.renter)
)
SETTLE_METER: Final[Task[MeterSubject]] = Task(
    "settle_meter", _settled_at, _settle, lambda subject: Parties(host=subject.host)
)
CHARGES_TASKS: Final = (RESOLVE_DISPUTE, CLOSE_METER, SETTLE_METER)


async def find_charges_due(reader: Reader, now: int) -> list[DueTask[Any]]:
    """The meters with a due step, one each. Raises network errors."""
    return list(find_due(CHARGES_TASKS, await read_meters(reader), now))


async def read_meters(reader: Reader) -> list[MeterSubject]:
    """The current meters. Raises network errors."""
    meters = await reader.read_all(Meter)
    return [MeterSubject(address, meter) for address, meter in meters.items()]
