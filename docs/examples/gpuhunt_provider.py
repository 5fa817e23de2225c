"""A provider for dstack's gpuhunt that reads the market's public feed, as it would stand in `gpuhunt/providers/`.

GPU_MARKET_URL says where the market's API is: `Catalog.add_provider(GpuMarketProvider.from_env())`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import requests
from gpuhunt import AcceleratorVendor, CatalogItem, QueryFilter
from gpuhunt.providers.base import OnlineProvider, get_creds_env


class GpuMarketProvider(OnlineProvider):
    """Machines that can be rented on a gpu-market now."""

    NAME = "gpumarket"

    def __init__(self, url: str) -> None:
        self._url = f"{url.rstrip('/')}/api/public/v1/nodes"

    @classmethod
    def from_env(cls) -> GpuMarketProvider:
        """At GPU_MARKET_URL. MissingCredsError."""
        return cls(get_creds_env("GPU_MARKET_URL"))

    def get(
        self, query_filter: QueryFilter | None = None, balance_resources: bool = True, apply_filter: bool = False
    ) -> list[CatalogItem]:
        """Every node, cheapest first; gpuhunt filters them. What gpuhunt has no vendor for is left out."""
        vendors = {vendor.value for vendor in AcceleratorVendor}
        return [
            CatalogItem(
                provider=self.NAME,
                instance_name=node["id"],
                location=node["location"],
                price=float(node["price"]),
                cpu=node["cpu_cores"],
                memory=float(node["memory_gb"]),
                gpu_vendor=AcceleratorVendor(node["gpu_vendor"]),
                gpu_count=node["gpu_count"],
                gpu_name=node["gpu_name"],
                gpu_memory=float(node["gpu_memory_gb"]),
                spot=node["spot"],
                disk_size=float(node["disk_gb"]),
            )
            for node in self._nodes()
            if node["gpu_vendor"] in vendors
        ]

    def _nodes(self) -> Iterator[dict[str, Any]]:
        """The nodes of all pages."""
        asked: dict[str, str] = {}
        while True:
            answer = requests.get(self._url, params=asked, timeout=10)
            answer.raise_for_status()
            page = answer.json()
            yield from page["nodes"]
            if page.get("next_cursor") is None:
                return
            asked = {"cursor": page["next_cursor"]}
