"""Reads from an RPC node: accounts as typed values, failures as named errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from solana.rpc.commitment import Commitment, Confirmed
from solders.account import Account as ChainAccount
from solders.clock import Clock
from solders.pubkey import Pubkey
from solders.sysvar import CLOCK

from anchor_client.service.errors import GpuMarketError
from anchor_client.solana.errors import UnreadableAnswer
from anchor_client.solana.node import ByteFilter, NodeClient
from anchor_idl import base58
from anchor_idl.runtime.errors import IdlError
from anchor_idl.runtime.structs import Account

MAX_ACCOUNTS_PER_REQUEST: Final = 100

Kind = TypeVar("Kind", bound=Account)


class Reader:
    """Reads accounts at one commitment. Errors: those of `errors.network`.NODE_FAILURES."""

    def __init__(self, client: NodeClient, program_id: Pubkey, *, commitment: Commitment = Confirmed) -> None:
        self.client = client
        self.commitment = commitment
        self.program_id = program_id

    async def account(self, address: Pubkey) -> ChainAccount | None:
        """An account, or None if there is none."""
        return (await self.accounts([address]))[0]

    async def accounts(self, addresses: Sequence[Pubkey]) -> list[ChainAccount | None]:
        """Accounts in the order of their addresses; None if there is none."""
        found: list[ChainAccount | None] = []
        for start in range(0, len(addresses), MAX_ACCOUNTS_PER_REQUEST):
            part = list(addresses[start : start + MAX_ACCOUNTS_PER_REQUEST])
            found.extend(await self.client.get_multiple_accounts(part, self.commitment))
        return found

    async def read(self, kind: type[Kind], address: Pubkey) -> Kind | None:
        """The program account at an address; None if there is none, or none of this kind."""
        return (await self.read_many(kind, [address]))[0]

    async def require(self, kind: type[Kind], address: Pubkey, missing: GpuMarketError) -> Kind:
        """The program account of a kind at an address. Raises `missing` when there is none."""
        found = await self.read(kind, address)
        if found is None:
            raise missing
        return found

    async def read_many(self, kind: type[Kind], addresses: Sequence[Pubkey]) -> list[Kind | None]:
        """The program accounts at addresses, in their order."""
        return [self.decode(kind, account) for account in await self.accounts(addresses)]

    async def read_known(self, kind: type[Kind], addresses: Iterable[Pubkey]) -> dict[Pubkey, Kind]:
        """The program accounts that there are at these addresses, each once."""
        wanted = list(dict.fromkeys(addresses))
        found = await self.read_many(kind, wanted)
        return {address: account for address, account in zip(wanted, found, strict=True) if account is not None}

    async def read_all(self, kind: type[Kind], fields: Mapping[str, bytes] | None = None) -> dict[Pubkey, Kind]:
        """Every program account of a kind whose named fields hold these bytes."""
        filters = account_filters(kind, fields or {})
        found = await self.client.get_program_accounts(self.program_id, filters, self.commitment)
        return {keyed.pubkey: _decoded(kind, keyed.account.data) for keyed in found}

    async def versions(self, kind: type[Kind]) -> Counter[int]:
        """Number of accounts of a kind by the version of their layout, the byte behind the discriminator."""
        start = len(kind.DISCRIMINATOR)
        part = range(start, start + 1)
        found = await self.client.get_program_accounts(
            self.program_id, account_filters(kind, {}), self.commitment, part
        )
        return Counter(keyed.account.data[0] for keyed in found)

    def decode(self, kind: type[Kind], account: ChainAccount | None) -> Kind | None:
        """The account as a kind; None if it is not the program's account of this kind."""
        if account is None or account.owner != self.program_id:
            return None
        if account.data[: len(kind.DISCRIMINATOR)] != kind.DISCRIMINATOR:
            return None
        return _decoded(kind, account.data)

    async def clock(self) -> Clock:
        """The cluster's clock, which is the time that the program goes by."""
        return _clock(await self.account(CLOCK))

    async def clock_and_balance(self, wallet: Pubkey) -> tuple[Clock, int]:
        """The cluster's clock and a wallet's lamports, in one call."""
        clock, account = await self.accounts([CLOCK, wallet])
        return _clock(clock), 0 if account is None else account.lamports

    async def now_and_known(self, kind: type[Kind], addresses: Iterable[Pubkey]) -> tuple[int, dict[Pubkey, Kind]]:
        """The cluster's time, and what `read_known` gives; in one call if it is less than a hundred accounts."""
        wanted = list(dict.fromkeys(addresses))
        clock, *found = await self.accounts([CLOCK, *wanted])
        accounts = ((address, self.decode(kind, account)) for address, account in zip(wanted, found, strict=True))
        return _clock(clock).unix_timestamp, {address: known for address, known in accounts if known is not None}

    async def now(self) -> int:
        """The cluster's time, unix seconds."""
        return (await self.clock()).unix_timestamp

    async def balance(self, wallet: Pubkey) -> int:
        """Lamports of a wallet."""
        return await self.client.get_balance(wallet, self.commitment)

    async def rent_exempt_minimum(self, size: int) -> int:
        """Rent-exempt minimum of an account of `size` bytes, in lamports."""
        return await self.client.get_minimum_balance_for_rent_exemption(size, self.commitment)


def account_filters(kind: type[Account], fields: Mapping[str, bytes]) -> list[ByteFilter]:
    """Filters for a query or subscription: accounts of a kind whose named fields hold these bytes."""
    wanted = {0: kind.DISCRIMINATOR} | {kind.OFFSETS[name]: value for name, value in fields.items()}
    return [ByteFilter(offset=offset, bytes=base58.encode(value)) for offset, value in wanted.items()]


def _decoded(kind: type[Kind], data: bytes) -> Kind:
    try:
        return kind.decode(data)
    except IdlError as error:
        raise UnreadableAnswer(f"An account that should be a {kind.__name__} cannot be read: {error}") from error


def _clock(account: ChainAccount | None) -> Clock:
    if account is None:
        raise UnreadableAnswer("The RPC node has no Clock sysvar")
    try:
        return Clock.from_bytes(account.data)
    except ValueError as error:
        raise UnreadableAnswer("The RPC node's Clock sysvar is invalid") from error
