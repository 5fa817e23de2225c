"""Sending and reading back transactions through solana-py, on the embedded cluster and on a validator."""

from typing import Any

import pytest
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed
from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import TransactionConfig
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from tests.localnet.endpoint import Endpoint
from tests.localnet.wallet import SOL, UNCHECKED, Wallet, encoded

BASE64 = {"encoding": "base64", "preflightCommitment": "confirmed"}
CONFIRMED: dict[str, Any] = {"commitment": "confirmed", "maxSupportedTransactionVersion": 1}
FEE = 5_000


async def test_send__transfer__moves_lamports_and_confirms(client: AsyncClient, wallet: Wallet) -> None:
    to = Keypair().pubkey()
    signature = await wallet.send(await wallet.legacy(wallet.pay(to, SOL)))
    status = (await client.get_signature_statuses([signature])).value[0]
    assert status is not None and status.err is None
    assert (await client.get_balance(to)).value == SOL
    assert (await client.get_balance(wallet.address)).value == 9 * SOL - FEE


async def test_send__program_error__is_refused_by_preflight_with_logs(endpoint: Endpoint, wallet: Wallet) -> None:
    transaction = await wallet.v0(wallet.pay(Keypair().pubkey(), 11 * SOL))
    error = endpoint.error("sendTransaction", encoded(transaction), BASE64)
    assert error["code"] == -32002
    assert error["message"] == (
        "Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1"
    )
    assert error["data"]["err"] == {"InstructionError": [0, {"Custom": 1}]}
    assert error["data"]["logs"][-1].endswith("failed: custom program error: 0x1")
    assert set(error["data"]) == {
        *("accounts", "err", "fee", "innerInstructions", "loadedAccountsDataSize", "loadedAddresses", "logs"),
        *("postBalances", "postTokenBalances", "preBalances", "preTokenBalances", "replacementBlockhash"),
        *("returnData", "unitsConsumed"),
    }


async def test_send__failure_without_preflight__lands_and_costs_the_fee_alone(
    endpoint: Endpoint, client: AsyncClient, wallet: Wallet
) -> None:
    to = Keypair().pubkey()
    transaction = await wallet.v0(wallet.pay(to, SOL), wallet.pay(to, 11 * SOL))
    signature = await wallet.send(transaction, UNCHECKED)
    found = endpoint.result("getTransaction", str(signature), CONFIRMED)
    assert found["meta"]["err"] == {"InstructionError": [1, {"Custom": 1}]}
    assert found["meta"]["status"] == {"Err": found["meta"]["err"]}
    assert found["meta"]["fee"] == FEE
    assert (await client.get_balance(to)).value == 0
    assert (await client.get_balance(wallet.address)).value == 10 * SOL - FEE


async def test_send__missing_program_without_preflight__lands_for_its_fee(
    endpoint: Endpoint, client: AsyncClient, wallet: Wallet
) -> None:
    transaction = await wallet.v0(Instruction(Keypair().pubkey(), b"", []))
    signature = await wallet.send(transaction, UNCHECKED)
    meta = endpoint.result("getTransaction", str(signature), CONFIRMED)["meta"]
    assert (meta["err"], meta["logMessages"], meta["innerInstructions"]) == ("ProgramAccountNotFound", None, None)
    assert (await client.get_balance(wallet.address)).value == 10 * SOL - FEE


async def test_send__unknown_blockhash__is_refused(endpoint: Endpoint, wallet: Wallet) -> None:
    transaction = await wallet.v0(wallet.pay(Keypair().pubkey(), SOL), blockhash=Hash.new_unique())
    error = endpoint.error("sendTransaction", encoded(transaction), BASE64)
    assert (error["code"], error["data"]["err"]) == (-32002, "BlockhashNotFound")
    assert error["message"] == "Transaction simulation failed: Blockhash not found"


async def test_send__same_transaction_again__was_already_processed(endpoint: Endpoint, wallet: Wallet) -> None:
    transaction = await wallet.v0(wallet.pay(Keypair().pubkey(), SOL))
    await wallet.send(transaction)
    error = endpoint.error("sendTransaction", encoded(transaction), BASE64)
    assert (error["code"], error["data"]["err"]) == (-32002, "AlreadyProcessed")
    assert error["message"] == "Transaction simulation failed: This transaction has already been processed"


async def test_send__wrong_signature__fails_verification(endpoint: Endpoint, wallet: Wallet) -> None:
    signed = await wallet.v0(wallet.pay(Keypair().pubkey(), SOL))
    forged = VersionedTransaction.populate(signed.message, [Keypair().sign_message(b"something else")])
    error = endpoint.error("sendTransaction", encoded(forged), BASE64)
    assert (error["code"], error["data"]["err"]) == (-32002, "SignatureFailure")


