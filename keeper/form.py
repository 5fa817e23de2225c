"""Chooses the message version of a keeper's transactions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import structlog
from solders.address_lookup_table_account import AddressLookupTable, AddressLookupTableAccount
from solders.hash import Hash
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.transaction_status import TransactionErrorFieldless

from anchor_client.errors import GpuMarketError, RpcRefused
from anchor_client.market.program import MarketProgram
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import MessageVersion, Simulation, compile_message, try_simulation
from keeper.errors import PASSING, KeeperConfigurationError
from keeper.names import BatchMode
from keeper.packing import Packer
from keeper.settings import AUTO_TABLE, KeeperSettings
from keeper.table.upkeep import TableUpkeep

log = structlog.get_logger(__name__)


class DailyPacker:
    """The packer of a keeper, chosen again after a day if it uses the keeper's own table."""

    def __init__(
        self,
        reader: Reader,
        payer: Pubkey,
        settings: KeeperSettings,
        own_table: TableUpkeep,
        order: Callable[[bytes], int],
    ) -> None:
        self._reader = reader
        self._payer = payer
        self._settings = settings
        self._own_table = own_table
        self._order = order
        self._packer: Packer | None = None
        self._day: int | None = None

    async def choose(self) -> Packer:
        """The packer for the next pass. Raises as `choose_packer` does."""
        if self._packer is None:
            packer = await choose_packer(self._reader, self._payer, self._settings, self._own_table)
            self._packer = replace(packer, order=self._order)
            log.info("message_version_chosen", version=str(packer.version))
        return self._packer

    def renew(self, today: int) -> None:
        """Schedules a daily check of the keeper's own table for the next pass."""
        if self._day not in (None, today) and self._settings.lookup_table == AUTO_TABLE:
            self._packer = None
        self._day = today


async def choose_packer(
    reader: Reader, payer: Pubkey, settings: KeeperSettings, own_table: TableUpkeep | None = None
) -> Packer:
    """The packer for the settings and the cluster; `own_table` is the table for `auto`.

    Raises KeeperConfigurationError for an invalid lookup table, and network errors.
    """
    priced = settings.max_priority_fee > 0
    version = await _version(reader, payer, settings)
    table = None
    if version is MessageVersion.V0:
        table = await _table(reader, settings, own_table)
    fee = await reader.client.signature_fee()
    return Packer(payer, version, fee, () if table is None else (table,), priced)


async def takes_version_1(reader: Reader, payer: Pubkey) -> bool:
    """True if the cluster runs version-1 messages; tests it by simulating an empty one."""
    nothing = transfer(TransferParams(from_pubkey=payer, to_pubkey=payer, lamports=0))
    message = compile_message([nothing], payer, Hash.default(), version=MessageVersion.V1)
    try:
        result = await try_simulation(
            reader.client, message, MarketProgram(reader.program_id), commitment=reader.commitment
        )
    # A node that does not know the version cannot decode the message.
    except RpcRefused:
        return False
    return isinstance(result, Simulation) or result.cause != TransactionErrorFieldless.UnsupportedVersion


async def read_lookup_table(reader: Reader, address: Pubkey) -> AddressLookupTableAccount:
    """The addresses of a lookup table. KeeperConfigurationError if there is none at the address."""
    account = await reader.account(address)
    try:
        if account is None:
            raise ValueError("the account does not exist")
        table = AddressLookupTable.deserialize(account.data)
    except ValueError as error:
        raise KeeperConfigurationError(f"There is no lookup table at {address}: {error}") from error
    return AddressLookupTableAccount(address, table.addresses)


async def _table(
    reader: Reader, settings: KeeperSettings, own_table: TableUpkeep | None
) -> AddressLookupTableAccount | None:
    if isinstance(settings.lookup_table, Pubkey):
        return await read_lookup_table(reader, settings.lookup_table)
    if settings.lookup_table is None or own_table is None:
        return None
    return await _maintained(own_table)


async def _maintained(own_table: TableUpkeep) -> AddressLookupTableAccount | None:
    """The keeper's own table, without entries that cannot be added. Raises network errors."""
    try:
        await own_table.refresh()
    except PASSING:
        raise
    except GpuMarketError as error:
        log.warning("lookup_table_not_extended", error=error.message)
    return await own_table.usable()


async def _version(reader: Reader, payer: Pubkey, settings: KeeperSettings) -> MessageVersion:
    if settings.batch_mode is not BatchMode.AUTO:
        return MessageVersion(settings.batch_mode.value)
    if await takes_version_1(reader, payer):
        return MessageVersion.V1
    return MessageVersion.LEGACY if settings.lookup_table is None else MessageVersion.V0
