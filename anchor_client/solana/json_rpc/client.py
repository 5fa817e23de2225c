"""One call and its typed answer, or a named error.

What comes back is made into typed values here or refused here. Of several nodes the first that is well is asked, in the
order they are named in, and the next when it fails or is slow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import msgspec

from anchor_client.service.backoff import Backoff
from anchor_client.service.errors import GpuMarketError
from anchor_client.service.redaction import Endpoint
from anchor_client.solana.errors import RateLimited, RpcRefused
from anchor_client.solana.http.client import HttpClient
from anchor_client.solana.json_rpc.endpoint import Link, NodeEndpoint
from anchor_client.solana.json_rpc.heights import BEHIND_SLOTS, Heights
from anchor_client.solana.json_rpc.landed import LandedSlots
from anchor_client.solana.json_rpc.race import first_of, persist, race
from anchor_client.solana.json_rpc.refusals import SLOT_NOT_REACHED, may_pass

TIMEOUT_SECONDS: Final = 5.0
WAITS: Final = Backoff(first=0.2, most=5.0)
SENT_EVERYWHERE: Final = "sendTransaction"
ASKED_ONCE: Final = frozenset({"requestAirdrop"})
"""Methods whose effect a second call would repeat."""
VOTED: Final = frozenset({"getBlockHeight", "getSlot"})
READ_AT_A_SLOT: Final = frozenset(
    {
        "getBalance",
        "getLatestBlockhash",
        "getMultipleAccounts",
        "getProgramAccounts",
        "isBlockhashValid",
        "simulateTransaction",
    }
)
"""Methods that take minContextSlot and are given the newest slot seen."""
PROCESSED: Final = "processed"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retries:
    """Number of attempts at a call, and the seconds between them.

    A node that takes no more requests, or is behind, is likely to answer soon: it is asked more often.
    """

    attempts: int = 2
    waits: Backoff = WAITS
    patience: int = 6
    """Number of attempts at a node that limits its rate or is behind."""

    def are_left(self, failures: int, error: GpuMarketError) -> bool:
        """Returns True if a call that has failed this often, last by this error, is worth another attempt."""
        if isinstance(error, RateLimited):
            if error.retry_after is not None and error.retry_after > self.waits.most:
                return False
        elif not isinstance(error, RpcRefused) or error.code != SLOT_NOT_REACHED:
            return may_pass(error) and failures < self.attempts
        return failures < max(self.attempts, self.patience)


class JsonRpc:
    """Calls methods of one node or of several; an async context manager.

    `timeout` in seconds, for each part of an answer; `rate` in calls a second of each node; `connect` makes the way to
    a node; `answered` is called after each answer, `failed` with each failure after which a call is tried again.
    `asked_again` are the seconds without an answer after which a single node is asked once more: it may have hung and
    be well again long before `timeout`.
    """

    def __init__(
        self,
        urls: str | Sequence[str],
        *,
        timeout: float = TIMEOUT_SECONDS,
        retries: Retries | None = None,
        rate: float | None = None,
        asked_again: float | None = None,
        connect: Callable[[str], Link] | None = None,
        answered: Callable[[], object] = lambda: None,
        failed: Callable[[GpuMarketError], object] = lambda error: None,
    ) -> None:
        self._answered = answered
        self._failed = failed
        self._retries = retries or Retries()
        self._asked_again = asked_again
        connect = connect or partial(HttpClient, timeout=timeout)
        # A node that is named twice would otherwise be asked again as if it were another.
        named = list(dict.fromkeys([urls] if isinstance(urls, str) else urls))
        waits = self._retries.waits
        self.endpoints = [NodeEndpoint(url, connect(url), timeout=timeout, rate=rate, waits=waits) for url in named]
        self._heights = Heights(self.endpoints) if len(self.endpoints) > 1 else None
        self._sending: set[asyncio.Task[Any]] = set()
        self.landed = LandedSlots()

    @property
    def endpoint(self) -> Endpoint:
        """Endpoint of the first node."""
        return self.endpoints[0].endpoint

    async def call(self, method: str, params: Sequence[Any], read: Callable[[str], T]) -> T:
        """Calls a method; returns what `read` makes of the answer's text.

        `read` raises ValueError for an invalid answer, and what `refusal_of` gives for a refusal. Raises
        UnreachableRpc, RateLimited, WrongEndpoint, UnreadableAnswer, RpcRefused.
        """
        answer = await self._tried(method, params, read)
        self._answered()
        return answer

    async def look_again(self, method: str, params: Sequence[Any], read: Callable[[str], T]) -> T:
        """Calls a method whose answer is in doubt once more: another node, where there is one. Raises as `call`."""
        return await self._tried(method, params, read, again=True)

    async def close(self) -> None:
        """Ends the connections."""
        for task in self._sending:
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)
        if self._heights is not None:
            await self._heights.close()
        await asyncio.gather(*(each.close() for each in self.endpoints))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def choose(self) -> list[NodeEndpoint]:
        """The nodes that may be asked now, in the order to ask them in.

        Waits for one that wants to be left alone, but not longer than for a repetition: RateLimited.
        """
        awake = [each for each in self.endpoints if not each.rest_left]
        if awake:
            return sorted(awake, key=lambda each: (each.is_doubted, each.lag > BEHIND_SLOTS, each.queue_seconds > 0))
        first = min(self.endpoints, key=lambda each: each.rest_left)
        if first.rest_left > self._retries.waits.most:
            raise RateLimited(f"{first.endpoint} refuses more requests for now", retry_after=first.rest_left)
        await asyncio.sleep(first.rest_left)
        return [first]

    async def _tried(self, method: str, params: Sequence[Any], read: Callable[[str], T], *, again: bool = False) -> T:
        for failures in count(1):
            try:
                return await self._round(method, params, read, again)
            except GpuMarketError as error:
                if not self._retries.are_left(failures, error):
                    raise
                self._failed(error)
                await asyncio.sleep(self._retries.waits.spread(failures))
        raise AssertionError("attempts end with an answer or an error")

    async def _round(self, method: str, params: Sequence[Any], read: Callable[[str], T], again: bool) -> T:
        """Asks each node at most once; `again` in the reverse order."""
        commitment = _commitment(params)
        if self._heights is None:
            [only] = await self.choose()
            body = _body(method, self._from(method, params, self.landed.least(commitment)))
            return await self._ask_one(only, method, partial(only.ask, method, body, read))
        await self._heights.keep_up()
        if method in VOTED:
            body = _body(method, params)
            voted: Any = await self._heights.vote(lambda each: each.ask(method, body, read))  # type: ignore[arg-type]
            return voted  # type: ignore[no-any-return]
        least = max(self._heights.least(commitment) or 0, self.landed.least(commitment) or 0)
        body = _body(method, self._from(method, params, least))
        return await self._ask_several(method, body, self._heights.checked(commitment, read), again)

    @staticmethod
    def _from(method: str, params: Sequence[Any], least: int | None) -> Sequence[Any]:
        """Parameters that ask for an answer from a slot on, where the method takes that."""
        if not least or method not in READ_AT_A_SLOT:
            return params
        return [*params[:-1], {"minContextSlot": least} | params[-1]]

    async def _ask_one(self, node: NodeEndpoint, method: str, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if self._asked_again is None or method in ASKED_ONCE:
            return await ask()
        return await persist(ask, self._asked_again, node.hedged)

    async def _ask_several(self, method: str, body: bytes, read: Callable[[str], T], again: bool) -> T:
        endpoints = await self.choose()
        if again:
            endpoints.reverse()
        asks = [partial(each.ask, method, body, read) for each in endpoints]
        if method == SENT_EVERYWHERE:
            return await first_of(asks, self._keep)

        def hedged(place: int) -> None:
            endpoints[place].hedged()

        return await race(asks, None if method in ASKED_ONCE else endpoints[0].slow_after(method), hedged)

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._sending.add(task)
        task.add_done_callback(self._sent)

    def _sent(self, task: asyncio.Task[Any]) -> None:
        self._sending.discard(task)
        if not task.cancelled():
            task.exception()  # one that nobody waited for


def _body(method: str, params: Sequence[Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def _commitment(params: Sequence[Any]) -> str:
    """The commitment that a call names; without one nodes answer from what they have processed."""
    config = params[-1] if params else None
    if isinstance(config, dict):
        return str(config.get("commitment", PROCESSED))
    return PROCESSED
