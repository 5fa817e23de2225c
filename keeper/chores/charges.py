"""Moves meters along: notes ends, pays hosts, drops what was disputed and gives caps back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import structlog
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Meter
from anchor_client.rpc import Reader
from anchor_client.tokens import TOKEN_ACCOUNT_BYTES, create_associated_token
from keeper.chores.chore import Errand, Look
from keeper.settings import ChoreName
from keeper.tasks.close_meter import CLOSE_METER
from keeper.tasks.end_meter import END_METER
from keeper.tasks.meter_due import MeterDue, MeterSnapshot, MeterTask, find_meters_due
from keeper.tasks.resolve_dispute import RESOLVE_DISPUTE
from keeper.tasks.settle_meter import SETTLE_METER
from keeper.token_accounts import Payee, find_token_accounts

METER_TASKS: Final[tuple[MeterTask, ...]] = (END_METER, RESOLVE_DISPUTE, CLOSE_METER, SETTLE_METER)
TOKEN_ACCOUNTS: Final = ("host_token", "renter_token")

log = structlog.get_logger(__name__)


class Charges:
    """Moves every meter that is due one step along."""

    name: Final = ChoreName.CHARGES

    async def find_due(self, look: Look) -> list[Errand]:
        """The meters to move, without those whose parties need more token accounts than may be lost.

        Raises the network's errors.
        """
        reader = look.reader
        due = find_meters_due(METER_TASKS, await read_meters(reader, look.now))
        accounts = await find_token_accounts(reader, (payee for entry in due for payee in _payees(entry)))
        rent = await reader.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES) if None in accounts.values() else 0
        errands = []
        for entry in sorted(due, key=lambda entry: METER_TASKS.index(entry.task)):
            missing = [payee for payee in _payees(entry) if accounts[payee] is None]
            if rent * len(missing) > look.loss:
                log.info("meter_skipped", meter=str(entry.address), reason="token_account_missing")
                continue
            creates = [create_associated_token(look.payer, payee.owner, payee.mint) for payee in missing]
            move = _instruction(entry, accounts, reader.program_id)
            errands.append(Errand(entry.task.name, entry.address, [[*creates, move]]))
        return errands


async def read_meters(reader: Reader, now: int) -> MeterSnapshot:
    """The meters as they stand; `now` was read before. Raises the network's errors."""
    meters = await reader.read_all(Meter)
    rentals = [meter.rental for meter in meters.values() if meter.ended_at == 0]
    accounts = await reader.accounts(rentals) if rentals else []
    ended = {
        rental
        for rental, account in zip(rentals, accounts, strict=True)
        if account is None or account.owner != reader.program_id
    }
    return MeterSnapshot(now, meters, frozenset(ended))


def _instruction(due: MeterDue, accounts: Mapping[Payee, Pubkey | None], program_id: Pubkey) -> Instruction:
    named = {
        name: accounts[payee] or payee.associated
        for payee, name, paid in zip(_parties(due.meter), TOKEN_ACCOUNTS, due.task.pays, strict=True)
        if paid
    }
    return due.task.build(meter=due.address, meter_data=due.meter, program_id=program_id, **named)


def _parties(meter: Meter) -> tuple[Payee, Payee]:
    """The host and the renter."""
    return Payee(meter.authority, meter.mint), Payee(meter.renter, meter.mint)


def _payees(due: MeterDue) -> list[Payee]:
    return [payee for payee, paid in zip(_parties(due.meter), due.task.pays, strict=True) if paid]
