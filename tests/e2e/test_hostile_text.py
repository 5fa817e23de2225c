"""Each text of the IDL, with hostile text in it: what the commands that show it print."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

from solders.account import Account
from solders.keypair import Keypair

from anchor_client.generated.program import PROGRAM_ID
from market_cli.plain_text import printable
from tests.docs.pages import ROOT
from tests.e2e.console import Console
from tests.e2e.seeded import SeededCluster
from tests.e2e.test_governance import STAKE, key_file
from tests.markets.stake import pooled, staked

HOSTILE = "[/] [red]\\[x\x1b]0;owned\x07\u202egnp\nline\u2028[bold"
SHOWN = "[/] [red]\\[x]0;ownedgnp line [bold"
SHOWN_BY = {
    "create_proposal.title": ("governance", "show", "0"),
    "ProposalCreated.title": ("governance", "show", "0"),
}
"""Commands that show a text, by its place in the IDL."""


def texts(idl: dict[str, Any]) -> set[str]:
    """Places of text in the arguments of instructions and the fields of types."""
    arguments = {f"{each['name']}.{one['name']}": one["type"] for each in idl["instructions"] for one in each["args"]}
    for each in idl["types"]:
        shape = each["type"]
        variants = [("", shape.get("fields", ()))]
        variants += [(f".{one['name']}", one.get("fields", ())) for one in shape.get("variants", ())]
        for within, fields in variants:
            for number, one in enumerate(fields):
                name, kind = (one["name"], one["type"]) if isinstance(one, dict) and "name" in one else (number, one)
                arguments[f"{each['name']}{within}.{name}"] = kind
    return {place for place, kind in arguments.items() if '"string"' in json.dumps(kind)}


async def test_every_text_of_the_chain__hostile__is_printed_as_it_is(
    seeded_cluster: SeededCluster, tmp_path: Path
) -> None:
    assert texts(json.loads((ROOT / "idl/gpu_market.json").read_text())) == set(SHOWN_BY)
    local, staker, console, keys = seeded_cluster.local, Keypair(), Console(tmp_path), seeded_cluster.keys
    local.cluster.airdrop(staker.pubkey(), 10**10)
    for address, data in (staked(staker.pubkey(), STAKE), pooled(STAKE)):
        local.cluster.set_account(address, Account(10**9, data, PROGRAM_ID))

    async def run(*arguments: str, key: Keypair = staker) -> str:
        """Output of a command, in a thread: the cluster is served by this one."""
        everywhere = ("--rpc", local.http_url, "--keypair", key_file(tmp_path, key))
        return (await asyncio.to_thread(partial(console.run, *arguments, *everywhere))).stdout

    await run("governance", "hand-over", "--final", key=keys.authority)
    made = await run("governance", "propose", "parameter", "tip_lamports", "7", "--title", HOSTILE)
    for shown in (
        made,
        *[await run(*command) for command in sorted(set(SHOWN_BY.values()))],
        await run("governance", "list"),
    ):
        assert printable(shown) == shown
    assert f"0 {SHOWN}\n" in await run("governance", "show", "0")
    assert json.loads(await run("governance", "show", "0", "--json"))["title"] == HOSTILE
