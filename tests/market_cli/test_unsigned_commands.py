"""`--unsigned WALLET` with every command on a computer without a key: a transaction for the wallet, the command's own
output, or the market's refusal. Only commands that are in the list ask for a key."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from anchor_client.generated.types import MarketParameter
from anchor_client.market import RentalWanted
from market_cli.main import command, main
from tests.market_cli.surroundings import without_an_api
from tests.markets.marketplace import H100, TERMS, TOKEN, Marketplace

RATED_AFTER = TERMS.parameters[MarketParameter.MIN_RATED_SECONDS]
TRANSACTION, OUTPUT = "transaction", "output"
OTHERWISE = {
    *("up", "demo", "indexer", "api", "keeper", "config", "template", "host run", "host detect", "host measure"),
    *(
        "host test",
        "host machines",
        "host handover",
        "host maintenance",
        "host seal-key",
        "host rotate",
        "wallet new",
        "wallet show",
        "doctor",
    ),
    *("deploy", "upgrade", "migrate", "submit", "job import-key", "job verify", "api-key", "webhook", "search"),
}
"""Commands and groups that act on files, machines and servers. `sign-in` comes before those of an account, `submit`
after what was signed; `deploy market` and `upgrade` have tests of their own."""
COMMANDS: dict[str, tuple[str, str]] = {
    "gpus": ("", OUTPUT),
    "tokens": ("", OUTPUT),
    "listings": ("", OUTPUT),
    "listing": ("LISTING", OUTPUT),
    "spot": ("LISTING", OUTPUT),
    "rent": (f"--gpu {H100} --duration 1h", TRANSACTION),
    "run": ("JOB_FILE", TRANSACTION),
    "bid": ("LISTING --duration 1h", "SpotNotOffered"),
    "jobs": ("", OUTPUT),
    "job show": ("JOB", OUTPUT),
    "ssh": ("JOB", "OrderNotSealed"),
    "exec": ("JOB true", "OrderNotSealed"),
    "cp": ("JOB:/x FOLDER", "OrderNotSealed"),
    "logs": ("JOB", "OrderNotSealed"),
    "forward": ("JOB 80", "OrderNotSealed"),
    "notebook": ("JOB", "OrderNotSealed"),
    "serve": (f"org/model --gpu {H100} --duration 1h", TRANSACTION),
    "endpoint": ("JOB", "OrderNotSealed"),
    "ssh-config": ("", OUTPUT),
    "extend": ("JOB 1h", TRANSACTION),
    "keep-alive": ("JOB --max-extensions 1 --max-total 100 --once", OUTPUT),
    "stop": ("JOB", TRANSACTION),
    "rate": ("JOB 5", TRANSACTION),
    "claim": ("JOB", "UnknownJob"),
    "contest": ("JOB", "UnknownJob"),
    "charges show": ("JOB", "UnknownMeter"),
    "charges open": ("JOB 1", "NoCharges"),
    "charges dispute": ("JOB", "UnknownMeter"),
    "charges accept": ("JOB", "UnknownMeter"),
    "charges settle": ("JOB", "UnknownMeter"),
    "charges close": ("JOB", "UnknownMeter"),
    "charges set": ("LISTING --bandwidth 0.01 --as-host", TRANSACTION),
    "charges report": ("JOB 1 --as-host", "UnknownMeter"),
    "request open": (f"--gpu {H100} --duration 1h --max-price 3", TRANSACTION),
    "request list": ("", OUTPUT),
    "request show": ("WALLET", "UnknownRequest"),
    "request cancel": ("WALLET", "UnknownRequest"),
    "staking show": ("", OUTPUT),
    "staking stake": ("1", TRANSACTION),
    "staking unstake": ("1", TRANSACTION),
    "staking withdraw": ("", "NothingToWithdraw"),
    "staking close": ("", "StakeNotEmpty"),
    "staking claim": ("", "NothingToClaim"),
    "staking compound": ("", "NothingToClaim"),
    "staking fund": ("1", TRANSACTION),
    "mfp show": ("--as-host", OUTPUT),
    "mfp lock": ("1 --as-host", TRANSACTION),
    "mfp unlock": ("1", "UnknownHost"),
    "mfp withdraw": ("", "UnknownHost"),
    "governance propose parameter": ("tip_lamports 7", "StakeTooSmall"),
    "governance propose key": ("treasury WALLET", "StakeTooSmall"),
    "governance propose pause": ("orders", "StakeTooSmall"),
    "governance propose resume": ("orders", "StakeTooSmall"),
    "governance propose host": ("HOST", "StakeTooSmall"),
    "governance propose mint": ("GPUM --terms JOB_FILE", "BadOption"),
    "governance propose rewards": ("WALLET", "StakeTooSmall"),
    "governance propose gpu": (f"{H100} 5 2.76", "StakeTooSmall"),
    "governance propose transfer": ("1 GPUM WALLET", "StakeTooSmall"),
    "governance propose withdraw": ("1 GPUM", "StakeTooSmall"),
    "governance propose upgrade": ("WALLET", "BadOption"),
    "governance vote": ("4000000 for", "UnknownProposal"),
    "governance list": ("", OUTPUT),
    "governance show": ("4000000", "UnknownProposal"),
    "governance parameters": ("", OUTPUT),
    "governance cancel": ("4000000", "UnknownProposal"),
    "governance queue": ("4000000", "UnknownProposal"),
    "governance execute": ("4000000", "UnknownProposal"),
    "governance veto": ("4000000", "UnknownProposal"),
    "governance close": ("4000000", "UnknownProposal"),
    "governance close-vote": ("4000000", "UnknownVote"),
    "governance hand-over": ("", OUTPUT),
    "post-price": ("GPUM 0.05 --as-oracle", TRANSACTION),
    "pause": ("orders --as-authority", TRANSACTION),
    "host register": ("", TRANSACTION),
    "host approve": ("HOST --as-authority", TRANSACTION),
    "host list": (f"--gpu {H100} --region eu-west --price 3 --as-host", TRANSACTION),
    "host change": ("LISTING --price 3 --as-host", TRANSACTION),
    "host close": ("LISTING --as-host", TRANSACTION),
    "host price": ("LISTING 3 --as-host", TRANSACTION),
    "host operator": ("WALLET --as-host", TRANSACTION),
    "host heartbeat": ("--as-host", TRANSACTION),
    "host claim": ("LISTING --as-host", "NothingToClaim"),
    "host release": ("JOB --as-host", "UnknownJob"),
    "host mark": ("LISTING", "HostOnline"),
    "host earnings": ("--as-host", "UnreachableApi"),
    "host show": ("--as-host", OUTPUT),
    "host score": ("--as-host", TRANSACTION),
    "wallet airdrop": ("1", OUTPUT),
    "wallet quota": ("", OUTPUT),
    "wallet close-profile": ("", "RentalsOpen"),
    "wallet sweep-rent": ("", OUTPUT),
    "sign-in": ("", "UnreachableApi"),
}
"""Arguments of each other command, and what comes of it. `--as-host` and the like name whose wallet it is."""


def names(group: Any = None, before: tuple[str, ...] = ()) -> Iterator[str]:
    """Every command, as it is called; of a group that acts otherwise, the group."""
    for name, found in (command() if group is None else group).commands.items():
        path = (*before, name)
        if " ".join(path) not in OTHERWISE and hasattr(found, "commands"):
            yield from names(found, path)
        else:
            yield " ".join(path)


def test_table__of_all_commands__has_each() -> None:
    assert set(names()) == COMMANDS.keys() | OTHERWISE


async def test_commands__unsigned__need_no_key(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    without_an_api(marketplace, tmp_path, monkeypatch)
    await marketplace.freshen()
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        wanted = RentalWanted(gpu=H100, duration=3_600, pay="GPUM", order_hash=bytes(32))
        job = (await market.rental.open(wanted)).id
        await market.staking.stake(10**6)
    await marketplace.run(job)
    [free] = await marketplace.add_machines(1)
    async with marketplace.market(marketplace.authority) as market:
        await marketplace.mint(market, marketplace.gpum.pubkey(), marketplace.host.pubkey(), TOKEN)
    await marketplace.warp(2 * RATED_AFTER)
    (tmp_path / "job.yaml").write_text(f"gpu: {H100}\nduration: 1h\n")
    wallets = {
        "host": marketplace.host.pubkey(),
        "oracle": marketplace.oracle.pubkey(),
        "authority": marketplace.authority.pubkey(),
    }
    words = {
        "LISTING": str(free),
        "JOB": str(job),
        "JOB:/x": f"{job}:/x",
        "JOB_FILE": str(tmp_path / "job.yaml"),
        "FOLDER": str(tmp_path),
        "WALLET": str(renter.pubkey()),
        "HOST": str(wallets["host"]),
    }
    came = {}
    for name, (text, _) in COMMANDS.items():
        given, wallet = [], renter.pubkey()
        for word in text.split():
            if word.startswith("--as-"):
                wallet = wallets[word.removeprefix("--as-")]
            else:
                given.append(words.get(word, word))
        everywhere = ("--json", "--rpc", marketplace.cluster.rpc_url, "--unsigned", str(wallet))
        code = await asyncio.to_thread(main, [*name.split(), *given, *everywhere])
        came[name] = outcome(code, capfd.readouterr().out, wallet)
    assert {name: found for name, found in came.items() if found != COMMANDS[name][1]} == {}
    async with marketplace.market(renter) as market:
        await market.rental.stop(job)


def outcome(code: int, printed: str, wallet: Pubkey) -> str:
    """Outcome of a command; a transaction must be for its wallet alone."""
    found = json.loads(printed)
    if code:
        return str(found["error"])
    if not isinstance(found, dict) or "transaction" not in found:
        return OUTPUT
    message = VersionedTransaction.from_bytes(b64decode(found["transaction"])).message
    assert found["signers"] == [str(wallet)] == [str(message.account_keys[0])]
    assert message.header.num_required_signatures == 1
    return TRANSACTION
