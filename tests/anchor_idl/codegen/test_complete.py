"""Address rules: what they add, and every way in which they can be wrong."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from anchor_idl.codegen.complete import complete
from anchor_idl.codegen.errors import RuleError
from anchor_idl.codegen.rules import AddressRules, load_rules, parse_rules

TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
PROGRAM = "Fg6PaFpoGXkYsidMpWTK6W2BeZ7FEfcYkg476zPFsLnS"
RENTAL_SEED = {"kind": "const", "value": list(b"rental")}
OWN_RENTER = {"kind": "account", "path": "rental.renter", "account": "Rental"}
OWN_NONCE = {"kind": "account", "path": "rental.nonce", "account": "Rental"}

IDL: dict[str, Any] = {
    "address": PROGRAM,
    "metadata": {"name": "example", "version": "0.1.0", "spec": "0.1.0"},
    "instructions": [
        {
            "name": "open",
            "discriminator": [1],
            "accounts": [
                {"name": "renter", "writable": True, "signer": True},
                {
                    "name": "rental",
                    "pda": {
                        "seeds": [RENTAL_SEED, {"kind": "account", "path": "renter"}, {"kind": "arg", "path": "nonce"}]
                    },
                },
                {"name": "mint"},
                {"name": "from"},
                {"name": "vault"},
                {"name": "token_program"},
                {"name": "event_authority"},
                {"name": "program"},
            ],
            "args": [{"name": "nonce", "type": {"array": ["u8", 8]}}, {"name": "shard", "type": "u8"}],
        },
        {
            "name": "refund",
            "discriminator": [2],
            "accounts": [{"name": "rental"}, {"name": "vault"}, {"name": "to"}, {"name": "renter"}, {"name": "payer"}],
            "args": [],
        },
    ],
    "accounts": [{"name": "Rental", "discriminator": [3]}],
    "types": [
        {
            "name": "Rental",
            "type": {
                "kind": "struct",
                "fields": [
                    {"name": "renter", "type": "pubkey"},
                    {"name": "sponsor", "type": "pubkey"},
                    {"name": "mint", "type": "pubkey"},
                    {"name": "nonce", "type": {"array": ["u8", 8]}},
                    {"name": "shard", "type": "u8"},
                ],
            },
        }
    ],
}

RULES: dict[str, Any] = {
    "passed": ["mint"],
    "pda": {"Rental": {"seeds": ["'rental'", "renter", "nonce"]}, "Vault": {"seeds": ["'vault'", "mint", "shard"]}},
    "bytes": {"nonce": {"as": "u64"}},
    "account": {
        "rental": {"pda": "Rental"},
        "vault": {"pda": "Vault"},
        "from": {"associated_token": {"owner": "renter", "mint": "mint"}},
        "to": {"associated_token": {"owner": "renter", "mint": "rental.mint"}},
    },
    "instruction": {
        "refund": {
            "rental": {"pda": "Rental", "with": {"renter": "rental.renter"}},
            "vault": {"pda": "Vault", "with": {"mint": "rental.mint", "shard": "rental.shard"}},
            "renter": {"field": "rental.renter"},
            "payer": {"field": "rental.sponsor"},
        }
    },
}


def completed(rules: dict[str, Any] = RULES) -> dict[tuple[str, str], dict[str, Any]]:
    idl = complete(IDL, parse_rules(rules))
    return {(i["name"], account["name"]): account for i in idl["instructions"] for account in i["accounts"]}


def changed(path: str, value: Any) -> dict[str, Any]:
    """RULES with one entry replaced, or taken out if the value is None."""
    rules = copy.deepcopy(RULES)
    *parents, last = path.split(".")
    table = rules
    for parent in parents:
        table = table.setdefault(parent, {})
    if value is None:
        del table[last]
    else:
        table[last] = value
    return rules


def test_complete__pda_rule__looks_values_up_where_they_are() -> None:
    accounts = completed()

    assert accounts["open", "rental"]["pda"] == IDL["instructions"][0]["accounts"][1]["pda"]
    assert accounts["refund", "rental"]["pda"] == {"seeds": [RENTAL_SEED, OWN_RENTER, OWN_NONCE]}
    assert accounts["open", "vault"]["pda"]["seeds"][1:] == [
        {"kind": "account", "path": "mint"},
        {"kind": "arg", "path": "shard"},
    ]
    assert accounts["refund", "vault"]["pda"]["seeds"][1:] == [
        {"kind": "account", "path": "rental.mint", "account": "Rental"},
        {"kind": "account", "path": "rental.shard", "account": "Rental"},
    ]


def test_complete__associated_token__takes_the_token_program_of_the_instruction() -> None:
    accounts = completed()

    open_seeds, refund_seeds = (accounts[key]["pda"]["seeds"] for key in (("open", "from"), ("refund", "to")))
    assert open_seeds[1] == {"kind": "account", "path": "token_program"}
    assert refund_seeds[1]["kind"] == "const"
    assert refund_seeds[2] == {"kind": "account", "path": "rental.mint", "account": "Rental"}
    assert len(accounts["open", "from"]["pda"]["program"]["value"]) == 32


def test_complete__field_rule__is_a_relation_if_the_names_agree() -> None:
    accounts = completed()

    assert accounts["refund", "renter"]["relations"] == ["rental"]
    assert accounts["refund", "payer"]["field"] == "rental.sponsor"


def test_complete__well_known_accounts__need_no_rule() -> None:
    accounts = completed()

    assert accounts["open", "token_program"]["address"] == TOKEN
    assert accounts["open", "program"]["address"] == PROGRAM
    assert accounts["open", "event_authority"]["pda"]["seeds"] == [
        {"kind": "const", "value": list(b"__event_authority")}
    ]


def test_complete__bytes_rule__makes_arguments_and_fields_integers() -> None:
    idl = complete(IDL, parse_rules(RULES))

    assert idl["instructions"][0]["args"][0]["type"] == "u64"
    assert idl["types"][0]["type"]["fields"][3]["type"] == "u64"
    assert IDL["instructions"][0]["args"][0]["type"] == {"array": ["u8", 8]}, "the input is left alone"


def test_complete__twice__changes_nothing_the_second_time() -> None:
    once = complete(IDL, parse_rules(RULES))

    assert complete(once, parse_rules(RULES)) == once


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("account.gone", {"pda": "Rental"}, "these rules match nothing: gone"),
        ("account.payer", {"address": TOKEN}, "these rules match nothing: payer"),
        ("instruction.gone", {"rental": {}}, r"these rules match nothing: gone\.rental"),
        ("pda.Gone", {"seeds": ["'gone'"]}, r"these rules match nothing: pda\.Gone"),
        ("bytes.gone", {"as": "u64"}, r"these rules match nothing: bytes\.gone"),
        ("passed", ["mint", "renter"], r"these rules match nothing: passed\.renter"),
        ("passed", [], r"open\.mint: give it a rule, or list it in `passed`"),
        ("account.to", None, r"refund\.to: give it a rule"),
        ("instruction.refund.payer", {}, r"refund\.payer: give it a rule"),
        ("pda.Rental", {"seeds": ["'lease'", "renter", "nonce"]}, r"open\.rental: the program says pda = "),
        ("instruction.open", {"rental": {"address": TOKEN, "pda": "Rental"}}, "exclude each other"),
        (
            "account.vault",
            {"pda": "Vault", "with": {"shard": "gone"}},
            r"open\.vault: gone is not an argument, an account or a",
        ),
        ("account.vault", {"pda": "Vault", "with": {"shard": "arg:gone"}}, r"gone is not an argument of open"),
        ("account.vault", {"pda": "Vault", "with": {"shard": "account:gone"}}, r"gone is not an account of open"),
        ("account.vault", {"pda": "Vault", "with": {"shard": "rental.gone"}}, r"rental\.gone is not a field of Rental"),
        (
            "account.vault",
            {"pda": "Vault", "with": {"shard": "mint.x"}},
            r"mint\.x is not a field of an account of the",
        ),
        ("account.vault", {"pda": "Vault", "with": {"gone": "mint"}}, r"pda\.Vault has no seed gone"),
        ("account.vault", {"pda": "Gone"}, r"there is no pda\.Gone"),
        ("account.vault", {"seeds": []}, "a rule is a table of"),
        ("account.from", {"associated_token": {"owner": "renter"}}, "needs owner and mint"),
        ("instruction.refund.payer", {"field": "rental"}, r"refund\.payer: rental is not a field of an account"),
        ("bytes.nonce", {"as": "u32"}, "which cannot hold u32"),
        ("bytes.nonce", {"as": "text"}, r'bytes\.nonce needs as = "u64"'),
        ("pda.Rental", {"seeds": [1]}, r"pda\.Rental needs seeds"),
        ("other", {}, "other is not a section"),
    ],
)
def test_complete__wrong_rule__is_refused(path: str, value: Any, reason: str) -> None:
    with pytest.raises(RuleError, match=reason):
        completed(changed(path, value))


def test_complete__rule_in_one_instruction__takes_the_place_of_the_general_one() -> None:
    rules = changed("instruction.open", {"from": {"field": "rental.sponsor"}})

    account = completed(rules | {"account": {k: v for k, v in rules["account"].items() if k != "from"}})["open", "from"]

    assert account["field"] == "rental.sponsor"
    assert "pda" not in account


def test_complete__several_rules_for_an_account__takes_the_first_whose_names_are_there() -> None:
    rules = changed("account.vault", [{"pda": "Vault", "with": {"mint": "to"}}, {"pda": "Vault"}])
    rules["account"]["vault"][0]["with"] |= {"shard": "rental.shard"}
    del rules["instruction"]["refund"]["vault"]

    accounts = completed(rules)

    assert accounts["open", "vault"]["pda"]["seeds"][1]["path"] == "mint"
    assert [seed.get("path") for seed in accounts["refund", "vault"]["pda"]["seeds"]] == [None, "to", "rental.shard"]


def test_complete__rule_that_is_never_the_first__is_refused() -> None:
    with pytest.raises(RuleError, match=r"these rules match nothing: rental\[1\]"):
        completed(changed("account.rental", [{"pda": "Rental"}, {"address": TOKEN}]))


def test_complete__optional_account__is_no_seed_unless_it_is_named_so() -> None:
    idl = copy.deepcopy(IDL)
    idl["instructions"][1]["accounts"].append({"name": "shard", "optional": True})
    rules = changed("instruction.refund.vault", {"pda": "Vault", "with": {"mint": "rental.mint"}}) | {
        "passed": ["mint", "shard"]
    }

    with pytest.raises(RuleError, match=r"refund\.vault: shard is not an argument, an account or a field"):
        complete(idl, parse_rules(rules))


def test_complete__several_things_wrong__are_told_at_once() -> None:
    rules = changed("account.gone", {"pda": "Rental"}) | {"passed": []}
    del rules["account"]["to"]

    with pytest.raises(RuleError) as raised:
        completed(rules)

    places = [line.partition(":")[0] for line in str(raised.value).splitlines()]
    assert places == ["open.mint", "refund.to", "these rules match nothing"]


def test_load_rules__broken_file__names_it(tmp_path: Any) -> None:
    file = tmp_path / "addresses.toml"
    file.write_text("passed = [")

    with pytest.raises(RuleError, match=r"addresses\.toml"):
        load_rules(file)


def test_parse_rules__nothing__is_empty() -> None:
    assert parse_rules({}) == AddressRules()
