"""Steps that open a market as its file describes it, by stage, each with its cost and what cannot be undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from spl.token.constants import MINT_LEN, TOKEN_PROGRAM_ID
from spl.token.instructions import set_authority
from spl.token.models import AuthorityType, SetAuthorityParams

from anchor_client.amounts import tokens as say
from anchor_client.deploy.document import FINAL, MarketFile, Mint, units
from anchor_client.deploy.keys import MarketKeys
from anchor_client.deploy.steps import DeployStep
from anchor_client.generated import accounts
from anchor_client.generated import instructions as build
from anchor_client.generated.pdas import (
    find_catalog,
    find_gpu_model,
    find_market,
    find_payment_mint,
    find_pool,
    find_vault,
)
from anchor_client.generated.types import MarketKeys as KeysOfMarket
from anchor_client.generated.types import OracleKind, PaymentMintTerms
from anchor_client.rules.pyth import DEPLOYMENTS
from anchor_client.solana.issuing import issue, make_mint
from anchor_client.solana.loader import program_data
from anchor_client.solana.tokens import TOKEN_ACCOUNT_BYTES, associated_token, create_associated_token

STAGES: Final = ("tokens", "market", "parameters", "mints and pool", "vaults and catalog", "changes")
"""In order; what one stage makes the next may need: the stakers' first epoch is as long as the parameters say."""
PARAMETERS, CHANGES = STAGES[2], STAGES[-1]


@dataclass(frozen=True, slots=True)
class Work:
    """One thing to do. `sizes` are of the accounts that it makes; `final` says what cannot be undone, if anything."""

    stage: str
    text: str
    step: DeployStep
    sizes: tuple[int, ...] = ()
    final: str | None = None


