"""`gpu-market config use`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.deploy.manifest import read_manifest
from market_cli.acting import acting
from market_cli.commands.config.document import Table, profile_in, write_document
from market_cli.errors import BadConfiguration
from market_cli.session import CliSession
from market_cli.settings.cluster import CLUSTERS, GENESIS, PROFILES, read_document
from market_cli.settings.keys import IN_USE


@acting
async def use(
    session: CliSession,
    name: Annotated[str, typer.Argument(help="localnet, devnet, mainnet, or a name with its own settings.")],
    manifest: Annotated[
        Path | None,
        typer.Option("--market", metavar="FILE", help="A market.json, whose market is saved under the name."),
    ] = None,
) -> None:
    """Use a cluster's settings from now on. Each cluster has its own wallet, program, API, tokens and node."""
    document: Table = read_document()
    profiles = document.get(PROFILES, {})
    if manifest is not None:
        _take(profile_in(document, name), manifest)
    elif name not in CLUSTERS and "://" not in name and not (isinstance(profiles, dict) and name in profiles):
        raise BadConfiguration(
            f"{name!r} is not a cluster", f"Choose one of {', '.join(CLUSTERS)}, or set its `rpc_url` with --cluster."
        )
    document[IN_USE] = name
    file = write_document(document)
    session.out.show({"file": str(file), IN_USE: name}, f"Using {name}  ({file})")


def _take(profile: Table, file: Path) -> None:
    """Settings from a manifest: its market, and its cluster's node unless another is set."""
    market = read_manifest(file)
    profile.update({"program_id": market.program_id, GENESIS: market.genesis_hash, "tokens": dict(market.tokens)})
    if market.api_url is not None:
        profile["api_url"] = market.api_url
    profile.setdefault("rpc_url", CLUSTERS[market.cluster])
