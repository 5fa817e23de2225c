"""Tells by a control start whose fault it is that an order does not start: an image known to be good is started in the
order's place, with the same devices, mounts, ports and network.
"""

from __future__ import annotations

import io
import re
import struct
import tarfile
import time
from collections.abc import Mapping
from typing import Any, Final

import structlog
from solders.pubkey import Pubkey

from host_agent.docker.container import CONTROL, LISTING, ROLE
from host_agent.docker.engine import Engine
from host_agent.errors import MachineFault, OrderRefused, Unproven

TRUST_SECONDS: Final = 60.0
"""Time for which a control start that worked counts, so that orders cannot keep a machine busy with them."""
PROGRAM: Final = "control"
BASE: Final = 0x400000
HEADERS: Final = 64 + 56
"""Bytes of an ELF file's own header and of the only one of a segment."""
EXIT: Final[Mapping[str, tuple[int, str]]] = {
    "amd64": (62, "31ff b83c000000 0f05"),
    "arm64": (183, "000080d2 a80b80d2 010000d4"),
}
"""Processors with their number in ELF files, and the instructions that end a program with 0."""
_FRAME: Final = re.compile(
    r"^.*(?:unable to start container process|OCI runtime create failed|error during container init): "
)
"""Words before the cause in messages of the engine; a renter gets a short message."""

log = structlog.get_logger(__name__)


class ControlStart:
    """The control starts of one machine."""

    def __init__(self, engine: Engine, listing: Pubkey) -> None:
        self._engine = engine
        self._listing = listing
        self._worked_at: float | None = None

    async def blame(self, fault: Unproven, config: Mapping[str, Any]) -> MachineFault | OrderRefused:
        """The host's fault if the good image cannot be started either in a container of this configuration, and else
        the order's. The order's own container must not run. MachineFault if the engine cannot be reached.
        """
        if not self._is_trusted():
            try:
                await self._start(config)
            except Unproven as error:
                log.error("control_start_failed", listing=str(self._listing), error=error.message)
                return MachineFault(fault.message, fault.remedy)
            self._worked_at = time.monotonic()
        return OrderRefused(f"The engine refuses the order: {_FRAME.sub('', fault.said)}")

    async def remove(self) -> None:
        """Removes what an interrupted control start has left."""
        left = await self._engine.container(self._listing, CONTROL)
        if left is not None:
            await self._engine.remove(left)
            await self._engine.remove_image(left.image)

    def _is_trusted(self) -> bool:
        return self._worked_at is not None and time.monotonic() - self._worked_at < TRUST_SECONDS

    async def _start(self, config: Mapping[str, Any]) -> None:
        await self.remove()
        image = await self._engine.import_image(good_image(await self._engine.architecture()))
        try:
            await self._engine.run(self._listing, CONTROL, _with_image(config, image, self._listing))
        finally:
            await self.remove()
            await self._engine.remove_image(image)


def good_image(architecture: str) -> bytes:
    """The files of an image whose only program ends at once, as a tar archive. Unproven for other processors."""
    if architecture not in EXIT:
        raise Unproven(f"There is no control image for {architecture}")
    machine, code = EXIT[architecture]
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        program = tarfile.TarInfo(PROGRAM)
        data = _elf(machine, bytes.fromhex(code))
        program.size = len(data)
        program.mode = 0o755
        archive.addfile(program, io.BytesIO(data))
    return target.getvalue()


def _with_image(config: Mapping[str, Any], image: str, listing: Pubkey) -> dict[str, Any]:
    return {
        "Image": image,
        "Entrypoint": [f"/{PROGRAM}"],
        "Cmd": [],
        "Labels": {LISTING: str(listing), ROLE: CONTROL},
        "ExposedPorts": config.get("ExposedPorts") or {},
        "HostConfig": {**config["HostConfig"], "RestartPolicy": {"Name": "no"}},
    }


def _elf(machine: int, code: bytes) -> bytes:
    """An executable of one segment, which is the file."""
    size = HEADERS + len(code)
    header = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, machine, 1, BASE + HEADERS, 64, 0, 0, 64, 56, 1, 64, 0, 0
    )
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, size, size, 0x1000) + code
