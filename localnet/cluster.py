"""A Solana cluster of one node in the process: LiteSVM, slots, blocks, history and persistence.

Everything here is synchronous and belongs to one thread. Each transaction is confirmed as it is executed;
its slot is finalized when it ends, or `finality_lag` slots later. Reads at the finalized commitment see
exactly the end of the finalized slot.
"""

import os
from pathlib import Path

from solders.account import Account
from solders.clock import Clock
from solders.compute_budget import set_compute_unit_limit
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from localnet.bank import EPOCH_SCHEDULE, Bank
from localnet.blockhashes import Blockhashes
from localnet.errors import TransactionDropped
from localnet.events import Observer
from localnet.finalized_view import FinalizedView
from localnet.genesis import genesis_accounts
from localnet.prioritization import PrioritizationFees
from localnet.processor import Processor, SimulatedRun
from localnet.records import TransactionRecord
from localnet.store import Store
from localnet.timeline import SLOT_MS, Timeline

AIRDROP_UNITS = 1_000
AIRDROP_VARIETY = 1_000_000
SLOT_RESERVATION = 1_000


class Cluster:
    """The cluster's state and everything that changes it.

    `data` keeps accounts and ledger in a directory and resumes from it; without it the last
    `retained_transactions` are kept in memory.
    """

    def __init__(
        self,
        data: Path | None = None,
        *,
        finality_lag: int = 0,
        slot_ms: int = SLOT_MS,
        retained_transactions: int = 100_000,
    ) -> None:
        self.finality_lag = finality_lag
        self.store = Store(data, retained=retained_transactions)
        self.identity = _keypair(self.store, "identity")
        self.vote_account = _keypair(self.store, "vote_account").pubkey()
        self._faucet = _keypair(self.store, "faucet")
        self.resumed = self.store.get("genesis") is not None
        self.blockhashes = _blockhashes(self.store)
        self.first_slot = int(self.store.get("reserved_slot") or 0) + 1
        self.timeline = Timeline(
            self.store.segments(),
            first_slot=self.first_slot,
            offset_ms=int(self.store.get("offset_ms") or 0),
            slot_ms=slot_ms,
            on_segment=self.store.add_segment,
        )
        self.bank = Bank(self.blockhashes)
        self.processor = Processor(
            self.bank, self.blockhashes, lambda signature: self.store.entry(signature) is not None
        )
        self.prioritization = PrioritizationFees()
        self._finalized_view = FinalizedView(self.bank.account)
        self._unsaved: set[Pubkey] = set()
        self._observers: list[Observer] = []
        self._index = 0
        self._finalized = max(0, self.timeline.slot - 1)
        self._airdrops = 0
        self._reserve_slots()
        self._load()

    # Time

    @property
    def slot(self) -> int:
        """The open slot: what `processed` and `confirmed` mean."""
        return self.timeline.slot

    @property
    def finalized_slot(self) -> int:
        """The newest finalized slot."""
        return self._finalized

    @property
    def clock(self) -> Clock:
        """The Clock sysvar that the next transaction sees; unix_timestamp in seconds."""
        self.advance()
        self._open_bank()
        return self.bank.clock

    def advance(self) -> None:
        """Opens the slots that are due. Every public method does this first."""
        self._opened(self.timeline.tick())

    def warp(self, seconds: float) -> None:
        """Moves time forward. Raises ValueError for a step back."""
        self.advance()
        self._opened(self.timeline.warp(round(seconds * 1000)))
        self.store.put("offset_ms", str(self.timeline.offset_ms))
        self.store.commit()

    def pause(self) -> None:
        """Stops slots and time; transactions still run and confirm, none is finalized."""
        self.advance()
        self.timeline.pause()

    def resume(self) -> None:
        """Ends a pause; time jumps to the wall clock."""
        if self.timeline.paused:
            self._opened(self.timeline.resume())

    def expire_blockhash(self) -> None:
        """Invalidates every blockhash given out so far."""
        self.advance()
        self._opened(self.timeline.skip())
        # One more slot first, so that there is a blockhash that was not given out.
        self.blockhashes.expire_before(self.slot - 1)
        self.store.put("oldest_valid_slot", str(self.slot - 1))

    # Accounts

    def account(self, address: Pubkey, *, finalized: bool = False) -> Account | None:
        """An account now, or at the end of the finalized slot."""
        self._open_bank()
        if finalized:
            return self._finalized_view.account(address)
        return self.bank.account(address)

    def owned_by(self, program: Pubkey, *, finalized: bool = False) -> list[tuple[Pubkey, Account]]:
        """The accounts a program owns, now or at the end of the finalized slot."""
        self._open_bank()
        now = self.bank.owned_by(program)
        changed = self._finalized_view.changed() if finalized else {}
        if not changed:
            return now
        kept = [(address, account) for address, account in now if address not in changed]
        then = [(key, account) for key, account in changed.items() if account is not None and account.owner == program]
        return kept + then

    def set_account(self, address: Pubkey, account: Account | None) -> None:
        """Replaces an account whole, outside any transaction; None removes it."""
        self.advance()
        self._open_bank()
        self._finalized_view.remember(self.slot, [address])
        self.bank.set_account(address, account)
        self._wrote([address])

    def add_program(self, program: Pubkey, path: Path | str, *, upgrade_authority: Pubkey | None = None) -> None:
        """Loads a program from an ELF file under the upgradeable loader; without an authority it is final."""
        elf = Path(path).read_bytes()
        self.advance()
        self._open_bank()
        self._wrote(self.bank.add_program(program, elf, upgrade_authority))

    # Transactions

    def execute(self, transaction: VersionedTransaction) -> TransactionRecord:
        """Executes a transaction in the open slot; one that fails on chain still lands and pays its fee.

        Raises TransactionDropped when it does not land.
        """
        self.advance()
        self._open_bank()
        slot = self.slot
        record, written = self.processor.execute(
            transaction, slot, self._index, lambda addresses: self._finalized_view.remember(slot, addresses)
        )
        self._index += 1
        self.store.append(record)
        self.prioritization.add(record, written)
        for observer in self._observers:
            observer.transaction_executed(record)
        self._wrote(written)
        return record

    def simulate(
        self, transaction: VersionedTransaction, *, check_signatures: bool = True, check_age: bool = True
    ) -> SimulatedRun:
        """Runs a transaction without keeping anything of it."""
        self.advance()
        self._open_bank()
        refusal = None
        if check_signatures and not self.processor.verify(transaction):
            refusal = "SignatureFailure"
        elif check_age:
            refusal = self.processor.refusal(transaction, self.slot)
        return self.processor.simulate(transaction, refusal)

    def airdrop(self, to: Pubkey, lamports: int) -> Signature:
        """Pays from the faucet. Raises TransactionDropped when the faucet is empty."""
        self.advance()
        self._airdrops += 1
        instructions = [
            # A different one each time: two equal airdrops in a slot would be the same transaction.
            set_compute_unit_limit(AIRDROP_UNITS + self._airdrops % AIRDROP_VARIETY),
            transfer(TransferParams(from_pubkey=self._faucet.pubkey(), to_pubkey=to, lamports=lamports)),
        ]
        message = MessageV0.try_compile(self._faucet.pubkey(), instructions, [], self.latest_blockhash())
        record = self.execute(VersionedTransaction(message, [self._faucet]))
        if record.err is not None:
            raise TransactionDropped(record.err)
        return record.signature

    def latest_blockhash(self, *, finalized: bool = False) -> Hash:
        """The hash a new transaction should name."""
        return self.blockhashes.of(self.latest_blockhash_slot(finalized=finalized))

    def latest_blockhash_slot(self, *, finalized: bool = False) -> int:
        """The slot of that hash; it is valid for 150 more."""
        if finalized:
            return max(self._finalized, self.blockhashes.oldest_valid_slot)
        return self.slot - 1

    # Observers and the end

    def observe(self, observer: Observer) -> None:
        """Adds an observer."""
        self._observers.append(observer)

    def close(self) -> None:
        """Saves everything; do not use the cluster afterwards."""
        self._save()
        self.store.put("reserved_slot", str(self.slot))
        self.store.close()

    def _load(self) -> None:
        self._open_bank()
        for address, account in self.store.accounts():
            self.bank.set_account(address, account)
        if self.resumed:
            return
        self.store.put("genesis", str(self.blockhashes.genesis))
        for address, account in genesis_accounts(self._faucet.pubkey(), self.identity.pubkey()):
            self.bank.set_account(address, account)
            self._unsaved.add(address)
        self._save()

    def _open_bank(self) -> None:
        slot = self.slot
        epoch_start = self.timeline.unix_ms_of(EPOCH_SCHEDULE.get_first_slot_in_epoch(EPOCH_SCHEDULE.get_epoch(slot)))
        self.bank.open(slot, self.timeline.unix_ms // 1000, epoch_start // 1000)

    def _wrote(self, addresses: list[Pubkey]) -> None:
        self._unsaved.update(addresses)
        for observer in self._observers:
            observer.accounts_written(self.slot, addresses)

    def _opened(self, slots: range) -> None:
        if not slots:
            return
        if self._unsaved or self._index:
            self._save()
        self._index = 0
        self._finalize(slots[-1] - 1 - self.finality_lag)
        for slot in slots:
            for observer in self._observers:
                observer.slot_opened(slot, min(self._finalized, slot - 1))
        self._reserve_slots()

    def _finalize(self, newest: int) -> None:
        for slot in self._finalized_view.slots():
            if slot > newest:
                break
            addresses = self._finalized_view.written(slot)
            self._finalized_view.finalize(slot)
            self._finalized = slot
            # A block is read from the database only where there is somebody to tell.
            records = self.store.block(slot) if self._observers else []
            for observer in self._observers:
                observer.slot_finalized(slot, records, addresses)
        self._finalized = max(self._finalized, newest)

    def _save(self) -> None:
        if self.store.durable:
            for address in self._unsaved:
                self.store.put_account(address, self.bank.account(address))
        self._unsaved.clear()
        self.store.commit()

    def _reserve_slots(self) -> None:
        reserved = int(self.store.get("reserved_slot") or 0)
        if self.store.durable and self.slot + SLOT_RESERVATION // 10 > reserved:
            # After a crash slots continue behind it: none is used twice, and writing each would cost a commit a slot.
            self.store.put("reserved_slot", str(self.slot + SLOT_RESERVATION))
            self.store.commit()


def _blockhashes(store: Store) -> Blockhashes:
    stored = store.get("genesis")
    genesis = Hash(os.urandom(32)) if stored is None else Hash.from_string(stored)
    return Blockhashes(genesis, oldest_valid_slot=int(store.get("oldest_valid_slot") or 0))


def _keypair(store: Store, name: str) -> Keypair:
    stored = store.get(name)
    if stored is None:
        keypair = Keypair()
        store.put(name, str(keypair))
        return keypair
    return Keypair.from_base58_string(stored)
