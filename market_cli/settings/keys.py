"""Settings of every command, and the declarations of the services' settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from anchor_client.service.setting_kinds import POSITIVE, TEXT, URL_OF_ANY_SCHEME, table
from anchor_client.service.settings import PREFIX, Settings, declared, setting, variable
from market_cli.lazy import load

IN_USE: Final = "cluster"
SERVICES: Final = {
    "indexer": "indexer.settings:IndexerSettings",
    "keeper": "keeper.settings:KeeperSettings",
    "oracle": "anchor_client.oracle.settings:OracleSettings",
    "host": "host_agent.settings.options:HostOptions",
    "up": "local_market.settings:UpSettings",
}
"""Settings classes by their section of a cluster's profile."""
CONFIG_VARIABLE: Final = f"{PREFIX}CONFIG"
"""Path of the settings file."""
OTHER_VARIABLES: Final = (CONFIG_VARIABLE, *(f"{PREFIX}{name}" for name in ("IMAGE", "JOB", "PREEMPT_AT", "URL")))
"""Variables that are no settings: of images, of commands that `gpu-market` calls, and of the gpuhunt example."""


@dataclass(frozen=True, kw_only=True)
class CommandSettings(Settings):
    """Settings of every command, as a cluster's profile has them."""

    SECTION: ClassVar[str] = ""

    cluster: str = setting("localnet", TEXT, flag="--cluster")
    """Cluster: localnet, devnet, mainnet, the URL of an RPC node, or a name with its own settings."""
    rpc_url: str = setting("", URL_OF_ANY_SCHEME, flag="--rpc", shown="the cluster's", secret=True)
    """URL of an RPC node, or several separated by commas, which stand in for each other; overrides `cluster`."""
    rpc_rate: float | None = setting(None, POSITIVE)
    """Maximum calls per second to each node; unlimited by default."""
    keypair: str = setting("", TEXT, flag="--keypair", shown="the running local market's test wallet, else your own")
    """Path of a Solana key file; yours is `~/.config/gpu-market/wallet.json`, else `~/.config/solana/id.json`."""
    ws_url: str = setting("", URL_OF_ANY_SCHEME, shown="the RPC URL, on the next port if it names one", secret=True)
    """URL of the node's WebSocket."""
    api_url: str = setting("", URL_OF_ANY_SCHEME, shown="the running local market's", secret=True)
    """URL of the market's API."""
    program_id: str = setting("", TEXT, shown="the generated client's")
    """Address of the market's program."""
    tokens: Mapping[str, str] = setting(dict, table(dict), shown="the running local market's")
    """Mint addresses of tokens, by symbol."""
    price_feeds: Mapping[str, str] = setting(dict, table(dict), shown="the updates sponsored by Pyth")
    """Accounts with Pyth's price updates, by a token's symbol or mint."""


TABLES: Final = ("tokens", "price_feeds")
KEYS: Final = tuple(name for name in declared(CommandSettings) if name not in TABLES)
IN_TABLES: Final = (*(f"{table}.SYMBOL" for table in TABLES), *(f"{section}.NAME" for section in SERVICES))


def service_settings() -> dict[str, type[Settings]]:
    """The settings classes of services, by section."""
    return {section: load(target) for section, target in SERVICES.items()}


def known_variables() -> set[str]:
    """Every variable of the environment that sets something."""
    kinds: list[type[Settings]] = [CommandSettings, *service_settings().values()]
    return {variable(kind, name) for kind in kinds for name in declared(kind)} | {*OTHER_VARIABLES}
