"""A local market's directory: keys, chain, index and the keeper's journal."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from anchor_client.service.lock_file import locked
from local_market.errors import AlreadyRunning, UnusableDirectory


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of the local market's files under `root`."""

    root: Path

    @property
    def keys(self) -> Path:
        """Key files, for their owner's eyes only."""
        return self.root / "keys"

    @property
    def chain(self) -> Path:
        """Accounts and ledger of the cluster."""
        return self.root / "chain"

    @property
    def index(self) -> Path:
        """The indexer's database."""
        return self.root / "index"

    @property
    def keeper(self) -> Path:
        """The keeper's journal."""
        return self.root / "keeper"

    @property
    def machines(self) -> Path:
        """Tenants of the simulated machines, and the keys of these."""
        return self.root / "machines"

    @property
    def own_machine(self) -> Path:
        """State of this computer's own machine."""
        return self.root / "own-machine"

    @property
    def database_url(self) -> str:
        """The indexer's database as a URL."""
        return f"sqlite:///{self.index / 'market.db'}"

    def prepare(self) -> None:
        """Makes the directories. UnusableDirectory when that cannot be done."""
        try:
            for directory in (self.root, self.keys, self.chain, self.index, self.keeper, self.machines):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UnusableDirectory(f"{self.root} cannot be used: {error.strerror}") from error

    def reset(self) -> None:
        """Deletes what a local market has put here, and nothing else."""
        for directory in (self.keys, self.chain, self.index, self.keeper, self.machines, self.own_machine):
            if directory.exists():
                shutil.rmtree(directory)

    def owned(self) -> AbstractContextManager[None]:
        """Keeps a second market out of the directory. AlreadyRunning."""
        return locked(self.root / "lock", AlreadyRunning(f"A local market runs in {self.root} already"))
