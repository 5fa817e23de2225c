"""A consistent snapshot of the chain at a commitment: slot, time and some accounts, all from one slot."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solders.clock import Clock
from solders.pubkey import Pubkey
from solders.sysvar import CLOCK

from anchor_client.solana.json_rpc import JsonRpc, refusal_of
from indexer.index.sources.answers import AccountsAnswer, HashText, reading

MAX_ACCOUNTS = 100
SLOT_NOT_REACHED = -32016

_read = reading(AccountsAnswer)
_read_genesis = reading(HashText)


@dataclass(frozen=True, slots=True)
class Head:
    """A slot, its unix time, and the requested accounts' data; None for an account that does not exist."""

    slot: int
    unix_timestamp: int
    accounts: tuple[bytes | None, ...]


async def read_genesis(rpc: JsonRpc) -> str:
    """Genesis hash of the node's cluster. Raises the node's failures."""
    return await rpc.call("getGenesisHash", [], _read_genesis)


async def read_head(
    rpc: JsonRpc, commitment: str, addresses: Sequence[Pubkey] = (), *, min_slot: int | None = None
) -> Head:
    """Reads up to 99 accounts in one call, so that all are from the same slot.

    Raises the node's failures; RpcRefused with SLOT_NOT_REACHED if it has not got to `min_slot`, whatever it says.
    """
    asked = [str(CLOCK), *map(str, addresses)]
    if len(asked) > MAX_ACCOUNTS:
        raise ValueError(f"{len(addresses)} accounts do not fit one call")
    config: dict[str, Any] = {"encoding": "base64", "commitment": commitment}
    if min_slot is not None:
        config["minContextSlot"] = min_slot

    def read(raw: str) -> Head:
        answer: AccountsAnswer = _read(raw)
        if len(answer.value) != len(asked):
            raise ValueError(f"{len(answer.value)} accounts where {len(asked)} were asked for")
        datas = [None if account is None else base64.b64decode(account.data[0]) for account in answer.value]
        clock = Clock.from_bytes(datas[0] or b"")
        slot = min(answer.context.slot, clock.slot)
        if slot < (min_slot or 0):
            raise refusal_of(SLOT_NOT_REACHED, f"it is at slot {slot}, before {min_slot}")
        return Head(slot, clock.unix_timestamp, tuple(datas[1:]))

    return await rpc.call("getMultipleAccounts", [asked, config], read)
