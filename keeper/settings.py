"""Settings of a keeper; `gpu-market keeper run` has a flag for each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from anchor_client.service.setting_kinds import (
    COUNT,
    FILE,
    PORT,
    POSITIVE,
    TEXT,
    URL_OF_ANY_SCHEME,
    SettingKind,
    choice,
    integer,
    number,
)
from anchor_client.service.settings import ServiceSettings, setting
from keeper.names import BatchMode, CrankName, SourceName, cranks_named

if TYPE_CHECKING:
    from solders.keypair import Keypair
    from solders.pubkey import Pubkey

    from anchor_client.solana.wallet import Wallet
    from keeper.errors import KeeperConfigurationError

AUTO_TABLE: Final = "auto"
"""Value of `lookup_table` for the keeper's own table."""
ENDINGS: Final = "Endings"
TIMES: Final = "Intervals"


def _cranks(value: Any) -> frozenset[CrankName]:
    return cranks_named(value) if isinstance(value, str) else frozenset(value)


def _feeds(value: Any) -> dict[Pubkey, Pubkey]:
    """Addresses by mint, from a mapping or from JSON. KeeperConfigurationError."""
    try:
        known = json.loads(value) if isinstance(value, str) else value
        return {_address(mint): _address(feed) for mint, feed in known.items()}
    except (ValueError, AttributeError) as error:
        raise _misconfigured(
            f"The price feeds are not addresses by mint: {error}", 'Write them as JSON: {"MINT": "ACCOUNT"}.'
        ) from error


def _address(value: Any) -> Pubkey:
    from solders.pubkey import Pubkey  # noqa: PLC0415 - takes long, and help needs none

    return Pubkey.from_string(str(value))


def _table(value: Any) -> Any:
    return value if value == AUTO_TABLE else _address(value)


def _program() -> Pubkey:
    from anchor_client.generated.program import PROGRAM_ID  # noqa: PLC0415 - as above

    return PROGRAM_ID


def _misconfigured(message: str, remedy: str) -> KeeperConfigurationError:
    from keeper.errors import KeeperConfigurationError  # noqa: PLC0415 - as above

    return KeeperConfigurationError(message, remedy)


