"""Settings of the indexer and the API; `gpu-market indexer` and `gpu-market api` have a flag for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anchor_client.service.errors import BadSetting
from anchor_client.service.setting_kinds import (
    COUNT,
    PORT,
    POSITIVE,
    SWITCH,
    TEXT,
    URL,
    SettingKind,
    choice,
    commas,
    integer,
    number,
    table,
    text,
)
from anchor_client.service.settings import ServiceSettings, declared, setting

if TYPE_CHECKING:
    from solders.pubkey import Pubkey

FOLLOWING: Final = "Following the chain"
SERVING: Final = "Serving requests"
LIMITS: Final = "Limits"
ACCOUNTS: Final = "Sign-in and webhooks"
SHARE: Final = integer(1, 256)
SENDERS: Final = integer(2, 256)
REDIS: Final = text("rediss?://.*", "not the URL of a Redis server")
BROKERS: Final = commas()
TOPIC: Final = text(r"[A-Za-z0-9._-]{1,249}", "not the name of a topic")
MOST_NAME: Final = 40
"""Maximum characters of a host's name."""
DOMAIN: Final = text(r"[^\s/]+", "not a host, and port unless it is the default")


class Commitment(StrEnum):
    """Commitment of indexed transactions."""

    CONFIRMED = "confirmed"
    FINALIZED = "finalized"


class IndexSource(StrEnum):
    """Sources of the index's transactions."""

    NODE = "node"
    KAFKA = "kafka"


class SignInChain(StrEnum):
    """Chains by the names that wallets sign."""

    MAINNET = "solana:mainnet"
    DEVNET = "solana:devnet"
    TESTNET = "solana:testnet"
    LOCALNET = "solana:localnet"


def _address(text: Any) -> str:
    from solders.pubkey import Pubkey  # noqa: PLC0415 - takes long, and help needs none

    return str(Pubkey.from_string(str(text).strip()))


def _mints(known: Mapping[str, str]) -> dict[str, str]:
    return {symbol: _address(mint) for symbol, mint in known.items()}


def _host_names(known: Mapping[str, str]) -> dict[str, str]:
    names = {_address(wallet): str(name).strip() for wallet, name in known.items()}
    for name in names.values():
        if not (0 < len(name) <= MOST_NAME and name.isprintable()):
            raise ValueError(f"a name has 1 to {MOST_NAME} printable characters")
    if len(set(names.values())) < len(names):
        raise ValueError("two hosts have one name")
    return names


def _program() -> str:
    from anchor_client.generated.program import PROGRAM_ID  # noqa: PLC0415 - as above

    return str(PROGRAM_ID)


