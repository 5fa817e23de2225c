"""Gives newcomers test tokens, on markets that are for tests and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.token.state import Mint

from anchor_client.amounts import SOL_DECIMALS
from anchor_client.balances import Balance, read_balances
from anchor_client.deploy.clusters import MAINNET, cluster_of
from anchor_client.market.client import Market
from anchor_client.service.optional import optional
from anchor_client.service.shares import Shares
from anchor_client.solana.issuing import issue
from anchor_client.solana.tokens import NATIVE_MINT
from anchor_client.solana.wallet import Wallet
from indexer.api.errors import ApiError

GIFT_TOKENS: Final = 1_000
GIFT_LAMPORTS: Final = 10**SOL_DECIMALS
MOST_WAITING: Final = 16
"""Wallets that wait for their gifts, which are sent one after another."""
RETRY_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class Given:
    """Gifts to a wallet, and the transaction that sent them."""

    gifts: list[Balance]
    signature: str


class Faucet:
    """Issues tokens that the key is mint authority of, and sends its SOL."""

    def __init__(self, market: Market, keypair: str | None) -> None:
        self._market = market
        self._wallet = optional(Wallet.from_file, keypair)
        self._giving = asyncio.Lock()
        self._shares = Shares(MOST_WAITING)

    async def gifts(self) -> list[Balance]:
        """Gifts for a wallet; empty where there is no key, the market is not for tests, or this is mainnet."""
        if self._wallet is None or not await self._is_for_tests():
            return []
        reads = self._market.reads
        mints = [mint.mint for mint in (await reads.payment_mints()).values() if mint.enabled]
        mints = [mint for mint in mints if mint != NATIVE_MINT]
        gifts = [Balance("SOL", NATIVE_MINT, GIFT_LAMPORTS, SOL_DECIMALS)]
        for mint, account in zip(mints, await reads.program.accounts(mints), strict=True):
            if account is None or Mint.from_bytes(account.data).mint_authority != self._wallet.pubkey:
                continue
            told = await reads.denomination(mint)
            gifts.append(Balance(told.symbol, mint, GIFT_TOKENS * 10**told.decimals, told.decimals))
        return gifts

    async def give(self, owner: Pubkey, holder: str, take: Callable[[], Awaitable[None]]) -> Given:
        """Sends the gifts that a wallet holds less than half of, in one transaction; `holder` is whose share of those
        who wait it takes, and `take` counts it before anything is sent. ApiError; the network's errors."""
        if not self._shares.has_room(holder):
            status, whose = (503, "") if self._shares.is_full else (429, " of your network")
            detail = f"Too many wallets{whose} wait for gifts."
            raise ApiError(status, "faucet_busy", detail, "Ask again in a moment.", retry_after=RETRY_SECONDS)
        with self._shares.holding(holder):
            return await self._give(owner, take)

    async def _give(self, owner: Pubkey, take: Callable[[], Awaitable[None]]) -> Given:
        gifts = await self.gifts()
        if self._wallet is None or not gifts:
            remedy = "Use a wallet with SOL and a token of /api/tokens."
            raise ApiError(409, "faucet_closed", "This market gives no test tokens.", remedy)
        async with self._giving:
            held = {each.mint: each.base_units for each in await read_balances(self._market.reads.program, owner, {})}
            lacking = [gift for gift in gifts if held.get(gift.mint, 0) * 2 < gift.base_units]
            if not lacking:
                detail = f"{owner} still holds at least half of each gift."
                raise ApiError(409, "wallet_has_enough", detail, "Spend its tokens first.")
            await take()
            instructions = [each for gift in lacking for each in _giving(self._wallet.pubkey, owner, gift)]
            sent = await self._market.signing_as(self._wallet).send(*instructions)
        return Given(lacking, str(sent.signature))

    async def _is_for_tests(self) -> bool:
        reads = self._market.reads
        return bool((await reads.market()).testing) and cluster_of(await reads.genesis_hash()) != MAINNET


def _giving(giver: Pubkey, owner: Pubkey, gift: Balance) -> list[Instruction]:
    if gift.mint == NATIVE_MINT:
        return [transfer(TransferParams(from_pubkey=giver, to_pubkey=owner, lamports=gift.base_units))]
    return issue(giver, owner, gift.mint, gift.base_units)
