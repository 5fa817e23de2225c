"""Names of a local market's hosts, which are made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from local_market.keys import MarketKeyring

NAMES: Final[Mapping[str, str]] = {
    "us-east": "Buckeye Compute",
    "us-west": "Redwood GPU",
    "eu-west": "Seine Calcul",
    "ap-south": "Monsoon AI",
    "us-central": "Prairie Cluster",
}
"""By the region of the host's machines."""


def host_names(keys: MarketKeyring) -> dict[str, str]:
    """Names by the hosts' wallets."""
    return {str(host.wallet.pubkey()): NAMES[region] for region, host in keys.hosts.items()}
