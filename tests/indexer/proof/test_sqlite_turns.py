"""A writer of SQLite that does not get the turn in time gives up, says so, and writes once the turn is free."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from solders.keypair import Keypair

from indexer.store import database
from localnet.server import LocalCluster
from tests.indexer.accounts.wallets import message_of, output
from tests.indexer.proof.test_fault_machine import begun, locked
from tests.indexer.proof.test_fault_times import error_of
from tests.indexer.service import indexed, until, until_status
from tests.markets.recorded import Market

DOCUMENTED = "busy_timeout=30000"


async def signing_in(api: httpx.AsyncClient) -> httpx.Response:
    """The answer to a sign-in, which writes."""
    wallet = Keypair()
    address = str(wallet.pubkey())
    challenge = await api.post("/api/auth/challenge", json={"address": address})
    return await api.post("/api/auth/sign-in", json=output(wallet, message_of(challenge.json(), address)))


async def until_signed_in(api: httpx.AsyncClient) -> None:
    """Waits until somebody can sign in."""

    async def has_signed_in() -> bool:
        return (await signing_in(api)).is_success

    await until(has_signed_in)


async def test_sqlite__turn_is_not_free_in_time__writers_give_up_and_try_again(
    local: LocalCluster, live: Market, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert DOCUMENTED in database.SQLITE_PRAGMAS
    sooner = tuple(each.replace(DOCUMENTED, "busy_timeout=500") for each in database.SQLITE_PRAGMAS)
    monkeypatch.setattr(database, "SQLITE_PRAGMAS", sooner)
    file = tmp_path / "index.db"
    async with indexed(local, f"sqlite:///{file}") as api:
        rental = begun(live)
        await until_status(api, str(rental), "running")
        await until_signed_in(api)
        with locked(file):
            live.act(live.stop_rental(rental))

            async def is_told() -> bool:
                return "locked" in str(await error_of(api))

            await until(is_told)
            refused = await signing_in(api)
            assert (refused.status_code, refused.json()["error"]) == (503, "database_unavailable")
            assert int(refused.headers["retry-after"]) > 0
            assert (await api.get(f"/api/jobs/{rental}")).json()["status"] == "running", "readers wait for nobody"
        await until_status(api, str(rental), "completed")
        await until_signed_in(api)
