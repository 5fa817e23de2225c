"""What the market's authority, guardian, oracles and funders do."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.pdas import find_host, find_vault
from anchor_client.generated.types import MarketKey, MarketKeys, MarketParameter, PauseArea, PaymentMintTerms
from anchor_client.market.session import Session
from anchor_client.tokens import associated_token, create_associated_token
from anchor_client.transactions import Sent

LOADER_V3 = Pubkey.from_string("BPFLoaderUpgradeab1e11111111111111111111111")


class Administration(Session):
    """Instructions that change the market itself. Each names who may sign."""

    async def initialize_market(self, market_mint: Pubkey, *, guardian: Pubkey, treasury: Pubkey) -> Sent:
        """Opens the market with its defaults, once. The program's upgrade authority, who becomes its authority."""
        return await self.send(
            [
                build.initialize_market(
                    keys=MarketKeys(guardian=guardian, treasury=treasury),
                    authority=self.address,
                    program_data=program_data_address(self.program_id),
                    market_mint=market_mint,
                    program_id=self.program_id,
                )
            ]
        )

    async def update_market(self, parameter: MarketParameter, value: int) -> Sent:
        """Sets one parameter within its bounds. Authority."""
        return await self.update_market_parameters({parameter: value})

    async def update_market_parameters(self, values: dict[MarketParameter, int]) -> Sent:
        """Sets several parameters in one transaction, in their order. Authority."""
        return await self.send(
            [
                build.update_market(
                    parameter=parameter, value=value, authority=self.address, program_id=self.program_id
                )
                for parameter, value in values.items()
            ]
        )

    async def update_market_key(self, key: MarketKey, new: Pubkey) -> Sent:
        """Replaces the guardian or the treasury. Authority."""
        return await self.send(
            [build.update_market_key(key=key, new=new, authority=self.address, program_id=self.program_id)]
        )

    async def set_paused(self, area: PauseArea, *, paused: bool) -> Sent:
        """Pauses or resumes an area. Authority; the guardian may only pause."""
        return await self.send(
            [build.set_paused(area=area, paused=paused, caller=self.address, program_id=self.program_id)]
        )

    async def approve_host(self, authority: Pubkey, *, approved: bool = True) -> Sent:
        """Approves a host, by its wallet, or takes the approval back. Authority."""
        return await self.send(
            [
                build.approve_host(
                    approved=approved,
                    authority=self.address,
                    host=find_host(authority, self.program_id)[0],
                    program_id=self.program_id,
                )
            ]
        )

    async def add_payment_mint(self, mint: Pubkey, terms: PaymentMintTerms) -> Sent:
        """Lets orders be paid in a mint. Authority."""
        return await self.send(
            [build.add_payment_mint(terms=terms, authority=self.address, mint=mint, program_id=self.program_id)]
        )

    async def update_payment_mint(self, mint: Pubkey, terms: PaymentMintTerms) -> Sent:
        """Changes a payment mint's terms for new orders. Authority. UnknownPaymentToken."""
        data = await self.reads.payment_mint(mint)
        return await self.send(
            [
                build.update_payment_mint(
                    terms=terms, authority=self.address, payment_mint_data=data, program_id=self.program_id
                )
            ]
        )

    async def add_vault(self, mint: Pubkey, shard: int = 0) -> Pubkey:
        """Adds a vault shard and its token account, and gives its address. Anyone."""
        vault = find_vault(mint, shard, self.program_id)[0]
        await self.send(
            [
                create_associated_token(self.address, vault, mint),
                build.add_vault(shard=shard, caller=self.address, mint=mint, program_id=self.program_id),
            ]
        )
        return vault

    async def post_price(self, mint: Pubkey, price: int) -> Sent:
        """Posts a price, pico-USD per whole token. The mint's oracle key. UnknownPaymentToken."""
        data = await self.reads.payment_mint(mint)
        return await self.send(
            [build.post_price(price=price, oracle=self.address, payment_mint_data=data, program_id=self.program_id)]
        )

    async def fund_subsidy(self, amount: int, shard: int = 0) -> Sent:
        """Adds base units of the market token to a vault's subsidy pool. Anyone, from his associated token account."""
        mint = (await self.reads.market()).market_mint
        vault = find_vault(mint, shard, self.program_id)[0]
        return await self.send(
            [
                build.fund_subsidy(
                    amount=amount,
                    funder=self.address,
                    vault=vault,
                    vault_token=associated_token(vault, mint),
                    funder_token=associated_token(self.address, mint),
                    program_id=self.program_id,
                )
            ]
        )


def program_data_address(program_id: Pubkey) -> Pubkey:
    """The account that names a program's upgrade authority."""
    return Pubkey.find_program_address([bytes(program_id)], LOADER_V3)[0]
