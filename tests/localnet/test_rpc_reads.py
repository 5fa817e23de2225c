"""Reading accounts, tokens and blocks, on the embedded cluster and on a validator."""

from typing import Any

import pytest
from solana.rpc.commitment import Finalized
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import (
    CreateLookupTableParams,
    ExtendLookupTableParams,
    create_lookup_table,
    extend_lookup_table,
)
from solders.token import ID as TOKEN_PROGRAM

from tests.localnet.endpoint import Endpoint
from tests.localnet.wallet import SOL, Wallet

CONFIRMED: dict[str, Any] = {"commitment": "confirmed"}
NATIVE_MINT = "So11111111111111111111111111111111111111112"


async def test_get_account_info__token_account__is_parsed(endpoint: Endpoint, wallet: Wallet) -> None:
    mint, account = await wallet.create_token(1_500_000)
    config = {**CONFIRMED, "encoding": "jsonParsed"}
    value = endpoint.result("getAccountInfo", str(account), config)["value"]
    assert (value["owner"], value["space"]) == (str(TOKEN_PROGRAM), 165)
    assert value["data"] == {
        "parsed": {
            "info": {
                "isNative": False,
                "mint": str(mint),
                "owner": str(wallet.address),
                "state": "initialized",
                "tokenAmount": {"amount": "1500000", "decimals": 6, "uiAmount": 1.5, "uiAmountString": "1.5"},
            },
            "type": "account",
        },
        "program": "spl-token",
        "space": 165,
    }
    parsed = endpoint.result("getAccountInfo", str(mint), config)["value"]["data"]["parsed"]
    assert parsed["info"] == {
        "decimals": 6,
        "freezeAuthority": None,
        "isInitialized": True,
        "mintAuthority": str(wallet.address),
        "supply": "1500000",
    }


async def test_get_account_info__slices_and_encodings__agree(endpoint: Endpoint, wallet: Wallet) -> None:
    _, account = await wallet.create_token(1)
    part = {**CONFIRMED, "dataSlice": {"offset": 64, "length": 8}}
    wire = {
        encoding: endpoint.result("getAccountInfo", str(account), {**part, "encoding": encoding})["value"]["data"]
        for encoding in ("base64", "base58")
    }
    assert wire == {"base64": ["AQAAAAAAAAA=", "base64"], "base58": ["Ahg1opVcGX", "base58"]}


async def test_get_program_accounts__filters__find_one_owner(endpoint: Endpoint, wallet: Wallet) -> None:
    _, account = await wallet.create_token(5)
    filters = [{"dataSize": 165}, {"memcmp": {"offset": 32, "bytes": str(wallet.address)}}]
    config = {**CONFIRMED, "encoding": "base64", "filters": filters}
    found = endpoint.result("getProgramAccounts", str(TOKEN_PROGRAM), config)
    assert [entry["pubkey"] for entry in found] == [str(account)]
    assert "context" in endpoint.result("getProgramAccounts", str(TOKEN_PROGRAM), {**config, "withContext": True})


async def test_token_methods__one_account__agree_on_its_amount(endpoint: Endpoint, wallet: Wallet) -> None:
    mint, account = await wallet.create_token(42, decimals=0)
    amount = {"amount": "42", "decimals": 0, "uiAmount": 42.0, "uiAmountString": "42"}
    assert endpoint.result("getTokenAccountBalance", str(account), CONFIRMED)["value"] == amount
    assert endpoint.result("getTokenSupply", str(mint), CONFIRMED)["value"] == amount
    (largest,) = endpoint.result("getTokenLargestAccounts", str(mint), CONFIRMED)["value"]
    assert largest == {"address": str(account), **amount}
    owned = endpoint.result(
        "getTokenAccountsByOwner",
        str(wallet.address),
        {"mint": str(mint)},
        {**CONFIRMED, "encoding": "jsonParsed"},
    )
    assert [entry["pubkey"] for entry in owned["value"]] == [str(account)]


def test_get_account_info__wrapped_sol_mint__exists(endpoint: Endpoint) -> None:
    value = endpoint.result("getAccountInfo", NATIVE_MINT, {"encoding": "jsonParsed"})["value"]
    assert value["data"]["parsed"]["info"]["decimals"] == 9


