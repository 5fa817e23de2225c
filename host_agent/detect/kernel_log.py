"""Xid errors: faults of NVIDIA's GPUs that the driver writes to the kernel's log."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

KMSG: Final = Path("/dev/kmsg")
RECORD_BYTES: Final = 8_192
"""Longest record of the kernel's log."""
RECENT_SECONDS: Final = 86_400
SEVERE: Final = {
    48: "double-bit memory error",
    62: "its microcontroller halted",
    64: "memory rows could not be remapped",
    74: "NVLink error",
    79: "it has fallen off the bus",
    95: "uncontained memory error",
    119: "its system processor does not answer",
    120: "its system processor failed",
    140: "unrecovered memory error",
    143: "it could not be initialized",
}
"""Xid errors after which NVIDIA's documentation asks for a reset or a repair; programs of tenants cause most others."""
_RECORD: Final = re.compile(r"^\d+,\d+,(\d+),[^;]*;(.*)$", re.MULTILINE)
_XID: Final = re.compile(r"NVRM: Xid \(PCI:([0-9a-fA-F:]+)(?:\.[0-9a-f])?\): (\d+)")


@dataclass(frozen=True, slots=True)
class Xid:
    """A severe error of the GPU in a slot of the PCI bus, such as 0000:01:00."""

    slot: str
    number: int

    def __str__(self) -> str:
        return f"Xid {self.number}: {SEVERE[self.number]}"


def severe_xids(kmsg: Path = KMSG, now: float | None = None) -> list[Xid] | None:
    """The severe errors of the last day; None if the log cannot be read."""
    since = (time.monotonic() if now is None else now) - RECENT_SECONDS
    try:
        log = b"".join(_records(kmsg)).decode("utf-8", "replace")
    except OSError:
        return None
    found = (
        Xid(place[1].lower(), int(place[2]))
        for microseconds, text in _RECORD.findall(log)
        if int(microseconds) / 1e6 >= since and (place := _XID.search(text)) is not None
    )
    return list(dict.fromkeys(xid for xid in found if xid.number in SEVERE))


def _records(kmsg: Path) -> Iterator[bytes]:
    """All records that the kernel still has; it gives one for each read."""
    log = os.open(kmsg, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while True:
            try:
                record = os.read(log, RECORD_BYTES)
            except BlockingIOError:
                return
            except BrokenPipeError:  # the kernel has dropped the next one meanwhile
                continue
            if not record:
                return
            yield record
    finally:
        os.close(log)
