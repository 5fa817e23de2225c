"""A finalized transaction, as much of it as events need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from indexer.errors import UnreadableTransaction


@dataclass(frozen=True, slots=True)
class InnerInstruction:
    """A call made by another instruction; `data` is base58. `stack_height` is 2 for what an outer one called."""

    program: str
    data: str
    stack_height: int | None


@dataclass(frozen=True, slots=True)
class Transaction:
    """Where it stands in the chain, whether it failed, and its instructions."""

    signature: str
    slot: int
    index: int
    """Place in the block."""
    block_time: int
    failed: bool
    programs: tuple[str, ...]
    """Program of each outer instruction."""
    inner: Mapping[int, tuple[InnerInstruction, ...]]
    """Calls by the index of their outer instruction, in the order they were made."""


def transaction_from_json(result: Mapping[str, Any], index: int | None = None) -> Transaction:
    """Reads getTransaction's answer in `json` encoding; `index` where the node does not say it.

    Raises UnreadableTransaction if the answer lacks what it must have.
    """
    try:
        meta, message = result["meta"], result["transaction"]["message"]
        loaded = meta.get("loadedAddresses") or {"writable": (), "readonly": ()}
        keys = [*message["accountKeys"], *loaded["writable"], *loaded["readonly"]]
        if meta["err"] is None and meta["innerInstructions"] is None:
            raise UnreadableTransaction(result["transaction"]["signatures"][0], "the node keeps no inner instructions")
        place = result.get("transactionIndex", index)
        if place is None:
            raise UnreadableTransaction(result["transaction"]["signatures"][0], "its place in the block is unknown")
        return Transaction(
            signature=result["transaction"]["signatures"][0],
            slot=result["slot"],
            index=place,
            block_time=result["blockTime"] or 0,
            failed=meta["err"] is not None,
            programs=tuple(keys[instruction["programIdIndex"]] for instruction in message["instructions"]),
            inner={
                group["index"]: tuple(
                    InnerInstruction(keys[call["programIdIndex"]], call["data"], call.get("stackHeight"))
                    for call in group["instructions"]
                )
                for group in meta["innerInstructions"] or ()
            },
        )
    except (KeyError, IndexError, TypeError) as error:
        raise UnreadableTransaction(str(result.get("slot")), repr(error)) from error