@dataclass(frozen=True, kw_only=True)
class IndexerSettings(ServiceSettings):
    """Settings of the indexer; durations are seconds."""

    SECTION: ClassVar[str] = "indexer"

    program_id: str = setting(_program, SettingKind("ADDRESS", _address), of_cluster=True)
    """Address of the market's program."""
    tokens: dict[str, str] = setting(dict, table(_mints), of_cluster=True)
    """Symbols of mints: the API's names for payment mints other than the market's own, SOL and mainnet's USDC."""
    host_names: dict[str, str] = setting(dict, table(_host_names))
    """Names of hosts by their wallets, shown beside these; hosts cannot name themselves."""
    database_url: str = setting("sqlite:///gpu-market.db", TEXT, flag="--database", secret=True)
    """SQLite or PostgreSQL URL of the index."""
    host: str = setting("127.0.0.1", TEXT)
    """Address the API listens on."""
    port: int = setting(8000, PORT)
    """Port of the API; 0 picks a free one."""
    workers: int = setting(1, integer(0, 64))
    """Processes that answer requests, in addition to the one that follows the chain; 0: that one answers too."""
    metrics_port: int | None = setting(None, PORT)
    """Port that serves metrics for Prometheus."""
    metrics_host: str = setting("127.0.0.1", TEXT)
    """Address of that port."""
    grpc_url: str | None = setting(None, URL, FOLLOWING, flag="--grpc", secret=True)
    """URL of a Yellowstone gRPC server to [follow](index-and-api.md#transaction-sources); needs the `grpc` extra."""
    grpc_token: str | None = setting(None, TEXT, secret=True)
    """Its token, sent as `x-token`."""
    source: IndexSource = setting(IndexSource.NODE, choice(IndexSource), FOLLOWING)
    """Source of transactions: node for RPC or gRPC, kafka for a [topic](index-and-api.md#kafka); needs the `kafka`
    extra."""
    kafka_servers: str | None = setting(None, BROKERS, FOLLOWING, flag="--kafka")
    """Kafka brokers to begin with, `host:port`, separated by commas."""
    kafka_topic: str | None = setting(None, TOPIC, FOLLOWING, shown="gpu-market.PROGRAM.transactions")
    """Topic of the program's transactions; one topic serves one program."""
    kafka_options: dict[str, str] = setting(dict, table(dict), secret=True)
    """Further options of [librdkafka](https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md), such as
    `security.protocol` and `sasl.password`."""
    kafka_name: str | None = setting(None, TEXT, FOLLOWING, shown="the computer's name")
    """Name of this source in the topic; each has its own, and keeps it."""
    kafka_agree: int = setting(1, SHARE, FOLLOWING)
    """Sources that must agree on a slot before it is indexed; more than half of them, or a lie can be believed."""
    hooks_port: int | None = setting(None, PORT, FOLLOWING)
    """Port of this machine for a provider's [webhooks](index-and-api.md#transaction-sources); needs `hooks_secret`."""
    hooks_secret: str | None = setting(None, text(least=16), secret=True)
    """Required `Authorization` header of webhooks, at least 16 characters."""
    commitment: Commitment = setting(Commitment.FINALIZED, choice(Commitment), FOLLOWING)
    """Commitment of indexed transactions: finalized or confirmed."""
    poll_interval: float = setting(2.0, POSITIVE, FOLLOWING)
    """Longest wait between reads of the chain without a live subscription, and before the read that follows a
    notified one."""
    idle_interval: float = setting(60.0, POSITIVE, FOLLOWING)
    """The same with a live but quiet subscription."""
    reconcile_interval: float = setting(3600.0, POSITIVE, FOLLOWING)
    """Interval of comparing totals with the vaults."""
    max_lag: float = setting(120.0, POSITIVE, FOLLOWING)
    """Time without a complete read of the chain after which `/health` fails."""
    concurrency: int = setting(16, SHARE, FOLLOWING)
    """Maximum concurrent transaction requests."""
    request_timeout: float = setting(10.0, POSITIVE, SERVING)
    """Maximum time for a client to send a request's headers, and then its body."""
    response_timeout: float = setting(30.0, POSITIVE, SERVING)
    """Maximum time for a client to read a response."""
    drain_seconds: float = setting(0.0, number(least=0), SERVING)
    """Time to keep answering after a stop signal, with 503 at `/health`; at least your load balancer's reaction
    time."""
    max_connections: int = setting(1000, COUNT, SERVING)
    """Maximum connections to the API; beyond, the connection that has kept it waiting longest is closed."""
    max_connections_per_client: int = setting(100, COUNT, SERVING)
    """The same per address; raise it behind a reverse proxy."""
    feed_clients: int = setting(2000, COUNT, SERVING)
    """Maximum concurrent clients of the feed."""
    feed_clients_per_client: int = setting(50, COUNT, SERVING)
    """The same per address; raise it behind a reverse proxy."""
    feed_clients_per_wallet: int = setting(100, COUNT, SERVING)
    """The same per signed-in wallet; `participant_factor` times as many with [standing](security.md#shared-pools)."""
    trusted_proxies: str = setting("", commas(ip_network), SERVING)
    """Addresses and networks of your reverse proxies, separated by commas; behind them, a client's address is the
    last one in `X-Forwarded-For` outside this list. Without any, the header is ignored."""
    same_origin: bool = setting(False, SWITCH, SERVING)
    """Refuse web pages of other origins, and names other than localhost and loopback addresses: for a market on your
    own computer."""
    limits_url: str | None = setting(None, REDIS, LIMITS, flag="--limits-url", secret=True)
    """`redis://` or `rediss://` URL of a shared request counter for all processes (install the `redis` extra); by
    default each process counts its share."""
    requests_per_client: float = setting(50.0, POSITIVE, LIMITS)
    """Requests per second and address; a burst may use ten seconds' worth."""
    requests_per_wallet: float = setting(100.0, POSITIVE, LIMITS)
    """The same per signed-in wallet, including its API keys."""
    participant_factor: float = setting(4.0, number(least=1), LIMITS)
    """Factor of the limits for a wallet with [standing](security.md#shared-pools)."""
    sign_ins_per_client: float = setting(1.0, POSITIVE, LIMITS)
    """Sign-ins and token renewals per second and address."""
    node_requests: float = setting(20.0, POSITIVE, LIMITS)
    """Requests per second, of all clients, that need the API's node."""
    node_requests_per_client: float = setting(2.0, POSITIVE, LIMITS)
    """The same per address."""
    node_cache_seconds: float = setting(1.0, number(least=0), LIMITS)
    """Time for which the API caches its node's responses, except single accounts, which it always reads."""
    accounts_database_url: str | None = setting(None, TEXT, ACCOUNTS, flag="--accounts-database", secret=True)
    """Database of sign-ins and API keys; by default the index's."""
    auth_keys_file: str | None = setting(None, TEXT, ACCOUNTS)
    """File of access-token keys, mode 0600 (or another user's, readable by the group), created if missing; by
    default the keys end with the service."""
    sign_in_domain: str | None = setting(None, DOMAIN, ACCOUNTS)
    """Host, and port unless it is the default, of the page that wallets sign in on; by default `host:port`."""
    sign_in_uri: str | None = setting(None, text("\\S+", "not a URL"), ACCOUNTS)
    """URL of that page; by default the domain's."""
    sign_in_chain: SignInChain = setting(SignInChain.LOCALNET, choice(SignInChain), ACCOUNTS)
    """Chain of that page: solana:mainnet, solana:devnet, solana:testnet or solana:localnet."""
    operators: str = setting("", commas(_address), ACCOUNTS)
    """Addresses of wallets that operate this API, separated by commas."""
    webhooks_per_wallet: int = setting(10, integer(0), ACCOUNTS)
    """Maximum [webhooks](webhooks.md) per wallet."""
    webhook_concurrency: int = setting(32, SENDERS, ACCOUNTS)
    """Maximum concurrent deliveries, one per endpoint; a quarter of them for endpoints that have not lately answered
    within a second."""
    webhook_private: bool = setting(False, SWITCH, ACCOUNTS)
    """Allow http URLs and private addresses for webhooks and tried ports: only for local markets."""
    faucet_keypair: str | None = setting(None, TEXT, ACCOUNTS)
    """Key file from which `/api/faucet` gives SOL and mints tokens: only on a market for tests, never on mainnet;
    `gpu-market up` sets it."""
    faucet_gifts: float = setting(200.0, POSITIVE, ACCOUNTS)
    """Gifts of `/api/faucet` per hour, of all wallets; a network has its [part](security.md#shared-pools)."""

    @property
    def mints(self) -> dict[str, Pubkey]:
        """Mints by the symbol that they are shown with."""
        from solders.pubkey import Pubkey  # noqa: PLC0415 - as above

        return {symbol: Pubkey.from_string(mint) for symbol, mint in self.tokens.items()}

    def require_consistent(self) -> None:
        """Requires a secret for webhooks, and brokers and final transactions for a topic. BadSetting."""
        if self.source is IndexSource.KAFKA:
            if self.kafka_servers is None:
                raise BadSetting("source kafka needs kafka_servers", "Set GPU_MARKET_KAFKA_SERVERS, or --kafka.")
            if self.commitment is not Commitment.FINALIZED:
                raise BadSetting("a topic holds finalized transactions", "Leave commitment at finalized.")
        if self.hooks_port is not None and self.hooks_secret is None:
            raise BadSetting("hooks_port needs hooks_secret", "Set GPU_MARKET_HOOKS_SECRET.")

    @property
    def domain(self) -> str:
        """Domain that wallets sign in to: never taken from a request, or another page could have them sign in here."""
        return self.sign_in_domain or f"{self.host}:{self.port}"

    @property
    def uri(self) -> str:
        """The page itself."""
        return self.sign_in_uri or f"{'http' if self.sign_in_domain is None else 'https'}://{self.domain}"

    @property
    def pubsub_url(self) -> str:
        """URL for subscriptions."""
        from anchor_client.solana.endpoints import websocket_url  # noqa: PLC0415 - as above

        return websocket_url(self.rpc_url) if self.ws_url is None else self.ws_url


OF_INDEX: Final = ("database_url", "commitment")
"""Settings with flags in the commands that maintain an index."""
OF_SOURCE: Final = (
    "grpc_url",
    "kafka_servers",
    "kafka_topic",
    "kafka_name",
    "poll_interval",
    "concurrency",
    "metrics_port",
    "metrics_host",
)
"""Settings with flags in `gpu-market indexer source`."""
OF_API: Final = tuple(name for name, about in declared(IndexerSettings).items() if about.panel != FOLLOWING)
"""Settings with flags in `gpu-market api`."""
