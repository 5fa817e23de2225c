"""Progress of running jobs, from the index's rows and the chain's time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final

from anchor_client.generated.types import Silence
from anchor_client.kinds import JobState
from anchor_client.resources.job import JobProgress, progress_of
from indexer.models import Listing, Rental
from indexer.status import Status

TERMS: Final = tuple(
    Rental.c[name].label(f"term_{name}")
    for name in (
        *("subsidy_rate", "burn_rate", "fee_rate", "settled", "discount_bps", "holdback_bps", "holdback_window"),
    )
)
"""Columns that divide an escrow, other than those in a job's answer."""
HEARD: Final = tuple(
    Listing.c[name].label(f"heard_{name}")
    for name in ("last_heartbeat_at", "silence", "answer_by", "marked_at", "answer_slot")
)
TERM_NAMES, HEARD_NAMES = ([column.key.partition("_")[2] for column in columns] for columns in (TERMS, HEARD))


def progress_at(fields: Mapping[str, Any], added: Sequence[Any], chain: Status) -> JobProgress | None:
    """The progress of a job that runs now; `added` begins with what its row has of TERMS and HEARD."""
    if fields["status"] is not JobState.RUNNING:
        return None
    heard = dict(zip(HEARD_NAMES, added[len(TERM_NAMES) :], strict=False))
    if heard["silence"] is None:
        return None
    names = ("rate", "deposit", "duration", "started_at", "min_charge", "not_as_listed", "took_over")
    terms = SimpleNamespace(**dict(zip(TERM_NAMES, added, strict=False)), **{name: fields[name] for name in names})
    return progress_of(terms, _heard(heard), fields["compensation"], chain.now(), chain.head_now)


def _heard(row: Mapping[str, Any]) -> SimpleNamespace:
    silence = Silence[row["silence"].upper()]
    window = row["answer_by"] - row["marked_at"] if silence is Silence.MARKED else 0
    return SimpleNamespace(**{**row, "silence": silence, "answer_window": window})
