"""Rights over a market, their holders, and what the hand-over to the stakers' vote changes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from enum import StrEnum

from solders.pubkey import Pubkey
from solders.token.state import Mint

from anchor_client.deploy.program import find_program
from anchor_client.deploy.published import IDL, SECURITY
from anchor_client.errors import NoCatalog, NoPool
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.types import OracleKind
from anchor_client.market import Market
from anchor_client.solana.program_metadata import Metadata, metadata_address

HAND_OVER = "gpu-market governance hand-over --final"


class Holder(StrEnum):
    """Holder of a right."""

    KEY = "key"
    GOVERNANCE = "governance"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Right:
    """A right, who holds it, what it lets them do, and the command that changes hands, if there is anything to do."""

    name: str
    holder: Holder
    address: Pubkey | None
    effect: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class Checklist:
    """Every right over a market, and the obstacles to its hand-over."""

    rights: tuple[Right, ...]
    missing: tuple[str, ...]

    @property
    def is_done(self) -> bool:
        """True where no key holds a right that the hand-over takes away."""
        return all(right.holder is not Holder.KEY for right in self.rights if right.step == HAND_OVER)


async def checklist(market: Market) -> Checklist:
    """Reads every right and its holder now. UnknownMarket, and the network's errors."""
    account = await market.reads.market()
    governance = market.governance.authority
    rights = [
        *_rights_of_market(account, governance),
        await _code(market, governance),
        *[right async for right in _mints(market, account, governance)],
        *[right async for right in _published(market, governance)],
    ]
    missing = [] if account.authority == governance else [text async for text in _missing(market, account)]
    return Checklist(tuple(rights), tuple(missing))


def _held(name: str, address: Pubkey | None, governance: Pubkey, effect: str, step: str = "") -> Right:
    if address is None:
        return Right(name, Holder.NOBODY, None, effect)
    if address == governance:
        return Right(name, Holder.GOVERNANCE, address, effect)
    return Right(name, Holder.KEY, address, effect, step)


def _rights_of_market(account: MarketAccount, governance: Pubkey) -> Iterator[Right]:
    may = "sets parameters, mints, GPU models and pauses, and approves hosts"
    yield _held("market authority", account.authority, governance, may, HAND_OVER)
    yield _held("treasury", account.treasury, governance, "receives the treasury's share of fees", HAND_OVER)
    may = "pauses for a week, and vetoes upgrades and payments of the treasury: a key by design"
    step = "gpu-market governance propose key guardian ADDRESS"
    yield _held("guardian", account.guardian, governance, may, step)


async def _code(market: Market, governance: Pubkey) -> Right:
    code = await find_program(market.session.sender, market.program_id)
    upgrader = None if code is None else code.authority
    return _held("upgrade authority", upgrader, governance, "replaces the program, and so may do anything", HAND_OVER)


async def _mints(market: Market, account: MarketAccount, governance: Pubkey) -> AsyncIterator[Right]:
    mints = list((await market.reads.payment_mints()).values())
    symbols = await market.reads.tokens()
    [found] = await market.reads.program.accounts([account.market_mint])
    if found is not None:
        own = Mint.from_bytes(found.data)
        symbol = symbols.symbol(account.market_mint)
        for name, address, may in (
            ("mint", own.mint_authority, f"makes more {symbol}, and so votes"),
            ("freeze", own.freeze_authority, f"freezes anyone's {symbol}, stakes and vaults included"),
        ):
            step = f"spl-token authorize {account.market_mint} {name} --disable"
            yield _held(f"{name} authority of {symbol}", address, governance, may, step)
    for mint in mints:
        if mint.oracle_kind == OracleKind.POSTED:
            symbol = symbols.symbol(mint.mint)
            step = f"gpu-market governance propose mint {symbol} --terms FILE"
            yield _held(f"oracle of {symbol}", mint.oracle, governance, f"posts the price of {symbol}", step)


async def _published(market: Market, governance: Pubkey) -> AsyncIterator[Right]:
    seeds = (IDL, SECURITY)
    addresses = [metadata_address(market.program_id, seed) for seed in seeds]
    found = await market.reads.program.accounts(addresses)
    for seed, account in zip(seeds, found, strict=True):
        metadata = Metadata.read(account)
        if metadata is not None and not metadata.final:
            may = f"replaces the program's {seed} on chain; without a maintainer nobody can after the hand-over"
            step = "gpu-market deploy metadata --maintainer ADDRESS"
            right = _held(f"maintainer of {seed}", metadata.authority, governance, may)
            yield right if metadata.authority else Right(right.name, right.holder, None, may, step)


async def _missing(market: Market, account: MarketAccount) -> AsyncIterator[str]:
    """Reasons why the program would refuse the hand-over."""
    try:
        await market.reads.catalog()
    except NoCatalog:
        yield "there is no catalog of GPU models, which only the authority can open: gpu-market deploy market.toml"
    try:
        active = (await market.reads.pool()).active
    except NoPool:
        yield "there is no stake pool, which only the authority can open: gpu-market deploy market.toml"
        return
    needed = max(account.proposal_stake, 1)
    if active < needed:
        unit = await market.reads.denomination(account.market_mint)
        yield f"{unit.say(active)} are staked and active; it takes {unit.say(needed)}: gpu-market staking stake"
