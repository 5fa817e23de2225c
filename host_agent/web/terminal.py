"""A terminal in the container for browsers, by WebSocket and TLS.

The first message is the rental's password, so it never appears in a URL or a log. No cookie or header grants access: a
page of any origin may connect, but can do nothing without the password. Binary messages are input and output; text
messages set the terminal's size. A first message that `shows` a view gets that instead of a shell.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated, Final, Literal, Self, TypeVar

import msgspec
import structlog
from msgspec import Struct
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from host_agent.errors import MachineFault
from host_agent.network.doors import Anteroom, GuardedSocket, bound
from host_agent.ssh import Inside, InsideTerminal, RenterCredentials, TooManyTries
from host_agent.web.relay import abort
from host_agent.web.views import VIEWS, View

PROTOCOL: Final = "The terminal"
LOGIN_SECONDS: Final = 30.0
CLOSE_SECONDS: Final = 2.0
MOST_TERMINALS: Final = 16
"""Maximum concurrent terminals of one tenancy."""
MOST_CONNECTIONS: Final = 128
"""Maximum connections of one tenancy, logged in or not."""
STRANGERS: Final = Anteroom()
"""Clients of all tenancies of this process that have sent no password yet."""
MOST_BYTES: Final = 65_536
"""Maximum bytes of one message; browsers split pasted text."""
MOST_REASON: Final = 120
"""Maximum bytes of a close reason."""
DONE, REFUSED, THROTTLED, FULL, FAILED = 1000, 4401, 4429, 4503, 4500
"""Close codes of the WebSocket."""
ACCEPTED: Final = "You have reached the machine and accepted its certificate. Close this page and connect again.\n"
Size = Annotated[int, msgspec.Meta(ge=1, le=1_000)]
Password = Annotated[str, msgspec.Meta(max_length=200)]
log = structlog.get_logger(__name__)


class _TerminalSize(Struct, forbid_unknown_fields=True, kw_only=True):
    columns: Size
    rows: Size


class _Login(_TerminalSize, forbid_unknown_fields=True, kw_only=True):
    password: Password
    shows: Literal["shell", "log", "gpus"] = "shell"

    def __repr__(self) -> str:
        return f"_Login(shows={self.shows!r})"


Message = TypeVar("Message", bound=Struct)


class _Refused(Exception):
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class _Waiting:
    """A client that has sent no password yet."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket

    def abort(self) -> None:
        """Makes room for another."""
        abort(self._socket.transport)


class TerminalServer:
    """The terminals of one tenancy; `close` ends them."""

    def __init__(self, credentials: RenterCredentials, inside: Inside) -> None:
        self._credentials = credentials
        self._inside = inside
        self._open = 0
        self._server: Server | None = None

    @classmethod
    async def listening(
        cls, context: ssl.SSLContext, bind: str, port: int, credentials: RenterCredentials, inside: Inside
    ) -> Self:
        """Starts a server. MachineFault if the port is taken."""
        return await cls.serving(context, bound(PROTOCOL, bind, port, MOST_CONNECTIONS), credentials, inside)

    @classmethod
    async def serving(
        cls, context: ssl.SSLContext, listener: GuardedSocket, credentials: RenterCredentials, inside: Inside
    ) -> Self:
        """Starts a server at a socket, which is its own from now on."""
        terminals = cls(credentials, inside)
        terminals._server = await serve(
            terminals._serve,
            sock=listener,
            ssl=context,
            process_request=_answer_page,
            open_timeout=LOGIN_SECONDS,
            close_timeout=CLOSE_SECONDS,
            max_size=MOST_BYTES,
            compression=None,
        )
        return terminals

    def stop_listening(self) -> None:
        """Leaves new clients to another server at the same socket; terminals stay."""
        if self._server is not None:
            # The library's own close() would end them, or never be able to.
            self._server.server.close()

    async def close(self) -> None:
        """Ends every terminal, and stops listening."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, socket: ServerConnection) -> None:
        try:
            login = await self._let_in(socket)
            if self._open >= MOST_TERMINALS:
                raise _Refused(FULL, f"{MOST_TERMINALS} terminals are open already")
            self._open += 1
            try:
                if login.shows == "shell":
                    await self._open_terminal(socket, login)
                else:
                    await self._show(socket, VIEWS[login.shows])
            finally:
                self._open -= 1
        except _Refused as refused:
            await socket.close(refused.code, refused.reason)
        except MachineFault as fault:
            await socket.close(FAILED, fault.message.encode()[:MOST_REASON].decode(errors="ignore"))
        except ConnectionClosed as closed:
            log.debug("terminal_left", reason=str(closed))

    async def _open_terminal(self, socket: ServerConnection, size: _TerminalSize) -> None:
        async with self._inside.terminal(size.columns, size.rows) as terminal:
            await _carry(socket, terminal)
            await socket.close(DONE, f"The shell has ended with {await terminal.exit_code()}")

    async def _show(self, socket: ServerConnection, view: View) -> None:
        """Sends what a view has, until it or the connection ends."""
        await socket.send(b"")  # shows the page that it is let in: a command may print nothing
        sending = asyncio.create_task(_send_all(socket, view(self._inside)))
        leaving = asyncio.create_task(socket.wait_closed())
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
                await socket.close(DONE, "There is no more of it")
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _let_in(self, socket: ServerConnection) -> _Login:
        """The login, after a correct password."""
        address = str(socket.remote_address[0])
        waiting = _Waiting(socket)
        if not STRANGERS.enter(waiting, address):
            raise _Refused(FULL, "Too many clients of this network have sent no password yet")
        try:
            async with asyncio.timeout(LOGIN_SECONDS):
                login = _parsed(_Login, await socket.recv())
        except TimeoutError:
            raise _Refused(REFUSED, "No password was sent") from None
        finally:
            STRANGERS.leave(waiting)
        try:
            if not self._credentials.admit(address, login.password):
                raise _Refused(REFUSED, "The password is wrong")
        except TooManyTries as error:
            raise _Refused(THROTTLED, str(error)) from None
        self._credentials.throttle.succeeded(address)
        return login


def _answer_page(socket: ServerConnection, request: Request) -> Response | None:
    """Serves the page at the terminal's address, where users accept its certificate."""
    if request.headers.get("Upgrade", "").lower() == "websocket":
        return None
    return socket.respond(HTTPStatus.OK, ACCEPTED)


def _parsed(kind: type[Message], said: str | bytes) -> Message:
    try:
        return msgspec.json.decode(said, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise _Refused(REFUSED, "The message is not valid for a terminal") from None


async def _send_all(socket: ServerConnection, parts: AsyncGenerator[bytes, None]) -> None:
    async with aclosing(parts):
        async for part in parts:
            await socket.send(part)


async def _carry(socket: ServerConnection, terminal: InsideTerminal) -> None:
    """Relays input and output, until the shell or the connection ends."""
    typing = asyncio.create_task(_type(socket, terminal))
    printing = asyncio.create_task(_print(socket, terminal))
    try:
        done, _ = await asyncio.wait((typing, printing), return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    finally:
        for task in (typing, printing):
            task.cancel()
        await asyncio.gather(typing, printing, return_exceptions=True)


async def _type(socket: ServerConnection, terminal: InsideTerminal) -> None:
    while True:
        said = await socket.recv()
        if isinstance(said, bytes):
            await terminal.write(said)
        else:
            size = _parsed(_TerminalSize, said)
            await terminal.resize(size.columns, size.rows)


async def _print(socket: ServerConnection, terminal: InsideTerminal) -> None:
    while (printed := await terminal.read()) is not None:
        await socket.send(printed)
