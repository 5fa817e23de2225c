"""What every area of the client builds on."""

from __future__ import annotations

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.market.reads import MarketReader
from anchor_client.market.session import Session
from anchor_client.transactions import Sent


class Area:
    """One area of the market. Methods that sign raise WalletNeeded without a wallet, and what sending raises."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def reads(self) -> MarketReader:
        """What the chain says now."""
        return self.session.reads

    @property
    def program_id(self) -> Pubkey:
        """The market's program."""
        return self.session.reads.program_id

    @property
    def address(self) -> Pubkey:
        """The wallet's address. WalletNeeded."""
        return self.session.wallet.pubkey

    async def send(self, *instructions: Instruction) -> Sent:
        """Signs with the wallet, sends and confirms."""
        return await self.session.send(instructions)
