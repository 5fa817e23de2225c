"""Anchor's published TypeScript clients and codama take the IDL as it is published."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import ACCOUNTS
from anchor_client.generated.errors import ERRORS, ProgramError
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl.codegen.legacy import camel
from anchor_idl.runtime.structs import Event
from local_market.program import PROGRAM_PATH
from localnet.events import Observer
from localnet.server import LocalCluster
from localnet.timeline import Timeline
from tests.clients.official_client import BY_NAME, CLIENTS, IDL, OfficialClients, request_of, shown, told
from tests.program.harness.actors import AUTHORITY
from tests.program.harness.scenarios import SCENARIOS
from tests.program.harness.world import World

pytestmark = pytest.mark.xdist_group("typescript")


class Stage(Observer):
    """A cluster that becomes that of one scenario after another; its clock stands still in each."""

    def __init__(self, local: LocalCluster) -> None:
        self.cluster = local.cluster
        self.cluster.add_program(PROGRAM_ID, PROGRAM_PATH, upgrade_authority=AUTHORITY)
        self._present: set[Pubkey] = set()
        self.cluster.observe(self)

    def accounts_written(self, slot: int, addresses: list[Pubkey]) -> None:
        """Remembers what the next scenario must not find."""
        self._present.update(addresses)

    def show(self, world: World) -> None:
        """Makes the cluster the scenario's."""
        now = world.now
        self.cluster.timeline = Timeline(first_slot=max(world.cluster.slot, self.cluster.slot), wall=lambda: float(now))
        self.cluster.timeline.pause()
        accounts = world.cluster.accounts()
        for key in self._present - set(accounts):
            self.cluster.set_account(key, None)
        self._present.clear()
        for key, account in accounts.items():
            self.cluster.set_account(key, account)


@pytest.fixture
async def local() -> AsyncIterator[LocalCluster]:
    """A cluster whose clock stands still."""
    cluster = LocalCluster()
    cluster.cluster.pause()
    async with cluster:
        yield cluster


@pytest.fixture
async def clients(local: LocalCluster, tmp_path: Path) -> AsyncIterator[OfficialClients]:
    """Both clients."""
    started = await OfficialClients.start(tmp_path, local.http_url)
    yield started
    await started.stop()


def scenes() -> list[tuple[str, World, Instruction]]:
    """A scenario of each instruction, in the order of their time."""
    played = [(name, *scenario()) for name, scenario in SCENARIOS.items()]
    return sorted(played, key=lambda scene: scene[1].now)


async def test_clients__each_instruction__is_built_sent_and_its_events_decoded(
    local: LocalCluster, clients: OfficialClients
) -> None:
    stage = Stage(local)
    assert {name for name, *_ in scenes()} == set(BY_NAME)
    for name, world, instruction in scenes():
        request = request_of(instruction)
        events = [event_told(event) for event in world.cluster.rehearse(instruction).events]
        for client in CLIENTS:
            stage.show(world)
            assert await clients.call("build", client, request) == shown(instruction), (client, name)
            assert await clients.call("send", client, request) == events, (client, name)


async def test_clients__transaction_that_fails__tell_the_program_s_error(
    local: LocalCluster, clients: OfficialClients
) -> None:
    world, instruction = SCENARIOS["start_rental"]()
    Stage(local).show(world)
    await clients.call("send", CLIENTS[0], request_of(instruction))
    local.cluster.warp(0)
    world.act(instruction)
    with pytest.raises(ProgramError) as refused:
        world.act(instruction)
    error = [refused.value.code, refused.value.message]
    for client in CLIENTS:
        assert await clients.call("refusal", client, request_of(instruction)) == error
        found = await clients.call("errors", client, list(ERRORS))
        assert found == [[code, kind.message] for code, kind in ERRORS.items()]


async def test_clients__account_of_each_kind__is_decoded(local: LocalCluster, clients: OfficialClients) -> None:
    stage, seen = Stage(local), set()
    for _, world, _ in scenes():
        kinds = {bytes(account.data[:8]): key for key, account in world.cluster.accounts().items()}
        fresh = {tag: key for tag, key in kinds.items() if tag in ACCOUNTS.places and tag not in seen}
        if not fresh:
            continue
        seen |= set(fresh)
        stage.show(world)
        for tag, key in fresh.items():
            state = world.cluster.account(key)
            assert state is not None
            kind = ACCOUNTS[tag]
            expected = told({"defined": {"name": kind.__name__}}, kind.decode(bytes(state.data)))
            for client in CLIENTS:
                assert await clients.call("account", client, {"kind": kind.__name__, "address": str(key)}) == expected
    assert len(seen) == len(IDL["accounts"])


async def test_codama__account_of_each_instruction__is_filled_in_from_what_the_idl_has(
    clients: OfficialClients,
) -> None:
    tree = await clients.call("codama")
    assert len(tree) == len(BY_NAME)
    for name, instruction in BY_NAME.items():
        items = {camel(item["name"]): item for item in instruction["accounts"]}
        assert [role for role, *_ in tree[camel(name)]] == list(items)
        for role, kind, address in tree[camel(name)]:
            assert (kind, address) == filled_in(items[role]), (name, role)


def filled_in(item: dict[str, Any]) -> tuple[str | None, str | None]:
    """Accounts that codama should find: it reads no account's data."""
    if "address" in item:
        return "publicKeyValueNode", str(Pubkey.from_string(item["address"]))
    seeds = item.get("pda", {}).get("seeds", ())
    if seeds and all("." not in seed.get("path", "") for seed in seeds):
        return "pdaValueNode", None
    return (
        ("identityValueNode", None) if item.get("signer") and item["name"] in ("payer", "authority") else (None, None)
    )


def event_told(event: Event) -> dict[str, Any]:
    """An event as client.mjs prints it."""
    name = type(event).__name__
    return {"name": name[0].lower() + name[1:], "data": told({"defined": {"name": name}}, event)}
