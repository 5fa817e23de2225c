"""Signing in on the command line, and keys for scripts."""

from __future__ import annotations

import asyncio
import json
import stat
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from solders.keypair import Keypair
from sqlalchemy import Engine

from indexer.api.main import create_app
from indexer.settings import IndexerSettings
from tests.e2e.console import Console
from tests.indexer.databases import sqlite
from tests.indexer.service import serving
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports


@asynccontextmanager
async def served(engine: Engine, **settings: object) -> AsyncIterator[str]:
    port = free_ports()
    app = create_app(IndexerSettings(port=port, **settings), engine=engine)
    async with serving(uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))):
        yield f"http://127.0.0.1:{port}"


async def test_sign_in__and_keys__from_the_command_line(tmp_path: Path) -> None:
    console, kept = Console(tmp_path), tmp_path / "config/gpu-market/sign-in.json"

    async def run(*arguments: str, code: int = 0) -> dict[str, object]:
        ended = await asyncio.to_thread(console.run, *arguments, "--json", code=code)
        told: dict[str, object] = json.loads(ended.stdout or ended.stderr)
        return told

    with sqlite(tmp_path / "index.db") as engine:
        async with served(engine) as url, httpx.AsyncClient(base_url=url, timeout=PATIENCE) as api:
            wallet = (await run("wallet", "new"))["address"]
            await asyncio.to_thread(console.run, "config", "set", "api_url", url)
            assert "sign-in" in str(await run("api-key", "list", code=2))
            assert (await run("sign-in"))["wallet"] == wallet
            assert stat.S_IMODE(kept.stat().st_mode) == 0o600
            key = await run("api-key", "create", "billing", "--scope", "read", "--expires", "90d")
            me = await api.get("/api/auth/me", headers={"X-API-Key": str(key["secret"])})
            assert (me.json()["wallet"], me.json()["scopes"]) == (wallet, ["read"])
            tokens = json.loads(kept.read_text())
            tokens["tokens"]["expires_at"] = 0
            kept.write_text(json.dumps(tokens))
            [listed] = (await run("api-key", "list"))["keys"]  # type: ignore[misc]
            assert listed["id"] == key["id"] and "secret" not in listed  # type: ignore[has-type]
            assert json.loads(kept.read_text())["tokens"]["refresh_token"] != tokens["tokens"]["refresh_token"]
            await run("api-key", "revoke", str(key["id"]))
            me = await api.get("/api/auth/me", headers={"X-API-Key": str(key["secret"])})
            assert me.status_code == 401


async def test_sign_in__api_that_asks_for_another_domain__is_not_signed_for(tmp_path: Path) -> None:
    console = Console(tmp_path)
    with sqlite(tmp_path / "index.db") as engine:
        async with served(engine, sign_in_domain="market.example") as url:
            for arguments in (("wallet", "new"), ("config", "set", "api_url", url)):
                await asyncio.to_thread(console.run, *arguments)
            refused = await asyncio.to_thread(console.run, "sign-in", code=2)
    assert "market.example" in refused.stderr
    assert not (tmp_path / "config/gpu-market/sign-in.json").exists()


async def test_sign_in__key_on_a_hardware_wallet__is_signed_elsewhere_and_submitted(tmp_path: Path) -> None:
    console, device = Console(tmp_path), Keypair()

    async def run(*arguments: str, code: int = 0) -> Any:
        ended = await asyncio.to_thread(console.run, *arguments, "--json", code=code)
        return json.loads(ended.stdout or ended.stderr)

    with sqlite(tmp_path / "index.db") as engine:
        async with served(engine) as url:
            await asyncio.to_thread(console.run, "config", "set", "api_url", url)
            asked = await run("sign-in", "--unsigned", str(device.pubkey()))
            file, message = tmp_path / "sign-in.json", asked["sign_in"]
            off_chain = b64decode(message["off_chain_message"])
            wrong = {"lacks": None, "neither": "x", "not signed": str(device.sign_message(b"another text"))}
            for why, signature in wrong.items():
                file.write_text(json.dumps({"sign_in": message | {"signature": signature}}))
                refused = await run("submit", str(file), code=2)
                assert refused["error"] == "MissingSignature" and why in refused["message"]
            file.write_text(json.dumps({"sign_in": message | {"wallet": "nobody"}}))
            assert (await run("submit", str(file), code=2))["error"] == "BadAddress"
            file.write_text(json.dumps({"sign_in": message | {"signature": str(device.sign_message(off_chain))}}))
            assert (await run("submit", str(file)))["wallet"] == str(device.pubkey())
            assert (await run("api-key", "list"))["keys"] == []
