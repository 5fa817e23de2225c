"""Errors of transactions before they land."""

from localnet.records import Json


class LocalnetError(Exception):
    """Base of the cluster's errors."""


class TransactionDropped(LocalnetError):
    """The transaction did not land: no fee, no record. `err` is the TransactionError as JSON."""

    def __init__(self, err: Json) -> None:
        self.err = err
        super().__init__(str(err))
