"""Sending: named refusals, one landing however often it is sent, failure only when it can never land."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace

import pytest
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV1
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from anchor_client import errors
from anchor_client.generated import errors as refusals
from anchor_client.generated.instructions import register_host, register_renter
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.rules.renter_profile import first_nonce
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import ComputeBudget, MessageVersion, Prepared, TransactionSender, unsigned
from anchor_client.solana.transactions.fees import upper_quartile
from anchor_client.solana.transactions.simulation import CLOCK_UNITS
from tests.anchor_client.solana.proxy import Proxy
from tests.anchor_client.solana.transactions.sending import LAMPORTS, QUICK, payment
from tests.markets.marketplace import Marketplace
from tests.processes.patience import PATIENCE

ADDRESS_LOOKUP_TABLE = Pubkey.from_string("AddressLookupTab1e1111111111111111111111111")


async def balance(sender: TransactionSender, wallet: Pubkey) -> int:
    return await Reader(sender.client, PROGRAM_ID).balance(wallet)


@pytest.mark.parametrize("version", list(MessageVersion))
async def test_send__each_version__lands_within_what_was_simulated(
    sender: TransactionSender, payer: Keypair, version: MessageVersion
) -> None:
    sent = await sender.send(
        [register_renter(caller=payer.pubkey(), wallet=payer.pubkey(), first_nonce=first_nonce(0))],
        payer=payer,
        version=version,
    )
    prepared = sent.compute_units
    assert prepared > 1_000
    assert sent.fee == 5_000
    assert [type(event).__name__ for event in sent.events] == ["RenterRegistered"]
    assert sent.logs


@pytest.mark.parametrize("version", list(MessageVersion))
async def test_prepare__any_version__limits_units_to_the_simulations_and_a_margin(
    sender: TransactionSender, payer: Keypair, version: MessageVersion
) -> None:
    instructions = [register_renter(caller=payer.pubkey(), wallet=payer.pubkey(), first_nonce=first_nonce(0))]
    simulation = await sender.simulate(instructions, payer.pubkey(), version=version)
    prepared = await sender.prepare(instructions, payer=payer, version=version)
    assert prepared.budget.units == -(-simulation.units * 110 // 100) + CLOCK_UNITS
    sent = await sender.submit(prepared)
    assert sent.compute_units <= prepared.budget.units
    if version is MessageVersion.V1:
        message = prepared.transaction.message
        assert isinstance(message, MessageV1)
        assert message.config.compute_unit_limit == prepared.budget.units


async def test_send__program_refuses__raises_its_named_error_and_costs_nothing(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    before = await balance(sender, payer.pubkey())
    with pytest.raises(refusals.InvalidSealKey) as raised:
        await sender.send([register_host(seal_key=bytes(32), authority=payer.pubkey())], payer=payer)
    assert proxy.calls["sendTransaction"] == 0
    assert isinstance(raised.value, errors.GpuMarketError)
    assert raised.value.remedy == "Give the host's X25519 public key."
    assert raised.value.message == "The seal key is all zeros (register_host)"
    assert await balance(sender, payer.pubkey()) == before


async def test_send__empty_wallet__says_that_sol_is_missing(sender: TransactionSender) -> None:
    broke = Keypair()
    with pytest.raises(errors.InsufficientLamports, match="no SOL"):
        await sender.send([payment(broke, Keypair().pubkey())], payer=broke)


async def test_send__more_than_the_wallet_holds__says_so(sender: TransactionSender, payer: Keypair) -> None:
    with pytest.raises(errors.InsufficientLamports):
        await sender.send([payment(payer, Keypair().pubkey(), 10**15)], payer=payer)


async def test_send__created_twice__is_an_address_taken(sender: TransactionSender, payer: Keypair) -> None:
    instructions = [register_renter(caller=payer.pubkey(), wallet=payer.pubkey(), first_nonce=first_nonce(0))]
    await sender.send(instructions, payer=payer)
    with pytest.raises(errors.AccountAddressTaken):
        await sender.send(instructions, payer=payer)


async def test_send__program_that_is_not_there__says_so(sender: TransactionSender, payer: Keypair) -> None:
    with pytest.raises(errors.ProgramMissing):
        await sender.send([Instruction(Pubkey.new_unique(), b"", [])], payer=payer)


async def test_send__limit_too_low__says_that_the_units_ran_out(sender: TransactionSender, payer: Keypair) -> None:
    instructions = [register_renter(caller=payer.pubkey(), wallet=payer.pubkey(), first_nonce=first_nonce(0))]
    prepared = await sender.prepare(instructions, payer=payer, budget=ComputeBudget(3_000))
    with pytest.raises(errors.ComputeExceeded):
        await sender.submit(prepared)


async def test_prepare__too_many_instructions__is_too_large(sender: TransactionSender, payer: Keypair) -> None:
    many = [payment(payer, Keypair().pubkey()) for _ in range(70)]
    for version in MessageVersion:
        with pytest.raises(errors.TransactionTooLarge):
            await sender.prepare(many, payer=payer, version=version)


async def test_submit__signature__is_written_down_before_anything_is_sent(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    written: list[Prepared] = []

    async def write(prepared: Prepared) -> None:
        assert proxy.calls["sendTransaction"] == 0
        written.append(prepared)

    sender.on_signed = write
    sent = await sender.send([payment(payer, Keypair().pubkey())], payer=payer)
    assert [prepared.signature for prepared in written] == [sent.signature]


async def test_submit__answer_to_sending_lost__lands_once(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    to = Keypair().pubkey()
    proxy.lose_answers["sendTransaction"] = 1
    sent = await sender.send([payment(payer, to)], payer=payer)
    assert await balance(sender, to) == LAMPORTS
    assert proxy.calls["sendTransaction"] >= 1
    assert sent.error is None


async def test_submit__request_lost__is_broadcast_again_unchanged(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    to = Keypair().pubkey()
    proxy.lose_requests["sendTransaction"] = 2
    await sender.send([payment(payer, to)], payer=payer)
    assert proxy.calls["sendTransaction"] == 3
    assert len({params[0] for params in proxy.sent}) == 1
    assert await balance(sender, to) == LAMPORTS


async def test_submit__the_same_transaction_twice__pays_once(sender: TransactionSender, payer: Keypair) -> None:
    to = Keypair().pubkey()
    prepared = await sender.prepare([payment(payer, to)], payer=payer)
    first, second = await asyncio.gather(sender.submit(prepared), sender.submit(prepared))
    assert first.signature == second.signature
    again = await sender.submit(prepared)
    assert again.slot == first.slot
    assert await balance(sender, to) == LAMPORTS


async def test_submit__blockhash_expired_before_sending__never_lands_and_says_so(
    sender: TransactionSender, marketplace: Marketplace, payer: Keypair
) -> None:
    to = Keypair().pubkey()
    prepared = await sender.prepare([payment(payer, to)], payer=payer)
    await marketplace.cluster.expire_blockhashes()
    stale = replace(prepared, last_valid_block_height=0)
    with pytest.raises(errors.TransactionExpired) as raised:
        await sender.submit(stale)
    assert raised.value.signature == prepared.signature
    assert await balance(sender, to) == 0


async def test_confirm__expired_but_landed__is_found_in_history(sender: TransactionSender, payer: Keypair) -> None:
    prepared = await sender.prepare([payment(payer, Keypair().pubkey())], payer=payer)
    sent = await sender.submit(prepared)
    landing = await sender.confirm(prepared.signature, 0)
    assert (landing.slot, landing.error) == (sent.slot, None)


async def test_confirm__not_found_before_its_last_block__keeps_waiting(
    sender: TransactionSender, payer: Keypair
) -> None:
    prepared = await sender.prepare([payment(payer, Keypair().pubkey())], payer=payer)
    waiting = asyncio.create_task(sender.confirm(prepared.signature, prepared.last_valid_block_height))
    done, _ = await asyncio.wait([waiting], timeout=1.0)
    assert not done
    await sender.broadcast(prepared, preflight=False)
    assert (await waiting).error is None


async def test_confirm__node_gone_for_good__leaves_the_outcome_open(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    prepared = await sender.prepare([payment(payer, Keypair().pubkey())], payer=payer)
    proxy.statuses |= dict.fromkeys(("getBlockHeight", "getSignatureStatuses", "sendTransaction"), 503)
    with pytest.raises(errors.OutcomeUnknown) as raised:
        await sender.submit(prepared)
    assert str(prepared.signature) in raised.value.remedy


async def test_confirm__node_back_in_time__goes_on(sender: TransactionSender, proxy: Proxy, payer: Keypair) -> None:
    prepared = await sender.prepare([payment(payer, Keypair().pubkey())], payer=payer)
    proxy.lose_requests["getBlockHeight"] = 3
    proxy.lose_answers["getSignatureStatuses"] = 3
    sender.timing = replace(QUICK, patience=PATIENCE)
    assert (await sender.submit(prepared)).error is None


async def test_details__node_that_indexes_late__are_waited_for(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    proxy.answers["getTransaction"] = {"result": None}
    prepared = await sender.prepare([payment(payer, Keypair().pubkey())], payer=payer)
    submitting = asyncio.create_task(sender.submit(prepared))
    await proxy.called("getTransaction", 3)
    del proxy.answers["getTransaction"]
    assert (await submitting).fee == 5_000


async def test_details__never_given__says_not_to_send_again(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    proxy.answers["getTransaction"] = {"result": None}
    with pytest.raises(errors.DetailsUnavailable, match="has landed"):
        await sender.send([payment(payer, Keypair().pubkey())], payer=payer)


async def test_broadcast__refused_while_the_node_goes_away__leaves_it_to_the_confirmation(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    instructions = [register_renter(caller=payer.pubkey(), wallet=payer.pubkey(), first_nonce=first_nonce(0))]
    first = await sender.prepare(instructions, payer=payer)
    second = await sender.prepare(instructions, payer=payer, budget=ComputeBudget(100_000))
    await sender.submit(first)
    proxy.lose_requests["getSignatureStatuses"] = 1
    await sender.broadcast(second, preflight=True)
    with pytest.raises(errors.AccountAddressTaken):
        await sender.broadcast(second, preflight=True)


async def test_submit__refused_once_sent__raises_the_named_error(sender: TransactionSender, payer: Keypair) -> None:
    instructions = [register_renter(caller=payer.pubkey(), wallet=payer.pubkey(), first_nonce=first_nonce(0))]
    first = await sender.prepare(instructions, payer=payer)
    second = await sender.prepare(instructions, payer=payer, budget=ComputeBudget(100_000))
    await sender.submit(first)
    with pytest.raises(errors.AccountAddressTaken):
        await sender.submit(second)


async def test_submit__failed_on_the_chain__raises_the_named_error(sender: TransactionSender, payer: Keypair) -> None:
    instructions = [register_renter(caller=payer.pubkey(), wallet=payer.pubkey(), first_nonce=first_nonce(0))]
    await sender.send(instructions, payer=payer)
    failing = await sender.prepare(instructions, payer=payer, budget=ComputeBudget(100_000))
    await sender.broadcast(failing, preflight=False)
    landing = await sender.confirm(failing.signature, failing.last_valid_block_height)
    assert landing.error is not None
    with pytest.raises(errors.AccountAddressTaken) as raised:
        await sender.submit(failing)
    assert raised.value.logs


async def test_unsigned__signed_elsewhere__is_the_same_transaction(sender: TransactionSender, payer: Keypair) -> None:
    to = Keypair().pubkey()
    made = await sender.unsigned([payment(payer, to)], payer.pubkey())
    decoded = VersionedTransaction.from_bytes(base64.b64decode(made.base64))
    signed = VersionedTransaction(decoded.message, [payer])
    prepared = Prepared(signed, made.last_valid_block_height, ComputeBudget(), (payment(payer, to),))
    await sender.submit(prepared)
    assert await balance(sender, to) == LAMPORTS


async def test_unsigned__cluster_with_another_price_of_a_signature__says_what_it_will_cost(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    proxy.answers["getFeeForMessage"] = {"result": {"context": {"slot": 1}, "value": 7_000}}
    made = await sender.unsigned([payment(payer, Keypair().pubkey())], payer.pubkey())
    assert made.fee == 7_000


async def test_unsigned__blockhash_given__needs_no_network(sender: TransactionSender, payer: Keypair) -> None:
    blockhash, last_valid = await sender.latest_blockhash()
    made = unsigned([payment(payer, Keypair().pubkey())], payer.pubkey(), blockhash, last_valid, signature_fee=5_000)
    decoded = VersionedTransaction.from_bytes(base64.b64decode(made.base64))
    assert decoded.message.recent_blockhash == blockhash
    assert made.last_valid_block_height == last_valid


async def test_prepare__others_pay_for_the_account__follows_them_up_to_the_cap(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    proxy.answers["getRecentPrioritizationFees"] = {
        "result": [{"slot": slot, "prioritizationFee": 10_000 * slot} for slot in range(1, 9)]
    }
    instructions = [payment(payer, Keypair().pubkey())]
    assert (await sender.prepare(instructions, payer=payer)).budget.priority_fee == 60_000
    sender.max_priority_fee = 25_000
    assert (await sender.prepare(instructions, payer=payer)).budget.priority_fee == 25_000
    sender.max_priority_fee = 0
    assert (await sender.prepare(instructions, payer=payer)).budget.priority_fee == 0


@pytest.mark.parametrize("version", list(MessageVersion))
async def test_send__with_a_price__pays_what_the_budget_says(
    sender: TransactionSender, payer: Keypair, version: MessageVersion
) -> None:
    budget = ComputeBudget(units=10_000, priority_fee=1_000_000)
    prepared = await sender.prepare([payment(payer, Keypair().pubkey())], payer=payer, version=version, budget=budget)
    assert (await sender.submit(prepared)).fee == 5_000 + budget.priority_lamports_ceil


def test_upper_quartile__prices__is_what_three_quarters_do_not_exceed() -> None:
    assert upper_quartile([]) == 0
    assert upper_quartile([7]) == 7
    assert upper_quartile([4, 1, 3, 2]) == 3
    assert upper_quartile([0] * 149 + [9]) == 0


async def test_land__newer_blockhash_signed_than_the_height_is_of__lands_and_is_never_called_expired(
    sender: TransactionSender, proxy: Proxy, payer: Keypair
) -> None:
    prepared = await sender.prepare([payment(payer, Keypair().pubkey())], payer=payer)
    proxy.lose_requests["sendTransaction"] = 4
    landing = await sender.land(replace(prepared, last_valid_block_height=0))
    assert (landing.signature, landing.error) == (prepared.signature, None)
    assert proxy.calls["isBlockhashValid"] >= 1


@pytest.mark.parametrize("place", [0, 2])
async def test_submit__instruction_that_a_wallet_added_fails__is_named_with_its_program(
    sender: TransactionSender, payer: Keypair, place: int
) -> None:
    register = register_renter(caller=payer.pubkey(), wallet=payer.pubkey(), first_nonce=first_nonce(0))
    instructions = [register, payment(payer, Keypair().pubkey())]
    instructions.insert(place, Instruction(ADDRESS_LOOKUP_TABLE, b"\xff" * 4, []))
    blockhash, last_valid = await sender.latest_blockhash()
    transaction = VersionedTransaction(Message.new_with_blockhash(instructions, payer.pubkey(), blockhash), [payer])
    with pytest.raises(errors.InstructionRefused, match=f"instruction {place} of program {ADDRESS_LOOKUP_TABLE}"):
        await sender.submit(Prepared(transaction, last_valid, ComputeBudget(), ()))
