"""The one owner of LiteSVM: accounts, sysvars, programs, and the running of single transactions."""

from hashlib import sha256

from solders.account import Account
from solders.address_lookup_table_account import AddressLookupTable
from solders.clock import Clock
from solders.compute_budget import ComputeBudget
from solders.epoch_schedule import EpochSchedule
from solders.litesvm import LiteSVM
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.rent import Rent
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata, SimulatedTransactionInfo, TransactionMetadata

from localnet.blockhashes import Blockhashes
from localnet.compute_limits import ComputeLimits
from localnet.loader import BPF_LOADER_UPGRADEABLE, program_accounts, program_data_address

SLOT_HASHES = 512
LOG_BYTES_LIMIT = 10_000
EPOCH_SCHEDULE = EpochSchedule.without_warmup()

RAISE_CPI_NESTING_LIMIT = Pubkey.from_string("6TkHkRmP7JZy1fdM6fg5uXn76wChQBWGokHBJzrLB3mj")
_DEEP_CALLS = LiteSVM.mainnet_feature_set().is_active(RAISE_CPI_NESTING_LIMIT)

Result = TransactionMetadata | FailedTransactionMetadata


class Bank:
    """Accounts as of now. Synchronous and bound to the thread that made it."""

    def __init__(self, blockhashes: Blockhashes) -> None:
        self._blockhashes = blockhashes
        self._svm = (
            LiteSVM()
            .with_mainnet_features()
            # The cluster does that by its own list: LiteSVM knows one blockhash at a time.
            .with_blockhash_check(False)
            .with_transaction_history(0)
            .with_sigverify(False)
            .with_log_bytes_limit(LOG_BYTES_LIMIT)
        )
        self._svm.set_epoch_schedule(EPOCH_SCHEDULE)
        self._slot = -1
        self._code_sizes: dict[Pubkey, int] = {}

    def open(self, slot: int, unix_timestamp: int, epoch_start_timestamp: int) -> None:
        """Brings the sysvars to a slot: Clock, SlotHashes and the hash durable nonces advance to."""
        epoch = EPOCH_SCHEDULE.get_epoch(slot)
        self._svm.set_clock(
            Clock(
                slot=slot,
                epoch_start_timestamp=epoch_start_timestamp,
                epoch=epoch,
                leader_schedule_epoch=epoch + 1,
                unix_timestamp=unix_timestamp,
            )
        )
        if slot == self._slot:
            return
        oldest = max(0, slot - SLOT_HASHES)
        self._svm.set_slot_hashes([(past, self._blockhashes.of(past)) for past in range(slot - 1, oldest - 1, -1)])
        # A nonce's next value is made of the latest hash, and LiteSVM makes no new one unasked.
        self._svm.expire_blockhash()
        self._slot = slot

    @property
    def clock(self) -> Clock:
        """The Clock sysvar as programs see it."""
        return self._svm.get_clock()

    @property
    def rent(self) -> Rent:
        """The Rent sysvar."""
        return self._svm.get_rent()

    def minimum_balance(self, size: int) -> int:
        """Lamports that make an account of `size` bytes rent-exempt."""
        return self._svm.minimum_balance_for_rent_exemption(size)

    def account(self, address: Pubkey) -> Account | None:
        """The account; None when it has no lamports."""
        return self._svm.get_account(address)

    def owned_by(self, program: Pubkey) -> list[tuple[Pubkey, Account]]:
        """Every account a program owns."""
        return self._svm.get_program_accounts(program)

    def set_account(self, address: Pubkey, account: Account | None) -> None:
        """Replaces an account whole; None or no lamports removes it."""
        self._code_sizes.pop(address, None)
        self._svm.set_account(address, account or Account(0, b"", Pubkey.default()))

    def add_program(self, program: Pubkey, elf: bytes, authority: Pubkey | None) -> list[Pubkey]:
        """Loads a program under the upgradeable loader and returns the addresses it fills."""
        accounts = program_accounts(program, elf, authority, self._slot, self.minimum_balance)
        for address, account in accounts:
            self.set_account(address, account)
        return [address for address, _ in accounts]

    def code_size(self, program_data: Pubkey) -> int:
        """Bytes of the account that holds an upgradeable program's code; 0 when there is none.

        Kept, because looking copies the code.
        """
        size = self._code_sizes.get(program_data)
        if size is None:
            account = self._svm.get_account(program_data)
            size = self._code_sizes[program_data] = 0 if account is None else len(account.data)
        return size

    def run(self, transaction: VersionedTransaction, limits: ComputeLimits) -> Result:
        """Executes and commits. Signatures, age and duplicates are the caller's concern."""
        self._limit(limits)
        result = self._svm.send_transaction(transaction)
        if isinstance(result, TransactionMetadata):
            self._reload_upgraded(transaction)
        return result

    def simulate(
        self, transaction: VersionedTransaction, limits: ComputeLimits
    ) -> SimulatedTransactionInfo | FailedTransactionMetadata:
        """Executes without committing."""
        self._limit(limits)
        return self._svm.simulate_transaction(transaction)

    def loaded_addresses(self, message: MessageV0) -> tuple[list[Pubkey], list[Pubkey]]:
        """Writable and read-only addresses a message takes from lookup tables, as far as they exist."""
        writable: list[Pubkey] = []
        readonly: list[Pubkey] = []
        for lookup in message.address_table_lookups:
            table = self.account(lookup.account_key)
            if table is None:
                continue
            addresses = AddressLookupTable.deserialize(table.data).addresses
            for indexes, into in ((lookup.writable_indexes, writable), (lookup.readonly_indexes, readonly)):
                into.extend(addresses[index] for index in indexes if index < len(addresses))
        return writable, readonly

    def next_nonce(self) -> bytes:
        """The value a durable nonce account advances to in the open slot."""
        return sha256(b"DURABLE_NONCE" + bytes(self._svm.latest_blockhash())).digest()

    def _limit(self, limits: ComputeLimits) -> None:
        """LiteSVM has one budget for all transactions, so each one's own is set before it runs."""
        budget = ComputeBudget(_DEEP_CALLS)
        budget.compute_unit_limit = limits.units
        budget.heap_size = limits.heap_bytes
        # LiteSVM takes one budget for all that it runs, and each transaction has its own.
        self._svm = self._svm.with_compute_budget(budget)

    def _reload_upgraded(self, transaction: VersionedTransaction) -> None:
        """LiteSVM caches a program's code until its account is set again."""
        keys = transaction.message.account_keys
        if BPF_LOADER_UPGRADEABLE not in keys:
            return
        self._code_sizes.clear()
        for key in keys:
            account = self.account(key)
            if account is None or account.owner != BPF_LOADER_UPGRADEABLE or not account.executable:
                continue
            # LiteSVM compiles a program as its account is set, and not when its data account changes.
            if program_data_address(key) in keys:
                self._svm.set_account(key, account)
