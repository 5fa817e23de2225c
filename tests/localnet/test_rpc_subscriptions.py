"""PubSub through solana-py, on the embedded cluster and on a validator."""

import asyncio
import json
from typing import Any

import pytest
import websockets
from solana.rpc.commitment import Confirmed, Finalized
from solana.rpc.websocket_api import SolanaWsClient
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.rpc.config import RpcTransactionLogsFilterMentions
from solders.rpc.responses import (
    AccountNotification,
    LogsNotification,
    ProgramNotification,
    RootNotification,
    SignatureNotification,
    SlotNotification,
)
from solders.token import ID as TOKEN_PROGRAM

from tests.localnet.endpoint import Endpoint
from tests.localnet.wallet import SENT, SOL, UNCHECKED, Wallet

PATIENCE = 120


async def receive(subscriber: SolanaWsClient) -> Any:
    """The next notification."""
    async with asyncio.timeout(PATIENCE):
        return await subscriber.recv()


@pytest.mark.parametrize("commitment", [Confirmed, Finalized])
async def test_signature_subscribe__before_sending__tells_success_once(
    subscriber: SolanaWsClient, wallet: Wallet, commitment: Any
) -> None:
    transaction = await wallet.v0(wallet.pay(Keypair().pubkey(), SOL))
    await subscriber.signature_subscribe(signature=transaction.signatures[0], commitment=commitment)
    await wallet.client.send_transaction(transaction, SENT)
    notification = await receive(subscriber)
    assert isinstance(notification, SignatureNotification)
    assert notification.result.value.err is None


async def test_signature_subscribe__after_a_failure__tells_the_error_at_once(
    endpoint: Endpoint, wallet: Wallet
) -> None:
    transaction = await wallet.v0(wallet.pay(Keypair().pubkey(), 11 * SOL))
    signature = await wallet.send(transaction, UNCHECKED)
    async with websockets.connect(endpoint.ws) as socket:
        params = [str(signature), {"commitment": "confirmed"}]
        await socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "signatureSubscribe", "params": params}))
        subscription = json.loads(await socket.recv())["result"]
        async with asyncio.timeout(PATIENCE):
            notification = json.loads(await socket.recv())
    assert notification["params"]["subscription"] == subscription
    assert notification["params"]["result"]["value"] == {"err": {"InstructionError": [0, {"Custom": 1}]}}


async def test_account_subscribe__transfer__tells_the_new_balance(subscriber: SolanaWsClient, wallet: Wallet) -> None:
    to = Keypair().pubkey()
    await subscriber.account_subscribe(pubkey=to, commitment=Confirmed, encoding="base64")
    await wallet.send(await wallet.v0(wallet.pay(to, SOL)))
    notification = await receive(subscriber)
    assert isinstance(notification, AccountNotification)
    assert notification.result.value.lamports == SOL


async def test_account_subscribe__unsubscribed__tells_no_more(subscriber: SolanaWsClient, wallet: Wallet) -> None:
    to, other = Keypair().pubkey(), Keypair().pubkey()
    first = await subscriber.account_subscribe(pubkey=to, commitment=Confirmed)
    await subscriber.account_subscribe(pubkey=other, commitment=Confirmed)
    await subscriber.unsubscribe(first)
    await wallet.send(await wallet.v0(wallet.pay(to, SOL)))
    await wallet.send(await wallet.v0(wallet.pay(other, 2 * SOL)))
    assert (await receive(subscriber)).result.value.lamports == 2 * SOL


async def test_program_subscribe__filters__tells_matching_accounts_alone(
    subscriber: SolanaWsClient, wallet: Wallet
) -> None:
    await subscriber.program_subscribe(program_id=TOKEN_PROGRAM, commitment=Confirmed, encoding="base64", filters=[165])
    _, account = await wallet.create_token(7)
    notification = await receive(subscriber)
    assert isinstance(notification, ProgramNotification)
    assert notification.result.value.pubkey == account


async def test_logs_subscribe__mention__tells_logs_of_failures_too(subscriber: SolanaWsClient, wallet: Wallet) -> None:
    await subscriber.logs_subscribe(filter_=RpcTransactionLogsFilterMentions(wallet.address), commitment=Confirmed)
    signature = await wallet.send(await wallet.v0(wallet.pay(Keypair().pubkey(), 11 * SOL)), UNCHECKED)
    notification = await receive(subscriber)
    assert isinstance(notification, LogsNotification)
    assert notification.result.value.signature == signature
    assert notification.result.value.logs[-1].endswith("failed: custom program error: 0x1")


async def test_slot_and_root_subscribe__time_passing__tell_rising_numbers(subscriber: SolanaWsClient) -> None:
    await subscriber.slot_subscribe()
    await subscriber.root_subscribe()
    slots: list[int] = []
    roots: list[int] = []
    while len(slots) < 3 or len(roots) < 2:
        notification = await receive(subscriber)
        if isinstance(notification, SlotNotification):
            slots.append(notification.result.slot)
            assert notification.result.root <= notification.result.parent < notification.result.slot
        if isinstance(notification, RootNotification):
            roots.append(notification.result)
    assert slots == sorted(set(slots))
    assert roots == sorted(roots)


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("signatureSubscribe", ["x"], -32602, "Invalid Request: Invalid signature provided"),
        ("accountSubscribe", [], -32602, "`params` should have at least 1 argument(s)"),
        ("accountUnsubscribe", [999_999], -32602, "Invalid subscription id."),
        ("logsSubscribe", [{"mentions": []}], -32602, "Invalid Request: Only 1 address supported"),
        ("voteSubscribe", [], -32601, "Method not found"),
        ("blockSubscribe", ["all"], -32601, "Method not found"),
        ("getSlot", [], -32601, "Method not found"),
    ],
)
async def test_subscribe__bad_request__is_refused_in_a_validators_words(
    endpoint: Endpoint, method: str, params: list[Any], code: int, message: str
) -> None:
    async with websockets.connect(endpoint.ws) as socket:
        await socket.send(json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))
        response = json.loads(await socket.recv())
    assert response["id"] == 7
    assert (response["error"]["code"], response["error"]["message"]) == (code, message)


async def test_subscribe__on_the_rpc_port__works_too(localnet: Endpoint) -> None:
    async with SolanaWsClient(localnet.http.replace("http", "ws")) as subscriber:
        await subscriber.slot_subscribe()
        assert isinstance(await receive(subscriber), SlotNotification)


async def test_subscribe__account_gone__tells_an_empty_account(localnet: Endpoint) -> None:
    address = Pubkey.new_unique()
    localnet.result("cheat_setAccount", str(address), {"lamports": SOL})
    async with websockets.connect(localnet.ws) as socket:
        config = {"commitment": "confirmed", "encoding": "base64"}
        request = {"jsonrpc": "2.0", "id": 1, "method": "accountSubscribe", "params": [str(address), config]}
        await socket.send(json.dumps(request))
        await socket.recv()
        localnet.result("cheat_setAccount", str(address), None)
        async with asyncio.timeout(PATIENCE):
            notification = json.loads(await socket.recv())
    assert notification["params"]["result"]["value"]["lamports"] == 0
