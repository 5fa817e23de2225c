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
    step.open(
        Catalog(address=str(event.catalog), mint=str(event.mint), token_account=str(event.token_account), seq=event.seq)
    )


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
    host = step.change(Host, event.host, event.host_seq)
    if host is not None:
        host.points = event.host_points
    listing = step.change(Listing, event.listing, event.seq)
    if listing is not None:
        listing.points = event.new


@on(MfpLocked)
def on_mfp_locked(event: MfpLocked, step: Step) -> None:
    """A host locks market tokens."""
    _follow_catalog(step, event.catalog_seq, event.total)
    host = step.change(Host, event.host, event.host_seq)
    if host is not None:
        host.mfp_locked = event.locked


@on(MfpUnlocked)
def on_mfp_unlocked(event: MfpUnlocked, step: Step) -> None:
    """Locked tokens begin to leave."""
    host = step.change(Host, event.host, event.host_seq)
    if host is not None:
        host.mfp_locked, host.mfp_unlocking, host.mfp_unlock_at = event.locked, event.unlocking, event.unlock_at


@on(MfpWithdrawn)
def on_mfp_withdrawn(event: MfpWithdrawn, step: Step) -> None:
    """Unlocked tokens go back to their host."""
    _follow_catalog(step, event.catalog_seq, event.total)
    host = step.change(Host, event.host, event.host_seq)
    if host is not None:
        host.mfp_unlocking = 0


def _follow_catalog(step: Step, seq: int, total: int) -> None:
    catalog = step.change(Catalog, CATALOG, seq)
    if catalog is not None:
        catalog.locked = total