async def test_send__payer_without_account__is_refused(endpoint: Endpoint, client: AsyncClient) -> None:
    pauper = Wallet(client, Keypair())
    transaction = await pauper.v0(pauper.pay(Keypair().pubkey(), 1))
    error = endpoint.error("sendTransaction", encoded(transaction), BASE64)
    assert error["data"]["err"] == "AccountNotFound"


async def test_send__less_than_rent__names_the_account(endpoint: Endpoint, wallet: Wallet) -> None:
    transaction = await wallet.v0(wallet.pay(Keypair().pubkey(), 1))
    error = endpoint.error("sendTransaction", encoded(transaction), BASE64)
    assert error["data"]["err"] == {"InsufficientFundsForRent": {"account_index": 1}}


@pytest.mark.parametrize(
    ("limits", "err"),
    [
        (TransactionConfig(compute_unit_limit=1_000, loaded_accounts_data_size_limit=65_536), None),
        (TransactionConfig(compute_unit_limit=1_000), "MaxLoadedAccountsDataSizeExceeded"),
        (
            TransactionConfig(compute_unit_limit=100, loaded_accounts_data_size_limit=65_536),
            {"InstructionError": [0, "ComputationalBudgetExceeded"]},
        ),
        (None, "MaxLoadedAccountsDataSizeExceeded"),
    ],
)
async def test_simulate__version_1__keeps_to_the_limits_of_its_config(
    endpoint: Endpoint, wallet: Wallet, limits: TransactionConfig | None, err: Any
) -> None:
    transaction = await wallet.v1(wallet.pay(Keypair().pubkey(), SOL), config=limits)
    config = {"encoding": "base64", "commitment": "confirmed"}
    assert endpoint.result("simulateTransaction", encoded(transaction), config)["value"]["err"] == err


async def test_send__version_1__pays_its_priority_fee(endpoint: Endpoint, client: AsyncClient, wallet: Wallet) -> None:
    limits = TransactionConfig(priority_fee=777, compute_unit_limit=1_000, loaded_accounts_data_size_limit=65_536)
    to = Keypair().pubkey()
    signature = await wallet.send(await wallet.v1(wallet.pay(to, SOL), config=limits))
    found = endpoint.result("getTransaction", str(signature), CONFIRMED)
    assert (found["version"], found["meta"]["fee"]) == (1, FEE + 777)
    assert found["transaction"]["message"]["transactionConfig"] == {
        "computeUnitLimit": 1_000,
        "heapSize": None,
        "loadedAccountsDataSizeLimit": 65_536,
        "priorityFee": 777,
    }
    assert (await client.get_balance(wallet.address)).value == 9 * SOL - FEE - 777


async def test_get_transaction__newer_version_than_asked_for__is_an_error(endpoint: Endpoint, wallet: Wallet) -> None:
    signature = await wallet.send(await wallet.v0(wallet.pay(Keypair().pubkey(), SOL)))
    error = endpoint.error("getTransaction", str(signature), {"commitment": "confirmed"})
    assert error == {
        "code": -32015,
        "message": "Transaction version (0) is not supported by the requesting client. Please try the request again "
        'with the following configuration parameter: "maxSupportedTransactionVersion": 0',
    }


async def test_get_transaction__legacy__has_a_version_only_if_asked_for(endpoint: Endpoint, wallet: Wallet) -> None:
    signature = await wallet.send(await wallet.legacy(wallet.pay(Keypair().pubkey(), SOL)))
    plain = endpoint.result("getTransaction", str(signature), {"commitment": "confirmed"})
    versioned = endpoint.result("getTransaction", str(signature), CONFIRMED)
    assert "version" not in plain
    assert versioned["version"] == "legacy"


async def test_get_transaction__every_encoding__holds_the_same_transaction(endpoint: Endpoint, wallet: Wallet) -> None:
    to = Keypair().pubkey()
    transaction = await wallet.v0(wallet.pay(to, SOL))
    signature = str(await wallet.send(transaction))
    text, _ = endpoint.result("getTransaction", signature, {**CONFIRMED, "encoding": "base64"})["transaction"]
    assert text == encoded(transaction)
    parsed = endpoint.result("getTransaction", signature, {**CONFIRMED, "encoding": "jsonParsed"})
    assert parsed["transaction"]["message"]["instructions"] == [
        {
            "parsed": {
                "info": {"destination": str(to), "lamports": SOL, "source": str(wallet.address)},
                "type": "transfer",
            },
            "program": "system",
            "programId": "1" * 32,
            "stackHeight": 1,
        }
    ]
    assert parsed["transaction"]["message"]["accountKeys"][0] == {
        "pubkey": str(wallet.address),
        "signer": True,
        "source": "transaction",
        "writable": True,
    }
    assert "loadedAddresses" not in parsed["meta"]
    plain = endpoint.result("getTransaction", signature, CONFIRMED)
    assert plain["meta"]["costUnits"] == 1481
    assert plain["meta"]["computeUnitsConsumed"] == 150


