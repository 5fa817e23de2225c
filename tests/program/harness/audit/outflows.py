"""Tokens and lamports that leave the program: who may gain by which instruction, and into which account.

docs/payments.md lists the accounts of each instruction. Whatever they are called, tokens go into the associated account
of their owner unless that owner signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.instructions import decode_instruction
from anchor_client.generated.pdas import find_governance
from anchor_client.generated.program import PROGRAM_ID

from ..keys import is_wallet_address
from ..outcome import Outcome
from ..tokens import token_account, token_address
from .movements import is_wallet

PAYMENTS: Final = Path(__file__).parents[4] / "docs" / "payments.md"
GOVERNANCE: Final = find_governance()[0]
HEADING: Final = "## Accounts that an instruction pays"
OTHERS: Final = "others"
"""Accounts that an instruction takes beyond those it names."""


@dataclass(frozen=True, slots=True)
class Gain:
    """An account that gained tokens or lamports, and its names in the instruction."""

    address: Pubkey
    names: frozenset[str]
    into: tuple[Pubkey, Pubkey] | None
    """Owner and mint of a token account; None for lamports of a wallet."""


@dataclass(frozen=True, slots=True)
class Row:
    """Accounts that an instruction may pay."""

    payouts: frozenset[str]
    """In tokens; of SOL in lamports, but for the treasury."""
    lamports: frozenset[str]

    def allows(self, gain: Gain) -> bool:
        allowed = self.payouts if gain.into else self.payouts | self.lamports
        return bool(allowed & gain.names)


def check_outflows(outcome: Outcome) -> None:
    """Each gain is in the table, and tokens go where their owner has them or says so."""
    for gain in gains(outcome):
        if gain.into is not None:
            owner, mint = gain.into
            assert owner in outcome.signers or gain.address == token_address(owner, mint), gain
        if _is_alone(outcome):
            name = decode_instruction(outcome.instructions[0]).name
            assert table().get(name, Row(frozenset(), frozenset())).allows(gain), f"{name}: {gain}"


def gains(outcome: Outcome) -> Iterator[Gain]:
    """Wallets and their token accounts that have more after a transaction, its fee payer apart."""
    names: dict[Pubkey, set[str]] = {}
    if _is_alone(outcome):
        decoded = decode_instruction(outcome.instructions[0])
        for name, address in (*decoded.accounts.items(), *((OTHERS, other) for other in decoded.remaining)):
            names.setdefault(address, set()).add(name)
    for address, after in outcome.after.items():
        before, of_it = outcome.before[address], frozenset(names.get(address, ()))
        held, holds = token_account(before), token_account(after)
        if holds is not None:
            if not _is_kept(holds.owner) and holds.amount > (0 if held is None else held.amount):
                yield Gain(address, of_it, (holds.owner, holds.mint))
        elif is_wallet(before) and is_wallet(after) and outcome.lamports_gained(address) > 0:
            yield Gain(address, of_it, None)


def _is_alone(outcome: Outcome) -> bool:
    """True for a transaction of one instruction of the market's program."""
    return [each.program_id for each in outcome.instructions] == [PROGRAM_ID]


@cache
def table() -> dict[str, Row]:
    """Row of docs/payments.md for each instruction that pays anything out."""
    section = PAYMENTS.read_text().split(HEADING)[1].split("\n## ")[0]
    rows: dict[str, Row] = {}
    for line in section.splitlines():
        cells = [frozenset(re.findall(r"`(\w+)`", cell)) for cell in line.split("|")[1:-1]]
        if len(cells) == 3 and cells[0]:
            for instruction in cells[0]:
                assert instruction not in rows, f"{instruction} has two rows"
                rows[instruction] = Row(*cells[1:])
    return rows


def _is_kept(owner: Pubkey) -> bool:
    """True for tokens of a vault, the pool or the catalog: they have not left the program."""
    return not is_wallet_address(owner) and owner != GOVERNANCE
