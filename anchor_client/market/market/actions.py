"""Actions of the market's authority, guardian, oracles and funders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated import types
from anchor_client.generated.pdas import find_vault
from anchor_client.market.area import Area
from anchor_client.solana import transactions
from anchor_client.solana.loader import program_data
from anchor_client.solana.tokens import associated_token, create_associated_token


class MarketActions(Area):
    """Instructions about the market itself. Each names who may sign."""

    async def initialize(
        self, market_mint: Pubkey, *, guardian: Pubkey, treasury: Pubkey, testing: bool = False
    ) -> transactions.Sent:
        """Opens the market with its defaults, once. The program's upgrade authority, who becomes its authority.

        A market for tests (`testing`) takes shorter times and smaller quorums, and says so for ever.
        """
        return await self.act(
            build.initialize_market,
            keys=types.MarketKeys(guardian=guardian, treasury=treasury),
            testing=testing,
            authority=self.address,
            program_data=program_data(self.program_id),
            market_mint=market_mint,
        )

    async def update(self, values: Mapping[types.MarketParameter, int]) -> transactions.Sent:
        """Sets parameters within their bounds, in one transaction and in their order. Authority."""
        return await self.send(
            *(
                self.instruction(build.update_market, parameter=parameter, value=value, authority=self.address)
                for parameter, value in values.items()
            )
        )

    async def update_key(self, key: types.MarketKey, new: Pubkey) -> transactions.Sent:
        """Replaces the guardian or the treasury. Authority."""
        return await self.act(build.update_market_key, key=key, new=new, authority=self.address)

    async def set_paused(self, area: types.PauseArea, *, paused: bool) -> transactions.Sent:
        """Pauses or resumes an area. Authority; the guardian may only pause, for a week with a week between."""
        return await self.act(build.set_paused, area=area, paused=paused, caller=self.address)

    async def add_payment_mint(self, mint: Pubkey, terms: types.PaymentMintTerms) -> transactions.Sent:
        """Lets orders be paid in a mint. Authority."""
        return await self.act(build.add_payment_mint, terms=terms, authority=self.address, mint=mint)

    async def update_payment_mint(self, mint: Pubkey, terms: types.PaymentMintTerms) -> transactions.Sent:
        """Changes a payment mint's terms for new orders. Authority. UnknownPaymentToken."""
        data = await self.reads.payment_mint(mint)
        return await self.act(build.update_payment_mint, terms=terms, authority=self.address, payment_mint_data=data)

    async def add_vault(self, mint: Pubkey, shard: int = 0) -> Pubkey:
        """Adds a vault shard and its token account, and gives its address. Anyone."""
        vault = find_vault(mint, shard, self.program_id)[0]
        await self.send(
            create_associated_token(self.address, vault, mint),
            self.instruction(build.add_vault, shard=shard, caller=self.address, mint=mint),
        )
        return vault

    async def post_price(self, mint: Pubkey, price: int) -> transactions.Sent:
        """Posts a price, pico-USD per whole token. The mint's oracle key. UnknownPaymentToken."""
        data = await self.reads.payment_mint(mint)
        return await self.act(build.post_price, price=price, oracle=self.address, payment_mint_data=data)

    async def fund_subsidy(self, amount: int, shard: int = 0) -> transactions.Sent:
        """Adds base units of the market token, of the wallet's own, to a vault's subsidy pool. Anyone."""
        mint = (await self.reads.market()).market_mint
        vault = find_vault(mint, shard, self.program_id)[0]
        return await self.act(
            build.fund_subsidy,
            amount=amount,
            funder=self.address,
            vault=vault,
            vault_token=associated_token(vault, mint),
            funder_token=associated_token(self.address, mint),
        )

    async def withdraw_unreserved(self, mint: Pubkey, shard: int, amount: int) -> transactions.Sent:
        """Takes at most `amount` base units that nobody is owed out of a vault: what was sent there directly, then of
        its subsidy pool. Authority. UnknownVault."""
        address, vault = await self.reads.vault(mint, shard)
        return await self.send(
            create_associated_token(self.address, self.address, mint),
            self.instruction(
                build.withdraw_unreserved,
                amount=amount,
                authority=self.address,
                vault=address,
                vault_data=vault,
            ),
        )

    async def excess_rent(self, accounts: Sequence[Pubkey]) -> dict[Pubkey, int]:
        """Lamports that accounts hold beyond the rent which the cluster asks today; those without any are left out."""
        program = self.reads.program
        found = {a: one for a, one in zip(accounts, await program.accounts(accounts), strict=True) if one is not None}
        sizes = {len(one.data) for one in found.values()}
        rent = {size: await program.rent_exempt_minimum(size) for size in sizes}
        excess = {address: one.lamports - rent[len(one.data)] for address, one in found.items()}
        return {address: lamports for address, lamports in excess.items() if lamports > 0}

    async def sweep_rent(self, owners: Mapping[Pubkey, Pubkey]) -> transactions.Sent:
        """Gives what accounts hold beyond their rent to their `owners`; the treasury, for the market's. Anyone."""
        return await self.send(
            *(self.instruction(build.sweep_rent, account=account, owner=owner) for account, owner in owners.items())
        )

    async def sweep_fees(self, mint: Pubkey, shard: int) -> transactions.Sent:
        """Divides a vault's fees between burn, stakers and treasury; what the treasury's associated account does not
        take waits in the vault. Anyone. UnknownVault."""
        address, vault = await self.reads.vault(mint, shard)
        treasury = (await self.reads.market()).treasury
        token = associated_token(treasury, mint)
        makes = []
        if await self.reads.program.account(token) is None:
            makes.append(create_associated_token(self.address, treasury, mint))
        return await self.send(
            *makes,
            self.instruction(
                build.sweep_fees,
                caller=self.address,
                vault=address,
                treasury_token=token,
                vault_data=vault,
            ),
        )
