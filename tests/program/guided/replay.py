"""A kept sequence on a cluster that the audit follows."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass
from typing import Any

from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.errors import ProgramError

from ..harness.cluster import START, Cluster
from ..harness.outcome import Refused
from ..harness.world import World
from ..machine import base
from .recorder import Sequence

WALLET_RENT = 890_880
"""Nobody can make an account that holds less."""


@dataclass(slots=True)
class Replay:
    """Number of transactions that succeeded, and of those that were refused."""

    succeeded: int = 0
    refused: int = 0


def replay(sequence: Sequence) -> Replay:
    """Takes the steps on the seeded market. AssertionError at a transaction that is not what its events say."""
    accounts, audit = base.seeded_market()
    cluster = World(Cluster(accounts, START), audit.copy()).cluster
    keys = keys_of(sequence)
    done = Replay()
    for step in sequence["steps"]:
        try:
            take(cluster, step, keys)
            done.succeeded += "act" in step
        except (ProgramError, Refused):
            done.refused += 1
    return done


def keys_of(sequence: Sequence) -> list[Pubkey]:
    """The addresses that its steps name by their places."""
    return [Pubkey.from_string(key) for key in sequence["keys"]]


def take(cluster: Cluster, step: dict[str, Any], keys: list[Pubkey]) -> None:
    """Does one step. Raises the program's error, or Refused, of a transaction that fails."""
    match step:
        case {"act": calls}:
            cluster.act(*(_instruction(call, keys) for call in calls))
        case {"pass": [seconds, slots]}:
            cluster.halt(seconds, slots)
        case {"give": [key, lamports]}:
            _give(cluster, keys[key], lamports)
        case {"put": [key, lamports, data, owner]}:
            cluster.set_account(keys[key], Account(lamports, b64decode(data), keys[owner]))
        case _:
            raise ValueError(f"no step: {step}")


def _give(cluster: Cluster, key: Pubkey, lamports: int) -> None:
    """Sends lamports to an account, or makes a wallet of the least that there can be."""
    held = cluster.account(key) or Account(0, b"", Pubkey.default())
    if not held.executable:
        total = max(held.lamports + lamports, WALLET_RENT)
        cluster.set_account(key, Account(total, bytes(held.data), held.owner))


def _instruction(call: dict[str, Any], keys: list[Pubkey]) -> Instruction:
    metas = [AccountMeta(keys[key], is_signer=signs, is_writable=writes) for key, signs, writes in call["accounts"]]
    return Instruction(keys[call["program"]], b64decode(call["data"]), metas)