async def test_get_transaction__unknown__is_null(endpoint: Endpoint) -> None:
    assert endpoint.result("getTransaction", str(Signature.new_unique()), CONFIRMED) is None


async def test_get_transaction__token_instructions__shows_inner_ones_and_balances(
    endpoint: Endpoint, wallet: Wallet
) -> None:
    mint, account = await wallet.create_token(2_500_000)
    (entry, *_) = endpoint.result("getSignaturesForAddress", str(mint), {"commitment": "confirmed"})
    found = endpoint.result("getTransaction", entry["signature"], {**CONFIRMED, "encoding": "jsonParsed"})
    keys = [key["pubkey"] for key in found["transaction"]["message"]["accountKeys"]]
    (balance,) = found["meta"]["postTokenBalances"]
    assert found["meta"]["preTokenBalances"] == []
    assert (keys[balance["accountIndex"]], balance["mint"]) == (str(account), str(mint))
    assert balance["owner"] == str(wallet.address)
    assert balance["uiTokenAmount"] == {
        "amount": "2500000",
        "decimals": 6,
        "uiAmount": 2.5,
        "uiAmountString": "2.5",
    }
    (group,) = found["meta"]["innerInstructions"]
    assert group["index"] == 2
    kinds = [instruction["parsed"]["type"] for instruction in group["instructions"]]
    assert kinds == ["getAccountDataSize", "createAccount", "initializeImmutableOwner", "initializeAccount3"]
    assert {instruction["stackHeight"] for instruction in group["instructions"]} == {2}


async def test_simulate__replaced_blockhash__tells_which(endpoint: Endpoint, wallet: Wallet) -> None:
    transaction = await wallet.v0(wallet.pay(Keypair().pubkey(), SOL), blockhash=Hash.new_unique())
    config = {"encoding": "base64", "commitment": "confirmed", "replaceRecentBlockhash": True}
    value = endpoint.result("simulateTransaction", encoded(transaction), config)["value"]
    assert (value["err"], value["unitsConsumed"], value["fee"]) == (None, 150, FEE)
    assert value["postBalances"][1] == SOL
    assert set(value["replacementBlockhash"]) == {"blockhash", "lastValidBlockHeight"}


async def test_simulate__unsigned_and_failing__keeps_the_logs(endpoint: Endpoint, wallet: Wallet) -> None:
    signed = await wallet.v0(wallet.pay(Keypair().pubkey(), 1_000 * SOL))
    unsigned = VersionedTransaction.populate(signed.message, [Signature.default()])
    value = endpoint.result(
        "simulateTransaction", encoded(unsigned), {"encoding": "base64", "commitment": "confirmed"}
    )["value"]
    assert value["err"] == {"InstructionError": [0, {"Custom": 1}]}
    assert any("insufficient lamports" in line for line in value["logs"])


async def test_simulate__wanted_accounts__are_shown_as_they_would_be(endpoint: Endpoint, wallet: Wallet) -> None:
    to = Keypair().pubkey()
    config = {
        "encoding": "base64",
        "commitment": "confirmed",
        "accounts": {"addresses": [str(to)], "encoding": "base64"},
    }
    value = endpoint.result("simulateTransaction", encoded(await wallet.v0(wallet.pay(to, SOL))), config)["value"]
    assert value["accounts"][0]["lamports"] == SOL
    assert (await wallet.client.get_balance(to)).value == 0


async def test_get_signatures_for_address__pages__newest_first_without_overlap(
    endpoint: Endpoint, wallet: Wallet
) -> None:
    to = Keypair().pubkey()
    sent = [str(await wallet.send(await wallet.v0(wallet.pay(to, SOL + count)))) for count in range(3)]
    whole = endpoint.result("getSignaturesForAddress", str(to), {"commitment": "confirmed"})
    assert [entry["signature"] for entry in whole] == sent[::-1]
    page = {"commitment": "confirmed", "limit": 1, "before": sent[2]}
    assert [entry["signature"] for entry in endpoint.result("getSignaturesForAddress", str(to), page)] == [sent[1]]
    newer = {"commitment": "confirmed", "until": sent[0]}
    found = endpoint.result("getSignaturesForAddress", str(to), newer)
    assert [entry["signature"] for entry in found] == [sent[2], sent[1]]
    assert set(whole[0]) == {
        *("signature", "slot", "transactionIndex", "err", "memo", "blockTime", "confirmationStatus")
    }


async def test_get_fee_for_message__priority__is_rounded_up(client: AsyncClient, wallet: Wallet) -> None:
    instructions = set_compute_unit_price(10_000), set_compute_unit_limit(301), wallet.pay(Keypair().pubkey(), SOL)
    message = (await wallet.v0(*instructions)).message
    assert (await client.get_fee_for_message(message, Confirmed)).value == FEE + 4
