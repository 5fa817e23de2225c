"""Changes that bring an open market in line with its file: parameters, keys, terms, prices, rewards, hosts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.deploy.document import MarketFile, Mint, units, wanted_parameters
from anchor_client.deploy.keys import MarketKeys
from anchor_client.deploy.market import CHANGES, PARAMETERS, MarketWorks, Work
from anchor_client.deploy.steps import DeployStep
from anchor_client.generated import accounts
from anchor_client.generated import instructions as build
from anchor_client.generated.pdas import find_host, find_market, find_payment_mint, find_pool
from anchor_client.generated.types import MarketKey, MarketParameter, OracleKind, PaymentMintTerms
from anchor_client.market.reads import MarketReader
from anchor_client.rules.parameters import BY_NAME, in_order
from anchor_client.rules.stake_pool import reward_mints
from anchor_client.solana.wallet import parse_address


@dataclass(frozen=True, slots=True)
class MarketState:
    """State of a market on a cluster: None, or empty, for missing parts."""

    market: accounts.Market | None
    mints: Mapping[Pubkey, accounts.PaymentMint]
    """By mint."""
    pool: accounts.StakePool | None
    hosts: Mapping[Pubkey, accounts.Host]
    """By address of the account."""

    @classmethod
    async def read(cls, reads: MarketReader, file: MarketFile, works: MarketWorks) -> MarketState:
        """Reads it. The network's errors."""
        program = reads.program_id
        read = reads.program
        wanted = [find_payment_mint(mint, program)[0] for mint in works.mints.values()]
        mints = await read.read_known(accounts.PaymentMint, wanted)
        hosts = [find_host(parse_address(host.wallet), program)[0] for host in file.hosts]
        return cls(
            market=await read.read(accounts.Market, find_market(program)[0]),
            mints={one.mint: one for one in mints.values()},
            pool=await read.read(accounts.StakePool, find_pool(program)[0]),
            hosts=await read.read_known(accounts.Host, hosts),
        )


class Changes:
    """The works that change what there is already, or what opens with its defaults."""

    def __init__(self, file: MarketFile, keys: MarketKeys, works: MarketWorks, found: MarketState) -> None:
        self._file = file
        self._keys = keys
        self._works = works
        self._found = found
        self._program = keys.program.pubkey()
        self._authority = keys.authority

    def all(self) -> Iterator[Work]:
        """Every change, in order."""
        yield from self._parameters()
        if self._found.market is not None:
            yield from self._market_keys(self._found.market)
        for mint in self._file.mints:
            there = self._found.mints.get(self._works.mints[mint.symbol])
            if there is not None:
                yield from self._mint(mint, there)
        yield from self._hosts()

    def waiting(self) -> list[str]:
        """Steps that only others can take."""
        missing = [host.wallet for host in self._file.hosts if self._host(host.wallet) not in self._found.hosts]
        return [f"{wallet} has to register as a host (`gpu-market host register`)" for wallet in missing]

    def _change(self, text: str, *instructions: Instruction, stage: str = CHANGES) -> Work:
        step = DeployStep(self._program, self._keys.payer, instructions, elsewhere=self._keys.elsewhere)
        return Work(stage, text, step)

    def _first_price(self, mint: Mint, oracle: Keypair) -> Work:
        step = DeployStep(self._program, self._keys.payer, (self._works.post(mint),), (oracle,))
        return Work(CHANGES, f"post the first price of {mint.symbol}", step)

    def _parameters(self) -> Iterator[Work]:
        decimals = self._file.market_token.decimals
        market = self._found.market
        if market is not None:
            decimals = market.market_decimals
        wanted = wanted_parameters(self._file, 10**decimals)
        if market is None:
            old = {each.parameter: each.opens_with(10**decimals) for each in BY_NAME.values()}
        else:
            old = {each: int(getattr(market, each.name.lower())) for each in MarketParameter}
        named = {BY_NAME[name].parameter: wanted[BY_NAME[name].parameter] for name in self._file.parameters}
        for each in in_order(old, named):
            change = build.update_market(
                parameter=each, value=named[each], authority=self._authority, program_id=self._program
            )
            yield self._change(f"set {each.name.lower()} from {old[each]} to {named[each]}", change, stage=PARAMETERS)

    def _market_keys(self, market: accounts.Market) -> Iterator[Work]:
        for key, old, new in (
            (MarketKey.GUARDIAN, market.guardian, self._keys.guardian),
            (MarketKey.TREASURY, market.treasury, self._keys.treasury),
        ):
            if old != new:
                change = build.update_market_key(key=key, new=new, authority=self._authority, program_id=self._program)
                yield self._change(f"replace the {key.name.lower()} {old} with {new}", change)

    def _mint(self, mint: Mint, there: accounts.PaymentMint) -> Iterator[Work]:
        wanted = self._works.terms(mint)
        if not _agree(there, wanted):
            update = build.update_payment_mint(
                terms=wanted,
                authority=self._authority,
                payment_mint=find_payment_mint(there.mint, self._program)[0],
                program_id=self._program,
            )
            yield self._change(f"change the terms of {mint.symbol}", update)
        if mint.oracle == "posted" and mint.pico_usd and there.price == 0 and self._keys.oracle_key is not None:
            yield self._first_price(mint, self._keys.oracle_key)
        pool = self._found.pool
        if pool is not None and mint.rewards and self._file.staking.enabled and there.mint not in reward_mints(pool):
            yield self._change(f"let stakers earn {mint.symbol}", *self._works.reward(mint))

    def _hosts(self) -> Iterator[Work]:
        token = self._file.market_token
        for host in self._file.hosts:
            address = self._host(host.wallet)
            budget = units(host.subsidy, 10**token.decimals, "a host's subsidy")
            there = self._found.hosts.get(address)
            if there is not None and not (there.approved and there.subsidy_budget == budget):
                approve = build.approve_host(
                    approved=True,
                    subsidy_budget=budget,
                    authority=self._authority,
                    host=address,
                    program_id=self._program,
                )
                yield self._change(f"approve the host {host.wallet}", approve)

    def _host(self, wallet: str) -> Pubkey:
        return find_host(parse_address(wallet), self._program)[0]


def _agree(there: accounts.PaymentMint, wanted: PaymentMintTerms) -> bool:
    """True where a mint already has the terms; more shards than wanted are kept."""
    pinned = there.oracle_kind == OracleKind.PINNED
    pairs = [
        (there.oracle_kind, wanted.oracle_kind),
        (bool(there.enabled), wanted.enabled),
        (there.max_age, wanted.max_age),
        (there.subsidy_bps, wanted.subsidy_bps),
        (there.burn_bps, wanted.burn_bps),
        (there.extra_fee_bps, wanted.extra_fee_bps),
        (there.max_confidence_bps, wanted.max_confidence_bps),
        (there.price, wanted.pinned_price) if pinned else (there.oracle, wanted.oracle),
    ]
    return all(old == new for old, new in pairs) and there.shards >= wanted.shards
