"""Derivations of docs/scale.md: the accounts that instructions write, their cost in a block, and rates that follow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from solders.instruction import Instruction

from anchor_client.generated.accounts import Host, Listing, Rental
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.node import LAMPORTS_PER_SIGNATURE
from host_agent.agent import IDLE_LOOK_SECONDS
from host_agent.pace import DAY, DEFAULT_PACE
from tests.docs.pages import ROOT
from tests.program.harness.actors import HOST, LISTINGS
from tests.program.harness.market import seeded_world
from tests.program.harness.outcome import Outcome
from tests.program.harness.scenarios import IDL, SCENARIOS

BLOCK_UNITS: Final = 60_000_000
ACCOUNT_UNITS: Final = 12_000_000
"""Cost of a block's transactions that write one account."""
SIGNATURE_UNITS: Final = 720
WRITE_LOCK_UNITS: Final = 300
DATA_BYTES_PER_UNIT: Final = 4
PAGE_BYTES: Final = 32_768
PAGE_UNITS: Final = 8
SLOT_SECONDS: Final = (0.4, 0.3, 0.2)
WRITING: Final = (
    "open_rental",
    "match_request",
    "place_bid",
    "accept_rental",
    "start_rental",
    "heartbeat",
    "settle_rental",
    "finalize_rental",
    "stop_rental",
    "finish_rental",
    "report_offline",
    "release_holdback",
    "mark_silent",
    "update_reputation",
    "sweep_fees",
    "advance_epoch",
    "stake",
    "claim",
)
SHARED: Final = ("vault", "vault_token", "mint", "pool", "pool_token", "treasury_token", "stakers_token", "market")
"""Accounts that parties who do not know each other write."""
RATED: Final = ("open_rental", "settle_rental", "finalize_rental", "stop_rental")
MACHINES: Final = 1_000_000
OFFLINE_AFTER: Final = 1_800
AGENTS: Final = 10_000
ACCOUNTS_AT_ONCE: Final = 100
MILLION: Final = 1_000_000
LIFE: Final = ("open_rental", "accept_rental", "start_rental", "settle_rental", "finalize_rental")
ELF_BYTES: Final = (ROOT / "localnet" / "program" / "gpu_market.so").stat().st_size


@cache
def outcome(name: str) -> Outcome:
    """An instruction's outcome in a transaction of its own, by LiteSVM."""
    world, instruction = SCENARIOS[name]()
    return world.act(instruction)


def written(name: str) -> list[str]:
    """IDL names of the accounts that it locks for writing; `listings` for those behind the named ones."""
    [found] = [each for each in outcome(name).instructions if each.program_id == PROGRAM_ID]
    declared = next(each["accounts"] for each in IDL["instructions"] if each["name"] == name)
    names = [each["name"] for each in declared] + ["listings"] * (len(found.accounts) - len(declared))
    pairs = zip(names, found.accounts, strict=True)
    return list(dict.fromkeys(each for each, meta in pairs if meta.is_writable and meta.pubkey != PROGRAM_ID))


