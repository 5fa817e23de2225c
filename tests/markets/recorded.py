"""The program harness's market on a cluster that keeps each transaction as a node tells it."""

from __future__ import annotations

from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import MarketParameter
from indexer.index.transaction import Transaction, transaction_from_json
from local_market.program import PROGRAM_PATH
from localnet.cluster import Cluster as Node
from localnet.encoding.transactions import transaction_with_meta
from localnet.records import TransactionRecord
from tests.markets.node import NodeCluster
from tests.markets.spec import spec_with
from tests.program.harness.actors import AUTHORITY, GPUM, HOST, LISTING
from tests.program.harness.changes import set_parameter
from tests.program.harness.flows import requested
from tests.program.harness.keys import address
from tests.program.harness.market import put_wallet, put_wallets, seed
from tests.program.harness.terms import HOUR, asking
from tests.program.harness.world import World


class Recorder(NodeCluster):
    """Keeps every transaction, failures included."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.records: list[TransactionRecord] = []

    def landed(self, record: TransactionRecord) -> None:
        self.records.append(record)


class Market(World):
    """The program harness's world with one host, which has one machine; short and small orders are taken too.

    What is done here and recorded there are the harness's acts.
    """

    def __init__(self, node: Node, *, testing: bool = True) -> None:
        self.node = node
        self.recorder = Recorder(node)
        super().__init__(self.recorder)
        self.listings = [LISTING]
        self._renters = 0
        node.add_program(PROGRAM_ID, PROGRAM_PATH, upgrade_authority=AUTHORITY)
        put_wallets(self.recorder)
        seed(self, {HOST: (LISTING,)}, testing=testing)
        self.act(
            set_parameter(MarketParameter.MIN_DURATION, 60),
            set_parameter(MarketParameter.ORDER_MIN_USD, 0),
        )
        if testing:
            self.act(set_parameter(MarketParameter.ANSWER_SLOTS, 1))

    @property
    def records(self) -> list[TransactionRecord]:
        """Everything sent, failures included."""
        return self.recorder.records

    def transactions(self) -> list[Transaction]:
        """Everything sent, as a node tells it."""
        return [as_transaction(record) for record in self.records]

    def list_machine(self, **changes: Any) -> Pubkey:
        """Another machine of the host's, which was just heard from."""
        listing = find_listing(find_host(HOST)[0], self.host().next_listing)[0]
        self.act(self.create_listing(spec=spec_with(**changes)))
        self.listings.append(listing)
        self.act(self.heartbeat(HOST, listing))
        return listing

    def close_listing(self, listing: Pubkey) -> Instruction:
        """Takes an idle machine off the market."""
        self.listings.remove(listing)
        return instructions.close_listing(authority=HOST, host=find_host(HOST)[0], listing=listing)

    def beat(self) -> None:
        """All of the host's machines are heard from."""
        self.act(self.heartbeat(HOST, *self.listings))

    def pass_time(self, seconds: int) -> None:
        """Time passes, and all of the host's machines are heard from at least every two minutes."""
        for passed in range(0, seconds, 120):
            self.wait(min(120, seconds - passed))
            self.beat()

    def wallet(self) -> Pubkey:
        """Somebody new, with lamports and tokens."""
        self._renters += 1
        wallet = address(f"wallet {self._renters}")
        put_wallet(self.recorder, wallet)
        return wallet

    def renter(self) -> Pubkey:
        """Somebody new who may rent."""
        wallet = self.wallet()
        self.act(self.register_renter(wallet, AUTHORITY))
        return wallet

    def ask(self, renter: Pubkey, mint: Pubkey = GPUM, **changes: Any) -> Pubkey:
        """A request for the host's machine that waits for an hour, with some fields changed."""
        order = asking(**{"expires_at": self.now + HOUR, **changes})
        return requested(self, renter, mint=mint, order=order)


def result_of(record: TransactionRecord) -> dict[str, Any]:
    """getTransaction's answer for a record."""
    encoded = transaction_with_meta(record, "json", 1)
    return {"slot": record.slot, "transactionIndex": record.index, "blockTime": None, **encoded}


def as_transaction(record: TransactionRecord) -> Transaction:
    return transaction_from_json(result_of(record))
