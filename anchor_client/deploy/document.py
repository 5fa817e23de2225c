"""market.toml: the wanted state of a market."""

from __future__ import annotations

import tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from solders.pubkey import Pubkey

from anchor_client.deploy.clusters import MAINNET
from anchor_client.deploy.errors import BadMarketFile, MarketForTestsOnMainnet
from anchor_client.generated.constants import MAX_SHARDS, PICO_PER_MICRO, USD
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.oracle_kind import OracleKind
from anchor_client.rules.catalog import GPU_MODELS, find_gpu
from anchor_client.rules.gpu_model import GpuModel
from anchor_client.rules.parameters import BY_NAME, problem
from anchor_client.rules.pyth import DEPLOYMENTS

NEW: Final = "new"
FINAL: Final = "none"
PICO_USD: Final = PICO_PER_MICRO * USD
MAX_DECIMALS: Final = 9
ALL_MODELS: Final = "all"
MAX_ROOM: Final = 5_000_000
"""Bytes; with the code it is less than an account may have."""


class KeysSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Key files, from the file's directory; all but the program and the payer may be addresses instead."""

    authority: str = "keys/authority.json"
    payer: str = "keys/payer.json"
    """Pays and uploads where the authority is an address, whose key is elsewhere."""
    program: str = "keys/program.json"
    guardian: str = "keys/guardian.json"
    treasury: str = "keys/treasury.json"
    oracle: str = "keys/oracle.json"


class ProgramSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Code of the program: `file`, or else the committed build. `room` is bytes for longer code later."""

    file: str | None = None
    room: Annotated[int, msgspec.Meta(ge=0, le=MAX_ROOM)] = 0


class Mint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A mint that orders may be paid in."""

    symbol: str
    mint: str
    """`new`, or the address of one that there is."""
    oracle: Literal["pinned", "posted", "pyth", "pyth_upgraded"]
    market_token: bool = False
    decimals: int = 6
    """Of a new one."""
    supply: str = "0"
    """Whole tokens that the authority is given when the mint is made."""
    mint_authority: Literal["keep", "none"] = "keep"
    price: str | None = None
    """Dollars per whole token: of a pinned mint, or the first that is posted."""
    feed: str | None = None
    """Id of a Pyth feed, hex."""
    max_age: int = 3_600
    max_confidence_bps: int = 0
    subsidy_bps: int = 0
    burn_bps: int = 0
    extra_fee_bps: int = 0
    shards: int = 4
    subsidy: str = "0"
    """Whole market tokens that the subsidy pool is opened with, divided among the shards."""
    rewards: bool = True
    """True where stakers earn it."""

    @property
    def is_new(self) -> bool:
        """True where it is to be created."""
        return self.mint == NEW

    @property
    def oracle_kind(self) -> OracleKind:
        """Kind of the price's source."""
        return OracleKind[self.oracle.upper()]

    @property
    def pico_usd(self) -> int:
        """The price in pico-USD per whole token; 0 where none is given."""
        if self.price is None:
            return 0
        return units(self.price, PICO_USD, f"the price of {self.symbol}")

    @property
    def feed_id(self) -> Pubkey:
        """The Pyth feed's id as the program takes it. BadMarketFile."""
        try:
            return Pubkey(bytes.fromhex((self.feed or "").removeprefix("0x")))
        except ValueError:
            raise BadMarketFile(f"The feed of {self.symbol} is not 64 hex digits") from None


