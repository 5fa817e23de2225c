"""GPU points, and market tokens that hosts lock."""

from __future__ import annotations

from anchor_client.generated.events import (
    CatalogInitialized,
    GpuPointsSet,
    MfpLocked,
    MfpUnlocked,
    MfpWithdrawn,
    PointsRefreshed,
)
from anchor_client.generated.pdas import find_catalog
from indexer.handlers.step import Step, on
from indexer.models import Catalog, GpuPoints, Host, Listing

CATALOG = str(find_catalog()[0])


@on(CatalogInitialized)
def on_catalog_initialized(event: CatalogInitialized, step: Step) -> None:
    """The catalog of GPU points opens."""
    step.open(Catalog, event.catalog, event)


@on(GpuPointsSet)
def on_gpu_points_set(event: GpuPointsSet, step: Step) -> None:
    """A model's points change."""
    points = step.rows.change(GpuPoints, event.model)
    if points is None:
        step.rows.add(GpuPoints(model=event.model, points=event.new, changed_at=event.at))
    else:
        points.points, points.changed_at = event.new, event.at
    step.change(Catalog, event.catalog, event.seq)


@on(PointsRefreshed)
def on_points_refreshed(event: PointsRefreshed, step: Step) -> None:
    """A listing takes the catalog's present points."""
    step.change(Host, event.host, event.host_seq, points=event.host_points)
    step.change(Listing, event.listing, event.seq, points=event.new)


@on(MfpLocked)
def on_mfp_locked(event: MfpLocked, step: Step) -> None:
    """A host locks market tokens."""
    step.change(Catalog, CATALOG, event.catalog_seq, locked=event.total)
    step.change(Host, event.host, event.host_seq, mfp_locked=event.locked)


@on(MfpUnlocked)
def on_mfp_unlocked(event: MfpUnlocked, step: Step) -> None:
    """Locked tokens begin to leave."""
    leaving = {"mfp_unlocking": event.unlocking, "mfp_unlock_at": event.unlock_at}
    step.change(Host, event.host, event.host_seq, mfp_locked=event.locked, **leaving)


@on(MfpWithdrawn)
def on_mfp_withdrawn(event: MfpWithdrawn, step: Step) -> None:
    """Unlocked tokens go back to their host."""
    step.change(Catalog, CATALOG, event.catalog_seq, locked=event.total)
    step.change(Host, event.host, event.host_seq, mfp_unlocking=0)
