"""Which cluster and wallet to use: flags win over the environment, then the file, then defaults."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from solders.pubkey import Pubkey

from anchor_client.endpoints import is_http_url, joined, websocket_url
from anchor_client.errors import WalletNeeded
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.redaction import redact
from anchor_client.tokens import PaymentTokens
from anchor_client.wallet import Wallet, parse_address
from market_cli.errors import BadConfiguration, BadOption
from market_cli.lazy import load
from market_cli.options import Flags
from market_cli.paths import config_file, running_file, solana_key_file, wallet_file

if TYPE_CHECKING:
    from local_market.running import RunningMarket

CLUSTERS = {
    "localnet": "http://127.0.0.1:8899",
    "devnet": "https://api.devnet.solana.com",
    "mainnet": "https://api.mainnet-beta.solana.com",
}
KEYS = {
    "cluster": "localnet, devnet, mainnet or the URL of an RPC node",
    "rpc_url": "URL of an RPC node, or of several separated by commas; wins over cluster",
    "rpc_rate": "calls a second of each node at most",
    "ws_url": "URL of its WebSocket, where it is not the usual one",
    "api_url": "URL of the market's API",
    "keypair": "path of a Solana key file",
    "program_id": "address of the market's program",
}
"""Keys of the configuration file and, as GPU_MARKET_<KEY>, of the environment. The file may also have `TABLES`."""
TABLES = {
    "tokens": "mints by symbol",
    "price_feeds": "accounts with Pyth's price updates by symbol or mint, where they are not those that Pyth sponsors",
}
ENVIRONMENT_PREFIX = "GPU_MARKET_"


@dataclass(frozen=True, slots=True)
class Settings:
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

    def wallet(self) -> Wallet:
        """The key that signs. WalletNeeded or BadKeyFile."""
        if self.keypair is None:
            raise WalletNeeded("No wallet is set up")
        return Wallet.from_environment("keypair", {"keypair": self.keypair})


def resolve(flags: Flags, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of a command. BadConfiguration, BadOption, BadAddress."""
    layers = [_of_flags(flags), _of_environment(environment), read_configuration()]
    running = _running()
    cluster, rpc_url = _endpoint(layers, running)
    local = running if running is not None and running.rpc_url == rpc_url else None
    tokens = _tokens(local)
    merged = {key: value for layer in reversed(layers) for key, value in layer.items()}
    return Settings(
        cluster=cluster,
        rpc_url=rpc_url,
        ws_url=merged.get("ws_url") or (local.ws_url if local else websocket_url(rpc_url)),
        api_url=merged.get("api_url") or (local.api_url if local else None),
        program_id=parse_address(merged["program_id"]) if "program_id" in merged else PROGRAM_ID,
        keypair=merged.get("keypair") or _usual_wallet(local),
        rpc_rate=_rate(merged.get("rpc_rate")),
        tokens=tokens,
        price_feeds=_price_feeds(tokens),
        local=local,
    )


def read_configuration(path: Path | None = None) -> dict[str, str]:
    """The configuration file's settings; none without a file. BadConfiguration."""
    document = {key: _text(value) for key, value in read_document(path).items()}
    for key, value in document.items():
        if key not in TABLES and (key not in KEYS or not isinstance(value, str)):
            raise BadConfiguration(f"{path or config_file()} sets {key!r} to {value!r}, which is not a known setting")
    return {key: value for key, value in document.items() if isinstance(value, str)}


def read_document(path: Path | None = None) -> dict[str, object]:
    """The configuration file as it is. BadConfiguration."""
    file = path or config_file()
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadConfiguration(f"{file} cannot be read: {error}") from error


def _text(value: object) -> object:
    """A list of URLs or a number as settings take them; anything else as it is."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else joined(value)


def _running() -> RunningMarket | None:
    """The local market on this machine; its code is loaded only where there has been one."""
    file = running_file()
    found: RunningMarket | None = load("local_market.running:find_running")(file) if file.exists() else None
    return found


def _of_flags(flags: Flags) -> dict[str, str]:
    given = {"rpc_url": joined(flags.rpc), "cluster": flags.cluster, "keypair": flags.keypair}
    return {key: value for key, value in given.items() if value is not None}


def _of_environment(environment: Mapping[str, str]) -> dict[str, str]:
    named = {key: environment.get(ENVIRONMENT_PREFIX + key.upper(), "") for key in KEYS}
    return {key: value for key, value in named.items() if value}


def _endpoint(layers: list[dict[str, str]], running: RunningMarket | None) -> tuple[str, str]:
    """The first layer that names a cluster decides; a URL in it wins over a name."""
    for layer in layers:
        named = layer.get("rpc_url") or layer.get("cluster")
        if named:
            break
    else:
        named = "localnet"
    if "://" in named:
        if not is_http_url(named):
            raise BadOption(f"{redact(named)!r} is not the URL of an RPC node", "It starts with http:// or https://.")
        return named, named
    if named not in CLUSTERS:
        raise BadOption(f"{named!r} is not a cluster", f"Choose one of {', '.join(CLUSTERS)}, or give an RPC URL.")
    if named == "localnet" and running is not None:
        return named, running.rpc_url
    return named, CLUSTERS[named]


def _rate(text: str | None) -> float | None:
    try:
        rate = None if text is None else float(text)
    except ValueError:
        rate = 0.0
    if rate is not None and not 0 < rate < float("inf"):
        raise BadConfiguration(f"rpc_rate is {text!r}, which is no number of calls a second")
    return rate


def _usual_wallet(local: RunningMarket | None) -> str | None:
    if local is not None:
        return local.wallet
    return next((str(path) for path in (wallet_file(), solana_key_file()) if path.is_file()), None)


def _tokens(local: RunningMarket | None) -> dict[str, Pubkey]:
    named = {**(local.tokens if local else {}), **_table("tokens")}
    return {symbol: parse_address(mint) for symbol, mint in named.items()}


def _price_feeds(tokens: Mapping[str, Pubkey]) -> dict[Pubkey, Pubkey]:
    symbols = PaymentTokens(tokens)
    return {symbols.mint(token): parse_address(feed) for token, feed in _table("price_feeds").items()}


def _table(name: str) -> dict[str, str]:
    configured = read_document().get(name, {})
    if not isinstance(configured, dict):
        raise BadConfiguration(f"{config_file()}: {name} is not a table of addresses")
    return {str(key): str(value) for key, value in configured.items()}
