"""The generated client and the program's committed build: what one writes the other reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.message import MessageV0
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata, TransactionMetadata

from anchor_client.generated import accounts, events, instructions, pdas
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.rules.renter_profile import first_nonce

BUILD = Path(__file__).parents[3] / "localnet/program/gpu_market.so"
PAYER = Keypair.from_seed(bytes(31) + b"\x01")
NEWCOMER = Keypair.from_seed(bytes(31) + b"\x02")
WALLET = NEWCOMER.pubkey()


@pytest.fixture(scope="module")
def cluster() -> LiteSVM:
    svm = LiteSVM().with_mainnet_features()
    svm.add_program_from_file(PROGRAM_ID, BUILD)
    svm.airdrop(PAYER.pubkey(), 10**10)
    return svm


@pytest.fixture(scope="module")
def registered(cluster: LiteSVM) -> TransactionMetadata:
    """A renter profile that the program has made."""
    first = first_nonce(cluster.get_clock().slot)
    sent = send(cluster, instructions.register_renter(caller=PAYER.pubkey(), wallet=WALLET, first_nonce=first))
    assert isinstance(sent, TransactionMetadata), sent
    return sent


def send(cluster: LiteSVM, instruction: Instruction) -> TransactionMetadata | FailedTransactionMetadata:
    message = MessageV0.try_compile(PAYER.pubkey(), [instruction], [], cluster.latest_blockhash())
    return cluster.send_transaction(VersionedTransaction(message, [PAYER, NEWCOMER]))


@pytest.mark.usefixtures("registered")
def test_decode_account__written_by_the_program__encodes_to_the_same_bytes(cluster: LiteSVM) -> None:
    account = cluster.get_account(pdas.find_renter_profile(WALLET)[0])

    assert account is not None
    profile = accounts.decode_account(account.data)
    assert isinstance(profile, accounts.RenterProfile)
    assert (profile.version, profile.wallet, profile.next_nonce) == (1, WALLET, first_nonce(cluster.get_clock().slot))
    assert profile.bump == pdas.find_renter_profile(WALLET)[1]
    assert profile.encode() == account.data
    assert len(account.data) == accounts.RenterProfile.SIZE


def test_decode_cpi_event__emitted_by_the_program__names_the_same_keys(registered: TransactionMetadata) -> None:
    calls = [bytes(call.instruction().data) for calls in registered.inner_instructions() for call in calls]
    emitted = [events.decode_cpi_event(data) for data in calls if data.startswith(events.EVENT_TAG)]

    assert len(emitted) == 1
    assert isinstance(emitted[0], events.RenterRegistered)
    assert (emitted[0].profile, emitted[0].wallet) == (pdas.find_renter_profile(WALLET)[0], WALLET)


def test_builder__wrong_address_passed__is_refused_by_the_program(cluster: LiteSVM) -> None:
    other = pdas.find_renter_profile(PAYER.pubkey())[0]

    sent = send(
        cluster,
        instructions.register_renter(caller=PAYER.pubkey(), wallet=WALLET, renter_profile=other, first_nonce=0),
    )

    assert isinstance(sent, FailedTransactionMetadata)