class Staking(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Staking: `enabled` opens a stake pool."""

    enabled: bool = True


class CatalogSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The GPU models that the catalog opens with: `all`, or slugs."""

    models: str | list[str] = ALL_MODELS

    @property
    def gpus(self) -> tuple[GpuModel, ...]:
        """The models themselves. UnknownGpu."""
        if self.models == ALL_MODELS:
            return GPU_MODELS
        names = [self.models] if isinstance(self.models, str) else self.models
        return tuple(map(find_gpu, names))


class HostSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A host to approve, once it has registered; `subsidy` is whole market tokens a day."""

    wallet: str
    subsidy: str = "0"


class MarketFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    cluster: Literal["localnet", "devnet", "mainnet"]
    testing: bool = False
    keys: KeysSection = KeysSection()
    program: ProgramSection = ProgramSection()
    parameters: dict[str, int] = {}
    mints: list[Mint]
    staking: Staking = Staking()
    catalog: CatalogSection = CatalogSection()
    hosts: list[HostSection] = []

    @property
    def market_token(self) -> Mint:
        """The mint that is the market's own."""
        return next(mint for mint in self.mints if mint.market_token)


def read_market_file(path: Path) -> MarketFile:
    """The file, checked as far as that goes without a cluster. BadMarketFile, MarketForTestsOnMainnet, UnknownGpu."""
    try:
        document: Any = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadMarketFile(f"{path} cannot be read: {error}") from error
    try:
        file = msgspec.convert(document, MarketFile)
    except msgspec.ValidationError as error:
        raise BadMarketFile(f"{path}: {error}") from error
    _check(file)
    return file


def units(amount: str, scale: int, what: str) -> int:
    """An amount times `scale`. BadMarketFile naming `what`."""
    try:
        exact = Decimal(amount) * scale
    except InvalidOperation:
        raise BadMarketFile(
            f"{what} is {amount!r}, which is not an amount", "Write a decimal number in quotes."
        ) from None
    if exact < 0 or exact != int(exact):
        raise BadMarketFile(f"{what} is {amount}, which is negative or has too many decimal places")
    return int(exact)


def wanted_parameters(file: MarketFile, unit: int) -> dict[MarketParameter, int]:
    """Every parameter, with its default where the file says nothing. BadMarketFile."""
    values = {each.parameter: each.opens_with(unit) for each in BY_NAME.values()}
    for name, value in file.parameters.items():
        if name not in BY_NAME:
            raise BadMarketFile(f"{name!r} is not a parameter of the market")
        values[BY_NAME[name].parameter] = value
    wrong = problem(values, testing=file.testing)
    if wrong is not None:
        raise BadMarketFile(f"[parameters]: {wrong}")
    return values


def _check(file: MarketFile) -> None:
    if file.testing and file.cluster == MAINNET:
        raise MarketForTestsOnMainnet("The file opens a market for tests on mainnet")
    own = [mint for mint in file.mints if mint.market_token]
    if len(own) != 1:
        raise BadMarketFile(f"{len(own)} mints are the market token", "Set market_token = true in exactly one.")
    symbols = [mint.symbol.upper() for mint in file.mints]
    if len(set(symbols)) < len(symbols):
        raise BadMarketFile("Two mints have the same symbol")
    for mint in file.mints:
        _check_mint(mint)
    _ = file.catalog.gpus
    wanted_parameters(file, 10 ** own[0].decimals)


def _check_mint(mint: Mint) -> None:
    if not 0 <= mint.decimals <= MAX_DECIMALS:
        raise BadMarketFile(f"{mint.symbol} has {mint.decimals} decimals; from 0 to {MAX_DECIMALS} are possible")
    if not 1 <= mint.shards <= MAX_SHARDS:
        raise BadMarketFile(f"{mint.symbol} has {mint.shards} shards; from 1 to {MAX_SHARDS} are possible")
    price = mint.pico_usd
    if mint.oracle == "pinned" and not price:
        raise BadMarketFile(f"{mint.symbol} is pinned and has no price")
    if mint.oracle_kind in DEPLOYMENTS and (not mint.feed_id or not mint.max_confidence_bps):
        raise BadMarketFile(f"{mint.symbol} is priced by Pyth and needs feed and max_confidence_bps")
    if mint.market_token and mint.extra_fee_bps:
        raise BadMarketFile(f"{mint.symbol} is the market token, which has no extra fee")
    if not mint.market_token and (mint.subsidy_bps or mint.burn_bps or Decimal(mint.subsidy)):
        raise BadMarketFile(f"{mint.symbol} is not the market token: only that is subsidised and burned")
    units(mint.supply, 10**mint.decimals, f"the supply of {mint.symbol}")
