"""Evidence against the index in its database: vaults that differ from the chain, gaps, and events nobody could read."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, func, select

from indexer.index.proof.gaps import known_gaps
from indexer.models import Cursor, DeadLetter, Reconciliation, SeqGap, SupplyCheck, VaultCheck

NAMED_GAPS = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence in the database; empty when it cannot be read."""

    cursor_slot: int | None = None
    gaps: int | None = None
    dead_letters: int | None = None
    checks: list[VaultCheck] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


COUNTS = select(
    select(Cursor.c.slot).where(Cursor.c.source == bindparam("program")).scalar_subquery(),
    select(func.count()).select_from(SeqGap.table).scalar_subquery(),
    select(func.count()).select_from(DeadLetter.table).scalar_subquery(),
)
CHECKS = select(*(Reconciliation.c[name] for name in VaultCheck.model_fields)).order_by(Reconciliation.c.vault)

SUPPLIES = select(SupplyCheck.c.mint, SupplyCheck.c.difference).where(SupplyCheck.c.difference.is_not(None))


def evidence_of(connection: Connection, program: str) -> Evidence:
    """As the last comparisons and looks have left it."""
    cursor, gaps, letters = connection.execute(COUNTS, {"program": program}).one()
    checks = [VaultCheck(**row) for row in connection.execute(CHECKS).mappings()]
    problems = [f"vault {check.vault}: {check.difference}" for check in checks if check.difference]
    problems += [f"mint {mint}: {difference}" for mint, difference in connection.execute(SUPPLIES)]
    if gaps:
        named = "; ".join(map(str, known_gaps(connection, NAMED_GAPS)))
        problems.append(f"{gaps} gaps in the events: {named}{'; ...' if gaps > NAMED_GAPS else ''}")
    if letters:
        problems.append(f"{letters} events could not be read")
    return Evidence(cursor, gaps, letters, checks, problems)
