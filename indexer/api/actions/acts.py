"""Acts of a wallet: validated and simulated here, and returned as a transaction for it to sign."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Literal

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.market.client import Market
from anchor_client.market.drafting import drafted, signed_by
from anchor_client.service.optional import optional
from anchor_client.solana.transactions import MessageVersion
from indexer.api.deps import MarketClient
from indexer.api.errors import refusals
from indexer.api.summary import Summary, summary_of
from indexer.api.words import AddressText, AmountText

REFUSALS = refusals(400, 403, 404, 409, 413, 422, 429, 502, 503)


class Act(BaseModel):
    """Fields of every act. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")

    wallet: AddressText = Field(description="The wallet that signs, and pays the fee.")
    version: Literal["v0", "v1"] | None = Field(
        default=None,
        description="The newest version that the wallet supports; the message is v0 on a cluster without v1. "
        "Default: v0, and v1 for transactions that exceed v0.",
    )

    @property
    def signer(self) -> Pubkey:
        """The wallet's address."""
        return Pubkey.from_string(self.wallet)


class Amount(Act):
    """An amount of a mint."""

    amount: AmountText = Field(description="Base units.", examples=["1000000000"])

    @property
    def units(self) -> int:
        """The amount."""
        return int(self.amount)


class UnsignedAct(BaseModel):
    """A transaction to sign and send, and its effect."""

    transaction: str = Field(description="Base64 of a versioned transaction with empty signatures.")
    version: Literal["v0", "v1"]
    blockhash: str
    last_valid_block_height: int = Field(description="The last block height at which it can land.")
    signers: list[str] = Field(description="Addresses that must sign, in the order of the signatures.")
    address: str | None = Field(description="The account that it creates or changes: a job, a listing, a request.")
    summary: Summary


class Actor:
    """Prepares acts. Raises what the client's actions raise, by which errors are named."""

    def __init__(self, market: Market) -> None:
        self.market = market

    async def prepare(
        self,
        body: Act,
        act: Callable[[Market], Awaitable[object]],
        says: str,
        *,
        address: Pubkey | str | None = None,
    ) -> UnsignedAct:
        """The transaction that an action of the client would send for the wallet; `says` what it does, in words."""
        return await self.answer(body, await drafted(self.market, body.signer, act), says, address=address)

    async def answer(
        self,
        body: Act,
        instructions: Sequence[Instruction],
        says: str,
        *,
        address: Pubkey | str | None = None,
        headroom: Mapping[Pubkey, int] | None = None,
    ) -> UnsignedAct:
        """The transaction of instructions that are planned already. `headroom` is how much more of a mint it may take
        when it lands, base units."""
        signer = body.signer
        version = optional(MessageVersion, body.version)
        sender = self.market.session.sender
        unsigned = await sender.unsigned(signed_by(signer, instructions), signer, version=version)
        return UnsignedAct(
            transaction=unsigned.base64,
            version="v1" if unsigned.version is MessageVersion.V1 else "v0",
            blockhash=str(unsigned.blockhash),
            last_valid_block_height=unsigned.last_valid_block_height,
            signers=[str(key) for key in unsigned.signers],
            address=optional(str, address),
            summary=await summary_of(self.market.reads, signer, unsigned, says, headroom or {}),
        )


async def _actor(market: MarketClient) -> Actor:
    return Actor(market)


Acting = Annotated[Actor, Depends(_actor)]
"""Asks the node, so requests that need it have a budget."""
