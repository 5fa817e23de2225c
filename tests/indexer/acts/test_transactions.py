"""Signed transactions through the API: sent once, refused by name, and their outcomes."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace
from typing import Any

import pytest
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import Message
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from anchor_client.market.client import Market
from anchor_client.market.program import MarketProgram
from anchor_client.solana.transactions import Prepared
from anchor_client.solana.transactions.relay import signed_elsewhere
from indexer.api.actions import relays
from indexer.api.actions.relays import MOST_PENDING, RelayOutcome, Relays, RelayStage
from indexer.api.errors import ApiError
from tests.indexer.acts.desk import Desk, signed
from tests.indexer.acts.test_rental import ORDER
from tests.indexer.service import until
from tests.program.harness.actors import RENTER, STRANGER
from tests.program.harness.flows import running
from tests.program.harness.keys import keypair_of

PATH = "/api/transactions"
ADDRESS_LOOKUP_TABLE = Pubkey.from_string("AddressLookupTab1e1111111111111111111111111")
LATER_BLOCKS = 160
"""So many are more than the 150 for which a blockhash counts."""


def text(transaction: VersionedTransaction) -> str:
    return base64.b64encode(bytes(transaction)).decode()


async def order(desk: Desk, version: str = "v0") -> tuple[Pubkey, VersionedTransaction, dict[str, Any]]:
    """An order that its renter has signed."""
    renter = desk.market.wallet()
    act = await desk.prepared("/api/jobs", renter, version=version, **ORDER)
    return renter, signed(act, renter), act


@pytest.mark.parametrize("version", ["v0", "v1"])
async def test_send__signed_order__lands_once_and_is_answered_alike(desk: Desk, version: str) -> None:
    renter, transaction, act = await order(desk, version)
    body = {"transaction": text(transaction), "last_valid_block_height": act["last_valid_block_height"]}
    first, second = await asyncio.gather(*(desk.api.post(PATH, json=body) for _ in range(2)))
    assert first.status_code == 200, first.text
    told = first.json()
    assert (told["status"], told["signature"], told["error"]) == ("landed", str(transaction.signatures[0]), None)
    assert told["slot"] is not None
    assert desk.market.rental(Pubkey.from_string(act["address"])).renter == renter
    later, asked = await desk.api.post(PATH, json=body), await desk.api.get(f"{PATH}/{told['signature']}")
    assert second.json() == later.json() == asked.json() == told


async def test_send__would_fail__is_refused_by_the_programs_name_and_not_sent(desk: Desk) -> None:
    _, transaction, _ = await order(desk)
    running(desk.market, desk.market.renter())
    answer = await desk.api.post(PATH, json={"transaction": text(transaction)})
    assert (answer.status_code, answer.json()["error"]) == (409, "listing_occupied")
    asked = await desk.api.get(f"{PATH}/{transaction.signatures[0]}")
    assert (asked.status_code, asked.json()["error"]) == (404, "transaction_not_found")


@pytest.mark.parametrize("place", ["first", "last"])
async def test_send__wallet_signs_a_newer_blockhash_and_adds_a_payment__lands_and_is_never_expired(
    desk: Desk, place: str
) -> None:
    renter, transaction, act = await order(desk)
    for _ in range(LATER_BLOCKS):
        desk.cluster.warp(0)
    fee = transfer(TransferParams(from_pubkey=renter, to_pubkey=STRANGER, lamports=10**6))
    changed = added(transaction, fee, place, desk.cluster.latest_blockhash())
    answer = await desk.api.post(
        PATH, json={"transaction": text(changed), "last_valid_block_height": act["last_valid_block_height"]}
    )
    assert (answer.status_code, answer.json()["status"]) == (200, "landed"), answer.text
    assert desk.market.rental(Pubkey.from_string(act["address"])).renter == renter


@pytest.mark.parametrize("place", ["first", "last"])
async def test_send__instruction_that_the_wallet_added_fails__is_named_with_its_program(desk: Desk, place: str) -> None:
    _, transaction, _ = await order(desk)
    fails = Instruction(ADDRESS_LOOKUP_TABLE, b"\xff" * 4, [])
    changed = added(transaction, fails, place, transaction.message.recent_blockhash)
    number = 0 if place == "first" else len(changed.message.instructions) - 1
    answer = await desk.api.post(PATH, json={"transaction": text(changed)})
    assert answer.status_code == 409 and answer.json()["error"] == "instruction_refused", answer.text
    assert f"instruction {number} of program {ADDRESS_LOOKUP_TABLE}" in answer.json()["detail"]


async def test_outcome__failed_on_chain__names_the_programs_error(desk: Desk) -> None:
    _, transaction, _ = await order(desk)
    running(desk.market, desk.market.renter())
    desk.cluster.execute(transaction)
    for answer in (
        await desk.api.get(f"{PATH}/{transaction.signatures[0]}"),
        await desk.api.post(PATH, json={"transaction": text(transaction)}),
    ):
        told = answer.json()
        assert (answer.status_code, told["status"], told["error"]["error"]) == (200, "failed", "listing_occupied")
        assert told["error"]["remedy"]


async def test_send__that_is_none_of_ours__is_refused(desk: Desk) -> None:
    _, transaction, act = await order(desk)
    blockhash = transaction.message.recent_blockhash
    pays = transfer(TransferParams(from_pubkey=STRANGER, to_pubkey=RENTER, lamports=1))
    foreign = VersionedTransaction(Message.new_with_blockhash([pays], STRANGER, blockhash), [keypair_of(STRANGER)])
    unsigned = base64.b64decode(act["transaction"])
    refused = {
        text(foreign): (400, "foreign_transaction"),
        act["transaction"]: (400, "missing_signature"),
        base64.b64encode(unsigned + b"\0").decode(): (400, "invalid_transaction"),
        base64.b64encode(b"\1" * 64).decode(): (400, "invalid_transaction"),
        base64.b64encode(bytes(1_233)).decode(): (400, "transaction_too_large"),
        base64.b64encode(b"\x81" + bytes(4_096)).decode(): (400, "transaction_too_large"),
        "not base64!": (422, "invalid_request"),
    }
    for wrong, expected in refused.items():
        answer = await desk.api.post(PATH, json={"transaction": wrong})
        assert (answer.status_code, answer.json()["error"]) == expected
    assert (await desk.api.get(f"{PATH}/{'1' * 88}")).status_code == 404


async def test_relay__not_waited_for__is_pending_and_then_has_landed(desk: Desk) -> None:
    _, transaction, act = await order(desk)
    signature = transaction.signatures[0]
    async with (
        Market.connect(desk.url) as market,
        Relays(market, wait=0) as sending,
    ):
        prepared = signed_elsewhere(bytes(transaction), act["last_valid_block_height"], MarketProgram())
        assert (await sending.submit(prepared)).stage is RelayStage.PENDING

        async def landed() -> bool:
            found = await sending.find(signature)
            return found is not None and found.stage is RelayStage.LANDED

        await until(landed)


async def test_relay__blockhash_has_ended__is_expired(desk: Desk) -> None:
    _, transaction, act = await order(desk)
    for _ in range(400):
        desk.cluster.warp(0)
    async with Market.connect(desk.url) as market, Relays(market) as sending:
        outcome = await sending.submit(
            signed_elsewhere(bytes(transaction), act["last_valid_block_height"], MarketProgram())
        )
        assert (outcome.stage, outcome.slot) == (RelayStage.EXPIRED, None)
        assert await sending.find(transaction.signatures[0]) == outcome


class Unsent(Relays):
    """Relays whose transactions stay on their way until they are let go."""

    def __init__(self, market: Market) -> None:
        super().__init__(market, wait=0)
        self.let_go = asyncio.Event()

    async def find(self, signature: Signature) -> RelayOutcome | None:
        return None

    async def _sent(self, prepared: Prepared) -> RelayOutcome:
        await self.let_go.wait()
        return RelayOutcome(prepared.signature, RelayStage.LANDED)

    async def are_done(self) -> bool:
        return not self._pending


@pytest.mark.parametrize(
    "strangers",
    [["203.0.113.9"], [f"203.0.113.{host}" for host in range(1, 99)], [f"2001:db8:{net:x}::1" for net in range(99)]],
    ids=["one address", "a /24", "an IPv6 /32"],
)
async def test_relay__many_of_one_network__leave_room_for_others(desk: Desk, strangers: list[str]) -> None:
    """Invariant IDX-11."""
    _, transaction, act = await order(desk)
    prepared = signed_elsewhere(bytes(transaction), act["last_valid_block_height"], MarketProgram())

    def another() -> Prepared:
        return replace(prepared, transaction=replaced(transaction))

    async with Market.connect(desk.url) as market, Unsent(market) as unsent:
        refused = []
        for number in range(2 * MOST_PENDING):
            try:
                await unsent.submit(another(), strangers[number % len(strangers)])
            except ApiError as refusal:
                refused.append(refusal)
        assert {(each.problem.status, each.problem.error) for each in refused} == {(429, "too_many_transactions")}
        assert (await unsent.submit(another(), "198.51.100.1")).stage is RelayStage.PENDING
        unsent.let_go.set()
        await until(unsent.are_done)
        assert (await unsent.submit(another(), strangers[0])).stage is RelayStage.LANDED


async def test_relay__more_outcomes_than_are_kept__the_oldest_make_room(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "MOST_KEPT", 2)
    _, transaction, act = await order(desk)
    prepared = signed_elsewhere(bytes(transaction), act["last_valid_block_height"], MarketProgram())
    sent = [replace(prepared, transaction=replaced(transaction)) for _ in range(3)]
    async with Market.connect(desk.url) as market, Unsent(market) as unsent:
        unsent.let_go.set()
        for each in sent:
            await unsent.submit(each)
            await until(unsent.are_done)
        found = [await Relays.find(unsent, each.signature) for each in sent]
        assert found[0] is None and None not in found[1:]


def replaced(transaction: VersionedTransaction) -> VersionedTransaction:
    """The same under another signature."""
    return VersionedTransaction.populate(transaction.message, [Signature.new_unique(), *transaction.signatures[1:]])


def added(
    transaction: VersionedTransaction, instruction: Instruction, place: str, blockhash: Hash
) -> VersionedTransaction:
    """The same with an instruction of its wallet's, first or last, signed with a blockhash."""
    message = transaction.message
    keys = message.account_keys
    instructions = [
        Instruction(
            keys[each.program_id_index],
            bytes(each.data),
            [AccountMeta(keys[i], message.is_signer(i), message.is_maybe_writable(i)) for i in each.accounts],
        )
        for each in message.instructions
    ]
    instructions.insert(0 if place == "first" else len(instructions), instruction)
    return VersionedTransaction(Message.new_with_blockhash(instructions, keys[0], blockhash), [keypair_of(keys[0])])
