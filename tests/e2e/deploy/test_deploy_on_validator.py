"""The same deployment, upgrade and closing on Agave's own validator, whose loader decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from xprocess import XProcess

from local_market.program import PROGRAM_PATH
from tests.e2e.console import Console
from tests.processes.validator import running

pytestmark = [pytest.mark.validator, pytest.mark.xdist_group("validator")]


def test_deploy__on_an_empty_validator__opens_upgrades_and_closes(xprocess: XProcess, tmp_path: Path) -> None:
    console, file, keypair = Console(tmp_path / "home"), tmp_path / "market.toml", tmp_path / "keys/authority.json"
    with running(xprocess, tmp_path / "ledger") as validator:
        rpc = ("--rpc", validator.http_url)
        console.run("deploy", "init", str(file), "--cluster", "localnet")
        planned = console.json("deploy", str(file), "--dry-run", *rpc)
        console.run("wallet", "airdrop", "100", "--to", planned["authority"], *rpc)
        assert console.json("deploy", str(file), "--dry-run", *rpc)["balance_lamports"] == str(100 * 10**9)
        done = console.json("deploy", str(file), "--yes", *rpc)
        assert console.json("deploy", str(file), *rpc)["works"] == []
        assert console.json("deploy", "verify", done["program_id"], *rpc)["matches"]
        console.run("config", "set", "program_id", done["program_id"])
        longer = tmp_path / "longer.so"
        longer.write_bytes(PROGRAM_PATH.read_bytes() + bytes(20_000))
        own = ("--keypair", str(keypair), *rpc)
        assert console.json("upgrade", str(longer), "--yes", *own)["changed"]
        examined = console.json("doctor", *rpc)
        assert examined["status"] == "warning"
        [finality] = [one["message"] for one in examined["findings"] if one["check"] == "finality"]
        assert "does not run Alpenglow" in finality
        assert console.json("deploy", "close", done["program_id"], "--yes", *own)["kind"] == "program"