@dataclass(frozen=True, kw_only=True)
class KeeperSettings(ServiceSettings):
    """Settings of a keeper; durations are seconds."""

    SECTION: ClassVar[str] = "keeper"

    keypair: Keypair | str = setting("", SettingKind("KEY", lambda given: given), secret=True, of_cluster=True)
    """Wallet that signs and receives the tips: a key file, base58 text or a JSON array; required."""
    program_id: Pubkey = setting(_program, SettingKind("ADDRESS", _address), of_cluster=True)
    """Address of the market's program."""
    api_url: str | None = setting(None, URL_OF_ANY_SCHEME, secret=True, of_cluster=True)
    """URL of the market's API, for the source `index`."""
    price_feeds: Mapping[Pubkey, Pubkey] = setting(dict, SettingKind("JSON", _feeds), of_cluster=True)
    """Accounts with Pyth's price updates by mint, as JSON; by default those sponsored by Pyth."""
    source: SourceName = setting(SourceName.CHAIN, choice(SourceName))
    """Source of due work: `chain`, or `index`, [checked on the chain](keep.md#from-an-index)."""
    batch_mode: BatchMode = setting(BatchMode.AUTO, choice(BatchMode))
    """Message version for endings: auto, legacy, v0 or v1; auto uses v1 if the cluster accepts it."""
    min_profit_lamports: int = setting(0, integer(), flag="--min-profit")
    """Minimum profit of a transaction; negative for a keeper that runs at its operator's expense."""
    cranks: frozenset[CrankName] = setting(frozenset[CrankName](), SettingKind("NAME,...", _cranks))
    """Unpaid acts to perform as well: host, staking, governance, charges, mfp, separated by commas, or `all`."""
    state_dir: Path | None = setting(None, FILE)
    """Directory that keeps in-flight transactions across restarts; by default they are kept only in memory."""
    leader_lock: str | None = setting(None, TEXT, flag="--leader-lock", secret=True)
    """URL of a PostgreSQL database (14 or later), or path of a file: one of the keepers that share it acts at a
    time."""
    leader_lease_seconds: float = setting(15.0, number(least=0.3), TIMES)
    """Time in which another keeper takes over from a lost or hanging leader; the same for all of them."""
    metrics_port: int | None = setting(None, PORT)
    """Port that serves metrics for Prometheus, and `/health`."""
    metrics_host: str = setting("127.0.0.1", TEXT)
    """Address of that port; any other address exposes the wallet's balance to those who can reach it."""
    lookup_table: Pubkey | Literal["auto"] | None = setting(None, SettingKind("ADDRESS", _table), ENDINGS)
    """Address lookup table with the market, vaults and programs, for v0 messages; `auto`: the keeper creates and
    extends its own."""
    daily_budget_lamports: int | None = setting(None, integer(0), ENDINGS)
    """Maximum cost of transactions in a UTC day by the cluster's clock; unlimited by default."""
    unpaid_loss_lamports: int = setting(5000, integer(0), ENDINGS)
    """Maximum loss for an ending without a tip: handing over an idle machine, or paying out a holdback."""
    max_priority_fee: int = setting(100000, integer(0), ENDINGS)
    """Maximum priority price, in micro-lamports per compute unit; the tips' surplus caps it too."""
    max_in_flight: int = setting(16, COUNT, ENDINGS)
    """Maximum transactions prepared at the same time."""
    index_max_lag_seconds: float = setting(180.0, POSITIVE, TIMES)
    """Maximum accepted lag of the index behind the chain."""
    audit_seconds: float = setting(3600.0, POSITIVE, TIMES)
    """Interval of comparing the index with everything on the chain, starting at startup."""
    cranks_seconds: float = setting(15.0, POSITIVE, TIMES)
    """Interval between checks for cranks."""
    stale_seconds: float = setting(300.0, POSITIVE, TIMES)
    """Time without a successful pass after which `/health` answers 503; must exceed `idle_interval_seconds`."""
    max_interval_seconds: float = setting(15.0, POSITIVE, TIMES)
    """Longest wait between reads of the chain without a live subscription."""
    idle_interval_seconds: float = setting(120.0, POSITIVE, TIMES)
    """The same with a live subscription."""
    clock_seconds: float = setting(1.0, POSITIVE, TIMES)
    """Interval at which a waiting service reads the cluster's clock when something falls due soon."""
    idle_clock_seconds: float = setting(60.0, POSITIVE, TIMES)
    """The maximum of that interval when the work is far off: a tenth of the time left."""
    turn_seconds: float = setting(12.0, number(least=0), TIMES)
    """Time over which a service's turn at due work [is drawn](keep.md#shared-work), so that keepers don't race for it;
    0 if yours is the only one."""
    backoff_seconds: float = setting(5.0, POSITIVE, TIMES)
    """Wait before retrying a failed ending; doubles each time."""
    max_backoff_seconds: float = setting(900.0, POSITIVE, TIMES)
    """Maximum of that wait."""
    shutdown_seconds: float = setting(10.0, number(least=0), TIMES)
    """Maximum time that a stopping service waits for in-flight transactions."""

    def require_consistent(self) -> None:
        """Requires the API of an index and the directory of a table. KeeperConfigurationError."""
        if self.source is SourceName.INDEX and not self.api_url:
            raise _misconfigured(
                "The source `index` needs the URL of a market's API",
                "Run `gpu-market config set api_url URL`, or set GPU_MARKET_API_URL.",
            )
        if self.lookup_table == AUTO_TABLE and self.state_dir is None:
            raise _misconfigured(
                "The keeper's own lookup table needs a state directory",
                "Pass --state-dir, or set GPU_MARKET_STATE_DIR.",
            )

    def wallet(self) -> Wallet:
        """The wallet that signs and receives the tips. BadKeyFile, or KeeperConfigurationError if there is none."""
        from anchor_client.solana.wallet import Wallet  # noqa: PLC0415 - as above

        if not isinstance(self.keypair, str):
            return Wallet(self.keypair)
        if not self.keypair:
            raise _misconfigured("The keeper has no wallet", "Set GPU_MARKET_KEYPAIR or pass a key file.")
        return Wallet.from_environment("GPU_MARKET_KEYPAIR", {"GPU_MARKET_KEYPAIR": self.keypair})