def block_cost(name: str) -> int:
    """Cost in a block for a wallet that signs and pays alone: units, signatures, locks, data and loaded pages."""
    done = outcome(name)
    [instruction] = [each for each in done.instructions if each.program_id == PROGRAM_ID]
    signers = {meta.pubkey for meta in instruction.accounts if meta.is_signer}
    locks = {meta.pubkey for meta in instruction.accounts if meta.is_writable and meta.pubkey != PROGRAM_ID}
    return (
        done.compute_units
        + SIGNATURE_UNITS * max(len(signers), 1)
        + WRITE_LOCK_UNITS * (len(locks) + (not signers))
        + len(instruction.data) // DATA_BYTES_PER_UNIT
        + PAGE_UNITS * -(-_loaded(instruction, done) // PAGE_BYTES)
    )


def _loaded(instruction: Instruction, done: Outcome) -> int:
    data = sum(len(account.data) for account in done.before.values() if account is not None)
    return ELF_BYTES + data + 64 * len({meta.pubkey for meta in instruction.accounts})


def account_rows() -> Iterator[str]:
    """The table of what each instruction writes."""
    for name in WRITING:
        found = written(name)
        shared = ", ".join(f"`{each}`" for each in found if each in SHARED) or "none"
        own = ", ".join(f"`{each}`" for each in found if each not in SHARED)
        yield f"| `{name}` | {shared} | {own} | {outcome(name).compute_units:,} | {block_cost(name):,} |"


def a_second(limit: int, cost: int, slot_seconds: float) -> int:
    """Transactions of a cost that fit a limit of each block, a second, rounded down."""
    return int(limit // cost / slot_seconds)


def rate_rows() -> Iterator[str]:
    """The table of the rates that fit."""
    for name in RATED:
        account, block = (
            [f"{a_second(limit, block_cost(name), slot):,}" for slot in SLOT_SECONDS]
            for limit in (ACCOUNT_UNITS, BLOCK_UNITS)
        )
        yield f"| `{name}` | {' | '.join((*account, *block))} |"


def whole_rental_cost() -> int:
    """Cost of the transactions of one rental that write its vault: opened, settled once, ended."""
    return sum(block_cost(name) for name in ("open_rental", "settle_rental", "finalize_rental"))


def life_cost() -> int:
    """Cost of all transactions of one rental."""
    return sum(block_cost(name) for name in LIFE)


def vaults_that_fill_a_block() -> int:
    """Vaults of equal load from which the block is the limit."""
    return -(-BLOCK_UNITS // ACCOUNT_UNITS)


def heartbeat_rows() -> Iterator[str]:
    """The table of heartbeats of a million machines, by machines of a host."""
    interval = DEFAULT_PACE.interval(OFFLINE_AFTER)
    # The scenario's heartbeat is of eight machines.
    each = (block_cost("heartbeat") - _alone()) // 7
    for machines in (1, 8, 100):
        hosts = MACHINES // machines
        messages = DEFAULT_PACE.heartbeats_a_day(machines, OFFLINE_AFTER) * hosts / DAY
        cost = _alone() + each * (machines - 1)
        share = cost * hosts / interval / (BLOCK_UNITS / SLOT_SECONDS[0])
        lamports = round(messages * DAY * LAMPORTS_PER_SIGNATURE / MACHINES)
        yield f"| {machines} | {hosts:,} | {messages:,.0f} | {cost:,} | {share:.1%} | {lamports:,} |"


@cache
def _alone() -> int:
    """Cost of a heartbeat of one machine."""
    world = seeded_world()
    world.wait(60)
    saved = world.act(world.heartbeat(HOST, *LISTINGS[:1])).compute_units
    other = 7 * WRITE_LOCK_UNITS
    return block_cost("heartbeat") - outcome("heartbeat").compute_units + saved - other


def call_rows() -> Iterator[str]:
    """The table of calls and bytes a second that idle agents and a keeper take."""
    calls = AGENTS / IDLE_LOOK_SECONDS
    yield f"| {AGENTS:,} idle agents | {calls:,.0f} `getProgramAccounts` | {calls * Listing.SIZE / 1_000:,.0f} kB |"
    reads = -(-MACHINES // ACCOUNTS_AT_ONCE)
    whole = MILLION * (Rental.SIZE + Listing.SIZE) / 1e6
    called = f"2 `getProgramAccounts`, {reads:,} of 100 listings"
    yield f"| a keeper's check of {MILLION:,} open rentals | {called} | {whole:,.0f} MB |"
    hosts = MACHINES * (Host.SIZE + Listing.SIZE) / 1e6
    yield f"| the host crank's check of {MACHINES:,} hosts of one machine | 2 `getProgramAccounts` | {hosts:,.0f} MB |"


def rental_rows() -> Iterator[str]:
    """The table of what a million rentals leave on the ledger, and cost."""
    size = sum(outcome(name).size for name in LIFE)
    fees = len(LIFE) * LAMPORTS_PER_SIGNATURE
    rent = outcome("open_rental")
    created = [key for key, state in rent.after.items() if state is not None and rent.before[key] is None]
    locked = sum(state.lamports for key in created if (state := rent.after[key]) is not None)
    yield f"| transactions | {len(LIFE)} each | {size * MILLION / 1e9:.2f} GB of ledger |"
    yield f"| fees | {fees:,} lamports each | {fees * MILLION / 1e9:,.0f} SOL |"
    whole = f"{locked * MILLION / 1e9:,.0f} SOL if all are open"
    yield f"| locked while open, returned at the end | {locked:,} lamports each | {whole} |"


def rows() -> list[str]:
    """All rows of the page that follow from measurements."""
    return [*account_rows(), *rate_rows(), *heartbeat_rows(), *call_rows(), *rental_rows()]


if __name__ == "__main__":
    print(*rows(), sep="\n")
