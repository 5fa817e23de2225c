"""The program harness's cluster on a node's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solders.account import Account
from solders.instruction import Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from anchor_client.generated.errors import ERRORS
from anchor_client.generated.events import EVENT_TAG, decode_cpi_event
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl import base58
from anchor_idl.runtime.program_errors import error_for
from anchor_idl.runtime.structs import Event
from localnet.cluster import Cluster as Node
from localnet.errors import TransactionDropped
from localnet.records import TransactionRecord
from tests.program.harness.cluster import WEALTH, Cluster, Observer
from tests.program.harness.keys import address, keypair_of
from tests.program.harness.outcome import Outcome, Refused


class NodeCluster(Cluster):
    """Acts as the harness's cluster does; transactions land in the node's blocks with their signatures."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.observers: list[Observer] = []
        self.fee_payer = address("fee payer")
        self.set_account(self.fee_payer, Account(WEALTH, b"", Pubkey.default()))

    @property
    def now(self) -> int:
        """Unix seconds of the node's clock, which runs by itself."""
        return self.node.clock.unix_timestamp

    @now.setter
    def now(self, at: int) -> None:
        self.node.warp(at - self.now)

    @property
    def slot(self) -> int:
        return self.node.clock.slot

    def account(self, key: Pubkey) -> Account | None:
        return self.node.bank.account(key)

    def set_account(self, key: Pubkey, account: Account) -> None:
        self.node.set_account(key, account)

    def rent(self, size: int) -> int:
        return self.node.bank.minimum_balance(size)

    def act(self, *instructions: Instruction) -> Outcome:
        """As the harness's cluster does; what fails lands too."""
        transaction = self._compiled(instructions)
        keys = transaction.message.account_keys
        before = self._states(keys)
        try:
            record = self.node.execute(transaction)
        except TransactionDropped:
            self.node.warp(0)  # done before in the same slot it would be the same transaction
            record = self.node.execute(self._compiled(instructions))
        self.landed(record)
        if record.err is not None:
            raise _failure(record)
        logs: list[str] = record.meta["logMessages"]
        outcome = Outcome(
            before,
            self._states(keys),
            tuple(_events(record)),
            record.meta["computeUnitsConsumed"],
            tuple(logs),
            len(bytes(transaction)),
            tuple(instructions),
        )
        for observe in self.observers:
            observe(outcome)
        return outcome

    def landed(self, record: TransactionRecord) -> None:
        """Learns of every transaction before anyone else."""

    def _compiled(self, instructions: Sequence[Instruction]) -> VersionedTransaction:
        """Signed by whoever the instructions name as signers; KeyError if nobody could sign."""
        message = MessageV0.try_compile(self.fee_payer, list(instructions), [], self.node.latest_blockhash())
        signers = message.account_keys[: message.header.num_required_signatures]
        return VersionedTransaction(message, [keypair_of(key) for key in signers])


def _events(record: TransactionRecord) -> Iterable[Event]:
    keys = record.account_keys()
    for group in record.meta["innerInstructions"]:
        for call in group["instructions"]:
            data = base58.decode(call["data"])
            if keys[call["programIdIndex"]] == PROGRAM_ID and data.startswith(EVENT_TAG):
                yield decode_cpi_event(data)


def _failure(record: TransactionRecord) -> Exception:
    logs: list[str] = record.meta["logMessages"] or []
    match record.err:
        case {"InstructionError": [_, {"Custom": code}]}:
            return error_for(code, ERRORS, "\n".join(logs))
        case error:
            return Refused(str(error), logs)
