"""Summary of an act, for people and for programs: a sentence, and every movement to the base unit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from pydantic import BaseModel, Field
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination
from anchor_client.market.reads import MarketReader
from anchor_client.resources.base import BaseUnits
from anchor_client.service.optional import optional
from anchor_client.solana.tokens import NATIVE_MINT
from anchor_client.solana.transactions import Movement, UnsignedTransaction
from anchor_client.solana.transactions.movements import RENT, RENT_RETURNED


class Moved(BaseModel):
    """An amount that leaves one wallet or account of the market for another, or is burned."""

    mint: str = Field(description="SOL has the address of wrapped SOL's mint.")
    token: str
    decimals: int
    amount: BaseUnits
    source: str = Field(alias="from", description="The owner of what moves: a wallet, or an account of the market.")
    target: str | None = Field(alias="to", description="Owner afterwards; null if burned.")
    purpose: str = Field(description="Purpose of the transfer.", examples=["escrow"])


class Most(BaseModel):
    """The most that the wallet may part with in one mint."""

    mint: str
    token: str
    decimals: int
    amount: BaseUnits


class Summary(BaseModel):
    """Effects of a transaction if it lands now."""

    text: str = Field(examples=["Extend the job by 1 h. You pay 1.38 GPUM (escrow). The fee is 0.000005 SOL."])
    movements: list[Moved] = Field(description="All transfers of tokens and lamports, except the fee.")
    fee: BaseUnits = Field(description="Of the transaction, lamports; lost even if it fails on chain.")
    rent_locked: BaseUnits = Field(description="Lamports that the wallet leaves in new accounts.")
    rent_returned: BaseUnits = Field(description="Lamports that it gets back from closed accounts.")
    most: list[Most] = Field(description="The most it may cost, fee and rent included, if it lands late.")


async def summary_of(
    reads: MarketReader,
    wallet: Pubkey,
    transaction: UnsignedTransaction,
    says: str,
    headroom: Mapping[Pubkey, int],
) -> Summary:
    """The summary of a transaction for the wallet that signs it."""
    moved = transaction.movements
    mints = dict.fromkeys([*(one.mint for one in moved), *headroom, NATIVE_MINT])
    tokens = {mint: await _token(reads, mint) for mint in mints}
    paid = _most(wallet, moved, transaction.fee, headroom)
    return Summary(
        text=_text(says, wallet, moved, tokens, transaction.fee),
        movements=[
            Moved.model_validate(
                {
                    "mint": str(one.mint),
                    "token": tokens[one.mint].symbol,
                    "decimals": tokens[one.mint].decimals,
                    "amount": one.amount,
                    "from": str(one.source),
                    "to": optional(str, one.target),
                    "purpose": one.purpose,
                }
            )
            for one in moved
        ],
        fee=transaction.fee,
        rent_locked=sum(one.amount for one in moved if one.purpose == RENT and one.source == wallet),
        rent_returned=sum(one.amount for one in moved if one.purpose == RENT_RETURNED and one.target == wallet),
        most=[
            Most(mint=str(mint), token=tokens[mint].symbol, decimals=tokens[mint].decimals, amount=amount)
            for mint, amount in paid.items()
        ],
    )


async def _token(reads: MarketReader, mint: Pubkey) -> Denomination:
    token = await reads.denomination(mint)
    return Denomination("SOL", token.decimals) if mint == NATIVE_MINT else token


def _most(wallet: Pubkey, moved: Iterable[Movement], fee: int, headroom: Mapping[Pubkey, int]) -> dict[Pubkey, int]:
    paid: dict[Pubkey, int] = defaultdict(int, headroom)
    for one in moved:
        if one.source == wallet:
            paid[one.mint] += one.amount
    paid[NATIVE_MINT] += fee
    return dict(paid)


def _text(says: str, wallet: Pubkey, moved: Iterable[Movement], tokens: Mapping[Pubkey, Denomination], fee: int) -> str:
    pays = [f"{tokens[one.mint].say(one.amount)} ({one.purpose})" for one in moved if one.source == wallet]
    gets = [f"{tokens[one.mint].say(one.amount)} ({one.purpose})" for one in moved if one.target == wallet]
    parts = [f"{says}."]
    if pays:
        parts.append(f"You pay {', '.join(pays)}.")
    if gets:
        parts.append(f"You get {', '.join(gets)}.")
    parts.append(f"The fee is {tokens[NATIVE_MINT].say(fee)}.")
    return " ".join(parts)
