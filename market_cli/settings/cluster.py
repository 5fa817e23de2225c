"""Settings of cluster and wallet: flags override the environment, which overrides the cluster's profile in the file.

The file says which cluster is in use (`cluster`) and has a profile for each (`[clusters.NAME]`): the settings of one
never apply to another.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solders.pubkey import Pubkey

from anchor_client.errors import WalletNeeded
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.payment_tokens import PaymentTokens
from anchor_client.service.optional import optional
from anchor_client.service.redaction import redact
from anchor_client.service.setting_kinds import is_http_url, is_url, joined
from anchor_client.service.setting_sources import DEFAULT, unknown
from anchor_client.service.settings import PREFIX, declared
from anchor_client.solana.endpoints import websocket_url
from anchor_client.solana.wallet import Wallet, parse_address
from market_cli.errors import BadConfiguration, BadOption
from market_cli.lazy import load
from market_cli.options import Flags
from market_cli.paths import config_file, running_file, solana_key_file, wallet_file
from market_cli.settings.keys import IN_USE, KEYS, SERVICES, TABLES, CommandSettings

if TYPE_CHECKING:
    from local_market.running import RunningMarket

CLUSTERS = {
    "localnet": "http://127.0.0.1:8899",
    "devnet": "https://api.devnet.solana.com",
    "mainnet": "https://api.mainnet-beta.solana.com",
}
PROFILES = "clusters"
GENESIS = "genesis_hash"
"""Key for the genesis hash, which identifies a profile's cluster; it is set automatically."""
LOCAL = "local market"


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """A command's cluster, API and wallet."""

    cluster: str
    rpc_url: str = field(repr=False)
    ws_url: str = field(repr=False)
    api_url: str | None
    program_id: Pubkey
    keypair: str | None
    rpc_rate: float | None = None
    tokens: Mapping[str, Pubkey] = field(default_factory=dict)
    price_feeds: Mapping[Pubkey, Pubkey] = field(default_factory=dict)
    """Accounts with Pyth's price updates, by mint."""
    local: RunningMarket | None = None
    """The running local market, when the command acts on it."""
    genesis_hash: str | None = None
    """Genesis hash of the profile's cluster, if known."""
    sections: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """The profile's settings of services."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Source of each setting: flag, environment, file, local market or default."""

    def wallet(self) -> Wallet:
        """The key that signs. WalletNeeded or BadKeyFile."""
        if self.keypair is None:
            raise WalletNeeded("No wallet is set up")
        return Wallet.from_environment("keypair", {"keypair": self.keypair})


def resolve(
    flags: Flags, environment: Mapping[str, str] = os.environ, *, cluster: str | None = None
) -> ClusterSettings:
    """The settings of a command; `cluster` if neither flags nor the environment name one.

    BadConfiguration, BadOption, BadAddress.
    """
    layers = [_of_flags(flags), _of_environment(environment), {IN_USE: cluster or in_use()}]
    name = next(layer[IN_USE] for layer in layers if IN_USE in layer)
    profile = read_profile(name)
    running = _running()
    rpc_url = _endpoint(layers, profile.values, running)
    local = running if running is not None and running.rpc_url == rpc_url else None
    tables = {**profile.tables, **_tables_of_environment(environment)}
    tokens = _tokens(local, tables)
    merged = {key: value for layer in (profile.values, *reversed(layers)) for key, value in layer.items()}
    return ClusterSettings(
        cluster=name,
        rpc_url=rpc_url,
        ws_url=_websocket(layers, profile.values) or (local.ws_url if local else websocket_url(rpc_url)),
        api_url=merged.get("api_url") or (local.api_url if local else None),
        program_id=parse_address(merged["program_id"]) if "program_id" in merged else PROGRAM_ID,
        keypair=merged.get("keypair") or _usual_wallet(local),
        rpc_rate=_rate(merged.get("rpc_rate")),
        tokens=tokens,
        price_feeds=_price_feeds(tokens, tables),
        local=local,
        genesis_hash=profile.values.get(GENESIS),
        sections=profile.sections,
        sources=_sources(layers, environment, profile, is_local=local is not None),
    )


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings of one cluster in the file."""

    values: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sections: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Settings of services."""


def in_use(path: Path | None = None) -> str:
    """The file's cluster in use. BadConfiguration."""
    named = read_document(path).get(IN_USE, "localnet")
    if not isinstance(named, str):
        raise BadConfiguration(f"{path or config_file()} sets cluster to {named!r}, which is not a name")
    return named


def read_profile(name: str, path: Path | None = None) -> Profile:
    """Settings of a cluster in the file; empty without a file. BadConfiguration."""
    document = read_document(path)
    file = path or config_file()
    for key in document:
        if key not in (IN_USE, PROFILES):
            raise BadConfiguration(f"{file} sets {key!r}, which is not a known setting", _MOVED)
    found = _table_in(_table_in(document, PROFILES, file), name, file)
    values: dict[str, str] = {}
    tables: dict[str, Mapping[str, str]] = {}
    sections: dict[str, Mapping[str, object]] = {}
    for key, value in found.items():
        text = _text(value)
        if key in TABLES:
            tables[key] = {symbol: str(address) for symbol, address in _table_in(found, key, file).items()}
        elif key in SERVICES:
            sections[key] = _table_in(found, key, file)
        elif key != IN_USE and key in (*KEYS, GENESIS) and isinstance(text, str):
            values[key] = text
        else:
            raise unknown(f"{file} sets {key!r} of {name}", key, (*KEYS, *TABLES, *SERVICES))
    return Profile(values, tables, sections)