class MarketWorks:
    """The works of a market file. Amounts of new mints are minted to the authority."""

    def __init__(self, file: MarketFile, keys: MarketKeys, mint_rent: int) -> None:
        self._file = file
        self._keys = keys
        self._mint_rent = mint_rent
        self._program = keys.program.pubkey()
        self._authority = keys.authority
        self.mints = {mint.symbol: address_of(mint, keys) for mint in file.mints}
        self.market_mint = self.mints[file.market_token.symbol]

    def all(self) -> Iterator[Work]:
        """Every work that makes an account, in order."""
        yield from (self._new_mint(mint) for mint in self._file.mints if mint.is_new)
        yield self._market()
        yield from map(self._payment_mint, self._file.mints)
        if self._file.staking.enabled:
            yield from self._pool()
        yield from self._vaults()
        yield from self._catalog()

    def terms(self, mint: Mint) -> PaymentMintTerms:
        """Payment terms that the authority sets for a mint."""
        kind = mint.oracle_kind
        oracle = self._keys.oracle
        pinned_price = 0
        if kind in DEPLOYMENTS:
            oracle = mint.feed_id
        elif kind is OracleKind.PINNED:
            pinned_price = mint.pico_usd
        return PaymentMintTerms(
            oracle_kind=kind,
            enabled=True,
            shards=mint.shards,
            oracle=oracle,
            pinned_price=pinned_price,
            max_age=mint.max_age,
            subsidy_bps=mint.subsidy_bps,
            burn_bps=mint.burn_bps,
            extra_fee_bps=mint.extra_fee_bps,
            max_confidence_bps=mint.max_confidence_bps,
        )

    def reward(self, mint: Mint) -> tuple[Instruction, ...]:
        """Lets stake earn a mint."""
        pool = find_pool(self._program)[0]
        address = self.mints[mint.symbol]
        return (
            create_associated_token(self._authority, pool, address),
            build.add_reward_mint(
                authority=self._authority,
                mint=address,
                stream_token=associated_token(pool, address),
                program_id=self._program,
            ),
        )

    def post(self, mint: Mint) -> Instruction:
        """Posts the file's price."""
        return build.post_price(
            price=mint.pico_usd,
            oracle=self._keys.oracle,
            payment_mint=find_payment_mint(self.mints[mint.symbol], self._program)[0],
            program_id=self._program,
        )

    def _work(
        self,
        stage: int,
        text: str,
        creates: Pubkey,
        *instructions: Instruction,
        sizes: tuple[int, ...],
        final: str = "",
    ) -> Work:
        step = DeployStep(creates, self._keys.payer, instructions, elsewhere=self._keys.elsewhere)
        return Work(STAGES[stage], text, step, sizes, final or None)

    def _new_mint(self, mint: Mint) -> Work:
        address = self.mints[mint.symbol]
        key = self._keys.mints[mint.symbol]
        supply = units(mint.supply, 10**mint.decimals, f"the supply of {mint.symbol}")
        payer = self._keys.payer.pubkey()
        heir = None if mint.mint_authority == FINAL else self._authority
        instructions = [
            *make_mint(payer, address, mint.decimals, self._mint_rent),
            *issue(payer, self._authority, address, supply),
        ]
        if heir != payer:
            give = SetAuthorityParams(
                program_id=TOKEN_PROGRAM_ID,
                account=address,
                authority=AuthorityType.MINT_TOKENS,
                current_authority=payer,
                new_authority=heir,
            )
            instructions.append(set_authority(give))
        return Work(
            STAGES[0],
            f"make the mint {mint.symbol} ({address}), and {say(supply, mint.decimals)} of it for the authority",
            DeployStep(address, self._keys.payer, tuple(instructions), (key,)),
            (MINT_LEN, TOKEN_ACCOUNT_BYTES),
            f"nobody can ever mint more {mint.symbol}" if heir is None else None,
        )

    def _market(self) -> Work:
        initialize = build.initialize_market(
            keys=KeysOfMarket(guardian=self._keys.guardian, treasury=self._keys.treasury),
            testing=self._file.testing,
            authority=self._authority,
            program_data=program_data(self._program),
            market_mint=self.market_mint,
            program_id=self._program,
        )
        kind = "permanently a test market" if self._file.testing else "not a test market"
        return self._work(
            1,
            f"open the market, {kind}",
            find_market(self._program)[0],
            initialize,
            sizes=(accounts.Market.SIZE,),
            final=f"the market token is permanently {self.market_mint}, and the market is {kind}",
        )

    def _payment_mint(self, mint: Mint) -> Work:
        address = self.mints[mint.symbol]
        add = build.add_payment_mint(
            terms=self.terms(mint), authority=self._authority, mint=address, program_id=self._program
        )
        oracle = self._keys.oracle_key
        elsewhere = self._keys.elsewhere
        instructions = [add]
        signers = []
        if mint.oracle == "posted" and mint.pico_usd and oracle is not None and elsewhere is None:
            instructions.append(self.post(mint))
            signers.append(oracle)
        made = find_payment_mint(address, self._program)[0]
        step = DeployStep(made, self._keys.payer, tuple(instructions), tuple(signers), elsewhere)
        text = f"accept payments in {mint.symbol} ({address}), priced by {mint.oracle}"
        final = f"{mint.symbol} can be disabled later, but not removed; its {mint.shards} shards can only become more"
        return Work(STAGES[3], text, step, (accounts.PaymentMint.SIZE,), final)

    def _pool(self) -> Iterator[Work]:
        pool = find_pool(self._program)[0]
        own = self._file.market_token
        token = associated_token(pool, self.market_mint)
        rewards = self.reward(own) if own.rewards else ()
        yield self._work(
            3,
            "open the stake pool",
            pool,
            create_associated_token(self._authority, pool, self.market_mint),
            build.initialize_pool(authority=self._authority, pool_token=token, program_id=self._program),
            *rewards[1:],
            sizes=(accounts.StakePool.SIZE, TOKEN_ACCOUNT_BYTES),
        )
        for mint in self._file.mints:
            if mint.rewards and mint is not own:
                stream = associated_token(pool, self.mints[mint.symbol])
                text = f"let stakers earn {mint.symbol}"
                yield self._work(3, text, stream, *self.reward(mint), sizes=(TOKEN_ACCOUNT_BYTES,))

    def _vaults(self) -> Iterator[Work]:
        for mint in self._file.mints:
            share = units(mint.subsidy, 10**mint.decimals, f"the subsidy of {mint.symbol}") // mint.shards
            for shard in range(mint.shards):
                yield self._vault(mint, shard, share)

    def _vault(self, mint: Mint, shard: int, subsidy: int) -> Work:
        address = self.mints[mint.symbol]
        vault = find_vault(address, shard, self._program)[0]
        token = associated_token(vault, address)
        instructions = [
            create_associated_token(self._authority, vault, address),
            build.add_vault(
                shard=shard, caller=self._authority, mint=address, vault_token=token, program_id=self._program
            ),
        ]
        text = f"add vault {shard} of {mint.symbol}"
        if subsidy:
            text += f", with {say(subsidy, mint.decimals, mint.symbol)} of subsidies"
            instructions.append(
                build.fund_subsidy(
                    amount=subsidy,
                    funder=self._authority,
                    vault=vault,
                    vault_token=token,
                    funder_token=associated_token(self._authority, address),
                    program_id=self._program,
                )
            )
        return self._work(4, text, vault, *instructions, sizes=(accounts.Vault.SIZE, TOKEN_ACCOUNT_BYTES))

    def _catalog(self) -> Iterator[Work]:
        catalog = find_catalog(self._program)[0]
        authority = self._authority
        program = self._program
        token = associated_token(catalog, self.market_mint)
        yield self._work(
            4,
            "open the catalog of GPU models",
            catalog,
            create_associated_token(authority, catalog, self.market_mint),
            build.initialize_catalog(authority=authority, catalog_token=token, program_id=program),
            sizes=(accounts.Catalog.SIZE, TOKEN_ACCOUNT_BYTES),
        )
        for model in self._file.catalog.gpus:
            add = build.set_gpu_model(number=model.id, terms=model.terms, authority=authority, program_id=program)
            address = find_gpu_model(model.id, program)[0]
            yield self._work(4, f"list {model.slug}", address, add, sizes=(accounts.GpuModel.SIZE,))


def address_of(mint: Mint, keys: MarketKeys) -> Pubkey:
    """A mint's address; its key's if it is to be created."""
    if mint.is_new:
        return keys.mints[mint.symbol].pubkey()
    return Pubkey.from_string(mint.mint)
