"""A consistent snapshot of the chain at a commitment: slot, time and some accounts, all from one slot."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from solders.clock import Clock
from solders.pubkey import Pubkey
from solders.sysvar import CLOCK

from indexer.sources.json_rpc import JsonRpc

MAX_ACCOUNTS = 100


@dataclass(frozen=True, slots=True)
class Head:
    """A slot, its unix time, and the requested accounts' data; None for an account that does not exist."""

    slot: int
    unix_timestamp: int
    accounts: tuple[bytes | None, ...]


async def read_head(rpc: JsonRpc, commitment: str, addresses: Sequence[Pubkey] = ()) -> Head:
    """Reads up to 99 accounts in one call, so that all are from the same slot. RpcFailed."""
    asked = [str(CLOCK), *map(str, addresses)]
    if len(asked) > MAX_ACCOUNTS:
        raise ValueError(f"{len(addresses)} accounts do not fit one call")
    answer = await rpc.call("getMultipleAccounts", asked, {"encoding": "base64", "commitment": commitment})
    datas = [None if account is None else base64.b64decode(account["data"][0]) for account in answer["value"]]
    clock = Clock.from_bytes(datas[0] or b"")
    return Head(answer["context"]["slot"], clock.unix_timestamp, tuple(datas[1:]))
