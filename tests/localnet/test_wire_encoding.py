"""Compressed account data, token amounts, and durable nonces."""

import base64
import shutil
import subprocess

import pytest
from solders.account import Account
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import Message
from solders.pubkey import Pubkey
from solders.system_program import (
    AdvanceNonceAccountParams,
    TransferParams,
    advance_nonce_account,
    create_nonce_account,
    transfer,
)
from solders.transaction import VersionedTransaction

from localnet.cluster import Cluster
from localnet.encoding.accounts import AccountEncoding, account_json
from localnet.encoding.tokens import ui_token_amount
from localnet.errors import TransactionDropped

SOL = 10**9


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not on PATH")
@pytest.mark.parametrize(
    "data",
    [b"", b"abc", bytes(500_000), bytes(range(256)) * 1000, b"a" + bytes(64) + b"b"],
    ids=["empty", "short", "zeros", "repeated", "mixed"],
)
def test_account_json__zstd__decodes_to_the_data(data: bytes) -> None:
    account = Account(1, data, Pubkey.default())
    text, encoding = account_json(account, AccountEncoding("base64+zstd"), lambda address: None)["data"]
    frame = base64.b64decode(text)
    assert encoding == "base64+zstd"
    assert subprocess.run(["zstd", "-dc"], input=frame, capture_output=True, check=True).stdout == data


@pytest.mark.parametrize(
    ("amount", "decimals", "text"),
    [
        (0, 6, "0"),
        (1, 9, "0.000000001"),
        (1_500_000, 6, "1.5"),
        (100, 0, "100"),
        (2**64 - 1, 6, "18446744073709.551615"),
    ],
)
def test_ui_token_amount__decimals__are_exact_without_trailing_zeros(amount: int, decimals: int, text: str) -> None:
    assert ui_token_amount(amount, decimals)["uiAmountString"] == text


def test_durable_nonce__failed_transaction__advances_it_and_cannot_repeat() -> None:
    cluster = Cluster()
    payer, nonce = Keypair(), Keypair()
    cluster.airdrop(payer.pubkey(), 10 * SOL)
    creation = create_nonce_account(payer.pubkey(), nonce.pubkey(), payer.pubkey(), SOL)
    message = Message.new_with_blockhash(creation, payer.pubkey(), cluster.latest_blockhash())
    cluster.execute(VersionedTransaction(message, [payer, nonce]))
    stored = cluster.account(nonce.pubkey())
    assert stored is not None
    cluster.warp(3600)
    advance = advance_nonce_account(
        AdvanceNonceAccountParams(nonce_pubkey=nonce.pubkey(), authorized_pubkey=payer.pubkey())
    )
    overdraft = transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=Keypair().pubkey(), lamports=100 * SOL))
    value = Hash(stored.data[40:72])
    failing = VersionedTransaction(Message.new_with_blockhash([advance, overdraft], payer.pubkey(), value), [payer])
    assert cluster.execute(failing).err == {"InstructionError": [1, {"Custom": 1}]}
    after = cluster.account(nonce.pubkey())
    assert after is not None and after.data[40:72] != stored.data[40:72]
    again = VersionedTransaction(Message.new_with_blockhash([advance], payer.pubkey(), value), [payer])
    with pytest.raises(TransactionDropped, match="BlockhashNotFound"):
        cluster.execute(again)
    cluster.close()
