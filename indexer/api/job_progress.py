"""How far running jobs are, from the index's rows and the chain's time."""

from __future__ import annotations

from collections.abc import Mapping
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
"""What an escrow is divided by, besides what a job's answer has."""
HEARD: Final = tuple(
    Listing.c[name].label(f"heard_{name}")
    for name in ("last_heartbeat_at", "silence", "answer_by", "marked_at", "answer_slot")
)
ADDED: Final = {column.key: column.key.partition("_") for column in (*TERMS, *HEARD)}


def take_progress(fields: dict[str, Any], chain: Status) -> JobProgress | None:
    """Takes TERMS and HEARD out of a row's fields; gives the progress of a job that runs."""
    taken: dict[str, dict[str, Any]] = {"term": {}, "heard": {}}
    for key, (kind, _, name) in ADDED.items():
        taken[kind][name] = fields.pop(key)
    if fields["status"] is not JobState.RUNNING or taken["heard"]["silence"] is None:
        return None
    names = ("rate", "deposit", "duration", "started_at", "min_charge")
    terms = SimpleNamespace(**taken["term"] | {name: fields[name] for name in names})
    return progress_of(terms, _heard(taken["heard"]), fields["compensation"], chain.now(), chain.head_now)


def _heard(row: Mapping[str, Any]) -> SimpleNamespace:
    silence = Silence[row["silence"].upper()]
    window = row["answer_by"] - row["marked_at"] if silence is Silence.MARKED else 0
    return SimpleNamespace(**{**row, "silence": silence, "answer_window": window})
