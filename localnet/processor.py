"""Takes one transaction through a validator's checks, the runtime, and into a ledger record."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from solders.account import Account
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from localnet.bank import Bank
from localnet.blockhashes import Blockhashes
from localnet.cost import cost_units
from localnet.encoding.meta import loaded_addresses_json
from localnet.encoding.tokens import token_balances
from localnet.errors import TransactionDropped
from localnet.message_keys import MessageKeys, message_keys
from localnet.nonces import advanced, holds_nonce, nonce_address
from localnet.records import Json, TransactionRecord
from localnet.runtime import FEES_ONLY, RunOutcome, Runtime

Balances = tuple[list[int], list[dict[str, Json]]]


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """Result of a simulated transaction; `before` and `after` are None for one whose signatures are wrong."""

    outcome: RunOutcome
    keys: MessageKeys
    before: Balances | None
    after: Balances | None


class Processor:
    """Decides what lands, what only pays its fee, and what is dropped."""

    def __init__(self, bank: Bank, blockhashes: Blockhashes, known: Callable[[Signature], bool]) -> None:
        self._bank = bank
        self._blockhashes = blockhashes
        self._known = known
        self._runtime = Runtime(bank)

    def verify(self, transaction: VersionedTransaction) -> bool:
        """True where every required signature is present and right."""
        required = transaction.message.header.num_required_signatures
        results = transaction.verify_with_results()
        return len(results) == required and all(results)

    def refusal(self, transaction: VersionedTransaction, slot: int) -> str | None:
        """Why a transaction may not enter a block: too old, or already there; None when it may."""
        if self._known(transaction.signatures[0]):
            return "AlreadyProcessed"
        if self._blockhashes.is_valid(transaction.message.recent_blockhash, slot):
            return None
        nonce = nonce_address(transaction)
        if nonce is not None and holds_nonce(self._bank.account(nonce), transaction):
            return None
        return "BlockhashNotFound"

    def execute(
        self,
        transaction: VersionedTransaction,
        slot: int,
        index: int,
        before_write: Callable[[Iterable[Pubkey]], None],
    ) -> tuple[TransactionRecord, list[Pubkey]]:
        """Runs and commits a transaction; returns its record and the accounts it wrote.

        `before_write` learns every account that may change. Raises TransactionDropped when it does not land.
        """
        if not self.verify(transaction):
            raise TransactionDropped("SignatureFailure")
        refusal = self.refusal(transaction, slot)
        if refusal is not None:
            raise TransactionDropped(refusal)
        keys = self.keys(transaction)
        by_nonce = not self._blockhashes.is_valid(transaction.message.recent_blockhash, slot)
        before_write(keys.writable())
        before = self._balances(keys, self._bank.account)
        outcome = self._runtime.run(transaction, keys)
        written = keys.writable()
        if outcome.err is not None:
            written = self._charge_failed(outcome, transaction, keys, by_nonce=by_nonce)
        meta = self._meta(outcome, transaction, keys, before, self._balances(keys, self._bank.account))
        return TransactionRecord(transaction.signatures[0], slot, index, transaction, meta), written

    def simulate(self, transaction: VersionedTransaction, refusal: str | None = None) -> SimulatedRun:
        """Runs a transaction without committing, or only shows it when it has been refused already."""
        keys = self.keys(transaction)
        if refusal is not None:
            before = None
            if refusal != "SignatureFailure":
                before = self._balances(keys, self._bank.account)
            return SimulatedRun(RunOutcome(refusal, False, None, 0, [], [], None, 0, {}), keys, before, before)
        before = self._balances(keys, self._bank.account)
        outcome = self._runtime.simulate(transaction, keys)

        def read(address: Pubkey) -> Account | None:
            if address in outcome.after:
                return outcome.after[address]
            return self._bank.account(address)

        return SimulatedRun(outcome, keys, before, self._balances(keys, read))

    def keys(self, transaction: VersionedTransaction) -> MessageKeys:
        """The accounts of a transaction, those of its lookup tables included as far as they exist."""
        message = transaction.message
        if isinstance(message, MessageV0):
            loaded = self._bank.loaded_addresses(message)
        else:
            loaded = ([], [])
        return message_keys(message, *loaded)

    def _balances(self, keys: MessageKeys, read: Callable[[Pubkey], Account | None]) -> Balances:
        lamports = [account.lamports if (account := read(key)) else 0 for key in keys.all]
        return lamports, token_balances(keys.all, keys.programs, read)

    def _charge_failed(
        self, outcome: RunOutcome, transaction: VersionedTransaction, keys: MessageKeys, *, by_nonce: bool
    ) -> list[Pubkey]:
        """The fee of a failed transaction, and its nonce: all that a failure changes."""
        payer = keys.all[0]
        if not outcome.executed:
            account = self._bank.account(payer)
            if outcome.fee is None or account is None or account.lamports < outcome.fee:
                raise TransactionDropped(outcome.err)
            self._bank.set_account(payer, Account(account.lamports - outcome.fee, account.data, account.owner))
        nonce = nonce_address(transaction) if by_nonce else None
        if nonce is None:
            return [payer]
        account = self._bank.account(nonce)
        if account is not None and holds_nonce(account, transaction):
            self._bank.set_account(nonce, advanced(account, self._bank.next_nonce()))
        return [payer, nonce]

    def _meta(
        self,
        outcome: RunOutcome,
        transaction: VersionedTransaction,
        keys: MessageKeys,
        before: Balances,
        after: Balances,
    ) -> dict[str, Json]:
        told = outcome.err not in FEES_ONLY
        meta: dict[str, Json] = {
            "err": outcome.err,
            "status": {"Ok": None} if outcome.err is None else {"Err": outcome.err},
            "fee": outcome.fee,
            "preBalances": before[0],
            "postBalances": after[0],
            "preTokenBalances": before[1],
            "postTokenBalances": after[1],
            "innerInstructions": outcome.inner_instructions if told else None,
            "logMessages": outcome.logs if told else None,
            "rewards": [],
            "loadedAddresses": loaded_addresses_json(keys.loaded_writable, keys.loaded_readonly),
            "computeUnitsConsumed": outcome.units,
            "costUnits": cost_units(transaction.message, keys, outcome.units, outcome.loaded_bytes),
        }
        if outcome.return_data is None:
            return meta
        return {**meta, "returnData": outcome.return_data}
