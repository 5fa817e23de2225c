"""Renters whose orders a host refuses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import BadAddress
from anchor_client.solana.wallet import parse_address
from host_agent.errors import HostConfigurationError

COMMENT: Final = "#"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class BlockList:
    """Wallets, and a file of more: one on each line, with # for comments. The file may change at any time."""

    wallets: Collection[Pubkey] = ()
    file: Path | None = None

    def require_readable(self) -> None:
        """Raises HostConfigurationError if the file cannot be read, or contains an invalid wallet."""
        if self.file is not None:
            _read(self.file)

    def blocks(self, renter: Pubkey) -> bool:
        """True if a renter's orders are refused. While the file cannot be read, only the given wallets count."""
        if renter in self.wallets:
            return True
        if self.file is None:
            return False
        try:
            return renter in _read(self.file)
        except HostConfigurationError as error:
            log.error("block_list_unreadable", error=error.message)
            return False


NOBODY_BLOCKED: Final = BlockList()


def _read(file: Path) -> Collection[Pubkey]:
    try:
        lines = file.read_text("utf-8").splitlines()
        named = [line.partition(COMMENT)[0].strip() for line in lines]
        return {parse_address(one) for one in named if one}
    except (OSError, UnicodeDecodeError, BadAddress) as error:
        raise HostConfigurationError(
            f"The block list {file} cannot be read: {error}", "Write one wallet on each line."
        ) from error
