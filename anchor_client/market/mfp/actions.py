"""The catalog of GPU models, and the market tokens that a host locks against the extra fee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import TooFewTokens
from anchor_client.generated import instructions as build
from anchor_client.generated.pdas import find_catalog, find_host
from anchor_client.generated.types import GpuTerms
from anchor_client.market.area import Area
from anchor_client.market.purse import paying_purse
from anchor_client.resources.mfp import MfpLock
from anchor_client.rules.host import extra_fee_bps_ceil
from anchor_client.solana.tokens import associated_token, create_associated_token
from anchor_client.solana.transactions import Sent

MODELS_PER_TRANSACTION: Final = 8


class MfpActions(Area):
    """Instructions about GPU models and locks. Amounts are base units of the market token."""

    async def initialize(self) -> Pubkey:
        """Opens the catalog of GPU models and gives its address. The market's authority, once."""
        catalog = find_catalog(self.program_id)[0]
        mint = (await self.reads.market()).market_mint
        await self.send(
            create_associated_token(self.address, catalog, mint),
            self.instruction(
                build.initialize_catalog, authority=self.address, catalog_token=associated_token(catalog, mint)
            ),
        )
        return catalog

    async def set_models(self, terms: Mapping[int, GpuTerms]) -> list[Sent]:
        """Sets the points and the reference price of one GPU of each model, by its number, as many as fit at once. The
        market's authority."""
        acts = [
            self.instruction(build.set_gpu_model, number=number, terms=said, authority=self.address)
            for number, said in terms.items()
        ]
        parts = [acts[start : start + MODELS_PER_TRANSACTION] for start in range(0, len(acts), MODELS_PER_TRANSACTION)]
        return [await self.send(*part) for part in parts]

    async def refresh_listing(self, listing: Pubkey) -> Sent:
        """Gives a listing the catalog's present points and reference price. Anyone. UnknownListing."""
        data = await self.reads.listing(listing)
        return await self.act(
            build.refresh_listing, caller=self.address, listing=listing, host=data.host, listing_data=data
        )

    async def lock(self, amount: int) -> Sent:
        """Locks tokens against the extra fee, for new rentals. Host. UnknownHost, TooFewTokens."""
        await self.reads.host(self.address)
        catalog = await self.reads.catalog()
        purse = await paying_purse(self.reads, self.address, catalog.mint, amount, wraps=False, shortage=TooFewTokens)
        return await self.act(
            build.lock_mfp,
            amount=amount,
            authority=self.address,
            host=find_host(self.address, self.program_id)[0],
            catalog_token=catalog.token_account,
            authority_token=purse.address,
        )

    async def unlock(self, amount: int) -> Sent:
        """Takes tokens out of the lock; they count no more and may leave after the delay. Host. UnknownHost."""
        await self.reads.host(self.address)
        return await self.act(
            build.unlock_mfp, amount=amount, authority=self.address, host=find_host(self.address, self.program_id)[0]
        )

    async def withdraw(self) -> Sent:
        """Takes back all unlocked tokens. Host. UnknownHost."""
        await self.reads.host(self.address)
        catalog = await self.reads.catalog()
        target = associated_token(self.address, catalog.mint)
        return await self.send(
            create_associated_token(self.address, self.address, catalog.mint),
            self.instruction(
                build.withdraw_mfp,
                authority=self.address,
                host=find_host(self.address, self.program_id)[0],
                catalog_token=catalog.token_account,
                authority_token=target,
            ),
        )

    async def get(self, host: Pubkey) -> MfpLock:
        """A host's lock, by its wallet, and what it leaves of the extra fees. UnknownHost."""
        account = await self.reads.host(host)
        market = await self.reads.market()
        tokens = await self.reads.tokens()
        mints = await self.reads.payment_mints()
        return MfpLock.known(
            host=host,
            points=account.points,
            locked=account.mfp_locked,
            unlocking=account.mfp_unlocking,
            unlock_at=account.mfp_unlock_at if account.mfp_unlocking else None,
            required=account.points * market.mfp_per_point,
            extra_fee_bps={
                tokens.symbol(mint.mint): extra_fee_bps_ceil(
                    mint.extra_fee_bps,
                    points=account.points,
                    mfp_locked=account.mfp_locked,
                    mfp_per_point=market.mfp_per_point,
                )
                for mint in mints.values()
                if mint.extra_fee_bps
            },
        )