def check_setting(key: str, value: str, profiles: Mapping[str, object]) -> None:
    """Refuses a value that a setting cannot have. BadOption, BadConfiguration, BadAddress."""
    match key:
        case "cluster":
            _require_cluster_name(value, profiles)
        case "rpc_url" | "api_url":
            _require_url(key, value, is_http_url(value))
        case "ws_url":
            _require_url(key, value, is_url(value, ("ws", "wss")))
        case "rpc_rate":
            _rate(value)
        case "program_id":
            parse_address(value)


def _require_cluster_name(value: str, profiles: Mapping[str, object]) -> None:
    if value not in CLUSTERS and value not in profiles and not is_http_url(value):
        raise BadOption(
            f"{value!r} is not a cluster",
            f"Choose one of {', '.join(CLUSTERS)}, or set its `rpc_url` with --cluster {value} first.",
        )


def _require_url(key: str, value: str, is_one: bool) -> None:
    if not is_one:
        schemes = "ws:// or wss://" if key == "ws_url" else "http:// or https://"
        raise BadOption(
            f"{redact(value)!r} is not a URL for {key}", f"Write {schemes}, a host, and a port if it is another."
        )


_MOVED = "Settings are kept by cluster: set them again with `gpu-market config set KEY VALUE`."


def _table_in(document: Mapping[str, object], key: str, file: Path) -> dict[str, object]:
    table = document.get(key, {})
    if not isinstance(table, dict):
        raise BadConfiguration(f"{file}: {key} is not a table")
    return table


def read_document(path: Path | None = None) -> dict[str, object]:
    """The raw configuration file. BadConfiguration."""
    file = path or config_file()
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadConfiguration(f"{file} cannot be read: {error}") from error


def _text(value: object) -> object:
    """Converts a list of URLs or a number to a setting's text; returns other values unchanged."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return joined(value)


def _running() -> RunningMarket | None:
    """The local market on this machine; its code is loaded only if one has existed."""
    file = running_file()
    found: RunningMarket | None = None
    if file.exists():
        found = load("local_market.running:find_running")(file)
    return found


def _of_flags(flags: Flags) -> dict[str, str]:
    given = {"rpc_url": joined(flags.rpc), "cluster": flags.cluster, "keypair": flags.keypair}
    return {key: value for key, value in given.items() if value is not None}


def _of_environment(environment: Mapping[str, str]) -> dict[str, str]:
    named = {key: environment.get(PREFIX + key.upper(), "") for key in KEYS}
    return {key: value for key, value in named.items() if value}


def _tables_of_environment(environment: Mapping[str, str]) -> dict[str, Mapping[str, str]]:
    named = {key: environment.get(PREFIX + key.upper(), "") for key in TABLES}
    return {key: _parsed(key, text) for key, text in named.items() if text}


def _sources(
    layers: list[dict[str, str]], environment: Mapping[str, str], profile: Profile, *, is_local: bool
) -> dict[str, str]:
    """The source of each setting."""
    known = dict.fromkeys((*KEYS, *TABLES), DEFAULT)
    known |= dict.fromkeys(("rpc_url", "ws_url", "api_url", "keypair", "tokens"), LOCAL) if is_local else {}
    known |= dict.fromkeys((*profile.values, *profile.tables), "file")
    if any("rpc_url" in layer for layer in layers):
        known["ws_url"] = DEFAULT
    known |= dict.fromkeys((*layers[1], *_tables_of_environment(environment)), "environment")
    return known | dict.fromkeys(layers[0], "flag")


def _endpoint(layers: list[dict[str, str]], profile: Mapping[str, str], running: RunningMarket | None) -> str:
    """The first layer that names a node or a cluster decides; a URL overrides a name, whose profile may have one."""
    named = next(layer.get("rpc_url") or layer[IN_USE] for layer in layers if "rpc_url" in layer or IN_USE in layer)
    if "://" not in named and profile.get("rpc_url"):
        named = profile["rpc_url"]
    if "://" in named:
        if not is_http_url(named):
            raise BadOption(f"{redact(named)!r} is not the URL of an RPC node", "Start it with http:// or https://.")
        return named
    if named not in CLUSTERS:
        raise BadOption(
            f"{named!r} is not a cluster",
            f"Choose one of {', '.join(CLUSTERS)}, give an RPC URL, or set its `rpc_url` first.",
        )
    if named == "localnet" and running is not None:
        return running.rpc_url
    return CLUSTERS[named]


def _websocket(layers: list[dict[str, str]], profile: Mapping[str, str]) -> str | None:
    """The profile's belongs to the profile's node."""
    given = next((layer["ws_url"] for layer in layers if "ws_url" in layer), None)
    return given or (None if any("rpc_url" in layer for layer in layers) else profile.get("ws_url"))


def _rate(text: str | None) -> float | None:
    return optional(partial(_parsed, "rpc_rate"), text)


def _parsed(key: str, text: str) -> Any:
    try:
        return declared(CommandSettings)[key].kind.parse(text)
    except ValueError as error:
        raise BadConfiguration(f"The setting {key} is not valid: {error}") from None


def _usual_wallet(local: RunningMarket | None) -> str | None:
    if local is not None:
        return local.wallet
    return next((str(path) for path in (wallet_file(), solana_key_file()) if path.is_file()), None)


def _tokens(local: RunningMarket | None, tables: Mapping[str, Mapping[str, str]]) -> dict[str, Pubkey]:
    named = {**(local.tokens if local else {}), **tables.get("tokens", {})}
    return {symbol: parse_address(mint) for symbol, mint in named.items()}


def _price_feeds(tokens: Mapping[str, Pubkey], tables: Mapping[str, Mapping[str, str]]) -> dict[Pubkey, Pubkey]:
    symbols = PaymentTokens(tokens)
    feeds = tables.get("price_feeds", {})
    return {symbols.mint(token): parse_address(feed) for token, feed in feeds.items()}
