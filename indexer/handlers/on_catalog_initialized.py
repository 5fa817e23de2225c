from __future__ import annotations

from anchor_client.generated.events import CatalogInitialized
from indexer.handlers.step import Step
from indexer.models import Catalog


def on_catalog_initialized(event: CatalogInitialized, step: Step) -> None:
    """The catalog of GPU points opens."""
    step.rows.add(
        Catalog(
            address=str(event.catalog),
            mint=str(event.mint),
            token_account=str(event.token_account),
            seq=step.follow("catalog", event.catalog, 0, event.seq),
        )
    )
