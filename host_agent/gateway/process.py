"""The servers of a gateway: from the first connection until the tenancy ends."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog
from msgspec import Struct
from msgspec.structs import replace

from host_agent.access import TenantAccess, TenantSockets
from host_agent.gateway.container import Reach, TenantContainer
from host_agent.gateway.control import ControlSocket
from host_agent.gateway.documents import End, HandOver, Opening, RenterAdmission, Request, Standing, Taken, Tell
from host_agent.gateway.lifetime import LOOK_SECONDS, PaidTime
from host_agent.identity import MachineIdentity
from host_agent.ssh import RenterCredentials, SshIdentity
from host_agent.web import TlsIdentity

log = structlog.get_logger(__name__)


class Gateway:
    """Serves a tenancy until the agent ends it, or nothing is left to serve."""

    def __init__(self, opening: Opening, sockets: TenantSockets, control: ControlSocket) -> None:
        admission = opening.admission
        self._opening = opening
        self._sockets = sockets
        self._control = control
        self._credentials = RenterCredentials(admission.password, admission.public_key)
        self._identity = MachineIdentity(
            Path(opening.ssh_key).parent,
            SshIdentity.load_or_create(Path(opening.ssh_key)),
            TlsIdentity([Path(file) for file in opening.certificate], None),
        )
        self._paid = PaidTime(None if opening.deadline is None else Path(opening.deadline))
        self._access: TenantAccess | None = None
        self._is_former = False
        """True once another process has its sockets."""
        self._over = asyncio.Event()

    async def run(self, reach: Reach, serving: Callable[[], None]) -> None:
        """Calls `serving` once it accepts connections; returns after the last."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._over.set)
        async with reach(self._opening, lambda: self._opening.admission.closed) as container:
            self._access = await TenantAccess.opened(
                self._sockets, self._identity, self._credentials, container.inside, container.connect
            )
            answering = asyncio.create_task(self._control.serve(self._answer))
            looking = asyncio.create_task(self._look(container))
            serving()
            log.info("gateway_serves", rental=self._opening.place.rental)
            tasks = [answering, looking, asyncio.create_task(self._over.wait())]
            # One that nobody can end, or that does not look, ends too: the agent starts another.
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            failures = [each for each in await asyncio.gather(*tasks, return_exceptions=True) if _is_failure(each)]
            await self._access.close()
        log.info("gateway_ended", rental=self._opening.place.rental, failures=list(map(repr, failures)))

    async def _answer(self, request: Request | Taken) -> tuple[Struct, Sequence[int]]:
        assert self._access is not None
        match request:
            case Tell(admission):
                self._admit(admission)
            case HandOver() if not self._is_former:
                return self._opening, [each.fileno() for each in self._sockets]
            case Taken():
                self._is_former = True
                self._control.be_former()
                await self._access.stop_listening()
                log.info("gateway_handed_over", connections=self._access.connections)
            case End():
                await self._access.close()
                self._over.set()
        return Standing(self._opening.place, os.getpid(), self._access.connections), ()

    def _admit(self, admission: RenterAdmission) -> None:
        self._opening = replace(self._opening, admission=admission)
        self._credentials.password = admission.password
        self._credentials.public_key = admission.public_key

    async def _look(self, container: TenantContainer) -> None:
        """Ends what nobody else would end; rereads a renewed certificate."""
        while not await self._is_due(container):
            self._identity.tls.refresh()
            await asyncio.sleep(LOOK_SECONDS)
        self._over.set()

    async def _is_due(self, container: TenantContainer) -> bool:
        assert self._access is not None
        reasons = {
            "deadline": self._paid.is_over(),
            "control_socket_removed": not self._control.is_found,
            "no_connection_left": self._is_former and not self._access.connections,
            "container_removed": await container.is_gone(),
        }
        due = [reason for reason, holds in reasons.items() if holds]
        if due:
            log.info("gateway_due", reason=due[0])
        return bool(due)


def _is_failure(outcome: object) -> bool:
    return isinstance(outcome, Exception)
