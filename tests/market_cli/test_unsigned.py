"""`rent --unsigned`: the order's message and the transaction in one file, signed elsewhere and handed over."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any, Protocol

import pytest
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from anchor_client.orders import SealedOrder
from anchor_client.orders.api import SealedOrderApi
from anchor_idl import base58
from market_cli.main import main
from tests.market_cli.surroundings import without_an_api
from tests.markets.marketplace import H100, Marketplace


class Run(Protocol):
    """Runs a command against the market; its JSON."""

    async def __call__(self, *words: str, code: int = 0) -> Any: ...


@pytest.fixture
def run(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Run:
    without_an_api(marketplace, tmp_path, monkeypatch)

    async def ran(*words: str, code: int = 0) -> Any:
        assert await asyncio.to_thread(main, [*words, "--json", "--rpc", marketplace.cluster.rpc_url]) == code
        return json.loads(capfd.readouterr().out)

    return ran


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[SealedOrder]:
    """Orders that commands have handed over."""
    found: list[SealedOrder] = []

    async def deliver(self: SealedOrderApi, order: SealedOrder) -> None:
        found.append(order)

    monkeypatch.setattr(SealedOrderApi, "deliver", deliver)
    return found


async def test_rent__unsigned__is_signed_elsewhere_and_submitted_order_first(
    marketplace: Marketplace,
    tmp_path: Path,
    run: Run,
    handed_over: list[SealedOrder],
    capfd: pytest.CaptureFixture[str],
) -> None:
    wallet = await marketplace.renter()
    order = ("rent", "--gpu", H100, "--duration", "1h", "--unsigned", str(wallet.pubkey()))
    made = await run(*order)
    [handed] = made["orders"]
    file = tmp_path / "order.json"

    file.write_text(json.dumps(made))
    assert (await run("submit", str(file), code=2))["error"] == "MissingSignature"
    unsigned = VersionedTransaction.from_bytes(base64.b64decode(made["transaction"]))
    signed = VersionedTransaction(unsigned.message, [wallet])
    made["transaction"] = base64.b64encode(bytes(signed)).decode()
    file.write_text(json.dumps(made))
    assert (await run("submit", str(file), code=2))["error"] == "OrderNotSigned"
    handed["signature"] = str(wallet.sign_message(b"something else"))
    file.write_text(json.dumps(made))
    assert (await run("submit", str(file), code=2))["error"] == "OrderNotSigned"
    assert handed_over == []
    on_device = base64.b64decode(handed["off_chain_message"])
    assert on_device.endswith(handed["message"].encode())
    handed["signature"] = base58.encode(b"\1" + bytes(wallet.sign_message(on_device)) + on_device)
    file.write_text(json.dumps(made))
    sent = await run("submit", str(file))
    assert sent["tx"] == str(signed.signatures[0])
    before, after = handed_over
    assert (before.renter, before.order_hash.hex(), before.rental) == (wallet.pubkey(), handed["order_hash"], None)
    async with marketplace.market(wallet) as market:
        [job] = await market.jobs.list(wallet.pubkey())
        assert job.order_hash.hex() == handed["order_hash"]
        assert after == before.of_rental(job.id)
        await market.rental.stop(job.id)
    assert await asyncio.to_thread(main, [*order, "--rpc", marketplace.cluster.rpc_url]) == 0
    assert "gpu-market submit FILE" in capfd.readouterr().out


async def test_request__unsigned__its_order_is_signed_once_it_is_matched(
    marketplace: Marketplace, tmp_path: Path, run: Run, handed_over: list[SealedOrder]
) -> None:
    wallet = await marketplace.renter()
    file, elsewhere = tmp_path / "signed.json", ("--unsigned", str(wallet.pubkey()))
    made = await run("request", "open", "--gpu", H100, "--duration", "1h", "--max-price", "3", *elsewhere)
    unsigned = VersionedTransaction.from_bytes(base64.b64decode(made["transaction"]))
    made["transaction"] = base64.b64encode(bytes(VersionedTransaction(unsigned.message, [wallet]))).decode()
    file.write_text(json.dumps(made))
    request = (await run("submit", str(file)))["request"]
    [free] = await marketplace.add_machines(1)
    async with marketplace.market(marketplace.authority) as market:
        job = await market.request.match(Pubkey.from_string(request), free)
    for _ in range(2):
        made = await run("request", "show", request, "--watch", *elsewhere)
        assert set(made) == {"orders"} and handed_over == []
    [handed] = made["orders"]
    handed["signature"] = str(wallet.sign_message(handed["message"].encode()))
    file.write_text(json.dumps(made))
    assert await run("submit", str(file)) == {"orders": [handed["order_hash"]]}
    [delivered] = handed_over
    assert (delivered.order_hash, delivered.renter, delivered.rental) == (job.order_hash, wallet.pubkey(), job.id)
    async with marketplace.market(wallet) as market:
        await market.rental.stop(job.id)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"orders": []}', "\ufeff{", '{"transaction": "x y", "last_valid_block_height": 1}']
)
def test_submit__file_of_another_kind__is_refused(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "file").write_text(text)
    assert main(["submit", str(tmp_path / "file")]) == 2
    assert "is not the output of --unsigned" in capsys.readouterr().err
