"""An authority whose key is elsewhere, a multisig's or a hardware wallet's: what it has to sign is printed."""

from __future__ import annotations

import base64
import time
from typing import Any

import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0, to_bytes_versioned
from solders.transaction import VersionedTransaction

from tests.e2e.deploy.empty import Empty, second

ROUNDS = 12
SECONDS = 60


class Elsewhere:
    """A wallet that no command has the key of."""

    def __init__(self, empty: Empty) -> None:
        self.empty = empty
        self.key = Keypair()
        self.address = str(self.key.pubkey())

    def sign_and_send(self, transaction: str) -> None:
        """Signs with a fresh blockhash, sends and waits, as the wallet's own tool does."""
        message = VersionedTransaction.from_bytes(base64.b64decode(transaction)).message
        assert isinstance(message, MessageV0) and message.header.num_required_signatures == 1
        blockhash = Hash.from_string(self.empty.call("getLatestBlockhash")["value"]["blockhash"])
        fresh = MessageV0(
            message.header,
            message.account_keys,
            blockhash,
            message.instructions,
            message.address_table_lookups,
        )
        signed = VersionedTransaction.populate(fresh, [self.key.sign_message(to_bytes_versioned(fresh))])
        wire = base64.b64encode(bytes(signed)).decode()
        signature = self.empty.call("sendTransaction", wire, {"encoding": "base64"})
        deadline = time.monotonic() + SECONDS
        while (status := self.empty.call("getSignatureStatuses", [signature])["value"][0]) is None:
            assert time.monotonic() < deadline, "the transaction did not land"
        assert status["err"] is None


def opened(empty: Empty, wallet: Elsewhere) -> dict[str, Any]:
    """The market, opened in as many runs as it takes; what the last one prints."""
    text = empty.file.read_text()
    empty.file.write_text(text.replace('"keys/authority.json"', f'"{wallet.address}"', 1))
    planned = empty.json("deploy", str(empty.file), "--dry-run")
    assert planned["authority"] == wallet.address != planned["payer"]
    assert not (empty.folder / "keys/authority.json").exists()
    for address in (wallet.address, planned["payer"]):
        empty.run("wallet", "airdrop", "100", "--to", address)
    signed = 0
    for _ in range(ROUNDS):
        done: dict[str, Any] = empty.json("deploy", str(empty.file), "--yes")
        if not done["to_sign"]:
            assert signed > 3
            return done
        assert done["doctor"] is None
        for each in done["to_sign"]:
            assert each["signers"] == [wallet.address] and each["texts"]
            wallet.sign_and_send(each["transaction"])
            signed += 1
    raise AssertionError("the market did not open")


@pytest.mark.exhaustive
def test_deploy__authority_elsewhere__opens_the_market_with_what_it_signs(empty: Empty) -> None:
    wallet = Elsewhere(empty)
    done = opened(empty, wallet)
    program = done["program_id"]
    assert [work["text"] for work in done["works"]] == ["post the first price of GPUM", "post the first price of SOL"]
    assert done["doctor"]["status"] == "warning", "no API, keys that can upgrade and mint"
    assert empty.json("deploy", "verify", program)["upgrade_authority"] == wallet.address
    again = empty.json("deploy", str(empty.file))
    assert (again["works"], again["spent_lamports"]) == ([], "0")

    empty.file.write_text(empty.file.read_text().replace("min_duration           = 21600", "min_duration = 60"))
    changed = empty.json("deploy", str(empty.file), "--yes")
    assert [each["texts"] for each in changed["to_sign"]] == [["set min_duration from 21600 to 60"]]

    empty.console.run("config", "set", "program_id", program)
    build, payer = second(empty.folder), str(empty.folder / "keys/payer.json")
    upgrade = ("upgrade", str(build), "--yes", "--keypair", payer)
    assert empty.json(*upgrade, code=2)["error"] == "NotTheAuthority"
    printed = empty.json(*upgrade, "--unsigned", wallet.address)
    assert printed["signers"] == [wallet.address]
    wallet.sign_and_send(printed["transaction"])
    assert empty.json("deploy", "verify", "--against", str(build))["matches"]

    printed = empty.json("pause", "prices", "--unsigned", wallet.address)
    wallet.sign_and_send(printed["transaction"])
    assert empty.json("keeper", "--once", "--unsigned", wallet.address, code=2)["error"] == "SignsItself"
