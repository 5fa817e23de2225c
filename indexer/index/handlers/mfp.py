"""The catalog of GPU models, and market tokens that hosts lock."""

from __future__ import annotations

from anchor_client.generated.events import (
    CatalogInitialized,
    GpuModelSet,
    ListingRefreshed,
    MfpLocked,
    MfpUnlocked,
    MfpWithdrawn,
)
from anchor_client.generated.pdas import find_catalog
from indexer.index.handlers.step import Step, on
from indexer.models import Catalog, GpuModel, Host, Listing


@on(CatalogInitialized)
def on_catalog_initialized(event: CatalogInitialized, step: Step) -> None:
    """The catalog of GPU models opens."""
    step.open(Catalog, event.catalog, event)


@on(GpuModelSet)
def on_gpu_model_set(event: GpuModelSet, step: Step) -> None:
    """The catalog says something new of a model."""
    said = {"points": event.new.points, "reference_usd": event.new.reference_usd, "changed_at": event.at}
    if event.seq == 1:
        step.open(GpuModel, event.gpu_model, event, **said)
    else:
        step.change(GpuModel, event.gpu_model, event.seq, **said)


@on(ListingRefreshed)
def on_listing_refreshed(event: ListingRefreshed, step: Step) -> None:
    """A listing takes what the catalog says now."""
    step.change(Host, event.host, event.host_seq, points=event.host_points)
    said = {"points": event.new_points, "reference_usd": event.new_reference_usd}
    step.change(Listing, event.listing, event.seq, **said)


@on(MfpLocked)
def on_mfp_locked(event: MfpLocked, step: Step) -> None:
    """A host locks market tokens."""
    step.change(Catalog, find_catalog(step.program)[0], event.catalog_seq, locked=event.total)
    step.change(Host, event.host, event.host_seq, mfp_locked=event.locked)


@on(MfpUnlocked)
def on_mfp_unlocked(event: MfpUnlocked, step: Step) -> None:
    """Locked tokens begin to leave."""
    leaving = {"mfp_unlocking": event.unlocking, "mfp_unlock_at": event.unlock_at}
    step.change(Host, event.host, event.host_seq, mfp_locked=event.locked, **leaving)


@on(MfpWithdrawn)
def on_mfp_withdrawn(event: MfpWithdrawn, step: Step) -> None:
    """Unlocked tokens go back to their host."""
    step.change(Catalog, find_catalog(step.program)[0], event.catalog_seq, locked=event.total)
    step.change(Host, event.host, event.host_seq, mfp_unlocking=0)
