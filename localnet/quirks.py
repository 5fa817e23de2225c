"""Habits and faults of providers' nodes, by name: `localnet --as NAME`. They combine in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from localnet.cluster import Cluster
from localnet.records import Json
from localnet.rpc.envelope import Call
from localnet.rpc.errors import METHOD_NOT_FOUND, RpcError

Habit = Callable[[Cluster, Call], Call]

ROUNDED: Final = 18_446_744_073_709_552_000
"""2^64 - 1 as a number of JavaScript."""
LIMITED_EVERY: Final = 6
LIMITS: Final = (
    (-32429, "rate limited"),
    (-32007, "15/second request limit reached - reduce calls per second or upgrade your account"),
    (-32097, "daily request count exceeded, request rate limited"),
    (429, "Your app has exceeded its compute units per second capacity"),
)
LATE_SLOTS: Final = 1
KEPT_SLOTS: Final = 1_500
"""Twice what `gpu-market up` may take to start: an index cannot read what was gone before it began."""
MAX_BATCH: Final = 5
SMALL_BODY_BYTES: Final = 16 * 1024
READ_AT_COMMITMENT: Final = frozenset(
    {
        "getAccountInfo",
        "getBalance",
        "getBlockHeight",
        "getLatestBlockhash",
        "getMultipleAccounts",
        "getProgramAccounts",
        "getSignaturesForAddress",
        "getSlot",
        "getTransaction",
    }
)


def rounded_rent_epoch(cluster: Cluster, call: Call) -> Call:
    """Writes rentEpoch as JavaScript reads it, which no u64 holds."""

    def rounded(value: Json) -> Json:
        if isinstance(value, list):
            return [rounded(each) for each in value]
        if isinstance(value, dict):
            return {key: ROUNDED if key == "rentEpoch" else rounded(each) for key, each in value.items()}
        return value

    return lambda name, params: rounded(call(name, params))


def no_fees_method(cluster: Cluster, call: Call) -> Call:
    """Does not offer getRecentPrioritizationFees."""

    def answer(name: str, params: Json) -> Json:
        if name == "getRecentPrioritizationFees":
            raise RpcError(METHOD_NOT_FOUND, "Method not found")
        return call(name, params)

    return answer


def limits_in_200(cluster: Cluster, call: Call) -> Call:
    """Refuses each sixth call for its rate, with codes and words of several providers and HTTP status 200."""
    calls = count(1)

    def answer(name: str, params: Json) -> Json:
        number = next(calls)
        if number % LIMITED_EVERY == 0:
            raise RpcError(*LIMITS[number // LIMITED_EVERY % len(LIMITS)])
        return call(name, params)

    return answer


def empty_pages(cluster: Cluster, call: Call) -> Call:
    """Lists no signatures before another the first time, as a balancer's node does that does not know the other."""
    seen: set[str] = set()

    def answer(name: str, params: Json) -> Json:
        found = call(name, params)
        before = _config(params).get("before") if name == "getSignaturesForAddress" else None
        if isinstance(before, str) and before not in seen:
            seen.add(before)
            return []
        return found

    return answer


def late_signatures(cluster: Cluster, call: Call) -> Call:
    """Knows a transaction only once its slot has ended."""
    return _knowing(call, lambda slot: slot <= cluster.slot - LATE_SLOTS)


def pruned_history(cluster: Cluster, call: Call) -> Call:
    """Forgets what is older than KEPT_SLOTS."""
    return _knowing(call, lambda slot: slot > cluster.slot - KEPT_SLOTS)


def lagging_replicas(cluster: Cluster, call: Call) -> Call:
    """Has a second node behind its URL that answers every other call from the last finalized slot."""
    calls = count()
    behind = _knowing(call, lambda slot: slot <= cluster.finalized_slot)

    def answer(name: str, params: Json) -> Json:
        if next(calls) % 2 == 0:
            return call(name, params)
        if name in READ_AT_COMMITMENT:
            given = params if isinstance(params, list) else []
            rest = given[:-1] if given and isinstance(given[-1], dict) else given
            params = [*rest, {**_config(params), "commitment": "finalized"}]
        return behind(name, params)

    return answer


HABITS: Final[dict[str, Habit]] = {
    "rounded-rent-epoch": rounded_rent_epoch,
    "no-fees-method": no_fees_method,
    "limits-in-200": limits_in_200,
    "empty-pages": empty_pages,
    "late-signatures": late_signatures,
    "lagging-replicas": lagging_replicas,
    "pruned-history": pruned_history,
}
SMALL_REQUESTS: Final = "small-requests"
"""Takes batches of MAX_BATCH calls and bodies of SMALL_BODY_BYTES at most."""
NAMES: Final = (*HABITS, SMALL_REQUESTS)


@dataclass(frozen=True, slots=True)
class NodeKind:
    """Answers of a node, and its limits for one request."""

    call: Call
    max_body_bytes: int
    max_batch: int | None = None
    names: frozenset[str] = field(default_factory=frozenset)


def node_kind(cluster: Cluster, call: Call, max_body_bytes: int, names: Iterable[str]) -> NodeKind:
    """A node with the habits of these names. KeyError for an unknown name."""
    known = frozenset(names)
    for name in sorted(known - {SMALL_REQUESTS}):
        call = HABITS[name](cluster, call)
    if SMALL_REQUESTS in known:
        return NodeKind(call, min(SMALL_BODY_BYTES, max_body_bytes), MAX_BATCH, known)
    return NodeKind(call, max_body_bytes, names=known)


def _knowing(call: Call, is_known: Callable[[int], bool]) -> Call:
    """Answers about transactions as a node does that knows only those of some slots."""

    def answer(name: str, params: Json) -> Json:
        found = call(name, params)
        if name == "getSignatureStatuses" and isinstance(found, dict):
            value = [each if each is None or is_known(each["slot"]) else None for each in found["value"]]
            return {**found, "value": value}
        if name == "getSignaturesForAddress" and isinstance(found, list):
            return [each for each in found if is_known(each["slot"])]
        if name == "getTransaction" and isinstance(found, dict):
            return found if is_known(found["slot"]) else None
        return found

    return answer


def _config(params: Json) -> dict[str, Json]:
    last = params[-1] if isinstance(params, list) and params else None
    return last if isinstance(last, dict) else {}
