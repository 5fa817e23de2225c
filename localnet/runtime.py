"""Runs a transaction under the limits and the fee it names, which LiteSVM does not take from version-1 messages."""

from dataclasses import dataclass

from solders.account import Account
from solders.message import MessageV1
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata, SimulatedTransactionInfo, TransactionMetadata

from localnet.bank import Bank
from localnet.compute_limits import ComputeLimits, compute_limits
from localnet.encoding.meta import error_json, inner_instructions_json, return_data_json
from localnet.fees import fee_of
from localnet.loader import BPF_LOADER_UPGRADEABLE, program_data_address
from localnet.message_keys import MessageKeys
from localnet.records import Json

FEES_ONLY = ("InvalidProgramForExecution", "ProgramAccountNotFound", "MaxLoadedAccountsDataSizeExceeded")
ACCOUNT_OVERHEAD = 64
LOOKUP_TABLE_BYTES = 8_248


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Result of a run. `executed` is false for one that failed before its first instruction.

    `fee` is None when nothing would be charged; `after` are the accounts a simulation would leave behind.
    """

    err: Json
    executed: bool
    fee: int | None
    units: int
    logs: list[str]
    inner_instructions: list[dict[str, Json]]
    return_data: Json
    loaded_bytes: int
    after: dict[Pubkey, Account | None]


class Runtime:
    """Runs or simulates on a bank; age, duplicates and signatures have been checked before."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    def run(self, transaction: VersionedTransaction, keys: MessageKeys) -> RunOutcome:
        """Executes and commits; a failure before execution changes nothing, not even by its fee."""
        return self._run(transaction, keys, commit=True)

    def simulate(self, transaction: VersionedTransaction, keys: MessageKeys) -> RunOutcome:
        """Executes without committing."""
        return self._run(transaction, keys, commit=False)

    def _run(self, transaction: VersionedTransaction, keys: MessageKeys, *, commit: bool) -> RunOutcome:
        limits = compute_limits(transaction)
        loaded_bytes = self._loaded_bytes(transaction, keys)
        early = self._refusal(transaction, keys, limits, loaded_bytes)
        if early is not None:
            return early
        payer = keys.all[0]
        before = self._bank.account(payer)
        pays = isinstance(transaction.message, MessageV1) and limits.priority_fee > 0
        if pays and before is not None:
            # LiteSVM charges no priority fee for version 1: what it would take is gone before the program looks.
            self._bank.set_account(payer, _less(before, limits.priority_fee))
        run = self._bank.run if commit else self._bank.simulate
        result = run(transaction, limits)
        outcome = self._outcome(result, transaction, keys, limits, loaded_bytes)
        if pays and before is not None and not (commit and outcome.executed):
            self._bank.set_account(payer, before)
        return outcome

    def _refusal(
        self, transaction: VersionedTransaction, keys: MessageKeys, limits: ComputeLimits, loaded_bytes: int
    ) -> RunOutcome | None:
        """Failed outcome of a version-1 message that its own limits refuse before it runs; else None."""
        if not isinstance(transaction.message, MessageV1):
            return None
        fee = fee_of(transaction)
        payer = self._bank.account(keys.all[0])
        if payer is None:
            return _unexecuted("AccountNotFound", None, 0)
        if payer.lamports < fee:
            return _unexecuted("InsufficientFundsForFee", None, 0)
        if loaded_bytes > limits.loaded_bytes:
            return _unexecuted("MaxLoadedAccountsDataSizeExceeded", fee, limits.loaded_bytes)
        return None

    def _outcome(
        self,
        result: TransactionMetadata | FailedTransactionMetadata | SimulatedTransactionInfo,
        transaction: VersionedTransaction,
        keys: MessageKeys,
        limits: ComputeLimits,
        loaded_bytes: int,
    ) -> RunOutcome:
        meta = result if isinstance(result, TransactionMetadata) else result.meta()
        fee = meta.fee() + (limits.priority_fee if isinstance(transaction.message, MessageV1) else 0)
        err: Json = None
        if isinstance(result, FailedTransactionMetadata):
            err = self._failure(result, keys)
            # So LiteSVM reports what failed before its first instruction.
            if meta.signature() == Signature.default() and not meta.logs():
                fees_only = err in FEES_ONLY
                return _unexecuted(err, fee if fees_only else None, loaded_bytes if fees_only else 0)
        after: dict[Pubkey, Account | None] = {}
        if isinstance(result, SimulatedTransactionInfo):
            after = {key: account if account.lamports else None for key, account in result.post_accounts()}
        return RunOutcome(
            err,
            True,
            fee,
            meta.compute_units_consumed(),
            meta.logs(),
            inner_instructions_json(meta),
            return_data_json(meta),
            loaded_bytes,
            after,
        )

    def _failure(self, result: FailedTransactionMetadata, keys: MessageKeys) -> Json:
        err = error_json(result)
        if err != "InvalidProgramForExecution":
            return err
        # Agave names the two apart, LiteSVM only the first.
        missing = any(self._bank.account(keys.all[index]) is None for index in keys.programs)
        return "ProgramAccountNotFound" if missing else err

    def _loaded_bytes(self, transaction: VersionedTransaction, keys: MessageKeys) -> int:
        """Account data a transaction loads, counted as a validator does: programs with their code."""
        sizes: dict[Pubkey, int] = {}
        for key in keys.all:
            account = self._bank.account(key)
            if account is None:
                continue
            sizes[key] = len(account.data)
            if account.executable and account.owner == BPF_LOADER_UPGRADEABLE:
                code = program_data_address(key)
                sizes[code] = self._bank.code_size(code)
        lookups = getattr(transaction.message, "address_table_lookups", ())
        accounts = sum(size + ACCOUNT_OVERHEAD for size in sizes.values())
        return accounts + len(lookups) * LOOKUP_TABLE_BYTES


def _unexecuted(err: Json, fee: int | None, loaded_bytes: int) -> RunOutcome:
    return RunOutcome(err, False, fee, 0, [], [], None, loaded_bytes, {})


def _less(account: Account, lamports: int) -> Account:
    return Account(account.lamports - lamports, account.data, account.owner, account.executable, account.rent_epoch)
