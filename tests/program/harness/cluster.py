"""LiteSVM with the compiled program, a settable clock and one way to send."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path

from solders.account import Account
from solders.instruction import Instruction
from solders.litesvm import LiteSVM
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata, TransactionMetadata
from solders.transaction_status import InstructionErrorCustom, TransactionErrorInstructionError

from anchor_client.generated.errors import ERRORS
from anchor_client.generated.events import EVENT_TAG, decode_cpi_event
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.rules.renter_profile import first_nonce
from anchor_idl.runtime.program_errors import error_for
from anchor_idl.runtime.structs import Event

from .keys import address, keypair_of
from .outcome import Outcome, Refused, States

PROGRAM_BINARY = Path(__file__).parents[3] / "localnet" / "program" / "gpu_market.so"
START = 1_800_000_000
"""Unix seconds at which every cluster starts."""
WEALTH = 1_000_000_000_000
"""Lamports of whoever pays for transactions."""
SLOTS_A_SECOND = 5
FIRST_SLOT = 1_000_016
"""One at which the addresses of the first orders are found at the first try, as half of all are."""
FIRST_NONCE = first_nonce(FIRST_SLOT)
"""Of whoever registers at the start."""
LOADER_V3 = Pubkey.from_string("BPFLoaderUpgradeab1e11111111111111111111111")
SYSVAR_OWNER = Pubkey.from_string("Sysvar1111111111111111111111111111111111111")
PROGRAM_DATA, _ = Pubkey.find_program_address([bytes(PROGRAM_ID)], LOADER_V3)

Observer = Callable[[Outcome], None]

_IDLE: list[LiteSVM] = []
"""Empty machines that earlier clusters have left: loading the program takes most of the time that a cluster takes."""


_COLLECT_EVERY = 64
"""Machines between two looks for clusters that only cycles keep: the collector does not know how large they are."""
_made = count(1)


def _idle_svm() -> LiteSVM:
    if not _IDLE and next(_made) % _COLLECT_EVERY == 0:
        gc.collect()
    return _IDLE.pop() if _IDLE else _new_svm()


def _new_svm() -> LiteSVM:
    svm = LiteSVM().with_mainnet_features().with_transaction_history(0).with_sigverify(False)
    svm.add_program_from_file(PROGRAM_ID, PROGRAM_BINARY)
    return svm


def _give_back(svm: LiteSVM, known: set[Pubkey]) -> None:
    """Empties a machine for the next cluster, unless its programs or slots have changed."""
    if PROGRAM_DATA in known:
        return
    for key in known:
        account = svm.get_account(key)
        if account is not None and not account.executable and account.owner != SYSVAR_OWNER:
            svm.set_account(key, Account(0, b"", Pubkey.default()))
    _IDLE.append(svm)


class Cluster:
    """One cluster. Transactions are paid by a wallet that does nothing else, so fees show in nobody's balance."""

    def __init__(self, accounts: Mapping[Pubkey, Account] | None = None, now: int = START) -> None:
        self._svm = _idle_svm()
        self._known: set[Pubkey] = set()
        weakref.finalize(self, _give_back, self._svm, self._known)
        self.observers: list[Observer] = []
        self.fee_payer = address("fee payer")
        self.set_account(self.fee_payer, Account(WEALTH, b"", Pubkey.default()))
        for key, account in (accounts or {}).items():
            self.set_account(key, account)
        clock = self._svm.get_clock()
        clock.slot = FIRST_SLOT + (now - START) * SLOTS_A_SECOND
        clock.unix_timestamp = now
        self._svm.set_clock(clock)

    @property
    def now(self) -> int:
        """Unix seconds of the cluster's clock."""
        return self._svm.get_clock().unix_timestamp

    @now.setter
    def now(self, at: int) -> None:
        """Slots pass with the time."""
        clock = self._svm.get_clock()
        clock.slot += max(at - clock.unix_timestamp, 0) * SLOTS_A_SECOND
        clock.unix_timestamp = at
        self._svm.set_clock(clock)

    @property
    def slot(self) -> int:
        """The slot that the cluster's clock tells."""
        return self._svm.get_clock().slot

    def halt(self, seconds: int, slots: int = 0) -> None:
        """Time passes with fewer slots than usual, or none: blocks are slow, or the cluster has halted."""
        clock = self._svm.get_clock()
        clock.slot += slots
        clock.unix_timestamp += seconds
        self._svm.set_clock(clock)

    def skip_slots(self, slots: int) -> None:
        """Slots pass, and no time."""
        self.retire()
        clock = self._svm.get_clock()
        self._svm.warp_to_slot(clock.slot + slots)
        clock.slot += slots
        self._svm.set_clock(clock)

    def account(self, key: Pubkey) -> Account | None:
        account = self._svm.get_account(key)
        return account if account is not None and account.lamports > 0 else None

    def set_account(self, key: Pubkey, account: Account) -> None:
        """Puts an account where it is, as no transaction could."""
        self._known.add(key)
        self._svm.set_account(key, account)

    def give(self, key: Pubkey, lamports: int) -> None:
        """Changes what an account that is there holds, as if it had been sent lamports."""
        state = self.account(key)
        assert state is not None
        self.set_account(key, Account(state.lamports + lamports, bytes(state.data), state.owner))

    def add_program(self, key: Pubkey) -> None:
        """Deploys the program's binary at another address."""
        self.retire()
        self._svm.add_program_from_file(key, PROGRAM_BINARY)

    def reload(self, program: Pubkey) -> None:
        """Runs a program's code as its accounts hold it now; LiteSVM caches what it was."""
        account = self.account(program)
        assert account is not None
        self._svm.set_account(program, account)

    def retire(self) -> None:
        """Keeps the machine from other clusters, since its programs or slots change."""
        self._known.add(PROGRAM_DATA)

    def rent(self, size: int) -> int:
        """Lamports that keep an account of `size` bytes."""
        return self._svm.minimum_balance_for_rent_exemption(size)

    @property
    def known(self) -> list[Pubkey]:
        """Every address that was ever set or named, in a stable order."""
        return sorted(self._known, key=bytes)

    def accounts(self) -> dict[Pubkey, Account]:
        """Every account that was ever set or named, as it is now; programs and sysvars left out."""
        found = ((key, self.account(key)) for key in self.known)
        return {key: account for key, account in found if account is not None and not account.executable}

    def act(self, *instructions: Instruction) -> Outcome:
        """Sends the instructions in one transaction, signed by whoever they name as signers.

        Raises the program's error by name, or Refused; then no account it named has changed.
        """
        transaction = self._compiled(instructions)
        keys = transaction.message.account_keys
        self._known.update(keys)
        before = self._states(keys)
        result = self._svm.send_transaction(transaction)
        after = self._states(keys)
        if isinstance(result, FailedTransactionMetadata):
            assert _without(before, self.fee_payer) == _without(after, self.fee_payer)
            raise _failure(result)
        outcome = _outcome(instructions, transaction, result, before, after)
        for observe in self.observers:
            observe(outcome)
        return outcome

    def rehearse(self, *instructions: Instruction) -> Outcome:
        """Simulates `act`: nothing changes and nobody observes it. Raises as `act` does."""
        transaction = self._compiled(instructions)
        before = self._states(transaction.message.account_keys)
        result = self._svm.simulate_transaction(transaction)
        if isinstance(result, FailedTransactionMetadata):
            raise _failure(result)
        left = {key: account if account.lamports else None for key, account in result.post_accounts()}
        return _outcome(instructions, transaction, result.meta(), before, {**before, **left})

    def _compiled(self, instructions: Sequence[Instruction]) -> VersionedTransaction:
        """The transaction with blank signatures, which cost more time than all else; KeyError if nobody could sign."""
        message = MessageV0.try_compile(self.fee_payer, list(instructions), [], self._svm.latest_blockhash())
        signers = [keypair_of(key) for key in message.account_keys[: message.header.num_required_signatures]]
        return VersionedTransaction.populate(message, [Signature.default()] * len(signers))

    def _states(self, keys: Iterable[Pubkey]) -> States:
        return {key: self.account(key) for key in keys}


def _without(states: States, key: Pubkey) -> States:
    return {other: state for other, state in states.items() if other != key}


def _outcome(
    instructions: Sequence[Instruction],
    transaction: VersionedTransaction,
    meta: TransactionMetadata,
    before: States,
    after: States,
) -> Outcome:
    return Outcome(
        before,
        after,
        tuple(_events(meta, transaction.message.account_keys)),
        meta.compute_units_consumed(),
        tuple(meta.logs()),
        len(bytes(transaction)),
        tuple(instructions),
    )


def _events(meta: TransactionMetadata, keys: list[Pubkey]) -> Iterable[Event]:
    for calls in meta.inner_instructions():
        for call in calls:
            instruction = call.instruction()
            if keys[instruction.program_id_index] == PROGRAM_ID and instruction.data.startswith(EVENT_TAG):
                yield decode_cpi_event(instruction.data)


def _failure(result: FailedTransactionMetadata) -> Exception:
    error, logs = result.err(), result.meta().logs()
    if isinstance(error, TransactionErrorInstructionError) and isinstance(error.err, InstructionErrorCustom):
        return error_for(error.err.code, ERRORS, "\n".join(logs))
    return Refused(str(error), logs)
