"""Webhooks from the command line, taken by the receiver of docs/webhooks.md."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.console import Console
from tests.e2e.test_sign_in import served
from tests.indexer.databases import sqlite
from tests.indexer.webhooks.receiver import documented_receiver
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports


@pytest.mark.exhaustive
async def test_webhook__from_the_command_line__is_taken_by_the_documented_receiver(tmp_path: Path) -> None:
    console, port = Console(tmp_path), free_ports()

    async def run(*arguments: str) -> Any:
        return json.loads((await asyncio.to_thread(console.run, *arguments, "--json")).stdout)

    with sqlite(tmp_path / "index.db") as engine:
        async with served(engine, webhook_private=True) as url:
            await run("wallet", "new")
            await asyncio.to_thread(console.run, "config", "set", "api_url", url)
            await run("sign-in")
            made = await run("webhook", "add", f"http://127.0.0.1:{port}/", "--type", "job.ended", "--low-funds", "5m")
            assert made["low_funds"] == ["300s"] and made["types"] == ["job.ended"]
            assert [each["id"] for each in (await run("webhook", "list"))["webhooks"]] == [made["id"]]
            process = await documented_receiver((await run("webhook", "rotate", made["id"]))["secret"], port)
            try:
                assert process.stdout is not None
                async with asyncio.timeout(PATIENCE):
                    sent = await run("webhook", "test", made["id"])
                    while (said := await process.stdout.readline()).split()[0].decode() != sent["id"]:
                        pass
                    assert b"webhook.test" in said
                    while (await run("webhook", "deliveries", made["id"]))["deliveries"][0]["status"] != "delivered":
                        pass
                    assert await run("webhook", "replay", made["id"], sent["id"]) == {"replayed": 1}
                    assert (await process.stdout.readline()).split()[0].decode() == sent["id"]
            finally:
                process.kill()
                await process.wait()
            assert not (await run("webhook", "change", made["id"], "--disable"))["enabled"]
            assert "secret" not in await run("webhook", "show", made["id"])
            assert await run("webhook", "remove", made["id"]) == {"removed": made["id"]}
