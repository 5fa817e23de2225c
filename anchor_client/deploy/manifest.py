"""market.json: what others need to use a market and to verify its program. It holds no secret."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from anchor_client.deploy.binary import Binary
from anchor_client.deploy.document import MarketFile
from anchor_client.deploy.errors import BadMarketFile
from anchor_client.deploy.keys import MarketKeys
from anchor_client.deploy.market import address_of
from anchor_client.service.private_files import replace_file

NAME = "market.json"


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A market that has been opened. Addresses are base58 text."""

    cluster: str
    genesis_hash: str
    program_id: str
    program_sha256: str
    testing: bool
    market_mint: str
    tokens: dict[str, str]
    """Mints by symbol."""
    api_url: str | None = None
    """The market's API, once somebody runs one: add it by hand."""


def manifest_of(file: MarketFile, keys: MarketKeys, binary: Binary, genesis_hash: str) -> Manifest:
    """The manifest of a market that a file describes."""
    tokens = {mint.symbol: str(address_of(mint, keys)) for mint in file.mints}
    return Manifest(
        cluster=file.cluster,
        genesis_hash=genesis_hash,
        program_id=str(keys.program.pubkey()),
        program_sha256=binary.sha256,
        testing=file.testing,
        market_mint=tokens[file.market_token.symbol],
        tokens=tokens,
    )


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Writes the file whole; the API's URL that one there names is kept."""
    if path.exists():
        manifest = msgspec.structs.replace(manifest, api_url=read_manifest(path).api_url)
    replace_file(path, (json.dumps(msgspec.structs.asdict(manifest), indent=2) + "\n").encode())


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file. BadMarketFile."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError) as error:
        raise BadMarketFile(f"{path} is not a market's manifest: {error}") from error
