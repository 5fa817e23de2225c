"""Clusters by name, identified by their genesis hash."""

from __future__ import annotations

from typing import Final

from anchor_client.deploy.errors import WrongCluster
from anchor_client.market.reads import MarketReader

MAINNET: Final = "mainnet"
DEVNET: Final = "devnet"
LOCALNET: Final = "localnet"
NAMES: Final = (LOCALNET, DEVNET, MAINNET)
_GENESIS: Final = {
    "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": MAINNET,
    "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkzrBG": DEVNET,
}


def cluster_of(genesis_hash: str) -> str:
    """The cluster of a genesis hash; localnet for any other than mainnet's and devnet's."""
    return _GENESIS.get(genesis_hash, LOCALNET)


async def require_cluster(reads: MarketReader, name: str) -> str:
    """The genesis hash of the node's cluster, which must be the named one. WrongCluster."""
    genesis = await reads.genesis_hash()
    found = cluster_of(genesis)
    if found != name:
        raise WrongCluster(f"The node at {reads.program.client.endpoint} serves {found}, not {name}")
    return genesis


async def require_profile(reads: MarketReader, name: str, genesis_hash: str | None) -> None:
    """Refuses a node of another cluster than the settings'; a cluster without a known name or hash matches any node.

    WrongCluster.
    """
    genesis = await reads.genesis_hash()
    if genesis_hash is not None and genesis != genesis_hash:
        raise WrongCluster(f"The node at {reads.program.client.endpoint} is not on the cluster of {name}'s market")
    found = cluster_of(genesis)
    if genesis_hash is None and name in NAMES and found != name:
        raise WrongCluster(f"The node at {reads.program.client.endpoint} serves {found}, and the settings are {name}'s")
