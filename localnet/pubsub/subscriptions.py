"""The kinds of subscription, and the notifications of each."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from solders.account import Account
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM

from localnet.encoding.accounts import AccountEncoding, Base58TooLong, account_json
from localnet.encoding.tokens import Accounts
from localnet.records import Json, TransactionRecord
from localnet.rpc.filters import Filter

Deliver = Callable[[str, int, Json], None]
CLOSED = Account(0, b"", SYSTEM_PROGRAM)


@dataclass(eq=False, slots=True)
class ClientSubscription:
    """One subscription of one connection; `deliver` takes method, id and result.

    `key` is what of its kind it is to: a signature or an address; None for a kind without.
    """

    identifier: int
    deliver: Deliver
    finalized: bool = True
    key: Any = None

    def tell(self, method: str, slot: int, value: Json) -> None:
        """Delivers a value with the slot it is of."""
        self.deliver(method, self.identifier, {"context": {"slot": slot}, "value": value})


class SlotSubscription(ClientSubscription):
    """Notifies of every slot that opens."""

    def opened(self, slot: int, root: int) -> None:
        """A slot opened."""
        self.deliver("slotNotification", self.identifier, {"parent": slot - 1, "root": root, "slot": slot})


class RootSubscription(ClientSubscription):
    """Notifies of every slot that is finalized."""

    def rooted(self, root: int) -> None:
        """A slot was finalized."""
        self.deliver("rootNotification", self.identifier, root)


@dataclass(eq=False, slots=True)
class SignatureSubscription(ClientSubscription):
    """Notifies once of a transaction's outcome, and before that, if requested, of its receipt."""

    received: bool = False

    def ended(self, slot: int, err: Json) -> None:
        """The transaction reached the commitment."""
        self.tell("signatureNotification", slot, {"err": err})

    def arrived(self, slot: int) -> None:
        """The transaction came in."""
        if self.received:
            self.tell("signatureNotification", slot, "receivedSignature")


@dataclass(eq=False, slots=True)
class AccountSubscription(ClientSubscription):
    """Notifies of an account's state whenever it is written; an empty system account once it is gone."""

    encoding: AccountEncoding = field(default_factory=AccountEncoding)

    def changed(self, slot: int, account: Account | None, read: Accounts) -> None:
        """The account was written."""
        self.tell("accountNotification", slot, _encoded(account or CLOSED, self.encoding, read))


@dataclass(eq=False, slots=True)
class ProgramSubscription(ClientSubscription):
    """Notifies of the state of a program's accounts that pass the filters whenever they are written."""

    encoding: AccountEncoding = field(default_factory=AccountEncoding)
    passes: Filter = field(default=lambda account: True)

    def changed(self, slot: int, address: Pubkey, account: Account, read: Accounts) -> None:
        """An account of the program was written."""
        if self.passes(account):
            value = {"pubkey": str(address), "account": _encoded(account, self.encoding, read)}
            self.tell("programNotification", slot, value)


@dataclass(eq=False, slots=True)
class LogsSubscription(ClientSubscription):
    """Notifies of the logs of transactions, of all or of those that name an address."""

    mentions: Pubkey | None = None

    def executed(self, record: TransactionRecord) -> None:
        """A transaction reached the commitment."""
        if self.mentions is None or self.mentions in record.account_keys():
            logs = record.meta["logMessages"]
            value = {"signature": str(record.signature), "err": record.err, "logs": logs}
            self.tell("logsNotification", record.slot, value)


def _encoded(account: Account, encoding: AccountEncoding, read: Accounts) -> Json:
    try:
        return account_json(account, encoding, read)
    except Base58TooLong:
        return account_json(account, AccountEncoding("base64", encoding.offset, encoding.length), read)
