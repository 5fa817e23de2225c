"""Notices for renters, which their login shells print: the agent writes them, and a tenancy's gateway reads them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import structlog
from msgspec import Struct

from anchor_client.service.private_files import replace_file

if TYPE_CHECKING:
    from solders.pubkey import Pubkey

DIRECTORY: Final = "notices"
"""Directory in the agent's state directory, with a file for each listing that has a notice."""

log = structlog.get_logger(__name__)


class RenterNotice(Struct, frozen=True):
    """A line for the renter of a machine, until a moment in unix seconds."""

    text: str
    until: float


class RenterNotices:
    """Notices by listing."""

    def __init__(self, state_dir: Path) -> None:
        self._directory = state_dir / DIRECTORY

    def file(self, listing: Pubkey) -> Path:
        """The file with a listing's notice."""
        return self._directory / str(listing)

    def set(self, listing: Pubkey, notice: RenterNotice | None) -> None:
        """Sets a listing's notice, or removes it. OSError."""
        file = self.file(listing)
        if notice is None:
            file.unlink(missing_ok=True)
        elif read_notice(file) != notice:
            replace_file(file, msgspec.json.encode(notice))


def read_notice(file: Path) -> RenterNotice | None:
    """The notice in a file; None without one, or once it is over."""
    try:
        notice = msgspec.json.decode(file.read_bytes(), type=RenterNotice)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("notice_unreadable", file=str(file), error=str(error))
        return None
    return notice if time.time() < notice.until else None


def greeting(file: Path) -> bytes:
    """Bytes to print before a login shell's own."""
    notice = read_notice(file)
    return b"" if notice is None else f"{notice.text}\r\n".encode()
