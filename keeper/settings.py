"""A keeper's settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.endpoints import joined
from anchor_client.solana.wallet import Wallet
from keeper.errors import KeeperConfigurationError
from keeper.names import BatchMode, CrankName, SourceName, cranks_named

AUTO_TABLE: Final = "auto"
"""Value of `lookup_table` for the keeper's own table."""


def _cranks(value: Any) -> Any:
    return cranks_named(value) if isinstance(value, str) else value


def _feeds(value: Any) -> Any:
    """Addresses by mint, from a mapping or from JSON. KeeperConfigurationError."""
    try:
        known = json.loads(value or "{}") if isinstance(value, str) else value
        return {Pubkey.from_string(str(mint)): Pubkey.from_string(str(feed)) for mint, feed in known.items()}
    except (ValueError, AttributeError) as error:
        raise KeeperConfigurationError(
            f"The price feeds are not addresses by mint: {error}", 'Write them as JSON: {"MINT": "ACCOUNT"}.'
        ) from error


def _pubkey(value: Any) -> Any:
    return Pubkey.from_string(value) if isinstance(value, str) else value


def _table(value: Any) -> Any:
    return value if value == AUTO_TABLE else _pubkey(value)


Urls = Annotated[str, BeforeValidator(joined)]
Address = Annotated[Pubkey, NoDecode, BeforeValidator(_pubkey)]


class KeeperSettings(BaseSettings):
    """Read from arguments, then from GPU_MARKET_ environment variables.

    `keypair` is a key pair, the path of a Solana key file, base58 text or a JSON array. Amounts are lamports.
    """

    model_config = SettingsConfigDict(
        env_prefix="GPU_MARKET_", arbitrary_types_allowed=True, extra="ignore", hide_input_in_errors=True
    )

    rpc_url: Urls = Field(default="http://127.0.0.1:8899", repr=False)
    """URL of an RPC node, or of several: a list, or separated by commas."""
    rpc_rate: float | None = Field(default=None, gt=0)
    """Maximum calls per second to each node."""
    ws_url: Urls | None = Field(default=None, repr=False)
    """WebSocket URL, for immediate updates on new rentals; without it the chain is read every `max_interval_seconds`.
    """
    keypair: Annotated[Keypair | str, NoDecode] = Field(default="", repr=False)
    program_id: Address = PROGRAM_ID
    source: SourceName = SourceName.CHAIN
    api_url: str | None = Field(default=None, repr=False)
    """URL of the market's API, for the source `index`."""
    index_max_lag_seconds: float = Field(default=180.0, gt=0)
    """Maximum accepted lag of the index behind the chain, in seconds."""
    audit_seconds: float = Field(default=3_600.0, gt=0)
    """Interval of comparing the index with everything on the chain, starting at startup."""
    batch_mode: BatchMode = BatchMode.AUTO
    lookup_table: Annotated[Pubkey | Literal["auto"] | None, NoDecode, BeforeValidator(_table)] = None
    """Address lookup table with the market, vaults and programs, for version-0 messages; auto for one that the keeper
    creates and extends itself.
    """
    price_feeds: Annotated[Mapping[Pubkey, Pubkey], NoDecode, BeforeValidator(_feeds)] = Field(default_factory=dict)
    """Accounts with Pyth's price updates by mint, as text in JSON; default: those sponsored by Pyth."""
    min_profit_lamports: int = 0
    """Minimum profit of a transaction; negative for a keeper run at its operator's expense."""
    daily_budget_lamports: int | None = Field(default=None, ge=0)
    """Maximum fees of a UTC day by the cluster's clock, regardless of tips; None for no limit."""
    unpaid_loss_lamports: int = Field(default=5_000, ge=0)
    """Maximum loss for an ending without a tip: handing over an idle machine, or paying out a holdback."""
    cranks: Annotated[frozenset[CrankName], NoDecode, BeforeValidator(_cranks)] = frozenset()
    """Cranks to turn as well, as text comma-separated; `all` for every one."""
    cranks_seconds: float = Field(default=15.0, gt=0)
    """Interval between checks for cranks."""
    max_priority_fee: int = Field(default=100_000, ge=0)
    """Maximum priority price, micro-lamports per compute unit; the tips' surplus caps it too."""
    state_dir: Path | None = None
    """Directory that keeps transactions in flight across restarts; in memory without it."""
    leader_lock: str | None = Field(default=None, repr=False)
    """URL of a PostgreSQL database, or path of a file: one of the keepers that share it acts at a time."""
    leader_lease_seconds: float = Field(default=15.0, ge=0.3)
    """Time in which another keeper takes over from a lost or hanging leader; a third of it passes between checks of the
    lock.
    """
    metrics_port: int | None = Field(default=None, ge=0, le=65_535)
    metrics_host: str = "127.0.0.1"
    """Address of the port; metrics and health show the wallet's balance to anyone who can reach it."""
    stale_seconds: float = Field(default=300.0, gt=0)
    """Time without a successful pass after which /health answers 503; more than `idle_interval_seconds`."""
    max_in_flight: int = Field(default=16, ge=1)
    """Maximum number of transactions prepared at once."""
    max_interval_seconds: float = Field(default=15.0, gt=0)
    idle_interval_seconds: float = Field(default=120.0, gt=0)
    """Maximum wait between reads of the chain with a live subscription; without one it is `max_interval_seconds`."""
    clock_seconds: float = Field(default=1.0, gt=0)
    """Interval at which a waiting service reads the cluster's clock when something falls due soon."""
    idle_clock_seconds: float = Field(default=60.0, gt=0)
    """Maximum of that interval when the work is far off: a tenth of the time left."""
    jitter_seconds: float = Field(default=2.0, ge=0)
    """Maximum random delay before a service's passes but the first, so that keepers don't race for the same rentals."""
    backoff_seconds: float = Field(default=5.0, gt=0)
    """Wait before a failed ending is retried; doubles each time up to `max_backoff_seconds`."""
    max_backoff_seconds: float = Field(default=900.0, gt=0)
    shutdown_seconds: float = Field(default=10.0, ge=0)
    """Maximum time that a stopping service waits for transactions in flight."""

    @model_validator(mode="after")
    def _index_is_named(self) -> Self:
        if self.source is SourceName.INDEX and not self.api_url:
            raise KeeperConfigurationError(
                "The source `index` needs the URL of a market's API",
                "Run `gpu-market config set api_url URL`, or set GPU_MARKET_API_URL.",
            )
        return self

    @model_validator(mode="after")
    def _table_is_kept(self) -> Self:
        if self.lookup_table == AUTO_TABLE and self.state_dir is None:
            raise KeeperConfigurationError(
                "The keeper's own lookup table needs a state directory",
                "Pass --state-dir, or set GPU_MARKET_STATE_DIR.",
            )
        return self

    def wallet(self) -> Wallet:
        """The wallet that signs and receives the tips. BadKeyFile, or KeeperConfigurationError if there is none."""
        if isinstance(self.keypair, Keypair):
            return Wallet(self.keypair)
        if not self.keypair:
            raise KeeperConfigurationError("The keeper has no wallet", "Set GPU_MARKET_KEYPAIR or pass a key file.")
        return Wallet.from_environment("GPU_MARKET_KEYPAIR", {"GPU_MARKET_KEYPAIR": self.keypair})
