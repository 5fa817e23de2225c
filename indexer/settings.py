"""The service's settings, from arguments or from GPU_MARKET_* in the environment."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.service.redaction import redact
from anchor_client.solana.endpoints import is_http_url, joined, websocket_url

Urls = Annotated[str, BeforeValidator(joined)]


def _addresses(text: str) -> str:
    return ",".join(str(Pubkey.from_string(each.strip())) for each in text.split(",") if each.strip())


class IndexerSettings(BaseSettings):
    """Settings of the indexer; durations are seconds."""

    model_config = SettingsConfigDict(env_prefix="GPU_MARKET_", extra="ignore", hide_input_in_errors=True)

    rpc_url: Urls = Field(default="http://127.0.0.1:8899", repr=False)
    """URL of an RPC node, or of several: a list, or separated by commas."""
    rpc_rate: float | None = Field(default=None, gt=0)
    """Calls a second of each node at most."""
    ws_url: Urls | None = Field(default=None, repr=False)
    """PubSub; by default where a validator has it: the RPC URL with the next port, if it names one."""
    database_url: str = Field(default="sqlite:///gpu-market.db", repr=False)
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65_535)
    workers: int = Field(default=1, ge=0, le=64)
    """Processes that answer requests, beside the one that follows the chain; 0: that one answers."""
    metrics_port: int | None = Field(default=None, ge=0, le=65_535)
    metrics_host: str = "127.0.0.1"
    """Address that the port is opened on."""
    grpc_url: str | None = Field(default=None, repr=False)
    """URL of a Yellowstone gRPC server to follow; nodes are asked for what it does not give."""
    grpc_token: str | None = Field(default=None, repr=False)
    """Its x-token."""
    hooks_port: int | None = Field(default=None, ge=0, le=65_535)
    """Port of this machine that a provider's webhooks are taken on."""
    hooks_secret: str | None = Field(default=None, min_length=16, repr=False)
    """Required Authorization header of those webhooks."""
    program_id: str = str(PROGRAM_ID)
    commitment: Literal["confirmed", "finalized"] = "finalized"
    poll_interval: float = Field(default=2.0, gt=0)
    """Longest wait between looks at the chain while no subscription lives, or after one was woken by it."""
    idle_interval: float = Field(default=60.0, gt=0)
    """The same while a subscription lives and nothing has come by it."""
    reconcile_interval: float = Field(default=3_600.0, gt=0)
    max_lag: float = Field(default=120.0, gt=0)
    """Seconds without a complete look at the chain after which the indexer is unhealthy."""
    concurrency: int = Field(default=16, ge=1, le=256)
    """Transactions asked for at once."""
    request_timeout: float = Field(default=10.0, gt=0)
    """Seconds that a client may take to send a request's headers, and then its body."""
    response_timeout: float = Field(default=30.0, gt=0)
    """Seconds that a client may take to read an answer."""
    drain_seconds: float = Field(default=0.0, ge=0)
    """Seconds between saying at /health that it stops and stopping, so that a load balancer turns to others first."""
    max_connections: int = Field(default=1_000, ge=1)
    max_connections_per_client: int = Field(default=100, ge=1)
    """Raise it behind a reverse proxy, which is one client."""
    trusted_proxies: str = "127.0.0.1"
    """Addresses and networks of reverse proxies, separated by commas: who comes by one is whom it names in
    X-Forwarded-For."""
    limits_url: str | None = Field(default=None, pattern="^rediss?://", repr=False)
    """Redis that counts for all processes; without it each counts its own share."""
    requests_per_client: float = Field(default=50.0, gt=0)
    """Requests a second of one address."""
    requests_per_wallet: float = Field(default=100.0, gt=0)
    """The same of a wallet that is signed in, whatever it asks from."""
    participant_factor: float = Field(default=4.0, ge=1)
    """Factor on the limits of wallets that host or stake."""
    sign_ins_per_client: float = Field(default=1.0, gt=0)
    """Sign-ins and renewals a second of one address."""
    accounts_database_url: str | None = Field(default=None, repr=False)
    """Database of sign-ins and API keys; by default the index's."""
    auth_keys_file: str | None = None
    """Keys of access tokens, made if there is none; without it they end with the service."""
    sign_in_domain: str | None = Field(default=None, pattern=r"^[^\s/]+$")
    """Host, and port unless it is the usual one, of the page that wallets sign in on."""
    sign_in_uri: str | None = Field(default=None, pattern=r"^\S+$")
    sign_in_chain: Literal["solana:mainnet", "solana:devnet", "solana:testnet", "solana:localnet"] = "solana:localnet"
    operators: Annotated[str, AfterValidator(_addresses)] = ""
    """Addresses of wallets that operate this API, separated by commas."""
    feed_clients: int = Field(default=2_000, ge=1)
    """That follow the feed at once."""
    feed_clients_per_client: int = Field(default=50, ge=1)
    """Of one address; raise it behind a reverse proxy."""
    feed_clients_per_wallet: int = Field(default=100, ge=1)
    """Of a wallet that is signed in; `participant_factor` times as many of one that hosts or stakes."""
    webhooks_per_wallet: int = Field(default=10, ge=0)
    webhook_concurrency: int = Field(default=32, ge=1, le=256)
    """Notices that are sent at once, to an endpoint one."""
    webhook_private: bool = False
    """True sends notices also to http URLs and to addresses of this machine and its network: for local markets."""
    tokens: dict[str, str] = Field(default_factory=dict)
    """Mints by symbol, besides the market's own, SOL and mainnet's USDC: what the API calls them."""
    faucet_keypair: str | None = None
    """Key file of what gives newcomers test tokens: on markets for tests alone, and never on mainnet."""
    node_requests: float = Field(default=20.0, gt=0)
    """Requests a second, of all clients, for which the API asks its node."""
    node_requests_per_client: float = Field(default=2.0, gt=0)
    node_cache_seconds: float = Field(default=1.0, ge=0)
    """Seconds that the API keeps its node's answers, single accounts aside: each plan reads those again."""

    @property
    def mints(self) -> dict[str, Pubkey]:
        """Mints by the symbol that they are shown with."""
        return {symbol: Pubkey.from_string(mint) for symbol, mint in self.tokens.items()}

    @model_validator(mode="after")
    def _hooks_have_a_secret(self) -> Self:
        if self.hooks_port is not None and self.hooks_secret is None:
            raise ValueError("hooks_port needs hooks_secret")
        return self

    @field_validator("tokens")
    @classmethod
    def _are_mints(cls, value: dict[str, str]) -> dict[str, str]:
        return {symbol: cls._is_address(mint) for symbol, mint in value.items()}

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, value: str) -> str:
        for each in filter(None, map(str.strip, value.split(","))):
            ip_network(each)
        return value

    @field_validator("program_id")
    @classmethod
    def _is_address(cls, value: str) -> str:
        return str(Pubkey.from_string(value))

    @field_validator("rpc_url", "grpc_url")
    @classmethod
    def _is_http(cls, value: str | None) -> str | None:
        if value is not None and not is_http_url(value):
            raise ValueError(f"{redact(value)} is not an http or https URL")
        return value

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
        return websocket_url(self.rpc_url) if self.ws_url is None else self.ws_url
