"""What every part of the client shares: the connection, the wallet, and sending."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from solana.rpc.async_api import AsyncClient
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import TooFewTokens, WalletNeeded, WrongEndpoint
from anchor_client.market.endings import Ending
from anchor_client.market.history import RentalHistory, events_of_rental
from anchor_client.market.job import Life, Record
from anchor_client.market.reads import MarketReader
from anchor_client.orders import DeliverOrder, KeyMemory, OrderKeys, OrderMemory, WaitingOrders
from anchor_client.resources.job import Job
from anchor_client.tokens import associated_token, balance_in
from anchor_client.transactions import Sent, TransactionSender
from anchor_client.wallet import Wallet


class Session:
    """A connected client. Everything that signs raises WalletNeeded without a wallet, and what sending raises."""

    def __init__(
        self,
        client: AsyncClient,
        reads: MarketReader,
        sender: TransactionSender,
        wallet: Wallet | None,
        *,
        order_keys: OrderKeys | None = None,
        deliver_order: DeliverOrder | None = None,
        waiting_orders: WaitingOrders | None = None,
    ) -> None:
        self.client = client
        self.reads = reads
        self.sender = sender
        self.order_keys = order_keys or KeyMemory()
        self.deliver_order = deliver_order
        self.waiting_orders = waiting_orders or OrderMemory()
        self.history = RentalHistory(client, commitment=reads.program.commitment, program_id=reads.program_id)
        self.one_order_at_a_time = asyncio.Lock()
        self._wallet = wallet

    @property
    def program_id(self) -> Pubkey:
        """The market's program."""
        return self.reads.program_id

    @property
    def wallet(self) -> Wallet:
        """The key that signs and pays. WalletNeeded."""
        if self._wallet is None:
            raise WalletNeeded("This needs a wallet's signature")
        return self._wallet

    @property
    def address(self) -> Pubkey:
        """The wallet's address. WalletNeeded."""
        return self.wallet.pubkey

    async def tokens_of_own(self, mint: Pubkey, amount: int) -> Pubkey:
        """The wallet's associated token account, which holds at least `amount` base units. TooFewTokens."""
        account = associated_token(self.address, mint)
        held = balance_in(await self.reads.program.account(account))
        if held < amount:
            raise TooFewTokens(await self.reads.denomination(mint), amount, held)
        return account

    async def send(self, instructions: Sequence[Instruction], *, signers: Sequence[Wallet] = ()) -> Sent:
        """Signs with the wallet and `signers`, sends and confirms."""
        return await self.sender.send(instructions, payer=self.wallet, signers=signers)

    async def ending(self, job: Pubkey) -> Ending:
        """An open rental and its listing, about to be ended by the wallet. UnknownJob."""
        rental = await self.reads.rental(job)
        listing = await self.reads.listing(rental.listing)
        return Ending(self.address, job, rental, listing, self.program_id)

    async def ended(self, ending: Ending, sent: Sent) -> Job:
        """The job that a transaction has ended."""
        record = Record.of_account(ending.address, ending.rental, ending.listing.host)
        life = Life.told(events_of_rental(ending.address, sent), record)
        return life.job_as_told(ending.listing, await self.reads.denomination(ending.rental.mint))


def websocket_url(rpc_url: str) -> str:
    """Where a node serves subscriptions: on a bare port the next one, else the same address. WrongEndpoint."""
    try:
        parts = urlsplit(rpc_url)
        port = parts.port
    except ValueError as error:
        raise WrongEndpoint(f"{rpc_url!r} is not a URL of an RPC node") from error
    scheme = "wss" if parts.scheme == "https" else "ws"
    host = parts.netloc if port is None else f"{parts.netloc.rpartition(':')[0]}:{port + 1}"
    return urlunsplit((scheme, host, parts.path, parts.query, ""))
