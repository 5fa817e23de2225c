"""Names of a keeper's cranks, sources and message versions."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class BatchMode(StrEnum):
    """Message version for endings; auto uses version 1 if the cluster accepts it, otherwise an older one."""

    AUTO = "auto"
    LEGACY = "legacy"
    V0 = "v0"
    V1 = "v1"


class SourceName(StrEnum):
    """Source of candidates. With any source, a keeper reads the accounts that it acts on from the chain."""

    CHAIN = "chain"
    """Reads every rental and request of the program."""
    INDEX = "index"
    """Asks the market's API, and reads the accounts that it names."""


class CrankName(StrEnum):
    """Cranks by their area: unpaid acts that anyone may do, performed at the operator's expense."""

    HOST = "host"
    """Updates the reputation of hosts: a transaction a day for every 24 machines of a host."""
    STAKING = "staking"
    """Sweeps each vault's fees once an epoch and ends epochs of the stake pool: a transaction each."""
    GOVERNANCE = "governance"
    """Counts the votes on proposals and executes those that passed."""
    CHARGES = "charges"
    """Settles and closes meters of traffic and storage."""
    MFP = "mfp"
    """Updates listings to the catalog's GPU points and reference prices after a change: a transaction each."""


ALL_CRANKS: Final = "all"


def cranks_named(text: str) -> frozenset[CrankName]:
    """The cranks in a comma-separated list; `all` for every one. KeeperConfigurationError for an unknown name."""
    names = [name for part in text.split(",") if (name := part.strip())]
    if names == [ALL_CRANKS]:
        return frozenset(CrankName)
    if unknown := [name for name in names if name not in list(CrankName)]:
        from keeper.errors import KeeperConfigurationError  # noqa: PLC0415 - takes long, and help names cranks too

        known = ", ".join(CrankName)
        raise KeeperConfigurationError(f"There is no crank {unknown[0]!r}", f"Choose from {known}, or {ALL_CRANKS}.")
    return frozenset(map(CrankName, names))
