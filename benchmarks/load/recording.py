"""Every transaction of the program, as a node tells it."""

from __future__ import annotations

from typing import Any

from anchor_client.generated.program import PROGRAM_ID
from localnet.cluster import Cluster
from localnet.events import Observer
from localnet.records import TransactionRecord
from localnet.rpc.transactions import landed

NEWEST_VERSION = 1


class Recording(Observer):
    """Observes a cluster from its first transaction."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._records: list[TransactionRecord] = []
        cluster.observe(self)

    def take(self) -> list[dict[str, Any]]:
        """What getTransaction says of each since the last call, in the chain's order."""
        taken, self._records = self._records, []
        return [landed(self._cluster, record, "json", NEWEST_VERSION) for record in taken]

    def transaction_executed(self, record: TransactionRecord) -> None:
        """Keeps what calls the program."""
        if PROGRAM_ID in record.account_keys():
            self._records.append(record)
