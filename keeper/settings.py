"""Where a keeper runs, as whom, and on what terms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.wallet import Wallet
from keeper.errors import KeeperConfigurationError


class BatchMode(StrEnum):
    """The message that endings are packed into; auto takes version 1 where the cluster does, else a smaller one."""

    AUTO = "auto"
    LEGACY = "legacy"
    V0 = "v0"
    V1 = "v1"


class ChoreName(StrEnum):
    """A kind of unpaid work that a keeper may do at its operator's expense."""

    SCORES = "scores"
    """Sets hosts' scores when they are due: a transaction a day for every 24 machines of a host."""
    REWARDS = "rewards"
    """Sweeps vaults once an epoch and ends epochs of the stake pool: a transaction for each."""
    VOTES = "votes"
    """Has votes counted and executes what was voted for."""
    CHARGES = "charges"
    """Moves the meters of optional charges along, for hosts, renters and markets."""
    POINTS = "points"
    """Gives listings the catalog's points when those have changed: a transaction for each."""


ALL_CHORES: Final = "all"


def chores_named(text: str) -> frozenset[ChoreName]:
    """The chores in a list separated by commas, `all` for every one. KeeperConfigurationError for an unknown name."""
    names = [name for part in text.split(",") if (name := part.strip())]
    if names == [ALL_CHORES]:
        return frozenset(ChoreName)
    if unknown := [name for name in names if name not in list(ChoreName)]:
        known = ", ".join(ChoreName)
        raise KeeperConfigurationError(
            f"{unknown[0]!r} is no chore", f"Known are {known}; {ALL_CHORES} is all of them."
        )
    return frozenset(map(ChoreName, names))


def _chores(value: Any) -> Any:
    return chores_named(value) if isinstance(value, str) else value


def _feeds(value: Any) -> Any:
    """Addresses by mint, from a mapping or from JSON. KeeperConfigurationError."""
    try:
        known = json.loads(value or "{}") if isinstance(value, str) else value
        return {Pubkey.from_string(str(mint)): Pubkey.from_string(str(feed)) for mint, feed in known.items()}
    except (ValueError, AttributeError) as error:
        raise KeeperConfigurationError(
            f"The price feeds are not addresses by mint: {error}", 'They are written as JSON: {"MINT": "ACCOUNT"}.'
        ) from error


def _pubkey(value: Any) -> Any:
    return Pubkey.from_string(value) if isinstance(value, str) else value


Address = Annotated[Pubkey, NoDecode, BeforeValidator(_pubkey)]


class KeeperSettings(BaseSettings):
    """Read from arguments, then from GPU_MARKET_ environment variables.

    `keypair` is a key pair, the path of a Solana key file, base58 text or a JSON array. Amounts are lamports.
    """

    model_config = SettingsConfigDict(env_prefix="GPU_MARKET_", arbitrary_types_allowed=True, extra="ignore")

    rpc_url: str = "http://127.0.0.1:8899"
    ws_url: str | None = None
    """PubSub, to hear of new rentals at once; without it the chain is read every `max_interval_seconds`."""
    keypair: Annotated[Keypair | str, NoDecode] = Field(default="", repr=False)
    program_id: Address = PROGRAM_ID
    batch_mode: BatchMode = BatchMode.AUTO
    lookup_table: Annotated[Pubkey | None, NoDecode, BeforeValidator(_pubkey)] = None
    """An address lookup table with the market, the vaults and programs, for version-0 messages."""
    price_feeds: Annotated[Mapping[Pubkey, Pubkey], NoDecode, BeforeValidator(_feeds)] = Field(default_factory=dict)
    """Accounts with Pyth's price updates by mint, where they are not those that Pyth sponsors; as text in JSON."""
    min_profit_lamports: int = 0
    """Least that a transaction must earn beyond its cost; negative for a keeper run at its operator's expense."""
    token_account_loss_lamports: int = Field(default=0, ge=0)
    """Most that may be lost on an ending whose parties need a token account created."""
    unpaid_loss_lamports: int = Field(default=5_000, ge=0)
    """Most that may be lost on giving an idle machine to the order that waits for it, which pays no tip."""
    chores: Annotated[frozenset[ChoreName], NoDecode, BeforeValidator(_chores)] = frozenset()
    """Unpaid work to do as well: names, as text separated by commas; `all` for every one."""
    chores_seconds: float = Field(default=15.0, gt=0)
    """How often the chain is looked at for it."""
    max_priority_fee: int = Field(default=100_000, ge=0)
    """Cap of the priority price, micro-lamports a compute unit; what the tips leave over is a cap as well."""
    state_dir: Path | None = None
    """Keeps what is in flight across restarts; in memory without it."""
    metrics_port: int | None = Field(default=None, ge=0, le=65_535)
    max_in_flight: int = Field(default=16, ge=1)
    """Transactions prepared at once."""
    max_interval_seconds: float = Field(default=15.0, gt=0)
    clock_seconds: float = Field(default=1.0, gt=0)
    """How often a waiting service looks at the cluster's clock."""
    jitter_seconds: float = Field(default=0.0, ge=0)
    """Random wait before a pass that has something to end, so that keepers don't race for the same rentals."""
    backoff_seconds: float = Field(default=5.0, gt=0)
    """Wait before an ending that failed is tried again; doubles each time up to `max_backoff_seconds`."""
    max_backoff_seconds: float = Field(default=900.0, gt=0)
    shutdown_seconds: float = Field(default=10.0, ge=0)
    """How long a service that is told to stop waits for what is in flight."""

    def wallet(self) -> Wallet:
        """The wallet that signs and takes the tips. BadKeyFile, or KeeperConfigurationError when none is named."""
        if isinstance(self.keypair, Keypair):
            return Wallet(self.keypair)
        if not self.keypair:
            raise KeeperConfigurationError("The keeper has no wallet", "Set GPU_MARKET_KEYPAIR or pass a key file.")
        return Wallet.from_environment("GPU_MARKET_KEYPAIR", {"GPU_MARKET_KEYPAIR": self.keypair})