async def test_lookup_table__extended_in_an_earlier_slot__serves_transactions(
    endpoint: Endpoint, wallet: Wallet
) -> None:
    to = Keypair().pubkey()
    recent = (await wallet.client.get_slot(Finalized)).value
    create, address = create_lookup_table(
        CreateLookupTableParams(authority_address=wallet.address, payer_address=wallet.address, recent_slot=recent)
    )
    extend = extend_lookup_table(
        ExtendLookupTableParams(
            lookup_table_address=address,
            authority_address=wallet.address,
            payer_address=wallet.address,
            new_addresses=[to],
        )
    )
    await wallet.send(await wallet.v0(create, extend))
    extended = (await wallet.client.get_slot()).value
    while (await wallet.client.get_slot()).value <= extended + 1:
        await wallet.client.get_latest_blockhash()
    table = AddressLookupTableAccount(address, [to])
    signature = await wallet.send(await wallet.v0(wallet.pay(to, SOL), tables=[table]))
    config = {**CONFIRMED, "maxSupportedTransactionVersion": 0}
    found = endpoint.result("getTransaction", str(signature), config)
    assert found["meta"]["loadedAddresses"] == {"readonly": [], "writable": [str(to)]}
    assert found["transaction"]["message"]["addressTableLookups"] == [
        {"accountKey": str(address), "readonlyIndexes": [], "writableIndexes": [0]}
    ]
    parsed = endpoint.result("getTransaction", str(signature), {**config, "encoding": "jsonParsed"})
    assert parsed["transaction"]["message"]["accountKeys"][-1] == {
        "pubkey": str(to),
        "signer": False,
        "source": "lookupTable",
        "writable": True,
    }
    (entry,) = endpoint.result("getSignaturesForAddress", str(to), CONFIRMED)
    assert entry["signature"] == str(signature)


@pytest.mark.parametrize("details", ["full", "accounts", "signatures", "none"])
async def test_get_block__details__show_that_much(endpoint: Endpoint, wallet: Wallet, details: str) -> None:
    signature = await wallet.send(await wallet.v0(wallet.pay(Keypair().pubkey(), SOL)))
    slot = (await wallet.client.get_signature_statuses([signature])).value[0].slot  # type: ignore[union-attr]
    while (await wallet.client.get_slot()).value <= slot:
        await wallet.client.get_latest_blockhash()
    config = {**CONFIRMED, "transactionDetails": details, "maxSupportedTransactionVersion": 0, "rewards": False}
    block = endpoint.result("getBlock", slot, config)
    assert block["parentSlot"] == slot - 1
    assert block["previousBlockhash"] == endpoint.result("getBlock", slot - 1, config)["blockhash"]
    if details == "none":
        assert "transactions" not in block and "signatures" not in block
    elif details == "signatures":
        assert str(signature) in block["signatures"]
    else:
        signatures = [entry["transaction"]["signatures"][0] for entry in block["transactions"]]
        assert str(signature) in signatures


def test_get_latest_blockhash__just_read__is_valid(endpoint: Endpoint) -> None:
    answer = endpoint.result("getLatestBlockhash", CONFIRMED)
    assert endpoint.result("isBlockhashValid", answer["value"]["blockhash"], CONFIRMED)["value"] is True
    height = endpoint.result("getBlockHeight", CONFIRMED)
    assert height <= answer["value"]["lastValidBlockHeight"] <= height + 151
    unknown = str(Pubkey.new_unique())
    assert endpoint.result("isBlockhashValid", unknown, CONFIRMED)["value"] is False


@pytest.mark.parametrize(
    ("method", "keys"),
    [
        ("getVersion", {"solana-core", "feature-set"}),
        ("getIdentity", {"identity"}),
        (
            "getEpochInfo",
            {"absoluteSlot", "blockHeight", "epoch", "slotIndex", "slotsInEpoch", "transactionCount"},
        ),
        (
            "getEpochSchedule",
            {"firstNormalEpoch", "firstNormalSlot", "leaderScheduleSlotOffset", "slotsPerEpoch", "warmup"},
        ),
        ("getInflationGovernor", {"foundation", "foundationTerm", "initial", "taper", "terminal"}),
        ("getInflationRate", {"epoch", "foundation", "total", "validator"}),
        ("getVoteAccounts", {"current", "delinquent"}),
    ],
)
def test_cluster_methods__result__has_a_validators_fields(endpoint: Endpoint, method: str, keys: set[str]) -> None:
    assert set(endpoint.result(method)) == keys
